"""Solvers: one call for all of them, their table, those of users; paths, streams, networks.

It may import `result` and what comes before. The methods themselves are in C.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, NoReturn

from handik.solve.call import Solver, solve_goal
from handik.solve.table import OptionRange, SolverInfo, SolverTable, solvers

__all__ = ["OptionRange", "Solver", "SolverInfo", "SolverTable", "solve_goal", "solvers"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


class _Package(ModuleType):
    """A package that tells those who call it what to call."""

    def __call__(self, *args: Any, **named: Any) -> NoReturn:
        raise TypeError(
            "handik.solve is the package of solvers and cannot be called: a model solves, as in "
            "model.solve(position=[0.4, 0.2, 0.5])"
        )


sys.modules[__name__].__class__ = _Package
