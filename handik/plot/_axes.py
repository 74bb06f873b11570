"""What all pictures share: colors, the view of a model, axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from handik.errors import shortened
from handik.model import Model
from handik.model._places import joint_origins

if TYPE_CHECKING:
    from handik.study import SolverStudy, Study

__all__ = ["COLORS", "GREY", "STYLES", "View", "color_of", "made_by", "own", "style_of", "tidy"]

Array = NDArray[np.float64]

#: Told apart by readers who see no colors (Okabe and Ito), and by line style.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLES = ("-", "--", "-.", ":")
GREY = "#7a8490"


class View:
    """Flat models are drawn in their plane, others in space."""

    def __init__(self, points: Array) -> None:
        spread = np.ptp(points.reshape(-1, 3), axis=0)
        flat = np.flatnonzero(spread <= 1e-9 * max(1e-300, float(spread.max())))
        self.shown: Sequence[int] = (
            [i for i in range(3) if i != flat[0]] if flat.size else [0, 1, 2]
        )
        self.projection = None if flat.size else "3d"

    @classmethod
    def of(cls, model: Model, frame: str | None) -> View:
        """Choose by where a frame and the joints above it can be."""
        q = np.vstack([model.rest, model.sample(50, seed=0)])
        return cls(np.asarray(joint_origins(model, q, frame)))

    def __call__(self, points: Array) -> list[Array]:
        return [points[:, i] for i in self.shown]

    def finish(self, ax: Any) -> None:
        for axis, i in zip("xyz", self.shown, strict=False):
            getattr(ax, f"set_{axis}label")(
                f"{'xyz'[i]}, m", labelpad=9 if self.projection else None
            )
        if self.projection == "3d":
            # A cube around what is drawn: equal scales, and no side too thin for its numbers.
            limits = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
            half = 0.5 * float(np.max(limits[:, 1] - limits[:, 0]))
            for axis, middle in zip("xyz", limits.mean(axis=1).tolist(), strict=True):
                getattr(ax, f"set_{axis}lim")(middle - half, middle + half)
            ax.set_box_aspect((1, 1, 1), zoom=0.88)
            ax.view_init(elev=22, azim=-50)
            for side in (ax.xaxis, ax.yaxis, ax.zaxis):
                side.set_major_locator(MaxNLocator(5))
        else:
            ax.set_aspect("equal", adjustable="datalim")
            tidy(ax, whole=False)


def made_by(study: Any, kind: str, *others: str, name: str = "study") -> None:
    """Raise where a value is not of this kind of study; `others` may be given in its place.

    The class is known by its name, for studies import pictures and not the other way round.
    """
    kinds = {(one.__module__.partition(".study")[0], one.__name__) for one in type(study).__mro__}
    if ("handik", kind) not in kinds:
        words = " or ".join((kind, *others))
        raise TypeError(f"{name} must be a handik {words}, got {shortened(study)}")


def own(projection: str | None = None, size: tuple[float, float] = (6.4, 4.8)) -> Axes:
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=size, layout="constrained")
    return figure.add_subplot(projection=projection)


def tidy(ax: Axes, *, whole: bool = True) -> Axes:
    ax.grid(True, color="#e3e7ec", linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if whole:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def color_of(study: Study, part: SolverStudy) -> str:
    return COLORS[_place(study, part) % len(COLORS)]


def style_of(study: Study, part: SolverStudy) -> str:
    return STYLES[_place(study, part) % len(STYLES)]


def _place(study: Study, part: SolverStudy) -> int:
    return next(k for k, other in enumerate(study.solvers) if other is part)
