#include "solver_figures.h"

static void check_share(hik_model *m, bool pose, int least) {
  int good = count_solved("fabrik", m, pose, 300);
  if (good < least) printf("%d of 300 solved, %d wanted\n", good, least);
  CHECK(good >= least);
  hik_model_free(m);
}

/* The floors are what it reached when written less a few: they catch a broken pass, not a bad day. */
static void reaches_targets_inside_the_limits(void) {
  check_share(planar_chain(9, HIK_PI), false, 300);
  check_share(planar_chain(9, 1.05), false, 295);
  check_share(hinge_arm(), false, 270);
  check_share(ball_arm(), false, 297);
  check_share(gantry(), false, 290);
}

static void reaches_poses(void) {
  check_share(ball_arm(), true, 285);
  check_share(hinge_arm(), true, 190);
}

static void straight_chain_with_its_target_on_its_line(void) {
  const double at[5] = {0.95, 0.9, 0.7, 0.5, 0.3};
  hik_model *m = planar_chain(9, HIK_PI);
  hik_problem *p = make_problem(m, "position", 1e-3);
  for (int i = 0; i < 5; i++) {
    solved s = solve_with("fabrik", p, NULL, (double[3]){at[i], 0, 0}, m->rest);
    CHECK(s.outcome == HIK_CONVERGED);
    CHECK(s.iterations < 30);
  }
  hik_problem_free(p);
  hik_model_free(m);
}

static void out_of_reach_is_said_and_the_closest_pose_given(void) {
  const double targets[3][3] = {{1.2, 0, 0}, {0, 1.3, 0}, {-0.8, -0.9, 0}};
  hik_model *m = planar_chain(9, HIK_PI);
  hik_problem *p = make_problem(m, "position", 1e-3);
  for (int i = 0; i < 3; i++) {
    solved s = solve_with("fabrik", p, NULL, targets[i], m->rest);
    CHECK(s.outcome == HIK_CLOSEST);
    CHECK(s.error < hik_norm(targets[i]) - 1 + 2e-3);
  }
  hik_problem_free(p);
  hik_model_free(m);
}

/* A hinge chain cannot leave its plane: not proved by lengths, so it stalls, at the nearest point. */
static void target_off_the_plane_stalls_nearest(void) {
  hik_model *m = planar_chain(9, HIK_PI);
  hik_problem *p = make_problem(m, "position", 1e-3);
  solved s = solve_with("fabrik", p, NULL, (double[3]){0.4, 0.3, 0.2}, m->rest);
  CHECK(s.outcome == HIK_STALLED);
  CHECK_NEAR(s.error, 0.2, 1e-4);
  CHECK(s.remedies == 2);
  hik_problem_free(p);
  hik_model_free(m);
}

static void counts_and_caps(void) {
  hik_model *m = hinge_arm();
  hik_problem *p = make_problem(m, "position", 1e-3);
  double target[7], q[4 * MOST] = {0.3, 0.4, 0.2, 1, 0.1, 0.2, 0.1};
  target_of(m, m->rest, false, target);
  solved s = solve_with("fabrik", p, NULL, target, m->rest);
  CHECK(s.outcome == HIK_CONVERGED && s.iterations == 0 && s.trace[0] == 0);
  target_of(m, q, false, target);
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "fabrik"));
  o.max_iter = 0;
  s = solve_with("fabrik", p, &o, target, m->rest);
  CHECK(s.outcome == HIK_MAX_ITER && s.iterations == 0);
  o.max_iter = 1;
  s = solve_with("fabrik", p, &o, target, m->rest);
  CHECK(s.iterations == 1);
  o.max_iter = 300;
  s = solve_with("fabrik", p, &o, target, m->rest);
  CHECK(s.outcome == HIK_CONVERGED && s.trace[s.iterations] == s.error && isnan(s.trace[s.iterations + 1]));
  hik_problem_free(p);
  hik_model_free(m);
}

/* The published method stays selectable, keeps the limits and is another method. */
static void published_form(void) {
  hik_model *m = planar_chain(9, HIK_PI);
  hik_problem *p = make_problem(m, "position", 1e-3);
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "fabrik"));
  o.param[1] = o.param[2] = o.param[3] = 0, o.param[4] = 1, o.param[5] = 0.1;
  double bent[9] = {0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4};
  solved s = solve_with("fabrik", p, &o, (double[3]){0.9, 0.3, 0}, bent);
  solved d = solve_with("fabrik", p, NULL, (double[3]){0.9, 0.3, 0}, bent);
  CHECK(s.outcome == HIK_CONVERGED && d.outcome == HIK_CONVERGED);
  CHECK(hik_inside(m, s.q, 0));
  CHECK(memcmp(s.q, d.q, 9 * sizeof(double)) != 0);
  hik_problem_free(p);
  hik_model_free(m);
}

static void refuses_what_it_cannot(void) {
  hik_model *m = hinge_arm();
  hik_term t[2] = {hik_term_default(0), hik_term_default(0)};
  hik_problem *p = NULL;
  t[0].frame = t[1].frame = 0;
  CHECK(hik_problem_create(m, t, 2, &p, NULL) == HIK_OK);
  solved s = solve_with("fabrik", p, NULL, (double[6]){1, 0, 0, 1, 0, 0}, m->rest);
  CHECK(s.status == HIK_UNSUPPORTED && strstr(s.message.text, "ccd"));
  hik_problem_free(p);
  p = make_problem(m, "orientation", 1e-3);
  CHECK(solve_with("fabrik", p, NULL, (double[4]){1, 0, 0, 0}, m->rest).status == HIK_UNSUPPORTED);
  hik_problem_free(p);
  hik_model_free(m);
}

static void frame_that_nothing_moves(void) {
  figure f = {0};
  add_joint(&f, -1, HIK_REVOLUTE, "z", (double[3]){0, 0, 0}, -1, 1);
  add_frame_at(&f, -1, 1, 0, 0);
  hik_model *m = freeze_figure(&f);
  hik_problem *p = make_problem(m, "position", 1e-3);
  solved s = solve_with("fabrik", p, NULL, (double[3]){1, 0, 0}, m->rest);
  CHECK(s.outcome == HIK_CONVERGED);
  s = solve_with("fabrik", p, NULL, (double[3]){2, 0, 0}, m->rest);
  CHECK(s.outcome != HIK_CONVERGED && s.iterations == 0);
  s = solve_with("ccd", p, NULL, (double[3]){2, 0, 0}, m->rest);
  CHECK(s.outcome != HIK_CONVERGED);
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(reaches_targets_inside_the_limits);
  RUN(reaches_poses);
  RUN(straight_chain_with_its_target_on_its_line);
  RUN(out_of_reach_is_said_and_the_closest_pose_given);
  RUN(target_off_the_plane_stalls_nearest);
  RUN(counts_and_caps);
  RUN(published_form);
  RUN(refuses_what_it_cannot);
  RUN(frame_that_nothing_moves);
  CHECK_END();
}
