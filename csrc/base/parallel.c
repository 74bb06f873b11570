/* parallel.c: see parallel.h. What differs from system to system is in threads.h. */
#define _GNU_SOURCE /* sched_getaffinity, and clock_gettime where the headers keep to C11 */
#include "base/parallel.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

enum { MOST_THREADS = 256 };

/* seconds between two ticks */
static const double TICK = 0.02;

double hik_clock(void) { return hik_system_clock(); }

int32_t hik_core_count(void) {
  int32_t n = hik_system_cores();
  return n > 1 ? n : 1;
}

typedef struct crew {
  hik_work_fn *work;
  void *context;
  hik_lock lock;
  hik_signal finished;
  int32_t running;
} crew;

typedef struct hand {
  hik_thread thread;
  crew *crew;
  int32_t index;
} hand;

static void run_hand(void *argument) {
  hand *h = argument;
  crew *c = h->crew;
  c->work(c->context, h->index);
  hik_lock_take(&c->lock);
  c->running--;
  hik_signal_raise(&c->finished);
  hik_lock_give(&c->lock);
}

static void wait_for(crew *c, hik_idle_fn *idle) {
  hik_lock_take(&c->lock);
  while (c->running > 0) {
    hik_signal_wait(&c->finished, &c->lock);
    if (c->running > 0 && idle) {
      hik_lock_give(&c->lock);
      idle(c->context);
      hik_lock_take(&c->lock);
    }
  }
  hik_lock_give(&c->lock);
}

static void fork_join(int32_t count, hik_work_fn *work, hik_idle_fn *idle, void *context) {
  hand hands[MOST_THREADS];
  crew c = {.work = work, .context = context};
  int32_t started = 0;
  if (count > MOST_THREADS) count = MOST_THREADS;
  hik_lock_begin(&c.lock);
  hik_signal_begin(&c.finished);
  for (int32_t k = 1; k < count; k++) {
    hand *h = &hands[started];
    h->crew = &c, h->index = k;
    hik_lock_take(&c.lock);
    c.running++;
    hik_lock_give(&c.lock);
    if (hik_thread_start(&h->thread, run_hand, h)) {
      started++;
      continue;
    }
    hik_lock_take(&c.lock);
    c.running--;
    hik_lock_give(&c.lock);
    break;
  }
  work(context, 0);
  if (started) wait_for(&c, idle);
  for (int32_t k = 0; k < started; k++) hik_thread_join(&hands[k].thread);
  hik_signal_end(&c.finished);
  hik_lock_end(&c.lock);
}

/* Whoever works alone needs no lock. */
void hik_fork_join(int32_t count, hik_work_fn *work, hik_idle_fn *idle, void *context) {
  if (count > 1)
    fork_join(count, work, idle, context);
  else
    work(context, 0);
}

/* ---- rows in blocks ---- */

void hik_deal_look(hik_deal *deal) {
  if (!deal->tick || atomic_load(&deal->stop)) return;
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
  if (atomic_load(&call.deal.stop)) return hik_fail(error, HIK_INTERRUPTED, -1, "the call was cancelled");
  return HIK_OK;
}
