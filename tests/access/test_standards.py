"""Shares among obstacles: searches begin from standard people's postures, and tell nobody of others."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.scene.access import _narrow, _search, _standards
from handik.scene.access._question import Question
from handik.scene.access._reach import reach_beside
from handik.scene.access._standards import PEOPLE, Standards
from handik.scene.check import as_figure

INF = float("inf")
KITCHEN = hk.scene.gallery("kitchen")
PLACE = (-0.95, 0.0, 0.0)
#: Over the counter and in its cupboards.
PLACES = np.array([[-0.296, -0.064, 0.85], [-0.177, -0.144, 0.782], [-0.069, 0.45, 1.133]])
#: People of round cones along the bones: what is only just within reach does not change with skins.
PLAIN: dict[str, Any] = {"sex": "male", "body": "plain"}
TALL, MAN = (hk.human(stature=x, position="standing", **PLAIN) for x in (1.94, 1.70))
#: That MAN only just reaches under the counter's top, with the shoulder held off by it.
UNDER = [[-0.38, 0.247, 0.68]]


@lru_cache(maxsize=16)
def _plain(k: int, position: str) -> hk.Human:
    sex, stature = PEOPLE[k]
    return hk.human(sex=sex, stature=stature, position=position, body="plain")


@pytest.fixture(autouse=True)
def standard_people_are_plain(monkeypatch: Any) -> None:
    monkeypatch.setattr(_standards, "_made", _plain)


def _words(people: Any, places: Any, **more: Any) -> list[list[str]]:
    found = hk.access.share(people, KITCHEN, places, places=[PLACE], **more)
    out: list[list[str]] = found.verdict.tolist()
    return out


def _standards_at(place: Any) -> Standards:
    pose = np.eye(4)
    pose[:3, 3] = place
    return Standards(KITCHEN, pose, 1e-3, 32, 200_000, 0)


def test_a_verdict_depends_neither_on_other_people_nor_on_other_tasks_nor_on_threads() -> None:
    whole = _words([TALL, MAN], PLACES)
    assert _words([MAN, TALL], PLACES[::-1], threads=2) == [row[::-1] for row in whole[::-1]]
    assert _words([MAN], PLACES[1:2]) == [whole[1][1:2]] == [["yes"]]


@pytest.mark.parametrize(
    ("module", "name", "less", "who", "place"),
    [
        (_standards, "PEOPLE", PEOPLE[:3], TALL, 0),
        (_search, "OFF", 0.0, MAN, 1),
        (_search, "ABOUT", 1, MAN, 1),
        (_search, "FEW", 5, MAN, 1),
        (_narrow, "NEAR_MISS", 0.0, MAN, 1),
    ],
)
def test_with_less_of_it_a_posture_is_not_found(
    monkeypatch: Any, module: Any, name: str, less: Any, who: hk.Human, place: int
) -> None:
    at = PLACES[place : place + 1]
    monkeypatch.setattr(_search, "HELD_OFF", 0.0)  # what comes after finds it too
    assert _words([who], at) == [["yes"]]
    _search._aside.cache_clear()
    monkeypatch.setattr(module, name, less)
    try:
        assert _words([who], at) == [["undecided"]]
    finally:
        _search._aside.cache_clear()


@pytest.mark.parametrize(
    ("name", "other"),
    [("HELD_OFF", 0.5), ("TOWARDS", 0.5), ("TOWARDS", 1.1), ("STRICTLY", 0.5)],
)
def test_what_is_held_off_by_less_than_the_tolerance_is_reached(
    monkeypatch: Any, name: str, other: float
) -> None:
    beside = _standards_at(PLACE).beside(who := MAN.with_base(_standards_at(PLACE).place))
    (found,) = reach_beside(beside, who, KITCHEN, UNDER, Question(within=INF))
    assert found.verdict == "yes"
    away = np.linalg.norm(who.model.fk(found.q, frame="grip_right")[:3, 3] - UNDER[0])
    assert 0.9e-3 < away <= 1e-3
    assert KITCHEN.free(as_figure(who), found.q)
    monkeypatch.setattr(_search, name, other)
    (found,) = reach_beside(beside, who, KITCHEN, UNDER, Question(within=INF))
    assert found.verdict == "undecided"


def test_a_short_search_begins_from_the_nearest_free_draws(monkeypatch: Any) -> None:
    who, seen = MAN.with_base(_standards_at(PLACE).place), list[Any]()
    found = reach_beside(None, who, KITCHEN, PLACES[2:], Question(within=INF))
    one = _search.Search(found[0]._asked, "grip_right", PLACES[2:], found.q)
    monkeypatch.setattr(_search.Search, "lead_out", lambda *a, **_: seen.append(a[1:]))
    one.shortly(np.array([0]))
    rows, starts = seen[0]
    drawn, at = _search.free_draws(one.asked, who.model, "grip_right")
    assert np.array_equal(at, who.model.fk(drawn, frame="grip_right")[:, :3, 3])
    far = np.linalg.norm(at - PLACES[2], axis=1)
    assert rows.tolist() == [0] * 5
    assert np.array_equal(starts, np.concatenate([found.q, drawn[np.argsort(far)[:4]]]))


def test_a_place_that_nobody_came_near_is_not_searched_on(monkeypatch: Any) -> None:
    """Deep under the counter's top, within reach of the joints alone."""
    at, rows = np.array([[-0.198, 0.138, 0.734], PLACES[1]]), list[int]()
    monkeypatch.setattr(_search, "HELD_OFF", 0.0)  # or standard people get to the other one
    about = _search.Search.about

    def noted(self: Any, which: Any) -> None:
        if len(self.targets) and len(self.asked.beside) == len(PEOPLE):
            rows.append(len(which))
        about(self, which)

    monkeypatch.setattr(_search.Search, "about", noted)
    beside = _standards_at(PLACE).beside(who := MAN.with_base(_standards_at(PLACE).place))
    for miss, many in ((_narrow.NEAR_MISS, 1), (INF, 2)):
        monkeypatch.setattr(_narrow, "NEAR_MISS", miss)
        rows.clear()
        found = reach_beside(beside, who, KITCHEN, at, Question(within=INF))
        assert found.verdict.tolist()[0] == "undecided"
        assert rows == [many]


def test_the_most_alike_is_asked_first_and_who_is_unlike_asks_nobody() -> None:
    own = _standards_at((0, 0, 0))
    beside = own.beside(TALL.with_base(own.place))
    assert beside is not None
    assert [PEOPLE[k][1] for k in beside.order] == [1.92, 1.76, 1.62, 1.50]
    stiff = hk.human(stature=1.8, profile="older_adult", position="standing", **PLAIN)
    for other in (
        stiff,
        hk.human(stature=1.8, detail="spine", position="standing", **PLAIN),
        hk.access.seat(hk.human(stature=1.8, **PLAIN), hk.access.chair("rear")),
    ):
        assert own.beside(other.with_base(own.place)) is None


def test_a_worker_finds_the_same_postures_by_itself() -> None:
    own = _standards_at(PLACE)
    first = own.postures(0, "standing", "grip_right", PLACES)
    sent = pickle.loads(pickle.dumps(own))
    assert not sent._found
    for a, b in zip(first, sent.postures(0, "standing", "grip_right", PLACES), strict=True):
        assert (a is None and b is None) or np.array_equal(a, b)
    assert any(q is not None for q in first)


def test_numbers_of_all_kinds_are_those_of_reach() -> None:
    for more in ({"budget": 0}, {"tolerance": np.array(1e-3)}, {"tries": np.array(32)}):
        assert _words([MAN], PLACES[1:2], **more) == [["yes"]], more
    with pytest.raises(hk.errors.ArgumentError, match="tries must be 0 to"):
        _words([MAN], PLACES[1:2], tries=-1)


def test_a_sweep_asks_as_a_share_does() -> None:
    scene = KITCHEN.add("spot", hk.scene.Target(), PLACES[1])
    swept = hk.access.sweep([MAN], {0.0: scene}, "spot", places=[PLACE])
    assert swept.shares[0].verdict.tolist() == [["yes"]]


def test_a_frame_of_ones_own_is_asked_of_nobody_else() -> None:
    pen = np.eye(4)
    pen[2, 3] = -0.1
    who = replace(MAN, model=MAN.model.with_tool(pen, "pen", "grip_right"))
    found = hk.access.share([who], KITCHEN, PLACES, places=[PLACE], frame="pen")
    assert found.verdict.tolist() == [["yes"] * 3]


def test_who_stands_in_the_scene_as_a_standard_person_does_is_no_trouble() -> None:
    like = {"sex": "female", "stature": 1.62, "position": "standing", "body": "plain"}
    anna = hk.scene.Actor(human=like)
    scene = KITCHEN.add("anna", anna, PLACE).add("sheet", hk.scene.Plane(), (0, 0, -3.0))
    scene = scene.attach("sheet", "anna", "grip_left")
    found = hk.access.share([MAN], scene, PLACES, places=[PLACE])
    assert found.verdict.tolist()[0][::2] == ["yes", "yes"]


def test_a_hand_is_laid_along_a_wall_here_too(monkeypatch: Any) -> None:
    who, stand = hk.human(stature=1.70, **PLAIN), np.eye(4)
    stand[:2, :2], stand[:2, 3] = [[0, -1], [1, 0]], [-0.988, -1.51]
    at = KITCHEN.world("switch/press")[:3, 3] + [[0.0, -0.1, -0.16]]
    scene, words = KITCHEN.remove("switch"), []
    for most in (_narrow.ASKEW, _narrow.ASKEW / 2):
        monkeypatch.setattr(_narrow, "ASKEW", most)
        words += hk.access.share([who], scene, at, places=[stand]).verdict.tolist()[0]
    assert words == ["yes", "undecided"]
