"""Instructions of the hottest calls of the core, counted by callgrind: a figure that load cannot move.

Builds csrc and benchmarks/entry_points.c with the product's optimisation (gcc), runs each entry
point under valgrind and prints instructions per problem beside those of instructions.csv. Valgrind
knows no AVX-512, so the path counted is that of AVX2. ``--check`` exits with 1 when one has grown by
more than 3 %; ``--write REASON`` puts the present counts and the reason into the file.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CSRC = HERE.parent / "csrc"
FILE = HERE / "instructions.csv"
GROWTH = 1.03
FLAGS = "-std=c11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden"
#: problems a run; FABRIK and CCD take long under valgrind, a short frame is noisy with few
PROBLEMS = 200


def build(folder: Path) -> Path:
    """Compile the core and the entry points."""
    program = folder / "entry_points"
    skip = {"python", "tests", "fuzz"}
    sources = [p for p in sorted(CSRC.rglob("*.c")) if not p.name.endswith(".inc.c")]
    sources = [p for p in sources if not skip & set(p.relative_to(CSRC).parts)]
    command = ["gcc", *FLAGS.split(), "-pthread", f"-I{CSRC}", f"-I{CSRC / 'include'}"]
    command += ['-DHANDIK_VERSION="0"', str(HERE / "entry_points.c"), *map(str, sources)]
    subprocess.run([*command, "-o", str(program), "-lm"], check=True)
    return program


def count(program: Path, name: str) -> int:
    """Return the instructions per problem of one entry point."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*tool, "--toggle-collect=measured", str(program), name, str(PROBLEMS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if found is None or int(found[1]) == 0:
        raise RuntimeError(f"callgrind counted nothing for {name}: {done.stderr[-500:]}")
    return round(int(found[1]) / PROBLEMS)


def kept() -> dict[str, int]:
    """Return the counts on file."""
    if not FILE.exists():
        return {}
    with FILE.open(encoding="utf-8", newline="") as file:
        return {row["entry"]: int(row["instructions"]) for row in csv.DictReader(file)}


def main() -> None:
    """Print, check or write the counts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks instructions", description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", metavar="REASON")
    args = parser.parse_args()
    missing = [tool for tool in ("gcc", "valgrind") if shutil.which(tool) is None]
    if missing:
        sys.exit(f"needs {' and '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        listed = subprocess.run([str(program)], capture_output=True, text=True, check=True)
        now = {name: count(program, name) for name in listed.stdout.split()}
    old, grown = kept(), []
    for name, n in now.items():
        before = old.get(name)
        share = f"{n / before - 1:+7.1%}" if before else "    new"
        print(f"{name:16} {n:9} {before or '':>9} {share}")
        if before and n > GROWTH * before:
            grown.append(name)
    if args.write:
        with FILE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["entry", "instructions", "reason"])
            for name, n in now.items():
                writer.writerow([name, n, args.write])
    elif args.check and grown:
        sys.exit(f"more instructions than on file: {', '.join(grown)}")


if __name__ == "__main__":
    main()
