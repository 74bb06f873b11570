"""What people run: the command ``handik``, in ``handik.app.cli``.

It may import everything but `testing`; nothing imports it but ``python -m handik``.
"""

from handik.app import cli

__all__ = ["cli"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
