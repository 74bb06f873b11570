"""A no for want of room for the hand: its twin, drawn turns, both sides of what just fits, what it says and what it does not."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik import _core
from handik.scene.access._enclosed import balls_of_hand
from handik.scene.access._inside import slack_of
from handik.scene.check import as_figure, compiled
from handik.study.twins.hand import blocked, gaps

HERE = [1.0, 0, 0, 0]


def _slot(wide: float) -> hk.Scene:
    """Two slabs with a gap about the place that is asked for; the arm's plane is in its middle."""
    out, size = hk.Scene(), (0.4, 0.4, 0.2)
    for k, side in enumerate((-1, 1)):
        at = ([0.7, 0.3, side * (0.1 + wide / 2)], HERE)
        out = out.add(f"slab {k}", hk.scene.Box(size), pose=at)
    return out


def test_the_kitchen_s_proofs_are_those_of_the_twin_and_no_drawn_turn_is_free() -> None:
    anna = hk.human(sex="female", stature=1.62)
    figure, scene = as_figure(anna), hk.scene.gallery("kitchen")
    world = compiled(scene, figure)
    balls, give = balls_of_hand(figure, anna.model, "grip_right"), slack_of(scene, world.names)
    rng, proved = np.random.default_rng(0), 0
    for target in rng.uniform([-0.55, -1.0, 0.7], [-0.05, 1.0, 1.5], (50, 3)):
        outcome, cells, turn, used = _core._hand_prove(world.world, give, balls, target, 1e-3, 5000)
        if outcome == 0:
            proved += 1
            turns = np.linalg.qr(rng.normal(size=(60, 3, 3)))[0]
            turns *= np.linalg.det(turns)[:, None, None]
            at = target + np.einsum("nij,mj->nmi", turns, balls[:, :3])
            near = [gaps(one.shape, one.pose, at.reshape(-1, 3)) for one in scene.obstacles()]
            deep = balls[:, 3] - np.min(near, axis=0).reshape(len(turns), -1)
            assert deep.max(axis=1).min() > 1e-3
            assert used.sum() == (cells + 6) / 2
        elif outcome == 1:
            points = target + balls[:, :3] @ turn.T
            lone = [gaps(one.shape, one.pose, points) for one in scene.obstacles()]
            assert np.all(np.min(lone, axis=0) > balls[:, 3])
        if proved in (1, 3) and outcome == 0:
            twin = blocked(scene.obstacles(), balls, target, 1e-3, 0.0, 5000)
            assert twin == (True, cells)
    assert proved > 12


def test_a_gap_just_too_narrow_and_just_wide_enough() -> None:
    model = hk.chain([0.5, 0.4])
    hand = hk.Figure(model, [hk.Capsule(model.tip, (-0.1, 0, 0), (0, 0, 0), 0.02)], pairs=[])
    for wide, verdict in ((0.037, "no"), (0.041, "yes")):
        found = hk.access.reach(hand, _slot(wide), [0.7, 0.3, 0], within=np.inf)
        assert found.verdict == verdict
    narrow = hk.access.reach(hand, _slot(0.0355), [0.7, 0.3, 0], within=np.inf)
    assert narrow.gives == 0.001  # 2.25 mm on either side, of which the tip may take one
    assert set(narrow.blocked) <= {"slab 0", "slab 1"}
    assert "a no even if everything gave way by 1 mm" in narrow.why
    assert "non, même si tout cédait de 1 mm" in narrow.tell("fr")
    with pytest.raises(hk.UnsupportedError, match="no certificate"):
        _ = narrow.certificate
    assert np.isnan(found.gives)


def test_what_is_proved_by_obstacles_is_not_carried_to_another_height() -> None:
    model = hk.chain([0.5, 0.4])
    hand = hk.Figure(model, [hk.Capsule(model.tip, (-0.1, 0, 0), (0, 0, 0), 0.02)], pairs=[])
    free = hk.Scene().add("spot", hk.scene.Target(), pose=([0.7, 0.3, 0], HERE))
    shut = _slot(0.03).add("spot", hk.scene.Target(), pose=([0.7, 0.3, 0], HERE))
    swept = hk.access.sweep([hand], {0.0: shut, 1.0: free}, "spot")
    assert [one.people[0] for one in swept.shares] == ["no", "yes"]
    assert swept.reused == 0


def test_the_hand_is_no_mirror_image_of_itself() -> None:
    """The right hand's balls are turned by a rotation: distances and handedness stay."""
    anna = hk.human(sex="female", stature=1.62)
    figure, model = as_figure(anna), anna.model
    right, left = (balls_of_hand(figure, model, f"grip_{side}") for side in ("right", "left"))
    for one in (right, left):
        assert np.all(one[:, :3].mean(axis=0)[:2] ** 2 < 1e-12)
        assert one[:, 2].mean() > 0
    pose = np.linalg.inv(model.fk(model.rest, frame="grip_right"))
    hand = pose @ model.fk(model.rest, frame="hand_right")
    starts = [(hand @ [*c.start, 1.0])[:3] for c in figure.capsules if c.frame == "hand_right"][:3]
    far = np.linalg.norm(right[:, :3], axis=1)
    rows = [int(np.argmin(np.abs(far - np.linalg.norm(p)))) for p in starts]
    assert np.linalg.norm(right[rows, :3], axis=1) == pytest.approx(np.linalg.norm(starts, axis=1))
    volume = np.linalg.det(starts)
    assert np.linalg.det(right[rows, :3]) == pytest.approx(volume, rel=1e-6)
    assert abs(volume) > 1e-8


def test_twins_shapes_are_those_of_the_core() -> None:
    rng = np.random.default_rng(4)
    scene = hk.Scene()
    corner = [(0, 0), (0.4, 0), (0.5, 0.2), (0.1, 0.3)]
    shapes = [
        hk.scene.Sphere(0.2),
        hk.scene.Capsule(0.3, 0.1),
        hk.scene.Box([0.3, 0.2, 0.5]),
        hk.scene.Plane(),
        hk.scene.Prism(corner, 0.4),
        hk.scene.Cylinder(radius=0.2, length=0.3),
    ]
    for k, shape in enumerate(shapes):
        q = rng.normal(size=4)
        scene = scene.add(str(k), shape, pose=(rng.normal(size=3) * 0.1, q / np.linalg.norm(q)))
    world = compiled(scene, hk.Figure(hk.chain([0.5]), [], pairs=[]))
    points = rng.normal(size=(3000, 3)) * 0.4
    found = _core._solid_distance(world.world, points)
    for k, one in enumerate(scene.obstacles()):
        mine = gaps(one.shape, one.pose, points)
        most = slack_of(scene, world.names)[k]
        column = found[:, world.names.index(one.name)]
        assert np.all(mine - column > -1e-12)
        assert np.all(mine - column < most + 1e-12)
    assert np.isclose(slack_of(scene, world.names).max(), 0.2 * (1 / np.cos(np.pi / 32) - 1))
