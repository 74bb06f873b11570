"""Random actions, drags, saves and crashes: what is recovered is what there was, and a script does it again.

`python tests/fuzz/journals.py [--seed 0] [--cases 100]`; each fault is printed with its seed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from handik.app import App
from handik.app._actions import ACTIONS, NEEDED
from handik.app._acts_file import as_text
from handik.app._describe import Numbers
from handik.app._live import Live
from handik.app._wire import Event
from handik.errors import HandikError

#: Of what ends at once; the last two are what the journal does not keep.
IDS = [one for one, action in ACTIONS.items() if not action.job and not one.startswith("file.")]
IDS += ["edit.undo"] * 8 + ["edit.redo"] * 4 + ["node.add"] * 4 + ["file.save"] * 3
IDS += ["chair.judge", "motion.record", "motion.record", "node.measure"]
PLACES = re.compile(r"(position|rotation) = .*")
WORDS = ["a", "b", "box", "q = [0.1]", "1 0 1; 0 1 0.5", "", "x" * 300, "../a", "1 2 3", "manual"]
NUMBERS = [0.0, 1.0, -1.0, 0.3, 1.7, 50.0, 1e-9, 1e300, float("nan")]


def value(draw: random.Random, arg: Any, nodes: list[str]) -> Any:
    """Return what an argument may be told, often nonsense."""
    if arg.type == "nodes":
        return draw.sample(nodes, min(len(nodes), draw.randint(0, 3)))
    if arg.type in ("pose", "point"):
        size = 7 if arg.type == "pose" else 3
        return [draw.choice([0.0, 1.0, -1.0, 0.5, 2.0]) for _ in range(size)]
    some: dict[str, list[Any]] = {
        "text": WORDS,
        "number": NUMBERS,
        "integer": [0, 1, 2, 5, -1],
        "flag": [True, False],
        "node": nodes or ["none"],
        "choice": arg.options() or [""],
    }
    return draw.choice(some[arg.type])


def acted(draw: random.Random, app: App) -> str:
    """Do something at random; return a fault or nothing."""
    name, document, count = draw.choice(IDS), app.document, len(app.history.before)
    args = {
        arg.name: value(draw, arg, list(document.scene))
        for arg in ACTIONS[name].args
        if arg.default is NEEDED or draw.random() < 0.5
    }
    if name == "file.save":
        args = {}
    try:
        app.do(name, **args)
    except (HandikError, TypeError) as error:
        if app.document is not document or len(app.history.before) != count:
            return f"{name} {args} refused, and done: {error}"
    except Exception as error:
        return f"{name} {args}: {type(error).__name__}: {error}"
    return ""


def dragged(draw: random.Random, app: App) -> None:
    """Drag a target, a node, a joint or a chair, if there is one."""
    numbers, scene = Numbers(), app.document.scene
    for path in scene:
        numbers.of(path)
    action = draw.choice(["target.move", "node.transform", "joint.set", "chair.drive"])
    kind = {"target.move": 2, "node.transform": 3, "joint.set": 1, "chair.drive": 2}[action]
    nodes = [p for p in scene if action != "target.move" or scene[p].kind == "target"]
    if not nodes:
        return
    number = numbers.of(draw.choice(nodes)) or 0
    sizes = {"target.move": 3, "node.transform": 8, "joint.set": 1, "chair.drive": 3}
    try:
        live = Live(app, numbers, {"action": action})
        for k in range(3):
            row = np.array([draw.uniform(0.1, 1) for _ in range(sizes[action])])
            control = draw.randint(0, 9) if action == "joint.set" else number
            live.use(Event(kind, 0, control, k, k / 20, row))
        live.end()
    except HandikError:
        pass


def state(app: App) -> tuple[Any, Any]:
    """Return what must be the same, and what but for its last digits.

    A drag is done again from a quaternion.
    """
    now = app.document
    exact = {
        "nodes": {path: (now.scene[path].kind, now.scene[path].solid) for path in now.scene},
        "rest": PLACES.sub("", json.loads(as_text(now))["scene"].split("[[object]]")[0]),
        "beside": (now.hidden, now.locked, now.held, now.figure, now.target, now.selection),
        "settings": now.settings,
        "kept": (sorted(now.poses), sorted(now.motions)),
    }
    places = [now.scene.world(path).ravel() for path in now.scene]
    postures = [now.actor(path)[1].posture for path in now.scene.find(kind="figure")]
    return exact, np.concatenate([np.zeros(1), *places, *postures])


def lost(old: App, new: App) -> str:
    """Return what is another, or nothing."""
    (one, a), (other, b) = state(old), state(new)
    names = [name for name in one if one[name] != other[name]]
    if not names and not np.allclose(a, b, rtol=1e-6, atol=1e-6):
        names = ["places"]
    return ", ".join(names)


def case(seed: int, count: int = 60) -> str:
    """Return a fault or nothing."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "journal")
        app = App(journal=path)
        began = True
        if draw.random() < 0.5:
            app.do("person.add", sex="female")
            app.do("target.set", at=[0.4, 0.2, 1.0])
        try:
            for _ in range(count):
                if draw.random() < 0.15:
                    dragged(draw, app)
                    if draw.random() < 0.5 and app.history.before:
                        app.do("edit.undo")
                else:
                    fault = acted(draw, app)
                    if fault:
                        return fault
                if draw.random() < 0.08:
                    app._journal.close()  # type: ignore[union-attr]
                    app._journal = None
                    app, old, began = App(journal=path), app, False
                    if gone := lost(old, app):
                        return f"{gone} lost: {app.recovered}"
            if began and not app.recording:
                names: dict[str, Any] = {}
                exec(app.script(), names)
                for row in (app, names["app"]):
                    row.do("edit.none")
                if gone := lost(app, names["app"]):
                    return f"the script ends with other {gone}"
        finally:
            app.close()
    return ""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--cases", type=int, default=100)
    given = asked.parse_args()
    for seed in range(given.seed, given.seed + given.cases):
        fault = case(seed)
        if fault:
            print(seed, fault, flush=True)


if __name__ == "__main__":
    main()
