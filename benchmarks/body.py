"""The built body against its tape: each figure of p5, p50, p95 and drawn people beside its goal.

Model minus tape, mm; volumes as percent over mass by density. Standing and seated, both sexes. Of
the drawn people the mean, what 95 % are within, the worst, and the share within the goal; they are
drawn from the survey's tables (`handik.population`), as its single records are not shipped.
``--rows`` takes a public file of these records (`ANSUR_II_MALE_Public.csv`), draws people of
them at random, and prints the same. The last lines are times of the processor.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np

import handik as hk
from handik import _core
from handik.people import survey
from handik.people._tape import MEASURES, SKIN
from handik.people.dimensions import Dimensions
from handik.people.skeleton import joint_centers
from handik.people.surface._bind import drive
from handik.people.surface._capsules import capsule_ends, outside
from handik.people.surface._data import mesh
from handik.people.surface._density import DENSITY, density
from handik.people.surface._seat import seated_tape

#: Reaches have goals of their own over a population (tests/people/test_human.py).
REACHES = ("overhead_fingertip_reach_sitting", "span", "thumbtip_reach")
VOLUMES = {
    **{"volume standing, %": 3.0, "volume seated, %": 2.0, "seated over standing, %": 2.0},
    "volume standing by one density, %": 3.0,  # that of a median person of the sex
}
#: Units of the public records that are not millimeters, by our names.
UNITS = {"weight": 0.1, "interpupillary_breadth": 1e-4, "age": 1.0}
COLUMNS = files("handik.data") / "people" / "dimensions.csv"


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
    wanted = d["weight"] / density(d)
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
    full = stands.surface.measured["volume"]
    out["volume standing by one density, %"] = 100 * (full * DENSITY[d.sex] / d["weight"] - 1)
    out["seated over standing, %"] = 100 * (skin.volume / full - 1)
    return out


def goal_of(name: str) -> float:
    """Return the goal of a figure, also of one that is read off the skin."""
    return goal(name.removesuffix(" of the skin"))


def recorded(path: str, people: int) -> dict[str, list[Dimensions]]:
    """Return people drawn at random from a file of the survey's records, by sex."""
    with Path(path).open(encoding="latin-1", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {k["name"]: k["code"] for k in csv.DictReader(COLUMNS.read_text().splitlines())}
    columns["weight"] = "weightkg"
    chosen = np.random.default_rng(1).permutation(len(rows))[:people]
    out: dict[str, list[Dimensions]] = {}
    for k in sorted(chosen.tolist()):
        row = {name.strip().lower(): value for name, value in rows[k].items()}
        sex = row["gender"].strip().lower()
        given = {}
        for name in survey(sex).names:
            given[name] = UNITS.get(name, 1e-3) * float(row[columns[name]])
        own = {name: given.pop(name) for name in ("stature", "weight", "age")}
        out.setdefault(sex, []).append(hk.people.dimensions(sex, **own, dimensions=given))
    return out


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
    m, posed = mesh(), dict(zip(bob.model.frame_names, bob.model.frames(q), strict=True))
    bones = drive(skin._fit, skin._bound, posed)
    alone = least(lambda: _core.skin(skin.rest, m.bone, m.share, m.mix, bones), 30)
    print(f"skinning {alone:.2f} ms (goal 1), surface(q) {least(lambda: skin(q), 30):.2f} ms")


#: The other posture in which capsules are held against the skin, radians.
BENT = {
    **{"elbow_flexion_left": 1.5, "elbow_flexion_right": 1.5, "trunk_flexion": 0.4},
    **{"neck_flexion": 0.3, "neck_turn": 0.5, "trunk_turn": 0.3},
}


def cones(people: int) -> None:
    """Print how far the skin of drawn people stands out of their capsules, by area."""
    print("| posture | area within 10 mm, least, % | worst, mm | median, mm | 5 %, mm |")
    print("|---|---|---|---|---|")
    drawn = [d for s in DENSITY for d in hk.population(people // 2, sex=s, seed=0)]
    for position in ("standing", "seated"):
        every = [hk.human(dimensions=d, position=position) for d in drawn]
        for posture in ("at rest", "bent"):
            found = []
            for person in every:
                q = person.rest if posture == "at rest" else person.posture(**BENT)
                a, b, c = (person.surface(q).vertices[mesh().skin_faces[::5, k]] for k in range(3))
                area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
                ends = capsule_ends(person, q)
                radii = np.array([one.radii for one in person.capsules])
                far = outside((a + b + c) / 3, ends[:, 0], ends[:, 1], radii).min(1)
                order = np.argsort(far)
                share = np.cumsum(area[order]) / area.sum()
                at = 1e3 * far[order][np.searchsorted(share, [0.5, 0.05])]
                found.append([100 * area[far < 0.01].sum() / area.sum(), 1e3 * far.max(), *at])
            low, high = np.min(found, axis=0), np.max(found, axis=0)
            print(
                f"| {position}, {posture} | {low[0]:.1f} | {high[1]:.0f} "
                f"| {low[2]:.0f} to {high[2]:.0f} | {low[3]:.0f} to {high[3]:.0f} |"
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks body", description=__doc__)
    parser.add_argument("--people", type=int, default=100, help="drawn people, half of each sex")
    parser.add_argument("--seed", type=int, default=11, help="of the drawn people")
    parser.add_argument(
        "--all", action="store_true", help="also what is within a tenth of its goal"
    )
    parser.add_argument("--rows", nargs="+", default=[], help="files of the survey's records")
    parser.add_argument("--capsules", type=int, metavar="N", help="N people's capsules, no more")
    args = parser.parse_args()
    if args.capsules:
        cones(args.capsules)
        return
    several: dict[str, list[Dimensions]] = {}
    for path in args.rows:
        for sex, own in recorded(path, args.people // len(args.rows)).items():
            several.setdefault(sex, []).extend(own)
    named: dict[str, Dimensions] = {}
    if not args.rows:
        named = {
            f"{sex[0]}{p}": hk.people.dimensions(sex, percentile=p)
            for sex in ("female", "male")
            for p in (5, 50, 95)
        }
        for sex in ("female", "male"):
            several[sex] = list(hk.population(args.people // 2, sex=sex, seed=args.seed))
    one = {name: figures(d) for name, d in named.items()}
    drawn = {sex: [figures(d) for d in own] for sex, own in several.items()}
    print(*(f"{len(own)} {sex}" for sex, own in drawn.items()), sep=", ", end="\n\n")
    table(one, drawn, args.all)
    if not args.rows:
        times()


def table(
    one: dict[str, dict[str, float]], drawn: dict[str, list[dict[str, float]]], every: bool
) -> None:
    """Print what named people and drawn ones miss, each figure by its goal."""
    told = [f"{sex}: mean, 95 %, worst, within" for sex in drawn]
    print("| figure | goal | " + " | ".join([*one, *told]) + " |")
    print("|---|---|" + "---|" * (len(one) + len(drawn)))
    hidden = 0
    for name in next(iter(drawn.values()))[0]:
        line = goal_of(name)
        several = [np.array([f[name] for f in people]) for people in drawn.values()]
        each = [f[name] for f in one.values()]
        if not every and max(np.abs([*each, *np.concatenate(several)])) < line / 10:
            hidden += 1
            continue
        cells = [f"{x:.1f}" for x in each]
        for x in several:
            off = np.abs(x)
            cells.append(
                f"{x.mean():.1f}, {np.quantile(off, 0.95):.1f}, {off.max():.1f}, "
                f"{100 * (off <= line).mean():.0f} %"
            )
        print(f"| {name} | {line:g} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{hidden} more figures are within a tenth of their goals.")


if __name__ == "__main__":
    main()
