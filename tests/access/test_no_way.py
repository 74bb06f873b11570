"""A no because obstacles leave an arm no way: through an opening, what is said, what is not claimed."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.scene.access._no_way import arm_of

INF = float("inf")
SHOULDER, OFF, THICK = np.array([0.0, -0.2, 0.45]), np.array([0.0, 0.02, 0.01]), 0.05
Axis = tuple[float, float, float]
TARGET = SHOULDER + OFF + np.array([0.25 + 0.05 + 0.12, 0.03, -0.02])


def _turn(
    name: str, parent: str, child: str, axis: Axis, low: float, high: float, x: float
) -> hk.JointSpec:
    place = np.eye(4)
    place[0, 3] = x
    return hk.JointSpec(
        name, "revolute", parent, child, place, axis, lower=np.deg2rad(low), upper=np.deg2rad(high)
    )


def arm(trunk: bool) -> hk.Model:
    """An arm of seven joints, on a hinge or not."""
    place, end = np.eye(4), np.eye(4)
    place[:3, 3], end[0, 3] = SHOULDER, 0.1
    room = hk.Cone(np.deg2rad([110, 85, 60, 60]), twist=tuple(np.deg2rad([-60, 90])))
    first = "trunk" if trunk else "world"
    joints = [_turn("lean", "world", "trunk", (1, 0, 0), -20, 20, 0)] if trunk else []
    joints += [
        hk.JointSpec("ball", "ball", first, "upper", place, (1, 0, 0), (0, 0, 1), cone=room),
        _turn("elbow", "upper", "fore", (0, -1, 0), 0, 145, 0.32),
        _turn("pronation", "fore", "turned", (1, 0, 0), -80, 80, 0),
        _turn("flex", "turned", "carpus", (0, 1, 0), -70, 75, 0.27),
        _turn("deviate", "carpus", "hand", (0, 0, 1), -20, 30, 0),
        hk.JointSpec("tip", "fixed", "hand", "tip", end),
    ]
    names = ["world", *(joint.child for joint in joints)]
    return hk.Model(hk.ModelSpec("arm", [hk.LinkSpec(name) for name in names], joints))


def figure(model: hk.Model, thinner: float = 0.0) -> hk.Figure:
    links = {"upper": (0.32, 0.045), "fore": (0.27, 0.035), "hand": (0.1, 0.03)}
    parts = [
        hk.Capsule(link, (0, 0, 0), (length, 0, 0), radius - thinner)
        for link, (length, radius) in links.items()
    ]
    return hk.Figure(model, parts, pairs=[])


def wall(opening: float, away: float) -> hk.Scene:
    """A wall 50 mm thick, so far from the shoulder, with a square opening."""
    out, (x, y, z) = hk.Scene(), SHOULDER + OFF + [away + THICK / 2, 0, 0]
    for k, side in enumerate((-1, 1)):
        off = side * (1.5 + opening / 2)
        beside = hk.scene.Box([THICK, 3.0, 6.0]), [x, y + off, z]
        above = hk.scene.Box([THICK, opening, 3.0]), [x, y, z + off]
        for name, (shape, at) in (("beside", beside), ("above", above)):
            out = out.add(f"{name} {k}", shape, pose=(at, [1.0, 0, 0, 0]))
    return out


def test_an_opening_too_small_for_the_forearm_is_a_no() -> None:
    model = arm(False)
    body, scene = figure(model), wall(0.04, 0.25)
    found = hk.access.reach(body, scene, TARGET, frame="tip", within=INF)
    assert found.verdict == "no"
    assert set(found.blocked) <= {f"{name} {k}" for name in ("beside", "above") for k in (0, 1)}
    assert found.why.startswith("no posture that reaches the target is free: each touches ")
    assert found.tell("fr").startswith("aucune posture qui atteint la cible n'est libre")
    assert found.gives >= 0.01
    with pytest.raises(hk.UnsupportedError, match="no certificate"):
        _ = found.certificate
    start = model.sample(300, seed=1)
    near = model.solve(position=np.broadcast_to(TARGET, (300, 3)), frame="tip", q0=start)
    assert near.converged.sum() > 100
    assert not scene.free(body, near.q[near.converged]).any()
    shares = hk.access.share([body], scene, [TARGET], frame="tip")
    assert shares.causes[0].kind == "no way"
    assert str(shares.causes[0]).startswith("no posture that reaches the target is free")


def test_what_gives_way_is_the_graded_answer() -> None:
    """A link thinner by so much, and no wall moved, is no longer a no: `gives` claims no more."""
    model, scene = arm(False), wall(0.08, 0.25)
    for aside in (0.0, 0.03):
        target = TARGET + [0, aside, 0]
        found = hk.access.reach(figure(model), scene, target, frame="tip", within=INF)
        assert found.verdict == "no"
        thin = hk.access.reach(figure(model, found.gives), scene, target, frame="tip", within=INF)
        assert thin.verdict == "no"


def test_a_wide_opening_is_a_yes_and_a_mesh_is_no_proof() -> None:
    model = arm(False)
    body = figure(model)
    found = hk.access.reach(body, wall(0.4, 0.25), TARGET, frame="tip", within=INF)
    assert found.verdict == "yes"
    corner = np.array([[x, y, z] for x in (0, 0.05) for y in (-2, 2) for z in (-2.0, 2)])
    side = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    faces = [[f[0], f[k], f[k + 1]] for f in side for k in (1, 2)]
    pose = (SHOULDER + [0.25, 0, 0], [1.0, 0, 0, 0])
    sheet = hk.Scene().add("sheet", hk.scene.Mesh(vertices=corner, faces=faces), pose=pose)
    assert hk.access.reach(body, sheet, TARGET, frame="tip", within=INF).verdict == "undecided"


def test_it_is_of_arms_on_a_ball_that_stands_still() -> None:
    model = arm(False)
    assert arm_of(model, "tip", figure(model)) is not None
    trunk = arm(True)
    assert arm_of(trunk, "tip", figure(trunk)) is None
    ur5 = hk.data("ur5")
    assert arm_of(ur5, ur5.tip or "", hk.Figure(ur5, [], pairs=[])) is None
