"""The two pictures of the README: ``python docs/pictures/make.py`` (some minutes).

``fabrik_and_ccd.gif``: one target, solved by FABRIK and by CCD as published, a UR5 that follows a
figure of eight, and a person who reaches past a jug; drawn by `handik.plot.animate`.
``peers.svg``: time against share solved, from the table "Beside other libraries" of
``docs/performance.md``, which names the command that measured it.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import PillowWriter
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import NDArray
from PIL import Image

import handik as hk

HERE = Path(__file__).resolve().parent
WIDTH, PICTURES = 640, 48  # pixels, and pictures of the path
#: What the film shows: the start is bent by so much at each joint, the target lies here.
BEND, TARGET = 20.0, (-0.5, -0.5, 0.0)


def panel(
    found: hk.Result | hk.Motion,
    title: str,
    width: int,
    height: int,
    path: NDArray[np.float64] | None = None,
    **options: Any,
) -> list[Image.Image]:
    """Return the frames of `handik.plot.animate`, without the curve beside the pose."""
    with plt.rc_context({"lines.markersize": 8}), tempfile.TemporaryDirectory() as folder:
        film = hk.plot.animate(found, **options)
        figure = plt.gcf()
        pose, curve = figure.axes
        curve.set_visible(False)
        figure.set_size_inches(width / 100, height / 100)
        flat = pose.name != "3d"
        pose.set_position((0.02, 0.02, 0.96, 0.84) if flat else (-0.1, -0.16, 1.2, 1.2))
        pose.tick_params(labelbottom=False, labelleft=False, length=0)
        pose.set(xlabel="", ylabel="")
        if not flat:
            pose.tick_params(labelright=False)
            pose.set_zlabel("")
            for axis in (pose.xaxis, pose.yaxis, pose.zaxis):
                axis.pane.set_visible(False)
        for line in pose.lines:
            line.set_linewidth(5)
        if options:  # a body is drawn with its flesh, and its room without a frame
            pose.set_axis_off()
            for bones in (*pose.lines, *pose.collections):
                bones.set_visible(isinstance(bones, Poly3DCollection))
        if path is not None:
            pose.plot(*np.vstack([path, path[:1]]).T, color=hk.plot.COLORS[1], linewidth=2)
        figure.suptitle(title, fontsize=19, y=0.99)
        said = figure._suptitle  # animate writes the iteration there: keep what is ours
        said.set_text = lambda text: None
        file = Path(folder, "film.gif")
        film.save(file, writer=PillowWriter(fps=10), dpi=100)
        plt.close(figure)
        with Image.open(file) as gif:
            frames = []
            for k in range(gif.n_frames):
                gif.seek(k)
                frames.append(gif.convert("RGB"))
    return frames


def person() -> list[Image.Image]:
    """Return the frames of a person who reaches past a jug, there and back on a planned path."""
    anna = hk.human(sex="female", stature=1.62)
    room = hk.Scene().add("table", hk.scene.Box([0.6, 1.2, 0.03]), [0.68, 0, 0.70])
    room = room.add("table/jug", hk.scene.Cylinder(0.24, 0.05), [-0.15, -0.15, 0.135])
    upright = dict.fromkeys(("pelvis_tilt", "trunk_flexion", "trunk_bend", "trunk_turn"), 0.0)
    reach = {"position": [0.5, -0.3, 1.15], "frame": "grip_right", "q0": anna.rest}
    goal = anna.model.solve(**reach, lock=upright)
    found = hk.plan.path(room, anna, anna.rest, goal.q)
    assert found.outcome == "found"
    moved = found.trajectory(max_speed=1.5, max_acceleration=4.0)
    there = [moved.sample(t)[0] for t in np.linspace(0, moved.duration, PICTURES // 2)]
    q = np.array([*there, *there[::-1]])
    motion = hk.Motion(q, np.arange(len(q)) / 10, anna.model)
    title = "A person reaches"
    stand = {"scene": room, "figure": anna, "view": (14.0, -62.0)}
    return panel(motion, title, WIDTH // 2, WIDTH // 2, **stand)


def film() -> None:
    """Write the film: FABRIK beside CCD, an iteration each two pictures; below an arm on a path."""
    chain, arm = hk.data("planar9"), hk.data("ur5")
    upper = []
    for name in ("fabrik", "ccd"):
        plain = next(s for s in hk.solvers() if s.name == name).plain
        start = np.full(chain.nq, hk.deg(BEND))
        found = chain.solve(position=TARGET, q0=start, solver=name, trace=True, **plain)
        assert found.converged
        title = f"{name.upper()}: {found.iterations} iterations"
        steps = panel(found, title, WIDTH // 2, WIDTH // 2)
        upper.append([frame for frame in steps for _ in range(2)])
    curve = hk.study.figure_of_eight(PICTURES).place(arm, arm.tip)
    track = arm.track(position=curve.points)
    assert track.converged.all()
    lower = panel(track, "A UR5 follows a path", WIDTH // 2, WIDTH // 2, curve.points)
    beside = person()
    most = max(PICTURES, *map(len, upper)) + 8
    both = []
    for k in range(most):
        left, right = (frames[min(k, len(frames) - 1)] for frames in upper)
        below, other = lower[k % len(lower)], beside[k % len(beside)]
        whole = Image.new("RGB", (WIDTH, left.height + below.height), "white")
        whole.paste(left, (0, 0))
        whole.paste(right, (left.width, 0))
        whole.paste(below, (0, left.height))
        whole.paste(other, (below.width, left.height))
        both.append(whole)
    palette = both[0].quantize(32, Image.Quantize.MAXCOVERAGE)  # one for all: nothing flickers
    both = [whole.quantize(palette=palette, dither=Image.Dither.NONE) for whole in both]
    both[0].save(
        HERE / "fabrik_and_ccd.gif",
        save_all=True,
        append_images=both[1:],
        duration=120,
        loop=0,
        optimize=True,
    )


def peers() -> dict[str, list[tuple[float, float]]]:
    """Read the table: a library's times over handik's single call, and shares in %, by robot."""
    text = (HERE.parent / "performance.md").read_text("utf-8")
    table = re.search(r"^\| \| Panda 7 .*?(?=\n\n)", text, re.M | re.S)
    assert table
    found = {}
    for line in table[0].splitlines()[2:]:
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        pairs = [re.match(r"([\d.]+) % \[.*?\], ([\d.]+)$", cell) for cell in cells]
        if all(pairs):
            found[name] = [(float(p[2]), float(p[1])) for p in pairs if p]
    return found


def chart() -> None:
    """Draw the table: a dot a library, its geometric mean of times and mean share; robots small."""
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "handik"
    figure = Figure(figsize=(6.6, 4.55), layout="constrained")
    axes = figure.add_subplot()
    places = {  # of the names, in points from the dot
        "handik": (0, 9, "center"),
        "handik, batch": (0, 9, "center"),
        "Robotics Toolbox": (-4, -15, "right"),
        "OptIK": (12, 9, "left"),
        "Klampt": (4, 9, "right"),
        "Pinocchio": (9, 4, "left"),
        "MuJoCo": (9, -11, "left"),
    }
    for name, pairs in peers().items():
        times, shares = np.array(pairs).T
        ours = name.startswith("handik")
        colour = hk.plot.COLORS[1 if ours else 0]
        axes.scatter(times, shares, s=9, color=colour, alpha=0.35, linewidths=0)
        x, y = float(np.exp(np.log(times).mean())), float(shares.mean())
        axes.scatter(x, y, s=70 if ours else 45, color=colour, zorder=3)
        label = re.sub(r" \d.*|,? damped.*| \(.*", "", name)
        right, up, side = places.get(label, (9, -3, "left"))
        axes.annotate(
            label + (", Python loop" if "damped" in name else ""),
            (x, y),
            xytext=(right, up),
            textcoords="offset points",
            ha=side,
            fontsize=10.5,
            fontweight="bold" if ours else "normal",
        )
    axes.set_xscale("log")
    axes.set_xlim(0.03, 15000)
    axes.set_ylim(0, 112)
    axes.set_xlabel("time of a solve, as a multiple of one handik call", fontsize=11)
    axes.set_ylabel("full poses solved, %", fontsize=11)
    axes.set_title("1,000 poses on each of six robots; large: mean of the six", fontsize=11)
    axes.grid(True, color="#e3e7ec")
    figure.savefig(HERE / "peers.svg", metadata={"Date": None})


if __name__ == "__main__":
    chart()
    film()
