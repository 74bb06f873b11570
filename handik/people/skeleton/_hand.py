"""The hand: where its joints lie, from hand length and breadth.

The hand hangs, the palm inward, the fingers straight: the fingers point down, the thumb's side is
in front. Link lengths are shares of hand length (B. Buchholz, T. J. Armstrong, S. A. Goldstein,
Anthropometric data for describing the kinematics of the human hand, Ergonomics 35 (1992)), scaled
so that wrist to middle fingertip is hand length; how the digits spread is assumed.
"""

from __future__ import annotations

from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from handik.people.skeleton._constants import rows

__all__ = ["DIGITS", "FINGERS", "THUMB", "hand_axes", "hand_points", "link_shares"]

Array = NDArray[np.float64]

FINGERS = ("index", "middle", "ring", "little")
DIGITS = ("thumb", *FINGERS)
#: Knuckle in front of the middle finger's, and carpometacarpal joint, in hand breadths. [A]
_FAN = {"index": (0.25, 0.15), "middle": (0.0, 0.0), "ring": (-0.25, -0.14)} | {
    "little": (-0.5, -0.27)
}
#: Where metacarpals start: share of their length from the wrist. [A]
_BASE = 0.3
#: Carpometacarpal joint of the thumb: in front and palmward in hand breadths, down in hand lengths.
_THUMB_BASE = (0.28, 0.12, 0.10)
#: The thumb at rest, unit: in front, palmward, down. [A]
THUMB = (0.57, 0.35, sqrt(1 - 0.57**2 - 0.35**2))


@cache
def link_shares() -> dict[str, dict[str, float]]:
    """Return digit -> link -> share of hand length, so scaled that the middle one's sum is 1."""
    shares: dict[str, dict[str, float]] = {digit: {} for digit in DIGITS}
    for row in rows("hand_links.csv"):
        shares[row["digit"]][row["link"]] = float(row["share"])
    whole = sum(shares["middle"].values())
    return {d: {link: s / whole for link, s in row.items()} for d, row in shares.items()}


def hand_axes(side: float) -> Array:
    """Return the rows front, palmward and down in world axes; `side` is the sign of y."""
    return np.array([[1.0, 0.0, 0.0], [0.0, -side, 0.0], [0.0, 0.0, -1.0]])


def hand_points(length: float, breadth: float, side: float) -> dict[str, Array]:
    """Return the hand's joints and tips, from the wrist, meters.

    Parameters
    ----------
    length, breadth : float
        Of the hand, meters.
    side : float
        -1 right, 1 left.

    Returns
    -------
    dict of str to ndarray (3,)
        ``index_cmc``, ``index_mcp``, ``index_pip``, ``index_dip``, ``index_tip`` and so on,
        ``thumb_cmc``, ``thumb_mcp``, ``thumb_ip``, ``thumb_tip``.
    """
    shares, points = link_shares(), {}
    for finger, (knuckle, base) in _FAN.items():
        link = shares[finger]
        out = knuckle * breadth
        at = [out, 0.0, sqrt((link["metacarpal"] * length) ** 2 - out**2)]
        points[f"{finger}_cmc"] = [base * breadth, 0.0, _BASE * at[2]]
        points[f"{finger}_mcp"] = list(at)
        for joint, bone in (("pip", "proximal"), ("dip", "middle"), ("tip", "distal")):
            at[2] += link[bone] * length
            points[f"{finger}_{joint}"] = list(at)
    front, palm, down = _THUMB_BASE
    thumb = np.array([front * breadth, palm * breadth, down * length])
    points["thumb_cmc"] = thumb.tolist()
    for joint, bone in (("mcp", "metacarpal"), ("ip", "proximal"), ("tip", "distal")):
        thumb = thumb + shares["thumb"][bone] * length * np.array(THUMB)
        points[f"thumb_{joint}"] = thumb.tolist()
    axes = hand_axes(side)
    return {name: np.array(p) @ axes for name, p in points.items()}
