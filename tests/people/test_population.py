"""One person's dimensions and many people's."""

import pickle
import sys

import numpy as np
import pytest

import handik as hk
from handik.people import boundary_cases, dimensions, population, survey


def test_what_is_given_conditional_and_drawn_is_told_apart():
    middle, drawn = dimensions("male", stature=1.8), dimensions("male", stature=1.8, seed=3)
    assert middle.origin("stature") == drawn.origin("stature") == "given"
    assert middle.origin("weight") == "conditional"
    assert drawn.origin("weight") == "drawn"
    assert middle["weight"] == survey("male").condition({"stature": 1.8}).median["weight"]
    assert drawn["weight"] != middle["weight"]
    assert drawn["weight"] == dimensions("male", stature=1.8, seed=3)["weight"]
    assert middle.given == {"stature": 1.8}


def test_a_percentile_is_of_stature_and_of_weight_at_that_stature():
    people = survey("female")
    small = dimensions("female", percentile=5)
    assert small["stature"] == people.quantile("stature", 0.05)
    assert small.percentile("stature") == pytest.approx(5)
    # Never p5 of everything: other dimensions of small women are nearer the middle.
    assert 5 < small.percentile("hip_breadth") < 50
    heavy = dimensions("female", percentile=(5, 95))
    at = people.condition({"stature": small["stature"]})
    assert heavy["weight"] == at.quantile("weight", 0.95)
    # Among people of one stature a percentile of weight is one of the body mass index.
    assert heavy["weight"] / heavy["stature"] ** 2 > 28


@pytest.mark.parametrize("bad", [0, 100, -1, (50, 0), (1, 2, 3), "50", float("nan")])
def test_percentiles_out_of_range_are_refused(bad):
    with pytest.raises((hk.ArgumentError, TypeError)):
        dimensions("male", percentile=bad)


def test_a_number_given_twice_is_refused():
    with pytest.raises(hk.ArgumentError, match="stature is given twice"):
        dimensions("male", stature=1.7, dimensions={"stature": 1.7})
    with pytest.raises(hk.ArgumentError, match="stature is given twice, once as a percentile"):
        dimensions("male", stature=1.7, percentile=50)
    with pytest.raises(hk.ArgumentError, match="weight is given twice"):
        population(3, weight=70, dimensions={"weight": 70})


def test_sex_is_asked_for_by_its_words():
    with pytest.raises(hk.ArgumentError, match='"female" or "male"'):
        dimensions("f")


def test_dimensions_are_a_mapping_with_pictures_of_itself():
    found = dimensions("female", stature=1.7)
    assert len(found) == 94
    assert "sittingheight" in found
    assert "tail_length" not in found
    assert set(found) == set(survey("female").names)
    assert "stature=1.7" in repr(found)
    html = found._repr_html_()
    assert html.count("<tr>") == 95
    assert "given" in html
    assert "conditional" in html
    with pytest.raises(hk.NotFoundError, match="stature"):
        found["statur"]
    again = pickle.loads(pickle.dumps(found))
    assert dict(again) == dict(found)


def test_a_population_is_a_table_and_a_row_of_people():
    people = hk.population(11, seed=2)
    assert len(people) == 11
    assert len(list(people)) == 11
    assert len(people[2:5]) == 3
    assert repr(people) == "Population(6 female, 5 male)"
    assert people[0].sex == "female"
    assert people[-1].sex == "male"
    assert people[-1]["stature"] == people.dimensions["stature"][-1]
    assert people.dimensions.dtype.names == survey("male").names
    with pytest.raises(IndexError):
        people[11]
    with pytest.raises(ValueError, match="read-only"):
        people.dimensions["stature"][0] = 1


def test_a_seed_draws_the_same_people_and_another_others():
    one, same, other = (population(4, sex="male", seed=s).dimensions for s in (1, 1, 2))
    assert (one == same).all()
    assert not (one == other).any()


def test_what_is_given_is_given_to_all():
    people = population(5, sex="male", stature=1.9, age=30, dimensions={"hand_length": 0.2})
    assert (people.dimensions["stature"] == 1.9).all()
    assert (people.dimensions["age"] == 30).all()
    assert (people.dimensions["hand_length"] == 0.2).all()
    assert np.ptp(people.dimensions["weight"]) > 0
    assert people[1].origin("stature") == "given"
    assert people[1].origin("weight") == "drawn"


def test_whitening_needs_more_people_than_dimensions():
    with pytest.raises(hk.ArgumentError, match="more than 94"):
        population(94, sex="male", whiten=True)
    population(95, sex="male", whiten=True)
    with pytest.raises(hk.ArgumentError, match="n must be 0 to"):
        population(-1)
    assert len(population(0)) == 0


def test_boundary_cases_lie_on_the_ellipsoid_that_holds_the_share():
    """Of drawn people the share inside the ellipsoid through the cases is the one asked for."""
    names, people = ("stature", "sitting_height", "weight"), survey("male")
    cases = boundary_cases(names, sex="male", coverage=0.9)
    assert len(cases) == 6
    assert len(boundary_cases(names, sex="male", axes=1)) == 2
    scores = np.array([[people.score(n, case[n]) for n in names] for case in cases])
    assert scores[0] == pytest.approx(-scores[1])
    assert abs(scores[0] @ scores[2]) < 1e-9  # axes at right angles
    assert np.linalg.norm(scores[0]) >= np.linalg.norm(scores[2]) >= np.linalg.norm(scores[4])
    shape = sum(np.outer(s, s) for s in scores[::2])  # ends on the edge: s^T shape^-1 s = 1
    drawn = people.condition({}).draw(20_000, np.random.default_rng(0))
    at = [people.index(n) for n in names]
    z = np.array(
        [[people.score(n, v) for n, v in zip(names, row, strict=True)] for row in drawn[:4000, at]]
    )
    inside = np.einsum("ni,ij,nj->n", z, np.linalg.inv(shape), z) < 1
    assert inside.mean() == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize("bad", [{"coverage": 1}, {"coverage": 0}, {"axes": 0}, {"axes": 3}])
def test_bad_boundaries_are_refused(bad):
    with pytest.raises(hk.ArgumentError):
        boundary_cases(**bad)
    with pytest.raises(hk.ArgumentError, match="each once"):
        boundary_cases(("stature", "stature"))
    with pytest.raises(TypeError, match="axes must be a whole number"):
        boundary_cases(axes=1.5)
    with pytest.raises(hk.ArgumentError, match="each once"):
        boundary_cases(())
    assert len(boundary_cases("stature")) == 2


@pytest.mark.parametrize(
    ("given", "wrong", "says"),
    [
        ({"stature": "1.7"}, TypeError, "stature must be a number"),
        ({"stature": np.array([1.7, 1.8])}, TypeError, "stature must be a number"),
        ({"dimensions": {"sitting_height": None}}, TypeError, "sitting_height must be a number"),
        ({"sex": ["male"]}, hk.ArgumentError, "sex must be"),
        ({"seed": -1}, hk.ArgumentError, "seed must be 0 to"),
        ({"seed": 1.5}, TypeError, "seed must be a whole number"),
    ],
)
def test_wrong_calls_say_what(given, wrong, says):
    with pytest.raises(wrong, match=says):
        dimensions(**given)
    with pytest.raises(wrong, match=says):
        population(2, **given)


def test_more_wrong_calls_say_what():
    people, rng = survey("male"), np.random.default_rng(0)
    with pytest.raises(TypeError, match="percentile must be a number"):
        dimensions(percentile="95")
    with pytest.raises(TypeError, match="n must be a whole number"):
        people.condition({}).draw(2.0, rng)
    with pytest.raises(TypeError, match="rng must be a numpy"):
        people.condition({}).draw(2, 5)
    with pytest.raises(hk.ArgumentError, match="0 to"):
        people.condition({}).draw(-1, rng)
    with pytest.raises(TypeError, match="whole numbers and slices"):
        population(3)[[0, 1]]


def test_people_of_a_sobol_sequence_average_better():
    """Means and a share of 256 against many drawn at random; the marginals stay the survey's."""
    pytest.importorskip("scipy")
    many = population(12_000, sex="female", seed=9, whiten=True).dimensions
    true = {name: many[name].mean() for name in ("stature", "weight", "popliteal_height", "span")}
    off = {}
    for sampling in ("random", "sobol"):
        drawn = [population(256, sex="female", seed=k, sampling=sampling) for k in range(5)]
        off[sampling] = [
            np.sqrt(np.mean([(people.dimensions[name].mean() / true[name] - 1) ** 2
                             for people in drawn])) for name in true
        ]  # fmt: skip
    assert (np.array(off["sobol"]) < 0.35 * np.array(off["random"])).all()
    people = drawn[0].dimensions
    for name in ("stature", "weight", "hip_breadth_sitting"):
        wanted = np.percentile(many[name], [5, 50, 95])
        np.testing.assert_allclose(np.percentile(people[name], [5, 50, 95]), wanted, rtol=0.02)
    names = list(many.dtype.names)
    theirs, ours = (np.corrcoef([x[name] for name in names]) for x in (many, people))
    assert abs(theirs - ours).max() < 0.15


def test_a_sobol_draw_is_repeated_and_keeps_what_is_given():
    pytest.importorskip("scipy")
    one, two = (population(9, seed=3, stature=1.7, sampling="sobol") for _ in range(2))
    assert one.dimensions.tobytes() == two.dimensions.tobytes()
    assert one.sampling == "sobol"
    assert (one.dimensions["stature"] == 1.7).all()
    assert len({*one.dimensions["weight"]}) == 9
    assert len(population(0, sampling="sobol")) == 0
    with pytest.raises(hk.ArgumentError, match="sampling"):
        population(3, sampling="even")
    with pytest.raises(hk.ArgumentError, match=r"not independent .* sets=16"):
        hk.access.share(one, hk.Scene(), [[0.4, 0, 1.0]])


def test_sets_of_people_give_an_interval_that_covers():
    """Of 10 draws of 8 sets the intervals cover the truth as often as they say, and are narrow."""
    pytest.importorskip("scipy")
    many = population(12_000, sex="female", seed=9, whiten=True).dimensions["stature"]
    met, wide = np.zeros(2, int), []
    for seed in range(10):
        people = population(64, sex="female", seed=seed, sampling="sobol", sets=8)
        stature = people.dimensions["stature"]
        for k, (values, true) in enumerate(
            ((stature, many.mean()), (stature < 1.62, (many < 1.62).mean()))
        ):
            low, high = people.interval(values)
            met[k] += low <= true <= high
        alone = population(64, sex="female", seed=seed)
        low, high = alone.interval(alone.dimensions["stature"] < 1.62)
        wide.append(np.ptp(people.interval(stature < 1.62)) / (high - low))
    assert (met >= 7).all()  # 9.5 are to be expected, fewer than 7 once in 1,000 times
    assert np.mean(wide) < 0.9


def test_sets_are_drawn_apart_and_counted():
    pytest.importorskip("scipy")
    people = population(64, seed=5, sampling="sobol", sets=16)
    assert np.bincount(people.set).tolist() == [4] * 16
    for word in ("female", "male"):
        assert np.bincount(people.set[people.sex == word]).tolist() == [2] * 16
    assert len({*people.dimensions["stature"]}) == 64
    again = population(64, seed=5, sampling="sobol", sets=16)
    assert again.dimensions.tobytes() == people.dimensions.tobytes()
    one = population(4, sex="male", seed=5, sampling="sobol", sets=1)
    assert (one.set == 0).all()
    stature = people.dimensions["stature"]
    means = np.array([stature[people.set == k].mean() for k in range(16)])
    t = 2.131449545559323  # Student's with 15 degrees of freedom, 97.5 %, as tables print it
    half = t * means.std(ddof=1) / 4
    np.testing.assert_allclose(people.interval(stature), means.mean() + [-half, half], rtol=1e-9)


def test_a_share_that_is_the_same_everywhere_has_wilsons_interval():
    """0 of 10: to 0.278, as tables of Wilson's interval have it."""
    people = population(10, sex="female", seed=1)
    low, high = people.interval(np.zeros(10))
    assert low == pytest.approx(0, abs=1e-12)
    assert high == pytest.approx(0.2775, abs=1e-4)
    pytest.importorskip("scipy")
    sets = population(32, sex="female", sampling="sobol", sets=16)
    low, high = sets.interval(np.ones(32, bool))
    assert high == 1
    assert 0.85 < low < 0.92
    # one of five in each of three sets: their mean is rounded, and they would differ by that
    sets = population(15, sex="female", sampling="sobol", sets=3)
    low, high = sets.interval(np.tile([1.0, 0, 0, 0, 0], 3))
    assert low == pytest.approx(0.0705, abs=1e-4)
    assert high == pytest.approx(0.4519, abs=1e-4)


def test_wrong_sets_and_intervals_are_told():
    for more, says in (
        ({"sets": 2}, "sets are of Sobol"),
        ({"sets": 3, "sampling": "sobol"}, "shared out equally"),
        ({"sets": 0}, "sets must be 1 or more"),
        ({"sets": 2, "sampling": "sobol", "whiten": True}, "not whitened"),
    ):
        with pytest.raises(hk.ArgumentError, match=says):
            population(32, **more)
    people = population(4, sex="female")
    with pytest.raises(hk.ArgumentError, match="one for each of 4"):
        people.interval([1.0, 2.0])
    with pytest.raises(hk.ArgumentError, match="level"):
        people.interval([0, 1, 1, 0], level=1.0)
    with pytest.raises(hk.ArgumentError, match="not independent"):
        population(120, sex="female", whiten=True).interval(np.zeros(120))
    with pytest.raises(hk.ArgumentError, match="sets=16"):
        population(1).interval([1.0])


def test_some_of_a_population_are_the_same_people():
    people = hk.population(40, seed=2, chair="manual", sampling="sobol", sets=4, profile="sci_c6")
    short = people.dimensions["stature"] < 1.65
    some = people.of(short)
    assert 0 < len(some) < 40
    assert [one["stature"] for one in some] == people.dimensions["stature"][short].tolist()
    for name in ("sex", "set", "seat_height"):
        assert (getattr(some, name) == getattr(people, name)[short]).all()
    assert some.human(0).impaired is not None
    # each in the same chair, whether it is drawn before the choice or after
    powered = people.with_chair("power").seat_height[short]
    assert (some.with_chair("power").seat_height == powered).all()
    twice = some.of(some.sex == "female").with_chair("power").seat_height
    assert (twice == powered[some.sex == "female"]).all()
    assert len(people.of(np.zeros(40, bool))) == 0
    for wrong in ([True], np.arange(40), np.ones(40), "short"):
        with pytest.raises(hk.ArgumentError, match="true or false for each of 40 people"):
            people.of(wrong)
    with pytest.raises(TypeError, match=r"people.of\(mask\)"):
        people[short]


@pytest.mark.parametrize("count", [2, 10, 11, 23, 62, 200])  # rounding missed one end of some
def test_nobody_and_everybody_end_an_interval_exactly(count):
    people = hk.population(count, sex="male")
    assert people.interval(np.zeros(count, bool))[0] == 0.0
    assert people.interval(np.ones(count, bool))[1] == 1.0


def test_a_population_is_a_table_of_arrow():
    pa = pytest.importorskip("pyarrow")
    for people in (
        hk.population(5, seed=1),
        hk.population(4, chair="power").of([1, 0, 1, 1] == np.ones(4)),
    ):
        table = pa.table(people)
        names = people.dimensions.dtype.names
        more = () if people.chair is None else ("seat_height",)
        assert tuple(table.column_names) == ("sex", *names, *more)
        assert table["sex"].to_pylist() == people.sex.tolist()
        for name in names:
            assert table[name].to_pylist() == people.dimensions[name].tolist()
        for name in more:
            assert table[name].to_pylist() == people.seat_height.tolist()
    asked = pa.schema(
        [
            ("sex", pa.large_string()),
            *((n, pa.float64()) for n in names),
            ("seat_height", pa.float64()),
        ]
    )
    assert pa.table(people, schema=asked).schema == asked
    assert pa.table(hk.population(0)).num_rows == 0


def test_without_pyarrow_a_table_says_what_is_missing(monkeypatch):
    people = hk.population(2)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(hk.UnsupportedError, match="pyarrow"):
        people.__arrow_c_stream__()
