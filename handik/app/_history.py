"""Undo and redo: the old documents are kept, and put back."""

from __future__ import annotations

from dataclasses import dataclass, replace

from handik.app._document import Document

__all__ = ["MOST", "History"]

#: Entries that are kept; the oldest go first.
MOST = 20_000


@dataclass(frozen=True)
class Entry:
    """A document that was left, and by what: so many actions of a script, of which it is one."""

    document: Document
    action: str
    join: str | None
    steps: int = 1


class History:
    """The documents before and after the one that is shown."""

    def __init__(self, document: Document) -> None:
        self.now = document
        self.saved = document
        self.before: list[Entry] = []
        self.after: list[Entry] = []

    def push(
        self, document: Document, action: str, join: str | None = None, steps: int = 1
    ) -> None:
        """Go on to another document; entries in a row with one word to join them are one."""
        if document is self.now:
            return
        last = self.before[-1] if self.before else None
        if join is None or last is None or last.join != join or self.after:
            self.before.append(Entry(self.now, action, join, steps))
            del self.before[:-MOST]
        self.after.clear()
        self.now = document

    def undo(self) -> Entry:
        """Put the last document back, and return what is undone."""
        entry = self.before.pop()
        self.after.append(replace(entry, document=self.now))
        self.now = entry.document
        return entry

    def redo(self) -> Entry:
        """Put the undone document back, and return what is done again."""
        entry = self.after.pop()
        self.before.append(replace(entry, document=self.now))
        self.now = entry.document
        return entry

    @property
    def modified(self) -> bool:
        """Whether what a file holds is another than when it was last saved."""
        return self.now.on_file != self.saved.on_file

    def settle(self, count: int) -> None:
        """Have so many entries before: the last ones are made one, or that which is left is two."""
        if count < len(self.before):
            del self.before[max(count, 0) :]
        while len(self.before) < min(count, MOST):
            self.before.append(Entry(self.now, "edit.undo", None))

    def restart(self, document: Document) -> None:
        """Begin anew."""
        vars(self).update(vars(History(document)))
