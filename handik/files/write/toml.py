"""A `ModelSpec` as TOML: handik's own format, which holds all of it."""

from __future__ import annotations

from handik.files.write._toml import items, toml_value
from handik.spec import ModelSpec
from handik.spec._given import of_class

__all__ = ["to_toml"]

_TABLES = ("links", "joints", "frames")


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
    rows = ['format = "handik 1"', f"name = {toml_value(spec.name)}"]
    for key in ("base", "tip"):
        if getattr(spec, key) is not None:
            rows.append(f"{key} = {toml_value(getattr(spec, key))}")
    rows.append(f"notes = {toml_value(spec.notes)}")
    for table in _TABLES:
        for item in getattr(spec, table):
            rows += ["", f"[[{table}]]"]
            rows += [f"{key} = {toml_value(value)}" for key, value in items(item).items()]
    return "\n".join([*rows, ""])
