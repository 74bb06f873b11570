"""Small functions behind the room of joints and what is measured of people, against what they are said to be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator
from scipy.spatial.transform import Rotation

import handik as hk
from handik.people._motions import _twist
from handik.people._narrow import cut_off
from handik.people._quantile import _slopes


@pytest.mark.parametrize("seed", range(5))
def test_the_twist_about_an_axis_is_the_angle_of_a_turn_about_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    axis, angle = rng.normal(size=3), rng.uniform(-3, 3)
    axis /= np.linalg.norm(axis)
    turn = Rotation.from_rotvec(angle * axis).as_matrix()
    assert _twist(turn, axis) == pytest.approx(angle, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_slopes_between_quantiles_are_those_of_monotone_cubics(seed: int) -> None:
    """SciPy's are the same inside (Fritsch and Butland 1984); on a straight line all are its own."""
    rng = np.random.default_rng(seed)
    x, y = np.cumsum(rng.uniform(0.1, 2, 8)), np.cumsum(rng.uniform(0.1, 2, 8))
    np.testing.assert_allclose(
        _slopes(x, y)[1:-1], PchipInterpolator(x, y).derivative()(x[1:-1]), rtol=1e-12
    )
    np.testing.assert_allclose(_slopes(x, 3 * x), 3, rtol=1e-12)
    assert _slopes(np.arange(3.0), np.array([0.0, 1.0, 0.5]))[1] == 0  # at a summit


@pytest.mark.parametrize(("tip", "left"), [("link_5", None), ("link_1", "link_1")])
def test_a_tip_is_forgotten_with_the_limb_that_it_stood_on(tip: str, left: str | None) -> None:
    spec = hk.data("vp5243").spec
    spec.tip = tip
    gone = cut_off(spec, next(joint for joint in spec.joints if joint.name == "elbow"))
    assert ("link_5" in gone, "link_1" in gone) == (True, False)
    assert spec.tip == left
