/* queue.h: many problems, few lanes: a lane that is done takes the next one.

   A kernel of lanes says how a problem is put into a lane, how all lanes make a step, and when one has ended. All else
   stands here once: which problem is next, where its answer goes, what happens when the call is stopped. */
#pragma once
#include "simd/kernels.h"
#include "solve/drive/solver.h"

enum { HIK_QUEUE_LANES = HIK_MOST_SINGLE_LANES, HIK_QUEUE_AHEAD = 8 };

/* ---- lanes at work, on whatever they are given ---- */

typedef struct hik_lanes {
  hik_worker *worker;
  void *job; /* given to the functions below */
  int32_t width;
  int64_t cost;  /* of a step, for hik_poll; 0: a function polls */
  uint64_t busy; /* bits of lanes */
  bool done;     /* set by a function: no step more */
  /* The next task into an idle lane; false: there is none, and the lane has something harmless. */
  bool (*refill)(void *job, int32_t lane);
  /* A step of all lanes: bits of those to be settled. */
  uint64_t (*step)(void *job);
  /* True when the lane's task has ended. */
  bool (*settle)(void *job, int32_t lane);
} hik_lanes;

/* Until no lane is busy, or the call is stopped or late: what is busy then holds its task still. */
void hik_lanes_run(hik_lanes *l);

/* ---- a block of problems ---- */

/* A problem in hand. */
typedef struct hik_lane_task {
  int32_t slot;  /* its place among those in hand: less than lanes + ahead */
  int64_t index; /* in the batch */
  const double *target;
  hik_answer answer; /* q: the row of the batch, which holds the start until the answer is written */
} hik_lane_task;

typedef struct hik_queue hik_queue;

typedef struct hik_queue_kernel {
  /* Readies a problem whose target is usable. False: its answer and claim are written, nothing is left to do. */
  bool (*load)(hik_queue *queue, hik_lane_task *task);
  /* Does what pays to be done for several together, after `load`. NULL: nothing. */
  void (*ready)(hik_queue *queue, hik_lane_task *const *task, int32_t n);
  /* Into a lane; something harmless into a lane that there is no task for. NULL: any numbers are harmless. */
  void (*put)(hik_queue *queue, hik_lane_task *task, int32_t lane);
  void (*idle)(hik_queue *queue, int32_t lane);
  /* A step of all lanes: bits of those to be settled, be they busy or not. */
  uint64_t (*step)(hik_queue *queue);
  /* True: the problem has ended, its answer and claim are written. NULL: always so where `step` says. */
  bool (*settle)(hik_queue *queue, hik_lane_task *task, int32_t lane);
  /* The call is stopped or late: writes the best there is. NULL: `settle` sees it itself. */
  void (*leave)(hik_queue *queue, hik_lane_task *task, int32_t lane);
  /* Notes the step just made; called only where a trace is kept. NULL: the others do. */
  void (*note)(hik_queue *queue, hik_lane_task *task, int32_t lane);
} hik_queue_kernel;

struct hik_queue {
  hik_run *run;
  const hik_queue_kernel *kernel;
  void *job;
  hik_lanes lanes;
  int32_t ahead, n_spare, n_ready; /* readied together; tasks in spare and ready */
  const hik_claims *rows;
  int64_t next;
  hik_lane_task task[HIK_QUEUE_LANES + HIK_QUEUE_AHEAD];
  hik_lane_task *in[HIK_QUEUE_LANES], *spare[HIK_QUEUE_LANES + HIK_QUEUE_AHEAD], *ready[HIK_QUEUE_AHEAD];
};

/* Once before problems are solved: `width` lanes, at most HIK_QUEUE_AHEAD readied together. */
void hik_queue_begin(hik_queue *queue, const hik_queue_kernel *kernel, void *job, int32_t width,
                     int32_t ahead, int64_t cost);
/* Problems of the batch whose claim is HIK_NO_CLAIM and whose rows hold their starts, inside the limits; see
   hik_solver_class.block. */
void hik_queue_block(hik_queue *queue, hik_run *run, const hik_claims *rows);
/* A single problem, from answer->q; see hik_solver_class.one. */
void hik_queue_one(hik_queue *queue, hik_run *run, const double *target, hik_answer *answer);

/* What a solver has of the lanes of a kind of problem: as the members of its class, for at most so many starts a problem.
   What the lengths put out of reach they may claim to be `unreachable`. */
typedef struct hik_lane_solver {
  int32_t most; /* starts */
  size_t (*scratch_for)(const hik_readied *ready);
  void (*begin)(hik_run *run);
  void (*one)(hik_run *run, int32_t starts, const double *target, hik_answer *answer);
  void (*block)(hik_run *run, int32_t starts, const hik_claims *rows);
} hik_lane_solver;
extern const hik_lane_solver hik_chain_lanes; /* lm_lanes.c, for who has a hik_prepared */
/* tree_lanes.c, for who has a hik_tree_plan; out of reach, it leaves a problem at its start with no iteration made. */
extern const hik_lane_solver hik_tree_lanes;

/* Number `lane` of rows [n][width], and back. */
HIK_INLINE void hik_lane_put(double *rows, int32_t width, int32_t lane, const double *x, int32_t n) {
  rows += lane;
  for (const double *end = x + n; x < end; rows += width) *rows = *x++;
}
HIK_INLINE void hik_lane_get(const double *rows, int32_t width, int32_t lane, double *x, int32_t n) {
  rows += lane;
  for (const double *end = x + n; x < end; rows += width) *x++ = *rows;
}
HIK_INLINE void hik_lane_set(double *rows, int32_t width, int32_t lane, double x, int32_t n) {
  for (int32_t i = 0; i < n; i++) rows[(size_t)i * (size_t)width + (size_t)lane] = x;
}
