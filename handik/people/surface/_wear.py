"""Cloth over the skin of a person: where it lies as the skin was fitted, and in a posture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from handik import _core
from handik.errors import ArgumentError
from handik.people.surface._data import Floats, Ints, mesh
from handik.people.surface._garments import GARMENTS, PARTS, Cut, garment_layer
from handik.spec._given import choice, reals

__all__ = ["Cloth", "Wardrobe", "clothes_of"]


@dataclass(frozen=True, eq=False)
class Cloth:
    """A garment on a person.

    Attributes
    ----------
    rows : ndarray (k,)
        Vertices of the base mesh that it lies over.
    off : ndarray (k,)
        How far it stands off at least, meters.
    rest : ndarray (k, 3)
        Where it is as the skin was fitted.
    """

    rows: Ints
    off: Floats
    rest: Floats


def _lay(name: str, skin: Floats, normal: Floats) -> Cloth:
    """Return a garment that bridges the hollows of the skin: a membrane that does not enter it."""
    m = mesh()
    rows, off = garment_layer(name)
    if name == "shoes":  # the floor is where it was
        off = off * np.clip(1 + 1.25 * np.minimum(normal[rows, 2], 0), 0, 1)
    local = np.full(len(skin), -1)
    local[rows] = np.arange(len(rows))
    near = local[m.near[rows]]
    inner = (near >= 0).all(1)
    near, own, n = near[inner], skin[rows], normal[rows]
    height, least = off.copy(), off[inner]
    pads = (near == np.flatnonzero(inner)[:, None]).sum(1)[:, None]
    for _ in range(GARMENTS[name].rounds):
        at = own + height[:, None] * n
        mean = at[near].sum(1)
        mean = (mean - pads * at[inner]) / (near.shape[1] - pads)
        wanted = ((mean - own[inner]) * n[inner]).sum(1)
        height[inner] = np.maximum(0.5 * (height[inner] + wanted), least)
    at = own + height[:, None] * n
    if name == "shoes":
        at[:, 2] = np.maximum(at[:, 2], skin[:, 2].min())
    return Cloth(rows, off, at)


def _off(at: Floats, skin: Floats, normal: Floats, least: Floats) -> Floats:
    """Return points moved out along the normals to where they stand off far enough."""
    lack = least - ((at - skin) * normal).sum(1)
    return np.asarray(at + np.maximum(lack, 0)[:, None] * normal)


class Wardrobe:
    """The garments of a person, each laid over the skin when it is first worn."""

    def __init__(self, rest: Floats) -> None:
        self.rest = rest
        self._laid: dict[str, Cloth] = {}

    def cloth(self, name: str) -> Cloth:
        """Return a garment."""
        if name not in self._laid:
            self._laid[name] = _lay(name, self.rest, mesh().normals(self.rest))
        return self._laid[name]

    def vertices(self, cut: Cut, skin: Floats, bones: Floats) -> Floats:
        """Return the vertices of what is seen.

        Parameters
        ----------
        cut : Cut
        skin : ndarray (n, 3)
            The skin in the posture.
        bones : ndarray (bones, 4, 4)
        """
        m = mesh()
        layers = [skin]
        normal = m.normals(skin)
        for name in cut.layers[1:]:
            cloth = self.cloth(name)
            k = cloth.rows
            both = np.concatenate([cloth.rest, self.rest[k]])
            bone, share, mix = (np.concatenate([a, a]) for a in (m.bone[k], m.share[k], m.mix[k]))
            out, under = np.split(_core.skin(both, bone, share, mix, bones), 2)
            at = skin.copy()
            at[k] = _off(skin[k] + out - under, skin[k], normal[k], cloth.off)
            layers.append(at)
        corners = np.stack(layers)
        first, second = (corners[cut.layer, cut.ends[:, k]] for k in (0, 1))
        return np.asarray(first + cut.share[:, None] * (second - first))


def clothes_of(given: Any) -> tuple[tuple[str, ...], dict[str, tuple[float, ...]]]:
    """Return what is worn, and the colors of all parts."""
    if given is None:
        given = tuple(GARMENTS)
    if isinstance(given, str) or not isinstance(given, (Mapping, tuple, list)):
        raise ArgumentError(
            f"clothes must be some of {', '.join(GARMENTS)}, or a color for each, got {given!r}"
        )
    colors: dict[str, tuple[float, ...]] = dict(PARTS)
    for name in given:
        choice("clothes", name, tuple(GARMENTS))
        if isinstance(given, Mapping):
            color = reals(given[name], f"clothes[{name!r}]", (3,))
            if color.ndim != 1 or not ((color >= 0) & (color <= 1)).all():
                raise ArgumentError(
                    f"the color of {name} must be three numbers from 0 to 1, got {given[name]!r}"
                )
            colors[name] = tuple(color.tolist())
    return tuple(name for name in GARMENTS if name in given), colors
