"""The scene that the application is measured with."""

from __future__ import annotations

import numpy as np

from handik.app import App
from handik.scene import Box, Scene


def furnished(count: int) -> App:
    """Return a person, a target, and objects about her."""
    rng = np.random.default_rng(0)
    scene = Scene()
    for k in range(count):
        turn, far = rng.uniform(0, 2 * np.pi), rng.uniform(1.2, 4.0)
        place = [far * np.cos(turn), far * np.sin(turn), rng.uniform(0, 2)]
        scene = scene.add(f"box {k}", Box([0.1, 0.1, 0.1]), (place, [1, 0, 0, 0]))
    app = App(scene)
    app.do("person.add", sex="female", stature=1.62)
    app.do("node.transform", node="person", pose=[0, 0, 0, 1, 0, 0, 0])
    app.do("target.set", at=[0.4, -0.3, 1.0])
    app.do("solve.collisions", collisions=True)
    return app
