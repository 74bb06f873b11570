"""RULA and REBA against whole sheets and worked examples that were published."""

from itertools import product
from math import radians

import numpy as np
import pytest

from handik.people import reba, rula

#: RULA's table A as public programs list it, one line an upper arm: for each lower arm the eight
#: cells of wrist 1 twist 1, wrist 1 twist 2, wrist 2 twist 1 and so on.
RULA_A = """
12222333 22223333 23333344
23333444 33333444 34444455
33444455 34444455 44444555
44444555 44444555 44455566
55555667 56666777 66677778
77777889 88888999 99999999
"""
#: RULA's table B, one line a neck; columns trunk 1 legs 1, trunk 1 legs 2 and so on.
RULA_B = """
132334556677
232345556777
333445566777
555667777788
777778888888
888888899999
"""
#: RULA's table C, one line for the arm and wrist of 1 to 8 and more.
RULA_C = "1233455 2234455 3334456 3334566 4445677 4456677 5566777 5567777"
#: REBA's table C, one line a score A, as a worksheet of the Spanish institute for safety prints it.
REBA_C = """
1 1 1 2 3 3 4 5 6 7 7 7
1 2 2 3 4 4 5 6 6 7 7 8
2 3 3 3 4 5 6 7 7 8 8 8
3 4 4 4 5 6 7 8 8 9 9 9
4 4 4 5 6 7 8 8 9 9 9 9
6 6 6 7 8 8 9 9 10 10 10 10
7 7 7 8 9 9 9 10 10 11 11 11
8 8 8 9 10 10 10 10 10 11 11 11
9 9 9 10 10 10 11 11 11 12 12 12
10 10 10 11 11 11 11 12 12 12 12 12
11 11 11 11 12 12 12 12 12 12 12 12
12 12 12 12 12 12 12 12 12 12 12 12
"""
#: An arm of each score, degrees and how many flags add to it; necks and trunks likewise.
ARMS = ((0, 0), (30, 0), (60, 0), (120, 0), (120, 1), (120, 2))
NECKS = ((5, 0), (15, 0), (30, 0), (-5, 0), (-5, 1), (-5, 2))
TRUNKS = ((0, 0), (10, 0), (40, 0), (80, 0), (80, 1), (80, 2))


def test_every_cell_of_rulas_table_a():
    rows = [[int(c) for c in row] for row in RULA_A.split()]
    for (a, (angle, flags)), lower, wrist, twist in product(
        enumerate(ARMS), range(3), range(4), (0, 1)
    ):
        found = rula(
            upper_arm=radians(angle),
            shoulder_raised=flags > 0,
            arm_abducted=flags > 1,
            elbow=radians(80 if lower == 0 else 30),
            arm_across_or_out=lower == 2,
            wrist=radians((0, 10, 30, 30)[wrist]),
            wrist_deviated=wrist == 3,
            wrist_twisted=twist,
        )
        assert found.parts["posture_a"] == rows[3 * a + lower][2 * wrist + twist]


def test_every_cell_of_rulas_table_b():
    rows = [[int(c) for c in row] for row in RULA_B.split()]
    for (n, neck), (t, trunk), legs in product(enumerate(NECKS), enumerate(TRUNKS), (0, 1)):
        found = rula(
            upper_arm=0.0,
            elbow=radians(80),
            neck=radians(neck[0]),
            neck_twisted=neck[1] > 0,
            neck_bent=neck[1] > 1,
            trunk=radians(trunk[0]),
            trunk_twisted=trunk[1] > 0,
            trunk_bent=trunk[1] > 1,
            legs_supported=not legs,
        )
        assert found.parts["posture_b"] == rows[n][2 * t + legs]


def test_every_cell_of_rulas_table_c():
    """Every pair of the two halves, each from all of its postures, loads and uses."""
    table = np.array([[int(c) for c in row] for row in RULA_C.split()])
    arm, wrist, neck, trunk, load, used = np.meshgrid(
        np.radians([0, 30, 60, 120]),
        np.radians([0, 10, 30]),
        np.radians([5, 15, 30, -5]),
        np.radians([0, 10, 40, 80]),
        [0.0, 5.0, 20.0],
        [False, True],
        indexing="ij",
    )
    seen = set()
    for out, bent, elbow in product((False, True), (False, True), (80, 20)):
        found = rula(
            upper_arm=arm,
            elbow=radians(elbow),
            wrist=wrist,
            arm_abducted=out,
            shoulder_raised=out,
            neck=neck,
            neck_twisted=bent,
            trunk=trunk,
            trunk_bent=bent,
            legs_supported=not bent,
            load=load,
            load_static=bent,
            static_or_repeated=used,
        )
        first, second = found.parts["wrist_and_arm"], found.parts["neck_trunk_and_legs"]
        row, column = np.minimum(first, 8) - 1, np.minimum(second, 7) - 1
        assert (found.score == table[row, column]).all()
        seen |= set(zip(row.flat, column.flat, strict=True))
    assert len(seen) == 8 * 7


def test_every_cell_of_rebas_table_c():
    table = np.array([[int(c) for c in row.split()] for row in REBA_C.strip().splitlines()])
    neck, trunk, knee, arm, wrist, load = np.meshgrid(
        np.radians([10, 30]),
        np.radians([0, 10, 40, 80]),
        np.radians([0, 45, 80]),
        np.radians([0, 30, 60, 120]),
        np.radians([0, 30]),
        [0.0, 7.0, 20.0],
        indexing="ij",
    )
    seen = set()
    grips = ("good", "fair", "poor", "unacceptable")
    for bent, out, grip in product((False, True), (False, True), grips):
        found = reba(
            neck=neck,
            neck_twisted_or_bent=bent,
            trunk=trunk,
            trunk_twisted_or_bent=bent,
            knee=knee,
            legs_unstable=bent,
            upper_arm=arm,
            arm_abducted_or_rotated=out,
            shoulder_raised=out,
            elbow=radians(20 if out else 80),
            wrist=wrist,
            wrist_deviated_or_twisted=out,
            load=load,
            load_shock=bent,
            coupling=grip,
        )
        row = np.minimum(found.parts["score_a"], 12) - 1
        column = np.minimum(found.parts["score_b"], 12) - 1
        assert (found.parts["score_c"] == table[row, column]).all()
        seen |= set(zip(row.flat, column.flat, strict=True))
    assert len(seen) == 12 * 12


def test_a_worked_example_of_rula():
    """A carton is taken: a solved exercise of a course in Spanish (studylib.es, document 9445509).

    Shoulder between 20 and 45 degrees, elbow under 60, wrist neutral, neck and trunk neutral, legs
    straight; a carton of 250 g every 10 seconds. The exercise: 3 and 1, C 4, D 2, in all 3, level 2.
    """
    found = rula(
        upper_arm=radians(40),
        elbow=radians(40),
        neck=radians(5),
        load=0.25,
        static_or_repeated=True,
    )
    arm = [found.parts[k] for k in ("upper_arm", "lower_arm", "wrist", "wrist_twist")]
    assert arm == [2, 2, 1, 1]
    assert [found.parts[k] for k in ("neck", "trunk", "legs")] == [1, 1, 1]
    assert (found.parts["posture_a"], found.parts["posture_b"]) == (3, 1)
    assert (found.parts["muscle_use"], found.parts["load"]) == (1, 0)
    assert (found.parts["wrist_and_arm"], found.parts["neck_trunk_and_legs"]) == (4, 2)
    assert (found.score, found.level) == (3, 2)


def test_a_worked_example_of_reba():
    """A worker handles a load: the first of "Método REBA, ejemplos prácticos" (scribd 587736423).

    Neck 0 to 20 degrees: 1; both legs, bent 30 to 60: 2; trunk at 20: 2; more than 10 kg: 2. Forearm
    60 to 100: 1; wrist about 0: 1; arm at 20 and abducted: 2. In all 4, a medium risk.
    """
    found = reba(
        neck=radians(10),
        trunk=radians(20),
        knee=radians(45),
        load=12,
        upper_arm=radians(20),
        arm_abducted_or_rotated=True,
        elbow=radians(80),
    )
    assert [found.parts[k] for k in ("neck", "legs", "trunk", "load")] == [1, 2, 2, 2]
    assert [found.parts[k] for k in ("lower_arm", "wrist", "upper_arm")] == [1, 1, 2]
    assert (found.parts["posture_a"], found.parts["score_a"], found.parts["score_b"]) == (3, 5, 1)
    assert found.score == 4
    assert found.meaning.startswith("medium risk")


@pytest.mark.parametrize(("wrist", "b"), [(3, 3), (2, 2)])
def test_the_example_of_another_program(wrist, b):
    """Both sides of the sample posture in the README of the package ergonomics-metrics."""
    found = reba(
        neck=radians(30),
        trunk=radians(10),
        legs_unstable=True,
        upper_arm=0.0,
        elbow=radians(20),
        wrist=radians(30),
        wrist_deviated_or_twisted=wrist == 3,
    )
    names = ("neck", "trunk", "legs", "upper_arm", "lower_arm", "wrist")
    assert [found.parts[k] for k in names] == [2, 2, 2, 1, 2, wrist]
    assert (found.parts["score_a"], found.parts["score_b"], found.score) == (4, b, 4)
