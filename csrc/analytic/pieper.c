/* pieper.c: closed forms for three axes that meet and for three parallel axes.

   Purpose:  every posture of arms with a wrist (or shoulder, or elbow) of three concurrent axes, the other three joints
             turning or sliding; and of arms with three consecutive parallel axes.
   Given:    the loop, shifted so that the special three stand where pieper.h says.
   Returned: postures; `free` tells of a singular one whose family is given by one representative.
   Outcomes: none when the pose is out of reach.
   Notes:    1. Meeting axes: the point where they meet, seen from joint 2 before and after it, gives what joint 2 keeps
                (its share along the axis and its length; the two shares across for a slide): two equations that bind
                joints 1 and 3, each linear in (cos, sin) or (d, d^2). Then three turns fix the orientation.
             2. Parallel axes: what the three joints cannot change is the direction h of the axes and the shift along
                it. h carried round the rest of the loop, seen from joint 5: again two equations that bind 4 and 6.
                The rest is a planar arm of two links and a turn. Where one of joints 4 5 6 slides the other two carry h
                round, and the slide follows by one linear equation.
   Reference: Pieper, "The kinematics of manipulators under computer control", Stanford AIM-72, 1968. */
#include "analytic/pieper.h"

enum { TURN, SLIDE };

/* fmax without its call: the second when either is not a number. */
static double larger(double a, double b) { return a > b ? a : b; }

static double length2(double x, double y) { return sqrt(x * x + y * y); }

static void turn_xy(const hik_unknown *u, const double in[3], double out[3]) {
  double x = u->x * in[0] - u->y * in[1], y = u->y * in[0] + u->x * in[1];
  out[0] = x, out[1] = y, out[2] = in[2];
}

static void move_point(int32_t kind, const hik_unknown *u, const double in[3], double out[3]) {
  if (kind == TURN)
    turn_xy(u, in, out);
  else
    out[0] = in[0], out[1] = in[1], out[2] = in[2] + u->x;
}

static void unmove_point(int32_t kind, const hik_unknown *u, const double in[3], double out[3]) {
  hik_unknown back = {kind == TURN ? u->x : -u->x, -u->y};
  move_point(kind, &back, in, out);
}

/* The turn about z that takes the shadow of `from` onto that of `to`; free when there is none. */
static hik_unknown turn_onto(const double from[3], const double to[3], bool *is_free) {
  double c = from[0] * to[0] + from[1] * to[1], s = from[0] * to[1] - from[1] * to[0],
         n = sqrt(c * c + s * s);
  *is_free = n < 1e-14;
  return *is_free ? (hik_unknown){1, 0} : (hik_unknown){c / n, s / n};
}

/* Greatest difference of the turned `from` to `to`. */
static double off(const hik_unknown *u, const double from[3], const double to[3]) {
  double x[3];
  turn_xy(u, from, x);
  return larger(fabs(x[0] - to[0]), larger(fabs(x[1] - to[1]), fabs(x[2] - to[2])));
}

int hik_three_turns(const double *g4, const double *g5, const double *m, double (*turn)[3], double *error,
                    bool *is_free) {
  double u[3] = {g4[6], g4[7], g4[8]}, w[3] = {g5[2], g5[5], g5[8]}, to[3] = {m[2], m[5], m[8]}, from[3],
         k[9], l[9];
  double b[2] = {u[0] * w[0] + u[1] * w[1], u[1] * w[0] - u[0] * w[1]};
  hik_unknown middle[2];
  bool lost, square = fabs(u[2]) < 1e-15 && fabs(w[2]) < 1e-15;
  int n = hik_one_equation(TURN, u[2] * w[2] - m[8], b, HIK_NEAR, middle, &lost);
  for (int i = 0; i < n; i++) {
    if (i == 1 && square && !is_free[0]) { /* right angles: the other answer is the wrist flipped over */
      double mean = hik_atan2(b[1], b[0]), half = HIK_PI;
      turn[1][0] = turn[0][0] > 0 ? turn[0][0] - half : turn[0][0] + half;
      turn[1][1] = hik_wrap(2 * mean - turn[0][1]);
      turn[1][2] = turn[0][2] > 0 ? turn[0][2] - half : turn[0][2] + half;
      error[1] = error[0], is_free[1] = false;
      return 2;
    }
    turn_xy(&middle[i], w, from);
    hik_mat_vec(g4, from, from);
    hik_unknown first = turn_onto(from, to, &is_free[i]);
    is_free[i] = is_free[i] || lost;
    /* k = R4 G4 R5 G5, then R6 = k' m from the first column */
    hik_mat_turn_z(g4, middle[i].x, middle[i].y, l);
    hik_mat_mul(l, g5, k);
    double c = first.x, s = first.y, x[3] = {m[0], m[3], m[6]};
    double y[3] = {c * x[0] + s * x[1], c * x[1] - s * x[0], x[2]};
    double cc = k[0] * y[0] + k[3] * y[1] + k[6] * y[2], ss = k[1] * y[0] + k[4] * y[1] + k[7] * y[2];
    error[i] = larger(off(&first, from, to), fabs(cc * cc + ss * ss - 1));
    turn[i][0] = hik_atan2(first.y, first.x);
    turn[i][1] = hik_atan2(middle[i].y, middle[i].x);
    turn[i][2] = hik_atan2(ss, cc);
  }
  if (n == 2 && is_free[0] && is_free[1]) n = 1;
  return n;
}

/* Whether a turn that brings `from` onto `to` says little: short shadows, and a root that is off, as triple ones are. On
   the true root there may be no shadows, and any turn do. */
static bool astray(const double from[3], const double to[3], double miss) {
  return miss > 1e-12 && length2(from[0], from[1]) * length2(to[0], to[1]) < 1e-9;
}

static double angle(int32_t kind, const hik_unknown *u) {
  return kind == TURN ? hik_atan2(u->y, u->x) : u->x;
}

/* ---- three axes that meet ---- */

/* Where the z axis meets the z axis of `g`: heights along both, and the gap between them. */
static double meet(const hik_pose *g, double *own, double *other) {
  double z[3] = {0, 0, 1}, d[3], n[3];
  hik_mat_column(g->r, 2, d);
  hik_cross(z, d, n);
  double square = hik_dot(n, n);
  if (square < 1e-12) return INFINITY;
  double a[3], b[3];
  hik_cross(g->t, d, a);
  hik_cross(g->t, z, b);
  *own = hik_dot(a, n) / square;
  *other = hik_dot(b, n) / square;
  return fabs(hik_dot(g->t, n)) / sqrt(square);
}

bool hik_wrist_test(const hik_loop *loop, double tolerance, double *here, double *there) {
  double own5, other5, own4;
  for (int i = 3; i < 6; i++)
    if (loop->kind[i] != TURN) return false;
  if (!(meet(&loop->g[3], &own4, &other5) <= tolerance) || !(meet(&loop->g[4], &own5, there) <= tolerance) ||
      !(fabs(own5 - other5) <= tolerance))
    return false;
  *here = own4;
  return true;
}

/* v0 + x v1 (+ y v2): a point moved by joint 1 backwards or joint 3 forwards. */
typedef struct line3 {
  double v[3][3];
} line3;

static line3 moving(int32_t kind, double sign, const double p[3]) {
  if (kind == TURN) return (line3){{{0, 0, p[2]}, {p[0], p[1], 0}, {-sign * p[1], sign * p[0], 0}}};
  return (line3){{{p[0], p[1], p[2]}, {0, 0, sign}, {0, 0, 0}}};
}

/* The two equations of note 1. */
static void position_pair(const hik_loop *loop, const double p[3], const double g[3], hik_pair *pair) {
  const hik_pose *g1 = &loop->g[0], *g2 = &loop->g[1];
  line3 w = moving(loop->kind[0], -1, p), v = moving(loop->kind[2], 1, g);
  double back[3];
  hik_mat_tvec(g2->r, g2->t, back);
  pair->kind1 = loop->kind[0], pair->kind2 = loop->kind[2];
  if (loop->kind[1] == TURN) {
    double z1[3];
    hik_mat_column(g1->r, 2, z1);
    const double *z2 = g2->r + 6;
    for (int k = 0; k < 3; k++) pair->a[0][k] = hik_dot(z1, w.v[k]), pair->a[1][k] = -hik_dot(g1->t, w.v[k]);
    pair->a[0][0] -= hik_dot(z1, g1->t) + hik_dot(z2, v.v[0]) + g2->t[2];
    pair->a[1][0] += 0.5 * (hik_dot(p, p) + hik_dot(g1->t, g1->t) - hik_dot(g, g) - hik_dot(g2->t, g2->t)) -
                     hik_dot(back, v.v[0]);
    for (int k = 0; k < 2; k++)
      pair->b[0][k] = -hik_dot(z2, v.v[1 + k]), pair->b[1][k] = -hik_dot(back, v.v[1 + k]);
    if (loop->kind[0] == SLIDE) pair->a[1][1] -= p[2], pair->a[1][2] += 0.5;
    if (loop->kind[2] == SLIDE) pair->b[1][0] -= g[2], pair->b[1][1] -= 0.5;
  } else {
    for (int i = 0; i < 2; i++) {
      double x1[3];
      hik_mat_column(g1->r, i, x1);
      const double *x2 = g2->r + 3 * i;
      for (int k = 0; k < 3; k++) pair->a[i][k] = hik_dot(x1, w.v[k]);
      pair->a[i][0] -= hik_dot(x1, g1->t) + hik_dot(x2, v.v[0]) + g2->t[i];
      for (int k = 0; k < 2; k++) pair->b[i][k] = -hik_dot(x2, v.v[1 + k]);
    }
  }
}

/* r = r J for the rotation part. */
static void turn_mat(int32_t kind, const hik_unknown *u, const double *r, double *out) {
  if (kind == TURN)
    hik_mat_turn_z(r, u->x, u->y, out);
  else
    memcpy(out, r, 9 * sizeof *r);
}

int hik_wrist_solve(const hik_loop *loop, double here, double there, hik_posture *out, bool *hidden) {
  const hik_pose *g1 = &loop->g[0], *g2 = &loop->g[1], *g3 = &loop->g[2], *g6 = &loop->g[5];
  double p[3], g[3], at[3] = {0, 0, there};
  hik_sub3(at, g6->t, p);
  hik_mat_tvec(g6->r, p, p);
  for (int i = 0; i < 3; i++) g[i] = g3->r[3 * i + 2] * here + g3->t[i];
  hik_pair pair;
  hik_unknown first[4], third[4];
  double turn[2][3], error[2];
  double x1 = 0;
  bool is_free[4], bound[2];
  position_pair(loop, p, g, &pair);
  int n = hik_pair_solve(&pair, first, third, is_free), count = 0;
  for (int i = 0; i < n; i++) {
    double a[3], b[3], c[3], r1[9], r2[9], m[9];
    unmove_point(loop->kind[0], &first[i], p, a);
    hik_sub3(a, g1->t, a);
    hik_mat_tvec(g1->r, a, a);
    move_point(loop->kind[2], &third[i], g, b);
    hik_mat_vec(g2->r, b, b);
    hik_add3(b, g2->t, b);
    bool lost = false;
    hik_unknown second = {a[2] - b[2], 0};
    if (loop->kind[1] == TURN) second = turn_onto(b, a, &lost);
    move_point(loop->kind[1], &second, b, c);
    double gap = larger(fabs(a[0] - c[0]), larger(fabs(a[1] - c[1]), fabs(a[2] - c[2])));
    turn_mat(loop->kind[0], &first[i], g6->r, r1);
    hik_mat_mul(r1, g1->r, r2);
    turn_mat(loop->kind[1], &second, r2, r1);
    hik_mat_mul(r1, g2->r, r2);
    turn_mat(loop->kind[2], &third[i], r2, r1);
    hik_mat_mul(r1, g3->r, r2);
    for (int j = 0; j < 9; j++) m[j] = r2[3 * (j % 3) + j / 3];
    int k = hik_three_turns(loop->g[3].r, loop->g[4].r, m, turn, error, bound);
    if ((k == 0 && (is_free[i] || lost)) || (loop->kind[1] == TURN && astray(b, a, gap))) *hidden = true;
    bool again = i > 0 && first[i].x == first[i - 1].x && first[i].y == first[i - 1].y;
    if (!again) x1 = angle(loop->kind[0], &first[i]);
    double x2 = angle(loop->kind[1], &second), x3 = angle(loop->kind[2], &third[i]);
    for (int j = 0; j < k && count < HIK_PIEPER_MAX; j++) {
      hik_posture *o = &out[count++];
      o->theta[0] = x1, o->theta[1] = x2, o->theta[2] = x3;
      for (int l = 0; l < 3; l++) o->theta[3 + l] = turn[j][l];
      o->error = larger(gap, error[j]);
      o->free = (uint8_t)((is_free[i] ? 1 : 0) | (lost ? 2 : 0) | (bound[j] ? 8 : 0));
    }
  }
  return count;
}

/* ---- three parallel axes ---- */

bool hik_parallel_test(const hik_loop *loop, double tolerance) {
  int slides = 0;
  for (int i = 0; i < 3; i++)
    if (loop->kind[i] != TURN) return false;
  for (int i = 3; i < 6; i++) slides += loop->kind[i] == SLIDE;
  if (slides > 1) return false;
  for (int i = 0; i < 2; i++)
    if (!(length2(loop->g[i].r[2], loop->g[i].r[5]) <= tolerance)) return false;
  return true;
}

/* J1 G1 J2 G2 J3 = goal in the plane across z; two answers at most. */
static int planar(const hik_loop *loop, const hik_pose *goal, double (*turn)[3], double *error,
                  bool *is_free) {
  const hik_pose *g1 = &loop->g[0], *g2 = &loop->g[1];
  double back[3], v[3], r1[9], r2[9];
  hik_mat_tvec(g1->r, g1->t, back);
  double x = g2->t[0], y = g2->t[1];
  double a = 0.5 * (g1->t[0] * g1->t[0] + g1->t[1] * g1->t[1] + x * x + y * y - goal->t[0] * goal->t[0] -
                    goal->t[1] * goal->t[1]);
  double b[2] = {back[0] * x + back[1] * y, back[1] * x - back[0] * y};
  hik_unknown second[2];
  bool lost;
  int n = hik_one_equation(TURN, a, b, HIK_NEAR, second, &lost);
  for (int i = 0; i < n; i++) {
    turn_xy(&second[i], g2->t, v);
    hik_mat_vec(g1->r, v, v);
    hik_add3(v, g1->t, v);
    hik_unknown first = turn_onto(v, goal->t, &is_free[i]);
    is_free[i] = is_free[i] || lost;
    hik_mat_turn_z(g1->r, second[i].x, second[i].y, r1);
    hik_mat_mul(r1, g2->r, r2);
    double c = first.x, s = first.y, gx = goal->r[0], gy = goal->r[3], gz = goal->r[6];
    double u[3] = {c * gx + s * gy, c * gy - s * gx, gz};
    double cc = r2[0] * u[0] + r2[3] * u[1] + r2[6] * u[2], ss = r2[1] * u[0] + r2[4] * u[1] + r2[7] * u[2];
    error[i] = larger(fabs(c * v[0] - s * v[1] - goal->t[0]), fabs(s * v[0] + c * v[1] - goal->t[1]));
    error[i] = larger(error[i], larger(fabs(v[2] - goal->t[2]), fabs(cc * cc + ss * ss - 1)));
    turn[i][0] = hik_atan2(first.y, first.x);
    turn[i][1] = hik_atan2(second[i].y, second[i].x);
    turn[i][2] = hik_atan2(ss, cc);
  }
  return n;
}

/* What joints 1 2 3 must do: (G3 J4 G4 J5 G5 J6 G6)^-1. */
static void far_side(const hik_loop *loop, const hik_unknown *const rest[3], hik_pose *goal) {
  hik_pose x = loop->g[2], y;
  for (int k = 0; k < 3; k++) {
    turn_mat(loop->kind[3 + k], rest[k], x.r, y.r);
    hik_copy3(x.t, y.t);
    for (int i = 0; i < 3 && loop->kind[3 + k] == SLIDE; i++) y.t[i] += rest[k]->x * x.r[3 * i + 2];
    hik_pose_mul(&y, &loop->g[3 + k], &x);
  }
  hik_pose_inverse(&x, goal);
}

/* Joint 5 is parallel to the three and so is free in a range: 0 when the planar arm reaches that, else the nearest
   end of the range. The square of the distance to reach is a + b cos + c sin of joint 5. */
static hik_unknown within_reach(const hik_loop *loop, const hik_unknown *const rest[3]) {
  static const hik_unknown probe[3] = {{1, 0}, {-1, 0}, {0, 1}};
  const hik_pose *g = loop->g;
  double square[3], l1 = length2(g[0].t[0], g[0].t[1]), l2 = length2(g[1].t[0], g[1].t[1]);
  for (int k = 0; k < 3; k++) {
    const hik_unknown *at[3] = {rest[0], &probe[k], rest[2]};
    hik_pose goal;
    far_side(loop, at, &goal);
    square[k] = goal.t[0] * goal.t[0] + goal.t[1] * goal.t[1];
  }
  double least = (l1 - l2) * (l1 - l2), most = (l1 + l2) * (l1 + l2);
  if (square[0] >= least && square[0] <= most) return probe[0];
  double a = 0.5 * (square[0] + square[1]), b = 0.5 * (square[0] - square[1]), c = square[2] - a;
  double size = sqrt(b * b + c * c);
  if (size < 1e-12) return probe[0];
  double x = hik_clip(((square[0] < least ? least : most) - a) / size, -1, 1), y = sqrt((1 - x) * (1 + x));
  if (c < 0) y = -y; /* of the two ends the one on the side of 0 */
  return (hik_unknown){(b * x + c * y) / size, (c * x - b * y) / size};
}

/* Puts joints 1 2 3 to the values of joints 4 5 6; `tilt`: what these are off, bits: those of them that are free. */
static int with_planar(const hik_loop *loop, const hik_pose *goal, const hik_unknown *const rest[3],
                       double tilt, uint8_t bits, hik_posture *out) {
  double turn[2][3], error[2], last[3];
  bool bound[2];
  int m = planar(loop, goal, turn, error, bound);
  for (int k = 0; k < 3 && m > 0; k++) last[k] = angle(loop->kind[3 + k], rest[k]);
  for (int j = 0; j < m; j++) {
    for (int k = 0; k < 3; k++) out[j].theta[k] = turn[j][k], out[j].theta[3 + k] = last[k];
    out[j].error = larger(tilt, error[j]);
    out[j].free = (uint8_t)(bits | (bound[j] ? 1 : 0));
  }
  return m;
}

/* The direction of the three axes seen in frame 4 before joint 4, and their way along it. */
static double heading(const hik_loop *loop, double e[3]) {
  const hik_pose *g = loop->g;
  double sign = g[0].r[8] * g[1].r[8] < 0 ? -1 : 1;
  for (int i = 0; i < 3; i++) e[i] = sign * g[2].r[6 + i];
  return g[0].t[2] + (g[0].r[8] < 0 ? -1 : 1) * g[1].t[2];
}

/* Note 2 with a slide among joints 4 5 6: the two turns that are left carry the direction round, the slide makes the way
   along it, one linear equation. */
static int parallel_and_slide(const hik_loop *loop, hik_posture *out, bool *hidden) {
  const hik_pose *g = loop->g;
  int slide = loop->kind[3] == SLIDE   ? 0
              : loop->kind[4] == SLIDE ? 1
                                       : 2,
      a = slide == 0 ? 1 : 0, b = slide == 2 ? 1 : 2, count = 0;
  double e[3], to[3], u[3], from[3], mid[9], along = heading(loop, e);
  /* R(a) mid R(b) u = to */
  hik_mat_column(g[5].r, 2, u);
  if (slide == 2) hik_mat_vec(g[4].r, u, u);
  hik_copy3(e, to);
  if (slide == 0) hik_mat_tvec(g[3].r, e, to);
  memcpy(mid, g[3 + a].r, sizeof mid);
  if (slide == 1) hik_mat_mul(g[3].r, g[4].r, mid);
  /* the slide's direction, seen from joint 1: what stands behind it in the loop */
  hik_pose tail = g[3 + slide];
  double across[2] = {mid[6] * u[0] + mid[7] * u[1], mid[7] * u[0] - mid[6] * u[1]};
  hik_unknown second[2];
  bool second_free, first_free;
  int n = hik_one_equation(TURN, mid[8] * u[2] - to[2], across, 1e-9, second, &second_free);
  for (int i = 0; i < n; i++) {
    turn_xy(&second[i], u, from);
    hik_mat_vec(mid, from, from);
    hik_unknown first = turn_onto(from, to, &first_free), shift = {0, 0};
    const hik_unknown *rest[3];
    rest[a] = &first, rest[b] = &second[i], rest[slide] = &shift;
    double r[9], steep[9];
    memcpy(steep, tail.r, sizeof steep);
    for (int k = slide + 1; k < 3; k++) {
      turn_mat(TURN, rest[k], steep, r);
      hik_mat_mul(r, g[3 + k].r, steep);
    }
    hik_pose goal;
    far_side(loop, rest, &goal);
    double miss = goal.t[2] - along;
    bool level =
        fabs(steep[8]) < 1e-10; /* the slide moves in the plane of the three: one joint too many, or no way */
    if (level && !(fabs(miss) < 1e-9)) continue;
    if (!level) {
      shift = (hik_unknown){miss / steep[8], 0};
      far_side(loop, rest, &goal);
    }
    double tilt = larger(off(&first, from, to), larger(fabs(goal.r[2]), fabs(goal.r[5])));
    int bits = (second_free ? 8 << b : 0) | (first_free ? 8 << a : 0) | (level ? 8 << slide : 0);
    int m = with_planar(loop, &goal, rest, tilt, (uint8_t)bits, out + count);
    if ((m == 0 && bits) || astray(from, to, tilt)) *hidden = true;
    count += m;
  }
  return count;
}

int hik_parallel_solve(const hik_loop *loop, hik_posture *out, bool *hidden) {
  const hik_pose *g = loop->g;
  for (int i = 3; i < 6; i++)
    if (loop->kind[i] == SLIDE) return parallel_and_slide(loop, out, hidden);
  double e[3], u[3], z4[3], back5[3], along = heading(loop, e), sign = g[0].r[8] * g[1].r[8] < 0 ? -1 : 1;
  hik_mat_column(g[5].r, 2, u);
  hik_mat_column(g[3].r, 2, z4);
  hik_mat_tvec(g[4].r, g[4].t, back5);
  const double *z5 = g[4].r + 6;
  line3 w = moving(TURN, -1, e), v = moving(TURN, 1, u);
  hik_pair pair = {TURN, TURN, {{0}}, {{0}}};
  for (int k = 0; k < 3; k++) pair.a[0][k] = hik_dot(z4, w.v[k]), pair.a[1][k] = hik_dot(g[3].t, w.v[k]);
  pair.a[0][0] -= hik_dot(z5, v.v[0]);
  pair.a[1][0] += hik_dot(back5, v.v[0]) + sign * g[2].t[2] + hik_dot(u, g[5].t) + along;
  for (int k = 0; k < 2; k++)
    pair.b[0][k] = -hik_dot(z5, v.v[1 + k]), pair.b[1][k] = hik_dot(back5, v.v[1 + k]);
  hik_unknown fourth[4], sixth[4];
  bool is_free[4];
  int n = hik_pair_solve(&pair, fourth, sixth, is_free), count = 0;
  for (int i = 0; i < n; i++) {
    double from[3], to[3];
    bool lost;
    unmove_point(TURN, &fourth[i], e, to);
    hik_mat_tvec(g[3].r, to, to);
    move_point(TURN, &sixth[i], u, from);
    hik_mat_vec(g[4].r, from, from);
    hik_unknown fifth = turn_onto(from, to, &lost);
    const hik_unknown *rest[3] = {&fourth[i], &fifth, &sixth[i]};
    if (lost) fifth = within_reach(loop, rest);
    hik_pose goal;
    far_side(loop, rest, &goal);
    double tilt = larger(off(&fifth, from, to), larger(fabs(goal.r[2]), fabs(goal.r[5])));
    int bits = (is_free[i] ? 32 : 0) | (lost ? 16 : 0);
    int m = with_planar(loop, &goal, rest, tilt, (uint8_t)bits, out + count);
    if ((m == 0 && bits) || astray(from, to, tilt)) *hidden = true;
    count += m;
  }
  return count;
}
