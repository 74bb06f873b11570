"""Every row of the solver table: the same bytes again, with threads, alone; an oracle for each."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from solver_figures import FIGURES, columns, goal_of
from test_lm_lanes import puma

import handik as hk
from handik.study.twins import Tree, jacobian_solve

SOLVERS = [row.name for row in hk.solvers()]
ROOT = Path(__file__).parents[2]
FIELDS = ("q", "outcome", "error", "iterations", "n_restarts")


@pytest.mark.parametrize("name", SOLVERS)
def test_same_bytes_again_with_threads_and_alone(name: str) -> None:
    free = name in ("ftl", "triangulation")  # nothing but free balls
    arm = hk.chain([0.3, 0.3, 0.2, 0.1], "ball") if free else FIGURES["arm"]()
    problem = hk.Problem(arm, [hk.Position()])
    targets = arm.fk(arm.sample(14, seed=1))[:, :3, 3].copy()
    targets[3] = 9.0, 0.0, 0.0  # out of reach
    starts = arm.sample(14, seed=2)
    options = {"max_iter": 25, "retries": 1, "seed": 5}
    first = hk.Solver(name, **options)(problem, targets, q0=starts)
    for threads in (1, 2, 5):
        again = hk.Solver(name, threads=threads, **options)(problem, targets, q0=starts)
        for field in FIELDS:
            assert getattr(again, field).tobytes() == getattr(first, field).tobytes(), field
    for k in (0, 3, 13):
        alone = hk.Solver(name, **options)(problem, targets[k], q0=starts[k])
        assert alone.q.tobytes() == first.q[k].tobytes()
        assert alone.iterations == first.iterations[k]


def test_pinv_with_a_small_step_is_its_twin() -> None:
    arm = FIGURES["arm"]()
    tree, rng = Tree(arm), np.random.default_rng(3)
    tight = {"position_tolerance": 1e-9, "orientation_tolerance": 1e-9}
    for _ in range(3):
        goal = goal_of(arm, tree, tree.sample(rng), "pose", "f0", **tight)
        q0 = tree.clamp(tree.integrate(tree.sample(rng), np.zeros(tree.nv)))
        twin = jacobian_solve(tree, [goal], q0, "pinv", max_iter=12, max_step=np.deg2rad(2))
        solver = hk.Solver("pinv", max_step=hk.deg(2), max_iter=12, perturbations=0, ftol=0)
        got = solver(hk.Problem(arm, [hk.Pose(**tight)]), columns(goal), q0=q0, trace=True)
        np.testing.assert_allclose(got.trace.error, twin.trace, rtol=1e-7)


@pytest.mark.parametrize("name", ["auto", "lm_batch"])
def test_answers_are_among_all_postures_of_the_closed_form(name: str) -> None:
    """The general closed form knows every posture of the arm; an iterative answer is one of them."""
    arm = puma()
    wanted = arm.fk(arm.sample(40, seed=7))
    close = {"position_tolerance": 1e-9, "orientation_tolerance": 1e-9}
    found = hk.Solver(name)(hk.Problem(arm, [hk.Pose(**close)]), hk._core.pose_columns(wanted))
    assert found.converged.all()
    for pose, q in zip(wanted, found.q, strict=True):
        every = np.asarray(arm.solutions(pose).q)
        off = (every - q + np.pi) % (2 * np.pi) - np.pi
        assert np.abs(off).max(axis=-1).min() < 1e-6


def test_the_table_of_oracles_is_complete_and_true() -> None:
    """docs/checks.md names for each solver a test that exists in the file it says."""
    text = (ROOT / "docs/checks.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w`, ]+)` \|.*?\| `(tests/[\w/]+\.py)::(\w+)` \|", text, re.M)
    named = {name for names, *_ in rows for name in re.split(r"`, `", names)}
    assert named == set(SOLVERS)
    for _, file, test in rows:
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert test in functions, (file, test)
