"""The algorithm and the remarks of a course on inverse kinematics, tried."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from test_numbers import PIEPER

import handik as hk

Array = NDArray[np.float64]
L1, L2 = 0.6, 0.4
LONGEST = np.radians(2.0)


def port(lengths: Array, target: Array, q: Array, eps: float, most: int) -> tuple[Array, int]:
    """The course's algorithm, line by line, with its own forward model and Jacobian."""
    count = 0
    while True:
        angle = np.cumsum(q)
        bones = lengths[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        error = target - bones.sum(axis=0)
        if np.linalg.norm(error) <= eps or count == most:
            return q, count
        lever = np.cumsum(bones[::-1], axis=0)[::-1]  # from each joint to the end
        jacobian = np.stack([-lever[:, 1], lever[:, 0]])
        step = np.linalg.pinv(jacobian) @ error
        if np.abs(step).max() > LONGEST:
            step *= LONGEST / np.abs(step).max()
        q, count = q + step, count + 1


def test_pinv_with_steps_of_two_degrees_is_the_algorithm_of_the_course() -> None:
    arm = hk.chain([0.3] * 4)
    targets, starts = arm.fk(arm.sample(100, seed=1))[:, :3, 3], arm.sample(100, seed=2)
    found = arm.solve(
        position=targets, q0=starts, solver="pinv", max_step=LONGEST, max_restarts=0,
        perturbations=0, max_iter=1000, position_tolerance=1e-6,
    )  # fmt: skip
    assert found.converged.all()
    for k in range(100):
        q, count = port(np.full(4, 0.3), targets[k, :2], starts[k], 1e-6, 1000)
        assert count == found.iterations[k]
        assert np.abs(np.sin(0.5 * (q - found.q[k]))).max() < 1e-12


def test_two_degrees_are_small() -> None:
    """What sine and cosine lose, as the notebook prints it."""
    assert 1 - np.sin(LONGEST) / LONGEST == pytest.approx(2.0e-4, rel=0.02)
    assert 1 - np.cos(LONGEST) == pytest.approx(6.1e-4, rel=0.01)


def test_two_links_by_the_law_of_cosines_are_the_solutions() -> None:
    arm = hk.chain([L1, L2])
    poses = arm.fk(arm.sample(500, seed=3))
    for pose in poses:
        x, y = pose[:2, 3]
        elbow = np.array([1, -1]) * np.arccos((x * x + y * y - L1**2 - L2**2) / (2 * L1 * L2))
        bend = np.arctan2(L2 * np.sin(elbow), L1 + L2 * np.cos(elbow))
        q = np.stack([np.arctan2(y, x) - bend, elbow], axis=1)
        assert np.abs(arm.fk(q)[:, :2, 3] - [x, y]).max() < 1e-12
        core = arm.solutions(pose, task="position").q
        gap = np.abs(np.sin(0.5 * (core[:, None] - q))).max(axis=2)
        # near the stretched arm both elbows are one, where rounding is a root
        assert gap.min(axis=1).max() < 1e-12 / min(1.0, abs(np.sin(elbow[0]))) + 1e-12


def test_transpose_is_slower_and_ccd_less_exact() -> None:
    arm = hk.data("planar9")
    targets, starts = arm.fk(arm.sample(300, seed=6))[:, :3, 3], arm.sample(300, seed=7)
    found = {
        name: arm.solve(position=targets, q0=starts, solver=name, **hk.solvers()[name].plain)
        for name in ("jacobian_transpose", "pinv", "ccd")
    }
    assert all(r.converged.mean() > 0.99 for r in found.values())
    mean = {name: r.iterations.mean() for name, r in found.items()}
    left = {name: np.median(r.position_error) for name, r in found.items()}
    assert mean["jacobian_transpose"] > 5 * mean["pinv"]
    assert left["ccd"] > 5 * left["pinv"]


@pytest.mark.slow
def test_arms_with_a_wrist_need_six_types_of_equations() -> None:
    """Three joints of any kind and a wrist: types 1, 2, 3, 9, 10 and 11, as the course lists."""
    pytest.importorskip("sympy")
    from handik.closed.paul import derive

    half = np.pi / 2
    table = np.array(
        [
            [0, 0.3, 0.2, 0.9], [0, 0.25, 0.35, -0.7], [0, 0.15, 0.2, 1.1],
            [0, 0.4, 0, half], [0, 0, 0, -half], [0, 0, 0, 0],
        ]
    )  # fmt: skip
    met: dict[str, list[int]] = {}
    for kinds in map("".join, product("RP", repeat=3)):
        rows = table.copy()
        rows[[k for k, kind in enumerate(kinds) if kind == "P"], :2] = 0.4, 0.0
        met[kinds] = [step.type for step in derive(rows, kinds=kinds + "RRR").steps]
    assert met == PIEPER
    assert set().union(*met.values()) == {1, 2, 3, 9, 10, 11}
