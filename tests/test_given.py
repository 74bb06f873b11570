"""What callers give: numbers, arrays and shapes are taken as they are or refused by name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import handik as hk
from handik.spec._given import coordinate_of, number, points_of, reals, together, whole_number


@pytest.mark.parametrize(
    "values", ["1", ["1", "2", "3"], [1j, 2, 3], np.ones(3, complex), [[1], [1, 2]], [{}] * 3]
)
def test_what_is_no_array_of_numbers_is_refused_by_name(values: object) -> None:
    with pytest.raises(hk.ArgumentError, match="speed must be a regular array of real numbers"):
        reals(values, "speed", (3,))  # type: ignore[arg-type]


@given(
    hnp.arrays(
        st.sampled_from([np.int8, np.uint64, np.float32, np.float64, np.bool_, ">f8"]),
        hnp.array_shapes(max_dims=3, min_side=0, max_side=3),
    )
)
def test_numbers_of_every_type_and_order_are_taken(array: np.ndarray) -> None:
    for view in (array, array.T, array[..., ::-1]):
        found = reals(view, "x", view.shape[-1:], finite=False)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, view.astype(float))


def test_shapes_and_what_is_not_finite() -> None:
    for bad in (np.zeros(4), np.zeros(()), np.zeros((3, 2))):
        with pytest.raises(hk.ArgumentError, match=r"p must have shape \(\.\.\., 3\), got"):
            reals(bad, "p", (3,))
    with pytest.raises(hk.ArgumentError, match="p must be finite"):
        reals([1, np.nan, 2], "p", (3,))
    assert np.isnan(reals([1, np.nan, 2], "p", (3,), finite=False)[1])
    given_array = np.zeros(3)
    own = points_of(given_array, "p", (3,))
    assert not own.flags.writeable
    assert not np.shares_memory(own, given_array)
    with pytest.raises(hk.ArgumentError, match=r"shape \(3,\), got \(2, 3\)"):
        points_of(np.zeros((2, 3)), "p", (3,))


def test_leading_axes_are_named_when_they_do_not_fit() -> None:
    assert together(a=(2, 1), b=(3,)) == (2, 3)
    assert together() == ()
    with pytest.raises(hk.ArgumentError, match=r"\(2,\) of a and \(3,\) of b cannot be broadcast"):
        together(a=(2,), b=(3,))


def test_single_numbers() -> None:
    assert number("x", np.float32(0.5)) == 0.5
    for bad in ("1", None, [1, 2], 1j, True, np.False_, np.array(True)):
        with pytest.raises(TypeError, match="x must be a number"):
            number("x", bad)
    with pytest.raises(hk.ArgumentError, match="x is too large"):
        number("x", 10**400)
    assert whole_number("n", np.int64(3)) == 3
    with pytest.raises(TypeError, match=r"n must be a whole number, got 2\.5"):
        whole_number("n", 2.5)
    for slip in (True, np.True_):
        with pytest.raises(TypeError, match=r"n must be a whole number, got (np\.)?True"):
            whole_number("n", slip)
    for bad_count in (-1, 2**31):
        with pytest.raises(hk.ArgumentError, match="n must be 0 to 2147483647"):
            whole_number("n", bad_count)
    assert whole_number("n", 2**40, 2**63 - 1) == 2**40


def test_joints_by_name_or_number() -> None:
    arm = hk.chain([1.0, 1.0])
    assert coordinate_of(arm, "lock", "joint_2") == coordinate_of(arm, "lock", np.int8(1)) == 1
    with pytest.raises(hk.NotFoundError, match="near names: joint_1"):
        coordinate_of(arm, "lock", "joint1")
    for beyond in (2, -1, True):
        with pytest.raises(hk.NotFoundError, match="lock must be a joint name or 0 to 1"):
            coordinate_of(arm, "lock", beyond)
    with pytest.raises(TypeError, match="lock must be the name"):
        coordinate_of(arm, "lock", 0.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given", ["max_iter", "max_restarts", "threads", "seed", "position_tolerance", "time_limit"]
)
@pytest.mark.parametrize("slip", [True, np.False_])
def test_the_core_takes_no_truth_for_a_number(given: str, slip: object) -> None:
    with pytest.raises(TypeError, match=f"{given} must be a"):
        hk.data("ur5").solve(position=[0.3, 0.2, 0.4], **{given: slip})
