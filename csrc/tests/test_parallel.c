/* test_parallel.c: base/parallel.c. */
#include "base/parallel.h"

#include <stdatomic.h>
#include <time.h>

#include "check.h"

enum { ITEMS = 1000 };

typedef struct job {
  atomic_int next, workers, idles;
  atomic_int seen[300];
  int taken[ITEMS];
  bool slow;
} job;

static void nap(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, NULL);
}

static void work(void *context, int32_t worker) {
  job *j = context;
  atomic_fetch_add(&j->workers, 1);
  atomic_fetch_add(&j->seen[worker], 1);
  for (int i; (i = atomic_fetch_add(&j->next, 1)) < ITEMS;) j->taken[i]++; /* claimed by one only: no lock */
  if (j->slow && worker) nap(150);
}

static void idle(void *context) { atomic_fetch_add(&((job *)context)->idles, 1); }

static void test_all_work_is_done_once(void) {
  static const int32_t count[] = {1, 2, 3, 8, 64, 256};
  for (int k = 0; k < HIK_COUNT_OF(count); k++) {
    job j = {0};
    hik_fork_join(count[k], work, idle, &j);
    for (int i = 0; i < ITEMS; i++) CHECK(j.taken[i] == 1);
    CHECK(j.workers >= 1 && j.workers <= count[k]);
    CHECK(j.seen[0] == 1);
    for (int i = 0; i < 300; i++) CHECK(j.seen[i] <= 1);
  }
}

static void test_more_threads_than_it_takes_are_cut(void) {
  job j = {0};
  hik_fork_join(100000, work, NULL, &j);
  CHECK(j.workers <= 256 && j.next >= ITEMS);
}

static void test_idle_is_called_while_others_work(void) {
  job j = {.slow = true};
  hik_fork_join(2, work, idle, &j);
  CHECK(j.workers == 1 || j.idles >= 1); /* one worker: the second could not be started */
  job alone = {0};
  hik_fork_join(1, work, idle, &alone);
  CHECK(alone.idles == 0 && alone.workers == 1);
}

static void test_clock_goes_forward(void) {
  double before = hik_clock();
  nap(20);
  double after = hik_clock();
  CHECK(after - before >= 0.019);
  CHECK(hik_core_count() >= 1);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_all_work_is_done_once);
  RUN(test_more_threads_than_it_takes_are_cut);
  RUN(test_idle_is_called_while_others_work);
  RUN(test_clock_goes_forward);
  CHECK_END();
}
