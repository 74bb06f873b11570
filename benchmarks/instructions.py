"""Instructions of the hottest calls of the core, counted by callgrind: a figure that load cannot move.

Builds csrc and benchmarks/entry_points.c with the product's flags (gcc), runs each entry point under
valgrind and prints instructions per problem beside those of instructions.csv. The kernels counted are
those of AVX2 on every machine, as valgrind knows no AVX-512. ``--check`` exits with 1 when one has
grown by more than 3 %, or when none is on file for it; ``--write REASON`` puts the present counts, the
compiler and the reason into the file. Another compiler, or another major version of it, makes other
code: its counts are printed and not compared. The tests do the same (tests/use/test_instructions.py).
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
CSRC = HERE.parent / "csrc"
FILE = HERE / "instructions.csv"
GROWTH = 1.03
FLAGS = (
    "-std=c11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden -fPIC"
)
#: problems a run: few where one takes long under valgrind, many where it is short
PROBLEMS = {"lm_one": 20, "fabrik_tree": 50}
USUAL = 200
NO_AVX2 = 4  # exit status of entry_points


class CannotCount(Exception):
    """What is missing on this machine to count instructions."""


@dataclass(frozen=True)
class Kept:
    """What is on file of one entry point."""

    instructions: int
    compiler: str


def missing() -> str:
    """Name what is not installed of what counting needs; empty: nothing."""
    return " and ".join(tool for tool in ("gcc", "valgrind") if shutil.which(tool) is None)


def compiler(program: Path) -> str:
    """Return name and major version of the compiler of a program, which its counts belong to."""
    done = subprocess.run([str(program), "compiler"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def build(folder: Path, name: str = "entry_points", *more: str) -> Path:
    """Compile the core and a C program, or with ``-shared`` a library, of this folder."""
    program = folder / name
    skip = {"python", "tests", "fuzz"}
    sources = [p for p in sorted(CSRC.rglob("*.c")) if not p.name.endswith(".inc.c")]
    sources = [p for p in sources if not skip & set(p.relative_to(CSRC).parts)]
    command = ["gcc", *FLAGS.split(), *more, "-pthread", f"-I{CSRC}", f"-I{CSRC / 'include'}"]
    command += ['-DHANDIK_VERSION="0"', str(HERE / f"{name}.c"), *map(str, sources)]
    subprocess.run([*command, "-o", str(program), "-lm"], check=True)
    return program


def entries(program: Path) -> list[str]:
    """List the entry points of a program."""
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    return done.stdout.split()


def collected(function: str, *command: str) -> int:
    """Return the instructions of a command inside one of its functions."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    whole = [*tool, f"--toggle-collect={function}", *command]
    linked = {**os.environ, "LD_BIND_NOW": "1"}  # what the loader does is counted nowhere
    done = subprocess.run(whole, capture_output=True, text=True, check=False, env=linked)
    if done.returncode == NO_AVX2:
        raise CannotCount("this processor, as valgrind shows it, has no AVX2")
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None or int(found[1]) == 0:
        said = done.stderr[-500:]
        raise RuntimeError(f"callgrind counted nothing in {function} of {command}: {said}")
    return int(found[1])


def count(program: Path, name: str) -> int:
    """Return the instructions per problem of one entry point."""
    problems = PROBLEMS.get(name, USUAL)
    return round(collected("measured", str(program), name, str(problems)) / problems)


def kept(file: Path = FILE) -> dict[str, Kept]:
    """Return the counts on file."""
    if not file.exists():
        return {}
    with file.open(encoding="utf-8", newline="") as opened:
        rows = csv.DictReader(opened)
        return {r["entry"]: Kept(int(r["instructions"]), r["compiler"]) for r in rows}


def write(now: dict[str, int], version: str, reason: str, file: Path = FILE) -> None:
    """Put counts into the file; a row that has moved by less than half a percent stays as it is."""
    rows: dict[str, dict[str, str]] = {}
    if file.exists():
        with file.open(encoding="utf-8", newline="") as opened:
            rows = {r["entry"]: r for r in csv.DictReader(opened)}
    made = []
    for name, n in now.items():
        old = rows.get(name)
        if old and old["compiler"] == version and abs(n / int(old["instructions"]) - 1) < 0.005:
            made.append([name, old["instructions"], version, old["reason"]])
        else:
            made.append([name, n, version, reason])
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(["entry", "instructions", "compiler", "reason"])
        writer.writerows(made)


def faults(now: dict[str, int], old: dict[str, Kept], version: str) -> list[str]:
    """Say what has grown by more than 3 %, and what is on file or counted alone."""
    found = [f"{name} is on file, but is no entry point" for name in old if name not in now]
    for name, n in now.items():
        if name not in old:
            found.append(f"{name} is not on file")
        elif old[name].compiler == version and n > GROWTH * old[name].instructions:
            before = old[name].instructions
            found.append(f"{name} takes {n} instructions, {n / before - 1:+.1%} of {before}")
    return found


def main() -> None:
    """Print, check or write the counts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks instructions", description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", metavar="REASON")
    args = parser.parse_args()
    if missing():
        sys.exit(f"needs {missing()}")
    try:
        with tempfile.TemporaryDirectory() as folder:
            program = build(Path(folder))
            now = {name: count(program, name) for name in entries(program)}
            version = compiler(program)
    except CannotCount as error:
        sys.exit(str(error))
    old = kept()
    for name, n in now.items():
        before = old.get(name)
        share = f"{n / before.instructions - 1:+7.1%}" if before else "    new"
        other = "" if not before or before.compiler == version else f"  ({before.compiler} on file)"
        print(f"{name:16} {n:9} {before.instructions if before else '':>9} {share}{other}")
    if args.write:
        write(now, version, args.write)
    elif args.check and (found := faults(now, old, version)):
        sys.exit("; ".join(found) + "; if that is meant, --write REASON")


if __name__ == "__main__":
    main()
