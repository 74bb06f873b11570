"""Ranges of motion: by named set of people, joint by joint, and level by level of the spine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from handik.errors import ArgumentError, name_not_found
from handik.people._tables import cell_number, csv_table
from handik.people.skeleton._constants import rows
from handik.spec._given import path_text, text

__all__ = [
    "REGIONS",
    "SETS",
    "SPINE_MOTIONS",
    "Ranges",
    "joint_ranges",
    "joint_rows",
    "level_rows",
    "spine_levels",
]

#: The sets of ranges; a joint that a set has no value for takes that of "adult".
SETS = ("adult", "men", "women", "older", "infant")
SPINE_MOTIONS = ("flexion", "bend", "turn")
#: Region of the spine -> its levels from below, of which the first is free and the others follow.
REGIONS = {
    "lumbar": ("L5_S1", "L4_L5", "L3_L4", "L2_L3", "L1_L2", "T12_L1"),
    "lower_thoracic": ("T11_T12", "T10_T11", "T9_T10", "T8_T9", "T7_T8", "T6_T7"),
    "upper_thoracic": ("T5_T6", "T4_T5", "T3_T4", "T2_T3", "T1_T2", "C7_T1"),
    "neck": ("C6_C7", "C5_C6", "C4_C5", "C3_C4", "C2_C3", "C1_C2", "C0_C1"),
}
#: Share of a level's flexion and extension that is flexion. [A]
_FLEXION = 0.65


#: Between what the ends of a range must lie, degrees: the corners of the shoulder's room between
#: its planes are assumed for shoulders about as free.
_ENDS = {
    "shoulder_flexion": ((-90.0, -25.0), (150.0, 190.0)),
    "shoulder_abduction": ((-90.0, 0.0), (150.0, 190.0)),
}
_HOLDS_ZERO = ("trunk_", "neck_", "shoulder_plane", "shoulder_axial")
_JOINT = ("joint", "lower_deg", "upper_deg", "trust", "source")
_LEVEL = ("level", "flexion_extension_deg", "bend_deg", "turn_deg", "trust", "source")


@dataclass(frozen=True, repr=False)
class Ranges:
    """Ranges of motion of your own, for ``hk.human(ranges=...)``; `Ranges.read` makes it.

    Attributes
    ----------
    name : str
        Of the file, and of the set in it.
    """

    name: str
    _joints: tuple[tuple[str, ...], ...]
    _levels: tuple[tuple[str, ...], ...] = ()

    def __repr__(self) -> str:
        return f"Ranges({self.name}: {len(self._joints)} joints, {len(self._levels)} levels)"

    @classmethod
    def read(
        cls, path: str | Path, *, set: str | None = None, spine: str | Path | None = None
    ) -> Ranges:
        """Read ranges of motion.

        Parameters
        ----------
        path : path
            A CSV with the columns ``joint, lower_deg, upper_deg, trust, source``, as handik's
            ``joint_ranges.csv``. Joints that are not in it have the range of ``"adult"``.
        set : str, optional
            Which rows, by the column ``set``; needed where the file has several sets.
        spine : path, optional
            A CSV with the columns ``level, flexion_extension_deg, bend_deg, turn_deg, trust,
            source``, as handik's ``spine_ranges.csv``; levels that are not in it are handik's.

        Returns
        -------
        Ranges
            It holds what the files said: changes of them are read by reading again.

        Raises
        ------
        NotFoundError
            When there is no such set, joint or level.
        ArgumentError
            When a column is missing, a joint is there twice, a number is none, a range is empty or
            more than a turn, trunk, neck or shoulder cannot be at zero, or a shoulder is less free
            than the room of its ball is made for: flexion -25 to 150, abduction 150 degrees.
        MissingFileError
            When there is no such file.
        ReadError
            When it is no file, or cannot be opened.

        Notes
        -----
        Shoulders that move less are an impairment's (`handik.people.impairments`): it narrows the
        room in all directions, where the corners here would stay.

        Examples
        --------
        >>> import handik as hk
        >>> from importlib.resources import files
        >>> path = files("handik.data") / "people" / "joint_ranges.csv"  # or a file of yours
        >>> person = hk.human(ranges=hk.people.Ranges.read(path, set="older"))
        >>> elbow = next(f for f in person.freedoms if f.name == "elbow_flexion_left")
        >>> round(elbow.upper / hk.deg(1)), elbow.trust
        (143, 'yes')
        """
        file = Path(path_text("path", path))
        table = csv_table(file, _JOINT)
        name = file.name
        if set is not None or "set" in table[0]:
            table = _of_set(file, table, set)
            name = f"{file.name}, {table[0]['set']}"
        joints = _cells(file, table, _JOINT, joint_rows("adult"))
        for row in table:
            _check_range(file, row)
        if spine is None:
            return cls(name, joints)
        other = Path(path_text("spine", spine))
        levels = csv_table(other, ("level", "trust", "source"))
        found = _cells(other, levels, _LEVEL, level_rows("adult"))
        for row in levels:
            _check_level(other, row)
        return cls(name, joints, found)


def _of_set(path: Path, table: list[dict[str, str]], wanted: str | None) -> list[dict[str, str]]:
    if "set" not in table[0]:
        raise ArgumentError(f"{path.name}: no column set")
    sets = sorted({row["set"] for row in table})
    if wanted is None and len(sets) > 1:
        raise ArgumentError(f"{path.name} has several sets, {', '.join(sets)}: say which by set=")
    if wanted is not None and text("set", wanted) not in sets:
        raise name_not_found(f"set of {path.name}", wanted, sets)
    return [row for row in table if row["set"] == (wanted or sets[0])]


def _cells(
    path: Path, table: list[dict[str, str]], columns: tuple[str, ...], known: Mapping[str, object]
) -> tuple[tuple[str, ...], ...]:
    """Return the rows by their cells; the first column names them."""
    names = [row[columns[0]] for row in table]
    for name in names:
        if name not in known:
            raise name_not_found(f"{columns[0]} of {path.name}", name, known)
        if names.count(name) > 1:
            raise ArgumentError(f"{path.name}: two rows of {name}")
    if lacking := [column for column in columns if column not in table[0]]:
        raise ArgumentError(f"{path.name}: no column {lacking[0]}")
    return tuple(tuple(row[column] for column in columns) for row in table)


def _check_range(path: Path, row: dict[str, str]) -> None:
    joint = row["joint"]
    low, high = (cell_number(path, joint, row, f"{end}_deg") for end in ("lower", "upper"))
    where = f"{path.name}: {joint} from {low:g} to {high:g} degrees"
    if not -360 <= low < high <= 360:
        raise ArgumentError(f"{where}: lower_deg must be less than upper_deg, both within a turn")
    if joint.startswith(_HOLDS_ZERO) and not low < 0 < high:
        raise ArgumentError(f"{where} does not hold 0, where it rests")
    least, most = _ENDS.get(joint, ((-360.0, 360.0), (-360.0, 360.0)))
    if not (least[0] <= low <= least[1] and most[0] <= high <= most[1]):
        raise ArgumentError(
            f"{where}: lower_deg must be {least[0]:g} to {least[1]:g} and upper_deg {most[0]:g} to "
            f"{most[1]:g}; a shoulder that moves less is an impairment's (profile=)"
        )


def _check_level(path: Path, row: dict[str, str]) -> None:
    for column in _LEVEL[1:4]:
        if row[column]:
            value = cell_number(path, row["level"], row, column)
            if not 0 < value <= 180:
                where = f"{path.name}: {row['level']}, {column}"
                raise ArgumentError(f"{where}: {value:g} is not above 0 and at most 180")


def joint_rows(people: str | Ranges) -> dict[str, dict[str, str]]:
    """Return by joint the row with its range, trust and source."""
    found: dict[str, dict[str, str]] = {}
    for wanted in ("adult", people):
        found |= {row["joint"]: row for row in rows("joint_ranges.csv") if row["set"] == wanted}
    if isinstance(people, Ranges):
        found |= {own[0]: dict(zip(_JOINT, own, strict=True)) for own in people._joints}
    return found


def level_rows(people: str | Ranges) -> dict[str, dict[str, str]]:
    """Return by level of the spine the row with its ranges, trust and source."""
    found = {row["level"]: row for row in rows("spine_ranges.csv")}
    if isinstance(people, Ranges):
        found |= {own[0]: dict(zip(_LEVEL, own, strict=True)) for own in people._levels}
    return found


@lru_cache(maxsize=32)
def _all_ranges(people: str | Ranges) -> dict[str, tuple[float, float]]:
    return {
        joint: (float(row["lower_deg"]), float(row["upper_deg"]))
        for joint, row in joint_rows(people).items()
    }


def joint_ranges(people: str | Ranges) -> dict[str, tuple[float, float]]:
    """Return the ranges of a set of people by motion, degrees."""
    return dict(_all_ranges(people))


@lru_cache(maxsize=32)
def spine_levels(people: str | Ranges) -> dict[str, dict[str, tuple[float, float]]]:
    """Return level -> motion -> lower and upper angle, degrees.

    Sums over the levels of the trunk and of the neck are capped by the whole trunk's and neck's
    ranges of the set of people: measured levels add up to more than measured trunks do.
    """
    levels = [level for region in REGIONS.values() for level in region]
    table = level_rows(people)
    columns = ("flexion_extension_deg", "bend_deg", "turn_deg")
    raw = np.array([[float(table[x][c] or "nan") for c in columns] for x in levels])
    for at, column in np.argwhere(np.isnan(raw)):
        near = raw[max(at - 2, 0) : at + 3, column]
        raw[at, column] = float(np.nanmean(near))
    whole = _all_ranges(people)
    found: dict[str, dict[str, tuple[float, float]]] = {level: {} for level in levels}
    neck = len(levels) - len(REGIONS["neck"])
    for part, rows_of in (("trunk", slice(0, neck)), ("neck", slice(neck, None))):
        for k, motion in enumerate(SPINE_MOTIONS):
            size, names = raw[rows_of, k], levels[rows_of]
            up, down = (_FLEXION, 1 - _FLEXION) if motion == "flexion" else (1.0, 1.0)
            lower, upper = whole[f"{part}_{motion}"]
            high = np.minimum(1.0, upper / (up * size.sum())) * up * size
            low = np.minimum(1.0, -lower / (down * size.sum())) * down * size
            for name, a, b in zip(names, low, high, strict=True):
                found[name][motion] = (-float(a), float(b))
    return found
