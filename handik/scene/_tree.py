"""The tree of nodes: walked without recursion, and put together again along one path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from handik.errors import ArgumentError, NotFoundError, name_not_found, shortened
from handik.scene.contents import Include
from handik.scene.nodes import MOST_NODES, Attachment, Node, node_name

__all__ = [
    "at",
    "below",
    "bounded",
    "followed",
    "get",
    "put",
    "redirected",
    "rooted",
    "split",
    "walk",
]

Nodes = tuple[Node, ...]


def split(path: Any, what: str = "name") -> tuple[str | None, str]:
    """Return the path of the parent, None for the scene itself, and the name below it."""
    if not isinstance(path, str):
        raise TypeError(f"{what} must be a text, got {shortened(path)}")
    above, mark, own = path.rpartition("/")
    return (above if mark else None), node_name(own, what)


def below(path: str) -> Callable[[str], bool]:
    """Return what tells whether a path is this one or hangs on it."""
    start = path + "/"
    return lambda other: other == path or other.startswith(start)


def walk(nodes: Nodes) -> Iterator[tuple[str, Node]]:
    """Yield every node with its path, before what hangs on it, in the order of the document."""
    todo = [("", node) for node in reversed(nodes)]
    while todo:
        above, node = todo.pop()
        path = above + node.name
        yield path, node
        todo += [(path + "/", child) for child in reversed(node.children)]


def bounded(nodes: Nodes) -> None:
    """Refuse a tree too large; no node is too deep.

    Raises
    ------
    ArgumentError
        When it is.
    """
    if sum(node.extent[0] for node in nodes) > MOST_NODES:
        raise ArgumentError(f"there are more than {MOST_NODES} nodes")


def get(nodes: Nodes, path: Any) -> Node | None:
    """Return the node of a path, None where there is none."""
    if not isinstance(path, str):
        return None
    found: Node | None = None
    for name in path.split("/"):
        around = nodes if found is None else found.children
        found = next((node for node in around if node.name == name), None)
        if found is None:
            return None
    return found


def followed(nodes: Nodes) -> None:
    """Refuse a node that follows what is not there, or itself through others.

    Raises
    ------
    ArgumentError
        When one does.
    """
    if not any(node.extent[2] for node in nodes):
        return
    above: dict[str, list[str]] = {}
    for path, node in walk(nodes):
        parent = path.rpartition("/")[0]
        above[path] = [name for name in (parent, node.attached and node.attached.to) if name]
    free: set[str] = set()
    for path in above:
        chain: list[str] = []
        todo = [(path, False)]
        while todo:
            one, done = todo.pop()
            if done:
                free.add(chain.pop())
            elif one not in free:
                if one in chain:
                    raise ArgumentError(f"{one!r} is attached to itself, or to what follows it")
                if one not in above:
                    raise ArgumentError(f"{chain[-1]!r} is attached to {one!r}, which is not there")
                chain.append(one)
                todo.append((one, True))
                todo += [(name, False) for name in above[one]]


def at(nodes: Nodes, path: str) -> Node:
    """Return the node of a path.

    Raises
    ------
    NotFoundError
        When there is none.
    """
    return _line(nodes, path)[-1]


def _line(nodes: Nodes, path: str) -> list[Node]:
    """Return the nodes along a path, the outermost first."""
    found: list[Node] = []
    children = {node.name: node for node in nodes}
    for name in path.split("/"):
        if name not in children:
            raise _missing(name, path, list(children))
        found.append(children[name])
        children = {node.name: node for node in found[-1].children}
    return found


def _missing(name: str, path: str, names: list[str]) -> NotFoundError:
    return name_not_found("node" if name == path else f"node of {path!r}", name, names)


def put(nodes: Nodes, path: str, node: Node) -> Nodes:
    """Return the tree with another node in the place of one; all that is not above it is shared."""
    line = _line(nodes, path)
    for old in reversed(line):
        number = line.index(old)
        around = nodes if number == 0 else line[number - 1].children
        level = tuple(node if one is old else one for one in around)
        if number == 0:
            return level
        node = replace(line[number - 1], children=level)
    raise AssertionError("a path has a name")


def with_children(nodes: Nodes, path: str | None, children: Nodes) -> Nodes:
    """Return the tree with other children of a node, or of the scene itself."""
    if path is None:
        return children
    return put(nodes, path, replace(at(nodes, path), children=children))


def _each(nodes: Nodes, change: Callable[[Node], Node]) -> Nodes:
    """Return the tree with each node changed, the ones below first; what stays is shared."""
    level = [list(nodes)]
    while level[-1]:
        level.append([child for node in level[-1] for child in node.children])
    lower: list[Node] = []
    for row in reversed(level):
        start, done = 0, []
        for node in row:
            some = tuple(lower[start : start + len(node.children)])
            start += len(some)
            same = all(new is old for new, old in zip(some, node.children, strict=True))
            done.append(change(node if same else _with(node, some)))
        lower = done
    return tuple(lower)


def _with(node: Node, children: Nodes) -> Node:
    """Return a node with its children changed alike; those of a file are still the file's."""
    content = node.content
    if isinstance(content, Include) and tuple(content.nodes) == node.children:
        content = replace(content, nodes=children)
    return replace(node, children=children, content=content)


def redirected(nodes: Nodes, old: str, new: str) -> Nodes:
    """Return the tree with all that followed a path, or what hangs on it, following another."""
    inside = below(old)

    def change(node: Node) -> Node:
        if node.attached is None or not inside(node.attached.to):
            return node
        to = new + node.attached.to[len(old) :]
        return replace(node, attached=Attachment(to, node.attached.frame))

    return _each(nodes, change)


def rooted(nodes: Nodes, path: str) -> Nodes:
    """Return a tree that is to hang on a path: what is followed in it has the path before it."""

    def change(node: Node) -> Node:
        if node.attached is None:
            return node
        return replace(node, attached=Attachment(f"{path}/{node.attached.to}", node.attached.frame))

    return _each(nodes, change)
