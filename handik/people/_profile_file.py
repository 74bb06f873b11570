"""Profiles of impairments in TOML files: read, and every entry checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any

from handik.errors import ArgumentError, NotFoundError, name_not_found, shortened
from handik.files.read._file import read_bytes
from handik.files.read.toml import tables_of
from handik.spec._given import path_text, text

__all__ = ["GRASPS", "Fact", "Row", "profile_table", "rows_of"]

#: What a hand can still do.
GRASPS = ("full", "weak", "tenodesis", "none")
#: What a row of each list must say of itself, beyond trust and source.
_KEYS = {
    "facts": {"text"},
    "limits": {"motion"},
    "strengths": {"motion", "share"},
    "fixed": {"joint", "at"},
    "missing": {"joint"},
}
_KNOWN = {*_KEYS, "title", "sides", "grasp", "margin"}
_TRUST = ("fact", "read", "secondary", "assumption")


@dataclass(frozen=True)
class Fact:
    """What was read of an impairment.

    Attributes
    ----------
    text : str
    trust : str
        ``"read"`` in the source itself, or ``"secondary"``.
    source : str
    """

    text: str
    trust: str
    source: str


@dataclass(frozen=True)
class Row:
    """One thing that a profile does to a model.

    Attributes
    ----------
    kind : str
        ``"limit"``, ``"strength"``, ``"fixed"``, ``"missing"`` or ``"margin"``.
    what : str
        The motion, such as ``"shoulder flexion"``, or the joint.
    value : float, mapping or None
        Degrees of a limit, share of a strength, degrees by motion of a fixed joint, meters of a
        margin.
    share : bool
        Whether the value of a limit is a share of the healthy range.
    trust : str
        ``"fact"``, ``"read"``, ``"secondary"`` or ``"assumption"``.
    source : str
    """

    kind: str
    what: str
    value: Any
    share: bool
    trust: str
    source: str

    @property
    def assumed(self) -> bool:
        """Whether the number is an assumption."""
        return self.trust == "assumption"

    def __str__(self) -> str:
        if self.kind == "limit":
            amount = f"to {self.value:g} of its range" if self.share else f"to {self.value:g} deg"
            return f"{self.what} {amount}"
        if self.kind == "strength":
            weak = f"{self.value:g} of its strength" if self.value else "gravity alone"
            return f"{self.what} by {weak}"
        if self.kind == "fixed":
            return f"{self.what} fixed at " + ", ".join(
                f"{degrees:g} deg {motion}" for motion, degrees in self.value.items()
            )
        return f"no {self.what}" if self.kind == "missing" else f"margin of {self.value:g} m"


def profile_table(path: Any = None) -> dict[str, Any]:
    """Return the profiles of a file by name, handik's own by default; `rows_of` checks one."""
    if path is None:
        return _own()
    where = Path(path_text("path", path))
    return tables_of(read_bytes(where), where.name, "file of profiles")


@cache
def _own() -> dict[str, Any]:
    return tomllib.loads((files("handik.data") / "people" / "impairments.toml").read_text("utf-8"))


def _not_found(name: str, table: Mapping[str, Any]) -> NotFoundError:
    """Return the error for an unknown name: "tetraplegia" is in the titles of some."""
    said = [
        own
        for own, block in table.items()
        if isinstance(block, dict) and name.strip().lower() in str(block.get("title")).lower()
    ]
    if not name.strip() or not said:
        return name_not_found("profile", name, table)
    return NotFoundError(
        f"no profile is called {shortened(name)}; it is in the title of {', '.join(said[:8])}"
    )


def rows_of(name: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return title, sides, grasp, facts and rows of one profile of a file."""
    block = table.get(text("the name of a profile", name))
    if block is None:
        raise _not_found(name, table)
    if not isinstance(block, dict):
        raise ArgumentError(f"profile {name!r} must be a table, got {block!r}")
    unknown = set(block) - _KNOWN
    if unknown:
        raise ArgumentError(f"profile {name!r}: no such entry {sorted(unknown)[0]!r}")
    sides, grasp = block.get("sides", "both"), block.get("grasp", "full")
    if sides not in ("both", "one"):
        raise ArgumentError(f"profile {name!r}: sides must be 'both' or 'one', got {sides!r}")
    if grasp not in GRASPS:
        raise ArgumentError(f"profile {name!r}: grasp must be one of {GRASPS}, got {grasp!r}")
    lists = {key: _entries(name, key, block.get(key, [])) for key in _KEYS}
    rows = [_limit(name, one) for one in lists["limits"]]
    rows += [_strength(name, one) for one in lists["strengths"]]
    rows += [_fixed(name, one) for one in lists["fixed"]]
    rows += [
        Row("missing", text("joint", one["joint"]), None, False, *_origin(name, one))
        for one in lists["missing"]
    ]
    if "margin" in block:
        one = _entry(name, "margin", block["margin"], {"metres"})
        rows.append(Row("margin", "hand", _metres(name, one), False, *_origin(name, one)))
    facts = tuple(Fact(str(one["text"]), *_origin(name, one)) for one in lists["facts"])
    title = str(block.get("title", name))
    return {"title": title, "sides": sides, "grasp": grasp, "facts": facts, "rows": tuple(rows)}


def _entries(name: str, key: str, given: Any) -> list[dict[str, Any]]:
    if not isinstance(given, list):
        raise ArgumentError(f"profile {name!r}: {key} must be a list of tables, got {given!r}")
    return [_entry(name, key, one, _KEYS[key]) for one in given]


def _entry(name: str, key: str, one: Any, needs: set[str]) -> dict[str, Any]:
    if not isinstance(one, dict):
        raise ArgumentError(f"profile {name!r}, {key}: {one!r} is no table")
    lacking = (needs | {"trust", "source"}) - set(one)
    if lacking:
        raise ArgumentError(f"profile {name!r}, {key}: {one!r} does not say {sorted(lacking)[0]}")
    return one


def _origin(name: str, one: Mapping[str, Any]) -> tuple[str, str]:
    if one["trust"] not in _TRUST:
        raise ArgumentError(f"profile {name!r}: trust is one of {_TRUST}, got {one['trust']!r}")
    return str(one["trust"]), str(one["source"])


def _amount(name: str, what: str, value: Any, low: float, high: float) -> float:
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (plain and isfinite(value) and low <= value <= high):
        raise ArgumentError(
            f"profile {name!r}: {what} must be a number from {low:g} to {high:g}, got {value!r}"
        )
    return float(value)


def _limit(name: str, one: Mapping[str, Any]) -> Row:
    motion = text("motion", one["motion"])
    if ("most" in one) == ("share" in one):
        raise ArgumentError(
            f"profile {name!r}, {motion}: give most (degrees) or share, one of them"
        )
    if "share" in one:
        value = _amount(name, f"share of {motion}", one["share"], 0.0, 1.0)
    else:
        value = _amount(name, f"most of {motion}", one["most"], -180.0, 360.0)
    return Row("limit", motion, value, "share" in one, *_origin(name, one))


def _strength(name: str, one: Mapping[str, Any]) -> Row:
    motion = text("motion", one["motion"])
    share = _amount(name, f"share of {motion}", one["share"], 0.0, 1.0)
    return Row("strength", motion, share, True, *_origin(name, one))


def _fixed(name: str, one: Mapping[str, Any]) -> Row:
    joint, at = text("joint", one["joint"]), one["at"]
    if not isinstance(at, dict) or not at:
        raise ArgumentError(f"profile {name!r}, {joint}: at gives degrees by motion, got {at!r}")
    held = {m: _amount(name, f"{m} of {joint}", d, -360.0, 360.0) for m, d in at.items()}
    return Row("fixed", joint, held, False, *_origin(name, one))


def _metres(name: str, one: Mapping[str, Any]) -> float:
    return _amount(name, "margin in metres", one["metres"], 0.0, 1.0)
