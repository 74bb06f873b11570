"""What drawn chairs need: the closed formulas against the proofs, and the page against the command."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import numpy as np
import pytest
from _native import SOURCE

import handik as hk

pytestmark = pytest.mark.build  # reads the source tree


@pytest.fixture(scope="module")
def wheelchairs() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "_wheelchairs", SOURCE / "benchmarks" / "wheelchairs.py"
    )
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules["_wheelchairs"] = found
    spec.loader.exec_module(found)
    return found


def test_a_rectangle_needs_what_its_formula_says(wheelchairs: ModuleType) -> None:
    chair = hk.access.Chair("manual", 0.65, 1.2, 0.4, 0.65, 1.2)
    turn = np.linspace(0, np.pi / 2, 20001)
    s, c = np.sin(turn), np.cos(turn)
    need = ((chair.width + chair.length * s * c) / (s + c)).max()
    assert wheelchairs.corner_need(chair.outline) == pytest.approx(need, abs=1e-5)
    assert wheelchairs.square_any(chair.outline) == pytest.approx(np.hypot(0.65, 1.2), abs=1e-3)
    assert wheelchairs.square_axle(chair.outline) >= wheelchairs.square_any(chair.outline)


@pytest.mark.parametrize("seed", range(3))
def test_the_corner_of_a_tapered_chair_is_that_of_the_proofs(
    wheelchairs: ModuleType, seed: int
) -> None:
    chair = hk.access.chair("manual", seed=seed)
    need = wheelchairs.corner_need(chair.outline)
    for more, said in ((0.012, "yes"), (-0.012, "no")):
        wide = need + more
        far = 3.0 + wide
        corner = [(0, 0), (far, 0), (far, far), (3, far), (3, wide), (0, wide)]
        walls = [[corner[k - 1], corner[k]] for k in range(6)]
        back = chair.length / 2 - chair.axle
        end = (3 + wide / 2, wide + 2 - back, np.pi / 2)
        found = hk.access.passes(chair, walls, (1.2 - back, wide / 2, 0), end)
        assert found.verdict == said


def test_every_fact_is_beside_a_figure_or_said_not_to_be(wheelchairs: ModuleType) -> None:
    page = (SOURCE / "docs" / "validity.md").read_text("utf-8")
    alone = set(wheelchairs.facts()) - set(wheelchairs.computed(20))
    assert alone == {"fleet_manual", "load_low", "load_high"}  # the first is what is computed with
    for name in alone - {"fleet_manual"}:
        assert f"`{name}`" in page.split("Not computed:")[1]


def test_the_page_says_what_the_command_prints(wheelchairs: ModuleType) -> None:
    page = (SOURCE / "docs" / "validity.md").read_text("utf-8")
    rows = {
        line.split("|")[1].strip(): line.split("|")
        for line in page.splitlines()
        if line.startswith("| `")
    }
    measured = wheelchairs.facts()
    found = wheelchairs.computed(200)
    for name, value in found.items():
        row = rows[f"`{name}`"]
        assert float(row[3]) == pytest.approx(measured[name])
        lengths = ("corner_half", "corner_most", "corner_scooter", "seat_manual", "seat_power")
        near = 0.02 if name in (*lengths, "seat_study") else 0.09
        assert float(row[4]) == pytest.approx(value, abs=near)  # 200 chairs for the page's 2,000
