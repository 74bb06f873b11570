"""Analytic solutions: every configuration of a serial arm for a pose."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.closed._samples import HALVINGS, MOST, in_reach, span_of, union
from handik.closed._turns import every_turn, periods, turned_towards
from handik.errors import ArgumentError
from handik.spec._given import (
    PoseLike,
    choice,
    coordinate_of,
    flag,
    one_lock,
    poses_of,
    reals,
    together,
    whole_number,
)
from handik.spec._html import html_table

if TYPE_CHECKING:
    from handik.closed.self_motion import SelfMotion
    from handik.model import Model

Array = NDArray[np.float64]
#: Rows that Jupyter shows: all answers for one pose, but for those of `turns=True`.
SHOWN = 16
NONE_FREE = bytes(MOST)
#: Residual, of the arm's size, up to which a configuration reaches a pose: that of
#: hik_analytic_solve.
REACHED = 1e-10
#: The tip's whole pose and nothing else: where the object is kept with the model.
PLAIN = ("analytic", None, "pose", None, False)


class Origin(NamedTuple):
    """Where solutions come from.

    Attributes
    ----------
    method : str
        What solved it.
    description : str
        What was recognised in the arm.
    model : Model
        The arm.
    frame : str or None
        The frame; None: the tip.
    """

    method: str
    description: str
    model: Model
    frame: str | None


class Solutions(_core.Postures):
    """Every configuration that puts a frame at a pose, for one pose or a batch of them.

    Attributes
    ----------
    q : ndarray, shape (..., k, nq)
        Postures inside the limits, sorted by their coordinates; k is the greatest count of the
        batch, and rows past a pose's own count are NaN.
    count : int or ndarray of int, shape (...)
        Configurations of each pose.
    exact : ndarray of bool, shape (..., k)
        True where the configuration reaches the pose (residual at most 1e-10 of the arm's size);
        False for the nearest configuration given with ``closest=True`` and for rows past the count.
    free : ndarray of bool, shape (..., k, nq)
        True where a coordinate may take any value of a range, the others following: the pose is
        singular there, and the configuration given stands for a family.
    complete : bool or ndarray of bool, shape (...)
        True where all configurations were found, of a family one; False where the method itself
        doubts it, as near double solutions, and for samples of a locked joint, which never are all.
    method, description : str
        What solved it, and what was recognised in the arm.
    locked : float or ndarray, shape (..., k), or None
        Value of the locked coordinate of each configuration, for an arm of seven joints.
    origin : Origin
        Where they come from.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.data("ur5")
    >>> found = arm.solutions(arm.fk([0.1, -1.0, 1.2, 0.3, 0.8, 0.2]))
    >>> found.count, found.q.shape
    (8, (8, 6))
    """

    # one pose a call is the usual case: Postures stores little, the rest is made when asked for
    __slots__ = ()
    if TYPE_CHECKING:
        _origin: Origin

    def __init__(
        self,
        q: Array,
        count: Any,
        exact: Any,
        free: Any,
        complete: Any,
        locked: Any,
        origin: Origin,
    ) -> None:
        self._q = q
        self._count = count
        self._exact = exact  # None: all of one pose's
        self._free = free  # None: none of one pose's
        self._sure = complete
        self._locked = locked
        self._origin = origin

    @property
    def q(self) -> Array:
        """Postures, sorted."""
        return self._q

    @property
    def count(self) -> Any:
        """Configurations of each pose."""
        return self._count

    @property
    def complete(self) -> Any:
        """Whether the method has no doubt that all were found."""
        return self._sure

    @property
    def locked(self) -> Any:
        """Value of the locked coordinate of each configuration."""
        return self._locked

    @property
    def exact(self) -> NDArray[np.bool_]:
        """True where the configuration reaches the pose."""
        return np.ones(len(self._q), bool) if self._exact is None else np.asarray(self._exact)

    @property
    def free(self) -> NDArray[np.bool_]:
        """True where a coordinate may take any value of a range."""
        return np.zeros(self._q.shape, bool) if self._free is None else np.asarray(self._free)

    @property
    def method(self) -> str:
        """What solved it."""
        return self._origin.method

    @property
    def description(self) -> str:
        """What was recognised in the arm."""
        return self._origin.description

    @property
    def _model(self) -> Model:
        return self._origin.model

    @property
    def _frame(self) -> str | None:
        return self._origin.frame

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self._q, self._count, self._exact, self._free, self._sure, self._locked)
        return type(self), (*parts, self._origin)

    def __len__(self) -> int:
        """Return how many solutions the one pose has, or how many poses the batch."""
        return len(self.q)

    def __getitem__(self, index: Any) -> Any:
        """One configuration of the one pose; of a batch the solutions of one pose, or of some."""
        if self.q.ndim == 2:
            return self.q[index]
        q, count = self.q[index], np.asarray(self.count)[index]
        exact, free = self.exact[index], self.free[index]
        complete = np.asarray(self.complete)[index]
        locked = None if self.locked is None else self.locked[index]
        if q.ndim == 2:
            n = int(count)
            q, count, complete = q[:n], n, bool(complete)
            exact, free = exact[:n], free[:n]
            locked = None if locked is None else locked[:n]
        return type(self)(q, count, exact, free, complete, locked, self._origin)

    def __iter__(self) -> Iterator[Any]:
        """Go through the solutions of the one pose, or those of each pose of the batch."""
        return (self[k] for k in range(len(self)))

    def nearest(self, q: ArrayLike) -> Array:
        """Return the configuration nearest to another, turned by whole turns towards it.

        Parameters
        ----------
        q : array_like, shape (nq,) or (..., nq)
            The configuration to be near to.

        Returns
        -------
        ndarray, shape (..., nq)
            Of each pose's configurations the one with the least greatest difference of a
            coordinate; NaN where there is none.
        """
        model = self._model
        wanted = reals(q, "q", (model.nq,), finite=False)
        together(q=wanted.shape[:-1], poses=self.q.shape[:-2])
        rows = turned_towards(model, self.q, wanted[..., None, :])
        gap = np.max(np.abs(rows - wanted[..., None, :]), axis=-1, initial=0.0)
        gap = np.where(np.isnan(gap), np.inf, gap)
        if self.q.shape[-2] == 0:
            return np.full((*self.q.shape[:-2], model.nq), np.nan)
        best = np.argmin(gap, axis=-1)[..., None, None]
        return np.take_along_axis(rows, best, axis=-2)[..., 0, :]

    def families(self, index: int | tuple[int, ...] = ()) -> list[SelfMotion]:
        """Follow the families of configurations of a singular pose.

        Parameters
        ----------
        index : int or tuple of int
            Which pose of the batch; nothing for a single pose.

        Returns
        -------
        list of SelfMotion
            For each free coordinate of each configuration (see `free`) the configurations that the
            pose leaves open, with the range of every coordinate; configurations that lie on a
            family already found are passed over. Empty when nothing is free.

        Raises
        ------
        ArgumentError
            When `index` does not name one pose of the batch.
        """
        from handik.closed.self_motion import self_motion

        try:
            rows, free = self.q[index], self.free[index]
        except (IndexError, ValueError, TypeError):
            raise ArgumentError(f"index must name one pose of {self.q.shape[:-2]}") from None
        if rows.ndim != 2:
            raise ArgumentError(f"index must name one pose of {self.q.shape[:-2]}")
        found: list[SelfMotion] = []
        period = periods(self._model)
        turn = np.where(period > 0, period, np.inf)
        for row, bits in zip(rows, free, strict=True):
            for at in np.flatnonzero(bits):
                moving = [family for family in found if family.free[at]]
                gaps = [np.abs(family.q - row) for family in moving]
                gaps = [np.minimum(gap, np.abs(turn - gap)).max(axis=1).min() for gap in gaps]
                if not gaps or min(gaps) > 0.06:
                    found.append(self_motion(self._model, row, frame=self._frame, joint=int(at)))
        return found

    def _repr_html_(self) -> str:
        """Return a small table for Jupyter: each answer for one pose, or some poses of a batch."""
        if self.q.ndim == 2:
            head = ("", *self._model.joint_q_slices)
            lines = [(str(k), *(f"{x:.6g}" for x in row)) for k, row in enumerate(self.q.tolist())]
        else:
            head = ("pose", "solutions", "complete")
            places = list(np.ndindex(*np.shape(self.count)))
            lines = [
                (", ".join(map(str, at)), str(int(self.count[at])), str(bool(self.complete[at])))
                for at in places
            ]
        more = f"<p>... and {len(lines) - SHOWN} more</p>" if len(lines) > SHOWN else ""
        shown = html_table([head], lines[:SHOWN])
        return f"<p>{escape(repr(self))}</p>{shown}{more}"

    def __repr__(self) -> str:
        doubt = "" if np.all(self.complete) else "; there may be more"
        if self.q.ndim == 2:
            return f"Solutions({self.count} by {self.method}: {self.description}{doubt})"
        total = int(np.sum(self.count))
        poses = np.size(self.count)
        return f"Solutions({total} for {poses} poses by {self.method}: {self.description}{doubt})"


class _Setup:
    """A prepared analytic object and the chain it belongs to."""

    def __init__(self, model: Model, frame: Any, task: str, lock: int, thorough: bool) -> None:
        self.core = _core.Analytic(model, frame, task == "position", lock, thorough)
        self.method: str = self.core.method
        self.description: str = self.core.why
        self.locked: int = self.core.locked
        self.path = np.array(self.core.coordinates, np.intp)
        self.origin = Origin(self.method, self.description, model, frame)
        self.bits = np.uint8(1) << np.arange(len(self.path), dtype=np.uint8)


def _prepared(model: Model, frame: Any, task: str, lock: Any, thorough: bool) -> _Setup:
    """Return the analytic object of a model, made at its first use and kept with the model."""
    if frame is not None and not isinstance(frame, str):
        frame = model.frame_names[model._frame_index(frame)]
    if lock is not None and not isinstance(lock, str):
        lock = coordinate_of(model, "lock", lock)
    key = ("analytic", frame, task, lock, thorough)
    found: _Setup | None = model._problems.get(key)
    if found is None:
        at = -1 if lock is None else coordinate_of(model, "lock", lock)
        found = _Setup(model, frame, task, at, thorough)
        model._problems[key] = found
    return found


def _free_columns(setup: _Setup, bits: NDArray[np.uint8], nq: int) -> NDArray[np.bool_]:
    free = np.zeros((*bits.shape, nq), bool)
    if bits.any():
        free[..., setup.path] = (bits[..., None] & setup.bits) != 0
    return free


def solutions(
    model: Model,
    T: PoseLike,
    *,
    frame: str | int | None = None,
    task: str = "pose",
    turns: bool = False,
    closest: bool = False,
    lock: Mapping[str, ArrayLike] | str | None = None,
    samples: int = 16,
    method: str = "auto",
    out: Array | None = None,
    threads: int = 1,
) -> Solutions:
    """Find every configuration that puts a frame at a pose.

    The method is chosen from the geometry of the chain, once: three neighboring axes that meet in
    a point or are parallel (to 1e-11) have a closed form; any other six joints, of which one may
    slide, are solved by a 16 x 16 eigenproblem; two or three joints in one plane by a triangle.
    Arms of three, four and five joints are completed by joints that must stay at rest; joints held
    by their limits (equal, or `Model.locked`) are links.

    Parameters
    ----------
    model : Model
        The arm.
    T : array_like, shape (..., 4, 4), or pair, or RigidTransform
        Poses of the frame in the world: matrices, a pair of position and orientation, or SciPy's
        transform. Poses that are not finite have no configuration.
    frame : str or int, optional
        The frame; the tip if not given.
    task : {"pose", "position"}
        Whether the frame's turn counts (position: arms of three joints, or two in a plane).
    turns : bool
        Give every whole turn inside finite limits, not only the one nearest to zero.
    closest : bool
        Where a pose has no configuration, give the nearest one, with ``exact`` False.
    lock : mapping of joint name to value, or str, optional
        For seven joints: the joint to lock and its value, or values of shape (...). The name
        alone: `samples` values through its limits, all answers together; nothing: the same for a
        joint that is chosen.
    samples : int
        See `lock`. For a pose with no configuration at any of the values, and not beyond the reach,
        the intervals between them are halved until one has some, at most six times: 64 times as
        many values. `Solutions.description` says how far it went.
    method : {"auto", "general"}
        "general": no closed form, but the union of every elimination of the general method: a
        second opinion, about a hundred times slower.
    out : ndarray, shape (..., 16, nq), optional
        Where to write the configurations, NaN in rows past a pose's count; `Solutions.q` is a part
        of it. Not with `turns`, nor over `samples`, which may give more than 16.
    threads : int
        Threads over the poses; 0: all cores. The bytes do not depend on it.

    Returns
    -------
    Solutions
        All of them, with ``q`` of shape (..., k, nq) and ``count`` of shape (...).

    Raises
    ------
    UnsupportedError
        When no method takes this chain; the sentence says what would.
    ArgumentError
        When T or an option has the wrong shape or value, or a pose is none (its rotation is off
        by more than 1e-6, or its last row is not 0 0 0 1); with `turns`, when limits are so wide
        that a pose may have more than a million configurations.
    NotFoundError
        When there is no such frame or joint.

    References
    ----------
    Pieper, thesis, Stanford 1968; Raghavan and Roth, Journal of Mechanical Design 115 (1993)
    502-508; Elias and Wen, Mechanism and Machine Theory 209 (2025) 105971. The headers in
    ``csrc/analytic`` say what is whose.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.data("ur5")
    >>> found = arm.solutions(arm.fk([0.1, -1.0, 1.2, 0.3, 0.8, 0.2]))
    >>> found.count, found.q.shape
    (8, (8, 6))
    """
    choice("task", task, ("pose", "position"))
    turns, closest = flag("turns", turns), flag("closest", closest)
    choice("method", method, ("auto", "general"))
    threads = whole_number("threads", threads)
    name, locked = one_lock(lock)
    setup = _prepared(model, frame, task, name, method == "general")
    core, at = setup.core, setup.locked
    poses = poses_of(T, finite=False)
    values = None
    if at >= 0:
        if locked is None:
            if whole_number("samples", samples) < 1:
                raise ArgumentError(f"samples must be 1 or more, got {samples}")
            if out is not None:
                raise ArgumentError("out= takes the postures of one value of lock=, not samples")
            return _sampled(model, setup, poses, samples, turns, closest, threads)
        values = reals(locked, f"lock of {name!r}", (), finite=False)
        shape = together(lock=values.shape, T=poses.shape[:-2])
        values = np.ascontiguousarray(np.broadcast_to(values, shape))
        poses = np.ascontiguousarray(np.broadcast_to(poses, (*shape, 4, 4)))
    elif lock is not None:
        raise ArgumentError("only an arm of seven joints has a joint to lock")
    if out is not None and turns:
        raise ArgumentError("out= takes 16 postures a pose, turns=True may give more")
    raw = core.solve(poses, locked=values, out=out, threads=threads)
    return _finish(model, setup, poses, raw, values, turns, closest, threads)


def _every_posture(model: Model, T: PoseLike | None = None, **options: Any) -> Solutions:
    """Do what `Model.solutions` does, and tell the model how to do it again without Python."""
    if T is None:
        raise ArgumentError(
            "solutions wants the whole pose: solutions(T), T a 4x4 matrix or (position, "
            "quaternion); with task='position' its orientation does not count (short arms)"
        )
    found = solutions(model, T, **options)
    setup: _Setup | None = model._problems.get(PLAIN)
    if not options and setup is not None and setup.locked < 0:
        model._remember_solutions(setup.core, setup.origin)
    return found


def _finish(
    model: Model,
    setup: _Setup,
    poses: Array,
    raw: Any,
    values: Any,
    turns: bool,
    closest: bool,
    threads: int,
) -> Solutions:
    q, count, bits, sure = raw
    if q.ndim == 2 and len(q) == MOST and not turns:  # one pose: the short way
        n = int(count)
        if n or not closest:
            free = None if bits.tobytes() == NONE_FREE else _free_columns(setup, bits[:n], model.nq)
            locks = None if values is None else np.full(n, values)
            return Solutions(q[:n], n, None, free, bool(sure), locks, setup.origin)
    most = int(count.max()) if count.size else 0
    room = 1 if closest and not turns and most == 0 else most  # for the nearest
    q, bits = q[..., :room, :], bits[..., :room]
    free = _free_columns(setup, bits, model.nq)
    if turns:
        q, count, free = _with_turns(model, q, count, free)
        if closest and q.shape[-2] == 0:
            q = np.full((*q.shape[:-2], 1, model.nq), np.nan)
            free = np.zeros(q.shape, bool)
    exact = np.arange(q.shape[-2]) < count[..., None]
    if closest and (count == 0).any():
        count, sure = _with_closest(setup, poses, values, q, count, exact, sure, threads)
    there = np.arange(q.shape[-2]) < np.asarray(count)[..., None]
    locks = None if values is None else np.where(there, values[..., None], np.nan)
    single = q.ndim == 2
    return Solutions(
        q,
        int(count) if single else count,
        exact,
        free,
        bool(sure) if single else sure,
        locks,
        setup.origin,
    )


def _with_turns(model: Model, q: Array, count: Any, free: Any) -> tuple[Array, Any, Any]:
    lead = q.shape[:-2]
    poses = math.prod(lead)
    flat, counts = q.reshape(poses, *q.shape[-2:]), np.ravel(count)
    wide = [every_turn(model, rows[:n]) for rows, n in zip(flat, counts, strict=True)]
    most = max((len(rows) for rows in wide), default=0)
    out = np.full((len(wide), most, model.nq), np.nan)
    loose = np.zeros((len(wide), most, model.nq), bool)
    period = periods(model)
    old_free = free.reshape(poses, *free.shape[-2:])
    for k, rows in enumerate(wide):
        out[k, : len(rows)] = rows
        for j in range(int(counts[k])):  # a family stays one on every turn
            if old_free[k, j].any():
                gap = rows - flat[k, j]
                gap -= (
                    np.where(period > 0, np.round(gap / np.where(period > 0, period, 1)), 0)
                    * period
                )
                loose[k, : len(rows)][np.abs(gap).max(axis=1, initial=0) < 1e-9] |= old_free[k, j]
    sizes = np.array([len(rows) for rows in wide], np.int32).reshape(lead)
    return out.reshape(*lead, most, model.nq), sizes, loose.reshape(*lead, most, model.nq)


def _with_closest(
    setup: _Setup,
    poses: Array,
    values: Array | None,
    q: Array,
    count: Any,
    exact: NDArray[np.bool_],
    sure: Any,
    threads: int,
) -> tuple[Any, Any]:
    """Put the nearest into the first row of each pose that has none; return counts and `sure`."""
    none = np.asarray(count) == 0
    kept = None if values is None else values[none]
    near, error, _ = setup.core.closest(poses[none], locked=kept, threads=threads)
    q[none, 0] = np.where(np.isnan(error)[:, None], np.nan, near)
    count, sure = np.asarray(count).copy(), np.asarray(sure).copy()
    count[none] = ~np.isnan(error)
    met = error < REACHED  # the search has found what the method had not
    exact[none, 0] = met
    sure[none] &= ~met
    return count, sure


def _sampled(
    model: Model,
    setup: _Setup,
    poses: Array,
    samples: int,
    turns: bool,
    closest: bool,
    threads: int,
) -> Solutions:
    """Seven joints without a lock value: the union over samples of it, which never is all.

    Where no sample has a configuration the intervals between them are halved, as an interval of
    values that have one may be narrow.
    """
    span, lead = span_of(model, setup.locked), poses.shape[:-2]
    flat = poses.reshape(-1, 4, 4)
    q, count, bits = union(setup.core, flat, span.values(samples, 0), threads)
    halvings, empty = 0, np.flatnonzero((count == 0) & in_reach(model, setup.origin.frame, flat))
    while empty.size and halvings < HALVINGS:
        halvings += 1
        rows, some, loose = union(setup.core, flat[empty], span.values(samples, halvings), threads)
        more = max(rows.shape[1] - q.shape[1], 0)
        q = np.pad(q, ((0, 0), (0, more), (0, 0)), constant_values=np.nan)
        bits = np.pad(bits, ((0, 0), (0, more)))
        q[empty, : rows.shape[1]], bits[empty, : rows.shape[1]] = rows, loose
        count[empty] = some
        empty = empty[some == 0]
    whole = (*lead, q.shape[1])
    raw = (
        q.reshape(*whole, model.nq),
        count.reshape(lead),
        bits.reshape(whole),
        np.zeros(lead, bool),
    )
    found = _finish(model, setup, poses, raw, None, turns, closest, threads)
    held = found.q[..., setup.locked]
    said = f"{setup.description}; {samples} values of it"
    if halvings:
        said += f", up to {samples * 2**halvings} where they had no posture"
    return Solutions(
        found.q,
        found.count,
        found.exact,
        found.free,
        found.complete,
        held,
        setup.origin._replace(description=said),
    )


_core._bind(Solutions=Solutions, every_posture=_every_posture)
