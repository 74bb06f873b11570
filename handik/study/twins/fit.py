"""The one routine of constrained FABRIK: the rotation of a joint nearest to wanted directions.

``fit`` maximises tr(J(q)^T B) inside the limits, where B = sum of w y x^T says "turn x onto y".
"""

from __future__ import annotations

import numpy as np

from . import swing
from .tree import Array, quat_from_mat, quat_to_mat, turn_z

TWO_PI = 2 * np.pi
SWEEPS = 4
"""Rounds of coordinate ascent for turns that share their origin."""


def best_turn(c: float, s: float, lower: float, upper: float, old: float) -> float:
    """Angle in [lower, upper] that maximises c cos + s sin, nearest to ``old`` among equals.

    Exact: the maximum is at atan2(s, c); when no turn of it is inside, the end that is nearer
    round the circle is the better one. With c = s = 0 the old angle stays.
    """
    if not c * c + s * s > 1e-24:
        return float(np.clip(old, lower, upper))
    q = float(np.arctan2(s, c))
    q += TWO_PI * np.floor((old - q) / TWO_PI + 0.5)
    if q < lower:
        q += TWO_PI * np.ceil((lower - q) / TWO_PI)
    if q > upper:
        q -= TWO_PI * np.ceil((q - upper) / TWO_PI)
    if q >= lower:  # whole turns added and taken away may round past the end
        return float(min(q, upper))
    low, high = q - lower, q - upper
    low -= TWO_PI * np.floor(low / TWO_PI + 0.5)
    high -= TWO_PI * np.floor(high / TWO_PI + 0.5)
    return lower if abs(low) <= abs(high) else upper


def fit_turns(
    b: Array, between: list[Array], limits: list[tuple[float, float]], old: list[float]
) -> list[float]:
    """Angles of turns with one origin: J = Rz(q0) P1 Rz(q1) P2 Rz(q2).

    ``between`` holds P1, P2... One turn is exact; more by coordinate ascent from ``old``, at most
    ``SWEEPS`` rounds, ended when no angle moves by 1e-7.
    """
    q, n = list(old), len(old)
    for _ in range(SWEEPS if n > 1 else 1):
        after = [np.eye(3)] * n
        for j in range(n - 2, -1, -1):
            after[j] = between[j] @ turn_z(q[j + 1]) @ after[j + 1]
        left, moved = b, 0.0
        for j in range(n):
            m = left @ after[j].T
            new = best_turn(m[0, 0] + m[1, 1], m[1, 0] - m[0, 1], *limits[j], q[j])
            moved = max(moved, abs(new - q[j]))
            q[j] = new
            if j + 1 < n:
                left = between[j].T @ turn_z(new).T @ left
        if moved <= 1e-7:
            break
    return q


def cofactor(b: Array) -> Array:
    """Cofactor matrix: rows are cross products of the other rows."""
    return np.array([np.cross(b[1], b[2]), np.cross(b[2], b[0]), np.cross(b[0], b[1])])


def fit_ball(b: Array, old: Array, bound: float = np.inf) -> Array:
    """Rotation that maximises tr(J^T B), drawn by 1e-6 to ``old`` where B leaves it open.

    Wahba's problem in closed form (Markley 1993, FOAM): the largest root of
    (x^2 - |B|^2)^2 - 8 x det B - 4 |cof B|^2 by Newton from sqrt(3)|B|, from above, then
    J = ((k + |B|^2) B + x cof B - B B^T B) / (k x - det B), k = (x^2 - |B|^2) / 2. A ``bound`` that
    the maximum does not exceed is a nearer start.
    """
    size = float(np.linalg.norm(b))
    if not size > 1e-12:
        return old
    b = b / size + 1e-6 * old
    cof = cofactor(b)
    n2, c2, det = float((b * b).sum()), float((cof * cof).sum()), float(b[0] @ cof[0])
    x = min(float(np.sqrt(3 * n2)), bound / size + 3.1e-6)
    for _ in range(60):
        g = x * x - n2
        slope = 4 * x * g - 8 * det
        if not slope > 0:
            break
        step = (g * g - 8 * x * det - 4 * c2) / slope
        x -= step
        if not step > 1e-13 * x:
            break
    k = (x * x - n2) / 2
    zeta = k * x - det
    if not zeta > 1e-12:
        return old
    out: Array = ((k + n2) * b + x * cof - b @ b.T @ b) / zeta
    return out


def fit_swing(b: Array, row: Array, old: Array, bound: float = np.inf) -> Array:
    """Quaternion of the same inside a cone: the free swing clamped, then the best twist.

    The swing goes to the nearest point in the plane of angles, which is cheap and near enough for a
    small correction; where a wide cone would turn the bone by more than 30 degrees, to the nearest
    direction.
    """
    hold = getattr(row, "hold", None)
    if hold is not None:
        return np.array(hold, float)
    q = quat_from_mat(fit_ball(b, old, bound))
    x = swing.split(row, q)
    if not swing.excess(row, x) > 0:
        return q
    near = swing.clamp(row, x)
    wide = max(row[9:13]) > np.pi / 2 and getattr(row, "polygon", None) is None
    turn_cosine = float(swing.direction(x[:2]) @ swing.direction(near[:2]))
    x = swing.project(row, x) if wide and turn_cosine < np.sqrt(3) / 2 else near
    axes = row[:9].reshape(3, 3)
    turn = quat_to_mat(swing.join(row, np.array([x[0], x[1], 0.0])))
    t = axes.T @ turn.T @ b @ axes
    x[2] = best_turn(t[0, 0] + t[1, 1], t[1, 0] - t[0, 1], *swing.twist_range(row, x), x[2])
    return swing.join(row, x)
