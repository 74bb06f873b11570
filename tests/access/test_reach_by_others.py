"""Witnesses of reach looked at by Pinocchio (the frame is there) and coal (nothing is touched)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handik as hk

pin, coal = pytest.importorskip("pinocchio"), pytest.importorskip("coal")

HERE = [1.0, 0.0, 0.0, 0.0]
ARM = hk.data("ur5")
PARTS = [
    hk.Capsule("link_2", (0, 0, 0), (0.38, 0, 0), 0.06),
    hk.Capsule("link_3", (0.05, 0, 0), (0.35, 0, 0), 0.05),
    hk.Capsule("link_6", (0, 0, -0.05), (0, 0, 0.05), 0.03),
]
ROOM = (
    hk.Scene()
    .add("table", hk.scene.Box([0.5, 1.2, 0.04]), pose=([0.6, 0, -0.1], HERE))
    .add("box", hk.scene.Box([0.2, 0.2, 0.4]), pose=([0.55, 0.15, 0.12], HERE))
    .add("knob", hk.scene.Sphere(0.02), pose=([0.45, -0.3, 0.3], HERE))
)


class Others:
    """The arm as Pinocchio has it, and its capsules and the scene as coal has them."""

    def __init__(self, tmp: Path, figure: hk.Figure) -> None:
        figure.model.save(tmp / "arm.urdf")
        self.figure, self.model = figure, pin.buildModelFromUrdf(str(tmp / "arm.urdf"))
        self.data = self.model.createData()

    def poses(self, q: np.ndarray) -> dict[str, np.ndarray]:
        pin.framesForwardKinematics(self.model, self.data, q)
        return {f.name: self.data.oMf[k].homogeneous for k, f in enumerate(self.model.frames)}

    def touches(self, q: np.ndarray, names: set[str]) -> list[tuple[str, str]]:
        """Which capsules touch which obstacles of those named."""
        poses, out = self.poses(q), []
        for capsule in self.figure.capsules:
            a, b = np.asarray(capsule.start, float), np.asarray(capsule.end, float)
            z = (b - a) / np.linalg.norm(b - a)
            x = np.cross(z, [0.3, 0.5, 0.8])
            x /= np.linalg.norm(x)
            turn, T = np.stack([x, np.cross(z, x), z], axis=1), poses[capsule.frame]
            place = coal.Transform3s(T[:3, :3] @ turn, T[:3, :3] @ (a + b) / 2 + T[:3, 3])
            body = coal.Capsule(capsule.radius, float(np.linalg.norm(b - a)))
            for one in ROOM.obstacles():
                size = getattr(one.shape, "size", None)
                shape = coal.Sphere(one.shape.radius) if size is None else coal.Box(*size)
                pose = coal.Transform3s(one.pose[:3, :3], one.pose[:3, 3])
                hit = coal.collide(
                    body, place, shape, pose, coal.CollisionRequest(), coal.CollisionResult()
                )
                if hit and one.name in names:
                    out.append((capsule.frame, one.name))
        return out


@pytest.mark.parametrize(
    "options", [{}, {"axis": [0, 0, -1]}, {"axis": [1, 0, 0], "half_angle": 0.2}], ids=str
)
def test_a_yes_holds_for_others_too(tmp_path: Path, options: dict[str, Any]) -> None:
    figure = hk.Figure(ARM, PARTS, pairs=[])
    others, rng = Others(tmp_path, figure), np.random.default_rng(4)
    targets = rng.uniform([0.2, -0.4, 0.0], [0.75, 0.4, 0.5], (40, 3))
    found = hk.access.reach(figure, ROOM, targets, within=np.inf, budget=1, tries=8, **options)
    yes = found.verdict == "yes"
    assert yes.sum() >= 8
    for one in found[yes]:
        pose = others.poses(one.q)["link_6"]
        assert np.linalg.norm(pose[:3, 3] - one.target) <= 1e-3 + 1e-9
        assert not others.touches(one.q, {"table", "box", "knob"})
        if options:
            half = options.get("half_angle", hk.deg(30))
            along = np.array(options["axis"], float)
            assert np.arccos(np.clip(pose[:3, 2] @ along, -1, 1)) <= half + 1e-9
    drawn = ARM.sample(200, seed=2)  # it can see
    seen = np.array([bool(others.touches(q, {"table", "box", "knob"})) for q in drawn])
    np.testing.assert_array_equal(seen, ~ROOM.free(figure, drawn))
    assert seen.any()


def test_only_the_hand_touches_what_it_holds(tmp_path: Path) -> None:
    figure = hk.Figure(ARM, PARTS, pairs=[])
    others = Others(tmp_path, figure)
    held = hk.access.reach(figure, ROOM, [0.45, -0.3, 0.3], holds="knob", within=np.inf)
    assert held.verdict == "yes"
    assert others.touches(held.q, {"table", "box", "knob"}) == [("link_6", "knob")]
    assert 0 < held.overlap <= 0.05
    assert hk.access.reach(figure, ROOM, [0.45, -0.3, 0.3], within=np.inf).verdict != "yes"
