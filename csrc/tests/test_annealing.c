/* test_annealing.c: shares solved, bytes, ends, and the schedule. */
#include "sampling_figures.h"

/* With a schedule of one sweep each the sweeps are counted: freeze after ln(freeze / heat) / ln(cooling) sweeps, and so
   many reheats. */
static void test_schedule(void) {
  hik_model *m = hinge_arm();
  hik_problem *p = make_problem(m, "pose", 1e-12);
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "simulated_annealing"));
  double target[7];
  target_of(m, m->rest, true, target);
  target[0] -= 0.3, target[1] += 0.1;
  o.param[0] = 1, o.param[1] = 0.5, o.param[2] = 1.0 / 1000, o.param[3] = 3;
  double q0[4 * MOST];
  memcpy(q0, m->rest, (size_t)m->nq * sizeof *q0);
  hik_random_q(m, 1, 1, q0);
  solved s = solve_with("simulated_annealing", p, &o, target, q0);
  CHECK(s.outcome == HIK_STALLED);
  CHECK(s.iterations == 40); /* 2^-10 < 1/1000: ten sweeps, four times */
  CHECK(s.remedies == 3);
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  run_sampling_tests("simulated_annealing", (const int[4]){28, 28, 28, 28});
  RUN(test_schedule);
  CHECK_END();
}
