/* batch.c: the driver of every solver: checks, threads, starts, clock, tick, restarts; and it judges every answer.

   The bytes of an answer depend on its own target, start, options and seed alone: never on its place in the batch, on
   the number of threads or on how the batch is cut. Only a time limit or a cancelled call can change that. */
#include "base/parallel.h"
#include "solve/drive/levels.h"
#include "solve/drive/options.h"

enum { BLOCK = 1024, BUDGET = 20000 };

struct hik_call {
  const hik_solver_class *solver;
  const hik_problem *problem;
  const hik_options *options;
  const hik_batch *batch;
  hik_deal deal;
  char *scratch;           /* [threads] of stride */
  size_t stride, notes_at; /* bytes of one thread, and where among them its notes stand */
};

/* ---- one thread's memory ---- */

typedef struct thread_memory {
  hik_pose *world;
  double *best;  /* [nq] */
  int8_t *claim; /* [BLOCK] */
  int32_t *iterations, *remedies;
  double *trace, *path; /* of a restart: [rows], [rows][nq] */
  char *scratch;
  /* of problems with stages: all that decides as one level, its first stage, and what lowers the rest */
  hik_run first, top, whole;
  double *start; /* [nq] */
  hik_levels *levels;
} thread_memory;

/* Rows that a restart may note, 0: none is asked for. */
static size_t noted_rows(const hik_problem *p, const hik_options *o, const hik_batch *b) {
  return b->trace && o->restarts > 0 ? (size_t)hik_trace_rows(p, o) : 0;
}

static size_t solver_scratch(const hik_solver_class *c, const hik_problem *p, const hik_options *o) {
  if (p && c->scratch_for) return c->scratch_for(p, o);
  return p && c->scratch_size ? c->scratch_size(p) : 0;
}

/* `scratch` bytes for the solver, which stand last; with stages it is asked for those of each part instead. */
static thread_memory lay_out(const hik_solver_class *c, const hik_problem *p, const hik_options *o,
                             size_t scratch, hik_block *block) {
  thread_memory t;
  memset(&t, 0, sizeof t);
  t.world = HIK_TAKE(block, hik_pose, (size_t)p->model->n_step + 1);
  t.best = HIK_TAKE(block, double, p->model->nq);
  t.claim = HIK_TAKE(block, int8_t, BLOCK);
  t.iterations = HIK_TAKE(block, int32_t, BLOCK);
  t.remedies = HIK_TAKE(block, int32_t, BLOCK);
  t.scratch = HIK_TAKE(block, char, p->n_stage ? solver_scratch(c, p->first, o) : scratch);
  if (!p->n_stage) return t;
  t.first.scratch = t.scratch;
  t.top.scratch = HIK_TAKE(block, char, solver_scratch(c, p->top, o));
  t.start = HIK_TAKE(block, double, p->model->nq);
  t.levels = hik_levels_lay_out(p, block);
  return t;
}

/* What a restart notes stands after the solver's scratch. */
static void lay_out_notes(thread_memory *t, const hik_problem *p, size_t rows, hik_block *block) {
  t->trace = HIK_TAKE(block, double, rows);
  t->path = hik_block_take(block, rows, (size_t)p->model->nq * sizeof *t->path);
}

/* ---- the clock and the flag ---- */

bool hik_poll_slow(hik_worker *w) {
  w->budget = BUDGET;
  if (w->main_thread) hik_deal_look(&w->call->deal);
  if (atomic_load_explicit(&w->call->deal.stop, memory_order_relaxed)) w->stopped = true;
  if (w->deadline < INFINITY) {
    w->late = w->late || hik_clock() > w->deadline;
    w->budget = BUDGET / 20;
  }
  return !w->stopped && !w->late;
}

/* ---- one problem ---- */

static const double *start_of(const hik_call *call, int64_t i) {
  const hik_batch *b = call->batch;
  return b->q0 ? b->q0 + i * b->q0_stride : call->problem->model->rest;
}

static void write_errors(const hik_batch *b, int64_t i, const hik_verdict *v) {
  if (b->error) b->error[i] = v->error;
  if (b->position_error) b->position_error[i] = v->position_error;
  if (b->orientation_error) b->orientation_error[i] = v->orientation_error;
}

static void write_unsolved(const hik_call *call, int64_t i) {
  const hik_batch *b = call->batch;
  const hik_verdict none = {NAN, NAN, NAN, false};
  int32_t nq = call->problem->model->nq;
  for (int32_t k = 0; k < nq; k++) b->q[i * nq + k] = NAN;
  b->outcome[i] = HIK_UNSOLVED;
  if (b->iterations) b->iterations[i] = 0;
  if (b->remedies) b->remedies[i] = 0;
  if (b->trace)
    for (int64_t k = 0, n = hik_trace_rows(call->problem, call->options); k < n; k++)
      b->trace[i * n + k] = NAN;
  write_errors(b, i, &none);
}

static void set_start(const hik_call *call, int64_t i, double *q) {
  const hik_model *m = call->problem->model;
  memcpy(q, start_of(call, i), (size_t)m->nq * sizeof(double));
  hik_clamp(m, 1, q);
}

/* What the solver let go astray is put right; returns what it may claim. */
static hik_outcome put_right(hik_run *run, int64_t i, double *q, hik_outcome claim) {
  if (hik_all_finite(q, run->problem->model->nq)) return claim;
  set_start(run->worker->call, i, q);
  return HIK_DIVERGED;
}

static hik_outcome outcome_of(const hik_run *run, hik_outcome claim, const hik_verdict *v) {
  if (v->met) return HIK_CONVERGED;
  if (run->worker->late) return HIK_OUT_OF_TIME;
  return claim == HIK_CONVERGED || claim == HIK_UNSOLVED ? HIK_STALLED : claim;
}

/* The judge's word on the answer q to problem i. */
static hik_outcome judge(hik_run *run, int64_t i, double *q, hik_outcome claim, hik_verdict *v) {
  const hik_batch *b = run->batch;
  claim = put_right(run, i, q, claim);
  hik_judge_one(run->problem, b->target + i * b->target_stride, q, run->world, v);
  return outcome_of(run, claim, v);
}

/* What the first stage noted, whose errors are those of its own terms, becomes the errors of all that decide. The row of
   its start is that of the last pose before it, kept in `last`: row 0 has the start already. */
static void note_top(hik_run *run, const hik_answer *alone, const double *last, const double *target) {
  size_t nq = (size_t)run->problem->model->nq;
  hik_verdict v;
  if (!alone->path) return;
  memcpy(alone->path, last, nq * sizeof *last);
  for (int32_t k = 0; k <= alone->iterations; k++) {
    if (isnan(alone->trace[k])) continue;
    hik_judge_one(run->problem, target, alone->path + (size_t)k * nq, run->world, &v);
    alone->trace[k] = v.error;
  }
}

/* The first stage alone, from the start again. */
static void solve_top(hik_run *run, thread_memory *t, const double *target, hik_answer *answer) {
  size_t nq = (size_t)run->problem->model->nq, done = (size_t)answer->iterations;
  hik_answer alone = {.q = answer->q, .claim = HIK_STALLED};
  if (answer->path) alone.trace = answer->trace + done, alone.path = answer->path + done * nq;
  memcpy(answer->q, t->start, nq * sizeof *answer->q);
  if (alone.path) memcpy(t->start, alone.path, nq * sizeof *t->start);
  run->worker->call->solver->one(&t->top, target, &alone);
  note_top(run, &alone, t->start, target);
  answer->iterations += alone.iterations;
  answer->remedies += alone.remedies;
}

/* A problem with stages: all that decides at once, which is what there is to find if it can be had; else the first stage
   alone. Then what is below takes the freedom that is left (solve/drive/levels.c). */
static void solve_stages(hik_run *run, thread_memory *t, const double *target, hik_answer *answer) {
  const hik_problem *p = run->problem;
  hik_verdict v;
  if (p->first) {
    memcpy(t->start, answer->q, (size_t)p->model->nq * sizeof *answer->q);
    run->worker->call->solver->one(&t->first, target, answer);
    if (!hik_all_finite(answer->q, p->model->nq)) return;
  }
  hik_judge_one(p, target, answer->q, run->world, &v);
  if (!p->first) hik_note(answer, 0, v.error, answer->q, p->model->nq);
  if (!v.met && p->top && !run->worker->stopped && !run->worker->late) solve_top(run, t, target, answer);
  if (!hik_all_finite(answer->q, p->model->nq) || run->worker->stopped || run->worker->late) return;
  hik_levels_descend(t->levels, target, v.met, answer);
}

static void solve_once(hik_run *run, thread_memory *t, const double *target, hik_answer *answer) {
  run->worker->late = false;
  answer->claim = HIK_STALLED;
  if (run->problem->n_stage)
    solve_stages(run, t, target, answer);
  else
    run->worker->call->solver->one(run, target, answer);
}

/* What the last restart noted takes the place of what was kept. */
static void keep_notes(const hik_call *call, const thread_memory *t, int64_t i) {
  const hik_batch *b = call->batch;
  size_t rows = noted_rows(call->problem, call->options, b), nq = (size_t)call->problem->model->nq;
  if (rows == 0) return;
  memcpy(b->trace + i * (int64_t)rows, t->trace, rows * sizeof *t->trace);
  for (size_t k = 0; b->path && k < rows; k++)
    if (!isnan(t->trace[k]))
      memcpy(b->path + ((size_t)i * rows + k) * nq, t->path + k * nq, nq * sizeof *t->path);
}

/* Whether a restart's answer q is to be kept instead of `kept`: its error is the smaller in the first level in which the two
   differ by more than rounding makes them. */
static bool nearer(hik_run *run, const double *target, const double *q, const hik_verdict *v,
                   const double *kept, const hik_verdict *verdict) {
  const hik_problem *p = run->problem;
  if (v->met) return true;
  for (int32_t k = 0; p->top && k < p->n_stage && hik_stage_decides(p, k); k++) {
    double one = hik_stage_error(p, k, target, q, run->world);
    double other = hik_stage_error(p, k, target, kept, run->world);
    if (fabs(one - other) > 1e-9 + 1e-6 * fmax(one, other)) return one < other;
  }
  return v->error < verdict->error;
}

/* Further starts drawn inside the limits; the nearest answer is kept. */
static hik_outcome restart(hik_run *run, thread_memory *t, int64_t i, hik_answer *answer, hik_outcome outcome,
                           hik_verdict *verdict) {
  const hik_model *m = run->problem->model;
  const hik_options *o = run->options;
  const double *target = run->batch->target + i * run->batch->target_stride;
  double *q = answer->q;
  size_t rows = noted_rows(run->problem, o, run->batch);
  answer->trace = rows ? t->trace : NULL;
  answer->path = rows && run->batch->path ? t->path : NULL;
  for (int32_t r = 0; r < o->restarts; r++) {
    if (outcome == HIK_CONVERGED || outcome == HIK_CLOSEST || outcome == HIK_OUT_OF_TIME ||
        run->worker->stopped)
      break;
    int32_t before = answer->iterations, remedies = answer->remedies;
    hik_verdict v;
    answer->q = t->best;
    hik_random_q(m, o->seed, (uint64_t)r + 1, t->best);
    for (size_t k = 0; k < rows; k++) t->trace[k] = NAN;
    answer->iterations = answer->remedies = 0;
    answer->restart = r + 1;
    solve_once(run, t, target, answer);
    hik_outcome now = judge(run, i, t->best, answer->claim, &v);
    answer->iterations += before;
    answer->remedies += remedies + 1;
    bool keep = nearer(run, target, t->best, &v, q, verdict);
    if (now == HIK_OUT_OF_TIME || keep) {
      if (keep) {
        memcpy(q, t->best, (size_t)m->nq * sizeof *q);
        *verdict = v;
        keep_notes(run->worker->call, t, i);
      }
      outcome = now;
    }
  }
  answer->q = q;
  return outcome;
}

static void begin_clock(hik_run *run) {
  double limit = run->options->time_limit;
  run->worker->late = false;
  run->worker->deadline = limit < INFINITY ? hik_clock() + limit : INFINITY;
}

/* Restarts if asked to, and writes the rest of row i, whose answer in batch->q[i] has been judged. */
static void finish(hik_run *run, thread_memory *t, int64_t i, hik_answer *answer, hik_outcome outcome,
                   hik_verdict v) {
  hik_call *call = run->worker->call;
  const hik_batch *b = call->batch;
  if (outcome != HIK_CONVERGED && call->options->restarts > 0)
    outcome = restart(run, t, i, answer, outcome, &v);
  if (run->worker->stopped && outcome != HIK_CONVERGED) {
    write_unsolved(call, i);
    return;
  }
  b->outcome[i] = (int8_t)outcome;
  if (b->iterations) b->iterations[i] = answer->iterations;
  if (b->remedies) b->remedies[i] = answer->remedies;
  write_errors(b, i, &v);
}

static hik_answer answer_for(const hik_call *call, int64_t i) {
  const hik_batch *b = call->batch;
  hik_answer a = {.q = b->q + i * (int64_t)call->problem->model->nq};
  int64_t rows = hik_trace_rows(call->problem, call->options);
  if (b->trace) a.trace = b->trace + i * rows;
  if (b->trace && b->path) a.path = b->path + i * rows * call->problem->model->nq;
  return a;
}

static void one_problem(hik_run *run, thread_memory *t, int64_t i) {
  hik_call *call = run->worker->call;
  const hik_batch *b = call->batch;
  const double *target = b->target + i * b->target_stride;
  if (run->worker->stopped || !hik_target_usable(call->problem, target)) {
    write_unsolved(call, i);
    return;
  }
  begin_clock(run);
  hik_answer answer = answer_for(call, i);
  set_start(call, i, answer.q);
  if (answer.trace)
    for (int64_t k = 0, n = hik_trace_rows(call->problem, call->options); k < n; k++) answer.trace[k] = NAN;
  solve_once(run, t, target, &answer);
  hik_verdict v;
  hik_outcome outcome = judge(run, i, answer.q, answer.claim, &v);
  finish(run, t, i, &answer, outcome, v);
}

/* ---- one thread ---- */

/* Judges and finishes up to HIK_JUDGE_LANES answers of the block at `first`, from row i on. */
static void some_answers(hik_run *run, thread_memory *t, int64_t first, int64_t i, int64_t last) {
  hik_call *call = run->worker->call;
  const hik_batch *b = call->batch;
  int32_t n = last - i < HIK_JUDGE_LANES ? (int32_t)(last - i) : HIK_JUDGE_LANES,
          nq = call->problem->model->nq;
  hik_verdict v[HIK_JUDGE_LANES];
  hik_outcome claim[HIK_JUDGE_LANES];
  for (int32_t k = 0; k < n; k++) {
    claim[k] = (hik_outcome)t->claim[i - first + k];
    if (claim[k] == HIK_UNSOLVED || !hik_target_usable(call->problem, b->target + (i + k) * b->target_stride))
      claim[k] = HIK_UNSOLVED, write_unsolved(call, i + k);
    else
      claim[k] = put_right(run, i + k, b->q + (i + k) * nq, claim[k]);
  }
  hik_judge_some(call->problem, n, b->target + i * b->target_stride, b->target_stride, b->q + i * nq,
                 run->world, v);
  for (int32_t k = 0; k < n; k++) {
    if (claim[k] == HIK_UNSOLVED) continue;
    begin_clock(run);
    hik_answer answer = answer_for(call, i + k);
    answer.claim = claim[k];
    answer.iterations = t->iterations[i - first + k];
    answer.remedies = t->remedies[i - first + k];
    finish(run, t, i + k, &answer, outcome_of(run, claim[k], v + k), v[k]);
  }
}

static bool many_problems(hik_run *run, thread_memory *t, int64_t first, int64_t last) {
  hik_call *call = run->worker->call;
  const hik_batch *b = call->batch;
  if (!call->solver->block || call->problem->n_stage || run->worker->stopped ||
      call->options->time_limit < INFINITY)
    return false;
  run->worker->deadline = INFINITY;
  if (b->trace) {
    int64_t width = (int64_t)call->options->max_iter + 1;
    for (int64_t k = first * width; k < last * width; k++) b->trace[k] = NAN;
  }
  if (!call->solver->block(run, first, last, t->claim, t->iterations, t->remedies)) return false;
  for (int64_t i = first; i < last; i += HIK_JUDGE_LANES) some_answers(run, t, first, i, last);
  return true;
}

static void begin_stages(const hik_run *run, thread_memory *t) {
  const hik_problem *p = run->problem;
  hik_run *const part[] = {&t->first, &t->top};
  const hik_problem *const problem[] = {p->first, p->top};
  for (int i = 0; i < 2; i++) {
    void *scratch = part[i]->scratch;
    *part[i] = *run;
    part[i]->problem = problem[i];
    part[i]->scratch = scratch;
    if (problem[i] && run->worker->call->solver->begin) run->worker->call->solver->begin(part[i]);
  }
  t->whole = *run;
  hik_levels_begin(t->levels, &t->whole);
}

static void work(void *context, int32_t index) {
  hik_call *call = context;
  hik_worker worker = {.call = call, .budget = BUDGET, .main_thread = index == 0, .deadline = INFINITY};
  hik_run run = {.problem = call->problem, .options = call->options, .batch = call->batch, .worker = &worker};
  hik_block block = {call->scratch + (size_t)index * call->stride, 0, false};
  thread_memory memory = lay_out(call->solver, call->problem, call->options, 0, &block);
  hik_block notes = {call->scratch + (size_t)index * call->stride + call->notes_at, 0, false};
  lay_out_notes(&memory, call->problem, noted_rows(call->problem, call->options, call->batch), &notes);
  run.world = memory.world;
  run.scratch = memory.scratch;
  if (call->problem->n_stage)
    begin_stages(&run, &memory);
  else if (call->solver->begin)
    call->solver->begin(&run);
  for (int64_t first, last; hik_deal_claim(&call->deal, &first, &last);) {
    int64_t done = last - first;
    if (!many_problems(&run, &memory, first, last))
      for (int64_t i = first; i < last; i++, done--) {
        one_problem(&run, &memory, i);
        atomic_fetch_add_explicit(&call->deal.done, 1, memory_order_relaxed);
      }
    if (atomic_fetch_add(&call->deal.done, done) + done == call->batch->n) break;
    hik_poll_slow(&worker);
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
  lay_out(c, p, o, p->n_stage ? 0 : solver_scratch(c, p, o), &block);
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
  block = block < 1 ? 1 : block > BLOCK ? BLOCK : block;
  hik_deal_begin(&call.deal, batch->n, block, options->tick, options->tick_context);

  size_t whole;
  hik_block notes = {NULL, 0, false};
  thread_memory counted;
  lay_out_notes(&counted, problem, noted_rows(problem, options, batch), &notes);
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
