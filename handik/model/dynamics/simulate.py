"""Let a model move under its weight, drives and pushes.

Joint limits are not stops: a simulation runs through them, and what it does is the free motion of
the tree. The energy is accounted for: `Simulation.energy_drift` is the largest gap between the
mechanical energy and what the torques, pushes and friction have put in, so that it measures the
integration alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError, UnsupportedError
from handik.model.dynamics._kinds import _FORWARD, _INVERSE, _KINETIC, _POTENTIAL, GRAVITY
from handik.spec._given import is_model, number, reals, whole_number

if TYPE_CHECKING:
    from handik.model.core import Model

__all__ = ["Simulation", "simulate"]

Array = NDArray[np.float64]
Torque = ArrayLike | Callable[[float, Array, Array], ArrayLike] | None

_MOST_STEPS = 10_000_000
_SOLVERS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")


@dataclass(frozen=True)
class Simulation:
    """What `simulate` returns.

    Attributes
    ----------
    t : ndarray, shape (m,)
        Times, seconds.
    q, v : ndarray, shape (..., m, nq) and (..., m, nv)
        Configurations and velocities at these times.
    energy : ndarray, shape (..., m)
        Kinetic and potential energy, joules.
    work : ndarray, shape (..., m)
        What torques and pushes have put in since the start, less what friction took.
    energy_drift : float
        Largest ``|energy - energy at the start - work|``: the error of the integration, joules.
    """

    t: Array
    q: Array
    v: Array
    energy: Array
    work: Array
    energy_drift: float

    def __repr__(self) -> str:
        span = f"{len(self.t)} times from {self.t[0]:g} to {self.t[-1]:g} s"
        return f"Simulation: {span}, energy drift {self.energy_drift:.2g} J"


def simulate(
    model: Model,
    q0: ArrayLike,
    v0: ArrayLike,
    t: float | ArrayLike,
    *,
    tau: Torque = None,
    step: float = 1e-3,
    method: str = "fixed",
    gravity: Sequence[float] = GRAVITY,
    wrenches: Mapping[Any, ArrayLike] | None = None,
    payload: Mapping[Any, Any] | None = None,
    actuators: bool = True,
    coulomb_width: float = 1e-3,
    rtol: float = 1e-9,
    atol: float = 1e-10,
    solver: str = "DOP853",
    out: tuple[Array, Array] | None = None,
    threads: int = 1,
) -> Simulation:
    """Integrate the motion from a start.

    Parameters
    ----------
    model : Model
        The robot or person.
    q0, v0 : array_like, shape (..., nq) and (..., nv)
        Where and how fast it starts. Leading axes are runs side by side.
    t : float or array_like, shape (m,)
        How long, from 0; or the times to report, rising, the first being the start.
    tau : array_like (..., nv), or callable, optional
        Torques of the drives: constant, or ``tau(t, q, v)`` with rows as in `q0`. None: none.
    step : float
        Seconds. ``"fixed"`` takes steps of at most this; with a number for `t` it is also the
        interval of the report.
    method : {"fixed", "solve_ivp"}
        The classical Runge-Kutta of order 4 with equal steps; or SciPy's adaptive integrators
        (extra ``simulate``), for one model.
    gravity, wrenches, payload, actuators, coulomb_width
        See `hk.dynamics.Dynamics`. Coulomb friction is smooth here: with the sharp sign an
        integrator chatters at rest.
    rtol, atol, solver
        For ``"solve_ivp"``.
    out : pair of ndarrays, shape (..., m, nq) and (..., m, nv), optional
        Where to write the configurations and the velocities, m being the number of times reported;
        each as in `hk.dynamics.Dynamics`. What a run that is broken off has reached stays in them.
    threads : int
        Threads over the runs; 0: all cores. The bytes do not depend on it.

    Returns
    -------
    Simulation

    Raises
    ------
    ArgumentError
        Wrong shapes, a step that is not positive, times that do not rise, more than ten million
        steps.
    ModelError
        When a joint moves nothing that has mass.
    UnsupportedError
        An unknown method, or a batch with ``"solve_ivp"``.
    ImportError
        When ``"solve_ivp"`` is asked for without SciPy.

    Notes
    -----
    Quaternions are integrated as four numbers and made of unit length after each step, which keeps
    the order of the method.

    Smooth Coulomb friction is stiff at rest: with the fixed step keep ``step`` below about
    ``2 coulomb_width I / friction`` for the inertia I that a joint feels, or the joint trembles
    about rest at speeds of the order of ``step friction / I``.

    Examples
    --------
    >>> import handik as hk
    >>> spec = hk.chain([1.0]).spec
    >>> spec.links[1].inertial = hk.spec.InertialSpec(1.0, center=[1.0, 0.0, 0.0])
    >>> pendulum = hk.Model(spec)
    >>> pendulum.simulate([0.0], [1.0], 0.5, gravity=(0.0, 0.0, 0.0)).q[-1].round(6)
    array([0.5])
    """
    is_model(model)
    times = _times(t, step)
    if not (isinstance(method, str) and method in ("fixed", "solve_ivp")):
        raise UnsupportedError(f"method must be 'fixed' or 'solve_ivp', got {method!r}")
    system = _System(model, q0, v0, tau, gravity, wrenches, payload, actuators, coulomb_width)
    system.threads = whole_number("threads", threads)
    path = _Path(system, len(times), out)
    if method == "fixed":
        _fixed(system, times, float(step), path)
    else:
        _adaptive(system, times, rtol, atol, solver, path)
    return system.report(times, path)


def _times(t: float | ArrayLike, step: float) -> Array:
    step = number("step", step)
    if not 0 < step < np.inf:
        raise ArgumentError(f"step must be positive, got {step}")
    times = reals(t, "t", (), finite=False)
    if times.ndim == 0:
        if not (np.isfinite(times) and times >= 0):
            raise ArgumentError(f"t must be 0 s or more, got {times}")
        count = max(1, int(np.ceil(min(float(times) / step, 2.0 * _MOST_STEPS) - 1e-9)))
        _check_steps(count)
        return np.linspace(0.0, float(times), count + 1)
    if times.ndim != 1 or len(times) < 1 or not np.all(np.isfinite(times)):
        raise ArgumentError("t must be a number or a list of finite times")
    if np.any(np.diff(times) <= 0):
        raise ArgumentError("the times in t must rise")
    _check_steps((times[-1] - times[0]) / step + len(times))
    return times


def _check_steps(count: float) -> None:
    if count > _MOST_STEPS:
        raise ArgumentError(f"more than {_MOST_STEPS} steps: take a longer step or a shorter t")


class _System:
    """State as rows (n, nq + nv + 1): configuration, velocity, and work done so far."""

    def __init__(
        self,
        model: Model,
        q0: ArrayLike,
        v0: ArrayLike,
        tau: Torque,
        gravity: Sequence[float],
        wrenches: Mapping[Any, ArrayLike] | None,
        payload: Mapping[Any, Any] | None,
        actuators: bool,
        coulomb_width: float,
    ) -> None:
        self.model, self.nq, self.nv = model, model.nq, model.nv
        constant = None if tau is None or callable(tau) else tau
        self.threads = 1
        self.lead, (first, speed, drive) = model._rows(q0, (v0, "v0"), (constant, "tau"))
        if first is None or speed is None:
            raise ArgumentError("q0 and v0 must be given")
        q, v = first.reshape(-1, self.nq), speed.reshape(-1, self.nv)
        self.tau = None if drive is None else drive.reshape(-1, self.nv)
        self.call = tau if callable(tau) else None
        self.loads = model._loads(self.lead, gravity, wrenches, payload, actuators, coulomb_width)
        model._check_mass(self.loads)
        weightless = model._loads(self.lead, (0, 0, 0), wrenches, payload, False, 0.0)
        self.pushed = weightless if wrenches else None
        self.start = np.concatenate([q, v, np.zeros((len(q), 1))], axis=1)
        if not np.all(np.isfinite(self.start)):
            raise ArgumentError("q0 and v0 must be finite")
        balls = np.unique(model.step_q[model.step_kind == 2])
        self.quaternions = balls[:, None] + np.arange(4)
        self.spins = np.array([model.step_v[model.step_q == at][0] for at in balls], np.intp)[
            :, None
        ] + np.arange(3)
        plain = model.step_kind != 2
        self.plain_q, self.plain_v = model.step_q[plain], model.step_v[plain]
        self.normalise(self.start)

    def normalise(self, x: Array) -> None:
        for at in self.quaternions:
            length = np.linalg.norm(x[:, at], axis=1, keepdims=True)
            whole = np.where(length > 0, length, 1.0)
            x[:, at] = np.where(length > 0, x[:, at] / whole, [1.0, 0.0, 0.0, 0.0])

    def torque(self, t: float, q: Array, v: Array) -> Array | None:
        if self.call is None:
            return self.tau
        given = self.call(t, q.reshape((*self.lead, -1)), v.reshape((*self.lead, -1)))
        try:
            out = np.broadcast_to(np.asarray(given, float), (*self.lead, self.nv))
        except (TypeError, ValueError):
            shape = np.shape(given)
            raise ArgumentError(
                f"tau(t, q, v) must return shape {(*self.lead, self.nv)}, got {shape}"
            ) from None
        return np.ascontiguousarray(out).reshape(-1, self.nv)

    def friction(self, v: Array) -> Array:
        """Friction torques of the coordinates, mimic joints gathered on what they follow."""
        model, width = self.model, self.loads[2]
        out = np.zeros_like(v)
        if not self.loads[1] or not np.any(model.step_motor[:, 1:]):
            return out
        for s, (_, viscous, coulomb) in enumerate(model.step_motor):
            ball = model.step_kind[s] == 2
            if model.step_follow[s] >= 0 and (viscous or coulomb):
                name = model.joint_names[model.step_joint[s]]
                raise UnsupportedError(
                    f"the friction of {name!r}, which follows the swing of a ball, is not counted "
                    "here; actuators=False leaves all friction out"
                )
            scale = 1.0 if ball else model.step_line[s, 0]
            at = slice(model.step_v[s], model.step_v[s] + (3 if ball else 1))
            rate = scale * v[:, at]
            sign = rate / np.sqrt(rate**2 + width**2) if width > 0 else np.sign(rate)
            out[:, at] += scale * (viscous * rate + coulomb * sign)
        return out

    def slope(self, t: float, x: Array) -> Array:
        """Time derivative of the state."""
        nq, nv = self.nq, self.nv
        q, v = np.ascontiguousarray(x[:, :nq]), np.ascontiguousarray(x[:, nq : nq + nv])
        tau = self.torque(t, q, v)
        out = np.zeros_like(x)
        out[:, self.plain_q] = v[:, self.plain_v]
        for at, spin in zip(self.quaternions, self.spins, strict=True):
            w, u = q[:, at], 0.5 * v[:, spin]
            out[:, at[0]] = -np.sum(w[:, 1:] * u, axis=1)
            out[:, at[1:]] = w[:, :1] * u + np.cross(w[:, 1:], u)
        out[:, nq : nq + nv] = self._ask(_FORWARD, q, v, tau, self.loads)
        push = -self.friction(v) if tau is None else tau - self.friction(v)
        if self.pushed is not None:
            push -= self._ask(_INVERSE, q, None, None, self.pushed)
        out[:, -1] = np.sum(push * v, axis=1)
        return out

    def _ask(self, kind: int, q: Array, v: Any, x: Any, loads: tuple[Any, ...]) -> Array:
        found: Array = self.model._dynamics(kind, q, v, x, loads, threads=self.threads)
        return found

    def report(self, times: Array, path: _Path) -> Simulation:
        """Make the outputs from the path."""
        for x in (path.q, path.v, path.work):  # processors differ in the sign of a NaN
            x[np.isnan(x)] = np.nan
        loads = (*self.loads[:3], np.zeros(0, np.int32), np.zeros((0, 6)), *self.loads[5:])
        energy = self._ask(_KINETIC, path.q, path.v, None, loads)
        energy += self._ask(_POTENTIAL, path.q, None, None, loads)
        energy[np.isnan(energy)] = np.nan
        drift = np.abs(energy - energy[..., :1] - path.work)
        most = float(drift.max()) if drift.size else 0.0
        return Simulation(times, path.q, path.v, energy, path.work, most)


class _Path:
    """What a run went through: configurations, velocities and work, each (..., m, width)."""

    def __init__(self, system: _System, count: int, out: Any) -> None:
        lead = (*system.lead, count)
        if out is not None and not (isinstance(out, (tuple, list)) and len(out) == 2):
            raise TypeError("out must be a pair of arrays, for q and for v")
        q, v = (None, None) if out is None else out
        self.q = _place(q, (*lead, system.nq))
        self.v = _place(v, (*lead, system.nv))
        self.work = np.empty(lead)
        rows = len(system.start)
        self.parts = [
            x.reshape(rows, count, width)
            for x, width in ((self.q, system.nq), (self.v, system.nv), (self.work, 1))
        ]
        self.cuts = [system.nq, system.nq + system.nv]

    def put(self, k: int, x: Array) -> None:
        """Keep the state (n, nq + nv + 1) of time k."""
        for part, columns in zip(self.parts, np.split(x, self.cuts, axis=1), strict=True):
            part[:, k] = columns


def _place(out: Any, shape: tuple[int, ...]) -> Array:
    return np.empty(shape) if out is None else _core.check_output(out, shape)


def _fixed(system: _System, times: Array, step: float, path: _Path) -> None:
    """Classical Runge-Kutta of order 4."""
    x = system.start.copy()
    path.put(0, x)
    for k in range(1, len(times)):
        span = times[k] - times[k - 1]
        parts = max(1, int(np.ceil(span / step - 1e-9)))
        h = span / parts
        for i in range(parts):
            t = times[k - 1] + i * h
            k1 = system.slope(t, x)
            k2 = system.slope(t + h / 2, x + h / 2 * k1)
            k3 = system.slope(t + h / 2, x + h / 2 * k2)
            k4 = system.slope(t + h, x + h * k3)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            system.normalise(x)
        path.put(k, x)


def _adaptive(
    system: _System, times: Array, rtol: float, atol: float, solver: str, path: _Path
) -> None:
    """SciPy's solve_ivp."""
    if len(system.start) != 1:
        raise UnsupportedError("method 'solve_ivp' takes one model; use 'fixed' for a batch")
    if not (isinstance(solver, str) and solver in _SOLVERS):
        raise UnsupportedError(f"solver must be one of {', '.join(_SOLVERS)}, got {solver!r}")
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        raise ImportError(
            "method 'solve_ivp' needs SciPy: pip install 'handik[simulate]'"
        ) from None
    path.put(0, system.start)
    if len(times) == 1:
        return
    found = solve_ivp(
        lambda t, x: system.slope(t, x[None])[0],
        (times[0], times[-1]),
        system.start[0],
        method=solver,
        t_eval=times,
        rtol=rtol,
        atol=atol,
    )
    if not found.success:
        raise ArgumentError(f"solve_ivp gave up: {found.message}")
    states = found.y.T.copy()
    system.normalise(states)
    for k, x in enumerate(states):
        path.put(k, x[None])
