/* test_srs.c: arm angles against postures that made the poses, and branches that stay branches. */
#include "analytic/srs.h"
#include "tests/arms.h"
#include "tests/check.h"

static hik_chain srs_arm(double elbow_offset) {
  static const double d[7] = {0.36, 0, 0.42, 0, 0.4, 0, 0.126};
  static const double alpha[7] = {-1, 1, 1, -1, -1, 1, 0};
  hik_chain chain = {.n = 7, .base = hik_pose_identity, .scale = 1};
  for (int i = 0; i < 7; i++) {
    chain.q[i] = i, chain.line[i][0] = 1, chain.lower[i] = -HIK_PI, chain.upper[i] = HIK_PI;
    chain.link[i] = dh_link(d[i], i == 2 ? elbow_offset : i == 3 ? -elbow_offset : 0, alpha[i] * HIK_PI / 2);
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

static double gap(const hik_pose *a, const hik_pose *b) {
  double most = 0;
  for (int i = 0; i < 9; i++) most = fmax(most, fabs(a->r[i] - b->r[i]));
  for (int i = 0; i < 3; i++) most = fmax(most, fabs(a->t[i] - b->t[i]));
  return most;
}

static void test_own_angle_gives_own_posture(void) {
  hik_rng rng = hik_rng_start(71, 0);
  for (int offset = 0; offset < 2; offset++) {
    hik_chain chain = srs_arm(offset * 0.08);
    hik_srs srs;
    CHECK(hik_srs_test(&chain, 1e-9, &srs));
    for (int k = 0; k < 300; k++) {
      double q[7], theta[HIK_SRS_SLOTS][HIK_LOOP_MAX];
      hik_pose pose, at;
      for (int i = 0; i < 7; i++) q[i] = draw(&rng, -3, 3);
      forward(&chain, q, &pose);
      hik_srs_solve(&chain, &srs, &pose, hik_srs_angle(&chain, &srs, q), theta);
      bool there = false;
      for (int s = 0; s < HIK_SRS_SLOTS; s++) {
        double far = 0;
        forward(&chain, theta[s], &at);
        CHECK(gap(&at, &pose) < 1e-9);
        CHECK(fabs(hik_wrap(hik_srs_angle(&chain, &srs, theta[s]) - hik_srs_angle(&chain, &srs, q))) < 1e-6);
        for (int i = 0; i < 7; i++) far = fmax(far, fabs(hik_wrap(theta[s][i] - q[i])));
        there = there || far < 1e-6;
      }
      CHECK(there);
    }
  }
}

static void test_every_angle_reaches_and_branches_follow(void) {
  hik_rng rng = hik_rng_start(72, 0);
  hik_chain chain = srs_arm(0);
  hik_srs srs;
  CHECK(hik_srs_test(&chain, 1e-9, &srs));
  int jumps = 0;
  for (int k = 0; k < 20; k++) {
    double q[7], theta[HIK_SRS_SLOTS][HIK_LOOP_MAX], old[HIK_SRS_SLOTS][HIK_LOOP_MAX];
    hik_pose pose, at;
    for (int i = 0; i < 7; i++) q[i] = draw(&rng, -3, 3);
    forward(&chain, q, &pose);
    for (int j = 0; j <= 720; j++) {
      hik_srs_solve(&chain, &srs, &pose, -HIK_PI + j * HIK_PI / 360, theta);
      for (int s = 0; s < HIK_SRS_SLOTS; s++) {
        forward(&chain, theta[s], &at);
        CHECK(gap(&at, &pose) < 1e-9);
        double far = 0;
        for (int i = 0; i < 7 && j; i++) far = fmax(far, fabs(hik_wrap(theta[s][i] - old[s][i])));
        jumps += far > 1;
      }
      memcpy(old, theta, sizeof old);
    }
  }
  CHECK(jumps < 20); /* only where a shoulder or wrist passes close by its singularity */
}

static void test_out_of_reach_and_other_arms(void) {
  hik_chain chain = srs_arm(0);
  hik_srs srs;
  double theta[HIK_SRS_SLOTS][HIK_LOOP_MAX];
  hik_pose pose = hik_pose_identity;
  CHECK(hik_srs_test(&chain, 1e-9, &srs));
  pose.t[0] = 5;
  hik_srs_solve(&chain, &srs, &pose, 0, theta);
  for (int s = 0; s < HIK_SRS_SLOTS; s++) CHECK(theta[s][0] != theta[s][0]);
  chain.link[4].t[0] += 0.01;
  CHECK(!hik_srs_test(&chain, 1e-9, &srs));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_own_angle_gives_own_posture);
  RUN(test_every_angle_reaches_and_branches_follow);
  RUN(test_out_of_reach_and_other_arms);
  CHECK_END();
}
