"""The base mesh fitted to a person's dimensions, standing with the arms as the mesh holds them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from importlib.resources import files
from typing import Any

import numpy as np

from handik import _core
from handik.people.dimensions import Dimensions, dimensions
from handik.people.skeleton import joint_centers
from handik.people.skeleton._centers import sitting
from handik.people.skeleton._landmarks import olecranon_below
from handik.people.surface._cuts import LEG, TRUNK, Cuts
from handik.people.surface._data import Floats, Ints, Mesh, mesh
from handik.people.surface._density import density
from handik.people.surface._digits import relaxed
from handik.people.surface._limb import ALONG, Limb, limb_of
from handik.people.surface._olecranon import olecranons
from handik.people.surface._place import (
    SIDES,
    Arm,
    Levels,
    arm_of,
    levels,
    shares_of,
)
from handik.people.surface._profile import Wanted, heights_between
from handik.people.surface._regions import (
    ARM,
    below_neck,
    crotch,
    foot,
    foot_moved,
    foot_turn,
    inner,
    regions,
)
from handik.people.surface._resting import Resting
from handik.people.surface._tape import Read, volume

__all__ = ["Fit", "fit"]

#: Relaxed girth over that of the flexed arm. [assumption]
RELAXED = {"biceps": 0.93, "forearm": 0.96}
#: Least and most that girths between tapes differ from the mesh's own for the sake of volume.
FULLEST = (-0.1, 0.3)
#: Most that the trunk about the shoulders grows for it.
UPPER = 0.2
#: Most that radii between thigh and buttock grow for it.
HIPS = 0.02
#: By how much fuller corners lengthen a girth, its own breadth and depth kept.
SQUARER = 0.14
#: Least and most of the shape of a larger muscle of the back [assumption], and by what share of a
#: chest's girth the whole of it lengthens that.
BACK, LATERAL, TAPER = (0.0, 2.0), 0.06, 0.08
#: Most that a chest whose girth finds no room is deeper than the tape has it, meters. [assumption]
DEEPER = 0.008
#: How much broader than the hips the thighs may be below them, as a share. [assumption]
THIGHS = 1.04
#: Least and most that a ring is filled out at its corners where its girth asks for it.
CORNERS = {"waist": (-0.15, 0.35), "chest": (-0.2, 0.2), "head": (0.0, 0.2)}
#: Least height of the neck's tape over the shoulders' joints, meters. [assumption]
NECK = 0.05
ROUNDS = 12
#: Tapes that the survey lays where they are shortest or longest, and where that is looked for:
#: shares of the way from ankle to knee.
SOUGHT: dict[str, tuple[Callable[[list[float]], float], Floats]] = {
    "ankle": (min, np.array([0.07, 0.085, 0.095, 0.105, 0.115, 0.125, 0.14, 0.17])),
    "calf": (max, np.arange(0.41, 0.72, 0.03).round(2)),
}
#: Of the heaviest shape the mesh has, the share that is used: beyond it the waist folds.
HEAVIEST = 0.5
#: Shapes that are compared, by muscle and by weight, and how much more of squared logarithms one
#: misses that counts e times less: the least alone would change by a step, and the skin by 57 mm.
SHAPES, BLUR = 41, 1e-3


@dataclass(eq=False)
class Fit:
    """A person's mesh, standing.

    Attributes
    ----------
    vertices : ndarray (n, 3)
    arms : dict of str to Arm
    shape : (float, float)
        Muscle and weight, -1 to 1.
    resting : Resting
        The arms, as the tape finds them.
    tape : callable
        From vertices to girths, breadths and depths by the names of dimensions, meters, and volume.
    """

    vertices: Floats
    arms: dict[str, Arm]
    shape: tuple[float, float]
    at: dict[str, Floats]
    resting: Resting
    tape: Callable[[Floats], dict[str, float]]

    @property
    def measured(self) -> dict[str, float]:
        """What the tape reads on the vertices."""
        return self.tape(self.vertices)

    @cached_property
    def curl(self) -> dict[str, Floats]:
        """How the bones of resting digits lie, from where the mesh has them."""
        return {k: v for side, arm in self.arms.items() for k, v in relaxed(arm, side).items()}


@dataclass(frozen=True, eq=False)
class _Rings:
    """What of the vertices that are not all an arm's no round changes.

    Attributes
    ----------
    vertices : ndarray (n, 9)
        The shape and what a larger muscle of the back adds, x and y of each; the share of a leg and
        the line of the shape's leg; from 0, the trunk alone, to 1, a leg alone; how much fullness
        of the trunk and of the hips counts.
    levels : tuple of Levels
        Of the shift forward, a leg's line, the trunk, the legs, and between the tapes of both.
    """

    vertices: Floats
    levels: tuple[Levels, ...]

    @cached_property
    def below(self) -> Ints:
        """The level below each vertex, (levels, n)."""
        return np.stack([k.below for k in self.levels])

    @cached_property
    def weight(self) -> Floats:
        """Its weights there, (levels, n, 4)."""
        return np.stack([k.weight for k in self.levels])


#: What each of `_Rings.levels` has, of the values of a `_Work`.
_FIELDS = (
    ("x",),
    ("line",),
    ("center", "corner", "depth", "breadth", "back"),
    ("leg_center", "leg", "wide"),
    ("full", "ahead"),
    ("full",),
)


@dataclass(eq=False)
class _Work:
    """What the rounds of a fit share."""

    mesh: Mesh
    d: Dimensions
    at: Mapping[str, Floats]
    start: Floats
    joints: dict[str, Floats]
    z: dict[str, float]  # of the levels
    heights: Floats  # of the vertices
    arms: dict[str, Arm]
    scale: float
    rows: Ints  # the vertices that are not all an arm's
    rings: _Rings
    wanted: tuple[Wanted, Wanted]
    resting: Resting
    cuts: Cuts
    feet: list[tuple[float, float, float]] = field(default_factory=list)
    values: dict[str, dict[str, float]] = field(default_factory=dict)
    fullness: float = 0.0
    limbs: dict[str, Limb] = field(default_factory=dict)
    sought: dict[str, list[str]] = field(default_factory=dict)


def _heights(d: Mapping[str, float], at: Mapping[str, Floats], *ends: float) -> dict[str, float]:
    """Return where the tapes lie; `ends` are crotch and shoulders."""
    knee, ankle, hip = (at[f"{k}_left"][2] for k in ("knee", "ankle", "hip"))
    menton = at["eye"][2] - 0.95 * d["menton_sellion_length"]
    neck = max(menton - 0.03, at["shoulder_left"][2] + NECK, ends[1])
    return {
        "ankle": ankle + 0.12 * (knee - ankle),
        "calf": ankle + 0.62 * (knee - ankle),
        "lower_thigh": knee + 0.06 * (hip - knee),
        "thigh": min(d["crotch_height"], ends[0]) - 0.012,
        "buttock": d["buttock_height"],
        "waist": d["waist_height_omphalion"],
        "chest": d["chest_height"],
        "shoulder": at["shoulder_left"][2],
        "neck": neck,
        "chin": max(menton + 0.02, neck + 0.02),
        "head": at["eye"][2] + 0.04,
    }


def _vertices(w: _Work, whole: bool = True) -> Floats:
    """Return the mesh with the present values; not whole: no arms, feet as the legs have them."""
    value, r = w.values, w.rings
    nodes = tuple(
        k.nodes(*(value[name] for name in names))
        for k, names in zip(r.levels, _FIELDS, strict=True)
    )
    fullness = min(w.fullness, UPPER), min(w.fullness, HIPS)
    numbers = (w.scale, value["back"]["chest"], *fullness, TAPER, w.d["chest_depth"] / 2)
    feet, limbs = (_feet(w), _limbs(w)) if whole else ((), ())
    of_rings = r.vertices, r.below, r.weight, nodes, numbers
    return _core._whole(*of_rings, w.rows, w.heights, feet, limbs)


def _feet(w: _Work) -> tuple[Any, ...]:
    """Return what turns the feet straight ahead and brings them to length and breadth."""
    return tuple(
        (*foot(side)[:2], np.r_[w.at[f"ankle_{side}"][:2], foot_turn(by).ravel()])
        for side, by in zip(SIDES, w.feet, strict=False)
    )


def _limbs(w: _Work) -> tuple[Any, ...]:
    """Return what the arms add to the vertices."""
    if not w.limbs:
        for i, side in enumerate(SIDES):
            shares = (regions(name)[i] for name in ARM)
            w.limbs[side] = limb_of(w.start, w.arms[side], *shares)
    numbers = (w.scale, *(w.values["arm"][name] for name in ALONG))
    return tuple((limb.rows, limb.vertices, numbers) for limb in w.limbs.values())


def _reads(w: _Work, v: Floats) -> dict[str, Read]:
    """Read all cuts."""
    between = [name for curve in w.wanted for name in curve.curve]
    sought = [name for names in w.sought.values() for name in names]
    rings = w.cuts.read(v, (*LEG, *TRUNK, *ALONG, *between, *sought), ("ribs", "knee"))
    for tape, names in w.sought.items():  # each is as long as where it is longest or shortest
        girths = [rings[name].girth for name in names]
        rings[tape] = rings[tape]._replace(girth=SOUGHT[tape][0](girths))
    return rings


def _named(w: _Work, rings: Mapping[str, Read]) -> dict[str, float]:
    """Return what is read on all cuts by the names of dimensions."""
    out = {}
    for name in (*LEG, *TRUNK):
        ring = rings[name]
        out[f"{name}_circumference"] = ring.girth
        if name not in LEG and ring.points:
            out[f"{name}_depth"], out[f"{name}_breadth"] = ring.wide
    out["chest_breadth_with_back"] = out["chest_breadth"]
    out["chest_breadth"] = rings["ribs"].wide[1]
    for name in ALONG:
        out[f"{name}_circumference"] = rings[name].girth
    for curve in w.wanted:
        for name in curve.curve:
            deep, broad = rings[name].wide
            out |= {name: rings[name].girth, f"{name}_breadth": broad, f"{name}_depth": deep}
    return out


def _measure(w: _Work, v: Floats) -> dict[str, float]:
    """Return what the tape reads on the mesh, by the names of dimensions."""
    return _named(w, _reads(w, v)) | {"volume": w.resting.volume(v)}


def _wanted(d: Dimensions) -> dict[str, float]:
    """Return what the tape is to read."""
    own = ("ankle", "calf", "lower_thigh", "thigh", "buttock", "waist", "chest", "neck", "head")
    out = {f"{k}_circumference": d[f"{k}_circumference"] for k in (*own, "wrist")}
    for name, share in RELAXED.items():
        out[f"{name}_circumference"] = share * d[f"{name}_circumference_flexed"]
    for name in ("waist", "chest"):
        out[f"{name}_breadth"], out[f"{name}_depth"] = d[f"{name}_breadth"], d[f"{name}_depth"]
    out["buttock_breadth"], out["buttock_depth"] = d["hip_breadth"], d["buttock_depth"]
    out["head_breadth"], out["head_depth"] = d["head_breadth"], d["head_length"]
    out["volume"] = d["weight"] / density(d)
    return out


def _hump(x: Floats, low: float, high: float) -> Floats:
    """Return 1 midway between two heights and 0 from each on, smooth."""
    t = np.clip(1 - np.abs(2 * (x - low) / (high - low) - 1), 0, 1)
    return np.asarray(t * t * (3 - 2 * t))


def _begin(d: Dimensions, at: dict[str, Floats], shape: tuple[float, float]) -> _Work:
    """Place a shape of the mesh; the tape has not been there yet."""
    m = mesh()
    v, joints = m.shaped(d.sex, *shape)
    heights = levels(m, v, joints, at, d)
    scale = d["stature"] / float(np.ptp(v[: m.skin, 2]))
    z = _heights(d, at, float(heights[crotch()].min()), float(heights[below_neck()].max()))
    j = {k: joints[f"l-{k}"] for k in ("ankle", "knee", "upper-leg", "shoulder")}
    hip, knee, ankle = (at[f"{k}_left"] for k in ("hip", "knee", "ankle"))
    middle = {"ankle": ankle[2], "knee": knee[2], "buttock": z["buttock"]}
    middle |= {"shoulder": at["shoulder_left"][2], "head": at["C0_C1"][2]}
    line = {"ankle": ankle[2], "calf": z["calf"], "knee": knee[2]}
    line |= {"lower_thigh": z["lower_thigh"], "thigh": z["thigh"], "hip": hip[2]}
    rows = inner()
    height = heights[rows]
    own_line = scale * np.interp(
        height,
        [ankle[2], knee[2], hip[2]],
        [abs(j[k][1]) for k in ("ankle", "knee", "upper-leg")],
    )
    leg = np.maximum(*regions("leg"))[rows]
    t = np.clip((z["buttock"] - height) / (z["buttock"] - z["thigh"]), 0, 1)
    t = t * t * (3 - 2 * t) * np.clip(leg / 0.4, 0, 1)
    further = [heights_between(z, names) for names in (TRUNK, LEG)]
    curved = [{k: z[k] for k in TRUNK}, {k: z[k] for k in LEG}, *further]
    upper = shares_of(height, np.array([z[k] for k in ("chest", "shoulder", "neck")]))[:, 1]
    hips = _hump(height, z["thigh"], z["buttock"])
    rings = _Rings(
        np.column_stack([v[rows, :2], m.back[rows, :2], leg, own_line, t, upper, hips]),
        (
            *(Levels(k, height) for k in (middle, line)),
            *(Levels(k, height, True) for k in curved),
        ),
    )
    girths = _wanted(d)
    tapes = ("buttock", "waist", "chest")
    around, breadths, depths = (
        {k: girths[f"{k}_{of}"] for k in tapes} for of in ("circumference", "breadth", "depth")
    )
    w_trunk = Wanted(z, around, 0.0, breadths, depths)
    w_legs = Wanted(z, {k: girths[f"{k}_circumference"] for k in LEG})
    sought = {
        tape: {f"{tape}-{share}": ankle[2] + share * (knee[2] - ankle[2]) for share in shares}
        for tape, (_, shares) in SOUGHT.items()
    }
    z |= further[0] | further[1] | sought["ankle"] | sought["calf"] | {"ribs": z["chest"]}
    arms = {side: arm_of(side, v, joints, at, d, 0.0) for side in SIDES}
    resting = Resting(d, at, arms["left"], heights)
    w = _Work(
        m,
        d,
        at,
        v,
        joints,
        z,
        heights,
        arms,
        scale,
        rows,
        rings,
        (w_trunk, w_legs),
        resting,
        Cuts(z | {"knee": float(knee[2])}, arms["left"], resting),
    )
    shift = {
        "ankle": ankle[0] - scale * j["ankle"][0],
        "knee": knee[0] - scale * j["knee"][0],
        "buttock": hip[0] - scale * j["upper-leg"][0],
        "shoulder": at["shoulder_left"][0] - scale * j["shoulder"][0],
        "head": at["C0_C1"][0] - scale * joints["head"][0],
    }
    out = scale * abs(j["upper-leg"][1])
    y = {
        k: hip[1] + (out - hip[1]) * max(0.0, (line[k] - knee[2]) / (hip[2] - knee[2]))
        for k in line
    }
    chest = {"female": 0.02, "male": 0.07}[d.sex]
    w.values = {
        "x": shift,
        "line": y,
        "leg": dict.fromkeys(LEG, 1.0),
        "wide": dict.fromkeys(LEG, 1.0),
        "full": dict.fromkeys((*further[0], *further[1]), 1.0),
        "ahead": dict.fromkeys(further[0], 1.0),
        "depth": dict.fromkeys(TRUNK, 1.0),
        "breadth": dict.fromkeys(TRUNK, 1.0),
        "corner": dict.fromkeys(TRUNK, 0.0) | {"chest": chest, "head": 0.03},
        "center": dict.fromkeys(TRUNK, 0.0),
        "leg_center": dict.fromkeys(LEG, 0.0),
        "arm": dict.fromkeys(ALONG, 1.0),
        "back": dict.fromkeys(TRUNK, 0.0),
    }
    w.sought = {tape: list(at_heights) for tape, at_heights in sought.items()}
    return w


def _settle(w: _Work) -> None:
    """Take feet and the middles of the rings, once the mesh lies where it is to stay."""
    v = _vertices(w, whole=False)
    _set_feet(w, v)
    rings = w.cuts.read(v, (), (*LEG, *TRUNK))
    for names, key in ((LEG, "leg_center"), (TRUNK, "center")):
        for name in names:
            ring = rings[name]
            w.values[key][name] = (ring.low[0] + ring.high[0]) / 2


def _set_feet(w: _Work, v: Floats) -> None:
    """Find what brings the feet, as the legs leave them, to length and breadth."""
    w.feet = []
    for side, (letter, _) in SIDES.items():
        rows, share, own = foot(side)
        off = v[rows[own], :2] - w.at[f"ankle_{side}"][:2]
        ahead = w.joints[f"{letter}-foot-1"] - w.joints[f"{letter}-ankle"]
        turn = -float(np.arctan2(ahead[1], ahead[0]))
        long = wide = 1.0
        for _ in range(3):  # the ankle's skin goes with the foot only in part
            moved = foot_moved(off, share[own], (turn, long, wide))
            long *= w.d["foot_length"] / float(np.ptp(moved[:, 0]))
            wide *= w.d["foot_breadth_horizontal"] / float(np.ptp(moved[:, 1]))
        w.feet.append((turn, long, wide))


def _girths_round(
    w: _Work, got: Mapping[str, float], want: Mapping[str, float], last: bool
) -> None:
    """Take the values of all rings one step on; in the last rounds a chest keeps its corners."""
    values = w.values
    for name in LEG:
        key = f"{name}_circumference"
        values["leg"][name] *= want[key] / got[key]
    for name in ALONG:
        key = f"{name}_circumference"
        values["arm"][name] *= want[key] / got[key]
    for name in TRUNK:
        c = f"{name}_circumference"
        if c not in want:
            continue
        if name == "chest":
            _chest_round(w, got, want, last)
            continue
        ratio = want[c] / got[c]
        b, t = f"{name}_breadth", f"{name}_depth"
        if name == "neck":
            values["breadth"][name] *= ratio
            values["depth"][name] *= ratio
            continue
        kb, kd = want[b] / got[b], want[t] / got[t]
        share = (kb * want[b] + kd * want[t]) / (want[b] + want[t])
        low, high = CORNERS.get(name, CORNERS["waist"])
        before = values["corner"][name]
        corner = before + 1.2 * (ratio - share)
        values["corner"][name] = min(max(corner, low), high)
        if name == "head":
            even = (kb / kd) ** 0.25
            step = share if low <= corner <= high else ratio
            values["breadth"][name] *= step * even
            values["depth"][name] *= step / even
        else:
            rest = ratio / share if corner != values["corner"][name] else 1.0
            values["breadth"][name] *= kb * rest
            values["depth"][name] *= kd * rest
    for curve in w.wanted:
        for name in curve.curve:
            read = (got[name], got[f"{name}_breadth"], got[f"{name}_depth"])
            now = values["full"][name], values["ahead"].get(name, 1.0)
            values["full"][name], ahead = curve.factors(name, read, *now, w.fullness)
            if name in values["ahead"]:
                values["ahead"][name] = ahead
    values["breadth"]["chin"] = values["breadth"]["head"]
    values["depth"]["chin"] = values["depth"]["head"]
    values["depth"]["shoulder"] = (values["depth"]["chest"] + values["depth"]["neck"]) / 2


def _chest_round(w: _Work, got: Mapping[str, float], want: Mapping[str, float], last: bool) -> None:
    """Take the values of the chest one step on.

    The calliper lies on the ribs before the muscle of the back, the tape goes round both: what the
    girth lacks that breadth and depth do not bring is the muscle's, then that of the corners. Where
    neither has room the girth is kept, and the breadth is what it comes to.
    """
    values, girth, depth = w.values, got["chest_circumference"], got["chest_depth"]
    across = got["chest_breadth_with_back"]
    wider = want["chest_breadth"] / got["chest_breadth"] - 1
    deeper = want["chest_depth"] / depth - 1
    more = want["chest_circumference"] / girth - 1  # each as a share
    lack = more - (wider * across + deeper * depth) / (across + depth)
    before = values["back"]["chest"], values["corner"]["chest"]
    back = float(np.clip(before[0] + 0.7 * lack / LATERAL, *BACK))
    lack -= LATERAL * (back - before[0])
    gain = 1.2 if BACK[0] < back < BACK[1] else 0.35 / SQUARER  # alone it has to bring all of it
    corner = before[1] if last else float(np.clip(before[1] + gain * lack, *CORNERS["chest"]))
    values["back"]["chest"], values["corner"]["chest"] = back, corner
    low, high = CORNERS["chest"]
    roomy = BACK[0] < back < BACK[1] or (not last and low < corner < high)
    if not roomy:
        over = max(got["chest_breadth"] + depth - want["chest_breadth"] - want["chest_depth"], 0.0)
        deeper = (want["chest_depth"] + min(0.1 * over, DEEPER)) / depth - 1
        taken = LATERAL * (back - before[0]) + SQUARER * (corner - before[1])
        wider = ((more - taken) * (across + depth) - deeper * depth) / across
    values["breadth"]["chest"] *= 1 + min(max(wider, -0.1), 0.1)
    values["depth"]["chest"] *= 1 + deeper


def _apart(w: _Work, rings: Mapping[str, Read]) -> None:
    """Keep the legs on their sides of the middle, and the thighs below the hips, not beside."""
    ring = rings["thigh"]
    if ring.points:
        room = THIGHS * w.d["hip_breadth"] / 2 - 0.002
        wide = w.values["wide"]["thigh"] * room / ring.wide[1]
        w.values["wide"]["thigh"] = min(max(wide, 0.7), 1.0)
    for name in ("calf", "lower_thigh", "thigh"):
        ring = rings[name]
        if ring.points:
            gap = ring.low[1] - 0.002
            least = w.at["hip_left"][1] if name != "thigh" else 0.0
            w.values["line"][name] = max(w.values["line"][name] - gap, least)
    w.values["line"]["knee"] = (w.values["line"]["lower_thigh"] + w.at["hip_left"][1]) / 2


def _flesh(w: _Work, rings: Mapping[str, Read]) -> None:
    """Bring buttocks behind the hips and kneecaps before the knees as far as the tape has them."""
    sit = sitting(w.d)
    rear = rings["buttock"].low[0]
    w.values["x"]["buttock"] += float(w.at["hip_left"][0] - sit.buttock_behind_hip - rear)
    knee = w.at["knee_left"]
    front = rings["knee"].high[0]
    w.values["x"]["knee"] += float(knee[0] + np.clip(sit.knee_front, 0.048, 0.072) - front)


def _shape(d: Dimensions) -> tuple[float, float]:
    """Return the muscle and weight whose girths are nearest before the tape pulls at them.

    It is the mean of shapes by how near they are, which changes smoothly with the dimensions.
    """
    names, table, stature = _table(d.sex)
    grid = np.linspace(-1, 1, SHAPES)
    three = np.stack([np.maximum(-grid, 0), 1 - abs(grid), np.maximum(grid, 0)], 1)
    size = stature / d["stature"]
    want = _wanted(d)
    miss = np.zeros((SHAPES, SHAPES))
    for k, name in enumerate(names):
        power = 3 if name == "volume" else 1
        read = three @ table[:, k].reshape(3, 3) @ three.T
        weight = 3.0 if name == "volume" else 1.0
        miss += weight * np.log(read / (want[name] * size**power)) ** 2
    miss[:, grid > HEAVIEST + 1e-9] = np.inf
    near = np.exp((miss.min() - miss) / BLUR)
    near /= near.sum()
    return float(near.sum(1) @ grid), float(near.sum(0) @ grid)


def shape_rows(sex: str) -> list[dict[str, float]]:
    """Return what the tape reads on the nine shapes brought to the lengths of the median person."""
    d = dimensions(sex, percentile=50)
    at = joint_centers(d, "standing")
    names = [k for k in _wanted(d) if k.endswith("circumference") and k[:4] != "head"] + ["volume"]
    rows = []
    for muscle in (-1.0, 0.0, 1.0):
        for weight in (-1.0, 0.0, 1.0):
            w = _begin(d, at, (muscle, weight))
            _settle(w)
            got = _measure(w, _vertices(w))
            rows.append({"muscle": muscle, "weight": weight, "stature": d["stature"]})
            rows[-1] |= {k: got[k] for k in names}
    return rows


@cache
def _table(sex: str) -> tuple[list[str], Floats, float]:
    """Return the names, the rows and the stature of `shape_rows`, from the shipped table."""
    path = files("handik.data") / "people" / "body_shapes.csv"
    rows = [
        row for row in csv.DictReader(path.read_text("utf-8").splitlines()) if row["sex"] == sex
    ]
    names = [k for k in rows[0] if k not in ("sex", "muscle", "weight", "stature")]
    return names, np.array([[float(r[k]) for k in names] for r in rows]), float(rows[0]["stature"])


def fit(d: Dimensions) -> Fit:
    """Return the mesh of a person."""
    at = joint_centers(d, "standing")
    shape = _shape(d)
    w = _begin(d, at, shape)
    cuts = w.cuts
    w.cuts = cuts.near(w.heights)
    want = _wanted(d)
    kept = 1.0
    for turn in range(ROUNDS):
        if turn in (0, 2):
            _settle(w)
        if turn in (4, ROUNDS - 3):
            _set_feet(w, _vertices(w, whole=False))  # the ankle's skin goes with them
        v = _vertices(w)
        rings = _reads(w, v)
        got = _named(w, rings)
        last = turn >= ROUNDS - 4
        _girths_round(w, got, want, last)
        if not last:
            _apart(w, rings)
        _flesh(w, rings)
        now = volume(v, w.mesh.skin_faces)
        if turn in (0, ROUNDS // 2):
            kept = w.resting.volume(v) / now  # what resting arms leave changes little by the rounds
        more = w.fullness + 1.2 * (want["volume"] / (kept * now) - 1)
        w.fullness = float(np.clip(more, *FULLEST))
    _set_feet(w, _vertices(w, whole=False))
    low = olecranon_below(d, d["acromial_height"] - at["elbow_left"][2])
    v = olecranons(_vertices(w), w.arms, low)
    w.cuts = cuts  # the tape is for any vertices from here on
    return Fit(v, w.arms, shape, at, w.resting, partial(_measure, w))
