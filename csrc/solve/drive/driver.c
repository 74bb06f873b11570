/* driver.c: the one driver of attempts.

   Purpose    every problem of every solver: it sets the start, lets the solver make its attempts, asks the judge, begins
              again as often as `retries` says, and keeps the best answer
   Given      a solver; a target, a start, options
   Returned   the row of the batch: q inside its limits, outcome, errors, counts, trace
   Outcomes   all; only the judge's word makes one HIK_CONVERGED
   Notes      1 Attempts are numbered through, and their starts follow from the number alone (starts.h): round r begins with
                number r (1 + starts). Where nothing can move there is one attempt.
              2 A claim that the judge does not confirm, and what lanes gave up, goes on by the solver's `finish`.
              3 Turns that are free by whole ones come back as the angle nearest to the start, whichever start was the one.
              4 Of all rounds the nearest answer is kept, and its trace.
              5 What ends stalled, and is a least-squares minimum, is called so (least.c). */
#include "solve/drive/driver.h"

enum { BUDGET = 20000 };

/* ---- memory ---- */

/* Rows that a restart may note, 0: none is asked for. */
static size_t noted_rows(const hik_plan *plan, const hik_batch *b) {
  return b->trace && plan->options.retries > 0 ? (size_t)plan->trace_rows : 0;
}

hik_driver *hik_driver_lay_out(const hik_plan *plan, const hik_batch *b, hik_block *block) {
  const hik_problem *p = plan->problem;
  size_t rows = b ? noted_rows(plan, b) : 0;
  hik_driver *t = HIK_TAKE(block, hik_driver, 1), spare, *into = t ? t : &spare;
  into->run.world = HIK_TAKE(block, hik_pose, (size_t)p->model->n_step + 1);
  into->run.starts = &into->starts;
  hik_starts_lay_out(&into->starts, p, block);
  into->mix = plan->options.retries > 0 ? hik_mix_lay_out(p, block) : NULL;
  into->best = HIK_TAKE(block, double, p->model->nq);
  into->run.scratch = HIK_TAKE(block, char, plan->scratch[0]);
  into->least = HIK_TAKE(block, char, plan->least);
  if (rows > 0) into->trace = HIK_TAKE(block, double, rows);
  if (rows > 0) into->path = hik_block_take(block, rows, (size_t)p->model->nq * sizeof *into->path);
  if (!p->n_stage) return t;
  into->part[1].scratch = HIK_TAKE(block, char, plan->scratch[1]);
  if (p->first) hik_starts_lay_out(into->part_starts, p->first, block);
  if (p->top) hik_starts_lay_out(into->part_starts + 1, p->top, block);
  into->start = HIK_TAKE(block, double, p->model->nq);
  into->levels = hik_levels_lay_out(p, block);
  return t;
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
  if (w->stopped || w->late) w->budget = 0; /* whoever asks next is told too */
  return !w->stopped && !w->late;
}

/* ---- starts and answers ---- */

static const double *given(const hik_call *call, int64_t i) {
  const hik_batch *b = call->batch;
  return b->q0 ? b->q0 + i * b->q0_stride : call->problem->model->rest;
}

static void set_start(const hik_call *call, int64_t i, double *q) {
  const hik_model *m = call->problem->model;
  memmove(q, given(call, i), (size_t)m->nq * sizeof *q); /* the start may be the answer's own place */
  hik_clamp(m, 1, q);
}

/* The rows of a block get their starts. */
static void set_starts(const hik_call *call, int64_t first, int64_t last) {
  const hik_batch *b = call->batch;
  int64_t nq = call->problem->model->nq;
  bool one = !b->q0 || !b->q0_stride;
  for (int64_t i = first; i < last; i++)
    if (one && i > first)
      memcpy(b->q + i * nq, b->q + first * nq, (size_t)nq * sizeof *b->q);
    else
      set_start(call, i, b->q + i * nq);
}

static void write_errors(const hik_batch *b, int64_t i, const hik_verdict *v) {
  if (b->error) b->error[i] = v->error;
  if (b->position_error) b->position_error[i] = v->position_error;
  if (b->orientation_error) b->orientation_error[i] = v->orientation_error;
}

static hik_answer answer_for(const hik_call *call, int64_t i) {
  return hik_answer_row(call->problem, call->plan->trace_rows, call->batch, i);
}

static void clear_trace(const hik_call *call, double *trace) {
  if (!trace) return;
  for (int64_t k = 0, n = call->plan->trace_rows; k < n; k++) trace[k] = NAN;
}

/* No answer: of a target that is not usable, or one the call was interrupted before or amid. */
static void write_none(const hik_call *call, int64_t i) {
  const hik_batch *b = call->batch;
  const hik_verdict none = {NAN, NAN, NAN, false, NAN, NAN};
  int32_t nq = call->problem->model->nq;
  for (int32_t k = 0; k < nq; k++) b->q[i * nq + k] = NAN;
  bool usable = hik_target_usable(call->problem, b->target + i * b->target_stride);
  b->outcome[i] = usable ? HIK_CANCELLED : HIK_INVALID;
  if (b->iterations) b->iterations[i] = 0;
  if (b->n_restarts) b->n_restarts[i] = 0;
  if (b->method) b->method[i] = HIK_BY_NONE;
  clear_trace(call, answer_for(call, i).trace);
  write_errors(b, i, &none);
}

/* Every coordinate is a number within half a turn of the start. */
static bool near_start(const double *from, const double *q, int32_t nq) {
  int64_t far = 0;
  for (int32_t k = 0; k < nq; k++) far += !(fabs(from[k] - q[k]) <= HIK_PI);
  return far == 0;
}

/* What the solver let go astray is put right, and whole turns are taken back; returns what it may claim. */
static hik_outcome put_right(const hik_call *call, int64_t i, double *q, hik_outcome claim) {
  const double *from = given(call, i);
  int32_t nq = call->problem->model->nq;
  if (near_start(from, q, nq)) return claim;
  if (hik_all_finite(q, nq)) {
    hik_unwrap(call->problem, from, q);
    return claim;
  }
  set_start(call, i, q);
  return HIK_DIVERGED;
}

void hik_note_judged(const hik_run *run, const double *target, const hik_answer *a, int32_t iteration,
                     const double *q) {
  hik_verdict v;
  if (!a->trace) return;
  hik_judge_one(run->problem, target, q, run->world, &v);
  hik_note(a, iteration, v.error, q, run->problem->model->nq);
}

static bool stopped(const hik_run *run) { return run->worker->stopped || run->worker->late; }

static hik_outcome outcome_of(const hik_run *run, hik_outcome claim, const hik_verdict *v) {
  if (v->met) return HIK_CONVERGED;
  if (run->worker->late) return HIK_TIME_LIMIT;
  return claim == HIK_CONVERGED || claim == HIK_NO_CLAIM ? HIK_STALLED : claim;
}

/* Whether what was claimed for a pose that does not meet the goals leaves something to do: what lanes gave up or proved to
   be away, and what the judge does not confirm. */
static bool may_go_on(const hik_run *run, hik_outcome claim, hik_method_used method) {
  if (!run->worker->call->solver->finish || stopped(run)) return false;
  return claim == HIK_STALLED || claim == HIK_CONVERGED ||
         (claim == HIK_UNREACHABLE && method != HIK_BY_CLOSED_FORM);
}

/* The judge's word on the answer to problem i, which is the start where the figure has no place (a hinge beyond 1e300). */
static void ask_judge(const hik_run *run, int64_t i, hik_answer *answer, hik_verdict *v) {
  const hik_call *call = run->worker->call;
  const double *target = run->batch->target + i * run->batch->target_stride;
  answer->claim = put_right(call, i, answer->q, answer->claim);
  hik_judge_one(run->problem, target, answer->q, run->world, v);
  if (!isnan(v->error) || answer->claim == HIK_DIVERGED || answer->claim == HIK_UNREACHABLE) return;
  answer->claim = HIK_DIVERGED;
  set_start(call, i, answer->q);
  hik_judge_one(run->problem, target, answer->q, run->world, v);
}

/* The same; where it does not confirm the answer, on what the solver makes of it. */
static hik_outcome judge(hik_run *run, int64_t i, hik_answer *answer, hik_verdict *v) {
  const hik_batch *b = run->batch;
  ask_judge(run, i, answer, v);
  if (v->met || run->problem->n_stage || !may_go_on(run, answer->claim, answer->method))
    return outcome_of(run, answer->claim, v);
  run->worker->call->solver->finish(run, b->target + i * b->target_stride, answer);
  ask_judge(run, i, answer, v);
  return outcome_of(run, answer->claim, v);
}

/* A thousand million restarts of a thousand million iterations: a count that is full stays so. */
static void add(int32_t *count, int32_t more) {
  *count = *count > INT32_MAX - more ? INT32_MAX : *count + more;
}

/* What is out of reach of free balls has a closed form; all else is for the solver, from near the target. */
static bool answered(hik_run *run, const double *target, hik_answer *answer) {
  if (run->ready->straight.takes && hik_straight_one(run, target, answer)) return true;
  if (run->ready->approaches) hik_approach(run, target, answer->q);
  return false;
}

static void make_attempts(hik_run *run, const double *target, hik_answer *answer) {
  if (!answered(run, target, answer)) run->worker->call->solver->one(run, target, answer);
}

/* ---- problems with stages ---- */

/* One of the smaller problems, judged by itself. */
static void solve_part(hik_run *part, const double *target, hik_answer *answer) {
  const hik_solver_class *solver = part->worker->call->solver;
  hik_verdict v;
  make_attempts(part, target, answer);
  if (!may_go_on(part, answer->claim, answer->method) || !hik_all_finite(answer->q, part->problem->model->nq))
    return;
  hik_judge_one(part->problem, target, answer->q, part->world, &v);
  if (!v.met) solver->finish(part, target, answer);
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
static void solve_top(hik_driver *t, const double *target, hik_answer *answer) {
  size_t nq = (size_t)t->run.problem->model->nq, done = (size_t)answer->iterations;
  hik_answer alone = {.q = answer->q, .claim = HIK_STALLED, .method = HIK_BY_ITERATION};
  if (answer->path) alone.trace = answer->trace + done, alone.path = answer->path + done * nq;
  memcpy(answer->q, t->start, nq * sizeof *answer->q);
  if (alone.path) memcpy(t->start, alone.path, nq * sizeof *t->start);
  solve_part(t->part + 1, target, &alone);
  note_top(&t->run, &alone, t->start, target);
  add(&answer->iterations, alone.iterations);
  add(&answer->remedies, alone.remedies);
  answer->method = alone.method;
}

/* All that decides at once, which is what there is to find if it can be had; else the first stage alone. Then what is below
   takes the freedom that is left (solve/drive/levels.c). */
static void solve_stages(hik_driver *t, const double *target, hik_answer *answer) {
  hik_run *run = &t->run;
  const hik_problem *p = run->problem;
  hik_verdict v;
  if (p->first) {
    hik_copy_q(p->model, answer->q, t->start);
    solve_part(t->part, target, answer);
    if (!hik_all_finite(answer->q, p->model->nq)) return;
  }
  hik_judge_one(p, target, answer->q, run->world, &v);
  if (!p->first) hik_note(answer, 0, v.error, answer->q, p->model->nq);
  if (!v.met && p->top && !stopped(run)) solve_top(t, target, answer);
  if (!hik_all_finite(answer->q, p->model->nq) || stopped(run)) return;
  hik_levels_descend(t->levels, target, v.met, answer);
}

/* ---- rounds of attempts ---- */

/* One round, whose first attempt has this number, from answer->q. */
static hik_outcome make_round(hik_driver *t, int64_t i, uint64_t number, hik_answer *answer, hik_verdict *v) {
  const double *target = t->run.batch->target + i * t->run.batch->target_stride;
  t->worker.late = false;
  t->worker.attempt = number;
  answer->claim = HIK_STALLED;
  answer->method = HIK_BY_ITERATION;
  if (t->run.problem->n_stage)
    solve_stages(t, target, answer);
  else
    make_attempts(&t->run, target, answer);
  return judge(&t->run, i, answer, v);
}

/* Attempts that a round may make. */
static uint64_t attempts_of(const hik_solver_class *c, const hik_options *o) {
  int32_t k = hik_option_place(c, "max_restarts");
  return k < 0 ? 1 : (uint64_t)o->param[k] + 1;
}

/* Whether the answer of a round is to be kept instead of `kept`: its error is the smaller in the first level in which the
   two differ by more than rounding makes them. */
static bool nearer(hik_run *run, const double *target, const double *q, const hik_verdict *v,
                   const double *kept, const hik_verdict *verdict) {
  const hik_problem *p = run->problem;
  if (v->met) return true;
  for (int32_t k = 0; p->top && k < p->n_stage && hik_stage_decides(p, k); k++) {
    double one = hik_stage_error(p, k, target, q, run->world);
    double other = hik_stage_error(p, k, target, kept, run->world);
    if (fabs(one - other) > 1e-9 + 1e-6 * fmax(one, other)) return one < other;
  }
  return hik_even_error(p, v) < hik_even_error(p, verdict);
}

/* A round takes the place of the answer that was kept. */
static void keep(hik_driver *t, hik_answer *kept, const hik_answer *round) {
  size_t nq = (size_t)t->run.problem->model->nq;
  memcpy(kept->q, round->q, nq * sizeof *kept->q);
  kept->method = round->method;
  if (!kept->trace) return;
  size_t rows = noted_rows(t->worker.call->plan, t->run.batch);
  memcpy(kept->trace, round->trace, rows * sizeof *kept->trace);
  for (size_t k = 0; kept->path && k < rows; k++)
    if (!isnan(round->trace[k])) memcpy(kept->path + k * nq, round->path + k * nq, nq * sizeof *kept->path);
}

/* Further rounds of attempts; of all the nearest answer is kept. */
static hik_outcome begin_again(hik_driver *t, int64_t i, hik_answer *answer, hik_outcome outcome,
                               hik_verdict *verdict) {
  hik_run *run = &t->run;
  const double *target = run->batch->target + i * run->batch->target_stride;
  uint64_t attempts = attempts_of(t->worker.call->solver, run->options), number = 0;
  if (!hik_starts_move(run)) return outcome;
  for (int32_t r = 0; r < run->options->retries; r++) {
    if (outcome == HIK_CONVERGED || outcome == HIK_UNREACHABLE || outcome == HIK_TIME_LIMIT) break;
    if (!hik_poll(&t->worker, 8 * (int64_t)run->problem->model->n_step + 8))
      return t->worker.late ? HIK_TIME_LIMIT : outcome;
    hik_answer round = {.q = t->best};
    hik_verdict v;
    if (answer->trace) round.trace = t->trace, clear_trace(t->worker.call, t->trace);
    if (answer->path) round.path = t->path;
    set_start(t->worker.call, i, round.q);
    hik_start(run, number += attempts, round.q);
    hik_outcome now = make_round(t, i, number, &round, &v);
    add(&answer->iterations, round.iterations);
    add(&answer->remedies, round.remedies), add(&answer->remedies, 1);
    bool better = nearer(run, target, round.q, &v, answer->q, verdict);
    if (better) *verdict = v, keep(t, answer, &round);
    if (better || now == HIK_TIME_LIMIT) outcome = now;
  }
  return outcome;
}

static void begin_clock(hik_worker *worker) {
  double limit = worker->call->options->time_limit;
  worker->late = false;
  worker->deadline = limit < INFINITY ? hik_clock() + limit : INFINITY;
}

/* Whether the answer is a least-squares minimum of what decides. Several levels that decide are no one sum of squares. */
static bool compromise(hik_driver *t, int64_t i, const hik_answer *answer, const hik_verdict *v) {
  const hik_batch *b = t->run.batch;
  const hik_problem *p = t->run.problem;
  if (p->n_stage && (p->top || !p->first)) return false;
  return hik_least_squares(p->n_stage ? t->part : &t->run, t->least, b->target + i * b->target_stride,
                           answer->q, v);
}

/* Begins again if asked to, and writes the rest of row i, whose answer in batch->q[i] has been judged. */
static void finish(hik_driver *t, int64_t i, hik_answer *answer, hik_outcome outcome, hik_verdict v) {
  hik_call *call = t->worker.call;
  const hik_batch *b = call->batch;
  if (outcome != HIK_CONVERGED && call->options->retries > 0)
    outcome = begin_again(t, i, answer, outcome, &v);
  if (t->worker.stopped && outcome != HIK_CONVERGED) {
    write_none(call, i);
    return;
  }
  if ((outcome == HIK_STALLED || outcome == HIK_MAX_ITER) && compromise(t, i, answer, &v))
    outcome = HIK_LEAST_SQUARES;
  b->outcome[i] = (int8_t)outcome;
  if (b->iterations) b->iterations[i] = answer->iterations;
  if (b->n_restarts) b->n_restarts[i] = answer->remedies;
  if (b->method) b->method[i] = (int8_t)answer->method;
  write_errors(b, i, &v);
  for (int64_t k = 0, n = call->plan->trace_rows; answer->path && k < n; k++)
    if (!isnan(answer->trace[k]))
      hik_unwrap(call->problem, given(call, i), answer->path + k * call->problem->model->nq);
}

void hik_drive_one(hik_driver *t, int64_t i) {
  hik_call *call = t->worker.call;
  hik_verdict v;
  if (t->worker.stopped ||
      !hik_target_usable(call->problem, call->batch->target + i * call->batch->target_stride)) {
    write_none(call, i);
    return;
  }
  begin_clock(&t->worker);
  hik_answer answer = answer_for(call, i);
  set_start(call, i, answer.q);
  clear_trace(call, answer.trace);
  hik_outcome outcome = make_round(t, i, 0, &answer, &v);
  finish(t, i, &answer, outcome, v);
}

/* ---- blocks ---- */

/* Judges and finishes up to HIK_JUDGE_LANES answers of the block at `first`, from row i on. */
static void some_answers(hik_driver *t, int64_t first, int64_t i, int64_t last) {
  hik_call *call = t->worker.call;
  const hik_batch *b = call->batch;
  int32_t n = last - i < HIK_JUDGE_LANES ? (int32_t)(last - i) : HIK_JUDGE_LANES,
          nq = call->problem->model->nq;
  hik_verdict v[HIK_JUDGE_LANES];
  hik_outcome claim[HIK_JUDGE_LANES];
  for (int32_t k = 0; k < n; k++) {
    claim[k] = (hik_outcome)t->claim[i - first + k];
    if (claim[k] == HIK_NO_CLAIM)
      write_none(call, i + k);
    else
      claim[k] = put_right(call, i + k, b->q + (i + k) * nq, claim[k]);
  }
  hik_judge_some(call->problem, n, b->target + i * b->target_stride, b->target_stride, b->q + i * nq,
                 t->run.world, v);
  for (int32_t k = 0; k < n; k++) {
    if (claim[k] == HIK_NO_CLAIM) continue;
    hik_answer answer = answer_for(call, i + k);
    answer.claim = claim[k];
    answer.iterations = t->iterations[i - first + k];
    answer.remedies = t->remedies[i - first + k];
    answer.method = (hik_method_used)t->method[i - first + k];
    t->worker.attempt = 0;
    hik_outcome outcome = !v[k].met && (may_go_on(&t->run, claim[k], answer.method) || isnan(v[k].error))
                              ? judge(&t->run, i + k, &answer, v + k)
                              : outcome_of(&t->run, claim[k], v + k);
    finish(t, i + k, &answer, outcome, v[k]);
  }
}

/* The same for a block, before the solver sees it; a target that is not usable has no answer here either. */
static void answer_some(hik_driver *t, const hik_claims *rows) {
  const hik_batch *b = t->run.batch;
  double gap[3];
  for (int64_t i = rows->first; i < rows->last; i++) {
    const double *target = b->target + i * b->target_stride;
    if (t->run.ready->straight.takes && hik_straight_near(&t->run, target, gap)) continue;
    hik_answer a = answer_for(t->worker.call, i);
    if (!answered(&t->run, target, &a)) continue;
    hik_report(rows, i, &a);
    if (!hik_poll(&t->worker, 0)) return;
  }
}

bool hik_drive_block(hik_driver *t, int64_t first, int64_t last) {
  hik_call *call = t->worker.call;
  if (!call->solver->block || last - first < call->solver->block_least || call->problem->n_stage ||
      t->worker.stopped || call->options->time_limit < INFINITY)
    return false;
  t->worker.deadline = INFINITY;
  t->worker.late = false;
  t->worker.attempt = 0;
  for (int64_t i = first; i < last && call->batch->trace; i++) clear_trace(call, answer_for(call, i).trace);
  memset(t->claim, HIK_NO_CLAIM, (size_t)(last - first));
  set_starts(call, first, last);
  const hik_claims rows = {first, last, t->claim, t->method, t->iterations, t->remedies};
  if (t->run.ready->straight.takes || t->run.ready->approaches) answer_some(t, &rows);
  if (!call->solver->block(&t->run, &rows)) return false;
  for (int64_t i = first; i < last; i += HIK_JUDGE_LANES) some_answers(t, first, i, last);
  return true;
}

/* ---- the call ---- */

static void begin_stages(hik_driver *t) {
  for (int i = 0; i < 2; i++) {
    hik_run *part = t->part + i;
    void *scratch = i == 0 ? t->run.scratch : part->scratch;
    *part = t->run;
    part->ready = t->run.ready + i;
    part->problem = part->ready->problem;
    part->scratch = scratch;
    part->starts = t->part_starts + i;
    if (part->problem && t->worker.call->solver->begin) t->worker.call->solver->begin(part);
  }
  hik_levels_begin(t->levels, &t->run);
}

void hik_driver_begin(hik_driver *t, hik_call *call, bool main_thread) {
  t->worker = (hik_worker){.call = call, .budget = BUDGET, .main_thread = main_thread, .deadline = INFINITY};
  t->run.problem = call->problem, t->run.options = call->options, t->run.batch = call->batch;
  t->run.worker = &t->worker;
  t->run.ready = call->plan->part;
  t->run.mix = t->mix;
  if (call->problem->n_stage)
    begin_stages(t);
  else if (call->solver->begin)
    call->solver->begin(&t->run);
}
