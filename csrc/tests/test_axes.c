/* test_axes.c: term/axes.c: position_axes, orientation_axes. */
#include "solve/points/wish.h"
#include "term_figures.h"

enum { BRANCH = 8 }; /* frame of the branch in the figure of every kind */

static hik_term axes_term(int32_t frame, int32_t other, const double *data, int32_t axes) {
  hik_term t = term_named("position_axes", frame, other);
  t.data = data, t.n_data = HIK_AXIS_NUMBERS * axes;
  return t;
}

static void test_derivatives_in_the_world_and_by_a_frame_that_moves(void) {
  static const double slanting[8] = {0.6, 0.8, 0, 2, -0.8, 0.6, 0, 0.5},
                      whole[12] = {0, 0, 1, 1, 0, 1, 0, 3, 1, 0, 0, 1};
  figure shape;
  figure_of_every_kind(&shape);
  hik_term t[] = {axes_term(HIK_FREE, -1, slanting, 2), axes_term(HIK_FREE, BRANCH + 1, slanting, 1),
                  axes_term(BRANCH + 1, HIK_UNIVERSAL, whole, 3),
                  term_named("orientation_axes", HIK_FREE, -1), term_named("orientation_axes", BRANCH, -1)};
  memcpy(t[3].param, (double[3]){1, 0, 2}, sizeof(double[3]));
  memcpy(t[4].param, (double[3]){0.3, 1, 2}, sizeof(double[3]));
  t[2].weight = 3;
  term_figure f;
  if (!term_figure_open(&f, &shape, t, HIK_COUNT_OF(t))) return;
  CHECK(f.problem->width == 2 + 1 + 3 + 4 + 4 && f.problem->rows == 2 + 1 + 3 + 3 + 3);
  CHECK(f.problem->metric[5] == 1 && f.problem->metric[6] == 0);
  f.target[6] = f.target[10] = 1;
  for (uint64_t draw = 0; draw < 12; draw++) {
    double angle[5];
    hik_random_q(f.model, 7, draw, f.q);
    hik_measure_terms(f.problem, 1, f.target, f.q, NULL, angle, NULL, f.scratch);
    CHECK(angle[0] == 0 && angle[1] == 0 && angle[2] == 0);
    if (angle[3] < 3.0 && angle[4] < 3.0)
      term_figure_differences(&f, 3e-7); /* the vector jumps at the half turn */
  }
  term_figure_close(&f);
}

/* Two hinges of 0.3 and 0.2: the tip's coordinates by hand. */
static void test_a_height_is_measured_without_its_weight(void) {
  static const double up[4] = {0, 1, 0, 5}, flat[8] = {1, 0, 0, 1, 0, 0, 1, 4};
  figure shape;
  figure_planar(&shape, 2);
  hik_term t[] = {axes_term(1, -1, up, 1), axes_term(1, 0, flat, 2)};
  term_figure f;
  if (!term_figure_open(&f, &shape, t, 2)) return;
  double r[3], d[2], error;
  f.q[0] = 0.4, f.q[1] = 0.7;
  f.target[0] = 0.1, f.target[1] = 0.05, f.target[2] = -0.3;
  hik_residual(f.problem, 1, f.target, f.q, r, f.scratch);
  hik_measure_terms(f.problem, 1, f.target, f.q, d, NULL, NULL, f.scratch);
  hik_judge(f.problem, 1, f.target, f.q, &error, NULL, NULL, NULL, f.scratch);
  double high = 0.3 * sin(0.4) + 0.2 * sin(1.1) - 0.1, ahead = 0.1 + 0.2 * cos(0.7) - 0.05;
  CHECK_NEAR(r[0], 5 * high, 1e-15);
  CHECK_NEAR(r[1], ahead, 1e-15);
  CHECK_NEAR(r[2], 4 * 0.3, 1e-15);
  CHECK_NEAR(d[0], fabs(high), 1e-15);
  CHECK_NEAR(d[1], sqrt(ahead * ahead + 0.09), 1e-15);
  CHECK_NEAR(error, sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), 1e-14);
  term_figure_close(&f);
}

/* Of what stands still the nearest point, and of two that move each its share; then the term holds. */
static void test_projections_hold(void) {
  static const double rows[8] = {0.6, 0.8, 0, 1, 0, 0, 1, 9};
  hik_goal g = {.rows = 2, .data = rows};
  const hik_term_class *c = hik_term_classes[hik_find(HIK_TERMS, "position_axes")];
  hik_stand now[2] = {{{1, 2, 3}, {0}, {0}}, {{-1, 0.5, 0}, {0}, {0, -1, 0, 1, 0, 0, 0, 0, 1}}}, to[2];
  const double target[2] = {0.25, -1};
  for (int k = 0; k < 3; k++) {
    double d[3], a[3], share = 0.5 * k;
    CHECK(c->project(&g, target, now, share, to));
    hik_sub3(to[0].point, to[1].point, d);
    hik_mat_vec(now[1].rotation, rows, a);
    CHECK_NEAR(hik_dot(a, d), target[0], 1e-14);
    CHECK_NEAR(d[2], target[1], 1e-14);
    hik_sub3(to[0].point, now[0].point, d);
    CHECK_NEAR(hik_norm(d), share * sqrt(0.95 * 0.95 + 16), 1e-14);
    CHECK(memcmp(to[1].rotation, now[1].rotation, sizeof to[1].rotation) == 0);
  }
}

static void test_what_no_axes_are(void) {
  static const double good[8] = {0, 0, 1, 1, 0, 1, 0, 1};
  static const struct {
    int32_t at;
    double value;
  } bad[] = {{2, 1.1}, {5, 0.5}, {3, 0}, {7, -1}, {7, 1e101}};
  figure shape;
  figure_planar(&shape, 2);
  hik_model *model = NULL;
  hik_error error;
  CHECK(hik_model_create(&shape.def, &model, &error) == HIK_OK);
  for (int i = 0; i < HIK_COUNT_OF(bad); i++) {
    double data[8];
    memcpy(data, good, sizeof data);
    data[bad[i].at] = bad[i].value;
    hik_problem *problem = NULL;
    hik_term t = axes_term(1, -1, data, 2);
    CHECK(hik_problem_create(model, &t, 1, &problem, &error) == HIK_BAD_ARGUMENT && !problem);
  }
  for (int32_t n = 0; n < 18; n++) {
    double data[17] = {0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1};
    hik_problem *problem = NULL;
    hik_term t = axes_term(1, -1, data, 0);
    t.n_data = n < 17 ? n : 16;
    CHECK((hik_problem_create(model, &t, 1, &problem, &error) == HIK_OK) == (n == 4 || n == 8 || n == 12));
    hik_problem_free(problem);
  }
  static const double weights[][3] = {{1, 0, 0}, {-1, 1, 1}, {1, 1, NAN}, {1e101, 1, 1}, {0, 1, 1}};
  for (int i = 0; i < HIK_COUNT_OF(weights); i++) {
    hik_problem *problem = NULL;
    hik_term t = term_named("orientation_axes", 1, -1);
    memcpy(t.param, weights[i], sizeof weights[i]);
    CHECK((hik_problem_create(model, &t, 1, &problem, &error) == HIK_OK) == (i == 4));
    hik_problem_free(problem);
  }
  hik_model_free(model);
}

/* The rows' square is half the weighted sum of squared gaps of the axes, at every turn; the angle is the turn's. */
static void test_weighed_axes(void) {
  figure shape;
  figure_start(&shape);
  figure_joint(&shape, -1, HIK_BALL);
  hik_term t = term_named("orientation_axes", 0, -1);
  memcpy(t.param, (double[3]){0.5, 2, 1}, sizeof(double[3]));
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  hik_rng rng = hik_rng_start(3, 4);
  for (int draw = 0; draw < 50; draw++) {
    double r[3], have[9], want[9], m[16], sum = 0, trace = 0, angle;
    hik_rng_rotation(&rng, f.q);
    hik_rng_rotation(&rng, f.target);
    hik_quat_to_mat(f.target, want);
    hik_frame(f.model, 0, 1, f.q, m, f.scratch);
    for (int k = 0; k < 9; k++) have[k] = m[4 * (k / 3) + k % 3];
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) {
        double gap = have[3 * i + j] - want[3 * i + j];
        sum += 0.5 * t.param[j] * t.param[j] * gap * gap;
        trace += have[3 * i + j] * want[3 * i + j];
      }
    hik_residual(f.problem, 1, f.target, f.q, r, f.scratch);
    hik_measure_terms(f.problem, 1, f.target, f.q, NULL, &angle, NULL, f.scratch);
    CHECK_NEAR(hik_dot(r, r), sum, 1e-13);
    CHECK_NEAR(cos(angle), (trace - 1) / 2, 1e-13);
  }
  double zero[4] = {0, 0, 0, 0};
  CHECK(hik_target_usable(f.problem, f.target) && !hik_target_usable(f.problem, zero));
  hik_wish wish;
  hik_wishes_set(f.problem, &wish);
  CHECK(wish.frame && wish.turn_weight == 4 && wish.axis_weight[0] == 0.0625 && wish.axis_weight[1] == 1);
  term_figure_close(&f);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_derivatives_in_the_world_and_by_a_frame_that_moves);
  RUN(test_a_height_is_measured_without_its_weight);
  RUN(test_projections_hold);
  RUN(test_what_no_axes_are);
  RUN(test_weighed_axes);
  CHECK_END();
}
