"""Ranges of motion: by named set of people, joint by joint, and level by level of the spine."""

from __future__ import annotations

from functools import cache

import numpy as np

from handik.people.skeleton._constants import rows

__all__ = ["REGIONS", "SETS", "SPINE_MOTIONS", "joint_ranges", "spine_levels"]

#: The sets of ranges; a joint that a set has no value for takes that of "adult".
SETS = ("adult", "men", "women", "older", "infant")
SPINE_MOTIONS = ("flexion", "bend", "turn")
#: Region of the spine -> its levels from below, of which the first is free and the others follow.
REGIONS = {
    "lumbar": ("L5_S1", "L4_L5", "L3_L4", "L2_L3", "L1_L2", "T12_L1"),
    "lower_thoracic": ("T11_T12", "T10_T11", "T9_T10", "T8_T9", "T7_T8", "T6_T7"),
    "upper_thoracic": ("T5_T6", "T4_T5", "T3_T4", "T2_T3", "T1_T2", "C7_T1"),
    "neck": ("C6_C7", "C5_C6", "C4_C5", "C3_C4", "C2_C3", "C1_C2", "C0_C1"),
}
#: Share of a level's flexion and extension that is flexion. [A]
_FLEXION = 0.65


@cache
def _all_ranges(people: str) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    for wanted in ("adult", people):
        for row in rows("joint_ranges.csv"):
            if row["set"] == wanted:
                found[row["joint"]] = (float(row["lower_deg"]), float(row["upper_deg"]))
    return found


def joint_ranges(people: str) -> dict[str, tuple[float, float]]:
    """Return the ranges of a set of people by motion, degrees."""
    return dict(_all_ranges(people))


@cache
def spine_levels(people: str) -> dict[str, dict[str, tuple[float, float]]]:
    """Return level -> motion -> lower and upper angle, degrees.

    Sums over the levels of the trunk and of the neck are capped by the whole trunk's and neck's
    ranges of the set of people: measured levels add up to more than measured trunks do.
    """
    levels = [level for region in REGIONS.values() for level in region]
    table = {row["level"]: row for row in rows("spine_ranges.csv")}
    columns = ("flexion_extension_deg", "bend_deg", "turn_deg")
    raw = np.array([[float(table[x][c] or "nan") for c in columns] for x in levels])
    for at, column in np.argwhere(np.isnan(raw)):
        near = raw[max(at - 2, 0) : at + 3, column]
        raw[at, column] = float(np.nanmean(near))
    whole = _all_ranges(people)
    found: dict[str, dict[str, tuple[float, float]]] = {level: {} for level in levels}
    neck = len(levels) - len(REGIONS["neck"])
    for part, rows_of in (("trunk", slice(0, neck)), ("neck", slice(neck, None))):
        for k, motion in enumerate(SPINE_MOTIONS):
            size, names = raw[rows_of, k], levels[rows_of]
            up, down = (_FLEXION, 1 - _FLEXION) if motion == "flexion" else (1.0, 1.0)
            lower, upper = whole[f"{part}_{motion}"]
            high = np.minimum(1.0, upper / (up * size.sum())) * up * size
            low = np.minimum(1.0, -lower / (down * size.sum())) * down * size
            for name, a, b in zip(names, low, high, strict=True):
                found[name][motion] = (-float(a), float(b))
    return found
