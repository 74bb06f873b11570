/* srs.c: seven joints with a spherical shoulder and a spherical wrist, by arm angle.

   Purpose:  the eight postures of a redundant arm once the swivel of its elbow is fixed.
   Given:    a pose and an angle.
   Returned: eight slots; the same slot follows one branch as the angle changes.
   Outcomes: slots are empty when the pose is out of the elbow's range.
   Notes:    the distance from shoulder to wrist gives the elbow joint (two values); the line and the elbow's
             direction fix the upper arm's rotation, and three turns each make shoulder and wrist. The elbow's
             direction is that of joint 4's origin (foot of the common normal of axes 3 and 4); where that lies on the
             line, the direction of axis 4 turned by a right angle stands in.
   Reference: Shimizu et al., "Analytical inverse kinematic computation for 7-DOF redundant manipulators with joint
             limits and its application to redundancy resolution", IEEE Transactions on Robotics 24 (2008) 1131-1142. */
#include "analytic/srs.h"

#include "analytic/pieper.h"

bool hik_srs_test(const hik_chain *c, double tolerance, hik_srs *srs) {
  if (c->n != 7) return false;
  for (int i = 0; i < 7; i++)
    if (c->kind[i] != HIK_TURN) return false;
  hik_loop probe = {.n = 6};
  probe.g[3] = c->link[0], probe.g[4] = c->link[1];
  if (!hik_wrist_test(&probe, tolerance, &srs->shoulder1, &srs->shoulder3)) return false;
  probe.g[3] = c->link[4], probe.g[4] = c->link[5];
  return hik_wrist_test(&probe, tolerance, &srs->wrist5, &srs->wrist7);
}

/* Unit vector along the part of `x` across `line`; `spare` stands in for one along it. */
static void across(const double line[3], const double x[3], const double spare[3], double out[3]) {
  hik_axpy3(x, -hik_dot(x, line), line, out);
  if (hik_norm(out) < 1e-7) hik_axpy3(spare, -hik_dot(spare, line), line, out);
  if (hik_unit(out, out) == 0) hik_perpendicular(line, out);
}

/* Columns line, side, line x side. */
static void frame_of(const double line[3], const double side[3], double *r) {
  double third[3];
  hik_cross(line, side, third);
  for (int i = 0; i < 3; i++) r[3 * i] = line[i], r[3 * i + 1] = side[i], r[3 * i + 2] = third[i];
}

/* From shoulder to wrist in frame 3 when the elbow joint has this cosine and sine, and the elbow's direction across. */
static void upper_arm(const hik_chain *c, const hik_srs *s, double cosine, double sine, double v[3],
                      double side[3]) {
  const hik_pose *g3 = &c->link[2], *g4 = &c->link[3];
  double u[3], g[3], line[3], z[3], spare[3];
  for (int i = 0; i < 3; i++) u[i] = g4->r[3 * i + 2] * s->wrist5 + g4->t[i];
  double x = cosine * u[0] - sine * u[1], y = sine * u[0] + cosine * u[1];
  u[0] = x, u[1] = y;
  hik_mat_vec(g3->r, u, v);
  hik_copy3(g3->t, g);
  g[2] -= s->shoulder3;
  hik_add3(v, g, v);
  if (hik_unit(v, line) == 0) line[0] = line[1] = 0, line[2] = 1;
  hik_mat_column(g3->r, 2, z);
  hik_cross(line, z, spare);
  across(line, g, spare, side);
}

/* Unit vector from shoulder to wrist in the base, and the zero of the angle. */
static double base_line(const double p[3], double line[3], double side[3]) {
  static const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
  double far = hik_unit(p, line);
  if (far == 0) line[0] = line[1] = 0, line[2] = 1;
  across(line, z, x, side);
  return far;
}

void hik_srs_solve(const hik_chain *c, const hik_srs *s, const hik_pose *target, double angle,
                   double (*theta)[HIK_LOOP_MAX]) {
  hik_pose scaled = *target, back, hand;
  double p[3], line[3], side[3], turned[3], sine, cosine, u[3], g[3], b[2], error[2];
  hik_unknown elbow[2];
  bool lost, is_free[2];
  for (int k = 0; k < HIK_SRS_SLOTS; k++)
    for (int i = 0; i < HIK_LOOP_MAX; i++) theta[k][i] = NAN;
  hik_scale3(1 / c->scale, scaled.t, scaled.t);
  hik_pose_inverse(&c->base, &back);
  hik_pose_mul(&back, &scaled, &hand); /* then without the last link: the frame of joint 7 */
  hik_pose_inverse(&c->link[6], &back);
  hik_pose wrist;
  hik_pose_mul(&hand, &back, &wrist);
  for (int i = 0; i < 3; i++) p[i] = wrist.r[3 * i + 2] * s->wrist7 + wrist.t[i];
  p[2] -= s->shoulder1;
  double far = base_line(p, line, side);
  hik_sincos(angle, &sine, &cosine);
  double swivel[9];
  hik_mat_axis(line, cosine, sine, swivel);
  hik_mat_vec(swivel, side, turned);
  /* |g + R3 J4 u| = far */
  for (int i = 0; i < 3; i++) u[i] = c->link[3].r[3 * i + 2] * s->wrist5 + c->link[3].t[i];
  hik_copy3(c->link[2].t, g);
  g[2] -= s->shoulder3;
  double a = 0.5 * (hik_dot(g, g) + hik_dot(u, u) - far * far);
  hik_mat_tvec(c->link[2].r, g, g);
  a += g[2] * u[2];
  b[0] = g[0] * u[0] + g[1] * u[1], b[1] = g[1] * u[0] - g[0] * u[1];
  int n = hik_one_equation(HIK_TURN, a, b, 1e-9, elbow, &lost);
  for (int e = 0; e < n; e++) {
    double v[3], own[3], from[9], to[9], r03[9], r34[9], arm[9], m[9], first[2][3], last[2][3];
    upper_arm(c, s, elbow[e].x, elbow[e].y, v, own);
    hik_unit(v, v);
    frame_of(v, own, from);
    frame_of(line, turned, to);
    hik_mat_mult(to, from, r03);
    hik_mat_mul(r03, c->link[2].r, m);
    hik_mat_turn_z(m, elbow[e].x, elbow[e].y, r34);
    hik_mat_mul(r34, c->link[3].r, arm);
    hik_mat_tmul(arm, wrist.r, m);
    int shoulders = hik_three_turns(c->link[0].r, c->link[1].r, r03, first, error, is_free);
    int wrists = hik_three_turns(c->link[4].r, c->link[5].r, m, last, error, is_free);
    for (int k = 0; k < shoulders; k++)
      for (int l = 0; l < wrists; l++) {
        double *x = theta[4 * e + 2 * k + l];
        for (int i = 0; i < 3; i++) x[i] = first[k][i], x[4 + i] = last[l][i];
        x[3] = hik_atan2(elbow[e].y, elbow[e].x);
      }
  }
}

double hik_srs_angle(const hik_chain *c, const hik_srs *s, const double *theta) {
  hik_pose at = hik_pose_identity, moved = at;
  double sine, cosine, v[3], own[3], p[3], line[3], side[3], now[3], third[3];
  for (int i = 0; i < 3; i++) {
    hik_loop_move(HIK_TURN, theta[i], &at, &moved);
    if (i < 2) hik_pose_mul(&moved, &c->link[i], &at);
  }
  hik_sincos(theta[3], &sine, &cosine);
  upper_arm(c, s, cosine, sine, v, own);
  hik_mat_vec(moved.r, v, p);
  hik_mat_vec(moved.r, own, now);
  base_line(p, line, side);
  hik_cross(line, side, third);
  return hik_atan2(hik_dot(now, third), hik_dot(now, side));
}
