"""Drawn people against the survey: percentiles, correlations, coverage, and reaches by the tape.

Of the percentiles p5, p50 and p95 of each dimension the worst is taken; ``within`` is how many of
the dimensions keep to the share named. The worst correlation is of all of them, of those that a tape
takes on the built body, and of as many normal numbers with exactly the survey's correlations, of
which none fits better than chance has it. A girth is held against the rectangle of its breadth and
depth: no plane section is longer. ``coverage`` is how often a dimension of a drawn person lies
in the 90 % interval told by stature and weight alone; "held out": as many people as the survey has are
drawn, tables are made of one half, and people of the other are asked by these. The survey's own records
are not shipped: ``--rows`` takes a public file of them and asks people drawn from it too, who were not
held out of the tables: given several of their dimensions, how many of the others lie inside, and the
standard error of that by drawing the same people again. Reaches are the built person's, by the tape; functional reach is that of MIL-STD-1472G
(shoulders at the wall, the thumb's tip, read in NUREG-0700, table 11.4). Last, how high people in
manual chairs get a hand, in front of their toes and beside the chair, and what of them get to the
highest that ADA 2010 has there (308.2.1, 308.3.1). No wall, no strength, no balance is looked at.
"""

from __future__ import annotations

import argparse

import numpy as np

import handik as hk
from handik.people import Survey, survey
from handik.people._quantile import QuantileMap, normal_score
from handik.people._tables import SHARES
from handik.people._tape import MEASURES, SKIN, Tape
from handik.scene.access._seat import toes_of

from .body import recorded

GIRTHS = {
    "chest": ("chest_circumference", "chest_breadth", "chest_depth"),
    "waist": ("waist_circumference", "waist_breadth", "waist_depth"),
    "buttock": ("buttock_circumference", "hip_breadth", "buttock_depth"),
}
#: Functional reach, meters: sex, percentile, what MIL-STD-1472G has.
FUNCTIONAL = (("female", 5, 0.677), ("male", 95, 0.886))
#: The highest reach of ADA 2010; how far beside the middle of a chair a target is, meters.
HIGHEST, BESIDE = 1.22, 0.38 + 0.255
#: How many people of each sex the survey measured.
MEASURED = {"female": 1986, "male": 4082}
#: What is told of people, the rest of whom an interval is to hold.
GIVEN: dict[str, tuple[str, ...]] = {
    "stature and weight": ("stature", "weight"),
    "nothing": (),
    "stature": ("stature",),
    "eight of a seat": (
        *("sitting_height", "popliteal_height", "knee_height_sitting", "buttock_knee_length"),
        *("hip_breadth_sitting", "elbow_rest_height", "bideltoid_breadth", "weight"),
    ),
    "five girths": tuple(
        f"{k}_circumference" for k in ("waist", "chest", "buttock", "thigh", "neck")
    ),
}
REACHES = ("overhead_fingertip_reach_sitting", "span", "thumbtip_reach")


def drawn(sex: str, n: int, whiten: bool) -> None:
    """Print a row of the table of percentiles and correlations."""
    people = survey(sex)
    rows = people.condition({}).draw(n, np.random.default_rng(7), whiten=whiten)
    got = np.quantile(rows, [0.05, 0.5, 0.95], axis=0).T
    wanted = np.array([[people.quantile(k, p) for p in (0.05, 0.5, 0.95)] for k in people.names])
    off = np.abs(got / wanted - 1).max(axis=1)
    off_by = np.abs(np.corrcoef(rows.T) - people.correlation)
    tape = [k for k, name in enumerate(people.names) if name in MEASURES or name in SKIN]
    exact = np.random.default_rng(7).standard_normal(rows.shape)
    exact = exact @ np.linalg.cholesky(people.correlation).T
    chance = np.abs(np.corrcoef(exact.T) - people.correlation).max()
    share = 0.005 if whiten else 0.007
    print(
        f"| {sex} | {'yes' if whiten else 'no'} | {100 * off.max():.2f} | {100 * share:.1f} "
        f"| {np.count_nonzero(off < share)} of {len(off)} | {off_by.max():.3f} "
        f"| {off_by[np.ix_(tape, tape)].max():.3f} of {len(tape)} "
        f"| {'' if whiten else f'{chance:.3f}'} |"
    )


def girths(sex: str, n: int) -> None:
    """Print how girths go with the rectangle of breadth and depth."""
    people = survey(sex)
    rows = people.condition({}).draw(n, np.random.default_rng(7))
    for name, parts in GIRTHS.items():
        girth, breadth, depth = (rows[:, people.index(k)] for k in parts)
        share = girth / (2 * (breadth + depth))
        low, middle, high = np.quantile(share, [0.05, 0.5, 0.95])
        print(
            f"| {sex} | {name} | {low:.3f} | {middle:.3f} | {high:.3f} "
            f"| {100 * np.mean(share > 1):.1f} |"
        )


def surveyed(sex: str, rows: np.ndarray) -> Survey:
    """Return the survey that people are: their percentiles and correlations."""
    scores = np.array([normal_score(p) for p in SHARES.values()])
    values = np.quantile(rows, list(SHARES.values()), axis=0).T
    maps = [QuantileMap(scores, own) for own in values]
    return Survey(survey(sex).names, maps, np.corrcoef(rows.T), sex=sex, source="drawn people")


def coverage(people: Survey, rows: np.ndarray, who: str, told: str = "stature and weight") -> None:
    """Print how often intervals hold what they are intervals of."""
    sex, known = people.sex, GIVEN[told]
    others = [k for k in people.names if k not in known]
    inside = np.zeros((len(rows), len(others)))
    for row, held in zip(rows, inside, strict=True):
        given = {k: float(row[people.index(k)]) for k in known}
        interval = people.condition(given).interval(0.9)
        at = [row[people.index(k)] for k in others]
        held[:] = [interval[k][0] <= x <= interval[k][1] for k, x in zip(others, at, strict=True)]
    each, share = inside.mean(1), inside.mean(0)
    again = np.random.default_rng(0).integers(0, len(rows), (2000, len(rows)))
    print(
        f"| {sex} | {len(rows)} {who} | {told} | {100 * share.mean():.1f} "
        f"| {100 * each[again].mean(1).std():.1f} | {100 * share.min():.1f} "
        f"| {100 * share.max():.1f} |",
        flush=True,
    )


def intervals(paths: list[str], asked: int) -> None:
    """Print how often intervals hold drawn and recorded people."""
    print("\n90 % intervals hold, %\n")
    print("| sex | people | told | mean | its error | worst dimension | best |")
    print("|---|---|---|---|---|---|---|")
    for sex in ("female", "male"):
        rows = survey(sex).condition({}).draw(asked, np.random.default_rng(5))
        coverage(survey(sex), rows, "drawn")
        half = MEASURED[sex] // 2
        rows = survey(sex).condition({}).draw(2 * half, np.random.default_rng(6))
        coverage(surveyed(sex, rows[:half]), rows[half:][:asked], "drawn, held out")
    for path in paths:
        for sex, own in recorded(path, asked).items():
            values = np.array([[d[k] for k in survey(sex).names] for d in own])
            for told in GIVEN:
                coverage(survey(sex), values, "recorded", told)


def highest(person: hk.Human, at: tuple[float, float], up: float) -> float:
    """Return how high over a floor that is `up` lower a right hand gets, to 5 mm."""
    low, high = 0.5, 2.2
    while high - low > 0.005:
        middle = 0.5 * (low + high)
        asked = hk.access.reach(person, None, [*at, middle - up], within=np.inf)
        low, high = (middle, high) if asked.verdict == "yes" else (low, middle)
    return low


def in_chairs(sex: str, n: int) -> None:
    """Print how high people in chairs reach beside what building codes have."""
    people = hk.population(n, sex=sex, seed=3, whiten=n > 940, chair="manual")
    found: dict[str, list[float]] = {"forward": [], "side": []}
    for k, d in enumerate(people):
        person = hk.human(dimensions=d)
        up = float(people.seat_height[k]) - d["popliteal_height"]
        ways = {"forward": (toes_of(person), -0.2), "side": (0.0, -BESIDE)}
        for way, at in ways.items():
            found[way].append(highest(person, at, up))
    for way, heights in found.items():
        low, middle, high = np.quantile(heights, [0.05, 0.5, 0.95])
        print(
            f"| {sex} | {way} | {low:.2f} | {middle:.2f} | {high:.2f} "
            f"| {HIGHEST:.2f} | {100 * np.mean(np.array(heights) >= HIGHEST):.0f} |"
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
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks population", description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--asked", type=int, default=300, help="people for coverage and reaches")
    parser.add_argument("--chairs", type=int, default=50, help="people in chairs")
    parser.add_argument("--rows", nargs="+", default=[], help="files of the survey's records")
    parser.add_argument("--coverage", action="store_true", help="how intervals hold, no more")
    args = parser.parse_args()
    if args.coverage:
        intervals(args.rows, args.asked)
        return
    print(f"handik {hk.__version__}, {args.n} people a sex\n")
    print("| sex | whitened | worst percentile, % | share, % | within | worst correlation ", end="")
    print("| of the tape's | by chance |")
    print("|---|---|---|---|---|---|---|---|")
    for sex in ("female", "male"):
        for whiten in (False, True):
            drawn(sex, args.n, whiten)
    print("\ngirth over the rectangle's: p5, p50, p95, and % of people over 1")
    print("\n| sex | girth | p5 | p50 | p95 | over 1, % |\n|---|---|---|---|---|---|")
    for sex in ("female", "male"):
        girths(sex, args.n)
    intervals(args.rows, args.asked)
    print(f"\nreaches of {args.asked} built people minus the survey's, mm")
    print("\n| sex | reach | mean | p5 | p95 |\n|---|---|---|---|---|")
    for sex in ("female", "male"):
        reaches(sex, args.asked)
    print(
        "\nfunctional reach, mm\n\n| | the survey's thumbtip reach | MIL-STD-1472G |\n|---|---|---|"
    )
    for sex, percentile, reach in FUNCTIONAL:
        thumb = survey(sex).quantile("thumbtip_reach", percentile / 100)
        print(f"| {sex}, p{percentile} | {1e3 * thumb:.0f} | {1e3 * reach:.0f} |")
    print(f"\n{args.chairs} people in manual chairs: highest reach, m")
    print(
        "\n| sex | reach | p5 | p50 | p95 | ADA's highest | get there, % |\n|---|---|---|---|---|---|---|"
    )
    for sex in ("female", "male"):
        in_chairs(sex, args.chairs)


if __name__ == "__main__":
    main()
