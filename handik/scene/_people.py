"""A person with her chair as one says her by name, in a scene or on the command line."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

from handik.errors import ArgumentError, name_not_found

if TYPE_CHECKING:
    from os import PathLike

    from handik.people.human import Human
    from handik.scene.access.chairs import Chair

__all__ = ["CHAIR", "OF_CHAIR", "SEAT", "chair_of", "person_of", "with_chair"]

#: What is said of a person's chair: the arguments of `handik.access.chair`; of her seat in it,
#: those of `handik.access.seat`.
OF_CHAIR = ("percentile", "seed", "width", "length", "axle")
SEAT = ("seat_height", "joystick")
CHAIR = {f"chair_{name}": name for name in OF_CHAIR}
#: Dimensions that `handik.human` has arguments of its own for; what is said of her impairment.
_OWN = ("stature", "weight", "age")
_HOW = ("severity", "side")


def with_chair(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chair, said by the arguments of `chair` and `seat`, as it is said of a person.

    Raises
    ------
    NotFoundError
        When there is no such argument.
    """
    for name in given:
        if name not in (*OF_CHAIR, *SEAT):
            raise name_not_found("size of a chair", name, (*OF_CHAIR, *SEAT))
    words = {name: key for key, name in CHAIR.items()}
    return {"chair": kind, **{words.get(name, name): value for name, value in given.items()}}


def chair_of(said: Mapping[str, Any]) -> Chair | None:
    """Return the chair of what is said of a person.

    Raises
    ------
    ArgumentError
        When there is none such, or something is said of a chair that is not there.
    """
    kind = said.get("chair")
    if kind is None:
        more = next((name for name in (*CHAIR, *SEAT) if name in said), None)
        if more is not None:
            raise ArgumentError(f"human: {more} is of a chair, and there is no 'chair'")
        return None
    sizes = {name: said[key] for key, name in CHAIR.items() if key in said}
    chair: Chair = import_module("handik.scene.access").chair(kind, **sizes)  # made of scenes
    return chair


def _in_chair(person: Human, chair: Chair, seat: dict[str, Any]) -> Human:
    """Return a person in her chair, or who stands with it."""
    access = import_module("handik.scene.access")
    if chair.kind in import_module("handik.scene.access.chairs").SEATED:
        seated: Human = access.seat(person, chair, **seat)
        return seated
    if seat:
        raise ArgumentError(f"human: {next(iter(seat))} is of who sits, not of {chair.kind}")
    if person.position != "standing":
        raise ArgumentError(f'human: who walks with {chair.kind} has position="standing"')
    return person


def _only_known(named: Mapping[str, Any], dimensions: Collection[str]) -> None:
    """Refuse what `human` takes no argument of and is no dimension either."""
    from handik.people import human

    known = [name for name in signature(human).parameters if name != "dimensions"]
    wrong = next((name for name in named if name not in known), None)
    if wrong is not None:
        near = name_not_found(
            "argument or dimension", wrong, dict.fromkeys((*known, *_HOW, *dimensions))
        )
        said = ", ".join([*known, *_HOW])
        raise ArgumentError(f"human: {near.args[0]}; besides dimensions there are: {said}")


def _profiles(said: Any, how: dict[str, Any], path: str | PathLike[str] | None) -> Any:
    """Return what is said of a profile or several, in a file of one's own where one is named."""
    from handik.people.impairments import profile

    if said is None and how:
        raise ArgumentError(f"human: {next(iter(how))} is of a profile: there is none")
    if said is None or (not how and path is None):
        return said
    names = (said,) if isinstance(said, str) else said
    return tuple(profile(name, path=path, **how) for name in names)


def person_of(said: Mapping[str, Any], profiles: str | PathLike[str] | None = None) -> Human:
    """Return a person, in her chair where one is said: see `handik.scene.Actor`.

    `profiles` is a file of one's own, in which her profiles are.

    Raises
    ------
    ArgumentError
        When there is no such argument, or what is said is of a chair or a profile that is not
        there; and as `human`, `chair` and `seat`.
    NotFoundError
        When there is no such profile.
    """
    from handik.people import human
    from handik.people.survey import survey

    named = dict(said)
    chair = chair_of(named)
    seat = {name: named.pop(name) for name in SEAT if name in named}
    for name in ("chair", *CHAIR):
        named.pop(name, None)
    dimensions = survey("female").names
    measures = {k: named.pop(k) for k in [*named] if k in dimensions and k not in _OWN}
    how = {name: named.pop(name) for name in _HOW if name in named}
    _only_known(named, dimensions)
    if measures:
        named["dimensions"] = measures
    named["profile"] = _profiles(named.get("profile"), how, profiles)
    made = human(**named)
    return made if chair is None else _in_chair(made, chair, seat)
