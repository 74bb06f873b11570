"""How well a model can move where it stands: condition number and manipulability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, shortened
from handik.model import Model
from handik.spec._given import choice, finite_number, is_model, reals, whole_number

if TYPE_CHECKING:
    from handik._model import Model as Solvable

__all__ = ["Conditioning", "Section", "conditioning", "workspace_section"]

Array = NDArray[np.float64]

PLANES = ("xy", "xz", "yz")


@dataclass(frozen=True, slots=True, eq=False)
class Conditioning:
    """Singular values of the Jacobian of a point, largest first, and what is made of them.

    Attributes
    ----------
    singular_values : ndarray, shape (..., r)
        Meters a radian, or none for slides.
    """

    singular_values: Array

    @property
    def condition(self) -> Array:
        """Largest over smallest: how much worse the worst direction is; infinite when singular."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Array = self.singular_values[..., 0] / self.singular_values[..., -1]
        return found

    @property
    def manipulability(self) -> Array:
        """Product of the singular values, sqrt(det(J J^T)); 0 when singular."""
        found: Array = np.prod(self.singular_values, axis=-1)
        return found


def conditioning(
    model: Model, q: ArrayLike, *, frame: str | None = None, axes: str = "xyz"
) -> Conditioning:
    """Measure how well a frame's origin can be moved.

    Rotations are left out: a radian and a meter have no common measure.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    frame : str, optional
        The model's tip if not given.
    axes : str
        Directions of the world that count: ``"xy"`` for a model of that plane, which is never
        able to leave it.

    Returns
    -------
    Conditioning

    Raises
    ------
    ArgumentError
        For other axes, or more of them than there are joints.

    References
    ----------
    T. Yoshikawa: Manipulability of robotic mechanisms. International Journal of Robotics Research 4
    (1985), 3-9. J. K. Salisbury, J. J. Craig: Articulated hands. International Journal of Robotics
    Research 1 (1982), 4-17.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0])
    >>> round(float(hk.study.conditioning(arm, [0.0, hk.deg(90)], axes="xy").manipulability), 9)
    1.0
    """
    is_model(model)
    rows = _rows("axes", axes)
    if len(rows) > model.nv:
        raise ArgumentError(
            f"{model.name!r} has {model.nv} degrees of freedom, too few for axes={axes!r}"
        )
    jacobian = np.asarray(model.jacobian(reals(q, "q", (model.nq,)), frame=frame))[..., rows, :]
    values: Array = np.linalg.svd(jacobian, compute_uv=False).astype(np.float64, copy=False)
    return Conditioning(values)


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A plane section of the workspace, with the configuration in which each place is best reached.

    Attributes
    ----------
    axes : str
        The plane, such as ``"xz"``.
    points : ndarray, shape (n, n, 3)
        Meters; the plane's second axis changes along the first axis, as rows of a picture do.
    q : ndarray, shape (n, n, nq)
        NaN where no configuration was found.
    condition, manipulability : ndarray, shape (n, n)
        Of these configurations; NaN where there is none.
    """

    axes: str
    points: Array
    q: Array
    condition: Array
    manipulability: Array

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Where a configuration was found, shape (n, n)."""
        found: NDArray[np.bool_] = np.isfinite(self.manipulability)
        return found


def workspace_section(
    model: Solvable,
    plane: str = "xz",
    *,
    at: float = 0.0,
    frame: str | None = None,
    axes: str = "xyz",
    count: int = 50,
    starts: int = 8,
    seed: int = 0,
    solver: str = "auto",
) -> Section:
    """Reach a grid of places of a plane in several ways, and keep the best conditioned of each.

    Parameters
    ----------
    model : Model
    plane : {"xy", "xz", "yz"}
    at : float
        Where the plane stands along its normal, meters.
    frame : str, optional
        The frame whose origin is put there; the model's tip if not given.
    axes : str
        As in `conditioning`.
    count : int
        Places along each side of the square, from the base `Model.max_reach` to each side.
    starts : int
        Random starts a place; the configuration with the smallest condition number is kept.
    seed : int
    solver : str

    Returns
    -------
    Section

    Raises
    ------
    ArgumentError
        For another plane or axes, or numbers out of range.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 0.5])
    >>> found = hk.study.workspace_section(arm, "xy", axes="xy", count=9)
    >>> int(found.reached[4].sum())  # of a row through the base: a ring from 0.5 to 1.5 m
    6
    """
    is_model(model)
    shown = _rows("plane", choice("plane", plane, PLANES))
    at = finite_number("at", at)
    count, starts = whole_number("count", count), whole_number("starts", starts)
    if count < 2 or starts < 1:
        raise ArgumentError(f"count must be 2 and starts 1 or more, got {count} and {starts}")
    reach = model.max_reach
    base = np.asarray(model.frames(model.rest))[0, :3, 3]
    side = np.linspace(-reach, reach, count)
    points = np.full((count, count, 3), at)
    points[..., shown[0]], points[..., shown[1]] = np.meshgrid(
        base[shown[0]] + side, base[shown[1]] + side
    )
    targets = np.repeat(points.reshape(-1, 3), starts, axis=0)
    q0 = model.sample(len(targets), seed=seed)
    found = model.solve(position=targets, q0=q0, frame=frame, solver=solver)
    measured = conditioning(model, found.q, frame=frame, axes=axes)
    condition = np.where(found.converged, measured.condition, np.nan).reshape(-1, starts)
    none = np.isnan(condition).all(axis=1)
    # Singular configurations come before none at all, so that a place that has no other keeps one.
    rank = np.where(np.isnan(condition), np.inf, np.minimum(condition, np.finfo(float).max))
    pick = np.arange(len(targets) // starts) * starts + np.argmin(rank, axis=1)
    q = np.where(none.reshape(-1, 1), np.nan, found.q[pick])
    worth = np.where(none, np.nan, measured.manipulability[pick])
    return Section(
        plane,
        points,
        q.reshape(count, count, -1),
        np.where(none, np.nan, condition.reshape(-1)[pick]).reshape(count, count),
        worth.reshape(count, count),
    )


def _rows(name: str, axes: str) -> list[int]:
    """Rows of the Jacobian by the names of the world's axes."""
    known = isinstance(axes, str) and axes and set(axes) <= set("xyz")
    if not known or len(set(axes)) != len(axes):
        raise ArgumentError(f"{name} must be letters of 'xyz', each once, got {shortened(axes)}")
    return ["xyz".index(axis) for axis in axes]
