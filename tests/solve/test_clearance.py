"""`Clearance`: no answer in contact converges; rows against differences; coal and SciPy as outsiders."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik import _core
from handik.scene.check import as_figure
from handik.spec import GeometrySpec

UR5 = hk.data("ur5")
PARTS = [
    hk.Capsule("link_2", (0, 0, 0.12), (0.425, 0, 0.12), 0.055),
    hk.Capsule("link_3", (0, 0, 0), (0.39, 0, 0), 0.045),
    hk.Capsule("link_6", (0, 0, -0.03), (0, 0, 0), 0.045),
]
ARM = hk.Figure(UR5, PARTS, pairs=[(0, 2)])
OUTSIDE = hk.Figure(UR5, PARTS, pairs=[])


def at(*point: float) -> Any:
    T = np.eye(4)
    T[:3, 3] = point
    return T


def boxes(seed: int, count: int = 8) -> hk.Scene:
    """Boxes about the arm, none at its rest."""
    draw, room = np.random.default_rng(seed), hk.Scene()
    while len(room.obstacles()) < count:
        size = tuple(draw.uniform(0.04, 0.25, 3))
        more = room.add(
            f"b{draw.integers(1 << 40)}", hk.scene.Box(size), at(*draw.uniform(-0.7, 0.7, 3))
        )
        if more.distance(ARM, UR5.rest) > 0.02:
            room = more
    return room


def touching(figure: hk.Figure, room: hk.Scene, q: Any) -> list[bool]:
    """What coal says of postures: contact with a box, or of a compared pair."""
    coal = pytest.importorskip("coal")
    solids: list[Any] = list(room.obstacles())
    shapes = [
        (coal.Box(*map(float, o.shape.size)), coal.Transform3s(o.pose[:3, :3], o.pose[:3, 3]))
        for o in solids
    ]
    found, request = [], coal.CollisionRequest()
    for frames in figure.model.frames(q):
        bodies = []
        for part in figure.capsules:
            T = frames[figure.model.frame_names.index(part.frame)]
            a, b = (T[:3, :3] @ np.asarray(x, float) + T[:3, 3] for x in (part.start, part.end))
            z = (b - a) / np.linalg.norm(b - a)
            x = np.cross(z, np.eye(3)[np.argmin(abs(z))])
            x /= np.linalg.norm(x)
            turn = np.stack([x, np.cross(z, x), z], axis=1)
            body = coal.Capsule(float(part.radius), float(np.linalg.norm(b - a)))
            bodies.append((body, coal.Transform3s(turn, (a + b) / 2)))
        pairs = [(*body, *shape) for body in bodies for shape in shapes]
        pairs += [(*bodies[i], *bodies[j]) for i, j in figure.pairs]
        found.append(any(coal.collide(*p, request, coal.CollisionResult()) for p in pairs))
    return found


def free_targets(room: hk.Scene, n: int, seed: int) -> Any:
    q = UR5.sample(20 * n, seed=seed)
    return UR5.fk(q[room.distance(ARM, q, 0.1) > 0.02][:n])


def test_what_free_postures_reach_is_reached_clear_and_coal_agrees() -> None:
    room = boxes(1)
    problem = hk.Problem(UR5, [hk.Position(), hk.Clearance(room, ARM)])
    targets = free_targets(room, 60, 3)[:, :3, 3]
    found = hk.Solver("auto")(problem, targets)
    assert found.converged.all()
    assert (room.distance(OUTSIDE, found.q) >= 0.01).all()
    assert abs(UR5.fk(found.q)[:, :3, 3] - targets).max() < 1e-4 * UR5.max_reach
    assert room.free(ARM, found.q).all()
    assert not any(touching(ARM, room, found.q))
    plain = hk.Solver("auto")(hk.Problem(UR5, hk.Position()), targets)
    assert any(touching(ARM, room, plain.q))


def test_poses_of_free_postures_are_reached() -> None:
    room = boxes(2)
    problem = hk.Problem(UR5, [hk.Pose(), hk.Clearance(room, ARM)])
    T = free_targets(room, 40, 5)
    found = hk.Solver("auto")(problem, problem.targets(T))
    assert found.converged.mean() > 0.95
    assert (room.distance(OUTSIDE, found.q[found.converged]) >= 0.01).all()


@pytest.mark.parametrize("name", ["lm", "dls", "lbfgs", "newton", "genetic"])
def test_solvers_that_lower_a_residual_take_it(name: str) -> None:
    room = hk.Scene().add("b", hk.scene.Box((0.2, 0.2, 0.2)), at(0.4, 0.2, 0.4))
    problem = hk.Problem(UR5, [hk.Position(), hk.Clearance(room, ARM)])
    targets = [[0.4, -0.2, 0.5], [0.4, 0.2, 0.6]]
    found = hk.Solver(name)(problem, targets)
    met = (room.distance(OUTSIDE, found.q) >= 0.01) & (
        np.linalg.norm(UR5.fk(found.q)[:, :3, 3] - targets, axis=1) <= 1e-4 * UR5.max_reach
    )
    assert (found.converged == met).all()
    assert found.converged.any()


@pytest.mark.parametrize("name", ["ccd", "fabrik", "hybrid", "lm_batch"])
def test_solvers_that_move_points_refuse_it(name: str) -> None:
    problem = hk.Problem(UR5, [hk.Position(), hk.Clearance(boxes(1, 2), ARM)])
    with pytest.raises(hk.UnsupportedError):
        hk.Solver(name)(problem, [0.4, 0.2, 0.5])


@given(seed=st.integers(0, 1 << 30), distance=st.sampled_from([0.0, 0.01, 0.3, 2.0]))
@settings(max_examples=60, deadline=None)
def test_rows_are_what_the_distance_lacks_and_their_derivative(seed: int, distance: float) -> None:
    room, q = boxes(seed % 5, 4), UR5.sample(1, seed=seed)[0]
    alone = hk.Figure(UR5, PARTS[1:2], pairs=[])
    problem = hk.Problem(UR5, hk.Clearance(room, alone, distance=distance))
    rows = problem.residual([], q)
    lack = distance - float(room.distance(alone, q))
    beyond = 1e-4 * UR5.max_reach
    assert rows.min() == pytest.approx(-(lack + beyond) if lack > 0 else 0, abs=1e-12)
    said = problem.evaluate([], q)
    assert bool(said.met) == (lack <= 0)
    assert float(said.position_error) == pytest.approx(max(lack, 0), abs=1e-12)
    jac, h = problem.jacobian([], q), 1e-7
    assert not jac[rows == 0].any()
    for k in range(UR5.nv):
        step = h * np.eye(UR5.nv)[k]
        up, down = (problem.residual([], UR5.integrate(q, s * step)) for s in (1, -1))
        if (((up == 0) == (rows == 0)) & ((down == 0) == (rows == 0))).all():
            slope = (up - down) / (2 * h)
            kink = abs((up - rows) - (rows - down)) / h > 1e-3  # where the nearest point jumps
            assert abs(slope - jac[:, k])[~kink].max(initial=0) < 1e-5


def test_of_many_pairs_the_deepest_are_rows() -> None:
    arm = hk.chain([0.2] * 10)
    parts = [hk.Capsule(f"link_{k}", (0, 0, 0), (0.2, 0, 0), 0.02) for k in range(1, 11)]
    figure = hk.Figure(arm, parts, pairs=[])
    room = hk.Scene().add("a", hk.scene.Sphere(0.1), at(1, 0, 0.3))
    room = room.add("b", hk.scene.Sphere(0.1), at(0.2, 0.5, 0.0))
    problem = hk.Problem(arm, hk.Clearance(room, figure, distance=3.0))
    rows = problem.residual([], arm.rest)
    frames = arm.frames(arm.rest)
    lacks = []
    for k in range(10):
        start = frames[arm.frame_names.index(f"link_{k + 1}")][:3, 3]
        points = start + np.linspace(0, 0.2, 2001)[:, None] * [1, 0, 0]
        for centre in ([1, 0, 0.3], [0.2, 0.5, 0.0]):
            gap = np.linalg.norm(points - centre, axis=1).min() - 0.12
            lacks.append(3.0 - gap + 1e-4 * arm.max_reach)
    assert sorted(-rows) == pytest.approx(sorted(lacks)[-12:], abs=1e-6)


def test_a_goal_inside_a_box_and_numbers_that_are_none_never_converge() -> None:
    room = hk.Scene().add("b", hk.scene.Box((0.3, 0.3, 0.3)), at(0.5, 0.2, 0.4))
    problem = hk.Problem(UR5, [hk.Position(), hk.Clearance(room, ARM)])
    found = hk.Solver("auto")(problem, [0.5, 0.2, 0.4])
    assert not found.converged
    bad = hk.Solver("auto")(problem, [[np.nan, 0, 0], [1e300, 0, 0], [np.inf, 0, 0]])
    assert not bad.converged.any()
    for x in (np.nan, np.inf, 1e300, 1e13):
        q = UR5.rest.copy()
        q[2] = x
        assert not problem.evaluate([0.4, 0.2, 0.5], q).met
        assert np.isnan(problem.residual([0.4, 0.2, 0.5], q)[3:]).all()


def test_a_start_in_a_box_comes_out() -> None:
    target = UR5.fk(UR5.sample(1, seed=4)[0])[:3, 3]
    q0 = UR5.sample(1, seed=11)[0]
    middle = UR5.frames(q0)[UR5.frame_names.index("link_3")] @ [0.2, 0, 0, 1]
    room = hk.Scene().add("b", hk.scene.Sphere(0.1), at(*middle[:3]))
    assert room.distance(ARM, q0) < -0.1
    problem = hk.Problem(UR5, hk.Clearance(room, ARM))
    found = hk.Solver("auto")(problem, [], q0=q0)
    assert found.converged
    assert room.distance(OUTSIDE, found.q) >= 0.01
    both = hk.Problem(UR5, [hk.Position(), hk.Clearance(room, ARM)])
    assert hk.Solver("auto")(both, target, q0=q0).converged


def test_itself_alone_and_other_distances() -> None:
    nothing = hk.Scene()
    q = UR5.sample(400, seed=2)
    touched = q[~nothing.free(ARM, q)]
    problem = hk.Problem(UR5, hk.Clearance(None, ARM, self_distance=0.05))
    assert len(touched) > 0
    found = hk.Solver("auto")(problem, np.empty((len(touched), 0)), q0=touched)
    assert found.converged.all()
    assert (nothing.distance(ARM, found.q) >= 0.05).all()
    kept = hk.Problem(UR5, hk.Clearance(nothing, ARM, distance=5.0))
    assert np.array_equal(kept.evaluate(np.empty((400, 0)), q).met, nothing.free(ARM, q))


def test_batch_single_and_threads_are_one() -> None:
    room = boxes(3)
    problem = hk.Problem(UR5, [hk.Position(), hk.Clearance(room, ARM)])
    targets = np.concatenate([free_targets(room, 50, 7)[:, :3, 3], [[0.1, 0.1, 0.1], [9, 9, 9]]])
    solver = hk.Solver("auto")
    whole = solver(problem, targets)
    many = hk.Solver("auto", threads=3)(problem, targets)
    assert np.array_equal(whole.q, many.q)
    assert np.array_equal(whole.outcome, many.outcome)
    for k in range(len(targets)):
        assert np.array_equal(solver(problem, targets[k]).q, whole.q[k])


def test_starts_do_not_depend_on_what_else_is_in_the_batch() -> None:
    """One of two needs a further start of the place alone, which fewer joints move than the place and the obstacles."""
    here = at(-0.95, 0, 0)
    man = hk.human(sex="male", stature=1.75).with_base(here)
    near = hk.Clearance(hk.scene.gallery("kitchen"), as_figure(man))
    place = hk.Position("grip_right", position_tolerance=1e-3)
    solver = hk.Solver("auto", max_restarts=32)
    problem, targets = (
        hk.Problem(man.model, [place, near]),
        [[-0.2, -0.79, 0.78], [-0.55, 0.81, 1.24]],
    )
    both = solver(problem, targets)
    for k, target in enumerate(targets):
        assert np.array_equal(solver(problem, target).q, both.q[k])


def test_instruction_sets_give_the_same_bytes() -> None:
    room, before, found = boxes(3), _core.simd(), {}
    targets = free_targets(room, 30, 8)
    try:
        for simd in ("base", "avx2", "avx512", "neon"):
            if not _core.simd_select(simd):
                continue
            problem = hk.Problem(UR5, [hk.Pose(), hk.Clearance(room, ARM)])
            found[simd] = hk.Solver("auto")(problem, problem.targets(targets)).q.tobytes()
    finally:
        assert _core.simd_select(before)
    assert len(set(found.values())) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"max_iter": 130},
        {"max_iter": 5},
        {"max_restarts": 0},
        {"max_restarts": 3},
        {"n_candidates": 3},
        {"retries": 1, "max_iter": 200},
        {"seed": 5},
    ],
    ids=repr,
)
def test_options_hold_and_batch_and_single_agree(options: dict[str, Any]) -> None:
    room = boxes(4)
    problem = hk.Problem(UR5, [hk.Pose(), hk.Clearance(room, ARM)])
    targets = problem.targets(free_targets(room, 12, 9))
    solver = hk.Solver("auto", **options)
    whole = solver(problem, targets, trace=True)
    again = solver(problem, targets)
    assert np.array_equal(whole.q, again.q)
    rounds = 1 + options.get("retries", 0)
    assert whole.iterations.max() <= rounds * options.get("max_iter", 3000)
    if "max_restarts" in options:
        assert whole.n_restarts.max() <= 2 * options["max_restarts"]
    assert room.free(ARM, whole.q[whole.converged]).all()
    for k, row in enumerate(targets):
        one = solver(problem, row)
        assert np.array_equal(one.q, whole.q[k])
        assert (one.iterations, one.n_restarts) == (whole.iterations[k], whole.n_restarts[k])


def test_locked_joints_people_and_moving_bases() -> None:
    room = hk.Scene().add("b", hk.scene.Box((0.2, 0.2, 0.2)), at(0.45, 0.2, 0.4))
    problem = hk.Problem(UR5, [hk.Position(), hk.Clearance(room, ARM)], lock={"wrist_3": 0.3})
    found = hk.Solver("auto")(problem, [0.4, -0.2, 0.5])
    assert found.converged
    ball = hk.chain([0.3, 0.3, 0.3], "ball")
    figure = hk.Figure(
        ball, [hk.Capsule(f"link_{k}", (0, 0, 0), (0.3, 0, 0), 0.03) for k in (1, 2, 3)], pairs=[]
    )
    wall = hk.Scene().add("w", hk.scene.Sphere(0.1), at(0.45, 0.0, 0.0))
    some = hk.Problem(ball, [hk.Position(), hk.Clearance(wall, figure)])
    answer = hk.Solver("auto")(some, [0.7, 0.0, 0.0])
    assert answer.converged
    assert wall.distance(figure, answer.q) >= 0.01


def test_the_figure_of_another_body_is_refused() -> None:
    room = boxes(1, 1)

    def solved(model: hk.Model) -> hk.Problem:
        return hk.Problem(model, [hk.Position("link_6"), hk.Clearance(room, ARM)])

    for same in (
        UR5.with_limits(elbow=(-1.0, 1.0)),
        UR5.locked({"wrist_1": 0.2}),
        UR5.with_base(at(0.1, 0.0, 0.3)),
        UR5.with_tool(at(0.0, 0.0, 0.1)),
    ):
        assert solved(same).model.nq == 6
    held = UR5.spec
    held.joints[-1].kind = "fixed"
    held.joints[-1].lower = held.joints[-1].upper = None
    solved(hk.Model(held))
    longer, turned, other, beside = UR5.spec, UR5.spec, UR5.spec, UR5.spec
    longer.joints[3].placement[0, 3] += 1e-3
    turned.joints[4].axis = (0.0, 1.0, 0.0)
    other.joints[2].kind = "prismatic"
    beside.joints[-1].parent = "link_4"
    for spec, link in ((longer, "link_"), (turned, "link_"), (other, "link_"), (beside, "link_6")):
        spec.name = "another"
        with pytest.raises(hk.ArgumentError, match=f"'{link}.*otherwise than in 'another'"):
            solved(hk.Model(spec))
    tool = hk.Figure(
        UR5.with_tool(at(0.0, 0.0, 0.1)), [hk.Capsule("tool", (0, 0, 0), (0, 0, 0.1), 0.03)]
    )
    with pytest.raises(hk.ArgumentError, match="'tool'"):
        hk.Problem(UR5.with_tool(at(0.0, 0.0, 0.2)), hk.Clearance(room, tool))
    with pytest.raises(hk.NotFoundError, match="tool"):
        hk.Problem(UR5, hk.Clearance(room, tool))


def test_an_explanation_names_what_is_in_the_way() -> None:
    room = hk.Scene().add("cupboard", hk.scene.Box((0.3, 0.3, 0.3)), at(0.5, 0.2, 0.4))
    problem = hk.Problem(UR5, [hk.Position(), hk.Clearance(room, ARM)])
    found = hk.Solver("auto")(problem, [0.5, 0.2, 0.4])
    assert re.search(r"blocked: link_\d is [\d.]+ mm (inside|from) cupboard", found.explain())
    itself = hk.Problem(UR5, hk.Clearance(None, ARM))
    touched = next(q for q in UR5.sample(400, seed=2) if not hk.Scene().free(ARM, q))
    caught = hk.Solver("lm", max_iter=0)(itself, [], q0=touched)
    assert re.search(r"blocked: link_2 is [\d.]+ mm inside link_6", caught.explain())


@given(seed=st.integers(0, 1 << 30))
@settings(max_examples=8, deadline=None)
def test_where_a_search_by_scipy_ends_clear_it_is_reached(seed: int) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    room, q0 = boxes(seed % 7), UR5.sample(1, seed=seed)[0]
    if not room.free(ARM, q0):
        q0 = UR5.rest
    target = UR5.fk(UR5.sample(1, seed=seed + 1)[0])[:3, 3]
    found = optimize.minimize(
        lambda q: ((UR5.fk(q)[:3, 3] - target) ** 2).sum(),
        q0,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda q: room.distance(OUTSIDE, q, 0.5) - 0.011},
        options={"maxiter": 60},
    )
    off = np.linalg.norm(UR5.fk(found.x)[:3, 3] - target)
    inside = ((found.x >= UR5.lower) & (found.x <= UR5.upper)).all()
    if off < 5e-5 and inside and room.free(ARM, found.x) and room.distance(OUTSIDE, found.x) > 0.01:
        problem = hk.Problem(UR5, [hk.Position(), hk.Clearance(room, ARM)])
        assert hk.Solver("auto")(problem, target).converged


def test_a_mobile_arm_a_person_and_a_wall_of_a_plan() -> None:
    plan = hk.scene.Prism([(0, 0), (2, 0), (2, 0.1), (0.1, 0.1), (0.1, 2), (0, 2)], 2.0)
    room = hk.Scene().add("walls", plan, at(0.6, -0.3, 0)).add("floor", hk.scene.Plane())
    spec = hk.chain([0.3, 0.4, 0.4, 0.2]).spec
    spec.joints[0].kind, spec.joints[3].kind = "planar", "ball"
    spec.joints[0].axis2 = (1.0, 0.0, 0.0)
    base = hk.Model(spec)
    parts = [
        hk.Capsule(f"link_{k + 1}", (0.05, 0, 0.3), (size - 0.05, 0, 0.3), 0.04)
        for k, size in enumerate((0.3, 0.4, 0.4, 0.2))
    ]
    figure = hk.Figure(base, parts, pairs=[])
    q = base.sample(3000, seed=3)
    targets = base.fk(q[room.distance(figure, q, 1.0) > 0.02][:40])[:, :3, 3]
    assert len(targets) == 40
    problem = hk.Problem(base, [hk.Position(), hk.Clearance(room, figure)])
    found = hk.Solver("auto")(problem, targets)
    assert found.converged.all()
    assert (room.distance(figure, found.q) >= 0.01).all()
    for k in (0, 7, 39):
        assert np.array_equal(hk.Solver("auto")(problem, targets[k]).q, found.q[k])


def test_bad_values() -> None:
    room = boxes(1, 1)
    for name in ("distance", "self_distance"):
        for bad in (-1.0, np.nan, np.inf):
            wrong: Any = {name: bad}
            with pytest.raises(hk.ArgumentError, match=name):
                hk.Problem(UR5, hk.Clearance(room, ARM, **wrong))
    with pytest.raises(TypeError, match="scene"):
        hk.Problem(UR5, hk.Clearance(3, ARM))  # type: ignore[arg-type]  # what is refused
    with pytest.raises(hk.ArgumentError, match="collision"):
        hk.Problem(UR5, hk.Clearance(room))
    with pytest.raises(hk.NotFoundError, match="frame"):
        hk.Problem(hk.chain([1.0]), hk.Clearance(room, ARM))
    with pytest.raises(hk.ArgumentError, match="whole model"):
        hk.Problem(UR5, hk.Clearance(room, ARM, frame="link_1"))


def test_terms_compare_and_keep_what_they_look_at_alive() -> None:
    room = boxes(1, 2)
    assert hk.Clearance(room, ARM) == hk.Clearance(room, ARM)
    assert hk.Clearance(room, ARM) != hk.Clearance(room, ARM, distance=0.02)
    problem = hk.Problem(UR5, [hk.Position(), hk.Clearance(room, as_figure(ARM))])
    del room
    assert hk.Solver("auto")(problem, [0.3, 0.3, 0.4]).converged is not None


def test_solve_takes_the_scene() -> None:
    room = boxes(3)
    keep = hk.Clearance(room, ARM)
    targets = free_targets(room, 40, 4)[:, :3, 3]
    found = UR5.solve(position=targets, scene=keep)
    want = hk.Solver()(hk.Problem(UR5, [hk.Position(), keep]), targets)
    assert found.converged.all()
    assert room.free(ARM, found.q).all()
    assert (found.q.tobytes(), found.solver) == (want.q.tobytes(), want.solver)
    again = UR5.solve(position=targets[0], scene=keep)  # by the plan that was made
    assert again.q.tobytes() == found.q[0].tobytes()
    plain = UR5.solve(position=targets)  # and without it as ever
    assert plain.q.tobytes() == UR5.solve(position=targets, scene=None).q.tobytes()
    assert not room.free(ARM, plain.q).all()
    still = UR5.solve(position=targets[:5], scene=keep, lock={"wrist_3": 0.3}, retries=1)
    assert (still.q[:, 5] == 0.3).all()
    assert room.free(ARM, still.q[still.converged]).all()
    assert UR5.solve(position=targets[0], scene=keep, max_iter=1).iterations <= 1
    with pytest.raises(TypeError, match="max_iter must be an integer"):  # and True is no 1
        UR5.solve(position=targets[0], scene=keep, max_iter=True)


def test_solve_takes_a_scene_itself_by_the_shapes_of_the_model() -> None:
    bar = GeometrySpec("capsule", radius=0.05, length=0.3, placement=at(0.0, 0.0, -0.15))
    spec = UR5.spec
    links = [
        replace(link, collisions=[bar]) if link.name == "link_3" else link for link in spec.links
    ]
    arm = hk.Model(replace(spec, links=links))
    near = hk.Scene().add("post", hk.scene.Box((0.1, 0.1, 2.0)), at(0.35, 0.45, 0.0))
    found = arm.solve(position=[0.4, 0.2, 0.5], scene=near)
    assert found.converged
    assert near.distance(arm, found.q) >= 0.01
    with pytest.raises(hk.ArgumentError, match="no collision shapes"):
        UR5.solve(position=[0.4, 0.2, 0.5], scene=near)
    for wrong in (3, hk.Scene, hk.Position()):
        with pytest.raises(TypeError, match="must be a Scene or a Clearance"):
            UR5.solve(position=[0.4, 0.2, 0.5], scene=wrong)  # type: ignore[arg-type]
