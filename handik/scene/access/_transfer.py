"""Transfers from a wheelchair to a seat: a draw from what people in a study could do."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.spec._given import choice, finite_number, flag, whole_number

__all__ = ["Transfer", "transfer"]

Array = NDArray[np.float64]
BARS = ("none", "bar", "bar and backrest")
#: Meters, and the share who cross it; the share of 113 people who cannot beside an obstacle.
GAP, CROSS, BLOCKED = 0.089, 0.95, 0.42
#: Meters: the mean of the people's own seats, above which a seat is a matter of getting up to it
#: (assumed: theirs is no limit to anybody); the lowest seat that was tried.
OWN, LOWEST = 0.5613, 0.254
#: Percentiles that were printed; beyond them nothing is known but the rank.
RANKS = np.array([0.05, 0.25, 0.5, 0.75, 0.95])


@cache
def _printed() -> dict[tuple[str, str], Array]:
    text = (files("handik.data") / "scenes" / "transfers.csv").read_text("utf-8")
    found: dict[tuple[str, str], list[float]] = {}
    for row in csv.DictReader(text.splitlines()):
        found.setdefault((row["bars"], row["limit"]), []).append(float(row["height_mm"]) / 1000)
    return {key: np.array(rows) for key, rows in found.items()}


def _fail(height: float, bars: str) -> tuple[float, float]:
    """Return the least and the most share of people for whom a seat is too high or too low."""
    if height >= OWN:
        return _passed(height, _printed()[bars, "highest"])
    if height <= LOWEST:  # half to three quarters of the people stopped there or before
        return 0.5, 0.75 if height == LOWEST else 1.0
    rows = _printed()[bars, "lowest"]
    least, most = _passed(-height, -rows)
    tried = int(np.argmin(rows > LOWEST))  # whose limit is the lowest seat may get lower, too
    return (float(RANKS[tried - 1]) if height < rows[tried - 1] else least), most


def _passed(height: float, rows: Array) -> tuple[float, float]:
    """Return the share of people whose limit is below a height; `rows` has them at `RANKS`."""
    if height < rows[0]:
        return 0.0, float(RANKS[0])
    if height > rows[-1]:
        return float(RANKS[-1]), 1.0
    share = float(np.interp(height, rows, RANKS))
    return share, share


@dataclass(frozen=True)
class Transfer:
    """The share of people who get from their wheelchair to a seat. `transfer` makes it.

    Attributes
    ----------
    share : (float, float)
        Least and most: that share can, by what was measured. How height, gap and obstacle go
        together was not, so the two are apart where there is more than one.
    height : (float, float)
        The share for the height alone, likewise.
    why : str
        Which limits count, in words.

    Examples
    --------
    >>> import handik as hk
    >>> low, high = hk.access.transfer(0.7112).share
    >>> bool(low == high == 0.5)
    True
    """

    share: tuple[float, float]
    height: tuple[float, float]
    why: str

    def draw(self, count: int, *, seed: int = 0) -> NDArray[np.bool_]:
        """Draw people who can or cannot, with the middle of the share.

        Parameters
        ----------
        count : int
        seed : int

        Returns
        -------
        ndarray of bool (count,)

        Raises
        ------
        ArgumentError
            When a number is none.

        Notes
        -----
        It is a draw, no simulation: nothing of a person's arms, forces or technique is in it.

        Examples
        --------
        >>> import handik as hk
        >>> hk.access.transfer(0.7112).draw(4, seed=1).tolist()
        [False, False, True, False]
        """
        rng = np.random.default_rng(whole_number("seed", seed))
        middle = 0.5 * (self.share[0] + self.share[1])
        drawn: NDArray[np.bool_] = rng.random(whole_number("count", count, 10**8)) < middle
        return drawn


def transfer(
    height: float, *, gap: float = 0.0, bars: str = "none", obstacle: bool = False
) -> Transfer:
    """Tell which share of wheelchair users gets to a seat of some height by themselves.

    Parameters
    ----------
    height : float
        Of the seat, bed, car seat or bench above the floor, meters.
    gap : float
        Between the two seats, level, meters.
    bars : {"none", "bar", "bar and backrest"}
        What is there to hold.
    obstacle : bool
        Whether something beside the seat is in the way of the chair.

    Returns
    -------
    Transfer

    Raises
    ------
    ArgumentError
        When a value is none of these.

    Notes
    -----
    It is read off the percentiles of the highest seat, above 0.5613 m, or else of the lowest seat
    that people of a transfer study reached, straight lines between them
    (``handik/data/scenes/transfers.csv``); that height is the mean of their own seats. Beyond the
    printed 5 and 95 percent only bounds are known. Wider gaps than 89 mm were crossed by fewer than
    95 %: nothing else is known of them. 254 mm was the lowest seat that was tried: how many of
    those who got there would have got lower is not known, so the line to it is the least. It is a
    draw from a study, not a simulation of forces; the people were volunteers who transfer by
    themselves.

    References
    ----------
    A. Koontz, M. Toro and others, transfer study, phase 2, US Access Board: table 9.

    Examples
    --------
    >>> import handik as hk
    >>> for height in (0.46, 0.56, 0.75):
    ...     print(height, [round(end, 2) for end in hk.access.transfer(height).share])
    0.46 [0.69, 0.69]
    0.56 [0.94, 0.94]
    0.75 [0.37, 0.37]
    """
    level, off = finite_number("height", height), finite_number("gap", gap)
    choice("bars", bars, BARS)
    if not 0.05 <= level <= 1.5:
        raise ArgumentError(f"height must be 0.05 to 1.5 m, got {level:g}")
    if not 0 <= off <= 2:
        raise ArgumentError(f"gap must be 0 to 2 m, got {off:g}")
    fails = _fail(level, bars)
    alone = 1 - fails[1], 1 - fails[0]
    said = [f"a seat {1e3 * level:.0f} mm high, {'nothing' if bars == 'none' else bars} to hold"]
    shares = [alone]
    if off > 0:
        wide = off > GAP
        shares.append((0.0, CROSS) if wide else (CROSS, 1.0))
        said.append(f"a gap {'over' if wide else 'up to'} 89 mm")
    if flag("obstacle", obstacle):
        shares.append((1 - BLOCKED, 1 - BLOCKED))
        said.append("an obstacle beside it, which 42 % of 113 people could not get past")
    least = max(sum(share[0] for share in shares) - (len(shares) - 1), 0.0)
    most = min(share[1] for share in shares)
    return Transfer((least, most), alone, "; ".join(said))
