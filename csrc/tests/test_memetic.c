/* test_memetic.c: shares solved, bytes, ends, what exploitation adds. */
#include "sampling_figures.h"

/* Poses of a hinged arm: with exploitation all, without it few of them. */
static void test_exploitation(void) {
  hik_model *m = hinge_arm();
  hik_problem *p = make_problem(m, "pose", 1e-3);
  int good[2] = {0, 0};
  for (int polish = 0; polish < 2; polish++) {
    hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "memetic"));
    o.param[2] = polish ? 8 : 0;
    for (uint64_t draw = 0; draw < 20; draw++) {
      double q[4 * MOST], target[7];
      memcpy(q, m->rest, (size_t)m->nq * sizeof *q);
      hik_random_q(m, 2, draw, q);
      target_of(m, q, true, target);
      good[polish] += solve_with("memetic", p, &o, target, NULL).outcome == HIK_CONVERGED;
    }
  }
  CHECK(good[1] == 20);
  CHECK(good[0] < 20);
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  run_sampling_tests("memetic", (const int[4]){30, 30, 30, 30});
  RUN(test_exploitation);
  CHECK_END();
}
