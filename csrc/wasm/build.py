"""Builds the core as the WebAssembly module of stand-alone pages: `python csrc/wasm/build.py`.

Needs `pip install ziglang zopfli`. Writes handik/app/view/core.wasm.gz. The module is part of the
sources, so that who installs them needs no second compiler; tests/app/test_view.py holds that its
answers are the native core's, byte for byte, and says when it is to be built again.
"""

from __future__ import annotations

import ast
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import zopfli.gzip

CSRC = Path(__file__).resolve().parent.parent
ROOT = CSRC.parent
OUT = ROOT / "handik" / "app" / "view" / "core.wasm.gz"
# What a page has no use for.
LEFT_OUT = {"python", "tests", "fuzz", "access", "skin"}
# One megabyte of stack: an arm of six hinges takes 77 kB; 64 kB are overrun in silence.
# Small rather than fast, which changes no answer: 60 targets a second leave 16 ms for one.
TARGET = ("-target", "wasm32-wasi", "-msimd128", "-Os")
LINK = ("-mexec-model=reactor", "-Wl,--gc-sections", "-s", "-Wl,-z,stack-size=1048576")


def flags() -> list[str]:
    """Read the flags of setup.py from its text, so that they have one home."""
    tree = ast.parse((ROOT / "setup.py").read_text("utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    (found,) = (text for text in texts if str(text).startswith("-std=c11"))
    return [flag for flag in shlex.split(found) if flag not in ("-pthread", "-O3", "-Wextra")]


def version() -> str:
    """Read the version from pyproject.toml."""
    for line in (ROOT / "pyproject.toml").read_text("utf-8").splitlines():
        if line.startswith("version = "):
            return line.split('"')[1]
    raise SystemExit("pyproject.toml names no version")


def sources() -> list[Path]:
    """List the files of the core and the calls of the module."""
    found = CSRC.rglob("*.c")
    parts = [(path, set(path.relative_to(CSRC).parts)) for path in found]
    return sorted(p for p, names in parts if not p.name.endswith(".inc.c") and not names & LEFT_OUT)


def build(folder: Path) -> Path:
    """Compile and link into a folder; return the module."""
    zig = [sys.executable, "-m", "ziglang", "cc"]
    common = [*zig, *TARGET, *flags(), f'-DHANDIK_VERSION="{version()}"']
    common += ["-I", str(CSRC), "-I", str(CSRC / "include")]
    made = [(path, folder / f"{k}.o") for k, path in enumerate(sources())]

    def one(pair: tuple[Path, Path]) -> None:
        subprocess.run([*common, "-c", str(pair[0]), "-o", str(pair[1])], check=True)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(one, made))
    module = folder / "core.wasm"
    objects = [str(path) for _, path in made]
    subprocess.run([*zig, *TARGET[:2], *objects, "-o", str(module), *LINK], check=True)
    return module


def main() -> None:
    """Build, and write the module into the package."""
    with tempfile.TemporaryDirectory() as folder:
        whole = build(Path(folder)).read_bytes()
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_bytes(zopfli.gzip.compress(whole, numiterations=15))
    print(f"{OUT.relative_to(ROOT)}: {len(whole):,} bytes, {OUT.stat().st_size:,} compressed")


if __name__ == "__main__":
    main()
