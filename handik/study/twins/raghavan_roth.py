"""Raghavan and Roth's inverse kinematics of the general 6R arm, in the form of Manocha and Canny.

The classical elimination in NumPy, to read and to check the C core by: it shares neither the
formulation (24 x 24 with half-angle tangents here, 16 x 16 with Cayley forms there) nor any code.

Method
------
1. With standard Denavit-Hartenberg links the loop is cut at A3 A4 A5 = A2^-1 A1^-1 T A6^-1. The
   third and fourth columns, l and p, do not hold theta6.
2. The 14 numbers l, p, p.p, p.l, p x l, (p.p) l - 2 (p.l) p are on the left linear in the nine
   products (1, c4, s4) x (1, c5, s5), with coefficients linear in (1, c3, s3), and on the right
   linear in the nine products of joints 1 and 2. The coefficients are found here by evaluating both
   sides at three angles of each joint, which determines them exactly.
3. The eight products of joints 1 and 2 are removed by the null space of their 14 x 8 matrix: six
   equations in joints 3, 4, 5.
4. With x = tan(theta / 2) and each equation taken once more times x4 there are twelve equations in
   the twelve monomials x4^i x5^j, i = 0..3, j = 0..2, quadratic in x3: A x3^2 + B x3 + C.
5. Its 24 eigenvalues are the x3: the up to 16 solutions and eight that are spurious, x3 = +-i
   fourfold. Eigenvectors give x4 and x5, step 3 the first two joints, the rotation the last.

References
----------
Raghavan and Roth, "Inverse kinematics of the general 6R manipulator and related linkages", Journal
of Mechanical Design 115 (1993) 502-508. Manocha and Canny, "Efficient inverse kinematics for
general 6R manipulators", IEEE Transactions on Robotics and Automation 10 (1994) 648-657.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError

Array = NDArray[np.float64]

_SAMPLES = np.array([0.0, 2 * np.pi / 3, 4 * np.pi / 3])
#: (1, c, s) from the three samples of a function linear in them.
_FIT = np.linalg.inv(np.stack([np.ones(3), np.cos(_SAMPLES), np.sin(_SAMPLES)], axis=1))


def dh_link(theta: float, d: float, a: float, alpha: float) -> Array:
    """Return the standard link Rz(theta) Tz(d) Tx(a) Rx(alpha), (4, 4)."""
    c, s, k, w = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [[c, -s * k, s * w, a * c], [s, c * k, -c * w, a * s], [0, w, k, d], [0, 0, 0, 1]]
    )


def dh_pose(table: Array, q: Array) -> Array:
    """Return the pose of the last frame, (4, 4)."""
    pose = np.eye(4)
    for (theta, d, a, alpha), x in zip(table, q, strict=True):
        pose = pose @ dh_link(theta + x, d, a, alpha)
    return pose


def fourteen(pose: Array) -> Array:
    """Return the numbers of step 2 from the third and fourth columns of a pose, (14,)."""
    line, p = pose[:3, 2], pose[:3, 3]
    return np.concatenate(
        [line, p, [p @ p, p @ line], np.cross(p, line), (p @ p) * line - 2 * (p @ line) * p]
    )


def _coefficients(table: Array, target: Array) -> tuple[Array, Array]:
    """Left (14, 3, 3, 3) in joints 3 4 5 and right (14, 3, 3) in joints 1 2, each in (1, c, s)."""
    link = [[dh_link(x + row[0], *row[1:]) for x in _SAMPLES] for row in table]
    left = np.array([[[fourteen(a @ b @ c) for c in link[4]] for b in link[3]] for a in link[2]])
    left = np.einsum("ai,bj,ck,ijkn->nabc", _FIT, _FIT, _FIT, left)
    far = target @ np.linalg.inv(link[5][0])
    inverse = [[np.linalg.inv(m) for m in row] for row in link[:2]]
    right = np.array([[fourteen(b @ a @ far) for b in inverse[1]] for a in inverse[0]])
    right = np.einsum("ai,bj,ijn->nab", _FIT, _FIT, right)
    return left, right


#: (1, c, s) times 1 + x^2 as polynomials in x = tan(theta / 2).
_HALF = np.array([[1.0, 0, 1], [1, 0, -1], [0, 2, 0]])


def _pencil(six: Array) -> tuple[Array, Array, Array]:
    """C, B, A of step 4 from six equations (6, 3, 3, 3) in (1, c, s) of joints 3, 4, 5."""
    poly = np.einsum("nabc,ai,bj,ck->nijk", six, _HALF, _HALF, _HALF)
    rows = np.zeros((3, 12, 4, 3))
    for power in range(3):
        rows[power, :6, :3] = poly[:, power]
        rows[power, 6:, 1:] = poly[:, power]
    flat = rows.reshape(3, 12, 12)
    flat /= np.abs(flat).max(axis=(0, 2), keepdims=True)
    return flat[0], flat[1], flat[2]


def _turned(six: Array, angle: float) -> Array:
    """Count joint 3 from another zero: theta3 = angle + theta3'."""
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return np.asarray(np.einsum("ai,nabc->nibc", turn, six))


def _polish(table: Array, target: Array, q: Array) -> tuple[Array, float]:
    """Newton's method with a Jacobian by differences of the pose."""
    for _ in range(20):
        pose, columns = dh_pose(table, q), []
        for i in range(6):
            step = np.zeros(6)
            step[i] = 1e-7
            columns.append((dh_pose(table, q + step) - dh_pose(table, q - step))[:3].ravel() / 2e-7)
        gap = (target - pose)[:3].ravel()
        move = np.linalg.lstsq(np.stack(columns, axis=1), gap, rcond=1e-12)[0]
        q = q + move * min(1.0, 0.3 / max(float(np.abs(move).max()), 1e-300))
        if np.abs(move).max() < 1e-14:
            break
    return (q + np.pi) % (2 * np.pi) - np.pi, float(np.abs(dh_pose(table, q) - target).max())


def general_6r(table: ArrayLike, target: ArrayLike, *, nearly: float = 1e-4) -> Array:
    """Find all real postures of six turning joints.

    Parameters
    ----------
    table : array_like, shape (6, 4)
        Standard Denavit-Hartenberg rows theta, d, a, alpha (radians, meters).
    target : array_like, shape (4, 4)
        Pose of the last frame.
    nearly : float
        Imaginary part, relative, up to which an eigenvalue counts as real.

    Returns
    -------
    ndarray, shape (k, 6)
        Up to 16 postures in [-pi, pi), each polished by Newton's method to 1e-9.

    Raises
    ------
    ArgumentError
        When an argument has the wrong shape.

    Notes
    -----
    Fails on special arms, such as those with a spherical wrist, where the pencil is singular.
    """
    rows, goal = np.asarray(table, float), np.asarray(target, float)
    if rows.shape != (6, 4) or goal.shape != (4, 4):
        raise ArgumentError(
            f"table must be (6, 4) and target (4, 4), got {rows.shape}, {goal.shape}"
        )
    scale = np.abs(rows[:, 1:3]).max() or 1.0
    rows, goal = rows.copy(), goal.copy()
    rows[:, 1:3] /= scale
    goal[:3, 3] /= scale
    left, right = _coefficients(rows, goal)
    eight = right.reshape(14, 9)[:, 1:]
    null = np.linalg.svd(eight)[0][:, 8:].T
    six = np.einsum("mn,nabc->mabc", null, left)
    six[:, 0, 0, 0] -= null @ right[:, 0, 0]
    angles = np.arange(7) * 2 * np.pi / 7
    pencils = [_pencil(_turned(six, angle)) for angle in angles]
    best = int(np.argmin([np.linalg.cond(a) for _, _, a in pencils]))
    c, b, a = pencils[best]
    companion = np.block(
        [[np.zeros((12, 12)), np.eye(12)], [-np.linalg.solve(a, c), -np.linalg.solve(a, b)]]
    )
    values, vectors = np.linalg.eig(companion)
    found: list[Array] = []
    for x3, vector in zip(values, vectors.T, strict=True):
        if abs(x3.imag) > nearly * (1 + abs(x3) ** 2):
            continue
        q = _back(rows, goal, left, right, angles[best] + 2 * np.arctan(x3.real), vector[:12])
        q, error = _polish(rows, goal, q)
        if error < 1e-9 and not any(_same(q, other) for other in found):
            found.append(q)
    return np.array(found).reshape(-1, 6)


def _same(a: Array, b: Array) -> bool:
    return bool(np.abs((a - b + np.pi) % (2 * np.pi) - np.pi).max() < 1e-6)


def _back(
    table: Array,
    target: Array,
    left: Array,
    right: Array,
    theta3: float,
    vector: NDArray[np.complex128],
) -> Array:
    """All six joints from theta3 and the eigenvector over x4^i x5^j."""
    phase = np.exp(-1j * np.angle(vector[np.argmax(np.abs(vector))]))
    grid = np.asarray((vector * phase).real, float).reshape(4, 3)
    # neighboring powers stand in the ratio x: the least-squares ratio of all of them
    x4 = _ratio(grid[:3].ravel(), grid[1:].ravel())
    x5 = _ratio(grid[:, :2].ravel(), grid[:, 1:].ravel())
    one = [np.array([1, np.cos(t), np.sin(t)]) for t in (theta3, x4, x5)]
    known = np.einsum("nabc,a,b,c->n", left, *one) - right[:, 0, 0]
    products = np.linalg.lstsq(right.reshape(14, 9)[:, 1:], known, rcond=None)[0]
    grid12 = np.concatenate([[1.0], products]).reshape(3, 3)
    theta1 = np.arctan2(grid12[2, 0], grid12[1, 0])
    theta2 = np.arctan2(grid12[0, 2], grid12[0, 1])
    five = np.array([theta1, theta2, theta3, x4, x5])
    rest = np.linalg.inv(dh_pose(table[:5], five)) @ target
    last = rest @ np.linalg.inv(dh_link(0.0, *table[5, 1:]))
    theta6 = np.arctan2(last[1, 0], last[0, 0]) - table[5, 0]
    return np.append(five, theta6)


def _ratio(low: Array, high: Array) -> float:
    """Angle 2 atan(high / low) of two vectors that are multiples of (1, x)."""
    u = np.linalg.svd(np.stack([low, high]))[0][:, 0]
    return float(2 * np.arctan2(u[1], u[0]))
