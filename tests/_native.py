"""Compiles the C core for the tests: objects once a flavour, then programs and extensions.

What is built is shared by the processes that run the tests: each folder has a lock, and the first that wants an
object, a program or a site makes it.

The source tree is found by the environment variable HANDIK_SOURCE or beside this folder.
"""

from __future__ import annotations

import ast
import fcntl
import os
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

SOURCE = Path(os.environ.get("HANDIK_SOURCE") or Path(__file__).resolve().parent.parent).resolve()
CSRC = SOURCE / "csrc"
INSTALL = "apt-get install gcc python3-dev python3-venv"

# Appended after the flags of setup.py. Traces need frames, names and lines, which is what -g1 keeps:
# a compilation takes half the time that it takes with -g. -O1 keeps the build short, too.
FLAVOURS = {
    "plain": "",
    "asan": "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all",
    "tsan": "-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread",
    "msan": "-O1 -g1 -fno-omit-frame-pointer -fsanitize=memory -fno-sanitize-recover=all -DCHECK_FEW",
}
ASAN_OPTIONS = "allocator_may_return_null=1:detect_stack_use_after_return=1"
LIMIT = 240  # seconds one program may take


class BuildError(Exception):
    """The compiler is missing or refused the source."""


@cache
def compiler() -> list[str]:
    """Return the compiler command, or say what must be installed."""
    command = shlex.split(os.environ.get("CC", "gcc"))
    if shutil.which(command[0]) is None:
        raise BuildError(f"no C compiler: {command[0]!r} is not on the PATH; {INSTALL}")
    return command


@cache
def product_flags() -> tuple[str, ...]:
    """Read the flags of setup.py from its text, so that they have one home."""
    setup = SOURCE / "setup.py"
    if not setup.is_file():
        raise BuildError(
            f"no source tree at {SOURCE}: set HANDIK_SOURCE to the folder that holds setup.py"
        )
    for node in ast.walk(ast.parse(setup.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and str(node.value).startswith("-std=c11"):
            return tuple(shlex.split(node.value))
    raise BuildError("setup.py holds no string that begins with -std=c11")


def is_library(path: Path, csrc: Path = CSRC) -> bool:
    """Tell a file of the library proper from binding, test, fuzzer and included body."""
    parts = path.relative_to(csrc).parts
    return not path.name.endswith(".inc.c") and not {"python", "tests", "fuzz", "wasm"} & set(parts)


def library_sources(csrc: Path = CSRC) -> list[Path]:
    return sorted(p for p in csrc.rglob("*.c") if is_library(p, csrc))


def binding_sources(csrc: Path = CSRC) -> list[Path]:
    return sorted((csrc / "python").glob("*.c"))


def program_sources(csrc: Path = CSRC) -> list[Path]:
    return sorted((csrc / "tests").glob("test_*.c"))


def call(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        yield


def shared(base: Path) -> Path:
    """Return the folder that the processes of this run have in common, given the one of this process."""
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@dataclass
class Builder:
    """Builds one flavour of one source tree into one folder, each object once."""

    folder: Path
    flavour: str
    csrc: Path = CSRC
    suffix = ""  # of a program's name
    _holds: int = field(
        default=0, init=False, repr=False
    )  # how deep this process is inside its lock

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes out of the folder; may be entered again by the one that is inside."""
        with nullcontext() if self._holds else locked(self.folder):
            self._holds += 1
            try:
                yield
            finally:
                self._holds -= 1

    @property
    def command(self) -> list[str]:
        return ["clang"] if self.flavour == "msan" else compiler()  # gcc has no such sanitizer

    @property
    def archiver(self) -> list[str]:
        return ["ar"]

    @property
    def flags(self) -> list[str]:
        return [
            *product_flags(),
            *shlex.split(FLAVOURS[self.flavour]),
            f"-I{self.csrc}",
            f"-I{self.csrc / 'include'}",
            '-DHANDIK_VERSION="0.0.0+test"',
            "-fPIC",
        ]

    def flags_of(self, source: Path) -> tuple[str, ...]:
        """Return the flags of this file alone."""
        return ()

    @property
    def link(self) -> list[str]:
        sanitizers = [f for f in shlex.split(FLAVOURS[self.flavour]) if "sanitize" in f]
        return ["-pthread", *sanitizers, "-lm"]

    def objects(self, sources: list[Path], extra: tuple[str, ...] = ()) -> list[str]:
        """Compile what is not compiled yet, as many files at a time as there are cores."""
        parts = [p.relative_to(self.csrc).with_suffix(".o").parts for p in sources]
        names = [self.folder / "_".join(p) for p in parts]
        with self.lock(), ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            todo = [(s, o) for s, o in zip(sources, names, strict=True) if not o.exists()]
            list(
                pool.map(
                    lambda so: call(
                        [
                            *(*self.command, *self.flags, *extra, *self.flags_of(so[0])),
                            *("-c", str(so[0]), "-o", str(so[1])),
                        ]
                    ),
                    todo,
                )
            )
        return [str(o) for o in names]

    def program(self, source: Path) -> Path:
        """Build one test program against the whole library, once."""
        target = self.folder / (source.stem + self.suffix)
        with self.lock():
            if not target.exists():
                objects = [*self.objects([source]), str(self.library())]
                call([*self.command, *objects, "-o", str(target), *self.link])
        return target

    def library(self) -> Path:
        """Pack the library once, so that a program takes of it what it needs."""
        archive = self.folder / "libhandik.a"
        with self.lock():
            if not archive.exists():
                objects = self.objects(library_sources(self.csrc))
                call([*self.archiver, "rcs", str(archive), *objects])
        return archive

    def extension(self, package: Path) -> Path:
        """Copy the installed package with a `_core` of this flavour; return the import folder."""
        header = Path(sysconfig.get_path("include")) / "Python.h"
        if not header.is_file():
            raise BuildError(f"{header} is missing; {INSTALL}")
        site = self.folder / "site"
        with self.lock():
            if not site.exists():
                whole = self._site(package, header, self.folder / "site.part")
                whole.rename(site)
        return site

    def _site(self, package: Path, header: Path, site: Path) -> Path:
        import numpy as np

        shutil.copytree(package, site / package.name, ignore=shutil.ignore_patterns("__pycache__"))
        cores = sorted((site / package.name).glob("_core*.so"))
        if len(cores) != 1:
            raise BuildError(f"{package} holds {len(cores)} compiled _core, expected one")
        extra = (
            "-DNPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION",
            "-DNPY_TARGET_VERSION=NPY_1_25_API_VERSION",
            "-DPy_LIMITED_API=0x030b0000",
            f"-I{header.parent}",
            f"-I{np.get_include()}",
        )
        objects = self.objects(library_sources(self.csrc))
        objects += self.objects(binding_sources(self.csrc), extra)
        call([*compiler(), "-shared", *objects, "-o", str(cores[0]), *self.link])
        return site


def sanitizer_environment(flavour: str) -> dict[str, str]:
    """Return the environment in which a program of this flavour stops at its first finding."""
    return os.environ | {
        "ASAN_OPTIONS": "detect_leaks=1:" + ASAN_OPTIONS,
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "TSAN_OPTIONS": "halt_on_error=1:exitcode=66",
    }


def run_program(program: Path, flavour: str) -> subprocess.CompletedProcess[str]:
    """Run a test program in its own folder."""
    return subprocess.run(
        [str(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
        cwd=program.parent,
        env=sanitizer_environment(flavour),
    )
