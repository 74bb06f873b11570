/* closed.h: the nearest posture of an arm of up to six turns by its closed form, for auto. */
#pragma once
#include "solve/drive/solver.h"

/* Bytes for one thread. */
size_t hik_closed_scratch(const hik_readied *ready);
/* Whether problem and options are for the closed form. */
bool hik_closed_takes(const hik_readied *ready);
/* False: no answer, and `answer` is as it was. */
bool hik_closed_one(hik_run *run, void *scratch, const double *target, hik_answer *answer);
/* As hik_solver_class.block, but problems without an answer are left alone. */
void hik_closed_block(hik_run *run, void *scratch, const hik_claims *rows);
