/* lm_lanes.c: damped least squares in lanes for one goal at the end of a serial chain.

   Purpose    one pose goal on 3 to 32 turns and slides, or a position, an orientation or an axis on 2 to 32, wherever
              in a tree they stand
   Given      a target; a start, which a pose uses when the caller gave one (else the map's starts come first)
   Returned   q inside its limits: where the first start, in their order, that reaches the target ends
   Outcomes   converged; max_iter; unreachable: lengths prove that the target is out of reach, and q is the nearest pose
              found (solve/lanes/stretch.c); stalled: no start led to the target, and q is the end of the best
   Notes      1 Order of the starts: the one given; the 32 samples of the target's cell of the map (solve/lanes/serial.h),
                nearest pose first; then draws inside the limits by the seed. Less than a pose leaves room to stay near
                the start: it comes first, given or at rest, with more patience; then the draws.
              2 A start is given up when its squared error is not below half of that three steps ago (from the ninth
                start on: nine tenths), or after 20 to 40 steps. A new start costs less than patience.
              3 A block works on as many problems as there are lanes, each with its starts one after another; an ended
                lane takes the next problem. A single problem works on several of its starts at once and takes the
                first in their order that arrives: the same answer, sooner. iterations counts the steps of the starts
                up to that one, remedies the starts before it.
              4 Lanes never meet, so every instruction set and every batch gives the same bytes.
   Reference  T. Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, IEEE Trans.
              Robotics 27 (2011) 984-991; P. Beeson, B. Ames, TRAC-IK (2015), restarts under limits. */
#include "base/tuning.h"
#include "solve/drive/starts.h"
#include "solve/lanes/descents.h"
#include "solve/lanes/serial.h"

enum { MOST_STARTS = 256 };

/* How a start of the single problem ended. */
typedef struct ending {
  int16_t steps;
  bool ended, met;
} ending;

/* The starts of a single problem, which are in lanes at once. */
typedef struct single {
  hik_lane_task task;
  int32_t starts, reserved; /* starts it may make; the most steps that those made may take */
  int32_t number[HIK_DESCENT_LANES];
  int32_t front, met, best; /* the first start that goes on; the first that arrived; that of the best end */
  ending ending[MOST_STARTS];
} single;

typedef struct job {
  const hik_prepared *s;
  hik_descents *d;
  hik_descent_kernel *step;
  bool given; /* attempt 0 of the call is the start given, or for less than a pose at rest */
  bool asked[HIK_DESCENT_SLOTS]; /* the map, which has then given the samples of earlier rounds */
  hik_map_query map[HIK_DESCENT_SLOTS];
  single single;
  double *q;         /* [nq] */
  double *near;      /* [nq] a start */
  size_t stretch_at; /* where in the scratch begins what only targets out of reach need; laid out for them */
} job;

static job *lay_out(const hik_problem *p, hik_block *block) {
  job *j = HIK_TAKE(block, job, 1), spare, *into = j ? j : &spare;
  into->d = hik_descents_lay_out(p, p->n_active, 12, 0, block);
  HIK_TAKE_DOUBLES(block, p->model->nq, &into->q, &into->near);
  into->stretch_at = block->size;
  return j;
}

HIK_COUNT_BYTES(static size_t scratch_for(const hik_readied *ready), lay_out(ready->problem, &block);
                hik_stretch_lay_out(ready->problem, &block))

static void begin(hik_run *run) {
  hik_block block = {run->scratch, 0, false};
  job *j = lay_out(run->problem, &block);
  j->s = run->ready->serial;
}

/* ---- starts ---- */

static int32_t most(int32_t number) {
  int32_t steps = number < HIK_LM_EAGER ? HIK_LM_FEW : HIK_LM_FEW + number / 4;
  return steps > HIK_LM_MANY ? HIK_LM_MANY : steps;
}

/* Where a posture near the start is as good as any the first start is not given up so soon: its answer is the one
   wanted. */
static double patience(const hik_descents *d, int32_t number) {
  const job *j = d->job;
  if (number >= HIK_LM_EAGER) return HIK_SHARE_LATE;
  return number == 0 && j->s->chain.goal != HIK_END_POSE ? HIK_SHARE_FIRST : HIK_SHARE_EARLY;
}

/* The map is asked, and has given what the rounds before this one took. */
static void ask(const hik_run *run, job *j, int32_t slot) {
  double t[HIK_SERIAL_JOINTS];
  uint64_t taken = run->worker->attempt ? run->worker->attempt - j->given : 0;
  hik_map_ask(j->s, hik_descents_aim(j->d, slot), j->map + slot);
  j->asked[slot] = true;
  for (uint64_t i = 0; i < taken && i < HIK_CELL; i++) hik_map_take(j->s, j->map + slot, t);
}

/* A slide without an end goes to a far target; the start in t is otherwise as it was. */
static void bring_near(hik_descents *d, const hik_lane_task *task, double *t) {
  job *j = d->job;
  memcpy(j->near, task->answer.q, (size_t)d->run->problem->model->nq * sizeof *j->near);
  hik_serial_to_q(j->s, t, j->near);
  if (hik_approach(d->run, task->target, j->near)) hik_serial_from_q(j->s, j->near, t);
}

static void start(hik_descents *d, const hik_lane_task *task, int32_t number, double *t) {
  job *j = d->job;
  const hik_prepared *s = j->s;
  uint64_t attempt = d->run->worker->attempt + (uint64_t)number;
  if (attempt == 0 && j->given) {
    hik_serial_from_q(s, task->answer.q, t);
  } else if (s->chain.goal == HIK_END_POSE && attempt - j->given < HIK_CELL) {
    if (!j->asked[task->slot]) ask(d->run, j, task->slot);
    hik_map_take(s, j->map + task->slot, t);
  } else {
    hik_serial_draw(s, d->run->options->seed, attempt, t);
  }
  if (attempt > 0 && d->run->ready->approaches) bring_near(d, task, t);
}

static bool load(hik_descents *d, hik_lane_task *task, double *aim) {
  job *j = d->job;
  const hik_problem *p = d->run->problem;
  if (hik_out_of_reach(p, task->target)) {
    hik_block block = {d->run->scratch, j->stretch_at, false};
    hik_stretch_one(d->run, j->s, hik_stretch_lay_out(p, &block), task->target, &task->answer);
    return false;
  }
  j->asked[task->slot] = false;
  hik_serial_target(j->s, p->goal, task->target + p->goal->column, aim);
  return true;
}

/* Maps that will be asked are asked together. */
static void ready(hik_descents *d, hik_lane_task *const *task, int32_t n) {
  job *j = d->job;
  if (j->s->chain.goal != HIK_END_POSE || (j->given && d->run->worker->attempt == 0)) return;
  for (int32_t i = 0; i < n; i++) ask(d->run, j, task[i]->slot);
}

static void step(hik_descents *d) {
  const job *j = d->job;
  d->near = d->given_up = j->step(&j->s->chain, &d->state);
}

static bool met(hik_descents *d, const hik_lane_task *task, int32_t lane) {
  (void)task;
  return d->state.error[lane] < ((const job *)d->job)->s->chain.square;
}

static void to_q(const hik_descents *d, const double *t, double *q) {
  hik_serial_to_q(((const job *)d->job)->s, t, q);
}

static const hik_descent_kind kind = {.method = HIK_BY_CHAIN,
                                      .load = load,
                                      .ready = ready,
                                      .start = start,
                                      .most = most,
                                      .patience = patience,
                                      .step = step,
                                      .met = met,
                                      .to_q = to_q};

static void begin_call(job *j, hik_run *run, int32_t starts, const hik_lane_kernels *kernels) {
  j->step = kernels->descent;
  j->d->starts = starts;
  j->d->first_aim = j->s->chain.goal == HIK_END_POSITION ? 9 : 0;
  hik_descents_begin(j->d, run, &kind, j, kernels->lanes, HIK_QUEUE_AHEAD, j->s->chain.n);
}

static void block_of(hik_run *run, int32_t starts, const hik_claims *rows) {
  job *j = run->scratch;
  j->given = run->batch->q0 || j->s->chain.goal != HIK_END_POSE;
  begin_call(j, run, starts, &hik_kernels_in_use()->wide);
  hik_queue_block(&j->d->queue, run, rows);
}

/* ---- a single problem: each lane a start ---- */

/* Whether there is another start whose steps fit under the cap, whatever becomes of those before: `reserved` has theirs.
   Where not, it has no more. */
static bool goes_on(const job *j, single *w) {
  int32_t started = j->d->task->started;
  if (started >= w->starts || started >= w->met) return false;
  w->reserved += most(started);
  if (w->reserved > j->d->run->options->max_iter) w->starts = started;
  return started < w->starts;
}

static bool next_start(void *context, int32_t lane) {
  job *j = context;
  single *w = &j->single;
  if (!goes_on(j, w)) {
    w->number[lane] = -1;
    if (j->d->task->started <= lane) hik_descents_idle(j->d, lane); /* else what it has is harmless */
    return false;
  }
  w->number[lane] = j->d->task->started;
  w->ending[w->number[lane]].ended = false;
  start(j->d, &w->task, w->number[lane], j->d->start);
  hik_descents_put(j->d, 0, j->d->start, lane);
  return true;
}

/* Once the first start that goes on arrives the others need no step. */
static uint64_t step_at_once(void *context) {
  job *j = context;
  hik_descents *d = j->d;
  d->state.enough = 0;
  for (int32_t lane = 0; lane < d->width; lane++)
    d->state.enough |= (uint32_t)(j->single.number[lane] == j->single.front) << lane;
  hik_descents_swap(d);
  step(d);
  return d->given_up;
}

static bool end_start(void *context, int32_t lane) {
  job *j = context;
  single *w = &j->single;
  hik_descents *d = j->d;
  hik_descending *k = d->task;
  int32_t at = w->number[lane];
  double error = d->state.error[lane];
  if (error != error) error = INFINITY;
  w->ending[at] = (ending){(int16_t)hik_descents_steps(d, lane), true, met(d, &w->task, lane)};
  bool first_met = w->ending[at].met && at < w->met;
  bool better = error < k->best || (error == k->best && at < w->best) || (k->best == INFINITY && at == 0);
  if (first_met || (w->met == INT32_MAX && better)) {
    k->best = error, w->best = at;
    hik_lane_get(d->state.now, d->width, lane, hik_descents_row(d, 0), d->n);
  }
  if (first_met) w->met = at;
  while (w->front < k->started && w->ending[w->front].ended && !d->queue.lanes.done) {
    w->task.answer.iterations += w->ending[w->front].steps;
    d->queue.lanes.done = w->ending[w->front++].met;
  }
  return true;
}

/* False: none of these starts arrived, and there are more than fit under the cap. */
static bool at_once(hik_run *run, job *j, int32_t starts, const double *target, hik_answer *answer) {
  single *w = &j->single;
  hik_descending *k = j->d->task;
  begin_call(j, run, starts, hik_kernels_in_use()->pair);
  hik_lanes *lanes = &j->d->queue.lanes;
  lanes->worker = run->worker, lanes->job = j;
  lanes->refill = next_start, lanes->step = step_at_once, lanes->settle = end_start;
  w->task = (hik_lane_task){.target = target, .answer = {.q = answer->q}};
  if (!load(j->d, &w->task, hik_descents_aim(j->d, 0))) {
    *answer = w->task.answer;
    return true;
  }
  w->starts = starts, w->reserved = w->front = w->best = 0, w->met = INT32_MAX;
  k->started = k->used = 0, k->best = INFINITY;
  hik_lanes_run(lanes);
  answer->claim = lanes->done ? HIK_CONVERGED : HIK_STALLED;
  answer->method = HIK_BY_CHAIN;
  answer->iterations = w->task.answer.iterations;
  answer->remedies = w->front > 0 ? w->front - 1 : 0;
  if (k->best < INFINITY) hik_serial_to_q(j->s, hik_descents_row(j->d, 0), answer->q);
  return lanes->done || lanes->busy || w->front == starts;
}

static void one_of(hik_run *run, int32_t starts, const double *target, hik_answer *answer) {
  job *j = run->scratch;
  size_t bytes = (size_t)run->problem->model->nq * sizeof *j->q;
  memcpy(j->q, answer->q, bytes);
  j->given = run->batch->q0 || j->s->chain.goal != HIK_END_POSE;
  /* steps are counted from start to start: where the cap may be met, and for a trace, one after another */
  if (!answer->trace && at_once(run, j, starts, target, answer)) return;
  memcpy(answer->q, j->q, bytes);
  begin_call(j, run, starts, &hik_kernels_in_use()->wide);
  hik_queue_one(&j->d->queue, run, target, answer);
}

const hik_lane_solver hik_chain_lanes = {MOST_STARTS, scratch_for, begin, one_of, block_of};

/* ---- the solver ---- */

enum { STARTS };

static hik_status accepts(const hik_problem *p, const hik_options *o, const char *name, hik_error *error) {
  if (!hik_serial_fits(p))
    return hik_fail(error, HIK_UNSUPPORTED, -1,
                    "%s takes one pose on 3 to %d turns and slides, or one position, orientation or axis "
                    "on 2 or more, none a ball or following another; auto takes the others",
                    name, HIK_SERIAL_JOINTS);
  (void)o;
  return HIK_OK;
}

static void one(hik_run *run, const double *target, hik_answer *answer) {
  one_of(run, (int32_t)run->options->param[STARTS] + 1, target, answer);
}

static bool block(hik_run *run, const hik_claims *rows) {
  block_of(run, (int32_t)run->options->param[STARTS] + 1, rows);
  return true;
}

const hik_solver_class hik_solver_lm_lanes = {
    .name = "lm_batch",
    .own = true,
    .summary = "damped least squares from a map of starts, several problems or starts at once",
    .reference = "Sugihara 2011",
    .max_iter = 3000,
    .ftol = 0,
    .option = {{"max_restarts", 199, 0, MOST_STARTS - 1, true}},
    .accepts = accepts,
    .ready = hik_serial_ready,
    .scratch_for = scratch_for,
    .raw_scratch = true,
    .begin = begin,
    .one = one,
    .block = block,
    .block_least = 2};
