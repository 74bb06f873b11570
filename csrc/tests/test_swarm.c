/* test_swarm.c: shares solved, bytes, ends, neighbourhoods. */
#include "sampling_figures.h"

/* Rings of every width, and all as neighbours, are solvers; they differ. */
static void test_neighbourhoods(void) {
  hik_model *m = planar_chain(5, 2);
  hik_problem *p = make_problem(m, "position", 1e-4);
  double first = 0;
  for (int reach = 0; reach <= 30; reach += 5) {
    hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "particle_swarm"));
    o.param[0] = 20, o.param[2] = reach;
    solved s = solve_with("particle_swarm", p, &o, (double[3]){0.2, 0.6, 0}, NULL);
    CHECK(s.outcome == HIK_CONVERGED);
    if (reach == 0) first = s.q[0];
    CHECK(reach < 10 || s.q[0] == first); /* a ring of 21 holds all 20 */
    if (reach == 5) CHECK(s.q[0] != first);
  }
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  run_sampling_tests("particle_swarm", (const int[4]){28, 25, 28, 28});
  RUN(test_neighbourhoods);
  CHECK_END();
}
