"""A scene as a table, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from handik.spec._html import html_table

if TYPE_CHECKING:
    from handik.scene.document import Scene

__all__ = ["scene_table"]

_MOST_ROWS = 200


def scene_table(scene: Scene) -> str:
    """Return a row for each node: its path, what it is, where it is in the world, its tags."""
    rows = []
    for path in list(scene)[:_MOST_ROWS]:
        node, place = scene[path], scene.world(path)[:3, 3]
        where = " ".join(f"{value:.3f}" for value in place)
        solid = "" if node.content is None or node.solid else "drawn only"
        rows.append([path, node.kind, where, ", ".join(sorted(node.tags)), solid])
    head = [["node", "what", "x y z in the world, m", "tags", "solid"]]
    more = len(scene) - len(rows)
    tail = f"<p>{more} more nodes</p>" if more > 0 else ""
    return f"<p>Scene {escape(scene.name)}: {len(scene)} nodes</p>{html_table(head, rows)}{tail}"
