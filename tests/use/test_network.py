"""The network: its gradient, its limits, its files, and what it is good for."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik import Cone, Outcome
from handik.errors import ArgumentError, MissingFileError, NotFoundError, ReadError
from handik.files.read import JointSpec, LinkSpec, ModelSpec
from handik.solve.network import Network
from handik.solve.network._outputs import Outputs

SMALL = {"samples": 400, "hidden": (12,), "epochs": 3}


def mixed() -> hk.Model:
    """A ball in a cone, a hinge with limits, a slide, a free ball, a hinge without limits."""
    place = np.eye(4)
    place[:3, 3] = 0.3, 0.1, 0.0
    cone = Cone((1.2, 0.9, 0.4, 0.7), (-0.8, 1.1))
    rows = [
        {"kind": "ball", "axis": (1, 0, 0), "cone": cone},
        {"kind": "revolute", "axis": (0, 0, 1), "lower": -0.3, "upper": 2.0},
        {"kind": "prismatic", "axis": (1, 0, 0), "lower": 0.0, "upper": 0.2},
        {"kind": "ball", "axis": (0, 0, 1)},
        {"kind": "revolute", "axis": (0, 1, 0)},
    ]
    links = [LinkSpec(f"l{i}") for i in range(len(rows) + 1)]
    joints = [
        JointSpec(f"j{i}", row.pop("kind"), f"l{i}", f"l{i + 1}", place.copy(), **row)
        for i, row in enumerate(rows)
    ]
    return hk.Model(ModelSpec("mixed", links, joints)).with_tool(place)


@pytest.fixture(scope="module")
def arm() -> hk.Model:
    return hk.chain([0.4, 0.4, 0.3], lower=-2.0, upper=2.5)


@pytest.fixture(scope="module")
def net(arm) -> Network:
    return Network.train(arm, goal="position", samples=4000, hidden=(48, 48), epochs=30, seed=1)


@pytest.mark.parametrize("goal", ["position", "pose"])
def test_the_gradient_is_the_derivative_of_the_loss(goal):
    model = mixed()
    net = Network.train(model, goal=goal, **SMALL)
    poses = model.fk(model.sample(7, seed=5))
    loss, gradients = net.loss(poses)
    assert loss == net.loss(poses, gradients=False)[0]
    rng, h = np.random.default_rng(0), 1e-6
    for w, g in zip(net.weights, gradients, strict=True):
        assert w.shape == g.shape
        for at in {tuple(rng.integers(0, w.shape)) for _ in range(25)}:
            keep = w[at]
            w[at] = keep + h
            up = net.loss(poses, gradients=False)[0]
            w[at] = keep - h
            down = net.loss(poses, gradients=False)[0]
            w[at] = keep
            assert g[at] == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-8)


@settings(max_examples=20, deadline=None)
@given(st.floats(0, 100), st.integers(0, 10**6))
def test_guesses_are_inside_the_limits_whatever_the_weights(size, seed):
    model = mixed()
    net = _untrained(model)
    rng = np.random.default_rng(seed)
    net.weights = [size * rng.normal(size=w.shape) for w in net.weights]
    q = net.predict(model.fk(model.sample(20, seed=seed)))
    assert np.all(np.isfinite(q))
    np.testing.assert_allclose(model.clip(q), q, atol=1e-12)
    assert np.all((q >= model.lower) & (q <= model.upper))


def _untrained(model, made={}):  # noqa: B006
    if "net" not in made:
        made["net"] = Network.train(model, samples=100, hidden=(8,), epochs=1)
    old = made["net"]
    return Network(model, old.frame, old.goal, [w.copy() for w in old.weights])


def test_it_learns(arm, net):
    report = net.training
    assert report.samples + report.held_out == 4000
    assert report.losses[report.best - 1] == min(report.losses)
    assert min(report.losses) < 0.1 * report.losses[0]
    assert report.position_error < 0.05 * arm.max_reach  # the middle of held-out poses
    fresh = arm.fk(arm.sample(500, seed=99))[:, :3, 3]
    miss = net.solve(fresh).position_error
    assert np.median(miss) < 2 * report.position_error


def test_it_is_a_better_start_than_rest():
    arm = hk.data("planar9")
    net = Network.train(arm, goal="position", samples=3000, hidden=(32, 32), epochs=15, seed=1)
    targets = arm.fk(arm.sample(300, seed=7))[:, :3, 3]
    cold = arm.solve(position=targets, solver="dls")
    warm = net.solve(targets, solver="dls")
    given = arm.solve(position=targets, solver="dls", q0=net.predict(targets))
    assert warm.q.tobytes() == given.q.tobytes()
    assert warm.iterations.mean() < 0.5 * cold.iterations.mean()
    assert warm.converged.mean() >= cold.converged.mean()


def test_where_it_guesses_badly_restarts_make_up_for_it(arm, net):
    targets = arm.fk(arm.sample(300, seed=7))[:, :3, 3]
    cold = arm.solve(position=targets, solver="dls", retries=5)
    warm = net.solve(targets, solver="dls", retries=5)
    assert warm.converged.mean() >= cold.converged.mean()
    assert warm.iterations.mean() < 0.7 * cold.iterations.mean()


def test_a_wide_turn_is_a_circle_about_the_middle_of_its_range():
    for lower, upper in ((-1.0, 6.0), (-np.inf, 3.0), (2.0, np.inf), (-7.0, 7.0)):
        arm = hk.chain([0.5, 0.5], lower=[lower, -2.0], upper=[upper, 2.0])
        net = Network.train(arm, goal="position", **SMALL)
        assert len(net.weights[-1]) == 3  # two for the circle, one between limits
        around = np.linspace(0, 2 * np.pi, 40)
        targets = np.stack([np.cos(around), np.sin(around), 0 * around], axis=1)
        q = net.predict(targets)
        assert np.all((q >= arm.lower) & (q <= arm.upper))


def test_a_slide_open_to_one_side_learns_within_its_reach():
    for low, high in ((-np.inf, 0.3), (-0.2, np.inf), (-np.inf, np.inf)):
        arm = hk.Model.from_dh(
            [[0, 0, 0, 0], [0, 0, 0.5, 0]], kinds="PR", lower=[low, -1], upper=[high, 1]
        )
        line = Outputs(arm, arm.tip).parts[0]
        reach = max(arm.max_reach, 1e-9)
        wanted = {
            (True, False): (high - 2 * reach, high),
            (False, True): (low, low + 2 * reach),
            (True, True): (-reach, reach),
        }[bool(np.isinf(low)), bool(np.isinf(high))]
        np.testing.assert_allclose((line.low, line.high), wanted)


def test_alone_it_is_judged_like_any_answer(arm, net):
    targets = arm.fk(arm.sample(50, seed=3))[:, :3, 3].copy()
    targets[4] = np.nan
    targets[5] = 10.0
    found = net.solve(targets, position_tolerance=0.05)
    assert found.solver == "network"
    assert found.outcome[4] == Outcome.INVALID
    assert not found.converged[5]
    assert 0 < found.converged.sum() < 50
    got = arm.fk(found.q)[:, :3, 3]
    miss = np.linalg.norm(got - targets, axis=1)
    known = np.isfinite(miss)
    np.testing.assert_allclose(found.position_error[known], miss[known], atol=1e-12)
    np.testing.assert_array_equal(found.converged[known], miss[known] <= 0.05)
    one = net.solve(targets[0], position_tolerance=0.05)
    assert one.q.shape == (3,)
    np.testing.assert_allclose(one.q, found.q[0], atol=1e-12)


def test_poses_in_every_form_are_one(arm):
    net = Network.train(arm, goal="pose", **SMALL)
    poses = arm.fk(arm.sample(6, seed=2)).reshape(2, 3, 4, 4)
    rows = hk._core.pose_columns(poses)
    a = net.predict(poses)
    assert a.shape == (2, 3, 3)
    np.testing.assert_allclose(net.predict((rows[..., :3], rows[..., 3:])), a, atol=1e-12)
    np.testing.assert_allclose(net.predict(rows), a, atol=1e-12)
    np.testing.assert_allclose(net.predict((rows[..., :3], -rows[..., 3:])), a, atol=1e-12)


def test_the_same_seed_gives_the_same_network(arm):
    a, b = (Network.train(arm, seed=4, **SMALL) for _ in range(2))
    c = Network.train(arm, seed=5, **SMALL)
    assert all(x.tobytes() == y.tobytes() for x, y in zip(a.weights, b.weights, strict=True))
    assert a.weights[0].tobytes() != c.weights[0].tobytes()


def test_it_stops_early_and_says_how_far_it_is(arm, capsys):
    seen = []
    net = Network.train(
        arm, samples=100, hidden=(4,), epochs=200, patience=2, rate=0.3,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert seen == [(k + 1, 200) for k in range(net.training.epochs)]
    assert net.training.epochs == net.training.best + 2 < 200
    Network.train(arm, samples=100, hidden=(4,), epochs=2, progress=True)
    assert "training" in capsys.readouterr().err


def test_wrong_arguments_are_named(arm):
    for name, bad in (("samples", 99), ("epochs", 0), ("batch", 0), ("rate", 0.0), ("seed", -1)):
        with pytest.raises(ArgumentError, match=f"{name} must be"):
            Network.train(arm, **{**SMALL, name: bad})
    with pytest.raises(ArgumentError, match="hidden must be"):
        Network.train(arm, samples=100, hidden=(0,))
    for hidden in ((4000, 4000), (1,) * 64):
        with pytest.raises(ArgumentError, match="more than a file may hold"):
            Network.train(arm, samples=100, hidden=hidden)
    with pytest.raises(ArgumentError, match="goal must be"):
        Network.train(arm, goal="axis")
    with pytest.raises(NotFoundError, match="tipp"):
        Network.train(arm, frame="tipp")
    with pytest.raises(ArgumentError, match="no joint moves"):
        Network.train(arm, frame="link_0")
    net = Network.train(arm, goal="position", **SMALL)
    with pytest.raises(ArgumentError, match="position"):
        net.predict([1.0])
    with pytest.raises(ArgumentError, match="threads"):
        net.solve([0.3, 0.3, 0.0], threads=2)


# -- files ----------------------------------------------------------------------------------------


def test_saved_and_loaded_it_is_the_same(tmp_path, arm, net):
    path = tmp_path / "x.npz"
    net.save(path)
    again = Network.load(path, arm)
    targets = arm.fk(arm.sample(9, seed=8))[:, :3, 3]
    assert again.goal == "position"
    assert again.training is None
    assert again.predict(targets).tobytes() == net.predict(targets).tobytes()
    again.save(tmp_path / "y.npz")
    assert (tmp_path / "y.npz").read_bytes() == path.read_bytes()
    ball = _untrained(mixed())
    ball.save(path)
    assert Network.load(path, mixed()).goal == "pose"


def test_another_model_is_refused(tmp_path, arm, net):
    path = tmp_path / "x.npz"
    net.save(path)
    for other in (
        hk.chain([0.4, 0.4, 0.31], lower=-2.0, upper=2.5),
        hk.chain([0.4, 0.4, 0.3], lower=-2.0, upper=2.0),
        hk.chain([0.4, 0.4, 0.3, 0.1], lower=-2.0, upper=2.5),
    ):
        with pytest.raises(ArgumentError, match="another model"):
            Network.load(path, other)
    with pytest.raises(ArgumentError, match="another model or frame"):
        Network.load(path, arm, frame="link_2")


def _rewrite(data: bytes, change) -> bytes:
    """Return the archive with its members changed: change(dict of bytes)."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    change(members)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return out.getvalue()


def _npy(array) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


BROKEN = {
    "an array is missing": (lambda m: m.pop("lower.npy"), "lacks the array 'lower'"),
    "a layer is missing": (lambda m: m.pop("layer_3.npy"), "arrays of layers"),
    "a stranger": (lambda m: m.update({"evil.py": b"1"}), "which no network has"),
    "a pickle": (lambda m: m.update({"lower.npy": _npy(np.array([{}, 1]))}), "has type"),
    "not finite": (
        lambda m: m.update({"layer_1.npy": _npy(np.full(48, np.nan))}),
        "not finite",
    ),
    "a wrong width": (lambda m: m.update({"layer_1.npy": _npy(np.zeros(5))}), "do not follow"),
    "another mark": (
        lambda m: m.update({"mark.npy": _npy(np.frombuffer(b"other", np.uint8))}),
        "not as a network",
    ),
    "cut off": (lambda m: m.update({"lower.npy": m["lower.npy"][:-3]}), "is cut off"),
    "no header": (lambda m: m.update({"lower.npy": b"\x93NUMPY\x01\x00"}), "has no header"),
    "a huge claim": (
        lambda m: m.update({"lower.npy": m["lower.npy"].replace(b"(3,), ", b"(9999999999999,), ")}),
        "is cut off|has no header",
    ),
    "a bomb": (lambda m: m.update({"lower.npy": bytes((1 << 25) + 1)}), "unpacks to more"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused(tmp_path, arm, net, name):
    path = tmp_path / "x.npz"
    net.save(path)
    change, sentence = BROKEN[name]
    path.write_bytes(_rewrite(path.read_bytes(), change))
    with pytest.raises(ReadError, match=sentence):
        Network.load(path, arm)


def test_any_damage_is_a_read_error_or_does_no_harm(tmp_path, arm):
    path = tmp_path / "x.npz"
    Network.train(arm, goal="position", **SMALL).save(path)
    whole, rng = path.read_bytes(), np.random.default_rng(3)
    for k in range(150):
        data = bytearray(whole)
        if k % 3 == 0:
            data = data[: rng.integers(0, len(data))]
        else:
            for at in rng.integers(0, len(data), size=1 + k % 5):
                data[at] ^= int(rng.integers(1, 256))
        path.write_bytes(bytes(data))
        try:
            Network.load(path, arm)
        except (ReadError, ArgumentError) as error:
            assert str(path) in str(error)


def test_a_missing_file(tmp_path, arm):
    with pytest.raises(MissingFileError, match="no such file"):
        Network.load(tmp_path / "none.npz", arm)
