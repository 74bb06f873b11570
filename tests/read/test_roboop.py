"""ROBOOP configuration files: every field, both conventions, and its own strictness told."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handik.errors import ArgumentError, ReadError
from handik.files.read import load_spec
from handik.files.read.dh import from_dh
from handik.files.read.roboop import from_roboop_matrix, read_roboop
from handik.files.write.roboop import to_roboop

ARM = """# an arm of our own
[ARM]
Name: demo
DH: 1
dof: 3
Motor: 1
angle_in_degree: 1

[ARM_LINK1]
joint_type: 0
theta: 30
d: 0.5
a: 0.25
alpha: -90
theta_min: -170
theta_max: 170
joint_offset: 90
m: 2
cx: 0.1
cy: 0.2
cz: 0.3
Ixx: 1
Ixy: 0.1
Ixz: 0.2
Iyy: 2
Iyz: 0.3
Izz: 3
Im: 0.001
Gr: -62.5
B: 0.002
Cf: 0.4
[ARM_LINK2]
joint_type: 1
theta: 45
d: 0.7
a: 0.1
alpha: 0
[ARM_LINK3]
joint_type: 2
theta: 10
a: 0.3
"""


def moving(spec):
    return {joint.name: joint for joint in spec.joints if not joint.name.endswith("_frame")}


def test_every_field_is_read(tmp_path):
    path = tmp_path / "arm.conf"
    path.write_text(ARM)
    spec = load_spec(path)
    assert (spec.name, spec.source) == ("ARM", str(path))
    joints = moving(spec)
    assert [joint.kind for joint in joints.values()] == ["revolute", "prismatic", "fixed"]
    first = joints["joint_1"]
    assert (first.lower, first.upper) == (math.radians(-170), math.radians(170))
    motor = first.motor
    assert (motor.inertia, motor.gear, motor.viscous, motor.coulomb) == (0.001, -62.5, 0.002, 0.4)
    assert joints["joint_2"].limits() == ([-math.inf], [math.inf])
    body = next(link for link in spec.links if link.name == "link_1").inertial
    assert body.mass == 2
    assert list(body.center) == [0.1, 0.2, 0.3]
    assert body.inertia.tolist() == [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]]
    assert "joint_1: theta 0.523599 is where it starts, not part of the arm" in spec.notes
    assert "joint_2: d 0.7 is where it starts, not part of the arm" in spec.notes


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_the_arm_is_that_of_the_dh_table(convention):
    right, d45, d10 = math.pi / 2, math.radians(45), math.radians(10)
    wanted = from_dh(
        [[right, 0.5, 0.25, -right], [d45, 0, 0.1, 0], [d10, 0, 0.3, 0]], convention, kinds="RPF"
    )
    text = ARM if convention == "standard" else ARM.replace("DH: 1", "DH: 0")
    for spec in (read_roboop(text), read_roboop(ARM, convention=convention)):
        assert [j.name for j in spec.joints] == [j.name for j in wanted.joints]
        for one, other in zip(spec.joints, wanted.joints, strict=True):
            assert (one.kind, one.parent, one.child) == (other.kind, other.parent, other.child)
            np.testing.assert_allclose(one.placement, other.placement, atol=1e-15)


def test_odd_spacing_and_comments_are_read_and_told():
    text = ARM.replace("d: 0.5", "d : 0.5 # metres").replace("a: 0.25", "  a:0.25")
    text = text.replace("[ARM_LINK2]", "  [ARM_LINK2] tail").replace("DH: 1\n", "DH: 1\nDH: 0\n")
    spec, plain = read_roboop(text + "what is this\n"), read_roboop(ARM)
    for one, other in zip(spec.joints, plain.joints, strict=True):
        assert (one.placement == other.placement).all()
    told = "\n".join(spec.notes)
    for words in (
        "line 13: ROBOOP passes over 'd', for its spacing",
        "line 13: ROBOOP keeps its default for 'd', for the comment",
        "line 14: ROBOOP passes over 'a', for its spacing",
        "ROBOOP wants '[' in the first column",
        "line 5: another 'DH'; the first one counts",
        "neither a section nor a parameter",
    ):
        assert words in told


def test_motor_terms_only_with_motor():
    spec = read_roboop(ARM.replace("Motor: 1", "Motor: 0"))
    assert moving(spec)["joint_1"].motor is None
    assert "[ARM_LINK1]: Gr passed over, as Motor is 0" in spec.notes


def test_immobile_joints_stay_where_they_start():
    spec = read_roboop(ARM.replace("cx: 0.1", "cx: 0.1\nimmobile: 1"))
    assert moving(spec)["joint_1"].kind == "fixed"
    frame = next(joint for joint in spec.joints if joint.name == "joint_1_frame")
    assert frame.placement[0, 0] == pytest.approx(math.cos(math.radians(120)))


def test_minimal_parameters_come_back_to_the_centre():
    plain = next(k for k in read_roboop(ARM).links if k.name == "link_1").inertial
    c, m = plain.center, plain.mass
    about = plain.inertia + m * (c @ c * np.eye(3) - np.outer(c, c))
    text = ARM
    for key, value in zip(("cx", "cy", "cz"), m * c, strict=True):
        text = text.replace(
            f"{key}: ", f"{key}: {value!r} #".replace("np.float64(", "").replace(")", "")
        )
    keys = {
        "Ixx": (0, 0),
        "Ixy": (0, 1),
        "Ixz": (0, 2),
        "Iyy": (1, 1),
        "Iyz": (1, 2),
        "Izz": (2, 2),
    }
    for key, at in keys.items():
        text = text.replace(f"{key}: ", f"{key}: {float(about[at])!r} #")
    for spec in (
        read_roboop(text, minimal=True),
        read_roboop(text.replace("DH: 1", "DH: 1\nMinPara: 1")),
    ):
        body = next(k for k in spec.links if k.name == "link_1").inertial
        np.testing.assert_allclose(body.center, c, atol=1e-15)
        np.testing.assert_allclose(body.inertia, plain.inertia, atol=1e-14)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("\n\n", None, "no section says 'dof'"),
        (ARM.replace("dof: 3", "dof: 4"), 2, "there is no section [ARM_LINK4]"),
        (ARM.replace("dof: 3", "dof: 0"), 5, "[ARM]: dof is 0, not a count"),
        (ARM.replace("dof: 3", "dof: 1e9"), 2, "there is no section [ARM_LINK4]"),
        (ARM.replace("dof: 3", "dof: three"), 5, "dof: 'three' is not a finite"),
        (ARM.replace("Motor: 1", "Motor: 2"), 6, "Motor is 2, not one of 0..1"),
        (ARM.replace("d: 0.5", "d: nan"), 12, "[ARM_LINK1]: d: 'nan'"),
        (ARM.replace("d: 0.5", "d: 1_0"), 12, "d: '1_0'"),
        (ARM.replace("joint_type: 0", "joint_type: 3"), 10, "joint_type is 3, not one of 0..2"),
        (
            ARM.replace("theta_min: -170", "theta_min: 171"),
            9,
            "[ARM_LINK1]: joint 'joint_1': its limits are rev",
        ),
        (ARM.replace("m: 2", "m: -2"), 9, "[ARM_LINK1]: link 'link_1': its mass is negative"),
    ],
)
def test_faults_name_the_line(text, line, words):
    with pytest.raises(ReadError) as caught:
        read_roboop(text)
    assert words in str(caught.value)
    assert caught.value.line == line


def test_sections_by_name():
    assert read_roboop(ARM + ARM.replace("ARM", "LEG"), "LEG").name == "LEG"
    with pytest.raises(ReadError, match=r"no section \[LEG\]"):
        read_roboop(ARM, "LEG")


def test_matrix_form():
    row = [0, 0, 0.5, 0.25, -1.5, -3, 3, 1.5, 2, 0.1, 0.2, 0.3, 1, 0, 0, 2, 0, 3]
    full = from_roboop_matrix([[*row, 0.001, 60, 0.002, 0.4, 0]])
    bare = from_roboop_matrix([[*row, 0]], [[0.001, 60, 0.002, 0.4]])
    for spec in (full, bare):
        joint = spec.joints[0]
        assert (joint.lower, joint.upper, joint.motor.gear) == (-3, 3, 60)
        assert spec.links[2].inertial.mass == 2
        expected = from_dh([[1.5, 0.5, 0.25, -1.5]]).joints[1].placement
        assert (spec.joints[1].placement == expected).all()
    assert from_roboop_matrix([[*row, 0]]).joints[0].motor is None
    for matrix, motor in (
        ([row], None),
        ([[*row, math.nan]], None),
        ([[*row, 0]], [[1]]),
        ([["a"] * 19], None),
        ([[*row, 0]], [["a"] * 4]),
    ):
        with pytest.raises(ArgumentError):
            from_roboop_matrix(matrix, motor)
    with pytest.raises(ArgumentError, match="joint_type"):
        from_roboop_matrix([[7, *row[1:], 0]])


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(ARM)), st.integers(0, 9), st.text(max_size=5)), max_size=4
    )
)
def test_mangled_files_give_a_sound_arm_or_the_named_error(edits):
    text = ARM
    for start, length, word in edits:
        text = text[:start] + word + text[start + length :]
    try:
        read_roboop(text.encode("utf-8", "replace")).check()
    except ReadError:
        pass


@pytest.mark.parametrize("gear", [1.0, -62.5])
def test_friction_of_a_joint_is_written_as_its_drives(gear):
    """Reflected to the motor: damping over the square of the gear, friction over its size, on top of the drive's own."""
    spec = read_roboop(ARM)
    joint = moving(spec)["joint_1"]
    joint.motor = replace(joint.motor, gear=gear)
    joint.damping, joint.friction = 0.7, 0.3
    back = moving(read_roboop(to_roboop(spec, [])))["joint_1"].motor
    assert back.viscous == pytest.approx(0.002 + 0.7 / gear**2)
    assert back.coulomb == pytest.approx(0.4 + 0.3 / abs(gear))
