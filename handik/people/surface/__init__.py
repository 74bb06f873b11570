"""The surface of a person: a mesh fitted to the body's dimensions and carried by the figure."""

from __future__ import annotations

from handik.people.surface._capsules import BodyCapsule, capsule_ends
from handik.people.surface._plain import PlainSurface
from handik.people.surface._surface import BodySurface, ClothedSurface, Surface

__all__ = [
    "BodyCapsule",
    "BodySurface",
    "ClothedSurface",
    "PlainSurface",
    "Surface",
    "capsule_ends",
]
