"""What array calls take and refuse: shapes, dtypes, layouts, out=, rows that are not finite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import handik as hk

Call = Callable[[Any], Any]


@pytest.fixture(scope="module")
def arm() -> hk.Model:
    return hk.chain([1.0, 0.8, 0.6], "ball")


@pytest.fixture(scope="module")
def targets(arm: hk.Model) -> np.ndarray:
    return np.ascontiguousarray(arm.fk(arm.sample(24, seed=5))[:, :3, 3])


def same(a: hk.Result, b: hk.Result) -> None:
    for name in ("q", "outcome", "error", "position_error", "orientation_error", "iterations"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


# -- batch axes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lead", [(), (1,), (24,), (2, 12), (2, 3, 4), (1, 24, 1)])
def test_leading_axes(arm: hk.Model, targets: np.ndarray, lead: tuple[int, ...]) -> None:
    count = int(np.prod(lead, dtype=int))
    rows = targets[:count].reshape(*lead, 3)
    result = arm.solve(position=rows)
    assert result.q.shape == (*lead, arm.nq)
    for name in ("outcome", "error", "position_error", "orientation_error", "iterations"):
        assert np.shape(getattr(result, name)) == lead
    assert arm.fk(result.q).shape == (*lead, 4, 4)
    assert arm.frames(result.q).shape == (*lead, len(arm.frame_names), 4, 4)
    assert arm.jacobian(result.q).shape == (*lead, 6, arm.nv)
    assert arm.clip(result.q).shape == result.q.shape
    each = [arm.solve(position=row).q for row in rows.reshape(-1, 3)]
    np.testing.assert_array_equal(result.q.reshape(-1, arm.nq), each)


@pytest.mark.parametrize("lead", [(0,), (4, 0), (0, 3)])
def test_empty_batches(arm: hk.Model, lead: tuple[int, ...]) -> None:
    result = arm.solve(position=np.zeros((*lead, 3)))
    assert result.q.shape == (*lead, arm.nq)
    assert result.converged.shape == lead
    assert result.converged.dtype == bool
    assert result.raise_for_outcome() is result
    assert "0 of 0" in repr(result)
    assert arm.fk(np.zeros((*lead, arm.nq))).shape == (*lead, 4, 4)
    assert arm.jacobian(np.zeros((*lead, arm.nq))).shape == (*lead, 6, arm.nv)


def test_starts_are_broadcast(arm: hk.Model, targets: np.ndarray) -> None:
    starts = arm.sample(5, seed=1)
    result = arm.solve(position=targets[0], q0=starts)
    assert result.q.shape == (5, arm.nq)
    grid = arm.solve(position=targets[:4, None], q0=starts)
    assert grid.q.shape == (4, 5, arm.nq)
    np.testing.assert_array_equal(grid.q[0], result.q)
    one = arm.solve(position=targets[2], q0=starts[3])
    np.testing.assert_array_equal(grid.q[2, 3], one.q)


def test_motions_and_judge_are_broadcast(arm: hk.Model, targets: np.ndarray) -> None:
    q = arm.sample(4, seed=2)
    v = np.random.default_rng(1).normal(size=(3, 1, arm.nv))
    moved = arm.integrate(q, v)
    assert moved.shape == (3, 4, arm.nq)
    np.testing.assert_array_equal(moved[2, 1], arm.integrate(q[1], v[2, 0]))
    away = arm.difference(q[0], q)
    assert away.shape == (4, arm.nv)
    np.testing.assert_allclose(away[0], 0, atol=1e-15)
    problem = hk.Problem(arm, [hk.Position()])
    met, error, _, _ = problem.evaluate(targets[:4], q[0])[:4]
    assert met.shape == error.shape == (4,)
    assert problem.residual(targets[0], q).shape == (4, 3)
    assert problem.jacobian(targets[:3, None], q).shape == (3, 4, 3, arm.nv)


BAD_SHAPES: dict[str, tuple[Callable[[hk.Model], Any], str]] = {
    "narrow": (lambda m: m.solve(position=[1.0, 2.0]), r"\(\.\.\., 3\), got \(2,\)"),
    "wide": (lambda m: m.solve(position=np.zeros((2, 4))), r"\(\.\.\., 3\), got \(2, 4\)"),
    "scalar": (lambda m: m.solve(position=1.0), r"\(\.\.\., 3\), got \(\)"),
    "empty list": (lambda m: m.solve(position=[]), r"got \(0,\)"),
    "axis": (lambda m: m.solve(axis=[1.0, 0.0]), r"axis must .* got \(2,\)"),
    # Two wrong widths that add up to a right one.
    "sum": (lambda m: m.solve(position=[1, 0, 0, 0], axis=[1, 0]), r"got \(4,\)"),
    "turn": (lambda m: m.solve(orientation=[1, 0, 0]), r"\(\.\.\., 4\) or .*got \(3,\)"),
    "pose": (lambda m: m.solve(pose=np.eye(3)), r"\(\.\.\., 4, 4\), got \(3, 3\)"),
    "pair": (lambda m: m.solve(pose=([1, 0, 0], [1, 0, 0])), r"got \(3,\) and \(3,\)"),
    "ragged": (lambda m: m.solve(position=[[1, 2, 3], [1]]), "regular array"),
    "ragged q0": (lambda m: m.solve(position=[1, 0, 0], q0=[[1], [1, 2]]), "regular array"),
    "goals": (
        lambda m: m.solve(position=np.zeros((2, 3)), axis=np.ones((3, 3))),
        r"\(2,\) of position and \(3,\) of axis cannot be broadcast",
    ),
    "q0": (lambda m: m.solve(position=[1, 0, 0], q0=[0.0] * 11), r"\(\.\.\., 12\), got \(11,\)"),
    "starts": (
        lambda m: m.solve(position=np.zeros((3, 3)), q0=m.sample(5)),
        r"\(3,\) of targets and \(5,\) of q0 cannot be broadcast",
    ),
    "fk": (lambda m: m.fk([0.0] * 9), r"q must have shape \(\.\.\., 12\), got \(9,\)"),
    "integrate": (lambda m: m.integrate(m.rest, [0.0] * 12), r"v must .*\(\.\.\., 9\)"),
    "motions": (
        lambda m: m.integrate(m.sample(2), np.zeros((3, 9))),
        r"q \(2, 12\) and v \(3, 9\) cannot be broadcast",
    ),
    "judge": (
        lambda m: hk.Problem(m, [hk.Position()]).evaluate(np.zeros((2, 3, 3)), np.zeros((6, 12))),
        r"targets \(2, 3, 3\) and q \(6, 12\) cannot be broadcast",
    ),
    "axes": (lambda m: m.fk(np.zeros((1,) * 31 + (12,))), "too many axes"),
}


@pytest.mark.parametrize("name", BAD_SHAPES)
def test_wrong_shapes_are_said(arm: hk.Model, name: str) -> None:
    call, text = BAD_SHAPES[name]
    with pytest.raises(hk.ArgumentError, match=text):
        call(arm)


# -- dtypes and layouts ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", ["f8", "f4", "f2", "g", ">f8", "<f8", "i1", "u1", "i4", ">i4", "i8", "u8", "?", "O"]
)
def test_real_dtypes(arm: hk.Model, dtype: str) -> None:
    target = np.array([[1, 1, 0], [0, 1, 1]])
    got = arm.solve(position=target.astype(dtype))
    want = arm.solve(position=target.astype(float))
    same(got, want)
    assert got.q.dtype == np.float64
    assert got.outcome.dtype == np.int8
    assert got.iterations.dtype == np.int32


def each_array_call(m: hk.Model, bad: Any, width: int) -> dict[str, Callable[[], Any]]:
    """Every public call that takes an array, with rows made by bad(width)."""
    problem = hk.Problem(m, [hk.Position()])
    del width
    return {
        "fk": lambda: m.fk(bad(12)),
        "frames": lambda: m.frames(bad(12)),
        "jacobian": lambda: m.jacobian(bad(12)),
        "clip": lambda: m.clip(bad(12)),
        "integrate": lambda: m.integrate(bad(12), np.zeros(9)),
        "integrate v": lambda: m.integrate(m.rest, bad(9)),
        "difference": lambda: m.difference(m.rest, bad(12)),
        "position": lambda: m.solve(position=bad(3)),
        "position and axis": lambda: m.solve(position=bad(3), axis=[1, 0, 0], solver="ccd"),
        "orientation": lambda: m.solve(orientation=bad(4)),
        "axis": lambda: m.solve(axis=bad(3)),
        "rotation": lambda: m.solve(orientation=bad(9).reshape(3, 3)),
        "pose": lambda: m.solve(pose=bad(16).reshape(4, 4)),
        "pair": lambda: m.solve(pose=(bad(3), [1, 0, 0, 0])),
        "q0": lambda: m.solve(position=[1, 0, 0], q0=bad(12)),
        "judge": lambda: problem.evaluate(bad(3), m.rest),
        "residual": lambda: problem.residual([1, 0, 0], bad(12)),
    }


KINDS: dict[str, Callable[[int], np.ndarray]] = {
    "complex": lambda n: np.ones(n, complex),
    "text": lambda n: np.array(["1"] * n),
    "bytes": lambda n: np.array([b"1"] * n),
    "date": lambda n: np.zeros(n, "M8[s]"),
    "span": lambda n: np.zeros(n, "m8[s]"),
    "record": lambda n: np.zeros(n, [("x", float)]),
    "object": lambda n: np.array([{}] * n, object),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_real_number_is_an_argument_error(arm: hk.Model, kind: str) -> None:
    for name, call in each_array_call(arm, KINDS[kind], 0).items():
        with pytest.raises(hk.ArgumentError, match="must be a regular array of real numbers"):
            pytest.fail(f"{name} took {kind}: {call()!r}")


def layouts(a: np.ndarray) -> dict[str, np.ndarray]:
    frozen = a.copy()
    frozen.setflags(write=False)
    shifted = np.empty(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
    shifted[...] = a
    wide = np.zeros((a.shape[0] * 2, a.shape[1] * 3))
    wide[::2, ::3] = a
    return {
        "Fortran": np.asfortranarray(a),
        "strided": wide[::2, ::3],
        "backwards": np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
        "read-only": frozen,
        "unaligned": shifted,
        "swapped": a.astype(">f8"),
        "list": a.tolist(),
        "tuple": tuple(map(tuple, a.tolist())),
        "view of 0 strides": np.broadcast_to(a, (1, *a.shape))[0],
    }


def test_layouts_do_not_matter(arm: hk.Model, targets: np.ndarray) -> None:
    starts = arm.sample(len(targets), seed=8)
    want = arm.solve(position=targets, q0=starts)
    poses = arm.frames(starts)
    for (name, rows), q in zip(layouts(targets).items(), layouts(starts).values(), strict=True):
        same(arm.solve(position=rows, q0=q), want)
        np.testing.assert_array_equal(arm.frames(q), poses, err_msg=name)
    assert np.isfinite(starts).all()  # no input was written to


# -- out= -----------------------------------------------------------------------------------------


def test_out_is_filled_and_returned(arm: hk.Model, targets: np.ndarray) -> None:
    q = np.full((len(targets), arm.nq), 7.0)
    result = arm.solve(position=targets, out=q)
    assert result.q is q
    same(result, arm.solve(position=targets))
    shapes = {"fk": (4, 4), "frames": (len(arm.frame_names), 4, 4), "jacobian": (6, arm.nv)}
    for method, shape in shapes.items():
        out = np.full((len(q), *shape), 7.0)
        assert getattr(arm, method)(q, out=out) is out
        np.testing.assert_array_equal(out, getattr(arm, method)(q))


@pytest.mark.parametrize(
    ("bad", "error", "text"),
    [
        (np.zeros((3, 11)), hk.ArgumentError, r"shape \(3, 12\), got \(3, 11\)"),
        (np.zeros(12), hk.ArgumentError, r"shape \(3, 12\), got \(12,\)"),
        (np.zeros((3, 12), np.float32), hk.ArgumentError, "float64"),
        (np.zeros((3, 12), ">f8"), hk.ArgumentError, "float64"),
        (np.zeros((12, 3)).T, hk.ArgumentError, "C-contiguous"),
        (np.zeros((6, 12))[::2], hk.ArgumentError, "C-contiguous"),
        (np.broadcast_to(np.zeros(12), (3, 12)), hk.ArgumentError, "writeable"),
        ([[0.0] * 12] * 3, TypeError, "ndarray"),
    ],
)
def test_bad_out(arm: hk.Model, bad: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        arm.solve(position=np.ones((3, 3)), out=bad)
    with pytest.raises(error, match=text):
        arm.integrate(arm.sample(3), np.zeros((3, 9)), out=bad)


def test_out_may_share_memory_with_the_inputs(arm: hk.Model, targets: np.ndarray) -> None:
    n = len(targets)
    starts = arm.sample(n, seed=3)
    want = arm.solve(position=targets, q0=starts)
    store = starts.copy()
    same(arm.solve(position=targets, q0=store, out=store), want)
    # One start for all that lies in the first row of out, and is overwritten by the first answer.
    want = arm.solve(position=targets, q0=starts[0])
    for threads in (1, 2):
        store = starts.copy()
        same(arm.solve(position=targets, q0=store[0], out=store, threads=threads), want)
    # Targets inside out.
    store = np.zeros((n, arm.nq))
    rows = store.reshape(-1)[-3 * n :].reshape(n, 3)
    rows[...] = targets
    same(arm.solve(position=rows, out=store), arm.solve(position=targets))
    v = np.random.default_rng(4).normal(size=(n, arm.nv))
    want_q = arm.integrate(starts, v)
    store = starts.copy()
    np.testing.assert_array_equal(arm.integrate(store, v, out=store), want_q)
    store = np.zeros(n * arm.nq)
    rows = store[: n * arm.nv].reshape(n, arm.nv)
    rows[...] = v
    np.testing.assert_array_equal(arm.integrate(starts, rows, out=store.reshape(n, arm.nq)), want_q)


# -- rows that are not finite ---------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["fabrik", "ccd"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("threads", [1, 2])
def test_rows_that_are_not_finite_are_data(
    arm: hk.Model, targets: np.ndarray, solver: str, bad: float, threads: int
) -> None:
    rows = targets.copy()
    lost = [0, 7, 8, 23]
    for k, i in enumerate(lost):
        rows[i, k % 3] = bad
    result = arm.solve(position=rows, solver=solver, trace=True, threads=threads)
    whole = arm.solve(position=targets, solver=solver, trace=True)
    keep = np.setdiff1d(np.arange(len(rows)), lost)
    assert (result.outcome[lost] == hk.Outcome.INVALID).all()
    for name in ("q", "error", "position_error", "orientation_error"):
        assert np.isnan(getattr(result, name)[lost]).all(), name
        np.testing.assert_array_equal(getattr(result, name)[keep], getattr(whole, name)[keep])
    assert result.trace is not None
    assert whole.trace is not None
    for name in ("error", "q"):
        assert np.isnan(getattr(result.trace, name)[lost]).all(), name
    both = min(result.trace.error.shape[1], whole.trace.error.shape[1])  # as long as the longest
    np.testing.assert_array_equal(result.trace.q[keep, :both], whole.trace.q[keep, :both])
    np.testing.assert_array_equal(result.trace.error[keep, :both], whole.trace.error[keep, :both])
    assert (result.iterations[lost] == 0).all()
    assert not result.converged[lost].any()


def test_quaternions_and_directions_without_length_are_data(arm: hk.Model) -> None:
    assert arm.solve(orientation=[0, 0, 0, 0], solver="ccd").outcome is hk.Outcome.INVALID
    assert arm.solve(axis=[0, 0, 0], solver="ccd").outcome is hk.Outcome.INVALID
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, :3, 3] = [1, 1, 0]
    poses[0, 1, 1] = np.nan
    poses[2, 3, 0] = np.inf
    outcome = arm.solve(pose=poses, solver="ccd").outcome
    assert (outcome[[0, 2]] == hk.Outcome.INVALID).all()
    assert outcome[1] != hk.Outcome.INVALID


@pytest.mark.parametrize("solver", ["fabrik", "ccd"])
@pytest.mark.parametrize("far", [1e3, 1e150, 1e200, 1.7e308])
def test_far_targets_are_out_of_reach(arm: hk.Model, solver: str, far: float) -> None:
    result = arm.solve(position=[[far, far, far], [-far, 0, far]], solver=solver)
    assert (result.outcome == hk.Outcome.UNREACHABLE).all()
    assert np.isfinite(result.q).all()
    # ccd sees no progress where doubles have no room for it: only fabrik must stretch.
    if solver == "fabrik":
        tip = arm.fk(result.q)[:, :3, 3]
        np.testing.assert_allclose(tip[0], 2.4 / np.sqrt(3), rtol=1e-9)
        np.testing.assert_allclose(tip[1], np.array([-1, 0, 1]) * 2.4 / np.sqrt(2), atol=1e-9)


def test_a_start_that_is_not_finite_is_an_error(arm: hk.Model, targets: np.ndarray) -> None:
    starts = arm.sample(len(targets), seed=1)
    starts[5, 3] = np.nan
    with pytest.raises(hk.ArgumentError, match=r"q0 is not finite \(row 5\)"):
        arm.solve(position=targets, q0=starts)


# -- names and options ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("nope", r"there are: auto, fabrik.*ccd"),
        ("", r"there are: auto, fabrik.*ccd"),
        ("fabrik\0x", "near names: fabrik"),
        ("\udc80", r"there are: auto, fabrik.*ccd"),
        ("FABRIK", "near names: fabrik"),
    ],
)
def test_unknown_solver_lists_the_known(arm: hk.Model, name: str, known: str) -> None:
    with pytest.raises(hk.NotFoundError, match=known):
        arm.solve(position=[1, 0, 0], solver=name)


@pytest.mark.parametrize("name", ["nope", "", "tip\0", "\udc80"])
def test_unknown_frame_lists_the_known(arm: hk.Model, name: str) -> None:
    calls: list[Call] = [
        lambda f: arm.fk(arm.rest, frame=f),
        lambda f: arm.jacobian(arm.rest, frame=f),
        lambda f: arm.solve(position=[1, 0, 0], frame=f),
        lambda f: hk.Problem(arm, [hk.Position(frame=f)]),
    ]
    for call in calls:
        with pytest.raises(hk.NotFoundError, match=r"frame is called.*(tip|link_0)"):
            call(name)
    with pytest.raises(hk.NotFoundError, match=r"near names: link_1"):
        arm.fk(arm.rest, frame="lnk_1")


@pytest.mark.parametrize("frame", [-1, 5, 2**40, 2**70])
def test_frame_numbers_are_checked(arm: hk.Model, frame: int) -> None:
    with pytest.raises(hk.ArgumentError, match="frame must be between 0 and 4"):
        arm.fk(arm.rest, frame=frame)


@pytest.mark.parametrize("name", ["max_iter", "retries", "threads", "seed"])
@pytest.mark.parametrize("value", [-1, 2**63, 2**70, -(2**40)])
def test_whole_numbers_out_of_range(arm: hk.Model, name: str, value: int) -> None:
    with pytest.raises(hk.ArgumentError, match=f"{name} must be between .* got {value}"):
        arm.solve(position=[1, 0, 0], **{name: value})


@pytest.mark.parametrize("name", ["max_iter", "retries", "threads", "seed"])
@pytest.mark.parametrize("value", [1.5, "3", [1], 1j])
def test_whole_numbers_of_another_type(arm: hk.Model, name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"{name} must be an integer"):
        arm.solve(position=[1, 0, 0], **{name: value})
    assert arm.solve(position=[1, 1, 0], **{name: np.int64(3)}).q.shape == (12,)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("ftol", [-1, 1, 2, np.inf, np.nan, -np.inf]),
        ("time_limit", [-1, 0, np.nan, -np.inf]),
        ("position_tolerance", [-1, np.nan, -1e-300]),
        ("orientation_tolerance", [-1, np.nan]),
    ],
)
def test_numbers_out_of_range(arm: hk.Model, name: str, values: list[float]) -> None:
    for value in values:
        with pytest.raises(hk.ArgumentError, match=name.split("_")[-1]):
            arm.solve(position=[1, 0, 0], **{name: value})
    for value in ("x", 1j, [1], np.ones(2)):
        with pytest.raises(TypeError, match=f"{name} must be a number"):
            arm.solve(position=[1, 0, 0], **{name: value})


def test_unknown_options_are_refused(arm: hk.Model) -> None:
    with pytest.raises(hk.ArgumentError, match="no option 'speed'"):
        arm.solve(position=[1, 0, 0], speed=3.0)
    with pytest.raises(TypeError, match="progress must be callable"):
        arm.solve(position=[1, 0, 0], progress=3)  # type: ignore[arg-type]


def test_goals_are_checked(arm: hk.Model) -> None:
    with pytest.raises(hk.ArgumentError, match="nothing to reach"):
        arm.solve()
    with pytest.raises(hk.ArgumentError, match="not both"):
        arm.solve(pose=np.eye(4), position=[1, 0, 0])
    mirror, sheared, bottom = np.eye(4), np.eye(4), np.eye(4)
    mirror[2, 2], sheared[0, 1], bottom[3, 3] = -1, 0.01, 2
    for bad, text in ((mirror, "not a rotation"), (sheared, "not a rotation"), (bottom, "0 0 0 1")):
        with pytest.raises(hk.ArgumentError, match=f"item 1 is.*{text}|{text}"):
            arm.solve(pose=np.array([np.eye(4), bad]))
    for bad in ((0, 0, 0), (np.nan, 0, 1), (1, 0)):
        with pytest.raises(hk.ArgumentError, match="axis"):
            arm.solve(axis=[1, 0, 0], tool_axis=bad)
    for bad in ("abc", None, [[1], [0], [0]]):
        with pytest.raises(TypeError, match="axis"):
            arm.solve(axis=[1, 0, 0], tool_axis=bad)


def test_calls_say_what_they_take(arm: hk.Model) -> None:
    q = arm.rest
    for call, text in (
        (lambda: arm.fk(), "needs q"),
        (lambda: arm.fk(q, "tip"), "at most 1 positional"),
        (lambda: arm.fk(q, bogus=1), "no argument 'bogus'"),
        (lambda: arm.integrate(q), "needs v"),
        (lambda: hk.Solver("fabrik")(3, q), "must be a handik Problem"),
        (lambda: hk.Problem(3, [hk.Position()]), "about a handik Model"),
        (lambda: hk.Problem(arm, [3]), "made of terms"),
        (lambda: hk.Model(3), "made from a ModelSpec"),
    ):
        with pytest.raises(TypeError, match=text):
            call()


# -- figures at the edge --------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["fabrik", "ccd"])
@pytest.mark.parametrize("lengths", [[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1, 0, 1]])
def test_links_without_length(solver: str, lengths: list[float]) -> None:
    arm = hk.chain(lengths, "ball")
    result = arm.solve(position=[[1.0, 0.5, 0.2], [0.3, -0.2, 1.1]], solver=solver)
    assert result.converged.all(), result
    np.testing.assert_allclose(arm.fk(result.q)[0, :3, 3], [1.0, 0.5, 0.2], atol=2e-4)


@pytest.mark.parametrize("solver", ["fabrik", "ccd"])
def test_links_almost_without_length(solver: str) -> None:
    arm = hk.chain([1, 1e-12, 1], "ball")
    assert arm.solve(position=[1.0, 0.5, 0.2], solver=solver).converged


@pytest.mark.parametrize("solver", ["fabrik", "ccd"])
def test_a_figure_that_is_one_point(solver: str) -> None:
    dot = hk.chain([0.0, 0.0], "ball")
    assert dot.solve(position=[0, 0, 0], solver=solver).converged
    assert dot.solve(position=[1, 0, 0], solver=solver).outcome is not hk.Outcome.CONVERGED


def test_figures_too_large_for_doubles_are_refused() -> None:
    for length in (1e200, 1e308):
        with pytest.raises(hk.ModelError, match="add up"):
            hk.chain([length, length], "ball")
    big = hk.chain([1e120, 1e120], "ball")
    assert big.solve(position=[1e120, 1e120, 0]).converged


def test_a_dotted_index_of_a_result_stays_on_the_batch_axes(arm: hk.Model) -> None:
    found = arm.solve(position=[[[0.1 * k, 0.2, 0.3 * j] for k in range(3)] for j in range(2)])
    for index, same in (((..., 1), (slice(None), 1)), ((1, ...), 1), (..., slice(None))):
        part, other = found[index], found[same]
        np.testing.assert_array_equal(part.q, other.q)
        np.testing.assert_array_equal(part.targets, other.targets)
        np.testing.assert_array_equal(part.error, other.error)
    one = found[0][..., 2]
    assert one.outcome is hk.Outcome.CONVERGED
    assert one.q.shape == (12,)
    with pytest.raises(IndexError):
        found[..., 0, 0, 0]


def test_more_axes_than_the_core_counts_are_refused_by_name(arm: hk.Model) -> None:
    from handik.closed.parallel import StewartPlatform

    platform = StewartPlatform.hexagon(1.0, 0.6, 0.2, 0.25)
    positions = hk.Problem(arm, [hk.Position()])
    for call in (
        lambda: platform.postures(np.ones((1,) * 30 + (6,))),
        lambda: hk.Solver("ccd", max_iter=1)(positions, np.zeros((1,) * 31 + (3,)), trace=True),
    ):
        with pytest.raises(hk.ArgumentError, match="too many axes"):
            call()


def test_numbers_beyond_all_floats_are_refused_by_name(arm: hk.Model) -> None:
    with pytest.raises(hk.ArgumentError, match="q holds a whole number beyond all floats"):
        arm.fk([10**400] * 12)


@pytest.mark.parametrize("call", ["fk", "frames", "jacobian"])
def test_an_output_that_shares_memory_with_q_holds_what_another_would(call: str) -> None:
    robot = hk.data("ur5")
    q = robot.sample(3, seed=0)
    wanted = getattr(robot, call)(q)
    memory = np.zeros(wanted.size + q.size)
    own = memory[5 : 5 + q.size].reshape(q.shape)
    own[:] = q
    out = memory[: wanted.size].reshape(wanted.shape)
    getattr(robot, call)(own, out=out)
    np.testing.assert_array_equal(out, wanted)
