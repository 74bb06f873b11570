"""The public robots of the package example-robot-data, where it is installed."""

from __future__ import annotations

import sysconfig
from pathlib import Path

ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"


def urdf_files() -> list[str]:
    """Those that describe a robot, below `ROBOTS`: one file of the collection has no link at all."""
    paths = sorted(ROBOTS.rglob("*.urdf"))
    return [str(path.relative_to(ROBOTS)) for path in paths if "<link" in path.read_text("utf-8")]
