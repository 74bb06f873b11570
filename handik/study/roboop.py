"""ROBOOP's calls over handik's models, so that scripts written for it read one to one.

=============================  ================================================
ROBOOP (C++)                   here
=============================  ================================================
``Robot r("f.conf", "P560")``  ``r = Robot("f.conf", "P560")``
``mRobot r(...)``              ``Robot(..., convention="modified")``
``Robot r(matrix)``            ``Robot(matrix)``
``r.get_dof()``                ``r.get_dof()``
``r.set_q(q)``, ``r.get_q()``  the same
``r.kine(Rot, pos)``           ``T = r.kine()`` (4, 4), the end effector
``r.kine(Rot, pos, j)``        ``pos, rot = r.kine(j, rotation=True)``
position of joint j alone      ``pos = r.kine(j)``
``r.inv_kin(T, mj, conv)``     ``q = r.inv_kin(T, mj)``, ``r.converged``
``r.jacobian()``               ``r.jacobian()``
``r.torque(q, qp, qpp)``       ``r.torque(q, qp, qpp)``
printing the links             ``print(r)``
=============================  ================================================

All else is the model's own: ``r.model`` is a `handik.Model`.
"""

from __future__ import annotations

import os
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik._model import Model
from handik.errors import ArgumentError
from handik.files.read.dh import dh_row
from handik.files.read.roboop import from_roboop_matrix, read_roboop
from handik.spec import JointSpec

__all__ = ["Robot"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]


class Robot:
    """A serial arm with a configuration of its own, in ROBOOP's words.

    Parameters
    ----------
    source : path, str, bytes or array_like (n, 23) or (n, 19)
        A configuration file, its text, or the matrix of ROBOOP's constructors.
    name : str, optional
        Section of the file; the first robot if not given.
    convention : str, optional
        ``"standard"`` (ROBOOP's Robot) or ``"modified"`` (mRobot). What the file says, or
        standard, if not given.
    motor : array_like (n, 4), optional
        Beside a matrix of 19 columns: Im, Gr, B, Cf.

    Attributes
    ----------
    model : Model
        The arm; link j is its frame ``link_j``.
    converged : bool
        Whether the last `inv_kin` met its target.

    Raises
    ------
    ReadError
        When the file is not one of ROBOOP's.
    ArgumentError
        When the matrix is not one of ROBOOP's.

    Examples
    --------
    >>> from handik.study.roboop import Robot
    >>> row = [0, 0, 0, 0.5, 0, -3, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    >>> robot = Robot([row, row])
    >>> robot.set_q([0, 0])
    >>> robot.kine(1).tolist(), robot.kine()[:3, 3].tolist()
    ([0.5, 0.0, 0.0], [1.0, 0.0, 0.0])
    """

    def __init__(
        self,
        source: Any,
        name: str | None = None,
        *,
        convention: str | None = None,
        motor: ArrayLike | None = None,
    ) -> None:
        if isinstance(source, (str, bytes, os.PathLike)):
            if motor is not None:
                raise ArgumentError("motor goes with a matrix: a file says its own")
            spec = read_roboop(source, name, convention=convention)
        else:
            spec = from_roboop_matrix(
                source,
                motor,
                convention="standard" if convention is None else convention,
                name="robot" if name is None else name,
            )
        self.model = Model(spec)
        self._joints = [joint for joint in spec.joints if not joint.name.endswith("_frame")]
        self._steps = {joint.name: joint for joint in spec.joints}
        self.convention = "standard"
        if not any(joint.name.endswith("_frame") for joint in spec.joints):
            self.convention = "modified"
        self.converged = False
        self._q: Array = np.zeros(self.model.nq)

    # -- configuration ----------------------------------------------------------------------------

    def get_dof(self) -> int:
        """Return the number of links.

        Returns
        -------
        int
            Joints that do not move included.
        """
        return len(self._joints)

    def set_q(self, q: ArrayLike) -> None:
        """Set the configuration: one coordinate for each joint that moves, radians or meters.

        Parameters
        ----------
        q : array_like, shape (nq,)
            Radians or meters.

        Raises
        ------
        ArgumentError
            For another number of coordinates, or what is not finite.
        """
        try:
            row = np.array(q, dtype=float)
        except (TypeError, ValueError):
            raise ArgumentError("q must be numbers") from None
        if row.shape != (self.model.nq,) or not np.isfinite(row).all():
            raise ArgumentError(
                f"q must be {self.model.nq} finite numbers, its shape is {row.shape}"
            )
        self._q = row

    def get_q(self) -> Array:
        """Return a copy of the configuration.

        Returns
        -------
        ndarray, shape (nq,)
            Radians or meters.
        """
        return self._q.copy()

    # -- kinematics ---------------------------------------------------------------------------

    def kine(self, j: int | None = None, *, rotation: bool = False) -> Any:
        """Place a link at the configuration.

        Parameters
        ----------
        j : int, optional
            The link, 1 to `get_dof`, or 0 for the base; the end effector if not given.
        rotation : bool
            Return the rotation too.

        Returns
        -------
        ndarray or tuple
            ``kine()``: the (4, 4) pose of the end effector. ``kine(j)``: the position (3,) of
            link j. ``kine(j, rotation=True)``: position (3,) and rotation (3, 3).

        Raises
        ------
        ArgumentError
            When there is no link j.
        """
        last = len(self._joints)
        if j is not None and (not isinstance(j, (int, np.integer)) or not 0 <= j <= last):
            raise ArgumentError(f"j must be a link from 0 to {last}, got {j!r}")
        pose = self.model.fk(self._q, frame=f"link_{last if j is None else int(j)}")
        if rotation:
            return pose[:3, 3].copy(), pose[:3, :3].copy()
        return pose if j is None else pose[:3, 3].copy()

    def inv_kin(self, target: ArrayLike, mj: int = 0, **options: Any) -> Array:
        """Find a configuration that brings the end effector to a pose; the configuration set stays.

        Parameters
        ----------
        target : array_like, shape (4, 4)
            The pose.
        mj : int
            0 or 1, ROBOOP's choice between two Newton iterations. It is taken so that calls read
            as they did, and changes nothing: handik's solvers do the work.
        **options
            Of `Model.solve`, such as ``solver``, ``retries`` or ``position_tolerance``.

        Returns
        -------
        ndarray (nq,)
            The configuration found from the one set, or the nearest that was; `converged` says
            which.

        Raises
        ------
        ArgumentError
            When `mj` is neither, or the target no pose.
        """
        if mj not in (0, 1):
            raise ArgumentError(f"mj must be 0 or 1, got {mj!r}")
        try:
            pose = np.array(target, dtype=float)
        except (TypeError, ValueError):
            raise ArgumentError("the target must be a (4, 4) matrix of numbers") from None
        if pose.shape != (4, 4):
            raise ArgumentError(f"the target must be (4, 4), not {pose.shape}")
        options = {"frame": f"link_{len(self._joints)}", "q0": self._q, **options}
        result = self.model.solve(pose=pose, **options)
        self.converged = bool(np.all(result.converged))
        return np.asarray(result.q)

    def jacobian(self) -> Array:
        """Return the Jacobian of the end effector, linear rows above angular ones, in base axes.

        Returns
        -------
        ndarray, shape (6, nq)
            Meters and radians per unit of each coordinate.
        """
        frame = f"link_{len(self._joints)}"
        return np.asarray(self.model.jacobian(self._q, frame=frame))

    def torque(self, q: ArrayLike, qp: ArrayLike, qpp: ArrayLike) -> Array:
        """Return the torques that give the accelerations `qpp`, motors and friction included.

        Parameters
        ----------
        q, qp, qpp : array_like, shape (nq,)
            Coordinates, their speeds and accelerations; radians, meters, seconds.

        Returns
        -------
        ndarray, shape (nq,)
            Newton meters, or newtons for slides.
        """
        return self.model.inverse_dynamics(q, qp, qpp)

    # -- table --------------------------------------------------------------------------------

    def table(self) -> Array:
        """Return the Denavit-Hartenberg table, with the coordinates at zero.

        Returns
        -------
        ndarray, shape (n, 4)
            Rows theta, d, a, alpha, radians and meters.
        """
        return np.array([self._row(joint) for joint in self._joints])

    def _row(self, joint: JointSpec) -> tuple[float, float, float, float]:
        place = joint.placement
        if self.convention == "standard":
            place = self._steps[f"{joint.name}_frame"].placement
        return dh_row(place, self.convention)

    def __str__(self) -> str:
        head = ("link", "type", "theta", "d", "a", "alpha", "min", "max")
        rows = [f"{self.model.name}: {len(self._joints)} links, {self.convention} convention"]
        rows.append(f"{head[0]:>4} {head[1]:<9}" + "".join(f"{word:>11}" for word in head[2:]))
        for i, (joint, row) in enumerate(zip(self._joints, self.table(), strict=True), 1):
            lower, upper = joint.limits() if joint.nq else ([-inf], [inf])
            cells = [f"{value:11.5f}" for value in (*row, lower[0], upper[0])]
            if joint.nq:
                moving = 0 if joint.kind == "revolute" else 1
                cells[moving] = f"{'q' + format(row[moving], '+.5f'):>11}"
            rows.append(f"{i:>4} {joint.kind:<9}" + "".join(cells))
        return "\n".join(rows)
