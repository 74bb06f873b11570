"""Under which conditions a study was made: machine, versions, date, command, load."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from handik import _core

__all__ = ["conditions"]


def conditions() -> dict[str, str]:
    """Return where, when and by which command this runs."""
    return {
        "command": _command(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "handik": _core.__version__,
        "processor": _processor(),
        "cores": str(os.cpu_count() or 1),
        "load": _load(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "lanes": _core.simd(),
    }


def _command() -> str:
    """Return the command line; the program by its name alone, which tells nothing of its place."""
    if not sys.argv or not sys.argv[0]:
        return "Python, at a prompt"
    program = Path(sys.argv[0])
    name = "python -m handik" if program.name == "__main__.py" else program.name
    return " ".join([name, *map(shlex.quote, sys.argv[1:])])


def _load() -> str:
    """Return how many programs wanted a processor in the last minute."""
    try:
        return f"{os.getloadavg()[0]:.1f} in the last minute"
    except (AttributeError, OSError):
        return "unknown"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
