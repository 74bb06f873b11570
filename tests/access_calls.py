"""What is public in `handik.scene.access` about reach, called: as `public_calls`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from public_calls import ARM, Given, call_of

import handik as hk

CHAIR = hk.access.chair()
SCENE = hk.Scene().add("box", hk.scene.Box([0.1, 0.1, 1.0]), [2.0, 0.0, 0.5])
FOLDER = Path(tempfile.mkdtemp())
PROOF = hk.access.reach(hk.chain([0.3, 0.2]), None, [0.6, 0, 0]).certificate
assert PROOF is not None
PROOF.save(FOLDER / "no.npz")
WALLS = [[[2.0, -2.0], [2.0, 2.0]]]
DOOR = hk.access.Door([[0.0, 0.0], [0.9, 0.0]])
SEATED = hk.human(sex="female", stature=1.62, position="seated")
SHARES = hk.access.share([ARM], None, [[0.3, 0.3, 0.0]], variants={"a": None, "b": None})
ACCESS: dict[str, Given] = {
    "access.Door": call_of(
        hk.access.Door,
        [[0.0, 0.0], [0.9, 0.0]],
        "hinged",
        "left",
        opening=1.5,
        thickness=0.04,
        handle=0.07,
        handle_height=1.0,
        handle_depth=0.05,
        force=20.0,
        closer=False,
        latch=True,
        threshold=0.0,
    ),
    "access.Door.corners": call_of(DOOR.corners, [0.5]),
    "access.doors": call_of(hk.access.doors, SCENE),
    "access.open_doors": call_of(
        hk.access.open_doors,
        CHAIR,
        SCENE,
        person=None,
        strength=30.0,
        climbs=0.02,
        floor=0.0,
        heights=(0, 1),
        least=0.01,
        most=300,
        progress=None,
    ),
    "access.storeys": call_of(hk.access.storeys, SCENE),
    "access.opens": call_of(
        hk.access.opens,
        CHAIR,
        WALLS,
        DOOR,
        [0, 0, 0],
        [1, 0, 0],
        person=None,
        strength=30.0,
        climbs=0.02,
        shut=False,
        heights=(0, 1),
        least=0.01,
        most=300,
    ),
    "access.seat": call_of(hk.access.seat, SEATED, CHAIR, seat_height=0.5, joystick="left"),
    "access.reach_map": call_of(hk.access.reach_map, SEATED, 2.6, step=0.2),
    "access.reach": call_of(
        hk.access.reach,
        ARM,
        None,
        [0.3, 0.3, 0.0],
        hand="right",
        frame=ARM.frame_names[-1],
        touch=None,
        action="reach",
        axis=[1.0, 0.0, 0.0],
        half_angle=3.0,
        tool_axis=[1.0, 0.0, 0.0],
        turn=None,
        force=None,
        strength=None,
        holds=None,
        sight=False,
        path=False,
        approach=None,
        start=None,
        tolerance=1e-3,
        within=2e-3,
        tries=4,
        budget=1000,
        time_limit=1.0,
        seed=0,
        threads=1,
    ),
    "access.Reach.tell": call_of(hk.access.reach(ARM, None, [0.3, 0.3, 0.0]).tell, "en"),
    "access.Change.tell": call_of(hk.access.Change("nearer", None, 0.1).tell, "en"),
    "access.share": call_of(
        hk.access.share,
        [ARM],
        None,
        [[0.3, 0.3, 0.0]],
        chairs=None,
        profiles=None,
        variants={"a": [0.1, 0.0, 0.0]},
        places=[np.eye(4)],
        position="standing",
        hand="right",
        frame=ARM.frame_names[-1],
        tolerance=1e-3,
        within=2e-3,
        tries=4,
        budget=1000,
        seed=0,
        level=0.95,
        threads=1,
        client=None,
        folder=None,
        progress=None,
    ),
    "access.Shares.difference": call_of(SHARES.difference, "a", "b"),
    "access.Shares.mixed": call_of(
        hk.access.Shares({"chair": ("a", "b")}, dict(SHARES), 0, {"a": 0.5, "b": 0.5}).mixed
    ),
    "access.Cause.tell": call_of(
        hk.access.share([ARM], None, [[9.0, 0.0, 0.0]]).causes[0].tell, "en"
    ),
    "access.sweep": call_of(
        hk.access.sweep,
        [ARM],
        {0.3: [[0.3, 0.3, 0.0]]},
        None,
        places=[np.eye(4)],
        position="standing",
        hand="right",
        frame=ARM.frame_names[-1],
        tolerance=1e-3,
        within=2e-3,
        tries=4,
        budget=1000,
        seed=0,
        level=0.95,
        threads=1,
        progress=None,
    ),
    "access.Share.of": call_of(hk.access.share([ARM], None, [[0.3, 0.3, 0.0]]).of, [0]),
    "access.Certificate.save": call_of(PROOF.save, FOLDER / "no.npz"),
    "access.Certificate.load": call_of(hk.access.Certificate.load, FOLDER / "no.npz"),
    "access.Chair": call_of(
        hk.access.Chair, "manual", 0.65, 1.2, axle=0.4, feet=0.4, taper=0.8, known={}
    ),
    "access.chair": call_of(hk.access.chair, "manual", width=0.65, length=1.2, axle=0.4),
    "access.passes": call_of(
        hk.access.passes, CHAIR, WALLS, [0, 0, 0], [1, 0, 0], heights=(0, 1), least=0.01, most=1000
    ),
    "access.outlines": call_of(hk.access.outlines, SCENE, (0.0, 1.5)),
    "access.rules": call_of(hk.access.rules, "ADA2010"),
    "access.Rule.met": call_of(hk.access.rules("ADA2010")[0].met, 0.01),
    "access.check": call_of(
        hk.access.check,
        SCENE,
        "ISO21542:2021",
        routes={"way": [[0.0, 0.0], [1.0, 0.0]]},
        floor=0.0,
    ),
    "access.code_against_use": call_of(
        hk.access.code_against_use,
        SCENE,
        [],
        "ISO21542:2021",
        routes=None,
        places=[np.eye(4)],
        floor=None,
        hand="right",
        tries=4,
        seed=0,
        level=0.95,
        progress=None,
    ),
    "access.Uses.of": call_of(
        hk.access.code_against_use(SCENE, [], "ISO21542:2021").of, "undecided"
    ),
    "access.Checked.of": call_of(hk.access.check(SCENE, "ISO21542:2021").of, "door"),
    "access.transfer": call_of(hk.access.transfer, 0.46, gap=0.05, bars="bar", obstacle=True),
    "access.Transfer.draw": call_of(hk.access.transfer(0.46).draw, 3, seed=1),
    "access.turns": call_of(
        hk.access.turns, CHAIR, WALLS, [0, 0, 0], angle=3.0, heights=(0, 1), least=0.01, most=1000
    ),
}
