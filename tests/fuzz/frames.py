"""Random frames at the application's server: no crash, no hang, no broken promise.

Frames are random bytes, frames of the table with random numbers in them, messages with fields of
wrong types, and actions with arguments of all kinds; drags are begun, ended and cancelled in any
order. After every page the server must still answer and its document be one that can be told.

    python tests/fuzz/frames.py --frames 1000000
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import random
import struct
from collections.abc import Iterator
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from handik.app import App
from handik.app._actions import ACTIONS
from handik.app._describe import Numbers, described
from handik.app._live import DRAGS
from handik.app._server import Server
from handik.app._wire import KINDS

HEAD = struct.Struct("<BBHId")
#: Frames that a page sends before it goes.
OF_A_PAGE = 60
#: Seconds within which what a page asked for last is answered.
PATIENCE = 60
#: Actions that take seconds, or begin others' programs: each is drawn as rarely.
SLOW = {
    *(name for name, one in ACTIONS.items() if one.job),
    *("figure.add", "node.gallery", "person.compare", "solve.eight", "file.export"),
}
CLOSED = (1000, 1001, 1003, 1005, 1006, 1007, 1009, 4003, 4008, 4009)


class Errors(logging.Handler):
    """What the server's own loggers say went wrong."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        why = record.exc_info[1] if record.exc_info else ""
        if not isinstance(why, ConnectionClosed):
            self.said.append(f"{record.getMessage()}: {why!r}")


def value(rng: random.Random, deep: int = 0) -> Any:
    """A value of any kind that JSON has."""
    words = ["", "a", "person", "table", "target", "ccd", "x" * 300, "\0", "é", "../..", "q = [1]"]
    plain = [
        None, True, False, 0, 1, -1, 2**60, 0.5, -1e300, 1e-300, math.inf, math.nan, rng.choice(words),
        rng.gauss(0, 1),
    ]  # fmt: skip
    kind = rng.random()
    if deep < 3 and kind < 0.15:
        return [value(rng, deep + 1) for _ in range(rng.choice([0, 1, 3, 4, 7, 9]))]
    if deep < 3 and kind < 0.2:
        return {rng.choice(words): value(rng, deep + 1) for _ in range(rng.randrange(3))}
    return rng.choice(plain)


def fitting(rng: random.Random, arg: Any, nodes: list[str]) -> Any:
    """A value that an argument may take, or nearly."""
    if rng.random() < 0.3:
        return value(rng)
    few = [rng.gauss(0, 1) for _ in range(7)]
    made = {
        "text": lambda: rng.choice(
            ["a", "b/c", "elbow_flexion_right", "#ff0000", "fabrik", "1 0 1"]
        ),
        "number": lambda: rng.choice([0.0, 0.3, -1.0, 1e5]),
        "integer": lambda: rng.choice([0, 3, 12, -1]),
        "flag": lambda: rng.random() < 0.5,
        "node": lambda: rng.choice([*nodes, "none"]),
        "nodes": lambda: rng.sample(nodes, min(len(nodes), rng.randrange(3))),
        "choice": lambda: rng.choice([*arg.options(), "none"]),
        "pose": lambda: few,
        "point": lambda: few[:3],
    }
    return made[arg.type]()


def action(rng: random.Random, nodes: list[str]) -> dict[str, Any]:
    """A message that asks for an action."""
    name = rng.choice(list(ACTIONS))
    if name in SLOW and rng.random() < 0.98:
        name = "node.move"
    args = {one.name: fitting(rng, one, nodes) for one in ACTIONS[name].args if rng.random() < 0.8}
    if rng.random() < 0.05:
        args[rng.choice(["colour", "", "path"])] = value(rng)
    return {
        "kind": "do",
        "id": rng.choice([*range(40), -1, "x", None]),
        "action": name,
        "args": args,
    }


def frame(rng: random.Random, nodes: list[str], dragging: bool) -> str | bytes:
    """A frame of any kind; most fit what goes on, for a page that sends twenty that do not goes."""
    kind = rng.random()
    if kind < 0.03:
        return rng.randbytes(rng.choice([0, 1, 15, 16, 17, 24, 40, 80, 500]))
    if kind < (0.5 if dragging else 0.06):
        which = rng.choice([1, 2, 2, 3]) if rng.random() < 0.96 else rng.choice([16, 32, 255])
        count = rng.choice(KINDS.get(which, (1,))) if rng.random() < 0.97 else 2
        wild = [0.1, math.nan, 1e7, -math.inf]
        numbers = [
            rng.choice(wild) if rng.random() < 0.01 else rng.gauss(0, 1) for _ in range(count)
        ]
        time = rng.choice([0.0, rng.random(), 1e9])
        head = HEAD.pack(which, 0, rng.randrange(7), rng.getrandbits(32), time)
        return head + struct.pack(f"<{count}d", *numbers)
    if kind < (0.51 if dragging else 0.08):
        return rng.choice(["", "{", "[]", "null", "[" * 5000, '{"kind": 3}', "\ud7ff", "{}" * 9])
    if kind < (0.65 if dragging else 0.4):
        about = {
            "kind": rng.choice(["end", "cancel", "begin"] if dragging else ["begin"] * 9 + ["end"]), "drag": rng.choice([1, 2, 3, 4, 5, 6, 7, 8, -3, "a"]),
            "action": rng.choice([*DRAGS, "node.delete"]), "node": rng.choice(nodes), "figure": "person",
            "part": rng.choice(["grip_right", "elbow_left", "none"]), "solver": "ccd", "poses": 12,
        }  # fmt: skip
        if rng.random() < 0.2:
            about |= {"nodes": nodes[:2], "pivot": value(rng), "pins": value(rng)}
        return json.dumps(about)
    if kind < (0.67 if dragging else 0.43):
        about = {
            "kind": rng.choice(["mesh", "file", "stop", "hello", "nothing"]), "key": value(rng), "file": 1,
            "name": rng.choice(["a.json", "a.toml", "a.bvh", "a.glb"]), "size": rng.choice([0, 8, 2**40, "x"]),
            "purpose": rng.choice(["open", "import", "motion", 3]), "job": value(rng), "scale": value(rng),
        }  # fmt: skip
        return json.dumps(about)
    return json.dumps(action(rng, nodes))


def pages(server: Server, rng: random.Random, count: int) -> Iterator[str]:
    """Send frames, a page after another, and yield what went wrong."""
    address, sent = f"ws://127.0.0.1:{server.port}/socket", 0
    while sent < count:
        nodes = list(server.app.document.scene)[:20] or ["none"]
        with connect(address, max_size=None, close_timeout=10) as page:
            hello = {"kind": "hello", "token": server.token, "protocol": 1, "language": "en"}
            page.send(json.dumps(hello))
            try:
                dragging = False
                for _ in range(min(OF_A_PAGE, count - sent)):
                    one = frame(rng, nodes, dragging)
                    if isinstance(one, str) and one.startswith('{"kind": "'):
                        dragging = one.startswith('{"kind": "begin') or (
                            dragging and not one.startswith(('{"kind": "end', '{"kind": "cancel'))
                        )
                    page.send(one)
                    sent += 1
                page.send(json.dumps({"kind": "do", "id": 99, "action": "edit.all", "args": {}}))
                text: Any = ""
                while not (isinstance(text, str) and '"id":99' in text):
                    text = page.recv(timeout=PATIENCE)
                    if isinstance(text, str) and "broke its own promise" in text:
                        yield text
            except TimeoutError:
                yield f"no answer within {PATIENCE} s"
            except ConnectionClosed as closed:
                code = closed.rcvd.code if closed.rcvd else 1006
                if code not in CLOSED:
                    yield f"closed with {code}"
        yield from alive(server)


def alive(server: Server) -> Iterator[str]:
    """Yield what is wrong with a server that should still serve."""
    app = server.app
    if not app.lock.acquire(timeout=60):
        yield "the application is held for ever"
        return
    app.lock.release()
    try:
        json.dumps(described(app, Numbers()), allow_nan=False)
    except (ValueError, TypeError) as error:
        yield f"the document cannot be told: {error!r}"
    if len(app.document.scene) > 60 or len(app.document.beside) > 3:
        furnish(app)


def furnish(app: App) -> None:
    """Begin anew: a person, a table, a target."""
    app.do("file.new")
    app.do("person.add", sex="female", stature=1.62)
    app.do("node.add", kind="box", name="table", at=[0.9, 0, 0.2])
    app.do("target.set", at=[0.4, -0.3, 1.0])
    app.do("person.chair", kind="manual")
    del app.history.before[:-100]


def run(seed: int, count: int) -> list[str]:
    """Return what went wrong with so many frames."""
    errors = Errors()
    for name in ("websockets", "asyncio"):
        logging.getLogger(name).addHandler(errors)
    app = App()
    furnish(app)
    server = Server(app)
    found: list[str] = []
    try:
        found += pages(server, random.Random(seed), count)
        with connect(f"ws://127.0.0.1:{server.port}/socket", max_size=None) as page:
            hello = {"kind": "hello", "token": server.token, "protocol": 1, "language": "en"}
            page.send(json.dumps(hello))
            page.send(json.dumps({"kind": "do", "id": 5, "action": "edit.none", "args": {}}))
            told = ""
            while '"id":5' not in told:
                told = str(page.recv(timeout=PATIENCE))
    except (TimeoutError, ConnectionClosed) as error:
        found.append(f"at the end: {error!r}")
    finally:
        server.stop()
        for name in ("websockets", "asyncio"):
            logging.getLogger(name).removeHandler(errors)
    return found + errors.said


def main() -> int:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    done = 0
    while done < given.frames:
        part = min(20_000, given.frames - done)
        found = run(given.seed + done, part)
        done += part
        print(f"{done} frames, {len(found)} failures", flush=True)
        if found:
            print("\n".join(found[:20]))
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
