"""Who is asked, by the words of a command: a person, her wheelchair, and people drawn beside."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from handik.errors import ArgumentError, HandikError

if TYPE_CHECKING:
    from handik.app._crowd import Crowd
    from handik.people import Human
    from handik.scene.access import Chair

__all__ = ["Asked", "add_people", "asked_of", "named"]

_WORDS = {"true": True, "false": False}


def add_people(parser: argparse.ArgumentParser) -> None:
    """Add the options that say who is asked."""
    parser.add_argument(
        "--person",
        metavar="A=B,...",
        default="sex=female",
        help="arguments of handik.human: sex, stature, weight, age, percentile (of weight too: "
        "95:60), position, ranges, detail ..., any body dimension in meters (sitting_height=0.86), "
        "profile (several: sci_c6+fixed_wrist) with its severity and side (default sex=female: "
        "the median woman, seated)",
    )
    parser.add_argument(
        "--profile-file",
        metavar="FILE",
        help="a TOML file of your own that the person's profile is in",
    )
    parser.add_argument(
        "--population",
        metavar="N[,A=B,...]",
        default="0",
        help="also ask so many people, drawn at random (about 3 s each; default none), of whom "
        "sex, stature, weight, age or any dimension may be given; they have the person's profile, "
        "position, chair and all else but her own measures",
    )
    parser.add_argument(
        "--chair",
        metavar="KIND,A=B,...",
        help="in which who is asked sits and goes through doors: manual, rear, mid, front "
        "(powered, by the driven wheels) or scooter, and if not the median of those measured, "
        "width, length and axle (from the back) in meters, a percentile or a seed; seat_height in "
        "meters, with the person on it, and joystick: right, left or none (default: doors in a "
        "manual one, and all else on a seat as high as the fold of the knee)",
    )


@dataclass(frozen=True, eq=False)
class Asked:
    """Who is asked.

    Attributes
    ----------
    said : str
        The words that said so.
    person : Human
    chair : Chair
        In which doors are asked; she sits in it where it was given.
    crowd : Crowd or None
        People drawn beside.
    seat : dict
        What was said of the seat.
    """

    said: str
    person: Human
    chair: Chair
    crowd: Crowd | None
    seat: dict[str, Any]


def named(option: str, words: Sequence[str]) -> dict[str, Any]:
    """Read arguments by name: numbers as numbers, several of one between ``+`` or ``:``.

    Raises
    ------
    ArgumentError
        When a word is none, or a name is there twice.
    """
    out: dict[str, Any] = {}
    for word in filter(None, words):
        key, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not key or not value:
            raise ArgumentError(f"{option}: {word!r} is not of the form name=value")
        if key in out:
            raise ArgumentError(f"{option}: {key} is given twice")
        out[key] = _value(value)
    return out


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    for between in "+:":
        if between in text.strip(between):
            return tuple(map(_value, text.split(between)))
    return _WORDS.get(text.lower(), text)


def _whose(option: str, error: Exception) -> ArgumentError:
    """Return the error as one of an option."""
    return ArgumentError(f"{option}: {str(error).removeprefix('human: ')}")


def _chair(text: str) -> dict[str, Any]:
    """Read a chair: its kind, and sizes by name."""
    from handik.app._report_doors import KINDS
    from handik.scene._people import chair_of, with_chair

    kind, *words = text.split(",")
    if kind.strip() not in KINDS:
        raise ArgumentError(f"--chair: {kind!r} is none of {', '.join(KINDS)}")
    sizes = named("--chair", words)
    try:
        said = with_chair(kind.strip(), sizes)
        chair_of(said)
    except (TypeError, HandikError) as error:
        raise _whose("--chair", error) from None
    return said


def asked_of(given: argparse.Namespace) -> Asked:
    """Return who is asked by the options of `add_people`.

    Raises
    ------
    ArgumentError
        When a word of them is wrong, or two do not go together.
    """
    from handik.scene._people import CHAIR, SEAT, chair_of, person_of

    said = named("--person", given.person.split(","))
    for name in said:
        if name in ("chair", *CHAIR, *SEAT):
            raise ArgumentError(f"--person: {name} is said by --chair KIND,A=B,...")
    if given.profile_file is not None and "profile" not in said:
        raise ArgumentError("--profile-file: give the person one of its profiles, profile=NAME")
    sits = {} if given.chair is None else _chair(given.chair)
    seat = {name: sits[name] for name in SEAT if name in sits}
    try:
        person = person_of(said, given.profile_file)
    except (TypeError, HandikError) as error:
        raise _whose("--person", error) from None
    if sits:
        if person.position != "seated":
            raise ArgumentError("--chair: who is in a wheelchair sits, and the person stands")
        try:
            person = person_of({**said, **sits}, given.profile_file)
        except (TypeError, HandikError) as error:
            raise _whose("--chair", error) from None
    chair = chair_of(sits or {"chair": "manual"})
    assert chair is not None
    crowd = _crowd(given, person, chair if sits else None, seat)
    words = ",".join(filter(None, (given.person, given.chair))).split(",")
    return Asked(", ".join(word.strip() for word in words), person, chair, crowd, seat)


def _crowd(
    given: argparse.Namespace, person: Human, chair: Chair | None, seat: dict[str, Any]
) -> Crowd | None:
    """Return the people drawn beside; None: nobody."""
    import handik as hk
    from handik.app._crowd import Crowd

    first, *words = given.population.split(",")
    try:
        count = int(first)
    except ValueError:
        count = -1
    if count < 0:
        raise ArgumentError(f"--population: {first!r} is not a whole number from 0 up")
    said = named("--population", words)
    own = {name: said[name] for name in ("sex", "stature", "weight", "age") if name in said}
    rest = {name: value for name, value in said.items() if name not in own}
    try:
        people = hk.population(count, seed=given.seed, dimensions=rest or None, **own)
    except (TypeError, HandikError) as error:
        raise _whose("--population", error) from None
    return Crowd(people, person, chair, said, seat, given.seed) if count else None
