"""Targets in chunks: the same bytes as one call, a file that is whole at any time, and named faults."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import handik as hk
from handik.errors import ArgumentError


@pytest.fixture(scope="module")
def arm():
    return hk.data("ur5")


@pytest.fixture(scope="module")
def problem(arm):
    return hk.Problem(arm, [hk.Position(str(arm.tip))])


def points(arm, n, seed=0):
    return np.ascontiguousarray(arm.fk(arm.sample(n, seed=seed))[:, :3, 3])


@pytest.mark.parametrize("chunk", [1, 7, 50, 100, 1000])
def test_the_chunks_together_are_one_call(arm, problem, chunk, tmp_path):
    targets, solver = points(arm, 100), hk.Solver(seed=3)
    whole = solver(problem, targets)
    found = list(solver.stream(problem, targets, chunk=chunk, file=tmp_path / "q.npy"))
    assert [len(r.q) for r in found] == [min(chunk, 100 - k) for k in range(0, 100, chunk)]
    for name in ("q", "outcome", "error", "iterations", "targets"):
        got = np.concatenate([getattr(r, name) for r in found])
        assert got.tobytes() == getattr(whole, name).tobytes(), name
    assert np.load(tmp_path / "q.npy").tobytes() == whole.q.tobytes()


def test_a_generator_in_pieces_of_any_length(arm, problem):
    targets, solver = points(arm, 60), hk.Solver()
    cuts = [(0, 1), (1, 1), (1, 40), (40, 60)]
    found = solver.stream(problem, (targets[a:b] for a, b in cuts), chunk=16)
    got = [r.q for r in found]
    assert [len(q) for q in got] == [1, 16, 16, 7, 16, 4]
    assert np.concatenate(got).tobytes() == solver(problem, targets).q.tobytes()


def test_one_start_for_all(arm, problem):
    targets, q0 = points(arm, 20), arm.sample(1, seed=9)[0]
    (got,) = hk.Solver("dls").stream(problem, targets, q0=q0)
    assert got.q.tobytes() == hk.Solver("dls")(problem, targets, q0=q0).q.tobytes()
    with pytest.raises(ArgumentError, match=r"one start of shape \(nq,\)"):
        hk.Solver().stream(problem, targets, q0=np.tile(q0, (20, 1)))


def test_nothing_is_solved_before_it_is_asked_for(arm, problem, tmp_path):
    asked = []

    def draw():
        for k in range(5):
            asked.append(k)
            yield points(arm, 10, k)

    found = hk.Solver().stream(problem, draw(), file=tmp_path / "q.npy")
    assert asked == []
    first = next(found)
    assert asked == [0]
    growing = np.load(tmp_path / "q.npy", mmap_mode="r")
    assert growing.tobytes() == first.q.tobytes()
    second = next(found)
    found.close()
    kept = np.load(tmp_path / "q.npy")
    assert asked == [0, 1]
    assert kept.tobytes() == first.q.tobytes() + second.q.tobytes()


def test_an_empty_stream_leaves_an_empty_file(arm, problem, tmp_path):
    file = tmp_path / "q.npy"
    file.write_bytes(b"what was here before" * 100)
    assert list(hk.Solver().stream(problem, np.empty((0, 3)), file=file)) == []
    assert np.load(file).shape == (0, arm.nq)


def test_memory_does_not_grow_with_the_targets(arm, problem, tmp_path):
    """Forty chunks hold no more than four did: of 40,000 answers the file alone has 1.9 MB."""
    solver = hk.Solver(max_iter=1)

    def most(chunks):
        tracemalloc.start()
        draws = (points(arm, 1000, k) for k in range(chunks))
        for _ in solver.stream(problem, draws, chunk=1000, file=tmp_path / "q.npy"):
            pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    most(2)
    assert most(40) < 1.2 * most(4)
    assert np.load(tmp_path / "q.npy", mmap_mode="r").shape == (4000, arm.nq)


def test_faults_are_named_where_they_are(arm, problem, tmp_path):
    solver, file = hk.Solver(), tmp_path / "q.npy"
    for wrong, what in (
        (np.zeros((4, 7)), r"\(N, 3\), got \(4, 7\)"),
        (np.zeros(3), r"\(N, 3\), got \(3,\)"),
        (7, "an iterable of such arrays, got int"),
    ):
        with pytest.raises(ArgumentError, match=what):
            solver.stream(problem, wrong, file=file)
    with pytest.raises(ArgumentError, match="chunk"):
        solver.stream(problem, np.zeros((4, 3)), chunk=0)
    with pytest.raises(TypeError, match="chunk"):
        solver.stream(problem, np.zeros((4, 3)), chunk=2.5)
    assert not file.exists()
    found = solver.stream(problem, iter([np.zeros((2, 3)), np.zeros((2, 4))]), file=file)
    next(found)
    with pytest.raises(ArgumentError, match=r"piece 1 of the targets .* got \(2, 4\)"):
        next(found)
    assert np.load(file).shape == (2, arm.nq)
