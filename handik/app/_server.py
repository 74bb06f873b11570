"""The server of the page: loopback alone, one port for files and socket, a token for the socket."""

from __future__ import annotations

import asyncio
import logging
import secrets
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from threading import Event as Flag
from threading import Thread, local
from typing import Any

import numpy as np

from handik.app._bodies import body_of, seven
from handik.app._connection import Connection
from handik.app._describe import GHOST, Numbers, described
from handik.app._files import INSTALL, page_files
from handik.app._live import pose_frame
from handik.app._session import App
from handik.app._wire import pack_path, pack_pose
from handik.errors import UnsupportedError
from handik.scene import Actor
from handik.spec._given import whole_number

__all__ = ["Server"]

HOST = "127.0.0.1"
#: Bytes of a frame at most: a chunk of a file and its header.
LARGEST = 2**20 + 16
#: Pages at a time.
MOST_PAGES = 16
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self' http://localhost:* http://127.0.0.1:*"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def _is_a_fault(record: logging.LogRecord) -> bool:
    """Tell whether a line of the log is more than a browser that went before it asked."""
    error = record.exc_info[1] if record.exc_info else None
    while error is not None:
        if isinstance(error, (EOFError, ConnectionError)):
            return False
        error = error.__cause__
    return True


_LOG = logging.getLogger("handik.app")
_LOG.addFilter(_is_a_fault)


class Server:
    """An application and its pages, in a thread of its own.

    Parameters
    ----------
    app : App
    port : int
        0: any that is free.
    """

    def __init__(self, app: App, port: int = 0) -> None:
        try:
            import websockets.asyncio.server as sockets
        except ImportError:
            raise UnsupportedError(f"the page is served by websockets: {INSTALL}") from None
        self._sockets = sockets
        self.app, self.numbers = app, Numbers()
        self.token = secrets.token_urlsafe(24)
        self.files = page_files()
        self.pages: set[Connection] = set()
        self._own = local()  # marks the threads whose changes are told with their answers
        self.hands = ThreadPoolExecutor(1, "handik-do", self._mark)  # actions, one at a time
        self.workers = ThreadPoolExecutor(2, "handik-job", self._mark)
        self._telling = asyncio.Lock()
        self.told = described(app, self.numbers)
        self.way, self.steps = app.document.path, app.document.steps
        self._asked = whole_number("port", port, 65_535)
        self._up, self._failed = Flag(), list[BaseException]()
        self._thread = Thread(target=self._run, name="handik-app", daemon=True)
        self._thread.start()
        self._up.wait()
        if self._failed:
            raise self._failed[0]
        app.listeners.append(self._heard)

    def _mark(self) -> None:
        self._own.marked = True

    @property
    def address(self) -> str:
        """What a browser opens; the token is in it."""
        return f"http://{HOST}:{self.port}/#{self.token}"

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except OSError as error:
            self._failed.append(error)
            self._up.set()

    async def _serve(self) -> None:
        self.loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = await self._sockets.serve(
            self._page,
            HOST,
            self._asked,
            process_request=self._request,
            compression=None,
            max_size=LARGEST,
            max_queue=64,
            open_timeout=5,
            server_header=None,
            logger=_LOG,
        )
        self.port = server.sockets[0].getsockname()[1]
        self._up.set()
        async with server:
            await self._end.wait()

    def stop(self) -> None:
        """End, and wait for it."""
        if self._heard in self.app.listeners:
            self.app.listeners.remove(self._heard)
        for page in list(self.pages):
            page.stop_jobs()
        self.loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)
        self.hands.shutdown(wait=False, cancel_futures=True)
        self.workers.shutdown(wait=False, cancel_futures=True)

    # -- requests -----------------------------------------------------------------------------

    def _request(self, connection: Any, request: Any) -> Any:
        """Answer a request for a file, or let the socket be opened."""
        hosts = {f"{name}:{self.port}" for name in (HOST, "localhost")}
        if request.headers.get_all("Host") not in [[host] for host in hosts]:
            return self._say(connection, HTTPStatus.FORBIDDEN, "another host")
        origins = request.headers.get_all("Origin")
        if origins and origins not in [[f"http://{host}"] for host in hosts]:
            return self._say(connection, HTTPStatus.FORBIDDEN, "another origin")
        path = request.path.partition("?")[0]
        if path == "/socket":
            if len(self.pages) >= MOST_PAGES:
                return self._say(connection, HTTPStatus.SERVICE_UNAVAILABLE, "too many pages")
            return None
        if path not in self.files:
            return self._say(connection, HTTPStatus.NOT_FOUND, "not found")
        kind, data = self.files[path]
        return self._say(connection, HTTPStatus.OK, data, kind)

    def _say(self, connection: Any, status: HTTPStatus, body: Any, kind: str = "") -> Any:
        response = connection.respond(status, "")
        data = body if isinstance(body, bytes) else body.encode()
        for name in ("Content-Type", "Content-Length"):
            del response.headers[name]
        response.headers["Content-Type"] = kind or "text/plain; charset=utf-8"
        response.headers["Content-Length"] = str(len(data))
        for name, value in HEADERS.items():
            response.headers[name] = value
        response.body = data
        return response

    async def _page(self, socket: Any) -> None:
        page = Connection(self, socket)
        try:
            await page.serve()
        finally:
            self.pages.discard(page)
            page.stop_jobs()

    # -- telling pages ------------------------------------------------------------------------

    def _heard(self, app: App) -> None:
        """Have the pages told, from whatever thread an action is done in."""
        if not (getattr(self._own, "marked", False) or self.loop.is_closed()):
            self.loop.call_soon_threadsafe(lambda: self.loop.create_task(self.publish()))

    async def publish(self, to: Connection | None = None, **done: Any) -> None:
        """Tell every page what is another; that which asked is told with its answer."""
        async with self._telling:
            await self._publish(to, done)

    async def _publish(self, to: Connection | None, done: dict[str, Any]) -> None:
        before, self.told = self.told, described(self.app, self.numbers)
        now, document = self.told, self.app.document
        patch = self._patch(before, now)
        nodes, fields = patch["nodes"], patch["document"]
        frames = [self._frame(p) for p, n in nodes.items() if n and n["kind"] == "figure"]
        if "ghost" in fields:
            frames += self.ghost_frames()
        if document.path is not self.way:
            self.way = document.path
            frames += self.path_frames()
        if document.steps is not self.steps:
            self.steps = document.steps
            frames += self.steps_frames()
        known = {"revision": self.app.revision, "patch": patch}
        empty = not (patch["nodes"] or fields or "order" in patch)
        for page in list(self.pages):
            if page is to:
                await page.tell("done", **known, **done)
            elif not empty:
                await page.tell("patch", **known, said=done.get("said", ""))
            for frame in frames:
                await page.send(frame)
            await page.files_given()
        self.app.given.clear()

    def _patch(self, before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
        """Return what is another in a document."""
        document = self.app.document
        nodes = {p: n for p, n in now["nodes"].items() if before["nodes"].get(p) != n}
        gone: dict[str, Any] = {p: None for p in before["nodes"] if p not in now["nodes"]}
        patch: dict[str, Any] = {"nodes": {**gone, **nodes}, "figures": {}}
        fields = {k: v for k, v in now.items() if k not in ("nodes", "order") and before[k] != v}
        patch["document"] = fields
        if now["order"] != before["order"]:
            patch["order"] = now["order"]
        for path in nodes:
            content = document.scene[path].content if path in document.scene else None
            if isinstance(content, Actor):
                body = body_of(content)
                patch["figures"][body.key] = body.described
        for one in document.beside if "beside" in fields else ():
            body = body_of(one.actor)
            patch["figures"][body.key] = body.described
        return patch

    def _frame(self, path: str) -> bytes:
        return pose_frame(self.app.document, path, self.numbers.of(path) or 0)

    def figure_frames(self) -> list[bytes]:
        """Return frame 16 of every figure, and of the ghost."""
        paths = self.app.document.scene.find(kind="figure")
        return [self._frame(path) for path in paths] + self.ghost_frames()

    def ghost_frames(self) -> list[bytes]:
        """Return frame 16 of the ghost, if there is one."""
        document = self.app.document
        if document.ghost is None:
            return []
        at, actor = document.actor(document.ghost.figure)
        body, q = body_of(actor), document.ghost.q
        poses = seven(body.poses(q, document.scene.world(at)))
        return [pack_pose(q, body.angles(q), poses, GHOST, 0, None)]

    def path_frames(self) -> list[bytes]:
        """Return frame 18, if there is a path."""
        document, way = self.app.document, self.app.document.path
        if way is None or not len(way.times):
            return []
        body = body_of(document.actor(way.figure)[1])
        poses = seven(body.poses(way.q, document.scene.world(way.figure)))
        number = self.numbers.of(way.figure) or 0
        return [pack_path(way.times, way.q, body.angles(way.q), poses, number)]

    def steps_frames(self) -> list[bytes]:
        """Return frames 18 of what two solvers did, in the slots 1 and 2; times are iterations."""
        document, frames = self.app.document, []
        for slot, steps in enumerate(document.steps, 1):
            body = body_of(document.actor(steps.figure)[1])
            poses = seven(body.poses(steps.q, document.scene.world(steps.figure)))
            number = self.numbers.of(steps.figure) or 0
            angles, times = body.angles(steps.q), np.arange(len(steps.q))
            frames.append(pack_path(times, steps.q, angles, poses, number, slot))
        return frames
