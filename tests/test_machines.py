"""Other machines: the C tests run or link for them, and solvers, dynamics and analytic methods give the same bytes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from _machines import (
    FILE,
    MACHINES,
    PROGRAM,
    Cross,
    Machine,
    differences,
    hashes,
    kept,
    run,
)
from _native import CSRC, SOURCE, program_sources, shared

pytestmark = [pytest.mark.build, pytest.mark.slow, pytest.mark.timeout(1800)]
# test_trig compares with libm in long double, which is not exact enough on Windows; test_batch brings a solver table
# of its own in place of the library's, which the linker for WebAssembly calls a duplicate.
NOT_THERE = {"windows": {"test_trig"}, "wasm32": {"test_batch"}}


@pytest.fixture(scope="module")
def crosses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Cross]:
    """Return a builder for each machine; what they build is shared by the processes of this run."""
    root = shared(tmp_path_factory.getbasetemp()) / "machines"
    return {
        name: Cross(root / name.replace(" ", ""), "plain", machine=machine)
        for name, machine in MACHINES.items()
    }


def on(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("machine", [MACHINES[name] for name in names], ids=names)


def need(lacking: str) -> None:
    """Skip; with HANDIK_COMPLETE=1 what pip installs may not be lacking."""
    if lacking:
        pytest.skip(f"not {'installed' if 'pip' in lacking else 'on this machine'}: {lacking}")


@on("gcc", "gcc -O3", "clang", "aarch64", "windows", "musl", "wasm32")
def test_bytes_are_those_on_file(machine: Machine, crosses: dict[str, Cross]) -> None:
    need(machine.missing or machine.runs)
    program, expected = crosses[machine.name].program(PROGRAM), kept()
    tried = 0
    for kernels in machine.sets:
        now = hashes(machine, program, kernels)
        if now is None:
            continue
        tried += 1
        wrong = differences(now, expected)
        assert not wrong, (
            f"{kernels}: {len(wrong)} of {len(expected)} entries have other bytes than {FILE.name}: "
            f"{wrong[:8]}; if that is meant, python3 tests/_machines.py --write REASON"
        )
    assert tried


@on("aarch64", "windows", "musl")
def test_the_c_tests_pass(machine: Machine, crosses: dict[str, Cross]) -> None:
    need(machine.missing or machine.runs)
    failed = []
    for source in program_sources():
        program = crosses[machine.name].program(source)
        done = run(machine, program)
        expected = source.stem not in NOT_THERE.get(machine.name, ())
        if (done.returncode == 0) != expected:
            failed.append(f"{source.stem}: exit status {done.returncode}\n{done.stdout[-1500:]}")
    assert not failed, "\n".join(failed)


@on("macos-x86_64")
def test_the_library_compiles_and_links(machine: Machine, crosses: dict[str, Cross]) -> None:
    """With the program of hashes, which calls all of it; its C tests are those of macos-arm64."""
    need(machine.missing)
    crosses[machine.name].program(PROGRAM)


@on("macos-arm64", "wasm32")
def test_the_c_tests_compile_and_link(machine: Machine, crosses: dict[str, Cross]) -> None:
    need(machine.missing)
    for source in [*program_sources(), PROGRAM]:
        if source.stem not in NOT_THERE.get(machine.name, ()):
            crosses[machine.name].program(source)


def test_another_byte_is_found(crosses: dict[str, Cross], tmp_path: Path) -> None:
    """A core that rounds otherwise in one line is told from ours."""
    crosses["gcc"].program(PROGRAM)
    with crosses["gcc"].lock():
        shutil.copytree(crosses["gcc"].folder, tmp_path / "objects")
    (tmp_path / "objects" / PROGRAM.stem).unlink()
    shutil.copytree(CSRC, tmp_path / "csrc")
    changed = tmp_path / "csrc" / "solve" / "squares" / "jacobian.c"
    before = changed.read_text("utf-8")
    after = before.replace("0.5 * error * error", "0.5000000000000002 * error * error")
    assert after != before
    changed.write_text(after, "utf-8")
    (tmp_path / "objects" / "libhandik.a").unlink()
    (tmp_path / "objects" / "solve_squares_jacobian.o").unlink()
    cross = Cross(tmp_path / "objects", "plain", tmp_path / "csrc", MACHINES["gcc"])
    now = hashes(MACHINES["gcc"], cross.program(tmp_path / "csrc" / "tests" / PROGRAM.name))
    assert now is not None
    wrong = differences(now, kept())
    assert wrong
    assert {entry.split("/")[0] for entry in wrong} == {"solve"}


def test_entries_cover_every_solver() -> None:
    import handik as hk

    named = {entry.split("/")[1] for entry in kept() if entry.startswith("solve/")}
    assert named == {solver.name for solver in hk.solvers()}
    assert {entry.split("/")[0] for entry in kept()} == {
        *("solve", "judge", "kinematics", "dynamics", "analytic", "maths")
    }


def test_windows_is_refused_in_a_sentence() -> None:
    pretend = (
        "import runpy, sys, sysconfig, setuptools, numpy; sysconfig.get_config_vars(); "
        "sys.platform = 'win32'; runpy.run_path('setup.py')"
    )
    done = subprocess.run(
        [sys.executable, "-c", pretend], capture_output=True, text=True, check=False, cwd=SOURCE
    )
    assert done.returncode == 1
    assert done.stderr.startswith("handik cannot be installed on Windows yet"), done.stderr
