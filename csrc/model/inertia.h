/* inertia.h: the ten numbers of a rigid body about the origin of some frame, in its axes:
   mass, first moment x y z (mass times centre), inertia xx xy xz yy yz zz (the entries of the matrix, so that xy is
   minus the integral of x y). They add up when bodies are welded. */
#pragma once
#include "base/pose.h"

/* out += the body moved: `place` is the body's frame as seen from out's. */
void hik_inertial_add(const double body[10], const hik_pose *place, double out[10]);
/* mass, first moment, then the second moments (integrals of r r^T dm) xx xy xz yy yz zz. */
void hik_inertial_moments(const double body[10], double out[10]);
