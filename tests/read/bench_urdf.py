"""Time of reading a URDF of 3,000 links: ``python tests/read/bench_urdf.py``.

A lean file (links and joints) and a full one (with inertia, a mesh and a collision box for each
link, every number of its own) are parsed by ElementTree's C parser alone, read by `read_urdf` and
loaded by `hk.load`, one after the other in 15 turns. Printed is the least processor time of each,
and its ratio to the parser's.
"""

from __future__ import annotations

import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from functools import partial
from pathlib import Path

import handik as hk
from handik.files.read.urdf import read_urdf

# %s: digits of the link's own, so that no table of known numbers helps the reader
BODY = (
    '<inertial><origin xyz="0 0 0%s" rpy="0 0 0"/><mass value="1%s"/><inertia ixx="1%s" ixy="0%s" '
    'ixz="0%s" iyy="1%s" iyz="0%s" izz="1%s"/></inertial><visual><origin xyz="0 0 0%s" rpy="0.1 0 0"/>'
    '<geometry><mesh filename="package://a/b.stl"/></geometry></visual><collision>'
    '<origin xyz="0%s 0 0" rpy="0.1 0 0"/><geometry><box size="1 1 1%s"/></geometry></collision>'
)


def robot(n: int, body: str) -> str:
    """Return the URDF of a chain of `n` links."""
    tails = [f"{i / (2 * n + 1):.12f}"[1:] for i in range(1, n + 1)]
    rows = [
        f'<link name="l{i}">{body % ((tail,) * body.count("%s"))}</link>'
        for i, tail in enumerate(tails)
    ]
    rows += [
        f'<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/>'
        f'<origin xyz="0 0 1{tails[i]}" rpy="0 0{tails[i]} 0"/><axis xyz="0 1 0"/>'
        f'<limit lower="-1{tails[i]}" upper="1{tails[i]}" effort="10" velocity="1"/></joint>'
        for i in range(1, n)
    ]
    return '<robot name="long">' + "\n".join(rows) + "</robot>"


def least(turns: int, *functions: Callable[[], object]) -> list[float]:
    """Return the least processor seconds of each function, called in turn."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(turns):
        for function, spent in zip(functions, times, strict=True):
            start = time.process_time()
            function()
            spent.append(time.process_time() - start)
    return [min(spent) for spent in times]


def main() -> None:
    """Print the figures of both files."""
    with tempfile.TemporaryDirectory() as room:
        for label, body in (("lean", ""), ("full", BODY)):
            document = robot(3000, body)
            path = Path(room) / "long.urdf"
            path.write_text(document)
            parse, read, load = least(
                15,
                partial(ElementTree.fromstring, document),
                partial(read_urdf, document),
                partial(hk.load, path),
            )
            print(
                f"{label}: {len(document)} bytes, ElementTree {parse:.3f} s, "
                f"read_urdf {read:.3f} s ({read / parse:.2f}), hk.load {load:.3f} s ({load / parse:.2f})"
            )


if __name__ == "__main__":
    main()
