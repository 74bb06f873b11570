"""Every batch call of the library, as one table: what it is given a row, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import handik as hk
from handik import _core
from handik.closed.arm_angle import arm_angle, postures_at
from handik.closed.parallel import StewartPlatform
from handik.model.dynamics.statics import strength_share
from handik.spec import FrameSpec, InertialSpec, JointSpec, LinkSpec, ModelSpec

H = np.pi / 2


def joint_at(model: hk.Model, place: int) -> str:
    """The joint whose coordinate stands at a place of q."""
    return next(n for n, part in model.joint_q_slices.items() if part == slice(place, place + 1))


def figure() -> hk.Model:
    """A tree of every kind of step, with masses and drives."""
    kinds = ("revolute", "ball", "prismatic", "universal", "revolute")
    links = [LinkSpec("l0")]
    joints = []
    for k, kind in enumerate(kinds, 1):
        body = InertialSpec(0.5 + k, center=(0.1, 0.02 * k, 0.0), inertia=np.diag([0.1, 0.2, 0.25]))
        links.append(LinkSpec(f"l{k}", body))
        at = np.eye(4)
        at[:3, 3] = 0.3, 0.1 * k, 0.05
        line = {} if kind == "ball" else {"axis": (0.0, 0.6, 0.8), "lower": -1.0, "upper": 1.2}
        if kind == "universal":
            line = {"axis": (0.0, 0.6, 0.8), "axis2": (1.0, 0.0, 0.0)}
        parent = "l1" if k == 5 else f"l{k - 1}"
        joints.append(JointSpec(f"j{k}", kind, parent, f"l{k}", at, **line))
    spec = ModelSpec("figure", links, joints)
    spec.frames = [FrameSpec("end", "l4")]
    spec.tip = "end"
    return hk.Model(spec)


TREE = figure()
UR5 = hk.data("ur5")
GENERAL = hk.Model.from_dh(
    [
        [0, 0.3, 0.1, 1.3],
        [0, 0.1, 0.4, 0.4],
        [0, 0.2, 0.1, -1.1],
        [0, 0.3, 0.2, 0.7],
        [0, 0.1, 0.1, 1.2],
        [0, 0.2, 0.1, 0.3],
    ]
)
SEVEN = hk.Model.from_dh(
    [
        [0, 0.3, 0, H],
        [0, 0, 0, -H],
        [0, 0.4, 0, H],
        [0, 0, 0, -H],
        [0, 0.4, 0, H],
        [0, 0, 0, -H],
        [0, 0.1, 0, 0],
    ],
    lower=-2.8,
    upper=2.8,
)
PROBLEM = hk.Problem(TREE, [hk.Position(), hk.Level(frame="l5")])
STEWART = StewartPlatform.hexagon(1.0, 0.6, 0.2, 0.25)
PUSH = {"end": (0.0, 1.0, 0.0, 0.0, 0.1, 0.0)}


class Call(NamedTuple):
    """What takes `given(n)`, each array with one leading axis, and gives one array or more."""

    given: Callable[[int], tuple[np.ndarray, ...]]
    run: Callable[..., Any]
    #: Last axes of the answer that `out=` takes; None: it takes none.
    out: tuple[int, ...] | None
    #: Rows that are several blocks.
    rows: int
    #: Core axes of each argument.
    axes: tuple[int, ...] = (1,)


def q_of(model: hk.Model) -> Callable[[int], tuple[np.ndarray, ...]]:
    return lambda n: (model.sample(n, seed=3),)


def q_and(model: hk.Model, *widths: int) -> Callable[[int], tuple[np.ndarray, ...]]:
    def given(n: int) -> tuple[np.ndarray, ...]:
        rng = np.random.default_rng(5)
        return (model.sample(n, seed=3), *(rng.normal(size=(n, width)) for width in widths))

    return given


def poses_of(model: hk.Model, far: float = 1.0) -> Callable[[int], tuple[np.ndarray, ...]]:
    def given(n: int) -> tuple[np.ndarray, ...]:
        T = model.fk(model.sample(n, seed=4))
        T[1::7, :3, 3] *= 3.0
        T[:, :3, 3] *= far
        return (T,)

    return given


def pose_and_angle(n: int) -> tuple[np.ndarray, ...]:
    return (SEVEN.fk(SEVEN.sample(n, seed=4)), np.linspace(-3.0, 3.0, n))


def pose_and_locked(n: int) -> tuple[np.ndarray, ...]:
    q = SEVEN.sample(n, seed=4)
    return SEVEN.fk(q), q[:, 2]


def target_and_q(n: int) -> tuple[np.ndarray, ...]:
    q = TREE.sample(n, seed=8)
    aim = TREE.fk(q)[:, :3, 3] + 1e-4
    return np.hstack([aim, np.tile([0.0, 0.0, 1.0], (n, PROBLEM.width > 5))])[:, : PROBLEM.width], q


def platforms(n: int) -> np.ndarray:
    rng = np.random.default_rng(2)
    T = np.tile(np.eye(4), (n, 1, 1))
    T[:, :3, 3] = [0.0, 0.0, 1.0] + 0.1 * rng.normal(size=(n, 3))
    return T


def lengths(n: int) -> tuple[np.ndarray, ...]:
    return (STEWART.ik(platforms(n)),)


def first(x: Any, **more: Any) -> tuple[np.ndarray, ...]:
    """Subproblem 1, with the leading axes that its callers put back."""
    lead = np.shape(x)[:-1]
    x = x.reshape(-1, 9) if len(lead) > 1 and 0 not in lead else x
    return tuple(a.reshape(lead + a.shape[1:]) for a in _core.subproblem(1, x, **more))


def found(s: hk.Solutions) -> tuple[Any, ...]:
    return s.q, s.count, s.exact, s.free, s.complete


def fields(record: Any) -> tuple[Any, ...]:
    return tuple(getattr(record, name) for name in record.__dataclass_fields__)


def moved(q: np.ndarray, v: np.ndarray, **more: Any) -> tuple[Any, ...]:
    s = TREE.simulate(q, v, 0.004, step=2e-3, tau=np.ones(TREE.nv), wrenches=PUSH, **more)
    return s.q, s.v, s.energy, s.work


def pushed(q: np.ndarray, **more: Any) -> tuple[Any, ...]:
    r = TREE.reachable_force(q, limits=np.full(TREE.nv, 90.0), **more)
    return r.force, r.tau, r.holds


def bound(method: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    return lambda *args, **more: method(*args, **fixed, **more)


NQ, NV = TREE.nq, TREE.nv
N = 3001

CALLS: dict[str, Call] = {
    "fk": Call(q_of(TREE), TREE.fk, (4, 4), 9 * N),
    "frames": Call(q_of(TREE), TREE.frames, (len(TREE.frame_names), 4, 4), 3 * N),
    "jacobian": Call(q_of(TREE), TREE.jacobian, (6, NV), 3 * N),
    "clip": Call(lambda n: (3 * TREE.sample(n, seed=3),), TREE.clip, (NQ,), 3 * N),
    "integrate": Call(q_and(TREE, NV), TREE.integrate, (NQ,), 3 * N, (1, 1)),
    "difference": Call(
        lambda n: (TREE.sample(n, seed=1), TREE.sample(n, seed=2)),
        TREE.difference,
        (NV,),
        3 * N,
        (1, 1),
    ),
    "inverse_dynamics": Call(
        q_and(TREE, NV, NV), bound(TREE.inverse_dynamics, wrenches=PUSH), (NV,), N, (1, 1, 1)
    ),
    "forward_dynamics": Call(
        q_and(TREE, NV, NV), bound(TREE.forward_dynamics, payload={"end": 1.0}), (NV,), N, (1, 1, 1)
    ),
    "mass_matrix": Call(q_of(TREE), TREE.mass_matrix, (NV, NV), N),
    "coriolis_torque": Call(q_and(TREE, NV), TREE.coriolis_torque, (NV,), N, (1, 1)),
    "gravity_torque": Call(q_of(TREE), TREE.gravity_torque, (NV,), N),
    "kinetic_energy": Call(q_and(TREE, NV), TREE.kinetic_energy, (), N, (1, 1)),
    "potential_energy": Call(q_of(TREE), TREE.potential_energy, (), N),
    "center_of_mass": Call(q_of(TREE), TREE.center_of_mass, (3,), N),
    "center_of_mass_jacobian": Call(q_of(TREE), TREE.center_of_mass_jacobian, (3, NV), N),
    "momentum": Call(q_and(TREE, NV), TREE.momentum, (6,), N, (1, 1)),
    "static_torques": Call(
        q_of(TREE), lambda q, **more: TREE.static_torques(q, {"end": 2.0}, **more), (NV,), N
    ),
    "strength_share": Call(
        q_of(TREE),
        lambda q, **more: strength_share(TREE, q, {"end": 2.0}, np.full(NV, 9.0), **more),
        (NV,),
        N,
    ),
    "reachable_force": Call(q_of(TREE), pushed, None, N),
    "simulate": Call(q_and(TREE, NV), moved, None, N, (1, 1)),
    "solutions": Call(
        poses_of(UR5), lambda T, **more: found(UR5.solutions(T, **more)), None, 1000, (2,)
    ),
    "solutions, general": Call(
        poses_of(GENERAL), lambda T, **more: found(GENERAL.solutions(T, **more)), None, 40, (2,)
    ),
    "solutions, thorough": Call(
        poses_of(GENERAL),
        lambda T, **more: found(GENERAL.solutions(T, method="general", **more)),
        None,
        5,
        (2,),
    ),
    "solutions, closest": Call(
        poses_of(UR5, 2.0),
        lambda T, **more: found(UR5.solutions(T, closest=True, **more)),
        None,
        8,
        (2,),
    ),
    "solutions, turns": Call(
        poses_of(UR5), lambda T, **more: found(UR5.solutions(T, turns=True, **more)), None, 7, (2,)
    ),
    "solutions, locked": Call(
        pose_and_locked,
        lambda T, x, **more: found(SEVEN.solutions(T, lock={joint_at(SEVEN, 2): x}, **more)),
        None,
        1000,
        (2, 0),
    ),
    "solutions, samples": Call(
        poses_of(SEVEN),
        lambda T, **more: found(SEVEN.solutions(T, samples=6, **more)),
        None,
        100,
        (2,),
    ),
    "postures_at": Call(
        pose_and_angle, lambda T, x, **more: postures_at(SEVEN, T, x, **more), (8, 7), 1000, (2, 0)
    ),
    "arm_angle": Call(q_of(SEVEN), lambda q, **more: arm_angle(SEVEN, q, **more), (), 2000),
    "residual": Call(target_and_q, PROBLEM.residual, (PROBLEM.rows,), N, (1, 1)),
    "residual jacobian": Call(target_and_q, PROBLEM.jacobian, (PROBLEM.rows, NV), N, (1, 1)),
    "evaluate": Call(target_and_q, PROBLEM.evaluate, None, N, (1, 1)),
    "measure": Call(target_and_q, PROBLEM._measure, None, N, (1, 1)),
    "distance_lower_bound": Call(
        lambda n: target_and_q(n)[:1], PROBLEM.distance_lower_bound, None, 9 * N
    ),
    "floor": Call(lambda n: target_and_q(n)[:1], PROBLEM._floor, (2,), 9 * N),
    "stewart inverse": Call(lambda n: (platforms(n),), STEWART.ik, None, 500, (2,)),
    "stewart jacobian": Call(lambda n: (platforms(n),), STEWART.jacobian, None, 500, (2,)),
    "stewart singularity": Call(lambda n: (platforms(n),), STEWART.singularity, None, 500, (2,)),
    "stewart direct": Call(
        lambda n: (*lengths(n), platforms(n)[::-1].copy()),
        lambda x, T, **more: fields(STEWART.fk(x, T, **more)),
        None,
        200,
        (1, 2),
    ),
    "stewart postures": Call(
        lengths, lambda x, **more: fields(STEWART.postures(x, **more)), None, 4
    ),
    "subproblem": Call(
        lambda n: (np.random.default_rng(1).normal(size=(n, 9)),),
        first,
        None,
        N,
    ),
}


def arrays(answer: Any) -> tuple[np.ndarray, ...]:
    parts = answer if isinstance(answer, tuple) else (answer,)
    return tuple(np.asarray(part) for part in parts)
