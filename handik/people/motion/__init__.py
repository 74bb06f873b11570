"""Recorded and made motions of any model: read, resample, smooth, blend, mirror, keep.

Meters, radians and seconds. It may import all that `handik.people` may.
"""

from __future__ import annotations

from handik.people.motion.edit import Edited, lead
from handik.people.motion.library import Found, Library
from handik.people.motion.markers import MarkerFit, fit_markers
from handik.people.motion.motion import Motion
from handik.people.motion.retarget import Retargeted, retarget
from handik.people.motion.scaling import ScaleFit, scale_to_markers

__all__ = [
    "Edited",
    "Found",
    "Library",
    "MarkerFit",
    "Motion",
    "Retargeted",
    "ScaleFit",
    "fit_markers",
    "lead",
    "retarget",
    "scale_to_markers",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
