/* speed.h: how fast a path may be followed within limits of velocity and acceleration.
   hik_speed_scratch hik_speed */
#pragma once
#include "base/base.h"

/* A path q(s) at points s_0 < s_1 < ... Arrays are the caller's. */
typedef struct hik_speed_path {
  int64_t points;             /* 3 or more: two intervals, or nothing can move from rest to rest */
  int32_t nv;                 /* coordinates of velocity, 1 or more */
  const double *s;            /* [points], rising */
  const double *first;        /* [points][nv]: dq/ds */
  const double *second;       /* [points][nv]: d2q/ds2 */
  const double *velocity;     /* [nv], above 0; may be infinite */
  const double *acceleration; /* [nv], above 0, finite */
  const double *cap;          /* [points]: further bounds of (ds/dt)^2, 0 or more; NULL: none */
} hik_speed_path;

/* Doubles of scratch; false where they do not fit. */
bool hik_speed_scratch(int64_t points, int32_t nv, size_t *doubles);

/* x[points] = (ds/dt)^2 at the points, the largest for which |dq/dt| <= velocity at every point and |d2q/dt2| <=
   acceleration at both ends of every interval, on which d2s/dt2 is constant; at rest at both ends. */
hik_status hik_speed(const hik_speed_path *path, double *scratch, double *x, hik_error *error);
