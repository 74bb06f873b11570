"""Pictures by matplotlib (``pip install 'handik[plot]'``): poses, traces and studies.

It may import `handik._model` and what comes before, of the study its types alone. A function that
is given no axes makes a figure of its own with pyplot and returns its axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.model._places import joint_origins
from handik.result import Outcome, Result
from handik.spec._given import is_model, reals, whole_number

if TYPE_CHECKING:
    from handik.closed.analytic import Solutions
    from handik.study import Study

try:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError("handik.plot draws with matplotlib: pip install 'handik[plot]'") from error

from handik.plot._avatar import wrist
from handik.plot._axes import COLORS, GREY, View, color_of, made_by, own, style_of, tidy
from handik.plot._diagram import diagram
from handik.plot._door import opening, passing
from handik.plot._film import animate
from handik.plot._moves import fabrik_moves
from handik.plot._paper import paper
from handik.plot._paths import clearance, swept, tree
from handik.plot._scene import scene
from handik.plot._share import survey
from handik.plot._smooth import largest_moves, travel
from handik.plot._window import Window, view
from handik.plot.allowed import allowed, coupling, twist
from handik.plot.basins import basins, conditioning
from handik.plot.limits import joint_limits

__all__ = [
    "Window",
    "allowed",
    "animate",
    "basins",
    "chain",
    "clearance",
    "conditioning",
    "convergence",
    "coupling",
    "diagram",
    "errors",
    "fabrik_moves",
    "fabrik_steps",
    "iterations",
    "iterations_by_distance",
    "joint_limits",
    "largest_moves",
    "opening",
    "paper",
    "passing",
    "scene",
    "stop_rules",
    "study",
    "survey",
    "swept",
    "trace",
    "travel",
    "tree",
    "twist",
    "view",
    "wrist",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]

_STARTS = {"warm": "along the path", "cold": "random targets"}


# -- figures ------------------------------------------------------------------------------------


def chain(
    model: Model,
    q: ArrayLike | Result | Solutions,
    *,
    frame: str | None = None,
    ax: Axes | None = None,
    color: str = COLORS[0],
    label: str | None = None,
    target: ArrayLike | None = None,
) -> Axes:
    """Draw poses of the chain that carries a frame, joints as dots.

    Parameters
    ----------
    model : Model
    q : array_like, shape (nq,) or (n, nq), or Result or Solutions
        One pose, or several: the earlier, the paler. Those of a result are its answers.
    frame : str, optional
        The model's tip if not given.
    ax : Axes, optional
        Of the kind `axes_for` makes.
    color, label : str, optional
    target : array_like, shape (3,) or (n, 3), optional
        Places to mark with a star, meters.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.3, 0.3, 0.2])
    >>> ax = hk.plot.chain(arm, [[0.0, 0.0, 0.0], [0.5, 0.5, 0.5]])
    >>> type(ax).__name__
    'Axes'
    """
    is_model(model)
    given: Any = q
    rows = reals(getattr(given, "q", given), "q", (model.nq,))
    marks = None if target is None else reals(target, "target", (3,))
    points = np.asarray(joint_origins(model, rows.reshape(-1, rows.shape[-1]), frame))
    view = View.of(model, frame)
    ax = ax if ax is not None else own(view.projection)
    strength = np.linspace(0.25 if len(points) > 1 else 1.0, 1.0, len(points))
    for k, (pose, alpha) in enumerate(zip(points, strength, strict=True)):
        last = k == len(points) - 1
        ax.plot(
            *view(pose), "-o", color=color, alpha=float(alpha), markersize=4,
            linewidth=2.0 if last else 1.2, label=label if last else None,
        )  # fmt: skip
        ax.plot(*view(pose[:1]), "s", color="#1b2430", markersize=6)
    if marks is not None:
        ax.plot(*view(marks.reshape(-1, 3)), "*", color="#c1121f", markersize=12, label="target")
    if label is not None or target is not None:
        ax.legend(loc="best", fontsize="small")
    view.finish(ax)
    return ax


def trace(
    study: Study, label: str | None = None, *, ax: Axes | None = None, poses: int = 5
) -> Axes:
    """Draw the curve, the trace of one solver's first run, and poses of the chain along it.

    Parameters
    ----------
    study : Study
    label : str, optional
        The solver; the first if not given.
    ax : Axes, optional
    poses : int
        How many poses of the chain.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import handik as hk
    >>> from handik.study import compare, figure_of_eight
    >>> done = compare(hk.chain([0.3, 0.3, 0.3], "ball"), figure_of_eight(8), runs=2)
    >>> ax = hk.plot.trace(done, "ccd")
    >>> type(ax).__name__.startswith("Axes")
    True
    """
    made_by(study, "Study")
    poses = whole_number("poses", poses)
    part = study.solvers[0] if label is None else study[label]
    view = View.of(study.model, study.frame)
    ax = ax if ax is not None else own(view.projection)
    picks = np.linspace(0, len(part.q), poses, endpoint=False).astype(int)
    finite = np.asarray(np.isfinite(part.q).all(axis=1))
    shown = part.q[[k for k in picks if finite[k]]]
    color = color_of(study, part)
    if len(shown):
        chain(study.model, shown, frame=study.frame, ax=ax, color=GREY, label="poses")
    points, tip = study.curve.points, part.tip
    if study.curve.closed:
        points, tip = np.vstack([points, points[:1]]), np.vstack([tip, tip[:1]])
    ax.plot(*view(points), color="#1b2430", linewidth=1.0, linestyle=":", label="wanted")
    ax.plot(*view(tip), color=color, linewidth=2.2, label=f"{study.frame}, {part.label}")
    missed = np.flatnonzero(part.outcomes[0] != Outcome.CONVERGED)
    if missed.size:
        # The first run begins at the curve's first point, so frames and points agree.
        ax.plot(*view(study.curve.points[missed]), "x", color="#c1121f", label="not reached")
    ax.set_title(f"{part.label}: pose and trace")
    ax.legend(loc="best", fontsize="small", framealpha=0.9)
    view.finish(ax)
    return ax


def iterations(study: Study, *, ax: Axes | None = None) -> Axes:
    """Draw iterations along the curve: the mean over runs, and the middle half of them.

    Parameters
    ----------
    study : Study
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import handik as hk
    >>> from handik.study import compare, figure_of_eight
    >>> done = compare(hk.chain([0.3, 0.3, 0.3], "ball"), figure_of_eight(8), runs=2)
    >>> ax = hk.plot.iterations(done)
    >>> type(ax).__name__.startswith("Axes")
    True
    """
    made_by(study, "Study")
    ax = ax if ax is not None else own()
    n = len(study.curve)
    shift = (
        np.arange(study.runs) * n // study.runs if study.curve.closed else np.zeros(study.runs, int)
    )
    order = (shift[:, None] + np.arange(n)) % n
    for part in study.solvers:
        # Runs start at different points of the curve: sort their frames by the point they went to.
        by_point = np.empty(part.iterations.shape)
        np.put_along_axis(by_point, order, part.iterations.astype(float), axis=1)
        color, style = color_of(study, part), style_of(study, part)
        low, high = np.percentile(by_point, [25, 75], axis=0)
        ax.fill_between(np.arange(n), low, high, color=color, alpha=0.2, linewidth=0)
        ax.plot(by_point.mean(axis=0), style, color=color, label=part.label)
    ax.set_xlabel("point of the curve")
    ax.set_ylabel("iterations a frame")
    ax.set_title("iterations along the curve (mean, middle half of runs)")
    ax.set_ylim(bottom=0)
    ax.legend()
    return tidy(ax)


def convergence(study: Study | Result, *, ax: Axes | None = None) -> Axes:
    """Draw the error by iteration: of a study's random targets, or of one solve.

    Parameters
    ----------
    study : Study or Result
        Of a study the median over random targets from random poses, and the middle half; a result
        of one problem must have been solved with ``trace=True``.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ArgumentError
        For a result without a trace or of a batch.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.study import compare, figure_of_eight
    >>> done = compare(hk.chain([0.3, 0.3, 0.3], "ball"), figure_of_eight(8), runs=2)
    >>> ax = hk.plot.convergence(done)
    >>> type(ax).__name__.startswith("Axes")
    True
    """
    if isinstance(study, Result):
        from handik.plot._steps import one_solve

        return one_solve(study, ax)
    made_by(study, "Study", "Result")
    ax = ax if ax is not None else own()
    reach = study.model.max_reach or 1.0
    longest = 1
    for part in study.solvers:
        curves = np.maximum(part.cold.curves / reach, 1e-7)
        low, middle, high = np.percentile(curves, [25, 50, 75], axis=0)
        color, style = color_of(study, part), style_of(study, part)
        steps = np.arange(curves.shape[1])
        ax.fill_between(steps, low, high, color=color, alpha=0.2, linewidth=0)
        ax.plot(steps, middle, style, color=color, label=part.label)
        done = np.flatnonzero(high <= 1e-6)
        longest = max(longest, int(done[0]) if done.size else min(100, curves.shape[1] - 1))
    ax.axhline(study.tolerance / reach, color="#1b2430", linewidth=1, linestyle=":")
    ax.annotate(
        "stop rule of the study", (1, study.tolerance / reach), xycoords=("axes fraction", "data"),
        xytext=(-4, 3), textcoords="offset points", ha="right", fontsize="small",
    )  # fmt: skip
    ax.set_yscale("log")
    ax.set_ylim(bottom=1e-6)
    ax.set_xlim(0, longest)
    ax.set_xlabel("iteration")
    ax.set_ylabel("error / reach")
    ax.set_title("convergence, random targets and poses (median, middle half)")
    ax.legend()
    return tidy(ax)


def iterations_by_distance(study: Study, *, ax: Axes | None = None, bins: int = 10) -> Axes:
    """Draw iterations from random poses by the distance the frame had to go.

    Parameters
    ----------
    study : Study
    ax : Axes, optional
    bins : int
        Groups of equal size; their means and 95 % intervals are drawn.

    Returns
    -------
    Axes

    Raises
    ------
    ArgumentError
        When `bins` is below 1.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.study import compare, figure_of_eight
    >>> done = compare(hk.chain([0.3, 0.3, 0.3], "ball"), figure_of_eight(8), runs=2)
    >>> ax = hk.plot.iterations_by_distance(done, bins=2)
    >>> type(ax).__name__.startswith("Axes")
    True
    """
    made_by(study, "Study")
    if whole_number("bins", bins) < 1:
        raise ArgumentError(f"bins must be 1 or more, got {bins}")
    ax = ax if ax is not None else own()
    reach = study.model.max_reach or 1.0
    for part in study.solvers:
        far = part.cold.distance / reach
        color, style = color_of(study, part), style_of(study, part)
        groups, means = part.cold.by_distance(bins)
        ax.plot(far, part.cold.iterations, ".", color=color, alpha=0.12, markersize=4, zorder=1)
        ax.errorbar(
            [float(far[g].mean()) for g in groups], [m.mean for m in means],
            yerr=[m.half for m in means], fmt=f"o{style}", color=color, markersize=4, capsize=3,
            label=part.label,
        )  # fmt: skip
    ax.set_yscale("symlog", linthresh=1, linscale=0.3)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("distance to go / reach")
    ax.set_ylabel("iterations")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_title(
        f"iterations by distance, to {study.tolerance / reach:.2g} of the reach (mean ± 95 %)"
    )
    ax.legend()
    return tidy(ax, whole=False)


def errors(study: Study, *, ax: Axes | None = None) -> Axes:
    """Draw histograms of the error that is left at each frame of the curve.

    Parameters
    ----------
    study : Study
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import handik as hk
    >>> from handik.study import compare, figure_of_eight
    >>> done = compare(hk.chain([0.3, 0.3, 0.3], "ball"), figure_of_eight(8), runs=2)
    >>> ax = hk.plot.errors(done)
    >>> type(ax).__name__.startswith("Axes")
    True
    """
    made_by(study, "Study")
    ax = ax if ax is not None else own()
    reach = study.model.max_reach or 1.0
    left = {part.label: part.errors[np.isfinite(part.errors)] / reach for part in study.solvers}
    floor = 1e-5 * study.tolerance / reach
    top = max([study.tolerance / reach, *(float(e.max()) for e in left.values() if e.size)])
    # Ten bins a decade, with an edge on the stop rule.
    decades = np.log10(1.001 * top / floor)
    edges = (floor * 10 ** (np.arange(int(np.ceil(10 * decades)) + 1) / 10)).tolist()
    for part in study.solvers:
        values = np.maximum(left[part.label], floor)
        color, style = color_of(study, part), style_of(study, part)
        share = np.full(values.size, 100.0 / max(1, values.size))
        ax.hist(values, edges, weights=share, histtype="stepfilled", color=color, alpha=0.25)
        ax.hist(
            values, edges, weights=share, histtype="step", color=color, linestyle=style,
            linewidth=1.5, label=part.label,
        )  # fmt: skip
    ax.axvline(
        study.tolerance / reach, color="#1b2430", linewidth=1, linestyle=":", label="stop rule"
    )
    ax.set_xscale("log")
    ax.set_xlabel("error left / reach")
    ax.set_ylabel("share of frames, %")
    ax.set_title("error left at the frames of the curve")
    ax.legend(loc="upper left")
    return tidy(ax, whole=False)


def stop_rules(study: Study, *, ax: Axes | None = None) -> Axes:
    """Draw iterations by stop rule, warm and cold starts.

    Parameters
    ----------
    study : Study
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import handik as hk
    >>> from handik.study import compare, figure_of_eight
    >>> done = compare(hk.chain([0.3, 0.3, 0.3], "ball"), figure_of_eight(8), runs=2)
    >>> ax = hk.plot.stop_rules(done)
    >>> type(ax).__name__.startswith("Axes")
    True
    """
    made_by(study, "Study")
    ax = ax if ax is not None else own()
    for part in study.solvers:
        for start, style, marker in (("warm", "-", "o"), ("cold", "--", "s")):
            rows = [r for r in study.stops if r.label == part.label and r.start == start]
            ax.errorbar(
                [r.tolerance for r in rows], [r.iterations.mean for r in rows],
                yerr=[r.iterations.half for r in rows], fmt=style + marker, capsize=3,
                color=color_of(study, part), label=f"{part.label}, {_STARTS[start]}",
            )  # fmt: skip
        if part.published is not None:
            ax.axhline(
                part.published.iterations, color=color_of(study, part), linewidth=1, linestyle=":"
            )
            ax.annotate(
                f"thesis, {part.label}", (0, part.published.iterations),
                xycoords=("axes fraction", "data"), xytext=(4, 3), textcoords="offset points",
                fontsize="small", color=color_of(study, part),
            )  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.invert_xaxis()
    ax.set_xlabel("stop rule: error / reach")
    ax.set_ylabel("iterations a frame")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_title("iterations by stop rule (mean ± 95 %)")
    ax.set_ylim(top=4 * ax.get_ylim()[1])
    ax.legend(loc="upper left", ncols=2, fontsize="small")
    return tidy(ax, whole=False)


def study(study: Study, figure: Figure | None = None) -> Figure:
    """Draw the overview: each solver's chain and trace, iterations, convergence.

    Parameters
    ----------
    study : Study
    figure : Figure, optional
        An empty one; made with pyplot if not given.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import handik as hk
    >>> from handik.study import compare, figure_of_eight
    >>> done = compare(hk.chain([0.3, 0.3, 0.3], "ball"), figure_of_eight(8), runs=2)
    >>> type(hk.plot.study(done)).__name__
    'Figure'
    """
    made_by(study, "Study")
    if figure is None:
        import matplotlib.pyplot as plt

        figure = plt.figure()
    view = View.of(study.model, study.frame)
    columns = min(3, max(2, len(study.solvers)))
    rows = -(-len(study.solvers) // columns)
    figure.set_layout_engine("constrained")
    figure.set_size_inches(5.6 * columns, 5.0 * rows + 4.0)
    grid = figure.add_gridspec(rows + 1, 2 * columns, height_ratios=[1.25] * rows + [1.0])
    for k, part in enumerate(study.solvers):
        row, column = divmod(k, columns)
        spot = grid[row, 2 * column : 2 * column + 2]
        trace(study, part.label, ax=figure.add_subplot(spot, projection=view.projection))
    iterations(study, ax=figure.add_subplot(grid[rows, :columns]))
    convergence(study, ax=figure.add_subplot(grid[rows, columns:]))
    figure.suptitle(f"{study.model.name} ({study.model.nv} DoF) follows: {study.curve.name}")
    return figure


def fabrik_steps(
    model: Model,
    target: ArrayLike,
    q0: ArrayLike | None = None,
    *,
    iterations: int = 2,
    figure: Figure | None = None,
) -> Figure:
    """Draw FABRIK half pass by half pass, as lectures do; see `handik.study.fabrik_passes`.

    Parameters
    ----------
    model : Model
        A serial chain of balls, or of revolute joints of one plane.
    target : array_like, shape (3,)
    q0 : array_like, shape (nq,), optional
    iterations : int
        Of two half passes each, a picture a half pass.
    figure : Figure, optional
        An empty one; made with pyplot if not given.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.3, 0.3, 0.2])
    >>> type(hk.plot.fabrik_steps(arm, [0.3, 0.4, 0.0])).__name__
    'Figure'
    """
    is_model(model)
    from handik.plot._steps import fabrik_steps

    return fabrik_steps(model, target, q0, iterations=iterations, figure=figure)
