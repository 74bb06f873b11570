/* test_triangulation.c: solve/points/triangulation.c: every outcome, any target in reach in one sweep, one against many. */
#include "ball_figures.h"

static hik_options defaults(void) { return hik_options_default(hik_find(HIK_SOLVERS, "triangulation")); }

static void test_every_outcome(void) {
  hik_options o = defaults();
  check_ball_outcomes("triangulation", &o, true);
}

static void test_a_block_is_its_problems(void) {
  hik_options o = defaults();
  check_ball_block("triangulation", &o);
}

/* Links of one to a thousand in any order, targets anywhere between the edges and on them, random starts and straight ones:
   met to rounding, or as near as the lengths allow. */
static void test_one_sweep_is_enough(void) {
  static ball_answers got;
  hik_options o = defaults();
  hik_rng rng = hik_rng_start(3, 14);
  for (int round = 0; round < CHECK_REPEATS(2000, 100); round++) {
    figure f;
    double q0[NQ], target[3], reach = 0, longest = 0;
    int n = 1 + (int)(LINKS * hik_rng_uniform(&rng));
    figure_balls(&f, n);
    for (int k = 0; k < n; k++) {
      double length = exp(-7 * hik_rng_uniform(&rng));
      figure_place(k + 1 < n ? f.placement + 12 * (k + 1) : f.frame_placement + 12 * k, length, 0, 0, 0);
      reach += length, longest = fmax(longest, length);
    }
    hik_model *model = NULL;
    hik_problem *p = ball_problem(&f, &model, 1e-12);
    if (!p) return;
    double least = fmax(0, 2 * longest - reach), share = 1.4 * hik_rng_uniform(&rng) - 0.2;
    double far = fmax(0, least + (reach - least) * share), norm = 0;
    for (int c = 0; c < 3; c++) target[c] = round % 5 ? 2 * hik_rng_uniform(&rng) - 1 : c == 0;
    norm = hik_norm(target);
    hik_scale3(far / norm, target, target);
    hik_random_q(model, 6, (uint64_t)round, q0);
    CHECK(ball_solve("triangulation", &o, p, 1, target, round % 3 ? q0 : NULL, 0, &got) == HIK_OK);
    double off = fmax(0, fmax(least - far, far - reach));
    CHECK_NEAR(got.distance[0], off, 1e-13);
    CHECK(got.iterations[0] <= 1);
    CHECK(got.outcome[0] == (off > 1e-12 ? HIK_UNREACHABLE : HIK_CONVERGED));
    hik_problem_free(p), hik_model_free(model);
  }
}

/* Two links by hand: the bone keeps to its side of the line, and what is behind the triangle is straight. */
static void test_the_triangle_by_hand(void) {
  static ball_answers got;
  figure f;
  figure_balls(&f, 3); /* 0.3, 0.3 and 0.2 m along x */
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-9);
  if (!p) return;
  const double target[3] = {0.0, 0.5, 0};
  hik_options o = defaults();
  CHECK(ball_solve("triangulation", &o, p, 1, target, NULL, 0, &got) == HIK_OK);
  /* sides 0.3, 0.5 and 0.5: the first bone is off the y axis by acos 0.3, towards x, where it was */
  double half = 0.5 * (HIK_PI / 2 - hik_acos(0.3));
  CHECK_NEAR(fabs(got.q[0]), fabs(cos(half)), 1e-15);
  CHECK_NEAR(fabs(got.q[3]), fabs(sin(half)), 1e-15);
  CHECK_NEAR(fabs(got.q[8]), 1, 1e-15); /* the last joint does not bend */
  hik_problem_free(p), hik_model_free(model);
}

static void test_other_figures_are_refused(void) { check_ball_refusal("triangulation"); }

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_every_outcome);
  RUN(test_a_block_is_its_problems);
  RUN(test_one_sweep_is_enough);
  RUN(test_the_triangle_by_hand);
  RUN(test_other_figures_are_refused);
  CHECK_END();
}
