"""What Python adds to a call for one target: model.solve(pose=T), and a prepared solver with a problem.

The same targets go to Python's call and to hik_plan_solve in a loop of C (solve_loop.c with the core, compiled here with the
product's flags, so gcc is needed), in turn in every round; the answers are compared byte by byte. What Python's loop takes
beyond C's is "Python": the loop itself, reading the arguments, giving up and taking the GIL, and building the result.
Targets are poses of uniform joint vectors, once from the rest pose and once from the answer itself, where next to nothing
is left to solve. Medians of the rounds, microseconds of the processor.

``--count`` adds the instructions of a call outside hik_plan_solve, counted by callgrind, which load cannot move.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks._out import Row, add_out, bars, save
from benchmarks.arms import FILES, TOLERANCE, arms, table_arms
from benchmarks.instructions import build, collected, missing
from handik import _core
from handik.model._freeze import Parts

Array = NDArray[np.float64]
Call = Callable[[], list[Array]]
#: Entry: the function of handik._core that Python calls.
DOORS = {"model.solve": "core_model_solve", "solver": "solver_call"}


class Targets:
    """An arm, its targets, and the calls for one of them after the other."""

    def __init__(self, model: hk.Model, count: int, seed: int = 1) -> None:
        self.model = model
        self.q = np.ascontiguousarray(model.sample(count, seed=seed))
        self.poses = np.ascontiguousarray(model.fk(self.q))
        self.rows = np.ascontiguousarray(_core.pose_columns(self.poses))
        goal = hk.Pose(
            str(model.tip), position_tolerance=TOLERANCE, orientation_tolerance=TOLERANCE
        )
        self.problem = hk.Problem(model, [goal])

    def calls(self) -> dict[tuple[str, bool], Call]:
        """Return Python's calls by entry, and whether they start at the answer."""
        solve, problem, run, near = self.model.solve, self.problem, hk.Solver(), TOLERANCE
        poses, rows = list(self.poses), list(self.rows)
        from_there = [list(zip(x, self.q, strict=True)) for x in (poses, rows)]

        def poses_at_rest() -> list[Array]:
            return [
                solve(pose=x, position_tolerance=near, orientation_tolerance=near).q for x in poses
            ]

        def poses_at_goal() -> list[Array]:
            return [
                solve(pose=x, q0=q, position_tolerance=near, orientation_tolerance=near).q
                for x, q in from_there[0]
            ]

        return {
            ("model.solve", False): poses_at_rest,
            ("solver", False): lambda: [run(problem, x).q for x in rows],
            ("model.solve", True): poses_at_goal,
            ("solver", True): lambda: [run(problem, x, q0=q).q for x, q in from_there[1]],
        }


class Loop:
    """The same arm in C."""

    def __init__(self, library: ctypes.CDLL, targets: Targets) -> None:
        self.library, self.targets = library, targets
        library.loop_make.restype = ctypes.c_void_p
        library.loop_solve.restype = ctypes.c_double
        made = Parts(targets.model.spec).arrays()
        if made["mimic"] is not None or made["swing"] is not None:
            raise ValueError("an arm of hinges and slides alone")
        names = "parent kind axis placement lower upper frame_joint frame_placement".split()
        kept = [np.ascontiguousarray(made[name]) for name in names]
        self.arm = library.loop_make(
            len(made["parent"]),
            len(made["frame_joint"]),
            *(x.ctypes.data_as(ctypes.c_void_p) for x in kept),
            made["tip"],
            ctypes.c_double(TOLERANCE),
        )
        if not self.arm:
            raise ValueError("the core refuses the arm")

    def seconds(self, at_goal: bool) -> tuple[float, Array]:
        """Return the processor's seconds for all targets, one by one, and the answers."""
        rows, q0 = self.targets.rows, self.targets.q
        q = np.empty_like(q0)
        start = q0.ctypes.data_as(ctypes.c_void_p) if at_goal else None
        taken = self.library.loop_solve(
            ctypes.c_void_p(self.arm),
            ctypes.c_int64(len(rows)),
            rows.ctypes.data_as(ctypes.c_void_p),
            start,
            q.ctypes.data_as(ctypes.c_void_p),
        )
        if taken < 0:
            raise RuntimeError("the core refuses the targets")
        return taken, q

    def close(self) -> None:
        """Give the memory back."""
        self.library.loop_free(ctypes.c_void_p(self.arm))


def measure(name: str, targets: Targets, loop: Loop, rounds: int) -> list[Row]:
    """Time all entries of one arm, Python and C in turn."""
    calls = targets.calls()
    for (_, at_goal), call in calls.items():  # and what is made once is made
        if np.array(call()).tobytes() != loop.seconds(at_goal)[1].tobytes():
            raise AssertionError("Python and C solve differently")
    took: dict[tuple[str, bool], list[tuple[float, float]]] = {key: [] for key in calls}
    for _ in range(rounds):
        for (entry, at_goal), call in calls.items():
            inside = loop.seconds(at_goal)[0]
            begin = time.process_time()
            call()
            whole = time.process_time() - begin
            took[entry, at_goal].append((whole, (inside + loop.seconds(at_goal)[0]) / 2))
    rows = []
    for (entry, at_goal), pairs in took.items():
        whole, inside = 1e6 * np.array(pairs).T / len(targets.rows)
        rows.append(
            {
                "robot": name,
                "entry": entry,
                "start": "answer" if at_goal else "rest",
                "call_us": round(float(np.median(whole)), 3),
                "core_us": round(float(np.median(inside)), 3),
                "python_us": round(float(np.median(whole - inside)), 3),
            }
        )
    return rows


# -- instructions ---------------------------------------------------------------------------------


def child(entry: str, count: int, rounds: int) -> None:
    """Solve under callgrind."""
    call = Targets(table_arms()["iiwa"], count).calls()[entry, False]
    for _ in range(rounds):
        call()


def outside(entry: str, count: int) -> tuple[float, float]:
    """Return the instructions of a call outside hik_plan_solve, and those inside it.

    From where the interpreter hands the arguments over to where it gets the result. What is made
    once falls out of the difference between two rounds and one.
    """

    def run(function: str) -> float:
        command = [sys.executable, "-m", "benchmarks", "calls", "--child", entry, str(count)]
        once, twice = (collected(function, *command, rounds) for rounds in "12")
        return (twice - once) / count

    inside = run("hik_plan_solve")
    return run(DOORS[entry]) - inside, inside


def show(rows: list[Row]) -> None:
    """Print what `measure` found."""
    for r in rows:
        print(
            f"{r['robot']:9} {r['entry']:11} from {r['start']:6} {r['call_us']:7.3f} us a call, "
            f"{r['core_us']:7.3f} in the core, {r['python_us']:6.3f} in Python",
            flush=True,
        )


def draw(rows: list[Row], figure: Any) -> None:
    """Draw what Python adds."""
    axes = figure.subplots()
    robots = list(dict.fromkeys(r["robot"] for r in rows))
    kinds = dict.fromkeys((r["entry"], r["start"]) for r in rows)
    bars(
        axes,
        robots,
        {
            f"{entry}, from {start}": [
                r["python_us"] for r in rows if (r["entry"], r["start"]) == (entry, start)
            ]
            for entry, start in kinds
        },
    )
    axes.set_ylabel("Python's part of a call, us")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks calls", description=__doc__)
    known = [*FILES, *table_arms()]
    parser.add_argument("--robots", nargs="*", default=known, choices=known)
    parser.add_argument("--targets", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--count", action="store_true", help="instructions, too (needs valgrind)")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    add_out(parser)
    args = parser.parse_args()
    if args.child:
        child(args.child[0], int(args.child[1]), int(args.child[2]))
        return
    if shutil.which("gcc") is None or (args.count and missing()):
        sys.exit(f"needs {missing()}")
    print(f"handik {hk.__version__} ({hk.show_config()['simd']}), {args.targets} targets")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        library = ctypes.CDLL(str(build(Path(folder), "solve_loop", "-shared")))
        for arm in arms(args.robots, folder):
            targets = Targets(arm.model, args.targets)
            loop = Loop(library, targets)
            rows += measure(arm.name, targets, loop, args.rounds)
            show(rows[-4:])
            loop.close()
    for entry in DOORS if args.count else ():
        own, core = outside(entry, args.targets)
        print(f"{entry}: {own:.0f} instructions outside hik_plan_solve, {core:.0f} inside (iiwa)")
    save(args.out, "calls", rows, lambda figure: draw(rows, figure))


if __name__ == "__main__":
    main()
