"""Configuration files of ROBOOP 1.32, the C++ robotics toolbox, to a `ModelSpec`.

A section ``[NAME]`` says ``dof`` and how to read the rest; ``[NAME_LINK1]`` ... hold one link
each: a Denavit-Hartenberg row, limits, mass, inertia and motor. ROBOOP skips a line whose spacing
or comment it does not expect, and the default silently stays; here such a line is read, and a
note says what ROBOOP would have done.

``theta`` of a revolute joint and ``d`` of a prismatic one are only where the joint starts: the
constant added to its coordinate is ``joint_offset``.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from math import radians

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, ModelError, ReadError
from handik.files.read._text import Lines
from handik.files.read._xml import Limits, limits_of, number
from handik.files.read.dh import from_dh
from handik.spec import InertialSpec, JointSpec, ModelSpec, MotorSpec
from handik.spec._given import flag, reals, text

__all__ = ["from_roboop_matrix", "read_roboop"]

Array = NDArray[np.float64]

_KINDS = ("revolute", "prismatic", "fixed")
_MOTOR = ("Im", "Gr", "B", "Cf")
_BODY = ("m", "cx", "cy", "cz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
_ROW = ("joint_type", "theta", "d", "a", "alpha", "theta_min", "theta_max", "joint_offset", *_BODY)
_ANGLES = ("theta", "alpha", "theta_min", "theta_max", "joint_offset")
_LINK_KEYS = {*_ROW, *_MOTOR, "immobile"}
_ROBOT_KEYS = {"dof", "Fix", "Motor", "angle_in_degree", "DH", "MinPara", "Name", "Stl"}
_MATRIX_FULL = (*_ROW, *_MOTOR, "immobile")
_MATRIX_BARE = (*_ROW, "immobile")

_SECTION = re.compile(r"\s*\[([^\]]*)\]")
_PARAMETER = re.compile(r"\s*([A-Za-z_][A-Za-z_0-9]*)(\s*):(\s*)(.*)")


@dataclass(slots=True)
class _Section:
    """A section: where it opens, and its first value of each key with the line of it."""

    name: str
    line: int
    values: dict[str, tuple[str, int]] = field(default_factory=dict)


def read_roboop(
    source: str | bytes | os.PathLike[str],
    name: str | None = None,
    *,
    convention: str | None = None,
    minimal: bool | None = None,
    limits: Limits | None = None,
) -> ModelSpec:
    """Read a ROBOOP configuration file.

    Parameters
    ----------
    source : path, str or bytes
        A path; or the document itself, as bytes or as a str of several lines.
    name : str, optional
        The section of the robot; the first one that says ``dof`` by default.
    convention : str, optional
        ``"standard"`` or ``"modified"``. By default what the file's ``DH`` key says (1 standard,
        0 modified), which ROBOOP itself leaves to the class chosen, or standard.
    minimal : bool, optional
        True where the file holds minimal parameters, the moments m c and the inertia about the
        link's frame; by default what its ``MinPara`` key says, or False.
    limits : Limits, optional
        Bytes of the file, and links of the robot (`joints`).

    Returns
    -------
    ModelSpec
        An arm as `handik.files.read.dh.from_dh` builds it, with limits, inertials and motors.

    Raises
    ------
    ReadError
        For a missing section or ``dof``, or a value that is not a number, with its line.

    Notes
    -----
    ``angle_in_degree`` converts theta, alpha, limits and offset of every joint, as ROBOOP does:
    also the limits of prismatic ones, which are lengths.

    Examples
    --------
    >>> text = '''[arm]
    ... dof: 1
    ... [arm_LINK1]
    ... joint_type: 0
    ... a: 0.5
    ... theta_min: -1
    ... theta_max: 1
    ... '''
    >>> read_roboop(text).joints[0].upper
    1.0
    """
    limits = limits_of(limits)
    lines = Lines(source, limits.size)
    notes: list[str] = []
    sections = _sections(lines, notes)
    robot = _robot_section(lines, sections, None if name is None else text("name", name))
    reader = _Values(lines, notes)
    reader.warn_unknown(robot, _ROBOT_KEYS)
    dof = reader.count(robot, "dof")
    degrees, motor = reader.flag(robot, "angle_in_degree"), reader.flag(robot, "Motor")
    if reader.flag(robot, "Fix"):
        notes.append("Fix is 1: ROBOOP replaces the link after the last by a zero one; left out")
    if convention is None:
        convention = "standard"
        if "DH" in robot.values:
            convention = "standard" if reader.flag(robot, "DH") else "modified"
        else:
            notes.append("the file does not say its convention (DH): taken as standard")
    if minimal is None:
        minimal = reader.flag(robot, "MinPara")
    rows: list[dict[str, float]] = []
    for i in range(1, dof + 1):
        section = sections.get(f"{robot.name}_LINK{i}")
        if section is None:
            lines.fail(f"dof is {dof}, but there is no section [{robot.name}_LINK{i}]", robot.line)
        if i > limits.joints:
            lines.fail(f"more than {limits.joints} links", section.line, f"[{section.name}]")
        reader.warn_unknown(section, _LINK_KEYS)
        rows.append(reader.link(section, motor, degrees))
    try:
        spec = _build(robot.name, rows, convention, minimal, motor, notes)
    except ReadError:
        raise
    except (ModelError, ArgumentError) as error:
        part = getattr(error, "part", None)
        count = "" if part is None else part[1].rpartition("_")[2]
        at = sections.get(f"{robot.name}_LINK{count}", robot)
        raise ReadError(str(error), lines.path, at.line, f"[{at.name}]") from None
    spec.source = lines.source
    return spec


def from_roboop_matrix(
    matrix: ArrayLike,
    motor: ArrayLike | None = None,
    *,
    convention: str = "standard",
    minimal: bool = False,
    name: str = "robot",
) -> ModelSpec:
    """Build an arm from the matrix that ROBOOP's constructors take, in radians.

    Parameters
    ----------
    matrix : array_like (n, 23) or (n, 19)
        Columns joint_type theta d a alpha theta_min theta_max joint_offset m cx cy cz Ixx Ixy
        Ixz Iyy Iyz Izz Im Gr B Cf immobile; with 19, those of the motor are left out.
    motor : array_like (n, 4), optional
        Columns Im Gr B Cf, beside a matrix of 19 columns.
    convention : {"standard", "modified"}
        ROOBOP's class ``Robot``, or ``mRobot``.
    minimal : bool
        True where the matrix holds minimal parameters: the moments m c, and the inertia about the
        link's frame.
    name : str
        Name of the model.

    Returns
    -------
    ModelSpec
        An arm as `handik.files.read.dh.from_dh` builds it, with limits, inertials and motors.

    Raises
    ------
    ArgumentError
        For another number of columns, or numbers that are not finite.
    ModelError
        For reversed limits or a negative mass.

    Examples
    --------
    >>> import numpy as np
    >>> row = np.zeros((1, 19))
    >>> row[0, [3, 5, 6, 8]] = 0.5, -1.0, 1.0, 2.0  # a, limits, mass
    >>> from_roboop_matrix(row).joints[0].upper
    1.0
    """
    table = reals(matrix, "matrix", ())
    if table.ndim != 2 or table.shape[1] not in (23, 19) or not len(table):
        raise ArgumentError(f"matrix must be (n, 23) or (n, 19); its shape is {table.shape}")
    names = _MATRIX_FULL if table.shape[1] == 23 else _MATRIX_BARE
    rows = [dict(zip(names, row, strict=True)) for row in table.tolist()]
    if motor is not None:
        drives = reals(motor, "motor", ())
        if drives.shape != (len(rows), 4) or table.shape[1] == 23:
            raise ArgumentError(f"motor must be ({len(rows)}, 4) beside a matrix of 19 columns")
        for row, drive in zip(rows, drives.tolist(), strict=True):
            row.update(zip(_MOTOR, drive, strict=True))
    return _build(name, rows, convention, flag("minimal", minimal), "Im" in rows[0], [])


def _sections(lines: Lines, notes: list[str]) -> dict[str, _Section]:
    """Cut the file into sections; notes say where ROBOOP would read it otherwise."""
    sections: dict[str, _Section] = {}
    current: _Section | None = None
    for count, line in enumerate(lines.lines, 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        heading = _SECTION.match(line)
        if heading is not None:
            if not line.startswith("["):
                notes.append(f"line {count}: ROBOOP wants '[' in the first column")
            current = _Section(heading[1], count)
            if heading[1] in sections:
                notes.append(f"line {count}: another section [{heading[1]}]; the first one counts")
            else:
                sections[heading[1]] = current
            continue
        parameter = _PARAMETER.match(line)
        if parameter is None or current is None:
            notes.append(f"line {count}: neither a section nor a parameter, passed over")
            continue
        key, before, after, value = parameter.groups()
        if before or not after:
            notes.append(f"line {count}: ROBOOP passes over {key!r}, for its spacing")
        value, comment, _ = value.partition("#")
        if comment:
            notes.append(f"line {count}: ROBOOP keeps its default for {key!r}, for the comment")
        if key in current.values:
            notes.append(f"line {count}: another {key!r}; the first one counts")
            continue
        current.values[key] = (value.strip(), count)
    return sections


def _robot_section(lines: Lines, sections: dict[str, _Section], name: str | None) -> _Section:
    if name is not None:
        if name not in sections:
            lines.fail(f"there is no section [{name}]")
        return sections[name]
    for section in sections.values():
        if "dof" in section.values:
            return section
    lines.fail("no section says 'dof'")


class _Values:
    """Numbers of sections, with errors at their lines."""

    def __init__(self, lines: Lines, notes: list[str]) -> None:
        self.lines = lines
        self.notes = notes

    def number(self, section: _Section, key: str) -> float:
        if key not in section.values:
            return 0.0  # ROBOOP's default of every field
        value, line = section.values[key]
        try:
            return number(value)
        except ValueError as error:
            self.lines.fail(f"{key}: {error}", line, f"[{section.name}]")

    def choice(self, section: _Section, key: str, allowed: int) -> int:
        value = self.number(section, key)
        if value not in range(allowed):
            _, line = section.values[key]
            self.lines.fail(
                f"{key} is {value:g}, not one of 0..{allowed - 1}", line, f"[{section.name}]"
            )
        return int(value)

    def flag(self, section: _Section, key: str) -> bool:
        return self.choice(section, key, 2) == 1

    def count(self, section: _Section, key: str) -> int:
        if key not in section.values:
            self.lines.fail(f"{key} is missing", section.line, f"[{section.name}]")
        value = self.number(section, key)
        if value < 1 or value != int(value):
            _, line = section.values[key]
            self.lines.fail(f"{key} is {value:g}, not a count from 1", line, f"[{section.name}]")
        return int(value)

    def warn_unknown(self, section: _Section, known: set[str]) -> None:
        for key, (_, line) in section.values.items():
            if key not in known:
                self.notes.append(f"line {line}: {key!r} is not known, passed over")

    def link(self, section: _Section, motor: bool, degrees: bool) -> dict[str, float]:
        row = {key: self.number(section, key) for key in _ROW}
        row["joint_type"] = self.choice(section, "joint_type", len(_KINDS))
        row["immobile"] = self.flag(section, "immobile")
        if degrees:
            row.update({key: radians(row[key]) for key in _ANGLES})
        for key in _MOTOR:
            value = self.number(section, key)
            if motor:
                row[key] = value
            elif value != 0:
                self.notes.append(f"[{section.name}]: {key} passed over, as Motor is 0")
        return row


def _build(
    name: str,
    rows: list[dict[str, float]],
    convention: str,
    minimal: bool,
    motor: bool,
    notes: list[str],
) -> ModelSpec:
    table, kinds = [], []
    for i, row in enumerate(rows, 1):
        if row["joint_type"] not in (0, 1, 2):
            raise ArgumentError(f"joint_type of link {i} is {row['joint_type']}, not 0, 1 or 2")
        kind = _KINDS[int(row["joint_type"])]
        theta, d, offset = row["theta"], row["d"], row["joint_offset"]
        if row["immobile"] and kind != "fixed":
            notes.append(f"joint_{i} is immobile: fixed where the file starts it")
            theta, d = (theta + offset, d) if kind == "revolute" else (theta, d + offset)
            kind = "fixed"
        elif kind == "revolute":
            if theta != 0:
                notes.append(f"joint_{i}: theta {theta:g} is where it starts, not part of the arm")
            theta = offset
        elif kind == "prismatic":
            if d != 0:
                notes.append(f"joint_{i}: d {d:g} is where it starts, not part of the arm")
            d = offset
        elif i < len(rows):
            notes.append(f"joint_{i} is fixed: ROBOOP allows that for the last one only")
        table.append((theta, d, row["a"], row["alpha"]))
        kinds.append(kind)
    spec = from_dh(table, convention, kinds=kinds, name=name)
    links = {link.name: link for link in spec.links}
    joints = {joint.name: joint for joint in spec.joints}
    for i, row in enumerate(rows, 1):
        joint = joints[f"joint_{i}"]
        _finish_joint(joint, row, motor)
        links[f"link_{i}"].inertial = _inertial(row, minimal, notes, i)
    spec.notes = notes
    spec.check()
    return spec


def _finish_joint(joint: JointSpec, row: dict[str, float], motor: bool) -> None:
    if joint.kind == "fixed":
        return
    if row["theta_min"] != 0 or row["theta_max"] != 0:  # both zero is ROBOOP's "not given"
        joint.lower, joint.upper = row["theta_min"], row["theta_max"]
    if motor:
        joint.motor = MotorSpec(*(row[key] for key in _MOTOR))


def _inertial(
    row: dict[str, float], minimal: bool, notes: list[str], i: int
) -> InertialSpec | None:
    mass, cx, cy, cz, xx, xy, xz, yy, yz, zz = (row[key] for key in _BODY)
    center = np.array([cx, cy, cz])
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if mass == 0 and not inertia.any() and not center.any():
        return None
    if minimal:
        if mass > 0:
            # The file has m c, and the inertia about the frame: back to the center (Steiner).
            center = center / mass
            inertia = inertia - mass * (center @ center * np.eye(3) - np.outer(center, center))
        elif center.any():
            notes.append(f"link_{i}: moments without a mass cannot be held; left out")
            center = np.zeros(3)
    return InertialSpec(mass, center, inertia)
