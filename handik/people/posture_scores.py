"""How a posture is rated by observers: RULA and REBA, with every sub-score.

Angles are radians, positive in flexion. All numbers may be arrays, which broadcast: a score is then
an array too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from importlib.resources import files
from inspect import signature
from pathlib import Path
from typing import Any, ParamSpec

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.files.read._file import read_bytes
from handik.files.read.toml import tables_of
from handik.spec._given import as_array, choice, no_degrees, path_text, reals, together

__all__ = ["PostureScore", "reba", "rula"]

Ints = NDArray[np.int64]
Given = ParamSpec("Given")
#: Bands by angle: lower end, upper end, score; and the tables.
Sheet = tuple[dict[str, list[list[float]]], dict[str, Ints]]

ANGLES = ("upper_arm", "elbow", "wrist", "neck", "trunk", "knee")
#: How well a load can be held, from 0 to 3.
GRIPS = ("good", "fair", "poor", "unacceptable")

#: Degrees by which an angle may be beyond the end of a band and still belongs to it: what turning
#: degrees to radians and back may add.
_ROUNDING = 1e-9

_RULA_LEVELS = (
    (2, "acceptable if not held or repeated for long"),
    (4, "investigate further; changes may be needed"),
    (6, "investigate and change soon"),
    (7, "investigate and change at once"),
)
_REBA_LEVELS = (
    (1, "negligible risk; no action"),
    (3, "low risk; action may be needed"),
    (7, "medium risk; action needed"),
    (10, "high risk; action needed soon"),
    (15, "very high risk; action needed now"),
)


@dataclass(frozen=True)
class PostureScore:
    """A rating of a posture and what it is made of.

    Attributes
    ----------
    method : str
        ``"RULA"`` or ``"REBA"``.
    score : int or ndarray of int
        The rating: RULA 1 to 7, REBA 1 to 15; larger is worse.
    level : int or ndarray of int
        Of action: RULA 1 to 4, REBA 0 to 4.
    parts : dict of str to int or ndarray of int
        The sub-scores in the order of the worksheet.
    """

    method: str
    score: Any
    level: Any
    parts: Mapping[str, Any]

    @property
    def meaning(self) -> Any:
        """What the method's authors say of such a score; a str, or an array of them."""
        first = 1 if self.method == "RULA" else 0
        words = np.array([text for _, text in _levels(self.method)])
        found = words[np.asarray(self.level) - first]
        return str(found) if np.ndim(found) == 0 else found

    def __str__(self) -> str:
        parts = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in self.parts.items())
        return f"{self.method} {self.score}: {self.meaning} ({parts})"


def _checked(method: Callable[Given, PostureScore]) -> Callable[Given, PostureScore]:
    """Give a method what its caller gave, looked through: angles, loads and flags as arrays."""

    @wraps(method)
    def checked(*args: Given.args, **given: Given.kwargs) -> PostureScore:
        signature(method).bind(*args, **given)  # Python's own words for names that are unknown
        found: dict[str, Any] = {name: _read(name, x) for name, x in given.items()}
        together(**{name: np.shape(x) for name, x in found.items()})
        return method(*args, **found)

    return checked


def _read(name: str, x: Any) -> Any:
    if name == "coupling":
        return choice(name, x, GRIPS)
    if name == "load":
        load = reals(x, name, ())
        if (load < 0).any():
            raise ArgumentError(f"a load in kilograms is not negative, got {x!r}")
        return load
    if name == "path":
        return None if x is None else path_text("path", x)
    if name in ANGLES:
        return _angle(name, x)
    flag = as_array(name, x)
    if flag.dtype.kind not in "biuf" or not np.isin(flag, (0, 1)).all():
        raise ArgumentError(f"{name} must be True or False, got {x!r}")
    return flag.astype(bool)


def _angle(name: str, x: ArrayLike) -> NDArray[np.float64]:
    angle = reals(x, name, ())
    if np.asarray(x).dtype.kind == "b":
        raise ArgumentError(f"{name} is an angle in radians, got {x!r}")
    no_degrees(name, float(np.max(np.abs(angle), initial=0.0)))
    return angle


@_checked
def rula(
    *,
    upper_arm: ArrayLike,
    elbow: ArrayLike,
    wrist: ArrayLike = 0.0,
    neck: ArrayLike = 0.0,
    trunk: ArrayLike = 0.0,
    shoulder_raised: ArrayLike = False,
    arm_abducted: ArrayLike = False,
    arm_supported: ArrayLike = False,
    arm_across_or_out: ArrayLike = False,
    wrist_deviated: ArrayLike = False,
    wrist_twisted: ArrayLike = False,
    neck_twisted: ArrayLike = False,
    neck_bent: ArrayLike = False,
    trunk_twisted: ArrayLike = False,
    trunk_bent: ArrayLike = False,
    trunk_supported: ArrayLike = False,
    legs_supported: ArrayLike = True,
    static_or_repeated: ArrayLike = False,
    load: ArrayLike = 0.0,
    load_static: ArrayLike = False,
    load_shock: ArrayLike = False,
    path: Any = None,
) -> PostureScore:
    """Rate a posture of the upper body by RULA.

    Parameters
    ----------
    upper_arm : array_like, shape (...)
        Flexion of the upper arm against the trunk, rad; negative backwards.
    elbow : array_like, shape (...)
        Flexion of the elbow from the straight arm, rad.
    wrist, neck, trunk : array_like, shape (...)
        Flexion, rad; negative is extension.
    shoulder_raised, arm_abducted : array_like of bool, shape (...)
        Each adds 1 to the upper arm.
    arm_supported : array_like of bool, shape (...)
        The arm's weight is supported, or the person leans: takes 1 off the upper arm.
    arm_across_or_out : array_like of bool, shape (...)
        The hand works across the midline or out to the side: adds 1 to the lower arm.
    wrist_deviated : array_like of bool, shape (...)
        Bent to a side: adds 1 to the wrist.
    wrist_twisted : array_like of bool, shape (...)
        The forearm is at or near the end of its range of twist.
    neck_twisted, neck_bent, trunk_twisted, trunk_bent : array_like of bool, shape (...)
        Twisted, or bent to a side: each adds 1.
    trunk_supported : array_like of bool, shape (...)
        Sitting, well supported, the hip-trunk angle 90 degrees or more: the trunk is 1 before what
        is added.
    legs_supported : array_like of bool, shape (...)
        Legs and feet are supported and balanced.
    static_or_repeated : array_like of bool, shape (...)
        Held for over a minute, or repeated four times a minute or more. (Some worksheets say ten
        minutes.)
    load : array_like, shape (...)
        Kilograms held or forced.
    load_static, load_shock : array_like of bool, shape (...)
        The load is held or repeated; it comes with a jerk.
    path : path, optional
        A TOML of your own with all bands and tables that ``handik/data/people/rula.toml`` has, as
        large as there. By default that one.

    Returns
    -------
    PostureScore
        Scores 1 to 7, levels 1 to 4.

    Raises
    ------
    ArgumentError
        When an angle or load is not finite, an angle more than a full turn, a load negative, a flag
        neither true nor false, or shapes do not fit each other.

    References
    ----------
    McAtamney and Corlett 1993, Applied Ergonomics 24(2), 91-99. The tables are those of public
    worksheets; ``handik/data/people/rula.toml`` says where these differ.

    Examples
    --------
    >>> import handik as hk
    >>> from math import radians
    >>> found = hk.people.rula(upper_arm=radians(50), elbow=radians(80), neck=radians(15))
    >>> found.score, found.level, found.parts["upper_arm"]
    (3, 2, 3)
    """
    bands, tables = sheet("rula", path)
    part = {
        "upper_arm": _band(bands, "upper_arm", upper_arm)
        + _one(shoulder_raised)
        + _one(arm_abducted)
        - _one(arm_supported),
        "lower_arm": _band(bands, "lower_arm", elbow) + _one(arm_across_or_out),
        "wrist": _band(bands, "wrist", np.abs(wrist)) + _one(wrist_deviated),
        "wrist_twist": 1 + _one(wrist_twisted),
    }
    part["upper_arm"] = np.maximum(part["upper_arm"], 1)
    upper, lower, hand = part["upper_arm"], part["lower_arm"], part["wrist"]
    part["posture_a"] = tables["a"][3 * upper + lower - 4, 2 * hand + part["wrist_twist"] - 3]
    part["neck"] = _band(bands, "neck", neck) + _one(neck_twisted) + _one(neck_bent)
    upright = _band(bands, "trunk", np.abs(trunk))
    part["trunk"] = np.where(trunk_supported, 1, upright) + _one(trunk_twisted) + _one(trunk_bent)
    part["legs"] = 2 - _one(legs_supported)
    part["posture_b"] = tables["b"][part["neck"] - 1, 2 * part["trunk"] + part["legs"] - 3]
    part["muscle_use"] = _one(static_or_repeated)
    part["load"] = _rula_load(load, load_static, load_shock)
    extra = part["muscle_use"] + part["load"]
    part["wrist_and_arm"] = part["posture_a"] + extra
    part["neck_trunk_and_legs"] = part["posture_b"] + extra
    score = tables["c"][
        np.minimum(part["wrist_and_arm"], 8) - 1, np.minimum(part["neck_trunk_and_legs"], 7) - 1
    ]
    return _result("RULA", score, part, first=1)


@_checked
def reba(
    *,
    neck: ArrayLike = 0.0,
    trunk: ArrayLike = 0.0,
    knee: ArrayLike = 0.0,
    upper_arm: ArrayLike,
    elbow: ArrayLike,
    wrist: ArrayLike = 0.0,
    neck_twisted_or_bent: ArrayLike = False,
    trunk_twisted_or_bent: ArrayLike = False,
    legs_unstable: ArrayLike = False,
    sitting: ArrayLike = False,
    load: ArrayLike = 0.0,
    load_shock: ArrayLike = False,
    arm_abducted_or_rotated: ArrayLike = False,
    shoulder_raised: ArrayLike = False,
    arm_supported: ArrayLike = False,
    wrist_deviated_or_twisted: ArrayLike = False,
    coupling: str = "good",
    static: ArrayLike = False,
    repeated: ArrayLike = False,
    rapid_or_unstable: ArrayLike = False,
    path: Any = None,
) -> PostureScore:
    """Rate a posture of the whole body by REBA.

    Parameters
    ----------
    neck, trunk, wrist : array_like, shape (...)
        Flexion, rad; negative is extension.
    knee : array_like, shape (...)
        Flexion, rad; not counted where `sitting`.
    upper_arm : array_like, shape (...)
        Flexion of the upper arm against the trunk, rad; negative backwards.
    elbow : array_like, shape (...)
        Flexion of the elbow from the straight arm, rad.
    neck_twisted_or_bent, trunk_twisted_or_bent : array_like of bool, shape (...)
        Each adds 1.
    legs_unstable : array_like of bool, shape (...)
        Weight on one leg, or an unstable posture: 2 for the legs instead of 1.
    sitting : array_like of bool, shape (...)
        Bent knees are then no strain.
    load : array_like, shape (...)
        Kilograms held or forced.
    load_shock : array_like of bool, shape (...)
        The load comes with a jerk: adds 1.
    arm_abducted_or_rotated, shoulder_raised : array_like of bool, shape (...)
        Each adds 1 to the upper arm.
    arm_supported : array_like of bool, shape (...)
        Takes 1 off the upper arm: supported, the person leans, or gravity helps.
    wrist_deviated_or_twisted : array_like of bool, shape (...)
        Adds 1 to the wrist.
    coupling : {"good", "fair", "poor", "unacceptable"}
        How well the load can be held.
    static, repeated, rapid_or_unstable : array_like of bool, shape (...)
        Held over a minute; small movements over four times a minute; rapid large changes of posture
        or an unstable base. Each adds 1.
    path : path, optional
        A TOML of your own with all bands and tables that ``handik/data/people/reba.toml`` has, as
        large as there. By default that one.

    Returns
    -------
    PostureScore
        Scores 1 to 15, levels 0 to 4.

    Raises
    ------
    ArgumentError
        When an angle or load is not finite, an angle more than a full turn, a load negative, a flag
        neither true nor false, `coupling` another word, or shapes do not fit each other.

    References
    ----------
    Hignett and McAtamney 2000, Applied Ergonomics 31(2), 201-205. The tables are those of public
    worksheets, which agree cell by cell.

    Examples
    --------
    >>> import handik as hk
    >>> from math import radians
    >>> found = hk.people.reba(trunk=radians(30), upper_arm=radians(60), elbow=radians(30), load=12)
    >>> found.score, found.meaning
    (4, 'medium risk; action needed')
    """
    bands, tables = sheet("reba", path)
    part = {
        "neck": _band(bands, "neck", neck) + _one(neck_twisted_or_bent),
        "trunk": _band(bands, "trunk", trunk) + _one(trunk_twisted_or_bent),
        "legs": 1 + _one(legs_unstable) + np.where(sitting, 0, _band(bands, "knee", knee)),
    }
    part["posture_a"] = tables["a"][5 * part["neck"] + part["trunk"] - 6, part["legs"] - 1]
    kilograms = np.asarray(load)
    part["load"] = (kilograms >= 5).astype(int) + (kilograms > 10) + _one(load_shock)
    part["score_a"] = part["posture_a"] + part["load"]
    part["upper_arm"] = np.maximum(
        _band(bands, "upper_arm", upper_arm)
        + _one(arm_abducted_or_rotated)
        + _one(shoulder_raised)
        - _one(arm_supported),
        1,
    )
    part["lower_arm"] = _band(bands, "lower_arm", elbow)
    part["wrist"] = _band(bands, "wrist", np.abs(wrist))
    part["wrist"] = part["wrist"] + _one(wrist_deviated_or_twisted)
    part["posture_b"] = tables["b"][
        6 * part["lower_arm"] + part["upper_arm"] - 7, part["wrist"] - 1
    ]
    part["coupling"] = np.asarray(GRIPS.index(coupling))
    part["score_b"] = part["posture_b"] + part["coupling"]
    part["score_c"] = tables["c"][
        np.minimum(part["score_a"], 12) - 1, np.minimum(part["score_b"], 12) - 1
    ]
    part["activity"] = _one(static) + _one(repeated) + _one(rapid_or_unstable)
    return _result("REBA", part["score_c"] + part["activity"], part, first=0)


def _rula_load(load: ArrayLike, static: ArrayLike, shock: ArrayLike) -> Ints:
    """0 below 2 kg, 1 to 10 kg, 2 beyond or held to 10 kg, 3 held beyond or with a jerk."""
    kilograms = np.asarray(load)
    held = np.asarray(static, bool)
    score = (kilograms >= 2).astype(int) + (kilograms > 10)
    return np.where(shock, 3, score + (held & (kilograms >= 2)))


def sheet(name: str, path: Any = None) -> Sheet:
    """Return the bands and the tables of a sheet, "rula" or "reba", or of a file that has such."""
    if path is None:
        return _own(name)
    where = Path(path_text("path", path))
    return _given(name, where.name, read_bytes(where))


@cache
def _own(name: str) -> Sheet:
    import tomllib

    read = tomllib.loads((files("handik.data") / "people" / f"{name}.toml").read_text("utf-8"))
    return read["bands"], {key: np.array(rows) for key, rows in read["tables"].items()}


@lru_cache(maxsize=8)
def _given(name: str, label: str, data: bytes) -> Sheet:
    """Return what a file says, once it has all that handik's has, as large as there."""
    read = tables_of(data, label, "worksheet")
    bands, tables = _own(name)
    own: dict[str, list[list[float]]] = {}
    for key, rows in bands.items():
        own[key] = _checked_bands(f"{label}: the bands of {key}", _of(read, "bands", key), rows)
    found: dict[str, Ints] = {}
    for key, table in tables.items():
        cells = _numbers(_of(read, "tables", key))
        whole = np.isfinite(cells).all() and (cells == np.round(cells)).all()
        if cells.shape != table.shape or not whole:
            raise ArgumentError(
                f"{label}: the table {key} must be {table.shape[0]} rows of {table.shape[1]} whole "
                "numbers"
            )
        low, high = (1, 7) if (name, key) == ("rula", "c") else (1, 12)
        if (cells < low).any() or (cells > high).any():
            raise ArgumentError(f"{label}: the table {key} must have scores of {low} to {high}")
        found[key] = cells.astype(int)
    return own, found


def _of(read: Any, part: str, key: str) -> Any:
    inner = read.get(part)
    return inner.get(key) if isinstance(inner, Mapping) else None


def _numbers(rows: Any) -> NDArray[np.float64]:
    """Return rows of numbers as an array; an empty one where they are anything else."""
    try:
        if all(type(x) in (int, float) for row in rows for x in row):
            return np.array(rows, float)
    except (TypeError, ValueError, OverflowError):  # no rows, uneven ones, numbers beyond all
        pass
    return np.empty(0)


def _checked_bands(what: str, rows: Any, known: list[list[float]]) -> list[list[float]]:
    """Return bands that leave no angle out, of the scores that the tables have room for."""
    table = _numbers(rows)
    if table.ndim != 2 or table.shape[1:] != (3,) or np.isnan(table).any():
        raise ArgumentError(f"{what} must be rows of lower end, upper end, score")
    scores = [int(row[2]) for row in known]
    if not np.isin(table[:, 2], range(min(scores), max(scores) + 1)).all():
        raise ArgumentError(f"{what} must have scores of {min(scores)} to {max(scores)}")
    reached = min(row[0] for row in known)  # 0 of bands that are of a size
    for low, high, _ in sorted(table.tolist()):
        if not low <= reached or not low <= high:
            break
        reached = max(reached, high)
    if not reached >= 180:
        raise ArgumentError(f"{what} leave out angles beyond {reached:g} degrees")
    return [[float(x) for x in row] for row in table.tolist()]


def _band(bands: Mapping[str, list[list[float]]], name: str, angle: ArrayLike) -> Ints:
    """Score angles by the bands of a sheet; on the edge of two the milder one holds."""
    degrees = np.degrees(angle)
    score = np.full(degrees.shape, 99)
    for low, high, value in bands[name]:
        inside = (degrees >= low - _ROUNDING) & (degrees <= high + _ROUNDING)
        score = np.where(inside & (value < score), int(value), score)
    return score


def _one(flag: ArrayLike) -> Ints:
    return np.asarray(flag, bool).astype(int)


def _levels(method: str) -> tuple[tuple[int, str], ...]:
    return _RULA_LEVELS if method == "RULA" else _REBA_LEVELS


def _result(method: str, score: Ints, parts: Mapping[str, Ints], first: int) -> PostureScore:
    ends = np.array([last for last, _ in _levels(method)])
    level = first + np.searchsorted(ends, score)
    shape = np.shape(score)

    def shown(x: Any) -> Any:
        return int(x) if shape == () else np.broadcast_to(x, shape)

    return PostureScore(method, shown(score), shown(level), {k: shown(v) for k, v in parts.items()})
