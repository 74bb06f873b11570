/* plan.h: a problem, a solver and its options, checked, with all that does not depend on targets worked out. */
#pragma once
#include "solve/drive/solver.h"

struct hik_plan {
  hik_held held;
  const hik_solver_class *solver;
  const hik_problem *problem;
  hik_options options;
  hik_readied part[2]; /* what solvers see: the problem itself, or with levels its `first` and `top` */
  size_t scratch[2];   /* bytes the solver wants for each, a thread */
  size_t least;        /* bytes of least.h, a thread */
  size_t stride;       /* bytes of one thread, without notes of restarts (batch.c) */
  int64_t trace_rows;
};

/* Of batch.c: bytes of one thread for a plan whose `scratch` is known; SIZE_MAX: too many. */
size_t hik_thread_bytes(const hik_plan *plan);
