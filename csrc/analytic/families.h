/* families.h: arms, and postures, whose joints can move while the frame stays. */
#pragma once
#include "analytic/chain.h"

/* Bits of the joints that can move at a posture while the frame stays, to first order; row: coordinates of q in chain
   order; `lock`: a joint that cannot, -1: none. Without `orientation` the frame's origin alone stays. */
uint8_t hik_families_free(const hik_chain *chain, bool orientation, int lock, const double *row);

/* Whether some can at every posture: more joints than the frame's motion has dimensions. */
bool hik_families_everywhere(const hik_chain *chain, bool orientation, int lock);

/* One posture inside the limits, by descent from `rest` (by coordinate of q) and 13 others, into row. False: none. */
bool hik_families_one(const hik_chain *chain, bool orientation, int lock, double locked,
                      const hik_pose *target, const double *rest, double *row);
