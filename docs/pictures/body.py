"""Draw docs/pictures/body.png, the surface of three people: ``python docs/pictures/body.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import handik as hk

LIGHT, SKIN, VIEWS = np.array([0.5, 0.4, 0.75]), np.array([0.62, 0.68, 0.76]), (90, 35, 0, 180)


def draw(axes, surface, around: float, right: float, up: float) -> None:
    """Draw a surface from one side, far triangles first."""
    from matplotlib.collections import PolyCollection

    a = np.radians(around)
    to_eye, side = np.array([np.cos(a), np.sin(a), 0.12]), np.array([-np.sin(a), np.cos(a), 0.0])
    corners = surface.vertices[surface.faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    seen = normal @ to_eye > 0
    corners, normal = corners[seen], normal[seen]
    order = np.argsort(corners.mean(1) @ to_eye)
    corners, normal = corners[order], normal[order]
    above = np.cross(to_eye, side)
    shine = 0.4 + 0.6 * np.clip(
        0.3 + 0.7 * normal @ np.stack([side, above, to_eye], 1) @ LIGHT, 0, 1
    )
    colors = np.clip(shine[:, None] * SKIN * 1.15, 0, 1)
    flat = np.stack([corners @ side + right, corners @ above + up], -1)
    axes.add_collection(PolyCollection(flat, facecolors=colors, edgecolors=colors, linewidths=0.2))


def main() -> None:
    """Write the picture."""
    import matplotlib.pyplot as plt

    slim = hk.human(sex="female", percentile=(25, 10), position="standing")
    middle = hk.human(sex="male", percentile=50)
    heavy = hk.human(sex="male", stature=1.775, weight=115)
    reach = middle.posture(
        elbow_flexion_right=1.4, elbow_flexion_left=1.4, forearm_pronation_left=1.4
    )
    rows = [slim.surface(slim.rest), middle.surface(reach), heavy.surface(heavy.rest)]
    figure, axes = plt.subplots(figsize=(9, 12))
    for row, surface in enumerate(rows):
        for column, around in enumerate(VIEWS):
            draw(axes, surface, around, 0.95 * column, -1.65 * row)
    axes.set(xlim=(-0.6, 3.3), ylim=(-3.5, 1.75), aspect="equal")
    axes.axis("off")
    figure.tight_layout(pad=0)
    figure.savefig(Path(__file__).with_name("body.png"), dpi=60)


if __name__ == "__main__":
    main()
