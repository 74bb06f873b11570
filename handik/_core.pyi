"""Types of the C core; what things do is said in the core itself."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

from handik.spec._given import OrientationLike, PoseLike

_Array = NDArray[np.float64]
__version__: Final[str]

@disjoint_base
class Model:
    # Arrays of fields.def, read-only views into the frozen model.
    @property
    def joint_parent(self) -> NDArray[np.int32]: ...
    @property
    def joint_kind(self) -> NDArray[np.int32]: ...
    @property
    def joint_q(self) -> NDArray[np.int32]: ...
    @property
    def joint_v(self) -> NDArray[np.int32]: ...
    @property
    def joint_step(self) -> NDArray[np.int32]: ...
    @property
    def joint_mimic(self) -> NDArray[np.int32]: ...
    @property
    def step_parent(self) -> NDArray[np.int32]: ...
    @property
    def step_kind(self) -> NDArray[np.int32]: ...
    @property
    def step_joint(self) -> NDArray[np.int32]: ...
    @property
    def step_q(self) -> NDArray[np.int32]: ...
    @property
    def step_v(self) -> NDArray[np.int32]: ...
    @property
    def step_line(self) -> NDArray[np.float64]: ...
    @property
    def step_limit(self) -> NDArray[np.float64]: ...
    @property
    def step_follow(self) -> NDArray[np.int32]: ...
    @property
    def follow(self) -> NDArray[np.float64]: ...
    @property
    def step_placement(self) -> NDArray[np.float64]: ...
    @property
    def step_plain(self) -> NDArray[np.int32]: ...
    @property
    def step_inertial(self) -> NDArray[np.float64]: ...
    @property
    def step_motor(self) -> NDArray[np.float64]: ...
    @property
    def step_swing(self) -> NDArray[np.int32]: ...
    @property
    def swing(self) -> NDArray[np.float64]: ...
    @property
    def frame_step(self) -> NDArray[np.int32]: ...
    @property
    def frame_placement(self) -> NDArray[np.float64]: ...
    @property
    def lower(self) -> NDArray[np.float64]: ...
    @property
    def upper(self) -> NDArray[np.float64]: ...
    @property
    def rest(self) -> NDArray[np.float64]: ...
    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def max_reach(self) -> float: ...
    def __new__(
        cls,
        parent: ArrayLike,
        kind: ArrayLike,
        axis: ArrayLike,
        axis2: ArrayLike | None,
        placement: ArrayLike,
        lower: ArrayLike,
        upper: ArrayLike,
        rest: ArrayLike | None,
        mimic: ArrayLike | None,
        mimic_line: ArrayLike | None,
        frame_joint: ArrayLike,
        frame_placement: ArrayLike,
        joint_names: tuple[str, ...],
        frame_index: dict[str, int],
        tip: int,
        inertial: ArrayLike | None = None,
        motor: ArrayLike | None = None,
        swing: ArrayLike | None = None,
        corner_count: ArrayLike | None = None,
        corner: ArrayLike | None = None,
        knot_count: ArrayLike | None = None,
        knot: ArrayLike | None = None,
        knot_full: ArrayLike | None = None,
        hold: ArrayLike | None = None,
        mimic_swing: ArrayLike | None = None,
    ) -> Self: ...
    # kind of quantity, q, v, a or torques, loads: an array; handik.model.dynamics names the kinds
    def _dynamics(
        self,
        kind: int,
        q: ArrayLike,
        v: Any,
        x: Any,
        loads: tuple[Any, ...],
        /,
        *,
        out: Any = None,
        threads: int = 1,
    ) -> Any: ...
    def fk(
        self,
        q: ArrayLike,
        /,
        *,
        frame: str | int | None = None,
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> NDArray[np.float64]: ...
    def frames(
        self,
        q: ArrayLike,
        /,
        *,
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> NDArray[np.float64]: ...
    def jacobian(
        self,
        q: ArrayLike,
        /,
        *,
        frame: str | int | None = None,
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> NDArray[np.float64]: ...
    def integrate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        /,
        *,
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> NDArray[np.float64]: ...
    def difference(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        /,
        *,
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> NDArray[np.float64]: ...
    def solve(
        self,
        *,
        position: ArrayLike | None = None,
        orientation: OrientationLike | None = None,
        pose: PoseLike | None = None,
        axis: ArrayLike | None = None,
        frame: str | int | None = None,
        solver: str | None = None,
        q0: ArrayLike | None = None,
        position_tolerance: float | None = None,
        orientation_tolerance: float = 1e-4,
        tool_axis: tuple[float, float, float] = (0.0, 0.0, 1.0),
        lock: Mapping[str, Any] | None = None,
        scene: Any = None,
        max_iter: int | None = None,
        time_limit: float | None = None,
        retries: int = 0,
        seed: int = 0,
        threads: int = 1,
        ftol: float | None = None,
        out: NDArray[np.float64] | None = None,
        trace: bool = False,
        progress: Callable[[int, int], object] | bool | None = None,
        **options: float,
    ) -> Any: ...
    def solutions(
        self,
        T: PoseLike,
        *,
        frame: str | int | None = None,
        task: str = "pose",
        turns: bool = False,
        closest: bool = False,
        lock: Mapping[str, ArrayLike] | str | None = None,
        samples: int = 16,
        method: str = "auto",
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> Any: ...
    def _remember_solutions(self, analytic: Analytic, origin: Any, /) -> None: ...
    def clip(
        self,
        q: ArrayLike,
        /,
        *,
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> NDArray[np.float64]: ...

@final
class Analytic:
    method: str
    why: str
    locked: int
    coordinates: list[int]
    def __new__(
        cls,
        model: Model,
        frame: str | int | None,
        position: bool = ...,
        lock: int = ...,
        thorough: bool = ...,
    ) -> Self: ...
    def solve(
        self,
        T: ArrayLike,
        /,
        *,
        locked: ArrayLike | None = None,
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.uint8], NDArray[np.bool_]]: ...
    def closest(
        self, T: ArrayLike, /, *, locked: ArrayLike | None = None, threads: int = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float]: ...
    has_arm_angle: bool
    def swivel(
        self,
        T: ArrayLike,
        angle: ArrayLike,
        /,
        *,
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> NDArray[np.float64]: ...
    def arm_angle(
        self,
        q: ArrayLike,
        /,
        *,
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> NDArray[np.float64]: ...

@disjoint_base
class Postures:
    _q: NDArray[np.float64]
    _count: Any
    _exact: Any
    _free: Any
    _sure: Any
    _locked: Any
    _origin: Any

@disjoint_base
class Problem:
    @property
    def width(self) -> int: ...
    @property
    def rows(self) -> int: ...
    # terms: (kind, frame index, weight, position tolerance, orientation tolerance, constants[,
    # other frame index, data, level, own: None or (name, frame indices, columns, rows, rows in
    # meters, residual, jacobian or None)])
    def __new__(cls, model: Model, terms: tuple[tuple[Any, ...], ...]) -> Self: ...
    def _floor(
        self,
        targets: ArrayLike,
        /,
        *,
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> NDArray[np.float64]: ...
    def residual(
        self,
        targets: ArrayLike,
        q: ArrayLike,
        /,
        *,
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> NDArray[np.float64]: ...
    def jacobian(
        self,
        targets: ArrayLike,
        q: ArrayLike,
        /,
        *,
        out: NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> NDArray[np.float64]: ...
    def _judge(
        self, targets: ArrayLike, q: ArrayLike, /, *, threads: int = 1
    ) -> tuple[
        NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]
    ]: ...
    def _measure(
        self, targets: ArrayLike, q: ArrayLike, /, *, threads: int = 1
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]: ...

@final
class Plan:
    @property
    def solver(self) -> str: ...
    @property
    def cloud(self) -> int: ...
    @property
    def problem(self) -> Problem: ...
    def solve(
        self,
        targets: ArrayLike,
        /,
        *,
        q0: ArrayLike | None = None,
        progress: Callable[[int, int], object] | None = None,
        trace: bool = False,
        out: NDArray[np.float64] | None = None,
        cloud: NDArray[np.float64] | None = None,
    ) -> tuple[
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.int8],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.int8],
        NDArray[np.float64] | None,
        NDArray[np.float64] | None,
    ]: ...

@disjoint_base
class Solver:
    def __new__(cls, name: str | None, settings: dict[str, Any]) -> Self: ...
    @property
    def name(self) -> str | None: ...
    @property
    def settings(self) -> MappingProxyType[str, Any]: ...
    def __call__(
        self,
        problem: Any,
        targets: ArrayLike,
        q0: ArrayLike | None = None,
        *,
        out: NDArray[np.float64] | None = None,
        trace: bool = False,
        progress: Callable[[int, int], object] | bool | None = None,
    ) -> Any: ...
    def _plan(self, problem: Problem, /) -> Plan: ...

@final
class Grid:
    def __new__(
        cls,
        vertices: ArrayLike,
        triangles: ArrayLike,
        cell: float,
        *,
        margin: float | None = None,
        most_bytes: int | None = None,
        threads: int | None = 1,
    ) -> Self: ...
    @property
    def about(self) -> dict[str, Any]: ...
    def points(
        self, x: ArrayLike, /, *, threads: int | None = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    def capsules(
        self,
        p: ArrayLike,
        u: ArrayLike,
        /,
        *,
        eps: float | None = None,
        certain: bool = True,
        threads: int | None = 1,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def arrays(self) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.float32]]: ...

def check_output(out: Any, shape: tuple[int, ...], /) -> NDArray[np.float64]: ...
def pose_columns(transforms: ArrayLike, name: str = "pose", /) -> NDArray[np.float64]: ...
def turn_columns(rotations: ArrayLike, /) -> NDArray[np.float64]: ...
def skin(
    rest: ArrayLike,
    bone: ArrayLike,
    share: ArrayLike,
    mix: ArrayLike,
    T: ArrayLike,
    /,
    *,
    threads: int | None = 1,
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]: ...
def _tapes(v: Any, edges: Any, ends: Any, planes: Any, girths: int, ways: Any, /) -> _Array: ...
def _edges_near(
    z: ArrayLike, edges: ArrayLike, free: ArrayLike, ends: ArrayLike, at: ArrayLike, /
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def _volume(vertices: ArrayLike, faces: ArrayLike, /) -> float: ...
def _normals(vertices: ArrayLike, quads: ArrayLike, /) -> NDArray[np.float64]: ...
def _evened(v: ArrayLike, open: ArrayLike, beside: ArrayLike, rounds: int, /) -> _Array: ...
def _whole(*of_rings_rows_heights_feet_limbs: Any) -> _Array: ...
def _next_to(points: ArrayLike, cones: ArrayLike, /) -> tuple[NDArray[np.int32], _Array]: ...
def _heights_place(at: ArrayLike, z: ArrayLike, /) -> tuple[NDArray[np.int32], _Array]: ...
def _path_search(
    world: Any,
    figure: Any,
    start: ArrayLike,
    goals: ArrayLike,
    seed: int,
    runs: int,
    budget: int,
    reach: float,
    tol: float,
    tries: int,
    threads: int,
    trees: bool,
    keep: tuple[Problem, ArrayLike] | None,
    seconds: float | None,
    bound: float | None,
    /,
) -> list[
    tuple[
        int,
        NDArray[np.float64],
        int,
        NDArray[np.float64],
        tuple[NDArray[np.float64], NDArray[np.int32], int] | None,
    ]
]: ...
def _path_tighten(
    world: Any, figure: Any, q: ArrayLike, rounds: int, tol: float, seconds: float | None, /
) -> NDArray[np.float64]: ...
def _path_inside(figure: Any, q0: ArrayLike, q1: ArrayLike, /) -> NDArray[np.bool_]: ...
def _path_kept(
    problem: Any, targets: ArrayLike, q: ArrayLike, pieces: int, /
) -> tuple[NDArray[np.float64], int]: ...
def _path_blends(
    world: Any,
    figure: Any,
    q: ArrayLike,
    at: ArrayLike,
    half: ArrayLike,
    moves: bool,
    tol: float,
    /,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def path_speed(
    length: ArrayLike, push: ArrayLike, pull: ArrayLike, rest: ArrayLike, cap: ArrayLike, /
) -> NDArray[np.float64]: ...
def _pass_decide(
    corner: ArrayLike,
    wall: ArrayLike,
    place: ArrayLike,
    least: float,
    most: int,
    door: tuple[object, ...] = ...,
    /,
) -> tuple[int, int, NDArray[np.int32], NDArray[np.float64]]: ...
def _drive_find(
    parts: tuple[Any, ...], options: tuple[Any, ...], /
) -> tuple[int, int, NDArray[np.float64]]: ...
def _pass_clear(
    corner: ArrayLike, wall: ArrayLike, leaf: ArrayLike, pose: ArrayLike, /
) -> NDArray[np.bool_]: ...
def _reach_chain(model: Model, frame: str, whole: bool, /) -> object: ...
def _reach_prove(
    chain: object,
    target: ArrayLike,
    normal: ArrayLike,
    far: ArrayLike,
    q: ArrayLike,
    budget: int,
    threads: int | None,
    /,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]: ...
def _reach_trace(
    chain: object, target: ArrayLike, normal: ArrayLike, far: float, budget: int, /
) -> tuple[int, NDArray[np.int8], NDArray[np.float64]]: ...
def _solid_distance(world: object, point: ArrayLike, /) -> NDArray[np.float64]: ...
def _arm_chain(model: Model, frame: str, figure: object, /) -> object: ...
def _arm_prove(
    arm: object, world: object, give: ArrayLike, target: ArrayLike, tolerance: float, budget: int, /
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]: ...
def _hand_prove(
    world: object,
    give: ArrayLike,
    ball: ArrayLike,
    target: ArrayLike,
    tolerance: float,
    budget: int,
    /,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]: ...
def _scene_world(
    kind: ArrayLike,
    pose: ArrayLike,
    size: ArrayLike,
    corners: ArrayLike,
    corner: ArrayLike,
    grids: tuple[Any, ...],
    /,
) -> object: ...
def _scene_figure(
    model: Model,
    frame: ArrayLike,
    ends: ArrayLike,
    radius: ArrayLike,
    pair: ArrayLike,
    allowance: ArrayLike,
    /,
) -> object: ...
def _scene_clear(world: object, figure: object, /) -> object: ...
def _scene_free(
    world: object,
    figure: object,
    q: ArrayLike,
    threads: int | None,
    out: NDArray[np.bool_] | None,
    /,
) -> NDArray[np.bool_]: ...
def _scene_distance(
    world: object,
    figure: object,
    q: ArrayLike,
    cutoff: float,
    details: bool,
    threads: int | None,
    out: NDArray[np.float64] | None,
    /,
) -> Any: ...
def _scene_edges(
    world: object, figure: object, q0: ArrayLike, q1: ArrayLike, tol: float, threads: int | None, /
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]: ...
def _scene_motions(figure: object, q0: ArrayLike, q1: ArrayLike, /) -> NDArray[np.float64]: ...
def _scene_overlaps(world: object, figure: object, q: ArrayLike, /) -> NDArray[np.float64]: ...
def _scene_draws(
    world: object, figure: object, seed: int, first: int, blocks: int, threads: int | None, /
) -> NDArray[np.int64]: ...
def table(
    name: Literal["joints", "terms", "solvers", "outcomes", "methods"], /
) -> tuple[
    tuple[str, str, str, int, dict[str, Any], bool, dict[str, tuple[float, float, bool]]], ...
]: ...
def simd() -> str: ...
def simd_select(name: str, /) -> bool: ...
def _fail_allocation(n: int, /) -> None: ...
def _live_blocks() -> int: ...
def _bind(
    *,
    Result: type = ...,
    Outcome: Any = ...,
    Method: Any = ...,
    solve_goal: Callable[..., Any] = ...,
    Solutions: type = ...,
    every_posture: Callable[..., Any] = ...,
) -> None: ...
def subproblem(
    number: int, given: ArrayLike, /, *, threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.bool_]]: ...
def stewart_lengths(
    base: ArrayLike, platform: ArrayLike, T: ArrayLike, /, *, threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def stewart_newton(
    base: ArrayLike,
    platform: ArrayLike,
    lengths: ArrayLike,
    T: ArrayLike,
    most: int,
    /,
    *,
    threads: int = 1,
) -> tuple[
    NDArray[np.float64],
    NDArray[np.bool_],
    NDArray[np.int32],
    NDArray[np.float64],
    NDArray[np.float64],
]: ...
def stewart_postures(
    base: ArrayLike, platform: ArrayLike, lengths: ArrayLike, /, *, threads: int = 1
) -> tuple[
    NDArray[np.float64],
    NDArray[np.int32],
    NDArray[np.bool_],
    NDArray[np.float64],
    NDArray[np.float64],
]: ...
