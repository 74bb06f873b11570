"""A plain body: round cones along the figure's bones, as thick as the tape says; no mesh of others.

Each part is the hull of two balls, drawn as a closed loft; the parts overlap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.errors import ArgumentError
from handik.people.dimensions import Dimensions
from handik.people.skeleton import joint_centers
from handik.people.surface._capsules import BodyCapsule
from handik.people.surface._place import SIDES
from handik.people.surface._surface import Surface
from handik.spec._given import is_model, of_class, reals

if TYPE_CHECKING:
    from handik.people.human import Human
    from handik.people.surface._data import Floats, Ints

__all__ = ["PlainSurface"]

#: Corners of a ring of the loft, and rings on each of its two balls.
_AROUND, _RINGS = 20, 6
#: Relaxed girth over that of the flexed arm. [assumption]
_BICEPS, _FOREARM = 0.93, 0.96
#: Of a spine that moves; else the trunk.
_VERTEBRAE = ("L4", "T8", "T1")
_X, _Y, _Z = np.eye(3)


def _loft(n: int = _AROUND, rings: int = _RINGS) -> Ints:
    """Return the triangles of a loft of `2 rings` rings of `n` and two poles, the first before."""
    k = np.arange(n)
    after = (k + 1) % n
    out = [np.stack([0 * k, 1 + after, 1 + k], 1)]
    for ring in range(2 * rings - 1):
        a, b = 1 + ring * n, 1 + (ring + 1) * n
        out += [np.stack([a + k, a + after, b + k], 1), np.stack([a + after, b + after, b + k], 1)]
    last = 1 + 2 * rings * n
    out.append(np.stack([0 * k + last, last - n + k, last - n + after], 1))
    return np.concatenate(out)


def _points(a: Floats, b: Floats, radii: tuple[float, float]) -> Floats:
    """Return the corners of a loft round the hull of two balls, from the start to the end."""
    length = float(np.linalg.norm(b - a))
    axis = (b - a) / length
    lean = np.arccos(np.clip((radii[0] - radii[1]) / length, -0.99, 0.99))
    first = np.cross(axis, _Y if abs(axis[1]) < 0.7 else _X)
    first /= np.linalg.norm(first)
    turn = 2 * np.pi * np.arange(_AROUND) / _AROUND
    across = np.outer(np.cos(turn), first) + np.outer(np.sin(turn), np.cross(axis, first))
    out = [(a - radii[0] * axis)[None]]
    for center, radius, angles in (
        (a, radii[0], np.linspace(np.pi, lean, _RINGS + 1)[1:]),
        (b, radii[1], np.linspace(lean, 0, _RINGS + 1)[:-1]),
    ):
        for angle in angles:
            out.append(center + radius * (np.cos(angle) * axis + np.sin(angle) * across))
    out.append((b + radii[1] * axis)[None])
    return np.concatenate(out)


def _trunk(d: Mapping[str, float], at: Mapping[str, Floats], lift: float) -> list[Any]:
    """Return parts that lie across the trunk: of the tape, one between each two, the shoulders."""
    across = float(at["shoulder_left"][1])
    z = [at["hip_left"][2], d["waist_height_omphalion"] + lift, d["chest_height"] + lift]
    rows = np.array(
        [
            (0.0, z[0], d["hip_breadth"], d["buttock_depth"]),
            (at["L5_S1"][0], z[1], d["waist_breadth"], d["waist_depth"]),
            (at["L5_S1"][0], z[2], d["chest_breadth"], d["chest_depth"]),
            (
                at["shoulder_left"][0],
                at["shoulder_left"][2],
                2 * across,
                0.5 * d["chest_depth"],
            ),
        ]
    )
    between = (rows[1:] + rows[:-1]) / 2
    names = ("pelvis", "waist", "chest", "shoulders"), ("belly", "ribs", "armpits")
    links = ("pelvis", "L4", "T8", "T1"), ("L4", "T8", "T1")
    out = []
    for own, of, lying in zip(names, links, (rows, between), strict=True):
        for name, link, (x, height, breadth, depth) in zip(own, of, lying, strict=True):
            r = depth / 2
            half = max(breadth / 2 - r, 0.005) * _Y
            middle = np.array([x, 0.0, height])
            out.append((name, link, (middle - half, middle + half, (r, r))))
    return out


def _parts(d: Dimensions, at: Mapping[str, Floats], lift: float) -> list[tuple[str, str, Any]]:
    """Return names, links and (start, end, radii) in the person's world, at rest."""
    head = d["head_breadth"] / 2
    eye, low, pivot = at["eye"], at["C7_T1"], at["C0_C1"]
    crown, nape = at["vertex"][2] - head, eye[0] + 0.01 - d["head_length"]
    chin = eye[2] - 0.95 * d["menton_sellion_length"] + 0.55 * head
    out = [
        *_trunk(d, at, lift),
        ("neck", "T1", (low, low + 0.8 * (pivot - low), _girths(d, "neck", "neck"))),
        (
            "skull",
            "head",
            (np.array([nape + head, 0, crown]), np.array([eye[0] - head, 0, crown]), (head, head)),
        ),
        (
            "face",
            "head",
            (
                np.array([eye[0] - 0.9 * head, 0, eye[2]]),
                np.array([eye[0] - 0.45 * head, 0, chin]),
                (0.9 * head, 0.55 * head),
            ),
        ),
    ]
    for side in SIDES:
        p = {k: at[f"{k}_{side}"] for k in ("hip", "knee", "ankle", "toe", "shoulder", "elbow")}
        wrist, tip = at[f"wrist_{side}"], at[f"middle_tip_{side}"]
        calf = p["knee"] + 0.31 * (p["ankle"] - p["knee"])
        sole = 0.45 * d["lateral_malleolus_height"]
        heel = np.array([p["toe"][0] - d["ball_of_foot_length"] + sole, p["toe"][1], sole])
        ahead = heel + (d["foot_length"] - 2 * sole) * _X
        palm = 0.3 * d["hand_breadth"]
        fore = _FOREARM * d["forearm_circumference_flexed"] / (2 * np.pi)
        upper = _BICEPS * d["biceps_circumference_flexed"] / (2 * np.pi)
        slim = d["wrist_circumference"] / (2 * np.pi)
        rows = {
            "thigh": ("thigh", (p["hip"], p["knee"], _girths(d, "thigh", "lower_thigh"))),
            "calf": ("shank", (p["knee"], calf, _girths(d, "calf", "calf"))),
            "shank": ("shank", (calf, p["ankle"], _girths(d, "calf", "ankle"))),
            "foot": ("foot", (heel, ahead, (sole, sole))),
            "upper_arm": ("upper_arm", (p["shoulder"], p["elbow"], (upper, fore))),
            "forearm": ("forearm", (p["elbow"], wrist, (fore, slim))),
            "hand": ("hand", (wrist, tip + palm * _Z, (slim, palm))),
        }
        out += [(f"{name}_{side}", f"{link}_{side}", ends) for name, (link, ends) in rows.items()]
    return out


def _girths(d: Mapping[str, float], first: str, second: str) -> tuple[float, float]:
    """Return the radii of two girths."""
    one, other = (d[f"{k}_circumference"] / (2 * np.pi) for k in (first, second))
    return one, other


class PlainSurface:
    """A plain body of round cones, as ``human.surface`` of a person with ``body="plain"``.

    Parameters
    ----------
    human : Human

    Raises
    ------
    TypeError
        When `human` is no `Human`.

    Notes
    -----
    Each part is the hull of two balls along a bone of the figure. Radii are girths over two pi,
    or half the depth of the trunk; nothing is fitted to volume. The hand is one part, the fingers
    straight.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female", stature=1.62, body="plain")
    >>> len(anna.capsules), anna.surface(anna.rest).vertices.shape[0] // 20
    (24, 290)
    """

    def __init__(self, human: Human) -> None:
        of_class("human.dimensions", getattr(human, "dimensions", human), Dimensions)
        is_model(getattr(human, "model", human), "human.model")
        d, self._model = human.dimensions, human.model
        at = joint_centers(d, human.position)
        lift = float(at["hip_left"][2] - joint_centers(d, "standing")["hip_left"][2])
        sound = human._sound()
        names = sound.model.frame_names
        poses = dict(zip(names, sound.model.frames(sound._hanging), strict=True))
        have = set(self._model.frame_names)
        self._parts = []
        for name, link, (a, b, radii) in _parts(d, at, lift):
            link = link if link in have or link not in _VERTEBRAE else "trunk"
            if link in have:
                back = np.linalg.inv(poses[link])
                ends = [back[:3, :3] @ k + back[:3, 3] for k in (a, b)]
                for end in ends:
                    end.flags.writeable = False
                r = (float(radii[0]), float(radii[1]))
                self._parts.append(BodyCapsule(name, link, ends[0], ends[1], r))
        self._points = [_points(c.start, c.end, c.radii) for c in self._parts]
        faces = _loft()
        n = len(self._points[0])
        self._faces = np.concatenate([faces + n * k for k in range(len(self._parts))])

    def _capsules(self) -> tuple[BodyCapsule, ...]:
        """Return the capsules of `Human.capsules`."""
        return tuple(self._parts)

    def __call__(self, q: Any) -> Surface:
        """Return the surface in a posture.

        Parameters
        ----------
        q : array_like (nq,)
            Coordinates of the person's model.

        Returns
        -------
        Surface
            A closed loft for each of ``human.capsules``, in their order.

        Raises
        ------
        ArgumentError
            When `q` is not one row of finite numbers.

        Examples
        --------
        >>> import handik as hk
        >>> bob = hk.human(sex="male", body="plain")
        >>> bob.surface(bob.rest).faces.shape
        (11520, 3)
        """
        row = reals(q, "q", (self._model.nq,))
        if row.ndim != 1:
            raise ArgumentError(
                f"q must be one posture of shape ({row.shape[-1]},), got {row.shape}"
            )
        poses = dict(zip(self._model.frame_names, self._model.frames(row), strict=True))
        rows = [
            points @ poses[c.link][:3, :3].T + poses[c.link][:3, 3]
            for c, points in zip(self._parts, self._points, strict=True)
        ]
        return Surface(np.concatenate(rows), self._faces)
