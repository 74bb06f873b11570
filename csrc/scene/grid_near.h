/* grid_near.h: squared distances of eight points to triangles, in lanes. */
#pragma once
#include "scene/grid_facet.h"

enum { HIK_NEAR_POINTS = 8 }; /* points side by side */

/* Of the points x [3][HIK_NEAR_POINTS] and the facets which [n]: least [HIK_NEAR_POINTS], the squared distance to the nearest, INFINITY where n
   is 0. To the byte those of hik_facet_square. */
typedef void hik_near_fn(const hik_facet *facet, const int32_t *which, int64_t n,
                         const double x[3][HIK_NEAR_POINTS], double least[HIK_NEAR_POINTS]);

/* The one for the instruction set in use; all give the same bytes. */
hik_near_fn *hik_near_points(void);
