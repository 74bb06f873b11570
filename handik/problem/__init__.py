"""What shall hold: terms, and the problem that they make with a model.

It may import `model` and what comes before; it knows no solver.
"""

from handik.problem.problem import Problem

__all__ = ["Problem"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
