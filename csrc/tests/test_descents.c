/* test_descents.c: a start in a lane: its numbers, the steps it may make under the cap, and idle lanes. What the starts lead
   to is tested by test_lm_lanes.c and test_tree_lanes.c. */
#include "solve/lanes/descents.h"

#include "check.h"

static int32_t most(int32_t number) { return 20 + number; }

static double patience(const hik_descents *d, int32_t number) {
  (void)d;
  return number ? 0.5 : 0.8;
}

static void test_a_start_in_a_lane(void) {
  static const hik_descent_kind kind = {.most = most, .patience = patience};
  enum { N = 3, AIMS = 2, WIDTH = 4 };
  hik_model model = {.nq = N};
  hik_problem problem = {.model = &model};
  hik_options options = {.max_iter = 30};
  hik_run run = {.problem = &problem, .options = &options};
  hik_block block = {NULL, 0, false};
  hik_descents_lay_out(&problem, N, AIMS, 0, &block);
  void *memory = hik_allocate(block.size);
  block = (hik_block){memory, 0, false};
  hik_descents *d = hik_descents_lay_out(&problem, N, AIMS, 0, &block);
  hik_descents_begin(d, &run, &kind, NULL, WIDTH, 1, 1);
  const double row[N] = {1, 2, 3};
  double back[N];
  hik_descents_aim(d, 2)[0] = 5, hik_descents_aim(d, 2)[1] = 6;
  d->task[2].started = d->task[2].used = 0;
  hik_descents_put(d, 2, row, 0);
  hik_lane_get(d->state.next, WIDTH, 0, back, N);
  CHECK(memcmp(back, row, sizeof row) == 0 && d->state.target[0] == 5 && d->state.target[WIDTH] == 6);
  CHECK(d->state.left[0] == 20 && d->state.ratio[0] == 0.8 && d->state.error[0] == INFINITY);
  d->state.left[0] -= 4; /* the kernel counts one more than it has made */
  CHECK(hik_descents_steps(d, 0) == 3);
  d->task[2].used = 25; /* of 30: five are left to the next start */
  hik_descents_put(d, 2, row, 1);
  CHECK(d->task[2].started == 2 && d->state.left[1] == 5 && d->state.ratio[1] == 0.5);
  hik_descents_idle(d, 3);
  hik_lane_get(d->state.next, WIDTH, 3, back, N);
  CHECK(memcmp(back, row, sizeof row) == 0 && d->state.left[3] == d->state.left[0]);
  hik_release(memory);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_start_in_a_lane);
  CHECK_END();
}
