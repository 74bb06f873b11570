"""Joint trees from numbers: Denavit-Hartenberg tables and plain chains.

Standard convention (Denavit and Hartenberg 1955; Paul 1981): link frame i stands at the far end
of link i, ``T = Rz(theta) Tz(d) Tx(a) Rx(alpha)``. Modified convention (Craig 1986): it stands on
the joint's own axis, ``T = Rx(alpha) Tx(a) Rz(theta) Tz(d)`` with alpha and a of the row before,
written in this row.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, isfinite, sin
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, shortened
from handik.files.read._geometry import unit
from handik.spec import FrameSpec, JointSpec, LinkSpec, ModelSpec
from handik.spec._given import PoseLike, number, placement_of, points_of, reals, sequence

__all__ = ["chain_spec", "check_convention", "dh_row", "dh_transform", "from_dh"]

Array = NDArray[np.float64]

_KIND_WORDS = {
    "r": "revolute",
    "revolute": "revolute",
    "p": "prismatic",
    "prismatic": "prismatic",
    "f": "fixed",
    "fixed": "fixed",
}


def check_convention(convention: str) -> None:
    """Refuse what is no convention of Denavit-Hartenberg tables.

    Parameters
    ----------
    convention : str
        ``"standard"`` or ``"modified"`` passes.

    Raises
    ------
    ArgumentError
        For any other.

    Examples
    --------
    >>> check_convention("modified")
    """
    if not (isinstance(convention, str) and convention in ("standard", "modified")):
        raise ArgumentError(f"convention is {shortened(convention)}, not 'standard' or 'modified'")


def dh_transform(
    theta: float, d: float, a: float, alpha: float, convention: str = "standard"
) -> Array:
    """Return the transform that one row of a table makes.

    Parameters
    ----------
    theta, d, a, alpha : float
        The row, radians and meters.
    convention : {"standard", "modified"}
        Standard, ``Rz(theta) Tz(d) Tx(a) Rx(alpha)``, or modified (Craig),
        ``Rx(alpha) Tx(a) Rz(theta) Tz(d)``.

    Returns
    -------
    ndarray (4, 4)
        The pose of frame i in frame i - 1.

    Raises
    ------
    ArgumentError
        For another convention.

    Examples
    --------
    >>> dh_transform(0.0, 0.1, 0.2, 0.0)[:3, 3]
    array([0.2, 0. , 0.1])
    """
    check_convention(convention)
    theta, d = number("theta", theta), number("d", d)
    a, alpha = number("a", a), number("alpha", alpha)
    if not (isfinite(theta) and isfinite(alpha)):
        raise ArgumentError("theta and alpha must be finite")
    ct, st, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    if convention == "standard":
        rows = [
            [ct, -st * ca, st * sa, a * ct],
            [st, ct * ca, -ct * sa, a * st],
            [0.0, sa, ca, d],
        ]
    else:
        rows = [
            [ct, -st, 0.0, a],
            [st * ca, ct * ca, -sa, -d * sa],
            [st * sa, ct * sa, ca, d * ca],
        ]
    return np.array([*rows, [0.0, 0.0, 0.0, 1.0]])


def dh_row(place: Array, convention: str = "standard") -> tuple[float, float, float, float]:
    """Return the row of a table that makes a transform.

    Of a transform that no single row makes, the row is the one whose numbers can be read off it;
    `dh_transform` of it tells whether it is the same.

    Parameters
    ----------
    place : ndarray (4, 4)
        The transform, meters.
    convention : {"standard", "modified"}
        Standard, or modified (Craig).

    Returns
    -------
    theta, d, a, alpha : float
        Radians and meters.

    Raises
    ------
    ArgumentError
        For another convention.

    Examples
    --------
    >>> dh_row(dh_transform(0.0, 0.1, 0.2, 0.0))
    (0.0, 0.1, 0.2, 0.0)
    """
    check_convention(convention)
    place = points_of(place, "place", (4, 4))
    r, t = place[:3, :3], place[:3, 3]
    if convention == "standard":
        theta, alpha = atan2(r[1, 0], r[0, 0]), atan2(r[2, 1], r[2, 2])
        return theta, float(t[2]), float(cos(theta) * t[0] + sin(theta) * t[1]), alpha
    theta, alpha = atan2(-r[0, 1], r[0, 0]), atan2(-r[1, 2], r[2, 2])
    return theta, float(cos(alpha) * t[2] - sin(alpha) * t[1]), float(t[0]), alpha


def from_dh(
    table: ArrayLike,
    convention: str = "standard",
    *,
    kinds: str | Sequence[str] | None = None,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    base: PoseLike | None = None,
    tool: PoseLike | None = None,
    name: str = "dh",
) -> ModelSpec:
    """Build a serial arm from a Denavit-Hartenberg table.

    Parameters
    ----------
    table : array_like (n, 4)
        Rows theta, d, a, alpha in radians and meters. The theta of a revolute joint and the d of
        a prismatic one are constants added to the joint's coordinate.
    convention : str
        ``"standard"`` or ``"modified"`` (Craig).
    kinds : str or sequence of str, optional
        ``"revolute"``, ``"prismatic"`` or ``"fixed"`` for each row, or a word such as
        ``"RRPR"`` or ``"RRF"``; all revolute by default.
    lower, upper : array_like (n,), optional
        Limits of the coordinates, in radians or meters.
    names : sequence of str, optional
        Names of the joints; ``joint_1`` ... ``joint_n`` by default.
    base : array_like, shape (4, 4) or (3,), or pair, or RigidTransform, optional
        Pose of frame 0 in the world. Adds the link ``base`` above ``link_0``.
    tool : array_like, shape (4, 4) or (3,), or pair, or RigidTransform, optional
        Pose of the tool in frame n. Adds the frame ``tool``.
    name : str
        Name of the model.

    Returns
    -------
    ModelSpec
        Links ``link_0`` ... ``link_n``, where ``link_i`` is frame i of the table. In the standard
        convention frame i does not stand on its joint's axis, so that joint i carries a link
        ``axis_i``, on which ``link_i`` is fixed.

    Raises
    ------
    ArgumentError
        For a table that is not (n, 4), numbers that are not finite, a twist alpha of more than a
        turn (degrees), or lists of another length.
    ModelError
        For reversed limits, equal names, or a base or tool that is not a rigid motion.

    Examples
    --------
    >>> from handik.files.read.dh import from_dh
    >>> spec = from_dh([[0.0, 0.4, 0.0, 1.57], [0.0, 0.0, 0.5, 0.0]], lower=-2.0, upper=2.0)
    >>> [joint.name for joint in spec.joints if joint.kind == "revolute"]
    ['joint_1', 'joint_2']
    """
    rows = reals(table, "table", ())
    if rows.ndim != 2 or rows.shape[1] != 4 or not len(rows):
        raise ArgumentError(
            f"table must be (n, 4) with rows theta, d, a, alpha; its shape is {rows.shape}"
        )
    check_convention(convention)
    _no_degrees(rows[:, 3])
    n = len(rows)
    joint_kinds = _kinds(kinds, n)
    if names is None:
        joint_names = [f"joint_{i + 1}" for i in range(n)]
    else:
        joint_names = (
            [names] if isinstance(names, str) else list(sequence("names", names, str, "texts"))
        )
        if len(joint_names) != n:
            raise ArgumentError(f"names has {len(joint_names)} entries for {n} joints")
    low, high = _limits(lower, n, "lower"), _limits(upper, n, "upper")

    spec = ModelSpec(name, [LinkSpec("link_0")])
    if base is not None:
        place = placement_of(base, "base", finite=True)
        spec.links.insert(0, LinkSpec("base"))
        spec.joints.append(JointSpec("base", "fixed", "base", "link_0", np.array(place)))
    for i, (theta, d, a, alpha) in enumerate(rows.tolist()):
        step = dh_transform(theta, d, a, alpha, convention)
        above, below, axis = f"link_{i}", f"link_{i + 1}", f"axis_{i + 1}"
        # Turning about z and sliding along z commute, so the constants may stand on either side.
        joint = JointSpec(joint_names[i], joint_kinds[i], above, below)
        joint.lower, joint.upper = low[i], high[i]
        spec.joints.append(joint)
        if convention == "modified":
            joint.placement = step
        else:
            joint.child = axis
            spec.links.append(LinkSpec(axis))
            spec.joints.append(JointSpec(f"{joint.name}_frame", "fixed", axis, below, step))
        spec.links.append(LinkSpec(below))
    if tool is not None:
        spec.frames.append(
            FrameSpec("tool", f"link_{n}", np.array(placement_of(tool, "tool", finite=True)))
        )
    spec.check()
    return spec


def _no_degrees(alpha: NDArray[np.float64]) -> None:
    """Refuse a twist of more than a turn: it was meant in degrees."""
    over = np.flatnonzero(np.abs(alpha) > 2 * np.pi + 1e-9)
    if over.size:
        row, value = int(over[0]), float(alpha[over[0]])
        raise ArgumentError(
            f"alpha of row {row} is {value:g} rad, more than a turn: angles are in radians, "
            f"hk.deg({value:g}) turns degrees into them"
        )


def chain_spec(
    lengths: ArrayLike,
    joint: str = "revolute",
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    axis: Sequence[float] = (0.0, 0.0, 1.0),
    name: str = "chain",
) -> ModelSpec:
    """Build an open chain of links that lie along x at rest.

    Parameters
    ----------
    lengths : array_like (n,)
        Length of each link, not negative, in meters. A zero puts two joints on one point.
    joint : str
        ``"revolute"``: all turn about `axis`, for z a planar chain in the xy plane; or ``"ball"``.
    lower, upper : float or array_like (n,), optional
        Limits of revolute joints, in radians.
    axis : sequence of 3 floats
        Axis of revolute joints.
    name : str
        Name of the model.

    Returns
    -------
    ModelSpec
        Links ``link_0`` (the base) ... ``link_n``, joints ``joint_1`` ... ``joint_n``, of which
        the first stands at the origin, and the frame ``tip`` at the end of the last link.

    Raises
    ------
    ArgumentError
        For lengths that are not a list of finite numbers from 0 up, an unknown joint, a zero
        axis, or limits for balls.
    ModelError
        For reversed limits.

    Examples
    --------
    >>> [joint.name for joint in chain_spec([1.0, 0.5]).joints]
    ['joint_1', 'joint_2']
    """
    sizes = np.atleast_1d(reals(lengths, "lengths", ()))
    if sizes.ndim != 1 or not len(sizes):
        raise ArgumentError(f"lengths must be a list of at least one; its shape is {sizes.shape}")
    if (sizes < 0).any():
        worst = int(np.argmax(sizes < 0))
        raise ArgumentError(f"lengths[{worst}] is negative: {sizes[worst]}")
    if not (isinstance(joint, str) and joint in ("revolute", "ball")):
        raise ArgumentError(f"joint is {joint!r}, not 'revolute' or 'ball'")
    if joint == "ball" and not (lower is None and upper is None):
        raise ArgumentError(
            "lower and upper are for revolute joints: a ball has no coordinate to limit"
        )
    n = len(sizes)
    low, high = _limits(lower, n, "lower"), _limits(upper, n, "upper")
    direction = unit(points_of(axis, "axis", (3,)).tolist())
    if direction is None:
        raise ArgumentError("axis is zero")

    spec = ModelSpec(name, [LinkSpec(f"link_{i}") for i in range(n + 1)])
    before = 0.0
    for i, length in enumerate(sizes.tolist()):
        placement = np.eye(4)
        placement[0, 3] = before
        spec.joints.append(
            JointSpec(
                f"joint_{i + 1}",
                joint,
                f"link_{i}",
                f"link_{i + 1}",
                placement,
                direction,
                lower=low[i],
                upper=high[i],
            )
        )
        before = length
    tip = np.eye(4)
    tip[0, 3] = before
    spec.frames.append(FrameSpec("tip", f"link_{n}", tip))
    if low[0] is not None or high[0] is not None:
        spec.check()
    return spec


def _limits(values: Any, n: int, what: str) -> list[float | None]:
    """One limit a joint; a NaN is refused, an infinity is no limit on that side."""
    if values is None:
        return [None] * n
    array = reals(values, what, (), finite=False)
    if array.shape not in ((), (n,)):
        raise ArgumentError(f"{what} must be one number or {n}; its shape is {array.shape}")
    if np.isnan(array).any():
        raise ArgumentError(f"{what} holds NaN")
    return list(np.broadcast_to(array, (n,)).tolist())


def _kinds(kinds: str | Sequence[str] | None, n: int) -> list[str]:
    if kinds is None:
        return ["revolute"] * n
    # One word of letters, or a list of words.
    one = isinstance(kinds, str) and kinds.lower() in _KIND_WORDS
    letters = kinds if isinstance(kinds, str) else sequence("kinds", kinds, str, "texts")
    words = [str(kinds)] if one else list(letters)
    if len(words) != n:
        raise ArgumentError(f"kinds has {len(words)} entries for {n} rows")
    found = []
    for i, word in enumerate(words):
        kind = _KIND_WORDS.get(str(word).lower())
        if kind is None:
            raise ArgumentError(
                f"kinds[{i}] is {word!r}, not 'revolute' (R), 'prismatic' (P) or 'fixed' (F)"
            )
        found.append(kind)
    return found
