"""Times the Gough-Stewart platform: all postures, and Newton's method, in one thread.

Run as ``python -m benchmarks parallel [--platforms 200]``. Processor time; medians of poses.
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np

from handik.closed.parallel import StewartPlatform
from handik.study.twins.parallel import rotation

DIETMAIER = (
    "0 0 0  1.107915 0 0  .549094 .756063 0  .735077 -.223935 .525991  .514188 -.526063 -.368418 "
    ".590473 .094733 -.205018  0 0 0  .542805 0 0  .956919 -.528915 0  .665885 -.353482 1.402538 "
    ".478359 1.158742 .107672  -.137087 -.235121 .353913"
)
LENGTHS = np.array([1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])


def _pose(rng: np.random.Generator, turn: float) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = rotation(turn * rng.uniform(-1, 1, 3))
    T[:3, 3] = rng.uniform(-0.3, 0.3, 3) + np.array([0, 0, 1])
    return T


def _platform(kind: str, rng: np.random.Generator) -> StewartPlatform:
    base, top = rng.uniform(-1, 1, (2, 6, 3))
    if kind == "hexagon":
        return StewartPlatform.hexagon(1, *rng.uniform([0.5, 0.1, 0.1], [0.8, 0.4, 0.4]))
    if kind in ("flat base", "flat both"):
        base[:, 2] = 0
    if kind == "flat both":
        top[:, 2] = 0
    if kind in ("6-3", "3-3"):
        top[1::2] = top[::2]
    if kind == "3-3":
        base[[1, 3, 5]] = base[[2, 4, 0]]
    return StewartPlatform(base, top)


def _postures(kind: str, count: int, rng: np.random.Generator) -> None:
    times, finite, complete, missed = [], [], 0, 0
    for _ in range(count):
        if kind == "Dietmaier":
            points = np.array(DIETMAIER.split(), float).reshape(2, 6, 3)
            arm, T, lengths = StewartPlatform(*points), None, LENGTHS
        else:
            arm = _platform(kind, rng)
            T = _pose(rng, 0.3 if kind == "hexagon" else 2.0)
            lengths = arm.ik(T)
        begin = process_time()
        found = arm.postures(lengths)
        times.append(1e3 * (process_time() - begin))
        finite.append(found.finite)
        complete += bool(found.complete)
        if T is not None:
            apart = np.abs(found.T - T).max(axis=(1, 2))
            missed += not (apart.size and apart.min() < 1e-6)
    print(
        f"{kind:10} {count:5} sets: median {np.median(times):6.2f} ms, worst {max(times):6.2f} ms, "
        f"finite {min(finite)}..{max(finite)}, complete {complete}, truth missed {missed}"
    )


def _newton(count: int, rng: np.random.Generator) -> None:
    arm = StewartPlatform.hexagon(1, 0.6, 0.2, 0.25)
    T = np.array([_pose(rng, 0.3) for _ in range(count)])
    lengths, guess = arm.ik(T), T.copy()
    for k in range(count):
        guess[k, :3, :3] = rotation(rng.uniform(-0.01, 0.01, 3)) @ T[k, :3, :3]
    guess[:, :3, 3] += rng.uniform(-0.01, 0.01, (count, 3))
    times = []
    for _ in range(7):
        begin = process_time()
        found = arm.fk(lengths, guess)
        times.append(1e6 * (process_time() - begin) / count)
    begin = process_time()
    for k in range(1000):
        arm.fk(lengths[k % count], guess[k % count])
    single = 1e3 * (process_time() - begin)
    print(
        f"Newton in a batch of {count}: {np.median(times):.2f} us, mean steps "
        f"{found.iterations.mean():.2f}, converged {found.converged.mean():.4f}; "
        f"one by one from Python {single:.1f} us"
    )
    times = []
    for _ in range(7):
        begin = process_time()
        arm.ik(T)
        times.append(1e6 * (process_time() - begin) / count)
    print(f"lengths, Jacobian and singularity in a batch: {np.median(times):.2f} us")


def main() -> None:
    """Print one line a family."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platforms", type=int, default=200, help="random platforms a family")
    count = parser.parse_args().platforms
    rng = np.random.default_rng(1)
    for kind in ("Dietmaier", "random", "flat base", "flat both", "6-3", "3-3", "hexagon"):
        _postures(kind, count, rng)
    _newton(10_000, rng)


if __name__ == "__main__":
    main()
