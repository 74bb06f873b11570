"""Small models that come with handik, each with its source: ``hk.data("planar9")``.

It may import `handik._model`, and so all but pictures and studies.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import radians
from typing import TYPE_CHECKING, Any

from handik.spec._given import known_name

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from handik._model import Model

__all__ = ["data", "names", "source"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


def names() -> tuple[str, ...]:
    """Return the names of the models there are.

    Returns
    -------
    tuple of str
        Sorted.

    Examples
    --------
    >>> from handik.data import names
    >>> names()
    ('ball10', 'planar9', 'puma560', 'ur5', 'vp5243')
    """
    return tuple(sorted(f.name[:-5] for f in _folder().iterdir() if f.name.endswith(".toml")))


def source(name: str) -> str:
    """Return where the numbers of a model come from.

    Parameters
    ----------
    name : str
        One of `names()`.

    Returns
    -------
    str
        The paper or data sheet.

    Raises
    ------
    NotFoundError
        When there is no such model.

    Examples
    --------
    >>> from handik.data import source
    >>> len(source("puma560")) > 20
    True
    """
    return str(_table(name)["source"])


class _Data:
    """Load one of the models that come with handik; call it with a name.

    Parameters
    ----------
    name : str
        One of ``hk.data.names()``: ``"planar9"`` nine revolute joints of one plane, ``"ball10"``
        ten balls, ``"ur5"`` and ``"puma560"`` robots of six joints, ``"vp5243"`` one of five whose
        lengths are assumed (see ``hk.data.source(name)``).

    Returns
    -------
    Model

    Raises
    ------
    NotFoundError
        When there is no such model.

    Examples
    --------
    >>> import handik as hk
    >>> hk.data("planar9").nq
    9
    >>> hk.data.names()[0]
    'ball10'
    """

    __slots__ = ()
    names = staticmethod(names)
    source = staticmethod(source)

    def __call__(self, name: str) -> Model:
        """Load the model of this name; see the class."""
        table = _table(name)
        build = {"chain": _chain, "dh": _dh}[table["form"]]
        return build(name, table)

    def __repr__(self) -> str:
        return f"handik.data: {', '.join(names())}"


data = _Data()


def _table(name: str) -> Mapping[str, Any]:
    import tomllib

    known_name("model of handik's own", name, names())
    return tomllib.loads(_folder().joinpath(f"{name}.toml").read_text("utf-8"))


def _folder() -> Traversable:
    # Imported late: importlib.resources brings much that `import handik` does not need.
    from importlib.resources import files

    return files(__name__)


def _chain(name: str, table: Mapping[str, Any]) -> Model:
    from handik._model import chain

    parts = table["lengths"]
    return chain([length / sum(parts) for length in parts], table["joint"], name=name)


def _dh(name: str, table: Mapping[str, Any]) -> Model:
    from handik._model import Model

    joints = table["joints"]
    return Model.from_dh(
        [[radians(j["theta"]), j["d"], j["a"], radians(j["alpha"])] for j in joints],
        table["convention"],
        lower=[radians(j["lower"]) for j in joints],
        upper=[radians(j["upper"]) for j in joints],
        names=[j["name"] for j in joints],
        name=name,
    )
