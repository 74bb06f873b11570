"""Limits of ball joints: the split into swing and twist, the cone, and every way into it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rotations import matrix

import handik as hk
from handik.spec import JointSpec, LinkSpec, ModelSpec
from handik.study.twins import swing

Array = NDArray[np.float64]
angles = st.floats(0.05, np.pi)


def figure(half, twist=(-np.pi, np.pi), axis=(1.0, 0.0, 0.0), axis2=(0.0, 1.0, 0.0)) -> hk.Model:
    joint = JointSpec(
        "shoulder", "ball", "a", "b", axis=axis, axis2=axis2, cone=hk.Cone(half, twist)
    )
    return hk.Model(ModelSpec("one", [LinkSpec("a"), LinkSpec("b")], [joint]))


def split(q: Array, axes: Array) -> tuple[float, float, float]:
    """(u, v, twist) by rotation matrices alone: an independent judge."""
    r = axes.T @ matrix(q) @ axes
    angle = np.arctan2(np.hypot(r[0, 2], r[1, 2]), r[2, 2])
    flat = np.hypot(r[0, 2], r[1, 2])
    u, v = (angle * r[:2, 2] / flat) if flat > 1e-14 else (0.0, 0.0)
    axis = np.array([-v, u, 0.0]) / max(angle, 1e-300)
    k = np.array([[0, 0, axis[1]], [0, 0, -axis[0]], [-axis[1], axis[0], 0]])
    swing = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    rest = swing.T @ r
    return u, v, np.arctan2(rest[1, 0] - rest[0, 1], rest[0, 0] + rest[1, 1])


def excess(q: Array, row: Array) -> float:
    u, v, twist = split(q, row[:9].reshape(3, 3))
    a = row[9] if u >= 0 else row[11]
    b = row[10] if v >= 0 else row[12]
    r = np.hypot(u / a, v / b)
    return max((1 - 1 / r) * np.hypot(u, v) if r > 1 else 0.0, row[13] - twist, twist - row[14])


@given(
    st.tuples(*[st.floats(0.0, 6.0)] * 4),
    st.tuples(*[st.floats(-3.1, 3.1)] * 2),
    st.sampled_from(["ball", "free", "limited"]),
    st.integers(0, 2**32),
)
def test_clamp_twice_is_clamp_once_to_the_byte(half, twist, kind, seed) -> None:
    """Balls with and without limits, whatever their length; half of them bent nearly all the way."""
    rng = np.random.default_rng(seed)
    if kind == "limited":
        model = figure(half, (min(twist), max(twist)))
    else:
        links = [LinkSpec("a"), LinkSpec("b"), LinkSpec("c")]
        joints = [JointSpec("1", kind, "a", "b"), JointSpec("2", "revolute", "b", "c", upper=0.3)]
        model = hk.Model(ModelSpec("two", links, joints))
    q = rng.normal(size=(200, model.nq)) * 10.0 ** rng.uniform(-9, 1, size=(200, model.nq))
    once = model.clip(q)
    assert model.clip(once).tobytes() == once.tobytes()


@given(st.tuples(angles, angles, angles, angles), st.integers(0, 2**32))
def test_clamp_ends_inside_and_keeps_what_is_inside(half, seed) -> None:
    model = figure(half, (-0.7, 1.1))
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(20, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    inside = model.clip(q)
    for before, after in zip(q, inside, strict=True):
        assert excess(after, model.swing[0]) < 1e-9
        assert abs(np.linalg.norm(after) - 1) < 1e-14
        if excess(before, model.swing[0]) <= 0:
            np.testing.assert_allclose(after, before, atol=1e-15)
    np.testing.assert_allclose(model.clip(inside), inside, atol=2e-13)


@given(st.tuples(angles, angles, angles, angles), st.integers(0, 2**32))
def test_samples_are_inside(half, seed) -> None:
    model = figure(half, (-0.2, 0.3), axis=(0.3, -0.5, 0.8), axis2=(0.8, 0.0, -0.3))
    assert max(excess(q, model.swing[0]) for q in model.sample(20, seed=seed)) < 1e-9


HALVES = [
    (1.92, 1.75, 0.7, 1.05), (2.97, 1.57, 0.35, 1.57), (3.05, 3.05, 0.17, 0.17), (0.6, 0.3, 0.9, 0.2),
    (3.7, 1.0, 2.0, 1.2), (6.0, 0.3, 0.2, 2.9), (0.3, np.pi, 0.3, np.pi),
]  # fmt: skip


def edge_points(half: tuple[float, ...], count: int) -> Array:
    """Directions of the cone's edge, in its own axes."""
    phi = np.linspace(0, 2 * np.pi, count, endpoint=False)
    edge = np.stack([np.cos(phi), np.sin(phi)], axis=1)
    edge *= np.where(edge >= 0, half[:2], half[2:])
    angle = np.hypot(edge[:, 0], edge[:, 1])
    edge, angle = edge[angle <= swing.MOST], angle[angle <= swing.MOST]
    return np.column_stack([np.sinc(angle / np.pi)[:, None] * edge, np.cos(angle)])


def worst_of_projection(half: tuple[float, ...], draws: int, points: int) -> float:
    """How much farther than the best of so many points of the edge, over so many rotations."""
    model = figure(half)
    axes = model.swing[0, :9].reshape(3, 3)
    edge = edge_points(half, points)
    q = np.random.default_rng(4).normal(size=(draws, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    worst, seen = -np.inf, 0
    for row, near in zip(q, model.clip(q), strict=True):
        if excess(row, model.swing[0]) <= 1e-9:
            continue
        seen += 1
        wanted, got = ((axes.T @ matrix(x) @ axes)[:, 2] for x in (row, near))
        best = 2 * np.arcsin(np.sqrt(np.min(np.sum((edge - wanted) ** 2, axis=1))) / 2)
        worst = max(worst, 2 * np.arcsin(np.linalg.norm(got - wanted) / 2) - best)
    assert seen > draws / 10
    return worst


@pytest.mark.parametrize("half", HALVES)
def test_projection_is_the_nearest_direction(half) -> None:
    assert worst_of_projection(half, 40, 50_000) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
def test_projection_is_the_nearest_direction_of_a_million(half) -> None:
    assert worst_of_projection(half, 15, 1_000_000) < 1e-9


@settings(max_examples=15)
@given(st.tuples(angles, angles, angles, angles), st.integers(0, 2**32))
def test_twin_projects_the_same(half, seed) -> None:
    model = figure(half, (-0.7, 1.1))
    row = model.swing[0]
    rng = np.random.default_rng(seed)
    for q in rng.normal(size=(4, 4)):
        q /= np.linalg.norm(q)
        core, twin = model.clip(q), swing.clamp_quat(row, q)
        bone = [matrix(x) @ row[:9].reshape(3, 3)[:, 2] for x in (q, core, twin)]
        far = [np.linalg.norm(bone[0] - b) for b in bone[1:]]
        assert abs(far[0] - far[1]) < 1e-9  # of equally near directions either may be taken


def test_a_half_axis_past_the_back_opens_a_wedge() -> None:
    model = figure((4.0, 1.0, 1.0, 1.0), (-0.3, 0.2))
    row = model.swing[0]
    for q in model.sample(200, seed=1):
        assert excess(q, row) < 1e-9
    axes = row[:9].reshape(3, 3)
    near_back = np.array([np.cos(1.57), *(np.sin(1.57) * axes[:, 1])])  # half a turn but 0.0016
    np.testing.assert_allclose(model.clip(near_back), near_back, atol=1e-15)
    assert excess(near_back * [1, -1, -1, -1], row) > 1


@pytest.mark.parametrize(
    ("solver", "least"), [("fabrik", 0.7), ("ccd", 0.7), ("fabrik_fast", 0.99), ("hybrid", 0.99)]
)
def test_solvers_stay_inside(solver: str, least: float) -> None:
    links = [LinkSpec(f"l{i}") for i in range(6)]
    joints = [
        JointSpec(
            f"j{i}", "ball", f"l{i}", f"l{i + 1}", np.array(hk.chain([1.0]).spec.joints[0].placement),
            axis=(1.0, 0.0, 0.0), cone=hk.Cone((0.5, 0.9, 0.2, 0.4), (-0.3, 0.1)),
        )
        for i in range(5)
    ]  # fmt: skip
    for joint in joints[1:]:
        joint.placement[0, 3] = 0.4
    spine = hk.Model(ModelSpec("spine", links, joints))
    q = spine.sample(300, seed=3)
    targets = spine.fk(q)[:, :3, 3]
    result = spine.solve(position=targets, solver=solver, position_tolerance=1e-3, max_iter=300)
    worst = max(
        excess(row[4 * i : 4 * i + 4], spine.swing[i]) for row in result.q for i in range(5)
    )
    assert worst < 1e-9
    assert result.converged.mean() > least


def test_reversed_and_wide_limits_are_refused() -> None:
    with pytest.raises(hk.ModelError, match=r"shoulder.*swing limit"):
        figure((1.0, 6.4, 1.0, 1.0))
    with pytest.raises(hk.ModelError, match=r"shoulder.*twist limits"):
        figure(1.0, (0.5, -0.5))


def test_with_limits_takes_a_cone() -> None:
    free = hk.chain([1.0, 1.0], "ball")
    held = free.with_limits(joint_1=hk.Cone(0.3))
    assert list(free.step_swing) == [-1, -1]
    assert list(held.step_swing) == [0, -1]
