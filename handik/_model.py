"""`handik.Model`: the model of `handik.model` with all that can be asked of it; `load`, `chain`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from handik import model
from handik.closed.analytic import Solutions
from handik.read import load_spec
from handik.read._collector import no_collection
from handik.read.dh import chain_spec
from handik.result import Result
from handik.solve.track import Track, track
from handik.write import save_spec

__all__ = ["Model", "chain", "load"]


class Model(model.Model):
    __doc__ = model.Model.__doc__

    if TYPE_CHECKING:  # in the core, which looks for a call it knows before it asks Python

        def solve(self, **wishes: Any) -> Result:
            """Find coordinates that meet one goal of one frame; see `handik.solve.solve_goal`."""

        def solutions(self, T: ArrayLike, **wishes: Any) -> Solutions:
            """Find every posture that puts a frame at a pose; see `closed.analytic.solutions`."""

    def track(self, **wishes: Any) -> Track:
        """Follow a path of goals without jumps; see `handik.solve.track.track`."""
        return track(self, **wishes)

    def save(self, path: str | os.PathLike[str], lost: list[str] | None = None) -> None:
        """Write a file in the format of its suffix; see `handik.write.save_spec`."""
        save_spec(self._spec, path, lost)


def load(
    path: str | os.PathLike[str], *, base: str | None = None, tip: str | None = None, **options: Any
) -> Model:
    """Read a model file.

    Parameters
    ----------
    path : path
        The file; its suffix chooses the reader.
    base, tip : str, optional
        Keep the chain of links between these two; the whole tree if neither is given.
    **options
        Passed to the reader, such as ``mesh_roots``.

    Returns
    -------
    Model

    Raises
    ------
    ReadError
        With file, line and element, when the file does not keep to its format.
    NotFoundError
        When `base` or `tip` is no link of the file.
    ModelError
        When what was read makes no figure.
    UnsupportedError
        When no reader knows the suffix.

    Examples
    --------
    >>> arm = hk.load("panda.urdf", tip="panda_hand")  # doctest: +SKIP
    """
    with no_collection():
        if base is None and tip is None:
            return Model._of(load_spec(path, **options))  # a reader checks, and keeps nothing
        return Model(load_spec(path, base=base, tip=tip, **options))


def chain(lengths: ArrayLike, joint: str = "revolute", **options: Any) -> Model:
    """Build an open chain of links along x.

    Parameters
    ----------
    lengths : array_like, shape (n,)
        Length of each link, metres.
    joint : {"revolute", "ball"}
        Hinges about z make a planar chain in the xy plane.
    **options
        ``lower``, ``upper`` (radians), ``axis``, ``name``: see `handik.read.dh.chain_spec`.

    Returns
    -------
    Model
        Links ``link_0`` to ``link_n``, joints ``joint_1`` to ``joint_n``, tip frame ``tip``.

    Raises
    ------
    ArgumentError
        When a length is negative or not finite, or `joint` is no such kind.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.3, 0.3, 0.2])
    >>> arm.fk([0.0, 0.0, 0.0])[:3, 3]
    array([0.8, 0. , 0. ])
    """
    return Model(chain_spec(lengths, joint, **options))
