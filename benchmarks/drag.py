"""Updates a second of a figure that is dragged: each a step of `hk.plan.Drag` to where the hand is next, on a circle of 10 cm.

Processor time of this thread, the calls from Python among it. With ``--scene`` the figures keep out of a kitchen, and of
themselves, by proofs of each step.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import handik as hk


def updates(figure: Any, frame: str, mode: str, count: int, scene: hk.Scene | None) -> str:
    """Return how many steps a second are made, and how many reach the hand."""
    model = getattr(figure, "model", figure)
    body = None if scene is None else figure
    hold = hk.plan.Drag(model, frame, q0=figure.rest, mode=mode, scene=scene, figure=body)
    place, met = hold.point.copy(), 0
    turns = np.arange(count) / 100
    ways = 0.05 * np.stack([np.sin(turns), 1 - np.cos(turns), 0 * turns], axis=1)
    begun = time.thread_time()
    for way in ways:
        met += hold.to(place + way).converged
    each = (time.thread_time() - begun) / count
    return f"{1 / each:,.0f} updates a second, {met} of {count} reach the hand"


def main() -> None:
    """Print a line for each figure and mode."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks drag", description=__doc__)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--scene", action="store_true")
    given = parser.parse_args()
    room = hk.scene.gallery("kitchen") if given.scene else None
    person = hk.human(sex="female", stature=1.62)
    figures = [("person", person, "hand_right")]
    if room is None:
        figures.insert(0, ("ur5", hk.data("ur5"), "link_6"))
    for name, figure, frame in figures:
        for mode in ("least change", "fabrik", "ccd"):
            said = updates(figure, frame, mode, given.steps, room)
            print(f"{name:7} {mode:13} {said}", flush=True)


if __name__ == "__main__":
    main()
