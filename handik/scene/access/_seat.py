"""A person in a wheelchair: as high as its seat, and its parts beside the body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import ceil, inf, radians

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.people import Human, Population
from handik.people._seat_heights import mean_seat_height
from handik.problem.terms import Capsule
from handik.scene.access.chairs import ON_FOOT, Chair
from handik.scene.access.chairs import chair as chair_of_size
from handik.scene.check import Figure, as_figure
from handik.scene.check._cover import capsules_of_shape
from handik.scene.check._enclose import capsules_of_human
from handik.scene.check._flesh import segments
from handik.scene.shapes import Box, Cylinder, Shape, Sphere
from handik.scene.shapes import Capsule as Rod
from handik.spec._given import choice, finite_number, of_class

__all__ = [
    *("Part", "axle_of", "drawn", "idle_arms_off", "in_chair", "of_population", "seat"),
    *("seat_height_of", "seated_in", "toes_of", "usual_joystick"),
]

Array = NDArray[np.float64]
#: Two ends and a radius.
Piece = tuple[Array, Array, float]

#: Meters, all assumed: between hips and side guard; half the thickness of guard, pad and foot rest;
#: a pad's breadth; between arm and pad; how far a pad begins behind the elbow and ends before it.
BESIDE, THIN, PAD, UNDER, BEHIND, BEFORE = 0.015, 0.015, 0.05, 0.004, 0.05, 0.17
#: Height, length and width of the box of a joystick, before the pad and under the hand. Assumed.
BOX = (0.06, 0.12, 0.06)
#: From where to where above the seat the back rest is, and how thick. Assumed.
BACK, BACK_THICK = (0.10, 0.40), 0.04
#: Radius of driven wheels of a manual chair and of others, their width, how far their middle is
#: outside the pads, and how far they end above the floor, where nothing is compared. Assumed.
WHEEL, WHEEL_WIDE, OUTSIDE, OFF = (0.30, 0.17), 0.03, 0.03, 0.02
#: A scooter's column: how far short of the toes it stands, how much nearer its handle is (before
#: hands and belly at rest in any case), how high above the seat, half as wide, and its radius.
#: Assumed.
COLUMN = (0.05, 0.15, 0.25, 0.22, 0.025)
#: Drawn alone, compared with nothing, all assumed: how thick the cushion is and how far it ends
#: before the fold of the knee; radius of casters and of a scooter's wheels, how far casters are
#: from the axle, and how far from the toes at least.
CUSHION, SHORT, CASTER, ROLLS, APART, CLEAR = 0.05, 0.05, 0.09, 0.13, 0.45, 0.30
#: Of the cushion's sides, those of the box of motors and batteries under it.
FRAME = 0.7
#: Colors of parts by the beginnings of their names.
COLORS = {
    **dict.fromkeys(("wheel", "caster"), "#26282c"),
    **dict.fromkeys(("seat", "back_rest", "arm_rest"), "#3a3d44"),
    "": "#55585f",
}
#: How far the elbows bend on arm rests.
BENT = radians(90)
#: Feet that are lower than this above the floor have no foot rest: it would stand in it. Meters.
ON_FLOOR = 2 * THIN + UNDER + 0.001
_SIDES = {"right": -1.0, "left": 1.0}


def toes_of(person: Human) -> float:
    """Return how far a person at rest reaches before the place that its pose is of, meters."""
    home = person._at_origin or person
    body = as_figure(home).capsules
    far = 0.0
    for capsule in body[: len(body) - len(home._fixed)]:
        for end in _ends(home, home.rest, capsule):
            if end[2] < 0.5:  # legs and feet: arms move
                far = max(far, float(end[0]) + capsule.radius)
    return far


def in_chair(person: Human) -> bool:
    """Tell whether a person was put into a chair."""
    return bool((person._at_origin or person)._fixed)


def usual_joystick(chair: Chair) -> str:
    """Return the side of a chair's joystick where nothing is said: of those with motors."""
    return "none" if chair.kind in ("manual", "scooter") else "right"


def seat_height_of(person: Human) -> float:
    """Return how high the seat of who sits is, meters above the floor."""
    return float(person.dimensions["popliteal_height"]) + (person._at_origin or person)._lift


def seated_in(person: Human, chair: Chair) -> Human:
    """Return a person in a chair: as she sits in it already, or as `seat` puts her.

    Raises
    ------
    ArgumentError
        When she sits in another one.
    """
    if not in_chair(person):
        return seat(person, chair)
    own = (person._at_origin or person)._chair
    if own != chair:
        raise ArgumentError(f"approach= is {chair}, and the person sits in another: {own}")
    return person


def _ends(person: Human, q: Array, capsule: Capsule) -> list[Array]:
    pose = np.asarray(person.model.fk(q, frame=capsule.frame))
    return [pose[:3, :3] @ np.array(end) + pose[:3, 3] for end in (capsule.start, capsule.end)]


def axle_of(person: Human, chair: Chair) -> float:
    """Return how far the axle is before the person's place: the toes are at the front end."""
    return toes_of(person) - (chair.length - chair.axle)


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A chair about a person at the origin, whose thighs lie on the seat and feet on z = 0."""

    person: Human
    chair: Chair
    q: Array  # at rest in it
    lift: float  # the floor is at z = -lift
    joystick: str  # the side, or none

    @cached_property
    def bodies(self) -> dict[str, list[Piece]]:
        """The body by segments."""
        out: dict[str, list[Piece]] = {}
        part_of = segments(self.person.model)
        for capsule in capsules_of_human(self.person)[0]:
            a, b = _ends(self.person, self.q, capsule)
            out.setdefault(part_of[capsule.frame], []).append((a, b, capsule.radius))
        return out

    def lowest(self, *segments: str) -> float:
        """Return how low segments come; infinite without any."""
        pieces = [piece for name in segments for piece in self.bodies.get(name, [])]
        return min((min(a[2], b[2]) - radius for a, b, radius in pieces), default=inf)

    def front(self, low: float, high: float) -> float:
        """Return how far ahead the body comes between two heights."""
        pieces = [piece for some in self.bodies.values() for piece in some]
        there = [
            max(a[0], b[0]) + radius
            for a, b, radius in pieces
            if min(a[2], b[2]) - radius < high and max(a[2], b[2]) + radius > low
        ]
        return float(max(there, default=-inf))

    @property
    def high(self) -> float:
        return float(self.person.dimensions["popliteal_height"])

    @property
    def half(self) -> float:
        """Half of the room between the side guards."""
        return 0.5 * float(self.person.dimensions["hip_breadth_sitting"]) + BESIDE

    @property
    def behind(self) -> float:
        """Where the back ends."""
        return float(min(min(a[0], b[0]) - r for a, b, r in self.bodies["trunk"]))

    def parts(self) -> Iterator[tuple[str, Piece]]:
        for side in _SIDES:
            yield from self.beside(side)
            if self.chair.kind != "scooter":
                yield from self.wheel(side)
        back = self.behind - BACK_THICK / 2
        for z in np.arange(self.high + BACK[0], self.high + BACK[1], BACK_THICK):
            yield "back_rest", _across(back, float(z), self.half, BACK_THICK / 2)
        if self.lift > ON_FLOOR:
            feet = [*self.bodies.get("foot_right", []), *self.bodies.get("foot_left", [])]
            ends = [end for a, b, _ in feet for end in (a, b)]
            wide = max((abs(end[1]) for end in ends), default=0.0)
            for x in sorted({end[0] for end in ends}):
                yield "foot_rest", _across(float(x), -THIN - UNDER, float(wide), THIN)
        if self.chair.kind == "scooter":
            short, nearer, above, wide, radius = COLUMN
            x, z = toes_of(self.person) - short, self.high + above
            ahead = self.front(z - radius - UNDER, z + radius + UNDER) + radius + UNDER
            top = np.array([max(x - nearer, ahead), 0.0, z])
            yield "column", (np.array([x, 0.0, OFF + radius - self.lift]), top, radius)
            yield "handle", _across(float(top[0]), z, wide, radius)

    def beside(self, side: str) -> Iterator[tuple[str, Piece]]:
        """Return what is beside the person on one side: pad, guard and joystick."""
        sign = _SIDES[side]
        there = [f"elbow_{one}" for one in (side, *_SIDES)]  # of one arm, as of the other
        frame = next((name for name in there if name in self.person.model.frame_names), None)
        elbow = 0.0 if frame is None else float(self.person.model.fk(self.q, frame=frame)[0, 3])
        top = self.high + float(self.person.dimensions["elbow_rest_height"])
        top = min(top, self.lowest(f"forearm_{side}", f"upper_arm_{side}")) - UNDER
        back, front = elbow - BEHIND, elbow + BEFORE

        def along(y: float, z: float, start: float, end: float, radius: float) -> Piece:
            ends = np.array([[start + radius, sign * y, z], [end - radius, sign * y, z]])
            return ends[0], ends[1], radius

        for y in (self.half + THIN, self.half + PAD - THIN):
            yield f"arm_rest_{side}", along(y, top - THIN, back, front, THIN)
        middle = self.half + PAD / 2
        tall = top - self.high - 2 * THIN
        count = ceil(tall / (3 * THIN))  # no hand goes through, below the pad neither
        for k in range(count):
            z = self.high + THIN + k / count * tall
            yield f"side_guard_{side}", along(middle, z, back, front, THIN)
        if self.joystick == side:
            tall, long, wide = BOX
            top = min(top, self.lowest(f"hand_{side}") - UNDER)
            radius = wide / 4
            for y in (middle - radius, middle + radius):
                for z in (top - radius, top - tall + radius):
                    yield "joystick", along(y, z, front, front + long, radius)

    def wheel(self, side: str) -> Iterator[tuple[str, Piece]]:
        at, radius = self.wheel_at(side)
        for a, b, r in capsules_of_shape(Cylinder(WHEEL_WIDE, radius - OFF)):
            yield f"wheel_{side}", (at + a[[0, 2, 1]], at + b[[0, 2, 1]], r)  # its axis is across

    def wheel_at(self, side: str) -> tuple[Array, float]:
        """Return the middle of a driven wheel, and its radius."""
        radius = WHEEL[self.chair.kind != "manual"]
        y = _SIDES[side] * (self.half + PAD + OUTSIDE)
        return np.array([axle_of(self.person, self.chair), y, radius - self.lift]), radius

    def beyond(self) -> Iterator[tuple[str, Shape, Array]]:
        """Return what is drawn alone: cushion, motors, casters, a scooter's wheels."""
        long = float(self.person.dimensions["buttock_popliteal_length"]) - SHORT
        at = [self.behind + long / 2, 0.0, self.high - CUSHION / 2]
        yield "seat", Box([long, 2 * self.half, CUSHION]), _pose(np.array(at), np.eye(3))
        axle, toes = axle_of(self.person, self.chair), toes_of(self.person)
        if self.chair.kind == "scooter":
            rolls = [(axle, sign * self.half, ROLLS) for sign in _SIDES.values()]
            rolls.append((toes - COLUMN[0], 0.0, ROLLS))
        else:
            x = min(axle + APART, toes - CLEAR)
            if axle > x - CLEAR:  # driven by wheels in front
                x = axle - APART
            rolls = [(x, sign * (self.half + PAD / 2), CASTER) for sign in _SIDES.values()]
        tall = self.high + self.lift - CUSHION - CASTER
        if self.chair.kind != "manual" and tall > 0:
            size, z = [FRAME * long, 2 * FRAME * self.half, tall], CASTER - self.lift + tall / 2
            yield "frame", Box(size), _pose(np.array([at[0], 0.0, z]), np.eye(3))
        for x, y, radius in rolls:
            yield "caster", Cylinder(WHEEL_WIDE, radius), _rolling(x, y, radius - self.lift)


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a chair as it is drawn.

    Attributes
    ----------
    name : str
    shape : Shape
    pose : ndarray (4, 4)
        In the root of who sits in it, as `Human._fixed`.
    color : str
    """

    name: str
    shape: Shape
    pose: Array
    color: str


def drawn(person: Human) -> tuple[Part, ...]:
    """Return the chair that a person sits in as it is drawn; nothing of who sits in none.

    What is compared is as large as it is, wheels as discs, which
    their capsules overhang by up to 2 cm; cushion, motors, casters and a
    scooter's wheels, which are compared with nothing, are there besides.
    """
    return _drawn(person._at_origin or person)


@lru_cache(maxsize=32)
def _drawn(home: Human) -> tuple[Part, ...]:
    if not isinstance(home._chair, Chair):
        return ()
    bare = replace(home, _fixed=(), _lift=0.0, _chair=None)
    fitted = _Fitted(bare, home._chair, home.rest, home._lift, "none")
    found = [
        (name, *_rod(np.array(one.start), np.array(one.end), one.radius))
        for name, one in home._fixed
        if not name.startswith("wheel_")
    ]
    for side in _SIDES if home._chair.kind != "scooter" else ():
        at, radius = fitted.wheel_at(side)
        found.append((f"wheel_{side}", Cylinder(WHEEL_WIDE, radius), _rolling(*at.tolist())))
    return tuple(
        Part(*one, next(color for start, color in COLORS.items() if one[0].startswith(start)))
        for one in (*found, *fitted.beyond())
    )


def _pose(at: Array, turn: Array) -> Array:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = turn, at
    return out


def _rolling(x: float, y: float, z: float) -> Array:
    """Return the pose of a cylinder whose axis is across."""
    return _pose(np.array([x, y, z]), np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]))


def _rod(a: Array, b: Array, radius: float) -> tuple[Shape, Array]:
    """Return a capsule as a shape, which lies along z, and its pose."""
    long = float(np.linalg.norm(b - a))
    if long < 1e-9:
        return Sphere(radius), _pose((a + b) / 2, np.eye(3))
    z = (b - a) / long
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return Rod(long, radius), _pose((a + b) / 2, np.stack([x, np.cross(z, x), z], axis=1))


def _across(x: float, z: float, half: float, radius: float) -> Piece:
    return np.array([x, -half, z]), np.array([x, half, z]), radius


def _rest(person: Human) -> Array:
    """Return the posture at rest with forearms that lie ahead, on arm rests."""
    q, slices = person.rest.copy(), person.model.joint_q_slices
    for side in _SIDES:
        if f"elbow_flexion_{side}" in slices:
            q[slices[f"elbow_flexion_{side}"]] = BENT
    out = np.array(person.model.clip(q), float)
    out.flags.writeable = False
    return out


@lru_cache(maxsize=32)
def _off_the_chair(figure: Figure, sides: tuple[str, ...]) -> Figure:
    part_of, (first, last) = segments(figure.model), figure._around
    arms = {f"{part}_{side}" for part in ("upper_arm", "forearm", "hand") for side in sides}
    idle = np.array([part_of.get(c.frame, "") in arms for c in figure.capsules])
    chair = np.zeros(len(idle), bool)
    chair[first:last] = True
    a, b = figure._table[0].T
    return figure._less((idle[a] & chair[b]) | (chair[a] & idle[b]), "an idle arm, off the chair")


def idle_arms_off(figure: Figure, frames: tuple[str, ...]) -> Figure:
    """Return the figure of a verdict on some hands: an idle arm is not compared with the chair.

    It would be lifted off the arm rest as the trunk bends; its joints are not searched.
    """
    sides = tuple(s for s in _SIDES if not any(name.endswith(f"_{s}") for name in frames))
    if figure._around[0] == figure._around[1] or not sides:
        return figure
    return _off_the_chair(figure, sides)


def seat(
    person: Human,
    chair: Chair,
    *,
    seat_height: float | None = None,
    joystick: str | None = None,
) -> Human:
    """Put a person into a wheelchair.

    Parameters
    ----------
    person : Human
        Seated; somewhere, by `Human.with_base`.
    chair : Chair
        No walker, and no crutches.
    seat_height : float, optional
        Of the seat with the person on it, meters above the floor; by default the mean of a survey
        of users of manual or powered chairs, of the person's sex. A seat that is lower than the
        fold of the knee is taken as high as that.
    joystick : {"right", "left", "none"}, optional
        On which side its box is; by default on the right of a chair with motors, else none.

    Returns
    -------
    Human
        The same person, higher, at rest with the forearms on the arm rests, and with the chair's
        arm rests, side guards, back rest, foot rest, driven wheels and joystick, of a scooter with
        its column: no hand goes through them, and scenes compare them with what stands there.

    Raises
    ------
    TypeError
        When `person` or `chair` is none.
    ArgumentError
        When the person stands, the chair is none that is sat in, or a seat height is no number
        from 0.3 to 1 m.

    Notes
    -----
    **Assumed**: the sizes and places of all parts, which were not measured. The arm rests are as
    high as the elbows (or the arm lies on them), the seat is 3 cm broader than the hips, the toes
    are at the chair's front end. The wheels' lowest 2 cm are compared with nothing, casters and
    frame are not there, a joystick is its box without the stick. A scooter's seat is as high as a
    powered chair's.

    References
    ----------
    D'Souza et al. 2022, occupied seat height of the younger group.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female", stature=1.62)
    >>> inside = hk.access.seat(anna, hk.access.chair("rear"))
    >>> eye = [one.model.fk(one.rest, frame="eye")[2, 3] for one in (anna, inside)]
    >>> f"{eye[1] - eye[0]:.3f}"
    '0.138'
    """
    of_class("person", person, Human)
    of_class("chair", chair, Chair)
    if person.position != "seated":
        raise ArgumentError('a person who sits in a chair has position="seated"')
    if chair.kind in ON_FOOT:
        raise ArgumentError(f"nobody sits in {chair.kind}")
    powered = chair.kind != "manual"
    high = mean_seat_height("power" if powered else "manual", person.dimensions.sex)
    if seat_height is not None:
        high = finite_number("seat_height", seat_height)
        if not 0.3 <= high <= 1.0:
            raise ArgumentError(f"seat_height must be 0.3 to 1 m, got {high:g}")
    side = usual_joystick(chair) if joystick is None else joystick
    choice("joystick", side, ("right", "left", "none"))
    home = replace(person._at_origin or person, _fixed=(), _lift=0.0, _chair=None)
    q, lift = _rest(home), max(0.0, high - home.dimensions["popliteal_height"])
    fitted = _Fitted(home, chair, q, lift, side)
    root = home.model.spec.root
    fixed = [
        (name, Capsule(root, tuple(map(float, a)), tuple(map(float, b)), float(radius)))
        for name, (a, b, radius) in fitted.parts()
    ]
    slices = home.model.joint_q_slices
    elbows = [f"elbow_flexion_{side}" for side in _SIDES if f"elbow_flexion_{side}" in slices]
    down = {name: home._hanging[slices[name]].tolist() for name in elbows}
    within = replace(
        home,
        rest=q,
        _fixed=tuple(fixed),
        _lift=lift,
        _chair=chair,
        _arms_down={**home._arms_down, **down},
    )
    return within.with_base(person._place)


def of_population(
    people: Population, index: int, position: str, chair: Chair | None = None
) -> Human:
    """Return one of the people, who sits in the chair drawn for her, if any was, or in another.

    Raises
    ------
    ArgumentError
        When people in wheelchairs are to stand.
    """
    person = people.human(index, position=position)
    if people.chair is None:
        return person
    kind = "manual" if people.chair == "manual" else "rear"
    own = chair_of_size(kind) if chair is None else chair
    return seat(person, own, seat_height=float(people.seat_height[index]))
