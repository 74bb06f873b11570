/* parallel.h: threads for the length of one call: no pool stays behind, so a fork later is safe. */
#pragma once
#include <stdatomic.h>

#include "base/base.h"

/* Seconds of a clock that never jumps. */
double hik_clock(void);
/* Processors this process may use, at least 1. */
int32_t hik_core_count(void);

typedef void hik_work_fn(void *context, int32_t worker);
typedef void hik_idle_fn(void *context);

/* Runs work(context, k) for k = 0 .. count - 1, k = 0 on the calling thread; when that has returned and others still
   run, idle is called every 20 ms. A thread that cannot be started is left out: the work must be claimed, not dealt. */
void hik_fork_join(int32_t count, hik_work_fn *work, hik_idle_fn *idle, void *context);

/* Rows 0 .. n - 1 of one call, claimed in blocks by whoever is free, and the wish to stop. */
typedef struct hik_deal {
  int64_t n, block;
  hik_tick_fn *tick; /* NULL: none */
  void *tick_context;
  atomic_llong next, done; /* the first row that nobody has claimed; rows done, for the tick */
  atomic_bool stop;
  double last_tick; /* of the calling thread alone; below 0: none yet */
} hik_deal;

static inline void hik_deal_begin(hik_deal *deal, int64_t n, int64_t block, hik_tick_fn *tick,
                                  void *tick_context) {
  deal->n = n;
  deal->block = block;
  deal->tick = tick;
  deal->tick_context = tick_context;
  deal->last_tick = -1;
  atomic_init(&deal->next, 0);
  atomic_init(&deal->done, 0);
  atomic_init(&deal->stop, false);
}

/* The next block [*first, *last); false when none is left. */
static inline bool hik_deal_claim(hik_deal *deal, int64_t *first, int64_t *last) {
  *first = atomic_fetch_add(&deal->next, deal->block);
  *last = deal->n - *first < deal->block ? deal->n : *first + deal->block;
  return *first < deal->n;
}

/* The tick, at most every 20 ms, never at the first look and not once it said stop; sets `stop` when it says so. On the calling
   thread alone. */
void hik_deal_look(hik_deal *deal);

/* Threads for a wish of `threads` (0: all cores) with that many blocks to deal: 1 to 256. */
int32_t hik_thread_count(int64_t threads, int64_t blocks);

/* Rows [first, first + n) with working memory of the thread's own: zeros at first, then what the thread left there. */
typedef void hik_rows_fn(void *context, int64_t first, int64_t n, void *scratch);

/* A batch without outcomes: every row is computed by itself, so that the bytes do not depend on blocks or threads. */
typedef struct hik_rows {
  int64_t n,
      block; /* rows; rows claimed at a time, 1 or more: short beside 20 ms, for between two the tick is asked */
  int64_t threads; /* 0: all cores */
  size_t scratch;  /* bytes for each thread, 0: none */
  hik_rows_fn *work;
  void *context;
  hik_tick_fn *tick; /* NULL: none */
  void *tick_context;
} hik_rows;

/* All rows; HIK_INTERRUPTED: the tick said stop, and blocks that nobody had claimed were left out. HIK_NO_MEMORY: none was
   done. */
hik_status hik_rows_run(const hik_rows *rows, hik_error *error);
