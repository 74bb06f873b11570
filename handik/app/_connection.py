"""One page: what it says is done, newest events first, and what it should know is told."""

from __future__ import annotations

import asyncio
import base64
import json
from secrets import compare_digest
from threading import Event as Flag
from typing import TYPE_CHECKING, Any

import numpy as np

from handik._core import __version__
from handik.app import _parts as parts
from handik.app._actions import ACTIONS
from handik.app._bodies import body_of, normals
from handik.app._body_words import body_words
from handik.app._describe import described, mesh_key
from handik.app._live import Live
from handik.app._refusals import in_language
from handik.app._session import Stopped
from handik.app._wire import CHUNK, LARGEST, Event, pack, pack_mesh, unpack
from handik.app._words import CHOICES, LANGUAGES, MENUS
from handik.errors import ArgumentError, HandikError, ReadError
from handik.people.impairments import profiles
from handik.scene import Actor, Mesh, gallery
from handik.scene._look import triangles
from handik.solve import solvers

if TYPE_CHECKING:
    from handik.app._server import Server

__all__ = ["Connection"]

PROTOCOL = 1
#: Seconds for the first frame; malformed frames after which the socket is closed; jobs at a time.
PATIENCE, MALFORMED, JOBS = 5.0, 20, 4
#: Bytes of a file that a page may send, but a document of ours: that may be as long as it is saved.
LONGEST = 32 * 2**20
#: What an uploaded file is for, and the action that takes it.
PURPOSES = {"open": "file.open", "import": "file.import", "motion": "motion.open"}
WRONG_TOKEN, TOO_MANY, TOO_BIG = 4003, 4008, 4009


class Connection:
    """A page at the other end of a socket."""

    def __init__(self, server: Server, socket: Any) -> None:
        self.server, self.app, self.socket = server, server.app, socket
        self.live: Live | None = None
        self.declined = False
        self.slots: dict[tuple[int, int], Event] = {}
        self.fresh = asyncio.Event()
        self.upload: tuple[dict[str, Any], bytearray] | None = None
        self.jobs: dict[int, Flag] = {}
        self.count = self.bad = 0
        self.busy = asyncio.Lock()

    async def send(self, frame: str | bytes) -> None:
        """Send a frame, unless the page has gone."""
        from websockets.exceptions import ConnectionClosed

        try:
            await self.socket.send(frame)
        except ConnectionClosed:
            pass

    async def tell(self, kind: str, **message: Any) -> None:
        """Send a message."""
        await self.send(json.dumps({"kind": kind, **message}, separators=(",", ":")))

    def stop_jobs(self) -> None:
        """Cancel what the page has asked for."""
        for flag in self.jobs.values():
            flag.set()

    async def by_hand(self, work: Any, *args: Any) -> Any:
        """Have something done in the thread of actions."""
        return await asyncio.get_running_loop().run_in_executor(self.server.hands, work, *args)

    def _refusal(self, error: Exception) -> str:
        """Return why something was refused, in the language of the view."""
        return in_language(_sentence(error), self.app.view.language)

    # -- one page -----------------------------------------------------------------------------

    async def serve(self) -> None:
        """Listen until the page goes."""
        from websockets.exceptions import ConnectionClosed

        if not await self._hello():
            await self.socket.close(WRONG_TOKEN, "wrong hello")
            return
        self.server.pages.add(self)
        drags = asyncio.create_task(self._drags())
        try:
            async for frame in self.socket:
                try:
                    await self._frame(frame)
                except ReadError as error:
                    self.bad += 1
                    await self.tell("refused", id=None, sentence=self._refusal(error))
                    if self.bad >= MALFORMED:
                        await self.socket.close(TOO_MANY, "too many malformed frames")
                        return
        except (OSError, ConnectionClosed):
            pass  # a tab that was closed is no error
        finally:
            drags.cancel()

    async def _hello(self) -> bool:
        try:
            first = await asyncio.wait_for(self.socket.recv(), PATIENCE)
            given = json.loads(first) if isinstance(first, str) else None
        except (TimeoutError, ValueError, RecursionError):
            return False
        if not isinstance(given, dict) or given.get("kind") != "hello":
            return False
        token = given.get("token")
        known = isinstance(token, str) and compare_digest(
            token.encode("utf-8", "replace"), self.server.token.encode()
        )
        if not known or given.get("protocol") != PROTOCOL:
            return False
        if given.get("language") in LANGUAGES and self.app.view.language != given["language"]:
            await self.by_hand(lambda: self.app.do("view.language", language=given["language"]))
            await self.server.publish()
        await self._welcome()
        return True

    async def _welcome(self) -> None:
        document, server = self.app.document, self.server
        actors = [document.scene[p].content for p in document.scene.find(kind="figure")]
        actors += [one.actor for one in document.beside]
        bodies = [body_of(one) for one in actors if isinstance(one, Actor)]
        menus = [
            {
                "id": menu,
                "words": words.plain(),
                "items": [id for id, one in ACTIONS.items() if one.menu == menu],
            }
            for menu, words in MENUS.items()
        ]
        await self.tell(
            "welcome",
            protocol=PROTOCOL,
            version=__version__,
            revision=self.app.revision,
            document=described(self.app, server.numbers),
            actions=[one.plain() for one in ACTIONS.values()],
            menus=menus,
            words={key: words.plain() for key, words in {**CHOICES, **body_words()}.items()},
            solvers=[one.name for one in solvers()],
            gallery=list(gallery()),
            profiles=list(profiles()),
            figures={body.key: body.described for body in bodies},
        )
        for frame in (*server.figure_frames(), *server.path_frames(), *server.steps_frames()):
            await self.send(frame)
        if self.app.recovered:
            await self.tell("say", sentence=self.app.recovered, level="info")

    async def files_given(self) -> None:
        """Send the files that an action gave."""
        for given in list(self.app.given):
            self.count += 1
            about = {"file": self.count, "name": given.name, "size": len(given.data)}
            await self.tell("file", **about, type=given.type)
            for at in range(0, len(given.data), LARGEST):
                await self.send(pack(CHUNK, given.data[at : at + LARGEST], sequence=self.count))

    # -- frames -------------------------------------------------------------------------------

    async def _frame(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            event = unpack(frame)
            if event.kind == CHUNK:
                await self._chunk(event)
            elif self.live is None and self.declined:
                pass  # it was on its way when the drag was refused
            elif self.live is None:
                raise ReadError(f"a frame of kind {event.kind} outside a drag")
            else:
                self.slots[event.kind, event.control] = event
                self.fresh.set()
            return
        try:
            message = json.loads(frame)
        except (ValueError, RecursionError):
            raise ReadError("a message is no JSON") from None
        if not isinstance(message, dict):
            raise ReadError("a message is no object")
        handler = _HANDLERS.get(str(message.get("kind")))
        if handler is None:
            raise ReadError(f"no message of kind {str(message.get('kind'))[:40]!r} is taken")
        await handler(self, message)

    async def _do(self, message: dict[str, Any]) -> None:
        id, action, args = message.get("id"), message.get("action"), message.get("args") or {}
        if not isinstance(args, dict) or not isinstance(action, str) or not _whole(id):
            raise ReadError("do needs id, action and args")
        if action == "file.save" and args:
            no = ArgumentError("a page saves by a download: no path")
            await self.tell("refused", id=id, sentence=self._refusal(no))
            return
        if action in ACTIONS and ACTIONS[action].job:
            await self._job(id, action, args)
            return
        await self._answer(id, lambda: self.app.do(action, **args))

    async def _answer(self, id: Any, work: Any) -> None:
        """Do something, and tell all pages; or say why not."""
        try:
            said = await self.by_hand(work)
        except Exception as error:
            await self.tell("refused", id=id, sentence=self._refusal(error))
            return
        await self.server.publish(self, id=id, said=said)

    async def _job(self, id: Any, action: str, args: dict[str, Any]) -> None:
        if len(self.jobs) >= JOBS:
            no = ArgumentError(f"{JOBS} jobs are running: stop one")
            await self.tell("refused", id=id, sentence=self._refusal(no))
            return
        self.count += 1
        job, flag, loop = self.count, Flag(), asyncio.get_running_loop()
        self.jobs[job] = flag

        def share(done: float) -> None:
            if flag.is_set():
                raise Stopped
            told = self.tell("progress", job=job, action=action, share=done, sentence="")
            asyncio.run_coroutine_threadsafe(told, loop)

        async def run() -> None:
            state, sentence = "done", ""
            try:
                work = loop.run_in_executor(
                    self.server.workers, self.app.run_job, action, args, share
                )
                sentence = await work
            except Stopped:
                state = "stopped"
            except Exception as error:
                state, sentence = "failed", self._refusal(error)
            del self.jobs[job]
            if state == "done":
                await self.server.publish(self, id=id, said=sentence)
            else:
                sentence = sentence or self.app.words("stopped")
                await self.tell("refused", id=id, sentence=sentence)
            await self.tell("job", job=job, action=action, state=state, sentence=sentence)

        await self.tell("progress", job=job, action=action, share=0.0, sentence="")
        self._task = asyncio.create_task(run())

    async def _stop(self, message: dict[str, Any]) -> None:
        flag = self.jobs.get(message["job"]) if _whole(message.get("job")) else None
        if flag is None:
            raise ReadError("there is no such job")
        flag.set()

    # -- drags --------------------------------------------------------------------------------

    async def _begin(self, message: dict[str, Any]) -> None:
        if not _whole(message.get("drag")):
            raise ReadError("begin needs a number")
        self.declined = False
        try:
            self.live = await self.by_hand(Live, self.app, self.server.numbers, message)
        except Exception as error:
            self.declined = True
            await self.tell("refused", id=message["drag"], sentence=self._refusal(error))

    async def _end(self, message: dict[str, Any]) -> None:
        await self._over(message, keep=True)

    async def _cancel(self, message: dict[str, Any]) -> None:
        await self._over(message, keep=False)

    async def _over(self, message: dict[str, Any], *, keep: bool) -> None:
        live = self.live
        if live is None or not _whole(message.get("drag")):
            raise ReadError("there is no drag to end")
        if keep:
            await self._use_slots()
        self.live = None
        self.slots.clear()
        await self._answer(message["drag"], (lambda: live.end(message)) if keep else lambda: "")
        if not keep or live.eight is not None:  # what was drawn meanwhile goes back
            for frame in self.server.figure_frames():
                await self.send(frame)

    async def _drags(self) -> None:
        """Use the newest event of each control, again and again."""
        while True:
            await self.fresh.wait()
            self.fresh.clear()
            await self._use_slots()

    async def _use_slots(self) -> None:
        async with self.busy:
            while self.slots and self.live is not None:
                event = self.slots.pop(next(iter(self.slots)))
                try:
                    frames = await self.by_hand(self.live.use, event)
                except Exception as error:
                    await self.tell("refused", id=None, sentence=self._refusal(error))
                    continue
                for frame in frames:
                    await self.send(frame)

    # -- files and meshes ---------------------------------------------------------------------

    async def _file(self, message: dict[str, Any]) -> None:
        number, size, name = (message.get(key, "") for key in ("file", "size", "name"))
        purpose = message.get("purpose")
        if not (_whole(number) and _whole(size) and isinstance(name, str)):
            raise ReadError("file needs file, size and name")
        if purpose not in PURPOSES:
            raise ReadError("file is to open, to import, or a motion")
        own = purpose == "open" and name.lower().endswith(".json")
        most = parts.LONGEST if own else LONGEST
        if size > most:
            no = ArgumentError(f"a file has {most} bytes at most")
            await self.tell("refused", id=number, sentence=self._refusal(no))
            return
        self.upload = message, bytearray()
        if size == 0:
            await self._uploaded()

    async def _chunk(self, event: Event) -> None:
        if self.upload is None or event.sequence != self.upload[0]["file"] & 0xFFFFFFFF:
            raise ReadError("a chunk of no file")
        about, data = self.upload
        data += event.data
        if len(data) > about["size"]:
            self.upload = None
            raise ReadError("a file is longer than it was said to be")
        if len(data) == about["size"]:
            await self._uploaded()

    async def _uploaded(self) -> None:
        assert self.upload is not None
        (about, data), self.upload = self.upload, None

        given: dict[str, Any] = {"name": about["name"]}
        try:
            given["text"] = data.decode("utf-8")
        except UnicodeDecodeError:
            given["data"] = base64.b64encode(data).decode()
        action = PURPOSES[about["purpose"]]
        given |= {k: about[k] for k in ("scale", "up") if k in about and ACTIONS[action].job}
        if ACTIONS[action].job:
            await self._job(about["file"], action, given)
        else:
            await self._answer(about["file"], lambda: self.app.do(action, **given))

    async def _mesh(self, message: dict[str, Any]) -> None:
        key = message.get("key")
        if not isinstance(key, str):
            raise ReadError("mesh needs a key")
        try:
            made = await self.by_hand(self._triangles, key)
        except Exception as error:
            await self.tell("refused", id=None, key=key, sentence=self._refusal(error))
            return
        await self.send(pack_mesh(key, made))

    def _triangles(self, key: str) -> dict[str, Any]:
        scene = self.app.document.scene
        for path in scene:
            content = scene[path].content
            if isinstance(content, Actor) and key == f"skin-{body_of(content).key}":
                return body_of(content).skin
            if isinstance(content, Mesh) and key == mesh_key(content):
                made = triangles(content)
                points = np.asarray(made.vertices)
                shades = np.ones_like(points)
                turned = normals(points, made.faces) if made.normals is None else made.normals
                mesh = {"positions": points, "normals": turned, "index": made.faces}
                return {**mesh, "colors": shades}
        for one in self.app.document.beside:
            if key == f"skin-{body_of(one.actor).key}":
                return body_of(one.actor).skin
        raise ArgumentError(f"there is no mesh {key[:40]!r}")


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _sentence(error: Exception) -> str:
    if isinstance(error, (HandikError, TypeError, ValueError, OSError)):
        return " ".join(str(error).split())[:2000]
    return f"handik broke its own promise: {type(error).__name__}: {str(error)[:200]}"


_HANDLERS: dict[str, Any] = {
    "do": Connection._do,
    "begin": Connection._begin,
    "end": Connection._end,
    "cancel": Connection._cancel,
    "stop": Connection._stop,
    "file": Connection._file,
    "mesh": Connection._mesh,
}
