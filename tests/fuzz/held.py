"""Fuzzer of verdicts on models some of whose joints are held: postures may not contradict them, certificates are accepted.

`python tests/fuzz/held.py [--seed 0] [--cases 100]`; each fault is printed with its seed.

Joints are held where a drawn posture has them, the shoulder's ball, whose swing others follow, in half of the cases. Targets are at,
or a millimeter to 20 mm beyond, where a hand can be. Solves from drawn postures look for one that a "no" says there is not.
"""

from __future__ import annotations

import argparse
from collections import Counter
from functools import cache

import numpy as np

import handik as hk

GRIP = "grip_right"


@cache
def people() -> tuple[hk.Human, ...]:
    """Return who is asked: seated and standing, impaired, with a spine, with ranges as boxes."""
    return (
        hk.human(sex="female", stature=1.62, body="plain"),
        hk.human(sex="female", stature=1.62, body="plain", position="standing"),
        hk.human(sex="male", body="plain", profile="sci_c6"),
        hk.human(sex="male", body="plain", detail="spine"),
        hk.human(sex="female", body="plain", detail="hand", limits="box"),
    )


def drawn(rng: np.random.Generator) -> hk.Model:
    """Return a person's model with some joints held."""
    person = people()[int(rng.integers(len(people())))]
    model = person.model
    way = model.difference(person.rest, model.sample(1, seed=int(rng.integers(2**31)))[0])
    q = model.integrate(person.rest, rng.uniform(0, 1) * way)
    slices = {name: s for name, s in model.joint_q_slices.items() if s.stop > s.start}
    names = set(rng.choice(list(slices), int(rng.integers(1, 6)), replace=False).tolist())
    if rng.random() < 0.5 and "shoulder_right" in slices:
        names.add("shoulder_right")
    held = {name: q[slices[name]] for name in sorted(names)}
    return model.locked({name: x if len(x) > 1 else float(x[0]) for name, x in held.items()})


def wrong(seed: int, count: Counter[str], certificates: bool = True) -> str:
    """Return what is wrong with a verdict; nothing: an empty text."""
    rng = np.random.default_rng([seed, 9])
    model = drawn(rng)
    q = model.sample(1, seed=int(rng.integers(2**31)))[0]
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    place, off = model.fk(q, frame=GRIP)[:3, 3], 9e-4
    if rng.random() < 0.6:  # as far as the hand gets that way, and beyond
        q = model.solve(position=place + 2 * way, frame=GRIP).q
        place, off = model.fk(q, frame=GRIP)[:3, 3], float(rng.choice([9e-4, 2e-3, 5e-3, 0.02]))
    target = place + off * way
    within = np.inf if rng.random() < 0.7 else 2e-3
    found = hk.access.reach(model, None, target, frame=GRIP, within=within, budget=40_000)
    assert isinstance(found, hk.access.Reach)
    count[found.verdict] += 1
    near = float(np.linalg.norm(model.fk(found.q, frame=GRIP)[:3, 3] - target))
    if found.verdict == "yes":
        inside = np.all(found.q >= model.lower - 1e-9) and np.all(found.q <= model.upper + 1e-9)
        return (
            ""
            if near <= 1.0001e-3 and inside
            else f"a yes that is {near:.5f} m off, or bent too far"
        )
    starts = np.concatenate([model.sample(15, seed=seed), q[None]])
    for solver in ("auto", "lm", "lbfgs"):
        some = model.solve(position=np.tile(target, (16, 1)), frame=GRIP, q0=starts, solver=solver)
        gaps = np.linalg.norm(model.fk(some.q, frame=GRIP)[:, :3, 3] - target, axis=1)
        near = min(near, float(gaps.min()))
    if found.short[0] > min(near, off) + 1e-9 or (found.verdict == "no" and min(near, off) <= 1e-3):
        return f"{found.verdict}, {found.short[0]:.5f} m short at least, and {min(near, off):.5f} m is had"
    if found.verdict == "no" and certificates:
        try:
            proof = found.certificate
        except hk.HandikError:  # a spine, lengths alone
            count["no certificate"] += 1
            return ""
        if proof is None or not proof.check(model):
            return "a no whose certificate is not accepted"
        count["certificates"] += 1
    return ""


def main() -> int:
    """Run the fuzzer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=100)
    given = parser.parse_args()
    count: Counter[str] = Counter()
    faults = 0
    for seed in range(given.seed, given.seed + given.cases):
        if fault := wrong(seed, count):
            faults += 1
            print(f"seed {seed}: {fault}", flush=True)
    print(f"{given.cases} cases, {faults} faults, {dict(count)}")
    return int(faults > 0)


if __name__ == "__main__":
    raise SystemExit(main())
