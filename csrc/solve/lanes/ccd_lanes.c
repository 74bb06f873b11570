/* ccd_lanes.c: cyclic coordinate descent with a problem a lane: see ccd.c for the method and simd/ccd.inc.c for the
   sweep.

   Purpose   one position, orientation, pose or axis at the end of turns and slides inside their limits
   Given     for each problem a target and a start
   Returned  what ccd.c returns for one at a time, byte for byte: the sweep repeats its operations in their order, and
             the stop rule, the judge and the remedies are its own, a lane at a time (nudge.c)
   Outcomes  those of ccd.c
   Notes     A lane that is done takes the next problem of the block. */
#include "solve/lanes/ccd_lanes.h"

#include "simd/kernels.h"
#include "solve/drive/pace.h"
#include "solve/points/nudge.h"
#include "solve/points/shared.h"

enum { MOST = 8 }; /* lanes of a group of the widest set */

typedef struct lane_state {
  int64_t index; /* problem in this lane, -1: idle */
  hik_answer answer;
  hik_pace pace;
  double *best_q; /* [nq] */
} lane_state;

struct hik_ccd_job {
  hik_ccd_lanes group[HIK_CCD_GROUPS];
  const hik_kernels *kernels;
  int32_t width; /* lanes of a group */
  hik_ccd_weights weights;
  hik_wish wish;
  lane_state lane[MOST * HIK_CCD_GROUPS];
};

static bool chain_fits(const hik_problem *p) {
  const hik_model *m = p->model;
  for (int32_t k = 0; k < p->n_active; k++) {
    int32_t s = p->active[k];
    if (m->step_kind[s] == HIK_BALL_STEP || m->step_parent[s] != (k > 0 ? p->active[k - 1] : -1))
      return false;
    for (int32_t i = 0; i < k; i++)
      if (m->step_q[p->active[i]] == m->step_q[s]) return false;
  }
  return p->n_active > 0 && p->active[p->n_active - 1] == p->goal->step;
}

bool hik_ccd_lanes_fit(const hik_problem *p) {
  const uint32_t about_one = HIK_HAS_POSITION | HIK_HAS_ORIENTATION | HIK_HAS_AXIS;
  if (p->n_goal != 1 || p->n_active > HIK_CHAIN_STEPS) return false;
  uint32_t caps = hik_goal_class(p->goal)->caps;
  return caps && !(caps & ~about_one) && hik_goal_class(p->goal)->residual && chain_fits(p);
}

hik_ccd_job *hik_ccd_lanes_lay_out(const hik_problem *p, hik_block *block) {
  hik_ccd_job *j = HIK_TAKE(block, hik_ccd_job, 1), spare, *into = j ? j : &spare;
  size_t n = (size_t)p->n_active;
  for (int g = 0; g < HIK_CCD_GROUPS; g++) {
    hik_ccd_lanes *w = into->group + g;
    w->q = HIK_TAKE(block, double, n *MOST);
    w->joint = HIK_TAKE(block, double, 6 * n * MOST);
    w->end = HIK_TAKE(block, double, 12 * MOST);
    w->wanted = HIK_TAKE(block, double, 3 * MOST);
    w->turned = HIK_TAKE(block, double, 9 * MOST);
    w->last = HIK_TAKE(block, double, 3 * MOST);
    w->history = HIK_TAKE(block, double, MOST);
  }
  for (int k = 0; k < MOST * HIK_CCD_GROUPS; k++)
    into->lane[k].best_q = HIK_TAKE(block, double, p->model->nq);
  return j;
}

void hik_ccd_lanes_begin(hik_ccd_job *j, const hik_problem *p, const hik_ccd_weights *weights) {
  hik_wishes_set(p, &j->wish);
  j->weights = *weights;
  j->kernels = hik_kernels_in_use();
  j->width = j->kernels->wide.lanes;
  for (hik_ccd_lanes *w = j->group; w < j->group + HIK_CCD_GROUPS; w++) {
    w->model = p->model, w->list = p->active, w->count = p->n_active;
    w->place = (const double *)(const void *)&j->wish.place;
    w->position_weight = weights->position, w->orientation_weight = weights->orientation;
    w->axes = j->wish.frame ? 3 : j->wish.axis;
    w->own_axis = j->wish.own;
    w->extrapolate = weights->extrapolate && weights->position > 0;
  }
}

/* ---- one lane ---- */

static const hik_ccd_lanes *group_of(const hik_ccd_job *j, int lane) { return j->group + lane / j->width; }

static void put(const hik_ccd_job *j, double *rows, int32_t first, int lane, const double *x, int32_t n) {
  rows += lane % j->width;
  for (int32_t i = 0; i < n; i++) rows[(size_t)(first + i) * (size_t)j->width] = x[i];
}

static void get(const hik_ccd_job *j, const double *rows, int lane, double *x, int32_t n) {
  rows += lane % j->width;
  for (int32_t i = 0; i < n; i++) x[i] = rows[(size_t)i * (size_t)j->width];
}

/* The pose of the answer, whose frames are in `world`, into the lane; its next sweep has no history. */
static void put_pose(hik_ccd_job *j, int lane, const double *q, const hik_pose *world) {
  const hik_ccd_lanes *w = group_of(j, lane);
  const double none = 0;
  for (int32_t k = 0; k < w->count; k++) {
    int32_t s = w->list[k];
    double joint[6];
    hik_mat_column(world[s].r, 2, joint);
    hik_copy3(world[s].t, joint + 3);
    put(j, w->joint, 6 * k, lane, joint, 6);
    put(j, w->q, k, lane, q + w->model->step_q[s], 1);
  }
  put(j, w->end, 0, lane, (const double *)(const void *)(world + w->list[w->count - 1]), 12);
  put(j, w->history, 0, lane, &none, 1);
}

/* The answer's q, and the frame that the judge looks at, from the lane. */
static void get_pose(const hik_ccd_job *j, int lane, double *q, hik_pose *world) {
  const hik_ccd_lanes *w = group_of(j, lane);
  for (int32_t k = 0; k < w->count; k++)
    q[w->model->step_q[w->list[k]]] = w->q[(size_t)k * (size_t)j->width + (size_t)(lane % j->width)];
  get(j, w->end, lane, (double *)(void *)(world + w->list[w->count - 1]), 12);
}

/* ---- the block ---- */

/* Where the answers of a block go. */
typedef struct sink {
  hik_run *run;
  int64_t first, last, next;
  int8_t *claim;
  int32_t *iterations, *remedies;
} sink;

static void report(const sink *to, const lane_state *l) {
  int64_t k = l->index - to->first;
  to->claim[k] = (int8_t)l->answer.claim;
  to->iterations[k] = l->answer.iterations;
  to->remedies[k] = l->answer.remedies;
}

static hik_answer answer_for(const hik_run *run, int64_t i) {
  const hik_batch *b = run->batch;
  int64_t rows = hik_trace_rows(run->problem, run->options), nq = run->problem->model->nq;
  hik_answer a = {.q = b->q + i * nq, .claim = HIK_STALLED};
  if (b->trace) a.trace = b->trace + i * rows;
  if (b->trace && b->path) a.path = b->path + i * rows * nq;
  return a;
}

/* Problem i into the lane. False: it needs no sweep and its answer is written. */
static bool load(hik_ccd_job *j, int lane, int64_t i, const sink *to) {
  hik_run *run = to->run;
  const hik_batch *b = run->batch;
  const hik_model *m = run->problem->model;
  const double *target = b->target + i * b->target_stride, *q0 = b->q0 ? b->q0 + i * b->q0_stride : m->rest;
  lane_state *l = j->lane + lane;
  double turned[9];
  if (!hik_target_usable(run->problem, target)) return false;
  l->index = i;
  l->answer = answer_for(run, i);
  memmove(l->answer.q, q0, (size_t)m->nq * sizeof *q0); /* the start may be the answer's own place */
  hik_clamp(m, 1, l->answer.q);
  static const hik_method method = {NULL}; /* the sweeps are made below, of all lanes together */
  l->pace = (hik_pace){.method = &method,
                       .run = run,
                       .target = target,
                       .answer = &l->answer,
                       .best_q = l->best_q,
                       .patience = HIK_PATIENCE,
                       .nudges = j->weights.nudges,
                       .starts = j->weights.starts};
  if (!hik_pace_begin(&l->pace)) {
    report(to, l);
    return false;
  }
  hik_wishes_begin(target, 1, &j->wish);
  put(j, group_of(j, lane)->wanted, 0, lane, j->wish.want.point, 3);
  put(j, group_of(j, lane)->turned, 0, lane, turned, 3 * hik_aimed_rows(&j->wish, &j->wish.want, turned));
  put_pose(j, lane, l->answer.q, run->world);
  return true;
}

/* The next problem that needs sweeps, into the lane; the lane is idle when there is none. */
static void refill(hik_ccd_job *j, int lane, sink *to) {
  while (to->next < to->last && !to->run->worker->stopped)
    if (load(j, lane, to->next++, to)) return;
  j->lane[lane].index = -1;
}

void hik_ccd_lanes_block(hik_ccd_job *j, hik_run *run, int64_t first, int64_t last, int8_t *claim,
                         int32_t *iterations, int32_t *remedies) {
  sink to = {run, first, last, first, claim, iterations, remedies};
  int32_t busy = 0, width = j->width * HIK_CCD_GROUPS;
  memset(claim, HIK_UNSOLVED, (size_t)(last - first));
  for (int lane = 0; lane < width; lane++) {
    refill(j, lane, &to);
    busy += j->lane[lane].index >= 0;
  }
  while (busy > 0) {
    j->kernels->ccd(j->group);
    for (int lane = 0; lane < width; lane++) {
      lane_state *l = j->lane + lane;
      if (l->index < 0) continue;
      get_pose(j, lane, l->answer.q, run->world);
      if (hik_pace_next(&l->pace)) {
        if (l->pace.fresh) put_pose(j, lane, l->answer.q, run->world);
        continue;
      }
      report(&to, l);
      refill(j, lane, &to);
      busy -= l->index < 0;
    }
  }
}
