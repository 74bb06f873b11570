/* test_pair.c: term/pair.c: distance, loop, loop_hinge, loop_pose. */
#include "term_figures.h"

enum { BRANCH = 8 }; /* frame of the branch in the figure of every kind */

static void test_derivatives_with_shared_steps(void) {
  figure shape;
  figure_of_every_kind(&shape);
  hik_term t[] = {term_named("distance", HIK_FREE, BRANCH + 1), term_named("loop", HIK_FREE, BRANCH + 1),
                  term_named("loop_hinge", HIK_FREE, BRANCH),
                  term_named("loop_pose", BRANCH + 1, HIK_UNIVERSAL), term_named("loop_pose", HIK_FREE, -1)};
  memcpy(t[0].param, (double[8]){0.1, 0.2, 0.3, -0.1, 0.4, 0, 0.05, 0.05}, sizeof(double[8]));
  memcpy(t[1].param, (double[6]){0.1, 0.2, 0.3, -0.1, 0.4, 0}, sizeof(double[6]));
  memcpy(t[2].param, (double[12]){0, 0, 0.1, 0, 0.1, 0, 1, 2, 3, -1, 0, 1}, sizeof(double[12]));
  t[3].weight = 3;
  term_figure f;
  if (!term_figure_open(&f, &shape, t, HIK_COUNT_OF(t))) return;
  CHECK(f.problem->width == 0 && f.problem->rows == 1 + 3 + 6 + 6 + 6);
  for (uint64_t draw = 0; draw < 12; draw++) {
    double angle[5];
    hik_random_q(f.model, 7, draw, f.q);
    hik_measure_terms(f.problem, 1, f.target, f.q, NULL, angle, NULL, f.scratch);
    if (angle[3] < 3.0 && angle[4] < 3.0)
      term_figure_differences(&f, 3e-7); /* beside the half turn the vector jumps */
  }
  term_figure_close(&f);
}

static void test_distance_is_one_sided(void) {
  figure shape;
  figure_planar(&shape, 2); /* second hinge at 0.3, frames 0.2 beyond their hinges */
  hik_term t = term_named("distance", 1, -1);
  t.param[6] = 0.3, t.param[7] = 0.4; /* of the tip from the origin */
  t.position_tolerance = 1e-9;
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  static const struct {
    double elbow, excess;
  } row[] = {{0, 0.1}, {1.5, 0}, {2, -0.0173}};
  for (int i = 0; i < HIK_COUNT_OF(row); i++) {
    double r, jac[2], x = 0.3 + 0.2 * cos(row[i].elbow), y = 0.2 * sin(row[i].elbow), n = sqrt(x * x + y * y),
                      d;
    double want = n > 0.4 ? n - 0.4 : n < 0.3 ? n - 0.3 : 0;
    bool met;
    f.q[1] = row[i].elbow;
    hik_residual(f.problem, 1, f.target, f.q, &r, f.scratch);
    hik_residual_jacobian(f.problem, 1, f.target, f.q, jac, f.scratch);
    hik_measure_terms(f.problem, 1, f.target, f.q, &d, NULL, &met, f.scratch);
    CHECK_NEAR(r, want, 1e-15);
    CHECK_NEAR(r, row[i].excess, 2e-3);
    CHECK(d == fabs(r) && met == (r == 0));
    CHECK_NEAR(jac[0], 0, 1e-15);
    CHECK(r != 0 || jac[1] == 0);
  }
  term_figure_close(&f);
}

static void test_points_on_each_other_still_pull_apart(void) {
  figure shape;
  figure_start(&shape);
  figure_joint(&shape, -1, HIK_FREE);
  hik_term t = term_named("distance", 0, 0);
  memcpy(t.param, (double[8]){0, 0, 0, 0, 0, 0, 1, 2}, sizeof(double[8]));
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  double r, jac[6];
  f.q[3] = 1;
  hik_residual(f.problem, 1, f.target, f.q, &r, f.scratch);
  CHECK(r == -1);
  hik_residual_jacobian(f.problem, 1, f.target, f.q, jac, f.scratch);
  CHECK(hik_all_finite(jac, 6));
  term_figure_close(&f);
}

static void test_a_loop_measures_gap_and_angle(void) {
  figure shape;
  figure_planar(&shape, 3);
  hik_term t[] = {term_named("loop", 2, 0), term_named("loop_hinge", 2, 0), term_named("loop_pose", 2, 0)};
  memcpy(t[1].param + 6, (double[6]){1, 0, 0, 1, 0, 0}, sizeof(double[6]));
  term_figure f;
  if (!term_figure_open(&f, &shape, t, 3)) return;
  f.q[1] = 0.4, f.q[2] = 0.7;
  double x = 0.3 + 0.3 * cos(0.4) + 0.2 * cos(1.1) - 0.2, y = 0.3 * sin(0.4) + 0.2 * sin(1.1), d[3], a[3];
  hik_measure_terms(f.problem, 1, f.target, f.q, d, a, NULL, f.scratch);
  for (int k = 0; k < 3; k++) CHECK_NEAR(d[k], sqrt(x * x + y * y), 1e-14);
  CHECK(a[0] == 0);
  CHECK_NEAR(a[1], 1.1, 1e-14);
  CHECK_NEAR(a[2], 1.1, 1e-14);
  term_figure_close(&f);
}

static void test_both_chains_are_active(void) {
  figure shape;
  figure_start(&shape);
  for (int32_t j = 0; j < 4; j++) figure_joint(&shape, j == 2 ? -1 : j - 1, HIK_REVOLUTE);
  hik_term t = term_named("loop", 1, 3);
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  CHECK(f.problem->n_active == 4);
  term_figure_close(&f);
}

static void test_bad_constants_are_refused(void) {
  figure shape;
  figure_planar(&shape, 2);
  hik_term t = term_named("distance", 0, 5);
  CHECK(term_refused(&shape, &t, HIK_NOT_FOUND, "no frame 5"));
  t = term_named("distance", 0, -2);
  CHECK(term_refused(&shape, &t, HIK_NOT_FOUND, "no frame -2"));
  t = term_named("distance", 0, 1);
  t.param[6] = 2, t.param[7] = 1;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "min <= max"));
  t.param[6] = -1;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "min <= max"));
  t.param[6] = NAN;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "min <= max"));
  t = term_named("loop", 0, 1);
  t.param[4] = INFINITY;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "not finite"));
  t = term_named("loop_hinge", 0, 1);
  t.param[11] = 0;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "axis is zero"));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_derivatives_with_shared_steps);
  RUN(test_distance_is_one_sided);
  RUN(test_points_on_each_other_still_pull_apart);
  RUN(test_a_loop_measures_gap_and_angle);
  RUN(test_both_chains_are_active);
  RUN(test_bad_constants_are_refused);
  CHECK_END();
}
