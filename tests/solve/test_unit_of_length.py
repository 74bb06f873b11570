"""The unit of length is the caller's: the same figure and targets in another unit are solved the same way.

Two to a whole power scales without rounding, so that a solver all of whose numbers scale with the figure makes the very
same moves: the turns have the same bytes, the slides those of the factor times the others. Any number with a unit hidden in
a solver (a step of so many metres, a length that counts as nothing) shows.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from solver_figures import FIGURES, figure

import handik as hk

SLIDES = {"prismatic": 1, "planar": 2, "free": 3}


def scaled(model: hk.Model, factor: float) -> hk.Model:
    """Return the same model in another unit of length."""
    spec = copy.deepcopy(model.spec)
    for joint in spec.joints:
        joint.placement[:3, 3] *= factor
        if joint.kind == "prismatic":
            joint.lower = None if joint.lower is None else factor * joint.lower
            joint.upper = None if joint.upper is None else factor * joint.upper
    for frame in spec.frames:
        frame.placement[:3, 3] *= factor
    return hk.Model(spec)


def lengths(model: hk.Model) -> np.ndarray:
    """Which entries of q are lengths."""
    out = np.zeros(model.nq, bool)
    for joint in model.spec.joints:
        if joint.kind in SLIDES and joint.name in dict(model.joint_q_slices):
            first = model.joint_q_slices[joint.name].start
            out[first : first + SLIDES[joint.kind]] = True
    return out


def rooted(root: list[tuple[Any, ...]]) -> Callable[[], hk.Model]:
    """Return a human's trunk and arm on a root that goes wherever it likes."""

    def make() -> hk.Model:
        last = len(root) - 1
        rows = [
            *root,
            ("ball", last, (0, 0, 0.45), "z", 0, 0),
            ("ball", last + 1, (0, 0.2, 0.1), "z", 0, 0),
            ("revolute", last + 2, (0.3, 0, 0), "y", 0, 2.5),
        ]
        return figure("rooted", rows, [(last + 3, (0.25, 0, 0)), (last, (0, 0, 0))])

    return make


FREE = [("free", -1, (0, 0, 0), "z", None, None)]
FLOOR = [
    ("prismatic", -1, (0, 0, 0), "x", None, None),
    ("prismatic", 0, (0, 0, 0), "y", None, None),
    ("revolute", 1, (0, 0, 0), "z", None, None),
]


def rail() -> hk.Model:
    """Return an arm on a rail that begins somewhere and ends nowhere."""
    rows = [
        ("prismatic", -1, (0.1, 0, 0.2), "x", 0.1, np.inf),
        ("revolute", 0, (0, 0, 0.3), "z", -3, 3),
        ("revolute", 1, (0.1, 0, 0), "y", -2, 2),
        ("revolute", 2, (0.3, 0, 0), "y", -2.5, 2.5),
        ("revolute", 3, (0.25, 0, 0), "x", -3, 3),
        ("revolute", 4, (0, 0, 0), "y", -2, 2),
    ]
    return figure("rail", rows, [(5, (0.1, 0, 0))])


def six_turns() -> hk.Model:
    return hk.data("ur5")


MODELS = {
    **FIGURES,
    "six turns": six_turns,
    "free root": rooted(FREE),
    "root on a floor": rooted(FLOOR),
    "rail": rail,
}
KINDS = ("position", "pose")


def drawn(model: hk.Model, n: int, seed: int) -> np.ndarray:
    """Postures whose slides without an end are drawn two metres wide."""
    q = model.sample(n, seed=seed)
    rng = np.random.default_rng(seed)
    endless = lengths(model) & ~(np.isfinite(model.lower) & np.isfinite(model.upper))
    low = np.where(np.isfinite(model.lower), model.lower, -1)[endless]
    q[:, endless] = low + 2 * rng.random((n, endless.sum()))
    return q


def answers(
    model: hk.Model, factor: float, name: str, kind: str, n: int, **options: Any
) -> tuple[hk.Result, np.ndarray]:
    """Solve the targets of the model in another unit; the result, and q in the unit of the model."""
    unit, mine = np.where(lengths(model), factor, 1.0), scaled(model, factor)
    poses = model.fk(drawn(model, n, 5))
    poses[:, :3, 3] *= factor
    found = mine.solve(
        **{kind: poses if kind == "pose" else poses[:, :3, 3]},
        q0=unit * drawn(model, n, 6),
        solver=name,
        position_tolerance=1e-3 * factor,
        orientation_tolerance=1e-3,
        **options,
    )
    return found, found.q / unit


@pytest.mark.parametrize("figure_name", MODELS)
@pytest.mark.parametrize("name", [row.name for row in hk.solvers()])
def test_a_unit_of_a_power_of_two_gives_the_same_bytes(name: str, figure_name: str) -> None:
    model = MODELS[figure_name]()
    for kind in KINDS:
        try:
            mine, q = answers(model, 1, name, kind, 8, max_iter=60)
        except hk.UnsupportedError:
            continue
        for factor in (2.0**-10, 2.0**10):
            other, theirs = answers(model, factor, name, kind, 8, max_iter=60)
            assert (other.iterations == mine.iterations).all(), (kind, factor)
            assert theirs.tobytes() == q.tobytes(), (kind, factor)


#: What solves every target that its figure can reach.
SURE = ("auto", "hybrid", "lm", "dls", "pinv", "sdls", "lbfgs")


@pytest.mark.parametrize("figure_name", ["free root", "root on a floor", "rail", "arm", "gantry"])
@pytest.mark.parametrize("factor", [0.001, 0.01, 1.0, 100.0, 1000.0])
def test_any_unit_solves_all(factor: float, figure_name: str) -> None:
    model = MODELS[figure_name]()
    for name in SURE:
        found, _ = answers(model, factor, name, "position", 40)
        assert found.success.all(), name


SKELETON = """HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT spine
  {
    OFFSET 0 20 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT arm
    {
      OFFSET 18 25 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 28 0 0
      }
    }
  }
}
MOTION
Frames: 1
Frame Time: 0.033
0 0 0 0 0 0 0 0 0 0 0 0
"""


@pytest.mark.parametrize("solver", SURE)
def test_a_skeleton_read_in_centimeters(solver: str, tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    path.write_text(SKELETON)
    small, rng = hk.load(path, scale=0.01), np.random.default_rng(0)
    rows = small.sample(100, seed=1)
    rows[:, :3] = rng.uniform(-2, 2, (100, 3))
    targets = small.fk(rows, frame="arm_end")[:, :3, 3]
    large = hk.load(path).solve(position=100 * targets, frame="arm_end", solver=solver)
    fine = small.solve(position=targets, frame="arm_end", solver=solver)
    assert large.success.all()
    assert fine.success.all()
    assert np.median(large.iterations) <= np.median(fine.iterations) + 1


def test_a_frame_of_a_root_is_measured_by_the_rest_of_the_figure() -> None:
    """No length leads from the root to itself; a turn and the figure's reach weigh alike."""
    root = rooted(FREE)()
    for factor in (2.0**-10, 2.0**10):
        found = [
            scaled(root, f).solve(pose=(np.array([3.0, 1, 2]) * f, [0.6, 0, 0.8, 0]), frame="f1")
            for f in (1.0, factor)
        ]
        assert found[0].success
        assert found[1].iterations == found[0].iterations
