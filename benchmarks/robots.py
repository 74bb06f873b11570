"""Every robot of example-robot-data and rtb-data: does it load, and do its numbers agree with Pinocchio's.

One row a file: links and coordinates, and the greatest difference over a few random postures, relative to the greatest
number of the answer: poses of all links, Jacobian of the deepest link, torques (RNEA), mass matrix (CRBA), and
accelerations (ABA) in the norm of the kinetic energy, sqrt(e M e) / sqrt(a M a), which stays well posed where the mass
matrix is nearly singular. A file that does not load, in either library, says why. xacro files of rtb-data need xacrodoc.
"""

from __future__ import annotations

import argparse
import importlib.util
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from handik.files.read import load_spec

Array = NDArray[np.float64]
EXAMPLES = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
COLUMNS = ("poses", "Jacobian", "RNEA", "CRBA", "ABA")


def files() -> list[Path]:
    """Return the robot files of both packages that are installed."""
    found = sorted(EXAMPLES.glob("**/*.urdf"))
    package = importlib.util.find_spec("rtbdata")
    if package is not None and package.origin is not None:
        root = Path(package.origin).parent
        found += sorted([*root.glob("**/*.urdf"), *root.glob("**/*.xacro")])
    return found


def packages(path: Path) -> dict[str, Path]:
    """Return the ROS packages around a file of rtb-data, which has their folders but no package.xml."""
    root = next((above for above in path.parents if above.name == "xacro"), None)
    if root is None:
        return {}
    folders = [folder for folder in (*root.glob("*"), *root.glob("*/*")) if folder.is_dir()]
    found = {folder.name: folder for folder in folders}
    found |= {f"{name}_support": at for name, at in found.items() if name.startswith("kuka_")}
    renamed = {
        "interbotix_descriptions": "trossen_descriptions",
        "abb_irb140": "abb_irb140_description",
    }
    return found | {name: found[to] for name, to in renamed.items() if to in found}


def relative(ours: Any, theirs: Any) -> float:
    """Greatest difference over the greatest number."""
    size = float(np.abs(theirs).max(initial=0.0))
    gap = float(np.abs(np.asarray(ours) - theirs).max(initial=0.0))
    return gap / size if size > 0 else gap


class Pair:
    """One robot in both libraries; joints that follow others move on their own, as Pinocchio reads them."""

    def __init__(self, spec: Any, text: str) -> None:
        import pinocchio as pin

        self.theirs = pin.buildModelFromXML(text)
        self.data = self.theirs.createData()
        for joint in spec.joints:
            joint.mimic = None
        self.ours = hk.Model(spec)
        if self.ours.nv != self.theirs.nv:
            raise ValueError(f"{self.ours.nv} coordinates here, {self.theirs.nv} there")
        names = zip(self.ours.joint_names, self.ours.joint_kinds, strict=True)
        self.moving = [self.theirs.getJointId(name) for name, kind in names if kind != "fixed"]
        self.order = np.array([self.theirs.idx_vs[at] for at in self.moving], int)

    def q(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return a posture for both; a continuous joint of Pinocchio has a cosine and a sine."""
        import pinocchio as pin

        q, other = rng.uniform(-1.5, 1.5, self.ours.nq), pin.neutral(self.theirs)
        for value, joint in zip(q, self.moving, strict=True):
            to = self.theirs.idx_qs[joint]
            other[to : to + self.theirs.nqs[joint]] = (
                value if self.theirs.nqs[joint] == 1 else (np.cos(value), np.sin(value))
            )
        return q, other

    def compare(self, n: int) -> list[float]:
        """Return the greatest relative difference of each column."""
        worst = [0.0] * len(COLUMNS)
        rng = np.random.default_rng(7)
        for _ in range(n):
            q, other = self.q(rng)
            v, a = rng.normal(size=(2, self.ours.nv))
            worst = [max(pair) for pair in zip(worst, self.once(q, other, v, a), strict=True)]
        return worst

    def once(self, q: Array, other: Array, v: Array, a: Array) -> list[float]:
        """Return the relative differences at one posture."""
        import pinocchio as pin

        ours, theirs, data, order = self.ours, self.theirs, self.data, self.order
        pin.forwardKinematics(theirs, data, other)
        pin.updateFramePlacements(theirs, data)
        links = [link.name for link in ours.spec.links]
        bodies = [name for name in links if theirs.existFrame(name, pin.FrameType.BODY)]
        frames = [theirs.getFrameId(name, pin.FrameType.BODY) for name in bodies]
        all_frames = ours.frames(q)
        at = [ours.frame_names.index(name) for name in bodies]
        poses = relative(all_frames[at], np.array([data.oMf[f].homogeneous for f in frames]))
        jacobian = pin.computeFrameJacobian(
            theirs, data, other, frames[-1], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )[:, order]
        w, gain = np.empty_like(v), np.empty_like(a)
        w[order], gain[order] = v, a
        tau = pin.rnea(theirs, data, other, w, gain)
        M = pin.crba(theirs, data, other)
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]
        out = [poses, relative(ours.jacobian(q, frame=bodies[-1]), jacobian)]
        out.append(relative(ours.inverse_dynamics(q, v, a, actuators=False), tau[order]))
        out.append(relative(ours.mass_matrix(q, actuators=False), M))
        eigen = np.linalg.eigvalsh(M) if len(M) else np.ones(1)
        if eigen[0] <= 1e-13 * eigen[-1]:  # a joint that moves nothing with mass: no accelerations
            return [*out, float("nan")]
        theirs_a = pin.aba(theirs, data, other, w, tau)[order]
        gap = ours.forward_dynamics(q, v, tau[order], actuators=False) - theirs_a
        size = float(theirs_a @ M @ theirs_a)
        return [*out, float(np.sqrt(max(gap @ M @ gap, 0.0) / size)) if size > 0 else 0.0]


def attempt(call: Callable[[], Any]) -> tuple[Any, str]:
    """Return a call's answer, or nothing and why."""
    try:
        return call(), ""
    except Exception as error:  # whatever another library raises is its answer
        reason = " ".join(str(getattr(error, "reason", error)).split())
        return None, f"{type(error).__name__}: {reason[:160]}"


def row(path: Path, n: int) -> tuple[str, list[float] | None]:
    """Return the line of a file, and its differences."""
    options = {} if path.suffix == ".urdf" else {"packages": packages(path)}
    spec, fault = attempt(lambda: load_spec(path, **options))
    if spec is None:
        return f"not read: {fault}", None
    _, fault = attempt(lambda: hk.Model(spec))
    if fault:
        return f"no model: {fault}", None
    head = f"{len(spec.links):4} links"
    lost: list[str] = []
    text = path.read_text("utf-8") if path.suffix == ".urdf" else spec.to_urdf(lost)
    pair, fault = attempt(lambda: Pair(spec, text))
    if pair is None:
        return f"{head} read; not compared: {fault}", None
    if not pair.ours.nv:
        return f"{head} read; nothing moves", None
    worst, fault = attempt(lambda: pair.compare(n))
    if worst is None:
        return f"{head} read; not compared: {fault}", None
    cells = "".join(f"{'-':>10}" if np.isnan(gap) else f"{gap:10.1e}" for gap in worst)
    return f"{head} {pair.ours.nv:4} coordinates{cells}", worst


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks robots", description=__doc__)
    parser.add_argument("--postures", type=int, default=5)
    options = parser.parse_args()
    print(f"{'':44}{'':27}" + "".join(f"{name:>10}" for name in COLUMNS))
    table: list[list[float]] = []
    unread = 0
    for path in files():
        line, worst = row(path, options.postures)
        unread += line.startswith(("not read", "no model"))
        print(f"{'/'.join(path.parts[-2:])[-43:]:44}{line}", flush=True)
        if worst is not None:
            table.append(worst)
    if table:
        greatest = np.nanmax(np.array(table), axis=0)
        print(f"{'greatest of ' + str(len(table)) + ' compared':71}", end="")
        print("".join(f"{gap:10.1e}" for gap in greatest))
    print(f"{unread} of {len(files())} files were not read")


if __name__ == "__main__":
    main()
