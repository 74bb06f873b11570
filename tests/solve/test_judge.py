"""What is called met is so: no NaN passes the judge. A batch is its single problems, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys

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


@pytest.mark.parametrize("solver", ["auto", "dls", "fabrik", "ccd", "lm", "genetic", "lm_batch"])
def test_a_turn_no_sine_is_known_of_meets_nothing(solver) -> None:
    """From 1e300 on a turn has no sine, and the pose is NaN."""
    model = arm()
    got = hk.Solver(solver, max_iter=50, retries=0)(
        hk.Problem(model, [hk.Orientation()]), [0.0, 1, 0, 0], q0=[1e301, 0.3]
    )
    lost = np.isnan(model.fk(got.q)).any()
    assert lost or got.q[0] < 1e300
    assert not (lost and got.converged)
    assert np.isnan(got.orientation_error) == lost


@pytest.mark.parametrize(
    "term",
    [
        hk.Distance(frame="b", other="d", min=1.0, max=2.0),
        hk.CenterOfMass(over=[(0, 0), (1, 0), (0, 1)]),
        hk.SelfCollision(
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
    assert not problem.evaluate(np.zeros(0), q)[0]


def test_the_position_error_of_a_pose_that_is_none_is_nan() -> None:
    model = hk.Model.from_dh([[0, 0, 1, 0], [0, 0, 1, 1.0], [0, 0, 1, 0]])
    model = model.with_limits({model.joint_names[0]: (1e300, 1e301)})
    got = model.solve(position=[1.2, 0.5, 0.6])
    assert not got.converged
    assert np.isnan([got.error, got.position_error, got.orientation_error]).all()


@pytest.mark.parametrize("solver", ["auto", "lm_batch"])
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


SETS = ("base", "avx2", "avx512")
BYTES = """
import hashlib, sys
import numpy as np, handik as hk
from handik import _core
rng = np.random.default_rng(0)
told = hashlib.sha256()
arm = hk.Model.from_dh(
    [[0, 0, 0.7, np.pi / 2], [0, 0, 0.5, 0.3], [0, 0.2, 0.4, 0]], lower=[-0.5] * 3, upper=[0.5] * 3
)
r = arm.solve(position=rng.normal(size=(2000, 3)) * 3)
told.update(r.q.tobytes() + r.iterations.tobytes())
for n in (3, 4, 5, 6, 7):
    rows = np.stack([np.zeros(n), *rng.uniform(0, 0.5, (2, n)), rng.uniform(-2, 2, n)], 1)
    middle = rng.uniform(-1, 1, n)  # limits a rounding wide: many starts end at one value
    arm = hk.Model.from_dh(rows, lower=middle - 1e-15, upper=middle + 1e-15)
    r = arm.solve(position=rng.normal(size=(60, 3)) * 3)
    told.update(r.q.tobytes() + r.iterations.tobytes())
print(told.hexdigest())
"""


def test_out_of_reach_every_instruction_set_gives_the_same_bytes() -> None:
    """Starts that end at equal values are ranked by their numbers, not by who ends first."""
    told = {}
    for isa in SETS:
        done = subprocess.run(
            [sys.executable, "-c", BYTES],
            env=os.environ | {"HANDIK_SIMD": isa},
            capture_output=True,
            text=True,
        )
        if "does not have it" in done.stderr:
            continue
        assert done.returncode == 0, done.stderr
        told[isa] = done.stdout
    assert len(set(told.values())) == 1, told


@pytest.mark.parametrize("solver", ["auto", "lm_batch"])
@pytest.mark.parametrize("max_restarts", [1, 2])
def test_a_target_too_far_to_be_squared_ends_alike_alone_and_in_a_batch(
    solver, max_restarts
) -> None:
    joints = [
        JointSpec("1", "revolute", "a", "b"),
        JointSpec("2", "prismatic", "b", "c", at(0.3), (0, 1.0, 0)),
    ]
    model = hk.Model(ModelSpec("figure", [LinkSpec(x) for x in "abc"], joints))
    target = np.array([[0.3e155, 0.2e155, 1e155], [0.5, 0.2, 1.0]])
    solve = hk.Solver(solver, max_restarts=max_restarts)
    problem = hk.Problem(model, [hk.Position()])
    batch, one = solve(problem, target), solve(problem, target[0])
    assert (batch.outcome[0], batch.iterations[0]) == (one.outcome, one.iterations)
    assert one.outcome == hk.Outcome.STALLED
    assert batch.q[0].tobytes() == one.q.tobytes()
