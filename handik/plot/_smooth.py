"""How smoothly the joints of a study turned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from handik.plot._axes import GREY, color_of, made_by, own, style_of, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from handik.study import Study

__all__ = ["largest_moves", "travel"]


def largest_moves(study: Study, *, ax: Axes | None = None) -> Axes:
    """Draw the largest turn of a joint from frame to frame: median and largest of all runs.

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
    >>> ax = hk.plot.largest_moves(done)
    >>> ax.get_yscale()
    'log'
    """
    made_by(study, "Study")
    ax = ax if ax is not None else own()
    for part in study.solvers:
        moves = np.maximum(part.smoothness.moves, 1e-4)  # zero has no logarithm
        color, style = color_of(study, part), style_of(study, part)
        frames = np.arange(1, moves.shape[1] + 1)
        middle = np.median(moves, axis=0)
        ax.plot(frames, middle, style, color=color, label=f"{part.label}, median")
        ax.plot(
            frames, moves.max(axis=0), style, color=color, linewidth=0.8, alpha=0.7,
            label=f"{part.label}, largest",
        )  # fmt: skip
    ax.axhline(np.pi / 2, color="#1b2430", linewidth=1, linestyle=":")
    ax.annotate(
        "a flip", (0, np.pi / 2), xycoords=("axes fraction", "data"),
        xytext=(4, 3), textcoords="offset points", fontsize="small",
    )  # fmt: skip
    ax.set_yscale("log")
    ax.set_ylim(top=30.0)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_xlabel("frame of the run")
    ax.set_ylabel("largest turn of a joint, rad")
    ax.set_title("largest move from frame to frame, of all runs")
    ax.legend(loc="upper left", ncols=2, fontsize="small")
    return tidy(ax)


def travel(study: Study, *, ax: Axes | None = None) -> Axes:
    """Draw the share of all turning that each joint did, and that of `Model.track`.

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
    >>> ax = hk.plot.travel(done)
    >>> ax.get_ylabel()
    'share of all turning, %'
    """
    made_by(study, "Study")
    ax = ax if ax is not None else own()
    rows = [(part.label, part.smoothness, color_of(study, part)) for part in study.solvers]
    rows.append(("track", study.track, GREY))
    width = 0.8 / len(rows)
    for k, (label, found, color) in enumerate(rows):
        whole = max(float(found.travel.sum()), 1e-300)
        at = np.arange(1, len(found.travel) + 1) + (k - (len(rows) - 1) / 2) * width
        ax.bar(at, 100 * found.travel / whole, 0.92 * width, color=color, label=label)
    joints = len(study.track.travel)
    if joints:
        ax.axhline(
            100 / joints, color="#1b2430", linewidth=1, linestyle=":", label="if all turned alike"
        )
    ax.set_xlabel("joint, from the base to the frame")
    ax.set_ylabel("share of all turning, %")
    ax.set_title("who does the turning")
    ax.legend(loc="upper left", fontsize="small")
    return tidy(ax)
