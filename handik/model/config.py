"""What this handik is and what it runs with."""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np

from handik import _core

__all__ = ["show_config"]


def show_config() -> dict[str, str]:
    """Return what this handik is and what it runs with.

    Returns
    -------
    dict of str to str
        ``version``; ``simd``, the instruction set of its loops ("base", "avx2", "avx512" or
        "neon"); ``numpy`` and ``python``, their versions; ``folder``, where it lies.

    Examples
    --------
    >>> import handik as hk
    >>> hk.show_config()["version"] == hk.__version__
    True
    """
    return {
        "version": _core.__version__,
        "simd": _core.simd(),
        "numpy": np.__version__,
        "python": platform.python_version(),
        "folder": str(Path(_core.__file__).parent),
    }
