/* test_parallel.c: base/parallel.c. */
#define _POSIX_C_SOURCE 200809L /* nanosleep, where the headers keep to C11 */
#include "base/parallel.h"

#include <stdatomic.h>
#include <time.h>

#include "base/memory.h"
#include "check.h"
#include "failing.h"

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

/* ---- rows in blocks ---- */

typedef struct rows_job {
  int8_t times[ITEMS];
  atomic_int calls, wrong, ticks, threads;
  int64_t block, done;
  int stop_at; /* of the ticks: the one that says stop, 0: none */
  long ms;     /* that a block takes */
  bool scratch;
} rows_job;

/* Counts each row and, if there is scratch, the threads: theirs begins with zeros. */
static void count_rows(void *context, int64_t first, int64_t n, void *scratch) {
  rows_job *j = context;
  atomic_fetch_add(&j->calls, 1);
  if (n < 1 || n > j->block || first % j->block || (scratch != NULL) != j->scratch)
    atomic_fetch_add(&j->wrong, 1);
  if (scratch && !(*(int *)scratch)++) atomic_fetch_add(&j->threads, 1);
  if (scratch && (uintptr_t)scratch % 64) atomic_fetch_add(&j->wrong, 1);
  for (int64_t i = first; i < first + n; i++) j->times[i]++;
  if (j->ms) nap(j->ms);
}

static bool count_ticks(void *context, int64_t done, int64_t total) {
  rows_job *j = context;
  if (done < 0 || done > total) atomic_fetch_add(&j->wrong, 1);
  j->done = done;
  return atomic_fetch_add(&j->ticks, 1) + 1 != j->stop_at;
}

static hik_status run(rows_job *j, int64_t n, int64_t threads, size_t scratch, hik_error *error) {
  j->scratch = scratch > 0;
  const hik_rows rows = {n, j->block, threads, scratch, count_rows, j, count_ticks, j};
  return hik_rows_run(&rows, error);
}

static void test_every_row_is_done_once(void) {
  static const int64_t sizes[] = {0, 1, 6, 7, 8, 13, 14, ITEMS}, threads[] = {0, 1, 2, 7, 64, 100000};
  hik_error error;
  for (int k = 0; k < HIK_COUNT_OF(sizes); k++)
    for (int t = 0; t < HIK_COUNT_OF(threads); t++) {
      rows_job j = {.block = 7};
      CHECK(hik_rows_run(&(hik_rows){sizes[k], 7, threads[t], 0, count_rows, &j, NULL, NULL}, &error) ==
            HIK_OK);
      for (int64_t i = 0; i < ITEMS; i++) CHECK(j.times[i] == (i < sizes[k]));
      CHECK(j.calls == (sizes[k] + 6) / 7 && j.wrong == 0);
    }
}

static void test_each_thread_has_scratch_of_its_own(void) {
  hik_error error;
  for (int64_t threads = 1; threads < 9; threads++) {
    rows_job j = {.block = 10, .ms = 1};
    CHECK(run(&j, 200, threads, 4 + (size_t)threads, &error) == HIK_OK);
    CHECK(j.wrong == 0 && j.threads >= 1 && j.threads <= threads);
  }
  counter counts = {0, 0};
  hik_set_allocator(failing_alloc, failing_free, &counts);
  rows_job j = {.block = 1};
  CHECK(run(&j, 5, 2, 100, &error) == HIK_NO_MEMORY && j.calls == 0);
  CHECK(run(&j, 5, 2, SIZE_MAX - 3, &error) == HIK_NO_MEMORY &&
        run(&j, 5, 2, SIZE_MAX / 2, &error) == HIK_NO_MEMORY);
  CHECK(run(&j, 5, 2, 100, &error) == HIK_OK && j.calls == 5 && counts.live == 0);
  hik_set_allocator(NULL, NULL, NULL);
}

static void test_the_tick_stops_rows(void) {
  hik_error error;
  for (int64_t threads = 1; threads < 4; threads++) {
    rows_job j = {.block = 1, .stop_at = 2, .ms = 5};
    double began = hik_clock();
    CHECK(run(&j, ITEMS, threads, 0, &error) == HIK_INTERRUPTED && j.ticks == 2);
    CHECK(hik_clock() - began < 1 && j.calls < ITEMS / 2 && j.done > 0 && j.wrong == 0);
    CHECK(j.times[ITEMS - 1] == 0);
  }
}

static void test_the_tick_comes_while_others_work(void) {
  hik_error error;
  rows_job j = {.block = ITEMS,
                .ms = 100}; /* one block: whoever has it, the calling thread is free or has no block left */
  CHECK(run(&j, ITEMS, 2, 0, &error) == HIK_OK && j.calls == 1 && j.ticks == 0);
  rows_job quick = {.block = 100};
  CHECK(run(&quick, ITEMS, 1, 0, &error) == HIK_OK && quick.ticks == 0); /* a short call takes none */
  rows_job slow = {.block = 10, .ms = 3};
  CHECK(run(&slow, ITEMS, 1, 0, &error) == HIK_OK && slow.ticks >= 5 && slow.ticks <= 100);
}

static void test_threads_for_blocks(void) {
  CHECK(hik_thread_count(3, 100) == 3 && hik_thread_count(3, 2) == 2 && hik_thread_count(3, 0) == 1);
  CHECK(hik_thread_count(100000, 100000) == 256 && hik_thread_count(1, 5) == 1);
  CHECK(hik_thread_count(0, 1) == 1 &&
        hik_thread_count(0, 100000) == (hik_core_count() < 256 ? hik_core_count() : 256));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_all_work_is_done_once);
  RUN(test_more_threads_than_it_takes_are_cut);
  RUN(test_idle_is_called_while_others_work);
  RUN(test_clock_goes_forward);
  RUN(test_every_row_is_done_once);
  RUN(test_each_thread_has_scratch_of_its_own);
  RUN(test_the_tick_stops_rows);
  RUN(test_the_tick_comes_while_others_work);
  RUN(test_threads_for_blocks);
  CHECK_END();
}
