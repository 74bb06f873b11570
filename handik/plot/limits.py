"""The limits of a joint, drawn on the sphere of the directions its bone can take."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.model import Model
from handik.spec import Cone
from handik.spec._given import is_model, known_name, reals, whole_number
from handik.spec.limits import ReachCone, TwistTable, swing_direction
from handik.spec.parts import room_of

__all__ = ["joint_limits"]

Array = NDArray[np.float64]

EDGE, FILL, BONE = "#D55E00", "#56B4E9", "#1b2430"
MOST = np.pi - 1e-5


def joint_limits(
    model: Model,
    joint: str,
    *,
    q: ArrayLike | None = None,
    ax: Axes | None = None,
    count: int = 120,
) -> Axes:
    """Draw where a joint lets its bone point.

    A ball shows its cone or polygon, the width of its twist as color where that changes with the
    swing; revolute ones the arc of a direction across its axis; a universal joint the patch of the
    direction across both axes.

    Parameters
    ----------
    model : Model
    joint : str
        Name of a revolute, universal or ball joint.
    q : array_like, shape (nq,) or (n, nq), optional
        Poses whose bones are drawn as dots.
    ax : Axes, optional
        Of projection "3d"; one of its own if not given.
    count : int
        Fineness of the picture: patches from rest to the back of the sphere.

    Returns
    -------
    Axes
        In the axes of the joint's own frame, before its motion.

    Raises
    ------
    NotFoundError
        When there is no such joint.
    UnsupportedError
        When the joint slides, does not move, or is free to go anywhere.
    ArgumentError
        For poses of another shape.

    Examples
    --------
    >>> import handik as hk
    >>> spec = hk.chain([1.0], "ball").spec
    >>> spec.joints[0].cone = hk.Cone(1.0)
    >>> ax = hk.plot.joint_limits(hk.Model(spec), "joint_1")
    >>> ax.name
    '3d'
    """
    is_model(model)
    known_name("joint", joint, model.joint_names)
    if not 4 <= whole_number("count", count) <= 1000:
        raise ArgumentError(f"count must be 4 to 1000, got {count}")
    poses = None if q is None else reals(q, "q", (model.nq,)).reshape(-1, model.nq)
    if ax is None:
        ax = plt.figure(figsize=(5.2, 5.0), layout="constrained").add_subplot(projection="3d")
    picture = _Picture(model, joint, ax, count)
    draw_sphere(ax)
    picture.region()
    if poses is not None:
        picture.bones(poses)
    picture.finish()
    return ax


class _Picture:
    """One joint on one pair of axes."""

    def __init__(self, model: Model, joint: str, ax: Any, count: int) -> None:
        self.model, self.ax, self.count = model, ax, count
        self.joint = next(j for j in model.spec.joints if j.name == joint)
        if self.joint.kind not in ("revolute", "universal", "ball"):
            raise UnsupportedError(
                f"joint {joint!r} is {self.joint.kind}: it has no limits on the sphere"
            )
        self.middle = np.zeros(3)
        self.axes = self._axes()

    def _axes(self) -> Array:
        """Columns x, y, z of the region in the joint's frame; z is the bone at rest."""
        step = int(self.model.joint_step[self.model.joint_names.index(self.joint.name)])
        if self.joint.kind == "ball" and self.joint.cone is not None:
            found: Array = self.model.swing[self.model.step_swing[step], :9].reshape(3, 3)
            return found
        first = np.asarray(self.joint.axis, float)
        first = first / np.linalg.norm(first)
        other = self.joint.axis2
        second = np.asarray(other if other is not None else (1.0, 0.0, 0.0), float)
        second = second - first * (first @ second)
        if np.linalg.norm(second) < 1e-9:
            second = np.array([0.0, 1.0, 0.0]) - first * first[1]
        second = second / np.linalg.norm(second)
        if self.joint.kind == "ball":
            return np.stack([second, np.cross(first, second), first], axis=1)
        return np.stack([first, np.cross(second, first), second], axis=1)

    def region(self) -> None:
        kind = self.joint.kind
        if kind == "ball":
            self._ball()
        elif kind == "revolute":
            self._hinge()
        else:
            self._universal()
        rest = self.axes[:, 2] * 1.15
        self.ax.plot(*zip((0, 0, 0), rest, strict=True), color=BONE, linewidth=2)

    def _hinge(self) -> None:
        lower, upper = (float(limit[0]) for limit in self.joint.limits())
        lower, upper = max(lower, -np.pi), min(upper, np.pi)
        angle = np.linspace(lower, upper, 2 * self.count)
        across = np.cross(self.axes[:, 0], self.axes[:, 2])
        arc = np.outer(np.cos(angle), self.axes[:, 2]) + np.outer(np.sin(angle), across)
        fan = Poly3DCollection([np.vstack([np.zeros(3), arc])], facecolor=FILL, alpha=0.35)
        self.ax.add_collection3d(fan)
        self.ax.plot(*arc.T, color=EDGE, linewidth=2.5)
        self.ax.plot(*np.stack([-self.axes[:, 0], self.axes[:, 0]]).T, color=BONE, linewidth=1)
        self.middle = arc.mean(axis=0) + 0.6 * self.axes[:, 0]

    def _universal(self) -> None:
        limits = np.clip(np.array(self.joint.limits()), -np.pi, np.pi)
        (low_a, low_b), (high_a, high_b) = limits.tolist()
        count = self.count // 2
        a, b = np.meshgrid(np.linspace(low_a, high_a, count), np.linspace(low_b, high_b, count))
        first = np.asarray(self.joint.axis, float)
        second = np.asarray(self.joint.axis2, float)
        first, second = first / np.linalg.norm(first), second / np.linalg.norm(second)
        bone = np.cross(first, second)
        bone /= np.linalg.norm(bone)
        self.axes = np.stack([first, np.cross(bone, first), bone], axis=1)
        points = _turn(first, a, _turn(second, b, np.broadcast_to(bone, (*a.shape, 3))))
        self._patches(points, np.full((count - 1, count - 1), True), None)
        for edge in (points[0], points[-1], points[:, 0], points[:, -1]):
            self.ax.plot(*edge.T, color=EDGE, linewidth=2)

    def _ball(self) -> None:
        limits = room_of(self.joint.cone)
        if self.joint.hold is not None:
            bone = _turned(np.array([self.joint.hold]), self.axes[:, 2])
            self.ax.scatter(*bone.T, color=EDGE, s=40)
            self.middle = bone[0]
            return
        swing = np.linspace(0, MOST, self.count + 1)
        azimuth = np.linspace(-np.pi, np.pi, 2 * self.count + 1)
        r, a = np.meshgrid(swing, azimuth, indexing="ij")
        uv = np.stack([r * np.cos(a), r * np.sin(a)], axis=-1)
        centre = 0.25 * (uv[1:, 1:] + uv[:-1, 1:] + uv[1:, :-1] + uv[:-1, :-1])
        keep: NDArray[np.bool_] = np.ones(centre.shape[:2], bool)
        if limits is not None:
            keep = _inside(limits, centre)
        width = None
        if limits is not None and isinstance(limits.twist, TwistTable):
            low, high = limits.twist.at(centre)
            width = np.degrees(high - low)
            if np.ptp(width[keep]) < 1e-6:  # as wide everywhere: colors would show rounding
                width = None
        self._patches(swing_direction(uv) @ self.axes.T, keep, width)
        for line in _edges(limits):
            self.ax.plot(*(line @ self.axes.T).T, color=EDGE, linewidth=2)

    def _patches(self, points: Array, keep: NDArray[np.bool_], value: Array | None) -> None:
        """Fill the quadrangles of a grid of points where `keep`, colored by a value."""
        quads = np.stack([points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]], 2)
        chosen = quads[keep]
        if len(chosen) == 0:
            return
        color: Any = FILL
        if value is not None:
            scale = Normalize(float(value[keep].min()), float(value[keep].max()))
            color = colormaps["viridis"](scale(value[keep]))
            bar = self.ax.figure.colorbar(
                ScalarMappable(scale, "viridis"), ax=self.ax, shrink=0.6, pad=0.02
            )
            bar.set_label("width of the twist [deg]")
        self.ax.add_collection3d(
            Poly3DCollection(chosen, facecolor=color, edgecolor="none", alpha=0.55)
        )
        area = np.linalg.norm(
            np.cross(chosen[:, 2] - chosen[:, 0], chosen[:, 3] - chosen[:, 1]), axis=1
        )
        self.middle = (chosen.mean(axis=1) * area[:, None]).sum(axis=0)

    def bones(self, q: Array) -> None:
        part = q[:, self.model.joint_q_slices[self.joint.name]]
        if self.joint.kind == "ball":
            dots = _turned(part, self.axes[:, 2])
        elif self.joint.kind == "revolute":
            dots = _turn(self.axes[:, 0], part[:, 0], np.broadcast_to(self.axes[:, 2], (len(q), 3)))
        else:
            first, second = (np.asarray(a, float) for a in (self.joint.axis, self.joint.axis2))
            bone = np.broadcast_to(self.axes[:, 2], (len(q), 3))
            inner = _turn(second / np.linalg.norm(second), part[:, 1], bone)
            dots = _turn(first / np.linalg.norm(first), part[:, 0], inner)
        self.ax.scatter(*(1.01 * dots).T, color=BONE, s=8, depthshade=False)

    def finish(self) -> None:
        ax, middle = self.ax, self.middle
        face_sphere(ax, middle)
        ax.set_title(f"limits of {self.joint.name}")


def draw_sphere(ax: Any) -> None:
    """Draw the sphere of directions as thin circles."""
    turn = np.linspace(0, 2 * np.pi, 73)
    rings = []
    for height in np.linspace(-60, 60, 5):
        c, s = np.cos(np.radians(height)), np.sin(np.radians(height))
        rings.append(np.stack([c * np.cos(turn), c * np.sin(turn), np.full(73, s)]))
    for azimuth in np.arange(0, np.pi, np.pi / 6):
        c, s = np.cos(azimuth), np.sin(azimuth)
        rings.append(np.stack([c * np.sin(turn), s * np.sin(turn), np.cos(turn)]))
    for ring in rings:
        ax.plot(*ring, color="#c9d0d8", linewidth=0.5, alpha=0.7)


def face_sphere(ax: Any, middle: Array) -> None:
    """Turn the sphere so that a direction faces the reader, and name its axes."""
    if np.linalg.norm(middle) > 1e-6:
        flat = np.hypot(middle[0], middle[1])
        ax.view_init(
            elev=float(np.degrees(np.arctan2(middle[2], flat))) + 12,
            azim=float(np.degrees(np.arctan2(middle[1], middle[0]))) + 18,
        )
    ax.set_xlim(-1, 1), ax.set_ylim(-1, 1), ax.set_zlim(-1, 1)
    ax.set_box_aspect((1, 1, 1))
    ax.set_xlabel("x"), ax.set_ylabel("y"), ax.set_zlabel("z")
    ax.set_xticks([-1, 0, 1]), ax.set_yticks([-1, 0, 1]), ax.set_zticks([-1, 0, 1])


def _inside(limits: Cone | ReachCone, uv: Array) -> NDArray[np.bool_]:
    """Tell which swings (..., 2) are inside."""
    if isinstance(limits, ReachCone):
        found: NDArray[np.bool_] = limits.distance(swing_direction(uv)) <= 0
        return found
    half = np.asarray(limits.row()[:4])
    scaled = uv / np.maximum(np.where(uv >= 0, half[:2], half[2:]), 1e-9)
    inside: NDArray[np.bool_] = np.sum(scaled**2, axis=-1) <= 1
    return inside


def _edges(limits: Cone | ReachCone | None) -> list[Array]:
    """Return the edge as lines of directions in the axes of the joint."""
    if limits is None:
        return []
    if isinstance(limits, ReachCone):
        corner = limits.directions()
        t = np.linspace(0, 1, 40)[:, None]
        arcs = [(1 - t) * a + t * b for a, b in zip(corner, np.roll(corner, -1, 0), strict=True)]
        return [arc / np.linalg.norm(arc, axis=1, keepdims=True) for arc in arcs]
    phi = np.linspace(0, 2 * np.pi, 721)
    half = np.asarray(limits.row()[:4])
    uv = np.stack([np.cos(phi), np.sin(phi)], axis=1)
    uv *= np.where(uv >= 0, half[:2], half[2:])
    line = swing_direction(uv)
    line[np.hypot(uv[:, 0], uv[:, 1]) > MOST] = np.nan
    return [line]


def _turn(axis: Array, angle: Array, points: Array) -> Array:
    """Turn points (..., 3) about an axis by angles (...)."""
    c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
    along = (points @ axis)[..., None] * axis
    turned: Array = along + c * (points - along) + s * np.cross(axis, points)
    return turned


def _turned(q: Array, bone: Array) -> Array:
    """Turn one direction by quaternions (n, 4)."""
    w, v = q[:, :1], q[:, 1:]
    turned: Array = bone + 2 * (w * np.cross(v, bone) + np.cross(v, np.cross(v, bone)))
    return turned
