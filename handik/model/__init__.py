"""The model: a joint tree frozen into the C core, its kinematics and its dynamics.

It may import `errors`, `spec`, `read`, `write`; it knows no goal and no solver.
"""

from handik.model.core import KINDS, Model, chain, load

__all__ = ["KINDS", "Model", "chain", "load"]
