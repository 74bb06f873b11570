"""Envelopes of people of several statures, in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from handik.errors import ArgumentError
from handik.people._envelope import Envelope, envelope
from handik.people.human import human
from handik.spec._given import finite_number, list_of

if TYPE_CHECKING:
    from handik.people.impairments import Profile

__all__ = ["envelopes"]


def envelopes(
    percentiles: Sequence[float] = (5, 50, 95),
    frame: str = "index_tip_right",
    *,
    sex: str,
    profile: str | Profile | Sequence[str | Profile] | None = None,
    position: str = "seated",
    detail: str | tuple[str, ...] = "upper21",
    level: int = 2,
    resolution: float = 0.005,
    lock: Mapping[str, Any] | None = None,
    retries: int = 1,
    threads: int = 0,
    progress: Callable[[str, int, int], object] | bool | None = None,
) -> dict[float, Envelope]:
    """Find how far people of several percentiles of stature reach.

    Parameters
    ----------
    percentiles : sequence of float
        Of stature among people of that sex, in percent; the rest of each body is the middle of
        people of that stature.
    frame : str
        What reaches.
    sex : {"female", "male"}
    profile : str, Profile or sequence of these, optional
        The impairment of all of them; what their tremor needs is taken off every reach.
    position : {"seated", "standing"}
    detail : str or tuple of str
        As in `human`.
    level, resolution, lock, retries, threads, progress
        As in `envelope`.

    Returns
    -------
    dict of float to Envelope
        By percentile, in the order given.

    Raises
    ------
    ArgumentError
        When no percentile is given or one comes twice, or a number is out of range.
    NotFoundError
        When there is no such frame, joint or profile.

    Notes
    -----
    Percentiles of stature, not of reach: a person of the fifth percentile of stature does not have
    the fifth percentile of every reach. For those, draw a `population` and take the percentiles of
    its envelopes.

    Examples
    --------
    >>> from handik.people import envelopes
    >>> around = envelopes((5, 95), sex="female", level=0, resolution=0.05)
    >>> around[5].volume < around[95].volume
    True
    """
    wanted = [finite_number("a percentile", p) for p in list_of("percentiles", percentiles)]
    if not wanted or len(set(wanted)) < len(wanted):
        raise ArgumentError(f"percentiles must be one or more different ones, got {percentiles!r}")
    out = {}
    for percentile in wanted:
        person = human(
            sex=sex, percentile=percentile, profile=profile, position=position, detail=detail
        )
        out[percentile] = envelope(
            person.model,
            frame,
            level=level,
            resolution=resolution,
            margin=0.0 if person.impaired is None else person.impaired.margin,
            lock=lock,
            retries=retries,
            threads=threads,
            progress=progress,
        )
    return out
