"""The FABRIK paper's experiment as bars, its published means beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from handik.plot._axes import COLORS, made_by, own, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from handik.study.paper import PaperStudy

__all__ = ["paper"]


def paper(study: PaperStudy, *, ax: Axes | None = None) -> Axes:
    """Draw the FABRIK paper's experiment on reachable targets, its published means beside.

    Parameters
    ----------
    study : PaperStudy
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import handik as hk
    >>> from handik.study import paper_experiment
    >>> ax = hk.plot.paper(paper_experiment(2))
    >>> type(ax).__name__
    'Axes'
    """
    made_by(study, "PaperStudy")
    ax = ax if ax is not None else own()
    labels = list(dict.fromkeys(row.label for row in study.rows))
    rules = list(dict.fromkeys(row.tolerance for row in study.rows))
    width = 0.8 / len(labels)
    for k, label in enumerate(labels):
        rows = [row for row in study.rows if row.label == label and row.reachable]
        place = np.arange(len(rows)) + (k - (len(labels) - 1) / 2) * width
        color = COLORS[k % len(COLORS)]
        bars = ax.bar(
            place, [r.iterations.mean for r in rows], 0.92 * width, color=color, label=label,
            yerr=[r.iterations.half for r in rows], capsize=3,
        )  # fmt: skip
        ax.bar_label(bars, [f"{r.iterations.mean:.3g}" for r in rows], padding=2, fontsize="small")
        was = rows[0].published if rows else None
        if was is not None:
            ax.axhline(was.iterations, color=color, linestyle=":", label=f"{label}, as published")
    ax.set_xticks(range(len(rules)), [f"{rule:.2g}" for rule in rules])
    ax.set_yscale("log")
    ax.set_ylim(bottom=0.5)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_xlabel("stop rule: error / reach")
    ax.set_ylabel("iterations a target")
    ax.set_title("10 unconstrained joints, reachable targets (mean ± 95 %)")
    ax.set_ylim(top=6 * ax.get_ylim()[1])
    ax.legend(loc="upper left", ncols=2, fontsize="small")
    return tidy(ax, whole=False)
