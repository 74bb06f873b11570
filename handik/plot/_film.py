"""Films of a solve: the model iteration by iteration, its limits, its error."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, shortened
from handik.people.motion import Motion
from handik.plot._axes import COLORS, GREY, View
from handik.plot._film_motion import film_of_motion
from handik.plot._moves import film_of_moves
from handik.result.explain import points_of
from handik.result.margins import Limit, limits, margins, standing
from handik.result.result import Result
from handik.scene.plan import PlannedPath, Trajectory
from handik.solve.track import Track
from handik.spec._given import finite_number, path_text, whole_number

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation

    from handik.model import Model
    from handik.scene.check.figure import FigureLike
    from handik.scene.document import Scene
    from handik.study.twins import FabrikMove

    Filmed = Result | Motion | Trajectory | Sequence[FabrikMove]

Array = NDArray[np.float64]
RED = "#c1121f"
#: Pictures that the answer stays.
HOLD = 8


@dataclass(frozen=True, slots=True, eq=False)
class _Reel:
    """What is shown: K poses, the last being the answer."""

    model: Model
    places: Array  # (K, nframes, 3)
    active: NDArray[np.bool_]  # (K, limits)
    limits: tuple[Limit, ...]
    error: Array  # (K,)
    titles: list[str]
    marks: Array  # (K, points, 3) where frames shall be
    unit: str  # of the horizontal axis of the errors


def animate(
    result: Filmed,
    path: str | os.PathLike[str] | None = None,
    *,
    fps: int = 10,
    most: int = 150,
    dpi: float = 90.0,
    scene: Scene | None = None,
    figure: FigureLike | None = None,
    view: tuple[float, float] = (22.0, -55.0),
) -> FuncAnimation:
    """Make a film of a solve, iteration by iteration, or of a motion as it is.

    Parameters
    ----------
    result : Result, Motion, Trajectory or sequence of FabrikMove
        Of one problem, solved with ``trace=True``: joints at limits and the error are shown, and
        the last picture is the answer. Or a track, shown step by step. Or moves of FABRIK, as
        `fabrik_moves` draws them. A motion or a trajectory is played in its own time.
    path : path, optional
        Where to write it: ``.gif`` or ``.html``. Without it the film is only returned; a notebook
        shows ``film.to_jshtml()``.
    fps : int
        Pictures a second.
    most : int
        Pictures at most; of longer solves evenly spaced iterations are shown, of longer motions
        fewer pictures a second.
    dpi : float
        Dots an inch.
    scene : Scene, optional
        Where a motion takes place.
    figure : Figure, Model or Human, optional
        Whose body is drawn with a motion, as `swept` draws it; with a scene, its clearance too.
        Without it a figure is drawn as lines.
    view : (float, float)
        Elevation and azimuth of the eye that sees a motion, degrees.

    Returns
    -------
    matplotlib.animation.FuncAnimation

    Raises
    ------
    TypeError
        When `result` is none of these; a planned path has no times, its trajectory has.
    ArgumentError
        When there is nothing to show, the suffix is another one, or an option is out of range.
    ImportError
        When Pillow is missing; the sentence says what to install.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.3, 0.3, 0.2])
    >>> found = arm.solve(position=[0.3, 0.4, 0.0], solver="fabrik", trace=True)
    >>> hk.plot.animate(found, "arm.gif")  # doctest: +SKIP
    """
    for word, value in (("fps", fps), ("dpi", dpi)):
        finite_number(word, value)
    if not fps > 0 or whole_number("most", most) < 2 or not dpi > 0:
        raise ArgumentError(
            f"fps and dpi must be positive and most 2 or more, got {fps}, {dpi}, {most}"
        )
    name = None if path is None else path_text("path", path)
    writer = None if name is None else _writer(name)
    pace = float(fps)
    moves = isinstance(result, Sequence) and all(hasattr(move, "points") for move in result)
    if isinstance(result, PlannedPath):
        raise TypeError("result is a path without times: give path.trajectory(...)")
    if not (moves or isinstance(result, (Result, Motion, Trajectory))):
        raise TypeError(
            "result must be a handik Result, Motion or Trajectory, or the moves of fabrik_moves, "
            f"got {shortened(result)}"
        )
    if isinstance(result, (Motion, Trajectory)):
        film, pace = film_of_motion(result, scene, figure, view, fps, most)
    elif scene is not None or figure is not None:
        raise ArgumentError("scene and figure go with a Motion or a Trajectory")
    elif isinstance(result, Sequence):
        film = film_of_moves([result[k] for k in _spread(len(result), most)], fps)
    else:
        film = _film(_thin(_reel(result), most), fps)
    if name is not None and writer is not None:
        writer(film, name, pace, dpi)
    return film


# -- what is shown ------------------------------------------------------------------------------


def _reel(result: Result) -> _Reel:
    problem, targets = result.problem, result.targets
    if problem is None or targets is None:
        raise ArgumentError("this result does not know what was solved: it was made by hand")
    if isinstance(result, Track) and result.q.ndim == 2:
        return _reel_of_track(result)
    if result.trace is None or result.q.ndim != 1:
        raise ArgumentError(
            "a film shows one problem: solve it with trace=True, and choose one of a batch as "
            "result[i]; or give a track"
        )
    if not np.isfinite(result.q).all():
        raise ArgumentError("this problem had no usable target: there is nothing to show")
    model, trace = problem.model, result.trace
    q = np.concatenate([trace.q, result.q[None]])
    error = np.append(trace.error, result.error)
    titles = [f"{result.solver}, iteration {k}" for k in range(len(trace))]
    titles.append(f"{result.solver}, answer: {result.outcome.name.lower()}")
    marks = np.array([p for p in points_of(problem, targets) if p is not None]).reshape(1, -1, 3)
    return _make(model, q, error, titles, np.repeat(marks, len(q), axis=0), "iteration")


def _reel_of_track(result: Track) -> _Reel:
    problem, targets = result.problem, result.targets
    assert problem is not None
    assert targets is not None
    keep = np.isfinite(result.q).all(axis=1)
    if not keep.any():
        raise ArgumentError("this path had no usable target: there is nothing to show")
    steps = np.flatnonzero(keep)
    titles = [f"{result.solver}, step {t}" + (" (jump)" if result.jumps[t] else "") for t in steps]
    marks = [[p for p in points_of(problem, targets[t]) if p is not None] for t in steps]
    shown = np.array(marks).reshape(len(steps), -1, 3)
    return _make(problem.model, result.q[keep], result.error[keep], titles, shown, "step")


def _make(
    model: Model, q: Array, error: Array, titles: list[str], marks: Array, unit: str
) -> _Reel:
    places = np.asarray(model.frames(q))[..., :3, 3]
    on = standing(margins(model, q))
    return _Reel(model, places, on, limits(model), error, titles, marks, unit)


def _thin(reel: _Reel, most: int) -> _Reel:
    """Keep at most so many poses, the first and the last among them."""
    count = len(reel.error)
    if count <= most:
        return reel
    keep = _spread(count, most)
    return _Reel(
        reel.model,
        reel.places[keep],
        reel.active[keep],
        reel.limits,
        reel.error[keep],
        [reel.titles[k] for k in keep],
        reel.marks[keep],
        f"{reel.unit} (one in {count / len(keep):.3g} shown)",
    )


def _spread(count: int, most: int) -> NDArray[np.int64]:
    """Return so many places at most, evenly spread, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))


def _bones(model: Model) -> list[tuple[int, int]]:
    """Frames that a line joins: each link with the one before, each named frame with its link."""
    at = {name: k for k, name in enumerate(model.frame_names)}
    spec = model.spec
    return [(at[joint.parent], at[joint.child]) for joint in spec.joints] + [
        (at[frame.link], at[frame.name]) for frame in spec.frames
    ]


# -- drawing ------------------------------------------------------------------------------------


def _film(reel: _Reel, fps: int) -> FuncAnimation:
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation

    seen = np.concatenate([reel.places.reshape(-1, 3), reel.marks.reshape(-1, 3)])
    view = View(seen)
    figure = plt.figure(figsize=(9.6, 4.8), layout="constrained")
    grid = figure.add_gridspec(1, 2, width_ratios=[1.5, 1.0])
    pose: Any = figure.add_subplot(grid[0], projection=view.projection)
    curve: Any = figure.add_subplot(grid[1])
    bones = _bones(reel.model)
    pose.plot(*view(seen), alpha=0.0)  # so that the axes hold everything that will be drawn
    lines = [
        pose.plot(*view(reel.places[0][[a, b]]), color=COLORS[0], linewidth=2.4)[0]
        for a, b in bones
    ]
    ends = sorted({b for _, b in bones} | {a for a, _ in bones})
    (dots,) = pose.plot(*view(reel.places[0][ends]), "o", color=COLORS[0], markersize=4)
    (held,) = pose.plot(*view(reel.places[0][:1]), "o", color=RED, markersize=9, fillstyle="none")
    (marks,) = pose.plot(*view(reel.marks[0]), "x", color=COLORS[1], markersize=9, mew=2.2)
    title = figure.suptitle("")
    note = pose.text2D if view.projection else pose.text
    words = note(0.01, 0.01, "", transform=pose.transAxes, color=RED, fontsize="small", va="bottom")
    view.finish(pose)
    (ran,) = curve.plot([], [], color=COLORS[0])
    (now,) = curve.plot([], [], "o", color=COLORS[1])
    floor = max(1e-9, float(np.nanmin(np.maximum(reel.error, 1e-9))))
    error = np.maximum(reel.error, floor)
    curve.plot(error, color=GREY, alpha=0.3)
    curve.set_yscale("log")
    curve.set_xlabel(reel.unit)
    curve.set_ylabel("error")
    curve.grid(True, color="#e3e7ec")
    joints = _joint_frames(reel)

    def draw(k: int) -> list[Any]:
        k = min(k, len(error) - 1)
        places = reel.places[k]
        for line, (a, b) in zip(lines, bones, strict=True):
            _put(line, view(places[[a, b]]))
        _put(dots, view(places[ends]))
        _put(marks, view(reel.marks[k]))
        on = np.flatnonzero(reel.active[k])
        _put(held, view(places[[joints[i] for i in on]]))
        shown = [str(reel.limits[i]) for i in on[:4]]
        words.set_text(
            "at limit: " + ", ".join(shown) + (" ..." if len(on) > 4 else "") if shown else ""
        )
        title.set_text(f"{reel.titles[k]}: error {reel.error[k]:.2g}")
        ran.set_data(np.arange(k + 1), error[: k + 1])
        now.set_data([k], [error[k]])
        return [*lines, dots, held, marks, words, title, ran, now]

    draw(0)
    # The layout is found once: again for each picture it would take half of the time, and tremble.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return FuncAnimation(
        figure, draw, frames=len(error) + HOLD, interval=1000.0 / fps, blit=False, repeat=True
    )


def _joint_frames(reel: _Reel) -> list[int]:
    """Frame whose origin stands for the joint of each limit."""
    spec = reel.model.spec
    child = {joint.name: joint.child for joint in spec.joints}
    names = reel.model.frame_names
    return [
        names.index(child.get(one.joint, child.get(one.joint.rpartition("[")[0], names[0])))
        for one in reel.limits
    ]


def _put(line: Any, points: list[Array]) -> None:
    line.set_data(points[0], points[1])
    if len(points) == 3:
        line.set_3d_properties(points[2])


# -- files --------------------------------------------------------------------------------------


def _writer(path: str) -> Any:
    """Choose how to write a file by its suffix."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix == ".gif":
        return _write_gif
    if suffix in (".html", ".htm"):
        return _write_html
    raise ArgumentError(f"a film is written as .gif or .html, not as {suffix or path!r}")


@contextmanager
def _drawn_once(film: FuncAnimation) -> Iterator[None]:
    """Keep Matplotlib from drawing each picture once more for a window that is not there."""
    canvas: Any = film._fig.canvas  # type: ignore[attr-defined]  # private to Matplotlib
    canvas.draw_idle = lambda: None
    try:
        yield
    finally:
        del canvas.draw_idle


def _write_gif(film: FuncAnimation, path: str, fps: float, dpi: float) -> None:
    from matplotlib.animation import PillowWriter  # matplotlib brings Pillow

    rate: Any = fps  # said to be whole, and divided alone
    with _drawn_once(film):
        film.save(path, writer=PillowWriter(fps=rate), dpi=dpi)


def _write_html(film: FuncAnimation, path: str, fps: float, dpi: float) -> None:
    import matplotlib as mpl

    rate: Any = fps  # said to be whole, and divided alone
    with mpl.rc_context({"savefig.dpi": dpi}), _drawn_once(film):
        page = film.to_jshtml(fps=rate)
    with open(path_text("path", path), "w", encoding="utf-8", newline="\n") as file:
        file.write(f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8">\n{page}\n</html>\n')
