"""A motion: configurations of a model over time, and what is done with the whole of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik._model import Model
from handik.errors import ArgumentError, shortened
from handik.people.motion import _files, _filters, _mixing
from handik.people.motion._mirror import mirrored
from handik.spec._given import finite_number, is_model, known_name, reals, text, whole_number

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Motion"]

Array = NDArray[np.float64]
#: Times are evenly spread when no step differs from the mean by more than this share.
_EVEN = 1e-3


class Motion:
    """Configurations of a model at moments, from the first to the last.

    It does not change: every method returns another one. Between two frames a joint takes the
    shortest way, a ball turning about one axis at one speed (slerp).

    Parameters
    ----------
    q : array_like, shape (n, nq)
        Radians, meters and quaternions w x y z, which are brought to length one.
    times : array_like, shape (n,)
        Seconds, rising.
    model : Model
        Any one.
    name : str
        What it is called in lists and files.

    Attributes
    ----------
    q : ndarray, shape (n, nq)
    times : ndarray, shape (n,)
    model : Model
    name : str

    Raises
    ------
    ArgumentError
        When shapes do not fit, a number is not finite, or the times do not rise.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.3, 0.2])
    >>> wave = hk.Motion([[0.0, 0.0], [0.2, 0.4]], [0.0, 1.0], arm)
    >>> wave.at(0.25).round(3).tolist()
    [0.05, 0.1]
    """

    __slots__ = ("_spacing", "model", "name", "q", "times")

    q: Array
    times: Array
    model: Model
    name: str
    _spacing: float | None  # seconds of a frame, should fewer than two be left to say so

    def __init__(self, q: ArrayLike, times: ArrayLike, model: Model, *, name: str = "") -> None:
        is_model(model)
        rows, moments = reals(q, "q", (model.nq,)), reals(times, "times", ())
        if rows.ndim != 2 or moments.shape != rows.shape[:1]:
            raise ArgumentError(
                f"q must have shape (n, {model.nq}) and times (n,), "
                f"got {rows.shape} and {moments.shape}"
            )
        back = np.flatnonzero(np.diff(moments) <= 0)
        if len(back):
            raise ArgumentError(
                f"times must rise: times[{back[0] + 1}] is not after the one before"
            )
        kept = {
            "q": np.array(model.integrate(rows, np.zeros((len(rows), model.nv)))),
            "times": moments.copy(),
            "model": model,
            "name": text("name", name),
            "_spacing": None,
        }
        for key, value in kept.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, key, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Motion does not change ({name}): make another")

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, frames: slice) -> Self:
        if not isinstance(frames, slice):
            raise TypeError(f"a part of a motion is taken by a slice, got {shortened(frames)}")
        step = frames.step
        if step is not None and not step > 0:
            raise ArgumentError("a motion is not taken backwards: use a step above zero")
        lasts = self.duration / (len(self) - 1) * (step or 1) if len(self) > 1 else None
        return self._like(self.q[frames], self.times[frames], lasts)

    def _like(self, q: Array, times: Array, spacing: float | None = None) -> Self:
        made = type(self)(q, times, self.model, name=self.name)
        object.__setattr__(made, "_spacing", spacing or self._spacing)
        return made

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        return (
            f"Motion{label} of {self.model.name!r}: {len(self)} frames, {self.duration:.3f} s, "
            f"nq {self.model.nq}"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self.q, self.times, self.model, self.name, self._spacing)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return float(self.times[-1] - self.times[0]) if len(self) else 0.0

    @property
    def rate(self) -> float:
        """Frames a second on the average; zero for fewer than two frames."""
        return (len(self) - 1) / self.duration if len(self) > 1 else 0.0

    # -- files ----------------------------------------------------------------------------------

    @classmethod
    def read(
        cls,
        source: str | bytes | os.PathLike[str],
        *,
        model: Model | None = None,
        scale: float = 1.0,
        up: str = "y",
    ) -> Self:
        """Read a motion: BVH with its skeleton, or MOT of OpenSim for a model that is given.

        Parameters
        ----------
        source : path, str or bytes
            A path, or a BVH document as bytes or as a str of several lines.
        model : Model, optional
            Of a ``.mot`` or ``.sto`` file: the one whose joints its columns name.
        scale : float
            Of BVH: meters in the file's unit of length, 0.01 for centimeters.
        up : str
            Of BVH: the file's axis that points up, ``"y"`` or ``"z"``.

        Returns
        -------
        Motion
            A BVH file that does not say its frame time is taken as 30 frames a second.

        Raises
        ------
        ReadError
            For what the format does not allow.
        ArgumentError
            When a ``.mot`` file is given without its model, or a BVH file with one.
        ModelError
            When the file's columns do not fit the model.
        UnsupportedError
            For another suffix.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.3, 0.2], "ball")
        >>> text = hk.write.to_bvh(arm, arm.sample(3, seed=1), frame_time=0.04)
        >>> hk.Motion.read(text)
        Motion 'text' of 'text': 3 frames, 0.080 s, nq 11
        """
        q, times, own, name, step = _files.read(source, model, scale, up)
        return cls(q, times, own, name=name)._like(q, times, step)

    def save(
        self, path: str | os.PathLike[str], *, scale: float = 1.0, up: str = "y", order: str = "ZXY"
    ) -> None:
        """Write a file: the motion with its skeleton (.bvh), or a table of coordinates (.mot).

        Parameters
        ----------
        path : path
            The file; its suffix gives the format. Of BVH ``bones`` of `handik.write.to_bvh` is set.
        scale : float
            Of BVH: meters in the file's unit of length.
        up : str
            Of BVH: the file's axis that points up.
        order : str
            Of BVH: the rotations of each node.

        Raises
        ------
        ArgumentError
            When BVH is asked for and the frames are not evenly spread in time.
        UnsupportedError
            For another suffix.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> import handik as hk
        >>> arm = hk.chain([0.3, 0.2])
        >>> wave = hk.Motion([[0.0, 0.0], [0.2, 0.4]], [0.0, 1.0], arm)
        >>> with TemporaryDirectory() as folder:
        ...     wave.save(f"{folder}/wave.mot")
        ...     hk.Motion.read(f"{folder}/wave.mot", model=arm).q.round(6).tolist()
        [[0.0, 0.0], [0.2, 0.4]]
        """
        _files.save(self, path, scale, up, order)

    # -- time -----------------------------------------------------------------------------------

    def at(self, times: ArrayLike) -> Array:
        """Return the configuration at any moment.

        Parameters
        ----------
        times : array_like, shape (...)
            Seconds, from the first frame's to the last's.

        Returns
        -------
        ndarray, shape (..., nq)

        Raises
        ------
        ArgumentError
            When a moment is outside the motion.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.3, 0.2])
        >>> hk.Motion([[0.0, 0.0], [0.2, 0.4]], [0.0, 1.0], arm).at([0.5, 1.0]).tolist()
        [[0.1, 0.2], [0.2, 0.4]]
        """
        moments = reals(times, "times", ())
        if not len(self):
            raise ArgumentError("a motion without frames has no moment")
        room = 1e-9 * max(1.0, abs(float(self.times[0])), abs(float(self.times[-1])))
        if (moments < self.times[0] - room).any() or (moments > self.times[-1] + room).any():
            raise ArgumentError(
                f"times must be from {self.times[0]:.6g} to {self.times[-1]:.6g} s, where the "
                "motion begins and ends"
            )
        if len(self) == 1:
            return np.array(np.broadcast_to(self.q[0], (*moments.shape, self.model.nq)))
        after = np.clip(np.searchsorted(self.times, moments, "right"), 1, len(self) - 1)
        span = self.times[after] - self.times[after - 1]
        share = np.clip((moments - self.times[after - 1]) / span, 0.0, 1.0)
        return self._between(self.q[after - 1], self.q[after], share)

    def _between(self, q0: Array, q1: Array, share: Array) -> Array:
        v = self.model.difference(q0, q1)
        return np.asarray(self.model.integrate(q0, np.asarray(share)[..., None] * v))

    def resample(self, rate: float) -> Self:
        """Return the motion at another rate, its first moment kept.

        Parameters
        ----------
        rate : float
            Frames a second, above zero. Half of it should be above what the motion holds: lower
            rates want `lowpass` first.

        Returns
        -------
        Motion
            Frames evenly spread; the last is the last that fits.

        Raises
        ------
        ArgumentError
            When `rate` is not above zero, or would give more than 10 million frames.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.3, 0.2])
        >>> len(hk.Motion([[0.0, 0.0], [0.2, 0.4]], [0.0, 1.0], arm).resample(25.0))
        26
        """
        rate = finite_number("rate", rate)
        if not rate > 0:
            raise ArgumentError(f"rate must be above zero, got {rate!r}")
        if self.duration * rate > 1e7:
            raise ArgumentError(f"rate {rate!r} would give more than 10 million frames")
        if not len(self):
            return self
        count = int(np.floor(self.duration * rate * (1 + 1e-12) + 1e-9)) + 1
        moments = np.minimum(self.times[0] + np.arange(count) / rate, self.times[-1])
        return self._like(self.at(moments), moments)

    def _step(self) -> float:
        """Seconds between frames that are evenly spread."""
        steps = np.diff(self.times)
        step = float(steps.mean()) if len(steps) else 0.0
        if not len(steps) or np.abs(steps - step).max() > _EVEN * step:
            raise ArgumentError(
                "this needs two frames or more, evenly spread in time: see Motion.resample"
            )
        return step

    # -- smoothing ------------------------------------------------------------------------------

    def smooth(self, window: int = 9, degree: int = 2) -> Self:
        """Return the motion smoothed by the polynomial that fits each frame and its neighbors.

        Parameters
        ----------
        window : int
            Frames in each fit, odd.
        degree : int
            Of the polynomial over time, below `window`.

        Returns
        -------
        Motion
            With the same times, brought back into the limits where the smoothing led out of them.

        Raises
        ------
        ArgumentError
            When `window` is even or more than there are frames, or `degree` not below it.

        Notes
        -----
        The method of Savitzky and Golay, Analytical Chemistry 36 (1964) 1627-1639, in the tangent
        space of each frame, so that balls and free joints are smoothed as rotations; at the ends,
        and where times are uneven, by the polynomial through the frames that are there.

        Examples
        --------
        >>> import numpy as np, handik as hk
        >>> t = np.linspace(0.0, 1.0, 21)
        >>> arm = hk.chain([0.3, 0.2])
        >>> curve = hk.Motion(np.stack([t, t**2], 1), t, arm)
        >>> bool(np.allclose(curve.smooth(7, 2).q, curve.q))
        True
        """
        window = whole_number("window", window)
        degree = whole_number("degree", degree)
        if window % 2 == 0 or window > len(self):
            raise ArgumentError(f"window must be odd and at most {len(self)} frames, got {window}")
        if degree >= window:
            raise ArgumentError(f"degree must be below window, {window}, got {degree}")
        v = _filters.polynomial(self.model, self.q, self.times, window, degree)
        return self._moved(v)

    def lowpass(self, cutoff: float, order: int = 2) -> Self:
        """Return the motion without what is faster than a frequency, and without delay.

        Parameters
        ----------
        cutoff : float
            Hertz, below half the rate; 6 is customary for walking.
        order : int
            Of the Butterworth filter, 1 to 8, which runs forwards and backwards.

        Returns
        -------
        Motion
            With the same times, brought back into the limits where the filter led out of them.

        Raises
        ------
        ArgumentError
            When `cutoff` or `order` is out of range, or the motion too short for it.
        ImportError
            Without SciPy.

        Notes
        -----
        The filter is the mean of the neighbors' tangents weighed by the impulse response of both
        passes; for joints of one coordinate that is the filter itself.

        Examples
        --------
        >>> import numpy as np, handik as hk
        >>> t = np.arange(200) / 100
        >>> arm = hk.chain([0.3])
        >>> shaky = hk.Motion((np.sin(2 * t) + 0.1 * np.sin(300 * t))[:, None], t, arm)
        >>> bool(abs(shaky.lowpass(5.0).q[50:150, 0] - np.sin(2 * t[50:150])).max() < 0.003)
        True
        """
        cutoff, order = finite_number("cutoff", cutoff), whole_number("order", order)
        rate = 1.0 / self._step()
        if not 0 < cutoff < rate / 2 or not 1 <= order <= 8:
            raise ArgumentError(
                f"cutoff must be above 0 and below {rate / 2:.6g} Hz and order 1 to 8, "
                f"got {cutoff!r}, {order}"
            )
        needed = rate / cutoff  # a period; the weights, which are more, only where it fits
        if needed <= len(self):
            weights = _filters.butterworth(cutoff / rate, order)
            needed = len(weights)
        if needed > len(self):
            said = f"a cutoff of {cutoff:.6g} Hz needs {needed:.7g} frames or more"
            raise ArgumentError(f"{said}, there are {len(self)}")
        return self._moved(_filters.convolved(self.model, self.q, weights))

    def _moved(self, v: Array) -> Self:
        q = np.asarray(self.model.clip(self.model.integrate(self.q, v)))
        return self._like(q, self.times)

    def velocities(self) -> Array:
        """Return how fast each coordinate moves at each frame.

        Returns
        -------
        ndarray, shape (n, nv)
            Radians and meters a second, in the coordinates of `Model.integrate`: by the parabola
            through each frame and its neighbors.

        Raises
        ------
        ArgumentError
            When there are fewer than three frames.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.3])
        >>> hk.Motion([[0.0], [1.0], [4.0]], [0, 1, 2], arm).velocities().round(9).tolist()
        [[0.0], [2.0], [4.0]]
        """
        if len(self) < 3:
            raise ArgumentError(f"velocities need three frames or more, there are {len(self)}")
        return _filters.polynomial(self.model, self.q, self.times, 3, 2, derivative=1)

    # -- mixing ---------------------------------------------------------------------------------

    def blend(self, other: Motion, share: ArrayLike = 0.5) -> Self:
        """Return a mixture with another motion of the same model, moment by moment.

        Parameters
        ----------
        other : Motion
            It must last at least as long from its own first moment on.
        share : float or array_like, shape (n,)
            How much of the other: 0 none, 1 all.

        Returns
        -------
        Motion
            With this one's times.

        Raises
        ------
        ArgumentError
            When the models differ, the other is shorter, or a share is not 0 to 1.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.3, 0.2])
        >>> low = hk.Motion([[0.0, 0.0], [0.0, 0.0]], [0.0, 1.0], arm)
        >>> high = hk.Motion([[1.0, 1.0], [1.0, 2.0]], [0.0, 1.0], arm)
        >>> low.blend(high, 0.25).q.tolist()
        [[0.25, 0.25], [0.25, 0.5]]
        """
        other = _mixing.of_the_same(self, other)
        shares = reals(share, "share", ())
        if shares.shape not in ((), (len(self),)) or (shares < 0).any() or (shares > 1).any():
            raise ArgumentError(f"share must be 0 to 1, one number or ({len(self)},)")
        if not len(self):
            return self
        if not len(other) or self.duration > other.duration + 1e-9:
            raise ArgumentError(f"the other motion lasts {other.duration:.6g} s, this one longer")
        theirs = other.at(np.minimum(self.times - self.times[0] + other.times[0], other.times[-1]))
        q = self._between(self.q, theirs, np.broadcast_to(shares, len(self)))
        return self._like(q, self.times)

    def then(self, other: Motion, overlap: float = 0.3) -> Self:
        """Return this motion followed by another of the same model, one fading into the other.

        Parameters
        ----------
        other : Motion
            Begins `overlap` before this one ends.
        overlap : float
            Seconds, above zero and at most the duration of either.

        Returns
        -------
        Motion
            At this one's moments up to its end, then at the other's. Roots are not brought
            together: where the other stands elsewhere, the figure glides there.

        Raises
        ------
        ArgumentError
            When the models differ, or `overlap` is out of range.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.3])
        >>> up = hk.Motion([[0.0], [1.0]], [0.0, 1.0], arm)
        >>> up.then(hk.Motion([[1.0], [0.0]], [0.0, 1.0], arm), 0.5).duration
        1.5
        """
        other, overlap = _mixing.of_the_same(self, other), finite_number("overlap", overlap)
        if not 0 < overlap <= min(self.duration, other.duration):
            raise ArgumentError(
                f"overlap must be above 0 and at most {min(self.duration, other.duration):.6g} s"
            )
        both, mine, theirs, share = _mixing.one_after_another(self, other, overlap)
        return self._like(self._between(mine, theirs, share), both)

    def mirror(
        self, pairs: Mapping[str, str] | None = None, *, normal: ArrayLike | None = None
    ) -> Self:
        """Return the motion as a mirror shows it: what the left did, the right does.

        Parameters
        ----------
        pairs : mapping of joint name to joint name, optional
            Joints that change places, each named once; those not named, and by default all, by
            what their names say of left and right (``LeftArm``, ``arm_left``, ``l_arm``, ``lArm``).
        normal : array_like, shape (3,), optional
            Of the mirror, which stands in the world's origin; by default along the line from the
            right to the left joints of the model with all coordinates zero.

        Returns
        -------
        Motion

        Raises
        ------
        NotFoundError
            When a joint of `pairs` is not there.
        ModelError
            When a joint and its partner are of different kinds, or their axes, with all
            coordinates zero, are no mirror images.

        Notes
        -----
        Turns are mirrored about the configuration of all coordinates zero, which should be
        symmetric; links of different length left and right keep theirs.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.3, 0.2])
        >>> wave = hk.Motion([[0.1, 0.2], [0.2, 0.4]], [0.0, 1.0], arm)
        >>> wave.mirror().q.tolist()
        [[-0.1, -0.2], [-0.2, -0.4]]
        """
        q = mirrored(self.model, self.q, pairs, normal)
        return self._like(q, self.times)

    # -- looking --------------------------------------------------------------------------------

    def path(self, frame: str) -> Array:
        """Return where a frame's origin goes.

        Parameters
        ----------
        frame : str
            A link or frame of the model.

        Returns
        -------
        ndarray, shape (n, 3)
            Meters.

        Raises
        ------
        NotFoundError
            When there is no such frame.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.3, 0.2])
        >>> hk.Motion([[0.0, 0.0]], [0.0], arm).path("tip").tolist()
        [[0.5, 0.0, 0.0]]
        """
        known_name("frame", frame, self.model.frame_names)
        return np.array(self.model.fk(self.q, frame=frame)[:, :3, 3])


def _again(q: Array, times: Array, model: Model, name: str, spacing: float | None) -> Motion:
    return Motion(q, times, model, name=name)._like(q, times, spacing)
