"""Runs one benchmark by name."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main() -> int:
    """Run ``python -m benchmarks NAME [options]``."""
    here = Path(__file__).parent
    known = sorted(p.stem for p in here.glob("*.py") if not p.stem.startswith("_"))
    if len(sys.argv) < 2 or sys.argv[1] not in known:
        print("usage: python -m benchmarks", "|".join(known), file=sys.stderr)
        return 2
    name = sys.argv.pop(1)
    importlib.import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
