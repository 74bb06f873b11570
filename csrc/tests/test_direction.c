/* test_direction.c: term/direction.c: level, look_at. */
#include "term_figures.h"

static double residual_of(term_figure *f, double *rows) {
  hik_residual(f->problem, 1, f->target, f->q, rows, f->scratch);
  return rows[0];
}

static void test_level_is_the_angle(void) {
  figure shape;
  figure_planar(&shape, 1); /* turns about z; the frame's x points along the link */
  hik_term t = term_named("level", 0, -1);
  memcpy(t.param, (double[7]){2, 0, 0, 0, 3, 0, 0.5}, 7 * sizeof(double));
  t.orientation_tolerance = 0.01;
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  CHECK(f.problem->width == 0 && f.problem->rows == 1);
  static const double turn[] = {-1.2, -0.3, 0, 0.7, 1.0707963267948966, 1.9};
  for (int i = 0; i < HIK_COUNT_OF(turn); i++) {
    double row, angle;
    bool met;
    f.q[0] = turn[i];
    CHECK_NEAR(residual_of(&f, &row), fabs(HIK_PI / 2 - turn[i]) - 0.5, 1e-14);
    hik_measure_terms(f.problem, 1, f.target, f.q, NULL, &angle, &met, f.scratch);
    CHECK_NEAR(angle, fabs(row), 1e-15);
    CHECK(met == (fabs(row) <= 0.01));
  }
  term_figure_close(&f);
}

static void test_level_has_a_slope_where_the_axis_meets_the_direction(void) {
  figure shape;
  figure_start(&shape);
  figure_joint(&shape, -1, HIK_BALL);
  figure_place(shape.placement, 0, 0, 0, 0);
  figure_place(shape.frame_placement, 0, 0, 0, 0);
  hik_term t = term_named("level", 0, -1); /* z to z at a right angle: 90 degrees off at rest */
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  double jac[3] = {0, 0, 0}, row;
  f.q[0] = 1;
  CHECK_NEAR(residual_of(&f, &row), -HIK_PI / 2, 1e-15);
  hik_residual_jacobian(f.problem, 1, f.target, f.q, jac, f.scratch);
  CHECK_NEAR(hik_norm(jac), 1, 1e-15);
  term_figure_close(&f);
}

static void test_derivatives(void) {
  figure shape;
  figure_of_every_kind(&shape);
  hik_term t[] = {term_named("level", HIK_FREE, -1), term_named("look_at", 9, -1)};
  memcpy(t[0].param, (double[7]){1, 2, -1, 0.3, -0.2, 1, 1.1}, 7 * sizeof(double));
  memcpy(t[1].param, (double[6]){0, 1, 0.5, 0.1, 0.2, -0.3}, 6 * sizeof(double));
  t[1].weight = 2;
  term_figure f;
  if (!term_figure_open(&f, &shape, t, 2)) return;
  memcpy(f.target, (double[3]){1.5, -0.4, 2}, 3 * sizeof(double));
  for (uint64_t draw = 0; draw < 10; draw++) {
    hik_random_q(f.model, 5, draw, f.q);
    term_figure_differences(&f, 1e-7);
  }
  term_figure_close(&f);
}

static void test_a_point_on_the_eye_is_not_seen(void) {
  figure shape;
  figure_planar(&shape, 1);
  hik_term t = term_named("look_at", 0, -1);
  memcpy(t.param, (double[6]){1, 0, 0, 0.3, 0, 0}, 6 * sizeof(double));
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  double angle, jac[3], row[3];
  bool met;
  memcpy(f.target, (double[3]){0.5, 0, 0}, sizeof(double[3])); /* origin 0.2 + eye 0.3 */
  hik_measure_terms(f.problem, 1, f.target, f.q, NULL, &angle, &met, f.scratch);
  CHECK(!met && angle == HIK_PI);
  hik_residual_jacobian(f.problem, 1, f.target, f.q, jac, f.scratch);
  CHECK(hik_all_finite(jac, 3));
  f.target[0] = 0.6;
  hik_measure_terms(f.problem, 1, f.target, f.q, NULL, &angle, &met, f.scratch);
  CHECK(met && residual_of(&f, row) == 0);
  f.target[0] = 0.4; /* behind */
  hik_measure_terms(f.problem, 1, f.target, f.q, NULL, &angle, &met, f.scratch);
  CHECK(!met);
  CHECK_NEAR(angle, HIK_PI, 1e-15);
  term_figure_close(&f);
}

static void test_bad_constants_are_refused(void) {
  figure shape;
  figure_planar(&shape, 1);
  hik_term t = term_named("level", 0, -1);
  t.param[6] = 4;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "0 to pi"));
  t.param[6] = 1, t.param[5] = 0;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "direction"));
  t = term_named("look_at", 0, -1);
  t.param[2] = 0;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "axis is zero"));
  t.param[2] = 1, t.param[4] = NAN;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "not finite"));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_level_is_the_angle);
  RUN(test_level_has_a_slope_where_the_axis_meets_the_direction);
  RUN(test_derivatives);
  RUN(test_a_point_on_the_eye_is_not_seen);
  RUN(test_bad_constants_are_refused);
  CHECK_END();
}
