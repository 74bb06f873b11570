"""A slice of the fuzzer of markers and motions."""

import pytest
import recordings


@pytest.mark.parametrize("name", recordings.NAMES)
def test_changed_files_are_read_or_refused(name: str) -> None:
    if name == "c3d":
        pytest.importorskip("ezc3d")
    recordings.check(name, 250)
