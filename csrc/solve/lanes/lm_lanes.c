/* lm_lanes.c: damped least squares in lanes for one goal at the end of a serial chain.

   Purpose    one pose goal on 3 to 32 turns and slides, or a position, an orientation or an axis on 2 to 32, wherever
              in a tree they stand
   Given      a target; a start, which a pose uses when the caller gave one (else the map's starts come first)
   Returned   q inside its limits: where the first start, in their order, that reaches the target ends
   Outcomes   converged; max_iter; closest: lengths prove that the target is out of reach, and q is the nearest pose
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
#include "solve/lanes/lm_lanes.h"

#include "simd/kernels.h"
#include "solve/lanes/stretch.h"

enum { FEW = 20, MANY = 40, AT_ONCE = 2, AHEAD = 8, TASKS = HIK_DESCENT_LANES + AHEAD };

/* One problem in hand. */
typedef struct task {
  int64_t index;                 /* in the batch, -1: none */
  const double *target;          /* as the caller gave it */
  const double *given;           /* its start */
  bool asked;                    /* the map, which has then given the samples of earlier rounds */
  int32_t starts, started, used; /* starts it may make, has made; steps of those that have ended */
  double aim[12];
  hik_map_query map;
  double best;                 /* error of the best end, infinity: none yet, */
  double t[HIK_SERIAL_JOINTS]; /* which is this; before the first step the first start */
} task;

/* How a start of the single problem ended. */
typedef struct ending {
  int16_t steps;
  bool ended, met;
} ending;

typedef struct job {
  const hik_prepared *s;
  const hik_lane_kernels *kernels;
  hik_descent_state state;
  double *memory; /* of the state */
  task *task;     /* [TASKS] */
  task *in[HIK_DESCENT_LANES], *spare[TASKS], *ready[AHEAD];
  int32_t n_spare, n_ready;
  uint32_t busy;  /* bits of the lanes that have a task */
  ending *ending; /* [HIK_LM_LANES_STARTS] */
  double *q;      /* [nq] for traces */
  bool given;     /* attempt 0 of the call is the start given, or for less than a pose at rest */
  void *stretch;
} job;

static job *lay_out(const hik_problem *p, hik_block *block) {
  size_t width = HIK_DESCENT_LANES;
  job *j = HIK_TAKE(block, job, 1), spare, *into = j ? j : &spare;
  into->memory = HIK_TAKE(block, double, (2 * (size_t)p->n_active + 18) * width);
  into->task = HIK_TAKE(block, task, TASKS);
  into->ending = HIK_TAKE(block, ending, HIK_LM_LANES_STARTS);
  into->q = HIK_TAKE(block, double, p->model->nq);
  into->stretch = HIK_TAKE(block, char, hik_stretch_scratch(p));
  return j;
}

size_t hik_lm_lanes_scratch(const hik_problem *p) {
  hik_block block = {NULL, 0, false};
  lay_out(p, &block);
  return block.bad ? SIZE_MAX : block.size;
}

void hik_lm_lanes_begin(hik_run *run) {
  hik_block block = {run->scratch, 0, false};
  job *j = lay_out(run->problem, &block);
  j->s = run->ready->serial;
}

/* Sets the state up for kernels of their width. */
static void use(job *j, const hik_lane_kernels *kernels) {
  j->kernels = kernels;
  size_t width = (size_t)kernels->lanes, n = (size_t)j->s->chain.n;
  double *at = j->memory;
  j->state.enough = 0;
  j->state.now = at, at += n * width;
  j->state.next = at, at += n * width;
  j->state.target = at, at += 12 * width;
  j->state.error = at, at += width;
  j->state.past = at, at += HIK_DESCENT_PAST * width;
  j->state.ratio = at, at += width;
  j->state.left = at;
}

/* ---- starts ---- */

static void take_target(const hik_run *run, const job *j, task *k, int32_t starts) {
  k->starts = starts;
  k->started = k->used = 0;
  k->asked = false;
  k->best = INFINITY;
  hik_serial_target(j->s, run->problem->goal, k->target + run->problem->goal->column, k->aim);
}

/* Steps that start `number` may make. */
static int32_t most_of(int32_t number) {
  int32_t most = number < 8 ? FEW : FEW + number / 4;
  return most > MANY ? MANY : most;
}

static int32_t most_steps(const hik_run *run, const task *k, int32_t number) {
  int32_t most = most_of(number), left = run->options->max_iter - k->used;
  return most < left ? most : left;
}

/* What must be left of the error of three steps ago. Where a posture near the start is as good as any the first start is
   not given up so soon: its answer is the one wanted. */
static double patience(const job *j, int32_t number) {
  return number == 0 && j->s->chain.goal != HIK_END_POSE ? 0.8 : 0.5;
}

/* Attempt 0 of the call, which is not from the map, is in hand. */
static bool from_given(const hik_run *run, const job *j) { return j->given && run->worker->attempt == 0; }

/* The map is asked, and has given what the rounds before this one took. */
static void ask(const hik_run *run, const job *j, task *k) {
  double t[HIK_SERIAL_JOINTS];
  uint64_t taken = run->worker->attempt ? run->worker->attempt - j->given : 0;
  hik_map_ask(j->s, k->aim, &k->map);
  k->asked = true;
  for (uint64_t i = 0; i < taken && i < HIK_CELL; i++) hik_map_take(j->s, &k->map, t);
}

/* The task's next start: that of the attempt of this number. */
static void next_start(const hik_run *run, const job *j, task *k, double *t) {
  const hik_prepared *s = j->s;
  uint64_t number = run->worker->attempt + (uint64_t)k->started;
  if (number == 0 && j->given) {
    hik_serial_from_q(s, k->given, t);
  } else if (s->chain.goal == HIK_END_POSE && number - j->given < HIK_CELL) {
    if (!k->asked) ask(run, j, k);
    hik_map_take(s, &k->map, t);
  } else {
    hik_serial_draw(s, run->options->seed, number, t);
  }
}

/* Puts the task's next start, which is t, into a lane. */
static void put(const hik_run *run, const job *j, task *k, const double *t, int32_t lane) {
  const hik_descent_state *state = &j->state;
  int32_t n = j->s->chain.n, width = j->kernels->lanes, number = k->started++;
  for (int32_t i = 0; i < n; i++) state->next[i * width + lane] = t[i];
  for (int32_t i = 0; i < 12; i++) state->target[i * width + lane] = k->aim[i];
  for (int32_t i = 0; i < HIK_DESCENT_PAST; i++) state->past[i * width + lane] = INFINITY;
  state->ratio[lane] = number < 8 ? patience(j, number) : 0.9;
  state->left[lane] = most_steps(run, k, number);
}

static void start(const hik_run *run, const job *j, task *k, int32_t lane) {
  double t[HIK_SERIAL_JOINTS];
  next_start(run, j, k, t);
  put(run, j, k, t, lane);
}

/* Steps made by the start in this lane; the kernel has counted one more, which is not used. */
static int32_t steps_made(const hik_run *run, const job *j, const task *k, int32_t number, int32_t lane) {
  return most_steps(run, k, number) - 1 - (int32_t)j->state.left[lane];
}

static void idle(const job *j, int32_t lane) {
  const hik_descent_state *state = &j->state;
  int32_t width = j->kernels->lanes;
  for (int32_t i = 0; i < j->s->chain.n; i++) state->next[i * width + lane] = 0;
  for (int32_t i = 0; i < 12; i++) state->target[i * width + lane] = i == 0 || i == 4 || i == 8;
  for (int32_t i = 0; i < HIK_DESCENT_PAST; i++) state->past[i * width + lane] = INFINITY;
  state->ratio[lane] = INFINITY;
  state->left[lane] = INFINITY;
}

/* Column of a lane in rows [n]. */
static void take_lane(const job *j, const double *rows, int32_t lane, double *t) {
  for (int32_t i = 0; i < j->s->chain.n; i++) t[i] = rows[i * j->kernels->lanes + lane];
}

/* The step of all lanes. */
static uint32_t step(job *j) {
  double *now = j->state.now;
  j->state.now = j->state.next;
  j->state.next = now;
  return j->kernels->descent(&j->s->chain, &j->state);
}

/* ---- a block: each lane a problem ---- */

typedef struct sink {
  const hik_batch *batch;
  int64_t first;
  int8_t *claim;
  int32_t *iterations, *remedies;
} sink;

/* Of a problem none of whose starts ended at a number, the row keeps its start. */
static void report(const hik_run *run, const job *j, const sink *to, task *k, hik_outcome claim) {
  if (k->best < INFINITY)
    hik_serial_to_q(j->s, k->t, to->batch->q + k->index * (int64_t)run->problem->model->nq);
  to->claim[k->index - to->first] = (int8_t)claim;
  to->iterations[k->index - to->first] = k->used;
  to->remedies[k->index - to->first] = k->started - 1;
}

/* Out of reach: the answer at once. */
static void load_away(hik_run *run, const job *j, const sink *to, int64_t i) {
  const hik_batch *b = run->batch;
  int64_t nq = run->problem->model->nq, rows = (int64_t)run->options->max_iter + 1;
  hik_answer a = {.q = b->q + i * nq};
  if (b->trace) a.trace = b->trace + i * rows;
  if (b->path) a.path = b->path + i * rows * nq;
  hik_stretch_one(run, j->s, j->stretch, b->target + i * b->target_stride, &a);
  to->claim[i - to->first] = (int8_t)a.claim;
  to->iterations[i - to->first] = a.iterations;
  to->remedies[i - to->first] = a.remedies;
}

/* Puts the start into the row of the answer, and sets the task up; false: there is nothing left to do. */
static bool load(hik_run *run, job *j, task *k, int64_t i, int32_t starts, const sink *to) {
  const hik_batch *b = run->batch;
  const hik_model *m = run->problem->model;
  double *q = b->q + i * (int64_t)m->nq;
  k->target = b->target + i * b->target_stride;
  if (!hik_target_usable(run->problem, k->target)) return false;
  memmove(q, b->q0 ? b->q0 + i * b->q0_stride : m->rest, (size_t)m->nq * sizeof *q);
  hik_clamp(m, 1, q);
  if (hik_out_of_reach(run->problem, k->target)) {
    load_away(run, j, to, i);
    return false;
  }
  k->given = q;
  k->index = i;
  take_target(run, j, k, starts);
  return true;
}

/* Readies the next problems, up to their first starts. They do not wait for each other, so that it pays to do some
   together, each part for all of them. */
static void ready(hik_run *run, job *j, int32_t starts, int64_t *next, int64_t last, const sink *to) {
  for (int32_t i = 0; i < AHEAD && *next < last && !run->worker->stopped; i++) {
    task *k = j->spare[j->n_spare - 1];
    int64_t at = (*next)++;
    if (to->claim[at - to->first] != HIK_UNSOLVED) continue;
    if (load(run, j, k, at, starts, to)) j->ready[j->n_ready++] = k, j->n_spare--;
  }
  bool map = j->s->chain.goal == HIK_END_POSE && !from_given(run, j);
  for (int32_t i = 0; map && i < j->n_ready; i++) ask(run, j, j->ready[i]);
  for (int32_t i = 0; i < j->n_ready; i++) next_start(run, j, j->ready[i], j->ready[i]->t);
}

/* The next problem into a lane, or none. */
static void refill(hik_run *run, job *j, int32_t lane, int32_t starts, int64_t *next, int64_t last,
                   const sink *to) {
  while (j->n_ready == 0 && *next < last && !run->worker->stopped) ready(run, j, starts, next, last, to);
  task *k = j->n_ready > 0 ? j->ready[--j->n_ready] : NULL;
  j->in[lane] = k;
  if (k) {
    put(run, j, k, k->t, lane);
    j->busy |= 1u << lane;
  } else {
    idle(j, lane);
    j->busy &= ~(1u << lane);
  }
}

static void trace(hik_run *run, job *j, int32_t lane) {
  const hik_batch *b = run->batch;
  const task *k = j->in[lane];
  int32_t steps = k->used + steps_made(run, j, k, k->started - 1, lane);
  double t[HIK_SERIAL_JOINTS];
  hik_verdict v;
  if (k->started > 1 && steps == k->used)
    return; /* a further start takes no place of its own from what came before */
  memcpy(j->q, b->q + k->index * (int64_t)run->problem->model->nq,
         (size_t)run->problem->model->nq * sizeof *j->q);
  take_lane(j, j->state.now, lane, t);
  hik_serial_to_q(j->s, t, j->q);
  hik_judge_one(run->problem, k->target, j->q, run->world, &v);
  int64_t row = k->index * ((int64_t)run->options->max_iter + 1) + steps;
  b->trace[row] = v.error;
  if (b->path)
    memcpy(b->path + row * run->problem->model->nq, j->q, (size_t)run->problem->model->nq * sizeof *j->q);
}

/* The start in the lane has ended: true when the problem has. */
static bool settle(hik_run *run, job *j, int32_t lane, const sink *to) {
  task *k = j->in[lane];
  double error = j->state.error[lane];
  bool met = error < j->s->chain.square;
  if (error != error) error = INFINITY;
  k->used += steps_made(run, j, k, k->started - 1, lane);
  if (error < k->best) {
    k->best = error;
    take_lane(j, j->state.now, lane, k->t);
  }
  if (met) {
    report(run, j, to, k, HIK_CONVERGED);
  } else if (k->started >= k->starts) {
    report(run, j, to, k, HIK_STALLED);
  } else if (k->used >= run->options->max_iter) {
    report(run, j, to, k, HIK_MAX_ITER);
  } else {
    start(run, j, k, lane);
    return false;
  }
  j->spare[j->n_spare++] = k;
  return true;
}

/* Stopped or late: what is in the lanes. */
static void give_up(hik_run *run, const job *j, const sink *to) {
  for (int32_t lane = 0; j->busy >> lane; lane++) {
    task *k = j->in[lane];
    if (!(j->busy >> lane & 1)) continue;
    if (k->best == INFINITY) take_lane(j, j->state.next, lane, k->t), k->best = 0; /* as far as it came */
    report(run, j, to, k, HIK_STALLED);
  }
}

/* Each lane works on the starts of a problem one after another; j->given is set. */
static void one_after_another(hik_run *run, int32_t starts, int64_t first, int64_t last, int8_t *claim,
                              int32_t *iterations, int32_t *remedies) {
  job *j = run->scratch;
  const sink to = {run->batch, first, claim, iterations, remedies};
  use(j, &hik_kernels_in_use()->wide);
  int32_t width = j->kernels->lanes;
  int64_t next = first;
  j->busy = 0, j->n_ready = 0, j->n_spare = TASKS;
  for (int32_t i = 0; i < TASKS; i++) j->spare[i] = j->task + i;
  for (int32_t lane = 0; lane < width; lane++) refill(run, j, lane, starts, &next, last, &to);
  while (j->busy) {
    uint32_t ended = step(j) & j->busy;
    for (int32_t lane = 0; run->batch->trace && lane < width; lane++)
      if (j->busy >> lane & 1) trace(run, j, lane);
    for (int32_t lane = 0; ended >> lane; lane++)
      if (ended >> lane & 1 && settle(run, j, lane, &to)) refill(run, j, lane, starts, &next, last, &to);
    if (!hik_poll(run->worker, (int64_t)j->s->chain.n * width)) break;
  }
  give_up(run, j, &to);
}

bool hik_lm_lanes_block(hik_run *run, int32_t starts, int64_t first, int64_t last, int8_t *claim,
                        int32_t *iterations, int32_t *remedies) {
  job *j = run->scratch;
  j->given = run->batch->q0 || j->s->chain.goal != HIK_END_POSE;
  one_after_another(run, starts, first, last, claim, iterations, remedies);
  return true;
}

/* ---- a single problem: each lane a start ---- */

/* Whether the task has another start whose steps fit under the cap, whatever becomes of those before: `reserved` has
   theirs. Where not, it has no more. */
static bool goes_on(const hik_run *run, task *k, int32_t *reserved) {
  if (k->started >= k->starts) return false;
  *reserved += most_of(k->started);
  if (*reserved > run->options->max_iter) k->starts = k->started;
  return k->started < k->starts;
}

/* False: none of these starts arrived. */
static bool at_once(hik_run *run, job *j, int32_t starts, const double *target, hik_answer *answer) {
  task *k = j->task;
  ending *e = j->ending;
  hik_descent_state *state = &j->state;
  use(j, hik_kernels_in_use()->pair);
  int32_t width = j->kernels->lanes, number[HIK_DESCENT_LANES], front = 0, met = INT32_MAX, best_number = 0,
          reserved = 0;
  k->target = target;
  k->given = answer->q;
  take_target(run, j, k, starts);
  for (int32_t lane = 0; lane < width; lane++) {
    number[lane] = lane < AT_ONCE && goes_on(run, k, &reserved) ? k->started : -1;
    if (number[lane] < 0)
      idle(j, lane);
    else
      e[number[lane]].ended = false, start(run, j, k, lane);
  }
  answer->claim = HIK_STALLED;
  answer->iterations = 0;
  bool go_on = true;
  while (front < k->starts && go_on) {
    state->enough = 0;
    for (int32_t lane = 0; lane < width; lane++) state->enough |= (uint32_t)(number[lane] == front) << lane;
    uint32_t ended = step(j);
    for (int32_t lane = 0; ended >> lane; lane++) {
      if (!(ended >> lane & 1) || number[lane] < 0) continue;
      int32_t at = number[lane];
      double error = state->error[lane];
      if (error != error) error = INFINITY;
      e[at] = (ending){(int16_t)steps_made(run, j, k, at, lane), true, error < j->s->chain.square};
      bool first_met = e[at].met && at < met,
           better = error < k->best || (error == k->best && at < best_number);
      if (first_met) met = at;
      if (first_met || (met == INT32_MAX && (better || (k->best == INFINITY && at == 0)))) {
        k->best = error;
        best_number = at;
        take_lane(j, state->now, lane, k->t);
      }
      number[lane] = -1;
      if (k->started < met && goes_on(run, k, &reserved)) {
        number[lane] = k->started;
        e[k->started].ended = false;
        start(run, j, k, lane);
      } else {
        idle(j, lane);
      }
    }
    while (front < k->started && e[front].ended) {
      answer->iterations += e[front].steps;
      if (e[front++].met) {
        answer->claim = HIK_CONVERGED;
        go_on = false;
        break;
      }
    }
    if (!hik_poll(run->worker, (int64_t)j->s->chain.n * width)) go_on = false;
  }
  answer->remedies = front > 0 ? front - 1 : 0;
  if (k->best < INFINITY) hik_serial_to_q(j->s, k->t, answer->q);
  return !go_on || front == starts;
}

void hik_lm_lanes_one(hik_run *run, int32_t starts, const double *target, hik_answer *answer) {
  job *j = run->scratch;
  /* steps are counted from start to start: where the cap may be met, and for a trace, one after another */
  if (hik_out_of_reach(run->problem, target)) {
    hik_stretch_one(run, j->s, j->stretch, target, answer);
    return;
  }
  memcpy(j->q, answer->q, (size_t)run->problem->model->nq * sizeof *j->q);
  j->given = run->batch->q0 || j->s->chain.goal != HIK_END_POSE;
  if (!answer->trace && at_once(run, j, starts, target, answer)) return;
  memcpy(answer->q, j->q, (size_t)run->problem->model->nq * sizeof *j->q);
  int8_t claim = HIK_UNSOLVED;
  hik_batch one = {.n = 1,
                   .target = target,
                   .q0 = answer->q,
                   .q = answer->q,
                   .trace = answer->trace,
                   .path = answer->path};
  hik_run inner = *run;
  inner.batch = &one;
  one_after_another(&inner, starts, 0, 1, &claim, &answer->iterations, &answer->remedies);
  answer->claim = (hik_outcome)claim;
}

/* ---- the solver ---- */

enum { STARTS };

static hik_status accepts(const hik_problem *p, const hik_options *o, hik_error *error) {
  if (!hik_serial_fits(p))
    return hik_fail(
        error, HIK_UNSUPPORTED, -1,
        "lm_lanes takes one pose on 3 to %d turns and slides, or one position, orientation or axis "
        "on 2 or more, none a ball or following another",
        HIK_SERIAL_JOINTS);
  (void)o;
  return HIK_OK;
}

static size_t scratch_size(const hik_problem *p) { return hik_lm_lanes_scratch(p); }

static void one(hik_run *run, const double *target, hik_answer *answer) {
  hik_lm_lanes_one(run, (int32_t)run->options->param[STARTS], target, answer);
  answer->method = hik_lm_lanes_method(answer->claim);
}

static bool block(hik_run *run, int64_t first, int64_t last, int8_t *claim, int32_t *iterations,
                  int32_t *remedies) {
  if (last - first < 2) return false;
  memset(claim, HIK_UNSOLVED, (size_t)(last - first));
  if (!hik_lm_lanes_block(run, (int32_t)run->options->param[STARTS], first, last, claim, iterations,
                          remedies))
    return false;
  for (int64_t k = 0; k < last - first; k++) run->method[k] = (int8_t)hik_lm_lanes_method(claim[k]);
  return true;
}

const hik_solver_class hik_solver_lm_lanes = {
    .name = "lm_lanes",
    .own = true,
    .summary = "damped least squares from a map of starts, several problems or starts at once",
    .reference = "Sugihara 2011",
    .max_iter = 3000,
    .stall = 0,
    .option = {{"starts", 200, 1, HIK_LM_LANES_STARTS, true}},
    .accepts = accepts,
    .ready = hik_serial_ready,
    .scratch_size = scratch_size,
    .raw_scratch = true,
    .begin = hik_lm_lanes_begin,
    .one = one,
    .block = block};
