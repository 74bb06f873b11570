"""The links of FABRIK on a tree of joints, and the goals that hang on them.

The C core says the same in csrc/solve/points/fabrik_links.c.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .tree import SLIDE, TURN, Array, Tree
from .wishes import PAIR_WEIGHT, Wish

MOST_TURNS = 3
"""Of one link: a wrist."""


@dataclass
class Link:
    """One ball, one slide, or up to three turns with one origin, and what pulls at it."""

    kind: int
    steps: list[int]
    parent: int
    carrier: int
    children: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    below: list[int] = field(default_factory=list)

    @property
    def only(self) -> int:
        """The single child that pulls, -1 when a goal or several pull."""
        return self.children[0] if len(self.children) == 1 and not self.ends else -1

    @property
    def pulls(self) -> int:
        """How many children and goals pull at it."""
        return len(self.children) + len(self.ends)


@dataclass
class End:
    """A wish, where what it wants stands, and what the passes aim at."""

    wish: Wish
    weight: float
    square: float
    tip: Array = field(default_factory=lambda: np.zeros(3))
    aim: Array = field(default_factory=lambda: np.zeros(3))
    last: Array | None = None
    last_turn: Array | None = None
    rotation: Array | None = None


def steps_above(tree: Tree, wishes: list[Wish]) -> list[int]:
    """List the steps above any wish, parents first."""
    found: set[int] = set()
    for wish in wishes:
        s = wish.step
        while s >= 0 and s not in found:
            found.add(s)
            s = int(tree.step_parent[s])
    return sorted(found)


def _pulls(tree: Tree, steps: list[int], wishes: list[Wish]) -> dict[int, int]:
    """Count what hangs on each step: further steps and wishes."""
    pulls = dict.fromkeys(steps, 0)
    for s in [*(int(tree.step_parent[s]) for s in steps), *(wish.step for wish in wishes)]:
        if s >= 0:
            pulls[s] += 1
    return pulls


def cut(
    tree: Tree, steps: list[int], wishes: list[Wish], held: set[int], tiny: float
) -> list[Link]:
    """Cut the steps into links, parents first.

    Turns whose origins coincide, with nothing that pulls in between, are one link.
    """
    pulls, links = _pulls(tree, steps, wishes), list[Link]()
    link_of: dict[int, int] = {-1: -1}

    def joins(up: Link, s: int) -> bool:
        above = int(tree.step_parent[s])
        turns = tree.step_kind[s] == TURN == up.kind and len(up.steps) < MOST_TURNS
        alone = up.steps[-1] == above and pulls[above] == 1
        return turns and alone and float(np.linalg.norm(tree.place(s)[1])) <= tiny

    for s in steps:
        parent = link_of[int(tree.step_parent[s])]
        if parent >= 0 and joins(links[parent], s):
            links[parent].steps.append(s)
            link_of[s] = parent
            continue
        i = link_of[s] = len(links)
        links.append(Link(int(tree.step_kind[s]), [s], parent, -1))
        if parent >= 0:
            links[parent].children.append(i)
    for i, link in enumerate(links):
        turns = link.kind != SLIDE and not set(link.steps) <= held
        above_it = links[link.parent].carrier if link.parent >= 0 else -1
        link.carrier = i if turns else above_it
    return links


def hang(links: list[Link], wishes: list[Wish]) -> list[End]:
    """Hang the ends of the wishes on their links."""
    link_of = {s: i for i, link in enumerate(links) for s in link.steps}
    mean = sum(w.weight for w in wishes) / max(len(wishes), 1)
    squares = [w.weight**2 / (1.0 if w.pair < 0 else PAIR_WEIGHT) for w in wishes]
    middle = sum(squares) / max(len(squares), 1)
    ends = [
        End(wish, wish.weight / mean, square / middle)
        for wish, square in zip(wishes, squares, strict=True)
    ]
    for k, end in enumerate(ends):
        i = link_of[end.wish.step]
        links[i].ends.append(k)
        while i >= 0:
            links[i].below.append(k)
            i = links[i].parent
    return ends
