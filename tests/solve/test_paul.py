"""Paul's equations: each type alone, then whole derivations against the postures of the C core."""

from __future__ import annotations

import numpy as np
import pytest
from dh_tables import CRX, DENSO, HALF, PUMA, SCARA, SKEW, STANFORD, UR5
from numpy import pi

import handik as hk
from handik.closed.paul import types

pytest.importorskip("sympy")
from handik.closed.paul import derive

ARMS = {
    "puma": ("RRRRRR", PUMA),
    "stanford": ("RRPRRR", STANFORD),
    "scara": ("RRPR", SCARA),
    "ur5": ("RRRRRR", UR5),
    "denso": ("RRRRR", DENSO),
    "cylinder": (
        "RPPRRR",
        [
            [0, 0.3, 0, 0],
            [0.4, 0.1, 0, -HALF],
            [0, 0.2, 0, 0],
            [0, 0, 0, -HALF],
            [0, 0, 0, HALF],
            [0.3, 0.1, 0.02, 0.5],
        ],
    ),
}
TYPES = {
    "puma": {2, 3, 7},
    "stanford": {1, 2, 3},
    "scara": {1, 3, 8},
    "ur5": {2, 3, 8},
    "denso": {2, 3, 8},
    "cylinder": {1, 2, 3},
}


def wrapped(x: np.ndarray) -> np.ndarray:
    return np.abs((x + pi) % (2 * pi) - pi)


def has(found: np.ndarray, *wanted: float) -> bool:
    """One of the answers (k, unknowns) is the wanted one."""
    return bool((np.nan_to_num(wrapped(found - np.array(wanted)), nan=9).max(axis=-1) < 1e-7).any())


# ---- the types alone: numbers are made from answers, which must come back ----


def drawn(seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2, 2, count)


@pytest.mark.parametrize("seed", range(8))
def test_types_of_one_unknown(seed: int) -> None:
    a, b, c, d, x = drawn(seed, 5)
    S, C = np.sin(x), np.cos(x)
    assert types.type_1(a, a * x)[0] == pytest.approx(x)
    two = types.type_2(a, b, a * S + b * C)
    assert has(two[:, None], x)
    assert np.abs(a * np.sin(two) + b * np.cos(two) - a * S - b * C).max() < 1e-12
    three = types.type_3(a, b, a * S + b * C, c, d, c * S + d * C)
    assert has(three[:, None], x)
    assert np.isnan(three[1])
    nine = types.type_9(a, b, -a * x * x - b * x)
    assert np.abs(nine - x).min() < 1e-9
    ten = types.type_10(a, b, c, d, -(a * x**4 + b * x**3 + c * x**2 + d * x))
    assert np.nanmin(np.abs(ten - x)) < 1e-7
    rest = -(a * S * S + b * C * S + c * C + d * S)
    eleven = types.type_11(a, b, c, d, rest)
    assert has(eleven[:, None], x)
    s, co = np.sin(eleven), np.cos(eleven)
    assert np.nanmax(np.abs(a * s * s + b * co * s + c * co + d * s + rest)) < 1e-9
    assert np.count_nonzero(~np.isnan(eleven)) % 2 == 0


@pytest.mark.parametrize("seed", range(8))
def test_types_of_two_unknowns(seed: int) -> None:
    a, b, c, d, r, i, j = drawn(seed + 50, 7)
    both = np.stack(types.type_4(a, a * r * np.sin(i), b, b * r * np.cos(i)), axis=-1)
    assert has(both, r, i)
    both = np.stack(types.type_5(a, a * np.sin(i) - c * r, c, b, b * np.cos(i) - d * r, d), axis=-1)
    assert has(both, r, i)
    right = a * np.cos(i) + b * np.sin(i), a * np.sin(i) - b * np.cos(i)
    both = np.stack(types.type_6(c, a, b, c * np.sin(j) - right[0], c * np.cos(j) - right[1]), -1)
    assert has(both, i, j)
    left = c * np.cos(j) + d * np.sin(j), c * np.sin(j) - d * np.cos(j)
    both = np.stack(types.type_7(c, d, a, b, left[0] - right[0], left[1] - right[1]), axis=-1)
    assert has(both, i, j)
    z1, z2 = a * np.cos(i) + b * np.cos(i + j), a * np.sin(i) + b * np.sin(i + j)
    both = np.stack(types.type_8(a, b, z1, z2), axis=-1)
    assert has(both, i, j)


def test_what_has_no_answer_has_none() -> None:
    assert np.isnan(types.type_1(0.0, 1.0)).all()
    assert np.isnan(types.type_1([1e-17, -1e-17], [1.0, -0.5])).all()  # rounding beside its number
    assert types.type_1(1e-17, 2e-17)[0] == pytest.approx(2.0)
    assert np.isnan(types.type_2(1.0, 1.0, 2.0)).all()
    assert np.isnan(types.type_3(1.0, 0.0, 1.0, 0.0, 1.0, 1.0)).all()
    assert np.isnan(types.type_8(1.0, 1.0, 3.0, 0.0)[1]).all()
    assert np.isnan(types.type_9(1.0, 0.0, 1.0)).all()
    assert np.isnan(types.type_11(0.0, 0.0, 1.0, 0.0, 2.0)).all()
    assert types.type_2(0.0, 0.0, 0.0)[0] == 0  # free
    double = types.type_2(3.0, 4.0, 5.0)
    assert double[0] == pytest.approx(np.arctan2(3, 4))
    assert np.isnan(double[1])


def test_types_take_arrays() -> None:
    x = np.linspace(-3, 3, 11)
    found = types.type_2(np.ones(11), 0.0, np.sin(x))
    assert found.shape == (11, 2)
    assert (wrapped(found - x[:, None]).min(axis=1) < 1e-7).all()


# ---- whole arms ----


@pytest.fixture(scope="module", params=ARMS)
def arm(request):
    kinds, table = ARMS[request.param]
    model = hk.Model.from_dh(table, kinds=kinds)
    return request.param, model, derive(table, kinds=kinds)


def same_postures(model: hk.Model, T: np.ndarray, derivation, tolerance: float) -> int:
    """Both give the same set for each pose; how many postures there were."""
    ours, core = derivation.solve(T), model.solutions(T)
    assert (ours.count == core.count).all()
    turns = np.array([int(k) == 0 for k in model.step_kind])
    for a, b, n in zip(ours.q, core.q, ours.count, strict=True):
        gap = np.abs(a[:n, None] - b[None, :n])
        gap = np.where(turns, wrapped(gap), gap).max(axis=-1)
        assert gap.min(axis=0).max() < tolerance
        assert gap.min(axis=1).max() < tolerance
    return int(ours.count.sum())


def test_numbers_match_the_core(arm) -> None:
    name, model, derivation = arm
    q = np.random.default_rng(3).uniform(-3, 3, (60, model.nq))
    T = model.fk(q)
    assert same_postures(model, T, derivation, 1e-8) >= 2 * len(T) * (name != "cylinder")
    assert {step.type for step in derivation.steps} == TYPES[name]
    found = derivation.solve(T)
    there = ~np.isnan(found.q[..., 0])
    reached = model.fk(found.q[there])
    wanted = np.broadcast_to(T[:, None], (*there.shape, 4, 4))[there]
    assert np.abs(reached - wanted).max() < 1e-7
    assert found.exact[there].mean() > 0.95


def test_it_reads_as_a_derivation(arm) -> None:
    name, model, derivation = arm
    text, tex = str(derivation), derivation.latex()
    assert "theta1" in text
    for k, step in enumerate(derivation.steps, 1):
        assert f"{k}. Type {step.type} gives" in text
        assert rf"\textbf{{{k}.}}" in tex
    assert tex.count("begin{aligned}") == tex.count("end{aligned}") == len(derivation.steps)
    assert tex.count("{") == tex.count("}")
    bound = {u for step in derivation.steps for u in step.unknowns}
    bound |= {u for step in derivation.steps for u, _ in step.follows}
    for j in range(1, model.nq + 1):
        assert str(j) in bound or f"r{j}" in bound


def test_its_equations_hold_at_any_posture(arm) -> None:
    """Each printed equation is zero at postures it was not derived from."""
    from handik.closed.paul import goal_numbers
    from handik.closed.paul._search import evaluate, true_numbers

    _, model, d = arm
    q = np.random.default_rng(11).uniform(-2, 2, (4, model.nq))
    numbers = goal_numbers(d._before, d._after, model.fk(q))
    numbers = true_numbers(d._algebra, q + d._offset, numbers)
    for step in d.steps:
        for equation in step.equations:
            assert np.abs(evaluate(equation.poly, d._algebra, numbers, 4)).max() < 1e-12


def test_singular_wrist_has_a_free_joint() -> None:
    kinds, table = ARMS["puma"]
    model, derivation = hk.Model.from_dh(table), derive(table)
    q = np.array([0.3, 0.4, 0.5, 0.6, 0.0, 0.7])
    found = derivation.solve(model.fk(q))
    assert found.count > 0
    assert found.free[:, 3].any()
    assert np.abs(model.fk(found.q) - model.fk(q)).max() < 1e-7


@pytest.mark.parametrize("size", [0.0, 1e-17, 1.5e-8, 0.99e-7])
def test_numbers_of_the_size_of_rounding_leave_an_angle_free(size) -> None:
    """What a processor makes of a sine that is zero: nothing, or the root of its rounding."""
    tiny = np.array([size, -size])
    for found in (types.type_2(tiny, 0, 0), types.type_3(tiny, 0, 0, 0, tiny, 1e-17)):
        assert (found[:, 0] == 0).all()
        assert np.isnan(found[:, 1]).all()
    told = types.type_3([1.01e-7], [0.0], [1.01e-7], [0.0], [1.01e-7], [0.0])
    assert told[0, 0] == pytest.approx(np.pi / 2)


def test_out_of_reach_is_empty() -> None:
    kinds, table = ARMS["ur5"]
    T = np.eye(4)
    T[0, 3] = 9
    found = derive(table).solve(T)
    assert found.count == 0
    assert found.q.shape == (0, 6)


def test_modified_convention() -> None:
    table = [
        [0, 0.3, 0, 0],
        [0, 0, 0.1, -HALF],
        [0.2, 0.1, 0.4, 0],
        [0, 0.5, 0.05, -HALF],
        [0, 0, 0, HALF],
        [0, 0.1, 0, -HALF],
    ]
    model = hk.Model.from_dh(table, "modified")
    derivation = derive(table, "modified")
    same_postures(
        model, model.fk(np.random.default_rng(5).uniform(-3, 3, (20, 6))), derivation, 1e-8
    )


@pytest.mark.slow
def test_skew_arm_needs_type_11() -> None:
    """Pieper's elimination: three skew turns and a wrist."""
    model, derivation = hk.Model.from_dh(SKEW), derive(SKEW)
    assert 11 in {step.type for step in derivation.steps}
    T = model.fk(np.random.default_rng(5).uniform(-3, 3, (30, 6)))
    same_postures(model, T, derivation, 1e-7)


def test_wrong_calls_say_what_is_wrong() -> None:
    derivation = derive(ARMS["scara"][1], kinds="RRPR")
    with pytest.raises(hk.ArgumentError, match="T must have shape"):
        derivation.solve(np.eye(3))
    with pytest.raises(hk.UnsupportedError, match="at most 6"):
        derive(np.zeros((7, 4)))
    with pytest.raises(hk.UnsupportedError, match="fixed rows"):
        derive(np.zeros((3, 4)), kinds="RFR")


@pytest.mark.slow
def test_an_arm_outside_the_types_is_refused() -> None:
    with pytest.raises(hk.UnsupportedError, match="general method"):
        derive(CRX)


def test_what_is_no_pose_is_refused() -> None:
    arm = derive(PUMA)
    for T in (np.full((4, 4), np.nan), 2 * np.eye(4), np.diag([1.0, 1, 1 + 1e-4, 1])):
        with pytest.raises(hk.ArgumentError):
            arm.solve(T)


def test_sure_is_what_the_core_means_by_it(rng: np.random.Generator) -> None:
    """It was always said; postures at right angles lack some, and then it is not."""
    arm = derive(PUMA)
    q = np.where(
        rng.random((300, 6)) < 0.5,
        np.pi / 2 * rng.integers(-1, 3, (300, 6)),
        rng.uniform(-np.pi, np.pi, (300, 6)),
    )
    found = arm.solve(arm.model.fk(q))
    known = arm.model.solutions(arm.model.fk(q))
    gap = np.abs((found.q - q[:, None] + np.pi) % (2 * np.pi) - np.pi).max(axis=2)
    there = np.nanmin(np.where(np.isnan(gap), 9, gap), axis=1, initial=9) < 1e-4
    assert (there | found.free.any(axis=(1, 2)) | ~found.complete).all()
    assert (known.complete | ~found.complete).all()
    assert 250 < found.complete.sum() < 300


@pytest.mark.parametrize("kinds", ["R", "P", "RR", "RP"])
def test_arms_that_the_core_does_not_take_are_solved_and_not_called_all(kinds: str) -> None:
    derived = derive([[0.1, 0.3, 0.4, HALF]] * len(kinds), kinds=kinds)
    q = np.array([0.7, -0.4][: len(kinds)])
    found = derived.solve(derived.model.fk(q))
    assert np.abs(found.q[: found.count] - q).max(axis=1).min() < 1e-9
    assert found.complete == (kinds == "RP")  # a plane is a closed form in C too
