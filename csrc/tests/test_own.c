/* test_own.c: term/own.c: terms that are functions of the caller's. */
#include "base/parallel.h"
#include "base/trig.h"
#include "term_figures.h"

/* What a function is called with, and what was seen of it. */
typedef struct seen {
  long calls, fails_from; /* 0: never */
  double number;          /* what it gives instead, where it is not 0 */
} seen;

static bool goes_on(seen *s) { return ++s->calls < s->fails_from || s->fails_from == 0; }

/* The first frame's origin at a point. */
static bool point(void *context, const double *target, const double *poses, double *out) {
  seen *s = context;
  for (int i = 0; i < 3; i++) out[i] = poses[4 * i + 3] - target[i] + s->number;
  return goes_on(s);
}

static bool point_rows(void *context, const double *target, const double *poses, double *out) {
  (void)target, (void)poses;
  memset(out, 0, 18 * sizeof *out);
  for (int i = 0; i < 3; i++) out[7 * i] = 1;
  return goes_on(context);
}

/* Of two frames: how far apart along each axis, and the angle between their x axes less a right angle. */
static bool bond(void *context, const double *target, const double *poses, double *out) {
  const double *other = poses + 16;
  double cosine = 0;
  for (int i = 0; i < 3; i++) {
    out[i] = (poses[4 * i + 3] - other[4 * i + 3]) * (1 + other[4 * i + 3]) - target[0];
    cosine += poses[4 * i] * other[4 * i];
  }
  out[3] = cosine;
  return goes_on(context);
}

static hik_own own_point(seen *s, int32_t frame) {
  return (hik_own){.n_frame = 1,
                   .frame = {frame},
                   .width = 3,
                   .rows = 3,
                   .metric = 3,
                   .residual = point,
                   .jacobian = point_rows,
                   .context = s};
}

static hik_term term_of_own(const hik_own *own) {
  hik_term t = term_named("own", -1, -1);
  t.own = own;
  return t;
}

static void test_differences_are_the_derivative(void) {
  figure shape;
  figure_of_every_kind(&shape);
  seen s = {0};
  hik_own own = {.n_frame = 2,
                 .frame = {shape.def.n_frame - 1, 0},
                 .width = 1,
                 .rows = 4,
                 .metric = 3,
                 .residual = bond,
                 .context = &s};
  hik_term t = term_of_own(&own);
  t.weight = 2;
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  CHECK(hik_problem_target_width(f.problem) == 1 && hik_problem_residual_width(f.problem) == 4);
  for (uint64_t draw = 0; draw < 8; draw++) {
    hik_random_q(f.model, 5, draw, f.q);
    term_figure_differences(&f, 1e-7);
  }
  term_figure_close(&f);
}

static void test_a_point_is_the_term_of_the_library(void) {
  figure shape;
  figure_of_every_kind(&shape);
  seen s = {0};
  int32_t frame = shape.def.n_frame - 1, nv, nq;
  hik_own own = own_point(&s, frame), by_differences = own;
  by_differences.jacobian = NULL;
  hik_term t[3] = {term_named("position", frame, -1), term_of_own(&own), term_of_own(&by_differences)};
  t[1].position_tolerance = t[2].position_tolerance = t[0].position_tolerance = 1e-3;
  term_figure f;
  if (!term_figure_open(&f, &shape, t, 3)) return;
  nv = f.model->nv, nq = f.model->nq;
  double rows[9], jac[9 * FIGURE_NQ], distance[3], angle[3], error, position, orientation;
  bool met[3], all;
  for (uint64_t draw = 0; draw < 8; draw++) {
    hik_random_q(f.model, 5, draw, f.q);
    for (int i = 0; i < 9; i++) f.target[i] = 0.1 * (i % 3);
    hik_residual(f.problem, 1, f.target, f.q, rows, f.scratch);
    hik_residual_jacobian(f.problem, 1, f.target, f.q, jac, f.scratch);
    for (int i = 0; i < 3; i++) CHECK(rows[i] == rows[3 + i] && rows[i] == rows[6 + i]);
    for (int i = 0; i < 3 * nv; i++) {
      CHECK_NEAR(jac[i], jac[3 * nv + i], 1e-14);
      CHECK_NEAR(jac[i], jac[6 * nv + i], 1e-9);
    }
    hik_measure_terms(f.problem, 1, f.target, f.q, distance, angle, met, f.scratch);
    CHECK_NEAR(distance[0], distance[1], 1e-15);
    CHECK(angle[1] == 0 && met[0] == met[1]);
    hik_judge(f.problem, 1, f.target, f.q, &error, &position, &orientation, &all, f.scratch);
    CHECK(position == distance[0] && !all);
  }
  (void)nq;
  term_figure_close(&f);
}

static void test_metres_and_radians_have_each_their_tolerance(void) {
  figure shape;
  figure_of_every_kind(&shape);
  seen s = {0};
  hik_own own = own_point(&s, 0);
  hik_term t = term_of_own(&own);
  t.position_tolerance = 0.5, t.orientation_tolerance = 0.1;
  for (own.metric = 0; own.metric <= 3; own.metric++) {
    term_figure f;
    if (!term_figure_open(&f, &shape, &t, 1)) return;
    double rows[3], e, distance, angle;
    bool met;
    hik_random_q(f.model, 5, 1, f.q);
    hik_residual(f.problem, 1, f.target, f.q, rows, f.scratch);
    const double off[3] = {0.3, 0.3, 0.05};
    for (int i = 0; i < 3; i++) f.target[i] = rows[i] - off[i];
    hik_judge(f.problem, 1, f.target, f.q, &e, &distance, &angle, &met, f.scratch);
    double sum[2] = {0, 0};
    for (int i = 0; i < 3; i++) sum[i >= own.metric] += off[i] * off[i];
    CHECK_NEAR(distance, sqrt(sum[0]), 1e-14);
    CHECK_NEAR(angle, sqrt(sum[1]), 1e-14);
    CHECK(met == (own.metric >= 2));
    for (int r = 0; r < 3; r++) CHECK(f.problem->metric[r] == (r < own.metric));
    term_figure_close(&f);
  }
}

static void test_what_is_no_term_is_refused(void) {
  figure shape;
  figure_of_every_kind(&shape);
  seen s = {0};
  hik_own good = own_point(&s, 0), bad[8];
  for (int k = 0; k < 8; k++) bad[k] = good;
  bad[0].n_frame = 0;
  bad[1].n_frame = HIK_OWN_FRAMES + 1;
  bad[2].rows = 0, bad[2].metric = 0;
  bad[3].rows = HIK_OWN_ROWS + 1;
  bad[4].metric = 4;
  bad[5].width = -1;
  bad[6].residual = NULL;
  bad[7].frame[0] = shape.def.n_frame;
  for (int k = 0; k < 8; k++) {
    hik_term t = term_of_own(bad + k);
    CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, k == 7 ? "no frame" : "needs a residual"));
  }
  hik_term none = term_of_own(NULL);
  CHECK(term_refused(&shape, &none, HIK_BAD_ARGUMENT, "needs a residual"));
}

enum { N = 40 };

typedef struct answers {
  double q[N * 9], error[N];
  int8_t outcome[N];
  int32_t iterations[N];
  hik_status status;
} answers;

static void solve(const char *solver, const hik_problem *p, const double *target, int32_t threads,
                  answers *out) {
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, solver));
  hik_error error = {HIK_OK, -1, ""};
  o.threads = threads;
  hik_batch b = {.n = N,
                 .target = target,
                 .target_stride = p->width,
                 .q = out->q,
                 .outcome = out->outcome,
                 .error = out->error,
                 .iterations = out->iterations};
  out->status = hik_solve(hik_find(HIK_SOLVERS, solver), p, &o, &b, &error);
  if (out->status) CHECK(strstr(error.text, "auto") != NULL);
}

/* A context without locks: the thread sanitizer sees a second thread in it. */
static void test_solvers_take_it_on_one_thread_and_stop_where_it_fails(void) {
  static answers a, b;
  figure shape;
  figure_planar(&shape, 5);
  seen s = {0};
  hik_own own = own_point(&s, 4);
  hik_term builtin = term_named("position", 4, -1), mine = term_of_own(&own);
  term_figure f, g;
  if (!term_figure_open(&f, &shape, &builtin, 1)) return;
  if (!term_figure_open(&g, &shape, &mine, 1)) return;
  double target[3 * N], pose[16];
  for (int k = 0; k < N; k++) {
    hik_random_q(f.model, 3, (uint64_t)k, f.q);
    hik_frame(f.model, 4, 1, f.q, pose, f.scratch);
    for (int i = 0; i < 3; i++) target[3 * k + i] = pose[4 * i + 3];
  }
  const char *const same[] = {"dls", "gauss_newton", "jacobian_transpose", "gradient_descent"};
  for (int k = 0; k < HIK_COUNT_OF(same); k++) {
    solve(same[k], f.problem, target, 1, &a);
    solve(same[k], g.problem, target, 4, &b);
    CHECK(a.status == HIK_OK && b.status == HIK_OK);
    for (int i = 0; i < N; i++) CHECK(a.outcome[i] == b.outcome[i] && a.iterations[i] == b.iterations[i]);
    for (int i = 0; i < N * f.model->nq; i++) CHECK_NEAR(a.q[i], b.q[i], 1e-9);
  }
  const char *const refusing[] = {"fabrik", "ccd", "hybrid", "ftl", "triangulation", "lm_batch"};
  for (int k = 0; k < HIK_COUNT_OF(refusing); k++) {
    solve(refusing[k], g.problem, target, 1, &a);
    CHECK(a.status == HIK_UNSUPPORTED);
  }
  for (int32_t i = 0; i < hik_count(HIK_SOLVERS); i++) /* not a number at once, or from some call on */
    for (s.calls = 0, s.fails_from = 1, s.number = 0; s.fails_from < 60; s.calls = 0, s.fails_from += 29) {
      solve(hik_row(HIK_SOLVERS, i).name, g.problem, target, 1, &a);
      for (int k = 0; k < N && !a.status && s.fails_from == 1; k++) CHECK(a.outcome[k] != HIK_CONVERGED);
    }
  term_figure_close(&f);
  term_figure_close(&g);
}

static void test_levels_hold_with_it(void) {
  figure shape;
  figure_planar(&shape, 5);
  seen s = {0};
  hik_own own = own_point(&s, 4), elbow = own_point(&s, 2);
  hik_term t[2] = {term_of_own(&own), term_of_own(&elbow)};
  t[1].level = 1;
  term_figure f;
  if (!term_figure_open(&f, &shape, t, 2)) return;
  double target[6 * N], pose[16];
  static answers a;
  for (int k = 0; k < N; k++) {
    hik_random_q(f.model, 3, (uint64_t)k, f.q);
    hik_frame(f.model, 4, 1, f.q, pose, f.scratch);
    for (int i = 0; i < 3; i++) target[6 * k + i] = pose[4 * i + 3], target[6 * k + 3 + i] = 9;
  }
  solve("auto", f.problem, target, 1, &a);
  CHECK(a.status == HIK_OK);
  for (int k = 0; k < N; k++) {
    double distance[2], angle[2];
    bool met[2];
    hik_measure_terms(f.problem, 1, target + 6 * k, a.q + k * f.model->nq, distance, angle, met, f.scratch);
    CHECK(met[0] && !met[1]);
  }
  term_figure_close(&f);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_differences_are_the_derivative);
  RUN(test_a_point_is_the_term_of_the_library);
  RUN(test_metres_and_radians_have_each_their_tolerance);
  RUN(test_what_is_no_term_is_refused);
  RUN(test_solvers_take_it_on_one_thread_and_stop_where_it_fails);
  RUN(test_levels_hold_with_it);
  CHECK_END();
}
