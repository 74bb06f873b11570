/* pass_wedge.h: whether walls that each leave an outline room leave it none together, in all poses of a box; and how a wall
   that moves spoils bounds. */
#pragma once
#include "access/pass.h"

/* By how much n.(corner - wall) may fall since the wall moves: the corner's place v about the pivot is sure to `loose`. */
static inline double hik_swayed_wall(const hik_sway *sway, double nx, double ny, double vx, double vy,
                                     double loose) {
  double d = sway->turn, far = sqrt(vx * vx + vy * vy) + loose;
  return (fabs(nx * vy - ny * vx) + loose) * d + 0.5 * far * d * d +
         fabs(nx * sway->slide[0] + ny * sway->slide[1]);
}

/* By how much n.point may fall since the point moves with the wall and n turns by up to `turn`. */
static inline double hik_swayed_point(const hik_sway *sway, double nx, double ny, const double point[2],
                                      double turn) {
  double x = point[0] - sway->pivot[0], y = point[1] - sway->pivot[1], far = sqrt(x * x + y * y);
  double d = sway->turn, slide = sqrt(sway->slide[0] * sway->slide[0] + sway->slide[1] * sway->slide[1]);
  return fabs(nx * y - ny * x) * d + 0.5 * far * d * d + fabs(nx * sway->slide[0] + ny * sway->slide[1]) +
         turn * (far * d + slide);
}

/* Whether in every pose of the box some of the walls kept[0..n) touches the outline, which is turned to the middle. Where they
   do so in the middle, and not in all poses, share has in meters what each direction spoils of that, else it is left alone. */
bool hik_pass_wedged(const hik_outline *outline, const hik_walls *walls, const int32_t *kept, int32_t n,
                     const double middle[3], const double half[3], double share[3]);
