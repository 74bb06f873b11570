"""Smoothing on the manifold of configurations: weighted means of the neighbors' tangents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["butterworth", "convolved", "polynomial"]

Array = NDArray[np.float64]
#: Weights beyond those that hold all but this share of an impulse response are left out.
_TAIL = 1e-6


def polynomial(
    model: Model, q: Array, times: Array, window: int, degree: int, derivative: int = 0
) -> Array:
    """Return at each frame the value, or slope, of the polynomial through its neighbors."""
    count = len(q)
    first = np.clip(np.arange(count) - window // 2, 0, count - window)
    at = first[:, None] + np.arange(window)
    apart = times[at] - times[:, None]
    span = np.abs(apart).max(axis=1, keepdims=True)
    span[span == 0] = 1.0  # a window of one frame
    powers = (apart / span)[..., None] ** np.arange(degree + 1)
    weights = np.linalg.pinv(powers)[:, derivative] / span**derivative
    v = np.zeros((count, model.nv))
    for k in range(window):
        v += weights[:, k, None] * np.asarray(model.difference(q, q[at[:, k]]))
    return v


def butterworth(cutoff: float, order: int) -> Array:
    """Return the weights of both passes of the filter; `cutoff` as a share of the rate.

    Raises
    ------
    ImportError
        Without SciPy.
    """
    try:
        from scipy.signal import butter, sosfilt
    except ImportError as error:
        raise ImportError("lowpass filters by SciPy: pip install 'handik[scipy]'") from error
    half = int(np.ceil(3 * order / cutoff)) + 8
    impulse = np.zeros(4 * half + 1)
    impulse[2 * half] = 1.0
    parts = butter(order, 2 * cutoff, output="sos")  # as one fraction it is inexact when slow
    answer = np.asarray(sosfilt(parts, sosfilt(parts, impulse)[::-1])[::-1])
    rest = np.abs(answer[2 * half :])
    left = np.cumsum(rest[::-1])[::-1]
    kept = int(np.flatnonzero(left > _TAIL * rest.sum())[-1])
    answer = answer[2 * half - kept : 2 * half + kept + 1]
    return np.asarray(answer / answer.sum())


def convolved(model: Model, q: Array, weights: Array) -> Array:
    """Return the weighted mean of the tangents to each frame's neighbors.

    Beyond its ends the motion goes on as its own image in the end point.
    """
    half, count = len(weights) // 2, len(q)
    ends = (q[0], q[-1])
    v = np.zeros((count, model.nv))
    for k, weight in zip(range(-half, half + 1), weights, strict=True):
        at = np.arange(count) + k
        out = [at < 0, at > count - 1]
        inside = np.abs(at)
        inside = np.where(out[1], 2 * (count - 1) - inside, inside)
        there = q[inside].copy()
        for end, beyond in zip(ends, out, strict=True):
            if beyond.any():
                back = np.asarray(model.difference(end, there[beyond]))
                there[beyond] = model.integrate(end, -back)
        v += weight * np.asarray(model.difference(q, there))
    return v
