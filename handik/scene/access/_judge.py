"""What a posture that reaches must still meet, each looked at by itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._options import greatest
from handik.scene.access._sight import hidden
from handik.scene.access._turning import turning
from handik.scene.plan import path as path_to

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.access._verdict import Asked

__all__ = ["Blocked", "Shown"]

Array = NDArray[np.float64]

#: Paths that are looked for, and postures from which a knob is turned, before it is left undecided.
PATHS, TURNS = 3, 12
#: Searches of a round for the first path; others, and a change of the question, have a quarter.
SEARCHES = 8
#: Radians or meters: a posture so near to one without a path is not asked again.
ALIKE = 0.05
#: Rounding that a share of strength, an angle or a place may have.
LOOSE = 1e-9


@dataclass
class Shown:
    """What a witness shows beside its posture."""

    q: Array | None = None  # where it is another than that asked about
    motion: Array | None = None
    path: Any = None
    overlap: float = 0.0


@dataclass
class Blocked:
    """What reaching postures touched or lacked, by what was met first."""

    asked: Asked
    tries: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    paths: int = 0
    dead: list[tuple[Array, str]] = field(default_factory=list)
    turns: int = 0
    shown: Shown = field(default_factory=Shown)
    nearest: float = -inf  # the least overlap of a posture, meters below 0
    looked: float = 0.0  # seconds that paths were looked for

    @property
    def spent(self) -> bool:
        """Whether no more is to be tried."""
        most = 1 if self.asked.brief else PATHS
        return self.paths >= most or self.turns >= TURNS or self.left == 0

    @property
    def left(self) -> float | None:
        """Seconds that are left for paths; a change of the question has a quarter. None: any."""
        limit = self.asked.time_limit
        if limit is None:
            return None
        return max(limit * (0.25 if self.asked.brief else 1.0) - self.looked, 0.0)

    def touched(self, q: Array) -> list[str | None]:
        """Return for each posture what it touches that it may not."""
        why, gap = self.judged(q)
        self.nearest = max(self.nearest, float(gap.max(initial=-inf)))
        return why

    def note(self, why: str | None, gap: float) -> None:
        """Count one posture, which was judged with others."""
        self.tries += 1
        self.nearest = max(self.nearest, gap)
        if why is not None:
            self.counts[why] += 1

    def judged(self, q: Array) -> tuple[list[str | None], Array]:
        """Return for each posture what it touches that it may not, and its distance, 0 at most."""
        asked = self.asked
        if asked.scene is None:
            return [None] * len(q), np.full(len(q), -inf)
        found = asked.scene.distance(asked.figure, q, cutoff=0.0, details=True)
        out: list[str | None] = [
            None if gap > 0 or other is None else f"{other} with {part}"
            for gap, part, other in zip(found.distance, found.part, found.other, strict=True)
        ]
        if asked.held is not None:
            out = [a or b for a, b in zip(out, asked.held.touched(q), strict=True)]
        return out, np.asarray(found.distance, float)

    def free(self, q: Array) -> NDArray[np.bool_]:
        """Tell which postures touch nothing."""
        return np.array([one is None for one in self.touched(q)], bool)

    def first_free(self, q: Array, model: Model, frame: str, target: Array) -> int | None:
        """Return the row of the first posture that does; count what those before it lack."""
        for k, touched in enumerate(self.touched(q)):
            self.tries += 1
            why = touched or self.lacks(q[k], model, frame, target)
            if why is None:
                return k
            self.counts[why] += 1
            if self.spent:
                return None
        return None

    def still(self, q: Array, model: Model, frame: str) -> str | None:
        """Return what a posture lacks, of what holds also while a knob is turned."""
        options = self.asked.options
        if options.off_axis(model.fk(q, frame=frame)) > options.half_angle + LOOSE:
            return f"{frame} is off the axis"
        if options.limits is not None:
            shares = options.shares(model, frame, q)
            if greatest(shares) > 1 + LOOSE:
                return f"{_joint_of(model, int(np.nanargmax(shares)))} is not strong enough"
        return None

    def lacks(self, q: Array, model: Model, frame: str, target: Array) -> str | None:
        """Return what a posture lacks that touches nothing; else fill `shown`."""
        asked, options = self.asked, self.asked.options
        if options.none:
            return None
        hands = [(frame, target), *options.also]
        for name, to in hands:
            pose = model.fk(q, frame=name)
            if np.linalg.norm(pose[:3, 3] - to) > asked.tolerance * (1 + LOOSE):
                return f"{name} is not there at the same time"
            why = self.still(q, model, name)
            if why is not None:
                return why
        shown = Shown()
        if options.action == "turn":
            self.turns += 1
            shown.motion, why = turning(asked, model, frame, target, q, self._moving(model, frame))
            if shown.motion is None:
                return why
            shown.q = q = shown.motion[0]
        for _, to in hands if options.sight else []:
            why = hidden(asked, model, q, to)
            if why is not None:
                return why
        if options.path:
            why = self._path(shown, model, q)
            if why is not None:
                return why
        if asked.held is not None:
            shown.overlap = asked.held.overlap(q)
        self.shown = shown
        return None

    def _moving(self, model: Model, frame: str) -> Any:
        def fails(q: Array) -> str | None:
            return self.touched(q[None])[0] or self.still(q, model, frame)

        return fails

    def _path(self, shown: Shown, model: Model, q: Array) -> str | None:
        """Return why there is no path from the rest to a posture."""
        asked = self.asked
        figure = asked.figure if asked.figure.model is model else asked.figure._on(model)
        for other, known in self.dead:
            if np.abs(model.difference(other, q)).max() < ALIKE:
                return known
        if self.spent:
            return "no path: no_path_in_time"
        self.paths += 1
        first, begun = self.paths == 1 and not asked.brief, monotonic()
        shown.path = path_to(
            asked.scene,
            figure,
            asked.rest,
            goal=q,
            seed=asked.seed,
            paths=SEARCHES if first else SEARCHES // 4,
            time_limit=self.left,
            shorter=False,
        )
        self.looked += monotonic() - begun
        self.shown = Shown(path=shown.path)
        why: str | None = None
        if not shown.path:
            why = f"no path: {shown.path.outcome}"
        elif asked.held is not None and not asked.held.clear_along(shown.path.q):
            why = "no path: blocked by what is held"
        if why is not None:
            self.dead.append((q, why))
        return why


def _joint_of(model: Model, v: int) -> str:
    """Return the joint of a coordinate of v."""
    at = {name: int(k) for name, k in zip(model.joint_names, model.joint_v, strict=True)
          if name in model.joint_q_slices and k <= v}  # fmt: skip
    return max(at, key=lambda name: at[name])
