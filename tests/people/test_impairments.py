"""Impairments: what profiles do to limits, what their files may say, and what decided an answer."""

from dataclasses import replace
from math import degrees, inf, radians
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_person import RAISED, person, rest, rotation

import handik as hk
from handik.people._motions import motions_of
from handik.people.impairments import (
    Direction,
    Impaired,
    Profile,
    Row,
    apply,
    combine,
    profile,
    profiles,
    sensitivity,
)
from handik.people.skeleton._shoulder import (
    arm_direction,
    clinical_swing,
    quaternion,
    raised,
    turn_about,
)

NAMES = profiles()


def limits(spec, joint):
    found = next(one for one in spec.joints if one.name == joint)
    (low,), (high,) = found.limits()
    return round(degrees(low), 6), round(degrees(high), 6)


def test_the_person_of_these_tests_hangs_its_arms():
    model = hk.Model(person())
    q = rest(person())
    assert np.allclose(model.clip(q), q)
    assert np.allclose(model.fk(q, frame="index_tip_right")[:3, 3], [0, -0.18, -0.19])


def test_every_profile_does_something_to_a_person():
    for name in NAMES:
        found = apply(person(), name)
        hk.Model(found.spec)
        did = found.changes or found.gone or found.strength or found.margin
        assert did, name
        assert found.profiles[0].rows
        text = found.report()
        assert profile(name).title in text
        assert ("assumption" in text) == (name != "older_adult")


def test_limits_are_the_files_numbers_and_never_wider():
    found = apply(person(), "older_adult")
    assert limits(found.spec, "elbow_flexion_right") == (4.0, 143.0)
    assert limits(found.spec, "forearm_pronation_left") == (-74.0, 71.0)
    assert limits(found.spec, "wrist_flexion_left") == (-63.0, 64.0)
    assert limits(found.spec, "wrist_deviation_right") == (-19.0, 26.0)
    narrow = person()
    next(j for j in narrow.joints if j.name == "elbow_flexion_right").upper = radians(100)
    assert limits(apply(narrow, "older_adult").spec, "elbow_flexion_right") == (4.0, 100.0)
    assert not [c for c in found.changes if c.after >= c.before]


def test_a_wrist_and_a_trunk_that_are_held():
    found = apply(person(), "sci_c5")
    for joint in ("wrist_flexion_right", "wrist_deviation_left", "trunk_bend", "trunk_flexion"):
        assert limits(found.spec, joint) == (0.0, 0.0)
    assert limits(found.spec, "pelvis_tilt") == (0.0, 0.0)
    assert found.strength["elbow extension right"] == 0.0
    assert found.grasp("left") == "none"


@settings(max_examples=5, deadline=None)
@given(st.floats(0, 1), st.sampled_from(["older_adult", "sci_c5", "rheumatoid_arthritis"]))
def test_severity_goes_in_proportion(severity, name):
    healthy = limits(person(), "elbow_flexion_right")
    worst = limits(apply(person(), name).spec, "elbow_flexion_right")
    if severity == 0:
        found = healthy
        assert not apply_at(name, 0.0).changes
    else:
        found = limits(apply_at(name, severity).spec, "elbow_flexion_right")
    for a, b, c in zip(healthy, worst, found, strict=True):
        assert c == pytest.approx(a + severity * (b - a), abs=1e-5)


def apply_at(name, severity):
    """At severity 0 there is nothing to hit: another profile beside it."""
    return apply(
        person(), combine(profile(name, severity=severity), profile("weak_elbow_extension"))
    )


def test_strength_follows_severity_and_the_weaker_of_two_holds():
    half = apply(person(), profile("weak_elbow_extension", severity=0.5, side="left"))
    assert half.strength == {"elbow extension left": 0.5}
    both = apply(person(), combine(profile("rheumatoid_arthritis"), profile("sci_c6")))
    assert both.strength["elbow extension right"] == 0.0
    assert both.strength["elbow flexion right"] == 0.65


def test_a_share_is_a_share_of_the_range_and_joints_keep_their_parts():
    row = Row("limit", "trunk flexion", 0.5, True, "assumption", "test")
    some = Profile("some", "Some", (row,))
    found = apply(person(), some)
    assert limits(found.spec, "pelvis_tilt") == (-10.0, 10.0)
    assert limits(found.spec, "trunk_flexion") == (-20.0, 30.0)
    most = replace(some, rows=(replace(row, value=20.0, share=False),))
    found = apply(person(), most)
    assert limits(found.spec, "pelvis_tilt")[1] + limits(found.spec, "trunk_flexion")[1] == 20.0
    assert limits(found.spec, "trunk_flexion")[1] == 15.0


def test_those_that_follow_a_joint_count_with_it():
    spec = person()
    place = np.eye(4)
    tip = spec.joints[-1]
    spec.links.append(hk.LinkSpec("end"))
    spec.joints.append(
        hk.JointSpec(
            "follower",
            "revolute",
            tip.child,
            "end",
            place,
            mimic=hk.spec.MimicSpec("trunk_turn", 2.0),
        )
    )
    row = Row("limit", "trunk rotation", 30.0, False, "assumption", "test")
    found = apply(spec, Profile("some", "Some", (row,)))
    assert limits(found.spec, "trunk_turn") == (-10.0, 10.0)


# -- balls ----------------------------------------------------------------------------------------


def lifted(model, side, toward, angle, turn=0.0):
    """The arm hanging, then raised by an angle in a direction of the world, turned about itself."""
    out = -1.0 if side == "right" else 1.0
    way = {"flexion": (1, 0, 0), "extension": (-1, 0, 0), "abduction": (0, out, 0)}[toward]
    raise_ = rotation(np.cross((0, 0, -1.0), way), angle)
    own = rotation((0, 0, 1), turn * -out)
    world = raise_ @ own
    q = model.rest.copy()
    inside = rotation((0, 1, 0), RAISED) @ world  # the joint's frame is turned
    w = np.sqrt(max(0.0, 1 + np.trace(inside))) / 2
    v = np.array(
        [inside[2, 1] - inside[1, 2], inside[0, 2] - inside[2, 0], inside[1, 0] - inside[0, 1]]
    )
    q[model.joint_q_slices[f"shoulder_{side}"]] = [w, *(v / (4 * w))]
    return q


def allowed(model, q):
    return bool(np.abs(model.clip(q) - q).max() < 1e-6)


@pytest.mark.parametrize("side", ["right", "left"])
def test_a_ball_keeps_to_the_limit_in_the_plane_of_the_motion(side):
    healthy = hk.Model(person())
    found = apply(person(), profile("hemiplegia", side=side)).model
    for toward, deg in (("flexion", 90), ("abduction", 90)):
        for off, fits in ((-2.0, True), (2.0, False)):
            q = lifted(healthy, side, toward, radians(deg + off))
            if toward == "flexion":
                assert allowed(healthy, q)
            assert allowed(found, q) == (fits and allowed(healthy, q)), (toward, off)
    other = "left" if side == "right" else "right"
    q = lifted(healthy, other, "flexion", radians(120))
    assert allowed(healthy, q)
    assert allowed(found, q)


def test_a_narrowed_ball_is_within_the_healthy_one():
    healthy = hk.Model(person())
    found = apply(person(), combine(profile("hemiplegia"), profile("older_adult"))).model
    rows = found.sample(300, seed=1)
    assert np.abs(healthy.clip(rows) - rows).max() < 1e-5


@pytest.mark.parametrize("side", ["right", "left"])
def test_rotation_of_a_ball_is_counted_from_the_hanging_arm(side):
    row = Row("limit", "shoulder lateral rotation", 20.0, False, "assumption", "test")
    spec = person()
    found = apply(spec, Profile("some", "Some", (row,), sides=(side,))).model
    healthy = hk.Model(spec)
    for turn, fits in ((-18, True), (-22, False), (40, True)):  # medial turns are positive
        q = lifted(healthy, side, "flexion", radians(10), radians(turn))
        assert allowed(healthy, q)
        assert allowed(found, q) == fits


@pytest.mark.parametrize(("side", "out"), [("right", -1.0), ("left", 1.0)])
def test_rotation_is_counted_from_the_arm_swung_straight_wherever_it_points(side, out):
    impaired = hk.human(sex="female", profile=profile("hemiplegia", side=side)).model
    healthy = hk.human(sex="female").model
    at = healthy.joint_q_slices[f"shoulder_{side}"]
    for plane, up in ((0, 10), (0, 60), (0, 85), (90, 10), (90, 60), (90, 85), (45, 75)):
        swung = clinical_swing(arm_direction(plane, up, out))
        for lateral, fits in ((20, True), (40, False), (-60, True)):
            own = turn_about((0, 0, 1), out * -radians(-lateral))
            q = healthy.rest.copy()
            q[at] = quaternion(raised(out).T @ swung @ own)
            assert allowed(healthy, q), (plane, up, lateral)
            assert allowed(impaired, q) == fits, (plane, up, lateral)


def test_no_severity_is_the_healthy_figure():
    healthy = [repr(joint) for joint in hk.human(sex="female").model.spec.joints]
    for name in NAMES:
        none = hk.human(sex="female", profile=profile(name, severity=0.0))
        assert [repr(joint) for joint in none.model.spec.joints] == healthy, name
        assert not none.impaired.strength
        assert none.impaired.margin == 0.0


def test_hinges_of_a_shoulder_are_raised_less_in_every_plane():
    found = apply(person("hinges"), "sci_c5")
    assert limits(found.spec, "shoulder_elevation_right") == (0.0, 90.0)
    older = apply(person("hinges"), "older_adult")
    assert limits(older.spec, "shoulder_axial_left") == (-80.0, 60.0)
    assert "shoulder extension" in older.lacking


# -- what is stiff, missing, held -------------------------------------------------------------------


def test_a_fixed_elbow():
    found = apply(person(), profile("fixed_elbow", side="left"))
    assert limits(found.spec, "elbow_flexion_left") == (90.0, 90.0)
    assert limits(found.spec, "elbow_flexion_right") == (0.0, 145.0)
    half = apply(person(), profile("fixed_elbow", severity=0.5))
    assert limits(half.spec, "elbow_flexion_right") == (45.0, 117.5)
    wide = replace(
        profile("fixed_elbow"),
        rows=(replace(profile("fixed_elbow").rows[0], value={"elbow flexion": 170}),),
    )
    with pytest.raises(hk.ArgumentError, match="cannot be fixed at"):
        apply(person(), wide)


def test_what_is_missing_is_gone():
    found = apply(person(), profile("one_arm", side="left"))
    names = hk.Model(found.spec).frame_names
    assert "index_tip_left" not in names
    assert "index_tip_right" in names
    assert "index_tip_left" in found.gone
    assert not any(name.endswith("_left") for name in hk.Model(found.spec).joint_names)
    with pytest.raises(hk.NotFoundError, match="index_tip_left"):
        found.model.fk(found.model.rest, frame="index_tip_left")
    hand = apply(person(), profile("missing_hand"))
    assert "elbow_flexion_right" in hk.Model(hand.spec).joint_names
    assert "wrist_flexion_right" not in hk.Model(hand.spec).joint_names


def test_what_followed_a_missing_limb_stands_still():
    spec = person("hinges")
    spec.links.append(hk.LinkSpec("clavicle"))
    spec.joints.append(
        hk.JointSpec(
            "clavicle",
            "revolute",
            "l_trunk_turn",
            "clavicle",
            mimic=hk.spec.MimicSpec("shoulder_elevation_left", 0.2),
        )
    )
    found = apply(spec, profile("one_arm", side="left"))
    held = next(one for one in found.spec.joints if one.name == "clavicle")
    assert (held.kind, held.mimic) == ("fixed", None)


def test_a_tenodesis_grasp_keeps_the_wrist_extended():
    free = apply(person(), "sci_c6")
    assert limits(free.spec, "wrist_flexion_right") == (-70.0, 75.0)
    held = apply(person(), "sci_c6", grasping=True)
    assert limits(held.spec, "wrist_flexion_right") == (-70.0, -30.0)
    assert any(change.source == "tenodesis grasp" for change in held.changes)
    with pytest.raises(hk.ArgumentError, match="cannot grasp"):
        apply(person(), "sci_c5", grasping=True)
    stiff = person()
    next(j for j in stiff.joints if j.name == "wrist_flexion_left").lower = radians(-29)
    with pytest.raises(hk.ArgumentError, match="cannot be extended enough"):
        apply(stiff, "sci_c6", grasping=True)


def test_tremor_and_grasp():
    found = apply(person(), profile("tremor", severity=0.5))
    assert found.margin == 0.01
    assert found.grasp("right") == "full"
    both = apply(person(), combine(profile("older_adult"), profile("hemiplegia", side="left")))
    assert (both.grasp("right"), both.grasp("left")) == ("full", "none")
    with pytest.raises(hk.ArgumentError, match="side must be"):
        both.grasp("up")


# -- what decided -----------------------------------------------------------------------------------


def test_sensitivity_names_the_limit_that_stood_in_the_way():
    healthy = hk.Model(person("hinges"))
    q = healthy.rest.copy()
    q[healthy.joint_q_slices["shoulder_plane_right"]] = radians(60)
    q[healthy.joint_q_slices["shoulder_elevation_right"]] = radians(140)
    high = healthy.fk(q, frame="index_tip_right")[:3, 3]
    less = apply(person("hinges"), combine(profile("hemiplegia"), profile("sci_t1")))
    answer = less.model.solve(position=high, frame="index_tip_right", retries=3)
    assert not answer.converged
    what = sensitivity(answer)
    assert not what.converged
    assert what.healthy
    # flexion and abduction both bound the one elevation of hinges: neither alone decides
    assert {trial.row.what for trial in what.trials} >= {"shoulder flexion", "trunk flexion"}
    assert len(what.trials) == sum(
        row.kind in ("limit", "fixed") for one in less.profiles for row in one.rows
    )


def test_sensitivity_says_when_nothing_decided():
    arm = hk.chain([0.3, 0.3], lower=-2.0, upper=2.6).spec
    motions = {"elbow flexion right": [Direction("joint_2")]}
    stiff = apply(arm, "fixed_elbow", motions=motions)
    near = stiff.model.solve(position=[0.3, 0.3, 0.0])
    assert near.converged
    assert "no limit of the profile" in str(sensitivity(near))
    away = stiff.model.solve(position=[0.9, 0.0, 0.0])
    assert "not met by a healthy figure" in str(sensitivity(away))
    held = stiff.model.solve(position=[0.6, 0.0, 0.0])
    found = sensitivity(held)
    assert [trial.row.what for trial in found.decided] == ["elbow"]
    assert found.trials[0].gain == pytest.approx(found.error - found.trials[0].error)
    plain = hk.Model(stiff.spec).solve(position=[0.6, 0.0, 0.0])
    with pytest.raises(hk.ArgumentError, match="does not know its profile"):
        sensitivity(plain)
    assert sensitivity(plain, stiff).decided
    two = stiff.model.solve(position=[[0.6, 0.0, 0.0]])
    with pytest.raises(hk.ArgumentError, match="of one goal"):
        sensitivity(two)


def test_several_limits_that_decide_together():
    arm = hk.chain([0.3, 0.3, 0.3], lower=-2.0, upper=2.6).spec
    motions = {
        "elbow flexion right": [Direction("joint_2")],
        "wrist flexion right": [Direction("joint_3")],
    }
    rows = tuple(
        Row("fixed", joint, {f"{joint} flexion": 90.0}, False, "assumption", "test")
        for joint in ("elbow", "wrist")
    )
    stiff = apply(arm, Profile("two", "Two", rows), motions=motions)
    found = sensitivity(stiff.model.solve(position=[0.9, 0.0, 0.0]))
    assert not found.decided
    assert "several together" in str(found)


# -- files --------------------------------------------------------------------------------------------


def test_handiks_file_says_where_everything_is_from():
    for name in NAMES:
        one = profile(name)
        for entry in (*one.rows, *one.facts):
            assert len(entry.source) > 5
        assert one.title
        known = {key.removesuffix(" right").removesuffix(" left") for key in motions_of(person())}
        for row in one.rows:
            what = [row.what] if row.kind != "fixed" else list(row.value)
            assert row.kind == "margin" or set(what) <= known, row


def test_a_profile_that_is_given_comes_back():
    one = profile("tremor")
    assert profile(one) is one
    assert isinstance(apply(person(), one), Impaired)


GOOD = '[mine]\nlimits = [{ motion = "elbow flexion", most = 100, trust = "assumption", source = "me" }]\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[mine\n", "no TOML"),
        ("a." * 20_000 + "a = 1", "no TOML file: more than 32 words with dots"),
        ("mine = " + "[" * 10_000, "no TOML file"),
        ("mine = 3\n", "must be a table"),
        ("[mine]\nlimit = []\n", "no such entry 'limit'"),
        ("[mine]\nsides = 'left'\n", "sides must be"),
        ("[mine]\ngrasp = 'firm'\n", "grasp must be one of"),
        ("[mine]\nlimits = 3\n", "must be a list"),
        ("[mine]\nlimits = [3]\n", "is no table"),
        ("[mine]\nlimits = [{ motion = 'a', most = 3 }]\n", "does not say source"),
        (GOOD.replace("assumption", "guess"), "trust is one of"),
        (GOOD.replace("100", "361"), "most of elbow flexion must be a number from -180 to 360"),
        (GOOD.replace("100", "nan"), "must be a number"),
        (GOOD.replace("100", "true"), "must be a number"),
        (GOOD.replace("most = 100", "most = 3, share = 0.5"), "give most"),
        (GOOD.replace("most = 100", "share = 1.5"), "from 0 to 1"),
        (GOOD.replace("limits", "strengths").replace("most", "share"), "from 0 to 1"),
        (GOOD.replace("limits", "strengths"), "does not say share"),
        (
            "[mine]\nfixed = [{ joint = 'elbow', at = 90, trust = 'fact', source = 'me' }]\n",
            "at gives",
        ),
        ("[mine]\nmargin = { metres = 2, trust = 'fact', source = 'me' }\n", "from 0 to 1"),
        ("[mine]\nmargin = 0.1\n", "is no table"),
    ],
)
def test_what_is_wrong_in_a_file_is_said(tmp_path: Path, text, says):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(hk.ArgumentError, match=says):
        profile("mine", path=path)


def test_a_file_of_your_own(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    assert profiles(path) == ("mine",)
    found = apply(person(), profile("mine", path=path))
    assert limits(found.spec, "elbow_flexion_left") == (0.0, 100.0)
    with pytest.raises(hk.NotFoundError, match="yours"):
        profile("yours", path=path)


def test_wrong_calls_are_told():
    with pytest.raises(hk.ArgumentError, match="severity"):
        profile("tremor", severity=1.1)
    with pytest.raises(hk.ArgumentError, match="severity"):
        profile("tremor", severity=-0.1)
    with pytest.raises(hk.ArgumentError, match="none of the motions"):
        apply(hk.chain([1.0]).spec, "sci_c5")
    with pytest.raises(hk.NotFoundError, match="joint_9"):
        apply(hk.chain([1.0]).spec, "sci_c5", motions={"elbow flexion": [Direction("joint_9")]})
    with pytest.raises(hk.ArgumentError, match="no profile to combine"):
        combine()
    free = hk.chain([1.0]).spec
    row = Row("limit", "elbow flexion", 0.5, True, "assumption", "test")
    with pytest.raises(hk.ArgumentError, match="has no limit"):
        apply(
            free, Profile("some", "Some", (row,)), motions={"elbow flexion": [Direction("joint_1")]}
        )
    found = apply(
        free,
        Profile("some", "Some", (replace(row, value=30.0, share=False),)),
        motions={"elbow flexion": [Direction("joint_1")]},
    )
    assert limits(found.spec, "joint_1") == (-inf, 30.0)
    none = hk.chain([1.0], lower=0.0, upper=2.0).spec
    rows = (
        replace(row, value=10.0, share=False),
        replace(row, what="elbow extension", value=-20.0, share=False),
    )
    motions = {
        "elbow flexion": [Direction("joint_1")],
        "elbow extension": [Direction("joint_1", -1)],
    }
    with pytest.raises(hk.ArgumentError, match="nothing is left"):
        apply(none, Profile("some", "Some", rows), motions=motions)


def test_names_are_put_together_as_profiles_are():
    both = combine("older_adult", profile("one_arm", side="left"))
    assert both == combine(profile("older_adult"), profile("one_arm", side="left"))
    assert apply(person(), ["sci_c6", "fixed_wrist"]).profiles == combine("sci_c6", "fixed_wrist")
    with pytest.raises(hk.NotFoundError, match="older_adult"):
        combine("older_adlt")
    with pytest.raises(TypeError, match="a profile must be a handik Profile, got 3"):
        combine("older_adult", 3)


def test_a_word_of_a_title_names_the_profiles_that_have_it():
    with pytest.raises(hk.NotFoundError) as told:
        profile("tetraplegia")
    assert str(told.value).endswith("it is in the title of sci_c5, sci_c6, sci_c7, sci_c8")
    with pytest.raises(hk.NotFoundError, match="near names: hemiplegia"):
        profile("hemiplegie")
    with pytest.raises(hk.NotFoundError, match="there are: sci_c5"):
        profile(" ")


def test_a_report_tells_joints_apart_that_share_a_motion():
    lines = hk.human(profile="sci_c6").impaired.report().splitlines()
    assert len(set(lines)) == len(lines)
    assert any("trunk flexion (pelvis_tilt): 20 to 0 deg" in line for line in lines)
