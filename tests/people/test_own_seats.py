"""Seat heights of your own."""

from importlib.resources import files

import numpy as np
import pytest

import handik as hk

HEAD = "chair,sex,mean_mm,sd_mm,min_mm,max_mm,trust,source"
LOW = ("manual,female,400,20,380,450,yes,ward", "manual,male,420,20,380,450,yes,ward")


def written(tmp_path, *rows):
    path = tmp_path / "mine.csv"
    path.write_text("\n".join([HEAD, *rows]))
    return path


def test_handiks_own_table_as_a_file_draws_the_same_heights(tmp_path):
    path = tmp_path / "seat_height.csv"
    path.write_bytes((files("handik.data") / "people" / "seat_height.csv").read_bytes())
    own, ours = (hk.population(20, seed=1, chair="power", seats=x) for x in (path, None))
    np.testing.assert_array_equal(own.seat_height, ours.seat_height)


def test_heights_are_the_tables_whenever_the_chair_is_said(tmp_path):
    path = written(tmp_path, *LOW)
    people = hk.population(400, seed=2, chair="manual", seats=path)
    of = {sex: people.seat_height[people.sex == sex] for sex in ("female", "male")}
    assert people.seat_height.min() >= 0.38
    assert people.seat_height.max() <= 0.45
    assert of["female"].mean() < of["male"].mean() < 0.43
    plain = hk.population(400, seed=2)
    np.testing.assert_array_equal(
        plain.with_chair("manual", seats=path).seat_height, people.seat_height
    )
    later = hk.population(400, seed=2, seats=path)
    path.unlink()
    np.testing.assert_array_equal(later.with_chair("manual").seat_height, people.seat_height)
    np.testing.assert_array_equal(
        people.with_chair(None).with_chair("manual").seat_height, people.seat_height
    )
    assert plain.with_chair("manual").seat_height.mean() > 0.45


def test_a_chair_or_sex_that_the_table_lacks(tmp_path):
    path = written(tmp_path, LOW[0])
    assert len(hk.population(3, sex="female", chair="manual", seats=path)) == 3
    for more in ({"chair": "power", "sex": "female"}, {"chair": "manual", "sex": "male"}):
        with pytest.raises(hk.ArgumentError, match="table of seats has no row of"):
            hk.population(3, seats=path, **more)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("manual,female,0.4,0.02,0.38,0.45,yes,w", "between 100 and 1500"),
        ("manual,female,400,20,99,450,yes,w", "between 100 and 1500"),
        ("manual,female,400,20,380,1501,yes,w", "between 100 and 1500"),
        ("manual,female,379,20,380,450,yes,w", "no seats have min 380, mean 379"),
        ("manual,female,451,20,380,450,yes,w", "no seats have"),
        ("manual,female,400,0,380,450,yes,w", "spread 0 mm"),
        ("manual,female,400,71,380,450,yes,w", "spread 71 mm"),
        ("manual,female,x,20,380,450,yes,w", "manual, female, mean_mm: 'x' is not a number"),
        ("sedan,female,400,20,380,450,yes,w", "chair must be manual or power, got 'sedan'"),
        ("manual,woman,400,20,380,450,yes,w", "sex must be female or male"),
        ("manual,female,400,20,380,450,yes,", "row 1 has no source"),
        (f"{LOW[0]}\n{LOW[0]}", "two rows of manual, female"),
    ],
)
def test_seats_that_cannot_be_are_told(row, says, tmp_path):
    with pytest.raises(hk.ArgumentError, match=rf"mine\.csv: .*{says}"):
        hk.population(2, seats=written(tmp_path, row))


def test_wrong_files(tmp_path):
    with pytest.raises(hk.MissingFileError):
        hk.population(2, seats=tmp_path / "none.csv")
    with pytest.raises(TypeError, match="seats must be a path"):
        hk.population(2, seats=3)
