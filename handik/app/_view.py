"""A page of one file that shows figures and solves under the reader's hand, without Python."""

from __future__ import annotations

import base64
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
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any, overload

from numpy.typing import ArrayLike

from handik import _core
from handik.app._view_given import Given, Shown, Stand, actors, first_target
from handik.errors import ArgumentError, UnsupportedError
from handik.scene._files import replace
from handik.scene._look import model_of
from handik.scene.document import Scene
from handik.solve.own import KNOWN
from handik.spec._given import choice, known_name, of_class, text, whole_number

if TYPE_CHECKING:
    from handik.app._widget import ViewWidget
    from handik.model import Model

__all__ = ["View", "view"]

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
    _start: tuple[tuple[float, ...], tuple[float, ...]]
    _first: Model | None

    def __repr__(self) -> str:
        return f"View({', '.join(self._names)}, {len(self.html) / 1e6:.1f} MB)"

    def _repr_html_(self) -> str:
        """Return a frame with the page in it: its scripts see nothing of the notebook."""
        return (
            f'<iframe sandbox="allow-scripts" style="width: 100%; height: {self.height}px; '
            f'border: 0" title="{_plain(", ".join(self._names))}" '
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

    def widget(self) -> ViewWidget:
        """Return the page as a widget that tells the kernel what the reader does, and is told.

        Its `q` and `target`, of the first figure, follow the reader's hand, and move the picture
        when they are set. Page and kernel speak through the notebook: there is neither a server nor
        a port, and the kernel may run on another machine.

        Returns
        -------
        ViewWidget
            An ``anywidget.AnyWidget``, to be shown at the end of a cell.

        Raises
        ------
        UnsupportedError
            When anywidget is not installed: ``pip install 'handik[notebook]'``.

        Examples
        --------
        >>> import handik as hk
        >>> widget = hk.view(hk.data("ur5")).widget()  # doctest: +SKIP
        >>> widget.target = [0.4, 0.2, 0.5]  # doctest: +SKIP
        >>> widget.observe(lambda change: print(change.new), "q")  # doctest: +SKIP
        """
        try:
            made = import_module("handik.app._widget").ViewWidget
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("anywidget", "traitlets"):
                raise
            raise UnsupportedError(
                "a widget is made by anywidget: pip install 'handik[notebook]'"
            ) from None
        found: ViewWidget = made(self)
        return found


@overload
def view(
    figure: Shown | Mapping[str, Shown],
    q: ArrayLike | Mapping[str, ArrayLike] | None = None,
    /,
    *,
    scene: Scene | None = None,
    frame: str | Mapping[str, str] | None = None,
    target: ArrayLike | Mapping[str, ArrayLike] | None = None,
    solver: str = "auto",
    beside: str | None = None,
    language: str = "en",
    height: int = 520,
) -> View: ...
@overload
def view(
    scene: Scene,
    figure: Shown | Mapping[str, Shown] | None = None,
    q: ArrayLike | Mapping[str, ArrayLike] | None = None,
    /,
    *,
    frame: str | Mapping[str, str] | None = None,
    target: ArrayLike | Mapping[str, ArrayLike] | None = None,
    solver: str = "auto",
    beside: str | None = None,
    language: str = "en",
    height: int = 520,
) -> View: ...
def view(
    *shown: Any,
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
    and its answers are those of `Model.solve`, byte for byte. A person is seen in her clothed skin
    or as capsules, a scene with its colors, lights and shadows, as the application shows them. Two
    solvers can be compared side by side.

    Parameters
    ----------
    *shown : figure[, q] or scene[, figure[, q]]
        What is shown. A figure is a Model, Human or Figure, or a mapping of str to them: of
        several, by name, the reader chooses one. `q` is where it begins, array_like (nq,), or a
        mapping of str to array_like; without it a person's rest, a model's rest. The figures of a
        scene stand in it in their postures, and the reader may choose one of them, too; where no
        other figure is given they reach for the first target of the scene.
    scene : Scene, optional
        The same as a scene that is given first. It is only shown: the page's solvers do not mind
        it.
    frame : str or mapping of str to str, optional
        What reaches: of one figure, or by the names of several. None: the tip, of a person the
        right grip, or the left where there is no other.
    target : array_like (3,), or mapping of str to array_like, optional
        Where the ball begins; meters. None: where that frame is.
    solver, beside : str
        Which solvers follow the target at first; the reader may choose any other of `solvers`.
        `beside` is drawn translucent. None: one alone.
    language : {"en", "fr"}
        Of the page at first; the reader may choose the other.
    height : int
        Of the frame in a notebook, pixels.

    Returns
    -------
    View
        To be shown at the end of a cell, opened by `View.show`, written by `View.save`, or made a
        widget of a notebook by `View.widget`.

    Raises
    ------
    ArgumentError
        When a mapping is given for one figure, or the other way round, or nothing has such a value.
    NotFoundError
        When there is no such frame or solver.
    TypeError
        When nothing is given, or something that is neither a scene nor a figure.

    Examples
    --------
    >>> import handik as hk
    >>> page = hk.view(hk.data("planar9"), solver="fabrik", beside="ccd")
    >>> "</html>" in page.html
    True
    >>> hk.view(hk.scene.gallery("kitchen"), hk.human())
    View(human, 0.6 MB)
    """
    scene, figure, q = _sorted_out(shown, scene)
    given = _named(figure)
    standing = {} if scene is None else actors(scene)
    shapes = given | {path: row[0] for path, row in standing.items() if path not in given}
    names = list(shapes)
    for word, value in (("q", q), ("frame", frame), ("target", target)):
        _same_names(word, value, figure, names)
    _solvers(solver, beside)
    choice("language", language, _LANGUAGES)
    page = Given()
    scenery = [] if scene is None else page.scene(scene)
    each: list[dict[str, Any]] = [
        dict(value) if isinstance(value, Mapping) else dict.fromkeys(given or names, value)
        for value in (q, frame, target)
    ]
    ball = None if given or scene is None else first_target(scene)
    figures = []
    for name in names:
        usual: tuple[Any, ...] = (
            (*standing[name][1:], ball) if name in standing else (None, None, None)
        )
        wanted = [values.get(name) for values in each]
        start, reaches, goal = (
            found if asked is None else asked for asked, found in zip(wanted, usual, strict=True)
        )
        one = shapes[name]
        where = Stand(name in standing, scene is not None)
        figures.append(page.figure(text("a name", name), one, start, reaches, goal, where))
    told = {
        "lang": language,
        "solver": solver,
        "beside": beside or "",
        "figures": figures,
        "scene": scenery,
        "lamps": page.lamps,
        "stage": page.stage,
        "meshes": page.meshes,
    }
    title = tuple(names) or (scene.name if scene is not None else "",)
    tall = whole_number("height", height)
    first = model_of(shapes[names[0]]) if names else None
    return View(_page(told, ", ".join(title)), tall, title, _start_of(figures), first)


def _start_of(figures: list[dict[str, Any]]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return q and target with which the first figure of a page begins."""
    return (tuple(figures[0]["q"]), tuple(figures[0]["target"])) if figures else ((), ())


def _named(figure: Any) -> dict[str, Shown]:
    """Return figures by their names."""
    if figure is None:
        return {}
    if not isinstance(figure, Mapping):
        return {model_of(figure).name: figure}
    if not figure:
        raise ArgumentError("figure is a mapping without a figure")
    return dict(figure)


def _same_names(word: str, value: Any, figure: Any, names: list[str]) -> None:
    """Check that what is given of figures is given as they are, one or by names."""
    several = isinstance(value, Mapping)
    if value is not None and not names:
        raise ArgumentError(f"{word} is that of a figure, and there is none")
    if value is not None and figure is not None and several is not isinstance(figure, Mapping):
        raise ArgumentError(f"{word} is one for one figure, or a mapping for several")
    for name in value if several else ():
        known_name("figure", name, names)


def _sorted_out(shown: tuple[Any, ...], scene: Scene | None) -> tuple[Scene | None, Any, Any]:
    """Return scene, figure and posture of what was given by place."""
    if not shown:
        raise TypeError("view needs a figure or a scene")
    rest = shown
    if isinstance(shown[0], Scene):
        if scene is not None:
            raise TypeError("a scene is given first or by its name, not both")
        scene, rest = shown[0], shown[1:]
    if len(rest) > 2:
        raise TypeError(f"view takes a scene, a figure and its q, got {len(shown)} values")
    if scene is not None:
        of_class("scene", scene, Scene)
    figure, q = (*rest, None, None)[:2]
    if figure is None and q is not None:
        raise ArgumentError("q is that of a figure, which is not given")
    if figure is None and scene is None:
        raise TypeError("view needs a figure or a scene")
    return scene, figure, q


def _solvers(solver: str, beside: str | None) -> None:
    """Check what the page is to solve with."""
    names = [row[0] for row in _core.table("solvers")]
    for word, asked in (("solver", solver), ("beside", beside)):
        if isinstance(asked, str) and asked in KNOWN:
            raise ArgumentError(f"{word} {asked!r} is written in Python: a page runs those in C")
        if asked is not None or word == "solver":
            known_name("solver", asked, names)


# -- the page -----------------------------------------------------------------------------------


@cache
def _parts() -> dict[str, str]:
    """Return what all pages have in common."""
    folder = files("handik.app") / "view"
    scripts = "".join((folder / name).read_text("utf-8") for name in _SCRIPTS)
    js = re.sub(r"^import .*? from '\./.*?';\n", "", scripts, flags=re.M)
    js = re.sub(r"^ *(//|/\*\*[^\n]*\*/$).*\n", "", js, flags=re.M)
    js = re.sub(r"^ +", "", js, flags=re.M)
    js = re.sub(r"^export (?=(async |class|function|const))", "", js, flags=re.M)
    # Its hash is that of these bytes in whatever encoding the page around it is read.
    js = js.encode("ascii", "backslashreplace").decode("ascii")
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


def _plain(words: str) -> str:
    """Return words for HTML in ASCII: the same in whatever encoding a page holds them."""
    return html.escape(words).encode("ascii", "xmlcharrefreplace").decode("ascii")


def _page(given: dict[str, Any], title: str) -> str:
    told = json.dumps(given, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    words = {**_parts(), "given": told, "title": _plain(title)}
    return re.sub(r"@(\w+)@", lambda found: words[found[1]], words["page"])
