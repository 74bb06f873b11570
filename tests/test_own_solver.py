"""Solvers written in Python: called, judged, stopped, traced and compared as those of the library are."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import handik as hk
from handik.solve import own

Array = NDArray[np.float64]
ARM = hk.chain([0.4, 0.3, 0.2], lower=-2.5, upper=2.5)
START = np.array([0.3, 0.4, 0.5])


def newton(problem: Any, target: Array, q0: Array, *, damping: float = 1e-3) -> Iterator[Array]:
    """Damped least squares, as a course has it."""
    q = q0
    while True:
        e, J = problem.residual(target, q), problem.jacobian(target, q)
        q = q - J.T @ np.linalg.solve(J @ J.T + damping * np.eye(len(e)), e)
        yield (q := problem.model.clip(q))


@pytest.fixture(autouse=True)
def mine() -> None:
    hk.solver("mine", reference="a course", max_iter=200)(newton)


def targets(n: int, seed: int = 1) -> Array:
    return ARM.fk(ARM.sample(n, seed=seed))[:, :3, 3]


def test_it_is_called_by_its_name_and_judged() -> None:
    many = targets(40)
    found = ARM.solve(position=many, solver="mine", q0=START)
    assert found.solver == "mine"
    assert found.q.shape == (40, 3)
    met = found.problem.evaluate(found.targets, found.q)[0]
    np.testing.assert_array_equal(found.converged, met)
    assert found.converged.mean() > 0.7
    assert (found.q >= ARM.lower).all()
    assert (found.q <= ARM.upper).all()
    assert set(found.method.tolist()) == {hk.Method.ITERATION}
    for k in (0, 39):
        one = ARM.solve(position=many[k], solver="mine", q0=START)
        assert one.q.tobytes() == found.q[k].tobytes()
        assert (one.outcome, one.iterations) == (found[k].outcome, found[k].iterations)
    problem = hk.Problem(ARM, [hk.Position()])
    again = hk.Solver("mine")(problem, many, START)
    assert again.q.tobytes() == found.q.tobytes()
    wide = hk.Solver("mine")(problem, many.reshape(4, 10, 3), START)
    assert wide.q.tobytes() == found.q.tobytes()
    assert wide.converged.shape == (4, 10)
    assert ARM.solve(position=np.empty((0, 3)), solver="mine").q.shape == (0, 3)


def test_it_stands_in_the_table() -> None:
    row = hk.solvers()["mine"]
    assert row.summary == "Damped least squares, as a course has it."
    assert (row.reference, row.max_iter, row.options) == ("a course", 200, {"damping": 1e-3})
    assert row.plain == {}
    assert "mine" in repr(hk.solvers())
    assert hk.solvers()[0].name == "auto"


def test_its_options() -> None:
    seen: list[float] = []

    def noting(problem: Any, target: Array, q0: Array, *, gain: float = 2) -> Array:
        seen.append(gain)
        return q0

    hk.solver("noting")(noting)
    ARM.solve(position=[0.5, 0.5, 0], solver="noting")
    ARM.solve(position=[0.5, 0.5, 0], solver="noting", gain=7)
    assert seen == [2.0, 7]
    with pytest.raises(hk.ArgumentError, match="there is no option 'gian'; did you mean gain="):
        hk.Solver("noting", gian=1)
    with pytest.raises(hk.ArgumentError, match="there is no option 'perturbations'"):
        hk.Solver("noting", perturbations=1)
    with pytest.raises(hk.ArgumentError, match="option 'how' of a solver needs a number"):
        hk.solver("x")(lambda problem, target, q0, *, how: q0)


def test_names_that_are_taken_or_none() -> None:
    with pytest.raises(hk.ArgumentError, match="'ccd' is a solver of the library"):
        hk.solver("ccd")
    with pytest.raises(hk.ArgumentError, match="must be a text"):
        hk.solver("")
    with pytest.raises(hk.NotFoundError, match="near names: mine"):
        hk.Solver("mime")
    hk.solver("mine")(lambda problem, target, q0: q0)  # the second of that name
    assert ARM.solve(position=[0.5, 0.5, 0], solver="mine", q0=START).iterations == 1


def answer(kind: str) -> Any:
    def solve(problem: Any, target: Array, q0: Array) -> Any:
        if kind == "nan":
            return q0 * np.nan
        if kind == "outside":
            return np.full(3, 99.0)
        if kind == "pair":
            return START, 17
        return START

    return solve


@pytest.mark.parametrize(
    ("kind", "outcome", "iterations"),
    [
        ("nan", "DIVERGED", 1),
        ("outside", "STALLED", 1),
        ("pair", "STALLED", 17),
        ("q", "STALLED", 1),
    ],
)
def test_what_a_plain_function_gives(kind: str, outcome: str, iterations: int) -> None:
    hk.solver("plain")(answer(kind))
    found = ARM.solve(position=[0.1, 0.7, 0], solver="plain", q0=[0.1, 0.1, 0.1])
    assert found.outcome == hk.Outcome[outcome]
    assert found.iterations == iterations
    assert np.isfinite(found.q).all()
    assert (found.q <= ARM.upper).all()
    assert found.error == pytest.approx(found.position_error)
    goal = ARM.fk(START)[:3, 3]
    met = ARM.solve(position=goal, solver="plain", q0=[0.1, 0.1, 0.1])
    assert met.converged == (kind in ("pair", "q"))


def test_the_best_is_the_answer() -> None:
    goal = ARM.fk(START)[:3, 3]

    def wander(problem: Any, target: Array, q0: Array) -> Iterator[Array]:
        yield START + 0.5
        yield START + 0.01
        yield START + 0.7

    hk.solver("wander")(wander)
    found = ARM.solve(position=goal, solver="wander", q0=[-1, -1, -1.0])
    assert found.outcome == hk.Outcome.STALLED
    assert found.iterations == 3
    np.testing.assert_array_equal(found.q, START + 0.01)


def test_a_start_on_the_target_and_targets_that_are_none() -> None:
    calls: list[int] = []

    def count(problem: Any, target: Array, q0: Array) -> Array:
        calls.append(1)
        return q0

    hk.solver("count")(count)
    goal = ARM.fk(START)[:3, 3]
    found = ARM.solve(position=[goal, [np.nan, 0, 0], goal], solver="count", q0=START)
    assert found.outcome.tolist() == [
        hk.Outcome.CONVERGED,
        hk.Outcome.INVALID,
        hk.Outcome.CONVERGED,
    ]
    assert not calls
    assert found.iterations.tolist() == [0, 0, 0]
    assert np.isnan(found.q[1]).all()
    assert found.method.tolist() == [1, 0, 1]
    assert ARM.solve(position=[9, 9, 9], solver="mine", max_iter=0).outcome == hk.Outcome.MAX_ITER


def test_caps_and_time() -> None:
    closed: list[int] = []

    def forever(problem: Any, target: Array, q0: Array) -> Iterator[Array]:
        try:
            while True:
                time.sleep(0.002)
                yield q0
        finally:
            closed.append(1)

    hk.solver("forever", max_iter=5)(forever)
    far = {"position": [9.0, 9.0, 9.0], "solver": "forever"}
    found = ARM.solve(**far)
    assert (found.outcome, found.iterations) == (hk.Outcome.MAX_ITER, 5)
    assert ARM.solve(**far, max_iter=3).iterations == 3
    late = ARM.solve(**far, max_iter=10**6, time_limit=0.05)
    assert late.outcome == hk.Outcome.TIME_LIMIT
    assert 1 <= late.iterations <= 26
    again = ARM.solve(**far, retries=2)
    assert (again.iterations, again.n_restarts) == (15, 2)
    assert len(closed) == 6


def test_restarts_find_what_one_start_does_not() -> None:
    starts: list[Array] = []

    def lucky(problem: Any, target: Array, q0: Array) -> Array:
        starts.append(q0)
        return START if len(starts) == 4 else q0

    hk.solver("lucky")(lucky)
    goal = ARM.fk(START)[:3, 3]
    found = ARM.solve(position=goal, solver="lucky", retries=10, seed=3)
    assert found.converged
    assert (found.n_restarts, found.iterations, len(starts)) == (3, 4, 4)
    assert len({s.tobytes() for s in starts}) == 4
    drawn = [s.tobytes() for s in starts]
    starts.clear()
    ARM.solve(position=goal, solver="lucky", retries=10, seed=3)
    assert [s.tobytes() for s in starts] == drawn
    starts.clear()
    ARM.solve(position=goal, solver="lucky", retries=10, seed=4)
    assert [s.tobytes() for s in starts][1:] != drawn[1:]


def test_traces_progress_and_out() -> None:
    many, heard = targets(6), []
    out = np.empty((6, 3))
    found = hk.Solver("mine")(
        hk.Problem(ARM, [hk.Position()]),
        many,
        q0=START,
        out=out,
        trace=True,
        progress=lambda done, total: heard.append((done, total)),
    )
    assert found.q is out
    assert heard == [(k, 6) for k in range(1, 7)]
    assert found.trace is not None
    np.testing.assert_array_equal(found.trace.q[:, 0], np.tile(START, (6, 1)))
    np.testing.assert_array_equal(found.trace.iterations, found.iterations)
    with pytest.raises(hk.ArgumentError, match="out must have shape"):
        hk.Solver("mine")(found.problem, many, out=np.empty((5, 3)))


def test_what_the_function_raises_and_wrong_shapes_come_through() -> None:
    def broken(problem: Any, target: Array, q0: Array) -> Array:
        raise KeyError("mine alone")

    hk.solver("broken")(broken)
    with pytest.raises(KeyError, match="mine alone"):
        ARM.solve(position=[0.5, 0.5, 0], solver="broken")
    for bad in (np.zeros(2), np.zeros((1, 3)), "text", None):
        hk.solver("bad")(lambda problem, target, q0, bad=bad: bad)
        with pytest.raises(hk.ArgumentError, match=r"q of solver 'bad'|solver 'bad' must give"):
            ARM.solve(position=[0.5, 0.5, 0], solver="bad")


def test_solvers_are_pickled_copied_and_compared() -> None:
    solver = hk.Solver("mine", damping=0.5, max_iter=7)
    assert pickle.loads(pickle.dumps(solver)) == solver
    assert repr(solver) == "Solver('mine', max_iter=7, damping=0.5)"
    own.KNOWN.clear()
    with pytest.raises(hk.NotFoundError, match="no solver is called 'mine'"):
        solver(hk.Problem(ARM, [hk.Position()]), [0.5, 0.5, 0])


def test_the_same_bytes_from_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "my_solvers.py").write_text(
        "import numpy as np\nimport handik as hk\n"
        "@hk.solver('elsewhere')\n"
        "def elsewhere(problem, target, q0):\n"
        "    q = q0\n"
        "    for _ in range(50):\n"
        "        e, J = problem.residual(target, q), problem.jacobian(target, q)\n"
        "        q = q - J.T @ np.linalg.solve(J @ J.T + 1e-3 * np.eye(len(e)), e)\n"
        "        yield q\n",
        "utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    import my_solvers  # type: ignore[import-not-found]

    many = targets(9)
    want = ARM.solve(position=many, solver="elsewhere", retries=2)
    got = ARM.solve(position=many, solver="elsewhere", retries=2, threads=2)
    assert got.q.tobytes() == want.q.tobytes()
    for name in ("outcome", "iterations", "n_restarts", "error"):
        assert getattr(got, name).tobytes() == getattr(want, name).tobytes()
    del sys.modules["my_solvers"], my_solvers
    hk.solver("local")(lambda problem, target, q0: q0)
    with pytest.raises(hk.ArgumentError, match=r"'local' cannot be sent .* into a module"):
        ARM.solve(position=many, solver="local", threads=2)


def test_it_is_compared_and_tracked() -> None:
    study = hk.study.compare(ARM, hk.study.figure_of_eight(12), solvers=["mine", "ccd"], runs=2)
    assert study["mine"].solved == 1.0
    table = hk.study.survey(["planar9"], solvers=["mine"], problems=5)
    assert table.row("planar9", "mine").solved > 0
    path = np.linspace([0.5, 0.3, 0], [0.3, 0.5, 0], 12)
    assert ARM.track(position=path, solver="mine", q0=START).converged.all()


def test_the_command_line_imports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from handik.app.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("shell_solver.py").write_text(
        "import handik as hk\nhk.solver('shell')(lambda problem, target, q0: q0)\n", "utf-8"
    )
    words = ["compare", "--chain", "2", "--runs", "1", "--frames", "3"]
    assert main([*words, "--import", "shell_solver", "--solvers", "shell,ccd"]) == 0
    assert "shell" in capsys.readouterr().out
    assert main([*words, "--import", "no_such_module"]) == 2
    assert "no_such_module" in capsys.readouterr().err


def test_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("scipy")
    from _native import SOURCE

    text = (SOURCE / "docs" / "own-solvers.md").read_text("utf-8")
    blocks = [part.split("```")[0] for part in text.split("```python\n")[1:]]
    assert len(blocks) == 2
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, "own-solvers.md", "exec"), names)
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("scipy", "mine", "ccd", "fabrik"))


@pytest.mark.parametrize("limit", [0, -1, float("nan")])
def test_a_time_limit_that_is_none_is_refused(limit: float) -> None:
    with pytest.raises(hk.ArgumentError, match="time_limit must be positive"):
        ARM.solve(position=[0.5, 0.5, 0], solver="mine", time_limit=limit)


def test_a_target_without_end_is_no_target() -> None:
    assert ARM.solve(position=[np.inf, 0, 0], solver="mine").outcome == hk.Outcome.INVALID


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        *(("ftol", value) for value in (-1, 1.0, 2.0, float("nan"))),
        *(("seed", value) for value in (-1, 2**63)),
        *(("retries", value) for value in (-1, 10**9 + 1)),
        *(("max_iter", value) for value in (-1, 10**9 + 1)),
        *(("threads", value) for value in (-1, 10**6 + 1)),
    ],
)
def test_settings_out_of_range_are_refused_as_by_the_core(setting: str, value: float) -> None:
    for solver in ("mine", "ccd"):
        for goal in ([0.5, 0.5, 0], np.empty((0, 3))):
            with pytest.raises(hk.ArgumentError, match=setting):
                ARM.solve(position=goal, solver=solver, **{setting: value})
    for one in (1.5, "x") if setting != "ftol" else ("x",):
        with pytest.raises(TypeError, match=setting):
            ARM.solve(position=[0.5, 0.5, 0], solver="mine", **{setting: one})
    assert ARM.solve(position=[0.5, 0.5, 0], solver="mine", **{setting: None}).q.shape == (3,)


def test_an_option_that_counts_stays_a_whole_number() -> None:
    def rounds(problem: Any, target: Array, q0: Array, *, times: int = 5, gain: float = 1.0) -> Any:
        for _ in range(times):
            yield q0

    hk.solver("rounds")(rounds)
    far = {"position": [9, 9, 0], "solver": "rounds"}
    assert ARM.solve(**far).iterations == 5
    assert ARM.solve(**far, times=3.0).iterations == 3
    assert [of.whole for of in hk.solvers()["rounds"].ranges.values()] == [True, False]
    with pytest.raises(hk.ArgumentError, match=r"times of rounds must be a whole number, got 2\.5"):
        ARM.solve(**far, times=2.5)
    with pytest.raises(hk.ArgumentError, match="gain is not a number"):
        ARM.solve(**far, gain=float("nan"))


def test_restarts_are_the_same_alone_and_in_any_row() -> None:
    hk.solver("idle")(lambda problem, target, q0: q0)
    many = targets(7)
    together = ARM.solve(position=many, solver="idle", retries=3)
    turned = ARM.solve(position=many[::-1], solver="idle", retries=3)
    alone = [ARM.solve(position=one, solver="idle", retries=3).q for one in many]
    assert together.q.tobytes() == turned.q[::-1].tobytes() == np.array(alone).tobytes()
    solver, problem = hk.Solver("idle", retries=3), hk.Problem(ARM, [hk.Position()])
    parts = [r.q for r in solver.stream(problem, many, chunk=2)]
    assert np.concatenate(parts).tobytes() == together.q.tobytes()


def test_two_joints_as_a_pair_of_numbers_are_an_answer() -> None:
    hk.solver("pair")(lambda problem, target, q0: (0.25, 0.5))
    found = hk.chain([0.4, 0.3]).solve(position=[0.1, 0.6, 0], solver="pair")
    assert (found.q.tolist(), found.iterations) == ([0.25, 0.5], 1)
    hk.solver("pair")(lambda problem, target, q0: (q0, 2**31 - 1))
    assert ARM.solve(position=[9, 9, 0], solver="pair", retries=1).iterations == 2**31 - 1


PROCESSES = """
import os, signal, sys, threading, time
import numpy as np
import handik as hk


class Odd(Exception):  # cannot be pickled and made again
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


@hk.solver("odd")
def odd(problem, target, q0):
    raise Odd(1, 2)


@hk.solver("dying")
def dying(problem, target, q0):
    os._exit(3)


@hk.solver("sleeping")
def sleeping(problem, target, q0):
    time.sleep(600)


if __name__ == "__main__":
    arm, many = hk.chain([0.4, 0.3, 0.2]), np.tile([0.3, 0.4, 0], (4, 1))
    for name in ("odd", "dying"):
        try:
            arm.solve(position=many, solver=name, threads=2)
        except RuntimeError as error:
            print(type(error).__name__, error)
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begun = time.monotonic()
    try:
        arm.solve(position=many, solver="sleeping", threads=2)
    except KeyboardInterrupt:
        print("interrupted", time.monotonic() - begun < 200)
"""
UNGUARDED = """
import handik as hk
@hk.solver("bare")
def bare(problem, target, q0):
    return q0
hk.chain([1.0, 1.0]).solve(position=[[1, 1, 0]] * 4, solver="bare", threads=2)
"""


def run_script(tmp_path: Path, text: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "script.py"
    script.write_text(text, "utf-8")
    return subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False
    )


def test_processes_that_fail_die_or_are_interrupted(tmp_path: Path) -> None:
    run = run_script(tmp_path, PROCESSES)
    odd, dying, interrupted = run.stdout.splitlines()
    assert odd == "RuntimeError solver 'odd': Odd: 1 and 2"
    assert dying.startswith("RuntimeError a process of solver 'dying' ended before its answer")
    assert interrupted == "interrupted True"


def test_a_script_without_a_guard_is_told_what_it_lacks(tmp_path: Path) -> None:
    run = run_script(tmp_path, UNGUARDED)
    assert run.returncode == 1
    # Not always the last line: Python's resource tracker may add that a dying process left things.
    assert 'it needs if __name__ == "__main__":)' in run.stderr


@pytest.mark.filterwarnings("ignore")  # ikpy warns of every fixed joint
def test_other_libraries_are_solvers(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ikpy", "mink", "daqp"):
        pytest.importorskip(name)
    from _native import SOURCE

    text = (SOURCE / "docs" / "other-libraries.md").read_text("utf-8")
    names: dict[str, Any] = {}
    for part in text.split("```python\n")[1:]:
        exec(compile(part.split("```")[0], "other-libraries.md", "exec"), names)
    shown = {row.split()[0]: int(row.split()[1]) for row in capsys.readouterr().out.splitlines()}
    assert list(shown) == ["ikpy", "mink", "auto"]
    assert shown["auto"] == 20
    assert min(shown.values()) >= 10


def test_one_that_raises_on_another_model_is_left_out_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`q - step` is no update of balls: the study of the chain must not be lost for that."""
    from handik.app.cli import main

    @hk.solver("flat", max_iter=20)
    def flat(problem: Any, target: Any, q0: Any) -> Any:
        q = q0
        while True:
            slope, error = problem.jacobian(target, q), problem.residual(target, q)
            yield (q := problem.model.clip(q - np.linalg.pinv(slope) @ error))

    arguments = ["compare", "--solvers", "flat,fabrik", "--runs", "1", "--frames", "4"]
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert "flat is left out on ball10: it raised ValueError" in err
    assert "planar9" in out
    assert (tmp_path / "compare.csv").is_file()
    with pytest.raises(hk.UnsupportedError, match="flat does not take 'ball10': it raised"):
        hk.study.compare(hk.data("ball10"), solvers=["flat"], runs=1)


def test_a_problem_without_columns_has_rows_all_the_same() -> None:
    class Low(hk.Term):
        rows, frames = 1, ("tip",)

        def residual(self, poses: Any, target: Any) -> Any:
            return [poses[0, 1, 3] - 0.2]

    @hk.solver("slow", max_iter=50)
    def slow(problem: Any, target: Any, q0: Any) -> Any:
        q = q0
        while True:
            slope, error = problem.jacobian(target, q), problem.residual(target, q)
            yield (q := problem.model.clip(q - np.linalg.pinv(slope) @ error))

    problem = hk.Problem(hk.chain([0.4, 0.3], lower=-2.0, upper=2.0), [Low()])
    assert hk.Solver("slow")(problem, [], q0=[0.1, 0.2]).converged
    assert hk.Solver("slow")(problem, np.zeros((3, 0)), q0=[0.1, 0.2]).converged.all()


def test_a_function_that_answers_at_once_is_given_the_cap() -> None:
    heard: list[int] = []

    @hk.solver("at_once", max_iter=70)
    def at_once(problem, target, q0, *, max_iter, gain=1.0):
        heard.append(max_iter)
        return q0, max_iter

    arm = hk.chain([0.4, 0.3, 0.2])
    assert dict(hk.solvers()["at_once"].options) == {"gain": 1.0}
    found = [
        arm.solve(position=[0.1, 0.4, 0.0], solver="at_once", q0=[0.1, 0.2, 0.3], **given)
        for given in ({}, {"max_iter": 9}, {"max_iter": 9, "gain": 2.0})
    ]
    assert heard == [70, 9, 9]
    assert [one.iterations for one in found] == [70, 9, 9]


def test_a_cap_that_cannot_be_kept_is_refused() -> None:
    def iterating(problem: Any, target: Array, q0: Array) -> Any:
        yield q0

    hk.solver("deaf")(lambda problem, target, q0: q0)
    hk.solver("passes_on")(lambda *given: iterating(*given))  # a plain function's generator
    goal: dict[str, Any] = {"position": [9.0, 9.0, 9.0], "solver": "deaf"}
    assert ARM.solve(**goal).iterations == 1
    with pytest.raises(hk.ArgumentError, match=r"max_iter=3 cannot be kept: solver 'deaf' is a"):
        ARM.solve(**goal, max_iter=3)
    assert ARM.solve(**goal, max_iter=0).outcome == "max_iter"  # the function is not called
    assert ARM.solve(**goal | {"solver": "passes_on"}, max_iter=3).iterations == 1


def test_a_survey_says_for_whom_its_cap_is_none() -> None:
    @hk.solver("stepping")
    def stepping(problem: Any, target: Array, q0: Array) -> Any:
        yield q0

    hk.solver("deaf")(lambda problem, target, q0: q0)
    given: dict[str, Any] = {"solvers": ["stepping", "deaf", "ccd"], "problems": 2}
    found = hk.study.survey({"arm": hk.Problem(ARM, hk.Position())}, **given)
    assert found.uncapped == ("deaf",)
    assert "at most 300 iterations (no cap for deaf)." in found.protocol
    assert not any(row.refused for row in found.rows)
    free = hk.study.survey({"arm": hk.Problem(ARM, hk.Position())}, **given, max_iter=None)
    assert free.uncapped == ()
    assert "no cap" not in free.protocol
