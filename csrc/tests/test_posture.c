/* test_posture.c: term/posture.c: rest, change. */
#include "term_figures.h"

static double data[2 * FIGURE_NQ];

/* A posture drawn at random, and weights. */
static void posture_of(const figure *shape, double *posture, double *weight, uint64_t draw) {
  hik_model *model = NULL;
  hik_error error;
  CHECK(hik_model_create(&shape->def, &model, &error) == HIK_OK);
  if (!model) return;
  hik_random_q(model, 9, draw, posture);
  for (int32_t k = 0; k < model->nv; k++) weight[k] = 0.5 + 0.1 * k;
  hik_model_free(model);
}

static void sizes_of(const figure *shape, int32_t *nq, int32_t *nv) {
  hik_model *model = NULL;
  hik_error error;
  *nq = *nv = 0;
  CHECK(hik_model_create(&shape->def, &model, &error) == HIK_OK);
  if (model) *nq = model->nq, *nv = model->nv;
  hik_model_free(model);
}

static void test_rest_is_the_weighted_difference(void) {
  figure shape;
  int32_t nq, nv;
  figure_of_every_kind(&shape);
  sizes_of(&shape, &nq, &nv);
  posture_of(&shape, data, data + nq, 0);
  hik_term t = term_named("rest", -1, -1);
  t.data = data, t.n_data = nq + nv, t.weight = 2;
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  double rows[FIGURE_NQ], v[FIGURE_NQ], distance, angle, most = 0;
  bool met;
  CHECK(f.problem->rows == nv && f.problem->width == 0 && f.problem->n_active == f.model->n_step);
  for (uint64_t draw = 1; draw < 8; draw++) {
    hik_random_q(f.model, 9, draw, f.q);
    hik_difference(f.model, 1, data, f.q, v);
    hik_residual(f.problem, 1, f.target, f.q, rows, f.scratch);
    for (int32_t k = 0; k < nv; k++) CHECK_NEAR(rows[k], 2 * data[nq + k] * v[k], 1e-13);
    term_figure_differences(&f, 1e-6);
  }
  hik_measure_terms(f.problem, 1, f.target, f.q, &distance, &angle, &met, f.scratch);
  for (int32_t s = 0; s < f.model->n_step; s++)
    if (f.model->step_kind[s] == HIK_SLIDE) most = fmax(most, fabs(v[f.model->step_v[s]]));
  CHECK(met && angle > 0);
  CHECK_NEAR(distance, most, 1e-13);
  term_figure_close(&f);
}

static void test_change_takes_its_posture_from_the_target(void) {
  figure shape;
  int32_t nq, nv;
  figure_of_every_kind(&shape);
  sizes_of(&shape, &nq, &nv);
  hik_term t = term_named("change", -1, -1);
  term_figure f;
  double weight[FIGURE_NQ], rows[FIGURE_NQ];
  posture_of(&shape, data, weight, 3);
  t.data = weight, t.n_data = nv;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  CHECK(f.problem->width == nq && f.problem->rows == nv);
  memcpy(f.target, data, (size_t)nq * sizeof *data);
  CHECK(hik_target_usable(f.problem, f.target));
  hik_random_q(f.model, 9, 4, f.q);
  term_figure_differences(&f, 1e-6);
  hik_residual(f.problem, 1, f.target, data, rows, f.scratch);
  for (int32_t k = 0; k < nv; k++) CHECK_NEAR(rows[k], 0, 1e-15);
  for (int32_t s = 0; s < f.model->n_step; s++)
    if (f.model->step_kind[s] == HIK_BALL_STEP) memset(f.target + f.model->step_q[s], 0, 4 * sizeof(double));
  CHECK(!hik_target_usable(f.problem, f.target));
  term_figure_close(&f);
}

static void test_bad_constants_are_refused(void) {
  figure shape;
  figure_planar(&shape, 2);
  double x[4] = {0, 0, 1, 1};
  hik_term t = term_named("rest", -1, -1);
  t.data = x, t.n_data = 3;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "2 numbers and 2 weights, got 3"));
  t.n_data = 4, x[3] = -1;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "weight of coordinate 1"));
  x[3] = NAN;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "not finite"));
  t = term_named("change", -1, -1);
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "2 weights, got 0"));
  t.level = -1;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "level"));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_rest_is_the_weighted_difference);
  RUN(test_change_takes_its_posture_from_the_target);
  RUN(test_bad_constants_are_refused);
  CHECK_END();
}
