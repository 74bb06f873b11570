"""A look at a scene in the browser, by viser: sliders for joints, a trajectory is played."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.people.human import Human
from handik.people.motion import Motion
from handik.people.surface import BodySurface
from handik.scene._along import taken_along
from handik.scene._look import Piece, Triangles, chair_pieces, model_of, pieces, seen, triangles
from handik.scene.contents import Actor
from handik.scene.document import Scene
from handik.scene.plan import Trajectory
from handik.scene.shapes import Plane
from handik.spec._given import of_class, points_of, reals, whole_number

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.check.figure import FigureLike

__all__ = ["Window", "view"]

Array = NDArray[np.float64]
#: Pictures a second while it plays.
_RATE = 30.0


class _Body:
    """A figure in a server's scene: its links as frames, or a person's skin."""

    def __init__(
        self,
        server: Any,
        path: str,
        figure: Any,
        place: Array,
        scale: float,
        along: Sequence[Piece] = (),
    ) -> None:
        self.model, self._place, self._scale = model_of(figure), place, scale
        self._surface: BodySurface | None = None
        self._skins: list[tuple[Any, NDArray[np.int64]]] = []
        self._links: dict[str, Any] = {}
        add = server.scene.add_mesh_simple
        if isinstance(figure, Human) and isinstance(figure.surface, BodySurface):
            self._surface = figure.surface
            skin = self._surface(figure.rest).clothed
            for k, name in enumerate(skin.parts):
                faces = skin.faces[skin.part == k]
                if len(faces):
                    rows, own = np.unique(faces, return_inverse=True)
                    color = tuple((255 * skin.colors[k]).round().astype(int).tolist())
                    handle = add(
                        f"{path}/{name}", skin.vertices[rows], own.reshape(faces.shape), color=color
                    )
                    self._skins.append((handle, rows))
        own_body = pieces(figure) if self._surface is None else chair_pieces(figure)
        for k, one in enumerate([*own_body, *along]):
            if one.link not in self._links:
                frame = server.scene.add_frame(f"{path}/{one.link}", show_axes=False)
                self._links[one.link] = frame
            moved = one.triangles
            _add(server, f"{path}/{one.link}/{k}", moved, one.color, 1.0, scale)

    def show(self, q: Array) -> None:
        if self._surface is not None:
            points = self._scale * self._surface(q).clothed.vertices
            points = points @ self._place[:3, :3].T + self._place[:3, 3]
            for handle, rows in self._skins:
                handle.vertices = points[rows].astype(np.float32)
        poses = np.asarray(self.model.frames(q))
        for name, frame in self._links.items():
            pose = poses[self.model.frame_names.index(name)].copy()
            pose[:3, 3] *= self._scale
            frame.position, frame.wxyz = _placed(self._place @ pose)


def _placed(pose: Array) -> tuple[Array, Array]:
    """Return position and quaternion w x y z."""
    from handik import _core

    columns = np.asarray(_core.pose_columns(pose[None]))[0]
    return columns[:3], columns[3:]


def _add(
    server: Any, path: str, made: Triangles, color: tuple[float, ...], opacity: float, scale: float
) -> None:
    rgb = tuple(round(255 * c) for c in color[:3])
    server.scene.add_mesh_simple(
        path,
        (scale * made.vertices).astype(np.float32),
        made.faces,
        color=rgb,
        opacity=None if opacity >= 1 else opacity,
        flat_shading=made.normals is None,
        side="double",
    )


class Window:
    """A scene that is shown in the browser as long as this is there; `view` makes it.

    Parameters
    ----------
    server : viser.ViserServer
        What shows it; more can be added to it.
    body : object, optional
        The figure that the sliders move, as `view` made it.
    q : ndarray, shape (nq,), optional
        Its configuration.

    Attributes
    ----------
    model : Model or None
        Of the figure that the sliders move.
    clock, playing : viser handles
        Where a trajectory is played: ``clock.value`` in seconds, ``playing.value`` a bool.

    Examples
    --------
    >>> import handik as hk
    >>> with hk.plot.view(hk.Scene(), hk.data("ur5"), port=0) as window:  # doctest: +SKIP
    ...     window.show([0.1] * 6)
    """

    def __init__(self, server: Any, body: _Body | None, q: Array | None) -> None:
        self.server = server
        self.model = None if body is None else body.model
        self._body, self._q = body, q
        self._lock, self._open = threading.RLock(), True
        self._sliders: list[tuple[Any, int, bool]] = []
        self._start = q
        self._quiet = False

    @property
    def url(self) -> str:
        """Where the browser finds it."""
        return f"http://localhost:{self.server.get_port()}"

    @property
    def q(self) -> Array | None:
        """The configuration that is shown, a copy."""
        return None if self._q is None else self._q.copy()

    def __repr__(self) -> str:
        """Say where it is."""
        return f"Window at {self.url}" if self._open else "Window, closed"

    def __enter__(self) -> Window:
        """Return itself; `close` is called in the end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def show(self, q: ArrayLike) -> None:
        """Show another configuration; the sliders go with it.

        Parameters
        ----------
        q : array_like, shape (nq,)

        Raises
        ------
        ArgumentError
            When there is no figure, or `q` has another shape.
        """
        if self._body is None or self.model is None:
            raise ArgumentError("there is no figure to be moved")
        self._show(points_of(reals(q, "q", ()), "q", (self.model.nq,)), sliders=True)

    def close(self) -> None:
        """Stop the server; a second time does nothing."""
        with self._lock:
            if self._open:
                self._open = False
                self.server.stop()

    # -- inside ---------------------------------------------------------------------------------

    def _show(self, q: Array, *, sliders: bool) -> None:
        with self._lock:
            if not self._open or self._body is None:
                return
            self._q = q.copy()
            self._body.show(self._q)
            if sliders and self._sliders and self._start is not None and self.model is not None:
                self._quiet = True  # what is set by hand here shall not be read from there
                v = np.asarray(self.model.difference(self._start, q))
                for handle, at, plain in self._sliders:
                    value = q[at] if plain else v[at]
                    handle.value = float(np.clip(value, handle.min, handle.max))
                self._quiet = False

    def _moved(self) -> None:
        """Take what the sliders say."""
        if self._quiet or self.model is None or self._start is None:
            return
        v = np.zeros(self.model.nv)
        for handle, at, plain in self._sliders:
            if not plain:
                v[at] = handle.value
        q = np.array(self.model.integrate(self._start, v))
        for handle, at, plain in self._sliders:
            if plain:
                q[at] = handle.value
        self._show(q, sliders=False)

    def _add_sliders(self) -> None:
        """Add a slider a coordinate; those of a ball turn it about its axes, from the start."""
        model, start = self.model, self._start
        assert model is not None
        assert start is not None
        spans = sorted(model.joint_q_slices.items(), key=lambda item: item[1].start)
        first = {name: int(model.joint_v[model.joint_names.index(name)]) for name, _ in spans}
        ends = [*(first[name] for name, _ in spans[1:]), model.nv]
        with self.server.gui.add_folder("joints", expand_by_default=len(spans) <= 12):
            for (name, span), end in zip(spans, ends, strict=True):
                count = end - first[name]
                plain = count == span.stop - span.start
                for k in range(count):
                    at = span.start + k if plain else first[name] + k
                    label = name if count == 1 else f"{name} {'xyz'[k] if count == 3 else k}"
                    self._add_slider(label, at, plain)

    def _add_slider(self, label: str, at: int, plain: bool) -> None:
        assert self.model is not None
        assert self._start is not None
        low, high, value = -np.pi, np.pi, 0.0
        if plain:
            value = float(self._start[at])
            limits = float(self.model.lower[at]), float(self.model.upper[at])
            low = limits[0] if np.isfinite(limits[0]) else min(low, value)
            high = limits[1] if np.isfinite(limits[1]) else max(high, value)
        high = max(high, low + 1e-6)
        handle = self.server.gui.add_slider(
            label, low, high, (high - low) / 1000, float(np.clip(value, low, high))
        )
        handle.on_update(lambda _: self._moved())
        self._sliders.append((handle, at, plain))

    def _add_player(self, moved: Trajectory | Motion) -> None:
        begin, end = float(moved.times[0]), float(moved.times[-1])

        def at(t: float) -> Array:
            return moved.sample(t)[0] if isinstance(moved, Trajectory) else moved.at(t)

        long = max(end - begin, 1e-6)
        with self.server.gui.add_folder("time"):
            clock = self.server.gui.add_slider("seconds", 0.0, long, long / 1000, 0.0)
            play = self.server.gui.add_checkbox("play", False)
        self.clock, self.playing = clock, play
        clock.on_update(lambda _: self._show(at(begin + clock.value), sliders=True))

        def run() -> None:
            while self._open and play.value:
                step = clock.value + 1 / _RATE
                clock.value = step if step < long else 0.0
                time.sleep(1 / _RATE)

        def begin_to_play(_: Any) -> None:
            if play.value:
                threading.Thread(target=run, name="play", daemon=True).start()

        play.on_update(begin_to_play)


def view(
    scene: Scene,
    figure: FigureLike | None = None,
    q: ArrayLike | None = None,
    *,
    trajectory: Trajectory | Motion | None = None,
    port: int = 8080,
) -> Window:
    """Show a scene in the browser, with sliders for a figure's joints.

    Parameters
    ----------
    scene : Scene
    figure : Figure, Model or Human, optional
        One more figure, in the world, drawn as `Scene.export` writes it.
    q : array_like, shape (nq,), optional
        Its configuration; its rest, or the first of the trajectory, if not given.
    trajectory : Trajectory or Motion, optional
        To be played, in its own time.
    port : int
        Of the server, which answers this machine alone; the next that is free is taken. 0: any.

    Returns
    -------
    Window
        As long as it is not closed, the page at its ``url`` shows it.

    Raises
    ------
    ImportError
        When ``viser`` is missing; the sentence says what to install.
    TypeError
        When these are no scene, no figure and no movement.
    ArgumentError
        When `q` or the trajectory is of another figure, or of none.

    Notes
    -----
    The sliders of a ball turn it about its three axes, from where it was at first. They keep to the
    limits of single coordinates, not to the cones of balls.

    Examples
    --------
    >>> import handik as hk
    >>> window = hk.plot.view(hk.scene.gallery("kitchen"), hk.human())  # doctest: +SKIP
    """
    of_class("scene", scene, Scene)
    if figure is None and (q is not None or trajectory is not None):
        raise ArgumentError("q and trajectory are those of a figure, which is not given")
    start = None if figure is None else _start(figure, q, trajectory)
    number = whole_number("port", port, 65535)
    try:
        import viser
    except ImportError:
        raise ImportError("handik.plot.view shows by viser: pip install 'handik[viser]'") from None
    server = viser.ViserServer(host="127.0.0.1", port=number or _any_port(), verbose=False)
    server.scene.set_up_direction("+z")
    around, along = (scene, []) if figure is None else taken_along(scene, figure)
    _draw_scene(server, around)
    model = None if figure is None else model_of(figure)
    places = [scene.world(path)[:3, 3] for path in scene] or [np.zeros(3)]
    if model is not None and start is not None:
        places += list(np.asarray(model.frames(start))[:, :3, 3])
    _look_at(server, np.array(places))
    body = None if figure is None else _Body(server, "/figure", figure, np.eye(4), 1.0, along)
    window = Window(server, body, start)
    if body is not None and start is not None:
        body.show(start)
        if trajectory is not None:
            window._add_player(trajectory)
        window._add_sliders()
    return window


def _any_port() -> int:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _start(figure: Any, q: Any, trajectory: Any) -> Array:
    model: Model = model_of(figure)
    if trajectory is not None:
        if not isinstance(trajectory, (Trajectory, Motion)):
            raise TypeError(
                f"trajectory must be a handik Trajectory or Motion, got {type(trajectory).__name__}"
            )
        if trajectory.model is not model and trajectory.model.nq != model.nq:
            raise ArgumentError(
                f"trajectory is one of {trajectory.model.name!r}, not of {model.name!r}"
            )
        if not len(trajectory.times):
            raise ArgumentError("trajectory has no postures")
        first = trajectory.q[0]
    else:
        first = figure.rest if isinstance(figure, Human) else model.rest
    found = points_of(first if q is None else reals(q, "q", ()), "q", (model.nq,))
    return np.array(found)


def _look_at(server: Any, points: Array) -> None:
    """Put the eye where all of it is seen."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2
    away = max(1.0, float(np.linalg.norm(high - low)))
    server.initial_camera.look_at = tuple(middle)
    server.initial_camera.position = tuple(middle + away * np.array([0.75, -0.95, 0.55]))


def _draw_scene(server: Any, scene: Scene) -> None:
    for k, one in enumerate(seen(scene)):
        place, scale = scene.world(one.path), scene.world_scale(one.path)
        inner = one.pose.copy()
        inner[:3, 3] *= scale
        path = f"/scene/{one.path}/{k}"
        if isinstance(one.shape, Plane):
            position, wxyz = _placed(place @ inner)
            server.scene.add_grid(
                path, width=10.0, height=10.0, plane="xy", position=position, wxyz=wxyz
            )
            continue
        pose = place @ inner
        made = triangles(one.shape)
        grown = Triangles(scale * made.vertices, made.faces, made.normals).moved(pose)
        _add(server, path, grown, one.color, one.opacity, 1.0)
    for path in scene.find(kind="target"):
        position, wxyz = _placed(scene.world(path))
        server.scene.add_frame(
            f"/scene/{path}/target", axes_length=0.06, axes_radius=0.004, position=position,
            wxyz=wxyz,
        )  # fmt: skip
    for path in scene.find(kind="figure"):
        actor = scene[path].content
        assert isinstance(actor, Actor)
        own: Any = actor.person or actor.figure
        body = _Body(
            server, f"/scene/{path}/figure", own, scene.world(path), scene.world_scale(path)
        )
        body.show(actor.posture)
