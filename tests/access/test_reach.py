"""Verdicts of reach against closed forms, samples and an optimiser of others."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import handik as hk
from handik import _core
from handik.scene.access import _witness
from handik.scene.access._verdict import Asked
from handik.scene.access._witness import _starts
from handik.scene.check import as_figure

LONG, SHORT = 0.5, 0.4


@given(st.floats(0, 1.5), st.floats(-np.pi, np.pi))
def test_two_links_reach_the_ring_between_their_difference_and_their_sum(
    r: float, a: float
) -> None:
    arm = hk.chain([LONG, SHORT])
    found = hk.access.reach(arm, None, [r * np.cos(a), r * np.sin(a), 0])
    gap = max(r - LONG - SHORT, LONG - SHORT - r, 0)
    if gap < 0.99e-3:
        assert found.verdict == "yes"
        assert np.linalg.norm(arm.fk(found.q)[:3, 3] - found.target) <= 1e-3
    elif gap > 1.01e-3:
        assert found.verdict == "no"
        assert found.short[0] <= gap + 1e-9 <= found.short[1] + 2e-9
        assert found.short[1] - found.short[0] < 2.5e-3


def test_only_a_chain_with_balls_is_told_of_their_cones() -> None:
    far = hk.access.reach(hk.chain([0.4, 0.3]), None, [0.95, 0, 0])
    assert "the chain is too short" in far.why
    assert "cone" not in far.why
    far = hk.access.reach(hk.chain([0.4, 0.3], "ball"), None, [0.95, 0, 0])
    assert "the chain is too short, or a ball's cone ends" in far.why


@pytest.mark.parametrize("joint", ["ball", "revolute"])
def test_lengths_alone_prove_what_they_can(joint: str) -> None:
    """A chain is a ring: too far, too near and both edges, without a cell searched."""
    arm = hk.chain([0.5, 0.2], joint)
    for distance, short in ((0.9, 0.2), (0.705, 0.005), (0.25, 0.05), (0.295, 0.005)):
        found = hk.access.reach(arm, None, [distance, 0, 0])
        assert found.verdict == "no"
        assert found.cells == 0
        assert found.short[0] == pytest.approx(short, abs=1e-8)
        assert found.short[0] < short < found.short[1] + 1e-6
    for distance in (0.6999, 0.3001, 0.5):
        assert hk.access.reach(arm, None, [distance, 0, 0]).verdict == "yes"


def test_three_links_with_limits_against_the_closed_form() -> None:
    """The first two hinges held to an angle, the third turns: a circle about the second's end."""
    arm = hk.chain([0.3, 0.3, 0.2]).with_limits(
        {"joint_1": (-1e-9, 1e-9), "joint_2": (0.5, 0.5 + 1e-9), "joint_3": (-0.4, 0.4)}
    )
    end = np.array([0.3 + 0.3 * np.cos(0.5), 0.3 * np.sin(0.5), 0])
    for angle, radius in ((0.5, 0.25), (1.2, 0.2), (-0.4, 0.21), (0.5, 0.1), (0.2, 0.2)):
        target = end + radius * np.array([np.cos(angle), np.sin(angle), 0])
        nearest = 0.5 + np.clip(angle - 0.5, -0.4, 0.4)
        gap = np.linalg.norm(target - end - 0.2 * np.array([np.cos(nearest), np.sin(nearest), 0]))
        found = hk.access.reach(arm, None, target)
        assert found.verdict == ("no" if gap > 1e-3 else "yes")
        assert found.short[0] <= gap + 1e-7
        for within in (2e-3, 2e-4):
            near = hk.access.reach(arm, None, target, within=within)
            assert found.verdict == "yes" or near.short[1] - near.short[0] < 1.01 * within


def arm10() -> hk.Model:
    """Torso of three hinges, shoulder with a cone, elbow, forearm and wrist."""

    def at(x: float = 0, y: float = 0, z: float = 0) -> np.ndarray:
        out = np.eye(4)
        out[:3, 3] = x, y, z
        return out

    def turn(name: str, parent: str, child: str, axis: tuple, low: float, high: float, place=None):
        return hk.JointSpec(
            name,
            "revolute",
            parent,
            child,
            placement=at() if place is None else place,
            axis=axis,
            lower=hk.deg(low),
            upper=hk.deg(high),
        )

    cone = hk.Cone(hk.deg([110, 85, 60, 60]), twist=tuple(hk.deg([-60, 90])))
    joints = [
        turn("flexion", "world", "a", (0, 1, 0), -10, 40),
        turn("lean", "a", "b", (1, 0, 0), -20, 20),
        turn("rotation", "b", "trunk", (0, 0, 1), -35, 35),
        hk.JointSpec(
            "shoulder",
            "ball",
            "trunk",
            "upper",
            placement=at(0, -0.2, 0.45),
            axis=(1, 0, 0),
            axis2=(0, 0, 1),
            cone=cone,
        ),
        turn("elbow", "upper", "fore", (0, -1, 0), 0, 145, at(0.32)),
        turn("pronation", "fore", "turned", (1, 0, 0), -80, 80),
        turn("flex", "turned", "carpus", (0, 1, 0), -70, 75, at(0.27)),
        turn("deviate", "carpus", "hand", (0, 0, 1), -20, 30),
        hk.JointSpec("tip", "fixed", "hand", "tip", placement=at(0.1)),
    ]
    names = ["world", *(joint.child for joint in joints)]
    return hk.Model(hk.ModelSpec("arm10", [hk.LinkSpec(name) for name in names], joints))


FIGURES = {
    "arm10": (arm10, "tip"),
    "person": (lambda: hk.human(sex="female", stature=1.62).model, "grip_right"),
    "narrowed": (
        lambda: hk.human(sex="male", stature=1.8, profile="rheumatoid_arthritis").model,
        "grip_left",
    ),
}


@pytest.fixture(
    params=[
        "arm10",
        pytest.param("person", marks=pytest.mark.slow),
        pytest.param("narrowed", marks=pytest.mark.slow),
    ],
)
def figure(request: pytest.FixtureRequest) -> tuple[hk.Model, str]:
    make, frame = FIGURES[request.param]
    return make(), frame


def outside(model: hk.Model, frame: str, n: int, seed: int) -> tuple[np.ndarray, ...]:
    """Targets out of reach, the nearest postures of many starts, their tips and distances."""
    rng = np.random.default_rng(seed)
    middle = np.median(model.fk(model.sample(500, seed=1), frame=frame)[:, :3, 3], axis=0)
    way = rng.normal(size=(n, 3))
    target = middle + way / np.linalg.norm(way, axis=1, keepdims=True) * rng.uniform(
        0.9, 1.5, (n, 1)
    )
    best = None
    for turn in range(4):
        found = model.solve(position=target, frame=frame, seed=turn, retries=2)
        tip = model.fk(found.q, frame=frame)[:, :3, 3]
        gap = np.linalg.norm(tip - target, axis=1)
        if best is None:
            best = [found.q.copy(), tip, gap]
        better = gap < best[2]
        for kept, new in zip(best, (found.q, tip, gap), strict=True):
            kept[better] = new[better]
    assert best is not None
    q, tip, gap = best
    far = gap > 0.03
    assert far.sum() > n // 4
    return target[far], q[far], tip[far], gap[far]


def test_no_more_than_the_truth_is_proved(figure: tuple[hk.Model, str]) -> None:
    """Asked for 0.2 mm and 5 mm more than some posture shows, nothing is proved."""
    model, frame = figure
    target, q, tip, gap = outside(model, frame, 12, 3)
    normal = (target - tip) / gap[:, None]
    chain = _core._reach_chain(model, frame, False)
    for near in (0.01, 0.05, None):
        at = target if near is None else tip + near * normal
        truth = gap if near is None else np.full(len(gap), near)
        for more in (2e-4, 5e-3):
            outcome, cells, _, _ = _core._reach_prove(chain, at, normal, truth + more, q, 3000, 2)
            assert (outcome != 0).all()
            assert (cells <= 3000).all()


def test_no_sample_contradicts_a_no(figure: tuple[hk.Model, str]) -> None:
    model, frame = figure
    target = outside(model, frame, 12, 4)[0]
    found = hk.access.reach(model, None, target, frame=frame, budget=5000)
    assert not (found.verdict == "yes").any()
    if frame == "tip":
        assert (found.verdict == "no").mean() > 0.5
    tips = model.fk(model.sample(20000, seed=5), frame=frame)[:, :3, 3]
    nearest = np.linalg.norm(tips[:, None] - target, axis=2).min(0)
    assert (found.short[:, 0] <= nearest).all()


def test_no_optimiser_comes_nearer() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    model, frame = arm10().locked({"shoulder": [1, 0, 0, 0]}), "tip"
    rng = np.random.default_rng(6)
    target = rng.uniform([-0.5, -1.2, -0.5], [1.4, 1.0, 1.4], (8, 3))
    found = hk.access.reach(model, None, target, budget=20000)
    box = np.stack([model.lower, model.upper], 1)
    for one in found:

        def gap(q: np.ndarray, to: np.ndarray = one.target) -> float:
            return float(np.sum((model.fk(model.clip(q), frame=frame)[:3, 3] - to) ** 2))

        starts = model.sample(3, seed=7)
        least = min(optimize.minimize(gap, q, bounds=box, method="L-BFGS-B").fun for q in starts)
        assert one.short[0] <= np.sqrt(least) + 1e-9
        if one.verdict == "no":
            assert np.sqrt(least) > 1e-3


def test_one_target_alone_has_the_verdict_and_the_posture_that_it_has_among_many() -> None:
    anna = hk.human(sex="female", stature=1.62)
    tips = anna.model.fk(anna.model.sample(40, seed=5), frame="grip_right")[:, :3, 3]
    many = tips * np.linspace(0.8, 1.8, 40)[:, None]  # some are out of reach
    found = hk.access.reach(anna, None, many, within=np.inf, budget=500)
    assert 5 < np.count_nonzero(found.verdict == "yes") < 38
    for target, verdict, q, short in zip(many, found.verdict, found.q, found.short, strict=True):
        one = hk.access.reach(anna, None, target, within=np.inf, budget=500)
        assert one.verdict == verdict
        assert one.q.tobytes() == q.tobytes()
        assert one.short == tuple(short)


def test_many_targets_are_an_array_of_verdicts() -> None:
    arm = hk.chain([LONG, SHORT])
    targets = np.array([[[0.6, 0.3, 0], [0.8, 0.6, 0]], [[0.9, 0, 0], [0.02, 0, 0]]])
    found = hk.access.reach(arm, None, targets)
    assert found.verdict.tolist() == [["yes", "no"], ["yes", "no"]]
    assert found.q.shape == (2, 2, 2)
    assert found.short.shape == (2, 2, 2)
    assert len(found) == 2
    for index in np.ndindex(2, 2):
        alone = hk.access.reach(arm, None, targets[index])
        assert alone.verdict == found[index].verdict
        assert alone.short == found[index].short
    assert "mm nearer" in found.why[0, 1]
    again = hk.access.reach(arm, None, targets, threads=2)
    assert again.short.tobytes() == found.short.tobytes()


def test_verdicts_are_made_when_one_is_asked_for_and_kept() -> None:
    arm = hk.chain([LONG, SHORT])
    found = hk.access.reach(arm, None, [[0.6, 0.3, 0], [0.8, 0.6, 0]])
    q, short = found.q.copy(), found.short.copy()
    found.q[...], found.short[...] = 0, 0  # the caller's own
    assert [one.verdict for one in found] == ["yes", "no"]
    assert found[0].q.tobytes() == q[0].tobytes()
    assert found[1].short == tuple(short[1].tolist())
    assert found[1] is found[-1]
    none = hk.access.reach(arm, None, np.zeros((0, 3)))
    assert (len(none), list(none), none.q.shape) == (0, [], (0, 2))


@pytest.mark.slow
def test_either_hand_is_the_better_one() -> None:
    anna = hk.human(sex="female", stature=1.62)
    left = [0.1, 0.9, 0.9]
    assert hk.access.reach(anna, None, left, hand="left").verdict == "yes"
    either = hk.access.reach(anna, None, left, hand="either", budget=2000)
    assert either.verdict == "yes"
    assert either.frame == "grip_left"
    both = hk.access.reach(anna, None, [0.3, 0, 2.6], hand="either", within=np.inf)
    assert both.verdict == "no"


def test_a_change_that_is_named_does() -> None:
    anna = hk.human(sex="female", stature=1.62)
    far = hk.access.reach(anna, None, [0.95, -0.2, 1.0], budget=5000)
    assert far.verdict != "yes"
    kinds = {change.kind: change for change in far.changes}
    assert "nearer" in kinds
    for change in far.changes:
        assert str(change) in far.why
        if change.kind == "limit":
            k = anna.model.joint_q_slices[change.joint].start
            upper = abs(far.q[k] - anna.model.upper[k]) < 1e-2
            low, high = anna.model.lower[k], anna.model.upper[k]
            pair = (low, high + change.amount) if upper else (low - change.amount, high)
            wider = anna.model.with_limits({change.joint: pair})
            assert hk.access.reach(wider, None, far.target, frame="grip_right").verdict == "yes"


def test_what_is_printed_of_a_change_does() -> None:
    """A length or an angle that was rounded down would leave the target out of reach."""
    arm = hk.chain([0.5, 0.4]).with_limits({"joint_1": (-0.5, 0.5), "joint_2": (-1.0, 1.0)})
    kinds = set()
    for k in range(12):
        angle, radius = 0.3 + 0.1 * k, 0.87 + 0.0137 * k * (k % 2)
        target = radius * np.array([np.cos(angle), np.sin(angle), 0])
        found = hk.access.reach(arm, None, target)
        tip = arm.fk(found.q)[:3, 3]
        for change in found.changes:
            kinds.add(change.kind)
            printed = float(re.search(r"\d+(\.\d+)?", change.tell())[0])
            if change.kind == "limit":
                k_q = arm.joint_q_slices[change.joint].start
                low, high = arm.lower[k_q], arm.upper[k_q]
                more = np.radians(printed)
                pair = (low, high + more) if found.q[k_q] > 0 else (low - more, high)
                wider = arm.with_limits({change.joint: pair})
                assert hk.access.reach(wider, None, target).verdict == "yes"
            else:
                way = (tip - target) / np.linalg.norm(tip - target)
                assert hk.access.reach(arm, None, target + 1e-3 * printed * way).verdict == "yes"
    assert kinds == {"nearer", "limit"}


def test_obstacles_are_named_and_a_free_witness_is_found() -> None:
    arm = hk.chain([LONG, SHORT])
    bones = [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)]
    figure = hk.Figure(arm, bones, pairs=[])
    here = [1.0, 0, 0, 0]
    one = hk.Scene().add("post", hk.scene.Sphere(0.05), pose=([0.42, 0.02, 0], here))
    target = [0.7, 0.3, 0]
    found = hk.access.reach(figure, one, target)
    assert found.verdict == "yes"
    assert one.free(figure, found.q)
    box = one.add("beam", hk.scene.Box((0.2, 0.6, 0.1)), pose=([0.3, 0.2, 0], here))
    shut = hk.access.reach(figure, box, target)
    assert shut.verdict == "undecided"
    assert shut.tries > 1
    assert any(name.startswith("beam with") for name in shut.blocked)
    assert sum(shut.blocked.values()) == shut.tries
    assert "beam with link_1" in shut.why
    assert hk.access.reach(figure, box, [0.8, 0.6, 0]).verdict == "no"


TABLE = (
    hk.Scene()
    .add("table", hk.scene.Box((0.6, 1.4, 0.03)), [0.65, 0, 0.72])
    .add("wall", hk.scene.Box((0.1, 3, 2.4)), [1.2, 0, 1.2])
    .add("floor", hk.scene.Plane())
)


@pytest.mark.parametrize(
    "who",
    [
        {"sex": "female", "percentile": 5},
        {"sex": "male", "percentile": 95, "position": "standing"},
        {"sex": "male", "weight": 115.0},
        {"sex": "female", "detail": ("spine", "full")},
    ],
    ids=["small", "standing", "heavy", "whole"],
)
def test_what_is_in_reach_is_a_goal_for_a_path(who: dict[str, Any]) -> None:
    """Verdict and planner compare the same capsules: no yes is refused as a goal in contact."""
    person, scene = hk.human(**who), TABLE
    rng = np.random.default_rng(5)
    middle = [0.3, -0.1, 1.35 if person.position == "standing" else 1.0]
    places = middle + rng.uniform(-0.4, 0.4, (16, 3))
    near = hk.access.reach(person, None, places, within=np.inf, budget=1000).verdict == "yes"
    found = hk.access.reach(person, scene, places[near], within=np.inf, budget=1000)
    yes = found.q[found.verdict == "yes"]
    assert len(yes) >= 0.8 * near.sum() >= 8
    assert scene.free(person, yes).all()
    for q in yes[:6]:
        path = hk.plan.path(scene, person, person.rest, goal=q, planner="line")
        assert path.outcome in ("found", "blocked"), path.reason  # blocked: on the way


def test_an_idle_arm_is_compared_too() -> None:
    """Who leans to reach carries the other arm along, and it does not pass through the thigh."""
    anna = hk.human(sex="female", stature=1.62)
    figure = as_figure(anna)
    name = {k: figure.names[k].removesuffix("_left") for k in range(len(figure.names))}
    idle = [k for k in name if figure.names[k].endswith("_left")]
    thighs = {(a, b) for a, b in figure.pairs if {"forearm_upper", "hip"} <= {name[a], name[b]}
              and a in idle and b in idle}  # fmt: skip
    assert thighs
    bent = anna._hanging.copy()
    bent[anna.model.joint_q_slices["trunk_bend"]] = -0.6  # to the left, arms straight down
    near = hk.Scene().distance(figure, bent, details=True)
    assert near.distance < -0.02
    assert {str(near.part), str(near.other)} <= {figure.names[k] for k in idle} | {"seat", "pelvis"}
    low = [0.2, 0.45, 0.55]
    found = hk.access.reach(anna, hk.Scene(), low, hand="right", within=np.inf)
    assert found.verdict == "yes"
    assert hk.Scene().free(figure, found.q)


def test_a_target_deep_in_an_obstacle_is_a_no() -> None:
    """A box about the target, a capsule about the tip: both sides of 50 mm, and of contact at all."""
    arm = hk.chain([LONG, SHORT])
    tip = arm.frame_names[-1]
    hand = [hk.Capsule(tip, (-0.05, 0, 0), (0.01, 0, 0), 0.02)]
    figure = hk.Figure(arm, hand, pairs=[])
    target = np.array([0.7, 0.3, 0])
    for depth, verdict in (
        (0.052, "no"),
        (0.0505, "no"),
        (0.3, "no"),
        (-0.0185, "no"),
        (-0.0195, "undecided"),
    ):
        middle = target - [0, 0, 0.5 - depth]  # the box's top is so far above the target
        one = hk.Scene().add("block", hk.scene.Box((1, 1, 1)), pose=(middle, [1.0, 0, 0, 0]))
        found = hk.access.reach(figure, one, target)
        assert found.verdict == verdict
        if verdict == "no":
            deep = depth > 0.051
            assert found.short[0] == pytest.approx(depth - 1e-3 if deep else 1e-3)
            said = f"{1e3 * depth:.0f} mm deep in block" if deep else "it touches block"
            assert said in found.why
            assert ("even if everything gave way" in found.why) == (depth > 0)
            assert found.gives == (0.05 if depth > 0 else 0.0)
            with pytest.raises(hk.UnsupportedError, match="obstacle"):
                _ = found.certificate
        assert not one.free(figure, arm.solve(position=target).q)
    # a part 20 mm from the tip: of one that points up the nearer end is 40 mm above, 20 mm thick
    for depth, verdict in ((0.072, "no"), (0.0705, "no"), (0.0215, "no"), (0.0205, "undecided")):
        beside = hk.Figure(arm, [hk.Capsule(tip, (-0.05, 0, 0), (-0.04, 0, 0), 0.02)], pairs=[])
        middle = target - [0, 0, 0.5 - depth]
        one = hk.Scene().add("block", hk.scene.Box((1, 1, 1)), pose=(middle, [1.0, 0, 0, 0]))
        found = hk.access.reach(beside, one, target, within=np.inf)
        assert found.verdict == verdict
        if verdict == "no":
            assert found.short[0] == pytest.approx(depth - 0.021 if depth > 0.071 else 1e-3)
    bare = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.1, 0, 0), 0.02)], pairs=[])
    assert hk.access.reach(bare, one, target).verdict == "yes"  # no part moves with the tip


def test_a_depth_is_proved_by_the_shape_itself_not_by_what_is_measured_around_it() -> None:
    """A mesh is measured by a bound that no distance is below, a cylinder by a prism around it."""
    arm = hk.chain([LONG, SHORT])
    tip, target = arm.frame_names[-1], np.array([0.7, 0.3, 0])
    figure = hk.Figure(arm, [hk.Capsule(tip, (-0.05, 0, 0), (0.01, 0, 0), 0.02)], pairs=[])
    corner = np.array([[x, y, z] for x in (-6, 6) for y in (-6, 6) for z in (-1.0, 0)])
    side = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    faces = [[f[0], f[k], f[k + 1]] for f in side for k in (1, 2)]
    slab = hk.scene.Mesh(vertices=corner, faces=faces)
    for above in (0.03, 0.3):
        one = hk.Scene().add("slab", slab, pose=(target + [0, 0, above], [1.0, 0, 0, 0]))
        assert hk.access.reach(figure, one, target, within=np.inf).verdict == "undecided"
    for depth, verdict in ((-0.0195, "undecided"), (-0.0185, "no")):  # 10 m stand out by 48 mm
        middle = target - [10 - depth, 0, 0]
        one = hk.Scene().add(
            "tank", hk.scene.Cylinder(radius=10, length=1), pose=(middle, [1.0, 0, 0, 0])
        )
        found = hk.access.reach(figure, one, target, within=np.inf)
        assert found.verdict == verdict
        assert found.short[0] <= 1e-3


def test_a_yes_reaches_also_where_the_free_posture_that_a_solver_finds_does_not() -> None:
    """A hand in a box of 30 cm: what the solver keeps clear of it ends 19 cm away."""
    place = np.eye(4)
    place[0, 3] = 1e3
    anna = hk.human(sex="female", stature=1.62).with_base(place)
    target = np.array([1000.45, -0.2, 1.0])
    block = hk.Scene().add("block", hk.scene.Box((0.3, 0.3, 0.3)), pose=(target, [1.0, 0, 0, 0]))
    found = hk.access.reach(anna, block, target, within=np.inf, tries=4)
    assert found.verdict != "yes"
    assert found.q.shape == (anna.model.nq,)


def test_a_hand_is_laid_along_a_wall_that_all_tries_met(monkeypatch) -> None:
    """The kitchen's switch, 20 mm before a wall, from beside it: free by no try, so it is turned."""
    person = hk.human(sex="male", stature=1.895)
    kitchen = hk.scene.gallery("kitchen")
    place = np.eye(4)
    place[:2, :2], place[:2, 3] = [[0, -1], [1, 0]], [-0.992, -1.5]
    asked: dict[str, Any] = {"within": np.inf, "hand": "right", "touch": False}
    there = person.with_base(place)
    few = hk.access.reach(there, kitchen, "switch/press", tries=15, **asked)
    some = hk.access.reach(there, kitchen, "switch/press", tries=16, **asked)
    assert (few.verdict, some.verdict) == ("undecided", "yes")
    assert sum(some.blocked.values()) > 16
    assert kitchen.remove("switch").free(as_figure(there), some.q)
    assert 0 < some.overlap < 0.05  # of the switch, which the hand closes about
    # One try is free of all but the switch; the turned hand is in the wall by 14 mm.
    for name, most in (("NEAR", -0.001), ("AFTER", 0.01), ("STEPS", 1)):
        with monkeypatch.context() as less:
            less.setattr(_witness, name, most)
            deep = hk.access.reach(there, kitchen, "switch/press", tries=16, **asked)
        assert deep.verdict == "undecided", name


def test_directions_that_a_hand_cannot_be_turned_to_take_few_steps(monkeypatch) -> None:
    took: list[int] = []

    class Counted:
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.own = hk.Solver(*args, **kwargs)

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            found = self.own(*args, **kwargs)
            took.extend(np.atleast_1d(found.iterations).tolist())
            return found

    person = hk.human(sex="female", stature=1.62)
    asked = Asked(person.model, None, None, person.rest, 1e-3, 16, 10, 0)
    monkeypatch.setattr(_witness, "Solver", Counted)
    high = np.array([0.2, -0.2, person.measure("stature") + 0.2])
    list(_witness._turned(asked, person.model, "grip_right", high, person.rest))
    assert len(took) == 12
    assert max(took) == 2 * 121  # of both parts of `auto`; thousands, if they go on


def test_starts_keep_the_quaternion_of_a_ball_that_only_a_follower_brings_to_the_frame() -> None:
    here, rows = np.eye(4), list(np.linspace(-0.02, 0.02, 20))
    joints = [
        hk.JointSpec("ball", "ball", "base", "arm", here, (1, 0, 0), (0, 0, 1), cone=hk.Cone(1.0)),
        hk.JointSpec(
            "slide", "prismatic", "base", "tip", here, mimic=hk.SwingMimicSpec("ball", rows)
        ),
    ]
    links = [hk.LinkSpec(name) for name in ("base", "arm", "tip")]
    model = hk.Model(hk.ModelSpec("follower", links, joints))
    figure = hk.Figure(model, [hk.Capsule("tip", (0, 0, 0), (0, 0, 0), 0.01)], pairs=[])
    block = hk.Scene().add("block", hk.scene.Box((4, 4, 4)), pose=([2.005, 0, 0], [1.0, 0, 0, 0]))
    asked = Asked(model, block, figure, model.rest, 1e-3, 4, 10, 0)
    for q in _starts(asked, model, "tip", 32):
        assert np.linalg.norm(q) == pytest.approx(1)


def test_a_trunk_is_cut_on_where_a_plane_will_do_and_its_arm_is_searched_where_not() -> None:
    """Boxes are counted, the same on every machine: each of the searches' sizes shows in them.

    5,671 of them; 7,374 and more with an arm's search in every box, sooner, or after one halving,
    and two targets are not proved where it never is searched.
    """
    model, rng = arm10(), np.random.default_rng(3)
    way = rng.normal(size=(24, 3))
    out = np.array([0, -0.2, 0.45]) + 1.8 * way / np.linalg.norm(way, axis=1, keepdims=True)
    q = model.solve(position=out, frame="tip", retries=2).q
    tip = model.fk(q, frame="tip")[:, :3, 3]
    normal = (out - tip) / np.linalg.norm(out - tip, axis=1, keepdims=True)
    chain, far = _core._reach_chain(model, "tip", False), np.full(24, 1e-3)
    outcome, cells, _, _ = _core._reach_prove(chain, tip + 0.01 * normal, normal, far, q, 10**5, 1)
    assert np.all(outcome == 0)
    assert cells.sum() < 6500


def test_a_search_of_the_arm_that_did_not_do_is_given_300_boxes_and_no_more() -> None:
    """They are counted, the same on every machine: 668 with 100 each, 20,000 with 1,000."""
    model, target = arm10(), np.array([[0.73375, 0.458419, 0.695195]])
    way = np.array([[0.543848, 0.662686, 0.514856]])
    way /= np.linalg.norm(way)
    chain, far = _core._reach_chain(model, "tip", False), np.array([1e-3])
    _, cells, _, _ = _core._reach_prove(chain, target, way, far, model.rest[None], 20_000, 1)
    assert cells.tolist() == [1668]


def test_what_is_no_question() -> None:
    arm = hk.chain([LONG, SHORT])
    joints = [hk.JointSpec(name, "revolute", "world", name) for name in ("a", "b")]
    fork = hk.Model(
        hk.ModelSpec("fork", [hk.LinkSpec(name) for name in ("world", "a", "b")], joints)
    )
    with pytest.raises(hk.ArgumentError, match="several tips"):
        hk.access.reach(fork, None, [0, 0, 0])
    with pytest.raises(hk.NotFoundError):
        hk.access.reach(arm, None, [0, 0, 0], frame="nose")
    with pytest.raises(hk.ArgumentError, match="tolerance"):
        hk.access.reach(arm, None, [0, 0, 0], tolerance=0)
    with pytest.raises(hk.ArgumentError, match="within"):
        hk.access.reach(arm, None, [0, 0, 0], within=0)
    with pytest.raises(hk.ArgumentError, match="target must be within"):
        hk.access.reach(arm, None, [1e5, 0, 0])
    with pytest.raises(hk.ArgumentError, match="hand"):
        hk.access.reach(arm, None, [0, 0, 0], hand="third")
    with pytest.raises(TypeError):
        hk.access.reach(arm, "scene", [0, 0, 0])


def test_a_verdict_keeps_its_target_when_the_array_of_the_caller_changes() -> None:
    for target in (np.array([0.8, 0.6, 0.0]), np.array([[0.8, 0.6, 0.0]])):
        verdict = hk.access.reach(hk.chain([0.5, 0.4]), None, target)
        target[...] = 0.3
        one = verdict if target.ndim == 1 else verdict[0]
        np.testing.assert_array_equal(one.target, [0.8, 0.6, 0.0])
