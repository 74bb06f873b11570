/* levels.h: strict priorities: what a lower level may do without worsening the levels above it. */
#pragma once
#include "solve/squares/descent.h"

typedef struct hik_levels hik_levels;

/* Lays out, and with memory fills in what does not depend on the target. */
hik_levels *hik_levels_lay_out(const hik_problem *p, hik_block *block);
/* Iterations that lowering all levels takes at most. */
int64_t hik_levels_most(const hik_problem *p, int32_t max_iter);
void hik_levels_begin(hik_levels *levels, hik_run *run);
/* Goes on from answer->q, where a solver left it: lowers the levels below the first one after the other. `met` says that
   all terms that decide hold there; then only those that never decide are left to be lowered. */
void hik_levels_descend(hik_levels *levels, const double *target, bool met, hik_answer *answer);
