"""The application in a notebook: its page in a frame, served beside the kernel."""

from __future__ import annotations

import html
import webbrowser
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handik.app._server import Server

__all__ = ["Served"]


@dataclass(frozen=True, eq=False)
class Served:
    """The page of an application, for as long as that is open: `App.show` makes it.

    In Jupyter it is shown where a cell ends with it.

    Attributes
    ----------
    server : Server
    height : int
        Of the frame in a notebook, pixels.
    """

    server: Server
    height: int

    @property
    def address(self) -> str:
        """What a browser of this machine opens; whoever has it can use the application."""
        return self.server.address

    def __repr__(self) -> str:
        return f"Served(http://127.0.0.1:{self.server.port})"

    def _repr_html_(self) -> str:
        """Return a frame with the page."""
        return (
            f'<iframe src="{html.escape(self.address)}" title="handik" allow="clipboard-read; '
            f'clipboard-write" style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def open(self) -> None:
        """Open the page in a browser."""
        webbrowser.open(self.address)
