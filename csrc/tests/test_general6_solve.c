/* test_general6_solve.c: the general six-joint solver against a published pose with 16 solutions, against postures it did
   not see, against Newton's method from random starts, and against the union of all its variants. */
#include "analytic/general6.h"
#include "tests/arms.h"
#include "tests/check.h"

#include <stdlib.h>

static hik_general6_work *work;
static hik_general6_plan plan;

static int solve(const hik_loop *loop, double (*theta)[6]) {
  bool sure;
  int count = hik_general6_solve(loop, &plan, work, theta, &sure);
  double residual[6];
  for (int k = 0; k < count; k++) CHECK(hik_loop_residual(loop, theta[k], residual, NULL) < 1e-10);
  for (int k = 0; k < count; k++)
    for (int j = 0; j < k; j++) CHECK(hik_loop_distance(loop, theta[k], theta[j]) >= 1e-6);
  return count;
}

/* Nearest rotation to r by repeated averaging with its inverse transpose (Higham 1986). */
static void make_rotation(double *r) {
  for (int k = 0; k < 30; k++) {
    double c[9], next[9];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        int a = (i + 1) % 3, b = (i + 2) % 3, d = (j + 1) % 3, e = (j + 2) % 3;
        c[3 * i + j] = r[3 * a + d] * r[3 * b + e] - r[3 * a + e] * r[3 * b + d];
      }
    double det = r[0] * c[0] + r[1] * c[1] + r[2] * c[2];
    for (int i = 0; i < 9; i++) next[i] = 0.5 * (r[i] + c[i] / det);
    memcpy(r, next, sizeof next);
  }
}

/* Manseur and Doty, "A robot manipulator with 16 real inverse kinematic solution sets", International Journal of
   Robotics Research 8 (1989) 75-79. */
static void test_manseur_doty_has_sixteen(void) {
  double e = HIK_PI / 180, d[6] = {0, 0, 0.2, 0, 0, 0}, a[6] = {0.3, 1, 0, 1.5, 0, 0};
  double alpha[6] = {90 * e, e, 90 * e, e, 90 * e, e}, theta[16][6];
  hik_loop loop = dh_loop(d, a, alpha);
  hik_pose pose = {{-0.760117, -0.641689, 0.102262, 0.133333, 0, 0.991071, -0.635959, 0.766965, 0.085558},
                   {-1.140175, 0, 0}},
           back, last = loop.g[5];
  make_rotation(pose.r);
  hik_pose_inverse(&pose, &back);
  hik_general6_prepare(&loop, &plan, work);
  hik_pose_mul(&last, &back, &loop.g[5]);
  CHECK(solve(&loop, theta) == 16);
}

/* The posture that made the pose is found, and nothing that 60 Newton runs or all variants find is missing. */
static void complete(const hik_loop *arm, hik_rng *rng, int poses, int starts, int *missing, int *solutions) {
  for (int k = 0; k < poses; k++) {
    hik_loop loop = *arm;
    double q[6], theta[16][6], all[16][6];
    random_posture(&loop, rng, q);
    close_at(&loop, q);
    bool sure;
    int count = solve(&loop, theta);
    *solutions += count;
    *missing += !among(&loop, q, theta, count, 1e-5);
    for (int s = 0; s < starts; s++) {
      random_posture(&loop, rng, q);
      if (hik_loop_polish(&loop, q, 60) < 1e-12) *missing += !among(&loop, q, theta, count, 1e-5);
    }
    int united = starts ? hik_general6_union(&loop, &plan, work, all, &sure) : 0;
    for (int j = 0; j < united; j++) *missing += !among(&loop, all[j], theta, count, 1e-5);
  }
}

static void test_random_arms_complete(void) {
  enum { RANDOM = CHECK_REPEATS(40, 6) };
  hik_rng rng = hik_rng_start(1, 0);
  int missing = 0, solutions = 0;
  for (int k = 0; k < RANDOM; k++) {
    hik_loop arm = random_arm(&rng);
    hik_general6_prepare(&arm, &plan, work);
    complete(&arm, &rng, 5, 60, &missing, &solutions);
  }
  CHECK(missing == 0);
  CHECK(solutions > RANDOM * 5 * 2); /* about 3.5 a pose are known */
}

static void test_usual_arms_complete(void) {
  hik_rng rng = hik_rng_start(2, 0);
  const double(*arms[4])[6] = {arm_ur5, arm_puma, arm_irb120, arm_crx};
  for (int k = 0; k < 4; k++) {
    int missing = 0, solutions = 0;
    hik_loop arm = dh_loop(arms[k][0], arms[k][1], arms[k][2]);
    hik_general6_prepare(&arm, &plan, work);
    complete(&arm, &rng, CHECK_REPEATS(60, 10), 0, &missing, &solutions);
    CHECK(missing == 0);
    if (missing) printf("arm %d: %d missing, disturbed %d\n", k, missing, plan.disturbed);
  }
}

static void test_one_slide_anywhere(void) {
  hik_rng rng = hik_rng_start(3, 0);
  for (int at = 0; at < 6; at++) {
    int missing = 0, solutions = 0;
    for (int k = 0; k < CHECK_REPEATS(5, 1); k++) {
      hik_loop arm = random_arm(&rng);
      arm.kind[at] = 1;
      hik_general6_prepare(&arm, &plan, work);
      complete(&arm, &rng, 5, 40, &missing, &solutions);
    }
    CHECK(missing == 0);
    if (missing) printf("slide at %d: %d missing of %d\n", at, missing, solutions);
  }
}

static void test_two_and_three_slides(void) {
  hik_rng rng = hik_rng_start(4, 1);
  for (int a = 0; a < CHECK_REPEATS(30, 6); a++) {
    int missing = 0, solutions = 0, wanted = 2 + a % 2;
    hik_loop arm = random_arm(&rng);
    for (int made = 0; made < wanted;) {
      int at = (int)(6 * hik_rng_uniform(&rng));
      hik_pose link = arm.g[at], turn = {{0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1}, {0, 0, 0}};
      if (arm.kind[at]) continue;
      hik_pose_mul(&turn, &link, &arm.g[at]);
      arm.kind[at] = 1, made++;
    }
    hik_general6_prepare(&arm, &plan, work);
    CHECK(plan.far != 0);
    complete(&arm, &rng, 6, 40, &missing, &solutions);
    CHECK(missing == 0 && solutions >= 6);
    if (missing) printf("%d slides: %d missing of %d\n", wanted, missing, solutions);
  }
}

static void test_out_of_reach_is_empty(void) {
  hik_rng rng = hik_rng_start(4, 0);
  hik_loop arm = random_arm(&rng), loop;
  double q[6], theta[16][6];
  hik_general6_prepare(&arm, &plan, work);
  for (int k = 0; k < 20; k++) {
    loop = arm;
    random_posture(&loop, &rng, q);
    close_at(&loop, q);
    loop.g[5].t[0] += 100;
    CHECK(solve(&loop, theta) == 0);
  }
}

static void test_not_a_number_ends(void) {
  hik_rng rng = hik_rng_start(5, 0);
  hik_loop arm = random_arm(&rng);
  double theta[16][6];
  hik_general6_prepare(&arm, &plan, work);
  arm.g[5].t[1] = NAN;
  bool sure;
  CHECK(hik_general6_solve(&arm, &plan, work, theta, &sure) == 0);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  work = malloc(hik_general6_work_size());
  RUN(test_manseur_doty_has_sixteen);
  RUN(test_random_arms_complete);
  RUN(test_usual_arms_complete);
  RUN(test_one_slide_anywhere);
  RUN(test_two_and_three_slides);
  RUN(test_out_of_reach_is_empty);
  RUN(test_not_a_number_ends);
  free(work);
  CHECK_END();
}
