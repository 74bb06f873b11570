"""The command line, one file a command: ``handik info | solve | compare | convert | bench``.

It may import everything but `study.twins`; nothing imports it. Exit statuses: 0 done, 1 a target
was not reached, 2 a wrong call, file or model, 130 stopped by Ctrl-C.
"""

from handik.app.cli.main import main

__all__ = ["main"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
