"""Recorded and made motions of any model: read, resample, smooth, blend, mirror, keep.

Metres, radians and seconds. It may import all that `handik.people` may.
"""

from __future__ import annotations

from handik.people.motion.motion import Motion

__all__ = ["Motion"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
