/* test_two.c: every answer's posture must be among the candidates, for all kinds and for parallel axes. */
#include "analytic/two.h"

#include "base/quat.h"
#include "base/rng.h"
#include "check.h"

static void place(const int32_t kind[2], const hik_pose *link, const double tip[3], const double theta[2],
                  double at[3]) {
  hik_pose first, second, end;
  hik_loop_move(kind[0], theta[0], &hik_pose_identity, &first);
  hik_pose_mul(&first, link, &second);
  hik_loop_move(kind[1], theta[1], &second, &end);
  hik_mat_vec(end.r, tip, at);
  hik_add3(at, end.t, at);
}

static double drawn(hik_rng *rng) { return 2 * hik_rng_uniform(rng) - 1; }

static void test_own_posture(void) {
  hik_rng rng = hik_rng_start(9, 1);
  for (int trial = 0; trial < 400; trial++) {
    int32_t kind[2] = {trial & 1, trial >> 1 & 1};
    hik_pose link = hik_pose_identity;
    uint8_t swings[HIK_TWO_MAX];
    double tip[3], theta[2], goal[3], found[HIK_TWO_MAX][2], axis[3], angle = trial % 5 ? 3 * drawn(&rng) : 0;
    for (int k = 0; k < 3; k++) axis[k] = drawn(&rng), tip[k] = drawn(&rng), link.t[k] = drawn(&rng);
    double s, c;
    hik_unit(axis, axis);
    hik_sincos(angle, &s, &c);
    hik_mat_axis(axis, c, s, link.r);
    for (int k = 0; k < 2; k++) theta[k] = 2.5 * drawn(&rng);
    place(kind, &link, tip, theta, goal);
    int n = hik_two_solve(kind, &link, tip, goal, found, swings), good = 0;
    CHECK(n <= HIK_TWO_MAX);
    for (int i = 0; i < n; i++) {
      double at[3], gap[3];
      place(kind, &link, tip, found[i], at);
      hik_sub3(at, goal, gap);
      bool reaches = hik_norm(gap) < 1e-9;
      good += reaches && fabs(found[i][0] - theta[0]) < 1e-6 && fabs(found[i][1] - theta[1]) < 1e-6;
    }
    bool line = kind[0] == 1 && kind[1] == 1 && angle == 0; /* two slides along one line: any share */
    CHECK(good > 0 || line);
  }
}

static void test_off_the_surface(void) {
  int32_t kind[2] = {0, 0};
  hik_pose link = hik_pose_identity;
  uint8_t swings[HIK_TWO_MAX];
  double tip[3] = {1, 0, 0}, goal[3] = {0.3, 0.2, 5}, found[HIK_TWO_MAX][2];
  link.t[0] = 1;
  int n = hik_two_solve(kind, &link, tip, goal, found, swings);
  for (int i = 0; i < n; i++) {
    double at[3], gap[3];
    place(kind, &link, tip, found[i], at);
    hik_sub3(at, goal, gap);
    CHECK(hik_norm(gap) > 1);
  }
}

/* A tip that reaches the first axis: joint 1 may take any value, and it is told, up to what a pose may be off. */
static void test_a_point_on_the_first_axis_is_free(void) {
  const int32_t kind[2] = {0, 0};
  hik_pose link = hik_pose_identity;
  const double tip[3] = {1, 0, 0}, across[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
  memcpy(link.r, across, sizeof across);
  for (int k = 0; k < 3; k++) {
    const double far[3] = {0, 0.9e-10, 1.1e-10};
    double goal[3] = {far[k], 0, sqrt(1 - far[k] * far[k])}, found[HIK_TWO_MAX][2];
    uint8_t swings[HIK_TWO_MAX];
    int n = hik_two_solve(kind, &link, tip, goal, found, swings);
    CHECK(n > 0);
    for (int i = 0; i < n; i++) CHECK(swings[i] == (k < 2));
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_own_posture);
  RUN(test_off_the_surface);
  RUN(test_a_point_on_the_first_axis_is_free);
  CHECK_END();
}
