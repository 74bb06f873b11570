"""What the measures of rules share: sections of a scene, things by tag, what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._front import Front
from handik.scene.access._section import Part, below, section, sills_of
from handik.scene.access._width import TooMuch
from handik.scene.contents import Target
from handik.scene.shapes import Shape

if TYPE_CHECKING:
    from handik.scene import Scene
    from handik.scene.access.rules import Rule

__all__ = ["HEAD", "Found", "Room", "below"]

Array = NDArray[np.float64]
#: Meters: what is higher is in nobody's way (ADA 2010, 307.4).
HEAD = 2.03


class Found(NamedTuple):
    """A value measured at a place of a scene.

    `long` is the length of a slope, meters; `spared` says that an exception of the code which a
    scene does not tell may hold there.
    """

    place: str
    value: float
    at: tuple[float, float] | None = None
    note: str = ""
    long: float = 0.0
    spared: bool = False


class Room:
    """A scene that is measured for one code."""

    def __init__(
        self,
        scene: Scene,
        rules: tuple[Rule, ...],
        routes: Mapping[str, tuple[Array, Array]],
        shared: dict[Any, Any] | None = None,
    ) -> None:
        self.scene, self.rules, self.routes = scene, rules, routes
        self.shared = {} if shared is None else shared  # what no code changes
        self.kept: dict[Any, Any] = {}

    def parts(self, low: float, high: float) -> list[Part]:
        """Return what stands in a band of heights; above the floor without low thresholds."""
        found: list[Part] = self.once((low, high), lambda: section(self.scene, (low, high)))
        if low < 0 or not self.sills:
            return found
        kept: list[Part] = self.once(
            ("no sills", low, high),
            lambda: [p for p in found if not any(below(p.name, sill) for sill in self.sills)],
        )
        return kept

    @property
    def sills(self) -> dict[str, float]:
        """The thresholds that are floor, measured by rules of their own, and how high each is."""
        found: dict[str, float] = self.once("sills", lambda: sills_of(self.scene, 0.0))
        return found

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what is worked out once for all codes; what is too much for one is for all."""
        if key not in self.shared:
            try:
                self.shared[key] = make()
            except TooMuch as error:
                self.shared[key] = error
        if isinstance(self.shared[key], TooMuch):
            raise self.shared[key]
        return self.shared[key]

    def part_of(self, path: str) -> list[Part]:
        """Return the solid of a node and of what hangs on it, at any height."""
        return [p for p in self.parts(-1e3, 1e3) if below(p.name, path)]

    def tagged(self, *tags: str, solid: bool = False) -> list[str]:
        """Return the nodes with one of some tags, in order; only those with a shape if wanted."""
        found = [path for tag in tags for path in self.scene.find(tag=tag)]
        return [
            path
            for path in dict.fromkeys(found)
            if not solid or isinstance(self.scene[path].content, Shape)
        ]

    def has(self, path: str, tag: str) -> bool:
        """Whether a node or one above it has a tag."""
        names = path.split("/")
        return any(tag in self.scene["/".join(names[: k + 1])].tags for k in range(len(names)))

    def target(self, path: str) -> Target:
        """Return the target at a path."""
        content = self.scene[path].content
        assert isinstance(content, Target)
        return content

    def operable(self) -> list[str]:
        """Return the targets that hands come to, but those of doors and of rails."""
        return [
            path
            for path in self.scene.find(kind="target")
            if self.target(path).want != "pose"
            and not self.has(path, "door")
            and not self.has(path, "rail")
        ]

    def place(self, path: str) -> Array:
        """Return the place of a node in the world."""
        out: Array = np.asarray(self.scene.world(path)[:3, 3])
        return out

    def asked(self, measure: str, default: float) -> float:
        """Return what has to be met of what the code asks by a measure."""
        return next((r.limit for r in self.rules if r.measure == measure), default)

    def front(self, at: Array, along: Array, low: float, high: float) -> list[Part]:
        """Return what stands in a band, in the axes of an approach."""
        return Front(np.asarray(at)[:2], np.asarray(along)[:2]).local(self.parts(low, high))
