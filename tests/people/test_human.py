"""The person's figure: counted, measured by the tape, held to what is known of people."""

import numpy as np
import pytest

import handik as hk
from handik.people._tape import MEASURES

#: Dimensions that depend on how the shoulder moves or the body gives way.
SOFT = {"overhead_fingertip_reach_sitting", "span", "thumbtip_reach", "elbow_rest_height"}
PEOPLE = {
    f"{sex} p{p}": hk.human(sex, percentile=p) for sex in ("female", "male") for p in (5, 50, 95)
}


@pytest.mark.parametrize(
    ("detail", "freedoms"),
    [
        ("upper21", 21),
        ("spine", 21 - 6 + 12),
        ("hand_right", 21 + 26 - 3),
        ("hand", 21 + 2 * (26 - 3)),
        (("full",), 6 + 20 + 2 * 6),
        ("spine+hand+full", 6 + 12 + 14 + 46 + 12),
    ],
)
def test_degrees_of_freedom(detail, freedoms):
    person = hk.human(detail=detail)
    assert person.model.nv == freedoms
    assert len(person.freedoms) == freedoms


def test_the_21_are_named():
    names = [f.name for f in hk.human().freedoms]
    arm = "shoulder_plane shoulder_elevation shoulder_axial elbow_flexion forearm_pronation "
    arm = (arm + "wrist_flexion wrist_deviation").split()
    trunk = [
        f"{part}_{motion}" for part in ("trunk", "neck") for motion in ("flexion", "bend", "turn")
    ]
    assert sorted(names) == sorted(
        ["pelvis_tilt", *trunk, *(f"{a}_{s}" for a in arm for s in ("right", "left"))]
    )
    assert hk.human(limits="box").model.nq == 21


@pytest.mark.parametrize("name", PEOPLE)
def test_standing_and_seated_by_tape(name):
    person = PEOPLE[name]
    for measure in sorted(set(MEASURES) - SOFT):
        wanted = person.dimensions[measure]
        assert person.measure(measure) == pytest.approx(wanted, abs=1e-3), measure


def test_the_tape_refuses_skin():
    with pytest.raises(hk.UnsupportedError, match="skin"):
        hk.human().measure("waist_circumference")
    with pytest.raises(hk.NotFoundError, match="statur"):
        hk.human().measure("statur")


@pytest.mark.parametrize("position", ["seated", "standing"])
@pytest.mark.parametrize("detail", ["upper21", "spine+hand", "full"])
def test_at_rest_the_links_have_the_axes_of_who_stands(position, detail):
    person = hk.human("male", detail=detail, position=position)
    at = hk.people.skeleton.joint_centers(person.dimensions, position)
    model = person.model
    for frame, pose in zip(model.frame_names, model.frames(person.rest), strict=True):
        if frame in at and "metacarp" not in frame:
            np.testing.assert_allclose(pose[:3, 3], at[frame], atol=1e-9, err_msg=frame)
        if not (position == "seated" and frame.startswith(("thigh", "knee", "hip", "shank"))):
            np.testing.assert_allclose(pose[:3, :3], np.eye(3), atol=1e-9, err_msg=frame)


@pytest.mark.parametrize("ranges", ["adult", "men", "women", "older", "infant"])
@pytest.mark.parametrize("side", ["right", "left"])
def test_the_rooms_hold_the_hanging_arm_and_their_own_rest(ranges, side):
    person = hk.human(ranges=ranges)
    room = person.model.ball_limits[f"shoulder_{side}"]
    joint = next(j for j in person.model.spec.joints if j.name == f"shoulder_{side}")
    hanging = joint.placement[:3, :3].T @ [0.0, 0.0, -1.0]
    x, y, z = hanging
    assert np.degrees(room.distance([x, -y, -z])) < -10
    assert np.degrees(room.distance([0.0, 0.0, 1.0])) < -10
