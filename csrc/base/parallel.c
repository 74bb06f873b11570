/* parallel.c: see parallel.h. */
#define _GNU_SOURCE /* sched_getaffinity: a container's share of the cores, not the machine's */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

enum { MOST_THREADS = 256 };

/* seconds between two ticks */
static const double TICK = 0.02;

double hik_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int32_t hik_core_count(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
#endif
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 && n < 4096 ? (int32_t)n : 1;
}

typedef struct crew {
  hik_work_fn *work;
  void *context;
  pthread_mutex_t lock;
  pthread_cond_t finished;
  int32_t running;
} crew;

typedef struct hand {
  crew *crew;
  int32_t index;
} hand;

static void *run_hand(void *argument) {
  hand *h = argument;
  h->crew->work(h->crew->context, h->index);
  pthread_mutex_lock(&h->crew->lock);
  h->crew->running--;
  pthread_cond_signal(&h->crew->finished);
  pthread_mutex_unlock(&h->crew->lock);
  return NULL;
}

static void wait_for(crew *c, hik_idle_fn *idle) {
  pthread_mutex_lock(&c->lock);
  while (c->running > 0) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20 * 1000 * 1000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&c->finished, &c->lock, &until);
    if (c->running > 0 && idle) {
      pthread_mutex_unlock(&c->lock);
      idle(c->context);
      pthread_mutex_lock(&c->lock);
    }
  }
  pthread_mutex_unlock(&c->lock);
}

void hik_fork_join(int32_t count, hik_work_fn *work, hik_idle_fn *idle, void *context) {
  pthread_t thread[MOST_THREADS];
  hand hands[MOST_THREADS];
  crew c = {work, context, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
  int32_t started = 0;
  if (count > MOST_THREADS) count = MOST_THREADS;
  for (int32_t k = 1; k < count; k++) {
    hands[started] = (hand){&c, k};
    pthread_mutex_lock(&c.lock);
    c.running++;
    pthread_mutex_unlock(&c.lock);
    if (pthread_create(&thread[started], NULL, run_hand, &hands[started]) == 0) {
      started++;
      continue;
    }
    pthread_mutex_lock(&c.lock);
    c.running--;
    pthread_mutex_unlock(&c.lock);
    break;
  }
  work(context, 0);
  if (started) wait_for(&c, idle);
  for (int32_t k = 0; k < started; k++) pthread_join(thread[k], NULL);
  pthread_cond_destroy(&c.finished);
  pthread_mutex_destroy(&c.lock);
}

/* ---- rows in blocks ---- */

void hik_deal_look(hik_deal *deal) {
  if (!deal->tick) return;
  double now = hik_clock();
  if (deal->last_tick < 0) deal->last_tick = now; /* the first look: a short call never takes one */
  if (now - deal->last_tick < TICK) return;
  deal->last_tick = now;
  if (!deal->tick(deal->tick_context, atomic_load(&deal->done), deal->n)) atomic_store(&deal->stop, true);
}

int32_t hik_thread_count(int64_t threads, int64_t blocks) {
  int64_t most = threads ? threads : hik_core_count();
  if (most > blocks) most = blocks;
  if (most > MOST_THREADS) most = MOST_THREADS;
  return most < 1 ? 1 : (int32_t)most;
}

typedef struct rows_call {
  const hik_rows *rows;
  hik_deal deal;
  char *scratch; /* [threads] of stride */
  size_t stride;
} rows_call;

static void run_rows(void *context, int32_t worker) {
  rows_call *call = context;
  void *scratch = call->scratch ? call->scratch + (size_t)worker * call->stride : NULL;
  int64_t first, last;
  while (!atomic_load_explicit(&call->deal.stop, memory_order_relaxed) &&
         hik_deal_claim(&call->deal, &first, &last)) {
    call->rows->work(call->rows->context, first, last - first, scratch);
    atomic_fetch_add_explicit(&call->deal.done, last - first, memory_order_relaxed);
    if (worker == 0) hik_deal_look(&call->deal);
  }
}

static void idle_rows(void *context) { hik_deal_look(&((rows_call *)context)->deal); }

hik_status hik_rows_run(const hik_rows *rows, hik_error *error) {
  enum { ALIGN = 64 }; /* no two threads write to one line of the cache */
  rows_call call = {.rows = rows};
  int32_t threads = hik_thread_count(rows->threads, (rows->n + rows->block - 1) / rows->block);
  size_t whole;
  if (!hik_add(rows->scratch, ALIGN - 1, &call.stride)) return hik_fail_memory(error, rows->scratch);
  call.stride &= ~(size_t)(ALIGN - 1);
  if (!hik_mul(call.stride, (size_t)threads, &whole)) return hik_fail_memory(error, rows->scratch);
  if (whole && !(call.scratch = hik_allocate(whole))) return hik_fail_memory(error, whole);
  hik_deal_begin(&call.deal, rows->n, rows->block, rows->tick, rows->tick_context);
  hik_fork_join(threads, run_rows, idle_rows, &call);
  hik_release(call.scratch);
  if (atomic_load(&call.deal.stop)) return hik_fail(error, HIK_CANCELLED, -1, "the call was cancelled");
  return HIK_OK;
}
