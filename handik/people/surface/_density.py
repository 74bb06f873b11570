"""Mass over volume of a person."""

from __future__ import annotations

from math import log10

from handik.people.dimensions import Dimensions

__all__ = ["DENSITY", "density"]

#: Mass over volume of a body with air in its lungs, kg/m^3. Siri's equation (1961) with 28 and 20 %
#: of fat, and 2.5 and 3 liters of air in a median person. [assumption]
DENSITY = {"female": 1000.0, "male": 1010.0}
#: Density without air of a man, g/cm^3: constant, and factors of log10 of waist less neck and of
#: stature, centimeters (Hodgdon and Beckett 1984, as public copies print it); and liters of air in
#: a median man, whose stature follows. That for women asks for the least waist, which the survey
#: does not have.
TAPE_DENSITY, AIR, MEDIAN = (1.0324, -0.19077, 0.15456), 0.003, 1.756
#: A man's waist is at least this much more than his neck for it, meters. [assumption]
LEANEST = 0.25


def density(d: Dimensions) -> float:
    """Return mass over volume of a person, kg/m^3: of men by waist, neck and stature."""
    if d.sex != "male":
        return DENSITY[d.sex]
    constant, girths, tall = TAPE_DENSITY
    more = max(d["waist_circumference"] - d["neck_circumference"], LEANEST)
    bare = constant + girths * log10(100 * more) + tall * log10(100 * d["stature"])
    air = AIR * (d["stature"] / MEDIAN) ** 3
    return d["weight"] / (d["weight"] / (1000 * bare) + air)
