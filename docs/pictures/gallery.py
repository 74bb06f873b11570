"""The picture of docs/scenes.md: a person at the kitchen, an arm in its cell.

``python docs/pictures/gallery.py`` writes ``gallery.png`` beside it.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

import handik as hk

UPRIGHT = [1.0, 0.0, 0.0, 0.0]


def main() -> None:
    """Draw both scenes with who stands in them."""
    anna = hk.scene.Actor(human={"sex": "female", "stature": 1.62})
    arm = hk.scene.Actor("data:ur5", q=[0.2, -1.4, 1.6, -0.3, 1.5, 0.0])
    kitchen = hk.scene.gallery("kitchen").add("anna", anna, pose=([-0.95, 0.0, 0.55], UPRIGHT))
    cell = hk.scene.gallery("robot_cell").add("arm", arm)
    sheet = plt.figure(figsize=(11, 5))
    for k, (scene, view) in enumerate(((kitchen, (18.0, -108.0)), (cell, (24.0, 215.0)))):
        ax = sheet.add_subplot(1, 2, k + 1, projection="3d")
        hk.plot.scene(scene, bodies=True, view=view, ax=ax)
    sheet.tight_layout()
    sheet.savefig(Path(__file__).with_name("gallery.png"), dpi=80)


if __name__ == "__main__":
    main()
