"""Everything public called wrongly: one argument at a time is something that it cannot be.

What comes back is an answer or a sentence: an error of handik's, or a TypeError or ValueError that
names the argument. Never what Python says of a line inside, nor a warning.
"""

from __future__ import annotations

import copy
import inspect
import re
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from access_calls import ACCESS
from path_calls import PATHS
from people_calls import PEOPLE
from plot_calls import PLOTS
from public_calls import CALLS as OF_ALL
from public_calls import Given
from scene_calls import SCENES
from test_docstrings import objects

import handik as hk

CALLS = OF_ALL | PEOPLE | PLOTS | SCENES | PATHS | ACCESS


class Odd:
    """An object of nobody's."""


#: What no argument, or hardly one, can be.
WRONG: dict[str, Any] = {
    "None": None,
    "text": "no such thing",
    "no text": "",
    "bytes": b"ab\0",
    "NaN": float("nan"),
    "infinity": float("inf"),
    "below zero": -1,
    "a long number": 10**400,
    "True": True,
    "object": Odd(),
    "class": int,
    "function": len,
    "no list": [],
    "ragged": [[1, 2], [3]],
    "texts": ["a", "b"],
    "Nones": [None, None, None],
    "pair": (1, 2),
    "no mapping": {},
    "mapping": {"a": 1},
    "NaNs": np.full(3, np.nan),
    "another shape": np.zeros((2, 5)),
    "complex": 1j * np.ones(3),
    "many axes": np.zeros((1,) * 12),
}
#: What is drawn on, called or only kept: others say what is wrong with it.
OTHERS = {"progress", "ax", "axes", "figure", "solver_options"}
FEW = ("None", "text", "NaN", "object", "another shape")


def arguments(given: Given) -> Iterator[tuple[int | str, str]]:
    """Where an argument stands, and its name; those that have a default too."""
    try:
        parts = list(inspect.signature(given.run).parameters.values())
    except ValueError:
        parts = []
    places = [p.name for p in parts if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for k in range(len(given.args)):
        yield k, places[k] if k < len(places) else ""
    named = [p.name for p in parts if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    named = [name for name in named if name not in places[: len(given.args)]]
    for name in dict.fromkeys([*given.named, *([] if given.dear else named)]):
        if name not in OTHERS:
            yield name, name


def said(error: Exception, name: str) -> bool:
    """Whether an error is a sentence about an argument."""
    if isinstance(error, hk.HandikError):
        return len(str(error)) > 10
    if isinstance(error, OSError):
        return name in ("path", "file", "source", "dimensions", "correlation")  # of a survey
    plain = type(error) in (TypeError, ValueError)
    one = re.escape(name.removesuffix("s"))  # one of several is named alone
    return plain and re.search(f"(?i){one}", str(error)) is not None


def fault(given: Given, place: int | str, name: str, value: Any) -> str:
    """What is wrong with what a wrong call says; nothing where it is a sentence or an answer."""
    args, named = list(given.args), dict(given.named)
    value = copy.copy(value) if isinstance(value, (list, dict)) else value  # some are written to
    if isinstance(place, int):
        args[place] = value
    else:
        named[place] = value
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            given.run(*args, **named)
        except Exception as error:
            if name in ("index", "key", "label") and isinstance(
                error, (IndexError, TypeError, ValueError)
            ):
                return ""  # what stands in brackets is Python's and NumPy's to refuse
            return "" if said(error, name) else f"{type(error).__name__}: {str(error)[:120]}"
    return ""


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_gets_a_sentence(name: str, monkeypatch: Any, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)
    given = CALLS[name]
    given.run(*given.args, **given.named)
    values = {key: WRONG[key] for key in FEW} if given.dear else WRONG
    found = [
        f"{argument or place}={key}: {what}"
        for place, argument in arguments(given)
        for key, value in values.items()
        if not (argument == "tau" and callable(value))  # then what it raises is its own
        and (what := fault(given, place, argument, value))
    ]
    assert not found, "\n".join(found)


@cache
def sources() -> str:
    return " ".join(CALLS)


#: Public, and not called here: records that the library makes, and what takes no argument.
RECORDS = re.compile(
    r"""(_core\.|PostureScore|people\._\w+\.(Fact|Row|Change|Direction|Trial|Sensitivity|Profile|Impaired|LubaScore|Prediction|Envelope)(\.report)?$|(InView|WithinStrength)|_surface\.(Clothed)?Surface$|_capsules\.BodyCapsule$|check\.measure\.(Compiled|Nearest|Proof)$|check\.figure\.LeftOut$|Survey$|Conditional$|Dimensions$|Population$|_ranges\.Ranges$|(SegmentParameters|ShoulderRhythm)$|Basins|Conditioning|Section|\.dynamics\.Dynamics|Loaded|Parallel|Result$|Result\.|Solutions$|Origin$|Evaluation|Trace$
    |Track$|Training|Slice|Postures$|FkResult|SelfMotion$|Answers|AssemblyModes?$|Derivation$|DhFit$
    |BvhMotion$|Retargeted$|Edited$|library\.Found$|Simulation|ReachableForce|EquationsOfMotion|Limit$|Limit\.|Outcome|Method$|Fit$|Published
    |SolverStudy|StopRow|LapCount|AvatarRow|Cold|Study$|Study\.|PaperRow|PaperStudy|Smoothness$|Survey|Estimate$|Median|Curve$
    |DragStep$|_window\.Window(\.\w+)?$|_found\.Tree$|TableReach$|OptionRange|SolverInfo|SolverTable|PythonSolver|Part$|Pair|Term$|MimicSpec|MotorSpec|GeometrySpec
    |\.copy$|ordered_joints|\.check$|\.row$|\.bounds$|\.limits$|directions$|latex|\.function$|locus
    |to_(sdf|mjcf|toml|roboop|urdf|csv)$|show_config|names$|upper_body|solvers$|refuse_xacro|standing
    |of_batch|check_|goal_problem|kept_plan|solve_goal|by_frame|\.plot$|Robot\.|Network$|loss$|type_[5678]$
    |type_11|access\._\w+\.(AtDoor|Change|Passing|Reach|ReachMany|Shares?|ShareEstimate|Certificate|Use|Witness|Grasp|Opening|ReachMap|Stop|Sweep)$|doors\.(Place(\.moved)?|hung|without)$|rules\.Finding$|Obstacle$|gallery\.Size$|Attachment$|nodes\.Content(\.\w+)?$|\.frame_pose$|\.solids$|shapes\.Shape(\.\w+)?$|around|ranges_of|raise_for_outcome|data\.|robot$|Solver$|PythonSolver)""",
    re.X,
)


def test_every_public_call_is_called_wrongly() -> None:
    known = set(re.findall(r"\w+", sources()))
    missing = []
    for full, value in objects().items():
        if isinstance(value, property) or (inspect.isclass(value) and issubclass(value, Exception)):
            continue
        if RECORDS.search(full) or full.rpartition(".")[2] in known:
            continue
        missing.append(full)
    assert not missing, missing


def test_a_raw_error_is_seen() -> None:
    assert fault(Given(lambda q: q.shape, (1.0,)), 0, "q", None).startswith("AttributeError")
    assert fault(Given(lambda q: {}[q], (1.0,)), 0, "q", "a").startswith("KeyError")
    assert fault(Given(lambda q: float(q), (1.0,)), 0, "q", []).startswith("TypeError")
    assert fault(Given(lambda q: np.ones(3).astype(complex).astype(float), (1,)), 0, "q", 1)
    assert not fault(Given(lambda q: hk.chain(q), ([1.0],)), 0, "lengths", "a")
