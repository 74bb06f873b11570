/* descents.c: see descents.h.

   Outcomes   converged: the first start, in their order, that arrives; stalled: none of all did, and q is the end of the
              best; max_iter: likewise, and there were starts left
   Notes      A new start costs less than patience: one is given up when its error does not fall as `patience` says. */
#include "solve/lanes/descents.h"

hik_descents *hik_descents_lay_out(const hik_problem *p, int32_t n, int32_t aims, size_t work,
                                   hik_block *block) {
  hik_descents *d = HIK_TAKE(block, hik_descents, 1), spare, *into = d ? d : &spare;
  size_t rows = 2 * (size_t)n + (size_t)aims + HIK_DESCENT_PAST + 3;
  into->n = n, into->aims = aims, into->first_aim = 0, into->rows = (int32_t)rows;
  into->memory = HIK_TAKE(block, double, (rows + work) * HIK_DESCENT_LANES);
  into->task = HIK_TAKE(block, hik_descending, HIK_DESCENT_SLOTS);
  into->row = hik_block_take(block, HIK_DESCENT_SLOTS, (size_t)n * sizeof(double));
  into->aim = hik_block_take(block, HIK_DESCENT_SLOTS, (size_t)aims * sizeof(double));
  into->start = HIK_TAKE(block, double, n);
  into->end = HIK_TAKE(block, double, n);
  into->q = HIK_TAKE(block, double, p->model->nq);
  return d;
}

/* ---- one lane ---- */

static int32_t most_steps(const hik_descents *d, int32_t number, int32_t used) {
  int32_t most = d->kind->most(number), left = d->run->options->max_iter - used;
  return most < left ? most : left;
}

void hik_descents_put(hik_descents *d, int32_t slot, const double *row, int32_t lane) {
  hik_descending *k = d->task + slot;
  const hik_descent_state *s = &d->state;
  int32_t number = k->started++;
  hik_lane_put(s->next, d->width, lane, row, d->n);
  if (d->kind->part_stands) hik_lane_put(s->now, d->width, lane, row, d->n);
  size_t first = (size_t)d->first_aim;
  hik_lane_put(s->target + first * (size_t)d->width, d->width, lane, hik_descents_aim(d, slot) + first,
               d->aims - d->first_aim);
  hik_lane_set(s->past, d->width, lane, INFINITY, HIK_DESCENT_PAST);
  s->error[lane] = INFINITY;
  s->ratio[lane] = d->kind->patience(d, number);
  s->left[lane] = d->given[lane] = most_steps(d, number, k->used);
}

void hik_descents_idle(hik_descents *d, int32_t lane) {
  for (int32_t i = 0; lane > 0 && i < d->rows; i++) {
    double *row = d->memory + (size_t)i * (size_t)d->width;
    row[lane] = row[0];
  }
}

/* ---- for the queue ---- */

static bool load(hik_queue *queue, hik_lane_task *task) {
  hik_descents *d = queue->job;
  hik_descending *k = d->task + task->slot;
  k->started = k->used = 0, k->best = INFINITY;
  d->run = queue->run;
  task->answer.method = d->kind->method;
  return d->kind->load(d, task, hik_descents_aim(d, task->slot));
}

static void ready(hik_queue *queue, hik_lane_task *const *task, int32_t n) {
  hik_descents *d = queue->job;
  if (d->kind->ready) d->kind->ready(d, task, n);
  for (int32_t i = 0; i < n; i++) d->kind->start(d, task[i], 0, hik_descents_row(d, task[i]->slot));
}

static void put(hik_queue *queue, hik_lane_task *task, int32_t lane) {
  hik_descents *d = queue->job;
  hik_descents_put(d, task->slot, hik_descents_row(d, task->slot), lane);
}

static void idle(hik_queue *queue, int32_t lane) { hik_descents_idle(queue->job, lane); }

static uint64_t step(hik_queue *queue) {
  hik_descents *d = queue->job;
  hik_descents_swap(d);
  d->kind->step(d);
  return d->near | d->given_up;
}

/* The posture of the lane, into d->q. */
static void posture(hik_descents *d, const hik_lane_task *task, int32_t lane) {
  const hik_descending *k = d->task + task->slot;
  memcpy(d->q, task->answer.q, (size_t)d->run->problem->model->nq * sizeof *d->q);
  if (d->kind->keeps_start && k->started == 1 && hik_descents_steps(d, lane) == 0) return;
  hik_lane_get(d->state.now, d->width, lane, d->end, d->n);
  d->kind->to_q(d, d->end, d->q);
}

bool hik_descents_judge(hik_descents *d, const hik_lane_task *task, int32_t lane) {
  hik_verdict v;
  posture(d, task, lane);
  hik_judge_one(d->run->problem, task->target, d->q, d->run->world, &v);
  return v.met;
}

static void note(hik_queue *queue, hik_lane_task *task, int32_t lane) {
  hik_descents *d = queue->job;
  const hik_descending *k = d->task + task->slot;
  int32_t steps = hik_descents_steps(d, lane);
  if (k->started > 1 && steps == 0)
    return; /* a further start takes no place of its own from what came before */
  posture(d, task, lane);
  hik_note_judged(d->run, task->target, &task->answer, k->used + steps, d->q);
}

static void keep(hik_descents *d, int32_t slot, int32_t lane) {
  d->task[slot].best = d->state.error[lane];
  hik_lane_get(d->state.now, d->width, lane, hik_descents_row(d, slot), d->n);
}

static bool end(hik_descents *d, hik_lane_task *task, hik_outcome claim) {
  const hik_descending *k = d->task + task->slot;
  /* of a problem none of whose starts ended at a number, or that never left its first one, the row keeps that */
  if (d->kind->keeps_start ? k->started > 1 || k->used > 0 : k->best < INFINITY)
    d->kind->to_q(d, hik_descents_row(d, task->slot), task->answer.q);
  task->answer.claim = claim;
  task->answer.iterations = k->used;
  task->answer.remedies = k->started - 1;
  return true;
}

static bool settle(hik_queue *queue, hik_lane_task *task, int32_t lane) {
  hik_descents *d = queue->job;
  hik_descending *k = d->task + task->slot;
  bool met = (d->near >> lane & 1) && d->kind->met(d, task, lane);
  if (!met && !(d->given_up >> lane & 1)) return false;
  k->used += hik_descents_steps(d, lane);
  if (met || d->state.error[lane] < k->best) keep(d, task->slot, lane);
  if (met) return end(d, task, HIK_CONVERGED);
  if (k->started >= d->starts) return end(d, task, HIK_STALLED);
  if (k->used >= d->run->options->max_iter) return end(d, task, HIK_MAX_ITER);
  d->kind->start(d, task, k->started, d->start);
  hik_descents_put(d, task->slot, d->start, lane);
  return false;
}

static void leave(hik_queue *queue, hik_lane_task *task, int32_t lane) {
  hik_descents *d = queue->job;
  hik_descending *k = d->task + task->slot;
  if (d->state.error[lane] < k->best) {
    k->used += hik_descents_steps(d, lane);
    keep(d, task->slot, lane);
  }
  end(d, task, HIK_STALLED);
}

void hik_descents_begin(hik_descents *d, hik_run *run, const hik_descent_kind *kind, void *job, int32_t width,
                        int32_t ahead, int64_t cost) {
  static const hik_queue_kernel kernel = {load, ready, put, idle, step, settle, leave, note};
  double *at = d->memory;
  size_t n = (size_t)d->n, w = (size_t)width;
  d->kind = kind, d->run = run, d->job = job, d->width = width;
  d->state.now = at, at += n * w;
  d->state.next = at, at += n * w;
  d->state.target = at, at += (size_t)d->aims * w;
  d->state.past = at, at += HIK_DESCENT_PAST * w;
  d->state.error = at, at += w;
  d->state.ratio = at, at += w;
  d->state.left = at, at += w;
  d->state.work = at;
  d->state.enough = 0;
  hik_queue_begin(&d->queue, &kernel, d, width, ahead, cost * width);
}
