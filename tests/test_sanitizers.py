"""The sanitizers on the C core and on the extension, and three planted bugs that they must find.

A sanitizer that is not linked in, not preloaded or told to be quiet looks just like clean code; so
each one is also run on a copy of the core with a bug in it, by the same path, and must name it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from _native import ASAN_OPTIONS, CSRC, Builder, BuildError, call, compiler, run_program

import handik

pytestmark = [pytest.mark.build, pytest.mark.timeout(1200)]

HERE = Path(__file__).resolve().parent
DRIVER = HERE / "sanitize" / "driver.c"
PRELOAD = {"asan": ("libasan.so", "libubsan.so", "libstdc++.so"), "tsan": ("libtsan.so",)}
# Tests that start other programs or load large foreign libraries say nothing about our memory.
FOREIGN = re.compile(r"pinocchio|nbclient|nbformat|matplotlib|subprocess|multiprocessing")

SOLVE = """
import numpy as np, handik
model = handik.chain([0.3] * 6, "ball")
targets = np.random.default_rng(1).uniform(-0.9, 0.9, (400, 3))
for solver in handik.solvers():
    try:
        done = model.solve(position=targets, solver=solver.name, threads=4, max_iter=3)
        print(solver.name, done.q.shape)
    except handik.UnsupportedError as error:
        print(solver.name, error)
"""


@dataclass(frozen=True)
class Plant:
    """One bug: a piece of one source file, what replaces it, and what the tool must say of it."""

    file: str
    right: str
    wrong: str
    flavour: str
    says: str


PLANTS = {
    "over_read": Plant(
        file="term/problem.c",
        right="if (!hik_all_finite(target, p->width)) return false;",
        wrong="if (!hik_all_finite(target, p->width + 1)) return false;",
        flavour="asan",
        says="AddressSanitizer: heap-buffer-overflow",
    ),
    "leak": Plant(
        file="term/problem.c",
        right="  hik_release(seen);\n",
        wrong="",
        flavour="asan",
        says="LeakSanitizer: detected memory leaks",
    ),
    "race": Plant(
        file="solve/drive/batch.c",
        right="char *own = call->scratch + (size_t)index * call->stride;",
        wrong="char *own = call->scratch + (size_t)(index > 999) * call->stride;",
        flavour="tsan",
        says="ThreadSanitizer: data race",
    ),
}


def test_planted_bugs_find_their_places() -> None:
    for plant in PLANTS.values():
        text = (CSRC / plant.file).read_text("utf-8")
        assert text.count(plant.right) == 1, f"{plant.file} no longer holds {plant.right!r} once"


def program(builder: Builder, source: Path) -> Path:
    """Build a program that lies outside the tree of the core."""
    target = builder.folder / source.stem
    with builder.lock():
        if not target.exists():
            flags = [*builder.flags, str(source), str(builder.library())]
            call([*compiler(), *flags, "-o", str(target), *builder.link])
    return target


def planted(clean: Builder, plant: Plant, folder: Path) -> Builder:
    """Return a builder of the core with the bug in it; every object but one is taken over."""
    csrc = folder / "csrc"
    shutil.copytree(CSRC, csrc)
    path = csrc / plant.file
    text = path.read_text("utf-8")
    if text.count(plant.right) != 1:
        raise BuildError(f"{plant.file} no longer holds {plant.right!r} once: plant the bug anew")
    path.write_text(text.replace(plant.right, plant.wrong), "utf-8")
    clean.library()
    objects = folder / "objects"
    objects.mkdir()
    stale = "_".join(Path(plant.file).with_suffix(".o").parts)
    with clean.lock():
        for made in clean.folder.glob("*.o"):
            if made.name != stale:
                shutil.copy(made, objects)
    return Builder(objects, clean.flavour, csrc)


def python(
    flavour: str, site: Path, *arguments: str, cwd: Path
) -> subprocess.CompletedProcess[str]:
    """Run Python with the sanitizer's library and the sanitized package found first."""
    found = [
        subprocess.run(
            [*compiler(), f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in PRELOAD[flavour]
    ]
    for name in found:
        assert Path(name).is_file(), f"{name} is missing: install the sanitizer libraries of gcc"
    environment = os.environ | {
        "LD_PRELOAD": " ".join(found),
        "PYTHONPATH": str(site),
        "PYTHONMALLOC": "malloc",
        "OPENBLAS_NUM_THREADS": "1",
        "HANDIK_INSTALLED": "0",
        "HANDIK_COMPLETE": "0",
        "HANDIK_HYPOTHESIS": "sanitize",
        # Python itself keeps memory to the end, so leaks are looked for in the C programs only.
        "ASAN_OPTIONS": "detect_leaks=0:" + ASAN_OPTIONS,
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "TSAN_OPTIONS": "halt_on_error=1:exitcode=66",
    }
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=1000,
        cwd=cwd,
        env=environment,
    )


def shown(done: subprocess.CompletedProcess[str]) -> str:
    return f"exit status {done.returncode}\n{done.stdout[-8000:]}\n{done.stderr[-8000:]}"


@pytest.fixture(scope="session")
def sites(builders: dict[str, Builder]) -> dict[str, Path]:
    """Return, by flavour, a folder to import the sanitized package from."""
    package = Path(handik.__file__).parent
    return {flavour: builders[flavour].extension(package) for flavour in ("asan", "tsan")}


@pytest.mark.parametrize("flavour", ["asan", "tsan"])
def test_core_is_clean(flavour: str, builders: dict[str, Builder]) -> None:
    done = run_program(program(builders[flavour], DRIVER), flavour)
    assert done.returncode == 0, shown(done)
    assert "Sanitizer" not in done.stderr, shown(done)


@pytest.mark.parametrize("name", PLANTS, ids=[f"{n}-{p.flavour}" for n, p in PLANTS.items()])
def test_bug_in_core_is_found(name: str, builders: dict[str, Builder], tmp_path: Path) -> None:
    plant = PLANTS[name]
    builder = planted(builders[plant.flavour], plant, tmp_path)
    done = run_program(program(builder, DRIVER), plant.flavour)
    assert done.returncode != 0, shown(done)
    assert plant.says in done.stderr, shown(done)


#: Files that reach every part of the binding, and few enough to run at a sanitizer's pace.
INSIDE = (
    *("model/test_swing.py", "model/test_chain_lanes.py", "solve/test_ccd.py"),
    *("test_shapes.py", "test_problem.py", "test_batch_calls.py"),
)


def quick_tests() -> list[str]:
    """List the test files that exercise the extension inside this process."""
    found = [HERE / name for name in INSIDE]
    return [str(p) for p in found if not FOREIGN.search(p.read_text("utf-8"))]


@pytest.mark.parametrize(
    ("flavour", "wanted"),
    [("asan", []), ("tsan", ["-k", "thread or batch or lanes"])],
    ids=["asan", "tsan"],
)
def test_extension_is_clean(
    flavour: str, wanted: list[str], sites: dict[str, Path], tmp_path: Path
) -> None:
    fixed = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow and not build"]
    done = python(flavour, sites[flavour], *fixed, *wanted, *quick_tests(), cwd=tmp_path)
    assert done.returncode == 0, shown(done)
    assert re.search(r"\b[1-9]\d* passed", done.stdout), shown(done)
    assert "Sanitizer" not in done.stdout + done.stderr, shown(done)


@pytest.mark.parametrize("name", ["over_read", "race"], ids=["over_read-asan", "race-tsan"])
def test_bug_in_extension_is_found(
    name: str, builders: dict[str, Builder], sites: dict[str, Path], tmp_path: Path
) -> None:
    plant = PLANTS[name]
    clean = python(plant.flavour, sites[plant.flavour], "-c", SOLVE, cwd=tmp_path)
    assert clean.returncode == 0, shown(clean)
    builder = planted(builders[plant.flavour], plant, tmp_path)
    site = builder.extension(Path(handik.__file__).parent)
    done = python(plant.flavour, site, "-c", SOLVE, cwd=tmp_path)
    assert done.returncode != 0, shown(done)
    assert plant.says in done.stderr, shown(done)
