/* batch.c: hik_plan_solve: checks, memory, and the threads to which the problems are dealt (driver.c solves them).

   The bytes of an answer depend on its own target, start, options and seed alone: never on its place in the batch, on
   the number of threads or on how the batch is cut. Only a time limit or a cancelled call can change that. */
#include "solve/drive/driver.h"

static void work(void *context, int32_t index) {
  hik_call *call = context;
  char *own = call->scratch + (size_t)index * call->stride;
  hik_block block = {own, 0, false};
  hik_driver *t = hik_driver_lay_out(call->plan, call->batch, &block);
  hik_driver_begin(t, call, index == 0);
  for (int64_t first, last; hik_deal_claim(&call->deal, &first, &last);) {
    int64_t done = last - first;
    if (!hik_drive_block(t, first, last))
      for (int64_t i = first; i < last; i++, done--) {
        hik_drive_one(t, i);
        atomic_fetch_add_explicit(&call->deal.done, 1, memory_order_relaxed);
      }
    if (atomic_fetch_add(&call->deal.done, done) + done == call->batch->n) break;
    hik_poll_slow(&t->worker);
  }
}

static void idle(void *context) { hik_deal_look(&((hik_call *)context)->deal); }

/* ---- the call ---- */

static hik_status check_batch(const hik_problem *p, const hik_batch *b, hik_error *error) {
  if (b->n < 0 || !b->target || !b->q || !b->outcome)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the batch needs n >= 0, target, q and outcome");
  int64_t rows = !b->q0 ? 0 : b->q0_stride ? b->n : b->n > 0;
  for (int64_t i = 0; i < rows; i++)
    if (!hik_all_finite(b->q0 + i * b->q0_stride, p->model->nq))
      return hik_fail(error, HIK_BAD_ARGUMENT, (int32_t)(i < INT32_MAX ? i : INT32_MAX),
                      "q0 is not finite (row %lld)", (long long)i);
  return HIK_OK;
}

/* As many threads as asked for, but none for work that would be done before it has started (about 1 ms). */
static int32_t thread_count(const hik_options *o, const hik_problem *p, int64_t n) {
  if (n == 1 || p->one_thread || (!o->threads && n * ((int64_t)p->n_active + 1) < 2000)) return 1;
  return hik_thread_count(o->threads, n);
}

HIK_COUNT_BYTES(size_t hik_thread_bytes(const hik_plan *plan, const hik_batch *batch),
                hik_driver_lay_out(plan, batch, &block))

hik_status hik_plan_solve(const hik_plan *plan, const hik_batch *batch, hik_error *error) {
  hik_status status = check_batch(plan->problem, batch, error);
  if (status || batch->n == 0) return status;

  hik_call call = {.plan = plan,
                   .solver = plan->solver,
                   .problem = plan->problem,
                   .options = &plan->options,
                   .batch = batch};
  int32_t threads = thread_count(call.options, plan->problem, batch->n);
  int64_t block = threads == 1 ? batch->n : batch->n / (threads * 4); /* lanes run empty at the end of each */
  block = block < 1 ? 1 : block > HIK_SOLVE_BLOCK ? HIK_SOLVE_BLOCK : block;
  hik_deal_begin(&call.deal, batch->n, block, batch->tick, batch->tick_context);

  size_t whole;
  call.stride = batch->trace && call.options->retries > 0 ? hik_thread_bytes(plan, batch) : plan->stride;
  if (call.stride == SIZE_MAX || !hik_mul(call.stride, (size_t)threads, &whole))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the problem is too large for this solver");
  bool raw = plan->solver->raw_scratch && !plan->problem->n_stage;
  call.scratch = raw ? hik_allocate_raw(whole) : hik_allocate(whole);
  if (!call.scratch) return hik_fail_memory(error, whole);
  hik_fork_join(threads, work, idle, &call);
  hik_release(call.scratch);
  if (atomic_load(&call.deal.stop)) return hik_fail(error, HIK_INTERRUPTED, -1, "the call was cancelled");
  if (batch->tick) batch->tick(batch->tick_context, batch->n, batch->n);
  return HIK_OK;
}
