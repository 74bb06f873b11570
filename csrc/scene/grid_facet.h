/* grid_facet.h: a triangle as the distance to it is asked of. */
#pragma once
#include "base/base.h"

/* One triangle: corner a, edges b - a, c - a and c - b, the reciprocals of their squares (0 for one without length), the
   product of the first two, and its square: 0 where it has no area worth its sides. */
typedef struct hik_facet {
  double a[3], e[3][3], inverse[3], n[3], square;
} hik_facet;
