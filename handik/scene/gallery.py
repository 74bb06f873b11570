"""Scenes that come with handik, made by code from sizes with their sources."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import NamedTuple, overload

from handik.errors import ArgumentError
from handik.scene import _places_to_be, _rooms
from handik.scene.document import Scene
from handik.spec._given import finite_number, known_name, whole_number

__all__ = ["Size", "gallery", "sizes"]

#: How many there may be of what is counted.
MOST_COUNTED = 64
#: Meters: no size of the gallery is less or more.
LEAST, MOST = 1e-3, 50.0


class Size(NamedTuple):
    """A size of a scene of the gallery.

    Attributes
    ----------
    value : float
        Meters, or a number of things.
    unit : str
        ``"m"`` or ``"count"``.
    trust : str
        ``read`` in its source, ``secondary`` (in a copy), ``memory`` (to be checked before any
        claim rests on it) or ``assumed``.
    source : str
        Where it comes from.
    """

    value: float
    unit: str
    trust: str
    source: str


_MADE: dict[str, Callable[[dict[str, float]], Scene]] = {
    "bathroom": _rooms.bathroom,
    "bus_stop": _places_to_be.bus_stop,
    "car": _places_to_be.car,
    "cash_machine": _places_to_be.cash_machine,
    "counter": _places_to_be.counter,
    "flat": _rooms.flat,
    "kitchen": _rooms.kitchen,
    "lift": _places_to_be.lift,
    "office": _rooms.office,
    "robot_cell": _places_to_be.robot_cell,
    "shop": _places_to_be.shop,
}


@cache
def _table() -> dict[str, dict[str, Size]]:
    text = (files("handik.data") / "scenes" / "sizes.csv").read_text("utf-8")
    found: dict[str, dict[str, Size]] = {}
    for row in csv.DictReader(text.splitlines()):
        value, unit = float(row["value"]), row["unit"]
        known = (value / 1000, "m") if unit == "mm" else (value, unit)
        found.setdefault(row["scene"], {})[row["size"]] = Size(*known, row["trust"], row["source"])
    return found


def sizes(name: str) -> dict[str, Size]:
    """Return the sizes that a scene of the gallery is made with, each with its source.

    Parameters
    ----------
    name : str
        One of `gallery`.

    Returns
    -------
    dict of str to Size
        By the keyword of `gallery` that changes it.

    Raises
    ------
    NotFoundError
        When there is no such scene.

    Examples
    --------
    >>> import handik as hk
    >>> hk.scene.sizes("bathroom")["seat_height"].value
    0.46
    """
    return dict(_table()[known_name("scene", name, _MADE)])


@overload
def gallery() -> tuple[str, ...]: ...
@overload
def gallery(name: str, **sizes: float) -> Scene: ...
def gallery(name: str | None = None, **sizes: float) -> tuple[str, ...] | Scene:
    """Return a scene that comes with handik, or the names of all.

    Parameters
    ----------
    name : str, optional
        Of the scene; None: their names are asked for.
    **sizes : float
        Those of `sizes` that shall be others, meters; of what is counted, a number.

    Returns
    -------
    Scene or tuple of str
        The scene, its things tagged and its targets named; or the names.

    Raises
    ------
    NotFoundError
        When there is no such scene, or no such size of it.
    ArgumentError
        When a size is none that things have.

    Notes
    -----
    The numbers, how each is known and its source are in ``handik/data/scenes/sizes.csv``. Many are
    assumed: a scene of the gallery is an example, no rule.

    Examples
    --------
    >>> import handik as hk
    >>> hk.scene.gallery("kitchen", counter_height=0.8).find(kind="target")[0]
    'counter/left/handle/grip'
    """
    if name is None:
        if sizes:
            raise ArgumentError("sizes are those of one scene: give its name")
        return tuple(sorted(_MADE))
    known = _table()[known_name("scene", name, _MADE)]
    values = {key: size.value for key, size in known.items()}
    for key, value in sizes.items():
        known_name(f"size of {name!r}", key, known)
        if known[key].unit == "count":
            values[key] = whole_number(key, value, MOST_COUNTED)
        else:
            values[key] = finite_number(key, value)
            if not LEAST <= values[key] <= MOST:
                raise ArgumentError(f"{key} must be {LEAST:g} to {MOST:g} m, got {value:g}")
    return _MADE[name](values)
