"""Sets up and runs the tests of both layers: `python3 tests/run.py`, and all of them with `--all`.

Needs a compiler and Python's venv and headers; everything else is installed into fresh virtual
environments in a temporary folder. In order:

1. a source archive is made from a clean copy of this tree, and the wheel from that archive;
2. the wheel is checked: abi3audit --strict, check-wheel-contents, twine check --strict;
3. the tests run on that wheel, warnings as errors, from an empty folder; they are those of the
   archive, so that a file missing from it is noticed. With --all the slow ones too: sanitizers,
   notebooks, long draws at random, instruction counts;
4. with --matrix, which means --all too: the C tests for other machines, as far as an emulator runs
   them here; some quick tests on the same wheel under each other Python here, and with the oldest
   NumPy. This is what CI runs.

Options: --keep keeps the temporary folder; what follows `--` goes to the pytest of step 3.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
INSTALL = "apt-get install gcc libc6-dev python3-dev python3-venv"
OLDEST_NUMPY = "numpy==1.25.*"
TOOLS = ("build", "abi3audit", "check-wheel-contents", "twine")
QUICK = ("numpy", "scipy>=1.11", "hypothesis>=6.100", "pytest>=8", "pytest-timeout>=2.3")
# What another Python or NumPy could break: the binding, the shapes, the threads, and a path end to end.
QUICK_TESTS = (
    *("model/test_model.py", "model/test_swing.py", "read/test_urdf.py", "solve/test_ccd.py"),
    *("solve/test_fabrik.py", "solve/test_analytic.py", "test_shapes.py", "test_threads.py"),
    *("test_problem.py", "use/test_study.py"),
)
NOT_COPIED = (
    *(".git", ".venv*", ".*_cache", ".hypothesis", "__pycache__"),
    *("build", "dist", "out", "*.egg-info", "*.so"),
)


def say(text: str) -> None:
    print(f"\n==> {text}", flush=True)


def stop(text: str) -> None:
    sys.exit(f"tests/run.py: {text}")


def call(
    *command: str | Path, cwd: Path | None = None, quiet: bool = False, **environment: str
) -> None:
    """Run a command and stop with its exit status if it fails; a quiet one is shown only then."""
    words = [str(word) for word in command]
    print("+ " + shlex.join(words), flush=True)
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True} if quiet else {}
    done = subprocess.run(words, cwd=cwd, env=os.environ | environment, check=False, **output)
    status = done.returncode
    if status != 0:
        print(done.stdout or "", flush=True)
        print(f"tests/run.py: exit status {status} from {words[0]}", file=sys.stderr, flush=True)
        sys.exit(status if 0 < status < 128 else 1)


def check_machine() -> None:
    """Say in one go all that must be installed first."""
    missing = []
    if sys.version_info < (3, 11):  # noqa: UP036
        stop(f"needs Python 3.11 or later, this is {sys.version.split()[0]} at {sys.executable}")
    if shutil.which(shlex.split(os.environ.get("CC", "gcc"))[0]) is None:
        missing.append("a C compiler (gcc)")
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        missing.append("Python's headers (python3-dev)")
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        missing.append("Python's venv (python3-venv)")
    if missing:
        stop(f"missing: {', '.join(missing)}. On Debian: {INSTALL}")


def environment(folder: Path, python: str, *packages: str | Path) -> Path:
    """Make a fresh virtual environment and return its Python."""
    call(python, "-m", "venv", folder)
    inside = folder / "bin" / "python"
    call(inside, "-m", "pip", "install", "-qq", "--disable-pip-version-check", *packages)
    return inside


def other_pythons() -> dict[str, str]:
    """Find the other interpreters that really run: the shim of a version manager may refuse."""
    found = {}
    managed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in ("3.11", "3.12", "3.13"):
        if version == f"{sys.version_info.major}.{sys.version_info.minor}":
            continue
        for candidate in (f"python{version}", *managed.glob(f"{version}.*/bin/python{version}")):
            try:
                done = subprocess.run(
                    [candidate, "-c", "import ensurepip, venv"], capture_output=True, check=False
                )
            except OSError:
                continue
            if done.returncode == 0:
                found[version] = str(candidate)
                break
        else:
            say(f"Python {version} is not here: the wheel is not tried under it")
    return found


def build(work: Path) -> tuple[Path, Path]:
    """Make archive and wheel, check both; return the wheel and the archive's tree."""
    say("source archive, and the wheel from it")
    tree = work / "tree"
    shutil.copytree(SOURCE, tree, ignore=shutil.ignore_patterns(*NOT_COPIED))
    tools = environment(work / "tools", sys.executable, *TOOLS)
    call(tools, "-m", "build", "--outdir", work / "dist", tree, quiet=True)
    (archive,) = (work / "dist").glob("*.tar.gz")
    (wheel,) = (work / "dist").glob("*.whl")
    say(f"checks of {wheel.name}")
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        print("a free-threaded Python has no stable ABI: abi3audit is left out")
    else:
        call(tools.parent / "abi3audit", "--strict", "--summary", wheel)
    call(tools.parent / "check-wheel-contents", wheel)
    call(tools.parent / "twine", "check", "--strict", wheel, archive)
    with tarfile.open(archive) as opened:
        opened.extractall(work / "archive", filter="data")
    (unpacked,) = (work / "archive").iterdir()
    return wheel, unpacked


def pytest(
    python: Path,
    tree: Path,
    work: Path,
    *options: str,
    files: tuple[str, ...] = (".",),
    **variables: str,
) -> None:
    """Run tests of the unpacked archive on the installed wheel, from an empty folder."""
    empty = Path(tempfile.mkdtemp(prefix="empty-", dir=work))
    fixed = ("-q", "-p", "no:cacheprovider", "-W", "error")
    command = (python, "-m", "pytest", *fixed, *options, *(tree / "tests" / name for name in files))
    call(*command, cwd=empty, HANDIK_INSTALLED="1", HANDIK_SOURCE=str(tree), **variables)


def matrix(work: Path, wheel: Path, tree: Path) -> None:
    """Run some quick tests on the same wheel under the other Pythons, and with the oldest NumPy."""
    quick = ("-m", "not slow and not build")
    for version, python in other_pythons().items():
        say(f"quick tests of the same wheel under Python {version}")
        inside = environment(work / f"py{version}", python, f"{wheel}[plot]", *QUICK)
        pytest(inside, tree, work, *quick, files=QUICK_TESTS)
    if sys.version_info < (3, 12):
        say(f"quick tests of the same wheel with {OLDEST_NUMPY}")
        inside = environment(
            work / "oldest", sys.executable, f"{wheel}[plot]", *QUICK, OLDEST_NUMPY
        )
        pytest(inside, tree, work, *quick, files=QUICK_TESTS)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--all", action="store_true", help="the slow tests too")
    options.add_argument(
        "--matrix", action="store_true", help="--all, other machines, Pythons and the oldest NumPy"
    )
    options.add_argument("--keep", action="store_true", help="keep the temporary folder")
    options.add_argument("pytest", nargs="*", help="options for the last pytest, after --")
    given = options.parse_args()
    check_machine()
    # A checkout's own package must not be found in place of the wheel, nor the user's own packages.
    for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"):
        os.environ.pop(name, None)
    os.environ["PYTHONNOUSERSITE"] = "1"
    os.environ.setdefault("MPLBACKEND", "Agg")
    began = time.monotonic()
    work = Path(tempfile.mkdtemp(prefix="handik-tests-"))
    try:
        wheel, tree = build(work)
        every = given.all or given.matrix
        what = "all tests" if every else "the tests but the slow ones (--all)"
        say(f"{what} of both layers, in an environment with every package they compare with")
        inside = environment(work / "full", sys.executable, f"{wheel}[test]")
        marks = () if every else ("-m", "not slow")
        others = () if given.matrix else (f"--ignore={tree / 'tests' / 'test_machines.py'}",)
        print(f"(set up in {time.monotonic() - began:.0f} s)", flush=True)
        spread = ("-n", "auto", "--dist", "worksteal")
        fixed = ("--durations=25", *spread, *marks, *others)
        pytest(inside, tree, work, *fixed, *given.pytest, HANDIK_COMPLETE="1")
        if given.matrix:
            matrix(work, wheel, tree)
    finally:
        if given.keep:
            print(f"kept: {work}", file=sys.stderr)
        else:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
