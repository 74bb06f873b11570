/* test_genetic.c: shares solved, bytes, ends, and the elite that lives on. */
#include "sampling_figures.h"

/* As the elite lives on, the best error never rises. */
static void test_the_best_lives_on(void) {
  hik_model *m = cone_arm();
  hik_problem *p = make_problem(m, "position", 1e-9);
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "genetic"));
  o.max_iter = 80, o.param[7] = 0;
  for (uint64_t draw = 0; draw < 10; draw++) {
    double q[4 * MOST], target[7];
    memcpy(q, m->rest, (size_t)m->nq * sizeof *q);
    hik_random_q(m, 2, draw, q);
    target_of(m, q, false, target);
    solved s = solve_with("genetic", p, &o, target, NULL);
    for (int k = 1; k <= s.iterations; k++) CHECK(s.trace[k] <= s.trace[k - 1] * (1 + 1e-9) + 1e-12);
    CHECK(s.trace[s.iterations] < 0.1 * s.trace[0]);
  }
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  run_sampling_tests("genetic", (const int[4]){28, 25, 28, 28});
  RUN(test_the_best_lives_on);
  CHECK_END();
}
