/* two.h: arms of two joints that are not in one plane, for a position. */
#pragma once
#include "analytic/loop.h"

enum { HIK_TWO_MAX = 8 };

/* Joint 1, the motion `link`, joint 2, the point `tip` in its frame: candidates that bring the tip to `goal` (in joint
   1's unmoved frame). Some meet only one of the equations, and none is better than a root of rounding; the caller moves each
   onto the goal and looks at where it brings the tip. swings: bits of the joints that any value will do for. */
int hik_two_solve(const int32_t kind[2], const hik_pose *link, const double tip[3], const double goal[3],
                  double (*theta)[2], uint8_t swings[HIK_TWO_MAX]);
