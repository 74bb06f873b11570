"""The parser of all commands, and what becomes of errors: one sentence and an exit status."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence

import handik
from handik.app.cli import (
    access,
    app,
    bench,
    cluster,
    common,
    compare,
    completion,
    convert,
    info,
    solve,
)
from handik.errors import HandikError

__all__ = ["main", "parser"]

_NEGATIVE = re.compile(r"-[\d.][\d.,eE+-]*")
#: The modules of the commands, in the order in which help lists them.
COMMANDS = (info, solve, compare, convert, bench, access, cluster, app, completion)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process if not given.

    Returns
    -------
    int
        0 done, 1 a target was not reached, 2 a wrong call, file or model, 130 stopped by Ctrl-C.
    """
    made = parser()
    words = [_shielded(word) for word in (sys.argv[1:] if argv is None else argv)]
    if not words:  # what there is helps more than the usage alone
        made.exit(common.WRONG, f"{made.format_help()}\nhandik: required: COMMAND\n")
    given = made.parse_args(words)
    given.parser = made  # for the script of completion
    try:
        return int(given.run(given))
    except KeyboardInterrupt:
        print("\nhandik: stopped", file=sys.stderr)
        return common.STOPPED
    except BrokenPipeError:
        # The reader of our output has gone, as in `handik info ur5 | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return common.DONE
    except MemoryError:
        print("handik: that needs more memory than there is", file=sys.stderr)
        return common.WRONG
    except (HandikError, OSError, ImportError) as error:  # the last: an extra is not installed
        print(f"handik: {_sentence(error)}", file=sys.stderr)
        return common.WRONG


def _shielded(word: str) -> str:
    """Put a blank before numbers that begin with a minus, which argparse would take for options."""
    return f" {word}" if _NEGATIVE.fullmatch(word) else word


def parser() -> argparse.ArgumentParser:
    """Make the parser of all commands."""
    made = argparse.ArgumentParser(
        prog="handik",
        description="Inverse kinematics of robots and people: solve, compare solvers, convert "
        "files.",
        epilog="Examples:\n"
        "  handik info                                   # solvers and models there are\n"
        "  handik solve ur5 --position 0.4 0.2 0.5       # joint angles that bring the tip there\n"
        "  handik compare --out out                      # FABRIK and CCD: tables, pictures\n"
        "  handik access kitchen --out report            # a scene against rules and a person\n"
        "  handik COMMAND --help                         # options and examples of one command\n"
        f"{common.STATUS}",
        formatter_class=common.Help,
    )
    made.add_argument("--version", action="version", version=f"handik {handik.__version__}")
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add(commands)
    version = commands.add_parser("version", help="print the version")
    version.set_defaults(run=_version)
    return made


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, HandikError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


def _version(given: argparse.Namespace) -> int:
    print(f"handik {handik.__version__}")
    return common.DONE
