/* test_ftl.c: solve/points/ftl.c: every outcome, the error that never rises, nudges, one against many. */
#include "ball_figures.h"

static hik_options defaults(void) { return hik_options_default(hik_find(HIK_SOLVERS, "ftl")); }

static void test_every_outcome(void) {
  hik_options o = defaults();
  check_ball_outcomes("ftl", &o, false);
}

static void test_a_block_is_its_problems(void) {
  hik_options o = defaults();
  check_ball_block("ftl", &o);
}

enum { STEPS = 40 };

/* Each follower moves by no more than its leader, so the base is dragged off by no more than the error was. */
static void test_the_error_never_rises(void) {
  static double trace[MANY * (STEPS + 1)], path[MANY * (STEPS + 1) * NQ], q[MANY * NQ], target[3 * MANY],
      start[MANY * NQ];
  int8_t outcome[MANY];
  int32_t iterations[MANY];
  figure f;
  figure_balls(&f, LINKS);
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-9);
  if (!p) return;
  hik_rng rng = hik_rng_start(8, 1);
  for (int i = 0; i < 3 * MANY; i++) target[i] = 1.4 * hik_rng_uniform(&rng) - 0.7;
  for (int i = 0; i < MANY; i++) hik_random_q(model, 4, (uint64_t)i, start + NQ * i);
  hik_options o = defaults();
  o.max_iter = STEPS, o.ftol = 0, o.param[0] = 0;
  hik_batch b = {.n = MANY, .target = target, .target_stride = 3, .q0 = start, .q0_stride = NQ, .q = q};
  b.outcome = outcome, b.iterations = iterations, b.trace = trace, b.path = path;
  CHECK(hik_solve(hik_find(HIK_SOLVERS, "ftl"), p, &o, &b, &ball_error) == HIK_OK);
  int longer = 0;
  for (int i = 0; i < MANY; i++) {
    const double *row = trace + i * (STEPS + 1);
    for (int k = 1; k <= iterations[i] && outcome[i] != HIK_UNREACHABLE; k++)
      CHECK(row[k] <= row[k - 1] * (1 + 1e-14));
    longer += iterations[i] > 3;
  }
  CHECK(longer > MANY / 4);
  hik_problem_free(p), hik_model_free(model);
}

/* A straight chain with its target on its own line needs the nudge; without it the answer says so. */
static void test_nudges_are_counted_and_can_be_refused(void) {
  static ball_answers got;
  figure f;
  figure_balls(&f, LINKS);
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-6);
  if (!p) return;
  const double line[3] = {0.45, 0, 0}; /* that no folded chain meets */
  hik_options o = defaults();
  CHECK(ball_solve("ftl", &o, p, 1, line, NULL, 0, &got) == HIK_OK);
  CHECK(got.outcome[0] == HIK_CONVERGED && got.remedies[0] > 0 && got.remedies[0] <= 2);
  o.param[0] = 0;
  CHECK(ball_solve("ftl", &o, p, 1, line, NULL, 0, &got) == HIK_OK);
  CHECK(got.outcome[0] == HIK_STALLED && got.remedies[0] == 0 && got.distance[0] > 1e-3);
  hik_problem_free(p), hik_model_free(model);
}

static void test_other_figures_are_refused(void) { check_ball_refusal("ftl"); }

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_every_outcome);
  RUN(test_a_block_is_its_problems);
  RUN(test_the_error_never_rises);
  RUN(test_nudges_are_counted_and_can_be_refused);
  RUN(test_other_figures_are_refused);
  CHECK_END();
}
