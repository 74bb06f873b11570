"""Dynamics of any tree: torques, accelerations, mass matrix, energies, momentum.

The mathematics is in C (recursive Newton-Euler, composite and articulated bodies; R. Featherstone,
*Rigid Body Dynamics Algorithms*, 2008). Every call takes one configuration or any leading axes.

Velocities ``v`` and accelerations ``a`` are those of the coordinates, and of quaternions the
angular velocity in the moved frame, rad/s, and its derivative. A free joint has its linear velocity
first, in the axes of the frame it starts from. Forces and torques ``tau`` pair with ``v``: their
product is power.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.model.dynamics._kinds import (
    _CENTER,
    _CENTER_JACOBIAN,
    _FORWARD,
    _INVERSE,
    _KINETIC,
    _MASS_MATRIX,
    _MOMENTUM,
    _POTENTIAL,
    GRAVITY,
)
from handik.model.dynamics.loads import Loaded, Payload, Wrenches, by_frame

if TYPE_CHECKING:
    from handik.model.core import Model
    from handik.model.dynamics.simulate import Simulation, Torque
    from handik.model.dynamics.statics import ReachableForce

__all__ = ["GRAVITY", "Dynamics", "by_frame"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]


class Dynamics(Loaded):
    """The dynamic methods of `handik.Model`.

    Parameters that the methods share
    ---------------------------------
    gravity : sequence of 3 floats
        Acceleration of a free fall, world axes, m/s2.
    wrenches : dict of frame to array_like, shape (..., 6)
        What the world does to the model: force (N), then moment (N m) about the frame's origin,
        both in world axes.
    payload : dict of frame to mass, (mass, center) or (mass, center, inertia)
        What a frame carries: kg, center of mass (3,) and inertia (3, 3) about it in the frame.
    actuators : bool
        Count the drives of the joints: rotor inertia ``Im Gr^2 a``, viscous friction
        ``Gr^2 B v`` and Coulomb friction ``|Gr| Cf sign(v)``, and the joints' own friction.
    coulomb_width : float
        Below this speed friction fades: ``sign(v)`` is ``v / sqrt(v^2 + width^2)``; 0: it is not.
    out : ndarray, optional
        Takes the answer, of its shape, float64 and C-contiguous; a `numpy.memmap` does too.
    threads : int
        Threads over the batch; 0: all cores. The bytes are the same. See ``docs/batches.md``.

    The link that stands on the world does not move, so that its mass is never counted. A model of
    which nothing that moves has mass, such as an arm from a table of lengths, raises `ModelError`
    where its weight or its inertia is asked for: zeros would look like an answer. A payload, or
    drives where they count, are mass enough; wrenches alone have torques, and need none.
    """

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
        actuators: bool = True,
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
        gravity, wrenches, payload, actuators, coulomb_width, out, threads
            See `Dynamics`.

        Returns
        -------
        ndarray, shape (..., nv)
            Newtons for slides, newton meters for turns.

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
        loads = self._loads(lead, gravity, wrenches, payload, actuators, coulomb_width)
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
        actuators: bool = True,
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
        gravity, wrenches, payload, actuators, coulomb_width, out, threads
            See `Dynamics`.

        Returns
        -------
        ndarray, shape (..., nv)
            Not finite where q leaves a coordinate without inertia, such as a point mass on
            the axis of the turn.

        Raises
        ------
        ModelError
            When a joint moves nothing that has mass.
        ArgumentError, NotFoundError
            As for `inverse_dynamics`.
        """
        lead, (rows, speed, drive) = self._rows(q, (v, "v"), (tau, "tau"))
        loads = self._loads(lead, gravity, wrenches, payload, actuators, coulomb_width)
        self._check_mass(loads)
        a: Array = self._dynamics(_FORWARD, rows, speed, drive, loads, out=out, threads=threads)
        return a

    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        payload: Payload | None = None,
        actuators: bool = True,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """Mass matrix M(q): kinetic energy is ``v M v / 2``, torque at rest ``M a``.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Posture.
        payload, actuators, out, threads
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
        loads = self._loads(lead, GRAVITY, None, payload, actuators, 0.0)
        M: Array = self._dynamics(_MASS_MATRIX, rows, None, None, loads, out=out, threads=threads)
        return M

    def coriolis_torque(
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
            actuators=False,
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
        """Torques that hold the model against gravity at rest.

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
            q, gravity=gravity, payload=payload, actuators=False, out=out, threads=threads
        )

    # -- sums over the bodies ---------------------------------------------------------------------

    def kinetic_energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        payload: Payload | None = None,
        actuators: bool = True,
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
        payload, actuators, out, threads
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
        return self._sum(_KINETIC, q, v, GRAVITY, payload, actuators, out, threads)

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
        """Center of mass of all that moves, in the world.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Posture.
        payload, out, threads
            See `Dynamics`.

        Returns
        -------
        ndarray, shape (..., 3)
            Meters.

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
        """Jacobian of the center of mass: its velocity is ``J v``.

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
        """Momentum of the bodies: linear (kg m/s), then angular about the center of mass.

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
        gravity: Sequence[float] = GRAVITY,
        wrenches: Wrenches | None = None,
        payload: Payload | None = None,
        actuators: bool = True,
        coulomb_width: float = 1e-3,
        rtol: float = 1e-9,
        atol: float = 1e-10,
        solver: str = "DOP853",
        out: tuple[Array, Array] | None = None,
        threads: int = 1,
    ) -> Simulation:
        """Let the model move; `hk.dynamics.simulate.simulate` tells more.

        Parameters
        ----------
        q0, v0 : array_like, shape (..., nq) and (..., nv)
            Where and how fast it starts. Leading axes are models that move side by side.
        t : float or array_like, shape (m,)
            How long, s, from 0; or the times to report, rising, the first being the start.
        tau : array_like, shape (..., nv), or callable, optional
            Torques of the drives: constant, or ``tau(t, q, v)``. None: none.
        step : float
            Longest step, s; with a number for `t` also the interval of the report.
        method : {"fixed", "solve_ivp"}
            Runge-Kutta of order 4 with equal steps, or SciPy's adaptive integrators.
        gravity, wrenches, payload, actuators, coulomb_width
            See `Dynamics`.
        rtol, atol, solver
            For ``"solve_ivp"``.
        out : pair of ndarrays, shape (..., m, nq) and (..., m, nv), optional
            Where to write.
        threads : int
            Threads over the models; 0: all cores.

        Returns
        -------
        Simulation
            Times, coordinates and velocities.
        """
        from handik.model.dynamics.simulate import simulate

        return simulate(
            cast("Model", self),
            q0,
            v0,
            t,
            tau=tau,
            step=step,
            method=method,
            gravity=gravity,
            wrenches=wrenches,
            payload=payload,
            actuators=actuators,
            coulomb_width=coulomb_width,
            rtol=rtol,
            atol=atol,
            solver=solver,
            out=out,
            threads=threads,
        )

    def static_torques(
        self,
        q: ArrayLike,
        loads: Wrenches,
        *,
        gravity: Sequence[float] = GRAVITY,
        payload: Payload | None = None,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """Torques that hold loads at rest, with the model's own weight.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations, radians and meters.
        loads : dict of frame to float or array_like (..., 6)
            A mass (kg) held at the frame's origin, or force (N) and moment (N m), world axes.
        gravity, payload, out, threads
            See `Dynamics`.

        Returns
        -------
        ndarray, shape (..., nv)
            Newtons for slides, newton meters for turns.
        """
        from handik.model.dynamics.statics import static_torques

        model = cast("Model", self)
        return static_torques(
            model, q, loads, gravity=gravity, payload=payload, out=out, threads=threads
        )

    def reachable_force(
        self,
        q: ArrayLike,
        frame: str | int | None = None,
        direction: ArrayLike = (0.0, 0.0, 1.0),
        limits: Any = None,
        *,
        gravity: Sequence[float] = GRAVITY,
        payload: Payload | None = None,
        threads: int = 1,
    ) -> ReachableForce:
        """Largest force that a frame can exert along a direction, at rest.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations, radians and meters.
        frame : str or int, optional
            The frame that pushes; the tip if not given.
        direction : array_like, shape (3,)
            Where it pushes, world axes.
        limits : array_like (nv,) or (2, nv), dict of joint to float, optional
            Largest torques; those of the model's file if not given.
        gravity, payload, threads
            See `Dynamics`.

        Returns
        -------
        ReachableForce
            Newtons, and the joint that stops it.
        """
        from handik.model.dynamics.statics import reachable_force

        more: dict[str, Any] = {"gravity": gravity, "payload": payload, "threads": threads}
        return reachable_force(cast("Model", self), q, frame, direction, limits, **more)

    def _sum(
        self,
        kind: int,
        q: ArrayLike,
        v: ArrayLike | None,
        gravity: Sequence[float],
        payload: Payload | None,
        actuators: bool,
        out: Array | None,
        threads: int,
    ) -> Any:
        """One of the sums over the bodies; of one configuration a number where it is one."""
        lead, (rows, speed) = self._rows(q, (v, "v"))
        loads = self._loads(lead, gravity, None, payload, actuators, 0.0)
        found = self._dynamics(kind, rows, speed, None, loads, out=out, threads=threads)
        return found if out is not None or found.ndim else float(found)
