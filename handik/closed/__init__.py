"""Every configuration at once: closed forms of serial arms, parallel mechanisms and closed loops.

It may import `solve` and what comes before; the mathematics of serial arms is in C.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "analytic",
    "arm_angle",
    "mechanism",
    "parallel",
    "paul",
    "self_motion",
    "subproblems",
]


def __getattr__(name: str) -> Any:
    """Import a module when it is asked for."""
    if name in __all__:
        from importlib import import_module

        return import_module(f"handik.closed.{name}")
    raise AttributeError(f"module 'handik.closed' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Show what is public, loaded or not."""
    return sorted(__all__)
