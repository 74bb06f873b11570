"""The command line with solvers and terms of the user's, and the examples of its help."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import handik as hk
from handik.app.cli import main
from handik.app.cli.main import parser
from handik.solve.own import KNOWN

MINE = """
import numpy as np
import handik as hk

@hk.solver("of_a_file")
def of_a_file(problem, target, q0):
    "Damped least squares."
    q = q0
    while True:
        e, J = problem.residual(target, q), problem.jacobian(target, q)
        q = problem.model.clip(q - J.T @ np.linalg.solve(J @ J.T + 1e-3 * np.eye(len(e)), e))
        yield q

class OverLine(hk.Term):
    "The frame above a line of the floor."
    rows, columns = 2, ("heading", "height")
    def residual(self, poses, target):
        x, y, z = poses[0, :3, 3]
        return [x * np.sin(target[0]) - y * np.cos(target[0]), z - target[1]]
"""


def test_solvers_and_terms_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In every command that solves or lists; a file elsewhere, too, and by its name as a module."""
    (tmp_path / "mine_of_cli.py").write_text(MINE, "utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    given = ["--import", str(tmp_path / "mine_of_cli.py")]
    try:
        place = ["solve", "ur5", "--position", "0.4,0.2,0.5", "--json", *given]
        assert main([*place, "--solver", "of_a_file"]) == 0
        assert json.loads(capsys.readouterr().out)["solver"] == "of_a_file"
        arm = hk.data("ur5")
        terms = ["--term", "OverLine", "--term", "Level", "--target", "0.3,0.4"]
        assert main(["solve", "ur5", *given, *terms, "--json"]) == 0
        x, y, z = arm.fk(json.loads(capsys.readouterr().out)["q"])[:3, 3]
        assert x * np.sin(0.3) - y * np.cos(0.3) == pytest.approx(0, abs=2e-4)
        assert z == pytest.approx(0.4, abs=2e-4)
        assert main([*place, "--term", "LookAt", "--target", "2,1,1"]) == 0
        pose = arm.fk(json.loads(capsys.readouterr().out)["q"])
        assert np.allclose(pose[:3, 3], [0.4, 0.2, 0.5], atol=2e-4)
        sight = np.array([2, 1, 1]) - pose[:3, 3]
        assert np.allclose(pose[:3, 2], sight / np.linalg.norm(sight), atol=1e-3)
        monkeypatch.chdir(tmp_path)
        assert main(["info", "--import", "mine_of_cli"]) == 0
        assert "of_a_file" in capsys.readouterr().out
        arguments = ["bench", "ur5", "--problems", "5", "--solvers", "of_a_file", "--json", *given]
        assert main([*arguments, "--goal", "position"]) == 0
        assert json.loads(capsys.readouterr().out)["rows"][0]["solver"] == "of_a_file"
        arguments = ["compare", "--chain", "3", "--runs", "1", "--frames", "8", *given]
        assert main([*arguments, "--solvers", "of_a_file,ccd", "--out", str(tmp_path)]) == 0
        assert "(no interval)" in capsys.readouterr().out
    finally:
        KNOWN.pop("of_a_file", None)
        sys.modules.pop("mine_of_cli", None)


def test_every_command_shows_examples_that_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What --help shows is run; robot.urdf and mine.py stand for files of the user's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("mine.py").write_text(MINE.replace("of_a_file", "mine"), "utf-8")
    hk.data("ur5").save("robot.urdf", [])
    seen = 0
    for name in ("info", "solve", "compare", "convert", "bench", "completion"):
        with pytest.raises(SystemExit) as caught:
            main([name, "--help"])
        assert caught.value.code == 0
        text = capsys.readouterr().out
        assert "130 stopped by Ctrl-C" in " ".join(text.split())
        examples = re.findall(r"^  handik (.*)$", text, re.M)
        assert examples, name
        for line in examples:
            words = shlex.split(line.replace("tool0", "link_6"))
            assert words[0] == name
            parser().parse_args(words)
            seen += 1
            if name not in {"compare", "bench", "completion"}:
                status = main(words)
                assert status in {0, 1}, (line, capsys.readouterr().err)
    assert seen >= 12
    sys.modules.pop("mine", None)


BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Arm
  {
    OFFSET 0 40 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 30 0 0
    }
  }
}
MOTION
Frames: 1
Frame Time: 0.1
0 90 0 0 0 0 0 0 0
"""


def test_a_skeleton_in_centimetres(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.bvh"
    file.write_text(BVH, "utf-8")
    assert main(["info", str(file), "--scale", "0.01"]) == 0
    assert "reach 0.700 m" in capsys.readouterr().out
    goal = ["--position", "0.2,0.1,0.9", "--tip", "Arm_end"]
    assert main(["solve", str(file), *goal, "--scale", "0.01"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("  Hips: ")
    assert lines[2].endswith(" m, then quaternion")
    assert lines[3].endswith(" quaternion")


def test_what_was_not_reached_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "ur5", "--position", "400", "200", "500"]) == 1
    lines = capsys.readouterr().out.splitlines()
    arm = hk.data("ur5")
    assert lines[2] == str(arm.solve(position=[400, 200, 500], retries=10).explain()).split("\n")[0]
    assert main(["solve", "ur5", "--position", "0.4", "0.2", "0.5"]) == 0
    assert capsys.readouterr().out.splitlines()[2].startswith("  shoulder_pan:")
