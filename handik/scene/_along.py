"""What a figure takes along, for pictures: drawn on its links, and no longer in the scene."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.scene._look import Piece, model_of, seen, triangles
from handik.scene.check._carried import holders, holds_of
from handik.scene.contents import Actor
from handik.scene.shapes import Plane
from handik.spec.transforms import inverse

if TYPE_CHECKING:
    from handik.scene.document import Scene

__all__ = ["posed", "taken_along"]

Array = NDArray[np.float64]


def taken_along(scene: Scene, figure: Any) -> tuple[Scene, list[Piece]]:
    """Return a scene without a figure that stands in it and what follows its frames, and this.

    The scene as it is, and nothing, where no node is this figure in this place.
    """
    model = model_of(figure)
    mine = holders(scene, model)
    if not mine:
        return scene, []
    frames = {frame.name: frame for frame in model.spec.frames}
    on: dict[str, tuple[str, Array]] = {}  # the link that each is on, and the way back to it
    loose = []
    for path in scene:
        hold = next((one for one in holds_of(scene, path) if one[0] in mine), None)
        if hold is None:
            continue
        actor, frame = hold
        follows = scene[path].attached
        if follows is not None and (follows.to, follows.frame) == hold:
            loose.append(path)
        at, link = np.asarray(model.fk(mine[actor], frame=frame)), frame
        if frame in frames:
            at, link = at @ inverse(frames[frame].placement), frames[frame].link
        on[path] = link, inverse(at)
    found = []
    for one in seen(scene):
        if one.path not in on or isinstance(one.shape, Plane):
            continue
        (link, back), scale = on[one.path], scene.world_scale(one.path)
        inner = one.pose.copy()
        inner[:3, 3] *= scale
        made = triangles(one.shape if scale == 1.0 else one.shape.scaled(scale))
        found.append(Piece(link, made.moved(back @ scene.world(one.path) @ inner), one.color))
    for path in loose:
        scene = scene.detach(path)
    for path in on:
        scene = scene.with_look(path, opacity=0.0)
    for path in mine:
        scene = scene.with_shape(path, None)
    return scene, found


def posed(scene: Scene, figure: Any, q: Array) -> Scene | None:
    """Return a scene in which a figure that stands in it has this posture; None: none does."""
    mine = holders(scene, model_of(figure))
    for path in mine:
        actor = scene[path].content
        assert isinstance(actor, Actor)
        scene = scene.with_shape(path, replace(actor, q=tuple(q.tolist())))
    return scene if mine else None
