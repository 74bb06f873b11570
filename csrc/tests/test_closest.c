/* test_closest.c: the nearest posture of simple chains whose answer is known, and of any against a scan. */
#include "analytic/closest.h"
#include "base/quat.h"
#include "tests/arms.h"
#include "tests/check.h"

static hik_chain arm_of(const double (*rows)[6], double limit) {
  hik_chain chain = {.n = 6, .base = hik_pose_identity, .scale = 1};
  for (int i = 0; i < 6; i++) {
    chain.q[i] = i, chain.line[i][0] = 1, chain.lower[i] = -limit, chain.upper[i] = limit;
    chain.link[i] = dh_link(rows[0][i], rows[1][i], rows[2][i]);
  }
  return chain;
}

static void forward(const hik_chain *c, const double *q, hik_pose *out) {
  hik_pose at = c->base, moved;
  for (int i = 0; i < c->n; i++) {
    hik_loop_move(c->kind[i], q[i], &at, &moved);
    hik_pose_mul(&moved, &c->link[i], &at);
  }
  *out = at;
}

static double distance(const hik_pose *a, const hik_pose *b, bool orientation) {
  double turn[9], v[3], sum = 0;
  hik_mat_mult(a->r, b->r, turn);
  hik_mat_log(turn, v);
  for (int i = 0; i < 3; i++)
    sum += (orientation ? v[i] * v[i] : 0) + (a->t[i] - b->t[i]) * (a->t[i] - b->t[i]);
  return sqrt(sum);
}

static void test_reachable_is_met(void) {
  hik_rng rng = hik_rng_start(61, 0);
  hik_chain chain = arm_of(arm_ur5, 3.1);
  int met = 0;
  for (int k = 0; k < 50; k++) {
    double q[6], x[6] = {0};
    hik_pose goal, at;
    for (int i = 0; i < 6; i++) q[i] = draw(&rng, -3, 3);
    forward(&chain, q, &goal);
    double far = hik_closest(&chain, &goal, true, x);
    forward(&chain, x, &at);
    CHECK_NEAR(distance(&at, &goal, true), far, 1e-9);
    met += far < 1e-9;
  }
  CHECK(met >= 45); /* a local search from 14 starts: nearly always */
}

static void test_never_beaten_by_a_scan(void) {
  hik_rng rng = hik_rng_start(62, 0);
  hik_chain chain = arm_of(arm_puma, 2.0);
  for (int orientation = 0; orientation < 2; orientation++)
    for (int k = 0; k < 10; k++) {
      double q[6], x[6] = {0};
      hik_pose goal, at;
      for (int i = 0; i < 6; i++) q[i] = draw(&rng, -2, 2);
      forward(&chain, q, &goal);
      goal.t[0] += 2, goal.t[1] -= 1;
      double far = hik_closest(&chain, &goal, orientation, x);
      for (int i = 0; i < 6; i++) CHECK(fabs(x[i]) <= 2.0);
      for (int s = 0; s < 3000; s++) {
        for (int i = 0; i < 6; i++) q[i] = draw(&rng, -2, 2);
        forward(&chain, q, &at);
        CHECK(distance(&at, &goal, orientation) >= far);
      }
    }
}

static void test_straight_at_the_target(void) {
  hik_chain chain = {.n = 2, .base = hik_pose_identity, .scale = 1};
  for (int i = 0; i < 2; i++) {
    chain.q[i] = i, chain.line[i][0] = 1, chain.lower[i] = -HIK_PI, chain.upper[i] = HIK_PI;
    chain.link[i] = hik_pose_identity, chain.link[i].t[0] = i ? 0.4 : 0.5;
  }
  hik_pose goal = hik_pose_identity;
  goal.t[0] = 3, goal.t[1] = 4;
  double q[2] = {0.3, 0.2};
  CHECK_NEAR(hik_closest(&chain, &goal, false, q), 4.1, 1e-9);
  CHECK_NEAR(q[0], 0.92729521800161219, 1e-6);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_reachable_is_met);
  RUN(test_never_beaten_by_a_scan);
  RUN(test_straight_at_the_target);
  CHECK_END();
}
