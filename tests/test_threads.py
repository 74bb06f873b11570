"""Threads, batches and interruption: the same bytes however the work is cut, and no hang."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import handik as hk
from handik import _core

COUNT = 70
ARRAYS = (
    "q",
    "outcome",
    "error",
    "position_error",
    "orientation_error",
    "iterations",
    "n_restarts",
)


def figures() -> dict[str, tuple[hk.Model, str]]:
    """Every solver, on figures that take different ways through it."""
    balls = hk.chain([1.0, 0.7, 0.5, 0.3], "ball")
    hinges = hk.chain([1.0, 0.7, 0.5, 0.3], lower=-2.0, upper=2.5)
    arm = hk.Model.from_dh(
        [[0, 0.3, 0, np.pi / 2], [0, 0, 0.5, 0], [0.2, 0, 0.4, 0], [0, 0, 0.1, np.pi / 2]],
        lower=-2.5,
        upper=2.5,
    )
    made = {"balls": balls, "hinges": hinges, "arm": arm}
    return {
        f"{name}-{solver}": (model, solver)
        for name, model in made.items()
        for solver in ("fabrik", "ccd")
    }


FIGURES = figures()


def problems(model: hk.Model, count: int = COUNT) -> tuple[np.ndarray, np.ndarray]:
    """Targets in reach, at the edge, beyond it, on the start, and one that is not finite."""
    targets = model.fk(model.sample(count, seed=11))[:, :3, 3].copy()
    targets[1 % count] = [3 * model.max_reach, 0, 0]
    targets[5 % count] = model.fk(model.rest)[:3, 3]
    targets[9 % count, 1] = np.nan
    return targets, model.sample(count, seed=12)


def equal_bytes(a: Any, b: Any) -> None:
    for name in ARRAYS:
        x, y = np.asarray(getattr(a, name)), np.asarray(getattr(b, name))
        assert x.shape == y.shape
        assert x.tobytes() == y.tobytes(), name


@pytest.fixture
def any_simd() -> Iterator[None]:
    before = _core.simd()
    yield
    assert _core.simd_select(before)


# -- the same bytes -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("retries", [0, 2])
@pytest.mark.parametrize("own", [False, True], ids=["one q0", "own q0"])
def test_bytes_do_not_depend_on_threads(name: str, retries: int, own: bool) -> None:
    model, solver = FIGURES[name]
    targets, starts = problems(model)
    options: dict[str, Any] = {
        "solver": solver,
        "q0": starts if own else starts[0],
        "retries": retries,
        "seed": 3,
        "max_iter": 60,
        "trace": True,
    }
    one = model.solve(position=targets, threads=1, **options)
    for threads in (2, 3, 8, 0):
        many = model.solve(position=targets, threads=threads, **options)
        equal_bytes(many, one)
        assert many.trace.error.tobytes() == one.trace.error.tobytes()


@pytest.mark.parametrize("name", FIGURES)
@given(
    data=st.data(),
    size=st.integers(0, COUNT),
    own=st.booleans(),
    threads=st.integers(1, 3),
)
def test_a_batch_is_its_rows(name: str, data: Any, size: int, own: bool, threads: int) -> None:
    """solve(batch)[i] is solve(batch[i]), bit for bit, for any cut and order of the batch."""
    model, solver = FIGURES[name]
    targets, starts = problems(model)
    order = data.draw(st.permutations(range(COUNT)))[:size]
    rows, q0 = targets[order], starts[order] if own else starts[0]
    options: dict[str, Any] = {"solver": solver, "max_iter": 40}
    whole = model.solve(position=rows, q0=q0, threads=threads, **options)
    assert whole.q.shape == (size, model.nq)
    if size == 0:
        return
    for i in sorted({0, size - 1, data.draw(st.integers(0, size - 1))}):
        one = model.solve(position=rows[i], q0=q0[i] if own else q0, **options)
        equal_bytes(whole[i], one)


@pytest.mark.parametrize("name", FIGURES)
def test_instruction_sets_give_the_same_bytes(name: str, any_simd: None) -> None:
    model, solver = FIGURES[name]
    targets, starts = problems(model, 200)
    results = {}
    for simd in ("base", "avx2", "avx512", "neon"):
        if not _core.simd_select(simd):
            continue
        assert hk.show_config()["simd"] == simd
        results[simd] = [
            model.solve(position=targets, q0=q0, solver=solver, max_iter=50)
            for q0 in (None, starts)
        ]
    assert results
    first = next(iter(results.values()))
    for other in results.values():
        for a, b in zip(first, other, strict=True):
            equal_bytes(a, b)


def test_simd_names_are_checked(any_simd: None) -> None:
    for bad in ("", "sse9", "avx2\0x", "\udc80"):
        assert not _core.simd_select(bad)
    with pytest.raises(TypeError):
        _core.simd_select(3)  # type: ignore[arg-type]
    assert _core.simd_select("auto")


@pytest.mark.parametrize("name", FIGURES)
def test_properties_of_every_answer(name: str) -> None:
    """Limits hold to 1e-12, links keep their lengths to 1e-12, the judge's word is true."""
    model, solver = FIGURES[name]
    targets, starts = problems(model, 400)
    result = model.solve(position=targets, q0=starts, solver=solver, max_iter=80)
    solved = np.isfinite(targets).all(axis=1)
    q = result.q[solved]
    assert (q >= model.lower - 1e-12).all()
    assert (q <= model.upper + 1e-12).all()
    frames = model.frames(q)[..., :3, 3]
    rest = model.frames(model.rest)[:, :3, 3]
    kept = np.linalg.norm(np.diff(frames, axis=1), axis=-1)
    want = np.linalg.norm(np.diff(rest, axis=0), axis=-1)
    if name.startswith("arm"):  # a joint between two of its frames may bring them nearer
        want = kept[0]
    np.testing.assert_allclose(kept, np.broadcast_to(want, kept.shape), rtol=1e-12, atol=1e-14)
    tip = model.fk(q)[:, :3, 3]
    distance = np.linalg.norm(tip - targets[solved], axis=1)
    np.testing.assert_allclose(
        result.position_error[solved], distance, atol=1e-13 * model.max_reach
    )
    inside = distance <= 1e-4 * model.max_reach
    near = np.abs(distance - 1e-4 * model.max_reach) < 1e-12
    assert ((result.converged[solved] == inside) | near).all()


# -- Python threads -------------------------------------------------------------------------------


def test_eight_python_threads_share_one_model() -> None:
    model, solver = FIGURES["balls-fabrik"]
    targets, starts = problems(model)
    want = model.solve(position=targets, q0=starts, solver=solver)
    poses = model.frames(starts)
    faults: list[BaseException] = []

    def work(k: int) -> None:
        try:
            for _ in range(10):
                equal_bytes(
                    model.solve(
                        position=targets,
                        q0=starts,
                        solver=solver,
                        threads=1 + k % 2,
                        position_tolerance=None if k % 3 else 1e-4 * model.max_reach,
                    ),
                    want,
                )
                np.testing.assert_array_equal(model.frames(starts), poses)
        except BaseException as fault:
            faults.append(fault)

    crew = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    assert not faults, faults[0]


def long_call() -> dict[str, Any]:
    """A solve that takes hours if nobody stops it: at the edge of the reach steps are tiny."""
    model = hk.chain([1.0] * 10, "ball")
    targets = np.broadcast_to([10 - 1e-9, 0.0, 0.0], (400_000, 3))
    return {
        "model": model,
        "position": targets,
        "q0": model.sample(seed=1),
        "position_tolerance": 0.0,
        "ftol": 0.0,
        "max_iter": 1_000_000,
        "solver": "fabrik",
    }


def test_the_gil_is_released() -> None:
    """While one thread solves, another counts."""
    call = long_call()
    model = call.pop("model")
    stop, seen = threading.Event(), []

    def progress(done: int, total: int) -> None:
        if stop.is_set():
            raise RuntimeError("enough")

    def solve() -> None:
        with pytest.raises(RuntimeError, match="enough"):
            model.solve(**call, progress=progress)
        seen.append("stopped")

    thread = threading.Thread(target=solve)
    thread.start()
    ticks = 0
    for _ in range(40):
        time.sleep(0.005)
        ticks += 1
    assert thread.is_alive(), "the call was over too soon to say anything"
    assert ticks == 40
    stop.set()
    thread.join()
    assert seen == ["stopped"]


# -- progress and Ctrl-C --------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_counts_up_to_all(threads: int) -> None:
    model, solver = FIGURES["arm-ccd"]
    targets, starts = problems(model, 20_000)
    calls: list[tuple[int, int]] = []
    main = threading.get_ident()

    def progress(done: int, total: int) -> None:
        assert threading.get_ident() == main
        calls.append((done, total))

    result = model.solve(
        position=targets, q0=starts, solver=solver, threads=threads, progress=progress
    )
    done = [d for d, _ in calls]
    assert {t for _, t in calls} == {len(targets)}
    assert done == sorted(done)
    assert done[-1] == len(targets)
    equal_bytes(result, model.solve(position=targets, q0=starts, solver=solver))


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_in_progress_stops_the_call(threads: int) -> None:
    call = long_call()
    model = call.pop("model")

    class Odd(Exception):
        pass

    def progress(done: int, total: int) -> None:
        raise Odd("from within")

    before = _core._live_blocks()
    began = time.process_time()
    with pytest.raises(Odd, match="from within"):
        model.solve(**call, threads=threads, progress=progress)
    assert time.process_time() - began < 30
    # The problem is cached by the model, and keeps its plan; nothing else stays.
    assert _core._live_blocks() <= before + 2
    assert model.solve(position=[1, 2, 3]).converged


HEAD = """
import os, signal, sys, threading, time
import numpy as np
import handik as hk
ready = threading.Event()
def interrupt():
    ready.wait()
    time.sleep(0.2)
    print("sent", time.process_time(), flush=True)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
def late(call):
    try:
        ready.set()
        call()
        print("finished", flush=True)
    except KeyboardInterrupt:
        print("caught", time.process_time(), flush=True)
"""
LONG = {
    "batch": """
model = hk.chain([1.0] * 10, "ball")
targets = np.broadcast_to([10 - 1e-9, 0.0, 0.0], (400_000, 3))
late(lambda: model.solve(position=targets, q0=model.sample(seed=1), position_tolerance=0.0,
     ftol=0.0, max_iter=1_000_000, solver="{solver}", threads={threads}))
""",
    "one huge problem": """
n = 20_000
model = hk.chain(np.ones(n), "ball")
late(lambda: model.solve(position=[n * (1 - 1e-9), 0.0, 0.0], q0=model.sample(seed=1),
     position_tolerance=0.0, ftol=0.0, max_iter=1_000_000, solver="{solver}", threads={threads}))
""",
    "retries": """
model = hk.chain([1.0] * 10, "ball")
late(lambda: model.solve(position=[10 - 1e-9, 0.0, 0.0], q0=model.sample(seed=1),
     position_tolerance=0.0, ftol=0.0, max_iter=3000, retries=10**9, solver="{solver}",
     threads={threads}))
""",
}


def wait_after_signal(kind: str, threads: int, solver: str) -> float:
    """Return the processor's seconds, of all threads, from the signal to the KeyboardInterrupt."""
    script = HEAD + LONG[kind].format(solver=solver, threads=threads)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False
    )
    words = dict(line.split() for line in done.stdout.splitlines() if " " in line)
    assert "caught" in words, done.stdout + done.stderr
    return float(words["caught"]) - float(words["sent"])


@pytest.mark.parametrize("solver", ["fabrik", "ccd"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", LONG)
def test_ctrl_c_within_a_fifth_of_a_second(kind: str, threads: int, solver: str) -> None:
    """By the processor's time, as others use the machine too; the least of up to five."""
    waits: list[float] = []
    most = 0.2 * threads
    while len(waits) < 5 and not any(wait < most for wait in waits):
        waits.append(wait_after_signal(kind, threads, solver))
    assert min(waits) < most, waits


def solved_on_threads(model: hk.Model, targets: np.ndarray) -> np.ndarray:
    return model.solve(pose=targets, threads=2).q


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_joblib_gives_the_same_bytes(backend: str) -> None:
    """Processes forked or begun anew after threads were used here, which use threads themselves."""
    joblib = pytest.importorskip("joblib")
    model = hk.data("ur5")
    targets = model.fk(model.sample(200, seed=1))
    whole = solved_on_threads(model, targets)
    call = joblib.delayed(solved_on_threads)
    parts = joblib.Parallel(n_jobs=2, backend=backend)(
        call(model, part) for part in np.split(targets, 4)
    )
    assert np.concatenate(parts).tobytes() == whole.tobytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_after_use() -> None:
    """No thread stays behind a call, so that a child can solve with threads of its own."""
    model, solver = FIGURES["balls-fabrik"]
    targets, starts = problems(model)
    want = model.solve(position=targets, q0=starts, solver=solver, threads=4)
    child = os.fork()
    if child == 0:
        code = 3
        try:
            got = model.solve(position=targets, q0=starts, solver=solver, threads=4)
            code = 0 if got.q.tobytes() == want.q.tobytes() else 1
        finally:
            os._exit(code)
    for _ in range(5000):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        time.sleep(0.02)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0


# -- time limits ----------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["fabrik", "ccd"])
def test_time_limit_is_an_outcome(solver: str) -> None:
    n = 3000
    model = hk.chain(np.ones(n), "ball")
    began = time.process_time()
    result = model.solve(
        position=[[n * (1 - 1e-9), 0.0, 0.0]] * 2,  # at the edge, where steps are small
        q0=model.sample(seed=1),
        position_tolerance=0.0,
        ftol=0.0,
        max_iter=1_000_000,
        solver=solver,
        time_limit=0.05,
    )
    assert time.process_time() - began < 30
    assert (result.outcome == hk.Outcome.TIME_LIMIT).all()
    assert np.isfinite(result.q).all()


def many_calls() -> dict[str, Any]:
    """Calls that loop in the core over a batch, and no solver among them."""
    arm = hk.Model.from_dh(
        [[0, 0.3, 0, np.pi / 2], [0, 0, 0.5, 0], [0.2, 0, 0.4, 0], [0, 0, 0.1, np.pi / 2]]
    )
    problem = hk.Problem(arm, [hk.Pose()])
    n = 20_000
    q = np.tile(np.linspace(-1.0, 1.0, arm.nq), (n, 1))
    targets = np.tile([0.3, 0.2, 0.1, 1.0, 0.0, 0.0, 0.0], (10 * n, 1))
    poses = np.tile(np.eye(4), (4 * n, 1, 1))
    axes = np.tile([1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0, 0, 1.0, 0], (n, 1))
    return {
        "residual": lambda: problem.residual(targets[:n], q),
        "jacobian": lambda: problem.jacobian(targets[:n], q),
        "judge": lambda: problem.evaluate(targets[:n], q),
        "measure": lambda: problem._measure(targets[:n], q),
        "floor": lambda: problem._floor(targets),
        "pose_columns": lambda: _core.pose_columns(poses),
        "subproblem": lambda: _core.subproblem(2, axes),
    }


@pytest.mark.parametrize("name", many_calls())
def test_others_run_while_the_core_loops(name: str) -> None:
    """The interpreter takes the GIL from nobody for a minute: others run only when it is given."""
    call = many_calls()[name]
    begun, seen = threading.Event(), threading.Event()
    held = []

    def work() -> None:
        begun.set()
        for _ in range(500):
            call()
            if seen.is_set():
                return
        held.append(name)

    before = sys.getswitchinterval()
    thread = threading.Thread(target=work)
    try:
        sys.setswitchinterval(60.0)
        thread.start()
        begun.wait()
        seen.set()
    finally:
        thread.join()
        sys.setswitchinterval(before)
    assert not held
