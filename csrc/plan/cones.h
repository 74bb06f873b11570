/* cones.h: whether balls keep to their limits all along an edge, and along a rounded polygon.
   hik_cones_edge hik_cones_edges hik_cones_smooth */
#ifndef HIK_CONES_H
#define HIK_CONES_H
#include "plan/smooth.h"

/* Radians by which a ball may be beyond its limits between the places that were looked at, and at those. */
#define HIK_CONES_SLACK 1e-4
#define HIK_CONES_LOOK  1e-9

/* The share of the edge from q0 along v that is proved inside; whole: nothing less than all of it is of any use, and is found
   sooner. What it cost is added to looks, each at one ball. */
double hik_cones_edge(const hik_model *m, const double *q0, const double *v, bool whole, int64_t *looks);

/* Which of n edges q0 to q1 [n][nq] are; false: no memory. */
bool hik_cones_edges(const hik_model *m, int64_t n, const double *q0, const double *q1, bool *inside);

/* How far from low to high a rounded polygon is proved inside; `near`: an edge not far from there. */
double hik_cones_smooth(const hik_model *m, const hik_smooth *way, int32_t near, double low, double high,
                        int64_t *looks);
#endif
