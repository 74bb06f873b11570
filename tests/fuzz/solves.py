"""Fuzzing of the solvers: ``python tests/fuzz/solves.py --solves 2000000 --seed 1``.

Random figures, terms, targets, starts, solvers and options, checked against a judge of its own
(oracle.py, written from the documents in NumPy). Of every answer:

- it says converged if, and only if, the oracle says that all terms are met inside the limits;
- its errors are the oracle's; no limit is broken by 1e-9; locked joints stand still;
- a row is NaN only where the target is no target; out of reach is said only of what no pose known,
  and none drawn, reaches;
- the same call gives the same bytes again: alone, in another order, on threads, by every
  instruction set, from a problem made anew;
- a time limit is kept within 20 ms and Ctrl-C answered within 0.1 s, of the process's own time.

Each case is one seed: ``--only SEED`` runs it again, with each of its rows on its own line.
"""

from __future__ import annotations

import argparse
import mmap
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from figures import figure
from goals import Case, draw, tolerance, usable
from oracle import Array, of_term

import handik as hk
from handik import _core
from handik.result import Outcome

ALL = slice(None)
ROWS = 96  # targets of a case, at most
BROKEN = 1e-9  # by how much an answer may be outside its limits
FIELDS = (
    "q",
    "outcome",
    "iterations",
    "n_restarts",
    "error",
    "position_error",
    "orientation_error",
    "method",
)
SETS = [name for name in ("base", "avx2", "avx512", "neon") if _core.simd_select(name)]
_core.simd_select("auto")


@dataclass
class Tally:
    """What was done and found."""

    cases: int = 0
    solves: int = 0  # answers that were checked against the oracle
    again: int = 0  # further answers, whose bytes were compared
    refused: int = 0
    worst: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    solvers: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    told: set[tuple[int, str]] = field(default_factory=set)

    def add(self, other: Tally) -> None:
        for name in ("cases", "solves", "again", "refused"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("outcomes", "solvers"):
            getattr(self, name).update(getattr(other, name))
        self.worst |= other.worst
        self.failures += other.failures

    def fail(self, case: Case, row: int | None, what: str) -> None:
        """One line a case and kind of failure: its rows fail alike."""
        if (case.seed, kind := what.split(" ")[0]) in self.told:
            return
        self.told.add((case.seed, kind))
        at = "" if row is None else f" row {row}"
        line = f"seed {case.seed}{at}: {what} [{case.solver} {case.options}; {kinds(case)}]"
        self.failures.append(line)
        print("FAILED", line, flush=True)


def kinds(case: Case) -> str:
    terms = ", ".join(type(one).__name__ for one in case.terms)
    return f"{terms}{'; locked ' + str(case.lock) if case.lock else ''}; nq {case.problem.model.nq}"


def solve(case: Case, problem: hk.Problem, rows: Any = ALL, **more: Any) -> hk.Result:
    q0 = case.starts if case.starts is None or case.starts.ndim == 1 else case.starts[rows]
    return hk.Solver(case.solver, **case.options, **more)(problem, case.targets[rows], q0=q0)


# -- against the oracle -------------------------------------------------------------------------


@np.errstate(all="ignore")
def check_rows(case: Case, result: hk.Result, tally: Tally) -> None:
    """Every answer against the oracle's word."""
    model, q, outcome = case.problem.model, result.q, np.asarray(result.outcome)
    meant = [usable(case, row) for row in case.targets]
    gone = np.isnan(q).any(1)
    for k in np.flatnonzero(gone != (outcome == Outcome.INVALID)):
        tally.fail(case, int(k), f"outcome {Outcome(int(outcome[k])).name} with q {q[k]}")
    for k, good in enumerate(meant):
        if good is not None and gone[k] == good:
            tally.fail(
                case,
                k,
                f"a target {'in order' if good else 'that is none'} ended {Outcome(int(outcome[k])).name}",
            )
    live = np.flatnonzero(~gone)
    if not len(live):
        return
    q, said = q[live], outcome[live]
    beyond = case.figure.beyond(q)
    for k in np.flatnonzero(~(beyond <= BROKEN)):
        tally.fail(case, int(live[k]), f"outside its limits by {beyond[k]:.3g}")
    for name, value in case.lock.items():
        held = q[:, model.joint_q_slices[name]]
        if (
            len(np.atleast_1d(value)) < 4
            and not (np.abs(held - value) <= 1e-12 * (1 + np.abs(value))).all()
        ):
            tally.fail(case, None, f"locked joint {name} moved to {held}")
    errors(case, result, live, q, said, beyond, tally)
    for k in np.flatnonzero(case.reachable[live] & (said == Outcome.UNREACHABLE)):
        tally.fail(
            case,
            int(live[k]),
            "a target that a pose inside the limits meets is called out of reach",
        )


def errors(
    case: Case, result: hk.Result, live: Array, q: Array, said: Array, beyond: Array, tally: Tally
) -> None:
    """Errors and the claim of convergence; a band as wide as rounding may go either way."""
    model, targets = case.problem.model, case.targets[live]
    poses = case.figure.frames(q)
    large = np.max([np.abs(t).max(1) for _, t in poses.values()], 0)
    large = np.maximum(large, np.abs(targets).max(1, initial=0.0))
    # behind a hinge beyond 1e300 radians nothing has a place, not even what lies on its axis
    nowhere = np.any([np.isnan(r).any((1, 2)) for r, _ in poses.values()], 0)
    turned = 1e-13 + 1e-15 * np.abs(np.where(np.isfinite(q), q, 0)).max(
        1, initial=0.0
    )  # of large angles
    n, at, meets, fails = len(q), 0, np.ones(len(q), bool), np.zeros(len(q), bool)
    distance, angle, square = np.zeros(n), np.zeros(n), np.zeros(n)
    band_d, band_a = 1e-14 * model.nv + 20 * turned * (large + model.max_reach), 20 * turned
    band_d = np.where(np.isnan(band_d), np.inf, band_d)  # some other frame is nowhere
    for one, width in zip(case.terms, case.problem._widths, strict=True):
        x = targets[:, at : at + width]
        at += width
        d, a, s = of_term(case.figure, one, x, poses, q)
        square = square + one.weight**2 * s
        if isinstance(one, hk.LookAt):  # the nearer the point, the less is its direction known
            eye = poses[one.frame][1] + poses[one.frame][0] @ np.array(one.eye)
            near = 10 * band_d / np.linalg.norm(x - eye, axis=1)
            band_a = np.fmax(band_a, near)  # NaN: both are beyond all floats
        most_d, most_a = tolerance(model, one)
        hard = not isinstance(one, hk.Posture | hk.Damping)
        if hard:
            fails |= ~((d <= most_d + band_d) & (a <= most_a + band_a) & np.isfinite(d + a))
            turned_in = isinstance(one, hk.Position) | (
                a <= most_a - band_a
            )  # a place has no angle
            meets &= (d <= most_d - band_d) & turned_in
        distance, angle = np.maximum(distance, d), np.maximum(angle, a)
    meets &= (beyond <= 1e-13) & (square < 1e300)  # what squares to infinity no tolerance meets
    fails |= np.isnan(square)
    for k in np.flatnonzero(fails & (said == Outcome.CONVERGED)):
        tally.fail(
            case, int(live[k]), f"converged, but {distance[k]:.6g} m, {angle[k]:.6g} rad off"
        )
    for k in np.flatnonzero(meets & (said != Outcome.CONVERGED)):
        tally.fail(case, int(live[k]), f"{Outcome(int(said[k])).name}, but all terms are met")
    told = {"position_error": (distance, band_d), "orientation_error": (angle, band_a)}
    for name, (own, band) in told.items():
        theirs = np.asarray(getattr(result, name))[live]
        same = np.isclose(theirs, own, rtol=1e-9, atol=0) | (np.abs(theirs - own) <= 10 * band)
        same |= ~np.isfinite(theirs) & (nowhere | ~np.isfinite(distance + angle))
        same |= (large > 1e150) & (theirs > 1e100)
        for k in np.flatnonzero(~same):
            tally.fail(case, int(live[k]), f"{name} {theirs[k]:.17g}, the oracle has {own[k]:.17g}")
    theirs, own = np.asarray(result.error)[live], np.sqrt(square)
    heavy = max(one.weight for one in case.terms)
    same = np.isclose(theirs, own, rtol=1e-8, atol=0) | (
        np.abs(theirs - own) <= 10 * heavy * (band_d + band_a)
    )
    same |= np.isnan(theirs) & np.isnan(own)  # slides so far away that the pose is no number
    for k in np.flatnonzero(~same & (large < 1e140)):
        tally.fail(case, int(live[k]), f"error {theirs[k]:.17g}, the oracle has {own[k]:.17g}")
    tally.outcomes.update(Outcome(int(x)).name for x in said)


@np.errstate(all="ignore")
def check_reach(case: Case, result: hk.Result, tally: Tally) -> None:
    """Of targets called out of reach: no pose drawn meets all terms."""
    far = np.flatnonzero(np.asarray(result.outcome) == Outcome.UNREACHABLE)[:3]
    if not len(far):
        return
    q = np.asarray(case.problem.model.sample(400, seed=case.seed % 2**31))
    poses = case.figure.frames(q)
    for k in far:
        met, at = np.ones(len(q), bool), 0
        for one, width in zip(case.terms, case.problem._widths, strict=True):
            x = np.broadcast_to(case.targets[k, at : at + width], (len(q), width))
            at += width
            d, a, _ = of_term(case.figure, one, x, poses, q)
            most_d, most_a = tolerance(case.problem.model, one)
            met &= (d < most_d * (1 - 1e-9)) & (a < most_a * (1 - 1e-9))
        if met.any():
            tally.fail(case, int(k), f"out of reach, but q = {q[np.argmax(met)].tolist()} meets it")


# -- the same bytes -----------------------------------------------------------------------------


def differ(one: hk.Result, other: hk.Result, rows: Any = ALL) -> str | None:
    """The first field that is not the same, byte for byte."""
    for name in FIELDS:
        a, b = np.asarray(getattr(one, name))[rows], np.asarray(getattr(other, name))
        if np.ascontiguousarray(a).tobytes() != np.ascontiguousarray(b).tobytes():
            k = int(np.argmax([x.tobytes() != y.tobytes() for x, y in zip(a, b, strict=True)]))
            return f"{name} of row {k}: {a[k]} or {b[k]}"
    return None


@np.errstate(all="ignore")
def check_bytes(case: Case, result: hk.Result, tally: Tally) -> None:
    """Alone, permuted, on threads, by instruction set, again: a few of them for each case."""
    rng, n = np.random.default_rng([case.seed, 1]), len(case.targets)
    order = rng.permutation(n)
    alone = [int(k) for k in rng.choice(n, min(n, 2), replace=False)]
    ways: list[tuple[str, Any, dict[str, Any], str]] = [
        (f"alone {k}", [k], {}, "auto") for k in alone
    ]
    if rng.random() < 0.3:
        ways.append(("permuted", order, {}, "auto"))
    if rng.random() < 0.3:
        ways.append(("threads", slice(None), {"threads": int(rng.integers(2, 6))}, "auto"))
    if rng.random() < 0.3:
        ways.append(("first half", slice(0, (n + 1) // 2), {}, "auto"))
    ways += [(f"by {name}", slice(None), {}, name) for name in SETS if rng.random() < 0.3]
    for name, rows, more, chosen in ways:
        _core.simd_select(chosen)
        try:
            again = solve(case, case.fresh(), rows, **more)
        finally:
            _core.simd_select("auto")
        tally.again += len(again.q)
        if found := differ(result, again, rows):
            tally.fail(case, None, f"{name}: {found}")
    single = (
        solve(case, case.problem, alone[0])
        if case.starts is None or case.starts.ndim == 1
        else None
    )
    if single is not None and np.asarray(single.q).tobytes() != result.q[alone[0]].tobytes():
        tally.fail(case, alone[0], f"unbatched: q {single.q} or {result.q[alone[0]]}")


# -- time ---------------------------------------------------------------------------------------


def check_time(case: Case, tally: Tally, limit: float = 0.05) -> None:
    """A time limit, and Ctrl-C, on a problem that may use what it is given; the process's own clock."""
    k = int(np.argmax(np.isfinite(case.targets).all(1)))
    options = {**case.options, "max_iter": 10**8, "retries": 10**6}
    for name in ("max_restarts", "reheats", "renewals", "wipeouts"):
        options.pop(name, None)
    long = Case(**{**vars(case), "options": options})
    begun = time.process_time()
    solve(long, case.problem, [k], time_limit=limit)
    late = time.process_time() - begun - limit
    tally.worst["late, ms"] = max(tally.worst["late, ms"], round(1000 * late))
    if late > 0.02:
        tally.fail(case, k, f"time limit of {limit} s passed by {late:.3f} s")
    begun, old = time.process_time(), signal.signal(signal.SIGPROF, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        solve(long, case.problem, [k], time_limit=2.0)
    except KeyboardInterrupt:
        late = time.process_time() - begun - limit
        tally.worst["interrupt, ms"] = max(tally.worst["interrupt, ms"], round(1000 * late))
        if late > 0.1:
            tally.fail(case, k, f"Ctrl-C answered after {late:.3f} s")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)
    if time.process_time() - begun > 1:
        tally.fail(case, k, "Ctrl-C not answered")


# -- the run ------------------------------------------------------------------------------------


def one_case(seed: int, tally: Tally, rows: int = ROWS) -> None:
    case = draw(seed, figure, rows)
    if case is None:
        tally.refused += 1
        return
    try:
        result = solve(case, case.problem)
    except hk.UnsupportedError:
        tally.refused += 1
        return
    except hk.ArgumentError as error:
        tally.worst[f"refused: {error}"[:60]] += 1
        tally.refused += 1
        return
    tally.cases += 1
    tally.solves += len(result.q)
    tally.solvers[case.solver or "none named"] += len(result.q)
    check_rows(case, result, tally)
    check_reach(case, result, tally)
    check_bytes(case, result, tally)
    if seed % 400 == 0:
        check_time(case, tally)


def some_cases(first: int, count: int, tally: Tally, rows: int = ROWS, at: Any = None) -> Tally:
    """Cases of these seeds; `at` is told which one is under way."""
    for seed in range(first, first + count):
        if at is not None:
            at[:8] = seed.to_bytes(8, "little")
        try:
            with np.errstate(all="ignore"):
                one_case(seed, tally, rows)
        except Exception as error:
            tally.failures.append(f"seed {seed}: {type(error).__name__}: {error}")
            print("FAILED", tally.failures[-1], flush=True)
            traceback.print_exc(limit=-4)
    return tally


def apart(first: int, count: int, rows: int, seconds: float = 900.0) -> tuple[int, Tally]:
    """Cases in a process of their own, which may die; the seed to go on with, and what was found."""
    at = mmap.mmap(-1, 8)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(some_cases(first, count, Tally(), rows, at=at), pipe)
        os._exit(0)
    os.close(write)
    timer = threading.Timer(seconds, os.kill, (child, signal.SIGKILL))
    timer.start()
    with os.fdopen(read, "rb") as pipe:
        sent = pipe.read()
    _, status = os.waitpid(child, 0)
    timer.cancel()
    if status == 0:
        return first + count, pickle.loads(sent)
    seed, tally = int.from_bytes(at[:8], "little"), Tally()
    tally.failures.append(
        f"seed {seed}: the process ended by signal {status & 127}, or took {seconds} s"
    )
    print("FAILED", tally.failures[-1], flush=True)
    return seed + 1, tally


def run(first: int, solves: int, seconds: float = np.inf, rows: int = ROWS) -> Tally:
    """Cases until so many answers were checked, or the time is over."""
    begun = told = time.monotonic()
    tally, seed = Tally(), first
    while tally.solves < solves and time.monotonic() - begun < seconds:
        seed, found = apart(seed, 50, rows)
        tally.add(found)
        if (now := time.monotonic()) - told > 60:
            told = now
            line = f"{tally.solves} solves, {len(tally.failures)} failures"
            print(f"{now - begun:.0f} s: up to seed {seed}, {line}", flush=True)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--solves", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--seconds", type=float, default=np.inf)
    parser.add_argument("--rows", type=int, default=ROWS, help="targets of a case, at most")
    parser.add_argument("--only", type=int, help="one case, row by row")
    given = parser.parse_args()
    tally = Tally()
    if given.only is not None:
        case = draw(given.only, figure, given.rows)
        if case is not None:
            print(
                case.model, case.terms, case.lock, case.solver, case.options, case.starts, sep="\n"
            )
            result = solve(case, case.problem)
            for k, row in enumerate(case.targets):
                print(k, Outcome(int(result.outcome[k])).name, row.tolist(), result.q[k].tolist())
        some_cases(given.only, 1, tally, given.rows)
    else:
        begun = time.monotonic()
        tally = run(given.seed * 10**9, given.solves, given.seconds, given.rows)
        print(
            f"{tally.cases} cases, {tally.refused} refused by name, {tally.solves} solves against the oracle,"
        )
        print(
            f"{tally.again} further ones compared byte by byte ({', '.join(SETS)}), {time.monotonic() - begun:.0f} s"
        )
        for counter in (tally.outcomes, tally.solvers, tally.worst):
            print(", ".join(f"{name} {count}" for name, count in counter.most_common(30)))
    print(f"{len(tally.failures)} failures")
    sys.exit(bool(tally.failures))


if __name__ == "__main__":
    main()
