"""Several goals on a tree in the lanes of `auto`: the twin's steps, sure, in the limits, same bytes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from human_figures import HUMANS, cone
from human_figures import figure as human
from hypothesis import given, settings
from hypothesis import strategies as st
from solver_figures import arm, columns, frame_index, goal_of, place, two_arms

import handik as hk
from handik import Axis, LookAt, Orientation, Outcome, Pose, Position, _core
from handik.files.read import FrameSpec, JointSpec, LinkSpec, ModelSpec
from handik.spec import MimicSpec
from handik.study.twins import Between, Tree, swing, tree_descent
from handik.study.twins.tree import problem_length

KINDS = {
    "position": Position,
    "pose": Pose,
    "orientation": Orientation,
    "axis": Axis,
    "look": LookAt,
}
EYE = (0.02, 0.0, 0.05)
CUP, LEANS = (0.1, 0.0, 1.0), 1.2
ROOM, HERE, THERE = (0.25, 0.4), (0.02, 0.0, 0.0), (0.0, 0.0, 0.03)


def followers() -> hk.Model:
    """Hinges and a slide; one hinge follows another at half its rate, backwards, and so does a slide."""
    kinds = ["revolute", "revolute", "revolute", "prismatic", "revolute", "prismatic", "revolute"]
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (1, 0, 0), (0, 0, 1), (0, 1, 0)]
    links = [LinkSpec("base")] + [LinkSpec(f"l{i}") for i in range(7)]
    joints = []
    for i, (kind, axis) in enumerate(zip(kinds, axes, strict=True)):
        above, wide = f"l{i - 1}" if i else "base", 2.0 if kind == "revolute" else 0.1
        at = place(0, 0, 0.15)
        joints.append(JointSpec(f"j{i}", kind, above, f"l{i}", at, axis, lower=-wide, upper=wide))
    joints[2].mimic = MimicSpec("j1", -0.5, 0.1)
    joints[5].mimic = MimicSpec("j3", 0.7, 0.0)
    return hk.Model(
        ModelSpec("followers", links, joints, [FrameSpec("f0", "l6", place(0.1, 0, 0.1))])
    )


def wide_balls() -> hk.Model:
    """Three balls in cones of unlike half-axes, one of which reaches behind rest; the middle turns freely."""
    rows = [
        ("ball", -1, (0, 0, 0), "x", cone((200, 120, 60, 30), 120)),
        ("revolute", 0, (0.3, 0, 0), "z", (-10, 140)),
        ("ball", 1, (0.3, 0, 0), "x", cone((20, 50, 35, 5), 20)),
    ]
    return human("wide balls", rows, [(2, (0.2, 0.05, 0))])


@dataclass(frozen=True)
class Task:
    """A figure, and the kinds of goals of its frames; of a distance with the other frame, or world."""

    model: hk.Model
    goals: tuple[tuple[str, str], ...]

    def terms(self) -> list[hk.terms.Term]:
        loose = {"position_tolerance": 1e-6, "orientation_tolerance": 1e-6}
        own = {"look": {"eye": EYE}}
        out: list[hk.terms.Term] = []
        for kind, frame in self.goals:
            what, _, other = kind.partition(" ")
            if what == "level":
                out.append(hk.Level(frame, axis=CUP, angle=LEANS, **loose))
            elif what == "distance":
                room = {"min": ROOM[0], "max": ROOM[1], "point": HERE, "other_point": THERE}
                out.append(
                    hk.Distance(frame, other=None if other == "world" else other, **room, **loose)
                )
            else:
                out.append(KINDS[kind](frame=frame, **loose, **own.get(kind, {})))
        return out

    def problem(self) -> hk.Problem:
        return hk.Problem(self.model, self.terms())

    def goals_at(self, q: np.ndarray) -> list[hk.reference.Goal | Between]:
        tree = Tree(self.model)
        out: list[hk.reference.Goal | Between] = []
        for kind, frame in self.goals:
            what, _, other = kind.partition(" ")
            index = frame_index(self.model, frame)
            if what == "level":
                out.append(Between(index, LEANS, LEANS, axis=CUP))
            elif what == "distance":
                there = None if other == "world" else frame_index(self.model, other)
                out.append(Between(index, *ROOM, point=HERE, other=there, other_point=THERE))
            else:
                out.append(goal_of(self.model, tree, q, kind, frame))
        return out

    def postures(self, n: int, seed: int) -> np.ndarray:
        """Random ones that meet what has no target."""
        q = self.model.sample(n, seed=seed)
        held = [t for t in self.terms() if isinstance(t, hk.Level | hk.Distance)]
        if not held:
            return q
        found = hk.Solver()(hk.Problem(self.model, held), np.zeros((n, 0)), q0=q)
        assert found.converged.all()
        return found.q

    def row(self, q: np.ndarray) -> np.ndarray:
        """Target row that q meets."""
        parts = []
        for kind, frame in self.goals:
            at = self.model.fk(q, frame=frame)
            if kind.startswith(("level", "distance")):
                parts.append(np.zeros(0))
            elif kind == "look":
                parts.append(at[:3, 3] + at[:3, :3] @ np.add(EYE, (0.0, 0.0, 0.7)))
            else:
                tree = Tree(self.model)
                parts.append(columns(goal_of(self.model, tree, q, kind, frame)))
        return np.concatenate(parts)

    def targets(self, n: int, seed: int) -> np.ndarray:
        return np.array([self.row(q) for q in self.postures(n, seed)])


def task(model: hk.Model, **goals: str) -> Task:
    return Task(model, tuple((kind, frame) for frame, kind in goals.items()))


def tasks() -> dict[str, Task]:
    body = HUMANS["upper body"]()
    return {
        "two arms": task(two_arms(), f0="position", f1="position"),
        "cone arm": task(HUMANS["human arm"](), f0="pose"),
        "cone arm, axis": task(HUMANS["human arm"](), f0="axis"),
        "spine": task(HUMANS["spine and arm"](), f0="position"),
        "three goals": task(body, f0="position", f1="position", f2="position"),
        "hands and sight": task(body, f0="axis", f1="pose", f2="orientation"),
        "hands and look": task(body, f0="look", f1="pose", f2="position"),
        "look along slides": task(followers(), f0="look"),
        "followers": task(followers(), f0="position"),
        "followers turn": task(followers(), f0="orientation"),
        "wide balls": task(wide_balls(), f0="position"),
        "cup": Task(HUMANS["human arm"](), (("position", "f0"), ("level", "f0"))),
        "cup on hinges": Task(arm(), (("level", "f0"), ("position", "f0"))),
        "cups": Task(
            body,
            (("level", "f0"), ("position", "f0"), ("distance f1", "f0"), ("level", "f1")),
        ),
        "near itself": Task(
            body, (("distance f2", "f0"), ("position", "f1"), ("distance world", "f2"))
        ),
        "cup of followers": Task(followers(), (("level", "f0"), ("distance l2", "f0"))),
        "long": task(hk.chain([0.1] * 40, lower=-1.0, upper=1.0), tip="position"),
    }


TASKS = tasks()
TWINNED = [name for name, one in TASKS.items() if "look" not in dict(one.goals)]
# share of targets met by 200 starts at least; that of the scalar descent or better
SHARE = {"cone arm": 0.99, "hands and sight": 0.99, "hands and look": 0.99}


def same(a: hk.Result, b: hk.Result) -> bool:
    names = ("q", "outcome", "error", "iterations", "n_restarts")
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in names)


def beyond(model: hk.Model, q: np.ndarray) -> float:
    """Return by how much the worst joint of any row is outside its limits."""
    tree = Tree(model)
    most = float(np.maximum(tree.lower - q, q - tree.upper).max())
    for s, row in tree.cones.items():
        at = tree.step_q[s]
        for quat in q[:, at : at + 4]:
            most = max(most, swing.excess(row, swing.split(row, quat)))
    return most


@pytest.mark.parametrize("name", TWINNED)
def test_core_and_twin_go_the_same_way(name: str) -> None:
    here = TASKS[name]
    tree, gaps = Tree(here.model), []
    for k in range(10):
        wanted, q0 = here.model.sample(2, seed=k)
        goals = here.goals_at(wanted)
        target = here.row(wanted)
        length = problem_length(tree, goals)
        for _ in range(3):  # three steps at a time: no start is given up sooner
            got = hk.Solver(max_iter=3, max_restarts=0)(here.problem(), target, q0=q0, trace=True)
            path = got.trace.q[: int(got.iterations) + 1]
            for before, after in itertools.pairwise(path):
                twin = tree_descent(tree, goals, before, length=length, iterations=1)[1]
                gaps.append(np.abs(tree.difference(twin, after)).max())
            q0 = got.q
    # a column that comes to its limit to the last rounding may be held by one and not by the other
    agree = np.array(gaps) < 1e-7
    assert len(gaps) >= 30
    assert np.count_nonzero(~agree) <= len(gaps) // 50
    assert np.median(gaps) < 1e-9


@pytest.mark.parametrize("name", TASKS)
def test_meets_what_the_figure_reaches_inside_its_limits(name: str) -> None:
    here = TASKS[name]
    targets = here.targets(300, 5)
    found = hk.Solver()(here.problem(), targets)
    assert found.converged.mean() >= SHARE.get(name, 1.0)
    assert beyond(here.model, found.q) <= 1e-12
    # not by the judge's word, but by the residual of the twin
    for q, row in zip(found.q[found.converged][:40], targets[found.converged], strict=False):
        assert here.problem().evaluate(row, q)[0]
        kinds = {kind.split()[0] for kind, _ in here.goals}
        if not {"pose", "orientation", "look"} & kinds:
            np.testing.assert_allclose(here.row(q), row, atol=2e-6)


@pytest.mark.parametrize("given_start", [False, True])
@pytest.mark.parametrize("name", TASKS)
def test_batch_threads_one_and_instruction_sets_give_the_same_bytes(
    isa: str, name: str, given_start: bool
) -> None:
    here = TASKS[name]
    targets = here.targets(40, 3)
    targets[7] = np.nan
    targets[11] = targets[12][::-1]  # something else, met or not
    q0 = here.model.sample(40, seed=9) if given_start else None
    p, run = here.problem(), hk.Solver(max_restarts=20)
    whole = run(p, targets, q0=q0)
    assert same(whole, hk.Solver(max_restarts=20, threads=3)(p, targets, q0=q0))
    for i in range(40):
        alone = run(p, targets[i], q0=None if q0 is None else q0[i])
        assert alone.q.tobytes() == whole.q[i].tobytes()
        assert (alone.outcome, alone.iterations, alone.n_restarts) == (
            whole.outcome[i],
            whole.iterations[i],
            whole.n_restarts[i],
        )
    _core.simd_select("base")
    assert same(whole, run(p, targets, q0=q0))


@pytest.mark.parametrize("name", TASKS)
def test_a_start_that_meets_the_goals_is_the_answer(name: str) -> None:
    here = TASKS[name]
    q0 = here.postures(9, 1)
    targets = np.array([here.row(q) for q in q0])
    found = hk.Solver()(here.problem(), targets, q0=q0)
    assert found.converged.all()
    assert not found.iterations.any()
    assert not found.n_restarts.any()
    np.testing.assert_allclose(found.q, q0, atol=1e-15)


@pytest.mark.parametrize("most", [0, 1, 5, 12])
def test_iterations_are_counted_and_capped(most: int) -> None:
    here = TASKS["three goals"]
    targets = here.targets(20, 8)
    targets[:, 0] += 0.4  # some cannot be met
    found = hk.Solver(max_iter=most)(here.problem(), targets)
    assert (found.iterations <= most).all()
    ended = found.outcome == Outcome.MAX_ITER
    assert ended.any()
    assert (found.iterations[ended] == most).all()
    assert beyond(here.model, found.q) <= 1e-12


def test_far_targets_are_answered_by_the_nearest_posture() -> None:
    here = TASKS["two arms"]
    targets = here.targets(8, 2)
    targets[3, :3] = 5.0, 0.0, 1.0
    found = hk.Solver()(here.problem(), targets)
    assert found.outcome[3] == Outcome.UNREACHABLE
    assert found.converged.sum() == 7
    rest = here.problem().evaluate(targets[3], here.model.rest)
    assert found.error[3] < rest[1]


@given(st.integers(0, 10_000), st.sampled_from(sorted(TASKS)), st.floats(0.0, 2.0))
@settings(max_examples=60, deadline=None)
def test_any_start_and_target_leave_an_honest_answer_inside_the_limits(
    seed: int, name: str, push: float
) -> None:
    here = TASKS[name]
    rng = np.random.default_rng(seed)
    targets = here.targets(3, seed)
    targets += push * rng.normal(size=targets.shape)
    q0 = here.model.sample(3, seed=seed + 1)
    p = here.problem()
    found = hk.Solver(max_restarts=5)(p, targets, q0=q0)
    assert beyond(here.model, found.q) <= 1e-12
    met, error, _, _ = p.evaluate(targets, found.q)[:4]
    np.testing.assert_array_equal(met, found.converged)
    assert (error <= p.evaluate(targets, q0)[1] * (1 + 1e-9) + 1e-12).all()
