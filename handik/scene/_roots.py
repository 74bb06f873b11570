"""Which files a scene may open: those in its own folder, and in the roots that the caller names."""

from __future__ import annotations

import os
from collections.abc import Iterable

from handik.errors import ArgumentError
from handik.spec._given import sequence

__all__ = ["Roots"]


class Roots:
    """Folders that files may lie in.

    Parameters
    ----------
    folder : str or None
        From which relative names start; None: that of no file, so only roots count.
    roots : iterable of paths
        Others, in which names are looked for too.
    """

    def __init__(self, folder: str | None, roots: Iterable[str | os.PathLike[str]] = ()) -> None:
        given = (roots,) if isinstance(roots, (str, os.PathLike)) else roots
        paths = sequence("roots", given, (str, os.PathLike), "paths")
        self.given = [os.path.realpath(os.fspath(root)) for root in paths]
        self.starts = [*([] if folder is None else [os.path.realpath(folder)]), *self.given]
        self.allowed = list(self.starts)

    def below(self, folder: str) -> Roots:
        """Return the same for a file of another folder, which is inside: no more is allowed."""
        other = Roots(folder, self.given)
        other.allowed = self.allowed
        return other

    def find(self, name: str) -> str:
        """Return the real path of a file.

        Raises
        ------
        ArgumentError
            When it is not there, or lies outside.
        """
        outside = False
        for start in self.starts:
            try:
                real = os.path.realpath(os.path.join(start, name))
                inside = any(os.path.commonpath([root, real]) == root for root in self.allowed)
            except (OSError, ValueError):
                continue
            if inside and os.path.isfile(real):
                return real
            outside |= not inside
        if outside:
            raise ArgumentError(
                f"file {name!r} leads outside the folder of the scene: name its folder in roots="
            )
        raise ArgumentError(f"file {name!r} is not there")
