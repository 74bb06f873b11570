/* fabrik.c: FABRIK; the chain of free balls goes to fabrik_free.c. */
#include "base/error.h"
#include "solve/fabrik_free.h"
#include "solve/solver.h"

static hik_status accepts(const hik_problem *p, const hik_options *o, hik_error *error) {
  (void)o;
  if (hik_fabrik_free_fits(p)) return HIK_OK;
  return hik_fail(error, HIK_UNSUPPORTED, -1, "fabrik takes one position at the end of a chain of ball joints");
}

static size_t scratch_size(const hik_problem *p, const hik_options *o) {
  (void)o;
  return hik_fabrik_free_scratch(p);
}

static bool block(hik_run *run, int64_t first, int64_t last, int8_t *claim, int32_t *iterations, int32_t *remedies) {
  hik_fabrik_free_block(run, first, last, claim, iterations, remedies);
  return true;
}

const hik_solver_class hik_solver_fabrik = {
    .name = "fabrik", .summary = "forward and backward reaching", .reference = "Aristidou and Lasenby 2011",
    .max_iter = 300, .stall = 1e-6, .accepts = accepts, .scratch_size = scratch_size, .begin = hik_fabrik_free_begin,
    .one = hik_fabrik_free_one, .block = block};
