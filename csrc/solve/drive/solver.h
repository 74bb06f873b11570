/* solver.h: what a solver is, and what it sees of a call.

   A solver never says "converged" itself with any effect: the driver (driver.c) asks the judge about every answer. */
#pragma once
#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"
#include "term/term.h"

/* Shared by the threads of one call; see driver.h. */
typedef struct hik_call hik_call;
/* Where other starts come from; see starts.h. */
typedef struct hik_starts hik_starts;
/* Poses that further rounds combine; see pace.h. */
typedef struct hik_mix hik_mix;
typedef struct hik_run hik_run;

/* One thread's side of a call. */
typedef struct hik_worker {
  hik_call *call;
  int64_t budget;   /* work left until the next look at the clock, the stop flag and the tick */
  bool main_thread; /* only this one ticks */
  bool stopped;
  bool late;        /* the problem in hand is past its time limit */
  double deadline;  /* of the problem in hand; infinity: none */
  uint64_t attempt; /* number of the first attempt of the round in hand (starts.h): 0, but in `retries` */
} hik_worker;

/* Work is counted where it is done, in steps moved: 20 to 50 ns each, about HIK_WORK operations on numbers. */
enum { HIK_WORK = 32 };
HIK_INLINE void hik_charge(hik_worker *worker, int64_t cost) { worker->budget -= cost; }
/* Called by solvers once an iteration, or where that may take milliseconds more often, with the work that nothing has
   charged yet. False: return at once with what you have (cancelled or past the time limit). */
bool hik_poll_slow(hik_worker *worker);
HIK_INLINE bool hik_poll(hik_worker *worker, int64_t cost) {
  hik_charge(worker, cost);
  return worker->budget > 0 || hik_poll_slow(worker);
}

/* What a block says of a problem that it has not answered, or whose target is not usable. */
#define HIK_NO_CLAIM HIK_INVALID

typedef struct hik_answer {
  double *q;     /* [nq] in: the start, inside the limits; out: the answer, inside the limits */
  double *trace; /* [hik_trace_rows] or NULL; hik_note writes it, a solver at most max_iter + 1 rows */
  double *path;  /* [hik_trace_rows][nq] or NULL; likewise */
  double *cloud; /* [hik_plan_cloud][nq] or NULL: see hik_batch */
  int32_t iterations;
  int32_t remedies;       /* pushes and further starts: hik_batch.n_restarts */
  hik_outcome claim;      /* what to report if the judge does not find it converged */
  hik_method_used method; /* HIK_BY_ITERATION, unless the solver says that it was another of its own */
} hik_answer;

/* Keeps error and pose of an iteration, that of the start being 0. Every solver calls it for the start and after each
   iteration it counts, whether anything is kept or not. */
HIK_INLINE void hik_note(const hik_answer *a, int32_t iteration, double error, const double *q, int32_t nq) {
  if (HIK_UNLIKELY(a->trace != NULL)) a->trace[iteration] = error;
  if (HIK_UNLIKELY(a->path != NULL)) memcpy(a->path + (int64_t)iteration * nq, q, (size_t)nq * sizeof *q);
}

/* The same of a pose that is not measured: the judge's error; run->world is overwritten. */
void hik_note_judged(const hik_run *run, const double *target, const hik_answer *a, int32_t iteration,
                     const double *q);

/* First member of what has several holders and is freed with the last. */
typedef struct hik_held {
  atomic_int holders;
  void *also; /* memory that is freed with it; NULL: none */
} hik_held;

/* What straight.c knows of a problem. */
typedef struct hik_straight {
  bool takes;
  int32_t longest_at; /* place of the longest bone in the active list */
  double root[3];
  double outer, inner; /* a target is its own that is farther from the root, or nearer; */
  double most, least;  /* none is whose square of the distance is between these */
} hik_straight;

/* A problem as a plan has it, with what solvers have worked out of it; see plan.h. */
typedef struct hik_readied {
  const hik_problem *problem; /* NULL: nothing decides */
  const hik_options *options;
  struct hik_prepared
      *serial; /* a chain for the lanes (solve/lanes/serial.h); NULL: not asked for, or it is none */
  struct hik_tree_plan *tree; /* a tree for the lanes (solve/lanes/tree_plan.h); likewise */
  struct hik_free_map *free;  /* goals among obstacles (solve/drive/auto.h); NULL: none */
  hik_straight straight;      /* whatever the solver; see straight.c */
  bool approaches;            /* likewise; see approach.c */
} hik_readied;

/* Row i of a batch, whose q holds the start until the answer is written; `rows` of a trace. */
HIK_INLINE hik_answer hik_answer_row(const hik_problem *p, int64_t rows, const hik_batch *b, int64_t i) {
  int64_t nq = p->model->nq;
  hik_answer a = {.q = b->q + i * nq, .claim = HIK_STALLED, .method = HIK_BY_ITERATION};
  if (b->trace) a.trace = b->trace + i * rows;
  if (b->trace && b->path) a.path = b->path + i * rows * nq;
  if (b->cloud) a.cloud = b->cloud + i * b->cloud_stride;
  return a;
}

/* Problems [first, last) of a batch, and what is said of each: [last - first], as in hik_answer. */
typedef struct hik_claims {
  int64_t first, last;
  int8_t *claim, *method;
  int32_t *iterations, *remedies;
} hik_claims;
HIK_INLINE void hik_report(const hik_claims *rows, int64_t i, const hik_answer *a) {
  int64_t k = i - rows->first;
  rows->claim[k] = (int8_t)a->claim, rows->method[k] = (int8_t)a->method;
  rows->iterations[k] = a->iterations, rows->remedies[k] = a->remedies;
}

struct hik_run {
  const hik_problem *problem;
  const hik_options *options;
  const hik_readied *ready;
  const hik_batch *batch;
  hik_worker *worker;
  hik_pose *world; /* [n_step] */
  void *scratch;   /* what the solver asked for, 64-byte aligned */
  hik_starts *starts;
  hik_mix *mix; /* NULL: there is one round */
};

enum { HIK_MOST_OPTIONS = 16 };
/* Options that many solvers have: how often a push leads away from a pose that stands still, and how often the solver then
   begins anew. */
#define HIK_NUDGES(preset) {"perturbations", preset, 0, 1e9, true}
#define HIK_STARTS(preset) {"max_restarts", preset, 0, 1e9, true}

typedef struct hik_solver_class {
  const char *name, *summary, *reference;
  int32_t max_iter;                    /* default */
  double ftol;                         /* default */
  hik_option option[HIK_MOST_OPTIONS]; /* up to the first without a name */
  bool own;                            /* see hik_entry */
  bool compares_lengths;               /* the published method begins with what straight.c does */
  bool carries;                        /* hik_batch.cloud; its first option says how many postures */
  /* HIK_OK, or HIK_UNSUPPORTED / HIK_BAD_ARGUMENT with a sentence that says what would work. The options are inside
     their ranges; `name` is the solver's, for the sentence. NULL: anything goes. */
  hik_status (*accepts)(const hik_problem *problem, const hik_options *options, const char *name,
                        hik_error *error);
  /* Works out what does not depend on targets, unless it is there already. False: no memory. NULL: nothing to do. */
  bool (*ready)(hik_readied *ready);
  /* Bytes of scratch one thread needs; SIZE_MAX when that does not fit. NULL: none. */
  size_t (*scratch_for)(const hik_readied *ready);
  bool frees;       /* it begins with what free_starts.c has, whose plain problem it is readied for too */
  bool raw_scratch; /* the scratch need not be zeroes: `begin` and what follows write all that they read */
  /* Prepares scratch once per thread and call. NULL: nothing to do. */
  void (*begin)(hik_run *run);
  /* Solves one problem. */
  void (*one)(hik_run *run, const double *target, hik_answer *answer);
  /* Goes on from answer->q, which `one` or `block` left and the judge does not find to meet the goals, with its counts and
     its claim: stalled, unreachable, or a converged that is none. NULL: what they leave is the end. */
  void (*finish)(hik_run *run, const double *target, hik_answer *answer);
  /* Solves problems of the batch, several at a time. Rows of q hold the starts, inside the limits, and then the answers;
     what `rows` has gets what its names say where `claim` is HIK_NO_CLAIM, as it stays where the target is not usable; the
     others are answered. False: not for this problem, use `one`. NULL: always `one`. Must give the bytes that `one` gives. */
  bool (*block)(hik_run *run, const hik_claims *rows);
  int32_t block_least; /* fewer problems are not worth a block: they are given to `one` */
} hik_solver_class;

/* A function that says how many bytes `lay_out` takes from `block`. */
#define HIK_COUNT_BYTES(head, lay_out)                                                                       \
  head {                                                                                                     \
    hik_block block = {NULL, 0, false};                                                                      \
    lay_out;                                                                                                 \
    return block.bad ? SIZE_MAX : block.size;                                                                \
  }
/* `scratch_for` of a solver whose memory lay_out(problem, block) lays out, and counts while the block has none; the memory of
   a run, laid out. */
#define HIK_LAID_OUT(type, lay_out)                                                                          \
  HIK_COUNT_BYTES(static size_t scratch_for(const hik_readied *ready), lay_out(ready->problem, &block))      \
  static type *laid_out(const hik_run *run) {                                                                \
    hik_block block = {run->scratch, 0, false};                                                              \
    return lay_out(run->problem, &block);                                                                    \
  }

/* Number of options of its own that a solver has. */
int32_t hik_option_count(const hik_solver_class *solver);
/* Place of one of them, -1: the solver has none of that name. */
int32_t hik_option_place(const hik_solver_class *solver, const char *name);
/* The solver is asked for a single attempt of what was published. */
bool hik_as_published(const hik_solver_class *solver, const hik_options *options);
/* HIK_OK, or HIK_BAD_ARGUMENT with a sentence that names the first option that is out of its range: those of every solver,
   then the solver's own. The only place where options are compared with ranges; what one may be beside another, or beside
   the problem, is for the solver's `accepts`. */
hik_status hik_check_options(const hik_solver_class *solver, const hik_options *options, hik_error *error);

extern const hik_solver_class *const hik_solver_classes[];
extern const int32_t hik_solver_class_count;
