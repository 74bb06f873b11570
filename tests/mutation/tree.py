"""A copy of the tree in which a mutant is built and tried: one file changes, what depends on it is compiled."""

from __future__ import annotations

import ast
import json
import math
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from mutation.draw import Mutant

LEFT_OUT = shutil.ignore_patterns(
    *(
        ".git",
        ".venv*",
        "build",
        "dist",
        "out",
        "*.egg-info",
        "*.so",
        "__pycache__",
        ".*_cache",
        ".hypothesis",
    )
)
# Objects of the library stand in a library of their own, so that a mutant is linked once and not a program at a time.
EXTRA = ("-O2", "-fPIC", "-fvisibility=default", "-fno-semantic-interposition", "-MD")
HASHES = "csrc/tests/hashes.c"  # not a test by itself: tests/hashes.csv says what must come out
TRACED = ("-O1", "-g1", "-fsanitize-coverage=trace-pc")
CPU = Path("/proc/cpuinfo").read_text("utf-8") if Path("/proc/cpuinfo").is_file() else ""
LEAST = (
    20.0  # seconds of the processor that any test may take; else ten times what it takes unchanged
)


@dataclass
class Verdict:
    """What became of a mutant: killed, survived, equivalent, or no program at all."""

    word: str
    by: str = ""
    seconds: float = 0.0


def limited(seconds: float) -> Callable[[], None]:
    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return set_limit


class Server:
    """The process of mutation/server.py that runs the Python tests of a tree."""

    def __init__(self, folder: Path, place: Path) -> None:
        environment = os.environ | {
            "PYTHONPATH": str(folder),
            "HANDIK_SOURCE": str(folder),
            "MPLBACKEND": "agg",
            "OPENBLAS_NUM_THREADS": "1",
        }
        command = [sys.executable, str(Path(__file__).with_name("server.py")), str(place)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, text=True
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


@dataclass
class Tree:
    """A built copy; `try_out` says what becomes of a mutant and leaves the copy as it was."""

    root: Path
    folder: Path
    trace: bool = False
    base: dict[str, float] = field(default_factory=dict)  # seconds of each C program, unchanged
    whole: bool = False  # tests with all their parameters
    complaint: str = ""  # of the compiler, the last
    red: set[str] = field(default_factory=set)  # tests that fail unchanged, or not each time
    resolved: dict[int, tuple[str, int] | None] = field(default_factory=dict)  # see note.py

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(self.root, self.folder, ignore=LEFT_OUT, dirs_exist_ok=True, symlinks=True)
        # a compiler that outlived a run that was stopped shall not write into this one's
        self.objects = self.folder / f"objects-{os.getpid()}"
        self.objects.mkdir()

    @cached_property
    def server(self) -> Server:
        return Server(self.folder, self.folder.with_name(self.folder.name + "-server"))

    # -- building -------------------------------------------------------------------------------

    @property
    def compiler(self) -> list[str]:
        usual = "ccache gcc" if shutil.which("ccache") else "gcc"
        return shlex.split(os.environ.get("CC", usual))

    @cached_property
    def flags(self) -> list[str]:
        import numpy as np

        for node in ast.walk(ast.parse((self.folder / "setup.py").read_text("utf-8"))):
            if isinstance(node, ast.Constant) and str(node.value).startswith("-std=c11"):
                own = shlex.split(node.value)
        version = re.search(
            r'^version = "(.+)"', (self.folder / "pyproject.toml").read_text("utf-8"), re.M
        )
        assert version is not None
        out = [
            *own,
            *EXTRA,
            *(TRACED if self.trace else ()),
            "-Icsrc",
            "-Icsrc/include",
            f'-DHANDIK_VERSION="{version[1]}"',
            "-w",
        ]
        out += [
            "-DNPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION",
            "-DNPY_TARGET_VERSION=NPY_1_25_API_VERSION",
        ]
        return [
            *out,
            "-DPy_LIMITED_API=0x030b0000",
            f"-I{np.get_include()}",
            f"-I{sysconfig.get_path('include')}",
        ]

    def object_of(self, source: str) -> Path:
        return self.objects / (source.replace("/", "_")[:-2] + ".o")

    def compile(self, sources: list[str]) -> bool:
        environment = os.environ | {"CCACHE_BASEDIR": str(self.folder), "CCACHE_NOHASHDIR": "1"}

        def one(source: str) -> bool:
            # the trace itself and the binding are not traced
            flags = (
                self.flags if source in self.library else [f for f in self.flags if f != TRACED[-1]]
            )
            command = [*self.compiler, *flags, "-c", source, "-o", str(self.object_of(source))]
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, text=True
            )
            self.complaint = self.complaint if done.returncode == 0 else done.stderr
            return done.returncode == 0

        with ThreadPoolExecutor(2) as pool:
            return all(pool.map(one, sources))

    def link(self, *what: str) -> None:
        subprocess.run(["gcc", *what], cwd=self.folder, check=True)

    def link_library(self) -> None:
        own = [str(self.object_of(s)) for s in (*self.library, *self.tracer)]
        # a new file: who still runs the old one keeps it
        self.link("-shared", *own, "-o", "handik/libmutant.so.new", "-pthread", "-lm")
        os.replace(
            self.folder / "handik" / "libmutant.so.new", self.folder / "handik" / "libmutant.so"
        )

    def build(self, programs: list[str]) -> None:
        """Everything, unchanged: the library, the extension and the programs that use it."""
        at = self.folder / "csrc"
        every = sorted(
            str(p.relative_to(self.folder))
            for p in at.rglob("*.c")
            if not p.name.endswith(".inc.c")
        )
        self.tracer = ["tests/mutation/trace.c"] if self.trace else []
        self.programs = [*programs, HASHES]
        self.binding = [s for s in every if s.startswith("csrc/python/")]
        apart = ("csrc/python/", "csrc/tests/", "csrc/fuzz/")
        self.library = [s for s in every if not s.startswith(apart)]
        if not self.compile([*self.library, *self.binding, *self.programs, *self.tracer]):
            raise RuntimeError(f"the unchanged tree does not compile:\n{self.complaint}")
        self.link_library()
        beside = ["-Lhandik", "-lmutant", "-pthread", "-lm"]
        binding = [str(self.object_of(s)) for s in self.binding]
        out = "handik/_core.abi3.so"
        self.link("-shared", *binding, "-o", out, *beside, "-Wl,-rpath,$ORIGIN")
        for source in self.programs:
            out = str(self.object_of(source))[:-2]
            rpath = "-Wl,-rpath,$ORIGIN/../handik"
            self.link(str(self.object_of(source)), "-o", out, *beside, rpath)
        self.needs = {source: self.needed(source) for source in self.library}

    def needed(self, source: str) -> set[str]:
        """The files that an object was made of, as the compiler wrote them down."""
        text = self.object_of(source).with_suffix(".d").read_text("utf-8").replace("\\\n", " ")
        return {
            os.path.normpath(word)
            for word in text.split(":", 1)[1].split()
            if not word.startswith("/")
        }

    # -- tests ----------------------------------------------------------------------------------

    def program(self, source: str, environment: dict[str, str], most: float) -> tuple[bool, float]:
        """Run a program of the C tests: does it pass, and what does it take of the processor?"""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [str(self.object_of(source))[:-2]]
        try:
            done = subprocess.run(
                command,
                cwd=self.objects,
                env=os.environ | environment,
                capture_output=True,
                timeout=20 * most,
                preexec_fn=limited(most),
            )
        except subprocess.TimeoutExpired:
            return False, 20 * most
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return done.returncode == 0, spent

    def failing(self, tests: dict[str, float], whole: bool = False) -> str | None:
        """The first of these tests that fails, each known with its seconds; None: none does."""
        red = {name.split("[")[0] for name in self.red} if whole else self.red
        wanted = {t: s for t, s in tests.items() if (t.split("[")[0] if whole else t) not in red}
        for source in [test for test in wanted if test.endswith(".c")]:
            if not self.program(source, {}, max(LEAST, 10 * wanted.pop(source)))[0]:
                return source
        files: dict[str, dict[str, float]] = {}
        for node, seconds in wanted.items():
            files.setdefault(node.split("::")[0], {})[node] = seconds
        names = list(files)
        # few files first: most mutants die at once, and reading a file of tests takes its time as well
        for chunk in (names[:1], names[1:4], names[4:12], names[12:]):
            nodes = {node: s for name in chunk for node, s in files[name].items()}
            if nodes and (failed := self.failing_nodes(chunk, nodes, whole)):
                return failed
        return None

    def failing_nodes(self, files: list[str], nodes: dict[str, float], whole: bool) -> str | None:
        args = ["-q", "-x", "-p", "no:cacheprovider", "--timeout", "1200", "--tb=line", *files]
        wall = 1000 + 60 * sum(nodes.values())
        profile = "ci" if whole else "sanitize"  # so many examples of Hypothesis
        done = self.server.ask(args=args, wanted=nodes, whole=whole, profile=profile, wall=wall)
        self.said = done["out"]
        if done["code"] in (0, 5):
            return None
        return (
            done["at"] or f"reading {' '.join(files)}"
        )  # with -x the last begun is the first that fails

    # -- one mutant -----------------------------------------------------------------------------

    def try_out(self, mutant: Mutant, tests: dict[str, float], whole: bool) -> Verdict:
        """Kill it, or not, with these tests and no others; `whole`: with all their parameters and more examples."""
        begun = time.monotonic()
        self.whole = whole
        word, by = self.tried(mutant, tests)
        return Verdict(word, by, time.monotonic() - begun)

    def tried(self, mutant: Mutant, tests: dict[str, float]) -> tuple[str, str]:
        path, compiled = self.folder / mutant.file, mutant.file.endswith((".c", ".h"))
        text = path.read_text("utf-8")
        objects = [s for s in self.library if mutant.file in self.needs[s]] if compiled else []
        kept = {s: self.object_of(s).read_bytes() for s in objects}
        path.write_text(mutant.apply(text), "utf-8")
        self.forget(path)
        try:
            if compiled:
                return self.judged_c(objects, kept, tests)
            return self.judged_python(mutant, text, tests)
        finally:
            path.write_text(text, "utf-8")
            self.forget(path)
            for source, content in kept.items():
                self.object_of(source).write_bytes(content)
            if objects:
                self.link_library()

    def forget(self, path: Path) -> None:
        """Take away what Python compiled of a file: its time and length may be those of another text."""
        for old in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            old.unlink()

    def judged_c(
        self, objects: list[str], kept: dict[str, bytes], tests: dict[str, float]
    ) -> tuple[str, str]:
        def same() -> bool:
            return all(self.object_of(s).read_bytes() == kept[s] for s in objects)

        # kernels that no test on this processor can run, only if nothing else tells
        absent = [s for s in objects if "avx512" in s and "avx512f" not in CPU]
        if not self.compile([s for s in objects if s not in absent]):
            return "invalid", ""
        if same() and (not self.compile(absent) or same()):
            return "equivalent", "the same object code"
        self.link_library()
        word, by = self.judged(tests)
        if word == "survived" and self.whole and self.bytes_differ():
            return "killed", "tests/hashes.csv"
        return word, by

    def bytes_differ(self) -> bool:
        """Whether any entry of the table of hashes, tests/hashes.csv, comes out otherwise than unchanged."""
        wanted = (self.folder / "tests" / "hashes.csv").read_text("utf-8").splitlines()[1:]
        command = [str(self.object_of(HASHES))[:-2]]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=1200, preexec_fn=limited(120)
            )
        except subprocess.TimeoutExpired:
            return True
        found = {tuple(line.split(",")[:2]) for line in done.stdout.splitlines()}
        return found != {tuple(line.split(",")[:2]) for line in wanted}

    def judged_python(self, mutant: Mutant, text: str, tests: dict[str, float]) -> tuple[str, str]:
        try:
            if ast.dump(ast.parse(mutant.apply(text))) == ast.dump(ast.parse(text)):
                return "equivalent", "the same program"
        except SyntaxError:
            return "invalid", ""
        return self.judged(tests)

    def judged(self, tests: dict[str, float]) -> tuple[str, str]:
        """A test that failed is asked once more: one that then passes hangs on the weather, and judges nothing."""
        while (by := self.failing(tests, self.whole)) is not None:
            if (
                by.startswith("reading")
                or self.failing({by: tests.get(by, 1.0)}, self.whole) is not None
            ):
                return "killed", by
            print(f"{by} fails at times and is left out", flush=True)
            self.red.add(by)
        return "survived", "" if tests else "no test runs it"
