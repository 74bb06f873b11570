"""Arrays of a network in a ``.npz`` file, read without trust: no pickle, sizes checked first."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from handik.errors import ReadError
from handik.files.read._file import open_file
from handik.spec._given import path_text

Array = NDArray[np.float64]

#: What the file says of itself, with the goal behind it.
MARK = "handik network 1"
GOALS = ("position", "pose")
IDENTITY = ("lower", "upper", "kinds", "parents", "placements", "tool", "tool_step", "swings")
#: No more bytes than these are unpacked, no more layers read, and no larger network is trained.
MOST_BYTES = 1 << 25
MOST_WEIGHTS = MOST_BYTES // 16
MOST_LAYERS = 64


def write_arrays(path: str | os.PathLike[str], goal: str, arrays: dict[str, Array]) -> None:
    """Write the mark and the arrays."""
    mark = np.frombuffer(f"{MARK} {goal}".encode(), np.uint8)
    with open(path_text("path", path), "wb") as file:
        members: dict[str, Any] = {"mark": mark, **arrays}
        np.savez(file, **members)


def read_arrays(path: str | os.PathLike[str]) -> tuple[str, dict[str, Array]]:
    """Read goal and arrays, checked against each other.

    Raises
    ------
    MissingFileError
        No such file.
    ReadError
        Cut off, damaged, too large, or not a network.
    """
    name, stream = path_text("path", path), open_file(path)
    try:
        with stream as file, zipfile.ZipFile(file) as packed:
            members = _members(packed, name)
            arrays = {key: _array(packed, member, name) for key, member in members.items()}
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise ReadError(f"not a whole .npz file: {error}", name) from None
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", name) from None
    goal = _goal(arrays.pop("mark"), name)
    return goal, _checked({k: np.asarray(v, float) for k, v in arrays.items()}, goal, name)


def _members(packed: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    """Entries by the name of their array: only those there should be, each once, not too large."""
    out: dict[str, zipfile.ZipInfo] = {}
    total = 0
    for info in packed.infolist():
        key = info.filename.removesuffix(".npy")
        known = key == "mark" or key in IDENTITY or _layer(key) >= 0
        if not known or key == info.filename or key in out:
            raise ReadError(f"holds {info.filename!r}, which no network has", name)
        total += info.file_size
        if total > MOST_BYTES:
            raise ReadError(f"unpacks to more than {MOST_BYTES} bytes", name)
        out[key] = info
    for key in ("mark", "layer_0", *IDENTITY):
        if key not in out:
            raise ReadError(f"lacks the array {key!r}", name)
    return out


def _layer(key: str) -> int:
    """Return the number of a layer's array, -1 when it is none."""
    digits = key.removeprefix("layer_")
    if digits == key or not digits.isascii() or not digits.isdigit() or len(digits) > 3:
        return -1
    return int(digits) if str(int(digits)) == digits else -1


def _array(packed: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> NDArray[Any]:
    """One array; its header must ask for just the bytes that are there."""
    data = packed.read(info)
    stream = io.BytesIO(data)
    try:
        version = npy.read_magic(stream)
        if version != (1, 0):
            raise ValueError(f"array format {version}")
        shape, _, dtype = npy.read_array_header_1_0(stream)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise ReadError(f"array {info.filename!r} has no header: {error}", name) from None
    count = 1
    for size in shape:
        count *= size
    wanted = "u1" if info.filename == "mark.npy" else "f8"
    if dtype.str not in (f"|{wanted}", f"<{wanted}") or len(shape) > 2:
        raise ReadError(f"array {info.filename!r} has type {dtype.str!r}, shape {shape}", name)
    if min(shape, default=1) < 0 or count * dtype.itemsize != len(data) - stream.tell():
        raise ReadError(f"array {info.filename!r} is cut off, or longer than it says", name)
    stream.seek(0)
    out: NDArray[Any] = npy.read_array(stream, allow_pickle=False)
    return out


def _goal(mark: NDArray[Any], name: str) -> str:
    text = mark.tobytes().decode("ascii", "replace")
    for goal in GOALS:
        if text == f"{MARK} {goal}":
            return goal
    raise ReadError(f"is marked {text[:60]!r}, not as a network of this version", name)


def _checked(arrays: dict[str, Array], goal: str, name: str) -> dict[str, Array]:
    """Layers follow each other, and hold numbers."""
    layers = [key for key in arrays if _layer(key) >= 0]
    if len(layers) % 2 or len(layers) > 2 * MOST_LAYERS:
        raise ReadError(f"has {len(layers)} arrays of layers, a matrix and an offset each", name)
    width = 3 if goal == "position" else 9
    for k in range(0, len(layers), 2):
        pair = f"layer_{k}", f"layer_{k + 1}"
        for key in pair:
            if key not in arrays:
                raise ReadError(f"lacks the array {key!r}", name)
            if not np.all(np.isfinite(arrays[key])):
                raise ReadError(f"array {key!r} holds numbers that are not finite", name)
        matrix, offset = arrays[pair[0]], arrays[pair[1]]
        if matrix.ndim != 2 or offset.shape != matrix.shape[1:] or matrix.shape[0] != width:
            raise ReadError(
                f"arrays {pair[0]!r} {matrix.shape} and {pair[1]!r} {offset.shape} do not follow a "
                f"layer of {width}",
                name,
            )
        width = matrix.shape[1]
        if width == 0:
            raise ReadError(f"array {pair[0]!r} is empty", name)
    return arrays
