"""Options of reach: each against an oracle of its own, and none turns a no into a yes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_reach import arm10

import handik as hk
from handik.scene.access._inside import GIVES_WAY
from handik.scene.access._narrow import turned_away
from handik.scene.access._options import VIEW, Options
from handik.scene.access._verdict import Asked

HERE = [1.0, 0.0, 0.0, 0.0]
X = (1.0, 0.0, 0.0)
ARM = hk.chain([0.5, 0.4, 0.2])
ANNA = hk.human(sex="female", stature=1.62)
INF = float("inf")


def wrist_gap(target: np.ndarray, angle: float, half: float) -> float:
    """How far from reach the wrist of the arm is at best, by a scan of the hand's directions."""
    turn = angle + np.linspace(-half, half, 2001)
    wrist = target[:2] - 0.2 * np.stack([np.cos(turn), np.sin(turn)], 1)
    far = np.linalg.norm(wrist, axis=1)
    return float(np.maximum(far - 0.9, 0.1 - far).clip(0).min())


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 1.2), st.floats(-3, 3), st.floats(-3, 3), st.sampled_from([0.0, 0.2, 0.8]))
def test_an_axis_against_a_scan_of_directions(
    r: float, a: float, angle: float, half: float
) -> None:
    target = np.array([r * np.cos(a), r * np.sin(a), 0])
    along = [np.cos(angle), np.sin(angle), 0]
    found = hk.access.reach(ARM, None, target, axis=along, half_angle=half, tool_axis=X, within=INF)
    gap = wrist_gap(target, angle, half)
    if found.verdict == "yes":
        pose = ARM.fk(found.q)
        assert np.linalg.norm(pose[:3, 3] - target) <= 1e-3
        assert np.arccos(np.clip(pose[:3, 0] @ along, -1, 1)) <= half + 2e-4
        assert found.off_axis <= half + 2e-4
        assert gap <= 1.5e-3
    elif found.verdict == "no":
        assert gap > 0.9e-3
        assert found.short[0] <= 1e-3 or np.hypot(*target[:2]) > 1.1
    if gap == 0 and wrist_gap(target, angle, 0.9 * half) == 0 and half > 0:
        assert found.verdict == "yes"


@given(
    st.tuples(st.floats(-1.3, 1.3), st.floats(-1.3, 1.3)),
    st.fixed_dictionaries(
        {},
        optional={
            "axis": st.sampled_from([(1, 0, 0), (0, 1, 0), (-1, 2, 0)]),
            "half_angle": st.floats(0, 3),
            "action": st.sampled_from(["reach", "press", "pull"]),
            "force": st.floats(0, 50),
            "path": st.booleans(),
        },
    ),
)
@settings(max_examples=60, deadline=None)
def test_no_option_turns_a_no_into_a_yes(at: tuple[float, float], options: dict) -> None:
    if "axis" not in options:
        options.pop("action", None)
    if options.get("action", "reach") == "reach":
        options.pop("force", None)
    who = figure_of(ARM)
    target = [*at, 0.0]
    plain = hk.access.reach(who, None, target, within=INF)
    found = hk.access.reach(
        heavy(who), None, target, within=INF, tool_axis=X, strength={"joint_1": 9.0}, **options
    )
    assert not (plain.verdict == "no" and found.verdict != "no")
    assert not (found.verdict == "yes" and plain.verdict != "yes")


def figure_of(model: hk.Model) -> hk.Figure:
    bones = [hk.Capsule(f"link_{k}", (0, 0, 0), (0.1, 0, 0), 0.01) for k in (1, 2, 3)]
    return hk.Figure(model, bones[: model.nq], pairs=[])


def heavy(figure: hk.Figure) -> hk.Figure:
    """The same with so little mass that it counts for nothing."""
    spec = figure.model.spec.copy()
    for link in spec.links[1:]:
        link.inertial = hk.spec.InertialSpec(1e-9, center=[0.01, 0, 0])
    return figure._on(hk.Model(spec))


@settings(max_examples=40, deadline=None)
@given(st.floats(0.2, 0.85), st.floats(-3, 3), st.floats(-3, 3), st.floats(1, 40), st.booleans())
def test_a_force_against_levers(r: float, a: float, way: float, force: float, pulls: bool) -> None:
    """Torque is lever times force: of both postures of two links, with limits of 10 and 4 N m."""
    model = heavy(figure_of(hk.chain([0.5, 0.4]))).model
    target, push = r * np.array([np.cos(a), np.sin(a)]), np.array([np.cos(way), np.sin(way)])
    bend = np.arccos(np.clip((r * r - 0.41) / 0.4, -1, 1))
    most = []
    for side in (1, -1):
        first = a - np.arctan2(0.4 * np.sin(side * bend), 0.5 + 0.4 * np.cos(bend))
        elbow = 0.5 * np.array([np.cos(first), np.sin(first)])
        turn = [force * (p[0] * push[1] - p[1] * push[0]) for p in (target, target - elbow)]
        most.append(max(abs(turn[0]) / 10, abs(turn[1]) / 4))
    found = hk.access.reach(
        model,
        None,
        [*target, 0],
        action="pull" if pulls else "press",
        axis=[*push, 0],
        half_angle=np.pi,
        force=force,
        strength={"joint_1": 10.0, "joint_2": 4.0},
        within=INF,
        tries=64,
    )
    if found.verdict == "yes":
        assert min(most) <= 1.02
        assert found.strength <= 1 + 1e-6
        assert np.isclose(most, found.strength, atol=0.02 * max(most)).any()
    else:
        assert min(most) > 0.98
        assert any("not strong enough" in why for why in found.blocked)


def test_strength_has_a_sense() -> None:
    """A knob is turned against the moment that the hand feels: a joint strong one way only."""
    spec = hk.chain([0.3]).spec
    spec.links[1].inertial = hk.spec.InertialSpec(1e-9, center=[0.01, 0, 0])
    arm = hk.Model(spec)
    options = {"axis": [0, 0, 1], "half_angle": np.pi, "action": "turn", "force": 5.0}
    on = hk.access.reach(
        wheel(-2, 2), None, [0, 0, 0], turn=0.5, strength={"turn": (0.0, 6.0)}, **options
    )
    back = hk.access.reach(
        wheel(-2, 2), None, [0, 0, 0], turn=-0.5, strength={"turn": (0.0, 6.0)}, **options
    )
    assert (on.verdict, back.verdict) == ("yes", "undecided")
    with pytest.raises(hk.ArgumentError, match="strength="):
        hk.access.reach(arm, None, [0.3, 0, 0], axis=X, action="press", force=1.0)


def wheel(low: float, high: float) -> hk.Model:
    """A hand that can only turn where it is."""
    joint = hk.JointSpec("turn", "revolute", "world", "hand", axis=(0, 0, 1), lower=low, upper=high)
    links = [hk.LinkSpec("world"), hk.LinkSpec("hand")]
    links[1].inertial = hk.spec.InertialSpec(1e-9, center=[0.01, 0, 0])
    return hk.Model(hk.ModelSpec("wheel", links, [joint]))


@pytest.mark.parametrize("sign", [1, -1])
def test_a_knob_is_turned_as_far_as_the_range_goes(sign: int) -> None:
    model = wheel(-0.4, 0.9)
    for turn, verdict in ((1.29, "yes"), (1.31, "undecided")):
        found = hk.access.reach(
            model, None, [0, 0, 0], axis=[0, 0, 1], action="turn", turn=sign * turn
        )
        assert found.verdict == verdict
        if verdict == "yes":
            assert found.motion is not None
            np.testing.assert_array_equal(found.motion[0], found.q)
            assert found.motion[-1, 0] - found.motion[0, 0] == pytest.approx(sign * turn, abs=2e-3)
            assert np.abs(np.diff(found.motion[:, 0])).max() <= np.deg2rad(5) + 2e-3
        else:
            assert found.motion is None
            assert "not turned so far" in found.why


def seer() -> hk.Model:
    """A hand that slides about, and a fixed eye that looks along x."""
    joints = [
        hk.JointSpec(f"s{k}", "prismatic", str(k), str(k + 1), axis=np.eye(3)[k], lower=-2, upper=2)
        for k in range(3)
    ]
    spec = hk.ModelSpec("seer", [hk.LinkSpec(str(k)) for k in range(4)], joints)
    spec.frames = [hk.FrameSpec("eye", "0", np.eye(4)), hk.FrameSpec("grip", "3", np.eye(4))]
    return hk.Model(spec)


SEER = hk.Figure(seer(), [], pairs=[])
PLACE = st.tuples(*[st.floats(-1.5, 1.5)] * 3)


@settings(max_examples=80, deadline=None)
@given(PLACE, PLACE, st.floats(0.01, 0.6))
def test_sight_against_a_ray_and_a_ball(target: tuple, ball: tuple, radius: float) -> None:
    to, middle = np.array(target), np.array(ball)
    far = float(np.linalg.norm(to))
    scene = hk.Scene().add("ball", hk.scene.Sphere(radius), pose=(middle, HERE))
    found = hk.access.reach(SEER, scene, to, frame="grip", sight=True, within=INF, tries=1)
    if far < 0.02:
        return
    end = to * (1 - 5e-3 / far)
    near = end * np.clip(middle @ end / (end @ end), 0, 1)
    gap = float(np.linalg.norm(middle - near)) - radius
    aside = np.arctan2(np.hypot(to[1], to[2]), to[0]) - VIEW
    if abs(gap) < 1e-6 or abs(aside) < 1e-3:
        return
    assert found.verdict == ("yes" if gap > 0 and aside < 0 else "undecided")
    if aside > 0:
        assert "the target is out of view" in found.blocked
    elif gap < 0:
        assert "ball hides the target" in found.blocked


def test_who_looks_turns_the_head() -> None:
    aside = [0.25, -0.55, 0.9]
    plain = hk.access.reach(ANNA, None, aside, within=INF)
    seen = hk.access.reach(ANNA, None, aside, within=INF, sight=True)
    eye = ANNA.model.fk(seen.q, frame="eye")
    way = np.array(aside) - eye[:3, 3]
    assert plain.verdict == seen.verdict == "yes"
    assert np.arccos(eye[:3, 0] @ way / np.linalg.norm(way)) <= VIEW + 1e-6
    assert plain.q.tobytes() != seen.q.tobytes()


def bar() -> hk.Model:
    """Two grips at the ends of a bar that turns about its middle."""
    joint = hk.JointSpec("turn", "revolute", "world", "bar", axis=(0, 0, 1), lower=-3, upper=3)
    spec = hk.ModelSpec("bar", [hk.LinkSpec("world"), hk.LinkSpec("bar")], [joint])
    for name, x in (("grip_right", 0.3), ("grip_left", -0.3)):
        at = np.eye(4)
        at[0, 3] = x
        spec.frames.append(hk.FrameSpec(name, "bar", at))
    return hk.Model(spec)


@settings(max_examples=40, deadline=None)
@example(0.0, 0.00390625, 0.3)
@given(st.floats(-2.5, 2.5), st.floats(-0.5, 0.5), st.sampled_from([0.3, 0.32]))
def test_two_hands_on_a_bar_reach_opposite_places(a: float, off: float, radius: float) -> None:
    right = 0.3 * np.array([np.cos(a), np.sin(a), 0])
    left = -radius * np.array([np.cos(a + off), np.sin(a + off), 0])
    found = hk.access.reach(bar(), None, [right, left], hand="both", within=INF)
    lack = 0.3 * 2 * np.sin(abs(off) / 4)  # the best turn shares it
    if radius > 0.3:
        assert found.verdict == "no"
    elif abs(lack - 1e-3) > 2e-4:
        alone = hk.access.reach(bar(), None, left, hand="left", within=INF).verdict
        assert found.verdict == ("yes" if lack < 1e-3 else alone if alone == "no" else "undecided")
    if found.verdict == "yes":
        ends = [bar().fk(found.q, frame=name)[:3, 3] for name in ("grip_right", "grip_left")]
        assert max(np.linalg.norm(np.array(ends) - [right, left], axis=1)) <= 1e-3
        assert list(found.also) == ["grip_left"]


def test_both_hands_in_arrays_and_at_one_place() -> None:
    places = [[[0.45, -0.2, 1.0], [0.45, 0.2, 1.0]], [[0.45, -0.2, 1.0], [0.2, 0.2, 2.2]]]
    found = hk.access.reach(ANNA, None, places, hand="both", within=INF)
    assert found.verdict.tolist() == ["yes", "no"]
    assert hk.access.reach(ANNA, None, [0.45, 0, 1.0], hand="both", within=INF)
    with pytest.raises(hk.ArgumentError, match="2, 3"):
        hk.access.reach(ANNA, None, np.zeros((3, 3)), hand="both")
    with pytest.raises(hk.ArgumentError, match="grip_right"):
        hk.access.reach(ARM, None, np.zeros(3), hand="both")


def test_a_path_that_is_asked_for_is_found_or_it_is_no_yes() -> None:
    """A link that turns in one plane past a post that it cannot pass."""
    arm = hk.chain([0.5]).with_limits({"joint_1": (-0.1, 2.0)})
    bone = [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)]
    figure = hk.Figure(arm, bone, pairs=[])
    post = 0.4 * np.array([np.cos(1.0), np.sin(1.0), 0])
    scene = hk.Scene().add("post", hk.scene.Sphere(0.05), pose=(post, HERE))
    for angle, verdict in ((0.5, "yes"), (1.6, "undecided")):
        target = 0.5 * np.array([np.cos(angle), np.sin(angle), 0])
        assert hk.access.reach(figure, scene, target, within=INF).verdict == "yes"
        found = hk.access.reach(figure, scene, target, within=INF, path=True)
        assert found.verdict == verdict
        if verdict == "yes":
            np.testing.assert_array_equal(found.path.q[-1], found.q)
            np.testing.assert_array_equal(found.path.q[0], arm.rest)
            assert found.path.outcome == "found"
        else:
            assert any(why.startswith("no path") for why in found.blocked)
            assert found.path.outcome != "found"


def holding(radius: float, forearm: bool = False) -> hk.access.Reach:
    """A hand of 20 mm about the tip that comes to the middle of a ball."""
    arm = hk.chain([0.5, 0.4])
    parts = [hk.Capsule(arm.frame_names[-1], (0, 0, 0), (0, 0, 0), 0.02)]
    if forearm:
        parts += [hk.Capsule("link_1", (0.45, 0, 0), (0.5, 0, 0), 0.5)]
    scene = hk.Scene().add("knob", hk.scene.Sphere(radius), pose=([0.6, 0.3, 0], HERE))
    scene = scene.add("knob/grip", hk.scene.Target("axis", [1, 0, 0]))
    return hk.access.reach(hk.Figure(arm, parts, pairs=[]), scene, "knob/grip", within=INF)


def test_a_hand_may_overlap_what_it_holds_by_fifty_millimetres() -> None:
    for radius in (0.01, 0.029):
        found = holding(radius)
        assert found.verdict == "yes"
        assert found.holds == ("knob",)
        assert found.overlap == pytest.approx(radius + 0.02, abs=1.1e-3)
        assert f"overlaps by {1e3 * found.overlap:.0f} mm" in found.why
    assert GIVES_WAY == 0.05
    assert holding(0.0315).verdict == "no"  # half a millimeter more than the tolerance leaves
    assert holding(0.0308).verdict != "no"
    assert holding(0.01, forearm=True).verdict == "undecided"  # only the hand may


def test_what_is_not_held_is_in_the_way() -> None:
    scene = hk.Scene().add("knob", hk.scene.Sphere(0.02), pose=([0.6, 0.3, 0], HERE))
    scene = scene.add("knob/grip", hk.scene.Target("axis", [1, 0, 0]))
    scene = scene.add("beside", hk.scene.Sphere(0.015), pose=([0.6, 0.33, 0], HERE))
    arm = hk.chain([0.5, 0.4])
    hand = [hk.Capsule(arm.frame_names[-1], (0, 0, 0), (0, 0, 0), 0.02)]
    figure = hk.Figure(arm, hand, pairs=[])
    found = hk.access.reach(figure, scene, "knob/grip", within=INF)
    assert found.verdict == "no"
    assert list(found.blocked) == ["beside"]
    both = hk.access.reach(figure, scene, "knob/grip", within=INF, holds=["knob", "beside"])
    assert both.verdict == "yes"
    none = hk.access.reach(figure, scene, "knob/grip", within=INF, holds=())
    assert none.verdict == "no"
    assert "knob" in none.blocked
    by_place = hk.access.reach(figure, scene, [0.6, 0.3, 0], within=INF, holds="knob")
    assert by_place.verdict == "no"


def test_grips_of_the_kitchen_are_in_reach() -> None:
    """The place to grip lies in the handle: without the exemption no posture is free."""
    scene = hk.scene.gallery("kitchen")
    at = hk.transforms.from_rpy([0, 0, np.pi / 2], [-0.98, 0.815, 0])
    who = ANNA.with_base(at)
    grip = "counter/left/handle/grip"
    assert hk.access.reach(who, scene, grip, holds=(), hand="right", within=INF).verdict != "yes"
    found = hk.access.reach(who, scene, grip, hand="right", within=INF)
    assert found.verdict == "yes"
    assert 0 < found.overlap <= GIVES_WAY


def test_names_say_where_and_along_what() -> None:
    scene = hk.Scene().add("a", pose=([0.6, 0.3, 0], HERE))
    scene = scene.add("a/grip", hk.scene.Target("axis", [0, 1, 0]))
    named = hk.access.reach(figure_of(ARM), scene, "a/grip", axis="target", tool_axis=X)
    placed = hk.access.reach(figure_of(ARM), scene, [0.6, 0.3, 0], axis=[0, 1, 0], tool_axis=X)
    assert named.q.tobytes() == placed.q.tobytes()
    assert named.holds == ()
    many = hk.access.reach(figure_of(ARM), scene, ["a/grip", "a/grip"], axis="target", tool_axis=X)
    assert many.verdict.tolist() == ["yes", "yes"]
    with pytest.raises(hk.NotFoundError):
        hk.access.reach(figure_of(ARM), scene, "a")
    with pytest.raises(hk.ArgumentError, match="only a scene"):
        hk.access.reach(ARM, None, "a/grip")
    with pytest.raises(hk.ArgumentError, match='"target"'):
        hk.access.reach(ARM, None, [0.6, 0.3, 0], axis="target")


def test_changes_of_options_are_asked_again() -> None:
    target = np.array([0.95, 0.3, 0])
    found = hk.access.reach(ARM, None, target, axis=[-1, 0, 0], half_angle=0.2, tool_axis=X)
    assert found.verdict != "yes"
    wider = {change.kind: change for change in found.changes}["angle"]
    half = 0.2 + wider.amount
    assert hk.access.reach(ARM, None, target, axis=[-1, 0, 0], half_angle=half, tool_axis=X)
    assert wrist_gap(target, np.pi, 0.2 + 0.9 * wider.amount) > 0
    assert str(wider) in found.why
    assert "de plus autour de l'axe" in found.tell("fr")
    with pytest.raises(hk.ArgumentError, match="language"):
        found.tell("de")


def test_the_other_hand_is_a_change() -> None:
    found = hk.access.reach(ANNA, None, [0.1, 0.85, 0.9], within=INF)
    assert found.verdict == "no"
    change = next(one for one in found.changes if one.kind == "hand")
    assert change.joint == "grip_left"
    assert hk.access.reach(ANNA, None, [0.1, 0.85, 0.9], hand="left", within=INF)


def test_a_no_by_the_axis_has_a_certificate(tmp_path: Path) -> None:
    arm = ARM.with_limits({"joint_2": (-2.0, 2.0)})
    target, options = [1.05, 0, 0], {"axis": [-1, 0, 0], "half_angle": 0.2, "tool_axis": X}
    found = hk.access.reach(arm, None, target, **options)
    assert found.verdict == "no"
    assert hk.access.reach(arm, None, target).verdict == "yes"
    assert "within 11 degrees of the axis" in found.why
    assert 0 < found.short[0] <= 1e-3
    proof = hk.access.reach(arm, None, [0.93, 0, 0], **options).certificate
    assert proof.check(arm)
    proof.save(tmp_path / "no.npz")
    again = hk.access.Certificate.load(tmp_path / "no.npz")
    assert again.check(arm)
    for change in (
        {"half_angle": 1.5}, {"axis": np.array([1.0, 0, 0])}, {"axis": np.array([-2.0, 0, 0])},
        {"point": np.zeros(3)}, {"target": np.array([0.5, 0, 0])}, {"far": 0.5},
    ):  # fmt: skip
        assert not replace(again, digest="", **change).check(arm)
        assert not replace(again, **change).check(arm)  # the digest tells


def test_no_posture_contradicts_a_no_by_the_axis() -> None:
    """Places and axes that a drawn posture meets: nothing is proved of them."""
    model, rng, proved = arm10(), np.random.default_rng(8), 0
    tool = np.array(X)
    for q in model.sample(400, seed=9):
        pose = model.fk(q, frame="tip")
        half = float(rng.choice([0.0, 0.05, 0.3, 1.0]))
        lean, own = half * rng.uniform(), pose[:3, 0]
        aside = np.cross(own, rng.normal(size=3))
        aside /= np.linalg.norm(aside)
        along = np.cos(lean) * own + np.sin(lean) * aside
        at = pose[:3, 3] + 5e-4 * rng.uniform(-1, 1, 3)
        for axis, wide in ((along, half + 1e-9), (-along, half)):
            options = Options("reach", axis, wide, tool, 0, 0, None, False, False, ())
            asked = Asked(model, None, None, model.rest, 1e-3, 1, 1000, 0, options)
            found = turned_away(asked, "tip", at, q)
            assert found is None or axis is not along
            proved += found is not None
    assert proved > 20  # it can prove


def test_what_is_no_option() -> None:
    target = [0.6, 0.3, 0]
    for options, words in (
        ({"action": "press"}, "axis="),
        ({"action": "turn", "axis": X}, "turn="),
        ({"turn": 1.0}, "turn="),
        ({"action": "lift"}, "action"),
        ({"axis": [0, 0, 0]}, "no direction"),
        ({"axis": [1e300, 0, 0]}, "no direction"),
        ({"axis": X, "half_angle": -1}, "half_angle"),
        ({"axis": X, "half_angle": 4}, "half_angle"),
        ({"force": 3.0}, "force="),
        ({"axis": X, "action": "pull", "force": -3.0}, "force"),
        ({"axis": X, "action": "turn", "turn": 7.0}, "whole turn"),
        ({"sight": True}, "eye"),
        ({"holds": ["a"]}, "holds="),
        ({"axis": np.ones((2, 3))}, "one a target"),
        ({"tool_axis": np.ones((2, 3))}, "tool_axis"),
    ):
        with pytest.raises(hk.ArgumentError, match=words):
            hk.access.reach(ARM, None, target, **options)
    with pytest.raises(hk.NotFoundError):
        hk.access.reach(figure_of(ARM), hk.Scene(), target, holds="table")


def _between(lower: float, upper: float) -> tuple[hk.Figure, hk.Scene]:
    """An arm of two links, and posts to both sides of its first, which it cannot turn past."""
    arm = hk.chain([0.5, 0.5])
    arm = arm.with_limits({name: (lower, upper) for name in arm.joint_names if "tip" not in name})
    parts = [hk.Capsule(f"link_{k}", [0, 0, 0], [0.5, 0, 0], 0.02) for k in (1, 2)]
    scene = hk.Scene()
    for name, y in (("up", 0.25), ("down", -0.25)):
        scene = scene.add(name, hk.scene.Box([0.02, 0.1, 0.2]), [0, y, 0])
    return hk.Figure(arm, parts), scene


def test_a_posture_without_a_path_is_told_as_one() -> None:
    who, scene = _between(-3.1, 3.1)
    assert hk.access.reach(who, scene, [-0.8, 0.1, 0]).verdict == "yes"
    found = hk.access.reach(who, scene, [-0.8, 0.1, 0], path=True)
    assert found.verdict == "undecided"
    assert set(found.blocked) == {"no path: impossible"}
    assert found.why.startswith(
        "a free posture reaches the target, but no path from the rest leads"
    )
    assert found.tell("fr").startswith("une posture libre atteint la cible, mais aucun trajet")
    assert "no_path" not in found.why


def test_changes_ask_for_a_path_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each may take seconds: three were looked for with all searches for every change."""
    from types import SimpleNamespace

    from handik.scene.access import _judge

    class Ended(SimpleNamespace):
        def __bool__(self) -> bool:
            return False

    asked: list[int] = []

    def none(*_: object, paths: int, **__: object) -> Ended:
        asked.append(paths)
        return Ended(outcome="no_path_in_time")

    monkeypatch.setattr(_judge, "path_to", none)
    who, scene = _between(-3.1, 3.1)
    found = hk.access.reach(who, scene, [-0.8, 0.1, 0], path=True)
    assert found.verdict == "undecided"
    assert asked == [8, *[2] * (len(asked) - 1)]  # the first has all searches, others a quarter
    assert 0 < len(asked) <= _judge.PATHS
    asked.clear()
    assert "no path from the rest was found" in found.why
    far = hk.access.reach(who, scene, [-1.2, 0, 0], path=True)
    assert asked == [2] * len(asked)
    assert far.why.startswith("tip stays short by 200 to 201 mm")
    assert "it would do" not in far.why
    assert 0 < len(asked) <= 4  # one a change, of which none would do
    assert asked == [2] * len(asked)


def test_paths_are_looked_for_as_long_as_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second goes by with each path that is looked for; what is left is the next one's limit."""
    from types import SimpleNamespace

    from handik.scene.access import _judge

    class Ended(SimpleNamespace):
        def __bool__(self) -> bool:
            return False

    limits: list[float | None] = []
    now = iter(range(1000))

    def none(*_: object, time_limit: float | None, shorter: bool, **__: object) -> Ended:
        assert not shorter  # the first path will do
        limits.append(time_limit)
        return Ended(outcome="no_path_in_time")

    monkeypatch.setattr(_judge, "path_to", none)
    monkeypatch.setattr(_judge, "monotonic", lambda: float(next(now)))
    monkeypatch.setattr(_judge, "ALIKE", 0.0)
    who, scene = _between(-3.1, 3.1)
    asked: dict[str, Any] = {"path": True, "tries": 64, "within": INF}
    for limit, left in (
        (None, [None] * 3),
        (1.5, [1.5, 0.5]),
        (1.0, [1.0]),
        (9.0, [9.0, 8.0, 7.0]),
    ):
        limits.clear()
        found = hk.access.reach(who, scene, [-0.8, 0.1, 0], time_limit=limit, **asked)
        assert found.verdict == "undecided"
        assert limits == left
        assert set(found.blocked) == {"no path: no_path_in_time"}
    limits.clear()
    hk.access.reach(who, scene, [-0.8, 0.1, 0], time_limit=8.0, **asked).changes  # noqa: B018
    assert limits[:3] == [8.0, 7.0, 6.0]
    assert set(limits[3:]) <= {2.0, 1.0}  # a change has a quarter
    for wrong in (0.0, -1.0, float("nan"), INF):
        with pytest.raises(hk.ArgumentError, match="time_limit must be above 0"):
            hk.access.reach(who, scene, [-0.8, 0.1, 0], time_limit=wrong, path=True)


def test_both_hands_are_within_the_tolerance_and_no_farther() -> None:
    """The posture is looked at by itself: the other hand may be as far off as the first."""
    from handik.scene.access._judge import Blocked
    from handik.scene.access._options import NONE

    arm = hk.chain([0.5, 0.4])
    q = np.array([0.3, 0.4])
    tip, elbow = (arm.fk(q, frame=name)[:3, 3] for name in (arm.tip, arm.frame_names[1]))
    for off, why in ((0.9999, None), (1.0001, True)):
        aside = np.array([0, 0, off * 1e-3])
        for target, other in ((tip, elbow + aside), (tip + aside, elbow)):
            also = ((arm.frame_names[1], other),)
            options = replace(NONE, also=also)
            asked = Asked(arm, None, None, arm.rest, 1e-3, 4, 10, 0, options)
            lacks = Blocked(asked).lacks(q, arm, arm.tip, target)
            assert (lacks is None) == (why is None), (off, lacks)
