"""Body dimensions: against the survey's own tables, and against regressions fitted to its records."""

import csv
from functools import partial
from importlib.resources import files
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import handik as hk
from handik.people import survey
from handik.people._quantile import QuantileMap, chi_square_quantile, farthest

SEXES = ("female", "male")
FOLDER = files("handik.data") / "people"
#: Linear models of the same 4,082 men and 1,986 women, fitted to the records themselves by ordinary
#: least squares: value = b0 + b1 stature + b2 weight, in mm and kg, and the residual's deviation.
REGRESSIONS = {
    ("male", "sitting_height"): (216.689, 0.393277, 0.127699, 22.329),
    ("male", "acromial_height"): (-91.801, 0.852609, 0.411264, 15.315),
    ("male", "bideltoid_breadth"): (433.461, -0.061005, 2.152623, 14.907),
    ("male", "popliteal_height"): (-138.239, 0.341303, -0.366668, 12.490),
    ("male", "waist_circumference"): (1024.906, -0.435768, 7.962366, 44.020),
    ("female", "sitting_height"): (215.348, 0.394039, -0.005967, 21.327),
    ("female", "acromial_height"): (-74.163, 0.853713, 0.280542, 13.410),
    ("female", "bideltoid_breadth"): (386.785, -0.062651, 2.443462, 14.204),
    ("female", "popliteal_height"): (-136.921, 0.344499, -0.529623, 13.069),
    ("female", "waist_circumference"): (1014.124, -0.471719, 9.075844, 48.516),
}


def table() -> list[dict[str, str]]:
    with (FOLDER / "dimensions.csv").open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_every_row_has_a_source_and_how_far_to_trust_it():
    with (FOLDER / "sources.csv").open(encoding="utf-8", newline="") as text:
        known = {row["key"]: row for row in csv.DictReader(text)}
    assert len(table()) == 188
    for row in table():
        assert row["source"] in known
        assert row["trust"] == "computed"
    assert all(row["what"] and row["trust"] for row in known.values())


@pytest.mark.parametrize("sex", SEXES)
def test_quantiles_are_those_of_the_table(sex):
    people = survey(sex)
    for row in (r for r in table() if r["sex"] == sex):
        unit = {"mm": 1e-3, "kg": 1, "year": 1}[row["unit"]]
        for p in (1, 5, 10, 25, 50, 75, 90, 95, 99):
            wanted = unit * float(row[f"p{p}"])
            assert people.quantile(row["name"], p / 100) == pytest.approx(wanted, rel=1e-12)


def test_interpupillary_breadth_is_not_ten_times_too_large():
    # ANSUR II writes this one dimension in tenths of a millimetre.
    assert 0.060 < survey("male").quantile("interpupillary_breadth", 0.5) < 0.066


def close_percentiles(people, drawn, share: float) -> int:
    """Of how many dimensions p5, p50 and p95 of the people drawn are within a share of the survey's."""
    got = np.quantile(drawn, [0.05, 0.5, 0.95], axis=0).T
    wanted = np.array([[people.quantile(n, p) for p in (0.05, 0.5, 0.95)] for n in people.names])
    return int(np.all(np.abs(got / wanted - 1) < share, axis=1).sum())


@pytest.mark.parametrize("sex", SEXES)
def test_drawn_people_have_the_survey_percentiles(sex):
    people = survey(sex)
    drawn = people.condition({}).draw(10_000, np.random.default_rng(7))
    assert close_percentiles(people, drawn, 0.007) >= 92  # age misses by 1 %


@pytest.mark.parametrize("sex", SEXES)
def test_whitened_people_have_the_survey_correlations(sex):
    people = survey(sex)
    drawn = people.condition({}).draw(10_000, np.random.default_rng(3), whiten=True)
    off = np.abs(np.corrcoef(drawn.T) - people.correlation)
    assert off.max() < 0.01
    # Scores correlated as the dimensions are, the first idea, miss by up to 0.016.
    assert close_percentiles(people, drawn, 0.005) >= 92


def test_independent_people_have_the_survey_correlations():
    people = survey("male")
    at = [people.index(n) for n in ("stature", "weight", "sitting_height", "span", "hip_breadth")]
    drawn = people.condition({}).draw(10_000, np.random.default_rng(11))[:, at]
    off = np.abs(np.corrcoef(drawn.T) - people.correlation[np.ix_(at, at)])
    assert off.max() < 0.03


@pytest.mark.parametrize(("key", "line"), REGRESSIONS.items())
def test_conditional_middle_is_near_the_regression(key, line):
    sex, name = key
    b0, stature_share, weight_share, deviation = line
    people = survey(sex)
    for p in (0.1, 0.5, 0.9):
        stature = people.quantile("stature", p)
        for share in (0.2, 0.5, 0.8):
            weight = people.condition({"stature": stature}).quantile("weight", share)
            wanted = 1e-3 * (b0 + 1e3 * stature_share * stature + weight_share * weight)
            some = people.condition({"stature": stature, "weight": weight})
            assert abs(some.median[name] - wanted) < 0.35 * 1e-3 * deviation
            low, high = some.interval(0.6827)[name]
            assert 0.5 * (high - low) == pytest.approx(1e-3 * deviation, rel=0.2)


def surveyed(people, rows, folder):
    """Return the survey that rows of people are, by way of files."""
    shares = {f"p{p}": p / 100 for p in (1, 5, 10, 25, 50, 75, 90, 95, 99)}
    percentiles = np.quantile(rows, list(shares.values()), axis=0).T.tolist()
    with (folder / "dimensions.csv").open("w", newline="") as text:
        out = csv.writer(text)
        out.writerow(["name", "unit", "sex", *shares])
        for name, values in zip(people.names, percentiles, strict=True):
            out.writerow([name, "year" if name == "age" else "m", people.sex, *values])  # SI: 1
    with (folder / "correlation.csv").open("w", newline="") as text:
        out = csv.writer(text)
        out.writerow(["", *people.names])
        for name, values in zip(people.names, np.corrcoef(rows.T).tolist(), strict=True):
            out.writerow([name, *values])
    return hk.people.Survey.read(
        folder / "dimensions.csv", folder / "correlation.csv", sex=people.sex
    )


@pytest.mark.parametrize("held_out", [False, True])
def test_intervals_cover_what_they_say(held_out, tmp_path):
    """People told by stature and weight alone lie in their 90 % intervals 90 % of the time.

    Drawn ones, and a half of them by tables that are made of the other half.
    """
    people = survey("female")
    rows = people.condition({}).draw(150 + 993 * held_out, np.random.default_rng(5))
    if held_out:
        people, rows = surveyed(people, rows[150:], tmp_path), rows[:150]
    inside = np.zeros(len(people.names))
    for row in rows:
        known = {n: row[people.index(n)] for n in ("stature", "weight")}
        interval = people.condition(known).interval(0.9)
        inside += [interval[n][0] <= row[i] <= interval[n][1] for i, n in enumerate(people.names)]
    share = np.delete(inside / len(rows), [people.index("stature"), people.index("weight")])
    assert 0.88 < share.mean() < 0.92
    assert share.min() > 0.78


@given(st.floats(-3.9, 3.9), st.sampled_from(survey("female").names))
def test_score_and_value_are_each_others_inverse(z, name):
    people = survey("female")
    value = people.values(np.full(94, z))[people.index(name)]
    assert people.score(name, value) == pytest.approx(z, abs=1e-7)


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=2), st.sampled_from(survey("male").names))
def test_a_larger_score_never_gives_a_smaller_value(zs, name):
    people = survey("male")
    low, high = (people.values(np.full(94, z))[people.index(name)] for z in sorted(zs))
    assert low <= high


def test_a_flat_stretch_of_a_table_has_its_middle_as_score():
    flat = QuantileMap(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([1.0, 3.0, 3.0, 4.0]))
    assert flat.inverse(3.0) == pytest.approx(0.0, abs=1e-9)


def test_given_dimensions_are_kept_to_the_bit():
    known = {"stature": 1.7012345678, "hand_length": 0.171234567}
    for seed in (None, 4):
        found = hk.people.dimensions("female", dimensions=known, seed=seed)
        assert {name: found[name] for name in known} == known
        assert found.interval("hand_length") == (known["hand_length"],) * 2
    drawn = survey("female").condition(known).draw(5, np.random.default_rng(0))
    assert (drawn[:, survey("female").index("stature")] == known["stature"]).all()


def test_drawn_scores_stay_within_four_but_for_what_is_far_out_itself():
    people = survey("male")
    drawn = people.condition({}).draw(30_000, np.random.default_rng(2))
    ends = people.values(np.array([[-4.0] * 94, [4.0] * 94]))
    assert (drawn >= ends[0] - 1e-12).all()
    assert (drawn <= ends[1] + 1e-12).all()
    at = people.index("sitting_height")
    giant = people.condition({"stature": people.values(np.full(94, 5.9))[people.index("stature")]})
    assert (
        giant.draw(50, np.random.default_rng(0))[:, at].max() > people.values(np.full(94, 4.0))[at]
    )


@pytest.mark.parametrize("sex", SEXES)
def test_no_dimension_is_ever_zero_or_less(sex):
    people = survey(sex)
    assert (people.values(np.full(94, -6.0)) > 0).all()
    small = {"stature": people.values(np.full(94, -5.9))[people.index("stature")]}
    some = people.condition(small)
    assert (some.draw(2000, np.random.default_rng(3)) > 0).all()
    assert min(low for low, _ in some.interval(1 - 1e-8).values()) > 0
    assert min(some.quantile(name, 2e-9) for name in people.names) > 0


def test_people_drawn_around_somebody_far_out_lie_on_both_sides():
    """Once all beyond their middle were moved onto it, half of the people."""
    people = survey("male")
    tall = people.condition({"stature": people.values(np.full(94, 5.0))[people.index("stature")]})
    at = people.index("acromial_height")
    middle, rows = tall.median["acromial_height"], tall.draw(4000, np.random.default_rng(1))[:, at]
    assert np.mean(rows > middle) == pytest.approx(0.5, abs=0.03)
    # one person in 16,000 is moved, to four standard deviations from the middle
    rows = tall.draw(100_000, np.random.default_rng(1))[:, at]
    at_most = [tall.quantile("acromial_height", p) for p in (3.16712e-5, 1 - 3.16712e-5)]
    assert (rows.min(), rows.max()) == pytest.approx(at_most, rel=1e-6)


def test_dimensions_that_nobody_has_together_are_refused_by_name():
    people = survey("male")
    with pytest.raises(hk.ArgumentError, match=r"nobody has all .* it is about 1\.88 \(male\)"):
        people.condition({"stature": 1.5, "sitting_height": 1.0})
    # of several the one is named that is at odds with all others
    fitting = {n: people.quantile(n, 0.5) for n in ("stature", "knee_height_sitting", "span")}
    people.condition(fitting)
    with pytest.raises(hk.ArgumentError, match=r"crotch_height = 0\.65, but .* about 0\.8"):
        people.condition(fitting | {"crotch_height": 0.65})


@pytest.mark.parametrize("k", [1, 2, 5, 94])
def test_how_unlike_people_may_be_is_as_rare_as_six_scores(k):
    stats = pytest.importorskip("scipy.stats")
    assert farthest(k) == pytest.approx(stats.chi2.isf(2 * stats.norm.cdf(-6), k) ** 0.5, rel=1e-6)


def test_the_edge_of_contradiction_is_where_the_distance_says():
    """Along any direction of two scores, against Mahalanobis's distance by hand."""
    people, names = survey("female"), ("stature", "sitting_height")
    at = [people.index(n) for n in names]
    root = np.linalg.cholesky(people._of_scores[np.ix_(at, at)])
    for turn in np.linspace(0, 2 * np.pi, 24):
        edge = 6.331448770943475 * root @ [np.cos(turn), np.sin(turn)]
        if np.abs(edge).max() > 5.9:
            continue  # one alone is too far out
        for share, refused in ((0.999, False), (1.001, True)):
            z = np.zeros(94)
            z[at] = share * edge
            known = dict(zip(names, people.values(z)[at], strict=True))
            if refused:
                with pytest.raises(hk.ArgumentError, match="nobody has all"):
                    people.condition(known)
            else:
                people.condition(known)


@pytest.mark.parametrize("share", [0, 1, -0.5, np.nan, 1e-10, 1 - 1e-10])
def test_shares_that_no_survey_carries_are_refused(share):
    people = survey("male")
    some = people.condition({"stature": 1.8})
    for call in (lambda: people.quantile("weight", share), lambda: some.quantile("span", share)):
        with pytest.raises(hk.ArgumentError, match="a share of people"):
            call()
    if share != 1e-10:  # of an interval, next to nobody is no question
        with pytest.raises(hk.ArgumentError, match="a share of people"):
            some.interval(share)


def test_scores_of_another_shape_are_refused():
    for wrong in (np.zeros(93), np.zeros(95), np.full(94, np.nan)):
        with pytest.raises(hk.ArgumentError, match="scores must"):
            survey("male").values(wrong)


@pytest.mark.parametrize("sex", SEXES)
def test_values_beyond_what_the_tables_carry_are_refused(sex):
    people = survey(sex)
    ends = [people.values(np.full(94, z))[people.index("stature")] for z in (-6.0, 6.0)]
    people.condition({"stature": ends[1] - 1e-9})
    for value in (ends[0] - 1e-3, ends[1] + 1e-3, np.nan, np.inf):
        with pytest.raises(hk.ArgumentError, match="stature"):
            people.condition({"stature": value})
    with pytest.raises(hk.ArgumentError, match="looks like mm"):
        people.condition({"stature": 1700})
    with pytest.raises(hk.ArgumentError, match="looks like cm"):
        people.condition({"stature": 170})


def test_names_are_found_without_underscores_and_missed_by_name():
    people = survey("female")
    assert people.index("buttockkneelength") == people.index("buttock_knee_length")
    with pytest.raises(hk.NotFoundError, match="sitting_height"):
        people.index("siting_height")
    with pytest.raises(hk.ArgumentError, match="given twice"):
        people.condition({"sitting_height": 0.9, "sittingheight": 0.9})


@pytest.mark.parametrize("k", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("p", [0.01, 0.5, 0.9, 0.999])
def test_chi_square_quantile(k, p):
    stats = pytest.importorskip("scipy.stats")
    assert chi_square_quantile(p, k) == pytest.approx(stats.chi2.ppf(p, k), rel=1e-10)


# -- a survey of one's own ----------------------------------------------------------------------

HEAD = "name,unit,sex,p1,p5,p10,p25,p50,p75,p90,p95,p99\n"
ROWS = (
    "stature,cm,male,150,155,160,165,170,175,180,185,190\n"
    "weight,kg,male,45,50,55,60,65,70,78,85,100\n"
)


def own(tmp_path, rows=ROWS, correlation="name,stature,weight\nstature,1\nweight,0.5,1\n", **more):
    first, second = tmp_path / "d.csv", tmp_path / "r.csv"
    first.write_text(HEAD + rows, "utf-8")
    second.write_text(correlation, "utf-8")
    return hk.people.Survey.read(first, second, sex="male", **more)


def test_a_survey_of_ones_own(tmp_path):
    people = own(tmp_path, source="mine")
    assert people.source == "mine"
    assert not people.mended
    assert people.quantile("stature", 0.5) == pytest.approx(1.7)
    drawn = people.condition({}).draw(20_000, np.random.default_rng(1), whiten=True)
    assert np.corrcoef(drawn.T)[0, 1] == pytest.approx(0.5, abs=0.005)


def test_a_matrix_that_no_people_can_have_is_mended_and_says_so(tmp_path):
    rows = ROWS + "span,cm,male,150,155,160,165,170,175,180,185,190\n"
    impossible = "name,stature,weight,span\nstature,1\nweight,0.9,1\nspan,0.9,-0.9,1\n"
    people = own(tmp_path, rows, impossible)
    assert people.mended
    assert np.linalg.eigvalsh(people.correlation)[0] > 0
    assert np.allclose(np.diag(people.correlation), 1)
    people.condition({"stature": 1.8}).draw(3, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("rows", "correlation", "says"),
    [
        ("stature,cm,female,150,155,160,165,170,175,180,185,190\n", None, "no row of sex male"),
        (ROWS.replace("cm", "inch"), None, "unknown unit 'inch'"),
        (ROWS.replace("150", "x"), None, "'x' is not a number"),
        (ROWS.replace("155", "nan"), None, "'nan' is not a number"),
        (ROWS.replace("155", "149"), None, "do not rise"),
        (ROWS, "name,stature\nstature,1\n", "must name"),
        (ROWS, "name,stature,weight\nstature,1\nweight,,1\n", "a correlation is missing"),
        (ROWS, "name,stature,weight\nstature,1\nweight,50,1\n", "weight, stature: 50 is no corr"),
        (ROWS, "name,stature,weight\nstature,1\nweight,-1.1,1\n", "-1.1 is no correlation"),
        (
            ROWS,
            "name,stature,weight\nstature,0.9\nweight,0.5,1\n",
            "stature: 0.9 is no correlation",
        ),
        (ROWS, "name,stature,weight\nstature,1,0.9\nweight,0.5,1\n", "0.5 here and 0.9 there"),
        (ROWS + ROWS, None, r"two rows of stature \(male\)"),
        (ROWS.replace("150", "-150"), None, "stature are not all above zero"),
        (ROWS.replace("150", "1" * 140_000), None, "d.csv is no table: field larger than"),
        (ROWS.replace(",185,190", ""), None, "stature, p95: '' is not a number"),
        (
            ROWS + "stat_ure,cm,male,1,2,3,4,5,6,7,8,9\n",
            "name,stature,weight,stat_ure\nstature,1\nweight,0.5,1\nstat_ure,0.5,0.5,1\n",
            "differ by more than underscores",
        ),
    ],
)
def test_a_bad_table_is_refused_with_a_sentence(tmp_path, rows, correlation, says):
    more = () if correlation is None else (correlation,)
    with pytest.raises(hk.ArgumentError, match=says):
        own(tmp_path, rows, *more)


def test_a_row_that_ends_before_its_name_and_a_folder_are_told(tmp_path):
    first, second = tmp_path / "d.csv", tmp_path / "r.csv"
    first.write_text(HEAD.replace("name,", "").strip() + ",name\ncm,male" + ",150" * 9, "utf-8")
    with pytest.raises(hk.ArgumentError, match="a row has no name"):
        hk.people.Survey.read(first, second, sex="male")
    with pytest.raises(hk.ReadError, match="it is a folder"):
        hk.people.Survey.read(tmp_path, second, sex="male")


@pytest.mark.parametrize("size", [2.0**600, 2.0**-600])
def test_no_square_of_a_dimension_overflows(size):
    rng = np.random.default_rng(4)
    table = {"a": rng.normal(10, 1, 50), "b": rng.normal(20, 1, 50)}
    plain = hk.people.Survey.from_records(table, sex="male")
    table["a"] *= size
    found = hk.people.Survey.from_records(table, sex="male")
    assert found.correlation.tobytes() == plain.correlation.tobytes()
    assert found._of_scores.tobytes() == plain._of_scores.tobytes()


def test_a_missing_column_is_named(tmp_path):
    (tmp_path / "d.csv").write_text("name,unit,sex,p1\n", "utf-8")
    with pytest.raises(hk.ArgumentError, match="p50"):
        hk.people.Survey.read(tmp_path / "d.csv", tmp_path / "r.csv", sex="male")


def test_standard_normal_scores_are_pythons():
    assert survey("male").score(
        "stature", survey("male").quantile("stature", 0.9)
    ) == pytest.approx(NormalDist().inv_cdf(0.9))


def test_a_survey_of_records_is_that_of_its_tables(tmp_path):
    ours = survey("male")
    rows = ours.condition({}).draw(60, np.random.default_rng(2))
    of_files = surveyed(ours, rows, tmp_path)
    table = {name: rows[:, k] for k, name in enumerate(ours.names)}
    structured = np.ascontiguousarray(rows).view([(n, float) for n in ours.names])[:, 0]
    for records in (table, structured):
        own = hk.people.Survey.from_records(records, sex="male")
        assert own.names == ours.names
        assert np.allclose(own.correlation, of_files.correlation, atol=1e-12)
        for name in ("stature", "age", "hand_length"):
            for p in (0.02, 0.5, 0.9):
                assert own.quantile(name, p) == pytest.approx(of_files.quantile(name, p))
    # and it is what people are drawn from, and dimensions are told by
    own = hk.people.Survey.from_records(
        {n: 1.01 * table[n] for n in ("stature", "weight")}, sex="male"
    )
    drawn = hk.population(400, survey=own, seed=1, whiten=True)
    assert repr(drawn) == "Population(0 female, 400 male)"
    assert drawn.dimensions.dtype.names == ("stature", "weight")
    assert np.median(drawn.dimensions["stature"]) == pytest.approx(
        1.01 * np.median(table["stature"]), rel=0.005
    )
    one = hk.people.dimensions(survey=own, percentile=50)
    assert one.sex == "male"
    assert one["stature"] == own.quantile("stature", 0.5)
    (low, high), *_ = [
        sorted(c["stature"] for c in hk.people.boundary_cases("stature", survey=own))
    ]
    assert low < one["stature"] < high
    with pytest.raises(hk.ArgumentError, match="sex is 'female', but the survey is of male people"):
        hk.population(3, sex="female", survey=own)
    with pytest.raises(TypeError, match=r"survey must be a handik Survey, got 'mine\.csv'"):
        hk.people.dimensions(survey="mine.csv")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"stature": 1000}, "the median stature is 1.*; lengths are in meters, 1.* looks like mm"),
        ({"stature": 100}, "looks like cm"),
        ({"stature": np.nan}, r"records\['stature'\] must be finite"),
        ({"weight": 0}, "the percentiles of weight do not rise, too few of them differ"),
    ],
)
def test_records_that_are_none_are_told(change, says):
    people = hk.population(20, sex="female", seed=1).dimensions
    table = {name: people[name] * change.get(name, 1) for name in ("stature", "weight")}
    with pytest.raises(hk.ArgumentError, match=says):
        hk.people.Survey.from_records(table, sex="female")


def test_records_are_columns_of_as_many_people():
    people = hk.population(20, sex="female", seed=1).dimensions
    of = hk.people.Survey.from_records
    assert of(people[["stature"]], sex="female").names == ("stature",)
    for wrong in ([[1.6, 60.0]] * 30, "mine.csv", {}, {1: people["stature"]}):
        with pytest.raises(hk.ArgumentError, match="records must have columns by name"):
            of(wrong, sex="female")
    with pytest.raises(hk.ArgumentError, match="of 20 people or more, not 19"):
        of(people[:19], sex="female")
    with pytest.raises(hk.ArgumentError, match="one number a person in each column"):
        of({"stature": people["stature"], "weight": people["weight"][1:]}, sex="female")


def test_tables_of_spreadsheets(tmp_path):
    """A byte order mark is no part of a name; semicolons, other letters and no file are told."""
    people = own(tmp_path)
    first, second = tmp_path / "d.csv", tmp_path / "r.csv"
    plain, matrix = first.read_text("utf-8"), second.read_text("utf-8")
    read = partial(hk.people.Survey.read, first, second, sex="male")
    first.write_text(plain, "utf-8-sig")
    second.write_text(matrix, "utf-8-sig")
    assert read().quantile("stature", 0.5) == people.quantile("stature", 0.5)
    first.write_text(plain.replace(",", ";"), "utf-8")
    with pytest.raises(hk.ArgumentError, match="parted by semicolons, not commas"):
        read()
    first.write_bytes(plain.encode() + "größe".encode("latin-1"))
    with pytest.raises(hk.ArgumentError, match=r"d\.csv is not written in UTF-8"):
        read()
    first.write_text(plain, "utf-8")
    second.write_text(matrix.replace("0.5", "half"), "utf-8")
    with pytest.raises(hk.ArgumentError, match="'half' is not a number"):
        read()
    second.write_text("", "utf-8")
    with pytest.raises(hk.ArgumentError, match=r"r\.csv: there is no row"):
        read()
    second.unlink()
    with pytest.raises(hk.MissingFileError, match=r"r\.csv"):
        read()
