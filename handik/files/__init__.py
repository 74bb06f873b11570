"""Models and motions in files: the readers and writers of each format.

``hk.read`` and ``hk.write`` are its two halves. It may import `spec` and what comes before.
"""

from __future__ import annotations

from typing import Any

__all__ = ["read", "write"]


def __getattr__(name: str) -> Any:
    """Import a half when it is asked for."""
    if name in __all__:
        from importlib import import_module

        return import_module(f"handik.files.{name}")
    raise AttributeError(f"module 'handik.files' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Show what is public, loaded or not."""
    return sorted(__all__)
