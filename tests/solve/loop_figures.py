"""Figures with a closed loop: linkages, chains that meet, two hands on a rod."""

from __future__ import annotations

from typing import Any

import numpy as np
from solver_figures import DEG, figure

from handik import Loop, Model, Position, Problem, Solver

PLANAR = ("four_bar", "five_bar")
Array = np.ndarray[Any, Any]


def four_bar(ground: float = 0.6) -> Model:
    """Crank 0.3 and coupler 0.7 on one side, rocker 0.5 on the other; f0 on the coupler."""
    rows = [
        ("revolute", -1, (0, 0, 0), "z", -3.1, 3.1),
        ("revolute", 0, (0.3, 0, 0), "z", -2.8, 2.8),
        ("revolute", -1, (ground, 0, 0), "z", -3.1, 3.1),
    ]
    return figure("four_bar", rows, [(1, (0.35, 0.2, 0)), (1, (0.7, 0, 0)), (2, (0.5, 0, 0))])


def five_bar() -> Model:
    """Two arms of two links that meet in their tips."""
    rows = [
        ("revolute", -1, (0, 0, 0), "z", -3.1, 3.1),
        ("revolute", 0, (0.4, 0, 0), "z", -2.6, 2.6),
        ("revolute", -1, (0.3, 0, 0), "z", -3.1, 3.1),
        ("revolute", 2, (0.4, 0, 0), "z", -2.6, 2.6),
    ]
    return figure("five_bar", rows, [(1, (0.5, 0, 0)), (1, (0.5, 0, 0)), (3, (0.5, 0, 0))])


def balls() -> Model:
    """Two chains of three balls; f0 is on the middle link of one."""
    rows = [
        ("ball", -1, (0, 0, 0), "z", 0, 0),
        ("ball", 0, (0.3, 0, 0), "z", 0, 0),
        ("ball", 1, (0.3, 0, 0), "z", 0, 0),
        ("ball", -1, (0.4, 0, 0), "z", 0, 0),
        ("ball", 3, (0, 0.3, 0), "z", 0, 0),
        ("ball", 4, (0, 0.3, 0), "z", 0, 0),
    ]
    return figure("balls", rows, [(1, (0.15, 0.1, 0)), (2, (0.3, 0, 0)), (5, (0.2, 0, 0))])


def hands() -> Model:
    """Two arms on a chest that turns: the left hand holds a rod by its end, f1; f2 takes that."""
    arm = [
        ((0, 0, 0), "z", -150, 150),
        ((0, 0, 0), "y", -100, 100),
        ((0, 0, 0), "x", -90, 90),
        ((0.3, 0, 0), "y", 0, 145),
        ((0, 0, 0), "x", -85, 85),
        ((0.27, 0, 0), "y", -70, 70),
        ((0, 0, 0), "z", -35, 35),
    ]
    rows = [("revolute", -1, (0, 0, 0.8), "z", -1, 1)]
    for side in (0.2, -0.2):
        for k, (at, axis, low, high) in enumerate(arm):
            parent, place = (len(rows) - 1, at) if k else (0, (0, side, 0.4))
            rows.append(("revolute", parent, place, axis, low * DEG, high * DEG))
    return figure("hands", rows, [(7, (0.1, -0.2, 0)), (7, (0.1, -0.4, 0)), (14, (0.1, 0, 0))])


LOOPED = {"four_bar": four_bar, "five_bar": five_bar, "balls": balls, "hands": hands}


def gap(model: Model, q: Array) -> Array:
    return model.fk(q, frame="f1")[..., :3, 3] - model.fk(q, frame="f2")[..., :3, 3]


def closed(model: Model, n: int) -> Array:
    """Postures whose loop is closed, beside random ones whose ends are within 0.1 m."""
    q = model.sample(400 * n, seed=1)
    q = q[np.linalg.norm(gap(model, q), axis=1) < 0.1]
    problem = Problem(model, [Loop("f1", other="f2", position_tolerance=1e-10)])
    got = Solver("lm")(problem, np.zeros((len(q), 0)), q0=q)
    assert got.converged.all()
    return got.q[:n]


def regular(model: Model, q: Array) -> Array:
    """True where the goal and the loop move with the joints: least singular value over 0.03 m."""
    moves = []
    for unit in 1e-6 * np.eye(model.nq):
        ends = [
            (model.fk(x, frame="f0")[:, :2, 3], gap(model, x)[:, :2]) for x in (q + unit, q - unit)
        ]
        moves.append(np.concatenate([a - b for a, b in zip(*ends, strict=True)], axis=1) / 2e-6)
    rows = np.stack(moves, axis=2)
    return np.asarray(np.linalg.svd(rows, compute_uv=False)[:, -1] > 0.03)


def driven(model: Model) -> Problem:
    at = {"position_tolerance": 1e-4}
    return Problem(model, [Position("f0", **at), Loop("f1", other="f2", **at)])
