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

/* The plane's normal: the first turn's axis, or what is across two slides. False where these leave it open. */
static bool find_normal(const hik_loop *loop, const double (*z)[3], double normal[3]) {
  for (int i = 0; i < loop->n; i++)
    if (loop->kind[i] == TURN) {
      hik_copy3(z[i], normal);
      return true;
    }
  hik_cross(z[0], z[1], normal);
  return loop->n == 2 && !(hik_unit(normal, normal) < 1e-6);
}

/* Whether an axis keeps to the plane: a turn's along the normal, a slide's across it. */
static bool keeps(int32_t kind, double share, double tolerance) {
  return kind == TURN ? fabs(share) >= 1 - 0.5 * tolerance * tolerance - 1e-15 : fabs(share) <= tolerance;
}

/* Shadows of axes and tip on the plane. */
static void lay_flat(const hik_loop *loop, const hik_pose *at, const double (*z)[3], hik_planar *p) {
  int n = loop->n;
  hik_perpendicular(p->normal, p->across[0]);
  hik_cross(p->normal, p->across[0], p->across[1]);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < n; i++) p->at[i][k] = hik_dot(p->across[k], loop->kind[i] == TURN ? at[i].t : z[i]);
    p->tip[k] = hik_dot(p->across[k], at[n].t);
  }
  memcpy(p->turn, at[n].r, sizeof p->turn);
  p->n = n;
  memcpy(p->kind, loop->kind, sizeof p->kind);
}

bool hik_planar_test(const hik_loop *loop, const hik_pose *tip, double tolerance, hik_planar *p) {
  int n = loop->n;
  if (n < 2 || n > 3) return false;
  hik_pose at[4];
  double z[4][3];
  at[0] = hik_pose_identity;
  for (int i = 0; i < n; i++) hik_pose_mul(&at[i], i + 1 < n ? &loop->g[i] : tip, &at[i + 1]);
  for (int i = 0; i < n; i++) hik_mat_column(at[i].r, 2, z[i]);
  if (!find_normal(loop, z, p->normal)) return false;
  for (int i = 0; i < n; i++) {
    double c = hik_dot(z[i], p->normal);
    if (!keeps(loop->kind[i], c, tolerance)) return false;
    p->sign[i] = c < 0 ? -1 : 1;
  }
  lay_flat(loop, at, z, p);
  /* a slide and then a turn that the tip stands on: the turn does nothing to a position */
  return !(n == 2 && loop->kind[0] == SLIDE && loop->kind[1] == TURN &&
           length2(p->tip[0] - p->at[1][0], p->tip[1] - p->at[1][1]) < tolerance);
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

/* What is asked for, and what became of it. */
typedef struct quest {
  double goal[2], f; /* place of the tip, sum of the turns */
  bool whole;        /* the sum counts */
  int turn[3], slide[3], turns, slides;
  bool exact;
  uint8_t swings;
} quest;

/* Turns only: a triangle, whose third side the last link leaves where the sum counts. */
static int turns_only(const hik_planar *p, quest *q, double (*x)[3]) {
  const double *a = p->at[0], *b = p->at[1], *c = p->n == 3 ? p->at[2] : p->tip;
  double b1[2] = {b[0] - a[0], b[1] - a[1]}, b2[2] = {c[0] - b[0], c[1] - b[1]},
         b3[2] = {p->tip[0] - c[0], p->tip[1] - c[1]}, rest[2], v[2], two[2][2];
  turned(q->f, b3, rest);
  for (int k = 0; k < 2; k++) v[k] = q->goal[k] - a[k] - (p->n == 3 ? rest[k] : 0);
  int m = triangle(b1, b2, v, two, &q->exact);
  bool any = length2(v[0], v[1]) < MEETS, both = p->n == 2 && q->whole;
  if (any && !both) q->swings = p->n == 3 ? 5 : 1;
  for (int i = 0; i < m; i++) {
    if (both && any) two[i][0] = q->f - two[i][1];                           /* the tip on the first axis */
    if (both && length2(b2[0], b2[1]) < MEETS) two[i][1] = q->f - two[i][0]; /* or on the second */
    x[i][0] = two[i][0], x[i][1] = two[i][1], x[i][2] = q->f - two[i][0] - two[i][1];
  }
  return m;
}

/* Two slides, and what turns is known: two linear equations. Where the slides have become parallel one does for both. */
static int slides_only(const hik_planar *p, quest *q, double (*x)[3]) {
  bool turns = q->turns > 0;
  const double *pivot = turns ? p->at[q->turn[0]] : p->tip;
  double arm[2] = {p->tip[0] - pivot[0], p->tip[1] - pivot[1]}, rest[2], a[2], e[2][2];
  turned(turns ? q->f : 0, arm, rest);
  for (int k = 0; k < 2; k++) a[k] = q->goal[k] - pivot[k] - rest[k];
  for (int i = 0; i < 2; i++) turned(turns && q->slide[i] > q->turn[0] ? q->f : 0, p->at[q->slide[i]], e[i]);
  double det = e[0][0] * e[1][1] - e[0][1] * e[1][0];
  if (turns) x[0][q->turn[0]] = q->f;
  if (fabs(det) < 1e-12) {
    if (fabs(a[0] * e[0][1] - a[1] * e[0][0]) > MEETS) return 0;
    x[0][q->slide[0]] = a[0] * e[0][0] + a[1] * e[0][1];
    x[0][q->slide[1]] = 0;
    q->swings = (uint8_t)(1 << q->slide[0] | 1 << q->slide[1]);
    return 1;
  }
  x[0][q->slide[0]] = (a[0] * e[1][1] - a[1] * e[1][0]) / det;
  x[0][q->slide[1]] = (e[0][0] * a[1] - e[0][1] * a[0]) / det;
  return 1;
}

/* A turn that is known and a slide: as far as it has to go in its direction. */
static int slide_alone(const hik_planar *p, quest *q, double (*x)[3]) {
  const double *a = p->at[q->turn[0]], *u = p->at[q->slide[0]];
  double link[2] = {p->tip[0] - a[0], p->tip[1] - a[1]}, to[2], along_it[2];
  turned(q->f, link, to);
  turned(q->slide[0] > q->turn[0] ? q->f : 0, u, along_it);
  x[0][q->turn[0]] = q->f, x[0][q->slide[0]] = 0;
  for (int k = 0; k < 2; k++) x[0][q->slide[0]] += along_it[k] * (q->goal[k] - a[k] - to[k]);
  return 1;
}

/* One slide, and a link from the first turn to the second (or to the tip) that turns by an unknown angle. */
static int slide_and_link(const hik_planar *p, quest *q, double (*x)[3]) {
  int s = q->slide[0], n = p->n, m;
  const double *a = p->at[q->turn[0]], *b = n == 3 ? p->at[q->turn[1]] : p->tip;
  double link[2] = {b[0] - a[0], b[1] - a[1]}, last[2] = {p->tip[0] - b[0], p->tip[1] - b[1]};
  double rest[2], v[2], u[2] = {0, 0}, d[2];
  turned(n == 3 ? q->f : 0, last, rest);
  for (int k = 0; k < 2; k++) v[k] = q->goal[k] - a[k] - rest[k];
  bool moves = s > q->turn[0] && (n == 2 || s < q->turn[1]); /* the slide turns with the link */
  if (moves) {
    m = along(link, p->at[s], length2(v[0], v[1]), d, &q->exact);
  } else {
    turned(s > q->turn[0] && n == 3 ? q->f : 0, p->at[s], u);
    u[0] = -u[0], u[1] = -u[1];
    m = along(v, u, length2(link[0], link[1]), d, &q->exact);
  }
  for (int i = 0; i < m; i++) {
    double from[2] = {link[0], link[1]}, to[2] = {v[0], v[1]};
    for (int k = 0; k < 2; k++)
      if (moves)
        from[k] += d[i] * p->at[s][k];
      else
        to[k] += d[i] * u[k];
    if (length2(from[0], from[1]) < MEETS)
      q->swings = (uint8_t)(1 << q->turn[0] | (n == 3 ? 1 << q->turn[1] : 0));
    double turn_by = hik_atan2(from[0] * to[1] - from[1] * to[0], from[0] * to[0] + from[1] * to[1]);
    x[i][q->turn[0]] = turn_by, x[i][s] = d[i];
    if (n == 3) x[i][q->turn[1]] = q->f - turn_by;
  }
  return m;
}

/* Values counted about the normal, signs not yet applied. */
static int solve(const hik_planar *p, quest *q, double (*x)[3]) {
  for (int i = 0; i < p->n; i++)
    if (p->kind[i] == TURN)
      q->turn[q->turns++] = i;
    else
      q->slide[q->slides++] = i;
  if (q->slides == 0) return turns_only(p, q, x);
  if (q->slides == 2) return slides_only(p, q, x);
  return p->n == 2 && q->whole ? slide_alone(p, q, x) : slide_and_link(p, q, x);
}

int hik_planar_solve(const hik_planar *p, const hik_pose *goal, bool whole, double (*theta)[3], bool *exact,
                     uint8_t *swings) {
  double x[3], r[9];
  quest q = {.whole = whole || p->n == 3, .exact = true};
  for (int k = 0; k < 2; k++) q.goal[k] = hik_dot(p->across[k], goal->t);
  if (q.whole) { /* the frame's turn about the normal, from where it was at zero */
    hik_mat_mult(goal->r, p->turn, r);
    hik_mat_vec(r, p->across[0], x);
    q.f = hik_atan2(hik_dot(p->across[1], x), hik_dot(p->across[0], x));
  }
  int n = solve(p, &q, theta);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < p->n; k++) {
      theta[i][k] *= p->kind[k] == TURN ? p->sign[k] : 1;
      if (p->kind[k] == TURN) theta[i][k] = hik_wrap(theta[i][k]);
    }
  *exact = q.exact, *swings = q.swings;
  return n;
}
