"""MOT: a motion as OpenSim's table of coordinates over time; TRC: markers over time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from handik.errors import ArgumentError, UnsupportedError
from handik.files.read.bvh import _UP
from handik.files.read.markers import Markers
from handik.files.read.mot import coordinate_names
from handik.files.write._text import figures
from handik.spec._given import choice, is_model, of_class, path_text, reals, text

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["save_mot", "save_trc"]


def save_mot(
    path: str | os.PathLike[str], model: Model, q: ArrayLike, times: ArrayLike, *, name: str = ""
) -> None:
    """Write a motion as a MOT file, angles in degrees.

    Parameters
    ----------
    path : path
        The file; one that is there is replaced.
    model : Model
        Its joints name the columns. The four numbers of a ball, which OpenSim has not, are columns
        ``joint.qw`` to ``joint.qz``.
    q : array_like, shape (n, nq)
    times : array_like, shape (n,)
        Seconds.
    name : str
        The first line; that of the model if empty.

    Raises
    ------
    ArgumentError
        When shapes do not fit.
    UnsupportedError
        When a joint's name has a space in it, or is that of another column.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import handik as hk
    >>> with TemporaryDirectory() as folder:
    ...     save_mot(f"{folder}/arm.mot", hk.chain([0.3]), [[0.5]], [0.0])
    ...     hk.read.read_mot(f"{folder}/arm.mot").columns
    ('joint_1',)
    """
    is_model(model)
    rows, moments = reals(q, "q", (model.nq,)), reals(times, "times", ())
    if rows.ndim != 2 or moments.shape != rows.shape[:1]:
        raise ArgumentError(
            f"q must have shape (n, {model.nq}) and times (n,), got {rows.shape}, {moments.shape}"
        )
    names, angles = coordinate_names(model)
    for label in names:
        if not label or any(sign.isspace() for sign in label):
            raise UnsupportedError(f"a MOT file cannot hold the joint name {label!r}")
    if len({"time", *names}) <= len(names):
        raise UnsupportedError("a MOT file cannot hold two columns of one name, nor a joint 'time'")
    table = np.column_stack([moments, np.where(angles, np.degrees(rows), rows)])
    first = " ".join((text("name", name) or model.name).replace("=", " ").split())
    if first.lower() == "endheader":
        first = f"motion {first}"
    head = [first, "version=1", f"nRows={len(rows)}", f"nColumns={1 + len(names)}"]
    lines = [*head, "inDegrees=yes", "endheader", "\t".join(["time", *names])]
    lines += [figures(row).replace(" ", "\t") for row in table]
    _put(path, lines)


def save_trc(path: str | os.PathLike[str], markers: Markers, *, up: str = "y") -> None:
    """Write markers as a TRC file, in millimeters.

    Parameters
    ----------
    path : path
        The file; one that is there is replaced.
    markers : Markers
        What is NaN becomes an empty cell.
    up : str
        The file's axis that points up, ``"y"`` or ``"z"``.

    Raises
    ------
    UnsupportedError
        When a marker's name is empty or has a tab or line end in it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np, handik as hk
    >>> seen = hk.read.Markers(("toe",), np.array([0.0]), np.array([[[0.1, 0.2, 0.3]]]))
    >>> with TemporaryDirectory() as folder:
    ...     save_trc(f"{folder}/toe.trc", seen)
    ...     hk.read.read_trc(f"{folder}/toe.trc").positions.round(9).tolist()
    [[[0.1, 0.2, 0.3]]]
    """
    of_class("markers", markers, Markers)
    choice("up", up, tuple(_UP))
    for label in markers.names:
        if not label.strip() or label != label.strip() or any(c in "\t\r\n" for c in label):
            raise UnsupportedError(f"a TRC file cannot hold the marker name {label!r}")
    turn = np.eye(3) if _UP[up] is None else np.array(_UP[up])
    points = 1000.0 * (markers.positions @ turn)
    steps = np.diff(markers.times)
    rate = f"{1 / steps.mean():.9g}" if len(steps) else "1"
    words = ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units"]
    values = [rate, rate, str(len(markers)), str(len(markers.names)), "mm"]
    words += ["OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"]
    values += [rate, "1", str(len(markers))]
    count = len(markers.names)
    axes = [f"{axis}{k + 1}" for k in range(count) for axis in "XYZ"]
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{os.path.basename(path_text('path', path))}",
        "\t".join(words),
        "\t".join(values),
        "Frame#\tTime\t" + "\t\t\t".join(markers.names),
        "\t\t" + "\t".join(axes),
        "",
    ]
    rows = zip(markers.times, points.reshape(len(markers), -1), strict=True)
    for k, (moment, row) in enumerate(rows, 1):
        cells = ["" if np.isnan(x) else repr(float(x)) for x in row]
        lines.append("\t".join([str(k), repr(float(moment)), *cells]))
    _put(path, lines)


def _put(path: str | os.PathLike[str], lines: list[str]) -> None:
    with open(path_text("path", path), "w", encoding="utf-8", newline="\n") as stream:
        stream.write("\n".join(lines) + "\n")
