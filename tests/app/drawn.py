"""Waiting for a picture by its frames, not by time."""

from __future__ import annotations

from typing import Any


def drawn(page: Any) -> None:
    """Wait until a page, or a frame in one, has drawn what was asked of it: it draws once a frame."""
    page.evaluate(
        "() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(then, 0))))"
    )
