/* closest.h: the posture of a chain nearest to a pose out of its reach. */
#pragma once
#include "analytic/chain.h"

/* Lowers angle^2 (radians, when `orientation`) + (distance / chain->scale)^2 from q, from zero and from 12 drawn
   postures inside the limits; the best goes into q. Returns the square root of the sum. */
double hik_closest(const hik_chain *chain, const hik_pose *target, bool orientation, double *q);

/* Lowers the same sum from joint values (scaled) nearby, `limited`: inside the limits; its square root. */
double hik_closest_settle(const hik_chain *chain, const hik_pose *scaled_target, bool orientation,
                          bool limited, double *theta);
