"""Inverse kinematics of other libraries behind one call each: (pose, start) gives joints or None.

An adapter gets a `Chain`, a URDF file of hinges alone, and may raise ImportError (its package is not
installed) or anything else (it cannot read the robot); both are named by who asks. Packages: optik-py,
pytracik, roboticstoolbox-python, klampt, placo, pin, mujoco. Those of the first five are the libraries'
own solvers with what restarts they have; Pinocchio and MuJoCo have none for inverse kinematics, so
theirs are plain damped loops on their kinematics and Jacobians, in Python, clipped to the limits, from
one start.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Solve = Callable[[Array, Array], Any]
#: Metres and radians within which a peer that can be told so is asked to stop.
CLOSE = 5e-6
STEPS = 100  # of the loops


@dataclass(frozen=True)
class Chain:
    """Hinges ``joint_0`` ... between the links ``link_0`` ..., in a URDF file; the last link is fixed."""

    file: str
    joints: int
    lower: Array
    upper: Array
    tool: Array  # (4, 4) the tip in the frame of the last link that moves

    @property
    def tip(self) -> str:
        """Last link of the file; the first is link_0."""
        return f"link_{self.joints + 1}"

    @property
    def last(self) -> str:
        """Last link that moves: some libraries melt the tip into it."""
        return f"link_{self.joints}"

    def of_last(self, pose: Array) -> Array:
        """Return where the last moving link is when the tip is at the pose."""
        return np.asarray(pose @ np.linalg.inv(self.tool))


def with_optik(chain: Chain) -> Solve:
    """OptIK (Rust), one thread."""
    import optik

    robot = optik.Robot.from_urdf_file(chain.file, "link_0", chain.tip)
    robot.set_parallelism(1)
    config = optik.SolverConfig(solution_mode="speed", max_time=0.1, tol_f=1e-12)

    def solve(pose: Array, start: Array) -> Any:
        found = robot.ik(config, pose, start)
        return None if found is None else found[0]

    return solve


def with_tracik(chain: Chain) -> Solve:
    """TRAC-IK, 5 ms a target."""
    import trac_ik

    solver = trac_ik.TracIK("link_0", chain.tip, chain.file, timeout=0.005, epsilon=CLOSE)
    return lambda pose, start: solver.ik(pose[:3, 3], pose[:3, :3], seed_jnt_values=start)


def with_toolbox(chain: Chain) -> Solve:
    """Robotics Toolbox, ik_LM (C++)."""
    import roboticstoolbox as rtb

    ets = rtb.Robot.URDF(chain.file).ets("link_0", chain.tip)

    def solve(pose: Array, start: Array) -> Any:
        found = ets.ik_LM(pose, q0=start, tol=1e-12, ilimit=30, slimit=100)
        if isinstance(found, tuple):  # before version 1.5
            return found[0] if found[1] else None
        return np.ravel(found.q) if np.all(found.success) else None

    return solve


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keep what a C++ library prints while it loads a file off the table."""
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def with_klampt(chain: Chain) -> Solve:
    """Klampt's solver with its own random restarts (solve_global's)."""
    import klampt
    from klampt.model import ik

    world = klampt.WorldModel()
    with silence():
        robot = world.loadRobot(chain.file)
    if robot is None or robot.numLinks() < chain.joints:
        raise ValueError("Klampt did not read the chain")
    names = [robot.link(i).getName() for i in range(robot.numLinks())]
    moving = [names.index(f"link_{k + 1}") for k in range(chain.joints)]
    last, whole = robot.link(chain.last), np.zeros(robot.numLinks())

    def solve(pose: Array, start: Array, owner: Any = world) -> Any:
        # the robot lives as long as the world that owns it, which is why the call holds on to it
        at = chain.of_last(pose)
        goal = ik.objective(last, R=at[:3, :3].T.ravel().tolist(), t=at[:3, 3].tolist())
        whole[moving] = start
        robot.setConfig(whole.tolist())
        done = ik.solve_global(goal, iters=100, tol=CLOSE / 5, activeDofs=moving, numRestarts=100)
        return np.array(robot.getConfig())[moving] if done else None

    return solve


def with_placo(chain: Chain) -> Solve:
    """PlaCo: its step, up to 100 times."""
    import placo

    robot = placo.RobotWrapper(chain.file)
    solver = placo.KinematicsSolver(robot)
    solver.mask_fbase(True)
    task = solver.add_frame_task(chain.tip, np.eye(4))
    task.configure(chain.tip, "soft", 1.0, 1.0)
    names = [f"joint_{k}" for k in range(chain.joints)]

    def solve(pose: Array, start: Array) -> Any:
        for name, x in zip(names, start, strict=True):
            robot.set_joint(name, x)
        robot.update_kinematics()
        task.T_world_frame = robot.get_T_world_frame("link_0") @ pose
        for _ in range(STEPS):
            step = solver.solve(True)
            robot.update_kinematics()
            if np.linalg.norm(step) < 1e-9:
                break
        return [robot.get_joint(name) for name in names]

    return solve


def damped(jacobian: Array, error: Array) -> Array:
    """Return the damped least squares step."""
    square = jacobian @ jacobian.T + 1e-6 * np.eye(6)
    return np.asarray(jacobian.T @ np.linalg.solve(square, error))


def with_pinocchio(chain: Chain) -> Solve:
    """Return Pinocchio's closed loop with damping."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(chain.file)
    data = model.createData()
    frame = model.getFrameId(chain.tip)

    def solve(pose: Array, start: Array) -> Any:
        target, q = pin.SE3(pose), start.copy()
        for _ in range(STEPS):
            pin.framesForwardKinematics(model, data, q)
            error = pin.log6(data.oMf[frame].actInv(target)).vector
            if np.linalg.norm(error) < CLOSE:
                return q
            jacobian = pin.computeFrameJacobian(model, data, q, frame)
            q = np.clip(q + damped(jacobian, error), chain.lower, chain.upper)
        return None

    return solve


def with_mujoco(chain: Chain) -> Solve:
    """Return a damped loop on MuJoCo's Jacobian."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(chain.file)
    data = mujoco.MjData(model)
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, chain.last)
    if body < 0 or model.nq != chain.joints:
        raise ValueError("MuJoCo did not read the chain")
    columns, quat, turn = np.zeros((6, model.nv)), np.zeros(4), np.zeros(3)
    wanted, conjugate, rest = np.zeros(4), np.zeros(4), np.zeros(6)

    def solve(pose: Array, start: Array) -> Any:
        at, q = chain.of_last(pose), start.copy()
        mujoco.mju_mat2Quat(wanted, at[:3, :3].ravel())
        for _ in range(STEPS):
            data.qpos[:] = q
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mju_negQuat(conjugate, data.xquat[body])
            mujoco.mju_mulQuat(quat, wanted, conjugate)
            mujoco.mju_quat2Vel(turn, quat, 1.0)
            rest[:3], rest[3:] = at[:3, 3] - data.xpos[body], turn
            if np.linalg.norm(rest) < CLOSE:
                return q
            mujoco.mj_jacBody(model, data, columns[:3], columns[3:], body)
            q = np.clip(q + damped(columns, rest), chain.lower, chain.upper)
        return None

    return solve


#: name: (what to install, the adapter)
PEERS: dict[str, tuple[str, Callable[[Chain], Solve]]] = {
    "toolbox": ("roboticstoolbox-python", with_toolbox),
    "optik": ("optik-py", with_optik),
    "klampt": ("klampt", with_klampt),
    "tracik": ("pytracik", with_tracik),
    "placo": ("placo", with_placo),
    "pinocchio": ("pin", with_pinocchio),
    "mujoco": ("mujoco", with_mujoco),
}
