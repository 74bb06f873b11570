"""Markers to motion: the posture of each frame that brings a model's markers nearest to those seen.

Least squares: with noise nothing is ever met, so each frame ends where the sum of squares no longer
falls, and says how far off every marker is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik._model import Model
from handik.errors import ArgumentError, shortened
from handik.files.read.markers import Markers
from handik.people.motion.motion import Motion
from handik.problem import Problem
from handik.problem.terms import Position
from handik.result import Outcome
from handik.solve import Solver
from handik.spec import FrameSpec
from handik.spec._given import finite_number, is_model, known_name, of_class, points_of

__all__ = ["MarkerFit", "MarkerPlace", "fit_markers"]

Array = NDArray[np.float64]
#: A frame ends once an iteration lowers the error by less than this share.
_SHARE = 1e-3
#: A marker is met at this distance, meters: far below what any is measured to.
_MET = 1e-9
#: Coordinates so near a limit do not move, radians or meters.
_AT_LIMIT = 1e-9
#: How far beside a least sum it is looked for once more, radians and meters.
_PUSH = 1e-3
#: How a frame may end that needs no further look.
_MINIMA = (Outcome.CONVERGED, Outcome.LEAST_SQUARES)
#: Further searches of a frame that ended otherwise, as long as they gain.
_FURTHER = 5
#: Starts of the first frame from which the best is taken.
_STARTS = 8

#: Where a marker is on a model: a frame or link, and the point in its axes, meters.
MarkerPlace = tuple[str, ArrayLike]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MarkerFit:
    """A motion that follows markers, and how near.

    Attributes
    ----------
    motion : Motion
    names : tuple of str
        The markers that were used.
    residuals : ndarray, shape (n, markers)
        Meters from each marker of the model to the one seen; NaN where it was not seen.
    positions : ndarray, shape (n, markers, 3)
        Where the model's markers are.
    iterations : ndarray of int, shape (n,)
    outcomes : ndarray of str, shape (n,)
        How each frame ended, in the words of `Outcome`: ``"least_squares"`` where the sum of
        squares is at a local minimum within the limits and not every marker is met,
        ``"converged"`` where every one is; any other word is a frame to look at. ``""`` where no
        marker was seen.
    """

    motion: Motion
    names: tuple[str, ...]
    residuals: Array
    positions: Array
    iterations: NDArray[np.int64]
    outcomes: NDArray[np.str_]

    def __repr__(self) -> str:
        words, counts = np.unique(self.outcomes, return_counts=True)
        ended = (
            f"{count} {str(word).replace('_', ' ') or 'unseen'}"
            for word, count in zip(words, counts, strict=True)
        )
        return (
            f"MarkerFit: {len(self.motion)} frames, {len(self.names)} markers, rms "
            f"{1000 * self.rms:.2f} mm; {', '.join(ended) or 'no frames'}"
        )

    @property
    def rms(self) -> float:
        """Root of the mean square of the residuals, meters; NaN when no marker was seen."""
        return _rms(self.residuals)

    def of_markers(self) -> dict[str, float]:
        """Return how far off each marker is over all frames.

        Returns
        -------
        dict of str to float
            Root mean square by name, meters; the largest first, NaN for one never seen at the end.
        """
        found = {name: _rms(self.residuals[:, k]) for k, name in enumerate(self.names)}
        return dict(sorted(found.items(), key=lambda one: (np.isnan(one[1]), -one[1])))

    def of_frames(self) -> Array:
        """Return how far off the markers are in each frame.

        Returns
        -------
        ndarray, shape (n,)
            Root mean square, meters; NaN where no marker was seen.
        """
        return np.array([_rms(row) for row in self.residuals])


def _rms(residuals: Array) -> float:
    seen = residuals[np.isfinite(residuals)]
    return float(np.sqrt((seen**2).mean())) if len(seen) else float("nan")


def fit_markers(
    model: Model,
    markers: Markers,
    places: Mapping[str, MarkerPlace],
    *,
    weights: Mapping[str, float] | None = None,
    q0: ArrayLike | None = None,
) -> MarkerFit:
    """Fit a model to markers, frame by frame.

    Parameters
    ----------
    model : Model
        Any one; its limits are kept. A free joint at the root lets it go where the markers go.
    markers : Markers
        Where they were seen; see `handik.files.read.read_c3d` and `read_trc`. A marker that was
        not seen in a frame has no say there.
    places : mapping of str to (str, array_like)
        By the marker's name: a frame of the model, and the point in its axes, meters. Markers of
        the file that are not named are left out.
    weights : mapping of str to float, optional
        How much a marker counts, above zero; 1 if not named.
    q0 : array_like, shape (nq,), optional
        Where the search of the first frame begins; if not given, from the model's rest and some
        postures more, of which the nearest is taken.

    Returns
    -------
    MarkerFit

    Raises
    ------
    ArgumentError
        When no marker of `places` is in the file, or a number is out of range.
    NotFoundError
        When a frame is not there, or a weight names no marker of `places`.

    Notes
    -----
    Gauss-Newton on the positions of all markers, each frame from the one before; where that does
    not end at a minimum, as limits may make it, Levenberg-Marquardt goes on from there. What the
    markers of a frame leave open stays about as it was.

    References
    ----------
    Lu and O'Connor, Bone position estimation from skin marker co-ordinates using global
    optimisation with joint constraints, Journal of Biomechanics 32 (1999) 129-134.

    Examples
    --------
    >>> import numpy as np, handik as hk
    >>> from handik.people.motion import fit_markers
    >>> arm = hk.chain([0.3, 0.2])
    >>> places = {"elbow": ("link_1", [0.3, 0.0, 0.0]), "hand": ("link_2", [0.2, 0.0, 0.0])}
    >>> seen = hk.read.Markers(("elbow", "hand"), [0.0], [[[0.0, 0.3, 0.0], [-0.2, 0.3, 0.0]]])
    >>> fit_markers(arm, seen, places).motion.q.round(3)
    array([[1.571, 1.571]])
    """
    is_model(model)
    seen = of_class("markers", markers, Markers)
    where = places_of(model, places)
    names = tuple(name for name in seen.names if name in where)
    if not names:
        raise ArgumentError(
            f"no marker of places is among those seen: {', '.join(seen.names[:6]) or 'none'}"
        )
    counts = _weights(weights, where)
    fitter = _Fitter(model, [where[name] for name in names], [counts.get(n, 1.0) for n in names])
    targets = seen.positions[:, [seen.names.index(name) for name in names]]
    start = None if q0 is None else points_of(q0, "q0", (model.nq,))
    q, iterations, outcomes = fitter.run(targets, start)
    positions = fitter.positions(q)
    residuals = np.linalg.norm(positions - targets, axis=2)
    residuals[~np.isfinite(residuals)] = np.nan
    motion = Motion(q, seen.times, model, name="fit to markers")
    return MarkerFit(motion, names, residuals, positions, iterations, outcomes)


def places_of(model: Model, places: Mapping[str, MarkerPlace]) -> dict[str, tuple[str, Array]]:
    """Return the frame and point of each marker, checked.

    Raises
    ------
    ArgumentError
        When they are no mapping of pairs.
    """
    if not isinstance(places, Mapping) or not places:
        raise ArgumentError(
            f"places must be a mapping of markers to (frame, point), got {shortened(places)}"
        )
    found = {}
    for name, pair in places.items():
        if not (isinstance(name, str) and isinstance(pair, (tuple, list)) and len(pair) == 2):
            raise ArgumentError(f"places: {name!r} must have a (frame, point), got {pair!r}")
        frame = known_name("frame", pair[0], model.frame_names)
        found[name] = frame, points_of(pair[1], f"the point of marker {name!r}", (3,))
    return found


def _weights(weights: Mapping[str, float] | None, known: Mapping[str, Any]) -> dict[str, float]:
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise ArgumentError(f"weights must be a mapping of markers, got {shortened(weights)}")
    found = {}
    for name, value in weights.items():
        known_name("marker", name, known)
        found[name] = finite_number(f"the weight of {name!r}", value)
        if not found[name] > 0:
            raise ArgumentError(f"the weight of {name!r} must be above zero, got {value!r}")
    return found


class _Fitter:
    """A model with its markers as frames, and a problem for each set of markers that is seen."""

    def __init__(self, model: Model, places: list[tuple[str, Array]], weights: list[float]) -> None:
        spec = model.spec
        links = {frame.name: (frame.link, frame.placement) for frame in spec.frames}
        taken = set(model.frame_names)
        self.frames = []
        for k, (frame, point) in enumerate(places):
            link, placement = links.get(frame, (frame, np.eye(4)))
            own = np.array(placement)
            own[:3, 3] = placement[:3, :3] @ point + placement[:3, 3]
            name = f"marker {k}"
            while name in taken:
                name += "'"
            spec.frames.append(FrameSpec(name, link, own))
            self.frames.append(name)
        self.model = Model(spec)
        self.weights = weights
        self.at = np.array([self.model.frame_names.index(name) for name in self.frames])
        self.solver = Solver("gauss_newton", max_restarts=0, perturbations=0, ftol=_SHARE)
        self.search = Solver("lm", max_restarts=0, perturbations=0, ftol=_SHARE)
        self.problems: dict[bytes, Problem] = {}

    def positions(self, q: Array) -> Array:
        """Return where the model's markers are."""
        return np.array(np.asarray(self.model.frames(q))[..., :3, 3][..., self.at, :])

    def problem(self, seen: NDArray[np.bool_]) -> Problem:
        key = seen.tobytes()
        if key not in self.problems:
            terms = [
                Position(self.frames[k], weight=self.weights[k], position_tolerance=_MET)
                for k in np.flatnonzero(seen)
            ]
            self.problems[key] = Problem(self.model, terms)
        return self.problems[key]

    def run(
        self, targets: Array, start: Array | None
    ) -> tuple[Array, NDArray[np.int64], NDArray[np.str_]]:
        """Follow the markers (n, k, 3), NaN where one is not seen."""
        model = self.model
        there = np.asarray(np.isfinite(targets).all(axis=2))
        q = np.tile(np.asarray(model.rest if start is None else start, float), (len(targets), 1))
        iterations = np.zeros(len(targets), np.int64)
        outcomes = np.full(len(targets), "", "<U24")
        now = q[0].copy() if len(q) else np.asarray(model.rest)
        begun = start is not None
        for i, (row, seen) in enumerate(zip(targets, there, strict=True)):
            if seen.any():
                problem, wanted = self.problem(seen), row[seen].ravel()
                if not begun:
                    now, begun = self._first(problem, wanted, now), True
                found = self.solver(problem, wanted, q0=now)
                iterations[i] = int(found.iterations)
                for _ in range(_FURTHER):
                    if found.outcome in _MINIMA:
                        break
                    on = self.search(problem, wanted, q0=found.q)
                    iterations[i] += int(on.iterations)
                    gain = found.error - on.error
                    found = on if gain >= 0 else found
                    if not gain > _SHARE * found.error:
                        break
                now, outcomes[i] = np.array(found.q), self._word(problem, wanted, found)
            q[i] = now
        return q, iterations, outcomes

    def _word(self, problem: Problem, wanted: Array, found: Any) -> str:
        """Name the outcome of a frame.

        That markers are proved out of reach of a fixed root says nothing of the fit: it is at the
        least sum where neither from there nor from beside it is anything gained.
        """
        if found.outcome != Outcome.UNREACHABLE:
            return str(found.outcome)
        push = _PUSH * np.random.default_rng(0).standard_normal(self.model.nv)
        beside = np.asarray(self.model.clip(self.model.integrate(found.q, push)))
        for start in (found.q, beside):
            if found.error - self.search(problem, wanted, q0=start).error > _SHARE * found.error:
                return str(Outcome.STALLED)
        return str(Outcome.LEAST_SQUARES)

    def polish(self, targets: Array, q: Array) -> Array:
        """Fit each frame from a posture of its own."""
        out = np.array(q)
        for row, start in zip(targets, out, strict=True):
            seen = np.isfinite(row).all(axis=1)
            found = self.solver(self.problem(seen), row[seen].ravel(), q0=start)
            start[:] = found.q
        return out

    def by_motion(self, q: Array) -> Array:
        """Return the derivative of all markers by a motion, (n, k, 3, nv), none beyond a limit."""
        model = self.model
        jacobians = [np.asarray(model.jacobian(q, frame=f))[:, :3] for f in self.frames]
        out = np.stack(jacobians, axis=1)
        single = (model.step_kind != 2) & (model.step_q >= 0)
        at, to = model.step_q[single], model.step_v[single]
        held = (q[:, at] <= model.lower[at] + _AT_LIMIT) | (q[:, at] >= model.upper[at] - _AT_LIMIT)
        for k, v in enumerate(to):
            out[held[:, k], :, :, v] = 0.0
        return out

    def _first(self, problem: Problem, wanted: Array, rest: Array) -> Array:
        """Return the best of several starts: the rest brought to the markers, and others."""
        starts = np.vstack([rest[None], self.model.sample(_STARTS - 1, seed=0)])
        found = self.search(problem, np.tile(wanted, (len(starts), 1)), q0=starts)
        return np.array(found.q[int(np.argmin(found.error))])
