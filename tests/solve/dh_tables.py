"""Denavit-Hartenberg tables of arms for the tests of closed forms: theta, d, a, alpha."""

from __future__ import annotations

from numpy import pi

HALF = pi / 2
UR5 = [
    [0, 0.089159, 0, HALF],
    [0, 0, -0.425, 0],
    [0, 0, -0.39225, 0],
    [0, 0.10915, 0, HALF],
    [0, 0.09465, 0, -HALF],
    [0, 0.0823, 0, 0],
]
PUMA = [
    [0, 0.6718, 0, HALF],
    [0, 0, 0.4318, 0],
    [0, 0.15005, 0.0203, -HALF],
    [0, 0.4318, 0, HALF],
    [0, 0, 0, -HALF],
    [0, 0.056, 0, 0],
]
IRB120 = [
    [0, 0.29, 0, -HALF],
    [-HALF, 0, 0.27, 0],
    [0, 0, 0.07, -HALF],
    [0, 0.302, 0, HALF],
    [0, 0, 0, -HALF],
    [pi, 0.072, 0, 0],
]
SKEW = [
    [0.1, 0.2, 0.3, 0.9],
    [0.4, -0.1, 0.5, -0.5],
    [0.2, 0.15, 0.2, 1.1],
    [0, 0.4, 0, 1.2],
    [0, 0, 0, -0.8],
    [0, 0.1, 0.05, 0.3],
]
CRX = [
    [0, 0, 0, -HALF],
    [0, 0, 0.54, 0],
    [0, 0, 0, -HALF],
    [0, 0.54, 0, HALF],
    [0, -0.15, 0, -HALF],
    [0, 0.16, 0, 0],
]
GENERAL = [
    [0.1, 0.3, 0.2, 1.0],
    [0.7, -0.2, 0.4, -0.6],
    [-0.4, 0.25, 0.35, 1.4],
    [1.0, 0.1, -0.3, 0.8],
    [0.3, 0.2, 0.15, -1.2],
    [0.2, 0.1, 0.1, 0.5],
]
#: Waist, two parallel pitches, wrist pitch, flange roll; links of 0.21 and 0.22 m are assumed.
DENSO = [
    [0, 0.28, 0, HALF],
    [0, 0, 0.21, 0],
    [0, 0, 0.22, 0],
    [HALF, 0, 0, HALF],
    [0, 0.12, 0, 0],
]
#: Kinds RRPRRR.
STANFORD = [
    [0, 0.412, 0, -HALF],
    [0, 0.154, 0, HALF],
    [-HALF, 0, 0, 0],
    [0, 0, 0, -HALF],
    [0, 0, 0, HALF],
    [0, 0.263, 0, 0],
]
#: Kinds RRPR, the last two axes pointing down.
SCARA = [[0, 0.4, 0.325, 0], [0, 0, 0.225, pi], [0, 0.1, 0, 0], [0, 0.05, 0, 0]]
#: the KUKA LBR iiwa 7
IIWA = [
    [0, 0.36, 0, -HALF],
    [0, 0, 0, HALF],
    [0, 0.42, 0, HALF],
    [0, 0, 0, -HALF],
    [0, 0.4, 0, -HALF],
    [0, 0, 0, HALF],
    [0, 0.126, 0, 0],
]
