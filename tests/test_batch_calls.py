"""Every batch call: shapes, outputs, layouts, threads, and what is refused, by one table."""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest
from batch_calls import CALLS, SEVEN, TREE, UR5, arrays, lengths, q_and, q_of

import handik as hk
from handik import _core

WITH_OUT = [name for name, call in CALLS.items() if call.out is not None]


def bytes_of(answer: Any) -> list[bytes]:
    return [part.tobytes() for part in arrays(answer)]


# -- the same bytes -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CALLS)
def test_threads_change_no_byte_of_a_batch(name: str) -> None:
    call = CALLS[name]
    given = call.given(call.rows)
    want = arrays(call.run(*given))
    for threads in (1, 2, 7, 0):
        got = arrays(call.run(*given, threads=threads))
        assert [a.shape for a in got] == [a.shape for a in want]
        assert bytes_of(got) == bytes_of(want), threads


@pytest.mark.parametrize("name", CALLS)
def test_a_batch_is_its_rows(name: str) -> None:
    """Also over two leading axes, and one row without any."""
    call = CALLS[name]
    n = min(call.rows, 24)
    given = call.given(n)
    want = arrays(call.run(*given))
    wide = [x.reshape(2, n // 2, *x.shape[1:]) for x in (y[: n // 2 * 2] for y in given)]
    got = arrays(call.run(*wide, threads=2))
    flat = arrays(call.run(*[x[: n // 2 * 2] for x in given]))
    for a, b in zip(got, flat, strict=True):
        assert a.shape == (2, n // 2, *b.shape[1:])
        assert a.tobytes() == b.tobytes()
    for i in (0, n - 1):
        for a, b in zip(arrays(call.run(*[x[i] for x in given])), want, strict=True):
            row = b[i][tuple(slice(k) for k in a.shape)]  # solutions: only those there are
            np.testing.assert_array_equal(a, row)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("lead", [(0,), (2, 0)])
def test_no_rows_at_all(name: str, lead: tuple[int, ...]) -> None:
    call = CALLS[name]
    given = call.given(2)
    none = [np.zeros((*lead, *x.shape[1:])) for x in given]
    for threads in (1, 3, 0):
        for part in arrays(call.run(*none, threads=threads)):
            assert part.shape[: len(lead)] == lead


@pytest.mark.parametrize("name", CALLS)
def test_layouts_of_a_batch_do_not_matter(name: str) -> None:
    call = CALLS[name]
    given = call.given(min(call.rows, 9))
    want = bytes_of(call.run(*given))
    layouts = (
        lambda x: np.asfortranarray(x),
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: x[::-1].copy()[::-1],
        lambda x: x.astype(">f8"),
        lambda x: x.tolist(),
        lambda x: np.ma.masked_array(x, mask=False),
    )
    for change in layouts:
        assert bytes_of(call.run(*[change(x) for x in given])) == want


# -- outputs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", WITH_OUT)
def test_the_callers_array_takes_the_batch(name: str, threads: int) -> None:
    call = CALLS[name]
    given = call.given(call.rows)
    out = np.full((call.rows, *call.out), np.nan)
    before = sys.getrefcount(out)
    assert call.run(*given, out=out, threads=threads) is out
    assert sys.getrefcount(out) == before
    assert bytes_of(call.run(*given)) == [out.tobytes()]
    assert call.run(*given, out=None) is not out
    single = np.full(call.out, np.nan)
    assert call.run(*[x[3] for x in given], out=single) is single
    assert single.tobytes() == out[3].tobytes()


@pytest.mark.parametrize("name", WITH_OUT)
def test_an_array_that_cannot_take_the_batch(name: str) -> None:
    call = CALLS[name]
    given = call.given(4)
    shape = (4, *call.out)
    still = np.zeros(shape)
    still.flags.writeable = False
    bad: list[tuple[Any, type[Exception], str]] = [
        (np.zeros((5, *call.out)), hk.ArgumentError, r"out must have shape \(4,"),
        (np.zeros((4, *call.out, 1)), hk.ArgumentError, "out must have shape"),
        (np.zeros(shape, np.float32), hk.ArgumentError, "C-contiguous float64"),
        (np.zeros((8, *call.out))[::2], hk.ArgumentError, "C-contiguous float64"),
        (np.zeros(shape, ">f8"), hk.ArgumentError, "C-contiguous float64"),
        (still, hk.ArgumentError, "writeable"),
        (np.ma.masked_array(np.zeros(shape), mask=True), hk.ArgumentError, "mask"),
        (np.zeros(shape).tolist(), TypeError, "out must be an ndarray"),
    ]
    call.run(*given)  # what a first call makes and keeps is made now
    gc.collect()  # what earlier tests left
    blocks = _core._live_blocks()
    for out, error, words in bad:
        for _ in range(3):
            with pytest.raises(error, match=words):
                call.run(*given, out=out)
        assert not np.any(np.asarray(out))
    gc.collect()
    assert _core._live_blocks() == blocks


@pytest.mark.parametrize("name", WITH_OUT)
def test_an_output_over_the_batch_itself(name: str) -> None:
    """It may be any argument, or lie across it: the answer is that of arguments kept apart."""
    call = CALLS[name]
    given = call.given(50)
    want = bytes_of(call.run(*given))
    size = 50 * int(np.prod(call.out, dtype=int))
    for k, x in enumerate(given):
        for shift in (0, 3):
            memory = np.zeros(max(size, x.size) + shift)
            args = list(given)
            args[k] = memory[shift : shift + x.size].reshape(x.shape)
            args[k][...] = x
            out = memory[:size].reshape(50, *call.out)
            assert bytes_of(call.run(*args, out=out, threads=2)) == want


def test_outputs_of_solutions_and_simulate() -> None:
    T = UR5.fk(UR5.sample(300, seed=1))
    T[::5, :3, 3] *= 4
    for closest in (False, True):
        some = T[:30] if closest else T
        want = UR5.solutions(some, closest=closest)
        out = np.zeros((len(some), 16, 6))
        got = UR5.solutions(some, closest=closest, out=out, threads=2)
        assert got.q.tobytes() == want.q.tobytes()
        assert np.shares_memory(got.q, out)
        k = want.q.shape[-2]
        assert out[:, :k].tobytes() == want.q.tobytes()
        assert np.isnan(out[:, k:]).all()
    single = np.zeros((16, 6))
    assert np.shares_memory(UR5.solutions(T[1], out=single).q, single)
    with pytest.raises(hk.ArgumentError, match=r"out must have shape \(300, 16, 6\)"):
        UR5.solutions(T, out=np.zeros((300, 8, 6)))
    with pytest.raises(hk.ArgumentError, match="turns=True"):
        UR5.solutions(T, out=np.zeros((300, 16, 6)), turns=True)
    with pytest.raises(hk.ArgumentError, match="samples"):
        SEVEN.solutions(SEVEN.fk(SEVEN.rest), out=np.zeros((16, 7)))

    q, v = q_and(TREE, TREE.nv)(40)
    want = TREE.simulate(q, v, 0.01, step=2e-3)
    place = np.zeros((40, 6, TREE.nq)), np.zeros((40, 6, TREE.nv))
    got = TREE.simulate(q, v, 0.01, step=2e-3, out=place, threads=3)
    assert got.q is place[0]
    assert got.v is place[1]
    assert got.q.tobytes() == want.q.tobytes()
    assert got.v.tobytes() == want.v.tobytes()
    assert got.energy.tobytes() == want.energy.tobytes()
    with pytest.raises(hk.ArgumentError, match="out must have shape"):
        TREE.simulate(q, v, 0.01, step=2e-3, out=(place[1], place[0]))
    with pytest.raises(TypeError, match="pair of arrays"):
        TREE.simulate(q, v, 0.01, step=2e-3, out=place[0])


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CALLS)
def test_threads_of_a_batch_are_a_whole_number(name: str) -> None:
    call = CALLS[name]
    given = call.given(2)
    for threads in (-1, 10**7, 10**30):
        with pytest.raises(hk.ArgumentError, match="threads"):
            call.run(*given, threads=threads)
    for threads in (1.5, "2", [1]):
        with pytest.raises(TypeError, match="threads"):
            call.run(*given, threads=threads)


@pytest.mark.parametrize("name", CALLS)
def test_numbers_under_a_mask_are_not_read(name: str) -> None:
    """They were: NumPy hands them out as if nothing covered them."""
    call = CALLS[name]
    given = call.given(4)
    for k in range(len(given)):
        args = list(given)
        args[k] = np.ma.masked_array(given[k])
        args[k][(1,) + (0,) * (given[k].ndim - 1)] = np.ma.masked
        with pytest.raises(hk.ArgumentError, match="under a mask"):
            call.run(*args)


@pytest.mark.parametrize("name", CALLS)
def test_texts_are_refused_by_one_kind_of_error(name: str) -> None:
    call = CALLS[name]
    given = call.given(4)
    for k in range(len(given)):
        args = list(given)
        args[k] = "text"
        with pytest.raises(hk.ArgumentError, match="regular array of real numbers"):
            call.run(*args)


def test_masks_and_texts_are_no_goals() -> None:
    """Fault 12: a masked array as target was taken with the numbers under the mask."""
    target = np.ma.masked_array([0.4, 0.2, 0.5], mask=[False, True, False])
    for goal in ({"position": target}, {"position": target, "axis": [0, 0, 1]}):
        with pytest.raises(hk.ArgumentError, match="position has numbers under a mask"):
            UR5.solve(**goal)
    with pytest.raises(hk.ArgumentError, match="q0 has numbers under a mask"):
        UR5.solve(position=target.filled(0.2), q0=np.ma.masked_array(np.zeros(6), mask=True))
    with pytest.raises(hk.ArgumentError, match="regular array of real numbers"):
        UR5.solve(position=["x", "y", "z"])


@pytest.mark.parametrize("name", ["fk", "mass_matrix", "solutions", "evaluate", "stewart postures"])
def test_a_batch_on_threads_whose_memory_fails_leaves_nothing(name: str) -> None:
    call = CALLS[name]
    given = call.given(call.rows)
    want = bytes_of(call.run(*given, threads=3))
    gc.collect()  # what earlier tests left
    blocks = _core._live_blocks()
    try:
        _core._fail_allocation(0)
        with pytest.raises(MemoryError):
            call.run(*given, threads=3)
    finally:
        _core._fail_allocation(-1)
    gc.collect()
    assert _core._live_blocks() == blocks
    assert bytes_of(call.run(*given, threads=3)) == want


# -- names, numbers and flags ---------------------------------------------------------------------


def test_frames_are_names_or_numbers_everywhere() -> None:
    """`solve(frame=3)` knew no frame 3, and `fk(frame=True)` was frame 1."""
    name = UR5.frame_names[3]
    q = UR5.sample(seed=0)
    T = UR5.fk(q, frame=3)
    assert T.tobytes() == UR5.fk(q, frame=name).tobytes()
    by_number = UR5.solve(position=T[:3, 3], frame=3)
    assert by_number.q.tobytes() == UR5.solve(position=T[:3, 3], frame=name).q.tobytes()
    again = UR5.solve(position=T[:3, 3], frame=3)  # the short way
    assert again.q.tobytes() == by_number.q.tobytes()
    for bad in (True, np.ones(2), 1.5):
        for call in (
            lambda frame: UR5.fk(q, frame=frame),
            lambda frame: UR5.jacobian(q, frame=frame),
            lambda frame: UR5.solve(position=[0.4, 0.2, 0.5], frame=frame),
            lambda frame: UR5.solutions(T, frame=frame),
        ):
            with pytest.raises((TypeError, hk.ArgumentError), match="frame"):
                call(bad)


def test_an_array_is_no_flag_and_no_word() -> None:
    """Fault 9: "the truth value of an array is ambiguous"."""
    T, q = UR5.fk(UR5.rest), TREE.sample(seed=0)
    flag = np.array([True, False])
    calls = {
        "turns": lambda: UR5.solutions(T, turns=flag),
        "closest": lambda: UR5.solutions(T, closest=flag),
        "trace": lambda: UR5.solve(pose=T, trace=flag),
        "actuators": lambda: TREE.inverse_dynamics(q, actuators=flag),
        "actuators ": lambda: TREE.simulate(q, np.zeros(TREE.nv), 0.01, actuators=flag),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match=f"{name.strip()} must be True or False"):
            call()
    with pytest.raises(hk.ArgumentError, match="task must be 'pose' or 'position'"):
        UR5.solutions(T, task=np.array(["pose", "position"]))
    with pytest.raises(hk.UnsupportedError, match="method must be"):
        TREE.simulate(q, np.zeros(TREE.nv), 0.01, method=np.array(["fixed", "x"]))
    assert UR5.solutions(T, turns=np.bool_(False)).count == UR5.solutions(T, turns=0).count


def test_difference_of_balls_may_come_back_negated() -> None:
    """What its docstring says: the same turn, the quaternion perhaps -q1."""
    q0, q1 = q_of(TREE)(40)[0], TREE.sample(40, seed=9)
    back = TREE.integrate(q0, TREE.difference(q0, q1))
    at = TREE.joint_q_slices["j2"]
    sign = np.sign(np.sum(back[:, at] * q1[:, at], axis=1, keepdims=True))
    assert set(sign.ravel()) == {-1.0, 1.0}
    back[:, at] *= sign
    np.testing.assert_allclose(back, q1, atol=1e-12)


def test_platforms_of_one_row_are_one_row() -> None:
    assert _core.stewart_lengths(np.eye(6, 3), np.eye(6, 3), np.eye(4), threads=2)[0].shape == (6,)
    assert lengths(1)[0].shape == (1, 6)
