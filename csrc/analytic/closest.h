/* closest.h: the posture of a chain nearest to a pose out of its reach. */
#ifndef HIK_CLOSEST_H
#define HIK_CLOSEST_H
#include "analytic/chain.h"

/* Lowers angle^2 (radians, when `orientation`) + (distance / chain->scale)^2 from q, from zero and from 12 drawn
   postures inside the limits; the best goes into q. Returns the square root of the sum. */
double hik_closest(const hik_chain *chain, const hik_pose *target, bool orientation, double *q);
#endif
