"""Fuzzing of the readers: ``python tests/fuzz/readers.py urdf tests/read/corpus/urdf -max_total_time=600``.

Whatever the bytes, a reader returns a spec that its own check accepts, or raises a `ReadError`.
Needs atheris. What breaks a reader goes into its folder of tests/read/corpus, which
tests/read/test_corpus.py replays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

NAMES = ("urdf", "sdf", "mjcf", "roboop", "bvh", "toml", "dh")


def target(name: str) -> Callable[[bytes], object]:
    """Return the reader of a format, as a function of a document."""
    from handik.errors import ReadError
    from handik.read.bvh import read_bvh
    from handik.read.dh_csv import read_dh
    from handik.read.mjcf import read_mjcf
    from handik.read.roboop import read_roboop
    from handik.read.sdf import read_sdf
    from handik.read.toml import read_toml
    from handik.read.urdf import read_urdf

    reader = {
        "urdf": read_urdf,
        "sdf": read_sdf,
        "mjcf": read_mjcf,
        "roboop": read_roboop,
        "bvh": read_bvh,
        "toml": read_toml,
        "dh": read_dh,
    }[name]

    def one(data: bytes) -> object:
        try:
            spec = reader(data)
        except ReadError as error:
            str(error)
            return error
        spec.check()
        return spec

    return one


if __name__ == "__main__":
    import atheris

    with atheris.instrument_imports(include=["handik.read"]):
        run = target(sys.argv[1])
    atheris.Setup([sys.argv[0], *sys.argv[2:]], lambda data: run(bytes(data)) and None)
    atheris.Fuzz()
