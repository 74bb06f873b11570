"""People drawn at random who have what was said of one person: impairment, wheelchair, figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from handik.people import Human, Population
from handik.scene.access._seat import seat
from handik.scene.access._use import Made

if TYPE_CHECKING:
    from handik.app._report_words import Words
    from handik.scene.access import Chair

__all__ = ["Crowd"]


@dataclass(frozen=True, eq=False)
class Crowd:
    """People of a population who are like one person but for their bodies.

    Attributes
    ----------
    drawn : Population
    person : Human
        Whose profile, position, chair, ranges of motion and kind of figure they have.
    chair : Chair or None
        In which all sit.
    given : mapping
        What is said of all of them, as ``sex``.
    seat : mapping
        What is said of the seat, as `handik.access.seat` takes it; without a height each sits as
        high as was drawn for them.
    seed : int
        By which they were drawn.
    """

    drawn: Population
    person: Human
    chair: Chair | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    seat: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def __len__(self) -> int:
        return len(self.drawn)

    @property
    def people(self) -> Made:
        """Each of them, made when asked."""
        like = self.drawn
        if self.person.impaired is not None:
            like = like.with_profile(self.person.impaired.profiles)
        if self.chair is not None:
            like = like.with_chair("manual" if self.chair.kind == "manual" else "power")
        return Made([partial(self._one, like, k) for k in range(len(like))])

    def _one(self, people: Population, k: int) -> Human:
        names = ("position", "detail", "limits", "ranges", "rhythm", "body", "inertia")
        made = people.human(k, **{name: getattr(self.person, name) for name in names})
        if self.chair is None:
            return made
        return seat(made, self.chair, **{"seat_height": float(people.seat_height[k]), **self.seat})

    def tell(self, say: Words) -> str:
        """Return who they are, in words."""
        women = int((self.drawn.sex == "female").sum())
        drawn = "{} drawn at random (women: {}, men: {})"
        said = [say(drawn, len(self), women, len(self) - women)]
        said += [f"{name}={value:g}" for name, value in self.given.items() if name != "sex"]
        said.append(say(self.person.position))
        if self.person.impaired is not None:
            said.append(say("with the person’s impairment"))
        if self.chair is not None:
            said.append(say("in the person’s wheelchair"))
            high = self.seat.get("seat_height")
            drawn = say("each on a seat as high as drawn for people with such chairs")
            given = "" if high is None else say("on its seat of {} m", say.number(high, 2))
            said.append(given or drawn)
        return ", ".join(said)

    @property
    def data(self) -> dict[str, Any]:
        """Who they are, as plain data."""
        impaired, high = self.person.impaired, self.seat.get("seat_height", "drawn")
        women = int((self.drawn.sex == "female").sum())
        return {
            "women": women,
            "men": len(self) - women,
            "seed": self.seed,
            "given": dict(self.given),
            "position": self.person.position,
            "profiles": [] if impaired is None else [one.name for one in impaired.profiles],
            "chair": None if self.chair is None else self.chair.kind,
            "seat_height": None if self.chair is None else high,
        }
