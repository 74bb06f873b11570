"""What the capsules of a figure may overlap: exact wherever it counts, and little of a person."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.scene.check import as_figure
from handik.scene.check._flesh import FLESH

PEOPLE: dict[str, dict[str, Any]] = {
    "seated": {"sex": "female", "stature": 1.62},
    "standing": {"sex": "male", "weight": 105.0, "position": "standing"},
    "whole": {"sex": "male", "stature": 1.9, "detail": ("full", "hand_right")},
    "plain": {"sex": "female", "body": "plain", "detail": "spine", "limits": "box"},
}


@pytest.mark.parametrize("who", PEOPLE.values(), ids=PEOPLE)
def test_every_pair_of_a_person_is_compared_or_said_why_not(who: dict[str, Any]) -> None:
    figure = as_figure(hk.human(**who))
    n = len(figure.capsules)
    reasons = {one.pair: one.reason for one in figure.left_out}
    assert set(figure.pairs).isdisjoint(reasons)
    assert len(figure.pairs) + len(reasons) == n * (n - 1) // 2
    assert set(reasons.values()) <= {
        "on one body", "may overlap wholly", "out of reach of each other: proved"
    }  # fmt: skip
    wholly = [pair for pair, why in reasons.items() if why == "may overlap wholly"]
    assert len(wholly) < 0.03 * len(figure.pairs)
    arm = ("forearm", "hand", "palm", "thumb", "index", "middle", "ring", "little")
    near = ("upper_arm", "shoulder_", "hand", *arm)
    for a, b in wholly:  # neighbors, whose axes meet
        names = figure.names[a], figure.names[b]
        if any(name.startswith(arm) for name in names):
            assert all(name.startswith(near) for name in names), names
            assert names[0][-4:] == names[1][-4:], names  # of one side
    radius = np.array([capsule.radius for capsule in figure.capsules])
    for (a, b), gives in figure.allowance.items():
        assert gives >= min(FLESH, radius[a] / 2, radius[b] / 2)


def test_flesh_gives_way_to_neighbors_and_at_rest_alone() -> None:
    """By how much, told from outside: what capsules overlap, posture by posture."""
    anna = hk.human(sex="female", stature=1.62)
    figure = as_figure(anna)
    at = {name: figure.names.index(name) for name in figure.names}
    every = [(a, b) for b in range(len(figure.capsules)) for a in range(b)]
    hard = {
        pair: hk.Figure(anna.model, figure.capsules, [pair])
        for pair in [(at["chest"], at["palm_middle_right"]), (at["belly"], at["thigh_right"]),
                     (at["armpits"], at["shoulder_right"]), (at["skull"], at["palm_index_left"]),
                     max((p for p in every if figure.names[p[1]] == "forearm_upper_right" and
                          figure.names[p[0]] == "seat"), key=figure.allowance.__getitem__)]
    }  # fmt: skip
    flexed = np.repeat(anna.rest[None], 400, axis=0)
    trunk = [anna.model.joint_q_slices[k].start for k in
             ("pelvis_tilt", "trunk_flexion", "trunk_bend", "trunk_turn")]  # fmt: skip
    flexed[:, trunk] = anna.model.sample(400, seed=9)[:, trunk]
    gives = {}
    for pair, alone in hard.items():
        a, b = sorted(pair)
        at_rest = max(0.0, -float(hk.Scene().distance(alone, anna.rest)))
        bent = max(0.0, -float(hk.Scene().distance(alone, flexed).min()))
        thin = min(FLESH, figure.capsules[a].radius / 2, figure.capsules[b].radius / 2)
        gives[pair] = figure.allowance[a, b] - thin, at_rest, bent
    assert len(every) == len(figure.pairs) + len(figure.left_out)
    chest, belly, armpit, skull, arm = gives.values()
    assert chest[0] == chest[1] == 0  # a hand in the chest is a collision
    assert skull[0] == skull[1] == 0
    assert belly[1] < belly[0]  # who bends presses belly against thighs
    assert belly[0] == pytest.approx(belly[2], rel=0.1)
    assert armpit[0] > armpit[1] > 0.01
    assert arm[0] == arm[1] == 0  # beside the hips at rest: nothing is allowed there but flesh


def test_a_pair_may_overlap_by_its_allowance() -> None:
    """Distances, contact, points, rows of the term and proofs, against pairs one by one."""
    arm = hk.chain([0.3] * 5, "ball")
    links = [f"link_{k}" for k in range(1, 6)]
    bones = [hk.Capsule(n, (0.1, 0, 0), (0.2, 0, 0), 0.06) for n in links]
    pairs = [(a, b) for b in range(5) for a in range(b)]
    rng = np.random.default_rng(3)
    allowance = {pair: float(rng.uniform(0.02, 0.11)) for pair in pairs[::2]}
    figure = hk.Figure(arm, bones, pairs, allowance=allowance)
    assert figure.allowance == {pair: allowance.get(pair, 0.0) for pair in figure.pairs}
    q, scene = arm.sample(400, seed=2), hk.Scene()
    each = np.array([scene.distance(hk.Figure(arm, bones, [pair]), q) for pair in figure.pairs])
    given = np.array([figure.allowance[pair] for pair in figure.pairs])
    least = (each + given[:, None]).min(axis=0)
    near = scene.distance(figure, q, details=True)
    assert abs(near.distance - least).max() < 1e-15
    assert (scene.free(figure, q) == (least > 0)).all()
    hard = scene.free(hk.Figure(arm, bones, pairs), q)
    assert 50 < hard.sum() < (least > 0).sum() < 390
    gap = ((near.points[:, 0] - near.points[:, 1]) * near.normal).sum(axis=1)
    assert abs(gap - each[(each + given[:, None]).argmin(axis=0), np.arange(400)]).max() < 1e-13
    kept = hk.Problem(arm, [hk.Clearance(scene, figure, distance=0.0, self_distance=0.01)])
    found = hk.Solver("auto")(kept, [], q0=q[least < 0][:40])
    assert found.converged.all()
    assert (scene.distance(figure, found.q) >= 0.01).all()
    proof = scene.proves(figure, q[:-1], q[1:])
    assert {*proof.outcome} >= {"free", "collides"}
    for k in np.flatnonzero(proof.outcome == "free")[:20]:
        way = arm.difference(q[k], q[k + 1])
        assert scene.free(figure, arm.integrate(q[k], np.linspace(0, 1, 300)[:, None] * way)).all()
    assert not scene.free(figure, proof.witness[proof.outcome == "collides"]).any()


def test_what_may_overlap_wholly_is_not_compared() -> None:
    arm = hk.chain([0.3] * 3)
    bones = [hk.Capsule(f"link_{k}", (0.1, 0, 0), (0.2, 0, 0), 0.05) for k in (1, 2, 3)]
    figure = hk.Figure(arm, bones, allowance={(0, 2): 0.1, (2, 1): 0.099})
    assert figure.pairs == ((0, 1), (1, 2))
    assert {one.pair: one.reason for one in figure.left_out}[0, 2] == "may overlap wholly"
    for bad in (-0.1, np.nan, np.inf, 1e13, "much"):
        with pytest.raises((hk.ArgumentError, TypeError), match="allowance"):
            hk.Figure(arm, bones, allowance={(0, 1): bad})
    with pytest.raises(hk.ArgumentError, match="pair"):
        hk.Figure(arm, bones, allowance={(0, 3): 0.1})
    with pytest.raises(TypeError, match="mapping"):
        hk.Figure(arm, bones, allowance=[0.1])


SITTING = {
    "small": {"sex": "female", "percentile": 5},
    "tall": {"sex": "male", "percentile": 95, "detail": "spine"},
    "heavy": {"sex": "male", "weight": 115.0},
    "whole": {"sex": "female", "detail": "full"},
    "plain": {"sex": "female", "body": "plain", "weight": 95.0},
}


def on_a_chair(person: hk.Human, higher: float = 0.0) -> hk.Scene:
    """A narrow seat as high as the person sits, and the floor."""
    height = person.dimensions["popliteal_height"] + higher
    return (
        hk.Scene()
        .add("seat", hk.scene.Box((0.4, 0.24, 0.06)), [0.0, 0, height - 0.03], tags="seat")
        .add("floor", hk.scene.Plane())
    )


@pytest.mark.parametrize("who", SITTING.values(), ids=SITTING)
def test_who_sits_does_not_collide_with_the_seat(who: dict[str, Any]) -> None:
    """Nor does the pelvis when it tilts; a seat 3 mm higher is touched."""
    person = hk.human(**who)
    q, model = person.rest[None], person.model
    if "pelvis_tilt" in model.joint_q_slices:
        k = model.joint_q_slices["pelvis_tilt"].start
        q = np.repeat(q, 9, axis=0)
        q[:, k] = np.linspace(model.lower[k], model.upper[k], 9)
    arms = ("upper_arm", "ulna", "forearm", "carpus", "hand")
    body = [c for c in as_figure(person).capsules if not c.frame.startswith(arms)]
    assert on_a_chair(person).free(hk.Figure(model, body, pairs=[]), q).all()
    assert on_a_chair(person).free(person, person.rest)
    assert not on_a_chair(person, 0.003).free(person, person.rest)
    at = person.with_base([[1, 0, 0, 0.7], [0, 1, 0, -0.3], [0, 0, 1, 0.1], [0, 0, 0, 1]])
    height = person.dimensions["popliteal_height"] + 0.07
    moved = (
        on_a_chair(person).with_pose("seat", [0.7, -0.3, height]).with_pose("floor", [0, 0, 0.1])
    )
    assert moved.free(at, at.rest)


def test_the_thighs_of_one_who_sits_are_no_thicker_than_before() -> None:
    """What the seat takes away goes aside, not up: room for knees under a table is as measured."""
    for who in SITTING.values():
        person = hk.human(**who)
        figure = as_figure(person)
        thick = [0.0, 0.0]
        for k, (frame, start, end, radius) in enumerate(
            [(c.link, c.start, c.end, max(c.radii)) for c in person.capsules]
            + [(c.frame, c.start, c.end, c.radius) for c in figure.capsules]
        ):
            if not frame.startswith("thigh"):
                continue
            T = person.model.fk(person.rest, frame=frame)
            top = max(T[2, :3] @ np.array(x) + T[2, 3] for x in (start, end)) + radius
            thick[k >= len(person.capsules)] = max(thick[k >= len(person.capsules)], top)
        assert 0.1 < thick[1] <= thick[0] + 0.012


@pytest.mark.parametrize("who", SITTING.values(), ids=SITTING)
def test_arms_rest_beside_a_seat_as_broad_as_the_hips(who: dict[str, Any]) -> None:
    """And a seat that is wider is touched, so it is the arms that the first one leaves room for."""
    person = hk.human(**who)
    seat = on_a_chair(person)
    breadth = person.dimensions["hip_breadth_sitting"]
    wide = seat.with_shape("seat", hk.scene.Box((0.4, breadth, 0.06)))
    assert wide.free(person, person.rest)
    wider = seat.with_shape("seat", hk.scene.Box((0.4, breadth + 0.25, 0.06)))
    near = wider.distance(person, person.rest, details=True)
    assert near.distance < 0
    assert str(near.part).startswith(
        ("forearm", "hand", "palm", "thumb", "index", "middle", "ring", "little")
    )
    problem = hk.Problem(person.model, [hk.Clearance(wider, person, distance=0.0)])
    start = hk.Solver("auto")(problem, [], q0=person.rest)
    assert start.converged
    assert wider.free(person, start.q)


@pytest.mark.parametrize("who", ["seated", "standing"])
def test_left_and_right_of_an_even_body_overlap_alike(who: str) -> None:
    figure = as_figure(hk.human(**PEOPLE[who]))
    other = str.maketrans({"<": "left", ">": "right"})

    def image(name: str) -> str:
        return name.replace("_left", "_>").replace("_right", "_<").translate(other)

    of: dict[tuple[str, ...], list[float]] = {}
    for (a, b), gives in figure.allowance.items():
        of.setdefault(tuple(sorted((figure.names[a], figure.names[b]))), []).append(gives)
    sides = 0
    for names, amounts in of.items():
        there = tuple(sorted(image(name) for name in names))
        np.testing.assert_allclose(sorted(of[there]), sorted(amounts), atol=1e-9)
        sides += there != names
    assert sides > 300
