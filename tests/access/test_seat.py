"""A person in a wheelchair: how high, what stands beside the body, and what that changes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import handik as hk
from handik.people._seat_heights import mean_seat_height
from handik.scene.access import _seat
from handik.scene.access._seat import idle_arms_off, toes_of
from handik.scene.check import as_figure

ANNA = hk.human(sex="female", stature=1.62)
REAR = hk.access.chair("rear")
INSIDE = hk.access.seat(ANNA, REAR)
INF = float("inf")
NOTHING = hk.Scene()


def parts(person: hk.Human) -> dict[str, list[tuple[np.ndarray, np.ndarray, float]]]:
    """What stands about a person, in the world."""
    figure = as_figure(person)
    out: dict[str, list] = {}
    for k in range(*figure._around):
        capsule = figure.capsules[k]
        pose = person.model.fk(person.rest, frame=capsule.frame)
        ends = [pose[:3, :3] @ np.array(e) + pose[:3, 3] for e in (capsule.start, capsule.end)]
        out.setdefault(figure.names[k], []).append((*ends, capsule.radius))
    return out


@pytest.mark.parametrize("sex", ["female", "male"])
@pytest.mark.parametrize("percentile", [5, 95])
@pytest.mark.parametrize("kind", ["manual", "mid", "scooter"])
def test_who_sits_is_free_of_the_chair_and_as_high_as_its_seat(
    sex: str, percentile: float, kind: str
) -> None:
    person = hk.human(sex=sex, percentile=(percentile, percentile))
    inside = hk.access.seat(person, hk.access.chair(kind))
    assert NOTHING.free(inside, inside.rest)
    high = mean_seat_height("manual" if kind == "manual" else "power", sex)
    lift = high - person.dimensions["popliteal_height"]
    for frame in ("eye", "shoulder_right", "knee_left"):
        rise = inside.model.fk(inside.rest, frame=frame) - person.model.fk(person.rest, frame=frame)
        assert rise[:3, 3] == pytest.approx([0, 0, lift], abs=1e-12)
    about = parts(inside)
    low = min(min(a[2], b[2]) - r for rows in about.values() for a, b, r in rows)
    assert 0 < low < 0.04  # nothing stands in the floor
    pads = [max(a[2], b[2]) + r for a, b, r in about["arm_rest_right"]]
    elbow = high + person.dimensions["elbow_rest_height"]
    assert elbow - 0.06 < max(pads) < elbow
    sole = min(r for a, b, r in about["foot_rest"])
    assert max(a[2] + r for a, b, r in about["foot_rest"]) < lift
    assert sole == _seat.THIN
    inner = min(abs(a[1]) - r for a, _, r in about["side_guard_left"])
    assert inner > person.dimensions["hip_breadth_sitting"] / 2
    assert ("column" in about) == (kind == "scooter") == ("wheel_right" not in about)
    assert ("joystick" in about) == (kind == "mid")


def test_a_seat_is_no_lower_than_the_fold_of_the_knee() -> None:
    low = hk.access.seat(ANNA, REAR, seat_height=0.3)
    assert low.model.fk(low.rest, frame="eye")[2, 3] == pytest.approx(
        ANNA.model.fk(ANNA.rest, frame="eye")[2, 3]
    )
    assert "foot_rest" not in parts(low)
    fold = ANNA.dimensions["popliteal_height"]
    edge = [hk.access.seat(ANNA, REAR, seat_height=fold + by) for by in (0.034, 0.036)]
    assert ["foot_rest" in parts(one) for one in edge] == [False, True]
    floor = NOTHING.add("floor", hk.scene.Plane())
    assert all(floor.free(one, one.rest) for one in edge)  # no foot rest stands in it


@pytest.mark.parametrize("percentile", [2, 30, 98])
def test_side_guards_leave_no_gap_below_the_pad(percentile: float) -> None:
    person = hk.human(sex="female", percentile=(percentile, 100 - percentile))
    inside = hk.access.seat(person, REAR)
    for side in ("right", "left"):
        about = parts(inside)
        rows = sorted(
            about[f"side_guard_{side}"] + about[f"arm_rest_{side}"], key=lambda p: p[0][2]
        )
        high = [a[2] for a, _, _ in rows]
        assert max(np.diff(high)) < 3 * _seat.THIN + 1e-9  # thinner than any palm between
        seat = person.dimensions["popliteal_height"] + inside._at_origin._lift
        assert high[0] == pytest.approx(seat + _seat.THIN)


@pytest.mark.parametrize(("stature", "weight"), [(1.45, 40), (1.63, 65), (1.63, 110), (1.95, 90)])
def test_a_scooters_handle_is_before_hands_and_belly(stature: float, weight: float) -> None:
    """What the body is in at rest it may overlap: hands would go through the handle."""
    person = hk.human(sex="male", stature=stature, weight=weight)
    inside = hk.access.seat(person, hk.access.chair("scooter"))
    figure = as_figure(inside)
    handle, kept = figure.names.index("handle"), figure.allowance
    assert max(kept.get((k, handle), 0.0) for k in range(figure._around[0])) <= 0.01


def test_the_place_is_kept_and_the_seat_goes_along() -> None:
    place = hk.transforms.from_rpy([0, 0, 1.0], [3, 1, 0.2])
    first = hk.access.seat(ANNA.with_base(place), REAR)
    second = INSIDE.with_base(place)
    again = hk.access.seat(second, REAR)
    frames = [one.model.frames(one.rest) for one in (first, second, again)]
    assert np.allclose(frames[0], frames[1], atol=1e-12)
    assert np.allclose(frames[0], frames[2], atol=1e-12)
    assert len(as_figure(again).capsules) == len(as_figure(first).capsules)
    assert toes_of(second) == pytest.approx(toes_of(ANNA))
    front = max(max(a[0], b[0]) + r for a, b, r in parts(INSIDE)["foot_rest"])
    assert front < toes_of(ANNA)


def test_the_body_is_the_same_in_the_chair() -> None:
    lift = INSIDE.model.fk(INSIDE.rest, frame="pelvis")[2, 3]
    lift -= ANNA.model.fk(ANNA.rest, frame="pelvis")[2, 3]
    for q in (ANNA.rest, INSIDE.rest):
        inside, outside = INSIDE.surface(q).vertices, ANNA.surface(q).vertices
        assert np.abs(inside - outside - [0, 0, lift]).max() < 1e-9
    for name in ("sitting_height", "overhead_fingertip_reach_sitting", "hip_breadth_sitting"):
        assert INSIDE.measure(name) == pytest.approx(ANNA.measure(name), abs=1e-9)


@pytest.mark.parametrize(("given", "there"), [(None, "right"), ("left", "left"), ("none", "")])
def test_a_joystick_is_on_its_side(given: str | None, there: str) -> None:
    found = parts(hk.access.seat(ANNA, REAR, joystick=given)).get("joystick", [])
    assert bool(found) == bool(there)
    assert all((a[1] > 0) == (there == "left") for a, _, _ in found)
    assert ("joystick" in parts(hk.access.seat(ANNA, hk.access.chair(), joystick=given))) == (
        given == "left"
    )


def test_no_hand_goes_through_an_arm_rest() -> None:
    a, b, _ = parts(INSIDE)["side_guard_right"][0]
    inside = (a + b) / 2
    assert hk.access.reach(INSIDE, None, inside, within=INF).verdict == "yes"  # lengths alone
    assert hk.access.reach(INSIDE, NOTHING, inside, within=INF, tries=8).verdict == "undecided"
    lower = inside - [0, 0, INSIDE.model.fk(INSIDE.rest, frame="eye")[2, 3]]
    lower[2] = inside[2] - 0.138  # the same place beside who sits without a chair
    assert hk.access.reach(ANNA, NOTHING, lower, within=INF).verdict == "yes"
    assert not NOTHING.free(INSIDE, ANNA.rest)  # hanging arms are in the arm rests
    assert NOTHING.free(ANNA, ANNA.rest)


def test_an_arm_rest_meets_a_table_that_knees_go_under() -> None:
    top = max(max(a[2], b[2]) + r for a, b, r in parts(INSIDE)["arm_rest_left"])
    for by, free in ((-0.012, False), (0.012, True)):
        at = [0.26, 0.275, top + by + 0.01]  # before the belly, over the front of the pad
        board = hk.Scene().add("board", hk.scene.Box([0.3, 0.15, 0.02]), at)
        aside = INSIDE.posture(elbow_flexion_right=2.3, elbow_flexion_left=2.3)
        assert bool(board.free(INSIDE, aside)) == free


def test_an_idle_arm_is_off_the_chair_and_the_hand_that_reaches_is_not() -> None:
    whole = as_figure(INSIDE)
    right = idle_arms_off(whole, ("grip_right",))
    assert idle_arms_off(whole, ("grip_right",)) is right
    assert idle_arms_off(whole, ("grip_right", "middle_tip_left")) is whole
    assert idle_arms_off(as_figure(ANNA), ("grip_right",)) is as_figure(ANNA)
    gone = set(whole.pairs) - set(right.pairs)
    assert gone
    for a, b in gone:
        assert "_left" in whole.names[min(a, b)]  # the arm's
        assert min(a, b) < whole._around[0] <= max(a, b)
        assert not any("_right" in whole.names[k] for k in (a, b) if k < whole._around[0])
    told = {one.pair: one.reason for one in right.left_out}
    assert all("idle" in told[pair] for pair in gone)
    back = pickle.loads(pickle.dumps(right))
    assert back.pairs == right.pairs


@pytest.mark.parametrize("kind", ["manual", "rear", "mid", "front", "scooter"])
def test_the_chair_is_drawn_as_it_is_compared(kind: str) -> None:
    """Rods as large as their capsules, wheels about theirs; what is drawn alone is named so."""
    inside = hk.access.seat(ANNA, hk.access.chair(kind))
    home = inside._at_origin
    rods: dict[str, list] = {}
    for name, capsule in home._fixed:
        rods.setdefault(name, []).append((*np.array([capsule.start, capsule.end]), capsule.radius))
    seen: dict[str, list] = {}
    for part in _seat.drawn(inside.with_base(np.eye(4))):
        seen.setdefault(part.name, []).append(part)
    alone = {"seat", "caster"} | ({"frame"} if kind != "manual" else set())
    assert set(seen) == set(rods) | alone
    for name, some in rods.items():
        if name.startswith("wheel"):
            (wheel,) = seen[name]
            back = np.linalg.inv(wheel.pose)
            for a, b, radius in some:  # flat, across, down to the floor
                for end in (a, b):
                    x, y, z = back[:3, :3] @ end + back[:3, 3]
                    assert np.hypot(x, y) + radius < wheel.shape.radius + 0.02
                    assert abs(z) < _seat.WHEEL_WIDE
            assert wheel.pose[2, 3] - wheel.shape.radius == pytest.approx(-home._lift)
            assert wheel.shape.radius == _seat.WHEEL[kind != "manual"]
            assert wheel.pose[0, 3] == pytest.approx(_seat.axle_of(ANNA, home._chair))
            continue
        assert len(some) == len(seen[name])
        for (a, b, radius), part in zip(some, seen[name], strict=True):
            half = 0.5 * getattr(part.shape, "length", 0.0)
            ends = [part.pose[:3, 3] + sign * half * part.pose[:3, 2] for sign in (-1, 1)]
            assert np.allclose(ends, [a, b], atol=1e-12)
            assert part.shape.radius == radius
            assert np.linalg.det(part.pose[:3, :3]) == pytest.approx(1)
    (cushion,) = seen["seat"]
    top = cushion.pose[2, 3] + cushion.shape.size[2] / 2
    assert top == pytest.approx(ANNA.dimensions["popliteal_height"])  # the thighs lie on it
    hips = ANNA.dimensions["hip_breadth_sitting"]
    assert hips + 0.02 < cushion.shape.size[1] < hips + 0.04
    assert cushion.shape.size[1] / 2 < min(abs(a[1]) - r for a, _, r in rods["side_guard_left"])
    for part in seen["caster"]:
        assert part.pose[2, 3] - part.shape.radius == pytest.approx(-home._lift)
    assert len(seen["caster"]) == (3 if kind == "scooter" else 2)
    if kind != "scooter":  # at the other end than the axle, not under the toes
        x, axle = seen["caster"][0].pose[0, 3], _seat.axle_of(ANNA, home._chair)
        assert (x > axle) == (kind != "front")
        assert x + _seat.CASTER < toes_of(ANNA)
    colors = {part.name: part.color for some in seen.values() for part in some}
    assert colors["arm_rest_left"] == colors["seat"] != colors["caster"]
    assert colors["foot_rest"] not in (colors["seat"], colors["caster"])
    assert _seat.drawn(ANNA) == ()


def test_the_seat_raises_what_is_in_reach() -> None:
    for z, verdict in ((1.6, "yes"), (1.7, "no")):
        assert hk.access.reach(INSIDE, NOTHING, [0.3, -0.25, z], within=INF).verdict == verdict
    assert hk.access.reach(ANNA, NOTHING, [0.3, -0.25, 1.6], within=INF).verdict == "no"
    low = hk.access.reach_map(ANNA, 0.9, step=0.2)
    raised = hk.access.reach_map(INSIDE, 0.9 + INSIDE._at_origin._lift, step=0.2)
    assert (low.reached == raised.reached).all()
    assert (low.beyond == raised.beyond).all()


def test_an_approach_is_in_the_chair() -> None:
    scene = hk.Scene().add("block", hk.scene.Box([1, 1, 0.6]), [0, 0, 0.3])
    target = np.array([-0.4, 0.1, 0.9])
    found = hk.access.reach(ANNA, scene, target, approach=REAR, within=INF)
    assert found.verdict == "yes"
    there = INSIDE.with_base(found.stop.base)
    frames = [one.model.frames(found.q) for one in (there, found.stop.person)]
    assert np.allclose(*frames, atol=1e-12)
    assert np.linalg.norm(there.model.fk(found.q, frame=found.frame)[:3, 3] - target) <= 1e-3
    assert scene.free(found.figure, found.q)
    same = hk.access.reach(INSIDE, scene, target, approach=REAR, within=INF)
    assert (same.q == found.q).all()
    other = hk.access.seat(ANNA, REAR, seat_height=0.7)
    high = hk.access.reach(other, scene, target, approach=REAR, within=INF)
    assert high.stop.person._at_origin._lift == other._at_origin._lift


def test_an_approach_is_not_in_another_chair() -> None:
    scene = hk.Scene().add("block", hk.scene.Box([1, 1, 0.6]), [0, 0, 0.3])
    with pytest.raises(hk.ArgumentError, match=r"approach= is .*manual.* another: .*rear"):
        hk.access.reach(INSIDE, scene, [-0.4, 0.1, 0.9], approach=hk.access.chair("manual"))
    moved = pickle.loads(pickle.dumps(INSIDE.with_base(np.eye(4))))
    longer = hk.access.chair("rear", length=1.4)
    with pytest.raises(hk.ArgumentError, match="another"):
        hk.access.reach(moved, scene, [-0.4, 0.1, 0.9], approach=longer)
    same = pickle.loads(pickle.dumps(INSIDE))
    found = hk.access.reach(same, scene, [-0.4, 0.1, 0.9], approach=REAR, within=INF)
    assert found.verdict == "yes"
    again = hk.access.seat(INSIDE, hk.access.chair("manual"))  # out of the one, into the other
    assert "joystick" not in parts(again)


def test_people_drawn_with_chairs_sit_in_them() -> None:
    people = hk.population(2, sex="female", seed=1, chair="power")
    options = {"position": "seated", "tries": 4}
    one = hk.access.share(people, NOTHING, {"high": [0.3, -0.25, 1.6]}, **options)
    two = [
        hk.access.seat(people.human(k, position="seated"), REAR, seat_height=people.seat_height[k])
        for k in range(2)
    ]
    other = hk.access.share(two, NOTHING, {"high": [0.3, -0.25, 1.6]}, tries=4)
    assert (one.short == other.short).all()
    bare = hk.population(2, sex="female", seed=1)
    assert (hk.access.share(bare, NOTHING, {"high": [0.3, -0.25, 1.6]}, **options).short
            != one.short).any()  # fmt: skip
    they = hk.access.share(people, NOTHING, {"high": [0.3, -0.25, 1.6]}, tries=4)
    assert (they.short == one.short).all()  # nobody who has a chair stands
    with pytest.raises(hk.ArgumentError, match="sit"):
        hk.access.share(people, NOTHING, {"high": [0.3, -0.25, 1.6]}, position="standing")


def test_who_does_not_sit_in_a_chair() -> None:
    for person, chair, options, words in (
        (hk.human(position="standing"), REAR, {}, "seated"),
        (ANNA, hk.access.chair("walker", width=0.6, length=0.6), {}, "walker"),
        (ANNA, REAR, {"seat_height": 0.29}, "0.3 to 1 m"),
        (ANNA, REAR, {"seat_height": 1.01}, "0.3 to 1 m"),
        (ANNA, REAR, {"seat_height": float("nan")}, "finite"),
        (ANNA, REAR, {"joystick": "middle"}, "joystick"),
    ):
        with pytest.raises(hk.ArgumentError, match=words):
            hk.access.seat(person, chair, **options)
    for person, chair in ((ANNA.model, REAR), (ANNA, "rear")):
        with pytest.raises(TypeError):
            hk.access.seat(person, chair)


@pytest.mark.parametrize("profile", ["one_arm", "sci_c5", "fixed_elbow"])
def test_impaired_people_sit_too(profile: str) -> None:
    person = hk.human(sex="male", profile=profile)
    inside = hk.access.seat(person, REAR)
    assert np.allclose(inside.model.clip(inside.rest), inside.rest)
    assert NOTHING.free(inside, inside.rest)
