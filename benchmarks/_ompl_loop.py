"""OMPL's RRT-Connect in C++ with coal's checks in C++, and with handik's proofs from C, beside handik's own search.

Needs gcc, g++, the wheels of coal and cmeel-eigen (or Eigen below the same folder), and OMPL's headers and library below a folder:
``/usr`` where Debian's ``libompl-dev`` is installed. No wheel of OMPL has headers.
"""

from __future__ import annotations

import ctypes
import importlib.util
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from handik.model._freeze import Parts
from handik.scene.plan._found import TOLERANCE

from ._path_scenes import Setting
from .instructions import build

Array = NDArray[np.float64]
HERE = Path(__file__).parent
#: Radians between the points that coal looks at.
STEP = 1e-2


def _wheels() -> Path:
    """Return the folder that coal's wheel and those of its kind lie in."""
    found = importlib.util.find_spec("cmeel")
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("no wheel of coal is installed: pip install coal")
    return Path(found.submodule_search_locations[0]).parent / "cmeel.prefix"


def compile_loops(folder: Path, prefix: Path) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """Return handik's checks and OMPL's planner as libraries."""
    wheels = _wheels()
    heads = sorted(prefix.glob("include/ompl*/ompl/config.h"))
    heads += sorted(prefix.glob("include/ompl/config.h"))
    if not heads:
        raise RuntimeError(f"no headers of OMPL below {prefix}: apt-get install libompl-dev")
    libraries = next(iter(sorted(prefix.glob("lib/**/libompl.so")))).parent
    eigen = [root / "include" / "eigen3" for root in (wheels, prefix)]
    command = ["g++", "-std=c++17", "-O3", "-DNDEBUG", "-w", "-shared", "-fPIC"]
    command += [f"-I{heads[0].parent.parent}", f"-I{wheels / 'include'}"]
    command += [f"-I{one}" for one in eigen if one.is_dir()] + [f"-I{prefix / 'include'}"]
    command += [str(HERE / "ompl_loop.cpp"), "-o", str(folder / "ompl_loop.so")]
    for root in (libraries, wheels / "lib"):
        command += [f"-L{root}", f"-Wl,-rpath,{root}", f"-Wl,-rpath-link,{root}"]
    # old tags: the paths count for what OMPL's library needs, too
    subprocess.run([*command, "-lompl", "-lcoal", "-Wl,--disable-new-dtags"], check=True)
    return ctypes.CDLL(str(build(folder, "path_checks", "-shared"))), ctypes.CDLL(
        str(folder / "ompl_loop.so")
    )


class Loops:
    """A setting in C and C++."""

    def __init__(self, checks: ctypes.CDLL, planner: ctypes.CDLL, setting: Setting) -> None:
        self.checks, self.planner, self.setting = checks, planner, setting
        figure = setting.figure
        made = Parts(figure.model.spec).arrays()
        if made["mimic"] is not None or made["swing"] is not None:
            raise ValueError("hinges and slides alone")
        self.kept: list[Any] = []
        names = figure.model.frame_names
        frame = self._ints([names.index(c.frame) for c in figure.capsules])
        ends = self._reals([(*c.start, *c.end) for c in figure.capsules])
        radius = self._reals([c.radius for c in figure.capsules])
        pair = self._ints(list(figure.pairs))
        allowance = self._reals([figure.allowance[one] for one in figure.pairs])
        kind, pose, size = [], [], []
        for one in setting.scene.obstacles():
            shape: Any = one.shape
            box = isinstance(shape, hk.scene.Box)
            kind.append(2 if box else 1)
            size.append(shape.size if box else (shape.length, shape.radius, 0.0))
            pose.append([*one.pose[:3, :3].ravel(), *one.pose[:3, 3]])
        solid = self._ints(kind), self._reals(pose), self._reals(size)
        count = self._ints([len(made["parent"]), len(made["frame_joint"]), len(figure.capsules),
                            len(figure.pairs), len(kind)])  # fmt: skip
        words = "parent kind axis placement lower upper frame_joint frame_placement".split()
        arm = [self._held(np.ascontiguousarray(made[word])) for word in words]
        checks.checks_make.restype = planner.coal_make.restype = ctypes.c_void_p
        self.ours = checks.checks_make(
            count, *arm, frame, ends, radius, pair, allowance, *solid, ctypes.c_double(TOLERANCE)
        )
        if not self.ours:
            raise ValueError("the core refuses the setting")
        own, length = [], []
        for c in figure.capsules:
            a, b = np.asarray(c.start, float), np.asarray(c.end, float)
            z = (b - a) if np.linalg.norm(b - a) > 0 else np.array([0.0, 0.0, 1.0])
            z = z / np.linalg.norm(z)
            x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
            x /= np.linalg.norm(x)
            turn = np.stack([x, np.cross(z, x), z], axis=1)
            own.append([*turn.ravel(), *(a + b) / 2])
            length.append(float(np.linalg.norm(b - a)))
        self.theirs = planner.coal_make(
            checks.checks_frames, ctypes.c_void_p(self.ours), len(names), len(own), frame,
            self._reals(own), self._reals(length), radius, len(figure.pairs), pair, allowance,
            len(kind), *solid,
        )  # fmt: skip
        planner.ompl_solve.restype = ctypes.c_double

    def _held(self, array: NDArray[Any]) -> Any:
        self.kept.append(array)
        return array.ctypes.data_as(ctypes.c_void_p)

    def _ints(self, values: Any) -> Any:
        return self._held(np.ascontiguousarray(values, np.int32))

    def _reals(self, values: Any) -> Any:
        return self._held(np.ascontiguousarray(values, float))

    def differ(self, q: Array) -> int:
        """Return in how many postures the two checks, and `Scene.free`, do not say the same."""
        said = self.setting.scene.free(self.setting.figure, q)
        off = 0
        for row, free in zip(q, said, strict=True):
            at = self._reals(row)
            ours = self.checks.checks_free(ctypes.c_void_p(self.ours), at)
            theirs = self.planner.coal_free(ctypes.c_void_p(self.theirs), at)
            off += not (bool(ours) == bool(theirs) == bool(free))
            self.kept.pop()
        return off

    def solve(self, start: Array, goal: Array, by: str, seconds: float) -> float:
        """Return the thread's seconds of RRT-Connect, negative without a path; by ours or coal's."""
        model = self.setting.figure.model
        ours = by == "ours"
        vertices = ctypes.c_int()
        return float(
            self.planner.ompl_solve(
                model.nq, self._reals(model.lower), self._reals(model.upper), self._reals(start),
                self._reals(goal), ctypes.c_double(seconds), ctypes.c_double(STEP),
                self.checks.checks_free if ours else self.planner.coal_free,
                self.checks.checks_edge if ours else None,
                ctypes.c_void_p(self.ours if ours else self.theirs), ctypes.byref(vertices),
            )
        )  # fmt: skip

    def close(self) -> None:
        """Give the memory back."""
        self.planner.coal_end(ctypes.c_void_p(self.theirs))
        self.checks.checks_end(ctypes.c_void_p(self.ours))
