"""A shoulder rhythm of your own."""

import pickle
from importlib.resources import files

import numpy as np
import pytest

import handik as hk
from handik.people import ShoulderRhythm

TEXT = (files("handik.data") / "people" / "shoulder_rhythm.csv").read_text("utf-8")
STATURE = {"sex": "female", "stature": 1.62}


def written(tmp_path, old="", new=""):
    assert old in TEXT
    path = tmp_path / "mine.csv"
    path.write_text(TEXT.replace(old, new, 1), "utf-8-sig")
    return path


def raised(person):
    """Return the turn of the shoulder blade and the place of the hand, the arm raised sideways."""
    q = person.posture(shoulder_plane_left=0.0, shoulder_elevation_left=hk.deg(120))
    return (person.model.fk(q, frame=x) for x in ("scapula_left", "hand_left"))


def test_handiks_own_table_as_a_file_is_the_same_person(tmp_path):
    own = hk.human(**STATURE, rhythm=ShoulderRhythm.read(written(tmp_path)))
    for one, other in zip(raised(own), raised(hk.human(**STATURE)), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_shoulder_blade_follows_as_the_table_says(tmp_path):
    """Where the blade lifts by a tenth of a degree less a degree, by some 12 degrees at 120."""
    own = ShoulderRhythm.read(written(tmp_path, "-0.079,0.396", "-0.079,0.296"))
    ours, mine = hk.human(**STATURE), hk.human(**STATURE, rhythm=own)
    (blade, _), (other, _) = raised(ours), raised(mine)
    turn = blade[:3, :3].T @ other[:3, :3]
    assert np.degrees(np.arccos((np.trace(turn) - 1) / 2)) == pytest.approx(12, abs=1.5)
    for person in (ours, mine):  # and the tape's reaches come out
        for name in ("thumbtip_reach", "overhead_fingertip_reach_sitting", "span"):
            assert person.measure(name) == pytest.approx(person.dimensions[name], abs=1e-3)
    np.testing.assert_allclose(mine._hanging, ours._hanging)


def test_it_goes_with_the_person(tmp_path):
    path = written(tmp_path, "0.396", "0.296")
    own = ShoulderRhythm.read(path)
    path.unlink()
    assert pickle.loads(pickle.dumps(own)) == own
    anna = hk.human(**STATURE, rhythm=own, profile="older_adult")
    want = next(raised(hk.human(**STATURE, rhythm=own)))
    for one in (anna, anna._sound(), anna.with_base(np.zeros(3))):
        assert one.rhythm == own
        np.testing.assert_allclose(next(raised(one)), want, atol=1e-12)
    with pytest.raises(hk.ArgumentError, match='needs limits="cone"'):
        hk.human(rhythm=own, limits="box")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("0.396", "x", "Sz, by_elevation: 'x' is not a number"),
        ("0.396", "1.01", "Sz, by_elevation: 1.01 is beyond 1"),
        ("0.120", "-1.01", "Cy, by_plane: -1.01 is beyond 1"),
        ("-4.983", "-91", "Cy, constant_deg: -91 is beyond 90"),
        ("0.851", "1.1", "Cy, rest_share: 1.1 is beyond 1"),
        ("-28.57", "90.5", "Cy, rest_deg: 90.5 is beyond 90"),
        ("\nCz,", "\nCy,", "angles must be Cy, Cz, Sy, Sz, Sx, each once"),
        ("\nCz,", "\nCx,", "got Cy, Cx"),
        ("by_plane", "plane", "no column by_plane"),
        ("secondary", "", "row 1 has no trust"),
    ],
)
def test_what_cannot_be_is_told(old, new, says, tmp_path):
    with pytest.raises(hk.ArgumentError, match=rf"mine\.csv: .*{says}"):
        ShoulderRhythm.read(written(tmp_path, old, new))
