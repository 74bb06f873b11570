"""What tests of closed forms ask of a set of postures."""

from __future__ import annotations

import numpy as np
from numpy import pi

import handik as hk


def wrapped(x: np.ndarray) -> np.ndarray:
    return np.abs((x + pi) % (2 * pi) - pi)


def contains(found: hk.Solutions, q: np.ndarray, index: int, tolerance: float = 1e-5) -> bool:
    rows = found.q[index][: found.count[index]]
    return bool((wrapped(rows - q).max(axis=1, initial=0) < tolerance).any())
