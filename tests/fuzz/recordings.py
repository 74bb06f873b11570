"""Files of markers and motions, changed at random: ``python tests/fuzz/recordings.py c3d 1000``.

A C3D, TRC, MOT or BVH file is cut off, bytes of it are changed, taken out or doubled. Whatever is
left, a reader returns something that is whole or raises a `ReadError`, and comes back: C3D goes
through a library that did not, and that read beyond its memory. Each run is a process of its own
with a limit of processor time, which tells the file it was at.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

NAMES = ("c3d", "trc", "mot", "bvh")
#: Seconds of the processor for all files of a run, and the most that one more file may take.
BEGIN, EACH = 20.0, 0.05
#: Bytes that a run may take: what does not come back may gather them.
MOST = 4 * 2**30


def sound(name: str, folder: Path) -> bytes:
    """Return a file that can be read."""
    import handik as hk

    path, rng = folder / f"sound.{name}", np.random.default_rng(0)
    if name in ("c3d", "trc"):
        points = rng.normal(size=(6, 4, 3))
        points[2, 1] = np.nan
        if name == "trc":
            seen = hk.read.Markers(tuple("abcd"), np.arange(6) / 50, points)
            hk.write.save_trc(path, seen)
            return path.read_bytes()
        import ezc3d

        made = ezc3d.c3d()
        group = made["parameters"]["POINT"]
        group["RATE"]["value"], group["UNITS"]["value"] = [50.0], ["mm"]
        group["LABELS"]["value"] = list("abcd")
        cells = np.ones((4, 4, 6))
        cells[:3] = 1000 * points.transpose(2, 1, 0)
        made["data"]["points"] = cells
        made.write(str(path))
        return path.read_bytes()
    arm = hk.chain([0.3, 0.2, 0.1], "ball")
    hk.Motion(arm.sample(5, seed=1), np.arange(5) / 30, arm, name="w").save(path)
    return path.read_bytes()


def changed(data: bytes, seed: int) -> bytes:
    """Return a file cut off, with other bytes, without some, or with some twice."""
    rng = np.random.default_rng(seed)
    first = int(rng.integers(0, len(data)))
    last = min(len(data), first + int(rng.integers(1, 60)))
    if seed % 4 == 0:
        return data[:first]
    if seed % 4 == 1:
        other = bytearray(data)
        for at in rng.integers(0, len(data), 3):
            other[at] = rng.integers(0, 256)
        return bytes(other)
    return data[:first] + data[last:] if seed % 4 == 2 else data[:last] + data[first:]


def read(name: str, path: Path) -> object:
    """Read a file, and look at what came of it."""
    import handik as hk

    try:
        if name in ("c3d", "trc"):
            found = (hk.read.read_c3d if name == "c3d" else hk.read.read_trc)(path)
            assert found.positions.shape == (len(found.times), len(found.names), 3)
            return found
        model = hk.chain([0.3, 0.2, 0.1], "ball") if name == "mot" else None
        moved = hk.Motion.read(path, model=model)
        assert np.isfinite(moved.q).all()
        return moved
    except (hk.ReadError, hk.ModelError, hk.ArgumentError, hk.UnsupportedError) as error:
        return str(error)


def run(name: str, count: int, seed: int) -> None:
    """Read changed files one after another, and say at which we are."""
    spent = int(BEGIN + EACH * count)
    resource.setrlimit(resource.RLIMIT_CPU, (spent, spent))
    resource.setrlimit(resource.RLIMIT_DATA, (MOST, MOST))
    with tempfile.TemporaryDirectory() as folder:
        data, path = sound(name, Path(folder)), Path(folder) / f"changed.{name}"
        for k in range(seed, seed + count):
            print(k, flush=True)
            path.write_bytes(changed(data, k))
            read(name, path)


def check(name: str, count: int, seed: int = 0) -> None:
    """Raise AssertionError with the file at which a run ended early."""
    words = [sys.executable, __file__, name, str(count), str(seed), "here"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    at = (done.stdout.split() or ["none"])[-1]
    assert done.returncode == 0, f"{name}, file {at}: ended by {done.returncode}\n{done.stderr}"


if __name__ == "__main__":
    asked = sys.argv[1]
    many, begin = int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
    if sys.argv[4:] == ["here"]:
        run(asked, many, begin)
    else:
        check(asked, many, begin)
        print(f"{many} changed files of {asked} were read or refused")
