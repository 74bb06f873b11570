"""The errors are what they say, and print as sentences."""

from __future__ import annotations

import math
import pickle

import pytest

from handik import errors
from handik.spec import units


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("ArgumentError", ValueError),
        ("ModelError", ValueError),
        ("ReadError", ValueError),
        ("NotFoundError", KeyError),
        ("UnsupportedError", RuntimeError),
        ("InternalError", RuntimeError),
        ("MissingFileError", FileNotFoundError),
    ],
)
def test_each_error_is_also_the_builtin_that_fits(name, builtin):
    kind = getattr(errors, name)
    assert issubclass(kind, errors.HandikError)
    assert issubclass(kind, builtin)
    assert str(kind("a plain sentence")) == "a plain sentence"


def test_read_error_tells_its_place():
    error = errors.ReadError("the axis is zero", "robot.urdf", 12, '<joint name="a">')
    assert str(error) == 'robot.urdf:12: <joint name="a">: the axis is zero'
    assert (error.path, error.line, error.element) == ("robot.urdf", 12, '<joint name="a">')
    assert str(errors.ReadError("torn", line=3)) == "line 3: torn"
    assert str(errors.ReadError("torn", "a.urdf")) == "a.urdf: torn"


@pytest.mark.parametrize("kind", [errors.ReadError, errors.MissingFileError])
def test_read_errors_survive_pickling(kind):
    error = pickle.loads(pickle.dumps(kind("torn", "a.urdf", 3, "<link>")))
    assert type(error) is kind
    assert str(error) == "a.urdf:3: <link>: torn"
    assert (error.path, error.line, error.element) == ("a.urdf", 3, "<link>")


@pytest.mark.parametrize("kind", [errors.ReadError, errors.MissingFileError])
def test_libraries_that_unpickle_errors_by_new_can(kind):
    """As tblib does, which Dask brings: every error that is known gets its way of pickling."""
    assert type(kind.__new__(kind, "torn", "a.urdf", 3, "<link>")) is kind
    assert str(kind(reason="torn", path="a.urdf")) == "a.urdf: torn"


def test_missing_file_error_has_the_fields_of_the_builtin():
    error = errors.MissingFileError("there is no such file", "a.urdf")
    assert error.filename == "a.urdf"
    assert error.errno == 2


def test_not_found_names_near_names():
    error = errors.name_not_found("frame", "panda_hnd", ["panda_hand", "panda_link1", "tool"])
    assert isinstance(error, KeyError)
    assert str(error) == "no frame is called 'panda_hnd'; near names: panda_hand, panda_link1"
    assert "there are: a, b" in str(errors.name_not_found("link", "zzzz", ["a", "b"]))
    assert "no link at all" in str(errors.name_not_found("link", "zzzz", []))
    assert "there are: a, b" in str(errors.name_not_found("link", 3, ["a", "b"]))


@pytest.mark.parametrize(("count", "near"), [(5000, True), (5001, False)])
def test_near_names_are_sought_among_so_many_alone(count, near):
    """Among more the search takes seconds, which nobody waits for an error."""
    names = [f"{k:x}" for k in range(count - 1)]
    said = str(errors.name_not_found("link", "panda_hnd", [*names, "panda_hand"]))
    assert ("near names: panda_hand" in said) == near
    assert ("there are: 0, 1, 2, 3, 4, 5, 6, 7, ..." in said) != near


def test_deg():
    assert units.deg(180) == math.pi
    assert units.deg(0, 90) == (0.0, math.pi / 2)
    with pytest.raises(TypeError):
        units.deg()
    with pytest.raises(TypeError):
        units.deg("90")
