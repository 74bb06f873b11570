"""BVH as written: read again, by handik and by a reader of another hand, it moves as the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik.files.read import read_bvh, read_bvh_motion
from handik.files.write import save_bvh, to_bvh


def again(text: str, scale: float = 1.0, up: str = "y"):
    """Return the model of a file and its motion."""
    model = hk.Model(read_bvh(text, scale=scale, up=up))
    return model, read_bvh_motion(text).coordinates(model, scale=scale)


def places(model, q, names):
    return model.frames(q)[..., :3, 3][:, [model.frame_names.index(n) for n in names]]


def links(model):
    """The links that joints move, by the joint's name."""
    return {j.name: j.child for j in model.spec.joints if j.kind != "fixed"}


def assert_same_motion(model, q, text, scale=1.0, up="y", near=1e-8):
    read, rows = again(text, scale, up)
    moved = links(model)
    assert set(links(read)) == set(moved)
    wanted = places(model, q, list(moved.values()))
    assert np.abs(places(read, rows, list(moved)) - wanted).max() < near * model.max_reach


def turns_by_hand(text: str):
    """A reader of another kind: walks the text, multiplies matrices; places of all nodes a frame."""
    lines = [line.strip() for line in text.splitlines()]
    at = lines.index("MOTION")
    nodes, stack = [], []
    for line in lines[1:at]:
        words = line.split()
        if words[0] in ("ROOT", "JOINT"):
            nodes.append({"name": words[1], "up": stack[-1] if stack else None, "channels": []})
            stack.append(len(nodes) - 1)
        elif words[0] == "End":
            stack.append(None)
        elif words[0] == "OFFSET" and stack[-1] is not None:
            nodes[stack[-1]]["offset"] = np.array(words[1:], float)
        elif words[0] == "CHANNELS":
            nodes[stack[-1]]["channels"] = words[2:]
        elif words[0] == "}":
            stack.pop()
    out = []
    for line in lines[at + 3 :]:
        values, pose, found = iter(map(float, line.split())), {}, {}
        for k, node in enumerate(nodes):
            place, turn = node["offset"].copy(), np.eye(3)
            for channel in node["channels"]:
                axis, value = "XYZ".index(channel[0]), next(values)
                if channel.endswith("position"):
                    place[axis] += value
                else:
                    c, s = np.cos(np.radians(value)), np.sin(np.radians(value))
                    i, j = (axis + 1) % 3, (axis + 2) % 3
                    one = np.eye(3)
                    one[i, i] = one[j, j] = c
                    one[j, i], one[i, j] = s, -s
                    turn = turn @ one
            if node["up"] is not None:
                above_turn, above = pose[node["up"]]
                place, turn = above + above_turn @ place, above_turn @ turn
            pose[k] = (turn, place)
            found[node["name"]] = place
        out.append(found)
    return out


MODELS = {
    "balls": lambda: hk.chain([0.3, 0.2, 0.1], "ball"),
    "robot": lambda: hk.data("puma560"),
    "avatar": lambda: hk.study.upper_body(),
    "slide": lambda: sliding(),
}


def sliding() -> hk.Model:
    """A robot one of whose joints slides, so that a node's origin moves against the one above."""
    spec = hk.data("ur5").spec.copy()
    joint = next(j for j in spec.joints if j.name == "elbow")
    joint.kind, joint.lower, joint.upper = "prismatic", -0.3, 0.3
    return hk.Model(spec)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("up", ["y", "z"])
def test_what_is_written_moves_as_the_model(name, up):
    model = MODELS[name]()
    q = model.sample(7, seed=3)
    text = to_bvh(model, q, frame_time=0.02, scale=0.01, up=up)
    assert_same_motion(model, q, text, 0.01, up)
    assert read_bvh_motion(text).frame_time == 0.02


def test_a_reader_of_another_hand_sees_the_same_motion():
    model = hk.study.upper_body()
    q = model.sample(5, seed=1)
    found = turns_by_hand(to_bvh(model, q, frame_time=0.1, up="z"))
    moved = links(model)
    wanted = places(model, q, list(moved.values()))
    for row, frame in zip(wanted, found, strict=True):
        for place, name in zip(row, moved, strict=True):
            assert frame[name] == pytest.approx(place, abs=1e-8)


@settings(max_examples=30)
@given(st.permutations("XYZ"), st.integers(0, 10**6), st.sampled_from(["y", "z"]))
def test_any_order_of_rotations_and_any_zero(order, seed, up):
    model = hk.study.upper_body()
    zero, *q = model.sample(4, seed=seed)
    text = to_bvh(model, q, frame_time=1, zero=zero, order="".join(order), up=up)
    assert_same_motion(model, q, text, up=up, near=1e-7)
    assert " ".join(f"{axis}rotation" for axis in order) in text


def test_zero_rotations_are_the_configuration_zero():
    model = hk.data("ur5")
    q = model.sample(2, seed=5)
    read, rows = again(to_bvh(model, q, frame_time=1, zero=q[1]))
    turns = rows[1].reshape(-1)  # the root's place and quaternion, then quaternions
    assert np.abs(turns[3:].reshape(-1, 4) - [1, 0, 0, 0]).max() < 1e-9
    assert read_bvh_motion(to_bvh(model, q, frame_time=1, zero=q[1])).values[
        1, 3:
    ] == pytest.approx(0)


def test_a_file_that_was_read_is_written_back():
    from test_bvh import BODY

    model, q = again(BODY, 0.01)
    text = to_bvh(model, q, frame_time=1 / 30, scale=0.01)
    assert_same_motion(model, q, text, 0.01)


def test_angles_run_on_across_half_a_turn():
    model = hk.chain([1.0], "ball")
    angles = np.radians(np.arange(0.0, 720, 15))
    q = np.stack([np.cos(angles / 2), 0 * angles, 0 * angles, np.sin(angles / 2)], axis=1)
    values = read_bvh_motion(to_bvh(model, q, frame_time=1, up="z", order="ZXY")).values
    assert np.abs(np.diff(values, axis=0)).max() < 16


def test_the_tip_is_the_end_site_and_no_frame_is_no_motion():
    model = hk.chain([0.3, 0.2], "ball")
    text = to_bvh(model, np.zeros((0, model.nq)), frame_time=1, up="z")
    assert "Frames: 0" in text
    spec = read_bvh(text, up="z")
    tip = model.fk(model.rest)[:3, 3]
    read = hk.Model(spec)
    assert read.fk(read.rest, frame=spec.frames[0].name)[:3, 3] == pytest.approx(tip)


def test_a_file_is_replaced_and_a_bad_call_leaves_it(tmp_path):
    model, path = hk.chain([1.0], "ball"), tmp_path / "m.bvh"
    save_bvh(path, model, model.sample(2, seed=0), frame_time=0.5)
    first = path.read_text("utf-8")
    with pytest.raises(hk.ArgumentError, match="frame_time"):
        save_bvh(path, model, model.sample(2, seed=0), frame_time=0)
    assert path.read_text("utf-8") == first


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"frame_time": float("nan")}, "frame_time"),
        ({"frame_time": -1}, "above zero"),
        ({"scale": 0}, "above zero"),
        ({"scale": 5e-324}, "too far away"),
        ({"up": "x"}, "up"),
        ({"order": "ZXZ"}, "order"),
        ({"q": [[1.0, 0, 0]]}, "q must have shape"),
        ({"q": [1.0, 0, 0, 0]}, "n_frame"),
        ({"q": [[np.nan, 0, 0, 0]]}, "finite"),
        ({"zero": [1.0, 0]}, "zero"),
    ],
)
def test_wrong_calls_say_what(change, says):
    model = hk.chain([1.0], "ball")
    call = {"q": [[1.0, 0, 0, 0]], "frame_time": 1.0} | change
    with pytest.raises(hk.ArgumentError, match=says):
        to_bvh(model, call.pop("q"), **call)


def test_what_the_format_cannot_hold_is_refused():
    spec = hk.chain([1.0], "ball").spec.copy()
    spec.joints[0].name = "left arm"
    model = hk.Model(spec)
    with pytest.raises(hk.UnsupportedError, match="'left arm'"):
        to_bvh(model, [model.rest], frame_time=1)
    spec.joints = [hk.JointSpec("weld", "fixed", spec.joints[0].parent, spec.joints[0].child)]
    still = hk.Model(hk.ModelSpec("still", spec.links[:2], spec.joints[:1]))
    with pytest.raises(hk.UnsupportedError, match="no motion"):
        to_bvh(still, np.zeros((1, 0)), frame_time=1)


KINDS = ("revolute", "prismatic", "cylindrical", "universal", "ball", "planar", "free", "fixed")


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 9)), min_size=1), st.integers(0))
def test_any_tree_of_any_joints_moves_as_it_did(joints, seed):
    """Branches, several roots, turned frames, names that differ in case alone."""
    if all(kind == "fixed" for kind, _ in joints):
        joints = [*joints, ("ball", 0)]
    rng = np.random.default_rng(seed)
    spec = hk.ModelSpec("any", [hk.LinkSpec(f"link {k}") for k in range(len(joints) + 1)])
    for k, (kind, parent) in enumerate(joints):
        axis, across = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
        placed = hk.transforms.from_rpy(rng.uniform(-3, 3, 3))
        placed[:3, 3] = rng.normal(size=3)
        name = ("Joint", "joint", "JOINT")[k % 3] + str(k // 3)
        joint = hk.JointSpec(
            name, kind, f"link {min(parent, k)}", f"link {k + 1}", placed, tuple(axis)
        )
        if kind in ("universal", "planar"):
            joint.axis2 = tuple(across)
        spec.joints.append(joint)
    model = hk.Model(spec)
    q = model.sample(3, seed=1)
    assert_same_motion(model, q, to_bvh(model, q, frame_time=1))


def test_a_long_chain_is_read_again_and_a_longer_one_refused():
    for count in (1023, 1024):
        model = hk.chain([0.01] * count, "ball")
        q = model.sample(2, seed=0)
        if count == 1024:
            with pytest.raises(hk.UnsupportedError, match="1023 joints"):
                to_bvh(model, q, frame_time=1)
        else:
            read = read_bvh(to_bvh(model, q, frame_time=1))
            assert len(read.joints) >= count


def test_a_figure_far_from_the_origin_keeps_its_bones():
    """Rounding of places far away is no slide."""
    spec = hk.chain([0.4, 0.3], "ball").spec.copy()
    spec.joints.insert(0, hk.JointSpec("walk", "free", "ground", spec.root))
    spec.links.insert(0, hk.LinkSpec("ground"))
    model = hk.Model(spec)
    q = model.sample(4, seed=2)
    q[:, :3] += [3e7, 5e7, 1e7]
    text = to_bvh(model, q, frame_time=1)
    assert text.count("position") == 3 * 1


def test_a_number_is_no_path():
    model = hk.chain([1.0], "ball")
    with pytest.raises(TypeError, match="path must be a path"):
        save_bvh(3, model, [model.rest], frame_time=1)


def test_bones_are_the_bodies_and_move_as_the_model():
    """A node for each body: what is a step between joints, and nothing else, has none."""
    person = hk.human(detail="full", position="standing").model
    q = person.sample(4, seed=2)
    text = to_bvh(person, q, frame_time=0.1, up="z", bones=True)
    names = hk.Model(read_bvh(text, up="z")).joint_names
    assert len(names) == 21  # of 49 joints
    assert {"pelvis", "thigh_left", "shank_left", "foot_left", "trunk", "hand_right"} <= set(names)
    moved = links(person)
    found = turns_by_hand(text)
    for frame, row in zip(found, places(person, q, list(names)), strict=True):
        for name, place in zip(names, row, strict=True):
            assert frame[name] == pytest.approx(place, abs=1e-8)
    assert set(names) < set(moved.values())
    # the skeleton does not depend on the motion
    still = to_bvh(person, [person.rest], frame_time=0.1, up="z", bones=True)
    assert hk.Model(read_bvh(still, up="z")).joint_names == names


def test_a_link_with_something_on_it_is_a_bone():
    """Hinges about one point: mass, a shape, a frame, another child or a distance keep a node."""
    plain = [
        hk.JointSpec("yaw", "revolute", "base", "a"),
        hk.JointSpec("pitch", "revolute", "a", "b", axis=(0.0, 1.0, 0.0)),
    ]

    def nodes(link=None, frame=None, *more, far=0.0, kind="revolute", child="revolute"):
        joints = [replace(joint) for joint in plain]
        joints[0].kind, joints[1].kind = kind, child
        joints[1].placement = np.eye(4)
        joints[1].placement[2, 3] = far
        parts = [hk.LinkSpec("base"), link or hk.LinkSpec("a"), hk.LinkSpec("b")]
        parts += [hk.LinkSpec(joint.child) for joint in more]
        spec = hk.ModelSpec("m", parts, [*joints, *more], frames=frame or [])
        model = hk.Model(spec)
        text = to_bvh(model, [model.rest], frame_time=1, bones=True)
        return hk.Model(read_bvh(text)).joint_names

    assert nodes() == ("b",)
    assert nodes(far=0.1) == ("a", "b")
    assert nodes(far=0.1, kind="prismatic") == ("b",)
    assert nodes(far=0.1, child="prismatic") == ("b",)
    assert nodes(kind="ball") == ("a", "b")  # a node of a file that was read stays one
    assert nodes(hk.LinkSpec("a", hk.spec.InertialSpec(1.0))) == ("a", "b")
    assert nodes(hk.LinkSpec("a", visuals=[hk.spec.GeometrySpec("sphere", size=[0.1])])) == (
        "a",
        "b",
    )
    assert nodes(None, [hk.FrameSpec("tool", "a")]) == ("a", "b")
    assert nodes(None, None, hk.JointSpec("roll", "revolute", "a", "c")) == ("a", "b", "c")
    links = [hk.LinkSpec("w"), hk.LinkSpec("a b")]
    spaced = hk.Model(hk.ModelSpec("m", links, [hk.JointSpec("j", "revolute", "w", "a b")]))
    with pytest.raises(hk.UnsupportedError, match="cannot hold the link name 'a b'"):
        to_bvh(spaced, [[0.0]], frame_time=1, bones=True)
