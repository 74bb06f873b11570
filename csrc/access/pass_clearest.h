/* pass_clearest.h: a pose near another that is as clear of walls as can be. */
#pragma once
#include "access/pass.h"

/* The axes that part the walls which[0..n) best from the outline in a pose: 0 and 1 the sides of the wall, 2 + k edge k. */
void hik_pass_axes(hik_outline *outline, const hik_walls *walls, const int32_t *which, int32_t n,
                   const double pose[3], int32_t *axis);

/* Move a pose to where the least distance to the walls which[0..n), less the square of the way over twice `pull` (meters), is
   greatest: the headings' way is that of the outline's farthest corner. Distances are along the best axes or, if `axes` (2, n)
   are given, along both of each wall. Walls of leaves are not asked. Returned that least distance, meters: below 0 by how much
   a wall is in the outline at least. */
double hik_pass_clearest(hik_outline *outline, const hik_walls *walls, const int32_t *which, int32_t n,
                         const int32_t *axes, double pull, double pose[3]);

/* The walls that may come within `more` meters of the outline at a place, in `which` (room for all): how many. */
int32_t hik_pass_near(const hik_outline *outline, const hik_walls *walls, const double at[2], double more,
                      int32_t *which);
