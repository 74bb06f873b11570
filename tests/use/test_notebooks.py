"""The notebooks run from top to bottom, show what they promise, and are stored without outputs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from _native import SOURCE

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

NOTEBOOKS = sorted((SOURCE / "notebooks").glob("*.ipynb"))
#: Where executed notebooks are kept, for those who want to look at them.
KEEP = os.environ.get("HANDIK_NOTEBOOKS")
#: How many pictures each shows.
PICTURES = {
    "01_first_reach": 2,
    "02_ccd_vs_fabrik": 12,
    "03_limits_and_cones": 9,
    "04_every_solution": 4,
    "05_your_own_solver": 2,
    "06_handiaccess_study": 8,
    "07_inverse_kinematics_course": 6,
    "08_geometric_models_course": 6,
    "09_seated_person": 2,
    "10_motion_capture": 4,
    "11_poppy_arm": 3,
    "12_path_round_an_obstacle": 4,
    "13_robot_cell": 5,
    "14_kitchen": 3,
    "15_code_against_use": 2,
}

pytestmark = pytest.mark.build  # reads the source tree


def test_they_are_found() -> None:
    assert set(PICTURES) <= {path.stem for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_without_outputs(path: Path) -> None:
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the notebook tools themselves
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_from_top_to_bottom(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an empty folder, so that handik is the installed one."""
    monkeypatch.delenv("MPLBACKEND", raising=False)  # else the kernel would show no picture
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        timeout=240,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    outputs = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    shown = [out for out in outputs if "image/png" in out.get("data", {})]
    assert len(shown) >= PICTURES.get(path.stem, 0)
    assert not [out for out in outputs if out.get("name") == "stderr"]
    if KEEP:
        nbformat.write(notebook, Path(KEEP) / path.name)
