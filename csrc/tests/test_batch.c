/* test_batch.c: solve/drive/batch.c, driven with solvers made for the purpose: this file is its own solver table. */
#include "solve/drive/solver.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "check.h"
#include "figures.h"

/* ---- solvers of one hinge whose frame is 0.2 m away ---- */

/* Claims what is not so. */
static void liar(hik_run *run, const double *target, hik_answer *a) {
  (void)run, (void)target;
  a->claim = HIK_CONVERGED;
}

static void stray(hik_run *run, const double *target, hik_answer *a) {
  (void)run, (void)target;
  a->q[0] = NAN;
  a->claim = HIK_MAX_ITER;
}

/* Knows the answer, but finds it only from a start above 1 rad. Leaves a mark in its scratch on the way. */
static void aim(const double *target, double *q, hik_outcome *claim, double *scratch) {
  scratch[0] = hik_atan2(target[1], target[0]);
  *claim = HIK_STALLED;
  if (q[0] > 1) q[0] = hik_clip(scratch[0], -2, 2);
}

static void walker(hik_run *run, const double *target, hik_answer *a) {
  a->iterations++;
  hik_note(a, 0, target[0], a->q, 1);
  aim(target, a->q, &a->claim, run->scratch);
}

static bool walker_block(hik_run *run, const hik_claims *rows) {
  const hik_batch *b = run->batch;
  for (int64_t i = rows->first; i < rows->last; i++) {
    const double *target = b->target + i * b->target_stride;
    hik_outcome said;
    b->q[i] = hik_clip(b->q0[i * b->q0_stride], -2, 2);
    if (!hik_target_usable(run->problem, target)) continue; /* its claim stays HIK_NO_CLAIM */
    aim(target, b->q + i, &said, run->scratch);
    hik_report(rows, i, &(hik_answer){.claim = HIK_STALLED, .iterations = 1});
  }
  return true;
}

/* Has made nearly all iterations that can be counted. */
static void tireless(hik_run *run, const double *target, hik_answer *a) {
  (void)run, (void)target;
  a->claim = HIK_STALLED;
  a->iterations = INT32_MAX - 1, a->remedies = INT32_MAX - 2;
}

/* Never ends by itself. */
static void endless(hik_run *run, const double *target, hik_answer *a) {
  (void)target;
  a->claim = HIK_MAX_ITER;
  do a->iterations++;
  while (hik_poll(run->worker, 1000));
}

static hik_status refuse(const hik_problem *problem, const hik_options *options, const char *name,
                         hik_error *error) {
  (void)problem, (void)options, (void)name;
  return hik_fail(error, HIK_UNSUPPORTED, -1, "this one takes nothing");
}

static size_t one_number(const hik_readied *ready) {
  (void)ready;
  return sizeof(double);
}

static size_t too_much(const hik_readied *ready) {
  (void)ready;
  return SIZE_MAX;
}

enum { LIAR, STRAY, WALKER, BLOCKS, ENDLESS, PICKY, HUGE_ONE, TIRELESS };

static const hik_solver_class liar_class = {
    .name = "liar", .max_iter = 7, .ftol = 0.25, .option = {{"lies", 1, 0, 3, true}}, .one = liar};
static const hik_solver_class stray_class = {.name = "stray", .max_iter = 7, .one = stray};
static const hik_solver_class walker_class = {
    .name = "walker", .max_iter = 7, .scratch_for = one_number, .one = walker};
static const hik_solver_class blocks_class = {
    .name = "blocks", .max_iter = 7, .scratch_for = one_number, .one = walker, .block = walker_block};
static const hik_solver_class endless_class = {.name = "endless", .max_iter = 7, .one = endless};
static const hik_solver_class picky_class = {.name = "picky", .max_iter = 7, .accepts = refuse, .one = liar};
static const hik_solver_class huge_class = {
    .name = "huge", .max_iter = 7, .scratch_for = too_much, .one = liar};
static const hik_solver_class tireless_class = {.name = "tireless", .max_iter = 7, .one = tireless};

const hik_solver_class *const hik_solver_classes[] = {&liar_class,   &stray_class,   &walker_class,
                                                      &blocks_class, &endless_class, &picky_class,
                                                      &huge_class,   &tireless_class};
const int32_t hik_solver_class_count = HIK_COUNT_OF(hik_solver_classes);

/* ---- a batch ---- */

enum { N = 1000, TRACE = 8 };

static hik_error error;
static hik_model *model;
static hik_problem *problem;

typedef struct answers {
  double q[N], error[N], position_error[N], orientation_error[N], trace[N * TRACE];
  int8_t outcome[N];
  int32_t iterations[N], remedies[N];
} answers;

static double target[N * 3], q0[N];

static void start(void) {
  figure f;
  figure_planar(&f, 1);
  hik_term term = hik_term_default(0); /* position: the first row of the table */
  term.frame = 0;
  term.position_tolerance = 1e-6;
  CHECK(hik_model_create(&f.def, &model, &error) == HIK_OK);
  CHECK(hik_problem_create(model, &term, 1, &problem, &error) == HIK_OK);
  hik_rng rng = hik_rng_start(1, 1);
  for (int i = 0; i < N; i++) {
    double s, c;
    hik_sincos(3.8 * hik_rng_uniform(&rng) - 1.9, &s, &c);
    target[3 * i] = 0.2 * c, target[3 * i + 1] = 0.2 * s, target[3 * i + 2] = 0;
    q0[i] = 3 * hik_rng_uniform(&rng) - 1; /* a third of them above 1 rad */
  }
}

static void stop(void) {
  hik_problem_free(problem);
  hik_model_free(model);
}

static hik_batch batch_of(answers *a, int64_t n) {
  memset(a, 0x55, sizeof *a);
  return (hik_batch){.n = n,
                     .target = target,
                     .target_stride = 3,
                     .q0 = q0,
                     .q0_stride = 1,
                     .q = a->q,
                     .outcome = a->outcome,
                     .iterations = a->iterations,
                     .n_restarts = a->remedies,
                     .error = a->error,
                     .position_error = a->position_error,
                     .orientation_error = a->orientation_error,
                     .trace = a->trace};
}

static answers one, two; /* large: not on the stack */

/* ---- tests ---- */

static void test_only_the_judge_says_converged(void) {
  start();
  hik_options o = hik_options_default(LIAR);
  hik_batch b = batch_of(&one, N);
  CHECK(hik_solve(LIAR, problem, &o, &b, &error) == HIK_OK);
  for (int i = 0; i < N; i++) {
    CHECK(one.outcome[i] == HIK_STALLED);
    CHECK(one.q[i] == q0[i] && one.position_error[i] > 0 &&
          fabs(one.error[i] - one.position_error[i]) < 1e-15);
  }
  /* and it says so of a start that is the answer, whatever is claimed */
  double answer = 0.7, s, c;
  hik_sincos(answer, &s, &c);
  double at[3] = {0.2 * c, 0.2 * s, 0};
  b = batch_of(&one, 1), b.target = at, b.q0 = &answer;
  CHECK(hik_solve(LIAR, problem, &o, &b, &error) == HIK_OK && one.outcome[0] == HIK_CONVERGED);
  stop();
}

static void test_numbers_gone_astray_are_diverged_with_a_finite_pose(void) {
  start();
  hik_options o = hik_options_default(STRAY);
  hik_batch b = batch_of(&one, N);
  CHECK(hik_solve(STRAY, problem, &o, &b, &error) == HIK_OK);
  for (int i = 0; i < N; i++) CHECK(one.outcome[i] == HIK_DIVERGED && one.q[i] == q0[i] && one.error[i] < 1);
  stop();
}

static void test_restarts_find_what_the_first_start_did_not(void) {
  start();
  hik_options o = hik_options_default(WALKER);
  hik_batch b = batch_of(&one, N);
  CHECK(hik_solve(WALKER, problem, &o, &b, &error) == HIK_OK);
  int found = 0;
  for (int i = 0; i < N; i++) {
    found += one.outcome[i] == HIK_CONVERGED;
    CHECK((one.outcome[i] == HIK_CONVERGED) == (q0[i] > 1));
    CHECK(one.remedies[i] == 0 && one.iterations[i] == 1);
  }
  CHECK(found > 200 && found < 500);
  o.retries = 100;
  b = batch_of(&two, N);
  CHECK(hik_solve(WALKER, problem, &o, &b, &error) == HIK_OK);
  for (int i = 0; i < N; i++) {
    CHECK(two.outcome[i] == HIK_CONVERGED);
    CHECK((two.remedies[i] == 0) == (q0[i] > 1) && two.iterations[i] == 1 + two.remedies[i]);
  }
  stop();
}

static void test_counts_that_are_full_stay_so(void) {
  answers a;
  start();
  hik_options o = hik_options_default(TIRELESS);
  for (int restarts = 0; restarts < 4; restarts++) {
    hik_batch b = batch_of(&a, 1);
    o.retries = restarts;
    CHECK(hik_solve(TIRELESS, problem, &o, &b, &error) == HIK_OK);
    CHECK(a.outcome[0] == HIK_STALLED);
    CHECK(a.iterations[0] == (restarts ? INT32_MAX : INT32_MAX - 1));
    CHECK(a.remedies[0] == (restarts ? INT32_MAX : INT32_MAX - 2));
  }
  stop();
}

static void test_threads_and_cuts_give_the_same_bytes(void) {
  static const int32_t solver[] = {WALKER, BLOCKS};
  static const int32_t threads[] = {2, 3, 8, 0};
  start();
  for (int k = 0; k < 3; k++) target[3 * 17 + k] = NAN, target[3 * 600 + k] = INFINITY;
  for (int s = 0; s < 2; s++) {
    hik_options o = hik_options_default(solver[s]);
    o.retries = 3;
    hik_batch b = batch_of(&one, N);
    if (solver[s] == BLOCKS) b.trace = NULL;
    CHECK(hik_solve(solver[s], problem, &o, &b, &error) == HIK_OK);
    for (int t = 0; t < HIK_COUNT_OF(threads); t++) {
      o.threads = threads[t];
      b = batch_of(&two, N);
      if (solver[s] == BLOCKS) b.trace = NULL;
      CHECK(hik_solve(solver[s], problem, &o, &b, &error) == HIK_OK);
      CHECK(memcmp(&one, &two, sizeof one) == 0);
    }
    o.threads = 1;
    for (int i = 0; i < N; i += 7) {
      b = batch_of(&two, 1), b.target = target + 3 * i, b.q0 = q0 + i, b.trace = NULL;
      CHECK(hik_solve(solver[s], problem, &o, &b, &error) == HIK_OK);
      CHECK(memcmp(two.q, one.q + i, sizeof(double)) == 0 && two.outcome[0] == one.outcome[i]);
      CHECK(memcmp(two.error, one.error + i, sizeof(double)) == 0 && two.iterations[0] == one.iterations[i]);
    }
    CHECK(one.outcome[17] == HIK_INVALID && isnan(one.q[17]) && isnan(one.error[17]) &&
          one.iterations[17] == 0);
    CHECK(one.outcome[600] == HIK_INVALID && isnan(one.q[600]));
    CHECK(one.outcome[18] != HIK_INVALID && one.outcome[599] != HIK_INVALID);
  }
  stop();
}

/* The walker finds its answer only from a start above 1 rad: that start is the one noted. */
static void test_the_start_that_is_kept_is_the_one_noted(void) {
  static double path[N * TRACE];
  start();
  hik_options o = hik_options_default(WALKER);
  o.retries = 6;
  hik_batch b = batch_of(&one, N);
  memset(path, 0, sizeof path);
  b.path = path;
  CHECK(hik_solve(WALKER, problem, &o, &b, &error) == HIK_OK);
  int saved = 0;
  for (int i = 0; i < N; i++) {
    const double *row = one.trace + i * TRACE;
    CHECK(row[0] == target[3 * i]);
    for (int k = 1; k < TRACE; k++) CHECK(isnan(row[k]) && path[i * TRACE + k] == 0);
    if (one.outcome[i] != HIK_CONVERGED || one.remedies[i] == 0) continue;
    CHECK(path[i * TRACE] > 1 && path[i * TRACE] != q0[i]);
    saved++;
  }
  CHECK(saved > N / 3);
  b = batch_of(&two, N), b.trace = NULL, b.path = path; /* a path without its errors is not written */
  memset(path, 0, sizeof path);
  CHECK(hik_solve(WALKER, problem, &o, &b, &error) == HIK_OK);
  for (int i = 0; i < N * TRACE; i++) CHECK(path[i] == 0);
  CHECK(memcmp(one.q, two.q, sizeof one.q) == 0 &&
        memcmp(one.iterations, two.iterations, sizeof one.iterations) == 0);
  stop();
}

static void test_blocks_and_single_problems_agree(void) {
  start();
  hik_options o = hik_options_default(WALKER);
  o.retries = 2;
  hik_batch b = batch_of(&one, N);
  b.trace = NULL;
  CHECK(hik_solve(WALKER, problem, &o, &b, &error) == HIK_OK);
  b = batch_of(&two, N), b.trace = NULL;
  CHECK(hik_solve(BLOCKS, problem, &o, &b, &error) == HIK_OK);
  CHECK(memcmp(&one, &two, sizeof one) == 0);
  stop();
}

static void test_a_zero_stride_repeats_one_row(void) {
  start();
  hik_options o = hik_options_default(WALKER);
  double high = 1.5;
  hik_batch b = batch_of(&one, 50);
  b.q0 = &high, b.q0_stride = 0, b.target_stride = 0;
  CHECK(hik_solve(WALKER, problem, &o, &b, &error) == HIK_OK);
  for (int i = 0; i < 50; i++) CHECK(one.outcome[i] == HIK_CONVERGED && one.q[i] == one.q[0]);
  b = batch_of(&one, 50);
  b.q0 = NULL; /* the model's rest: 0 */
  CHECK(hik_solve(LIAR, problem, &o, &b, &error) == HIK_OK);
  for (int i = 0; i < 50; i++) CHECK(one.q[i] == 0);
  stop();
}

static void test_starts_are_put_inside_the_limits(void) {
  start();
  hik_options o = hik_options_default(LIAR);
  double far[2] = {9, -9};
  hik_batch b = batch_of(&one, 2);
  b.q0 = far;
  CHECK(hik_solve(LIAR, problem, &o, &b, &error) == HIK_OK && one.q[0] == 2 && one.q[1] == -2);
  stop();
}

static void test_a_time_limit_ends_the_problem_not_the_batch(void) {
  start();
  hik_options o = hik_options_default(ENDLESS);
  o.time_limit = 0.01;
  o.retries = 5; /* none is begun once time is up */
  hik_batch b = batch_of(&one, 3);
  double before = hik_clock();
  CHECK(hik_solve(ENDLESS, problem, &o, &b, &error) == HIK_OK);
  CHECK(hik_clock() - before >= 0.03);
  for (int i = 0; i < 3; i++)
    CHECK(one.outcome[i] == HIK_TIME_LIMIT && one.remedies[i] == 0 && isfinite(one.q[i]));
  stop();
}

typedef struct ticker {
  int calls, stop_after;
  int64_t last_done, total;
} ticker;

static bool tick(void *context, int64_t done, int64_t total) {
  ticker *t = context;
  t->calls++, t->last_done = done, t->total = total;
  return t->calls < t->stop_after;
}

static void test_the_tick_can_cancel_any_number_of_threads(void) {
  start();
  for (int32_t threads = 1; threads <= 4; threads += 3) {
    ticker t = {.stop_after = 2};
    hik_options o = hik_options_default(ENDLESS);
    o.threads = threads;
    hik_batch b = batch_of(&one, N);
    b.tick = tick, b.tick_context = &t;
    CHECK(hik_solve(ENDLESS, problem, &o, &b, &error) == HIK_INTERRUPTED);
    CHECK(error.status == HIK_INTERRUPTED && t.calls >= 2 && t.total == N);
    for (int i = 0; i < N; i++) CHECK(one.outcome[i] == HIK_CANCELLED && isnan(one.q[i]));
  }
  stop();
}

static void test_the_tick_hears_of_the_end(void) {
  start();
  ticker t = {.stop_after = 1 << 30};
  hik_options o = hik_options_default(WALKER);
  o.threads = 2;
  hik_batch b = batch_of(&one, N);
  b.tick = tick, b.tick_context = &t;
  CHECK(hik_solve(WALKER, problem, &o, &b, &error) == HIK_OK);
  CHECK(t.calls >= 1 && t.last_done == N && t.total == N);
  stop();
}

static bool refused(int32_t solver, const hik_options *o, const hik_batch *b, hik_status status,
                    const char *word) {
  memset(&error, 0, sizeof error);
  hik_status got = hik_solve(solver, problem, o, b, &error);
  bool good = got == status && strstr(error.text, word);
  if (!good) printf("got %d: %s\n", got, error.text);
  return good;
}

static void test_wrong_calls_write_nothing_and_say_what(void) {
  start();
  const hik_options fine = hik_options_default(LIAR);
  hik_batch b = batch_of(&one, N);
  two = one;
  hik_options o;
#define WITH(change) (o = fine, change, &o)
  CHECK(refused(-1, &fine, &b, HIK_NOT_FOUND, "no solver -1"));
  CHECK(refused(hik_solver_class_count, &fine, &b, HIK_NOT_FOUND, "no solver"));
  CHECK(refused(LIAR, WITH(o.cookie = 0), &b, HIK_BAD_ARGUMENT, "hik_options_default"));
  CHECK(refused(LIAR, WITH(o.max_iter = -1), &b, HIK_BAD_ARGUMENT, "max_iter"));
  CHECK(refused(LIAR, WITH(o.max_iter = INT32_MAX), &b, HIK_BAD_ARGUMENT, "max_iter"));
  CHECK(refused(LIAR, WITH(o.retries = -1), &b, HIK_BAD_ARGUMENT, "retries"));
  CHECK(refused(LIAR, WITH(o.threads = -1), &b, HIK_BAD_ARGUMENT, "threads"));
  CHECK(refused(LIAR, WITH(o.ftol = NAN), &b, HIK_BAD_ARGUMENT, "ftol"));
  CHECK(refused(LIAR, WITH(o.ftol = 1), &b, HIK_BAD_ARGUMENT, "ftol"));
  CHECK(refused(LIAR, WITH(o.time_limit = 0), &b, HIK_BAD_ARGUMENT, "time_limit"));
  CHECK(refused(LIAR, WITH(o.time_limit = NAN), &b, HIK_BAD_ARGUMENT, "time_limit"));
  CHECK(refused(LIAR, WITH(o.param[0] = NAN), &b, HIK_BAD_ARGUMENT,
                "lies of liar must be a whole number from 0 to 3"));
  CHECK(refused(PICKY, &fine, &b, HIK_UNSUPPORTED, "takes nothing"));
  CHECK(refused(HUGE_ONE, &fine, &b, HIK_BAD_ARGUMENT, "too large"));
  hik_batch bad = b;
  bad.n = -1;
  CHECK(refused(LIAR, &fine, &bad, HIK_BAD_ARGUMENT, "n >= 0"));
  bad = b, bad.target = NULL;
  CHECK(refused(LIAR, &fine, &bad, HIK_BAD_ARGUMENT, "target"));
  double keep = q0[5];
  q0[5] = NAN;
  CHECK(refused(LIAR, &fine, &b, HIK_BAD_ARGUMENT, "row 5"));
  q0[5] = keep;
  CHECK(memcmp(&one, &two, sizeof one) == 0);
  bad = b, bad.n = 0;
  CHECK(hik_solve(LIAR, problem, &fine, &bad, &error) == HIK_OK);
  CHECK(memcmp(&one, &two, sizeof one) == 0);
  stop();
}

typedef struct counter {
  atomic_int live, calls;
  int fail;
} counter;

static void *counting_alloc(void *context, size_t size) {
  counter *c = context;
  if (atomic_fetch_add(&c->calls, 1) == c->fail) return NULL;
  atomic_fetch_add(&c->live, 1);
  return malloc(size);
}

static void counting_free(void *context, void *memory, size_t size) {
  (void)size;
  atomic_fetch_sub(&((counter *)context)->live, 1);
  free(memory);
}

/* However many problems, iterations and restarts: a plan is one allocation and a call by it another, and either may fail. */
static void test_a_call_allocates_once(void) {
  start();
  hik_options o = hik_options_default(WALKER);
  o.threads = 3, o.retries = 4;
  hik_batch b = batch_of(&one, N);
  counter c = {.fail = -1};
  hik_set_allocator(counting_alloc, counting_free, &c);
  CHECK(hik_solve(WALKER, problem, &o, &b, &error) == HIK_OK && c.calls == 2 && c.live == 0);
  for (c.fail = 2; c.fail < 4; c.fail++) {
    c.calls = 2;
    b = batch_of(&one, N);
    two = one;
    CHECK(hik_solve(WALKER, problem, &o, &b, &error) == HIK_NO_MEMORY && c.live == 0);
    CHECK(memcmp(&one, &two, sizeof one) == 0);
  }
  hik_set_allocator(NULL, NULL, NULL);
  stop();
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_only_the_judge_says_converged);
  RUN(test_numbers_gone_astray_are_diverged_with_a_finite_pose);
  RUN(test_restarts_find_what_the_first_start_did_not);
  RUN(test_counts_that_are_full_stay_so);
  RUN(test_threads_and_cuts_give_the_same_bytes);
  RUN(test_the_start_that_is_kept_is_the_one_noted);
  RUN(test_blocks_and_single_problems_agree);
  RUN(test_a_zero_stride_repeats_one_row);
  RUN(test_starts_are_put_inside_the_limits);
  RUN(test_a_time_limit_ends_the_problem_not_the_batch);
  RUN(test_the_tick_can_cancel_any_number_of_threads);
  RUN(test_the_tick_hears_of_the_end);
  RUN(test_wrong_calls_write_nothing_and_say_what);
  RUN(test_a_call_allocates_once);
  CHECK_END();
}
