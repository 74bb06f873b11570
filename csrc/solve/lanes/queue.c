/* queue.c: see queue.h. Lanes never meet, so the order in which problems come to them changes no answer. */
#include "solve/lanes/queue.h"

/* ---- lanes at work ---- */

void hik_lanes_run(hik_lanes *l) {
  l->busy = 0, l->done = false;
  for (int32_t lane = 0; lane < l->width; lane++) l->busy |= (uint64_t)l->refill(l->job, lane) << lane;
  while (l->busy && !l->done) {
    for (uint64_t look = l->step(l->job) & l->busy; look; look &= look - 1) {
      int32_t lane = __builtin_ctzll(look);
      if (l->settle(l->job, lane) && !l->refill(l->job, lane)) l->busy &= ~((uint64_t)1 << lane);
    }
    if (l->cost && !hik_poll(l->worker, l->cost)) break;
  }
}

/* ---- a block of problems ---- */

static void set_up(const hik_queue *c, hik_lane_task *task, int64_t i) {
  const hik_batch *b = c->run->batch;
  task->index = i;
  task->target = b->target + i * b->target_stride;
  task->answer = hik_answer_row(c->run->problem, (int64_t)c->run->options->max_iter + 1, b, i);
}

/* Readies the next problems. They do not wait for each other, so that it may pay to do some together. */
static void make_ready(hik_queue *c) {
  for (int32_t i = 0; i < c->ahead && c->next < c->rows->last && !c->run->worker->stopped; i++) {
    int64_t at = c->next++;
    if (c->rows->claim[at - c->rows->first] != HIK_NO_CLAIM) continue;
    hik_lane_task *task = c->spare[c->n_spare - 1];
    set_up(c, task, at);
    if (!hik_target_usable(c->run->problem, task->target)) continue;
    if (c->kernel->load(c, task))
      c->ready[c->n_ready++] = task, c->n_spare--;
    else
      hik_report(c->rows, task->index, &task->answer);
  }
  if (c->kernel->ready && c->n_ready > 0) c->kernel->ready(c, c->ready, c->n_ready);
}

static bool refill(void *job, int32_t lane) {
  hik_queue *c = job;
  while (c->n_ready == 0 && c->next < c->rows->last && !c->run->worker->stopped) make_ready(c);
  if (c->n_ready == 0) {
    if (c->kernel->idle) c->kernel->idle(c, lane);
    return false;
  }
  c->in[lane] = c->ready[--c->n_ready];
  c->kernel->put(c, c->in[lane], lane);
  return true;
}

static uint64_t step(void *job) {
  hik_queue *c = job;
  uint64_t look = c->kernel->step(c);
  if (HIK_UNLIKELY(c->run->batch->trace != NULL) && c->kernel->note)
    for (uint64_t busy = c->lanes.busy; busy; busy &= busy - 1) {
      int32_t lane = __builtin_ctzll(busy);
      c->kernel->note(c, c->in[lane], lane);
    }
  return look;
}

static bool settle(void *job, int32_t lane) {
  hik_queue *c = job;
  if (c->kernel->settle && !c->kernel->settle(c, c->in[lane], lane)) return false;
  hik_report(c->rows, c->in[lane]->index, &c->in[lane]->answer);
  c->spare[c->n_spare++] = c->in[lane];
  return true;
}

void hik_queue_begin(hik_queue *c, const hik_queue_kernel *kernel, void *job, int32_t width, int32_t ahead,
                     int64_t cost) {
  c->kernel = kernel, c->job = job, c->ahead = ahead;
  c->lanes.job = c, c->lanes.width = width, c->lanes.cost = cost;
  c->lanes.refill = refill, c->lanes.step = step, c->lanes.settle = settle;
}

void hik_queue_block(hik_queue *c, hik_run *run, const hik_claims *rows) {
  c->run = run, c->lanes.worker = run->worker;
  c->rows = rows, c->next = rows->first;
  c->n_ready = 0, c->n_spare = c->lanes.width + c->ahead;
  for (int32_t i = 0; i < c->n_spare; i++) c->spare[i] = c->task + i, c->task[i].slot = i;
  hik_lanes_run(&c->lanes);
  for (uint64_t busy = c->lanes.busy; busy && c->kernel->leave; busy &= busy - 1) {
    int32_t lane = __builtin_ctzll(busy);
    c->kernel->leave(c, c->in[lane], lane);
    hik_report(c->rows, c->in[lane]->index, &c->in[lane]->answer);
  }
}

void hik_queue_one(hik_queue *c, hik_run *run, const double *target, hik_answer *answer) {
  int8_t claim = HIK_NO_CLAIM, method = HIK_BY_NONE;
  hik_batch one = {.n = 1, .target = target, .q = answer->q, .trace = answer->trace, .path = answer->path};
  hik_run inner = *run;
  inner.batch = &one;
  hik_queue_block(c, &inner, &(hik_claims){0, 1, &claim, &method, &answer->iterations, &answer->remedies});
  answer->claim = (hik_outcome)claim, answer->method = (hik_method_used)method;
}
