"""Sine, cosine and arc tangent of the core against mpmath, with the bounds that csrc/base/trig.h states.

They are met where users meet them: in the pose of one hinge, whose rotation is cosine and sine of
its angle and nothing else, and in the first subproblem, whose answer for a vector along x is an arc
tangent. `csrc/tests/test_trig.c` has more of them, against long doubles.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.closed.subproblems import subproblem1

mpmath = pytest.importorskip("mpmath")

HINGE = hk.chain([1.0])
RANGES = (1e-6, 0.8, 3.2, 100.0, 1.6e6)
BOUND = 2e-16


@pytest.fixture(autouse=True)
def digits() -> Any:
    with mpmath.workdps(40):
        yield


def angles(reach: float) -> np.ndarray:
    """Uniform ones, and those beside a multiple of a quarter turn, where one of the two is tiny."""
    drawn = np.random.default_rng(7).uniform(-reach, reach, 300)
    quarter = np.round(drawn / (np.pi / 2)) * (np.pi / 2)
    return np.concatenate([drawn, quarter, np.nextafter(quarter, 4 * reach + 4), [0.0, reach]])


def worst_error(x: np.ndarray, cosine: np.ndarray, sine: np.ndarray) -> float:
    rows = zip(x, cosine, sine, strict=True)
    return max(
        float(max(abs(mpmath.cos(mpmath.mpf(float(a))) - float(c)),
                  abs(mpmath.sin(mpmath.mpf(float(a))) - float(s))))
        for a, c, s in rows
    )  # fmt: skip


@pytest.mark.parametrize("reach", RANGES)
def test_sine_and_cosine_in_lanes(isa: str, reach: float) -> None:
    x = angles(reach)
    pose = HINGE.fk(x[:, None])
    assert 0 < worst_error(x, pose[:, 0, 0], pose[:, 1, 0]) <= BOUND


@pytest.mark.parametrize("reach", RANGES)
def test_sine_and_cosine_of_one_posture(reach: float) -> None:
    x = angles(reach)
    pose = np.array([HINGE.fk([a]) for a in x])
    assert 0 < worst_error(x, pose[:, 0, 0], pose[:, 1, 0]) <= BOUND


def test_arc_tangent() -> None:
    """Of two components, over all quadrants and many orders of magnitude of their ratio."""
    rng = np.random.default_rng(8)
    ratio = 10.0 ** rng.uniform(-12, 12, 800)
    x, y = rng.choice([-1.0, 1.0], 800), rng.choice([-1.0, 1.0], 800) * ratio
    small = ratio > 1
    x[small], y[small] = x[small] / ratio[small], y[small] / ratio[small]
    zero = np.zeros(800)
    want = np.stack([x, y, zero], -1)
    got = subproblem1([1.0, 0.0, 0.0], want, [0.0, 0.0, 1.0]).angles[:, 0, 0]
    worst = 0.0
    for a, b, angle in zip(x, y, got, strict=True):
        exact = mpmath.atan2(mpmath.mpf(float(b)), mpmath.mpf(float(a)))
        worst = max(worst, float(abs((float(angle) - exact) / exact)))
    assert 0 < worst <= 4e-16
