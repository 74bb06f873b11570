"""A person as a figure: `human` makes it from what is known of the body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik._model import Model
from handik.errors import ArgumentError, UnsupportedError, name_not_found
from handik.people._tape import ON_SEAT, SKIN, Tape
from handik.people.dimensions import Dimensions, dimensions_of
from handik.people.impairments import Impaired, Profile, apply
from handik.people.skeleton._build import DETAILS, figure
from handik.people.skeleton._centers import POSITIONS, SIDES, joint_centers
from handik.people.skeleton._freedoms import Freedom, freedoms
from handik.people.skeleton._masses import INERTIAS
from handik.people.skeleton._own_rhythm import ShoulderRhythm
from handik.people.skeleton._ranges import SETS, Ranges
from handik.people.skeleton._segments import SegmentParameters
from handik.people.skeleton._shoulder import PARTS, ball_turned
from handik.spec._given import PoseLike, choice, finite_number, flag, no_degrees, placement_of

if TYPE_CHECKING:
    from handik.people.surface import BodyCapsule, BodySurface, PlainSurface
    from handik.problem.terms import Capsule

__all__ = ["Human", "human"]

Array = NDArray[np.float64]

_LIMITS = ("cone", "box")
_BODIES = ("fitted", "plain")


@dataclass(frozen=True, eq=False)
class Human:
    """A person: a figure to be posed, and the body it was made from.

    `human` makes it.

    Attributes
    ----------
    model : Model
        The figure. x forward, y left, z up, the floor at z = 0, x = y = 0 under the middle of the
        hips, unless `with_base` put the person elsewhere; a joint at zero is that of a person who
        stands with hanging arms, palms inward.
    dimensions : Dimensions
        All of the body's, each given, conditional or drawn.
    rest : ndarray (nq,)
        The posture of `position`, the straight arms as far aside as forearms and hands need to be
        beside hips and thighs: by the person's own girths, 5 to 19 degrees of nine people in ten,
        standing or seated. A shoulder ball's quaternion is counted from a raised arm.
    detail : tuple of str
    position : str
    limits : str
    ranges : str or Ranges
    rhythm : bool or ShoulderRhythm
    body : str
    inertia : str or SegmentParameters
        What the figure was made with; see `human`.
    impaired : Impaired or None
        What `profile` changed.
    spine_gain : dict of str to float
        Free hinge of the spine -> the sum over its region for one radian of the hinge itself.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female", stature=1.62)
    >>> anna.model.nv
    21
    >>> f"{anna.measure('sitting_height'):.3f}"
    '0.855'
    """

    model: Model
    dimensions: Dimensions
    rest: Array
    detail: tuple[str, ...]
    position: str
    limits: str
    ranges: str | Ranges
    rhythm: bool | ShoulderRhythm
    impaired: Impaired | None
    spine_gain: dict[str, float]
    body: str = "fitted"
    inertia: str | SegmentParameters = "de_leva"
    #: Joint -> coordinates where the arms hang straight down.
    _arms_down: Mapping[str, Sequence[float]] = field(default_factory=dict, repr=False)
    #: The same person at the origin, when `with_base` put this one elsewhere.
    _at_origin: Human | None = field(default=None, repr=False)
    #: What moves with the person's place and is compared with body and scene, as a chair's parts:
    #: names and capsules in the frame of the model's root.
    _fixed: tuple[tuple[str, Capsule], ...] = field(default=(), repr=False)
    #: Meters by which the person is above the floor that `with_base` puts her on, as on a seat that
    #: is higher than the fold of the knee.
    _lift: float = field(default=0.0, repr=False)
    #: The chair that `_fixed` are the parts of.
    _chair: object = field(default=None, repr=False)

    def __repr__(self) -> str:
        return (
            f"Human({self.dimensions.sex}, {self.dimensions['stature']:.3f} m, "
            f"{self.dimensions['weight']:.1f} kg, {'+'.join(self.detail)}, {self.position}, "
            f"{self.model.nv} degrees of freedom)"
        )

    @cached_property
    def freedoms(self) -> tuple[Freedom, ...]:
        """The degrees of freedom in order, each with its axis, range, sense and source."""
        changes = () if self.impaired is None else self.impaired.changes
        return freedoms(self.model, self.ranges, changes)

    @cached_property
    def surface(self) -> BodySurface | PlainSurface:
        """The skin, fitted to the dimensions when it is first asked for; call it with a posture."""
        from handik.people.surface import BodySurface, PlainSurface

        return PlainSurface(self) if self.body == "plain" else BodySurface(self)

    @cached_property
    def _hanging(self) -> Array:
        """The posture at rest with arms that hang straight down, as the survey measures them."""
        q = self.rest.copy()
        for joint, values in self._arms_down.items():
            if joint in self.model.joint_q_slices:
                q[self.model.joint_q_slices[joint]] = values
        return np.asarray(self.model.clip(q))

    def _sound(self) -> Human:
        """Return the same person at the origin, without the impairment."""
        if self.impaired is None:
            return self._at_origin or self
        return self._made_again()

    def _made_again(self, **changes: Any) -> Human:
        """Return the same person at the origin, made with something else; sound if not said."""
        return human(
            dimensions=self.dimensions,
            detail=self.detail,
            position=self.position,
            limits=self.limits,
            ranges=self.ranges,
            rhythm=self.rhythm,
            inertia=self.inertia,
            **changes,
        )

    @property
    def _place(self) -> Array:
        """The pose that `with_base` was given: that of her place on the floor."""
        home = self._at_origin or self  # whose root is not the frame that she stands in
        place = np.array(self.model.fk(self.rest, frame=home.model.spec.root))
        place[:3, 3] -= home._lift * place[:3, 2]
        return place

    @cached_property
    def capsules(self) -> tuple[BodyCapsule, ...]:
        """Round cones fitted to the skin when they are first asked for, each on a link."""
        return self.surface._capsules()

    @property
    def _skin(self) -> BodySurface:
        from handik.people.surface import BodySurface

        assert isinstance(self.surface, BodySurface)
        return self.surface

    @cached_property
    def _on_seat(self) -> dict[str, float]:
        """What a tape reads on the skin of the person who sits, healthy, arms hanging."""
        from handik.people.surface._deltoid import bideltoid
        from handik.people.surface._seat import seated_tape

        sits = human(dimensions=self.dimensions, position="seated")
        skin = sits.surface(sits._hanging).vertices
        at = joint_centers(self.dimensions, "seated")
        return seated_tape(skin, at, self.dimensions) | {"bideltoid_breadth": bideltoid(skin)}

    @cached_property
    def _tape(self) -> Tape:
        own = self.rhythm if isinstance(self.rhythm, ShoulderRhythm) else None
        return Tape(self.dimensions, own)

    def measure(self, name: str) -> float:
        """Take a body dimension with a tape on the built body.

        Parameters
        ----------
        name : str
            Of a dimension, as in `dimensions`.

        Returns
        -------
        float
            Meters, for the weight kilograms: what the figure's segments weigh.

        Raises
        ------
        NotFoundError
            When there is no such dimension.
        UnsupportedError
            When no tape is laid for it: arcs and lengths along the skin, girths of a flexed arm, of
            the hand, the foot and round the shoulders. With a plain body also when it is taken on
            the skin.

        Notes
        -----
        Landmarks are points fixed to bodies of the person's figure, healthy and with legs that
        move. It is posed as the survey's protocol says - standing or seated, arms hanging, elbows
        bent, reaching up, forward or sideways - and the tape takes heights and distances. Reaches
        are taken with the shoulder's rhythm, whether `model` has it or not. Standing girths,
        breadths and depths of legs, trunk, head and wrist are taken on the skin (`surface`), those
        of chest and wrist as arms rest: the hull of a plane cut, and how far the cut reaches. Of
        who sits the skin tells hip breadth, thigh clearance and, arms hanging, the breadth across
        the shoulders.

        Examples
        --------
        >>> import handik as hk
        >>> round(hk.human(sex="male", stature=1.80).measure("stature"), 3)
        1.8
        >>> abs(hk.human(sex="male", stature=1.80).measure("calf_circumference") - 0.392) < 0.02
        True
        """
        known = self.dimensions._name(name)
        if known not in SKIN and known not in ON_SEAT:
            return self._tape.measure(known)
        if self.body == "plain":
            raise UnsupportedError(f"{known} is taken on the skin: a plain body has none")
        if known in ON_SEAT:
            return self._on_seat[known]
        return float(self._skin.measured[SKIN[known]])

    def with_base(self, placement: PoseLike) -> Human:
        """Return the person in another place.

        Parameters
        ----------
        placement : array_like, shape (4, 4) or (3,), or pair, or RigidTransform, or Rotation
            Pose, or a place alone, in the scene of the world in which `human` made the person: x
            forward, the floor at z = 0, the origin under the middle of the hips. It counts from
            there however often the person has been moved.

        Returns
        -------
        Human
            The same body; coordinates keep their order and meaning.

        Raises
        ------
        ArgumentError
            When the placement is neither a (4, 4) matrix nor three numbers.
        ModelError
            When the placement is no rigid motion.

        Examples
        --------
        >>> import handik as hk
        >>> anna = hk.human(sex="female", stature=1.62)
        >>> back = anna.with_base([-0.5, 0, 0])
        >>> moved = back.model.fk(back.rest, frame="head") - anna.model.fk(anna.rest, frame="head")
        >>> moved[:3, 3].round(3).tolist()
        [-0.5, 0.0, 0.0]
        """
        origin = self._at_origin or self
        place = np.array(placement_of(placement))
        place[:3, 3] += origin._lift * place[:3, 2]
        return replace(origin, model=origin.model.with_base(place, "place"), _at_origin=origin)

    def posture(self, **angles: float) -> Array:
        """Return the rest posture with some joints elsewhere.

        Parameters
        ----------
        **angles : float
            By joint of one coordinate, or a shoulder's by plane, elevation and axial rotation as
            `freedoms` names them, radians (a joint that slides: meters).

        Returns
        -------
        ndarray (nq,)
            Coordinates; limits are not looked at.

        Raises
        ------
        NotFoundError
            When there is no such joint of one coordinate.
        ArgumentError
            When an angle is not finite, or more than a full turn.

        Examples
        --------
        >>> import handik as hk
        >>> bob = hk.human(sex="male")
        >>> q = bob.posture(elbow_flexion_right=hk.deg(90))
        >>> ahead = bob.model.fk(q, frame="hand_right") - bob.model.fk(bob.rest, frame="hand_right")
        >>> bool(ahead[0, 3] > 0.2)
        True
        >>> level = hk.deg(90)  # of plane 90 and elevation 90 degrees: straight ahead
        >>> q = bob.posture(shoulder_plane_right=level, shoulder_elevation_right=level)
        >>> elbow, shoulder = (
        ...     bob.model.fk(q, frame=f"{joint}_right")[:3, 3] for joint in ("elbow", "shoulder")
        ... )
        >>> bool(abs(elbow - shoulder)[1:].max() < 0.02)
        True
        """
        q, slices = self.rest.copy(), self.model.joint_q_slices
        own = [name for name, at in slices.items() if at.stop - at.start == 1]
        balls = {
            f"shoulder_{part}_{side}": (f"shoulder_{side}", part)
            for side in SIDES
            for part in PARTS
            if f"shoulder_{side}" in slices
        }
        turned: dict[str, dict[str, float]] = {}
        for name, value in angles.items():
            if name not in own and name not in balls:
                raise name_not_found("joint of one coordinate", name, [*own, *balls])
            angle = finite_number(name, value)
            no_degrees(name, abs(angle))
            if name in own:
                q[slices[name]] = angle
            else:
                ball, part = balls[name]
                turned.setdefault(ball, {})[part] = angle
        for ball, parts in turned.items():
            sign = SIDES[ball.removeprefix("shoulder_")]
            q[slices[ball]] = ball_turned(q[slices[ball]], parts, sign)
        return q


def human(
    sex: str | None = None,
    *,
    stature: float | None = None,
    weight: float | None = None,
    age: float | None = None,
    percentile: float | tuple[float, float] | None = None,
    dimensions: Mapping[str, float] | None = None,
    detail: str | tuple[str, ...] = "upper21",
    position: str = "seated",
    limits: str = "cone",
    ranges: str | Ranges = "adult",
    rhythm: bool | ShoulderRhythm | None = None,
    profile: str | Profile | Sequence[str | Profile] | None = None,
    seed: int | None = None,
    body: str = "fitted",
    inertia: str | SegmentParameters = "de_leva",
) -> Human:
    """Return a person of whom some measures are known.

    Parameters
    ----------
    sex : {"female", "male"}, optional
        By default that of `dimensions` when they are a person's, else female.
    stature : float, optional
        Meters.
    weight : float, optional
        Kilograms.
    age : float, optional
        Years.
    percentile : float or (float, float), optional
        Of stature, and of weight among people of that stature, between 0 and 100.
    dimensions : mapping of str to float, or Dimensions, optional
        Any other ones, meters; or all of a person, such as ``hk.population(100)[0]``.
    detail : str or tuple of str
        ``"upper21"``: trunk, neck and arms, 21 degrees of freedom. ``"spine"``: 24 vertebrae that
        move with 12. ``"hand"``, ``"hand_right"``, ``"hand_left"``: 27 bones that move with 26, of
        which three are the forearm's and the wrist's. ``"full"``: legs that move, and a pelvis that
        floats. Together as a tuple or ``"spine+hand"``.
    position : {"seated", "standing"}
        Of the rest posture, and of the legs unless they move.
    limits : {"cone", "box"}
        The shoulder as a ball in a spherical polygon, or as three hinges with a range each.
    ranges : {"adult", "men", "women", "older", "infant"} or Ranges
        Whose ranges of motion, where that set was measured; elsewhere the adult ones.
        `handik.people.Ranges` are of your own table.
    rhythm : bool or ShoulderRhythm, optional
        Clavicle, shoulder blade and the shoulder's center follow the arm: by default where `limits`
        is ``"cone"``, for they follow its ball. Without it the shoulder's center stays where it is,
        and an arm overhead ends some 10 cm lower. `handik.people.ShoulderRhythm` is one of your
        own table.
    profile : str, Profile or sequence of these, optional
        An impairment, or several put together; see `handik.people.impairments`.
    seed : int, optional
        Draw the dimensions that are not given.
    body : {"fitted", "plain"}
        What `surface` and `capsules` are: the skin of a base mesh (MakeHuman's, CC0) fitted to the
        dimensions, or round cones along the bones, for which no mesh is read.
    inertia : {"de_leva", "dumas"} or SegmentParameters
        Whose shares the segments' masses, centers and inertias are: de Leva's (1996), without
        products of inertia, those of Dumas et al. (2007), with them, or
        `handik.people.SegmentParameters` of your own table.

    Returns
    -------
    Human
        With `model`, `dimensions`, `rest`.

    Raises
    ------
    ArgumentError
        When a word is none of those above, a number is given twice or nobody has all of them.
    NotFoundError
        When there is no such dimension or profile.

    Notes
    -----
    How the joint centers follow from the tape, what is assumed, and what the 21 degrees of freedom
    are, is on the page on the person (docs/human.md).

    Examples
    --------
    >>> import handik as hk
    >>> tall = hk.human(sex="male", percentile=95, detail="spine+hand_right")
    >>> tall
    Human(male, 1.870 m, 96.0 kg, upper21+spine+hand_right, seated, 50 degrees of freedom)
    """
    parts = _details(detail)
    choice("position", position, POSITIONS)
    choice("limits", limits, _LIMITS)
    if not isinstance(ranges, Ranges):
        choice("ranges", ranges, SETS)
    choice("body", body, _BODIES)
    if not isinstance(inertia, SegmentParameters):
        choice("inertia", inertia, INERTIAS)
    known = dimensions_of(sex, stature, weight, age, percentile, dimensions, seed)
    moving = rhythm
    if not isinstance(moving, ShoulderRhythm):
        moving = limits == "cone" if moving is None else flag("rhythm", moving)
    if moving and limits == "box":
        raise ArgumentError('rhythm follows a ball: it needs limits="cone"')
    built = figure(known, set(parts), limits, ranges, position == "seated", moving, inertia)
    impaired = None if profile is None else apply(built.spec, profile)
    model = Model(built.spec if impaired is None else impaired.spec)
    rest = model.rest.copy()
    for joint, values in built.rest.items():
        if joint in model.joint_q_slices:
            rest[model.joint_q_slices[joint]] = values
    if impaired is not None:
        setattr(model, "_impaired", impaired)  # noqa: B010 - a model takes private marks
    if impaired is not None or isinstance(ranges, Ranges):
        rest = np.array(model.clip(rest))
    rest.flags.writeable = False
    how = (position, limits, ranges, moving, impaired, built.gain, body, inertia, built.hanging)
    return Human(model, known, rest, parts, *how)


def _details(detail: Any) -> tuple[str, ...]:
    """Return the words of a detail in their order, upper21 always among them."""
    words = detail.split("+") if isinstance(detail, str) else detail
    if not isinstance(words, (tuple, list)) or not words:
        raise ArgumentError(f"detail must be one or more of {', '.join(DETAILS)}, got {detail!r}")
    asked = {"upper21"}
    for word in words:
        choice("detail", word, DETAILS)
        asked |= {"hand_right", "hand_left"} if word == "hand" else {word}
    return tuple(word for word in DETAILS if word in asked)
