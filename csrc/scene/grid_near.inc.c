/* grid_near.inc.c: the body of hik_near_fn. Operations are those of hik_facet_square in their order; what branches there is chosen here. */
#include "scene/grid_near.h"
#include "simd/lanes.h"

typedef struct near_point {
  lane x[3];
} near_point;

HIK_INLINE lane near_dot(const lane *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* |w - t e|^2 at the best t in [0, 1]. */
HIK_INLINE lane near_edge(const lane *w, const double *e, double inverse) {
  lane t = -lane_clip(near_dot(w, e) * inverse, 0, 1);
  lane x = w[0] + t * e[0], y = w[1] + t * e[1], z = w[2] + t * e[2];
  return x * x + y * y + z * z;
}

HIK_INLINE lane near_facet(const hik_facet *f, const near_point *p) {
  const double *e0 = f->e[0], *e1 = f->e[1];
  lane w[3], v[3];
  for (int j = 0; j < 3; j++) w[j] = p->x[j] - f->a[j], v[j] = w[j] - e0[j];
  lane best = near_edge(w, e0, f->inverse[0]), next = near_edge(w, e1, f->inverse[1]);
  best = LANE_MIN(next, best);
  next = near_edge(v, f->e[2], f->inverse[2]);
  best = LANE_MIN(next, best);
  if (!(f->square > 0)) return best;
  lane c[3] = {w[1] * e1[2] - w[2] * e1[1], w[2] * e1[0] - w[0] * e1[2], w[0] * e1[1] - w[1] * e1[0]};
  lane s = near_dot(c, f->n);
  lane d[3] = {e0[1] * w[2] - e0[2] * w[1], e0[2] * w[0] - e0[0] * w[2], e0[0] * w[1] - e0[1] * w[0]};
  lane t = near_dot(d, f->n), off = near_dot(w, f->n);
  lane_mask above = (s >= 0) & (t >= 0) & (s + t <= f->square);
  return lane_choose(above, off * off / f->square, best);
}

static void near_points(const hik_facet *facet, const int32_t *which, int64_t n,
                        const double x[3][HIK_NEAR_POINTS], double least[HIK_NEAR_POINTS]) {
  enum { PARTS = HIK_NEAR_POINTS / LANES };
  for (int part = 0; part < PARTS; part++) {
    near_point p;
    lane best = lane_all(INFINITY);
    for (int j = 0; j < 3; j++) p.x[j] = LANE_OF(x[j] + part * LANES);
    for (int64_t k = 0; k < n; k++) {
      lane square = near_facet(facet + which[k], &p);
      best = LANE_MIN(square, best);
    }
    LANE_AT(least + part * LANES) = best;
  }
}
