/* rounded.h: which of some round cones points lie next to.
   hik_rounded_nearest */
#pragma once
#include "base/base.h"

/* A round cone is the hull of two balls: their centers a and b, their radii. */
typedef struct hik_rounded {
  double a[3], b[3], radius[2];
} hik_rounded;

enum { HIK_ROUNDED_SCRATCH = 9 };

/* For each of the points [n][3] the cone that it lies next to, the first of several, and its signed distance from there, meters;
   m > 0. scratch [m][HIK_ROUNDED_SCRATCH]. */
void hik_rounded_nearest(const double *point, int64_t n, const hik_rounded *cone, int64_t m, double *scratch,
                         int32_t *own, double *least);
