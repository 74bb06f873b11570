"""People: body dimensions, figures made of them, impairments, populations, and ratings of postures.

Meters, kilograms, years. It may import all that `handik.data` may; no solver needs it.
"""

from __future__ import annotations

from handik.people import balance, discomfort, effort, gaze, impairments
from handik.people._envelope import Envelope, envelope
from handik.people._envelopes import envelopes
from handik.people._luba import LubaScore, luba
from handik.people._of_posture import clinical_angles, reba_of, rula_of
from handik.people._predict import Prediction, predict
from handik.people._rating import Rating
from handik.people.conditional import Conditional
from handik.people.dimensions import Dimensions, dimensions
from handik.people.human import Human, human
from handik.people.population import Population, boundary_cases, population
from handik.people.posture_scores import PostureScore, reba, rula
from handik.people.skeleton._own_rhythm import ShoulderRhythm
from handik.people.skeleton._ranges import Ranges
from handik.people.skeleton._segments import SegmentParameters
from handik.people.survey import Survey, survey

__all__ = [
    "Conditional",
    "Dimensions",
    "Envelope",
    "Human",
    "LubaScore",
    "Population",
    "PostureScore",
    "Prediction",
    "Ranges",
    "Rating",
    "SegmentParameters",
    "ShoulderRhythm",
    "Survey",
    "balance",
    "boundary_cases",
    "clinical_angles",
    "dimensions",
    "discomfort",
    "effort",
    "envelope",
    "envelopes",
    "gaze",
    "human",
    "impairments",
    "luba",
    "population",
    "predict",
    "reba",
    "reba_of",
    "rula",
    "rula_of",
    "survey",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
