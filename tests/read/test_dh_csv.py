"""Tables as people write them, and faults by file, line and column."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.errors import ArgumentError, ReadError
from handik.files.read.dh import from_dh
from handik.files.read.dh_csv import read_dh

PI = np.pi
TABLE = [[0.0, 0.4, 0.025, PI / 2], [PI / 2, 0.0, 0.315, 0.0], [0.0, 0.2, 0.0, -PI / 2]]


def same_arm(text, kinds="RRR", convention="standard"):
    spec = read_dh(text)
    one, two = hk.Model(spec), hk.Model(from_dh(TABLE, convention, kinds=kinds))
    q = np.random.default_rng(0).uniform(-2, 2, (4, one.nq))
    np.testing.assert_allclose(one.fk(q), two.fk(q), rtol=0, atol=1e-14)
    return spec


@pytest.mark.parametrize(
    "text",
    [
        "theta,d,a,alpha\n0,0.4,0.025,pi/2\npi/2,0,0.315,0\n0,0.2,0,-pi/2\n",
        "alpha;a;d;theta\r\n1.5707963267948966;0.025;0.4;0\r\n0;0.315;0;π/2\r\n-0.5 pi;0;.2;0\r\n",
        "# theta d a alpha\n0 0.4 0.025 pi/2\npi/2 0 0.315 0\n0 0.2 0 -pi/2",
        "# a table\n\nJoint,Theta (deg),d [mm],a_mm,Alpha (°)\n1,q1,400,25,90\n2,q2+90,0,315,0\n3,q3,200,,-90\n",
        "i\tθ_i\td_i\ta_i\tα_i\toffset\n1\t\t0.4\t0.025\tpi/2\t\n2\tq2\t0\t0.315\t0\tpi/2\n3\t\t.2\t0\t-pi/2\t0\n",
        '"a","alpha","d","theta","colour"\n0.025,pi/2,0.4,0,red\n0.315,0,0,pi/2,\n0,-pi/2,.2,theta3,\n\n',
    ],
)
def test_forms_of_the_same_table(text):
    spec = same_arm(text)
    assert "the table does not say its convention: taken as standard" in spec.notes
    assert ("line 1: the column 'colour' is not known, passed over" in spec.notes) == (
        "red" in text
    )


def test_all_that_a_table_says(tmp_path):
    path = tmp_path / "scara.csv"
    path.write_text(
        "# convention: craig\n# name: my arm\nbase, 0 -1 0 1  1 0 0 2  0 0 1 3  0 0 0 1\n"
        "joint,kind,theta_deg,d,a,alpha_deg,min,max\n"
        "turn,R,q,0.4,0.025,90,-90,inf\nslide,P,90,d2,0.315,0,0.1,0.2\nend,F,0,0.2,0,-90,,\n"
    )
    spec = read_dh(path)
    assert (spec.name, spec.source, spec.notes) == ("my arm", str(path), [])
    model = hk.load(path)
    assert model.joint_names[-3:] == ("turn", "slide", "end")
    np.testing.assert_allclose(model.lower, [-PI / 2, 0.1])
    np.testing.assert_allclose(model.upper, [np.inf, 0.2])
    base = [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]
    other = hk.Model.from_dh(TABLE, "modified", kinds="RPF", base=base)
    np.testing.assert_allclose(model.fk([0.3, 0.15]), other.fk([0.3, 0.15]), rtol=0, atol=1e-14)
    assert hk.Model(read_dh(path, "standard", name="b")).name == "b"


HEAD = "theta,d,a,alpha,lower,upper\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("\n", 2, None, "no table"),
        (HEAD, 2, None, "no row"),
        ("0,0,0,0\n1,1,1,1\n", 1, None, "miss theta, d, a, alpha"),
        ("theta,d,a\n0,0,0\n", 1, None, "miss alpha"),
        ("theta,d,a,alpha,theta\n", 1, "5 (theta)", "another column theta"),
        ("theta (mm),d,a,alpha\n", 1, "1 (theta (mm))", "unit mm does not fit"),
        ("theta,d (deg),a,alpha\n", 1, "2 (d (deg))", "unit deg does not fit"),
        (HEAD + "0,0,0\n", 2, None, "3 cells under 6 names"),
        (HEAD.replace(",", ";") + "0;0;0;0;0;0\n0,1;0;0;0;0;0\n", 3, "theta", "'0,1'"),
        (HEAD + "0,0,0,x,0,0\n", 2, "alpha", "'x' is not a finite decimal number"),
        (HEAD + "0,0,nan,0,0,0\n", 2, "a", "'nan'"),
        (HEAD + "pi/0,0,0,0,0,0\n", 2, "theta", "divides by zero"),
        (HEAD + "0,0,0,0,1,0\n", 2, "lower", "reversed: 1 to 0"),
        (HEAD + "q1,d1,0,0,0,0\n", 2, "d", "'d1' moves, but the joint is revolute"),
        ("kind," + HEAD + "screw,0,0,0,0,0,0\n", 2, "kind", "'screw' is no kind"),
        ("joint," + HEAD + "a,0,0,0,0,,\na,0,0,0,0,,\n", 3, "name", "another joint is called 'a'"),
        ("# convention: own\n" + HEAD, 1, None, "not standard or modified"),
        ("# base: 1 2 3\n" + HEAD, 1, None, "16 numbers"),
        ("theta,d,a,alpha,max (mm)\n0,0,0,0,1\n", 2, "upper", "does not fit a revolute"),
    ],
)
def test_faults_name_line_and_column(text, line, column, words, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReadError, match=r"bad\.csv") as caught:
        read_dh(path)
    assert words in str(caught.value)
    assert caught.value.line == line
    assert caught.value.element == (None if column is None else f"column {column}")


def test_a_base_that_is_no_placement():
    with pytest.raises(ReadError, match="not a rigid motion"):
        read_dh("# base: " + "1 " * 16 + "\n" + HEAD + "0,0,0,0,,\n")
    with pytest.raises(ArgumentError, match="convention"):
        read_dh(HEAD + "0,0,0,0,,\n", "other")


def test_angles_without_a_unit_are_noted_and_degrees_refused():
    """90 under a bare ``alpha`` is no angle in radians that anyone writes."""
    bare = "theta,d,a,alpha\nq1,0,.3,1.57\nq2+0.1,0,.3,0\n"
    notes = hk.Model(read_dh(bare)).notes
    assert "the table does not say the unit of alpha and theta: taken as radians" in notes
    with pytest.raises(
        ReadError, match=r"90 is more than a full turn .* write alpha \(deg\)"
    ) as caught:
        read_dh("theta,d,a,alpha\nq1,0,.3,90\n")
    assert caught.value.line == 2
    read_dh("theta,d,a,alpha\nq1,0,.3,6.28\n")
    for said in ("theta,d,a,alpha (deg)\nq1,0,.3,90\n", "theta,d,a,alpha\nq1,0,.3,pi/2\n"):
        assert not any("unit" in note for note in read_dh(said).notes)


def test_a_large_arm_is_written_by_its_size():
    """What rounding takes grows with the lengths, and is no loss; an arm of a metre is none either."""
    for size in (1.0, 40.0, 3000.0):
        table = [[theta, size * d, size * a, alpha] for theta, d, a, alpha in TABLE]
        lost = []
        again = read_dh(from_dh(table, "standard", kinds="RRR").to_csv(lost))
        assert lost == []
        one, two = hk.Model(from_dh(table, "standard", kinds="RRR")), hk.Model(again)
        q = np.random.default_rng(0).uniform(-2, 2, (4, 3))
        np.testing.assert_allclose(one.fk(q), two.fk(q), rtol=0, atol=1e-12 * size)
