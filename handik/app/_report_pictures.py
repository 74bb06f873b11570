"""Pictures of the report on access: the plan of a scene and postures that reach, by matplotlib."""

from __future__ import annotations

import base64
import re
from html import escape
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._at_parts import LONG
from handik.scene.access._section import HEIGHTS, section
from handik.scene.access._use import BEHIND, HALF
from handik.spec._french import comma

if TYPE_CHECKING:
    from handik.app._report_words import Words
    from handik.people import Human
    from handik.scene import Scene
    from handik.scene.access import AtDoor, Finding, Use, Witness

__all__ = ["door", "framed", "plan", "posture", "stood"]

Array = NDArray[np.float64]
GOOD, BAD, DOUBT, INK = "#1b7f4b", "#b3261e", "#8a6100", "#1b2430"
#: Meters: of the room about all that is drawn.
_MARGIN = 0.3


def _figure(width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def framed(data: bytes, told: str) -> str:
    """Return a PNG as HTML, with what it shows."""
    coded = base64.b64encode(data).decode()
    return (
        f'<figure><img alt="{escape(told)}" src="data:image/png;base64,{coded}">'
        f"<figcaption>{escape(told)}</figcaption></figure>"
    )


def _numbered(axes: Any, say: Words) -> None:
    """Write the numbers at axes as the language does."""
    from matplotlib.ticker import FuncFormatter

    def written(value: float, _: Any) -> str:
        said = f"{round(value, 6) + 0.0:g}"
        return (comma(said) if say.language == "fr" else said).replace("-", "−")

    for axis in axes:
        axis.set_major_formatter(FuncFormatter(written))


def _floor(pose: Array, approach: str, toes: float) -> Array:
    """Return the free floor that the approach of a seated person was found on."""
    front = toes if approach == "forward" else LONG / 2 + BEHIND
    corners = [[front - LONG, -HALF], [front, -HALF], [front, HALF], [front - LONG, HALF]]
    out: Array = np.array(corners) @ pose[:2, :2].T + pose[:2, 3]
    return out


def stood(use: tuple[int, Use]) -> bool:
    """Tell whether the plan shows from where a person reaches a target."""
    witness = use[1].witness
    return witness is not None and witness.reach.verdict == "yes"


def plan(
    scene: Scene,
    uses: list[tuple[int, Use]],
    circles: list[Finding],
    toes: float,
    say: Words,
) -> str:
    """Return the plan as SVG: what stands on it, where people come to, circles for turning."""
    low, high = section(scene, HEIGHTS), section(scene, (HEIGHTS[1], 2.03))
    figure, ax = _figure(8.0, 6.0)
    for part in low:
        ax.fill(*part.corners.T, facecolor="#c9d2dc", edgecolor="#5a6572", linewidth=0.7)
    for part in high:
        ring = np.vstack([part.corners, part.corners[:1]])
        ax.plot(*ring.T, color="#5a6572", linewidth=0.8, linestyle=(0, (4, 3)))
    drawn: list[Array] = []
    for one in filter(stood, uses):
        use = one[1]
        assert use.witness is not None
        pose = use.witness.pose
        if any(np.allclose(pose, one, atol=0.02) for one in drawn):
            continue
        drawn.append(pose)
        ring = _floor(pose, use.witness.approach, toes)
        ax.fill(*ring.T, facecolor="#0072b2", alpha=0.12)
        ax.plot(*np.vstack([ring, ring[:1]]).T, color="#0072b2", linewidth=1)
        ax.annotate(
            "",
            pose[:2, 3] + 0.5 * pose[:2, 0],
            pose[:2, 3],
            arrowprops={"arrowstyle": "->", "color": "#0072b2"},
        )
    for found in circles:
        turn = np.linspace(0, 2 * np.pi, 90)
        wide = np.stack([np.cos(turn), np.sin(turn)], 1) * (found.found or 0.0) / 2
        color = GOOD if found.verdict == "pass" else BAD
        ax.plot(*(np.array(found.at) + wide).T, color=color, linewidth=1, linestyle=":")
    marks = {"yes": ("o", GOOD), "no": ("X", BAD), "undecided": ("D", DOUBT)}
    for k, use in uses:
        at = np.asarray(scene.world(use.place))[:2, 3]
        shape, color = marks[use.usable]
        ax.plot(*at, shape, color=color, markersize=7, markeredgecolor="white", zorder=6)
        ax.annotate(
            str(k),
            at,
            xytext=(6, 5),
            textcoords="offset points",
            fontsize=9,
            color=INK,
            zorder=7,
            bbox={
                "boxstyle": "round,pad=0.1",
                "facecolor": "white",
                "edgecolor": "none",
                "alpha": 0.8,
            },
        )
    ax.set_aspect("equal")
    ax.margins(0.06)
    ax.set_xlabel("x, m")
    ax.set_ylabel("y, m")
    ax.grid(color="#e4e8ec", linewidth=0.6)
    ax.set_axisbelow(True)
    _numbered((ax.xaxis, ax.yaxis), say)
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    name = say("Plan of the scene from above")
    return re.sub(r"<svg ", f'<svg role="img" aria-label="{name}" ', svg, count=1)


def door(one: AtDoor, say: Words) -> bytes:
    """Return a PNG of a drive through a door from above, or of the shut door without one."""
    from handik.plot._door import opening

    assert one.found is not None
    figure, ax = _figure(4.4, 4.0)
    opening(one.found, count=9, ax=ax)
    ax.set_title("")
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    if not len(one.found.path) and one.start is not None:
        c, s = np.cos(one.start[2]), np.sin(one.start[2])
        ring = one.found.chair.outline @ np.array([[c, s], [-s, c]]) + one.start[:2]
        ax.fill(*ring.T, fill=False, edgecolor="#0072b2")
    middle = one.found.door.ends.mean(0)
    shown = [one.found.door.ends, *(at[None, :2] for at in (one.start, one.goal) if at is not None)]
    if len(one.found.path):
        shown.append(one.found.path[:, :2])
    far = max(float(np.abs(np.vstack(shown) - middle).max()) + one.found.chair.length, 1.5)
    ax.set_xlim(middle[0] - far, middle[0] + far)
    ax.set_ylim(middle[1] - far, middle[1] + far)
    _numbered((ax.xaxis, ax.yaxis), say)
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    return buffer.getvalue()


def posture(scene: Scene, person: Human, witness: Witness, target: str, say: Words) -> bytes:
    """Return a PNG of a person in the scene, in a posture, from the side that shows it."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from handik.plot._scene import bones_of, parts_of, stage

    figure, pose, q = Figure(figsize=(4.4, 4.0)), witness.pose, witness.reach.q
    ax: Any = figure.add_axes((0.02, 0.02, 0.92, 0.96), projection="3d")
    facing = np.degrees(np.arctan2(pose[1, 0], pose[0, 0]))
    turn, at = pose[:3, :3].T, pose[:3, 3]
    bones = [line @ turn + at for line in bones_of(person, person.model, q)]
    chair = [
        part._replace(faces=[face @ turn + at for face in part.faces])
        for part in parts_of(person, person.model, q, body=False)
    ]
    angles = (18.0, float(facing) - 130.0)
    stage(scene, [bones], np.zeros((0, 3)), angles, ax, more=chair)
    x, y, z = np.asarray(scene.world(target))[:3, 3]
    color = {"yes": GOOD, "no": BAD, "undecided": DOUBT}[witness.reach.verdict]
    ax.scatter([x], [y], [z], color=color, s=40, depthshade=False, zorder=9)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_major_locator(MaxNLocator(3))
    _numbered((ax.xaxis, ax.yaxis, ax.zaxis), say)
    sides = np.ptp([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()], axis=1)
    ax.set_box_aspect(sides, zoom=0.86)  # the numbers stay within the picture
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    return buffer.getvalue()
