/* descents.h: descents in lanes: each problem makes starts one after another, in its lane, until one arrives.

   What differs from solver to solver is a hik_descent_kind: where starts come from, what a step is, what has arrived. */
#pragma once
#include "solve/lanes/queue.h"

enum { HIK_DESCENT_SLOTS = HIK_DESCENT_LANES + HIK_QUEUE_AHEAD };

/* What goes with a hik_lane_task, by its slot. */
typedef struct hik_descending {
  int32_t started, used; /* starts made; steps of those that have ended */
  double best; /* squared error of the best end, infinity: none. Its numbers are in hik_descents_row */
} hik_descending;

typedef struct hik_descents hik_descents;

typedef struct hik_descent_kind {
  hik_method_used method; /* of its answers, where `load` says no other */
  /* See hik_queue_kernel; `load` writes the aim. */
  bool (*load)(hik_descents *d, hik_lane_task *task, double *aim);
  void (*ready)(hik_descents *d, hik_lane_task *const *task, int32_t n);
  /* Start `number` of the round into row [n]; called with 0, 1, 2 .. */
  void (*start)(hik_descents *d, const hik_lane_task *task, int32_t number, double *row);
  /* Steps that it may make, and the share of the error of three steps ago above which it is given up. */
  int32_t (*most)(int32_t number);
  double (*patience)(const hik_descents *d, int32_t number);
  /* A step of all lanes; sets `near`, where `met` is to be asked, and `given_up`. */
  void (*step)(hik_descents *d);
  bool (*met)(hik_descents *d, const hik_lane_task *task, int32_t lane);
  void (*to_q)(const hik_descents *d, const double *row, double *q);
  /* A start that was never left keeps its bytes; else it comes back through to_q. */
  bool keeps_start;
  bool part_stands; /* the kernel leaves numbers alone, which must stand both before and after a step */
} hik_descent_kind;

struct hik_descents {
  hik_queue queue;
  const hik_descent_kind *kind;
  hik_run *run;
  void *job;
  int32_t n, aims, starts, width; /* starts that a problem may make; lanes */
  hik_descent_state state;
  int32_t first_aim;                /* numbers of an aim before it are not read */
  double *memory;                   /* [rows][width] of the state, */
  int32_t rows;                     /* those that each problem has its own of: all but `work` */
  uint32_t near, given_up;          /* bits of lanes, of the last step */
  int32_t given[HIK_DESCENT_LANES]; /* steps that the start in a lane may make */
  double *row, *aim;                /* [HIK_DESCENT_SLOTS][n], [aims] */
  hik_descending *task;             /* [HIK_DESCENT_SLOTS] */
  double *start, *end, *q;          /* [n], [n], [nq] for a moment */
};

/* Counts, or with memory lays out, for rows of n numbers, aims of so many and `work` rows of the kernel. */
hik_descents *hik_descents_lay_out(const hik_problem *p, int32_t n, int32_t aims, size_t work,
                                   hik_block *block);
/* Once a call or block: kernels of so many lanes, `ahead` problems readied together, and the cost of a lane's step. */
void hik_descents_begin(hik_descents *d, hik_run *run, const hik_descent_kind *kind, void *job, int32_t width,
                        int32_t ahead, int64_t cost);

/* Of the task in a slot: its best end, before the first step its first start; the target as the kernel wants it. */
HIK_INLINE double *hik_descents_row(const hik_descents *d, int32_t slot) {
  return d->row + (size_t)slot * (size_t)d->n;
}
HIK_INLINE double *hik_descents_aim(const hik_descents *d, int32_t slot) {
  return d->aim + (size_t)slot * (size_t)d->aims;
}

/* ---- one lane, for who sends starts into lanes by himself ---- */

/* The next start of the task in a slot, which is `row`, into a lane. */
void hik_descents_put(hik_descents *d, int32_t slot, const double *row, int32_t lane);
/* Something harmless into a lane: the same as lane 0. */
void hik_descents_idle(hik_descents *d, int32_t lane);
/* Steps made by the start in this lane. The kernel has counted one more. */
HIK_INLINE int32_t hik_descents_steps(const hik_descents *d, int32_t lane) {
  return d->given[lane] - 1 - (int32_t)d->state.left[lane];
}
/* Whether the judge finds that the lane's posture meets the goals. */
bool hik_descents_judge(hik_descents *d, const hik_lane_task *task, int32_t lane);
/* What the next step moves from is what the last one came to. */
HIK_INLINE void hik_descents_swap(hik_descents *d) {
  double *now = d->state.now;
  d->state.now = d->state.next;
  d->state.next = now;
}
