"""Drawn people against the survey: percentiles, correlations, coverage, and reaches by the tape.

Of the percentiles p5, p50 and p95 of each dimension the worst is taken; ``within`` is how many of
the dimensions keep to the share named. ``coverage`` is how often a dimension of a drawn person lies
in the 90 % interval told by stature and weight alone. The survey's own records are not shipped, so
that people who were held out of it are not asked. Reaches are the built person's, by the tape.
"""

from __future__ import annotations

import argparse

import numpy as np

import handik as hk
from handik.people import survey
from handik.people._tape import Tape

REACHES = ("overhead_fingertip_reach_sitting", "span", "thumbtip_reach")


def drawn(sex: str, n: int, whiten: bool) -> None:
    """Print a row of the table of percentiles and correlations."""
    people = survey(sex)
    rows = people.condition({}).draw(n, np.random.default_rng(7), whiten=whiten)
    got = np.quantile(rows, [0.05, 0.5, 0.95], axis=0).T
    wanted = np.array([[people.quantile(k, p) for p in (0.05, 0.5, 0.95)] for k in people.names])
    off = np.abs(got / wanted - 1).max(axis=1)
    apart = np.abs(np.corrcoef(rows.T) - people.correlation).max()
    share = 0.005 if whiten else 0.007
    print(
        f"| {sex} | {'yes' if whiten else 'no'} | {100 * off.max():.2f} | {100 * share:.1f} "
        f"| {np.count_nonzero(off < share)} of {len(off)} | {apart:.3f} |"
    )


def coverage(sex: str, n: int) -> None:
    """Print how often intervals hold what they are intervals of."""
    people = survey(sex)
    rows = people.condition({}).draw(n, np.random.default_rng(5))
    known = ("stature", "weight")
    others = [k for k in people.names if k not in known]
    inside = np.zeros(len(others))
    for row in rows:
        given = {k: float(row[people.index(k)]) for k in known}
        interval = people.condition(given).interval(0.9)
        at = [row[people.index(k)] for k in others]
        inside += [interval[k][0] <= x <= interval[k][1] for k, x in zip(others, at, strict=True)]
    share = inside / len(rows)
    print(
        f"| {sex} | {100 * share.mean():.1f} | {100 * share.min():.1f} | {100 * share.max():.1f} |"
    )


def reaches(sex: str, n: int) -> None:
    """Print how far built people reach beside how far the survey's do."""
    built: dict[str, list[float]] = {name: [] for name in REACHES}
    wanted: dict[str, list[float]] = {name: [] for name in REACHES}
    for person in hk.population(n, sex=sex, seed=1, whiten=True):
        tape = Tape(person)
        for name in REACHES:
            built[name].append(tape.measure(name))
            wanted[name].append(person[name])
    for name in REACHES:
        mean = np.mean(built[name]) - np.mean(wanted[name])
        ends = [np.quantile(built[name], p) - survey(sex).quantile(name, p) for p in (0.05, 0.95)]
        print(
            f"| {sex} | {name} | {1e3 * mean:+.1f} | {1e3 * ends[0]:+.1f} | {1e3 * ends[1]:+.1f} |"
        )


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks population", description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--asked", type=int, default=300, help="people for coverage and reaches")
    args = parser.parse_args()
    print(f"handik {hk.__version__}, {args.n} people a sex\n")
    print("| sex | whitened | worst percentile, % | share, % | within | worst correlation |")
    print("|---|---|---|---|---|---|")
    for sex in ("female", "male"):
        for whiten in (False, True):
            drawn(sex, args.n, whiten)
    print(f"\nof {args.asked} people: 90 % intervals hold, %")
    print("\n| sex | mean | worst dimension | best |\n|---|---|---|---|")
    for sex in ("female", "male"):
        coverage(sex, args.asked)
    print(f"\nreaches of {args.asked} built people minus the survey's, mm")
    print("\n| sex | reach | mean | p5 | p95 |\n|---|---|---|---|---|")
    for sex in ("female", "male"):
        reaches(sex, args.asked)


if __name__ == "__main__":
    main()
