"""The surface of a person in a posture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from handik import _core
from handik.errors import ArgumentError, UnsupportedError
from handik.people.dimensions import Dimensions
from handik.people.skeleton import joint_centers
from handik.people.surface._bind import bind, drive, link_shares
from handik.people.surface._capsules import BodyCapsule, capsules
from handik.people.surface._data import Floats, Ints, mesh
from handik.people.surface._deltoid import LEAST, MOST, breadth, deltoids, outward
from handik.people.surface._fit import fit
from handik.people.surface._garments import PARTS, Cut, cut_mesh
from handik.people.surface._glb import Rig
from handik.people.surface._place import SIDES
from handik.people.surface._seat import Seat
from handik.people.surface._stump import end_at_stumps
from handik.people.surface._tape import volume
from handik.people.surface._wear import Wardrobe, clothes_of
from handik.people.surface._write import Part, write_surface
from handik.spec._given import is_model, of_class, path_text, reals

if TYPE_CHECKING:
    from handik.people.human import Human

__all__ = ["BodySurface", "ClothedSurface", "Surface"]


@dataclass(frozen=True, eq=False)
class ClothedSurface:
    """What is seen of a person in a posture: clothes, hair, bare skin and eyes.

    Attributes
    ----------
    vertices : ndarray (n, 3)
        Meters, in the person's world.
    faces : ndarray (m, 3)
        Rows of `vertices`, against the clock as seen from outside. But for the eyes they are one
        closed surface: where a garment ends, a strip of its own joins its edge to what is below.
    part : ndarray (m,)
        Of each face the row of `parts`.
    parts : tuple of str
        ``skin``, what is worn, ``brows``, ``lips``, ``eyes``, ``iris``.
    colors : ndarray (len(parts), 3)
        Red, green and blue (sRGB) from 0 to 1; ``colors[part]`` are those of the faces.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female", stature=1.62)
    >>> anna.surface(anna.rest).clothed.parts[:5]
    ('skin', 'hair', 'shirt', 'trousers', 'shoes')
    """

    vertices: Floats
    faces: Ints
    part: Ints
    parts: tuple[str, ...]
    colors: Floats
    _rig: Rig | None = field(default=None, repr=False)

    def save(self, path: str | Path) -> None:
        """Write what is seen to a file.

        Parameters
        ----------
        path : str or Path
            Ends with ``.glb``, which holds the figure too; with ``.obj``, with a group for each
            part and its colors in a ``.mtl`` beside it; or with ``.stl``, which has no colors.

        Raises
        ------
        UnsupportedError
            When it ends otherwise, or with ``.glb`` and the surface is not one a person gave.

        Notes
        -----
        As `Surface.save`.

        Examples
        --------
        >>> import handik as hk
        >>> import tempfile, pathlib
        >>> anna = hk.human(sex="female", stature=1.62)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     anna.surface(anna.rest).clothed.save(pathlib.Path(folder, "anna.obj"))
        ...     print(sorted(k.name for k in pathlib.Path(folder).iterdir()))
        ['anna.mtl', 'anna.obj']
        """
        rows = [(k, self.faces[self.part == k]) for k in range(len(self.parts))]
        parts = tuple(
            Part(self.parts[k], tuple(self.colors[k].tolist()), faces)
            for k, faces in rows
            if len(faces)
        )
        write_surface(Path(path_text("path", path)), self.vertices, parts, self._rig)


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface of triangles, in one posture.

    Attributes
    ----------
    vertices : ndarray (n, 3)
        Meters, in the person's world; those of the skin first, then those of the eyes.
    faces : ndarray (m, 3)
        Rows of `vertices`, against the clock as seen from outside.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female", stature=1.62)
    >>> seated = anna.surface(anna.rest)
    >>> seated.vertices.shape, seated.faces.shape
    ((13524, 3), (27036, 3))
    """

    vertices: Floats
    faces: Ints
    _rig: Rig | None = field(default=None, repr=False)
    _dress: Callable[[], ClothedSurface] | None = field(default=None, repr=False)

    @cached_property
    def clothed(self) -> ClothedSurface:
        """What is seen, with the clothes that `human.surface` was asked for.

        Raises
        ------
        UnsupportedError
            When the surface is not one a person gave.
        """
        if self._dress is None:
            raise UnsupportedError("only a surface that a person gave can be clothed")
        return self._dress()

    @property
    def volume(self) -> float:
        """Cubic meters in the skin; where it overlaps itself the overlap counts twice."""
        faces = self.faces if self._dress is None else mesh().skin_faces
        return volume(self.vertices, faces)

    def save(self, path: str | Path) -> None:
        """Write the surface to a file.

        Parameters
        ----------
        path : str or Path
            Ends with ``.obj`` (text) or ``.stl`` (binary), both in meters, z up; or with ``.glb``,
            which holds the figure too.

        Raises
        ------
        UnsupportedError
            When it ends otherwise, or with ``.glb`` and the surface is not one a person gave.

        Notes
        -----
        The binary glTF 2.0 [1]_ is in meters, y up, z forward. Its nodes are the figure's links by
        their names, in the posture of the surface, and the triangles are bound to them there: four
        links to a vertex. Moved in another program the skin follows by a linear blend, which is
        not what `human.surface` does: turns of forearm and upper arm pinch more.

        References
        ----------
        .. [1] Khronos Group, glTF 2.0 specification (2021), sections 3.7.3 and 4.4.

        Examples
        --------
        >>> import handik as hk
        >>> import tempfile, pathlib
        >>> anna = hk.human(sex="female", stature=1.62)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "anna.stl")
        ...     anna.surface(anna.rest).save(file)
        ...     print(file.stat().st_size)
        1351884
        """
        found = Path(path_text("path", path))
        if found.suffix == ".glb" and self._rig is not None:
            eyes = (self.faces >= mesh().skin).any(1)
            parts = [Part(name, PARTS[name], self.faces[eyes == k]) for k, name in _BARE]
        else:
            parts = [Part("skin", PARTS["skin"], self.faces)]
        write_surface(found, self.vertices, tuple(parts), self._rig)


#: Whether a face is an eye's, and what it is called.
_BARE = ((False, "skin"), (True, "eyes"))


class BodySurface:
    """The skin of a person, as ``human.surface``: call it with a posture.

    Parameters
    ----------
    human : Human

    Raises
    ------
    TypeError
        When `human` is no `Human`.

    Attributes
    ----------
    rest : ndarray (n, 3)
        The vertices as the skin was fitted: standing, the arms away from the trunk.
    measured : dict of str to float
        What a tape reads: girths, breadths and depths in meters by the names of dimensions (those
        of a flexed arm relaxed), and the volume in cubic meters. Chest and wrist are read on the
        skin of who stands and lets the arms rest, the others on `rest`, where they are the same.
        The breadth of the chest is that over the ribs; ``chest_breadth_with_back`` has the
        muscle of the back too.

    Notes
    -----
    The mesh is the base mesh of MakeHuman (CC0); it is brought to the person's lengths, girths,
    breadths and volume. The figure's links carry it by a mix of linear blend and dual quaternions
    [1]_. In the seated posture of a person with ``position="seated"`` the flesh of seat and thighs
    lies flat at popliteal height, and the sitting dimensions hold on the skin; that fades within
    half a radian of it. An elbow, or a hip or knee bent otherwise, is what the mix
    gives. Fingers go with those of the figure; where it has none they rest, a little bent.

    References
    ----------
    .. [1] L. Kavan, S. Collins, J. Zara, C. O'Sullivan, Geometric skinning with approximate dual
       quaternion blending, ACM Transactions on Graphics 27 (2008).

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female", stature=1.62)
    >>> girth = "waist_circumference"
    >>> abs(anna.surface.measured[girth] - anna.dimensions[girth]) < 0.002
    True
    """

    def __init__(self, human: Human) -> None:
        of_class("human.dimensions", getattr(human, "dimensions", human), Dimensions)
        is_model(getattr(human, "model", human), "human.model")
        self._model = human.model
        self._fit = fit(human.dimensions)
        self._bound = bind(self._fit, self._model.frame_names)
        hanging = self._hanging(human)
        self._set_shoulders(human, hanging[0])
        arms, links = self._fit.arms, self._model.frame_names
        self._whole = self._fit.vertices
        self._fit.vertices = end_at_stumps(self._whole, arms, links)
        self.rest = self._fit.vertices
        self.rest.flags.writeable = False
        self._wardrobe = Wardrobe(self.rest)
        self._seat = self._seated(human, *hanging) if human.position == "seated" else None

    @cached_property
    def measured(self) -> dict[str, float]:
        """What a tape reads on the fitted skin; see the class."""
        return self._fit.tape(self._whole)

    def _hanging(self, human: Human) -> tuple[Floats, dict[str, Floats]]:
        """Return the bones and the links' poses at rest with hanging arms at the origin."""
        made = human._at_origin or human  # places in the world are places on the body
        frames = made.model.frames(human._hanging)
        poses = dict(zip(made.model.frame_names, frames, strict=True))
        return drive(self._fit, self._bound, poses), poses

    def _set_shoulders(self, human: Human, bones: Floats) -> None:
        """Bring the breadth across the hanging arms to the tape's."""
        m, start, by = mesh(), self._fit.vertices, 0.0
        sides = [side for side in SIDES if f"upper_arm_{side}" in self._model.frame_names]
        if not sides:
            return
        rows = deltoids()
        skinned = m.bone[rows], m.share[rows], m.mix[rows], bones
        way = outward(start, self._fit.arms)
        for _ in range(3):
            skin = _core.skin(start[rows] + by * way[rows], *skinned)
            lack = (human.dimensions["bideltoid_breadth"] - breadth(skin, sides)) / 2
            wanted = float(np.clip(by + lack, LEAST, MOST))
            if abs(wanted - by) < 1e-4:
                break
            by = wanted
        if by:
            self._fit.vertices = start + by * way

    def _seated(self, human: Human, bones: Floats, poses: dict[str, Floats]) -> Seat:
        """Return what sitting does to the flesh."""
        m = mesh()
        skin = _core.skin(self.rest, m.bone, m.share, m.mix, bones)
        at = joint_centers(human.dimensions, "seated")
        full = self._fit.resting.volume(self._whole)
        lost = volume(self._whole, m.skin_faces) - volume(self.rest, m.skin_faces)
        return Seat(skin, at, human.dimensions, poses, full, lost)

    def _capsules(self) -> tuple[BodyCapsule, ...]:
        """Return the capsules of `Human.capsules`."""
        more = None if self._seat is None else self._seat.swelling(self.rest)
        return capsules(self._fit, self._bound, self._model.frame_names, more)

    def __call__(self, q: Any, clothes: Sequence[str] | Mapping[str, Any] | None = None) -> Surface:
        """Return the surface in a posture.

        Parameters
        ----------
        q : array_like (nq,)
            Coordinates of the person's model.
        clothes : sequence of str, or mapping of str to (3,), optional
            What ``.clothed`` of the surface wears: some of ``"hair"``, ``"shirt"``,
            ``"trousers"``, ``"shoes"``, or a color for each, red, green and blue from 0 to 1. By
            default all four; ``()`` is none of them.

        Returns
        -------
        Surface

        Raises
        ------
        ArgumentError
            When `q` is not one row of finite numbers, or `clothes` are others.

        Examples
        --------
        >>> import handik as hk
        >>> bob = hk.human(sex="male", position="standing")
        >>> f"{bob.surface(bob.rest).vertices[:, 2].max() - bob.dimensions['stature']:.3f}"
        '0.000'
        """
        row = reals(q, "q", (self._model.nq,))
        if row.ndim != 1:
            raise ArgumentError(
                f"q must be one posture of shape ({row.shape[-1]},), got {row.shape}"
            )
        worn, colors = clothes_of(clothes)
        m = mesh()
        poses = dict(zip(self._model.frame_names, self._model.frames(row), strict=True))
        bones = drive(self._fit, self._bound, poses)
        skin = _core.skin(self.rest, m.bone, m.share, m.mix, bones)
        if self._seat is not None:
            self._seat.add(skin, poses)

        def dress() -> ClothedSurface:
            cut = cut_mesh(worn)
            at = self._wardrobe.vertices(cut, skin, bones)
            shades = np.array([colors[name] for name in cut.parts])
            return ClothedSurface(at, cut.faces, cut.part, cut.parts, shades, self._rig(poses, cut))

        return Surface(skin, m.faces, self._rig(poses), dress)

    @cached_property
    def _tree(self) -> tuple[tuple[str, ...], tuple[int, ...], Floats]:
        """Links, the row of each one's parent, and their shares in the vertices."""
        spec = self._model.spec
        names = tuple(link.name for link in spec.links)
        parent = {joint.child: names.index(joint.parent) for joint in spec.joints}
        return names, tuple(parent.get(k, -1) for k in names), link_shares(names, self._bound)

    def _rig(self, poses: dict[str, Floats], cut: Cut | None = None) -> Rig:
        """Return the links in the posture that has these poses."""
        names, parents, share = self._tree
        if cut is not None:
            first, second = (share[cut.ends[:, k]] for k in (0, 1))
            share = first + cut.share[:, None] * (second - first)
        return Rig(names, parents, np.stack([poses[name] for name in names]), share)
