"""Drags without a page: what a slider or a part that is dragged does to the joints of both sides, held ones and pins."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.app import App
from handik.app._bodies import body_of
from handik.app._describe import Numbers
from handik.app._live import Live
from handik.app._refusals import FRENCH, in_french, in_language
from handik.app._wire import Event


def seated() -> Any:
    app = App()
    app.do("person.add", sex="female")
    return app


def dragged(app: Any, message: dict[str, Any], kind: int, control: int, *rows: Any) -> None:
    live = Live(app, Numbers(), message)
    for k, row in enumerate(rows):
        live.use(Event(kind, 0, control, k + 1, 0.1 * k, np.array(row, float)))
    live.end()


def angles(app: Any) -> dict[str, float]:
    actor = app.document.actor()[1]
    body = body_of(actor)
    shown = body.angles(actor.posture)
    return {one.name: float(x) for one, x in zip(body.sliders, shown, strict=True)}


@pytest.mark.parametrize("dof", ["elbow_flexion_right", "shoulder_left turn y", "trunk_bend"])
def test_a_dragged_slider_moves_both_sides_where_that_is_set(dof: str) -> None:
    app = seated()
    app.do("joint.mirror", mirror=True)
    number = [one.name for one in body_of(app.document.actor()[1]).sliders].index(dof)
    dragged(app, {"action": "joint.set"}, 1, number, [0.2], [0.3])
    by_hand = angles(app)
    app.do("edit.undo")
    app.do("joint.set", dof=dof, value=0.3)
    assert by_hand == pytest.approx(angles(app), abs=1e-9)
    other = dof.replace("right", "LEFT").replace("left", "right").replace("LEFT", "left")
    assert abs(by_hand[other]) == pytest.approx(0.3, abs=1e-6)


@pytest.mark.parametrize("held", ["trunk_flexion", "shoulder_right"])
def test_a_part_is_dragged_round_held_joints_and_pins_stay(held: str) -> None:
    app = seated()
    joint = held if held == "trunk_flexion" else f"{held} turn x"
    app.do("joint.set", dof="elbow_flexion_right", value=0.8)
    app.do("joint.lock", dof=joint)
    before = app.document.actor()[1]
    model, q = before.figure, before.posture
    pin = np.asarray(model.fk(q, frame="elbow_left"))[:3, 3]
    goal = np.asarray(model.fk(q, frame="grip_right"))[:3, 3] + [0.05, 0.02, 0.06]
    message = {"action": "figure.drag", "part": "grip_right", "pins": ["elbow_left"]}
    dragged(app, message, 2, 0, goal - [0.02, 0, 0.03], goal)
    after = app.document.actor()[1].posture
    at = model.joint_q_slices[held]
    np.testing.assert_array_equal(after[at], q[at])
    np.testing.assert_allclose(model.fk(after, frame="elbow_left")[:3, 3], pin, atol=1e-3)
    np.testing.assert_allclose(model.fk(after, frame="grip_right")[:3, 3], goal, atol=1e-3)


def test_a_result_is_of_the_posture_it_was_found_for() -> None:
    app = seated()
    app.do("target.set", at=[0.4, -0.2, 0.9])
    app.do("solve.run")
    assert app.document.solve.outcome == "converged"
    app.do("joint.set", dof="elbow_flexion_right", value=0.1)
    assert app.document.solve is None, "the hand is no longer there"
    app.do("edit.undo")
    assert app.document.solve is not None
    app.do("solve.live", live=False)
    app.do("target.set", at=[3.0, 0.0, 1.0])
    assert app.document.solve is None, "nor is the target"


def test_paths_and_verdicts_are_said_in_the_language_of_the_view() -> None:
    app = seated()
    app.do("target.set", at=[0.45, -0.2, 0.9])
    assert app.do("access.reach").startswith("In reach: ")
    assert app.do("plan.path", obstacles=False).startswith("Path found: ")
    app.do("pose.reset")
    hand = np.asarray(
        app.document.actor()[1].figure.fk(app.document.actor()[1].posture, frame="grip_right")
    )
    app.do("node.add", kind="box", size=0.2, at=hand[:3, 3].tolist(), name="block")
    assert "the start touches block" in app.do("plan.path")
    app.do("view.language", language="fr")
    assert app.do("plan.path").startswith(
        "Pas de trajet : départ : contact avec block, profond de "
    )
    assert re.fullmatch(r"Atteint par auto, à \d,\d\d mm, \d+ itérations", app.do("solve.run"))
    app.do("target.set", at=[4.0, 0.0, 1.0])
    assert app.do("access.reach").startswith("Hors de portée : ")


def test_what_is_said_is_of_what_was_done() -> None:
    app = seated()
    app.do("target.set", at=[0.4, -0.2, 0.9])
    app.do("node.add", kind="box", name="desk", at=[2, 0, 0])
    app.do("node.add", kind="box", name="lamp", at=[3, 0, 0])
    assert app.do("node.select", nodes=["desk", "lamp"]) == "Selected: desk, lamp (2)"

    def meanwhile(share: float) -> None:
        if "rug" not in app.document.scene and app._job.document is not None:
            held, app._job.document = app._job.document, None
            assert app.do("node.add", kind="box", name="rug", at=[4, 0, 0]) == "Add an object: done"
            app._job.document = held

    with pytest.raises(hk.ArgumentError, match="changed meanwhile"):
        app.run_job("access.reach", {"obstacles": False}, meanwhile)
    assert app.do("node.hide", nodes=["desk"]) == "Hide or show: done"
    assert app.do("target.set", at=[0.4, -0.2, 0.95]).startswith("Reached by auto")
    assert app.do("target.set", at=[4, 0, 1]).startswith("Not reached by auto")


@pytest.mark.parametrize(("frame", "way"), [("world", [0, 0, 1]), ("own", [0, 1, 0])])
def test_numbers_move_and_turn_in_the_world_or_in_own_axes(frame: str, way: list[int]) -> None:
    app = App()
    app.do("node.add", kind="box", name="desk")
    app.do("node.transform", node="desk", pose=[1, 2, 3, math.sqrt(0.5), -math.sqrt(0.5), 0, 0])
    app.do("node.move", nodes=["desk"], by=[0, 0, 0.5], frame=frame)
    np.testing.assert_allclose(
        app.document.scene.world("desk")[:3, 3], [1, 2, 3] + 0.5 * np.array(way)
    )
    before = app.document.scene.world("desk")
    app.do("node.rotate", nodes=["desk"], axis="z", angle=0.3, frame=frame)
    turn = app.document.scene.world("desk")[:3, :3] @ before[:3, :3].T
    np.testing.assert_allclose(turn @ way, way, atol=1e-12)
    assert np.trace(turn) == pytest.approx(1 + 2 * math.cos(0.3))


def raised() -> Iterator[tuple[str, str]]:
    """Every sentence that the application raises, its gaps filled with a number."""
    home = Path(hk.__file__).parent
    own = [*(home / "app").glob("_acts_*.py")]
    own += [home / "app" / f"_{name}.py" for name in ("document", "drive", "live", "session")]
    for path in own:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
                continue
            for one in node.exc.args[:1]:
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    yield path.name, one.value
                elif isinstance(one, ast.JoinedStr):
                    parts = [x.value if isinstance(x, ast.Constant) else "7" for x in one.values]
                    yield path.name, "".join(map(str, parts))


#: Between page and server alone: no page sends what these refuse.
_WIRE = ("a frame of kind", "no node has the number", "no joint has the number", "scene must be")


def test_every_refusal_has_words_in_french() -> None:
    sentences = [one for one in raised() if not one[1].startswith(_WIRE)]
    assert len(sentences) > 60
    assert [one for one in sentences if in_french(one[1]) is None] == []


@pytest.mark.parametrize(
    ("en", "fr"),
    [
        ("'table' is locked", "'table' est verrouillé"),
        (
            "no node is called 'x'; there are: a, b",
            "objet : aucun ne s'appelle 'x' ; il y a : a, b",
        ),
        ("the goal touches shelf, 0.04 m deep", "but : contact avec shelf, profond de 0,04 m"),
        ("count must be 1 to 40, got 50", "count doit être de 1 à 40, pas 50"),
    ],
)
def test_gaps_keep_what_stands_in_them(en: str, fr: str) -> None:
    assert in_french(en) == fr
    assert in_language(en, "en") == en
    assert in_language(en, "fr") == fr[0].upper() + fr[1:]
    assert in_language("something new", "fr") == "Refusé : something new"


def test_french_fills_the_gaps_of_the_english() -> None:
    for en, fr in FRENCH.items():
        gaps = [k for k in range(6) if f"{{{k}}}" in en]
        assert {k for k in range(9) if f"{{{k}}}" in fr} <= set(gaps), en
        assert gaps == list(range(len(gaps))), en


@pytest.mark.parametrize("obstacles", [False, True])
@pytest.mark.parametrize("level", [False, True])
def test_a_path_keeps_joints_that_are_held(obstacles: bool, level: bool) -> None:
    app = seated()
    app.do("solve.live", live=False)
    app.do("node.add", kind="box", size=0.1, at=[0.4, -0.1, 1.0], name="block")
    app.do("target.set", at=[0.45, -0.2, 0.9])
    figure = app.document.actor()[1].figure
    joint = "elbow_flexion_left" if level else "elbow_flexion_right"
    moved = {}
    for held in (False, True):
        app.do("plan.path", obstacles=obstacles, level=level)
        path = app.document.path
        assert path is not None
        assert len(path.times) > 1, path
        rows = path.q[:, figure.joint_q_slices[joint]]
        moved[held] = float(np.ptp(rows))
        if not held:
            app.do("joint.lock", dof=joint)
    assert moved[False] > 0.1
    assert moved[True] == 0
