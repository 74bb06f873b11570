"""Bar: what is being done and how far it is, on the terminal."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any, TextIO

__all__ = ["Bar"]


class Bar:
    """A progress bar on a terminal; elsewhere one line for each kind of work, ``[3/40] solve``.

    The bar is tqdm's where it is installed (``pip install 'handik[plot]'``), otherwise a plain
    line that is written over. Use it as a context manager and call it as
    ``bar(what, done, total)``.

    Parameters
    ----------
    stream : text file, optional
        Standard error if not given.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream if stream is not None else sys.stderr
        self.live = self.stream.isatty()
        self.what = ""
        self.bar: Any = None
        self.width = 0

    def __enter__(self) -> Bar:
        return self

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show that `done` of `total` pieces of work are done, the last of the kind `what`."""
        if not self.live:
            if what != self.what:
                print(f"[{done}/{total}] {what}", file=self.stream, flush=True)
        elif not self._tqdm(what, done, total):
            text = f"[{done}/{total}] {100 * done // max(1, total):3d} %  {what}"
            print("\r" + text.ljust(self.width), end="", file=self.stream, flush=True)
            self.width = len(text)
        self.what = what

    def _tqdm(self, what: str, done: int, total: int) -> bool:
        if self.bar is None:
            try:
                from tqdm import tqdm
            except ImportError:
                self.bar = False
            else:
                known = self._columns() > 0
                self.bar = tqdm(
                    total=total,
                    file=self.stream,
                    leave=False,
                    dynamic_ncols=known,
                    ncols=None if known else 79,
                    nrows=None if known else 24,
                    bar_format="[{n_fmt}/{total_fmt}] {desc}: {percentage:3.0f} % |{bar}| "
                    "{elapsed} < {remaining}",
                )
        if self.bar is False:
            return False
        if what != self.what:
            self.bar.set_description_str(what, refresh=False)
        self.bar.total = total
        self.bar.update(done - self.bar.n)
        if done >= total:
            self.bar.refresh()
        return True

    def _columns(self) -> int:
        """Width of the terminal, 0 where it is not known (tqdm would then show nothing)."""
        try:
            return os.get_terminal_size(self.stream.fileno()).columns
        except (OSError, ValueError):
            return 0

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar:
            self.bar.close()
        elif self.width:
            print("\r" + " " * self.width + "\r", end="", file=self.stream, flush=True)
