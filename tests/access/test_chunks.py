"""Shares by chunks: kept in a folder, gone on with, and asked of a cluster, always the same bytes."""

from __future__ import annotations

import errno
import json
import os
import pickle
import signal
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import handik as hk
from handik.app.cli.main import main
from handik.errors import ArgumentError, NotFoundError, UnsupportedError
from handik.scene.access import _chunks

ARMS = [hk.chain([0.3, 0.2 + 0.01 * k]) for k in range(19)]
TASKS = {"near": [0.45, 0.0, 0.0], "far": [0.6, 0.0, 0.0]}


def alike(one: hk.access.Share, two: hk.access.Share) -> None:
    assert one.names == two.names
    assert one.verdict.tobytes() == two.verdict.tobytes()
    assert one.short.tobytes() == two.short.tobytes()
    assert [str(cause) for cause in one.causes] == [str(cause) for cause in two.causes]
    assert repr(one._found.tolist()) == repr(two._found.tolist())
    assert one.interval == two.interval


def asked(folder: Path, **more) -> hk.access.Share:
    return hk.access.share(ARMS, None, TASKS, folder=folder, **more)


@pytest.fixture
def whole() -> hk.access.Share:
    return hk.access.share(ARMS, None, TASKS)


def test_a_broken_run_goes_on_from_its_folder(tmp_path: Path, whole: hk.access.Share) -> None:
    pytest.importorskip("pyarrow")

    def stop(done: int, of: int) -> None:
        if done == 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asked(tmp_path, progress=stop)
    assert len(list(tmp_path.glob("people-*.parquet"))) == 2
    told: list[int] = []
    alike(asked(tmp_path, progress=lambda done, of: told.append(done)), whole)
    assert told == [8, 16, 19]
    kept = sorted(tmp_path.glob("people-*.parquet"))
    before = [path.stat().st_mtime_ns for path in kept]
    alike(asked(tmp_path, threads=2), whole)
    assert [path.stat().st_mtime_ns for path in kept] == before  # nothing was asked again
    assert not list(tmp_path.glob(".*"))


def test_what_is_cut_off_or_not_its_own_is_asked_again(
    tmp_path: Path, whole: hk.access.Share
) -> None:
    pytest.importorskip("pyarrow")
    asked(tmp_path)
    kept = sorted(tmp_path.glob("people-*.parquet"))
    kept[0].write_bytes(kept[0].read_bytes()[:200])
    kept[1].write_bytes(kept[2].read_bytes())
    alike(asked(tmp_path), whole)
    alike(asked(tmp_path), whole)


def test_no_byte_of_a_kept_file_can_change_a_verdict(
    tmp_path: Path, whole: hk.access.Share
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    asked(tmp_path)
    kept = sorted(tmp_path.glob("people-*.parquet"))[0]
    data, rng = kept.read_bytes(), np.random.default_rng(1)
    words = data.index(b"yes")  # in a dictionary of the verdicts, where it was believed
    for at in (words, *rng.integers(0, len(data), 120).tolist()):
        spoilt = bytearray(data)
        spoilt[at] ^= 1 << int(rng.integers(8))
        kept.write_bytes(spoilt)
        alike(asked(tmp_path), whole)
    table = parquet.read_table(kept)
    verdict = table.schema.get_field_index("verdict")
    for other in (
        table.drop_columns(["short_most"]),
        table.set_column(verdict, "verdict", [["maybe"] * table.num_rows]),
    ):
        parquet.write_table(other, kept)
        alike(asked(tmp_path), whole)


def test_runs_that_begin_at_once_do_not_mix(tmp_path: Path, whole: hk.access.Share) -> None:
    pytest.importorskip("pyarrow")
    others = [hk.chain([0.3, 0.3 + 0.01 * k]) for k in range(19)]
    stores = [
        _chunks.Store(tmp_path / name, _chunks.question_of(people, [], {}), tuple(TASKS))
        for name, people in (("a", ARMS), ("b", others))
    ]
    answers = [
        _chunks.Answer(whole.verdict[k], whole.short[k], list(whole._found[k]), np.zeros(2, int))
        for k in range(8)
    ]
    stores[0].keep(0, answers)
    (path,) = (tmp_path / "a").glob("people-*")
    os.replace(path, tmp_path / "b" / path.name)
    assert stores[1].read(0, 8) is None
    # who comes second, after both saw an empty folder, is told
    first = tmp_path / "c"
    hk.access.share(others, None, TASKS, folder=first)
    for path in first.glob("people-*"):
        path.unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "exists", lambda self: False)
        with pytest.raises(ArgumentError, match="another question"):
            asked(first)

    failed: list[BaseException] = []

    def go() -> None:
        try:
            alike(asked(tmp_path / "d"), whole)
        except BaseException as error:
            failed.append(error)

    runs = [threading.Thread(target=go) for _ in range(4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert not failed
    assert not list((tmp_path / "d").glob(".*"))


def test_a_full_disk_loses_nothing_and_is_told_by_name(
    tmp_path: Path, whole: hk.access.Share, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    synced, real = [], os.fsync

    def full(file: int) -> None:
        synced.append(file)
        if len(synced) == 3:  # the question, eight people, and then
            raise OSError(errno.ENOSPC, "No space left on device")
        real(file)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as told:
        asked(tmp_path)
    assert str(told.value.filename).endswith("people-000008-000015.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "people-000000-000007.parquet",
        "question.json",
    ]
    alike(asked(tmp_path), whole)


def test_a_folder_knows_its_question(tmp_path: Path, whole: hk.access.Share) -> None:
    pytest.importorskip("pyarrow")
    asked(tmp_path)
    for people, tasks, more in (
        (ARMS[:-1], TASKS, {}),
        ([hk.chain([0.3, 0.21])] * 19, TASKS, {}),
        (ARMS, {"near": [0.45, 0.0, 0.0], "far": [0.6, 0.0, 1e-9]}, {}),
        (ARMS, TASKS, {"seed": 1}),
        (ARMS, TASKS, {"tolerance": 2e-3}),
    ):
        with pytest.raises(ArgumentError, match="another question"):
            hk.access.share(people, None, tasks, folder=tmp_path, **more)
    again = [hk.chain([0.3, 0.2 + 0.01 * k]) for k in range(19)]
    alike(hk.access.share(again, None, TASKS, folder=tmp_path, level=0.95), whole)
    (tmp_path / "question.json").write_text("{")
    with pytest.raises(ArgumentError, match="cannot be read"):
        asked(tmp_path)
    (tmp_path / "question.json").unlink()
    with pytest.raises(ArgumentError, match="no question"):
        asked(tmp_path)


def test_a_question_is_its_people_and_its_scene_however_they_were_used() -> None:
    people, scene = hk.population(3, seed=1), hk.scene.gallery("kitchen")
    one = _chunks.question_of(people, [scene], {"seed": 0})
    people.human(0)
    assert _chunks.question_of(hk.population(3, seed=1), [scene], {"seed": 0}) == one
    assert _chunks.question_of(people, [hk.scene.gallery("kitchen")], {"seed": 0}) == one
    assert _chunks.question_of(hk.population(3, seed=2), [scene], {"seed": 0}) != one
    other = hk.scene.gallery("kitchen", counter_height=0.8)
    assert _chunks.question_of(people, [other], {"seed": 0}) != one
    person = hk.human(body="plain")
    kept = _chunks.question_of([person], [], {})
    person.measure("stature")
    hk.access.reach(person, None, [0.4, -0.2, 1.0])
    assert _chunks.question_of([person], [], {}) == kept
    figure = hk.Figure(ARMS[0], [hk.Capsule("tip", (0, 0, 0), (0, 0, 0.1), 0.02)])
    kept = _chunks.question_of([figure], [], {})
    hk.access.reach(figure, hk.Scene().add("box", hk.scene.Box([0.1] * 3), [2, 0, 0]), [0.3, 0, 0])
    assert _chunks.question_of([figure], [], {}) == kept


def test_a_question_does_not_hang_on_the_order_in_which_a_set_has_its_words() -> None:
    words = [f"word-{k}" for k in range(37)]  # the fullest that a table gets: none in its place
    one, two = (hk.Scene().add("room", tags=some) for some in (words, words[::-1]))
    assert list(one["room"].tags) != list(two["room"].tags)  # as in another process
    assert one == two
    assert _chunks.question_of([], one, {}) == _chunks.question_of([], two, {})
    assert pickle.loads(pickle.dumps(one)) == one


def test_wrong_calls_are_told(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="client"):
        hk.access.share(ARMS, None, TASKS, client="tcp://10.0.0.1:8786")
    waits = SimpleNamespace(submit=None, cancel=None, scheduler=None, asynchronous=True)
    with pytest.raises(ArgumentError, match="asynchronous"):  # it waited without an end
        hk.access.share(ARMS, None, TASKS, client=waits)
    file = tmp_path / "file"
    file.write_text("")
    pytest.importorskip("pyarrow")
    with pytest.raises(OSError, match="file"):
        asked(file)
    with pytest.raises(ArgumentError, match="no text"):
        hk.access.share(ARMS, None, {"\udc80": [0.4, 0, 0]}, folder=tmp_path / "new")


CASES = {y: {"near": [0.3, y, 0.0], "far": [0.35, y, 0.0]} for y in (0.1, 0.3, 0.42, 0.6, 0.7)}


def alike_swept(one: hk.access.Sweep, two: hk.access.Sweep) -> None:
    assert one.values.tobytes() == two.values.tobytes()
    assert one.reused == two.reused
    for this, that in zip(one.shares, two.shares, strict=True):
        alike(this, that)


def test_a_broken_sweep_goes_on_from_its_folder(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    whole = hk.access.sweep(ARMS, CASES)
    assert whole.reused > 0

    def stop(done: int, of: int) -> None:
        if done == 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hk.access.sweep(ARMS, CASES, folder=tmp_path, progress=stop)
    assert len(list(tmp_path.glob("people-*.parquet"))) == 2
    told: list[int] = []
    again = hk.access.sweep(
        ARMS, CASES, folder=tmp_path, threads=2, progress=lambda done, of: told.append(done)
    )
    alike_swept(again, whole)
    assert told == [8, 16, 19]
    fewer = {y: CASES[y] for y in (0.1, 0.3)}
    moved = {y + 1e-9: places for y, places in CASES.items()}
    for cases, more in ((fewer, {}), (moved, {}), (CASES, {"seed": 1})):
        with pytest.raises(ArgumentError, match="another question"):
            hk.access.sweep(ARMS, cases, folder=tmp_path, **more)
    with pytest.raises(ArgumentError, match="another question"):  # a share's is not a sweep's
        hk.access.share(ARMS, None, TASKS, folder=tmp_path)
    assert hk.access.sweep([], CASES, folder=tmp_path / "nobody").reused == 0
    assert hk.access.sweep(ARMS, {}, folder=tmp_path / "nothing").shares == ()


def test_a_sweep_of_scenes_knows_them(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    scenes = {z: hk.scene.gallery("kitchen", counter_height=z) for z in (0.8, 0.9)}
    people = [hk.human(body="plain")]
    found = hk.access.sweep(people, scenes, "switch", folder=tmp_path, tries=1)
    alike_swept(hk.access.sweep(people, scenes, "switch", folder=tmp_path, tries=1), found)
    scenes[0.9] = hk.scene.gallery("kitchen", counter_height=0.91)
    with pytest.raises(ArgumentError, match="another question"):
        hk.access.sweep(people, scenes, "switch", folder=tmp_path, tries=1)


def test_a_share_of_no_task_leaves_the_folder_alone(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(hk.ArgumentError, match="tasks is empty"):
        hk.access.share(ARMS, None, np.zeros((0, 3)), folder=tmp_path)
    assert not list(tmp_path.iterdir())


def _end(person: None) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_same_bytes_and_a_lost_worker_loses_nothing(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    people, scene = hk.population(20, seed=3), None
    tasks = {"near": [0.3, -0.2, 1.3], "far": [0.5, 0.1, 0.9], "off": [0.75, 0.1, 0.9]}
    here = hk.access.share(people, scene, tasks, position="seated")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        with pytest.raises(ArgumentError, match="threads"):
            hk.access.share(people, scene, tasks, client=client, threads=2)
        lost: list[int] = []

        def kill(done: int, of: int) -> None:
            if not lost:
                lost.append(next(iter(client.run(os.getpid).values())))
                os.kill(lost[0], signal.SIGKILL)

        there = hk.access.share(
            people, scene, tasks, position="seated", client=client, folder=tmp_path, progress=kill
        )
        alike(there, here)
        assert lost
        for path in sorted(tmp_path.glob("people-*"))[1:]:
            path.unlink()
        alike(
            hk.access.share(
                people, scene, tasks, position="seated", client=client, folder=tmp_path
            ),
            here,
        )
        with pytest.raises(NotFoundError, match="elbow"):  # an error of a worker is raised here
            hk.access.share(ARMS, scene, TASKS, client=client, frame="elbow")

        alike_swept(
            hk.access.sweep(ARMS, CASES, client=client, folder=tmp_path / "swept"),
            hk.access.sweep(ARMS, CASES),
        )

        def ours(dask_scheduler) -> int:
            return sum("handik" in str(key) for key in dask_scheduler.tasks)

        def no_room(self: _chunks.Store, path: Path, data: bytes) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        with pytest.MonkeyPatch.context() as patch:  # nobody is left at work, while it is told
            store = tmp_path / "full"
            _chunks.Store(store, "", ())
            (store / "question.json").unlink()
            patch.setattr(_chunks.Store, "keep", no_room)
            with pytest.raises(OSError, match="No space left") as held:
                hk.access.share(
                    hk.population(200, seed=3), None, tasks, client=client, folder=store
                )
            for _ in range(50):
                if client.run_on_scheduler(ours) == 0:
                    break
                time.sleep(0.1)
            assert client.run_on_scheduler(ours) == 0
            assert held.value.__traceback__ is not None  # it keeps the run's frames till here
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_chunks, "__version__", "0.0.0")
            with pytest.raises(UnsupportedError, match=r"handik .*, the client 0\.0\.0"):
                hk.access.share(ARMS, None, TASKS, client=client)
        client.run_on_scheduler(
            lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0)
        )
        with pytest.raises(UnsupportedError, match="people 0 to 0 was lost"):
            list(_chunks.on_cluster(client, [None], _end, [(0, 1)]))

        def close(done: int, of: int) -> None:
            client.close()

        with pytest.raises(UnsupportedError, match="closed before"):
            hk.access.share(hk.population(64, seed=3), None, tasks, client=client, progress=close)
        with pytest.raises(ArgumentError, match="client is closed"):
            hk.access.share(ARMS, None, TASKS, client=client)


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_without_workers_is_told_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    assert _chunks.PATIENCE == 60  # as the docs say
    monkeypatch.setattr(_chunks, "PATIENCE", 0.5)
    monkeypatch.setattr(_chunks, "LOOK", 0.1)
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        begun = time.monotonic()
        with pytest.raises(UnsupportedError, match=r"no worker for 0\.5 s: start some"):
            hk.access.share(ARMS, None, TASKS, client=client)
        assert time.monotonic() - begun > 0.5
        timer = threading.Timer(0.2, cluster.scale, [1])  # who comes in time is waited for
        monkeypatch.setattr(_chunks, "PATIENCE", 20.0)
        timer.start()
        alike(hk.access.share(ARMS, None, TASKS, client=client), hk.access.share(ARMS, None, TASKS))
        timer.join()


def test_the_command_says_how_to_start_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["cluster", "--help"])
    said = capsys.readouterr().out
    for line in ("dask scheduler", "dask worker tcp://ADDRESS:8786", "client=distributed.Client"):
        assert f"  {line}" in said or line in said
    assert main(["cluster", "kitchen", "--tasks", "switch"]) == 2
    assert "--scheduler" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_command_asks_workers_of_this_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("distributed")
    words = ["cluster", "kitchen", "--tasks", "counter/tap", "--population", "2", "--workers", "1"]
    words += ["--place=-0.9,0,0", "--tries", "2", "--json", "--out", str(tmp_path)]
    assert main(words) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["people"] == 2
    assert list(said["tasks"]) == ["counter/tap/lever"]
    assert list(tmp_path.glob("people-*.parquet"))
