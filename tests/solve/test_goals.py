"""Several goals of a human figure at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from human_figures import upper_body
from scipy.optimize import least_squares
from solver_figures import two_arms

import handik as hk
from handik.spec import JointSpec, LinkSpec


def seated() -> hk.Model:
    """The upper body of the solver tests on a pelvis that slides within 15 cm each way."""
    spec, above = upper_body().spec, "base"
    seat = []
    for k, axis in enumerate(np.eye(3)):
        spec.links.append(LinkSpec(f"seat{k}"))
        slide = JointSpec(f"slide{k}", "prismatic", above, f"seat{k}", np.eye(4), tuple(axis))
        slide.lower, slide.upper = -0.15, 0.15
        seat.append(slide)
        above = f"seat{k}"
    for joint in spec.joints:
        if joint.parent == "base":
            joint.parent = above
    spec.joints = [*seat, *spec.joints]
    return hk.Model(spec)


@pytest.mark.parametrize("start", ["rest", "random"])
@pytest.mark.parametrize(
    ("solver", "options"),
    [
        ("auto", {}),
        ("dls", {}),
        ("hybrid", {}),
        ("fabrik_fast", {"max_iter": 300, "retries": 4}),
    ],
)
def test_two_hands_head_and_pelvis_at_once(solver: str, options: Any, start: str) -> None:
    """Targets met by some pose inside the limits; `python -m benchmarks goals` has more of them."""
    model, count = seated(), 40
    frames = ("f0", "f1", "f2", "l0")  # head, hands, pelvis
    loose = 1e-3 * model.max_reach
    goals = [hk.Position(f, position_tolerance=loose) for f in frames]
    problem = hk.Problem(model, [*goals, hk.Posture()])
    known = model.sample(count, seed=31)
    points = [model.fk(known, frame=f)[:, :3, 3] for f in frames]
    q0 = None if start == "rest" else model.sample(count, seed=32)
    result = hk.Solver(solver, **options)(problem, problem.targets(*points), q0=q0)
    assert result.converged.mean() >= 0.99
    for frame, point in zip(frames, points, strict=True):
        gap = model.fk(result.q, frame=frame)[:, :3, 3] - point
        assert (np.linalg.norm(gap, axis=-1)[result.converged] <= loose * (1 + 1e-9)).all()


@pytest.mark.parametrize(
    ("solver", "most"), [("auto", 1.0001), ("lm", 1.001), ("dls", 1.01), ("fabrik_fast", 1.15)]
)
def test_conflicting_targets_end_near_the_least(solver: str, most: float) -> None:
    """Two hands are pulled apart; SciPy from several starts says how near both can be."""
    model = two_arms()
    rng = np.random.default_rng(6)
    problem = hk.Problem(model, [hk.Position("f0"), hk.Position("f1", weight=2.0)])
    fixed = np.isfinite(model.lower).nonzero()[0]
    columns = [int(model.step_v[list(model.step_q).index(k)]) for k in fixed]
    for _ in range(3):
        aim = np.array([0, 0, 1.5, 0, 0, 1.5]) + rng.uniform(-1, 1, 6) + [0, -2, 0, 0, 2, 0]
        least = np.inf
        for start in model.sample(4, seed=int(rng.integers(99))):
            low, high = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
            low[columns], high[columns] = (model.lower - start)[fixed], (model.upper - start)[fixed]
            found = least_squares(
                lambda v, start=start, aim=aim: problem.residual(aim, model.integrate(start, v)),
                np.zeros(model.nv),
                bounds=(low - 1e-12, high + 1e-12),
            )
            least = min(least, float(np.sqrt(2 * found.cost)))
        result = hk.Solver(solver, retries=2)(problem, aim)
        assert not result.converged
        assert least > 0.1
        assert 0.9999 * least <= result.error <= most * least
