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

__all__ = ["data", "motors", "names", "source"]


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
    ('ball10', 'planar9', 'poppy_arm', 'poppy_leg', 'poppy_torso', 'puma560', 'ur5', 'vp5243')
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


def motors(name: str) -> tuple[dict[str, Any], ...]:
    """Return the motors of a robot that comes with handik, as its maker counts them.

    Parameters
    ----------
    name : str
        One of `names()`.

    Returns
    -------
    tuple of dict
        For each motor ``name`` (that of its joint), ``id``, ``zero`` (degrees of the joint where
        the motor's command is 0), ``sense`` (1 or -1) and ``lower``, ``upper`` (degrees of the
        joint). Empty for a model without motors.

    Raises
    ------
    NotFoundError
        When there is no such model.

    Examples
    --------
    >>> from handik.data import motors
    >>> elbow = next(m for m in motors("poppy_torso") if m["name"] == "r_elbow_y")
    >>> elbow["zero"], elbow["sense"]
    (90.0, -1)
    """
    table = _table(name)
    if "of" in table:
        free = set(table["free"])
        return tuple(one for one in motors(table["of"]) if one["name"] in free)
    return tuple(dict(one) for one in table.get("motors", ()))


class _Data:
    """Load one of the models that come with handik; call it with a name.

    Parameters
    ----------
    name : str
        One of ``hk.data.names()``: ``"planar9"`` nine revolute joints of one plane, ``"ball10"``
        ten balls, ``"ur5"`` and ``"puma560"`` robots of six joints, ``"vp5243"`` one of five whose
        lengths are assumed (see ``hk.data.source(name)``), ``"poppy_torso"`` the thirteen joints of
        a humanoid's upper body, ``"poppy_arm"`` its right arm of four, ``"poppy_leg"`` the
        right leg of five.

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
    motors = staticmethod(motors)

    def __call__(self, name: str) -> Model:
        """Load the model of this name; see the class."""
        table = _table(name)
        build = {"chain": _chain, "dh": _dh, "tree": _tree, "held": _held}[table["form"]]
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


def _tree(name: str, table: Mapping[str, Any]) -> Model:
    import numpy as np

    from handik._model import Model
    from handik.spec import FrameSpec, InertialSpec, JointSpec, LinkSpec, ModelSpec
    from handik.spec.transforms import from_rpy

    def placed(row: Mapping[str, Any]) -> Any:
        return from_rpy(row.get("rpy", (0.0, 0.0, 0.0)), row["xyz"])

    own = {one["name"]: one for one in table["motors"]}
    links = []
    for row in table["links"]:
        xx, yy, zz, xy, xz, yz = row["inertia"]
        inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        shapes = [_capsule(one) for one in table["capsules"] if one["link"] == row["name"]]
        body = InertialSpec(row["mass"], np.array(row["center"]), np.array(inertia))
        links.append(LinkSpec(row["name"], body, collisions=shapes))
    joints = [
        JointSpec(
            row["name"],
            "revolute",
            row["parent"],
            row["child"],
            placed(row),
            tuple(row["axis"]),
            lower=max(row["lower"], radians(own[row["name"]]["lower"])),
            upper=min(row["upper"], radians(own[row["name"]]["upper"])),
            velocity=row["velocity"],
            effort=row["effort"],
        )
        for row in table["joints"]
    ]
    frames = [FrameSpec(row["name"], row["link"], placed(row)) for row in table["frames"]]
    return Model(ModelSpec(name, links, joints, frames, tip=table["tip"]))


def _capsule(row: Mapping[str, Any]) -> Any:
    import numpy as np

    from handik.spec import GeometrySpec

    start, end = np.array(row["start"]), np.array(row["end"])
    long = float(np.linalg.norm(end - start))
    z = (end - start) / long
    side = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(side, z)
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.stack([x, np.cross(z, x), z], axis=1), (start + end) / 2
    return GeometrySpec("capsule", pose, radius=row["radius"], length=long)


def _held(name: str, table: Mapping[str, Any]) -> Model:
    import numpy as np

    from handik._model import Model
    from handik.spec import JointSpec
    from handik.spec.transforms import from_rotation_vector

    spec = data(table["of"]).spec.copy()
    zero = {one["name"]: radians(one["zero"]) for one in motors(table["of"])}
    spec.name = name
    spec.joints = [
        joint
        if joint.name in table["free"]
        else JointSpec(
            joint.name,
            "fixed",
            joint.parent,
            joint.child,
            joint.placement @ from_rotation_vector(zero[joint.name] * np.array(joint.axis)),
        )
        for joint in spec.joints
    ]
    return Model(spec)
