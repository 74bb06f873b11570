"""Constrained FABRIK move by move: stills as lectures have them, and a film."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, shortened
from handik.plot._axes import COLORS, GREY, View

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation
    from matplotlib.figure import Figure

    from handik.study.twins import FabrikMove

__all__ = ["fabrik_moves", "film_of_moves"]

Array = NDArray[np.float64]

INK, RED, FILL = "#1b2430", "#c1121f", "#56B4E9"
#: Colors of x, y and z of a frame.
FRAME = ("#c1121f", "#2a9d3a", "#1d4ed8")
#: Length of a frame's axes, as a share of the drawing.
TRIAD = 0.16


def fabrik_moves(moves: Sequence[FabrikMove], figure: Figure | None = None) -> Figure:
    """Draw moves of constrained FABRIK, a picture each; see `handik.study.twins.fabrik_moves`.

    The chain before a move is grey; what moves is ringed. Where a joint below would leave its
    limits the places that they allow are drawn, a cone or an arc; where a frame is turned, the
    frame that the joint would have taken is drawn pale.

    Parameters
    ----------
    moves : sequence of FabrikMove
        All of them or a part. ``hk.plot.animate`` makes a film of them.
    figure : Figure, optional
        An empty one; made with pyplot if not given.

    Returns
    -------
    Figure

    Raises
    ------
    ArgumentError
        When there are none.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.study.twins import fabrik_moves
    >>> arm = hk.chain([0.4, 0.3, 0.2], "ball").with_limits(joint_2=hk.Cone(0.5))
    >>> figure = hk.plot.fabrik_moves(fabrik_moves(arm, [0.2, 0.6, 0.1])[:6])
    >>> len(figure.axes)
    6
    """
    _some(moves)
    if figure is None:
        import matplotlib.pyplot as plt

        figure = plt.figure()
    columns = min(4, len(moves))
    rows = -(-len(moves) // columns)
    figure.set_layout_engine("constrained")
    figure.set_size_inches(3.4 * columns, 3.6 * rows)
    scene = _Scene(moves)
    for k in range(len(moves)):
        ax = figure.add_subplot(rows, columns, k + 1, projection=scene.view.projection)
        scene.draw(ax, k)
        head = f"({chr(ord('a') + k % 26)}) "
        ax.set_title(textwrap.fill(head + moves[k].text, 34), fontsize=9)
    return figure


def film_of_moves(moves: Sequence[FabrikMove], fps: float) -> FuncAnimation:
    """Make a film of moves, a second each at one picture a second."""
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation

    _some(moves)
    scene = _Scene(moves)
    figure = plt.figure(figsize=(6.4, 5.6), layout="constrained")
    ax = figure.add_subplot(projection=scene.view.projection)

    def draw(k: int) -> list[Any]:
        ax.clear()
        scene.draw(ax, k)
        ax.set_title(f"{k + 1}. {moves[k].text}", fontsize=11)
        return []

    draw(0)
    return FuncAnimation(
        figure, draw, frames=len(moves), interval=1000.0 / fps, blit=False, repeat=True
    )


def _some(moves: Sequence[FabrikMove]) -> None:
    if not (isinstance(moves, Sequence) and all(hasattr(move, "points") for move in moves)):
        raise TypeError(f"moves must be of handik.study.twins.fabrik_moves, got {shortened(moves)}")
    if not moves:
        raise ArgumentError("there are no moves to show")


class _Scene:
    """All moves in one view and at one scale."""

    def __init__(self, moves: Sequence[FabrikMove]) -> None:
        self.moves = moves
        seen = [move.points for move in moves] + [m.edge for m in moves if m.edge is not None]
        every = np.vstack(seen)
        self.view = View(every)
        self.low, self.high = every.min(axis=0), every.max(axis=0)
        self.size = float(np.max(self.high - self.low)) or 1.0
        goals = [move.points[-1] for move in moves if move.kind == "target"]
        self.goal = goals[0] if goals else None

    def draw(self, ax: Any, k: int) -> None:
        move, view = self.moves[k], self.view
        before = self.moves[max(0, k - 1)].points
        color = COLORS[1] if move.kind in ("base", "turn") else COLORS[0]
        if move.edge is not None and move.apex is not None:
            self._region(ax, move.apex, move.edge)
        ax.plot(*view(before), "-o", color=GREY, alpha=0.45, markersize=3, linewidth=1.2)
        ax.plot(*view(move.points), "-o", color=color, markersize=5, linewidth=2, gid="chain")
        ax.plot(*view(self.moves[0].points[:1]), "s", color=INK, markersize=7)
        if self.goal is not None:
            ax.plot(*view(self.goal[None]), "*", color=RED, markersize=12, gid="target")
        if move.kind != "start":
            ax.plot(*view(move.points[move.at][None]), "o", color=RED, markersize=11,
                    fillstyle="none", gid="moved")  # fmt: skip
        for turn, strength in ((move.before, 0.35), (move.frame, 1.0)):
            if turn is not None:
                self._triad(ax, move.points[move.at], turn, strength)
        self._frame(ax)

    def _region(self, ax: Any, apex: Array, edge: Array) -> None:
        view = self.view
        ax.plot(*view(edge), color=FILL, linewidth=1.5, gid="edge")
        if view.projection:
            from mpl_toolkits.mplot3d.art3d import Poly3DCollection

            sides = [[apex, a, b] for a, b in pairwise(edge)]
            ax.add_collection3d(Poly3DCollection(sides, facecolor=FILL, alpha=0.18, linewidth=0))
        else:
            ax.fill(*view(np.vstack([apex, edge])), color=FILL, alpha=0.25, linewidth=0)

    def _triad(self, ax: Any, at: Array, turn: Array, strength: float) -> None:
        for axis, color in zip(turn.T, FRAME, strict=True):
            way = at + np.outer([0.0, TRIAD * self.size], axis)
            ax.plot(*self.view(way), color=color, alpha=strength, linewidth=1.6, gid="frame")

    def _frame(self, ax: Any) -> None:
        """Give every picture the same cube, or square, without numbers, which would fill it."""
        middle, half = 0.5 * (self.low + self.high), 0.54 * self.size
        for axis, i in zip("xyz", self.view.shown, strict=False):
            getattr(ax, f"set_{axis}lim")(middle[i] - half, middle[i] + half)
            getattr(ax, f"set_{axis}label")("xyz"[i], labelpad=-12 if self.view.projection else 0)
            getattr(ax, f"set_{axis}ticklabels")([])
        if self.view.projection:
            ax.set_box_aspect((1, 1, 1), zoom=1.08)
            ax.view_init(elev=24, azim=-62)
        else:
            ax.set_aspect("equal", adjustable="box")
