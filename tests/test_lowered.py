"""The source of the AVX-512 kernels, compiled for AVX2, gives the bytes on file: no test of theirs waits for a processor."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from _machines import FILE, MACHINES, PROGRAM, Cross, differences, hashes, kept, run
from _native import CSRC, Builder, call, program_sources

from handik import _core

pytestmark = [pytest.mark.build, pytest.mark.slow]
MACHINE = MACHINES["lowered"]
NAMED = [s for s in program_sources() if '"avx512"' in s.read_text("utf-8")]


@pytest.fixture(autouse=True)
def needs() -> None:
    if not _core.simd_select("avx2"):
        pytest.skip("this processor has no avx2")
    _core.simd_select("auto")


def program(source: Path, plain: Builder, folder: Path) -> Path:
    """Link a program so that it takes the lowered objects in the place of those in the library."""
    cross = Cross(folder, "plain", machine=MACHINE)
    lowered = cross.objects([CSRC / name for name, _ in MACHINE.files])
    target = folder / source.stem
    objects = [*plain.objects([source]), *lowered, str(plain.library())]
    call([*cross.command, *objects, "-o", str(target), *cross.link])
    return target


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lowered")


@pytest.mark.timeout(600)  # the first may have to compile the library
def test_bytes_are_those_on_file(builders: dict[str, Builder], folder: Path) -> None:
    now = hashes(MACHINE, program(PROGRAM, builders["plain"], folder), "avx512")
    assert now is not None
    wrong = differences(now, kept())
    assert not wrong, f"{len(wrong)} entries have other bytes than {FILE.name}: {wrong[:8]}"


@pytest.mark.parametrize("source", NAMED, ids=[s.stem for s in NAMED])
def test_the_c_tests_that_name_the_set_pass(
    source: Path, builders: dict[str, Builder], folder: Path
) -> None:
    done = run(MACHINE, program(source, builders["plain"], folder))
    assert done.returncode == 0, done.stdout[-2000:]


def test_it_holds_no_instruction_of_avx512(folder: Path) -> None:
    """Nor a call of the intrinsics: the model in lowered.h stands in the place of each."""
    cross = Cross(folder, "plain", machine=MACHINE)
    (kernels,) = cross.objects([CSRC / "simd" / "isa_avx512.c"])
    listing = subprocess.run(["objdump", "-d", kernels], capture_output=True, text=True, check=True)
    assert "%ymm" in listing.stdout
    assert not re.search(r"%zmm|%k[0-7]|%[xy]mm(1[6-9]|2\d|3[01])\b|_mm512", listing.stdout)


def test_another_byte_is_found(builders: dict[str, Builder], folder: Path, tmp_path: Path) -> None:
    """Kernels whose last lane has no square root are told from ours."""
    header = CSRC / "tests" / "lowered.h"
    before = header.read_text("utf-8")
    after = before.replace("i < 8; i++) x[i] = sqrt(", "i < 7; i++) x[i] = sqrt(")
    assert after != before
    changed = tmp_path / header.name
    changed.write_text(after, "utf-8")
    sound = Cross(folder, "plain", machine=MACHINE).objects([CSRC / n for n, _ in MACHINE.files])
    other = tmp_path / "isa.o"
    cross = Cross(tmp_path, "plain", machine=MACHINE)
    source = CSRC / "simd" / "isa_avx512.c"
    own = [str(changed) if f == str(header) else f for f in cross.flags_of(source)]
    call([*cross.command, *cross.flags, *own, "-c", str(source), "-o", str(other)])
    plain = builders["plain"]
    target = tmp_path / PROGRAM.stem
    objects = [*plain.objects([PROGRAM]), str(other), *sound[1:], str(plain.library())]
    call([*cross.command, *objects, "-o", str(target), *cross.link])
    with pytest.raises(RuntimeError, match="a batch has other bytes"):
        hashes(MACHINE, target, "avx512")
