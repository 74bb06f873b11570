"""The rooms of the skeleton: joint centres at the edge of what bodies are, hands, ranges, rooms."""

import numpy as np
import pytest

import handik as hk
from handik.people import survey
from handik.people.skeleton import joint_centers
from handik.people.skeleton._centers import LEVELS, sitting
from handik.people.skeleton._constants import constants, rows
from handik.people.skeleton._hand import hand_points
from handik.people.skeleton._ranges import joint_ranges, spine_levels
from handik.people.skeleton._rhythm import Rhythm, _give, _table, monomials, rhythm


def changed(**more):
    """A person whose dimensions do not go together, which no survey would give."""
    person = hk.people.dimensions("male")
    return hk.people.Dimensions({**person, **more}, person._conditional, drawn=False)


def test_a_chest_too_shallow_for_its_heights_is_refused():
    person = hk.people.dimensions("male")
    width = 0.0785 * person["stature"]
    edge = person["cervicale_height"] - width
    with pytest.raises(hk.ArgumentError, match="cervicale"):
        joint_centers(changed(suprasternale_height=edge - 1e-6))
    at = joint_centers(changed(suprasternale_height=edge + 1e-6), "standing")
    assert at["suprasternale"][2] == pytest.approx(edge + 1e-6)


@pytest.mark.parametrize(("length", "share"), [(0.50, 0.46), (0.80, 0.66)])
def test_the_hip_stays_inside_the_buttock(length, share):
    """Beyond the share of buttock depth the rest of buttock-knee length goes to the kneecap."""
    person = hk.people.dimensions("male")
    gap = person["buttock_knee_length"] - person["buttock_popliteal_length"]
    off = changed(buttock_knee_length=length, buttock_popliteal_length=length - gap)
    how = sitting(off)
    assert how.buttock_behind_hip == pytest.approx(share * person["buttock_depth"])
    whole = how.buttock_behind_hip + how.thigh * np.cos(how.tilt) + how.knee_front
    assert whole == pytest.approx(length)
    assert how.knee_front + how.fold_behind_knee == pytest.approx(gap)


@pytest.mark.parametrize(("popliteal", "sine"), [(0.10, 0.5), (0.80, -0.5)])
def test_a_thigh_does_not_stand_up(popliteal, sine):
    assert np.sin(sitting(changed(popliteal_height=popliteal)).tilt) == pytest.approx(sine)


def test_levels_rise_and_are_25():
    assert len(LEVELS) == 25
    at = joint_centers(hk.people.dimensions("female"), "standing")
    heights = [at[level][2] for level in LEVELS]
    assert (np.diff(heights) > 0.005).all()


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_hand_is_as_long_as_measured(side):
    points = hand_points(0.19, 0.085, side)
    assert points["middle_tip"] == pytest.approx([0.0, 0.0, -0.19])
    for finger in ("index", "ring", "little"):
        chain = [np.zeros(3), *(points[f"{finger}_{j}"] for j in ("mcp", "pip", "dip", "tip"))]
        assert -0.19 < points[f"{finger}_tip"][2] < -0.13
        assert np.linalg.norm(chain[1]) == pytest.approx(0.19 * METACARPAL[finger] / 0.99, rel=1e-9)
    assert points["index_mcp"][0] > 0 > points["little_mcp"][0]
    assert points["thumb_tip"][1] * side < 0  # palmward is inward


METACARPAL = {"index": 0.463, "ring": 0.421, "little": 0.414}


def test_sets_fall_back_on_the_adult():
    adult, older = joint_ranges("adult"), joint_ranges("older")
    assert older["elbow_flexion"] == (4.0, 143.0)
    assert adult["elbow_flexion"] == (0.0, 150.0)
    assert older["knee_flexion"] == adult["knee_flexion"]
    assert joint_ranges("infant")["elbow_flexion"] == adult["elbow_flexion"]


def test_levels_without_a_number_have_their_neighbors_mean():
    levels = spine_levels("adult")
    # C2-C3 has no side bend: mean of C0-C1 ... C4-C5, capped with the neck (42 of 45: not at all)
    near = [5.2, 6.4, 6.7, 5.5]
    assert levels["C2_C3"]["bend"][1] == pytest.approx(np.mean(near))
    assert levels["L5_S1"]["turn"] == pytest.approx((-1.7, 1.7))  # 33 of 45 degrees: not capped


def test_a_room_in_words_of_the_clinic():
    person = hk.human("male")
    for side, sign in (("right", -1.0), ("left", 1.0)):
        joint = next(j for j in person.model.spec.joints if j.name == f"shoulder_{side}")
        room, turn = person.model.ball_limits[f"shoulder_{side}"], joint.placement[:3, :3]

        def outside(plane, elevation, sign=sign, room=room, turn=turn):
            p, e = np.radians([plane, elevation])
            arm = np.array([np.sin(e) * np.sin(p), sign * np.sin(e) * np.cos(p), -np.cos(e)])
            x, y, z = arm @ turn
            return np.degrees(room.distance([x, -y, -z]))

        for inside in ((0, 90), (90, 90), (90, 150), (0, 150), (-90, 50), (115, 100), (45, 175)):
            assert outside(*inside) < 0, inside
        for beyond in ((-90, 70), (135, 100), (180, 30), (-135, 60), (-120, 110)):
            assert outside(*beyond) > 0, beyond


def test_the_arm_turns_as_far_as_the_clinic_says():
    """At the side and at 90 degrees forward: lateral 90, medial 70, judged by the model."""
    from handik.people.skeleton._shoulder import (
        arm_direction,
        clinical_swing,
        quaternion,
        raised,
        turn_about,
    )

    person = hk.human("female")
    for side, sign in (("right", -1.0), ("left", 1.0)):
        where = person.model.joint_q_slices[f"shoulder_{side}"]
        for plane, elevation, slack in ((0.0, 0.0, 1.0), (40.0, 75.0, 1.0), (0.0, 60.0, 12.0)):
            for medial, inside in (
                (70 - slack, 1),
                (70 + slack, 0),
                (-90 + slack, 1),
                (-90 - slack, 0),
            ):
                turn = turn_about([0.0, 0.0, 1.0], np.radians(-sign * medial))
                arm = clinical_swing(arm_direction(plane, elevation, sign)) @ turn
                q = person.rest.copy()
                ball = raised(sign).T @ arm
                q[where] = quaternion(ball)
                kept = person.model.clip(q)[where]
                same = abs(kept @ q[where]) > 1 - 1e-9
                assert same == bool(inside), (side, plane, elevation, medial)


def test_a_shoulder_gives_way_by_a_tenth_of_a_meter_at_most():
    person = hk.people.dimensions("male")
    at = joint_centers(person, "standing")
    how = rhythm(person, at, -1.0)
    plain = Rhythm(-1.0, _table(-1.0, "male", None), how.axes, how.clavicle, how.blade, np.zeros(3))
    for name, place, sign in (
        ("thumbtip_reach", 0, 1),
        ("span", 1, -0.5),
        ("overhead_fingertip_reach_sitting", 2, 1),
    ):
        before = _give(person, at, plain)
        far = changed(**{name: person[name] + 0.03})
        moved = _give(far, at, plain) - before
        assert moved[place] == pytest.approx(0.03 * sign, rel=0.02)
        very = changed(**{name: person[name] + 1.0})
        assert abs(_give(very, at, plain)[place]) == pytest.approx(0.1)


def test_monomials_are_those_of_a_follower():
    d = np.array([0.6, 0.0, 0.8])
    mimic = hk.SwingMimicSpec("ball", list(range(20)))
    assert mimic.value(d) == pytest.approx(monomials(d) @ np.arange(20))


@pytest.mark.parametrize("sex", ["female", "male"])
def test_four_landmarks_say_how_high_the_hips_are(sex):
    """One factor of the survey's tables, each landmark by what it has beside: Bartlett's scores."""
    people = survey(sex)
    names = ["trochanterion_height", "crotch_height", "iliocristale_height"]
    names += ["stature", "sitting_height"]
    table = {(row["sex"], row["name"]): row for row in rows("dimensions.csv")}
    mean, sd = (
        np.array([float(table[sex, name][key]) for name in names]) / 1000 for key in ("mean", "sd")
    )
    at = [people.index(name) for name in names]
    take = np.eye(5)[:4]
    take[3] = 0, 0, 0, 1, -1  # the seat under who stands
    mean = take @ mean
    cov = take @ (people.correlation[np.ix_(at, at)] * np.outer(sd, sd)) @ take.T
    own = 0.05 * np.diag(cov)
    for _ in range(300):  # the factor of greatest likelihood
        root = np.sqrt(own)
        values, vectors = np.linalg.eigh(cov / np.outer(root, root))
        load = np.abs(vectors[:, -1]) * np.sqrt(values[-1] - 1) * root
        own = np.diag(cov) - load**2
    left = (cov - np.outer(load, load) - np.diag(own)) / np.sqrt(np.outer(own, own))
    assert np.abs(left).max() < 0.13
    share = load**2 / own / (load**2 / own).sum() * load[0] / load
    k = constants(sex)
    told = [k[f"pelvis_of_{name}"] for name in ("trochanterion", "crotch", "iliocristale", "seat")]
    assert told == pytest.approx(share, abs=1e-3)
    assert k["pelvis_height"] == pytest.approx(mean[0] - share @ mean, abs=1e-3)


@pytest.mark.parametrize(("sex", "most"), [("female", 0.0095), ("male", 0.0115)])
def test_nobody_sits_with_the_hip_in_the_seat(sex, most):
    """By trochanter and sitting height alone it was 2 to 141 mm over it, spread by 16 and 21."""
    high = np.array([sitting(d).hip_above_seat for d in hk.population(200, sex=sex, seed=4)])
    assert high.min() > 0.03
    assert high.max() < 0.12
    assert high.std() < most
    person = hk.people.dimensions(sex)
    at = [
        joint_centers(hk.people.Dimensions({**person, **more}, person._conditional, drawn=False))
        for more in ({}, {"trochanterion_height": person["trochanterion_height"] + 0.02})
    ]
    assert 0.003 < at[1]["hip_left"][2] - at[0]["hip_left"][2] < 0.005
