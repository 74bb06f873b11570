"""Second sources of the postures of an arm, and the judge between them.

`newton` (NumPy) and the peers (`EAIK`, `py-ikgeo-kinematics`, each when it is installed) share no
code with the closed forms. What a source gives and handik does not is polished first, in long
double: near a double root two programs may stop at different points that both reach the pose to
1e-10, and only the polished ones tell whether they are one posture or two.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy import pi

import handik as hk

Array = np.ndarray
Peer = Callable[[Array], Array]
#: Two postures are one when every angle agrees to this, radians.
APART = 1e-6
#: A polished posture reaches its pose to this, in long double.
REACHED = 1e-17
LONG = np.longdouble


def gap(x: Array) -> Array:
    """Greatest angle of each row, modulo whole turns."""
    return np.asarray(np.abs((x + pi) % (2 * pi) - pi).max(axis=-1))


# ---- the judge ----


def _measure(table: Array, pose: Array, q: Array) -> tuple[Array, Array]:
    """Miss of a pose (6,) and its geometric Jacobian (6, 6), in long double, from a DH table."""
    at, axes, places = np.eye(4, dtype=LONG), [], []
    for (theta, d, a, alpha), x in zip(table, q, strict=True):
        axes.append(at[:3, 2])
        places.append(at[:3, 3])
        c, s = np.cos(LONG(theta) + x), np.sin(LONG(theta) + x)
        # the cosine of a right angle is 0 to handik, and pi / 2 is not quite one
        cn, sn = LONG(np.round(np.cos(alpha), 16)), LONG(np.sin(LONG(alpha)))
        cn = cn if abs(cn) < 1e-15 else np.cos(LONG(alpha))
        link = [
            [c, -s * cn, s * sn, a * c],
            [s, c * cn, -c * sn, a * s],
            [0, sn, cn, d],
            [0, 0, 0, 1],
        ]
        at = at @ np.array(link, LONG)
    turn = at[:3, :3] @ pose[:3, :3].T
    skew = [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    miss = np.concatenate([at[:3, 3] - pose[:3, 3], np.array(skew) / 2])
    z = np.array(axes)
    return miss, np.hstack([np.cross(z, at[:3, 3] - np.array(places)), z]).T


def polished(table: Array, pose: Array, q: Array) -> Array | None:
    """Bring a posture to its pose by Newton's method in long double; None where it does not get there."""
    x, wanted = np.asarray(q, LONG), np.asarray(pose, LONG)
    for _ in range(60):
        miss, slope = _measure(table, wanted, x)
        if np.abs(miss).max() < REACHED:
            return x
        try:
            step = np.linalg.solve(slope.astype(float), -miss.astype(float))
        except np.linalg.LinAlgError:
            return None
        x = x + step * min(1.0, 0.05 / max(float(np.abs(step).max()), 1e-300))
    return None


def absent(table: Array, pose: Array, found: Array, others: Array) -> list[Array]:
    """Return the postures among `others` that `found` lacks, polished and each once."""
    lacking: list[Array] = []
    known: list[Array] | None = None
    for row in others:
        if len(found) and gap(found - row).min() < APART:
            continue
        true = polished(table, pose, row)
        if true is None or float(gap((true - row).astype(float))) > 0.1:
            continue
        if known is None:
            ends = [polished(table, pose, mine) for mine in found]
            known = [end for end in ends if end is not None]
        if all(float(gap((true - end).astype(float))) >= APART for end in known):
            known.append(true)
            lacking.append(true.astype(float))
    return lacking


# ---- the sources ----


def newton(arm: hk.Model, poses: Array, starts: int, rng: np.random.Generator) -> list[Array]:
    """Run Newton's method from random starts at every pose; what arrived, pose by pose."""
    rows = np.repeat(np.arange(len(poses)), starts)
    q = rng.uniform(-pi, pi, (len(rows), arm.nq))
    ended: list[list[Array]] = [[] for _ in poses]
    for _ in range(40):
        now, goal = arm.fk(q), poses[rows]
        turn = goal[:, :3, :3] @ np.swapaxes(now[:, :3, :3], 1, 2)
        skew = [turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0]]
        skew.append(turn[:, 1, 0] - turn[:, 0, 1])
        error = np.concatenate(
            [goal[:, :3, 3] - now[:, :3, 3], 0.5 * np.stack(skew, axis=1)], axis=1
        )
        there = np.abs(now - goal).max(axis=(1, 2)) < 1e-11
        for at, row in zip(rows[there], q[there], strict=True):
            ended[at].append(row)
        rows, q, error = rows[~there], q[~there], error[~there]
        if not len(q):
            break
        step = np.linalg.solve(arm.jacobian(q) + 1e-12 * np.eye(6), error[:, :, None])[:, :, 0]
        size = np.abs(step).max(axis=1, keepdims=True)
        q = q + step * np.minimum(1, 0.3 / np.maximum(size, 1e-300))
    return [_distinct(np.array(one).reshape(-1, arm.nq)) for one in ended]


def _distinct(rows: Array) -> Array:
    """Of rows that agree to 1e-7 the first."""
    kept: list[Array] = []
    for row in rows:
        if not kept or gap(np.array(kept) - row).min() > 1e-7:
            kept.append(row)
    return np.array(kept).reshape(-1, rows.shape[1])


def eaik(table: Sequence[Sequence[float]]) -> Peer | None:
    """EAIK's postures of an arm; None when it is not installed or does not take the arm."""
    try:
        module = importlib.import_module("eaik.IK_DH")
    except ImportError:
        return None
    rows = np.array(table)
    robot = module.DhRobot(rows[:, 3], rows[:, 2], rows[:, 1])
    if not robot.hasKnownDecomposition():
        return None

    def solve(pose: Array) -> Array:
        other = robot.IK(pose)
        q = np.asarray(other.Q).reshape(-1, 6)
        return np.asarray(q[[not worse for worse in np.ravel(other.is_LS)]] - rows[:, 0])

    return solve


def ikgeo(table: Sequence[Sequence[float]]) -> Peer | None:
    """py-ikgeo-kinematics' postures of an arm; None when it is not installed."""
    try:
        module = importlib.import_module("py_ikgeo_kinematics")
        rigid = importlib.import_module("scipy.spatial.transform").RigidTransform
    except ImportError:
        return None
    at, axes, places = np.eye(4), [], [np.zeros(3)]
    for theta, d, a, alpha in table:
        axes.append(at[:3, 2])
        places.append(at[:3, 3])
        c, s, cn, sn = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
        at = at @ [
            [c, -s * cn, s * sn, a * c],
            [s, c * cn, -c * sn, a * s],
            [0, sn, cn, d],
            [0, 0, 0, 1],
        ]
    places.append(at[:3, 3])
    home = at[:3, :3]
    model = module.KinematicModel(
        np.array(axes).T, np.diff(np.array(places[1:]), axis=0, prepend=0).T
    )
    robot = module.Robot(model, degrees=False)

    def solve(pose: Array) -> Array:
        goal = pose.copy()
        goal[:3, :3] = pose[:3, :3] @ home.T
        return np.array(robot.inverse(rigid.from_matrix(goal))).reshape(-1, 6)

    return solve
