"""Terms written in Python: as good as those of the library, judged, and stopped where they fail."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
import time
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import handik as hk

Array = NDArray[np.float64]
UR5 = hk.data("ur5")
TIP = UR5.tip
#: Solvers that go by the derivative, whose path is that of the built-in term.
DESCENTS = ("dls", "sdls", "pinv", "gauss_newton", "lbfgs", "gradient_descent")
REFUSING = (
    "fabrik",
    "fabrik_fast",
    "hybrid",
    "ccd",
    "ccd_fast",
    "ftl",
    "triangulation",
    "lm_batch",
)
TAKING = sorted({row[0] for row in hk._core.table("solvers")} - set(REFUSING))


class At(hk.Term):
    """As `hk.Position`."""

    rows, columns = 3, ("x", "y", "z")

    def residual(self, poses: Array, target: Array) -> Array:
        return poses[0, :3, 3] - target


class AtByRows(At):
    """The same, with its derivative."""

    def jacobian(self, poses: Array, target: Array) -> Array:
        return np.eye(3, 6)[:, None]


class Along(hk.Term):
    """As `hk.Axis`, whose residual is the difference of the unit vectors."""

    rows, columns, length_rows = 3, ("x", "y", "z"), 0

    def residual(self, poses: Array, target: Array) -> Array:
        return poses[0, :3, 2] - target / np.linalg.norm(target)


@dataclass(frozen=True, eq=False)
class Tilted(hk.Term):
    """As `hk.Level`, with a constant of its own."""

    angle: float = np.pi / 2
    rows, length_rows = 1, 0

    def residual(self, poses: Array, target: Array) -> list[float]:
        axis = poses[0, :3, 2]
        return [np.arctan2(np.linalg.norm(np.cross(axis, [0, 0, 1])), axis[2]) - self.angle]


class Apart(hk.Term):
    """Two frames at the heights of their target, taken together."""

    rows, columns = 2, ("low", "high")
    frames = ("axis_3", "link_6")

    def residual(self, poses: Array, target: Array) -> Array:
        return poses[:, 2, 3] - target


def places(count: int, seed: int = 1) -> tuple[Array, Array]:
    """Return configurations and poses of the tip."""
    q = UR5.sample(count, seed=seed)
    return q, UR5.fk(q, frame=TIP)


def solve(solver: str, terms: Any, targets: Any, **more: Any) -> hk.Result:
    names = {"max_iter", "retries", "threads", "seed", "time_limit"}
    own = {key: more.pop(key) for key in [*more] if key in names}
    return hk.Solver(solver, **own)(hk.Problem(UR5, terms), targets, **more)


@pytest.mark.parametrize("solver", DESCENTS)
@pytest.mark.parametrize("kind", [At, AtByRows])
def test_a_point_is_reached_as_by_the_library(solver: str, kind: type[hk.Term]) -> None:
    q, poses = places(20)
    goal, start = poses[:, :3, 3], q + 0.3
    want = solve(solver, hk.Position(frame=TIP), goal, q0=start)
    got = solve(solver, kind(TIP), goal, q0=start)
    assert want.converged.sum() > 10
    np.testing.assert_array_equal(got.outcome, want.outcome)
    good = want.converged
    np.testing.assert_allclose(got.q[good], want.q[good], atol=1e-8, rtol=0)
    np.testing.assert_allclose(got.position_error[good], want.position_error[good], atol=1e-9)
    np.testing.assert_array_equal(got.iterations[good], want.iterations[good])


@pytest.mark.parametrize(
    ("own", "builtin", "target"),
    [
        (At(TIP), hk.Position(frame=TIP), [0.3, 0.2, 0.4]),
        (Along(TIP), hk.Axis(frame=TIP), [0.3, -0.5, 2.0]),
        (Tilted(TIP), hk.Level(frame=TIP), []),
        (Tilted(TIP, angle=0.4), hk.Level(frame=TIP, angle=0.4), []),
    ],
)
def test_residual_derivative_and_judge_are_those_of_the_library(
    own: hk.Term, builtin: hk.Term, target: list[float]
) -> None:
    q = UR5.sample(40, seed=2)
    a, b = hk.Problem(UR5, own), hk.Problem(UR5, builtin)
    assert (a.width, a.rows) == (b.width, b.rows)
    np.testing.assert_allclose(a.residual(target, q), b.residual(target, q), atol=1e-14)
    np.testing.assert_allclose(a.jacobian(target, q), b.jacobian(target, q), atol=1e-9)
    one = hk.Solver("dls")(b, np.tile(target, (40, 1)), q0=q)
    two = hk.Solver("dls")(a, np.tile(target, (40, 1)), q0=q)
    np.testing.assert_array_equal(one.outcome, two.outcome)
    good = one.converged
    assert good.sum() > 20
    np.testing.assert_allclose(two.q[good], one.q[good], atol=1e-8)


@given(
    st.integers(0, 2**20), st.floats(0.05, 0.6), st.sampled_from(["dls", "lm", "auto", "newton"])
)
@settings(max_examples=60, deadline=None)
def test_converged_means_within_the_tolerance(seed: int, off: float, solver: str) -> None:
    q = UR5.sample(seed=seed)
    goal = UR5.fk(q, frame=TIP)[:3, 3] * (1 + off * (seed % 2))
    found = solve(solver, At(TIP, position_tolerance=1e-5), goal, q0=UR5.clip(q + off))
    missed = np.linalg.norm(UR5.fk(found.q, frame=TIP)[:3, 3] - goal)
    assert bool(found.converged) == bool(missed <= 1e-5)
    assert found.position_error == pytest.approx(missed, abs=1e-12)
    assert (found.q <= UR5.upper).all()
    assert (found.q >= UR5.lower).all()


def test_a_batch_is_its_rows_and_threads_change_nothing() -> None:
    _, poses = places(12)
    goal = poses[:, :3, 3]
    for solver in ("auto", "dls", "lm", "memetic"):
        whole = solve(solver, At(TIP), goal, threads=4)
        assert whole.q.tobytes() == solve(solver, At(TIP), goal).q.tobytes()
        alone = [solve(solver, At(TIP), one).q for one in goal]
        assert whole.q.tobytes() == np.array(alone).tobytes()
    problem, q = hk.Problem(UR5, At(TIP)), UR5.sample(3000, seed=3)
    far = problem.residual(goal[0], q, threads=4)  # beyond what is done in one piece
    np.testing.assert_array_equal(far[7], problem.residual(goal[0], q[7]))


def test_it_is_called_on_the_calling_thread() -> None:
    seen: set[int] = set()

    class Spy(At):
        def residual(self, poses: Array, target: Array) -> Array:
            seen.add(threading.get_ident())
            return super().residual(poses, target)

    _, poses = places(30)
    solve("auto", Spy(TIP), poses[:, :3, 3], threads=0)
    assert seen == {threading.get_ident()}


@pytest.mark.parametrize("solver", REFUSING)
def test_solvers_that_cannot_take_it_say_which_can(solver: str) -> None:
    with pytest.raises(hk.UnsupportedError, match="auto"):
        solve(solver, At(TIP), [0.3, 0.2, 0.4])


@pytest.mark.parametrize("solver", TAKING)
def test_all_others_solve_it(solver: str) -> None:
    q, poses = places(4)
    found = solve(solver, At(TIP), poses[:, :3, 3], q0=UR5.clip(q + 0.1))
    assert found.converged.all()


def test_with_terms_of_the_library_priorities_and_two_frames() -> None:
    q, poses = places(10)
    goal = poses[:, :3, 3]
    both = hk.Problem(UR5, [hk.Position(frame=TIP), Tilted(TIP)])
    assert both.columns == (f"{TIP}.x", f"{TIP}.y", f"{TIP}.z")
    found = hk.Solver("auto")(both, goal, q0=q)
    same = hk.Solver("auto")(hk.Problem(UR5, [hk.Position(frame=TIP), hk.Level(frame=TIP)]), goal)
    assert found.converged.sum() >= same.converged.sum() - 1 > 3
    first = hk.Problem(UR5, [At(TIP), Tilted(TIP, angle=0.0, priority=1)])
    strict = hk.Solver("auto")(first, goal, q0=q)
    np.testing.assert_allclose(UR5.fk(strict.q, frame=TIP)[:, :3, 3], goal, atol=2e-4)
    problem = hk.Problem(UR5, Apart())
    assert problem.columns == ("Apart.low", "Apart.high")
    frames = [UR5.fk(q, frame=name)[:, 2, 3] for name in Apart.frames]
    apart = hk.Solver("lm")(problem, np.stack(frames, -1), q0=UR5.clip(q + 0.2))
    assert apart.converged.all()
    held = hk.Problem(UR5, At(TIP), lock={UR5.joint_names[0]: 0.5})
    assert hk.Solver("auto")(held, goal[0]).q[0] == 0.5


def test_soft_terms_stand_beside_it() -> None:
    _, poses = places(3)
    goal = poses[:, :3, 3]
    found = solve("auto", [At(TIP), hk.Posture()], goal)
    assert found.converged.all()


@pytest.mark.parametrize("solver", ["auto", "dls", "newton", "memetic", "particle_swarm"])
@pytest.mark.parametrize("after", [0, 7, 300])
def test_an_exception_ends_the_call(solver: str, after: int) -> None:
    calls: list[int] = []

    class Broken(At):
        def residual(self, poses: Array, target: Array) -> Array:
            calls.append(1)
            if len(calls) > after:
                raise KeyError("mine alone")
            return super().residual(poses, target)

    problem = hk.Problem(UR5, Broken(TIP))
    begun = time.process_time()
    with pytest.raises(KeyError, match="mine alone"):
        hk.Solver(solver, retries=1000)(problem, np.full((400, 3), 9.0))
    assert len(calls) == after + 1
    assert time.process_time() - begun < 10
    calls.clear()
    if after:
        assert problem.residual([0.1, 0.2, 0.3], UR5.sample(seed=1)).shape == (3,)
        return
    for ask in (problem.residual, problem.jacobian):
        with pytest.raises(KeyError):
            ask(np.zeros((3000, 3)), UR5.sample(seed=1))
        with pytest.raises(KeyError):
            ask(np.zeros(3), UR5.sample(seed=1))
    assert len(calls) == 4


def test_what_it_returns_must_have_the_shape() -> None:
    given: list[Any] = []

    class Wrong(hk.Term):
        rows = 2

        def residual(self, poses: Array, target: Array) -> Any:
            return given[-1]

    class WrongRows(Wrong):
        def jacobian(self, poses: Array, target: Array) -> Any:
            return np.zeros((2, 6))

    for wrong in (np.zeros(3), 1.0, np.zeros((1, 2)), None, "text", [1j, 2]):
        given.append(wrong)
        with pytest.raises(hk.ArgumentError, match="residual of term Wrong"):
            solve("dls", Wrong(TIP), [])
    given.append([1.0, 2])
    with pytest.raises(hk.ArgumentError, match=r"jacobian of term WrongRows must have shape"):
        solve("dls", WrongRows(TIP), [])


@pytest.mark.parametrize("solver", TAKING)
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_what_is_not_a_number_is_data(solver: str, number: float) -> None:
    class Nowhere(At):
        def residual(self, poses: Array, target: Array) -> Array:
            return np.full(3, number) if target[0] > 1 else super().residual(poses, target)

    _, poses = places(1)
    goal = np.array([[2.0, 0, 0], poses[0, :3, 3]])
    found = solve(solver, Nowhere(TIP), goal, max_iter=2000)
    assert not found.converged[0]
    assert found.outcome[0] in (hk.Outcome.DIVERGED, hk.Outcome.STALLED, hk.Outcome.MAX_ITER)
    assert found.q[1].tobytes() == solve(solver, Nowhere(TIP), goal[1], max_iter=2000).q.tobytes()
    assert solve("dls", Nowhere(TIP), [np.nan, 0, 0]).outcome == hk.Outcome.INVALID


def test_an_interrupt_ends_it() -> None:
    class Slow(At):
        def residual(self, poses: Array, target: Array) -> Array:
            time.sleep(0.001)
            return super().residual(poses, target)

    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    begun = time.process_time()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solve("auto", Slow(TIP), np.full((1000, 3), 9.0), retries=100)
    assert time.process_time() - begun < 5


def test_a_time_limit_and_progress() -> None:
    heard: list[tuple[int, int]] = []
    begun = time.process_time()
    solver = hk.Solver("particle_swarm", time_limit=0.05, retries=1000)
    found = solver(
        hk.Problem(UR5, At(TIP)), np.full((4, 3), 9.0), progress=lambda a, b: heard.append((a, b))
    )
    assert (found.outcome == hk.Outcome.TIME_LIMIT).all()
    assert time.process_time() - begun < 5
    assert heard[-1] == (4, 4)


def test_it_may_solve_inside() -> None:
    class Nested(At):
        def residual(self, poses: Array, target: Array) -> Array:
            UR5.solve(position=poses[0, :3, 3], frame=TIP)
            return super().residual(poses, target)

    _, poses = places(1)
    goal = poses[0, :3, 3]
    assert solve("dls", Nested(TIP), goal).q.tobytes() == solve("dls", At(TIP), goal).q.tobytes()


def test_what_the_function_is_given_is_its_own() -> None:
    class Spoiling(At):
        def residual(self, poses: Array, target: Array) -> Array:
            found = super().residual(poses, target)
            poses[:] = target[:] = np.nan
            return found

    _, poses = places(1)
    goal = poses[0, :3, 3]
    found = solve("dls", Spoiling(TIP), goal)
    assert found.q.tobytes() == solve("dls", At(TIP), goal).q.tobytes()
    np.testing.assert_array_equal(found.targets, goal)


def test_it_is_compared_pickled_and_let_go() -> None:
    assert At("a") == At("a") != At("b")
    assert At("a") != AtByRows("a")
    assert hash(Tilted(TIP)) == hash(Tilted(TIP))
    assert Tilted(TIP) != Tilted(TIP, angle=1.0)
    problem = pickle.loads(pickle.dumps(hk.Problem(UR5, Tilted(TIP, angle=0.3))))
    assert problem.terms == (Tilted(TIP, angle=0.3),)
    assert hk.Solver("dls")(problem, []).converged

    class Round(At):
        """A term that holds the problem it is in."""

    term = Round(TIP)
    held = hk.Problem(UR5, term)
    term.__dict__["held"] = held
    gone = weakref.ref(term)
    hk.Solver("dls")(held, [0.1, 0.2, 0.3])
    del term, held
    gc.collect()
    assert gone() is None


def test_sentences_for_what_is_no_term() -> None:
    class Short(hk.Term):
        def residual(self, poses: Array, target: Array) -> Array:
            return target

    class Long(Short):
        rows = 33

    class Many(Short):
        rows, frames = 1, ("link_1",) * 17

    class Lost(Short):
        rows, frames = 1, ("nowhere",)

    class Metres(Short):
        rows, length_rows = 1, 2

    for term, words in (
        (Short(TIP), "Short must say how long its residual is"),
        (Long(TIP), "rows of Long must be"),
        (Many(), "Many takes at most 16 frames, got 17"),
        (Metres(TIP), "length_rows of Metres"),
        (Many(TIP), "Many has frames: it takes no frame besides"),
        (Lost(), "nowhere"),
        (Short("nowhere"), "nowhere"),
    ):
        with pytest.raises(hk.HandikError, match=words):
            hk.Problem(UR5, term)

    class Nothing(hk.Term):
        rows = 1

    with pytest.raises(TypeError, match="a problem is made of terms"):
        hk.Problem(UR5, Nothing(TIP))


def test_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    from _native import SOURCE

    text = (SOURCE / "docs" / "own-terms.md").read_text("utf-8")
    names: dict[str, Any] = {"__name__": __name__}
    for part in text.split("```python\n")[1:]:
        exec(compile(part.split("```")[0], "own-terms.md", "exec"), names)
    shown = capsys.readouterr().out
    assert shown == "True ('link_6.heading', 'link_6.height')\nTrue\nTrue\n"


# -- what a callback may do to the world around it -------------------------------------------------


class Holder(hk.Term):
    """A height of the tip that can hold anything, and do anything when it is asked."""

    rows, columns = 1, ("height",)

    def residual(self, poses: Array, target: Array) -> Array:
        if self.act:
            self.act[0]()
        return poses[0, 2:3, 3] - target


def held_problem() -> tuple[Holder, hk.Problem]:
    term = Holder(TIP)
    object.__setattr__(term, "held", [])  # terms are frozen: lists made once, filled later
    object.__setattr__(term, "act", [])
    return term, hk.Problem(UR5, [term])


def reach(solver: hk.Solver, problem: hk.Problem, q0: Any = UR5.rest) -> hk.Result:
    return solver(problem, [0.4], q0=q0)


@pytest.mark.parametrize("what", ["problem", "solver", "result", "term"])
def test_a_term_that_holds_what_holds_it_is_collected(what) -> None:
    term, problem = held_problem()
    solver = hk.Solver("lm")
    result = reach(solver, problem)
    term.held.append({"problem": problem, "solver": solver, "result": result, "term": term}[what])
    gone = weakref.ref(term)
    del term, problem, solver, result
    gc.collect()
    assert gone() is None


def test_a_term_may_solve_while_it_is_asked() -> None:
    term, problem = held_problem()
    inner = []

    def once() -> None:
        term.act.clear()
        inner.append(reach(hk.Solver("lm"), problem).converged)

    term.act.append(once)
    assert reach(hk.Solver("lm"), problem).converged
    assert inner == [True]


def test_a_term_that_asks_for_itself_for_ever_ends_as_python_ends_it() -> None:
    term, problem = held_problem()
    solver = hk.Solver("lm")
    term.act.append(lambda: reach(solver, problem))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)  # other packages raise it, beyond what the stack of C holds
    try:
        with pytest.raises(RecursionError):
            reach(solver, problem)
    finally:
        sys.setrecursionlimit(limit)
    term.act.clear()
    assert reach(solver, problem).converged


def test_a_term_asked_by_four_threads_answers_each() -> None:
    _, problem = held_problem()
    starts, found = UR5.sample(4, seed=1), {}

    def work(k: int) -> None:
        found[k] = reach(hk.Solver("lm"), problem, starts[k]).q

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, start in enumerate(starts):
        alone = reach(hk.Solver("lm"), problem, start)
        np.testing.assert_array_equal(found[k], alone.q)


def test_a_term_may_drop_all_that_asks_it() -> None:
    term, problem = held_problem()
    world = {"problem": problem, "solver": hk.Solver("lm")}
    del problem
    term.act.append(world.clear)
    q = reach(world["solver"], world["problem"]).q
    assert np.isfinite(q).all()
