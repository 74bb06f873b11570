"""What terms and couplings allow: directions on the sphere, ranges of twist, the ground."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.model import Model
from handik.plot.limits import BONE, EDGE, FILL, draw_sphere, face_sphere
from handik.problem._support import hull, inset
from handik.problem.terms import Axis, CenterOfMass, Level, LookAt, Term
from handik.spec._given import is_model, known_name, points_of, reals
from handik.spec.limits import TwistTable

__all__ = ["allowed", "coupling", "twist"]

Array = NDArray[np.float64]


def allowed(
    term: Term,
    *,
    direction: ArrayLike | None = None,
    directions: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what meets a term.

    `Level` is a band of directions about the world's, `Axis` and `LookAt` a cap about the one they
    are given, all as wide as the term's tolerance and with their middle drawn as a line or dot;
    `CenterOfMass` over a support is a region of the ground.

    Parameters
    ----------
    term : Term
        What is drawn.
    direction : array_like, shape (3,), optional
        World. Of `Axis` its target, of `LookAt` the way from the eye to the point.
    directions : array_like, shape (n, 3) or, on the ground, (n, 2), optional
        Present axes, or centers of mass, drawn as dots.
    ax : Axes, optional
        Of projection "3d" but for the ground; one of its own if not given.

    Returns
    -------
    Axes
        With the picture.

    Raises
    ------
    ArgumentError
        When the direction is missing, or has no length.
    UnsupportedError
        A kind with nothing to draw: what it allows is no set of directions. Positions and poses
        are points; `Distance`, `Loop` and `SelfCollision` bound a gap between two moving parts;
        `Posture` and `Damping` allow everything.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.plot import allowed
    >>> allowed(hk.Level(axis=(0.0, 0.0, 1.0))).name  # doctest: +SKIP
    '3d'
    """
    if isinstance(term, CenterOfMass) and term.over is not None:
        return _ground(term, directions, ax)
    if not isinstance(term, Level | Axis | LookAt):
        raise UnsupportedError(
            f"{type(term).__name__} has no region on the sphere; Level, Axis, LookAt and "
            "CenterOfMass(over=...) have a picture, joints theirs by plot.joint_limits"
        )
    middle, angle = term.direction if isinstance(term, Level) else direction, 0.0
    if isinstance(term, Level):
        angle = term.angle
    if middle is None:
        raise ArgumentError(f"{type(term).__name__} is drawn about a direction=")
    about = points_of(middle, "direction", (3,))
    if not np.linalg.norm(about) > 0:
        raise ArgumentError("direction must not be zero")
    about = about / np.linalg.norm(about)
    if ax is None:
        ax = plt.figure(figsize=(5.2, 5.0), layout="constrained").add_subplot(projection="3d")
    draw_sphere(ax)
    _band(ax, about, angle, term.orientation_tolerance)
    _dots(ax, directions)
    # a wide band is seen from its side, not from within
    face_sphere(ax, about if angle < 0.6 else 0.4 * about + _ring(about, angle)[30])
    ax.set_title(f"{type(term).__name__} of {term.frame or 'the tip'}")
    return ax


def _dots(ax: Any, directions: ArrayLike | None) -> None:
    if directions is not None:
        d = reals(directions, "directions", (3,)).reshape(-1, 3)
        length = np.linalg.norm(d, axis=1, keepdims=True)
        if not (length > 0).all():
            raise ArgumentError("directions must not be zero")
        d = 1.01 * d / length
        ax.scatter(*d.T, color=BONE, s=8, depthshade=False)


def _ring(about: Array, angle: float) -> Array:
    """Return directions at an angle to another, (121, 3)."""
    least = np.eye(3)[int(np.argmin(np.abs(about)))]
    x = np.cross(about, least)
    x /= np.linalg.norm(x)
    turn = np.linspace(0, 2 * np.pi, 121)[:, None]
    across = np.cos(turn) * x + np.sin(turn) * np.cross(about, x)
    ring: Array = np.cos(angle) * about + np.sin(angle) * across
    return ring


def _band(ax: Any, about: Array, angle: float, tolerance: float) -> None:
    """Fill the directions whose angle to `about` is within a tolerance of `angle`."""
    angles = np.linspace(max(angle - tolerance, 0.0), min(angle + tolerance, np.pi), 13)
    rings = np.stack([_ring(about, a) for a in angles])
    quads = np.stack([rings[:-1, :-1], rings[1:, :-1], rings[1:, 1:], rings[:-1, 1:]], axis=2)
    fill = Poly3DCollection(quads.reshape(-1, 4, 3), facecolor=FILL, edgecolor="none", alpha=0.55)
    ax.add_collection3d(fill)
    ax.plot(*_ring(about, angle).T, color=EDGE, linewidth=2, marker="o" if angle == 0 else "")
    ax.plot(*np.stack([np.zeros(3), 1.15 * about]).T, color=BONE, linewidth=2)


def _ground(term: CenterOfMass, centres: ArrayLike | None, ax: Axes | None) -> Axes:
    """Draw a support seen from above."""
    if ax is None:
        ax = plt.figure(figsize=(4.6, 4.2), layout="constrained").add_subplot()
    assert term.over is not None
    outer = np.array(hull(term.over))
    inner = np.array(inset(hull(term.over), term.margin))
    ax.plot(*np.vstack([outer, outer[:1]]).T, color=BONE, linewidth=1, label="support")
    ax.fill(*inner.T, facecolor=FILL, edgecolor=EDGE, alpha=0.55, label="allowed")
    if centres is not None:
        x, y = reals(centres, "directions", (2,)).reshape(-1, 2).T
        ax.scatter(x, y, color=BONE, s=8)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel("x [m]"), ax.set_ylabel("y [m]")
    ax.set_title("ground below the center of mass")
    ax.legend()
    return ax


def twist(model: Model, joint: str, *, ax: Axes | None = None) -> Axes:
    """Draw the range of twist of a ball against the direction of its swing.

    Parameters
    ----------
    model : Model
    joint : str
        Name of a ball with limits.
    ax : Axes, optional

    Returns
    -------
    Axes
        Twist in degrees by azimuth in degrees, a pair of lines for each size of swing.

    Raises
    ------
    NotFoundError
        When there is no such joint.
    UnsupportedError
        When the joint is no ball with limits.

    Examples
    --------
    >>> from handik.plot import twist
    >>> twist(model, "shoulder")  # doctest: +SKIP
    """
    is_model(model)
    known_name("joint", joint, model.joint_names)
    if joint not in model.ball_limits:
        raise UnsupportedError(f"joint {joint!r} is no ball with limits: it has no range of twist")
    table = model.ball_limits[joint].twist
    if ax is None:
        ax = plt.figure(figsize=(5.6, 3.6), layout="constrained").add_subplot()
    azimuth = np.linspace(-np.pi, np.pi, 361)
    shares = (0.0, 0.25, 0.5, 1.0) if isinstance(table, TwistTable) else (1.0,)
    for k, share in enumerate(shares):
        if isinstance(table, TwistTable):
            swing = share * table.full
            uv = swing * np.stack([np.cos(azimuth), np.sin(azimuth)], axis=-1)
            low, high = table.at(uv)
            label = f"swing {np.degrees(swing):.0f} deg"
        else:
            low, high = (np.full(len(azimuth), end) for end in table)
            label = "any swing"
        color = plt.get_cmap("viridis")(0.85 * k / len(shares))
        ax.plot(np.degrees(azimuth), np.degrees(low), color=color, label=label)
        ax.plot(np.degrees(azimuth), np.degrees(high), color=color)
    ax.fill_between(np.degrees(azimuth), np.degrees(low), np.degrees(high), color=FILL, alpha=0.25)
    ax.set_xticks(np.arange(-180, 181, 90))
    ax.set_xlabel("azimuth of the swing [deg]"), ax.set_ylabel("twist [deg]")
    ax.set_title(f"twist of {joint}")
    ax.legend(fontsize="small")
    return ax


def coupling(model: Model, joint: str, *, ax: Axes | None = None) -> Axes:
    """Draw how joints follow one: their own coordinates against its.

    Parameters
    ----------
    model : Model
    joint : str
        A revolute or prismatic joint that others follow (`MimicSpec`, `spec.couple`).
    ax : Axes, optional

    Returns
    -------
    Axes
        A line for each follower, in radians or meters; the joint itself from limit to limit.

    Raises
    ------
    NotFoundError
        When there is no such joint.
    UnsupportedError
        When nothing follows it, or what follows is the swing of a ball.

    Examples
    --------
    >>> from handik.plot import coupling
    >>> coupling(model, "elbow")  # doctest: +SKIP
    """
    is_model(model)
    known_name("joint", joint, model.joint_names)
    above = list(model.joint_names).index(joint)
    if model.joint_kinds[above] == "ball":
        raise UnsupportedError(f"{joint!r} is a ball: its followers are no lines in one coordinate")
    steps = [
        (int(s), model.joint_names[owner])
        for s, owner in enumerate(model.step_joint)
        if model.joint_mimic[owner] == above
    ]
    if not steps:
        raise UnsupportedError(f"no joint follows {joint!r}")
    at = model.joint_q_slices[joint].start
    wide = np.pi if model.joint_kinds[above] == "revolute" else 1.0
    q = np.linspace(max(model.lower[at], -wide), min(model.upper[at], wide), 2)
    if ax is None:
        ax = plt.figure(figsize=(5.2, 3.6), layout="constrained").add_subplot()
    for step, name in steps:
        scale, offset = model.step_line[step]
        ax.plot(q, scale * q + offset, label=f"{name}: {scale:.3g} q {offset:+.3g}")
    unit = "rad" if model.joint_kinds[above] == "revolute" else "m"
    ax.set_xlabel(f"{joint} [{unit}]"), ax.set_ylabel("what follows [rad or m]")
    ax.set_title(f"joints that follow {joint}")
    ax.legend(fontsize="small")
    return ax
