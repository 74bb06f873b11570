"""Issues of a report as BCF, which programs for building models read: one topic a failing finding.

A topic has the finding in words, the component by its GlobalId of IFC, a viewpoint that looks at it
and a picture of what that sees; its header names the file and its project. The same finding of the
same scene has the same Guid again, so that who reads a later report finds the topic that is there
already. Meters, z up, in the axes of the scene.

References
----------
buildingSMART, BIM Collaboration Format, version 2.1 (github.com/buildingSMART/BCF-XML).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5
from xml.etree.ElementTree import Element, SubElement, tostring
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from handik.app._bcf_picture import Camera, Solids, snapshot
from handik.scene.access._room import Room

if TYPE_CHECKING:
    from pathlib import Path

    from handik.scene import Scene
    from handik.scene.access import Finding

__all__ = ["file_of", "guid_of", "has_guids", "issues"]

Array = NDArray[np.float64]
#: A GlobalId at the end of a node's name, as the reader of IFC puts it there.
_GUID = re.compile(r"(?:^|\s)([0-3][0-9A-Za-z_$]{21})(?: \d+)?$")
#: The GlobalId of the project in a file of IFC.
_PROJECT = re.compile(rb"=\s*IFCPROJECT\s*\(\s*'([0-3][0-9A-Za-z_$]{21})'")
#: Degrees: what a camera sees; meters: how far it is off at least; where it looks from, and down.
_ANGLE, _NEAREST, _FROM = 60.0, 2.0, (-0.6, -0.6, 0.53)


def guid_of(path: str) -> str | None:
    """Return the GlobalId of IFC of a node, or of the nearest above it that has one."""
    for name in reversed(path.split("/")):
        if found := _GUID.search(name):
            return found[1]
    return None


def has_guids(scene: Scene) -> bool:
    """Whether anything of a scene came with a GlobalId of IFC."""
    return any(guid_of(node.name) is not None for node in scene.nodes)


def _text(above: Element, name: str, text: object) -> None:
    SubElement(above, name).text = str(text)


def _vector(above: Element, name: str, values: Array) -> None:
    one = SubElement(above, name)
    for axis, value in zip("XYZ", values.tolist(), strict=True):
        _text(one, axis, f"{value:.6f}")


def _looked_at(room: Room, found: Finding) -> tuple[Array, float]:
    """Return the middle of what a finding is about, and how large it is."""
    own = [p for p in room.parts(-1e3, 1e3) if p.name == found.place]
    own = own or room.part_of(found.place) if found.place in room.scene else own
    if own:
        corners = np.vstack([p.corners for p in own])
        low = np.array([*corners.min(0), min(p.low for p in own)])
        high = np.array([*corners.max(0), max(p.high for p in own)])
        return (low + high) / 2, float(np.linalg.norm(high - low))
    middle = room.place(found.place).copy() if found.place in room.scene else np.zeros(3)
    if found.at is not None:  # of a room, which has no place of its own
        middle[:2] = found.at
    return middle, 0.0


def _camera(middle: Array, size: float) -> Camera:
    """Return a camera that has a thing of some size in view."""
    back = np.array(_FROM) / np.linalg.norm(_FROM)
    aside = np.cross(back, [0.0, 0.0, 1.0])
    up = np.cross(aside / np.linalg.norm(aside), back)
    return Camera(middle + max(size, _NEAREST) * back, -back, up, _ANGLE)


def _viewpoint(found: Finding, camera: Camera, name: str) -> bytes:
    top = Element("VisualizationInfo", Guid=name)
    components = SubElement(top, "Components")
    guid = guid_of(found.place)
    if guid is not None:
        SubElement(SubElement(components, "Selection"), "Component", IfcGuid=guid)
    SubElement(components, "Visibility", DefaultVisibility="true")
    sees = SubElement(top, "PerspectiveCamera")
    _vector(sees, "CameraViewPoint", camera.at)
    _vector(sees, "CameraDirection", camera.along)
    _vector(sees, "CameraUpVector", camera.up)
    _text(sees, "FieldOfView", f"{camera.angle:g}")
    return _written(top)


def _markup(
    name: str,
    view: str,
    number: int,
    when: str,
    title: str,
    more: str,
    file: tuple[str, str | None] | None,
) -> bytes:
    top = Element("Markup")
    if file is not None:
        called, project = file
        of = {} if project is None else {"IfcProject": project}
        one = SubElement(SubElement(top, "Header"), "File", of, isExternal="true")
        _text(one, "Filename", called)
    topic = SubElement(top, "Topic", Guid=name, TopicType="Issue", TopicStatus="Open")
    _text(topic, "Title", title)
    _text(topic, "Index", number)
    _text(topic, "CreationDate", when)
    _text(topic, "CreationAuthor", "handik")
    _text(topic, "Description", more)
    views = SubElement(top, "Viewpoints", Guid=view)
    _text(views, "Viewpoint", "viewpoint.bcfv")
    _text(views, "Snapshot", "snapshot.png")
    return _written(top)


def file_of(path: Path) -> tuple[str, str | None]:
    """Return the name of a file of IFC and the GlobalId of its project, None without one."""
    found = _PROJECT.search(path.read_bytes())
    return path.name, None if found is None else found[1].decode("ascii")


def _written(top: Element) -> bytes:
    out: bytes = tostring(top, encoding="utf-8", xml_declaration=True)
    return out


def issues(
    scene: Scene,
    failed: tuple[Finding, ...],
    said: Callable[[Finding], tuple[str, str]],
    when: datetime | None = None,
    file: tuple[str, str | None] | None = None,
) -> bytes:
    """Return a file of BCF 2.1, a topic for each finding.

    Parameters
    ----------
    scene : Scene
    failed : tuple of Finding
    said : callable
        Returns title and description of a finding.
    when : datetime, optional
        Of their making; now by default.
    file : (str, str or None), optional
        The file that the scene came from, and its project, as of `file_of`.
    """
    moment = (datetime.now(UTC) if when is None else when).astimezone(UTC)
    stamp = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    version = Element("Version", VersionId="2.1")
    _text(version, "DetailedVersion", "2.1")
    files = {"bcf.version": _written(version)}
    seen: Counter[tuple[str, str]] = Counter()
    room, solids = Room(scene, (), {}), Solids.made(scene)
    for number, found in enumerate(failed, 1):
        key = found.rule.id, found.place
        seen[key] += 1
        one = f"handik/{scene.name}/{key[0]}/{key[1]}/{seen[key]}"
        name, view = (str(uuid5(NAMESPACE_URL, f"{one}/{part}")) for part in ("topic", "view"))
        title, more = said(found)
        middle, size = _looked_at(room, found)
        camera = _camera(middle, size)
        files[f"{name}/markup.bcf"] = _markup(name, view, number, stamp, title, more, file)
        files[f"{name}/viewpoint.bcfv"] = _viewpoint(found, camera, view)
        files[f"{name}/snapshot.png"] = snapshot(solids, camera, middle, found.place)
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as packed:
        for path, made in files.items():
            packed.writestr(ZipInfo(path, moment.timetuple()[:6]), made, ZIP_DEFLATED)
    return buffer.getvalue()
