/* straight.h: the nearest posture of a chain of free balls whose target its lengths put out of reach, for every solver. */
#pragma once
#include "solve/drive/solver.h"

/* Works out part->straight. `solver` and the part's options say whether it is wanted. */
void hik_straight_ready(const hik_solver_class *solver, hik_readied *part);
/* False: not for this target or start, and `answer` is as it was. */
bool hik_straight_one(hik_run *run, const double *target, hik_answer *answer);
/* As hik_solver_class.block, but problems it is not for are left alone. */
void hik_straight_block(hik_run *run, const hik_claims *rows);
