"""Models: every joint kind against formulas by hand, trees, limits, what is refused, size."""

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import handik as hk
from handik import _core
from handik.spec import FrameSpec, JointSpec, LinkSpec, MimicSpec, ModelSpec

AXIS = np.array([0.6, 0.0, 0.8])
AXIS2 = np.array([0.0, 1.0, 0.0])
PLACE = np.eye(4)
PLACE[:3, :3] = Rotation.from_euler("xyz", [0.3, -0.5, 1.1]).as_matrix()
PLACE[:3, 3] = 0.2, -0.1, 0.4
TOOL = np.eye(4)
TOOL[:3, :3] = Rotation.from_euler("xyz", [-1.0, 0.2, 0.4]).as_matrix()
TOOL[:3, 3] = 0.05, 0.3, -0.2
KINDS = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "planar", "ball", "free")


def one_joint(kind: str, **more: Any) -> hk.Model:
    spec = ModelSpec("one", [LinkSpec("base"), LinkSpec("arm")])
    joint = JointSpec("j", kind, "base", "arm", PLACE, tuple(3 * AXIS), tuple(0.5 * AXIS2))
    for name, value in more.items():
        setattr(joint, name, value)
    spec.joints.append(joint)
    spec.frames.append(FrameSpec("tool", "arm", TOOL))
    return hk.Model(spec)


def moved(kind: str, q: np.ndarray) -> np.ndarray:
    """The motion of each kind, from its definition."""
    out = np.eye(4)

    def turn(axis: np.ndarray, angle: float) -> np.ndarray:
        return Rotation.from_rotvec(axis * angle).as_matrix()

    if kind == "revolute":
        out[:3, :3] = turn(AXIS, q[0])
    elif kind == "prismatic":
        out[:3, 3] = AXIS * q[0]
    elif kind == "cylindrical":
        out[:3, :3] = turn(AXIS, q[0])
        out[:3, 3] = AXIS * q[1]
    elif kind == "universal":
        out[:3, :3] = turn(AXIS, q[0]) @ turn(AXIS2, q[1])
    elif kind == "planar":
        out[:3, :3] = turn(AXIS, q[2])
        out[:3, 3] = AXIS2 * q[0] + np.cross(AXIS, AXIS2) * q[1]
    elif kind in ("ball", "free"):
        w, x, y, z = q[-4:]
        out[:3, :3] = Rotation.from_quat([x, y, z, w]).as_matrix()
        if kind == "free":
            out[:3, 3] = q[:3]
    return out


def twist_by_differences(model: hk.Model, q: np.ndarray, frame: str) -> np.ndarray:
    step, columns = 1e-6, []
    for k in range(model.nv):
        v = np.zeros(model.nv)
        v[k] = step
        a, b = (model.fk(model.integrate(q, s * v), frame=frame) for s in (-1, 1))
        turn = Rotation.from_matrix(b[:3, :3] @ a[:3, :3].T).as_rotvec()
        columns.append(np.concatenate([b[:3, 3] - a[:3, 3], turn]) / (2 * step))
    return np.stack(columns, axis=-1) if columns else np.zeros((6, 0))


@pytest.mark.parametrize("kind", KINDS)
def test_joint_kinds_by_hand(kind: str) -> None:
    model = one_joint(kind)
    assert model.joint_kinds == (kind,)
    assert (model.nq, model.nv) == {
        **{k: (n, n) for k, n in zip(KINDS, (0, 1, 1, 2, 2, 3), strict=False)},
        "ball": (4, 3),
        "free": (7, 6),
    }[kind]
    for q in [model.rest, *model.sample(6, seed=2)]:
        want = PLACE @ moved(kind, q)
        np.testing.assert_allclose(model.fk(q, frame="arm"), want, atol=1e-15 * 4)
        np.testing.assert_allclose(model.fk(q), want @ TOOL, atol=1e-15 * 4)
        np.testing.assert_allclose(
            model.jacobian(q), twist_by_differences(model, q, "tool"), atol=1e-9
        )
    if model.nq:
        assert model.joint_q_slices == {"j": slice(0, model.nq)}
    else:
        assert model.joint_q_slices == {}


def test_the_moves_of_ball_and_free_are_as_said() -> None:
    """A ball's v is a rotation vector in the moved frame; a free joint slides in the other."""
    ball, free = one_joint("ball"), one_joint("free")
    rng = np.random.default_rng(1)
    for seed in range(5):
        q, v = ball.sample(seed=seed), rng.normal(size=3)
        before, after = ball.fk(q, frame="arm"), ball.fk(ball.integrate(q, v), frame="arm")
        np.testing.assert_allclose(
            after[:3, :3], before[:3, :3] @ Rotation.from_rotvec(v).as_matrix(), atol=1e-14
        )
        q, v = free.sample(seed=seed), rng.normal(size=6)
        before, after = free.fk(q, frame="arm"), free.fk(free.integrate(q, v), frame="arm")
        np.testing.assert_allclose(after[:3, 3], before[:3, 3] + PLACE[:3, :3] @ v[:3], atol=1e-14)
        np.testing.assert_allclose(
            after[:3, :3], before[:3, :3] @ Rotation.from_rotvec(v[3:]).as_matrix(), atol=1e-14
        )


@pytest.mark.parametrize("kind", KINDS[1:])
def test_integrate_and_difference_undo_each_other(kind: str) -> None:
    model = one_joint(kind)
    a, b = model.sample(40, seed=1), model.sample(40, seed=2)
    v = model.difference(a, b)
    back = model.integrate(a, v)
    np.testing.assert_allclose(model.frames(back), model.frames(b), atol=1e-13)
    small = np.random.default_rng(3).uniform(-1, 1, (40, model.nv))
    np.testing.assert_allclose(model.difference(a, model.integrate(a, small)), small, atol=1e-13)
    np.testing.assert_array_equal(model.integrate(a, np.zeros((40, model.nv))).shape, a.shape)
    if kind in ("ball", "free"):
        turn = v[..., -3:]
        assert (np.linalg.norm(turn, axis=-1) <= np.pi + 1e-15).all()
        flipped = b.copy()
        flipped[:, -4:] *= -1  # the same rotations
        np.testing.assert_allclose(model.difference(a, flipped), v, atol=1e-12)


# -- trees ----------------------------------------------------------------------------------------


def branched() -> ModelSpec:
    """Two arms on a turning trunk, fixed pieces between, and a mimic finger."""
    spec = ModelSpec("tree", [LinkSpec(n) for n in ("world", "plate", "trunk", "a1", "a2")])
    spec.links += [LinkSpec(n) for n in ("b1", "b2", "finger")]
    rows = [
        ("bolt", "fixed", "world", "plate"),
        ("waist", "revolute", "plate", "trunk"),
        ("a_bolt", "fixed", "trunk", "a1"),
        ("a", "revolute", "a1", "a2"),
        ("b", "prismatic", "trunk", "b1"),
        ("b_bolt", "fixed", "b1", "b2"),
        ("curl", "revolute", "a2", "finger"),
    ]
    for k, (name, kind, parent, child) in enumerate(rows):
        place = PLACE.copy()
        place[:3, 3] += 0.1 * k
        spec.joints.append(JointSpec(name, kind, parent, child, place, tuple(AXIS)))
    spec.joints[-1].mimic = MimicSpec("a", -2.0, 0.3)
    spec.frames.append(FrameSpec("eye", "b2", TOOL))
    return spec


def test_a_tree_by_hand() -> None:
    spec = branched()
    model = hk.Model(spec)
    assert model.nq == model.nv == 3
    assert model.tip is None
    assert set(model.joint_q_slices) == {"waist", "a", "b"}
    assert model.frame_names[-1] == "eye"
    at = {name: model.joint_q_slices[name].start for name in model.joint_q_slices}
    for q in model.sample(5, seed=1):
        values = {name: q[i] for name, i in at.items()}
        values["curl"] = -2.0 * values["a"] + 0.3
        pose = {"world": np.eye(4)}
        for joint in spec.ordered_joints():
            x = [values.get(joint.name, 0.0)]
            pose[joint.child] = pose[joint.parent] @ joint.placement @ moved(joint.kind, x)
        pose["eye"] = pose["b2"] @ TOOL
        frames = model.frames(q)
        for i, name in enumerate(model.frame_names):
            np.testing.assert_allclose(frames[i], pose[name], atol=1e-14, err_msg=name)
            np.testing.assert_array_equal(model.fk(q, frame=name), frames[i])
            np.testing.assert_array_equal(model.fk(q, frame=i), frames[i])
            np.testing.assert_allclose(
                model.jacobian(q, frame=name), twist_by_differences(model, q, name), atol=1e-9
            )
        # A joint of the other branch does not move the eye, the follower adds to its master.
        assert (model.jacobian(q, frame="eye")[:, at["a"]] == 0).all()
    with pytest.raises(hk.ArgumentError, match="several tips"):
        model.fk(model.rest)


def test_fixed_joints_cost_no_step() -> None:
    model = hk.Model(branched())
    assert len(model.step_kind) == 4  # waist, a, b, curl
    assert list(model.joint_step[[0]]) == [-1]
    np.testing.assert_array_equal(model.fk(model.rest, frame="world"), np.eye(4))


def test_limits_of_followers_narrow_their_masters() -> None:
    spec = branched()
    spec.joints[3].lower, spec.joints[3].upper = -1.0, 1.0
    spec.joints[-1].lower, spec.joints[-1].upper = -0.7, 0.5  # -2 a + 0.3: a in -0.1 .. 0.5
    model = hk.Model(spec)
    at = model.joint_q_slices["a"].start
    assert (model.lower[at], model.upper[at]) == pytest.approx((-0.1, 0.5))
    spec.joints[-1].lower, spec.joints[-1].upper = 5.0, 6.0
    with pytest.raises(hk.ModelError, match=r"'curl'.*no room for 'a'"):
        hk.Model(spec)
    spec.joints[-1].mimic = MimicSpec("a", 0.0, 0.3)
    with pytest.raises(hk.ModelError, match=r"'curl'.*scale"):
        hk.Model(spec)


def test_chains_of_followers() -> None:
    spec = hk.chain([1.0] * 4).spec
    spec.joints[0].mimic = MimicSpec("joint_2", 2.0, 0.1)
    spec.joints[1].mimic = MimicSpec("joint_4", -0.5, 0.2)
    model = hk.Model(spec)
    assert model.nq == 2
    assert list(model.joint_mimic) == [3, 3, -1, -1]
    free = hk.chain([1.0] * 4)
    for q in model.sample(4, seed=1):
        q2 = -0.5 * q[1] + 0.2
        full = [2 * q2 + 0.1, q2, q[0], q[1]]
        np.testing.assert_allclose(model.fk(q), free.fk(full), atol=1e-14)
        want = free.jacobian(full) @ [[0, -1], [0, -0.5], [1, 0], [0, 1]]
        np.testing.assert_allclose(model.jacobian(q), want, atol=1e-14)


# -- a model as an object -------------------------------------------------------------------------


def test_arrays_are_read_only_views_that_keep_the_model_alive() -> None:
    model = hk.Model(branched())
    names = [n for n in dir(_core.Model) if isinstance(getattr(model, n), np.ndarray)]
    assert {"lower", "upper", "rest", "step_placement", "frame_step"} <= set(names)
    for name in names:
        view = getattr(model, name)
        assert not view.flags.writeable, name
        with pytest.raises(ValueError, match="WRITEABLE"):
            view.setflags(write=True)
        with pytest.raises(AttributeError):
            setattr(model, name, view)
    kept = {name: getattr(model, name) for name in names}
    copies = {name: view.copy() for name, view in kept.items()}
    del model
    gc.collect()
    for name, view in kept.items():
        np.testing.assert_array_equal(view, copies[name])


@pytest.mark.parametrize("make", [lambda: hk.Model(branched()), lambda: hk.chain([1, 2], "ball")])
def test_models_are_pickled_and_copied(make: Any) -> None:
    model = make()
    for other in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert repr(other) == repr(model)
        assert other.joint_names == model.joint_names
        assert other.tip == model.tip
        q = model.sample(3, seed=0)
        np.testing.assert_array_equal(other.frames(q), model.frames(q))
        np.testing.assert_array_equal(other.lower, model.lower)


def test_the_spec_is_a_copy() -> None:
    spec = branched()
    model = hk.Model(spec)
    pose = model.fk(model.rest, frame="eye")
    spec.joints[1].placement[0, 3] = 99
    model.spec.joints[1].placement[0, 3] = 99
    np.testing.assert_array_equal(model.fk(model.rest, frame="eye"), pose)
    np.testing.assert_array_equal(hk.Model(model.spec).fk(model.rest, frame="eye"), pose)


def test_with_limits() -> None:
    arm = hk.chain([1, 1, 1])
    other = arm.with_limits({"joint_1": (-1, 1)}, joint_3=hk.deg(0, 90))
    np.testing.assert_allclose(other.lower, [-1, -np.inf, 0])
    np.testing.assert_allclose(other.upper, [1, np.inf, np.pi / 2])
    assert np.isinf(arm.lower).all()
    assert (other.rest == 0).all()
    assert arm.with_limits(joint_2=(0.5, 0.7)).rest[1] == 0.5
    two = one_joint("cylindrical").with_limits(j=([-1, -2], [1, 2]))
    np.testing.assert_array_equal(two.lower, [-1, -2])
    for bad, error, text in (
        ({"nope": (0, 1)}, hk.NotFoundError, "no joint is called 'nope'"),
        ({"joint_1": (1, 0)}, hk.ModelError, "'joint_1'.*reversed: 1"),
        ({"joint_1": (np.nan, 0)}, hk.ModelError, "NaN"),
        ({"joint_1": (np.inf, np.inf)}, hk.ModelError, "reversed"),
        ({"joint_1": (0,)}, hk.ArgumentError, "pair"),
        ({"joint_1": 3}, hk.ArgumentError, "pair"),
        ({"joint_1": ([0, 0], [1, 1])}, hk.ModelError, "1 coordinates but 2"),
        ({"joint_1": ("a", "b")}, hk.ModelError, "not a number"),
    ):
        with pytest.raises(error, match=text):
            arm.with_limits(bad)


@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize(
    ("low", "high"), [(None, None), (-0.5, 0.25), (0.5, None), (None, -3.0), (2.0, 2.0)]
)
def test_samples_are_inside(kind: str, low: float | None, high: float | None) -> None:
    model = one_joint(kind, lower=low, upper=high)
    q = model.sample(200, seed=4)
    assert q.shape == (200, model.nq)
    assert (q >= model.lower).all()
    assert (q <= model.upper).all()
    np.testing.assert_allclose(model.clip(q), q, atol=1e-15)
    np.testing.assert_array_equal(q, model.sample(200, seed=4))
    assert not np.array_equal(q, model.sample(200, seed=5)) or low == high
    assert model.sample(seed=1).shape == (model.nq,)
    assert model.sample(0).shape == (0, model.nq)
    if kind in ("ball", "free"):
        np.testing.assert_allclose(np.linalg.norm(q[:, -4:], axis=1), 1, atol=1e-15)
    wild = np.random.default_rng(1).normal(size=(50, model.nq)) * 50
    inside = model.clip(wild)
    assert (inside >= model.lower).all()
    assert (inside <= model.upper).all()
    assert (model.rest >= model.lower).all()
    assert (model.rest <= model.upper).all()


def test_sample_checks_its_numbers() -> None:
    arm = hk.chain([1.0])
    for bad in ({"n": -1}, {"seed": -1}):
        with pytest.raises(hk.ArgumentError, match="must be 0 to 9223372036854775807, got -1"):
            arm.sample(**bad)
    for bad in ({"n": 1.5}, {"n": "3"}, {"seed": 1.5}):
        with pytest.raises(TypeError):
            arm.sample(**bad)


def test_repr_says_what_it_is() -> None:
    assert repr(hk.chain([1.0, 0.5])) == (
        "Model 'chain': 2 joints, nq 2, 4 frames, tip 'tip', reach 1.500 m"
    )
    assert "several tips" in repr(hk.Model(branched()))


# -- what the core refuses ------------------------------------------------------------------------


def definition(n: int = 3) -> dict[str, Any]:
    """Hinges in a row, as the core takes them."""
    place = np.tile([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0.3, 0, 0], (n, 1))
    return {
        "parent": np.arange(-1, n - 1, dtype=np.int32),
        "kind": np.full(n, 1, np.int32),
        "axis": np.tile([0.0, 0, 1], (n, 1)),
        "axis2": np.tile([1.0, 0, 0], (n, 1)),
        "placement": place,
        "lower": np.full(n, -1.0),
        "upper": np.full(n, 1.0),
        "rest": None,
        "mimic": None,
        "mimic_line": None,
        "frame_joint": np.arange(n, dtype=np.int32),
        "frame_placement": place.copy(),
        "joint_names": tuple(f"j{k}" for k in range(n)),
        "frame_index": {f"f{k}": k for k in range(n)},
        "tip": n - 1,
    }


def with_change(name: str, at: Any, value: Any) -> dict[str, Any]:
    made = definition()
    made[name] = np.array(made[name], copy=True)
    made[name][at] = value
    return made


REFUSED = [
    ("kind", 1, 8, "'j1'.*not a joint kind"),
    ("kind", 1, -1, "'j1'.*not a joint kind"),
    ("kind", 1, 2**31 - 1, "'j1'.*not a joint kind"),
    ("parent", 1, 1, "'j1'.*earlier joint"),
    ("parent", 1, 2, "'j1'.*earlier joint"),
    ("parent", 0, -2, "'j0'.*earlier joint"),
    ("axis", 2, 0.0, "'j2'.*axis is zero"),
    ("axis", (2, 1), np.nan, "'j2'.*not finite"),
    ("axis", (2, 1), np.inf, "'j2'.*not finite"),
    ("placement", (0, 9), np.nan, "'j0'.*rigid"),
    ("placement", (0, 0), -1.0, "'j0'.*rigid"),
    ("placement", (0, 0), 1.001, "'j0'.*rigid"),
    ("frame_placement", (1, 4), 2.0, "frame 1.*rigid"),
    ("frame_joint", 1, 3, "frame 1.*joint 3"),
    ("frame_joint", 1, -2, "frame 1"),
    ("lower", 1, 2.0, "'j1'.*limit"),
    ("lower", 1, np.nan, "'j1'.*limit"),
    ("upper", 1, np.nan, "'j1'.*limit"),
    ("upper", 1, -np.inf, "'j1'.*limit"),
    ("lower", 1, np.inf, "'j1'.*limit"),
    ("placement", (1, 9), 1e200, "add up"),
]


@pytest.mark.parametrize(("name", "at", "value", "text"), REFUSED)
def test_the_core_refuses(name: str, at: Any, value: Any, text: str) -> None:
    _core.Model(**definition())
    with pytest.raises(hk.ModelError, match=text):
        _core.Model(**with_change(name, at, value))


def test_the_core_refuses_wrong_sizes_and_types() -> None:
    for name, value in (
        ("kind", np.ones(4, np.int32)),
        ("axis", np.ones((2, 3))),
        ("placement", np.ones((3, 11))),
        ("lower", np.zeros(2)),
        ("upper", np.zeros(4)),
        ("rest", np.zeros(9)),
        ("frame_placement", np.zeros(0)),
        ("tip", 3),
        ("tip", -2),
    ):
        with pytest.raises(hk.ArgumentError, match=name):
            _core.Model(**{**definition(), name: value})
    for name, value in (
        ("parent", None),
        ("kind", None),
        ("lower", None),
        ("joint_names", ["a"]),
        ("frame_index", None),
        ("parent", np.array([-1.5, 0.5, 1.2])),
        ("tip", "x"),
        ("mimic", np.zeros(3, np.int32)),  # without mimic_line
        ("axis", np.ones((3, 3), complex)),
    ):
        with pytest.raises(TypeError):
            _core.Model(**{**definition(), name: value})
    for broken in ((None, "b", "c"), ("a",), ("\udc80", "b", "c")):
        # Names serve the sentences alone: odd ones do no harm.
        _core.Model(**{**definition(), "joint_names": broken})


@pytest.mark.parametrize("number", [3, -1, 10**9, 2**40])
def test_frame_numbers_of_the_index_are_not_trusted(number: int) -> None:
    model = _core.Model(**{**definition(), "frame_index": {"f": number}})
    with pytest.raises(hk.InternalError, match="frame 'f'"):
        model.fk(model.rest, frame="f")


odd = st.one_of(
    st.integers(-3, 12),
    st.sampled_from([2**31 - 1, -(2**31), 1000]),
    st.integers(-(2**31), 2**31 - 1),
)
wild = st.one_of(st.floats(), st.sampled_from([0.0, 1e308, -1e308, 5e-324, np.inf, np.nan, 1.0]))


@settings(max_examples=300)
@given(data=st.data())
def test_any_definition_is_refused_or_works(data: Any) -> None:
    """Whatever stands in the arrays: a named error, or a model whose numbers are finite."""
    n = data.draw(st.integers(0, 6))
    made = definition(n)
    made["tip"] = data.draw(st.integers(-3, n))
    if data.draw(st.booleans()):
        made["mimic"] = np.full(n, -1, np.int32)
        made["mimic_line"] = np.tile([1.0, 0.0], (n, 1))
    free = data.draw(st.booleans())
    if free and n:
        made["kind"] = np.array(
            data.draw(st.lists(st.integers(0, 7), min_size=n, max_size=n)), np.int32
        )
        size = sum(_core.table("joints")[k][3] for k in made["kind"])
        made["lower"], made["upper"] = np.full(size, -1.0), np.full(size, 1.0)
    for _ in range(data.draw(st.integers(0, 3))):
        name = data.draw(st.sampled_from([k for k, v in made.items() if isinstance(v, np.ndarray)]))
        if made[name].size:
            at = data.draw(st.integers(0, made[name].size - 1))
            made[name].reshape(-1)[at] = data.draw(odd if made[name].dtype.kind == "i" else wild)
    try:
        model = _core.Model(**made)
    except hk.HandikError:
        return
    rest = model.rest
    assert np.isfinite(rest).all()
    assert np.isfinite(model.frames(rest)).all()
    assert np.isfinite(model.max_reach)
    for frame in range(n):
        assert np.isfinite(model.jacobian(rest, frame=frame)).all()


# -- size -----------------------------------------------------------------------------------------


def long_chain(n: int) -> _core.Model:
    """n hinges in a row straight from arrays, each turned a little."""
    made = definition(n)
    made["placement"][:, 9] = 1.0 / n
    made["frame_joint"] = np.array([n - 1], np.int32)
    made["frame_placement"] = np.array([[1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]])
    made["frame_index"], made["tip"] = {"tip": 0}, 0
    return _core.Model(**made)


def check_long_chain(n: int) -> None:
    model = long_chain(n)
    q = np.full(n, 1.0 / n)
    pose = model.fk(q)
    # n points on an arc of one radian: the sum of a geometric series.
    turn = np.exp(1j * np.arange(n) / n).sum() / n
    np.testing.assert_allclose(pose[:2, 3], [turn.real, turn.imag], atol=1e-12 * n**0.5)
    np.testing.assert_allclose(pose[:2, 0], [np.cos(1), np.sin(1)], atol=1e-12 * n**0.5)
    jacobian = model.jacobian(q)
    assert jacobian.shape == (6, n)
    np.testing.assert_allclose(jacobian[5], 1, atol=1e-12)
    first = [-pose[1, 3], pose[0, 3] - 1 / n]
    np.testing.assert_allclose(jacobian[:2, 0], first, atol=1e-12 * n**0.5)


def test_a_chain_of_a_hundred_thousand_joints() -> None:
    check_long_chain(100_000)
    star = definition(100_000)
    star["parent"][:] = -1  # all on the world
    assert _core.Model(**star).frames(np.zeros(100_000)).shape == (100_000, 4, 4)


@pytest.mark.slow
def test_a_chain_of_a_million_joints_takes_linear_time() -> None:
    """Quadratic time would be a million million steps: the test's own time would be over."""
    check_long_chain(1_000_000)


def test_a_long_chain_by_the_public_way() -> None:
    n = 20_000
    arm = hk.chain(np.full(n, 1.0 / n), "ball")
    assert arm.nq == 4 * n
    assert arm.max_reach == pytest.approx(1.0)
    result = arm.solve(position=[0.3, 0.4, 0.2], solver="fabrik", max_iter=50)
    assert np.isfinite(result.q).all()
    back = pickle.loads(pickle.dumps(arm))
    np.testing.assert_array_equal(back.fk(result.q), arm.fk(result.q))


def test_half_open_limits_are_sampled_over_a_whole_range():
    """A turn over a full turn from its one limit, a slide over twice the reach."""
    spec = hk.chain([0.4, 0.6]).spec
    spec.joints[0].lower, spec.joints[0].upper = 1.0, np.inf
    spec.joints[1].kind, spec.joints[1].lower, spec.joints[1].upper = "prismatic", -np.inf, 2.0
    model = hk.Model(spec)
    q = model.sample(4000, seed=1)
    wide = 2 * model.max_reach
    assert 1.0 <= q[:, 0].min() < 1.02
    assert 1.0 + 2 * np.pi - 0.02 < q[:, 0].max() <= 1.0 + 2 * np.pi
    assert 2.0 - wide <= q[:, 1].min() < 2.0 - 0.99 * wide
    assert 2.0 - 0.01 * wide < q[:, 1].max() <= 2.0


def test_limits_of_what_follows_a_follower_hold_its_master():
    """c = -0.5 b + 0.2 and b = 2 a + 0.5, so c = -a - 0.05: its limits are those of a, turned round and moved."""
    spec = hk.chain([0.3, 0.3, 0.3]).spec
    one, two, three = (joint for joint in spec.joints if joint.kind == "revolute")
    two.mimic, three.mimic = MimicSpec(one.name, 2.0, 0.5), MimicSpec(two.name, -0.5, 0.2)
    one.lower, one.upper = -3.0, 3.0
    two.lower, two.upper = -np.inf, np.inf
    three.lower, three.upper = -0.3, 0.4
    model = hk.Model(spec)
    np.testing.assert_allclose((model.lower, model.upper), [[-0.45], [0.25]], atol=1e-15)
