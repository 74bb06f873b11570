/* batch.c: hik_solve: checks, memory, and the threads to which the problems are dealt (driver.c solves them).

   The bytes of an answer depend on its own target, start, options and seed alone: never on its place in the batch, on
   the number of threads or on how the batch is cut. Only a time limit or a cancelled call can change that. */
#include "solve/drive/driver.h"
#include "solve/drive/options.h"

static void work(void *context, int32_t index) {
  hik_call *call = context;
  char *own = call->scratch + (size_t)index * call->stride;
  hik_block block = {own, 0, false}, notes = {own + call->notes_at, 0, false};
  hik_driver *t = hik_driver_lay_out(call->solver, call->problem, call->options, 0, &block);
  hik_driver_lay_out_notes(t, call->problem, call->options, call->batch, &notes);
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
  if (n == 1 || (!o->threads && n * ((int64_t)p->n_active + 1) < 2000)) return 1;
  return hik_thread_count(o->threads, n);
}

/* Bytes of one thread, SIZE_MAX: too many. Worked out once for the solver last used on the problem, unless they depend
   on the options. */
static size_t stride_of(int32_t solver, const hik_problem *p, const hik_options *o) {
  enum { SIZE_BITS = 48 };
  _Atomic(uint64_t) *known = &((hik_problem *)p)->stride;
  uint64_t word = atomic_load_explicit(known, memory_order_relaxed);
  if (word >> SIZE_BITS == (uint64_t)solver + 1) return (size_t)(word & (((uint64_t)1 << SIZE_BITS) - 1));
  const hik_solver_class *c = hik_solver_classes[solver];
  hik_block block = {NULL, 0, false};
  hik_driver_lay_out(c, p, o, p->n_stage ? 0 : hik_solver_scratch(c, p, o), &block);
  if (block.bad) return SIZE_MAX;
  if (!c->scratch_for && (uint64_t)block.size >> SIZE_BITS == 0)
    atomic_store_explicit(known, (uint64_t)block.size | ((uint64_t)solver + 1) << SIZE_BITS,
                          memory_order_relaxed);
  return block.size;
}

int64_t hik_trace_rows(const hik_problem *p, const hik_options *o) {
  int64_t stages = p->n_stage ? hik_levels_most(p, o->max_iter) + (p->top ? o->max_iter : 0) : 0;
  return 1 + (int64_t)o->max_iter + stages;
}

hik_status hik_solve(int32_t solver, const hik_problem *problem, const hik_options *options,
                     const hik_batch *batch, hik_error *error) {
  if (solver < 0 || solver >= hik_solver_class_count)
    return hik_fail(error, HIK_NOT_FOUND, solver, "there is no solver %d", solver);
  const hik_solver_class *c = hik_solver_classes[solver];
  hik_status status = hik_check_options(c, options, error);
  if (!status) status = check_batch(problem, batch, error);
  const hik_problem *const part[] = {problem->n_stage ? problem->first : problem, problem->top};
  for (int i = 0; i < 2 && !status; i++)
    if (part[i] && c->accepts) status = c->accepts(part[i], options, error);
  if (status || batch->n == 0) return status;

  hik_call call = {.solver = c, .problem = problem, .options = options, .batch = batch};
  int32_t threads = thread_count(options, problem, batch->n);
  int64_t block = threads == 1 ? batch->n : batch->n / (threads * 4); /* lanes run empty at the end of each */
  block = block < 1 ? 1 : block > HIK_SOLVE_BLOCK ? HIK_SOLVE_BLOCK : block;
  hik_deal_begin(&call.deal, batch->n, block, options->tick, options->tick_context);

  size_t whole;
  hik_block notes = {NULL, 0, false};
  hik_driver_lay_out_notes(NULL, problem, options, batch, &notes);
  call.notes_at = stride_of(solver, problem, options);
  call.stride = call.notes_at + notes.size;
  if (call.notes_at == SIZE_MAX || notes.bad || call.stride < notes.size ||
      !hik_mul(call.stride, (size_t)threads, &whole))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the problem is too large for this solver");
  call.scratch = c->raw_scratch && !problem->n_stage ? hik_allocate_raw(whole) : hik_allocate(whole);
  if (!call.scratch) return hik_fail_memory(error, whole);
  hik_fork_join(threads, work, idle, &call);
  hik_release(call.scratch);
  if (atomic_load(&call.deal.stop)) return hik_fail(error, HIK_CANCELLED, -1, "the call was cancelled");
  if (options->tick) options->tick(options->tick_context, batch->n, batch->n);
  return HIK_OK;
}
