"""Solvers written in Python: judged, timed and compared like those of the library.

A function is made a solver by `solver`, and is then known by its name wherever a solver is named:
`Solver`, `Model.solve`, `solvers`, `study.compare`, ``handik compare --import``.
"""

from __future__ import annotations

import inspect
import os
import pickle
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.errors import ArgumentError
from handik.result import Method, Outcome
from handik.spec._given import number, reals, together, whole_number

if TYPE_CHECKING:
    from handik.problem import Problem

__all__ = ["PythonSolver", "solver"]

Array = NDArray[np.float64]
Function = TypeVar("Function", bound=Callable[..., Any])
_MOST = 10**9  # of iterations and retries, as the core has it


@dataclass(frozen=True, slots=True)
class PythonSolver:
    """A function that solves, and what is known of it.

    Attributes
    ----------
    name : str
        What `Solver` takes.
    function : callable
        What solves; see `handik.solver`.
    summary, reference : str
        For `solvers()`.
    max_iter : int
        Cap on iterations when none is given.
    options : mapping of str to float
        Its own options and their defaults.
    takes_cap : bool
        Whether the function has a keyword `max_iter`, and so keeps to the cap itself.
    """

    name: str
    function: Callable[..., Any]
    summary: str
    reference: str
    max_iter: int
    options: Mapping[str, float] = field(default_factory=dict)
    takes_cap: bool = False

    @property
    def keeps_cap(self) -> bool:
        """Whether it is known to stop at `max_iter`: a generator is stopped there."""
        return self.takes_cap or inspect.isgeneratorfunction(self.function)


#: By their names.
KNOWN: dict[str, PythonSolver] = {}


def solver(
    name: str, *, summary: str | None = None, reference: str = "", max_iter: int = 1000
) -> Callable[[Function], Function]:
    """Make a function of Python a solver; a decorator.

    The function is called for one target at a time, as ``function(problem, target, q0)`` with
    ``target`` of shape (problem.width,) and ``q0`` of shape (nq,), inside the limits of
    ``problem.model`` (``lower``, ``upper``, ``clip``), which it should keep to. Either it returns
    the answer, q of shape (nq,), or a pair of q and the number of iterations; or it is a generator
    that yields q once an iteration. A generator is stopped as soon as the judge is content, at
    `max_iter` or at the time limit, and is done when it returns. A function that has a keyword
    `max_iter` is given that cap, so that one that returns its answer at once can keep to it; where
    such a function has no such keyword, a call with ``max_iter=`` is refused. The judge is
    that of every solver: what is yielded or returned is brought inside the limits, the best of it
    is the answer, and whether it converged is asked of `Problem.evaluate`.

    Parameters
    ----------
    name : str
        By which it is known from now on. A second function of that name takes the place of the
        first; the names of the library's own solvers are taken.
    summary : str, optional
        One line for the table; the first of the function's docstring if not given.
    reference : str
        Where the method comes from.
    max_iter : int
        Cap on what a generator yields, where the caller gives none.

    Returns
    -------
    callable
        The decorator; it returns the function as it is.

    Raises
    ------
    ArgumentError
        When the name is taken by the library, or a keyword of the function has no number as its
        default: those are its options.

    Notes
    -----
    ``retries=`` begins again from random poses inside the limits. ``threads=`` above 1 (0: all
    cores) solves the rows of a batch in so many processes, for which function and problem must be
    picklable: a function of a notebook or a prompt is not. The bytes are the same.

    Examples
    --------
    >>> import numpy as np
    >>> import handik as hk
    >>> @hk.solver("my_transpose", max_iter=3000)
    ... def my_transpose(problem, target, q0, *, gain=1.0):
    ...     "Follow the transposed Jacobian."
    ...     q = q0
    ...     while True:
    ...         error, J = problem.residual(target, q), problem.jacobian(target, q)
    ...         slope = J.T @ error
    ...         size = J @ slope
    ...         q = q - gain * (size @ error) / max(size @ size, 1e-12) * slope
    ...         yield (q := problem.model.clip(q))
    >>> arm = hk.chain([0.4, 0.3, 0.2])
    >>> arm.solve(position=[0.3, 0.4, 0.0], solver="my_transpose", q0=[0.1, 0.2, 0.3]).converged
    True
    """
    if not isinstance(name, str) or not name:
        raise ArgumentError(f"the name of a solver must be a text, got {name!r}")
    if name in {row[0] for row in _core.table("solvers")}:
        raise ArgumentError(f"{name!r} is a solver of the library: take another name")
    cap = whole_number("max_iter", max_iter, _MOST)

    def register(function: Function) -> Function:
        said = summary if summary is not None else (inspect.getdoc(function) or "").split("\n")[0]
        takes_cap = "max_iter" in inspect.signature(function).parameters
        own = _options_of(function)
        KNOWN[name] = PythonSolver(name, function, said, reference, cap, own, takes_cap)
        return function

    return register


def _options_of(function: Callable[..., Any]) -> dict[str, float]:
    """Return the keywords of a function, which are numbers."""
    found = {}
    for part in inspect.signature(function).parameters.values():
        if part.kind is not inspect.Parameter.KEYWORD_ONLY or part.name == "max_iter":
            continue
        if isinstance(part.default, bool) or not isinstance(part.default, (int, float)):
            raise ArgumentError(
                f"option {part.name!r} of a solver needs a number as its default, got "
                f"{part.default!r}"
            )
        found[part.name] = part.default
    return found


def _whole(value: float) -> bool:
    """Tell whether an option counts something: its default is an int, so what is given is one."""
    return isinstance(value, int)


def ranges_of(own: PythonSolver) -> dict[str, tuple[float, float, bool]]:
    """Return least, most and whole of each option: any number, whole where the default is."""
    return {key: (-np.inf, np.inf, _whole(value)) for key, value in own.options.items()}


def _checked(settings: Mapping[str, Any], own: PythonSolver) -> dict[str, Any]:
    """Return the settings as the core would take them, all of them there."""
    usual = {"max_iter": own.max_iter, "retries": 0, "threads": 1, "seed": 0, "ftol": 0.0}
    given = {key: settings[key] if settings[key] is not None else usual[key] for key in usual}
    most = {"max_iter": _MOST, "retries": _MOST, "threads": 10**6, "seed": 2**63 - 1}
    kept: dict[str, Any] = {key: whole_number(key, given[key], most[key]) for key in most}
    if not 0 <= number("ftol", given["ftol"]) < 1:
        raise ArgumentError(f"ftol must be at least 0 and below 1, got {given['ftol']!r}")
    limit = settings["time_limit"]
    kept["capped"] = settings["max_iter"] is not None
    kept["time_limit"] = np.inf if limit is None else number("time_limit", limit)
    if not kept["time_limit"] > 0:
        raise ArgumentError(f"time_limit must be positive, got {limit!r}")
    kept["options"] = dict(own.options)
    for key, value in settings["options"].items():
        found = number(key, value)
        if _whole(own.options[key]):
            if not found.is_integer():
                raise ArgumentError(f"{key} of {own.name} must be a whole number, got {value!r}")
            found = int(found)
        elif np.isnan(found):
            raise ArgumentError(f"{key} is not a number (NaN)")
        kept["options"][key] = found
    return kept


def plan_of(own: PythonSolver, problem: Problem, settings: Mapping[str, Any]) -> Plan:
    """Return a plan, its settings checked.

    Raises
    ------
    ArgumentError, TypeError
        When one is out of its range, or no number.
    """
    return Plan(own, problem, _checked(settings, own))


@dataclass(slots=True)
class _Answer:
    """What became of one target."""

    q: Array
    outcome: Outcome = Outcome.INVALID
    iterations: int = 0
    n_restarts: int = 0
    error: float = np.inf
    path: list[Array] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Plan:
    """A problem, a solver of Python and its settings; it solves as `_core.Plan` does."""

    own: PythonSolver
    problem: Problem
    settings: Mapping[str, Any]

    @property
    def solver(self) -> str:
        return self.own.name

    def solve(
        self,
        targets: Any,
        /,
        *,
        q0: Any = None,
        progress: Callable[[int, int], object] | None = None,
        trace: bool = False,
        out: Array | None = None,
    ) -> tuple[Any, ...]:
        """Solve row by row, here or in other processes."""
        model = self.problem.model
        rows = np.array(reals(targets, "targets", (self.problem.width,), finite=False))
        start = model.rest if q0 is None else reals(q0, "q0", (model.nq,))
        lead = together(targets=rows.shape[:-1], q0=start.shape[:-1])
        if lead != rows.shape[:-1]:
            rows = np.broadcast_to(rows, (*lead, self.problem.width)).copy()
        starts = np.ascontiguousarray(np.broadcast_to(start, (*lead, model.nq)))
        q = _core.check_output(out, starts.shape) if out is not None else np.empty(starts.shape)
        many = int(np.prod(lead))  # not -1: rows of no columns have no size to tell it from
        flat, begin = (
            rows.reshape(many, self.problem.width),
            model.clip(starts.reshape(many, model.nq)),
        )
        found = []
        for answer in self._answers(flat, begin, trace):
            found.append(answer)
            if progress is not None:
                progress(len(found), len(flat))
        if found:
            q.reshape(-1, model.nq)[:] = [answer.q for answer in found]
        return (rows, q, *self._judged(rows, q, found, lead), *_noted(found, lead, model.nq, trace))

    def _judged(
        self, rows: Array, q: Array, found: list[_Answer], lead: tuple[int, ...]
    ) -> tuple[Any, ...]:
        outcome = np.array([a.outcome for a in found], np.int8).reshape(lead)
        counts = [
            np.array([getattr(a, name) for a in found], np.int32).reshape(lead)
            for name in ("iterations", "n_restarts")
        ]
        _, error, distance, angle = self.problem._judge(rows, q)
        method = np.where(outcome == Outcome.INVALID, Method.NONE, Method.ITERATION)
        return outcome, *counts, error, distance, angle, method.astype(np.int8)

    def _answers(self, rows: Array, starts: Array, trace: bool) -> Iterator[_Answer]:
        workers = min(len(rows), self.settings["threads"] or os.cpu_count() or 1)
        if workers > 1 and not trace:
            yield from _in_processes(self, rows, starts, workers)
        else:
            for row, start in zip(rows, starts, strict=True):
                yield self.one(row, start, trace)

    def one(self, target: Array, start: Array, trace: bool) -> _Answer:
        """Solve one target: the same alone and in any row of any batch."""
        best = _Answer(start)
        here = self._look(best, target, start, trace)
        if np.isnan(here) or not np.isfinite(target).all():
            best.q = np.full_like(start, np.nan)
            return best
        until = time.perf_counter() + self.settings["time_limit"]
        most = self.settings["max_iter"]
        for round_ in range(self.settings["retries"] + 1):
            if best.outcome in (Outcome.CONVERGED, Outcome.TIME_LIMIT):
                break
            if round_:
                draw = np.random.default_rng([self.settings["seed"], round_])
                start = self.problem.model.sample(seed=int(draw.integers(2**31)))
                best.n_restarts += 1
            best.outcome = self._attempt(best, target, start, most, until, trace)
        return best

    def _attempt(
        self, best: _Answer, target: Array, start: Array, most: int, until: float, trace: bool
    ) -> Outcome:
        if self._met(target, start):
            best.q = start
            return Outcome.CONVERGED
        if most == 0:
            return Outcome.MAX_ITER
        given = dict(self.settings["options"])
        if self.own.takes_cap:
            given["max_iter"] = most
        answer = self.own.function(self.problem, target.copy(), start.copy(), **given)
        if inspect.isgenerator(answer):
            try:
                return self._iterate(answer, best, target, most, until, trace)
            finally:
                answer.close()
        if self.settings["capped"] and not self.own.takes_cap:
            raise ArgumentError(
                f"max_iter={most} cannot be kept: solver {self.solver!r} is a plain function "
                "without a keyword max_iter; give it one, or yield q once an iteration"
            )
        pair = isinstance(answer, tuple) and len(answer) == 2 and not np.isscalar(answer[0])
        q, iterations = answer if pair else (answer, 1)
        made = whole_number(f"iterations of {self.solver}", iterations)
        best.iterations = min(best.iterations + made, 2**31 - 1)
        return self._taken(best, target, q, trace) or (
            Outcome.TIME_LIMIT if time.perf_counter() > until else Outcome.STALLED
        )

    def _iterate(
        self,
        answer: Iterator[Any],
        best: _Answer,
        target: Array,
        most: int,
        until: float,
        trace: bool,
    ) -> Outcome:
        for done, q in enumerate(answer, 1):
            best.iterations += 1
            end = self._taken(best, target, q, trace)
            if end is not None:
                return end
            if time.perf_counter() > until:
                return Outcome.TIME_LIMIT
            if done >= most:
                return Outcome.MAX_ITER
        return Outcome.STALLED

    def _taken(self, best: _Answer, target: Array, q: Any, trace: bool) -> Outcome | None:
        """Look at what the function made; None: it may go on."""
        model = self.problem.model
        found = reals(q, f"q of solver {self.solver!r}", (model.nq,), finite=False)
        if found.shape != (model.nq,):
            raise ArgumentError(f"solver {self.solver!r} must give q of shape ({model.nq},)")
        if not np.isfinite(found).all():
            return Outcome.DIVERGED
        inside = model.clip(found)
        self._look(best, target, inside, trace)
        if self._met(target, inside):
            best.q = inside
            return Outcome.CONVERGED
        return None

    def _met(self, target: Array, q: Array) -> bool:
        return bool(self.problem._judge(target, q)[0])

    def _look(self, best: _Answer, target: Array, q: Array, trace: bool) -> float:
        """Note a pose, and keep it if it is the best so far."""
        error = float(self.problem._judge(target, q)[1])
        if error < best.error:
            best.error, best.q = error, q
        if trace:
            best.path.append(q)
            best.errors.append(error)
        return error


def _noted(
    found: list[_Answer], lead: tuple[int, ...], nq: int, trace: bool
) -> tuple[Array | None, Array | None]:
    """Return what was traced: errors (..., K) and poses (..., K, nq), NaN after the end."""
    if not trace:
        return None, None
    longest = max((len(a.errors) for a in found), default=1)
    error = np.full((len(found), longest), np.nan)
    path = np.full((len(found), longest, nq), np.nan)
    for k, answer in enumerate(found):
        error[k, : len(answer.errors)] = answer.errors
        path[k, : len(answer.path)] = answer.path
    return error.reshape(*lead, longest), path.reshape(*lead, longest, nq)


def _in_processes(plan: Plan, rows: Array, starts: Array, workers: int) -> Iterator[_Answer]:
    """Solve the rows in other processes, several at a time, and give their answers in order."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    try:
        sent = pickle.dumps(plan)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise _cannot_be_sent(plan.solver, error) from None
    share = max(1, min(64, len(rows) // (4 * workers)))
    cuts = range(0, len(rows), share)
    # Not by fork: threads may be running here.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        done = False
        try:
            jobs = [
                pool.submit(_some, plan.solver, sent, rows[k : k + share], starts[k : k + share])
                for k in cuts
            ]
            for job in jobs:
                yield from job.result()
            done = True
        except BrokenProcessPool:
            raise RuntimeError(
                f"a process of solver {plan.solver!r} ended before its answer: either the function "
                "ended it, or the script starts solving while it is imported there (it needs "
                'if __name__ == "__main__":)'
            ) from None
        finally:
            if not done:  # nobody waits for what the others are at
                for process in list((pool._processes or {}).values()):
                    process.terminate()
            pool.shutdown(wait=True, cancel_futures=True)


def _cannot_be_sent(name: str, error: Exception) -> ArgumentError:
    return ArgumentError(
        f"solver {name!r} cannot be sent to other processes ({error}): put its function "
        "into a module, or leave threads=1"
    )


def _some(name: str, sent: bytes, rows: Array, starts: Array) -> list[_Answer]:
    """Solve some rows in a process of their own."""
    try:
        plan: Plan = pickle.loads(sent)
    except (AttributeError, ImportError) as error:  # a function of a notebook or a prompt
        raise _cannot_be_sent(name, error) from None
    try:
        return [plan.one(row, start, False) for row, start in zip(rows, starts, strict=True)]
    except Exception as error:
        if _travels(error):
            raise
        raise RuntimeError(f"solver {name!r}: {type(error).__name__}: {error}") from None


def _travels(error: Exception) -> bool:
    """Tell whether an exception can be sent back: one that cannot breaks all the processes."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True
