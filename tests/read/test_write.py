"""What is written is read back: bit for bit from TOML, to 1e-12 from URDF."""

from __future__ import annotations

import math
import re
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from _robots import ROBOTS, urdf_files
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik.errors import ReadError, UnsupportedError
from handik.files.read import load_spec
from handik.files.read._geometry import pose, rpy_rotation
from handik.files.read.mjcf import read_mjcf
from handik.files.read.toml import read_toml
from handik.files.read.urdf import read_urdf
from handik.spec import (
    Cone,
    FrameSpec,
    GeometrySpec,
    InertialSpec,
    JointSpec,
    LinkSpec,
    MimicSpec,
    ModelSpec,
    MotorSpec,
)

PLACE = pose((0.1, -0.2, 0.3), rpy_rotation(0.4, -1.2, 2.9))
PASSED = {"source", "file", "missing_meshes"}


def same(one, two, slack=0.0, skip=PASSED, where="spec"):
    """Compare two specs field by field."""
    if is_dataclass(one):
        assert type(one) is type(two), where
        for entry in fields(one):
            if entry.name not in skip:
                parts = getattr(one, entry.name), getattr(two, entry.name)
                same(*parts, slack, skip, f"{where}.{entry.name}")
    elif isinstance(one, list):
        assert len(one) == len(two), where
        for i, pair in enumerate(zip(one, two, strict=True)):
            same(*pair, slack, skip, f"{where}[{i}]")
    elif isinstance(one, (np.ndarray, tuple, float)):
        np.testing.assert_allclose(one, two, rtol=slack, atol=slack, err_msg=where)
    else:
        assert one == two, where


def everything():
    box = GeometrySpec("box", PLACE, size=(1.0, 2.0, 3.0), color=(0.1, 0.2, 0.3, 1.0), name="b")
    mesh = GeometrySpec("mesh", PLACE, uri='a "b".stl', scale=(1.0, 2.0, 1.0))
    ball = GeometrySpec("sphere", radius=0.1)
    rod = GeometrySpec("capsule", PLACE, radius=0.1, length=0.4)
    inertia = np.array([[1.0, 0.1, 0.2], [0.1, 1.1, 0.3], [0.2, 0.3, 1.2]])
    body = InertialSpec(1.5, np.array([0.1, 0.2, 0.3]), inertia)
    links = [LinkSpec("root"), LinkSpec("a<&", body, [box, mesh], [ball, rod])]
    joints = [
        JointSpec("j0", "revolute", "root", "a<&", PLACE, (0.6, 0.0, 0.8), lower=-1.0, upper=0.7,
                  effort=3.0, velocity=0.1, damping=0.2, friction=0.3),
    ]  # fmt: skip
    kinds = ["prismatic", "fixed", "free", "revolute"]
    for i, kind in enumerate(kinds, 1):
        links.append(LinkSpec(f"l{i}"))
        joints.append(JointSpec(f"j{i}", kind, links[i].name, f"l{i}", PLACE))
    joints[4].mimic = MimicSpec("j0", -0.5, 0.1)
    joints[4].lower, joints[4].upper = -3.0, 3.0
    return ModelSpec("all", links, joints)


def more():
    """What URDF cannot hold."""
    spec = everything()
    spec.joints[0].motor = MotorSpec(1e-4, 100.0, 1e-3, 0.2)
    spec.joints[1].lower = 0.5
    for i, kind in enumerate(["cylindrical", "universal", "planar", "ball"]):
        spec.links.append(LinkSpec(f"m{i}"))
        joint = JointSpec(f"k{i}", kind, "root", f"m{i}", PLACE, axis2=(1.0, 0.0, 0.0))
        if kind == "universal":
            joint.lower, joint.upper = (-1.0, -np.inf), (1.0, 2.0)
        if kind == "ball":
            joint.cone = Cone((0.1, 0.2, 0.3, 0.4), (-0.5, 0.5))
        spec.joints.append(joint)
    spec.frames.append(FrameSpec('tool "1"\n', "m0", PLACE))
    spec.tip, spec.notes = 'tool "1"\n', ["a note \\ with 'signs' é"]
    return spec


@pytest.mark.parametrize("make", [everything, more])
def test_toml_holds_all_bit_for_bit(make):
    spec = make()
    text = spec.to_toml()
    again = read_toml(text)
    same(spec, again)
    assert again.to_toml() == text


def test_urdf_round_trip():
    spec = everything()
    again = read_urdf(spec.to_urdf())
    same(spec, again, 1e-12, PASSED | {"notes"})


@given(st.tuples(*[st.floats(-3.2, 3.2)] * 3), st.booleans())
@settings(max_examples=200, deadline=None)
def test_urdf_angles_keep_every_rotation(angles, lock):
    roll, pitch, yaw = angles
    place = pose(
        (0, 0, 0), rpy_rotation(roll, np.copysign(np.pi / 2, pitch) if lock else pitch, yaw)
    )
    spec = ModelSpec(
        "r", [LinkSpec("a"), LinkSpec("b")], [JointSpec("j", "fixed", "a", "b", place)]
    )
    np.testing.assert_allclose(read_urdf(spec.to_urdf()).joints[0].placement, place, atol=1e-12)


def test_what_urdf_cannot_hold_is_listed_or_refused():
    spec = everything()
    spec.joints[0].motor = MotorSpec(1e-4)
    spec.joints[1].lower = 0.5
    spec.frames.append(FrameSpec("tool", "l4", PLACE))
    spec.tip = "tool"
    with pytest.raises(UnsupportedError, match="drive of joint 'j0'"):
        spec.to_urdf()
    lost = []
    again = read_urdf(spec.to_urdf(lost))
    assert [word in " ".join(lost) for word in ("drive", "frame", "tip")] == [True] * 3
    assert again.joints[1].limits() == ([0.5], [math.inf])
    q = np.random.default_rng(0).uniform(-1, 1, 9)
    one, two = hk.Model(spec), hk.Model(again)
    for name in one.frame_names:
        np.testing.assert_allclose(one.fk(q, frame=name), two.fk(q, frame=name), atol=1e-12)


@pytest.mark.parametrize("kind", ["cylindrical", "universal", "ball", "planar"])
def test_joints_that_urdf_has_not(kind):
    joint = JointSpec("j", kind, "a", "b", axis2=(0.6, 0.8, 0.0))
    spec = ModelSpec("r", [LinkSpec("a"), LinkSpec("b")], [joint])
    with pytest.raises(UnsupportedError, match="'j'"):
        spec.to_urdf([])


FILES = urdf_files()


@pytest.mark.parametrize("name", FILES[::6])
def test_real_robots_round_trip(name, tmp_path):
    spec = load_spec(ROBOTS / name)
    spec.save(tmp_path / "a.toml")
    same(spec, load_spec(tmp_path / "a.toml"))
    spec.save(tmp_path / "a.urdf", [])
    same(spec, load_spec(tmp_path / "a.urdf"), 1e-12, PASSED | {"notes", "mimic"})


def test_model_saves_itself(tmp_path):
    arm = hk.chain([0.3, 0.2])
    arm.save(tmp_path / "arm.toml")
    np.testing.assert_array_equal(hk.load(tmp_path / "arm.toml").fk([0.1, 0.2]), arm.fk([0.1, 0.2]))
    with pytest.raises(UnsupportedError, match="no writer"):
        arm.save(tmp_path / "arm.docx")
    assert arm.spec.to_dh().residual < 1e-14


HEAD = 'format = "handik 1"\nname = "r"\n[[links]]\nname = "a"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n", "format"),
        ("a = \n", "not TOML"),
        (HEAD + "nmae = 1\n", "'nmae' is not known"),
        (HEAD + "inertial = 3\n", "must be a table"),
        (HEAD + "inertial = {}\n", "obligatory"),
        (HEAD + 'inertial = {mass = "1"}\n', "not a number"),
        (HEAD + "inertial = {mass = nan}\n", "not finite"),
        (HEAD + "[[joints]]\nname = 1\n", "must be a text"),
        ('format = "handik 1"\nname = "r"\nnotes = 3\n', "notes must be a list"),
        ('format = "handik 1"\nname = "r"\nlinks = "a"\n', "links must be a list"),
        (HEAD + '[[frames]]\nname = "f"\nlink = "a"\nplacement = 3\n', "an array must be a list"),
        (HEAD + '[[frames]]\nname = "f"\nlink = "a"\nplacement = [[1], [1, 2]]\n', "differ"),
        (HEAD + 'x = "' + "[" * 50000 + "\n", "not TOML"),
        (HEAD + "x = " + "[" * 50000 + "\n", "not TOML"),
        (HEAD + "inertial = {mass = 1" + "0" * 400 + "}\n", "too large"),
    ],
)
def test_toml_refuses(text, words):
    with pytest.raises(ReadError, match=words):
        read_toml(text)


TWO = (
    HEAD
    + '[[links]]\nname = "b"\n[[joints]]\nname = "j"\nkind = "revolute"\nparent = "a"\n'
    + 'child = "b"\n'
)


@pytest.mark.parametrize(
    ("text", "line", "element"),
    [
        (TWO.replace("handik 1", "handik 0"), 1, None),
        (TWO + "x = = 1\n", 12, None),
        (TWO + "lower = [", 12, None),
        (TWO + "lower = 2.0\nupper = 1.0\n", 7, "[[joints]]"),
        (TWO + "lower = 'x'\n", 7, "[[joints]]"),
        (TWO.replace('name = "b"', 'name = "a"'), 5, "[[links]]"),
        (TWO.replace('child = "b"', 'child = "c"'), 7, "[[joints]]"),
        ('base = "z"\n' + TWO, 1, None),
        (TWO + 'cone = {half = 1.0, twist = ["x"]}', 7, "[[joints]]"),
        (HEAD.replace('[[links]]\nname = "a"', 'links = [{name = ""}]'), 1, None),
        (HEAD.replace('[[links]]\nname = "a"', 'links = [{nam = ""}]'), None, "[[links]]"),
    ],
)
def test_toml_faults_name_their_table(text, line, element):
    with pytest.raises(ReadError) as caught:
        read_toml(text)
    assert (caught.value.line, caught.value.element) == (line, element)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("limits", [(None, None), (-1.0, None), (None, 2.0), (-1.0, 2.0)])
@pytest.mark.parametrize("effort", [None, 0.0, 5.0])
@pytest.mark.parametrize("velocity", [None, 3.0])
def test_urdf_has_every_number_that_the_format_demands(kind, limits, effort, velocity):
    joint = JointSpec("j", kind, "a", "b", lower=limits[0], upper=limits[1])
    joint.effort, joint.velocity = effort, velocity
    spec = ModelSpec("r", [LinkSpec("a"), LinkSpec("b")], [joint])
    text = spec.to_urdf()
    if limits != (None, None) or kind == "prismatic":
        for word in ("lower", "upper", "effort", "velocity"):
            assert text.count(f'{word}="') == 1
    again = read_urdf(text).joints[0]
    assert again.limits() == joint.limits()
    assert (again.effort, again.velocity) == (effort, velocity)


def test_a_name_that_cannot_be_written_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "arm.toml"
    spec = hk.chain([0.3]).spec
    spec.save(path)
    before = path.read_bytes()
    spec.notes.append("half a sign: \ud800")
    with pytest.raises(UnsupportedError, match="a name or note holds"):
        spec.save(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["", "\ud800", "a\ud800\U0001f600"])
def test_names_that_no_table_holds(name):
    spec = hk.chain([0.3]).spec
    spec.name = name
    with pytest.raises(UnsupportedError, match="cannot be written in a table"):
        spec.to_csv([])


def one_body(inertia, **joint):
    links = [
        LinkSpec("world"),
        LinkSpec("a", InertialSpec(1.0, inertia=np.asarray(inertia, float))),
    ]
    return ModelSpec("m", links, [JointSpec("j", "revolute", "world", "a", **joint)])


TURN = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])


@pytest.mark.parametrize(
    "inertia",
    [
        np.eye(3),
        np.zeros((3, 3)),
        np.diag([0.0, 2.0, 2.0]),  # a rod
        TURN @ np.diag([0.0, 0.3, 0.3]) @ TURN.T,
        TURN @ np.diag([1e-13, 0.3, 0.3]) @ TURN.T,
        np.diag([0.9e-14, 0.3, 0.3]),
    ],
    ids=["full", "none", "rod", "turned rod", "thin rod", "thinner rod"],
)
def test_mujoco_takes_every_inertia_a_body_can_have(inertia):
    """MuJoCo refuses six numbers with an eigenvalue of zero, as links without inertia have."""
    mujoco = pytest.importorskip("mujoco")
    spec = one_body(np.eye(3))
    spec.links.append(LinkSpec("b", InertialSpec(0.5, inertia=np.asarray(inertia))))
    spec.joints.append(JointSpec("f", "fixed", "a", "b"))
    text = spec.to_mjcf([])
    mujoco.MjModel.from_xml_string(text)
    back = read_mjcf(text).links[2].inertial.inertia
    np.testing.assert_allclose(back, inertia, rtol=0, atol=1e-15)


def test_mujoco_takes_rods_of_any_size_and_direction(rng):
    """Rounding may not make of a rod what no body can be."""
    mujoco = pytest.importorskip("mujoco")
    for _ in range(150):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        rod = 10 ** rng.uniform(-6, 3) * (np.eye(3) - np.outer(axis, axis))
        spec = one_body(np.eye(3))
        spec.links.append(LinkSpec("b", InertialSpec(0.5, inertia=rod)))
        spec.joints.append(JointSpec("f", "fixed", "a", "b"))
        mujoco.MjModel.from_xml_string(spec.to_mjcf([]))


@pytest.mark.parametrize("at", [0.0, 0.7, -3000.0])
def test_mujoco_takes_a_joint_that_is_held(at):
    mujoco = pytest.importorskip("mujoco")
    lost = []
    text = one_body(np.eye(3), lower=at, upper=at).to_mjcf(lost)
    low, high = mujoco.MjModel.from_xml_string(text).jnt_range[0]
    assert low == at < high <= at + 1e-15 * max(1.0, 2 * abs(at))
    assert any("equal limits of joint 'j'" in word for word in lost)


def test_mujoco_takes_the_robots_whose_urdf_it_takes():
    mujoco = pytest.importorskip("mujoco")
    pytest.importorskip("pinocchio", reason="the robots come with the package example-robot-data")
    taken = 0
    for name in urdf_files():
        spec = hk.load(ROBOTS / name).spec
        for link in spec.links:
            link.visuals, link.collisions = [], []
        plain = re.sub(r"(?s)<(visual|collision)\b.*?</\1>", "", (ROBOTS / name).read_text("utf-8"))
        try:
            mujoco.MjModel.from_xml_string(plain)
        except ValueError:
            continue  # it refuses the URDF
        mujoco.MjModel.from_xml_string(spec.to_mjcf([]))
        taken += 1
    assert taken > 40
