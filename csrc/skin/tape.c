/* tape.c: girths, breadths and depths of plane cuts.

   Purpose: what the fit of a person's surface reads some thirty times in each of its rounds.
   Given: vertices, edges that may cross a plane, the plane, and unit vectors in it.
   Returned: extents of the crossings along two directions, and their widths summed over the unit vectors: by Cauchy's
     formula pi times the mean width is the length of a tight tape.
   Notes: no point is kept; each one widens the extents. A vertex on the plane counts as above it, so that no crossing is
     counted twice. Sums go in the order given: the same bytes on every machine. */
#include "skin/tape.h"

static double above(const hik_tape *t, const double *v) {
  const double *n = t->axes + 6, *p = t->point;
  return (v[0] - p[0]) * n[0] + (v[1] - p[1]) * n[1] + (v[2] - p[2]) * n[2];
}

static void widen(const hik_tape *t, double x, double y, double *low, double *high) {
  const double *c = t->way, *s = t->way + t->ways;
  for (int64_t k = 0; k < t->ways; k++) {
    double along = x * c[k] + y * s[k];
    low[k] = along < low[k] ? along : low[k];
    high[k] = along > high[k] ? along : high[k];
  }
}

hik_tape_read hik_tape_cut(const hik_tape *t, double *scratch) {
  hik_tape_read out = {0, 0, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
  double *low = scratch, *high = scratch + t->ways;
  for (int64_t k = 0; k < t->ways; k++) low[k] = INFINITY, high[k] = -INFINITY;
  for (int64_t e = 0; e < t->edges; e++) {
    const double *a = t->vertex + 3 * (int64_t)t->edge[2 * e],
                 *b = t->vertex + 3 * (int64_t)t->edge[2 * e + 1];
    double fro = above(t, a), to = above(t, b), at[2] = {0, 0};
    if ((fro < 0) == (to < 0)) continue;
    double share = fro / (fro - to);
    for (int i = 0; i < 3; i++) {
      double x = (1 - share) * a[i] + share * b[i];
      for (int k = 0; k < 2; k++) at[k] += x * t->axes[3 * k + i];
    }
    for (int k = 0; k < 2; k++) {
      out.low[k] = at[k] < out.low[k] ? at[k] : out.low[k];
      out.high[k] = at[k] > out.high[k] ? at[k] : out.high[k];
    }
    widen(t, at[0], at[1], low, high);
    out.points++;
  }
  for (int64_t k = 0; out.points && k < t->ways; k++) out.widths += high[k] - low[k];
  return out;
}

int64_t hik_tape_near(const double *height, const int32_t *edge, const bool *free, int64_t edges, double z,
                      int32_t *out) {
  int64_t n = 0;
  for (int64_t e = 0; e < edges; e++) {
    const int32_t *ends = edge + 2 * e;
    if (!free[e] && (height[ends[0]] < z) == (height[ends[1]] < z)) continue;
    if (out) memcpy(out + 2 * n, ends, 2 * sizeof *ends);
    n++;
  }
  return n;
}

double hik_volume(const double *vertex, const int32_t *face, int64_t faces) {
  double sum = 0;
  for (int64_t f = 0; f < faces; f++) {
    const double *a = vertex + 3 * (int64_t)face[3 * f], *b = vertex + 3 * (int64_t)face[3 * f + 1];
    const double *c = vertex + 3 * (int64_t)face[3 * f + 2];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum;
}
