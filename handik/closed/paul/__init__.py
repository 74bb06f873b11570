"""Paul's and Pieper's way to an inverse model: equations of eleven types, solved in turn.

The pose of a serial arm is written as a product of its joints' motions; parts of the product are
brought to the other side by their inverses, and in each of these matrix equations one looks for
an element, or two, of a type that binds one or two joints. What is bound is known from then on.
`derive` does that in symbols, keeps the derivation for reading, as text and as LaTeX, and
evaluates it for given poses. It is meant for teaching and for checking; `Model.solutions` gives
the same configurations in C.

References
----------
Paul, Shimano and Mayer, "Kinematic control equations for simple manipulators", IEEE Transactions
on Systems, Man and Cybernetics 11 (1981) 449-455; Pieper, "The kinematics of manipulators under
computer control", Stanford AIM-72, 1968; Khalil and Dombre, Modeling, Identification and Control
of Robots, 2002, chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.closed.analytic import REACHED, Origin, Solutions
from handik.closed.paul._equations import BACK, GOAL, Algebra, Row
from handik.closed.paul._search import Step, goes_on, search
from handik.errors import UnsupportedError
from handik.files.read.dh import dh_transform
from handik.model import Model
from handik.spec._given import PoseLike, rigid_poses

__all__ = ["Derivation", "derive"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]
MOST_JOINTS = 6
#: Answers that miss the pose by more than this, in radians and in lengths of the arm, are none.
ACCEPTED = 1e-6
APART = 1e-6
#: As far as two ways to the same configuration end apart where it is all but a double one.
NEAR = 1e-4


@dataclass(frozen=True, eq=False)
class Derivation:
    """An inverse model in symbols, one step a joint or two.

    Attributes
    ----------
    steps : tuple of Step
        In the order they are solved in: ``type`` (1 to 11, or 0 for a difference of angles),
        ``joints`` (from 1), ``equations``, ``known`` (the capital letters of the type).
    values : dict
        Numbers of the lengths and fixed angles that stand in the equations.
    model : Model
        The arm.
    """

    steps: tuple[Step, ...]
    values: dict[str, float]
    model: Model
    _algebra: Algebra = field(repr=False)
    _offset: Array = field(repr=False)
    _before: Array = field(repr=False)
    _after: Array = field(repr=False)

    def __str__(self) -> str:
        lines = [
            "G = T1 ... Tn is the goal seen from joint 1, with columns n, o, a, p (q: position of "
            "G^-1); T_k = joint k and link k.",
            "C, S: cosine and sine of theta; C23 of theta2 + theta3; r: travel of a slide. Angles "
            "include the offset of the table.",
        ]
        if self.values:
            numbers = ", ".join(f"{k} = {x:.9g}" for k, x in self.values.items())
            lines.append(f"Here {numbers}.")
        for k, step in enumerate(self.steps, 1):
            lines += ["", f"{k}. {step.text()}"]
        return "\n".join(lines)

    def latex(self) -> str:
        """Return the derivation as LaTeX, one aligned block a step.

        Returns
        -------
        str
            To be set in mathematics mode.
        """
        return "\n\n".join(step.latex(k) for k, step in enumerate(self.steps, 1))

    def _repr_latex_(self) -> str:
        return self.latex()

    def solve(self, T: PoseLike) -> Solutions:
        """Evaluate the derivation for poses.

        Parameters
        ----------
        T : array_like, shape (..., 4, 4), or pair, or RigidTransform
            Poses of the last link frame (of the tool, when the model has one).

        Returns
        -------
        Solutions
            All branches that reach the pose to 1e-6, told apart at 1e-6, sorted; limits are not
            looked at, and nothing is polished: ``exact`` says which reach it to 1e-10. A joint
            that a singular pose leaves free stands at 0 (offset included), and ``free`` says so.
            ``sure`` where `Model.solutions` takes the arm and is sure of its configurations, and
            none of them is missing.

        Raises
        ------
        ArgumentError
            T has the wrong shape, or a pose is none.
        """
        poses = rigid_poses(T)
        lead, flat = poses.shape[:-2], poses.reshape(-1, 4, 4)
        theta, free, index = self._branches(flat)
        n = theta.shape[1]
        turns = np.array([row.turns for row in self._algebra.rows])
        q = theta - self._offset
        q = np.where(turns, np.pi - np.mod(np.pi - q, 2 * np.pi), q)
        size = max(float(self.model.max_reach), 1e-300)
        gap = self.model.fk(q) - flat[index]
        gap[:, :3, 3] /= size
        error = np.abs(gap).max(axis=(1, 2), initial=0.0)
        rows: list[list[tuple[Array, bool, Array]]] = [[] for _ in flat]
        for k in np.lexsort(q.T[::-1]):
            found = rows[index[k]]
            if not error[k] <= ACCEPTED:
                continue
            for other, _, loose in found:
                apart = np.abs(q[k] - other)
                apart = np.where(turns, np.minimum(apart, 2 * np.pi - apart), apart)
                if apart.max() < APART:
                    loose |= free[k]
                    break
            else:
                found.append((q[k], bool(error[k] <= REACHED), free[k].copy()))
        most = max((len(found) for found in rows), default=0)
        out = np.full((len(flat), most, n), np.nan)
        exact, loose = np.zeros((len(flat), most), bool), np.zeros((len(flat), most, n), bool)
        for i, found in enumerate(rows):
            for j, (row, good, bits) in enumerate(found):
                out[i, j], exact[i, j], loose[i, j] = row, good, bits
        count = np.array([len(found) for found in rows], np.int32).reshape(lead)
        sure = self._is_all(flat, out, loose, turns)
        single = not lead
        words = ", ".join(str(step.type) for step in self.steps)
        return Solutions(
            out.reshape(*lead, most, n),
            int(count) if single else count,
            exact.reshape(*lead, most),
            loose.reshape(*lead, most, n),
            bool(sure[0]) if single else sure.reshape(lead),
            None,
            Origin("paul", f"equations of types {words}", self.model, None),
        )

    def _is_all(
        self, poses: Array, rows: Array, loose: Any, turns: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Whether the rows hold what the closed forms and the general method in C are sure of."""
        try:
            known = self.model.solutions(poses)
        except UnsupportedError:  # one or two joints: nobody else knows
            return np.zeros(len(poses), np.bool_)
        sure = np.array(known.complete, bool)
        for k, count in enumerate(known.count):
            of_a_family = known.free[k, :count].any(axis=1) & loose[k].any()
            gap = np.abs(known.q[k, :count, None] - rows[k])
            gap = np.where(turns, np.abs(np.pi - np.mod(np.pi - gap, 2 * np.pi)), gap)
            least = np.fmin.reduce(gap.max(axis=2), axis=1, initial=np.inf)
            sure[k] &= bool(((least < NEAR) | of_a_family).all())
        return sure

    def _branches(self, poses: Array) -> tuple[Array, NDArray[np.bool_], NDArray[np.intp]]:
        """All branches of all poses: joints (m, n), free ones, and the pose of each."""
        numbers = goal_numbers(self._before, self._after, poses)
        numbers |= {name: np.full(len(poses), x) for name, x in self.values.items()}
        index = np.arange(len(poses))
        for step in self.steps:
            answers, loose = step.solve(numbers, len(index))
            keep, which = np.nonzero(np.all([~np.isnan(a) for a in answers], axis=0))
            index = index[keep]
            numbers = goes_on(keep, numbers)
            step.learn(numbers, [a[keep, which] for a in answers], loose[keep])
        rows = self._algebra.rows
        names = [str(j) if row.turns else f"r{j}" for j, row in enumerate(rows, 1)]
        none = np.zeros(len(index), bool)
        theta: Array = np.stack([numbers["@" + name] for name in names], axis=1)
        free: Any = np.stack([numbers.get("?" + name, none) for name in names], axis=1)
        return theta, free, np.asarray(index)


def goal_numbers(before: Array, after: Array, poses: Array) -> dict[str, Array]:
    """Elements of G and the position of its inverse, by name; one number a pose."""
    g = before @ poses @ after
    out = {name: g[:, k // 4, k % 4] for k, name in enumerate(GOAL)}
    back = -np.einsum("nij,ni->nj", g[:, :3, :3], g[:, :3, 3])
    return out | {name: back[:, k] for k, name in enumerate(BACK)}


def derive(
    table: ArrayLike, convention: str = "standard", *, kinds: str | Sequence[str] | None = None
) -> Derivation:
    """Derive the inverse model of a serial arm by equations of types 1 to 11.

    Parameters
    ----------
    table : array_like, shape (n, 4)
        Rows theta, d, a, alpha (radians, meters); at most six joints.
    convention : {"standard", "modified"}
        As `Model.from_dh`.
    kinds : str or sequence of str, optional
        Revolute or prismatic for each row, as `Model.from_dh`.

    Returns
    -------
    Derivation
        Its ``str`` prints the steps, `Derivation.latex` typesets them, `Derivation.solve`
        evaluates them.

    Raises
    ------
    UnsupportedError
        When no equation of the eleven types binds the joints that are left; such an arm needs
        the general method (`Model.solutions`). Also for fixed rows and more than six joints.
    ArgumentError
        When the table has the wrong shape.
    ImportError
        When SymPy is not there.

    Examples
    --------
    >>> print(derive(puma))  # doctest: +SKIP
    ...
    """
    try:
        import sympy  # noqa: F401
    except ImportError:
        raise ImportError("symbolic equations need SymPy: pip install 'handik[symbolic]'") from None
    model = Model.from_dh(table, convention, kinds=kinds)
    values = np.asarray(table, float)
    n = len(values)
    if n > MOST_JOINTS:
        raise UnsupportedError(f"{n} joints reach a pose in infinitely many ways: at most 6 here")
    if model.nq != n:
        raise UnsupportedError("fixed rows have no joint to solve for: put them into the next row")
    turns = [int(kind) == 0 for kind in model.step_kind]
    rows, offset, before, after = _links(values, convention, turns)
    algebra = Algebra(rows)
    rng = np.random.default_rng(7)
    trial = rng.uniform(-1, 1, (3, n)) * np.where(turns, np.pi, max(float(model.max_reach), 0.1))
    numbers = goal_numbers(before, after, model.fk(trial))
    steps, left = search(algebra, trial + offset, numbers)
    if left:
        names = ", ".join(("theta" if turns[j - 1] else "r") + str(j) for j in left)
        raise UnsupportedError(
            f"no equation of types 1 to 11 binds {names}: this arm needs the general method, "
            "Model.solutions"
        )
    return Derivation(tuple(steps), algebra.values, model, algebra, offset, before, after)


def _links(table: Array, convention: str, turns: list[bool]) -> tuple[list[Row], Any, Any, Any]:
    """Rows between the joints, offsets of the joints, and what stands before and after them."""
    n = len(table)
    theta, d, a, alpha = table.T
    if convention == "modified":  # what stands before a joint belongs to the link before it
        before = dh_transform(0, 0, a[0], alpha[0], convention)
        a, alpha = np.append(a[1:], 0.0), np.append(alpha[1:], 0.0)
    else:
        before = np.eye(4)
    offset = np.where(turns, theta, d)
    still = np.where(turns, 0.0, theta)  # fixed turns of slides: moved into the link before
    length = np.where(turns, d, 0.0)
    before = before @ dh_transform(still[0], length[0] if turns[0] else 0.0, 0, 0)
    if turns[0]:
        length = length.copy()
        length[0] = 0.0
    after = dh_transform(0, length[-1] if n > 1 else 0.0, a[-1], alpha[-1])
    if n > 1:
        length[-1] = 0.0
    rows = [
        Row(turns[i], length[i], a[i], alpha[i], still[i + 1] if i + 1 < n else 0.0)
        for i in range(n)
    ]
    return rows, offset, np.linalg.inv(before), np.linalg.inv(after)
