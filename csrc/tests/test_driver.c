/* test_driver.c: rounds of attempts, their numbers, what goes on after a claim; this file is its own solver table. */
#include "solve/drive/driver.h"

#include "check.h"
#include "figures.h"

enum { ATTEMPTS = 3, ROUNDS = 5 };

/* What the solvers below saw. */
static struct {
  int rounds, finished;
  uint64_t number[ROUNDS + 1];
  double start[ROUNDS + 1][3];
} seen;

/* Keeps what it is given and gives up. */
static void recorder(hik_run *run, const double *target, hik_answer *a) {
  (void)target;
  int at = seen.rounds < ROUNDS ? seen.rounds : ROUNDS;
  seen.rounds++;
  seen.number[at] = run->worker->attempt;
  memcpy(seen.start[at], a->q, 3 * sizeof *a->q);
  a->claim = HIK_STALLED, a->iterations = 1;
}

/* Knows the answer, 0.3 in all joints and `off` more in the first, and leaves it to `finish`. */
static double off;
static hik_outcome claimed;

static void hasty(hik_run *run, const double *target, hik_answer *a) {
  (void)run, (void)target;
  a->q[0] = 0.2, a->claim = claimed;
}

static void finishing(hik_run *run, const double *target, hik_answer *a) {
  (void)run, (void)target;
  seen.finished++;
  for (int k = 0; k < 3; k++) a->q[k] = 0.3 + (k == 0) * off;
  a->claim = HIK_CONVERGED;
}

static bool hasty_block(hik_run *run, const hik_claims *rows) {
  for (int64_t i = rows->first; i < rows->last; i++) {
    for (int k = 0; k < 3; k++) run->batch->q[3 * i + k] = k == 0 ? 0.2 : 0;
    hik_report(rows, i, &(hik_answer){.claim = claimed});
  }
  return true;
}

enum { RECORDER, HASTY, BLOCKS };
static const hik_solver_class recorder_class = {
    .name = "recorder", .max_iter = 7, .option = {HIK_NUDGES(9), HIK_STARTS(ATTEMPTS - 1)}, .one = recorder};
static const hik_solver_class hasty_class = {.name = "hasty", .one = hasty, .finish = finishing};
static const hik_solver_class blocks_class = {
    .name = "blocks", .one = hasty, .finish = finishing, .block = hasty_block};
const hik_solver_class *const hik_solver_classes[] = {&recorder_class, &hasty_class, &blocks_class};
const int32_t hik_solver_class_count = HIK_COUNT_OF(hik_solver_classes);

/* ---- figures ---- */

static hik_error error;
static hik_model *model;
static hik_problem *problem;

/* Three hinges about z; `limit` infinite: none. */
static void start(double limit) {
  figure f;
  figure_planar(&f, 3);
  for (int k = 0; k < 3; k++) f.lower[k] = -limit, f.upper[k] = limit;
  hik_term term = hik_term_default(0); /* position: the first row of the table */
  term.frame = 2, term.position_tolerance = 1e-6;
  CHECK(hik_model_create(&f.def, &model, &error) == HIK_OK);
  CHECK(hik_problem_create(model, &term, 1, &problem, &error) == HIK_OK);
  memset(&seen, 0, sizeof seen);
  off = 0, claimed = HIK_STALLED;
}

static void stop(void) {
  hik_problem_free(problem);
  hik_model_free(model);
}

/* The point that 0.3 in all joints reaches. */
static void aim(double *target) {
  double pose[16], q[3] = {0.3, 0.3, 0.3};
  void *scratch = hik_allocate(hik_scratch_size(model));
  hik_frame(model, 2, 1, q, pose, scratch);
  for (int i = 0; i < 3; i++) target[i] = pose[4 * i + 3];
  hik_release(scratch);
}

typedef struct answer {
  double q[6], error[2];
  int8_t outcome[2];
  int32_t iterations[2], remedies[2];
} answer;

static answer solve(int32_t solver, const hik_options *o, const double *target, const double *q0, int64_t n) {
  answer a = {{0}, {0}, {0}, {0}, {0}};
  hik_batch b = {.n = n,
                 .target = target,
                 .q0 = q0,
                 .q = a.q,
                 .outcome = a.outcome,
                 .iterations = a.iterations,
                 .n_restarts = a.remedies,
                 .error = a.error};
  CHECK(hik_solve(solver, problem, o, &b, &error) == HIK_OK);
  return a;
}

/* ---- tests ---- */

/* Round r begins with attempt r (1 + starts), at the start of that number; the first with the start given. */
static void test_attempts_are_numbered_through(void) {
  start(2);
  hik_options o = hik_options_default(RECORDER);
  o.retries = ROUNDS - 1, o.seed = 3;
  const double target[3] = {0.1, 0.1, 0}, q0[3] = {0.4, 9, -0.2};
  answer a = solve(RECORDER, &o, target, q0, 1);
  CHECK(seen.rounds == ROUNDS && a.iterations[0] == ROUNDS && a.remedies[0] == ROUNDS - 1);
  CHECK(a.outcome[0] == HIK_STALLED);
  CHECK(seen.start[0][0] == 0.4 && seen.start[0][1] == 2 && seen.start[0][2] == -0.2);
  hik_worker worker = {.budget = 1};
  hik_start_column column[3];
  hik_starts starts = {-1, column};
  hik_run run = {.problem = problem, .options = &o, .worker = &worker, .starts = &starts};
  for (int r = 1; r < ROUNDS; r++) {
    double q[3] = {0, 0, 0};
    hik_start(&run, (uint64_t)r * ATTEMPTS, q);
    CHECK(seen.number[r] == (uint64_t)r * ATTEMPTS && memcmp(seen.start[r], q, sizeof q) == 0);
    for (int s = 0; s < r; s++) CHECK(memcmp(seen.start[r], seen.start[s], sizeof q) != 0);
  }
  stop();
}

/* Where nothing can move every attempt would be the first; where something can, the clock is looked at between them. */
static void test_rounds_end_where_nothing_moves_and_in_time(void) {
  const double target[3] = {0.1, 0.1, 0}, q0[3] = {0.4, 1, -0.2};
  for (int locked = 0; locked < 2; locked++) {
    start(locked ? 0 : 2);
    hik_options o = hik_options_default(RECORDER);
    o.retries = INT32_MAX, o.time_limit = 0.02;
    double before = hik_clock();
    answer a = solve(RECORDER, &o, target, q0, 1);
    CHECK(hik_clock() - before < 0.2);
    CHECK(a.outcome[0] == (locked ? HIK_STALLED : HIK_TIME_LIMIT));
    CHECK(locked ? seen.rounds == 1 : seen.rounds > ROUNDS && seen.rounds < INT32_MAX);
    stop();
  }
}

/* What is claimed of a pose that does not meet the goals goes on, whichever way it was claimed, and the judge has the last
   word; what is met, spent or stray does not. */
static void test_unconfirmed_claims_go_on(void) {
  static const hik_outcome go[] = {HIK_STALLED, HIK_UNREACHABLE, HIK_CONVERGED},
                           end[] = {HIK_MAX_ITER, HIK_DIVERGED};
  double target[6];
  start(2);
  aim(target), aim(target + 3);
  for (int32_t solver = HASTY; solver <= BLOCKS; solver++) {
    hik_options o = hik_options_default(solver);
    for (int n = 1; n <= 2; n++) {
      for (int i = 0; i < HIK_COUNT_OF(go); i++) {
        seen.finished = 0, off = 0, claimed = go[i];
        answer a = solve(solver, &o, target, NULL, n);
        CHECK(seen.finished == n);
        for (int k = 0; k < n; k++) CHECK(a.outcome[k] == HIK_CONVERGED && a.error[k] < 1e-6);
        off = 0.1;
        a = solve(solver, &o, target, NULL, n);
        for (int k = 0; k < n; k++) CHECK(a.outcome[k] == HIK_STALLED && a.error[k] > 1e-3);
      }
      for (int i = 0; i < HIK_COUNT_OF(end); i++) {
        seen.finished = 0, claimed = end[i];
        answer a = solve(solver, &o, target, NULL, n);
        CHECK(seen.finished == 0 && a.outcome[0] == (int8_t)end[i]);
      }
    }
  }
  stop();
}

/* Turns without limits come back within half a turn of the start, in every row of a batch; inside limits they may not. */
static void test_whole_turns_are_taken_back(void) {
  double target[6], q0[3] = {20, -7, 0.1}, far[3] = {1e15, 0, 0};
  start(INFINITY);
  aim(target), aim(target + 3);
  for (int32_t solver = HASTY; solver <= BLOCKS; solver++) {
    hik_options o = hik_options_default(solver);
    answer a = solve(solver, &o, target, q0, 2);
    for (int k = 0; k < 6; k++) {
      CHECK(fabs(a.q[k] - q0[k % 3]) <= HIK_PI);
      CHECK_NEAR(remainder(a.q[k] - 0.3, 2 * HIK_PI), 0, 1e-14);
    }
    CHECK(a.outcome[0] == HIK_CONVERGED && a.outcome[1] == HIK_CONVERGED);
    a = solve(solver, &o, target, far, 1); /* no digit would be left */
    CHECK(a.q[0] == 0.3 && a.outcome[0] == HIK_CONVERGED);
  }
  stop();
  start(6);
  aim(target);
  hik_options o = hik_options_default(HASTY);
  answer a = solve(HASTY, &o, target, (double[3]){5.9, -5.9, 0}, 1);
  CHECK(a.q[0] == 0.3 && a.q[2] == 0.3); /* 0.3 + 2 pi is beyond the limit */
  CHECK_NEAR(a.q[1], 0.3 - 2 * HIK_PI, 1e-14);
  stop();
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_attempts_are_numbered_through);
  RUN(test_rounds_end_where_nothing_moves_and_in_time);
  RUN(test_unconfirmed_claims_go_on);
  RUN(test_whole_turns_are_taken_back);
  CHECK_END();
}
