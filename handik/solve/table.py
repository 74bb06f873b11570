"""The table of solvers: what there is, where it comes from, what can be set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, SupportsIndex, overload

from handik import _core
from handik.errors import ArgumentError, name_not_found
from handik.solve.own import KNOWN, ranges_of
from handik.spec._given import known_name

__all__ = ["OptionRange", "SolverInfo", "SolverTable", "check_name", "check_options", "solvers"]

_NAMES: tuple[str, ...] = tuple(row[0] for row in _core.table("solvers"))
_OPTIONS: frozenset[str] = frozenset(name for row in _core.table("solvers") for name in row[4])


class OptionRange(NamedTuple):
    """Which values an option may have, both ends included.

    Attributes
    ----------
    least, most : float
        The ends.
    whole : bool
        Whether whole numbers alone will do.
    """

    least: float
    most: float
    whole: bool
    """A whole number."""

    def __str__(self) -> str:
        return f"{'whole, ' if self.whole else ''}{self.least:.6g} to {self.most:.6g}"


@dataclass(frozen=True, slots=True)
class SolverInfo:
    """One row of the solver table: what it is, where it comes from, what can be set.

    Attributes
    ----------
    name : str
        What `Solver` takes.
    summary : str
        One sentence.
    reference : str
        Paper or book.
    max_iter : int
        Cap on iterations when none is given.
    options : dict of str to float
        Its own options and their defaults.
    own : bool
        True for one made in Python by `handik.solver`.
    ranges : dict of str to OptionRange
        What each option may be.
    """

    name: str
    summary: str
    reference: str
    max_iter: int
    options: dict[str, float]
    """Its own options with the values they have where nothing is said."""
    own: bool
    """More than one published method, so that no single attempt of it is published."""
    ranges: dict[str, OptionRange]
    """Which values each of its options may have; any other is an `ArgumentError`."""

    @property
    def plain(self) -> dict[str, float]:
        """Options of a single attempt, as the papers have it: no new starts.

        Empty for solvers of this library's own, and for those that draw from the first.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.4, 0.3, 0.2])
        >>> ccd = hk.solvers()["ccd"]
        >>> arm.solve(position=[0.5, 0.4, 0.0], solver="ccd", **ccd.plain).n_restarts
        0
        """
        return {"max_restarts": 0.0} if not self.own and "max_restarts" in self.options else {}


class SolverTable(tuple[SolverInfo, ...]):
    """The solvers there are: lines at the prompt, a table with all options in Jupyter.

    Parameters
    ----------
    iterable : iterable of SolverInfo
        The rows.
    """

    __slots__ = ()

    @overload
    def __getitem__(self, key: SupportsIndex | str, /) -> SolverInfo: ...
    @overload
    def __getitem__(self, key: slice, /) -> tuple[SolverInfo, ...]: ...
    def __getitem__(self, key: Any, /) -> Any:
        """Return a row by its number or its name, or some by a slice."""
        if not isinstance(key, str):
            return super().__getitem__(key)
        names = [row.name for row in self]
        known_name("solver", key, names)
        return super().__getitem__(names.index(key))

    def __repr__(self) -> str:
        width = max(len(row.name) for row in self)
        return "\n".join(f"{row.name:{width}} {row.summary} ({row.reference})" for row in self)

    def _repr_html_(self) -> str:
        from handik.spec._html import html_table

        head = [("solver", "what it does", "source", "max_iter", "options, defaults and ranges")]
        return html_table(
            head,
            [
                (
                    row.name,
                    row.summary,
                    row.reference,
                    str(row.max_iter),
                    ", ".join(
                        f"{name}={value:.6g} ({row.ranges[name]})"
                        for name, value in row.options.items()
                    ),
                )
                for row in self
            ],
        )


def solvers() -> SolverTable:
    """Return the solvers there are, with their own options, defaults and ranges.

    Returns
    -------
    SolverTable
        A tuple of `SolverInfo`, in the order in which `solver=None` tries them; then those made
        by `handik.solver`, which it does not try.

    Examples
    --------
    >>> import handik as hk
    >>> [s.name for s in hk.solvers()][:2]
    ['auto', 'fabrik']
    >>> dls = hk.solvers()["dls"]
    >>> dls.options["damping"], dls.ranges["damping"].least
    (0.0, 0.0)
    """
    ours = [
        SolverInfo(*row[:6], {name: OptionRange(*of) for name, of in row[6].items()})
        for row in _core.table("solvers")
    ]
    theirs = [
        SolverInfo(
            *(own.name, own.summary, own.reference or "Python", own.max_iter, dict(own.options)),
            own=True,
            ranges={name: OptionRange(*of) for name, of in ranges_of(own).items()},
        )
        for own in KNOWN.values()
    ]
    return SolverTable([*ours, *theirs])


#: Keywords by other libraries' words and ours of old, and what they are called here.
PEERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("x0", "initial_guess", "initial_position", "initial_angles"), ("q0",)),
    **dict.fromkeys(("qinit", "q_init", "qpos", "q_start", "seed_state", "start"), ("q0",)),
    **dict.fromkeys(
        ("tol", "atol", "xtol", "eps", "tolerance", "precision", "threshold"),
        ("position_tolerance", "orientation_tolerance"),
    ),
    **dict.fromkeys(
        ("pos_tol", "pos_threshold", "tol_pos", "linear_tolerance"), ("position_tolerance",)
    ),
    **dict.fromkeys(
        ("ori_tol", "rot_tol", "ori_threshold", "angular_tolerance"), ("orientation_tolerance",)
    ),
    **dict.fromkeys(
        ("maxiter", "max_iters", "maxiters", "max_iterations", "iterations", "ilimit", "nit"),
        ("max_iter",),
    ),
    **dict.fromkeys(("max_nfev", "maxfev", "max_steps", "n_iter"), ("max_iter",)),
    **dict.fromkeys(("starts", "n_restarts", "slimit", "n_starts", "attempts"), ("max_restarts",)),
    **dict.fromkeys(("restarts", "n_retries", "tries", "n_attempts"), ("retries", "max_restarts")),
    **dict.fromkeys(("nudges", "pushes"), ("perturbations",)),
    **dict.fromkeys(("stall", "rtol", "f_tol"), ("ftol",)),
    **dict.fromkeys(("clamp", "step_limit", "max_delta", "step_size"), ("max_step",)),
    **dict.fromkeys(("aim", "gain", "alpha"), ("step_fraction",)),
    **dict.fromkeys(("avoid", "avoidance", "kq"), ("limit_avoidance",)),
    **dict.fromkeys(("rest", "posture_weight", "regularization_parameter"), ("posture",)),
    **dict.fromkeys(("lm_damping", "lambda_", "lam", "mu"), ("damping",)),
    **dict.fromkeys(("heat", "temperature"), ("initial_temperature",)),
    **dict.fromkeys(("km", "kj"), ("manipulability",)),
    **dict.fromkeys(("timeout", "max_time", "maxtime", "timelimit"), ("time_limit",)),
    **dict.fromkeys(("n_jobs", "workers", "n_threads", "num_threads", "processes"), ("threads",)),
    **dict.fromkeys(("random_state", "rng"), ("seed",)),
    **dict.fromkeys(("method", "algorithm", "backend"), ("solver",)),
    **dict.fromkeys(("target_position", "xyz", "translation", "point"), ("position",)),
    **dict.fromkeys(("pos", "p"), ("position",)),
    **dict.fromkeys(
        ("target_orientation", "rotation", "quaternion", "quat", "rot", "R", "rpy"),
        ("orientation",),
    ),
    **dict.fromkeys(("orientation_mode", "direction"), ("axis",)),
    **dict.fromkeys(
        ("T", "Tep", "transform", "transform_target_to_world", "target_pose", "matrix", "se3"),
        ("pose",),
    ),
    **dict.fromkeys(("target", "targets", "goal"), ("position", "pose")),
    **dict.fromkeys(("end", "ee", "end_effector", "tip", "link", "body", "site"), ("frame",)),
    **dict.fromkeys(("locked", "fixed", "hold", "mask"), ("lock",)),
    "freeze": ("final_temperature",),
    "svd": ("use_svd",),
    "solutions": ("n_candidates",),
    "callback": ("progress",),
    "history": ("trace",),
}


def check_name(name: object) -> None:
    """Raise when there is no solver of this name; None is the first that takes the problem.

    Parameters
    ----------
    name : str or None
        What a caller gave.

    Raises
    ------
    TypeError
        When it is no text.
    NotFoundError
        When there is no such solver; the sentence has the nearest names.

    Examples
    --------
    >>> check_name("fabrik")
    """
    if name is None:
        return
    if not isinstance(name, str):
        hint = '; @hk.solver("a name") makes a solver of a function' if callable(name) else ""
        raise TypeError(f"solver must be the name of a solver, got {type(name).__name__}{hint}")
    if name not in _NAMES and name not in KNOWN:
        raise name_not_found("solver", name, (*_NAMES, *KNOWN))


def check_options(solver: str | None, given: Iterable[str], others: Iterable[str]) -> None:
    """Raise when a keyword is an option of no solver; `others` are the keywords there are besides.

    Whether this one of the library's has it, the core says; of one of Python it is said here.

    Parameters
    ----------
    solver : str or None
        The solver; None: the first that takes the problem.
    given : iterable of str
        Keywords that a caller gave.
    others : iterable of str
        Keywords of the call itself.

    Raises
    ------
    ArgumentError
        The sentence has the keywords of a near name.

    Examples
    --------
    >>> check_options("fabrik", ["max_restarts"], ["max_iter"])
    """
    options = _OPTIONS if solver not in KNOWN else KNOWN[solver].options
    for name in given:
        if name in options:
            continue
        from difflib import get_close_matches

        known = sorted({*options, *others})
        near = [word for word in PEERS.get(name, ()) if word in known]
        near = near or get_close_matches(name, known, n=3)
        near += [word for word in known if name in word.split("_") and word not in near]
        hint = f"; did you mean {' or '.join(f'{word}=' for word in near)}?" if near else ""
        raise ArgumentError(f"there is no option {name!r}{hint}")
