"""The files that the page is made of: its own, and three.js from an installed package."""

from __future__ import annotations

import hashlib
import re
from importlib import metadata
from importlib.resources import files
from pathlib import Path

from handik.errors import UnsupportedError

__all__ = ["THREE", "page_files"]

#: three.js r185 as swift-sim 2.1.0 brings it: file -> the SHA-256 of the one that was tried.
THREE = {
    "build/three.core.js": "3718df126d69c125362a03340913204470d8c50238605150e57f808840fb7759",
    "build/three.module.js": "bbf5ed13fe4373f5bd38b14ea8e62e9f157327da5638edc6d3863e08b167c9c7",
    "examples/jsm/controls/OrbitControls.js": (
        "faabb4e8dfd9235ee4a9fd7c9a3d75f90f1689dbd4944bd6fd32117dacec5f93"
    ),
    "examples/jsm/loaders/GLTFLoader.js": (
        "97642d720f16cc9a0c9844934198e4d0c023bea8e89576d0f7545d03b2d103d2"
    ),
    "examples/jsm/utils/BufferGeometryUtils.js": (
        "5c552223a9309883743b80538d6e9cdb45e3227f30d3ec56fb2c39b46e78d595"
    ),
    "examples/jsm/utils/SkeletonUtils.js": (
        "b1632a703206c3d830de9fcbe515696770d04b71a15ee6b50afa6d2c3298c86f"
    ),
}
VENDOR = "swift/public/js/vendor"
INSTALL = "pip install 'handik[app]'"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
}
_IMPORT = re.compile(rb"""(from\s+|import\s+)(['"])([^'"]+)\2""")


def _flat(data: bytes) -> bytes:
    """Return a module whose imports are of its own folder."""

    def own(found: re.Match[bytes]) -> bytes:
        name = b"three.module.js" if found[3] == b"three" else found[3].rpartition(b"/")[2]
        return found[1] + b"'./" + name + b"'"

    return _IMPORT.sub(own, data)


def three_files() -> dict[str, bytes]:
    """Return the modules of three.js by their names.

    Raises
    ------
    UnsupportedError
        When the package is not installed, or has others than those that were tried.
    """
    try:
        package = metadata.distribution("swift-sim")
    except metadata.PackageNotFoundError:
        raise UnsupportedError(f"three.js comes with the package swift-sim: {INSTALL}") from None
    found = {}
    for name, wanted in THREE.items():
        try:
            data = Path(str(package.locate_file(f"{VENDOR}/{name}"))).read_bytes()
        except OSError:
            data = b""
        if hashlib.sha256(data).hexdigest() != wanted:
            raise UnsupportedError(
                f"swift-sim {package.version} has another {name.rpartition('/')[2]} than the one "
                f"of three.js r185 that was tried: {INSTALL}"
            )
        found[name.rpartition("/")[2]] = _flat(data)
    return found


def page_files() -> dict[str, tuple[str, bytes]]:
    """Return all that is served: path -> its type and its bytes.

    Raises
    ------
    UnsupportedError
        As `three_files`.
    """
    found = {}
    folder = files("handik.app") / "page"
    if folder.is_dir():
        for item in sorted(folder.iterdir(), key=lambda one: one.name):
            kind = TYPES.get("." + item.name.rpartition(".")[2])
            if item.is_file() and kind is not None:
                found[f"/{item.name}"] = kind, item.read_bytes()
    for name, data in three_files().items():
        found[f"/three/{name}"] = TYPES[".js"], data
    if "/index.html" in found:
        found["/"] = found["/index.html"]
    return found
