"""RULA and REBA: cell by cell against worksheets laid out in another way, edges, and monotony."""

from importlib.resources import files
from itertools import product
from math import inf, nan, radians

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import handik as hk
from handik.people import reba, rula

#: REBA's tables as a public worksheet prints them (read there, not copied from handik's file).
#: Rows: trunk 1 to 5; columns: neck 1 legs 1 to 4, neck 2 legs 1 to 4, neck 3 legs 1 to 4.
REBA_A = """
1 2 3 4  1 2 3 4  3 3 5 6
2 3 4 5  3 4 5 6  4 5 6 7
2 4 5 6  4 5 6 7  5 6 7 8
3 5 6 7  5 6 7 8  6 7 8 9
4 6 7 8  6 7 8 9  7 8 9 9
"""
#: Rows: upper arm 1 to 6; columns: lower arm 1 wrist 1 to 3, lower arm 2 wrist 1 to 3.
REBA_B = """
1 2 2  1 2 3
1 2 3  2 3 4
3 4 5  4 5 5
4 5 5  5 6 7
6 7 8  7 8 8
7 8 8  8 9 9
"""
#: What makes a sub-score, by its value: the angle in degrees, then the flags that add to it.
UPPER = {1: (0, 0), 2: (30, 0), 3: (60, 0), 4: (120, 0), 5: (120, 1), 6: (120, 2)}
LOWER = {1: 80, 2: 20}
REBA_NECK = {1: (10, 0), 2: (30, 0), 3: (30, 1)}
REBA_TRUNK = {1: (0, 0), 2: (10, 0), 3: (40, 0), 4: (70, 0), 5: (70, 1)}
REBA_LEGS = {1: (0, 0), 2: (0, 1), 3: (45, 1), 4: (80, 1)}
REBA_WRIST = {1: (5, 0), 2: (20, 0), 3: (20, 1)}
RULA_NECK = {1: (5, 0), 2: (15, 0), 3: (30, 0), 4: (-5, 0), 5: (-5, 1), 6: (-5, 2)}
RULA_TRUNK = {1: (0, 0), 2: (10, 0), 3: (40, 0), 4: (80, 0), 5: (80, 1), 6: (80, 2)}
RULA_WRIST = {1: (0, 0), 2: (10, 0), 3: (20, 0), 4: (20, 1)}


def grid(text: str) -> list[list[int]]:
    return [[int(cell) for cell in line.split()] for line in text.strip().splitlines()]


def upper(value: int) -> dict[str, object]:
    angle, added = UPPER[value]
    return {"upper_arm": radians(angle), "shoulder_raised": added > 0}


def test_reba_table_a_and_the_legs():
    for neck, trunk, legs in product(REBA_NECK, REBA_TRUNK, REBA_LEGS):
        (n, twisted), (t, bent), (knee, unstable) = (
            REBA_NECK[neck],
            REBA_TRUNK[trunk],
            REBA_LEGS[legs],
        )
        found = reba(
            neck=radians(n),
            neck_twisted_or_bent=twisted,
            trunk=radians(t),
            trunk_twisted_or_bent=bent,
            knee=radians(knee),
            legs_unstable=unstable,
            upper_arm=0,
            elbow=radians(80),
        )
        assert (found.parts["neck"], found.parts["trunk"], found.parts["legs"]) == (
            neck,
            trunk,
            legs,
        )
        assert found.parts["posture_a"] == grid(REBA_A)[trunk - 1][4 * (neck - 1) + legs - 1]


def test_reba_table_b():
    for arm, lower, wrist in product(UPPER, LOWER, REBA_WRIST):
        w, deviated = REBA_WRIST[wrist]
        found = reba(
            **upper(arm),
            arm_abducted_or_rotated=UPPER[arm][1] > 1,
            elbow=radians(LOWER[lower]),
            wrist=radians(w),
            wrist_deviated_or_twisted=deviated,
        )
        assert found.parts["upper_arm"] == arm
        assert found.parts["posture_b"] == grid(REBA_B)[arm - 1][3 * (lower - 1) + wrist - 1]


def test_every_cell_of_rula_can_be_reached():
    seen = set()
    for arm, lower, wrist, twist in product(UPPER, (1, 2, 3), RULA_WRIST, (0, 1)):
        w, deviated = RULA_WRIST[wrist]
        found = rula(
            **upper(arm),
            arm_abducted=UPPER[arm][1] > 1,
            elbow=radians(LOWER[min(lower, 2)]),
            arm_across_or_out=lower == 3,
            wrist=radians(w),
            wrist_deviated=deviated,
            wrist_twisted=twist,
        )
        seen.add(tuple(found.parts[k] for k in ("upper_arm", "lower_arm", "wrist", "wrist_twist")))
        assert 1 <= found.parts["posture_a"] <= 9
    assert len(seen) == 6 * 3 * 4 * 2
    for neck in RULA_NECK:
        n, added = RULA_NECK[neck]
        found = rula(
            upper_arm=0,
            elbow=radians(80),
            neck=radians(n),
            neck_twisted=added > 0,
            neck_bent=added > 1,
        )
        assert found.parts["neck"] == neck


def test_corners_of_rula_table_a():
    """The ends of the scale and the two cells that McAtamney and Corlett's text speaks of."""
    low = rula(upper_arm=0, elbow=radians(80))
    assert (low.parts["posture_a"], low.parts["posture_b"], low.score, low.level) == (1, 1, 1, 1)
    high = rula(
        upper_arm=radians(120),
        shoulder_raised=True,
        arm_abducted=True,
        elbow=radians(20),
        arm_across_or_out=True,
        wrist=radians(-30),
        wrist_deviated=True,
        wrist_twisted=True,
        neck=radians(-5),
        neck_twisted=True,
        neck_bent=True,
        trunk=radians(70),
        trunk_twisted=True,
        trunk_bent=True,
        legs_supported=False,
        static_or_repeated=True,
        load=20,
        load_shock=True,
    )
    assert (high.parts["posture_a"], high.parts["posture_b"]) == (9, 9)
    assert (high.parts["wrist_and_arm"], high.score, high.level) == (13, 7, 4)
    assert high.meaning == "investigate and change at once"


#: Ends of bands: method, argument, degrees, part, its score at the end and just beyond.
EDGES = [
    *(
        (rula, "upper_arm", edge, "upper_arm", a, b)
        for edge, a, b in ((20, 1, 2), (45, 2, 3), (90, 3, 4))
    ),
    (rula, "elbow", 100, "lower_arm", 1, 2),
    *((rula, "wrist", edge, "wrist", a, b) for edge, a, b in ((0, 1, 2), (15, 2, 3))),
    *((rula, "neck", edge, "neck", a, b) for edge, a, b in ((10, 1, 2), (20, 2, 3))),
    *((rula, "trunk", edge, "trunk", a, b) for edge, a, b in ((0, 1, 2), (20, 2, 3), (60, 3, 4))),
    (reba, "neck", 20, "neck", 1, 2),
    *((reba, "trunk", edge, "trunk", a, b) for edge, a, b in ((0, 1, 2), (20, 2, 3), (60, 3, 4))),
    *(
        (reba, "upper_arm", edge, "upper_arm", a, b)
        for edge, a, b in ((20, 1, 2), (45, 2, 3), (90, 3, 4))
    ),
    (reba, "elbow", 100, "lower_arm", 1, 2),
    (reba, "wrist", 15, "wrist", 1, 2),
    *((reba, "knee", edge, "legs", a, b) for edge, a, b in ((30, 1, 2), (60, 2, 3))),
]
#: The same below.
LOWER_EDGES = [
    (rula, "upper_arm", -20, "upper_arm", 1, 2),
    (rula, "elbow", 60, "lower_arm", 1, 2),
    (rula, "neck", 0, "neck", 1, 4),
    (rula, "wrist", -15, "wrist", 2, 3),
    (reba, "neck", 0, "neck", 1, 2),
    (reba, "trunk", 0, "trunk", 1, 2),
    (reba, "trunk", -20, "trunk", 2, 3),
    (reba, "upper_arm", -20, "upper_arm", 1, 2),
    (reba, "elbow", 60, "lower_arm", 1, 2),
    (reba, "wrist", -15, "wrist", 1, 2),
]


@pytest.mark.parametrize(
    ("sign", "row"), [*((1, r) for r in EDGES), *((-1, r) for r in LOWER_EDGES)]
)
def test_an_angle_on_the_edge_has_the_milder_score(sign, row):
    method, name, degrees, part, at, beyond = row
    rest = {"upper_arm": 0.0, "elbow": radians(80)}
    for off, wanted in ((0, at), (sign * 1e-6, beyond)):
        found = method(**{**rest, name: radians(degrees + off)})
        assert found.parts[part] == wanted


def test_what_takes_off_and_what_does_not_count():
    rest = {"upper_arm": 0.0, "elbow": radians(80)}
    assert rula(**rest, arm_supported=True).parts["upper_arm"] == 1  # never below one
    assert rula(**{**rest, "upper_arm": 1.0}, arm_supported=True).parts["upper_arm"] == 2
    assert reba(**{**rest, "upper_arm": 1.0}, arm_supported=True).parts["upper_arm"] == 2
    assert reba(**rest, arm_supported=True).parts["upper_arm"] == 1
    assert reba(**rest, knee=1.5, sitting=True).parts["legs"] == 1
    assert rula(**rest, trunk=0.3, trunk_supported=True).parts["trunk"] == 1
    assert rula(**rest, trunk=0.3, trunk_supported=True, trunk_bent=True).parts["trunk"] == 2


@pytest.mark.parametrize(
    ("kilograms", "static", "shock", "wanted"),
    [
        (1.9, False, False, 0),
        (1.9, True, False, 0),
        (2, False, False, 1),
        (10, False, False, 1),
        (10, True, False, 2),
        (10.1, False, False, 2),
        (10.1, True, False, 3),
        (0.5, False, True, 3),
    ],
)
def test_rula_load(kilograms, static, shock, wanted):
    found = rula(upper_arm=0, elbow=1.4, load=kilograms, load_static=static, load_shock=shock)
    assert found.parts["load"] == wanted


@pytest.mark.parametrize(("kilograms", "wanted"), [(4.9, 0), (5, 1), (10, 1), (10.1, 2)])
def test_reba_load_and_grip(kilograms, wanted):
    plain = reba(upper_arm=0, elbow=1.4, load=kilograms)
    assert plain.parts["load"] == wanted
    assert reba(upper_arm=0, elbow=1.4, load=kilograms, load_shock=True).parts["load"] == wanted + 1
    grips = ["good", "fair", "poor", "unacceptable"]
    found = [reba(upper_arm=0, elbow=1.4, coupling=grip).parts["coupling"] for grip in grips]
    assert found == [0, 1, 2, 3]


ANGLES = st.floats(-2.5, 2.5)
RULA_FLAGS = [
    *("shoulder_raised", "arm_abducted", "arm_across_or_out", "wrist_deviated", "wrist_twisted"),
    *("neck_twisted", "neck_bent", "trunk_twisted", "trunk_bent", "static_or_repeated"),
]
REBA_FLAGS = [
    *("neck_twisted_or_bent", "trunk_twisted_or_bent", "legs_unstable", "load_shock"),
    *("arm_abducted_or_rotated", "shoulder_raised", "wrist_deviated_or_twisted"),
    *("static", "repeated", "rapid_or_unstable"),
]
POSTURE = st.fixed_dictionaries(
    {name: ANGLES for name in ("upper_arm", "elbow", "wrist", "neck", "trunk")}
    | {"load": st.floats(0, 30)}
)


@given(POSTURE, st.sampled_from(RULA_FLAGS), st.sets(st.sampled_from(RULA_FLAGS)))
def test_a_flag_never_makes_rula_better(posture, flag, others):
    base = dict.fromkeys(others - {flag}, True)
    assert rula(**posture, **base, **{flag: True}).score >= rula(**posture, **base).score


@given(POSTURE, st.sampled_from(REBA_FLAGS), st.sets(st.sampled_from(REBA_FLAGS)))
def test_a_flag_never_makes_reba_better(posture, flag, others):
    base = dict.fromkeys(others - {flag}, True)
    assert reba(**posture, **base, **{flag: True}).score >= reba(**posture, **base).score


@given(POSTURE, st.sampled_from(["upper_arm", "wrist", "neck", "trunk"]), st.floats(0, 1))
def test_nearer_to_neutral_is_never_worse(posture, name, share):
    nearer = {**posture, name: share * posture[name]}
    assert rula(**nearer).score <= rula(**posture).score
    assert reba(**nearer).score <= reba(**posture).score


@given(POSTURE, st.floats(0, 30))
def test_a_heavier_load_is_never_better(posture, other):
    light, heavy = sorted((posture["load"], other))
    for method in (rula, reba):
        scores = [method(**{**posture, "load": load}).score for load in (light, heavy)]
        assert scores[0] <= scores[1]


def test_many_postures_at_once_are_each_alone():
    rng = np.random.default_rng(1)
    names = ("upper_arm", "elbow", "wrist", "neck", "trunk")
    rows = {name: rng.uniform(-2, 2, 50) for name in names}
    flags = rng.random(50) < 0.5
    for method, flag in ((rula, "neck_bent"), (reba, "static")):
        many = method(**rows, **{flag: flags})
        assert many.score.shape == (50,)
        assert all(part.shape == (50,) for part in many.parts.values())
        for i in range(50):
            one = method(**{name: row[i] for name, row in rows.items()}, **{flag: flags[i]})
            assert (one.score, one.level) == (many.score[i], many.level[i])
            assert one.meaning == many.meaning[i]


def test_levels_of_every_score():
    """RULA: 1-2, 3-4, 5-6, 7. REBA: 1, 2-3, 4-7, 8-10, 11-15."""
    from handik.people.posture_scores import _result

    found = [_result("RULA", np.array(s), {}, 1).level for s in range(1, 8)]
    assert found == [1, 1, 2, 2, 3, 3, 4]
    found = [_result("REBA", np.array(s), {}, 0).level for s in range(1, 16)]
    assert found == [0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4]


@pytest.mark.parametrize("method", [rula, reba])
@pytest.mark.parametrize("bad", [{"upper_arm": nan}, {"neck": inf}, {"load": -1}, {"load": nan}])
def test_bad_numbers_are_refused(method, bad):
    with pytest.raises(hk.ArgumentError, match=next(iter(bad))):
        method(**{"upper_arm": 0.0, "elbow": 1.0, **bad})
    with pytest.raises(hk.ArgumentError, match="coupling must be 'good' or"):
        reba(upper_arm=0, elbow=1, coupling="firm")


def test_it_reads_as_a_sentence():
    text = str(rula(upper_arm=1.0, elbow=1.4))
    assert text.startswith("RULA 3: investigate further")
    assert "upper arm 3" in text


BAD = [
    ({"elbow": 80}, "elbow is in radians, 80 is more than a full turn: is it in degrees"),
    ({"upper_arm": [0.1, -6.3]}, "upper_arm is in radians"),
    ({"neck": "0.3"}, "neck must be"),
    ({"trunk": True}, "trunk is an angle"),
    ({"wrist": np.ma.masked_greater([0.1, 0.2], 0.15)}, "wrist has numbers under a mask"),
    ({"arm_supported": "no"}, "arm_supported must be True or False"),
    ({"arm_supported": 2}, "arm_supported must be True or False"),
    ({"arm_supported": nan}, "arm_supported must be True or False"),
    ({"neck": [0.1, 0.2], "load": [1, 2, 3]}, "cannot be broadcast"),
]


@pytest.mark.parametrize("method", [rula, reba])
@pytest.mark.parametrize(("bad", "says"), BAD)
def test_what_was_hardly_meant_is_refused(method, bad, says):
    with pytest.raises(hk.ArgumentError, match=says):
        method(**{"upper_arm": 0.0, "elbow": 1.0, **bad})


@pytest.mark.parametrize("method", [rula, reba])
def test_a_full_turn_and_flags_of_zeros_and_ones_are_taken(method):
    rest = {"upper_arm": 0.0, "elbow": 1.0}
    assert method(**{**rest, "elbow": 2 * np.pi}).parts["lower_arm"] == 2
    found = method(**rest, shoulder_raised=[0, 1.0])
    assert list(found.parts["upper_arm"]) == [1, 2]
    with pytest.raises(TypeError, match="elbows"):
        method(**rest, elbows=1)


def test_a_table_of_ones_own_as_spreadsheets_write_it(tmp_path):
    """A byte order mark is no part of a name; another encoding and a missing file are told."""
    ours = files("handik.data") / "people" / "luba.csv"
    mine, asked = tmp_path / "mine.csv", {"wrist extension": 0.9}
    mine.write_text(ours.read_text("utf-8"), "utf-8-sig")
    assert hk.people.luba(asked, path=mine).score == hk.people.luba(asked).score
    mine.write_bytes("größe".encode("latin-1"))
    with pytest.raises(hk.ArgumentError, match=r"mine\.csv is not written in UTF-8"):
        hk.people.luba(asked, path=mine)
    with pytest.raises(hk.MissingFileError, match="there is no such file"):
        hk.people.luba(asked, path=tmp_path / "none.csv")
    with pytest.raises(hk.MissingFileError, match="there is no such file"):
        hk.people.impairments.profile("anna", path=tmp_path / "none.toml")
