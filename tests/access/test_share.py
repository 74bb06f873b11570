"""Shares of people: counting, the interval against published ones, names of tasks, places, groups."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.errors import ArgumentError, NotFoundError
from handik.people._interval import wilson
from handik.problem.terms import Capsule

FAR = [0.559, 0.0, 0.0]  # a chain of 0.3 and less than 0.258 does not get within a millimeter
ARMS = [hk.chain([0.3, length]) for length in (0.2, 0.25, 0.3, 0.35)]


@pytest.mark.parametrize(
    ("met", "count", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_that_of_a_published_table(
    met: int, count: int, low: float, high: float
) -> None:
    """R. Newcombe, Two-sided confidence intervals for the single proportion, Statist. Med. 17 (1998), table I, method 3."""
    assert wilson(met, count, 0.95) == pytest.approx((low, high), abs=5e-5)


def made_up(words: list[str], level: float = 0.95) -> hk.access.Share:
    verdict = np.array(words, "<U9").reshape(-1, 1)
    return hk.access.Share(("task",), verdict, np.zeros((len(words), 1, 2)), level)


@pytest.mark.parametrize("true", [0.2, 0.5, 0.9])
def test_intervals_hold_the_true_share_in_95_of_100_repetitions(true: float) -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(1000):
        yes = rng.random(400) < true
        low, high = made_up(np.where(yes, "yes", "no").tolist()).interval
        held += low <= true <= high
    assert 930 <= held <= 970


def test_the_undecided_widen_the_interval_at_both_ends() -> None:
    sure = made_up(["yes"] * 6 + ["no"] * 4)
    open_ = made_up(["yes"] * 6 + ["no"] * 2 + ["undecided"] * 2)
    assert open_.interval[0] == sure.interval[0] == wilson(6, 10, 0.95)[0]
    assert open_.interval[1] == wilson(8, 10, 0.95)[1]
    assert (open_.share, open_.no, open_.undecided) == (0.6, 0.2, 0.2)
    assert sure.undecided == 0
    wide, narrow = made_up(["yes", "no"], 0.99).interval, made_up(["yes", "no"], 0.5).interval
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_by_sets_the_interval_is_students_of_their_means() -> None:
    pytest.importorskip("scipy")
    met, sets = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0]]), np.repeat(np.arange(3), 4)
    words = np.where(met.ravel(), "yes", "no").reshape(-1, 1)
    found = hk.access.Share(("task",), words, np.zeros((12, 1, 2)), 0.95, sets)
    half = 4.302652729911275 * 0.25 / 3**0.5  # Student's, 2 degrees of freedom, as tables print it
    assert found.interval == (max(0.5 - half, 0), min(0.5 + half, 1))
    narrow = hk.access.Share(("task",), words, np.zeros((12, 1, 2)), 0.5, sets)
    half = 0.816496580927726 * 0.25 / 3**0.5
    assert narrow.interval == pytest.approx((0.5 - half, 0.5 + half), abs=1e-12)
    assert narrow.tasks["task"].interval == narrow.interval
    assert narrow.wilson == wilson(6, 12, 0.5)
    group = narrow.of([0, 1, 4, 5, 8, 11, 2])  # 3, 2 and 2 people: shares 2/3, 1, 1/2
    spread = np.array([2 - 5 / 7 * 3, 2 - 5 / 7 * 2, 1 - 5 / 7 * 2]) * 3 / 7
    half = 0.816496580927726 * spread.std(ddof=1) / 3**0.5
    assert group.interval == pytest.approx((5 / 7 - half, 5 / 7 + half), abs=1e-12)
    assert narrow.of(sets == 2).interval == wilson(1, 4, 0.5)  # one set tells no spread
    assert narrow.of(sets > 0).interval == narrow.of([4, 5, 6, 7, 8, 9, 10, 11]).interval


def test_the_undecided_widen_the_interval_of_sets_at_both_ends() -> None:
    pytest.importorskip("scipy")
    words = np.array(["yes", "no", "yes", "undecided", "yes", "yes", "undecided", "no"])
    sets, blank = np.repeat(np.arange(4), 2), np.zeros((8, 1, 2))

    def one(verdict: np.ndarray) -> tuple[float, float]:
        return hk.access.Share(("t",), verdict.reshape(-1, 1), blank, 0.5, sets).interval

    failed, met = (one(np.where(words == "undecided", word, words)) for word in ("no", "yes"))
    assert one(words) == (failed[0], met[1])
    assert failed[0] < met[0]
    assert failed[1] < met[1]


@pytest.mark.parametrize("true", [0.5, 0.9])
def test_intervals_of_sets_hold_the_true_share_and_are_narrower(true: float) -> None:
    """16 sets of 32 people spread evenly in two numbers (a Latin square); who is weak fails."""
    pytest.importorskip("scipy")
    rng, sets = np.random.default_rng(6), np.repeat(np.arange(16), 32)
    bound = 1.0 if true == 0.5 else 2 - 0.2**0.5  # the sum of two even numbers
    held, wide, shares = 0, [], []
    for _ in range(1000):
        steps = rng.permuted(np.tile(np.arange(32.0), (32, 1)), axis=1).reshape(2, -1)
        yes = ((steps + rng.random((2, 512))) / 32).sum(axis=0) < bound
        words = np.where(yes, "yes", "no").reshape(-1, 1)
        found = hk.access.Share(("task",), words, np.zeros((512, 1, 2)), 0.95, sets)
        held += found.interval[0] <= true <= found.interval[1]
        wide.append((np.ptp(found.interval), np.ptp(found.wilson)))
        shares.append(found.share)
    assert 930 <= held <= 970
    own, alone = np.mean(wide, axis=0)
    mean_spread = 0.9835 * np.std(shares)  # of 16 numbers: the spread found is that much too small
    assert own == pytest.approx(2 * 2.1314495 * mean_spread, rel=0.08)
    assert own < 0.9 * alone


def test_people_of_several_sobol_sets_are_asked() -> None:
    pytest.importorskip("scipy")
    people = hk.population(4, sex="male", sampling="sobol", sets=2)
    found = hk.access.share(people, None, [[0.3, -0.2, 1.0]])
    assert found.set is not None
    assert found.set.tolist() == people.set.tolist() == [0, 0, 1, 1]
    assert found.interval == found.wilson == wilson(4, 4, 0.95)


def test_a_person_can_what_all_tasks_can() -> None:
    words = [["yes", "no", "undecided"], ["yes", "undecided", "yes"], ["yes", "yes", "yes"]]
    found = hk.access.Share(("a", "b", "c"), np.array(words), np.zeros((3, 3, 2)), 0.95)
    assert found.people.tolist() == ["no", "undecided", "yes"]
    assert [task.share for task in found.tasks.values()] == [1, 1 / 3, 2 / 3]


def test_chains_are_counted() -> None:
    told: list[tuple[int, int]] = []
    found = hk.access.share(ARMS, None, [FAR], progress=lambda k, n: told.append((k, n)))
    assert found.people.tolist() == ["no", "no", "yes", "yes"]
    assert found.share == 0.5
    assert found.interval == wilson(2, 4, 0.95)
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert found.short[0, 0, 0] <= 0.059 <= found.short[0, 0, 1] + 1e-6
    assert found.of([False, True, True, False]).share == 0.5
    assert found.of([-1]).share == 1
    assert "4 people" in repr(found)


def test_causes_are_the_verdicts_words_and_counted() -> None:
    found = hk.access.share(ARMS, None, {"far": FAR, "farther": [0.64, 0, 0]})
    (cause,) = found.causes
    assert (cause.verdict, cause.kind, cause.people, cause.share) == ("no", "chain", 3, 0.75)
    assert str(cause) == "the chain is too short: 3 people, short by up to 140 mm"
    assert cause.tell("fr") == ("la chaîne est trop courte : 3 personnes, il manque jusqu'à 140 mm")
    assert cause.short[0] == found.short[[0, 0, 1, 1, 2], [0, 1, 0, 1, 1], 0].min()
    assert found.tasks["far"].causes[0].people == 2
    assert str(found.of([1]).causes[0]).startswith("the chain is too short: 1 person,")
    assert found.of([3]).causes == ()
    assert made_up(["no"]).causes == ()
    for row, one in zip(found.short, ARMS, strict=True):  # the words are those of reach itself
        alone = hk.access.reach(one, None, FAR)
        assert ("the chain is too short" in alone.why) == (row[0, 1] > 1e-3)
    with pytest.raises(ArgumentError, match="language"):
        cause.tell("de")


def limited(degrees: float) -> hk.Model:
    arm = hk.chain([0.5, 0.4])
    return arm.with_limits({name: (-0.5, np.deg2rad(degrees)) for name in arm.joint_names})


def test_limits_are_one_cause_from_the_least_to_the_greatest() -> None:
    arms = [limited(40), limited(50), limited(175)]
    found = hk.access.share(arms, None, [[0.0, 0.7, 0.0]])
    assert found.people.tolist() == ["no", "no", "yes"]
    (cause,) = found.causes
    assert cause.kind == "upper"
    assert cause.bounds == pytest.approx(np.deg2rad([40, 50]))
    says = f"{cause.what} is at its upper limit of 40 degrees to 50 degrees: 2 people"
    assert str(cause).startswith(says)
    assert "limite supérieure de 40 degrés à 50 degrés : 2 personnes" in cause.tell("fr")
    assert cause.what in hk.access.reach(arms[0], None, [0.0, 0.7, 0.0]).why


def test_obstacles_are_causes_by_name() -> None:
    block = hk.Scene().add("block", hk.scene.Box([0.4, 0.4, 0.4]), [0.5, 0, 0])
    arms = [hk.Figure(arm, [Capsule(arm.tip, (-0.1, 0, 0), (0, 0, 0), 0.02)]) for arm in ARMS[2:]]
    deep = hk.access.share(arms, block, [[0.5, 0.0, 0.0]])
    (cause,) = deep.causes
    assert (cause.kind, cause.what, cause.people) == ("inside", "block", 2)
    assert cause.bounds == pytest.approx((0.2, 0.2), abs=2e-3)
    assert "mm deep in block: a no even if everything gave way by 50 mm: 2 people" in str(cause)
    shallow = hk.access.share(arms, block, [[0.31, 0.0, 0.0]])
    assert shallow.people.tolist() == ["no"] * 2
    (cause,) = shallow.causes
    assert (cause.kind, cause.what) == ("enclosed", "block")
    assert str(cause).startswith("there is no room for the hand at the target")
    # half a millimeter of overlap that the arm's plane leaves no way out of, and 1 mm of tolerance
    below = hk.Scene().add("block", hk.scene.Box([1, 1, 1]), [0.3, 0, -0.5195])
    shallow = hk.access.share(arms, below, [[0.3, 0.0, 0.0]])
    assert shallow.people.tolist() == ["undecided"] * 2
    (cause,) = shallow.causes
    assert (cause.verdict, cause.kind) == ("undecided", "blocked")
    assert "block with" in cause.what
    assert cause.tell("fr").startswith("aucune posture trouvée qui convienne : block avec")


def test_the_cause_is_that_of_the_best_place() -> None:
    above = np.eye(4)
    above[:2, 3] = 0.0, 1.5
    target, arms = [[0.4, 0.5, 0.0]], [limited(5)]
    near, far, both, other = (
        hk.access.share(arms, None, target, places=stands).causes[0]
        for stands in ([np.eye(4)], [above], [np.eye(4), above], [above, np.eye(4)])
    )
    assert (near.kind, far.kind) == ("upper", "lower")
    least = min(near, far, key=lambda cause: cause.short[1])
    assert (both.kind, other.kind) == (least.kind, least.kind)
    assert both.short[1] == other.short[1] == least.short[1]


def test_verdicts_are_those_of_reach_in_any_number_of_threads() -> None:
    places = np.array([[0.3, 0.2, 0.0], FAR, [0.1, 0.0, 0.0]])
    alone, many = (hk.access.share(ARMS, None, places, threads=k) for k in (1, 3))
    assert alone.verdict.tobytes() == many.verdict.tobytes()
    assert alone.short.tobytes() == many.short.tobytes()
    for k, arm in enumerate(ARMS):
        assert alone.verdict[k].tolist() == hk.access.reach(arm, None, places).verdict.tolist()


def test_the_best_place_counts_for_each_task() -> None:
    step = np.eye(4)
    step[0, 3] = 0.4
    tasks = [[0.95, 0, 0], [-0.5, 0, 0]]
    assert hk.access.share(ARMS[2:3], None, tasks).share == 0
    both = hk.access.share(ARMS[2:3], None, tasks, places=[step, np.eye(4)])
    assert both.share == 1
    assert both.short.max() == 0
    assert hk.access.share(ARMS[2:3], None, tasks, places=[step]).verdict.tolist() == [
        ["yes", "no"]
    ]


def test_names_mean_targets_of_the_scene() -> None:
    kitchen = hk.scene.gallery("kitchen")
    arm = hk.chain([0.3, 0.3])
    asked = {"frame": arm.tip, "within": np.inf}
    figure = hk.Figure(arm, [])

    def names(*tasks: str) -> tuple[str, ...]:
        return hk.access.share([figure], kitchen, list(tasks), **asked).names

    assert names("switch") == ("switch/press",)
    assert names("counter/tap/lever") == ("counter/tap/lever",)
    assert set(names("counter")) == {p for p in kitchen.find(kind="target") if "counter/" in p}
    assert names("switch", "switch/press") == ("switch/press",)
    tagged = [t for t in ("handle", "knob", "switch", "tap") if kitchen.find(tag=t)]
    assert tagged
    assert all(names(tag) for tag in tagged)
    with pytest.raises(NotFoundError, match=r"'lid' names no target .* switch/press"):
        names("lid")
    with pytest.raises(ArgumentError, match="only a scene"):
        hk.access.share([arm], None, "switch")


def test_a_target_by_name_is_held_as_reach_has_it() -> None:
    """The hand closes about a handle: by its place alone the handle is in the way."""
    kitchen, stand = hk.scene.gallery("kitchen"), np.eye(4)
    stand[:2, 3] = -1.05, 1.15
    anna = hk.human(sex="female", stature=1.62, position="standing")
    name = "counter/left/handle/grip"
    held = hk.access.share([anna], kitchen, [name], places=[stand])
    swept = hk.access.sweep([anna], {0.0: kitchen}, name, places=[stand])
    alone = hk.access.reach(anna.with_base(stand), kitchen, name)
    assert held.people[0] == swept.shares[0].people[0] == alone.verdict == "yes"
    place, there = kitchen.world(name)[:3, 3], anna.with_base(stand)
    assert hk.access.reach(there, kitchen, place, touch=False, tries=4).verdict == "no"
    bare = hk.access.share([anna], kitchen, [place], places=[stand], tries=4)
    touched = hk.access.reach(there, kitchen, place, touch=True, tries=4)
    assert bare.people[0] == touched.verdict == "yes"  # a fingertip touches it
    inside = place + [0.1, 0, 0]
    deep = hk.access.share([anna], kitchen, [inside], places=[stand], tries=4)
    assert deep.people[0] == "no"
    assert "counter/left" in deep.causes[0].what


def test_what_cannot_be_asked_is_said() -> None:
    with pytest.raises(ArgumentError, match="whiten=True"):
        hk.access.share(hk.population(200, sex="male", whiten=True), None, [FAR])
    with pytest.raises(ArgumentError, match="stands where it is"):
        hk.access.share([hk.Figure(ARMS[0], [])], None, [FAR], places=[np.eye(4)])
    with pytest.raises(TypeError, match="holds str"):
        hk.access.share(["anna"], None, [FAR])
    with pytest.raises(TypeError, match="progress"):
        hk.access.share(ARMS, None, [FAR], progress=3)
    with pytest.raises(ArgumentError, match="level"):
        hk.access.share(ARMS, None, [FAR], level=1.0)
    with pytest.raises(ArgumentError, match="one place"):
        hk.access.share(ARMS, None, {"a": [FAR]})
    with pytest.raises(ArgumentError, match="mask of 4"):
        hk.access.share(ARMS, None, [FAR]).of([0.5])
    with pytest.raises(ArgumentError, match="numbers of 4"):
        hk.access.share(ARMS, None, [FAR]).of([4])


def test_nobody_and_nothing_asked() -> None:
    nobody = hk.access.share([], None, [FAR])
    assert np.isnan(nobody.share)
    assert nobody.interval == (0, 1)
    for nothing in ([], {}, np.zeros((0, 3)), ()):
        with pytest.raises(ArgumentError, match="tasks is empty"):
            hk.access.share(ARMS, None, nothing)
        with pytest.raises(ArgumentError, match="tasks is empty"):
            hk.access.sweep(ARMS, {0.1: nothing})
    with pytest.raises(ArgumentError, match="tasks"):
        hk.access.share(ARMS, None, np.array(5.0))


def test_an_error_of_one_person_ends_the_call() -> None:
    with pytest.raises(ZeroDivisionError):
        hk.access.share(ARMS, None, [FAR], threads=2, progress=lambda k, n: k / 0)


@pytest.mark.slow
def test_taller_people_reach_higher() -> None:
    people = hk.population(8, seed=1)
    found = hk.access.share(people, None, [[0.3, -0.2, 1.95]])
    stature = people.dimensions["stature"]
    yes, no = stature[found.people == "yes"], stature[found.people == "no"]
    assert len(yes)
    assert len(no)
    assert yes.mean() > no.mean()
    assert found.of(people.sex == "male").share >= found.of(people.sex == "female").share


def test_a_place_alone_is_a_pose_that_is_not_turned() -> None:
    arms = [hk.chain([0.3, 0.2 + 0.001 * k]) for k in range(100)]
    task, place = [[1.5585, 0.25, 0.0]], [1.0, 0.25, 0.0]
    turned = hk.transforms.from_rpy([0.0, 0.0, 0.0], place)
    found = hk.access.share(arms, None, task, places=[place])
    assert found.share == 0.42  # as at the origin
    assert np.array_equal(found.verdict, hk.access.share(arms, None, task, places=[turned]).verdict)
    swept = hk.access.sweep(arms, {0.0: task}, places=[place])
    assert swept.shares[0].share == 0.42
    for wrong in ([[1.0, 0.25]], [1.0, 0.25, 0.0], [[1.0, 0.25, float("nan")]], ["here"]):
        with pytest.raises((hk.ArgumentError, TypeError), match=r"places\[0\]"):
            hk.access.share(arms, None, task, places=wrong)
