"""``handik app``: the application, served to a browser on this machine."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any

from handik.app.cli.common import DONE, add_import, command, import_modules, scene_of, tell


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = command(
        commands,
        "app",
        "open the application in a browser",
        "Serves the application on this machine and opens it in a browser. The first line is its "
        "address: who has it can use the application. Without SCENE there are a person and a "
        "target. Needs pip install 'handik[app]'.",
        "app",
        "app kitchen.toml --no-browser --port 8765",
    )
    parser.add_argument(
        "scene",
        nargs="?",
        metavar="SCENE",
        help="a scene: .toml, .xml, .json, or the name of one of the gallery",
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="0: any that is free")
    parser.add_argument(
        "--journal",
        metavar="FILE",
        help="where unsaved work is kept, and found again at the next start",
    )
    add_import(parser, "solvers")
    parser.set_defaults(run=run)


def _journal(scene: str | None) -> Path:
    """Return where unsaved work is kept: of each scene apart."""
    home = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local/state")
    if scene is None:
        return Path(home, "handik", "app-journal")
    whole = os.path.abspath(scene) if os.path.exists(scene) else f"gallery:{scene}"
    return Path(home, "handik", f"app-journal-{sha256(whole.encode()).hexdigest()[:16]}")


def _somebody() -> Any:
    """Return what there is to begin with: a person, and a target before the right hand."""
    from handik.scene import Actor, Scene, Target

    person = Actor(human={"sex": "female", "position": "seated"})
    turned = ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0])  # her face towards the first view
    scene = Scene(name="handik").add("person", person, turned)
    return scene.add("target", Target(), [-0.45, 0.25, 0.9])


def run(given: argparse.Namespace) -> int:
    """Serve until it is stopped."""
    from handik.app._acts_file import from_bytes
    from handik.app._document import Document
    from handik.app._server import Server
    from handik.app._session import App
    from handik.errors import ArgumentError

    import_modules(given.modules)
    scene, document = _somebody(), None
    if given.scene is not None and given.scene.endswith(".json"):
        document = from_bytes(given.scene, Path(given.scene).read_bytes())
        scene = document.scene
    elif given.scene is not None:
        scene = scene_of(given.scene)
        document = Document(scene=scene).tidied()
    try:
        app = App(scene, journal=given.journal or _journal(given.scene))
    except (ArgumentError, OSError) as error:
        if given.journal:
            raise
        tell(f"{error}; unsaved work is not kept")
        app = App(scene)
    if document is not None:
        app.opened(document)
    server = Server(app, given.port)
    over = Event()
    old = signal.signal(signal.SIGTERM, lambda *_: over.set())
    print(server.address, flush=True)
    if not given.no_browser:
        import webbrowser

        webbrowser.open(server.address)
    try:
        while not over.wait(1.0):
            pass
    except KeyboardInterrupt:
        print("handik: stopped", file=sys.stderr)
    finally:
        signal.signal(signal.SIGTERM, old)
        server.stop()
        app.close()
    return DONE
