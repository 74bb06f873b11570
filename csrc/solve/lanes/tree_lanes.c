/* tree_lanes.c: damped least squares in lanes for several goals on a tree.

   Purpose    positions, orientations, poses, axes, points looked at, levels and distances on turns, slides and balls
              (solve/lanes/tree_plan.h says which)
   Given      a target; a start
   Returned   q inside its limits: where the first start, in their order, that meets the goals ends
   Outcomes   converged; max_iter; stalled: no start met the goals, and q is the end of the best; unreachable: the lengths put the
              target out of reach, and nothing was tried
   Notes      1 Order of the starts: the one given or at rest, then starts spread inside the limits (solve/drive/starts.h).
              2 A start is given up when its squared error is not below half of that three steps ago (the first: four
                fifths; from the ninth further start on: nine tenths), or after 30 steps and more (the first: 60).
              3 Each lane works on one problem; an ended lane takes the next. A single problem works in a narrow register
                by itself. Lanes never meet, so every instruction set and every batch gives the same bytes.
   Reference  Y. Nakamura, H. Hanafusa (1986), damping; T. Sugihara, IEEE Trans. Robotics 27 (2011) 984-991, damping by the
              error. */
#include "solve/lanes/tree_plan.h"

#include "base/tuning.h"
#include "solve/drive/starts.h"
#include "solve/lanes/descents.h"

typedef struct job {
  const hik_tree_plan *plan;
  hik_descents *d;
  hik_tree_kernel *step;
} job;

static job *lay_out(const hik_problem *p, const hik_tree *t, hik_block *block) {
  job *j = HIK_TAKE(block, job, 1);
  hik_descents *d = hik_descents_lay_out(p, t->slots, 12 * t->goals, hik_tree_work(t), block);
  if (j) j->d = d;
  return j;
}

HIK_COUNT_BYTES(static size_t scratch_for(const hik_readied *ready),
                lay_out(ready->problem, &ready->tree->tree, &block))

static void begin(hik_run *run) {
  hik_block block = {run->scratch, 0, false};
  const hik_tree_plan *plan = run->ready->tree;
  lay_out(run->problem, &plan->tree, &block)->plan = plan;
}

static int32_t most(int32_t number) { return number == 0 ? HIK_TREE_FIRST_CAP : HIK_TREE_CAP + number / 4; }

static double patience(const hik_descents *d, int32_t number) {
  (void)d;
  return number == 0 ? HIK_SHARE_FIRST : number <= HIK_TREE_EAGER ? HIK_SHARE_EARLY : HIK_SHARE_LATE;
}

static void start(hik_descents *d, const hik_lane_task *task, int32_t number, double *row) {
  const job *j = d->job;
  memcpy(d->q, task->answer.q, (size_t)d->run->problem->model->nq * sizeof *d->q);
  if (number > 0) hik_start_near(d->run, d->run->worker->attempt + (uint64_t)number, task->target, d->q);
  hik_tree_put(j->plan, d->q, 1, row);
}

static bool load(hik_descents *d, hik_lane_task *task, double *aim) {
  task->answer.claim = HIK_UNREACHABLE;
  if (hik_out_of_reach(d->run->problem, task->target)) return false;
  hik_tree_target(d->run->problem, task->target, aim);
  return true;
}

static void step(hik_descents *d) {
  const job *j = d->job;
  hik_tree_end end = j->step(&j->plan->tree, &d->state);
  d->near = end.near, d->given_up = end.given_up;
}

static void to_q(const hik_descents *d, const double *row, double *q) {
  hik_tree_get(((const job *)d->job)->plan, row, 1, q);
}

static void begin_call(job *j, hik_run *run, int32_t starts, const hik_lane_kernels *kernels) {
  static const hik_descent_kind kind = {.method = HIK_BY_TREE,
                                        .load = load,
                                        .start = start,
                                        .most = most,
                                        .patience = patience,
                                        .step = step,
                                        .met = hik_descents_judge,
                                        .to_q = to_q,
                                        .keeps_start = true,
                                        .part_stands = true};
  const hik_tree *t = &j->plan->tree;
  j->step = kernels->tree;
  j->d->starts = starts;
  hik_descents_begin(j->d, run, &kind, j, kernels->lanes, 1, (int64_t)t->count * (2 + 3 * t->blocks));
}

static void block(hik_run *run, int32_t starts, const hik_claims *rows) {
  job *j = run->scratch;
  begin_call(j, run, starts, &hik_kernels_in_use()->wide);
  hik_queue_block(&j->d->queue, run, rows);
}

static void one(hik_run *run, int32_t starts, const double *target, hik_answer *answer) {
  job *j = run->scratch;
  begin_call(j, run, starts, hik_kernels_in_use()->pair);
  hik_queue_one(&j->d->queue, run, target, answer);
}

const hik_lane_solver hik_tree_lanes = {INT32_MAX, scratch_for, begin, one, block};
