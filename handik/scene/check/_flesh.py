"""By how much the capsules of a person may overlap: as far as flesh gives way.

Capsules do not give way, skin and fat do: an arm that hangs lies against the trunk, thighs lie
against each other and against the belly of one who bends. So two capsules may overlap

- as much as they do at rest (`Human.rest`), and
- where their parts are neighbors, as much as anywhere in the measured range of the joints that
  carry one of them, everything else at rest: ranges are measured on living people, joint by joint,
  and what overlaps there is flesh that gave way;
- and by `FLESH` besides, of what is thin by half its radius.

What the draws of one side miss counts as on the other, where the body is the same. All three are
assumptions: no one has measured how far flesh gives way, part by part; that ranges hold together
where a trunk or a hand has several joints is one more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik.scene.check import _pairs

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.check.figure import Figure

__all__ = ["FLESH", "THIN", "allowances", "segments"]

Array = NDArray[np.float64]

#: Meters by which skin gives way wherever it is pressed, assumed: a hand on the belly.
FLESH = 0.01
#: Of what is thin, a finger: share of its radius.
THIN = 0.5
#: Postures drawn of each joint's range.
DRAWS = 512
#: Meters between a capsule and the mirror image of another within which they are the same.
ALIKE = 1e-9
#: Beginnings of the names of links -> the part of the body; what begins otherwise is of the part
#: above it.
_PARTS = (
    ("pelvis", "trunk"),
    ("head", "head"),
    ("upper_arm", "upper_arm"),
    ("arm_", "upper_arm"),
    ("ulna", "forearm"),
    ("carpus", "hand"),
    ("thigh", "thigh"),
    ("shank", "shank"),
    ("talus", "foot"),
    ("foot", "foot"),
)
#: A part that a joint carries -> the pairs of parts that may overlap as in that joint's range.
_NEIGHBORS = {
    "trunk": (("trunk", "trunk"), ("trunk", "thigh")),
    "head": (("head", "head"), ("head", "trunk")),
    "upper_arm": (("upper_arm", "trunk"),),
    "forearm": (("forearm", "forearm"), ("forearm", "upper_arm")),
    "hand": (("hand", "hand"), ("forearm", "hand")),
    "thigh": (("thigh", "trunk"), ("trunk", "thigh")),
    "shank": (("shank", "thigh"),),
    "foot": (("foot", "shank"), ("foot", "foot")),
}
_SIDES = ("_right", "_left")


def segments(model: Model) -> Mapping[str, str]:
    """Return the part of the body that each link belongs to; limbs with their side."""
    above = tuple((joint.child, joint.parent) for joint in model._spec.joints)
    return _segments(tuple(link.name for link in model._spec.links), above)


@lru_cache(maxsize=16)
def _segments(links: tuple[str, ...], joints: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """Return the same of names, which people have in common."""
    above, out = dict(joints), dict[str, str]()
    for link in links:
        name: str | None = link
        while name is not None:
            part = next((part for start, part in _PARTS if name.startswith(start)), None)
            if part is not None:
                side = next((s for s in _SIDES if name.endswith(s) and part != "head"), "")
                out[link] = part + side
                break
            name = above.get(name)
        else:
            out[link] = ""
    return MappingProxyType(out)


def _columns(model: Model, part_of: Mapping[str, str]) -> dict[str, list[int]]:
    """Return the coordinates of q that move each part against the one above it."""
    child = {joint.name: joint.child for joint in model._spec.joints if joint.kind != "free"}
    out: dict[str, list[int]] = {}
    for name, place in model.joint_q_slices.items():
        if name in child and place.stop > place.start:
            out.setdefault(part_of[child[name]], []).extend(range(place.start, place.stop))
    return out


def _of_a_side(part: str) -> tuple[str, str]:
    """Return a part without its side, and the side."""
    side = next((s for s in _SIDES if part.endswith(s)), "")
    return part.removesuffix(side), side


@cache
def _granted(moved: str, a: str, b: str) -> bool:
    """Return whether the range of the joint that carries a part tells of a pair of parts."""
    kind, side = _of_a_side(moved)
    (one, left), (two, right) = _of_a_side(a), _of_a_side(b)
    if side and {left, right} - {side, ""}:
        return False
    return tuple(sorted((one, two))) in {tuple(sorted(pair)) for pair in _NEIGHBORS.get(kind, ())}


def _mirrored(figure: Figure, rest: Array) -> NDArray[np.intp]:
    """Return the capsule that is each one's image in the plane between left and right at rest.

    -1 where there is none: a missing hand.
    """
    frame, ends, radius = _pairs.bodies(figure)
    T = figure.model.frames(rest)[frame]
    a, b = ((T[:, :3, :3] @ ends[:, k : k + 3, None])[..., 0] + T[:, :3, 3] for k in (0, 3))
    rows = np.concatenate([a, b, radius[:, None]], 1)
    back = rows[:, [3, 4, 5, 0, 1, 2, 6]]
    image = rows * (1, -1, 1, 1, -1, 1, 1)
    off = [np.abs(some - image[:, None]).max(axis=2) for some in (rows, back)]
    least = np.minimum(*off)
    best = least.argmin(axis=1)
    return np.where(least[np.arange(len(rows)), best] < ALIKE, best, -1)


def _told(part: Sequence[str], moved: str) -> NDArray[np.bool_]:
    """Return of which two of some parts the range of what carries a part tells."""
    return np.array([[_granted(moved, a, b) for b in part] for a in part], bool)


def _as_on_the_other_side(least: Array, pairs: NDArray[np.intp], image: NDArray[np.intp]) -> Array:
    """Return what overlaps most here or in the mirror: few draws do not make a body uneven."""
    other = np.sort(image[pairs], axis=1)
    there = (other[:, 0] >= 0) & (other[:, 0] < other[:, 1])
    c, d = other[there].T
    out = least.copy()
    out[there] = np.minimum(least[there], least[d * (d - 1) // 2 + c])
    return out


def allowances(figure: Figure, rest: Array) -> Array:
    """Return by how much each pair a < b of a person's capsules may overlap, meters; else NaN."""
    model = figure.model
    part_of = segments(model)
    parts, of = np.unique([part_of.get(c.frame, "") for c in figure.capsules], return_inverse=True)
    pairs = _pairs.every(len(figure.capsules))
    least = np.minimum(_pairs.nearest(figure, pairs, rest[None]), 0.0)
    drawn = model.sample(DRAWS, seed=1)
    for moved, columns in _columns(model, part_of).items():
        rows = np.flatnonzero(_told(parts.tolist(), moved)[of[pairs[:, 0]], of[pairs[:, 1]]])
        if not len(rows):
            continue
        q = np.repeat(rest[None], DRAWS, axis=0)
        q[:, columns] = drawn[:, columns]
        found = _pairs.nearest(figure, pairs[rows], q)
        least[rows] = np.minimum(least[rows], found)
    least = _as_on_the_other_side(least, pairs, _mirrored(figure, rest))
    thin = THIN * np.array([capsule.radius for capsule in figure.capsules])
    amount = np.minimum(FLESH, thin[pairs].min(axis=1, initial=np.inf)) - least
    out = np.full((len(thin), len(thin)), np.nan)
    out[pairs[:, 0], pairs[:, 1]] = amount
    return out
