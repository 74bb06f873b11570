"""Checks a certificate of a "no": the cells that a search has cut, each bounded again in NumPy.

Nothing here calls the bounds of the core. What is taken from the model are its placements, axes and
limits; what is taken from the certificate are hints: where to cut, and along which direction a cell
is parted from the target. A wrong hint can only make the check fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import UnsupportedError
from handik.scene.access._shoulder import Arm, Shoulder, bone_axes, dot, norm
from handik.scene.access._stood import stood, turned, unit

if TYPE_CHECKING:
    from handik.model import Model
    from handik.spec import JointSpec

__all__ = ["Chain", "check_tree", "wrist_point"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.integer[Any]]

#: How a cell of the search ended; see csrc/access/reach.h.
PLANE, DISTANCE, OUTSIDE = 100, 101, 102
#: Cells along an edge of the cube of directions; meters that a node of it may be too large.
SIDE, LOOSE = 24, 3e-4
#: Share of the lengths that rounding may take; rounds of halving; cells at most, and at once.
SLACK, ROUNDS, MANY, PART = 1e-9, 40, 400_000, 20_000
TRUE_TO = 1e-9


class Chain:
    """The way to a frame: hinges and slides, then a point or a shoulder with an arm."""

    def __init__(self, model: Model, frame: str, point: Array | None = None) -> None:
        joints, end = self._path(model, frame)
        joints = [stood(joint, model.spec) for joint in joints]
        if point is not None:  # in the frame's axes
            end = end.copy()
            end[:3, 3] += end[:3, :3] @ point
        self.joints: list[tuple[Array, Array, bool]] = []  # placement, axis, slides
        self.ranges: list[tuple[float, float]] = []
        self.shoulder: Shoulder | None = None
        self.point, rest = end[:3, 3], np.eye(4)
        balls = [k for k, joint in enumerate(joints) if joint.kind == "ball"]
        last = balls[0] if balls else len(joints)
        if len(balls) > 1:
            raise UnsupportedError("a chain with more than one ball has no certificate")
        slides: list[JointSpec] = []
        for joint in joints[:last]:
            if joint.mimic is not None and balls:
                slides.append(joint)
                if (
                    joint.kind != "prismatic"
                    or getattr(joint.mimic, "joint", "") != joints[last].name
                ):
                    raise UnsupportedError(
                        f"joint {joint.name!r} follows in a way no certificate knows"
                    )
            elif joint.kind == "fixed" and not slides:
                rest = rest @ joint.placement
            elif (
                joint.kind in ("revolute", "prismatic", "continuous")
                and joint.mimic is None
                and not slides
            ):
                self._add(model, joint, rest @ joint.placement)
                rest = np.eye(4)
            else:
                raise UnsupportedError(
                    f"joint {joint.name!r} is of a kind that no certificate knows"
                )
        self.tail = rest
        if balls:
            arm = _arm_of(model, joints[last + 1 :], end, bone_axes(joints[last]))
            self.shoulder = Shoulder(slides, joints[last], arm)
        else:
            self.point = (rest @ end)[:3, 3]
            self.tail = np.eye(4)
        self._pair()
        self._known: dict[tuple[int, int, int], float] = {}

    @staticmethod
    def _path(model: Model, frame: str) -> tuple[list[JointSpec], Array]:
        spec = model.spec
        above = {joint.child: joint for joint in spec.joints}
        end, link = np.eye(4), frame
        for one in spec.frames:
            if one.name == frame:
                end, link = np.asarray(one.placement, float), one.link
        out = []
        while link in above:
            out.append(above[link])
            link = above[link].parent
        return out[::-1], end

    def _add(self, model: Model, joint: JointSpec, place: Array) -> None:
        k = model.joint_q_slices[joint.name].start
        low, high = float(model.lower[k]), float(model.upper[k])
        slides = joint.kind == "prismatic"
        if not slides and (not np.isfinite(high - low) or high - low > 2 * np.pi):
            low, high = -np.pi, np.pi
        if not np.isfinite(high - low):
            raise UnsupportedError(f"joint {joint.name!r} slides without an end")
        self.joints.append((place, unit(np.asarray(joint.axis, float)), slides))
        self.ranges.append((low, high))

    def _pair(self) -> None:
        """Take the sum of the first two turns if their axes are parallel; sign 0: they are not."""
        self.sign = 0
        if (
            self.shoulder is None
            or len(self.joints) < 2
            or any(slides for *_, slides in self.joints)
        ):
            return
        if any(high - low >= 2 * np.pi for low, high in self.ranges):
            return
        (_, a, _), (place, b, _) = self.joints[:2]
        along = float((place[:3, :3] @ b) @ a)
        if abs(abs(along) - 1) < 1e-12:
            self.sign = 1 if along > 0 else -1

    # ---- cells ----

    def root(self) -> Array:
        """Return middle and half width of each variable."""
        low, high = np.array(self.ranges).reshape(-1, 2).T
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        half = half + 1e-12 * (1 + np.abs(middle) + half)
        if self.sign:
            middle[1] += self.sign * middle[0]
            half[1] += half[0]
        return np.stack([middle, half])

    def possible(self, cell: Array) -> NDArray[np.bool_]:
        """Tell which cells (n, 2, variables) hold a posture inside the limits."""
        if not self.sign:
            return np.ones(len(cell), bool)
        low, high = self.ranges[1]
        own = cell[:, 0, 1] - self.sign * cell[:, 0, 0]
        wide = cell[:, 1, 0] + cell[:, 1, 1] + 1e-9
        return np.asarray((own + wide >= low) & (own - wide <= high), bool)

    def place(self, middle: Array) -> dict[str, Array]:
        """Return axes, points on them, last poses, and of a pair the way of its crank."""
        n = len(middle)
        turn, at = np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3))
        axes, points, crank = [], [], np.zeros((n, 3))
        values = middle.copy()
        if self.sign:
            values[:, 1] = middle[:, 1] - self.sign * middle[:, 0]
        for k, (place, axis, slides) in enumerate(self.joints):
            if self.sign and k == 1:
                crank = turn @ place[:3, 3]
            at = at + turn @ place[:3, 3]
            turn = turn @ place[:3, :3]
            axes.append(turn @ axis)
            if slides:
                at = at + values[:, k : k + 1] * axes[-1]
            points.append(at)
            if not slides:
                turn = turn @ turned(axis, values[:, k])
        at = at + turn @ self.tail[:3, 3]
        turn = turn @ self.tail[:3, :3]
        shape = (n, len(self.joints), 3)
        return {
            "turn": turn,
            "at": at,
            "axis": np.stack(axes, 1) if axes else np.zeros(shape),
            "point": np.stack(points, 1) if points else np.zeros(shape),
            "crank": crank - dot(crank, axes[0])[:, None] * axes[0] if self.sign else crank,
        }

    def _turns(self) -> NDArray[np.bool_]:
        """Tell which variables turn what comes after them."""
        out = np.array([not slides for *_, slides in self.joints], bool)
        if self.sign:
            out[0] = False
        return out

    def loss(self, p: dict[str, Array], half: Array, target: Array) -> Array:
        """Return by how much the target may be nearer anywhere in the cells, by variable."""
        arms = norm(np.cross(p["axis"], target - p["point"]))
        out = half * np.where([not slides for *_, slides in self.joints], arms, 1.0)
        if self.sign:
            out[:, 0] = half[:, 0] * norm(p["crank"])
        return out

    def plane(self, cell: Array, target: Array, n: Array) -> tuple[Array, Array]:
        """Return by how much planes part the cells from the target, with shares by variable."""
        middle, half = cell[:, 0], cell[:, 1]
        p, turns = self.place(middle), self._turns()
        m = np.einsum("nij,ni->nj", p["turn"], n)
        if self.shoulder is None:
            tip = np.tile(self.point, (len(m), 1))
        else:
            tip = self.support(m)[1]
        tip = p["at"] + np.einsum("nij,nj->ni", p["turn"], tip)
        bound = dot(n, target - tip)
        off = tip[:, None] - p["point"]
        rate = np.where(
            turns, dot(n[:, None], np.cross(p["axis"], off)), dot(n[:, None], p["axis"])
        )
        if self.sign:
            rate[:, 0] = dot(n, np.cross(p["axis"][:, 0], p["crank"]))
        turn = np.where(turns, half, 0).sum(1)
        add, still, part = self._apart(p, n, m, tip, half, turns)
        share = self._gains(p, n, off, half, turns, np.abs(rate) + add[:, None] * part)
        share = (
            share
            + (add * still)[:, None] * np.where(turns, half, 0) / np.maximum(turn, 1e-300)[:, None]
        )
        return bound - share.sum(1), share

    def _gains(
        self, p: dict[str, Array], n: Array, off: Array, half: Array, turns: Bools, slope: Array
    ) -> Array:
        """Return what n . tip gains at most by each variable: slope, bend, and a third order."""
        size, axis = norm(np.cross(p["axis"], off)), p["axis"]
        k_all = len(self.joints)
        out = np.zeros_like(half)
        lever, later = np.zeros_like(half), np.zeros(len(half))
        for k in range(k_all - 1, -1, -1):
            lever[:, k] = np.where(turns[k], size[:, k] + later, 1.0)
            moved = half[:, k] * (norm(p["crank"]) if self.sign and k == 0 else lever[:, k])
            later = later + moved
        done = np.zeros(len(half))
        for k in range(k_all):
            x, bend = half[:, k], np.zeros(len(half))
            if self.sign and k == 0:
                radius, bend = norm(p["crank"]), -dot(n, p["crank"])
                third = radius * x**3 / 6
            elif not turns[k]:
                third = x * done  # a slide whose direction earlier turns move
            else:
                for j in range(k_all):
                    if not turns[j]:
                        continue
                    a, b = axis[:, min(j, k)], axis[:, max(j, k)]  # outer, inner
                    one = off[:, max(j, k)]
                    value = dot(n, b) * dot(a, one) - dot(n, one) * dot(a, b)
                    bend = bend + (value if j == k else np.abs(value))
                before, done = done, done + x
                third = lever[:, k] * (done**3 - before**3) / 6
            with np.errstate(divide="ignore", invalid="ignore"):
                best = np.where((bend < 0) & (slope[:, k] < -bend * x), slope[:, k] / -bend, x)
            out[:, k] = slope[:, k] * best + 0.5 * bend * best**2 + third
        return out

    def _apart(
        self, p: dict[str, Array], n: Array, m: Array, tip: Array, half: Array, turns: Bools
    ) -> tuple[Array, Array, Array]:
        """Return what the set below adds at most, its share without motion, and by variable."""
        zero = np.zeros(len(m))
        if self.shoulder is None:
            return zero, zero, np.zeros_like(half)
        square = 0.5 * np.where(turns, half, 0).sum(1) ** 2
        fits = square < 0.9
        square = np.where(fits, square, 0.0)
        axis = np.eye(3)[np.argmin(np.abs(m), axis=1)]
        e1 = np.cross(m, axis)
        e1 /= norm(e1)[:, None]
        e = np.stack([e1, np.cross(m, e1)], 1)
        side = np.einsum("nij,nkj->nki", p["turn"], e)
        rate = np.abs(np.einsum("nvi,nki->nvk", np.cross(n[:, None], p["axis"]), side))
        rate = np.where(turns[:, None], rate, 0)
        reach = np.einsum("nvk,nv->nk", rate, half)
        whole = np.maximum(reach + square[:, None], 1e-300)
        part = (rate / whole[:, None]).max(2)
        still = (square[:, None] / whole).max(1)
        add, inner = zero, np.einsum("nij,ni->nj", p["turn"], tip - p["at"])
        for i in (-1, 1):
            for j in (-1, 1):
                out = whole * np.array([i, j]) / (1 - square)[:, None]
                other = m + np.einsum("nk,nki->ni", out, e)
                add = np.maximum(add, self.support(other)[0] - dot(inner, other))
        return np.where(fits, add, np.inf), still, part

    # ---- what the arm reaches, as the trunk sees it ----

    def support(self, m: Array) -> tuple[Array, Array]:
        """Return numbers that m . x never passes, x where the arm may be, and their points."""
        a = np.argmax(np.abs(m), axis=1)
        rows = np.arange(len(m))
        size, side = np.abs(m[rows, a]), np.sign(m[rows, a])
        b, c = (a + 1) % 3, (a + 2) % 3
        s, t = m[rows, b] / size, m[rows, c] / size
        face = np.where(side < 0, a + 3, a)
        at = [0.5 * SIDE * (v + 1) for v in (s, t)]
        i, j = (np.clip(np.floor(v), 0, SIDE - 1).astype(int) for v in at)
        x, y = (np.clip(v - k, 0, 1) for v, k in zip(at, (i, j), strict=True))
        corners = [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)]
        h00, h10, h01, h11 = (self._nodes(face, p, q) for p, q in corners)
        value = (1 - x) * ((1 - y) * h00 + y * h01) + x * ((1 - y) * h10 + y * h11)
        point = np.zeros_like(m)
        point[rows, b] = 0.5 * SIDE * ((1 - y) * (h10 - h00) + y * (h11 - h01))
        point[rows, c] = 0.5 * SIDE * ((1 - x) * (h01 - h00) + x * (h11 - h10))
        point[rows, a] = side * (value - s * point[rows, b] - t * point[rows, c])
        return size * value, point

    def _nodes(self, face: Array, i: Array, j: Array) -> Array:
        keys = list(zip(face.tolist(), i.tolist(), j.tolist(), strict=True))
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        if new:
            f, p, q = np.array(new).T
            m = np.zeros((len(new), 3))
            rows = np.arange(len(new))
            m[rows, f % 3] = np.where(f < 3, 1.0, -1.0)
            m[rows, (f + 1) % 3], m[rows, (f + 2) % 3] = 2 * p / SIDE - 1, 2 * q / SIDE - 1
            self._known.update(zip(new, self._farthest(m).tolist(), strict=True))
        return np.array([self._known[key] for key in keys])

    def _farthest(self, m: Array) -> Array:
        """Return upper bounds of m . x, no more than LOOSE |m| too large where that can be had."""
        assert self.shoulder is not None
        s, length = self.shoulder, norm(m)
        n = (m / length[:, None]) @ s.turn
        best, left = np.full(len(m), -np.inf), np.full(len(m), -np.inf)
        of, tree = _roots(s, len(m))
        for turn in range(ROUNDS):
            if not len(of):
                break
            cells = s.cells(tree.sector, tree.place)
            bound, center = _by_parts(lambda c, k: s.most(c, n[k]), cells, tree.which, of)
            np.maximum.at(best, of, center)
            if turn == ROUNDS - 1 or len(of) > 10 * MANY:  # what is left counts as it is
                np.maximum.at(left, of, bound)
                break
            of, tree = tree.halved(s, of, bound > best[of] + LOOSE)
        return np.asarray(length * np.maximum(best + LOOSE, left) + m @ s.at, float)

    def farther(self, y: Array, far: Array) -> NDArray[np.bool_]:
        """Tell of which points, as the trunk sees them, the arm stays farther than that."""
        assert self.shoulder is not None
        s, good = self.shoulder, np.ones(len(y), bool)
        x = (y - s.at) @ s.turn
        of, tree = _roots(s, len(y))
        for _ in range(ROUNDS):
            if not len(of):
                return good
            if len(of) > MANY:
                break
            cells = s.cells(tree.sector, tree.place)
            least, middle = _by_parts(lambda c, k: s.least(c, x[k]), cells, tree.which, of)
            good[of[middle <= far[of]]] = False
            of, tree = tree.halved(s, of, (least <= far[of]) & good[of])
        good[of] = False
        return good


@dataclass(frozen=True)
class Cells:
    """Cells of the same depth, each once, and which of them each question is about."""

    sector: NDArray[np.intp]
    place: Array
    which: NDArray[np.intp]

    def halved(self, s: Shoulder, of: Ints, left: Bools) -> tuple[Ints, Cells]:
        """Return the halves of the cells that are left, along what moves the bone more."""
        of, (used, which) = of[left], np.unique(self.which[left], return_inverse=True)
        sector, place = self.sector[used], self.place[used]
        edge = s.edge(sector, place[:, 0], place[:, 2])
        swing, rows = place[:, 1] * edge[0], np.arange(len(used))
        by_phi = np.hypot(np.sin(swing) + 0.3, place[:, 1] * edge[1]) * place[:, 2]
        axis = (by_phi < edge[0] * place[:, 3]).astype(int)
        low, high, half = place.copy(), place.copy(), 0.5 * place[rows, 2 + axis]
        for one, sign in ((low, -1), (high, 1)):
            one[rows, axis] += sign * half
            one[rows, 2 + axis] = half
        cut = Cells(
            np.tile(sector, 2),
            np.concatenate([low, high]),
            np.concatenate([which, which + len(used)]),
        )
        return np.tile(of, 2), cut


def _roots(s: Shoulder, n: int) -> tuple[Ints, Cells]:
    sector, place = s.roots()
    return np.repeat(np.arange(n), len(sector)), Cells(sector, place, np.tile(sector, n))


def _by_parts(
    bound: Callable[[dict[str, Array], Ints], tuple[Array, Array]],
    cells: dict[str, Array],
    which: Ints,
    of: Ints,
) -> tuple[Array, Array]:
    """Return bounds and middles of many questions about few cells."""
    parts = [
        bound({k: v[which[i : i + PART]] for k, v in cells.items()}, of[i : i + PART])
        for i in range(0, len(of), PART)
    ]
    one, other = (np.concatenate(x) for x in zip(*parts, strict=True))
    return one, other


def _arm_of(model: Model, joints: list[JointSpec], end: Array, bone: Array) -> Arm:
    """Return the arm below a ball, as its swing sees it: an elbow, and turns about one point."""
    rest, at, axes, ranges = np.eye(4), [], [], []
    rest[:3, :3] = bone.T
    for joint in joints:
        rest = rest @ joint.placement
        if joint.kind == "fixed":
            continue
        if joint.kind != "revolute" or joint.mimic is not None:
            raise UnsupportedError(f"joint {joint.name!r} of the arm is no plain hinge")
        k = model.joint_q_slices[joint.name].start
        at.append(rest[:3, 3].copy())
        axes.append(rest[:3, :3] @ unit(np.asarray(joint.axis, float)))
        ranges.append((float(model.lower[k]), float(model.upper[k])))
    tip = (rest @ end)[:3, 3]
    if not axes or len(axes) > 4 or norm(at[0][:2]) > TRUE_TO or abs(axes[0][2]) > TRUE_TO:
        raise UnsupportedError("below the ball is no elbow whose axis is square to the bone")
    wrist = wrist_point(at, axes, tip)
    fore, hand = wrist - at[0], tip - wrist
    if abs(fore @ axes[0]) > TRUE_TO or norm(fore) < 1e-6 or at[0][2] < 0:
        raise UnsupportedError("the forearm is not square to the elbow's axis")
    up = np.array([0.0, 0, 1])
    ahead = np.cross(axes[0], up)
    zero = float(np.arctan2(fore @ ahead, fore @ up))
    low, high = zero + ranges[0][0], zero + ranges[0][1]
    if not -np.pi < low <= high < np.pi:
        raise UnsupportedError("the elbow turns by more than half a turn")
    azimuth, polar = float(np.arctan2(ahead[1], ahead[0])), []
    if high >= 0:
        polar.append((max(low, 0.0), high + 1e-12, azimuth))
    if low < 0:
        polar.append((max(-high, 0.0), -low + 1e-12, azimuth + np.pi))
    bent = _most_bent(fore, hand, axes[1:], ranges[1:]) if norm(hand) > 0 else 0.0
    return Arm(float(at[0][2]), float(norm(fore)), float(norm(hand)), bent, tuple(polar))


def wrist_point(at: list[Array], axes: list[Array], tip: Array) -> Array:
    """Return the point that all axes after the elbow's pass through."""
    if len(axes) == 1:
        return tip
    wrist = at[-1]
    if len(axes) == 2:
        wrist = wrist + ((tip - wrist) @ axes[1]) * axes[1]
    for one, axis in zip(at[1:], axes[1:], strict=True):
        if norm(np.cross(axis, wrist - one)) > TRUE_TO:
            raise UnsupportedError("the turns of the wrist have no common point")
    return wrist


def _most_bent(
    fore: Array, hand: Array, axes: list[Array], ranges: list[tuple[float, float]]
) -> float:
    """Return an angle that hand and forearm never pass: a grid of each turn, and half its cells."""
    first = 1 if len(axes) and norm(np.cross(axes[0], fore)) < TRUE_TO else 0  # the forearm's own
    axes, ranges = axes[first:], ranges[first:]
    places = (1, 4000, 200, 40)[len(axes)]
    v, slack = hand[None], 1e-9
    for axis, (low, high) in zip(axes[::-1], ranges[::-1], strict=True):
        step = (high - low) / places
        turn = turned(axis, low + step * (np.arange(places) + 0.5))
        v, slack = np.einsum("aij,nj->ani", turn, v).reshape(-1, 3), slack + 0.5 * step
    angle = np.arctan2(norm(np.cross(fore, v)), v @ fore)
    return float(min(angle.max() + slack, np.pi))


# ---- the tree ----

#: How often a cell that the hint does not close may be halved, and cells that may come of it.
DEEPER, MOST = 5, 50_000
#: Radians of half a last turn that is no more cut before a plane is looked at.
NARROW = 0.1


def leaves_of(chain: Chain, how: Ints) -> tuple[list[Array], list[int]] | None:
    """Return the cells in which the cuts end, and the lines that say how; None: it is no tree."""
    stack, cells, lines = [chain.root()], [], []
    variables = len(chain.joints)
    for line, code in enumerate(how.tolist()):
        if not stack:
            return None
        cell = stack.pop()
        if code in (PLANE, DISTANCE, OUTSIDE):
            cells.append(cell)
            lines.append(line)
            continue
        if not 0 <= code < variables:
            return None
        half = cell.copy()
        half[1, code] *= 0.5
        for sign in (1, -1):  # the lower half comes first, so it goes in last
            one = half.copy()
            one[0, code] += sign * half[1, code]
            stack.append(one)
    return None if stack else (cells, lines)


def _distance(chain: Chain, cell: Array, target: Array, far: float) -> tuple[Bools, Array]:
    """Tell which cells keep the frame farther by what each motion does at most, with shares."""
    p = chain.place(cell[:, 0])
    share = chain.loss(p, cell[:, 1], target)
    off = target - p["at"]
    y = np.einsum("nij,ni->nj", p["turn"], off)
    if chain.shoulder is None:
        return norm(y - chain.point) - share.sum(1) > far, share
    return chain.farther(y, far + share.sum(1)), share


def check_tree(chain: Chain, target: Array, far: float, how: Ints, normal: Array) -> bool:
    """Tell whether the frame stays farther from the target than that, whatever the joints do."""
    found = leaves_of(chain, how)
    if found is None or len(normal) != len(how):
        return False
    cell, codes = np.stack(found[0]), how[found[1]]
    n = normal[found[1]]
    plane = codes == PLANE
    if not (np.all(np.abs(n) <= 2) and np.all(np.abs(target) <= 1e6) and far <= 1e6):
        return False  # NaN too
    size = norm(n[plane])
    if np.any(np.abs(size - 1) > 1e-6):
        return False
    if np.any(chain.possible(cell[codes == OUTSIDE])):
        return False
    n[plane] /= size[:, None]
    slack = SLACK * (1 + float(norm(target)))
    for kind in (True, False):
        rows = np.flatnonzero(plane if kind else codes == DISTANCE)
        one, way = cell[rows], n[rows]
        if kind and chain.shoulder is not None:
            one, way = _sliced(one, way)
        deeper = DEEPER if chain.shoulder is None else 2 * DEEPER  # a plane's cells are wide there
        for turn in range(deeper + 1):
            one, way = one[chain.possible(one)], way[chain.possible(one)]
            if not len(one):
                break
            if turn == deeper or len(one) > MOST:
                return False
            if kind:
                bound, share = chain.plane(one, target, way)
                open_ = ~(bound > far + slack)
            else:
                closed, share = _distance(chain, one, target, far + slack)
                open_ = ~closed
            if open_.any() and not one.shape[2]:
                return False
            one, way = _cut(one[open_], way[open_], share[open_])
    return True


def _sliced(cell: Array, way: Array) -> tuple[Array, Array]:
    """Return cells whose last turn is cut until narrow: the search takes all of it at once."""
    while cell.shape[2] and len(cell) <= MOST:
        wide = cell[:, 1, -1] > NARROW
        if not wide.any():
            break
        share = np.zeros((int(wide.sum()), cell.shape[2]))
        share[:, -1] = 1.0
        half, along = _cut(cell[wide], way[wide], share)
        cell, way = np.concatenate([cell[~wide], half]), np.concatenate([way[~wide], along])
    return cell, way


def _cut(cell: Array, way: Array, share: Array) -> tuple[Array, Array]:
    """Return the halves of cells along their largest shares."""
    if not len(cell):
        return cell, way
    k, rows = np.argmax(share, axis=1), np.arange(len(cell))
    low, high = cell.copy(), cell.copy()
    half = 0.5 * cell[rows, 1, k]
    for one, sign in ((low, -1), (high, 1)):
        one[rows, 0, k] += sign * half
        one[rows, 1, k] = half
    return np.concatenate([low, high]), np.concatenate([way, way])
