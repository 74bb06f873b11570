"""What is public in `handik.people.motion` and the files of motions, called: as `public_calls`."""

from __future__ import annotations

from typing import Any

import numpy as np
from public_calls import FOLDER, Given, call_of

import handik as hk
from handik.files.read import mot
from handik.people.motion import Library, Motion, fit_markers, lead, retarget, scale_to_markers

HINGES = hk.chain([0.3, 0.2])
WAVE = Motion(np.linspace(0, 1, 12).reshape(6, 2), np.arange(6) / 10, HINGES)
MOT = "a\ninDegrees=yes\nendheader\ntime joint_1\n0.0 180.0\n"
TRC = "\n".join(
    ["PathFileType 4", "NumMarkers Units", "1 mm", "Frame#\tTime\ttoe", "", "1\t0.0\t1\t2\t3"]
)
SEEN = hk.read.read_trc(TRC)
NAMED = Motion(WAVE.q, WAVE.times, HINGES, name="wave")
LIBRARY = Library([NAMED])
LIBRARY.save(FOLDER / "kept")
ANNA = hk.human("female", stature=1.6)
SITS = Motion([ANNA.rest, ANNA.rest], [0.0, 0.1], ANNA.model)
FITTED = fit_markers(HINGES, SEEN, {"toe": ("tip", [0.0, 0.0, 0.0])})


def c3d() -> tuple[Any, ...]:
    """The reader of C3D and a file, or that of TRC where there is no library to write one."""
    try:
        import ezc3d
    except ImportError:
        return hk.read.read_trc, TRC
    made = ezc3d.c3d()
    made["parameters"]["POINT"]["RATE"]["value"] = [50.0]
    made["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    made["parameters"]["POINT"]["LABELS"]["value"] = ["toe"]
    made["data"]["points"] = np.ones((4, 1, 2))
    made.write(str(FOLDER / "toe.c3d"))
    return hk.read.read_c3d, FOLDER / "toe.c3d"


MOTION: dict[str, Given] = {
    "Motion": call_of(Motion, q=WAVE.q, times=WAVE.times, model=HINGES, name="wave"),
    "Motion.read": call_of(Motion.read, source="HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\n", up="z"),
    "Motion.save": call_of(WAVE.save, path=FOLDER / "wave.bvh", order="XYZ"),
    "Motion.at": call_of(WAVE.at, times=[0.1, 0.2]),
    "Motion.resample": call_of(WAVE.resample, rate=20.0),
    "Motion.smooth": call_of(WAVE.smooth, window=3, degree=1),
    "Motion.lowpass": call_of(
        Motion(np.zeros((90, 2)), np.arange(90) / 10, HINGES).lowpass, cutoff=3.0, order=1
    ),
    "Motion.velocities": call_of(WAVE.velocities),
    "Motion.blend": call_of(WAVE.blend, other=WAVE, share=0.5),
    "Motion.then": call_of(WAVE.then, other=WAVE, overlap=0.2),
    "Motion.mirror": call_of(
        WAVE.mirror, pairs={"joint_1": "joint_1"}, normal=np.array([0.0, 1.0, 0.0])
    ),
    "Motion.path": call_of(WAVE.path, frame="tip"),
    "fit_markers": call_of(
        fit_markers,
        model=HINGES,
        markers=SEEN,
        places={"toe": ("tip", [0.0, 0.0, 0.0])},
        weights={"toe": 2.0},
        q0=np.zeros(2),
    ),
    "scale_to_markers": call_of(
        scale_to_markers,
        model=HINGES,
        markers=SEEN,
        places={"toe": ("tip", [0.0, 0.0, 0.0])},
        groups={"link_1": "all"},
        frames=3,
        spread=0.1,
    ),
    "retarget": call_of(
        retarget,
        motion=SITS,
        person=ANNA,
        source={"hand_left": "hand_left"},
        target={"hand_left": "hand_left"},
        rest=ANNA.rest,
        source_rest=ANNA.rest,
        pinned=("hand_left",),
        still=0.01,
        dear=True,
    ),
    "lead": call_of(
        lead, motion=WAVE, frame="tip", points={2: [0.3, 0.2, 0.0]}, fade=0.2, keep=("link_1",)
    ),
    "Library": call_of(Library, motions=[NAMED]),
    "Library.add": call_of(lambda motion: Library().add(motion), motion=NAMED),
    "Library.reaching": call_of(LIBRARY.reaching, frame="tip", point=np.zeros(3), most=2),
    "Library.like": call_of(LIBRARY.like, q=np.zeros(2), model=HINGES, joints=["joint_1"], most=2),
    "Library.adapted": call_of(
        LIBRARY.adapted,
        name="wave",
        person=HINGES,
        frame="tip",
        point=np.array([0.3, 0.2, 0.0]),
        keep=("link_1",),
        source_rest=None,
    ),
    "Library.save": call_of(LIBRARY.save, folder=FOLDER / "motions"),
    "Library.read": call_of(Library.read, folder=FOLDER / "kept"),
    "MarkerFit.of_markers": call_of(FITTED.of_markers),
    "MarkerFit.of_frames": call_of(FITTED.of_frames),
    "read.read_trc": call_of(hk.read.read_trc, source=TRC, up="z"),
    "read.read_c3d": call_of(*c3d(), up="z"),
    "read.Markers": call_of(
        hk.read.Markers, names=("a",), times=np.zeros(1), positions=np.zeros((1, 1, 3))
    ),
    "read.read_mot": call_of(hk.read.read_mot, source=MOT),
    "read.mot.coordinate_names": call_of(mot.coordinate_names, model=HINGES),
    "read.mot.Table.coordinates": call_of(hk.read.read_mot(MOT).coordinates, model=HINGES),
    "write.save_mot": call_of(
        hk.write.save_mot, FOLDER / "wave.mot", model=HINGES, q=WAVE.q, times=WAVE.times, name="w"
    ),
    "write.save_trc": call_of(hk.write.save_trc, FOLDER / "wave.trc", markers=SEEN, up="y"),
}
