/* starts.h: the one generator of starts: number of the attempt -> posture.

   Attempts of a call on one problem are numbered through: 0 is the start given, or at rest; round r of `retries` goes on
   with r (1 + starts). So no start is drawn twice, whoever makes the attempts. The lanes of one goal on a serial chain
   have a map and draws of their own (solve/lanes/serial.h), by the same numbers. */
#pragma once
#include "solve/drive/solver.h"

/* Point `index` >= 1 of the Halton sequence in base `prime`, in (0, 1). */
double hik_halton(uint64_t index, uint32_t prime);

/* One coordinate, or ball, that starts are drawn for. */
typedef struct hik_start_column {
  int32_t q;
  bool ball;
  const hik_swing *cone; /* of a ball, NULL: none */
  double lower, upper;   /* limits of others */
  double low, high;      /* where they are drawn */
} hik_start_column;

struct hik_starts {
  int32_t n;                /* columns; -1: not looked at yet */
  hik_start_column *column; /* [n_active] */
};

/* Counts, or with memory lays out. */
void hik_starts_lay_out(hik_starts *s, const hik_problem *p, hik_block *block);
/* False: no coordinate that moves a goal has room to move, so that every attempt is the first one. */
bool hik_starts_move(const hik_run *run);
/* Sets the coordinates that move some goal and have room to attempt number `number` >= 1: a Halton point shifted by the
   seed (modulo 1), column k in the k-th prime; from the 17th on uniform random numbers. A turn without limits takes
   (-pi, pi], a slide without limits +-length; a ball takes a rotation by Shoemake's map, which is uniform, one with limits
   a point of its room. Other coordinates stay. */
void hik_start(const hik_run *run, uint64_t number, double *q);

/* Turns that are free by whole ones, with every joint that follows them, take the angle nearest to the one in `from` that
   is inside the limits; q is inside. Not where a term says what the coordinates themselves should be. */
void hik_unwrap(const hik_problem *p, const double *from, double *q);

/* The step has room: balls that are not held, others when their coordinate has. One that follows a swing has none of its
   own. */
HIK_INLINE bool hik_step_free(const hik_model *m, int32_t s) {
  if (hik_step_follows(m, s)) return false;
  if (m->step_kind[s] == HIK_BALL_STEP) return !hik_step_held(m, s);
  return m->lower[m->step_q[s]] < m->upper[m->step_q[s]];
}

/* ---- approach.c: a root that can go anywhere goes to a far target before anything else, for every solver ---- */

/* A target is far from here on, in lengths of the problem: what turns and slides with an end reach from one another is
   within two. */
enum { HIK_FAR = 4 };

/* Works out part->approaches. */
void hik_approach_ready(const hik_solver_class *solver, hik_readied *part);
/* Where a position of the target is far from its frame the slides without an end go to where all are nearest, in the sense
   of least squares. False: none is, and q is as it was. */
bool hik_approach(const hik_run *run, const double *target, double *q);
/* hik_start, and then near the target. */
HIK_INLINE void hik_start_near(const hik_run *run, uint64_t number, const double *target, double *q) {
  hik_start(run, number, q);
  if (HIK_UNLIKELY(run->ready->approaches)) hik_approach(run, target, q);
}
