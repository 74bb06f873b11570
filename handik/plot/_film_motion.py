"""Films of a figure that moves: a motion or a trajectory, alone or in a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.people.motion import Motion
from handik.plot._axes import COLORS, GREY, View
from handik.plot._paths import at_times, clearance
from handik.plot._scene import shades, stage, view_of
from handik.scene._along import taken_along
from handik.scene._look import BODY, Piece, model_of, pieces, placed_corners
from handik.scene.check import as_figure
from handik.scene.document import Scene
from handik.scene.plan import Trajectory
from handik.spec._given import of_class

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation

    from handik.model import Model
    from handik.scene.check.figure import FigureLike

__all__ = ["film_of_motion"]

Array = NDArray[np.float64]


def film_of_motion(
    moved: Motion | Trajectory,
    scene: Scene | None,
    figure: FigureLike | None,
    view: tuple[float, float],
    fps: float,
    most: int,
) -> tuple[FuncAnimation, float]:
    """Make a film that lasts as long as the motion; and its pictures a second."""
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation

    if scene is not None:
        of_class("scene", scene, Scene)
    angles = view_of(view)
    if not len(moved.times):
        raise ArgumentError("this motion has no frames: there is nothing to show")
    model = moved.model if figure is None else model_of(figure)
    long = float(moved.times[-1] - moved.times[0])
    times = np.arange(int(long * fps * (1 + 1e-12)) + 1) / fps
    if long - times[-1] > 1e-9 * long:
        times = np.append(times, long)
    if len(times) > most:
        times = np.linspace(0.0, long, most)
        fps = (most - 1) / long
    places = at_times(model, moved, moved.times[0] + times)
    stick = _Stick(model, places.q)
    measured = scene is not None and figure is not None
    canvas = plt.figure(figsize=(9.6, 4.8) if measured else (5.6, 5.2), layout="constrained")
    grid = canvas.add_gridspec(1, 2, width_ratios=[1.5, 1.0]) if measured else None
    where: Any = 111 if grid is None else grid[0]
    flat = scene is None and figure is None and View(stick.points).projection is None
    draw_pose: Any
    if flat:
        draw_pose = _flat(canvas.add_subplot(where), stick)
    else:
        around, along = Scene() if scene is None else scene, list[Piece]()
        if figure is not None:
            around, along = taken_along(around, figure)
        body = [] if figure is None else [*pieces(figure, coarse=True), *along]
        ax = canvas.add_subplot(where, projection="3d")
        stage(around, [], stick.points.reshape(-1, 3), angles, ax)
        draw_pose = _solid(ax, model, places.q, stick, body)
    mark: Any = None
    if grid is not None and scene is not None and figure is not None:
        panel = clearance(
            scene, as_figure(figure), moved, count=200, ax=canvas.add_subplot(grid[1])
        )
        mark = panel.axvline(places.at[0], color="#1b2430", linewidth=1.2)
    title = canvas.suptitle("")

    def draw(k: int) -> list[Any]:
        draw_pose(k)
        if mark is not None:
            mark.set_xdata([places.at[k]] * 2)
        title.set_text(f"{times[k]:.2f} s of {long:.2f} s")
        return []

    draw(0)
    canvas.draw_without_rendering()
    canvas.set_layout_engine("none")
    film = FuncAnimation(
        canvas, draw, frames=len(times), interval=1000.0 / fps, blit=False, repeat=True
    )
    return film, fps


class _Stick:
    """The lines between the frames of a figure, in every posture."""

    def __init__(self, model: Model, q: Array) -> None:
        at = {name: k for k, name in enumerate(model.frame_names)}
        spec = model.spec
        pairs = [(at[joint.parent], at[joint.child]) for joint in spec.joints]
        pairs += [(at[frame.link], at[frame.name]) for frame in spec.frames]
        self.points = np.asarray(model.frames(q))[..., :3, 3]  # (K, nframes, 3)
        ends = np.array(pairs, int).reshape(-1, 2)
        self.lines = self.points[:, ends]  # (K, bones, 2, 3)


def _flat(ax: Any, stick: _Stick) -> Any:
    view = View(stick.points)
    ax.plot(*view(stick.points.reshape(-1, 3)), alpha=0.0)  # so that the axes hold all of it
    lines = [
        ax.plot(*view(line), "-o", color=COLORS[0], linewidth=2.4, markersize=4)[0]
        for line in stick.lines[0]
    ]
    view.finish(ax)

    def draw(k: int) -> None:
        for line, points in zip(lines, stick.lines[k], strict=True):
            line.set_data(*view(points))

    return draw


def _solid(ax: Any, model: Model, q: Array, stick: _Stick, body: list[Any]) -> Any:
    ax.computed_zorder = False  # the figure is seen through what stands before it
    lines = Line3DCollection(stick.lines[0], colors=COLORS[0], linewidths=2.2, zorder=6)
    ax.add_collection3d(lines)
    skin: Any = None
    names = model.frame_names
    if body:
        skin = Poly3DCollection(
            np.zeros((1, 3, 3)), facecolors=GREY, edgecolors="none", zorder=5, label="body"
        )
        ax.add_collection3d(skin)

    def draw(k: int) -> None:
        lines.set_segments(stick.lines[k])
        if skin is not None:
            poses = dict(zip(names, np.asarray(model.frames(q[k])), strict=True))
            corners = placed_corners(body, poses)
            look = np.full((len(corners), 4), 0.45)
            look[:, :3] = (shades(corners)[:, None] * np.array(BODY)).clip(0, 1)
            skin.set_verts(corners)
            skin.set_facecolor(look)

    return draw
