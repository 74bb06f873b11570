/* test_queue.c: lanes at work: every task is begun and ended once, whatever their lengths, and a stop leaves what is busy. */
#include "solve/lanes/queue.h"

#include "check.h"

enum { TASKS = 40, WIDTH = 5 };

typedef struct bench {
  hik_lanes lanes;
  int next, in[WIDTH], left[WIDTH], begun[TASKS], ended[TASKS], steps;
} bench;

static bool refill(void *job, int32_t lane) {
  bench *b = job;
  if (b->next == TASKS) return false;
  b->in[lane] = b->next++;
  b->left[lane] = 1 + b->in[lane] * 7 % 11;
  b->begun[b->in[lane]]++;
  return true;
}

static uint64_t step(void *job) {
  bench *b = job;
  uint64_t ended = 0;
  b->steps++;
  for (int lane = 0; lane < WIDTH; lane++) ended |= (uint64_t)(--b->left[lane] <= 0) << lane;
  return ended;
}

static bool settle(void *job, int32_t lane) {
  bench *b = job;
  b->ended[b->in[lane]]++;
  return true;
}

static void begin(bench *b, hik_worker *worker) {
  *b = (bench){.lanes = {.worker = worker, .job = b, .width = WIDTH, .cost = 1}};
  b->lanes.refill = refill, b->lanes.step = step, b->lanes.settle = settle;
}

static void test_every_task_once(void) {
  hik_worker worker = {.budget = 1 << 20};
  bench b;
  begin(&b, &worker);
  hik_lanes_run(&b.lanes);
  CHECK(b.lanes.busy == 0 && b.next == TASKS);
  for (int k = 0; k < TASKS; k++) CHECK(b.begun[k] == 1 && b.ended[k] == 1);
}

static uint64_t step_and_stop(void *job) {
  bench *b = job;
  b->lanes.done = b->steps == 3;
  return step(job);
}

static void test_a_stop_leaves_the_busy(void) {
  hik_worker worker = {.budget = 1 << 20};
  bench b;
  begin(&b, &worker);
  b.lanes.step = step_and_stop;
  hik_lanes_run(&b.lanes);
  int open = 0;
  for (int k = 0; k < TASKS; k++) open += b.begun[k] - b.ended[k];
  CHECK(b.steps == 4 && b.lanes.busy == (1u << WIDTH) - 1 && open == WIDTH);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_every_task_once);
  RUN(test_a_stop_leaves_the_busy);
  CHECK_END();
}
