"""A serial arm as a table of Denavit-Hartenberg parameters, comma-separated."""

from __future__ import annotations

from math import inf

import numpy as np

from handik.errors import UnsupportedError
from handik.files.write._serial import arm_of
from handik.files.write._text import settle
from handik.spec import ModelSpec

__all__ = ["to_csv"]


def to_csv(
    spec: ModelSpec,
    lost: list[str] | None = None,
    convention: str = "standard",
    tip: str | None = None,
) -> str:
    """Return a chain as the text that `handik.files.read.dh_csv.read_dh` reads.

    Parameters
    ----------
    spec : ModelSpec
        The tree; it is checked.
    lost : list, optional
        Takes a sentence for everything that a table cannot hold: masses, drives, shapes, what a
        joint bears and how fast it turns, joints beside the chain, names of links.
    convention : str
        ``"standard"`` or ``"modified"``.
    tip : str, optional
        The link or frame at the end; see `handik.files.read.fit_dh.fit_dh`.

    Returns
    -------
    str
        The table.

    Raises
    ------
    ArgumentError, NotFoundError, UnsupportedError
        As `handik.files.read.fit_dh.fit_dh`; without `lost`, when the table cannot hold everything.
    ModelError
        When the spec is not sound.

    Examples
    --------
    >>> import handik as hk
    >>> lost = []
    >>> to_csv(hk.data("ur5").spec, lost).splitlines()[0]
    '# convention: standard'
    """
    arm = arm_of(spec, convention, tip)
    fit, found = arm.fit, list(arm.lost)
    if any(body is not None for body in arm.bodies):
        found.append("masses")
    for joint in arm.joints:
        if joint.motor is not None or joint.damping or joint.friction:
            found.append(f"drive and friction of joint {joint.name!r}")
    scale = 1 + max(float(np.abs(fit.table[:, 1:3]).max()), float(np.abs(fit.tool[:3, 3]).max()))
    if fit.residual > 1e-12 * scale:
        found.append(f"the pose of the tip to better than {fit.residual:.1e}")
    settle("a table", found, lost)
    rows = [f"# convention: {convention}", f"# name: {_plain(spec.name, '')}"]
    for key, place in (("base", fit.base), ("tool", fit.tool)):
        if not np.array_equal(place, np.eye(4)):
            rows.append(f"# {key}: " + " ".join(repr(value) for value in place.ravel().tolist()))
    rows.append("joint,kind,theta (rad),d (m),a (m),alpha (rad),lower,upper")
    limits = zip(fit.lower, fit.upper, strict=True)
    for name, kind, row, (low, high) in zip(fit.names, fit.kinds, fit.table, limits, strict=True):
        cells = [_plain(name, ",;\t"), kind, *(repr(value) for value in row.tolist())]
        cells += ["" if abs(value) == inf else repr(float(value)) for value in (low, high)]
        rows.append(",".join(cells))
    return "\n".join([*rows, ""])


def _plain(name: str, marks: str) -> str:
    """Return a name that a line of the table keeps as it is, or refuse it."""
    odd = any(sign in marks or ord(sign) < 32 for sign in name) or name.isdigit() or name[:1] == "#"
    halves = any(0xD800 <= ord(sign) < 0xE000 for sign in name)
    if not name or odd or halves or name != name.strip().strip('"').strip(",; "):
        raise UnsupportedError(f"the name {name!r} cannot be written in a table")
    return name
