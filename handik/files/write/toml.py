"""A `ModelSpec` as TOML: handik's own format, which holds all of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from handik.spec import ModelSpec
from handik.spec._given import of_class

__all__ = ["to_toml"]

_TABLES = ("links", "joints", "frames")
_PASSED_OVER = {"file"}  # the real path of a mesh is found again by the reader


def to_toml(spec: ModelSpec) -> str:
    """Return a spec as TOML text that `handik.files.read.toml.read_toml` reads back bit for bit.

    Parameters
    ----------
    spec : ModelSpec
        The tree; it is checked.

    Returns
    -------
    str
        The file's text.

    Raises
    ------
    ModelError
        When the spec is not sound.

    Examples
    --------
    >>> import handik as hk
    >>> to_toml(hk.chain([1.0]).spec).splitlines()[0]
    'format = "handik 1"'
    """
    of_class("spec", spec, ModelSpec).check()
    rows = ['format = "handik 1"', f"name = {_value(spec.name)}"]
    for key in ("base", "tip"):
        if getattr(spec, key) is not None:
            rows.append(f"{key} = {_value(getattr(spec, key))}")
    rows.append(f"notes = {_value(spec.notes)}")
    for table in _TABLES:
        for item in getattr(spec, table):
            rows += ["", f"[[{table}]]"]
            rows += [f"{key} = {_value(value)}" for key, value in _items(item).items()]
    return "\n".join([*rows, ""])


def _items(item: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that say something."""
    found = {}
    for entry in fields(item):
        value = getattr(item, entry.name)
        if value is None or entry.name in _PASSED_OVER or (isinstance(value, list) and not value):
            continue
        found[entry.name] = value
    return found


def _value(value: Any) -> str:
    if is_dataclass(value):
        return _value(_items(value))
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return repr(float(value))  # inf is a word of TOML too


def _text(text: str) -> str:
    """Return a basic string; signs that TOML does not allow are escaped."""
    out = []
    for sign in text:
        if sign in '"\\':
            out.append("\\" + sign)
        elif ord(sign) < 32 or ord(sign) == 127:
            out.append(f"\\u{ord(sign):04x}")
        else:
            out.append(sign)
    return '"' + "".join(out) + '"'
