"""One call of every picture, as `public_calls` has them of the rest: what to call, and right arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from public_calls import AIM, ARM, SWUNG, Given, call_of, study

import handik as hk
from handik.study.twins import fabrik_moves


def closing(draw: Callable[..., Any]) -> Callable[..., Any]:
    """The same call; what it drew is closed."""

    @functools.wraps(draw)
    def run(*args: Any, **named: Any) -> Any:
        import matplotlib.pyplot as plt

        try:
            drawn = draw(*args, **named)
            if isinstance(drawn, hk.plot.Window):
                drawn.close()
            if hasattr(drawn, "_draw_was_started"):
                drawn._draw_was_started = True  # a film that nobody watches warns of it
            return drawn
        finally:
            plt.close("all")

    return run


def pictures() -> dict[str, Given]:
    """Every picture; none without matplotlib."""
    try:
        import matplotlib as mpl
    except ImportError:
        return {}
    mpl.use("Agg")
    from handik import plot

    followed = ARM.spec
    followed.couple("joint_2", {"joint_1": 0.5})
    traced = ARM.solve(position=AIM, trace=True)
    experiment = hk.study.paper_experiment(2, 1, solvers=["fabrik"], stops=[1e-2])
    avatar = hk.study.avatar_experiment(2, 1, solvers=["dls"], postured=())
    table = hk.study.survey(["planar9"], solvers=["fabrik"], problems=2)
    reach = {"model": ARM, "position": AIM, "coordinates": (0, 1), "count": 3, "q": ARM.rest}
    room = hk.Scene().add("box", hk.scene.Box([1, 1, 1])).add("goal", hk.scene.Target())
    moved = hk.plan.trajectory(ARM, [ARM.rest, ARM.rest + 0.3], max_acceleration=4.0, max_speed=1.0)
    body = hk.Figure(ARM, [hk.Capsule("link_1", (0, 0, 0), (0.4, 0, 0), 0.03)], pairs=[])
    searched = hk.plan.path(None, body, ARM.rest, ARM.rest + 0.3, trees=True)
    door = hk.access.Door([[0, 0], [0.9, 0]])
    through = hk.access.passes(hk.access.chair(), [[[2, -3], [2, -1]]], (0, 0, 0), (4, 0, 0))
    doorway = hk.access.opens(
        hk.access.chair(), [[[2, -2], [2, 2]]], door, (0, 0), (1, 0), most=300
    )
    given: dict[str, dict[str, Any]] = {
        "allowed": {"term": hk.Axis(), "direction": [0, 0, 1.0]} | {"directions": [[0, 0.6, 0.8]]},
        "animate": {"result": traced, "path": None, "fps": 5, "most": 2, "dpi": 30.0},
        "opening": {"found": doorway, "count": 3},
        "passing": {"found": through, "count": 3},
        "clearance": {"scene": room, "figure": body, "path": moved, "count": 3},
        "basins": reach | {"solver": "newton", "max_iter": 3},
        "chain": {"model": ARM, "q": ARM.rest, "frame": "tip", "color": "#123456", "label": "arm"}
        | {"target": AIM},
        "conditioning": {"model": ARM, "plane": "xy", "what": "condition", "at": 0.0}
        | {"frame": "tip", "count": 3, "starts": 2, "seed": 1},
        "convergence": {"study": study()},
        "coupling": {"model": hk.Model(followed), "joint": "joint_1"},
        "diagram": {"model": ARM, "q": ARM.rest, "view": (0.1, 0.2), "frames": "ends"}
        | {"lengths": True, "zeros": True, "size": 4.0},
        "errors": {"study": study()},
        "fabrik_moves": {"moves": fabrik_moves(ARM, AIM)},
        "fabrik_steps": {"model": ARM, "target": AIM, "q0": ARM.rest, "iterations": 1},
        "iterations": {"study": study()},
        "iterations_by_distance": {"study": study(), "bins": 2},
        "joint_limits": {"model": SWUNG, "joint": "joint_1", "q": SWUNG.rest, "count": 9},
        "largest_moves": {"study": study()},
        "paper": {"study": experiment},
        "scene": {
            "scene": room,
            "bodies": True,
            "figure": ARM,
            "q": ARM.rest,
            "labels": True,
            "view": (10.0, 20.0),
        },
        "stop_rules": {"study": study()},
        "study": {"study": study()},
        "survey": {"survey": table},
        "swept": {"scene": room, "figure": body, "path": moved, "count": 2, "opacity": 0.5}
        | {"view": (10.0, 20.0)},
        "tree": {"found": searched, "scene": room, "frame": "tip", "view": (10.0, 20.0)},
        "trace": {"study": study(), "label": "ccd", "poses": 2},
        "travel": {"study": study()},
        "twist": {"model": SWUNG, "joint": "joint_1"},
        "view": {"scene": room, "figure": body, "trajectory": moved, "port": 0},
        "wrist": {"study": avatar, "limits": True},
    }
    assert set(given) == set(plot.__all__) - {"Window"}  # which `view` makes
    return {
        f"plot.{name}": call_of(closing(getattr(plot, name)), dear=True, **named)
        for name, named in given.items()
    }


PLOTS = pictures()
