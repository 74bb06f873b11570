/* chart.c: see chart.h. */
#include "model/chart.h"

/* Where the ray x + t w leaves the ellipse of half-axes ab, t >= 0; 0 when it never was inside. */
static double leave_ellipse(const double ab[2], const double x[2], const double w[2]) {
  double p = x[0] / ab[0], q = x[1] / ab[1], r = w[0] / ab[0], s = w[1] / ab[1];
  double a = r * r + s * s, b = p * r + q * s, c = p * p + q * q - 1, root = b * b - a * c;
  return root > 0 ? fmax((sqrt(root) - b) / a, 0) : 0;
}

/* How far x may go along the unit vector w inside the cone, quadrant by quadrant: the two axes cut the ray into at
   most three pieces, and the region is convex, so that the ray leaves it once. */
static double ray_room(const hik_swing *cone, const double x[2], const double w[2]) {
  static const double whole[2] = {HIK_SWING_MOST, HIK_SWING_MOST};
  double cut[4] = {0, INFINITY, INFINITY, INFINITY}, back = leave_ellipse(whole, x, w);
  int pieces = 1;
  for (int i = 0; i < 2; i++)
    if (x[i] * w[i] < 0) cut[pieces++] = -x[i] / w[i];
  if (pieces == 3 && cut[2] < cut[1]) {
    double first = cut[2];
    cut[2] = cut[1], cut[1] = first;
  }
  cut[pieces] = INFINITY;
  for (int k = 0; k < pieces; k++) {
    double t = cut[k + 1] < INFINITY ? 0.5 * (cut[k] + cut[k + 1]) : cut[k] + 1, at[2], ab[2];
    for (int i = 0; i < 2; i++) at[i] = x[i] + t * w[i];
    hik_swing_axes(cone, at, ab);
    double leaves = leave_ellipse(ab, x, w);
    if (leaves <= cut[k + 1]) return fmin(leaves, back);
  }
  return 0;
}

static void columns_along(hik_chart *chart, const double n[2]) {
  chart->way[0][0] = n[0], chart->way[0][1] = n[1];
  chart->way[1][0] = -n[1], chart->way[1][1] = n[0];
}

/* A cone: column 0 along the normal, column 1 along the edge. */
static void chart_cone(hik_chart *chart) {
  const hik_swing *cone = chart->cone;
  double ab[2], n[2], *x = chart->x;
  hik_swing_axes(cone, x, ab);
  double r = x[0] / ab[0] * (x[0] / ab[0]) + x[1] / ab[1] * (x[1] / ab[1]);
  n[0] = x[0] / (ab[0] * ab[0]), n[1] = x[1] / (ab[1] * ab[1]);
  double size = sqrt(n[0] * n[0] + n[1] * n[1]);
  if (size > 1e-9)
    n[0] /= size, n[1] /= size;
  else
    n[0] = 1, n[1] = 0;
  bool at_edge = r > 1 - 1e-9;
  double far = sqrt(x[0] * x[0] + x[1] * x[1]);
  if (!at_edge && far > HIK_SWING_MOST * (1 - 1e-9)) n[0] = x[0] / far, n[1] = x[1] / far, at_edge = true;
  const double back[2] = {-n[0], -n[1]}, edge[2] = {-n[1], n[0]}, edge_back[2] = {n[1], -n[0]};
  chart->up[0] = at_edge ? 0 : ray_room(cone, x, n);
  chart->down[0] = -ray_room(cone, x, back);
  /* along the edge the region curves away at once: the move slides round it */
  chart->up[1] = at_edge ? INFINITY : ray_room(cone, x, edge);
  chart->down[1] = at_edge ? -INFINITY : -ray_room(cone, x, edge_back);
  columns_along(chart, n);
}

/* The move of (u, v) that takes the bone along the tangent t of the sphere; `back`: instead the slope in (u, v) of
   something whose slope on the sphere is t. */
static void tangent_to_plane(const double uv[2], const double t[3], bool back, double out[2]) {
  double r = sqrt(uv[0] * uv[0] + uv[1] * uv[1]), s, c, e[2] = {1, 0};
  hik_sincos(r, &s, &c);
  if (r > 1e-9) e[0] = uv[0] / r, e[1] = uv[1] / r;
  double k = r > 1e-6 ? s / r : 1, out_way = c * (e[0] * t[0] + e[1] * t[1]) - s * t[2];
  double round = e[0] * t[1] - e[1] * t[0];
  round = back ? round * k : round / fmax(k, 1e-6);
  out[0] = out_way * e[0] - round * e[1], out[1] = out_way * e[1] + round * e[0];
  double size = sqrt(out[0] * out[0] + out[1] * out[1]);
  if (size > 0) out[0] /= size, out[1] /= size;
}

/* A convex corner that the swing stands in: the columns go along its two edges, which bound both below. */
static bool chart_corner(hik_chart *chart, const hik_nearest *near) {
  const hik_swing *s = chart->cone;
  int32_t k = near->corner, n = s->corners;
  if (k < 0 || !(fabs(near->distance) < 1e-9)) return false;
  const double *before = s->edge + 3 * (size_t)((k + n - 1) % n), *after = s->edge + 3 * (size_t)k;
  const double *at = s->corner + 3 * (size_t)k;
  double on[3], back[3];
  hik_cross(after, at, on);    /* along the next edge */
  hik_cross(at, before, back); /* along the one before, backwards */
  if (!(hik_dot(before, on) > 1e-6)) return false;
  tangent_to_plane(chart->x, on, false, chart->way[0]);
  tangent_to_plane(chart->x, back, false, chart->way[1]);
  for (int i = 0; i < 2; i++) chart->down[i] = 0, chart->up[i] = INFINITY;
  return true;
}

/* A polygon: column 0 away from the nearest point of the edge's inside, column 1 along the edge. How far the other
   sides are is left to the clamp. */
static void chart_polygon(hik_chart *chart) {
  double d[3], t[3], n[2];
  hik_nearest near;
  hik_swing_direction(chart->x, d);
  hik_polygon_nearest(chart->cone, d, &near);
  if (chart_corner(chart, &near)) return;
  hik_scale3(-1, near.inward, t);
  if (near.corner >= 0 && near.distance < -1e-9) hik_sub3(near.point, d, t);
  hik_axpy3(t, -hik_dot(t, d), d, t);
  tangent_to_plane(chart->x, t, true, n);
  if (!(n[0] * n[0] + n[1] * n[1] > 0.5)) n[0] = 1, n[1] = 0;
  columns_along(chart, n);
  chart->up[0] = near.distance > -1e-9 ? 0 : -near.distance;
  chart->down[0] = chart->down[1] = -INFINITY, chart->up[1] = INFINITY;
}

/* Column 2 is the twist; the others take it along, so that its place in its range stays. */
static void chart_twist(hik_chart *chart) {
  double limit[2], slope[2][2], *x = chart->x;
  const hik_swing *s = chart->cone;
  chart->carried[0] = chart->carried[1] = chart->share = 0;
  if (s->knots > 0) {
    hik_twist_at(s, x, limit, slope);
    double width = limit[1] - limit[0];
    chart->share = width > 1e-12 ? hik_clip((x[2] - limit[0]) / width, 0, 1) : 0.5;
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < 2; i++)
        chart->carried[k] += chart->way[k][i] * (slope[0][i] + chart->share * (slope[1][i] - slope[0][i]));
  } else {
    hik_swing_twist(s, x, limit);
  }
  chart->down[2] = fmin(limit[0] - x[2], 0);
  chart->up[2] = fmax(limit[1] - x[2], 0);
}

void hik_chart_here(hik_chart *chart) {
  if (chart->cone->corners > 0)
    chart_polygon(chart);
  else
    chart_cone(chart);
  chart_twist(chart);
}

void hik_chart_make(hik_chart *chart, const double q[4]) {
  hik_swing_split(chart->cone, q, chart->x);
  hik_chart_here(chart);
}

void hik_chart_move(const hik_chart *chart, const double x[3], double in[3]) {
  const double *at = chart->x, (*w)[2] = chart->way;
  double limit[2];
  for (int i = 0; i < 2; i++) in[i] = at[i] + w[0][i] * x[0] + w[1][i] * x[1];
  in[2] = at[2];
  if (chart->cone->knots > 0 && (x[0] != 0 || x[1] != 0)) {
    hik_swing_clamp_swing(chart->cone, in);
    hik_twist_at(chart->cone, in, limit, NULL);
    in[2] = limit[0] + chart->share * (limit[1] - limit[0]);
  }
  in[2] += x[2];
}

/* Rotation vectors in the ball's moved frame of unit moves of its three columns, as the rows of out: the swing turns
   by f = (-v, u, 0), whose rate gives the angular velocity A(f) f' in its own moved frame, A the right Jacobian of
   the rotation group (Chirikjian 2012, eq. 10.86). */
void hik_chart_turns(const hik_chart *chart, double out[3][3]) {
  const double *x = chart->x, f[3] = {-x[1], x[0], 0};
  double angle = sqrt(x[0] * x[0] + x[1] * x[1]), s, c, a = 0.5, b = 1.0 / 6, ts, tc;
  hik_sincos(angle, &s, &c);
  if (angle > 1e-4) a = (1 - c) / (angle * angle), b = (angle - s) / (angle * angle * angle);
  hik_sincos(x[2], &ts, &tc);
  for (int k = 0; k < 2; k++) {
    double once[3], twice[3], w[3];
    const double rate[3] = {-chart->way[k][1], chart->way[k][0], 0};
    hik_cross(f, rate, once);
    hik_cross(f, once, twice);
    for (int i = 0; i < 3; i++) w[i] = rate[i] - a * once[i] + b * twice[i];
    const double turned[3] = {tc * w[0] + ts * w[1], tc * w[1] - ts * w[0], w[2] + chart->carried[k]};
    /* by the twist that follows, which the swing carries along */
    hik_mat_vec(chart->cone->axes, turned, out[k]);
  }
  hik_mat_column(chart->cone->axes, 2, out[2]);
}
