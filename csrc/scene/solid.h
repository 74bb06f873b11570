/* solid.h: how far single points are from the obstacles of a world, for proofs. */
#pragma once
#include "scene/scene.h"

/* Signed distance of a point to obstacle k: below 0 inside, the depth there; it changes by no more than the point moves. Infinite
   for a grid, whose bound may be off. */
double hik_solid_distance(const hik_world *world, int32_t k, const double point[3]);
/* The same or less, sooner: that of a ball around the obstacle; minus infinity where none is. */
double hik_solid_beyond(const hik_world *world, int32_t k, const double point[3]);
