"""What the segments weigh: published shares on the skeleton of one person.

P. de Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, J Biomech 29 (1996):
share of the body's mass, place of the center between two landmarks, radii of gyration about the
axes forward, sideways and along, by sex.

R. Dumas, L. Cheze, J.-P. Verriest, Adjustments to McConville et al. and Young et al. body segment
inertial parameters, J Biomech 40 (2007): the same with centers beside the line between the joints
and products of inertia, in axes x forward, y up, z to the right of the anatomical posture.

Given standing joint centers, returned mass, center (standing, in the person's axes) and inertia of
each segment; the masses add up to the weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handik.people.skeleton._constants import constants, rows
from handik.people.skeleton._segments import SegmentParameters

__all__ = ["INERTIAS", "Segment", "segments", "slabs", "together"]

Array = NDArray[np.float64]

INERTIAS = ("de_leva", "dumas")
#: Mean foot lengths of ANSUR II, meters: Dumas' foot has a length of its own, which is scaled by
#: the person's foot over these (assumed).
_FOOT = {"female": 0.246, "male": 0.271}
#: Axes of Dumas' right segments as columns, in the person's: x forward, y up, z to the right. The
#: forearm and the hand are tabled with the palm ahead and hang with the palm inward.
_UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
_PALM_IN = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
_LEFT = np.diag([1.0, -1.0, 1.0])


@dataclass(frozen=True, slots=True)
class Segment:
    """Mass, center and inertia about it; the axes are the standing person's."""

    mass: float
    center: Array
    inertia: Array


def segments(
    source: str | SegmentParameters,
    sex: str,
    weight: float,
    at: Mapping[str, Array],
    landmarks: Mapping[str, Array],
) -> dict[str, list[Segment]]:
    """Return by link what it weighs: ``head``, ``trunk``, ``pelvis``, ``thigh_right`` and so on."""
    if source == "dumas":
        return _dumas(sex, weight, at, landmarks)
    if isinstance(source, SegmentParameters):
        table = source._of_sex(sex)
    else:
        table = {row["segment"]: row for row in rows("segments.csv") if row["sex"] == sex}
    found = _of_shares(table, constants(sex), weight, at, landmarks)
    trunk = {"trunk": [found.pop("upper_trunk"), found.pop("middle_trunk")]}
    found["pelvis"] = found.pop("lower_trunk")
    return trunk | {name: [part] for name, part in found.items()}


def _of_shares(
    table: Mapping[str, dict[str, str]],
    known: Mapping[str, float],
    weight: float,
    at: Mapping[str, Array],
    landmarks: Mapping[str, Array],
) -> dict[str, Segment]:
    """Segments by shares in the form of de Leva's."""
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
        high = landmarks[f"malleolus_{side}"] * [0, 0, 1]
        ends[f"foot_{side}"] = (
            landmarks[f"heel_{side}"] + known["heel_point_of_malleolus"] * high,
            landmarks[f"toe_tip_{side}"] + known["toe_point_of_malleolus"] * high,
        )
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


def _dumas(
    sex: str, weight: float, at: Mapping[str, Array], landmarks: Mapping[str, Array]
) -> dict[str, list[Segment]]:
    """Each segment from its origin, its axes leant so that y lies along the line to the end."""
    table = {row["segment"]: row for row in rows("segments_dumas.csv") if row["sex"] == sex}
    hips = 0.5 * (at["hip_right"] + at["hip_left"])
    ends = {
        "head": (at["C7_T1"], at["vertex"], 1.0),
        "trunk": (at["C7_T1"], at["L5_S1"], -1.0),
        "pelvis": (at["L5_S1"], hips * [1, 0, 1], 0.0),
    }
    for side in ("right", "left"):
        palm = 0.5 * (at[f"index_mcp_{side}"] + at[f"little_mcp_{side}"])
        for name, end in (("thigh", "knee"), ("shank", "ankle"), ("upper_arm", "elbow")):
            start = {"thigh": "hip", "shank": "knee", "upper_arm": "shoulder"}[name]
            ends[f"{name}_{side}"] = at[f"{start}_{side}"], at[f"{end}_{side}"], -1.0
        ends[f"forearm_{side}"] = at[f"elbow_{side}"], at[f"wrist_{side}"], -1.0
        ends[f"hand_{side}"] = at[f"wrist_{side}"], palm, -1.0
        foot = float(landmarks[f"toe_tip_{side}"][0] - landmarks[f"heel_{side}"][0])
        long = 1e-3 * float(table["foot"]["length_mm"]) * foot / _FOOT[sex]
        ends[f"foot_{side}"] = at[f"ankle_{side}"], at[f"ankle_{side}"] + [long, 0.0, 0.0], 0.0
    whole = sum(float(table[_kind(name)]["mass_share"]) for name in ends)
    return {
        name: [_turned(table[_kind(name)], *pair, weight / whole, name.endswith("_left"))]
        for name, pair in ends.items()
    }


def _turned(
    row: Mapping[str, str], origin: Array, end: Array, sense: float, weight: float, left: bool
) -> Segment:
    """One of Dumas' segments; `sense` says whether y points to the end, away, or stays upright."""
    mirror = _LEFT if left else np.eye(3)
    axes = _PALM_IN if row["segment"] in ("forearm", "hand") else _UPRIGHT
    along = mirror @ (end - origin)
    if sense:
        y = sense * along / np.linalg.norm(along)
        x = np.cross(y, axes[:, 2])
        x /= np.linalg.norm(x)
        axes = np.stack([x, y, np.cross(x, y)], axis=1)
    mass, length = weight * float(row["mass_share"]), float(np.linalg.norm(along))
    radii = {k: float(row[f"r_{k}"]) for k in ("xx", "yy", "zz", "xy", "xz", "yz")}
    square = {k: length**2 * np.sign(r) * r * r for k, r in radii.items()}
    tensor = np.array([[square["".join(sorted(a + b))] for b in "xyz"] for a in "xyz"])
    turn = mirror @ axes
    shift = length * np.array([float(row[f"center_{k}"]) for k in "xyz"])
    return Segment(mass, origin + turn @ shift, mass * turn @ tensor @ turn.T)


def together(parts: Sequence[Segment]) -> Segment:
    """Return several segments as one body."""
    mass = sum(p.mass for p in parts)
    center = sum((p.mass * p.center for p in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for p in parts:
        arm = p.center - center
        inertia += p.inertia + p.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Segment(mass, center, inertia)


def slabs(whole: Segment, heights: Array) -> list[Segment]:
    """Cut a segment into slabs one on another that weigh, balance and turn together as it does.

    `heights` are the levels between them, rising. The masses are those of largest entropy that have
    the segment's center and spread of height; the slabs lean as its products of inertia ask.
    """
    second = 0.5 * np.trace(whole.inertia) * np.eye(3) - whole.inertia
    second /= whole.mass  # E[d d^T] of the distance from the center
    thick = np.diff(heights)
    middle = 0.5 * (heights[1:] + heights[:-1]) - whole.center[2]
    share = _shares(middle, thick, float(second[2, 2]))
    lean = second[:, 2] / second[2, 2]
    level = second - second[2, 2] * np.outer(lean, lean)
    found = []
    for part, z, h in zip(share, middle, thick, strict=True):
        own, mass = level + h * h / 12 * np.outer(lean, lean), whole.mass * float(part)
        inertia = mass * (np.trace(own) * np.eye(3) - own)
        found.append(Segment(mass, whole.center + z * lean, inertia))
    return found


def _shares(middle: Array, thick: Array, spread: float) -> Array:
    """Shares of slabs with mean height 0 and this second moment: thick * exp(b z + c z^2)."""
    size = float(np.abs(middle).max())
    z, h2 = middle / size, (thick / size) ** 2 / 12
    moments = np.stack([z, z * z + h2])
    wanted, factors = np.array([0.0, spread / size**2]), np.zeros(2)
    for _ in range(60):
        # the dual is convex: Newton's steps, none longer than 1
        weight = thick * np.exp(factors @ moments - (factors @ moments).max())
        weight /= weight.sum()
        off = moments @ weight - wanted
        if np.abs(off).max() < 1e-14:
            break
        apart = moments - (moments @ weight)[:, None]
        step = np.linalg.solve((weight * apart) @ apart.T, off)
        factors -= step / max(1.0, float(np.abs(step).max()))
    return np.asarray(weight)
