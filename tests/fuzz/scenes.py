"""Fuzzing of scene files: ``python tests/fuzz/scenes.py glb 20000 --seed 1``.

Every file that a scene is read from is cut at a byte, or has bytes changed, numbers swapped for
others, pieces said twice or left out. Whatever comes, `handik.load_scene` returns a scene whose
obstacles can be listed, or raises a `ReadError` that names the file. No other error, no long wait.
"""

from __future__ import annotations

import argparse
import faulthandler
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import handik as hk

sys.path.insert(0, str(Path(__file__).parents[1] / "scene"))
import import_files as files

TOML = """format = "handik scene 1"
name = "room"
length = "cm"
angle = "deg"
up = "y"
handedness = "left"

[[object]]
name = "table"
position = [70, 0, 73]
rpy = [0, 0, 90]
tags = ["table", "seat"]
box = { size = [120, 80, 4] }
[[object]]
name = "table/cup"
position = [-30, 0, 7]
color = "#c03020"
cylinder = { length = 10, radius = 4 }
[[object]]
name = "plan"
floorplan = { walls = [[[0, 0], [1, 0], [1, 1]]], height = 250 }
[[object]]
name = "arm"
quaternion = [1, 0, 0, 0]
figure = { model = "data:ur5", q = [0, 0, 0, 0, 0, 0] }
[[object]]
name = "held"
attached_to = "arm"
attached_frame = "tool0"
scale = 2.5
mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces = [[0, 1, 2]] }
"""
XML = """<?xml version="1.0"?>
<scene format="handik scene 1" length="cm" angle="deg" handedness="left">
  <object name="table" position="70 0 73" rpy="0 0 90" tags="table">
    <box size="120 80 4"/>
    <object name="cup" position="-30 0 7"><cylinder length="10" radius="4"/></object>
  </object>
  <object name="plan"><floorplan walls="0 0;1 0;1 1|3 3;4 3;4 4" height="2"/></object>
  <object name="goal" attached_to="table"><target want="point" axis="1 0 0"/></object>
</scene>
"""
PLY_BINARY = (
    b"ply\nformat binary_little_endian 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
    b"property float z\nelement face 12\nproperty list uchar int vertex_indices\nend_header\n"
)


def sound() -> dict[str, tuple[str, bytes]]:
    """Return a good file of every kind: its name and its bytes."""
    import json

    faces = b"".join(b"\3" + np.array(row, "<i4").tobytes() for row in files.FACES)
    plain: dict[str, tuple[str, str | bytes]] = {
        "toml": ("a.toml", TOML),
        "xml": ("a.xml", XML),
        "obj": ("a.obj", files.obj()),
        "stl": ("a.stl", files.stl()),
        "stl_text": ("a.stl", files.stl_text()),
        "ply": ("a.ply", files.ply()),
        "ply_binary": ("a.ply", PLY_BINARY + files.POINTS.astype("<f4").tobytes() + faces),
        "dae": ("a.dae", files.dae()),
        "gltf": ("a.gltf", json.dumps(files.gltf())),
        "glb": ("a.glb", files.glb()),
        "svg": ("a.svg", files.SVG),
        "ogre": ("a.scene", files.OGRE_SCENE),
        "ogre_mesh": ("man.mesh.xml", files.OGRE_MESH),
        "urdf": ("a.urdf", files.URDF),
        "dxf": ("a.dxf", files.dxf_text()),
        "ifc": ("a.ifc", files.ifc_text()),
    }
    return {
        kind: (name, data.encode() if isinstance(data, str) else data)
        for kind, (name, data) in plain.items()
    }


#: What stands in the place of a number of a text.
NUMBERS = [b"0", b"-1", b"nan", b"inf", b"1e300", b"1e999", b"5e-324", b"-0.0", b"4294967296",
           b"99999999999999999999", b"2147483647", b"", b"true", b"x", b"0.5", b"1e-300", b"[]", b"{}", b"null",
           b'"a"']  # fmt: skip
_NUMBER = re.compile(rb"-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")


def changed(data: bytes, rng: np.random.Generator) -> bytes:
    """Return a file with one to four faults in it."""
    for _ in range(int(rng.integers(1, 5))):
        n = len(data)
        if n < 2:
            break
        at = int(rng.integers(n))
        kind = int(rng.integers(7))
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data = data[:at] + bytes([int(rng.integers(256))]) + data[at + 1 :]
        elif kind == 2:
            data = data[:at] + bytes([data[at] ^ 1 << int(rng.integers(8))]) + data[at + 1 :]
        elif kind == 3:
            end = at + int(rng.integers(1, 60))
            data = data[:end] + data[at:]
        elif kind == 4:
            data = data[:at] + data[at + int(rng.integers(1, 60)) :]
        elif kind == 5:
            found = list(_NUMBER.finditer(data))
            if found:
                one = found[int(rng.integers(len(found)))]
                data = (
                    data[: one.start()]
                    + NUMBERS[int(rng.integers(len(NUMBERS)))]
                    + data[one.end() :]
                )
        else:
            word = int(rng.choice([0, 1, 0x7F, 0x80, 0xFF])).to_bytes(1, "little") * 4
            data = data[:at] + word + data[at + 4 :]
    return data


def fault(path: Path, data: bytes, longest: float = 10.0) -> str | None:
    """Return what is wrong with how a file is taken, None where nothing is."""
    path.write_bytes(data)
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for obstacle in hk.load_scene(path).obstacles():
                if not np.isfinite(obstacle.pose).all():
                    return "a pose is not finite"
    except hk.ReadError as error:
        if str(path.parent) not in str(error):  # it, or one that it names
            return f"no file in: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    wait = time.perf_counter() - start
    return f"took {wait:.1f} s" if wait > longest else None


def folder_of(where: str) -> Path:
    """Fill a folder with the files that others name."""
    folder = Path(where)
    (folder / "man.mesh.xml").write_text(files.OGRE_MESH)
    (folder / "man.skeleton.xml").write_text(files.OGRE_SKELETON)
    (folder / "part.stl").write_bytes(files.stl())
    return folder


def slice_of(kind: str, seeds: range, cuts: int = 0) -> list[str]:
    """Return the faults of some changed files of a kind, and of the file cut at every so many bytes."""
    name, data = sound()[kind]
    found = []
    with tempfile.TemporaryDirectory() as where:
        folder = folder_of(where)
        good = fault(folder / name, data)
        if good is not None:
            found.append(f"{kind} as it is: {good}")
        for end in range(0, len(data), cuts) if cuts else ():
            wrong = fault(folder / name, data[:end])
            if wrong is not None:
                found.append(f"{kind} cut at {end}: {wrong}")
        for seed in seeds:
            folder_of(where)
            wrong = fault(folder / name, changed(data, np.random.default_rng([seed, len(data)])))
            if wrong is not None:
                found.append(f"{kind} seed {seed}: {wrong}")
    return found


def main() -> None:
    """Fuzz one kind, or all, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kind", choices=["all", *sound()])
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cuts", type=int, default=0, help="cut at every so many bytes")
    args = parser.parse_args()
    faulthandler.enable()
    total: Any = 0
    for kind in sound() if args.kind == "all" else [args.kind]:
        start = time.perf_counter()
        found = slice_of(kind, range(args.seed, args.seed + args.count), args.cuts)
        total += len(found)
        said = Counter(
            re.sub(r"[\d.]+|'[^']*'", "#", one.partition(": ")[2])[:150] for one in found
        )
        print(
            f"{kind}: {args.count} changed, {len(found)} faults, {time.perf_counter() - start:.0f} s",
            flush=True,
        )
        for text, count in said.most_common(12):
            example = next(
                one
                for one in found
                if re.sub(r"[\d.]+|'[^']*'", "#", one.partition(": ")[2])[:150] == text
            )
            print(f"   {count} x {example[:300]}", flush=True)
    sys.exit(bool(total))


if __name__ == "__main__":
    main()
