"""Draw docs/pictures/body.png, four people as they are seen: ``python docs/pictures/body.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import handik as hk

FINER = 3  # pixels to one of the picture
LIGHT, VIEWS = np.array([0.5, 0.4, 0.75]), (90, 35, 0, 180)


def draw(axes, seen, around: float, right: float, up: float) -> None:
    """Draw a clothed surface from one side, far triangles first."""
    from matplotlib.collections import PolyCollection

    a = np.radians(around)
    to_eye, side = np.array([np.cos(a), np.sin(a), 0.12]), np.array([-np.sin(a), np.cos(a), 0.0])
    corners, color = seen.vertices[seen.faces], seen.colors[seen.part]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    smooth = np.zeros_like(seen.vertices)
    for k in range(3):
        np.add.at(smooth, seen.faces[:, k], across)
    normal = smooth[seen.faces].sum(1)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    shown = across @ to_eye > 0
    corners, normal, color = corners[shown], normal[shown], color[shown]
    order = np.argsort(corners.mean(1) @ to_eye)
    corners, normal, color = corners[order], normal[order], color[order]
    above = np.cross(to_eye, side)
    shine = 0.45 + 0.6 * np.clip(
        0.3 + 0.7 * normal @ np.stack([side, above, to_eye], 1) @ LIGHT, 0, 1
    )
    colors = np.clip(shine[:, None] * color * 1.15, 0, 1)
    flat = np.stack([corners @ side + right, corners @ above + up], -1)
    look = {"facecolors": colors, "edgecolors": colors, "linewidths": 0.3, "antialiased": False}
    axes.add_collection(PolyCollection(flat, **look))


def main() -> None:
    """Write the picture."""
    import matplotlib.pyplot as plt

    slim = hk.human(sex="female", percentile=(25, 10), position="standing")
    middle = hk.human(sex="male", percentile=50)
    heavy = hk.human(sex="male", stature=1.775, weight=115)
    mary = hk.human(sex="female", percentile=50)
    bent = middle.posture(
        elbow_flexion_right=1.4, elbow_flexion_left=1.4, forearm_pronation_left=1.4
    )
    lap = heavy.posture(elbow_flexion_right=1.2, elbow_flexion_left=1.2)
    reach = mary.model.solve(position=[0.45, -0.25, 1.35], frame="hand_right", q0=mary.rest).q
    rows = [
        slim.surface(slim.rest),
        middle.surface(bent, clothes={"hair": (0.1, 0.08, 0.07), "shirt": (0.25, 0.5, 0.4),
                                      "trousers": (0.25, 0.25, 0.28), "shoes": (0.3, 0.2, 0.15)}),
        heavy.surface(lap),
        mary.surface(reach, clothes={"hair": (0.45, 0.3, 0.15), "shirt": (0.65, 0.3, 0.3),
                                     "trousers": (0.3, 0.35, 0.45), "shoes": (0.2, 0.2, 0.2)}),
    ]  # fmt: skip
    figure, axes = plt.subplots(figsize=(9, 15))
    for row, surface in enumerate(rows):
        for column, around in enumerate(VIEWS):
            draw(axes, surface.clothed, around, 0.95 * column, -1.6 * row)
    axes.set(xlim=(-0.72, 3.4), ylim=(-4.95, 1.75), aspect="equal")
    axes.axis("off")
    figure.tight_layout(pad=0)
    figure.set_dpi(60 * FINER)
    figure.canvas.draw()
    seen = np.asarray(figure.canvas.buffer_rgba())[..., :3] / 255
    high, wide = (k // FINER * FINER for k in seen.shape[:2])
    seen = seen[:high, :wide].reshape(high // FINER, FINER, wide // FINER, FINER, 3).mean((1, 3))
    plt.imsave(Path(__file__).with_name("body.png"), seen)


if __name__ == "__main__":
    main()
