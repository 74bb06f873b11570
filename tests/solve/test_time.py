"""Time limits and the tick in every solver: work is counted where it is done, however an iteration is made."""

from __future__ import annotations

import time
from functools import cache

import numpy as np
import pytest
from solver_figures import FIGURES

import handik as hk
from handik import Outcome, Pose, Position, Problem

LIMIT, LATE, SILENT = 0.05, 0.02, 0.1
#: Runs of a solver whose iterations are long: a figure of many joints, and the options that cost.
RUNS = [
    *((row.name, {}) for row in hk.solvers()),
    *((name, {"manipulability": 1.0}) for name in ("pinv", "dls", "sdls")),
    ("pinv", {"use_svd": 1}),
    ("genetic", {"population": 2000}),
    ("memetic", {"population": 2000, "elites": 50}),
]


@cache
def long_problem(kind):
    """A problem, a target that is never met (the tolerance is zero), a start."""
    if kind == "balls":
        model = hk.chain([0.1] * 60, "ball")
        terms = [Pose(position_tolerance=0.0, orientation_tolerance=0.0)]
    elif kind == "points":
        model = hk.chain([0.1] * 60, "ball")
        terms = [Position(position_tolerance=0.0)]
    elif kind == "gaps":  # 174 rows, which some solvers part into singular values
        model = hk.chain([0.1] * 60, "ball")
        bodies = [
            hk.Capsule(name, (0, 0, 0), (0.1, 0, 0), 0.02) for name in model.frame_names[1:21]
        ]
        pairs = [(i, j) for i in range(20) for j in range(i + 2, 20)]
        gaps = hk.SelfCollision(capsules=bodies, pairs=pairs, clearance=0.5)
        terms = [Position(position_tolerance=0.0), gaps]
    else:
        model = FIGURES["arm"]()
        terms = [Pose(position_tolerance=0.0, orientation_tolerance=0.0)]
    problem = Problem(model, terms)
    pose = hk._core.pose_columns(model.fk(model.sample(1, seed=2)))[0]
    if kind == "arm":
        pose[:3] *= 0.2  # no posture is there
    return problem, pose[: problem.width], model.sample(1, seed=1)[0]


def solver_of(name, options, kind, **more):
    """Solver for a problem, or the test is skipped."""
    solver = hk.Solver(name, max_iter=10**9, retries=10**6, ftol=0.0, **options, **more)
    problem, target, q0 = long_problem(kind)
    try:
        hk.Solver(name, max_iter=1, **options)(problem, target, q0=q0)
    except hk.UnsupportedError:
        pytest.skip("not for this problem")
    return lambda **how: solver(problem, target, q0=q0, **how)


@pytest.mark.parametrize("kind", ["balls", "points", "gaps", "arm"])
@pytest.mark.parametrize(("name", "options"), RUNS)
def test_time_limits_are_kept(name, options, kind):
    call = solver_of(name, options, kind, time_limit=LIMIT)
    late = []
    while len(late) < 5 and not any(x < LATE for x in late):
        before = time.process_time()  # the processor's: others use the machine too
        got = call()
        late.append(time.process_time() - before - LIMIT)
    if got.outcome not in (Outcome.CONVERGED, Outcome.UNREACHABLE, Outcome.STALLED):
        assert got.outcome == Outcome.TIME_LIMIT
    assert min(late) < LATE, late


@pytest.mark.parametrize("kind", ["balls", "points", "gaps", "arm"])
@pytest.mark.parametrize(("name", "options"), RUNS)
def test_the_tick_is_asked_all_along(name, options, kind):
    """It is what serves Ctrl-C; a call that it ends ends at once."""
    call = solver_of(name, options, kind)
    gaps = []
    while len(gaps) < 5 and not any(x < SILENT for x in gaps):
        gaps.append(longest_silence(call))
    assert min(gaps) < SILENT, gaps


def longest_silence(call):
    """The processor's seconds between two ticks, and from the one that ends the call to its end."""
    seen = [time.process_time()]

    def tick(done, total):
        seen.append(time.process_time())
        if seen[-1] - seen[0] > 0.15:
            raise RuntimeError("enough")

    try:
        call(progress=tick)
    except RuntimeError:
        if len(seen) == 2:  # asked once, which shows nothing: the process may have stood still
            return np.inf
    seen.append(time.process_time())
    return np.diff(seen).max()
