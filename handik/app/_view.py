"""A page of one file that shows figures and solves under the reader's hand, without Python."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import os
import re
import tempfile
import webbrowser
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError
from handik.model import Model
from handik.model._freeze import Parts
from handik.people.human import Human
from handik.scene._files import replace
from handik.scene._look import Triangles, model_of, pieces, seen, triangles
from handik.scene.check import Figure
from handik.scene.document import Scene
from handik.scene.shapes import Plane
from handik.solve.own import KNOWN
from handik.spec._given import choice, known_name, points_of, reals, text, whole_number

__all__ = ["View", "view"]

Array = NDArray[np.float64]
Shown: TypeAlias = Model | Human | Figure

#: Tolerance of the goal, and radius of a bone of a model without shapes, by the figure's size.
_TOLERANCE, _THIN = 1e-3, 0.02
_LANGUAGES = ("en", "fr")
_SCRIPTS = ("core.js", "picture.js", "main.js")


@dataclass(frozen=True, eq=False, repr=False)
class View:
    """A page that shows and solves: `view` makes it.

    In Jupyter it is shown where a cell ends with it.

    Attributes
    ----------
    html : str
        The page, one file: it asks for nothing else, and carries the core as WebAssembly.
    height : int
        Of the frame in a notebook, pixels.

    Examples
    --------
    >>> import handik as hk
    >>> page = hk.view(hk.data("ur5"))
    >>> page
    View(ur5, 0.4 MB)
    """

    html: str
    height: int
    _names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"View({', '.join(self._names)}, {len(self.html) / 1e6:.1f} MB)"

    def _repr_html_(self) -> str:
        """Return a frame with the page in it: its scripts see nothing of the notebook."""
        return (
            f'<iframe sandbox="allow-scripts" style="width: 100%; height: {self.height}px; '
            f'border: 0" title="{html.escape(", ".join(self._names))}" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page.

        Parameters
        ----------
        path : path-like
            Of the file; it takes the place of one that is there in one step.

        Raises
        ------
        OSError
            When it cannot be written; a file that was there stays.

        Examples
        --------
        >>> import handik as hk
        >>> hk.view(hk.data("ur5")).save("ur5.html")  # doctest: +SKIP
        """
        name = os.fspath(path)
        replace(name, os.path.dirname(os.path.abspath(name)), self.html.encode("utf-8"))

    def show(self) -> None:
        """Open the page in a browser, from a file in the folder for temporary ones.

        Examples
        --------
        >>> import handik as hk
        >>> hk.view(hk.data("ur5")).show()  # doctest: +SKIP
        """
        handle, name = tempfile.mkstemp(prefix="handik-", suffix=".html")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(self.html)
        webbrowser.open(f"file://{name}")


def view(
    figure: Shown | Mapping[str, Shown],
    q: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    scene: Scene | None = None,
    frame: str | Mapping[str, str] | None = None,
    target: ArrayLike | Mapping[str, ArrayLike] | None = None,
    solver: str = "auto",
    beside: str | None = None,
    language: str = "en",
    height: int = 520,
) -> View:
    """Return a page in which figures reach for a target that is dragged.

    The page is one file that needs neither Python nor a network: the core is in it as WebAssembly,
    and its answers are those of `Model.solve`, byte for byte. Two solvers can be compared side by
    side.

    Parameters
    ----------
    figure : Model, Human, Figure, or mapping of str to them
        What is shown; of several, by name, the reader chooses one.
    q : array_like (nq,), or mapping of str to array_like, optional
        Where the figure begins. None: a person's rest, a model's rest.
    scene : Scene, optional
        What stands around it. It is only shown: the page's solvers do not mind it.
    frame : str or mapping of str to str, optional
        What reaches: of one figure, or by the names of several. None: the tip, of a person the
        right grip.
    target : array_like (3,), or mapping of str to array_like, optional
        Where the ball begins; meters. None: where that frame is.
    solver, beside : str
        Which solvers follow the target at first; the reader may choose any other of `solvers`.
        `beside` is drawn translucent. None: one alone.
    language : {"en", "fr"}
        Of the page.
    height : int
        Of the frame in a notebook, pixels.

    Returns
    -------
    View
        To be shown at the end of a cell, opened by `View.show` or written by `View.save`.

    Raises
    ------
    ArgumentError
        When a mapping is given for one figure, or the other way round, or nothing has such a value.
    NotFoundError
        When there is no such frame or solver.
    TypeError
        When `scene` is none.

    Examples
    --------
    >>> import handik as hk
    >>> page = hk.view(hk.data("planar9"), solver="fabrik", beside="ccd")
    >>> "</html>" in page.html
    True
    """
    several = isinstance(figure, Mapping)
    shown = dict(figure) if isinstance(figure, Mapping) else {model_of(figure).name: figure}
    if not shown:
        raise ArgumentError("figure is a mapping without a figure")
    for word, value in (("q", q), ("frame", frame), ("target", target)):
        if value is not None and isinstance(value, Mapping) is not several:
            raise ArgumentError(f"{word} is one for one figure, or a mapping for several")
        for name in value if isinstance(value, Mapping) else ():
            known_name("figure", name, list(shown))
    names = [row[0] for row in _core.table("solvers")]
    for word, asked in (("solver", solver), ("beside", beside)):
        if asked is not None and asked in KNOWN:
            raise ArgumentError(f"{word} {asked!r} is written in Python: a page runs those in C")
        if asked is not None or word == "solver":
            known_name(word, asked, names)
    choice("language", language, _LANGUAGES)
    each: list[dict[str, Any]] = [
        dict(value) if isinstance(value, Mapping) else dict.fromkeys(shown, value)
        for value in (q, frame, target)
    ]
    given = {
        "lang": language,
        "solver": solver,
        "beside": beside or "",
        "figures": [
            _figure(text("a name", name), one, *(values.get(name) for values in each))
            for name, one in shown.items()
        ],
        "scene": [] if scene is None else _scene(scene),
    }
    return View(_page(given, ", ".join(shown)), whole_number("height", height), tuple(shown))


# -- what the page is given ---------------------------------------------------------------------


def _packed(values: Any, kind: str) -> str:
    """Return numbers as gzipped little-endian bytes in base64."""
    data = np.ascontiguousarray(values, kind).tobytes()
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def _figure(
    name: str, shown: Shown, q: ArrayLike | None, frame: str | None, target: ArrayLike | None
) -> dict[str, Any]:
    model = model_of(shown)
    rest = shown.rest if isinstance(shown, Human) else model.rest
    start = rest if q is None else points_of(reals(q, "q", ()), "q", (model.nq,))
    if frame is None:
        frame = "grip_right" if isinstance(shown, Human) else model.tip
    if frame is None:
        raise ArgumentError(f"{name!r} has several tips: say which frame reaches")
    goal = model.frame_names.index(known_name("frame", frame, model.frame_names))
    arrays = {
        key: value
        for key, value in Parts(model.spec).arrays().items()
        if isinstance(value, np.ndarray) and key not in ("inertial", "motor")
    }
    arrays["rest"] = np.asarray(model.rest, float)
    poses = np.asarray(model.frames(start))
    if not np.isfinite(poses).all():
        raise ArgumentError(f"{name!r} has no finite place at q")
    places = poses[:, :3, 3]
    low, high = places.min(0), places.max(0)
    moved = np.asarray(model.frames(np.asarray(model.sample(8, seed=1))))[:, :, 2, 3]
    ball = (
        places[goal] if target is None else points_of(reals(target, "target", ()), "target", (3,))
    )
    flat = bool(np.ptp(moved, axis=0).max() < 1e-9)
    size = max(float(np.linalg.norm(high - low)) / 2, 1e-3)
    links = [link.name for link in model.spec.links]
    return {
        "name": name,
        "joints": arrays["parent"].size,
        "frames": len(model.frame_names),
        "arrays": {
            key: _packed(value, "<i4" if value.dtype.kind == "i" else "<f8")
            for key, value in arrays.items()
        },
        "q": start.tolist(),
        "goal": goal,
        "target": ball.tolist(),
        "first": ball.tolist(),
        "tolerance": _TOLERANCE * size,
        "flat": flat,
        "size": size,
        "middle": ((low + high) / 2).tolist(),
        "turn": -np.pi / 2 if flat else -0.8,
        "lift": 1.55 if flat else 0.3,
        "pieces": [
            {"frame": model.frame_names.index(link), **_triangles(made)}
            for link, made in _by_link(shown, links, _THIN * size)
        ],
    }


def _by_link(shown: Shown, links: list[str], thin: float) -> list[tuple[str, Triangles]]:
    """Return the body of a figure, one piece a link."""
    parts: dict[str, list[Triangles]] = {}
    for piece in pieces(shown, coarse=True, thin=thin):
        parts.setdefault(piece.link, []).append(piece.triangles)
    return [(link, _joined(parts[link])) for link in links if link in parts]


def _joined(parts: list[Triangles]) -> Triangles:
    """Return several lists of triangles as one; flat where one of them is."""
    at = np.cumsum([0, *(len(part.vertices) for part in parts)])
    faces = [part.faces + start for part, start in zip(parts, at[:-1], strict=True)]
    normals = [part.normals for part in parts if part.normals is not None]
    return Triangles(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate(faces),
        np.concatenate(normals) if len(normals) == len(parts) else None,
    )


def _triangles(made: Triangles) -> dict[str, Any]:
    """Return triangles with places in 65,534 steps: 0.03 mm of what is 2 m long."""
    step = max(float(np.max(np.abs(made.vertices), initial=0.0)) / 32767, 1e-12)
    return {
        "step": step,
        "vertices": _packed(np.rint(made.vertices / step), "<i2"),
        "faces": _packed(made.faces, "<u4"),
        "smooth": made.normals is not None,
    }


def _scene(scene: Scene) -> list[dict[str, Any]]:
    """Return what stands in a scene, in the world; planes have no end and are left out."""
    if not isinstance(scene, Scene):
        raise TypeError(f"scene must be a Scene, got {type(scene).__name__}")
    found = []
    for one in seen(scene):
        if isinstance(one.shape, Plane):
            continue
        made = triangles(one.shape).moved(one.pose)
        place, scale = scene.world(one.path), scene.world_scale(one.path)
        made = Triangles(made.vertices * scale, made.faces, made.normals).moved(place)
        look = {"color": list(one.color[:3]), "opacity": float(one.opacity)}
        found.append({**look, **_triangles(made)})
    return found


# -- the page -----------------------------------------------------------------------------------


@cache
def _parts() -> dict[str, str]:
    """Return what all pages have in common."""
    folder = files("handik.app") / "view"
    scripts = "".join((folder / name).read_text("utf-8") for name in _SCRIPTS)
    js = re.sub(r"^import .*? from '\./.*?';\n", "", scripts, flags=re.M)
    js = re.sub(r"^export (?=(async |class|function|const))", "", js, flags=re.M)
    css = (folder / "style.css").read_text("utf-8")
    return {
        "js": js,
        "css": css,
        "core": base64.b64encode((folder / "core.wasm.gz").read_bytes()).decode("ascii"),
        "script": _hash(js),
        "style": _hash(css),
        "page": (folder / "page.html").read_text("utf-8"),
    }


def _hash(part: str) -> str:
    found = base64.b64encode(hashlib.sha256(part.encode("utf-8")).digest()).decode("ascii")
    return f"sha256-{found}"


def _page(given: dict[str, Any], title: str) -> str:
    told = json.dumps(given, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    words = {**_parts(), "given": told, "title": html.escape(title)}
    return re.sub(r"@(\w+)@", lambda found: words[found[1]], words["page"])
