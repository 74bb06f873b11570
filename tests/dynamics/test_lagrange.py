"""Equations of motion in symbols agree with the C and print what a textbook prints."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from dynamics_figures import TEXTBOOK, chain, random_motion, random_tree

from handik import ArgumentError, Model, UnsupportedError
from handik.files.read import LinkSpec, ModelSpec
from handik.model.dynamics.lagrange import equations_of_motion
from handik.spec import MimicSpec, MotorSpec

sympy = pytest.importorskip("sympy", reason="needs the package sympy")


def assert_same(model: Model, n: int = 5, **options) -> None:
    evaluate = equations_of_motion(model, **options).function()
    rng = np.random.default_rng(3)
    for q, v, a in zip(*random_motion(model, rng, n), strict=True):
        tau = model.inverse_dynamics(q, v, a, actuators=options.get("actuators", True))
        np.testing.assert_allclose(evaluate(q, v, a), tau, atol=1e-12 * max(1, np.abs(tau).max()))


@pytest.mark.parametrize("symbols", [True, False], ids=["symbols", "numbers"])
@pytest.mark.parametrize("name", TEXTBOOK)
def test_agrees_with_the_core(name: str, symbols: bool) -> None:
    assert_same(chain(TEXTBOOK[name]), symbols=symbols)


def test_drives_and_mimic() -> None:
    spec = chain(TEXTBOOK["2R"]).spec
    for joint in spec.joints:
        joint.motor = MotorSpec(1e-3, -20.0, 1e-2, 0.05)
        joint.damping = 0.3
    assert_same(Model(spec))
    assert_same(Model(spec), actuators=False)
    spec = chain(TEXTBOOK["3R"]).spec
    spec.joints[2].mimic = MimicSpec("j1", -0.5, 0.3)
    spec.joints[2].damping = 0.2
    model = Model(spec)
    assert model.nv == 2
    assert_same(model)
    assert_same(model, simplify=False)


def test_the_text_of_a_pendulum() -> None:
    """The equation everyone knows."""
    equations = equations_of_motion(chain(TEXTBOOK["2R"][:1]))
    a1, q1 = equations.a[0], equations.q[0]
    g, m1, cx1, izz1 = sympy.symbols("g m1 cx1 izz1", real=True)
    assert sympy.simplify(equations.tau[0] - (a1 * izz1 + cx1 * g * m1 * sympy.cos(q1))) == 0
    lines = str(equations).splitlines()
    assert [line.split(" = ")[0] for line in lines[:3]] == ["T", "U", "tau1"]
    assert "m1 = 1.3" in lines[-1]
    assert equations.latex().startswith("\\begin{aligned}\n\\tau_{1} &=")
    assert equations.values[m1] == pytest.approx(1.3)


def test_two_links_as_in_textbooks() -> None:
    """The Coriolis terms of two links: -m2 l1 c2 sin(q2) (2 v1 v2 + v2^2)."""
    equations = equations_of_motion(chain(TEXTBOOK["2R"]))
    v1, v2, q2 = *equations.v, equations.q[1]
    cx2, m2, x2 = sympy.symbols("cx2 m2 x2", real=True)
    still = {symbol: 0 for symbol in equations.a} | {sympy.Symbol("g", real=True): 0}
    want = -m2 * x2 * cx2 * sympy.sin(q2) * (2 * v1 * v2 + v2**2)
    assert sympy.expand(equations.tau[0].subs(still) - want) == 0
    assert sympy.expand(equations.tau[1].subs(still) - m2 * x2 * cx2 * sympy.sin(q2) * v1**2) == 0


def test_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(UnsupportedError, match="ball and free"):
        equations_of_motion(random_tree(rng, ["ball"]))
    with pytest.raises(UnsupportedError, match="at most 6"):
        equations_of_motion(random_tree(rng, ["revolute"] * 7))
    with pytest.raises(ArgumentError, match="no coordinates"):
        equations_of_motion(Model(ModelSpec("stone", [LinkSpec("stone")])))


def test_without_sympy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(ImportError, match=r"handik\[symbolic\]"):
        equations_of_motion(chain(TEXTBOOK["2R"]))
