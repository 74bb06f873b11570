"""SDF: poses, axes and limits against their meaning; faults by file, line and element."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handik.errors import ReadError
from handik.files.read import load_spec
from handik.files.read._geometry import pose, rpy_rotation
from handik.files.read.sdf import read_sdf

ARM = """<sdf version="1.7">
<model name="arm">
  <link name="base"><pose>1 0 0 0 0 0</pose></link>
  <link name="upper">
    <pose>1 0 2 0.1 0.2 0.3</pose>
    <inertial>
      <pose>0 0 0.5 0 0 1.5707963267948966</pose> <mass>2</mass>
      <inertia><ixx>1</ixx><iyy>2</iyy><izz>3</izz></inertia>
    </inertial>
    <visual name="v"><geometry><mesh><uri>model://arm/a.dae</uri></mesh></geometry></visual>
    <visual name="p"><geometry><plane/></geometry></visual>
    <collision name="c">
      <pose>0 0 1 0 0 0</pose>
      <geometry><cylinder><radius>0.1</radius><length>1</length></cylinder></geometry>
    </collision>
  </link>
  <link name="hand"><pose relative_to="upper">0 0 1 0 0 0</pose></link>
  <joint name="swing" type="revolute">
    <parent>base</parent> <child>upper</child>
    <axis>
      <xyz expressed_in="__model__">0 0 1</xyz>
      <limit><lower>-1</lower><upper>2</upper><effort>5</effort><velocity>-1</velocity></limit>
      <dynamics><damping>0.5</damping><friction>0.25</friction></dynamics>
    </axis>
  </joint>
  <joint name="wrist" type="universal">
    <pose>0 0 -0.25 0 0 0</pose>
    <parent>upper</parent> <child>hand</child>
    <axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1e16</upper></limit></axis>
    <axis2><xyz>0 1 0</xyz><limit><lower>-inf</lower><upper>3</upper></limit></axis2>
  </joint>
  <frame name="grip" attached_to="hand"><pose>0 0 0.1 0 0 0</pose></frame>
  <frame name="eye" attached_to="grip"><pose>0 0 0.1 0 0 0</pose></frame>
  <plugin name="p"/>
</model>
</sdf>"""


def rest(spec):
    """Poses of the links in the root's frame, all coordinates zero."""
    frames = {spec.root: np.eye(4)}
    for joint in spec.ordered_joints():
        frames[joint.child] = frames[joint.parent] @ joint.placement
    return frames


def test_links_rest_where_the_file_puts_them(tmp_path):
    path = tmp_path / "arm.sdf"
    path.write_text(ARM)
    spec = load_spec(path)
    assert (spec.name, spec.root, spec.source) == ("arm", "base", str(path))
    frames = rest(spec)
    upper = pose([0, 0, 2], rpy_rotation(0.1, 0.2, 0.3))
    np.testing.assert_allclose(frames["upper"], upper, atol=1e-15)
    np.testing.assert_allclose(frames["hand"], upper @ pose([0, 0, 1]), atol=1e-15)
    grip, eye = spec.frames
    assert (grip.link, eye.link) == ("hand", "hand")
    np.testing.assert_allclose(grip.placement, pose([0, 0, 0.1]), atol=1e-15)
    np.testing.assert_allclose(eye.placement, pose([0, 0, 0.2]), atol=1e-15)


def test_joints_turn_where_the_file_puts_them():
    spec = read_sdf(ARM)
    joints = {joint.name: joint for joint in spec.joints}
    swing, wrist = joints["swing"], joints["wrist"]
    # The axis was given in the model's axes, and is held in the joint's.
    np.testing.assert_allclose(swing.placement[:3, :3] @ swing.axis, [0, 0, 1], atol=1e-15)
    assert (swing.lower, swing.upper, swing.effort, swing.velocity) == (-1, 2, 5, None)
    assert (swing.damping, swing.friction) == (0.5, 0.25)
    assert (wrist.kind, wrist.axis, wrist.axis2) == ("universal", (1, 0, 0), (0, 1, 0))
    assert wrist.limits() == ([-1, -math.inf], [math.inf, 3])
    # The joint stands a quarter metre below its child: a turn moves the hand about that point.
    np.testing.assert_allclose(wrist.placement[:3, 3], [0, 0, 0.75], atol=1e-15)
    np.testing.assert_allclose(joints["wrist__child"].placement[:3, 3], [0, 0, 0.25], atol=1e-15)


def test_bodies_and_shapes():
    upper = next(link for link in read_sdf(ARM).links if link.name == "upper")
    assert upper.inertial.mass == 2
    np.testing.assert_allclose(upper.inertial.inertia, np.diag([2.0, 1.0, 3.0]), atol=1e-15)
    assert [shape.kind for shape in upper.visuals] == ["mesh"]
    assert read_sdf(ARM).missing_meshes == ["model://arm/a.dae"]
    assert (upper.collisions[0].radius, upper.collisions[0].placement[2, 3]) == (0.1, 1)
    with pytest.raises(ReadError, match="in none of the mesh roots"):
        read_sdf(ARM, check_meshes=True)


def test_old_files_may_give_axes_in_the_model():
    old = ARM.replace('"1.7"', '"1.6"').replace(' expressed_in="__model__"', "")
    asked = old.replace("</xyz>", "</xyz><use_parent_model_frame>1</use_parent_model_frame>", 1)
    for text, frame in ((asked, np.eye(3)), (old, np.array(rpy_rotation(0.1, 0.2, 0.3)))):
        swing = read_sdf(text).joints[0]
        turned = swing.placement[:3, :3] @ swing.axis
        np.testing.assert_allclose(turned, frame @ [0, 0, 1], atol=1e-15)


def test_joints_to_the_world_and_models_by_name():
    text = ARM.replace("<plugin", '<joint name="weld" type="fixed"><parent>world</parent>'
                       "<child>base</child></joint><plugin")  # fmt: skip
    spec = read_sdf(text)
    assert spec.root == "world"
    np.testing.assert_allclose(rest(spec)["base"], pose([1, 0, 0]))
    both = ARM.replace(
        "</sdf>", '<world name="w"><model name="x"><link name="l"/></model></world></sdf>'
    )
    assert read_sdf(both, model="x").name == "x"
    with pytest.raises(ReadError, match="no model 'y'; there are: 'arm', 'x'"):
        read_sdf(both, model="y")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("<robot/>", 1, "the root element of an SDF is <sdf>"),
        ("<sdf/>", 1, "there is no <model>"),
        ("<sdf><model name='m'/></sdf>", 1, "the model has no link"),
        (ARM.replace("<plugin", "<include/><plugin"), 34, "<include>: nested and included"),
        (ARM.replace('type="revolute"', 'type="screw"'), 18, "the type 'screw' is none of"),
        (ARM.replace("<parent>base", "<parent>bas"), 18, "there is no link 'bas'"),
        (ARM.replace('name="hand"', 'name="base"'), 17, "the name is taken, on line 3"),
        (ARM.replace(">0 0 1</xyz>", ">0 0 0</xyz>"), 20, "the axis of joint 'swing' is zero"),
        (ARM.replace("1 0 2 0.1", "1 0 nan 0.1"), 5, "<pose>: 'nan'"),
        (ARM.replace("1 0 2 0.1", "1 0 0.1"), 5, "<pose>: 6 numbers expected"),
        (ARM.replace("<lower>-1", "<lower>5", 1), 22, "limits of joint 'swing' are reversed"),
        (ARM.replace("<mass>2", "<mass>-2"), 4, "its mass is negative"),
        (ARM.replace("<mass>2", "<mass>inf"), 7, "<mass>: 'inf'"),
        (ARM.replace('relative_to="upper"', 'relative_to="hand"'), 26, "relative to itself"),
        (
            ARM.replace('relative_to="upper"', 'relative_to="zz"'),
            26,
            "no link, joint or frame 'zz'",
        ),
        (ARM.replace("<child>hand", "<child>base"), 26, "cycle"),
    ],
)
def test_faults_name_line_and_element(text, line, words):
    with pytest.raises(ReadError) as caught:
        read_sdf(text)
    assert words in str(caught.value)
    if words != "cycle":
        assert caught.value.line == line


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(ARM)), st.integers(0, 20), st.text(max_size=5)), max_size=4
    )
)
def test_mangled_files_give_a_sound_tree_or_the_named_error(edits):
    text = ARM
    for start, length, word in edits:
        text = text[:start] + word + text[start + length :]
    try:
        read_sdf(text.encode("utf-8", "surrogatepass")).check()
    except ReadError:
        pass
