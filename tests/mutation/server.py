"""A process that has read the large packages and forks a child for every run of pytest: ``python server.py``.

Reading NumPy, SciPy, pytest and Hypothesis takes longer than most tests. The package under test is read in
the child alone, so each sees the sources and the core as they stand then. One request a line of JSON on the
standard input, one answer a line: see `run`.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import pytest

for name in (
    "hypothesis",
    "numpy.linalg",
    "numpy.random",
    "scipy.optimize",
    "scipy.spatial.transform",
):
    importlib.import_module(name)

LEAST = (
    20.0  # seconds of the processor that any test may take; else ten times what it takes unchanged
)


class Judge:
    """Runs the tests that were asked for, in that order, each with a limit of its own; `whole`: with every parameter."""

    def __init__(self, wanted: dict[str, float], whole: bool, at: Path) -> None:
        self.whole, self.at = whole, at
        self.seconds: dict[str, float] = {}
        for node, seconds in wanted.items():
            name = self.name(node)
            self.seconds[name] = max(seconds, self.seconds.get(name, 0.0))
        self.order = {name: k for k, name in enumerate(self.seconds)}

    def name(self, node: str) -> str:
        return node.split("[")[0] if self.whole else node

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        found = [item for item in items if self.name(item.nodeid) in self.order]
        items[:] = sorted(found, key=lambda item: self.order[self.name(item.nodeid)])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.at.write_text(nodeid, "utf-8")
        # what it does by itself, ending the process, also ends a loop of the core
        signal.setitimer(signal.ITIMER_PROF, max(LEAST, 10 * self.seconds[self.name(nodeid)]))


def child(request: dict[str, Any], place: Path) -> None:
    """In the fork: pytest with the tests wanted; the exit status is pytest's."""
    os.setsid()
    out = os.open(place / "out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["HANDIK_HYPOTHESIS"] = request["profile"]
    plugins: list[object] = []
    if request.get("wanted"):
        plugins.append(Judge(request["wanted"], request["whole"], place / "at"))
    if request.get("note"):
        import cover

        plugins.append(cover.Noter(Path(request["note"])))
    sys.path.insert(0, os.getcwd())
    # plugins that were read here cannot be rewritten, which is no fault of the tests
    args = ["-W", "ignore::pytest.PytestAssertRewriteWarning", *request["args"]]
    code = pytest.main(args, plugins=plugins)
    sys.stdout.flush()
    os._exit(int(code))


def run(request: dict[str, Any], place: Path) -> dict[str, Any]:
    """Answer {code, at, out}: pytest's exit status (negative: the signal), the last test begun, what it said."""
    at = place / "at"
    at.unlink(missing_ok=True)
    pid = os.fork()
    if pid == 0:
        try:
            child(request, place)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(99)
    end, status, pause = time.monotonic() + request["wall"], None, 0.002
    while status is None:
        done, found = os.waitpid(pid, os.WNOHANG)
        if done:
            status = os.waitstatus_to_exitcode(found)
        elif time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            end += 1e9
        else:
            time.sleep(pause)
            pause = min(0.1, 1.3 * pause)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # what a test that hung had begun
    return {
        "code": status,
        "at": at.read_text("utf-8") if at.is_file() else "",
        "out": (place / "out").read_text("utf-8", "replace")[-4000:],
    }


def main() -> None:
    place = Path(sys.argv[1])
    place.mkdir(parents=True, exist_ok=True)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line), place)), flush=True)


if __name__ == "__main__":
    main()
