"""Every posture at once: closed forms of serial arms, parallel mechanisms and closed loops.

It may import `solve` and what comes before; the mathematics of serial arms is in C.
"""
