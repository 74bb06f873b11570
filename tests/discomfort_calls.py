"""What is public of impairments, discomfort and reach, called: as `public_calls`."""

from __future__ import annotations

from public_calls import Given, call_of

import handik as hk
from handik.people import impairments

ELBOW = {"elbow flexion right": [impairments.Direction("joint_2")]}
ARM = hk.chain([0.3, 0.3], lower=-2.0, upper=2.6).spec
STIFF = impairments.apply(ARM, "fixed_elbow", motions=ELBOW)
TREMOR = impairments.profile("tremor")

DISCOMFORT: dict[str, Given] = {
    "impairments.profiles": call_of(impairments.profiles, path=None),
    "impairments.profile": call_of(impairments.profile, "sci_c5", severity=0.5, side="left"),
    "impairments.combine": call_of(impairments.combine, TREMOR),
    "impairments.apply": call_of(impairments.apply, ARM, "fixed_elbow", motions=ELBOW),
    "impairments.sensitivity": call_of(
        impairments.sensitivity, STIFF.model.solve(position=[0.6, 0.0, 0.0]), STIFF
    ),
    "impairments.Impaired.grasp": call_of(STIFF.grasp, "right"),
}
