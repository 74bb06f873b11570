"""The command line: ``handik compare | info | solve | version``, or ``python -m handik``.

It may import everything but `testing`.
"""

from handik.cli.commands import main

__all__ = ["main"]
