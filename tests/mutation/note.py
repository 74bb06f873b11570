"""Which tests run which lines, and how long each takes: noted once, asked for every mutant.

A note is kept for every file of tests and every C program, with the text of the sources as they stood then;
lines of sources that changed since are found by comparing the two, and a file of tests that changed is noted
again. So tests may be added between runs without noting everything anew.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import json
import re
import subprocess
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from mutation.draw import Mutant, bare, bodies, sources
from mutation.tree import Server, Tree

QUICK = "not slow and not build"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass
class Found:
    """Tests that run a mutant's line, and others that run what it stands in; each with its seconds."""

    near: dict[str, float] = field(default_factory=dict)
    wide: dict[str, float] = field(default_factory=dict)


def enclosing(mutant: Mutant, text: str) -> tuple[int, int] | None:
    """From which line to which the function goes that a mutant stands in; None: it stands in none."""
    if mutant.file.endswith(".py"):
        line, best = mutant.line(text), None
        for node in ast.walk(ast.parse(text)):
            inside = isinstance(node, ast.FunctionDef) and node.body[0].lineno <= line
            if inside and line <= (node.end_lineno or 0):
                best = node.body[0].lineno, node.end_lineno or 0
        return best
    for start, end in bodies(bare(text)):
        if start <= mutant.start <= end:
            return text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1
    return None


class Lines:
    """Where a line of the present text stood in the text of a note."""

    def __init__(self, now: str, then: str) -> None:
        matcher = difflib.SequenceMatcher(None, now.split("\n"), then.split("\n"), autojunk=False)
        self.blocks = [] if now == then else matcher.get_matching_blocks()

    def __call__(self, line: int) -> int:
        at = line
        for now, then, size in self.blocks:
            if now < line:
                at = then + min(line - now, size)
        return at


class Note:
    """All notes below one place."""

    def __init__(self, root: Path, place: Path) -> None:
        self.root, self.place = root, place
        self.files: dict[str, dict[str, Any]] = {}
        for path in sorted((place / "note").glob("*.json")):
            one = json.loads(path.read_text("utf-8"))
            self.files[one["file"]] = one
        self.lock = threading.Lock()
        self.maps: dict[tuple[str, str], Lines] = {}

    # -- making ---------------------------------------------------------------------------------

    def tests(self) -> list[str]:
        """Every file of tests of the tree, Python and C."""
        found = [p for p in (self.root / "tests").rglob("test_*.py") if "mutation" not in p.parts]
        found += (self.root / "csrc" / "tests").glob("test_*.c")
        return sorted(str(p.relative_to(self.root)) for p in found)

    def stale(self) -> list[str]:
        def changed(file: str) -> bool:
            text = (self.root / file).read_text("utf-8")
            return file not in self.files or self.files[file]["digest"] != digest(text)

        return [file for file in self.tests() if changed(file)]

    def make(self, jobs: int) -> None:
        """Note what is not noted yet, in a tree whose library tells which of its blocks ran."""
        stale = self.stale()
        for file in set(self.files) - set(self.tests()):
            del self.files[file]
        if not stale:
            return
        print(f"noting what {len(stale)} files of tests run", flush=True)
        begun = time.monotonic()
        tree = Tree(self.root, self.place / "noted", trace=True)
        tree.build([s for s in stale if s.endswith(".c")])
        snapshot, files = self.snapshot(), iter(stale)

        def work(index: int) -> None:
            server = Server(tree.folder, self.place / f"noted-server{index}")
            while (file := next(files, None)) is not None:
                target = self.place / f"noted{index}"
                of = self.of_program if file.endswith(".c") else self.of
                self.keep(tree, snapshot, file, of(tree, server, file, target))
            server.end()

        threads = [threading.Thread(target=work, args=(k,)) for k in range(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"noted in {time.monotonic() - begun:.0f} s", flush=True)

    def keep(self, tree: Tree, snapshot: str, file: str, tests: dict[str, Any]) -> None:
        with self.lock:
            self.resolve(tree, tests)
            text = (self.root / file).read_text("utf-8")
            one = {"file": file, "digest": digest(text), "snapshot": snapshot, "tests": tests}
            self.files[file] = one
            target = self.place / "note" / (file.replace("/", "_") + ".json")
            target.write_text(json.dumps(one), "utf-8")
            took = sum(t.get("seconds", 0) for t in tests.values())
            failed = [name for name, test in tests.items() if not test["passed"]]
            print(f"  {file}: {len(tests)} tests, {took:.1f} s {' '.join(failed)}", flush=True)

    def snapshot(self) -> str:
        texts = {str(p.relative_to(self.root)): p.read_text("utf-8") for p in sources(self.root)}
        name = digest(json.dumps(texts))
        target = self.place / "note" / "sources" / f"{name}.json"
        target.parent.mkdir(exist_ok=True, parents=True)
        target.write_text(json.dumps(texts), "utf-8")
        return name

    def of_program(self, tree: Tree, _: Server, source: str, target: Path) -> dict[str, Any]:
        import numpy as np

        target.unlink(missing_ok=True)
        passed, seconds = tree.program(source, {"HANDIK_TRACE": str(target)}, 600)
        ran = np.fromfile(target, np.uint8) if target.is_file() else np.zeros(0, np.uint8)
        blocks = [int(at) for at in np.flatnonzero(ran)]
        return {source: {"passed": passed, "seconds": seconds, "lines": {}, "blocks": blocks}}

    def of(self, _: Tree, server: Server, file: str, target: Path) -> dict[str, Any]:
        target.unlink(missing_ok=True)
        args = ["-q", "-p", "no:cacheprovider", "-m", QUICK, "--timeout", "600", file]
        server.ask(args=args, note=str(target), profile="sanitize", wall=3000)
        return json.loads(target.read_text("utf-8")) if target.is_file() else {}

    def resolve(self, tree: Tree, tests: dict[str, Any]) -> None:
        """Blocks into lines of the sources."""
        wanted = sorted({at for test in tests.values() for at in test.get("blocks", ())})
        new = [at for at in wanted if at not in tree.resolved]
        if new:
            # the note has where the call returns to, which may be another line
            text = "".join(f"{at - 1:#x}\n" for at in new)
            command = ["addr2line", "-e", "handik/libmutant.so"]
            done = subprocess.run(
                command, cwd=tree.folder, input=text, capture_output=True, text=True, check=True
            )
            for at, found in zip(new, done.stdout.splitlines(), strict=True):
                file, _, line = found.split(" ")[0].rpartition(":")
                inside = "csrc/" in file and line.isdigit()
                tree.resolved[at] = (
                    ("csrc/" + file.rpartition("csrc/")[2], int(line)) if inside else None
                )
        for test in tests.values():
            lines: dict[str, set[int]] = {}
            for at in test.pop("blocks", ()):
                if (found := tree.resolved[at]) is not None:
                    lines.setdefault(found[0], set()).add(found[1])
            test.setdefault("lines", {}).update({f: sorted(ls) for f, ls in lines.items()})

    # -- asking ---------------------------------------------------------------------------------

    @cached_property
    def snapshots(self) -> dict[str, dict[str, str]]:
        names = {one["snapshot"] for one in self.files.values()}
        at = self.place / "note" / "sources"
        return {name: json.loads((at / f"{name}.json").read_text("utf-8")) for name in names}

    def then(self, snapshot: str, file: str, text: str) -> Lines:
        if (snapshot, file) not in self.maps:
            self.maps[snapshot, file] = Lines(text, self.snapshots[snapshot].get(file, text))
        return self.maps[snapshot, file]

    def running(self, file: str, text: str, lines: Iterable[int]) -> dict[str, float]:
        """The tests that run one of these lines of a file, by the name of the test."""
        out: dict[str, float] = {}
        lines = list(lines)
        for one in self.files.values():
            place = self.then(one["snapshot"], file, text)
            wanted = {place(line) for line in lines}
            for name, test in one["tests"].items():
                if test.get("passed") and not wanted.isdisjoint(test["lines"].get(file, ())):
                    out[name] = test["seconds"]
        return out

    def head(self, file: str, text: str, first: int, line: int) -> int | None:
        """The last line at or before this one, not before `first`, at which a noted block begins."""
        for k in range(line, first - 1, -1):
            if self.running(file, text, [k]):
                return k
        return None

    def whole(self, file: str) -> dict[str, float]:
        return {
            name: test["seconds"]
            for one in self.files.values()
            for name, test in one["tests"].items()
            if test.get("passed") and test["lines"].get(file)
        }

    def programs(self) -> dict[str, float]:
        every = {name: one["tests"][name] for name, one in self.files.items() if name[-2:] == ".c"}
        return {name: test["seconds"] for name, test in every.items() if test["passed"]}

    def find(self, mutant: Mutant, text: str) -> Found:
        file, first = mutant.file, mutant.line(text)
        last = first + mutant.old.count("\n")
        around = enclosing(mutant, text)
        if around is None:
            return Found(self.named(mutant, text), self.whole(file))
        # a C function without a branch may begin no block under its own lines: then whoever runs its file,
        # or, of a header that is nothing else, any C program
        wide = self.running(file, text, range(around[0], around[1] + 1))
        if not wide and not file.endswith(".py"):
            wide = self.whole(file) or self.programs()
        if file.endswith(".py"):
            return Found(self.running(file, text, range(first, last + 1)), wide)
        head = self.head(file, text, around[0], last)
        return Found({} if head is None else self.running(file, text, [head]), wide)

    def named(self, mutant: Mutant, text: str) -> dict[str, float]:
        """Those that run a line with the name of the constant that a mutant of a module changes."""
        start = text.rfind("\n", 0, mutant.start) + 1
        name = re.match(r"(\w+)\s*(?::[^=]+)?=", text[start:])
        out: dict[str, float] = {}
        for path in sorted((self.root / "handik").rglob("*.py")) if name else ():
            other = path.read_text("utf-8")
            rows = other.split("\n")
            where = [k for k, row in enumerate(rows, 1) if re.search(rf"\b{name[1]}\b", row)]
            if where:
                out |= self.running(str(path.relative_to(self.root)), other, where)
        return out
