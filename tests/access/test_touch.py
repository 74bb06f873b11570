"""A switch flush in a wall is pressed with a fingertip: which capsules may be in it, how deep."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import handik as hk
from handik.scene.access import _why
from handik.scene.access._enclosed import balls_of_hand
from handik.scene.access._touch import FACE, TIP, touching
from handik.scene.check import as_figure
from handik.study.twins.hand import blocked

Array = NDArray[np.float64]

BOB = hk.human(sex="male", stature=1.75)
WALL = hk.Scene().add("wall", hk.scene.Box([4, 0.1, 3]), [0, -0.6, 1.5])  # beside him
PRESS: dict[str, Any] = {"action": "press", "axis": [0, -1, 0]}
INF = float("inf")


def _switch(y: float, height: float = 1.1) -> list[float]:
    return [0.3, y, height]  # the wall's face is at -0.55


def _deep(found: hk.access.Reach) -> dict[str, float]:
    """How deep parts of a figure are in the wall, by ends and radii alone."""
    figure, out = found.figure, dict[str, float]()
    assert figure is not None
    for name, one in zip(figure.names, figure.capsules, strict=True):
        pose = figure.model.fk(found.q, frame=one.frame)
        low = min((pose[:3, :3] @ np.array(end) + pose[:3, 3])[1] for end in (one.start, one.end))
        out[name] = max(out.get(name, -INF), -0.55 - (low - one.radius))
    return out


@pytest.mark.parametrize("more", [{}, PRESS])
def test_a_switch_flush_in_a_wall_is_pressed_by_who_is_beside_it(more: dict[str, Any]) -> None:
    found = hk.access.reach(BOB, WALL, _switch(-0.55), within=INF, **more)
    assert found.verdict == "yes"
    assert found.frame == "middle_tip_right"
    tip = BOB.model.fk(found.q, frame="middle_tip_right")[:3, 3]
    assert np.linalg.norm(tip - found.target) <= 1e-3
    deep = _deep(found)
    assert max(deep.values()) < 0  # all but what of the finger is left out
    assert WALL.free(found.figure, found.q)
    old = hk.access.reach(BOB, WALL, _switch(-0.55), touch=False, within=INF, **more)
    assert old.verdict == "no"
    assert old.frame == "grip_right"


def test_the_finger_goes_ten_millimeters_deep_and_no_deeper() -> None:
    just = hk.access.reach(BOB, WALL, _switch(-0.55 - 0.9 * TIP), within=INF, **PRESS)
    assert just.verdict == "yes"
    for deep in (1.3 * TIP, 0.03):
        target = np.array(_switch(-0.55 - deep))
        for more in ({}, PRESS, {"touch": True}):
            found = hk.access.reach(BOB, WALL, target, within=INF, **more)
            assert found.verdict == "no", (deep, more)
        figure = touching(as_figure(BOB), ("middle_tip_right",))
        balls = balls_of_hand(figure, BOB.model, "middle_tip_right")
        assert blocked(WALL.obstacles(), balls, target, 1e-3, 0.0, 10**6)[
            0
        ]  # by distances of its own
    there = np.array(_switch(-0.55 - 0.9 * TIP))
    assert not blocked(WALL.obstacles(), balls, there, 1e-3, 0.0, 4000)[0]


def test_what_lies_on_a_face_is_touched_and_what_lies_before_it_is_gripped() -> None:
    for off, frame in ((0.9, "middle_tip_right"), (1.2, "grip_right")):
        found = hk.access.reach(BOB, WALL, _switch(-0.55 + off * FACE, 1.0), within=INF)
        assert (found.verdict, found.frame) == ("yes", frame)
        assert WALL.free(found.figure, found.q)
    free = hk.access.reach(BOB, WALL, _switch(-0.3), within=INF)
    assert (free.verdict, free.frame) == ("yes", "grip_right")


def test_a_node_called_a_switch_is_pressed_and_a_handle_is_not() -> None:
    box = hk.scene.Box([0.08, 0.02, 0.08])  # its face is flush with the wall's
    for tag, verdict in (("switch", "yes"), ("button", "yes"), ("handle", "no")):
        scene = WALL.add("part", box, _switch(-0.56), tags=tag)
        scene = scene.add("part/press", hk.scene.Target("axis", [0, -1, 0]), [0, 0.01, 0])
        found = hk.access.reach(BOB, scene, "part/press", within=INF)
        assert found.verdict == verdict, tag
        assert found.frame == ("grip_right" if tag == "handle" else "middle_tip_right")
    with_axis = hk.access.reach(BOB, WALL.add("part", box, _switch(-0.56), tags="switch").add(
        "part/press", hk.scene.Target("axis", [0, -1, 0]), [0, 0.01, 0]), "part/press",
        action="press", axis="target", within=INF)  # fmt: skip
    assert with_axis.verdict == "yes"
    assert with_axis.off_axis <= np.radians(30)


ANNA = hk.human(sex="female", stature=1.62)
SHOULDER = ANNA.model.fk(ANNA.rest, frame="shoulder_right")[:3, 3]
AWAY = np.array([0.0, -1.0, 0.3]) / np.hypot(1.0, 0.3)


def _farthest(touch: bool) -> float:
    """How far from the shoulder a way is in reach."""
    far = np.arange(0.6, 1.4, 0.01)
    found = hk.access.reach(ANNA, None, SHOULDER + far[:, None] * AWAY, touch=touch, within=INF)
    return float(far[found.verdict == "yes"][-1])


def test_either_will_do_and_a_no_is_of_both() -> None:
    """A hand's breadth beyond the grip's reach a fingertip gets there; farther, nothing does."""

    def far(by: float, **more: Any) -> hk.access.Reach:
        target = SHOULDER + by * AWAY
        face = hk.Scene().add("plate", hk.scene.Box([0.3, 0.02, 0.3]), target + [0, -0.01, 0])
        return hk.access.reach(ANNA, face, target, within=INF, **more)

    reach = _farthest(True) - 0.01
    assert reach > _farthest(False) + 0.05
    assert far(reach).verdict == "yes"
    assert far(reach, touch=False).verdict == "no"
    beyond = far(reach + 0.1)
    assert beyond.verdict == "no"
    tip = far(reach + 0.1, touch=True)
    assert tip.verdict == "no"
    assert beyond.short[0] <= tip.short[1]
    proof = tip.certificate
    assert proof is not None
    assert proof.frame == "middle_tip_right"
    with pytest.raises(hk.UnsupportedError, match="each hand by itself"):
        _ = beyond.certificate


def test_both_hands_and_a_hand_of_either_side_press_too() -> None:
    ahead = hk.Scene().add("wall", hk.scene.Box([0.1, 4, 1.2]), [0.75, 0, 1.5])  # over his knees
    row = [[0.7, -0.2, 1.2], [0.7, 0.2, 1.2]]
    more: dict[str, Any] = {"action": "press", "axis": [1, 0, 0], "within": INF}
    found = hk.access.reach(BOB, ahead, row, hand="both", **more)
    assert found.verdict == "yes"
    assert list(found.also) == ["middle_tip_left"]
    left = hk.access.reach(BOB, ahead, row[1], hand="either", **more)
    assert left.verdict == "yes"
    assert left.frame.startswith("middle_tip_")


def test_touch_is_refused_where_no_hand_is() -> None:
    arm = hk.chain([0.3, 0.2])
    with pytest.raises(hk.ArgumentError, match="no frames middle_tip"):
        hk.access.reach(arm, None, [0.3, 0.3, 0], touch=True)
    with pytest.raises(hk.ArgumentError, match="give no frame="):
        hk.access.reach(BOB, None, [0.3, 0.3, 1.0], frame="index_tip_right", touch=True)
    assert hk.access.reach(arm, None, [0.3, 0.3, 0], touch=False).verdict == "yes"


@pytest.mark.parametrize("body", ["fitted", "plain", "hand"])
def test_of_the_figure_only_the_hand_that_touches_differs(body: str) -> None:
    more: dict[str, Any] = {"detail": ("upper21", "hand_right")} if body == "hand" else {}
    if body == "plain":
        more = {"body": "plain"}
    who = hk.human(sex="male", stature=1.75, **more)
    plain = as_figure(who)
    found = touching(plain, ("middle_tip_right",))
    assert touching(plain, ("middle_tip_right",)) is found
    tip = who.model.fk(who.rest, frame="middle_tip_right")[:3, 3]
    moved, nearest = set(), INF
    for name, old, new in zip(plain.names, plain.capsules, found.capsules, strict=True):
        pose = who.model.fk(who.rest, frame=new.frame)
        a, b = (pose[:3, :3] @ np.array(end) + pose[:3, 3] for end in (new.start, new.end))
        share = np.clip((tip - a) @ (b - a) / max((b - a) @ (b - a), 1e-12), 0, 1)
        nearest = min(nearest, float(np.linalg.norm(a + share * (b - a) - tip)) - new.radius)
        if (old.start, old.end, old.radius) != (new.start, new.end, new.radius):
            moved.add(name)
    assert nearest == pytest.approx(TIP, abs=1e-6)  # what is left out, and no more
    expected = {
        "fitted": {f"{one}_right" for one in ("index", "middle", "ring", "little")},
        "plain": {"hand_right"},
        "hand": {"middle_distal_right"},
    }
    assert moved == expected[body]
    assert set(plain.pairs) <= set(found.pairs)
    assert hk.Scene().free(found, who.rest)  # so that paths start there


def test_a_path_leads_to_a_switch() -> None:
    found = hk.access.reach(BOB, WALL, _switch(-0.55), path=True, within=INF, **PRESS)
    assert found.verdict == "yes"
    assert found.path is not None
    assert WALL.free(found.figure, found.path.q).all()


def test_a_chair_stops_beside_a_switch_flush_in_a_wall() -> None:
    room = hk.Scene().add("wall", hk.scene.Box([4, 0.1, 3]), [0, -0.6, 1.5])
    found = hk.access.reach(BOB, room, _switch(-0.55), approach=hk.access.chair(), within=INF)
    assert found.verdict == "yes"
    assert found.stop is not None
    deep = hk.access.reach(BOB, room, _switch(-0.58), approach=hk.access.chair(), within=INF)
    assert deep.verdict == "no"


def test_a_sweep_keeps_no_proof_of_the_grip_for_what_is_pressed() -> None:
    """The place is short of the grip in free air; on a face the fingertip is there."""
    here = SHOULDER + (_farthest(True) - 0.02) * AWAY
    far = hk.access.reach(ANNA, None, here, within=2e-3)
    assert far.verdict == "no"
    assert far.short[0] > 0.02
    spot = hk.Scene().add("spot", hk.scene.Target(), here)
    plate = spot.add("plate", hk.scene.Box([0.2, 0.02, 0.2]), here + [0, -0.01, 0])
    assert hk.access.reach(ANNA, plate, "spot", within=INF).verdict == "yes"
    for cases in ({0.0: spot, 1.0: plate}, {0.0: plate, 1.0: spot}):
        swept = hk.access.sweep([ANNA], cases, "spot", within=2e-3)
        words = {k: s.people[0] for k, s in zip(cases.values(), swept.shares, strict=True)}
        assert (words[spot], words[plate]) == ("no", "yes")


def test_a_man_of_180_cm_presses_the_kitchens_switch() -> None:
    """Undecided for the grip: its closed fingers were in the wall wherever a search ended."""
    kitchen = hk.scene.gallery("kitchen")
    found = hk.access.code_against_use(kitchen, hk.human(sex="male", stature=1.8), ["ADA2010"])
    (use,) = (one for one in found.uses if one.place == "switch/press")
    assert (use.usable, use.kind) == ("yes", "usable, not legal")
    assert use.witness is not None


def test_the_other_hand_is_asked_with_its_own_finger_straight(monkeypatch: Any) -> None:
    """Also of what is held: it was compared as a hand at rest, whose fingers are elsewhere."""
    asked: list[Any] = []
    witness = _why.witness

    def seen(own: Any, *more: Any) -> Any:
        asked.append((own.figure, more[1]))
        return witness(own, *more)

    monkeypatch.setattr(_why, "witness", seen)
    scene = hk.Scene().add("wall", hk.scene.Box([4, 0.1, 3]), [0, 1.0, 1.5])
    scene = scene.add("part", hk.scene.Box([0.08, 0.02, 0.08]), [0.0, 0.96, 1.1], tags="switch")
    scene = scene.add("part/press", hk.scene.Target("axis", [0, -1, 0]), [0, -0.01, 0])
    found = hk.access.reach(BOB, scene, "part/press", touch=True, within=INF)
    assert found.verdict == "no"
    assert ("hand", "middle_tip_left") in [(one.kind, one.joint) for one in found.changes]
    figures = [figure for figure, frame in asked if frame == "middle_tip_left"]
    assert figures == [touching(as_figure(BOB), ("middle_tip_left",))]
