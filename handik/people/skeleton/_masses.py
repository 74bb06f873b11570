"""What the segments weigh: de Leva's shares on the skeleton of one person.

P. de Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, J Biomech 29 (1996):
share of the body's mass, place of the center between two landmarks, radii of gyration about the
axes forward, sideways and along, by sex. Given standing joint centers, returned mass, center
(standing, in the person's axes) and inertia of each segment; the masses add up to the weight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handik.people.skeleton._constants import rows

__all__ = ["Segment", "segments"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Segment:
    """Mass, center and inertia about it; the axes are the standing person's."""

    mass: float
    center: Array
    inertia: Array


def segments(
    sex: str, weight: float, at: Mapping[str, Array], landmarks: Mapping[str, Array]
) -> dict[str, Segment]:
    """Return the segments by name: ``head``, ``upper_trunk``, ``thigh_right`` and so on."""
    table = {row["segment"]: row for row in rows("segments.csv") if row["sex"] == sex}
    middle = 0.5 * (at["hip_right"] + at["hip_left"])
    navel = np.array([at["T12_L1"][0], 0.0, landmarks["omphalion"][2]])
    neck = np.array([at["C7_T1"][0], 0.0, at["cervicale"][2]])
    upper, lower = (float(table[f"{x}_trunk"]["length_mm"]) for x in ("upper", "middle"))
    xiphoid = neck + upper / (upper + lower) * (navel - neck)
    ends = {
        "head": (at["vertex"], neck),
        "upper_trunk": (neck, xiphoid),
        "middle_trunk": (xiphoid, navel),
        "lower_trunk": (navel, middle),
    }
    for side in ("right", "left"):
        ends[f"upper_arm_{side}"] = at[f"shoulder_{side}"], at[f"elbow_{side}"]
        ends[f"forearm_{side}"] = at[f"elbow_{side}"], at[f"wrist_{side}"]
        ends[f"hand_{side}"] = at[f"wrist_{side}"], at[f"middle_tip_{side}"]
        ends[f"thigh_{side}"] = at[f"hip_{side}"], at[f"knee_{side}"]
        ends[f"shank_{side}"] = at[f"knee_{side}"], landmarks[f"malleolus_{side}"]
        ends[f"foot_{side}"] = landmarks[f"heel_{side}"], landmarks[f"toe_tip_{side}"]
    whole = sum(float(table[_kind(name)]["mass_share"]) for name in ends)  # 1 but for rounding
    return {name: _segment(name, table, pair, weight / whole) for name, pair in ends.items()}


def _kind(name: str) -> str:
    return name.removesuffix("_right").removesuffix("_left")


def _segment(
    name: str, table: Mapping[str, dict[str, str]], ends: tuple[Array, Array], weight: float
) -> Segment:
    row = table[_kind(name)]
    first, last = ends
    mass, along = weight * float(row["mass_share"]), last - first
    length = float(np.linalg.norm(along))
    forward, sideways, axial = (length * float(row[f"radius_{x}"]) for x in "xyz")
    radii = [axial, sideways, forward] if row["segment"] == "foot" else [forward, sideways, axial]
    center = first + float(row["center_share"]) * along
    return Segment(mass, center, mass * np.diag(np.square(radii)))
