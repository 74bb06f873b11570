"""The application's server under a live drag, and what a large scene, undo and time do to it.

A program takes the page's place: it says the same frames at the same rate, so that what is measured
is Python and the wire, not a browser's drawing. The page itself is measured apart, in Chromium
where there is one: see `_app_page`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import struct
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import connect

from benchmarks import _app_page
from benchmarks._app_scene import furnished
from handik.app import App
from handik.app._acts_file import as_text
from handik.app._history import MOST
from handik.app._server import Server

HEAD = struct.Struct("<BBHId")


async def hello(server: Server) -> Any:
    """Return a page and its welcome."""
    page = await connect(f"ws://127.0.0.1:{server.port}/socket", max_size=None)
    said = {"kind": "hello", "token": server.token, "protocol": 1, "language": "en"}
    await page.send(json.dumps(said))
    while True:
        told = await page.recv()
        if isinstance(told, str) and json.loads(told)["kind"] == "welcome":
            return page


async def opened(server: Server) -> None:
    """Open a page, and close it when it is told all."""
    await (await hello(server)).close()


async def dragged(
    server: Server, begin: dict[str, Any], control: int, at: Any, seconds: float
) -> Any:
    """Drag along a circle, 60 events a second; return answers a second and their latencies, ms."""
    page = await hello(server)
    await page.send(json.dumps({"kind": "begin", "drag": 1, **begin}))
    sent: dict[int, float] = {}
    found: list[float] = []

    async def listen() -> None:
        async for told in page:
            if isinstance(told, bytes) and told[0] == 16:
                began = sent.pop(HEAD.unpack_from(told)[3], None)
                if began is not None:
                    found.append(1e3 * (time.perf_counter() - began))
            elif isinstance(told, str) and json.loads(told)["kind"] == "refused":
                raise SystemExit(f"refused: {told}")

    listener = asyncio.create_task(listen())
    start, count = time.perf_counter(), int(60 * seconds)
    for k in range(count):
        await asyncio.sleep(max(0.0, start + k / 60 - time.perf_counter()))
        turn = 2 * np.pi * k / 120
        place = np.asarray(at) + 0.08 * np.array([0, np.sin(turn), np.cos(turn) - 1])
        sent[k + 1] = time.perf_counter()
        await page.send(HEAD.pack(2, 0, control, k + 1, 0.0) + struct.pack("<3d", *place))
    await asyncio.sleep(0.3)
    over = time.perf_counter() - start - 0.3
    listener.cancel()
    await page.send(json.dumps({"kind": "cancel", "drag": 1}))
    await page.close()
    return len(found) / over, np.array(found)


def drags(seconds: float) -> None:
    """Print answers of live drags among a hundred objects."""
    app = furnished(100)
    server = Server(app)
    try:
        actor = app.document.actor()[1]
        hand = np.asarray(actor.figure.fk(actor.posture, frame="grip_right"))[:3, 3]
        target, person = (server.numbers.of(name) or 0 for name in ("target", "person"))
        for name, begin, control, at in (
            (
                "target, solved",
                {"action": "target.move", "node": "target"},
                target,
                [0.4, -0.3, 1.0],
            ),
            (
                "hand, out of obstacles",
                {"action": "figure.drag", "figure": "person", "part": "grip_right"},
                person,
                hand,
            ),
        ):
            rate, found = asyncio.run(dragged(server, begin, control, at, seconds))
            print(
                f"{name:24} {rate:5.1f} answers/s  median {np.median(found):5.2f} ms  "
                f"p99 {np.percentile(found, 99):6.2f} ms  of {len(found)}"
            )
    finally:
        server.stop()


def large(count: int) -> None:
    """Print how long a page waits for a scene of many objects."""
    app = furnished(count)
    text = as_text(app.document)
    began = time.perf_counter()
    fresh = App()
    fresh.do("file.open", name="large.json", text=text)
    read = time.perf_counter() - began
    began = time.perf_counter()
    server = Server(fresh)
    ready = time.perf_counter() - began
    try:
        began = time.perf_counter()
        asyncio.run(opened(server))
        told = time.perf_counter() - began
    finally:
        server.stop()
    print(f"{count} objects: opened in {read:.2f} s, server {ready:.2f} s, told in {told:.2f} s")


def acted(app: App, rng: random.Random, nodes: list[str]) -> None:
    """Do three random actions."""
    node = rng.choice(nodes)
    app.do("node.move", nodes=[node], by=[rng.gauss(0, 0.1) for _ in range(3)])
    app.do("joint.set", dof="elbow_flexion_right", value=rng.uniform(0, 2))
    app.do("node.hide", nodes=[node])


def undone(count: int) -> None:
    """Print whether as many undos as there were actions end in the first document."""
    rng = random.Random(0)
    app = App(furnished(30).document.scene)
    first, mark, nodes = as_text(app.document), len(app.history.before), list(app.document.scene)
    while len(app.history.before) - mark < count:
        acted(app, rng, nodes)
    entries = len(app.history.before) - mark
    for _ in range(entries):
        app.do("edit.undo")
    same = as_text(app.document) == first
    print(f"{entries} undos end in the first document byte for byte: {same}")
    app.close()


def soak(seconds: float) -> None:
    """Print memory over random actions: once as many undos are kept as there can be, and at last."""
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        app = App(furnished(30).document.scene, journal=Path(folder, "journal"))
        nodes = list(app.document.scene)
        tracemalloc.start()
        end, full, count = time.monotonic() + seconds, "", 0
        while time.monotonic() < end:
            acted(app, rng, nodes)
            count += 3
            if not full and len(app.history.before) >= MOST:
                full = f"{tracemalloc.get_traced_memory()[0] / 2**20:.1f} MiB at {count}, "
        size = tracemalloc.get_traced_memory()[0] / 2**20
        print(
            f"random actions: {full}{size:.1f} MiB at {count}, of which {len(app.done)} lines of script"
        )
        app.close()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks app", description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="of each drag")
    parser.add_argument("--soak", type=float, default=20.0, help="seconds of random actions")
    parser.add_argument(
        "--page", type=float, default=15.0, help="seconds of each drag in a browser"
    )
    given = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    if given.seconds:
        drags(given.seconds)
    large(1000)
    if given.page:
        _app_page.main(given.page)
    if given.soak:
        undone(10_000)
        soak(given.soak)
