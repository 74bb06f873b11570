"""Fuzzer of calls of the core while another thread writes into the arrays that they were given.

``python tests/fuzz/meanwhile.py 1 3``: each call of `CALLS` for three seconds, from seed 1.

The core works without Python's lock, so another thread may write while it does. What is answered of numbers that change is
nobody's promise, but memory beyond the arrays is never touched: a fault ends the process. The other thread puts numbers that are no
places of anything, no numbers, and huge ones into an array, puts back what was there, and tries to take its memory away.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import handik as hk
from handik import _core
from handik.errors import HandikError
from handik.scene.check import compiled

Call = tuple[Callable[..., Any], tuple[Any, ...]]
VERTICES = 4000
BAD: dict[str, list[Any]] = {
    "i": [2**31 - 1, -(2**31), 10**6, -1],
    "f": [np.nan, np.inf, -1e300, 1e300, 0.0, -5.0],
    "b": [True, False],
}
PAUSE = 2e-3  # seconds at most that an array stays as it is


def _places(rng: np.random.Generator, n: int, *shape: int) -> Any:
    return rng.integers(0, n, shape).astype(np.int32)


def _arm() -> hk.Model:
    return hk.chain([0.3] * 6, lower=-2.0, upper=2.0)


def figure(rng: np.random.Generator) -> Call:
    """Compile a figure of many pairs."""
    model, n, m = _arm(), 300, 40000
    pair = _places(rng, n, m, 2)
    pair[:, 1] = (pair[:, 0] + 1) % n
    frame = _places(rng, len(model.frame_names), n)
    ends, radius = rng.normal(size=(n, 6)), 0.01 * rng.random(n)
    return _core._scene_figure, (model, frame, ends, radius, pair, np.zeros(m))


def volume(rng: np.random.Generator) -> Call:
    """Measure a surface."""
    return _core._volume, (rng.normal(size=(VERTICES, 3)), _places(rng, VERTICES, 200000, 3))


def normals(rng: np.random.Generator) -> Call:
    """Work out the normals of one."""
    return _core._normals, (rng.normal(size=(VERTICES, 3)), _places(rng, VERTICES, 200000, 4))


def evened(rng: np.random.Generator) -> Call:
    """Even vectors out."""
    vectors, beside = rng.normal(size=(VERTICES, 3)), _places(rng, VERTICES, VERTICES, 6)
    return _core._evened, (vectors, rng.random(VERTICES) < 0.5, beside, 50)


def tapes(rng: np.random.Generator) -> Call:
    """Read cuts."""
    ends, planes = np.tile(np.array([0, 20000], np.int32), (20, 1)), rng.normal(size=(20, 4, 3))
    edges, ways = _places(rng, VERTICES, 20000, 2), rng.normal(size=(2, 90))
    return _core._tapes, (rng.normal(size=(VERTICES, 3)), edges, ends, planes, 20, ways)


def near(rng: np.random.Generator) -> Call:
    """Choose the edges near some heights: they are counted first."""
    ends, edges = (
        np.tile(np.array([0, 20000], np.int32), (100, 1)),
        _places(rng, VERTICES, 20000, 2),
    )
    heights, free = rng.normal(size=VERTICES), np.zeros(20000, bool)
    return _core._edges_near, (heights, edges, free, ends, np.full(100, 5.0))


def skin(rng: np.random.Generator) -> Call:
    """Move a skin."""
    n, poses = 20000, np.tile(np.eye(4), (40, 20, 1, 1))
    share = np.tile([0.5, 0.3, 0.2], (n, 1))
    return _core.skin, (
        rng.normal(size=(n, 3)),
        _places(rng, 20, n, 3),
        share,
        rng.random(n),
        poses,
    )


def whole(rng: np.random.Generator) -> Call:
    """Place the mesh of a person as its fit does."""
    given: list[Any] = []
    real = _core._whole

    def seen(*args: Any) -> Any:
        given.append(args)
        return real(*args)

    _core._whole = seen  # type: ignore[misc]
    try:
        body = hk.human(sex="female", stature=1.6 + 0.01 * rng.random())
        body.surface(body.rest)
    finally:
        _core._whole = real  # type: ignore[misc]
    return real, tuple(_own(x) for x in given[0])


def _own(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(_own(k) for k in x)
    return x.copy() if isinstance(x, np.ndarray) else x


def next_to(rng: np.random.Generator) -> Call:
    """Tell next to which cone points are."""
    return _core._next_to, (rng.normal(size=(20000, 3)), rng.random((100, 8)))


def heights(rng: np.random.Generator) -> Call:
    """Place heights between levels."""
    return _core._heights_place, (np.linspace(0, 1, 50), rng.random(400000))


def grid(rng: np.random.Generator) -> Call:
    """Make the grid of a mesh."""
    return _core.Grid, (rng.normal(size=(200, 3)), _places(rng, 200, 400, 3), 0.1)


def _scene(rng: np.random.Generator, count: int) -> tuple[Any, Any, Any]:
    model = _arm()
    body = hk.Figure(
        model, [hk.Capsule(model.frame_names[-1], (0, 0, 0), (0.1, 0, 0), 0.02)], pairs=[]
    )
    scene = hk.Scene().add(
        "box", hk.scene.Box((0.1, 0.1, 0.1)), pose=((0.3, 0.2, 0.1), (1, 0, 0, 0))
    )
    made = compiled(scene, body)
    return made.world, made.figure, np.array(model.sample(count, seed=int(rng.integers(1 << 30))))


def free(rng: np.random.Generator) -> Call:
    """Ask which postures are free."""
    return _core._scene_free, (*_scene(rng, 20000), 1, None)


def distance(rng: np.random.Generator) -> Call:
    """Ask for distances."""
    return _core._scene_distance, (*_scene(rng, 20000), 1.0, True, 1, None)


def edges(rng: np.random.Generator) -> Call:
    """Prove edges."""
    world, body, q = _scene(rng, 4000)
    return _core._scene_edges, (world, body, q[:2000].copy(), q[2000:].copy(), 1e-3, 1)


def blends(rng: np.random.Generator) -> Call:
    """Round the corners of a polygon."""
    half = np.full(40, 0.3)
    half[[0, -1]] = 0
    return _core._path_blends, (*_scene(rng, 40), np.arange(40.0), half, True, 1e-3)


def search(rng: np.random.Generator) -> Call:
    """Search for paths."""
    world, body, q = _scene(rng, 3)
    ask = 1, 4, 1000, 1.0, 1e-3, 100, 1, False, None, None, None
    return _core._path_search, (world, body, q[0].copy(), q[1:].copy(), *ask)


def speed(rng: np.random.Generator) -> Call:
    """Go along a path as fast as limits allow."""
    n, rows = 3000, rng.normal(size=(2, 3000, 8))
    length, cap = 0.1 + rng.random(n), np.full(n + 1, 3.0)
    return lambda *a: _core.path_speed(*a), (length, *rows.copy(), np.zeros((n, 8)), cap)


def solve(rng: np.random.Generator) -> Call:
    """Solve a batch."""
    model = _arm()
    q, q0 = (np.array(model.sample(4000, seed=int(rng.integers(1 << 30)))) for _ in range(2))
    at = np.array(model.fk(q)[:, :3, 3])
    return lambda x, start: model.solve(position=x, q0=start), (at, q0)


def reach(rng: np.random.Generator) -> Call:
    """Prove what a chain does not reach."""
    model, n = _arm(), 100
    chain = _core._reach_chain(model, model.frame_names[-1], False)
    at, up, q = (
        rng.normal(size=(n, 3)),
        np.tile([0, 0, 1.0], (n, 1)),
        np.array(model.sample(n, seed=1)),
    )
    return _core._reach_prove, (chain, at, up, np.full(n, -1.0), q, 2000, 1)


def passes(rng: np.random.Generator) -> Call:
    """Ask for a way among walls."""
    corner = np.array([[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]])
    place = np.array([[-4, -4, 4, 4.0], [-3.5, -3.5, 0, 0], [3.5, 3.5, 0, 0]])
    return _core._pass_decide, (corner, 3 * rng.normal(size=(60, 4)), place, 1e-3, 1 << 14)


def dynamics(rng: np.random.Generator) -> Call:
    """Work out torques under wrenches at frames."""
    model = _arm()
    q = np.array(model.sample(8000, seed=int(rng.integers(1 << 30))))
    frame, wrench = _places(rng, len(model.frame_names), 50), rng.normal(size=(50, 6))
    none = np.zeros(0, np.int32), np.zeros((0, 10))
    loads = np.zeros(3), False, 0.0, frame, wrench, *none
    return model._dynamics, (0, q, q.copy(), q.copy(), loads)


CALLS = (
    *(figure, volume, normals, evened, tapes, near, skin, whole, next_to, heights, grid, free),
    *(distance, edges, blends, search, speed, solve, reach, passes, dynamics),
)


def arrays(given: Any) -> Iterator[Any]:
    """Give the arrays among arguments."""
    if isinstance(given, np.ndarray):
        yield given
    elif isinstance(given, tuple):
        for one in given:
            yield from arrays(one)


def spoil(mine: list[Any], seed: int, stop: threading.Event) -> None:
    """Write into arrays and put back what was there, until it is told to stop."""
    rng = np.random.default_rng(seed)
    while not stop.is_set():
        one = mine[rng.integers(len(mine))]
        kept, flat, bad = one.copy(), one.reshape(-1), BAD[one.dtype.kind]
        some = rng.integers(0, flat.size, max(1, flat.size // 3))
        time.sleep(PAUSE * rng.random())  # a call is in the midst of its work
        flat[some if rng.random() < 0.7 else slice(None)] = bad[rng.integers(len(bad))]
        time.sleep(PAUSE * rng.random())
        one[...] = kept
        try:
            one.resize(1)  # its memory would be another's
        except ValueError:
            continue


def one(make: Callable[[np.random.Generator], Call], seed: int, seconds: float) -> tuple[int, int]:
    """Call for some seconds; return how often, and how often it answered."""
    ask, given = make(np.random.default_rng(seed))
    stop = threading.Event()
    mine = [a for a in arrays(given) if a.size]
    other = threading.Thread(target=spoil, args=(mine, seed, stop))
    other.start()
    calls = answers = 0
    end = time.monotonic() + seconds
    try:
        while calls == 0 or time.monotonic() < end:
            calls += 1
            try:
                ask(*given)
                answers += 1
            except (HandikError, ValueError):
                continue
    finally:
        stop.set()
        other.join()
    return calls, answers


if __name__ == "__main__":
    for make in CALLS:
        asked, answered = one(make, int(sys.argv[1]), float(sys.argv[2]))
        print(f"{make.__name__}: {asked} calls, {answered} answered", flush=True)
    print("nothing found")
