"""Sensitivity in pictures: basins over the starts, conditioning over the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch
from numpy.typing import ArrayLike, NDArray

from handik.model import Model
from handik.plot._axes import COLORS, View, own
from handik.solve.basins import Basins, start_grid
from handik.solve.basins import basins as basins_of
from handik.solve.conditioning import workspace_section
from handik.spec._given import choice, is_model

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from handik._model import Model as Solvable

__all__ = ["basins", "conditioning"]

Array = NDArray[np.float64]

#: Starts that reach nothing.
DARK = "#1b2430"
#: Colors after those of all pictures.
FURTHER = ("#8c510a", "#762a83", "#a6d96a", "#f1b6da", "#fee090", "#80cdc1")
#: Coordinates of each kind of joint that are lengths.
SLIDES = {"prismatic": (0,), "cylindrical": (1,), "planar": (0, 1)}
#: Solutions named in the legend.
NAMED = 8


def basins(
    model: Solvable,
    *,
    coordinates: Sequence[int] = (0, 1),
    q: ArrayLike | None = None,
    count: int = 150,
    solver: str = "newton",
    max_iter: int = 100,
    ax: Axes | None = None,
    **goal: Any,
) -> Axes:
    """Draw which solution a solver reaches from which start, over two coordinates of the start.

    Each solution has a color, paler where it took more iterations; starts from which the solver did
    not converge are dark. The data is `handik.study.basins` of `handik.study.start_grid`.

    Parameters
    ----------
    model : Model
    coordinates : pair of int
        Indices into q: across and up.
    q : array_like, shape (nq,), optional
        Where the others begin; the model's rest if not given.
    count : int
        Starts along each side.
    solver : str
        In one attempt, as `SolverInfo.plain` says.
    max_iter : int
    ax : Axes, optional
    **goal
        What `Model.solve` takes, of one target: ``position=``, ``pose=``, ...

    Returns
    -------
    Axes

    Raises
    ------
    ArgumentError, UnsupportedError
        As `handik.study.basins` and `handik.study.start_grid`.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 0.7])
    >>> ax = hk.plot.basins(arm, position=[0.9, 0.6, 0.0], count=20)
    >>> len(ax.images)
    1
    """
    is_model(model)
    starts = start_grid(model, coordinates, q=q, count=count)
    found = basins_of(model, starts, solver=solver, max_iter=max_iter, **goal)
    ax = ax if ax is not None else own(size=(6.8, 5.2))
    pair = [int(k) for k in coordinates]
    across, up = starts[0, :, pair[0]], starts[:, 0, pair[1]]
    scale = [_degrees(model, k) for k in pair]
    left, right = _ends(scale[0] * across)
    low, high = _ends(scale[1] * up)
    ax.imshow(
        _painted(found), origin="lower", extent=(left, right, low, high), aspect="auto",
        interpolation="nearest",
    )  # fmt: skip
    for k, answer in enumerate(found.solutions):
        if _in_picture(model, answer, starts[0, 0], pair):
            x, y = (by * _wrapped(answer[j], by) for j, by in zip(pair, scale, strict=True))
            ax.plot(x, y, "*", color="w", markeredgecolor=DARK, markersize=12, gid=f"solution:{k}")
    for side, k, by in zip("xy", pair, scale, strict=True):
        unit = "degrees" if by != 1.0 else "m"
        getattr(ax, f"set_{side}label")(f"$q_{{{k + 1}}}$ of the start, {unit}")
    named = [
        Patch(color=_colours(len(found.solutions))[k], label=f"solution {k + 1}: {share:.1%}")
        for k, share in enumerate(found.shares[:NAMED])
    ]
    more = len(found.solutions) - NAMED
    if more > 0:
        rest = float(found.shares[NAMED:].sum())
        named.append(Patch(color="w", label=f"{more} more: {rest:.1%}"))
    named.append(Patch(color=DARK, label=f"none: {1 - found.converged:.1%}"))
    ax.legend(handles=named, loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")
    ax.set_title(f"{solver}: {found.converged:.1%} of {found.reached.size} starts converge")
    return ax


def conditioning(
    model: Solvable,
    plane: str | None = None,
    *,
    what: str = "condition",
    at: float = 0.0,
    frame: str | None = None,
    count: int = 50,
    starts: int = 8,
    seed: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw the condition number or the manipulability over a plane section of the workspace.

    Of several configurations at a place the best conditioned is drawn; places where none was found
    stay white. The data is `handik.study.workspace_section`.

    Parameters
    ----------
    model : Model
    plane : {"xy", "xz", "yz"}, optional
        The plane of a model of one plane, else ``"xz"``.
    what : {"condition", "manipulability"}
    at : float
        Where the plane stands along its normal, meters.
    frame : str, optional
        The model's tip if not given.
    count, starts, seed : int
        Places along each side, random starts a place, and their seed.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ArgumentError
        For another word, or as `handik.study.workspace_section`.

    Examples
    --------
    >>> import handik as hk
    >>> ax = hk.plot.conditioning(hk.chain([1.0, 0.7]), count=15)
    >>> ax.get_xlabel()
    'x, m'
    """
    is_model(model)
    condition = choice("what", what, ("condition", "manipulability")) == "condition"
    view = View.of(model, frame)
    flat = "".join("xyz"[k] for k in view.shown) if view.projection is None else None
    section = workspace_section(
        model, (flat or "xz") if plane is None else plane, at=at, frame=frame, axes=flat or "xyz",
        count=count, starts=starts, seed=seed,
    )  # fmt: skip
    ax = ax if ax is not None else own(size=(6.4, 5.2))
    across, up = ("xyz".index(letter) for letter in section.axes)
    x, y = section.points[0, :, across], section.points[:, 0, up]
    value = np.log10(section.condition) if condition else section.manipulability
    drawn = ax.pcolormesh(
        x, y, np.ma.masked_invalid(value), cmap="viridis_r" if condition else "viridis",
        vmin=0.0, vmax=2.0 if condition else None, shading="nearest",
    )  # fmt: skip
    words = "condition number (base 10 logarithm)" if condition else "manipulability"
    ax.figure.colorbar(drawn, ax=ax, extend="max" if condition else "neither").set_label(words)
    base = np.asarray(model.frames(model.rest))[0, :3, 3]
    ax.plot(base[across], base[up], "s", color=DARK, markersize=6)
    ax.set_xlabel(f"{section.axes[0]}, m")
    ax.set_ylabel(f"{section.axes[1]}, m")
    ax.set_title(f"{words}\nof the best conditioned of {starts} postures")
    ax.set_aspect("equal")
    return ax


def _colours(count: int) -> list[tuple[float, float, float]]:
    """Return colors of so many solutions; they come again where there are more."""
    every = [to_rgb(color) for color in (*COLORS, *FURTHER)]
    return [every[k % len(every)] for k in range(count)]


def _painted(found: Basins) -> Array:
    """Return the picture's colors, shape (rows, columns, 3)."""
    painted = np.empty((*found.reached.shape, 3))
    painted[:] = to_rgb(DARK)
    if not len(found.solutions):
        return painted
    hit = found.reached >= 0
    own_colour = np.array(_colours(len(found.solutions)))[found.reached[hit]]
    slow = np.log1p(found.iterations[hit]) / np.log1p(max(1, int(found.iterations[hit].max())))
    painted[hit] = own_colour + 0.75 * slow[:, None] ** 2 * (1.0 - own_colour)
    return painted


def _ends(middles: Array) -> tuple[float, float]:
    """Return the edges of a row of pixels by their middles."""
    half = 0.5 * float(middles[1] - middles[0]) if len(middles) > 1 else 0.5
    return float(middles[0]) - half, float(middles[-1]) + half


def _degrees(model: Model, k: int) -> float:
    """Return what a coordinate is multiplied by: angles are shown in degrees, slides in meters."""
    name = next(n for n, where in model.joint_q_slices.items() if where.start <= k < where.stop)
    kind = model.joint_kinds[model.joint_names.index(name)]
    place = k - model.joint_q_slices[name].start
    return 1.0 if place in SLIDES.get(kind, ()) else float(np.degrees(1.0))


def _wrapped(value: float, by: float) -> float:
    return float(value) if by == 1.0 else float((value + np.pi) % (2 * np.pi) - np.pi)


def _in_picture(model: Model, answer: Array, start: Array, pair: list[int]) -> bool:
    """Tell whether a solution's other coordinates are those of the picture."""
    others = [k for k in range(model.nq) if k not in pair]
    gaps = [_wrapped(answer[k] - start[k], _degrees(model, k)) for k in others]
    return bool(np.all(np.abs(gaps) < 1e-3))
