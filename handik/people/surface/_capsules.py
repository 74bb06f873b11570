"""Tapered capsules round the parts of a person, fitted to the skin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.people.dimensions import Dimensions
from handik.people.surface._bind import _SPINE, ARM
from handik.people.surface._data import Floats, mesh
from handik.people.surface._fit import Fit
from handik.people.surface._place import SIDES, cross, unit
from handik.people.surface._regions import edges_of
from handik.people.surface._stump import BONES
from handik.people.surface._tape import extents
from handik.spec._given import is_model, of_class, reals

if TYPE_CHECKING:
    from handik.people.human import Human

__all__ = ["BodyCapsule", "capsule_ends", "capsules", "outside"]

#: What the skin of a part may stand out of its capsules at 95 % of its vertices, meters.
_LEFT_OUT = 0.005
#: Thinnest that a capsule gets.
_THIN = 0.004
_ROUNDS = 3
#: Every so many vertices the radii are fitted to.
_EVERY = 3
#: Digit -> its number on the mesh, and its bones with the joint at the end of each.
_DIGITS = {
    "thumb": (1, ("metacarpal", "mcp"), ("proximal", "ip"), ("distal", "tip")),
    "index": (2, ("proximal", "pip"), ("middle", "dip"), ("distal", "tip")),
    "middle": (3, ("proximal", "pip"), ("middle", "dip"), ("distal", "tip")),
    "ring": (4, ("proximal", "pip"), ("middle", "dip"), ("distal", "tip")),
    "little": (5, ("proximal", "pip"), ("middle", "dip"), ("distal", "tip")),
}
#: How far the upper ends of the uppermost parts of limbs are balls within them: the shoulder's is
#: round, the hip runs out into the pelvis.
_TOP = {"shoulder": 1.0, "hip": 0.7}
_X, _Y, _Z = np.eye(3)


@dataclass(frozen=True, eq=False)
class BodyCapsule:
    """A round cone about a part of the body: the hull of two balls.

    Attributes
    ----------
    name : str
        Of the part.
    link : str
        The link of the person's model that it is fixed to.
    start, end : ndarray (3,)
        Centers of the two balls in the link's frame, meters.
    radii : (float, float)
        Of the ball at `start` and of that at `end`, meters.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female", stature=1.62)
    >>> calf = next(c for c in anna.capsules if c.name == "calf_right")
    >>> calf.link, bool(calf.end[2] < calf.start[2])  # from the knee downward
    ('shank_right', True)
    """

    name: str
    link: str
    start: Floats
    end: Floats
    radii: tuple[float, float]


@dataclass(eq=False)
class _Cone:
    """A capsule in the making, in the world of the fitted mesh."""

    name: str
    link: str
    a: Floats
    b: Floats
    r: Floats  # (2,)


def outside(points: Floats, a: Floats, b: Floats, radii: Floats) -> Floats:
    """Return the signed distances of points (..., 3) to round cones (n, 3), as (..., n).

    A round cone is all balls between two. The ball nearest a point lies where the line from there
    to its center meets the axis at the cone's own slope.
    """
    axis = b - a
    length = np.linalg.norm(axis, axis=-1)
    unit = axis / np.maximum(length, 1e-12)[..., None]
    x, y, z = (points[..., None, k] - a[..., k] for k in range(3))
    along = x * unit[..., 0] + y * unit[..., 1] + z * unit[..., 2]
    across = np.sqrt(np.maximum(x * x + y * y + z * z - along**2, 0.0))
    slope = (radii[..., 0] - radii[..., 1]) / np.maximum(length, 1e-12)
    lean = slope / np.sqrt(np.maximum(1 - slope**2, 1e-24))
    share = np.clip((along - across * lean) / np.maximum(length, 1e-12), 0.0, 1.0)
    share = np.where(abs(slope) < 1, share, slope < 0)  # one ball holds the other
    radius = radii[..., 0] + share * (radii[..., 1] - radii[..., 0])
    return np.asarray(np.hypot(along - share * length, across) - radius)


def _quantile(x: Floats, share: float) -> float:
    """Return a quantile as `numpy.quantile` has it, which takes ten times as long."""
    place = share * (len(x) - 1)
    k = min(int(place), max(len(x) - 2, 0))
    low, high = np.partition(x, (k, min(k + 1, len(x) - 1)))[[k, min(k + 1, len(x) - 1)]]
    return float(low + (high - low) * (place - k))


@cache
def _main() -> NDArray[np.intp]:
    """Return the bone that has most of each vertex of the skin."""
    m = mesh()
    return np.asarray(m.bone[np.arange(m.skin), m.share[: m.skin].argmax(1)], np.intp)


@cache
def _rows(side: str, prefixes: tuple[str, ...]) -> NDArray[np.intp]:
    """Return which vertices have a main bone of a side that starts so."""
    own = np.array([k.startswith(prefixes) and k.endswith(side) for k in mesh().bones])
    return np.flatnonzero(own[_main()])


def _cone(
    name: str, link: str, points: Floats, axis: Floats, free: tuple[float, float] = (0.0, 0.0)
) -> _Cone:
    """Return a round cone along the points of a part.

    An end that is free by 1 is a ball within the part, by 0 one about its end.
    """
    axis = unit(axis)
    u = unit(cross(axis, _Y if abs(axis[1]) < 0.7 else _X))
    across = np.stack([u, cross(axis, u)], 1)
    t, flat = points @ axis, points @ across
    low, high = float(t.min()), float(t.max())
    ends, heights = [], []
    for share in (0.0, 0.6):  # the lower and the upper two fifths
        rows = (t >= low + share * (high - low)) & (t <= low + (share + 0.4) * (high - low))
        part = flat[rows]
        ends.append((part.min(0) + part.max(0)) / 2)
        heights.append(low + (share + 0.2) * (high - low))
    rise = (ends[1] - ends[0]) / (heights[1] - heights[0])

    def center(height: float) -> Floats:
        c = ends[0] + rise * (height - heights[0])
        return np.asarray(height * axis + across @ c)

    off = flat - ends[0] - (t - heights[0])[:, None] * rise
    rho = np.sqrt((off * off).sum(1))
    middle = t.mean()
    spread = t - middle
    slope = float(spread @ rho) / max(float(spread @ spread), 1e-300)
    r0 = rho.mean() - slope * (middle - low)
    r = np.maximum([r0, r0 + slope * (high - low)], _THIN)
    a = _inset(low, free[0] * r[0], high)
    b = _inset(high, -free[1] * r[1], low)
    return _Cone(name, link, center(a), center(b), r)


def _inset(end: float, by: float, other: float) -> float:
    """Return an end moved inward, no further than just short of the middle."""
    half = 0.49 * (other - end)
    return float(end + np.sign(by) * min(abs(by), abs(half)))


def _strips(t: Floats, n: int) -> list[Any]:
    """Return the rows of `n` strips of equal width."""
    edges = np.linspace(t.min(), t.max(), n + 1)
    return [(t >= low - 1e-9) & (t <= high + 1e-9) for low, high in pairwise(edges)]


class _Parts:
    """Which vertices are whose, and the links of the figure that carry them."""

    def __init__(self, fitted: Fit, links: dict[str, Floats], more: Floats | None = None) -> None:
        m = mesh()
        self.fitted, self.links = fitted, links
        self.straight = fitted.vertices[: m.skin]
        moved = np.stack([fitted.curl.get(bone, np.eye(4)) for bone in m.bones])
        self.v = _core.skin(fitted.vertices, m.bone, m.share, m.mix, moved)[: m.skin]
        self.whole = fitted.vertices
        if more is not None:
            self.v, self.whole = self.v + more[: m.skin], self.whole + more

    def of(self, side: str, *prefixes: str) -> Floats:
        """Return the vertices with a main bone that starts so, the digits at rest."""
        return np.asarray(self.v[_rows(side, prefixes)])

    def stumps(self, links: tuple[str, ...], chest: str) -> list[_Cone]:
        """Return a ball about what is left of the first part of each arm that is missing."""
        out = []
        for side in SIDES:
            lacks = next((k for k, link in enumerate(ARM) if f"{link}_{side}" not in links), None)
            if lacks is None:
                continue
            bears = f"{ARM[lacks - 1]}_{side}" if lacks else chest
            points = self.straight[_rows(side, tuple(BONES[ARM[lacks]]))]
            center = 0.5 * (points.min(axis=0) + points.max(axis=0))
            r = float(np.quantile(np.linalg.norm(points - center, axis=1), 0.95)) - _LEFT_OUT
            ends = center, center + _THIN * _Z
            out.append(_Cone(f"stump_{side}", bears, *ends, np.array([r, r])))
        return out

    def limbs(self, side: str) -> list[_Cone]:
        """Return arm and leg of a side, without hand and foot."""
        arm = self.fitted.arms[side]
        upper, fore = arm.elbow[1] - arm.link, arm.wrist[1] - arm.elbow[1]
        rows = [
            (("shoulder", "upper_arm"), "upper_arm", ("upperarm",), upper),
            (("forearm_upper",), "ulna", ("lowerarm01",), fore),
            (("forearm_lower",), "forearm", ("lowerarm02",), fore),
            (("hip", "thigh", "knee"), "thigh", ("upperleg",), -_Z),
            (("calf", "shank", "ankle"), "shank", ("lowerleg",), -_Z),
        ]
        out = []
        for names, link, bones, axis in rows:
            points = self.of(side, *bones)
            for name, strip in zip(names, _strips(points @ axis, len(names)), strict=True):
                top = (_TOP.get(name, 0.0), 0.0)
                out.append(_cone(f"{name}_{side}", f"{link}_{side}", points[strip], axis, top))
        return out

    def foot(self, side: str) -> list[_Cone]:
        """Return heel, inner and outer half of the forefoot."""
        points = self.of(side, "foot", "toes")
        heel = points[:, 0] < points[:, 0].min() + 0.35 * np.ptp(points[:, 0])
        out = [_cone(f"heel_{side}", f"foot_{side}", points[heel], _Z, (True, True))]
        front = points[~heel]
        halves = _strips(front[:, 1] * SIDES[side][1], 2)
        for name, strip in zip(("foot_inner", "foot_outer"), halves, strict=True):
            out.append(_cone(f"{name}_{side}", f"foot_{side}", front[strip], _X, (False, True)))
        return out

    def hand(self, side: str) -> list[_Cone]:
        """Return three strips of the palm, and each digit in one."""
        link, arm = f"hand_{side}", self.fitted.arms[side]
        points = self.of(side, "wrist", "metacarpal")
        across = cross(arm.palm, arm.hand)
        across = across * np.sign(across @ _X)
        names = ("palm_little", "palm_middle", "palm_index")
        out = [
            _cone(f"{name}_{side}", link, points[strip], arm.hand)
            for name, strip in zip(names, _strips(points @ across, 3), strict=True)
        ]
        for name, (k, *_) in _DIGITS.items():
            ends = [self.of(side, f"finger{k}_{i}").mean(0) for i in (1, 3)]
            digit = self.of(side, f"finger{k}_")
            out.append(_cone(f"{name}_{side}", link, digit, ends[1] - ends[0], (False, True)))
        return out

    def phalanges(self, side: str) -> dict[str, _Cone]:
        """Return a cone for each phalanx as the mesh holds it."""
        out = {}
        for digit, (k, *bones) in _DIGITS.items():
            fingers = [self.straight[_rows(side, (f"finger{k}_{i}",))] for i in (1, 2, 3)]
            axis = fingers[2].mean(0) - fingers[0].mean(0)
            for (bone, _), points in zip(bones, fingers, strict=True):
                name = f"{digit}_{bone}_{side}"
                out[name] = _cone(name, "", points, axis)
        return out

    def link_of(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> str:
        """Return the link that carries most of some vertices, of those of spine and head."""
        bones = mesh().bones
        counts = np.bincount(_main()[rows], minlength=len(bones))
        spine = [k for k, name in enumerate(bones) if name.split("_")[0] in _SPINE]
        most = min(spine, key=lambda k: (-counts[k], bones[k]))
        return next(k for k in _SPINE[bones[most].split("_")[0]] if k in self.links)

    def trunk(self) -> list[_Cone]:
        """Return lying capsules from the crotch to the shoulders."""
        at = self.fitted.at
        low, high = at["hip_left"][2] - 0.02, at["shoulder_left"][2] + 0.02
        names = ("seat", "pelvis", "belly", "waist", "ribs", "chest", "armpits", "shoulders")
        out = []
        heights = np.linspace(low, high, len(names))
        edges = edges_of("trunk")[0]
        level = heights.tolist()
        rings, wholes = (extents(v, edges, level) for v in (self.fitted.vertices, self.whole))
        for name, z, ring, whole in zip(names, level, rings, wholes, strict=True):
            near = abs(self.v[:, 2] - z) < 0.6 * (heights[1] - heights[0])
            (x0, y0), (x1, y1) = (whole.low[0], ring.low[1]), (whole.high[0], ring.high[1])
            r = min(x1 - x0, y1 - y0) / 2
            middle = np.array([(x0 + x1) / 2, 0.0, z])
            half = max((y1 - y0) / 2 - r, 0.01)
            link = "pelvis" if z < at["L5_S1"][2] else self.link_of(near)
            out.append(_Cone(name, link, middle - half * _Y, middle + half * _Y, np.array([r, r])))
        return out

    def head(self) -> list[_Cone]:
        """Return neck, skull, face and jaw."""
        points = self.of("", "head")
        eye = self.fitted.at["eye"]
        top, face = points[points[:, 2] > eye[2]], points[points[:, 2] <= eye[2]]
        front = face[:, 0] > eye[0] - 0.08
        rows = _rows("", ("neck",))
        neck = _cone("neck", self.link_of(rows), self.v[rows], _Z)
        neck.r[:] = neck.r.mean()
        return [
            neck,
            _cone("skull", "head", top, _X, (True, True)),
            _cone("face", "head", face[front], _Z, (True, True)),
            _cone("nape", "head", face[~front], _Z, (True, True)),
        ]


def _grow(cones: list[_Cone], points: Floats) -> None:
    """Bring the radii to where 95 % of each one's vertices stand out by no more than a little."""
    rows = np.array([[*c.a, *c.b, *c.r] for c in cones])
    for _ in range(_ROUNDS):
        own, least = _core._next_to(points, rows)
        order = np.argsort(own, kind="stable")
        ends = np.cumsum(np.bincount(own, minlength=len(cones)))
        for k, mine in enumerate(np.split(least[order], ends[:-1])):
            if len(mine):
                by = _quantile(mine, 0.95) - _LEFT_OUT
                rows[k, 6:] = np.maximum(rows[k, 6:] + by, _THIN)
    for cone, row in zip(cones, rows, strict=True):
        cone.r = row[6:].copy()


def _phalanges(fitted: Fit, found: dict[str, _Cone], side: str) -> list[BodyCapsule]:
    """Return a capsule along each phalanx of the figure, as thick as the mesh has it."""
    out = []
    for digit, (_, *bones) in _DIGITS.items():
        first = "cmc" if digit == "thumb" else "mcp"
        for bone, joint in bones:
            cone = found[f"{digit}_{bone}_{side}"]
            along = fitted.at[f"{digit}_{joint}_{side}"] - fitted.at[f"{digit}_{first}_{side}"]
            if joint == "tip":
                along = along * (1 - cone.r[1] / np.linalg.norm(along))
            out.append(BodyCapsule(cone.name, cone.name, np.zeros(3), along, _pair(cone.r)))
            first = joint
    return out


def _pair(r: Floats) -> tuple[float, float]:
    return float(r[0]), float(r[1])


def _alike(cones: list[_Cone]) -> None:
    """Make both sides alike, where both are there: a stump's skin is no arm's."""
    of = {c.name: c for c in cones}
    for c in cones:
        other = of.get(c.name.replace("left", "right"))
        if c.name.endswith("_left") and other is not None:
            c.r = other.r = (c.r + other.r) / 2
            flip = np.array([1.0, -1.0, 1.0])
            c.a, c.b = (c.a + flip * other.a) / 2, (c.b + flip * other.b) / 2
            other.a, other.b = flip * c.a, flip * c.b


def capsules(
    fitted: Fit,
    bound: dict[str, Floats],
    links: tuple[str, ...],
    more: Floats | None = None,
) -> tuple[BodyCapsule, ...]:
    """Return the capsules of a fitted mesh whose links are there; `more` is flesh they hold too."""
    parts = _Parts(fitted, bound, more)
    cones = parts.trunk() + parts.head()
    for side in SIDES:
        cones += parts.limbs(side) + parts.foot(side) + parts.hand(side)
    _grow(cones, parts.v[::_EVERY])
    chest = next(c.link for c in cones if c.name == "shoulders")
    cones = [c for c in cones if c.link in links]
    _alike(cones)
    cones += parts.stumps(links, chest)
    jointed = [side for side in SIDES if f"index_distal_{side}" in links]
    digits = {f"{digit}_{side}" for digit in _DIGITS for side in jointed}
    out = []
    backs = {link: np.linalg.inv(bound[link]) for link in {c.link for c in cones}}
    for c in cones:
        if c.name not in digits:
            back = backs[c.link]
            a, b = (back[:3, :3] @ end + back[:3, 3] for end in (c.a, c.b))
            out.append(BodyCapsule(c.name, c.link, a, b, _pair(c.r)))
    for side in jointed:
        out += _phalanges(fitted, parts.phalanges(side), side)
    for capsule in out:
        capsule.start.flags.writeable = capsule.end.flags.writeable = False
    return tuple(out)


def capsule_ends(human: Human, q: Any) -> Floats:
    """Return where the capsules of a person are in postures.

    Parameters
    ----------
    human : Human
    q : array_like (..., nq)
        Coordinates of the person's model.

    Returns
    -------
    ndarray (..., n, 2, 3)
        Start and end of each of ``human.capsules`` in the world, meters.

    Raises
    ------
    TypeError
        When `human` is no `Human`.
    ArgumentError
        When `q` has not finite rows of `nq` numbers.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people.surface import capsule_ends
    >>> anna = hk.human(sex="female", stature=1.62)
    >>> ends = capsule_ends(anna, [anna.rest, anna.rest])
    >>> ends.shape == (2, len(anna.capsules), 2, 3)
    True
    """
    of_class("human.dimensions", getattr(human, "dimensions", human), Dimensions)
    is_model(getattr(human, "model", human), "human.model")
    rows = reals(q, "q", (human.model.nq,))
    names = human.model.frame_names
    carriers = [names.index(c.link) for c in human.capsules]
    poses = human.model.frames(rows)[..., carriers, :, :]
    local = np.stack([[c.start, c.end] for c in human.capsules])
    return (
        np.asarray(np.einsum("...nij,nkj->...nki", poses[..., :3, :3], local))
        + (poses[..., None, :3, 3])
    )
