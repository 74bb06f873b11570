/* test_centre.c: term/centre.c: centre_of_mass, support. */
#include "term_figures.h"

static double inertial[FIGURE_JOINTS * 10];

static void give_mass(figure *shape) {
  memset(inertial, 0, sizeof inertial);
  for (int32_t j = 0; j < shape->def.n_joint; j++) {
    double *b = inertial + 10 * j, m = 1 + 0.3 * j, c[3] = {0.1, -0.05 * j, 0.02};
    b[0] = m;
    for (int i = 0; i < 3; i++)
      b[1 + i] = m * c[i], b[4] = b[7] = b[9] = 1; /* heavier about the centre than needed */
  }
  shape->def.inertial = inertial;
}

static void test_the_point_is_that_of_the_dynamics(void) {
  figure shape;
  figure_of_every_kind(&shape);
  give_mass(&shape);
  hik_term t = term_named("centre_of_mass", -1, -1);
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  hik_loads loads = hik_loads_default();
  void *memory = malloc(hik_dynamics_scratch_size(f.model, &loads));
  double centre[3], rows[3], jac[3 * FIGURE_NQ], want[3 * FIGURE_NQ];
  memcpy(f.target, (double[3]){0.1, 0.2, 0.3}, sizeof(double[3]));
  for (uint64_t draw = 0; draw < 8 && memory; draw++) {
    hik_random_q(f.model, 11, draw, f.q);
    hik_mass_state(f.model, &loads, 1, f.q, NULL, centre, want, NULL, NULL, NULL, memory);
    hik_residual(f.problem, 1, f.target, f.q, rows, f.scratch);
    hik_residual_jacobian(f.problem, 1, f.target, f.q, jac, f.scratch);
    for (int i = 0; i < 3; i++) CHECK_NEAR(rows[i], centre[i] - f.target[i], 1e-13);
    for (int i = 0; i < 3 * f.model->nv; i++) CHECK_NEAR(jac[i], want[i], 1e-13);
    term_figure_differences(&f, 1e-7);
  }
  free(memory);
  term_figure_close(&f);
}

static void test_the_support_is_one_sided(void) {
  figure shape;
  figure_start(&shape);
  figure_joint(&shape, -1, HIK_FREE);
  figure_place(shape.placement, 0, 0, 0, 0);
  give_mass(&shape);
  double square[] = {0, 0, 2, 0, 2, 1, 0, 1};
  hik_term t = term_named("support", -1, -1);
  t.data = square, t.n_data = 8;
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  static const struct {
    double x, y, off_x, off_y;
  } row[] = {{1, 0.5, 0, 0}, {2.5, 0.5, 0.5, 0}, {1, -0.25, 0, -0.25},
             {-3, 5, -3, 4}, {2, 1, 0, 0},       {2.1, 1.2, 0.1, 0.2}};
  for (int i = 0; i < HIK_COUNT_OF(row); i++) {
    double rows[2], jac[12], d;
    bool met;
    /* the one body's centre stands at (0.1, 0, 0.02) of its frame, whose unmoved place is the origin */
    memcpy(f.q, (double[7]){row[i].x - 0.1, row[i].y, 0, 1, 0, 0, 0}, sizeof(double[7]));
    hik_residual(f.problem, 1, f.target, f.q, rows, f.scratch);
    hik_residual_jacobian(f.problem, 1, f.target, f.q, jac, f.scratch);
    hik_measure_terms(f.problem, 1, f.target, f.q, &d, NULL, &met, f.scratch);
    CHECK_NEAR(rows[0], row[i].off_x, 1e-12);
    CHECK_NEAR(rows[1], row[i].off_y, 1e-12);
    CHECK_NEAR(d, sqrt(row[i].off_x * row[i].off_x + row[i].off_y * row[i].off_y), 1e-12);
    CHECK(met == (d <= 1e-4));
    if (d > 1e-3) term_figure_differences(&f, 1e-7);
    for (int k = 0; k < 12 && d == 0; k++) CHECK(jac[k] == 0);
  }
  term_figure_close(&f);
}

/* Places whose squares overflow are measured like others: a distance that is a number is said. */
static void test_far_from_the_support_the_distance_is_a_number(void) {
  figure shape;
  figure_start(&shape);
  figure_joint(&shape, -1, HIK_FREE);
  figure_place(shape.placement, 0, 0, 0, 0);
  give_mass(&shape);
  double square[] = {0, 0, 2, 0, 2, 1, 0, 1};
  for (int32_t corners = 1; corners <= 4; corners++) {
    hik_term t = term_named("support", -1, -1);
    t.data = square, t.n_data = 2 * corners;
    term_figure f;
    if (!term_figure_open(&f, &shape, &t, 1)) return;
    for (int power = 0; power < 307; power += 9) {
      double far = pow(10, power) * 3, rows[2], d;
      memcpy(f.q, (double[7]){far, -4 * far / 3, 0, 1, 0, 0, 0}, sizeof(double[7]));
      hik_residual(f.problem, 1, f.target, f.q, rows, f.scratch);
      hik_measure_terms(f.problem, 1, f.target, f.q, &d, NULL, NULL, f.scratch);
      double x =
          far + 0.1 - (corners > 1 ? 2 : 0); /* from (0, 0) or (2, 0), as the centre stands 0.1 ahead */
      CHECK_NEAR(rows[0] / far, x / far, 1e-12);
      CHECK_NEAR(rows[1] / far, -4.0 / 3, 1e-12);
      CHECK_NEAR(d / far, hypot(x / far, 4.0 / 3), 1e-12);
    }
    term_figure_close(&f);
  }
}

static void test_points_and_lines_support_too(void) {
  figure shape;
  figure_of_every_kind(&shape);
  give_mass(&shape);
  double line[] = {0, 0, 1, 0};
  hik_term t[] = {term_named("support", -1, -1), term_named("support", -1, -1)};
  t[0].data = line, t[0].n_data = 4, t[1].data = line, t[1].n_data = 2;
  term_figure f;
  if (!term_figure_open(&f, &shape, t, 2)) return;
  for (uint64_t draw = 0; draw < 6; draw++) {
    hik_random_q(f.model, 12, draw, f.q);
    term_figure_differences(&f, 1e-6);
  }
  term_figure_close(&f);
}

static void test_bad_constants_are_refused(void) {
  figure shape;
  figure_planar(&shape, 2);
  hik_term t = term_named("centre_of_mass", -1, -1);
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "nothing that moves has mass"));
  give_mass(&shape);
  double clockwise[] = {0, 0, 0, 1, 1, 1, 1, 0};
  t = term_named("support", -1, -1);
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "counterclockwise"));
  t.data = clockwise, t.n_data = 8;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "counterclockwise"));
  t.n_data = 3;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "counterclockwise"));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_point_is_that_of_the_dynamics);
  RUN(test_the_support_is_one_sided);
  RUN(test_far_from_the_support_the_distance_is_a_number);
  RUN(test_points_and_lines_support_too);
  RUN(test_bad_constants_are_refused);
  CHECK_END();
}
