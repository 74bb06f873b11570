/* study_paths.h: solution paths of six moving hyperplanes through the rigid motions, by power series.

   A rigid motion is a point z = (x, y) of the projective space over C^8 with x.y = 0 (Study): x the rotation's
   quaternion, y = t x / 2. The motions, embedded by the 17 quadrics
     x_i x_i, 2 x_i x_j (i < j)      10, in the order 00 01 02 03 11 12 13 22 23 33
     y.y                              1
     2 (x_i y_j - x_j y_i)            6, in the order 01 02 03 23 31 12
   are a variety of degree 40: six hyperplanes h . v(z) = 0 meet it in 40 points. */
#pragma once
#include "base/base.h"

enum { HIK_STUDY_POINTS = 40, HIK_STUDY_QUADRICS = 17, HIK_STUDY_LANES = 8, HIK_STUDY_ORDER = 5 };

typedef struct hik_study_point {
  double re[8], im[8];
} hik_study_point;

/* Coefficient k of plane i at [k][i]; columns 6 and 7 are zero: eight lanes are two, four or eight registers. */
typedef struct hik_study_planes {
  double re[HIK_STUDY_QUADRICS][HIK_STUDY_LANES], im[HIK_STUDY_QUADRICS][HIK_STUDY_LANES];
} hik_study_planes;

typedef enum hik_study_end { HIK_STUDY_FINITE, HIK_STUDY_INFINITE, HIK_STUDY_FAILED } hik_study_end;

/* Scratch of one thread. */
typedef struct hik_study_work {
  hik_study_planes start, change, here; /* planes at s: start + s change */
  double jr[8][8], ji[8][8];            /* half the Jacobian by columns, destroyed by the factorisation */
  double lr[8][8], li[8][8], ur[8][8], ui[8][8], pr[8], pi[8];
  int32_t order[8];
  hik_study_point series[HIK_STUDY_ORDER + 1];
  double gr[HIK_STUDY_ORDER + 1][HIK_STUDY_QUADRICS], gi[HIK_STUDY_ORDER + 1][HIK_STUDY_QUADRICS];
  int64_t steps, solves;
} hik_study_work;

/* The planes of the path from `from` (s = 0) to `to` (s = 1), on a straight line. */
void hik_study_between(const hik_study_planes *from, const hik_study_planes *to, hik_study_work *work);
/* Follows one point from s = 0 to s = 1; z is left with length 1. tolerance: greatest size of the last term of the
   series, 1e-3 usually. FINITE also says that Newton's method converged at the end. */
hik_study_end hik_study_follow(hik_study_work *work, double tolerance, hik_study_point *z);
/* Newton's method at the planes `here`; the size of the last correction. */
double hik_study_polish(hik_study_work *work, hik_study_point *z);
/* Sine of the angle between two points as lines of C^8; with `conjugate` the second is conjugated first. */
double hik_study_distance(const hik_study_point *z, const hik_study_point *w, bool conjugate);
/* x.x over |z|^2: zero at infinity. */
double hik_study_norm(const hik_study_point *z);
/* First and second derivative of the point when the planes `here` move along `change`; work->series[1], [2] get them
   (coefficients of the series). False: the Jacobian is singular. */
bool hik_study_series(hik_study_work *work, const hik_study_point *z, int order);
/* Rows of planes made orthonormal (as Hermitian vectors): only what they span matters. False: they are dependent. */
bool hik_study_orthonormal(hik_study_planes *planes);
