/* test_auto.c: every target made inside the limits is met; out of reach, the closest pose. */
#include "descent_figures.h"

static void test_all_targets_inside_the_limits(void) {
  hik_model *models[] = {hinge_arm(), cone_arm(), gantry(), ball_arm(), planar_chain(9, 1)};
  for (int i = 0; i < 5; i++) {
    CHECK(count_solved("auto", models[i], false, 300) == 300);
    CHECK(count_solved("auto", models[i], true, 300) == 300);
    hik_model_free(models[i]);
  }
}

/* A free planar chain: the closest pose to what is out of reach is known. */
static void test_out_of_reach(void) {
  hik_model *m = planar_chain(5, INFINITY);
  hik_problem *p = make_problem(m, "position", 1e-4);
  for (int i = 0; i < 12; i++) {
    double s, c, start[5] = {0.4, -0.3, 0.2, 0.5, 0.1};
    hik_sincos(0.5 * i, &s, &c);
    solved a = solve_with("auto", p, NULL, (double[3]){1.5 * c, 1.5 * s, 0}, start);
    CHECK(a.outcome == HIK_UNREACHABLE);
    CHECK_NEAR(a.error, 0.5, 1e-3);
  }
  hik_problem_free(p);
  hik_model_free(m);
}

static void test_stops_at_once_when_met(void) {
  hik_model *m = hinge_arm();
  hik_problem *p = make_problem(m, "pose", 1e-4);
  double q[7] = {0.3, 0.4, 0.2, 1, 0.1, 0.2, 0.1}, target[7];
  target_of(m, q, true, target);
  solved s = solve_with("auto", p, NULL, target, q);
  CHECK(s.outcome == HIK_CONVERGED && s.iterations == 0);
  for (int i = 0; i < 7; i++) CHECK_NEAR(s.q[i], q[i], 1e-14);
  hik_problem_free(p);
  hik_model_free(m);
}

static void test_caps(void) {
  hik_model *m = hinge_arm();
  hik_problem *p = make_problem(m, "pose", 1e-4);
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "auto"));
  o.max_iter = 7;
  double never[7] = {0.02, 0, 0.2, 1, 0, 0, 0}; /* inside the sphere of reach, but too near for the elbow */
  solved s = solve_with("auto", p, &o, never, m->rest);
  CHECK(s.outcome == HIK_MAX_ITER && s.iterations == 7);
  o.max_iter = 4000, o.param[0] = 10;
  s = solve_with("auto", p, &o, never, m->rest);
  CHECK(s.outcome == HIK_LEAST_SQUARES && s.remedies == 10);
  o.max_iter = 0;
  s = solve_with("auto", p, &o, never, m->rest);
  CHECK(s.outcome == HIK_MAX_ITER && s.iterations == 0);
  o.param[1] = 0;
  CHECK(solve_with("auto", p, &o, never, m->rest).status == HIK_BAD_ARGUMENT);
  hik_problem_free(p);
  hik_model_free(m);
}

/* A planar arm of two links has two poses for a point: of several solutions the one whose largest joint move is smallest
   is kept, whole turns taken back, and remedies says how many starts that took. */
static void test_of_more_solutions_the_nearest(void) {
  hik_model *m = planar_chain(2, INFINITY);
  hik_problem *p = make_problem(m, "position", 1e-9);
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "auto"));
  o.param[1] = 12;
  int changed = 0;
  for (int i = 0; i < CHECK_REPEATS(40, 12); i++) {
    double start[2] = {7 * sin(i), 3 * cos(3 * i)}, pose[2] = {0.1 * i, 0.4 + 0.06 * i}, target[7];
    target_of(m, pose, false, target);
    /* the mirrored pose: links of one length */
    double other[2] = {pose[0] + pose[1], -pose[1]}, move[2];
    for (int k = 0; k < 2; k++) {
      const double *x = k ? other : pose;
      move[k] =
          fmax(fabs(remainder(x[0] - start[0], 2 * HIK_PI)), fabs(remainder(x[1] - start[1], 2 * HIK_PI)));
    }
    solved one = solve_with("auto", p, NULL, target, start), many = solve_with("auto", p, &o, target, start);
    CHECK(one.outcome == HIK_CONVERGED && many.outcome == HIK_CONVERGED &&
          many.remedies >= one.remedies + 10);
    double went = fmax(fabs(many.q[0] - start[0]), fabs(many.q[1] - start[1])),
           first = fmax(fabs(one.q[0] - start[0]), fabs(one.q[1] - start[1]));
    CHECK_NEAR(went, fmin(move[0], move[1]), 1e-6);
    changed += went < first - 1e-3;
  }
  CHECK(changed > 0);
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_all_targets_inside_the_limits);
  RUN(test_out_of_reach);
  RUN(test_stops_at_once_when_met);
  RUN(test_caps);
  RUN(test_of_more_solutions_the_nearest);
  CHECK_END();
}
