"""The fold at the hips: belly and thighs are turned back to where they meet."""

from __future__ import annotations

import numpy as np
import pytest

from handik.people.surface import _fold
from handik.people.surface._data import mesh

HIP = np.array([0.01, 0.09, 0.5])
ROWS = np.arange(1)


def turned(angle: float, side: float, far: float = 0.15, y: float = 0.1) -> tuple[float, float]:
    """Return at what angle and how far from the hips a vertex is afterward."""
    v = np.array([[HIP[0] + far * np.cos(angle), y, HIP[2] + far * np.sin(angle)]])
    _fold.part(v, ROWS, np.array([side]), HIP)
    assert v[0, 1] == y
    x, z = v[0, 0] - HIP[0], v[0, 2] - HIP[2]
    return float(np.arctan2(z, x)), float(np.hypot(x, z))


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_who_is_beyond_comes_back_to_where_they_meet(side) -> None:
    for beyond in (0.2, 0.5, 1.0, 1.6):
        angle, far = turned(_fold._MEET + side * beyond, side)
        assert angle == pytest.approx(_fold._MEET, abs=1e-3)
        assert far == pytest.approx(0.15, abs=1e-12)
        before = _fold._MEET - side * beyond
        assert turned(before, side)[0] == pytest.approx(before, abs=1e-5)
    at = turned(_fold._MEET, side)[0] - _fold._MEET  # both leave a little room where they touch
    assert at == pytest.approx(-side * _fold._SOFT * np.log(2) / 0.15)


def test_they_meet_lower_between_the_thighs() -> None:
    for y, less in ((0.0, 0.2), (0.04, 0.1), (0.08, 0.0), (-0.04, 0.1), (0.2, 0.0)):
        assert turned(1.3, 1.0, y=y)[0] == pytest.approx(_fold._MEET - less, abs=1e-3)


def test_it_fades_near_the_hips_far_round_and_where_a_vertex_is_of_both() -> None:
    assert turned(1.3, 1.0, far=0.03)[0] == pytest.approx(1.3)
    assert turned(1.3, 1.0, far=0.045)[0] == pytest.approx(0.5 * (1.3 + _fold._MEET), abs=2e-2)
    assert turned(1.3, 0.5)[0] == pytest.approx(0.5 * (1.3 + _fold._MEET), abs=1e-3)
    assert turned(_fold._MEET + 2.25, 1.0)[0] == pytest.approx(_fold._MEET + 2.25, abs=1e-9)
    assert turned(_fold._MEET + 2.0, 1.0)[0] == pytest.approx(_fold._MEET + 1.0, abs=1e-3)


def test_sides_of_the_mesh() -> None:
    m, side = mesh(), _fold.sides()
    hip = m.joints[0][m.joint_names.index("l-upper-leg")]
    assert not side[m.base[:, 0] < hip[0]].any()  # nobody's buttocks meet in it
    assert not side[m.weight("lowerleg", "spine01") > 0.6].any()
    ahead = (
        (m.base[:, 0] > hip[0] + 0.06)
        & (m.base[:, 2] > hip[2] - 0.3)
        & (np.abs(m.base[:, 1]) > 0.03)
    )
    ahead &= np.arange(len(side)) < m.skin
    assert (side[ahead & (m.weight("upperleg") > 0.8)] > 0.85).all()
    assert (side[ahead & (m.weight("root", "spine05") > 0.8)] < -0.85).all()
    left, right = side[m.base[:, 1] > 1e-3], side[m.base[:, 1] < -1e-3]
    assert left.sum() == pytest.approx(right.sum(), abs=0.5)
