/* subproblem.h: the canonical subproblems of Paden, Kahan and IK-Geo, and the two small solvers below them.

   Every angle is a pair (cosine, sine) inside, and an angle in (-pi, pi] at the six public functions. R(k, x) turns by x
   about the unit vector k. Each function returns how many answers it wrote; *exact is false when the equations have no
   solution and the answers are those of least squares (1, 3, 4) or of the nearest touching point (2), or when there is
   none at all (5, 6: then 0 answers). Answers that are free (an axis that does not move its point) are 0. */
#pragma once
#include "base/pose.h"
#include "base/trig.h"

/* 1. |R(k, x) p - q| least. */
int hik_subproblem1(const double p[3], const double q[3], const double k[3], double *x, bool *exact);
/* 2. R(k1, x) p = R(k2, y) q; up to 2. */
int hik_subproblem2(const double p[3], const double q[3], const double k1[3], const double k2[3], double x[2],
                    double y[2], bool *exact);
/* 3. |R(k, x) p - q| = d; up to 2. */
int hik_subproblem3(const double p[3], const double q[3], const double k[3], double d, double x[2],
                    bool *exact);
/* 4. h . R(k, x) p = d; up to 2. */
int hik_subproblem4(const double h[3], const double p[3], const double k[3], double d, double x[2],
                    bool *exact);
/* 5. p0 + R(k1, x) p1 = R(k2, y) (p2 + R(k3, z) p3); up to 4. */
int hik_subproblem5(const double p0[3], const double p1[3], const double p2[3], const double p3[3],
                    const double k1[3], const double k2[3], const double k3[3], double x[4], double y[4],
                    double z[4], bool *exact);
/* 6. h[0].R(k[0],x)p[0] + h[1].R(k[1],y)p[1] = d1 and h[2].R(k[2],x)p[2] + h[3].R(k[3],y)p[3] = d2; up to 4. */
int hik_subproblem6(const double (*h)[3], const double (*k)[3], const double (*p)[3], double d1, double d2,
                    double x[4], double y[4], bool *exact);

/* ---- below them ---- */

/* Real roots of c[0] + c[1] x + ... + c[degree] x^degree, degree <= 4, ascending; a double root, or two that all but
   meet (the curve comes within `touch` of its own scale of zero, or as near as rounded coefficients tell), counts once. */
int hik_real_roots(int degree, const double *c, double touch, double *root);

/* One joint variable: its pair is (cos, sin) of a turn, or (d, d^2) of a slide. */
typedef struct hik_unknown {
  double x, y;
} hik_unknown;

/* a + b . (x, y) = 0 for one unknown of a kind. Returns 0, 1, 2; a free one (a = b = 0 to `slack`) is given once, at 0,
   and tells so. A turn that misses by no more than `touch` counts as touching. */
#define HIK_NEAR 2e-5 /* touch of an equation whose numbers follow from a root that may be triple */
int hik_one_equation(int32_t kind, double a, const double b[2], double touch, hik_unknown answer[2],
                     bool *is_free);

/* Two equations i = 0, 1: a[i][0] + a[i][1] x1 + a[i][2] y1 + b[i][0] x2 + b[i][1] y2 = 0. Up to 4 answers. */
typedef struct hik_pair {
  int32_t kind1, kind2;
  double a[2][3], b[2][2];
} hik_pair;
int hik_pair_solve(const hik_pair *pair, hik_unknown first[4], hik_unknown second[4], bool is_free[4]);
