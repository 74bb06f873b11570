"""Slices through the workspace of six-legged platforms: what the legs reach, what is singular."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.closed.parallel import StewartPlatform
from handik.errors import ArgumentError
from handik.spec._given import PoseLike, of_class, reals, rigid_poses, sequence
from handik.spec.transforms import from_rotation_vector, rotation_vector

__all__ = ["Slice", "workspace_slice"]

Array = NDArray[np.float64]
WORDS = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """Two of the six coordinates of a pose on a grid, the other four held.

    Attributes
    ----------
    words : tuple of str
        The two coordinates: x, y, z (m), or rx, ry, rz (rotation vector, rad).
    first, second : ndarray
        Their values, shapes (m,) and (n,).
    lengths : ndarray, shape (m, n, 6)
        Leg lengths.
    reached : ndarray of bool, shape (m, n)
        All legs are inside their stroke.
    determinant : ndarray, shape (m, n)
        Of the Jacobian over the platform's radius cubed: it changes sign across a singular locus.
    singularity : ndarray, shape (m, n)
        `StewartPlatform.singularity`: 0 on a singular locus.
    """

    words: tuple[str, str]
    first: Array
    second: Array
    lengths: Array
    reached: NDArray[np.bool_]
    determinant: Array
    singularity: Array

    @property
    def area(self) -> float:
        """Area of the reached cells, in the units of the two coordinates."""
        cells = np.abs(np.diff(self.first)[:, None] * np.diff(self.second))
        inner = self.reached
        corners = inner[:-1, :-1] & inner[1:, :-1] & inner[:-1, 1:] & inner[1:, 1:]
        return float(np.sum(cells[corners]))

    def locus(self) -> Array:
        """Return points (k, 2) of the singular locus: where the determinant changes sign.

        On the grid's lines, by linear interpolation between neighbors.

        Returns
        -------
        ndarray, shape (k, 2)
            Values of the two coordinates that change, meters or radians.
        """
        d, points = self.determinant, []
        under = d < 0  # a zero on the grid itself ends a change of sign too
        for i, j in np.argwhere(under[:-1] != under[1:]):
            t = d[i, j] / (d[i, j] - d[i + 1, j])
            at = self.first[i] + t * (self.first[i + 1] - self.first[i])
            points.append([at, self.second[j]])
        for i, j in np.argwhere(under[:, :-1] != under[:, 1:]):
            t = d[i, j] / (d[i, j] - d[i, j + 1])
            at = self.second[j] + t * (self.second[j + 1] - self.second[j])
            points.append([self.first[i], at])
        return np.array(points).reshape(-1, 2)

    def plot(self, axes: Any = None) -> Any:
        """Draw the reached region, lines of equal singularity and the singular locus.

        Parameters
        ----------
        axes : matplotlib axes, optional
            Where to draw; a new figure if not given.

        Returns
        -------
        matplotlib axes

        Raises
        ------
        ImportError
            When matplotlib is not there.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("pictures need matplotlib: pip install 'handik[plot]'") from None
        axes = plt.subplots(figsize=(6, 5))[1] if axes is None else axes
        grid = self.first, self.second
        axes.contourf(*grid, self.reached.T.astype(float), levels=[0.5, 1.5], colors=["0.85"])
        lines = axes.contour(*grid, self.singularity.T, levels=8, linewidths=0.7)
        axes.clabel(lines, fontsize=7)
        if (self.determinant.min() < 0) and (self.determinant.max() > 0):
            axes.contour(*grid, self.determinant.T, levels=[0.0], colors=["tab:red"], linewidths=2)
        units = ["m" if word in "xyz" else "rad" for word in self.words]
        axes.set_xlabel(f"{self.words[0]} ({units[0]})")
        axes.set_ylabel(f"{self.words[1]} ({units[1]})")
        axes.set_title("grey: reached; red: singular")
        return axes


def workspace_slice(
    platform: StewartPlatform,
    T: PoseLike,
    along: tuple[str, str],
    first: ArrayLike,
    second: ArrayLike,
    stroke: ArrayLike = (0.0, np.inf),
) -> Slice:
    """Look at a grid of poses of a six-legged platform.

    Parameters
    ----------
    platform : StewartPlatform
        The platform.
    T : array_like, shape (4, 4), or pair, or RigidTransform
        The pose that holds the four other coordinates.
    along : (str, str)
        The two that change, of x, y, z, rx, ry, rz.
    first, second : array_like, shapes (m,) and (n,)
        Their values.
    stroke : (shortest, longest)
        Of each leg, m.

    Returns
    -------
    Slice
        Reach, leg lengths and the determinant on the grid.

    Raises
    ------
    ArgumentError
        A shape is wrong or a coordinate is not one of the six.

    Examples
    --------
    >>> import numpy as np
    >>> from handik.closed.parallel import StewartPlatform
    >>> from handik.closed.parallel.maps import workspace_slice
    >>> platform = StewartPlatform.hexagon(1.0, 0.6, 0.1, 0.1)
    >>> T = np.eye(4)
    >>> T[2, 3] = 1.0
    >>> grid = np.linspace(-0.2, 0.2, 5)
    >>> type(workspace_slice(platform, T, ("x", "y"), grid, grid)).__name__
    'Slice'
    """
    middle = rigid_poses(T)
    if middle.shape != (4, 4):
        raise ArgumentError(f"T must have shape (4, 4), got {middle.shape}")
    of_class("platform", platform, StewartPlatform)
    along = sequence("along", along, str, f"two of {', '.join(WORDS)}")
    if len(along) != 2 or along[0] == along[1] or any(word not in WORDS for word in along):
        raise ArgumentError(f"along must be two of {', '.join(WORDS)}, got {along!r}")
    a, b = reals(first, "first", ()), reals(second, "second", ())
    if a.ndim != 1 or b.ndim != 1 or len(a) < 2 or len(b) < 2:
        raise ArgumentError(
            f"first and second need two values or more in a row, got {a.shape} and {b.shape}"
        )
    ends = reals(stroke, "stroke", (2,), finite=False)
    if ends.ndim != 1:
        raise ArgumentError(f"stroke must have shape (2,), got {ends.shape}")
    low, high = ends.tolist()
    vector = np.concatenate([middle[:3, 3], rotation_vector(middle)])
    many = np.broadcast_to(vector, (len(a), len(b), 6)).copy()
    many[..., WORDS.index(along[0])] = a[:, None]
    many[..., WORDS.index(along[1])] = b[None, :]
    poses = from_rotation_vector(many[..., 3:], many[..., :3])
    lengths = platform.ik(poses)
    radius = float(
        np.sqrt(np.mean(np.sum((platform.platform - platform.platform.mean(axis=0)) ** 2, axis=1)))
    )
    rate = platform.jacobian(poses)
    rate[..., 3:] /= radius if radius > 0 else 1.0
    determinant = np.linalg.det(rate)
    reached = np.asarray(((lengths >= low) & (lengths <= high)).all(axis=-1))
    return Slice(
        (along[0], along[1]), a, b, lengths, reached, determinant, platform.singularity(poses)
    )
