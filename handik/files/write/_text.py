"""What writers share: numbers that are read back bit for bit, angles, and names in XML."""

from __future__ import annotations

from collections.abc import Iterable
from math import atan2, sqrt
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from handik.errors import UnsupportedError, shortened
from handik.spec import JointSpec

__all__ = ["figures", "inertia_cells", "rpy", "settle", "swing_lost", "xml_name"]


def figures(values: Iterable[float]) -> str:
    """Return numbers in a row, each the shortest that is read back bit for bit."""
    return " ".join(repr(float(value)) for value in values)


def xml_name(name: str) -> str:
    """Return a name as a quoted attribute.

    Raises
    ------
    UnsupportedError
        For signs that XML has not, and for white space at an end, which readers take off.
    """
    if any(ord(sign) < 32 or 0xD800 <= ord(sign) < 0xE000 for sign in name) or name != name.strip():
        raise UnsupportedError(f"the name {name!r} cannot be written in XML")
    return quoteattr(name)


def rpy(placement: Any) -> tuple[float, float, float]:
    """Return the angles of Rz(yaw) Ry(pitch) Rx(roll), exact in gimbal lock too."""
    r = np.asarray(placement, dtype=float)
    across = sqrt(r[0, 0] ** 2 + r[1, 0] ** 2)
    pitch = atan2(-r[2, 0], across)
    yaw = atan2(r[1, 0], r[0, 0])
    # Roll from what is left after yaw and pitch, so that an ill-defined yaw does no harm.
    c, s = np.cos(yaw), np.sin(yaw)
    roll = atan2(s * r[0, 2] - c * r[1, 2], c * r[1, 1] - s * r[0, 1])
    return roll, pitch, yaw


def inertia_cells(inertia: Any) -> list[tuple[str, float]]:
    """Return the six numbers of an inertia by the names that URDF and SDF have for them."""
    axes = [(row, column) for row in range(3) for column in range(row, 3)]
    return [(f"i{'xyz'[r]}{'xyz'[c]}", float(np.asarray(inertia)[r, c])) for r, c in axes]


def swing_lost(joint: JointSpec) -> str:
    """Return what a file loses of a joint that follows the swing of a ball."""
    followed = "" if joint.mimic is None else repr(joint.mimic.joint)
    return f"that joint {joint.name!r} follows the swing of {followed}: it moves on its own there"


def settle(form: str, found: list[str], lost: list[str] | None) -> None:
    """Hand over what is lost, or refuse it when nobody asked for the list.

    Parameters
    ----------
    form : str
        The format, for the sentence.
    found : list of str
        What the format cannot hold.
    lost : list or None
        The caller's list, which takes it.

    Raises
    ------
    UnsupportedError
        When something is lost and there is no list.

    Examples
    --------
    >>> lost = []
    >>> settle("URDF", ["the chosen tip"], lost)
    >>> lost
    ['the chosen tip']
    """
    if not (lost is None or isinstance(lost, list)):
        raise TypeError(f"lost must be a list, got {shortened(lost)}")
    if lost is not None:
        lost.extend(found)
    elif found:
        more = f" (and {len(found) - 4} more)" if len(found) > 4 else ""
        raise UnsupportedError(
            f"{form} cannot hold: {'; '.join(found[:4])}{more}. Give a list as `lost` to write it "
            "without"
        )
