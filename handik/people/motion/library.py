"""A library of motions: kept together, found by a posture or a hand's goal, adapted to others."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik._model import Model, load
from handik.errors import ArgumentError, ReadError
from handik.files.read.mot import read_mot
from handik.people.human import Human
from handik.people.motion.edit import Edited, lead
from handik.people.motion.motion import Motion
from handik.people.motion.retarget import retarget
from handik.spec._given import known_name, of_class, path_text, points_of, text, whole_number

__all__ = ["Found", "Library"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Found:
    """A motion of a library, and how near it comes.

    Attributes
    ----------
    name : str
        Of the motion.
    frame : int
        The nearest frame in it.
    distance : float
        Meters from a point, or root mean square of the radians and meters from a posture.
    """

    name: str
    frame: int
    distance: float


class Library:
    """Motions by name, of one figure or of many.

    Parameters
    ----------
    motions : iterable of Motion
        Each with a name of its own.

    Raises
    ------
    ArgumentError
        When a motion has no name, or that of another.

    Examples
    --------
    >>> import numpy as np, handik as hk
    >>> from handik.people.motion import Library
    >>> arm = hk.chain([0.3, 0.2])
    >>> low = hk.Motion(np.linspace([0, 0], [0.5, 0], 5), np.arange(5), arm, name="low")
    >>> high = hk.Motion(np.linspace([1, 0], [1.5, 0], 5), np.arange(5), arm, name="high")
    >>> [one.name for one in Library([low, high]).reaching("tip", [0.0, 0.5, 0.0])]
    ['high', 'low']
    """

    def __init__(self, motions: Iterable[Motion] = ()) -> None:
        self._motions: dict[str, Motion] = {}
        if not isinstance(motions, Iterable):
            raise TypeError("motions must be a list of handik motions")
        for motion in motions:
            self.add(of_class("motions", motion, Motion))

    def __len__(self) -> int:
        return len(self._motions)

    def __iter__(self) -> Iterator[Motion]:
        return iter(self._motions.values())

    def __getitem__(self, name: str) -> Motion:
        return self._motions[known_name("motion", name, self._motions)]

    def __repr__(self) -> str:
        return f"Library of {len(self)}: {', '.join(list(self._motions)[:8])}"

    def add(self, motion: Motion) -> None:
        """Take a motion in.

        Parameters
        ----------
        motion : Motion
            With at least a frame, and a name that no other has.

        Raises
        ------
        ArgumentError
            When it has no frame, no name, or that of another.
        """
        of_class("motion", motion, Motion)
        if not motion.name or motion.name in self._motions or not len(motion):
            raise ArgumentError(
                f"a motion in a library has a frame and a name of its own, got {motion!r}; have: "
                + ", ".join(self._motions)
            )
        self._motions[motion.name] = motion

    # -- finding --------------------------------------------------------------------------------

    def reaching(self, frame: str, point: ArrayLike, *, most: int = 5) -> list[Found]:
        """Find the motions in which a frame comes nearest to a point.

        Parameters
        ----------
        frame : str
            Such as a hand; motions of figures without it are passed over.
        point : array_like, shape (3,)
            Meters, in the world.
        most : int
            How many are returned.

        Returns
        -------
        list of Found
            The nearest first.

        Raises
        ------
        NotFoundError
            When no figure has the frame.
        """
        text("frame", frame)
        place, most = points_of(point, "point", (3,)), whole_number("most", most)
        known_name("frame", frame, {n for m in self for n in m.model.frame_names})
        found = []
        for name, motion in self._motions.items():
            if frame in motion.model.frame_names:
                off = np.hypot.reduce(motion.path(frame) - place, axis=1)  # of any length
                found.append(Found(name, int(off.argmin()), float(off.min())))
        return sorted(found, key=lambda one: one.distance)[:most]

    def like(
        self, q: ArrayLike, model: Model, *, joints: Iterable[str] | None = None, most: int = 5
    ) -> list[Found]:
        """Find the motions with the frame most like a posture.

        Parameters
        ----------
        q : array_like, shape (nq,)
            The posture.
        model : Model
            Whose it is; motions of figures with other joints are passed over.
        joints : iterable of str, optional
            The joints that are compared; all but free ones, which say where the figure stands, by
            default.
        most : int
            How many are returned.

        Returns
        -------
        list of Found
            The nearest first.

        Raises
        ------
        NotFoundError
            When a joint is not there.
        """
        of_class("model", model, Model)
        posture, most = points_of(q, "q", (model.nq,)), whole_number("most", most)
        chosen = _columns(model, joints)
        found = []
        for name, motion in self._motions.items():
            other = motion.model
            if other.nq == model.nq and other.joint_names == model.joint_names:
                v = np.asarray(model.difference(motion.q, posture))[:, chosen]
                off = np.sqrt((v**2).mean(axis=1))
                found.append(Found(name, int(off.argmin()), float(off.min())))
        return sorted(found, key=lambda one: one.distance)[:most]

    # -- using ----------------------------------------------------------------------------------

    def adapted(
        self,
        name: str,
        person: Human | Model,
        *,
        frame: str | None = None,
        point: ArrayLike | None = None,
        keep: tuple[str, ...] = (),
        source_rest: ArrayLike | None = None,
    ) -> Edited:
        """Give a motion to another figure, and lead a hand of it to a point, its style kept.

        Parameters
        ----------
        name : str
            Of the motion.
        person : Human or Model
            Who shall move.
        frame : str, optional
            Of the person: what shall come to the point, at the frame of the motion where it is
            nearest.
        point : array_like, shape (3,), optional
            Meters, in the person's world.
        keep : tuple of str
            Frames of the person that stay where they are, such as feet.
        source_rest : array_like, shape (nq,), optional
            As in `retarget`, and not used where the figure has the same joints and lengths.

        Returns
        -------
        Edited

        Raises
        ------
        ArgumentError
            When one of `frame` and `point` is given alone, or the figures have no limb in common.
        NotFoundError
            When there is no such motion or frame.
        """
        motion = self[name]
        model = person.model if isinstance(person, Human) else of_class("person", person, Model)
        if (frame is None) != (point is None):
            raise ArgumentError("give frame= and point= together, or neither")
        if model is not motion.model:
            motion = retarget(motion, person, source_rest=source_rest).motion
        if frame is None or point is None:
            return Edited(motion, np.zeros(len(motion)), {})
        known_name("frame", frame, model.frame_names)
        place = points_of(point, "point", (3,))
        nearest = int(np.hypot.reduce(motion.path(frame) - place, axis=1).argmin())
        return lead(motion, frame, {nearest: place}, fade=max(motion.duration, 1e-9), keep=keep)

    # -- files ----------------------------------------------------------------------------------

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write every motion to a folder: its figure (TOML) and its coordinates (MOT).

        Parameters
        ----------
        folder : path
            Made if it is not there. Files of the same names are replaced.

        Raises
        ------
        ArgumentError
            When a motion's name cannot be a file's.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> import handik as hk
        >>> from handik.people.motion import Library
        >>> arm = hk.chain([0.3])
        >>> with TemporaryDirectory() as folder:
        ...     Library([hk.Motion([[0.1]], [0.0], arm, name="still")]).save(folder)
        ...     Library.read(folder)
        Library of 1: still
        """
        place = Path(path_text("folder", folder))
        for name in self._motions:
            if not re.fullmatch(r"\w[\w .()+-]*", name):
                raise ArgumentError(f"a motion named {name!r} cannot be a file: use letters")
        place.mkdir(parents=True, exist_ok=True)
        for name, motion in self._motions.items():
            motion.model.save(place / f"{name}.toml")
            motion.save(place / f"{name}.mot")

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> Library:
        """Read a library from the folder it was saved to.

        Parameters
        ----------
        folder : path

        Returns
        -------
        Library

        Raises
        ------
        ReadError
            When a motion has no figure beside it, or a file is malformed.
        """
        place = Path(path_text("folder", folder))
        if not place.is_dir():
            raise ReadError("no such folder", str(place))
        found: dict[bytes, Model] = {}
        library = cls()
        for path in sorted(place.glob("*.mot")):
            figure = path.with_suffix(".toml")
            if not figure.is_file():
                raise ReadError(f"no figure {figure.name} beside it", str(path))
            written = figure.read_bytes()
            model = found.setdefault(written, found.get(written) or load(figure))
            table = read_mot(path)
            library.add(Motion(table.coordinates(model), table.times, model, name=path.stem))
        return library


def _columns(model: Model, joints: Iterable[str] | None) -> NDArray[np.bool_]:
    """Return which coordinates of a motion are compared."""
    kinds: Mapping[str, str] = dict(zip(model.joint_names, model.joint_kinds, strict=True))
    if joints is None:
        names = [name for name in model.joint_q_slices if kinds[name] != "free"]
    else:
        if isinstance(joints, str) or not isinstance(joints, Iterable):
            raise TypeError(f"joints must be a list of names, got {joints!r}")
        names = [known_name("joint", name, model.joint_q_slices) for name in joints]
    chosen = np.zeros(model.nv, bool)
    for name in names:
        joint = model.joint_names.index(name)
        steps = model.step_joint == joint
        for v, kind in zip(model.step_v[steps], model.step_kind[steps], strict=True):
            chosen[v : v + (3 if kind == 2 else 1)] = True
    if not chosen.any():
        raise ArgumentError("no joint is left to compare")
    return chosen
