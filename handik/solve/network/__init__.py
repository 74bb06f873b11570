"""Network: a small multilayer perceptron that guesses configurations of a model.

A guess is a start for any solver, or an answer of its own that the judge of the core measures.

The network is trained through the forward kinematics: a sample is a pose that some configuration
inside the limits meets; the loss is how far the configuration that the network answers misses it,
and its gradient goes through the Jacobian of the model. So it need not average the several
configurations that meet one pose, as a network taught the configurations themselves would. Every
answer is inside the limits by construction: a revolute joint is a hyperbolic tangent between its
limits, a swing a point of a disc stretched to its cone. Only a ball limited by a polygon, or whose
twist follows its swing, is learnt as if it were free, and put inside at the end.

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
from handik.errors import ArgumentError
from handik.model import Model
from handik.problem.goals import goal_problem
from handik.result import Result
from handik.solve._progress import Bar
from handik.solve.call import Solver
from handik.solve.network._file import MOST_LAYERS, MOST_WEIGHTS, read_arrays, write_arrays
from handik.solve.network._outputs import Outputs, lengths
from handik.solve.network._perceptron import Adam, backward, first_weights, forward
from handik.spec._given import choice, is_model, known_name, number, reals, sequence, whole_number

__all__ = ["Network", "Training"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]
Progress = Callable[[int, int], object]
GOALS = ("position", "pose")
#: Meters that weigh as much as a radian, as a share of the reach: about the lever of a joint in
#: the middle of a chain. It is the unit of the network's positions too.
LEVER = 1 / 3


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
        Median miss on the held-out poses, meters and radians (0 for a position goal).
    """

    samples: int
    held_out: int
    epochs: int
    best: int
    losses: tuple[float, ...] = field(repr=False)
    position_error: float
    orientation_error: float


class Network:
    """A perceptron that guesses configurations of one frame of a model; see `Network.train`.

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
        self._outputs = Outputs(model, frame)
        self._length = LEVER * max(float(model.max_reach), 1e-9)

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
        """Train a network on poses that random configurations inside the limits meet.

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
        >>> from handik.solve.network import Network
        >>> arm = hk.chain([1.0, 1.0, 1.0], lower=-2.0, upper=2.0)
        >>> net = Network.train(arm, goal="position", samples=500, hidden=(16,), epochs=2)
        >>> net.predict([1.0, 1.0, 0.0]).shape
        (3,)
        """
        is_model(model)
        hidden = sequence("hidden", hidden, (int, np.integer), "whole numbers")
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
        choice("goal", goal, GOALS)
        rng = np.random.default_rng(seed)
        outputs = Outputs(model, frame).n
        if outputs == 0:
            raise ArgumentError(f"no joint moves frame {frame!r}: there is nothing to learn")
        sizes = [3 if goal == "position" else 9, *hidden, outputs]
        if len(hidden) >= MOST_LAYERS or sum(a * b for a, b in pairwise(sizes)) > MOST_WEIGHTS:
            raise ArgumentError(
                f"hidden {tuple(hidden)} is more than a file may hold: at most {MOST_LAYERS} "
                f"layers and {MOST_WEIGHTS} weights"
            )
        net = cls(model, frame, goal, first_weights(sizes, rng))
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
        adam, losses = Adam(self.weights), []
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
        values = forward(self.weights, self._inputs(self._columns(poses)))
        q = self._outputs.decode(values[-1])
        e = self._miss(poses, q)
        loss = 0.5 * float(np.mean(np.sum(e * e, axis=1)))
        if not gradients:
            return loss, []
        jacobian = self.model.jacobian(q, frame=self.frame)[:, : e.shape[1]]
        e = e.copy()
        e[:, :3] /= self._length
        g = np.einsum("nrv,nr->nv", jacobian, e) / len(e)
        return loss, backward(self.weights, values, self._outputs.back(values[-1], q, g))

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
        w, x, y, z = (columns[:, 3:] / lengths(columns[:, 3:])).T
        first = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)]
        second = [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)]
        return np.concatenate([p, np.stack(first + second, axis=1)], axis=1)

    # -- use ------------------------------------------------------------------------------------

    def _problem(self, targets: Any, **tolerances: float) -> tuple[Any, Array]:
        name = "pose" if self.goal == "pose" else "position"
        # one target row as `Problem` has it is taken too
        rows = _rows_of_seven(targets) if self.goal == "pose" else None
        if rows is not None:
            targets = rows[..., :3], rows[..., 3:]
        made: dict[str, Any] = {name: targets, "frame": self.frame, **tolerances}
        problem, columns = goal_problem(self.model, **made)
        return problem, reals(columns, "targets", (problem.width,), finite=False)

    def predict(self, targets: ArrayLike | tuple[ArrayLike, ArrayLike]) -> Array:
        """Guess configurations, inside the limits.

        Parameters
        ----------
        targets : array_like
            Positions (..., 3); or poses (..., 4, 4), a pair (position, quaternion), or rows
            (..., 7) of both.

        Returns
        -------
        ndarray, shape (..., nq)
            The rest configuration where a target is not finite.
        """
        columns = self._problem(targets)[1]
        flat = columns.reshape(-1, columns.shape[-1])
        known = np.all(np.isfinite(flat), axis=1)
        values = forward(self.weights, self._inputs(np.where(known[:, None], flat, 1.0)))
        q = np.where(known[:, None], self._outputs.decode(values[-1]), self.model.rest)
        q = self.model.clip(q)  # to the last bit
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
            Meters (1e-4 of the model's reach if not given) and radians.
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
            solved: Result = Solver(solver, **options)(problem, columns, q0=guess)
            return solved
        kept: Result = Solver("lm", max_iter=0)(problem, columns, q0=guess)
        return replace(kept, solver="network")

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

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
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

        Returns
        -------
        Network
            As it was saved.

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


def _rows_of_seven(targets: Any) -> Array | None:
    """Return rows as `Problem` has them for a pose; None: the poses are given in another way."""
    try:
        rows = np.asarray(targets)
    except ValueError:  # a pair
        return None
    return rows.astype(float) if rows.shape[-1:] == (7,) and rows.dtype.kind in "fiu" else None


def _frame_of(model: Model, frame: str | None) -> str:
    """Return the frame meant, checked."""
    is_model(model)
    known = model.tip if frame is None else frame
    if known is None:
        raise ArgumentError("the model has several tips: name the frame")
    known_name("frame", known, model.frame_names)
    return known


def _named(bar: Bar) -> Progress:
    return lambda done, total: bar("training", done, total)
