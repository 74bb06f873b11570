/* approach.h: a root that can go anywhere goes to a far target before anything else, for every solver.

   A slide without an end moves what it carries in a straight line, so that no linear model of it is ever wrong. Steps of
   a descent are short for the sake of turns: it would walk a length of the figure an iteration, and not arrive. */
#pragma once
#include "solve/drive/starts.h"

/* A target is far from here on, in lengths of the problem: what turns and slides with an end reach from one another is
   within two. */
enum { HIK_FAR = 4 };

/* Works out part->approaches. */
void hik_approach_ready(const hik_solver_class *solver, hik_readied *part);
/* Where a position of the target is far from its frame the slides without an end go to where all are nearest, in the sense
   of least squares. False: none is, and q is as it was. */
bool hik_approach(const hik_run *run, const double *target, double *q);
/* The same for the starts of a block that are not answered yet. */
void hik_approach_block(const hik_run *run, const hik_claims *rows);
/* hik_start, and then near the target. */
HIK_INLINE void hik_start_near(const hik_run *run, uint64_t number, const double *target, double *q) {
  hik_start(run, number, q);
  if (HIK_UNLIKELY(run->ready->approaches)) hik_approach(run, target, q);
}
