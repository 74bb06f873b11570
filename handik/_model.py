"""`handik.Model`: the model of `handik.model` with all that can be asked of it; `load`, `chain`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from math import degrees, isfinite
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import model
from handik.closed.analytic import Solutions
from handik.files.read import load_spec
from handik.files.read._collector import no_collection
from handik.files.read.dh import chain_spec
from handik.files.write import save_spec
from handik.problem import Problem
from handik.result import Result
from handik.solve.track import Track, track
from handik.spec._given import OrientationLike, PoseLike
from handik.spec._html import html_table

if TYPE_CHECKING:
    from handik.scene.check import Clearance
    from handik.scene.document import Scene

__all__ = ["Model", "chain", "load"]

F = TypeVar("F", bound=Callable[..., Any])
#: The model among the parameters of a docstring.
_ARGUMENT = re.compile(r"^ *model : Model\n(?: +.*\n)?", re.MULTILINE)


def _doc_of(function: Callable[..., Any]) -> Callable[[F], F]:
    """Give a method the docstring of the function that it calls, without the model."""

    def give(method: F) -> F:
        if function.__doc__:  # there is none under -OO; from Python 3.13 on it is not indented
            method.__doc__ = _ARGUMENT.sub("", function.__doc__, count=1)
        return method

    return give


class Model(model.Model):
    __doc__ = model.Model.__doc__

    if TYPE_CHECKING:  # in the core, which looks for a call it knows before it asks Python

        def solve(
            self,
            *,
            position: ArrayLike | None = None,
            orientation: OrientationLike | None = None,
            pose: PoseLike | None = None,
            axis: ArrayLike | None = None,
            frame: str | int | None = None,
            solver: str | None = None,
            q0: ArrayLike | None = None,
            position_tolerance: float | None = None,
            orientation_tolerance: float = 1e-4,
            tool_axis: tuple[float, float, float] = (0.0, 0.0, 1.0),
            lock: Mapping[str, Any] | None = None,
            scene: Scene | Clearance | None = None,
            max_iter: int | None = None,
            time_limit: float | None = None,
            retries: int = 0,
            seed: int = 0,
            threads: int = 1,
            ftol: float | None = None,
            out: NDArray[np.float64] | None = None,
            trace: bool = False,
            progress: Callable[[int, int], object] | bool | None = None,
            **options: float,
        ) -> Result: ...

        def solutions(
            self,
            T: PoseLike,
            *,
            frame: str | int | None = None,
            task: str = "pose",
            turns: bool = False,
            closest: bool = False,
            lock: Mapping[str, ArrayLike] | str | None = None,
            samples: int = 16,
            method: str = "auto",
            out: NDArray[np.float64] | None = None,
            threads: int = 1,
        ) -> Solutions: ...

    @_doc_of(track)
    def track(
        self,
        *,
        problem: Problem | None = None,
        targets: ArrayLike | None = None,
        q0: ArrayLike | None = None,
        solver: str = "auto",
        prefer: ArrayLike | None = None,
        max_speed: ArrayLike = 0.5,
        dt: float = 1.0,
        seed: int = 0,
        threads: int = 1,
        position: ArrayLike | None = None,
        orientation: OrientationLike | None = None,
        pose: PoseLike | None = None,
        axis: ArrayLike | None = None,
        frame: str | int | None = None,
        position_tolerance: float | None = None,
        orientation_tolerance: float = 1e-4,
        tool_axis: tuple[float, float, float] = (0.0, 0.0, 1.0),
        lock: Mapping[str, Any] | None = None,
        **options: float,
    ) -> Track:
        return track(
            self,
            problem=problem,
            targets=targets,
            q0=q0,
            solver=solver,
            prefer=prefer,
            max_speed=max_speed,
            dt=dt,
            seed=seed,
            threads=threads,
            position=position,
            orientation=orientation,
            pose=pose,
            axis=axis,
            frame=frame,
            position_tolerance=position_tolerance,
            orientation_tolerance=orientation_tolerance,
            tool_axis=tool_axis,
            lock=lock,
            **options,
        )

    def __dir__(self) -> list[str]:
        """Leave out the tables of the core (`step_*` ...), which can be read all the same."""
        shown = super().__dir__()
        return [name for name in shown if name not in _TABLES and not name.startswith("step_")]

    def _repr_html_(self) -> str:
        """Return a table of the joints that move, for Jupyter."""
        rows = []
        for joint, kind in zip(self.joint_names, self.joint_kinds, strict=True):
            at = self.joint_q_slices.get(joint)
            if kind == "fixed":
                continue
            where, limits = "follows another", ["", ""]
            if at is not None:
                where = f"q[{at.start}:{at.stop}]"
                if at.stop - at.start == 1:
                    limits = [_limit(float(x[at.start]), kind) for x in (self.lower, self.upper)]
            rows.append((joint, kind, where, *limits))
        return f"<p>{escape(repr(self))}</p>" + html_table(
            [("joint", "kind", "coordinates", "lower", "upper")], rows
        )

    def save(self, path: str | os.PathLike[str], lost: list[str] | None = None) -> None:
        """Write a file in the format of its suffix; see `handik.files.write.save_spec`.

        Parameters
        ----------
        path : path
            The file; its suffix gives the format: toml, urdf, sdf, mjcf, xml, csv or conf.
        lost : list, optional
            Takes a sentence for everything that the format cannot hold.

        Raises
        ------
        UnsupportedError
            For another suffix, or what the format cannot hold when `lost` is not given.
        ModelError
            When the spec is not sound.
        """
        save_spec(self._spec, path, lost)


#: The core's own tables, which few readers of a model want.
_TABLES = (
    *("frame_placement", "frame_step", "joint_kind", "joint_mimic", "joint_parent", "joint_q"),
    *("follow", "joint_step", "joint_v", "swing"),
)


def _limit(value: float, kind: str) -> str:
    if not isfinite(value):
        return "none"
    return f"{value:.4g} m" if kind == "prismatic" else f"{degrees(value):.4g} deg"


def load(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    tip: str | None = None,
    name: str | None = None,
    scale: float | None = None,
    up: str | None = None,
    convention: str | None = None,
    mesh_roots: Iterable[str | os.PathLike[str]] | None = None,
    check_meshes: bool | None = None,
    **options: Any,
) -> Model:
    """Read a model file.

    Parameters
    ----------
    path : path
        The file; its suffix chooses the reader.
    base, tip : str, optional
        Keep the chain of links between these two; the whole tree if neither is given.
    name : str, optional
        Of BVH, tables of Denavit-Hartenberg parameters and ROBOOP: name of the model.
    scale, up : float and {"y", "z"}, optional
        Of BVH: meters to the file's unit of length, and its axis that points up.
    convention : {"standard", "modified"}, optional
        Of tables and ROBOOP.
    mesh_roots : path or iterable of paths, optional
        Of URDF, xacro, SDF, MJCF and TOML: folders in which meshes are looked for, beside the
        folder of the file and the ROS package (``package.xml``) that it lies in.
    check_meshes : bool, optional
        Of the same: raise for a missing mesh.
    **options
        Of one reader alone, such as ``packages`` of xacro; see `handik.files.read`.

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
        When what was read makes no model.
    ArgumentError
        For a keyword that the reader of this format does not take.
    UnsupportedError
        When no reader knows the suffix.

    Examples
    --------
    >>> arm = hk.load("panda.urdf", tip="panda_hand")  # doctest: +SKIP
    """
    given: dict[str, Any] = {"name": name, "scale": scale, "up": up, "convention": convention}
    given |= {"mesh_roots": mesh_roots, "check_meshes": check_meshes}
    options |= {key: value for key, value in given.items() if value is not None}
    with no_collection():
        if base is None and tip is None:
            return Model._of(load_spec(path, **options))  # a reader checks, and keeps nothing
        return Model(load_spec(path, base=base, tip=tip, **options))


def chain(
    lengths: ArrayLike,
    joint: str = "revolute",
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    axis: Sequence[float] = (0.0, 0.0, 1.0),
    name: str = "chain",
) -> Model:
    """Build an open chain of links along x.

    Parameters
    ----------
    lengths : array_like, shape (n,)
        Length of each link, meters.
    joint : {"revolute", "ball"}
        Hinges about z make a planar chain in the xy plane.
    lower, upper : float or array_like, shape (n,), optional
        Limits, radians; not for balls.
    axis : sequence of 3 floats
        Axis that revolute joints turn about.
    name : str
        Name of the model.

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
    return Model(chain_spec(lengths, joint, lower=lower, upper=upper, axis=axis, name=name))
