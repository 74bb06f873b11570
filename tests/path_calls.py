"""What is public in `handik.scene.plan`, called: as `public_calls`."""

from __future__ import annotations

from public_calls import ARM, FOLDER, Given, call_of

import handik as hk

MOVED = hk.plan.trajectory(
    ARM, [[0, 0, 0], [0.5, 0.5, 0.5]], max_speed=1.0, max_acceleration=4.0
).resampled(0.25)

PATHS: dict[str, Given] = {
    "plan.trajectory": call_of(
        hk.plan.trajectory,
        ARM,
        [[0, 0, 0], [0.5, 0.5, 0.5]],
        max_speed=1.0,
        max_acceleration=4.0,
        max_jerk=50.0,
        blend=0.5,
        dear=True,
    ),
    "plan.Trajectory.sample": call_of(MOVED.sample, t=0.1),
    "plan.Trajectory.resampled": call_of(MOVED.resampled, dt=0.1),
    "plan.Trajectory.to_csv": call_of(MOVED.to_csv),
    "plan.Trajectory.to_dict": call_of(MOVED.to_dict, ros=2),
    "plan.Trajectory.to_json": call_of(MOVED.to_json, ros=2),
    "plan.Trajectory.to_yaml": call_of(MOVED.to_yaml, ros=2),
    "plan.Trajectory.save": call_of(MOVED.save, path=FOLDER / "moved.csv"),
}
