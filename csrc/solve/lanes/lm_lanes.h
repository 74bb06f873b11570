/* lm_lanes.h: the lanes' side of a solver for one pose on a serial chain. */
#pragma once
#include "solve/drive/solver.h"

size_t hik_lm_lanes_scratch(const hik_readied *ready);
void hik_lm_lanes_begin(hik_run *run);
/* As hik_solver_class.one and .block, at most `starts` starts a problem (up to HIK_LM_LANES_STARTS). A block leaves the
   problems alone whose claim is not HIK_NO_CLAIM when it comes. */
void hik_lm_lanes_one(hik_run *run, int32_t starts, const double *target, hik_answer *answer);
void hik_lm_lanes_block(hik_run *run, int32_t starts, const hik_claims *rows);
enum { HIK_LM_LANES_STARTS = 256 };
/* By which method a claim of theirs was found. */
HIK_INLINE hik_method_used hik_lm_lanes_method(int32_t claim) {
  return claim == HIK_UNREACHABLE ? HIK_BY_SECOND_ORDER : HIK_BY_CHAIN;
}
