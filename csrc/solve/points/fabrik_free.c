/* fabrik_free.c: FABRIK on a chain of free ball joints (Aristidou and Lasenby 2011, algorithm 1; the thesis's
   algorithm 2.1), one target a lane; a lane that is done takes the next target.

   Given     one position goal at the end of n ball joints; a start q, and for each problem a target.
   Returned  q whose forward kinematics are the points the passes found: joint by joint from the root, the smallest
             rotation that takes the bone of the start onto the new one, so that twist is kept.
   Outcomes  CONVERGED within the tolerance. CLOSEST: as far as the sum of the links (the chain is stretched towards
             it) or nearer than the longest link allows (the longest link towards it, the others back). STALLED: the
             error has not fallen by the share `stall` in 4 iterations, after NUDGES remedies. MAX_ITER.
   Notes     1 In single precision the lanes hold floats, twice as many, of a chain of length 1 from the root. An answer's
               bones are the directions of the points at their true lengths, and the judge measures it in doubles; a
               tolerance must leave room for what n floats round (see single_slack).
             2 A straight chain with its target on its own line is a fixed line of both passes: no known FABRIK leaves
               it. When the error stands still, every inner point moves by a tenth of its link at right angles to the
               line root-target; the passes restore the lengths and the chain folds.
             3 Twin: handik.reference.fabrik_points.
   Reference A. Aristidou, J. Lasenby: FABRIK: a fast, iterative solver for the inverse kinematics problem. Graphical
             Models 73 (2011) 243-260, algorithm 1. */
#include "solve/points/fabrik_free.h"

#include "simd/kernels.h"
#include "solve/points/balls.h"

enum { PATIENCE = 4, NUDGES = 2, FEW = 2 };

typedef struct lane_state {
  int64_t index; /* problem in this lane, -1: idle */
  int64_t began; /* rounds before its first */
  int32_t iterations, remedies;
  double kept;    /* error of the points in `keep`, infinity: none */
  double *keep;   /* [n + 1][3] points before a nudge */
  double aim[3];  /* target */
  double line[3]; /* unit, root to target */
} lane_state;

typedef struct job {
  const hik_fabrik_kernels *kernels;
  hik_balls balls;
  double per_reach;
  bool single, own_starts;
  int32_t width;           /* lanes */
  int64_t round, soonest;  /* iterations made; when the first lane comes to max_iter */
  double tolerance, share; /* of the lanes, in their measure; of the stall test */
  double *points, *rows;   /* lanes of doubles, or of floats in the same memory */
  float *single_length;    /* [n] of the whole */
  double *scratch_point;   /* [n + 1][3] */
  lane_state *lane;        /* [HIK_MOST_SINGLE_LANES] */
  hik_bones own;           /* that of the problem in hand, when every problem has its own */
  hik_bones shared;        /* when every problem has the same start, */
  double *q;               /* [nq] which is this */
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
  into->lane = HIK_TAKE(block, lane_state, HIK_MOST_SINGLE_LANES);
  for (int k = 0; k < HIK_MOST_SINGLE_LANES; k++) {
    lane_state spare, *l = into->lane ? into->lane + k : &spare;
    l->keep = HIK_TAKE(block, double, 3 * (n + 1));
  }
  return j;
}

size_t hik_fabrik_free_scratch(const hik_problem *p) {
  hik_block block = {NULL, 0, false};
  lay_out(p, &block);
  return block.bad ? SIZE_MAX : block.size;
}

void hik_fabrik_free_begin(hik_run *run) {
  const hik_problem *p = run->problem;
  const hik_model *m = p->model;
  hik_block block = {run->scratch, 0, false};
  job *j = lay_out(p, &block);
  const hik_batch *b = run->batch;
  j->single = run->options->param[HIK_FABRIK_SINGLE] != 0;
  j->kernels = b->n > FEW ? &hik_kernels_in_use()->fabrik : &hik_fabrik_few;
  j->width = j->single ? j->kernels->single_lanes : j->kernels->lanes;
  hik_balls_prepare(p, &j->balls);
  j->per_reach = 1 / j->balls.reach;
  for (int32_t k = 0; k < j->balls.n; k++) j->single_length[k] = (float)(j->balls.length[k] / j->balls.reach);
  if (b->q0 && b->q0_stride) return;
  memcpy(j->q, b->q0 ? b->q0 : m->rest, (size_t)m->nq * sizeof *j->q);
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

static void put_points(job *j, int lane, const double *point) {
  for (size_t i = 0; i <= (size_t)j->balls.n; i++) put_point(j, j->points, i, lane, point + 3 * i);
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

static void nudge(job *j, int lane) {
  lane_state *l = j->lane + lane;
  double side[3], size = hik_balls_nudge(l->remedies);
  if (lane_error(j, lane) < l->kept) {
    get_points(j, lane, l->keep);
    l->kept = lane_error(j, lane);
  }
  hik_perpendicular(l->line, side);
  for (int32_t i = 1; i < j->balls.n; i++)
    for (int c = 0; c < 3; c++) {
      size_t row = 3 * (size_t)i + (size_t)c;
      double length = j->single ? j->single_length[i] : j->balls.length[i];
      put_number(j, j->points, row, lane, get_number(j, j->points, row, lane) + size * length * side[c]);
    }
  l->remedies++;
  watch_anew(j, lane, INFINITY);
}

/* ---- the block ---- */

/* Where the answers of a block go. */
typedef struct sink {
  const hik_batch *batch;
  int64_t first;
  int8_t *claim;
  int32_t *iterations, *remedies;
} sink;

static void report(const sink *to, const lane_state *l, hik_outcome claim) {
  int64_t k = l->index - to->first;
  to->claim[k] = (int8_t)claim;
  to->iterations[k] = l->iterations;
  to->remedies[k] = l->remedies;
}

static double *answer_q(const hik_run *run, int64_t i) {
  return run->batch->q + i * (int64_t)run->problem->model->nq;
}

/* The start of the problem in the lane, whose answer is not yet written over it. */
static const hik_bones *start_of(const hik_run *run, job *j, int lane) {
  if (!j->own_starts) return &j->shared;
  hik_balls_trace(&j->balls, answer_q(run, j->lane[lane].index), run->problem->model, &j->own);
  return &j->own;
}

/* Keeps an iteration of problem i; `point` NULL: the points of the lane. */
static void note(const hik_run *run, job *j, int lane, const double *point, double error) {
  const hik_batch *b = run->batch;
  const hik_model *m = run->problem->model;
  const lane_state *l = j->lane + lane;
  if (!b->trace) return;
  int64_t row = l->index * ((int64_t)run->options->max_iter + 1) + l->iterations;
  b->trace[row] = run->problem->goal->term.weight * error;
  if (!b->path) return;
  double *q = b->path + row * m->nq;
  if (!point) get_points(j, lane, j->scratch_point);
  /* what the chain does not move, and the signs of the quaternions, as in the start */
  memcpy(q, answer_q(run, l->index), (size_t)m->nq * sizeof *q);
  hik_balls_to_q(&j->balls, m, start_of(run, j, lane), point ? point : j->scratch_point, j->single, q);
}

/* What the tip of an answer may be off from where floats have it: each point is rounded three times to half a unit of
   2^-24 of the reach (5.2e-8 of it in all), the target too, and the lengths add up to a few more. */
static double single_slack(int32_t n, double reach) { return 6e-8 * (n + 8) * reach; }

/* What the passes call met: still so after the round trip to q and back. */
static double inner_tolerance(const hik_problem *p, const job *j) {
  if (!j->single) return hik_balls_tolerance(&j->balls, p);
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

/* Problem i into the lane. False: it needs no iteration and its answer is written. */
static bool load(hik_run *run, job *j, int lane, int64_t i, const sink *to) {
  const hik_batch *b = run->batch;
  const hik_model *m = run->problem->model;
  const double *target = b->target + i * b->target_stride;
  lane_state *l = j->lane + lane;
  double *q = answer_q(run, i), gap[3], *tip;
  l->index = i, l->began = j->round, l->iterations = l->remedies = 0;
  l->kept = INFINITY;
  if (!hik_target_usable(run->problem, target)) {
    report(to, l, HIK_UNSOLVED);
    return false;
  }
  target += run->problem->goal->column;
  if (j->own_starts) {
    memmove(q, b->q0 + i * b->q0_stride,
            (size_t)m->nq * sizeof *q); /* the start may be the answer's own place */
    hik_clamp(m, 1, q);
  } else {
    memcpy(q, j->q, (size_t)m->nq * sizeof *q);
  }
  const hik_bones *from = start_of(run, j, lane);
  hik_copy3(target, l->aim);
  tip = from->point + 3 * (size_t)j->balls.n;
  hik_sub3(tip, target, gap);
  double error = hik_norm_safe(gap);
  note(run, j, lane, from->point, error);
  if (error <= run->problem->goal->term.position_tolerance) {
    report(to, l, HIK_CONVERGED);
    return false;
  }
  if (run->options->max_iter == 0) {
    report(to, l, HIK_MAX_ITER);
    return false;
  }
  hik_sub3(target, j->balls.root, gap);
  hik_copy3((double[3]){1, 0, 0}, l->line);
  double far = hik_unit(gap, l->line);
  /* at the very edge too, where the passes would crawl: a straight chain is then within the tolerance */
  if (hik_balls_away(&j->balls, far, inner_tolerance(run->problem, j), l->line, j->scratch_point)) {
    hik_sub3(j->scratch_point + 3 * (size_t)j->balls.n, target, gap);
    l->iterations = 1;
    note(run, j, lane, j->scratch_point, hik_norm_safe(gap));
    hik_balls_to_q(&j->balls, m, from, j->scratch_point, j->single, q);
    report(to, l, HIK_CLOSEST);
    return false;
  }
  put_points(j, lane, from->point);
  put_point(j, j->rows, HIK_FABRIK_TARGET, lane, target);
  watch_anew(j, lane, j->share * error);
  int64_t last_round = l->began + run->options->max_iter;
  if (last_round < j->soonest) j->soonest = last_round;
  return true;
}

/* Ends the problem in the lane. */
static void unload(hik_run *run, job *j, int lane, const sink *to, hik_outcome claim) {
  lane_state *l = j->lane + lane;
  const double *point = j->scratch_point;
  if (claim != HIK_CONVERGED && l->kept < lane_error(j, lane))
    point = l->keep;
  else
    get_points(j, lane, j->scratch_point);
  hik_balls_to_q(&j->balls, run->problem->model, start_of(run, j, lane), point, j->single,
                 answer_q(run, l->index));
  report(to, l, claim);
  l->index = -1;
}

/* A lane that the rule has stopped, or that has made max_iter iterations: true when its problem has ended. */
static bool settle(hik_run *run, job *j, int lane, const sink *to) {
  lane_state *l = j->lane + lane;
  bool quiet = get_number(j, j->rows, HIK_FABRIK_QUIET, lane) >= PATIENCE;
  l->iterations = (int32_t)(j->round - l->began);
  hik_outcome claim = HIK_UNSOLVED;
  if (get_number(j, j->rows, HIK_FABRIK_ERROR, lane) <= j->tolerance)
    claim = HIK_CONVERGED;
  else if (quiet && l->remedies >= NUDGES)
    claim = HIK_STALLED;
  else if (l->iterations >= run->options->max_iter)
    claim = HIK_MAX_ITER;
  if (claim == HIK_UNSOLVED) {
    if (quiet) nudge(j, lane);
    return false;
  }
  unload(run, j, lane, to, claim);
  return true;
}

/* The first lane from `lane` on that the rule has stopped, or their number. */
static int next_stopped(const job *j, int lane) {
  const double *quiet = j->rows + (size_t)HIK_FABRIK_QUIET * (size_t)j->width;
  const float *thin = (const float *)(const void *)j->rows + (size_t)HIK_FABRIK_QUIET * (size_t)j->width;
  if (j->single)
    while (lane < j->width && thin[lane] < PATIENCE) lane++;
  else
    while (lane < j->width && quiet[lane] < PATIENCE) lane++;
  return lane;
}

/* Some chain and a target out of its reach, never to be looked at, for a lane that has nothing to do. */
static void occupy(job *j, int lane) {
  hik_balls_straighten(&j->balls, (double[3]){1, 0, 0}, true, j->scratch_point);
  put_points(j, lane, j->scratch_point);
  put_point(j, j->rows, HIK_FABRIK_TARGET, lane,
            (double[3]){j->balls.root[0], j->balls.root[1] + 1.1 * j->balls.reach, j->balls.root[2]});
  watch_anew(j, lane, 0);
  put_number(j, j->rows, HIK_FABRIK_QUIET, lane, -1e30);
}

/* The next problem that needs iterations, into the lane; the lane is idle when there is none. */
static void refill(hik_run *run, job *j, int lane, int64_t *next, int64_t last, const sink *to) {
  j->lane[lane].index = -1;
  while (*next < last) {
    int64_t i = (*next)++;
    if (load(run, j, lane, i, to)) return;
    j->lane[lane].index = -1;
  }
  occupy(j, lane);
}

static void iterate(job *j) {
  const hik_fabrik_kernels *k = j->kernels;
  j->round++;
  if (j->single)
    k->single(j->balls.n, j->single_length, (float)j->tolerance, (float)j->share, (float *)(void *)j->points,
              (float *)(void *)j->rows);
  else
    k->free(j->balls.n, j->balls.length, j->tolerance, j->share, j->points, j->rows);
}

static void note_all(const hik_run *run, job *j) {
  for (int lane = 0; run->batch->trace && lane < j->width; lane++) {
    lane_state *l = j->lane + lane;
    if (l->index < 0) continue;
    l->iterations = (int32_t)(j->round - l->began);
    note(run, j, lane, NULL, lane_error(j, lane));
  }
}

/* Has any lane made max_iter iterations? */
static bool expired(const hik_run *run, job *j) {
  if (j->round < j->soonest) return false;
  j->soonest = INT64_MAX;
  for (int lane = 0; lane < j->width; lane++) {
    const lane_state *l = j->lane + lane;
    int64_t last_round = l->began + run->options->max_iter;
    if (l->index >= 0 && last_round > j->round && last_round < j->soonest) j->soonest = last_round;
  }
  return true;
}

void hik_fabrik_free_block(hik_run *run, int64_t first, int64_t last, int8_t *claim, int32_t *iterations,
                           int32_t *remedies) {
  job *j = run->scratch;
  const sink to = {run->batch, first, claim, iterations, remedies};
  int32_t width = j->width, busy = 0;
  int64_t next = first;
  j->own_starts = to.batch->q0 && to.batch->q0_stride;
  j->round = 0, j->soonest = INT64_MAX;
  j->share = 1 - run->options->stall;
  j->tolerance = inner_tolerance(run->problem, j) / (j->single ? j->balls.reach : 1);
  memset(claim, HIK_UNSOLVED, (size_t)(last - first));
  for (int lane = 0; lane < width; lane++) {
    refill(run, j, lane, &next, last, &to);
    busy += j->lane[lane].index >= 0;
  }
  while (busy > 0) {
    iterate(j);
    note_all(run, j);
    bool all = expired(run, j);
    for (int lane = all ? 0 : next_stopped(j, 0); lane < width;
         lane = all ? lane + 1 : next_stopped(j, lane + 1)) {
      if (j->lane[lane].index < 0 || !settle(run, j, lane, &to)) continue;
      refill(run, j, lane, &next, last, &to);
      busy -= j->lane[lane].index < 0;
    }
    if (!hik_poll(run->worker, (int64_t)j->balls.n * width)) break;
  }
  /* stopped or late: what the lanes hold is the best there is */
  for (int lane = 0; busy > 0 && lane < width; lane++) {
    if (j->lane[lane].index < 0) continue;
    j->lane[lane].iterations = (int32_t)(j->round - j->lane[lane].began);
    unload(run, j, lane, &to, HIK_STALLED);
  }
}

void hik_fabrik_free_one(hik_run *run, const double *target, hik_answer *answer) {
  int8_t claim;
  hik_batch one = {.n = 1,
                   .target = target,
                   .q0 = answer->q,
                   .q0_stride = run->problem->model->nq,
                   .q = answer->q,
                   .trace = answer->trace,
                   .path = answer->path};
  hik_run inner = *run;
  inner.batch = &one;
  hik_fabrik_free_block(&inner, 0, 1, &claim, &answer->iterations, &answer->remedies);
  answer->claim = (hik_outcome)claim;
}
