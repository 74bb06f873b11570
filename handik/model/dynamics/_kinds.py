"""What the core is asked for, by number, and the gravity that is meant when none is given."""

#: Acceleration of a free fall, world axes, m/s2.
GRAVITY = (0.0, 0.0, -9.81)

(_INVERSE, _MASS_MATRIX, _FORWARD, _CENTER, _CENTER_JACOBIAN, _MOMENTUM, _KINETIC, _POTENTIAL) = (
    range(8)
)
