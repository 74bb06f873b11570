/* test_pieper.c: closed forms against the postures that made the poses and against the general solver. */
#include "analytic/general6.h"
#include "analytic/pieper.h"
#include "tests/arms.h"
#include "tests/check.h"

#include <stdlib.h>

static hik_general6_work *work;

/* Solves one closed loop by the closed form that `shift` calls for, in the joints of `loop`. */
static bool hidden;

static int solve(const hik_loop *loop, int shift, bool wrist, double (*theta)[6]) {
  hik_loop turned;
  hik_posture found[HIK_PARALLEL_MAX];
  double here, there, residual[6];
  hik_loop_turn(loop, shift, false, &turned);
  int n;
  if (wrist) {
    CHECK(hik_wrist_test(&turned, 1e-9, &here, &there));
    n = hik_wrist_solve(&turned, here, there, found, &hidden);
  } else {
    CHECK(hik_parallel_test(&turned, 1e-9));
    n = hik_parallel_solve(&turned, found, &hidden);
  }
  int count = 0;
  for (int k = 0; k < n; k++) {
    double far = hik_loop_residual(&turned, found[k].theta, residual, NULL);
    CHECK(far < 1e-7);
    CHECK(far < 20 * found[k].error + 1e-13); /* the error told is no understatement */
    for (int i = 0; i < 6; i++) theta[count][hik_loop_source(6, shift, false, i)] = found[k].theta[i];
    count++;
  }
  return count;
}

static void compare(const hik_loop *arm, int shift, bool wrist, int poses, bool with_general,
                    const char *name) {
  hik_rng rng = hik_rng_start(21, (uint64_t)shift);
  hik_general6_plan plan;
  if (with_general) hik_general6_prepare(arm, &plan, work);
  int missing = 0, fewer = 0;
  for (int k = 0; k < poses; k++) {
    hik_loop loop = *arm;
    double q[6], theta[16][6], all[16][6];
    random_posture(&loop, &rng, q);
    close_at(&loop, q);
    int n = solve(&loop, shift, wrist, theta);
    missing += !among(&loop, q, theta, n, 1e-5);
    if (!with_general) continue;
    bool sure;
    int m = hik_general6_solve(&loop, &plan, work, all, &sure);
    for (int j = 0; j < m; j++) fewer += !among(&loop, all[j], theta, n, 1e-5);
  }
  CHECK(missing == 0 && fewer == 0);
  if (missing || fewer) printf("%s shift %d: %d missing, %d fewer\n", name, shift, missing, fewer);
}

static void test_wrist_arms(void) {
  hik_loop puma = dh_loop(arm_puma[0], arm_puma[1], arm_puma[2]);
  hik_loop irb = dh_loop(arm_irb120[0], arm_irb120[1], arm_irb120[2]);
  compare(&puma, 0, true, CHECK_REPEATS(200, 40), true, "puma");
  compare(&irb, 0, true, CHECK_REPEATS(200, 40), true, "irb120");
}

/* Three random axes that meet at each place of a random arm; the others turn or slide in any mix. */
static void test_wrist_anywhere(void) {
  hik_rng rng = hik_rng_start(22, 0);
  for (int at = 0; at < 4; at++)
    for (int mix = 0; mix < 8; mix++) {
      hik_loop arm = random_arm(&rng);
      for (int i = 0, k = 0; i < 6; i++) {
        bool inside = i >= at && i < at + 3;
        if (!inside) arm.kind[i] = mix >> k++ & 1;
        if (arm.kind[i]) { /* a slide needs its own turn about z, or neighbours stay in one plane */
          hik_pose link = arm.g[i], turn = {{0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1}, {0, 0, 0}};
          hik_pose_mul(&turn, &link, &arm.g[i]);
        }
        if (inside && i < at + 2 && i < 5) {
          hik_pose turn = dh_link(0, 0, draw(&rng, 0.3, 2.5));
          arm.g[i] = turn;
        }
      }
      compare(&arm, (at + 3) % 6, true, 40, mix == 0, "wrist");
    }
}

static void test_parallel_arms(void) {
  hik_loop ur = dh_loop(arm_ur5[0], arm_ur5[1], arm_ur5[2]);
  compare(&ur, 1, false, CHECK_REPEATS(200, 40), true, "ur5");
  hik_rng rng = hik_rng_start(23, 0);
  for (int at = 0; at < 4; at++)
    for (int round = 0; round < 4; round++) {
      hik_loop arm = random_arm(&rng);
      for (int i = at; i < at + 2; i++)
        arm.g[i] = dh_link(draw(&rng, -1, 1), draw(&rng, 0.2, 1), round % 2 && i == at ? HIK_PI : 0);
      compare(&arm, at, false, 60, true, "parallel");
    }
}

/* One of the other three slides, in each place: with the general method's postures. Two slides are none of this class. */
static void test_parallel_arms_with_a_slide(void) {
  hik_rng rng = hik_rng_start(27, 0);
  for (int at = 0; at < 4; at++)
    for (int place = 0; place < 3; place++)
      for (int round = 0; round < 2; round++) {
        hik_loop arm = random_arm(&rng), turned;
        for (int i = at; i < at + 2; i++)
          arm.g[i] = dh_link(draw(&rng, -1, 1), draw(&rng, 0.2, 1), round && i == at ? HIK_PI : 0);
        arm.kind[(at + 3 + place) % 6] = 1;
        hik_pose *slide = &arm.g[(at + 3 + place) % 6], link = *slide;
        hik_pose turn = {{0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1}, {0, 0, 0}};
        hik_pose_mul(&turn, &link, slide);
        compare(&arm, at, false, 40, true, "parallel and a slide");
        arm.kind[(at + 3 + (place + 1) % 3) % 6] = 1;
        hik_loop_turn(&arm, at, false, &turned);
        CHECK(!hik_parallel_test(&turned, 1e-9));
      }
}

/* The slide lies in the plane of the three turns: it is free where the pose can be met, and else there is no posture. */
static void test_a_slide_in_the_plane_of_parallel_turns(void) {
  hik_rng rng = hik_rng_start(28, 0);
  for (int k = 0; k < 20; k++) {
    hik_loop arm = random_arm(&rng);
    double q[6], theta[16][6];
    hik_posture found[HIK_PARALLEL_MAX];
    arm.g[0] = dh_link(0.1, 0.4, 0), arm.g[1] = dh_link(-0.2, 0.5, 0),
    arm.g[2] = dh_link(0.3, 0.2, HIK_PI / 2);
    arm.kind[3] = 1;
    random_posture(&arm, &rng, q);
    q[3] = 0; /* the representative */
    close_at(&arm, q);
    hidden = false;
    int n = hik_parallel_solve(&arm, found, &hidden);
    bool met = false;
    for (int j = 0; j < n; j++) {
      CHECK(found[j].free == 8);
      memcpy(theta[j], found[j].theta, sizeof theta[j]);
    }
    met = among(&arm, q, theta, n, 1e-6);
    CHECK(met);
    CHECK(!hidden);
    hik_pose last = arm.g[5], away = hik_pose_identity, far = hik_pose_identity;
    far.t[0] = 10, hidden = false;
    hik_pose_mul(&last, &far, &arm.g[5]);
    CHECK(hik_parallel_solve(&arm, found, &hidden) == 0);
    CHECK(hidden); /* the slide might have helped */
    for (int i = 0; i < 3; i++) away.t[i] = draw(&rng, -0.5, 0.5);
    hik_pose_mul(&last, &away, &arm.g[5]);
    CHECK(hik_parallel_solve(&arm, found, &hidden) == 0);
  }
}

/* Exactly singular postures give an answer all the same, and say that it stands for a family. */
static void test_singular_postures(void) {
  hik_rng rng = hik_rng_start(24, 0);
  const double(*arms[3])[6] = {arm_puma, arm_irb120, arm_ur5};
  for (int a = 0; a < 3; a++)
    for (int k = 0; k < CHECK_REPEATS(100, 20); k++) {
      hik_loop loop = dh_loop(arms[a][0], arms[a][1], arms[a][2]);
      double q[6], theta[16][6], residual[6], best = 1;
      random_posture(&loop, &rng, q);
      q[4] = k % 2 ? 0 : HIK_PI;                   /* wrist */
      if (k % 4 >= 2) q[2] = a == 1 ? -1.3372 : 0; /* and elbow, nearly or wholly stretched */
      close_at(&loop, q);
      int n = solve(&loop, a == 2 ? 1 : 0, a < 2, theta);
      for (int j = 0; j < n; j++) best = fmin(best, hik_loop_residual(&loop, theta[j], residual, NULL));
      CHECK(n > 0 && best < 1e-7);
      for (int j = 0; j < n; j++) {
        double x[6];
        memcpy(x, theta[j], sizeof x);
        best = fmin(best, hik_loop_polish(&loop, x, 20));
      }
      CHECK(best < 1e-12);
    }
}

/* The wrist's point on the first axis: joint 1 is free, and where the wrist leans its 0 may turn it out of reach. */
static void test_a_family_without_its_representative(void) {
  hik_rng rng = hik_rng_start(26, 0);
  int told = 0, shown = 0;
  for (int k = 0; k < 200; k++) {
    double d[6] = {0, 0, 0, 0.4, 0, 0}, a[6] = {0, 0.4, 0, 0, 0, 0}, q[6];
    double alpha[6] = {HIK_PI / 2, 0, HIK_PI / 2, 0.5, -0.5, 0};
    hik_loop loop = dh_loop(d, a, alpha);
    hik_posture found[HIK_PIEPER_MAX];
    double here, there;
    random_posture(&loop, &rng, q);
    q[1] = 1, q[2] = 1.5 * HIK_PI - 2; /* out and back */
    close_at(&loop, q);
    CHECK(hik_wrist_test(&loop, 1e-9, &here, &there));
    hidden = false;
    int n = hik_wrist_solve(&loop, here, there, found, &hidden);
    for (int j = 0; j < n; j++) shown += found[j].free & 1;
    told += hidden;
    CHECK(n > 0 || hidden);
  }
  CHECK(told > 20 && shown > 20);
}

static void test_out_of_reach(void) {
  hik_loop loop = dh_loop(arm_puma[0], arm_puma[1], arm_puma[2]);
  hik_rng rng = hik_rng_start(25, 0);
  double q[6], theta[16][6];
  random_posture(&loop, &rng, q);
  close_at(&loop, q);
  loop.g[5].t[2] += 10;
  CHECK(solve(&loop, 0, true, theta) == 0);
  hik_loop general = random_arm(&rng);
  double here, there;
  CHECK(!hik_wrist_test(&general, 1e-9, &here, &there));
  CHECK(!hik_parallel_test(&general, 1e-9));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  work = malloc(hik_general6_work_size());
  RUN(test_wrist_arms);
  RUN(test_wrist_anywhere);
  RUN(test_parallel_arms);
  RUN(test_singular_postures);
  RUN(test_parallel_arms_with_a_slide);
  RUN(test_a_slide_in_the_plane_of_parallel_turns);
  RUN(test_a_family_without_its_representative);
  RUN(test_out_of_reach);
  free(work);
  CHECK_END();
}
