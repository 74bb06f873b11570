/* parallel.h: threads for the length of one call: no pool stays behind, so a fork later is safe. */
#ifndef HIK_PARALLEL_H
#define HIK_PARALLEL_H
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
#endif
