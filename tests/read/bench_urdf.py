"""Time of reading a URDF of 3,000 links: ``python tests/read/bench_urdf.py``.

Prints the median of 7 runs, in processor seconds, of a lean file (links and joints) and of a full
one (with inertia, a mesh and a collision box for each link), beside ElementTree's C parser alone.
"""

from __future__ import annotations

import statistics
import time
import xml.etree.ElementTree as ElementTree

from handik.read.urdf import read_urdf

BODY = (
    '<inertial><origin xyz="0 0 0.1" rpy="0 0 0"/><mass value="1"/><inertia ixx="1" ixy="0" '
    'ixz="0" iyy="1" iyz="0" izz="1"/></inertial><visual><origin xyz="0 0 0" rpy="0.1 0 0"/>'
    '<geometry><mesh filename="package://a/b.stl"/></geometry></visual><collision>'
    '<origin xyz="0 0 0" rpy="0.1 0 0"/><geometry><box size="1 1 1"/></geometry></collision>'
)


def robot(n: int, body: str) -> str:
    """Return the URDF of a chain of `n` links."""
    rows = [f'<link name="l{i}">{body}</link>' for i in range(n)]
    rows += [
        f'<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/>'
        '<origin xyz="0 0 1" rpy="0 0.1 0"/><axis xyz="0 1 0"/>'
        '<limit lower="-1" upper="1" effort="10" velocity="1"/></joint>'
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
        print(f"{label}: {len(document)} bytes, ElementTree {parse:.3f} s, read_urdf {read:.3f} s")
