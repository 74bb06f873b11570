"""Certificates: what the search claims is accepted, what is spoilt or false is not."""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from test_reach import arm10, outside

import handik as hk
from handik import _core
from handik.scene.access._check import Chain, check_tree
from handik.scene.access._shoulder import Shoulder

LIMITED = {"joint_2": (0.5, 2.0), "joint_3": (-1.0, 1.0)}


def limited() -> hk.Model:
    return hk.chain([0.3, 0.3, 0.2]).with_limits(LIMITED)


def proof_of(model: hk.Model, frame: str, seed: int) -> hk.access.Certificate:
    target, q, tip, gap = outside(model, frame, 12, seed)
    normal = (target - tip) / gap[:, None]
    at = tip[0] + 0.03 * normal[0]
    chain = _core._reach_chain(model, frame, False)
    outcome, how, normals = _core._reach_trace(chain, at[None], normal[:1], 1e-3, 200000)
    assert outcome == 0
    return hk.access.Certificate(frame, at, 1e-3, how, normals)


@pytest.mark.parametrize("make", [limited, arm10], ids=["hinges", "trunk and arm"])
def test_what_is_proved_is_accepted_and_more_than_the_truth_is_not(make) -> None:
    model = make()
    frame = model.tip
    proof = proof_of(model, frame, 3)
    assert proof.check(model)
    far = hk.access.Certificate(frame, proof.target, 0.031, proof.how, proof.normal)
    assert not far.check(model)
    near = hk.access.Certificate(
        frame, model.fk(model.rest, frame=frame)[:3, 3], 1e-3, proof.how, proof.normal
    )
    assert not near.check(model)


def test_lists_will_do_and_lines_that_are_no_whole_numbers_prove_nothing() -> None:
    arm = limited()
    proof = hk.access.reach(arm, None, [0.79, 0, 0]).certificate
    fields = (proof.how.tolist(), proof.normal.tolist())
    assert hk.access.Certificate(proof.frame, [0.79, 0, 0], proof.far, *fields).check(arm)
    shifted = proof.how + 0.3
    assert not hk.access.Certificate(
        proof.frame, proof.target, proof.far, shifted, fields[1]
    ).check(arm)


@pytest.mark.slow
def test_a_person_s_certificate() -> None:
    anna = hk.human(sex="female", stature=1.62)
    found = hk.access.reach(anna, None, [0.45, -0.2, 1.95])
    assert found.verdict == "no"
    assert found.certificate.check(anna)


def test_a_ball_that_is_held_stands_for_the_checker_too() -> None:
    """And what follows its swing: it was taken for free, so that true certificates were refused."""
    anna = hk.human(sex="female", stature=1.62, body="plain").model
    more = {"elbow_flexion_right": 1.0, "trunk_bend": 0.0}
    low, high = (
        anna.locked({"shoulder_right": s, **more}) for s in ([0.1, 0.2, 0.1], [0.9, 0.9, 0.1])
    )
    found = hk.access.reach(low, None, [0.4, -0.2, 1.3], frame="grip_right", within=float("inf"))
    assert found.verdict == "no"
    assert found.certificate.check(low)
    assert hk.access.reach(high, None, found.target, frame="grip_right").verdict == "yes"
    assert not found.certificate.check(high)
    place = low.fk(low.sample(1, seed=3)[0], frame="grip_right")[:3, 3]
    proof = found.certificate
    assert not hk.access.Certificate("grip_right", place, 1e-3, proof.how, proof.normal).check(low)


def test_it_calls_nothing_of_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    model = arm10()
    proof = proof_of(model, "tip", 3)
    for name in dir(_core):
        if name.startswith("_reach"):
            monkeypatch.delattr(_core, name)
    assert proof.check(model)
    for module in ("_check", "_shoulder"):
        text = Path(sys.modules[f"handik.scene.access.{module}"].__file__).read_text("utf-8")
        assert "_core" not in text


def test_it_is_saved_and_read(tmp_path: Path) -> None:
    arm = limited()
    found = hk.access.reach(arm, None, [0.79, 0, 0])
    found.certificate.save(tmp_path / "no.npz")
    again = hk.access.Certificate.load(tmp_path / "no.npz")
    assert again.check(arm)
    assert again.frame == found.frame
    assert again.far == 1e-3
    np.testing.assert_array_equal(again.target, found.target)
    data = bytearray((tmp_path / "no.npz").read_bytes())
    for cut in (10, len(data) // 2, len(data) - 5):
        (tmp_path / "cut.npz").write_bytes(data[:cut])
        with pytest.raises(hk.ArgumentError, match="damaged"):
            hk.access.Certificate.load(tmp_path / "cut.npz")
    head = b"PK\x01\x02\x2d\x03\x2d\x00\x00\x00\x08"  # of a file in the archive: version, how it is packed
    for old, new in ((head, head[:6] + b"\xff" + head[7:]), (head, head[:-1] + b"\x63")):
        bad = bytes(data).replace(old, new)
        assert bad != data
        (tmp_path / "cut.npz").write_bytes(bad)
        with pytest.raises(hk.ArgumentError, match="damaged"):
            hk.access.Certificate.load(tmp_path / "cut.npz")
    with ZipFile(tmp_path / "no.npz") as whole, ZipFile(tmp_path / "cut.npz", "w") as open_:
        for name in whole.namelist():  # a header whose bracket is never closed
            open_.writestr(name, whole.read(name).replace(b"(3,), }", b"(3,  } "))
    with pytest.raises(hk.ArgumentError, match="damaged"):
        hk.access.Certificate.load(tmp_path / "cut.npz")
    assert hk.access.reach(arm, None, [0.5, 0.2, 0]).certificate is None


def spoilt(proof: hk.access.Certificate, rng: np.random.Generator) -> hk.access.Certificate:
    """Return the certificate with a change, and a digest that fits."""
    how, normal, target, far = proof.how.copy(), proof.normal.copy(), proof.target.copy(), proof.far
    kind, k = rng.integers(7), rng.integers(len(how))
    if kind == 0:
        how[k] = rng.integers(-5, 110)
    elif kind == 1:
        how, normal = np.delete(how, k), np.delete(normal, k, 0)
    elif kind == 2:
        how, normal = np.insert(how, k, how[k]), np.insert(normal, k, normal[k], 0)
    elif kind == 3:
        normal[k] = rng.normal(size=3) * 10.0 ** rng.integers(-300, 300)
    elif kind == 4:
        target = target + rng.normal(size=3) * 10.0 ** rng.integers(-3, 1)
    elif kind == 5:
        far = float(far + abs(rng.normal()) * 10.0 ** rng.integers(-3, 1))
    else:
        rows = rng.permutation(len(how))
        how, normal = how[rows], normal[rows]
    return hk.access.Certificate(proof.frame, target, far, how, normal)


def spoil(model: hk.Model, proof: hk.access.Certificate, count: int) -> None:
    rng = np.random.default_rng(5)
    chain, accepted = Chain(model, proof.frame), 0
    reach = model.fk(model.sample(20000, seed=4), frame=proof.frame)[:, :3, 3]
    for _ in range(count):
        one = spoilt(proof, rng)
        kept = hk.access.Certificate(
            one.frame, one.target, one.far, one.how, one.normal, proof.digest
        )
        changed = kept._sum() != proof.digest
        assert not (changed and kept.check(model))  # the digest tells
        good = check_tree(chain, one.target, one.far, one.how, one.normal) if changed else True
        accepted += good and changed
        if good:  # then it is a proof all the same
            assert np.linalg.norm(reach - one.target, axis=1).min() > one.far
    assert accepted < 0.5 * count


def test_spoilt_ones_are_refused() -> None:
    model = limited()
    spoil(model, proof_of(model, model.tip, 3), 60)


@pytest.mark.slow
def test_a_thousand_spoilt_ones_are_refused() -> None:
    model = limited()
    spoil(model, proof_of(model, model.tip, 3), 1000)


def test_no_certificate_where_it_knows_no_bounds() -> None:
    found = hk.access.reach(hk.chain([0.3, 0.2], "ball"), None, [0.7, 0, 0])
    with pytest.raises(hk.UnsupportedError, match="more than one ball"):
        _ = found.certificate


def test_the_checker_s_cells_hold_the_arm() -> None:
    """Its bounds against postures drawn in the cells, which its own kinematics place."""
    chain = Chain(arm10(), "tip")
    shoulder, rng = chain.shoulder, np.random.default_rng(2)
    assert isinstance(shoulder, Shoulder)
    n = 400
    sector, place = shoulder.roots()
    which = rng.integers(len(sector), size=n)
    wide = rng.uniform(0.02, 1, (n, 2))
    at = place[which].copy()
    at[:, :2] += rng.uniform(-1, 1, (n, 2)) * at[:, 2:] * (1 - wide)
    at[:, 2:] *= wide
    cells = shoulder.cells(sector[which], at)
    normal = rng.normal(size=(n, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    point = rng.normal(size=(n, 3))
    most, least = shoulder.most(cells, normal)[0], shoulder.least(cells, point)[0]
    arm = shoulder.arm
    for _ in range(40):
        inside = at.copy()
        inside[:, :2] += rng.uniform(-1, 1, (n, 2)) * at[:, 2:]
        inside[:, 2:] = 0
        pose = shoulder.cells(sector[which], inside)
        low, high, azimuth = arm.polar[0]
        bend = rng.uniform(low, high, n)
        turn = azimuth + rng.uniform(-1, 1, n) * pose["half"]
        u = np.stack([np.sin(bend) * np.cos(turn), np.sin(bend) * np.sin(turn), np.cos(bend)], 1)
        p = np.array([0, 0, arm.upper]) + (arm.fore + arm.hand) * u
        tip = pose["at"] + np.einsum("nij,nj->ni", pose["turn"], p)
        assert (np.sum(normal * tip, 1) <= most + 1e-9).all()
        assert (np.linalg.norm(tip - point, axis=1) >= least - 1e-9).all()
