"""Fuzzer of "no": 10^8 postures of people against the verdicts on places about the edge of their reach.

``python tests/fuzz/reach_samples.py 100000000 5``: so many postures, shared by the people of five seeds.

Half of them are drawn over the whole room of the joints, some joints put on their limits; the other half climbs: each target keeps its
nearest postures, turns each joint a little, and keeps the nearest of those, in ever smaller steps. That is where a verdict would be
contradicted first. No posture may be nearer to a target than the least distance that its verdict says is proved.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import cKDTree

import handik as hk

Array = np.ndarray
CHUNK = 200_000
KEPT = 8  # postures a target climbs from


@dataclass
class Found:
    """What was compared, and what was wrong."""

    postures: int = 0
    verdicts: dict[str, int] = field(default_factory=dict)
    least: float = np.inf  # of the distances over those that are said to be proved, meters
    failures: list[str] = field(default_factory=list)


def drawn(model: hk.Model, count: int, rng: np.random.Generator) -> Array:
    """Draw postures, the hinges of half of them on a limit as often as not."""
    q = model.sample(count, seed=int(rng.integers(2**31)))
    bounded = np.flatnonzero(np.isfinite(model.lower) & (model.lower < model.upper))
    at = np.where(
        rng.random((count, len(bounded))) < 0.5, model.lower[bounded], model.upper[bounded]
    )
    put = (rng.random((count, len(bounded))) < 0.5) & (np.arange(count) % 2 == 0)[:, None]
    q[:, bounded] = np.where(put, at, q[:, bounded])
    return model.clip(q)


def places(model: hk.Model, frame: str, count: int, rng: np.random.Generator) -> Array:
    """Return places 0 to 0.3 m beyond what a draw reached, in any direction."""
    reached = model.fk(drawn(model, 20_000, rng), frame=frame)[:, :3, 3]
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    outer = reached[[int(np.argmax(reached @ one)) for one in way]]
    return outer + way * (rng.uniform(0, 1, (count, 1)) ** 2 * 0.3)


def some_postures(total: int, seed: int, asked: int, found: Found) -> None:
    """Ask about so many places, and look for a posture that is nearer than is said to be possible."""
    rng = np.random.default_rng(seed)
    person = hk.human(
        sex=("female", "male")[seed % 2],
        percentile=float(rng.uniform(3, 97)),
        position=("seated", "standing")[seed // 2 % 2],
    )
    model, frame = person.model, str(rng.choice(["grip_right", "grip_left"]))
    targets = places(model, frame, asked, rng)
    verdicts = hk.access.reach(model, None, targets, frame=frame)
    for one in verdicts:
        found.verdicts[one.verdict] = found.verdicts.get(one.verdict, 0) + 1
    said = np.array([one.short[0] for one in verdicts])
    least, kept = np.full(asked, np.inf), np.tile(model.rest, (asked, KEPT, 1))
    far = np.full((asked, KEPT), np.inf)

    def merge(index: Array, q: Array, away: Array) -> None:
        """Keep the nearest postures of each of these targets, of those kept and these (targets, n)."""
        all_q = np.concatenate([kept[index], q], 1)
        all_away = np.concatenate([far[index], away], 1)
        order = np.argsort(all_away, 1)[:, :KEPT]
        kept[index] = np.take_along_axis(all_q, order[..., None], 1)
        far[index] = np.take_along_axis(all_away, order, 1)

    each = min(CHUNK, total // 2)
    for _ in range(total // 2 // each):
        q = drawn(model, each, rng)
        tree = cKDTree(model.fk(q, frame=frame)[:, :3, 3])
        away, nearest = tree.query(targets, KEPT)
        merge(np.arange(asked), q[nearest], away)
        found.postures += each
    rounds, tries = 40, max(1, total // 2 // (asked * KEPT * 40))
    for size in np.geomspace(0.3, 1e-4, rounds):
        for some in np.array_split(np.arange(asked), max(1, asked * KEPT * tries // CHUNK)):
            start = np.repeat(kept[some], tries, axis=1)
            step = rng.normal(size=(*start.shape[:2], model.nv)) * size
            step *= rng.random(step.shape) < rng.choice([0.15, 0.5, 1.0], (*start.shape[:2], 1))
            q = model.clip(model.integrate(start.reshape(-1, model.nq), step.reshape(-1, model.nv)))
            tip = model.fk(q, frame=frame)[:, :3, 3].reshape(len(some), -1, 3)
            away = np.linalg.norm(tip - targets[some][:, None], axis=2)
            merge(some, q.reshape(len(some), -1, model.nq), away)
            found.postures += away.size
    least = far[:, 0]
    found.least = min(found.least, float((least - said)[said > 0].min(initial=np.inf)))
    for k in np.flatnonzero(least < said):
        found.failures.append(
            f"seed {seed}, target {targets[k].tolist()}: {said[k]} m are said to be proved, "
            f"a posture is {least[k]} m from it: {kept[k, 0].tolist()}"
        )


if __name__ == "__main__":
    found, people = Found(), int(sys.argv[2])
    for seed in range(people):
        some_postures(int(sys.argv[1]) // people, seed, 200, found)
    print(
        f"{found.postures} postures, {found.verdicts}, nearest to a bound {1e6 * found.least:.3g} um"
    )
    print("\n".join(found.failures) or "nothing found")
    sys.exit(bool(found.failures))
