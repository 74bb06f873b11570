"""Body segment parameters of your own."""

import csv
import pickle
from importlib.resources import files
from io import StringIO

import numpy as np
import pytest

import handik as hk
from handik.people import SegmentParameters
from handik.people.skeleton._masses import Segment, together

TEXT = (files("handik.data") / "people" / "segments.csv").read_text("utf-8")


def written(tmp_path, change=lambda row: row):
    """Write handik's table, each row as `change` leaves it; None leaves it out."""
    table = [changed for row in csv.DictReader(StringIO(TEXT)) if (changed := change(dict(row)))]
    path = tmp_path / "mine.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as out:
        writer = csv.DictWriter(out, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return path


def changed(name, **cells):
    """Change cells of a segment of women."""
    return lambda row: row | cells if (row["segment"], row["sex"]) == (name, "female") else row


def inertials(person):
    return {x.name: x.inertial for x in person.model.spec.links if x.inertial is not None}


def same(one, other):
    assert one.keys() == other.keys()
    for name, body in one.items():
        assert body.mass == other[name].mass
        np.testing.assert_array_equal(body.center, other[name].center)
        np.testing.assert_array_equal(body.inertia, other[name].inertia)


@pytest.mark.parametrize("sex", ["female", "male"])
def test_handiks_own_table_as_a_file_is_the_same_person(sex, tmp_path):
    own = SegmentParameters.read(written(tmp_path))
    same(inertials(hk.human(sex, inertia=own)), inertials(hk.human(sex)))


def test_what_the_table_says_is_what_weighs(tmp_path):
    heavier = changed("upper_arm", mass_share="0.0355", center_share="0.4", radius_x="0.27")
    own = SegmentParameters.read(written(tmp_path, heavier))
    mine, ours = (inertials(hk.human("female", inertia=x)) for x in (own, "de_leva"))
    arm, was = mine["upper_arm_left"], ours["upper_arm_left"]
    assert arm.mass / mine["head"].mass == pytest.approx(0.0355 / 0.0668)  # whatever it adds up to
    assert arm.center[2] / was.center[2] == pytest.approx(0.4 / 0.5754)
    assert arm.inertia[0, 0] / arm.mass * was.mass / was.inertia[0, 0] == pytest.approx(
        (0.27 / 0.278) ** 2
    )
    person = hk.human("female", inertia=own)
    assert sum(x.mass for x in mine.values()) == pytest.approx(person.dimensions["weight"])


def test_it_goes_with_the_person(tmp_path):
    path = written(tmp_path, changed("head", mass_share="0.08"))
    own = SegmentParameters.read(path)
    path.unlink()
    assert pickle.loads(pickle.dumps(own)) == own
    anna = hk.human("female", inertia=own, profile="older_adult")
    for one in (anna, anna._sound(), anna.with_base([1, 0, 0])):
        assert one.inertia == own
        assert inertials(one)["head"].mass > 0.07 * one.dimensions["weight"]


def test_a_table_of_one_sex_is_of_that_sex(tmp_path):
    path = written(tmp_path, lambda row: row if row["sex"] == "male" else None)
    own = SegmentParameters.read(path)
    assert repr(own) == "SegmentParameters(mine.csv: male)"
    hk.human("male", inertia=own)
    with pytest.raises(hk.ArgumentError, match=r"mine\.csv has no segments of sex female"):
        hk.human("female", inertia=own)


@pytest.mark.parametrize("name", ["upper_trunk", "middle_trunk"])
def test_the_widest_spread_along_can_be_cut_into_vertebrae(name, tmp_path):
    radius = (0.99 * 0.5 * 0.5 / 2 + 0.3**2 / 2) ** 0.5
    cells = {"center_share": "0.5", "radius_z": "0.3"}
    cells |= {f"radius_{x}": f"{radius:.6f}" for x in "xy"}
    own = SegmentParameters.read(written(tmp_path, changed(name, **cells)))
    wholes = []
    for detail in ("upper21", "spine"):
        person = hk.human("female", position="standing", inertia=own, detail=detail)
        parts = []
        for link, body in inertials(person).items():
            pose = person.model.fk(person.rest, frame=link)
            center = pose[:3, :3] @ body.center + pose[:3, 3]
            parts.append(Segment(body.mass, center, pose[:3, :3] @ body.inertia @ pose[:3, :3].T))
        wholes.append(together(parts))
    one, cut = wholes
    np.testing.assert_allclose(cut.center, one.center, atol=1e-9)
    np.testing.assert_allclose(cut.inertia, one.inertia, atol=1e-8)
    wider = cells | {f"radius_{x}": f"{radius + 0.003:.6f}" for x in "xy"}
    with pytest.raises(hk.ArgumentError, match="not fit between its ends"):
        SegmentParameters.read(written(tmp_path, changed(name, **wider)))


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ({"mass_share": "x"}, r"head \(female\), mass_share: 'x' is not a number"),
        ({"mass_share": "0"}, "mass_share: 0 is not between 0 and 1"),
        ({"center_share": "1"}, "center_share: 1 is not between"),
        ({"radius_y": "-0.3"}, "radius_y: -0.3 is not between"),
        ({"mass_share": "0.12"}, r"mass shares add up to 1\.053 \(female\)"),
        ({"mass_share": "0.016"}, r"mass shares add up to 0\.949"),
        ({"radius_x": "0.394"}, "no body has these radii"),
        ({f"radius_{x}": "0.72" for x in "xyz"}, "along by 0.509 .*not fit between its ends"),
        ({"proximal": "CERV"}, "proximal: 'CERV', but shares are taken from VERT to CERV"),
        ({"distal": "MIDH"}, "distal: 'MIDH'"),
        ({"source": ""}, "row 1 has no source"),
        ({"sex": "woman"}, "sex must be one of"),
        ({"segment": "upper_trunk"}, "distal|two rows of upper_trunk"),
    ],
)
def test_what_no_body_can_have_is_told(cells, says, tmp_path):
    with pytest.raises(hk.ArgumentError, match=rf"mine\.csv: .*({says})"):
        SegmentParameters.read(written(tmp_path, changed("head", **cells)))


def test_rows_and_columns_that_are_missing_or_unknown(tmp_path):
    with pytest.raises(hk.ArgumentError, match=r"no row of foot \(female\)"):
        SegmentParameters.read(
            written(tmp_path, lambda r: None if changed("foot", a=1)(r) is not r else r)
        )
    with pytest.raises(hk.NotFoundError, match=r"segment of mine\.csv.*foot"):
        SegmentParameters.read(written(tmp_path, changed("foot", segment="foott")))
    with pytest.raises(hk.ArgumentError, match="length_mm: '' is not a number"):
        SegmentParameters.read(written(tmp_path, changed("middle_trunk", length_mm="")))
    with pytest.raises(hk.ArgumentError, match="length_mm: 0 is not above 0"):
        SegmentParameters.read(written(tmp_path, changed("upper_trunk", length_mm="0")))
    for column in ("length_mm", "radius_z"):
        short = written(tmp_path, lambda row, c=column: {k: v for k, v in row.items() if k != c})
        with pytest.raises(hk.ArgumentError, match=f"no column {column}"):
            SegmentParameters.read(short)
    with pytest.raises(hk.ArgumentError, match="inertia must be 'de_leva' or 'dumas'"):
        hk.human(inertia="mine.csv")
