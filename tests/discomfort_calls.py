"""What is public of impairments, discomfort and reach, called: as `public_calls`."""

from __future__ import annotations

import numpy as np
from public_calls import FOLDER, Given, call_of

import handik as hk
from handik import people
from handik.people import balance, discomfort, effort, gaze, impairments

ELBOW = {"elbow flexion right": [impairments.Direction("joint_2")]}
ARM = hk.chain([0.3, 0.3], lower=-2.0, upper=2.6).spec
STIFF = impairments.apply(ARM, "fixed_elbow", motions=ELBOW)
TREMOR = impairments.profile("tremor")
LEVER = hk.chain([0.3, 0.3], axis=(0.0, -1.0, 0.0), lower=-2.0, upper=2.0).spec
for link in LEVER.links[1:]:
    link.inertial = hk.spec.InertialSpec(1.0, center=[0.15, 0.0, 0.0])
HEAVY = hk.Model(LEVER)
Q = [0.3, 0.4]
POINT = HEAVY.fk(Q)[:3, 3]
WHAT = discomfort.JointDisplacement(HEAVY)
ABLE = effort.Effort(HEAVY, {"joint_1": 20.0, "joint_2": 5.0})
LOOK = gaze.Gaze(HEAVY, [1.0, 0.0, 1.0], frame="tip")
SQUARE = [[-0.2, -0.2], [0.2, -0.2], [0.2, 0.2], [-0.2, 0.2]]
STAND = balance.Balance(HEAVY, SQUARE)
GOAL = hk.Problem(HEAVY, hk.Position(axes="xz"))
REACHED = hk.Solver()(GOAL, POINT[[0, 2]])
POSES = np.eye(4)[None]
ANNA = hk.human(sex="female")
BY = people.Rating(ANNA, "rula")
HAND = hk.Problem(ANNA.model, hk.Position("index_tip_right"))
HAND_AT = ANNA.model.fk(ANNA.rest, frame="index_tip_right")[:3, 3]
AROUND = people.envelope(HEAVY, "tip", level=0, resolution=0.1)

DISCOMFORT: dict[str, Given] = {
    "impairments.profiles": call_of(impairments.profiles, path=None),
    "impairments.profile": call_of(impairments.profile, "sci_c5", severity=0.5, side="left"),
    "impairments.combine": call_of(impairments.combine, TREMOR),
    "impairments.apply": call_of(impairments.apply, ARM, "fixed_elbow", motions=ELBOW),
    "impairments.sensitivity": call_of(
        impairments.sensitivity, STIFF.model.solve(position=[0.6, 0.0, 0.0]), STIFF
    ),
    "impairments.Impaired.grasp": call_of(STIFF.grasp, "right"),
    "people.clinical_angles": call_of(people.clinical_angles, ANNA, ANNA.rest),
    "people.rula_of": call_of(people.rula_of, ANNA, ANNA.rest, "left"),
    "people.reba_of": call_of(people.reba_of, ANNA, ANNA.rest, "left"),
    "people.envelope": call_of(
        people.envelope, HEAVY, "tip", level=0, resolution=0.1, dear=True, retries=0
    ),
    "people.Envelope.section": call_of(AROUND.section, [0.0, 0.0, 1.0], 0.1),
    "people.Envelope.outlines": call_of(AROUND.outlines, [0.0, 0.0, 1.0], 0.1),
    "people.Envelope.contains": call_of(AROUND.contains, [0.1, 0.0, 0.1]),
    "people.Envelope.rate": call_of(AROUND.rate, WHAT),
    "people.Envelope.zone": call_of(
        AROUND.zone, WHAT, 0.5, terms=[WHAT.term()], steps=2, threads=1, dear=True
    ),
    "people.Envelope.save": call_of(AROUND.save, str(FOLDER / "around.csv"), AROUND.reach),
    "people.population, in chairs": call_of(
        people.population, 2, profile="tremor", chair="manual", dear=True
    ),
    "people.Population.human": call_of(people.population(2, seed=1).human, 0, dear=True),
    "people.luba": call_of(people.luba, {"wrist flexion": 0.3}),
    "people.envelopes": call_of(
        people.envelopes,
        (50,),
        "grip_right",
        sex="male",
        level=0,
        resolution=0.1,
        dear=True,
        retries=0,
    ),
    "people.predict": call_of(people.predict, HEAVY, POINT, frames="tip"),
    "people.Rating": call_of(people.Rating, ANNA, "reba", noticed=0.2, load=3.0),
    "people.Rating.rate": call_of(BY.rate, ANNA.rest, "left"),
    "people.Rating.score": call_of(BY.score, ANNA.rest, "left"),
    "people.Rating.excess": call_of(BY.excess, ANNA.rest, "left"),
    "people.Rating.lower": call_of(BY.lower, HAND, HAND_AT, ANNA.rest, side="right", dear=True),
    "discomfort.published_weights": call_of(discomfort.published_weights, HEAVY),
    "discomfort.JointDisplacement": call_of(
        discomfort.JointDisplacement, HEAVY, Q, weights={"joint_1": 2.0}
    ),
    "discomfort.JointDisplacement.score": call_of(WHAT.score, Q),
    "discomfort.JointDisplacement.parts": call_of(WHAT.parts, Q),
    "discomfort.JointDisplacement.gradient": call_of(WHAT.gradient, Q),
    "discomfort.JointDisplacement.term": call_of(WHAT.term, weight=1.0),
    "discomfort.least": call_of(discomfort.least, GOAL, POINT[[0, 2]], WHAT, REACHED.q),
    "effort.Effort": call_of(effort.Effort, HEAVY, {"joint_1": 20.0}, loads={"tip": 1.0}),
    "effort.Effort.score": call_of(ABLE.score, Q),
    "effort.Effort.shares": call_of(ABLE.shares, Q),
    "effort.Effort.holds": call_of(ABLE.holds, Q),
    "effort.Effort.term": call_of(ABLE.term),
    "gaze.Gaze": call_of(gaze.Gaze, HEAVY, [1.0, 0.0, 1.0], frame="tip", half_angle=0.3),
    "gaze.Gaze.score": call_of(LOOK.score, Q),
    "gaze.Gaze.sees": call_of(LOOK.sees, Q),
    "gaze.Gaze.term": call_of(LOOK.term),
    "gaze.InView": call_of(gaze.InView, half_angle=0.3),
    "balance.base_of_support": call_of(balance.base_of_support, people.human(), q=None),
    "balance.Balance": call_of(balance.Balance, HEAVY, SQUARE),
    "balance.Balance.margin": call_of(STAND.margin, Q),
    "balance.Balance.score": call_of(STAND.score, Q),
    "balance.Balance.term": call_of(STAND.term, margin=0.01),
}
