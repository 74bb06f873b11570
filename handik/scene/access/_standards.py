"""Standard people at the same targets: searches among obstacles begin from their postures.

They are the same whoever is asked, and a search for one target knows of no other, so that the
verdict on a person depends neither on the rest of the people nor on the rest of the tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.people import Human
from handik.people.human import human
from handik.scene.access._reach import free_posture

if TYPE_CHECKING:
    from handik.scene import Scene
    from handik.scene.access._question import Question

__all__ = ["Beside", "Standards", "beside_of", "standards_at"]

Array = NDArray[np.float64]

#: Sex and stature of the standard people, meters: the middle, then what is beyond. [assumption]
PEOPLE = (("female", 1.62), ("male", 1.76), ("male", 1.92), ("female", 1.50))


@lru_cache(maxsize=16)
def _made(k: int, position: str) -> Human:
    sex, stature = PEOPLE[k]
    return human(sex=sex, stature=stature, position=position)


@dataclass(eq=False)
class Standards:
    """Free postures of standard people from one place, looked for when they are first wanted.

    Those of one begin from those of the ones before.
    """

    scene: Scene
    place: Any  # where they are, as a pose; None: where they are made
    tolerance: float
    tries: int
    budget: int
    seed: int
    _people: dict[tuple[int, str], Human] = field(default_factory=dict)
    _found: dict[tuple[int, str, str, bytes], Array | None] = field(default_factory=dict)
    _lock: Any = field(default_factory=RLock)

    def __getstate__(self) -> dict[str, Any]:
        """Leave what was worked out, and the lock, behind: a worker has its own."""
        return {**self.__dict__, "_people": {}, "_found": {}, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=RLock())

    def beside(self, person: Human) -> Beside | None:
        """Return them as somebody sees them; None: they are too different to be of use."""
        if person._fixed or person.impaired is not None:
            return None
        standard = self._person(0, person.position)
        like, own = standard.model, person.model
        if (like.joint_names, like.frame_names) != (own.joint_names, own.frame_names):
            return None
        size = person.dimensions["stature"]
        order = sorted(range(len(PEOPLE)), key=lambda k: (abs(PEOPLE[k][1] - size), k))
        return Beside(self, person.position, tuple(order))

    def _person(self, k: int, position: str) -> Human:
        with self._lock:
            if (k, position) not in self._people:
                made = _made(k, position)
                placed = made if self.place is None else made.with_base(self.place)
                self._people[k, position] = placed
            return self._people[k, position]

    def postures(self, k: int, position: str, frame: str, targets: Array) -> list[Array | None]:
        """Return for each target (n, 3) a free posture (nq,) of one of them; None: none found."""
        keys = [(k, position, frame, target.tobytes()) for target in targets]
        with self._lock:
            new = [j for j, key in enumerate(keys) if key not in self._found]
            if new:
                person = self._person(k, position)
                before = Beside(self, position, tuple(range(k))[::-1])
                more = free_posture(person, self, frame, targets[new], before if k else None)
                self._found.update(zip([keys[j] for j in new], more, strict=True))
            return [self._found[key] for key in keys]


@dataclass(frozen=True, eq=False)
class Beside:
    """Standard people, the one of most alike stature first."""

    standards: Standards
    position: str
    order: Sequence[int]

    def __len__(self) -> int:
        return len(self.order)

    def postures(self, turn: int, frame: str, targets: Array) -> list[Array | None]:
        """Return for each target a free posture of one of them; None: none was found."""
        return self.standards.postures(self.order[turn], self.position, frame, targets)


def standards_at(
    scene: Scene | None, stands: Sequence[Any], question: Question
) -> tuple[Standards, ...]:
    """Return them for each place that people are asked from; none without obstacles."""
    if scene is None:
        return ()
    own = (question.tolerance, question.tries, question.budget, question.seed)
    return tuple(Standards(scene, place, *own) for place in stands or [None])


def beside_of(standards: Sequence[Standards], turn: int, person: Any) -> Beside | None:
    """Return those of a place as somebody there sees them; None: they are of no use."""
    return standards[turn].beside(person) if standards and isinstance(person, Human) else None
