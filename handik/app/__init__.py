"""What people run: the command ``handik``, in ``handik.app.cli``, and the application.

It may import everything but `study.twins`; nothing imports it but ``python -m handik``. `App` is
the application without a page; its page is served by ``handik app``.
"""

from typing import TYPE_CHECKING, Any

from handik.app import cli

if TYPE_CHECKING:
    from handik.app._session import App

__all__ = ["App", "cli"]


def __getattr__(name: str) -> Any:
    """Import the application when it is asked for: the command line does without."""
    if name == "App":
        from handik.app._session import App

        return App
    raise AttributeError(f"module 'handik.app' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
