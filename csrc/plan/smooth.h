/* smooth.h: a polygon whose corners are rounded, each over a time of its own before and after it.
   hik_smooth_ramp hik_smooth_slope hik_smooth_peak hik_smooth_share hik_smooth_edges hik_smooth_order hik_smooth_place

   A polygon of vertices v[0..n) is gone through with its vertex j at s = at[j]: on edge j with a steady velocity that jumps at
   the next vertex. Rounded, the jump at vertex j is spread over at[j] - half[j] to at[j] + half[j], by a density that rises
   evenly, stays, and falls evenly; so the second derivative is steady, and where several overlap they add up. Of edge j the
   share hik_smooth_share has been gone at s, which never falls, and the posture is
   integrate(..integrate(v[first], share[first] v_first).., share[last] v_last) over the edges that are neither begun nor gone. */
#pragma once
#include "model/model.h"

/* Shares of a corner's time in which its second derivative rises, and in which it falls; the number is that of
   handik/scene/plan/_curve.py. */
#define HIK_SMOOTH_RISE 0.25

typedef struct hik_smooth {
  int32_t count;         /* vertices, 2 or more */
  const double *at;      /* [count], growing */
  double *half;          /* [count], 0: a corner; 0 at both ends */
  const double *q, *way; /* vertices [count][nq], and the differences between them [count - 1][nv] */
} hik_smooth;

/* The integral over the density spread over half a width h about 0, twice: 0 up to -h, x from h on. */
HIK_INLINE double hik_smooth_ramp(double x, double h) {
  const double rise = 2 * HIK_SMOOTH_RISE, peak = 1 / (2 - rise);
  if (x <= -h) return 0;
  if (x >= h) return x;
  double z = 1 - fabs(x) / h, mid = z - 0.5 * rise;
  double low = z < rise ? z * z * z / (6 * rise) : 0.5 * mid * mid + rise * rise / 24;
  return h * peak * low + (x > 0 ? x : 0);
}

/* How fast that grows: 0 up to -h, 1 from h on; its own rate of growth is at most hik_smooth_peak. */
HIK_INLINE double hik_smooth_slope(double x, double h) {
  const double rise = 2 * HIK_SMOOTH_RISE, peak = 1 / (2 - rise);
  if (x <= -h) return x < 0 || h > 0 ? 0 : 1;
  if (x >= h) return 1;
  double z = 1 - fabs(x) / h, one = peak * (z < rise ? z * z / (2 * rise) : z - 0.5 * rise);
  return x > 0 ? 1 - one : one;
}

HIK_INLINE double hik_smooth_peak(double h) { return 1 / ((2 - 2 * HIK_SMOOTH_RISE) * h); }

/* The share of edge j that has been gone at s. */
HIK_INLINE double hik_smooth_share(const hik_smooth *c, int32_t j, double s) {
  double done = hik_smooth_ramp(s - c->at[j], c->half[j]) - hik_smooth_ramp(s - c->at[j + 1], c->half[j + 1]);
  return fmin(fmax(done / (c->at[j + 1] - c->at[j]), 0), 1);
}

/* The edges that are on their way somewhere between low and high, looked for from edge `near`. */
void hik_smooth_edges(const hik_smooth *c, int32_t near, double low, double high, int32_t *first,
                      int32_t *last);

/* Lessens half widths until no corner's begin or end passes its neighbor's, and at most three overlap. */
void hik_smooth_order(hik_smooth *c);

/* The posture at s, its edges looked for from `near`; move [nv] and room [nq] are overwritten. */
void hik_smooth_place(const hik_model *m, const hik_smooth *c, int32_t near, double s, double *move,
                      double *room, double *q);
