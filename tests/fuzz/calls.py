"""Fuzzing of the batch calls: ``python tests/fuzz/calls.py --cases 2000 --seed 1``.

Random figures, arms, platforms and problems, batches of 1 to 40 rows, numbers that are none, far too large or too small.
Of every call:

- a batch is its rows: each alone, on threads, by every instruction set, from any layout, onto any of its arguments;
- what a row is given changes no other row; arguments stay as they are;
- where memory fails, at whatever allocation, it raises MemoryError or answers the same, keeps nothing, and works again.

Each case is one seed: ``--only SEED`` runs it again.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from figures import figure, some
from goals import draw
from numpy.random import Generator

import handik as hk
from handik import _core
from handik.closed.arm_angle import arm_angle, postures_at
from handik.closed.parallel import StewartPlatform

Array = np.ndarray[Any, np.dtype[np.float64]]
Run = Callable[..., Any]
WILD = (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e155, 1e20, 1e9, 0.0, -0.0, 5e-324, 1e-310, 1e-160)
SETS = [name for name in ("base", "avx2", "avx512", "neon") if _core.simd_select(name)]
_core.simd_select("auto")
WIDTH = {1: 9, 2: 12, 3: 10, 4: 10, 5: 21, 6: 38}  # numbers that a subproblem is given by


def held(model: hk.Model) -> str:
    """The joint that `solutions` locks of an arm of seven."""
    at = hk._core.Analytic(model, None).locked
    return next(n for n, part in model.joint_q_slices.items() if part == slice(at, at + 1))


class Call:
    """What takes arrays of one leading axis; `dear`: milliseconds a row."""

    def __init__(
        self, name: str, given: list[Array], run: Run, out: Any = None, dear: bool = False
    ):
        self.name, self.given, self.run, self.out, self.dear = name, given, run, out, dear


def wild(rng: Generator, x: Array) -> Array:
    """A copy of which some rows hold what is no number, or hardly one."""
    x = x.copy()
    rows = x.reshape(len(x), math.prod(x.shape[1:]))
    for k in np.flatnonzero(rng.random(len(rows)) < some(rng, 0.0, 0.1, 0.5)):
        if rows.shape[1]:
            places = rng.choice(
                rows.shape[1], int(rng.integers(1, rows.shape[1] + 1)), replace=False
            )
            if rng.random() < 0.6:
                rows[k, places] = WILD[int(rng.integers(len(WILD)))]
            else:
                rows[k, places] *= 10 ** rng.uniform(-30, 30)
    return x


# -- what is called ---------------------------------------------------------------------------


def of_figure(rng: Generator, n: int) -> list[Call]:
    m = figure(rng)
    q, other = m.sample(n, seed=1), m.sample(n, seed=2)
    q, other = q.reshape(n, m.nq), other.reshape(n, m.nq)
    v, a = rng.normal(size=(2, n, m.nv))
    q, other, v, a = (wild(rng, x) for x in (q, other, v, a))
    name = m.frame_names[int(rng.integers(len(m.frame_names)))]
    push = {name: tuple(rng.normal(size=6))}

    def moved(q: Array, v: Array, **more: Any) -> Any:
        s = m.simulate(q, v, 0.004, step=2e-3, wrenches=push, **more)
        return s.q, s.v, s.energy, s.work

    plain: list[tuple[str, list[Array], Run, Any]] = [
        ("fk", [q], lambda q, **more: m.fk(q, frame=name, **more), (4, 4)),
        ("frames", [q], m.frames, (len(m.frame_names), 4, 4)),
        ("jacobian", [q], lambda q, **more: m.jacobian(q, frame=name, **more), (6, m.nv)),
        ("clip", [q], m.clip, (m.nq,)),
        ("integrate", [q, v], m.integrate, (m.nq,)),
        ("difference", [q, other], m.difference, (m.nv,)),
        (
            "inverse_dynamics",
            [q, v, a],
            lambda *x, **y: m.inverse_dynamics(*x, wrenches=push, **y),
            (m.nv,),
        ),
        ("forward_dynamics", [q, v, a], m.forward_dynamics, (m.nv,)),
        ("mass_matrix", [q], m.mass_matrix, (m.nv, m.nv)),
        ("coriolis_torque", [q, v], m.coriolis_torque, (m.nv,)),
        ("gravity_torque", [q], m.gravity_torque, (m.nv,)),
        ("kinetic_energy", [q, v], m.kinetic_energy, ()),
        ("potential_energy", [q], m.potential_energy, ()),
        ("center_of_mass", [q], m.center_of_mass, (3,)),
        ("center_of_mass_jacobian", [q], m.center_of_mass_jacobian, (3, m.nv)),
        ("momentum", [q, v], m.momentum, (6,)),
        ("simulate", [q, v], moved, None),
    ]
    return [Call(*one) for one in plain]


def of_problem(rng: Generator, n: int) -> list[Call]:
    case = None
    while case is None:
        case = draw(int(rng.integers(1 << 50)), figure, n)
    p, rows = case.problem, len(case.targets)
    q = wild(rng, p.model.sample(rows, seed=3).reshape(rows, p.model.nq))
    both = [case.targets, q]
    return [
        Call("residual", both, p.residual, (p.rows,)),
        Call("residual jacobian", both, p.jacobian, (p.rows, p.model.nv)),
        Call("evaluate", both, p.evaluate),
        Call("measure", both, p._measure),
        Call("lower bound", both[:1], p.distance_lower_bound),
        Call("floor", both[:1], p._floor, p._floor(case.targets[0]).shape),
    ]


def arm(rng: Generator, joints: int) -> hk.Model:
    """Right angles or any, equal or vanishing offsets, a slide now and then, limits or none."""
    table = np.zeros((joints, 4))
    if joints == 7 and rng.random() < 0.5:  # a spherical shoulder and wrist
        table[:, 1] = some(rng, 0.3, 0.0), 0, 0.4, 0, 0.4, 0, some(rng, 0.1, 0.0)
        table[:, 3] = np.pi / 2 * np.array([1, -1, 1, -1, 1, -1, 0])
        return hk.Model.from_dh(table, lower=-some(rng, 2.8, 7.0), upper=some(rng, 2.8, 7.0))
    right = rng.random() < 0.6
    for row in table:
        row[0] = some(rng, 0.0, 0.0, np.pi / 2, rng.normal())
        row[1:3] = rng.normal(size=2) * (rng.random(2) < 0.6) * 0.4
        row[3] = some(rng, 0.0, np.pi / 2, -np.pi / 2, np.pi) if right else rng.uniform(-3, 3)
    kinds = ["prismatic" if rng.random() < some(rng, 0.0, 0.2) else "revolute" for _ in table]
    wide = some(rng, np.inf, 7.0, 3.1, 1.5)
    off = rng.normal(size=joints) * some(rng, 0.0, 0.5)
    lower, upper = (None, None) if np.isinf(wide) else (off - wide, off + wide)
    return hk.Model.from_dh(table, kinds=kinds, lower=lower, upper=upper)


def poses(rng: Generator, m: hk.Model, n: int) -> Array:
    """Reachable, out of reach, or none at all; those that are no poses are refused before the core sees them."""
    T = m.fk(m.sample(n, seed=4).reshape(n, m.nq))
    for k in range(n):
        kind = rng.random()
        if kind < 0.1:
            T[k, :3, 3] *= rng.uniform(0, 3)
        elif kind < 0.15:
            T[k, :3, 3] = WILD[int(rng.integers(len(WILD)))]
        elif kind < 0.2:
            T[k, :3, 3] = rng.normal(size=3) * 10 ** rng.uniform(-300, 300)
        elif kind < 0.23:
            T[k, :3, :3] = np.nan
        elif kind < 0.3:
            T[k] = m.fk(np.asarray(m.rest))
    return T


def found(s: hk.Solutions) -> tuple[Any, ...]:
    return s.q, s.count, s.exact, s.free, s.complete


def of_arm(rng: Generator, n: int) -> list[Call]:
    joints = int(rng.integers(2, 8))
    m = arm(rng, joints)
    T, task = poses(rng, m, n), "position" if joints < 4 and rng.random() < 0.5 else "pose"

    def all_of(**fixed: Any) -> Run:
        return lambda T, **more: found(m.solutions(T, task=task, **fixed, **more))

    few = T[: max(1, n // 4)]
    calls = [
        Call("solutions", [T], all_of(samples=3), dear=True),
        Call("solutions, closest", [few[:3]], all_of(samples=2, closest=True), dear=True),
        Call("solutions, thorough", [few[:3]], all_of(samples=1, method="general"), dear=True),
    ]
    if m.lower[np.isfinite(m.lower)].size == 0 or m.upper.max() - m.lower.min() < 12:
        calls += [Call("solutions, turns", [few], all_of(samples=1, turns=True), dear=True)]
    if joints == 7:
        q = wild(rng, m.sample(n, seed=4))
        at = int(rng.integers(7))
        calls += [
            Call(
                "locked",
                [T, q[:, at].copy()],
                lambda T, x, **more: found(m.solutions(T, lock={held(m): x}, **more)),
            ),
            Call("arm_angle", [q], lambda q, **more: arm_angle(m, q, **more), ()),
            Call(
                "postures_at",
                [T, q[:, 0].copy()],
                lambda T, x, **y: postures_at(m, T, x, **y),
                (8, m.nq),
            ),
        ]
    return calls


def fields(record: Any) -> tuple[Any, ...]:
    return tuple(getattr(record, name) for name in record.__dataclass_fields__)


def of_platform(rng: Generator, n: int) -> list[Call]:
    base, top = rng.normal(size=(2, 6, 3))
    kind = rng.integers(6)
    if kind == 0:
        base[:, 2] = top[:, 2] = 0
    elif kind == 1:
        base, top = (
            np.repeat(base[:3], 2, axis=0),
            np.roll(np.repeat(top[:3], 2, axis=0), 1, axis=0),
        )
    elif kind == 2:
        top = 0.5 * base
    elif kind == 3:
        top[:] = top[0]
    elif kind == 4:
        base *= 1e-6
    stewart = StewartPlatform(base, top)
    T = np.tile(np.eye(4), (n, 1, 1))
    for one in T:
        r, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        one[:3, :3] = r * np.linalg.det(r)
        one[:3, 3] = rng.normal(size=3)
    x = stewart.ik(T)
    wilder = np.abs(wild(rng, x))
    return [
        Call("stewart inverse", [T], stewart.ik),
        Call("stewart jacobian", [T], stewart.jacobian),
        Call("stewart singularity", [T], stewart.singularity),
        Call(
            "stewart direct",
            [wilder, T[::-1].copy()],
            lambda x, T, **y: fields(stewart.fk(x, T, **y)),
        ),
        Call(
            "stewart postures",
            [wilder[:3]],
            lambda x, **y: fields(stewart.postures(x, **y)),
            dear=True,
        ),
    ]


def of_subproblem(rng: Generator, n: int) -> list[Call]:
    calls = []
    for number, width in WIDTH.items():
        x = rng.normal(size=(n, width))
        if rng.random() < 0.5:
            x = np.round(x)
        calls.append(Call(f"subproblem {number}", [wild(rng, x)], of_number(number)))
    return calls


def of_number(number: int) -> Run:
    def run(x: Array, **more: Any) -> tuple[Any, ...]:
        return tuple(a if x.ndim > 1 else a[0] for a in _core.subproblem(number, x, **more))

    return run


KINDS = (of_figure, of_figure, of_problem, of_problem, of_arm, of_arm, of_platform, of_subproblem)


# -- what is looked at --------------------------------------------------------------------------


def arrays(answer: Any) -> list[Any]:
    return [np.asarray(part) for part in (answer if isinstance(answer, tuple) else (answer,))]


def plain(x: Any) -> Any:
    """NaN of one pattern: its sign is the processor's where what a row is given is no number."""
    return np.where(np.isnan(x), np.nan, x) if x.dtype.kind == "f" else x


def same(got: list[Any], want: list[Any]) -> bool:
    return [(x.shape, plain(x).tobytes()) for x in got] == [
        (x.shape, plain(x).tobytes()) for x in want
    ]


def row_of(batch: Any, k: int, alone: Any) -> bool:
    """Whether row k of a batch is the answer alone, whose axis of postures may be shorter."""
    row = batch[k]
    part = row[tuple(slice(size) for size in alone.shape)]
    alone = alone.astype(row.dtype)  # Python's int or bool, where a batch has NumPy's
    if part.shape != alone.shape or plain(part).tobytes() != plain(alone).tobytes():
        return False
    rest = np.ones(row.shape, bool)
    rest[tuple(slice(size) for size in alone.shape)] = False
    beyond = row[rest]
    return bool((np.isnan(beyond) if beyond.dtype.kind == "f" else beyond == 0).all())


def check(rng: Generator, call: Call, say: Callable[[str], None]) -> None:
    given, n = call.given, len(call.given[0])
    before = [x.tobytes() for x in given]
    want = arrays(call.run(*given))
    for name in SETS:
        if rng.random() < 0.4:
            _core.simd_select(name)
            try:
                if not same(arrays(call.run(*given)), want):
                    say(f"by {name}: other bytes")
            finally:
                _core.simd_select("auto")
    threads = int(some(rng, 2, 3, 7, 16, 64, 0))
    many = [np.tile(x, (1 if call.dear else 60, *[1] * (x.ndim - 1))) for x in given]
    got = arrays(call.run(*many, threads=threads))
    if not same([x[:n] for x in got], want) or not same([x[-n:] for x in got], want):
        say(f"on {threads} threads: other bytes")
    for k in rng.choice(n, min(n, 3 if call.dear else 12), replace=False):
        alone = arrays(call.run(*[x[k] for x in given]))
        for part, (x, row) in enumerate(zip(alone, want, strict=True)):
            if not row_of(row, int(k), x):
                say(f"row {k} alone, part {part}: {x.tolist()} or {row[k].tolist()}")
                break
    layouts(rng, call, want, say)
    if call.out is not None:
        outputs(rng, call, want, say)
    if [x.tobytes() for x in given] != before:
        say("an argument was written to")


def layouts(rng: Generator, call: Call, want: list[Any], say: Callable[[str], None]) -> None:
    def strided(x: Array) -> Array:
        wide = np.full(tuple(2 * size for size in x.shape), 7.0)
        view = wide[tuple(slice(None, None, 2) for _ in x.shape)]
        view[...] = x
        return view

    def askew(x: Array) -> Array:
        raw = np.zeros(x.nbytes + 1, np.uint8)[1:].view(np.float64) if x.nbytes else x
        return np.copyto(shaped := raw.reshape(x.shape), x) or shaped

    ways = (
        np.asfortranarray,
        strided,
        askew,
        lambda x: x[::-1].copy()[::-1],
        lambda x: x.astype(">f8"),
    )
    way = ways[int(rng.integers(len(ways)))]
    if not same(arrays(call.run(*[way(x) for x in call.given])), want):
        say("other bytes from another layout")


def outputs(rng: Generator, call: Call, want: list[Any], say: Callable[[str], None]) -> None:
    n, size = len(call.given[0]), len(call.given[0]) * math.prod(call.out)
    k, shift = int(rng.integers(len(call.given))), int(some(rng, 0, 1, 5))
    x = call.given[k]
    memory = np.zeros(max(size, x.size) + 2 * shift)
    args = list(call.given)
    args[k] = memory[shift : shift + x.size].reshape(x.shape)
    args[k][...] = x
    at = int(some(rng, 0, shift, 2 * shift))
    out = memory[at : at + size].reshape(n, *call.out)
    if call.run(*args, out=out, threads=int(rng.integers(1, 4))) is not out:
        say("out= is not what is returned")
    if not same([out], want):
        say(f"other bytes where out= lies over argument {k}")


def starve(rng: Generator, call: Call, say: Callable[[str], None]) -> None:
    """Memory fails once, at each allocation after the other."""
    given = call.given
    want = arrays(call.run(*given))
    for at in range(60):
        gc.collect()
        blocks, failed = _core._live_blocks(), False
        _core._fail_allocation(at)
        try:
            got = arrays(call.run(*given, threads=int(rng.integers(1, 3))))
        except MemoryError:
            failed = True
        finally:
            _core._fail_allocation(-1)
        if not failed and not same(got, want):
            say(f"other bytes where allocation {at} fails")
        gc.collect()
        if _core._live_blocks() > blocks:
            say(f"allocation {at} fails: {_core._live_blocks() - blocks} blocks are left")
        if not failed:
            break
    if not same(arrays(call.run(*given)), want):
        say("other bytes after a failure of memory")


def one_case(seed: int, told: Counter[str]) -> list[str]:
    rng, failures = np.random.default_rng(seed), []
    n = int(some(rng, *range(1, 18), 31, 40))
    for call in KINDS[int(rng.integers(len(KINDS)))](rng, n):

        def say(what: str, name: str = call.name) -> None:
            failures.append(f"seed {seed}: {name}: {what}"[:600])
            print("FAILED", failures[-1], flush=True)

        try:
            check(rng, call, say)
            if rng.random() < 0.15:
                starve(rng, call, say)
            told[call.name.split(",")[0]] += 1
        except (hk.UnsupportedError, hk.ArgumentError, hk.ModelError) as error:
            told[f"refused: {error}"[:90]] += 1
        except Exception as error:
            say(f"{type(error).__name__}: {error}")
            traceback.print_exc(limit=-5)
    return failures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--only", type=int, help="one case")
    given = parser.parse_args()
    told: Counter[str] = Counter()
    first, count = (given.only, 1) if given.only is not None else (given.seed * 10**6, given.cases)
    failures, begun = 0, time.monotonic()
    with np.errstate(all="ignore"):
        for seed in range(first, first + count):
            if given.only is None:
                print(seed, end="\r", file=sys.stderr, flush=True)
            failures += len(one_case(seed, told))
    for name, times in told.most_common():
        print(times, name)
    print(f"{count} cases, {failures} failures, {time.monotonic() - begun:.0f} s")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
