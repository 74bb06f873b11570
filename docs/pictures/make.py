"""The two pictures of the README: ``python docs/pictures/make.py`` (half a minute).

``fabrik_and_ccd.gif``: one target, solved by FABRIK and by CCD as published; drawn by
`handik.plot.animate`.
``peers.svg``: time against share solved, from the table "Beside other libraries" of
``docs/performance.md``, which names the command that measured it.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import handik as hk

HERE = Path(__file__).resolve().parent
WIDTH = 640  # pixels
#: What the film shows: the start is bent by so much at each joint, the target lies here.
BEND, TARGET = 20.0, (-0.5, -0.5, 0.0)


def film() -> None:
    """Write the film: FABRIK above, CCD below, an iteration a picture; who is done waits."""
    arm = hk.data("planar9")
    shown = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("fabrik", "ccd"):
            plain = next(s for s in hk.solvers() if s.name == name).plain
            found = arm.solve(
                position=TARGET,
                q0=np.full(arm.nq, hk.deg(BEND)),
                solver=name,
                trace=True,
                **plain,
            )
            assert found.converged
            path = Path(folder, f"{name}.gif")
            hk.plot.animate(found, path, fps=5, dpi=WIDTH / 9.6)
            with Image.open(path) as gif:
                frames = []
                for k in range(gif.n_frames):
                    gif.seek(k)
                    frames.append(gif.convert("RGB"))
            shown.append(frames)
    most = max(map(len, shown))
    both = []
    for k in range(most):
        parts = [frames[min(k, len(frames) - 1)] for frames in shown]
        whole = Image.new("RGB", (parts[0].width, sum(p.height for p in parts)), "white")
        for row, part in enumerate(parts):
            whole.paste(part, (0, row * part.height))
        both.append(whole.quantize(48))
    both[0].save(
        HERE / "fabrik_and_ccd.gif",
        save_all=True,
        append_images=both[1:],
        duration=200,
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
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "handik"
    figure = Figure(figsize=(8, 4.2), layout="constrained")
    axes = figure.add_subplot()
    places = {  # of the names, in points from the dot
        "handik": (0, 9, "center"),
        "handik, batch": (0, 9, "center"),
        "Robotics Toolbox": (-4, -15, "right"),
        "OptIK": (14, 9, "center"),
        "Klampt": (-12, 9, "center"),
        "Pinocchio": (9, 1, "left"),
        "MuJoCo": (9, -8, "left"),
    }
    for name, pairs in peers().items():
        times, shares = np.array(pairs).T
        ours = name.startswith("handik")
        colour = hk.plot.COLOURS[1 if ours else 0]
        axes.scatter(times, shares, s=9, color=colour, alpha=0.35, linewidths=0)
        x, y = float(np.exp(np.log(times).mean())), float(shares.mean())
        axes.scatter(x, y, s=70 if ours else 45, color=colour, zorder=3)
        label = re.sub(r" \d.*|,? damped.*| \(.*", "", name)
        right, up, side = places.get(label, (9, -3, "left"))
        axes.annotate(
            label + (", loop in Python" if "damped" in name else ""),
            (x, y),
            xytext=(right, up),
            textcoords="offset points",
            ha=side,
            fontsize=9,
            fontweight="bold" if ours else "normal",
        )
    axes.set_xscale("log")
    axes.set_xlim(0.07, 4000)
    axes.set_ylim(0, 112)
    axes.set_xlabel("time of a solve, as a multiple of one handik call (logarithmic)")
    axes.set_ylabel("full poses solved, %")
    axes.set_title("1,000 poses on each of six robots; large: mean of all six", fontsize=10)
    axes.grid(True, color="#e3e7ec")
    figure.savefig(HERE / "peers.svg", metadata={"Date": None})


if __name__ == "__main__":
    chart()
    film()
