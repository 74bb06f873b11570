"""Solvers: one call for all of them, their table, those of users; paths, streams, networks.

It may import `result` and what comes before. The methods themselves are in C.
"""

from handik.solve.call import Solver, solve_goal
from handik.solve.table import OptionRange, SolverInfo, SolverTable, solvers

__all__ = ["OptionRange", "Solver", "SolverInfo", "SolverTable", "solve_goal", "solvers"]
