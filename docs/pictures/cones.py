"""The picture of docs/limits.md: ``python docs/pictures/cones.py``.

A quarter of the edges of cones in angles and in tangents, seen along the bone at rest: the distance
from the middle is the swing in degrees, the direction its azimuth.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import handik as hk

PAIRS = ((85, 20), (80, 40), (60, 30))


def main() -> None:
    """Write ``cones.svg``."""
    figure, axes = plt.subplots(1, len(PAIRS), figsize=(9, 3.2), layout="constrained")
    phi = np.linspace(0, np.pi / 2, 181)
    for ax, (a, b) in zip(axes, PAIRS, strict=True):
        ax.plot(a * np.cos(phi), b * np.sin(phi), color=hk.plot.COLORS[0], label="Cone")
        room = hk.ReachCone.from_tangents(np.radians([a, b, a, b]), corners=512)
        azimuth, swing = np.array(room.corners[:129]).T
        swing = np.degrees(swing)
        ax.plot(
            swing * np.cos(azimuth),
            swing * np.sin(azimuth),
            "--",
            color=hk.plot.COLORS[1],
            label='Cone(shape="tangent")',
        )
        ax.set(title=f"{a} and {b} degrees", xlabel="u, degrees", ylabel="v, degrees")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(Path(__file__).parent / "cones.svg")


if __name__ == "__main__":
    main()
