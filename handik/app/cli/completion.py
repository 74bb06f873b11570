"""``handik completion``: a script that completes commands, options and files in a shell."""

from __future__ import annotations

import argparse
from typing import Any

from handik.app.cli.common import DONE, command


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = command(
        commands,
        "completion",
        "print a script that completes commands and options in your shell",
        'Prints a script for your shell: eval "$(handik completion bash)". Needs '
        "pip install 'handik[completion]'.",
        "completion bash",
    )
    parser.add_argument("shell", choices=["bash", "zsh", "tcsh"])
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print the script."""
    try:
        import shtab
    except ImportError:
        raise ImportError(
            "completion is made with shtab: pip install 'handik[completion]'"
        ) from None
    print(shtab.complete(given.parser, shell=given.shell))
    return DONE
