/* driver.c: one path through the public C interface, with every array of its exact size on the heap, so that a
   sanitizer sees a step past any of them. Run clean, and with each planted bug, by tests/test_sanitizers.py.
   It checks little: what it computes is the business of csrc/tests. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handik/handik.h"

enum { JOINTS = 6, BATCH = 96, THREADS = 4 };

static void *exact(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) exit(3);
  return memory;
}

/* A chain of balls, or of hinges about z and y in turn, 0.3 m apart, and a frame at its tip. */
static hik_model *make_chain(int32_t joint) {
  int32_t *parent = exact(JOINTS, sizeof *parent), *kind = exact(JOINTS, sizeof *kind),
          *on = exact(1, sizeof *on);
  double *axis = exact(JOINTS * 3, sizeof *axis), *placement = exact((JOINTS + 1) * 12, sizeof *placement);
  int32_t nq = joint == HIK_BALL ? 4 * JOINTS : JOINTS;
  double *lower = exact(nq, sizeof *lower), *upper = exact(nq, sizeof *upper);
  for (int j = 0; j <= JOINTS; j++) {
    double *place = placement + 12 * j;
    place[0] = place[4] = place[8] = 1;
    place[9] = j ? 0.3 : 0;
    if (j == JOINTS) break;
    parent[j] = j - 1;
    kind[j] = joint;
    axis[3 * j + (j % 2 ? 1 : 2)] = 1;
  }
  for (int i = 0; i < nq; i++) lower[i] = -2.5, upper[i] = 2.5;
  *on = JOINTS - 1;
  hik_model_def def = hik_model_def_default();
  def.n_joint = JOINTS, def.n_frame = 1;
  def.parent = parent, def.kind = kind, def.axis = axis, def.placement = placement;
  def.lower = lower, def.upper = upper;
  def.frame_joint = on, def.frame_placement = placement + 12 * JOINTS;
  hik_model *model;
  hik_error error;
  hik_status status = hik_model_create(&def, &model, &error);
  if (status) printf("model: %s\n", error.text);
  free(parent), free(kind), free(on), free(axis), free(placement), free(lower), free(upper);
  return model;
}

/* Solves BATCH targets with all threads; true when every answer was written, or when the solver says that it does
   not take this figure. */
static bool solve(int32_t solver, const hik_model *model, const hik_problem *problem, const double *target,
                  int *solved) {
  size_t nq = (size_t)hik_model_sizes(model).nq;
  hik_options options = hik_options_default(solver);
  options.threads = THREADS;
  options.retries = 1;
  double *q = exact(BATCH * nq, sizeof *q), *q0 = exact(BATCH * nq, sizeof *q0);
  double *error = exact(BATCH, sizeof *error);
  int8_t *outcome = exact(BATCH, sizeof *outcome);
  int32_t *iterations = exact(BATCH, sizeof *iterations);
  for (size_t i = 0; i < BATCH * nq; i++) q0[i] = 0.1 * (double)(i % 7) - 0.2;
  hik_batch batch = {.n = BATCH,
                     .target = target,
                     .target_stride = hik_problem_target_width(problem),
                     .q0 = q0,
                     .q0_stride = (int64_t)nq};
  batch.q = q, batch.outcome = outcome, batch.iterations = iterations, batch.error = error;
  hik_error failure = {HIK_OK, -1, ""};
  hik_status status = hik_solve(solver, problem, &options, &batch, &failure);
  bool good = status == HIK_OK || status == HIK_UNSUPPORTED;
  if (status) printf("%s: %s\n", hik_row(HIK_SOLVERS, solver).name, failure.text);
  for (int i = 0; status == HIK_OK && i < BATCH; i++)
    good = good && outcome[i] != HIK_INVALID && isfinite(error[i]);
  *solved += status == HIK_OK && good;
  free(q), free(q0), free(error), free(outcome), free(iterations);
  return good;
}

int main(void) {
  enum { MOST = 64 };
  static const int32_t joints[] = {HIK_BALL, HIK_REVOLUTE};
  int failed = 0, passed = 0, solved[MOST] = {0};
  double *target = exact(BATCH * 3, sizeof *target);
  for (int i = 0; i < BATCH; i++) {
    target[3 * i] = 0.9 + 0.003 * i, target[3 * i + 1] = 0.5 - 0.01 * i, target[3 * i + 2] = 0.004 * i;
  }
  /* poses for the solvers that take no position alone: a row is x y z and a quaternion */
  double *pose = exact(BATCH * 7, sizeof *pose);
  for (int i = 0; i < BATCH; i++) {
    for (int c = 0; c < 3; c++) pose[7 * i + c] = target[3 * i + c];
    pose[7 * i + 3] = 1, pose[7 * i + 4] = pose[7 * i + 5] = pose[7 * i + 6] = 0;
  }
  for (int k = 0; k < 3; k++) {
    hik_model *model = make_chain(joints[k > 0]);
    if (!model) return 1;
    hik_term term = hik_term_default(hik_find(HIK_TERMS, k < 2 ? "position" : "pose"));
    term.frame = 0;
    hik_problem *problem;
    hik_error error;
    if (hik_problem_create(model, &term, 1, &problem, &error)) return printf("problem: %s\n", error.text), 1;
    for (int32_t s = 0; s < hik_count(HIK_SOLVERS) && s < MOST; s++)
      if (k < 2 || !solved[s]) failed += !solve(s, model, problem, k < 2 ? target : pose, solved + s);
    hik_problem_free(problem);
    hik_model_free(model);
  }
  free(target);
  free(pose);
  /* A solver that took neither figure was not looked at. */
  for (int32_t s = 0; s < hik_count(HIK_SOLVERS) && s < MOST; s++)
    if (solved[s])
      passed++;
    else
      failed++;
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0 || passed == 0;
}
