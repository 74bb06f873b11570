"""Every kind of term and the strict levels of the core against their NumPy twins."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from solver_figures import FIGURES, two_arms

import handik as hk
from handik import _core
from handik.spec import InertialSpec, JointSpec, LinkSpec, MimicSpec, ModelSpec
from handik.study.twins.levels import LevelDescent, lower_levels
from handik.study.twins.terms import KINDS, TermTwin

Array = np.ndarray[Any, Any]


def figure() -> hk.Model:
    """Every kind of joint, one that follows another, bodies on all links, two branches."""
    spec = ModelSpec("all", [LinkSpec("base")])
    kinds = ["free", "revolute", "ball", "universal", "cylindrical", "prismatic", "revolute"]
    above = "base"
    for k, kind in enumerate([*kinds, "revolute"]):
        place = np.eye(4)
        place[:3, 3] = (0.3, 0.1, -0.1)
        joint = JointSpec(f"j{k}", kind, above, f"l{k}", place)
        joint.axis, joint.axis2 = (0.0, 0.6, 0.8), (1.0, 0.0, 0.0)
        if k == 6:
            joint.mimic = MimicSpec("j1", -0.7, 0.2)
        body = InertialSpec(1.0 + 0.2 * k, np.array([0.05 * k, -0.02, 0.1]), 0.1 * np.eye(3))
        spec.links.append(LinkSpec(f"l{k}", body))
        spec.joints.append(joint)
        above = "l2" if k == 6 else f"l{k}"
    return hk.Model(spec)


MODEL = figure()
POINTS: dict[str, Any] = {"point": (0.1, -0.2, 0.3), "other_point": (0.0, 0.2, 0.1)}
CAPSULES = [hk.Capsule(f, (0.1, 0, 0), (0.3, 0.2, -0.1), 0.4) for f in ("l6", "l7", "base")]
TERMS: list[Any] = [
    hk.Position(frame="l6", weight=2.0),
    hk.Orientation(frame="l7"),
    hk.Pose(frame="l6", weight=0.3),
    hk.Axis(frame="l6", axis=(1, 2, 2)),
    hk.Level("l6", axis=(1, 2, 3), direction=(0.1, -1, 2), angle=0.7),
    hk.LookAt("l7", axis=(1, 0, -1), eye=(0.2, 0.1, 0), weight=1.5),
    hk.Distance("l6", "l7", distance=0.4, **POINTS),
    hk.Distance("l6", None, min=0.1, max=0.2, **POINTS),
    hk.Distance("l6", "l1", min=0.0, max=np.inf, **POINTS),
    hk.Loop("l6", "l7", **POINTS),
    hk.Loop("l6", "l3", joint="revolute", axis=(0, 1, 1), other_axis=(1, 0, 0), **POINTS),
    hk.Loop("l7", "l5", joint="weld", **POINTS),
    hk.Loop("l6", None, joint="weld", **POINTS),
    hk.SelfCollision(capsules=CAPSULES, pairs=[(0, 1), (0, 2), (1, 2)], clearance=1.5),
    hk.CenterOfMass(weight=0.5),
    hk.CenterOfMass(over=[[-0.2, -0.2], [0.3, -0.1], [0.1, 0.4]]),
    hk.CenterOfMass(over=[[0.5, 0.5]]),
    hk.Posture(target=MODEL.sample(seed=90), weights={"j1": 0.3, "j2": 2.0}),
    hk.Damping(weight=0.7),
    hk.Position(frame="l6", axes="z", weight=1.5),
    hk.Position(frame="l7", axes=[(1, 1, 0), (0, 0, -3)], weights=(0.4, 2.0)),
    hk.Position(frame="l7", axes="yx", relative_to="l3"),
    hk.Position(frame="l6", relative_to="l7", weights=(1, 2, 3)),
    hk.Orientation(frame="l6", axes="y", weights=(0.6,)),
    hk.Orientation(frame="l6", axes="zx", weight=0.7),
    hk.Orientation(frame="l7", weights=(0.5, 1.0, 2.0)),
]


def target_of(problem: hk.Problem, rng: np.random.Generator) -> Array:
    """Any target; quaternions of any length, a posture for `Damping`."""
    if isinstance(problem.terms[0], hk.Damping):
        return MODEL.sample(seed=int(rng.integers(1000)))
    return rng.normal(size=problem.width)


def test_no_kind_is_without_a_twin() -> None:
    # A term of the user's own is its own twin: tests/test_own_term.py. That of a scene is held against
    # its distances: tests/solve/test_clearance.py.
    table = {row[0] for row in _core.table("terms")} - {"own", "obstacles"}
    assert set(KINDS) == table
    assert {row.kind for t in TERMS for row in TermTwin(MODEL, [t]).rows} == table


@pytest.mark.parametrize("term", TERMS, ids=lambda t: type(t).__name__)
def test_core_and_twin_agree(term: Any) -> None:
    problem, twin = hk.Problem(MODEL, [term]), TermTwin(MODEL, [term])
    rng = np.random.default_rng(5)
    for seed in range(12):
        q, target = MODEL.sample(seed=seed), target_of(problem, rng)
        e, j = problem.residual(target, q), problem.jacobian(target, q)
        want = twin.residual(target, q)
        if term.kind in ("orientation", "pose", "loop") and np.abs(want[-3:]).max() > 3.0:
            continue  # beside the half turn either of two vectors is right
        scale = max(1.0, float(np.abs(j).max()))
        np.testing.assert_allclose(e, want, atol=1e-11)
        np.testing.assert_allclose(j, twin.jacobian(target, q), atol=1e-9 * scale)


def test_several_terms_share_a_target_row() -> None:
    terms = [TERMS[k] for k in (0, 5, 13, 18, 2)]
    problem, twin = hk.Problem(MODEL, terms), TermTwin(MODEL, terms)
    rng = np.random.default_rng(8)
    q = MODEL.sample(seed=3)
    target = problem.targets(
        *rng.normal(size=(2, 3)), MODEL.sample(seed=4), [0.1, 0.2, 0.3, 0.9, 0.1, 0.2, 0.3]
    )
    np.testing.assert_allclose(problem.residual(target, q), twin.residual(target, q), atol=1e-11)
    np.testing.assert_allclose(problem.jacobian(target, q), twin.jacobian(target, q), atol=1e-9)


# -- strict levels ------------------------------------------------------------------------------

STACKS: dict[str, tuple[Any, list[Any]]] = {
    "rest under a point": (FIGURES["arm"], [hk.Position("f0"), hk.Posture()]),
    "rest under a pose": (FIGURES["ball arm"], [hk.Pose("f0"), hk.Posture(weight=3.0)]),
    "slides": (FIGURES["gantry"], [hk.Position("f0"), hk.Level("f0", priority=1), hk.Posture()]),
    "only soft": (FIGURES["ball arm"], [hk.Posture(target=None, weights={"j1": 0.2})]),
    "two hands": (two_arms, [hk.Position("f0"), hk.Position("f1", priority=1), hk.Posture()]),
    "range": (
        two_arms,
        [hk.Position("f0"), hk.Distance("f0", "f1", min=0.2, max=0.25, priority=2)],
    ),
}


@pytest.mark.parametrize("far", [0.5, 1.4], ids=["in reach", "beyond"])
@pytest.mark.parametrize("name", STACKS)
def test_levels_agree_with_their_twin(name: str, far: float) -> None:
    make, terms = STACKS[name]
    model, lowered, solver = make(), 0, hk.Solver("dls", max_iter=8)
    problem = hk.Problem(model, terms)
    rng = np.random.default_rng(11)
    for seed in range(3):
        q0 = model.sample(seed=seed)
        parts = [_aim(model, t, far, rng) for t in terms if isinstance(t, (hk.Position, hk.Pose))]
        target = problem.targets(*parts)
        got = solver(problem, target, q0=q0, trace=True)
        # where the levels begin: all that decides at once, else the first level alone
        q, before, met = q0, 0, True
        for count in _stages(terms):
            level = [replace(t, priority=0) for t in terms[:count]]
            part = solver(hk.Problem(model, level), target[: _columns(level)], q0=q0)
            q, before, met = part.q, before + part.iterations, met and bool(part.converged)
            if met:
                break
        assert np.abs(got.trace.q[: before + 1] - q).max(axis=1).min() < 1e-12
        d = LevelDescent(model, terms, target)

        def judged(pose: Array, target: Array = target) -> bool:
            return bool(problem.evaluate(target, pose)[0])

        assert judged(q) == met
        want, count = lower_levels(d, q, met=judged, max_iter=8)
        lowered += count
        np.testing.assert_allclose(d.errors(got.q), d.errors(want), rtol=1e-6, atol=1e-6)
        assert got.iterations - before == count
        assert got.trace.iterations == got.iterations
    assert lowered >= 3


def _stages(terms: list[Any]) -> list[int]:
    """How many of the terms, which stand in order, each stage of the solve is given."""
    deciding = [t for t in terms if not isinstance(t, hk.Posture)]
    top = [t for t in deciding if t.priority == 0]
    return [n for n in dict.fromkeys((len(deciding), len(top))) if n]


def _columns(terms: list[Any]) -> int:
    return sum(len(t.columns) for t in terms if isinstance(t, (hk.Position, hk.Pose)))


def _aim(
    model: hk.Model, term: hk.Position | hk.Pose, far: float, rng: np.random.Generator
) -> Array:
    """A point so far from the origin, as a share of the reach; upright for a pose."""
    way = rng.normal(size=3)
    point = (
        far * (model.max_reach if np.isfinite(model.max_reach) else 1.0) * way / np.linalg.norm(way)
    )
    return np.concatenate([point, [1.0, 0, 0, 0]]) if isinstance(term, hk.Pose) else point
