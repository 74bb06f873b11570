"""Readable NumPy twins of the solvers, used as oracles; no C is needed to run them.

It may import what `study` may, and nothing imports it.

>>> from handik.study.twins import Goal, Tree, ccd, fabrik_tree
"""

from __future__ import annotations

from .ccd import ccd
from .fabrik import fabrik_free, fabrik_points
from .fabrik_moves import FabrikMove, fabrik_moves
from .fabrik_tree import FAST, PUBLISHED, FabrikOptions, fabrik_tree
from .fit import best_turn, fit_ball, fit_swing, fit_turns
from .ftl import ftl, ftl_points
from .halton import halton, jacobian_anew
from .hybrid import hybrid
from .jacobian import jacobian_solve
from .listing import listing_points
from .sampling import sampling_solve
from .tree import BALL, SLIDE, TURN, Answer, Goal, Tree, judge
from .tree_lanes import Between, tree_descent
from .triangulation import triangulation
from .watch import nudge

__all__ = [
    "BALL",
    "FAST",
    "PUBLISHED",
    "SLIDE",
    "TURN",
    "Answer",
    "Between",
    "FabrikMove",
    "FabrikOptions",
    "Goal",
    "Tree",
    "best_turn",
    "ccd",
    "fabrik_free",
    "fabrik_moves",
    "fabrik_points",
    "fabrik_tree",
    "fit_ball",
    "fit_swing",
    "fit_turns",
    "ftl",
    "ftl_points",
    "halton",
    "hybrid",
    "jacobian_anew",
    "jacobian_solve",
    "judge",
    "listing_points",
    "nudge",
    "sampling_solve",
    "tree_descent",
    "triangulation",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
