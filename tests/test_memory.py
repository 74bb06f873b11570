"""Memory: any allocation may fail without a leak; nothing is kept that nobody holds."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik import _core

TARGETS = np.random.default_rng(5).uniform(-1.0, 1.0, (40, 3))


def ball() -> hk.Model:
    return hk.chain([0.5, 0.4, 0.3], "ball")


def hinges() -> hk.Model:
    return hk.Model.from_dh([[0, 0.1, 0, np.pi / 2], [0, 0, 0.4, 0], [0, 0, 0.3, 0]])


def rows(model: hk.Model) -> Any:
    return np.tile(model.rest, (20, 1))


def problem(model: hk.Model) -> hk.Problem:
    return hk.Problem(model, [hk.Position(), hk.Orientation(weight=0.5)])


def solve(_: object, **options: Any) -> Any:
    """Make the model here: it keeps the problems of its goals, also those of a failed call."""
    return ball().solve(position=TARGETS, solver="fabrik", **options).q


def judge(p: hk.Problem) -> Any:
    targets = np.tile([0.5, 0.1, 0.2, 1.0, 0.0, 0.0, 0.0], (20, 1))
    return p.evaluate(targets, rows(p.model))[1]


def residual_jacobian(p: hk.Problem) -> Any:
    return p.jacobian([0.5, 0.1, 0.2, 1.0, 0.0, 0.0, 0.0], p.model.rest)


# name: (what it starts from, made with memory to spare; the call; allocations of the core at least)
CALLS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], int]] = {
    "chain": (lambda: None, lambda _: ball().rest, 2),
    "from_dh": (lambda: None, lambda _: hinges().rest, 2),
    "with_limits": (hinges, lambda m: m.with_limits(joint_1=(-1, 1)).lower, 2),
    "pickle": (lambda: pickle.dumps(hinges()), lambda b: pickle.loads(b).rest, 2),
    "fk": (hinges, lambda m: m.fk(rows(m)), 1),
    "frames": (hinges, lambda m: m.frames(rows(m)), 1),
    "jacobian": (ball, lambda m: m.jacobian(rows(m)), 1),
    "integrate": (ball, lambda m: m.integrate(rows(m), np.ones((20, m.nv))), 0),
    "difference": (ball, lambda m: m.difference(rows(m), rows(m)), 0),
    "clip": (ball, lambda m: m.clip(rows(m)), 0),
    "inverse_dynamics": (ball, lambda m: m.inverse_dynamics(rows(m), payload={"tip": 1.0}), 1),
    "mass_matrix": (ball, lambda m: m.mass_matrix(rows(m), payload={"tip": 1.0}), 1),
    "center_of_mass": (ball, lambda m: m.center_of_mass(rows(m), payload={"tip": 1.0}), 1),
    "Problem": (ball, lambda m: np.array(problem(m).width), 2),
    "judge": (lambda: problem(ball()), judge, 1),
    "residual_jacobian": (lambda: problem(ball()), residual_jacobian, 1),
    "solve": (lambda: None, solve, 5),
    "solve_threads": (lambda: None, lambda _: solve(_, threads=4, retries=2), 5),
    "solve_one": (lambda: None, lambda _: ball().solve(position=TARGETS[0]).q, 5),
    "trace": (lambda: None, lambda _: solve(_, trace=True, max_iter=20), 5),
}


@contextlib.contextmanager
def failing(n: int) -> Iterator[None]:
    """Let the core's allocation after the next n fail, once."""
    _core._fail_allocation(n)
    try:
        yield
    finally:
        _core._fail_allocation(-1)


@pytest.mark.parametrize("name", CALLS)
def test_every_allocation_may_fail(name: str) -> None:
    make, call, least = CALLS[name]
    wanted = np.array(call(make()))
    failures = 0
    for n in range(100):
        start = make()
        gc.collect()
        before = _core._live_blocks()
        failed = False
        try:
            with failing(n):
                call(start)
        except MemoryError:  # its traceback holds what the call held, until this block ends
            failed = True
        if not failed:
            break
        failures += 1
        gc.collect()
        assert _core._live_blocks() == before, f"allocation {n} failed and left a block behind"
        # What was there before is whole, and the same call now works.
        assert np.array(call(start)).tobytes() == wanted.tobytes()
    else:
        pytest.fail("100 allocations in one call")
    assert failures >= least


def test_the_hook_fails_once_and_is_off_again() -> None:
    with failing(0), pytest.raises(MemoryError):
        ball()
    assert ball().nq == 12


def test_blocks_are_freed_with_their_objects() -> None:
    gc.collect()
    before = _core._live_blocks()
    model = ball()
    p = problem(model)
    assert _core._live_blocks() > before
    view = model.lower
    del model
    gc.collect()
    assert p.width == 7  # a problem keeps its model
    assert judge(p).shape == (20,)
    del p
    gc.collect()
    assert view.shape == (12,)  # a view keeps its model
    assert _core._live_blocks() > before
    del view
    gc.collect()
    assert _core._live_blocks() == before


def growth(turn: Callable[[], None], times: int) -> int:
    """Return how many of Python's blocks `times` turns leave behind, the least of some rounds.

    The interpreter's own caches fill up in the first rounds, the longer it has run the more slowly;
    what leaks does so in every one.
    """
    least = sys.maxsize
    turn()
    for _ in range(16):
        gc.collect()
        blocks, python = _core._live_blocks(), sys.getallocatedblocks()
        for _ in range(times):
            turn()
        gc.collect()
        assert _core._live_blocks() == blocks
        least = min(least, sys.getallocatedblocks() - python)
        if least < 10:
            break
    return least


def test_creating_solving_and_dropping_keeps_nothing() -> None:
    def turn() -> None:
        model = ball()
        model.solve(position=TARGETS, threads=2)
        model.fk(rows(model))

    assert growth(turn, 100) < 50


def test_wrong_calls_keep_nothing() -> None:
    model, p = ball(), problem(ball())
    wrong: list[Callable[[], Any]] = [
        lambda: model.fk(np.zeros(3)),
        lambda: model.fk(model.rest, frame="no such frame"),
        lambda: model.fk(model.rest, out=np.zeros(3)),
        lambda: model.fk("text"),
        lambda: model.jacobian(model.rest, nonsense=1),
        lambda: model.integrate(model.rest, np.zeros(2)),
        lambda: model.solve(position=[1, 2]),
        lambda: model.solve(position=[1, 2, 3], solver="no such solver"),
        lambda: model.solve(position=[1, 2, 3], max_iter=-1),
        lambda: model.solve(position=[1, 2, 3], q0=np.zeros(5)),
        lambda: model.solve(position=[1, 2, 3], out=np.zeros(5)),
        lambda: p.evaluate([1, 2, 3], p.model.rest),
        lambda: hk.chain([-1.0]),
        lambda: hk.Problem(model, []),
    ]

    def turn() -> None:
        for call in wrong:
            with contextlib.suppress(hk.HandikError, TypeError, ValueError):
                call()
                pytest.fail("a wrong call passed")

    assert growth(turn, 100) < 50


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.skipif(
    "san.so" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer holds back what is freed"
)
def test_large_results_are_given_back() -> None:
    def megabytes() -> float:
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4096 / 2**20

    model = hk.chain([0.1] * 10, "ball")
    q = np.tile(model.rest, (10_000, 1))  # 3 MiB, and 10 MiB of poses
    model.frames(q)
    before = megabytes()
    for _ in range(60):
        model.frames(q)
        model.jacobian(q)
    assert megabytes() - before < 60  # a leak of any one result would be 180 MiB or more
