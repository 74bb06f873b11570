"""Files of documents with a part changed at random: a sentence with file and part, or a document that is whole.

`python tests/fuzz/documents.py [--seed 0] [--cases 2000]`; each fault is printed with its seed.
"""

from __future__ import annotations

import argparse
import json
import random
from typing import Any

from handik.app import App
from handik.app._acts_file import as_text
from handik.app._describe import Numbers, described
from handik.errors import HandikError

ODD: list[Any] = [None, True, 0, -1, 5, 1e300, float("nan"), float("inf"), "", "x", "a/b", "\0"]
ODD += [[], {}, [None], ["x"], [1.0, 0.5], [[1.0]], {"a": 1}, ["manual", 5], ["", 50], 10**400]


def whole() -> str:
    """Return the file of a document that has a little of all."""
    app = App()
    app.do("person.add", sex="female", stature=1.62)
    app.do("person.chair", kind="scooter", percentile=80)
    app.do("node.add", kind="box", name="b")
    app.do("node.hide", nodes=["b"])
    app.do("joint.lock", dof="trunk_turn")
    app.do("target.set", at=[0.5, 0.0, 1.0])
    app.do("pose.save", name="p")
    rows = [(x, y, 0.01 * x * y) for x in range(11) for y in range(11)]  # a mesh kept as arrays
    faces = [(k, k + 1, k + 12) for k in range(1, 110) if k % 11]
    lines = [f"v {x} {y} {z}" for x, y, z in rows] + [f"f {a} {b} {c}" for a, b, c in faces]
    app.do("file.import", name="ground.obj", text="\n".join(lines))
    app.do("motion.record")
    for angle in (0.1, 0.2):
        app.do("joint.set", dof="elbow_flexion_right", value=angle)
    app.do("motion.record")
    return as_text(app.document)


def changed(draw: random.Random, text: str) -> tuple[str, str]:
    """Return the text of a file in which one part is another, and the name of the part."""
    found = json.loads(text)
    part = draw.choice([key for key in found if key not in ("format", "scene")])
    holder, key = found, part
    while draw.random() < 0.6:
        inside = holder[key]
        if not isinstance(inside, (list, dict)) or not inside:
            break
        holder = inside
        key = draw.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
    if draw.random() < 0.15:
        del holder[key]
    else:
        holder[key] = draw.choice(ODD)
    return json.dumps(found, indent=draw.choice([None, 1])), part


def fault(draw: random.Random, text: str) -> str:
    """Return what is wrong with how a changed file is read, or nothing."""
    broken, part = changed(draw, text)
    app = App()
    try:
        app.do("file.open", name="a.json", text=broken)
    except HandikError as error:
        said = str(error)
        return "" if said.startswith("a.json:") and part in said else f"{part}: {said}"
    except Exception as error:
        return f"{part}: {type(error).__name__}: {error}"
    try:
        json.dumps(described(app, Numbers()), allow_nan=False)
        kept = as_text(app.document)
        app.do("file.open", name="a.json", text=kept)
        return "" if as_text(app.document) == kept else f"{part}: it is another when saved again"
    except Exception as error:
        return f"{part}: read, and then {type(error).__name__}: {error}"


def main() -> None:
    """Run cases and print the faults."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--cases", type=int, default=2000)
    asked = given.parse_args()
    text, faults = whole(), 0
    for seed in range(asked.seed, asked.seed + asked.cases):
        said = fault(random.Random(seed), text)
        faults += bool(said)
        if said:
            print(seed, said, flush=True)
    print(f"{asked.cases} files, {faults} faults")


if __name__ == "__main__":
    main()
