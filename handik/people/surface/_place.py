"""The base mesh brought to a person's lengths: legs straight, arms as the mesh holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from handik import _core
from handik.people.surface._data import Floats, Mesh

__all__ = ["SIDES", "Arm", "Levels", "arm_of", "cross", "levels", "shares_of", "unit"]

#: Side -> the letter of the mesh's joints, sign of y.
SIDES = {"left": ("l", 1.0), "right": ("r", -1.0)}
#: The mesh's shoulder lies this share of stature below the tape's joint center: so the skin at the
#: acromion comes out right.
LOW = 0.0168
#: The mesh's vertices about the navel, and those at the front of the breasts.
NAVEL, BUST = (4117, 10764), (1787, 8459)


def shares_of(x: Floats, at: Floats) -> Floats:
    """Return the shares of rising levels `at` in `x`, (len(x), len(at)); smooth, they sum to 1."""
    k = np.clip(np.searchsorted(at, x) - 1, 0, len(at) - 2)
    t = np.clip((x - at[k]) / (at[k + 1] - at[k]), 0, 1)
    t = t * t * (3 - 2 * t)
    out = np.zeros((len(x), len(at)))
    rows = np.arange(len(x))
    out[rows, k] = 1 - t
    out[rows, k + 1] += t
    return out


def _slopes(at: Floats) -> Floats:
    """Return what makes slopes of numbers at levels, (n, n): that of the parabola through three.

    They are 0 at the first and the last.
    """
    n, h = len(at), np.diff(at)
    slope = np.zeros((n, n))
    for k in range(1, n - 1):
        a, b = h[k - 1], h[k]
        slope[k, k - 1 : k + 2] = [
            -b / a / (a + b),
            b / a / (a + b) - a / b / (a + b),
            a / b / (a + b),
        ]
    return slope


def curved_shares_of(x: Floats, at: Floats) -> Floats:
    """Return shares as of `shares_of`, but such that slopes go on through the levels.

    They are cubics between neighbors.
    """
    n, h = len(at), np.diff(at)
    slope = _slopes(at)
    below = np.clip(np.searchsorted(at, x) - 1, 0, n - 2)
    wide, rows = h[below], np.arange(len(x))
    t = np.clip((x - at[below]) / wide, 0, 1)
    s = 1 - t
    out = (wide * t * s * s)[:, None] * slope[below]
    out -= (wide * t * t * s)[:, None] * slope[below + 1]
    out[rows, below] += s * s * (1 + 2 * t)
    out[rows, below + 1] += t * t * (3 - 2 * t)
    return np.asarray(out)


class Levels:
    """Numbers at rising heights, smoothly between them: by `shares_of` or `curved_shares_of`."""

    def __init__(self, at: Mapping[str, float], z: Floats, curved: bool = False) -> None:
        self.names, levels = list(at), np.array(list(at.values()))
        self.below, self.weight = _core._heights_place(levels, z)
        self.slope = _slopes(levels) if curved else np.zeros((len(levels), len(levels)))

    def nodes(self, *values: Mapping[str, float]) -> Floats:
        """Return some numbers at the levels with their slopes, (len(values), levels, 2)."""
        rows = np.array([[given[name] for name in self.names] for given in values])
        out = np.empty((*rows.shape, 2))
        out[..., 0], out[..., 1] = rows, rows @ self.slope.T
        return out


def levels(
    mesh: Mesh,
    vertices: Floats,
    joints: Mapping[str, Floats],
    at: Mapping[str, Floats],
    d: Mapping[str, float],
) -> Floats:
    """Return the heights of all vertices of the person who stands, by a monotone cubic."""
    ground = joints["ground"][2]
    top = vertices[: mesh.skin, 2].max()
    pairs = [(ground, 0.0), (top, d["stature"])]
    for name, of in (("ankle", "ankle_left"), ("knee", "knee_left"), ("upper-leg", "hip_left")):
        pairs.append((joints[f"l-{name}"][2], at[of][2]))
    pairs.append((joints["l-shoulder"][2], at["shoulder_left"][2] - LOW * d["stature"]))
    navel, bust = (float(vertices[list(k), 2].mean()) for k in (NAVEL, BUST))
    pairs += [(navel, d["waist_height_omphalion"]), (bust, d["chest_height"])]
    for name, of in (("neck", "C7_T1"), ("head", "C0_C1"), ("l-eye", "eye")):
        pairs.append((joints[name][2], at[of][2]))
    pairs.sort()
    x, y = np.array(pairs).T
    return _cubic(x, y, vertices[:, 2])


def _cubic(x: Floats, y: Floats, at: Floats) -> Floats:
    """Return a monotone cubic (Fritsch and Butland's harmonic slopes), straight beyond its ends."""
    h, rise = np.diff(x), np.diff(y) / np.diff(x)
    a, b = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    slope = np.r_[rise[0], (a + b) / (a / rise[:-1] + b / rise[1:]), rise[-1]]
    k = np.clip(np.searchsorted(x, at) - 1, 0, len(h) - 1)
    t = (at - x[k]) / h[k]
    inside = np.clip(t, 0, 1)
    u, s = inside, 1 - inside
    value = (
        y[k] * s * s * (1 + 2 * u)
        + y[k + 1] * u * u * (3 - 2 * u)
        + h[k] * u * s * (slope[k] * s - slope[k + 1] * u)
    )
    return np.asarray(value + (t - inside) * h[k] * np.where(t < 0, slope[k], slope[k + 1]))


@dataclass(frozen=True, eq=False)
class Arm:
    """An arm of the mesh and where its parts are to lie.

    Attributes
    ----------
    shoulder, elbow, wrist : (ndarray (3,), ndarray (3,))
        On the mesh; of the person.
    link : ndarray (3,)
        The joint center of the person's shoulder.
    palm : ndarray (3,)
        Unit, out of the palm.
    hand : ndarray (3,)
        Unit, wrist to middle knuckle.
    hand_scale : (float, float)
        Along the hand and across.
    digits : ndarray (5, 4, 3)
        Joints and tip of each digit, thumb first, of the person.
    """

    shoulder: tuple[Floats, Floats]
    elbow: tuple[Floats, Floats]
    wrist: tuple[Floats, Floats]
    link: Floats
    palm: Floats
    hand: Floats
    hand_scale: tuple[float, float]
    digits: Floats


def unit(v: Floats) -> Floats:
    """Return a vector's direction."""
    return np.asarray(v / np.sqrt(v @ v))


def cross(a: Floats, b: Floats) -> Floats:
    """Return the cross product of two vectors; np.cross takes ten times as long."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def arm_of(
    side: str,
    vertices: Floats,
    joints: Mapping[str, Floats],
    at: Mapping[str, Floats],
    d: Mapping[str, float],
    inward: float,
) -> Arm:
    """Return an arm; `inward` moves the mesh's shoulder to the middle."""
    letter, sign = SIDES[side]
    j = {k[2:]: v for k, v in joints.items() if k.startswith(letter + "-")}
    shoulder, elbow, wrist = j["shoulder"], j["elbow"], j["hand"]
    link = at[f"shoulder_{side}"]
    low = link - [0, sign * inward, LOW * d["stature"]]
    upper = np.linalg.norm(at[f"elbow_{side}"] - link)
    fore = np.linalg.norm(at[f"wrist_{side}"] - at[f"elbow_{side}"])
    elbow_at = link + upper * unit(elbow - shoulder)
    wrist_at = elbow_at + fore * unit(wrist - elbow)
    path = [wrist, *(j[f"finger-3-{k}"] for k in (1, 2, 3, 4))]
    long = sum(np.linalg.norm(b - a) for a, b in pairwise(path))
    hand = unit(path[1] - wrist)
    across = j["finger-2-1"] - j["finger-5-1"]
    palm = -sign * unit(cross(across, hand))
    wide = np.linalg.norm(across - (across @ hand) * hand)
    off = np.array([[j[f"finger-{i}-{k}"] for k in (1, 2, 3, 4)] for i in range(1, 6)]) - wrist
    scale = (float(d["hand_length"] / long), float(d["hand_breadth"] * 0.73 / wide))
    length = (off @ hand)[..., None] * hand
    # Knuckle to knuckle of index and little finger is 0.73 of hand breadth on the mesh.
    return Arm(
        (shoulder, low),
        (elbow, elbow_at),
        (wrist, wrist_at),
        link,
        palm,
        hand,
        scale,
        wrist_at + scale[0] * length + scale[1] * (off - length),
    )
