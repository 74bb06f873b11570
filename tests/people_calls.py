"""What is public in `handik.people`, called: as `public_calls`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np
from discomfort_calls import DISCOMFORT
from motion_calls import MOTION
from public_calls import FOLDER, Given, call_of

from handik import people
from handik.people.skeleton import joint_centers
from handik.people.surface import BodySurface, PlainSurface, capsule_ends

TABLES = files("handik.data") / "people"
MEN = people.survey("male")
TALL = MEN.condition({"stature": 1.85})
PERSON = people.dimensions("male", stature=1.8)
SOME = people.population(3, sex="male", seed=1)
SMALL = ("stature", "weight")
BOB = people.human(dimensions=PERSON)
PLAIN = people.human(dimensions=PERSON, body="plain")


@cache
def small_survey() -> tuple[str, str]:
    """Tables of two dimensions: those of the whole survey take a while to read."""
    dimensions, correlation = FOLDER / "dimensions.csv", FOLDER / "correlation.csv"
    lines = (TABLES / "dimensions.csv").read_text("utf-8").splitlines()
    head = next(line for line in lines if line.startswith("name"))
    kept = [line for line in lines if line.startswith(SMALL) and ",male," in line]
    dimensions.write_text("\n".join([head, *kept]) + "\n", "utf-8")
    correlation.write_text(",stature,weight\nstature,1,0.5\nweight,0.5,1\n", "utf-8")
    return str(dimensions), str(correlation)


PEOPLE: dict[str, Given] = MOTION | {
    "people.survey": call_of(people.survey, sex="male"),
    "people.Survey.read": call_of(
        people.Survey.read,
        dimensions=small_survey()[0],
        correlation=small_survey()[1],
        sex="male",
        source=None,
    ),
    "people.Survey.from_records": call_of(
        people.Survey.from_records,
        records={
            name: MEN.values(np.random.default_rng(0).normal(size=(30, 94)))[:, MEN.index(name)]
            for name in SMALL
        },
        sex="male",
        source="records",
    ),
    "people.Ranges.read": call_of(
        people.Ranges.read,
        path=str(TABLES / "joint_ranges.csv"),
        set="older",
        spine=str(TABLES / "spine_ranges.csv"),
    ),
    "people.SegmentParameters.read": call_of(
        people.SegmentParameters.read, path=str(TABLES / "segments.csv")
    ),
    "people.ShoulderRhythm.read": call_of(
        people.ShoulderRhythm.read, path=str(TABLES / "shoulder_rhythm.csv")
    ),
    "people.Survey.index": call_of(MEN.index, name="stature"),
    "people.Survey.quantile": call_of(MEN.quantile, name="stature", p=0.5),
    "people.Survey.values": call_of(MEN.values, scores=np.zeros(94)),
    "people.Survey.score": call_of(MEN.score, name="stature", value=1.8),
    "people.Survey.ellipsoid_ends": call_of(MEN.ellipsoid_ends, names=SMALL, coverage=0.9),
    "people.Survey.condition": call_of(MEN.condition, given={"stature": 1.8}),
    "people.Conditional.interval": call_of(TALL.interval, coverage=0.9),
    "people.Conditional.quantile": call_of(TALL.quantile, name="weight", p=0.5),
    "people.Conditional.draw": call_of(TALL.draw, n=2, rng=np.random.default_rng(1)),
    "people.dimensions": call_of(people.dimensions, sex="male", stature=1.8, seed=1),
    "people.dimensions, a percentile": call_of(people.dimensions, percentile=(50, 50)),
    "people.dimensions, others": call_of(people.dimensions, dimensions={"sitting_height": 0.9}),
    "people.Dimensions.origin": call_of(PERSON.origin, name="stature"),
    "people.Dimensions.interval": call_of(PERSON.interval, name="weight", coverage=0.9),
    "people.Dimensions.percentile": call_of(PERSON.percentile, name="weight"),
    "people.Dimensions[]": call_of(PERSON.__getitem__, "weight"),
    "people.population": call_of(people.population, n=2, sex="male", seed=1),
    "people.Population.interval": call_of(SOME.interval, values=[0.0, 1.0, 1.0], level=0.9),
    "people.Population.of": call_of(SOME.of, who=[True, False, True]),
    "people.Population.with_profile": call_of(SOME.with_profile, profile="sci_c6"),
    "people.Population.with_chair": call_of(
        SOME.with_chair, chair="manual", seats=str(TABLES / "seat_height.csv")
    ),
    "people.Population[]": call_of(SOME.__getitem__, 0),
    "people.boundary_cases": call_of(people.boundary_cases, names=SMALL, sex="male", axes=1),
    "people.human": call_of(
        people.human, sex="male", stature=1.8, detail="upper21", position="seated", dear=True
    ),
    "people.human, of a person": call_of(people.human, dimensions=PERSON, dear=True),
    "people.Human.measure": call_of(BOB.measure, name="stature"),
    "people.Human.with_base": call_of(BOB.with_base, placement=np.eye(4)),
    "people.Human.posture": call_of(BOB.posture, elbow_flexion_right=0.3),
    "people.surface.BodySurface": call_of(BodySurface, human=BOB, dear=True),
    "people.surface.BodySurface()": call_of(BOB.surface.__call__, q=BOB.rest, clothes=("shirt",)),
    "people.surface.PlainSurface": call_of(PlainSurface, human=BOB),
    "people.surface.PlainSurface()": call_of(PLAIN.surface.__call__, q=PLAIN.rest),
    "people.surface.capsule_ends": call_of(capsule_ends, human=BOB, q=BOB.rest),
    "people.skeleton.joint_centers": call_of(joint_centers, dimensions=PERSON, position="seated"),
    "people.rula": call_of(people.rula, upper_arm=0.5, elbow=1.0),
    "people.reba": call_of(people.reba, upper_arm=0.5, elbow=1.0),
}
PEOPLE |= DISCOMFORT
