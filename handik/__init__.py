"""handik: poses articulated figures, human and robot, and answers what follows from the pose.

Metres, radians, kilograms; quaternions w x y z; z up; batch axes first. See `handik.units`.
"""

from handik._core import __version__, simd
from handik.analytic import Solutions
from handik.errors import (
    ArgumentError,
    HandikError,
    InternalError,
    ModelError,
    NotFoundError,
    ReadError,
    UnsupportedError,
)
from handik.model import Model, chain, load
from handik.problem import Problem
from handik.read.spec import Cone, ModelSpec
from handik.result import Outcome, Result, SolveError
from handik.solve import Solver, solvers
from handik.terms import Axis, Orientation, Pose, Position
from handik.units import deg

__all__ = [
    "ArgumentError",
    "Axis",
    "Cone",
    "HandikError",
    "InternalError",
    "Model",
    "ModelError",
    "ModelSpec",
    "NotFoundError",
    "Orientation",
    "Outcome",
    "Pose",
    "Position",
    "Problem",
    "ReadError",
    "Result",
    "Solutions",
    "SolveError",
    "Solver",
    "UnsupportedError",
    "__version__",
    "chain",
    "deg",
    "load",
    "simd",
    "solvers",
]
