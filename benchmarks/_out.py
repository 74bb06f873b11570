"""Results of a benchmark as a table in a file and as a picture."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]


def add_out(parser: argparse.ArgumentParser) -> None:
    """Let the user say where the files go."""
    parser.add_argument("--out", type=Path, help="folder for the CSV file and the picture")


def save(folder: Path | None, name: str, rows: Sequence[Row], draw: Callable[[Any], None]) -> None:
    """Write NAME.csv, and NAME.png where Matplotlib is installed; no folder: nothing.

    `draw` is given an empty figure. Rows may have fewer columns than the first.
    """
    if folder is None or not rows:
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no picture: pip install 'handik[plot]'")
        return
    figure = Figure(figsize=(8, 5), layout="constrained")
    draw(figure)
    figure.savefig(folder / f"{name}.png", dpi=100)


def bars(axes: Any, groups: Sequence[str], heights: dict[str, Sequence[float]]) -> None:
    """Draw bars side by side, a group of them over each name; NaN leaves a gap."""
    places, width = np.arange(len(groups)), 0.8 / len(heights)
    for k, (label, values) in enumerate(heights.items()):
        axes.bar(places + width * (k - (len(heights) - 1) / 2), values, width, label=label)
    axes.set_xticks(places, groups)
    axes.grid(axis="y", alpha=0.3)
    axes.legend()
