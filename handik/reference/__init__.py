"""Readable NumPy twins of the solvers, used as oracles; no C is needed to run them.

>>> from handik.reference import Goal, Tree, ccd, fabrik_tree
"""

from __future__ import annotations

from .ccd import ccd
from .fabrik import (
    ACCELERATED,
    PUBLISHED,
    FabrikOptions,
    fabrik_free,
    fabrik_points,
    fabrik_tree,
)
from .fit import best_turn, fit_ball, fit_turns
from .jacobian import jacobian_solve
from .tree import BALL, SLIDE, TURN, Answer, Goal, Tree, judge
from .watch import nudge

__all__ = [
    "ACCELERATED",
    "BALL",
    "PUBLISHED",
    "SLIDE",
    "TURN",
    "Answer",
    "FabrikOptions",
    "Goal",
    "Tree",
    "best_turn",
    "ccd",
    "fabrik_free",
    "fabrik_points",
    "fabrik_tree",
    "fit_ball",
    "fit_turns",
    "jacobian_solve",
    "judge",
    "nudge",
]
