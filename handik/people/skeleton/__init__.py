"""The skeleton of a person: where the joints lie, what they allow, what the segments weigh."""

from __future__ import annotations

from handik.people.skeleton._centers import joint_centers

__all__ = ["joint_centers"]
