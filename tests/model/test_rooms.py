"""Rooms of ball joints: spherical polygons, twists that follow the swing, balls held still.

The judge here shares nothing with the product: rotation matrices, crossings of arcs, its own table.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from rotations import matrix

import handik as hk
from handik.files.read import LinkSpec, ModelSpec
from handik.files.read.toml import read_toml
from handik.files.write.toml import to_toml
from handik.files.write.urdf import to_urdf
from handik.model import _balls
from handik.spec import JointSpec
from handik.study.twins import Tree, swing

Array = NDArray[np.float64]

TABLE = hk.TwistTable(
    (-1.2, 1.0), [(-2.5, -0.3, 0.2), (-0.5, -1.0, 0.9), (1.0, -0.2, 1.4), (2.2, 0.1, 0.6)], 1.2
)
BENT = [(-2.6, 0.9), (-0.7, 1.3), (0.2, 1.2), (0.6, 0.35), (1.6, 1.0), (2.8, 0.7)]
ASIDE = [(0.9, 1.3), (0.5, 0.5), (0.1, 1.2)]  # without the bone at rest
WIDE = [(-3.0, 1.2), (-1.0, 2.2), (0.3, 2.8), (1.2, 1.4), (2.2, 2.4)]
ROOMS = {
    "bent, table": hk.ReachCone(BENT, TABLE),
    "bent": hk.ReachCone(BENT, (-0.4, 0.8)),
    "aside": hk.ReachCone(ASIDE, (-0.5, 0.5)),
    "wide, table": hk.ReachCone(WIDE, TABLE),
    "cone, table": hk.Cone((1.9, 0.5, 0.8, 1.1), TABLE),
}


def split(q: Array, axes: Array) -> tuple[Array, Array, float]:
    """Bone, (u, v) and twist, by rotation matrices."""
    r = axes.T @ matrix(q) @ axes
    bone = r[:, 2]
    flat = np.hypot(bone[0], bone[1])
    angle = np.arctan2(flat, bone[2])
    uv = angle * bone[:2] / flat if flat > 1e-14 else np.zeros(2)
    k = np.array([[0, 0, uv[0]], [0, 0, uv[1]], [-uv[0], -uv[1], 0]]) / max(angle, 1e-300)
    rest = (np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k).T @ r
    return bone, uv, np.arctan2(rest[1, 0] - rest[0, 1], rest[0, 0] + rest[1, 1])


def corners_of(room: hk.ReachCone) -> Array:
    a, s = np.asarray(room.corners).T
    return np.stack([np.sin(s) * np.cos(a), np.sin(s) * np.sin(a), np.cos(s)], axis=1)


def beyond_polygon(room: hk.ReachCone, d: Array) -> float:
    """Radians outside, 0 inside: side by crossings, distance by the nearest of each arc."""
    corner = corners_of(room)
    mid = corner[0] + corner[1]
    mid /= np.linalg.norm(mid)
    left = np.cross(corner[0], corner[1])
    within = mid + 1e-3 * left / np.linalg.norm(left)
    crossings, far = 0, np.inf
    n = np.cross(d, within)
    for a, b in zip(corner, np.roll(corner, -1, axis=0), strict=True):
        m = np.cross(a, b)
        m /= np.linalg.norm(m)
        p = d - m * (m @ d)
        p /= np.linalg.norm(p)
        inner = np.cross(a, p) @ m > 0 and np.cross(p, b) @ m > 0
        ends = [p] if inner else [a, b]
        far = min(far, *(2 * np.arcsin(np.linalg.norm(e - d) / 2) for e in ends))
        if (n @ a > 0) != (n @ b > 0) and (m @ d > 0) != (m @ within > 0):
            cut = np.cross(n, m)
            crossings += (cut @ (a + b) > 0) == (cut @ (d + within) > 0)
    return far if crossings % 2 else 0.0


def range_of(twist, uv: Array) -> tuple[float, float]:
    if not isinstance(twist, hk.TwistTable):
        return twist
    smooth = lambda t: min(max(t, 0), 1) ** 2 * (3 - 2 * min(max(t, 0), 1))  # noqa: E731
    at, rows = np.arctan2(uv[1], uv[0]), sorted(twist.rows)
    rows = [(rows[-1][0] - 2 * np.pi, *rows[-1][1:]), *rows, (rows[0][0] + 2 * np.pi, *rows[0][1:])]
    a, b = next((a, b) for a, b in pairwise(rows) if a[0] <= at <= b[0])
    t, s = smooth((at - a[0]) / (b[0] - a[0])), smooth(np.hypot(*uv) / twist.full)
    low, high = (
        (1 - s) * twist.rest[i] + s * ((1 - t) * a[i + 1] + t * b[i + 1]) for i in range(2)
    )
    return low, high


def excess(room, q: Array, axes: Array) -> float:
    bone, uv, twist = split(q, axes)
    low, high = range_of(room.twist, uv)
    if isinstance(room, hk.ReachCone):
        over = beyond_polygon(room, bone)
    else:
        a = room.half[0] if uv[0] >= 0 else room.half[2]
        b = room.half[1] if uv[1] >= 0 else room.half[3]
        r = np.hypot(uv[0] / a, uv[1] / b)
        over = (1 - 1 / r) * np.hypot(*uv) if r > 1 else 0.0
    return max(over, low - twist, twist - high, 0.0)


def figure(room, axis=(1.0, 0.0, 0.0), axis2=(0.0, 1.0, 0.0)) -> hk.Model:
    joint = JointSpec("shoulder", "ball", "a", "b", axis=axis, axis2=axis2, cone=room)
    return hk.Model(ModelSpec("one", [LinkSpec("a"), LinkSpec("b")], [joint]))


def spine(rooms) -> hk.Model:
    links = [LinkSpec(f"l{i}") for i in range(len(rooms) + 2)]
    joints = []
    for i, room in enumerate(rooms):
        joints.append(JointSpec(f"j{i}", "ball", f"l{i}", f"l{i + 1}", np.eye(4), (1.0, 0.0, 0.0)))
        joints[-1].cone = room
        joints[-1].placement[0, 3] = 0.4 if i else 0.0
    joints.append(JointSpec("tip", "fixed", f"l{len(rooms)}", f"l{len(rooms) + 1}", np.eye(4)))
    joints[-1].placement[0, 3] = 0.4
    return hk.Model(ModelSpec("spine", links, joints))


def random_quaternions(n: int, seed: int) -> Array:
    q = np.random.default_rng(seed).normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


@pytest.mark.parametrize("name", ROOMS)
def test_clamp_ends_inside_at_the_nearest_direction(name) -> None:
    room = ROOMS[name]
    model = figure(room, axis=(0.3, -0.5, 0.8), axis2=(0.8, 0.0, -0.3))
    axes = model.swing[0, :9].reshape(3, 3)
    q = random_quaternions(200, 3)
    inside = model.clip(q)
    for before, after in zip(q, inside, strict=True):
        assert excess(room, after, axes) < 1e-12
        if excess(room, before, axes) == 0:
            np.testing.assert_allclose(after, before, atol=1e-15)
        if isinstance(room, hk.ReachCone):
            was, now = split(before, axes)[0], split(after, axes)[0]
            moved = 2 * np.arcsin(min(np.linalg.norm(was - now) / 2, 1))
            assert moved <= beyond_polygon(room, was) + 1e-9
    np.testing.assert_allclose(model.clip(inside), inside, atol=1e-12)


@pytest.mark.parametrize("name", ROOMS)
def test_samples_fill_the_room(name) -> None:
    room = ROOMS[name]
    model = figure(room)
    axes = model.swing[0, :9].reshape(3, 3)
    draws = model.sample(600, seed=2)
    assert max(excess(room, q, axes) for q in draws[:200]) < 1e-9
    if not isinstance(room, hk.ReachCone):
        return
    sphere = np.random.default_rng(5).normal(size=(20_000, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    sphere = sphere[room.distance(sphere) <= 0]  # uniform in the area
    bones = np.array([split(q, axes)[0] for q in draws])
    for way in (*np.eye(3), np.full(3, 0.577)):
        cut = np.median(sphere @ way)
        assert abs((bones @ way > cut).mean() - 0.5) < 0.08


def test_kept_draws_are_those_drawn_anew() -> None:
    """Two figures of one room share the swings drawn in it; what is drawn after them is the same."""
    room = next(room for room in ROOMS.values() if isinstance(room, hk.ReachCone))
    _balls._last.clear()
    first = figure(room).sample(64, seed=4)
    assert len(_balls._last) == 1
    kept = figure(room).sample(64, seed=4)
    kept[:] = 0  # the caller's own
    np.testing.assert_array_equal(figure(room).sample(64, seed=4), first)
    assert len(_balls._last) == 1
    _balls._last.clear()
    np.testing.assert_array_equal(figure(room).sample(64, seed=4), first)
    narrower = hk.ReachCone([(a, 0.9 * b) for a, b in room.corners], room.twist)
    assert np.abs(figure(narrower).sample(64, seed=4) - first).max() > 1e-3
    for seed in range(40):
        figure(room).sample(8, seed=seed)
    figure(room).sample(_balls.MOST_KEPT + 1, seed=1)
    assert len(_balls._last) == 32


@pytest.mark.parametrize("name", ROOMS)
def test_twin_and_core_clamp_the_same(name) -> None:
    model = figure(ROOMS[name])
    row = Tree(model).cones[0]
    for q in random_quaternions(40, 7):
        near = [split(x, np.eye(3))[0] for x in (model.clip(q), swing.clamp_quat(row, q))]
        assert np.linalg.norm(near[0] - near[1]) < 1e-8


SOLVERS = [
    ("fabrik", 0.6), ("fabrik_fast", 0.9), ("hybrid", 0.99), ("ccd", 0.6), ("auto", 0.99),
    ("dls", 0.8), ("lm", 0.8), ("sdls", 0.6), ("gauss_newton", 0.5), ("newton", 0.0),
    ("jacobian_transpose", 0.2), ("pinv", 0.5), ("gradient_descent", 0.3), ("lbfgs", 0.6),
]  # fmt: skip


@pytest.mark.parametrize(("solver", "least"), SOLVERS)
def test_every_solver_stays_inside(solver: str, least: float) -> None:
    rooms = [ROOMS["bent, table"], ROOMS["aside"], ROOMS["cone, table"], ROOMS["bent"]]
    model = spine(rooms)
    targets = model.fk(model.sample(40, seed=3), frame=model.tip)[:, :3, 3]
    targets[::8] *= 3  # some out of reach, where every limit is pressed
    result = model.solve(
        position=targets, solver=solver, position_tolerance=1e-3, max_iter=200, threads=1
    )
    for row in result.q:
        for i, room in enumerate(rooms):
            axes = model.swing[i, :9].reshape(3, 3)
            assert excess(room, row[4 * i : 4 * i + 4], axes) < 1e-9
    reached = np.delete(result.converged, np.s_[::8])
    assert reached.mean() >= least


def test_twins_of_solvers_in_rooms() -> None:
    from handik.study.twins import FAST, Goal, fabrik_tree

    model = spine([ROOMS["bent, table"], ROOMS["cone, table"], ROOMS["bent"]])
    tree = Tree(model)
    q, q0 = model.sample(2, seed=1)
    target = model.fk(q, frame=model.tip)[:3, 3]
    problem = hk.Problem(model, [hk.Position(position_tolerance=1e-4)])
    got = hk.Solver("fabrik_fast", max_iter=8, max_restarts=0)(problem, target, q0=q0)
    frame = model.frame_names.index(model.tip)
    goal = Goal(frame, position=target, position_tolerance=1e-4)
    twin = fabrik_tree(tree, goal, q0, max_iter=8, options=FAST)
    np.testing.assert_allclose(got.q, twin.q, atol=1e-7)


def test_files_keep_rooms() -> None:
    spec = spine(list(ROOMS.values())).spec
    spec.joints[0].hold = (1.0, 0.0, 0.0, 0.0)
    back = read_toml(to_toml(spec).encode())
    assert to_toml(back) == to_toml(spec)
    q = hk.Model(spec).sample(5, seed=1)
    np.testing.assert_array_equal(hk.Model(back).clip(q), hk.Model(spec).clip(q))
    hinge = JointSpec("h", "revolute", "a", "b")
    free = JointSpec("f", "free", "w", "a", cone=None, hold=(1.0, 0.0, 0.0, 0.0))
    lost: list[str] = []
    to_urdf(ModelSpec("x", [LinkSpec("w"), LinkSpec("a"), LinkSpec("b")], [free, hinge]), lost)
    assert any("held" in word for word in lost)


def test_wrong_rooms_are_named() -> None:
    for corners, word in [
        ([(0, 1), (1, 1)], "three directions"),
        ([(0, 1), (2, 1), (1, 1), (3, 1)], "crosses itself"),
        ([(0, 1), (0, 1), (2, 1)], "are the same"),
        ([(0, 3), (np.pi, 3), (2, 1)], "opposite to the bone"),
        ([], "no directions"),
        ([(0, 1, 2), (1, 1, 1), (2, 2, 2)], "rows of 2"),
    ]:
        with pytest.raises(hk.ModelError, match=word):
            figure(hk.ReachCone(corners))
    with pytest.raises(hk.ModelError, match=r"shoulder.*do not rise"):
        figure(hk.Cone(1.0, hk.TwistTable((-1, 1), [(1, -1, 1), (0, -1, 1)])))
    with pytest.raises(hk.ModelError, match=r"shoulder.*no range"):
        figure(hk.Cone(1.0, hk.TwistTable((-1, 1), [(0, 1, -1)])))
    with pytest.raises(hk.ModelError, match=r"shoulder.*no rows"):
        figure(hk.Cone(1.0, hk.TwistTable((-1, 1), [])))


@pytest.mark.parametrize("solver", [name for name, _ in SOLVERS])
def test_a_locked_ball_stays(solver: str) -> None:
    model = spine([hk.Cone(1.2, (-1.0, 1.0)), hk.Cone(1.2, (-1.0, 1.0)), None, ROOMS["bent"]])
    held = model.sample(seed=4)[4:8]
    locked = model.locked({"j1": held})
    q = locked.sample(20, seed=5)
    np.testing.assert_allclose(q[:, 4:8], np.broadcast_to(held, (20, 4)), atol=1e-15)
    targets = locked.fk(q, frame=locked.tip)[:, :3, 3]
    problem = hk.Problem(model, [hk.Position(position_tolerance=1e-3)], lock={"j1": held})
    result = hk.Solver(solver, max_iter=200)(problem, targets)
    np.testing.assert_allclose(result.q[:, 4:8], np.broadcast_to(held, (20, 4)), atol=1e-15)
    if solver in ("auto", "hybrid", "lm", "fabrik_fast"):
        assert result.converged.mean() > 0.9


def test_lock_by_swing_and_twist() -> None:
    model = spine([hk.Cone(1.2, (-1.0, 1.0)), None])
    for name, part in (("j0", slice(0, 4)), ("j1", slice(4, 8))):
        q = model.locked({name: (0.3, -0.5, 0.4)}).rest[part]
        axes = model.swing[0, :9].reshape(3, 3)
        _, uv, twist = split(q, axes)
        np.testing.assert_allclose([*uv, twist], [0.3, -0.5, 0.4], atol=1e-12)
    with pytest.raises(hk.ArgumentError, match="outside its limits"):
        model.locked({"j0": (1.3, 0.0, 0.0)})
    with pytest.raises(hk.ArgumentError, match="needs a quaternion"):
        model.locked({"j0": (1.3, 0.0)})
    with pytest.raises(hk.ArgumentError, match="no rotation"):
        model.locked({"j1": (0.0, 0.0, 0.0, 0.0)})


def test_lock_of_a_free_joint() -> None:
    joint = JointSpec("root", "free", "a", "b")
    model = hk.Model(ModelSpec("f", [LinkSpec("a"), LinkSpec("b")], [joint]))
    locked = model.locked({"root": (1, 2, 3, 0.6, 0, 0.8, 0)})
    np.testing.assert_allclose(locked.sample(seed=1), [1, 2, 3, 0.6, 0, 0.8, 0], atol=1e-15)
    np.testing.assert_allclose(locked.clip(model.sample(seed=1)), locked.rest, atol=1e-15)
