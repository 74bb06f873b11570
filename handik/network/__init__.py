"""Network: a small multilayer perceptron that guesses postures, trained on samples of a model.

A guess is a start for any solver, or an answer of its own that the judge of the core measures.

The network is trained through the forward kinematics: a sample is a pose that some posture inside
the limits meets; the loss is how far the posture that the network answers misses it, and its
gradient goes through the Jacobian of the model. So it need not average the several postures that
meet one pose, as a network taught the postures themselves would. Every answer is inside the limits
by construction: a hinge is a hyperbolic tangent between its limits, a swing a point of a disc
stretched to its cone. Only a ball whose room is a polygon, or whose twist follows its swing, is
learnt as if it were free, and put inside at the end.

References: D. E. Rumelhart, G. E. Hinton, R. J. Williams, Learning representations by
back-propagating errors, Nature 323 (1986); M. I. Jordan, D. E. Rumelhart, Forward models:
supervised learning with a distal teacher, Cognitive Science 16 (1992), the loss through the
kinematics; D. P. Kingma, J. Ba, Adam (2015); Y. Zhou et al., On the continuity of rotation
representations in neural networks (CVPR 2019), six numbers for a rotation.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError, name_not_found
from handik.given import number, whole_number
from handik.model import Model
from handik.network.file import MOST_LAYERS, MOST_WEIGHTS, read_arrays, write_arrays
from handik.progress import Bar
from handik.result import Result
from handik.solve import Solver, goal_problem
from handik.spec import Cone

__all__ = ["Network", "Training"]

Array = NDArray[np.float64]
Progress = Callable[[int, int], object]
GOALS = ("position", "pose")
TURN, SLIDE, BALL = 0, 1, 2
#: Metres that weigh as much as a radian, as a share of the reach: about the lever of a joint in
#: the middle of a chain. It is the unit of the network's positions too.
LEVER = 1 / 3


# -- postures as outputs --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """Outputs of one coordinate or ball.

    `low` and `high` are the range of a line, `low` alone the middle of a circle; `row` is that of
    a cone in `Model.swing`.
    """

    kind: str
    at: slice
    q: int
    v: int
    low: float = 0.0
    high: float = 0.0
    row: Array | None = None


class _Outputs:
    """How the numbers of the last layer become coordinates, and its derivative."""

    def __init__(self, model: Model, frame: str) -> None:
        self.model = model
        self.parts: list[_Part] = []
        seen: set[int] = set()
        s = int(model.frame_step[model.frame_names.index(frame)])
        chain = []
        while s >= 0:
            chain.append(s)
            s = int(model.step_parent[s])
        n = 0
        for s in chain[::-1]:
            q = int(model.step_q[s])
            if q in seen or (part := self._part(s, q, n)) is None:
                continue
            seen.add(q)
            self.parts.append(part)
            n = part.at.stop
        self.n = n

    def _part(self, s: int, q: int, n: int) -> _Part | None:
        model, v = self.model, int(self.model.step_v[s])
        if model.step_kind[s] == BALL:
            name = model.joint_names[int(model.step_joint[s])]
            if name in model.held:
                return None
            k = -1 if model.step_swing is None else int(np.ravel(model.step_swing)[s])
            if k < 0 or not _plain(model.rooms.get(name)):
                return _Part("quaternion", slice(n, n + 4), q, v)
            return _Part("cone", slice(n, n + 3), q, v, row=np.array(model.swing[k], float))
        low, high = float(model.lower[q]), float(model.upper[q])
        if not low < high:
            return None
        turn = model.step_kind[s] == TURN
        if turn and high - low >= 2 * np.pi:  # every direction, so no end to be stuck at
            middle = 0.5 * (low + high) if np.isfinite(high - low) else 0.0
            if np.isfinite(low) != np.isfinite(high):
                middle = low + np.pi if np.isfinite(low) else high - np.pi
            return _Part("circle", slice(n, n + 2), q, v, middle)
        wide = np.pi if turn else max(float(model.reach), 1e-9)
        if np.isinf(low):
            low = -wide if np.isinf(high) else high - 2 * wide
        if np.isinf(high):
            high = low + 2 * wide
        return _Part("line", slice(n, n + 1), q, v, low, high)

    def decode(self, y: Array) -> Array:
        """Return the coordinates (rows, nq) of outputs (rows, n); others are at rest."""
        q = np.repeat(self.model.rest[None], len(y), axis=0)
        for part in self.parts:
            own = y[:, part.at]
            if part.kind == "line":
                squashed = 0.5 * (1 + np.tanh(own[:, 0]))
                q[:, part.q] = part.low + (part.high - part.low) * squashed
            elif part.kind == "circle":
                q[:, part.q] = part.low + np.arctan2(own[:, 0], own[:, 1])
            elif part.kind == "cone":
                q[:, part.q : part.q + 4] = _cone_quaternion(_row(part), own)
            else:
                q[:, part.q : part.q + 4] = own / _length(own)
        return q

    def back(self, y: Array, q: Array, g: Array) -> Array:
        """Gradient by the outputs, from that by the motion v (rows, nv) at q."""
        out = np.zeros_like(y)
        for part in self.parts:
            own = y[:, part.at]
            if part.kind == "line":
                slope = 0.5 * (part.high - part.low) * (1 - np.tanh(own[:, 0]) ** 2)
                out[:, part.at.start] = g[:, part.v] * slope
            elif part.kind == "circle":
                turn = (g[:, part.v] / np.sum(own**2, axis=1))[:, None]
                out[:, part.at] = turn * np.stack([own[:, 1], -own[:, 0]], axis=1)
            elif part.kind == "cone":
                out[:, part.at] = _cone_back(_row(part), own, g[:, part.v : part.v + 3])
            else:
                size, unit = _length(own), q[:, part.q : part.q + 4]
                # v = 2 Im(conj(q) dq), so the gradient by q is 2 q (0, g); q = y / |y|
                by_q = 2 * _times(unit, np.insert(g[:, part.v : part.v + 3], 0, 0.0, axis=1))
                along = np.sum(by_q * unit, axis=1, keepdims=True)
                out[:, part.at] = (by_q - along * unit) / size
        return out


def _plain(room: object) -> bool:
    """Tell cones with one range of twist from rooms that the outputs do not describe."""
    return isinstance(room, Cone) and isinstance(room.twist, tuple)


def _row(part: _Part) -> Array:
    assert part.row is not None
    return part.row


def _length(y: Array) -> Array:
    size: Array = np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-12)
    return size


def _times(a: Array, b: Array) -> Array:
    """Products of quaternions, row by row."""
    w = a[:, 0] * b[:, 0] - np.sum(a[:, 1:] * b[:, 1:], axis=1)
    v = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])
    return np.concatenate([w[:, None], v], axis=1)


def _cone_quaternion(row: Array, y: Array) -> Array:
    """Quaternion of a swing in the cone and a twist in its range, from three numbers."""
    r = np.linalg.norm(y[:, :2], axis=1, keepdims=True)
    disc = y[:, :2] * np.where(r > 1e-6, np.tanh(r) / np.maximum(r, 1e-6), 1 - r**2 / 3)
    uv = disc * np.where(disc >= 0, row[9:11], row[11:13])
    angle = np.linalg.norm(uv, axis=1)
    k = 0.5 * np.sinc(angle / (2 * np.pi))
    swing = np.stack([np.cos(0.5 * angle), -k * uv[:, 1], k * uv[:, 0], 0 * angle], axis=1)
    twist = 0.5 * (row[13] + (row[14] - row[13]) * 0.5 * (1 + np.tanh(y[:, 2])))
    turn = np.stack([np.cos(twist), 0 * twist, 0 * twist, np.sin(twist)], axis=1)
    local = _times(swing, turn)
    return np.concatenate([local[:, :1], local[:, 1:] @ row[:9].reshape(3, 3).T], axis=1)


def _cone_back(row: Array, y: Array, g: Array) -> Array:
    """Gradient by the three numbers; the derivative of the quaternion is by differences."""
    h, q = 1e-6, _cone_quaternion(row, y)
    conjugate = q * np.array([1.0, -1.0, -1.0, -1.0])
    out = np.empty_like(y)
    for k in range(3):
        step = h * np.eye(3)[k]
        slope = (_cone_quaternion(row, y + step) - _cone_quaternion(row, y - step)) / (2 * h)
        out[:, k] = np.sum(2 * _times(conjugate, slope)[:, 1:] * g, axis=1)
    return out


# -- the perceptron -------------------------------------------------------------------------------


def _first_weights(sizes: Sequence[int], rng: np.random.Generator) -> list[Array]:
    """Weights and offsets of each layer in turn (Glorot and Bengio 2010)."""
    out: list[Array] = []
    for width, to in pairwise(sizes):
        wide = np.sqrt(6 / (width + to))
        out += [rng.uniform(-wide, wide, size=(width, to)), np.zeros(to)]
    return out


def _forward(weights: Sequence[Array], x: Array) -> list[Array]:
    """Values of all layers; hidden ones are hyperbolic tangents."""
    values = [x]
    for k in range(0, len(weights), 2):
        x = x @ weights[k] + weights[k + 1]
        if k + 2 < len(weights):
            x = np.tanh(x)
        values.append(x)
    return values


def _backward(weights: Sequence[Array], values: Sequence[Array], g: Array) -> list[Array]:
    """Gradients by the weights from that by the last layer."""
    out: list[Array] = [np.zeros(0)] * len(weights)
    for k in range(len(weights) - 2, -1, -2):
        below = values[k // 2]
        out[k], out[k + 1] = below.T @ g, g.sum(axis=0)
        if k:
            g = (g @ weights[k].T) * (1 - below**2)
    return out


class _Adam:
    """Steps of Kingma and Ba with their constants."""

    def __init__(self, weights: Sequence[Array]) -> None:
        self.m = [np.zeros_like(w) for w in weights]
        self.v = [np.zeros_like(w) for w in weights]
        self.t = 0

    def __call__(self, weights: list[Array], gradients: Sequence[Array], rate: float) -> None:
        self.t += 1
        size = rate * np.sqrt(1 - 0.999**self.t) / (1 - 0.9**self.t)
        for w, g, m, v in zip(weights, gradients, self.m, self.v, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            w -= size * m / (np.sqrt(v) + 1e-8)


@dataclass(frozen=True)
class Training:
    """How a training went.

    Attributes
    ----------
    samples, held_out : int
        Poses trained on, and poses kept back.
    epochs : int
        Passes over the samples that were made.
    best : int
        The pass whose weights were kept: that of the least loss on the held-out poses.
    losses : tuple of float
        Mean loss on the held-out poses after each pass.
    position_error, orientation_error : float
        Median miss on the held-out poses, metres and radians (0 for a position goal).
    """

    samples: int
    held_out: int
    epochs: int
    best: int
    losses: tuple[float, ...] = field(repr=False)
    position_error: float
    orientation_error: float


class Network:
    """A perceptron that guesses postures of one frame of a model; see `Network.train`.

    Attributes
    ----------
    model : Model
    frame : str
    goal : {"position", "pose"}
    weights : list of ndarray
        Matrix and offset of each layer in turn.
    training : Training or None
        How it went; None for a network read from a file.
    """

    def __init__(self, model: Model, frame: str, goal: str, weights: Sequence[Array]) -> None:
        self.model, self.frame, self.goal = model, frame, goal
        self.weights = list(weights)
        self.training: Training | None = None
        self._outputs = _Outputs(model, frame)
        self._length = LEVER * max(float(model.reach), 1e-9)

    def __repr__(self) -> str:
        sizes = [len(self.weights[0]), *(len(b) for b in self.weights[1::2])]
        shape = "-".join(str(n) for n in sizes)
        return f"Network({self.model.name!r}, {self.frame!r}, {self.goal!r}, {shape})"

    # -- training -------------------------------------------------------------------------------

    @classmethod
    def train(
        cls,
        model: Model,
        *,
        frame: str | None = None,
        goal: str = "pose",
        samples: int = 10000,
        hidden: Sequence[int] = (64, 64),
        epochs: int = 60,
        seed: int = 0,
        rate: float = 1e-2,
        batch: int = 64,
        patience: int = 15,
        progress: bool | Progress = False,
    ) -> Network:
        """Train a network on poses that random postures inside the limits meet.

        A tenth of the poses is held out. The rate falls along a half cosine; training stops when
        the loss on the held-out poses has not fallen for `patience` passes, and the weights of
        the best pass are kept. The same arguments give the same network on the same machine (the
        matrix products are those of NumPy's library, which differ in the last bits between
        machines).

        Parameters
        ----------
        model : Model
        frame : str, optional
            The frame to bring to its goal; the model's tip if not given.
        goal : {"position", "pose"}
        samples : int
            Poses, 100 or more.
        hidden : sequence of int
            Units of each hidden layer.
        epochs : int
            Most passes over the samples.
        seed : int
            Of samples, first weights and the order of the samples.
        rate : float
            First step size of Adam.
        batch : int
            Poses for one step.
        patience : int
            Passes without progress before it stops.
        progress : bool or callable
            True: a bar on the terminal; or called as ``progress(done, total)`` after each pass.

        Returns
        -------
        Network

        Raises
        ------
        ArgumentError
            An argument out of range; a frame that nothing moves.
        NotFoundError
            No such frame.

        Examples
        --------
        >>> import handik as hk
        >>> from handik.network import Network
        >>> arm = hk.chain([1.0, 1.0, 1.0], lower=-2.0, upper=2.0)
        >>> net = Network.train(arm, goal="position", samples=500, hidden=(16,), epochs=2)
        >>> net.predict([1.0, 1.0, 0.0]).shape
        (3,)
        """
        for name, value, least in (
            ("samples", samples, 100),
            ("epochs", epochs, 1),
            ("batch", batch, 1),
            ("patience", patience, 1),
            ("seed", seed, 0),
            *(("hidden", size, 1) for size in hidden),
        ):
            if whole_number(name, value, 2**63 - 1) < least:
                raise ArgumentError(f"{name} must be {least} or more, got {value}")
        if not 0 < number("rate", rate) < np.inf:
            raise ArgumentError(f"rate must be above 0, got {rate}")
        frame = _frame_of(model, frame)
        if goal not in GOALS:
            raise ArgumentError(f"goal must be 'position' or 'pose', got {goal!r}")
        rng = np.random.default_rng(seed)
        outputs = _Outputs(model, frame).n
        if outputs == 0:
            raise ArgumentError(f"no joint moves frame {frame!r}: there is nothing to learn")
        sizes = [3 if goal == "position" else 9, *hidden, outputs]
        if len(hidden) >= MOST_LAYERS or sum(a * b for a, b in pairwise(sizes)) > MOST_WEIGHTS:
            raise ArgumentError(
                f"hidden {tuple(hidden)} is more than a file may hold: at most {MOST_LAYERS} "
                f"layers and {MOST_WEIGHTS} weights"
            )
        net = cls(model, frame, goal, _first_weights(sizes, rng))
        poses = model.fk(model.sample(samples, seed=seed), frame=frame)
        if progress is True:
            with Bar() as bar:
                net._fit(poses, rng, epochs, rate, batch, patience, _named(bar))
        else:
            net._fit(poses, rng, epochs, rate, batch, patience, progress or None)
        return net

    def _fit(
        self,
        poses: Array,
        rng: np.random.Generator,
        epochs: int,
        rate: float,
        batch: int,
        patience: int,
        progress: Progress | None,
    ) -> None:
        held, own = poses[: len(poses) // 10], poses[len(poses) // 10 :]
        adam, losses = _Adam(self.weights), []
        best, best_at, kept = np.inf, 0, [w.copy() for w in self.weights]
        for epoch in range(epochs):
            step = 0.5 * rate * (1 + np.cos(np.pi * epoch / epochs))
            order = rng.permutation(len(own))
            for k in range(0, len(order), batch):
                _, gradients = self.loss(own[order[k : k + batch]])
                adam(self.weights, gradients, step)
            losses.append(self.loss(held, gradients=False)[0])
            if losses[-1] < best:
                best, best_at, kept = losses[-1], epoch, [w.copy() for w in self.weights]
            if progress is not None:
                progress(epoch + 1, epochs)
            if epoch - best_at >= patience:
                break
        self.weights = kept
        e = self._miss(held, self.predict(self._columns(held)))
        p = float(np.median(np.linalg.norm(e[:, :3], axis=1))) * self._length
        turn = float(np.median(np.linalg.norm(e[:, 3:], axis=1))) if self.goal == "pose" else 0.0
        self.training = Training(
            len(own), len(held), len(losses), best_at + 1, tuple(losses), p, turn
        )

    def loss(self, poses: Array, gradients: bool = True) -> tuple[float, list[Array]]:
        """Mean of half the squared miss, and its gradient.

        A third of the reach weighs as much as a radian.

        Parameters
        ----------
        poses : ndarray, shape (n, 4, 4)
        gradients : bool
            False: the gradients are left out.

        Returns
        -------
        loss : float
        gradients : list of ndarray
            By `weights`.
        """
        values = _forward(self.weights, self._inputs(self._columns(poses)))
        q = self._outputs.decode(values[-1])
        e = self._miss(poses, q)
        loss = 0.5 * float(np.mean(np.sum(e * e, axis=1)))
        if not gradients:
            return loss, []
        jacobian = self.model.jacobian(q, frame=self.frame)[:, : e.shape[1]]
        e = e.copy()
        e[:, :3] /= self._length
        g = np.einsum("nrv,nr->nv", jacobian, e) / len(e)
        return loss, _backward(self.weights, values, self._outputs.back(values[-1], q, g))

    def _miss(self, poses: Array, q: Array) -> Array:
        """Position in thirds of the reach; rotation vector from wanted to present, world axes."""
        got = self.model.fk(q, frame=self.frame)
        p = (got[:, :3, 3] - poses[:, :3, 3]) / self._length
        if self.goal == "position":
            return np.asarray(p, float)
        turn = _core.turn_columns(got[:, :3, :3] @ np.swapaxes(poses[:, :3, :3], 1, 2))
        turn = turn * np.where(turn[:, :1] < 0, -1.0, 1.0)
        size = np.linalg.norm(turn[:, 1:], axis=1, keepdims=True)
        angle = 2 * np.arctan2(size, turn[:, :1])
        vector = turn[:, 1:] * np.where(size > 1e-8, angle / np.maximum(size, 1e-8), 2.0)
        return np.concatenate([p, vector], axis=1)

    def _columns(self, poses: Array) -> Array:
        """Target rows of poses: position, then a quaternion for a pose goal."""
        columns: Array = _core.pose_columns(poses)
        return columns[:, :3] if self.goal == "position" else columns

    def _inputs(self, columns: Array) -> Array:
        """Target rows to the first layer: thirds of the reach, two columns of the rotation."""
        p = columns[:, :3] / self._length
        if self.goal == "position":
            return p
        w, x, y, z = (columns[:, 3:] / _length(columns[:, 3:])).T
        first = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)]
        second = [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)]
        return np.concatenate([p, np.stack(first + second, axis=1)], axis=1)

    # -- use ------------------------------------------------------------------------------------

    def _problem(self, targets: Any, **tolerances: float) -> tuple[Any, Array]:
        name = "pose" if self.goal == "pose" else "position"
        # one target row as `Problem` has it is taken too
        if self.goal == "pose" and not isinstance(targets, tuple):
            rows = np.asarray(targets, float)
            if rows.shape[-1:] == (7,):
                targets = rows[..., :3], rows[..., 3:]
        made: dict[str, Any] = {name: targets, "frame": self.frame, **tolerances}
        problem, columns = goal_problem(self.model, **made)
        return problem, np.asarray(columns, float)

    def predict(self, targets: ArrayLike | tuple[ArrayLike, ArrayLike]) -> Array:
        """Guess postures, inside the limits.

        Parameters
        ----------
        targets : array_like
            Positions (..., 3); or poses (..., 4, 4), a pair (position, quaternion), or rows
            (..., 7) of both.

        Returns
        -------
        ndarray, shape (..., nq)
            The rest posture where a target is not finite.
        """
        columns = self._problem(targets)[1]
        flat = columns.reshape(-1, columns.shape[-1])
        known = np.all(np.isfinite(flat), axis=1)
        values = _forward(self.weights, self._inputs(np.where(known[:, None], flat, 1.0)))
        q = np.where(known[:, None], self._outputs.decode(values[-1]), self.model.rest)
        q = self.model.clamp(q)  # to the last bit
        return np.asarray(q.reshape(*columns.shape[:-1], self.model.nq), float)

    def solve(
        self,
        targets: ArrayLike | tuple[ArrayLike, ArrayLike],
        *,
        solver: str | None = None,
        position_tolerance: float | None = None,
        orientation_tolerance: float = 1e-4,
        **options: Any,
    ) -> Result:
        """Answer with the guess alone, or with what a solver makes of it.

        Parameters
        ----------
        targets
            See `predict`.
        solver : str, optional
            One of `handik.solvers()`, started from the guess; None: the guess is the answer.
        position_tolerance, orientation_tolerance : float, optional
            Metres (1e-4 of the model's reach if not given) and radians.
        **options
            Of the solver, see `Solver`; none without one.

        Returns
        -------
        Result
            As the judge of the core measured it; of the guess alone its ``solver`` is
            ``"network"``, and its outcome ``MAX_ITER`` where it misses a target.

        Raises
        ------
        ArgumentError
            Wrong shape, an option out of range, or options without a solver.
        """
        if solver is None and options:
            raise ArgumentError(f"the guess alone takes no option {next(iter(options))!r}")
        problem, columns = self._problem(
            targets,
            orientation_tolerance=orientation_tolerance,
            **({} if position_tolerance is None else {"position_tolerance": position_tolerance}),
        )
        guess = self.predict(columns)
        if solver is not None:
            return Solver(solver, **options)(problem, columns, q0=guess)
        return replace(Solver("lm", max_iter=0)(problem, columns, q0=guess), solver="network")

    # -- files ----------------------------------------------------------------------------------

    def _identity(self) -> dict[str, Array]:
        """List what a model must have in common with the one that was trained for."""
        m = self.model
        at = m.frame_names.index(self.frame)
        return {
            "lower": np.asarray(m.lower, float),
            "upper": np.asarray(m.upper, float),
            "kinds": np.asarray(m.step_kind, float),
            "parents": np.asarray(m.step_parent, float),
            "placements": np.asarray(m.step_placement, float).reshape(-1, 12),
            "tool": np.asarray(m.frame_placement[at], float).ravel(),
            "tool_step": np.asarray([m.frame_step[at]], float),
            "swings": np.asarray(m.swing, float).reshape(-1, 15),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a ``.npz`` file: arrays of numbers alone, no pickle.

        The model is not written, only what is needed to know it again.
        """
        layers = {f"layer_{k}": w for k, w in enumerate(self.weights)}
        write_arrays(path, self.goal, {**layers, **self._identity()})

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], model: Model, *, frame: str | None = None
    ) -> Network:
        """Read a network for the model that it was trained for.

        Parameters
        ----------
        path : path
        model : Model
        frame : str, optional
            The frame it was trained for; the model's tip if not given.

        Raises
        ------
        MissingFileError
            No such file.
        ReadError
            The file is cut off, damaged, or not a network; the sentence says where.
        ArgumentError
            It was trained for another model or frame; the sentence says what differs.
        """
        frame = _frame_of(model, frame)
        goal, arrays = read_arrays(path)
        weights = [arrays.pop(f"layer_{k}") for k in range(sum(n[:6] == "layer_" for n in arrays))]
        net = cls(model, frame, goal, weights)
        for name, own in net._identity().items():
            kept = arrays[name]
            if kept.shape != own.shape or not np.allclose(kept, own, rtol=1e-9, atol=1e-12):
                raise ArgumentError(
                    f"{os.fspath(path)} was trained for another model or frame: its {name} differ "
                    f"from those of {model.name!r}, frame {frame!r}"
                )
        if len(weights[-1]) != net._outputs.n:
            raise ArgumentError(
                f"{os.fspath(path)} gives {len(weights[-1])} outputs, {model.name!r} with frame "
                f"{frame!r} needs {net._outputs.n}"
            )
        return net


def _frame_of(model: Model, frame: str | None) -> str:
    """Return the frame meant, checked."""
    known = model.tip if frame is None else frame
    if known is None:
        raise ArgumentError("the model has several tips: name the frame")
    if known not in model.frame_names:
        raise name_not_found("frame", known, model.frame_names)
    return known


def _named(bar: Bar) -> Progress:
    return lambda done, total: bar("training", done, total)
