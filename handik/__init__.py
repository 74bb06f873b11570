"""handik: poses articulated figures, human and robot, and answers what follows from the pose.

Meters, radians, kilograms; quaternions w x y z; z up; batch axes first. See `handik.spec.units`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

try:
    from handik._core import __version__
except ModuleNotFoundError as _missing:
    if _missing.name != "handik._core":
        raise
    raise ImportError(
        f"the C core of handik is not built in {__path__[0]}: run 'pip install -e .' in the folder "
        "above, or leave that folder so that an installed handik is found"
    ) from None
from handik._model import Model, chain, load
from handik.closed.analytic import Solutions
from handik.data import data
from handik.errors import (
    ArgumentError,
    HandikError,
    InternalError,
    MissingFileError,
    ModelError,
    NotFoundError,
    ReadError,
    UnsupportedError,
)
from handik.model.config import show_config
from handik.problem import Problem
from handik.problem.terms import (
    Axis,
    Capsule,
    CenterOfMass,
    Damping,
    Distance,
    Level,
    LookAt,
    Loop,
    Orientation,
    Pose,
    Position,
    Posture,
    SelfCollision,
    Term,
)
from handik.result import Method, Outcome, Result, SolveError
from handik.result.trace import Trace
from handik.solve import Solver, solvers
from handik.solve.own import solver
from handik.solve.track import Track
from handik.spec import Cone, FrameSpec, JointSpec, LinkSpec, ModelSpec, SwingMimicSpec
from handik.spec._given import PoseLike as _PoseLike
from handik.spec.limits import ReachCone, TwistTable
from handik.spec.units import deg

if TYPE_CHECKING:
    from handik import app as app
    from handik import closed as closed
    from handik import files as files
    from handik import people, plot, scene, study
    from handik.app._view import view
    from handik.closed import arm_angle as arm_angle
    from handik.closed import mechanism as mechanism
    from handik.closed import parallel as parallel
    from handik.closed import paul as paul
    from handik.closed import self_motion as self_motion
    from handik.closed import subproblems as subproblems
    from handik.data.robots import robot
    from handik.files import read as read
    from handik.files import write as write
    from handik.model import dynamics as dynamics
    from handik.people.human import human
    from handik.people.motion import Motion
    from handik.people.population import population
    from handik.problem import terms as terms
    from handik.result import margins as margins
    from handik.scene import Scene, load_scene
    from handik.scene import access as access
    from handik.scene import plan as plan
    from handik.scene.check import Clearance, Figure
    from handik.solve import network as network
    from handik.spec import transforms as transforms
    from handik.study import roboop as roboop

#: What stands for a pose, or a batch of poses, wherever one is taken: an array of shape
#: (..., 4, 4); a pair of a position (..., 3) and a quaternion w x y z (..., 4), a rotation matrix
#: (..., 3, 3) or SciPy's ``Rotation``; SciPy's ``RigidTransform``; or a list of such pairs or
#: objects. To be used in annotations: ``def reach(pose: hk.PoseLike) -> hk.Result: ...``
PoseLike: TypeAlias = _PoseLike

__all__ = [
    "ArgumentError",
    "Axis",
    "Capsule",
    "CenterOfMass",
    "Clearance",
    "Cone",
    "Damping",
    "Distance",
    "Figure",
    "FrameSpec",
    "HandikError",
    "InternalError",
    "JointSpec",
    "Level",
    "LinkSpec",
    "LookAt",
    "Loop",
    "Method",
    "MissingFileError",
    "Model",
    "ModelError",
    "ModelSpec",
    "Motion",
    "NotFoundError",
    "Orientation",
    "Outcome",
    "Pose",
    "PoseLike",
    "Position",
    "Posture",
    "Problem",
    "ReachCone",
    "ReadError",
    "Result",
    "Scene",
    "SelfCollision",
    "Solutions",
    "SolveError",
    "Solver",
    "SwingMimicSpec",
    "Term",
    "Trace",
    "Track",
    "TwistTable",
    "UnsupportedError",
    "__version__",
    "chain",
    "data",
    "deg",
    "human",
    "load",
    "load_scene",
    "people",
    "plot",
    "population",
    "robot",
    "scene",
    "show_config",
    "solver",
    "solvers",
    "study",
    "view",
]


#: Loaded when first touched: name -> module.
_LAZY = {
    **{name: name for name in ("app", "closed", "files", "people", "plot", "scene", "study")},
    **{name: f"files.{name}" for name in ("read", "write")},
    **{name: f"closed.{name}" for name in ("arm_angle", "mechanism", "parallel", "paul")},
    **{name: f"closed.{name}" for name in ("self_motion", "subproblems")},
    "access": "scene.access",
    "dynamics": "model.dynamics",
    "margins": "result.margins",
    "network": "solve.network",
    "plan": "scene.plan",
    "roboop": "study.roboop",
    "terms": "problem.terms",
    "transforms": "spec.transforms",
}


def __getattr__(name: str) -> Any:
    """Import what is not needed at first only when it is asked for."""
    if name in _LAZY:
        from importlib import import_module

        return import_module(f"handik.{_LAZY[name]}")
    if name == "robot":
        from handik.data.robots import robot

        return robot
    if name in ("human", "population"):
        from handik import people

        return getattr(people, name)
    if name in ("Scene", "load_scene"):
        from handik import scene

        return getattr(scene, name)
    if name in ("Clearance", "Figure"):
        from handik.scene import check

        return getattr(check, name)
    if name == "view":
        from importlib import import_module

        return import_module("handik.app._view").view
    if name == "Motion":
        from handik.people.motion import Motion

        return Motion
    raise AttributeError(f"module 'handik' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Show what is public, loaded or not."""
    return sorted({*__all__, *_LAZY})
