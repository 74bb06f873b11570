"""Angles, RULA and REBA of a person's postures: known ones, and both sides alike."""

from math import radians

import numpy as np
import pytest
from small_person import rotation

import handik as hk
from handik.people import clinical_angles, reba_of, rula_of

ANNA = hk.human(sex="female")


def product(a, b):
    w, v = a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.array([w, *v])


def posture(side="right", arm=None, **joints):
    """The rest, joints elsewhere, and the hanging arm turned about an axis of the world."""
    q = ANNA.posture(**{k.replace("SIDE", side): v for k, v in joints.items()})
    if arm is not None:
        axis, angle = arm
        turn = rotation(axis, angle)
        w = np.sqrt(max(0.0, 1 + np.trace(turn))) / 2
        v = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        at = ANNA.model.joint_q_slices[f"shoulder_{side}"]
        q[at] = product(ANNA._hanging[at], np.array([w, *(v / (4 * w))]))
    return q


FORWARD = (0.0, -1.0, 0.0)


def out(side):
    return (-1.0 if side == "right" else 1.0, 0.0, 0.0)


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize(
    ("name", "angle"),
    [
        ("elbow_flexion_SIDE", 1.1),
        ("wrist_flexion_SIDE", 0.4),
        ("wrist_deviation_SIDE", 0.2),
        ("forearm_pronation_SIDE", 0.7),
        ("trunk_flexion", 0.5),
        ("neck_flexion", 0.3),
        ("trunk_bend", 0.2),
        ("trunk_turn", 0.3),
        ("neck_turn", -0.3),
        ("neck_bend", 0.2),
    ],
)
def test_one_joint_is_one_angle(side, name, angle):
    of = {
        "elbow_flexion_SIDE": "elbow",
        "wrist_flexion_SIDE": "wrist",
        "wrist_deviation_SIDE": "wrist_deviation",
        "forearm_pronation_SIDE": "forearm_twist",
        "trunk_flexion": "trunk",
        "neck_flexion": "neck",
        "trunk_bend": "trunk_bend",
        "trunk_turn": "trunk_twist",
        "neck_turn": "neck_twist",
        "neck_bend": "neck_bend",
    }
    found = clinical_angles(ANNA, posture(side, **{name: angle}), side)
    still = clinical_angles(ANNA, ANNA.rest, side)
    for what, value in found.items():
        if what in ("across", "out"):
            continue
        wanted = angle if what == of[name] else still[what]
        assert value == pytest.approx(wanted, abs=1e-9), what


@pytest.mark.parametrize("side", ["right", "left"])
def test_the_upper_arm(side):
    for degrees in (-30, 10, 70, 120, 170):
        found = clinical_angles(ANNA, posture(side, (FORWARD, radians(degrees))), side)
        assert found["upper_arm"] == pytest.approx(radians(degrees))
        assert found["abduction"] == pytest.approx(0.0, abs=1e-9)
    found = clinical_angles(ANNA, posture(side, (out(side), radians(60))), side)
    assert found["abduction"] == pytest.approx(radians(60))
    assert found["upper_arm"] == pytest.approx(0.0, abs=1e-9)
    assert found["out"] > 0.3


def test_the_knee_of_one_who_sits_and_the_rest():
    found = clinical_angles(ANNA, ANNA.rest)
    assert found["knee"] == pytest.approx(radians(90), abs=0.1)
    assert found["across"] < 0
    assert clinical_angles(hk.human(position="standing"), hk.human(position="standing").rest)[
        "knee"
    ] == pytest.approx(0.0, abs=0.1)


def test_rula_of_known_postures():
    typing_ = rula_of(ANNA, posture(elbow_flexion_right=radians(80)))
    assert (typing_.parts["upper_arm"], typing_.parts["lower_arm"], typing_.parts["wrist"]) == (
        1,
        1,
        1,
    )
    assert (typing_.parts["neck"], typing_.parts["trunk"], typing_.score) == (1, 1, 1)
    high = rula_of(ANNA, posture("right", (FORWARD, radians(100)), elbow_flexion_right=radians(20)))
    assert (high.parts["upper_arm"], high.parts["lower_arm"]) == (4, 2)
    bent = rula_of(ANNA, posture(trunk_flexion=radians(30), trunk_bend=radians(15), neck_turn=0.4))
    assert (bent.parts["trunk"], bent.parts["neck"]) == (4, 2)
    assert rula_of(ANNA, posture(trunk_bend=radians(15)), noticed=0.3).parts["trunk"] == 1
    held = rula_of(ANNA, posture(elbow_flexion_right=radians(80)), load=12, shoulder_raised=True)
    assert (held.parts["load"], held.parts["upper_arm"]) == (2, 2)
    twisted = rula_of(ANNA, posture(forearm_pronation_right=radians(75)))
    assert twisted.parts["wrist_twist"] == 2
    assert rula_of(ANNA, posture(forearm_pronation_right=radians(40))).parts["wrist_twist"] == 1


def test_an_arm_is_abducted_from_where_it_rests():
    """A heavy person's arms rest further aside than an observer's line is from the trunk."""
    heavy = hk.human(sex="female", stature=1.6, weight=95)
    rest = clinical_angles(heavy, heavy.rest)["abduction"]
    assert rest > radians(12)
    assert rula_of(heavy, heavy.rest).parts["upper_arm"] == 1
    assert rula_of(heavy, heavy.rest, noticed=0.0).parts["upper_arm"] == 1
    for further, parts in ((radians(8), 1), (radians(12), 2)):
        q = heavy._hanging.copy()
        at = heavy.model.joint_q_slices["shoulder_right"]
        half = (rest + further) / 2
        q[at] = product(q[at], np.array([np.cos(half), -np.sin(half), 0.0, 0.0]))
        assert rula_of(heavy, q).parts["upper_arm"] == parts
        assert reba_of(heavy, q).parts["upper_arm"] == parts


def test_both_sides_alike():
    for side in ("right", "left"):
        q = posture(
            side, (out(side), radians(40)), elbow_flexion_SIDE=1.4, wrist_deviation_SIDE=0.3
        )
        found = rula_of(ANNA, q, side)
        assert found.parts["upper_arm"] == 2
        assert found.parts["lower_arm"] == 2
        assert found.parts["wrist"] == 2
        assert reba_of(ANNA, q, side).parts["upper_arm"] == 2


def test_the_hand_across_the_midline():
    q = posture("right", (FORWARD, radians(60)), elbow_flexion_right=radians(90))
    before = clinical_angles(ANNA, q)["across"]
    turned = posture(
        "right", ((0.0, 0.0, 1.0), radians(70)), elbow_flexion_right=radians(90)
    )  # the forearm ahead turns inwards, over the middle
    after = clinical_angles(ANNA, turned)["across"]
    assert before < 0 < after
    assert rula_of(ANNA, turned).parts["lower_arm"] == 2


def test_reba_of_known_postures():
    sitting = reba_of(ANNA, posture(elbow_flexion_right=radians(80)))
    assert sitting.score == 1
    assert sitting.parts["legs"] == 1
    bob = hk.human(sex="male", position="standing")
    q = bob.posture(trunk_flexion=radians(25), neck_flexion=radians(25), elbow_flexion_right=1.4)
    found = reba_of(bob, q, load=12, coupling="poor")
    assert (found.parts["trunk"], found.parts["neck"], found.parts["load"]) == (3, 2, 2)
    assert found.parts["coupling"] == 2


def test_many_postures_are_each_alone():
    rows = ANNA.model.sample(6, seed=2)
    many = rula_of(ANNA, rows)
    for k, q in enumerate(rows):
        one = rula_of(ANNA, q)
        assert one.score == many.score[k]
        assert one.parts == {name: int(x[k]) for name, x in many.parts.items()}


def test_what_is_wrong_is_told():
    with pytest.raises(hk.ArgumentError, match="side must be"):
        rula_of(ANNA, ANNA.rest, "up")
    with pytest.raises(hk.ArgumentError, match="noticed must be 0"):
        reba_of(ANNA, ANNA.rest, noticed=-1)
    with pytest.raises(TypeError, match="person must be a handik Human"):
        clinical_angles(3, ANNA.rest)
    one = hk.human(profile=hk.people.impairments.profile("one_arm", side="left"))
    with pytest.raises(hk.NotFoundError, match="_left"):
        clinical_angles(one, one.model.rest, "left")
