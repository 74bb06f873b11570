"""What follows a figure's frames in a scene, such as a cup in a hand, moves with the figure."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from handik.errors import UnsupportedError
from handik.problem.terms import Capsule
from handik.scene.check import _pairs
from handik.scene.check._cover import capsules_of_shape
from handik.scene.check.figure import Figure
from handik.spec.transforms import inverse

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.document import Obstacle, Scene

__all__ = ["carried", "holders", "holds_of"]

Array = NDArray[np.float64]
#: A node of a figure, and a frame of it.
Hold = tuple[str, str]

#: Meters by which frames may differ and be those of one figure in one place.
SAME = 1e-9
#: Body parts above a frame that what follows it may lean on.
HOLDERS = 2
TOUCHES = "touches what holds it"
PROVED = "out of reach of each other: proved"


def holds_of(scene: Scene, path: str) -> Iterator[Hold]:
    """Yield the frames that a node follows, the nearest first."""
    while path:
        follows = scene[path].attached
        if follows is None:
            path = path.rpartition("/")[0]
            continue
        if follows.frame is not None:
            yield follows.to, follows.frame
        path = follows.to


def _followers(scene: Scene) -> list[tuple[str, list[Hold]]]:
    """Return the solid nodes that follow frames."""
    solid = [path for path in scene if scene[path].solid and scene[path].content is not None]
    held = [(path, list(holds_of(scene, path))) for path in solid]
    return [(path, holds) for path, holds in held if holds]


def _same(model: Model, scene: Scene, path: str) -> Array | None:
    """Return the configuration of a node's figure that is the model in the same place, or None."""
    actor: Any = scene[path].content
    if scene.world_scale(path) != 1.0:
        return None
    own: Model = actor.figure
    if not set(model.joint_q_slices) <= set(own.joint_q_slices):
        return None
    if not set(own.frame_names) <= set(model.frame_names):
        return None
    rows = np.stack([actor.posture, own.rest, *np.asarray(own.sample(2, seed=0))])
    mine = np.empty((len(rows), model.nq))
    for name, at in model.joint_q_slices.items():
        there = own.joint_q_slices[name]
        if at.stop - at.start != there.stop - there.start:
            return None
        mine[:, at] = rows[:, there]
    for name, there in own.joint_q_slices.items():  # what is locked in the model
        if name not in model.joint_q_slices:
            rows[1:, there] = rows[0, there]
    names = own.frame_names
    seen = np.asarray(model.frames(mine))[:, [model.frame_names.index(name) for name in names]]
    off = np.abs(seen - scene.world(path) @ np.asarray(own.frames(rows))).max()
    return mine[0] if off <= SAME * (1 + model.max_reach) else None


def holders(scene: Scene, model: Model) -> dict[str, Array]:
    """Return the nodes whose frames are followed and whose figure is a model in the same place.

    With the configuration of each.
    """
    if not any(node.extent[2] for node in scene.nodes):
        return {}
    followed = (scene[path].attached for path in scene)
    actors = dict.fromkeys(one.to for one in followed if one is not None and one.frame is not None)
    where = {to: _same(model, scene, to) for to in actors}
    return {to: q for to, q in where.items() if q is not None}


def _capsules(one: Obstacle, back: Array, frame: str) -> list[Capsule]:
    """Return what holds a solid, in a frame."""
    try:
        pieces = capsules_of_shape(one.shape)
    except UnsupportedError as error:
        raise UnsupportedError(f"{one.name!r}, attached to {frame!r}: {error}") from None
    at = back @ one.pose
    turn, place = at[:3, :3], at[:3, 3]
    ends = [(turn @ start + place, turn @ end + place) for start, end, _ in pieces]
    return [
        Capsule(frame, a.tolist(), b.tolist(), radius)
        for (a, b), (_, _, radius) in zip(ends, pieces, strict=True)
    ]


def _near(model: Model, steps: list[int], mine: int) -> set[int]:
    """Return the steps of the body parts that may hold what a step carries.

    The two next above it that have a body, and all that hangs on these: wrist and fingers.
    """
    above = [step for step in _pairs._up(model, mine)[1:] if step in steps][:HOLDERS]
    top = above[-1] if above else mine
    return {step for step in steps if top in _pairs._up(model, step)}


def _with(figure: Figure, capsules: list[Capsule], names: list[str], q: Array) -> Figure:
    """Return a figure with more capsules; those that hold them at q are not compared with them."""
    out = copy(figure)
    out.capsules, out.names = (*figure.capsules, *capsules), (*figure.names, *names)
    model, first = figure.model, len(figure.capsules)
    more = len(capsules)
    out._allowed = np.pad(figure._allowed, (0, more), constant_values=np.nan)
    steps = [int(model.frame_step[model.frame_names.index(c.frame)]) for c in out.capsules]
    ways, left = _pairs._Ways(out), figure._table[1]()
    asked = []
    news = [(a, b) for b in range(first, len(steps)) for a in range(b)]
    near = {b: _near(model, steps[:first], steps[b]) for b in range(first, len(steps))}
    for (a, b), never in zip(news, _pairs.never_reach(ways, news).tolist(), strict=True):
        if steps[a] == steps[b]:
            left.append(((a, b), "on one body"))
        elif never:
            left.append(((a, b), PROVED))
        else:
            asked.append(((a, b), a < first and steps[a] in near[b]))
    kept = _pairs.as_tuples(figure._table[0])
    pairs = [pair for pair, _ in asked]
    apart = _pairs.nearest(out, pairs, q[None]) if pairs else np.zeros(0)
    for (pair, holds), distance in zip(asked, apart, strict=True):
        if holds and distance < _pairs.TOUCHING:
            left.append((pair, TOUCHES))
        else:
            kept.append(pair)
    table = np.array(sorted(kept), np.intp).reshape(-1, 2)
    out._told = table, partial(sorted, left)
    return out


#: What was made for a scene and a figure, None where nothing follows it; whether nothing follows.
_known: WeakKeyDictionary[Any, WeakKeyDictionary[Figure, tuple[Any, Figure | None]]]
_known = WeakKeyDictionary()
_still: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()


def carried(scene: Any, figure: Figure) -> tuple[Any, Figure]:
    """Return a scene without what moves with a figure, and the figure with it.

    That is what follows a frame of a node whose figure is this one: the same body, in the same
    place. Others stay obstacles. A scene in which nothing follows it is returned as it is.

    Parameters
    ----------
    scene : Scene, or what has obstacles
    figure : Figure

    Returns
    -------
    Scene, Figure
        The same pair at every call, while both are there.

    Raises
    ------
    UnsupportedError
        When a plane is attached to a frame of the figure.
    """
    if not hasattr(scene, "nodes"):  # some obstacles of one, that nothing follows
        return scene, figure
    still = _still.get(scene)
    if still is None:
        still = _still[scene] = not any(node.extent[2] for node in scene.nodes)
    if still:
        return scene, figure
    mine = _known.setdefault(scene, WeakKeyDictionary())
    found = mine.get(figure)
    if found is None:
        found = mine[figure] = _made(scene, figure)
    rest, who = found  # a weak dictionary must not hold its own keys
    return (scene, figure) if rest is None or who is None else (rest, who)


def _made(scene: Scene, figure: Figure) -> tuple[Any, Figure | None]:
    """Return what `carried` does, None for what stays as it is."""
    where = holders(scene, figure.model)
    taken = {}
    for path, holds in _followers(scene) if where else []:
        hold = next((hold for hold in holds if hold[0] in where), None)
        if hold is not None:
            taken[path] = hold
    if not taken:
        return None, None
    capsules: list[Capsule] = []
    names: list[str] = []
    q: Any = None
    model = figure.model
    for one in scene.obstacles():
        path = one.name if one.name in scene else one.name.rpartition("/")[0]  # a plan's walls
        if path not in taken:
            continue
        actor, frame = taken[path]
        q = where[actor]
        made = _capsules(one, inverse(np.asarray(model.fk(q, frame=frame))), frame)
        capsules += made
        names += [one.name] * len(made)
    rest = scene
    for path in taken:
        rest = rest.with_look(path, solid=False)
    return rest, _with(figure, capsules, names, q)
