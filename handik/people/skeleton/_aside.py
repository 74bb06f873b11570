"""How far a person's arms rest aside: until forearm and hand are beside the body, not in it.

The body is as broad as the tape has it at waist, hips and thighs, and so is the seat; the arm is as
thick as its girths, and the resting fingers bend toward the body. So the angle follows from a
person's own dimensions, and no arm rests further aside than it must.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi, radians, sin

import numpy as np
from numpy.typing import NDArray

from handik.people.dimensions import Dimensions
from handik.people.skeleton._centers import sitting

__all__ = ["arms_aside", "room_beside"]

Array = NDArray[np.float64]

#: Meters between arm and body. [assumption]
CLEAR = 0.026
#: Meters between such an arm and flesh that goes aside as a person sits down: capsules are rounder.
#: [assumption]
BESIDE = 0.03
#: By how much half the built body is broader at the chest than half the calliper's breadth, at the
#: waist of who sits, and the round capsules at the hips of who stands. [assumption]
BROADER = {"chest": 0.03, "waist": 0.01, "hip": 0.025}
#: Above a waist that is deeper than this share of the chest's depth the trunk is rounder.
#: [assumption]
BELLY = 0.96
#: Relaxed girth over that of the flexed arm. [assumption]
RELAXED = 0.96
#: Along the hand from the wrist, as shares of its length, and how far inward the palm, the thumb
#: and the bent fingers reach, as shares of it too; on the mesh at rest. [assumption]
_HAND = ((0.15, 0.13), (0.45, 0.17), (0.6, 0.30), (0.85, 0.30))
#: Radians by which the angle is searched, and how many such steps at most.
_STEP, _STEPS = radians(0.5), 80


def _half_breadths(d: Dimensions, at: Mapping[str, Array], seated: bool) -> tuple[Array, Array]:
    """Return heights of who stands and half the breadth of the body there, meters."""
    hip, side = at["hip_right"][2], abs(float(at["hip_right"][1]))
    waist, chest = d["waist_height_omphalion"], d["chest_height"]
    rows = [(chest, 0.5 * d["chest_breadth"] + BROADER["chest"]), (waist, 0.5 * d["waist_breadth"])]
    if seated:  # who sits is as broad as the seat, and that goes on down
        rows[1] = (waist, rows[1][1] + BROADER["waist"])
        half = 0.5 * d["hip_breadth_sitting"]
        seat = hip - sitting(d).hip_above_seat
        rows += [(min(seat + 0.2, 0.5 * (seat + waist)), half), (0.0, half)]
    else:
        thigh, knee = (d[f"{k}_circumference"] / (2 * pi) for k in ("thigh", "lower_thigh"))
        half = 0.5 * d["hip_breadth"] + BROADER["hip"]
        rows += [(d["buttock_height"], half), (hip - 0.03, half)]
        rows += [(min(d["crotch_height"], hip - 0.06) - 0.012, side + thigh)]
        rows += [(at["knee_right"][2], side + knee), (0.0, 0.0)]
    belly = d["waist_depth"] - BELLY * d["chest_depth"]
    if belly > 0:  # of heavy men
        ribs = waist + 0.4 * (chest - waist)
        line = np.interp(ribs, (waist, chest), (rows[1][1], rows[0][1]))
        rows.append((ribs, float(line) + 0.5 * belly))
    heights, halves = np.array(sorted(rows)).T
    return heights, halves


def _inner_side(d: Dimensions, at: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return points on the inner side of the hanging arm below the elbow, meters.

    How far from the shoulder, and how far inward of the line from there to the wrist.
    """
    upper, whole = (
        float(np.linalg.norm(at[f"{end}_right"] - at["shoulder_right"]))
        for end in ("elbow", "wrist")
    )
    thick = RELAXED * d["forearm_circumference_flexed"] / (2 * pi)
    slim = d["wrist_circumference"] / (2 * pi)
    share = np.linspace(-0.1, 1.0, 12)  # the flesh begins above the joint
    radius = np.where(share < 0.5, thick, thick + (slim - thick) * (2 * share - 1))
    along, inward = np.array(_HAND).T * d["hand_length"]
    return np.r_[upper + share * (whole - upper), whole + along], np.r_[radius, inward]


def room_beside(d: Dimensions, at: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return heights of who stands and half of how broad a trunk is at most between resting arms.

    Of a person who sits, meters, rising; `at` are standing joint centers. No broader than the hips.
    """
    along, inward = _inner_side(d, at)
    shoulder, angle = at["shoulder_left"], arms_aside(d, at, True)
    aside = shoulder[1] + along * sin(angle) - inward * cos(angle) - BESIDE
    z = shoulder[2] - along * cos(angle) - inward * sin(angle)
    order = np.argsort(z)
    z = np.r_[z[order], d["chest_height"]]
    half = np.r_[aside[order], 0.5 * d["chest_breadth"] + BROADER["chest"]]
    return z, np.minimum(half, 0.5 * d["hip_breadth_sitting"])


def arms_aside(d: Dimensions, at: Mapping[str, Array], seated: bool) -> float:
    """Return the abduction of a person's arms at rest, radians; `at` are standing joint centers."""
    heights, halves = _half_breadths(d, at, seated)
    along, inward = _inner_side(d, at)
    shoulder = at["shoulder_left"]

    def clear(*angles: float) -> NDArray[np.bool_]:
        s, c = np.array([(sin(angle), cos(angle)) for angle in angles]).T[:, :, None]
        aside = shoulder[1] + along * s - inward * c
        z = shoulder[2] - along * c - inward * s
        return np.asarray((aside >= np.interp(z, heights, halves) + CLEAR).all(1))

    steps = clear(*(k * _STEP for k in range(_STEPS)))
    high = (int(steps.argmax()) if steps.any() else _STEPS) * _STEP
    low = max(high - _STEP, 0.0)
    for _ in range(20):  # the angle itself: it has no steps from person to person
        middle = 0.5 * (low + high)
        low, high = (low, middle) if clear(middle)[0] else (middle, high)
    return high
