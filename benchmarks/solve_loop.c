/* solve_loop.c: the core's own time for single targets, in a loop of C, for what Python adds to it.

   benchmarks/calls.py builds it with the core as a library. The arm has hinges and slides; what the calls ask for is what
   csrc/python/core_fast.c asks for. */
#include <stdlib.h>
#include <time.h>

#include "base/base.h"

#define DOOR __attribute__((visibility("default")))

typedef struct loop {
  hik_model *model;
  hik_problem *problem;
} loop;

DOOR void loop_free(loop *l) {
  if (!l) return;
  hik_problem_free(l->problem);
  hik_model_free(l->model);
  free(l);
}

/* One pose of a frame, to a tolerance in metres and radians; NULL: no memory, or no such arm. */
DOOR loop *loop_make(int32_t joints, int32_t frames, const int32_t *parent, const int32_t *kind,
                     const double *axis, const double *placement, const double *lower, const double *upper,
                     const int32_t *frame_joint, const double *frame_placement, int32_t frame,
                     double tolerance) {
  hik_error error;
  loop *l = calloc(1, sizeof *l);
  if (!l) return NULL;
  hik_model_def def = hik_model_def_default();
  def.n_joint = joints, def.n_frame = frames, def.parent = parent, def.kind = kind, def.axis = axis;
  def.placement = placement, def.lower = lower, def.upper = upper, def.frame_joint = frame_joint;
  def.frame_placement = frame_placement;
  hik_term term = hik_term_default(hik_find(HIK_TERMS, "pose"));
  term.frame = frame;
  term.position_tolerance = term.orientation_tolerance = tolerance;
  if (hik_model_create(&def, &l->model, &error) ||
      hik_problem_create(l->model, &term, 1, &l->problem, &error)) {
    loop_free(l);
    return NULL;
  }
  return l;
}

static bool tick(void *context, int64_t done, int64_t total) {
  (void)context, (void)done, (void)total;
  return true;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of the processor for n targets [n][7] one by one, from q0 [n][nq] or (NULL) wherever the solver likes; answers
   to q [n][nq]; -1: refused. */
DOOR double loop_solve(const loop *l, int64_t n, const double *target, const double *q0, double *q) {
  int32_t solver = hik_find(HIK_SOLVERS, "auto"), nq = hik_model_sizes(l->model).nq;
  hik_options options = hik_options_default(solver);
  options.threads = 1;
  hik_error error;
  hik_plan *plan;
  if (hik_plan_create(solver, l->problem, &options, NULL, &plan, &error)) return -1;
  double begin = now();
  for (int64_t i = 0; i < n; i++) {
    int8_t outcome;
    int32_t iterations, n_restarts;
    double miss, position, orientation;
    hik_batch batch = {.n = 1,
                       .target = target + 7 * i,
                       .q0 = q0 ? q0 + nq * i : NULL,
                       .q = q + nq * i,
                       .outcome = &outcome,
                       .iterations = &iterations,
                       .n_restarts = &n_restarts,
                       .error = &miss,
                       .position_error = &position,
                       .orientation_error = &orientation,
                       .tick = tick};
    if (hik_plan_solve(plan, &batch, &error)) return -1;
  }
  hik_plan_free(plan);
  return now() - begin;
}
