"""A root that can go anywhere meets a target however far away, with every solver and from every start."""

from __future__ import annotations

import numpy as np
import pytest
from solver_figures import figure
from test_unit_of_length import MODELS, SURE, lengths

import handik as hk

FAR = 4  # csrc/solve/drive/starts.h


def hands() -> hk.Model:
    """Return two arms on a trunk that goes anywhere."""
    rows = [("free", -1, (0, 0, 0), "z", None, None)]
    frames = []
    for side in (-1, 1):
        rows.append(("revolute", 0, (0, 0.2 * side, 0.4), "z", -2, 2))
        rows.append(("revolute", len(rows) - 1, (0, 0, 0), "y", -2, 2))
        rows.append(("revolute", len(rows) - 1, (0.3, 0, 0), "z", -2.5, 2.5))
        frames.append((len(rows) - 1, (0.3, 0, 0)))
    return figure("hands", rows, frames)


def endless(model: hk.Model) -> np.ndarray:
    return lengths(model) & ~(np.isfinite(model.lower) & np.isfinite(model.upper))


def far_away(model: hk.Model, far: float, n: int) -> np.ndarray:
    """Postures whose root is about `far` metres away."""
    q, rng, slides = model.sample(n, seed=3), np.random.default_rng(4), endless(model)
    way = rng.normal(size=(n, slides.sum()))
    way *= far / np.linalg.norm(way, axis=1, keepdims=True)
    low = model.lower[slides]
    q[:, slides] = np.where(np.isfinite(low), low + abs(way), way)
    return q


@pytest.mark.parametrize("far", [5.0, 40.0, 300.0, 1e4])
@pytest.mark.parametrize("figure_name", ["free root", "root on a floor", "rail"])
def test_every_far_target_is_met(figure_name: str, far: float) -> None:
    model = MODELS[figure_name]()
    poses = model.fk(far_away(model, far, 25))
    loose = max(1e-4, 1e-9 * far)
    for name in (*SURE, "lm_batch"):
        if name == "lm_batch" and figure_name != "rail":
            continue  # it takes no balls
        for goal in ({"position": poses[:, :3, 3]}, {"pose": poses}):
            found = model.solve(**goal, solver=name, position_tolerance=loose)
            assert found.converged.all(), (name, *goal)


@pytest.mark.parametrize("name", ["auto", "dls", "hybrid", "fabrik_fast"])
def test_two_hands_far_away(name: str) -> None:
    model = hands()
    problem = hk.Problem(model, [hk.Position("f0"), hk.Position("f1")])
    q = far_away(model, 500.0, 20)
    target = np.hstack([model.fk(q, frame=f)[:, :3, 3] for f in ("f0", "f1")])
    assert hk.Solver(name)(problem, target).converged.all()


def test_the_root_goes_where_the_sum_of_squares_is_least() -> None:
    """Against NumPy's least squares, two goals of different weights, no iteration made."""
    model = hands()
    terms = [hk.Position("f0", weight=3.0), hk.Position("f1")]
    target = np.array([90.0, 2.0, -7.0, 95.0, 0.0, 1.0])
    found = hk.Solver("dls", max_iter=0)(hk.Problem(model, terms), target)
    at = np.hstack([model.fk(model.rest, frame=f)[:3, 3] for f in ("f0", "f1")])
    weight = np.repeat([3.0, 1.0], 3)
    slides = np.vstack([np.eye(3), np.eye(3)])
    best = np.linalg.lstsq(weight[:, None] * slides, weight * (target - at), rcond=None)[0]
    moved = found.q - model.rest
    np.testing.assert_allclose(moved[:3], best, atol=1e-9)
    assert not moved[3:].any()


@pytest.mark.parametrize("name", ["auto", "dls", "ccd", "fabrik", "lbfgs"])
def test_only_a_far_target_moves_the_start(name: str) -> None:
    """Four lengths of the figure, and whoever asks for one published attempt gets it."""
    model = MODELS["free root"]()
    length = 0.45 + np.hypot(0.2, 0.1) + 0.3 + 0.25
    away = model.fk(model.rest)[:3, 3]
    q0 = np.tile(model.rest, (2, 1))
    target = away + np.outer([FAR * length * 0.999, FAR * length * 1.001], [0.6, 0.0, 0.8])
    found = model.solve(position=target, q0=q0, solver=name, max_iter=0)
    assert (found.q[0] == q0[0]).all()
    np.testing.assert_allclose(found.q[1][:3] - q0[1][:3], target[1] - away, atol=1e-12)
    assert (found.q[1][3:] == q0[1][3:]).all()
    if name not in ("auto", "fabrik"):
        alone = model.solve(position=target, q0=q0, solver=name, max_iter=0, max_restarts=0)
        assert (alone.q == q0).all()


def test_an_end_stops_the_slide_and_a_target_that_is_no_place_moves_nothing() -> None:
    model = MODELS["rail"]()
    found = model.solve(position=[-50.0, 0.0, 0.5], solver="dls", max_iter=0)
    assert found.q[0] == model.lower[0]
    far = model.solve(position=[1e200, 0.0, 0.5], solver="dls", max_iter=0)
    assert np.isfinite(far.q).all()
    assert not far.converged


@pytest.mark.parametrize("figure_name", ["free root", "rail"])
def test_a_batch_gives_the_bytes_of_its_rows(figure_name: str) -> None:
    model = MODELS[figure_name]()
    poses = np.concatenate([model.fk(far_away(model, far, 10)) for far in (0.5, 80.0)])
    for name in ("auto", "dls", "lm_batch"):
        if name == "lm_batch" and figure_name == "free root":
            continue
        whole = model.solve(pose=poses, solver=name, threads=2)
        rows = [model.solve(pose=pose, solver=name) for pose in poses]
        assert whole.q.tobytes() == np.array([row.q for row in rows]).tobytes()


def test_slides_that_are_askew_take_turns_until_they_stand_still() -> None:
    """At 45 degrees each sweep halves what is left: a hundred lengths take seventeen of twenty."""
    root = [
        hk.JointSpec("a", "prismatic", "base", "l0", axis=(1.0, 0.0, 0.0)),
        hk.JointSpec("b", "prismatic", "l0", "l1", axis=(1.0, 1.0, 0.0)),
        hk.JointSpec("turn", "revolute", "l1", "l2", lower=-1.0, upper=1.0),
    ]
    links = [hk.LinkSpec(name) for name in ("base", "l0", "l1", "l2")]
    tip = hk.FrameSpec("tip", "l2", ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]))
    model = hk.Model(hk.ModelSpec("askew", links, root, [tip], tip="tip"))
    target = np.array([31.0, 97.0, 0.0])
    found = model.solve(position=target, solver="dls", max_iter=0)
    slides = np.array([[1.0, 0.0], [np.sqrt(0.5), np.sqrt(0.5)]]).T
    best = np.linalg.solve(slides, target[:2] - [1.0, 0.0])
    np.testing.assert_allclose(found.q[:2], best, atol=4e-3)
    assert found.q[2] == 0.0
    assert found.position_error > 1e-9  # they stood still before the last digit
