"""Where small numbers stop to count: each threshold from both sides, so that moving it fails here."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.closed.paul import types
from handik.errors import ArgumentError

FREE = 1e-7  # handik/closed/paul/types.py
BOTTOM = 1e-9  # csrc/python/core_maths.c


@pytest.mark.parametrize(("x", "z"), [(FREE, 0.0), (0.0, FREE), (FREE, FREE)])
def test_an_equation_of_nothing_leaves_its_angle_free(x: float, z: float) -> None:
    """Type 2: X S + Y C = Z says nothing where all three are below."""
    for y in (0.0, 0.3 * x):
        np.testing.assert_array_equal(types.type_2(0.9 * x, y, 0.9 * z), [0.0, np.nan])
    beyond = types.type_2(1.1 * x, 0.0, 1.1 * z)
    if x and not z:  # X S = 0
        np.testing.assert_allclose(np.sort(np.abs(beyond)), [0.0, np.pi], atol=1e-12)
    elif x:  # X S = X, one answer twice
        np.testing.assert_allclose(beyond, [np.pi / 2, np.nan], atol=1e-12)
    else:  # 0 = Z
        assert np.isnan(beyond).all()


@pytest.mark.parametrize("angle", [0.4, -2.0])
def test_two_equations_of_nothing_leave_it_free_too(angle: float) -> None:
    """Type 3, of independent equations whose numbers are all small."""
    for size, wanted in ((0.9 * FREE, 0.0), (1.1 * FREE, angle)):
        found = types.type_3(size, 0.0, size * np.sin(angle), 0.0, size, size * np.cos(angle))
        np.testing.assert_allclose(found, [wanted, np.nan], atol=1e-9)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("sign", [1, -1])
def test_the_last_row_of_a_pose(place: int, sign: int) -> None:
    """It is 0 0 0 1 to 1e-9."""
    model = hk.robot("ur5")
    frame = next(f for f in model.frame_names if "tool0" in f)
    pose = np.array(model.fk(model.rest, frame=frame))
    near, off = pose.copy(), pose.copy()
    near[3, place] += sign * 0.9 * BOTTOM
    off[3, place] += sign * 1.1 * BOTTOM
    assert model.solve(pose=near, frame=frame).outcome is hk.Outcome.CONVERGED
    with pytest.raises(ArgumentError, match="0 0 0 1"):
        model.solve(pose=off, frame=frame)
