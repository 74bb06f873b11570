"""Robots by name, out of packages that hold their files: ``hk.robot("panda")``."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from handik.errors import UnsupportedError
from handik.spec._given import known_name

if TYPE_CHECKING:
    from handik._model import Model

__all__ = ["robot"]

#: What file names add to the name of a robot.
_NOISE = ("_description", "_robot", "_simple")


class _Robots:
    """Load a robot by its name, out of the packages that are installed; call it with a name.

    The files are those of ``example-robot-data`` (``pip install 'handik[robots]'``), and of
    ``robot_descriptions`` where that is installed; the latter fetches a robot's files from the
    network when it is asked for it the first time.

    Parameters
    ----------
    name : str
        One of ``hk.robot.names()``, as ``"panda"`` or ``"ur5"``.
    base, tip : str, optional
        The ends of a chain to cut out, as in `handik.load`.

    Returns
    -------
    Model

    Raises
    ------
    UnsupportedError
        When no such package is installed; the sentence says what to install.
    NotFoundError
        When no robot has this name; the sentence has near names.

    Examples
    --------
    >>> import handik as hk
    >>> hk.robot("panda", tip="panda_hand").nq  # doctest: +SKIP
    7
    """

    __slots__ = ()

    def __call__(self, name: str, *, base: str | None = None, tip: str | None = None) -> Model:
        """Load the robot of this name; see the class."""
        from handik._model import load

        known = self.names()
        if not known:
            raise UnsupportedError(
                "no package with robots is installed: pip install 'handik[robots]'"
            )
        known_name("robot", name, known)
        files = _files()
        path = files[name] if name in files else _described(name)
        return load(path, base=base, tip=tip)

    def names(self) -> tuple[str, ...]:
        """Return the names of the robots that are installed; none where no package is.

        Examples
        --------
        >>> import handik as hk
        >>> isinstance(hk.robot.names(), tuple)
        True
        """
        return tuple(sorted({*_files(), *_descriptions()}))

    def __repr__(self) -> str:
        return f"handik.robot: {', '.join(self.names()) or 'no package with robots is installed'}"


robot = _Robots()


@cache
def _files() -> dict[str, Path]:
    """Return the files of example-robot-data by the names of their robots."""
    try:
        there = distribution("example-robot-data")
    except PackageNotFoundError:
        return {}
    paths = sorted(
        (
            Path(str(there.locate_file(file)))
            for file in there.files or ()
            if file.suffix == ".urdf"
        ),
        key=lambda path: (len(path.name), str(path)),
    )
    found: dict[str, Path] = {}
    for path in paths:
        if "<link" not in path.read_text("utf-8", errors="replace"):
            continue
        name = _name(path.stem)
        # A second file of the same robot keeps the name of its file, and that of its folder.
        name = name if name not in found else path.stem
        found[name if name not in found else f"{path.parent.parent.name}/{path.stem}"] = path
    return found


def _name(stem: str) -> str:
    for word in _NOISE:
        stem = stem.removesuffix(word)
    return stem


def _descriptions() -> tuple[str, ...]:
    """Return what robot_descriptions has in URDF; a look at its folder, which fetches nothing."""
    spec = find_spec("robot_descriptions")
    if spec is None or not spec.submodule_search_locations:
        return ()
    folder = Path(next(iter(spec.submodule_search_locations)))
    return tuple(
        path.stem
        for path in folder.glob("*_description.py")
        if "URDF_PATH" in path.read_text("utf-8", errors="replace")
    )


def _described(name: str) -> Path:
    from importlib import import_module

    return Path(import_module(f"robot_descriptions.{name}").URDF_PATH)
