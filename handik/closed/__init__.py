"""Every posture at once: closed forms of serial arms, parallel mechanisms and closed loops.

It may import `solve` and what comes before.
"""
