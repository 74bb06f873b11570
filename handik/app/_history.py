"""Undo and redo: the old documents are kept, and put back."""

from __future__ import annotations

from dataclasses import dataclass

from handik.app._document import Document

__all__ = ["MOST", "History"]

#: Entries that are kept; the oldest go first.
MOST = 20_000


@dataclass(frozen=True)
class Entry:
    """A document that was left, and by what."""

    document: Document
    action: str
    join: str | None


class History:
    """The documents before and after the one that is shown."""

    def __init__(self, document: Document) -> None:
        self.now = document
        self.saved = document
        self.before: list[Entry] = []
        self.after: list[Entry] = []

    def push(self, document: Document, action: str, join: str | None = None) -> None:
        """Go on to another document; entries in a row with one word to join them are one."""
        if document is self.now:
            return
        last = self.before[-1] if self.before else None
        if join is None or last is None or last.join != join or self.after:
            self.before.append(Entry(self.now, action, join))
            del self.before[:-MOST]
        self.after.clear()
        self.now = document

    def undo(self) -> str:
        """Put the last document back, and return what is undone."""
        entry = self.before.pop()
        self.after.append(Entry(self.now, entry.action, entry.join))
        self.now = entry.document
        return entry.action

    def redo(self) -> str:
        """Put the undone document back, and return what is done again."""
        entry = self.after.pop()
        self.before.append(Entry(self.now, entry.action, entry.join))
        self.now = entry.document
        return entry.action

    @property
    def modified(self) -> bool:
        """Whether the scene is another than that last saved."""
        now, saved = self.now, self.saved
        return (now.scene, now.poses, now.motions) != (saved.scene, saved.poses, saved.motions)

    def restart(self, document: Document) -> None:
        """Begin anew."""
        vars(self).update(vars(History(document)))
