"""The command line, called as a function and as a process."""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from _robots import ROBOTS

import handik as hk
from handik.app.cli import main

TWO_TIPS = """<robot name="fork"><link name="root"/><link name="left"/><link name="right"/>
<joint name="a" type="revolute"><parent link="root"/><child link="left"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="b" type="fixed"><parent link="root"/><child link="right"/></joint></robot>"""
#: `python -m handik` in a process that finds no matplotlib and no tqdm.
WITHOUT = """
import importlib.abc, sys
class Wall(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("matplotlib", "tqdm"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Wall())
from handik.app.cli import main
sys.exit(main(sys.argv[1:]))
"""


#: What the extra `plot` brings.
PICTURES = importlib.util.find_spec("matplotlib") is not None
needs_plot = pytest.mark.skipif(not PICTURES, reason="could not import matplotlib")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def process(*arguments: str, code: str | None = None) -> subprocess.CompletedProcess[str]:
    start = ["-c", code] if code else ["-m", "handik"]
    return subprocess.run(
        [sys.executable, "-W", "error", *start, *arguments],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


# -- compare ------------------------------------------------------------------------------------


@needs_plot
def test_compare_is_the_study_of_the_thesis(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "--runs", "3", "--frames", "20", "--out", str(tmp_path / "o")]) == 0
    out, err = capsys.readouterr()
    assert "planar9, 9 DoF, follows: figure of eight" in out
    assert "FABRIK needs fewer iterations" in " ".join(out.split())
    assert "FABRIK paper's experiment: 10 unconstrained joints" in out
    for figure in ("13.2", "17.6", "15.461", "26.308"):
        assert figure in out
    # Three runs of the first solver are three pieces of the work.
    assert re.search(r"^\[1/(\d+)\] planar9: fabrik, frame by frame\n\[4/\1\] planar9: ", err)
    assert "ur5: ccd, frame by frame" in err
    assert "ball10, straight start: ccd, the paper's experiment" in err
    names = sorted(p.name for p in (tmp_path / "o").iterdir())
    assert names == [
        "compare.csv", "compare.html", "compare.png", "compare_frames.csv", "compare_paper.csv",
        "compare_runs.csv", "compare_smoothness.csv", "compare_stops.csv",
    ]  # fmt: skip
    assert (tmp_path / "o/compare.png").read_bytes().startswith(b"\x89PNG")
    found = rows(tmp_path / "o/compare.csv")
    assert [(r["solver"], r["runs"], r["frames"]) for r in found] == [
        ("fabrik", "3", "20"), ("fabrik_fast", "3", "20"), ("ccd", "3", "20"),
        ("fabrik", "2", "20"), ("fabrik_fast", "2", "20"), ("ccd", "2", "20"),
    ]  # fmt: skip
    assert [r["model"] for r in found] == ["planar9"] * 3 + ["ur5"] * 3
    assert "On ur5: FABRIK solves" in " ".join(out.split())
    assert "from the straight chain" in out
    assert "from random poses" in out
    starts = {r["start"] for r in rows(tmp_path / "o/compare_paper.csv")}
    assert starts == {"straight", "random"}
    assert "On ur5" in (tmp_path / "o/compare.html").read_text("utf-8")


def test_every_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("x,y,z\n0.5,0.1,0\n0.5,0.2,0\n9,9,0\n", "utf-8")
    arguments = ["compare", "--chain", "4", "--path", str(path), "--solvers", "ccd", "--runs", "2"]
    arguments += ["--tolerance", "0.01", "--seed", "7", "--out", str(tmp_path)]
    assert main(arguments) == 0
    (row,) = rows(tmp_path / "compare.csv")
    assert (row["solver"], row["model"], row["dof"]) == ("ccd", "chain of 4 links", "4")
    assert (row["path"], row["frames"], row["seed"]) == ("mine.csv", "3", "7")
    assert float(row["tolerance_m"]) == 0.01
    assert float(row["solved_share"]) == pytest.approx(2 / 3)
    assert row["thesis_iterations"] == ""
    out = capsys.readouterr().out
    assert "ccd: of 6 frames 4 converged, 2 unreachable." in out
    assert "paper" not in out


def test_the_papers_experiment_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "--experiment", "paper", "--runs", "20", "--out", str(tmp_path)]
    assert main([*arguments, "--solvers", "fabrik,ccd,jacobian_transpose,dls,sdls"]) == 0
    out = capsys.readouterr().out
    assert "10 unconstrained joints, 20 targets of each kind" in out
    found = {(r["solver"], r["target"]) for r in rows(tmp_path / "paper.csv")}
    assert {solver for solver, _ in found} == {"fabrik", "ccd", "jacobian_transpose", "dls", "sdls"}
    assert (tmp_path / "paper.html").read_text("utf-8").count("<tr>") == 12
    assert main([*arguments, "--solvers", "ftl,triangulation", "--start", "straight"]) == 0
    assert {r["start"] for r in rows(tmp_path / "paper.csv")} == {"straight"}
    capsys.readouterr()
    assert main(["compare", "--figure", "ball10", "--start", "random"]) == 2
    assert "--start is for --experiment paper" in capsys.readouterr().err
    assert main([*arguments, "--solvers", "fabrik", "--tip", "x"]) == 2
    assert "--tip does not go with --experiment" in capsys.readouterr().err


@pytest.mark.skipif(not ROBOTS.is_dir(), reason="needs the package example-robot-data")
@pytest.mark.parametrize(
    ("file", "tip", "base"),
    [
        ("ur_description/urdf/ur5_robot.urdf", "tool0", "base_link"),
        ("panda_description/urdf/panda.urdf", "panda_hand", None),
    ],
)
def test_compare_on_a_real_robot(file: str, tip: str, base: str | None, tmp_path: Path) -> None:
    arguments = ["compare", "--model", str(ROBOTS / file), "--tip", tip, "--path", "circle"]
    arguments += ["--base", base] if base else []
    assert main([*arguments, "--frames", "20", "--runs", "3", "--out", str(tmp_path)]) == 0
    found = rows(tmp_path / "compare.csv")
    assert [r["frame"] for r in found] == [tip, tip, tip]
    shares = {r["solver"]: float(r["solved_share"]) for r in found}
    assert shares["fabrik_fast"] > 0.9
    assert shares["ccd"] > 0.9
    assert (tmp_path / "compare.html").stat().st_size > 10_000


def test_without_matplotlib_table_and_csv_stay(tmp_path: Path) -> None:
    run = process("compare", "--runs", "2", "--frames", "10", "--out", str(tmp_path), code=WITHOUT)
    assert run.returncode == 0, run.stderr
    assert "pip install 'handik[plot]'" in run.stderr
    assert "solver" in run.stdout
    written = {p.name for p in tmp_path.iterdir()}
    assert {"compare.csv", "compare.html"} <= written
    assert "compare.png" not in written
    text = (tmp_path / "compare.html").read_text("utf-8")
    assert (
        "No pictures: matplotlib is not installed (pip install &#x27;handik[plot]&#x27;)." in text
    )


@pytest.mark.parametrize(
    "code", [pytest.param(None, marks=needs_plot), WITHOUT], ids=["tqdm", "plain"]
)
def test_a_terminal_gets_a_bar(code: str | None, tmp_path: Path) -> None:
    """Standard error is a pseudo-terminal: one line, written over, gone at the end."""
    leader, follower = pty.openpty()
    start = ["-c", code] if code else ["-m", "handik"]
    options = ["compare", "--runs", "3", "--frames", "10", "--out", str(tmp_path)]
    child = subprocess.Popen(
        [sys.executable, *start, *options], stdout=subprocess.DEVNULL, stderr=follower
    )
    os.close(follower)
    shown = b""
    try:
        while part := os.read(leader, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(leader)
    assert child.wait(60) == 0
    text = shown.decode("utf-8")
    assert "\r" in text
    assert "100 %" in text
    assert re.search(r"\[(\d+)/\1\]", text)
    assert "ccd, " in text
    assert (b"\xe2\x96\x88" in shown) == (code is None)  # the full block of tqdm's bar


def test_ctrl_c_ends_cleanly(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "handik", "compare", "--runs", "100000", "--out", str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stderr is not None
    assert child.stderr.readline().endswith("] planar9: fabrik, frame by frame\n")
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert child.returncode == 130
    assert err.strip() == "handik: stopped"
    assert out == ""


# -- what goes wrong ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "--model", "none.urdf"], "none.urdf: there is no such file"),
        (["compare", "--model", "none"], "no such file, no model that comes with handik"),
        (["compare", "--model", "."], "a folder, not a file"),
        (["compare", "--model", "bad.urdf"], "bad.urdf:1"),
        (["compare", "--model", "robot.stl"], "no reader for '.stl'"),
        (["compare", "--model", "fork.urdf"], "choose one with --tip: left, right"),
        (["compare", "--model", "fork.urdf", "--tip", "lft"], "near names: left"),
        (["compare", "--model", "fork.urdf", "--tip", "right"], "no joint that moves"),
        (["compare", "--model", "fork.urdf", "--tip", "left"], "found no place for the figure"),
        (["compare", "--model", "ur5", "--base", "x"], "--base is for files"),
        (["compare", "--tip", "x"], "are for --model FILE"),
        (["compare", "--scale", "1"], "are for --model FILE"),
        (["compare", "--figure", "ball10", "--scale", "1"], "--scale does not go with --figure"),
        (["info", "fork.urdf", "--scale", "0.01"], "--scale is for BVH files"),
        (["compare", "--path", "square"], "--path is eight, circle or a CSV file"),
        (["compare", "--path", "none.csv"], "none.csv: there is no such file"),
        (["compare", "--path", "bad.csv"], "bad.csv:2: expected 2 or 3 finite numbers"),
        (["compare", "--path", "good.csv", "--frames", "9"], "--frames is for"),
        (["compare", "--solvers", "fabrik,ccdd"], "'ccdd'"),
        (["compare", "--solvers", ","], "at least one solver"),
        (["compare", "--out", "good.csv"], "good.csv: File exists"),
        (["info", "none.urdf"], "there is no such file"),
        (["solve", "fork.urdf", "--position", "1", "2", "3"], "choose one with --tip"),
        (
            ["compare", "--figure", "planar9", "--path", "circle"],
            "--path does not go with --figure",
        ),
        (["compare", "--figure", ","], "at least one figure"),
        (["compare", "--chain", "100000000000000"], "more memory than there is"),
        (["solve", "ur5", "--tip", "link_9", "--position", "1", "2", "3"], "near names: link_"),
        (["info", "ur5", "--tip", "nope"], "there are: link_0, axis_1, link_1, axis_2"),
        (["solve", "ur5"], "give --position, --orientation, --rpy, --pose or --term"),
        (
            ["solve", "ur5", "--term", "Nope"],
            "there is no term 'Nope'; there are Axis, Orientation, ",
        ),
        (["solve", "ur5", "--term", "Distance"], "Distance needs distance="),
        (["solve", "ur5", "--term", "LookAt", "--target", "1"], "--target must be 3 numbers"),
        (["solve", "ur5", "--position", *"000", "--target", "1"], "--target is for --term"),
        (["solve", "ur5", "--import", "none.py"], "none.py: there is no such file"),
        (["solve", "ur5", "--import", "no_such_module"], "No module named 'no_such_module'"),
        (["solve", "ur5", "--import", "json.py"], "'json' is the name of another module"),
        (["info", "--import", "wrong.py"], "wrong.py: SyntaxError"),
        (["bench", "ur5", "--import", "needs.py"], "No module named 'no_such_module'"),
        (["solve", "ur5", "--pose", *"1000000", "--rpy", "0,0,0"], "give --pose alone"),
        (["solve", "ur5", "--pose", *"123000"], "three angles with --euler"),
        (["solve", "ur5", "--pose", *"1231000", "--euler", "ZYX"], "three angles with --euler"),
        (["solve", "ur5", "--position", *"123", "--euler", "ZYX"], "three angles with --euler"),
        (["solve", "ur5", "--pose", *"123000", "--euler", "ZYy"], "'ZYy' is no Euler convention"),
        (["solve", "ur5", "--position", "1,2,3", "--q0", "1,2"], "--q0 must be the 6 coordinates"),
        (["solve", "ur5", "--pose", *"1230000"], "quaternion"),
        (["solve", "ur5", "--orientation", *"0000"], "quaternion"),
        (["solve", "ur5", "--rpy", *"000", "--tolerance", "1e-3"], "--tolerance is of positions"),
        (["solve", "ur5", "--position", *"111", "--plot", "x.zzz"], "x.zzz: "),
        (["convert", "ur5", "arm.docx"], "docx"),
        (["convert", "ur5", "arm.conf", "--strict"], "arm.conf: not written, it would lose"),
        (["bench", "ur5", "--solvers", "ccdd"], "'ccdd'"),
        (["app", "cut.json"], "cut.json:2: it is damaged: "),
        (["app", "other.json"], "other.json: it is no document of this application"),
        (["app", "binary.json"], "binary.json is no text"),
        (["app", "none.json"], "none.json: No such file"),
        (["app", "bad.toml"], "bad.toml:1: not TOML"),
    ],
)
def test_one_clear_line_and_status_2(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fork.urdf").write_text(TWO_TIPS, "utf-8")
    Path("bad.urdf").write_text("<robot name='x'><link/></robot>", "utf-8")
    Path("robot.stl").write_text("", "utf-8")
    Path("bad.csv").write_text("1,2,3\n1,x\n", "utf-8")
    Path("good.csv").write_text("0.5,0.1,0\n0.6,0.1,0\n", "utf-8")
    Path("json.py").write_text("", "utf-8")
    Path("wrong.py").write_text("x = (", "utf-8")
    Path("needs.py").write_text("import no_such_module", "utf-8")
    Path("cut.json").write_text("{\n", "utf-8")
    Path("other.json").write_text("[]", "utf-8")
    Path("binary.json").write_bytes(b"\xff\xfe{}")
    Path("bad.toml").write_text("{", "utf-8")
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("handik: ")
    assert err.count("\n") == 1
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required: COMMAND"),
        ([], "solve     bring one frame"),
        (["dance"], "invalid choice"),
        (["compare", "--runs", "0"], "'0' is not a whole number from 1 up"),
        (["compare", "--frames", "2"], "'2' is not a whole number from 3 up"),
        (["compare", "--chain", "many"], "'many' is not a whole number"),
        (["compare", "--tolerance", "0"], "'0' is not a number above 0"),
        (["compare", "--tolerance", "nan"], "'nan' is not a number above 0"),
        (["compare", "--chain", "3", "--model", "ur5"], "not allowed with"),
        (["solve", "ur5", "--position", "1", "2", "inf"], "'inf' is not a number"),
        (["solve", "ur5", "--position", "1", "2"], "expected 3 numbers, between blanks or commas"),
        (["solve", "ur5", "--pose", "1,2,3,4"], "expected 6 or 7 or 16 numbers"),
        (["solve", "ur5", "--seed", "-1"], "'-1' is not a whole number from 0 up"),
        (["compare", "--runs", "9" * 400], "9' is not a whole number from 1 up"),
        (["convert", "ur5"], "required: OUT"),
        (["bench", "ur5", "--goal", "dance"], "invalid choice"),
    ],
)
def test_wrong_options_say_how(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_an_extra_that_is_not_installed_is_one_line_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("xacro", "xacrodoc"):
        monkeypatch.setitem(sys.modules, name, None)
    file = tmp_path / "arm.xacro"
    file.write_text("<robot name='arm'><link name='base'/></robot>", "utf-8")
    assert main(["info", str(file)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("handik: ")
    assert err.count("\n") == 1
    assert "pip install 'handik[xacro]'" in err


# -- the other commands -------------------------------------------------------------------------


def test_info_on_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "puma560"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Model 'puma560': 12 joints (6 of them fixed), nq 6")
    line = next(line for line in out.splitlines() if line.startswith("shoulder"))
    assert line.split() == ["shoulder", "revolute", "1", "-45", "deg", "225", "deg"]


def test_info_on_the_figure_and_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fork.urdf").write_text(TWO_TIPS, "utf-8")
    assert main(["info", str(tmp_path / "fork.urdf")]) == 0
    assert "several tips" in capsys.readouterr().out
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for name in ("fabrik", "ccd", "planar9", "ur5"):
        assert f"  {name} " in out


def test_solve_prints_a_pose_that_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    for place in (["0.4", "-2e-1", "0.3"], ["0.4,-0.2,0.3"]):
        assert main(["solve", "ur5", "--position", *place]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("converged after")
        assert all(line.endswith(" rad") for line in lines[2:])
        q = [float(line.split()[-2]) for line in lines[2:]]
        assert np.allclose(hk.data("ur5").fk(q)[:3, 3], [0.4, -0.2, 0.3], atol=2e-4)
    assert main(["solve", "ur5", "--position", "0.4,-0.2,0.3", "--deg"]) == 0
    turned = [line.split()[-2:] for line in capsys.readouterr().out.splitlines()[2:]]
    assert np.allclose(np.radians([float(x) for x, _ in turned]), q, atol=1e-6)
    assert {unit for _, unit in turned} == {"deg"}


def test_solve_takes_orientations_and_poses(capsys: pytest.CaptureFixture[str]) -> None:
    arm = hk.data("ur5")
    pose = arm.fk([0.3, -1.0, 1.2, -0.4, 0.9, 0.1])
    place = ",".join(map(repr, pose[:3, 3].tolist()))
    turn = hk.transforms.quaternion(pose)
    quaternion = ",".join(map(repr, np.asarray(turn).tolist()))
    rpy = ",".join(map(repr, np.degrees(hk.transforms.rpy(pose)).tolist()))
    whole = " ".join(map(repr, pose.ravel().tolist())).split()
    zyz = hk.transforms.pose_vector(pose, "ZYZ")[3:]
    angles = ",".join(map(repr, np.degrees(zyz).tolist()))
    for goal in (
        ["--pose", f"{place},{quaternion}"],
        ["--pose", f"{place},{angles}", "--euler", "ZYZ"],
        ["--pose", *whole],
        ["--position", place, "--orientation", quaternion],
        ["--position", place, "--rpy", rpy],
    ):
        assert main(["solve", "ur5", *goal, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["success"] is True
        assert found["outcome"] == "converged"
        assert np.allclose(arm.fk(found["q"]), pose, atol=1e-3)
        assert [x for (x,) in found["joints"].values()] == found["q"]
    assert main(["solve", "ur5", "--rpy", rpy, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert np.allclose(arm.fk(found["q"])[:3, :3], pose[:3, :3], atol=1e-2)


@pytest.mark.parametrize("turn", [[], ["--rpy", *"000"], ["--orientation", *"1000"]])
def test_the_tolerance_is_kept(turn: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    goal = ["--position", ".4 .2", ".5", *turn, "--tolerance", "1e-9"]
    assert main(["solve", "ur5", *goal, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["position_error"] < 1e-9


@needs_plot
def test_solve_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.png"
    assert main(["solve", "ur5", "--position", "0.4,-0.2,0.3", "--plot", str(file)]) == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    assert f"written: {file}" in capsys.readouterr().err


def test_json_is_all_there_is_on_the_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["info", "puma560", "--json"]) == 0
    model = json.loads(capsys.readouterr().out)
    assert (model["nq"], len(model["joints"])) == (6, 6)
    assert model["joints"][0]["q"] == [0]
    assert model["joints"][1]["upper"] == pytest.approx(np.radians(225))
    assert main(["info", "--json"]) == 0
    lists = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in lists["solvers"]] == [row.name for row in hk.solvers()]
    assert set(lists["models"]) == set(hk.data.names())
    arguments = ["compare", "--chain", "3", "--runs", "2", "--frames", "8", "--solvers", "ccd"]
    assert main([*arguments, "--out", str(tmp_path), "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert [row["solver"] for row in found["table"]] == ["ccd"]
    assert found["table"][0]["solved_share"] == 1.0
    assert found["table"][0]["model"] == "chain of 3 links"
    assert len(found["stops"]) == 6
    assert "date" in found["conditions"]
    assert all(Path(name).is_file() for name in found["written"])
    assert "written: " in err
    for more in (["--figure", "ball10", "--solvers", "fabrik"], ["--experiment", "paper"]):
        assert main(["compare", *more, "--runs", "3", "--out", str(tmp_path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["rows"]


def test_convert_writes_and_says_what_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf = tmp_path / "arm.urdf"
    assert main(["convert", "ur5", str(urdf)]) == 0
    assert capsys.readouterr().out == f"written: {urdf}\n"
    q = hk.data("ur5").sample(seed=1)
    assert np.allclose(hk.load(urdf).fk(q), hk.data("ur5").fk(q), atol=1e-12)
    ball = tmp_path / "ball.urdf"
    assert main(["convert", "ball10", str(ball), "--json"]) in (0, 2)
    text = capsys.readouterr()
    if text.out:
        assert json.loads(text.out)["written"] == str(ball)


def test_a_start_in_degrees_and_robots_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    goal = ["solve", "ur5", "--position", "0.4,-0.2,0.3", "--json"]
    assert main([*goal, "--q0", "60,-60,60,0,90,0", "--deg"]) == 0
    degrees = json.loads(capsys.readouterr().out)
    assert main([*goal, "--q0", *map(repr, np.radians([60, -60, 60, 0, 90, 0]).tolist())]) == 0
    assert json.loads(capsys.readouterr().out)["q"] == degrees["q"]
    assert main([*goal, "--q0", "60,-60,60,0,90,0"]) == 2
    assert "outside its limits; angles in degrees want --deg" in capsys.readouterr().err
    if hk.robot.names():
        assert main(["info", "panda", "--tip", "panda_hand", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["nq"] == 7


def test_bench_is_of_the_users_model(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bench", "ur5", "--problems", "20", "--solvers", "auto,ccd,ftl"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = {row["solver"]: row for row in found["rows"]}
    assert rows["auto"]["solved_share"] == 1.0
    assert rows["auto"]["seconds_per_problem"] > 0
    assert rows["ftl"]["solved_share"] is None
    assert rows["ftl"]["refused"]
    assert main([*arguments, "--goal", "position"]) == 0
    text = capsys.readouterr().out
    assert "auto" in text
    assert "default options" in " ".join(text.split())


def test_completion_knows_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    for word in ("info", "solve", "compare", "convert", "bench", "--json", "--retries"):
        assert word in script
    run = subprocess.run(["bash", "-n"], input=script, text=True, check=False, timeout=60)
    assert run.returncode == 0


def test_files_are_written_before_what_a_reader_may_cut_off(tmp_path: Path) -> None:
    command = (
        f'"{sys.executable}" -m handik compare --chain 3 --runs 2 --frames 8 --out {tmp_path}/o '
        "2>/dev/null | head -1"
    )
    subprocess.run(["bash", "-c", command], capture_output=True, timeout=120, check=True)
    assert (tmp_path / "o/compare.csv").is_file()
    assert (tmp_path / "o/compare.html").is_file()


def test_solve_out_of_reach_is_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "ur5", "--position", "4", "0", "0", "--tip", "link_3"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("unreachable after")
    assert "link_3 at" in out


def test_version_in_both_forms(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version"]) == 0
    assert capsys.readouterr().out == f"handik {hk.__version__}\n"
    run = process("--version")
    assert (run.returncode, run.stdout) == (0, f"handik {hk.__version__}\n")


def test_a_reader_that_leaves_is_no_error() -> None:
    command = f'"{sys.executable}" -W error -m handik info ur5 | head -1; echo ${{PIPESTATUS[0]}}'
    run = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True
    )
    assert run.stdout.splitlines()[0].startswith("Model 'ur5'")
    assert run.stdout.splitlines()[-1] == "0"
    assert run.stderr == ""
