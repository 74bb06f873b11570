"""``handik cluster``: which share of people reaches a scene's targets, on many machines."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from handik.app.cli.common import (
    DONE,
    add_json,
    command,
    count,
    names,
    print_json,
    scene_of,
    tell,
    whole,
)
from handik.errors import ArgumentError, UnsupportedError

if TYPE_CHECKING:
    from handik.scene.access import Share, Shares

HOW = """
  # on this machine alone
  handik cluster kitchen --tasks switch --workers 2 --out run
  # on several, each with the same Python and handik
  pip install 'handik[cluster]'                                   # on each
  dask scheduler                                                  # on one: it prints its address
  dask worker tcp://ADDRESS:8786 --nthreads 1 --nworkers auto     # on each
  handik cluster kitchen --tasks switch --scheduler tcp://ADDRESS:8786 --out run
  # from Python
  hk.access.share(people, scene, tasks, client=distributed.Client("tcp://ADDRESS:8786"))
A run that was stopped goes on from what is in its folder: give the same command again. Whoever \
reaches the scheduler's port can run programs on the workers: keep it inside a network of yours."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = command(
        commands,
        "cluster",
        "ask many people on many machines: the share that reaches the targets of a scene",
        "Asks which share of people reaches targets of a scene, by chunks, on the workers of a "
        "cluster of Dask. Needs pip install 'handik[cluster]'." + HOW,
        "cluster kitchen --tasks counter/tap --population 1000 --workers 4 --out run",
    )
    parser.add_argument("scene", metavar="SCENE", help="a scene's file, or one of the gallery")
    parser.add_argument(
        "--tasks", type=names, required=True, metavar="A,B", help="nodes or tags with targets"
    )
    parser.add_argument("--population", type=count, default=100, metavar="N", help="default 100")
    parser.add_argument(
        "--place",
        action="append",
        default=[],
        metavar="X,Y,DEG",
        help="where people may sit or stand: of the pelvis, and which way it faces; may be given "
        "several times (default: the origin, facing x)",
    )
    parser.add_argument("--position", choices=["seated", "standing"], default="seated")
    parser.add_argument(
        "--chairs",
        type=names,
        metavar="A,B",
        help="wheelchairs in which everybody is asked: manual, power, rear, mid, front, scooter",
    )
    parser.add_argument(
        "--profiles", type=names, metavar="A,B", help="impairments with which everybody is asked"
    )
    parser.add_argument("--hand", choices=["right", "left", "either"], default="either")
    parser.add_argument("--tries", type=count, default=32, metavar="N", help="starts (default 32)")
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="of all that is drawn")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="such as tcp://10.0.0.1:8786")
    parser.add_argument(
        "--workers", type=count, metavar="N", help="processes on this machine instead"
    )
    parser.add_argument("--out", metavar="DIR", help="where answers are kept, to go on from there")
    add_json(parser)
    parser.set_defaults(run=run)


def _client(given: argparse.Namespace, stack: ExitStack) -> Any:
    if (given.scheduler is None) == (given.workers is None):
        raise ArgumentError("give --scheduler, or --workers for processes on this machine")
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise UnsupportedError("a cluster needs Dask: pip install 'handik[cluster]'") from None
    connect: Any = Client
    if given.workers is not None:
        start: Any = LocalCluster  # neither has types
        made = start(
            n_workers=given.workers, threads_per_worker=1, dashboard_address=None, silence_logs=50
        )
        return stack.enter_context(connect(stack.enter_context(made)))
    try:
        return stack.enter_context(connect(given.scheduler, timeout=10))
    except (OSError, ValueError) as error:
        raise ArgumentError(f"--scheduler: nobody answers at {given.scheduler}: {error}") from None


def run(given: argparse.Namespace) -> int:
    """Ask, and tell the share with its interval and causes."""
    import handik as hk
    from handik.app.cli.access import _places
    from handik.solve._progress import Bar

    scene, places = scene_of(given.scene), _places(given.place)
    people = hk.population(given.population, seed=given.seed)
    with ExitStack() as stack:
        client, bar = _client(given, stack), stack.enter_context(Bar())
        found = hk.access.share(
            people,
            scene,
            given.tasks,
            chairs=given.chairs,
            profiles=given.profiles,
            places=places,
            position=given.position,
            hand=given.hand,
            tries=given.tries,
            seed=given.seed,
            client=client,
            folder=given.out,
            progress=lambda done, of: bar("people", done, of),
        )
    each = {"": found} if isinstance(found, hk.access.Share) else found
    if given.json:
        about = {"scene": scene.name, "people": len(people)}
        shares = [{**_key(found, key), **_data(one)} for key, one in each.items()]
        many = shares[0] if "" in each else {"shares": shares}
        print_json({**about, **many})
        return DONE
    for key, one in each.items():
        if key:
            print(", ".join([key] if isinstance(key, str) else key))
        print(one)
        for name, task in one.tasks.items():
            low, high = task.interval
            print(f"  {name}: {task.share:.3f} ({low:.3f} to {high:.3f})")
        for cause in one.causes:
            print(f"  {cause}")
    if given.out is not None:
        tell(f"kept in {given.out}")
    return DONE


def _key(found: Share | Shares, key: Any) -> dict[str, str]:
    """Return the names of a share by what they are names of."""
    axes = getattr(found, "axes", {})
    return dict(zip(axes, [key] if len(axes) == 1 else key, strict=True))


def _data(share: Share) -> dict[str, Any]:
    return {
        "share": share.share,
        "interval": list(share.interval),
        "undecided": share.undecided,
        "tasks": {name: one.share for name, one in share.tasks.items()},
        "causes": [str(cause) for cause in share.causes],
    }
