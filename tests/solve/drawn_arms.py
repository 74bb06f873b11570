"""Arms drawn at random, and what their `solutions` lost: used by the tests and run by itself.

python tests/solve/drawn_arms.py [--three 0] [--four 1500] [--five 1500] [--six 500] [--seed 0] [--poses 2] [--newton 0]

Every arm is drawn by number, so that a case can be made again: half on right angles with lengths that repeat, half on
any, and of each half some with one to three slides. Nothing here asks the closed forms about themselves: a pose is made
of a posture by forward kinematics, and Newton's method from random starts, in NumPy, knows others.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy import pi

import handik as hk

HALF = pi / 2
#: A posture whose Jacobian has a least singular value above this stands alone.
REGULAR = 1e-3
#: Postures closer than this in every coordinate are one.
APART = 1e-5


@dataclass
class Arm:
    """An arm drawn at random."""

    model: hk.Model
    turns: np.ndarray
    square: bool
    table: np.ndarray
    kinds: str


def draw(n: int, number: int, seed: int = 0) -> Arm:
    """Arm `number` of n joints: even numbers on right angles, two of five with slides."""
    rng = np.random.default_rng([seed, n, number])
    square = number % 2 == 0
    if square:
        table = HALF * rng.integers(-1, 3, (n, 4)).astype(float)
        table[:, 1:3] = rng.choice([0, 0, 0.3, 0.5, 0.2], (n, 2))
    else:
        table = rng.uniform([-pi, -0.5, -0.5, -pi], [pi, 0.5, 0.5, pi], (n, 4))
    slides = int(rng.integers(1, 4)) if rng.random() < 0.4 else 0
    at = rng.choice(n, min(slides, n - 1), replace=False)
    kinds = "".join("P" if k in at else "R" for k in range(n))
    turns = np.array([kind == "R" for kind in kinds])
    return Arm(hk.Model.from_dh(table, kinds=kinds), turns, square, table, kinds)


def gaps(arm: Arm, rows: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Greatest difference of each row to q, whole turns aside."""
    d = np.abs(rows - q)
    d = np.where(arm.turns, np.abs((d + pi) % (2 * pi) - pi), d)
    return np.asarray(d.max(axis=-1))


def regular(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Whether a posture stands alone: the least singular value of its Jacobian."""
    return np.asarray(np.linalg.svd(arm.model.jacobian(q))[1][..., -1] > REGULAR)


def newton(arm: Arm, pose: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Gauss and Newton's method from each start at once; the postures that stand alone, each once."""
    q, n = starts.copy(), starts.shape[1]
    ended: list[np.ndarray] = []
    for _ in range(60):
        now = arm.model.fk(q)
        turn = pose[:3, :3] @ np.swapaxes(now[:, :3, :3], 1, 2)
        skew = np.stack(
            [
                turn[:, 2, 1] - turn[:, 1, 2],
                turn[:, 0, 2] - turn[:, 2, 0],
                turn[:, 1, 0] - turn[:, 0, 1],
            ],
            axis=1,
        )
        error = np.concatenate([pose[:3, 3] - now[:, :3, 3], 0.5 * skew], axis=1)
        there = np.abs(now - pose).max(axis=(1, 2)) < 1e-11
        ended += list(q[there])
        q, error = q[~there], error[~there]
        if not len(q):
            break
        slope = arm.model.jacobian(q)
        square = np.swapaxes(slope, 1, 2) @ slope + 1e-10 * np.eye(n)
        step = np.linalg.solve(square, np.swapaxes(slope, 1, 2) @ error[:, :, None])[:, :, 0]
        q = q + step * np.minimum(
            1, 0.4 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300)
        )
    kept: list[np.ndarray] = []
    for row in ended:
        if regular(arm, row) and (not kept or gaps(arm, np.array(kept), row).min() > APART):
            kept.append(row)
    return np.array(kept).reshape(-1, n)


@dataclass
class Tally:
    """What a run counted."""

    poses: int = 0
    lost: int = 0  # generating postures not among the answers
    lied: int = 0  # of them with `sure`
    unknown: int = 0  # postures that Newton's method met and the answers lack
    unsaid: int = 0  # of them with `sure`
    wrong: int = 0  # answers that do not reach the pose
    doubted: int = 0  # poses not sure
    nothing: int = 0  # reachable poses without any posture
    methods: Counter[str] = field(default_factory=Counter)
    cases: list[tuple[int, int, int]] = field(default_factory=list)  # joints, number, pose


def look(n: int, number: int, tally: Tally, seed: int = 0, poses: int = 2, starts: int = 0) -> None:
    """Ask one arm for the postures of poses that it can reach, and count."""
    arm = draw(n, number, seed)
    rng = np.random.default_rng([seed, n, number, 1])
    q = np.where(arm.turns, rng.uniform(-pi, pi, (poses, n)), rng.uniform(-0.6, 0.6, (poses, n)))
    square = (
        rng.random((poses, n)) < 0.6
    )  # of every second posture, most joints at right angles or at zero
    square[::2] = False
    q = np.where(square, np.where(arm.turns, HALF * rng.integers(-1, 3, (poses, n)), 0.0), q)
    try:
        found = arm.model.solutions(arm.model.fk(q))
    except hk.UnsupportedError:
        return
    tally.methods[found.method] += 1
    for k in np.flatnonzero(regular(arm, q)):
        pose, rows, sure = arm.model.fk(q[k]), found.q[k, : found.count[k]], bool(found.complete[k])
        tally.poses += 1
        tally.doubted += not sure
        tally.nothing += not len(rows)
        if len(rows):
            tally.wrong += int((np.abs(arm.model.fk(rows) - pose).max(axis=(1, 2)) > 1e-9).sum())
        if gaps(arm, rows, q[k]).min(initial=np.inf) > APART:
            tally.lost += 1
            tally.lied += sure
            tally.cases.append((n, number, int(k)))
        if starts:
            wide = np.where(arm.turns, pi, 1.5)
            for row in newton(arm, pose, rng.uniform(-wide, wide, (starts, n))):
                if gaps(arm, rows, row).min(initial=np.inf) > APART:
                    tally.unknown += 1
                    tally.unsaid += sure
                    tally.cases.append((n, number, int(k)))


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name, n in (
        ("three", 0),
        ("four", 1500),
        ("five", 1500),
        ("six", 500),
        ("seed", 0),
        ("poses", 2),
        ("newton", 0),
    ):
        parser.add_argument(f"--{name}", type=int, default=n)
    options = parser.parse_args()
    for n, arms in ((3, options.three), (4, options.four), (5, options.five), (6, options.six)):
        for square in (True, False):
            tally = Tally()
            for number in range(0 if square else 1, arms, 2):
                look(n, number, tally, options.seed, options.poses, options.newton)
            print(f"{n} joints, {'right angles' if square else 'any angles'}: {tally}", flush=True)


if __name__ == "__main__":
    main()
