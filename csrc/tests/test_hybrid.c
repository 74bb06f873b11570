#include "solver_figures.h"

static void check_all(hik_model *m, bool pose) {
  int good = count_solved("hybrid", m, pose, 300);
  if (good < 300) printf("%d of 300 solved\n", good);
  CHECK(good == 300);
  hik_model_free(m);
}

static void reaches_all_targets_inside_the_limits(void) {
  check_all(planar_chain(9, 1.05), false);
  check_all(hinge_arm(), false);
  check_all(hinge_arm(), true);
  check_all(ball_arm(), true);
  check_all(gantry(), false);
}

/* Near the target it begins with least squares: one step, and the same as without FABRIK. */
static void near_the_target_it_moves_little(void) {
  hik_model *m = hinge_arm();
  hik_problem *p = make_problem(m, "position", 1e-4);
  double q[7] = {0.3, 0.4, 0.2, 1, 0.1, 0.2, 0.1}, q0[7], target[7];
  for (int k = 0; k < 7; k++) q0[k] = q[k] + (k % 2 ? 0.01 : -0.01);
  target_of(m, q, false, target);
  hik_options none = hik_options_default(hik_find(HIK_SOLVERS, "hybrid"));
  none.param[1] = 0;
  solved s = solve_with("hybrid", p, NULL, target, q0), d = solve_with("hybrid", p, &none, target, q0);
  CHECK(s.outcome == HIK_CONVERGED && s.iterations <= 2);
  CHECK(memcmp(s.q, d.q, sizeof q) == 0);
  hik_problem_free(p);
  hik_model_free(m);
}

static void straight_chain_out_of_reach_and_caps(void) {
  hik_model *m = planar_chain(9, HIK_PI);
  hik_problem *p = make_problem(m, "position", 1e-3);
  CHECK(solve_with("hybrid", p, NULL, (double[3]){0.5, 0, 0}, m->rest).outcome == HIK_CONVERGED);
  solved s = solve_with("hybrid", p, NULL, (double[3]){1.2, 0.4, 0}, m->rest);
  CHECK(s.outcome == HIK_UNREACHABLE);
  CHECK(s.error < sqrt(1.2 * 1.2 + 0.16) - 1 + 0.05);
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "hybrid"));
  o.max_iter = 0;
  s = solve_with("hybrid", p, &o, (double[3]){0.5, 0.3, 0}, m->rest);
  CHECK(s.outcome == HIK_MAX_ITER && s.iterations == 0);
  o.max_iter = 1;
  s = solve_with("hybrid", p, &o, (double[3]){0.5, 0.3, 0}, m->rest);
  CHECK(s.iterations == 1 && s.trace[1] == s.error);
  o.max_iter = 100;
  o.param[0] = -1;
  CHECK(solve_with("hybrid", p, &o, (double[3]){0.5, 0.3, 0}, m->rest).status == HIK_BAD_ARGUMENT);
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(reaches_all_targets_inside_the_limits);
  RUN(near_the_target_it_moves_little);
  RUN(straight_chain_out_of_reach_and_caps);
  CHECK_END();
}
