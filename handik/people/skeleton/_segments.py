"""Shares of the segments of your own: masses, centers and radii of gyration from a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from handik.errors import ArgumentError, name_not_found
from handik.people._tables import cell_number, csv_table
from handik.people.skeleton._constants import rows
from handik.people.survey import SEXES
from handik.spec._given import path_text

__all__ = ["SegmentParameters"]

_SHARES = ("mass_share", "center_share", "radius_x", "radius_y", "radius_z")
_COLUMNS = ("segment", "sex", "proximal", "distal", *_SHARES, "length_mm", "trust", "source")
#: Segments of which there is one; of the others there are two.
_ONE = ("head", "upper_trunk", "middle_trunk", "lower_trunk")
#: The trunk: where they meet is read, and they are cut into vertebrae.
_CUT = ("upper_trunk", "middle_trunk")
#: By how much shares may add up to more or less than the body.
_ROUNDED = 0.05


@dataclass(frozen=True, repr=False)
class SegmentParameters:
    """Body segment parameters of your own, for ``hk.human(inertia=...)``.

    `SegmentParameters.read` makes them.

    Attributes
    ----------
    name : str
        Of the file.
    """

    name: str
    _rows: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        sexes = [sex for sex in SEXES if any(row[1] == sex for row in self._rows)]
        return f"SegmentParameters({self.name}: {', '.join(sexes)})"

    @classmethod
    def read(cls, path: str | Path) -> SegmentParameters:
        """Read body segment parameters.

        Parameters
        ----------
        path : path
            A CSV with the columns ``segment, sex, proximal, distal, mass_share, center_share,
            radius_x, radius_y, radius_z, length_mm, trust, source`` and the ten segments of
            handik's ``segments.csv``, of one sex or both: shares of the body's mass, of the way
            from the proximal to the distal end, and radii of gyration about the axes forward,
            sideways and along as shares of that way. The ends are those of handik's table (de
            Leva's); where upper and middle trunk meet, their ``length_mm`` says.

        Returns
        -------
        SegmentParameters
            They hold what the file said. Masses are scaled so that they add up to the weight.

        Raises
        ------
        NotFoundError
            When there is no such segment.
        ArgumentError
            When a column or a segment is missing, or there twice; a number is none, a share is not
            between 0 and 1; the masses of a sex are more than 5 % off the body's; the ends are
            others; or no body has the radii: one moment is beyond the sum of the two others, or a
            segment is spread along as far as masses at its ends alone, of the trunk half as far.
        MissingFileError
            When there is no such file.
        ReadError
            When it is no file, or cannot be opened.

        Examples
        --------
        >>> import handik as hk
        >>> from importlib.resources import files
        >>> path = files("handik.data") / "people" / "segments.csv"  # or a file of yours
        >>> mine = hk.people.SegmentParameters.read(path)
        >>> mine
        SegmentParameters(segments.csv: female, male)
        >>> hk.human(inertia=mine).measure("weight") == hk.human().measure("weight")
        True
        """
        file = Path(path_text("path", path))
        table = csv_table(file, [name for name in _COLUMNS if name != "length_mm"])
        if "length_mm" not in table[0]:
            raise ArgumentError(f"{file.name}: no column length_mm")
        if unknown := [row["sex"] for row in table if row["sex"] not in SEXES]:
            raise ArgumentError(f"{file.name}: sex must be one of {SEXES}, got {unknown[0]!r}")
        for sex in SEXES:
            some = [row for row in table if row["sex"] == sex]
            if some:
                _check(file, sex, some)
        return cls(file.name, tuple(tuple(row[name] for name in _COLUMNS) for row in table))

    def _of_sex(self, sex: str) -> dict[str, dict[str, str]]:
        """Return the cells of a sex by segment and column."""
        found = {
            row[0]: dict(zip(_COLUMNS, row, strict=True)) for row in self._rows if row[1] == sex
        }
        if not found:
            raise ArgumentError(f"{self.name} has no segments of sex {sex}")
        return found


def _check(path: Path, sex: str, table: list[dict[str, str]]) -> None:
    ours = {row["segment"]: row for row in rows("segments.csv") if row["sex"] == sex}
    names = [row["segment"] for row in table]
    for name in names:
        if name not in ours:
            raise name_not_found(f"segment of {path.name}", name, ours)
        if names.count(name) > 1:
            raise ArgumentError(f"{path.name}: two rows of {name} ({sex})")
    if lacking := [name for name in ours if name not in names]:
        raise ArgumentError(f"{path.name}: no row of {lacking[0]} ({sex})")
    for row in table:
        _check_row(path, row, ours[row["segment"]])
    whole = sum((1 if row["segment"] in _ONE else 2) * float(row["mass_share"]) for row in table)
    if abs(whole - 1) > _ROUNDED:
        raise ArgumentError(
            f"{path.name}: the mass shares add up to {whole:.4g} ({sex}), with arms and legs "
            "twice; they must to 1, but for rounding"
        )


def _check_row(path: Path, row: Mapping[str, str], ours: Mapping[str, str]) -> None:
    name = f"{row['segment']} ({row['sex']})"
    for end in ("proximal", "distal"):
        if row[end] != ours[end]:
            raise ArgumentError(
                f"{path.name}: {name}, {end}: {row[end]!r}, but shares are taken from "
                f"{ours['proximal']} to {ours['distal']}"
            )
    for column in _SHARES:
        value = cell_number(path, name, row, column)
        if not 0 < value < 1:
            raise ArgumentError(f"{path.name}: {name}, {column}: {value:g} is not between 0 and 1")
    if row["segment"] in _CUT:
        length = cell_number(path, name, row, "length_mm")
        if length <= 0:
            raise ArgumentError(f"{path.name}: {name}, length_mm: {length:g} is not above 0")
    x, y, z = (float(row[f"radius_{axis}"]) ** 2 for axis in "xyz")
    if 2 * max(x, y, z) >= x + y + z:
        raise ArgumentError(
            f"{path.name}: {name}: no body has these radii, one's square is not less than the sum "
            "of the other two"
        )
    center = float(row["center_share"])
    spread, most = (x + y - z) / 2, center * (1 - center)  # of a mass at the ends alone
    if spread > (0.5 * most if row["segment"] in _CUT else most):
        raise ArgumentError(
            f"{path.name}: {name}: by its radii it is spread along by {spread**0.5:.3g} of its "
            "length, which does not fit between its ends"
        )
