/* plan.h: a problem, a solver and its options, checked, with all that does not depend on targets worked out; and what
   the driver does around the attempts of a solver. */
#pragma once
#include "solve/drive/starts.h"

struct hik_plan {
  hik_held held;
  const hik_solver_class *solver;
  const hik_problem *problem;
  hik_options options;
  hik_readied part[2]; /* what solvers see: the problem itself, or with levels its `first` and `top` */
  size_t scratch[2];   /* bytes the solver wants for each, a thread */
  size_t least;        /* bytes of least.c, a thread */
  size_t stride;       /* bytes of one thread, without notes of restarts (batch.c) */
  int64_t trace_rows;
};

/* Of batch.c: bytes of one thread for a plan whose `scratch` is known, and a batch or NULL; SIZE_MAX: too many. */
size_t hik_thread_bytes(const hik_plan *plan, const hik_batch *batch);

/* ---- straight.c: the nearest posture of free balls whose target their lengths put out of reach, for every solver ---- */

/* Works out part->straight. `solver` and the part's options say whether it is wanted. */
void hik_straight_ready(const hik_solver_class *solver, hik_readied *part);
/* Most targets: in reach, and not near the edge; the way there from the root. */
HIK_INLINE bool hik_straight_near(const hik_run *run, const double *target, double gap[3]) {
  const hik_straight *s = &run->ready->straight;
  hik_sub3(target + run->problem->goal->column, s->root, gap);
  double square = hik_dot(gap, gap);
  return square > s->least && square < s->most;
}
/* False: not for this target or start, and `answer` is as it was. */
bool hik_straight_one(hik_run *run, const double *target, hik_answer *answer);

/* ---- levels.c: what a lower level may do without worsening the levels above it ---- */

typedef struct hik_levels hik_levels;

/* Lays out, and with memory fills in what does not depend on the target. */
hik_levels *hik_levels_lay_out(const hik_problem *p, hik_block *block);
/* Iterations that lowering all levels takes at most. */
int64_t hik_levels_most(const hik_problem *p, int32_t max_iter);
void hik_levels_begin(hik_levels *levels, hik_run *run);
/* Goes on from answer->q, where a solver left it: lowers the levels below the first one after the other. `met` says that
   all terms that decide hold there; then only those that never decide are left to be lowered. */
void hik_levels_descend(hik_levels *levels, const double *target, bool met, hik_answer *answer);

/* ---- least.c: whether a pose that does not meet its goals is the best compromise around ---- */

/* Bytes for a problem, whose scratch need not be zeroes; SIZE_MAX: too many. */
size_t hik_least_bytes(const hik_problem *problem);
/* Of a pose q [nq], which is left as it is, and what the judge says of it. run->world is overwritten. */
bool hik_least_squares(hik_run *run, void *memory, const double *target, const double *q,
                       const hik_verdict *verdict);
