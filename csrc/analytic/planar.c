/* planar.c: planar arms of two and three joints, RR RP PR PP RRR RRP RPR PRR RPP PRP PPR.

   Purpose:  both postures (elbow up and down) of a planar arm.
   Given:    a planar pose: position, and turn when there are three joints.
   Returned: at most two postures; elbow order: the first bends left (positive angle at the elbow).
   Outcomes: out of reach gives the nearest with the wanted turn, and `exact` false.
   Notes:    with turns a, b, c at points A, B, C of the plane, tip at E, f the sum of the turns, and slides d along u:
             tip = A + R(a) (B - A) + R(a + b) (C - B) + R(f) (E - C), each slide added in the frame it stands in. f is
             known, so three turns leave a triangle, two turns and a slide a circle cut by a line, and one turn a
             linear system. An arm of two joints gets a turn of its own at the tip, and f is then free: the tip stands
             at E = C, and f is not needed.
   Reference: Craig, Introduction to Robotics, 3rd edition, section 4.4. */
#include "analytic/planar.h"

enum { TURN, SLIDE };
#define MEETS 1e-10 /* a distance that is none */

static double length2(double x, double y) { return sqrt(x * x + y * y); }

bool hik_planar_test(const hik_loop *loop, const hik_pose *tip, double tolerance, hik_planar *p) {
  int n = loop->n;
  if (n < 2 || n > 3) return false;
  hik_pose at[4];
  at[0] = hik_pose_identity;
  for (int i = 0; i < n; i++) hik_pose_mul(&at[i], i + 1 < n ? &loop->g[i] : tip, &at[i + 1]);
  double z[4][3];
  int turns = 0, first = -1;
  for (int i = 0; i < n; i++) {
    hik_mat_column(at[i].r, 2, z[i]);
    if (loop->kind[i] == TURN && turns++ == 0) first = i;
  }
  if (first >= 0) {
    hik_copy3(z[first], p->normal);
  } else { /* slides only: their common normal */
    hik_cross(z[0], z[1], p->normal);
    if (n == 3 || hik_unit(p->normal, p->normal) < 1e-6) return false;
  }
  for (int i = 0; i < n; i++) {
    double c = hik_dot(z[i], p->normal);
    if (loop->kind[i] == TURN ? !(fabs(c) >= 1 - 0.5 * tolerance * tolerance - 1e-15)
                              : !(fabs(c) <= tolerance))
      return false;
    p->sign[i] = c < 0 ? -1 : 1;
  }
  hik_perpendicular(p->normal, p->across[0]);
  hik_cross(p->normal, p->across[0], p->across[1]);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 2; k++) p->at[i][k] = hik_dot(p->across[k], loop->kind[i] == TURN ? at[i].t : z[i]);
  for (int k = 0; k < 2; k++) p->tip[k] = hik_dot(p->across[k], at[n].t);
  memcpy(p->turn, at[n].r, sizeof p->turn);
  p->n = n;
  memcpy(p->kind, loop->kind, sizeof p->kind);
  if (n == 3 && turns == 0) return false;
  if (n == 2 &&
      turns == 1) { /* the slide must not be a mere radius through the axis with no way to turn: it may */
    int s = loop->kind[0] == SLIDE ? 0 : 1;
    if (s == 0 && length2(p->tip[0] - p->at[1][0], p->tip[1] - p->at[1][1]) < tolerance) return false;
  }
  return true;
}

static void turned(double angle, const double v[2], double out[2]) {
  double s, c;
  hik_sincos(angle, &s, &c);
  out[0] = c * v[0] - s * v[1], out[1] = s * v[0] + c * v[1];
}

/* |v + d u| = r: two values of d, or the one that comes nearest. */
static int along(const double v[2], const double u[2], double r, double d[2], bool *exact) {
  double foot = -(v[0] * u[0] + v[1] * u[1]), w = v[0] * u[1] - v[1] * u[0], square = r * r - w * w;
  *exact = square >= -1e-12;
  if (square <= 1e-24) {
    d[0] = foot;
    return 1;
  }
  d[0] = foot + sqrt(square), d[1] = foot - sqrt(square);
  return 2;
}

/* Two links b1, b2 (vectors at zero) that must reach v: angle of the first, and of the second against the first. */
static int triangle(const double b1[2], const double b2[2], const double v[2], double (*x)[2], bool *exact) {
  double l1 = length2(b1[0], b1[1]), l2 = length2(b2[0], b2[1]), r = length2(v[0], v[1]);
  double bend = hik_atan2(b1[0] * b2[1] - b1[1] * b2[0], b1[0] * b2[0] + b1[1] * b2[1]);
  double c = (r * r - l1 * l1 - l2 * l2) / (l1 * l2 > 1e-12 ? 2 * l1 * l2 : 1);
  *exact = r <= l1 + l2 + 1e-12 && r >= fabs(l1 - l2) - 1e-12;
  if (l1 * l2 <= 1e-12) c = 1;
  c = hik_clip(c, -1, 1);
  double s = sqrt((1 - c) * (1 + c));
  int n = s > 1e-12 ? 2 : 1;
  for (int k = 0; k < n; k++) {
    double e = k ? -s : s, elbow = hik_atan2(e, c); /* between the links */
    double reach[2] = {l1 + l2 * c, l2 * e}, lean = hik_atan2(reach[1], reach[0]);
    double toward = r > 1e-12 ? hik_atan2(v[1], v[0]) : 0;
    double start = l1 > 0 ? hik_atan2(b1[1], b1[0]) : hik_atan2(b2[1], b2[0]);
    x[k][0] = toward - lean - start;
    x[k][1] = elbow - (l1 > 0 ? bend : 0);
  }
  return n;
}

/* Values counted about the normal, signs not yet applied. `f`: sum of the turns when n = 3. */
static int solve(const hik_planar *p, const double goal[2], double f, double (*x)[3], bool *exact,
                 uint8_t *swings) {
  int turn[3], slide[3], turns = 0, slides = 0, n = p->n;
  double rest[2], v[2], u[2] = {0, 0}, d[2], two[2][2];
  for (int i = 0; i < n; i++)
    if (p->kind[i] == TURN)
      turn[turns++] = i;
    else
      slide[slides++] = i;
  *exact = true, *swings = 0;
  uint8_t turning = turns ? (uint8_t)(1 << turn[0] | (n == 3 ? 1 << turn[turns - 1] : 0)) : 0;
  if (slides == 0) {
    const double *a = p->at[0], *b = p->at[1], *c = n == 3 ? p->at[2] : p->tip;
    double b1[2] = {b[0] - a[0], b[1] - a[1]}, b2[2] = {c[0] - b[0], c[1] - b[1]},
           b3[2] = {p->tip[0] - c[0], p->tip[1] - c[1]};
    turned(f, b3, rest);
    for (int k = 0; k < 2; k++) v[k] = goal[k] - a[k] - (n == 3 ? rest[k] : 0);
    int m = triangle(b1, b2, v, two, exact);
    if (length2(v[0], v[1]) < MEETS) *swings = turning;
    for (int i = 0; i < m; i++) x[i][0] = two[i][0], x[i][1] = two[i][1], x[i][2] = f - two[i][0] - two[i][1];
    return m;
  }
  if (slides + (n == 3) == 3 || (slides == 2 && n == 2)) { /* turns are known: two linear equations */
    double a[2] = {0, 0}, e[2][2];
    const double *pivot = turns ? p->at[turn[0]] : p->tip;
    double arm[2] = {p->tip[0] - pivot[0], p->tip[1] - pivot[1]};
    turned(turns ? f : 0, arm, rest);
    for (int k = 0; k < 2; k++) a[k] = goal[k] - pivot[k] - rest[k];
    for (int i = 0; i < 2; i++) turned(turns && slide[i] > turn[0] ? f : 0, p->at[slide[i]], e[i]);
    double det = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    if (fabs(det) < 1e-12) return 0;
    if (turns) x[0][turn[0]] = f;
    x[0][slide[0]] = (a[0] * e[1][1] - a[1] * e[1][0]) / det;
    x[0][slide[1]] = (e[0][0] * a[1] - e[0][1] * a[0]) / det;
    return 1;
  }
  /* one slide, and a link from the first turn to the second (or to the tip) that turns by an unknown angle */
  int s = slide[0];
  const double *a = p->at[turn[0]], *b = n == 3 ? p->at[turn[1]] : p->tip;
  double link[2] = {b[0] - a[0], b[1] - a[1]}, last[2] = {p->tip[0] - b[0], p->tip[1] - b[1]};
  turned(n == 3 ? f : 0, last, rest);
  for (int k = 0; k < 2; k++) v[k] = goal[k] - a[k] - rest[k];
  bool moves = s > turn[0] && (n == 2 || s < turn[1]); /* the slide turns with the link */
  int m;
  if (moves) {
    m = along(link, p->at[s], length2(v[0], v[1]), d, exact);
  } else {
    turned(s > turn[0] && n == 3 ? f : 0, p->at[s], u);
    u[0] = -u[0], u[1] = -u[1];
    m = along(v, u, length2(link[0], link[1]), d, exact);
  }
  for (int i = 0; i < m; i++) {
    double from[2] = {link[0], link[1]}, to[2] = {v[0], v[1]};
    for (int k = 0; k < 2; k++)
      if (moves)
        from[k] += d[i] * p->at[s][k];
      else
        to[k] += d[i] * u[k];
    if (length2(from[0], from[1]) < MEETS) *swings = turning;
    double turn_by = hik_atan2(from[0] * to[1] - from[1] * to[0], from[0] * to[0] + from[1] * to[1]);
    x[i][turn[0]] = turn_by, x[i][s] = d[i];
    if (n == 3) x[i][turn[1]] = f - turn_by;
  }
  return m;
}

int hik_planar_solve(const hik_planar *p, const hik_pose *goal, double (*theta)[3], bool *exact,
                     uint8_t *swings) {
  double at[2], x[3], r[9], f = 0;
  for (int k = 0; k < 2; k++) at[k] = hik_dot(p->across[k], goal->t);
  if (p->n == 3) { /* the frame's turn about the normal, from where it was at zero */
    hik_mat_mult(goal->r, p->turn, r);
    hik_mat_vec(r, p->across[0], x);
    f = hik_atan2(hik_dot(p->across[1], x), hik_dot(p->across[0], x));
  }
  int n = solve(p, at, f, theta, exact, swings);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < p->n; k++) {
      theta[i][k] *= p->kind[k] == TURN ? p->sign[k] : 1;
      if (p->kind[k] == TURN) theta[i][k] = hik_wrap(theta[i][k]);
    }
  return n;
}
