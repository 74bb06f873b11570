"""What is called met is so: no NaN passes the judge. A batch is its single problems, byte for byte."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.spec import InertialSpec, JointSpec, LinkSpec, ModelSpec


def at(x: float) -> np.ndarray:
    out = np.eye(4)
    out[0, 3] = x
    return out


def arm() -> hk.Model:
    joints = [
        JointSpec("1", "revolute", "a", "b"),
        JointSpec("2", "revolute", "b", "c", at(0.3), (0, 1.0, 0)),
    ]
    return hk.Model(ModelSpec("arm", [LinkSpec(x) for x in "abc"], joints))


def carriages() -> hk.Model:
    """Two, on two slides each, of 1 kg a link."""
    links = [LinkSpec("w")] + [LinkSpec(x, InertialSpec(1.0)) for x in "abcd"]
    ends = [("w", "a"), ("a", "b"), ("w", "c"), ("c", "d")]
    joints = [
        JointSpec(b, "prismatic", a, b, at(0.1 * k), (1.0, 0, 0)) for k, (a, b) in enumerate(ends)
    ]
    return hk.Model(ModelSpec("carriages", links, joints))


@pytest.mark.parametrize("solver", ["auto", "dls", "fabrik", "ccd", "lm", "genetic", "lm_lanes"])
def test_a_turn_no_sine_is_known_of_meets_nothing(solver) -> None:
    """From 1e300 on a turn has no sine, and the pose is NaN."""
    model = arm()
    got = hk.Solver(solver, max_iter=50, restarts=0)(
        hk.Problem(model, [hk.Orientation()]), [0.0, 1, 0, 0], q0=[1e301, 0.3]
    )
    lost = np.isnan(model.fk(got.q)).any()
    assert lost or got.q[0] < 1e300
    assert not (lost and got.converged)
    assert np.isnan(got.orientation_error) == lost


@pytest.mark.parametrize(
    "term",
    [
        hk.Distance(frame="b", other="d", least=1.0, most=2.0),
        hk.CentreOfMass(over=[(0, 0), (1, 0), (0, 1)]),
        hk.SelfDistance(
            capsules=[
                hk.Capsule("b", (0, 0, 0), (0, 0, 0), 0.0),
                hk.Capsule("d", (0, 0, 0), (0, 0, 0), 0.0),
            ],
            clearance=0.0,
        ),
    ],
)
def test_positions_beyond_all_numbers_meet_nothing(term) -> None:
    problem = hk.Problem(carriages(), [term])
    q = np.array([1.7e308, 1.7e308, 1.7e308, 1.7e308])
    held = [np.full(2, 42.0) for _ in range(30)]
    del held
    assert 42.0 not in problem.residual(np.zeros(0), q)
    assert not problem.judge(np.zeros(0), q)[0]


def test_the_position_error_of_a_pose_that_is_none_is_nan() -> None:
    model = hk.Model.from_dh([[0, 0, 1, 0], [0, 0, 1, 1.0], [0, 0, 1, 0]])
    model = model.with_limits({model.joint_names[0]: (1e300, 1e301)})
    got = model.solve(position=[1.2, 0.5, 0.6])
    assert not got.converged
    assert np.isnan([got.error, got.position_error, got.orientation_error]).all()


@pytest.mark.parametrize("solver", ["auto", "lm_lanes"])
@pytest.mark.parametrize("unit", [True, False])
def test_a_batch_is_its_singles_with_a_ball_beside_the_chain(solver, unit) -> None:
    joints = [
        JointSpec("1", "revolute", "a", "b"),
        JointSpec("2", "revolute", "b", "c", at(1.0), (0, 1.0, 0)),
        JointSpec("3", "revolute", "c", "d", at(1.0), (0, 1.0, 0)),
        JointSpec("neck", "ball", "a", "n"),
    ]
    model = hk.Model(ModelSpec("figure", [LinkSpec(x) for x in "abcdn"], joints))
    rng = np.random.default_rng(1)
    target = rng.normal(size=(100, 3))
    q0 = model.sample(100, seed=0) if unit else rng.normal(size=(100, model.nq))
    problem = hk.Problem(model, [hk.Position(frame="d")])
    batch = hk.Solver(solver)(problem, target, q0=q0).q
    one = [hk.Solver(solver)(problem, target[i], q0=q0[i]).q for i in range(100)]
    assert np.array(one).tobytes() == batch.tobytes()
    for threads in (2, 7):
        assert (
            hk.Solver(solver, threads=threads)(problem, target, q0=q0).q.tobytes()
            == batch.tobytes()
        )
