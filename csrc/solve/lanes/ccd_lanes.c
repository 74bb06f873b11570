/* ccd_lanes.c: cyclic coordinate descent with a problem a lane: see ccd.c for the method and simd/ccd.inc.c for the
   sweep.

   Purpose   one position, orientation, pose or axis at the end of turns and slides inside their limits
   Given     for each problem a target and a start
   Returned  what ccd.c returns for one at a time, byte for byte: the sweep repeats its operations in their order, and
             the stop rule, the judge and the remedies are its own, a lane at a time (nudge.c)
   Outcomes  those of ccd.c
   Notes     A lane that is done takes the next problem of the block. */
#include "solve/lanes/ccd_lanes.h"

#include "solve/drive/pace.h"
#include "solve/lanes/queue.h"
#include "solve/points/shared.h"
#include "solve/points/wish.h"

enum { MOST = 8 }; /* lanes of a group of the widest set */

struct hik_ccd_job {
  hik_ccd_lanes group[HIK_CCD_GROUPS];
  const hik_kernels *kernels;
  int32_t width;       /* lanes of a group */
  const double *param; /* options */
  hik_wish wish;
  hik_pace pace[MOST * HIK_CCD_GROUPS + 1]; /* by the slot of the task, each with its memory */
  hik_queue queue;
};

static bool chain_fits(const hik_problem *p) {
  const hik_model *m = p->model;
  for (int32_t k = 0; k < p->n_active; k++) {
    int32_t s = p->active[k];
    if (m->step_kind[s] == HIK_BALL_STEP || hik_step_follows(m, s) ||
        m->step_parent[s] != (k > 0 ? p->active[k - 1] : -1))
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
    w->turned = HIK_TAKE(block, double, 9 * MOST);
    HIK_TAKE_DOUBLES(block, 3 * MOST, &w->wanted, &w->last);
    w->history = HIK_TAKE(block, double, MOST);
  }
  for (int k = 0; k < MOST * HIK_CCD_GROUPS + 1; k++) {
    into->pace[k].best_q = HIK_TAKE(block, double, p->model->nq);
    into->pace[k].trail = HIK_TAKE(block, double, 2 * (size_t)p->model->nq);
  }
  return j;
}

void hik_ccd_lanes_begin(hik_ccd_job *j, const hik_problem *p, const double *param, double position,
                         double orientation) {
  hik_wishes_set(p, &j->wish);
  j->param = param;
  j->kernels = hik_kernels_in_use();
  j->width = j->kernels->wide.lanes;
  for (hik_ccd_lanes *w = j->group; w < j->group + HIK_CCD_GROUPS; w++) {
    w->model = p->model, w->list = p->active, w->count = p->n_active;
    w->place = (const double *)(const void *)&j->wish.place;
    w->position_weight = position, w->orientation_weight = orientation;
    w->axes = j->wish.frame ? 3 : j->wish.axis;
    w->own_axis = j->wish.own;
    w->extrapolate = param[HIK_CCD_EXTRAPOLATE] > 0 && position > 0;
  }
}

/* ---- one lane ---- */

/* The group of a lane, and its place there. */
static const hik_ccd_lanes *group_of(const hik_ccd_job *j, int lane) { return j->group + (lane >= j->width); }
static int32_t lane_in(const hik_ccd_job *j, int lane) { return lane >= j->width ? lane - j->width : lane; }

static void put(const hik_ccd_job *j, double *rows, int32_t first, int lane, const double *x, int32_t n) {
  hik_lane_put(rows + (size_t)first * (size_t)j->width, j->width, lane_in(j, lane), x, n);
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
  const int32_t *place = w->model->step_q, *step = w->list, *end = w->list + w->count;
  int32_t own = lane_in(j, lane);
  for (const double *from = w->q + own; step < end; from += j->width) q[place[*step++]] = *from;
  hik_lane_get(w->end, j->width, own, (double *)(void *)(world + end[-1]), 12);
}

/* ---- for the queue ---- */

/* Moves run->world to the start, where put_lane finds it. */
static bool load(hik_queue *queue, hik_lane_task *task) {
  hik_ccd_job *j = queue->job;
  hik_pace *pace = j->pace + task->slot;
  double *trail = pace->trail;
  static const hik_method method = {NULL}; /* the sweeps are made below, of all lanes together */
  *pace = hik_pace_of(&method, NULL, queue->run, task->target, &task->answer, pace->best_q);
  pace->trail = j->param[HIK_CCD_STARTS] > 0 ? trail : NULL;
  pace->patience = HIK_PATIENCE;
  pace->nudges = (int32_t)j->param[HIK_CCD_NUDGES], pace->starts = (int32_t)j->param[HIK_CCD_STARTS];
  return hik_pace_begin(pace);
}

static void put_lane(hik_queue *queue, hik_lane_task *task, int32_t lane) {
  hik_ccd_job *j = queue->job;
  double turned[9];
  hik_wishes_begin(task->target, 1, &j->wish);
  put(j, group_of(j, lane)->wanted, 0, lane, j->wish.want.point, 3);
  put(j, group_of(j, lane)->turned, 0, lane, turned, 3 * hik_aimed_rows(&j->wish, &j->wish.want, turned));
  put_pose(j, lane, task->answer.q, queue->run->world);
}

/* The pace looks at every lane after every sweep: those that have ended are to be settled. */
static uint64_t sweep(hik_queue *queue) {
  hik_ccd_job *j = queue->job;
  uint64_t ended = 0;
  j->kernels->ccd(j->group);
  for (uint64_t busy = queue->lanes.busy; busy; busy &= busy - 1) {
    int32_t lane = __builtin_ctzll(busy);
    const hik_lane_task *task = queue->in[lane];
    hik_pace *pace = j->pace + task->slot;
    get_pose(j, lane, task->answer.q, queue->run->world);
    if (!hik_pace_next(pace))
      ended |= (uint64_t)1 << lane;
    else if (pace->fresh)
      put_pose(j, lane, task->answer.q, queue->run->world);
  }
  return ended;
}

void hik_ccd_lanes_block(hik_ccd_job *j, hik_run *run, const hik_claims *rows) {
  static const hik_queue_kernel kernel = {.load = load, .put = put_lane, .step = sweep};
  hik_queue_begin(&j->queue, &kernel, j, j->width * HIK_CCD_GROUPS, 1, 0);
  hik_queue_block(&j->queue, run, rows);
}
