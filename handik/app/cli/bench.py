"""``handik bench``: which solver is best on a model of yours, by share solved and by time."""

from __future__ import annotations

import argparse
from typing import Any

from handik.app.cli.common import (
    DONE,
    FILE,
    add_chain,
    add_import,
    add_json,
    command,
    count,
    import_modules,
    load,
    names,
    one_tip,
    positive,
    print_json,
    typed,
    whole,
)


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = command(
        commands,
        "bench",
        "time solvers on a model, with the share they solve",
        "Draws poses that the model can reach, lets solvers go there from other random "
        "poses, and prints the share solved, iterations and the processor's time of a problem in "
        "a batch on one thread.",
        "bench ur5",
        "bench robot.urdf --tip tool0 --goal position --solvers auto,ccd,dls",
    )
    parser.add_argument("file", metavar="FILE", help=FILE)
    add_chain(parser)
    parser.add_argument("--goal", choices=["pose", "position"], default="pose", help="default pose")
    parser.add_argument(
        "--solvers", type=names, default=None, metavar="A,B", help="default all that can"
    )
    add_import(parser, "solvers")
    parser.add_argument("--problems", type=count, default=200, metavar="N", help="default 200")
    parser.add_argument("--tolerance", type=positive, metavar="M", help="meters, of positions")
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="of the poses")
    add_json(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Measure."""
    from handik.problem import Problem
    from handik.problem.terms import Pose, Position
    from handik.solve._progress import Bar
    from handik.study import survey

    import_modules(given.modules)
    model = one_tip(load(given.file, given.base, given.tip, given.scale))
    kind = Pose if given.goal == "pose" else Position
    problem = Problem(model, [kind(position_tolerance=given.tolerance)])
    with Bar() as bar:
        found = survey(
            {model.name: problem},
            solvers=given.solvers,
            problems=given.problems,
            seed=given.seed,
            max_iter=None,
            published=False,
            progress=bar,
        )
    if given.json:
        print_json(
            {"rows": [typed(line) for line in found.lines()], "conditions": dict(found.machine)}
        )
        return DONE
    print(found)
    return DONE
