"""Dynamics of any tree: torques, accelerations, mass matrix, energies, momentum.

The mathematics is in C (recursive Newton-Euler, composite and articulated bodies; R. Featherstone,
*Rigid Body Dynamics Algorithms*, Springer 2008), several postures side by side; here arguments
get their shapes. Every call takes one posture or any number of leading axes.

Velocities ``v`` and accelerations ``a`` are those of the coordinates, and of quaternions the
angular velocity in the moved frame, rad/s, and its derivative. A free joint has its linear velocity
first, in the axes of the frame it starts from. Forces and torques ``tau`` pair with ``v``: their
product is power.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, ModelError, name_not_found
from handik.given import flag, number, reals, together
from handik.weights import payload_row

if TYPE_CHECKING:
    from handik.dynamics.simulate import Simulation, Torque
    from handik.dynamics.statics import ReachableForce
    from handik.model import Model

__all__ = ["GRAVITY", "Dynamics"]

Array = NDArray[np.float64]
Wrenches = Mapping[Any, ArrayLike]
Payload = Mapping[Any, Any]

#: Acceleration of a free fall, world axes, m/s2.
GRAVITY = (0.0, 0.0, -9.81)

(_INVERSE, _MASS_MATRIX, _FORWARD, _CENTER, _CENTER_JACOBIAN, _MOMENTUM, _KINETIC, _POTENTIAL) = (
    range(8)
)


class Dynamics:
    """The dynamic methods of `handik.Model`.

    Parameters that the methods share
    ---------------------------------
    gravity : sequence of 3 floats
        Acceleration of a free fall, world axes, m/s2.
    wrenches : dict of frame to array_like, shape (..., 6)
        What the world does to the figure: force (N), then moment (N m) about the frame's origin,
        both in world axes.
    payload : dict of frame to mass, (mass, center) or (mass, center, inertia)
        What a frame carries: kg, centre of mass (3,) and inertia (3, 3) about it in the frame.
    drives : bool
        Count the drives of the joints: rotor inertia ``Im Gr^2 a``, viscous friction
        ``Gr^2 B v`` and Coulomb friction ``|Gr| Cf sign(v)``, and the joints' own friction.
    coulomb_width : float
        Speed below which Coulomb friction fades: ``sign(v)`` becomes ``v / sqrt(v^2 + width^2)``.
        0: the sharp sign.
    out : ndarray, optional
        Takes the answer, of its shape, float64 and C-contiguous; a file mapped by `numpy.memmap`
        does too. A large answer that is made anew costs as much in fresh memory as in arithmetic.
    threads : int
        Threads over the batch; 0: all cores. The bytes of the answer do not depend on it. See
        ``docs/batches.md``, also for Ctrl-C.

    The link that stands on the world does not move, so that its mass is never counted. A figure of
    which nothing that moves has mass, such as an arm from a table of lengths, raises `ModelError`
    where its weight or its inertia is asked for: zeros would look like an answer. A payload, or
    drives where they count, are mass enough; wrenches alone have torques, and need none.
    """

    if TYPE_CHECKING:
        nq: int
        nv: int
        frame_names: tuple[str, ...]
        joint_names: tuple[str, ...]
        frame_step: NDArray[np.int32]
        step_parent: NDArray[np.int32]
        step_joint: NDArray[np.int32]
        step_inertial: Array
        step_motor: Array

        def _dynamics(
            self,
            kind: int,
            q: Any,
            v: Any,
            x: Any,
            loads: tuple[Any, ...],
            /,
            *,
            out: Any = None,
            threads: int = 1,
        ) -> Any: ...

    # -- torques and accelerations ----------------------------------------------------------------

    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        gravity: Sequence[float] = GRAVITY,
        wrenches: Wrenches | None = None,
        payload: Payload | None = None,
        drives: bool = True,
        coulomb_width: float = 0.0,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """Compute the forces and torques that give the accelerations `a` at `q` and `v`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Posture.
        v, a : array_like, shape (..., nv), optional
            Velocity and acceleration; zero if not given.
        gravity, wrenches, payload, drives, coulomb_width, out, threads
            See `Dynamics`.

        Returns
        -------
        ndarray, shape (..., nv)
            Newtons for slides, newton metres for turns.

        Raises
        ------
        ArgumentError
            Wrong shapes, a load that is not finite.
        NotFoundError
            A load at a frame that is not there.
        ModelError
            When nothing that moves has mass and no wrench acts.
        """
        lead, (rows, speed, gain) = self._rows(q, (v, "v"), (a, "a"))
        loads = self._loads(lead, gravity, wrenches, payload, drives, coulomb_width)
        tau: Array = self._dynamics(_INVERSE, rows, speed, gain, loads, out=out, threads=threads)
        return tau

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        gravity: Sequence[float] = GRAVITY,
        wrenches: Wrenches | None = None,
        payload: Payload | None = None,
        drives: bool = True,
        coulomb_width: float = 0.0,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """Accelerations under the forces and torques `tau` at `q` and `v`.

        Articulated bodies in linear time; with mimic joints, whose motions share a coordinate, the
        mass matrix and its LDL^T factors.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Posture.
        v, tau : array_like, shape (..., nv), optional
            Velocity, and forces and torques of the drives; zero if not given.
        gravity, wrenches, payload, drives, coulomb_width, out, threads
            See `Dynamics`.

        Returns
        -------
        ndarray, shape (..., nv)
            Not finite where a posture leaves a coordinate without inertia, such as a point mass on
            the axis of the turn.

        Raises
        ------
        ModelError
            When a joint moves nothing that has mass.
        ArgumentError, NotFoundError
            As for `inverse_dynamics`.
        """
        lead, (rows, speed, drive) = self._rows(q, (v, "v"), (tau, "tau"))
        loads = self._loads(lead, gravity, wrenches, payload, drives, coulomb_width)
        self._check_mass(loads)
        a: Array = self._dynamics(_FORWARD, rows, speed, drive, loads, out=out, threads=threads)
        return a

    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        payload: Payload | None = None,
        drives: bool = True,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """Mass matrix M(q): kinetic energy is ``v M v / 2``, torque at rest ``M a``.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Posture.
        payload, drives, out, threads
            See `Dynamics`; drives add their rotors to the diagonal.

        Returns
        -------
        ndarray, shape (..., nv, nv)
            Symmetric.

        Raises
        ------
        ArgumentError, NotFoundError
            As for `inverse_dynamics`.
        """
        lead, (rows,) = self._rows(q)
        loads = self._loads(lead, GRAVITY, None, payload, drives, 0.0)
        M: Array = self._dynamics(_MASS_MATRIX, rows, None, None, loads, out=out, threads=threads)
        return M

    def coriolis(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        payload: Payload | None = None,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """Coriolis and centrifugal torques C(q, v) v, without gravity and friction.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Posture.
        v : array_like, shape (..., nv)
            Velocity.
        payload, out, threads
            See `Dynamics`.

        Returns
        -------
        ndarray, shape (..., nv)
            Torques.

        Raises
        ------
        ArgumentError, NotFoundError
            As for `inverse_dynamics`.
        """
        return self.inverse_dynamics(
            q,
            v,
            gravity=(0.0, 0.0, 0.0),
            payload=payload,
            drives=False,
            out=out,
            threads=threads,
        )

    def gravity_torque(
        self,
        q: ArrayLike,
        *,
        gravity: Sequence[float] = GRAVITY,
        payload: Payload | None = None,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """Torques that hold the figure against gravity at rest.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Posture.
        gravity, payload, out, threads
            See `Dynamics`.

        Returns
        -------
        ndarray, shape (..., nv)
            Torques.

        Raises
        ------
        ArgumentError, NotFoundError
            As for `inverse_dynamics`.
        """
        return self.inverse_dynamics(
            q, gravity=gravity, payload=payload, drives=False, out=out, threads=threads
        )

    # -- sums over the bodies ---------------------------------------------------------------------

    @property
    def mass(self) -> float:
        """Mass of all that moves, kg."""
        return float(self.step_inertial[:, 0].sum())

    def kinetic_energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        payload: Payload | None = None,
        drives: bool = True,
        out: Array | None = None,
        threads: int = 1,
    ) -> Any:
        """Kinetic energy, joules, with the rotors of the drives.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Posture.
        v : array_like, shape (..., nv)
            Velocity.
        payload, drives, out, threads
            See `Dynamics`.

        Returns
        -------
        float or ndarray, shape (...)
            Joules.

        Raises
        ------
        ArgumentError, NotFoundError
            As for `inverse_dynamics`.
        """
        return self._sum(_KINETIC, q, v, GRAVITY, payload, drives, out, threads)

    def potential_energy(
        self,
        q: ArrayLike,
        *,
        gravity: Sequence[float] = GRAVITY,
        payload: Payload | None = None,
        out: Array | None = None,
        threads: int = 1,
    ) -> Any:
        """Potential energy in the field of gravity, zero at the world's origin.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Posture.
        gravity, payload, out, threads
            See `Dynamics`.

        Returns
        -------
        float or ndarray, shape (...)
            Joules.

        Raises
        ------
        ArgumentError, NotFoundError
            As for `inverse_dynamics`.
        """
        return self._sum(_POTENTIAL, q, None, gravity, payload, False, out, threads)

    def center_of_mass(
        self,
        q: ArrayLike,
        *,
        payload: Payload | None = None,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """Centre of mass of all that moves, in the world.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Posture.
        payload, out, threads
            See `Dynamics`.

        Returns
        -------
        ndarray, shape (..., 3)
            Metres.

        Raises
        ------
        ModelError
            When nothing has mass.
        ArgumentError, NotFoundError
            As for `inverse_dynamics`.
        """
        self._need_mass(payload)
        center: Array = self._sum(_CENTER, q, None, GRAVITY, payload, False, out, threads)
        return center

    def center_of_mass_jacobian(
        self,
        q: ArrayLike,
        *,
        payload: Payload | None = None,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """Jacobian of the centre of mass: its velocity is ``J v``.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Posture.
        payload, out, threads
            See `Dynamics`.

        Returns
        -------
        ndarray, shape (..., 3, nv)
            World axes.

        Raises
        ------
        ModelError
            When nothing has mass.
        ArgumentError, NotFoundError
            As for `inverse_dynamics`.
        """
        self._need_mass(payload)
        jacobian: Array = self._sum(
            _CENTER_JACOBIAN, q, None, GRAVITY, payload, False, out, threads
        )
        return jacobian

    def momentum(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        payload: Payload | None = None,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """Momentum of the bodies: linear (kg m/s), then angular about the centre of mass.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Posture.
        v : array_like, shape (..., nv)
            Velocity.
        payload, out, threads
            See `Dynamics`.

        Returns
        -------
        ndarray, shape (..., 6)
            World axes.

        Raises
        ------
        ModelError
            When nothing has mass.
        ArgumentError, NotFoundError
            As for `inverse_dynamics`.
        """
        self._need_mass(payload)
        momentum: Array = self._sum(_MOMENTUM, q, v, GRAVITY, payload, False, out, threads)
        return momentum

    # -- uses -------------------------------------------------------------------------------------

    def simulate(
        self,
        q0: ArrayLike,
        v0: ArrayLike,
        t: float | ArrayLike,
        *,
        tau: Torque = None,
        step: float = 1e-3,
        method: str = "fixed",
        **options: Any,
    ) -> Simulation:
        """Let the figure move; see `handik.dynamics.simulate.simulate`."""
        from handik.dynamics.simulate import simulate

        model = cast("Model", self)
        return simulate(model, q0, v0, t, tau=tau, step=step, method=method, **options)

    def static_torques(self, q: ArrayLike, loads: Wrenches, **options: Any) -> Array:
        """Torques that hold loads at rest; see `handik.dynamics.statics.static_torques`."""
        from handik.dynamics.statics import static_torques

        return static_torques(cast("Model", self), q, loads, **options)

    def reachable_force(
        self,
        q: ArrayLike,
        frame: str | int | None = None,
        direction: ArrayLike = (0.0, 0.0, 1.0),
        limits: Any = None,
        **options: Any,
    ) -> ReachableForce:
        """Largest force that a frame can exert; see `handik.dynamics.statics.reachable_force`."""
        from handik.dynamics.statics import reachable_force

        return reachable_force(cast("Model", self), q, frame, direction, limits, **options)

    # -- shapes -----------------------------------------------------------------------------------

    def _rows(
        self, q: ArrayLike, *more: tuple[ArrayLike | None, str]
    ) -> tuple[tuple[int, ...], list[Array | None]]:
        """Leading axes of the arguments, broadcast, and each as rows (*lead, width)."""
        given = [(q, "q", self.nq), *((x, name, self.nv) for x, name in more)]
        arrays = [None if x is None else _last(x, name, width) for x, name, width in given]
        names = [name for _, name, _ in given]
        known = zip(names, arrays, strict=True)
        shapes = {name: x.shape[:-1] for name, x in known if x is not None}
        lead = together(**shapes)
        return lead, [None if x is None else _spread(x, lead) for x in arrays]

    def _frame_index(self, frame: Any) -> int:
        if isinstance(frame, str):
            try:
                return self.frame_names.index(frame)
            except ValueError:
                raise name_not_found("frame", frame, self.frame_names) from None
        number = isinstance(frame, (int, np.integer)) and not isinstance(frame, bool)
        if number and 0 <= frame < len(self.frame_names):
            return int(frame)
        raise ArgumentError(f"{frame!r} is neither the name nor the index of a frame")

    def _loads(
        self,
        lead: tuple[int, ...],
        gravity: Sequence[float],
        wrenches: Wrenches | None,
        payload: Payload | None,
        drives: bool,
        coulomb_width: float,
    ) -> tuple[Any, ...]:
        wrenches, payload = by_frame("wrenches", wrenches), by_frame("payload", payload)
        pushes = [_last(x, f"the wrench at {name!r}", 6) for name, x in wrenches.items()]
        if all(x.ndim == 1 for x in pushes):
            values = np.array(pushes, float).reshape(-1, 6)
        else:
            try:
                spread = [np.broadcast_to(x, (*lead, 6)).reshape(-1, 6) for x in pushes]
            except ValueError:
                raise ArgumentError(
                    f"wrenches do not broadcast to the leading axes {lead} of q"
                ) from None
            values = np.ascontiguousarray(np.stack(spread, axis=1))
        bodies = [payload_row(str(name), x) for name, x in payload.items()]
        return (
            _last(gravity, "gravity", 3),
            flag("drives", drives),
            number("coulomb_width", coulomb_width),
            np.array([self._frame_index(name) for name in wrenches], np.int32),
            values,
            np.array([self._frame_index(name) for name in payload], np.int32),
            np.array(bodies, float).reshape(-1, 10),
        )

    def _sum(
        self,
        kind: int,
        q: ArrayLike,
        v: ArrayLike | None,
        gravity: Sequence[float],
        payload: Payload | None,
        drives: bool,
        out: Array | None,
        threads: int,
    ) -> Any:
        """One of the sums over the bodies; of one posture a number where it is one."""
        lead, (rows, speed) = self._rows(q, (v, "v"))
        loads = self._loads(lead, gravity, None, payload, drives, 0.0)
        found = self._dynamics(kind, rows, speed, None, loads, out=out, threads=threads)
        return found if out is not None or found.ndim else float(found)

    def _need_mass(self, payload: Payload | None) -> None:
        carried = (
            payload_row(str(name), body)[0]
            for name, body in by_frame("payload", payload).items()
            if self.frame_step[self._frame_index(name)] >= 0
        )
        if not self.mass and not any(carried):
            raise ModelError("no link that moves has mass, so there is no centre of mass")

    def _check_mass(self, loads: tuple[Any, ...]) -> None:
        """Raise ModelError for a joint that moves nothing with inertia."""
        heavy = np.any(self.step_inertial != 0, axis=1)
        for frame, body in zip(loads[5], loads[6], strict=True):
            step = self.frame_step[frame]
            if step >= 0:
                heavy[step] |= bool(np.any(body != 0))
        for s in range(len(heavy) - 1, -1, -1):
            if self.step_parent[s] >= 0:
                heavy[self.step_parent[s]] |= heavy[s]
        light = ~heavy & ~(loads[1] & (self.step_motor[:, 0] > 0))
        if np.any(light):
            name = self.joint_names[self.step_joint[int(np.argmax(light))]]
            raise ModelError(
                f"joint {name!r} moves nothing that has mass, so its acceleration has no answer"
            )


def by_frame(name: str, loads: Any) -> Mapping[Any, Any]:
    """Return loads by their frames; none where there are none.

    Raises
    ------
    TypeError
        When they do not say at which frames they are.
    """
    if loads is None:
        return {}
    if not isinstance(loads, Mapping):
        raise TypeError(f"{name} must be a dict by frame, got {type(loads).__name__}")
    return loads


def _last(x: ArrayLike, name: str, width: int) -> Array:
    """As an array (..., width) of floats."""
    return reals(x, name, (width,), finite=False)


def _spread(x: Array, lead: tuple[int, ...]) -> Array:
    """With these leading axes, each row in one piece."""
    return x if x.shape[:-1] == lead else np.broadcast_to(x, (*lead, x.shape[-1]))
