"""One solve in pictures: FABRIK half pass by half pass, and the error iteration by iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from handik.errors import ArgumentError
from handik.plot._axes import COLORS, GREY, View, own, tidy
from handik.solve.passes import fabrik_passes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from handik.model import Model
    from handik.result import Result

INK, RED = "#1b2430", "#c1121f"


def fabrik_steps(
    model: Model,
    target: ArrayLike,
    q0: ArrayLike | None = None,
    *,
    iterations: int = 2,
    figure: Figure | None = None,
) -> Figure:
    """Draw FABRIK half pass by half pass; see `handik.plot.fabrik_steps`."""
    made = fabrik_passes(model, target, q0, iterations=iterations)
    goal = np.asarray(target, float)
    if figure is None:
        import matplotlib.pyplot as plt

        figure = plt.figure()
    view = View(np.vstack([made.reshape(-1, 3), goal[None]]))
    columns = min(len(made), 3)
    rows = -(-len(made) // columns)
    figure.set_layout_engine("constrained")
    sides = np.ptp(np.vstack([made.reshape(-1, 3), goal[None]]), axis=0)
    flat = [float(sides[i]) for i in view.shown[:2]]
    tall = 1.0 if view.projection or not flat[0] else min(1.2, flat[1] / flat[0])
    figure.set_size_inches(3.6 * columns, (2.6 * tall + 1.1) * rows + 0.4)
    for k, points in enumerate(made):
        ax: Any = figure.add_subplot(rows, columns, k + 1, projection=view.projection)
        if k:
            ax.plot(*view(made[k - 1]), "-o", color=GREY, alpha=0.5, markersize=3, linewidth=1.2)
        color = COLORS[1] if k % 2 else COLORS[0]
        ax.plot(*view(points), "-o", color=color, markersize=5, linewidth=2)
        ax.plot(*view(made[0][:1]), "s", color=INK, markersize=7)
        ax.plot(*view(goal[None]), "*", color=RED, markersize=12)
        ax.set_title(_half_pass(k) + f"\n{_miss(points, goal, made[0][0], k)}", fontsize=10)
        view.finish(ax)
        if not view.projection:  # one scale for all, so that what moves is the chain
            everything = view(np.vstack([made.reshape(-1, 3), goal[None]]))
            margin = 0.06 * max(float(np.ptp(values)) for values in everything)
            ax.set_aspect("equal", adjustable="box")
            ax.set_xlim(everything[0].min() - margin, everything[0].max() + margin)
            ax.set_ylim(everything[1].min() - margin, everything[1].max() + margin)
    figure.suptitle("FABRIK, pass by pass: target a star, base a square, before in grey")
    return figure


def _half_pass(k: int) -> str:
    if k == 0:
        return "start"
    return f"{(k + 1) // 2}. " + ("from the target to the base" if k % 2 else "and back")


def _miss(points: Any, goal: Any, base: Any, k: int) -> str:
    """Say what is off after a half pass: the base after the one, the tip after the other."""
    who, off = ("base", points[0] - base) if k % 2 else ("tip", points[-1] - goal)
    return f"{who} {float(np.linalg.norm(off)):.2g} m off"


def one_solve(result: Result, ax: Axes | None) -> Axes:
    """Draw the error of one traced solve by iteration."""
    if result.trace is None or result.q.ndim != 1:
        raise ArgumentError(
            "give one problem solved with trace=True; of a batch choose one: result[i]"
        )
    ax = ax if ax is not None else own()
    error = result.trace.error  # of the start, and after each iteration of the last round
    ax.plot(range(error.size), error, "-o", color=COLORS[0], markersize=4, label=result.solver)
    ax.plot([error.size - 1], [result.error], "*", color=RED, markersize=12, label="answer")
    ax.set_yscale("log")
    ax.set_xlabel("iteration")
    ax.set_ylabel("error (weighted residual)")
    ax.set_title(f"{result.solver}: {result.outcome} after {result.iterations} iterations")
    ax.legend()
    return tidy(ax)
