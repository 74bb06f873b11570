/* threads.h: what parallel.c asks of the system: a clock, a count of cores, threads, a lock, a signal. One section for
   Windows, one for WebAssembly, which has no threads here, one for POSIX. */
#pragma once
#include "base/base.h"

/* Bytes of stack a thread gets, whatever the system's habit (Linux with glibc 8 MB, macOS 0.5 MB, musl 0.125 MB):
   several times what the deepest call of the core takes, sanitized too. */
enum { HIK_STACK = 4 << 20 };

/* hik_lock, hik_signal: begin with hik_lock_begin and hik_signal_begin, end with ..._end. hik_signal_wait gives the
   lock back while it waits, 20 ms at most, and may return for no reason.
   hik_thread_start runs work(argument) on a thread of its own; false: none could be started. */
#if defined(_WIN32)
#include <process.h>
#include <windows.h>

typedef SRWLOCK hik_lock;
typedef CONDITION_VARIABLE hik_signal;
typedef struct hik_thread {
  HANDLE handle;
  void (*work)(void *argument);
  void *argument;
} hik_thread;

static inline double hik_system_clock(void) {
  LARGE_INTEGER ticks, second;
  QueryPerformanceCounter(&ticks);
  QueryPerformanceFrequency(&second);
  return (double)ticks.QuadPart / (double)second.QuadPart;
}
/* The cores of the affinity mask: a process may have been given fewer than there are. */
static inline int32_t hik_system_cores(void) {
  DWORD_PTR own, all;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all)) own = 1;
  int32_t n = 0;
  for (; own; own &= own - 1) n++;
  return n;
}
static inline void hik_lock_begin(hik_lock *lock) { InitializeSRWLock(lock); }
static inline void hik_lock_end(hik_lock *lock) { (void)lock; }
static inline void hik_lock_take(hik_lock *lock) { AcquireSRWLockExclusive(lock); }
static inline void hik_lock_give(hik_lock *lock) { ReleaseSRWLockExclusive(lock); }
static inline void hik_signal_begin(hik_signal *signal) { InitializeConditionVariable(signal); }
static inline void hik_signal_end(hik_signal *signal) { (void)signal; }
static inline void hik_signal_raise(hik_signal *signal) { WakeConditionVariable(signal); }
static inline void hik_signal_wait(hik_signal *signal, hik_lock *lock) {
  SleepConditionVariableSRW(signal, lock, 20, 0);
}
static unsigned __stdcall hik_thread_body(void *argument) {
  hik_thread *thread = argument;
  thread->work(thread->argument);
  return 0;
}
static inline bool hik_thread_start(hik_thread *thread, void (*work)(void *argument), void *argument) {
  *thread = (hik_thread){NULL, work, argument};
  thread->handle = (HANDLE)_beginthreadex(NULL, HIK_STACK, hik_thread_body, thread, 0, NULL);
  return thread->handle != NULL;
}
static inline void hik_thread_join(hik_thread *thread) {
  WaitForSingleObject(thread->handle, INFINITE);
  CloseHandle(thread->handle);
}

#else
#include <time.h>

static inline double hik_system_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#if defined(__wasm__)
typedef char hik_lock, hik_signal, hik_thread; /* never used: no thread starts */

static inline int32_t hik_system_cores(void) { return 1; }
static inline void hik_lock_begin(hik_lock *lock) { *lock = 0; }
static inline void hik_lock_end(hik_lock *lock) { (void)lock; }
static inline void hik_lock_take(hik_lock *lock) { (void)lock; }
static inline void hik_lock_give(hik_lock *lock) { (void)lock; }
static inline void hik_signal_begin(hik_signal *signal) { *signal = 0; }
static inline void hik_signal_end(hik_signal *signal) { (void)signal; }
static inline void hik_signal_raise(hik_signal *signal) { (void)signal; }
static inline void hik_signal_wait(hik_signal *signal, hik_lock *lock) { (void)signal, (void)lock; }
static inline bool hik_thread_start(hik_thread *thread, void (*work)(void *argument), void *argument) {
  (void)thread, (void)work, (void)argument;
  return false;
}
static inline void hik_thread_join(hik_thread *thread) { (void)thread; }

#else
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

typedef pthread_mutex_t hik_lock;
typedef pthread_cond_t hik_signal;
typedef struct hik_thread {
  pthread_t handle;
  void (*work)(void *argument);
  void *argument;
} hik_thread;

static inline int32_t hik_system_cores(void) {
#ifdef __linux__
  cpu_set_t set; /* a container's share of the cores, not the machine's */
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 && n < 4096 ? (int32_t)n : 1;
}
static inline void hik_lock_begin(hik_lock *lock) { pthread_mutex_init(lock, NULL); }
static inline void hik_lock_end(hik_lock *lock) { pthread_mutex_destroy(lock); }
static inline void hik_lock_take(hik_lock *lock) { pthread_mutex_lock(lock); }
static inline void hik_lock_give(hik_lock *lock) { pthread_mutex_unlock(lock); }
/* Waits are told by the clock that nobody sets: one set back would make them long. */
static inline void hik_signal_begin(hik_signal *signal) {
#ifdef __APPLE__
  pthread_cond_init(signal, NULL);
#else
  pthread_condattr_t shape;
  pthread_condattr_init(&shape);
  pthread_condattr_setclock(&shape, CLOCK_MONOTONIC);
  pthread_cond_init(signal, &shape);
  pthread_condattr_destroy(&shape);
#endif
}
static inline void hik_signal_end(hik_signal *signal) { pthread_cond_destroy(signal); }
static inline void hik_signal_raise(hik_signal *signal) { pthread_cond_signal(signal); }
static inline void hik_signal_wait(hik_signal *signal, hik_lock *lock) {
#ifdef __APPLE__
  struct timespec span = {0, 20 * 1000 * 1000};
  pthread_cond_timedwait_relative_np(signal, lock, &span);
#else
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += 20 * 1000 * 1000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  pthread_cond_timedwait(signal, lock, &until);
#endif
}
static inline void *hik_thread_body(void *argument) {
  hik_thread *thread = argument;
  thread->work(thread->argument);
  return NULL;
}
static inline bool hik_thread_start(hik_thread *thread, void (*work)(void *argument), void *argument) {
  pthread_attr_t shape;
  *thread = (hik_thread){.work = work, .argument = argument};
  if (pthread_attr_init(&shape) != 0) return false;
  bool started = pthread_attr_setstacksize(&shape, HIK_STACK) == 0 &&
                 pthread_create(&thread->handle, &shape, hik_thread_body, thread) == 0;
  pthread_attr_destroy(&shape);
  return started;
}
static inline void hik_thread_join(hik_thread *thread) { pthread_join(thread->handle, NULL); }
#endif
#endif
