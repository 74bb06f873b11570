"""The page of `hk.view`: its core answers as the native one does, it is one file, and it follows who drags.

What the module answers is compared with this machine's core byte for byte. A difference after a change of the core means
that the module is to be built again: `python csrc/wasm/build.py`.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.app._bodies import body_of
from handik.model._freeze import Parts
from handik.spec.transforms import from_quaternion

BUILD = "python csrc/wasm/build.py"
FIGURES = {
    "balls": lambda: hk.chain([0.1] * 10, "ball"),
    "planar9": lambda: hk.data("planar9"),
    "ur5": lambda: hk.data("ur5"),
    "person": lambda: hk.human(sex="female", stature=1.62).model,
}
#: Solvers and how many targets: 1,000 of what takes microseconds.
POSITIONS = {
    "balls": {name: 1000 for name in ("auto", "fabrik", "fabrik_fast", "ccd", "ccd_fast", "hybrid")}
    | {"ftl": 1000, "triangulation": 100},
    "planar9": {"auto": 1000, "dls": 1000, "lm": 1000, "sdls": 300, "newton": 300, "lbfgs": 100}
    | {
        "gauss_newton": 300,
        "jacobian_transpose": 100,
        "gradient_descent": 30,
        "pinv": 300,
        "ccd": 1000,
    }
    | {"genetic": 3, "memetic": 3, "particle_swarm": 3, "simulated_annealing": 3},
    "person": {"auto": 300, "fabrik": 100, "ccd": 100},
}
POSES = {"ur5": {"auto": 1000, "lm": 1000, "lm_batch": 1000, "dls": 300, "particle_filter": 3}}


class Module:
    """The module under wasmtime, called as a page calls it."""

    def __init__(self) -> None:
        import wasmtime

        packed = (files("handik.app") / "view" / "core.wasm.gz").read_bytes()
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        linker = wasmtime.Linker(engine)
        kinds = [wasmtime.ValType.i32(), wasmtime.ValType.i64(), wasmtime.ValType.i32()]
        clock = wasmtime.FuncType(kinds, [wasmtime.ValType.i32()])
        linker.define_func("wasi_snapshot_preview1", "clock_time_get", clock, lambda *_: 0)
        module = wasmtime.Module(engine, gzip.decompress(packed))
        self.exports = linker.instantiate(self.store, module).exports(self.store)
        self("_initialize")

    def __call__(self, name: str, *given: Any) -> Any:
        held = [self.put(x) if isinstance(x, (np.ndarray, str)) else None for x in given]
        words = [x if at is None else at for x, at in zip(given, held, strict=True)]
        try:
            return self.exports[name](self.store, *words)
        finally:
            for x, at in zip(given, held, strict=True):
                if at is not None:
                    if isinstance(x, np.ndarray) and x.flags.writeable:
                        x.flat = np.frombuffer(self.read(at, x.nbytes), x.dtype)
                    self.exports["hik_drop"](self.store, at)

    def put(self, given: np.ndarray | str) -> int:
        data = given.encode() + b"\0" if isinstance(given, str) else given.tobytes()
        at = self.exports["hik_room"](self.store, len(data))
        self.exports["memory"].write(self.store, data, at)
        return at

    def read(self, at: int, size: int) -> bytes:
        return bytes(self.exports["memory"].read(self.store, at, at + size))

    def text(self, at: int) -> str:
        return self.read(at, 256).split(b"\0")[0].decode()

    def model(self, model: hk.Model) -> int:
        arrays = {k: x for k, x in Parts(model.spec).arrays().items() if isinstance(x, np.ndarray)}
        arrays["rest"] = np.array(model.rest)
        self("hik_begin", arrays["parent"].size, len(model.frame_names))
        held = {name: self.put(np.ascontiguousarray(x)) for name, x in arrays.items()}
        for name, at in held.items():
            assert self("hik_array", name, at) == 0, name
        made = self("hik_model")
        for at in held.values():
            self("hik_drop", at)
        assert made, self.text(self("hik_sentence"))
        return made

    def solve(self, model: int, kind: str, frame: int, solver: str, target: Any) -> Any:
        self("hik_terms")
        assert self("hik_term", kind, frame, -1, 1.0, 1e-4, 1e-4) == 0
        problem = self("hik_problem", model)
        plan = self("hik_plan", problem, solver, -1, -1)
        assert plan, self.text(self("hik_sentence"))
        n = len(target)
        q, whole = np.empty((n, self("hik_nq", model))), np.empty((n, 3), np.int32)
        missed = np.empty((n, 2))
        assert self("hik_answer", plan, problem, n, _still(target), 0, q, whole, missed) == 0
        self("hik_plan_drop", plan)
        self("hik_problem_drop", problem)
        return q, whole, missed


def _still(values: Any) -> np.ndarray:
    out = np.array(values, float)
    out.flags.writeable = False
    return out


@pytest.fixture(scope="module")
def module() -> Module:
    pytest.importorskip("wasmtime", reason="wasmtime is not installed")
    return Module()


def _compare(module: Module, model: hk.Model, kind: str, table: dict[str, int]) -> None:
    frame = model.tip or "grip_right"
    q = model.sample(1000, seed=5)
    poses = model.fk(q, frame=frame)
    target = poses[:, :3, 3].copy()
    term: Any = hk.Position(frame, position_tolerance=1e-4)
    if kind == "pose":
        from handik.spec.transforms import quaternion

        target, term = (
            np.hstack([target, quaternion(poses)]),
            hk.Pose(frame, position_tolerance=1e-4),
        )
    target[::13, :3] *= 40  # out of reach
    target[-1] = np.nan
    made = module.model(model)
    for solver, count in table.items():
        rows = target[-count:]
        want = hk.Solver(solver)(hk.Problem(model, [term]), rows)
        got, whole, missed = module.solve(made, kind, model.frame_names.index(frame), solver, rows)
        assert np.array_equal(got, want.q, equal_nan=True), (solver, BUILD)
        assert whole[:, 0].tolist() == [int(x) for x in want.outcome], (solver, BUILD)
        assert np.array_equal(whole[:, 1], want.iterations), (solver, BUILD)
        assert np.array_equal(missed[:, 0], want.position_error, equal_nan=True), (solver, BUILD)
    module("hik_model_drop", made)


@pytest.mark.parametrize("name", POSITIONS)
def test_places_are_answered_with_the_same_bytes(module: Module, name: str) -> None:
    _compare(module, FIGURES[name](), "position", POSITIONS[name])


@pytest.mark.parametrize("name", POSES)
def test_poses_are_answered_with_the_same_bytes(module: Module, name: str) -> None:
    _compare(module, FIGURES[name](), "pose", POSES[name])


def test_frames_are_the_same_bytes_and_limits_hold(module: Module) -> None:
    model = FIGURES["person"]()
    made = module.model(model)
    q = np.array(model.sample(seed=3))
    out = np.empty((len(model.frame_names), 4, 4))
    assert module("hik_poses", made, 1, _still(q), out) == 0
    assert np.array_equal(out, model.frames(q))
    far = q + 9
    module("hik_clip", made, 1, far)
    assert np.array_equal(far, model.clip(q + 9))
    module("hik_model_drop", made)


def test_the_module_asks_for_a_clock_alone_and_names_what_it_does_not_know(module: Module) -> None:
    made = module.model(FIGURES["balls"]())
    assert module("hik_array", "nothing", 0) < 0
    module("hik_terms")
    assert module("hik_term", "nothing", 0, -1, 1.0, 1e-4, 1e-4) < 0
    assert module.text(module("hik_sentence")) == "there is no such term"
    assert module("hik_term", "position", 99, -1, 1.0, 1e-4, 1e-4) == 0
    assert module("hik_problem", made) == 0
    assert module.text(module("hik_sentence")) != "there is no such term"
    module("hik_model_drop", made)
    assert module.text(module("hik_release")) == hk.__version__, BUILD


# -- the page -----------------------------------------------------------------------------------


def given(page: str) -> dict[str, Any]:
    return json.loads(re.search(r'id="given">(.*?)</script>', page, re.S)[1])


def test_a_chain_fits_in_400_kB_and_a_person_in_a_kitchen_in_4_MB() -> None:
    assert len(hk.view(FIGURES["balls"](), solver="fabrik", beside="ccd").html) < 400_000
    kitchen = hk.view(hk.human(), scene=hk.scene.gallery("kitchen"))
    assert len(kitchen.html) < 4_000_000
    told = given(kitchen.html)
    assert len(told["scene"]) > 5
    assert told["figures"][0]["skin"] is not None


def test_who_sits_in_a_chair_is_shown_in_it() -> None:
    anna = hk.human(sex="female", stature=1.62, body="plain")
    inside = hk.access.seat(anna, hk.access.chair("manual"))
    bare, there = (given(hk.view(one).html)["figures"][0] for one in (anna, inside))
    assert bare["chair"] == []
    assert len({tuple(row["color"]) for row in there["chair"]}) == len(there["chair"]) == 3
    assert len(bare["pieces"]) == len(there["pieces"])  # it is no part of the body
    told = given(hk.view(inside).html)
    meshes = [told["meshes"][row["mesh"]] for row in told["figures"][0]["chair"]]
    points = [m["step"] * np.cumsum(unpacked(m["vertices"], "<i2").reshape(3, -1), 1,
              dtype=np.int64).T + m["middle"] for m in meshes]  # fmt: skip
    assert np.concatenate(points)[:, 2].min() == pytest.approx(0.0, abs=1e-4)  # on the floor


def unpacked(text: str, kind: str) -> np.ndarray:
    return np.frombuffer(gzip.decompress(base64.b64decode(text)), kind)


def test_the_skin_of_a_page_is_that_of_the_person() -> None:
    """Linear blending of what the page is given, by NumPy, against the person's own surface."""
    anna = hk.human(sex="female", stature=1.62)
    (figure,) = given(hk.view(anna).html)["figures"]
    skin = figure["skin"]
    flat = unpacked(skin["mesh"]["vertices"], "<i2").reshape(3, -1)
    rest = np.cumsum(flat, axis=1, dtype="<i2").T * skin["mesh"]["step"] + skin["mesh"]["middle"]
    joints = unpacked(skin["joints"], "u1").reshape(-1, 4)
    weights = unpacked(skin["weights"], "u1").reshape(-1, 4)
    assert np.all(weights.sum(1, dtype=int) == 255)
    inverses = np.tile(np.eye(4), (len(skin["links"]), 1, 1))
    inverses[:, :3] = unpacked(skin["inverses"], "<f4").reshape(-1, 3, 4)
    q = anna.model.sample(seed=4)
    moved = (np.asarray(anna.model.frames(q))[skin["links"]] @ inverses)[joints]
    at = np.concatenate([rest, np.ones((len(rest), 1))], 1)
    found = np.einsum("nk,nkij,nj->ni", weights / 255, moved, at)[:, :3]
    want = anna.surface(q).clothed
    far = np.linalg.norm(found - want.vertices, axis=1)
    assert np.median(far) < 1e-4
    # where more than four links move a vertex both are off, the application and the page alike
    body = body_of(hk.scene.Actor(human={"sex": "female", "stature": 1.62}))
    told = body.skin
    bind = np.linalg.inv([from_quaternion(row[3:], row[:3]) for row in told["bind"]])
    bones = (body.poses(q) @ bind)[told["joints"]]
    at = np.concatenate([told["positions"], np.ones((len(told["positions"]), 1))], 1)
    its = np.einsum("nk,nkij,nj->ni", told["weights"], bones, at)[:, :3]
    keys = np.unique(want.faces * len(want.parts) + want.part[:, None]) // len(want.parts)
    assert np.linalg.norm(found[keys] - its, axis=1).max() < 1e-3
    faces = unpacked(skin["mesh"]["faces"], "<u2").reshape(3, -1)
    faces = np.cumsum(faces, axis=1, dtype="<u2").T
    assert sum(count for _, count in skin["parts"]) == faces.size == want.faces.size
    part = np.repeat(np.arange(len(skin["parts"])), [count // 3 for _, count in skin["parts"]])
    assert np.array_equal(faces, want.faces[np.argsort(want.part, kind="stable")])
    assert np.array_equal(part, np.sort(want.part))
    assert np.allclose([color for color, _ in skin["parts"]], want.colors, atol=1e-4)


def test_a_scene_is_shown_with_its_figures_lamps_and_floor() -> None:
    spot = hk.scene.Light("spot", "#ff0000", power=2.0, spread=1.0)
    turned = ([0.0, 0.0, 2.5], [1.0, 0.0, 0.0, 0.0])
    somebody = hk.scene.Actor(human={"sex": "male", "position": "seated"})
    room = (
        hk.Scene(name="room")
        .add("floor", hk.scene.Plane())
        .add("table", hk.scene.Box([1, 1, 0.05]), [1.2, 0, 0.7])
        .add("lamp", spot, turned)
        .add("him", somebody, [0.2, 0, 0])
        .add("cup", hk.scene.Target(), [0.6, -0.2, 0.9])
    )
    told = given(hk.view(room).html)
    (him,) = told["figures"]
    assert him["name"] == "him"
    assert him["stands"]
    assert him["floor"]
    assert np.allclose(him["target"], [0.6, -0.2, 0.9])
    assert him["q"] == somebody.posture.tolist()
    assert np.allclose(told["stage"]["middle"], [1.2, 0, 0.7])
    floor, table = told["scene"]
    assert (floor["casts"], table["casts"]) == (False, True)
    (lamp,) = told["lamps"]
    assert np.allclose(lamp[:7], [0, 0, 2.5, 2, 0, 0, -1])
    assert np.allclose(lamp[7:], [np.cos(0.5), 6, 0, 0, np.cos(0.3)])
    arm = hk.data("ur5")
    q = arm.sample(seed=1)
    both = given(hk.view(room, arm, q, target=[0.3, 0.3, 0.3]).html)["figures"]
    assert [(one["name"], one["stands"]) for one in both] == [("ur5", False), ("him", True)]
    assert both[0]["q"] == q.tolist()
    assert both[0]["target"] == [0.3, 0.3, 0.3]
    assert not np.allclose(both[1]["target"], [0.6, -0.2, 0.9])  # of a given figure, not of his
    assert given(hk.view(arm, q, scene=room).html)["figures"][0]["q"] == q.tolist()
    bare = hk.view(hk.scene.gallery("kitchen"))
    assert given(bare.html)["figures"] == []
    assert repr(bare).startswith("View(kitchen")
    gone = given(hk.view(hk.human(profile="missing_hand")).html)["figures"][0]
    assert gone["skin"] is None  # nor is there a right hand to reach with
    lost = hk.human(profile="missing_hand").model
    assert gone["goal"] == lost.frame_names.index("grip_left")
    assert gone["pieces"]


def test_what_is_small_and_far_keeps_its_shape() -> None:
    """A scene in the coordinates of a land survey: its places are told about their middle."""
    far = np.array([4000.0, -2500.0, 30.0])
    (cup,) = given(hk.view(hk.Scene().add("cup", hk.scene.Box([0.05, 0.06, 0.1]), far)).html)[
        "meshes"
    ]
    told = np.cumsum(unpacked(cup["vertices"], "<i2").reshape(3, -1), axis=1, dtype="<i2").T
    corners = told * cup["step"] + cup["middle"] - far
    assert np.allclose(np.abs(corners), [0.025, 0.03, 0.05], atol=1e-5)


def test_size_and_tolerance_do_not_hang_on_where_a_figure_stands() -> None:
    """A thousandth of the size is the tolerance: it was that of the distance from the origin."""
    where = np.eye(4)
    where[:3, 3] = [4000.0, -2500.0, 30.0]
    for one in (hk.data("ur5"), hk.human()):
        (here,), (there,) = (given(hk.view(x).html)["figures"] for x in (one, one.with_base(where)))
        for name in ("size", "tolerance"):
            assert there[name] == pytest.approx(here[name], rel=1e-9)
        assert np.allclose(np.subtract(there["middle"], here["middle"]), where[:3, 3])


def test_a_mesh_that_is_there_twice_is_told_once() -> None:
    told = given(hk.view(FIGURES["balls"]()).html)
    assert len(told["figures"][0]["pieces"]) > 2 * len(told["meshes"])


def test_it_begins_where_it_is_told() -> None:
    arm = hk.data("ur5")
    q = arm.sample(seed=2)
    one = given(hk.view(arm, q, frame="link_3", solver="dls").html)
    assert one["solver"] == "dls"
    assert one["beside"] == ""
    (figure,) = one["figures"]
    assert figure["q"] == q.tolist()
    assert np.allclose(figure["target"], arm.fk(q, frame="link_3")[:3, 3])
    (moved,) = given(hk.view(arm, q, target=[0.1, 0.2, 0.3]).html)["figures"]
    assert moved["target"] == moved["first"] == [0.1, 0.2, 0.3]
    two = given(hk.view({"a": arm, "b": hk.human()}, language="fr").html)
    assert [f["name"] for f in two["figures"]] == ["a", "b"]
    assert two["lang"] == "fr"
    anna = hk.human()
    assert two["figures"][1]["q"] == anna.rest.tolist()


def test_names_cannot_leave_their_place(tmp_path: Path) -> None:
    evil = '</script><script>alert("1")</script><!--'
    page = hk.view({evil: FIGURES["planar9"]()})
    assert evil not in page.html
    assert page.html.count("<script") == 3
    assert page.html.isascii()  # the same in a page of any encoding
    assert given(page.html)["figures"][0]["name"] == evil
    assert "<script" not in page._repr_html_()
    odd = hk.view({"\ud800 é": FIGURES["planar9"]()})
    assert odd.html.isascii()
    assert "&#233;" in odd._repr_html_()
    odd.save(tmp_path / "odd.html")


def test_what_it_refuses() -> None:
    arm = hk.data("ur5")
    with pytest.raises(hk.ArgumentError, match="q is one for one figure"):
        hk.view({"a": arm}, arm.rest)
    with pytest.raises(hk.ArgumentError, match="no finite place"):
        hk.view(arm, np.full(6, 1e300))
    with pytest.raises(hk.ArgumentError, match="q is a Result: give one posture, of its own q"):
        hk.view(arm, arm.solve(position=[0.4, 0.2, 0.5]))
    for word, value in (("target", [0, 0, 1]), ("frame", "hand")):
        with pytest.raises(
            hk.ArgumentError, match=f"{word} is that of a figure, and there is none"
        ):
            hk.view(hk.scene.gallery("kitchen"), **{word: value})
    for wrong in ("", ["fabrik"], 3):
        with pytest.raises(hk.NotFoundError, match="no solver is called"):
            hk.view(arm, beside=wrong)
    with pytest.raises(hk.ArgumentError, match="without a figure"):
        hk.view({})
    with pytest.raises(hk.ArgumentError, match="frame is one for one figure"):
        hk.view({"a": arm}, frame="link_6")
    with pytest.raises(hk.ArgumentError, match="target is one for one figure"):
        hk.view({"a": arm}, target=[1, 2, 3])
    with pytest.raises(hk.ArgumentError, match="target"):
        hk.view(arm, target=[1, 2])
    with pytest.raises(hk.NotFoundError, match="figure"):
        hk.view({"a": arm}, frame={"b": "link_6"})
    with pytest.raises(hk.NotFoundError, match="solver"):
        hk.view(arm, solver="fabric")
    with pytest.raises(hk.NotFoundError, match="solver"):
        hk.view(arm, solver=None)
    with pytest.raises(TypeError, match="scene must be a handik Scene, got 3"):
        hk.view(arm, scene=3)
    with pytest.raises(hk.NotFoundError, match="frame"):
        hk.view(arm, frame="hand")
    with pytest.raises(hk.ArgumentError, match="language"):
        hk.view(arm, language="de")
    with pytest.raises(hk.NotFoundError, match="no solver is called 'fabric'"):
        hk.view(arm, beside="fabric")
    with pytest.raises(TypeError, match="a Model, a Human or a Figure, got 3"):
        hk.view(3)
    with pytest.raises(TypeError, match="needs a figure or a scene"):
        hk.view()
    with pytest.raises(TypeError, match="needs a figure or a scene"):
        hk.view(None)
    with pytest.raises(TypeError, match="got 4 values"):
        hk.view(hk.Scene(), arm, arm.rest, 1)
    with pytest.raises(TypeError, match="first or by its name"):
        hk.view(hk.Scene(), arm, scene=hk.Scene())
    with pytest.raises(hk.ArgumentError, match="q is that of a figure"):
        hk.view(hk.Scene(), None, arm.rest)

    @hk.solver(name="own_of_a_page")
    def own(problem: Any, target: Any, q0: Any) -> Any:
        return q0

    with pytest.raises(hk.ArgumentError, match="written in Python"):
        hk.view(arm, beside="own_of_a_page")


def test_saving_takes_the_place_of_a_file_in_one_step(tmp_path: Path) -> None:
    page = hk.view(hk.data("planar9"))
    path = tmp_path / "page.html"
    path.write_text("old")
    page.save(path)
    assert path.read_text("utf-8") == page.html
    with pytest.raises(FileNotFoundError):
        page.save(tmp_path / "nowhere" / "page.html")
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_the_application_exports_its_figures_where_they_stand() -> None:
    from handik.app import App

    app = App()
    app.do("node.gallery", scene="kitchen")
    with pytest.raises(hk.HandikError, match="no figure"):
        app.do("file.export", format="html")
    app.do("person.add", sex="female", stature=1.62)
    app.do("target.set", at=[0.45, -0.25, 1.0])
    app.do("file.export", format="html")
    name, page = app.given[-1].name, app.given[-1].data.decode()
    assert name.endswith(".html")
    (figure,) = given(page)["figures"]
    assert np.allclose(figure["target"], [0.45, -0.25, 1.0])
    path, actor = app.document.actor()
    hand = app.document.scene.world(path) @ actor.figure.fk(actor.posture, frame="grip_right")
    module = Module()
    made = module.model(actor.person.with_base(app.document.scene.world(path)).model)
    out = np.empty((figure["frames"], 4, 4))
    module("hik_poses", made, 1, _still(figure["q"]), out)
    assert np.allclose(out[figure["goal"]], hand, atol=1e-12)
    assert len(given(page)["scene"]) > 5


@pytest.mark.slow
@pytest.mark.build
def test_the_sources_still_make_the_module(tmp_path: Path) -> None:
    pytest.importorskip("ziglang", reason="ziglang is not installed")
    import importlib.util

    from _native import CSRC

    spec = importlib.util.spec_from_file_location("wasm_build", CSRC / "wasm" / "build.py")
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    made = build.build(tmp_path).read_bytes()
    assert made[:4] == b"\0asm"
    assert struct.unpack("<I", made[4:8]) == (1,)
    packed = (files("handik.app") / "view" / "core.wasm.gz").read_bytes()
    assert abs(len(made) / len(gzip.decompress(packed)) - 1) < 0.05, BUILD
