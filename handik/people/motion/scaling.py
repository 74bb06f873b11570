"""Lengths of a model's segments from markers: one factor a segment, by variable projection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik._model import Model
from handik.errors import ArgumentError, shortened
from handik.files.read.markers import Markers
from handik.people.motion._mirror import partner
from handik.people.motion.markers import MarkerFit, MarkerPlace, _Fitter, fit_markers, places_of
from handik.spec._given import finite_number, flag, is_model, known_name, of_class, whole_number

__all__ = ["ScaleFit", "scale_to_markers"]

Array = NDArray[np.float64]
#: The least spread: below it nothing could move.
_TIGHT = 1e-9
#: Rounds at most, and the change of a factor below which they end.
_ROUNDS, _STILL = 30, 1e-5
#: What is added to normal equations, as a share of their trace, where postures are undetermined.
_RIDGE = 1e-12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScaleFit:
    """A model scaled to markers.

    Attributes
    ----------
    model : Model
        With the new lengths.
    scales : dict of str to float
        The factor of each group of links.
    deviations : dict of str to float
        Standard deviation of each factor, from the residuals and how much the markers say of it;
        that of `spread` where they say nothing.
    places : dict
        Where the markers are on the new model.
    fit : MarkerFit
        All frames fitted with the new model.
    rounds : int
    """

    model: Model
    scales: dict[str, float]
    deviations: dict[str, float]
    places: dict[str, MarkerPlace]
    fit: MarkerFit
    rounds: int

    def __repr__(self) -> str:
        low, high = min(self.scales.values()), max(self.scales.values())
        return (
            f"ScaleFit: {len(self.scales)} factors from {low:.3f} to {high:.3f}, rms "
            f"{1000 * self.fit.rms:.2f} mm"
        )


def scale_to_markers(
    model: Model,
    markers: Markers,
    places: Mapping[str, MarkerPlace],
    *,
    groups: Mapping[str, str] | None = None,
    symmetric: bool = False,
    frames: int = 25,
    spread: float = 0.2,
) -> ScaleFit:
    """Find the lengths of a model's segments from a trial, static or not.

    A factor multiplies where the joints, frames and markers of its links are; turns stay. What
    the markers do not tell stays near 1.

    Parameters
    ----------
    model : Model
        Any one.
    markers : Markers
        Where they were seen.
    places : mapping of str to (str, array_like)
        As in `fit_markers`; the points scale with their links.
    groups : mapping of str to str, optional
        By the name of a link, the group whose factor it takes; a link not named is a group of its
        own name, if it carries a joint or a marker away from its origin.
    symmetric : bool
        Whether links whose names differ by left and right alone share a factor.
    frames : int
        How many frames, evenly spread over the trial, are used for the factors.
    spread : float
        Standard deviation of factors among models, 1e-9 or more: what is expected beforehand.

    Returns
    -------
    ScaleFit

    Raises
    ------
    ArgumentError
        As `fit_markers`, and when nothing can be scaled, or a number is out of range.
    NotFoundError
        When a link or frame is not there.

    Notes
    -----
    Posture and factors fitted in turns creep: each hides the error of the other. Here the residual
    and its derivative by the factors are projected, frame by frame, on what no posture can undo,
    and the factors follow from all frames together.

    References
    ----------
    Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems
    whose variables separate, SIAM Journal on Numerical Analysis 10 (1973) 413-432.

    Examples
    --------
    >>> import numpy as np, handik as hk
    >>> from handik.people.motion import scale_to_markers
    >>> long, arm = hk.chain([0.36, 0.2]), hk.chain([0.3, 0.2])
    >>> q = long.sample(12, seed=1)
    >>> seen = np.stack([long.fk(q, frame=f)[:, :3, 3] for f in ("link_2", "tip")], 1)
    >>> trial = hk.read.Markers(("elbow", "hand"), np.arange(12) / 10, seen)
    >>> places = {"elbow": ("link_2", [0, 0, 0]), "hand": ("tip", [0, 0, 0])}
    >>> round(scale_to_markers(arm, trial, places).scales["link_1"], 3)
    1.2
    """
    is_model(model)
    seen = of_class("markers", markers, Markers)
    where = places_of(model, places)
    names = tuple(name for name in seen.names if name in where)
    count, spread = whole_number("frames", frames), finite_number("spread", spread)
    if not (count >= 1 and spread >= _TIGHT):
        raise ArgumentError(
            f"frames must be 1 or more and spread {_TIGHT:g} or more, got {frames!r}, {spread!r}"
        )
    if not names:
        raise ArgumentError("no marker of places is among those seen")
    body = _Body(model, [where[name] for name in names], groups, flag("symmetric", symmetric))
    targets = seen.positions[:, [seen.names.index(name) for name in names]]
    told = np.flatnonzero(np.asarray(np.isfinite(targets).all(axis=2)).any(axis=1))
    if not len(told):
        raise ArgumentError("no marker was seen in any frame")
    chosen = told[np.unique(np.linspace(0, len(told) - 1, count).round().astype(int))]
    s, sd, rounds = _rounds(body, targets[chosen], spread)
    made = body.model(s)
    moved: dict[str, MarkerPlace] = {
        name: (frame, body.scaled_point(s, k))
        for k, name in enumerate(names)
        for frame in [where[name][0]]
    }
    return ScaleFit(
        made,
        dict(zip(body.groups, map(float, s), strict=True)),
        dict(zip(body.groups, map(float, sd), strict=True)),
        moved,
        fit_markers(made, seen, moved),
        rounds,
    )


class _Body:
    """A model as a sum: where its markers are is linear in the factors of its groups."""

    def __init__(
        self,
        model: Model,
        places: list[tuple[str, Array]],
        groups: Mapping[str, str] | None,
        symmetric: bool,
    ) -> None:
        self.spec = model.spec
        self.places = places
        self.kind = type(model)
        links = [link.name for link in self.spec.links]
        of = {name: name for name in links}
        if symmetric:
            of = {name: min(name, partner(name, links)) for name in links}
        if groups is not None:
            if not isinstance(groups, Mapping):
                raise ArgumentError(f"groups must be a mapping of links, got {shortened(groups)}")
            for link, group in groups.items():
                of[known_name("link", link, links)] = str(group)
        frame_of = {frame.name: frame for frame in self.spec.frames}
        self.markers: list[tuple[str, Array]] = []
        for name, point in places:
            frame = frame_of.get(name)
            if frame is None:
                self.markers.append((name, point))
            else:
                place = frame.placement
                self.markers.append((frame.link, place[:3, :3] @ point + place[:3, 3]))
        carried = {j.parent for j in self.spec.joints if np.abs(j.placement[:3, 3]).max() > 0}
        carried |= {link for link, point in self.markers if np.abs(point).max() > 0}
        carried -= {self.spec.root}  # where it stands is no length of it
        self.groups = tuple(dict.fromkeys(of[link] for link in links if link in carried))
        if not self.groups:
            raise ArgumentError("nothing can be scaled: no link carries a joint or marker away")
        number = {group: k for k, group in enumerate(self.groups)}
        self.number = {link: number.get(of[link], -1) for link in links}
        self.number[self.spec.root] = -1

    def factor(self, s: Array, link: str) -> float:
        k = self.number[link]
        return 1.0 if k < 0 else float(s[k])

    def model(self, s: Array) -> Model:
        spec = self.spec.copy()
        for part, link in [(j, j.parent) for j in spec.joints] + [(f, f.link) for f in spec.frames]:
            place = np.array(part.placement)
            place[:3, 3] *= self.factor(s, link)
            part.placement = place
        return self.kind(spec)

    def scaled_point(self, s: Array, k: int) -> Array:
        """Return a marker's point in its frame, scaled by its link."""
        return self.places[k][1] * self.factor(s, self.markers[k][0])

    def by_factor(self, model: Model, q: Array) -> Array:
        """Return the derivative of the markers by the factors, (n, markers, 3, groups)."""
        poses = np.asarray(model.frames(q))
        at = {name: i for i, name in enumerate(model.frame_names)}
        turn = {link: poses[:, at[link], :3, :3] for link in self.number}
        sums = {self.spec.root: np.zeros((len(q), 3, len(self.groups)))}
        for joint in self.spec.ordered_joints():
            sums[joint.child] = self._with(
                sums[joint.parent], joint.parent, turn, joint.placement[:3, 3]
            )
        parts = [self._with(sums[link], link, turn, point) for link, point in self.markers]
        return np.stack(parts, axis=1)

    def _with(self, before: Array, link: str, turn: dict[str, Array], point: Array) -> Array:
        k = self.number[link]
        if k < 0:
            return before
        after = before.copy()
        after[..., k] += turn[link] @ point
        return after


def _rounds(body: _Body, targets: Array, spread: float) -> tuple[Array, Array, int]:
    """Return the factors, their deviations, and how many rounds it took."""
    count = len(body.groups)
    s, q = np.ones(count), None
    now = _look(body, s, targets, q)
    damping, rounds = 1e-3, 0
    a, b, noise = _normal(now, s, spread)
    while rounds < _ROUNDS:
        rounds += 1
        step = np.linalg.solve(a + damping * np.diag(np.diag(a)), b)
        step *= min(1.0, 0.3 / max(1e-300, float(np.abs(step).max())))
        tried = _look(body, s + step, targets, now["q"])
        if _cost(tried, s + step, spread, noise) < _cost(now, s, spread, noise):
            s, now, damping = s + step, tried, damping / 10
            a, b, noise = _normal(now, s, spread)
        else:
            damping *= 10
        if np.abs(step).max() < _STILL:
            break
    return s, np.sqrt(np.diag(np.linalg.inv(a))) * noise, rounds


def _look(body: _Body, s: Array, targets: Array, q: Array | None) -> dict[str, Any]:
    """Fit the posture of each frame, and take all derivatives there."""
    fitter = _Fitter(
        body.model(s),
        [(frame, body.scaled_point(s, k)) for k, (frame, _) in enumerate(body.places)],
        [1.0] * len(body.places),
    )
    found = fitter.run(targets, None)[0] if q is None else fitter.polish(targets, q)
    residual = targets - fitter.positions(found)
    seen = np.asarray(np.isfinite(residual).all(axis=2))
    return {
        "q": found,
        "seen": seen,
        "residual": np.where(seen[..., None], residual, 0.0),
        "by_q": fitter.by_motion(found),
        "by_s": body.by_factor(fitter.model, found),
    }


def _cost(look: dict[str, Any], s: Array, spread: float, noise: float) -> float:
    prior = (noise / spread) ** 2 * float(((s - 1) ** 2).sum())
    return float((look["residual"] ** 2).sum()) + prior


def _normal(look: dict[str, Any], s: Array, spread: float) -> tuple[Array, Array, float]:
    """Return the normal equations of the factors with all postures projected out, and the noise."""
    a, b = np.zeros((len(s), len(s))), np.zeros(len(s))
    free = 0
    for seen, r, jq, js in zip(
        look["seen"], look["residual"], look["by_q"], look["by_s"], strict=True
    ):
        rows = np.repeat(seen, 3)
        r, jq, js = (
            r.ravel()[rows],
            jq.reshape(-1, jq.shape[-1])[rows],
            js.reshape(-1, len(s))[rows],
        )
        square = jq.T @ jq
        ridge = _RIDGE * max(1e-300, float(np.trace(square)))
        undone = np.linalg.solve(
            square + ridge * np.eye(len(square)), jq.T @ np.column_stack([js, r])
        )
        js, r = js - jq @ undone[:, :-1], r - jq @ undone[:, -1]
        a += js.T @ js
        b += js.T @ r
        free += max(0, len(r) - int(np.count_nonzero(np.diag(square))))
    noise = float(np.sqrt((look["residual"] ** 2).sum() / max(1, free - len(s))))
    noise = max(noise, 1e-9)
    hold = (noise / spread) ** 2
    return a + hold * np.eye(len(s)), b + hold * (1 - s), noise
