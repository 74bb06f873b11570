#include "solver_figures.h"

static void check_share(hik_model *m, bool pose, int least) {
  int good = count_solved("ccd", m, pose, 300);
  if (good < least) printf("%d of 300 solved, %d wanted\n", good, least);
  CHECK(good >= least);
  hik_model_free(m);
}

static void reaches_targets_inside_the_limits(void) {
  check_share(planar_chain(9, HIK_PI), false, 295);
  check_share(ball_arm(), false, 297);
  check_share(gantry(), false, 290);
  check_share(hinge_arm(), false, 180);
}

static void reaches_poses(void) {
  check_share(ball_arm(), true, 270);
  check_share(gantry(), true, 290);
}

/* A sweep is exact in every joint: for a position the distance never grows. */
static void distance_never_grows(void) {
  hik_model *models[] = {planar_chain(9, 1), hinge_arm(), gantry(), ball_arm()};
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "ccd"));
  o.param[0] = o.param[3] = 0; /* no nudges and no new starts, which may raise it */
  for (int k = 0; k < 4; k++) {
    const hik_model *m = models[k];
    hik_problem *p = make_problem(m, "position", 1e-6);
    for (int i = 0; i < 50; i++) {
      double q[4 * MOST], target[7];
      memcpy(q, m->rest, (size_t)m->nq * sizeof *q);
      hik_random_q(m, 3, (uint64_t)i, q);
      target_of(m, q, false, target);
      solved s = solve_with("ccd", p, &o, target, m->rest);
      for (int32_t j = 0; j < s.iterations; j++) CHECK(s.trace[j + 1] <= s.trace[j] + 1e-12);
    }
    hik_problem_free(p);
    hik_model_free(models[k]);
  }
}

static void straight_chain_with_its_target_on_its_line(void) {
  const double at[4] = {0.9, 0.7, 0.5, 0.3};
  hik_model *m = planar_chain(9, HIK_PI);
  hik_problem *p = make_problem(m, "position", 1e-3);
  for (int i = 0; i < 4; i++)
    CHECK(solve_with("ccd", p, NULL, (double[3]){at[i], 0, 0}, m->rest).outcome == HIK_CONVERGED);
  solved s = solve_with("ccd", p, NULL, (double[3]){0, 1.2, 0}, m->rest);
  CHECK(s.outcome == HIK_UNREACHABLE && s.error < 0.202);
  hik_problem_free(p);
  hik_model_free(m);
}

static void orientation_and_axis(void) {
  hik_model *m = hinge_arm();
  hik_problem *p = make_problem(m, "orientation", 1e-4);
  double q[4 * MOST] = {0.3, 0.4, 0.2, 1, 0.1, 0.2, 0.1}, target[7];
  target_of(m, q, true, target);
  solved s = solve_with("ccd", p, NULL, target + 3, m->rest);
  CHECK(s.outcome == HIK_CONVERGED && s.iterations > 0);
  hik_problem_free(p);
  p = make_problem(m, "axis", 1e-4);
  s = solve_with("ccd", p, NULL, (double[3]){0, 3, 1}, m->rest);
  CHECK(s.outcome == HIK_CONVERGED && s.iterations > 0);
  hik_problem_free(p);
  hik_model_free(m);
}

/* Two hands on one spine: both are reached at once. */
static void two_goals_on_a_tree(void) {
  figure f = {0};
  const double lower = -2, upper = 2;
  add_joint(&f, -1, HIK_BALL, "z", (double[3]){0, 0, 1}, 0, 0);
  for (int side = -1; side <= 1; side += 2) {
    int32_t shoulder = add_joint(&f, 0, HIK_BALL, "z", (double[3]){0, 0.2 * side, 0.5}, 0, 0);
    int32_t elbow = add_joint(&f, shoulder, HIK_REVOLUTE, "z", (double[3]){0.3, 0, 0}, lower, upper);
    add_frame_at(&f, elbow, 0.3, 0, 0);
  }
  hik_model *m = freeze_figure(&f);
  hik_term t[2] = {hik_term_default(0), hik_term_default(0)};
  hik_problem *p = NULL;
  t[1].frame = 1;
  t[0].frame = 0;
  CHECK(hik_problem_create(m, t, 2, &p, NULL) == HIK_OK);
  solved s = solve_with("ccd", p, NULL, (double[6]){0.3, -0.3, 1.3, 0.4, 0.2, 1.6}, m->rest);
  CHECK(s.outcome == HIK_CONVERGED);
  CHECK(hik_inside(m, s.q, 0));
  hik_problem_free(p);
  hik_model_free(m);
}

static void weights_are_checked(void) {
  hik_model *m = planar_chain(3, 1);
  hik_problem *p = make_problem(m, "position", 1e-3);
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "ccd"));
  o.param[1] = 0;
  CHECK(solve_with("ccd", p, &o, (double[3]){0.5, 0, 0}, m->rest).status == HIK_BAD_ARGUMENT);
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(reaches_targets_inside_the_limits);
  RUN(reaches_poses);
  RUN(distance_never_grows);
  RUN(straight_chain_with_its_target_on_its_line);
  RUN(orientation_and_axis);
  RUN(two_goals_on_a_tree);
  RUN(weights_are_checked);
  CHECK_END();
}
