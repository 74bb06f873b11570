"""Several goals of a human figure at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from human_figures import upper_body

import handik as hk
from handik.read.spec import JointSpec, LinkSpec


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
        ("dls", {"restarts": 20}),
        ("hybrid", {}),
        ("fabrik_fast", {"max_iter": 300, "restarts": 4}),
    ],
)
def test_two_hands_head_and_pelvis_at_once(solver: str, options: Any, start: str) -> None:
    """Targets met by some pose inside the limits; `python -m benchmarks goals` has more of them."""
    model, count = seated(), 40
    frames = ("f0", "f1", "f2", "l0")  # head, hands, pelvis
    loose = 1e-3 * model.reach
    goals = [hk.Reach(f, position_tolerance=loose) for f in frames]
    problem = hk.Problem(model, [*goals, hk.Rest()])
    known = model.sample(count, seed=31)
    points = [model.fk(known, frame=f)[:, :3, 3] for f in frames]
    q0 = None if start == "rest" else model.sample(count, seed=32)
    result = hk.Solver(solver, **options)(problem, problem.targets(*points), q0=q0)
    assert result.converged.mean() >= 0.99
    for frame, point in zip(frames, points, strict=True):
        gap = model.fk(result.q, frame=frame)[:, :3, 3] - point
        assert (np.linalg.norm(gap, axis=-1)[result.converged] <= loose * (1 + 1e-9)).all()
