/* test_loop.c: residual and derivative of a closed chain, its polish, and its twelve readings. */
#include "tests/arms.h"
#include "tests/check.h"

static void test_derivative_by_differences(void) {
  hik_rng rng = hik_rng_start(8, 0);
  for (int k = 0; k < 50; k++) {
    hik_loop loop = random_arm(&rng);
    double q[6], x[6], r[6], s[6], jacobian[36];
    loop.kind[k % 6] = 1;
    random_posture(&loop, &rng, q);
    close_at(&loop, q);
    hik_loop_residual(&loop, q, r, jacobian);
    for (int i = 0; i < 6; i++) {
      memcpy(x, q, sizeof x);
      x[i] += 1e-6;
      hik_loop_residual(&loop, x, s, NULL);
      for (int j = 0; j < 6; j++) CHECK_NEAR((s[j] - r[j]) / 1e-6, jacobian[6 * j + i], 1e-5);
    }
  }
}

static void test_residual_far_away_is_the_angle(void) {
  hik_loop loop = {.n = 1, .g = {hik_pose_identity}};
  double r[6], x = 2.5;
  CHECK_NEAR(hik_loop_residual(&loop, &x, r, NULL), 2.5, 1e-12);
  CHECK_NEAR(r[2], 2.5, 1e-12);
}

static void test_wrap(void) {
  for (double x = -20; x < 20; x += 0.37) {
    double y = hik_wrap(x), k = (x - y) / (2 * HIK_PI);
    CHECK(y > -HIK_PI && y <= HIK_PI);
    CHECK_NEAR(k, floor(k + 0.5), 1e-12);
  }
  CHECK(hik_wrap(-HIK_PI) == HIK_PI);
}

static void test_polish_recovers_posture(void) {
  hik_rng rng = hik_rng_start(6, 0);
  for (int k = 0; k < 50; k++) {
    hik_loop loop = random_arm(&rng);
    double q[6], x[6], residual[6];
    random_posture(&loop, &rng, q);
    close_at(&loop, q);
    CHECK(hik_loop_residual(&loop, q, residual, NULL) < 1e-14);
    for (int i = 0; i < 6; i++) x[i] = q[i] + draw(&rng, -1e-4, 1e-4);
    CHECK(hik_loop_polish(&loop, x, 20) < 1e-13);
  }
}

static void test_turned_loop_is_same_problem(void) {
  hik_rng rng = hik_rng_start(7, 0);
  hik_loop loop = random_arm(&rng), other;
  double q[6], x[6], residual[6];
  loop.kind[2] = 1;
  random_posture(&loop, &rng, q);
  close_at(&loop, q);
  for (int v = 0; v < 12; v++) {
    hik_loop_turn(&loop, v % 6, v >= 6, &other);
    for (int i = 0; i < 6; i++) x[i] = q[hik_loop_source(6, v % 6, v >= 6, i)];
    CHECK(hik_loop_residual(&other, x, residual, NULL) < 1e-13);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_derivative_by_differences);
  RUN(test_residual_far_away_is_the_angle);
  RUN(test_wrap);
  RUN(test_polish_recovers_posture);
  RUN(test_turned_loop_is_same_problem);
  CHECK_END();
}
