/* term_figures.h: a term on the figure of every kind of joint, and its derivative against differences. */
#pragma once
#include <stdlib.h>

#include "check.h"
#include "figures.h"
#include "term/term.h"

typedef struct term_figure {
  hik_model *model;
  hik_problem *problem;
  void *scratch;
  double target[FIGURE_NQ], q[FIGURE_NQ];
  hik_error error;
} term_figure;

static inline hik_term term_named(const char *name, int32_t frame, int32_t other) {
  hik_term t = hik_term_default(hik_find(HIK_TERMS, name));
  t.frame = frame, t.other = other;
  return t;
}

static inline bool term_figure_open(term_figure *f, const figure *shape, const hik_term *terms,
                                    int32_t count) {
  memset(f, 0, sizeof *f);
  bool good = hik_model_create(&shape->def, &f->model, &f->error) == HIK_OK &&
              hik_problem_create(f->model, terms, count, &f->problem, &f->error) == HIK_OK;
  if (!good) printf("%s\n", f->error.text);
  CHECK(good);
  f->scratch = good ? malloc(hik_scratch_size(f->model)) : NULL;
  return good && f->scratch;
}

static inline void term_figure_close(term_figure *f) {
  free(f->scratch);
  hik_problem_free(f->problem);
  hik_model_free(f->model);
}

/* The term is refused with this word in the sentence. */
static inline bool term_refused(const figure *shape, const hik_term *term, hik_status status,
                                const char *word) {
  hik_model *model = NULL;
  hik_problem *problem = NULL;
  hik_error error = {HIK_OK, -1, ""};
  if (hik_model_create(&shape->def, &model, &error)) return false;
  bool good =
      hik_problem_create(model, term, 1, &problem, &error) == status && !problem && strstr(error.text, word);
  if (!good) printf("got: %s\n", error.text);
  hik_problem_free(problem);
  hik_model_free(model);
  return good;
}

/* d residual / d v by central differences against the analytic rows, at f->q. */
static inline void term_figure_differences(term_figure *f, double tolerance) {
  const double h = 1e-6;
  int32_t nv = f->model->nv, rows = hik_problem_residual_width(f->problem);
  double *memory = calloc((size_t)(rows * nv + 2 * rows + nv), sizeof *memory), moved[FIGURE_NQ];
  CHECK(memory != NULL);
  if (!memory) return;
  double *jac = memory, *a = jac + rows * nv, *b = a + rows, *v = b + rows;
  hik_residual_jacobian(f->problem, 1, f->target, f->q, jac, f->scratch);
  for (int32_t k = 0; k < nv; k++) {
    v[k] = h;
    hik_integrate(f->model, 1, f->q, v, moved);
    hik_residual(f->problem, 1, f->target, moved, a, f->scratch);
    v[k] = -h;
    hik_integrate(f->model, 1, f->q, v, moved);
    hik_residual(f->problem, 1, f->target, moved, b, f->scratch);
    v[k] = 0;
    for (int32_t i = 0; i < rows; i++) CHECK_NEAR(jac[i * nv + k], (a[i] - b[i]) / (2 * h), tolerance);
  }
  free(memory);
}
