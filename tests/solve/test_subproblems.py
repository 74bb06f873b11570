"""The six subproblems from Python, against angles that made their numbers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy import pi

import handik as hk
from handik.closed.subproblems import (
    Answers,
    subproblem1,
    subproblem2,
    subproblem3,
    subproblem4,
    subproblem5,
    subproblem6,
)
from handik.spec.transforms import from_rotation_vector

N = 60


def turned(k: np.ndarray, x: np.ndarray, p: np.ndarray) -> np.ndarray:
    unit = k / np.linalg.norm(k, axis=-1, keepdims=True)
    r = from_rotation_vector(unit * np.asarray(x)[..., None])[..., :3, :3]
    return np.asarray((r @ p[..., None])[..., 0])


def among(found: Answers, *angles: np.ndarray) -> bool:
    gap = found.angles - np.stack(angles, axis=-1)[..., None, :]
    gap = np.abs((gap + pi) % (2 * pi) - pi).max(axis=-1)
    return bool((np.nanmin(gap, axis=-1) < 1e-6).all() and found.exact.all())


@pytest.fixture
def drawn(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles (3, N), vectors (4, N, 3) of some metres, axes (4, N, 3)."""
    return rng.uniform(-3, 3, (3, N)), rng.uniform(-5, 5, (4, N, 3)), rng.normal(size=(4, N, 3))


def test_one_and_two(drawn: tuple[np.ndarray, ...]) -> None:
    (x, y, _), p, k = drawn
    assert among(subproblem1(p[0], turned(k[0], x, p[0]), k[0]), x)
    q = turned(k[1], -y, turned(k[0], x, p[0]))
    two = subproblem2(p[0], q, k[0], k[1])
    assert among(two, x, y)
    assert (two.count == 2).all()
    assert np.isnan(two.angles[:, 2:]).all()


def test_three_and_four(drawn: tuple[np.ndarray, ...]) -> None:
    (x, _, _), p, k = drawn
    at = turned(k[0], x, p[0])
    assert among(subproblem3(p[0], p[1], k[0], np.linalg.norm(at - p[1], axis=1)), x)
    assert among(subproblem4(p[1], p[0], k[0], np.sum(p[1] * at, axis=1)), x)


def test_five_and_six(drawn: tuple[np.ndarray, ...]) -> None:
    (x, y, z), p, k = drawn
    p0 = turned(k[1], y, p[2] + turned(k[2], z, p[3])) - turned(k[0], x, p[1])
    five = subproblem5(p0, p[1], p[2], p[3], k[0], k[1], k[2])
    assert among(five, x, y, z)
    h = np.stack([p[3], p[2], p[1], p[0]], axis=1)
    axes, points = np.stack(list(k), axis=1), np.stack(list(p), axis=1)
    share = [
        np.sum(h[:, i] * turned(axes[:, i], (x, y)[i % 2], points[:, i]), axis=1) for i in range(4)
    ]
    six = subproblem6(h, axes, points, share[0] + share[1], share[2] + share[3])
    assert among(six, x, y)
    row, angles = 7, five.angles[7, : five.count[7]]
    for a, b, c in angles:  # every answer, not only the one that was drawn
        left = p0[row] + turned(k[0, row], a, p[1, row])
        right = turned(k[1, row], b, p[2, row] + turned(k[2, row], c, p[3, row]))
        assert np.abs(left - right).max() < 1e-8


def test_least_squares_is_flagged(rng: np.random.Generator) -> None:
    """Where there is no solution no other angle comes nearer."""
    scan = np.linspace(-pi, pi, 2001)
    p, k = np.array([1.0, 0.2, 0.3]), np.array([0, 0, 2.0])
    around = turned(np.tile(k, (2001, 1)), scan, np.tile(p, (2001, 1)))
    q = np.array([0.3, 4.0, 1.0])
    one = subproblem1(p, q, k)
    assert not one.exact
    assert one.count == 1
    least = np.linalg.norm(around - q, axis=1).min()
    assert np.linalg.norm(turned(k, one.angles[0, 0], p) - q) <= least + 1e-12
    three = subproblem3(p, q, k, 0.1)
    assert (bool(three.exact), int(three.count)) == (False, 1)
    assert np.linalg.norm(turned(k, three.angles[0, 0], p) - q) <= least + 1e-12
    four = subproblem4([1, 0, 0], p, k, 9.0)
    assert not four.exact
    assert turned(k, four.angles[0, 0], p)[0] >= around[:, 0].max() - 1e-12
    two = subproblem2(p, [0, 0, 3.0], k, [1.0, 0, 0])
    assert not two.exact
    five = subproblem5([9.0, 0, 0], p, p, p, k, k, k)
    assert (bool(five.exact), int(five.count)) == (False, 0)
    assert np.isnan(five.angles).all()


def test_axes_broadcast_and_sizes_do_not_matter(rng: np.random.Generator) -> None:
    p, k = rng.normal(size=(5, 1, 3)), rng.normal(size=3)
    x = rng.uniform(-3, 3, (5, 4))
    found = subproblem1(
        p, turned(np.broadcast_to(k, (5, 4, 3)), x, np.broadcast_to(p, (5, 4, 3))), k
    )
    assert found.angles.shape == (5, 4, 4, 1)
    assert np.abs(found.angles[..., 0, 0] - x).max() < 1e-9
    h = rng.normal(size=3)
    for size in (1e-6, 1e6):
        small = subproblem4(h, size * p[0], k, size * 0.1)
        assert np.allclose(small.angles, subproblem4(h, p[0], k, 0.1).angles, equal_nan=True)
    assert subproblem1(np.empty((0, 3)), np.empty((0, 3)), k).angles.shape == (0, 4, 1)


def test_wrong_calls_say_what_is_wrong() -> None:
    e = np.eye(3)
    with pytest.raises(hk.ArgumentError, match="k must not be zero"):
        subproblem1(e[0], e[1], [0, 0, 0])
    with pytest.raises(hk.ArgumentError, match="finite"):
        subproblem1(e[0], [np.nan, 0, 0], e[2])
    with pytest.raises(hk.ArgumentError, match="shape"):
        subproblem2(e[0], [1, 2], e[1], e[2])
    with pytest.raises(hk.ArgumentError, match="broadcast"):
        subproblem1(np.ones((2, 3)), np.ones((3, 3)), e[2])
    with pytest.raises(hk.ArgumentError, match="negative"):
        subproblem3(e[0], e[1], e[2], -1)
    with pytest.raises(hk.ArgumentError, match="shape"):
        subproblem6(e, e, e, 0, 0)
