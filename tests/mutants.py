"""Mutants of the sources: how many of them do the tests kill?  ``python tests/mutants.py --draw 200``

First those of our own list (``--own``; tests/mutation/own.py), each a threshold or a policy that was once
not pinned by any test; then so many drawn by the seed over csrc/{solve,term,analytic,simd,model} and
handik/: a constant, a comparison, a sign, an `and`, a negation, a statement, changed or removed.

Each is built in a copy of the tree below build/mutants, the user's own is not touched, and tried first on
the C tests, then on the quick Python tests that run what it changed; a test that takes ten times its usual
time kills it too. Equivalent ones count for nothing: those whose object code is the same, and those that
tests/mutation/equivalent.txt lists with the reason. Results are appended to build/mutants/results-SEED.jsonl
one by one: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mutation.draw import Mutant, drawn
from mutation.own import own
from mutation.tree import Tree, load_cover

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tests" / "mutation" / "equivalent.txt"


def interval(good: int, all_: int) -> tuple[float, float]:
    """Wilson's interval at 95 %."""
    if all_ == 0:
        return 0.0, 1.0
    z, p = 1.959964, good / all_
    middle = (p + z * z / (2 * all_)) / (1 + z * z / all_)
    half = z / (1 + z * z / all_) * math.sqrt(p * (1 - p) / all_ + z * z / (4 * all_ * all_))
    return middle - half, middle + half


def known_equivalent() -> dict[str, str]:
    lines = [line.split(None, 1) for line in EQUIVALENT.read_text("utf-8").splitlines()]
    return {
        words[0]: words[1] for words in lines if len(words) == 2 and not words[0].startswith("#")
    }


def made_cover(place: Path) -> dict[str, list[list[str]]]:
    """Which test file runs which functions of handik: noted once, by the quick tests."""
    note = place / "cover.json"
    if not note.is_file():
        print(
            "noting which test runs what; this takes as long as the quick tests, twice", flush=True
        )
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "mutation.cover",
            "-p",
            "no:cacheprovider",
        ]
        path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
        environment = os.environ | {"HANDIK_COVER": str(note), "PYTHONPATH": path}
        subprocess.run(
            [*command, "-m", "not slow and not build", "tests"], cwd=ROOT, env=environment
        )
    return load_cover(note)


class Run:
    """Mutants tried by a few workers, each in a tree of its own; every result is kept at once."""

    def __init__(self, place: Path, file: Path, jobs: int) -> None:
        self.place, self.file, self.jobs = place, file, jobs
        self.lock, self.done = threading.Lock(), self.read()
        self.cover = made_cover(place)

    def read(self) -> dict[str, dict[str, Any]]:
        if not self.file.is_file():
            return {}
        rows = [json.loads(line) for line in self.file.read_text("utf-8").splitlines()]
        return {row["key"]: row for row in rows}

    def keep(self, mutant: Mutant, key: str, word: str, by: str, seconds: float, line: int) -> None:
        row = {
            "key": key,
            "word": word,
            "by": by,
            "file": mutant.file,
            "line": line,
            "what": mutant.what,
        }
        row |= {"old": mutant.old, "new": mutant.new, "seconds": round(seconds, 1)}
        with self.lock:
            self.done[key] = row
            with self.file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")
            change = f"{mutant.old.strip()[:60]!r} -> {mutant.new.strip()[:60]!r}"
            print(
                f"{word:10} {key} {mutant.file}:{line} {change} {by} ({seconds:.0f} s)", flush=True
            )

    def all(self, mutants: list[Mutant], wanted: int) -> list[str]:
        """Try mutants in order until so many are no program's equivalents; return the keys of those."""
        counted: list[str] = []
        equal, order = known_equivalent(), []
        for mutant in mutants:
            text = (ROOT / mutant.file).read_text("utf-8")
            order.append((mutant, mutant.key(text), mutant.line(text)))
        places = iter(order)

        def next_one() -> tuple[Mutant, str, int] | None:
            with self.lock:
                if len(counted) >= wanted:
                    return None
                found = next(places, None)
                if found is not None:
                    counted.append(found[1])
                return found

        def work(index: int) -> None:
            tree: Tree | None = None
            while (one := next_one()) is not None:
                mutant, key, line = one
                if key in equal and self.done.get(key, {}).get("word") != "equivalent":
                    self.keep(mutant, key, "equivalent", equal[key], 0.0, line)
                if key not in self.done:
                    if tree is None:
                        tree = Tree(ROOT, self.place / f"tree{index}", cover=self.cover)
                        begun = time.monotonic()
                        tree.build()
                        built = time.monotonic()
                        tree.measure()
                        took = f"{built - begun:.0f} s to build, {time.monotonic() - built:.0f} s for the C tests"
                        print(f"tree {index}: {took}", flush=True)
                    verdict = tree.try_out(mutant)
                    self.keep(mutant, key, verdict.word, verdict.by, verdict.seconds, line)
                if self.done[key]["word"] in ("equivalent", "invalid"):
                    with self.lock:
                        counted.remove(key)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(self.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return counted


def report(title: str, rows: list[dict[str, Any]]) -> int:
    """The share killed, and the survivors one by one; returns how many."""
    words = Counter(row["word"] for row in rows)
    killed, all_ = words["killed"], words["killed"] + words["survived"]
    low, high = interval(killed, all_)
    print(
        f"\n{title}: {killed} of {all_} killed, {killed / max(all_, 1):.1%} (95 %: {low:.1%} to {high:.1%})"
    )
    for row in rows:
        if row["word"] == "survived":
            print(
                f"  survivor {row['key']} {row['file']}:{row['line']} {row['old'][:70]!r} -> {row['new'][:70]!r} {row['by']}"
            )
    return words["survived"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draw", type=int, default=200, help="how many of the random draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--own", action="store_true", help="our own list alone")
    parser.add_argument("--drawn", action="store_true", help="those drawn alone")
    parser.add_argument("--name", help="those of our own list with this in the name")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--place", type=Path, default=ROOT / "build" / "mutants")
    given = parser.parse_args()
    given.place = given.place.resolve()
    given.place.mkdir(parents=True, exist_ok=True)
    if not given.drawn:
        mutants = [one for one in own(ROOT) if not given.name or given.name in one.name]
        run = Run(given.place, given.place / "results-own.jsonl", given.jobs)
        keys = run.all(mutants, len(mutants))
        report("our own list", [run.done[key] for key in keys])
    if not given.own and not given.name:
        run = Run(given.place, given.place / f"results-{given.seed}.jsonl", given.jobs)
        keys = run.all(drawn(ROOT, given.seed), given.draw)
        report(f"drawn by seed {given.seed}", [run.done[key] for key in keys])


if __name__ == "__main__":
    main()
