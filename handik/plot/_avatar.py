"""The wrists of the avatar's experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from handik.plot._axes import COLORS, STYLES, made_by, own, tidy
from handik.spec._given import flag

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from handik.study.avatar import AvatarStudy

__all__ = ["wrist"]


def wrist(study: AvatarStudy, *, limits: bool = True, ax: Axes | None = None) -> Axes:
    """Draw how many answers of one hand bend the wrist no farther than so many degrees.

    Parameters
    ----------
    study : AvatarStudy
    limits : bool
        With the limits of the joints, or without.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import handik as hk
    >>> ax = hk.plot.wrist(hk.study.avatar_experiment(10))
    >>> ax.get_xlabel()
    'wrist off its rest, deg'
    """
    made_by(study, "AvatarStudy")
    limits = flag("limits", limits)
    ax = ax if ax is not None else own()
    rows = [row for row in study.rows if len(row.chains) == 1 and row.limits == limits]
    for k, row in enumerate(rows):
        bent = np.sort(np.degrees(row.wrist.ravel()))
        share = 100 * np.arange(1, len(bent) + 1) / len(bent)
        ax.step(
            bent, share, STYLES[k % len(STYLES)], where="post", color=COLORS[k % len(COLORS)],
            label=f"{row.label}, median {np.median(bent):.0f}",
        )  # fmt: skip
    ax.axhline(50, color="#1b2430", linewidth=0.8, linestyle=":")
    ax.set_xlim(left=0)
    ax.set_ylim(0, 100)
    ax.set_xlabel("wrist off its rest, deg")
    ax.set_ylabel("share of targets, %")
    ax.set_title(f"{study.model.name}, one hand, {'with' if limits else 'without'} limits")
    ax.legend(loc="lower right", fontsize="small")
    return tidy(ax, whole=False)
