"""The tree of a model: its order, its parts, its copies, and the formats it is written in."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from handik.errors import ModelError
from handik.spec._check import check_mimics, check_names, check_numbers, cycle_fault
from handik.spec._couple import couple
from handik.spec._fault import fault, listed
from handik.spec._given import known_name, of_class, sequence, text
from handik.spec.parts import FrameSpec, InertialSpec, JointSpec, LinkSpec
from handik.spec.swing import SwingMimicSpec

if TYPE_CHECKING:
    from handik.files.read.fit_dh import DhFit

__all__ = ["FORMS", "ModelSpec"]

#: Word -> what gives a spec that form; `handik.files.read` and `handik.files.write` fill it.
FORMS: dict[str, Callable[..., Any]] = {}


@dataclass(slots=True, eq=False)
class ModelSpec:
    """A joint tree: links, the joints between them, and named frames.

    Attributes
    ----------
    name : str
        Its name.
    links, joints, frames : list
        In the order of the file.
    base : str or None
        The root link when it was chosen by name; None leaves it to the tree.
    tip : str or None
        The link or frame chosen as tip; None leaves it to the tree.
    source : str or None
        The file read.
    missing_meshes : list of str
        Meshes named by the file that are inside none of the given roots.
    notes : list of str
        What the reader had to assume.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.spec import JointSpec, LinkSpec
    >>> door = hk.ModelSpec("door", [LinkSpec("frame"), LinkSpec("leaf")])
    >>> door.joints.append(JointSpec("hinge", "revolute", "frame", "leaf", upper=1.5))
    >>> hk.Model(door).nq
    1
    """

    name: str
    links: list[LinkSpec] = field(default_factory=list)
    joints: list[JointSpec] = field(default_factory=list)
    frames: list[FrameSpec] = field(default_factory=list)
    base: str | None = None
    tip: str | None = None
    source: str | None = None
    missing_meshes: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        """One line; a whole model would fill the screen."""
        parts = f"{len(self.links)} links, {len(self.joints)} joints, {len(self.frames)} frames"
        tip = "" if self.tip is None else f", tip {self.tip!r}"
        return f"ModelSpec {self.name!r}: {parts}{tip}"

    def couple(self, joint: str, ratios: Mapping[str, float], offset: float = 0.0) -> None:
        """Make a joint follow a sum of others: ``offset + ratio * other + ...``.

        It becomes joints in a row about its axis, each of which mimics one of the others; the last
        keeps the name, the rest are called ``joint_by_other``.

        Parameters
        ----------
        joint : str
            A revolute or prismatic joint that follows none yet.
        ratios : mapping of joint name to float
            Revolute or prismatic joints, and how much of each.
        offset : float
            Radians or meters.

        Raises
        ------
        NotFoundError
            When there is no such joint.
        ModelError
            When a joint has not one coordinate, a ratio is zero or not finite, or the limits of the
            others can take the joint beyond its own.
        """
        couple(self, joint, ratios, offset)

    # -- the tree ---------------------------------------------------------------------------

    @property
    def root(self) -> str:
        """Name of the one link that has no parent.

        Raises
        ------
        ModelError
            When the links and joints are not one tree.
        """
        return self._tree()[0]

    def ordered_joints(self) -> list[JointSpec]:
        """Return the joints parents first: depth first, branches in the order of the file.

        Returns
        -------
        list of JointSpec
            The joints themselves, not copies.

        Raises
        ------
        ModelError
            When the links and joints are not one tree.
        """
        return self._tree()[1]

    def check(self) -> None:
        """Raise the first thing that is wrong with the tree, by name.

        Raises
        ------
        ModelError
            Duplicate names, unknown links, a link with two parents, a cycle, several roots, NaN
            or infinity, a zero axis, axes that are not at a right angle, reversed limits, a
            wrong mimic, a cone or a held rotation of a joint that has none, a placement that is
            not a rigid motion, a negative mass, a tip that is not there.
        """
        self._check()

    def _check(self, numbers: bool = True) -> None:
        """Check, without the numbers for a reader that looked at them all while it read."""
        if numbers:
            self._check_classes()
        self._tree()
        link_names = {link.name for link in self.links}
        check_names("frame", (frame.name for frame in self.frames))
        for frame in self.frames:
            if frame.link not in link_names:
                raise fault("frame", frame.name, f"its link {frame.link!r} does not exist")
            if frame.name in link_names:
                raise fault("frame", frame.name, "a link has the same name")
        if self.tip is not None and self.tip not in link_names:
            if all(frame.name != self.tip for frame in self.frames):
                raise ModelError(f"the tip {self.tip!r} is neither a link nor a frame")
        if numbers:
            check_numbers(self.joints, self.frames, self.links)
        check_mimics(self.joints)

    def _check_classes(self) -> None:
        """Raise where a part is not of its class, or a name that is looked up no text."""
        for name, parts, kind in (
            ("links", self.links, LinkSpec),
            ("joints", self.joints, JointSpec),
            ("frames", self.frames, FrameSpec),
        ):
            if not (isinstance(parts, list) and set(map(type, parts)) <= {kind}):
                sequence(name, parts, kind, f"a list of {kind.__name__}")
        for link in self.links:
            if type(link.inertial) is not InertialSpec and link.inertial is not None:
                of_class("inertial", link.inertial, InertialSpec)
        for joint in self.joints:
            if not type(joint.parent) is type(joint.child) is type(joint.kind) is str:
                raise fault("joint", joint.name, "its kind, parent and child must be texts")
        for frame in self.frames:
            if type(frame.link) is not str:
                raise fault("frame", frame.name, "its link must be a text")
        for name, chosen in (("base", self.base), ("tip", self.tip)):
            if chosen is not None:
                text(name, chosen)

    def chain(self, base: str | None = None, tip: str | None = None) -> ModelSpec:
        """Return a copy with only the links from `base` to `tip`.

        Parameters
        ----------
        base : str, optional
            The link that becomes the root; the root of the tree by default.
        tip : str, optional
            A link, or a frame on one. Without it all that `base` carries is kept.

        Returns
        -------
        ModelSpec
            The part, with `tip` chosen.

        Raises
        ------
        NotFoundError
            When no link has such a name.
        ModelError
            When `base` does not carry `tip`.

        Notes
        -----
        A joint that follows one outside the chain moves on its own in the copy; a note says so.
        """
        if tip is None:
            return self.copy() if base is None else self.subtree(base)
        root = self._tree()[0]
        base, tip = root if base is None else text("base", base), text("tip", tip)
        names = [link.name for link in self.links]
        tip_link = {frame.name: frame.link for frame in self.frames}.get(tip, tip)
        for name in (base, tip_link):
            known_name("link", name, names)
        above = {joint.child: joint.parent for joint in self.joints}
        kept = {tip_link}
        link = tip_link
        while link != base:
            if link == root:
                raise fault(
                    "link",
                    base,
                    f"it does not carry {tip!r}: the base must be an ancestor of the tip",
                )
            link = above[link]
            kept.add(link)
        part = self._part(kept, base)
        part.tip = tip
        return part

    def subtree(self, link: str) -> ModelSpec:
        """Return a copy with only `link`, which becomes the root, and all that it carries.

        The chosen tip stays chosen where it is among that.

        Parameters
        ----------
        link : str
            Name of the link that becomes the root.

        Returns
        -------
        ModelSpec
            The part.

        Raises
        ------
        NotFoundError
            When no link has such a name.
        ModelError
            When the links and joints are not one tree.
        """
        names = [item.name for item in self.links]
        known_name("link", link, names)
        kept = {link}
        for joint in self.ordered_joints():
            if joint.parent in kept:
                kept.add(joint.child)
        return self._part(kept, link)

    def copy(self) -> ModelSpec:
        """Return a spec that shares nothing editable with this one.

        Returns
        -------
        ModelSpec
            An equal spec; changes of one do not show in the other.
        """
        self._check_classes()
        return ModelSpec(
            name=self.name,
            links=[link.copy() for link in self.links],
            joints=[joint.copy() for joint in self.joints],
            frames=[frame.copy() for frame in self.frames],
            base=self.base,
            tip=self.tip,
            source=self.source,
            missing_meshes=list(self.missing_meshes),
            notes=list(self.notes),
        )

    # -- writing ----------------------------------------------------------------------------

    def to_urdf(self, lost: list[str] | None = None) -> str:
        """Return the text of a URDF file; see `handik.files.write.urdf.to_urdf`.

        Parameters
        ----------
        lost : list, optional
            Takes a sentence for everything that URDF cannot hold; without it that is an error.

        Returns
        -------
        str
            The document.
        """
        return str(FORMS["urdf"](self, lost))

    def to_toml(self) -> str:
        """Return the text of handik's own format, which holds all; see `handik.files.write.toml`.

        Returns
        -------
        str
            The file's text.
        """
        return str(FORMS["toml"](self))

    def to_dh(self, convention: str = "standard", tip: str | None = None) -> DhFit:
        """Return a chain as a Denavit-Hartenberg table; see `handik.files.read.fit_dh.fit_dh`.

        Parameters
        ----------
        convention : {"standard", "modified"}
            Standard, or modified (Craig).
        tip : str, optional
            The link or frame at the end; the spec's own tip if not given.

        Returns
        -------
        DhFit
            The table, with the poses of base and tool.
        """
        fit: DhFit = FORMS["dh"](self, convention, tip)
        return fit

    def to_csv(
        self, lost: list[str] | None = None, convention: str = "standard", tip: str | None = None
    ) -> str:
        """Return a chain as the text of a table; see `handik.files.write.dh_csv.to_csv`.

        Parameters
        ----------
        lost : list, optional
            Takes a sentence for everything that a table cannot hold.
        convention : {"standard", "modified"}
            Standard, or modified (Craig).
        tip : str, optional
            The link or frame at the end; the spec's own tip if not given.

        Returns
        -------
        str
            The table.
        """
        return str(FORMS["csv"](self, lost, convention, tip))

    def to_roboop(
        self, lost: list[str] | None = None, convention: str = "standard", tip: str | None = None
    ) -> str:
        """Return a chain as ROBOOP's configuration file; see `handik.files.write.roboop.to_roboop`.

        Parameters
        ----------
        lost : list, optional
            Takes a sentence for everything that the format cannot hold; without it that is an
            error.
        convention : {"standard", "modified"}
            Standard, or modified (Craig).
        tip : str, optional
            The link or frame at the end; the spec's own tip if not given.

        Returns
        -------
        str
            The file's text.
        """
        return str(FORMS["roboop"](self, lost, convention, tip))

    def to_sdf(self, lost: list[str] | None = None) -> str:
        """Return the text of an SDF file; see `handik.files.write.sdf.to_sdf`.

        Parameters
        ----------
        lost : list, optional
            Takes a sentence for everything that SDF cannot hold; without it that is an error.

        Returns
        -------
        str
            The document.
        """
        return str(FORMS["sdf"](self, lost))

    def to_mjcf(self, lost: list[str] | None = None) -> str:
        """Return the text of an MJCF file; see `handik.files.write.mjcf.to_mjcf`.

        Parameters
        ----------
        lost : list, optional
            Takes a sentence for everything that MJCF cannot hold; without it that is an error.

        Returns
        -------
        str
            The document.
        """
        return str(FORMS["mjcf"](self, lost))

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
        FORMS["file"](self, path, lost)

    def _part(self, kept: set[str], base: str) -> ModelSpec:
        """Copy of the links of `kept`, the joints between them and the frames on them."""
        part = ModelSpec(
            name=self.name,
            links=[link.copy() for link in self.links if link.name in kept],
            joints=[j.copy() for j in self.joints if j.child in kept and j.child != base],
            frames=[frame.copy() for frame in self.frames if frame.link in kept],
            base=base,
            source=self.source,
            notes=list(self.notes),
        )
        if self.tip in kept or any(frame.name == self.tip for frame in part.frames):
            part.tip = self.tip
        names = {joint.name for joint in part.joints}
        for joint in part.joints:
            if joint.mimic is not None and joint.mimic.joint not in names:
                part.notes.append(
                    f"joint {joint.name!r} follows {joint.mimic.joint!r}, which is not in this "
                    "part of the tree: it moves on its own here"
                )
                if isinstance(joint.mimic, SwingMimicSpec):
                    joint.lower, joint.upper = joint.mimic.bounds()
                joint.mimic = None
        meshes = {g.uri for link in part.links for g in (*link.visuals, *link.collisions)}
        part.missing_meshes = [uri for uri in self.missing_meshes if uri in meshes]
        return part

    def _tree(self) -> tuple[str, list[JointSpec]]:
        """Root and joints parents first, or the error that says why there is no tree."""
        if not self.links:
            raise ModelError(f"the model {self.name!r} has no link")
        check_names("link", (link.name for link in self.links))
        check_names("joint", (joint.name for joint in self.joints))
        below: dict[str, list[JointSpec]] = {link.name: [] for link in self.links}
        above: dict[str, JointSpec] = {}
        for joint in self.joints:
            parent, child = joint.parent, joint.child
            if parent not in below or child not in below:
                side, link = ("child", child) if parent in below else ("parent", parent)
                raise fault("joint", joint.name, f"its {side} link {link!r} does not exist")
            if child in above:
                raise fault(
                    "link",
                    child,
                    f"it has two parents, by the joints {above[child].name!r} and {joint.name!r}",
                )
            above[child] = joint
            below[parent].append(joint)
        roots = [name for name in below if name not in above]
        ordered: list[JointSpec] = []
        stack = [joint for root in reversed(roots) for joint in reversed(below[root])]
        while stack:
            joint = stack.pop()
            ordered.append(joint)
            if beyond := below[joint.child]:
                stack += beyond[::-1]
        if len(ordered) < len(self.joints):
            raise cycle_fault(above, ordered)
        if len(roots) > 1:
            raise fault("link", roots[1], f"the tree has {len(roots)} roots: {listed(roots)}")
        if self.base is not None and self.base != roots[0]:
            raise fault("link", self.base, f"it is named as base, but {roots[0]!r} is the root")
        return roots[0], ordered
