"""``handik compare``: solvers on a path, on every model, or in the FABRIK paper's experiment."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import handik
from handik.app.cli.common import (
    DONE,
    FILE,
    add_chain,
    add_import,
    add_json,
    command,
    count,
    frames,
    import_modules,
    load,
    names,
    one_tip,
    positive,
    print_json,
    tell,
    tell_written,
    typed,
    whole,
)
from handik.errors import ArgumentError

if TYPE_CHECKING:
    from handik import Model
    from handik.solve._progress import Bar
    from handik.study._protocol import Progress
    from handik.study.curve import Curve


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = command(
        commands,
        "compare",
        "let solvers follow a path, and compare them",
        "Lets solvers follow a path, frame by frame, and prints what each needs. "
        "Without --model it is the study of the nine-DoF chain on a figure of eight, then of a "
        "UR5, then the FABRIK paper's experiment; the thesis's and the paper's figures come first, "
        "under their own rules. Writes tables, runs and frames (compare*.csv), compare.png and "
        "compare.html.",
        "compare --out out",
        "compare --model ur5 --path circle --solvers auto,ccd,dls --runs 20 --out out",
        "compare --chain 6 --import mine.py --solvers mine,fabrik --out out",
        "compare --figure puma560,ball10 --runs 20 --out out",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--model", metavar="FILE", help=FILE)
    what.add_argument("--chain", metavar="N", type=count, help="a planar chain of N equal links")
    what.add_argument(
        "--figure",
        metavar="A,B",
        help="no path, but the table of solvers by figures: planar9, ball10, chain100, puma560, "
        "upper_body, or all; writes survey.csv, survey.png and survey.html",
    )
    what.add_argument(
        "--experiment",
        choices=["paper", "avatar", "person"],
        help="no path, but that of the FABRIK paper alone: ten free balls, targets in and out of "
        "reach; writes paper.csv and paper.html. Or the thesis's on an avatar: how its wrists are "
        "bent, with limits and without, one chain to three; writes avatar.csv and avatar.html. "
        "Or the same on a person, hk.human(); writes person.csv and person.html",
    )
    parser.add_argument(
        "--start",
        choices=["random", "straight"],
        help="of --experiment paper: where its solves start (default random)",
    )
    add_chain(parser)
    parser.add_argument(
        "--path",
        metavar="PATH",
        help="eight (default), circle, or FILE.csv: x,y,z",
    )
    parser.add_argument(
        "--frames", type=frames, metavar="N", help="points of eight or circle (default 100)"
    )
    parser.add_argument(
        "--solvers",
        metavar="A,B",
        help="default fabrik,fabrik_fast,ccd (with avatar and person auto too), or all; see "
        "handik info",
    )
    add_import(parser, "solvers")
    parser.add_argument("--runs", type=count, default=100, metavar="N", help="default 100")
    parser.add_argument(
        "--tolerance", type=positive, metavar="M", help="meters; default 1e-3 of the reach"
    )
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="of the random poses")
    parser.add_argument("--out", default=".", metavar="DIR", help="where files go; default here")
    add_json(parser)
    parser.set_defaults(run=run)


def _path(name: str, frames: int | None) -> Curve:
    from handik.study import circle, figure_of_eight, read_path

    shapes = {"eight": figure_of_eight, "circle": circle}
    if name in shapes:
        return shapes[name](frames or 100)
    if frames is not None:
        raise ArgumentError("--frames is for --path eight or circle; a file has its own points")
    if not os.path.exists(name) and not os.path.splitext(name)[1]:
        raise ArgumentError(f"--path is eight, circle or a CSV file; there is no file {name!r}")
    return read_path(name)


def run(given: argparse.Namespace) -> int:
    """Run the study of a path, the table of solvers by models, or the FABRIK paper's."""
    import_modules(given.modules)
    solvers = names(given.solvers or SOLVERS)
    if given.start is not None and given.experiment != "paper":
        raise ArgumentError("--start is for --experiment paper")
    if given.figure is not None:
        return _survey(given, solvers)
    if given.experiment in ("avatar", "person"):
        return _avatar(given, solvers)
    if given.experiment is not None:
        return _paper(given, solvers)
    return _study(given, solvers)


#: Compared where nothing is said.
SOLVERS = "fabrik,fabrik_fast,ccd"
#: The robot of the default study, and how many times fewer runs than the chain it makes.
_ROBOT, _FEWER = "ur5", 5


def _study(given: argparse.Namespace, solvers: list[str] | None) -> int:
    """Run the study of a path; without a model also on a robot, and the FABRIK paper's."""
    from handik.solve._progress import Bar
    from handik.study import compare, paper_experiment
    from handik.study._report import report_text

    path = _path(given.path or "eight", given.frames)
    model = _model_of(given)
    alone = given.model is not None or given.chain is not None
    out = Path(given.out)
    out.mkdir(parents=True, exist_ok=True)
    chosen = "all" if solvers is None else solvers
    papers = []
    with Bar() as bar:
        shared = {"tolerance": given.tolerance, "seed": given.seed}
        shared["progress"] = _of(bar, model.name)
        studies = [compare(model, path, solvers=chosen, runs=given.runs, **shared)]
        if not alone:
            runs = max(2, given.runs // _FEWER)
            robot = handik.data(_ROBOT)
            labels = list(studies[0].labels)
            able = _able(labels, robot) if not path.placed else []
            if able:
                shared["progress"] = _of(bar, robot.name)
                studies.append(compare(robot, path, solvers=able, runs=runs, **shared))
            able = _able(labels, handik.data("ball10"))
            papers = [
                paper_experiment(
                    max(10, 10 * given.runs),
                    given.seed,
                    solvers=able,
                    start=start,
                    progress=_of(bar, f"ball10, {start} start"),
                )
                for start in ("straight", "random")
                if able
            ]
    written = _write_study(studies, papers, out)  # before what `| head` may cut off
    if given.json:
        from handik.study._csvs import KINDS

        print_json(
            {
                what: [typed(line) for study in studies for line in KINDS[what](study)]
                for what in ("table", "stops", "smoothness")
            }
            | {"conditions": dict(studies[0].machine), "written": written}
        )
    else:
        print(report_text(studies, papers))
    tell_written(written, given.json)
    return DONE


def _of(bar: Bar, part: str) -> Progress:
    """Return a progress that names the part, for each part counts from the beginning."""
    return lambda what, done, total: bar(f"{part}: {what}", done, total)


def _able(labels: list[str], model: Model) -> list[str]:
    """Return the solvers that take a position of a model's tip; say why the others do not."""
    from handik.problem import Problem
    from handik.problem.terms import Position
    from handik.study._protocol import named, refusals

    by_label = named(labels)
    refused = refusals(Problem(model, [Position()]), np.zeros((1, 3)), by_label, skip=True)
    for label, why in refused.items():
        tell(f"{label} is left out on {model.name}: {why}")
    return list(by_label)


def _write_study(studies: list[Any], papers: list[Any], out: Path) -> list[str]:
    """Write tables, raw runs, pictures and the page of studies into a folder."""
    from handik.study._csvs import KINDS, write_csv, write_paper_csv
    from handik.study._report import pictures, write_html

    written = []
    for what in KINDS:
        written.append(out / ("compare.csv" if what == "table" else f"compare_{what}.csv"))
        write_csv(studies, written[-1], what)
    if papers:
        written.append(out / "compare_paper.csv")
        write_paper_csv(papers, written[-1])
    shown = pictures(studies, papers)
    written.append(out / "compare.html")
    write_html(studies, written[-1], papers, shown)
    if shown:
        written.append(out / "compare.png")
        written[-1].write_bytes(shown[0][0])
    else:
        tell("no pictures without matplotlib: pip install 'handik[plot]'")
    return list(map(str, written))


def _survey(given: argparse.Namespace, solvers: list[str] | None) -> int:
    """Run the table of solvers by figures."""
    from handik.solve._progress import Bar
    from handik.study import survey

    out = _folder_without_path(given, "--figure")
    with Bar() as bar:
        found = survey(
            names(given.figure),
            solvers=solvers,
            problems=given.runs,
            seed=given.seed,
            progress=bar,
        )
    written = [out / "survey.csv", out / "survey.html"]
    found.to_csv(written[0])
    found.to_html(written[1])
    try:
        from matplotlib.figure import Figure
    except ImportError:
        tell("no pictures without matplotlib: pip install 'handik[plot]'")
    else:
        written.append(out / "survey.png")
        found.plot(Figure()).savefig(written[-1], dpi=120)
    if given.json:
        print_json(
            {"rows": [typed(line) for line in found.lines()], "conditions": dict(found.machine)}
        )
    else:
        print(found)
    tell_written(written, given.json)
    return DONE


def _paper(given: argparse.Namespace, solvers: list[str] | None) -> int:
    """Run the experiment of the FABRIK paper."""
    from handik.solve._progress import Bar
    from handik.study import paper_experiment
    from handik.study._csvs import paper_lines
    from handik.study._report import write_paper_html

    out = _folder_without_path(given, "--experiment")
    with Bar() as bar:
        paper = paper_experiment(
            given.runs,
            given.seed,
            solvers="all" if solvers is None else solvers,
            start=given.start or "random",
            progress=bar,
        )
    written = [out / "paper.csv", out / "paper.html"]
    paper.to_csv(written[0])
    write_paper_html([paper], written[1])
    if given.json:
        print_json(
            {
                "rows": [typed(line) for line in paper_lines([paper])],
                "conditions": dict(paper.machine),
            }
        )
    else:
        print(paper)
    tell_written(written, given.json)
    return DONE


def _avatar(given: argparse.Namespace, solvers: list[str] | None) -> int:
    """Run the thesis's experiment on an avatar or a person."""
    from handik.solve._progress import Bar
    from handik.study import avatar_experiment
    from handik.study._avatar_report import avatar_lines

    out = _folder_without_path(given, "--experiment")
    if given.solvers is None:
        solvers = names(f"{SOLVERS},auto")
    with Bar() as bar:
        study = avatar_experiment(
            given.runs,
            given.seed,
            model=handik.human() if given.experiment == "person" else None,
            solvers="all" if solvers is None else solvers,
            postured=["auto"] if solvers is None or "auto" in solvers else [],
            progress=bar,
        )
    written = [out / f"{given.experiment}.{suffix}" for suffix in ("csv", "html")]
    study.to_csv(written[0])
    study.to_html(written[1])
    if given.json:
        print_json({"rows": list(avatar_lines(study)), "conditions": dict(study.machine)})
    else:
        print(study)
    tell_written(written, given.json)
    return DONE


def _folder_without_path(given: argparse.Namespace, what: str) -> Path:
    """Return where files go; options of a path do not go with `what`."""
    for name in ("base", "tip", "scale", "path", "frames", "tolerance"):
        if getattr(given, name) is not None:
            raise ArgumentError(f"--{name} does not go with {what}")
    out = Path(given.out)
    out.mkdir(parents=True, exist_ok=True)
    return out


def _model_of(given: argparse.Namespace) -> Model:
    if given.model is not None:
        return one_tip(load(given.model, given.base, given.tip, given.scale))
    if any(option is not None for option in (given.base, given.tip, given.scale)):
        raise ArgumentError("--base, --tip and --scale are for --model FILE")
    if given.chain is not None:
        n = given.chain
        return handik.chain(np.full(n, 1.0 / n), name=f"chain of {n} links")
    return handik.data("planar9")
