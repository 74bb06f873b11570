"""Values as TOML has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

__all__ = ["items", "toml_value"]

_PASSED_OVER = {"file"}  # the real path of a mesh is found again by the reader


def items(item: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that say something."""
    found = {}
    for entry in fields(item):
        value = getattr(item, entry.name)
        if value is None or entry.name in _PASSED_OVER or (isinstance(value, list) and not value):
            continue
        found[entry.name] = value
    return found


def toml_value(value: Any) -> str:
    """Return a value as TOML has it; numbers as floats that are read back bit for bit."""
    if is_dataclass(value):
        return toml_value(items(value))
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {toml_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
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
