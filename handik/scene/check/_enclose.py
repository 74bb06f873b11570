"""Capsules that hold the shapes of a robot's links and the round cones of a person's parts."""

from __future__ import annotations

from math import hypot, inf
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.problem.terms import Capsule
from handik.scene.check._flesh import segments

if TYPE_CHECKING:
    from handik.people.human import Human
    from handik.spec.parts import GeometrySpec

__all__ = ["capsules_of_human", "capsules_of_links"]

Array = NDArray[np.float64]
#: Start, end and radius of a capsule.
Piece: TypeAlias = tuple[Array, Array, float]

#: Meters that a capsule may stand out of a round cone that it holds, about the axis.
THICKER = 0.01
#: Meters between floor and feet, seat and flesh of a person at rest: round cones are not as flat.
SOLE = 0.001
#: Meters that may be lost of a capsule that is pressed flat before another is put beside it.
LITTLE = 0.005


def _vertices(shape: GeometrySpec, link: str) -> Array:
    """Return the points of a mesh file, scaled."""
    if shape.file is None:
        raise ArgumentError(
            f"the collision mesh {shape.uri!r} of link {link!r} was not found: "
            "give the folder when the model is read, or capsules: hk.Figure(model, capsules)"
        )
    try:
        import trimesh
    except ImportError:
        raise UnsupportedError(
            "collision meshes are read by trimesh: pip install 'handik[mesh]', "
            "or give capsules: hk.Figure(model, capsules)"
        ) from None
    found: Any = trimesh.load(shape.file, force="mesh")
    points: Array = np.asarray(found.vertices, float) * np.asarray(shape.scale, float)
    return points


def _round(points: Array) -> tuple[Array, Array, float]:
    """Return the axis and radius of a capsule that holds points, along their longest direction."""
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    off = points - middle
    best: tuple[float, Array, Array, float] | None = None
    for way in (*np.linalg.svd(off, full_matrices=False)[2], *np.eye(3)):
        along = off @ way
        flat = off - along[:, None] * way
        low, high = flat.min(axis=0), flat.max(axis=0)
        center = (low + high) / 2
        center -= (center @ way) * way
        away = np.linalg.norm(flat - center, axis=1)
        radius = float(away.max())
        #  a point is held by the ball about an end if that end is no farther along than its chord
        chord = np.sqrt(np.maximum(radius * radius - away * away, 0.0))
        last, first = float(np.max(along - chord)), float(np.min(along + chord))
        if first > last:
            first = last = (first + last) / 2
        volume = radius * radius * (last - first + 4 / 3 * radius)
        if best is None or volume < best[0]:
            best = (volume, middle + center + first * way, middle + center + last * way, radius)
    assert best is not None
    return best[1], best[2], best[3]


def _held(shape: GeometrySpec, link: str) -> tuple[Array, Array, float]:
    """Return start, end and radius in the frame of the shape."""
    up = np.array([0.0, 0.0, (shape.length or 0.0) / 2])
    if shape.kind == "sphere":
        return np.zeros(3), np.zeros(3), float(shape.radius or 0.0)
    if shape.kind in ("capsule", "cylinder"):
        return -up, up, float(shape.radius or 0.0)
    if shape.kind == "box":
        edges = np.asarray(shape.size, float) / 2
        long = int(np.argmax(edges))
        axis = np.zeros(3)
        axis[long] = edges[long]
        return -axis, axis, hypot(*np.delete(edges, long))
    start, end, radius = _round(_vertices(shape, link))
    return start, end, radius * (1 + 1e-9) + 1e-9


def capsules_of_links(model: Any) -> tuple[tuple[Capsule, ...], tuple[str, ...]]:
    """Return a capsule that holds each collision shape, and their names."""
    out, names = [], []
    for link in model.spec.links:
        for k, shape in enumerate(link.collisions):
            start, end, radius = _held(shape, link.name)
            turn, place = shape.placement[:3, :3], shape.placement[:3, 3]
            ends = (tuple(map(float, turn @ start + place)), tuple(map(float, turn @ end + place)))
            out.append(Capsule(link.name, *ends, radius))
            names.append(link.name if k == 0 else f"{link.name} {k + 1}")
    if not out:
        raise ArgumentError(
            f"{model.name or 'the model'} has no collision shapes, by which it could touch a "
            "scene: read it from a URDF that has them, or give capsules, "
            "hk.Figure(model, capsules); without a scene (None) none are needed"
        )
    return tuple(out), tuple(names)


def _pieces(
    start: Array, end: Array, radii: tuple[float, float]
) -> list[tuple[Array, Array, float]]:
    """Return capsules of one radius each whose union holds the hull of two balls."""
    if radii[0] < radii[1]:
        start, end, radii = end, start, (radii[1], radii[0])
    length = float(np.linalg.norm(end - start))
    if length <= radii[0] - radii[1]:
        return [(start, start, radii[0])]
    count = max(1, int(np.ceil((radii[0] - radii[1]) / THICKER)))
    out = []
    for k in range(count):
        low, high = k / count, (k + 1) / count
        thick, thin = (radii[0] + s * (radii[1] - radii[0]) for s in (low, high))
        #  the thick ball, moved on until it holds the thin one
        on = max(low, high - (thick - thin) / length)
        out.append((start + low * (end - start), start + on * (end - start), thick))
    return out


def _on_the_floor(pose: Array, start: Array, end: Array, radius: float) -> Array:
    """Return the way by which a capsule is lifted that would stand in the floor at rest."""
    up = pose[2, :3]
    lowest = min(float(up @ point) for point in (start, end)) + float(pose[2, 3]) - radius
    lift: Array = max(0.0, SOLE - lowest) * up
    return lift


def _sitting(human: Human) -> Array:
    """Return postures (n, nq) in which a person sits: at rest, and the pelvis tilted as it goes."""
    tilted = human.model.joint_q_slices.get("pelvis_tilt")
    rows = np.repeat(human.rest[None], 1 if tilted is None else 3, axis=0)
    if tilted is not None:
        k = tilted.start
        rows[1:, k] = human.model.lower[k], human.model.upper[k]
    return rows


def _raised(piece: Piece, poses: Array, seat: float) -> Piece:
    """Return a capsule that is no lower than the seat in any posture, its top where it was."""
    start, end, radius = piece
    up = poses[0][2, :3]
    for _ in range(4):  # raising it changes where it is lowest a little
        low = min(float(T[2, :3] @ x + T[2, 3]) for T in poses for x in (start, end)) - radius
        by = min((seat + SOLE - low) / 2, radius)
        if by <= 1e-6:
            break
        start, end, radius = start + by * up, end + by * up, radius - by
    return start, end, radius


def _pressed(piece: Piece, poses: Array, seat: float) -> list[Piece]:
    """Return what a capsule becomes that would stand in the seat: flat, and as wide as it was.

    Its top stays. Two thinner capsules lie side by side where it was; those across the body are as
    much longer.
    """
    start, end, radius = _raised(piece, poses, seat)
    lost = piece[2] - radius
    if lost < LITTLE:
        return [(start, end, radius)]
    ahead, aside = poses[0][0, :3], poses[0][1, :3]  # of the world, in the link
    way, out, by = end - start, np.zeros(3), aside
    if abs(way @ aside) > 0.7 * np.linalg.norm(way):
        out, by = lost * np.sign(way @ aside) * aside, ahead
    both = [(start - out + s * lost * by, end + out + s * lost * by, radius) for s in (-1.0, 1.0)]
    return [_raised(one, poses, seat) for one in both]


def capsules_of_human(human: Human) -> tuple[tuple[Capsule, ...], tuple[str, ...]]:
    """Return capsules that hold a person's round cones, and the names of the parts.

    Those of the feet are lifted until the sole stands on the floor, those of trunk and thighs of
    one who sits are flat where they lie on the seat. The person is at the origin. What is fixed to
    the person's place comes last.
    """
    out, names = [], []
    sitting = _sitting(human)
    frames = human.model.frames(sitting)
    poses = {name: frames[:, k] for k, name in enumerate(human.model.frame_names)}
    part_of = segments(human.model)
    seat = human.dimensions["popliteal_height"] if human.position == "seated" else -inf
    for part in human.capsules:
        at = poses[part.link]
        on_seat = part_of[part.link].startswith(("trunk", "thigh"))
        for piece in _pieces(part.start, part.end, part.radii):
            for start, end, radius in _pressed(piece, at, seat) if on_seat else [piece]:
                lift = _on_the_floor(at[0], start, end, float(radius))
                ends = (tuple(map(float, start + lift)), tuple(map(float, end + lift)))
                out.append(Capsule(part.link, *ends, float(radius)))
                names.append(part.name)
    assert all(capsule.radius < inf for capsule in out)
    for name, capsule in human._fixed:
        out.append(capsule)
        names.append(name)
    return tuple(out), tuple(names)
