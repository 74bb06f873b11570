"""A stand-in for the application's Python side: it serves the page and speaks the messages, with a real person on the other end.

It keeps what came up (`heard`) and does a few actions, so that the page is tested by itself.
"""

from __future__ import annotations

import importlib.util
import json
import struct
import threading
import time
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import numpy as np
from settled import settle

import handik as hk
from handik.files.write._glb import normals_of

HEAD = "<BBHId"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'"
)
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
PERSON, TARGET, CUP = 6, 7, 3


def poses(matrices: Any) -> np.ndarray:
    """Rows of x y z, w x y z of poses (..., 4, 4)."""
    turns = hk.transforms.quaternion(np.asarray(matrices))
    return np.concatenate([np.asarray(matrices)[..., :3, 3], turns], -1)


def words(en: str, fr: str) -> dict[str, str]:
    return {"en": en, "fr": fr}


def action(
    id: str, menu: str | None, en: str, fr: str, key: str | None = None, args: Any = ()
) -> dict[str, Any]:
    return {"id": id, "menu": menu, "words": words(en, fr), "key": key, "args": list(args)}


def node(
    path: str, number: int, kind: str, at: Any, shape: Any = None, color: Any = (0.6, 0.5, 0.4)
) -> dict[str, Any]:
    pose = [*map(float, at), 1.0, 0.0, 0.0, 0.0]
    *up, name = path.split("/")
    return {
        "path": path, "number": number, "name": name, "parent": "/".join(up) or None, "kind": kind,
        "pose": pose, "world": list(pose), "scale": 1.0, "world_scale": 1.0, "color": list(color), "opacity": 1.0,
        "hidden": False, "locked": False, "shape": shape or {}, "mesh": None,
    }  # fmt: skip


ARG = {"name": "name", "type": "text", "words": words("Name", "Nom")}
WHERE = {"name": "node", "type": "node", "words": words("Node", "Objet")}
ACTIONS = [
    action("file.new", "file", "New", "Nouveau", "Alt+N"),
    action("edit.undo", "edit", "Undo", "Annuler", "Control+Z"),
    action("edit.redo", "edit", "Redo", "Rétablir", "Control+Shift+Z"),
    action("node.add", "object", "Add a box …", "Ajouter une boîte …", "Alt+B", [
        {**ARG, "default": "box"},
        {"name": "size", "type": "number", "unit": "m", "default": 0.2, "words": words("Size", "Taille")},
        {"name": "at", "type": "point", "default": [0.4, 0.3, 0.1], "words": words("Place", "Place")},
    ]),
    action("node.rename", "object", "Rename", "Renommer", "F2", [WHERE, ARG]),
    action("solve.run", "solve", "Solve", "Résoudre", "F8"),
]  # fmt: skip
MENUS = [
    ("file", "File", "Fichier"),
    ("edit", "Edit", "Édition"),
    ("object", "Object", "Objet"),
    ("solve", "Solve", "Résoudre"),
]


class Counted:
    """A connection that counts what came and was answered, and what was sent."""

    def __init__(self, socket: Any) -> None:
        self.socket, self.done, self.sent = socket, 0, 0

    def __iter__(self) -> Iterator[Any]:
        for raw in self.socket:
            yield raw
            self.done += 1

    def send(self, message: Any) -> None:
        self.sent += 1
        self.socket.send(message)

    def close(self, code: int) -> None:
        self.socket.close(code)


class Settled:
    """What a test reads when page and Python agree."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"_{name}"

    def __get__(self, one: StandIn, owner: type) -> Any:
        if threading.current_thread() is threading.main_thread():
            for page in one.pages:
                settle(page, lambda: [(row.done, row.sent) for row in one.lines])
        return getattr(one, self.name)

    def __set__(self, one: StandIn, value: Any) -> None:
        setattr(one, self.name, value)


class StandIn:
    heard, hellos, angles, document = Settled(), Settled(), Settled(), Settled()

    def __init__(self) -> None:
        from websockets.sync.server import serve

        self.person = hk.human(sex="female", stature=1.62)
        self.model = self.person.model
        clothed = self.person.surface(self.person.rest).clothed
        self.rig = clothed._rig
        assert self.rig is not None
        self.mesh = self._mesh(clothed)
        self.rows = [self.model.frame_names.index(name) for name in self.rig.names]
        self.files = self._files()
        self.sockets: set[Any] = set()
        self.restart()
        self.server = serve(self.talk, "127.0.0.1", 0, process_request=self.file, compression=None)
        self.port = self.server.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.drop()
        self.thread.join(10)

    def drop(self) -> None:
        """Cut every page off."""
        for socket in list(self.sockets):
            socket.close(1001)

    def restart(self) -> None:
        self.pages: list[Any] = []  # that are waited for
        self.lines: list[Counted] = []
        self.revision = 1
        self.pause = 0.0  # before the end of a drag is answered, seconds
        self.heard = []
        self.angles = np.zeros(self.model.nv)
        self.hellos = []
        wood = (0.55, 0.42, 0.3)
        rows = [
            node("kitchen", 1, "group", (0, 0, 0)),
            node("kitchen/counter", 2, "box", (0.75, 0, 0.6), {"size": [0.5, 1.6, 0.04]}, wood),
            node(
                "kitchen/counter/cup",
                CUP,
                "cylinder",
                (0.6, -0.3, 0.67),
                {"length": 0.1, "radius": 0.04},
            ),
            node("lamp", 5, "light", (1, 1, 2.2)),
            node(
                "Anna",
                PERSON,
                "figure",
                (0, 0, 0),
                {"figure": "f1", "angles": self.angles.tolist()},
            ),
            node("Target", TARGET, "target", (0.5, -0.3, 0.9), {"want": "point", "axis": None}),
        ]
        self.document = {
            "name": "kitchen", "modified": False, "undo": None, "redo": None, "selection": [], "figure": "Anna",
            "target": "Target", "mode": "select", "order": [row["path"] for row in rows],
            "nodes": {row["path"]: row for row in rows}, "poses": {}, "path": None, "verdict": None, "solve": None,
            "ghost": None, "cameras": {}, "disabled": ["edit.redo"],
            "settings": {"solver": "auto", "tolerance": 1e-3, "live": True, "want": "point", "hand": "right",
                         "snap": False, "snap_size": 0.05, "draw": "solid", "body": "skin", "mode": "select", "language": "en", "theme": "light"},
        }  # fmt: skip

    @property
    def q(self) -> Any:
        return self.model.integrate(self.person.rest, self.angles)

    def _files(self) -> dict[str, tuple[bytes, str]]:
        page = Path(hk.__file__).parent / "app" / "page"
        found = {f"/{one.name}": one for one in page.iterdir()}
        spec = importlib.util.find_spec("swift")
        assert spec is not None
        assert spec.origin is not None
        for name in ("three.core.js", "three.module.js"):
            found[f"/three/{name}"] = Path(spec.origin).parent / "public/js/vendor/build" / name
        found["/"] = found["/index.html"]
        return {name: (one.read_bytes(), TYPES[one.suffix]) for name, one in found.items()}

    def file(self, connection: Any, request: Any) -> Any:
        if request.path == "/socket":
            return None
        if request.path not in self.files:
            return connection.respond(HTTPStatus.NOT_FOUND, "not here")
        body, kind = self.files[request.path]
        answer = connection.respond(HTTPStatus.OK, "")
        answer.body = body
        for name in ("Content-Type", "Content-Length"):
            del answer.headers[name]
        answer.headers.update(
            {
                "Content-Type": f"{kind}; charset=utf-8",
                "Content-Length": str(len(body)),
                "Content-Security-Policy": CSP,
            }
        )
        return answer

    def _mesh(self, clothed: Any) -> bytes:
        vertices, faces, rig = clothed.vertices, clothed.faces, self.rig
        colors = np.zeros_like(vertices)
        for face, part in zip(faces, clothed.part, strict=True):
            colors[face] = clothed.colors[part]
        four = np.argsort(-rig.share, axis=1)[:, :4]
        kept = np.take_along_axis(rig.share, four, 1)
        parts = [
            struct.pack(HEAD, 17, 0, 0, 0, 0.0) + struct.pack("<4I", len(vertices), len(faces), len(rig.names), 4) + b"skin",
            *(np.asarray(rows, kind).tobytes() for rows, kind in [
                (vertices, "<f4"), (normals_of(vertices, faces), "<f4"), (faces, "<u4"), (colors, "<f4"), (four, "<u2"),
                (kept / kept.sum(1, keepdims=True), "<f4"), (poses(rig.poses), "<f4")]),
        ]  # fmt: skip
        return b"".join(parts)

    def figure(self) -> dict[str, Any]:
        names = list(self.rig.names)
        dofs = [
            {"name": one.name, "joint": one.joint, "kind": "turn", "lower": one.lower, "upper": one.upper,
             "words": words(one.name.replace("_", " "), one.name.replace("_", " ")), "partner": None}
            for one in self.person.freedoms
        ]  # fmt: skip
        capsules = [
            {
                "link": names.index(one.link),
                "start": one.start.tolist(),
                "end": one.end.tolist(),
                "radii": list(one.radii),
                "name": one.name,
            }
            for one in self.person.capsules
        ]
        hand = {
            "frame": "grip_right",
            "link": names.index("hand_right"),
            "at": [0, 0, -0.08],
            "words": words("Right hand", "Main droite"),
        }
        made = {
            "sex": "female",
            "stature": 1.62,
            "weight": 64.0,
            "percentile": 50,
            "position": "seated",
            "profile": None,
        }
        return {"key": "f1", "name": "Anna", "nq": self.model.nq, "nv": self.model.nv, "links": names,
                "parents": list(self.rig.parents), "dofs": dofs, "handles": [hand], "capsules": capsules, "skin": "skin", "person": made}  # fmt: skip

    def pose(self, control: int = PERSON, sequence: int = 0, time: float = 0.0) -> bytes:
        links = poses(self.model.frames(self.q))[self.rows]
        body = np.concatenate([self.q, self.angles, links.ravel()]).astype("<f4").tobytes()
        return struct.pack(HEAD, 16, 0, control, sequence, time) + body

    def talk(self, connection: Any) -> None:
        socket = Counted(connection)
        self.lines.append(socket)
        self.sockets.add(socket)
        try:
            for raw in socket:
                if isinstance(raw, bytes):
                    self._frame(socket, raw)
                else:
                    self._said(socket, json.loads(raw))
        finally:
            self.sockets.discard(socket)

    def _frame(self, socket: Any, raw: bytes) -> None:
        kind, _, control, sequence, told = struct.unpack_from(HEAD, raw)
        values = np.frombuffer(raw, "<f8", offset=16)
        self.heard.append({"frame": kind, "control": control, "values": values.tolist()})
        if kind == 1:
            self.angles[control] = values[0]
            socket.send(self.pose(PERSON, sequence, told))
            return
        one = next(row for row in self.document["nodes"].values() if row["number"] == control)
        whole = [*values, *one["world"][3:], 1.0] if len(values) == 3 else list(values)
        one["world"] = one["pose"] = whole[:7]
        one["scale"] = one["world_scale"] = whole[7]
        moved = np.asarray(whole, "<f4").tobytes()
        socket.send(struct.pack(HEAD, 19, 0, control, sequence, told) + moved)

    def _said(self, socket: Any, message: dict[str, Any]) -> None:
        kind = message["kind"]
        if kind == "hello":
            self.hellos.append(message)
            if message["token"] != "secret":
                socket.close(4003)
                return
            welcome = {"kind": "welcome", "protocol": 1, "version": "x", "revision": self.revision, "document": self.document,
                       "actions": ACTIONS, "words": {}, "solvers": ["auto", "fabrik", "ccd"],
                       "menus": [{"id": id, "words": words(en, fr), "items": [one["id"] for one in ACTIONS if one["menu"] == id]} for id, en, fr in MENUS],
                       "gallery": [], "profiles": ["tetraplegia_c6"], "figures": {"f1": self.figure()}}  # fmt: skip
            socket.send(json.dumps(welcome))
            socket.send(self.pose())
            return
        self.heard.append(message)
        if kind == "mesh":
            socket.send(self.mesh)
        elif kind == "do":
            self._do(socket, message)
        elif kind in ("end", "cancel"):
            time.sleep(self.pause)
            self.document["nodes"]["Anna"]["shape"]["angles"] = self.angles.tolist()
            self._answer(socket, message["drag"], {"nodes": self.document["nodes"]}, kind)

    def _answer(self, socket: Any, id: int, patch: Any, said: str) -> None:
        self.revision += 1
        socket.send(
            json.dumps(
                {"kind": "done", "id": id, "revision": self.revision, "patch": patch, "said": said}
            )
        )
        socket.send(self.pose())

    def _do(self, socket: Any, message: dict[str, Any]) -> None:
        name, args, id = message["action"], message["args"], message["id"]
        if name == "node.select":
            self.document["selection"] = args["nodes"]
            self._answer(
                socket,
                id,
                {"document": {"selection": args["nodes"]}},
                f"{', '.join(args['nodes'])} selected",
            )
        elif name.startswith("view."):
            self.document["settings"] |= args
            self._answer(socket, id, {"document": {"settings": self.document["settings"]}}, "set")
        elif name == "solve.run":
            found = self.model.solve(
                position=self.document["nodes"]["Target"]["world"][:3], frame="grip_right"
            )
            self.angles = np.asarray(self.model.difference(self.person.rest, found.q))
            self.document["solve"] = {"solver": "auto", "outcome": "converged", "iterations": int(found.iterations), "seconds": 4e-5,
                                      "error": float(found.position_error), "sentence": "The hand is there."}  # fmt: skip
            self.document["nodes"]["Anna"]["shape"]["angles"] = self.angles.tolist()
            self._answer(
                socket,
                id,
                {"nodes": self.document["nodes"], "document": {"solve": self.document["solve"]}},
                "Reached by auto",
            )
        elif name == "node.rename":
            one = self.document["nodes"][args["node"]] | {"name": args["name"]}
            self.document["nodes"][args["node"]] = one
            self._answer(socket, id, {"nodes": {args["node"]: one}}, "renamed")
        else:
            socket.send(
                json.dumps({"kind": "refused", "id": id, "sentence": f"{name} is not done here."})
            )
