"""Markers to motion, and lengths of segments from markers, on noise that is known."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.people.motion import fit_markers, scale_to_markers

#: Segment -> the one that carries it, and where, metres.
BODY = {
    "pelvis": ("", (0, 0, 1)), "spine": ("pelvis", (0, 0, 0.1)), "chest": ("spine", (0, 0, 0.2)),
    "neck": ("chest", (0, 0, 0.2)), "head": ("neck", (0, 0, 0.1)),
    "collar_left": ("chest", (0, 0.05, 0.15)), "arm_left": ("collar_left", (0, 0.15, 0)),
    "forearm_left": ("arm_left", (0, 0.28, 0)), "hand_left": ("forearm_left", (0, 0.25, 0)),
    "collar_right": ("chest", (0, -0.05, 0.15)), "arm_right": ("collar_right", (0, -0.15, 0)),
    "forearm_right": ("arm_right", (0, -0.28, 0)), "hand_right": ("forearm_right", (0, -0.25, 0)),
    "thigh_left": ("pelvis", (0, 0.09, 0)), "shank_left": ("thigh_left", (0, 0, -0.4)),
    "foot_left": ("shank_left", (0, 0, -0.42)), "thigh_right": ("pelvis", (0, -0.09, 0)),
    "shank_right": ("thigh_right", (0, 0, -0.4)), "foot_right": ("shank_right", (0, 0, -0.42)),
}  # fmt: skip


def body(scale=lambda link: 1.0) -> hk.Model:
    """Nineteen balls, the lowest free: 79 coordinates."""
    spec = hk.ModelSpec("body", [hk.LinkSpec("world")])
    for name, (above, place) in BODY.items():
        at = np.eye(4)
        at[:3, 3] = np.array(place) * (scale(above) if above else 1.0)
        spec.links.append(hk.LinkSpec(name))
        kind = "ball" if above else "free"
        spec.joints.append(hk.JointSpec(name, kind, above or "world", name, at))
    return hk.Model(spec)


MAN = body()
RNG = np.random.default_rng(0)
#: Three to a segment, about its bone, 4 cm off it.
PLACES = {
    f"{name} {k}": (name, 0.04 * np.array([np.cos(a), np.sin(a), z]))
    for name in BODY
    for k, (a, z) in enumerate([(0.3, 0.8), (2.4, -0.8), (4.5, 1.5)])
}


def trial(model: hk.Model, n: int, noise: float, seed: int = 1):
    """Return a motion and its markers, seen with noise."""
    rng = np.random.default_rng(seed)
    t = np.arange(n) / 100
    a = 0.25 * rng.normal(size=(3, model.nv))
    v = sum(a[k] * np.sin((k + 1) * 1.5 * t[:, None] + 9 * a[k]) for k in range(3))
    motion = hk.Motion(model.integrate(np.tile(model.rest, (n, 1)), v), t, model)
    points = np.stack([place(motion, *where) for where in PLACES.values()], axis=1)
    points += noise * rng.normal(size=points.shape)
    return motion, hk.read.Markers(tuple(PLACES), t, points)


def place(motion: hk.Motion, frame: str, point) -> np.ndarray:
    poses = motion.model.fk(motion.q, frame=frame)
    return poses[:, :3, :3] @ point + poses[:, :3, 3]


def angles_off(motion: hk.Motion, true: hk.Motion) -> np.ndarray:
    v = motion.model.difference(true.q, motion.q)[:, 3:].reshape(len(motion), -1, 3)
    return np.degrees(np.linalg.norm(v, axis=2))


def test_exact_markers_give_the_motion() -> None:
    true, seen = trial(MAN, 12, 0.0)
    fit = fit_markers(MAN, seen, PLACES)
    assert fit.rms < 1e-7
    assert angles_off(fit.motion, true).max() < 1e-4
    np.testing.assert_allclose(fit.positions, seen.positions, atol=1e-6)


def test_noisy_markers_give_joints_within_two_degrees() -> None:
    true, seen = trial(MAN, 100, 0.002)
    fit = fit_markers(MAN, seen, PLACES)
    assert np.median(angles_off(fit.motion, true)) < 2.0
    # The noise, less what 60 of 171 numbers can follow of it.
    assert fit.rms == pytest.approx(0.002 * np.sqrt(3 * (171 - 60) / 171), rel=0.03)
    assert fit.of_frames().shape == (100,)
    assert list(fit.of_markers().values()) == sorted(fit.of_markers().values(), reverse=True)
    assert "100 least squares" in repr(fit)
    assert (fit.outcomes == "least_squares").all()


def test_a_frame_takes_few_iterations() -> None:
    _, seen = trial(MAN, 100, 0.002)
    assert fit_markers(MAN, seen, PLACES).iterations.mean() < 7


def test_it_is_a_minimum() -> None:
    _, seen = trial(MAN, 3, 0.01)
    fit = fit_markers(MAN, seen, PLACES)
    rng = np.random.default_rng(4)
    for i in range(3):
        for size in (1e-3, 1e-2):
            q = MAN.integrate(fit.motion.q[i], size * rng.normal(size=(50, MAN.nv)))
            moved = hk.Motion(q, np.arange(50), MAN)
            points = np.stack([place(moved, *where) for where in PLACES.values()], axis=1)
            cost = ((points - seen.positions[i]) ** 2).sum(axis=(1, 2))
            assert cost.min() > (fit.residuals[i] ** 2).sum()


def test_markers_that_were_not_seen() -> None:
    true, seen = trial(MAN, 20, 0.001)
    points = seen.positions.copy()
    points[5:9, ::3] = np.nan
    points[12] = np.nan
    points[:, 7] = np.nan
    fit = fit_markers(MAN, hk.read.Markers(seen.names, seen.times, points), PLACES)
    assert np.array_equal(np.isnan(fit.residuals), np.isnan(points[..., 0]))
    assert np.median(angles_off(fit.motion, true)[[0, 1, 2, 3, 18, 19]]) < 2.0
    assert np.median(angles_off(fit.motion, true)[5:9]) < 4.0
    np.testing.assert_array_equal(fit.motion.q[12], fit.motion.q[11])
    assert [i for i, word in enumerate(fit.outcomes) if not word] == [12]
    assert "1 unseen" in repr(fit)
    assert np.isnan(fit.of_frames()[12])
    assert list(fit.of_markers())[-1] == seen.names[7]


def test_a_heavy_marker_is_followed() -> None:
    arm = hk.chain([0.3, 0.2])
    places = {"a": ("tip", [0, 0, 0]), "b": ("tip", [0.05, 0, 0])}
    seen = hk.read.Markers(("a", "b", "other"), [0.0], [[[0.3, 0.3, 0], [0.3, 0.4, 0], [9, 9, 9]]])
    even = fit_markers(arm, seen, places).residuals[0]
    heavy = fit_markers(arm, seen, places, weights={"a": 30.0}).residuals[0]
    assert heavy[0] < even[0] / 10
    again = fit_markers(arm, seen, places, q0=[0.4, 1.0]).residuals[0]
    np.testing.assert_allclose(again, even, atol=1e-5)


def test_a_fit_at_limits_ends_where_nothing_gains() -> None:
    """Markers of postures beyond the limits: no descent from the answer lowers the sum."""
    rng = np.random.default_rng(3)
    links = [f"link_{k}" for k in range(1, 7)]
    free = hk.chain([0.3] * 6, "ball")
    held = hk.chain([0.3] * 6, lower=-0.6, upper=0.6)
    places = {f"{name} {k}": (name, 0.05 * rng.normal(size=3)) for name in links for k in range(3)}
    q = free.sample(12, seed=6)
    bent = hk.Motion(free.integrate(q * 0 + free.rest, 0.5 * rng.normal(size=(12, free.nv))),
                     np.arange(12), free)  # fmt: skip
    points = np.stack([place(bent, *where) for where in places.values()], axis=1)
    fit = fit_markers(held, hk.read.Markers(tuple(places), np.arange(12.0), points), places)
    assert (abs(fit.motion.q) > 0.6 - 1e-6).any()
    assert (fit.outcomes == "least_squares").all()

    def cost(q: np.ndarray, i: int) -> float:
        one = hk.Motion(q[None], [0.0], held)
        return sum(((place(one, *w)[0] - points[i, k]) ** 2).sum() for k, w in
                   enumerate(places.values()))  # fmt: skip

    optimize = pytest.importorskip("scipy.optimize")
    for i in (0, 5, 11):
        start = np.clip(fit.motion.q[i], -0.6, 0.6)
        theirs = optimize.minimize(cost, start, (i,), bounds=[(-0.6, 0.6)] * 6)
        assert cost(fit.motion.q[i], i) <= theirs.fun * (1 + 2e-3)


def test_limits_are_kept() -> None:
    arm = hk.chain([0.3, 0.2], lower=-0.5, upper=0.5)
    seen = hk.read.Markers(("tip",), [0.0], [[[0.0, 0.5, 0.0]]])
    fit = fit_markers(arm, seen, {"tip": ("tip", [0, 0, 0])})
    np.testing.assert_allclose(fit.motion.q, [[0.5, 0.5]], atol=1e-6)


@pytest.mark.parametrize("count", [25, 100])
def test_scales_from_noise(count: int) -> None:
    rng = np.random.default_rng(7)
    factor = {name: float(rng.uniform(0.9, 1.1)) for name in BODY}
    true = body(lambda link: factor[link])
    places = {k: (link, point / factor[link]) for k, (link, point) in PLACES.items()}
    _, seen = trial(true, 100, 0.002)
    found = scale_to_markers(MAN, seen, places, frames=count)
    assert found.fit.rms == pytest.approx(0.002 * np.sqrt(3 * (171 - 60) / 171), rel=0.03)
    off = {link: found.scales[link] - factor[link] for link in BODY}
    carrying = [off[above] for above, _ in BODY.values() if above]
    assert np.sqrt(np.mean(np.square(carrying))) < 0.005
    # As far off as it says itself.
    z = np.array([off[k] / found.deviations[k] for k in off])
    assert 0.4 < np.sqrt((z**2).mean()) < 1.6
    for name, (link, point) in found.places.items():
        np.testing.assert_allclose(point, places[name][1] * found.scales[link], atol=1e-12)


def test_scales_of_pairs_and_groups() -> None:
    factor = {name: 1.06 if "arm" in name else 1.0 for name in BODY}
    true = body(lambda link: factor[link])
    places = {k: (link, point / factor[link]) for k, (link, point) in PLACES.items()}
    _, seen = trial(true, 30, 0.001)
    pairs = scale_to_markers(MAN, seen, places, symmetric=True)
    assert len(pairs.scales) == 12
    assert pairs.scales["arm_left"] == pytest.approx(1.06, abs=0.004)
    every = scale_to_markers(MAN, seen, places, groups=dict.fromkeys(BODY, "all"))
    assert 1.0 < every.scales["all"] < 1.06
    assert every.fit.rms > pairs.fit.rms


def test_what_markers_do_not_tell_stays() -> None:
    _, seen = trial(MAN, 10, 0.001)
    few = {name: where for name, where in PLACES.items() if where[0] == "pelvis"}
    found = scale_to_markers(MAN, seen, few)
    assert found.scales["arm_left"] == pytest.approx(1.0, abs=1e-6)
    assert found.deviations["arm_left"] == pytest.approx(0.2, rel=1e-3)
    assert scale_to_markers(MAN, seen, few, spread=0.1).deviations["arm_left"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"places": {}}, "mapping of markers"),
        ({"places": {"x": ("tip", [0, 0, 0])}}, "no marker of places"),
        ({"places": {"tip": ("no", [0, 0, 0])}}, "no frame is called 'no'"),
        ({"places": {"tip": ("tip", [0, 0])}}, "point of marker 'tip'"),
        ({"places": {"tip": "tip"}}, r"\(frame, point\)"),
        ({"weights": {"tip": 0.0}}, "above zero"),
        ({"weights": {"top": 1.0}}, "no marker is called 'top'"),
    ],
    ids=["none", "others", "frame", "point", "pair", "weight", "name"],
)
def test_wrong_calls_say_what(change: dict, said: str) -> None:
    right = {"places": {"tip": ("tip", [0, 0, 0])}, "weights": None}
    seen = hk.read.Markers(("tip",), [0.0], [[[0.3, 0.1, 0.0]]])
    with pytest.raises((hk.ArgumentError, hk.NotFoundError), match=said):
        fit_markers(hk.chain([0.3, 0.2]), seen, **(right | change))
    with pytest.raises(hk.ArgumentError, match="nothing can be scaled"):
        scale_to_markers(hk.chain([0.3]), seen, {"tip": ("link_0", [0.1, 0, 0])})
    nothing = hk.read.Markers(("tip",), [0.0], np.full((1, 1, 3), np.nan))
    with pytest.raises(hk.ArgumentError, match="seen in any frame"):
        scale_to_markers(hk.chain([0.3]), nothing, {"tip": ("tip", [0, 0, 0])})


def test_places_that_fit_no_times_are_no_markers() -> None:
    for times, places in (([0.0, 1.0], np.zeros((3, 1, 3))), ([[0.0], [1.0]], np.zeros((2, 1, 3)))):
        with pytest.raises(hk.ArgumentError, match=r"positions must have shape|times"):
            hk.read.Markers(("a",), times, places)


def test_markers_out_of_reach_of_a_fixed_root_are_a_fit_that_is_not_met():
    """What lengths prove of the targets is no word on the fit: least squares, not met."""
    arm = hk.chain([0.3, 0.2])
    seen = hk.read.Markers(("a",), [0.0, 1.0], [[[0.9, 0.0, 0.0]], [[0.0, 0.3, 0.0]]])
    fit = fit_markers(arm, seen, {"a": ("tip", [0, 0, 0])})
    assert fit.outcomes.tolist() == ["least_squares", "converged"]
    np.testing.assert_allclose(fit.residuals[0], [0.4], atol=1e-6)
    assert arm.solve(position=[0.9, 0.0, 0.0]).outcome == hk.Outcome.UNREACHABLE


def test_a_frame_that_is_not_at_its_least_is_not_called_so():
    """A search that still gains, from the answer or from beside it, is a frame to look at."""
    from handik.people.motion import markers

    arm = hk.chain([0.3, 0.2])
    fitter = markers._Fitter(arm, [("tip", np.zeros(3))], [1.0])
    problem, wanted = fitter.problem(np.array([True])), np.array([0.9, 0.0, 0.0])

    class Half:
        outcome, q, error = hk.Outcome.UNREACHABLE, np.array([0.3, 0.4]), 0.5

    assert fitter._word(problem, wanted, Half) == "stalled"
    Half.q, Half.error = np.zeros(2), fitter.search(problem, wanted, q0=np.zeros(2)).error
    assert fitter._word(problem, wanted, Half) == "least_squares"
