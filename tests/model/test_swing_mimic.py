"""Joints that follow the swing of a ball: fit, motion, solvers, files, parts, refusals."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik.files.read.toml import read_toml
from handik.spec import MimicSpec
from handik.study.twins.tree import Tree

MONOMIALS = "1 x y z xx xy xz yy yz zz xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz".split()


def shifted(*place: float) -> np.ndarray:
    out = np.eye(4)
    out[:3, 3] = place
    return out


def shoulder(seed: int = 0, size: float = 0.05, room: bool = True) -> hk.Model:
    """A spine, a clavicle that turns and slides with the arm, the arm, a blade beside it."""
    rng = np.random.default_rng(seed)

    def swing() -> hk.SwingMimicSpec:
        return hk.SwingMimicSpec("shoulder", size * rng.normal(size=20))

    rows = [
        ("spine", "revolute", "hip", "chest", (0, 0, 0.3), (0, 1, 0), -1.0, 1.0, None),
        ("clavicle", "revolute", "chest", "bar", (0, 0.05, 0.2), (0, 0, 1), None, None, swing()),
        ("rise", "prismatic", "bar", "acromion", (0, 0.1, 0), (0, 0.6, 0.8), None, None, swing()),
        ("shoulder", "ball", "acromion", "arm", (0, 0.03, 0), (0.1, 0, -1), None, None, None),
        ("elbow", "revolute", "arm", "forearm", (0, 0, -0.3), (0, 1, 0), -2.5, 0.0, None),
        ("carry", "revolute", "forearm", "hand", (0, 0, -0.2), (1, 0, 0), None, None, swing()),
        ("blade", "revolute", "bar", "scapula", (0, 0.02, -0.1), (1, 0, 0), None, None, swing()),
    ]
    joints = [
        hk.JointSpec(n, k, a, b, shifted(*at), axis, None, low, high, mimic)
        for n, k, a, b, at, axis, low, high, mimic in rows
    ]
    if room:
        joints[3].cone = hk.Cone(2.0, (-1.5, 1.5))
    links = [hk.LinkSpec("hip"), *(hk.LinkSpec(j.child) for j in joints)]
    frames = [
        hk.FrameSpec("grip", "hand", shifted(0, 0, -0.2)),
        hk.FrameSpec("tip", "scapula", shifted(0, 0, -0.1)),
    ]
    for link in links[1:]:
        link.inertial = hk.spec.InertialSpec(1.0, np.array([0.0, 0.02, 0.1]), np.eye(3) * 0.01)
    return hk.Model(hk.ModelSpec("shoulder", links, joints, frames))


def term(name: str, d: np.ndarray) -> np.ndarray:
    """A monomial by its name."""
    out = np.ones(d.shape[:-1])
    for letter in name.strip("1"):
        out = out * d[..., "xyz".index(letter)]
    return out


def by_composition(model: hk.Model, q: np.ndarray, frame: str) -> np.ndarray:
    """Forward kinematics from the spec alone, joint by joint."""
    spec = model.spec
    ball = q[model.joint_q_slices["shoulder"]]
    w, x, y, z = ball / np.linalg.norm(ball)
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    bone = np.array([0.1, 0, -1]) / np.linalg.norm([0.1, 0, -1])
    d = turn @ bone
    above = {joint.child: joint for joint in spec.joints}
    on = next(f for f in spec.frames if f.name == frame)
    pose, link = on.placement, on.link
    while link in above:
        joint = above[link]
        motion = np.eye(4)
        if joint.kind == "ball":
            motion[:3, :3] = turn
        else:
            if joint.mimic is None:
                value = q[model.joint_q_slices[joint.name]][0]
            else:
                terms = [term(name, d) for name in MONOMIALS]
                value = float(np.dot(joint.mimic.coefficients, terms))
            axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
            if joint.kind == "prismatic":
                motion[:3, 3] = value * axis
            else:
                k = np.cross(np.eye(3), axis).T
                k = np.array(
                    [[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]]
                )
                motion[:3, :3] = np.eye(3) + np.sin(value) * k + (1 - np.cos(value)) * k @ k
        pose, link = joint.placement @ motion @ pose, joint.parent
    return pose


def differences(model: hk.Model, q: np.ndarray, frame: str, step: float = 1e-5) -> np.ndarray:
    out = np.zeros((6, model.nv))
    for k in range(model.nv):
        v = np.zeros(model.nv)
        v[k] = step
        ahead, behind = (
            model.fk(model.integrate(q, v), frame=frame),
            model.fk(model.integrate(q, -v), frame=frame),
        )
        spin = ahead[:3, :3] @ behind[:3, :3].T
        out[:3, k] = (ahead[:3, 3] - behind[:3, 3]) / (2 * step)
        out[3:, k] = np.array(
            [spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]]
        ) / (4 * step)
    return out


# -- the polynomial -----------------------------------------------------------------------------


def test_value_is_the_named_sum() -> None:
    rng = np.random.default_rng(1)
    c, d = rng.normal(size=20), rng.normal(size=(7, 2, 3))
    d /= np.linalg.norm(d, axis=-1, keepdims=True)
    wanted = sum(a * term(name, d) for a, name in zip(c, MONOMIALS, strict=True))
    assert np.allclose(hk.SwingMimicSpec("b", c).value(d), wanted, atol=1e-14)
    for size in (1, 4, 10):
        short, padded = c[:size], np.r_[c[:size], np.zeros(20 - size)]
        assert np.allclose(
            hk.SwingMimicSpec("b", short).value(d), hk.SwingMimicSpec("b", padded).value(d)
        )


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 3]))
def test_fit_finds_what_made_the_values(seed: int, degree: int) -> None:
    rng = np.random.default_rng(seed)
    size = (1, 4, 10, 20)[degree]
    d = rng.normal(size=(80, 3))
    made = hk.SwingMimicSpec("b", rng.normal(size=size))
    fit = hk.SwingMimicSpec.fit("b", d, made.value(d), degree)
    assert len(fit.coefficients) == size
    fresh = rng.normal(size=(50, 3))
    assert np.allclose(fit.value(fresh), made.value(fresh), atol=1e-8)
    # of the many that are the same function on the sphere, the smallest
    assert np.linalg.norm(fit.coefficients) <= np.linalg.norm(made.coefficients) * (1 + 1e-9)


def test_weights_choose_whom_to_please() -> None:
    d = np.array([[0, 0, 1.0], [0, 0, 1.0], [1.0, 0, 0]])
    fit = hk.SwingMimicSpec.fit("b", d, [1.0, 2.0, 0.0], degree=1, weights=[3.0, 1.0, 1.0])
    assert fit.value([0, 0, 1]) == pytest.approx(1.25)
    low, high = fit.bounds()
    assert low == pytest.approx(fit.value(-np.array(fit.coefficients[1:])), abs=0.01)
    assert high == pytest.approx(fit.value(fit.coefficients[1:]), abs=0.01)


# -- motion -------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_poses_and_jacobians(seed: int, room: bool) -> None:
    model = shoulder(seed, size=0.3, room=room)
    tree = Tree(model)
    for q in model.sample(3, seed=seed):
        for frame in ("grip", "tip"):
            index = model.frame_names.index(frame)
            pose, jacobian = model.fk(q, frame=frame), model.jacobian(q, frame=frame)
            assert np.abs(pose - by_composition(model, q, frame)).max() < 1e-13
            assert np.abs(pose - tree.fk(q, index)).max() < 1e-13
            assert np.abs(jacobian - differences(model, q, frame)).max() < 1e-7
            assert np.abs(jacobian - tree.jacobian(q, index)).max() < 1e-12


def test_at_rest_and_opposite_to_it() -> None:
    model = shoulder(3, room=False)
    q = model.rest.copy()
    for turn in (
        [1.0, 0, 0, 0],
        [0.0, 0, 1, 0],
        [1e-9, 0, 1, 0],
        [0, 1 / np.sqrt(1.01), 0, 0.1 / np.sqrt(1.01)],
    ):
        q[model.joint_q_slices["shoulder"]] = turn
        for frame in ("grip", "tip"):
            assert (
                np.abs(model.jacobian(q, frame=frame) - differences(model, q, frame)).max() < 1e-7
            )


def test_bytes_do_not_depend_on_the_batch_or_the_threads() -> None:
    model = shoulder(4)
    q = model.sample(37, seed=1)
    one, jac = model.fk(q, frame="grip"), model.jacobian(q, frame="grip")
    for k in range(37):
        assert (model.fk(q[k], frame="grip") == one[k]).all()
        assert (model.jacobian(q[k], frame="grip") == jac[k]).all()
    assert (model.fk(q, frame="grip", threads=3) == one).all()
    found = model.solve(position=one[:, :3, 3], frame="grip")
    alone = np.stack([model.solve(position=one[k, :3, 3], frame="grip").q for k in range(37)])
    assert (found.q == alone).all()
    assert (model.solve(position=one[:, :3, 3], frame="grip", threads=3).q == found.q).all()


def test_it_has_no_coordinate_and_the_reach_counts_it() -> None:
    model = shoulder(5, size=0.2)
    assert (model.nq, model.nv) == (6, 5)
    assert set(model.joint_q_slices) == {"spine", "shoulder", "elbow"}
    q = model.sample(2000, seed=2)
    slide = model.spec.joints[2].mimic
    assert isinstance(slide, hk.SwingMimicSpec)
    step = int(np.flatnonzero(model.step_follow == 1)[0])
    low, high = model.step_limit[step]
    assert low <= slide.bounds()[0] <= slide.bounds()[1] <= high
    tips = model.fk(q, frame="grip")[:, :3, 3]
    assert np.linalg.norm(tips, axis=1).max() < model.max_reach


# -- solvers ------------------------------------------------------------------------------------

DESCENTS = ("auto", "dls", "lm", "gauss_newton", "lbfgs", "hybrid", "memetic")
POINTS = ("fabrik", "fabrik_fast", "ccd")


@pytest.mark.parametrize("solver", [*DESCENTS, *POINTS])
def test_solvers_find_what_the_figure_can(solver: str) -> None:
    model = shoulder(6)
    want = model.fk(model.sample(40, seed=3), frame="grip")
    found = model.solve(
        position=want[:, :3, 3], frame="grip", solver=solver, position_tolerance=1e-4
    )
    own = np.stack([by_composition(model, q, "grip") for q in found.q])
    off = np.linalg.norm(own[:, :3, 3] - want[:, :3, 3], axis=1)
    assert found.converged.mean() >= 0.95
    assert (off[found.converged] <= 1e-4 + 1e-12).all()
    assert np.abs(model.clip(found.q) - found.q).max() < 1e-9
    if solver in DESCENTS:
        posed = model.solve(pose=want, frame="grip", solver=solver, position_tolerance=1e-4)
        assert posed.converged.mean() >= 0.95


def test_goals_that_only_followers_move() -> None:
    """The tip of the blade hangs beside the ball, which moves it by its followers alone."""
    model = shoulder(7, size=0.3)
    want = model.fk(model.sample(20, seed=4), frame="tip")[:, :3, 3]
    found = model.solve(position=want, frame="tip")
    assert found.converged.mean() >= 0.9
    moved = np.abs(found.q[:, model.joint_q_slices["shoulder"]] - [1, 0, 0, 0]).max(axis=1)
    assert (moved > 1e-3).any()
    for solver in ("fabrik", "ccd", "hybrid"):
        with pytest.raises(hk.UnsupportedError, match="moves balls above a goal"):
            model.solve(position=want, frame="tip", solver=solver)


def test_whole_figure_terms() -> None:
    """Centre of mass and a pair of frames, against differences of the judge's own residual."""
    model = shoulder(8, size=0.2)
    goal = [hk.CenterOfMass(), hk.Distance("grip", "tip", distance=0.4)]
    problem = hk.Problem(model, goal)
    for q in model.sample(5, seed=5):
        target = np.array([0.1, 0.2, 0.3])
        j = problem.jacobian(target, q)
        for k in range(model.nv):
            v = np.zeros(model.nv)
            v[k] = 1e-6
            slope = (
                problem.residual(target, model.integrate(q, v))
                - problem.residual(target, model.integrate(q, -v))
            ) / 2e-6
            assert np.abs(slope - j[:, k]).max() < 1e-7


def test_closed_forms_are_not_claimed() -> None:
    model = shoulder(9).locked({"shoulder": [1, 0, 0, 0]})
    assert np.allclose(
        model.fk(model.rest, frame="grip"), by_composition(shoulder(9), shoulder(9).rest, "grip")
    )
    with pytest.raises(hk.UnsupportedError, match="ball"):
        shoulder(9).solutions(np.eye(4), frame="grip")


def test_reach_is_proved_with_the_followers() -> None:
    """A slide of 10 cm by the arm alone: what only it can reach is never called unreachable."""
    model = shoulder(10, size=0.0)
    spec = model.spec
    spec.joints[2].mimic = hk.SwingMimicSpec("shoulder", [0.0, 0.1, 0.0, 0.0])
    spec.joints[2].axis = (1.0, 0.0, 0.0)
    spec.joints[0].lower = spec.joints[0].upper = 0.0
    model = hk.Model(spec)
    q = model.sample(4000, seed=6)
    tips = model.fk(q, frame="grip")[:, :3, 3]
    far = tips[np.argsort(-np.linalg.norm(tips - [0, 0.18, 0.5], axis=1))[:20]]
    found = model.solve(position=far, frame="grip")
    assert "unreachable" not in {str(o) for o in np.atleast_1d(found.outcome)}
    beyond = model.solve(position=[0, 0.18, 0.5 + model.max_reach], frame="grip")
    assert str(beyond.outcome) == "unreachable"


# -- files, parts, locks ------------------------------------------------------------------------


def test_toml_and_pickle_keep_it(tmp_path: object) -> None:
    model = shoulder(11)
    again = read_toml(model.spec.to_toml())
    assert [j.mimic for j in again.joints] == [
        j.mimic and hk.SwingMimicSpec(j.mimic.joint, tuple(j.mimic.coefficients))
        for j in model.spec.joints
    ]
    q = model.sample(3, seed=1)
    for other in (hk.Model(again), pickle.loads(pickle.dumps(model)), hk.Model(model.spec.copy())):
        assert (other.fk(q, frame="grip") == model.fk(q, frame="grip")).all()


@pytest.mark.parametrize("form", ["to_mjcf", "to_sdf"])
def test_other_formats_say_what_they_lose(form: str) -> None:
    spec = shoulder(12, room=False).spec
    with pytest.raises(hk.UnsupportedError, match="follows the swing of 'shoulder'"):
        getattr(spec, form)()
    lost: list[str] = []
    getattr(spec, form)(lost)
    assert sum("follows the swing of 'shoulder'" in sentence for sentence in lost) == 4


def test_a_part_without_the_ball_moves_on_its_own() -> None:
    model = shoulder(13)
    part = model.spec.chain(tip="tip")
    assert any("'blade' follows 'shoulder'" in note for note in part.notes)
    alone = hk.Model(part)
    assert set(alone.joint_q_slices) == {"spine", "clavicle", "blade"}
    mimic = model.spec.joints[1].mimic
    assert isinstance(mimic, hk.SwingMimicSpec)
    at = alone.joint_q_slices["clavicle"]
    assert (alone.lower[at][0], alone.upper[at][0]) == mimic.bounds()
    whole = hk.Model(model.spec.chain(tip="grip"))
    q = model.sample(3, seed=1)
    assert (whole.fk(q, frame="grip") == model.fk(q, frame="grip")).all()


def test_locks() -> None:
    model = shoulder(14)
    with pytest.raises(
        hk.ArgumentError, match="'rise' follows the swing of 'shoulder': lock that one"
    ):
        model.locked({"rise": 0.0})
    held = model.locked({"shoulder": [1, 0, 0, 0]})
    q = held.sample(5, seed=1)
    wanted = q.copy()
    wanted[:, held.joint_q_slices["shoulder"]] = [1, 0, 0, 0]
    assert np.abs(held.fk(q, frame="tip") - model.fk(wanted, frame="tip")).max() < 1e-14
    found = held.solve(position=held.fk(q, frame="grip")[:, :3, 3], frame="grip")
    assert found.converged.all()
    assert (found.q[:, held.joint_q_slices["shoulder"]] == [1, 0, 0, 0]).all()


# -- refusals -----------------------------------------------------------------------------------


def spoilt(**change: object) -> hk.ModelSpec:
    spec = shoulder().spec
    for name, value in change.items():
        setattr(spec.joints[1], name, value)
    return spec


def follows(ball: str = "shoulder", c: object = (0.0, 0.1, 0.0, 0.0)) -> hk.SwingMimicSpec:
    return hk.SwingMimicSpec(ball, c)  # type: ignore[arg-type]  # what is refused is no sequence


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"mimic": follows("nobody")}, "mimics 'nobody', which does not exist"),
        ({"mimic": follows("clavicle")}, "it mimics itself"),
        ({"mimic": follows("elbow")}, "'elbow', which is revolute: only a ball has one"),
        ({"mimic": follows("rise")}, "'rise', which is a mimic"),
        ({"mimic": MimicSpec("shoulder")}, "only joints of one coordinate"),
        (
            {"mimic": MimicSpec("rise")},
            "follows the swing of 'shoulder': give it coefficients of its own",
        ),
        ({"lower": -1.0}, "has limits: they belong to the ball"),
        ({"kind": "cylindrical"}, "but is cylindrical"),
        ({"mimic": follows(c=[1.0, 2.0])}, "1, 4, 10 or 20 finite"),
        ({"mimic": follows(c=[float("nan")])}, "1, 4, 10 or 20 finite"),
        ({"mimic": follows(c="x")}, "1, 4, 10 or 20 finite"),
        ({"mimic": follows(c=[1e300])}, r"beyond 1e\+100"),
    ],
    ids=lambda x: x if isinstance(x, str) else None,
)
def test_what_cannot_follow_is_named(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(hk.ModelError, match=sentence):
        hk.Model(spoilt(**change))


def test_a_ball_cannot_follow() -> None:
    spec = shoulder().spec
    spec.joints[3].mimic = follows("shoulder")
    with pytest.raises(hk.ModelError, match="a mimic: only a ball"):
        hk.Model(spec)
    spec.joints[3].mimic = MimicSpec("elbow")
    with pytest.raises(hk.ModelError, match="a mimic: only a ball"):
        hk.Model(spec)
    spec = shoulder().spec
    spec.joints[3].axis, spec.joints[3].cone = (0.0, 0.0, 0.0), None
    with pytest.raises(hk.ModelError, match="whose swing 'clavicle' follows"):
        hk.Model(spec)


def test_large_coefficients_are_still_numbers() -> None:
    spec = shoulder().spec
    spec.joints[2].mimic = follows(c=[1e100, 0, 0, 0])
    model = hk.Model(spec)
    assert np.isfinite(model.fk(model.rest, frame="grip")).all()
    spec.joints[1].mimic = follows(c=[-1e100] * 20)
    assert np.isfinite(hk.Model(spec).fk(model.rest, frame="grip")).all()
