/* sampling_figures.h: what every sampling solver must keep to, whatever its method. */
#pragma once
#include "solve/drive/solver.h"

#include "descent_figures.h"

enum { TARGETS = CHECK_REPEATS(30, 5) };

/* Of 30 targets made inside the limits at least so many are met: hinges, a ball with a cone and a slide, free balls,
   slides. Of fewer targets the same share, rounded down. */
static void check_shares(const char *solver, const int least[4]) {
  hik_model *models[] = {planar_chain(5, HIK_PI), cone_arm(), ball_arm(), gantry()};
  for (int i = 0; i < 4; i++) {
    int good = count_solved(solver, models[i], false, TARGETS), wanted = least[i] * TARGETS / 30;
    if (good < wanted)
      printf("%s, figure %d: %d of %d solved, %d wanted\n", solver, i, good, TARGETS, wanted);
    CHECK(good >= wanted);
    hik_model_free(models[i]);
  }
}

enum { ROWS = 24 };

/* The same rows by one thread and by three, whole and one by one: the same bytes. Another seed: other bytes. */
static void check_same_bytes(const char *solver) {
  hik_model *m = cone_arm();
  hik_problem *p = make_problem(m, "pose", 1e-4 * m->reach);
  int32_t index = hik_find(HIK_SOLVERS, solver);
  double target[ROWS * 7], q[3][ROWS * MOST], other[4 * MOST];
  int8_t outcome[ROWS];
  int32_t nq = m->nq;
  for (int i = 0; i < ROWS; i++) {
    memcpy(other, m->rest, (size_t)nq * sizeof *other);
    hik_random_q(m, 8, (uint64_t)i, other);
    target_of(m, other, true, target + i * 7);
  }
  for (int run = 0; run < 3; run++) {
    hik_options o = hik_options_default(index);
    o.max_iter = 12, o.retries = 1, o.threads = run == 1 ? 3 : 1, o.seed = run == 2 ? 5 : 0;
    hik_batch b = {.n = ROWS, .target = target, .target_stride = 7, .q = q[run], .outcome = outcome};
    CHECK(hik_solve(index, p, &o, &b, NULL) == HIK_OK);
    for (int i = 0; i < ROWS; i++) CHECK(hik_inside(m, q[run] + i * nq, 1e-13));
    if (run == 1)
      for (int i = 0; i < ROWS; i++) {
        solved s = solve_with(solver, p, &o, target + i * 7, NULL);
        CHECK(memcmp(s.q, q[0] + i * nq, (size_t)nq * sizeof *s.q) == 0);
      }
  }
  size_t bytes = (size_t)ROWS * (size_t)nq * sizeof(double);
  CHECK(memcmp(q[0], q[1], bytes) == 0);
  CHECK(memcmp(q[0], q[2], bytes) != 0);
  hik_problem_free(p);
  hik_model_free(m);
}

/* Out of reach: the closest pose, nearly straight. On the target: no iteration. A hinge with equal limits stays. */
static void check_ends(const char *solver) {
  hik_model *m = planar_chain(4, 1.5);
  hik_problem *p = make_problem(m, "position", 1e-4);
  solved s = solve_with(solver, p, NULL, (double[3]){0, 2, 0}, NULL);
  CHECK(s.outcome == HIK_UNREACHABLE);
  CHECK(s.error < 1.02);
  s = solve_with(solver, p, NULL, (double[3]){1, 0, 0}, m->rest);
  CHECK(s.outcome == HIK_CONVERGED && s.iterations == 0);
  hik_problem_free(p);
  hik_model_free(m);

  figure f = {0};
  for (int i = 0; i < 4; i++)
    add_joint(&f, i - 1, HIK_REVOLUTE, "z", (double[3]){i ? 0.25 : 0, 0, 0}, i == 1 ? 0.3 : -2,
              i == 1 ? 0.3 : 2);
  add_frame_at(&f, 3, 0.25, 0, 0);
  m = freeze_figure(&f);
  p = make_problem(m, "position", 1e-4);
  s = solve_with(solver, p, NULL, (double[3]){0.3, 0.5, 0}, NULL);
  CHECK(s.outcome == HIK_CONVERGED && s.q[1] == 0.3);
  hik_problem_free(p);
  hik_model_free(m);
}

static double even_error(const hik_problem *p, const double *target, const double *q) {
  hik_pose *world = calloc((size_t)p->model->n_step, sizeof *world);
  hik_verdict v;
  hik_judge_one(p, target, q, world, &v);
  free(world);
  return hik_even_error(p, &v);
}

/* The cap holds, the trace has the errors, a restart draws other numbers, a time limit ends it amid an iteration. */
static void check_caps(const char *solver) {
  hik_model *m = hinge_arm();
  hik_problem *p = make_problem(m, "pose", 1e-12);
  int32_t index = hik_find(HIK_SOLVERS, solver);
  hik_options o = hik_options_default(index);
  double other[4 * MOST], target[7];
  target_of(m, m->rest, true, target);
  memcpy(target + 3, (double[4]){0, 0, 1, 0},
         4 * sizeof *target); /* back to front: no length proves that none can */
  o.max_iter = 7;
  solved once = solve_with(solver, p, &o, target, m->rest);
  CHECK(once.iterations == 7 && (once.outcome == HIK_MAX_ITER || once.outcome == HIK_LEAST_SQUARES));
  double least = INFINITY;
  for (int k = 0; k <= 7; k++) least = fmin(least, once.trace[k]);
  CHECK(least < once.trace[0]);
  o.retries = 2;
  solved thrice = solve_with(solver, p, &o, target, m->rest);
  CHECK(thrice.iterations == 21);
  CHECK(even_error(p, target, thrice.q) <= even_error(p, target, once.q)); /* what rounds are compared by */
  o.retries = 0, o.max_iter = 1000000000, o.time_limit = 1e-3;
  for (int k = 0; k < hik_option_count(hik_solver_classes[index]); k++)
    if (strstr("reheats renewals wipeouts", hik_solver_classes[index]->option[k].name)) o.param[k] = 1e6;
  int8_t outcome;
  hik_batch b = {.n = 1, .target = target, .q = other, .outcome = &outcome};
  CHECK(hik_solve(index, p, &o, &b, NULL) == HIK_OK);
  CHECK(outcome == HIK_TIME_LIMIT);
  CHECK(hik_inside(m, other, 0));
  hik_problem_free(p);
  hik_model_free(m);
}

/* Every option refuses what is out of its range, with its name; -1 and NaN are out of every range. */
static void check_bad_options(const char *solver) {
  hik_model *m = planar_chain(3, 1);
  hik_problem *p = make_problem(m, "position", 1e-3);
  int32_t index = hik_find(HIK_SOLVERS, solver);
  const hik_solver_class *c = hik_solver_classes[index];
  for (int k = 0; k < hik_option_count(c); k++) {
    hik_options o = hik_options_default(index);
    o.param[k] = -1;
    solved s = solve_with(solver, p, &o, (double[3]){0.7, 0, 0}, NULL);
    CHECK(s.status == HIK_BAD_ARGUMENT && strstr(s.message.text, c->option[k].name));
    o.param[k] = 1e299;
    CHECK(solve_with(solver, p, &o, (double[3]){0.7, 0, 0}, NULL).status == HIK_BAD_ARGUMENT);
    if (strcmp(c->option[k].name, "elites") != 0) continue;
    o.param[k] = o.param[0]; /* the population */
    s = solve_with(solver, p, &o, (double[3]){0.5, 0.2, 0}, NULL);
    CHECK(s.status == HIK_BAD_ARGUMENT && strstr(s.message.text, "elites must be fewer"));
  }
  hik_problem_free(p);
  hik_model_free(m);
}

/* One problem, solved with a small, a large and again a small population (annealing: heat): the memory follows the
   option, and nothing is left of the call before. */
static void check_sizes(const char *solver) {
  hik_model *m = cone_arm();
  hik_problem *p = make_problem(m, "position", 1e-6);
  double first = NAN;
  for (int i = 0; i < 3; i++) {
    hik_options o = hik_options_default(hik_find(HIK_SOLVERS, solver));
    o.param[0] = i == 1 ? 500 : 6, o.max_iter = 5;
    solved s = solve_with(solver, p, &o, (double[3]){0.2, 0.3, 0.2}, NULL);
    CHECK(s.status == HIK_OK && hik_inside(m, s.q, 1e-13));
    if (i == 0) first = s.q[0];
    if (i == 2) CHECK(s.q[0] == first);
  }
  hik_problem_free(p);
  hik_model_free(m);
}

/* The solver that is tested, and of 30 targets of each figure how many it must meet. */
static const char *sampling_solver;
static const int *sampling_least;

static void test_shares(void) { check_shares(sampling_solver, sampling_least); }
static void test_same_bytes(void) { check_same_bytes(sampling_solver); }
static void test_ends(void) { check_ends(sampling_solver); }
static void test_sizes(void) { check_sizes(sampling_solver); }
static void test_caps(void) { check_caps(sampling_solver); }
static void test_bad_options(void) { check_bad_options(sampling_solver); }

/* All of them. */
static void run_sampling_tests(const char *solver, const int least[4]) {
  sampling_solver = solver, sampling_least = least;
  RUN(test_shares);
  RUN(test_same_bytes);
  RUN(test_ends);
  RUN(test_sizes);
  RUN(test_caps);
  RUN(test_bad_options);
}
