"""The built body against its tape: each figure of p5, p50, p95 and drawn people beside its goal.

Model minus tape, mm; volumes as percent over mass by density. Standing and seated, both sexes. Of
the drawn people the mean, what 95 % are within, the worst, and the share within the goal; they are
drawn from the survey's tables (`handik.population`), as its single records are not shipped. The
last lines are times of the processor.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import handik as hk
from handik.people._tape import MEASURES, SKIN
from handik.people.dimensions import Dimensions
from handik.people.skeleton import joint_centers
from handik.people.surface._data import mesh
from handik.people.surface._fit import DENSITY
from handik.people.surface._seat import seated_tape

#: Reaches have goals of their own over a population (tests/people/test_human.py).
REACHES = ("overhead_fingertip_reach_sitting", "span", "thumbtip_reach")
VOLUMES = {"volume standing, %": 3.0, "volume seated, %": 2.0}


def goal(name: str) -> float:
    """Return what a figure is to be within, mm or percent."""
    if name in VOLUMES:
        return VOLUMES[name]
    if name in ("hip_breadth_sitting", "bideltoid_breadth"):
        return 5.0
    if name == "buttock_circumference":
        return 4.0
    if name.endswith(("breadth", "depth")) or name == "head_length":
        return 10.0 if name in SKIN else 1.0
    if name.endswith("circumference"):
        return 2.0
    seated = name in MEASURES and MEASURES[name].position == "seated"
    return 2.0 if seated or name == "thigh_clearance" else 1.0


def figures(d: Dimensions) -> dict[str, float]:
    """Return all figures of a person."""
    stands, sits = hk.human(dimensions=d, position="standing"), hk.human(dimensions=d)
    out = {
        name: 1000 * (stands.measure(name) - d[name])
        for name in (*MEASURES, *SKIN)
        if name not in REACHES
    }
    skin = sits.surface(sits._hanging)
    wanted = d["weight"] / DENSITY[d.sex]
    out["stature of the skin"] = 1000 * (
        float(stands.surface(stands.rest).vertices[: mesh().skin, 2].max()) - d["stature"]
    )
    tape = seated_tape(skin.vertices, joint_centers(d, "seated"), d)
    tape["bideltoid_breadth"] = sits.measure("bideltoid_breadth")
    of_skin = {"buttock_knee_length", "knee_height_sitting"}
    for name, value in tape.items():
        out[name + " of the skin" if name in of_skin else name] = 1000 * (value - d[name])
    out["volume standing, %"] = 100 * (stands.surface.measured["volume"] / wanted - 1)
    out["volume seated, %"] = 100 * (skin.volume / wanted - 1)
    return out


def goal_of(name: str) -> float:
    """Return the goal of a figure, also of one that is read off the skin."""
    return goal(name.removesuffix(" of the skin"))


def least(run: Callable[[], object], times: int) -> float:
    """Milliseconds of the processor that the fastest of several runs took."""
    taken = []
    for _ in range(times):
        begun = time.process_time()
        run()
        taken.append(time.process_time() - begun)
    return 1000 * min(taken)


def times() -> None:
    """Print what a person, their skin and a posture of it cost."""
    hk.human().surface  # noqa: B018 - the tables are read once
    bob = hk.human(sex="male")
    skin, q = bob.surface, bob.rest
    bare = least(lambda: hk.human(sex="male"), 5)
    whole = least(lambda: hk.human(sex="male").surface, 3)
    print(
        f"\nhuman() {bare:.0f} ms (goal 50), with its surface {whole:.0f} ms (goal 300), ", end=""
    )
    print(f"surface(q) {least(lambda: skin(q), 30):.2f} ms")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks body", description=__doc__)
    parser.add_argument("--people", type=int, default=100, help="drawn people, half of each sex")
    parser.add_argument(
        "--all", action="store_true", help="also what is within a tenth of its goal"
    )
    args = parser.parse_args()
    named = {
        f"{sex[0]}{p}": hk.people.dimensions(sex, percentile=p)
        for sex in ("female", "male")
        for p in (5, 50, 95)
    }
    one = {name: figures(d) for name, d in named.items()}
    drawn = {
        sex: [figures(d) for d in hk.population(args.people // 2, sex=sex, seed=11)]
        for sex in ("female", "male")
    }
    print("| figure | goal | " + " | ".join(one) + " | women: mean, 95 %, worst, within | men |")
    print("|---|---|" + "---|" * (len(one) + 2))
    hidden = 0
    for name in one["f50"]:
        line = goal_of(name)
        several = {s: np.array([f[name] for f in people]) for s, people in drawn.items()}
        each = [f[name] for f in one.values()]
        if not args.all and max(np.abs([*each, *np.concatenate([*several.values()])])) < line / 10:
            hidden += 1
            continue
        print(f"| {name} | {line:g} | " + " | ".join(f"{x:.1f}" for x in each), end=" |")
        for x in several.values():
            off = np.abs(x)
            print(
                f" {x.mean():.1f}, {np.quantile(off, 0.95):.1f}, {off.max():.1f}, "
                f"{100 * (off <= line).mean():.0f} % |",
                end="",
            )
        print(flush=True)
    print(f"\n{hidden} more figures are within a tenth of their goals.")
    times()


if __name__ == "__main__":
    main()
