/* fabrik_free.c: FABRIK on a chain of free ball joints (Aristidou and Lasenby 2011, algorithm 1; the thesis's
   algorithm 2.1), one target a lane; a lane that is done takes the next target. So does "follow the leader" (ftl.c).

   Given     one position goal at the end of n ball joints; a start q, and for each problem a target.
   Returned  q whose forward kinematics are the points the passes found: joint by joint from the root, the smallest
             rotation that takes the bone of the start onto the new one, so that twist is kept.
   Outcomes  CONVERGED within the tolerance. STALLED: the error has not fallen by the share `ftol` in 4 iterations,
            after `perturbations` remedies. MAX_ITER. What the lengths put out of reach the published algorithm looks at
            first, and here the driver has answered it (solve/drive/straight.c).
  Notes     1 In single precision the lanes hold floats, twice as many, of a chain of length 1 from the root. An answer's
               bones are the directions of the points at their true lengths, and the judge measures it in doubles; a
               tolerance must leave room for what n floats round (see single_slack).
             2 A straight chain with its target on its own line is a fixed line of both passes: no known FABRIK leaves
               it. When the error stands still, every inner point moves by a tenth of its link at right angles to the
               line root-target; the passes restore the lengths and the chain folds.
             3 Twin: handik.study.twins.fabrik_points.
   Reference A. Aristidou, J. Lasenby: FABRIK: a fast, iterative solver for the inverse kinematics problem. Graphical
             Models 73 (2011) 243-260, algorithm 1. */
#include "base/tuning.h"
#include "solve/lanes/queue.h"
#include "solve/points/balls.h"

/* What goes with a task of the queue, by its slot. */
typedef struct reaching {
  int64_t began; /* rounds before its first */
  double kept;   /* error of the points in `keep`, infinity: none */
  double *keep;  /* [n + 1][3] points before a nudge */
  double error;  /* of the start */
} reaching;

typedef struct job {
  const hik_fabrik_kernels *kernels;
  hik_balls balls;
  double per_reach;
  bool follows, single, own_starts;
  int32_t width, nudges;   /* lanes; most pushes */
  int64_t round, soonest;  /* iterations made; when the first lane comes to max_iter */
  double tolerance, share; /* of the lanes, in their measure; of the stall test */
  double *points, *rows;   /* lanes of doubles, or of floats in the same memory */
  float *single_length;    /* [n] of the whole */
  double *scratch_point;   /* [n + 1][3] */
  reaching task[HIK_MOST_SINGLE_LANES + 1];
  hik_queue queue;
  hik_bones own;    /* that of the problem in hand, when every problem has its own */
  hik_bones shared; /* when every problem has the same start, */
  double *q;        /* [nq] which is this */
} job;

static job *lay_out(const hik_problem *p, hik_block *block) {
  size_t n = (size_t)hik_balls_count(p);
  job *j = HIK_TAKE(block, job, 1), unused, *into = j ? j : &unused;
  hik_balls_lay_out(p, block, &into->balls);
  into->points = HIK_TAKE(block, double, 3 * (n + 1) * HIK_MOST_LANES);
  into->rows = HIK_TAKE(block, double, HIK_FABRIK_ROWS *HIK_MOST_LANES);
  into->single_length = HIK_TAKE(block, float, n);
  into->scratch_point = HIK_TAKE(block, double, 3 * (n + 1));
  into->own = hik_bones_lay_out(block, n);
  into->shared = hik_bones_lay_out(block, n);
  into->q = HIK_TAKE(block, double, p->model->nq);
  for (int k = 0; k <= HIK_MOST_SINGLE_LANES; k++) into->task[k].keep = HIK_TAKE(block, double, 3 * (n + 1));
  return j;
}

HIK_COUNT_BYTES(size_t hik_fabrik_free_scratch(const hik_readied *ready), lay_out(ready->problem, &block))

void hik_fabrik_free_begin(hik_run *run, bool follows) {
  const hik_problem *p = run->problem;
  const hik_model *m = p->model;
  hik_block block = {run->scratch, 0, false};
  job *j = lay_out(p, &block);
  const hik_batch *b = run->batch;
  j->follows = follows;
  j->single = !follows && run->options->param[HIK_FABRIK_SINGLE] != 0;
  j->nudges = (int32_t)run->options->param[HIK_FREE_NUDGES];
  j->kernels = b->n > HIK_FREE_FEW ? &hik_kernels_in_use()->fabrik : &hik_fabrik_few;
  j->width = j->single ? j->kernels->single_lanes : j->kernels->lanes;
  hik_balls_prepare(p, &j->balls);
  j->per_reach = 1 / j->balls.reach;
  for (int32_t k = 0; k < j->balls.n; k++) j->single_length[k] = (float)(j->balls.length[k] / j->balls.reach);
  if (b->q0 && b->q0_stride) return;
  hik_copy_q(m, b->q0 ? b->q0 : m->rest, j->q);
  hik_clamp(m, 1, j->q);
  hik_balls_trace(&j->balls, j->q, m, &j->shared);
}

/* ---- one lane ---- */

/* Number `row` (of the points or the rows) of a lane, in the lane's own measure. */
static double get_number(const job *j, const double *numbers, size_t row, int lane) {
  size_t at = row * (size_t)j->width + (size_t)lane;
  return j->single ? ((const float *)(const void *)numbers)[at] : numbers[at];
}

static void put_number(const job *j, double *numbers, size_t row, int lane, double x) {
  size_t at = row * (size_t)j->width + (size_t)lane;
  if (j->single)
    ((float *)(void *)numbers)[at] = (float)x;
  else
    numbers[at] = x;
}

static void put_point(const job *j, double *numbers, size_t i, int lane, const double *point) {
  for (size_t c = 0; c < 3; c++)
    put_number(j, numbers, 3 * i + c, lane,
               j->single ? (point[c] - j->balls.root[c]) * j->per_reach : point[c]);
}

static void get_points(const job *j, int lane, double *point) {
  for (size_t i = 0; i <= (size_t)j->balls.n; i++)
    for (size_t c = 0; c < 3; c++) {
      double x = get_number(j, j->points, 3 * i + c, lane);
      point[3 * i + c] = j->single ? j->balls.root[c] + j->balls.reach * x : x;
    }
}

static double lane_error(const job *j, int lane) {
  double error = get_number(j, j->rows, HIK_FABRIK_ERROR, lane);
  return j->single ? j->balls.reach * error : error;
}

/* The stall test begins again from `limit`. */
static void watch_anew(job *j, int lane, double limit) {
  put_number(j, j->rows, HIK_FABRIK_LIMIT, lane, j->single ? limit / j->balls.reach : limit);
  put_number(j, j->rows, HIK_FABRIK_QUIET, lane, 0);
}

/* The cure of a straight chain with its target on its own line: every inner point moves by a tenth of its link, and a tenth
   more each time, at right angles to the line, to the other side each time. */
static void nudge(job *j, hik_lane_task *task, int lane) {
  reaching *r = j->task + task->slot;
  const double *target = task->target + j->queue.run->problem->goal->column;
  int32_t round = task->answer.remedies;
  double line[3] = {1, 0, 0}, gap[3], side[3], size = 0.1 * (1 + round) * (round % 2 ? -1 : 1);
  hik_sub3(target, j->balls.root, gap);
  hik_unit(gap, line);
  if (lane_error(j, lane) < r->kept) {
    get_points(j, lane, r->keep);
    r->kept = lane_error(j, lane);
  }
  hik_perpendicular(line, side);
  for (int32_t i = 1; i < j->balls.n; i++)
    for (int c = 0; c < 3; c++) {
      size_t row = 3 * (size_t)i + (size_t)c;
      double length = j->single ? j->single_length[i] : j->balls.length[i];
      put_number(j, j->points, row, lane, get_number(j, j->points, row, lane) + size * length * side[c]);
    }
  task->answer.remedies++;
  watch_anew(j, lane, INFINITY);
}

/* ---- the block ---- */

/* The start of a problem, whose answer is not yet written over it. */
static const hik_bones *start_of(job *j, const hik_lane_task *task) {
  if (!j->own_starts) return &j->shared;
  hik_balls_trace(&j->balls, task->answer.q, j->queue.run->problem->model, &j->own);
  return &j->own;
}

/* Keeps an iteration whose points are these. */
static void note_points(job *j, const hik_lane_task *task, const double *point, double error) {
  const hik_model *m = j->queue.run->problem->model;
  const hik_answer *a = &task->answer;
  if (!a->trace) return;
  /* what the chain does not move, and the signs of the quaternions, as in the start */
  if (a->path) {
    hik_copy_q(m, a->q, j->q);
    hik_balls_to_q(&j->balls, m, start_of(j, task), point, j->single, j->q);
  }
  hik_note(a, a->iterations, j->queue.run->problem->goal->term.weight * error, j->q, m->nq);
}

/* What the tip of an answer may be off from where floats have it: each point is rounded three times to half a unit of
   2^-24 of the reach (5.2e-8 of it in all), the target too, and the lengths add up to a few more. */
static double single_slack(int32_t n, double reach) { return 6e-8 * (n + 8) * reach; }

/* What the passes call met: still so after the round trip to q and back. */
static double inner_tolerance(const hik_problem *p, const job *j) {
  if (!j->single) return hik_balls_slack(p, j->balls.n, j->balls.reach);
  return p->goal->term.position_tolerance * (1 - 1e-9) - single_slack(j->balls.n, j->balls.reach);
}

hik_status hik_fabrik_free_accepts(const hik_problem *p, const hik_options *o, const char *name,
                                   hik_error *error) {
  double reach = 0;
  if (o->param[HIK_FABRIK_SINGLE] == 0) return HIK_OK;
  if (!hik_balls_fit(p))
    return hik_fail(
        error, HIK_UNSUPPORTED, -1,
        "%s works in single precision on one position at the end of free balls alone; leave out single",
        name);
  int32_t n = hik_balls_count(p);
  for (int32_t k = 0; k < n; k++) reach += hik_norm(hik_balls_bone(p, k));
  double least = 2 * single_slack(n, reach), tolerance = p->goal->term.position_tolerance;
  if (tolerance >= least) return HIK_OK;
  return hik_fail(
      error, HIK_BAD_ARGUMENT, -1,
      "position_tolerance %g is below what single precision can meet on %d links of %g m together: at "
      "least %.3g, or leave out single",
      tolerance, n, reach, least);
}

/* ---- for the queue ---- */

static bool load(hik_queue *queue, hik_lane_task *task) {
  job *j = queue->job;
  reaching *r = j->task + task->slot;
  const hik_problem *p = queue->run->problem;
  const double *target = task->target + p->goal->column;
  const hik_bones *from = start_of(j, task);
  double gap[3];
  hik_sub3(from->point + 3 * (size_t)j->balls.n, target, gap);
  r->error = hik_norm_safe(gap);
  note_points(j, task, from->point, r->error);
  bool met = r->error <= p->goal->term.position_tolerance;
  task->answer.claim = met ? HIK_CONVERGED : HIK_MAX_ITER;
  return !met && queue->run->options->max_iter > 0;
}

/* Right after `load`, whose bones j->own still are. */
static void put(hik_queue *queue, hik_lane_task *task, int32_t lane) {
  job *j = queue->job;
  reaching *r = j->task + task->slot;
  r->began = j->round, r->kept = INFINITY;
  const double *point = (j->own_starts ? &j->own : &j->shared)->point;
  for (size_t i = 0; i <= (size_t)j->balls.n; i++) put_point(j, j->points, i, lane, point + 3 * i);
  put_point(j, j->rows, HIK_FABRIK_TARGET, lane, task->target + queue->run->problem->goal->column);
  watch_anew(j, lane, j->share * r->error);
  int64_t last_round = r->began + queue->run->options->max_iter;
  if (last_round < j->soonest) j->soonest = last_round;
}

/* The answer of the lane: its points, or those before a nudge if they were nearer. */
static void unload(hik_queue *queue, hik_lane_task *task, int lane, hik_outcome claim) {
  job *j = queue->job;
  const reaching *r = j->task + task->slot;
  const double *point = j->scratch_point;
  task->answer.iterations = (int32_t)(j->round - r->began);
  task->answer.claim = claim;
  if (claim != HIK_CONVERGED && r->kept < lane_error(j, lane))
    point = r->keep;
  else
    get_points(j, lane, j->scratch_point);
  hik_balls_to_q(&j->balls, queue->run->problem->model, start_of(j, task), point, j->single, task->answer.q);
}

/* A lane that the rule has stopped, or that has made max_iter iterations. */
static bool settle(hik_queue *queue, hik_lane_task *task, int32_t lane) {
  job *j = queue->job;
  bool quiet = get_number(j, j->rows, HIK_FABRIK_QUIET, lane) >= HIK_FREE_PATIENCE;
  if (get_number(j, j->rows, HIK_FABRIK_ERROR, lane) <= j->tolerance)
    unload(queue, task, lane, HIK_CONVERGED);
  else if (quiet && task->answer.remedies >= j->nudges)
    unload(queue, task, lane, HIK_STALLED);
  else if (j->round - j->task[task->slot].began >= queue->run->options->max_iter)
    unload(queue, task, lane, HIK_MAX_ITER);
  else {
    if (quiet) nudge(j, task, lane);
    return false;
  }
  return true;
}

static void leave(hik_queue *queue, hik_lane_task *task, int32_t lane) {
  unload(queue, task, lane, HIK_STALLED);
}

/* Lanes that the rule has stopped. */
static uint64_t stopped_lanes(const job *j) {
  uint64_t bits = 0;
  for (int lane = 0; lane < j->width; lane++)
    bits |= (uint64_t)(get_number(j, j->rows, HIK_FABRIK_QUIET, lane) >= HIK_FREE_PATIENCE) << lane;
  return bits;
}

/* The same as lane 0, never to be looked at. */
static void occupy(hik_queue *queue, int32_t lane) {
  const job *j = queue->job;
  for (size_t row = 0; lane > 0 && row < 3 * ((size_t)j->balls.n + 1); row++)
    put_number(j, j->points, row, lane, get_number(j, j->points, row, 0));
  for (size_t row = 0; lane > 0 && row < HIK_FABRIK_ROWS; row++)
    put_number(j, j->rows, row, lane, get_number(j, j->rows, row, 0));
}

/* Has any lane made max_iter iterations? */
static bool expired(job *j) {
  const hik_queue *queue = &j->queue;
  if (j->round < j->soonest) return false;
  j->soonest = INT64_MAX;
  for (uint64_t busy = queue->lanes.busy; busy; busy &= busy - 1) {
    const hik_lane_task *task = queue->in[__builtin_ctzll(busy)];
    int64_t last_round = j->task[task->slot].began + queue->run->options->max_iter;
    if (last_round > j->round && last_round < j->soonest) j->soonest = last_round;
  }
  return true;
}

static uint64_t iterate(hik_queue *queue) {
  job *j = queue->job;
  const hik_fabrik_kernels *k = j->kernels;
  j->round++;
  if (j->single)
    k->single(j->balls.n, j->single_length, (float)j->tolerance, (float)j->share, (float *)(void *)j->points,
              (float *)(void *)j->rows);
  else
    (j->follows ? k->follow : k->free)(j->balls.n, j->balls.length, j->tolerance, j->share, j->points,
                                       j->rows);
  return expired(j) ? ~(uint64_t)0 : stopped_lanes(j);
}

static void note(hik_queue *queue, hik_lane_task *task, int32_t lane) {
  job *j = queue->job;
  task->answer.iterations = (int32_t)(j->round - j->task[task->slot].began);
  if (task->answer.path) get_points(j, lane, j->scratch_point);
  note_points(j, task, j->scratch_point, lane_error(j, lane));
}

static void prepare(hik_run *run, bool own_starts) {
  static const hik_queue_kernel kernel = {.load = load,
                                          .put = put,
                                          .idle = occupy,
                                          .step = iterate,
                                          .settle = settle,
                                          .leave = leave,
                                          .note = note};
  job *j = run->scratch;
  j->own_starts = own_starts;
  j->round = 0, j->soonest = INT64_MAX;
  j->share = 1 - run->options->ftol;
  j->tolerance = inner_tolerance(run->problem, j) / (j->single ? j->balls.reach : 1);
  hik_queue_begin(&j->queue, &kernel, j, j->width, 1, (int64_t)j->balls.n * j->width);
}

bool hik_fabrik_free_block(hik_run *run, const hik_claims *rows) {
  prepare(run, run->batch->q0 && run->batch->q0_stride);
  hik_queue_block(&((job *)run->scratch)->queue, run, rows);
  return true;
}

void hik_fabrik_free_one(hik_run *run, const double *target, hik_answer *answer) {
  prepare(run, true);
  hik_queue_one(&((job *)run->scratch)->queue, run, target, answer);
}
