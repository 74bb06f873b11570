"""What each writer writes its reader reads: frames, limits, masses and drives to 1e-12.

Trees and arms are drawn by Hypothesis from what the format can hold; what it cannot hold must be
listed, and refused when nobody takes the list.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik.errors import UnsupportedError
from handik.files.read._geometry import pose, rpy_rotation
from handik.files.read.dh import from_dh
from handik.files.read.dh_csv import read_dh
from handik.files.read.mjcf import read_mjcf
from handik.files.read.roboop import read_roboop
from handik.files.read.sdf import read_sdf
from handik.files.read.urdf import read_urdf
from handik.spec import (
    FrameSpec,
    GeometrySpec,
    InertialSpec,
    JointSpec,
    LinkSpec,
    MimicSpec,
    ModelSpec,
    MotorSpec,
)

PI = np.pi
HOLDS = {
    "urdf": ("revolute", "prismatic", "fixed", "free"),
    "sdf": ("revolute", "prismatic", "fixed", "universal", "ball"),
    "mjcf": ("revolute", "prismatic", "fixed", "universal", "ball", "cylindrical", "planar"),
}
READ = {"urdf": read_urdf, "sdf": read_sdf, "mjcf": read_mjcf}


def body(rng):
    turn = np.array(rpy_rotation(*rng.uniform(-3, 3, 3)))
    inertia = turn @ np.diag(rng.uniform(1, 1.9, 3)) @ turn.T
    return InertialSpec(rng.uniform(0.1, 3), rng.uniform(-1, 1, 3), 0.5 * (inertia + inertia.T))


def tree(kinds, seed, root="world"):
    """A tree with a joint of each of these kinds, all that every format holds filled in."""
    rng = np.random.default_rng(seed)
    spec = ModelSpec("t<&", [LinkSpec(root)])
    for i, kind in enumerate(kinds, 1):
        place = pose(rng.uniform(-1, 1, 3), rpy_rotation(*rng.choice([0, 1.1, PI / 2, -PI], 3)))
        axis = rng.normal(size=3)
        side = np.cross(axis, rng.normal(size=3))
        parent = spec.links[rng.integers(len(spec.links))].name
        joint = JointSpec(f"j {i}", kind, parent, f"l{i}", place, tuple(axis), tuple(side))
        if kind in ("revolute", "prismatic"):
            joint.lower, joint.upper = sorted(rng.uniform(-2, 2, 2).tolist())
            joint.effort = float(rng.uniform(1, 9))
            joint.damping, joint.friction = rng.uniform(0, 1, 2).tolist()
            followed = [j for j in spec.joints if j.kind == kind]
            if followed and rng.random() < 0.3:
                joint.mimic = MimicSpec(followed[0].name, *rng.uniform(0.5, 2, 2).tolist())
                joint.lower, joint.upper = -90.0, 90.0
        if kind == "free":
            joint.parent = root
        shape = GeometrySpec("box", place, size=(1.0, 2.0, 3.0), color=(0.1, 0.2, 0.3, 1.0))
        solid = GeometrySpec("capsule", place, radius=0.1, length=0.2)
        spec.links.append(LinkSpec(f"l{i}", body(rng), [shape], [solid]))
        spec.joints.append(joint)
    spec.frames.append(FrameSpec("tool", spec.links[-1].name, place))
    return spec


def check_same(one, two, columns=None):
    """Two models pose and weigh the same; `columns` puts the coordinates of the first in order."""
    assert one.nq == two.nq
    rng = np.random.default_rng(3)
    q = np.tile(np.array(one.rest), (4, 1))
    q[:] += 0.3 * rng.normal(size=q.shape)
    p = q
    if columns is not None:
        p = np.empty_like(q)
        p[:, columns] = q
    for name in one.frame_names:
        np.testing.assert_allclose(
            one.fk(q, frame=name), two.fk(p, frame=name), rtol=0, atol=1e-12, err_msg=name
        )
    for a, b in ((one.lower, two.lower), (one.upper, two.upper)):
        b = b if columns is None else np.asarray(b)[columns]
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    if columns is None:
        M, N = one.mass_matrix(q), two.mass_matrix(p)
        np.testing.assert_allclose(M, N, rtol=0, atol=1e-12 * max(1, np.abs(M).max(initial=0)))
        v = rng.normal(size=(4, one.nv))
        tau, other = one.inverse_dynamics(q, v), two.inverse_dynamics(p, v)
        np.testing.assert_allclose(
            tau, other, rtol=0, atol=1e-11 * max(1, np.abs(tau).max(initial=0))
        )


@pytest.mark.parametrize("form", sorted(HOLDS))
@given(data=st.data(), seed=st.integers(0, 10**6))
@settings(max_examples=12, deadline=None)
def test_trees(form, data, seed):
    kinds = data.draw(st.lists(st.sampled_from(HOLDS[form]), min_size=1, max_size=7))
    spec = tree(kinds, seed, "base" if form == "urdf" else "world")
    lost = []
    again = READ[form](getattr(spec, f"to_{form}")(lost))
    words = {"urdf": ("frame",), "sdf": ("collision", "friction"), "mjcf": ("name", "as such")}
    assert all(any(word in item for word in words[form]) for item in lost), lost
    if any(kind in ("cylindrical", "planar", "universal") for kind in kinds) and form == "mjcf":
        return check_frames_by_name(spec, again)
    # A reader may list branches in another order: match the coordinates by the joints' names.
    one, two = hk.Model(spec), hk.Model(again)
    assert set(one.joint_q_slices) == set(two.joint_q_slices)
    columns = np.concatenate(
        [np.arange(two.nq)[two.joint_q_slices[name]] for name in one.joint_q_slices]
        or [np.empty(0, int)]
    )
    same_order = np.array_equal(columns, np.arange(one.nq))
    check_same(one, two, None if same_order else columns)
    by_name = {link.name: link for link in again.links}
    for link in spec.links[1:]:
        found = by_name[link.name]
        shapes = zip(
            (*link.visuals, *link.collisions), (*found.visuals, *found.collisions), strict=True
        )
        for a, b in shapes:
            assert (a.kind, a.size, a.radius, a.length) == (b.kind, b.size, b.radius, b.length)
            np.testing.assert_allclose(a.placement, b.placement, rtol=0, atol=1e-12)
        assert link.visuals[0].color == found.visuals[0].color
        np.testing.assert_allclose(link.inertial.inertia, found.inertial.inertia, rtol=1e-12)


def check_frames_by_name(spec, again):
    """Joints of several coordinates became several: the coordinates keep their order in a joint."""
    one, two = hk.Model(spec), hk.Model(again)
    assert one.nq == two.nq
    q = np.array(one.rest) + 0.3 * np.random.default_rng(3).normal(size=(4, one.nq))
    p = np.empty_like(q)
    for name, at in one.joint_q_slices.items():
        width, start = at.stop - at.start, two.joint_q_slices[name].start
        p[:, start : start + width] = q[:, at]
    for name in one.frame_names:
        np.testing.assert_allclose(one.fk(q, frame=name), two.fk(p, frame=name), rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.center_of_mass(q), two.center_of_mass(p), rtol=0, atol=1e-12)


def arm(rows, convention, seed, own=True):
    rng = np.random.default_rng(seed)
    spec = from_dh(
        [row[1] for row in rows],
        convention,
        kinds=[row[0] for row in rows],
        lower=[-1.0 - i for i in range(len(rows))],
        upper=[2.0 + i for i in range(len(rows))],
        name="arm of a test",
    )
    for link in spec.links[1:]:
        link.inertial = body(rng)
    for joint in spec.joints:
        if joint.kind != "fixed" and own:
            joint.motor = MotorSpec(*rng.uniform(0.1, 2, 4).tolist())
    return spec


LENGTH = st.sampled_from([0.0, 0.4318, -0.1, 1.5]) | st.floats(-2, 2)
ANGLE = st.sampled_from([0.0, PI / 2, -PI / 2, PI]) | st.floats(-3.1, 3.1)
ROWS = st.lists(
    st.tuples(st.sampled_from("RP"), st.tuples(ANGLE, LENGTH, LENGTH, ANGLE)),
    min_size=1,
    max_size=7,
)
BOTH = pytest.mark.parametrize("convention", ["standard", "modified"])


@BOTH
@given(rows=ROWS, seed=st.integers(0, 10**6))
@settings(max_examples=12, deadline=None)
def test_tables_stay_the_same(convention, rows, seed):
    spec = arm(rows, convention, seed)
    np.testing.assert_allclose(spec.to_dh(convention).table, [row[1] for row in rows], atol=1e-14)
    lost = []
    again = read_dh(spec.to_csv(lost, convention))
    assert "masses" in lost
    assert any(item.startswith("drive") for item in lost)
    assert again.name == spec.name
    assert not again.notes
    one, two = hk.Model(spec), hk.Model(again)
    assert (one.nq, list(one.lower), list(one.upper)) == (two.nq, list(two.lower), list(two.upper))
    q = np.random.default_rng(1).uniform(-2, 2, (5, one.nq))
    np.testing.assert_allclose(one.fk(q), two.fk(q), rtol=0, atol=1e-12)
    conf = read_roboop(spec.to_roboop([], convention))
    check_same(hk.Model(spec), hk.Model(conf))


@BOTH
@pytest.mark.parametrize("form", ["csv", "roboop"])
def test_any_arm_by_its_lines(convention, form):
    """An arm whose axes are not z, with rigid parts beside it, keeps its tip and its dynamics."""
    rng = np.random.default_rng(4)
    spec = ModelSpec("bent", [LinkSpec("root", body(rng))])
    for i in range(5):
        spec.links.append(LinkSpec(f"l{i}", body(rng)))
        place = pose(rng.uniform(-1, 1, 3), rpy_rotation(*rng.uniform(-3, 3, 3)))
        axis = tuple(rng.normal(size=3))
        spec.joints.append(
            JointSpec(f"joint_{i + 1}", "revolute", spec.links[i].name, f"l{i}", place, axis)
        )
    spec.links.append(LinkSpec("box", body(rng)))
    spec.joints.append(JointSpec("bolt", "fixed", "l2", "box", place))
    spec.tip = "l4"
    lost = []
    read = {"csv": read_dh, "roboop": read_roboop}[form]
    again = hk.Model(read(getattr(spec, f"to_{form}")(lost, convention)))
    one = hk.Model(spec)
    q, v = rng.uniform(-2, 2, (2, 6, 5))
    if form == "csv":
        np.testing.assert_allclose(one.fk(q), again.fk(q), rtol=0, atol=1e-11)
        with pytest.raises(UnsupportedError, match="a table cannot hold: masses"):
            spec.to_csv()
    else:  # its base has no place in the file, so only what does not depend on it is the same
        assert "the pose of the arm's base" in lost
        np.testing.assert_allclose(one.mass_matrix(q), again.mass_matrix(q), rtol=0, atol=1e-10)
        np.testing.assert_allclose(
            one.coriolis_torque(q, v), again.coriolis_torque(q, v), rtol=0, atol=1e-9
        )


@pytest.mark.parametrize("suffix", ["toml", "urdf", "sdf", "mjcf", "xml", "csv", "conf"])
def test_a_model_saves_itself_in_every_format(suffix, tmp_path):
    table = [[0.1, 0.3, 0.2, PI / 2], [0.2, 0.0, 0.4, 0.0], [0.0, 0.1, 0.1, -PI / 2]]
    model = hk.Model.from_dh(table, lower=-1.0, upper=2.0)
    model.save(tmp_path / f"arm.{suffix}", [])
    again = hk.load(tmp_path / f"arm.{suffix}")
    q = model.sample(5, seed=0)
    ours, tip = model.fk(q), again.tip or "link_3"
    np.testing.assert_allclose(ours, again.fk(q, frame=tip), rtol=0, atol=1e-12)
    np.testing.assert_allclose(again.lower, model.lower, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("form", "edit", "words"),
    [
        ("sdf", lambda s: setattr(s.joints[0], "kind", "free"), "SDF has no free joint"),
        ("sdf", lambda s: setattr(s.joints[0], "motor", MotorSpec(1.0)), "drive of joint 'j 1'"),
        ("sdf", lambda s: setattr(s.links[1], "inertial", None), "'l1' has no mass"),
        ("sdf", lambda s: setattr(s, "tip", "tool"), "chosen tip 'tool'"),
        *(
            (
                form,
                lambda s: setattr(s.joints[0], "neutral", (0.1,)),
                "where joint 'j 1' is at ease",
            )
            for form in ("urdf", "sdf", "mjcf", "csv", "roboop")
        ),
        ("mjcf", lambda s: setattr(s.joints[0], "kind", "free"), "stands in the world's frame"),
        ("mjcf", lambda s: setattr(s.joints[0], "velocity", 1.0), "velocity of joint 'j 1'"),
        ("mjcf", lambda s: setattr(s.joints[0], "upper", None), "one-sided limit"),
        ("mjcf", lambda s: setattr(s.joints[0], "motor", MotorSpec(1.0, 5.0)), "drive of joint"),
        ("roboop", lambda s: setattr(s, "name", "a]"), "cannot be written in a section"),
        ("csv", lambda s: setattr(s.joints[0], "name", "a,b"), "cannot be written in a table"),
        ("csv", lambda s: setattr(s.joints[0], "kind", "ball"), "a table holds revolute"),
    ],
)
def test_what_a_format_cannot_hold_is_said(form, edit, words):
    spec = tree(["revolute"], 0)
    spec.links[1].collisions.clear()
    edit(spec)
    with pytest.raises(UnsupportedError) as caught:
        getattr(spec, f"to_{form}")()
    lost = []
    try:
        getattr(spec, f"to_{form}")(lost)
    except UnsupportedError as error:
        assert words in str(error)
    else:
        assert words in "; ".join(lost)
        assert "Give a list as `lost`" in str(caught.value)


def test_mujoco_reads_what_is_written():
    mujoco = pytest.importorskip("mujoco")
    spec = tree(["revolute", "prismatic", "ball", "revolute"], 5)
    for link in spec.links:
        link.visuals.clear()
        link.collisions.clear()
    for joint in spec.joints:
        joint.mimic = None
    theirs = mujoco.MjModel.from_xml_string(spec.to_mjcf([]))
    ours, data = hk.Model(read_mjcf(spec.to_mjcf([]))), mujoco.MjData(theirs)
    for q in ours.sample(4, seed=1):
        data.qpos[:] = q
        mujoco.mj_kinematics(theirs, data)
        for link in spec.links[1:]:
            at = data.body(link.name)
            place = hk.Model(spec).fk(q, frame=link.name) if ours.nq == theirs.nq else None
            np.testing.assert_allclose(place[:3, 3], at.xpos, rtol=0, atol=1e-12)
            np.testing.assert_allclose(place[:3, :3], at.xmat.reshape(3, 3), rtol=0, atol=1e-12)
