"""One call of everything public that can be called wrongly: what to call, and arguments that are right.

Small cases: what is asked of them is what happens when one argument is something else.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from batch_calls import SEVEN, STEWART, TREE, UR5

import handik as hk
from handik import transforms
from handik.closed import arm_angle, paul, self_motion, subproblems
from handik.closed.mechanism import Cut, Mechanism
from handik.closed.parallel import Delta, FiveBar, Hexaglide, PlanarRPR, StewartPlatform
from handik.closed.parallel.circles import ThreeRRS, circle_postures
from handik.closed.parallel.maps import workspace_slice
from handik.closed.paul import types
from handik.files.read import dh, fit_dh, roboop, xacro
from handik.model.dynamics import lagrange, statics
from handik.result import explain, margins
from handik.result.trace import trace_of
from handik.solve import passes, table
from handik.solve.network import Network
from handik.spec import InertialSpec, limits
from handik.study import curve, estimate, paper, surveys
from handik.study.roboop import Robot


class Given(NamedTuple):
    """A call that is right."""

    run: Callable[..., Any]
    args: tuple[Any, ...] = ()
    named: dict[str, Any] = {}  # noqa: RUF012 - nobody writes to it
    #: True for a call that is long: fewer wrong ones are made.
    dear: bool = False


def call_of(run: Callable[..., Any], *args: Any, dear: bool = False, **named: Any) -> Given:
    return Given(run, args, named, dear)


FOLDER = Path(tempfile.mkdtemp(prefix="handik-calls-"))
Q, V = np.array([0.1, -0.6, 0.9, 0.3, 0.7, -0.2]), np.full(6, 0.1)
T = UR5.fk(Q)
QT = TREE.sample(seed=1)
VT = np.full(TREE.nv, 0.1)
ARM = hk.chain([0.4, 0.3, 0.2])
BALLS = hk.chain([0.4, 0.3, 0.2], "ball")
BONE = hk.chain([1.0], "ball").spec
BONE.joints[0].cone = hk.ReachCone(
    [(0.0, 1.0), (2.0, 1.0), (4.0, 0.5)],
    hk.TwistTable((-1.0, 1.0), [(-1.5, -0.5, 0.5), (1.5, -0.2, 0.2)]),
)
SWUNG = hk.Model(BONE)
POINT = hk.Problem(ARM, [hk.Position()])
AIM = np.array([0.5, 0.3, 0.0])
FOUND = POINT.model.solve(position=AIM, solver="ccd", trace=True)
BATCH = UR5.solve(pose=np.stack([T, T]))
PATH = np.linspace([0.5, 0.1, 0.0], [0.5, 0.2, 0.0], 4)
DH = [[0, 0.1, 0.2, 1.5], [0, 0, 0.4, 0]]
WRIST = [[0, 0.9, 0, -np.pi / 2], [0, 0, 0, np.pi / 2], [0, 0.1, 0, 0]]
PAULS = [[0, 0.1, 0, np.pi / 2], [0, 0, 0.9, 0], [0, 0, 0, np.pi / 2], *WRIST]
UP = np.eye(4)
UP[2, 3] = 1.0
RRS = ThreeRRS.regular(1.0, 0.6, 2.0, 2.0)
RAILS = Hexaglide(
    STEWART.base - [0, 0, 3], np.tile([0.0, 0.0, 1.0], (6, 1)), STEWART.platform, [4.0] * 6
)
RAILED = np.eye(4)
RAILED[2, 3] = 1.5
FIVE = FiveBar([[-0.5, 0.0], [0.5, 0.0]], [1.0, 1.0], [1.2, 1.2])
DELTA = Delta(0.4, 0.1, 0.5, 1.0)
RPR = PlanarRPR([[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]], [[-0.2, -0.1], [0.2, -0.1], [0.0, 0.2]])
X, Y, Z = np.eye(3)
SWING = hk.chain([1.0]).spec
SWING.links[1].inertial = InertialSpec(1.0, center=[1.0, 0.0, 0.0])
PENDULUM = hk.Model(SWING)
SPEC = hk.chain([1.0, 1.0]).spec
DOTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
CURVE = curve.circle(4)


def crank() -> Mechanism:
    joints = [hk.JointSpec(str(k), "revolute", a, b) for k, (a, b) in enumerate(["ab", "bc", "cd"])]
    for joint in joints[1:]:
        joint.placement[0, 3] = 0.5
    pin = np.eye(4)
    pin[0, 3] = 0.4
    ends = [hk.FrameSpec("pin", "a", pin), hk.FrameSpec("top", "d", pin)]
    model = hk.Model(hk.ModelSpec("crank", [hk.LinkSpec(x) for x in "abcd"], joints, ends))
    return Mechanism(model, [Cut("pin", "top")], ["0"])


CRANK = crank()


@cache
def study() -> Any:
    return hk.study.compare(BALLS, curve.figure_of_eight(6), runs=2, progress=None)


@cache
def files() -> dict[str, Path]:
    """A file of each format."""
    found = {}
    for suffix in ("urdf", "sdf", "mjcf", "toml", "csv"):
        found[suffix] = FOLDER / f"arm.{suffix}"
        UR5.save(found[suffix], [])
    found["conf"] = FOLDER / "arm.conf"
    found["conf"].write_text(UR5.spec.to_roboop([]))
    found["bvh"] = FOLDER / "man.bvh"
    found["bvh"].write_text(
        "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
        "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\n"
        "Frame Time: 0.04\n0 0 0 0 0 0\n"
    )
    found["path"] = FOLDER / "path.csv"
    found["path"].write_text("x,y,z\n0,0,0\n1,0,0\n1,1,0\n")
    NET.save(FOLDER / "net.npz")
    found["npz"] = FOLDER / "net.npz"
    return found


NET = Network.train(ARM, goal="position", samples=100, hidden=(4,), epochs=1, seed=1)
MOTION = hk.read.read_bvh_motion(files()["bvh"])
FIT = fit_dh.fit_dh(UR5.spec)


def frames_of(term: type[hk.Term], **more: Any) -> Given:
    return call_of(lambda **named: hk.Problem(UR5, term(**named)), **more)


S = table.solvers()
WATCH = "progress", "ax", "axes", "figure"  # drawn or called only: what they are is matplotlib's

CALLS: dict[str, Given] = {
    # the model
    "Model": call_of(hk.Model, spec=SPEC),
    "Model.from_dh": call_of(hk.Model.from_dh, table=DH),
    "Model.with_limits": call_of(BALLS.with_limits, {"joint_1": hk.Cone(1.0)}),
    "Model.with_base": call_of(UR5.with_base, placement=T),
    "Model.with_tool": call_of(UR5.with_tool, placement=T),
    "Model.sample": call_of(UR5.sample, n=2, seed=1),
    "Model.locked": call_of(UR5.locked, lock={"elbow": 1.0}),
    "Model.save": call_of(UR5.save, path=FOLDER / "saved.toml"),
    "Model.fk": call_of(UR5.fk, Q),
    "Model.frames": call_of(UR5.frames, Q),
    "Model.jacobian": call_of(UR5.jacobian, Q),
    "Model.integrate": call_of(UR5.integrate, Q, V),
    "Model.difference": call_of(UR5.difference, Q, Q),
    "Model.clip": call_of(UR5.clip, Q),
    "Model.solve": call_of(UR5.solve, pose=T),
    "Model.solve, a point": call_of(ARM.solve, position=AIM, q0=np.zeros(3)),
    "Model.solutions": call_of(UR5.solutions, T),
    "Model.track": call_of(ARM.track, position=PATH),
    "Model.track, a problem": call_of(ARM.track, problem=POINT, targets=PATH),
    "chain": call_of(hk.chain, lengths=[1.0, 1.0]),
    "load": call_of(hk.load, path=files()["urdf"]),
    "data": call_of(hk.data, name="ur5"),
    "data.source": call_of(hk.data.source, name="ur5"),
    "deg": call_of(hk.deg, 90.0),
    # dynamics
    "inverse_dynamics": call_of(
        TREE.inverse_dynamics, q=QT, v=VT, a=VT, wrenches={"end": VT[:1].repeat(6)}
    ),
    "forward_dynamics": call_of(TREE.forward_dynamics, q=QT, v=VT, tau=VT, payload={"end": 1.0}),
    "mass_matrix": call_of(TREE.mass_matrix, q=QT),
    "coriolis_torque": call_of(TREE.coriolis_torque, q=QT, v=VT),
    "gravity_torque": call_of(TREE.gravity_torque, q=QT),
    "kinetic_energy": call_of(TREE.kinetic_energy, q=QT, v=VT),
    "potential_energy": call_of(TREE.potential_energy, q=QT),
    "center_of_mass": call_of(TREE.center_of_mass, q=QT),
    "center_of_mass_jacobian": call_of(TREE.center_of_mass_jacobian, q=QT),
    "momentum": call_of(TREE.momentum, q=QT, v=VT),
    "simulate": call_of(TREE.simulate, q0=QT, v0=VT, t=0.002),
    "static_torques": call_of(TREE.static_torques, q=QT, loads={"end": 2.0}),
    "strength_share": call_of(
        statics.strength_share, model=TREE, q=QT, loads={"end": 2.0}, limits=np.full(TREE.nv, 9.0)
    ),
    "reachable_force": call_of(TREE.reachable_force, q=QT, limits=np.full(TREE.nv, 9.0)),
    "torque_limits": call_of(statics.torque_limits, model=ARM, limits={"joint_1": 5.0}),
    "equations_of_motion": call_of(lagrange.equations_of_motion, model=PENDULUM, dear=True),
    # problems and solvers
    "Problem": call_of(hk.Problem, model=ARM, terms=[hk.Position()]),
    "Problem.targets": call_of(POINT.targets, AIM),
    "Problem.evaluate": call_of(POINT.evaluate, targets=AIM, q=np.zeros(3)),
    "Problem.residual": call_of(POINT.residual, AIM, np.zeros(3)),
    "Problem.jacobian": call_of(POINT.jacobian, AIM, np.zeros(3)),
    "Problem.distance_lower_bound": call_of(POINT.distance_lower_bound, targets=AIM),
    "Position": frames_of(hk.Position, frame=None),
    "Orientation": frames_of(hk.Orientation, frame=None),
    "Pose": frames_of(hk.Pose, weight=1.0),
    "Axis": frames_of(hk.Axis, axis=(0.0, 0.0, 1.0)),
    "Level": frames_of(hk.Level, axis=(0.0, 0.0, 1.0)),
    "LookAt": frames_of(hk.LookAt, axis=(0.0, 0.0, 1.0)),
    "Distance": frames_of(hk.Distance, frame="link_1", other="link_6", distance=1.0),
    "Loop": frames_of(hk.Loop, frame="link_1", other="link_6", joint="ball"),
    "CenterOfMass": call_of(
        lambda **x: hk.Problem(TREE, hk.CenterOfMass(**x)), over=[[0, 0], [1, 0], [0, 1]]
    ),
    "Capsule": call_of(hk.Capsule, frame="tip", start=(0, 0, 0), end=(0, 0, 1), radius=0.1),
    "SelfCollision": call_of(
        lambda **x: hk.Problem(BALLS, hk.SelfCollision(**x)),
        capsules=[
            hk.Capsule(f, (0.15, 0, 0), (0.15, 0, 0), 0.01) for f in ("link_0", "link_3", "link_2")
        ],
    ),
    "Posture": frames_of(hk.Posture, target=Q),
    "Damping": frames_of(hk.Damping, weights={"elbow": 1.0}),
    "Solver": call_of(hk.Solver, name="dls", max_iter=10),
    "Solver()": call_of(hk.Solver("dls"), problem=POINT, targets=AIM),
    "Solver.stream": call_of(
        lambda **x: list(hk.Solver("dls").stream(**x)), problem=POINT, targets=PATH
    ),
    "solver": call_of(hk.solver, name="wrongly_called"),
    "solvers": call_of(S.__getitem__, "dls"),
    "fabrik_passes": call_of(passes.fabrik_passes, model=BALLS, target=AIM),
    "Network.train": call_of(
        lambda model, **x: Network.train(
            model, **{"samples": 100, "hidden": (2,), "epochs": 1, **x}
        ),
        model=ARM,
        frame="tip",
        goal="position",
        samples=100,
        hidden=(2,),
        epochs=1,
        seed=1,
        dear=True,
    ),
    "Network.predict": call_of(NET.predict, targets=AIM),
    "Network.solve": call_of(NET.solve, targets=AIM),
    "Network.save": call_of(NET.save, path=FOLDER / "again.npz"),
    "Network.load": call_of(Network.load, path=FOLDER / "net.npz", model=ARM),
    # results
    "Result.explain": call_of(BATCH.explain, most=2),
    "Result[]": call_of(BATCH.__getitem__, 0),
    "explain": call_of(explain.explain, result=FOUND),
    "points_of": call_of(explain.points_of, problem=POINT, target=AIM),
    "limits": call_of(margins.limits, model=UR5),
    "margins": call_of(margins.margins, model=UR5, q=Q),
    "trace_of": call_of(trace_of, model=ARM, error=np.zeros(3), path=np.zeros((3, 3))),
    "Solutions.nearest": call_of(UR5.solutions(T).nearest, q=Q),
    "Solutions.families": call_of(UR5.solutions(T).families, index=()),
    "Solutions[]": call_of(UR5.solutions(T).__getitem__, 0),
    # closed forms
    "arm_angle": call_of(arm_angle.arm_angle, model=SEVEN, q=SEVEN.sample(seed=1)),
    "arm_angle_ranges": call_of(
        arm_angle.arm_angle_ranges, model=SEVEN, T=SEVEN.fk(SEVEN.sample(seed=1)), dear=True
    ),
    "end_angle_ranges": call_of(arm_angle.end_angle_ranges, model=ARM, point=AIM),
    "postures_at": call_of(
        arm_angle.postures_at, model=SEVEN, T=SEVEN.fk(SEVEN.sample(seed=1)), angle=0.1
    ),
    "Cut": call_of(
        lambda **x: Mechanism(CRANK.model, [Cut(**x)], ["0"]), a="pin", b="top", joint="ball"
    ),
    "Mechanism": call_of(Mechanism, model=CRANK.model, cuts=[Cut("pin", "top")], drives=["0"]),
    "Mechanism.closure": call_of(CRANK.closure, q=np.zeros(3)),
    "Mechanism.jacobian": call_of(CRANK.jacobian, q=np.zeros(3)),
    "Mechanism.mobility": call_of(CRANK.mobility, q=np.zeros(3)),
    "Mechanism.singularity": call_of(CRANK.singularity, q=np.zeros(3)),
    "Mechanism.fk": call_of(CRANK.fk, values=[0.1], guess=np.zeros(3)),
    "Mechanism.ik": call_of(CRANK.ik, T=np.eye(4), guess=np.zeros(3), frame="c"),
    "Mechanism.assemblies": call_of(CRANK.assemblies, values=[0.1], n_starts=3, dear=True),
    "Mechanism.postures": call_of(CRANK.postures, T=np.eye(4), frame="c", n_starts=3, dear=True),
    "StewartPlatform": call_of(StewartPlatform, base=STEWART.base, platform=STEWART.platform),
    "StewartPlatform.hexagon": call_of(
        StewartPlatform.hexagon,
        base_radius=1.0,
        platform_radius=0.6,
        base_half=0.2,
        platform_half=0.3,
    ),
    "StewartPlatform.ik": call_of(STEWART.ik, T=UP),
    "StewartPlatform.jacobian": call_of(STEWART.jacobian, T=UP),
    "StewartPlatform.singularity": call_of(STEWART.singularity, T=UP),
    "StewartPlatform.fk": call_of(STEWART.fk, lengths=STEWART.ik(UP), guess=UP),
    "StewartPlatform.postures": call_of(STEWART.postures, lengths=STEWART.ik(UP)),
    "Hexaglide": call_of(
        Hexaglide,
        rail=RAILS.rail,
        direction=RAILS.direction,
        platform=RAILS.platform,
        length=RAILS.length,
    ),
    "Hexaglide.ik": call_of(RAILS.ik, T=RAILED),
    "Hexaglide.fk": call_of(RAILS.fk, slide=np.zeros(6), guess=RAILED),
    "Hexaglide.postures": call_of(RAILS.postures, slide=np.zeros(6)),
    "ThreeRRS": call_of(
        ThreeRRS,
        base=RRS.base,
        axes=RRS.axes,
        upper=RRS.upper,
        lower=RRS.lower,
        platform=RRS.platform,
    ),
    "ThreeRRS.regular": call_of(
        ThreeRRS.regular, base_radius=1.0, platform_radius=0.6, upper=2.0, lower=2.0
    ),
    "ThreeRRS.ik": call_of(RRS.ik, T=UP),
    "ThreeRRS.poses": call_of(RRS.poses, height=1.0, tilt=[0.0, 0.0]),
    "ThreeRRS.postures": call_of(RRS.postures, angle=[0.5, 0.5, 0.5]),
    "ThreeRRS.fk": call_of(RRS.fk, angle=[0.5, 0.5, 0.5], guess=UP),
    "ThreeRRS.singularity": call_of(RRS.singularity, T=UP),
    "circle_postures": call_of(
        circle_postures,
        centre=DOTS[:3],
        radius=[0.3, 0.3, 0.3],
        u=np.tile(X, (3, 1)),
        w=np.tile(Z, (3, 1)),
        sides=[1.0, 1.1, 1.1],
    ),
    "FiveBar": call_of(FiveBar, base=FIVE.base, upper=FIVE.upper, lower=FIVE.lower),
    "FiveBar.ik": call_of(FIVE.ik, point=[0.0, 1.0]),
    "FiveBar.fk": call_of(FIVE.fk, angle=[1.0, 2.0]),
    "Delta": call_of(Delta, base_radius=0.4, platform_radius=0.1, upper=0.5, lower=1.0),
    "Delta.ik": call_of(DELTA.ik, point=[0.0, 0.0, -0.8]),
    "Delta.fk": call_of(DELTA.fk, angle=[0.1, 0.1, 0.1]),
    "PlanarRPR": call_of(PlanarRPR, base=RPR.base, platform=RPR.platform),
    "PlanarRPR.ik": call_of(RPR.ik, pose=[1.0, 1.0, 0.1]),
    "PlanarRPR.fk": call_of(RPR.fk, lengths=[1.0, 1.0, 1.0], guess=[1.0, 1.0, 0.0]),
    "PlanarRPR.postures": call_of(RPR.postures, lengths=[1.0, 1.0, 1.0]),
    "workspace_slice": call_of(
        workspace_slice,
        platform=STEWART,
        T=UP,
        along=("x", "y"),
        first=[0.0, 0.1],
        second=[0.0, 0.1],
    ),
    "paul.derive": call_of(paul.derive, table=PAULS),
    "Derivation.solve": call_of(paul.derive(PAULS).solve, T=np.eye(4)),
    "type_1": call_of(types.type_1, X=1.0, Y=2.0),
    "type_2": call_of(types.type_2, X=1.0, Y=2.0, Z=0.5),
    "type_3": call_of(types.type_3, X1=1.0, Y1=0.0, Z1=0.5, X2=0.0, Y2=1.0, Z2=0.5),
    "type_4": call_of(types.type_4, X1=1.0, Y1=0.0, X2=0.0, Y2=1.0),
    "type_9": call_of(types.type_9, a2=1.0, a1=0.0, a0=-1.0),
    "type_10": call_of(types.type_10, a4=1.0, a3=0.0, a2=0.0, a1=0.0, a0=-1.0),
    "self_motion": call_of(self_motion.self_motion, model=ARM, q=[0.3, 0.8, 0.5], task="position"),
    "subproblem1": call_of(subproblems.subproblem1, p=X, q=Y, k=Z),
    "subproblem2": call_of(subproblems.subproblem2, p=X, q=Y, k1=Z, k2=X),
    "subproblem3": call_of(subproblems.subproblem3, p=X, q=Y, k=Z, d=1.0),
    "subproblem4": call_of(subproblems.subproblem4, h=X, p=Y, k=Z, d=0.5),
    "subproblem5": call_of(subproblems.subproblem5, p0=X, p1=Y, p2=Z, p3=X, k1=X, k2=Y, k3=Z),
    "subproblem6": call_of(
        subproblems.subproblem6,
        h=np.tile(X, (4, 1)),
        k=np.tile(Y, (4, 1)),
        p=np.tile(Z, (4, 1)),
        d1=0.1,
        d2=0.1,
    ),
    # rotations and poses
    "from_rpy": call_of(transforms.from_rpy, angles=[0.1, 0.2, 0.3]),
    "from_quaternion": call_of(transforms.from_quaternion, quaternions=[1.0, 0, 0, 0]),
    "from_rotation_vector": call_of(transforms.from_rotation_vector, vectors=[0.1, 0.2, 0.3]),
    "from_rotation": call_of(transforms.from_rotation, turn=np.eye(3)),
    "from_pose_vector": call_of(transforms.from_pose_vector, vector=np.zeros(6)),
    "pose_vector": call_of(transforms.pose_vector, pose=T),
    "quaternion": call_of(transforms.quaternion, pose=T),
    "rotation": call_of(transforms.rotation, pose=T),
    "rotation_vector": call_of(transforms.rotation_vector, pose=T),
    "rpy": call_of(transforms.rpy, pose=T),
    "inverse": call_of(transforms.inverse, pose=T),
    "fit_task_frame": call_of(transforms.fit_task_frame, points=DOTS, measured=DOTS),
    "fit_tool": call_of(transforms.fit_tool, flanges=UR5.fk(UR5.sample(4, seed=1))),
    # specs
    "Cone": call_of(lambda **x: BALLS.with_limits(joint_1=hk.Cone(**x)), half=1.0, shape="tangent"),
    "ReachCone": call_of(
        lambda **x: BALLS.with_limits(joint_1=hk.ReachCone(**x)),
        corners=[(0.0, 1.0), (2.0, 1.0), (4.0, 0.5)],
    ),
    "ReachCone.from_tangents": call_of(
        lambda **x: BALLS.with_limits(joint_1=hk.ReachCone.from_tangents(**x)),
        half=(1.0, 0.5, 0.8, 0.4),
        twist=(-1.0, 1.0),
        corners=16,
    ),
    "ReachCone.distance": call_of(
        hk.ReachCone([(0.0, 1.0), (2.0, 1.0), (4.0, 0.5)]).distance, directions=X
    ),
    "TwistTable": call_of(
        hk.TwistTable, rest=(-1.0, 1.0), rows=[(-1.5, -0.5, 0.5), (1.5, -0.2, 0.2)]
    ),
    "TwistTable.at": call_of(
        hk.TwistTable((-1.0, 1.0), [(-1.5, -0.5, 0.5), (1.5, -0.2, 0.2)]).at, uv=[0.0, 0.1]
    ),
    "SwingMimicSpec": call_of(
        lambda **x: hk.SwingMimicSpec(**x).row(), joint="ball", coefficients=[0.1, 0.2, 0.0, 0.3]
    ),
    "SwingMimicSpec.value": call_of(
        hk.SwingMimicSpec("ball", [0.1, 0.2, 0.0, 0.3]).value, directions=X
    ),
    "SwingMimicSpec.fit": call_of(
        hk.SwingMimicSpec.fit,
        joint="ball",
        directions=np.eye(3),
        values=[0.1, 0.2, 0.3],
        degree=1,
        weights=np.ones(3),
    ),
    "swing_direction": call_of(limits.swing_direction, uv=[0.0, 0.1]),
    "LinkSpec": call_of(
        lambda **x: hk.Model(
            hk.ModelSpec(
                "m", [hk.LinkSpec("a"), hk.LinkSpec(**x)], [hk.JointSpec("j", "revolute", "a", "b")]
            )
        ),
        name="b",
        inertial=InertialSpec(1.0),
    ),
    "JointSpec": call_of(
        lambda **x: hk.Model(
            hk.ModelSpec("m", [hk.LinkSpec("a"), hk.LinkSpec("b")], [hk.JointSpec(**x)])
        ),
        name="j",
        kind="revolute",
        parent="a",
        child="b",
        placement=np.eye(4),
        axis=(0, 0, 1),
        lower=-1.0,
        upper=1.0,
        mimic=None,
    ),
    "FrameSpec": call_of(
        lambda **x: hk.Model(hk.ModelSpec("m", [hk.LinkSpec("a")], [], [hk.FrameSpec(**x)])),
        name="f",
        link="a",
        placement=np.eye(4),
    ),
    "InertialSpec": call_of(
        lambda **x: hk.Model(hk.ModelSpec("m", [hk.LinkSpec("a", InertialSpec(**x))])),
        mass=1.0,
        center=np.zeros(3),
        inertia=np.eye(3),
    ),
    "ModelSpec": call_of(
        lambda **x: hk.Model(hk.ModelSpec(**x)),
        name="m",
        links=[hk.LinkSpec("a")],
        joints=[],
        frames=[],
        base=None,
        tip=None,
    ),
    "ModelSpec.couple": call_of(
        lambda **x: SPEC.copy().couple(**x), joint="joint_2", ratios={"joint_1": 2.0}
    ),
    "ModelSpec.chain": call_of(SPEC.chain, base="link_0", tip="link_1"),
    "ModelSpec.subtree": call_of(SPEC.subtree, link="link_1"),
    "ModelSpec.save": call_of(SPEC.save, path=FOLDER / "saved.toml"),
    "ModelSpec.to_dh": call_of(UR5.spec.to_dh, convention="standard"),
    "ModelSpec.to_csv": call_of(UR5.spec.to_csv, lost=None, convention="standard"),
    "save_bvh": call_of(
        hk.write.save_bvh, path=FOLDER / "saved.bvh", model=UR5, q=[Q], frame_time=0.04
    ),
    "to_bvh": call_of(
        hk.write.to_bvh, UR5, [Q], frame_time=0.04, zero=Q, scale=0.01, up="z", order="XYZ"
    ),
    "write.save_spec": call_of(hk.write.save_spec, spec=SPEC, path=FOLDER / "saved.toml"),
    "write.to_urdf": call_of(hk.write.urdf.to_urdf, spec=SPEC, lost=[]),
    # files
    **{
        f"read_{name}": call_of(getattr(hk.read, f"read_{name}"), source=files()[suffix])
        for name, suffix in (
            *(("urdf", "urdf"), ("sdf", "sdf"), ("mjcf", "mjcf"), ("toml", "toml"), ("dh", "csv")),
            *(("roboop", "conf"), ("bvh", "bvh"), ("bvh_motion", "bvh")),
        )
    },
    "read_xacro": call_of(xacro.read_xacro, path=files()["urdf"]),
    "load_spec": call_of(hk.read.load_spec, path=files()["urdf"], base=None, tip=None),
    "BvhMotion.coordinates": call_of(MOTION.coordinates, model=hk.load(files()["bvh"])),
    "from_dh": call_of(dh.from_dh, table=DH),
    "chain_spec": call_of(dh.chain_spec, lengths=[1.0, 1.0]),
    "dh_transform": call_of(dh.dh_transform, theta=0.1, d=0.1, a=0.1, alpha=0.1),
    "dh_row": call_of(dh.dh_row, place=dh.dh_transform(0.1, 0.1, 0.1, 0.1)),
    "fit_dh": call_of(fit_dh.fit_dh, spec=UR5.spec),
    "DhFit.spec": call_of(FIT.spec, name="dh"),
    "from_roboop_matrix": call_of(
        roboop.from_roboop_matrix, matrix=[[0, 0, 0, 0.5, 0, -3, 3, 0, 1] + [0] * 10]
    ),
    # studies
    "compare": call_of(
        hk.study.compare,
        model=ARM,
        path=CURVE,
        frame="tip",
        solvers=["fabrik"],
        runs=1,
        seed=1,
        dear=True,
    ),
    "basins": call_of(hk.study.basins, model=ARM, starts=ARM.sample(4, seed=1), position=AIM),
    "start_grid": call_of(hk.study.start_grid, model=ARM, coordinates=(0, 1), count=3),
    "conditioning": call_of(hk.study.conditioning, model=ARM, q=[0.1, 0.2, 0.3], axes="xy"),
    "workspace_section": call_of(
        hk.study.workspace_section, model=ARM, plane="xy", axes="xy", count=3, starts=2
    ),
    "Study[]": call_of(lambda label: study()[label], label="ccd"),
    "Study.to_csv": call_of(
        lambda **x: study().to_csv(**x), path=FOLDER / "study.csv", what="table"
    ),
    "circle": call_of(curve.circle, n=4, centre=X, size=0.1),
    "figure_of_eight": call_of(curve.figure_of_eight, n=4, centre=X, size=0.1),
    "Curve.place": call_of(CURVE.place, model=ARM, frame="tip"),
    "read_path": call_of(curve.read_path, path=files()["path"]),
    "Estimate.of": call_of(estimate.Estimate.of, values=[1.0, 2.0]),
    "Median.of": call_of(estimate.Median.of, values=[1.0, 2.0]),
    "smoothness": call_of(
        hk.study.smoothness, model=ARM, q=[[0, 0, 0], [0, 0.1, 0.3], [0, 0.2, 0.4]]
    ),
    "t_quantile": call_of(estimate.t_quantile, freedom=3, share=0.9),
    "paper_experiment": call_of(
        paper.paper_experiment, runs=1, seed=1, solvers=["fabrik"], stops=[1e-2], dear=True
    ),
    "avatar_experiment": call_of(
        hk.study.avatar_experiment,
        targets=1,
        seed=1,
        model=hk.study.upper_body(),
        solvers=["dls"],
        postured=["dls"],
        steps=1,
        dear=True,
    ),
    "survey": call_of(
        surveys.survey,
        figures=["planar9"],
        solvers=["fabrik"],
        problems=1,
        seed=0,
        max_iter=10,
        dear=True,
    ),
    "Robot": call_of(Robot, source=[[0, 0, 0, 0.5, 0, -3, 3, 0, 1] + [0] * 10] * 2),
}
