"""The server of the page: who may speak to it, what it answers, and what it refuses."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import numpy as np
import pytest

from handik.app import App
from handik.errors import HandikError

pytest.importorskip("websockets")
pytest.importorskip("swift")

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from handik.app import _connection, _files
from handik.app._server import LARGEST, Server

HEAD = struct.Struct("<BBHId")


@pytest.fixture
def server() -> Iterator[Server]:
    app = App()
    app.do("person.add", sex="female")
    app.do("target.set", at=[0.4, -0.2, 1.0])
    app.do("node.add", kind="box", name="table", at=[0.9, 0, 0.2])
    made = Server(app)
    yield made
    made.stop()


class Page:
    """A page that is a program."""

    def __init__(self, socket: Any) -> None:
        self.socket, self.welcome = socket, {}

    async def say(self, kind: str, **message: Any) -> None:
        await self.socket.send(json.dumps({"kind": kind, **message}))

    async def next(self, kind: str | int, **wanted: Any) -> Any:
        """The next message of a kind, or frame, with these fields."""
        while True:
            frame = await asyncio.wait_for(self.socket.recv(), 20)
            if isinstance(frame, bytes):
                if frame[0] == kind:
                    return HEAD.unpack_from(frame), np.frombuffer(frame[16:], "<f4")
                continue
            message = json.loads(frame)
            if message["kind"] == kind and all(message.get(k) == v for k, v in wanted.items()):
                return message

    async def do(self, action: str, **args: Any) -> Any:
        await self.say("do", id=7, action=action, args=args)
        return await self.next("done", id=7)

    async def drag(self, kind: int, control: int, sequence: int, *values: float) -> None:
        body = struct.pack(f"<{len(values)}d", *values)
        await self.socket.send(HEAD.pack(kind, 0, control, sequence, 0.25) + body)


def with_page(server: Server, work: Callable[[Page], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with connect(f"ws://127.0.0.1:{server.port}/socket", max_size=None) as socket:
            page = Page(socket)
            await page.say("hello", token=server.token, protocol=1, language="en")
            page.welcome = await page.next("welcome")
            await work(page)

    asyncio.run(run())


def ask(server: Server, path: str, **headers: str) -> http.client.HTTPResponse:
    caller = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    caller.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
    for name, value in {"Host": f"127.0.0.1:{server.port}", **headers}.items():
        caller.putheader(name, value)
    caller.endheaders()
    answer = caller.getresponse()
    answer.body = answer.read()  # type: ignore[attr-defined]
    caller.close()
    return answer


def test_files_come_from_a_dict_with_a_strict_policy(server: Server) -> None:
    found = ask(server, "/three/three.module.js")
    assert found.status == 200
    assert found.body[:10] == server.files["/three/three.module.js"][1][:10]  # type: ignore[attr-defined]
    policy = found.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert found.headers["X-Content-Type-Options"] == "nosniff"
    for path in ("/../pyproject.toml", "/%2e%2e/x", "/three/../../x", "//etc/passwd", "/three/"):
        assert ask(server, path).status == 404
    for _, data in server.files.values():
        assert b"from 'three'" not in data


def test_another_host_or_origin_is_refused(server: Server) -> None:
    port = server.port
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", ""):
        assert ask(server, "/three/three.core.js", Host=host).status == 403
    for origin in (
        "http://evil.example",
        "null",
        f"http://127.0.0.1:{port + 1}",
        "https://localhost",
    ):
        assert ask(server, "/three/three.core.js", Origin=origin).status == 403
    for host in ("localhost", "127.0.0.1"):
        own = f"{host}:{port}"
        assert ask(server, "/three/three.core.js", Host=own, Origin=f"http://{own}").status == 200

    async def foreign() -> None:
        with pytest.raises(InvalidStatus):
            async with connect(f"ws://127.0.0.1:{port}/socket", origin="http://evil.example"):
                pass

    asyncio.run(foreign())


@pytest.mark.parametrize(
    "first",
    [
        {"kind": "hello", "token": "", "protocol": 1},
        {"kind": "hello", "token": "é" * 32, "protocol": 1},
        {"kind": "hello", "token": None, "protocol": 1},
        {"kind": "hello", "protocol": 2, "token": "TOKEN"},
        {"kind": "do", "token": "TOKEN", "protocol": 1, "id": 1, "action": "file.new"},
        [],
        b"hello",
        "[" * 100_000,
    ],
)
def test_a_wrong_hello_closes(server: Server, first: Any) -> None:
    if isinstance(first, dict):
        first = {k: server.token if v == "TOKEN" else v for k, v in first.items()}
    frame = first if isinstance(first, (bytes, str)) else json.dumps(first)

    async def run() -> None:
        async with connect(f"ws://127.0.0.1:{server.port}/socket") as socket:
            await socket.send(frame)
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4003

    asyncio.run(run())


def test_actions_change_the_document_and_every_page_is_told(server: Server) -> None:
    async def run(page: Page) -> None:
        assert page.welcome["document"]["figure"] == "person"
        assert page.welcome["figures"]
        async with connect(f"ws://127.0.0.1:{server.port}/socket", max_size=None) as socket:
            other = Page(socket)
            await other.say("hello", token=server.token, protocol=1)
            await other.next("welcome")
            done = await page.do("node.rename", node="table", name="desk")
            assert done["patch"]["nodes"]["table"] is None
            assert done["patch"]["nodes"]["desk"]["name"] == "desk"
            assert "desk" in done["patch"]["order"]
            told = await other.next("patch")
            assert told["patch"] == done["patch"]
            server.app.do("node.hide", nodes=["desk"])  # from Python
            told = await page.next("patch")
            assert told["patch"]["nodes"]["desk"]["hidden"]
        await page.say("do", id=3, action="node.rename", args={"node": "none", "name": "x"})
        assert "none" in (await page.next("refused", id=3))["sentence"]

    with_page(server, run)
    assert "desk" in server.app.document.scene


@pytest.mark.parametrize("keep", [True, False])
def test_a_drag_is_one_entry_or_none(server: Server, keep: bool) -> None:
    before = server.app.document
    count = len(server.app.history.before)

    async def run(page: Page) -> None:
        number = page.welcome["document"]["nodes"]["target"]["number"]
        await page.next(16)
        await page.say("begin", drag=1, action="target.move")
        for k in range(30):
            await page.drag(2, number, k, 0.4 + 0.002 * k, -0.2, 1.0)
        await page.say("end" if keep else "cancel", drag=1)
        done = await page.next("done", id=1)
        assert bool(done["patch"]["nodes"]) == keep

    with_page(server, run)
    app = server.app
    assert len(app.history.before) == count + keep
    place = app.document.scene.world("target")[0, 3]
    assert place == (pytest.approx(0.458) if keep else pytest.approx(0.4))
    if keep:
        names: dict[str, Any] = {}
        exec(app.script(), names)
        other = names["app"].document
        assert other.scene == app.document.scene  # the script replays the drag to the bit
        app.do("edit.undo")
    assert app.document is before


def test_what_follows_a_drag_that_was_refused_is_no_fault_of_the_page(server: Server) -> None:
    async def run(page: Page) -> None:
        number = page.welcome["document"]["nodes"]["person"]["number"]
        await page.say("begin", drag=7, action="chair.drive")
        said = await page.next("refused", id=7)
        assert "wheelchair" in said["sentence"]
        for k in range(30):  # more than close a socket
            await page.drag(2, number, k, 1, 0, 0)
        await page.say("do", id=8, action="node.add", args={"name": "still"})
        await page.next("done", id=8)

    with_page(server, run)
    assert "still" in server.app.document.scene


def test_joints_parts_and_nodes_are_dragged_live(server: Server) -> None:
    async def run(page: Page) -> None:
        nodes = page.welcome["document"]["nodes"]
        (figure,) = page.welcome["figures"].values()
        elbow = [d["name"] for d in figure["dofs"]].index("elbow_flexion_right")
        await page.next(16)
        await page.say("begin", drag=1, action="joint.set")
        await page.drag(1, elbow, 9, 1.25)
        head, values = await page.next(16)
        assert head[2:] == (nodes["person"]["number"], 9, 0.25)
        assert values[figure["nq"] + elbow] == np.float32(1.25)
        await page.say("end", drag=1)
        await page.next("done", id=1)
        await page.next(16)  # as it was told to all
        await page.say("begin", drag=2, action="figure.drag", figure="person", part="grip_left")
        await page.drag(2, nodes["person"]["number"], 1, 0.3, 0.3, 1.0)
        head, _ = await page.next(16)
        assert head[1] == 1
        await page.say("end", drag=2)
        await page.next("done", id=2)
        await page.say("begin", drag=3, action="node.transform")
        await page.drag(3, nodes["table"]["number"], 1, 1, 2, 3, 1, 0, 0, 0, 2.0)
        head, values = await page.next(19)
        assert values.tolist() == [1, 2, 3, 1, 0, 0, 0, 2]
        await page.say("end", drag=3)
        await page.next("done", id=3)

    with_page(server, run)
    document = server.app.document
    actor = document.actor()[1]
    hand = actor.figure.fk(actor.posture, frame="grip_left")[:3, 3]
    np.testing.assert_allclose(hand, [0.3, 0.3, 1.0], atol=1e-3)
    assert document.scene["table"].scale == 2.0


def test_jobs_tell_their_progress_and_can_be_stopped(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from handik.app._actions import ACTIONS

    async def run(page: Page) -> None:
        await page.say("do", id=4, action="access.reach", args={"obstacles": False})
        assert (await page.next("progress"))["action"] == "access.reach"
        done = await page.next("done", id=4)
        assert done["patch"]["document"]["verdict"]["verdict"] == "yes"
        assert (await page.next("job"))["state"] == "done"

        def endless(app: App, **given: Any) -> None:
            for k in range(2000):
                app.share(k, 2000)
                __import__("time").sleep(0.01)

        slow = replace(ACTIONS["access.reach"], do=endless)
        monkeypatch.setitem(ACTIONS, "access.reach", slow)
        await page.say("do", id=5, action="access.reach")
        job = (await page.next("progress"))["job"]
        assert (await page.do("node.hide", nodes=["table"]))["kind"] == "done"  # meanwhile
        await page.say("stop", job=job)
        assert (await page.next("job"))["state"] == "stopped"

    with_page(server, run)


def test_files_go_up_and_come_down(server: Server) -> None:
    async def run(page: Page) -> None:
        await page.say("do", id=1, action="file.save")
        about = await page.next("file")
        frame = await page.socket.recv()
        data = frame[16:]
        assert len(data) == about["size"]
        await page.say("file", file=2, name="b.json", size=len(data), purpose="open")
        for at in range(0, len(data), 1000):
            await page.socket.send(HEAD.pack(32, 0, 0, 2, 0) + data[at : at + 1000])
        await page.next("done", id=2)
        await page.say("file", file=3, name="b.json", size=2**40, purpose="open")
        assert "at most" in (await page.next("refused", id=3))["sentence"]
        await page.say("file", file=4, name="b.json", size=2, purpose="open")
        await page.socket.send(HEAD.pack(32, 0, 0, 4, 0) + b"{}")
        assert "no document" in (await page.next("refused", id=4))["sentence"]
        await page.say("do", id=5, action="file.save", args={"path": "/tmp/no.json"})
        assert "download" in (await page.next("refused", id=5))["sentence"]

    before = server.app.document.scene
    with_page(server, run)
    assert server.app.document.scene == before


def test_meshes_have_the_skin_and_its_bones(server: Server) -> None:
    async def run(page: Page) -> None:
        (figure,) = page.welcome["figures"].values()
        await page.say("mesh", key=figure["skin"])
        while True:
            frame = await page.socket.recv()
            if isinstance(frame, bytes) and frame[0] == 17:
                break
        points, faces, links, size = struct.unpack_from("<4I", frame, 16)
        assert frame[32 : 32 + size].decode() == figure["skin"]
        assert links == len(figure["links"])
        at = 32 + size + -size % 4
        assert len(frame) == at + 4 * (6 * points + 3 * faces + 3 * points + 6 * points + 7 * links)
        index = np.frombuffer(frame, "<u4", 3 * faces, at + 24 * points)
        assert index.max() == points - 1
        await page.say("mesh", key="none")
        assert (await page.next("refused", key="none"))["sentence"]

    with_page(server, run)


def test_malformed_frames_are_refused_and_too_many_close(server: Server) -> None:
    wrong = [
        "{",
        "[]",
        "{}",
        '{"kind":"do","id":-1,"action":"file.new"}',
        '{"kind":"do","id":1,"action":3}',
        '{"kind":"end","drag":1}',
        '{"kind":"stop","job":1}',
        '{"kind":"file","file":1}',
        '{"kind":"mesh"}',
        b"",
        b"\1" * 16,
        HEAD.pack(99, 0, 0, 0, 0),
        HEAD.pack(1, 0, 0, 0, 0) + struct.pack("<d", 1.0),
        HEAD.pack(32, 0, 0, 0, 0) + b"x",
    ]

    async def run(page: Page) -> None:
        for frame in wrong:
            await page.socket.send(frame)
            assert (await page.next("refused", id=None))["sentence"]
        await page.say("begin", drag=1, action="joint.set")
        for body in ([np.nan], [1e9], [1.0, 2.0]):
            await page.drag(1, 0, 0, *body)
            assert (await page.next("refused", id=None))["sentence"]
        for _ in range(_connection.MALFORMED - len(wrong)):
            await page.socket.send("{")
        with pytest.raises(ConnectionClosed) as closed:
            await page.next("nothing")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4008

    with_page(server, run)

    async def large(page: Page) -> None:
        await page.socket.send(b"\x20" * (LARGEST + 1))
        with pytest.raises(ConnectionClosed) as closed:
            await page.next("nothing")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009

    with_page(server, large)
    server.app.do("file.new")  # it is still there


def test_a_tab_closed_in_mid_drag_changes_nothing(server: Server) -> None:
    before = server.app.document

    async def run(page: Page) -> None:
        await page.say("begin", drag=1, action="joint.set")
        await page.drag(1, 0, 0, 0.1)
        await page.next(16)

    with_page(server, run)
    assert server.app.document is before


def test_two_tabs_drag_at_once_and_one_entry_is_kept(server: Server) -> None:
    """Whoever ends first has it; the other is told, and nothing is lost or torn."""
    before = len(server.app.history.before)

    async def run(page: Page) -> None:
        async with connect(f"ws://127.0.0.1:{server.port}/socket", max_size=None) as socket:
            other = Page(socket)
            await other.say("hello", token=server.token, protocol=1, language="en")
            await other.next("welcome")
            for tab, value in ((page, 0.2), (other, 0.4)):
                await tab.say("begin", drag=1, action="joint.set")
                await tab.drag(1, 0, 1, value)
                await tab.next(16)
            await page.say("end", drag=1)
            await page.next("done", id=1)
            await other.next("patch")
            await other.say("end", drag=1)
            refused = await other.next("refused", id=1)
            assert "changed meanwhile" in refused["sentence"]
            await other.do("edit.undo")

    with_page(server, run)
    assert len(server.app.history.before) == before


def test_a_browser_that_goes_before_it_asks_is_no_fault(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    for begun in (b"", b"GET / HT"):
        with socket.create_connection(("127.0.0.1", server.port)) as caller:
            caller.sendall(begun)
    assert ask(server, "/").status == 200
    assert not [line for line in caplog.records if line.name == "handik.app"]
    try:
        raise ValueError("a fault of ours")
    except ValueError:
        logging.getLogger("handik.app").exception("connection handler failed")
    assert "connection handler failed" in caplog.text


def test_an_application_shows_itself_in_a_notebook() -> None:
    app = App()
    page = app.show(height=600)
    port = page.server.port
    try:
        assert app.show().server is page.server
        assert f'src="{page.address}"' in page._repr_html_()
        assert "height: 600px" in page._repr_html_()
        assert page.server.token not in repr(page)
        assert ask(page.server, "/").status == 200
        with pytest.raises(TypeError, match="height"):
            app.show(height=1.5)
    finally:
        app.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=60)


def test_three_of_another_release_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_files.THREE, "build/three.core.js", "0" * 64)
    with pytest.raises(HandikError, match=r"another three\.core\.js"):
        _files.three_files()


def test_the_command_begins_with_a_person_and_a_target_in_reach() -> None:
    from handik.app.cli.app import _somebody

    app = App(_somebody())
    assert (app.document.figure, app.document.target) == ("person", "target")
    app.do("solve.run")
    assert app.document.solve is not None
    assert app.document.solve.outcome == "converged"
    app.do("access.reach")
    assert app.document.verdict is not None
    assert app.document.verdict.verdict == "yes"


@pytest.mark.build
def test_the_command_prints_its_address_first_and_serves_until_stopped(tmp_path: Any) -> None:
    line = [sys.executable, "-m", "handik", "app", "kitchen", "--no-browser"]  # of the gallery
    with subprocess.Popen(
        [*line, "--journal", str(tmp_path / "journal")], stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        address = run.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        port, _, token = address.removeprefix("http://127.0.0.1:").partition("/#")
        assert len(token) == 32
        caller = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
        caller.request("GET", "/three/three.core.js")
        assert caller.getresponse().status == 200
        caller.close()
        run.terminate()
        assert run.wait(60) == 0
