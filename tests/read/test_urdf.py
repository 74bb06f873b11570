"""URDF: every element read, every fault named with file, line and element."""

from __future__ import annotations

import math
import os
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handik.errors import ModelError, NotFoundError, ReadError, UnsupportedError
from handik.files.read import READERS, load_spec
from handik.files.read._xml import Limits
from handik.files.read.urdf import read_urdf

ROBOT = """<?xml version="1.0"?>
<robot name="demo">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="3"/>
    </inertial>
    <visual name="shell">
      <origin xyz="0 0 1"/>
      <geometry><mesh filename="package://demo/meshes/arm.stl" scale="1 2 3"/></geometry>
      <material name="red"/>
    </visual>
    <collision><geometry><box size="1 2 3"/></geometry></collision>
    <collision><geometry><sphere radius="0.5"/></geometry></collision>
    <collision><geometry><cylinder radius="0.5" length="2"/></geometry></collision>
    <collision><geometry><capsule radius="0.5" length="2"/></geometry></collision>
  </link>
  <link name="slide"/> <link name="wheel"/> <link name="plate"/> <link name="bird"/>
  <link name="tip"/>
  <joint name="swing" type="revolute">
    <parent link="base"/> <child link="arm"/>
    <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
    <axis xyz="0 0 2"/>
    <limit lower="-1" upper="1.5" effort="10" velocity="3"/>
    <dynamics damping="0.1" friction="0.2"/>
    <safety_controller k_velocity="1"/>
  </joint>
  <joint name="ram" type="prismatic">
    <parent link="arm"/> <child link="slide"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/>
    <mimic joint="swing" multiplier="2" offset="0.5"/>
  </joint>
  <joint name="roll" type="continuous">
    <parent link="arm"/> <child link="wheel"/> <axis xyz="0 1 0"/> <limit effort="1" velocity="2"/>
  </joint>
  <joint name="glide" type="planar">
    <parent link="arm"/> <child link="plate"/> <axis xyz="0 0 1"/>
  </joint>
  <joint name="fly" type="floating"><parent link="arm"/> <child link="bird"/></joint>
  <joint name="weld" type="fixed">
    <parent link="slide"/> <child link="tip"/> <axis xyz="0 0 0"/>
  </joint>
  <gazebo reference="arm"><anything a="b"/></gazebo>
  <transmission name="t"><type>x</type></transmission>
</robot>
"""


def two(joint="", link="", kind="revolute", head=""):
    """Document of two links and a joint; the joint opens on line 4, the link b on line 3."""
    return f"""<robot name="r">{head}
<link name="a"/>
<link name="b">{link}</link>
<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>
{joint}</joint>
</robot>"""


LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def test_everything_is_read():
    spec = read_urdf(ROBOT)
    assert (spec.name, spec.root, spec.source) == ("demo", "base", None)
    assert spec.notes == []
    joints = {joint.name: joint for joint in spec.joints}
    assert {name: joint.kind for name, joint in joints.items()} == {
        "swing": "revolute",
        "ram": "prismatic",
        "roll": "revolute",
        "glide": "planar",
        "fly": "free",
        "weld": "fixed",
    }
    swing = joints["swing"]
    assert (swing.parent, swing.child, swing.axis) == ("base", "arm", (0, 0, 1))
    assert (swing.lower, swing.upper, swing.effort, swing.velocity) == (-1, 1.5, 10, 3)
    assert (swing.damping, swing.friction) == (0.1, 0.2)
    assert list(swing.placement[:3, 3]) == [1, 2, 3]
    ram = joints["ram"]
    assert ram.axis == (1, 0, 0)
    assert (ram.mimic.joint, ram.mimic.scale, ram.mimic.offset) == ("swing", 2, 0.5)
    assert joints["roll"].limits() == ([-math.inf], [math.inf])
    assert joints["glide"].axis2 == (1, 0, 0)


def test_links_are_read():
    arm = read_urdf(ROBOT).links[1]
    assert arm.inertial.mass == 2
    assert list(arm.inertial.center) == [0.1, 0.2, 0.3]
    np.testing.assert_allclose(arm.inertial.inertia, np.diag([2.0, 1.0, 3.0]), atol=1e-15)
    shell = arm.visuals[0]
    assert (shell.kind, shell.name, shell.color) == ("mesh", "shell", (1, 0, 0, 1))
    assert (shell.uri, shell.file, shell.scale) == (
        "package://demo/meshes/arm.stl",
        None,
        (1, 2, 3),
    )
    assert shell.placement[2, 3] == 1
    box, sphere, cylinder, capsule = arm.collisions
    assert box.size == (1, 2, 3)
    assert sphere.radius == 0.5
    assert (cylinder.kind, cylinder.radius, cylinder.length) == ("cylinder", 0.5, 2)
    assert (capsule.kind, capsule.radius, capsule.length) == ("capsule", 0.5, 2)


angles = st.floats(-7, 7)


@given(angles, angles, angles)
def test_rpy_is_about_fixed_axes(roll, pitch, yaw):
    text = two(f'<origin rpy="{roll!r} {pitch!r} {yaw!r}"/>', kind="fixed")
    found = read_urdf(text).joints[0].placement[:3, :3]

    def turn(i, j, angle):
        out = np.eye(3)
        out[i, i] = out[j, j] = math.cos(angle)
        out[i, j], out[j, i] = -math.sin(angle), math.sin(angle)
        return out

    wanted = turn(0, 1, yaw) @ turn(2, 0, pitch) @ turn(1, 2, roll)
    np.testing.assert_allclose(found, wanted, atol=1e-14)


@given(st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda a: max(map(abs, a)) > 1e-3))
def test_planar_axes_stand_square(axis):
    text = two(f'<axis xyz="{axis[0]!r} {axis[1]!r} {axis[2]!r}"/>', kind="planar")
    joint = read_urdf(text).joints[0]
    assert abs(np.dot(joint.axis, joint.axis2)) < 1e-15
    np.testing.assert_allclose(np.linalg.norm([joint.axis, joint.axis2], axis=1), 1, atol=1e-15)
    assert read_urdf(text).joints[0].axis2 == joint.axis2


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("<model/>", 1, "<model>: the root element of a URDF is <robot>"),
        ("<robot/>", 1, "the robot has no link"),
        ("<robot>\n<link/></robot>", 2, "<link>: the attribute 'name' is missing"),
        ('<robot>\n<link name=" "/></robot>', 2, "the attribute 'name' is missing"),
        (two(kind="elastic"), 4, "<joint name=\"j\">: the type 'elastic' is none of"),
        (two(kind=""), 4, "the attribute 'type' is missing"),
        (two('<axis xyz="0 0 0"/>'), 5, "the axis of joint 'j' is zero"),
        (two('<axis xyz="0 nan 1"/>'), 5, "<axis>: xyz: 'nan' is not a finite"),
        (two('<axis xyz="0 1"/>'), 5, "xyz: 3 numbers expected"),
        (two('<axis xyz="0 1_0 1"/>'), 5, "'1_0' is not a finite"),
        (two('\n<origin xyz="0 inf 0"/>'), 6, "<origin>: xyz: 'inf'"),
        (two('<origin rpy="0 1e999 0"/>'), 5, "rpy: '1e999'"),
        (two('<origin xyz="${x} 0 0"/>'), 5, "run xacro first"),
        (two('<limit lower="1" upper="-1"/>'), 5, "limits of joint 'j' are reversed: 1.0 to -1.0"),
        (two('<limit lower="nan" upper="1"/>'), 5, "<limit>: lower: 'nan'"),
        (two('<limit lower="0" upper="1" effort="0x1"/>'), 5, "effort: '0x1'"),
        (two('<dynamics damping="a"/>'), 5, "<dynamics>: damping: 'a'"),
        (two(LIMIT + '<mimic joint="j"/>'), 4, '<joint name="j">: it mimics itself'),
        (two(LIMIT + '<mimic multiplier="1"/>'), 5, "<mimic>: the attribute 'joint' is missing"),
        (two(link="<inertial/>"), 3, "<inertial>: the element <mass> is missing"),
        (two(link='<inertial><mass value="-1"/></inertial>'), 3, "the mass is negative"),
        (
            two(
                link='<inertial><origin rpy="1 1 1"/><mass value="1"/><inertia ixx="1e308" '
                'iyy="1e308" izz="1e308" ixy="1e308"/></inertial>'
            ),
            3,
            "inertia is not finite",
        ),
        (two(link='<visual><geometry><sphere radius="-1"/></geometry></visual>'), 3, "is negative"),
        (two(link='<inertial><mass value="inf"/></inertial>'), 3, "<mass>: value: 'inf'"),
        (two(link="<visual/>"), 3, "<visual>: the element <geometry> is missing"),
        (two(link="<visual><geometry/></visual>"), 3, "the geometry is empty"),
        (two(link="<visual><geometry><cone/></geometry></visual>"), 3, "<cone>: a geometry is"),
        (
            two(link='<visual><geometry><box size="1"/></geometry></visual>'),
            3,
            "3 numbers expected",
        ),
        (two(link="<visual><geometry><mesh/></geometry></visual>"), 3, "'filename' is missing"),
        (
            two(link='<visual><geometry><mesh filename="a" scale="1 2"/></geometry></visual>'),
            3,
            "one or three numbers",
        ),
        (
            two(link='<visual><geometry><mesh filename="$(find x)/a"/></geometry></visual>'),
            3,
            "run xacro first",
        ),
        (two(head='\n<link name="b"/>'), 4, '<link name="b">: another link has the same name'),
        (two(head='<link name="z"/>'), 2, "the tree has 2 roots: 'z', 'a'"),
        (two().replace('child link="b"', 'child link="a"'), 2, "cycle through the links 'a'"),
        (two().replace('child link="b"', 'child link="x"'), 4, "its child link 'x' does not exist"),
        (two().replace('<child link="b"/>', ""), 4, "the element <child> is missing"),
        (two().replace('parent link="a"', "parent"), 4, "<parent>: the attribute 'link'"),
    ],
)
def test_faults_name_line_and_element(text, line, words):
    with pytest.raises(ReadError) as caught:
        read_urdf(text)
    assert words in str(caught.value)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"<text>:{line}: <")
    assert isinstance(caught.value, ModelError)


def joints(*rows):
    names = dict.fromkeys(name for row in rows for name in row)
    return "<robot>" + "".join(f'<link name="{name}"/>\n' for name in names) + "".join(
        f'<joint name="{a}{b}" type="fixed"><parent link="{a}"/><child link="{b}"/></joint>\n'
        for a, b in rows
    ) + "</robot>"  # fmt: skip


def test_cycles_parents_and_duplicates():
    with pytest.raises(ReadError, match="cycle through the links 'b', 'c'"):
        read_urdf(joints("ab", "bc", "cb").replace('<joint name="ab"', '<gazebo name="ab"', 1)
                  .replace("</joint>", "</gazebo>", 1))  # fmt: skip
    with pytest.raises(ReadError, match=r'"c">: it has two parents, by the joints .ac. and .bc.'):
        read_urdf(joints("ab", "ac", "bc"))
    with pytest.raises(ReadError, match="another joint has the same name, on line 3"):
        read_urdf(joints("ab", "ab"))


def test_faults_of_a_file_name_the_file(tmp_path):
    path = tmp_path / "broken.urdf"
    path.write_text(two('<axis xyz="0 0 0"/>'))
    with pytest.raises(ReadError) as caught:
        read_urdf(path)
    assert str(caught.value) == f"{path}:5: <axis>: the axis of joint 'j' is zero"
    with pytest.raises(FileNotFoundError):
        read_urdf(tmp_path / "none.urdf")


def test_what_real_files_omit_is_noted():
    spec = read_urdf(two())
    assert spec.joints[0].limits() == ([-math.inf], [math.inf])
    assert spec.notes == ["joint 'j' has no <limit>: taken as unlimited"]
    spec = read_urdf(two('<limit upper="1"/>'))
    assert (spec.joints[0].lower, spec.joints[0].upper) == (0, 1)
    assert spec.notes == ["joint 'j' has no lower limit: taken as 0, as the format says"]
    spec = read_urdf(two(LIMIT + '<mimic joint="lost"/>'))
    assert spec.joints[0].mimic is None
    assert "follows 'lost', which does not exist" in spec.notes[0]
    spec = read_urdf("<robot><link name='a'/></robot>")
    assert spec.notes == ["the robot has no name: called 'text'"]


@pytest.mark.parametrize(
    "text",
    [
        '<robot xmlns:xacro="x"><xacro:macro name="m"/></robot>',
        '<robot><xacro:include filename="a"/></robot>',
        '<robot xmlns:xacro="x"><link name="a"><xacro:inertia/></link></robot>',
    ],
)
def test_xacro_is_refused(text):
    with pytest.raises(ReadError, match="run xacro first"):
        read_urdf(text)


def test_expanded_xacro_is_read():
    assert read_urdf('<robot xmlns:xacro="x" name="r"><link name="a"/></robot>').name == "r"


# -- meshes ------------------------------------------------------------------------------------


@pytest.fixture
def shelf(tmp_path):
    """A folder of roots, with a secret beside it that no name may reach."""
    inner = tmp_path / "roots" / "demo" / "meshes"
    inner.mkdir(parents=True)
    (inner / "arm.stl").write_text("not a mesh: nothing may open it")
    (tmp_path / "roots-secret.stl").write_text("secret")
    (inner / "link.stl").symlink_to(tmp_path / "roots-secret.stl")
    os.chmod(inner / "arm.stl", 0)
    return tmp_path


def meshes(shelf, *uris, **options):
    text = two(link="".join(
        f'<visual><geometry><mesh filename="{uri}"/></geometry></visual>' for uri in uris
    ))  # fmt: skip
    path = shelf / "roots" / "demo" / "robot.urdf"
    path.write_text(text)
    return read_urdf(path, **options)


def test_meshes_are_found_inside_the_roots(shelf):
    arm = str((shelf / "roots/demo/meshes/arm.stl").resolve())
    uris = ("package://demo/meshes/arm.stl", "meshes/arm.stl", f"file://{arm}", arm)
    for root in (shelf / "roots", shelf / "roots" / "demo"):
        spec = meshes(shelf, *uris, mesh_roots=[root], check_meshes=True)
        assert [shape.file for shape in spec.links[1].visuals] == [arm] * 4
        assert spec.missing_meshes == []
    spec = meshes(shelf, "demo/meshes/arm.stl", mesh_roots=shelf / "roots")
    assert spec.links[1].visuals[0].file == arm


def test_meshes_outside_the_roots_are_missing(shelf):
    uris = [
        "../../roots-secret.stl",
        "package://demo/../../roots-secret.stl",
        "package://../roots-secret.stl",
        f"file://{shelf}/roots-secret.stl",
        f"{shelf}/roots-secret.stl",
        "meshes/link.stl",
        "package://demo/none.stl",
        "package://demo/meshes",
        "http://localhost/arm.stl",
        "file://elsewhere/etc/passwd",
        "x" * 5000,
    ]
    spec = meshes(shelf, *uris, *uris, mesh_roots=[shelf / "roots"])
    assert spec.missing_meshes == uris
    assert {shape.file for shape in spec.links[1].visuals} == {None}
    for uri in uris:
        with pytest.raises(ReadError, match="in none of the mesh roots") as caught:
            meshes(shelf, uri, mesh_roots=[shelf / "roots"], check_meshes=True)
        assert caught.value.line == 3


def test_without_roots_meshes_lie_in_the_folder_of_the_file_alone(shelf):
    arm = str((shelf / "roots/demo/meshes/arm.stl").resolve())
    uris = ["../demo/../../roots-secret.stl", "meshes/link.stl", "package://demo/meshes/none.stl"]
    spec = meshes(shelf, "meshes/arm.stl", "package://demo/meshes/arm.stl", *uris)
    assert [shape.file for shape in spec.links[1].visuals] == [arm, arm, None, None, None]
    assert spec.missing_meshes == uris
    spec = read_urdf((shelf / "roots" / "demo" / "robot.urdf").read_text())  # text has no folder
    assert {shape.file for shape in spec.links[1].visuals} == {None}


def test_meshes_of_the_package_around_the_file_are_found(shelf):
    """A folder is a ROS package by its package.xml; without one nothing above the file is."""
    urdf = shelf / "roots" / "demo" / "urdf"
    urdf.mkdir()
    arm = str((shelf / "roots/demo/meshes/arm.stl").resolve())
    uris = (
        "package://demo/meshes/arm.stl",
        "../meshes/arm.stl",
        "package://demo/../../roots-secret.stl",
    )
    text = two(link="".join(
        f'<visual><geometry><mesh filename="{uri}"/></geometry></visual>' for uri in uris
    ))  # fmt: skip
    (urdf / "robot.urdf").write_text(text)
    assert {s.file for s in read_urdf(urdf / "robot.urdf").links[1].visuals} == {None}
    (shelf / "roots" / "demo" / "package.xml").write_text("<package/>")
    (shelf / "package.xml").write_text("<package/>")  # the nearest counts
    found = read_urdf(urdf / "robot.urdf").links[1].visuals
    assert [shape.file for shape in found] == [arm, arm, None]


# -- by suffix, by part, by the thousand ---------------------------------------------------------


def test_load_spec(tmp_path, monkeypatch):
    path = tmp_path / "demo.URDF"
    path.write_text(ROBOT)
    spec = load_spec(path)
    assert spec.source == str(path)
    part = load_spec(path, base="arm", tip="tip")
    assert [link.name for link in part.links] == ["arm", "slide", "tip"]
    assert part.joints[0].mimic is None
    with pytest.raises(NotFoundError, match="near names: tip"):
        load_spec(path, tip="tipp")
    with pytest.raises(ReadError, match="elements and attributes"):
        load_spec(path, limits=Limits(nodes=10))
    with pytest.raises(
        (ReadError, ImportError), match=r"no such file|pip install 'handik\[xacro\]'"
    ):
        load_spec(tmp_path / "demo.urdf.xacro")
    with pytest.raises(UnsupportedError, match=r"no reader for '.obj'; known: .*urdf"):
        load_spec(tmp_path / "demo.obj")
    monkeypatch.setitem(READERS, ".obj", lambda path, **options: spec)
    assert load_spec("demo.obj") is spec


def long_robot(n):
    rows = [f'<link name="l{i}"/>' for i in range(n + 1)]
    rows += [
        f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/>'
        f'<origin xyz="0 0 1" rpy="0 0.1 0"/>{LIMIT}</joint>'
        for i in range(n)
    ]
    return "<robot name='long'>" + "\n".join(rows) + "</robot>"


def test_three_thousand_links():
    spec = read_urdf(long_robot(3000))
    assert len(spec.ordered_joints()) == 3000


CUT = ROBOT[ROBOT.index("<robot") :].rstrip()


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(CUT) - 1))
def test_truncated_files_are_refused(cut):
    with pytest.raises(ReadError):
        read_urdf(CUT[:cut].encode())


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(CUT)), st.integers(0, 20), st.text(max_size=8)), max_size=4
    )
)
def test_mangled_files_give_a_sound_tree_or_the_named_error(edits):
    text = CUT
    for start, length, word in edits:
        text = text[:start] + word + text[start + length :]
    try:
        spec = read_urdf(text.encode("utf-8", "surrogatepass"))
    except ReadError:
        return
    spec.check()


def example_robots():
    """URDF files of the package example-robot-data, if it is installed."""
    base = Path(sysconfig.get_paths()["purelib"])
    return sorted(base.glob("cmeel.prefix/share/example-robot-data/robots/**/*.urdf"))


# A file that holds <robot> and nothing else, as xacro printed it: there is no tree to read.
EMPTY_FILES = {"ur_description/urdf/ur3.urdf"}


def test_example_robots_load():
    files = example_robots()
    if not files:
        pytest.skip("example-robot-data is not installed")
    for path in files:
        if str(path).split("/robots/")[1] in EMPTY_FILES:
            with pytest.raises(ReadError, match="the robot has no link"):
                read_urdf(path)
            continue
        spec = read_urdf(path, mesh_roots=[str(path).split("/robots/")[0] + "/robots"])
        spec.check()
        assert len(spec.ordered_joints()) == len(spec.links) - 1


def test_a_color_may_be_named_before_it_is_defined():
    shape = '<visual><geometry><sphere radius="1"/></geometry><material name="{}"/></visual>'
    text = (
        '<robot name="r"><link name="a">' + shape.format("late") + shape.format("none") + "</link>"
        '<material name="late"><color rgba="0.5 0.25 0 1"/></material></robot>'
    )
    colors = [visual.color for visual in read_urdf(text).links[0].visuals]
    assert colors == [(0.5, 0.25, 0.0, 1.0), None]


def test_the_colors_of_the_robot_go_before_those_of_its_shapes():
    text = (
        '<robot name="r"><link name="a"><visual><geometry><sphere radius="1"/></geometry>'
        '<material name="x"><color rgba="0 1 0 1"/></material></visual>'
        '<visual><geometry><sphere radius="1"/></geometry><material name="x"/></visual></link>'
        '<material name="x"><color rgba="1 0 0 1"/></material></robot>'
    )
    colors = [visual.color for visual in read_urdf(text).links[0].visuals]
    assert colors == [(0.0, 1.0, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0)]
