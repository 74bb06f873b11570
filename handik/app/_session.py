"""The application without a page: a document, what was done to it, and who wants to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from threading import RLock, local
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app import (
    _acts_compare,
    _acts_drive,
    _acts_figure,
    _acts_file,
    _acts_motion,
    _acts_person,
    _acts_place,
    _acts_plan,
    _acts_rules,
    _acts_scene,
    _acts_view,
)
from handik.app._actions import ACTIONS, Action
from handik.app._bodies import check_figures
from handik.app._document import Document, Settings, Solved, View, without_results
from handik.app._history import History
from handik.app._journal import Journal
from handik.app._refusals import in_french
from handik.app._words import OUTCOMES, sentence
from handik.errors import ArgumentError, HandikError
from handik.scene import Scene
from handik.spec._given import known_name, whole_number

if TYPE_CHECKING:
    from handik.app._notebook import Served
    from handik.app._server import Server

__all__ = ["App", "Stopped"]

assert _acts_compare
assert _acts_drive
assert _acts_figure
assert _acts_file
assert _acts_motion
assert _acts_person
assert _acts_place
assert _acts_plan
assert _acts_rules
assert _acts_scene
assert _acts_view


#: Lines of the journal that are no actions: all there is, all that is on file, and an entry of undo
#: of what is not kept.
WHOLE, SAVED, SHOWN = "whole", "saved", "shown"
#: Postures of a recording: ten minutes at sixty a second.
MOST_RECORDED = 36_000


class Stopped(Exception):
    """A job that was cancelled."""


@dataclass(frozen=True)
class Given:
    """A file that the user gets."""

    name: str
    data: bytes
    type: str


@dataclass
class Kept:
    """How far the journal can follow: entries of undo that it does not know of lie below.

    Attributes
    ----------
    base : int
        Entries before the first that it knows of.
    redone : int
        Entries to redo that it does not know of.
    depth : int
        Entries that it knows of after its last line.
    torn : bool
        Whether a line is missing, so that what comes after could not rest on it.
    shown : bool
        Whether there were results that it does not know of, such as a path or a verdict.
    """

    base: int = 0
    redone: int = 0
    depth: int = 0
    torn: bool = False
    shown: bool = False


class App:
    """The application: one document, and actions that change it.

    Every action of the menus is one of `do`, by the same name; `script` tells all that was done as
    a program.

    Parameters
    ----------
    scene : Scene, optional
        To begin with; by default an empty one.
    journal : path, optional
        Where what is done is kept until it is saved. What an earlier session left there is done
        again.

    Raises
    ------
    TypeError
        When `scene` is none.
    ArgumentError
        When another application writes the journal, or a figure of the scene cannot be shown.

    Examples
    --------
    >>> from handik.app import App
    >>> app = App()
    >>> app.do("node.add", kind="box", name="table")
    'Add an object: done'
    >>> app.do("node.rename", node="table", name="desk")
    'Rename: done'
    >>> app.document.scene.find()
    ('desk',)
    >>> app.do("edit.undo")
    'Undone: Rename'
    """

    def __init__(self, scene: Scene | None = None, *, journal: Any = None) -> None:
        if not isinstance(scene, (Scene, type(None))):
            raise TypeError(f"scene must be a Scene, got {scene!r}")
        check_figures(scene or Scene())
        self.history = History(Document(scene=scene or Scene()).tidied())
        self.view = View()
        self.revision = 0
        self.done: list[tuple[str, dict[str, Any]]] = []
        self.given: list[Given] = []
        self.listeners: list[Callable[[App], None]] = []
        self.lock = RLock()
        self.recording: list[tuple[float, Any]] | None = None
        self.recorded_figure: str | None = None  # the active one
        self._recorded_in: Document | None = None  # where it was last
        self._job = local()
        self._again = 1  # how often an undo is told to a script
        self._journal: Journal | None = None
        self._kept = Kept()
        self._server: Server | None = None
        self._first: dict[str, Any] | None = None
        self._left = False
        if journal is not None:
            opened = Journal(journal)
            self._left = any(entry[:1] != [SAVED] for entry in opened.found)
            self._recover(opened.found)
            self._journal = opened

    def opened(self, document: Document) -> None:
        """Begin with a document that is on file, unless unsaved work on it was recovered.

        The journal has it before what is done first, so that it rests on no file.
        """
        if self._left:
            return
        self.recovered = None
        self.history.restart(document)
        self.history.saved = document
        if self._journal is not None:
            self._journal.clear()
            self._kept = Kept(shown=True)
            self._first = self._whole()
        self.changed()

    @property
    def document(self) -> Document:
        """The document as it is now; it never changes, another takes its place."""
        found: Document | None = getattr(self._job, "document", None)
        return self.history.now if found is None else found

    # -- doing --------------------------------------------------------------------------------

    def do(self, action: str, /, **args: Any) -> str:
        """Do something.

        Parameters
        ----------
        action : str
            Its name in the table of actions: ``"node.rename"``.
        **args
            What it is told; meters and radians.

        Returns
        -------
        str
            What is said of it, in the language of the view.

        Raises
        ------
        NotFoundError
            When there is no such action, or no such node.
        ArgumentError
            When it cannot be done now, or an argument is wrong.
        TypeError
            When an argument is of another type.

        Examples
        --------
        >>> from handik.app import App
        >>> app = App()
        >>> app.do("person.add", stature=1.7)
        'Add a person: done'
        """
        with self.lock:
            chosen, read = self._read(action, args)
            self._said = None  # of what was refused before
            after = chosen.do(self, **read)
            return self._commit(chosen, args, after)

    def _read(self, action: str, args: dict[str, Any]) -> tuple[Action, dict[str, Any]]:
        chosen = ACTIONS[known_name("action", action, ACTIONS)]
        named = chosen.when is _acts_scene.some and args.get("nodes")  # no selection is needed then
        if not named and not chosen.when(self):
            raise ArgumentError(f"{action} cannot be done now")
        return chosen, chosen.read(args, self.document)

    def _commit(self, chosen: Action, args: dict[str, Any], after: Document | None) -> str:
        if after is not None:
            self.history.push(after, chosen.id, chosen.id if chosen.join else None)
            self.recorded(after)
        elif self.recording is not None:  # what was undone may be a name
            self._recorded_at(self.document)
        return self.record(chosen, args)

    def record(self, chosen: Action, args: dict[str, Any]) -> str:
        """Note an action that was done, for script and journal, and tell the listeners."""
        said = self._said or self.words("done", what=self.word(chosen.id))
        self._said = None
        again, self._again = self._again, 1
        self.done += [(chosen.id, args)] * again
        said = self._keep(chosen, args) or said
        self.changed()
        return said

    def _keep(self, chosen: Action, args: dict[str, Any]) -> str | None:
        """Have the journal know of what was done; return what is said where it does not."""
        if self._journal is None:
            return None
        try:
            self._write(self._journal, chosen, args)
        except (OSError, TypeError, ValueError) as error:
            self._kept.torn = True
            return self.words("not_kept", reason=error)
        return None

    def _write(self, journal: Journal, chosen: Action, args: dict[str, Any]) -> None:
        """Write an action into the journal, or all there is where it could not be done again."""
        history, kept = self.history, self._kept
        if self._first is not None:
            journal.add([SAVED, self._first])
            self._first = None
        depth = len(history.before) - kept.base
        back = chosen.id == "edit.undo" and depth < 0
        on = chosen.id == "edit.redo" and len(history.after) < kept.redone
        if chosen.kept:
            whole = kept.shown and self._rests_on_results(chosen)
        else:
            whole = depth != kept.depth and self._changed_the_file()
        if kept.torn or back or on or whole:
            journal.add([WHOLE, self._whole()])
            self._kept = Kept(len(history.before), len(history.after), shown=True)
            return
        kept.redone = min(kept.redone, len(history.after))
        if chosen.kept:
            journal.add([chosen.id, args, depth])
        elif depth != kept.depth:  # an entry of undo that need not be there again
            journal.add([SHOWN, {}, depth])
            kept.shown = True
        kept.depth = depth

    def _changed_the_file(self) -> bool:
        """Tell whether what was done last is in the file of the document."""
        return self.history.now.on_file != self.history.before[-1].document.on_file

    def _rests_on_results(self, chosen: Action) -> bool:
        """Tell whether what was done last could not be done without a path, verdict or the like."""
        if not self.history.before:
            return False
        bare = without_results(self.history.before[-1].document)
        self._job.document = replace(bare, drive=None)
        try:
            return not chosen.when(self)
        finally:
            self._job.document = None

    def _whole(self) -> dict[str, Any]:
        """Return the document as a line of the journal."""
        document = self.document
        more = {"settings": asdict(document.settings), "selection": list(document.selection)}
        return {**self._as_file(), **more}

    def recorded(self, document: Document) -> None:
        """Note the posture of the figure that is recorded, if one is."""
        if self.recording is None:
            return
        at = self._recorded_at(document)
        if not document._is(at, "figure"):
            return
        q = document.actor(at)[1].posture
        last = self.recording[-1][1] if self.recording else None
        if last is None or len(last) != len(q) or not np.array_equal(last, q):
            self.recording.append((monotonic(), q))
            del self.recording[:-MOST_RECORDED]

    def _recorded_at(self, document: Document) -> str | None:
        """Return where the recorded figure is: another name or group does not end a recording."""
        at, old = self.recorded_figure, self._recorded_in
        if at is not None and old is not None and not document._is(at, "figure"):
            own = old.scene[at].content if at in old.scene else None
            found = [
                path
                for path in document.scene.find(kind="figure")
                if path not in old.scene and document.scene[path].content is own
            ]
            if len(found) == 1:
                self.recorded_figure = at = found[0]
        self._recorded_in = document
        return at or document.figure

    def changed(self) -> None:
        """Tell the listeners that something is another."""
        self.revision += 1
        for listener in self.listeners:
            listener(self)

    def run_job(self, action: str, args: dict[str, Any], share: Callable[[float], None]) -> str:
        """Do an action that takes long, without keeping others from theirs.

        Raises
        ------
        Stopped
            When it was cancelled: whatever `share` raises ends it.
        ArgumentError
            When the document was changed meanwhile, or as `do`.
        """
        with self.lock:
            chosen, read = self._read(action, args)
            before = self.history.now
        self._job.document, self._job.share, self._said = before, share, None
        try:
            after = chosen.do(self, **read)
        finally:
            self._job.document = self._job.share = None
        with self.lock:
            now = self.history.now
            if now.rests_on != before.rests_on:
                raise ArgumentError("the document was changed meanwhile: its answer is dropped")
            return self._commit(chosen, args, after and before.merged(after, now))

    def share(self, done: int, total: int) -> None:
        """Tell how much of a job is done; `plan.path` calls it."""
        tell = getattr(self._job, "share", None)
        if tell is not None:
            tell(done / total if total else 0.0)

    def drag_done(self, action: str, document: Document, args: list[dict[str, Any]]) -> str:
        """Put the end of a drag into the history: one entry, however many actions replay it."""
        with self.lock:
            said, self._said = self._said, None
            self.history.push(document, ACTIONS[action].id, steps=len(args))
            for one in args:
                name = one.pop("action", action)
                self.record(ACTIONS[name], one)
            if not args:
                said = self._keep(ACTIONS[action], {}) or said
                self.changed()
            return said or self.words("done", what=self.word(action))

    def show(self, *, port: int = 0, height: int = 800) -> Served:
        """Serve the page of the application; in Jupyter it is shown where a cell ends with it.

        Page and Python see each other: what is done in one is there in the other. Only this machine
        is served. Where the kernel runs on another, or nobody should run Python, `handik.view`
        shows figures and scenes in a page that needs no server.

        Parameters
        ----------
        port : int
            0: any that is free. One that serves already goes on.
        height : int
            Of the frame in a notebook, pixels.

        Returns
        -------
        Served
            With its `address`; `open` opens a browser. It ends with `close`.

        Raises
        ------
        UnsupportedError
            When the packages of ``handik[app]`` are not there.
        OSError
            When the port is taken.

        Examples
        --------
        >>> from handik.app import App
        >>> App().show().open()  # doctest: +SKIP
        """
        # the server is made of applications: at run time alone, as the readers of `scene._look`
        notebook, server = (import_module(f"handik.app._{name}") for name in ("notebook", "server"))
        tall = whole_number("height", height)
        if self._server is None:
            self._server = server.Server(self, port)
        shown: Served = notebook.Served(self._server, tall)
        return shown

    # -- what actions call --------------------------------------------------------------------

    def give(self, name: str, data: bytes, type: str) -> None:
        """Give the user a file: the page downloads it; from Python it is in `given`."""
        self.given.append(Given(name, data, type))
        del self.given[:-8]

    def saved(self) -> None:
        """Note that the document is on file."""
        self.history.saved = self.document
        if self._journal is not None:
            self._first = None
            before, after = len(self.history.before), len(self.history.after)
            self._kept = Kept(before, after, torn=True, shown=True)
            try:
                self._journal.clear()
                self._journal.add([SAVED, self._whole()])
            except OSError as error:  # a full disk: what is saved is on file all the same
                self.tell("not_kept", reason=error)
                return
            self._kept.torn = False

    def _as_file(self) -> dict[str, str]:
        return {"name": "saved.json", "text": _acts_file.as_text(self.document)}

    def step_back(self) -> None:
        """Undo."""
        entry = self.history.undo()
        self._again, self._said = entry.steps, self.words("undone", what=self.word(entry.action))

    def step_on(self) -> None:
        """Redo."""
        entry = self.history.redo()
        self._again, self._said = entry.steps, self.words("redone", what=self.word(entry.action))

    def tell(self, key: str, **values: object) -> None:
        """Say a sentence of the table instead of that something was done."""
        self._said = self.words(key, **values)

    def tell_solved(self, solve: Solved | None) -> None:
        """Say what a solver found."""
        assert solve is not None
        key = "reached" if solve.outcome == "converged" else "missed"
        ended = OUTCOMES.get(solve.outcome)
        self._said = self.words(
            key,
            solver=solve.solver,
            error=1000 * solve.error,
            iterations=solve.iterations,
            outcome="" if ended is None else getattr(ended, self.view.language),
        )

    @property
    def _said(self) -> str | None:
        """What is to be said of what is being done in this thread."""
        found: str | None = getattr(self._job, "said", None)
        return found

    @_said.setter
    def _said(self, said: str | None) -> None:
        self._job.said = said

    # -- words --------------------------------------------------------------------------------

    def words(self, key: str, **values: object) -> str:
        """Return a sentence in the language of the view."""
        return sentence(key, self.view.language, **values)

    def translated(self, said: str) -> str:
        """Return a sentence of the library in the language of the view, as far as it has words."""
        return in_french(said) or said if self.view.language == "fr" else said

    def word(self, action: str) -> str:
        """Return what an action is called in the language of the view."""
        return str(getattr(ACTIONS[action].words, self.view.language))

    # -- keeping ------------------------------------------------------------------------------

    def script(self) -> str:
        """Return all that was done as a program of Python.

        Returns
        -------
        str
            It begins from an empty scene, unless `App` was given one: then from that.

        Examples
        --------
        >>> from handik.app import App
        >>> app = App()
        >>> _ = app.do("node.add", kind="sphere")
        >>> print(app.script())
        from handik.app import App
        <BLANKLINE>
        app = App()
        app.do('node.add', kind='sphere')
        <BLANKLINE>
        """
        lines = ["from handik.app import App", "", "app = App()"]
        for name, args in self.done:
            words = "".join(f", {key}={value!r}" for key, value in args.items())
            lines.append(f"app.do({name!r}{words})")
        return "\n".join(lines) + "\n"

    def _recover(self, found: list[Any]) -> None:
        """Do again what a journal holds; what cannot be done ends it, with a sentence."""
        whole = [k for k, entry in enumerate(found) if entry[:1] == [WHOLE]]
        for count, entry in enumerate(found[whole[-1] :] if whole else found):
            try:
                name, args, *depth = entry
                if name in (WHOLE, SAVED):
                    self._begin(args, name == SAVED)
                elif name != SHOWN:
                    self.do(name, **args)
                self.history.settle(depth[0] if depth else len(self.history.before))
            except (HandikError, TypeError, ValueError, KeyError, OSError) as error:
                self._kept.torn = True
                self.recovered = self.words("broken", action=entry, reason=error)
                return
            self.recovered = self.words("recovered", count=count + 1)
        self._kept.depth, self._kept.shown = len(self.history.before), True

    def _begin(self, whole: dict[str, Any], saved: bool) -> None:
        """Begin with a document of the journal, which is on file or not."""
        document = _acts_file.from_text(whole["name"], whole["text"])
        settings, selected = Settings(**whole["settings"]), tuple(whole["selection"])
        document = replace(document, settings=settings, selection=selected).tidied()
        self.history.restart(document)
        if not saved:
            self.history.saved = Document()
        self.changed()

    recovered: str | None = None

    def close(self) -> None:
        """End: the journal of what is saved, or never begun, is cleared; else it stays.

        The page of `show` is served no more.

        Examples
        --------
        >>> from handik.app import App
        >>> App().close()
        """
        if self._server is not None:
            self._server.stop()
            self._server = None
        if self._journal is not None:
            if not self.history.modified:
                self._journal.clear()
            self._journal.close()
            self._journal = None
