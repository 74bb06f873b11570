/* grid_near.h: squared distances of eight points to triangles, in lanes.
   hik_near_points */
#pragma once
#include "scene/grid_facet.h"

enum { HIK_NEAR = 8 }; /* points side by side */

/* Of the points x [3][HIK_NEAR] and the facets which [n]: least [HIK_NEAR], the squared distance to the nearest, INFINITY where n
   is 0; each [n][HIK_NEAR], those to every facet (NULL: not wanted). To the byte those of hik_facet_square. */
typedef void hik_near_fn(const hik_facet *facet, const int32_t *which, int64_t n, const double x[3][HIK_NEAR],
                         double least[HIK_NEAR], double (*each)[HIK_NEAR]);

extern hik_near_fn hik_near_base, hik_near_avx2; /* made by simd/scene_<set>.c */

/* The one for the instruction set in use; all give the same bytes. */
hik_near_fn *hik_near_points(void);
