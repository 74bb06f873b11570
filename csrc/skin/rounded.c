/* rounded.c: which of some round cones points lie next to.

   Purpose: the capsules of a person are grown until they hold the skin; each vertex counts for the one it lies next to.
   Given: points, and round cones.
   Returned: for each point the cone, and its signed distance from it.
   Notes: the ball of a cone next to a point lies where the line from there to its center meets the axis at the cone's own
     slope. Cones are looked at from the one of the point before on, as neighbors mostly lie next to the same; one whose ball
     about the middle of its axis is farther than the best is left out. */
#include "skin/rounded.h"

#include "base/vec.h"

/* Of a cone: unit axis, length, slope of its side, the same over its cosine, middle of the axis and size from there. */
enum { UNIT, LENGTH = 3, SLOPE, MIDDLE, SIZE = 8, WIDTH = HIK_ROUNDED_SCRATCH };
/* Meters that rounding may take from the size. */
static const double LOOSE = 1e-9;

static void prepare(const hik_rounded *c, double *of) {
  double way[3], length;
  hik_sub3(c->b, c->a, way);
  length = hik_norm(way);
  for (int i = 0; i < 3; i++) {
    of[UNIT + i] = way[i] / fmax(length, 1e-12);
    of[MIDDLE + i] = 0.5 * (c->a[i] + c->b[i]);
  }
  of[LENGTH] = length;
  of[SLOPE] = (c->radius[0] - c->radius[1]) / fmax(length, 1e-12);
  of[SIZE] = 0.5 * length + fmax(c->radius[0], c->radius[1]) + LOOSE;
}

static double beyond(const hik_rounded *c, const double *of, const double p[3]) {
  double off[3], slope = of[SLOPE], length = of[LENGTH], share;
  hik_sub3(p, c->a, off);
  double along = hik_dot(off, of + UNIT), across = sqrt(fmax(hik_dot(off, off) - along * along, 0));
  if (fabs(slope) < 1) {
    double lean = slope / sqrt(fmax(1 - slope * slope, 1e-24));
    share = hik_clip((along - across * lean) / fmax(length, 1e-12), 0, 1);
  } else { /* one ball holds the other */
    share = slope < 0;
  }
  double rest = along - share * length;
  return sqrt(rest * rest + across * across) - (c->radius[0] + share * (c->radius[1] - c->radius[0]));
}

void hik_rounded_nearest(const double *point, int64_t n, const hik_rounded *cone, int64_t m, double *scratch,
                         int32_t *own, double *least) {
  int64_t last = 0;
  for (int64_t k = 0; k < m; k++) prepare(cone + k, scratch + WIDTH * k);
  for (int64_t i = 0; i < n; i++) {
    const double *p = point + 3 * i;
    int64_t best = last;
    double d = beyond(cone + last, scratch + WIDTH * last, p);
    for (int64_t k = 0; k < m; k++) {
      const double *of = scratch + WIDTH * k;
      double room = d + of[SIZE], off[3];
      hik_sub3(p, of + MIDDLE, off);
      if (k == last || room < 0 || hik_dot(off, off) > room * room) continue;
      double here = beyond(cone + k, of, p);
      if (here < d || (here == d && k < best)) d = here, best = k;
    }
    own[i] = (int32_t)best, least[i] = d, last = best;
  }
}
