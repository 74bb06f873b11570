"""Kinematic diagrams: what is drawn moves as the model does, and says the model's numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import handik as hk

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

from handik.plot import diagram  # noqa: E402
from handik.spec import MimicSpec  # noqa: E402

Array = NDArray[np.float64]

#: Where the reader stands, with a rotation of the world's axes onto right, up and towards.
SIDES = [(0.35, -0.9), (0.2, 0.7), (1.1, 2.5), (-0.4, 4.0)]
KINDS = ("revolute", "prismatic", "cylindrical", "universal", "ball", "planar", "free", "fixed")


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def looked(elevation: float, azimuth: float) -> Array:
    """World to paper: turn about z, then about the reader's left-right, written on its own."""
    azimuth += np.pi / 2
    a = [[np.cos(azimuth), np.sin(azimuth), 0], [-np.sin(azimuth), np.cos(azimuth), 0], [0, 0, 1]]
    c, s = np.cos(elevation), np.sin(elevation)
    return (np.array([[1, 0, 0], [0, s, c], [0, -c, s]]) @ np.array(a))[:2]


def drawn(ax: Any, gid: str) -> list[Array]:
    """Points of all artists of one id."""
    found = [np.asarray(x.get_xydata()) for x in ax.lines if x.get_gid() == gid]
    for patch in ax.patches:
        if patch.get_gid() == gid:
            whole = hasattr(patch, "_path_original")
            found.append(patch._path_original.vertices if whole else patch.get_xy())
    return found


def texts(ax: Any, gid: str) -> list[str]:
    return [x.get_text() for x in ax.texts if (x.get_gid() or "").startswith(gid)]


def one_joint(kind: str, axis: Any = (0, 0, 1), axis2: Any = None) -> hk.Model:
    links = [hk.LinkSpec("base"), hk.LinkSpec("body")]
    unturned = [1.0, 0.0, 0.0, 0.0]
    joint = hk.JointSpec("joint", kind, "base", "body", ([0, 0, 0.25], unturned), axis, axis2)
    end = hk.FrameSpec("end", "body", ([0.25, 0.0, 0.1], unturned))
    return hk.Model(hk.ModelSpec(kind, links, [joint], [end], tip="end"))


def moving(model: hk.Model) -> list[str]:
    return [name for name in model.joint_names if name in model.joint_q_slices]


def turned_left(points: Array) -> float:
    """Twice the signed area a line sweeps round the middle of what it goes round."""
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    a, b = points[:-1] - middle, points[1:] - middle
    return float(np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(4))
def test_arrows_go_the_way_that_points_go_when_a_joint_turns(
    side: tuple[float, float], seed: int
) -> None:
    arm = hk.data("ur5")
    q = arm.sample(seed=seed)
    ax = diagram(arm, q, view=side, zeros=False, lengths=False)
    before = np.asarray(arm.frames(q))
    for k, name in enumerate(moving(arm)):
        (arc,) = drawn(ax, f"sense:{name}")
        moved = q.copy()
        moved[k] += 1e-6
        turn = (np.asarray(arm.frames(moved))[-1] @ np.linalg.inv(before[-1]))[:3, :3]
        spin = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        towards = np.cross(*looked(*side)) @ spin / np.linalg.norm(spin)
        assert turned_left(arc) * towards > 0 or abs(towards) < 0.02
        # the middle of the arrow is on the reader's side, where points move as the arrow shows
        way = arc[len(arc) // 2 + 3] - arc[len(arc) // 2 - 3]
        near = np.cross(*looked(*side))
        near = near - spin * (near @ spin) / (spin @ spin)
        seen = looked(*side) @ np.cross(spin, near)
        assert way @ seen > 0


def test_a_flat_arm_is_drawn_in_its_plane_with_circles_that_turn_to_the_left() -> None:
    arm = hk.chain([0.4, 0.3, 0.2])
    q = hk.deg([30.0, -50.0, 40.0])
    ax = diagram(arm, q)
    for k, name in enumerate(arm.joint_names):
        (sleeve,) = drawn(ax, f"sleeve:{name}")
        middle = arm.fk(q, frame=f"link_{k + 1}")[:2, 3]
        radius = np.linalg.norm(sleeve - middle, axis=1)
        assert np.allclose(radius, radius[0])
        assert turned_left(drawn(ax, f"sense:{name}")[0]) > 0
        assert not drawn(ax, f"stop:{name}")  # it would hide in the circle
    assert texts(ax, "length") == ["0.4 m", "0.3 m", "0.2 m"]
    assert texts(ax, "value") == ["30°", "-50°", "40°"]
    assert texts(ax, "name") == ["$q_{1}$", "$q_{2}$", "$q_{3}$"]


def test_an_axis_away_from_the_reader_turns_to_the_right() -> None:
    arm = hk.chain([0.4, 0.3], axis=(0.0, 1.0, 0.0))  # x to the right and z up: y goes away
    ax = diagram(arm, [-0.5, 0.3])
    assert turned_left(drawn(ax, "sense:joint_1")[0]) < 0
    # a positive angle takes the bone down
    (zero,) = drawn(ax, "zero:joint_1")
    bone = arm.fk([-0.5, 0.3], frame="link_2")[[0, 2], 3]
    assert np.allclose(zero[0], 0)
    assert np.allclose(zero[1][1], 0, atol=1e-12)
    assert bone[1] > 0


@pytest.mark.parametrize("side", SIDES)
def test_zero_is_where_the_bone_is_at_zero(side: tuple[float, float]) -> None:
    arm = hk.data("ur5")
    q = hk.deg([20.0, -60.0, 70.0, -30.0, 90.0, 40.0])
    ax = diagram(arm, q, view=side)
    for k, name in ((1, "shoulder"), (2, "elbow")):
        joint = moving(arm)[k]
        at_zero = q.copy()
        at_zero[k] = 0.0
        here, there = (arm.fk(at_zero, frame=f"link_{j}")[:3, 3] for j in (k, k + 1))
        (zero,) = drawn(ax, f"zero:{joint}")
        way, want = zero[1] - zero[0], looked(*side) @ (there - here)
        assert way @ want == pytest.approx(np.linalg.norm(way) * np.linalg.norm(want)), name
    assert texts(ax, "value") == ["20°", "-60°", "70°", "-30°", "90°", "40°"]


def test_lengths_are_those_of_denavit_and_hartenberg() -> None:
    table = np.array([[0, 0.3, 0, np.pi / 2], [0, 0.12, 0.4, 0], [0, 0, 0.35, 0]])
    ax = diagram(hk.Model.from_dh(table), [0.3, 0.4, -0.5])
    found = sorted(float(x.split()[0]) for x in texts(ax, "length"))
    assert found == [0.12, 0.3, 0.35, 0.4]
    assert not texts(diagram(hk.Model.from_dh(table), lengths=False), "length")


def test_lines_of_bodies_join_the_axes() -> None:
    """Both ends of each body's line are on the axes it joins, in every pose."""
    arm = hk.data("puma560")
    for seed in range(5):
        q = arm.sample(seed=seed)
        ax = diagram(arm, q, view=SIDES[0], zeros=False)
        pieces = [p for k in range(7) for p in drawn(ax, f"body:{k}")]
        assert all(np.isfinite(p).all() for p in pieces)
        tip = looked(*SIDES[0]) @ arm.fk(q)[:3, 3]
        assert min(np.linalg.norm(p - tip, axis=1).min() for p in pieces) < 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_symbol(kind: str) -> None:
    two = kind in ("universal", "planar")
    model = one_joint(
        kind, (1, 0, 0) if kind != "planar" else (0, 0, 1), (0, 1, 0) if two else None
    )
    ax = diagram(model, view=SIDES[0])
    parts = {
        "revolute": {"sleeve": 1, "stop": 1, "shaft": 1, "sense": 1},
        "prismatic": {"sleeve": 1, "cross": 2, "sense": 1, "stop": 0},
        "cylindrical": {"sleeve": 1, "sense": 2, "stop": 0},
        "universal": {"fork": 1, "yoke": 1, "sense": 2},
        "ball": {"ball": 1, "socket": 1, "sense": 0},
        "planar": {"plate": 2, "sense": 3},
        "free": {"free": 1, "sense": 0},
        "fixed": {"weld": 1, "sense": 0, "sleeve": 0},
    }[kind]
    for part, count in parts.items():
        assert len(drawn(ax, f"{part}:joint")) == count, part
    assert drawn(ax, "ground")


@pytest.mark.parametrize("kind", ["prismatic", "cylindrical"])
@pytest.mark.parametrize("side", SIDES)
def test_a_slide_points_along_its_axis(kind: str, side: tuple[float, float]) -> None:
    model = one_joint(kind, (0.3, -1.0, 0.5))
    q = np.full(model.nq, 0.1)
    arrow = drawn(diagram(model, q, view=side), "sense:joint")[-1]
    moved = q.copy()
    moved[-1] += 1.0
    want = looked(*side) @ (model.fk(moved) - model.fk(q))[:3, 3]
    way = arrow[-1] - arrow[0]
    assert way @ want == pytest.approx(np.linalg.norm(way) * np.linalg.norm(want))


def test_the_slides_of_a_plane_point_as_they_move() -> None:
    model = one_joint("planar", (0, 0, 1), (1, 0, 0))
    ax = diagram(model, view=SIDES[0])
    for k, arrow in enumerate(drawn(ax, "sense:joint")[:2]):
        want = looked(*SIDES[0]) @ (model.fk(np.eye(3)[k]) - model.fk(np.zeros(3)))[:3, 3]
        way = arrow[-1] - arrow[0]
        assert way @ want == pytest.approx(np.linalg.norm(way) * np.linalg.norm(want))


def test_a_turn_and_a_slide_that_follows_it_are_a_screw() -> None:
    def model(scale: float | None) -> hk.Model:
        links = [hk.LinkSpec(name) for name in ("base", "nut", "rod")]
        follows = None if scale is None else MimicSpec("turn", scale)
        joints = [
            hk.JointSpec("turn", "revolute", "base", "nut"),
            hk.JointSpec("run", "prismatic", "nut", "rod", mimic=follows),
        ]
        end = hk.FrameSpec("end", "rod", ([0.2, 0, 0.1], [1, 0, 0, 0]))
        return hk.Model(hk.ModelSpec("screw", links, joints, [end], tip="end"))

    screw, loose = diagram(model(0.05), [0.5]), diagram(model(None), [0.5, 0.1])
    assert drawn(screw, "thread:turn")
    assert not drawn(screw, "sleeve:run")
    assert not drawn(loose, "thread:turn")
    assert drawn(loose, "sleeve:run")


def test_the_thread_is_right_handed() -> None:
    links = [hk.LinkSpec(name) for name in ("base", "nut", "rod")]
    joints = [
        hk.JointSpec("turn", "revolute", "base", "nut"),
        hk.JointSpec("run", "prismatic", "nut", "rod", mimic=MimicSpec("turn", 0.05)),
    ]
    ax = diagram(hk.Model(hk.ModelSpec("screw", links, joints)), view=(0.0, 0.0))
    (thread,) = drawn(ax, "thread:turn")
    way = np.diff(thread[np.isfinite(thread).all(axis=1)], axis=0)
    way = way[np.abs(way[:, 0]) > 1e-9]
    # on the reader's side of a right-handed thread what goes to the right goes up
    assert np.mean(way[:, 0] * way[:, 1] > 0) > 0.9


def test_symbols_at_one_place_are_drawn_apart() -> None:
    """Three axes of a wrist meet in a point: each stands elsewhere along its axis."""
    arm = hk.data("puma560")
    ax = diagram(arm, view=SIDES[0])
    middle = np.array([drawn(ax, f"sleeve:{name}")[0].mean(axis=0) for name in moving(arm)])
    gaps = np.linalg.norm(middle[:, None] - middle, axis=2) + np.eye(6)
    sleeve = drawn(ax, "sleeve:waist")[0]
    assert gaps.min() > 0.8 * np.ptp(sleeve, axis=0).max()


def test_a_person_is_drawn_with_all_balls_and_ends() -> None:
    body = hk.study.upper_body()
    ax = diagram(body)
    for name, kind in zip(body.joint_names, body.joint_kinds, strict=True):
        part = {"ball": "ball", "revolute": "sleeve"}[kind]
        assert len(drawn(ax, f"{part}:{name}")) == 1
    balls = body.joint_kinds.count("ball")
    assert sum("…" in text for text in texts(ax, "name")) == balls


def test_frames_are_those_asked_for() -> None:
    arm = hk.chain([0.4, 0.3], "ball")
    q = arm.sample(seed=3)
    ax = diagram(arm, q, view=SIDES[1], frames=["tip"])
    for k, letter in enumerate("xyz"):
        (way,) = drawn(ax, f"frame:tip:{letter}")
        want = looked(*SIDES[1]) @ arm.fk(q)[:3, k]
        assert np.allclose((way[1] - way[0]) / np.linalg.norm(way[1] - way[0]),
                           want / np.linalg.norm(want))  # fmt: skip
    assert texts(ax, "letter") == ["x", "y", "z"]
    assert len(texts(diagram(arm, frames="all"), "letter")) == 3 * len(arm.frame_names)
    assert set(x.get_gid() for x in diagram(arm, q).texts) >= {"letter:link_0", "letter:tip"}


def layout(model: hk.Model, q: Array) -> tuple[Any, Any]:
    from handik.plot._layout import Layout
    from handik.plot._symbols import Paper

    found = Layout(model, q)
    return found, found.place(Paper.seen_from(None, 0.35, -0.9, 1.0), 0.02)


@pytest.mark.parametrize("seed", range(20))
def test_lines_follow_common_normals_of_any_arm(seed: int) -> None:
    """From axis to axis at right angles to both, or straight where that would lead far away."""
    rng = np.random.default_rng(seed)
    model = hk.Model.from_dh(rng.uniform([-3, -1, -1, -3], [3, 1, 1, 3], (6, 4)))
    found, ways = layout(model, model.sample(seed=seed))
    for pair in found.pairs:
        off = np.cross(pair.axis, pair.at - pair.before[:3, 3])
        assert np.linalg.norm(off) < 1e-9  # a symbol stands on its axis
    bent = 0
    for way in ways:
        ends = [
            (pair, foot)
            for pair, foot in ((way.above, way.points[1]), (way.below, way.points[-2]))
            if pair is not None
        ]
        for pair, foot in ends:
            assert np.linalg.norm(np.cross(pair.axis, foot - pair.before[:3, 3])) < 1e-9
        if len(ends) == 2 and not way.straight:
            across = way.points[-2] - way.points[1]
            assert all(abs(across @ pair.axis) < 1e-9 for pair, _ in ends)
            bent += 1
        begin, stop = (pair.before[:3, 3] for pair, _ in ends) if len(ends) == 2 else (0.0, 0.0)
        if len(ends) == 2:
            along = sum(np.linalg.norm(foot - pair.before[:3, 3]) for pair, foot in ends)
            assert along <= 1.6 * np.linalg.norm(stop - begin) + 1e-9
    assert bent >= 1


def test_nearly_parallel_axes_are_joined_straight() -> None:
    """Their normal may be anywhere: 18 degrees are enough to draw it, 16 are not."""
    for tilt, straight in ((0.32, False), (0.28, True), (1e-5, True), (1e-8, False)):
        table = [[0, 0.1, 0.5, tilt], [0, 0.1, 0.5, 0]]
        _, ways = layout(hk.Model.from_dh(table), np.array([0.2, 0.3]))
        (way,) = [way for way in ways if way.above is not None and way.below is not None]
        assert way.straight == straight


def test_sizes_are_as_told() -> None:
    arm = hk.data("ur5")
    (small,) = drawn(diagram(arm, view=(0.0, 0.0), size=0.01), "sleeve:shoulder_pan")
    assert np.ptp(small[:, 1]) == pytest.approx(0.02)


def test_wrong_calls_say_what_is_wrong() -> None:
    arm = hk.data("ur5")
    with pytest.raises(hk.ArgumentError, match=r"q must have shape \(..., 6\), got \(2,\)"):
        diagram(arm, [0.0, 0.0])
    with pytest.raises(hk.ArgumentError, match="q must be finite"):
        diagram(arm, np.full(6, np.nan))
    with pytest.raises(hk.ArgumentError, match="one finite pose"):
        diagram(arm, np.zeros((2, 6)))
    with pytest.raises(hk.ArgumentError, match="size must be positive"):
        diagram(arm, size=0.0)
    with pytest.raises(hk.ArgumentError, match="'ends', 'all' or names"):
        diagram(arm, frames="tips")
    with pytest.raises(hk.NotFoundError, match="hand"):
        diagram(arm, frames=["hand"])
    for view in ((1.0,), (1.0, 2.0, 3.0), (np.nan, 0.0), 3.0):
        with pytest.raises(hk.ArgumentError, match="view must"):
            diagram(arm, view=view)
    for given, says in (({"size": "a"}, "size must be a number"), ({"frames": 3}, "frames must")):
        with pytest.raises(TypeError, match=says):
            diagram(arm, **given)
    with pytest.raises(TypeError, match="model must be a handik Model"):
        diagram(3)


def test_texts_of_a_person_do_not_cover_each_other() -> None:
    """Names such as q_17...q_20 are wide: once lengths were written across them."""
    ax = diagram(hk.study.upper_body())
    ax.figure.canvas.draw()
    texts = [t for t in ax.texts if t.get_gid() and not t.get_gid().startswith("letter:")]
    boxes = [t.get_window_extent() for t in texts]
    covered = [
        (a.get_text(), b.get_text())
        for (a, one), (b, other) in itertools.combinations(zip(texts, boxes, strict=True), 2)
        if one.overlaps(other)
    ]
    assert covered == []
