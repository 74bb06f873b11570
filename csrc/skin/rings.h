/* rings.h: trunk, head and legs of a body with rings at some heights that are widened.
   hik_rings_made */
#pragma once
#include "base/base.h"

enum { HIK_RINGS_GROUPS = 6, HIK_RINGS_NUMBERS = 6 };

/* How many fields each group of levels has, in order: the shift forward; the middle line of a leg; of the trunk the center, corner,
   depth, breadth and back; of a leg the center, the widening and how much of it goes aside; how full the trunk is and how
   much further its front lies; how full a leg. */
extern const int64_t HIK_RINGS_FIELDS[HIK_RINGS_GROUPS];

/* What a vertex has: x and y of its shape and of a larger muscle of the back; the share of a leg and the line of the shape's leg;
   from 0, the trunk alone, to 1, a leg alone; how much fullness of the trunk and of the hips counts. */
typedef struct hik_rings_vertex {
  double own[2], back[2], leg, line, blend, upper, hips;
} hik_rings_vertex;

/* Numbers of all vertices. `deep` is half the depth over which the back's taper takes hold. */
typedef struct hik_rings_numbers {
  double scale, back, upper, hips, taper, deep;
} hik_rings_numbers;

/* Vertices in the making: heights placed by hik_heights_place among each group's levels, below [groups][n] and weight
   [groups][n][4]; the groups' fields as numbers and slopes [fields][levels][2]. Arrays are the caller's. */
typedef struct hik_rings {
  const hik_rings_vertex *vertex; /* [n] */
  int64_t n;
  const int32_t *below;
  const double *weight;
  const double *node[HIK_RINGS_GROUPS];
  int64_t levels[HIK_RINGS_GROUPS];
  hik_rings_numbers numbers;
} hik_rings;

/* x and y of the vertices, out [n][2]. */
void hik_rings_made(const hik_rings *rings, double *out);
