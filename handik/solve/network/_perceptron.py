"""The perceptron itself: its first weights, its values, its gradients, and the steps of Adam."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Adam", "backward", "first_weights", "forward"]

Array = NDArray[np.float64]


def first_weights(sizes: Sequence[int], rng: np.random.Generator) -> list[Array]:
    """Weights and offsets of each layer in turn (Glorot and Bengio 2010)."""
    out: list[Array] = []
    for width, to in pairwise(sizes):
        wide = np.sqrt(6 / (width + to))
        out += [rng.uniform(-wide, wide, size=(width, to)), np.zeros(to)]
    return out


def forward(weights: Sequence[Array], x: Array) -> list[Array]:
    """Values of all layers; hidden ones are hyperbolic tangents."""
    values = [x]
    for k in range(0, len(weights), 2):
        x = x @ weights[k] + weights[k + 1]
        if k + 2 < len(weights):
            x = np.tanh(x)
        values.append(x)
    return values


def backward(weights: Sequence[Array], values: Sequence[Array], g: Array) -> list[Array]:
    """Gradients by the weights from that by the last layer."""
    out: list[Array] = [np.zeros(0)] * len(weights)
    for k in range(len(weights) - 2, -1, -2):
        below = values[k // 2]
        out[k], out[k + 1] = below.T @ g, g.sum(axis=0)
        if k:
            g = (g @ weights[k].T) * (1 - below**2)
    return out


class Adam:
    """Steps of Kingma and Ba with their constants."""

    def __init__(self, weights: Sequence[Array]) -> None:
        self.m = [np.zeros_like(w) for w in weights]
        self.v = [np.zeros_like(w) for w in weights]
        self.t = 0

    def __call__(self, weights: list[Array], gradients: Sequence[Array], rate: float) -> None:
        """Take one step: the weights change where they stand."""
        self.t += 1
        size = rate * np.sqrt(1 - 0.999**self.t) / (1 - 0.9**self.t)
        for w, g, m, v in zip(weights, gradients, self.m, self.v, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            w -= size * m / (np.sqrt(v) + 1e-8)
