"""Fuzzer of skins: does a skin ever jump where a person's dimensions change smoothly?

``python tests/fuzz/skins.py 0 20``: the lines of seeds 0 to 19, each between two drawn people, or along one dimension of one.

A line is halved again and again, and followed where the skin moves more, until its ends are nearly the same person. There a smooth skin
is nearly the same, and one that jumps is followed to its greatest jump, or to another one. Known: line 12, of who sits, by 0.5 mm.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import handik as hk
from handik.people.dimensions import Dimensions
from handik.people.surface._fit import fit

Array = np.ndarray
#: How far the same person's skins may be apart, meters.
NEAR = 1e-4


def line(seed: int) -> tuple[str, str, Callable[[float], Dimensions]]:
    """Draw a line: what it is, the position, and who is at a share of it."""
    rng = np.random.default_rng(seed)
    sex, position = str(rng.choice(["female", "male"])), str(rng.choice(["seated", "standing"]))
    first, second = (hk.people.dimensions(sex, seed=int(k)) for k in rng.integers(10**6, size=2))
    what, end = "between two", dict(second)
    if rng.random() < 0.5:
        what = str(rng.choice(list(first)))
        low, high = hk.people.dimensions(sex).interval(what, 0.5)
        end = {**first, what: first[what] + 0.5 * (high - low)}

    def at(share: float) -> Dimensions:
        values = {name: x + share * (end[name] - x) for name, x in first.items()}
        return Dimensions(values, first._conditional, drawn=True)

    return f"{sex} {position}, {what}", position, at


def skin(d: Dimensions, position: str) -> Array:
    """Return the vertices at rest."""
    person = hk.human(dimensions=d, position=position)
    return person.surface(person.rest).vertices


def jump(
    made: Callable[[float], Array], low: float = 0.0, high: float = 1.0
) -> tuple[float, float]:
    """Follow a line to where vertices move most: its share, and how far they go there, meters."""
    first, last = made(low), made(high)
    while high - low > 1e-8:
        share = 0.5 * (low + high)
        middle = made(share)
        if np.abs(middle - first).max() >= np.abs(last - middle).max():
            high, last = share, middle
        else:
            low, first = share, middle
    return low, float(np.linalg.norm(last - first, axis=1).max())


def one(seed: int, whole: bool = True) -> tuple[str, float]:
    """Return what a line is, and its jump; not whole: of the skin as it is fitted, standing."""
    what, position, at = line(seed)
    share, far = jump(lambda k: skin(at(k), position) if whole else fit(at(k)).vertices)
    return f"{what}: {1e3 * far:.3f} mm at {share:.8f}", far


if __name__ == "__main__":
    first, last = (int(word) for word in sys.argv[1:3])
    wrong = 0
    for seed in range(first, last):
        said, far = one(seed)
        wrong += far > NEAR
        print(seed, said, "JUMPS" if far > NEAR else "", flush=True)
    sys.exit(wrong > 0)
