"""The model: a joint tree frozen into the C core, its kinematics and its dynamics.

It may import `write` and what comes before; it knows no goal and no solver. `handik.Model`, which
has `solve` too, is above in `handik._model`.
"""

from handik.model.core import KINDS, Model

__all__ = ["KINDS", "Model"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
