"""What became of it: answers as data, and what they say (`explain`, `trace`, `margins`).

It may import `problem` and what comes before; solvers fill it and it knows none of them.
"""

from handik.result.outcome import SENTENCES, WORDS, Method, Outcome
from handik.result.result import Result, SolveError

__all__ = ["SENTENCES", "WORDS", "Method", "Outcome", "Result", "SolveError"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
