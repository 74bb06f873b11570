"""Worksheets of RULA and REBA of your own."""

from importlib.resources import files
from math import radians

import pytest

import handik as hk
from handik.people import Rating, reba, rula, rula_of

OF = {"rula": rula, "reba": reba}
ARM = {"upper_arm": radians(50), "elbow": radians(80), "trunk": radians(10)}


def text_of(name):
    return (files("handik.data") / "people" / f"{name}.toml").read_text("utf-8")


@pytest.mark.parametrize("name", ["rula", "reba"])
def test_handiks_own_sheet_as_a_file_is_the_same(name, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(text_of(name), "utf-8-sig")
    assert OF[name](**ARM, path=path) == OF[name](**ARM)


@pytest.mark.parametrize("name", ["rula", "reba"])
def test_a_band_of_another_end_is_used_and_read_again(name, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        text_of(name).replace("[45, 90, 3]", "[55, 90, 3]").replace("[20, 45, 2]", "[20, 55, 2]")
    )
    assert OF[name](**ARM, path=str(path)).parts["upper_arm"] == 2
    path.write_text(text_of(name))
    assert OF[name](**ARM, path=str(path)).parts["upper_arm"] == 3


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[bands]", "[band]", "bands of upper_arm must be rows of lower end"),
        ("[20, 45, 2]", "[20, 45]", "bands of upper_arm must be rows of lower end"),
        ("[20, 45, 2]", "[25, 45, 2]", "bands of upper_arm leave out angles beyond 20 degrees"),
        ("[45, 90, 3]", "[45, 90, 5]", "bands of upper_arm must have scores of 1 to 4"),
        ("[60, 100, 1]", "[60, nan, 1]", "bands of lower_arm must be rows of lower end"),
        ("[[0, 0, 1], [0, 15, 2]", "[[1, 1, 1], [0.5, 15, 2]", "bands of wrist leave out angles beyond 0"),
        ("  [1,2,2,2,2,3,3,3],\n", "", "table a must be 18 rows of 8 whole numbers"),
        ("[1,2,2,2,2,3,3,3]", "[1,2,2,2,2,3,3,3.5]", "table a must be 18 rows of 8 whole numbers"),
        ("[1,2,2,2,2,3,3,3]", "[0,2,2,2,2,3,3,3]", "table a must have scores of 1 to 12"),
        ("[1,2,2,2,2,3,3,3]", "[1,2,2,2,2,3,3,inf]", "table a must be 18 rows of 8 whole numbers"),
        ("[1,2,2,2,2,3,3,3]", "[1,2,2,2,2,3,3,'3']", "table a must be 18 rows of 8 whole numbers"),
        ("[1,2,2,2,2,3,3,3]", "[true,2,2,2,2,3,3,3]", "table a must be 18 rows of 8 whole numbers"),
        ("[20, 45, 2]", f"[20, 1{400 * '0'}, 2]", "bands of upper_arm must be rows of lower end"),
        ("[20, 45, 2]", f"[20, 1{5000 * '0'}, 2]", "is no TOML file.*ValueError"),
        ("[bands]", "[bands", "is no TOML file: not TOML"),
        ("[bands]", "\0", "is no TOML file: not TOML"),
        ("[bands]", f"deep = {5000 * '['}", "is no TOML file.*RecursionError"),
        ("[bands]", f"{'a.' * 40}a = 1", "is no TOML file: more than 32 words with dots"),
    ],
)  # fmt: skip
def test_a_sheet_that_cannot_be_used_is_told(old, new, says, tmp_path):
    path, text = tmp_path / "mine.toml", text_of("rula")
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(hk.ArgumentError, match=f"mine.toml.*{says}"):
        rula(**ARM, path=path)


def test_a_missing_sheet_is_told_and_figures_are_rated_by_one(tmp_path):
    with pytest.raises(hk.MissingFileError):
        reba(**ARM, path=tmp_path / "none.toml")
    anna, path = hk.human("female"), tmp_path / "mine.toml"
    path.write_text(
        text_of("rula")
        .replace("[60, 100, 1]", "[60, 90, 1]")
        .replace("[100, inf, 2]", "[90, inf, 2]")
    )
    q = anna.posture(elbow_flexion_right=radians(95))
    assert rula_of(anna, q).parts["lower_arm"] == 1
    assert rula_of(anna, q, path=path).parts["lower_arm"] == 2
    goal = hk.Problem(anna.model, hk.Position("index_tip_right", axes="z"))
    target = anna.model.fk(q, frame="index_tip_right")[2:3, 3]
    by = Rating(anna, "rula", path=path)
    assert by.score(q) == 2
    assert by.score(by.lower(goal, target, q)) == 1
