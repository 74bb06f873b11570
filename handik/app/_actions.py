"""The one table of actions: menus, buttons, keys and calls from Python all name what is here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app._document import Document
from handik.app._words import Words
from handik.errors import ArgumentError, shortened
from handik.spec._given import choice, finite_number, flag, known_name, reals, text, whole_number

if TYPE_CHECKING:
    from handik.app._session import App

__all__ = ["ACTIONS", "NEEDED", "Action", "Arg", "action"]

#: Of an argument that must be given.
NEEDED = object()
#: Why an action has no key of its own: it can be reached by those of the menu.
VALUE = "it asks for a value: its dialog opens from the menu"
RARE = "it is rare, or cannot be meant by accident: it is in the menu"


@dataclass(frozen=True)
class Arg:
    """What an action is told.

    Attributes
    ----------
    name : str
    type : {"text", "number", "integer", "flag", "node", "nodes", "choice", "pose", "point"}
        ``nodes`` are those selected where none are given; a pose is x y z and a quaternion w x y z.
    words : Words
    default : object
    choices : tuple of str, or function of nothing
    unit : str or None
    """

    name: str
    type: str
    words: Words
    default: Any = NEEDED
    choices: Any = ()
    unit: str | None = None

    def options(self) -> list[str]:
        """Return what may be chosen."""
        return list(self.choices() if callable(self.choices) else self.choices)

    def plain(self) -> dict[str, Any]:
        """Return it for JSON."""
        found: dict[str, Any] = {"name": self.name, "type": self.type, "words": self.words.plain()}
        if self.default is not NEEDED:
            found["default"] = self.default
        if self.type == "choice":
            found["choices"] = self.options()
        if self.unit:
            found["unit"] = self.unit
        return found

    def read(self, given: Any, document: Document) -> Any:
        """Return a value of its type.

        Raises
        ------
        ArgumentError, TypeError, NotFoundError
            When it is none.
        """
        return _READ[self.type](self, given, document)


def _nodes(arg: Arg, given: Any, document: Document) -> list[str]:
    found = list(document.selection) if given is None else given
    if isinstance(found, str) or not isinstance(found, (list, tuple)):
        raise TypeError(f"{arg.name} must be a list of paths, got {shortened(given)}")
    known = [known_name("node", path, document.scene) for path in found]
    if not known and arg.default is NEEDED:
        raise ArgumentError("select an object first")
    return known


def _pose(arg: Arg, given: Any, document: Document) -> list[float]:
    row = reals(given, arg.name, (7,))
    if row.ndim != 1:
        raise ArgumentError(f"{arg.name} must be seven numbers, got {row.shape}")
    size = float(np.linalg.norm(row[3:]))
    if not 1e-6 < size < 1e6:
        raise ArgumentError(f"{arg.name} has no turn: its quaternion is {row[3:].tolist()}")
    return [*row[:3].tolist(), *(row[3:] / size).tolist()]


def _point(arg: Arg, given: Any, document: Document) -> list[float]:
    row = reals(given, arg.name, (3,))
    if row.ndim != 1:
        raise ArgumentError(f"{arg.name} must be three numbers, got {row.shape}")
    return [float(x) for x in row]


_READ: dict[str, Callable[[Arg, Any, Document], Any]] = {
    "text": lambda arg, x, _: text(arg.name, x),
    "number": lambda arg, x, _: finite_number(arg.name, x),
    "integer": lambda arg, x, _: whole_number(arg.name, x),
    "flag": lambda arg, x, _: flag(arg.name, x),
    "node": lambda arg, x, document: known_name("node", x, document.scene),
    "nodes": _nodes,
    "choice": lambda arg, x, _: choice(arg.name, x, tuple(arg.options())),
    "pose": _pose,
    "point": _point,
}


@dataclass(frozen=True)
class Action:
    """Something that can be done.

    Attributes
    ----------
    id : str
    menu : str
    words : Words
    do : function
        Called with the application and the arguments; returns a document, or None where it is
        none that changes.
    args : tuple of Arg
    key : str or None
    no_key : str or None
        Why there is no key.
    when : function of the application
        Whether it can be done now.
    join : bool
        Entries of undo that follow each other are one.
    job : bool
        It takes long: the page has it done in a thread.
    kept : bool
        Whether the journal has it: what only shows, or can be worked out again, need not be there.
    """

    id: str
    menu: str
    words: Words
    do: Callable[..., Document | None]
    args: tuple[Arg, ...] = ()
    key: str | None = None
    no_key: str | None = None
    when: Callable[[App], bool] = lambda app: True
    join: bool = False
    job: bool = False
    kept: bool = True

    def read(self, given: Mapping[str, Any], document: Document) -> dict[str, Any]:
        """Return all arguments, each of its type.

        Raises
        ------
        ArgumentError, TypeError, NotFoundError
            When one is unknown, is missing or is of another type.
        """
        known = {arg.name: arg for arg in self.args}
        for name in given:
            known_name(f"argument of {self.id}", name, known)
        found = {}
        for name, arg in known.items():
            if name in given and not (given[name] is None and arg.default is None):
                found[name] = arg.read(given[name], document)
            elif arg.type == "nodes":
                found[name] = arg.read(None, document)
            elif arg.default is NEEDED:
                raise ArgumentError(f"{self.id} needs {name}")
            else:
                found[name] = arg.default
        return found

    def plain(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "id": self.id,
            "menu": self.menu,
            "words": self.words.plain(),
            "key": self.key,
            "args": [arg.plain() for arg in self.args],
        }


ACTIONS: dict[str, Action] = {}


def action(
    id: str,
    en: str,
    fr: str,
    *args: Arg,
    menu: str = "object",
    key: str | None = None,
    no_key: str | None = None,
    **more: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a function into the table."""

    def put(do: Callable[..., Any]) -> Callable[..., Any]:
        assert (key is None) != (no_key is None), id
        assert id not in ACTIONS, id
        ACTIONS[id] = Action(id, menu, Words(en, fr), do, args, key, no_key, **more)
        return do

    return put
