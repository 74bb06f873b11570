/* test_ccd_lanes.c: solve/lanes/ccd_lanes.c: which problems it takes, and that lanes give what single calls give. */
#include "solve/lanes/ccd_lanes.h"

#include "simd/kernels.h"
#include "solver_figures.h"

enum { MANY = 45, WIDE = 4 * MOST, ROWS = 41 };

typedef struct answers {
  double q[MANY * WIDE], trace[MANY * ROWS], error[MANY];
  int8_t outcome[MANY];
  int32_t iterations[MANY], remedies[MANY];
} answers;

static answers all, one;
static double target[7 * MANY], start[MANY * WIDE];
static hik_error error;

/* Problems [first, first + n) in one call. */
static void solve(const char *name, const hik_problem *p, int32_t width, int64_t first, int64_t n,
                  answers *to) {
  int32_t solver = hik_find(HIK_SOLVERS, name), nq = p->model->nq;
  hik_options o = hik_options_default(solver);
  hik_batch b = {.n = n,
                 .target = target + first * width,
                 .target_stride = width,
                 .q0 = start + first * nq,
                 .q0_stride = nq,
                 .q = to->q,
                 .outcome = to->outcome,
                 .error = to->error};
  b.iterations = to->iterations, b.n_restarts = to->remedies, b.trace = to->trace;
  o.max_iter = ROWS - 1;
  CHECK(hik_solve(solver, p, &o, &b, &error) == HIK_OK);
}

static void compare(const char *name, const hik_problem *p, int32_t width) {
  size_t nq = (size_t)p->model->nq;
  solve(name, p, width, 0, MANY, &all);
  for (int i = 0; i < MANY; i++) {
    solve(name, p, width, i, 1, &one);
    CHECK(memcmp(one.q, all.q + (size_t)i * nq, nq * sizeof(double)) == 0);
    CHECK(memcmp(one.trace, all.trace + (size_t)i * ROWS, ROWS * sizeof(double)) == 0);
    CHECK(memcmp(one.error, all.error + i, sizeof(double)) == 0);
    CHECK(one.outcome[0] == all.outcome[i] && one.iterations[0] == all.iterations[i]);
    CHECK(one.remedies[0] == all.remedies[i]);
  }
}

static void draw(const hik_model *m, const char *term) {
  int32_t width = strcmp(term, "pose") == 0 ? 7 : strcmp(term, "orientation") == 0 ? 4 : 3;
  for (int i = 0; i < MANY; i++) {
    double q[WIDE], pose[7];
    memcpy(q, m->rest, (size_t)m->nq * sizeof *q);
    memcpy(start + i * m->nq, m->rest, (size_t)m->nq * sizeof *q);
    hik_random_q(m, 3, (uint64_t)i, q);
    hik_random_q(m, 4, (uint64_t)i, start + i * m->nq);
    target_of(m, q, true, pose);
    memcpy(target + i * width, width == 4 ? pose + 3 : pose, (size_t)width * sizeof *pose);
    if (i % 11 == 5) target[i * width] = width == 4 ? NAN : 40; /* unusable, out of reach */
  }
}

static void lanes_give_what_single_calls_give(void) {
  static const char *const terms[] = {"position", "pose", "orientation"};
  static const char *const sets[] = {"base", "neon", "avx2", "avx512"};
  hik_model *models[] = {planar_chain(9, 1), hinge_arm(), gantry()};
  for (int k = 0; k < 3; k++) {
    for (int t = 0; t < 3; t++) {
      hik_problem *p = make_problem(models[k], terms[t], 1e-5);
      CHECK(hik_ccd_lanes_fit(p));
      draw(models[k], terms[t]);
      for (int s = 0; s < HIK_COUNT_OF(sets); s++) {
        if (!hik_simd_select(sets[s])) continue;
        compare("ccd", p, p->width);
        compare("ccd_fast", p, p->width);
      }
      hik_problem_free(p);
    }
    hik_model_free(models[k]);
  }
  hik_simd_select("auto");
}

static void balls_and_several_goals_are_left_to_one_at_a_time(void) {
  hik_model *m = ball_arm();
  hik_problem *p = make_problem(m, "position", 1e-5);
  CHECK(!hik_ccd_lanes_fit(p));
  hik_problem_free(p);
  hik_model_free(m);
  m = hinge_arm(), p = NULL;
  hik_term term[2] = {hik_term_default(hik_find(HIK_TERMS, "position")),
                      hik_term_default(hik_find(HIK_TERMS, "axis"))};
  term[0].frame = term[1].frame = m->n_frame - 1;
  CHECK(hik_problem_create(m, term, 2, &p, &error) == HIK_OK && !hik_ccd_lanes_fit(p));
  hik_problem_free(p);
  CHECK(hik_problem_create(m, term + 1, 1, &p, &error) == HIK_OK && hik_ccd_lanes_fit(p));
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(lanes_give_what_single_calls_give);
  RUN(balls_and_several_goals_are_left_to_one_at_a_time);
  CHECK_END();
}
