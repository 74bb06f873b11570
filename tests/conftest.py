"""What all tests share: report header, guards, random numbers, Hypothesis profiles, C builders, the browser."""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _native import FLAVOURS, Builder, shared
from hypothesis import HealthCheck, settings

import handik
from handik import _core
from handik.solve import own

# A shell starts what it puts in the background deaf to Ctrl-C, and children are born as deaf.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Every extra is installed: nothing may be skipped for want of one.
COMPLETE = os.environ.get("HANDIK_COMPLETE") == "1"
MISSING = re.compile("could not import|not installed|needs the package|needs SciPy|needs gymnasium")
# Builds of their own, minutes each: with --all.
SANITIZED = ("test_sanitizers.py", "test_lowered.py")
INSTALLED = os.environ.get("HANDIK_INSTALLED") == "1"
LATE = float(os.environ.get("HANDIK_LATE", "0"))

settings.register_profile("default", max_examples=60, deadline=None)
settings.register_profile(
    "ci", max_examples=100, deadline=None, derandomize=True, print_blob=True, database=None
)
settings.register_profile(
    "sanitize",
    max_examples=5,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile(
    os.environ.get("HANDIK_HYPOTHESIS") or ("ci" if os.environ.get("CI") else "default")
)


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to test the source tree where the installed wheel is meant."""
    where = Path(handik.__file__).resolve()
    if INSTALLED and "site-packages" not in where.parts:
        raise pytest.UsageError(f"HANDIK_INSTALLED=1, but handik was imported from {where}")


@pytest.fixture(autouse=True, scope="session")
def _late() -> Iterator[None]:
    """HANDIK_LATE=0.2: each message between page and Python takes so many seconds."""
    if not LATE:
        yield
        return
    from late import late

    with late(LATE):
        yield


@pytest.fixture(autouse=True)
def _no_solver_stays() -> Iterator[None]:
    """Forget the solvers that a test, or an example, made in Python."""
    before = dict(own.KNOWN)
    yield
    own.KNOWN.clear()
    own.KNOWN.update(before)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run at most four workers: each holds its own copies of what the tests load."""
    return min(4, len(os.sched_getaffinity(0)))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark as slow what needs a sanitized build."""
    if item.path.name in SANITIZED or item.name.endswith(("-asan]", "-tsan]", "-msan]")):
        item.add_marker(pytest.mark.slow)


def pytest_report_header(config: pytest.Config) -> str:
    return (
        f"handik {handik.__version__} from {Path(handik.__file__).parent}, simd {handik.show_config()['simd']}, "
        f"numpy {np.__version__}, {platform.machine()}, {os.cpu_count()} cores"
    )


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a failure when it happens: the summary comes after the last test."""
    if report.failed and os.environ.get("PYTEST_XDIST_WORKER") is None:
        print(f"\nFAILED {report.nodeid} ({report.when})", flush=True)


def missing_extras(reporter: pytest.TerminalReporter) -> list[str]:
    """List the tests that were skipped because a package could not be imported."""
    skipped = reporter.stats.get("skipped", [])
    return [r.nodeid for r in skipped if MISSING.search(str(r.longrepr))]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if COMPLETE and exitstatus == 0 and reporter is not None and missing_extras(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for name in missing_extras(terminalreporter) if COMPLETE else []:
        terminalreporter.write_line(
            f"FAILED {name}: skipped for a missing package, though HANDIK_COMPLETE=1 promises all"
        )


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator with a fixed seed, new for each test."""
    return np.random.default_rng(20240229)


@pytest.fixture(scope="session")
def builders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Builder]:
    """Return a builder for each flavour; what they build is kept for the session and shared by its workers."""
    root = shared(tmp_path_factory.getbasetemp()) / "native"
    return {name: Builder(root / name, name) for name in FLAVOURS}


@pytest.fixture(params=["base", "avx2", "avx512"])
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each set of kernels that this processor has, in use while the test runs."""
    if not _core.simd_select(request.param):
        pytest.skip(f"this processor has no {request.param}")
    yield request.param
    _core.simd_select("auto")


# -- the page of the application: the browser, who stands in for Python, pages that no fault passes --

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def python() -> Iterator[Any]:
    """What stands in for Python at the other end."""
    from stand_in import StandIn

    server = StandIn()
    yield server
    server.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    flags = [
        "--no-sandbox",
        "--use-gl=angle",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
    ]
    with api.sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Any, python: Any) -> Iterator[Callable[..., Any]]:
    """Open the page; any request to elsewhere, error or complaint of the page fails the test."""
    python.restart()
    contexts: list[Any] = []
    wrong: list[str] = []
    home = f"127.0.0.1:{python.port}/"

    def open_page(
        width: int = 1400, height: int = 850, token: str = "secret", ready: bool = True, **how: Any
    ) -> Any:
        hidden = how.pop("hidden", None)
        if hidden:
            python.document["nodes"][hidden]["hidden"] = True
        how = {"locale": "en-US", "reduced_motion": "reduce", "device_scale_factor": 0.5, **how}
        context = browser.new_context(viewport={"width": width, "height": height}, **how)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60000)
        page.on(
            "request",
            lambda one: (
                wrong.append(one.url)
                if home not in one.url and not one.url.startswith(("data:", "blob:"))
                else None
            ),
        )
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda one: wrong.append(one.text) if one.type == "error" else None)
        page.goto(f"http://{home}#{token}")
        python.pages.append(page)
        if ready:
            page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    python.pages.clear()
    for context in contexts:
        context.close()
    assert not wrong
