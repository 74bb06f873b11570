"""What is public in `handik.scene.plan`, called: as `public_calls`."""

from __future__ import annotations

from public_calls import ARM, FOLDER, Given, call_of

import handik as hk

MOVED = hk.plan.trajectory(
    ARM, [[0, 0, 0], [0.5, 0.5, 0.5]], max_speed=1.0, max_acceleration=4.0
).resampled(0.25)
BONE = [hk.Capsule("link_1", (0, 0, 0), (0.4, 0, 0), 0.03)]
FIGURE = hk.Figure(ARM, BONE, pairs=[])
ROOM = hk.Scene().add("post", hk.scene.Sphere(0.1), pose=([0, 0.4, 0], [1, 0, 0, 0]))
FOUND = hk.plan.path(ROOM, FIGURE, [0, 0, 0], [0.5, 0.5, 0.5])
TASKS: list[hk.plan.Task] = []
hk.plan.path(ROOM, FIGURE, [0, 0, 0], [0.5, 0.5, 0.5], planner=TASKS.append)

POPPY, MOTORS = hk.data("poppy_arm"), hk.data.motors("poppy_arm")
ROWS = [POPPY.rest, POPPY.clip(POPPY.rest + 0.3)]
TABLE = hk.plan.PoseTable(POPPY, ROWS)
HAND = TABLE.points[0] + [0.01, 0.01, 0.0]
DRAG = hk.plan.Drag(ARM, ARM.frame_names[-1])
RISE = hk.plan.trajectory(POPPY, ROWS, max_speed=1.0, max_acceleration=4.0)

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
    "plan.path": call_of(
        hk.plan.path,
        ROOM,
        FIGURE,
        [0, 0, 0],
        [0.5, 0.5, 0.5],
        via=[[0.1, 0, 0]],
        planner="auto",
        seed=1,
        paths=2,
        shorter=False,
        threads=1,
        trees=True,
        dear=True,
    ),
    "plan.PlannedPath.trajectory": call_of(
        FOUND.trajectory,
        max_acceleration=4.0,
        max_speed=1.0,
        max_jerk=50.0,
        blend=True,
        dear=True,
    ),
    "plan.Task.free": call_of(TASKS[0].free, q=[0, 0, 0]),
    "plan.Task.proves": call_of(TASKS[0].proves, q0=[0, 0, 0], q1=[0.1, 0, 0]),
    "plan.Trajectory.sample": call_of(MOVED.sample, t=0.1),
    "plan.Trajectory.resampled": call_of(MOVED.resampled, dt=0.1),
    "plan.Trajectory.to_csv": call_of(MOVED.to_csv),
    "plan.Trajectory.to_dict": call_of(MOVED.to_dict, ros=2),
    "plan.Trajectory.to_json": call_of(MOVED.to_json, ros=2),
    "plan.Trajectory.to_yaml": call_of(MOVED.to_yaml, ros=2),
    "plan.Trajectory.save": call_of(MOVED.save, path=FOLDER / "moved.csv"),
    "plan.PoseTable": call_of(
        hk.plan.PoseTable, POPPY, ROWS, frame="r_hand", scene=None, figure=None
    ),
    "plan.PoseTable.covering": call_of(
        hk.plan.PoseTable.covering, POPPY, 2, frame="r_hand", scene=None, draws=40, seed=0
    ),
    "plan.PoseTable.nearest": call_of(TABLE.nearest, target=HAND),
    "plan.PoseTable.reach": call_of(
        TABLE.reach, target=HAND, row=0, terms=[], step=0.02, max_iter=9, position_tolerance=1e-3
    ),
    "plan.PoseTable.route": call_of(TABLE.route, start=ROWS[1], target=HAND),
    "plan.TableRoute.steps": call_of(TABLE.route(ROWS[1], HAND).steps, n=5),
    "plan.motor_commands": call_of(hk.plan.motor_commands, POPPY, ROWS, MOTORS),
    "plan.pypot_move": call_of(hk.plan.pypot_move, RISE, MOTORS, framerate=10.0),
    "plan.Drag": call_of(
        hk.plan.Drag,
        ARM,
        ARM.frame_names[-1],
        [0.1, 0, 0],
        q0=[0.1, 0.2, 0.3],
        pins=[],
        mode="fabrik",
        plane="xy",
        max_iter=10,
        lock={},
    ),
    "Figure.drag": call_of(
        hk.Figure(ARM, []).drag,
        ARM.frame_names[-1],
        [0.5, 0.3],
        q0=[0.1, 0.2, 0.3],
        pins=[],
        mode="fabrik",
        plane="xy",
        scene=None,
    ),
    "plan.Drag.to": call_of(DRAG.to, target=DRAG.point),
}
