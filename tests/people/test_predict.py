"""Which hand, which strategy, which posture."""

from itertools import pairwise

import numpy as np
import pytest
from small_person import person

import handik as hk
from handik.people import predict
from handik.people.discomfort import JointDisplacement

ARM = hk.chain([0.3, 0.25, 0.2], lower=[-1.0, 0.0, -0.5], upper=[2.0, 2.5, 0.5])
BODY = hk.Model(person())


@pytest.mark.parametrize(("y", "hand"), [(-0.6, "index_tip_right"), (0.6, "index_tip_left")])
def test_the_near_hand_is_chosen(y, hand):
    ways = predict(BODY, [0.3, y, 0.4])
    assert ways[0].reached
    assert ways[0].frame == hand
    assert len(ways) == 2
    assert ways[0].discomfort <= ways[1].discomfort or not ways[1].reached
    assert np.allclose(BODY.fk(ways[0].q, frame=hand)[:3, 3], [0.3, y, 0.4], atol=2e-4)
    assert "%" in ways[0].reason


@pytest.mark.parametrize("limits", ["cone", "box"])
@pytest.mark.parametrize("sex", ["female", "male"])
@pytest.mark.parametrize("side", ["right", "left"])
def test_the_hand_of_that_shoulder_is_chosen(sex, side, limits):
    """Before each shoulder and beside it; the other hand reaches them too."""
    who = hk.human(sex, limits=limits, position="standing" if sex == "male" else "seated")
    shoulder = who.model.fk(who.rest, frame=f"shoulder_{side}")[:3, 3]
    out = -1.0 if side == "right" else 1.0
    for ahead, aside, up in (
        (0.5, 0, 0),
        (0.45, 0, -0.2),
        (0.4, 0, 0.25),
        (0.4, 0.1, -0.1),
        (0.2, 0.3, 0),
    ):
        ways = predict(who.model, shoulder + [ahead, out * aside, up])
        assert [way.reached for way in ways] == [True, True]
        assert ways[0].frame == f"index_tip_{side}", (ahead, aside, up)
        assert ways[0].discomfort < 0.9 * ways[1].discomfort


def test_the_trunk_is_used_where_the_arm_is_too_short():
    held = {name: 0.0 for name in ("pelvis_tilt", "trunk_flexion", "trunk_bend", "trunk_turn")}
    plans = {"arm alone": held, "arm and trunk": {}}
    near = predict(BODY, [0.3, -0.3, 0.4], frames="index_tip_right", strategies=plans)
    assert near[0].reached
    assert all(one.reached for one in near)
    far = predict(BODY, [0.8, -0.2, 0.4], frames="index_tip_right", strategies=plans)
    assert [one.strategy for one in far] == ["arm and trunk", "arm alone"]
    assert [one.reached for one in far] == [True, False]
    assert "mm short" in far[1].reason
    assert far[1].error == pytest.approx(float(far[1].reason.split()[0]) * 1e-3, abs=6e-4)
    q = far[1].q[BODY.joint_q_slices["trunk_flexion"]]
    assert float(q[0]) == 0.0


def test_polish_is_never_worse():
    rough = predict(BODY, [0.35, -0.3, 0.6], frames="index_tip_right", polish=False)[0]
    fine = predict(BODY, [0.35, -0.3, 0.6], frames="index_tip_right")[0]
    assert fine.discomfort <= rough.discomfort
    assert list(fine.parts.values()) == sorted(fine.parts.values(), reverse=True)


def test_predict_is_told_what_is_wrong():
    with pytest.raises(hk.ArgumentError, match="several tips"):
        predict(hk.Model(_two_tips()), [0, 0, 0])
    with pytest.raises(TypeError, match="of this model"):
        predict(ARM, [0, 0, 0], discomfort=JointDisplacement(BODY))
    with pytest.raises(hk.NotFoundError, match="no_hand"):
        predict(ARM, [0, 0, 0], frames="no_hand")
    with pytest.raises(hk.ArgumentError, match="what may reach"):
        predict(ARM, [0, 0, 0], frames=[])


def _two_tips():
    spec = hk.chain([0.3]).spec
    spec.links.append(hk.LinkSpec("other"))
    spec.joints.append(hk.JointSpec("more", "revolute", "link_0", "other"))
    spec.tip = None
    return spec


TRUNK = {name: 0.0 for name in ("pelvis_tilt", "trunk_flexion", "trunk_bend", "trunk_turn")}
WRIST = {f"wrist_{motion}_right": 0.0 for motion in ("flexion", "deviation")}
#: Each holds some of the joints that the next one holds.
NARROWER = {"free": {}, "trunk": TRUNK, "and wrist": TRUNK | WRIST}
NARROWER["and forearm"] = NARROWER["and wrist"] | {"forearm_pronation_right": 0.3}


@pytest.mark.parametrize("polish", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_a_freer_strategy_is_never_worse_than_a_narrower_one(seed, polish):
    rng = np.random.default_rng(seed)
    for _ in range(6):
        target = rng.uniform([0.1, -0.6, 0.0], [0.8, 0.3, 0.9])
        ways = predict(
            BODY, target, frames="index_tip_right", strategies=NARROWER, polish=polish, retries=0
        )
        of = {way.strategy: way for way in ways}
        row = [of[name] for name in NARROWER]
        for freer, narrower in pairwise(row):
            assert freer.reached or not narrower.reached
            if narrower.reached:
                assert freer.discomfort <= narrower.discomfort
            elif not freer.reached:
                assert freer.error <= narrower.error
        for name, lock in NARROWER.items():  # and holds what it is to hold
            at = [BODY.joint_q_slices[joint].start for joint in lock]
            assert of[name].q[at] == pytest.approx(list(lock.values()))
