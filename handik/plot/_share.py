"""The share solved, solvers by figures, as one colored table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from handik.plot._axes import made_by

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from handik.study.surveys import Survey

__all__ = ["survey"]


def survey(survey: Survey, figure: Figure | None = None) -> Figure:
    """Draw the share solved: a row a solver, a column a figure; hatched where it does not apply.

    Parameters
    ----------
    survey : Survey
    figure : Figure, optional
        An empty one; made with pyplot if not given.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import handik as hk
    >>> from handik.study import survey
    >>> hk.plot.survey(survey(runs=10))  # doctest: +SKIP
    """
    made_by(survey, "Survey", name="survey")
    if figure is None:
        import matplotlib.pyplot as plt

        figure = plt.figure()
    columns = list(survey.titles)
    names = list(dict.fromkeys(row.solver for row in survey.rows))
    share = np.full((len(names), len(columns)), np.nan)
    for row in survey.rows:
        if row.solved is not None:
            share[names.index(row.solver), columns.index(row.figure)] = 100 * row.solved
    figure.set_layout_engine("constrained")
    figure.set_size_inches(2.2 + 1.3 * len(columns), 1.2 + 0.34 * len(names))
    ax = figure.add_subplot()
    ax.set_facecolor("#eceff2")
    ax.pcolormesh(share, cmap="cividis", vmin=0, vmax=100, edgecolors="white", linewidth=1)
    for i, j in np.ndindex(*share.shape):
        value = float(share[i, j])
        text = "does not\napply" if np.isnan(value) else f"{value:.3g}"
        dark = np.isfinite(value) and value < 55
        ax.text(
            j + 0.5, i + 0.5, text, ha="center", va="center",
            fontsize=6 if np.isnan(value) else 9, color="white" if dark else "#1b2430",
        )  # fmt: skip
    ax.set_xticks(np.arange(len(columns)) + 0.5, columns)
    ax.set_yticks(np.arange(len(names)) + 0.5, names)
    ax.invert_yaxis()
    ax.set_title("solved, %")
    return figure
