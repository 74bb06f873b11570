"""Ranges of motion of your own."""

import pickle
from importlib.resources import files

import numpy as np
import pytest

import handik as hk
from handik.people import Ranges

HEAD = "joint,lower_deg,upper_deg,trust,source"
LEVELS = "level,flexion_extension_deg,bend_deg,turn_deg,trust,source"


def text_of(name):
    return (files("handik.data") / "people" / f"{name}.csv").read_text("utf-8")


def written(tmp_path, *rows, head=HEAD, name="mine.csv"):
    path = tmp_path / name
    path.write_text("\n".join([head, *rows]))
    return path


def limits(person):
    return {one.name: (one.lower, one.upper) for one in person.freedoms}


def freedom(person, name):
    return next(one for one in person.freedoms if one.name == name)


def test_handiks_own_tables_as_files_are_the_same_person(tmp_path):
    for name in ("joint_ranges", "spine_ranges"):
        (tmp_path / f"{name}.csv").write_text(text_of(name), "utf-8-sig")
    joints, spine = tmp_path / "joint_ranges.csv", tmp_path / "spine_ranges.csv"
    own = hk.human(detail="spine", ranges=Ranges.read(joints, set="older", spine=spine))
    ours = hk.human(detail="spine", ranges="older")
    for name in ("lower", "upper"):
        np.testing.assert_array_equal(getattr(own.model, name), getattr(ours.model, name))
    assert own.freedoms == ours.freedoms
    np.testing.assert_array_equal(own.rest, ours.rest)


def test_what_the_table_has_is_taken_and_the_rest_is_the_adults(tmp_path):
    rows = "elbow_flexion,30,100,yes,our ward", "knee_flexion,-5,80,assumed,a guess"
    own = Ranges.read(written(tmp_path, *rows))
    sits, ours = hk.human(detail="full", ranges=own), hk.human(detail="full")
    for name, low, high in (("elbow_flexion_left", 30, 100), ("knee_flexion_right", -5, 80)):
        assert np.degrees(limits(sits)[name]) == pytest.approx((low, high))
    found = freedom(sits, "elbow_flexion_right")
    assert (found.trust, found.source) == ("yes", "our ward")
    for name in ("wrist_flexion_left", "hip_flexion_left"):
        assert limits(sits)[name] == limits(ours)[name]
        assert freedom(sits, name) == freedom(ours, name)
    at = sits.model.joint_q_slices  # nobody rests beyond her own range
    assert np.degrees(sits.rest[at["knee_flexion_left"]]) == pytest.approx(80)
    assert np.degrees(sits.rest[at["elbow_flexion_left"]]) == pytest.approx(30)


def test_levels_of_the_spine_and_the_whole_trunk_that_caps_them(tmp_path):
    joints = written(tmp_path, "trunk_turn,-20,20,yes,ward")
    spine = written(tmp_path, "L5_S1,10,,1,yes,MRI", head=LEVELS, name="spine.csv")
    own = hk.human(detail="spine", ranges=Ranges.read(joints, spine=spine))
    ours = hk.human(detail="spine")
    gain = own.spine_gain
    turns = [f"{level}_turn" for level in ("L5_S1", "T11_T12", "T5_T6")]
    assert sum(np.degrees(limits(own)[t][1]) * gain[t] for t in turns) == pytest.approx(20)
    assert freedom(own, "L5_S1_turn").source == "MRI"
    assert np.ptp(limits(own)["L5_S1_flexion"]) < np.ptp(limits(ours)["L5_S1_flexion"])
    assert freedom(own, "T5_T6_turn").source != "MRI"


def test_they_go_with_the_person(tmp_path):
    path = written(tmp_path, "elbow_flexion,0,100,yes,our ward")
    own = Ranges.read(path)
    path.unlink()
    anna = hk.human(ranges=own, profile="older_adult")
    assert pickle.loads(pickle.dumps(own)) == own
    assert hash(pickle.loads(pickle.dumps(own))) == hash(own)
    people = hk.population(2, seed=1)
    for one in (anna._sound(), anna.with_base([1, 0, 0]), people.human(1, ranges=own)):
        assert one.ranges == own
        assert np.degrees(limits(one)["elbow_flexion_left"][1]) <= 100 + 1e-9
    assert freedom(anna._sound(), "elbow_flexion_left").source == "our ward"


def test_a_file_of_several_sets_asks_which(tmp_path):
    rows = "a,elbow_flexion,0,100,yes,x", "b,elbow_flexion,0,110,yes,x"
    path = written(tmp_path, *rows, head=f"set,{HEAD}")
    with pytest.raises(hk.ArgumentError, match="several sets, a, b: say which by set="):
        Ranges.read(path)
    with pytest.raises(hk.NotFoundError, match=r"set of mine\.csv"):
        Ranges.read(path, set="c")
    assert "mine.csv, b: 1 joints" in repr(Ranges.read(path, set="b"))
    with pytest.raises(hk.ArgumentError, match="no column set"):
        Ranges.read(written(tmp_path, "elbow_flexion,0,100,yes,x"), set="b")


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("elbow_flexion,0,x,yes,w", "elbow_flexion, upper_deg: 'x' is not a number"),
        ("elbow_flexion,nan,90,yes,w", "elbow_flexion, lower_deg: 'nan' is not a number"),
        ("elbow_flexion,90,90,yes,w", "90 to 90 degrees: lower_deg must be less"),
        ("elbow_flexion,0,361,yes,w", "both within a turn"),
        ("elbow_flexion,-361,0,yes,w", "both within a turn"),
        ("elbow_flexion,0,90,yes,", "row 1 has no source"),
        ("elbow_flexion,0,90,,w", "row 1 has no trust"),
        ("elbow_flexion,0,90", "row 1 has no trust"),
        ("elbow_flexion,0,90,yes,w\nelbow_flexion,0,95,yes,w", "two rows of elbow_flexion"),
        ("trunk_turn,0,40,yes,w", "trunk_turn from 0 to 40 degrees does not hold 0"),
        ("neck_bend,-40,0,yes,w", "does not hold 0"),
        ("shoulder_axial,5,60,yes,w", "does not hold 0"),
        ("shoulder_flexion,-24,170,yes,w", "lower_deg must be -90 to -25"),
        ("shoulder_flexion,-91,170,yes,w", "lower_deg must be -90 to -25"),
        ("shoulder_flexion,-40,149,yes,w", r"upper_deg 150 to 190; .*profile="),
        ("shoulder_abduction,0,191,yes,w", "upper_deg 150 to 190"),
        ("shoulder_abduction,1,170,yes,w", "lower_deg must be -90 to 0"),
        ("", "there is no row"),
    ],
)
def test_what_no_person_can_have_is_told(row, says, tmp_path):
    with pytest.raises(hk.ArgumentError, match=says):
        Ranges.read(written(tmp_path, row))


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("L5_S1,0,3,1,yes,w", "L5_S1, flexion_extension_deg: 0 is not above 0"),
        ("L5_S1,9,3,181,yes,w", "L5_S1, turn_deg: 181 is not"),
        ("L5_S1,9,x,1,yes,w", "L5_S1, bend_deg: 'x' is not a number"),
    ],
)
def test_levels_that_cannot_be_are_told(row, says, tmp_path):
    joints = written(tmp_path, "elbow_flexion,0,90,yes,w")
    with pytest.raises(hk.ArgumentError, match=rf"spine\.csv: {says}"):
        Ranges.read(joints, spine=written(tmp_path, row, head=LEVELS, name="spine.csv"))


def test_unknown_names_columns_and_files(tmp_path):
    with pytest.raises(hk.NotFoundError, match=r"joint of mine\.csv.*elbow_flexion"):
        Ranges.read(written(tmp_path, "elbow_flexio,0,90,yes,w"))
    with pytest.raises(hk.ArgumentError, match="no column upper_deg, trust, source"):
        Ranges.read(written(tmp_path, "elbow_flexion,0", head="joint,lower_deg"))
    with pytest.raises(hk.ArgumentError, match="parted by semicolons"):
        Ranges.read(written(tmp_path, "elbow_flexion;0", head="joint;lower_deg"))
    joints = written(tmp_path, "elbow_flexion,0,90,yes,w")
    head = "level,flexion_extension_deg,trust,source"
    spine = written(tmp_path, "L5_S1,9,yes,w", head=head, name="spine.csv")
    with pytest.raises(hk.ArgumentError, match=r"spine\.csv: no column bend_deg"):
        Ranges.read(joints, spine=spine)
    with pytest.raises(hk.MissingFileError):
        Ranges.read(tmp_path / "none.csv")
    with pytest.raises(TypeError, match="path must be a path"):
        Ranges.read(3)
    with pytest.raises(hk.ArgumentError, match="ranges must be"):
        hk.human(ranges="mine.csv")


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("ends", [(-25, 150), (-90, 190)])
def test_the_least_and_most_free_shoulders_hold_the_hanging_arm(side, ends, tmp_path):
    low, high = ends
    rows = f"shoulder_flexion,{low},{high},yes,w", f"shoulder_abduction,0,{high},yes,w"
    person = hk.human(ranges=Ranges.read(written(tmp_path, *rows)))
    joint = next(j for j in person.model.spec.joints if j.name == f"shoulder_{side}")
    x, y, z = joint.placement[:3, :3].T @ [0.0, 0.0, -1.0]
    assert np.degrees(person.model.ball_limits[joint.name].distance([x, -y, -z])) < -10
