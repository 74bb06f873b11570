"""The page of `view` as a widget of a notebook: its state goes over the kernel's own channel."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from handik.app._view_given import placed
from handik.spec._given import points_of

if TYPE_CHECKING:
    from handik.app._view import View

__all__ = ["ViewWidget"]


class _Numbers(traitlets.TraitType[list[float], Any]):
    """Finite numbers, always as many as at first."""

    def validate(self, obj: Any, value: Any) -> list[float]:
        count = len(obj._start[self.name])
        found = points_of(value, str(self.name), (count,))
        if self.name == "q" and obj._model is not None:
            placed(obj._model.name, obj._model, found)
        numbers: list[float] = found.tolist()
        return numbers


class ViewWidget(anywidget.AnyWidget):
    """The page of a view in a notebook, and what its first figure does: `View.widget` makes it.

    The page is a frame of the notebook and asks for nothing else, so that the kernel may run on any
    machine. It solves by itself: `q` changes only while the widget is displayed. What is observed
    by `observe` runs as the reader drags.

    Attributes
    ----------
    q : list of float
        Where the first figure is, (nq,): the answer of the first solver. Set, it puts the figure
        there and the ball where its frame is then.
    target : list of float
        Where the ball of the first figure is, x y z; meters. Set, it has the solvers follow. Both
        set at once, within ``with widget.hold_sync():``, are shown as they are. Without a figure
        both are empty.

    Raises
    ------
    ArgumentError
        When what is set are no finite numbers, or not as many as at first, or the figure has no
        finite place at `q`; the widget keeps what it had. An entry of a list cannot be set: give a
        new list.

    Examples
    --------
    >>> import handik as hk
    >>> widget = hk.view(hk.data("ur5")).widget()  # doctest: +SKIP
    >>> widget.target = [0.4, 0.2, 0.5]  # doctest: +SKIP
    """

    _esm = (files("handik.app") / "view" / "widget.js").read_text("utf-8")

    q = _Numbers().tag(sync=True)
    target = _Numbers().tag(sync=True)
    _page = traitlets.Unicode(read_only=True).tag(sync=True)
    _title = traitlets.Unicode(read_only=True).tag(sync=True)
    _height = traitlets.Int(read_only=True).tag(sync=True)

    def __init__(self, view: View) -> None:
        q, target = view._start
        self._start, self._model = {"q": q, "target": target}, view._first
        for name, value in (
            ("_page", view.html),
            ("_title", ", ".join(view._names)),
            ("_height", view.height),
        ):
            self.set_trait(name, value)
        super().__init__(q=list(q), target=list(target))
