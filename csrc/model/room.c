/* room.c: see swing.h. Spherical polygons and twists that depend on the swing.

   Purpose    the room of a ball that no ellipse describes: any number of directions joined by great circles, and a
              twist whose limits change with the way the bone swings
   Given      unit corners, the room on the left of each edge as seen from outside the sphere; rows of azimuth, lower
              and upper twist, ascending
   Returned   signed distance, nearest point of the edge, limits of the twist at a swing
   Notes      The nearest point of a polygon is that of its nearest edge, in closed form; the side on which a point lies
              is told by that edge, or at a corner by the sum of the two inward normals, so that the polygon need not
              be convex, star-shaped or smaller than half the sphere. The twist's limits at azimuth phi and swing r are
              (1 - s(r / full)) of those at rest + s(r / full) of those of the table, s(t) = 3 t^2 - 2 t^3, and so is
              the table between two rows: convex sums, so that the lower limit never passes the upper one.
   Reference  J. Wilhelms, A. Van Gelder, Fast and easy reach-cone joint limits, J. Graphics Tools 6 (2001), for the
              idea; distances and table are own. */
#include "model/swing.h"

enum { MANY = 16 }; /* edges from which on it pays to look for the nearest corner first */

static double chord2(const double a[3], const double b[3]) {
  double d[3];
  hik_sub3(a, b, d);
  return hik_dot(d, d);
}

/* The square of the chord to its first corner beyond which an edge has not the point nearest to d. */
static double most_chord2(const hik_swing *s, const double d[3]) {
  double best = INFINITY;
  if (s->corners < MANY) return INFINITY;
  for (int32_t k = 0; k < s->corners; k++) {
    double far = chord2(s->corner + 3 * (size_t)k, d);
    if (far < best) best = far; /* fmin is a call */
  }
  double most = sqrt(best) + s->longest + 1e-9;
  return most * most;
}

/* Nearest point of the arc from a to b of the great circle with normal n; true when it is not an end. */
static bool nearest_on_arc(const double *a, const double *b, const double *n, const double d[3],
                           double out[3]) {
  double p[3], from[3], to[3];
  hik_axpy3(d, -hik_dot(n, d), n, p);
  if (hik_unit(p, p) > 1e-12) {
    hik_cross(a, p, from);
    hik_cross(p, b, to);
    if (hik_dot(from, n) > 0 && hik_dot(to, n) > 0) {
      hik_copy3(p, out);
      return true;
    }
  }
  hik_copy3(chord2(a, d) <= chord2(b, d) ? a : b, out);
  return false;
}

void hik_polygon_nearest(const hik_swing *s, const double d[3], hik_nearest *out) {
  int32_t n = s->corners;
  double best = INFINITY, most = most_chord2(s, d);
  *out = (hik_nearest){.distance = NAN, .corner = -1};
  hik_copy3(d, out->point);
  if (!hik_all_finite(d, 3)) return; /* nearest to nothing */
  for (int32_t k = 0; k < n; k++) {
    const double *a = s->corner + 3 * (size_t)k, *b = s->corner + 3 * (size_t)((k + 1) % n);
    double p[3];
    if (chord2(a, d) > most) continue;
    bool inner = nearest_on_arc(a, b, s->edge + 3 * (size_t)k, d, p);
    double far = chord2(p, d);
    if (!(far < best)) continue;
    best = far;
    hik_copy3(p, out->point);
    out->edge = k;
    out->corner = inner ? -1 : chord2(p, a) <= chord2(p, b) ? k : (k + 1) % n;
  }
  const double *own = s->edge + 3 * (size_t)out->edge;
  hik_copy3(own, out->inward);
  if (out->corner >= 0) {
    hik_add3(s->edge + 3 * (size_t)((out->corner + n - 1) % n), s->edge + 3 * (size_t)out->corner,
             out->inward);
    hik_unit(out->inward, out->inward);
  }
  out->distance = 2 * hik_asin(fmin(0.5 * sqrt(best), 1));
  if (hik_dot(out->inward, d) >= 0) out->distance = -out->distance;
  if (out->corner >= 0) return; /* beside a corner by rounding alone: in it */
  int32_t next = (out->edge + 1) % n;
  if (chord2(out->point, s->corner + 3 * (size_t)out->edge) < 1e-20) out->corner = out->edge;
  if (chord2(out->point, s->corner + 3 * (size_t)next) < 1e-20) out->corner = next;
}

double hik_polygon_excess(const hik_swing *s, const double uv[2]) {
  double d[3];
  hik_nearest near;
  hik_swing_direction(uv, d);
  hik_polygon_nearest(s, d, &near);
  return near.distance;
}

double hik_polygon_between(const hik_swing *s, const double a[3], const double b[3], double turn,
                           double bend) {
  double near[3], low = 0, sine = 1, most = 1.01 * turn + 1e-9;
  hik_nearest at[2];
  hik_polygon_nearest(s, a, at), hik_polygon_nearest(s, b, at + 1);
  double ends = fmax(at[0].distance, at[1].distance),
         far = 0.5 * (at[0].distance + at[1].distance + turn); /* by the distance's slope, which is 1 */
  if (far <= 0 || turn > 1) return far <= 0 ? far : INFINITY;
  for (int32_t k = 0, n = s->corners; k < n; k++) {
    const double *edge = s->edge + 3 * (size_t)k;
    nearest_on_arc(s->corner + 3 * (size_t)k, s->corner + 3 * (size_t)((k + 1) % n), edge, a, near);
    if (chord2(near, a) > most * most) continue;
    low = fmin(low, fmin(hik_dot(edge, a), hik_dot(edge, b)) - (turn * turn + bend) / 8);
    for (int32_t i = 0; i < 2;
         i++) { /* at a sharp corner a point may be beyond both edges, and farther from the room */
      const double *one = s->edge + 3 * (size_t)((k + i + n - 1) % n),
                   *two = s->edge + 3 * (size_t)((k + i) % n);
      double turned[3], sum[3];
      hik_cross(one, two, turned), hik_add3(one, two, sum);
      if (hik_dot(turned, s->corner + 3 * (size_t)((k + i) % n)) > 0) sine = fmin(sine, 0.5 * hik_norm(sum));
    }
  }
  return sine > 1e-6 ? fmax(ends, hik_asin(fmin(-low / sine, 1))) : INFINITY;
}

bool hik_polygon_clamp(const hik_swing *s, double uv[2]) {
  double d[3];
  hik_nearest near;
  hik_swing_direction(uv, d);
  hik_polygon_nearest(s, d, &near);
  if (!(near.distance > 1e-14)) return false;
  hik_swing_of_direction(near.point, uv);
  return true;
}

/* s(t) and its derivative. */
static double smooth(double t, double *slope) {
  t = hik_clip(t, 0, 1);
  *slope = 6 * t * (1 - t);
  return t * t * (3 - 2 * t);
}

void hik_twist_at(const hik_swing *s, const double uv[2], double limit[2], double slope[2][2]) {
  double r = sqrt(uv[0] * uv[0] + uv[1] * uv[1]), azimuth = hik_atan2(uv[1], uv[0]), dout, din;
  double out = smooth(r / s->full, &dout);
  int32_t k = 0;
  while (k < s->knots && s->knot[3 * (size_t)k] <= azimuth) k++;
  const double *b = s->knot + 3 * (size_t)(k % s->knots),
               *a = s->knot + 3 * (size_t)((k + s->knots - 1) % s->knots);
  double width = b[0] - a[0], along = azimuth - a[0];
  if (k == s->knots || k == 0) width += 2 * HIK_PI;
  if (k == 0) along += 2 * HIK_PI;
  double in = smooth(along / width, &din);
  for (int i = 0; i < 2; i++) {
    double rest = s->twist[i], table = (1 - in) * a[1 + i] + in * b[1 + i];
    limit[i] = (1 - out) * rest + out * table;
    if (!slope) continue;
    slope[i][0] = slope[i][1] = 0;
    if (!(r > 1e-9)) continue;
    double radial = dout / s->full * (table - rest), round = out * din / width * (b[1 + i] - a[1 + i]) / r;
    slope[i][0] = (radial * uv[0] - round * uv[1]) / r;
    slope[i][1] = (radial * uv[1] + round * uv[0]) / r;
  }
}

/* ---- laying out and checking ---- */

static void frame_of(const double a[3], const double b[3], double n[3]) {
  hik_cross(a, b, n);
  hik_unit(n, n);
}

/* True when the arcs a-b and c-d, which share no corner, meet or come within 1e-9. */
static bool arcs_meet(const double *a, const double *b, const double *n, const double *c, const double *d,
                      const double *m) {
  double p[3];
  const double *ends[2] = {c, d}, *others[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    nearest_on_arc(a, b, n, ends[i], p);
    if (chord2(p, ends[i]) < 1e-18) return true;
    nearest_on_arc(c, d, m, others[i], p);
    if (chord2(p, others[i]) < 1e-18) return true;
  }
  if (!((hik_dot(n, c) > 0) != (hik_dot(n, d) > 0) && (hik_dot(m, a) > 0) != (hik_dot(m, b) > 0)))
    return false;
  hik_cross(n, m, p); /* the circles cross at +-p; both arcs change sides: at the same one? */
  double q[3], u[3];
  hik_add3(a, b, q);
  hik_add3(c, d, u);
  return (hik_dot(p, q) > 0) == (hik_dot(p, u) > 0);
}

/* The cap that holds the room: about the middle of the corners, or everything. */
static void set_cap(hik_swing *s) {
  double sum[3] = {0, 0, 0}, least = 1;
  s->cap[0] = 0, s->cap[1] = 0, s->cap[2] = 1, s->cap[3] = -1;
  for (int32_t k = 0; k < s->corners; k++) hik_add3(sum, s->corner + 3 * (size_t)k, sum);
  if (!(hik_unit(sum, sum) > 1e-6)) return;
  for (int32_t k = 0; k < s->corners; k++) least = fmin(least, hik_dot(sum, s->corner + 3 * (size_t)k));
  const double far[3] = {-sum[0], -sum[1], -sum[2]};
  hik_nearest near;
  hik_polygon_nearest(s, far, &near);
  if (!(least > 0) || near.distance <= 0) return;
  hik_copy3(sum, s->cap);
  s->cap[3] = least;
}

const char *hik_polygon_set(hik_swing *s, const double *angles, int32_t n, double *corner, double *edge) {
  s->corner = corner, s->edge = edge, s->corners = n, s->longest = 0;
  if (n < 3) return "it needs three directions or more";
  for (int32_t k = 0; k < n; k++) {
    double azimuth = angles[2 * (size_t)k], swing = angles[2 * (size_t)k + 1], sine, cosine, c, r;
    if (!(fabs(azimuth) <= 1e3 && swing >= 0 && swing <= HIK_PI))
      return "a direction's azimuth is not finite, or its swing not between 0 and pi";
    hik_sincos(azimuth, &sine, &c);
    hik_sincos(swing, &r, &cosine);
    double *out = corner + 3 * (size_t)k;
    out[0] = r * c, out[1] = r * sine, out[2] = cosine;
    hik_unit(out, out);
  }
  static const double back[3] = {0, 0, -1};
  for (int32_t k = 0; k < n; k++) {
    const double *a = corner + 3 * (size_t)k, *b = corner + 3 * (size_t)((k + 1) % n);
    double p[3];
    s->longest = fmax(s->longest, sqrt(chord2(a, b)));
    if (chord2(a, b) < 1e-12) return "two directions in a row are the same";
    if (chord2(a, b) > 4 - 1e-12) return "two directions in a row are opposite";
    frame_of(a, b, edge + 3 * (size_t)k);
    nearest_on_arc(a, b, edge + 3 * (size_t)k, back, p);
    if (chord2(p, back) < 1e-8) return "its edge passes through the direction opposite to the bone at rest";
  }
  for (int32_t k = 0; k < n; k++) {
    const double *a = corner + 3 * (size_t)k, *b = corner + 3 * (size_t)((k + 1) % n);
    for (int32_t j = k + 1; j < n; j++) {
      const double *c = corner + 3 * (size_t)j, *d = corner + 3 * (size_t)((j + 1) % n);
      double p[3];
      if (j == k + 1 || (k == 0 && j == n - 1)) { /* neighbours meet at one corner only */
        const double *other = j == k + 1 ? d : c, *mine = j == k + 1 ? a : b;
        nearest_on_arc(a, b, edge + 3 * (size_t)k, other, p);
        if (chord2(p, other) < 1e-18) return "its edge folds back on itself";
        nearest_on_arc(c, d, edge + 3 * (size_t)j, mine, p);
        if (chord2(p, mine) < 1e-18) return "its edge folds back on itself";
        continue;
      }
      if (arcs_meet(a, b, edge + 3 * (size_t)k, c, d, edge + 3 * (size_t)j)) return "its edge crosses itself";
    }
  }
  set_cap(s);
  return NULL;
}

const char *hik_twists_set(hik_swing *s, const double *rows, int32_t n, double full, double *knot) {
  s->knot = knot, s->knots = n, s->full = full;
  if (!(full > 0 && full <= HIK_PI))
    return "the swing at which its twist table holds is not between 0 and pi";
  for (int32_t k = 0; k < n; k++) {
    const double *row = rows + 3 * (size_t)k;
    if (!(row[0] >= -HIK_PI && row[0] < HIK_PI) || (k > 0 && !(row[0] > row[-3] + 1e-6)))
      return "the azimuths of its twist table do not rise from -pi to less than pi";
    if (!(row[1] <= row[2] && row[1] >= -HIK_PI && row[2] <= HIK_PI))
      return "a row of its twist table is no range inside +-pi";
  }
  memcpy(knot, rows, 3 * (size_t)n * sizeof *knot);
  return NULL;
}

void hik_swing_core(const hik_swing *s, double *round, double twist[2]) {
  double unused;
  twist[0] = s->twist[0], twist[1] = s->twist[1];
  for (int32_t k = 0; k < s->knots; k++) {
    twist[0] = fmax(twist[0], s->knot[3 * (size_t)k + 1]);
    twist[1] = fmin(twist[1], s->knot[3 * (size_t)k + 2]);
  }
  *round = 2; /* none is surely inside */
  if (s->held || twist[0] > twist[1]) {
    twist[1] = fmax(twist[0], twist[1]);
    return;
  }
  if (s->corners == 0) {
    hik_sincos(fmin(fmin(fmin(s->half[0], s->half[1]), fmin(s->half[2], s->half[3])), HIK_PI), &unused,
               round);
    return;
  }
  const double uv[2] = {0, 0};
  double inside = -hik_polygon_excess(s, uv);
  if (inside > 0) hik_sincos(fmin(inside, HIK_PI), &unused, round);
}

/* ---- points inside ---- */

/* The direction of the cap at (u, w) of the unit square, uniform in area. */
static void in_cap(const double cap[4], double u, double w, double d[3]) {
  static const double z[3] = {0, 0, 1};
  double c = 1 - u * (1 - cap[3]), s = sqrt(fmax(0, 1 - c * c)), sine, cosine, turn[9];
  hik_sincos(2 * HIK_PI * w, &sine, &cosine);
  const double local[3] = {s * cosine, s * sine, c};
  if (cap[2] < -0.999999) { /* half a turn about x */
    d[0] = local[0], d[1] = -local[1], d[2] = -local[2];
    return;
  }
  hik_mat_minimal(z, cap, turn);
  hik_mat_vec(turn, local, d);
}

/* Uniform in the plane of angles of the cone, by rejection from its box. */
static void draw_in_cone(const hik_swing *s, hik_rng *rng, double uv[2]) {
  double wide[4], ab[2];
  for (int i = 0; i < 4; i++) wide[i] = fmin(s->half[i], HIK_SWING_MOST);
  do {
    uv[0] = -wide[2] + hik_rng_uniform(rng) * (wide[0] + wide[2]);
    uv[1] = -wide[3] + hik_rng_uniform(rng) * (wide[1] + wide[3]);
    hik_swing_axes(s, uv, ab);
  } while (uv[0] / ab[0] * (uv[0] / ab[0]) + uv[1] / ab[1] * (uv[1] / ab[1]) > 1 ||
           uv[0] * uv[0] + uv[1] * uv[1] > HIK_SWING_MOST * HIK_SWING_MOST);
}

/* From the first try at (u, w), then at random, until one is inside. */
static void draw_in_polygon(const hik_swing *s, double u, double w, hik_rng *rng, double uv[2]) {
  hik_nearest near;
  double d[3];
  for (int i = 0; i < 10000; i++) {
    in_cap(s->cap, u, w, d);
    hik_polygon_nearest(s, d, &near);
    if (near.distance <= 0) break;
    u = hik_rng_uniform(rng), w = hik_rng_uniform(rng);
  }
  hik_swing_of_direction(near.distance <= 0 ? d : near.point, uv);
}

/* The twist at `share` of its range at the swing x[0], x[1]; then all of it into q. */
static void finish(const hik_swing *s, double share, double x[3], double q[4]) {
  double limit[2];
  x[2] = 0;
  hik_swing_clamp_swing(s, x);
  hik_swing_twist(s, x, limit);
  x[2] = limit[0] + share * (limit[1] - limit[0]);
  hik_swing_clamp(s, x);
  hik_swing_join(s, x, q);
}

void hik_swing_random(const hik_swing *s, hik_rng *rng, double q[4]) {
  double x[3];
  if (s->held) {
    memcpy(q, s->hold, sizeof s->hold);
    return;
  }
  if (s->corners > 0) {
    double u = hik_rng_uniform(rng), w = hik_rng_uniform(rng);
    draw_in_polygon(s, u, w, rng, x);
  } else {
    draw_in_cone(s, rng, x);
  }
  finish(s, hik_rng_uniform(rng), x, q);
}

void hik_swing_spread(const hik_swing *s, const double u[3], double q[4]) {
  double x[3];
  if (s->corners > 0) {
    hik_rng rng = hik_rng_start((uint64_t)(u[0] * 4503599627370496.0), (uint64_t)(u[1] * 4503599627370496.0));
    draw_in_polygon(s, u[0], u[1], &rng, x);
  } else {
    double sine, cosine, r = sqrt(u[0]), ab[2];
    hik_sincos(2 * HIK_PI * u[1], &sine, &cosine);
    const double side[2] = {cosine, sine};
    hik_swing_axes(s, side, ab);
    /* the edge that way, or the back of the sphere before it */
    double far = sqrt(cosine * ab[0] * (cosine * ab[0]) + sine * ab[1] * (sine * ab[1]));
    if (far > HIK_SWING_MOST) r *= HIK_SWING_MOST / far;
    x[0] = r * cosine * ab[0], x[1] = r * sine * ab[1];
  }
  finish(s, u[2], x, q);
}
