"""What all terms share, and the rows of the core's table that they are made of."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from handik.problem._constants import frozen
from handik.problem._own import Own, own_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from handik.model import Model


class Part(NamedTuple):
    """One row of the core's term table that a term is made of; frames by name, "" the world.

    Attributes
    ----------
    kind : str
        Of the core's table.
    frame : str or None
        The frame; None for a term about all of the model.
    params : tuple of float
        The kind's constants, SI.
    other : str
        The second frame.
    data : tuple of float
        What a kind takes of any length.
    own : Own or None
        What the core calls of a term of the user's.
    weight : float
        Of this row, besides that of its term.
    clear : object
        What the core keeps a figure clear of; None: nothing.
    """

    kind: str
    frame: str | None
    params: tuple[float, ...] = ()
    other: str = ""
    data: tuple[float, ...] = ()
    own: Own | None = None
    weight: float = 1.0
    clear: object = None


@dataclass(frozen=True, eq=False)
class Term:
    """What all terms share; a subclass with a method `residual` is a term of one's own.

    The method is called as ``residual(poses, target)``, with `poses` of shape (number of frames,
    4, 4) and `target` of shape (number of columns,), and returns `rows` numbers, zero when the term
    is met. A method ``jacobian(poses, target)``, if there is one, returns its derivative by the
    twists of the frames, of shape (rows, number of frames, 6): linear velocity of the frame's
    origin, then angular velocity, in world axes; else central differences are taken. The page
    ``docs/own-terms.md`` has it all, with examples.

    Attributes
    ----------
    frame : str or None
        The frame it acts on; the model's tip if None.
    weight : float
        Scales its residual in the error that solvers lower; positive.
    position_tolerance : float or None
        Met when the distance is at most this, meters; None: 1e-4 of the model's reach.
    orientation_tolerance : float
        Met when the angle is at most this, radians.
    priority : int
        Strict level, 0 the highest: a term never costs those of a lower number anything. Terms of
        one level share by weight.
    rows : int
        Of a term of one's own: numbers of its residual, 1 to 32; an attribute of the class.
    columns : tuple of str
        Names of the columns it takes of a target row; none if not given.
    frames : tuple of str
        The frames whose poses its methods get; `frame` alone if not given.
    length_rows : int or None
        So many leading rows are meters, and the others radians; None: all. The term is met when the
        norm of the ones is within `position_tolerance`, of the others within
        `orientation_tolerance`.

    Examples
    --------
    >>> import handik as hk
    >>> class Height(hk.Term):
    ...     "The frame at this height."
    ...     rows, columns = 1, ("z",)
    ...
    ...     def residual(self, poses, target):
    ...         return poses[0, 2:3, 3] - target
    >>> arm = hk.data("ur5")
    >>> found = hk.Solver("dls")(hk.Problem(arm, [Height()]), [0.4])
    >>> found.converged, round(float(arm.fk(found.q)[2, 3]), 3)
    (True, 0.4)
    """

    frame: str | None = None
    _: KW_ONLY
    weight: float = 1.0
    position_tolerance: float | None = None
    orientation_tolerance: float = 1e-4
    priority: int = 0

    #: Name in the core's table, and names of its target columns.
    kind: ClassVar[str] = ""
    columns: ClassVar[tuple[str, ...]] = ()
    #: False for terms about the whole model.
    of_a_frame: ClassVar[bool] = True
    #: Of a term of one's own; see the class.
    rows: ClassVar[int] = 0
    frames: ClassVar[tuple[str, ...]] = ()
    length_rows: ClassVar[int | None] = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "residual" in vars(cls):
            cls.kind = "own"

    def __eq__(self, other: object) -> bool:
        """Tell whether it is the same kind of term with the same values; arrays count by theirs."""
        if not isinstance(other, Term) or type(other) is not type(self):
            return NotImplemented
        return bool(self._values() == other._values())

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def _values(self) -> tuple[Any, ...]:
        return tuple((name, frozen(value)) for name, value in sorted(vars(self).items()))

    def _params(self) -> tuple[float, ...]:
        """Return the kind's own constants."""
        return ()

    def _column_names(self, model: Model, frame: str | None) -> list[str]:
        """Return the names of its target columns."""
        return [f"{frame or type(self).__name__}.{column}" for column in self.columns]

    def _blocked(self, model: Model, q: NDArray[np.float64]) -> str | None:
        """Say what is in the way of a posture that misses the term; None: nothing."""
        return None

    def _parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the rows of the core's term table it is made of."""
        if self.kind == "own":
            return [Part("own", None, own=own_of(self, frame))]
        return [Part(self.kind, frame, self._params())]
