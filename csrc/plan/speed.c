/* speed.c: the fastest way along a path within limits of velocity and acceleration.

   Purpose   A path q(s) says where, not when. With x = (ds/dt)^2 and u = d2s/dt2, which is half of dx/ds, velocity is
             q' sqrt(x) and acceleration q' u + q'' x: limits of both are linear in x and u.
   Given     q', q'' at points of s, limits of each coordinate.
   Returned  x at the points, at rest at both ends; between two points u is constant.
   Outcomes  None: x = 0 is always possible, so every path can be followed.
   Notes     The limits hold at both ends of each interval, for the u of that interval (collocation on both sides). For one
             x the u that keep all limits are between the most of some lines and the least of others, so the room
             between them is concave and piecewise linear in x. Backwards from rest, the largest x from which some u
             leads into what was found for the next point is its last zero: Newton's iteration from the right meets it
             exactly after as many turns as there are lines at most, mostly two or three. Forwards the largest u is taken.
   Reference Bobrow, Dubowsky and Gibson 1985; Pham and Pham 2018 for the two passes over a grid. */
#include "plan/speed.h"

#include "base/error.h"

/* Lines of one interval: u <= most[k] - tilt[k] x and u >= -most[k] - tilt[k] x. */
typedef struct room {
  const double *most, *tilt;
  int32_t count;
  double twice; /* twice the length of the interval */
} room;

bool hik_speed_scratch(int64_t points, int32_t nv, size_t *doubles) {
  size_t lines;
  return points > 0 && nv > 0 && hik_mul((size_t)points, 4 * (size_t)nv + 2, &lines) &&
         hik_mul(lines, sizeof(double), doubles) && (*doubles = lines, true);
}

/* One limit |a u + b x| <= most as a line, or, where u has no part in it, as a cap of x. */
static void line(double a, double b, double most, double *high, double *tilt, double *cap) {
  if (fabs(a) <= 1e-12 * (1 + fabs(b))) {
    *high = 1e300, *tilt = 0;
    if (fabs(b) * *cap > most) *cap = most / fabs(b);
    return;
  }
  *high = most / fabs(a);
  *tilt = b / a;
}

/* The lines of the interval that begins at point k, and its part in the caps of x. */
static void lines_of(const hik_speed_path *p, int64_t k, double *high, double *tilt, double *cap) {
  int32_t nv = p->nv;
  double twice = 2 * (p->s[k + 1] - p->s[k]);
  const double *a = p->first + k * nv, *b = p->second + k * nv, *next_a = a + nv, *next_b = b + nv;
  for (int32_t j = 0; j < nv; j++) {
    line(a[j], b[j], p->acceleration[j], high + 2 * j, tilt + 2 * j, cap);
    /* At the end of the interval x has become x + 2 ds u. */
    line(next_a[j] + twice * next_b[j], next_b[j], p->acceleration[j], high + 2 * j + 1, tilt + 2 * j + 1,
         cap);
  }
}

/* A bound of u: at - tilt x. */
typedef struct bound {
  double at, tilt;
} bound;

/* The least upper and the largest lower line at x. */
static void bounds(const room *r, double x, bound *up, bound *down) {
  double best_up = 1e300, best_down = -1e300;
  *up = (bound){1e300, 0}, *down = (bound){-1e300, 0};
  for (int32_t j = 0; j < r->count; j++) {
    double mid = r->tilt[j] * x, high = r->most[j] - mid, low = -r->most[j] - mid;
    if (high < best_up) best_up = high, *up = (bound){r->most[j], r->tilt[j]};
    if (low > best_down) best_down = low, *down = (bound){-r->most[j], r->tilt[j]};
  }
}

/* The largest x up to `x` from which some u of the room leads into [0, next]. */
static double largest(const room *r, double x, double next) {
  double rate = 1 / r->twice;
  for (int32_t turn = 0; turn < 2 * r->count + 8; turn++) {
    bound up, down;
    bounds(r, x, &up, &down);
    if ((next - x) * rate < up.at - up.tilt * x) up = (bound){next * rate, rate};
    if (-x * rate > down.at - down.tilt * x) down = (bound){0, rate};
    double slope = down.tilt - up.tilt;
    if ((up.at - down.at) + slope * x >= 0 || !(slope < 0)) break;
    /* where the two lines meet, not a step from x, which may be 1e300 */
    double better = (down.at - up.at) / slope;
    if (!(better < x)) break; /* nothing is gained but rounding */
    x = better > 0 ? better : 0;
  }
  return x;
}

static hik_status check(const hik_speed_path *p, hik_error *error) {
  if (p->points < 3) return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a path of speeds needs at least 3 points");
  for (int64_t k = 0; k + 1 < p->points; k++)
    if (!(p->s[k] < p->s[k + 1]))
      return hik_fail(error, HIK_BAD_ARGUMENT, -1, "s must rise: s[%lld] is not above s[%lld]",
                      (long long)k + 1, (long long)k);
  for (int32_t j = 0; j < p->nv; j++)
    if (!(p->velocity[j] > 0) || !(p->acceleration[j] > 0) || !(p->acceleration[j] < 1e300))
      return hik_fail(error, HIK_BAD_ARGUMENT, -1,
                      "limits of velocity and acceleration must be above 0, coordinate %d", (int)j);
  return HIK_OK;
}

/* The largest x that velocity and the caller allow at a point. */
static double fastest(const hik_speed_path *p, int64_t k) {
  double x = p->cap ? p->cap[k] : 1e300;
  for (int32_t j = 0; j < p->nv; j++) {
    double a = fabs(p->first[k * p->nv + j]);
    if (a * sqrt(x) > p->velocity[j]) x = (p->velocity[j] / a) * (p->velocity[j] / a);
  }
  return x;
}

hik_status hik_speed(const hik_speed_path *p, double *scratch, double *x, hik_error *error) {
  hik_status status = check(p, error);
  if (status < 0) return status;
  int64_t n = p->points;
  size_t lines = 2 * (size_t)p->nv;
  double *high = scratch, *tilt = high + (size_t)n * lines, *cap = tilt + (size_t)n * lines, *most = cap + n;
  for (int64_t k = 0; k < n; k++) cap[k] = fastest(p, k);
  for (int64_t k = 0; k + 1 < n; k++)
    lines_of(p, k, high + (size_t)k * lines, tilt + (size_t)k * lines, &cap[k]);
  most[n - 1] = 0;
  for (int64_t k = n - 2; k >= 0; k--) {
    const room r = {high + (size_t)k * lines, tilt + (size_t)k * lines, (int32_t)lines,
                    2 * (p->s[k + 1] - p->s[k])};
    most[k] = largest(&r, cap[k], most[k + 1]);
  }
  x[0] = 0;
  for (int64_t k = 0; k + 1 < n; k++) {
    const room r = {high + (size_t)k * lines, tilt + (size_t)k * lines, (int32_t)lines,
                    2 * (p->s[k + 1] - p->s[k])};
    bound up, down;
    bounds(&r, x[k], &up, &down);
    double next = x[k] + r.twice * (up.at - up.tilt * x[k]);
    x[k + 1] = next < 0 ? 0 : next > most[k + 1] ? most[k + 1] : next;
  }
  return HIK_OK;
}
