"""A drag: a document that changes sixty times a second and becomes one entry of undo."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from handik.app._acts_compare import Eight, with_lap
from handik.app._acts_drive import driven
from handik.app._acts_figure import answer, locks, posed, solver_names, with_joint
from handik.app._acts_plan import placed
from handik.app._acts_scene import pose_of, tops, unlocked
from handik.app._bodies import body_of, seven
from handik.app._describe import Numbers
from handik.app._document import Document
from handik.app._drive import Ride
from handik.app._session import App
from handik.app._wire import Event, pack_moved, pack_pose
from handik.errors import ArgumentError, ReadError
from handik.scene import Actor
from handik.scene.plan import Drag
from handik.spec._given import (
    choice,
    finite_number,
    known_name,
    list_of,
    reals,
    whole_number,
)

__all__ = ["Live", "pose_frame"]

#: Drags and the kind of frame that each takes.
DRAGS = {"joint.set": 1, "figure.drag": 2, "target.move": 2, "node.transform": 3, "solve.eight": 1}
DRAGS["chair.drive"] = 2


def pose_frame(
    document: Document, path: str, number: int, outcome: int = 0, like: Event | None = None
) -> bytes:
    """Return frame 16 of a figure."""
    actor = document.actor(path)[1]
    body, q = body_of(actor), actor.posture
    poses = seven(body.poses(q, document.scene.world(path)))
    return pack_pose(q, body.angles(q), poses, number, outcome, like)


class Live:
    """One drag, from begin to end.

    Parameters
    ----------
    app : App
    numbers : Numbers
    message : mapping
        ``begin`` of the message table.
    """

    def __init__(self, app: App, numbers: Numbers, message: dict[str, Any]) -> None:
        self.action = choice("action", message.get("action"), tuple(DRAGS))
        self.app, self.numbers = app, numbers
        self.base = self.document = app.document
        self.moved: list[str] = []
        self.drag: Drag | None = None
        if self.action == "figure.drag":
            self._take(message)
        self.several: list[str] = []
        if self.action == "node.transform" and message.get("nodes"):
            self._several(message)
        self.ride: Ride | None = None
        if self.action == "chair.drive":
            self.ride = Ride(app.document).set_out()
            self.last: float | None = None
            unlocked(app.document, [self.ride.at])
        self.eight: Eight | None = None
        if self.action == "solve.eight":
            solver = choice("solver", message.get("solver"), tuple(solver_names()))
            self.eight = Eight(app.document, solver, whole_number("poses", message.get("poses")))

    def _several(self, message: dict[str, Any]) -> None:
        """Begin with several nodes: events then say where the pivot of all is."""
        nodes = list_of("nodes", message["nodes"])
        self.several = tops([known_name("node", path, self.base.scene) for path in nodes])
        unlocked(self.base, self.several)
        row = reals(message.get("pivot", ()), "pivot", (7,))
        self.pivot = np.array(pose_of(_turned(row)))

    def _take(self, message: dict[str, Any]) -> None:
        at, actor = self.document.actor(message.get("figure"))
        unlocked(self.document, [at])
        if at != self.document.figure:
            self.document = self.document.asking(figure=at)
        person, free = placed(self.document), self.document.settings.collisions
        model = getattr(person, "model", person)
        self.drag = Drag(
            model,
            message.get("part", ""),
            q0=model.clip(actor.posture),
            pins=message.get("pins") or (),
            mode=message.get("mode") or "least change",
            scene=self.document.scene if free else None,
            figure=person if free else None,
            lock=locks(self.document, at) or None,
        )

    def use(self, event: Event) -> list[bytes]:
        """Follow an event, and return the frames that answer it.

        Raises
        ------
        ReadError
            When it is none of this drag.
        """
        if event.kind != DRAGS[self.action]:
            raise ReadError(f"a frame of kind {event.kind} is none of the drag {self.action}")
        if self.action == "joint.set":
            return self._joint(event)
        if self.action == "figure.drag":
            return self._figure(event)
        if self.eight is not None:
            return self._lap(event, self.eight)
        if self.ride is not None:
            return self._drive(event, self.ride)
        path = self.numbers.paths[event.control] if event.control < len(self.numbers.paths) else ""
        if path not in self.document.scene:
            raise ReadError(f"no node has the number {event.control}")
        return self._target(event, path) if event.kind == 2 else self._node(event, path)

    def _pose(self, event: Event, outcome: int) -> bytes:
        self.app.recorded(self.document)
        at = self.document.actor()[0]
        return pose_frame(self.document, at, self.numbers.of(at) or 0, outcome, event)

    def _joint(self, event: Event) -> list[bytes]:
        actor = self.document.actor()[1]
        body = body_of(actor)
        if event.control >= len(body.sliders):
            raise ReadError(f"no joint has the number {event.control}")
        name = body.sliders[event.control].name
        self.document = with_joint(self.document, name, float(event.values[0]))
        return [self._pose(event, 0)]

    def _figure(self, event: Event) -> list[bytes]:
        assert self.drag is not None
        step = self.drag.to(event.values[:3])
        self.document = posed(self.document, step.q)
        return [self._pose(event, 3 if step.blocked else 1 if step.converged else 2)]

    def _drive(self, event: Event, ride: Ride) -> list[bytes]:
        """Steer for the time since the last event, by the page's clock."""
        last, self.last = self.last, event.time
        if last is None:
            return self._frames(event, ride.at)
        met = ride.drive(float(event.values[0]), float(event.values[1]), event.time - last)
        self.document = ride.document(self.base)
        frames = self._frames(event, ride.at)
        frames[-1] = frames[-1][:1] + bytes([3 if met else 1]) + frames[-1][2:]
        return frames

    def _lap(self, event: Event, eight: Eight) -> list[bytes]:
        """Answer with the pose at a point of the curve, and with where the point is."""
        q, said, place = eight.pose(int(event.values[0]) % len(eight.points))
        poses = seven(eight.body.poses(q, self.document.scene.world(eight.at)))
        outcome = 1 if said.outcome == "converged" else 2
        number = self.numbers.of(eight.at) or 0
        frames = [pack_pose(q, eight.body.angles(q), poses, number, outcome, event)]
        target = self.numbers.of(self.document.target) if self.document.target else None
        if target is not None:
            frames.insert(0, pack_moved([*place, 1, 0, 0, 0], 1.0, target, event))
        return frames

    def _target(self, event: Event, path: str) -> list[bytes]:
        document = self.document
        kind = document.scene[path].kind
        if kind not in ("target", "via"):
            raise ReadError(f"{path!r} is no target")
        unlocked(document, [path])
        pose = np.array(document.scene.world(path))
        if len(event.values) == 7:
            pose = pose_of(_turned(event.values))
        pose[:3, 3] = event.values[:3]
        scene = document.scene.with_pose(path, pose, world=True)
        document = document.edited(scene)
        self.moved = [path]
        number = self.numbers.of(path) or 0
        frames = [pack_moved(seven(scene.world(path)), scene[path].scale, number, event)]
        if kind == "target":
            document = replace(document, target=path)
        if kind == "target" and document.settings.live and document.figure is not None:
            at, actor = document.actor()
            unlocked(document, [at])
            q, said = answer(document, actor.posture)
            document = replace(document.with_q(q), solve=said)
            self.document = document
            frames.append(self._pose(event, 1 if said.outcome == "converged" else 2))
        self.document = document
        return frames

    def _together(self, event: Event) -> list[bytes]:
        """Move, turn and scale several nodes about their pivot, from where they were at first."""
        scene, factor = self.base.scene, float(event.values[7])
        if factor <= 0:
            raise ReadError(f"a scale must be above zero, got {factor:g}")
        way = pose_of(_turned(event.values)) @ np.linalg.inv(self.pivot)
        at = self.pivot[:3, 3]
        for path in self.several:
            pose = np.array(self.base.scene.world(path))
            pose[:3, 3] = at + factor * (pose[:3, 3] - at)
            scene = scene.with_pose(path, way @ pose, world=True)
            if factor != 1 and not isinstance(scene[path].content, Actor):
                scene = scene.with_scale(path, self.base.scene[path].scale * factor)
        self.document, self.moved = self.base.edited(scene), self.several
        return [frame for path in self.several for frame in self._frames(event, path)]

    def _node(self, event: Event, path: str) -> list[bytes]:
        if self.several:
            return self._together(event)
        unlocked(self.document, [path])
        scene = self.document.scene.with_pose(path, pose_of(_turned(event.values)), world=True)
        if not isinstance(scene[path].content, Actor):
            scene = scene.with_scale(path, float(event.values[7]))
        self.document = self.document.edited(scene)
        if path not in self.moved:
            self.moved.append(path)
        return self._frames(event, path)

    def _frames(self, event: Event, path: str) -> list[bytes]:
        """Return where a node is, and all that hangs on it."""
        scene, frames = self.document.scene, []
        for other in scene:
            if other == path or other.startswith(path + "/"):
                number = self.numbers.of(other) or 0
                pose, scale = seven(scene.world(other)), scene[other].scale
                frames.append(pack_moved(pose, scale, number, event))
                if isinstance(scene[other].content, Actor):
                    frames.append(pose_frame(self.document, other, number, 0, event))
        return frames

    def end(self, told: dict[str, Any] | None = None) -> str:
        """Put what was dragged into the history, as one entry.

        Parameters
        ----------
        told : mapping, optional
            What came with ``end``: of a lap, the frames that were drawn in a second.

        Raises
        ------
        ArgumentError
            When the document was changed meanwhile.
        """
        app = self.app
        with app.lock:
            if app.document.rests_on != self.base.rests_on:
                raise ArgumentError("the document was changed meanwhile: the drag is dropped")
            if self.ride is not None:
                if len(self.ride.times) < 2:
                    return ""
                after = driven(app, app.document, self.ride)
                pose = seven(self.ride.place).tolist()
                step = {"action": "node.transform", "node": self.ride.at, "pose": pose}
                return app.drag_done("chair.drive", after, [step])
            if self.eight is not None:
                rate = finite_number("frames_per_second", (told or {}).get("frames_per_second"))
                lap = self.eight.lap(rate)
                return app.drag_done("solve.eight", with_lap(app.document, lap), [])
            if self.document is self.base:
                return ""
            self.document = self.base.moved(self.document, app.document)
            if self.action == "target.move" and self.document.solve is not None:
                app.tell_solved(self.document.solve)
            return app.drag_done(*self._as_actions())

    def _as_actions(self) -> tuple[str, Document, list[dict[str, Any]]]:
        document = self.document
        if self.action == "node.transform":
            return (
                "node.transform",
                document,
                [
                    {
                        "node": path,
                        "pose": seven(document.scene.world(path)).tolist(),
                        "scale": document.scene[path].scale,
                    }
                    for path in self.moved
                ],
            )
        steps: list[dict[str, Any]] = []
        if self.action == "target.move":
            at = self.moved[0]
            pose = seven(document.scene.world(at)).tolist()
            if document.scene[at].kind == "target" and self.base.target != at:
                steps.append({"action": "target.choose", "target": at})
            steps.append({"action": "node.transform", "node": at, "pose": pose})
        if self.base.figure != document.figure:
            steps.append({"action": "figure.activate", "figure": document.figure})
        solved = document.solve is not self.base.solve
        if document.figure is not None and (self.action != "target.move" or solved):
            q = document.actor()[1].posture.tolist()
            steps.append({"action": "pose.set", "q": f"q = {q}"})
        return ("target.set" if self.action == "target.move" else "joint.set"), document, steps


def _turned(values: Any) -> list[float]:
    size = float(np.linalg.norm(values[3:7]))
    if not 1e-6 < size < 1e6:
        raise ReadError("a pose has no turn: its quaternion is none")
    return [*values[:3].tolist(), *(values[3:7] / size).tolist()]
