"""The shoulder rhythm as a table: how clavicle and shoulder blade turn with the arm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from handik.errors import ArgumentError
from handik.people._tables import cell_number, csv_table
from handik.people.skeleton._constants import rows
from handik.spec._given import path_text

__all__ = ["ANGLES", "ShoulderRhythm", "regression_of"]

#: Of clavicle and shoulder blade.
ANGLES = ("Cy", "Cz", "Sy", "Sz", "Sx")
#: Column -> how large its numbers may be: degrees, and degrees or shares a degree.
_MOST = {"constant_deg": 90.0, "by_plane": 1.0, "by_elevation": 1.0} | {
    "rest_share": 1.0,
    "rest_deg": 90.0,
}

#: Angle -> value at rest, and change by degree of plane and of elevation.
Regression = dict[str, tuple[float, float, float]]


@dataclass(frozen=True, repr=False)
class ShoulderRhythm:
    """A shoulder rhythm of your own, for ``hk.human(rhythm=...)``; `ShoulderRhythm.read` makes it.

    Attributes
    ----------
    name : str
        Of the file.
    """

    name: str
    _rows: tuple[tuple[str, float, float, float], ...]

    def __repr__(self) -> str:
        return f"ShoulderRhythm({self.name})"

    @classmethod
    def read(cls, path: str | Path) -> ShoulderRhythm:
        """Read a regression of the angles of clavicle and shoulder blade on those of the arm.

        Parameters
        ----------
        path : path
            A CSV with the columns ``angle, constant_deg, by_plane, by_elevation, rest_share,
            rest_deg, trust, source`` and the five rows of handik's ``shoulder_rhythm.csv``: an
            angle is its constant, so many degrees for each degree of the arm's plane and elevation,
            and a share of what it is while the arm hangs.

        Returns
        -------
        ShoulderRhythm
            It holds what the file said.

        Raises
        ------
        ArgumentError
            When a column or an angle is missing, there twice or unknown, a number is none, an angle
            beyond 90 degrees, or a share or change a degree beyond 1.
        MissingFileError
            When there is no such file.
        ReadError
            When it is no file, or cannot be opened.

        Notes
        -----
        The reaches that a tape takes come out with it as they do with handik's: what it leaves is
        the person's own give of the shoulder, at most 10 cm in each direction.

        Examples
        --------
        >>> import handik as hk
        >>> from importlib.resources import files
        >>> path = files("handik.data") / "people" / "shoulder_rhythm.csv"  # or a file of yours
        >>> hk.human(rhythm=hk.people.ShoulderRhythm.read(path)).rhythm
        ShoulderRhythm(shoulder_rhythm.csv)
        """
        file = Path(path_text("path", path))
        table = csv_table(file, ("angle", *_MOST, "trust", "source"))
        names = [row["angle"] for row in table]
        if sorted(names) != sorted(ANGLES):
            raise ArgumentError(
                f"{file.name}: its angles must be {', '.join(ANGLES)}, each once, "
                f"got {', '.join(names)}"
            )
        for row in table:
            for column, most in _MOST.items():
                value = cell_number(file, row["angle"], row, column)
                if abs(value) > most:
                    raise ArgumentError(
                        f"{file.name}: {row['angle']}, {column}: {value:g} is beyond {most:g}"
                    )
        return cls(file.name, tuple(_of_row(row) for row in table))


def _of_row(row: dict[str, str]) -> tuple[str, float, float, float]:
    rest = float(row["constant_deg"]) + float(row["rest_share"]) * float(row["rest_deg"])
    return row["angle"], rest, float(row["by_plane"]), float(row["by_elevation"])


@lru_cache(maxsize=8)
def regression_of(own: ShoulderRhythm | None) -> Regression:
    """Return the angles of a rhythm, by default of handik's."""
    table = [_of_row(row) for row in rows("shoulder_rhythm.csv")] if own is None else own._rows
    return {name: (rest, plane, elevation) for name, rest, plane, elevation in table}
