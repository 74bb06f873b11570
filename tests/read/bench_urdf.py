"""Time of reading a URDF of 3,000 links: ``python tests/read/bench_urdf.py``.

Prints the median of 7 runs, in processor seconds, of a lean file (links and joints) and of a full
one (with inertia, a mesh and a collision box for each link, every number of its own), and of
`hk.load` of the full one, beside ElementTree's C parser alone.
"""

from __future__ import annotations

import statistics
import tempfile
import time
import xml.etree.ElementTree as ElementTree

import handik as hk
from handik.read.urdf import read_urdf

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


def median(function, text: str, runs: int = 7) -> float:
    """Return the median of processor seconds."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        function(text)
        times.append(time.process_time() - start)
    return statistics.median(times)


if __name__ == "__main__":
    for label, body in (("lean", ""), ("full", BODY)):
        document = robot(3000, body)
        parse, read = median(ElementTree.fromstring, document), median(read_urdf, document)
        model = ""
        if body:
            with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
                file.write(document)
                file.flush()
                model = f", hk.load {median(hk.load, file.name):.3f} s"
        print(
            f"{label}: {len(document)} bytes, ElementTree {parse:.3f} s, read_urdf {read:.3f} s{model}"
        )
