"""What a call of dynamics is given: configurations and motions as rows, loads by their frames.

And whether anything has mass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, ModelError, name_not_found
from handik.model._inertia import payload_row
from handik.spec._given import flag, number, reals, together

__all__ = ["Loaded", "Payload", "Wrenches", "by_frame"]

Array = NDArray[np.float64]
Wrenches = Mapping[Any, ArrayLike]
Payload = Mapping[Any, Any]
#: The kind of a ball's step.
_BALL = 2


class Loaded:
    """Arguments of the dynamic methods, for the model whose they are."""

    if TYPE_CHECKING:
        nq: int
        nv: int
        frame_names: tuple[str, ...]
        joint_names: tuple[str, ...]
        frame_step: NDArray[np.int32]
        step_parent: NDArray[np.int32]
        step_kind: NDArray[np.int32]
        step_follow: NDArray[np.int32]
        step_v: NDArray[np.int32]
        step_joint: NDArray[np.int32]
        step_inertial: Array
        step_motor: Array

        def _dynamics(
            self,
            kind: int,
            q: Any,
            v: Any,
            x: Any,
            loads: tuple[Any, ...],
            /,
            *,
            out: Any = None,
            threads: int = 1,
        ) -> Any: ...

    @property
    def mass(self) -> float:
        """Mass of all that moves, kg."""
        return float(self.step_inertial[:, 0].sum())

    def _rows(
        self, q: ArrayLike, *more: tuple[ArrayLike | None, str]
    ) -> tuple[tuple[int, ...], list[Array | None]]:
        """Leading axes of the arguments, broadcast, and each as rows (*lead, width)."""
        given = [(q, "q", self.nq), *((x, name, self.nv) for x, name in more)]
        arrays = [None if x is None else _last(x, name, width) for x, name, width in given]
        names = [name for _, name, _ in given]
        known = zip(names, arrays, strict=True)
        shapes = {name: x.shape[:-1] for name, x in known if x is not None}
        lead = together(**shapes)
        return lead, [None if x is None else _spread(x, lead) for x in arrays]

    def _frame_index(self, frame: Any) -> int:
        if isinstance(frame, str):
            try:
                return self.frame_names.index(frame)
            except ValueError:
                raise name_not_found("frame", frame, self.frame_names) from None
        number = isinstance(frame, (int, np.integer)) and not isinstance(frame, bool)
        if number and 0 <= frame < len(self.frame_names):
            return int(frame)
        raise ArgumentError(f"{frame!r} is neither the name nor the index of a frame")

    def _loads(
        self,
        lead: tuple[int, ...],
        gravity: Sequence[float],
        wrenches: Wrenches | None,
        payload: Payload | None,
        actuators: bool,
        coulomb_width: float,
    ) -> tuple[Any, ...]:
        wrenches, payload = by_frame("wrenches", wrenches), by_frame("payload", payload)
        pushes = [_last(x, f"the wrench at {name!r}", 6) for name, x in wrenches.items()]
        if all(x.ndim == 1 for x in pushes):
            values = np.array(pushes, float).reshape(-1, 6)
        else:
            try:
                spread = [np.broadcast_to(x, (*lead, 6)).reshape(-1, 6) for x in pushes]
            except ValueError:
                raise ArgumentError(
                    f"wrenches do not broadcast to the leading axes {lead} of q"
                ) from None
            values = np.ascontiguousarray(np.stack(spread, axis=1))
        bodies = [payload_row(str(name), x) for name, x in payload.items()]
        return (
            _last(gravity, "gravity", 3),
            flag("actuators", actuators),
            number("coulomb_width", coulomb_width),
            np.array([self._frame_index(name) for name in wrenches], np.int32),
            values,
            np.array([self._frame_index(name) for name in payload], np.int32),
            np.array(bodies, float).reshape(-1, 10),
        )

    def _need_mass(self, payload: Payload | None) -> None:
        carried = (
            payload_row(str(name), body)[0]
            for name, body in by_frame("payload", payload).items()
            if self.frame_step[self._frame_index(name)] >= 0
        )
        if not self.mass and not any(carried):
            raise ModelError("no link that moves has mass, so there is no center of mass")

    def _check_mass(self, loads: tuple[Any, ...]) -> None:
        """Raise ModelError for a joint that moves nothing with inertia."""
        heavy = np.any(self.step_inertial != 0, axis=1)
        for frame, body in zip(loads[5], loads[6], strict=True):
            step = self.frame_step[frame]
            if step >= 0:
                heavy[step] |= bool(np.any(body != 0))
        for s in range(len(heavy) - 1, -1, -1):
            if self.step_parent[s] >= 0:
                heavy[self.step_parent[s]] |= heavy[s]
        felt = heavy | (loads[1] & (self.step_motor[:, 0] > 0))
        lines = (self.step_kind != _BALL) & (self.step_follow < 0)
        # a coordinate of several steps is felt where one of them is; a swing's followers have none
        light = ~felt & (self.step_follow < 0)
        light &= ~(lines & np.isin(self.step_v, self.step_v[felt & lines]))
        if np.any(light):
            name = self.joint_names[self.step_joint[int(np.argmax(light))]]
            raise ModelError(
                f"joint {name!r} moves nothing that has mass, so its acceleration has no answer"
            )


def by_frame(name: str, loads: Any) -> Mapping[Any, Any]:
    """Return loads by their frames; none where there are none.

    Parameters
    ----------
    name : str
        Of the argument, for the sentence.
    loads : mapping of frame to load, or None
        What a caller gave.

    Returns
    -------
    mapping
        The same; empty for None.

    Raises
    ------
    TypeError
        When they do not say at which frames they are.

    Examples
    --------
    >>> by_frame("wrenches", {"tip": [0.0, 0.0, -10.0, 0.0, 0.0, 0.0]})
    {'tip': [0.0, 0.0, -10.0, 0.0, 0.0, 0.0]}
    """
    if loads is None:
        return {}
    if not isinstance(loads, Mapping):
        raise TypeError(f"{name} must be a dict by frame, got {type(loads).__name__}")
    return loads


def _last(x: ArrayLike, name: str, width: int) -> Array:
    """As an array (..., width) of floats."""
    return reals(x, name, (width,), finite=False)


def _spread(x: Array, lead: tuple[int, ...]) -> Array:
    """With these leading axes, each row in one piece."""
    return x if x.shape[:-1] == lead else np.broadcast_to(x, (*lead, x.shape[-1]))
