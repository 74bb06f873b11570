/* between.c: see swing.h. Whether a ball keeps to its room on the whole of a way.

   Purpose    the limits of a ball are no box: a way between two rotations inside may leave them
   Given      both ends as (u, v, twist); how far the way turns, and how much its angular velocity changes
   Returned   radians beyond the room at most, anywhere on the way
   Outcomes   infinite where nothing is known: of halves of the way more is
   Notes      A curve leaves the chord of its ends by at most an eighth of its second derivative, and the distance to a convex
              region, along a chord, is the most at an end. The cone is convex in the plane of angles; there the bone's way has
              the second derivative turn^2 max(A, B) + (turn^2 / 2 + bend) r / sin r, with A = (r - sin r cos r) / sin^2 r and
              B = 2 (1 - r cot r) / sin r of the swing r: what the plane of angles adds to a way on the sphere, and what that
              has of its own, by a circle's curvature. All three rise with r, which is nowhere on the way more than half the
              sum of both ends' and the turn. Twist: twice the angle of p = (w, z) of the quaternion, |p| = cos(r / 2). Where
              a ball turns steadily p'' = -(turn / 2)^2 p, so p x p' never changes and the twist only rises or only falls;
              else its second derivative is at most 2 |p''| / |p| + 4 |p'|^2 / |p|^2. Limits of the twist that change with
              the swing are s(r / full) T(azimuth), see room.c, both with bounded second derivatives.
   Reference  own */
#include "model/swing.h"

/* How the plane of angles stretches and bends ways at a swing. */
typedef struct chart {
  double pull, bent;
} chart;

static chart chart_at(double r) {
  if (r < 0.05) return (chart){1.001, 0.7 * r};
  double s, c;
  hik_sincos(r, &s, &c);
  return (chart){r / s, fmax((r - s * c) / (s * s), 2 * (1 - r * c / s) / s)};
}

/* From the cone, in the plane of angles; 0 inside. */
static double off_cone(const hik_swing *s, const double uv[2]) {
  double ab[2], near[2];
  hik_swing_axes(s, uv, ab);
  double x = uv[0] / ab[0], y = uv[1] / ab[1];
  if (x * x + y * y <= 1) return 0;
  hik_ellipse_nearest(ab[0], ab[1], fabs(uv[0]), fabs(uv[1]), near);
  double u = fabs(uv[0]) - near[0], v = fabs(uv[1]) - near[1];
  return sqrt(u * u + v * v);
}

static double swing_between(const hik_swing *s, const double a[3], const double b[3], double turn,
                            double bend, double r, chart at) {
  if (s->corners > 0) {
    double from[3], to[3];
    hik_swing_direction(a, from), hik_swing_direction(b, to);
    return hik_polygon_between(s, from, to, turn, bend);
  }
  if (r <= fmin(fmin(s->half[0], s->half[1]), fmin(s->half[2], s->half[3]))) return 0;
  double second = turn * turn * at.bent + (0.5 * turn * turn + bend) * at.pull;
  return fmax(off_cone(s, a), off_cone(s, b)) + second / 8;
}

/* The second derivative of a limit of the twist at most, and twists that are inside at every swing. */
static double table_bends(const hik_swing *s, double turn, double bend, double r, chart at,
                          double always[2]) {
  double off = 0, first = 0, second = 0, square = turn * turn, full = s->full * s->full, p = at.pull,
         a = 0.5 * square + bend;
  always[0] = s->twist[0], always[1] = s->twist[1];
  for (int32_t k = 0; k < s->knots; k++) {
    const double *one = s->knot + 3 * (size_t)k, *two = s->knot + 3 * (size_t)((k + 1) % s->knots);
    double wide = two[0] - one[0] + (k + 1 == s->knots ? 2 * HIK_PI : 0);
    always[0] = fmax(always[0], one[1]), always[1] = fmin(always[1], one[2]);
    for (int i = 0; i < 2; i++) {
      double jump = fabs(two[1 + i] - one[1 + i]);
      off = fmax(off, fabs(one[1 + i] - s->twist[i]));
      first = fmax(first, 1.5 * jump / wide), second = fmax(second, 6 * jump / (wide * wide));
    }
  }
  return 6 * off / full * (square + p * square + r * a) + 6 * first / full * p * square +
         3 * second / full * p * p * square + 3 * first / full * (p * p * square + r * p * a);
}

static double twist_between(const hik_swing *s, const double a[3], const double b[3], double turn,
                            double bend, double r, chart at) {
  bool round = s->knots == 0 && s->twist[1] - s->twist[0] >= 2 * HIK_PI - 1e-12;
  double unused, c, low = fmin(a[2], b[2]), high = fmax(a[2], b[2]);
  if (round) return 0;
  hik_sincos(0.5 * r, &unused, &c);
  if (!(turn < 3 * c) || high - low > turn / c + 1e-9) return INFINITY; /* it may pass half a turn */
  double bends = turn * turn / (c * c) + 2 * (0.25 * turn * turn + 0.5 * bend) / c,
         more = bend > 0 ? bends / 8 : 0;
  if (s->knots == 0) return fmax(s->twist[0] - low, high - s->twist[1]) + more;
  double always[2], limit[2], beyond = -INFINITY, table = table_bends(s, turn, bend, r, at, always);
  if (low - more >= always[0] && high + more <= always[1]) return 0;
  for (int i = 0; i < 2; i++) {
    const double *x = i ? b : a;
    hik_twist_at(s, x, limit, NULL);
    beyond = fmax(beyond, fmax(limit[0] - x[2], x[2] - limit[1]));
  }
  return beyond + (table + bends) / 8;
}

double hik_swing_between(const hik_swing *s, const double a[3], const double b[3], double turn, double bend) {
  double r = 0.5 * (sqrt(a[0] * a[0] + a[1] * a[1]) + sqrt(b[0] * b[0] + b[1] * b[1]) + turn);
  if (!(r < HIK_PI - 1e-6)) return INFINITY;
  chart at = chart_at(r);
  double swing = fmax(swing_between(s, a, b, turn, bend, r, at), r - HIK_SWING_MOST);
  if (!(swing < INFINITY)) return swing;
  return fmax(0, fmax(swing, twist_between(s, a, b, turn, bend, r, at)));
}
