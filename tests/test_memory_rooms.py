"""Any allocation may fail without a leak in closed forms, platforms, scenes, ways, verdicts and skins too."""

from __future__ import annotations

import functools
import gc
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik import _core

FAR = np.array([2.0, 0.0, 0.0])
START, END = np.zeros(6), np.array([0.5, -0.5, 0.5, 0.0, 0.0, 0.0])
Q = np.linspace(START, END, 20)
CUBE = 0.2 * (np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)]) - 0.5)
FACES = (
    *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
    *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
)


def arm() -> hk.Model:
    return hk.data("ur5")


def figure() -> hk.Figure:
    model = arm()
    bones = [hk.Capsule(f"link_{k}", [0, 0, 0], [0, 0, 0.1], 0.03) for k in (2, 3)]
    return hk.Figure(model, bones, [])


def boxes() -> tuple[hk.Scene, hk.Figure]:
    places = np.random.default_rng(0).uniform(0.5, 0.8, (4, 3))
    scene = hk.Scene()
    for k, place in enumerate(places):
        scene = scene.add(f"box {k}", hk.scene.Box([0.1, 0.2, 0.1]), place)
    return scene, figure()


def mesh() -> tuple[hk.Scene, hk.Figure]:
    shape = hk.scene.Mesh(vertices=CUBE, faces=FACES)
    return hk.Scene().add("mesh", shape, [0.6, 0.0, 0.3]), figure()


def clear(given: tuple[hk.Scene, hk.Figure]) -> Any:
    scene, one = given
    problem = hk.Problem(one.model, [hk.Position(), hk.Clearance(scene, one, distance=0.01)])
    return hk.Solver("auto")(problem, np.tile([0.3, 0.2, 0.4], (9, 1))).q


def reach(model: hk.Model) -> Any:
    return np.array([hk.access.reach(model, None, FAR).short])


def postures(_: object) -> Any:
    platform = hk.parallel.StewartPlatform.hexagon(1.0, 0.6, 0.2, 0.25)
    pose = np.eye(4)
    pose[:3, 3] = 0.05, 0.1, 1.0
    return platform.postures(platform.ik(pose)).T


# name: (what it starts from, made with memory to spare; the call; allocations of the core at least)
CALLS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], int]] = {
    "solutions": (arm, lambda m: m.solutions(m.fk(END)).q, 2),
    "postures": (lambda: None, postures, 1),
    "free": (boxes, lambda given: given[0].free(given[1], Q), 5),
    "distance": (boxes, lambda given: given[0].distance(given[1], Q), 5),
    "proves": (boxes, lambda given: np.array([str(given[0].proves(given[1], *Q[[0, -1]]))]), 5),
    "grid": (mesh, lambda given: given[0].distance(given[1], Q), 5),
    "clearance": (boxes, clear, 10),
    "path": (boxes, lambda given: hk.plan.path(*given, START, END, seed=0).q, 20),
    "reach": (lambda: hk.chain([0.4, 0.3, 0.2]), reach, 5),
}


@functools.lru_cache(1)
def caches() -> list[Any]:
    """What verdicts keep of the last models and scenes."""
    found = pkgutil.walk_packages(hk.scene.__path__, "handik.scene.")
    kept = [one for each in found for one in vars(importlib.import_module(each.name)).values()]
    return [one for one in kept if hasattr(one, "cache_clear")]


def forget() -> None:
    for one in caches():
        one.cache_clear()
    gc.collect()


def tried(make: Callable[[], Any], call: Callable[[Any], Any], n: int) -> bytes | None:
    """What the call answers after its allocation n has failed; None: it has no so many."""
    start = make()
    _core._fail_allocation(n)
    try:
        call(start)
    except MemoryError:
        pass
    else:
        return None
    finally:
        _core._fail_allocation(-1)
    return np.array(call(start)).tobytes()


@pytest.mark.parametrize("name", CALLS)
def test_every_allocation_may_fail_in_this_room(name: str) -> None:
    make, call, least = CALLS[name]
    wanted = np.array(call(make())).tobytes()
    forget()
    n, step, failures = 0, 1, 0
    while True:
        before = _core._live_blocks()
        after = tried(make, call, n)
        forget()
        if after is None:
            break
        assert after == wanted, f"after allocation {n} failed the same call answers otherwise"
        assert _core._live_blocks() == before, f"allocation {n} failed and left a block behind"
        failures += 1
        n, step = n + step, step + failures // 8  # all of the first ones, then ever fewer
    assert n >= least
