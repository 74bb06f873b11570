"""The document: a tree of nodes that never changes, and what is read off it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.scene import _files, _places, _tree
from handik.scene._edits import Edits
from handik.scene._places import Place
from handik.scene.contents import Actor
from handik.scene.nodes import Node, node_name, some_nodes
from handik.scene.shapes import Shape, set_fields
from handik.spec._given import known_name, path_text, text

if TYPE_CHECKING:
    from handik.model import Model
    from handik.people.human import Human
    from handik.people.motion import Motion
    from handik.scene.check.clearance import Clearance
    from handik.scene.check.figure import FigureLike
    from handik.scene.check.measure import Proof
    from handik.scene.plan import Trajectory

__all__ = ["Obstacle", "Scene"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A solid shape at its place in the world.

    Attributes
    ----------
    name : str
        The path of its node.
    shape : Shape
        In its own size: scales are in it.
    pose : ndarray (4, 4)
        In the world.
    """

    name: str
    shape: Shape
    pose: Array


class Scene(Edits):
    """Named things and their places: a document that never changes.

    What edits it returns another scene that shares all that stayed, so the old one is still there
    and any thread may read either. A node is named by its path, such as ``"table/cup"``. Scenes
    are equal where all their nodes are, in order.

    Parameters
    ----------
    nodes : sequence of Node
        What stands in it; by default nothing.
    name : str
        Of the scene.

    Raises
    ------
    ArgumentError
        When two nodes have one name, there are too many above each other or in all, or one
        follows what is not there, or itself.

    Examples
    --------
    >>> import handik as hk
    >>> scene = hk.Scene().add("table", hk.scene.Box([1.2, 0.8, 0.04]), [0, 0, 0.73])
    >>> scene = scene.add("table/cup", hk.scene.Cylinder(0.1, 0.04), [0.2, 0, 0.07])
    >>> scene.find()
    ('table', 'table/cup')
    >>> scene.world("table/cup")[:3, 3].round(3).tolist()
    [0.2, 0.0, 0.8]
    """

    name: str
    nodes: tuple[Node, ...]

    def __init__(self, nodes: Sequence[Node] = (), name: str = "scene") -> None:
        found = some_nodes(nodes, "the scene")
        _tree.bounded(found)
        set_fields(self, name=node_name(name), nodes=found)
        _tree.followed(found)

    # -- what it is ----------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a scene never changes: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a scene never changes: {name!r} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scene):
            return NotImplemented
        return self is other or (self.name, self.nodes) == (other.name, other.nodes)

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.nodes))

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "nodes": self.nodes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        set_fields(self, **state)

    def __repr__(self) -> str:
        shown = ", ".join(node.name for node in self.nodes[:6])
        more = ", ..." if len(self.nodes) > 6 else ""
        return f"Scene({self.name!r}, {len(self)} nodes: {shown}{more})"

    def _repr_html_(self) -> str:
        from handik.scene._html import scene_table

        return scene_table(self)

    @cached_property
    def _nodes(self) -> dict[str, Node]:
        return dict(_tree.walk(self.nodes))

    @cached_property
    def _known(self) -> dict[str, Place]:
        return _places.places(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __contains__(self, path: object) -> bool:
        if "_nodes" in self.__dict__:  # as below
            return isinstance(path, str) and path in self._nodes
        return _tree.get(self.nodes, path) is not None

    def __getitem__(self, path: str) -> Node:
        """Return the node of a path."""
        if "_nodes" in self.__dict__ and isinstance(path, str) and path in self._nodes:
            return self._nodes[path]  # a search through all neighbors is slow where they are many
        found = _tree.get(self.nodes, path)
        return self._nodes[known_name("node", path, self._nodes)] if found is None else found

    def find(
        self, pattern: str | None = None, *, tag: str | None = None, kind: str | None = None
    ) -> tuple[str, ...]:
        """Return the paths of nodes, in the order of the document.

        Parameters
        ----------
        pattern : str, optional
            With ``* ? [ ]`` as in a shell: of the whole path where it has a ``/``, else of the
            name alone. A ``*`` crosses a ``/`` too.
        tag : str, optional
            A tag that it has.
        kind : str, optional
            What it is: ``"box"``, ``"figure"``, ``"target"``, ``"group"``, ...

        Returns
        -------
        tuple of str
            All nodes, where nothing is asked for; none is no error.

        Raises
        ------
        TypeError
            When one of them is no text.

        Examples
        --------
        >>> import handik as hk
        >>> scene = hk.Scene().add("lamp", tags="light").add("lamp/switch", tags="switch")
        >>> scene.find("lamp/*"), scene.find(tag="light"), scene.find("chair")
        (('lamp/switch',), ('lamp',), ())
        """
        for name, asked in (("pattern", pattern), ("tag", tag), ("kind", kind)):
            if asked is not None:
                text(name, asked)
        whole = pattern is not None and "/" in pattern
        return tuple(
            path
            for path, node in self._nodes.items()
            if (pattern is None or fnmatchcase(path if whole else node.name, pattern))
            and (tag is None or tag in node.tags)
            and (kind is None or node.kind == kind)
        )

    def world(self, path: str) -> Array:
        """Return the pose of a node in the world.

        Parameters
        ----------
        path : str
            Of the node.

        Returns
        -------
        ndarray (4, 4)
            Read-only.

        Raises
        ------
        NotFoundError
            When there is no such node.

        Examples
        --------
        >>> import handik as hk
        >>> scene = hk.Scene().add("room", pose=[1, 2, 0], scale=2.0)
        >>> scene = scene.add("room/lamp", pose=[0, 0, 1])
        >>> scene.world("room/lamp")[:3, 3].tolist()
        [1.0, 2.0, 2.0]
        """
        return self._known[known_name("node", path, self._nodes)].pose

    def world_scale(self, path: str) -> float:
        """Return the factor on the shape of a node: its own times those above it.

        Parameters
        ----------
        path : str
            Of the node.

        Returns
        -------
        float
            The product.

        Raises
        ------
        NotFoundError
            When there is no such node.
        """
        return self._known[known_name("node", path, self._nodes)].scale

    def obstacles(self) -> tuple[Obstacle, ...]:
        """Return every solid shape at its place in the world; figures are none.

        Returns
        -------
        tuple of Obstacle
            In the order of the document.

        Raises
        ------
        ArgumentError
            When scales make a shape larger than a scene may be.

        Examples
        --------
        >>> import handik as hk
        >>> scene = hk.Scene().add("floor", hk.scene.Plane())
        >>> scene = scene.add("poster", hk.scene.Box([1, 0, 1]), [0, 2, 1.5], solid=False)
        >>> [obstacle.name for obstacle in scene.obstacles()]
        ['floor']
        """
        return self._obstacles

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scene to a file, TOML or XML by its suffix; a failure leaves the old file.

        Parameters
        ----------
        path : path
            The file.

        Raises
        ------
        UnsupportedError
            For another suffix, or what no file holds; the sentence says what.
        OSError
            When it cannot be written.

        Examples
        --------
        >>> import handik as hk, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "room.xml")
        ...     hk.Scene().add("floor", hk.scene.Plane()).save(path)
        ...     hk.load_scene(path).find()
        ('floor',)
        """
        _files.write(self, path_text("path", path))

    def export(
        self,
        path: str | os.PathLike[str],
        figure: FigureLike | None = None,
        q: ArrayLike | None = None,
        *,
        trajectory: Trajectory | Motion | None = None,
    ) -> None:
        """Write what is seen, with a figure in it and its movement, for other programs to show.

        Parameters
        ----------
        path : path
            Ends with ``.glb``; a failure leaves the old file.
        figure : Model, Human or Figure, optional
            One more figure, in the world. A person is written with skin and clothes, a model with
            its shapes, or with thin bones where it has none; a `Figure` with its capsules.
        q : array_like, shape (nq,), optional
            Its configuration; its rest if not given.
        trajectory : Trajectory or Motion, optional
            Its movement, from time 0: a key at each of its times. Between two keys the links turn
            about one axis, as joints and balls do; `Trajectory.resampled` says how many there are.

        Raises
        ------
        TypeError
            When these are no figure and no movement.
        ArgumentError
            When q or the trajectory is of another figure, or of none, or both are given.
        ReadError
            When the file of a mesh is not what its suffix says.
        UnsupportedError
            For another suffix, or a mesh that needs a package which is not installed.
        OSError
            When it cannot be written.

        Notes
        -----
        Binary glTF 2.0, meters. The first node turns z up into the y up of the format; below
        it stand the nodes of the scene by their paths, and the links of the figure by their names:
        the poses are the scene's and the model's own. A plane is written as a square about the
        rest. A person's skin follows by a linear blend, as in
        `handik.people.surface.Surface.save`.

        References
        ----------
        Khronos Group, glTF 2.0 specification (2021).

        Examples
        --------
        >>> import handik as hk, os, tempfile
        >>> room = hk.Scene().add("table", hk.scene.Box([1.2, 0.8, 0.04]), [0.8, 0, 0.5])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "cell.glb")
        ...     room.export(path, hk.data("ur5"))
        ...     hk.load_scene(path).find("*table*") != ()
        True
        """
        from handik.scene._export import export

        export(self, path_text("path", path), figure, q, trajectory)

    @cached_property
    def _obstacles(self) -> tuple[Obstacle, ...]:
        return tuple(_obstacles(self._nodes, self._known))

    # -- figures in it -------------------------------------------------------------------------

    def figure(self, path: str) -> Model | Human:
        """Return the figure of a node in its place, as what measures and plans takes it.

        Parameters
        ----------
        path : str
            Of a node that is an `Actor`.

        Returns
        -------
        Model or Human
            Where the node is; what is attached to its frames moves with it.

        Raises
        ------
        NotFoundError
            When there is no such node.
        ArgumentError
            When it is no figure, or scaled.

        Examples
        --------
        >>> import handik as hk
        >>> room = hk.Scene().add("arm", hk.scene.Actor("data:ur5"), [1, 0, 0])
        >>> arm = room.figure("arm")
        >>> (arm.fk(arm.rest) - hk.data("ur5").fk(arm.rest))[:3, 3].round(6).tolist()
        [1.0, 0.0, 0.0]
        """
        known: dict[str, Model | Human] = self.__dict__.setdefault("_figures", {})
        actor, world = self[path].content, self.world(path)
        if path not in known:
            if not isinstance(actor, Actor):
                raise ArgumentError(f"{path!r} is no figure")
            if self.world_scale(path) != 1.0:
                raise ArgumentError(f"{path!r} is scaled: what moves has its own size")
            known[path] = _placed(actor.person or actor.figure, world)
        return known[path]

    def _kept_clear(self) -> Clearance:
        """Return the term of `Model.solve(scene=)`."""
        from handik.scene.check.clearance import Clearance

        return Clearance(self)

    def free(
        self,
        figure: FigureLike,
        q: ArrayLike,
        *,
        threads: int = 1,
        out: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.bool_]:
        """Return whether a figure touches neither what is solid nor itself.

        What is attached to a frame of it (`attach`) is a part of it, here and in all that
        measures or plans, where the node that is followed is this figure in this place.

        Parameters
        ----------
        figure : Figure, Model or Human
            See `handik.scene.check.as_figure`.
        q : array_like (..., nq)
            Postures.
        threads : int, optional
            0: one a core.
        out : ndarray of bool (...), optional
            Where the answers go.

        Returns
        -------
        ndarray of bool (...)
            True where the signed distance is above zero.

        Raises
        ------
        TypeError
            When `figure` is none.
        ArgumentError
            When `q` has not finite rows of `nq` numbers, or `out` cannot take the answers.
        UnsupportedError
            When the scene has a shape that cannot be measured yet.

        Examples
        --------
        >>> import handik as hk
        >>> scene = hk.Scene().add("table", hk.scene.Box([1, 1, 0.1]), [0.8, 0, 0.4])
        >>> arm = hk.data("ur5")
        >>> figure = hk.Figure(arm, [hk.Capsule("link_3", (0, 0, 0), (0, 0, 0.4), 0.05)])
        >>> scene.free(figure, [arm.rest, arm.rest]).tolist()
        [True, True]
        """
        from handik.scene.check.measure import free

        return free(self, figure, q, threads=threads, out=out)

    def distance(
        self,
        figure: FigureLike,
        q: ArrayLike,
        cutoff: float | None = None,
        *,
        details: bool = False,
        threads: int = 1,
        out: Array | None = None,
    ) -> Any:
        """Return how far a figure is from what is solid and from itself.

        Parameters
        ----------
        figure : Figure, Model or Human
            See `handik.scene.check.as_figure`.
        q : array_like (..., nq)
            Postures.
        cutoff : float, optional
            Meters: what is farther is not looked for, and the cutoff is the answer. With 0.1 it is
            several times faster than without.
        details : bool, optional
            Return the nearest pair too.
        threads : int, optional
            0: one a core.
        out : ndarray (...), optional
            Where the distances go.

        Returns
        -------
        ndarray (...) or Nearest
            Least signed distance of each posture, meters, below zero in contact: as far as the
            deepest pair must be moved apart. With `details` a `handik.scene.check.Nearest`.

        Raises
        ------
        TypeError
            When `figure` is none.
        ArgumentError
            When `q` has not finite rows of `nq` numbers, or the cutoff is below zero.
        UnsupportedError
            When the scene has a shape that cannot be measured yet.

        Examples
        --------
        >>> import handik as hk
        >>> scene = hk.Scene().add("floor", hk.scene.Plane())
        >>> ball = hk.Figure(hk.data("ur5"), [hk.Capsule("link_0", (0, 0, 1), (0, 0, 1), 0.25)])
        >>> float(scene.distance(ball, ball.model.rest))
        0.75
        """
        from handik.scene.check.measure import distance

        return distance(self, figure, q, cutoff, details=details, threads=threads, out=out)

    def proves(
        self,
        figure: FigureLike,
        q0: ArrayLike,
        q1: ArrayLike,
        *,
        tolerance: float = 1e-3,
        threads: int = 1,
    ) -> Proof:
        """Return whether every posture between two is free: proved, not sampled.

        Parameters
        ----------
        figure : Figure, Model or Human
            See `handik.scene.check.as_figure`.
        q0, q1 : array_like (..., nq)
            Ends. Between them lies ``integrate(q0, t * difference(q0, q1))``: balls turn steadily.
        tolerance : float, optional
            Meters: pieces in which no point moves farther than this each way are not cut again.
        threads : int, optional
            0: one a core.

        Returns
        -------
        Proof
            ``outcome`` is ``"free"``, ``"collides"`` (with a witness) or ``"undecided"``.

        Raises
        ------
        TypeError
            When `figure` is none.
        ArgumentError
            When an end has not finite rows of `nq` numbers, or the tolerance is out of range.
        UnsupportedError
            When the scene has a shape that cannot be measured yet.

        Notes
        -----
        A piece of the edge is free if in its middle nothing is nearer than the capsules move within
        it: free bubbles (Quinlan). The proof covers the pairs that the figure compares.

        References
        ----------
        Quinlan, S. (1994). Real-time modification of collision-free paths. Stanford.

        Examples
        --------
        >>> import handik as hk
        >>> scene = hk.Scene().add("floor", hk.scene.Plane())
        >>> ball = hk.Figure(hk.data("ur5"), [hk.Capsule("link_0", (0, 0, 1), (0, 0, 1), 0.25)])
        >>> scene.proves(ball, ball.model.rest, ball.model.rest + 0.5).outcome.item()
        'free'
        """
        from handik.scene.check.measure import proves

        return proves(self, figure, q0, q1, tolerance=tolerance, threads=threads)


def _placed(own: Model | Human, world: Array) -> Model | Human:
    """Return a figure whose root is there; of a model, below a link that has a name of its own."""
    if np.array_equal(world, np.eye(4)):
        return own
    names, name = getattr(own, "frame_names", None), "task"
    if names is None:
        return own.with_base(world)
    while name in names:
        name += "_"
    return cast("Model", own).with_base(world, name)


def _obstacles(nodes: dict[str, Node], known: dict[str, Place]) -> Iterator[Obstacle]:
    """Yield what is solid; a thing that is no shape says itself what it is made of."""
    for path, node in nodes.items():
        if not node.solid or node.content is None:
            continue
        place = known[path]
        if isinstance(node.content, Shape):
            shape = node.content if place.scale == 1.0 else node.content.scaled(place.scale)
            yield Obstacle(path, shape, place.pose)
            continue
        for name, shape, pose in node.content.solids():
            own = shape if place.scale == 1.0 else shape.scaled(place.scale)
            yield Obstacle(f"{path}/{name}", own, place.of(pose).pose)
