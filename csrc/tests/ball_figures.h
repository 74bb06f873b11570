/* ball_figures.h: chains of free balls for the tests of the solvers that move points, and one call that solves. */
#pragma once
#include <stdlib.h>

#include "check.h"
#include "figures.h"
#include "solve/drive/solver.h"

enum { LINKS = 5, MANY = 77, NQ = 4 * LINKS };

static hik_error ball_error;

/* Balls in a row, links of length 0.3 m, the last 0.2 m. */
HIK_UNUSED static void figure_balls(figure *f, int32_t count) {
  figure_planar(f, count);
  for (int32_t j = 0; j < count; j++) f->kind[j] = HIK_BALL;
}

HIK_UNUSED static hik_problem *ball_problem(const figure *f, hik_model **model, double tolerance) {
  hik_problem *problem = NULL;
  hik_term term = hik_term_default(hik_find(HIK_TERMS, "position"));
  CHECK(hik_model_create(&f->def, model, &ball_error) == HIK_OK);
  if (!*model) return NULL;
  term.frame = f->def.n_frame - 1;
  term.position_tolerance = tolerance;
  CHECK(hik_problem_create(*model, &term, 1, &problem, &ball_error) == HIK_OK);
  return problem;
}

typedef struct ball_answers {
  double q[MANY * NQ], distance[MANY];
  int8_t outcome[MANY];
  int32_t iterations[MANY], remedies[MANY];
} ball_answers;

HIK_UNUSED static hik_status ball_solve(const char *solver, const hik_options *o, const hik_problem *p,
                                        int64_t n, const double *target, const double *q0, int64_t stride,
                                        ball_answers *a) {
  hik_batch b = {.n = n, .target = target, .target_stride = 3, .q0 = q0, .q0_stride = stride, .q = a->q};
  b.outcome = a->outcome, b.iterations = a->iterations, b.n_restarts = a->remedies,
  b.position_error = a->distance;
  return hik_solve(hik_find(HIK_SOLVERS, solver), p, o, &b, &ball_error);
}

/* Every way to end, of links of 0.3 and 0.2 m: the ring from 0.1 to 0.5 m. `at_once`: one iteration is enough. */
HIK_UNUSED static void check_ball_outcomes(const char *solver, const hik_options *options, bool at_once) {
  static ball_answers got;
  figure f;
  figure_balls(&f, 2);
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-6);
  if (!p) return;
  const struct {
    double target[3];
    int32_t max_iter, outcome; /* -1: the solver's own */
    double distance;           /* -1: within the tolerance, 0: whatever it is */
  } row[] = {
      {{0.1, 0.2, 0.3}, -1, HIK_CONVERGED, -1},
      {{0.2, 0, 0}, -1, HIK_CONVERGED, -1}, /* on the line of the straight chain */
      {{0.5, 0, 0}, -1, HIK_CONVERGED, -1}, /* where it is */
      {{0.1, 0, 0}, -1, HIK_CONVERGED, -1}, /* on the inner edge */
      {{0, 2, 0}, -1, HIK_UNREACHABLE, 1.5},
      {{0, 0, 0.04}, -1, HIK_UNREACHABLE, 0.06},
      {{0, 0, 0}, -1, HIK_UNREACHABLE, 0.1}, /* at the base */
      {{0, 3e200, 0}, -1, HIK_UNREACHABLE, 3e200},
      {{0.1, 0.2, 0.3}, 0, HIK_MAX_ITER, 0},
      {{0.1, 0.2, 0.3}, 1, at_once ? HIK_CONVERGED : HIK_MAX_ITER, at_once ? -1 : 0},
  };
  for (int i = 0; i < HIK_COUNT_OF(row); i++) {
    hik_options o = *options;
    if (row[i].max_iter >= 0) o.max_iter = row[i].max_iter;
    CHECK(ball_solve(solver, &o, p, 1, row[i].target, NULL, 0, &got) == HIK_OK);
    CHECK(got.outcome[0] == row[i].outcome);
    CHECK(got.iterations[0] <= o.max_iter && (got.iterations[0] == 0) == (i == 2 || row[i].max_iter == 0));
    if (row[i].distance < 0) CHECK(got.distance[0] <= 1e-6);
    if (row[i].distance > 0) CHECK_NEAR(got.distance[0], row[i].distance, 1e-12 * (1 + row[i].distance));
  }
  const double bad[3] = {0, NAN, 0};
  CHECK(ball_solve(solver, options, p, 1, bad, NULL, 0, &got) == HIK_OK);
  CHECK(got.outcome[0] == HIK_INVALID && isnan(got.q[0]));
  hik_problem_free(p), hik_model_free(model);
}

/* Hinges are not for this solver, and the sentence begins with its name. */
HIK_UNUSED static void check_ball_refusal(const char *solver) {
  static ball_answers got;
  const double target[3] = {0.1, 0.2, 0.3};
  figure f;
  figure_planar(&f, 3);
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-6);
  if (!p) return;
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, solver));
  CHECK(ball_solve(solver, &o, p, 1, target, NULL, 0, &got) == HIK_UNSUPPORTED);
  CHECK(strncmp(ball_error.text, solver, strlen(solver)) == 0);
  hik_problem_free(p), hik_model_free(model);
}

/* A batch, one start for all or one each, gives what single calls give; and the answers are what their poses say. */
HIK_UNUSED static void check_ball_block(const char *solver, const hik_options *o) {
  static ball_answers got, other;
  static double target[3 * MANY], start[NQ * MANY];
  figure f;
  figure_balls(&f, LINKS);
  figure_place(f.placement + 12, 0.3, 0.1, 0.2, 0.7); /* a frame that is turned, off the line */
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-5);
  if (!p) return;
  hik_rng rng = hik_rng_start(5, 5);
  for (int i = 0; i < 3 * MANY; i++) target[i] = 1.2 * hik_rng_uniform(&rng) - 0.6;
  for (int i = 0; i < MANY; i++) hik_random_q(model, 3, (uint64_t)i, start + NQ * i);
  target[3 * 7] = INFINITY;
  target[3 * 11] = 50;
  for (int own = 0; own < 2; own++) {
    CHECK(ball_solve(solver, o, p, MANY, target, start, own ? NQ : 0, &got) == HIK_OK);
    void *scratch = malloc(hik_scratch_size(model));
    int converged = 0;
    for (int i = 0; i < MANY && scratch; i++) {
      double pose[16], d[3];
      CHECK(ball_solve(solver, o, p, 1, target + 3 * i, start + (own ? NQ * i : 0), 0, &other) == HIK_OK);
      CHECK(memcmp(other.q, got.q + NQ * i, NQ * sizeof(double)) == 0);
      CHECK(other.outcome[0] == got.outcome[i] && other.iterations[0] == got.iterations[i]);
      CHECK(other.remedies[0] == got.remedies[i]);
      if (i == 7) continue;
      converged += got.outcome[i] == HIK_CONVERGED;
      hik_frame(model, LINKS - 1, 1, got.q + NQ * i, pose, scratch);
      for (int c = 0; c < 3; c++) d[c] = pose[4 * c + 3] - target[3 * i + c];
      CHECK_NEAR(hik_norm(d), got.distance[i], 1e-12 * (1 + hik_norm(d)));
    }
    CHECK(got.outcome[7] == HIK_INVALID && got.outcome[11] == HIK_UNREACHABLE);
    CHECK(converged >= MANY - 6);
    free(scratch);
  }
  hik_problem_free(p), hik_model_free(model);
}
