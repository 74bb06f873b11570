/* fabrik_free.h: FABRIK and "follow the leader" on a chain of free ball joints, several targets at a time. */
#pragma once
#include "solve/drive/solver.h"

/* Places of FABRIK's option `single` (0: doubles, 1: floats), and of the pushes of both. */
enum { HIK_FABRIK_SINGLE = 9, HIK_FREE_NUDGES = 0 };

/* For problems that hik_balls_fit takes. HIK_OK when the option `single` of the solver `name` can be granted. */
hik_status hik_fabrik_free_accepts(const hik_problem *problem, const hik_options *options, const char *name,
                                   hik_error *error);
size_t hik_fabrik_free_scratch(const hik_readied *ready);
/* `follows`: the iteration is that of ftl.c. */
void hik_fabrik_free_begin(hik_run *run, bool follows);
/* See hik_solver_class.block; one problem, the same bytes. */
bool hik_fabrik_free_block(hik_run *run, const hik_claims *rows);
void hik_fabrik_free_one(hik_run *run, const double *target, hik_answer *answer);
