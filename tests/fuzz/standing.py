"""Random actions with several figures: what the application shows can be told, and is true of who it is shown of.

`python tests/fuzz/standing.py [--seed 0] [--cases 100]`; each fault is printed with its seed.
"""

from __future__ import annotations

import argparse
import json
import random
from functools import cache
from typing import Any

import numpy as np

from handik.app import App
from handik.app._acts_file import as_text, from_text
from handik.app._bodies import body_of, seven
from handik.app._describe import Numbers, described
from handik.app._document import Document
from handik.errors import HandikError

SIDES = ("right", "left")


@cache
def _begun(kind: int) -> Document:
    """Return a document with several figures: of one kind, and of others."""
    app = App()
    app.do("solve.live", live=False)
    app.do("person.add", sex="female", position="seated")
    app.do("person.add", sex="male", position="seated" if kind else "standing")
    app.do("figure.add", model="data:ur5" if kind else "data:planar9")
    app.do("node.move", nodes=["person 2"], by=[3.0, 0.0, 0.0])
    app.do("node.add", kind="box", size=0.3, at=[0.6, 0.4, 0.5])
    app.do("target.set", at=[0.4, -0.2, 0.9])
    return app.document


def _place(draw: random.Random, document: Document) -> list[float]:
    """Return a place near some figure, in reach or not."""
    at = document.scene.world(draw.choice(document.scene.find(kind="figure")))[:3, 3]
    return [float(x + draw.uniform(-0.7, 0.7)) for x in at + [0, 0, 0.8]]


def _asked(draw: random.Random, app: App) -> tuple[str, dict[str, Any]]:
    """Return an action that makes sense, and what it is told."""
    document = app.document
    figures, targets = (list(document.scene.find(kind=kind)) for kind in ("figure", "target"))
    body = body_of(document.actor()[1]) if document.figure else None
    dof = draw.choice([s.name for s in body.sliders]) if body else ""
    named = draw.choice([*document.poses, "kept"])
    moved = draw.choice([*document.motions, "way"])
    rows: list[tuple[str, dict[str, Any]]] = [
        *[("figure.activate", {"figure": draw.choice(figures or ["none"])})] * 4,
        *[("access.reach", {"obstacles": draw.random() < 0.2})] * 3,
        *[("access.show", {}), ("solve.run", {})] * 2,
        ("access.apply", {"change": 0}),
        ("solve.hand", {"hand": draw.choice(SIDES)}),
        ("solve.ghost", {"solver": "ccd"}),
        ("solve.steps", {}),
        ("target.set", {"at": _place(draw, document)}),
        ("target.choose", {"target": draw.choice(targets or ["none"])}),
        ("node.add", {"kind": "target", "at": _place(draw, document)}),
        ("joint.set", {"dof": dof, "value": draw.uniform(-1, 1)}),
        ("joint.lock", {"dof": dof}),
        ("pose.reset", {}),
        ("pose.mirror", {}),
        ("pose.save", {"name": "kept"}),
        ("pose.apply", {"name": named}),
        ("plan.path", {"obstacles": False, "planner": "line"}),
        ("plan.take", {"share": 0.5}),
        ("motion.keep", {"name": "way"}),
        ("motion.use", {"name": moved}),
        ("motion.mirror", {}),
        ("motion.pace", {}),
        ("motion.smooth", {}),
        ("motion.save", {}),
        ("motion.lead", {}),
        ("person.compare", {"stature": 1.9}),
        ("person.chair", {"kind": draw.choice(["", "manual", "power"])}),
        ("person.set", {"position": draw.choice(["seated", "standing"])}),
        ("hand.jog", {}),
        ("avatar.initialise", {}),
        ("node.rename", {"node": draw.choice([*document.scene]), "name": draw.choice("abc")}),
        ("node.delete", {"nodes": [draw.choice([*document.scene])]}),
        ("node.duplicate", {"nodes": figures[:1]}),
        *[("edit.undo", {}), ("edit.redo", {})] * 2,
    ]
    return draw.choice(rows)


def _hand(document: Document, q: Any) -> Any:
    at, actor = document.actor()
    frame = body_of(actor).hand(document.settings.hand)
    return (document.scene.world(at) @ np.asarray(actor.figure.fk(np.asarray(q), frame=frame)))[
        :3, 3
    ]


def untrue(document: Document) -> str:
    """Return what a document shows that is not so, or nothing."""
    said, solve = document.verdict, document.solve
    if document.figure is None or document.target is None:
        return ""
    goal = document.scene.world(document.target)[:3, 3]
    if said is not None:
        if said.target != document.target:
            return "a verdict of another target"
        if len(said.q) != document.actor()[1].figure.nq:
            return "a verdict of another figure"
        off = float(np.linalg.norm(_hand(document, said.q) - goal))
        if said.verdict == "yes" and off > 2e-3:
            return f"a yes whose posture is {off:.4f} m off"
        for row, joint in document.held:
            at, actor = document.actor()
            where = actor.figure.joint_q_slices.get(joint)
            if row == at and np.abs(np.asarray(said.q)[where] - actor.posture[where]).max() > 1e-9:
                return f"a verdict that moves {joint}, which is held"
    if solve is not None:
        off = float(np.linalg.norm(_hand(document, document.actor()[1].posture) - goal))
        if abs(off - solve.error) > 1e-3:
            return f"a solve said to be {solve.error:.4f} m off is {off:.4f} m off"
    return ""


def told(app: App, numbers: Numbers) -> None:
    """Tell all that a page is told, and write all that a file holds."""
    document = app.document
    json.dumps(described(app, numbers), allow_nan=False)
    figures = [
        (path, document.actor(path)[1].posture) for path in document.scene.find(kind="figure")
    ]
    if document.ghost is not None:
        figures.append((document.ghost.figure, document.ghost.q))
    figures += [(one.figure, one.q) for one in document.steps]
    if document.path is not None and len(document.path.times):
        figures.append((document.path.figure, document.path.q))
    for path, q in figures:
        poses = seven(body_of(document.actor(path)[1]).poses(q, document.scene.world(path)))
        assert np.isfinite(poses).all(), path


def case(seed: int, count: int = 40) -> str:
    """Return a fault or nothing."""
    draw = random.Random(seed)
    app, numbers = App(), Numbers()
    app.history.restart(_begun(seed % 2))
    done = []
    for _ in range(count):
        name, args = _asked(draw, app)
        try:
            app.do(name, **args)
            done.append((name, args))
        except (HandikError, TypeError) as error:
            if "broke" in str(error):
                return f"{name} {args}: {error}"
        except Exception as error:
            return f"{name} {args} after {done[-6:]}: {type(error).__name__}: {error}"
        try:
            told(app, numbers)
        except Exception as error:
            return f"after {done[-6:]} the page cannot be told: {type(error).__name__}: {error}"
        fault = untrue(app.document)
        if fault:
            return f"after {done[-6:]}: {fault}"
    try:
        from_text("a.json", as_text(app.document))
    except HandikError as error:
        return f"after {done[-6:]} the file cannot be opened: {error}"
    return ""


def main() -> int:
    """Run the fuzzer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=100)
    given = parser.parse_args()
    faults = 0
    for seed in range(given.seed, given.seed + given.cases):
        fault = case(seed)
        if fault:
            faults += 1
            print(f"{seed}: {fault}")
    print(f"{given.cases} cases, {faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    raise SystemExit(main())
