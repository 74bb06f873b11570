"""The tree is checked by name, cut by name, and survives a million joints."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import handik as hk
from handik.errors import ModelError, NotFoundError
from handik.files.read import (
    FrameSpec,
    GeometrySpec,
    InertialSpec,
    JointSpec,
    LinkSpec,
    MimicSpec,
    ModelSpec,
    MotorSpec,
)
from handik.spec import JOINT_NQ, Cone


def tree(*pairs, kind="revolute"):
    """Spec of the joints given as (parent, child); each joint is called parent-child."""
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return ModelSpec(
        "t",
        [LinkSpec(name) for name in names],
        [JointSpec(f"{a}-{b}", kind, a, b) for a, b in pairs],
    )


def fork():
    spec = tree(("a", "b"), ("b", "c"), ("b", "d"), ("d", "e"), ("a", "f"))
    spec.frames = [FrameSpec("hand", "e"), FrameSpec("eye", "f")]
    return spec


def test_sound_trees_pass():
    fork().check()
    ModelSpec("one", [LinkSpec("a")]).check()
    spec = tree(("a", "b"))
    spec.joints[0].lower, spec.joints[0].upper = -math.inf, 1.0
    spec.check()


def test_root_and_order_are_depth_first_in_file_order():
    spec = fork()
    spec.joints.reverse()
    assert spec.root == "a"
    names = [joint.name for joint in spec.ordered_joints()]
    assert names == ["a-f", "a-b", "b-d", "d-e", "b-c"]


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=40), st.randoms())
def test_any_shuffled_tree_comes_out_parents_first(picks, random):
    pairs = [(f"n{pick % (i + 1)}", f"n{i + 1}") for i, pick in enumerate(picks)]
    spec = tree(*pairs)
    random.shuffle(spec.joints)
    random.shuffle(spec.links)
    spec.check()
    seen = {spec.root}
    for joint in spec.ordered_joints():
        assert joint.parent in seen
        seen.add(joint.child)
    assert len(seen) == len(spec.links)


def bad(change):
    spec = fork()
    change(spec)
    return spec


def set_joint(index=0, **values):
    def change(spec):
        for name, value in values.items():
            setattr(spec.joints[index], name, value)

    return change


def every_joint(**values):
    def change(spec):
        for index in range(len(spec.joints)):
            set_joint(index, **values)(spec)

    return change


NAN_POSE = np.eye(4)
NAN_POSE[0, 3] = math.nan
MIRROR = np.diag([1.0, 1.0, -1.0, 1.0])
SHEAR = np.eye(4)
SHEAR[0, 1] = 1.1e-6
SCALED = np.diag([2.0, 2.0, 2.0, 1.0])
PERSPECTIVE = np.eye(4)
PERSPECTIVE[3, 0] = 0.1


@pytest.mark.parametrize(
    ("change", "words", "part"),
    [
        (lambda s: s.links.append(LinkSpec("c")), "link 'c': another has the same name", "c"),
        (set_joint(1, name="a-b"), "joint 'a-b': another has the same name", "a-b"),
        (lambda s: s.frames.append(FrameSpec("eye", "a")), "frame 'eye': another", "eye"),
        (lambda s: s.frames.append(FrameSpec("c", "a")), "frame 'c': a link has the same", "c"),
        (lambda s: s.frames.append(FrameSpec("x", "y")), "its link 'y' does not exist", "x"),
        (set_joint(1, name=""), "a joint has no name", None),
        (set_joint(0, child="zz"), "joint 'a-b': its child link 'zz' does not exist", "a-b"),
        (set_joint(0, parent="zz"), "its parent link 'zz' does not exist", "a-b"),
        (set_joint(4, child="c"), "link 'c': it has two parents", "c"),
        (set_joint(0, parent="e"), "cycle through the links", None),
        (set_joint(0, parent="b"), "cycle through the links 'b'", "b"),
        (lambda s: s.links.append(LinkSpec("z")), "the tree has 2 roots: 'a', 'z'", "z"),
        (lambda s: s.links.clear(), "has no link", None),
        (lambda s: setattr(s, "base", "b"), "named as base, but 'a' is the root", "b"),
        (set_joint(0, kind="hinge"), "its kind is 'hinge'", "a-b"),
        (set_joint(0, axis=(0, 0, 0)), "its axis is zero", "a-b"),
        (set_joint(0, axis=(0, math.nan, 0)), "its axis is not finite", "a-b"),
        (set_joint(0, axis=(0, 1e200, 0)), "its axis is not finite", "a-b"),
        (set_joint(0, axis=(0, 1)), "its axis is not three numbers", "a-b"),
        (set_joint(0, axis="xyz"), "its axis is not three numbers", "a-b"),
        (set_joint(0, kind="universal"), "its axis2 is not three numbers: None", "a-b"),
        (set_joint(0, kind="planar", axis2=(0, 0, 0)), "its axis2 is zero", "a-b"),
        (set_joint(0, kind="universal", axis2=(1, 0, 1e-6)), "not at a right angle", "a-b"),
        (set_joint(0, lower=1.0, upper=-1.0), "limits are reversed: 1.0 to -1.0", "a-b"),
        (set_joint(0, lower=math.inf), "limits are reversed", "a-b"),
        (set_joint(0, upper=-math.inf), "limits are reversed", "a-b"),
        (set_joint(0, lower=math.nan), "its lower limit is NaN", "a-b"),
        (set_joint(0, lower="low"), "its lower limit is not a number", "a-b"),
        (set_joint(0, upper=[1.0, 2.0]), "it has 1 coordinates but 2 upper limits", "a-b"),
        (set_joint(0, effort=math.nan), "its effort is not finite", "a-b"),
        (set_joint(0, damping=math.inf), "its damping is not finite", "a-b"),
        (set_joint(0, motor=MotorSpec(gear=math.nan)), "the gear of its motor", "a-b"),
        (set_joint(0, placement=NAN_POSE), "its placement is not finite", "a-b"),
        (set_joint(2, placement=MIRROR), "not a rigid motion .*a reflection", "b-d"),
        (set_joint(2, placement=SHEAR), "not a rigid motion .off by", "b-d"),
        (set_joint(2, placement=SCALED), "not a rigid motion .off by", "b-d"),
        (set_joint(2, placement=SCALED * 1e200), "not a rigid motion", "b-d"),
        (set_joint(2, placement=PERSPECTIVE), "not a rigid motion .off by", "b-d"),
        (set_joint(2, placement=np.eye(3)), "not a .4, 4. matrix", "b-d"),
        (
            every_joint(placement=np.eye(5)[:4]),
            "'a-b': its placement is not a .4, 4. matrix",
            "a-b",
        ),
        (every_joint(placement=np.eye(5)[:, :4]), "placement is not a .4, 4. matrix", "a-b"),
        (set_joint(2, placement="here"), "not a .4, 4. matrix", "b-d"),
        (lambda s: setattr(s.frames[1], "placement", MIRROR), "frame 'eye': .*reflection", "eye"),
        (set_joint(0, mimic=MimicSpec("zz")), "it mimics 'zz', which does not exist", "a-b"),
        (set_joint(0, mimic=MimicSpec("a-b")), "it mimics itself", "a-b"),
        (set_joint(0, mimic=MimicSpec("b-c", math.nan)), "mimic line is not finite", "a-b"),
        (
            lambda s: (set_joint(1, kind="ball")(s), set_joint(0, mimic=MimicSpec("b-c"))(s)),
            "'b-c' is ball: only joints of one coordinate",
            "a-b",
        ),
        (set_joint(0, kind="ball", mimic=MimicSpec("b-c")), "'a-b' is ball", "a-b"),
        (
            lambda s: [
                set_joint(i, mimic=MimicSpec(name))(s)
                for i, name in ((0, "b-c"), (1, "b-d"), (2, "d-e"), (3, "b-d"))
            ],
            "the mimics form a cycle: 'b-d', 'd-e'",
            "b-d",
        ),
        (
            lambda s: setattr(s.links[1], "inertial", InertialSpec(-1.0)),
            "link 'b': its mass is negative",
            "b",
        ),
        (
            lambda s: setattr(s.links[1], "inertial", InertialSpec("heavy")),
            "link 'b': its mass, .* is not finite",
            "b",
        ),
        (
            lambda s: setattr(s.links[1], "inertial", InertialSpec(math.nan)),
            "link 'b': its mass, .* is not finite",
            "b",
        ),
        (
            lambda s: setattr(
                s.links[1], "inertial", InertialSpec(1.0, np.zeros(3), SHEAR[:3, :3])
            ),
            "link 'b': its inertia is not symmetric",
            "b",
        ),
        (
            lambda s: s.links[1].visuals.append(GeometrySpec("sphere", radius=math.inf)),
            "link 'b': the size of its sphere",
            "b",
        ),
        (
            lambda s: s.links[1].visuals.append(
                GeometrySpec("mesh", uri="a.stl", scale=(1.0, math.nan, 1.0))
            ),
            "link 'b': the size of its mesh",
            "b",
        ),
        (
            lambda s: s.links[1].visuals.append(GeometrySpec("cone")),
            "link 'b': a shape is 'cone'",
            "b",
        ),
        (
            lambda s: s.links[1].collisions.append(GeometrySpec("sphere", MIRROR, radius=1.0)),
            "link 'b': its placement is not a rigid motion",
            "b",
        ),
    ],
)
def test_what_is_wrong_is_named(change, words, part):
    with pytest.raises(ModelError, match=words) as caught:
        bad(change).check()
    if part is not None:
        assert caught.value.part[1] == part


def test_a_cycle_beside_a_sound_tree_is_named_whole():
    spec = tree(("a", "b"), ("x", "y"), ("y", "z"), ("z", "x"), ("z", "w"))
    with pytest.raises(ModelError, match="cycle through the links") as caught:
        spec.check()
    named = str(caught.value).split("through the links ")[1].split(", ")
    order = [name.strip("'") for name in named]
    start = order.index("x")
    assert order[start:] + order[:start] == ["x", "y", "z"]


@pytest.mark.parametrize("kind", JOINT_NQ)
def test_limits_are_spread_over_the_coordinates(kind):
    joint = JointSpec("j", kind, "a", "b", lower=-1.0, upper=2.0)
    lower, upper = joint.limits()
    limited = {"ball": 0, "free": 3}.get(kind, joint.nq)
    assert lower == [-1.0] * limited + [-math.inf] * (joint.nq - limited)
    assert upper == [2.0] * limited + [math.inf] * (joint.nq - limited)
    assert JointSpec("j", kind, "a", "b").limits() == (
        [-math.inf] * joint.nq,
        [math.inf] * joint.nq,
    )


def test_limits_of_arrays():
    joint = JointSpec("j", "cylindrical", "a", "b", lower=np.array([-1.0, 0.0]), upper=[1, 2])
    assert joint.limits() == ([-1.0, 0.0], [1.0, 2.0])
    joint = JointSpec("j", "free", "a", "b", lower=[0, 0, 0, math.inf, 0, 0, 0])
    assert joint.limits()[0] == [0, 0, 0] + [-math.inf] * 4


def names(spec):
    return [link.name for link in spec.links], [joint.name for joint in spec.joints]


def test_chain_keeps_what_lies_between():
    spec = fork()
    assert names(spec.chain("a", "e")) == (["a", "b", "d", "e"], ["a-b", "b-d", "d-e"])
    part = spec.chain("b", "e")
    part.check()
    assert names(part) == (["b", "d", "e"], ["b-d", "d-e"])
    assert (part.root, part.base, part.tip) == ("b", "b", "e")
    assert [frame.name for frame in part.frames] == ["hand"]
    assert names(spec.chain(tip="hand")) == names(spec.chain("a", "e"))
    assert spec.chain(tip="hand").tip == "hand"
    assert names(spec.chain("b")) == (["b", "c", "d", "e"], ["b-c", "b-d", "d-e"])
    assert names(spec.chain()) == names(spec)
    assert names(spec.chain("c", "c")) == (["c"], [])


def test_chain_says_what_is_wrong():
    spec = fork()
    with pytest.raises(ModelError, match="must be an ancestor of the tip"):
        spec.chain("c", "e")
    with pytest.raises(ModelError, match="must be an ancestor of the tip"):
        spec.chain("e", "a")
    for base, tip in (("zz", "e"), ("a", "zz"), ("zz", None)):
        with pytest.raises(NotFoundError, match="no link is called 'zz'"):
            spec.chain(base, tip)


def test_a_mimic_that_loses_its_joint_is_freed_and_noted():
    spec = fork()
    spec.joints[1].mimic = MimicSpec("d-e", 2.0)
    part = spec.chain("a", "c")
    part.check()
    assert part.joints[1].mimic is None
    assert "'b-c' follows 'd-e'" in part.notes[0]
    assert spec.joints[1].mimic is not None
    assert spec.notes == []
    assert spec.subtree("b").joints[0].mimic.joint == "d-e"


@pytest.mark.parametrize(
    "cut", [ModelSpec.copy, lambda s: s.chain("a", "e"), lambda s: s.subtree("a")]
)
def test_copies_share_nothing(cut):
    spec = fork()
    spec.joints[0].mimic = MimicSpec("b-d")
    spec.joints[0].motor = MotorSpec()
    spec.links[0].inertial = InertialSpec(1.0)
    spec.links[0].visuals.append(GeometrySpec("sphere", radius=1.0))
    other = cut(spec)
    other.joints[0].placement[0, 3] = 5.0
    other.joints[0].mimic.scale = 5.0
    other.joints[0].motor.gear = 5.0
    other.joints[0].name = "new"
    other.links[0].inertial.center[0] = 5.0
    other.links[0].visuals[0].placement[0, 3] = 5.0
    other.links[0].visuals[0].radius = 5.0
    other.frames[0].placement[0, 3] = 5.0
    joint, link = spec.joints[0], spec.links[0]
    assert (joint.placement[0, 3], joint.mimic.scale, joint.motor.gear) == (0, 1, 1)
    assert joint.name == "a-b"
    assert (link.inertial.center[0], link.visuals[0].placement[0, 3]) == (0, 0)
    assert link.visuals[0].radius == 1.0
    assert spec.frames[0].placement[0, 3] == 0


def long_chain(n):
    placement = np.eye(4)  # shared: nothing here edits it, and memory stays small
    return ModelSpec(
        "long",
        [LinkSpec(str(i)) for i in range(n + 1)],
        [JointSpec(f"j{i}", "revolute", str(i), str(i + 1), placement) for i in range(n)],
    )


def test_a_long_chain_neither_recurses_nor_takes_quadratic_time():
    # 30,000 joints: far beyond the recursion limit, and hours were any step quadratic.
    n = 30_000
    spec = long_chain(n)
    spec.joints.reverse()
    spec.check()
    assert [joint.name for joint in spec.ordered_joints()[:2]] == ["j0", "j1"]
    assert len(spec.chain(str(n // 2), str(n)).joints) == n // 2
    for joint in spec.joints[:-1]:
        joint.mimic = MimicSpec(f"j{int(joint.name[1:]) - 1}")
    spec.check()
    spec.joints[-1].mimic = MimicSpec(f"j{n - 1}")
    with pytest.raises(ModelError, match="and 29992 more"):
        spec.check()


@pytest.mark.slow
def test_a_million_joints():
    n = 1_000_000
    spec = long_chain(n)
    spec.check()
    assert spec.ordered_joints()[-1].name == f"j{n - 1}"
    assert len(spec.subtree("10").joints) == n - 10
    spec.joints[0].parent = str(n)
    spec.links.pop(0)
    with pytest.raises(ModelError, match=r"cycle through the links .* and 999992 more"):
        spec.check()


def test_a_copy_shares_no_list_with_what_it_was_made_from() -> None:
    spec = hk.chain([0.3, 0.3], "ball").spec
    half, hold = [0.5, 0.5, 0.5, 0.5], [1.0, 0.0, 0.0, 0.0]
    spec.joints[0].cone, spec.joints[1].hold = Cone(half), hold  # type: ignore[assignment]
    slide = JointSpec("slide", "prismatic", "link_2", "slide", lower=[-1.0], upper=np.ones(1))
    spec.links.append(LinkSpec("slide"))
    spec.joints.append(slide)
    model = hk.Model(spec)
    half[0], hold[1] = 9.0, 9.0
    slide.lower[0], slide.upper[0] = -9.0, 9.0  # type: ignore[index]
    again = model.with_limits()
    for name in ("lower", "upper", "swing"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    assert again.locked_joints == model.locked_joints


def test_a_tip_that_is_not_there_is_named() -> None:
    spec = hk.chain([0.3, 0.3]).spec
    spec.tip = "hand"
    with pytest.raises(ModelError, match="the tip 'hand' is neither a link nor a frame"):
        hk.Model(spec)


def test_a_part_of_a_tree_keeps_the_chosen_tip() -> None:
    arm = hk.chain([0.3, 0.3, 0.3]).with_tool(np.eye(4), "gripper")
    assert arm.spec.tip == "gripper"
    assert hk.Model(arm.spec.subtree("link_1")).tip == "gripper"
    assert arm.spec.chain("link_1", "link_2").tip == "link_2"


def test_rooms_of_joints_that_have_none_are_refused() -> None:
    arm = hk.chain([0.3, 0.3])
    with pytest.raises(ModelError, match="'joint_1': it has a cone but is revolute"):
        arm.with_limits(joint_1=Cone(0.5))
    with pytest.raises(hk.ArgumentError, match="'joint_1' is a ball: its limits are a"):
        hk.chain([0.3], "ball").with_limits(joint_1=(-1.0, 1.0))
    spec = arm.spec
    spec.joints[0].hold = (1.0, 0.0, 0.0, 0.0)
    with pytest.raises(ModelError, match="it holds a rotation but is revolute"):
        spec.check()


def test_where_a_joint_is_at_ease_is_checked_copied_and_kept_in_files() -> None:
    spec = hk.chain([0.3, 0.3]).spec
    spec.joints[1].kind = "ball"
    spec.joints[0].neutral, spec.joints[1].neutral = [0.25], (0.0, 1.0, 0.0, 0.0)
    again = hk.Model(spec).locked({"joint_1": 0.1}).with_base(np.eye(4)).spec
    spec.joints[0].neutral[0] = 9.0  # type: ignore[index]
    for found in (again, hk.read.read_toml(again.to_toml())):
        easy = {joint.name: joint.neutral for joint in found.joints}
        assert list(easy["joint_1"] or ()) == [0.25]
        assert list(easy["joint_2"] or ()) == [0.0, 1.0, 0.0, 0.0]
    for bad in ([0.1, 0.2], "x", [np.nan], 1.0):
        spec.joints[0].neutral = bad  # type: ignore[assignment]
        with pytest.raises(ModelError, match="'joint_1': its neutral is not 1 finite numbers"):
            spec.check()
    spec.joints[0].neutral, spec.joints[1].neutral = None, (0.0, 0.0, 0.0, 0.0)
    with pytest.raises(ModelError, match="the quaternion of its neutral is zero"):
        spec.check()


@pytest.mark.parametrize("half", [np.float32(0.5), np.int64(1), 1, np.full(4, 0.5), [0.5] * 4])
def test_half_axes_of_a_cone_are_any_numbers(half: Any) -> None:
    model = hk.chain([0.3], "ball").with_limits(joint_1=Cone(half))
    np.testing.assert_allclose(model.swing[0, 9:13], np.broadcast_to(half, 4))


@pytest.mark.parametrize(
    ("cone", "said"),
    [
        (Cone("wide"), "half-axes, got 'wide'"),
        (Cone([0.5, 0.5]), "1 or 4"),
        (Cone(1.0, 2.0), "2 num"),
    ],
)
def test_cones_of_no_numbers_are_refused(cone: Cone, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        hk.chain([0.3], "ball").with_limits(joint_1=cone)


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.float32, np.bool_])
def test_placements_of_other_types_are_checked_too(kind: Any) -> None:
    spec = hk.chain([0.3]).spec
    spec.joints[0].placement = np.eye(4, dtype=kind)
    spec.frames[0].placement = np.eye(4, dtype=kind)
    spec.check()
    spec.joints[0].placement = np.ones((4, 4), dtype=kind)
    with pytest.raises(ModelError, match="not a rigid motion"):
        spec.check()


def figure():
    """Hinge, fixed joint and ball in a row, with masses and a shape."""
    spec = ModelSpec(
        "m",
        [
            LinkSpec("a"),
            LinkSpec("b", InertialSpec(1.0), collisions=[GeometrySpec("sphere", radius=0.1)]),
            LinkSpec("c"),
            LinkSpec("d"),
        ],
        [
            JointSpec("hinge", "revolute", "a", "b", lower=-1.0, upper=1.0, motor=MotorSpec()),
            JointSpec("still", "fixed", "b", "c"),
            JointSpec("ball", "ball", "c", "d"),
        ],
        [FrameSpec("eye", "d")],
    )
    return spec


WHERE = {
    "hinge": lambda s: s.joints[0],
    "still": lambda s: s.joints[1],
    "ball": lambda s: s.joints[2],
    "motor": lambda s: s.joints[0].motor,
    "body": lambda s: s.links[1].inertial,
    "shape": lambda s: s.links[1].collisions[0],
    "eye": lambda s: s.frames[0],
}


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        *((part, "axis", bad) for part in ("hinge", "still", "ball") for bad in ((0, 1), (0, 0, 1, 1), "x", None)),
        *((part, "placement", bad) for part in ("hinge", "shape", "eye") for bad in ("x", 1.0, None, [[10**400] * 4] * 4)),
        ("body", "center", "x"),
        ("body", "inertia", [[1, 2], [3]]),
        ("hinge", "lower", 10**400),
        ("hinge", "upper", 10**400),
        ("hinge", "effort", 10**400),
        ("hinge", "velocity", 10**400),
        ("hinge", "damping", 10**400),
        ("motor", "inertia", 10**400),
        ("body", "mass", 10**400),
        ("body", "center", [10**400, 0, 0]),
        ("shape", "radius", 10**400),
        ("shape", "scale", (10**400, 1, 1)),
        ("ball", "cone", 1.0),
        ("ball", "cone", Cone(10**400)),
        ("ball", "axis2", (0, 1)),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_and_no_accident(part, name, value):
    spec = figure()
    setattr(WHERE[part](spec), name, value)
    with pytest.raises(ModelError) as caught:
        hk.Model(spec)
    assert any(f"{word!r}" in str(caught.value) for word in ("hinge", "still", "ball", "b", "eye"))


def test_figure_itself_is_sound():
    assert hk.Model(figure()).nq == 5


@pytest.mark.parametrize("lock", ["elbow", ["elbow"], 3.0, (), ""])
def test_what_locks_is_a_mapping(lock):
    arm = hk.data("ur5")
    for call in (
        lambda: arm.locked(lock),
        lambda: arm.solve(position=[0.1, 0.2, 0.3], lock=lock),
        lambda: hk.Problem(arm, [hk.Position()], lock=lock),
    ):
        with pytest.raises(TypeError, match="lock must map names of joints to values"):
            call()
    assert hk.Problem(arm, [hk.Position()], lock={}).model is arm


@pytest.mark.parametrize("pairs", [[(0, 1, 2)], [0], [(0,)], [(0, 2)], [(0, -1)], [(0, 0.5)]])
def test_pairs_of_capsules_are_two_places(pairs):
    arm = hk.data("ur5")
    two = [hk.Capsule(name, (0, 0, 0), (0, 0, 1), 0.1) for name in arm.frame_names[:2]]
    with pytest.raises(hk.ArgumentError, match="a pair is two places among the 2 capsules"):
        hk.Problem(arm, [hk.SelfCollision(capsules=two, pairs=pairs)])
