"""A route of the Poppy arm, and a step of the leg, played by pypot on its own simulated robots.

Needs ``pip install pypot poppy-torso poppy-humanoid``; no hardware. pypot's ``MovePlayer`` reads the recorded move that
`handik.plan.pypot_move` wrote, and drives the dummy robot of the same configuration that the real one has. Printed: how far the motors'
goals were from what handik's trajectory says at that time of the player, how far the robot stands from the end, and for how many
motors pypot has other limits.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import handik as hk

#: Robots of pypot, by the models of handik.
ROBOTS = {
    "poppy_arm": ("poppy_torso", "PoppyTorso"),
    "poppy_leg": ("poppy_humanoid", "PoppyHumanoid"),
}


def trajectory(name: str) -> hk.plan.Trajectory:
    """Return a movement: the arm by the table of known postures, the leg to a raised foot."""
    model = hk.data(name)
    zero = np.radians([one["zero"] for one in hk.data.motors(name)])
    if name == "poppy_arm":
        table = hk.plan.PoseTable.covering(model, 10, figure=model)
        way = table.route(zero, [-0.15, -0.2, 0.2]).q
    else:
        raised = model.solve(position=model.fk(zero)[:3, 3] + [0, -0.05, 0.08], q0=zero)
        way = np.stack([zero, raised.q, zero])
    return hk.plan.trajectory(model, way, max_speed=1.0, max_acceleration=3.0)


def played(name: str) -> str:
    """Play a movement, and say how it went."""
    move = importlib.import_module("pypot.primitive.move")
    package, kind = ROBOTS[name]
    robot: Any = getattr(importlib.import_module(package), kind)(simulator="dummy")
    moved, motors = trajectory(name), hk.data.motors(name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "move.json"
        path.write_text(json.dumps(hk.plan.pypot_move(moved, motors)), "utf-8")
        player = move.MovePlayer(robot, move_filename=str(path), start_max_speed=1000)
    at = {one["name"]: getattr(robot, one["name"]) for one in motors}
    other = sum(
        not np.allclose(sorted((m.lower_limit, m.upper_limit)), command_limits(one), atol=1e-6)
        for m, one in ((at[one["name"]], one) for one in motors)
    )
    rows: list[tuple[float, list[float]]] = []
    player.start()
    while player.is_alive():
        rows.append((player.elapsed_time, [m.goal_position for m in at.values()]))
        time.sleep(0.005)
    time.sleep(0.3)
    end = hk.plan.motor_commands(moved.model, moved.q[-1], motors)
    last = max(abs(at[key].present_position - float(value)) for key, value in end.items())
    seen = [(t, row) for t, row in rows if 0.1 < t < moved.duration]
    told = hk.plan.motor_commands(
        moved.model, moved.sample(np.array([t for t, _ in seen]))[0], motors
    )
    off = np.abs(np.array([row for _, row in seen]) - np.stack(list(told.values()), axis=1))
    speed = np.abs(np.diff(np.stack(list(told.values()), axis=1), axis=0)).max()
    robot.close()
    return (
        f"{name:10} {moved.duration:.2f} s, {len(at)} motors of {kind}: goals off by at most "
        f"{off.max():.2f} degrees (a frame of 20 ms moves up to {speed * 4:.2f}), the robot stands "
        f"{last:.2f} degrees from the end, {other} motors with other limits than ours"
    )


def command_limits(motor: dict[str, Any]) -> tuple[float, float]:
    """Return the least and greatest command of a motor."""
    ends = sorted(motor["sense"] * (motor[end] - motor["zero"]) for end in ("lower", "upper"))
    return ends[0], ends[1]


def main() -> None:
    """Print a line for each."""
    try:
        importlib.import_module("pypot")
    except ImportError:
        print("pip install pypot poppy-torso poppy-humanoid")
        sys.exit(1)
    for name in ROBOTS:
        print(played(name), flush=True)


if __name__ == "__main__":
    main()
