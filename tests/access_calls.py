"""What is public in `handik.scene.access` about reach, called: as `public_calls`."""

from __future__ import annotations

from public_calls import ARM, Given, call_of

import handik as hk

ACCESS: dict[str, Given] = {
    "access.reach": call_of(
        hk.access.reach,
        ARM,
        None,
        [0.3, 0.3, 0.0],
        hand="right",
        frame=ARM.frame_names[-1],
        tolerance=1e-3,
        within=2e-3,
        tries=4,
        budget=1000,
        seed=0,
        threads=1,
    ),
}
