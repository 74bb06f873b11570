"""Markers of optical motion capture: TRC (text, OpenSim) and C3D (binary, by ezc3d)."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from math import prod
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, ReadError, shortened
from handik.files.read._file import open_file
from handik.files.read._text import Lines
from handik.files.read._xml import number
from handik.files.read.bvh import _UP
from handik.spec._given import choice, path_text, reals, sequence

__all__ = ["Markers", "read_c3d", "read_trc"]

Array = NDArray[np.float64]
#: Numbers at most of all frames together: a short row stands for as many as there are markers.
_MOST = 10**8
#: Bytes of a C3D file in which its head and parameters are: at most 255 blocks behind 255 others.
_HEAD = 512 * 512
#: What a cell holds where a marker was not seen.
_UNSEEN = ("", "nan", "inf", "-inf", "+inf")
#: Meters in a unit of length, by its name in lower case.
_UNITS = {"m": 1.0, "meters": 1.0, "cm": 1e-2, "mm": 1e-3, "millimeters": 1e-3}


@dataclass(frozen=True, slots=True, eq=False)
class Markers:
    """Where markers were seen.

    Attributes
    ----------
    names : tuple of str
    times : ndarray, shape (n,)
        Seconds.
    positions : ndarray, shape (n, markers, 3)
        Meters, z up; NaN where a marker was not seen.

    Raises
    ------
    ArgumentError
        When shapes do not fit, or a marker is named twice.

    Examples
    --------
    >>> Markers(("toe",), np.array([0.0]), np.array([[[0.1, 0.0, 0.0]]]))
    Markers: 1 frames of 1, 0 % not seen
    """

    names: tuple[str, ...]
    times: Array
    positions: Array

    def __post_init__(self) -> None:
        """Check that they fit."""
        names = sequence("names", self.names, str, "a list of texts")
        times = reals(self.times, "times", ())
        points = reals(self.positions, "positions", (3,), finite=False)
        if times.ndim != 1 or points.shape != (len(times), len(names), 3):
            raise ArgumentError(
                f"positions must have shape (n, markers, 3), here ({times.size}, {len(names)}, 3), "
                f"got {points.shape}"
            )
        if len(set(names)) != len(names):
            raise ArgumentError("a marker is named twice")
        for key, value in (("names", names), ("times", times), ("positions", points)):
            object.__setattr__(self, key, value)

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        hidden = float(np.isnan(self.positions[..., 0]).mean()) if self.positions.size else 0.0
        return f"Markers: {len(self)} frames of {len(self.names)}, {100 * hidden:.3g} % not seen"


def _stand(points: Array, up: str) -> Array:
    """Turn points so that the file's upward axis is z."""
    turn = _UP[up]
    return points if turn is None else points @ np.array(turn).T


def _metres(unit: str, path: str) -> float:
    found = _UNITS.get(unit.strip().lower())
    if found is None:
        raise ReadError(f"the unit of length {unit!r} is none of {', '.join(_UNITS)}", path)
    return found


def read_trc(source: str | bytes | os.PathLike[str], *, up: str = "y") -> Markers:
    r"""Read a TRC file: the markers of OpenSim and of Cortex.

    Parameters
    ----------
    source : path, str or bytes
        A path; or the document itself, as bytes or as a str of several lines.
    up : str
        The file's axis that points up, ``"y"`` or ``"z"``; the points are turned to stand along z.

    Returns
    -------
    Markers
        Meters, by the file's own unit. Empty cells, those left out at the end of a row, and NaN
        are markers that were not seen.

    Raises
    ------
    ReadError
        With its line, for anything malformed, such as another number of frames than NumFrames.

    References
    ----------
    OpenSim documentation, "Marker (.trc) Files".

    Examples
    --------
    >>> head = ["PathFileType 4 (X/Y/Z) a.trc", "DataRate NumFrames NumMarkers Units"]
    >>> rows = ["100 1 1 mm", "Frame# Time toe", "  X1 Y1 Z1", "", "1 0.0 10 20 30"]
    >>> read_trc("\n".join([*head, *(row.replace(" ", "\t") for row in rows)])).positions
    array([[[ 0.01, -0.03,  0.02]]])
    """
    choice("up", up, tuple(_UP))
    lines = Lines(source)
    text = lines.lines
    if not text[0].startswith("PathFileType"):
        lines.fail("a TRC file begins with PathFileType", 1)
    if len(text) < 5:
        lines.fail("the file ends within its head", len(text))
    head = dict(zip(_words(text[1]), _words(text[2]), strict=False))
    for word in ("NumMarkers", "Units"):
        if word not in head:
            lines.fail(f"the head has no {word}", 2)
    scale = _metres(head["Units"], lines.path)
    names = tuple(word for word in text[3].rstrip("\n").split("\t")[2:] if word.strip())
    names = tuple(word.strip() for word in names)
    if str(len(names)) != head["NumMarkers"]:
        lines.fail(f"NumMarkers says {head['NumMarkers']}, but {len(names)} are named", 4)
    if len(set(names)) != len(names):
        lines.fail("a marker is named twice", 4)
    times: list[float] = []
    rows: list[list[float]] = []
    for k, line in enumerate(text[5:], 6):
        if not line.strip():
            continue
        moment, values = _frame(lines, k, len(names))
        times.append(moment)
        rows.append(values)
    whole_table(lines, head.get("NumFrames"), len(rows), "NumFrames")
    if 3 * len(names) * len(rows) > _MOST:
        lines.fail(f"{len(rows)} frames of {len(names)} markers are more than can be kept")
    cells = np.full((len(rows), 3 * len(names)), np.nan)
    for place, values in zip(cells, rows, strict=True):
        place[: len(values)] = values
    points = cells.reshape(len(rows), len(names), 3)
    points[~np.isfinite(points).all(axis=2)] = np.nan
    return Markers(names, np.array(times, float), _stand(scale * points, up))


def _words(line: str) -> list[str]:
    """Return the words of a line; between tabs one may be empty."""
    return [word.strip() for word in line.split("\t")] if "\t" in line.strip() else line.split()


def _frame(lines: Lines, k: int, count: int) -> tuple[float, list[float]]:
    """Return the time of the frame on line `k`, and its numbers, NaN where one is missing."""
    cells = [cell.strip() for cell in lines.lines[k - 1].split("\t")]
    try:
        numbers = [number(cell) if cell.lower() not in _UNSEEN else np.nan for cell in cells]
    except ValueError:
        lines.fail("a cell is no number", k)
    if len(numbers) < 2 or not np.isfinite(numbers[1]):
        lines.fail("a frame has no time", k)
    if any(np.isfinite(numbers[2 + 3 * count :])):
        lines.fail(f"the frame has more than {3 * count} numbers", k)
    if (len(numbers) - 2) % 3 and len(numbers) - 2 < 3 * count and cells[-1]:
        lines.fail("the frame ends within a marker", k)
    return numbers[1], numbers[2 : 2 + 3 * count]


def whole_table(lines: Lines, said: str | None, count: int, word: str, what: str = "rows") -> None:
    """Compare a table with the number of rows that its head says, if it says one.

    Raises
    ------
    ReadError
        When they differ: the file is cut off, or two were put together.
    """
    if said is None:
        return
    try:
        wanted = number(said)
    except ValueError:
        lines.fail(f"{word} is no number: {shortened(said)}")
    if wanted != count:
        lines.fail(f"{word} says {said}, but the file has {count} {what}")


def read_c3d(source: str | os.PathLike[str], *, up: str = "z") -> Markers:
    """Read the points of a C3D file, by the package ezc3d.

    Parameters
    ----------
    source : path
        The file.
    up : str
        The file's axis that points up, ``"z"`` or ``"y"``; laboratories differ.

    Returns
    -------
    Markers
        Meters, by the file's own unit. Points with a negative residual were not seen, as the
        format has it.

    Raises
    ------
    ReadError
        When ezc3d cannot read the file or its parameters do not fit into it, it has fewer frames
        than it says, two points have one label, or it names no unit of length that is known; one
        that names none is in millimeters.
    MissingFileError
        When there is no such file.
    ImportError
        Without ezc3d.

    References
    ----------
    The C3D File Format, Motion Lab Systems, 2021.

    Examples
    --------
    >>> import handik as hk
    >>> walk = hk.read.read_c3d("walk.c3d")  # doctest: +SKIP
    """
    choice("up", up, tuple(_UP))
    path = path_text("source", source)
    try:
        import ezc3d
    except ImportError as error:
        raise ImportError("C3D is read by ezc3d: pip install 'handik[mocap]'") from error
    with open_file(path) as stream:
        _walk(stream.read(_HEAD), path)
    try:
        found: Any = ezc3d.c3d(path)
        points = np.asarray(found["data"]["points"], float)[:3].transpose(2, 1, 0)
        group = found["parameters"]["POINT"]
        labels = [name for word in _labels(group) for name in group[word]["value"]]
        names = tuple(str(name).strip() for name in labels[: points.shape[1]])
        units = group["UNITS"]["value"]
        rate = float(group["RATE"]["value"][0])
        first = int(found["header"]["points"]["first_frame"])
        residuals = np.asarray(found["data"]["meta_points"]["residuals"])[0].T
        whole = _frames_said(path)
    except (OSError, RuntimeError, ValueError, KeyError, IndexError, TypeError) as error:
        _unreadable(path, error)
    if len(points) < whole:
        _unreadable(path, f"it ends after {len(points)} of {whole} frames")
    scale = _metres(units[0] if units else "mm", path)
    if not rate > 0 or len(names) != points.shape[1]:
        _unreadable(path, "no rate, or not a label for each point")
    if len(set(names)) != len(names):
        _unreadable(path, "two points have one label")
    points = np.where((residuals < 0)[..., None] | ~np.isfinite(points), np.nan, points)
    points[np.isnan(points).any(axis=2)] = np.nan
    return Markers(names, (first + np.arange(len(points))) / rate, _stand(scale * points, up))


def _labels(group: Any) -> list[str]:
    """Return the parameters that hold the labels: a single one holds 255."""
    more = (f"LABELS{k}" for k in range(2, 300))
    return ["LABELS", *(word for word in more if word in group)]


def _walk(data: bytes, path: str) -> None:
    """Go over the head and its parameters as ezc3d does, which does not end where these do not.

    A record is the length of its name, the number of its group, the name, and how far it is to the
    next one: 0 of the last; a parameter goes on with the size of a number and the dimensions, and
    the description of either is a length and a text.
    """
    if len(data) < 512 or data[1] != 0x50:
        _unreadable(path, "it has no head of a C3D file")
    at = 512 * (data[0] - 1)
    if at < 0 or at + 4 > len(data):
        _unreadable(path, "it ends before its parameters")
    order = ">" if data[at + 3] == 0x56 else "<"
    at += 4
    while at < len(data) and data[at] != 0:
        name, group = struct.unpack("bb", data[at : at + 2].ljust(2, b"\0"))
        place = at + 2 + abs(name)
        if place + 5 > len(data):
            _unreadable(path, "it ends within its parameters")
        (to_next,) = struct.unpack(order + "h", data[place : place + 2])
        if to_next < 0:
            _unreadable(path, "its parameters go backwards")
        ends, said = place + to_next if to_next else len(data), place + 2
        if group > 0:
            sizes = data[place + 4 : place + 4 + data[place + 3]]
            long = abs(kind := struct.unpack("b", data[place + 2 : place + 3])[0]) * prod(sizes)
            if kind == -1 and not sizes:  # ezc3d reads beyond its memory
                _unreadable(path, "a parameter is a letter alone")
            said = place + 4 + len(sizes) + long
        if said > ends or (said < min(ends, len(data)) and said + 1 + data[said] > ends):
            _unreadable(path, "a parameter or its description is longer than its place")
        if to_next == 0:
            break
        at = place + to_next
    if at >= len(data):
        _unreadable(path, "it ends within its parameters")


def _frames_said(path: str) -> int:
    """Return how many frames the file's own head says; ezc3d says how many it found."""
    with open(path, "rb") as stream:
        block = stream.read(10)
        stream.seek(512 * (block[0] - 1) + 3)
        order = ">" if stream.read(1) == b"\x56" else "<"  # the processor: MIPS, or Intel and DEC
    first, last = struct.unpack(order + "HH", block[6:10])
    return int(last) - int(first) + 1


def _unreadable(path: str, why: object) -> NoReturn:
    raise ReadError(f"ezc3d cannot read it: {why}", path) from None
