"""Shares by chair, impairment and variant: those of single calls, of the same people, and their differences."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.errors import ArgumentError, NotFoundError
from handik.people._interval import (
    difference_of_shares,
    mean_of_shares,
    share_of_sets,
    wilson,
)
from handik.people.impairments import combine, profile
from handik.scene.access._asking import groups_of, people_of

ARMS = [hk.chain([0.3, 0.2 + 0.01 * k]) for k in range(11)]
TASKS = {"near": [0.45, 0.0, 0.0], "far": [0.5585, 0.0, 0.0]}
MOVED: dict[str, Any] = {
    "as it is": None,
    "nearer": [-0.05, 0, 0],
    "far nearer": {"far": [-0.02, 0, 0]},
}
PEOPLE = hk.population(2, seed=5)
ONE = hk.population(1, seed=5)
SHELF = {"shelf": [0.42, -0.25, 2.0]}


def alike(one: hk.access.Share, two: hk.access.Share) -> None:
    assert one.names == two.names
    assert one.verdict.tobytes() == two.verdict.tobytes()
    assert one.short.tobytes() == two.short.tobytes()
    assert one.interval == two.interval
    assert [str(cause) for cause in one.causes] == [str(cause) for cause in two.causes]


def test_a_share_by_profile_is_that_of_people_drawn_with_it() -> None:
    two = combine(profile("sci_c6"), profile("older_adult"))
    given = {"none": None, "c6": "sci_c6", "both": two}
    found = hk.access.share(ONE, None, SHELF, profiles=given, position="seated")
    assert dict(found.axes) == {"profile": ("none", "c6", "both")}
    for name, one in given.items():
        drawn = hk.population(1, seed=5, profile=one)
        alike(found[name], hk.access.share(drawn, None, SHELF, position="seated"))
    assert (
        found["none"].short.tolist() != found["c6"].short.tolist() != found["both"].short.tolist()
    )


def test_a_share_by_chair_is_that_of_people_drawn_with_it_and_chairs_are_sat_in() -> None:
    found = hk.access.share(ONE, None, SHELF, chairs=["manual", "power", None])
    assert list(found) == ["manual", "power", "no chair"]
    for kind in ("manual", "power"):
        drawn = hk.population(1, seed=5, chair=kind)
        alike(found[kind], hk.access.share(drawn, None, SHELF))
    alike(found["no chair"], hk.access.share(ONE, None, SHELF, position="seated"))
    assert len({one.short.tobytes() for one in found.values()}) == 3


def test_each_chair_is_the_one_asked_for_and_its_seat_as_high_as_drawn() -> None:
    own = hk.access.chair("scooter", percentile=90)
    axes, groups = groups_of(ONE, ["front", own, "power"], None)
    assert axes == {"chair": ("front", f"scooter {own.width:.2f} x {own.length:.2f} m", "power")}
    sit = [make() for make in people_of(ONE, None, groups)[0]]
    assert [one._chair for one in sit] == [hk.access.chair("front"), own, hk.access.chair("rear")]
    (high,) = ONE.with_chair("power").seat_height - ONE.dimensions["popliteal_height"]
    assert [one._lift for one in sit] == pytest.approx([high] * 3)


def test_people_of_a_list_get_chairs_and_profiles_where_they_are() -> None:
    there = PEOPLE.human(1).with_base(hk.transforms.from_rpy([0, 0, 0.3], [0.1, 0, 0]))
    found = hk.access.share([there], None, SHELF, chairs=["mid"], profiles=["sci_c6", None])
    bare = PEOPLE.with_profile("sci_c6").human(1).with_base(there._place)
    for name, person in (("sci_c6", bare), ("no profile", there)):
        sits = hk.access.seat(person, hk.access.chair("mid"))
        alike(found["mid", name], hk.access.share([sits], None, SHELF))


def test_variants_are_those_places_and_what_follows_is_not_asked() -> None:
    found = hk.access.share(ARMS, None, TASKS, variants=MOVED)
    at = np.array(list(TASKS.values()))
    for name, moved in (
        ("as it is", at),
        ("nearer", at - [0.05, 0, 0]),
        ("far nearer", at - [[0, 0, 0], [0.02, 0, 0]]),
    ):
        alone = hk.access.share(ARMS, None, dict(zip(TASKS, moved, strict=True)))
        assert found[name].verdict.tolist() == alone.verdict.tolist()
        assert found[name].interval == alone.interval
    assert found.reused > 0
    assert found.best == ("nearer",)
    assert found.share.tolist() == [found[name].share for name in MOVED]
    assert found.interval.tolist() == [list(found[name].interval) for name in MOVED]


def test_variants_of_a_scene_are_other_scenes_or_nodes_that_move() -> None:
    box = hk.Scene().add("box").add("box/knob", hk.scene.Target("point"), [0.5, 0.05, 0.0])
    other = box.with_pose("box/knob", [0.45, 0.05, 0.0])
    by_node: dict[str, Any] = {"box": [-0.1, 0, 0], "box/knob": [0.05, 0, 0]}
    given = {
        "as it is": None,
        "other": other,
        "moved": by_node,
        "back": dict(reversed(by_node.items())),
    }
    arms = [hk.Figure(arm, []) for arm in ARMS]
    found = hk.access.share(arms, box, "box/knob", variants=given)
    assert found["as it is"].short.tolist() != found["other"].short.tolist()
    alike(found["moved"], found["back"])
    np.testing.assert_allclose(found["other"].short, found["moved"].short, atol=1e-9)
    placed = hk.access.share(arms, box, {"knob": [0.5, 0.05, 0]}, variants={"a": None, "b": other})
    assert placed["a"].verdict.tolist() == placed["b"].verdict.tolist()  # the place stays
    np.testing.assert_allclose(placed["a"].short, placed["b"].short, atol=1e-8)


def test_names_are_of_chair_profile_and_variant_in_this_order() -> None:
    found = hk.access.share(
        ONE,
        None,
        SHELF,
        variants={"a": None, "b": [0, 0, -0.3]},
        profiles=[None, "sci_c6"],
        chairs=["manual"],
    )
    assert list(found) == [("manual", who, v) for who in ("no profile", "sci_c6") for v in "ab"]
    assert found.share.shape == (1, 2, 2)
    assert found.interval.shape == (1, 2, 2, 2)
    both = hk.population(1, seed=5, chair="manual", profile="sci_c6")
    alike(found["manual", "sci_c6", "a"], hk.access.share(both, None, SHELF))
    pairs = list(found.differences)
    assert len(pairs) == 4
    assert all(sum(x != y for x, y in zip(*pair, strict=True)) == 1 for pair in pairs)
    assert "1 chairs x 2 profiles x 2 variants" in repr(found)
    again = pickle.loads(pickle.dumps(found))
    alike(again["manual", "sci_c6", "a"], found["manual", "sci_c6", "a"])
    with pytest.raises(NotFoundError, match="there are"):
        found["manual"]


def made_up(words: dict[str, list[str]], sets: Any = None, weights: Any = None) -> hk.access.Shares:
    shares = {}
    for name, given in words.items():
        column = np.array(given, "<U9").reshape(-1, 1)
        shares[name] = hk.access.Share(("task",), column, np.zeros((len(given), 1, 2)), 0.95, sets)
    return hk.access.Shares({"variant": tuple(words)}, shares, 0, weights)


def test_a_difference_counts_the_undecided_against_it_and_for_it() -> None:
    a = ["yes", "no", "no", "undecided", "yes", "no"]
    b = ["yes", "yes", "undecided", "yes", "no", "no"]
    found = made_up({"a": a, "b": b}).difference("a", "b")
    assert found.value == pytest.approx(1 / 6)
    yes, maybe = (lambda x: np.array(x) == "yes"), (lambda x: np.array(x) != "no")
    assert found.interval[0] == difference_of_shares(maybe(a), yes(b), None, 0.95)[0]
    assert found.interval[1] == difference_of_shares(yes(a), maybe(b), None, 0.95)[1]
    assert made_up({"a": a, "b": b}).differences == {("a", "b"): found}


def test_an_interval_of_a_difference_is_bonett_and_prices() -> None:
    """Of 100 people 30 change one way and 10 the other: (31 - 11) / 102, and its spread."""
    first, second = np.zeros(100, bool), np.zeros(100, bool)
    second[:30], first[30:40] = True, True
    half = 1.959963984540054 * ((42 / 102 - (20 / 102) ** 2) / 102) ** 0.5
    assert difference_of_shares(first, second, None, 0.95) == pytest.approx(
        (20 / 102 - half, 20 / 102 + half)
    )
    same = difference_of_shares(first, first, None, 0.95)
    assert same[0] == -same[1] < 0
    none = np.zeros(0, bool)
    assert difference_of_shares(none, none, None, 0.95) == (-1, 1)


def test_intervals_of_differences_hold_the_true_one_in_95_of_100_repetitions() -> None:
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(1000):
        strength = rng.random(200)
        low, high = difference_of_shares(
            strength < 0.6, strength + 0.1 * rng.random(200) < 0.75, None, 0.95
        )
        held += low <= 0.10 <= high  # the mean of 0.75 - 0.1 u is 0.70
    assert 930 <= held <= 975


def test_of_sets_the_spread_of_their_differences_tells() -> None:
    pytest.importorskip("scipy")
    sets = np.repeat(np.arange(3), 4)
    first = np.array([1, 0, 0, 0] * 3, bool)
    second = np.array([1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0], bool)  # by 1/4, 1/2 and 0 more
    half = 4.302652729911275 * 0.25 / 3**0.5
    assert difference_of_shares(first, second, sets, 0.95) == pytest.approx(
        (0.25 - half, 0.25 + half)
    )
    level = np.array([1, 1, 0, 0] * 3, bool)  # all sets by 1/4: no spread
    assert difference_of_shares(first, level, sets, 0.95) == difference_of_shares(
        first, level, None, 0.95
    )
    assert mean_of_shares(second, sets, 0.95) == (0.0, 1.0)
    half *= 0.816496580927726 / 4.302652729911275
    assert mean_of_shares(second, sets, 0.5) == pytest.approx((0.5 - half, 0.5 + half))


def test_where_hardly_anybody_differs_sets_tell_no_spread() -> None:
    """Of 16 sets of 20 people one in a hundred fails: Student's held the truth in 83 to 87 of 100 repetitions."""
    pytest.importorskip("scipy")
    rng, sets, nobody = np.random.default_rng(4), np.repeat(np.arange(16), 20), np.zeros(320, bool)
    held = np.zeros(2)
    for _ in range(1000):
        one = rng.random(320) < 0.01
        share, more = (
            share_of_sets(one, sets, 0.95),
            difference_of_shares(nobody, one, sets, 0.95),
        )
        held += [low <= 0.01 <= high for low, high in (share, more)]
    assert (held >= 930).all(), held


def test_half_as_many_people_as_sets_tell_a_spread() -> None:
    pytest.importorskip("scipy")
    sets, one = np.repeat(np.arange(4), 3), np.zeros(12, bool)
    one[0] = True
    for some in (one, ~one):
        assert share_of_sets(some, sets, 0.95) == wilson(some.sum(), 12, 0.95)
        assert mean_of_shares(0.3 * some, sets, 0.95) == pytest.approx(
            wilson(0.3 * some.sum(), 12, 0.95)
        )
    assert share_of_sets(one, np.arange(12) % 3, 0.95) == wilson(
        1, 12, 0.95
    )  # of two a set is half
    one[3] = True  # in two sets
    half = 3.182446305284263 / 6 / 3**0.5  # of 1/3, 1/3, 0 and 0
    assert share_of_sets(one, sets, 0.95) == pytest.approx((0, 1 / 6 + half))


@pytest.mark.parametrize("how", ["at random", "who changes", "who gains", "who can"])
def test_an_interval_of_a_difference_holds_whoever_is_undecided(how: str) -> None:
    rng, held = np.random.default_rng(8), 0
    for _ in range(600):
        draw, hide = rng.random(60), rng.random((2, 60))
        one, other = draw < 0.5, (draw > 0.1) & (draw < 0.7)  # 0.4 can in both
        hidden = {
            "at random": hide < 0.1,
            "who changes": np.array([(hide[0] < 0.5) & (one != other)] * 2),
            "who gains": np.array([np.zeros(60, bool), (hide[0] < 0.9) & other & ~one]),
            "who can": (hide < 0.3) & np.array([one, other]),
        }[how]
        words = np.where(hidden, "undecided", np.where([one, other], "yes", "no"))
        low, high = (
            made_up({"a": list(words[0]), "b": list(words[1])}).difference("a", "b").interval
        )
        held += low <= 0.1 <= high
    assert held >= 555  # 0.95 less three times its chance


def test_a_mixture_of_chairs_weighs_them() -> None:
    words = {"manual": ["yes", "yes", "no", "undecided"], "power": ["yes", "no", "no", "yes"]}
    found = made_up(words, weights={"manual": 0.7, "power": 0.3}).mixed()
    assert found.value == pytest.approx(0.7 * 0.5 + 0.3 * 0.5)
    assert found.interval[0] == pytest.approx(wilson(2.0, 4, 0.95)[0])
    assert found.interval[1] == pytest.approx(wilson(2.7, 4, 0.95)[1])
    asked = hk.access.share(
        PEOPLE, None, SHELF, chairs={"manual": 3, "power": 1}, variants={"a": None}
    )
    want = 0.75 * asked["manual", "a"].share + 0.25 * asked["power", "a"].share
    assert asked.mixed("a").value == pytest.approx(want)
    with pytest.raises(ArgumentError, match="how many"):
        made_up(words).mixed()


def test_threads_and_a_folder_give_the_same_and_a_broken_run_goes_on(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    whole = hk.access.share(ARMS, None, TASKS, variants=MOVED)

    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hk.access.share(ARMS, None, TASKS, variants=MOVED, folder=tmp_path, progress=stop)
    assert len(list(tmp_path.glob("people-*"))) == 1
    for more in ({"folder": tmp_path}, {"folder": tmp_path, "threads": 2}, {"threads": 2}):
        again = hk.access.share(ARMS, None, TASKS, variants=MOVED, **more)
        assert again.reused == whole.reused
        for name in MOVED:
            alike(again[name], whole[name])
    table = parquet.read_table(sorted(tmp_path.glob("people-*"))[0])
    rows = table.select(["person", "variant", "task"]).to_pylist()
    assert [tuple(row.values()) for row in rows[:6]] == [(0, v, t) for v in MOVED for t in TASKS]
    other = {name: MOVED[name] for name in ("as it is", "far nearer", "nearer")}
    with pytest.raises(ArgumentError, match="another question"):
        hk.access.share(ARMS, None, TASKS, variants=other, folder=tmp_path)
    renamed = {"before": None, **{name: MOVED[name] for name in list(MOVED)[1:]}}
    with pytest.raises(ArgumentError, match="another question"):
        hk.access.share(ARMS, None, TASKS, variants=renamed, folder=tmp_path)


def test_a_folder_knows_whose_seats_were_drawn(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    options: dict[str, Any] = {"chairs": ["manual"], "folder": tmp_path}
    first, second = (hk.population(1, seed=k, sex="male", dimensions=PEOPLE[1]) for k in (1, 2))
    assert first.dimensions.tobytes() == second.dimensions.tobytes()
    hk.access.share(first, None, SHELF, **options)
    with pytest.raises(ArgumentError, match="another question"):
        hk.access.share(second, None, SHELF, **options)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"chairs": []}, "chairs is empty"),
        ({"chairs": ["walker"]}, "chair 'walker' must be"),
        ({"chairs": ["manual", "manual"]}, "chairs has 'manual' twice"),
        ({"chairs": {"manual": 0.5, "power": "power"}}, "power"),
        ({"chairs": {"manual": 0, "power": 0}}, "must be some, got 0"),
        ({"chairs": {"manual": 1e308, "power": 1e308}}, "must be some, got inf"),
        ({"chairs": {"manual": 1, "power": -1}}, r"chairs\['power'\] must be 0 or more"),
        ({"chairs": "manual"}, r"such as \['manual'\]"),
        ({"profiles": "sci_c6"}, r"such as \['sci_c6'\]"),
        ({"chairs": {"manual": 2, "power": -1}}, "0 or more"),
        ({"chairs": {"own": 1}}, "chair 'own' must be"),
        ({"chairs": ["manual"], "position": "standing"}, "wheelchairs sit"),
        ({"profiles": [profile("sci_c6"), "sci_c6"]}, "profiles has 'sci_c6' twice"),
        ({"profiles": []}, "profiles is empty"),
        ({"variants": {}}, "variants must be a mapping"),
        ({"variants": ["a"]}, "variants must be a mapping"),
        ({"variants": {"a": [[0, 0, 0]]}}, "three numbers"),
        ({"variants": {"a": [0, 0]}}, "variant 'a'"),
    ],
)
def test_what_cannot_be_asked_is_said(wrong: dict[str, Any], match: str) -> None:
    with pytest.raises((ArgumentError, TypeError), match=match):
        hk.access.share(PEOPLE, None, SHELF, **wrong)


def test_people_with_a_chair_or_a_profile_get_no_other_and_arms_get_none() -> None:
    for people in (
        PEOPLE.with_chair("manual"),
        [hk.access.seat(PEOPLE.human(0), hk.access.chair())],
    ):
        with pytest.raises(ArgumentError, match="without a chair"):
            hk.access.share(people, None, SHELF, chairs=["power"])
    for people in (PEOPLE.with_profile("sci_c6"), [PEOPLE.with_profile("sci_c6").human(0)]):
        with pytest.raises(ArgumentError, match="without a profile"):
            hk.access.share(people, None, SHELF, profiles=[None])
    with pytest.raises(ArgumentError, match="are of people"):
        hk.access.share(ARMS, None, TASKS, chairs=["manual"])
    with pytest.raises(ArgumentError, match="wheelchairs sit"):
        hk.access.share([PEOPLE.human(0, position="standing")], None, SHELF, chairs=["manual"])
    with pytest.raises(NotFoundError, match="task"):
        hk.access.share(ARMS, None, TASKS, variants={"a": {"nowhere": [0, 0, 0]}})
    with pytest.raises(NotFoundError, match="profile"):
        hk.access.share(PEOPLE, None, SHELF, profiles=["nobody"])
    knob = hk.Scene().add("knob", hk.scene.Target("point"), [0.5, 0, 0])
    with pytest.raises(ArgumentError, match="say what moves"):
        hk.access.share(ARMS, knob, "knob", variants={"a": [0, 0, 0.1]})
    with pytest.raises(ArgumentError, match="same names"):
        hk.access.share(
            ARMS,
            knob,
            "*" if "*" in knob else "knob",
            variants={"a": knob.add("knob/b", hk.scene.Target("point"), [0, 0, 0]), "b": None},
        )
