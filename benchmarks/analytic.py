"""Completeness, accuracy and speed of the analytic solutions, by arm.

Run: python -m benchmarks analytic [--poses 2000] [--every 10] [--newton 100] [--arms ur5 ...]

For each arm: the method chosen, set-up time, median microseconds per pose in a batch (one thread)
and called singly from Python, how many poses had their generating posture found, how many postures
of other sources were absent, duplicates within 1e-6, and the worst residual by the model's own
forward kinematics. The other sources: the union of every elimination of the general method, on one
pose of `--every`; Newton's method from `--starts` random starts, on one pose of `--newton` (0:
none); EAIK and py-ikgeo-kinematics, where installed and of use, on one of `--every`. What they have
and handik lacks is polished in long double before it counts, and so is what it is held against (see
`truth.py`). Then 100 random six-joint arms in the same way, exact singular poses of three arms, and
arms with one to three slides in every place: postures lost that stand alone, poses without any.
EAIK is timed beside them. The last line sums up: the share of all postures known from any source
that were found.

`--poses 18000 --every 1 --newton 1` looks at 100,000 poses with every source; about half an hour of
one core.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations, product
from statistics import median

import numpy as np
from numpy import pi

import handik as hk
from benchmarks.truth import absent, eaik, gap, ikgeo, newton

HALF = pi / 2
ARMS: dict[str, list[list[float]]] = {
    "ur5": [
        [0, 0.089159, 0, HALF],
        [0, 0, -0.425, 0],
        [0, 0, -0.39225, 0],
        [0, 0.10915, 0, HALF],
        [0, 0.09465, 0, -HALF],
        [0, 0.0823, 0, 0],
    ],
    "puma560": [
        [0, 0.6718, 0, HALF],
        [0, 0, 0.4318, 0],
        [0, 0.15005, 0.0203, -HALF],
        [0, 0.4318, 0, HALF],
        [0, 0, 0, -HALF],
        [0, 0.056, 0, 0],
    ],
    "irb120": [
        [0, 0.29, 0, -HALF],
        [-HALF, 0, 0.27, 0],
        [0, 0, 0.07, -HALF],
        [0, 0.302, 0, HALF],
        [0, 0, 0, -HALF],
        [pi, 0.072, 0, 0],
    ],
    "skew 3R and wrist": [
        [0.1, 0.2, 0.3, 0.9],
        [0.4, -0.1, 0.5, -0.5],
        [0.2, 0.15, 0.2, 1.1],
        [0, 0.4, 0, 1.2],
        [0, 0, 0, -0.8],
        [0, 0.1, 0.05, 0.3],
    ],
    "crx (offset wrist)": [
        [0, 0, 0, -HALF],
        [0, 0, 0.54, 0],
        [0, 0, 0, -HALF],
        [0, 0.54, 0, HALF],
        [0, -0.15, 0, -HALF],
        [0, 0.16, 0, 0],
    ],
    "denso vp5243": [
        [0, 0.28, 0, HALF],
        [0, 0, 0.21, 0],
        [0, 0, 0.22, 0],
        [HALF, 0, 0, HALF],
        [0, 0.12, 0, 0],
    ],
}


def random_arm(rng: np.random.Generator) -> list[list[float]]:
    """Return a table of six random turning joints."""
    table = rng.uniform([-pi, -1, -1, -pi], [pi, 1, 1, pi], (6, 4))
    return [list(row) for row in table]


def lost(found: np.ndarray, n: int, q: np.ndarray) -> bool:
    """Whether a posture is not among the first n rows."""
    return not (gap(found[:n] - q) < 1e-4).any()


#: What the postures found are held against.
SOURCES = ("union", "newton", "eaik", "ikgeo")


@dataclass
class Tally:
    """What the arms came to together."""

    poses: int = 0
    given: int = 0
    lacking: int = 0
    own_lost: int = 0
    doubles: int = 0
    unsure: int = 0
    worst: float = 0.0
    absent: Counter[str] = field(default_factory=Counter)  # by source
    asked: Counter[str] = field(default_factory=Counter)  # poses each source looked at

    def add(self, one: Tally) -> None:
        """Sum up."""
        for name in ("poses", "given", "lacking", "own_lost", "doubles", "unsure"):
            setattr(self, name, getattr(self, name) + getattr(one, name))
        self.worst = max(self.worst, one.worst)
        self.absent.update(one.absent)
        self.asked.update(one.asked)

    def __str__(self) -> str:
        seen = ", ".join(
            f"{name} {self.absent[name]} ({self.asked[name]} poses)"
            for name in SOURCES
            if self.asked[name]
        )
        return (
            f"own posture lost {self.own_lost}/{self.poses}, absent by {seen}, doubles "
            f"{self.doubles}, worst residual {self.worst:.1e}, unsure {self.unsure}"
        )


@dataclass(frozen=True)
class Effort:
    """How many poses of an arm go to which source."""

    every: int
    newton: int
    starts: int


def doubles(found: hk.Solutions) -> int:
    """Pairs of postures of one pose within 1e-6 of each other."""
    n = 0
    for rows, count in zip(found.q, found.count, strict=True):
        apart = gap(rows[:count, None] - rows[None, :count])
        n += int(np.count_nonzero(np.triu(apart < 1e-6, 1)))
    return n


def sources(
    arm: hk.Model, table: list[list[float]], targets: np.ndarray, effort: Effort, seed: int
) -> dict[str, dict[int, np.ndarray]]:
    """Return what each source finds, by pose."""
    rng = np.random.default_rng(seed)
    some = range(0, len(targets), effort.every)
    told = {"union": {k: arm.solutions(targets[k], method="general").q for k in some}}
    if effort.newton:
        told["newton"] = {}
        few = np.arange(0, len(targets), effort.newton)
        for part in np.array_split(few, -(-len(few) // 50)):
            rows = newton(arm, targets[part], effort.starts, rng)
            told["newton"].update(zip(part.tolist(), rows, strict=True))
    if arm.solutions(targets[0]).method == "general":
        return told  # EAIK refuses such arms, and py-ikgeo-kinematics gives few postures or none
    for name, peer in (("eaik", eaik(table)), ("ikgeo", ikgeo(table))):
        if peer is not None:
            told[name] = {k: peer(targets[k]) for k in some}
    return told


def check(
    table: list[list[float]], q: np.ndarray, found: hk.Solutions, effort: Effort, seed: int
) -> Tally:
    """Compare with the other sources."""
    arm = hk.Model.from_dh(table)
    targets = arm.fk(q)
    tally = Tally(poses=len(q), doubles=doubles(found), given=int(found.count.sum()))
    tally.unsure = int((~found.complete).sum())
    tally.own_lost = sum(lost(found.q[k], found.count[k], q[k]) for k in range(len(q)))
    there = np.arange(found.q.shape[1]) < found.count[:, None]
    wanted = np.broadcast_to(targets[:, None], (*there.shape, 4, 4))[there]
    tally.worst = float(np.abs(arm.fk(found.q[there]) - wanted).max())
    told = sources(arm, table, targets, effort, seed) if arm.nq == 6 else {}
    rows = np.array(table)
    for k in range(len(q)):
        mine, extra = found.q[k][: found.count[k]], [q[k : k + 1]]
        for name, by_pose in told.items():
            if k not in by_pose:
                continue
            tally.asked[name] += 1
            lacking = absent(rows, targets[k], mine, by_pose[k])
            tally.absent[name] += len(lacking)
            extra += [row[None] for row in lacking]
        tally.lacking += len(absent(rows, targets[k], mine, np.concatenate(extra)))
    return tally


def measure(
    name: str, table: list[list[float]], poses: int, effort: Effort, rng: np.random.Generator
) -> Tally:
    """Print one line."""
    arm = hk.Model.from_dh(table)
    q = rng.uniform(-pi, pi, (poses, arm.nq))
    targets = arm.fk(q)
    start = time.process_time()
    arm.solutions(targets[0])
    setup = time.process_time() - start
    times = []
    for _ in range(5):
        start = time.process_time()
        found = arm.solutions(targets)
        times.append((time.process_time() - start) / poses)
    singly = []
    for pose in targets[:500]:
        start = time.perf_counter()
        arm.solutions(pose)
        singly.append(time.perf_counter() - start)
    tally = check(table, q, found, effort, 7)
    print(
        f"{name:20} {found.method:9} set-up {1e3 * setup:6.2f} ms  batch "
        f"{1e6 * median(times):7.2f} us"
        f"  single {1e6 * median(singly):7.2f} us  {found.count.mean():5.2f} postures  {tally}",
        flush=True,
    )
    return tally


def general(arms: int, each: int, effort: Effort, rng: np.random.Generator) -> Tally:
    """Print one line for many random arms."""
    setups, times, total = [], [], Tally()
    for k in range(arms):
        table = random_arm(rng)
        arm = hk.Model.from_dh(table)
        q = rng.uniform(-pi, pi, (each, 6))
        targets = arm.fk(q)
        start = time.process_time()
        arm.solutions(targets[0])
        setups.append(time.process_time() - start)
        start = time.process_time()
        found = arm.solutions(targets)
        times.append((time.process_time() - start) / each)
        total.add(check(table, q, found, effort, k))
    print(
        f"{arms} random 6R x {each}: set-up {1e3 * median(setups):.1f} ms, batch "
        f"{1e6 * median(times):.1f} us, {total.given / arms / each:.2f} postures, {total}",
        flush=True,
    )
    return total


def singular(poses: int, rng: np.random.Generator) -> None:
    """Print one line an arm: postures made exactly singular, and how many have a true answer."""
    for name, stretched in (
        ("ur5", 0.0),
        ("puma560", HALF + np.arctan2(0.0203, 0.4318)),
        ("irb120", -HALF + np.arctan2(0.302, 0.07) - pi),
    ):
        arm = hk.Model.from_dh(ARMS[name])
        q = rng.uniform(-pi, pi, (poses, 6))
        q[::3, 4] = 0
        q[1::3, 2] = stretched
        q[2::3] = (HALF * rng.integers(-2, 3, (len(q[2::3]), 6))).astype(float)
        targets = arm.fk(q)
        found = arm.solutions(targets)
        there = np.arange(found.q.shape[1]) < found.count[:, None]
        reached = np.abs(arm.fk(np.nan_to_num(found.q)) - targets[:, None]).max(axis=(2, 3)) < 1e-10
        good = (there & reached).any(axis=1)
        print(
            f"singular poses of {name:8} (wrist in line, elbow stretched, right angles): a true "
            f"answer for {int(good.sum())} of {poses}, {int(found.free.any(axis=(1, 2)).sum())} with "
            f"a family, wrong answers {int((there & ~reached).sum())}",
            flush=True,
        )


def sliding(poses: int, rng: np.random.Generator) -> None:
    """Print one line for one, two and three slides, in every place, on random and right-angled links."""
    for slides, square in product((1, 2, 3), (False, True)):
        looked = gone = nothing = unsure = 0
        methods: Counter[str] = Counter()
        places = list(combinations(range(6), slides))
        each = max(1, poses // (20 * len(places)))
        for at in places * 5:
            table = rng.uniform([-pi, -1, -1, -pi], [pi, 1, 1, pi], (6, 4))
            if square:
                table = HALF * rng.integers(-1, 3, (6, 4)).astype(float)
                table[:, 1:3] = rng.choice([0, 0.3, 0.5, 0.2], (6, 2))
            arm = hk.Model.from_dh(table, kinds="".join("P" if k in at else "R" for k in range(6)))
            q = rng.uniform(-1, 1, (4 * each, 6))
            found = arm.solutions(arm.fk(q))
            methods[found.method] += 1
            alone = np.linalg.svd(arm.jacobian(q))[1][:, -1] > 1e-6
            looked += int(alone.sum())
            gone += sum(lost(found.q[k], found.count[k], q[k]) for k in np.flatnonzero(alone))
            nothing += int((found.count == 0).sum())
            unsure += int((~found.complete[alone]).sum())
        print(
            f"{slides} slides, {'right angles' if square else 'random links'}: own posture lost "
            f"{gone}/{looked}, poses with none {nothing}, unsure {unsure}, "
            + ", ".join(f"{name} {count}" for name, count in methods.items()),
            flush=True,
        )


def peer(poses: int, rng: np.random.Generator) -> None:
    """Time EAIK on the arms it takes, one pose a call; its name alone when it is not there."""
    for name in ("ur5", "puma560", "irb120"):
        table = ARMS[name]
        arm, solve = hk.Model.from_dh(table), eaik(table)
        if solve is None:
            print("EAIK: not installed, or it does not take the arm")
            return
        targets = arm.fk(rng.uniform(-pi, pi, (min(poses, 500), 6)))
        theirs, ours = [], []
        for pose in targets:
            start = time.perf_counter()
            solve(pose)
            theirs.append(time.perf_counter() - start)
            start = time.perf_counter()
            arm.solutions(pose)
            ours.append(time.perf_counter() - start)
        print(
            f"EAIK on {name:8} singly: {1e6 * median(theirs):.1f} us, handik {1e6 * median(ours):.1f}"
            " us",
            flush=True,
        )


def main() -> None:
    """Measure the arms named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--poses", type=int, default=2000, help="poses of each named arm")
    parser.add_argument("--every", type=int, default=10, help="second source on one pose of these")
    parser.add_argument("--newton", type=int, default=100, help="Newton's method on one of these")
    parser.add_argument("--starts", type=int, default=100, help="random starts of a pose")
    parser.add_argument(
        "--arms", nargs="*", default=[], help="named, random, singular, slides, eaik"
    )
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    print(f"handik {hk.__version__}, {hk.show_config()['simd']}, numpy {np.__version__}")
    total, effort = Tally(), Effort(options.every, options.newton, options.starts)
    wanted = options.arms
    for name, table in ARMS.items():
        if not wanted or any(word in name for word in wanted):
            total.add(measure(name, table, options.poses, effort, rng))
    if not wanted or "random" in wanted:
        each = max(1, min(100, options.poses // 20))
        total.add(general(100, each, effort, rng))
    if not wanted or "singular" in wanted:
        singular(min(options.poses, 3000), rng)
    if not wanted or "slides" in wanted:
        sliding(options.poses, rng)
    if not wanted or "eaik" in wanted:
        peer(options.poses, rng)
    if total.poses:
        known = total.given + total.lacking
        print(
            f"{total.poses} poses, {known} postures known, {total.lacking} of them absent: share "
            f"{100 * (1 - total.lacking / known):.4f} %; {total}"
        )


if __name__ == "__main__":
    main()
