"""Problem: terms resolved against a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError
from handik.model import Model
from handik.problem._columns import target_columns
from handik.problem._own import Own
from handik.problem.terms import Term
from handik.spec._given import known_name, number, reals, together, whole_number

#: Tolerance on positions when none is given, as a share of the model's reach.
DEFAULT_TOLERANCE = 1e-4


class Evaluation(NamedTuple):
    """What a problem says of configurations: the judge's word, on the whole and on every term.

    Attributes
    ----------
    met : ndarray of bool, shape (...)
        Every term within its tolerance and q inside its limits.
    error : ndarray, shape (...)
        Norm of the weighted residual, as `Result.error`.
    position_error, orientation_error : ndarray, shape (...)
        Largest distance (meters) and angle (radians) by which a term is missed.
    terms_met : ndarray of bool, shape (..., terms)
        Whether each term is met by itself; soft terms always are.
    distance, angle : ndarray, shape (..., terms)
        Meters and radians by which each term is missed.
    """

    met: NDArray[np.bool_]
    error: NDArray[np.float64]
    position_error: NDArray[np.float64]
    orientation_error: NDArray[np.float64]
    terms_met: NDArray[np.bool_]
    distance: NDArray[np.float64]
    angle: NDArray[np.float64]


class Problem(_core.Problem):
    """What must hold of a model: made once, used for any number of targets.

    Parameters
    ----------
    model : Model
        The robot or person.
    terms : Term or iterable of Term
        What must hold; see `handik.problem.terms`.
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

    __slots__ = ("__weakref__", "_owners", "_widths", "columns", "model", "terms")

    model: Model
    terms: tuple[Term, ...]
    columns: tuple[str, ...]
    _owners: NDArray[np.intp]  # term of each row of the core
    _widths: tuple[int, ...]  # columns of each term

    def __new__(
        cls, model: Model, terms: Term | Iterable[Term], *, lock: Mapping[str, Any] | None = None
    ) -> Self:
        """Resolve the terms against the model; see the class."""
        if not isinstance(model, Model):
            raise TypeError(f"a problem is about a handik Model, got {type(model).__name__}")
        if lock is not None:
            model = model.locked(lock)
        if isinstance(terms, Term):
            terms = (terms,)
        if not isinstance(terms, Iterable):
            raise TypeError(f"a problem is made of terms such as Position(), got {terms!r}")
        terms = tuple(terms)
        rows: list[tuple[Any, ...]] = []
        columns: list[str] = []
        owners: list[int] = []
        widths: list[int] = []
        for place, term in enumerate(terms):
            frame = _frame_of(model, term)
            tolerance = term.position_tolerance
            if tolerance is None:
                tolerance = DEFAULT_TOLERANCE * model.max_reach
            for part in term._parts(model, frame):
                rows.append(
                    (
                        part.kind,
                        _index(model, part.frame),
                        number("weight", term.weight) * part.weight,
                        number("position_tolerance", tolerance),
                        number("orientation_tolerance", term.orientation_tolerance),
                        part.params,
                        _index(model, part.other or None),
                        part.data,
                        whole_number("priority", term.priority),
                        _own_row(model, part.own),
                        part.clear,
                    )
                )
                owners.append(place)
            own = term._column_names(model, frame)
            columns += own
            widths.append(len(own))
        self = super().__new__(cls, model, tuple(rows))
        made = {
            "model": model,
            "terms": terms,
            "columns": tuple(columns),
            "_owners": np.array(owners, dtype=np.intp),
            "_widths": tuple(widths),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)
        return self

    def __init__(
        self, model: Model, terms: Term | Iterable[Term], *, lock: Mapping[str, Any] | None = None
    ) -> None:
        """Do nothing: all is done in `__new__`."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Problem does not change ({name}): make another")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Problem does not change ({name}): make another")

    def targets(self, *parts: ArrayLike) -> NDArray[np.float64]:
        """Put targets together, one part for each term that takes columns, in the terms' order.

        Parameters
        ----------
        *parts : array_like, shape (..., columns of the term)
            Leading axes are broadcast against each other. Poses and orientations may be given in
            every form that `handik.Model.solve` takes.

        Returns
        -------
        ndarray, shape (..., width)

        Raises
        ------
        ArgumentError
            When there are more or fewer parts than terms with columns, or one has a wrong shape.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([1.0, 1.0], "ball")
        >>> problem = hk.Problem(arm, [hk.Position("tip"), hk.Level("tip"), hk.LookAt("tip")])
        >>> problem.targets([1.0, 0.0, 1.0], [2.0, 0.0, 1.0]).shape
        (6,)
        """
        wanted = [(t, w) for t, w in zip(self.terms, self._widths, strict=True) if w]
        if len(parts) != len(wanted):
            names = ", ".join(f"{type(t).__name__} ({w})" for t, w in wanted)
            raise ArgumentError(f"{len(wanted)} parts are wanted, {names}; got {len(parts)}")
        arrays = []
        for part, (term, width) in zip(parts, wanted, strict=True):
            axes = getattr(term, "axes", None)
            columns = target_columns(type(term).__name__, part, width, axes)
            arrays.append(reals(columns, f"targets of {term}", (width,), finite=False))
        lead = together(**{f"part {k}": a.shape[:-1] for k, a in enumerate(arrays)})
        return np.concatenate(
            [np.empty((*lead, 0)), *(np.broadcast_to(a, lead + a.shape[-1:]) for a in arrays)], -1
        )

    def evaluate(self, targets: ArrayLike, q: ArrayLike, *, threads: int = 1) -> Evaluation:
        """Measure how well configurations meet the targets: the judge that every solver has.

        Parameters
        ----------
        targets : array_like, shape (..., width)
        q : array_like, shape (..., nq)
        threads : int
            Threads over the batch; 0: all cores.

        Returns
        -------
        Evaluation
            Error, and whether it is met, on the whole and for every term by itself. The residual
            itself is `residual`.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([1.0, 1.0])
        >>> problem = hk.Problem(arm, [hk.Position()])
        >>> found = problem.evaluate([2.0, 0.0, 0.5], [0.0, 0.0])
        >>> bool(found.met), float(found.position_error)
        (False, 0.5)
        """
        whole = self._judge(targets, q, threads=threads)
        met, distance, angle = self._measure(targets, q, threads=threads)
        count = len(self.terms)
        if not (len(self._owners) == count and np.array_equal(self._owners, np.arange(count))):
            of = [self._owners == k for k in range(count)]
            met = np.stack([met[..., k].all(-1) for k in of], -1)
            distance = np.stack([distance[..., k].max(-1, initial=0.0) for k in of], -1)
            angle = np.stack([angle[..., k].max(-1, initial=0.0) for k in of], -1)
        return Evaluation(*whole, met, distance, angle)

    def distance_lower_bound(self, targets: ArrayLike, *, threads: int = 1) -> NDArray[np.float64]:
        """Return how far the lengths of the links alone put each term's point out of reach.

        Parameters
        ----------
        targets : array_like, shape (..., width)
        threads : int
            Threads over the batch; 0: all cores.

        Returns
        -------
        ndarray, shape (..., terms)
            Meters; 0 where nothing is proved, or the term has no point to be at.
        """
        rows = self._floor(targets, threads=threads)
        of = [self._owners == k for k in range(len(self.terms))]
        return np.stack([rows[..., k].max(-1, initial=0.0) for k in of], -1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return self.model is other.model and self.terms == other.terms

    def __hash__(self) -> int:
        return hash((id(self.model), self.terms))

    def __reduce__(self) -> tuple[type[Problem], tuple[Model, tuple[Term, ...]]]:
        return type(self), (self.model, self.terms)

    def __repr__(self) -> str:
        return f"Problem({self.model.name!r}, {', '.join(map(repr, self.terms))})"


def _frame_of(model: Model, term: Term) -> str | None:
    if not isinstance(term, Term) or not term.kind:
        hint = "; a rule of yours is a class made from hk.Term" if callable(term) else ""
        raise TypeError(f"a problem is made of terms such as Position(), got {term!r}{hint}")
    if term.kind == "own" and term.frames:
        if term.frame is not None:
            raise ArgumentError(f"{type(term).__name__} has frames: it takes no frame besides")
        return None
    if not term.of_a_frame:
        if term.frame is not None:
            raise ArgumentError(
                f"{type(term).__name__} is about the whole model: it takes no frame"
            )
        return None
    frame = term.frame if term.frame is not None else model.tip
    if frame is None:
        raise ArgumentError(f"{model.name!r} has several tips: say which frame= you mean")
    known_name("frame", frame, model.frame_names)
    return frame


def _own_row(model: Model, own: Own | None) -> tuple[Any, ...] | None:
    """Return what the core takes of a term of the user's; None: it is not one."""
    if own is None:
        return None
    return (own.name, tuple(_index(model, frame) for frame in own.frames), *own[2:])


def _index(model: Model, frame: str | None) -> int:
    """Return the core's number of a frame; -1 is the world."""
    if frame is None:
        return -1
    known_name("frame", frame, model.frame_names)
    return model.frame_names.index(frame)
