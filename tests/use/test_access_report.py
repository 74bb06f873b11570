"""The report on access: what it says, in both languages, its data, and a page that asks nobody."""

from __future__ import annotations

import csv
import json
import re
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import handik as hk
from handik.app import _report, _report_doors, _report_files, _report_profile
from handik.app._report_words import Words
from handik.app.cli.main import main
from handik.people._seat_heights import mean_seat_height
from handik.scene import Box, Target

pytest.importorskip("matplotlib")


def corner() -> hk.Scene:
    """A switch that is legal and reached, one too high, and one that no floor lies before."""
    scene = hk.Scene(name="corner").add("wall", Box([0.1, 6, 2.5]), [0.55, 0, 1.25], tags="wall")
    for name, y, z in (("low", -1.0, 1.0), ("high", 1.0, 2.2), ("far", 2.5, 1.0)):
        scene = scene.add(name, pose=[0.5, y, z]).add(f"{name}/press", Target("axis", [1, 0, 0]))
    return scene.add("block", Box([4, 0.4, 2.0]), [-1.5, 2.5, 1.0])


def hall(width: float) -> hk.Scene:
    """Two closed rooms, and a door with a leaf of some width in the opening between them."""
    scene = hk.Scene(name="hall").add("doorway", tags="doorway")
    for name, y in (("left", 1.5), ("right", -1.5)):
        scene = scene.add(name, Box([0.1, 2.1, 2.5]), [0, y, 1.25], tags="wall")
    for end in (-3, 3):
        scene = scene.add(f"end {end}", Box([0.1, 5, 2.5]), [end, 0, 1.25], tags="wall")
        scene = scene.add(f"side {end}", Box([6, 0.1, 2.5]), [0, end * 0.83, 1.25], tags="wall")
    turn = np.array([[0.0, -1, 0, 0], [1, 0, 0, -0.45], [0, 0, 1, 0], [0, 0, 0, 1]])
    scene = scene.add("door", pose=turn, tags="door")
    return scene.add("door/leaf", Box([width, 0.04, 2.0]), [width / 2, 0, 1.0])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("report")
    corner().save(folder / "corner.toml")
    out = {}
    for language in ("en", "fr"):
        out[language] = folder / language
        words = ["access", str(folder / "corner.toml"), "--lang", language, "--tries", "4"]
        words += ["--person", "sex=female,body=plain", "--out", str(out[language])]
        words += ["--route", "past=-2,-2:-2,0", "--rules", "ADA2010,FR-ERP-NEW"]
        assert main([*words, *(["--population", "2"] if language == "fr" else [])]) == 0
    return out


def test_code_and_use_are_told_apart() -> None:
    person = hk.human(sex="female", body="plain")
    done: list[tuple[int, int]] = []
    found = hk.access.code_against_use(
        corner(), [person, person], progress=lambda *a: done.append(a)
    )
    assert done == [(1, 2), (2, 2)]
    assert {use.place: (use.legal, use.usable) for use in found.uses} == {
        "low/press": ("pass", "yes"),
        "high/press": ("fail", "no"),
        "far/press": ("fail", "undecided"),  # no floor for it is no proof that nobody gets there
    }
    assert found.of("legal and usable") == ("low/press",)
    assert found.of("neither") == ("high/press",)
    assert found.of("undecided") == ("far/press",)
    low, _, far = found.uses
    assert far.witness is None
    assert low.share.share == 1
    assert found.share is not None
    assert found.share.share == 0
    with pytest.raises(hk.ArgumentError, match="kind"):
        found.of("both")


def test_a_witness_gets_the_hand_to_the_target() -> None:
    scene, person = corner(), hk.human(sex="female", body="plain")
    for use in hk.access.code_against_use(scene, person).uses:
        if use.usable == "yes":
            assert use.witness is not None
            placed = person.with_base(use.witness.pose)
            hands = [
                placed.model.fk(use.witness.reach.q, frame=f"grip_{s}")[:3, 3]
                for s in ("right", "left")
            ]
            at = scene.world(use.place)[:3, 3]
            assert min(np.linalg.norm(hand - at) for hand in hands) < 1.1e-3


def test_a_place_that_is_given_counts_too() -> None:
    """Between posts 0.7 m apart there is no floor of 0.76 m, but room for a body."""
    scene = hk.Scene().add("wall", Box([0.1, 6, 2.5]), [0.55, 0, 1.25], tags="wall")
    scene = scene.add("part", pose=[0.5, 0, 1.0]).add("part/press", Target("axis", [1, 0, 0]))
    for name, y in (("left", 0.4), ("right", -0.4)):
        scene = scene.add(name, Box([3.4, 0.1, 2.0]), [-1.2, y, 1.0])
    person = hk.human(sex="female", body="plain")
    far = hk.access.code_against_use(scene, person).uses[0]
    assert (far.place, far.usable, far.witness) == ("part/press", "undecided", None)
    floor = far.share.causes[0]
    assert str(floor) == "there is no free floor from which to reach it: 1 person"
    assert floor.tell("fr").startswith("il n'y a pas de sol libre")
    near = hk.access.code_against_use(scene, person, places=[[-0.2, 0, 0.0]]).uses[0]
    assert near.usable == "yes"
    assert near.share.causes == ()
    assert near.witness is not None
    assert near.witness.approach == "given"
    assert near.legal == far.legal == "fail"


def test_legal_is_not_usable_and_usable_not_legal() -> None:
    """1,200 mm is legal and too high for who cannot lift the arm; 1,250 mm is the other way round."""
    scene = hk.Scene().add("a", pose=[1, 0, 1.2]).add("a/press", Target("axis"))
    tall = hk.Scene().add("a", pose=[1, 0, 1.25]).add("a/press", Target("axis"))
    small = hk.human(sex="female", stature=1.3, weight=40, body="plain")
    large = hk.human(sex="male", stature=1.85, body="plain")
    assert hk.access.code_against_use(tall, large).uses[0].kind == "usable, not legal"
    floor = scene.add("under", Box([0.5, 1.0, 0.02]), [0.75, 0, 0.95], tags="table")
    kinds = {hk.access.code_against_use(floor, one).uses[0].kind for one in (small, large)}
    assert kinds == {"legal and usable", "legal, not usable"}


def test_the_files_say_the_same(written: dict[str, Path]) -> None:
    for folder in written.values():
        kept = json.loads((folder / "access.json").read_text("utf-8"))
        rows = list(csv.DictReader((folder / "findings.csv").read_text("utf-8").splitlines()))
        assert len(rows) == len(kept["findings"])
        counts = {word: sum(r["verdict"] == word for r in rows) for word in kept["counts"]}
        assert counts == kept["counts"]
        uses = list(csv.DictReader((folder / "uses.csv").read_text("utf-8").splitlines()))
        assert [u["kind"] for u in uses] == [u["kind"] for u in kept["uses"]]
        page = (folder / "access.html").read_text("utf-8")
        for use in kept["uses"]:
            assert use["place"].replace("/", "/<wbr>") in page
        for finding in kept["findings"]:
            if finding["verdict"] == "fail":
                assert finding["place"].replace("/", "/<wbr>") in page
        assert kept["assumed"] == list(_report.ASSUMED)


def test_a_page_asks_nobody(written: dict[str, Path]) -> None:
    for language, folder in written.items():
        page = (folder / "access.html").read_text("utf-8")
        assert f'<html lang="{language}">' in page
        assert not re.search(r"""(src|href)=["'](?!data:|#)""", page)
        assert "<script" not in page
        assert "@import" not in page
        assert page.count("data:image/png;base64,") == 2  # two have a place to be seen from
        assert "<svg role=" in page


def test_all_is_said_in_french(written: dict[str, Path]) -> None:
    say = Words("fr")
    from handik.app._report_words import _french

    known = _french()
    for rule in hk.access.rules():
        for text in (
            *(rule.subject, rule.condition, rule.quantity),
            *(rule.why, rule.trust, rule.source),
        ):
            assert not text or text in known, text
    for name in ("kitchen", "flat", "bathroom"):
        for found in hk.access.check(hk.scene.gallery(name), ["ADA2010", "FR-ERP-NEW"]):
            english = [part.strip() for part in found.why.split(";")]
            french = [part.strip() for part in say.note(found.why).split(";")]
            assert not found.why or not set(english) & set(french), found.why
    texts = (*_report.ASSUMED, _report.PLAN, _report.MARKS, _report.BLUE, _report.STANDS)
    for text in (*texts, _report.LIMITS, _report.CIRCLE, _report.MORE):
        assert text in known
    for text in _report._TRUST.values():
        assert text in known
    for english, french in known.items():
        assert english.count("{}") == french.count("{}"), english
    english_page = (written["en"] / "access.html").read_text("utf-8")
    french_page = (written["fr"] / "access.html").read_text("utf-8")
    assert "What fails" in english_page
    assert "What fails" not in french_page
    assert say.number(1.5, 2) == "1,50"
    assert "Personne : femme, 1,63 m" in french_page
    assert "personnes qui les atteignent tous" in french_page


def test_facts_and_assumptions_of_an_impairment_are_told_apart(tmp_path: Path) -> None:
    corner().save(tmp_path / "corner.toml")
    words = ["access", str(tmp_path / "corner.toml"), "--tries", "1", "--out", str(tmp_path)]
    assert main([*words, "--person", "sex=female,body=plain,profile=hemiplegia"]) == 0
    (told,) = json.loads((tmp_path / "access.json").read_text("utf-8"))["impairments"]
    one = hk.people.impairments.profile("hemiplegia")
    assert (told["severity"], told["sides"], told["grasp"]) == (1.0, ["right"], "none")
    facts = [(f.text, f.trust, f.source) for f in one.facts]
    facts += [(str(row), row.trust, row.source) for row in one.rows if not row.assumed]
    assert [tuple(fact.values()) for fact in told["facts"]] == facts
    assumed = [(str(row), row.source) for row in one.assumptions]
    assert [tuple(row.values()) for row in told["assumptions"]] == assumed
    page = unescape((tmp_path / "access.html").read_text("utf-8")).replace("/<wbr>", "/")
    first = page.index("Facts about it")
    second = page.index("Assumptions made from them")
    assert all(first < page.index(what) < second for what, *_ in facts)
    assert all(page.index(what, second) for what, _ in assumed)


def test_every_profile_is_told_in_french_by_its_title() -> None:
    from handik.app._report_words import _french

    for name in hk.people.impairments.profiles():
        person = hk.human(sex="female", body="plain", profile=name)
        said = "".join(_report_profile.profiles_of(person, Words("fr")))
        title = hk.people.impairments.profile(name).title
        assert _french()[title] in unescape(said)
        assert "Déficience" in said
        assert ("Les faits" in said) == bool(_report_profile.impairments(person)[0]["facts"])
    assert not _report_profile.profiles_of(hk.human(body="plain"), Words("en"))


def test_doors_are_told_from_both_sides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for size, leaf in ((0.9, "yes"), (0.2, None)):
        hall(size).save(tmp_path / "hall.toml")
        words = ["access", str(tmp_path / "hall.toml"), "--lang", "fr", "--tries", "1"]
        words += ["--chair", "rear,width=0.7,length=1.2"]
        assert main([*words, "--out", str(tmp_path / "out")]) == 0
        said = capsys.readouterr()
        kept = json.loads((tmp_path / "out" / "access.json").read_text("utf-8"))["doors"]
        page = (tmp_path / "out" / "access.html").read_text("utf-8")
        assert "<h2>Portes</h2>" in page
        assert ("Les portes n’ont pas été examinées" in page) == (leaf is None)
        if leaf is None:
            assert kept == []
            assert "doors were not asked" in said.err
            continue
        assert [(one["door"], one["side"], one["verdict"]) for one in kept] == [
            ("door", "pull", leaf),
            ("door", "push", leaf),
        ]
        assert kept[0]["facts"]["door"] == "hinged, 0.900 m wide"
        assert "côté tirer" in page
        assert "door, from the pull side: yes" in said.out
        assert "à roues arrière motrices, 700 mm de large (donné)" in page
        assert "Portes que la personne passe des deux côtés : 1 sur 1" in page
        assert page.count("data:image/png;base64,") == 2  # a drive from each side
        rows = list(
            csv.DictReader((tmp_path / "out" / "doors.csv").read_text("utf-8").splitlines())
        )
        for row, one in zip(rows, kept, strict=True):
            way = np.array(one["path"])
            rolled = np.hypot(*np.diff(way[:, :2], axis=0).T).sum()
            assert np.isclose(float(row["rolls"]), rolled)
            assert np.allclose(way[0, :3], one["start"])
            assert f"un trajet de {rolled:.1f} m".replace(".", ",") in page


def test_the_chair_at_doors_is_the_one_that_is_given() -> None:
    """Through an opening of 0.9 m a chair of 0.7 m passes, one of 0.95 m is proved not to."""
    scene, person = hall(0.9), hk.human(sex="female", body="plain")
    scene = scene.add("sill", Box([0.1, 0.9, 0.02]), [0, 0, 0.01], tags="threshold")
    uses = hk.access.code_against_use(scene, person)
    for width, verdict in ((0.7, "yes"), (0.95, "no")):
        chair = hk.access.chair("rear", width=width, length=1.2)
        doors = hk.access.open_doors(chair, scene)
        report = _report.Report(scene, uses, person, "", None, ("ADA2010",), "en", doors, chair)
        kept, page = _report_files.data(report), _report.html(report)
        assert kept["chair"]["kind"] == "rear"
        assert kept["chair"]["width"] == {"value": width, "known": "given"}
        assert {one["verdict"] for one in kept["doors"]} == {verdict}
        assert f"rear-wheel drive, {1000 * width:.0f} mm wide (given)" in page
        assert page.count("data:image/png;base64,") == 2  # the drive, or the shut door
        taken = "over a threshold of 20 mm, which the chair is taken to get over"
        assert page.count(taken) == (2 if verdict == "yes" else 0)


def test_parquet_says_what_csv_says(written: dict[str, Path], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    words = ["access", str(written["en"].parent / "corner.toml"), "--tries", "1", "--parquet"]
    assert main([*words, "--person", "sex=female,body=plain", "--out", str(tmp_path)]) == 0
    for name in ("uses", "findings", "doors"):
        text = (tmp_path / f"{name}.csv").read_text("utf-8")
        rows = list(csv.DictReader(text.splitlines()))
        table = parquet.read_table(tmp_path / f"{name}.parquet")
        assert tuple(table.column_names) == _report_files.COLUMNS[name]
        assert text.splitlines()[0] == ",".join(table.column_names)  # with no row, too
        kept = table.to_pylist()
        assert len(kept) == len(rows)
        for row, same in zip(kept, rows, strict=True):
            for column, value in row.items():
                if column in _report_files.NUMBERS:
                    assert value == (float(same[column]) if same[column] else None)
                else:
                    assert (value or "") == same[column]


def test_without_pyarrow_the_sentence_comes_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["access", "kitchen", "--parquet", "--out", str(tmp_path / "out")]) == 2
    assert "Parquet needs pyarrow: pip install 'handik[parquet]'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_names_of_a_scene_are_no_html() -> None:
    name = "<b onclick='x'>"
    scene = hk.Scene(name=name).add(name, pose=[1, 0, 2.5]).add(f"{name}/at", Target("axis"))
    person = hk.human(sex="female", body="plain")
    uses = hk.access.code_against_use(scene, person, tries=1)
    page = _report.html(_report.Report(scene, uses, person, name, None, ("ADA2010",), "en"))
    assert "<b" not in page.replace("<body", "")
    assert "&lt;b onclick" in page


def test_what_stands_before_a_target_is_named() -> None:
    scene, person = corner(), hk.human(sex="female", body="plain")
    uses = hk.access.code_against_use(scene, person, tries=1)
    page = _report.html(_report.Report(scene, uses, person, "", None, ("ADA2010",), "en"))
    assert "no free floor from which to reach it; what stands there: block" in page
    assert "≥ 2000 mm" in page  # no floor within the two meters that are looked at


def test_all_reasons_at_doors_are_said_in_french() -> None:
    from handik.app._report_words import _french
    from handik.scene.access import _opening, _scene_doors

    found = set()
    for module in (_opening, _scene_doors):
        for line in Path(module.__file__).read_text("utf-8").splitlines():
            found |= set(re.findall(r'why = f?"(?:\{why\}; )?([^"]+)"', line))
    assert len(found) > 5
    texts = (_report_doors.DOORS, _report_doors.AT_DOORS, _report_doors.NONE_ASKED)
    texts += (
        _report_doors.DRIVE,
        _report_doors.NO_HAND,
        _report_doors.STILL,
        *_report_doors.KINDS.values(),
    )
    for text in (*texts, *found):
        assert re.sub(r"\{few.most\}", "{}", text) in _french(), text


def test_parts_of_the_body_have_names_in_both_languages() -> None:
    for detail, body in (("upper21", "fitted"), ("upper21", "plain"), ("spine+hand", "fitted")):
        for capsule in hk.human(detail=detail, body=body).capsules:
            for language in ("en", "fr"):
                assert "_" not in Words(language).part(capsule.name), capsule.name
    assert Words("en").part("ring_right") == "right ring finger"
    assert Words("fr").part("hand_right") == "main droite"
    assert Words("fr").part("thumb_left") == "pouce gauche"
    assert Words("fr").part("chest") == "poitrine"
    assert Words("fr").part("tool_left") == "tool_left"
    assert _report._touched("room/desk with hand_right", Words("fr")) == "desk avec main droite"


def test_wrong_words_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["kitchen", "--person", "tall"], "name=value"),
        (["kitchen", "--person", "height=3"], "--person"),
        (["kitchen", "--route", "way=1,2"], "--route"),
        (["kitchen", "--rules", "ADA1991"], "ADA1991"),
        (["kitchen", "--place", "1,2"], "--place"),
        (["kitchen", "--chair", "walker"], "--chair: 'walker' is none of"),
        (["kitchen", "--chair", "rear,wide=1"], "--chair"),
        (["kitchen", "--chair", "rear,width"], "--chair: 'width' is not of the form"),
        (["kitchen", "--chair", "rear,width=9"], "--chair"),
        (["kitchen", "--place", "1,2,nan"], "--place: '1,2,nan' is not of the form"),
        (["nowhere.toml"], "nowhere.toml"),
        (["kitchn"], "kitchn: no such file, and no scene of the gallery (bathroom, "),
    ):
        assert main(["access", *words, "--out", str(tmp_path)]) == 2
        assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    assert main(["access", "nowhere.toml", "--out", str(tmp_path / "file")]) == 2
    assert "file is a file, not a folder" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "looks"),
    [("en", [("light", 1400), ("dark", 400)]), ("fr", [("dark", 1400), ("light", 400)])],
)
def test_a_browser_finds_nothing_to_complain_of(
    written: dict[str, Path], tmp_path: Path, language: str, looks
) -> None:
    sync = pytest.importorskip("playwright.sync_api")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    browser_at = Path("/usr/bin/chromium")
    if not browser_at.exists():
        pytest.skip("no chromium")
    hall(0.9).save(tmp_path / "hall.toml")
    words = ["access", str(tmp_path / "hall.toml"), "--lang", language, "--tries", "1"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    with sync.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(browser_at), args=["--no-sandbox"])
        for scheme, width in looks:
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme
            )
            page = context.new_page()
            for folder in (written[language], tmp_path):  # targets, then doors
                page.goto((folder / "access.html").as_uri())
                page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                assert axe.Axe().run(page).response["violations"] == []
                assert page.evaluate("document.documentElement.scrollWidth") <= width
            context.close()
        browser.close()


def test_a_plan_explains_what_it_shows(tmp_path: Path) -> None:
    """Nobody reaches the far switch, and of a scene without targets nothing is numbered."""
    person, none = hk.human(sex="female", body="plain"), hk.Scene().add("box", Box([1, 1, 1]))
    high = none.add("high", pose=[2, 0, 2.4]).add("high/at", Target("axis"))
    low = high.add("low", pose=[2, 2, 1.0]).add("low/at", Target("axis"))
    for scene, marks, blue in ((none, False, False), (high, True, False), (low, True, True)):
        uses = hk.access.code_against_use(scene, person, tries=1)
        page = _report.html(_report.Report(scene, uses, person, "", None, ("ADA2010",), "en"))
        assert (_report.PLAN in page, _report.MARKS in page) == (True, marks)
        assert (_report.BLUE in page) == blue == ("0072b2" in page[page.index("<svg") :].lower())


def test_a_drive_without_a_hand_names_none() -> None:
    scene, person = hall(0.9), hk.human(sex="female", body="plain")
    uses = hk.access.code_against_use(scene, person, tries=1)
    chair = hk.access.chair("rear", width=0.7, length=1.2)
    for asked, hand in ((person, True), (None, False)):
        doors = hk.access.open_doors(chair, scene, person=asked)
        report = _report.Report(scene, uses, person, "", None, ("ADA2010",), "en", doors, chair)
        assert ("the hand (green)" in _report.html(report)) == hand


def test_the_height_of_a_seat_is_told_as_it_came() -> None:
    scene, chair = hk.Scene().add("box", Box([1, 1, 1])), hk.access.chair("rear")
    person = hk.human(sex="female", body="plain")
    uses = hk.access.code_against_use(scene, person)
    for given in (None, 0.6):
        sits = hk.access.seat(person, chair, seat_height=given)
        report = _report.Report(
            scene, uses, sits, "", None, ("ADA2010",), "en", chair=chair, seat_height=given
        )
        told = _report_files.data(report)["chair"]["seat_height"]
        want = mean_seat_height("power", "female") if given is None else given
        assert np.isclose(told["value"], want)
        assert told["known"] == ("mean of those measured" if given is None else "given")
        assert ("as high as was given" in _report.html(report)) == (given is not None)
        for line in report.assumed:
            assert Words("fr")(line) != line
