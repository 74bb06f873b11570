/* test_planar.c: planar arms of every kind of joints, tilted in space, against their own forward kinematics. */
#include "analytic/planar.h"
#include "tests/arms.h"
#include "tests/check.h"

static const double turn90[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; /* z of the new frame along x of the old */

/* A loop whose joints all move in one plane: turns along the normal, slides at some angle in it. */
static hik_loop planar_arm(const char *kinds, hik_rng *rng, hik_pose *tip) {
  hik_loop loop = {.n = (int32_t)strlen(kinds)};
  double s, c, tilt[9];
  hik_sincos(draw(rng, -1, 1), &s, &c);
  hik_mat_axis((double[3]){0.6, 0, 0.8}, c, s, tilt);
  hik_pose world[4];
  for (int i = 0; i <= loop.n; i++) {
    double flat[9], place[3] = {draw(rng, -1, 1), draw(rng, -1, 1), 0};
    memcpy(flat, hik_pose_identity.r, sizeof flat);
    if (i < loop.n) loop.kind[i] = kinds[i] == 'P';
    hik_sincos(draw(rng, -3, 3), &s, &c);
    hik_mat_turn_z(hik_pose_identity.r, c, s, flat);
    if (i < loop.n && loop.kind[i]) {
      double mixed[9];
      hik_mat_mul(flat, turn90, mixed);
      memcpy(flat, mixed, sizeof flat);
    } else if (i < loop.n && i % 2) { /* a turn about the normal from below */
      double mixed[9], over[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1};
      hik_mat_mul(flat, over, mixed);
      memcpy(flat, mixed, sizeof flat);
    }
    hik_mat_mul(tilt, flat, world[i].r);
    hik_mat_vec(tilt, place, world[i].t);
  }
  for (int i = 0; i <= loop.n; i++) {
    hik_pose back, link;
    if (i == 0) continue;
    hik_pose_inverse(&world[i - 1], &back);
    hik_pose_mul(&back, &world[i], &link);
    if (i < loop.n)
      loop.g[i - 1] = link;
    else
      *tip = link;
  }
  return loop;
}

static void forward(const hik_loop *loop, const hik_pose *tip, const double *q, hik_pose *out) {
  hik_pose at = hik_pose_identity, moved = at;
  for (int i = 0; i < loop->n; i++) {
    hik_loop_move(loop->kind[i], q[i], &at, &moved);
    hik_pose_mul(&moved, i + 1 < loop->n ? &loop->g[i] : tip, &at);
  }
  *out = at;
}

static void test_every_kind(void) {
  static const char *const kinds[] = {"RR",  "RP",  "PR",  "PP",  "RRR", "RRP",
                                      "RPR", "PRR", "RPP", "PRP", "PPR"};
  hik_rng rng = hik_rng_start(41, 0);
  for (int k = 0; k < HIK_COUNT_OF(kinds); k++)
    for (int round = 0; round < 50; round++) {
      hik_pose tip, goal, at;
      hik_planar planar;
      hik_loop loop = planar_arm(kinds[k], &rng, &tip);
      CHECK(hik_planar_test(&loop, &tip, 1e-9, &planar));
      double q[3] = {0}, theta[2][3];
      for (int i = 0; i < loop.n; i++) q[i] = draw(&rng, -1.5, 1.5);
      forward(&loop, &tip, q, &goal);
      bool exact, there = false;
      uint8_t swings;
      int n = hik_planar_solve(&planar, &goal, false, theta, &exact, &swings);
      CHECK(n >= 1 && exact);
      for (int j = 0; j < n; j++) {
        forward(&loop, &tip, theta[j], &at);
        for (int i = 0; i < 3; i++) CHECK_NEAR(at.t[i], goal.t[i], 1e-9);
        for (int i = 0; i < 9 && loop.n == 3; i++) CHECK_NEAR(at.r[i], goal.r[i], 1e-9);
        double gap = 0;
        for (int i = 0; i < loop.n; i++)
          gap = fmax(gap, fabs(loop.kind[i] ? theta[j][i] - q[i] : hik_wrap(theta[j][i] - q[i])));
        there = there || gap < 1e-6;
      }
      CHECK(there);
    }
}

static void test_out_of_reach_points_at_it(void) {
  hik_loop loop = {.n = 2};
  loop.g[0] = (hik_pose){{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.5, 0, 0}};
  hik_pose tip = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.4, 0, 0}}, goal = tip;
  hik_planar planar;
  double theta[2][3];
  bool exact;
  uint8_t swings;
  CHECK(hik_planar_test(&loop, &tip, 1e-9, &planar));
  goal.t[0] = 3, goal.t[1] = 4;
  CHECK(hik_planar_solve(&planar, &goal, false, theta, &exact, &swings) == 1 && !exact);
  CHECK_NEAR(theta[0][0], 0.92729521800161219, 1e-9);
  CHECK_NEAR(theta[0][1], 0, 1e-9);
}

/* Two equal links folded back: the tip stands on the first axis, whatever that turn is. */
static void test_a_tip_on_the_first_axis_swings(void) {
  hik_loop loop = {.n = 2};
  loop.g[0] = (hik_pose){{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.5, 0, 0}};
  hik_pose tip = loop.g[0], goal = hik_pose_identity;
  hik_planar planar;
  double theta[2][3];
  bool exact;
  uint8_t swings;
  CHECK(hik_planar_test(&loop, &tip, 1e-9, &planar));
  CHECK(hik_planar_solve(&planar, &goal, false, theta, &exact, &swings) == 1 && exact && swings == 1);
  loop.n = 3, loop.g[1] = loop.g[0], tip.t[0] = 0;
  CHECK(hik_planar_test(&loop, &tip, 1e-9, &planar));
  CHECK(hik_planar_solve(&planar, &goal, false, theta, &exact, &swings) == 1 && exact && swings == 5);
  goal.t[0] = 0.3;
  CHECK(hik_planar_solve(&planar, &goal, false, theta, &exact, &swings) == 2 && exact && swings == 0);
}

/* Two slides that a turn between them has made parallel: one does for both, and is told; beside their line there is
   nothing. */
static void test_slides_that_became_parallel(void) {
  hik_rng rng = hik_rng_start(43, 0);
  hik_pose tip, goal;
  hik_loop loop = planar_arm("PRP", &rng, &tip);
  hik_planar planar;
  CHECK(hik_planar_test(&loop, &tip, 1e-9, &planar));
  const double *a = planar.at[0], *b = planar.at[2];
  double parallel = atan2(a[1] * b[0] - a[0] * b[1], a[0] * b[0] + a[1] * b[1]) * planar.sign[1];
  double q[3] = {0.3, parallel, -0.4}, theta[2][3];
  bool exact;
  uint8_t swings;
  forward(&loop, &tip, q, &goal);
  CHECK(hik_planar_solve(&planar, &goal, true, theta, &exact, &swings) == 1 && swings == 5);
  CHECK_NEAR(theta[0][1], hik_wrap(parallel), 1e-12);
  CHECK_NEAR(fabs(theta[0][0]), fabs(parallel) < 1.5 ? 0.1 : 0.7, 1e-9);
  for (int k = 0; k < 3; k++) goal.t[k] += 1e-3 * (planar.across[1][k] * a[0] - planar.across[0][k] * a[1]);
  CHECK(hik_planar_solve(&planar, &goal, true, theta, &exact, &swings) == 0);
}

/* Of two joints the frame's turn tells what its place leaves open: a tip on the second axis, or on the first. */
static void test_the_turn_of_two_joints_counts(void) {
  static const char *const kinds[] = {"RR", "RR", "RP", "PR"};
  for (int k = 0; k < 4; k++) {
    hik_rng rng = hik_rng_start(44, (uint64_t)k);
    hik_pose tip, goal;
    hik_loop loop = planar_arm(kinds[k], &rng, &tip);
    if (k != 1) tip.t[0] = tip.t[1] = 0;
    if (k == 2) loop.g[0].t[0] = loop.g[0].t[1] = loop.g[0].t[2] = 0;
    if (k == 1) tip.t[0] = -loop.g[0].t[0], tip.t[1] = -loop.g[0].t[1];
    hik_planar planar;
    double q[2] = {0.7, k == 2 ? 0 : -0.4}, theta[2][3], least = 1;
    bool exact;
    uint8_t swings;
    if (!hik_planar_test(&loop, &tip, 1e-9, &planar)) continue;
    forward(&loop, &tip, q, &goal);
    int n = hik_planar_solve(&planar, &goal, true, theta, &exact, &swings);
    for (int i = 0; i < n; i++)
      least = fmin(least, fabs(hik_wrap(theta[i][0] - q[0])) + fabs(hik_wrap(theta[i][1] - q[1])));
    if (k != 1) CHECK(least < 1e-9);
    CHECK(swings == 0);
  }
}

static void test_not_planar(void) {
  hik_rng rng = hik_rng_start(42, 0);
  hik_loop loop = random_arm(&rng);
  hik_planar planar;
  loop.n = 3;
  CHECK(!hik_planar_test(&loop, &hik_pose_identity, 1e-9, &planar));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_every_kind);
  RUN(test_out_of_reach_points_at_it);
  RUN(test_a_tip_on_the_first_axis_swings);
  RUN(test_slides_that_became_parallel);
  RUN(test_the_turn_of_two_joints_counts);
  RUN(test_not_planar);
  CHECK_END();
}
