"""Denavit-Hartenberg parameters of any serial chain, from the lines of its joints.

Each joint of one coordinate is a line in space: its axis at rest. Both conventions stand their
frames on the common normals of neighboring lines. Where lines meet, the normal is their cross
product; where they are parallel any normal serves, and the one through the frame before is taken,
so that d is zero there; where they are one line, the frame before stays.

The link frames of the table are not those of the model; what is left at the two ends is the base
(frame 0 in the root) and the tool (the tip in frame n), so that the chain is whole:
``fk(q) = base T_1(q_1) ... T_n(q_n) tool`` for every q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.files.read._geometry import axis_rotation, rigid_inverse, unit
from handik.files.read.dh import check_convention, dh_row, dh_transform, from_dh
from handik.spec import JointSpec, ModelSpec
from handik.spec._given import of_class, text

__all__ = ["DhFit", "fit_dh"]

Array = NDArray[np.float64]

#: Sine of the angle below which two axes count as parallel, and meters between two as meeting.
PARALLEL = 1e-9
#: Meters, and entries of rotations, within which a placement counts as a row of a table.
_SAME = 4e-15
_CHECKS = 16


@dataclass(frozen=True, slots=True, eq=False)
class DhFit:
    """A chain as a Denavit-Hartenberg table.

    Attributes
    ----------
    table : ndarray (n, 4)
        Rows theta, d, a, alpha, radians and meters; theta of a revolute joint and d of a
        prismatic one are the constants added to its coordinate.
    convention : str
        ``"standard"`` or ``"modified"``.
    kinds, names : tuple of str
        Kind and name of each joint.
    base, tool : ndarray (4, 4)
        Pose of frame 0 in the chain's root, and of the tip in frame n.
    lower, upper : tuple of float
        Limits of the joints.
    residual : float
        Greatest difference of any entry of the tip's pose between chain and table, over random
        coordinates.
    """

    table: Array
    convention: str
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    base: Array
    tool: Array
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    residual: float

    def spec(self, name: str = "dh") -> ModelSpec:
        """Return the table as a model of its own.

        Parameters
        ----------
        name : str
            Name of the model.

        Returns
        -------
        ModelSpec
            An arm as `handik.files.read.dh.from_dh` builds it.
        """
        return from_dh(
            self.table,
            self.convention,
            kinds=self.kinds,
            lower=self.lower,
            upper=self.upper,
            names=self.names,
            base=self.base,
            tool=self.tool,
            name=name,
        )

    def __str__(self) -> str:
        rows = [f"{'joint':<20}{'theta':>12}{'d':>12}{'a':>12}{'alpha':>12}"]
        for name, kind, row in zip(self.names, self.kinds, self.table, strict=True):
            cells = [f"{value:12.6f}" for value in row]
            moving = 0 if kind == "revolute" else 1
            cells[moving] = f"q{row[moving]:+11.6f}"
            rows.append(f"{name[:19]:<20}" + "".join(cells))
        rows.append(f"{self.convention} convention, residual {self.residual:.1e}")
        return "\n".join(rows)


def fit_dh(spec: ModelSpec, convention: str = "standard", tip: str | None = None) -> DhFit:
    """Fit a Denavit-Hartenberg table to the chain from a spec's root to its tip.

    Parameters
    ----------
    spec : ModelSpec
        The tree; joints beside the chain are left out.
    convention : str
        ``"standard"`` or ``"modified"`` (Craig).
    tip : str, optional
        The link or frame at the end; the spec's own tip, or its only leaf, if not given.

    Returns
    -------
    DhFit
        Exact to rounding for every chain of revolute and prismatic joints; ``residual`` says so.

    Raises
    ------
    ArgumentError
        For another convention, no moving joint, or several leaves and no tip.
    NotFoundError
        When there is no such tip.
    UnsupportedError
        When a joint of the chain has several coordinates or follows another.

    Examples
    --------
    >>> import handik as hk
    >>> fit = fit_dh(hk.data("ur5").spec)
    >>> fit.table.shape, fit.residual < 1e-12
    ((6, 4), True)
    """
    check_convention(convention)
    part, end = _chain(of_class("spec", spec, ModelSpec), tip)
    joints, before, after = _moving(part, end)
    found = _as_it_stands(joints, before, after, convention)
    if found is None:
        lines = _lines(joints, before)
        table, base, last = _standard(lines) if convention == "standard" else _modified(lines)
        whole = np.eye(4)
        for place in before:
            whole = whole @ place
        found = _fold(table, base, rigid_inverse(last) @ whole @ after, convention)
    table, base, tool = found
    kinds = tuple(joint.kind for joint in joints)
    limits = [joint.limits() for joint in joints]
    return DhFit(
        table,
        convention,
        kinds,
        tuple(joint.name for joint in joints),
        base,
        tool,
        tuple(low[0] for low, _ in limits),
        tuple(high[0] for _, high in limits),
        _residual(table, convention, base, tool, joints, before, after),
    )


def _chain(spec: ModelSpec, tip: str | None) -> tuple[ModelSpec, str]:
    end = spec.tip if tip is None else text("tip", tip)
    if end is None:
        parents = {joint.parent for joint in spec.joints}
        leaves = [link.name for link in spec.links if link.name not in parents]
        if len(leaves) != 1:
            raise ArgumentError(f"the tree has {len(leaves)} leaves: name the tip of the chain")
        on_leaf = [frame.name for frame in spec.frames if frame.link == leaves[0]]
        end = on_leaf[0] if len(on_leaf) == 1 else leaves[0]
    return spec.chain(None, end), end


def _moving(part: ModelSpec, end: str) -> tuple[list[JointSpec], list[Array], Array]:
    """Return moving joints, the placement of each from the one before, and the tip's."""
    joints: list[JointSpec] = []
    before: list[Array] = []
    carried = np.eye(4)
    for joint in part.ordered_joints():
        carried = carried @ joint.placement
        if joint.kind == "fixed":
            continue
        if joint.kind not in ("revolute", "prismatic") or joint.mimic is not None:
            what = joint.kind if joint.mimic is None else "a mimic"
            raise UnsupportedError(
                f"joint {joint.name!r} is {what}: a table holds revolute and prismatic joints alone"
            )
        joints.append(joint)
        before.append(carried)
        carried = np.eye(4)
    if not joints:
        raise ArgumentError("the chain has no moving joint")
    for frame in part.frames:
        if frame.name == end:
            carried = carried @ frame.placement
    return joints, before, carried


def _row(place: Array, convention: str) -> tuple[float, float, float, float] | None:
    """Return theta, d, a, alpha of a placement that is one row of a table, or None."""
    row = dh_row(place, convention)
    slack = _SAME * (1 + float(np.abs(place[:3, 3]).max()))
    return row if np.abs(dh_transform(*row, convention) - place).max() <= slack else None


def _as_it_stands(
    joints: Sequence[JointSpec], before: Sequence[Array], after: Array, convention: str
) -> tuple[Array, Array, Array] | None:
    """Return table, base and tool of a chain that is a table already, so that it stays the same."""
    if any(unit([*map(float, joint.axis)]) != (0.0, 0.0, 1.0) for joint in joints):
        return None
    nothing = (0.0, 0.0, 0.0, 0.0)
    base = tool = np.eye(4)
    first, last = _row(before[0], convention), _row(after, convention)
    if convention == "standard":
        base = before[0]
        if last is None:
            tool = after
        rows = [*(_row(place, convention) for place in before[1:]), last or nothing]
    else:
        tool = after
        if first is None:
            base = before[0]
        rows = [first or nothing, *(_row(place, convention) for place in before[1:])]
    if any(row is None for row in rows):
        return None
    return np.array(rows), base, tool


def _fold(table: Array, base: Array, tool: Array, convention: str) -> tuple[Array, Array, Array]:
    """Take what the outer rows can hold of base and tool into the table.

    The last row of the standard convention and the first of the modified one are free at the
    outer side; a turn and a slide along the first axis fit into the first row of either.
    """
    table, nothing = table.copy(), np.eye(4)
    if convention == "standard":
        last = _row(tool, convention)
        if last is not None:  # the last row of the fit ends at its own axis: a = alpha = 0
            table[-1] += last
            tool = nothing
        along = _row(base, convention)
        if along is not None and along[2] == 0 and along[3] == 0:
            table[0, :2] += along[:2]
            base = nothing
    else:
        first = _row(base, convention)
        if first is not None:  # the first row of the fit starts at its own axis
            table[0] += first
            base = nothing
    return table, base, tool


def _lines(joints: Sequence[JointSpec], before: Sequence[Array]) -> list[tuple[Array, Array]]:
    """Point and direction of each joint's axis at rest, in the root."""
    lines, place = [], np.eye(4)
    for joint, step in zip(joints, before, strict=True):
        place = place @ step
        axis = unit([*map(float, joint.axis)])
        assert axis is not None  # the check of the spec
        direction = place[:3, :3] @ np.array(axis)
        lines.append((place[:3, 3].copy(), direction / np.linalg.norm(direction)))
    return lines


def _normal(
    point: Array, x: Array, line: tuple[Array, Array], other: tuple[Array, Array]
) -> tuple[Array, Array, Array]:
    """Feet on both lines, and the direction, of their common normal.

    `point` and `x` are origin and x axis of the frame that stands on the first line; they choose
    where the lines alone do not.
    """
    (p, z), (p2, z2) = line, other
    across, apart = np.cross(z, z2), p2 - p
    size = float(np.linalg.norm(across))
    if size > PARALLEL:
        # Feet of the common normal of two lines that are not parallel.
        s = float(np.cross(apart, z2) @ across) / size**2
        t = float(np.cross(apart, z) @ across) / size**2
        foot, foot2 = p + s * z, p2 + t * z2
        normal = across / size
        gap = float((foot2 - foot) @ normal)
        if gap < 0 or (gap == 0 and float(normal @ x) < 0):
            normal = -normal
        return foot, foot2, normal
    foot = p + float((point - p) @ z) * z
    foot2 = p2 + float((foot - p2) @ z2) * z2
    gap_vector = foot2 - foot
    gap_vector = gap_vector - float(gap_vector @ z) * z
    gap = float(np.linalg.norm(gap_vector))
    if gap > PARALLEL * (1 + float(np.linalg.norm(apart))):
        return foot, foot2, gap_vector / gap
    side = x - float(x @ z) * z  # one line: nothing turns
    return foot, foot2, side / np.linalg.norm(side)


def _frame(origin: Array, x: Array, z: Array) -> Array:
    out = np.eye(4)
    x = x - float(x @ z) * z
    x = x / np.linalg.norm(x)
    out[:3, 0], out[:3, 1], out[:3, 2], out[:3, 3] = x, np.cross(z, x), z, origin
    return out


def _first(line: tuple[Array, Array]) -> Array:
    """Return the frame on the first axis: at its joint, with x near an axis of the root."""
    point, z = line
    least = int(np.argmin(np.abs(z)))
    x = np.eye(3)[0] if abs(z[0]) < 0.9 else np.eye(3)[least]
    return _frame(point, x, z)


def _angle(frm: Array, to: Array, about: Array) -> float:
    return atan2(float(np.cross(frm, to) @ about), float(frm @ to))


def _standard(lines: list[tuple[Array, Array]]) -> tuple[Array, Array, Array]:
    """Table, frame 0 and frame n at rest: frame i at the end of link i, z along axis i + 1."""
    frame = base = _first(lines[0])
    rows = []
    for i, line in enumerate(lines):
        origin, x, z = frame[:3, 3], frame[:3, 0], frame[:3, 2]
        if i + 1 < len(lines):
            foot, foot2, normal = _normal(origin, x, line, lines[i + 1])
            z2 = lines[i + 1][1]
        else:
            foot, foot2, normal, z2 = origin, origin, x, z  # the tool says the rest
        rows.append(
            (
                _angle(x, normal, z),
                float((foot - origin) @ z),
                float((foot2 - foot) @ normal),
                _angle(z, z2, normal),
            )
        )
        frame = frame @ dh_transform(*rows[-1])
    return np.array(rows), base, frame


def _modified(lines: list[tuple[Array, Array]]) -> tuple[Array, Array, Array]:
    """Table, frame 0 and frame n at rest: frame i on axis i, row i from axis i - 1 to axis i."""
    base = frame = _first(lines[0])
    rows: list[tuple[float, float, float, float]] = []
    a = alpha = 0.0  # frame 0 stands on the first axis
    for i, line in enumerate(lines):
        carried = frame @ dh_transform(0.0, 0.0, a, alpha, "modified")
        origin, x, z = carried[:3, 3], carried[:3, 0], carried[:3, 2]
        if i + 1 < len(lines):
            foot, foot2, normal = _normal(origin, x, line, lines[i + 1])
            z2 = lines[i + 1][1]
        else:
            foot, foot2, normal, z2 = origin, origin, x, z
        rows.append((_angle(x, normal, z), float((foot - origin) @ z), a, alpha))
        frame = frame @ dh_transform(*rows[-1], "modified")
        a, alpha = float((foot2 - foot) @ normal), _angle(z, z2, normal)
    return np.array(rows), base, frame


def _residual(
    table: Array,
    convention: str,
    base: Array,
    tool: Array,
    joints: Sequence[JointSpec],
    before: Sequence[Array],
    after: Array,
) -> float:
    """Greatest difference between chain and table over random coordinates, each posed plainly."""
    worst = 0.0
    for q in np.random.default_rng(0).uniform(-2.0, 2.0, (_CHECKS, len(joints))):
        one, two = np.eye(4), base
        for joint, place, row, value in zip(joints, before, table, q, strict=True):
            axis = unit([*map(float, joint.axis)])
            assert axis is not None
            move = np.eye(4)
            theta, d, a, alpha = row
            if joint.kind == "revolute":
                move[:3, :3] = axis_rotation(axis, value)
                theta = theta + value
            else:
                move[:3, 3] = value * np.array(axis)
                d = d + value
            one = one @ place @ move
            two = two @ dh_transform(theta, d, a, alpha, convention)
        worst = max(worst, float(np.abs(one @ after - two @ tool).max()))
    return worst
