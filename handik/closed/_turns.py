"""Whole turns: which of them the limits allow, and which brings one configuration near another."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.model import Model

Array = NDArray[np.float64]
TURN = 0
#: Configurations that `turns=True` lists at most for one pose.
MOST_TURNS = 1_000_000
#: Outside a limit by no more than this a whole turn still counts as inside.
SLACK = 5e-11


def periods(model: Model) -> Array:
    """Period of each coordinate of q: 0 for what does not turn."""
    period = np.zeros(model.nq)
    for kind, at, line in zip(model.step_kind, model.step_q, model.step_line, strict=True):
        if kind == TURN and line[0] != 0:  # 0: it follows the swing of a ball
            period[at] = 2 * np.pi / abs(line[0])
    return period


def turned_towards(model: Model, q: Array, wanted: Array) -> Array:
    """Add whole turns to bring q near `wanted`, as far as the limits allow."""
    period = periods(model)
    step = np.where(period > 0, period, 1.0)
    with np.errstate(invalid="ignore"):
        turns = np.round((wanted - q) / step)
        least = np.ceil((model.lower - SLACK - q) / step)
        most = np.floor((model.upper + SLACK - q) / step)
    turns = np.where(period > 0, np.clip(turns, least, most), 0.0)
    return kept_in(model, q + turns * step)


def kept_in(model: Model, q: Array) -> Array:
    """Whole turns taken up to the slack above can end that much outside: put back to the limit."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.clip(q, model.lower, model.upper))


def every_turn(model: Model, q: Array) -> Array:
    """Return all rows of q with every whole turn that finite limits allow, sorted; (m, nq)."""
    period = periods(model)
    rows: list[Array] = []
    spans = np.where(period > 0, model.upper - model.lower, 0.0)
    spans = np.where(np.isfinite(spans), spans, 0.0) / np.where(period > 0, period, 1.0)
    if len(q) * np.prod(np.floor(spans) + 1) > MOST_TURNS:
        raise ArgumentError(
            f"the limits of {model.name!r} are so wide that one pose has more than {MOST_TURNS} "
            "postures with turns=True: narrow them, or use Solutions.nearest"
        )
    for row in q:
        choices = []
        for at in range(model.nq):
            low, high = model.lower[at], model.upper[at]
            if period[at] > 0 and np.isfinite(low) and np.isfinite(high):
                first = np.ceil((low - SLACK - row[at]) / period[at])
                last = np.floor((high + SLACK - row[at]) / period[at])
                choices.append(row[at] + period[at] * np.arange(first, last + 1))
            else:
                choices.append(row[at : at + 1])
        rows += [np.array(values) for values in product(*choices)]
    if not rows:
        return np.empty((0, model.nq))
    found = kept_in(model, np.array(rows))
    return found[np.lexsort(found.T[::-1])]
