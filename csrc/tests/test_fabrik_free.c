/* test_fabrik_free.c: solve/points/fabrik_free.c: every outcome, single precision, lanes against one at a time. */
#include "solve/points/balls.h"

#include "ball_figures.h"
#include "simd/kernels.h"

static bool single; /* in floats */

static hik_status solve(const hik_problem *p, int32_t max_iter, int64_t n, const double *target,
                        const double *q0, int64_t stride, ball_answers *a) {
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "fabrik"));
  o.param[HIK_FABRIK_SINGLE] = single;
  if (max_iter >= 0) o.max_iter = max_iter;
  return ball_solve("fabrik", &o, p, n, target, q0, stride, a);
}

static void test_every_outcome(void) {
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "fabrik"));
  o.param[HIK_FABRIK_SINGLE] = single;
  check_ball_outcomes("fabrik", &o, false);
}

static ball_answers got, other;

static void test_a_block_is_its_problems(void) {
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "fabrik"));
  o.param[HIK_FABRIK_SINGLE] = single;
  check_ball_block("fabrik", &o);
}

/* A twist of the start about a bone is kept: a chain that need not move is not touched. */
static void test_the_twist_of_the_start_is_kept(void) {
  figure f;
  figure_balls(&f, 2);
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-9);
  if (!p) return;
  double start[8] = {0.8, 0.6, 0, 0, 1, 0, 0, 0},
         target[3] = {0.3, 0.2, 0}; /* the first turned about its own bone */
  CHECK(solve(p, -1, 1, target, start, 0, &got) == HIK_OK && got.outcome[0] == HIK_CONVERGED);
  /* The smallest rotation that takes bone onto bone, after the start's turn, gives the twist back exactly. */
  double before[9], after[9], bone[3], smallest[9], want[9], x[3] = {1, 0, 0};
  hik_quat_to_mat(start, before);
  hik_quat_to_mat(got.q, after);
  hik_mat_vec(after, x, bone);
  hik_mat_minimal(x, bone, smallest);
  hik_mat_mul(smallest, before, want);
  for (int i = 0; i < 9; i++) CHECK_NEAR(after[i], want[i], 1e-12);
  hik_problem_free(p), hik_model_free(model);
}

/* In floats: the same outcomes, and lanes give what single calls give. */
static void test_single_precision(void) {
  single = true;
  test_every_outcome();
  test_a_block_is_its_problems();
  single = false;
}

/* One iteration of every lane from the same points; row `row` of the first lane. */
static double after_iteration(double limit, double tolerance, hik_fabrik_row row) {
  static double points[9 * HIK_MOST_LANES] __attribute__((aligned(64))),
      rows[HIK_FABRIK_ROWS * HIK_MOST_LANES] __attribute__((aligned(64)));
  const hik_fabrik_kernels *k = &hik_kernels_in_use()->fabrik;
  const double start[9] = {0, 0, 0, 1, 0, 0, 1.6, 0.8, 0}, length[2] = {1, 1}, target[3] = {0.3, 1.2, 0.4};
  for (int32_t lane = 0; lane < k->lanes; lane++) {
    for (int32_t i = 0; i < 9; i++) points[i * k->lanes + lane] = start[i];
    for (int32_t i = 0; i < 3; i++) rows[i * k->lanes + lane] = target[i];
    rows[HIK_FABRIK_LIMIT * k->lanes + lane] = limit, rows[HIK_FABRIK_QUIET * k->lanes + lane] = 2;
  }
  k->free(2, length, tolerance, 0.5, points, rows);
  return rows[row * k->lanes];
}

/* The stop rule to the last bit: an error at the limit is no progress, one at the tolerance is done. */
static void test_the_stop_rule_at_its_edges(void) {
  double error = after_iteration(INFINITY, 0, HIK_FABRIK_ERROR), above = nextafter(error, 1e3);
  CHECK(error > 0.01 && error < 1);
  CHECK(after_iteration(error, 0, HIK_FABRIK_QUIET) == 3);
  CHECK(after_iteration(error, 0, HIK_FABRIK_LIMIT) == error);
  CHECK(after_iteration(above, 0, HIK_FABRIK_QUIET) == 0);
  CHECK(after_iteration(above, 0, HIK_FABRIK_LIMIT) == 0.5 * error);
  CHECK(after_iteration(INFINITY, error, HIK_FABRIK_QUIET) == HIK_FABRIK_DONE);
  CHECK(after_iteration(INFINITY, nextafter(error, 0), HIK_FABRIK_QUIET) == 0);
}

static void test_single_precision_says_what_it_cannot(void) {
  const double target[3] = {0.1, 0.2, 0.3};
  figure f;
  figure_balls(&f, 2);
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 5e-7); /* the floor of two links of 0.5 m together is 6e-7 */
  if (!p) return;
  CHECK(solve(p, -1, 1, target, NULL, 0, &got) == HIK_OK);
  single = true;
  CHECK(solve(p, -1, 1, target, NULL, 0, &got) == HIK_BAD_ARGUMENT && strstr(ball_error.text, "6e-07"));
  hik_problem_free(p), hik_model_free(model);
  figure_planar(&f, 2); /* hinges */
  p = ball_problem(&f, &model, 1e-3);
  CHECK(p && solve(p, -1, 1, target, NULL, 0, &got) == HIK_UNSUPPORTED &&
        strstr(ball_error.text, "free balls"));
  single = false;
  hik_problem_free(p), hik_model_free(model);
}

/* Starts of restarts are drawn: the start of the others must not be lost over them. */
static void test_restarts_leave_the_shared_start_alone(void) {
  figure f;
  figure_balls(&f, 2);
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-6);
  if (!p) return;
  int32_t solver = hik_find(HIK_SOLVERS, "fabrik");
  hik_options o = hik_options_default(solver);
  double target[3 * MANY];
  for (int i = 0; i < 3 * MANY; i++) target[i] = i % 9 < 3 ? 0.01 : 0.05 + 0.002 * (i % 100);
  o.max_iter = 3;
  for (int restarts = 0; restarts < 2; restarts++) {
    ball_answers *to = restarts ? &got : &other;
    hik_batch b = {.n = MANY, .target = target, .target_stride = 3, .q = to->q, .outcome = to->outcome};
    o.retries = restarts;
    CHECK(hik_solve(solver, p, &o, &b, &ball_error) == HIK_OK);
  }
  int unmet = 0;
  for (int i = 0; i < MANY; i++) {
    unmet += other.outcome[i] == HIK_MAX_ITER;
    if (other.outcome[i] == HIK_CONVERGED)
      CHECK(memcmp(got.q + 8 * i, other.q + 8 * i, 8 * sizeof(double)) == 0);
  }
  CHECK(unmet > 5 && unmet < MANY - 5);
  hik_problem_free(p), hik_model_free(model);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_every_outcome);
  RUN(test_a_block_is_its_problems);
  RUN(test_single_precision);
  RUN(test_the_stop_rule_at_its_edges);
  RUN(test_single_precision_says_what_it_cannot);
  RUN(test_restarts_leave_the_shared_start_alone);
  RUN(test_the_twist_of_the_start_is_kept);
  CHECK_END();
}
