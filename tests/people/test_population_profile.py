"""Populations with an impairment and wheelchairs."""

import numpy as np
import pytest

import handik as hk

#: D'Souza et al. 2022, younger group: mean, spread, least, greatest, metres.
SEATS = {
    ("manual", "female"): (0.4851, 0.0381, 0.4140, 0.5817),
    ("manual", "male"): (0.5131, 0.0381, 0.4216, 0.6071),
    ("power", "female"): (0.5232, 0.0508, 0.4115, 0.7188),
    ("power", "male"): (0.5563, 0.0508, 0.4420, 0.7341),
}


@pytest.mark.parametrize(("chair", "sex"), SEATS)
def test_seat_heights_are_those_of_the_survey(chair, sex):
    mean, spread, low, high = SEATS[chair, sex]
    found = hk.population(4000, sex=sex, seed=1, chair=chair).seat_height
    assert found.min() >= low
    assert found.max() <= high
    assert found.mean() == pytest.approx(mean, abs=0.003)
    assert found.std() == pytest.approx(spread, abs=0.004)


def test_a_chair_changes_no_dimension_and_the_seed_counts():
    plain = hk.population(20, seed=3)
    chairs = hk.population(20, seed=3, chair="manual", profile="sci_c6")
    assert (plain.dimensions == chairs.dimensions).all()
    assert np.isnan(plain.seat_height).all()
    assert (hk.population(20, seed=3, chair="manual").seat_height == chairs.seat_height).all()
    assert not (hk.population(20, seed=4, chair="manual").seat_height == chairs.seat_height).any()
    assert chairs.profile.name == "sci_c6"
    assert chairs.chair == "manual"


def test_one_of_them_as_a_figure():
    people = hk.population(3, sex="female", seed=3, profile="sci_c6")
    one = people.human(1)
    assert one.impaired.profiles[0].name == "sci_c6"
    assert one.dimensions["stature"] == people[1]["stature"]
    assert hk.population(1, seed=1).human(0).impaired is None
    with pytest.raises(hk.ArgumentError, match="chair must be"):
        hk.population(3, chair="sofa")
    with pytest.raises(hk.NotFoundError, match="flu"):
        hk.population(3, profile="flu")
