/* within.h: places that a shorter way than a known one may lead through.
   hik_within_room hik_within_draw hik_within */
#pragma once
#include "base/rng.h"
#include "plan/edges.h"

/* A way from start to one of goals [n][nq] is to be shorter than `bound`, in the norm of v. */
typedef struct hik_shorter {
  double bound;
  const double *start, *goals;
  int32_t n;
} hik_shorter;

/* Doubles of room that each of the two takes. */
HIK_INLINE size_t hik_within_room(const hik_model *m) { return 2 * (size_t)m->nv; }

/* Whether the straight way over q is shorter: by the nearest of the first 64 goals. */
bool hik_within(const hik_model *m, const hik_shorter *what, const double *q, double *room);

/* A random place of those to one of the goals, kept to the limits; every number by seed and draw. */
void hik_within_draw(const hik_model *m, const hik_shorter *what, uint64_t seed, uint64_t draw, double *q,
                     double *room);
