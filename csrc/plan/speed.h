/* speed.h: how fast a path may be followed within limits of velocity and acceleration.
   hik_speed_scratch hik_speed */
#pragma once
#include "base/base.h"

/* A path q(s) in intervals of s. With x = (ds/dt)^2 at the begin of an interval and u = d2s/dt2, which is constant on it or has
   a given slope about its mean u, each row of an interval is a limit |push u + pull x + rest| <= 1: of one coordinate's
   acceleration, in units of its limit, at one place of the interval or at one coefficient of it. Arrays are the caller's. */
typedef struct hik_speed_path {
  int64_t points;       /* 2 or more: one more than intervals */
  int32_t rows;         /* 1 or more */
  const double *length; /* [points - 1], above 0 */
  const double *push;   /* [points - 1][rows] */
  const double *pull;   /* [points - 1][rows] */
  const double *rest;   /* [points - 1][rows], within -1 and 1 */
  const double *cap;    /* [points]: bounds of x, 0 or more */
} hik_speed_path;

/* What was found; arrays of `points`, the caller's. */
typedef struct hik_speed_found {
  double *x;     /* (ds/dt)^2 */
  double *brake; /* the largest x from which the end can still be met at rest */
  double *up;    /* of the interval that begins here: the largest u at x; of the last point 0 */
  double *even;  /* the same of the u that leads to the next x, within the limits at x */
} hik_speed_found;

/* Doubles of scratch; false where they do not fit. */
bool hik_speed_scratch(int64_t points, int32_t rows, size_t *doubles);

/* The largest x at the points that all limits allow, at rest at both ends. */
hik_status hik_speed(const hik_speed_path *path, double *scratch, const hik_speed_found *found,
                     hik_error *error);
