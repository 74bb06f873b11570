"""What the core is told of a term of the user's: a class with a function, see `Term`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from handik.errors import ArgumentError
from handik.spec._given import whole_number

if TYPE_CHECKING:
    from handik.problem.term import Term

#: Of a term of the user's, as the core has them.
_MOST_ROWS, _MOST_FRAMES = 32, 16


class Own(NamedTuple):
    """What the core calls of a term of the user's: functions of the poses of these frames."""

    name: str
    frames: tuple[str, ...]
    width: int
    rows: int
    length_rows: int
    residual: Callable[..., Any]
    jacobian: Callable[..., Any] | None


def own_of(term: Term, frame: str | None) -> Own:
    """Return what the core calls of a term of the user's, its numbers checked."""
    name = type(term).__name__
    rows = whole_number(f"rows of {name}", term.rows, _MOST_ROWS)
    if rows == 0:
        raise ArgumentError(f"{name} must say how long its residual is: rows = 1 to {_MOST_ROWS}")
    lengths = rows if term.length_rows is None else term.length_rows
    frames = (frame,) if frame is not None else tuple(term.frames)
    if len(frames) > _MOST_FRAMES:
        raise ArgumentError(f"{name} takes at most {_MOST_FRAMES} frames, got {len(frames)}")
    return Own(
        name,
        frames,
        len(term.columns),
        rows,
        whole_number(f"length_rows of {name}", lengths, rows),
        getattr(term, "residual"),  # noqa: B009 - the base has none
        getattr(term, "jacobian", None),
    )
