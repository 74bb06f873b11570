/* parallel.c: see parallel.h. */
#define _GNU_SOURCE /* sched_getaffinity: a container's share of the cores, not the machine's */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

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
