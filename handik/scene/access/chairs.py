"""Wheelchairs seen from above: outline with feet and taper, and the place of the axle."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from statistics import NormalDist
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.spec._given import choice, finite_number, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Chair", "chair"]

SEATED = ("manual", "rear", "mid", "front", "scooter")
#: Of people on foot no size was measured: it is given.
ON_FOOT = ("walker", "crutches")
KINDS = (*SEATED, *ON_FOOT)
#: Assumed: where the driven axle is (share of the length, from the back), where the taper begins
#: (likewise) and how wide the feet are, meters (0: no taper).
_ASSUMED = {
    "manual": (0.30, 0.65, 0.40),
    "rear": (0.30, 0.65, 0.40),
    "mid": (0.45, 0.65, 0.40),
    "front": (0.65, 0.65, 0.40),
    "scooter": (0.20, 1.0, 0.0),
    "walker": (0.30, 1.0, 0.0),
    "crutches": (0.50, 1.0, 0.0),
}
_LEAST, _MOST = 0.2, 3.0


@dataclass(frozen=True)
class Chair:
    """An occupied wheelchair seen from above. `chair` draws one from measurements.

    Its pose is that of the middle of its driven axle, x forward; of a person on foot that of the
    place about which they turn.

    Parameters
    ----------
    kind : {"manual", "rear", "mid", "front", "scooter", "walker", "crutches"}
        Pushed by hand; powered, by its driven wheels; a scooter; or a person on foot with a walker
        or crutches.
    width, length : float
        With hands and feet, meters.
    axle : float
        From the back end to the axle, meters.
    feet : float
        Width of the front end, meters, at most `width`.
    taper : float
        From the back end to where the outline begins to narrow, meters; `length` for none.
    known : mapping of str to str
        How each size came: ``"given"``, ``"drawn"`` or ``"assumed"``.

    Raises
    ------
    ArgumentError
        When a size is out of bounds.

    Examples
    --------
    >>> import handik as hk
    >>> chair = hk.access.Chair("manual", 0.65, 1.2, 0.4, 0.4, 0.8)
    >>> chair.outline.round(3).tolist()[:2]
    [[-0.4, -0.325], [0.4, -0.325]]
    """

    kind: str
    width: float
    length: float
    axle: float
    feet: float
    taper: float
    known: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        choice("kind", self.kind, KINDS)
        sizes = {"width": _MOST, "length": _MOST, "axle": self.length, "feet": self.width}
        for name, most in {**sizes, "taper": self.length}.items():
            least = _LEAST if name in ("width", "length") else 0.0
            value = finite_number(name, getattr(self, name))
            if not least <= value <= finite_number(name, most):
                raise ArgumentError(f"{name} must be {least:g} to {most:g} m, got {value:g}")
            object.__setattr__(self, name, value)
        if self.feet < 0.01:
            raise ArgumentError(f"feet must be 0.01 m or more, got {self.feet:g}")
        try:
            known = dict(self.known)
        except (TypeError, ValueError):
            raise ArgumentError("known must be a mapping of names to words") from None
        object.__setattr__(self, "known", MappingProxyType(known))

    def __reduce__(self) -> tuple[type[Chair], tuple[object, ...]]:
        """Pickle by the sizes."""
        sizes = (self.kind, self.width, self.length, self.axle, self.feet, self.taper)
        return Chair, (*sizes, dict(self.known))

    @property
    def outline(self) -> NDArray[np.float64]:
        """Its corners about the axle, counterclockwise, convex: (4 or 6, 2), meters."""
        back, front, half = -self.axle, self.length - self.axle, self.width / 2
        right = [[back, -half]]
        if self.taper in (0.0, self.length) or self.feet == self.width:
            right += [[front, -(self.feet if self.taper == 0 else self.width) / 2]]
        else:
            right += [[self.taper - self.axle, -half], [front, -self.feet / 2]]
        return np.array([*right, *([x, -y] for x, y in reversed(right))])

    @property
    def dimensions(self) -> dict[str, tuple[float, str]]:
        """Each size with how it came: given, drawn or assumed."""
        names = ("width", "length", "axle", "feet", "taper")
        return {name: (getattr(self, name), self.known.get(name, "given")) for name in names}


#: Percent at either end of which nothing is drawn: some four spreads.
TAIL = 0.01


@cache
def _measured() -> dict[tuple[str, str], tuple[float, float]]:
    """Return p95 and spread of each kind's sizes."""
    with (files("handik.data") / "scenes" / "chairs.csv").open(encoding="utf-8") as text:
        return {
            (row["kind"], row["what"]): (float(row["p95"]), float(row["sd"]))
            for row in csv.DictReader(text)
        }


def chair(
    kind: str = "manual",
    *,
    percentile: float | None = None,
    seed: int | None = None,
    width: float | None = None,
    length: float | None = None,
    axle: float | None = None,
) -> Chair:
    """Make an occupied wheelchair of measured size.

    Parameters
    ----------
    kind : {"manual", "rear", "mid", "front", "scooter", "walker", "crutches"}
        Rear, mid and front are powered, by their driven wheels. With a walker or crutches a person
        is on foot; no size of theirs was measured, so `width` and `length` must be given.
    percentile : float, optional
        Of width and of length alike, 0.01 to 99.99; the median by default.
    seed : int, optional
        Instead: draw width and length, each by itself.
    width, length : float, optional
        Occupied, meters: instead of measured ones.
    axle : float, optional
        From the back end, meters.

    Returns
    -------
    Chair

    Raises
    ------
    ArgumentError
        When a value is none of these, both a percentile and a seed are given, or a size of a person
        on foot is not.

    Notes
    -----
    Width and length are normal with the 95th percentile that was measured and a spread that is
    **assumed** (0.06 and 0.10 m): only the percentile was in the report. Where the axle is, where
    the outline narrows and how wide the feet are is assumed too; `Chair.dimensions` tells.

    References
    ----------
    Anthropometry of Wheeled Mobility Project, final report, IDeA Center, Buffalo 2010.

    Examples
    --------
    >>> import handik as hk
    >>> round(hk.access.chair("manual", percentile=95).width, 3)
    0.786
    """
    choice("kind", kind, KINDS)
    if percentile is not None and seed is not None:
        raise ArgumentError("give a percentile or a seed, not both")
    if kind in ON_FOOT:
        if width is None or length is None or percentile is not None or seed is not None:
            raise ArgumentError(
                f"no size of people with {kind} was measured: give width and length"
            )
        whole = finite_number("length", length)
        place = _ASSUMED[kind][0] * whole if axle is None else finite_number("axle", axle)
        how = {"axle": "assumed" if axle is None else "given"}
        return Chair(kind, width, whole, place, width, whole, how)
    share = 50.0 if percentile is None else finite_number("percentile", percentile)
    if not TAIL <= share <= 100 - TAIL:  # nothing is known of how sizes are spread beyond
        raise ArgumentError(f"percentile must be {TAIL:g} to {100 - TAIL:g}, got {share:g}")
    z = np.full(2, NormalDist().inv_cdf(share / 100))
    if seed is not None:
        z = np.random.default_rng(whole_number("seed", seed)).standard_normal(2).clip(-4, 4)
    row = kind if kind in ("manual", "scooter") else "powered"
    size, known = {}, {"axle": "assumed", "feet": "assumed", "taper": "assumed"}
    for k, (name, value) in enumerate({"width": width, "length": length}.items()):
        p95, spread = _measured()[row, name]
        drawn = p95 + spread * (float(z[k]) - NormalDist().inv_cdf(0.95))
        size[name] = drawn if value is None else finite_number(name, value)
        known[name] = "drawn" if value is None else "given"
    place, narrow, feet = _ASSUMED[kind]
    if axle is not None:
        known["axle"] = "given"
    return Chair(
        kind,
        size["width"],
        size["length"],
        place * size["length"] if axle is None else finite_number("axle", axle),
        min(feet, size["width"]) if feet else size["width"],
        narrow * size["length"],
        known,
    )
