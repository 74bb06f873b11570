"""What people wear, as signed fields on the base mesh, and the mesh cut along their zero lines.

A garment is where its field is positive. Triangles across the zero line are cut there, so a hem is
as clean as the field is smooth, on every person and in every posture alike: no person changes the
fields. Garments come one upon another; where two meet, or one meets the skin, a strip joins the
two, so that all of it together is one closed surface.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from handik.people.surface._data import Floats, Ints, mesh

__all__ = ["GARMENTS", "PARTS", "Cut", "Garment", "cut_mesh", "field", "garment_layer"]


@dataclass(frozen=True)
class Garment:
    """How a garment lies.

    Attributes
    ----------
    least, most : float
        How far it stands off the skin at the hem and away from it, meters.
    rounds : int
        Of smoothing, which takes it over hollows of the skin.
    color : tuple of float
        Red, green, blue, from 0 to 1.
    """

    least: float
    most: float
    rounds: int
    color: tuple[float, float, float]


#: From the outermost: of two that cover a place the first is seen.
GARMENTS = {
    "hair": Garment(0.003, 0.011, 12, (0.20, 0.13, 0.10)),
    "shirt": Garment(0.006, 0.007, 30, (0.25, 0.47, 0.62)),
    "trousers": Garment(0.004, 0.004, 20, (0.22, 0.24, 0.31)),
    "shoes": Garment(0.004, 0.006, 60, (0.14, 0.13, 0.13)),
}
#: All that is seen, with colors; those after the garments lie in the skin and the eyes.
PARTS = {
    "skin": (0.78, 0.59, 0.49),
    **{name: garment.color for name, garment in GARMENTS.items()},
    "brows": (0.26, 0.18, 0.14),
    "lips": (0.70, 0.46, 0.40),
    "eyes": (0.93, 0.92, 0.90),
    "iris": (0.30, 0.22, 0.16),
}
_LAYERS = ("skin", *GARMENTS)
_FLAT = tuple(PARTS)[len(_LAYERS) :]


@cache
def field(name: str) -> Floats:
    """Return the field of a garment or a part on the base mesh: positive inside, about meters."""
    b = mesh().base
    x, y, z = b[:, 0], np.abs(b[:, 1]), b[:, 2]
    of: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
        "hair": _hair,
        "shirt": _shirt,
        "trousers": lambda x, y, z: np.stack([0.155 - z, z + 0.708, 0.33 - y]).min(0),
        "shoes": lambda x, y, z: -0.752 - z + 0.12 * x,
        "brows": _brows,
        "lips": _lips,
        "eyes": lambda x, y, z: np.where(np.arange(len(z)) < mesh().skin, -1.0, 1.0),
        "iris": lambda x, y, z: _gaze(0.0056),
    }
    out = of[name](x, y, z).astype(np.float64)
    if name in ("eyes", "iris"):
        out[: mesh().skin] = -1.0
    else:
        out[mesh().skin :] = -1.0
    out[abs(out) < 1e-7] = 1e-7  # no vertex lies on a hem: a cut has no corners there
    return out


def _shirt(x: Floats, y: Floats, z: Floats) -> Floats:
    """To the hips, sleeves to the middle of the upper arm, a round neck.

    The hem lies higher over the buttocks than between them and ahead: sitting turns them down, and
    a level one would end in two lobes on the seat.
    """
    m = mesh()
    at = dict(zip(m.joint_names, m.joints[0], strict=True))
    shoulder, elbow = at["l-shoulder"], at["l-elbow"]
    long = float(np.linalg.norm(elbow - shoulder))
    along = (np.stack([x, y, z], 1) - shoulder) @ ((elbow - shoulder) / long)
    sleeve = 0.62 * long - along
    ahead = (x - 0.015) / np.where(x > 0.015, 0.072, 0.085)
    collar = 0.08 * (np.hypot(ahead, y / 0.086) - 1)
    collar = np.maximum(collar, (0.535 - 0.9 * x - z) / np.hypot(1, 0.9))
    neck = np.minimum(collar, 0.585 - 0.15 * (x - 0.015) - z)
    behind = np.clip((0.01 - x) / 0.1, 0, 1)
    behind = behind * behind * (3 - 2 * behind)
    hem = 0.06 + behind * (0.025 - 0.022 * np.exp(-((y / 0.05) ** 2)))
    return np.asarray(np.stack([z - hem, neck, np.maximum(sleeve, 0.205 - y)]).min(0))


def _hair(x: Floats, y: Floats, z: Floats) -> Floats:
    """Crown and back of the head, round the ears."""
    crown = ((z - 0.740) - 0.55 * (x - 0.03)) / np.hypot(1, 0.55)
    back = np.minimum(0.005 - x, z - 0.665)
    ear = np.sqrt(((x - 0.028) / 1.0) ** 2 + ((z - 0.715) / 1.4) ** 2) - 0.026
    return np.asarray(np.minimum(np.maximum(crown, back), np.where(y > 0.05, ear, 0.05)))


def _brows(x: Floats, y: Floats, z: Floats) -> Floats:
    """Lie in an arc above each eye."""
    m = mesh()
    eye = dict(zip(m.joint_names, m.joints[0], strict=True))["l-eye"]
    t = np.clip((y - eye[1] + 0.020) / 0.042, 0, 1)
    line = eye[2] + 0.021 + 0.008 * np.sin(np.pi * (0.15 + 0.75 * t)) - 0.004
    off = np.hypot(z - line, np.maximum(abs(y - eye[1] - 0.001) - 0.021, 0))
    return np.where(x > 0.1, 0.0037 - 0.0014 * t - off, -0.01)


def _lips(x: Floats, y: Floats, z: Floats) -> Floats:
    off = np.hypot(y / 0.026, (z - 0.660) / np.where(z > 0.660, 0.0075, 0.0095))
    return np.where(x > 0.1, 0.01 * (1 - off), -0.01)


def _gaze(most: float) -> Floats:
    """Within so much of the axis of the eye, at its front."""
    m = mesh()
    out = np.full(len(m.base), -1.0)
    ball = m.base[m.skin :]
    for sign in (1.0, -1.0):
        rows = ball[:, 1] * sign > 0
        middle = (ball[rows].min(0) + ball[rows].max(0)) / 2
        off = ball[rows] - middle
        radius = np.linalg.norm(off, axis=1).mean()
        angle = np.arctan2(np.hypot(off[:, 1], off[:, 2]), off[:, 0])
        out[m.skin :][rows] = most - angle * radius
    return out


@dataclass(frozen=True, eq=False)
class Cut:
    """The base mesh cut along hems.

    A vertex lies on an edge of the base mesh, or in a corner, in one layer: of the skin (0) or of a
    garment.

    Attributes
    ----------
    ends : ndarray (n, 2)
        Vertices of the base mesh.
    share : ndarray (n,)
        How far from the first to the second.
    layer : ndarray (n,)
        Row of `layers`.
    faces : ndarray (m, 3)
    part : ndarray (m,)
        Row of `parts`.
    strip : ndarray (m,)
        Whether a face joins two layers.
    layers, parts : tuple of str
    """

    ends: Ints
    share: Floats
    layer: Ints
    faces: Ints
    part: Ints
    strip: np.ndarray
    layers: tuple[str, ...]
    parts: tuple[str, ...]


class _Cutter:
    """Triangles, cut by one field after another."""

    def __init__(self) -> None:
        m = mesh()
        n = len(m.base)
        self.ends = np.stack([np.arange(n), np.arange(n)], 1)
        self.share = np.zeros(n)
        self.faces = m.faces
        self.part = np.zeros(len(m.faces), np.int64)

    def value(self, f: Floats) -> Floats:
        """Return a field at all vertices."""
        return np.asarray((1 - self.share) * f[self.ends[:, 0]] + self.share * f[self.ends[:, 1]])

    def cut(self, f: Floats, part: int, below: int) -> None:
        """Give what is positive among the faces of part `below` to `part`."""
        inside = self.value(f)[self.faces] > 0
        mine = self.part == below
        self.part[mine & inside.all(1)] = part
        rows = np.flatnonzero(mine & inside.any(1) & ~inside.all(1))
        if not len(rows):
            return
        faces, inside = self.faces[rows], inside[rows]
        lone = np.where(inside.sum(1) == 1, inside.argmax(1), inside.argmin(1))
        a, b, c = (faces[np.arange(len(rows)), (lone + k) % 3] for k in range(3))
        of_lone = inside[np.arange(len(rows)), lone]
        pairs = np.sort(np.concatenate([np.stack([a, b], 1), np.stack([a, c], 1)]), axis=1)
        edges, row = np.unique(pairs, axis=0, return_inverse=True)
        new = len(self.share) + row.reshape(2, -1)
        if self.share[edges].any():
            raise ValueError("two hems cross")
        low, high = f[edges[:, 0]], f[edges[:, 1]]
        self.ends = np.concatenate([self.ends, edges])
        self.share = np.concatenate([self.share, low / (low - high)])
        p, q = new
        self.faces = np.concatenate(
            [
                np.delete(self.faces, rows, 0),
                np.stack([a, p, q], 1),
                np.stack([p, b, c], 1),
                np.stack([p, c, q], 1),
            ]
        )
        one, other = np.where(of_lone, part, below), np.where(of_lone, below, part)
        self.part = np.concatenate([np.delete(self.part, rows), one, other, other])


@cache
def cut_mesh(worn: tuple[str, ...]) -> Cut:
    """Return the mesh cut along the hems of garments."""
    layers = ("skin", *(name for name in GARMENTS if name in worn))
    parts = (*layers, *_FLAT)
    work = _Cutter()
    for k, name in enumerate(parts[1:], start=1):
        work.cut(field(name), k, parts.index("eyes") if name == "iris" else 0)
    on = np.where(work.part < len(layers), work.part, 0)
    strip, strip_part = _strips(work.faces, on)
    corners = np.concatenate([np.stack([work.faces, on[:, None] + 0 * work.faces], -1), strip])
    keys, faces = np.unique(corners.reshape(-1, 2), axis=0, return_inverse=True)
    return Cut(
        ends=work.ends[keys[:, 0]],
        share=work.share[keys[:, 0]],
        layer=keys[:, 1],
        faces=faces.reshape(-1, 3),
        part=np.concatenate([work.part, strip_part]),
        strip=np.arange(len(corners)) >= len(work.faces),
        layers=layers,
        parts=parts,
    )


def _strips(faces: Ints, on: Ints) -> tuple[Ints, Ints]:
    """Return triangles (k, 3, (vertex, layer)) that join layers along hems, and their parts."""
    edge = np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)])
    of = np.tile(np.arange(len(faces)), 3)
    n = int(faces.max()) + 1
    key, back = edge[:, 0] * n + edge[:, 1], edge[:, 1] * n + edge[:, 0]
    order = np.argsort(key)
    twin = of[order[np.searchsorted(key[order], back)]]
    rows = np.flatnonzero(on[of] > on[twin])
    (u, v), a, b = edge[rows].T, on[of[rows]], on[twin[rows]]
    outer = [np.stack([k, a], 1) for k in (u, v)]
    inner = [np.stack([k, b], 1) for k in (u, v)]
    strip = np.concatenate(
        [
            np.stack([outer[1], outer[0], inner[0]], 1),
            np.stack([outer[1], inner[0], inner[1]], 1),
        ]
    )
    # The strip is the upper garment's: of two the one with the lower row; the skin has none.
    upper = np.where(b == 0, a, np.minimum(a, b))
    return strip, np.concatenate([upper, upper])


@cache
def garment_layer(name: str) -> tuple[Ints, Floats]:
    """Return the vertices that a garment needs, one ring more than it covers, and its offsets."""
    m, f, garment = mesh(), field(name), GARMENTS[name]
    covered = np.zeros(len(f), bool)
    quads = m.quads[(f[m.quads] > 0).any(1)]
    covered[quads] = True
    rows = np.flatnonzero(covered)
    t = np.clip(f[rows] / 0.02, 0, 1)
    return rows, garment.least + (garment.most - garment.least) * t * t * (3 - 2 * t)
