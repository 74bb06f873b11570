"""The picture of docs/human.md: ``python docs/pictures/rooms.py``.

Left, ranges of the hinges of the 21 degrees of freedom. Right, the room of the right shoulder: the
directions of the upper arm as seen from the person's right, the hanging arm in the middle, the
distance from it the elevation, forward to the right of the picture.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import handik as hk


def main() -> None:
    """Write ``rooms.svg``."""
    figure = plt.figure(figsize=(9, 4.6), layout="constrained")
    bars = figure.add_subplot(1, 2, 1)
    person = hk.human("male")
    hinges = [f for f in person.freedoms if f.joint == f.name and not f.name.endswith("left")]
    for k, f in enumerate(reversed(hinges)):
        low, high = np.degrees([f.lower, f.upper])
        bars.barh(k, high - low, left=low, height=0.6, color=hk.plot.COLORS[0])
    names = [f.name.removesuffix("_right").replace("_", " ") for f in reversed(hinges)]
    bars.set_yticks(range(len(hinges)), names)
    bars.axvline(0, color="0.4", lw=0.8)
    bars.set(xlabel="degrees", title="hinges", xlim=(-95, 165))
    polar = figure.add_subplot(1, 2, 2, projection="polar")
    joint = next(j for j in person.model.spec.joints if j.name == "shoulder_right")
    for k, people in enumerate(("adult", "older")):
        room = hk.human("male", ranges=people).model.ball_limits["shoulder_right"]
        plane, elevation = np.radians(np.mgrid[-180:181:1.0, 0:181:1.0])
        arm = np.stack(
            [
                np.sin(elevation) * np.sin(plane),
                -np.sin(elevation) * np.cos(plane),
                -np.cos(elevation),
            ],
            axis=-1,
        )
        x, y, z = np.moveaxis(arm @ joint.placement[:3, :3], -1, 0)
        outside = room.distance(np.stack([x, -y, -z], axis=-1))
        # forward to the right, sideways down: the angle of the picture is plane - 90 degrees
        polar.contour(
            plane - np.pi / 2, np.degrees(elevation), outside, levels=[0], colors=hk.plot.COLORS[k]
        )
        polar.plot([], [], color=hk.plot.COLORS[k], label=people)
    polar.plot([0], [0], "ko", ms=4)
    places = np.radians([0, 90, 180, 270])
    polar.set_xticks(places, ["forward", "across\nthe body", "backward", "sideways"])
    polar.tick_params(axis="x", pad=14)
    polar.set_rticks([45, 90, 135, 180])
    polar.set_title("right upper arm: elevation by plane")
    polar.legend(loc="lower left", bbox_to_anchor=(0.85, -0.05), frameon=False)
    figure.savefig(Path(__file__).parent / "rooms.svg", metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
