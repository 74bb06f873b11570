/* test_levels.c: solve/drive/levels.c: a lower level never costs a higher one anything. */
#include "base/memory.h"
#include "term_figures.h"

static hik_error error;

typedef struct answer {
  double q[FIGURE_NQ];
  int8_t outcome;
  int32_t iterations;
} answer;

static answer solve(const term_figure *f, const char *solver, const double *target, const double *q0) {
  answer a;
  int32_t index = hik_find(HIK_SOLVERS, solver);
  hik_options options = hik_options_default(index);
  hik_batch batch = {
      .n = 1, .target = target, .q0 = q0, .q = a.q, .outcome = &a.outcome, .iterations = &a.iterations};
  hik_status status = hik_solve(index, f->problem, &options, &batch, &error);
  if (status) printf("%s\n", error.text);
  CHECK(status == HIK_OK);
  return a;
}

/* Two tips of a planar arm want what only one can have. */
static void test_the_first_level_wins_and_the_second_does_its_best(void) {
  figure shape;
  figure_planar(&shape, 6);
  hik_term t[] = {term_named("position", 5, -1), term_named("position", 2, -1)};
  t[1].level = 1;
  term_figure f;
  if (!term_figure_open(&f, &shape, t, 2)) return;
  CHECK(f.problem->n_stage == 2 && f.problem->first && f.problem->top && f.problem->top->n_goal == 1);
  static const char *const solvers[] = {"auto", "dls", "lm", "hybrid", "ccd", "fabrik_fast"};
  for (int i = 0; i < HIK_COUNT_OF(solvers); i++) {
    const double target[6] = {1.0, 0.4, 0,
                              -5,  0,   0}; /* the third link is drawn backwards, out of its reach */
    double start[FIGURE_NQ] = {0.1, 0.2, 0.3, 0.2, 0.1, 0.1}, d[2];
    answer a = solve(&f, solvers[i], target, start);
    hik_measure_terms(f.problem, 1, target, a.q, d, NULL, NULL, f.scratch);
    CHECK(a.outcome != HIK_CONVERGED);
    CHECK(d[0] <= 1e-4);
    double alone[2];
    term_figure one;
    if (!term_figure_open(&one, &shape, t, 1)) break;
    answer b = solve(&one, solvers[i], target, start);
    hik_measure_terms(f.problem, 1, target, b.q, alone, NULL, NULL, f.scratch);
    CHECK(d[1] < alone[1] - 0.01); /* it is drawn as far as the first level lets it */
    term_figure_close(&one);
  }
  term_figure_close(&f);
}

/* Trace and path of just the rows promised: what is beyond them is another's (the sanitizers watch). */
static void test_the_trace_keeps_to_its_rows(void) {
  figure shape;
  figure_planar(&shape, 6);
  hik_term t[] = {term_named("position", 5, -1), term_named("position", 2, -1)};
  t[1].level = 1;
  term_figure f;
  if (!term_figure_open(&f, &shape, t, 2)) return;
  const double target[6] = {1.0, 0.4, 0, -5, 0, 0}, start[FIGURE_NQ] = {0.1, 0.2, 0.3, 0.2, 0.1, 0.1};
  static const char *const solvers[] = {"auto", "dls", "lm", "ccd", "fabrik_fast"};
  for (int i = 0; i < HIK_COUNT_OF(solvers); i++)
    for (int32_t cap = 0; cap < 12; cap += 3) {
      int32_t index = hik_find(HIK_SOLVERS, solvers[i]), iterations;
      hik_options options = hik_options_default(index);
      options.max_iter = cap;
      options.retries = cap == 3 ? 2 : 0;
      size_t rows = (size_t)hik_trace_rows(f.problem, &options);
      CHECK(rows == 1 + 2 * (size_t)cap + 2 * (size_t)cap); /* both stages and the two levels */
      double *trace = hik_allocate(rows * sizeof *trace),
             *path = hik_allocate(rows * FIGURE_NQ * sizeof *path);
      double q[FIGURE_NQ];
      int8_t outcome;
      hik_batch batch = {.n = 1,
                         .target = target,
                         .q0 = start,
                         .q = q,
                         .outcome = &outcome,
                         .iterations = &iterations,
                         .trace = trace,
                         .path = path};
      CHECK(trace && path && hik_solve(index, f.problem, &options, &batch, &error) == HIK_OK);
      CHECK(trace && !isnan(trace[0]));
      if (!options.retries)
        CHECK(trace && !isnan(trace[iterations]) &&
              (iterations + 1 == (int32_t)rows || isnan(trace[iterations + 1])));
      hik_release(trace);
      hik_release(path);
    }
  term_figure_close(&f);
}

static void test_levels_that_can_all_be_met_are_met(void) {
  figure shape;
  figure_planar(&shape, 6);
  hik_term t[] = {term_named("position", 5, -1), term_named("position", 2, -1)};
  t[1].level = 7;
  term_figure f;
  if (!term_figure_open(&f, &shape, t, 2)) return;
  double wanted[FIGURE_NQ] = {0.4, -0.5, 0.9, 0.3, -0.7, 0.2}, a[16], b[16], zero[FIGURE_NQ] = {0};
  hik_frame(f.model, 5, 1, wanted, a, f.scratch);
  hik_frame(f.model, 2, 1, wanted, b, f.scratch);
  const double target[6] = {a[3], a[7], a[11], b[3], b[7], b[11]};
  CHECK(solve(&f, "auto", target, zero).outcome == HIK_CONVERGED);
  term_figure_close(&f);
}

/* The nearest posture of a planar arm of 3 to rest on the circle of those that reach, against a fine search. */
static void test_rest_is_the_nearest_of_those_that_reach(void) {
  figure shape;
  figure_planar(&shape, 3);
  double data[6] = {0.3, 0.4, 0.2, 1, 1, 1};
  hik_term t[] = {term_named("position", 2, -1), term_named("rest", -1, -1)};
  t[0].position_tolerance = 1e-9;
  t[1].data = data, t[1].n_data = 6;
  term_figure f;
  if (!term_figure_open(&f, &shape, t, 2)) return;
  CHECK(f.problem->n_stage == 2 && f.problem->first && !f.problem->top);
  const double target[3] = {0.3, 0.45, 0};
  double start[FIGURE_NQ] = {0.9, 0.5, -0.3}, best = INFINITY, found = 0;
  answer a = solve(&f, "auto", target, start);
  CHECK(a.outcome == HIK_CONVERGED);
  for (int k = 0; k < 3; k++) found += (a.q[k] - data[k]) * (a.q[k] - data[k]);
  for (int i = 0; i < 200000; i++) { /* all turns of the last link, both elbows */
    double turn = 2 * HIK_PI * i / 200000, x = target[0] - 0.2 * cos(turn), y = target[1] - 0.2 * sin(turn);
    double n = x * x + y * y, c = (n - 0.18) / 0.18;
    for (int side = -1; side <= 1 && fabs(c) <= 1; side += 2) {
      double elbow = side * acos(c),
             q[3] = {atan2(y, x) - atan2(0.3 * sin(elbow), 0.3 + 0.3 * cos(elbow)), elbow, 0}, sum = 0;
      q[2] = turn - q[0] - q[1];
      q[2] -= 2 * HIK_PI * floor(q[2] / (2 * HIK_PI) + 0.5);
      for (int k = 0; k < 3; k++) sum += (q[k] - data[k]) * (q[k] - data[k]);
      if (fabs(q[0]) <= 2 && fabs(q[1]) <= 2 && fabs(q[2]) <= 2) best = fmin(best, sum);
    }
  }
  CHECK_NEAR(sqrt(found), sqrt(best), 1e-3);
  term_figure_close(&f);
}

static void test_soft_terms_alone_are_solved_too(void) {
  figure shape;
  figure_of_every_kind(&shape);
  hik_model *model = NULL;
  CHECK(hik_model_create(&shape.def, &model, &error) == HIK_OK);
  if (!model) return;
  double data[2 * FIGURE_NQ];
  int32_t nq = model->nq, nv = model->nv;
  hik_random_q(model, 21, 1, data);
  for (int32_t k = 0; k < nv; k++) data[nq + k] = 1;
  hik_term t = term_named("rest", -1, -1);
  t.data = data, t.n_data = nq + nv;
  term_figure f;
  if (term_figure_open(&f, &shape, &t, 1)) {
    double start[FIGURE_NQ] = {0}, v[FIGURE_NQ];
    hik_random_q(model, 21, 2, start);
    answer a = solve(&f, "dls", f.target, start);
    CHECK(a.outcome == HIK_CONVERGED);
    hik_difference(model, 1, data, a.q, v);
    for (int32_t k = 0; k < nv; k++) CHECK_NEAR(v[k], 0, 1e-5);
    term_figure_close(&f);
  }
  hik_model_free(model);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_first_level_wins_and_the_second_does_its_best);
  RUN(test_the_trace_keeps_to_its_rows);
  RUN(test_levels_that_can_all_be_met_are_met);
  RUN(test_rest_is_the_nearest_of_those_that_reach);
  RUN(test_soft_terms_alone_are_solved_too);
  CHECK_END();
}
