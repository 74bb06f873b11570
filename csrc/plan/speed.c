/* speed.c: the fastest way along a path within limits of velocity and acceleration.

   Purpose   A path q(s) says where, not when. With x = (ds/dt)^2 and u = d2s/dt2, which is half of dx/ds, velocity is
             q' sqrt(x) and acceleration q' u + q'' x: limits of both are linear in x and u.
   Given     Lengths of intervals of s; for each limits linear in u and in x at its begin; caps of x at their ends.
   Returned  x at the points, at rest at both ends; between two points u changes evenly, as the caller said.
   Outcomes  None: x = 0 is always possible, so every path can be followed.
   Notes     Which limits an interval has is the caller's to say: the values at its places, or, so that nothing between them
             is over, the coefficients of its acceleration as a polynomial. For one x the u that keep all limits are
             between the most of some lines and the least of others, so the room between them is concave and piecewise
             linear in x. Backwards from rest, the largest x from which some u leads into what was found for the next
             point is its last zero: Newton's iteration from the right meets it exactly after as many turns as there are
             lines at most, mostly two or three. Forwards the largest u is taken.
   Reference Bobrow, Dubowsky and Gibson 1985; Pham and Pham 2018 for the two passes over a grid. */
#include "plan/speed.h"

#include "base/error.h"

/* Of the terms of a line's value, what rounding may take. */
#define ROUNDING 1e-15

/* Lines of one interval: u <= high[k] - tilt[k] x and u >= low[k] - tilt[k] x. */
typedef struct room {
  const double *high, *low, *tilt;
  int32_t count;
  double twice; /* twice the length of the interval */
} room;

bool hik_speed_scratch(int64_t points, int32_t rows, size_t *doubles) {
  size_t lines, bytes;
  if (points <= 0 || rows <= 0 || !hik_mul((size_t)points, 3 * (size_t)rows + 1, &lines)) return false;
  return hik_mul(lines, sizeof(double), &bytes) && (*doubles = lines, true);
}

/* One limit |a u + b x + rest| <= 1 as a line, or, where u (which is mostly no more than x / twice) has no part in it, as a cap
   of x. */
static void line(double a, double b, double rest, double twice, double *high, double *low, double *tilt,
                 double *cap) {
  if (fabs(a) <= 1e-12 * twice * fabs(b) || fabs(a) < 1e-290) {
    double most = 1 - (b < 0 ? -rest : rest);
    *high = 1e300, *low = -1e300, *tilt = 0;
    if (fabs(b) * *cap > most) *cap = most / fabs(b);
    return;
  }
  double shift = a < 0 ? -rest : rest;
  *high = (1 - shift) / fabs(a), *low = (-1 - shift) / fabs(a);
  *tilt = b / a;
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
    double mid = r->tilt[j] * x, high = r->high[j] - mid, low = r->low[j] - mid;
    if (high < best_up) best_up = high, *up = (bound){r->high[j], r->tilt[j]};
    if (low > best_down) best_down = low, *down = (bound){r->low[j], r->tilt[j]};
  }
}

/* The least and the most u at x. A nearly upright line is far off at both ends, and so is by rounding what it says of u: each may
   be passed by as much as that, of which its own limit sees nothing, while the other lines do. */
static void reach(const room *r, double x, double *low, double *high) {
  *low = -1e300, *high = 1e300;
  for (int32_t j = 0; j < r->count; j++) {
    double mid = r->tilt[j] * x;
    *high = fmin(*high, r->high[j] - mid + ROUNDING * (fabs(r->high[j]) + fabs(mid)));
    *low = fmax(*low, r->low[j] - mid - ROUNDING * (fabs(r->low[j]) + fabs(mid)));
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
  if (p->points < 2 || p->rows < 1)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a path of speeds needs at least 2 points and 1 limit");
  for (int64_t k = 0; k + 1 < p->points; k++)
    if (!(p->length[k] > 0))
      return hik_fail(error, HIK_BAD_ARGUMENT, -1, "lengths must be above 0, interval %lld", (long long)k);
  for (int64_t k = 0; k < p->points; k++)
    if (!(p->cap[k] >= 0))
      return hik_fail(error, HIK_BAD_ARGUMENT, -1, "caps must be 0 or more, point %lld", (long long)k);
  return HIK_OK;
}

/* The lines of interval k in scratch. */
static room room_at(const hik_speed_path *p, const double *scratch, int64_t k) {
  size_t at = (size_t)k * (size_t)p->rows, all = (size_t)p->points * (size_t)p->rows;
  return (room){scratch + at, scratch + all + at, scratch + 2 * all + at, p->rows, 2 * p->length[k]};
}

hik_status hik_speed(const hik_speed_path *p, double *scratch, const hik_speed_found *found,
                     hik_error *error) {
  hik_status status = check(p, error);
  if (status < 0) return status;
  int64_t n = p->points;
  size_t rows = (size_t)p->rows, all = (size_t)n * rows;
  double *high = scratch, *low = high + all, *tilt = low + all, *cap = tilt + all;
  for (int64_t k = 0; k < n; k++) cap[k] = fmin(p->cap[k], 1e300);
  for (int64_t k = 0; k + 1 < n; k++)
    for (size_t j = (size_t)k * rows; j < ((size_t)k + 1) * rows; j++)
      line(p->push[j], p->pull[j], p->rest[j], 2 * p->length[k], high + j, low + j, tilt + j, &cap[k]);
  found->brake[n - 1] = 0;
  for (int64_t k = n - 2; k >= 0; k--) {
    const room r = room_at(p, scratch, k);
    found->brake[k] = largest(&r, cap[k], found->brake[k + 1]);
  }
  found->x[0] = 0, found->up[n - 1] = found->even[n - 1] = 0;
  for (int64_t k = 0; k + 1 < n; k++) {
    const room r = room_at(p, scratch, k);
    double x = found->x[k], low, high;
    reach(&r, x, &low, &high);
    double next = x + r.twice * high;
    next = next < 0 ? 0 : next > found->brake[k + 1] ? found->brake[k + 1] : next;
    found->up[k] = high, found->x[k + 1] = next;
    /* of a short interval what x changes by has lost its digits */
    found->even[k] = fmin(fmax((next - x) / r.twice, low), high);
  }
  return HIK_OK;
}
