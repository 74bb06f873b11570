"""Poses of industry: the tool along an axis of the world, exactly or all but.

Axes that are aligned make numbers of the closed form vanish that are something for other poses. The oracle is the general
method, which eliminates unknowns and knows of no wrist and no parallel axes, and the twin of the choice among postures.
"""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from dh_tables import HALF, IRB120, PUMA, UR5
from numpy import pi

import handik as hk
from handik import _core
from handik.study.twins.closed import nearest_posture

DOWN = np.diag([1.0, -1.0, -1.0])
FORWARD = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
UR10E = [
    [0, 0.1807, 0, HALF],
    [0, 0, -0.6127, 0],
    [0, 0, -0.57155, 0],
    [0, 0.17415, 0, HALF],
    [0, 0.11985, 0, -HALF],
    [0, 0.11655, 0, 0],
]
KR6 = [
    [0, 0.4, 0.025, HALF],
    [0, 0, 0.455, 0],
    [0, 0, 0.035, HALF],
    [0, 0.42, 0, -HALF],
    [0, 0, 0, HALF],
    [0, 0.08, 0, 0],
]
CLOSE = {"position_tolerance": 1e-6, "orientation_tolerance": 1e-6}


def of_its_kind(table: list[list[float]], seed: int) -> list[list[float]]:
    """Draw other lengths for an arm, and its right angles one way or the other."""
    rng = np.random.default_rng(seed)
    rows = [[rng.choice([-1, 1]) * abs(x) if x else 0.0 for x in row] for row in table]
    for row in rows:
        row[1:3] = [x * rng.uniform(0.5, 1.5) for x in row[1:3]]
    return rows


TABLES = {
    "UR5": UR5,
    "UR10e": UR10E,
    "PUMA": PUMA,
    "IRB 120": IRB120,
    "KR 6": KR6,
    **{f"like UR5, {k}": of_its_kind(UR5, k) for k in range(4)},
    **{f"like KR 6, {k}": of_its_kind(KR6, k) for k in range(4)},
}


def aligned() -> np.ndarray:
    """Return the 24 rotations that take axes to axes."""
    out = []
    for order, signs in product(permutations(range(3)), product((1.0, -1.0), repeat=3)):
        turn = np.zeros((3, 3))
        turn[range(3), order] = signs
        out.append(turn)
    return np.array([turn for turn in out if np.linalg.det(turn) > 0])


def tilted(rng: np.random.Generator, size: float) -> np.ndarray:
    """Draw a small rotation, exact to the square of its angle."""
    x, y, z = size * rng.uniform(-1, 1, 3)
    return np.array([[1, -z, y], [z, 1, -x], [-y, x, 1]])


def grid(arm: hk.Model, turns: np.ndarray, n: int, seed: int, tilt: float = 0.0) -> np.ndarray:
    """Draw n places for each rotation, on decimals and on coordinate planes too."""
    rng = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (len(turns) * n, 1, 1))
    for k, pose in enumerate(poses):
        way = rng.normal(size=3)
        place = way / np.linalg.norm(way) * arm.max_reach * rng.uniform(0.2, 0.8)
        if k % 3 == 1:
            place = np.round(place, 1)
        elif k % 3 == 2:
            place[rng.integers(2)] = 0
        pose[:3, :3] = turns[k // n] @ tilted(rng, tilt)
        pose[:3, 3] = place
    return poses


def about_z(turn: np.ndarray, n: int) -> np.ndarray:
    """Turn the tool about its own axis."""
    out = []
    for angle in np.linspace(0, 2 * pi, n, endpoint=False):
        c, s = np.cos(angle), np.sin(angle)
        out.append(turn @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]))
    return np.array(out)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-9, 1e-6])
def test_auto_answers_them_by_the_closed_form(name: str, tilt: float) -> None:
    arm = hk.Model.from_dh(TABLES[name])
    turns = np.concatenate([aligned(), about_z(DOWN, 7), about_z(FORWARD, 7)])
    poses, start = grid(arm, turns, 12, 3, tilt), arm.sample(len(turns) * 12, seed=4)
    found = arm.solutions(poses)
    got = arm.solve(pose=poses, q0=start, **CLOSE)
    regular = (found.count > 0) & ~found.free.any(axis=(1, 2))
    assert regular.sum() > 100
    assert got.converged[regular].all()
    assert (got.method[regular] == hk.Method.CLOSED_FORM).all()
    nearest = np.abs(found.nearest(start) - start).max(axis=1)
    moved = np.abs(got.q - start).max(axis=1)
    assert (moved <= nearest + 1e-6)[regular].all()


@pytest.mark.parametrize("name", ["UR5", "PUMA", "IRB 120", "like UR5, 1", "like KR 6, 2"])
def test_the_nearest_of_all_that_the_general_method_finds(name: str) -> None:
    free = np.full(6, pi)
    arm = hk.Model.from_dh(TABLES[name], lower=-free, upper=free)
    poses = grid(arm, np.concatenate([about_z(DOWN, 3), about_z(FORWARD, 3)]), 6, 8)
    compared = 0
    for pose, start in zip(poses, arm.sample(len(poses), seed=9), strict=True):
        every = arm.solutions(pose, method="general")
        got = arm.solve(pose=pose, q0=start, **CLOSE)
        if not every.count or every.free.any() or not every.complete:
            continue
        wanted = nearest_posture(every.q, start, -free, free)
        assert wanted is not None
        assert np.abs(got.q - wanted).max() < 1e-6
        compared += 1
    assert compared >= 5


@pytest.mark.parametrize("name", ["UR5", "KR 6"])
def test_the_same_bytes_alone_in_a_batch_and_by_every_instruction_set(name: str, isa: str) -> None:
    arm = hk.Model.from_dh(TABLES[name])
    poses = grid(arm, about_z(DOWN, 5), 12, 1)
    start = arm.sample(len(poses), seed=2)
    _core.simd_select("base")
    first = arm.solve(pose=poses, q0=start, **CLOSE)
    _core.simd_select(isa)
    again = arm.solve(pose=poses, q0=start, threads=2, **CLOSE)
    assert again.q.tobytes() == first.q.tobytes()
    for k, pose in enumerate(poses):
        alone = arm.solve(pose=pose, q0=start[k], **CLOSE)
        assert alone.q.tobytes() == first.q[k].tobytes()
        assert alone.method == first.method[k]
