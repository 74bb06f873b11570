"""Mutants of the sources: how many of them do the tests kill?  ``python tests/mutants.py --draw 200``

First those of our own list (``--own``; tests/mutation/own.py), each a threshold or a policy that was once
not pinned by any test; then so many drawn by the seed over csrc/{solve,term,analytic,simd,model,skin} and
handik/: a constant, a comparison, a sign, an `and`, a negation, a statement, changed or removed.

Each is built in a copy of the tree below build/mutants, the user's own is not touched, and tried on tests
that run the changed line, C and Python, as the notes of mutation/note.py tell: quick ones first, FIRST seconds
of them, then of what survives SECOND seconds. A test that takes ten times its usual time (and 20 s) kills it
too; one that fails is asked a second time, and judges nothing if it then passes. Equivalent ones count for
nothing: those whose object code is the same, and those that tests/mutation/equivalent.txt lists with the
reason. Results are appended to build/mutants/results-SEED.jsonl one by one: a run that was stopped goes on
where it was, and so does one after tests or equivalents were added (delete the rows of mutants to be tried
again).
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mutation.draw import Mutant, drawn
from mutation.note import Found, Note
from mutation.own import own
from mutation.tree import Tree, Verdict

ROOT = Path(__file__).resolve().parent.parent
FIRST, SECOND = 15.0, 120.0  # seconds of tests for each mutant, and for each that survives these
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
    """Of each the reason; a line is the key, " | " and the reason, for the names of our own list have spaces."""
    lines = [line.split(" | ", 1) for line in EQUIVALENT.read_text("utf-8").splitlines()]
    return {words[0]: words[1] for words in lines if len(words) == 2 and words[0][:1] != "#"}


def chosen(found: Found, mutant: Mutant, most: float) -> dict[str, float]:
    """Tests worth so many seconds: those that run the very line first, one of each function after the other."""
    stem = Path(mutant.file).name.split(".")[0]
    out: dict[str, float] = {}
    spent = 0.0
    for tier in (found.near, found.wide):
        groups: dict[str, list[str]] = {}
        for test in sorted(tier, key=lambda name: (tier[name], name)):
            groups.setdefault(test.split("[")[0], []).append(test)

        # each group begins with its quickest, and the dictionary has groups in the order of these
        order = sorted(groups, key=lambda name: stem not in name.split("::")[0])
        for k in range(max(map(len, groups.values()), default=0)):
            for name in order:
                test = groups[name][k] if k < len(groups[name]) else None
                if test is None or test in out or spent + tier[test] > most:
                    continue
                out[test] = tier[test]
                spent += tier[test] + 0.01
    return out


class Run:
    """Mutants tried by a few workers, each in a tree of its own; every result is kept at once."""

    def __init__(self, place: Path, file: Path, jobs: int, hints: dict[str, str]) -> None:
        self.place, self.file, self.jobs, self.hints = place, file, jobs, hints
        self.lock = threading.Lock()
        self.done = read(file)
        self.note = Note(ROOT, place)
        self.note.make(jobs)
        self.trees: dict[int, Tree] = {}

    def keep(self, mutant: Mutant, key: str, verdict: Verdict, line: int, most: float) -> None:
        row = {"key": key, "word": verdict.word, "by": verdict.by, "file": mutant.file}
        row |= {"line": line, "what": mutant.what, "old": mutant.old, "new": mutant.new}
        row |= {"seconds": round(verdict.seconds, 1), "most": most}
        with self.lock:
            self.done[key] = row
            with self.file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")
            change = f"{mutant.old.strip()[:60]!r} -> {mutant.new.strip()[:60]!r}"
            took = f"({verdict.seconds:.0f} s)"
            print(
                f"{verdict.word:10} {key} {mutant.file}:{line} {change} {verdict.by} {took}",
                flush=True,
            )

    def tree(self, index: int) -> Tree:
        if index not in self.trees:
            tree = Tree(ROOT, self.place / f"tree{index}")
            tree.build([file for file in self.note.tests() if file.endswith(".c")])
            self.trees[index] = tree
        return self.trees[index]

    def judge(self, index: int, mutant: Mutant, key: str, line: int, most: float) -> None:
        text = (ROOT / mutant.file).read_text("utf-8")
        with self.lock:
            found = self.note.find(mutant, text)
        tests = chosen(found, mutant, most)
        killer = self.hints.get(key, "")
        every = found.wide | found.near
        if "test_" in killer and killer[:7] != "reading":
            tests = {killer: every.get(killer, 10.0)} | tests
        self.keep(mutant, key, self.tree(index).try_out(mutant, tests, most > FIRST), line, most)

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
            while (one := next_one()) is not None:
                mutant, key, line = one
                if key in equal and self.done.get(key, {}).get("word") != "equivalent":
                    self.keep(mutant, key, Verdict("equivalent", equal[key]), line, 0.0)
                if key not in self.done:
                    self.judge(index, mutant, key, line, FIRST)
                if self.done[key]["word"] in ("equivalent", "invalid"):
                    with self.lock:
                        counted.remove(key)

        def work_again(index: int) -> None:
            for mutant, key, line in order[index :: self.jobs]:
                row = self.done.get(key, {})
                if key in counted and row["word"] == "survived" and row["most"] < SECOND:
                    self.judge(index, mutant, key, line, SECOND)

        for each in (work, work_again):
            threads = [threading.Thread(target=each, args=(k,)) for k in range(self.jobs)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return counted

    def end(self) -> None:
        for tree in self.trees.values():
            tree.server.end()


def read(file: Path) -> dict[str, dict[str, Any]]:
    if not file.is_file():
        return {}
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return {row["key"]: row for row in rows}


def report(title: str, rows: list[dict[str, Any]]) -> int:
    """The share killed, and the survivors one by one; returns how many."""
    words = Counter(row["word"] for row in rows)
    killed, all_ = words["killed"], words["killed"] + words["survived"]
    low, high = interval(killed, all_)
    print(
        f"\n{title}: {killed} of {all_} killed, {killed / max(all_, 1):.1%} (95 %: {low:.1%} to {high:.1%})"
    )
    alone = sum(row["by"] == "tests/hashes.csv" for row in rows)
    print(f"  {alone} of them by the table of bytes alone, tests/hashes.csv")
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
    parser.add_argument(
        "--hints",
        type=Path,
        help="results of an earlier run: what killed a mutant there is tried first",
    )
    given = parser.parse_args()
    given.place = given.place.resolve()
    given.place.mkdir(parents=True, exist_ok=True)
    hints = {key: row["by"] for key, row in read(given.hints).items()} if given.hints else {}
    if not given.drawn:
        mutants = [one for one in own(ROOT) if not given.name or given.name in one.name]
        run = Run(given.place, given.place / "results-own.jsonl", given.jobs, hints)
        keys = run.all(mutants, len(mutants))
        run.end()
        report("our own list", [run.done[key] for key in keys])
    if not given.own and not given.name:
        run = Run(given.place, given.place / f"results-{given.seed}.jsonl", given.jobs, hints)
        keys = run.all(drawn(ROOT, given.seed), given.draw)
        run.end()
        report(f"drawn by seed {given.seed}", [run.done[key] for key in keys])


if __name__ == "__main__":
    main()
