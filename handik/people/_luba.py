"""LUBA: discomfort by joint motion, as far as its table could be verified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, NotFoundError, name_not_found
from handik.people._tables import csv_rows
from handik.spec._given import flag, path_text, reals, together

__all__ = ["LubaScore", "luba"]

#: The joints whose scores LUBA adds up.
_JOINTS = ("wrist", "elbow", "shoulder", "neck", "back")
_COLUMNS = ("joint", "motion", "over_deg", "up_to_deg", "relative_discomfort", "trust", "source")
#: Degrees by which an angle may be beyond a band and still belong to it.
_ROUNDING = 1e-9

Bands = dict[str, list[tuple[float, float, float]]]


@dataclass(frozen=True)
class LubaScore:
    """Discomfort of joint motions, relative to that of a slight elbow flexion.

    Attributes
    ----------
    score : float or ndarray, shape (...)
        Sum of the parts.
    parts : dict of str to float or ndarray, shape (...)
        By motion, in the order given.
    unread : tuple of str
        Motions whose bands nobody here read in a source: a score with any of them is a guess.
    not_scored : tuple of str
        Joints of LUBA's five of which no motion was given: while there are any, the score is no
        postural load index, and has no category.
    """

    score: Any
    parts: Mapping[str, Any]
    unread: tuple[str, ...]
    not_scored: tuple[str, ...]

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {value}" for name, value in self.parts.items())
        lacking = f"; without {', '.join(self.not_scored)}" if self.not_scored else ""
        guess = f"; not read in a source: {', '.join(self.unread)}" if self.unread else ""
        return f"LUBA {self.score} ({parts}{lacking}{guess})"


def luba(angles: Mapping[str, ArrayLike], *, path: Any = None, unread: bool = False) -> LubaScore:
    """Rate joint motions by LUBA: of the wrist, the one joint whose table could be read.

    Parameters
    ----------
    angles : mapping of str to array_like, shape (...)
        By motion, radians, 0 or more: ``{"wrist extension": 0.5, "wrist ulnar deviation": 0.1}``.
    path : path, optional
        A CSV of your own with the columns ``joint, motion, over_deg, up_to_deg,
        relative_discomfort, trust, source`` (an empty `up_to_deg` is no end). By default handik's.
    unread : bool
        Take the bands too whose `trust` is ``"unread"``. In handik's table the wrist was read in a
        source; elbow, shoulder, neck and back are from general knowledge, to be checked against the
        paper before anything rests on them.

    Returns
    -------
    LubaScore

    Raises
    ------
    NotFoundError
        When the table has no such motion, or has it from no source and `unread` is False.
    ArgumentError
        When an angle is negative, more than a full turn or not finite, shapes do not fit each
        other, or the table is wrong.
    TypeError
        When `angles` is no mapping.

    Notes
    -----
    An angle on the edge of two bands has the milder score.

    References
    ----------
    Kee and Karwowski 2001, Applied Ergonomics 32(4), 357-366. The rows of the wrist were read in an
    excerpt of their chapter in Fundamentals and Assessment Tools for Occupational Ergonomics
    (2006), table 43.2.

    Examples
    --------
    >>> from math import radians
    >>> from handik.people import luba
    >>> found = luba({"wrist extension": radians(50), "wrist ulnar deviation": radians(15)})
    >>> found.score, found.parts["wrist extension"]
    (10.0, 7.0)
    """
    if not isinstance(angles, Mapping) or not angles:
        raise TypeError(f"angles must be a mapping of motions to angles, got {angles!r}")
    bands, guessed = _own() if path is None else _read(Path(path_text("path", path)))
    if flag("unread", unread):
        guessed = guessed & set(angles)
    else:
        bands = {name: rows for name, rows in bands.items() if name not in guessed}
    read = {}
    for name, value in angles.items():
        if not (isinstance(name, str) and name in bands):
            if name in guessed:
                raise NotFoundError(
                    f"the bands of {name!r} were read in no source: unread=True takes them all the "
                    "same, path= a table of yours"
                )
            raise name_not_found("motion", name, bands)
        read[name] = reals(value, f"angles[{name!r}]", ())
        if ((read[name] < 0) | (read[name] > 2 * np.pi)).any():
            raise ArgumentError(f"{name} must be 0 to a full turn in radians, got {value!r}")
    shape = together(**{name: x.shape for name, x in read.items()})
    parts = {name: _score(bands[name], np.degrees(x)) for name, x in read.items()}
    total = sum(parts.values())
    given = {name.split()[0] for name in parts}
    return LubaScore(
        _shown(total, shape),
        {name: _shown(x, shape) for name, x in parts.items()},
        tuple(name for name in parts if name in guessed),
        tuple(joint for joint in _JOINTS if joint not in given),
    )


def _shown(x: Any, shape: tuple[int, ...]) -> Any:
    return float(x) if shape == () else np.broadcast_to(x, shape)


def _score(bands: list[tuple[float, float, float]], degrees: NDArray[np.float64]) -> Any:
    found = np.full(degrees.shape, bands[0][2])
    for over, _, value in bands[1:]:
        found = np.where(degrees > over + _ROUNDING, value, found)
    return found


def bands_of(motion: str) -> list[tuple[float, float, float]]:
    """Return the bands of a motion as handik has them: over, up to, degrees, and the score."""
    return _own()[0][motion]


@cache
def _own() -> tuple[Bands, set[str]]:
    return _read(Path(str(files("handik.data") / "people" / "luba.csv")))


def _read(path: Path) -> tuple[Bands, set[str]]:
    """Return the bands of each motion, from 0 and one after another, and which are unread."""
    head, *lines = csv_rows(path)
    lacking = set(_COLUMNS) - set(head)
    if lacking:
        raise ArgumentError(f"{path.name}: no column {sorted(lacking)[0]}")
    rows = [dict.fromkeys(head, "") | dict(zip(head, line, strict=False)) for line in lines]
    found: Bands = {}
    unread = {f"{row['joint']} {row['motion']}" for row in rows if row["trust"] == "unread"}
    for row in rows:
        try:
            low, value = float(row["over_deg"]), float(row["relative_discomfort"])
            high = float(row["up_to_deg"]) if row["up_to_deg"] else inf
        except (TypeError, ValueError):
            raise ArgumentError(f"{path.name}: {row} is not made of numbers") from None
        own = found.setdefault(f"{row['joint']} {row['motion']}", [])
        if not (low == (own[-1][1] if own else 0.0) and low < high and np.isfinite(value)):
            raise ArgumentError(
                f"{path.name}: the bands of {row['joint']} {row['motion']} do not follow each other"
            )
        own.append((low, high, value))
    if not found:
        raise ArgumentError(f"{path.name}: there is no row")
    return found, unread
