"""Problem: terms resolved against a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from handik import _core
from handik.errors import ArgumentError, name_not_found, number
from handik.model import Model
from handik.terms import Term

#: Tolerance on positions when none is given, as a share of the model's reach.
DEFAULT_TOLERANCE = 1e-4


class Problem(_core.Problem):
    """What must hold of a model: made once, used for any number of targets.

    Parameters
    ----------
    model : Model
        The figure.
    terms : iterable of Term
        What must hold; see `handik.terms`.
    lock : mapping of joint name to value, optional
        Joints held still; see `Model.locked`. The problem's `model` is then the locked one.

    Attributes
    ----------
    model : Model
    terms : tuple of Term
    columns : tuple of str
        Name of each column of the target array: ``"frame.x"`` and so on.
    width, rows : int
        Numbers in one target row and in one residual row.

    Raises
    ------
    NotFoundError
        When a term names a frame the model does not have.
    ArgumentError
        When there is no term, or a weight, tolerance or constant is out of range.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0], "ball")
    >>> hk.Problem(arm, [hk.Position(frame="tip")]).columns
    ('tip.x', 'tip.y', 'tip.z')
    """

    model: Model
    terms: tuple[Term, ...]
    columns: tuple[str, ...]

    def __new__(
        cls, model: Model, terms: Iterable[Term], *, lock: Mapping[str, Any] | None = None
    ) -> Self:
        """Resolve the terms against the model; see the class."""
        if not isinstance(model, Model):
            raise TypeError(f"a problem is about a handik Model, got {type(model).__name__}")
        if lock:
            model = model.locked(lock)
        terms = tuple(terms)
        rows, columns = [], []
        for term in terms:
            frame = _frame_of(model, term)
            tolerance = term.position_tolerance
            if tolerance is None:
                tolerance = DEFAULT_TOLERANCE * model.reach
            rows.append(
                (
                    term.kind,
                    model.frame_names.index(frame),
                    number("weight", term.weight),
                    number("position_tolerance", tolerance),
                    number("orientation_tolerance", term.orientation_tolerance),
                    term.params(),
                )
            )
            columns += [f"{frame}.{column}" for column in term.columns]
        self = super().__new__(cls, model, tuple(rows))
        self.model, self.terms, self.columns = model, terms, tuple(columns)
        return self

    def __init__(
        self, model: Model, terms: Iterable[Term], *, lock: Mapping[str, Any] | None = None
    ) -> None:
        """Do nothing: all is done in `__new__`."""

    def __repr__(self) -> str:
        return f"Problem({self.model.name!r}, {', '.join(map(repr, self.terms))})"


def _frame_of(model: Model, term: Term) -> str:
    if not isinstance(term, Term) or not term.kind:
        raise TypeError(f"a problem is made of terms such as Position(), got {term!r}")
    frame = term.frame if term.frame is not None else model.tip
    if frame is None:
        raise ArgumentError(f"{model.name!r} has several tips: say which frame= you mean")
    if frame not in model.frame_names:
        raise name_not_found("frame", frame, model.frame_names)
    return frame
