"""Speed of every posture of arms of six turns: from C in a batch, from Python singly, beside EAIK.

Run: python -m benchmarks postures [--rounds 9] [--poses 2000] [--general 20] [--count]

Builds the core with the product's optimisation (gcc) and times it by instruction set: milliseconds
to set an arm up, microseconds of processor time a pose in a batch and one a call, least and median
of the rounds. ``general``: random arms of six joints, their mean and the slowest set-up. Then calls
from Python for one pose each, in rounds by turns with EAIK's when that is installed (its own postures
that do not reach the pose are counted). ``--count``: instructions a pose by callgrind instead, which
load cannot move; it knows no AVX-512.
"""

from __future__ import annotations

import argparse
import importlib
import re
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

import handik as hk
from benchmarks.analytic import ARMS, random_arm
from benchmarks.instructions import build

SETS = ("base", "avx2", "avx512")
SIX = {name.replace(" ", "-"): table for name, table in ARMS.items() if len(table) == 6}


def line(name: str, table: list[list[float]]) -> str:
    """Return an arm as the C program reads it."""
    return " ".join([name, *(repr(float(x)) for row in table for x in row)]) + "\n"


def run(program: Path, words: list[str], arms: str) -> list[list[str]]:
    """Run the C program; its lines by words."""
    command = [str(program), *words]
    done = subprocess.run(command, input=arms, capture_output=True, text=True, check=True)
    return [text.split() for text in done.stdout.splitlines()]


def from_c(program: Path, rounds: int, poses: int, general: int) -> None:
    """Print the times by instruction set."""
    rng = np.random.default_rng(2)
    named = "".join(line(*arm) for arm in SIX.items())
    random = "".join(line(f"random{k}", random_arm(rng)) for k in range(general))
    for name in SETS:
        rows = run(program, [name, str(rounds), str(poses)], named)
        if rows == [["-"]]:
            print(f"{name}: this processor does not have it")
            continue
        for arm, method, setup, least, middle, one, one_middle, found in rows:
            print(
                f"{name:7} {arm:18} {method:9} set-up {setup:>6} ms  batch {least:>7} us "
                f"(median {middle})  one a call {one:>7} us (median {one_middle})  {found} postures",
                flush=True,
            )
        rows = run(program, [name, str(max(3, rounds // 3)), str(min(poses, 200))], random)
        times = [float(row[3]) for row in rows]
        if times:
            print(
                f"{name:7} {len(rows)} random arms    general   set-up up to "
                f"{max(float(row[2]) for row in rows):.2f} ms  batch mean {mean(times):.2f} us, median "
                f"{median(times):.2f}, slowest arm {max(times):.2f}",
                flush=True,
            )


def instructions(program: Path, poses: int) -> None:
    """Print instructions a pose by callgrind."""
    for name in SETS[:2]:
        for arm in SIX.items():
            command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
            command += ["--toggle-collect=measured", str(program), name, "1", str(poses), "count"]
            done = subprocess.run(
                command, input=line(*arm), capture_output=True, text=True, check=True
            )
            found = re.search(r"Collected : (\d+)", done.stderr)
            total = int(found[1]) if found else 0
            print(f"{name:7} {arm[0]:18} {total / poses:9.0f} instructions a pose", flush=True)


def time_calls(call: Any, poses: list[np.ndarray]) -> float:
    """Return microseconds of processor time a call, the mean over the poses."""
    start = time.process_time()
    for pose in poses:
        call(pose)
    return 1e6 * (time.process_time() - start) / len(poses)


def from_python(rounds: int, poses: int) -> None:
    """Print single calls, by turns with EAIK's."""
    try:
        eaik = importlib.import_module("eaik.IK_DH")
    except ImportError:
        eaik = None
        print("EAIK: not installed")
    rng = np.random.default_rng(3)
    for name, rows in SIX.items():
        table = np.array(rows)
        arm = hk.Model.from_dh(table)
        q = rng.uniform(-np.pi, np.pi, (poses, 6))
        targets = list(arm.fk(q - table[:, 0]))
        ours: list[float] = []
        theirs: list[float] = []
        robot = None
        if eaik is not None and arm.solutions(targets[0]).method != "general":
            robot = eaik.DhRobot(table[:, 3], table[:, 2], table[:, 1])
            if not robot.hasKnownDecomposition():
                robot = None
        for _ in range(rounds):
            ours.append(time_calls(arm.solutions, targets))
            if robot is not None:
                theirs.append(time_calls(robot.IK, targets))
        text = f"python  {name:18} one a call: least {min(ours):.2f} us, median {median(ours):.2f}"
        if theirs:
            ratio = median(b / a for a, b in zip(ours, theirs, strict=True))
            text += (
                f"; EAIK least {min(theirs):.2f}, median {median(theirs):.2f}: {ratio:.2f} times"
            )
        print(text, flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--poses", type=int, default=2000)
    parser.add_argument("--general", type=int, default=20, help="random arms of six joints")
    parser.add_argument("--count", action="store_true", help="instructions instead of times")
    options = parser.parse_args()
    print(f"handik {hk.__version__}, {hk.show_config()['simd']}, numpy {np.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder), "postures")
        if options.count:
            instructions(program, min(options.poses, 400))
            return
        from_c(program, options.rounds, options.poses, options.general)
    from_python(options.rounds, options.poses)


if __name__ == "__main__":
    main()
