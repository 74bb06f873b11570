"""reach: a witness first, a proof second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.model import Model
from handik.people import Human
from handik.scene.access._by_place import by_place
from handik.scene.access._narrow import at_place, at_places
from handik.scene.access._options import options_of
from handik.scene.access._places import Places, places_of
from handik.scene.access._question import HANDS, Question
from handik.scene.access._stop import anywhere
from handik.scene.access._touch import on_face, refuse, tip_first, tips_of, with_hands
from handik.scene.access._verdict import Asked, Reach, ReachMany, Verdicts
from handik.scene.access.chairs import Chair
from handik.scene.check import Figure, as_figure, compiled
from handik.scene.check._carried import carried
from handik.spec._given import flag, known_name, of_class

if TYPE_CHECKING:
    from handik.scene import Scene
    from handik.scene.access._standards import Beside, Standards

__all__ = ["free_posture", "may_touch", "reach", "reach_beside"]

Array = NDArray[np.float64]


def _better(a: Reach, b: Reach) -> Reach:
    """Return the verdict on two frames of which either will do."""
    order = ("yes", "undecided", "no")
    first = min(a, b, key=lambda r: (order.index(r.verdict), r.short[1]))
    if first.verdict == "yes":
        return first
    near = min(a, b, key=lambda r: r.short[1])
    return replace(
        near,
        verdict=first.verdict,
        short=(min(a.short[0], b.short[0]), near.short[1]),
        tries=first.tries,
        blocked=first.blocked,
        cells=a.cells + b.cells,
        _either=True,
        _touched=a._touched or b._touched,
    )


def _frames(model: Model, frame: str | None, hand: str) -> list[str]:
    """Return the names of the frames of which any may be at the target."""
    if frame is not None:
        if hand == "both":
            raise ArgumentError('hand="both" is of the two grips: give no frame=')
        return [known_name("frame", frame, model.frame_names)]
    there = [f"grip_{side}" for side in HANDS[:2] if f"grip_{side}" in model.frame_names]
    grips = [name for name in there if hand in (name[5:], "either", "both")]
    if len(grips) == 2 or (grips and hand != "both"):  # of one hand that is missing, the other
        return grips
    if there and hand != "both":
        raise ArgumentError(f"model {model.name!r} has no frame 'grip_{hand}': say hand=\"either\"")
    if hand == "both":
        raise ArgumentError(f"model {model.name!r} has no frames grip_right and grip_left")
    if model.tip is None:
        raise ArgumentError(
            f"model {model.name!r} has several tips: say frame=, one of its frame_names"
        )
    return [model.tip]


def reach(
    figure: Human | Model | Figure,
    scene: Scene | None,
    target: str | Sequence[str] | ArrayLike,
    *,
    hand: str = Question.hand,
    frame: str | None = Question.frame,
    touch: bool | None = Question.touch,
    action: str = Question.action,
    axis: str | ArrayLike | None = Question.axis,
    half_angle: float = Question.half_angle,
    tool_axis: ArrayLike | None = Question.tool_axis,
    turn: float | None = Question.turn,
    force: float | None = Question.force,
    strength: Mapping[str, Any] | None = Question.strength,
    holds: str | Sequence[str] | None = Question.holds,
    sight: bool = Question.sight,
    path: bool = Question.path,
    approach: Chair | None = Question.approach,
    start: Sequence[float | None] | None = Question.start,
    tolerance: float = Question.tolerance,
    within: float = Question.within,
    tries: int = Question.tries,
    budget: int = Question.budget,
    time_limit: float | None = Question.time_limit,
    seed: int = Question.seed,
    threads: int = Question.threads,
) -> Reach | ReachMany:
    """Say whether a place is in reach: yes with a witness, no with a proof, or undecided.

    Parameters
    ----------
    figure : Human, Model or Figure
        Who reaches, from where the figure stands: `Human.with_base` and `Model.with_base` move it,
        `seat` puts a person into a wheelchair.
    scene : Scene or None
        What must not be touched, nor the figure itself; None: only the joints and their limits
        count, and a figure without collision shapes will do.
    target : array_like, shape (..., 3), or str, or sequence of str
        Meters, in the world; or the names of targets of the scene.
    hand : {"right", "left", "either", "both"}
        Which hand's grip, where the figure has frames ``grip_right`` and ``grip_left``. Either: of
        those it has, for a hand may be missing. Both: at the same time, at one place or at two, of
        right and left, shape (..., 2, 3).
    frame : str, optional
        The frame that is to be there instead; a model's tip by default.
    touch : bool, optional
        Whether the tip of the hand's middle finger is to be there instead of its grip, the fingers
        straight; its last 10 mm may be in what it touches. By default either will do where
        something is pressed: with ``action="press"``, at a target of a node with the tag
        ``"switch"`` or ``"button"``, and at a place within 10 mm of the face of an obstacle.
    action : {"reach", "press", "pull", "turn"}
        What the hand does there. Press and pull take `axis` and bear `force` along it; turn takes
        a knob's axis and turns the hand about it by `turn`, whose moment is `force`.
    axis : array_like, shape (3,) or (..., 3), or "target", optional
        Direction in the world in which the hand grips or presses: along it `tool_axis` is to point.
        ``"target"``: that of the scene's target.
    half_angle : float
        Radians about `axis` that count as along it; 30 degrees if not given (assumed).
    tool_axis : array_like, shape (3,), optional
        In the frame's axes; of a person the way the fingers point, of another model z.
    turn : float, optional
        Radians about `axis`, right-handed: how far a knob is turned.
    force : float, optional
        Newtons, of a knob newton meters: what the hand presses, pulls or turns with. No joint may
        need more than its strength for it and for the body's weight.
    strength : mapping of joint name to float or (float, float), optional
        Newton meters, as of `handik.people.effort.Effort`; by default the efforts of the model's
        joints. A person's joints have none: none are shipped. An impairment takes its share.
    holds : str or sequence of str, optional
        Nodes of the scene that the hand closes about: it alone may overlap them, by 50 mm at most.
        By default what a target named by `target` belongs to, where that is a thing and no group.
    sight : bool
        The target is seen: in a cone of 35 degrees about straight ahead of the frame ``eye``, and
        nothing of the scene stands before it. The body itself hides nothing; what is held hides
        what is behind it.
    path : bool
        A path from the rest to the posture is found by `handik.plan.path`, every edge proved; what
        the hand does to what it `holds` is sampled, every 2 mm.
    approach : Chair, optional
        The chair of a seated person, in which she sits as by `seat`; none but the one in which she
        was put. It may stop anywhere on the floor where its outline is clear of all that stands in
        the lowest 0.65 m: `Reach.stop` says where. The floor is the one that the person is on;
        where on it does not count then.
    start : (x, y, heading), optional
        From where the chair has to get there, by `passes`.
    tolerance : float
        Meters: what is no farther counts as reached, and only what is farther as out of reach.
    within : float
        Meters: how near the two ends of `Reach.short` are wanted; ``inf``: the verdict alone, which
        is faster.
    tries : int
        Starts for a posture that is free, where the first is not.
    budget : int
        Boxes of joint values a proof may look at.
    time_limit : float, optional
        Seconds that paths to a target are looked for, each change of it a quarter of them; then it
        is undecided. None: until their budget is spent, the same on every machine: some seconds of
        a person to whose postures no path leads.
    seed : int
        Of the starts.
    threads : int
        For many targets; 0: all cores.

    Returns
    -------
    Reach
        The verdict, `.verdict`, with `.q`, `.short` and `.why`.
    ReachMany
        The same in arrays, where `target` has leading axes.

    Raises
    ------
    TypeError
        When `figure` or `scene` is none.
    ArgumentError
        When a number is out of its range, the model has several tips and no `frame` is named, or
        options do not go together: an action without `axis`, a force without a strength.
    NotFoundError
        When there is no such frame, target or node.
    UnsupportedError
        When a joint on the way to the frame has no limits and is no plain turn.

    Notes
    -----
    A no holds with obstacles too, for they only take postures away. What obstacles alone forbid is
    proved where there is no room for what is fixed to the frame, whichever way it points, and of
    an arm whose shoulder stands still also where no way of the arm is free; a mesh proves nothing.
    Else it is "undecided", with what was touched and how often. The method is on the page on access
    (docs/access.md). The verdict speaks of reach and clearance, not of persons.

    Options narrow a yes: the witness meets them all, each looked at by itself on the posture, and
    none turns a no into a yes. A no is still proved: by the place alone, or by the axis, where what
    carries the frame would have to be out of reach; else the verdict is "undecided", and `.blocked`
    counts what the postures lacked. A knob is turned in steps of 5 degrees, which is sampled.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female", stature=1.62)
    >>> hk.access.reach(anna, None, [0.45, -0.2, 1.0]).verdict
    'yes'
    >>> hk.access.reach(anna, None, [0.3, -0.2, 2.2]).verdict
    'no'
    >>> ahead = hk.access.reach(anna, None, [0.45, -0.2, 1.0], axis=[1, 0, 0], sight=True)
    >>> ahead.verdict, ahead.off_axis <= hk.deg(30)
    ('yes', True)
    """
    asked = Question(
        hand=hand,
        frame=frame,
        touch=touch,
        action=action,
        axis=axis,
        half_angle=half_angle,
        tool_axis=tool_axis,
        turn=turn,
        force=force,
        strength=strength,
        holds=holds,
        sight=sight,
        path=path,
        approach=approach,
        start=start,
        tolerance=tolerance,
        within=within,
        tries=tries,
        budget=budget,
        time_limit=time_limit,
        seed=seed,
        threads=threads,
    )
    return reach_beside(None, figure, scene, target, asked)


def reach_beside(
    beside: Beside | None,
    figure: Human | Model | Figure,
    scene: Scene | None,
    target: Any,
    question: Question,
) -> Reach | ReachMany:
    """As `reach`, beside standard people, from whose postures searches among obstacles begin."""
    model = _model_of(figure, scene)
    both = question.hand == "both"
    places = places_of(scene, target, question.axis, question.holds, 2 if both else 1)
    options, along = options_of(figure, model, question, places.along)
    who = as_figure(figure) if scene is not None or options.path else None
    around, who = (scene, who) if scene is None or who is None else carried(scene, who)
    asked = Asked(
        model,
        around,
        who,
        figure.rest if isinstance(figure, Human) else model.rest,
        question.tolerance,
        question.tries,
        question.budget,
        question.seed,
        options,
        time_limit=question.time_limit,
        beside=beside,
    )
    if both and options.action == "turn":
        raise ArgumentError('action="turn" is of one hand: hand="both" is not asked with it')
    frames = _frames(model, question.frame, question.hand)
    touch = _touch(question, model, frames)
    if along is not None:
        places = replace(places, along=along)
    if question.approach is not None:
        of_class("approach", question.approach, Chair)
        each: Verdicts | list[Reach] = [
            _from_anywhere(
                replace(asked, figure=figure),
                scene,
                places,
                k,
                frames,
                touch,
                question,
            )
            for k in range(len(places.at))
        ]
    else:
        each = _either_way(asked, places, frames, both, touch, question.within, question.threads)
    return _together(each, places.shape, model.nq) if places.shape else each[0]


def _either_way(
    asked: Asked,
    places: Places,
    frames: list[str],
    both: bool,
    touch: bool | None,
    within: float,
    threads: int,
) -> Verdicts | list[Reach]:
    """Return the verdicts on all targets, of what is pressed by a fingertip too."""
    tips = tips_of(asked.model, frames) if touch is not False else []
    if not tips:
        return _verdicts(asked, places, frames, both, within, threads)
    if touch:
        touching = with_hands(asked, tips)
        found = _verdicts(touching, places, tips, both, within, threads)
        return [replace(one, _touched=True) for one in found]
    first, face = tip_first(asked, places), on_face(asked, places)
    if not (first.any() or face.any()):
        own = with_hands(asked, frames)
        return _verdicts(own, places, frames, both, within, threads)
    out = dict[int, Reach]()
    for rows, names in ((first, tips), (~first, frames), (first, frames), (face & ~first, tips)):
        left = [k for k in np.flatnonzero(rows).tolist() if k not in out or out[k].verdict != "yes"]
        if not left:
            continue
        some, own = places.some(np.array(left)), with_hands(asked, names)
        found = _verdicts(own, some, names, both, within, threads)
        for k, one in zip(left, found, strict=True):
            new = replace(one, _touched=names is tips)
            out[k] = new if k not in out else _better(out[k], new)
    return [out[k] for k in range(len(places.at))]


def _verdicts(
    asked: Asked, places: Places, frames: list[str], both: bool, within: float, threads: int
) -> Verdicts | list[Reach]:
    """Return the verdicts on all targets from where the figure is."""
    alone = [
        by_place(asked, name, places.at[:, j if both else 0], within, threads)
        for j, name in enumerate(frames)
    ]
    found = alone
    if both or asked.scene is not None or not asked.options.none or places.along is not None:
        if both:
            each = range(len(places.at))
            found = [[at_place(asked, places, k, [one[k] for one in alone]) for k in each]]
        else:
            found = [at_places(asked, places, one) for one in alone]
    return found[0] if len(found) == 1 else [_better(a, b) for a, b in zip(*found, strict=True)]


def free_posture(
    person: Human, like: Standards, frame: str, targets: Array, beside: Beside | None
) -> list[Array | None]:
    """Return for each target (n, 3) a free posture that reaches it with a frame, if found."""
    try:
        around, who = carried(like.scene, as_figure(person))
    except UnsupportedError:  # a figure of the scene is just this one, and bears a plane
        return [None] * len(targets)
    asked = Asked(
        person.model,
        around,
        who,
        person.rest,
        like.tolerance,
        like.tries,
        like.budget,
        like.seed,
        beside=beside,
    )
    places = places_of(like.scene, targets, None, None, 1)
    found = _verdicts(with_hands(asked, [frame]), places, [frame], False, inf, 1)
    return [one.q if one.verdict == "yes" else None for one in found]


def may_touch(
    figure: Human | Model | Figure, scene: Scene | None, targets: Any, count: int
) -> list[bool]:
    """Tell at which targets a fingertip will do, where nothing more is asked than to reach them."""
    if scene is None or not count:
        return [False] * count
    model = _model_of(figure, scene)
    places = places_of(scene, targets, None, None, 1)
    asked = Asked(model, scene, as_figure(figure), model.rest, 1e-3, 0, 1, 0)
    return [bool(one) for one in tip_first(asked, places) | on_face(asked, places)]


def _asked_of(asked: Asked, frames: list[str], places: Places, touch: bool | None) -> list[str]:
    """Return the frames of which any may be at a place."""
    tips = tips_of(asked.model, frames) if touch is not False else []
    if touch:
        return tips
    may = bool(tips) and bool((tip_first(asked, places) | on_face(asked, places))[0])
    return [*frames, *tips] if may else frames


def _from_anywhere(
    asked: Asked,
    scene: Scene | None,
    places: Places,
    k: int,
    frames: list[str],
    touch: bool | None,
    question: Question,
) -> Reach:
    """Return the verdict on one target for a chair that may stop anywhere."""
    chair = question.approach
    assert chair is not None
    one = places.some(np.array([k]))

    def ask(person: Human) -> Reach:
        own = replace(asked, model=person.model, figure=as_figure(person), rest=person.rest)
        return _either_way(own, one, frames, False, touch, inf, 1)[0]

    if len(places.at[k]) == 2:
        raise ArgumentError('hand="both" is not asked with approach=: the verdict is of one hand')
    target, ways = (
        places.at[k, 0],
        _asked_of(replace(asked, figure=as_figure(asked.figure)), frames, one, touch),
    )
    start, within = question.start, question.within
    return anywhere(asked, asked.figure, scene, chair, start, ways, target, ask, within)


def _touch(question: Question, model: Model, frames: list[str]) -> bool | None:
    touch = question.touch
    if touch is not None and flag("touch", touch) and not tips_of(model, frames):
        refuse(model, question.frame)
    return touch


def _model_of(figure: Human | Model | Figure, scene: Scene | None) -> Model:
    """Return the model, once figure and scene are known to be such."""
    model = figure if isinstance(figure, Model) else getattr(figure, "model", None)
    if not isinstance(model, Model) or (scene is not None and not isinstance(figure, Model)):
        model = as_figure(figure).model  # which fits a person's capsules, or says what is wrong
    if scene is not None:
        compiled(scene, Figure(model, [], pairs=[]))
    return model


def _together(each: Verdicts | list[Reach], shape: tuple[int, ...], nq: int) -> ReachMany:
    """Return verdicts as arrays."""
    if isinstance(each, Verdicts):
        verdict, q, short = each.verdict, each.q.copy(), each.short.copy()
    else:
        verdict = np.array([r.verdict for r in each], "<U9")
        q, short = np.array([r.q for r in each]), np.array([r.short for r in each])
    return ReachMany(
        verdict.reshape(shape), q.reshape((*shape, nq)), short.reshape((*shape, 2)), each
    )
