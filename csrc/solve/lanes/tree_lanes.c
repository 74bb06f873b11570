/* tree_lanes.c: damped least squares in lanes for several goals on a tree.

   Purpose    positions, orientations, poses, axes and points looked at on turns, slides and balls (solve/lanes/tree_plan.h says which)
   Given      a target; a start
   Returned   q inside its limits: where the first start, in their order, that meets the goals ends
   Outcomes   converged; max_iter; stalled: no start met the goals, and q is the end of the best; closest: the lengths put the
              target out of reach, and nothing was tried
   Notes      1 Order of the starts: the one given or at rest, then starts spread inside the limits (solve/drive/starts.h).
              2 A start is given up when its squared error is not below half of that three steps ago (the first: four
                fifths; from the ninth further start on: nine tenths), or after 30 steps and more (the first: 60).
              3 Each lane works on one problem; an ended lane takes the next. A single problem works in a narrow register
                by itself. Lanes never meet, so every instruction set and every batch gives the same bytes.
   Reference  Y. Nakamura, H. Hanafusa (1986), damping; T. Sugihara, IEEE Trans. Robotics 27 (2011) 984-991, damping by the
              error. */
#include "solve/lanes/tree_lanes.h"

#include "simd/kernels.h"
#include "solve/drive/starts.h"

enum { FIRST_CAP = 60, CAP = 30, EAGER = 8 };

/* One problem in hand. */
typedef struct task {
  int64_t index;                 /* in the batch, -1: none */
  const double *target;          /* as the caller gave it */
  int32_t starts, started, used; /* starts it may make, has made; steps of those that have ended */
  double best;                   /* squared error of the best end, */
  double *rows;                  /* [slots] which is this */
} task;

typedef struct job {
  const hik_tree_plan *plan;
  hik_tree_kernel *step;
  int32_t width;
  hik_tree_state state;
  double *memory; /* of the state */
  double *aim;    /* [goals][12] */
  double *q;      /* [nq] */
  task task[HIK_TREE_LANES];
} job;

/* Numbers a lane has in the state. */
static size_t state_size(const hik_tree *t) {
  return 2 * (size_t)t->slots + 12 * (size_t)t->goals + HIK_TREE_PAST + 3 + hik_tree_work(t);
}

static job *lay_out(const hik_problem *p, const hik_tree *t, hik_block *block) {
  job *j = HIK_TAKE(block, job, 1), spare, *into = j ? j : &spare;
  into->memory = HIK_TAKE(block, double, state_size(t) * HIK_TREE_LANES);
  into->aim = HIK_TAKE(block, double, 12 * (size_t)t->goals);
  into->q = HIK_TAKE(block, double, p->model->nq);
  for (int k = 0; k < HIK_TREE_LANES; k++) into->task[k].rows = HIK_TAKE(block, double, t->slots);
  return j;
}

size_t hik_tree_lanes_scratch(const hik_readied *ready) {
  hik_block block = {NULL, 0, false};
  lay_out(ready->problem, &ready->tree->tree, &block);
  return block.bad ? SIZE_MAX : block.size;
}

void hik_tree_lanes_begin(hik_run *run) {
  hik_block block = {run->scratch, 0, false};
  const hik_tree_plan *plan = run->ready->tree;
  lay_out(run->problem, &plan->tree, &block)->plan = plan;
}

static void use(job *j, const hik_lane_kernels *kernels) {
  const hik_tree *t = &j->plan->tree;
  size_t width = (size_t)kernels->lanes;
  double *at = j->memory;
  j->step = kernels->tree;
  j->width = kernels->lanes;
  j->state.now = at, at += (size_t)t->slots * width;
  j->state.next = at, at += (size_t)t->slots * width;
  j->state.target = at, at += 12 * (size_t)t->goals * width;
  j->state.past = at, at += HIK_TREE_PAST * width;
  j->state.error = at, at += width;
  j->state.ratio = at, at += width;
  j->state.left = at, at += width;
  j->state.work = at;
}

/* ---- starts ---- */

static int32_t most_steps(const hik_run *run, const task *k, int32_t number) {
  int32_t most = number == 0 ? FIRST_CAP : CAP + number / 4, left = run->options->max_iter - k->used;
  return most < left ? most : left;
}

static void put(const job *j, int32_t lane, const double *q) {
  hik_tree_put(j->plan, q, j->width, j->state.now + lane);
  hik_tree_put(j->plan, q, j->width, j->state.next + lane);
}

/* The next start of the task into a lane. */
static void start(const hik_run *run, job *j, task *k, int32_t lane) {
  int32_t number = k->started++;
  const double *given = run->batch->q + k->index * (int64_t)run->problem->model->nq;
  memcpy(j->q, given, (size_t)run->problem->model->nq * sizeof *j->q);
  if (number > 0) hik_start(run, run->worker->attempt + (uint64_t)number, j->q);
  put(j, lane, j->q);
  for (int32_t i = 0; i < HIK_TREE_PAST; i++) j->state.past[i * j->width + lane] = INFINITY;
  j->state.ratio[lane] = number == 0 ? 0.8 : number <= EAGER ? 0.5 : 0.9;
  j->state.left[lane] = most_steps(run, k, number);
  j->state.error[lane] = INFINITY;
}

/* Steps made by the start in this lane; the kernel has counted one more, which is not used. */
static int32_t steps_made(const hik_run *run, const job *j, int32_t lane) {
  const task *k = j->task + lane;
  return most_steps(run, k, k->started - 1) - 1 - (int32_t)j->state.left[lane];
}

static void aim(const hik_run *run, const job *j, int32_t lane, const double *target) {
  hik_tree_target(run->problem, target, j->aim);
  for (int32_t i = 0; i < 12 * j->plan->tree.goals; i++) j->state.target[i * j->width + lane] = j->aim[i];
}

/* What a lane that never had a problem works on: the same as another, so that it costs nothing of its own. */
static void copy_lane(const job *j, int32_t from, int32_t to) {
  const hik_tree *t = &j->plan->tree;
  for (int32_t i = 0; i < t->slots; i++)
    j->state.now[i * j->width + to] = j->state.next[i * j->width + to] = j->state.next[i * j->width + from];
  for (int32_t i = 0; i < 12 * t->goals; i++)
    j->state.target[i * j->width + to] = j->state.target[i * j->width + from];
}

static void swap(job *j) {
  double *now = j->state.now;
  j->state.now = j->state.next;
  j->state.next = now;
}

/* ---- a block: each lane a problem ---- */

typedef struct sink {
  int64_t first, last, next;
  int32_t starts;
  bool at_start; /* the rows hold their starts already, inside the limits */
  int8_t *claim;
  int32_t *iterations, *remedies;
} sink;

static void report(const hik_run *run, const job *j, const sink *to, task *k, hik_outcome claim) {
  double *q = run->batch->q + k->index * (int64_t)run->problem->model->nq;
  /* a start that was never left keeps its bytes */
  if (k->started > 1 || k->used > 0) hik_tree_get(j->plan, k->rows, 1, q);
  to->claim[k->index - to->first] = (int8_t)claim;
  to->iterations[k->index - to->first] = k->used;
  to->remedies[k->index - to->first] = k->started - 1;
}

/* Puts the start into the row of the answer, and the problem into the lane; false: there is nothing to do in lanes. */
static bool load(const hik_run *run, job *j, int32_t lane, int64_t i, const sink *to) {
  const hik_batch *b = run->batch;
  const hik_model *m = run->problem->model;
  task *k = j->task + lane;
  double *q = b->q + i * (int64_t)m->nq;
  const double *target = b->target + i * b->target_stride;
  if (!hik_target_usable(run->problem, target)) return false;
  if (!to->at_start) {
    memmove(q, b->q0 ? b->q0 + i * b->q0_stride : m->rest, (size_t)m->nq * sizeof *q);
    hik_clamp(m, 1, q);
  }
  *k = (task){.index = i, .target = target, .starts = to->starts, .best = INFINITY, .rows = k->rows};
  if (hik_out_of_reach(run->problem, target)) {
    report(run, j, to, k, HIK_CLOSEST);
    to->remedies[i - to->first] = 0;
    return false;
  }
  hik_tree_put(j->plan, q, 1, k->rows);
  aim(run, j, lane, target);
  start(run, j, k, lane);
  return true;
}

static void refill(const hik_run *run, job *j, int32_t lane, sink *to) {
  while (to->next < to->last && !run->worker->stopped)
    if (load(run, j, lane, to->next++, to)) return;
  j->task[lane].index = -1;
}

/* The posture of the lane, into j->q. */
static void posture(const hik_run *run, const job *j, int32_t lane) {
  const task *k = j->task + lane;
  const double *row = run->batch->q + k->index * (int64_t)run->problem->model->nq;
  memcpy(j->q, row, (size_t)run->problem->model->nq * sizeof *j->q);
  if (k->started > 1 || steps_made(run, j, lane) > 0)
    hik_tree_get(j->plan, j->state.now + lane, j->width, j->q);
}

static void trace(const hik_run *run, const job *j, int32_t lane) {
  const hik_batch *b = run->batch;
  const task *k = j->task + lane;
  int32_t nq = run->problem->model->nq, steps = steps_made(run, j, lane);
  hik_verdict v;
  if (k->started > 1 && steps == 0)
    return; /* a further start takes no place of its own from what came before */
  posture(run, j, lane);
  hik_judge_one(run->problem, k->target, j->q, run->world, &v);
  int64_t row = k->index * ((int64_t)run->options->max_iter + 1) + k->used + steps;
  b->trace[row] = v.error;
  if (b->path) memcpy(b->path + row * nq, j->q, (size_t)nq * sizeof *j->q);
}

static bool met(const hik_run *run, const job *j, int32_t lane) {
  hik_verdict v;
  posture(run, j, lane);
  hik_judge_one(run->problem, j->task[lane].target, j->q, run->world, &v);
  return v.met;
}

static void keep(const hik_run *run, job *j, int32_t lane) {
  task *k = j->task + lane;
  k->used += steps_made(run, j, lane);
  k->best = j->state.error[lane];
  for (int32_t i = 0; i < j->plan->tree.slots; i++) k->rows[i] = j->state.now[i * j->width + lane];
}

/* The lane is near the goals or has been given up: true when its problem is done with. */
static bool settle(const hik_run *run, job *j, int32_t lane, bool near, bool given_up, const sink *to) {
  task *k = j->task + lane;
  double error = j->state.error[lane];
  if (near && met(run, j, lane)) {
    keep(run, j, lane);
    report(run, j, to, k, HIK_CONVERGED);
    return true;
  }
  if (!given_up) return false;
  if (error < k->best)
    keep(run, j, lane);
  else
    k->used += steps_made(run, j, lane);
  if (k->started < k->starts && k->used < run->options->max_iter) {
    start(run, j, k, lane);
    return false;
  }
  report(run, j, to, k, k->used < run->options->max_iter ? HIK_STALLED : HIK_MAX_ITER);
  return true;
}

/* Cancelled or late: the best there is. */
static void leave(const hik_run *run, job *j, uint32_t busy, const sink *to) {
  for (int32_t lane = 0; busy >> lane; lane++) {
    task *k = j->task + lane;
    if (!(busy >> lane & 1)) continue;
    if (j->state.error[lane] < k->best) keep(run, j, lane);
    report(run, j, to, k, HIK_STALLED);
  }
}

static void work(hik_run *run, job *j, sink *to) {
  uint32_t busy = 0;
  memset(to->claim, HIK_UNSOLVED, (size_t)(to->last - to->first));
  for (int32_t lane = 0; lane < j->width; lane++) {
    refill(run, j, lane, to);
    busy |= (uint32_t)(j->task[lane].index >= 0) << lane;
  }
  for (int32_t lane = 0, from = 0; busy && lane < j->width; lane++) {
    if (busy >> lane & 1)
      from = lane;
    else
      copy_lane(j, from, lane);
  }
  while (busy) {
    swap(j);
    hik_tree_end end = j->step(&j->plan->tree, &j->state);
    for (int32_t lane = 0; run->batch->trace && lane < j->width; lane++)
      if (busy >> lane & 1) trace(run, j, lane);
    for (int32_t lane = 0; lane < j->width; lane++) {
      bool near = end.near >> lane & 1, given_up = end.given_up >> lane & 1;
      if (!(busy >> lane & 1) || !(near || given_up)) continue;
      if (!settle(run, j, lane, near, given_up, to)) continue;
      refill(run, j, lane, to);
      if (j->task[lane].index < 0) busy &= ~(1u << lane);
    }
    if (!hik_poll(run->worker, (int64_t)j->plan->tree.count * (2 + 3 * j->plan->tree.blocks) * j->width))
      break;
  }
  leave(run, j, busy, to);
}

void hik_tree_lanes_block(hik_run *run, int32_t starts, int64_t first, int64_t last, int8_t *claim,
                          int32_t *iterations, int32_t *remedies) {
  sink to = {first, last, first, starts, false, claim, iterations, remedies};
  use(run->scratch, &hik_kernels_in_use()->wide);
  work(run, run->scratch, &to);
}

void hik_tree_lanes_one(hik_run *run, int32_t starts, const double *target, hik_answer *answer) {
  int8_t claim;
  hik_batch one = {.n = 1, .target = target, .q = answer->q, .trace = answer->trace, .path = answer->path};
  hik_run inner = *run;
  sink to = {0, 1, 0, starts, true, &claim, &answer->iterations, &answer->remedies};
  inner.batch = &one;
  use(run->scratch, hik_kernels_in_use()->pair);
  work(&inner, run->scratch, &to);
  answer->claim = (hik_outcome)claim;
}
