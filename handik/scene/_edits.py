"""The edits of a scene: each returns another one, which shares with it all that stayed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from handik.errors import ArgumentError, shortened
from handik.scene import _files, _places, _tree
from handik.scene._places import ORIGIN, Place
from handik.scene.contents import Include
from handik.scene.nodes import Attachment, Color, Content, Node, node_name, one_pose, some_tags
from handik.scene.shapes import Shape
from handik.spec._given import PoseLike, choice, flag, known_name, path_text

if TYPE_CHECKING:
    from handik.scene.document import Scene

__all__ = ["Edits"]


class Edits:
    """What edits a scene; `handik.scene.Scene` is made of it."""

    name: str
    nodes: tuple[Node, ...]

    if TYPE_CHECKING:  # what the scene has

        @property
        def _nodes(self) -> dict[str, Node]: ...
        @property
        def _known(self) -> dict[str, Place]: ...
        def __getitem__(self, path: str) -> Node: ...
        def world(self, path: str) -> Any:
            """Return the pose of a node in the world."""

    def _with(self, nodes: tuple[Node, ...]) -> Scene:
        return cast("type[Scene]", type(self))(nodes, self.name)

    def _edit(self, path: str, **changes: Any) -> Scene:
        node = self[path]
        return self._with(_tree.put(self.nodes, path, replace(node, **changes)))

    def add(
        self,
        name: str,
        shape: Shape | Content | Scene | None = None,
        pose: PoseLike | None = None,
        *,
        scale: float = 1.0,
        color: Color | str | None = None,
        opacity: float | None = None,
        tags: str | Iterable[str] = (),
        solid: bool = True,
    ) -> Scene:
        """Return the scene with one more node.

        Parameters
        ----------
        name : str
            Of the node, or its path: in ``"table/cup"`` the node ``"table"`` must be there.
        shape : Shape, Content or Scene, optional
            What stands there; a scene with all its nodes; None: nothing, a group.
        pose : pose, shape (4, 4) or (3,), optional
            In its parent; three numbers are a place, not turned.
        scale : float
            Factor on its shape, and on the places and shapes of what hangs on it.
        color : three floats or str, optional
            Red, green and blue of 0 to 1, or ``"#rrggbb"``; None: that of its parent.
        opacity : float, optional
            0 to 1; None: that of its parent.
        tags : str or iterable of str
            Words to find it by.
        solid : bool
            Whether its shape is an obstacle; False: it is only drawn.

        Returns
        -------
        Scene
            Another one.

        Raises
        ------
        ArgumentError
            When the name is there already, or a value is wrong.
        NotFoundError
            When the parent is not there.

        Examples
        --------
        >>> import handik as hk
        >>> hk.Scene().add("ball", hk.scene.Sphere(0.1), pose=[1, 0, 0.1])
        Scene('scene', 1 nodes: ball)
        """
        above, own = _tree.split(name)
        if _tree.get(self.nodes, name) is not None:
            raise ArgumentError(f"there is a node {shortened(name)} already")
        children = self.nodes if above is None else self[above].children
        hung: tuple[Node, ...] = ()
        content = shape if isinstance(shape, (Shape, Content)) else None
        if isinstance(shape, Edits):
            hung = _tree.rooted(shape.nodes, name)
        elif shape is not None and content is None:
            raise TypeError(
                f"shape must be a shape, another thing or a scene, got {shortened(shape)}"
            )
        node = Node(own, content, pose, scale, color, opacity, tags, solid, hung)
        return self._with(_tree.with_children(self.nodes, above, (*children, node)))

    def include(
        self,
        name: str,
        path: str | os.PathLike[str],
        pose: PoseLike | None = None,
        *,
        roots: Iterable[str | os.PathLike[str]] = (),
    ) -> Scene:
        """Return the scene with another one in it by reference: a file names it, not its nodes.

        Parameters
        ----------
        name : str
            Of the node that it hangs on, or its path.
        path : path
            The other's file.
        pose : pose, shape (4, 4) or (3,), optional
            Of the node.
        roots : iterable of paths
            As of `load_scene`.

        Returns
        -------
        Scene
            Another one.

        Raises
        ------
        ReadError
            As of `load_scene`.
        ArgumentError
            When the name is there already.

        Examples
        --------
        >>> import handik as hk, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "table.toml")
        ...     hk.Scene().add("top", hk.scene.Box([1, 1, 0.1])).save(path)
        ...     hk.Scene().include("table", path, [1, 0, 0.7]).find()
        ('table', 'table/top')
        """
        other = _files.read(path_text("path", path), roots, cast("type[Scene]", type(self)))
        there = self.add(name, other, pose)
        return there.with_shape(name, Include(os.path.realpath(path), there[name].children))

    def remove(self, path: str) -> Scene:
        """Return the scene without a node and what hangs on it.

        Parameters
        ----------
        path : str
            Of the node.

        Returns
        -------
        Scene
            Another one.

        Raises
        ------
        NotFoundError
            When there is no such node.
        ArgumentError
            When another node follows it, or something that hangs on it.

        Examples
        --------
        >>> import handik as hk
        >>> len(hk.Scene().add("a").add("a/b").add("c").remove("a"))
        1
        """
        self[path]
        gone = _tree.below(path)
        for other, node in self._nodes.items():
            if node.attached is not None and gone(node.attached.to) and not gone(other):
                raise ArgumentError(f"{other!r} is attached to {node.attached.to!r}: detach it")
        above, own = _tree.split(path)
        children = self.nodes if above is None else self[above].children
        kept = tuple(child for child in children if child.name != own)
        return self._with(_tree.with_children(self.nodes, above, kept))

    def rename(self, path: str, name: str) -> Scene:
        """Return the scene with another name for a node; what follows it goes on to.

        Parameters
        ----------
        path : str
            Of the node.
        name : str
            The new name, no path.

        Returns
        -------
        Scene
            Another one.

        Raises
        ------
        NotFoundError
            When there is no such node.
        ArgumentError
            When a neighbor has the name.

        Examples
        --------
        >>> import handik as hk
        >>> hk.Scene().add("a").add("a/b").rename("a", "table").find()
        ('table', 'table/b')
        """
        node = self[path]
        above, _ = _tree.split(path)
        new = node_name(name) if above is None else f"{above}/{node_name(name)}"
        if new != path and _tree.get(self.nodes, new) is not None:
            raise ArgumentError(f"there is a node {shortened(new)} already")
        nodes = _tree.put(self.nodes, path, replace(node, name=name))
        return self._with(_tree.redirected(nodes, path, new))

    def move(self, path: str, parent: str | None, *, keep: str = "world") -> Scene:
        """Return the scene with a node, and what hangs on it, under another parent.

        Parameters
        ----------
        path : str
            Of the node.
        parent : str or None
            The path of its new parent; None: the scene itself.
        keep : {"world", "local"}
            What stays: its pose and size in the world, or those in its parent.

        Returns
        -------
        Scene
            Another one.

        Raises
        ------
        NotFoundError
            When there is no such node.
        ArgumentError
            When the parent is the node itself or hangs on it, or has a child of that name.

        Examples
        --------
        >>> import handik as hk
        >>> scene = hk.Scene().add("table", pose=[1, 0, 0]).add("cup", pose=[1, 0, 1])
        >>> scene.move("cup", "table")["table/cup"].place[:3, 3].tolist()
        [0.0, 0.0, 1.0]
        """
        node, kept = self[path], choice("keep", keep, ("world", "local"))
        if parent is not None and _tree.below(path)(known_name("node", parent, self._nodes)):
            raise ArgumentError(f"parent must not be {path!r} itself, nor hang on it")
        new = node.name if parent is None else f"{parent}/{node.name}"
        if new == path:
            return cast("Scene", self)
        if _tree.get(self.nodes, new) is not None:
            raise ArgumentError(f"there is a node {shortened(new)} already")
        if kept == "world" and node.attached is None:
            place = self._known[path]
            above = ORIGIN if parent is None else self._known[parent]
            node = replace(node, pose=above.local(place.pose), scale=place.scale / above.scale)
        old, own = _tree.split(path)
        siblings = self.nodes if old is None else self[old].children
        rest = tuple(child for child in siblings if child.name != own)
        nodes = _tree.with_children(self.nodes, old, rest)
        children = nodes if parent is None else _tree.at(nodes, parent).children
        nodes = _tree.with_children(nodes, parent, (*children, node))
        return self._with(_tree.redirected(nodes, path, new))

    def with_pose(self, path: str, pose: PoseLike, *, world: bool = False) -> Scene:
        """Return the scene with a node elsewhere.

        Parameters
        ----------
        path : str
            Of the node.
        pose : pose, shape (4, 4) or (3,)
            In its parent, or in what it is attached to; three numbers are a place, not turned.
        world : bool
            The pose is one in the world.

        Returns
        -------
        Scene
            Another one.

        Raises
        ------
        NotFoundError
            When there is no such node.
        ArgumentError
            When it is no pose.

        Examples
        --------
        >>> import handik as hk
        >>> hk.Scene().add("cup").with_pose("cup", [0, 0, 1]).world("cup")[2, 3].item()
        1.0
        """
        self[path]
        given = one_pose(pose)
        if flag("world", world):
            given = self._known[path].parent.local(given)
        return self._edit(path, pose=given)

    def with_shape(self, path: str, shape: Shape | Content | None) -> Scene:
        """Return the scene with another shape, or another thing, at a node.

        Parameters
        ----------
        path : str
            Of the node.
        shape : Shape or Content or None
            What stands there from now on.

        Returns
        -------
        Scene
            Another one.

        Raises
        ------
        NotFoundError
            When there is no such node.
        TypeError
            When it is no thing of a scene.

        Examples
        --------
        >>> import handik as hk
        >>> scene = hk.Scene().add("ball", hk.scene.Sphere(0.1))
        >>> scene.with_shape("ball", hk.scene.Sphere(0.2))["ball"].content
        Sphere(radius=0.2)
        """
        return self._edit(path, content=shape)

    def with_look(
        self,
        path: str,
        *,
        color: Color | str | None = None,
        opacity: float | None = None,
        solid: bool | None = None,
    ) -> Scene:
        """Return the scene with another color or opacity of a node, or solid where it was not.

        Parameters
        ----------
        path : str
            Of the node.
        color : three floats or str, optional
            Red, green and blue of 0 to 1, or ``"#rrggbb"``; None: as it is.
        opacity : float, optional
            0 to 1; None: as it is.
        solid : bool, optional
            Whether its shape is an obstacle; None: as it is.

        Returns
        -------
        Scene
            Another one.

        Raises
        ------
        NotFoundError
            When there is no such node.
        ArgumentError
            When a value is wrong.

        Examples
        --------
        >>> import handik as hk
        >>> hk.Scene().add("cup").with_look("cup", color="#ff0000")["cup"].color
        (1.0, 0.0, 0.0)
        """
        given = {"color": color, "opacity": opacity, "solid": solid}
        return self._edit(path, **{name: v for name, v in given.items() if v is not None})

    def with_scale(self, path: str, scale: float) -> Scene:
        """Return the scene with another scale of a node.

        Parameters
        ----------
        path : str
            Of the node.
        scale : float
            Factor on its shape, and on the places and shapes of what hangs on it.

        Returns
        -------
        Scene
            Another one.

        Raises
        ------
        NotFoundError
            When there is no such node.
        ArgumentError
            When it is no factor.

        Examples
        --------
        >>> import handik as hk
        >>> scene = hk.Scene().add("ball", hk.scene.Sphere(0.1)).with_scale("ball", 3.0)
        >>> round(scene.obstacles()[0].shape.radius, 3)
        0.3
        """
        return self._edit(path, scale=scale)

    def tag(self, path: str, *tags: str) -> Scene:
        """Return the scene with more tags on a node.

        Parameters
        ----------
        path : str
            Of the node.
        *tags : str
            Words of small letters, digits and ``_ . -``.

        Returns
        -------
        Scene
            Another one.

        Raises
        ------
        NotFoundError
            When there is no such node.
        ArgumentError
            When one is no such word.

        Examples
        --------
        >>> import handik as hk
        >>> hk.Scene().add("lever").tag("lever", "handle", "door").find(tag="door")
        ('lever',)
        """
        return self._edit(path, tags=frozenset(self[path].tags) | some_tags(tags))

    def untag(self, path: str, *tags: str) -> Scene:
        """Return the scene without some tags of a node.

        Parameters
        ----------
        path : str
            Of the node.
        *tags : str
            Words; one that it has not is no error.

        Returns
        -------
        Scene
            Another one.

        Raises
        ------
        NotFoundError
            When there is no such node.
        ArgumentError
            When one is no word of a tag.

        Examples
        --------
        >>> import handik as hk
        >>> hk.Scene().add("lever", tags="handle").untag("lever", "handle").find(tag="handle")
        ()
        """
        return self._edit(path, tags=frozenset(self[path].tags) - some_tags(tags))

    def attach(
        self, path: str, to: str, frame: str | None = None, *, pose: PoseLike | None = None
    ) -> Scene:
        """Return the scene with a node that follows another: the cup the hand, a person the chair.

        It stays where it is in the tree, and its scale with it; its pose is from now on that in
        what it follows.

        Parameters
        ----------
        path : str
            Of the node that follows.
        to : str
            The path of the node that is followed.
        frame : str, optional
            A frame of it, where it is a figure: its pose is that of its configuration.
        pose : pose, shape (4, 4) or (3,), optional
            In what is followed; None: so that it stays where it is now.

        Returns
        -------
        Scene
            Another one.

        Raises
        ------
        NotFoundError
            When there is no such node or frame.
        ArgumentError
            When a node would follow itself, or a frame is asked of what has none.

        Examples
        --------
        >>> import handik as hk
        >>> scene = hk.Scene().add("tray", pose=[0, 0, 1]).add("cup", pose=[0, 0, 1.1])
        >>> scene = scene.attach("cup", "tray").with_pose("tray", [0, 0, 2])
        >>> scene.world("cup")[:3, 3].round(6).tolist()
        [0.0, 0.0, 2.1]
        """
        self[path]
        known_name("node", to, self._nodes)
        followed = _places.framed(self._known[to], self[to], frame, to)
        given = followed.local(self.world(path)) if pose is None else one_pose(pose)
        return self._edit(path, attached=Attachment(to, frame), pose=given)

    def detach(self, path: str) -> Scene:
        """Return the scene with a node that follows its parent again, and stays where it is.

        Parameters
        ----------
        path : str
            Of the node.

        Returns
        -------
        Scene
            Another one; the same where it followed nothing.

        Raises
        ------
        NotFoundError
            When there is no such node.

        Examples
        --------
        >>> import handik as hk
        >>> scene = hk.Scene().add("tray", pose=[0, 0, 1]).add("cup").attach("cup", "tray")
        >>> scene.detach("cup")["cup"].attached is None
        True
        """
        if self[path].attached is None:
            return cast("Scene", self)
        above, _ = _tree.split(path)
        parent = ORIGIN if above is None else self._known[above]
        return self._edit(path, attached=None, pose=parent.local(self.world(path)))
