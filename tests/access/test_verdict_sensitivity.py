"""Which assumed limit of a profile decided a verdict."""

import numpy as np
import pytest

import handik as hk
from handik.people._decided import _limited
from handik.people.impairments import sensitivity

STIFF = hk.human("female", profile="fixed_elbow")
OLDER, ELBOW = hk.human("female", profile="older_adult"), "elbow_flexion_right"
SHOULDER = STIFF.model.fk(STIFF.rest, frame="shoulder_right")[:3, 3]


def asked(who, target, **named):
    return hk.access.reach(who, None, target, frame="index_tip_right", **named)


def test_the_limit_that_decided_a_verdict_is_named():
    """An elbow fixed at 90 degrees reaches less far."""
    near, far = SHOULDER + [0.45, 0.0, 0.0], SHOULDER + [1.05, 0.0, 0.0]
    found = asked(STIFF, far)
    assert found.verdict == "no"
    assert asked(hk.human("female"), far).verdict == "yes"
    why = sensitivity(found)
    assert not why.converged
    assert why.healthy
    assert [trial.row.what for trial in why.decided] == ["elbow"]
    assert why.decided[0].error == 0.0
    assert why.error == why.decided[0].gain == found.short[1]
    assert str(why).startswith("decided by: elbow fixed at 90 deg")
    assert "assumption" in str(why)
    assert "is met" in str(sensitivity(asked(STIFF, near)))


def test_a_verdict_that_no_limit_decided_says_so():
    why = sensitivity(asked(STIFF, SHOULDER + [2.0, 0.0, 0.0]))
    assert not why.healthy
    assert why.decided == ()
    assert "a healthy figure" in str(why)


def test_a_person_in_another_place_is_asked_there_and_what_was_locked_stays_so():
    there = STIFF.with_base(([2.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]))
    far = there._place @ np.append(SHOULDER + [1.05, 0.0, 0.0], 1.0)
    found = asked(there, far[:3])
    with pytest.raises(hk.ArgumentError, match="give impaired="):
        sensitivity(found)
    why = sensitivity(found, there.impaired)
    assert [trial.row.what for trial in why.decided] == ["elbow"]
    upright = there.model.locked({"trunk_flexion": 0.0, "pelvis_tilt": 0.0})
    assert not sensitivity(asked(upright, far[:3]), there.impaired).healthy


def test_an_elbow_that_a_caller_holds_is_not_laid_to_the_profile():
    """At 1.5 rad it is as short with all of the range of motion that older people lack."""
    held = OLDER.model.locked({ELBOW: 1.5})
    found = asked(held, SHOULDER + [1.05, 0.0, 0.0])
    assert found.verdict == "no"
    why = sensitivity(found, OLDER.impaired)
    assert not why.healthy
    assert why.decided == ()


@pytest.mark.parametrize(("low", "high"), [(0.5, 1.5), (1.5, 1.5), (None, 1.5), (0.5, None)])
def test_ends_that_a_caller_gave_stay_and_those_of_the_profile_go(low, high):
    """None: that of the profile. A lock at an end of the profile's is a lock too."""
    own, wide = OLDER.model, hk.Model(OLDER.impaired.healthy)
    at = own.joint_q_slices[ELBOW].start
    ends = (own.lower[at] if low is None else low, own.upper[at] if high is None else high)
    found = _limited(own.with_limits({ELBOW: ends}), wide.spec, own.spec)
    assert found.lower[at] == (wide.lower[at] if low is None else low) != own.lower[at]
    assert found.upper[at] == (wide.upper[at] if high is None else high) != own.upper[at]
    least = float(own.lower[at])
    assert _limited(own.locked({ELBOW: least}), wide.spec, own.spec).upper[at] == least


def test_the_room_that_a_caller_gave_a_shoulder_stays():
    own, wide = OLDER.model, hk.Model(OLDER.impaired.healthy)
    cone = hk.spec.Cone(0.3)
    named = _limited(own.with_limits({"shoulder_right": cone}), wide.spec, own.spec).ball_limits
    assert named["shoulder_right"] == cone
    assert named["shoulder_left"] == wide.ball_limits["shoulder_left"]


def test_a_chair_that_may_stop_anywhere_is_refused():
    scene = hk.Scene().add("switch", hk.scene.Box([0.02, 0.08, 0.08]), [1, 0, 1.0])
    found = hk.access.reach(STIFF, scene, [0.98, 0, 1.0], approach=hk.access.chair())
    with pytest.raises(hk.ArgumentError, match="ask of the person where it stops"):
        sensitivity(found)


def test_what_is_no_answer_is_refused():
    with pytest.raises(TypeError, match="result must be a handik Result"):
        sensitivity("no")
