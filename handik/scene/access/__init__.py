"""Is this place accessible? Verdicts with proof, for one person or many: yes, no, or undecided."""

from __future__ import annotations

from handik.scene.access._causes import Cause
from handik.scene.access._certificate import Certificate
from handik.scene.access._opening import Grasp, Opening, opens
from handik.scene.access._passing import Passing, passes, turns
from handik.scene.access._reach import reach
from handik.scene.access._reach_map import ReachMap, reach_map
from handik.scene.access._rooms_of import outlines
from handik.scene.access._scene_doors import AtDoor, open_doors
from handik.scene.access._seat import seat
from handik.scene.access._share import Share
from handik.scene.access._shares import ShareEstimate, Shares, share
from handik.scene.access._storeys import storeys
from handik.scene.access._sweep import Sweep, sweep
from handik.scene.access._transfer import Transfer, transfer
from handik.scene.access._use import Use, Uses, Witness, code_against_use
from handik.scene.access._verdict import Reach, ReachMany, Stop
from handik.scene.access._why import Change
from handik.scene.access.chairs import Chair, chair
from handik.scene.access.doors import Door, doors
from handik.scene.access.rules import Checked, Finding, Rule, check, rules

__all__ = [
    "AtDoor",
    "Cause",
    "Certificate",
    "Chair",
    "Change",
    "Checked",
    "Door",
    "Finding",
    "Grasp",
    "Opening",
    "Passing",
    "Reach",
    "ReachMany",
    "ReachMap",
    "Rule",
    "Share",
    "ShareEstimate",
    "Shares",
    "Stop",
    "Sweep",
    "Transfer",
    "Use",
    "Uses",
    "Witness",
    "chair",
    "check",
    "code_against_use",
    "doors",
    "open_doors",
    "opens",
    "outlines",
    "passes",
    "reach",
    "reach_map",
    "rules",
    "seat",
    "share",
    "storeys",
    "sweep",
    "transfer",
    "turns",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
