/* driver.h: one thread's side of a call: it solves problems one by one or in blocks (driver.c), batch.c deals them out. */
#pragma once
#include "base/parallel.h"
#include "solve/drive/pace.h"
#include "solve/drive/plan.h"
#include "solve/drive/starts.h"

enum { HIK_SOLVE_BLOCK = 1024 }; /* problems claimed at a time at most */

struct hik_call {
  const hik_plan *plan;
  const hik_solver_class *solver; /* of the plan, as are the two below */
  const hik_problem *problem;
  const hik_options *options;
  const hik_batch *batch;
  hik_deal deal;
  char *scratch; /* [threads] of stride */
  size_t stride; /* bytes of one thread */
};

/* One thread's memory. */
typedef struct hik_driver {
  hik_worker worker;
  hik_run run;
  hik_starts starts;
  hik_mix *mix;         /* of retries */
  double *best;         /* [nq] */
  double *trace, *path; /* of a restart: [rows], [rows][nq] */
  /* of problems with stages: all that decides as one level and its first stage, and what lowers the rest */
  hik_run part[2];
  hik_starts part_starts[2];
  double *start; /* [nq] */
  hik_levels *levels;
  void *least;                   /* of least.c */
  int8_t claim[HIK_SOLVE_BLOCK]; /* of a block */
  int8_t method[HIK_SOLVE_BLOCK];
  int32_t iterations[HIK_SOLVE_BLOCK], remedies[HIK_SOLVE_BLOCK];
} hik_driver;

/* Counts, or with memory lays out, by a plan whose `scratch` is known; with room for what restarts note of a batch, NULL:
   nothing. */
hik_driver *hik_driver_lay_out(const hik_plan *plan, const hik_batch *b, hik_block *block);
/* Once a call. */
void hik_driver_begin(hik_driver *t, hik_call *call, bool main_thread);
/* Solves problem i, or [first, last), and writes their rows of the batch. False: not in blocks. */
void hik_drive_one(hik_driver *t, int64_t i);
bool hik_drive_block(hik_driver *t, int64_t first, int64_t last);
