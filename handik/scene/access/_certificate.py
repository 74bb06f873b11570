"""Certificates of a "no": the cells of a search, to be checked by other arithmetic."""

from __future__ import annotations

import hashlib
import os
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.errors import ArgumentError, UnsupportedError
from handik.model import Model
from handik.people import Human
from handik.scene.access._body import with_point
from handik.scene.access._check import Chain, check_tree
from handik.scene.check import Figure

if TYPE_CHECKING:
    from handik.scene.access._verdict import Reach

__all__ = ["Certificate", "certificate_of"]

Array = NDArray[np.float64]

_FIELDS = ("frame", "target", "far", "how", "normal", "point", "axis", "half_angle")
#: What reading a damaged file raises.
DAMAGED = (
    *(ValueError, KeyError, TypeError, EOFError, OverflowError, MemoryError),
    *(BadZipFile, NotImplementedError, RuntimeError, zlib.error, TokenError, SyntaxError),
)
#: By how much the square of an axis may differ from 1, for rounding.
UNIT = 1e-12
#: Lines that a file may have.
MOST = 10**7


@dataclass(frozen=True, eq=False)
class Certificate:
    """Why a frame stays farther from a target than a distance, in a form that can be checked.

    The ranges of the joints before the shoulder (of all joints, where there is none) are cut into
    cells, line by line: a line names the joint that is halved, or says how its cell was closed.
    What the cells claim is not believed but worked out again by `check`, in NumPy, with formulas
    written for it alone: a wrong line can only make the check fail.

    Attributes
    ----------
    frame : str
        The frame of the model that is not at the target.
    target : ndarray (3,)
        Meters, in the world.
    far : float
        Meters that the frame stays away from it at least.
    how : ndarray of int8 (n,)
        The number of the joint that is halved, its lower half first; 100: a plane parts the cell
        from the target; 101: by what each motion does at most; 102: outside the limits.
    normal : ndarray (n, 3)
        Of the planes.
    point : ndarray (3,)
        Of a no that an axis brings: a point behind the frame, in its axes; else zeros. What is
        claimed then is of postures alone in which the way from it to the frame is along `axis`.
    axis : ndarray (3,)
        In the world, of unit length; zeros without one.
    half_angle : float
        Radians about the axis that count as along it.
    digest : str
        Of all of it, by which a change is told; made where it is not given.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.3, 0.3, 0.2]).with_limits({"joint_2": (0.5, 2.0)})
    >>> proof = hk.access.reach(arm, None, [0.79, 0.0, 0.0]).certificate
    >>> proof.check(arm), proof.check(hk.chain([0.3, 0.3, 0.2]))
    (True, False)
    """

    frame: str
    target: Array
    far: float
    how: NDArray[np.int8]
    normal: Array
    digest: str = ""
    point: Array = field(default_factory=lambda: np.zeros(3))
    axis: Array = field(default_factory=lambda: np.zeros(3))
    half_angle: float = 0.0

    def __post_init__(self) -> None:
        kinds = {"target": float, "how": None, "normal": float, "point": float, "axis": float}
        for name, kind in kinds.items():
            object.__setattr__(self, name, np.asarray(getattr(self, name), kind))
        if not self.digest:
            object.__setattr__(self, "digest", self._sum())

    def _sum(self) -> str:
        out = hashlib.sha256(self.frame.encode())
        for part in (
            *(self.target, np.float64(self.far), self.how, self.normal),
            *((self.point, self.axis, np.float64(self.half_angle)) if self.point.any() else ()),
        ):
            out.update(np.ascontiguousarray(part).tobytes())
        return out.hexdigest()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file of NumPy's, suffix ``.npz``.

        Parameters
        ----------
        path : path
            Written over where it exists.

        Examples
        --------
        >>> import handik as hk, tempfile, pathlib
        >>> proof = hk.access.reach(hk.chain([0.3, 0.2]), None, [0.6, 0, 0]).certificate
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     proof.save(pathlib.Path(folder) / "no.npz")
        ...     hk.access.Certificate.load(pathlib.Path(folder) / "no.npz").far
        0.001
        """
        fields: dict[str, Any] = {name: np.asarray(getattr(self, name)) for name in _FIELDS}
        with Path(path).open("wb") as file:
            np.savez_compressed(file, digest=np.asarray(self.digest), **fields)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Certificate:
        """Read what `save` wrote.

        Parameters
        ----------
        path : path

        Returns
        -------
        Certificate
            Not yet checked.

        Raises
        ------
        ArgumentError
            When the file is none, or is damaged.
        OSError
            When it cannot be read.
        """
        try:
            with Path(path).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                got = {name: file[name] for name in (*_FIELDS, "digest")}
            how, normal = np.asarray(got["how"], np.int8), np.asarray(got["normal"], float)
            made = Certificate(
                str(got["frame"]),
                np.asarray(got["target"], float).reshape(3),
                float(got["far"]),
                how,
                normal.reshape(len(how), 3),
                str(got["digest"]),
                np.asarray(got["point"], float).reshape(3),
                np.asarray(got["axis"], float).reshape(3),
                float(got["half_angle"]),
            )
        except OSError:
            raise
        except DAMAGED as error:
            raise ArgumentError(f"{os.fspath(path)}: no certificate, or a damaged one") from error
        return made

    def check(self, figure: Human | Model | Figure) -> bool:
        """Tell whether it proves what it says of this figure.

        Parameters
        ----------
        figure : Human, Model or Figure
            Its placements, axes and limits are used, and nothing of the core.

        Returns
        -------
        bool
            False: it is damaged, or proves nothing of this figure, or not by what it holds.

        Raises
        ------
        TypeError
            When `figure` is none.
        UnsupportedError
            When the way to the frame has joints that no certificate knows.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.3, 0.2])
        >>> hk.access.reach(arm, None, [0.6, 0, 0]).certificate.check(arm)
        True
        """
        model = figure if isinstance(figure, Model) else getattr(figure, "model", None)
        if not isinstance(model, Model):
            raise TypeError(
                f"figure must be a Human, a Model or a Figure, got {type(figure).__name__}"
            )
        sound = (
            self.digest == self._sum()
            and self.frame in model.frame_names
            and all(v.shape == (3,) for v in (self.target, self.point, self.axis))
            and bool(np.all(np.isfinite([*self.target, *self.point, *self.axis])))
            and 0 < self.far < np.inf
            and 0 <= self.half_angle <= np.pi
            and self.how.ndim == 1
            and self.how.dtype.kind in "iu"
            and self.normal.shape == (len(self.how), 3)
            and len(self.how) <= MOST
            and (not self.point.any() or abs(float(self.axis @ self.axis) - 1) < UNIT)
        )
        if not sound:
            return False
        back = float(np.linalg.norm(self.point))
        # where the axis is within the half angle, the point is so near to a place
        there = self.target - back * self.axis
        far = self.far + 2 * back * np.sin(0.5 * self.half_angle)
        chain = Chain(model, self.frame, self.point)
        return check_tree(chain, there, float(far), self.how, self.normal)


def certificate_of(reach: Reach) -> Certificate | None:
    """Return the certificate of a verdict; None where it is not "no"."""
    if reach.verdict != "no":
        return None
    model, asked = reach._asked.model, reach._asked
    Chain(model, reach.frame)  # or says why there is none
    if reach._by_obstacles:
        raise UnsupportedError("a no by an obstacle has no certificate: Scene.distance shows it")
    if reach._anywhere:
        raise UnsupportedError("a no wherever a chair stops has no certificate")
    if reach._either:
        raise UnsupportedError("a certificate is of one frame: ask for each hand by itself")
    frame, there, far = reach.frame, reach.target, asked.tolerance
    more: dict[str, Any] = {}
    if reach._point is not None:
        axis, half = asked.options.axis, asked.options.half_angle
        assert axis is not None
        back = float(np.linalg.norm(reach._point))
        more = {"point": np.array(reach._point), "axis": axis.copy(), "half_angle": half}
        model, frame = with_point(model, frame, reach._point)
        there, far = there - back * axis, far + 2 * back * float(np.sin(0.5 * half))
    way = there - model.fk(reach.q, frame=frame)[:3, 3]
    normal = way / max(float(np.linalg.norm(way)), 1e-12)
    chain = _core._reach_chain(model, frame, False)
    outcome, how, normals = _core._reach_trace(
        chain, there[None], normal[None], far, max(asked.budget, 10**6)
    )
    if outcome != 0:
        raise UnsupportedError(
            "the search that would make a certificate did not end: lengths alone prove this no"
        )
    return Certificate(reach.frame, reach.target.copy(), asked.tolerance, how, normals, **more)
