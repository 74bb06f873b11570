"""Parts of a position and of an orientation: height, line, plane; weights of axes; flat figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solver_figures import FIGURES
from test_problem import MODEL, difference_quotient

import handik as hk
from handik.spec import MimicSpec

Array = np.ndarray[Any, Any]
ARM = hk.data("ur5")
#: All that take a term about one frame on an arm of turns.
SOLVERS = [row.name for row in hk.solvers() if row.name not in ("ftl", "triangulation", "lm_batch")]
numbers = st.floats(-2.0, 2.0)


def turn_of(seed: int) -> Array:
    """A rotation, by orthogonalizing what was drawn."""
    r = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return np.asarray(r * np.linalg.det(r))


# -- positions ----------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 3),
    seed=st.integers(0, 10_000),
    weights=st.lists(st.floats(0.1, 5.0), min_size=3, max_size=3),
    other=st.sampled_from([None, "l2", "l8", "base"]),
    target=st.lists(numbers, min_size=3, max_size=3),
)
def test_the_error_is_that_of_the_part_alone(
    count: int, seed: int, weights: list[float], other: str | None, target: list[float]
) -> None:
    """Dot products in NumPy say what the judge says; the free coordinates count for nothing."""
    axes, q = 3.0 * turn_of(seed)[:count], MODEL.sample(seed=seed)
    term = hk.Position("l7", axes=axes, weights=weights[:count], relative_to=other, weight=2.0)
    problem = hk.Problem(MODEL, [term])
    frame = np.eye(4) if other in (None, "base") else MODEL.fk(q, frame=other)
    way = MODEL.fk(q, frame="l7")[:3, 3] - frame[:3, 3]
    missed = np.array([a @ (frame[:3, :3].T @ way) for a in axes / 3.0]) - target[:count]
    told = problem.evaluate(target[:count], q)
    np.testing.assert_allclose(told.distance, [np.linalg.norm(missed)], atol=1e-12)
    np.testing.assert_allclose(told.error, np.linalg.norm(2 * np.array(weights[:count]) * missed))
    assert told.angle == 0
    np.testing.assert_allclose(
        problem.jacobian(target[:count], q),
        difference_quotient(problem, np.array(target[:count]), q),
        atol=5e-7,
    )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("axes", ["z", "xy", ((1.0, 1.0, 0.0), (0.0, 0.0, 1.0))])
def test_every_solver_goes_to_lines_and_planes(solver: str, axes: Any) -> None:
    """Targets of poses inside the limits; the answers stand on the part that is wanted."""
    rows = np.eye(3)[["xyz".index(a) for a in axes]] if isinstance(axes, str) else np.array(axes)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    targets = ARM.fk(ARM.sample(12, seed=3))[:, :3, 3] @ rows.T
    problem = hk.Problem(ARM, hk.Position(axes=axes))
    found = hk.Solver(solver)(problem, targets)
    assert found.converged.mean() >= (0.5 if solver == "fabrik" else 1.0)
    at = ARM.fk(found.q)[:, :3, 3] @ rows.T
    off = np.linalg.norm(at - targets, axis=1)
    np.testing.assert_allclose(found.position_error, off, atol=1e-12)
    assert off[found.converged].max() <= 1e-4 * ARM.max_reach
    np.testing.assert_array_equal(ARM.clip(found.q), found.q)


@pytest.mark.parametrize("solver", ["auto", "lm", "fabrik_fast", "hybrid", "ccd", "ccd_fast"])
def test_a_batch_is_its_rows_however_it_is_dealt(solver: str) -> None:
    problem = hk.Problem(ARM, [hk.Position(axes="yz", relative_to="link_1"), hk.Level()])
    q = ARM.sample(14, seed=4)
    targets = np.asarray(problem.residual(np.zeros((14, 2)), q))[:, :2]
    whole = hk.Solver(solver, max_iter=60)(problem, targets)
    turned = hk.Solver(solver, max_iter=60, threads=3)(problem, targets[::-1])
    assert turned.q[::-1].tobytes() == whole.q.tobytes()
    for row, one in zip(targets, whole.q, strict=True):
        assert hk.Solver(solver, max_iter=60)(problem, row).q.tobytes() == one.tobytes()


@pytest.mark.parametrize("name", ["arm", "ball arm", "gantry"])
def test_reach_proves_planes_too_far_and_no_nearer_ones(name: str) -> None:
    """The least distance of the plane is told; no solver comes nearer, and none says stalled."""
    model = FIGURES[name]()
    problem = hk.Problem(model, hk.Position("f0", axes=(1.0, 2.0, 2.0)))
    at = model.fk(model.sample(400, seed=5), frame="f0")[:, :3, 3] @ np.array([1.0, 2.0, 2.0]) / 3
    assert (problem.distance_lower_bound(at[:, None]) == 0).all()
    far = np.array([[at.max() + 9.0], [at.min() - 9.0]])
    floor = problem.distance_lower_bound(far)[:, 0]
    assert (floor > 0).all()
    for solver in ("auto", "lm", "fabrik", "ccd"):
        found = hk.Solver(solver)(problem, far)
        assert (found.outcome == hk.Outcome.UNREACHABLE).all(), solver
        assert (found.position_error >= floor - 1e-9).all()


def test_the_bound_of_a_plane_weighs_as_its_axis() -> None:
    """`fabrik` sees to its progress above the bound: half the weight, half the bound."""
    chain = hk.chain([1.0, 1.0], "ball")
    problem = hk.Problem(chain, hk.Position(axes="xz", weights=(0.5, 4.0)))
    found = hk.Solver("fabrik")(problem, [5.0, 0.0])
    assert found.outcome == hk.Outcome.UNREACHABLE
    assert found.error == pytest.approx(0.5 * 3.0, rel=1e-3)
    assert float(problem.distance_lower_bound([5.0, 0.0])[0]) == pytest.approx(3.0)
    # three coordinates of a turned frame have an inner edge too; a line has none
    bent = hk.chain([2.0, 0.5], "ball")
    whole = hk.Problem(bent, hk.Position(axes=turn_of(3)))
    assert float(whole.distance_lower_bound([0.0, 0.0, 0.5])[0]) == pytest.approx(1.0)
    assert float(hk.Problem(bent, hk.Position(axes="xy")).distance_lower_bound([0.0, 0.5])[0]) == 0


def test_nothing_is_proved_of_a_frame_that_moves() -> None:
    problem = hk.Problem(ARM, hk.Position(axes="z", relative_to="link_1"))
    assert (problem.distance_lower_bound([[9.0]]) == 0).all()


def test_nothing_is_proved_by_the_rounding_of_a_frame_far_away() -> None:
    """A map's origin may lie a thousand kilometers off: stretched poses round off some 1e-10 there."""
    draw = np.random.default_rng(1)
    for k in range(40):
        spec, place = hk.chain([1.0, 0.7]).spec, np.eye(4)
        place[:3, :3], place[:3, 3] = turn_of(k), 1e6 * draw.normal(size=3)
        spec.frames.append(hk.FrameSpec("map", "link_0", place))
        arm = hk.Model(spec)
        term = hk.Position(frame="tip", relative_to="map", position_tolerance=1e-12)
        stretched = arm.fk([draw.uniform(-3, 3), 0.0], frame="tip")[:3, 3]
        target = place[:3, :3].T @ (stretched - place[:3, 3])
        problem = hk.Problem(arm, term)
        assert hk.Solver("dls")(problem, target).outcome != hk.Outcome.UNREACHABLE
        beyond = target + place[:3, :3].T @ (1e-6 * stretched)
        assert hk.Solver("dls")(problem, beyond).outcome == hk.Outcome.UNREACHABLE


def test_axes_are_of_any_length() -> None:
    for size in (1e-300, 1e-200, 1e200, 1e308):
        axes = [(size, 0.0, 0.0), (0.0, 0.0, -size)]
        assert hk.Problem(ARM, hk.Position(axes=axes)).columns == ("link_6.u", "link_6.v")
    for term in (
        hk.Position(axes="z", weights=[1e100]),
        hk.Orientation(weights=[1e100, 1.0, 1.0]),
    ):
        with pytest.raises(hk.ArgumentError, match="below 1e100"):
            hk.Problem(ARM, term)


def test_what_can_be_given_as_axes() -> None:
    assert hk.Problem(ARM, hk.Position(axes="zx")).columns == ("link_6.z", "link_6.x")
    assert hk.Problem(ARM, hk.Position(axes=np.eye(3)[1:])).columns == ("link_6.u", "link_6.v")
    for bad in ("", "xx", "w", (0, 0, 0), [(1, 0, 0), (1, 1, 0)], np.ones((4, 3)), (1, 2)):
        with pytest.raises(hk.ArgumentError, match="axes"):
            hk.Problem(ARM, hk.Position(axes=bad))
    for weights in ((1.0,), (1.0, 0.0), (1.0, -1.0), (1.0, np.inf)):
        with pytest.raises(hk.ArgumentError, match="weights"):
            hk.Problem(ARM, hk.Position(axes="xy", weights=weights))
    with pytest.raises(hk.NotFoundError, match="elbow"):
        hk.Problem(ARM, hk.Position(relative_to="elbow"))
    with pytest.raises(hk.ArgumentError, match="itself"):
        hk.Problem(ARM, hk.Position(relative_to="link_6"))
    assert hk.Position(axes=np.eye(3)) == hk.Position(axes=np.eye(3).tolist())


# -- orientations -------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    weights=st.lists(st.floats(0.1, 5.0), min_size=2, max_size=3),
)
def test_weights_of_axes_are_those_of_the_sum_of_cosines(seed: int, weights: list[float]) -> None:
    """|e|^2 is the sum of w^2 (1 - cosine) that CCD's closed form raises; the angle is the turn's."""
    axes = "xyz"[: len(weights)]
    problem = hk.Problem(MODEL, hk.Orientation("l7", axes=axes, weights=weights))
    q, want = MODEL.sample(seed=seed), turn_of(seed + 1)
    target, have = problem.targets(want), MODEL.fk(q, frame="l7")[:3, :3]
    cosines = np.sum(have * want, axis=0)[: len(weights)]
    told = problem.evaluate(target, q)
    np.testing.assert_allclose(
        told.error**2, np.sum(np.array(weights) ** 2 * (1 - cosines)), rtol=1e-9
    )
    turn = np.arccos(np.clip((np.trace(have.T @ want) - 1) / 2, -1, 1))
    np.testing.assert_allclose(told.angle, [turn], atol=1e-6)
    if turn < 3.0:
        np.testing.assert_allclose(
            problem.jacobian(target, q), difference_quotient(problem, target, q), atol=2e-6
        )


def test_one_axis_alone_is_the_axis_term() -> None:
    problem = hk.Problem(ARM, hk.Orientation(axes="y", weights=(3.0,)))
    other = hk.Problem(ARM, hk.Axis(axis=(0.0, 1.0, 0.0), weight=3.0))
    want = turn_of(8)
    target = problem.targets(want)
    np.testing.assert_allclose(target / np.linalg.norm(target), want[:, 1], atol=1e-14)
    assert problem.columns == other.columns
    q = ARM.sample(seed=9)
    np.testing.assert_array_equal(problem.residual(target, q), other.residual(target, q))
    assert hk.Solver("auto")(problem, target).q.tobytes() == (
        hk.Solver("auto")(other, target).q.tobytes()
    )
    # a quaternion without length is data, as of a whole orientation
    none = problem.targets([[0.0, 0.0, 0.0, 0.0]])
    assert hk.Solver("auto")(problem, none).outcome == hk.Outcome.INVALID


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_takes_weighed_axes(solver: str) -> None:
    frame = ARM.fk(ARM.sample(8, seed=6))
    problem = hk.Problem(ARM, hk.Orientation(axes="xz", weights=(0.5, 1.0)))
    found = hk.Solver(solver, retries=3)(problem, problem.targets(frame[:, :3, :3]))
    assert found.converged.all()
    apart = ARM.fk(found.q)[:, :3, :3] - frame[:, :3, :3]
    assert np.abs(apart).max() <= 1.5e-4


@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (3.0, 1.0, 0.2), (0.1, 1.0, 2.0)])
def test_a_sweep_of_ccd_takes_the_best_turn_of_the_weighed_axes(
    weights: tuple[float, float, float],
) -> None:
    """One hinge: a scan of its range finds no lower error than the closed form (Wang and Chen)."""
    hinge = hk.chain([1.0], "ball").spec
    hinge.joints[0].kind, hinge.joints[0].axis = "revolute", (0.0, 0.0, 1.0)
    arm = hk.Model(hinge)
    problem = hk.Problem(arm, hk.Orientation(weights=weights))
    target = problem.targets(turn_of(11))
    found = hk.Solver("ccd", max_restarts=0, perturbations=0)(problem, target)
    scan = np.linspace(-np.pi, np.pi, 20_001)[:, None]
    least = problem.evaluate(np.broadcast_to(target, (len(scan), 4)), scan).error.min()
    assert float(found.error) <= least * (1 + 1e-7)


def test_weights_of_axes_cost_fabrik_nothing_that_it_meets() -> None:
    """Its passes want the whole rotation: positive weights change no answer, only the judge's sum."""
    frame, q0 = ARM.fk(ARM.sample(250, seed=3)), ARM.sample(250, seed=4)
    met = []
    for weights in (None, (0.2, 0.2, 1.0), (3.0, 1.0, 0.2), (1.0, 0.1, 0.1)):
        problem = hk.Problem(ARM, [hk.Position(), hk.Orientation(weights=weights)])
        target = problem.targets(frame[:, :3, 3], frame[:, :3, :3])
        found = hk.Solver("fabrik_fast")(problem, target, q0=q0)
        met.append(found.converged.mean())
        apart = np.abs(ARM.fk(found.q) - frame).max(axis=(1, 2))
        assert apart[found.converged].max() < 3e-4
    assert min(met) > 0.87
    assert max(met) - min(met) < 0.04


def test_what_shall_not_count_is_left_out() -> None:
    """No weight of zero: one axis alone is the term `Axis`, with FABRIK as with all others."""
    with pytest.raises(hk.ArgumentError, match=r"3 positive numbers.*left out of axes="):
        hk.Problem(ARM, hk.Orientation(weights=(1.0, 0.0, 0.0)))
    frame = ARM.fk(ARM.sample(30, seed=6))
    problem = hk.Problem(ARM, [hk.Position(), hk.Orientation(axes="x")])
    target = problem.targets(frame[:, :3, 3], frame[:, :3, :3])
    for solver in ("fabrik_fast", "ccd"):
        found = hk.Solver(solver)(problem, target)
        assert found.converged.mean() > 0.9
        have = ARM.fk(found.q)[found.converged]
        want = frame[found.converged]
        assert np.abs(have[:, :3, 0] - want[:, :3, 0]).max() < 2e-4
        assert np.abs(have[:, :3, 1] - want[:, :3, 1]).max() > 0.5  # the turn about it is free


def test_what_can_be_given_as_axes_of_an_orientation() -> None:
    assert hk.Problem(ARM, hk.Orientation(weights=(1, 1, 1))) != hk.Problem(ARM, hk.Orientation())
    for bad in ("", "q", "zz", (0.0, 0.0, 1.0)):
        with pytest.raises(hk.ArgumentError, match="axes"):
            hk.Problem(ARM, hk.Orientation(axes=bad))
    with pytest.raises(hk.ArgumentError, match="weights"):
        hk.Problem(ARM, hk.Orientation(weights=(1.0, 2.0)))


# -- as a call says it --------------------------------------------------------------------------


def test_none_leaves_a_coordinate_free() -> None:
    found = ARM.solve(position=[None, None, 0.4])
    assert found.converged
    assert found.problem.columns == ("link_6.z",)
    assert ARM.fk(found.q)[2, 3] == pytest.approx(0.4, abs=1e-4)
    batch = ARM.solve(position=[[0.3, None, 0.4], [0.2, None, 0.5]], axis=[0.0, 0.0, -1.0])
    assert batch.converged.all()
    np.testing.assert_allclose(ARM.fk(batch.q)[:, [0, 2], 3], [[0.3, 0.4], [0.2, 0.5]], atol=1e-4)
    again = ARM.solve(position=np.array([[0.3, None, 0.4]], dtype=object), axis=[[0.0, 0.0, -1.0]])
    assert again.q[0].tobytes() == batch.q[0].tobytes()


@pytest.mark.parametrize(
    ("position", "says"),
    [
        ([None, None, None], "nothing to reach"),
        ([[None, 0.1, 0.2], [0.1, None, 0.2]], "same columns"),
        ([[0.3, 0.1, 0.2], [0.1, None, 0.2]], "same columns"),
        ([[0.3, 0.1], [0.1, None]], "position with None must have shape"),
        ([None, 0.2], "shape"),
        ([[None, 0.1, 0.2], [0.1]], "regular"),
        ([None, "a", 0.2], "numbers"),
        ([0.1, 0.2], "what moves in one plane"),
        ([0.1], "shape"),
    ],
)
def test_parts_that_say_nothing_are_refused(position: Any, says: str) -> None:
    with pytest.raises(hk.ArgumentError, match=says):
        ARM.solve(position=position)


def flat(normal: int, height: float = 0.3) -> hk.Model:
    """Three hinges, whose tip stays at this place along an axis of the world."""
    spec = hk.chain([1.0, 0.8, 0.5]).spec
    turn = np.eye(3)[:, [(normal + 1) % 3, (normal + 2) % 3, normal]]
    spec.joints[0].placement = np.block(
        [[turn, height * turn[:, 2:]], [np.zeros((1, 3)), np.ones(1)]]
    )
    return hk.Model(spec)


@pytest.mark.parametrize("normal", [0, 1, 2])
def test_two_coordinates_of_a_flat_figure(normal: int) -> None:
    arm = flat(normal)
    two = np.array([[0.4, 0.9], [-0.7, 1.1]])
    whole = np.insert(two, normal, 0.3, axis=1)
    found = arm.solve(position=two)
    assert found.converged.all()
    np.testing.assert_allclose(arm.fk(found.q)[:, :3, 3], whole, atol=3e-4)
    assert found.q.tobytes() == arm.solve(position=whole).q.tobytes()
    assert arm.solve(position=two[0]).q.tobytes() == found.q[0].tobytes()
    path = arm.track(position=two)
    np.testing.assert_allclose(arm.fk(path.q)[:, :3, 3], whole, atol=3e-4)
    assert arm.solve(position=[0.4, np.nan]).outcome == hk.Outcome.INVALID


def test_what_is_flat() -> None:
    tilted = flat(2).spec
    tilted.joints[0].placement = tilted.joints[0].placement.copy()
    tilted.joints[0].placement[:3, :3] = turn_of(1)
    for model in (hk.Model(tilted), hk.chain([1.0, 1.0], "ball")):
        with pytest.raises(hk.ArgumentError, match="does not stay in a plane"):
            model.solve(position=[0.5, 0.5])
    slide = hk.chain([1.0]).spec
    slide.joints[0].kind, slide.joints[0].axis = "prismatic", (1.0, 0.0, 0.0)
    slide.joints[0].lower, slide.joints[0].upper = -1.0, 1.0
    with pytest.raises(hk.ArgumentError, match="moves on a line"):
        hk.Model(slide).solve(position=[0.5, 0.0])


def test_a_joint_that_follows_may_leave_the_plane_that_it_keeps_at_rest() -> None:
    """About x and back again: nothing happens, unless the joint between them has turned."""
    spec = hk.chain([1.0, 1.0, 1.0]).spec
    spec.joints[0].axis = spec.joints[2].axis = (1.0, 0.0, 0.0)
    spec.joints[2].mimic = MimicSpec(spec.joints[0].name, scale=-1.0)
    arm = hk.Model(spec)
    jacobian = arm.jacobian(arm.rest)
    assert np.abs(jacobian[[2, 3, 4]]).max() == 0
    with pytest.raises(hk.ArgumentError, match="does not stay in a plane"):
        arm.solve(position=[1.0, 1.0])
