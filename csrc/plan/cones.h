/* cones.h: whether balls keep to their limits all along an edge, and along the curve that cuts a corner.
   hik_cones_edge hik_cones_edges hik_cones_curve hik_corner_falling */
#ifndef HIK_CONES_H
#define HIK_CONES_H
#include "model/model.h"

/* Radians by which a ball may be beyond its limits between the places that were looked at, and at those. */
#define HIK_CONES_SLACK 1e-4
#define HIK_CONES_LOOK  1e-9

/* The share of the edge from q0 along v that is proved inside; whole: nothing less than all of it is of any use, and is found
   sooner. What it cost is added to looks, each at one ball. */
double hik_cones_edge(const hik_model *m, const double *q0, const double *v, bool whole, int64_t *looks);

/* Which of n edges q0 to q1 [n][nq] are; false: no memory. */
bool hik_cones_edges(const hik_model *m, int64_t n, const double *q0, const double *q1, bool *inside);

/* Whether the curve integrate(q, r (be(t) u2 - al(t) u1)) of blend.c is proved inside. */
bool hik_cones_curve(const hik_model *m, const double *q, const double *u1, const double *u2, double r,
                     int64_t *looks);

/* al: how a corner's curve leaves the one edge, as it joins the other; the number is that of handik/scene/plan/_curve.py. */
HIK_INLINE double hik_corner_falling(double t) {
  const double bend = 0.4, s = 1 - t;
  return s * s * s * (s * s + 5 * (1 - bend) * t * s + 10 * (1 - 2 * bend) * t * t);
}
#endif
