"""A copy of the tree in which a mutant is built and tried: one file changes, what depends on it is compiled."""

from __future__ import annotations

import ast
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

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
CPU = 60.0  # seconds a program of the C tests may take of the processor, and ten times what it takes unchanged
CPU_PYTEST = 900.0

#: Python tests of each part of the core, the quickest first.
OF_CORE = {
    "analytic": "test_subproblems test_closed test_analytic test_parallel test_raghavan_roth test_self_motion",
    "simd": "test_lm_lanes test_tree_lanes test_chain_lanes test_closed test_ccd test_fabrik test_dynamics",
    "term": "test_problem test_terms test_term_twins test_levels test_goals test_solves",
    "model": "test_model test_swing test_frames test_limits test_dynamics test_simulate test_solves",
    "drive": "test_problem test_restarts test_threads test_every_solver test_solves test_levels test_trace test_jacobian_family",
    "lanes": "test_lm_lanes test_tree_lanes test_closed test_restarts test_robot_arms test_every_solver test_solves",
    "squares": "test_restarts test_jacobian_family test_every_solver test_levels test_coupled test_limits test_solves",
    "points": "test_fabrik test_ccd test_free_chains test_restarts test_fabrik_loops test_hinges test_every_solver test_solves",
    "sample": "test_sampling test_every_solver test_solves",
}


@dataclass
class Verdict:
    """What became of a mutant: killed, survived, equivalent, or no program at all."""

    word: str
    by: str = ""
    seconds: float = 0.0


def limited(seconds: float) -> object:
    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))

    return set_limit


@dataclass
class Tree:
    """A built copy; `try_out` says what becomes of a mutant and leaves the copy as it was."""

    root: Path
    folder: Path
    base: dict[str, float] = field(default_factory=dict)  # seconds of each C program, unchanged
    cover: dict[str, list[list[str]]] = field(default_factory=dict)
    complaint: str = ""  # of the compiler, the last
    red: set[str] = field(default_factory=set)  # tests that fail unchanged
    green: set[str] = field(default_factory=set)  # tests known to pass unchanged

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(self.root, self.folder, ignore=LEFT_OUT, dirs_exist_ok=True, symlinks=True)
        # a compiler that outlived a run that was stopped shall not write into this one's
        self.objects = self.folder / f"objects-{os.getpid()}"
        self.objects.mkdir()

    # -- building -------------------------------------------------------------------------------

    @property
    def compiler(self) -> list[str]:
        usual = "ccache gcc" if shutil.which("ccache") else "gcc"
        return shlex.split(os.environ.get("CC", usual))

    def flags(self) -> list[str]:
        import numpy as np

        for node in ast.walk(ast.parse((self.folder / "setup.py").read_text("utf-8"))):
            if isinstance(node, ast.Constant) and str(node.value).startswith("-std=c11"):
                own = shlex.split(node.value)
        version = re.search(
            r'^version = "(.+)"', (self.folder / "pyproject.toml").read_text("utf-8"), re.M
        )
        assert version is not None
        out = [*own, *EXTRA, "-Icsrc", "-Icsrc/include", f'-DHANDIK_VERSION="{version[1]}"', "-w"]
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
        flags = self.flags()
        environment = os.environ | {"CCACHE_BASEDIR": str(self.folder), "CCACHE_NOHASHDIR": "1"}

        def one(source: str) -> bool:
            command = [*self.compiler, *flags, "-c", source, "-o", str(self.object_of(source))]
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, text=True
            )
            self.complaint = self.complaint if done.returncode == 0 else done.stderr
            return done.returncode == 0

        with ThreadPoolExecutor(2) as pool:
            return all(pool.map(one, sources))

    def link(self, *what: str) -> None:
        subprocess.run(["gcc", "-shared", *what], cwd=self.folder, check=True)

    def link_library(self) -> None:
        self.link(
            *(str(self.object_of(s)) for s in self.library),
            "-o",
            "handik/libmutant.so",
            "-pthread",
            "-lm",
        )

    def build(self) -> None:
        """Everything, unchanged: the library, the extension and the programs that use it."""
        at = self.folder / "csrc"
        every = sorted(
            str(p.relative_to(self.folder))
            for p in at.rglob("*.c")
            if not p.name.endswith(".inc.c")
        )
        self.binding = [s for s in every if s.startswith("csrc/python/")]
        self.programs = [s for s in every if s.startswith("csrc/tests/test_")]
        self.library = [
            s
            for s in every
            if s not in self.binding and not s.startswith(("csrc/tests/", "csrc/fuzz/"))
        ]
        if not self.compile(every):
            raise RuntimeError(f"the unchanged tree does not compile:\n{self.complaint}")
        self.link_library()
        beside = ["-Lhandik", "-lmutant", "-Wl,-rpath,$ORIGIN", "-pthread", "-lm"]
        self.link(
            *(str(self.object_of(s)) for s in self.binding), "-o", "handik/_core.abi3.so", *beside
        )
        for source in self.programs:
            out = str(self.object_of(source))[:-2]
            rpath = ["-Lhandik", "-lmutant", "-Wl,-rpath,$ORIGIN/../handik", "-pthread", "-lm"]
            subprocess.run(
                ["gcc", str(self.object_of(source)), "-o", out, *rpath], cwd=self.folder, check=True
            )
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

    def program_passes(self, source: str) -> bool:
        program = str(self.object_of(source))[:-2]
        most = max(CPU, 10 * self.base.get(source, 0.0))
        try:
            done = subprocess.run(
                [program],
                cwd=self.objects,
                capture_output=True,
                timeout=20 * most,
                preexec_fn=limited(most),
            )
        except subprocess.TimeoutExpired:
            return False
        return bool(done.returncode == 0)

    def measure(self) -> None:
        """Every program once, unchanged; one that fails is no judge of mutants."""
        for source in list(self.programs):
            begun = time.monotonic()
            if self.program_passes(source):
                self.base[source] = time.monotonic() - begun
            else:
                print(f"{source} fails unchanged and is left out", flush=True)
                self.programs.remove(source)

    def pytest_fails(self, *what: str) -> str | None:
        """The first test that fails (or "the clock"), of those that do not fail unchanged; None: none does."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *what]
        command += ["-m", "not slow and not build", "--timeout", str(CPU_PYTEST)]
        command += [word for one in sorted(self.red) for word in ("--deselect", one)]
        environment = os.environ | {
            "PYTHONPATH": str(self.folder),
            "HANDIK_SOURCE": str(self.folder),
            "HANDIK_HYPOTHESIS": "ci",
            "PYTHONDONTWRITEBYTECODE": "1",
            "MPLBACKEND": "agg",
        }
        try:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=3 * CPU_PYTEST,
                preexec_fn=limited(CPU_PYTEST),
            )
        except subprocess.TimeoutExpired:
            return "the clock"
        if done.returncode in (0, 5):  # 5: nothing but slow tests in it
            return None
        found = re.findall(r"^(?:FAILED|ERROR) (tests/.+?)(?: - |$)", done.stdout, re.M)
        return found[0] if found else "the clock"

    def test_file(self, stem: str) -> list[str]:
        return [
            str(p.relative_to(self.folder)) for p in (self.folder / "tests").rglob(stem + ".py")
        ]

    def programs_for(self, file: str) -> list[str]:
        """All programs, that of the file's own name first, then those that name its header, then the quick ones."""
        stem = Path(file).name.split(".")[0]

        def rank(source: str) -> tuple[bool, bool, float]:
            header = f"{stem}.h" in (self.folder / source).read_text("utf-8")
            return source != f"csrc/tests/test_{stem}.c", not header, self.base.get(source, 0.0)

        return sorted(self.programs, key=rank)

    def pytests_for(self, mutant: Mutant) -> list[str]:
        parts = Path(mutant.file).parts
        if parts[0] == "csrc":
            room = parts[2] if parts[1] == "solve" and len(parts) > 3 else parts[1]
            return [
                f
                for stem in OF_CORE.get(room, OF_CORE["drive"]).split()
                for f in self.test_file(stem)
            ]
        runs = [t for t, found in self.cover.items() if [mutant.file, mutant.function] in found]
        if not runs:  # made while a module is read, or not noted: whoever runs anything of it
            runs = [
                t
                for t, found in self.cover.items()
                if any(mutant.file == file for file, _ in found)
            ]
        stem = Path(mutant.file).stem
        if not self.cover:
            pattern = re.compile(rf"\b{stem}\b|\b{mutant.function.split('.')[0] or stem}\b")
            runs = [
                str(p.relative_to(self.folder))
                for p in (self.folder / "tests").rglob("test_*.py")
                if pattern.search(p.read_text("utf-8"))
            ]
        counts = {t: len(self.cover.get(t, ())) for t in runs}
        return sorted(
            (t for t in runs if (self.folder / t).is_file()),
            key=lambda t: (stem not in t, counts[t]),
        )[:8]

    # -- one mutant -----------------------------------------------------------------------------

    def try_out(self, mutant: Mutant) -> Verdict:
        """Kill it, or not; a test that fails unchanged too is remembered, and judges no mutant."""
        begun = time.monotonic()
        while True:
            word, by = self.tried(mutant)
            if word != "killed" or "::" not in by or by in self.green:
                return Verdict(word, by, time.monotonic() - begun)
            if self.pytest_fails(by) is None:
                self.green.add(by)
                return Verdict(word, by, time.monotonic() - begun)
            print(f"{by} fails unchanged and is left out", flush=True)
            self.red.add(by)

    def tried(self, mutant: Mutant) -> tuple[str, str]:
        path, compiled = self.folder / mutant.file, mutant.file.endswith((".c", ".h"))
        text = path.read_text("utf-8")
        objects = [s for s in self.library if mutant.file in self.needs[s]] if compiled else []
        kept = {s: self.object_of(s).read_bytes() for s in objects}
        path.write_text(mutant.apply(text), "utf-8")
        try:
            if compiled:
                return self.judged_c(mutant, objects, kept)
            return self.judged_python(mutant, text)
        finally:
            path.write_text(text, "utf-8")
            for source, content in kept.items():
                self.object_of(source).write_bytes(content)
            if objects:
                self.link_library()

    def judged_c(
        self, mutant: Mutant, objects: list[str], kept: dict[str, bytes]
    ) -> tuple[str, str]:
        if not self.compile(objects):
            return "invalid", ""
        if all(self.object_of(s).read_bytes() == kept[s] for s in objects):
            return "equivalent", "the same object code"
        self.link_library()
        for source in self.programs_for(mutant.file):
            if not self.program_passes(source):
                return "killed", source
        return self.judged_by_pytest(mutant)

    def judged_python(self, mutant: Mutant, text: str) -> tuple[str, str]:
        try:
            if ast.dump(ast.parse(mutant.apply(text))) == ast.dump(ast.parse(text)):
                return "equivalent", "the same program"
        except SyntaxError:
            return "invalid", ""
        return self.judged_by_pytest(mutant)

    def judged_by_pytest(self, mutant: Mutant) -> tuple[str, str]:
        files = self.pytests_for(mutant)
        for file in files:
            if failed := self.pytest_fails(file):
                return "killed", failed
        return "survived", "" if files else "no test runs it"


def load_cover(path: Path) -> dict[str, list[list[str]]]:
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}
