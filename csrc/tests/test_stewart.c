/* test_stewart.c: lengths by their definition, the Jacobian by differences, Newton's method from nearby guesses. */
#include "analytic/stewart.h"
#include "tests/check.h"
#include "tests/stewart_figures.h"

static void test_lengths_at_identity(void) {
  hik_stewart s = dietmaier;
  hik_pose pose = hik_pose_identity;
  double l[6];
  pose.t[2] = 2;
  hik_stewart_lengths(&s, &pose, l, NULL);
  for (int i = 0; i < 6; i++) {
    double d[3], up[3] = {0, 0, 2};
    hik_sub3(s.platform[i], s.base[i], d);
    hik_add3(d, up, d);
    CHECK_NEAR(l[i], hik_norm(d), 1e-15);
  }
}

static void test_jacobian_by_differences(void) {
  hik_rng rng = hik_rng_start(1, 0);
  for (int round = 0; round < 50; round++) {
    hik_stewart s;
    hik_pose pose, moved;
    double l[6], j[36], l2[2][6], h = 1e-6;
    stewart_random(&rng, &s);
    stewart_pose(&rng, 1, &pose);
    hik_stewart_lengths(&s, &pose, l, j);
    for (int k = 0; k < 6; k++) {
      for (int side = 0; side < 2; side++) {
        double by = side ? h : -h, w[3] = {0, 0, 0}, q[4], r[9];
        moved = pose;
        if (k < 3) moved.t[k] += by;
        if (k >= 3) {
          w[k - 3] = by;
          hik_quat_exp(w, q);
          hik_quat_to_mat(q, r);
          hik_mat_mul(r, pose.r, moved.r);
        }
        hik_stewart_lengths(&s, &moved, l2[side], NULL);
      }
      for (int i = 0; i < 6; i++) CHECK_NEAR(j[6 * i + k], (l2[1][i] - l2[0][i]) / (2 * h), 1e-8);
    }
  }
}

static void test_newton_comes_back(void) {
  hik_rng rng = hik_rng_start(2, 0);
  for (int round = 0; round < 300; round++) {
    hik_stewart s;
    hik_pose pose, guess, turn;
    double l[6];
    stewart_random(&rng, &s);
    stewart_pose(&rng, 1, &pose);
    if (hik_stewart_singularity(&s, &pose) < 0.05) continue;
    hik_stewart_lengths(&s, &pose, l, NULL);
    stewart_pose(&rng, 0.005, &turn);
    guess = pose;
    hik_mat_mul(turn.r, pose.r, guess.r);
    for (int k = 0; k < 3; k++) guess.t[k] += 0.003 * stewart_draw(&rng);
    hik_stewart_step step = hik_stewart_newton(&s, l, 20, &guess);
    CHECK(step.converged && step.iterations <= 6);
    CHECK(step.residual < 1e-13);
    CHECK(stewart_gap(&guess, &pose) < 1e-11);
  }
}

/* Legs between similar hexagons, one above the other, meet in one point: singular. Turned against each other and joined
   crosswise they are not. */
static void test_singular_is_said(void) {
  hik_stewart s;
  hik_pose pose = hik_pose_identity;
  double ring[6][3], l[6];
  stewart_ring(s.base, 1, 0.3, 0), stewart_ring(s.platform, 0.6, 0.3, 0);
  pose.t[2] = 1;
  CHECK(hik_stewart_singularity(&s, &pose) < 1e-7);
  hik_stewart_lengths(&s, &pose, l, NULL);
  l[0] += 0.1;
  hik_stewart_step step = hik_stewart_newton(&s, l, 20, &pose);
  CHECK(!step.converged || step.residual < 1e-11);
  CHECK(hik_all_finite(pose.r, 9) && hik_all_finite(pose.t, 3));
  stewart_ring(ring, 0.6, 0.3, HIK_PI / 3);
  for (int i = 0; i < 6; i++) hik_copy3(ring[(i + 5) % 6], s.platform[i]);
  pose = hik_pose_identity;
  pose.t[2] = 1;
  CHECK(hik_stewart_singularity(&s, &pose) > 0.1);
}

static void test_out_of_reach_ends(void) {
  double l[6] = {0.01, 5, 0.01, 5, 0.01, 5};
  hik_pose pose = hik_pose_identity;
  pose.t[2] = 1;
  hik_stewart_step step = hik_stewart_newton(&dietmaier, l, 30, &pose);
  CHECK(!step.converged && step.iterations <= 30 && step.residual > 0.1);
  CHECK(hik_all_finite(pose.r, 9) && hik_all_finite(pose.t, 3));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_lengths_at_identity);
  RUN(test_jacobian_by_differences);
  RUN(test_newton_comes_back);
  RUN(test_singular_is_said);
  RUN(test_out_of_reach_ends);
  CHECK_END();
}
