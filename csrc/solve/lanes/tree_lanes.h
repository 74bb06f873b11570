/* tree_lanes.h: the lanes' side of a solver for several goals on a tree. */
#pragma once
#include "solve/lanes/tree_plan.h"

size_t hik_tree_lanes_scratch(const hik_readied *ready);
void hik_tree_lanes_begin(hik_run *run);
/* As hik_solver_class.one and .block, at most `starts` starts a problem. What the lengths put out of reach is left at its
   start and claimed to be `unreachable`, with no iteration made. */
void hik_tree_lanes_one(hik_run *run, int32_t starts, const double *target, hik_answer *answer);
void hik_tree_lanes_block(hik_run *run, int32_t starts, const hik_claims *rows);
