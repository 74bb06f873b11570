"""Clothes and hair: their hems, how far they stand off the skin, the files they are written to."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest

import handik as hk
from handik.people.surface import Surface
from handik.people.surface._data import mesh
from handik.people.surface._garments import GARMENTS, cut_mesh, field, garment_layer
from handik.people.surface._tape import volume

ALL = tuple(GARMENTS)
OUTFITS = list(chain.from_iterable(combinations(ALL, k) for k in range(len(ALL) + 1)))


def ways(faces: np.ndarray) -> set[tuple[int, int]]:
    """The directed edges of faces."""
    edges = np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)])
    out = set(map(tuple, edges.tolist()))
    assert len(out) == len(edges)  # none twice
    return out


def loops(edges: set[tuple[int, int]]) -> list[list[int]]:
    """The closed loops of directed edges that have no face on the other side."""
    ahead = dict(edges)
    assert len(ahead) == len(edges)  # one way on from each vertex
    assert set(ahead.values()) == set(ahead)  # and one way to it
    found = []
    while ahead:
        first, at = ahead.popitem()
        loop = [first]
        while at != first:
            loop.append(at)
            at = ahead.pop(at)
        found.append(loop)
    return found


def hems(worn: tuple[str, ...], name: str) -> tuple[list[list[int]], set[tuple[int, int]]]:
    cut = cut_mesh(worn)
    own = cut.faces[(cut.part == cut.parts.index(name)) & ~cut.strip]
    edges = ways(own)
    rim = {(a, b) for a, b in edges if (b, a) not in edges}
    return loops(rim), rim


@pytest.mark.parametrize("worn", OUTFITS, ids="+".join)
def test_what_is_seen_is_closed(worn) -> None:
    cut = cut_mesh(worn)
    edges = ways(cut.faces)
    assert edges == {(b, a) for a, b in edges}
    assert set(cut.parts) - {"skin", "brows", "lips", "eyes", "iris"} == set(worn)
    assert len(np.unique(cut.faces)) == len(cut.layer)
    of = cut.layer[cut.faces]
    assert (of == of[:, :1]).all(1)[~cut.strip].all()
    assert not (of == of[:, :1]).all(1)[cut.strip].any()
    assert cut.strip.any() == bool(worn)


def test_hems_are_closed_loops_on_the_zero_line() -> None:
    """A loop goes through each of its vertices once, a straight piece in each triangle it cuts,
    so no two of its pieces cross."""
    count = {"hair": 1, "shirt": 4, "trousers": 3, "shoes": 2}
    for name, n in count.items():
        found, _ = hems((name,), name)
        assert len(found) == n
        assert min(map(len, found)) > 20
        cut, f = cut_mesh((name,)), field(name)
        rim = np.concatenate(found)
        a, b, share = f[cut.ends[rim, 0]], f[cut.ends[rim, 1]], cut.share[rim]
        assert (a * b < 0).all()
        np.testing.assert_allclose(a + share * (b - a), 0, atol=1e-12)
        pieces = np.concatenate([np.stack([k, np.roll(k, -1)], 1) for k in found])
        corners = [set(cut.ends[p].ravel().tolist()) for p in pieces]
        assert {len(k) for k in corners} == {3}  # both ends on edges of one triangle
        assert len({frozenset(k) for k in corners}) == len(corners)
        # All that is covered is inside, all the rest outside.
        own = (cut.part == 1) & ~cut.strip
        at = (1 - cut.share) * f[cut.ends[:, 0]] + cut.share * f[cut.ends[:, 1]]
        assert (at[cut.faces[own]] > -1e-12).all()
        assert (at[cut.faces[cut.part == 0]] < 1e-12).all()


def test_the_shirt_hangs_over_the_trousers() -> None:
    cut = cut_mesh(ALL)
    shirt, trousers = (cut.layers.index(k) for k in ("shirt", "trousers"))
    meet = np.sort(cut.layer[cut.faces[cut.strip]], 1)[:, [0, 2]]
    assert {tuple(k) for k in meet.tolist()} == {(0, k) for k in range(1, 5)} | {(shirt, trousers)}
    joint = (meet == [shirt, trousers]).all(1)
    assert set(cut.part[cut.strip][joint].tolist()) == {shirt}
    at = mesh().base[cut.ends[cut.faces[cut.strip][joint]].ravel(), 2]
    assert 0.03 < at.min() < 0.06 < at.max() < 0.1  # at the hips, all round


@pytest.mark.parametrize("position", ["standing", "seated"])
@pytest.mark.parametrize(
    ("sex", "stature", "weight"),
    [("female", 1.62, 65), ("female", 1.65, 100), ("male", 1.77, 60), ("male", 1.77, 120)],
)
def test_the_hem_of_the_shirt_is_nearly_level_behind(sex, stature, weight, position) -> None:
    """Of who sat it rose 6 cm in the middle, between two lobes that lay on the seat."""
    person = hk.human(sex=sex, stature=stature, weight=weight, position=position)
    found, _ = hems(("shirt",), "shirt")
    cut, base = cut_mesh(("shirt",)), mesh().base
    loop = min(found, key=lambda k: abs(base[cut.ends[k, 0], 2] - 0.06).max())
    behind = np.array(loop)[base[cut.ends[loop, 0], 0] < -0.02]
    seen = person.surface(person.rest, clothes=("shirt",)).clothed.vertices[behind, 2]
    assert len(behind) > 30
    assert np.ptp(seen) < 0.037
    if position == "seated":
        assert seen.min() > person.dimensions["popliteal_height"] + 0.028


def near_distance(at: np.ndarray, row: np.ndarray, skin: np.ndarray) -> np.ndarray:
    """The distance of points to the skin about the vertices they lie over: all triangles there, by
    trimesh."""
    closest_point = pytest.importorskip("trimesh").triangles.closest_point
    m = mesh()
    of: list[list[int]] = [[] for _ in range(len(m.base))]
    for k, face in enumerate(m.faces.tolist()):
        for corner in face:
            of[corner].append(k)
    pairs = [(i, f) for i, v in enumerate(row) for f in {f for u in m.near[v] for f in of[u]}]
    i, f = np.array(pairs).T
    far = np.linalg.norm(at[i] - closest_point(skin[m.faces[f]], at[i]), axis=1)
    out = np.full(len(at), np.inf)
    np.minimum.at(out, i, far)
    return out


@pytest.mark.parametrize(("kind", "position"), [("slim", "standing"), ("heavy", "seated")])
def test_clothes_stay_off_the_skin(kind, position) -> None:
    known = {
        "slim": {"sex": "female", "percentile": (25, 10)},
        "heavy": {"sex": "male", "stature": 1.775, "weight": 115},
    }
    person = hk.human(**known[kind], position=position, detail="full")
    q = person.posture(elbow_flexion_right=1.4, elbow_flexion_left=0.3, trunk_flexion=0.4)
    raised = person.model.joint_q_slices["shoulder_left"]
    q[raised] = [1, 0, 0, 0]  # an arm out
    found = person.surface(q)
    seen, cut, normal = found.clothed, cut_mesh(ALL), mesh().normals(found.vertices)
    for k, name in enumerate(cut.layers[1:], start=1):
        mine = (cut.layer == k) & (cut.share == 0)
        row, at = cut.ends[mine, 0], seen.vertices[mine]
        rows, least = garment_layer(name)
        least = least[np.searchsorted(rows, row)]
        if name == "shoes":
            least = least * np.clip(
                1 + 1.25 * np.minimum(mesh().normals(person.surface.rest)[row, 2], 0), 0, 1
            )
        out = ((at - found.vertices[row]) * normal[row]).sum(1)
        assert (out >= least - 1e-12).all()
        far = near_distance(at, row, found.vertices)
        assert far.max() < 0.03
        assert np.quantile(far, 0.01) > {"shoes": -1, "trousers": 0.001}.get(name, 0.0030)
        assert far.min() > {"shoes": -1, "hair": 0.0028}.get(name, 0)
    assert seen.vertices[:, 2].min() > found.vertices[:, 2].min() - 1e-3


def test_bare_is_the_skin_and_clothes_add_to_the_volume() -> None:
    anna = hk.human(sex="female", position="standing")
    bare = anna.surface(anna.rest, clothes=())
    eyes = volume(bare.vertices, bare.faces) - bare.volume
    seen = bare.clothed
    assert volume(seen.vertices, seen.faces) == pytest.approx(bare.volume + eyes, rel=1e-9)
    assert seen.parts == ("skin", "brows", "lips", "eyes", "iris")
    dressed = anna.surface(anna.rest)
    assert dressed.vertices.tobytes() == bare.vertices.tobytes()
    more = volume(dressed.clothed.vertices, dressed.clothed.faces) - bare.volume - eyes
    assert 0.005 < more < 0.012  # some 6 mm on 1.4 square metres
    assert dressed.clothed is dressed.clothed


def test_clothes_bridge_hollows() -> None:
    """Between the buttocks the trousers stand off further than elsewhere."""
    bob = hk.human(sex="male", position="standing")
    cloth = bob.surface._wardrobe.cloth("trousers")
    far = np.linalg.norm(cloth.rest - bob.surface.rest[cloth.rows], axis=1)
    assert far.min() == pytest.approx(GARMENTS["trousers"].least, abs=1e-12)
    cleft = (abs(cloth.rest[:, 1]) < 0.004) & (cloth.rest[:, 0] < -0.02)
    assert np.median(far) < 0.005
    assert 0.008 < far[cleft].max() < 0.03


def test_colors_and_a_wrong_garment() -> None:
    anna = hk.human(sex="female")
    red = anna.surface(
        anna.rest, clothes={"shirt": (0.8, 0.1, 0.1), "hair": (0.5, 0.4, 0.2)}
    ).clothed
    assert red.colors[red.parts.index("shirt")].tolist() == [0.8, 0.1, 0.1]
    assert "trousers" not in red.parts
    assert red.colors.shape == (len(red.parts), 3)
    assert set(np.unique(red.part)) == set(range(len(red.parts)))
    for wrong in (
        "shirt",
        ["hat"],
        {"shirt": (2, 0, 0)},
        {"shirt": (-0.1, 0, 0)},
        3,
        {"shirt": "red"},
    ):
        with pytest.raises(hk.ArgumentError, match=r"clothes|color"):
            anna.surface(anna.rest, clothes=wrong)
    with pytest.raises(hk.ArgumentError, match="three numbers"):
        anna.surface(anna.rest, clothes={"shirt": [(0, 0, 0)]})
    skin = anna.surface(anna.rest)
    with pytest.raises(hk.UnsupportedError, match="clothed"):
        _ = Surface(skin.vertices, skin.faces).clothed


def test_written_clothes(tmp_path) -> None:
    trimesh = pytest.importorskip("trimesh")
    anna = hk.human(sex="female")
    seen = anna.surface(anna.rest).clothed
    for name in ("anna.obj", "anna.glb"):
        seen.save(tmp_path / name)
    scene = trimesh.load(tmp_path / "anna.glb")
    assert sum(len(k.faces) for k in scene.geometry.values()) == len(seen.faces)
    np.testing.assert_allclose(
        scene.bounds[:, [2, 0, 1]], [seen.vertices.min(0), seen.vertices.max(0)], atol=1e-5
    )
    colors = {
        k.visual.material.name: k.visual.material.baseColorFactor[:3] / 255
        for k in scene.geometry.values()
    }
    assert set(colors) == set(seen.parts)
    shirt = seen.colors[seen.parts.index("shirt")]
    np.testing.assert_allclose(((shirt + 0.055) / 1.055) ** 2.4, colors["shirt"], atol=0.003)
    lines = (tmp_path / "anna.obj").read_text().splitlines()
    assert lines[0] == "mtllib anna.mtl"
    groups = [k.split()[1] for k in lines if k.startswith("g ")]
    assert groups == list(seen.parts)
    said = (tmp_path / "anna.mtl").read_text().split("newmtl ")[1:]
    read = {k.split()[0]: [float(x) for x in k.split()[2:]] for k in said}
    np.testing.assert_allclose([read[k] for k in seen.parts], seen.colors, atol=1e-4)
    seen.save(tmp_path / "anna.stl")
    solid = trimesh.load(tmp_path / "anna.stl", process=True)
    assert len(solid.faces) == len(seen.faces)
