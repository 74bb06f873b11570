"""The binary frames between page and server: little endian, a header of 16 bytes and numbers."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ReadError

__all__ = ["CHUNK", "KINDS", "Event", "pack", "pack_mesh", "pack_path", "pack_pose", "unpack"]

HEAD = struct.Struct("<BBHId")
#: Kinds that come up -> how many numbers of 8 bytes they may have.
KINDS = {1: (1,), 2: (3, 7), 3: (8,)}
POSE, MESH, PATH, MOVED, CHUNK = 16, 17, 18, 19, 32
#: Bytes of a chunk of a file at most.
LARGEST = 2**20
#: Meters or radians: nothing is farther.
FARTHEST = 1e6


@dataclass(frozen=True)
class Event:
    """A frame that came up."""

    kind: int
    outcome: int
    control: int
    sequence: int
    time: float
    values: NDArray[np.float64]
    data: bytes = b""


def unpack(frame: bytes) -> Event:
    """Return what a frame says.

    Raises
    ------
    ReadError
        When it is malformed.
    """
    if len(frame) < HEAD.size:
        raise ReadError(f"a frame of {len(frame)} bytes has no header")
    kind, outcome, control, sequence, time = HEAD.unpack_from(frame)
    body = frame[HEAD.size :]
    if kind == CHUNK:
        if len(body) > LARGEST:
            raise ReadError(f"a chunk has {len(body)} bytes, more than {LARGEST}")
        return Event(kind, outcome, control, sequence, time, np.zeros(0), body)
    if kind not in KINDS:
        raise ReadError(f"no frame of kind {kind} is taken")
    if len(body) not in [8 * n for n in KINDS[kind]]:
        raise ReadError(f"a frame of kind {kind} has a body of {len(body)} bytes")
    values = np.frombuffer(body, "<f8").astype(float)
    if not (np.isfinite(values).all() and np.abs(values).max() <= FARTHEST and np.isfinite(time)):
        raise ReadError(f"a frame of kind {kind} has a number that is none, or is too large")
    return Event(kind, outcome, control, sequence, time, values)


def pack(kind: int, body: bytes, like: Event | None = None, **more: int) -> bytes:
    """Return a frame; sequence and time are those of the event that it answers."""
    head = HEAD.pack(
        kind,
        more.get("outcome", 0),
        more.get("control", 0),
        like.sequence if like is not None else more.get("sequence", 0),
        like.time if like is not None else 0.0,
    )
    return head + body


def _f4(values: Any) -> bytes:
    return bytes(np.ascontiguousarray(values, dtype="<f4").tobytes())


def pack_pose(q: Any, angles: Any, poses: Any, number: int, outcome: int, like: Any) -> bytes:
    """Return frame 16."""
    body = _f4(q) + _f4(angles) + _f4(poses)
    return pack(POSE, body, like, control=number, outcome=outcome)


def pack_moved(pose: Any, scale: float, number: int, like: Event | None) -> bytes:
    """Return frame 19."""
    return pack(MOVED, _f4([*pose, scale]), like, control=number)


def pack_mesh(key: str, mesh: dict[str, Any]) -> bytes:
    """Return frame 17."""
    name = key.encode("utf-8")
    links = len(mesh["bind"]) if "bind" in mesh else 0
    counts = (len(mesh["positions"]), len(mesh["index"]), links, len(name))
    parts = [np.array(counts, "<u4").tobytes(), name + b"\0" * (-len(name) % 4)]
    parts += [_f4(mesh["positions"]), _f4(mesh["normals"])]
    parts += [np.asarray(mesh["index"]).astype("<u4").tobytes(), _f4(mesh["colors"])]
    if links:
        parts += [np.asarray(mesh["joints"]).astype("<u2").tobytes(), _f4(mesh["weights"])]
        parts.append(_f4(mesh["bind"]))
    return pack(MESH, b"".join(parts))


def pack_path(times: Any, q: Any, angles: Any, poses: Any, number: int, slot: int = 0) -> bytes:
    """Return frame 18: postures in time; the slot says whose, see `Server`."""
    sizes = [len(times), q.shape[-1], angles.shape[-1], poses.shape[1]]
    body = np.array(sizes, "<u4").tobytes() + _f4(times) + _f4(q) + _f4(angles) + _f4(poses)
    return pack(PATH, body, control=number, outcome=slot)
