/* target.h: a pose as it comes from outside. */
#pragma once
#include "base/pose.h"

/* Rotation and shift of a 4 x 4 matrix; the rotation made orthonormal. False when it is not finite, no rotation to 1e-3,
   a mirror image, or its last row is not 0 0 0 1 to 1e-3. */
bool hik_target_read(const double T[16], hik_pose *pose);
