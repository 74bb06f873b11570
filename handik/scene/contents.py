"""What stands in a scene and is no shape: figures, floor plans, lights, cameras, targets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import pi
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError, shortened
from handik.scene._people import chair_of, person_of
from handik.scene.nodes import Color, Content, Node, one_color, some_nodes
from handik.scene.shapes import Point2, Prism, Shape, length, outline, set_fields
from handik.spec._given import choice, finite_number, list_of, path_text, reals, text

if TYPE_CHECKING:
    from handik._model import Model
    from handik.people.human import Human
    from handik.scene.access.chairs import Chair

__all__ = ["Actor", "Camera", "FloorPlan", "Include", "Light", "Target", "Via"]

Array = NDArray[np.float64]

#: Walls of one floor plan, and coordinates of one figure, at most.
MOST_WALLS = 10_000
MOST_COORDINATES = 10_000


@dataclass(frozen=True)
class FloorPlan(Content):
    """Walls seen from above: outlines drawn up along z, each an obstacle of its own.

    Parameters
    ----------
    walls : sequence of array_like, shape (n, 2)
        Outlines, meters, as of `Prism`.
    height : float
        Of all walls, meters.

    Raises
    ------
    ArgumentError
        When an outline is none, or there are too many.

    Examples
    --------
    >>> import handik as hk
    >>> plan = hk.scene.FloorPlan([[[0, 0], [4, 0], [4, 0.1], [0, 0.1]]], 2.5)
    >>> [obstacle.name for obstacle in hk.Scene().add("flat", plan).obstacles()]
    ['flat/wall 1']
    """

    walls: tuple[tuple[Point2, ...], ...]
    height: float
    kind: ClassVar[str] = "floorplan"

    if TYPE_CHECKING:  # what is kept are tuples

        def __init__(self, walls: Sequence[ArrayLike], height: float) -> None: ...

    def __post_init__(self) -> None:
        given = list_of("walls", self.walls)
        if not 1 <= len(given) <= MOST_WALLS:
            raise ArgumentError(f"walls must be 1 to {MOST_WALLS}, got {len(given)}")
        walls = tuple(outline(f"walls[{k}]", wall) for k, wall in enumerate(given))
        set_fields(self, walls=walls, height=length("height", self.height))

    def solids(self) -> Iterable[tuple[str, Shape, Array]]:
        """Return the walls; see `Content.solids`.

        Returns
        -------
        list of (str, Prism, ndarray (4, 4))
            Each with its number as a name.
        """
        return [
            (f"wall {k}", Prism(wall, self.height), np.eye(4))
            for k, wall in enumerate(self.walls, 1)
        ]


#: The words of glTF for a light, and the candela (of a sun: lux) of one of power 1.
LAMP_KINDS = {"point": "point", "sun": "directional", "spot": "spot"}
USUAL_LIGHT = 100.0


@dataclass(frozen=True)
class Light(Content):
    """A light, for pictures.

    Parameters
    ----------
    shine : {"point", "sun", "spot"}
        All around; in parallel along its -z; in a cone along its -z.
    color : three floats or str
        Red, green and blue of 0 to 1, or ``"#rrggbb"``.
    power : float
        Of 1 for the usual light: 100 candela, about a bulb of 100 W; of a sun 100 lux.
    spread : float
        Of a spot: the whole angle of its cone, radians, between 0 and pi.

    Raises
    ------
    ArgumentError
        When a value is none of these.

    Examples
    --------
    >>> import handik as hk
    >>> hk.scene.Light("sun").power
    1.0
    """

    shine: str = "point"
    color: Color = (1.0, 1.0, 1.0)
    power: float = 1.0
    spread: float = 2 * pi / 5
    kind: ClassVar[str] = "light"

    if TYPE_CHECKING:  # what is kept is a tuple

        def __init__(
            self,
            shine: str = "point",
            color: Color | str = (1.0, 1.0, 1.0),
            power: float = 1.0,
            spread: float = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        power = finite_number("power", self.power)
        if not 0 <= power <= 1e9:
            raise ArgumentError(f"power must be 0 to 1e9, got {power:g}")
        color = one_color(self.color)
        if color is None:
            raise ArgumentError("color must be given")
        choice("shine", self.shine, ("point", "sun", "spot"))
        spread = finite_number("spread", self.spread)
        if not 0 < spread < pi:
            raise ArgumentError(f"spread must be between 0 and pi, got {spread:g}")
        set_fields(self, color=color, power=power, spread=spread)


@dataclass(frozen=True)
class Camera(Content):
    """A camera at its pose: it looks along its -z, its y is up in the picture.

    Parameters
    ----------
    view : float
        The whole angle of its view from top to bottom, radians, between 0 and pi.

    Raises
    ------
    ArgumentError
        When the angle is none.

    Examples
    --------
    >>> import handik as hk
    >>> round(hk.scene.Camera().view, 3)
    0.785
    """

    view: float = pi / 4
    kind: ClassVar[str] = "camera"

    def __post_init__(self) -> None:
        view = finite_number("view", self.view)
        if not 0 < view < pi:
            raise ArgumentError(f"view must be between 0 and pi, got {view:g}")
        set_fields(self, view=view)


@dataclass(frozen=True)
class Target(Content):
    """What a figure may be asked to reach: the place of its node.

    Parameters
    ----------
    want : {"point", "axis", "pose"}
        The place alone; the place and the direction of an axis; the whole pose.
    axis : array_like, shape (3,)
        In its node: the direction in which a hand grips or pushes. Kept at unit length.

    Raises
    ------
    ArgumentError
        When the word or the axis is none.

    Examples
    --------
    >>> import handik as hk
    >>> hk.scene.Target("axis", [2, 0, 0]).axis
    (1.0, 0.0, 0.0)
    """

    want: str = "point"
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    kind: ClassVar[str] = "target"

    if TYPE_CHECKING:  # what is kept is a tuple

        def __init__(self, want: str = "point", axis: ArrayLike = (0.0, 0.0, 1.0)) -> None: ...

    def __post_init__(self) -> None:
        choice("want", self.want, ("point", "axis", "pose"))
        axis = reals(self.axis, "axis", (3,))
        if axis.ndim != 1:
            raise ArgumentError(f"axis must have shape (3,), got {axis.shape}")
        size = float(np.linalg.norm(axis))
        if not 1e-9 < size < 1e9:
            raise ArgumentError("axis has no direction")
        if abs(size - 1) > 1e-15:  # what was divided once is not divided again: files keep it
            axis = axis / size
        set_fields(self, axis=tuple((axis + 0.0).tolist()))


@dataclass(frozen=True)
class Via(Content):
    """A place that a path is to come by.

    Parameters
    ----------
    radius : float
        How near is near enough, meters.

    Raises
    ------
    ArgumentError
        When it is no length.

    Examples
    --------
    >>> import handik as hk
    >>> hk.scene.Via(0.05)
    Via(radius=0.05)
    """

    radius: float = 0.0
    kind: ClassVar[str] = "via"

    def __post_init__(self) -> None:
        set_fields(self, radius=length("radius", self.radius))


@dataclass(frozen=True)
class Include(Content):
    """Another scene, by its file; what hangs on its node is what the file says.

    `Scene.include` makes it.

    Parameters
    ----------
    path : path
        Of the file; made absolute.
    nodes : sequence of Node
        What it says.

    Raises
    ------
    TypeError
        When one is no node.
    """

    path: str
    nodes: Sequence[Node]
    kind: ClassVar[str] = "include"

    def __post_init__(self) -> None:
        set_fields(self, path=os.path.abspath(path_text("path", self.path)))
        set_fields(self, nodes=some_nodes(self.nodes, "the included scene"))


@dataclass(frozen=True)
class Actor(Content):
    """A figure by reference, a robot's or a person's, in a configuration.

    Parameters
    ----------
    model : str or path, optional
        ``"data:ur5"`` for `handik.data`, ``"robot:panda"`` for `handik.robot`, else a file.
    human : mapping, optional
        The arguments of `handik.human`, in the place of a model. Body dimensions stand by their
        own names, as ``sitting_height``; ``severity`` and ``side`` are those of the profile. With
        ``chair``, a kind of `handik.access.chair`, the person sits in it as `handik.access.seat`
        says, or stands with a walker or crutches; ``chair_percentile``, ``chair_seed``,
        ``chair_width``, ``chair_length`` and ``chair_axle`` are the sizes of `chair`,
        ``seat_height`` and ``joystick`` what `seat` takes.
    q : array_like, shape (nq,), optional
        Its configuration; None: its rest.

    Raises
    ------
    ArgumentError
        When there is neither or both of a model and a person, or a value cannot be kept.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.scene.Actor("data:ur5")
    >>> arm.figure.nq, arm.posture.shape
    (6, (6,))
    >>> anna = hk.scene.Actor(human={"sex": "female", "stature": 1.62, "chair": "rear"})
    >>> f"{anna.frame_pose('eye')[2, 3]:.2f} m, in a chair {anna.chair.width:.2f} m wide"
    '1.27 m, in a chair 0.73 m wide'
    """

    model: str | None = None
    human: Any = None
    q: Any = None
    kind: ClassVar[str] = "figure"

    def __post_init__(self) -> None:
        if (self.model is None) == (self.human is None):
            raise ArgumentError("a figure has either a model or the arguments of a human")
        model = human = None
        if self.model is not None:
            model = path_text("model", self.model)
            if not model or "\0" in model:
                raise ArgumentError("model must be the name of a model or of a file")
            if not model.startswith(("data:", "robot:")):
                model = os.path.abspath(model)
        else:
            human = _arguments(self.human)
        q = None if self.q is None else _coordinates(self.q)
        set_fields(self, model=model, human=human, q=q)

    @property
    def figure(self) -> Model:
        """The model, loaded when it is first asked for."""
        return _loaded(self.model, self.human)[0]

    @property
    def person(self) -> Human | None:
        """The person, made when first asked for; None where a model is named."""
        return None if self.human is None else _person(self.human)

    @property
    def chair(self) -> Chair | None:
        """The wheelchair that a person sits in, or the walker or crutches; None: there is none."""
        return None if self.human is None else chair_of(dict(self.human))

    @property
    def posture(self) -> Array:
        """Its configuration: `q`, or the rest of a person or model.

        Raises
        ------
        ArgumentError
            When `q` has another number of coordinates than the model.
        """
        model, rest = _loaded(self.model, self.human)
        found = rest if self.q is None else np.array(self.q)
        if found.shape != (model.nq,):
            raise ArgumentError(f"q must have {model.nq} coordinates, got {found.size}")
        return found

    def frame_pose(self, frame: str) -> Array | None:
        """Return the pose of a frame, in the configuration it has.

        Parameters
        ----------
        frame : str
            Its name.

        Returns
        -------
        ndarray (4, 4)
            In the node.
        """
        return np.array(self.figure.fk(self.posture, frame=text("frame", frame)))


def _coordinates(q: ArrayLike) -> tuple[float, ...]:
    found = reals(q, "q", ())
    if found.ndim != 1 or found.size > MOST_COORDINATES:
        raise ArgumentError(f"q must have shape (nq,), got {found.shape}")
    return tuple(found.tolist())


def _arguments(given: Any) -> tuple[tuple[str, Any], ...]:
    """Return arguments by name in their order; only texts, numbers, and rows of them are kept."""
    if not isinstance(given, Mapping):
        try:
            given = dict(given)
        except (TypeError, ValueError):
            raise TypeError(f"human must be a mapping, got {shortened(given)}") from None
    if len(given) > 64:
        raise ArgumentError("human has more than 64 arguments")
    return tuple((text("human", name), _kept(name, value)) for name, value in sorted(given.items()))


def _kept(name: str, value: Any) -> Any:
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return finite_number(name, value)
    if isinstance(value, (tuple, list)) and len(value) <= 64:
        if not any(isinstance(one, (tuple, list)) for one in value):
            words = all(isinstance(one, str) for one in value)
            if words and name == "detail":  # the two ways to say it are one in a document
                return "+".join(value)
            return tuple(_kept(name, one) for one in value)
    raise UnsupportedError(f"human: {name} must be a text, a number or a row of them")


@lru_cache(maxsize=16)
def _person(human: tuple[tuple[str, Any], ...]) -> Human:
    try:
        return person_of(dict(human))
    except TypeError as error:
        raise ArgumentError(f"human: {error}") from None


@lru_cache(maxsize=16)
def _loaded(model: str | None, human: tuple[tuple[str, Any], ...] | None) -> tuple[Model, Array]:
    """Return the model and its rest posture."""
    if human is not None:
        someone = _person(human)
        return someone.model, someone.rest
    assert model is not None
    found = _model(model)
    return found, found.rest


def _model(name: str) -> Model:
    word, _, rest = name.partition(":")
    if word == "data":
        from handik.data import data

        return data(rest)
    if word == "robot":
        from handik.data.robots import robot

        return robot(rest)
    from handik._model import load

    return load(name)
