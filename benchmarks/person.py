"""A person of spine, arms and a hand: time a target by solver, and frames a second of tracking.

Targets are places of the tip of the index finger in random postures inside the limits; every solve
starts from the posture at rest, on one thread. ``met`` is the share of targets met, ``outside`` the most
that a coordinate is beyond its limits or its joint's room, ``batch`` the time of one of many
targets, ``single`` that of a call with one, ``times auto`` the first over that of ``auto``; times
are of the processor, the least of several runs. What is tracked are both hands and the gaze between
them, from frame to frame, by spine and arms. Last, of the hands of sampled postures, those that lie outside
the envelope of reach, at all and by more than the length to which it is searched.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import handik as hk

FRAME = "index_tip_right"


def least(run: Callable[[], object], times: int) -> float:
    """Seconds of the processor that the fastest of several runs took."""
    taken = []
    for _ in range(times):
        begun = time.process_time()
        run()
        taken.append(time.process_time() - begun)
    return min(taken)


def outside(model: hk.Model, q: np.ndarray) -> float:
    """Most that postures are beyond what the limits leave, in coordinates."""
    return float(np.abs(model.clip(q) - q).max())


def reach(person: hk.Human, solvers: list[str], n: int, times: int) -> None:
    """Print a row a solver."""
    model = person.model
    goal = model.fk(model.sample(n, seed=1), frame=FRAME)[:, :3, 3]
    print("| solver | met % | outside, rad | iterations | batch, us | times auto | single, us |")
    print("|---|---|---|---|---|---|---|")
    base = 0.0
    for solver in solvers:
        given = {"frame": FRAME, "solver": solver, "q0": person.rest, "threads": 1}
        found = model.solve(position=goal, **given)
        many = least(lambda given=given: model.solve(position=goal, **given), times) / n
        few = goal[: max(n // 10, 1)]

        def alone(few: np.ndarray = few, given: dict[str, object] = given) -> None:
            for row in few:
                model.solve(position=row, **given)

        one = least(alone, times) / len(few)
        base = base or many
        print(
            f"| {solver} | {100 * found.converged.mean():.2f} | {outside(model, found.q):.0e} "
            f"| {found.iterations.mean():.2f} "
            f"| {1e6 * many:.1f} | {many / base:.1f} | {1e6 * one:.1f} |",
            flush=True,
        )


def track(times: int) -> None:
    """Print the frames a second of both hands and the gaze."""
    person = hk.human("female", detail="spine+hand")
    s = np.linspace(0, 2 * np.pi, 600)[:, None]
    middle = np.array([0.40, 0.0, 0.85])
    right = middle + np.hstack([0.05 * np.cos(s), -0.15 + 0.1 * np.sin(s), 0.08 * np.sin(2 * s)])
    left = middle + np.hstack([0.05 * np.cos(s), 0.15 + 0.1 * np.sin(s), 0.08 * np.cos(2 * s)])
    terms = [hk.Position("hand_right"), hk.Position("hand_left"), hk.LookAt("eye", axis=(1, 0, 0))]
    problem = hk.Problem(person.model, terms)
    given = {
        "problem": problem,
        "targets": np.hstack([right, left, 0.5 * (right + left)]),
        "q0": person.rest,
        "dt": 1 / 30,
        "max_speed": 6.0,
    }
    met = person.model.track(**given).converged.mean()
    spent = least(lambda: person.model.track(**given), times)
    print(f"\nboth hands and gaze: {len(s) / spent:.0f} frames a second, {100 * met:.2f} % met")


def shells(n: int) -> None:
    """Print the share of sampled hands that lie outside of envelopes, thin shells among them."""
    print("\n| profile | level | outside, % | by more than the 5 mm it is searched to, % | s |")
    print("|---|---|---|---|---|")
    for profile in (None, "sci_c6", "sci_c5"):
        model = hk.human(sex="female", stature=1.62, profile=profile).model
        hands = model.fk(model.sample(n, seed=9), frame=FRAME)[:, :3, 3]
        for level in (2, 3):
            begun = time.perf_counter()
            around = hk.people.envelope(model, FRAME, level=level)
            spent = time.perf_counter() - begun
            way = hands - around.center
            nearer = hands - around.resolution * way / np.linalg.norm(way, axis=1)[:, None]
            out, far = (100 * np.mean(~around.contains(x)) for x in (hands, nearer))
            print(f"| {profile or 'none'} | {level} | {out:.1f} | {far:.1f} | {spent:.1f} |")


def main() -> None:
    """Print all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks person", description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=3)
    usual = ["auto", "dls", "lm", "fabrik", "fabrik_fast"]
    parser.add_argument("--solvers", nargs="+", default=usual)
    args = parser.parse_args()
    begun = time.perf_counter()
    person = hk.human("male", detail="spine+hand_right")
    first = time.perf_counter() - begun
    again = least(lambda: hk.human("male", detail="spine+hand_right"), 5)
    print(f"handik {hk.__version__}, {args.n} targets, nv {person.model.nv}")
    print(f"the person: first {1e3 * first:.0f} ms, then {1e3 * again:.1f} ms\n")
    reach(person, args.solvers, args.n, args.times)
    track(args.times)
    shells(args.n)


if __name__ == "__main__":
    main()
