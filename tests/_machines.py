"""Builds the C core for other machines, runs it there where an emulator can, and compares bytes.

`python3 tests/_machines.py` prints what differs from tests/hashes.csv on each machine that can be tried
here; `--write REASON` builds with this machine's compiler alone (a minute) and puts the present hashes, with
the reason where they have changed, into that file and into the table of docs/machines.md.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from _native import CSRC, SOURCE, Builder, locked

FILE = Path(__file__).parent / "hashes.csv"
PAGE = SOURCE / "docs" / "machines.md"
TABLE = re.compile(r"(?<=<!-- hashes -->\n).*?(?=<!-- end of hashes -->)", re.S)
PROGRAM = CSRC / "tests" / "hashes.c"
SETS = ("base", "avx2", "avx512")
LOWERED = ("-include", str(CSRC / "tests" / "lowered.h"), "-mavx2", "-Wno-psabi")
# What Wine would set up for a desktop, menus among it; one of these now and then never ended.
NO_DESKTOP = {"WINEDLLOVERRIDES": "winemenubuilder.exe,mscoree,mshtml=d"}
NO_SUCH_SET = 4  # exit status of hashes.c
LIMIT = 900  # seconds an emulated program may take


@dataclass(frozen=True)
class Machine:
    """One kind of machine: how it is compiled for, and what runs its programs here."""

    name: str
    cc: tuple[str, ...]
    flags: tuple[str, ...] = ("-O1",)
    link: tuple[str, ...] = ("-pthread", "-lm")
    runner: tuple[str, ...] | None = ()  # None: nothing here can
    suffix: str = ""
    sets: tuple[str, ...] = ("base",)  # of kernels, to be compared
    files: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of the core, with flags of their own

    @property
    def missing(self) -> str:
        """Name what is not installed of what this machine needs; empty: nothing."""
        if "ziglang" in self.cc:
            return "" if importlib.util.find_spec("ziglang") else "ziglang (pip)"
        needed = [self.cc[0], *(self.runner or ())[:1]]
        return " and ".join(tool for tool in needed if shutil.which(tool) is None)

    @property
    def runs(self) -> str:
        """Say what is missing to run its programs; empty: nothing."""
        if self.runner is None:
            return f"nothing here runs programs of {self.name}"
        if self.runner == ("wasmtime",):
            return "" if importlib.util.find_spec("wasmtime") else "wasmtime (pip)"
        return " ".join(tool for tool in self.runner[:1] if shutil.which(tool) is None)


def zig(target: str, *flags: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (sys.executable, "-m", "ziglang", "cc"), ("-target", target, *flags)


HOST = tuple(os.environ.get("CC", "gcc").split())

# -O0 where nothing is run: it compiles in half the time.
MACHINES = {
    m.name: m
    for m in (
        Machine("gcc", HOST, sets=SETS),
        Machine("gcc -O3", HOST, ("-O3",), sets=SETS),
        Machine("clang", ("clang",), sets=SETS),
        # The source of the AVX-512 kernels on a processor without, see lowered.h. They stand in the place of avx2's.
        Machine(
            "lowered",
            HOST,
            sets=("avx512",),
            files=(
                ("simd/isa_avx512.c", LOWERED),
                ("simd/pair_avx512.c", LOWERED),
                ("simd/dispatch.c", ("-Dhik_kernels_avx2=hik_kernels_avx512",)),
            ),
        ),
        Machine(
            "aarch64",
            ("aarch64-linux-gnu-gcc",),
            link=("-static", "-pthread", "-lm"),
            runner=("qemu-aarch64",),
        ),
        Machine("macos-arm64", *zig("aarch64-macos", "-O0"), link=(), runner=None),
        Machine("macos-x86_64", *zig("x86_64-macos", "-O0"), link=(), runner=None),
        Machine(
            "windows",
            *zig("x86_64-windows-gnu", "-O1"),
            link=(),
            runner=("wine",),
            suffix=".exe",
        ),
        Machine("musl", *zig("x86_64-linux-musl", "-O1"), link=()),
        Machine(
            "wasm32",
            *zig("wasm32-wasi", "-O1", "-msimd128"),
            link=("-Wl,-z,stack-size=1048576",),
            runner=("wasmtime",),
            suffix=".wasm",
        ),
    )
}


@dataclass
class Cross(Builder):
    """Builds for one machine."""

    machine: Machine = MACHINES["gcc"]

    def __post_init__(self) -> None:
        self.suffix = self.machine.suffix

    @property
    def command(self) -> list[str]:
        return list(self.machine.cc)

    @property
    def archiver(self) -> list[str]:
        zig_ar = [sys.executable, "-m", "ziglang", "ar"]
        return zig_ar if "ziglang" in self.machine.cc else ["ar"]

    @property
    def flags(self) -> list[str]:
        plain = [f for f in super().flags if f not in ("-fPIC", "-pthread")]
        few = ("-DCHECK_FEW",) if self.machine.runner else ()  # emulators are slow
        return [*plain, *few, *self.machine.flags]

    def flags_of(self, source: Path) -> tuple[str, ...]:
        return dict(self.machine.files).get(source.relative_to(self.csrc).as_posix(), ())

    @property
    def link(self) -> list[str]:
        target = self.machine.flags[:2] if "-target" in self.machine.flags else ()
        return [*target, *self.machine.link]


def run(machine: Machine, program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program of this machine here."""
    if machine.runner == ("wasmtime",):
        return run_wasm(program, *words)
    prefix = program.parent / "wine"
    quiet = os.environ | {"WINEDEBUG": "-all", "WINEPREFIX": str(prefix)} | NO_DESKTOP
    if machine.runner == ("wine",):
        with locked(program.parent):
            if not prefix.exists():
                # The first program of a new prefix may end with Wine's own status, not with its own. Its services live
                # on for some seconds, or for ever: through a pipe they would be waited for.
                boot = ("wine", "wineboot", "--init")
                silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
                subprocess.run(boot, **silent, check=False, timeout=LIMIT, env=quiet)
    command = [*(machine.runner or ()), str(program), *words]

    def once() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=LIMIT, env=quiet
        )

    done = once()
    if machine.runner == ("wine",) and done.returncode and not done.stdout:
        done = (
            once()
        )  # Wine did not start it: its server was about to end; a program says something
    return done


def run_wasm(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a module under wasmtime."""
    import wasmtime

    said = program.with_suffix(".out")
    config = wasmtime.WasiConfig()
    config.argv, config.stdout_file = [program.name, *words], str(said)
    engine = wasmtime.Engine()
    linker, store = wasmtime.Linker(engine), wasmtime.Store(engine)
    linker.define_wasi()
    store.set_wasi(config)
    status = 0
    try:
        module = wasmtime.Module.from_file(engine, str(program))
        exports = linker.instantiate(store, module).exports(store)
        exports["_start"](store)
    except wasmtime.ExitTrap as end:
        status = end.code
    return subprocess.CompletedProcess([str(program)], status, said.read_text("utf-8"), "")


def hashes(machine: Machine, program: Path, kernels: str = "base") -> dict[str, str] | None:
    """Run the program of hashes; None: the processor has no such kernels."""
    done = run(machine, program, kernels)
    if done.returncode == NO_SUCH_SET:
        return None
    rows = [line.split(",") for line in done.stdout.splitlines()]
    wrong = [",".join(row) for row in rows if len(row) != 2]
    if done.returncode or wrong or not rows:
        raise RuntimeError(f"exit status {done.returncode}: {wrong or done.stderr[-2000:]}")
    return {name: value for name, value in rows}


def kept(file: Path = FILE) -> dict[str, tuple[str, str]]:
    """Return hash and reason of each entry on file."""
    with file.open(encoding="utf-8", newline="") as opened:
        return {r["entry"]: (r["hash"], r["reason"]) for r in csv.DictReader(opened)}


def differences(now: dict[str, str], old: dict[str, tuple[str, str]]) -> list[str]:
    """Name the entries whose bytes are others, or that only one side has."""
    return sorted(
        name for name in now.keys() | old.keys() if now.get(name) != old.get(name, ("", ""))[0]
    )


def group_of(entry: str) -> str:
    parts = re.sub(r"_\d+$", "", entry).split("/")
    return " ".join(parts[:2]) if parts[0] in ("solve", "analytic") else parts[0]


def table(now: dict[str, str]) -> str:
    """Return the table of the page: one hash for all entries of a solver, of dynamics and so on."""
    groups: dict[str, list[str]] = {}
    for entry, value in sorted(now.items()):
        groups.setdefault(group_of(entry), []).append(f"{entry},{value}\n")
    lines = ["| what | entries | SHA-256 of their lines, first 16 digits |\n", "|---|---|---|\n"]
    for name, rows in sorted(groups.items()):
        digest = hashlib.sha256("".join(rows).encode()).hexdigest()[:16]
        lines.append(f"| {name} | {len(rows)} | `{digest}` |\n")
    return "".join(lines)


def write(now: dict[str, str], reason: str) -> None:
    """Put hashes into the file and the page; an entry that is as it was keeps its reason."""
    old = kept() if FILE.exists() else {}
    with FILE.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(["entry", "hash", "reason"])
        for name, value in sorted(now.items()):
            before = old.get(name, ("", ""))
            writer.writerow([name, value, before[1] if before[0] == value else reason])
    text = PAGE.read_text("utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(now), text), "utf-8")


def built(machine: Machine, folder: Path) -> Path:
    return Cross(folder / machine.name.replace(" ", ""), "plain", machine=machine).program(PROGRAM)


def main() -> None:
    """Compare or write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("machine", nargs="*", help=f"of {', '.join(MACHINES)}; none: all")
    parser.add_argument("--write", metavar="REASON")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if args.write:
            now = hashes(MACHINES["gcc"], built(MACHINES["gcc"], Path(name)))
            assert now is not None
            changed = differences(now, kept()) if FILE.exists() else sorted(now)
            write(now, args.write)
            print(f"{len(changed)} of {len(now)} entries changed")
            return
        for machine in [MACHINES[m] for m in args.machine] or MACHINES.values():
            lacking = machine.missing or machine.runs
            if lacking:
                print(f"{machine.name}: not compared, for want of {lacking}")
                continue
            program = built(machine, Path(name))
            for kernels in machine.sets:
                now = hashes(machine, program, kernels)
                other = None if now is None else differences(now, kept())
                said = "not here" if other is None else f"{len(other)} differ {other[:5]}"
                print(f"{machine.name} {kernels}: {said}", flush=True)


if __name__ == "__main__":
    main()
