/* test_stretch.c: solve/lanes/stretch.c through the driver: what it calls nearest no joint can better; a cap holds; very far
   targets give the pose of far ones. */
#include "base/quat.h"
#include "base/rng.h"
#include "check.h"
#include "solve/drive/solver.h"
#include "tests/figures.h"

enum { N = 5, MANY = 12 };

/* Turns about three axes, and a slide. */
static hik_model *arm(void) {
  static figure f;
  hik_model *m = NULL;
  hik_error error = {HIK_OK, -1, ""};
  figure_start(&f);
  for (int32_t k = 0; k < N; k++) figure_joint(&f, k - 1, k == 2 ? HIK_PRISMATIC : HIK_REVOLUTE);
  f.lower[2] = -0.1, f.upper[2] = 0.2;
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  return m;
}

static hik_problem *problem_of(const hik_model *m, const char *kind) {
  hik_term term = hik_term_default(hik_find(HIK_TERMS, kind));
  hik_problem *p = NULL;
  hik_error error = {HIK_OK, -1, ""};
  term.frame = N - 1;
  CHECK(hik_problem_create(m, &term, 1, &p, &error) == HIK_OK);
  return p;
}

static hik_outcome solve(const hik_problem *p, const char *solver, const double *target, int32_t most,
                         double *q, int32_t *iterations) {
  int32_t index = hik_find(HIK_SOLVERS, solver);
  hik_options o = hik_options_default(index);
  hik_error error = {HIK_OK, -1, ""};
  int8_t outcome = HIK_NO_CLAIM;
  if (most >= 0) o.max_iter = most;
  hik_batch b = {.n = 1,
                 .target = target,
                 .target_stride = p->width,
                 .q = q,
                 .outcome = &outcome,
                 .iterations = iterations};
  CHECK(hik_solve(index, p, &o, &b, &error) == HIK_OK);
  return (hik_outcome)outcome;
}

/* What is to be least: positions over the length of the figure, rotations as 2 sin(angle / 2). */
static double value(const hik_problem *p, const double *target, const double *q) {
  hik_pose world[N];
  hik_verdict v;
  hik_judge_one(p, target, q, world, &v);
  double far = v.position_error / p->scale, turn = 2 * sin(0.5 * v.orientation_error);
  return far * far + turn * turn;
}

static void draw_target(int i, double distance, double *target) {
  hik_rng rng = hik_rng_start(7, (uint64_t)i);
  for (int k = 0; k < 3; k++) target[k] = 2 * hik_rng_uniform(&rng) - 1;
  hik_scale3(distance / hik_norm(target), target, target);
  hik_rng_rotation(&rng, target + 3);
}

static void test_no_joint_betters_the_nearest(void) {
  static const char *const kinds[] = {"pose", "position"}, *const solvers[] = {"lm_batch", "auto"};
  hik_model *m = arm();
  for (int c = 0; c < 4; c++) {
    hik_problem *p = problem_of(m, kinds[c % 2]);
    for (int i = 0; i < MANY; i++) {
      double target[7], q[N], other[N];
      int32_t iterations;
      draw_target(i, 3 + i, target);
      CHECK(solve(p, solvers[c / 2], target, -1, q, &iterations) == HIK_UNREACHABLE);
      CHECK(iterations > 0);
      double least = value(p, target, q);
      for (int k = 0; k < 2 * N; k++) {
        memcpy(other, q, sizeof other);
        other[k / 2] = hik_clip(q[k / 2] + (k % 2 ? 1e-2 : -1e-2), m->lower[k / 2], m->upper[k / 2]);
        CHECK(value(p, target, other) >= least * (1 - 1e-6));
      }
    }
    hik_problem_free(p);
  }
  hik_model_free(m);
}

static void test_the_cap_holds(void) {
  static const int32_t cap[] = {0, 1, 5, 9, 40, 300};
  hik_model *m = arm();
  hik_problem *p = problem_of(m, "pose");
  double target[7], q[N], last = INFINITY;
  draw_target(1, 4, target);
  for (int i = 0; i < HIK_COUNT_OF(cap); i++) {
    int32_t iterations = -1;
    CHECK(solve(p, "lm_batch", target, cap[i], q, &iterations) == HIK_UNREACHABLE);
    CHECK(iterations >= 0 && iterations <= cap[i]);
    CHECK(value(p, target, q) <= last);
    last = value(p, target, q);
  }
  hik_problem_free(p);
  hik_model_free(m);
}

static void test_ever_farther_targets_pull_the_same_way(void) {
  static const double far[] = {1e8, 1e30, 1e200, 1e308};
  hik_model *m = arm();
  hik_problem *p = problem_of(m, "position");
  double target[7], first[N], q[N];
  for (int i = 0; i < HIK_COUNT_OF(far); i++) {
    int32_t iterations;
    draw_target(2, 1, target);
    hik_scale3(far[i], target, target);
    CHECK(solve(p, "auto", target, -1, q, &iterations) == HIK_UNREACHABLE);
    if (i == 0) memcpy(first, q, sizeof first);
    hik_pose a, b, world[N];
    hik_step_poses(m, first, world), hik_frame_pose(m, N - 1, world, &a);
    hik_step_poses(m, q, world), hik_frame_pose(m, N - 1, world, &b);
    for (int k = 0; k < 3; k++) CHECK_NEAR(a.t[k], b.t[k], 1e-3);
  }
  hik_problem_free(p);
  hik_model_free(m);
}

/* Soft terms that have columns of the target row, before the position's own or after: neither is copied, nor taken for it. */
static void test_columns_of_soft_terms_stay_out(void) {
  hik_model *m = arm();
  hik_error error = {HIK_OK, -1, ""};
  double weight[N] = {1e-6, 1e-6, 1e-6, 1e-6, 1e-6}, target[3 + N] = {0}, q[N], alone[N];
  int32_t iterations;
  hik_term term[2] = {hik_term_default(hik_find(HIK_TERMS, "change")),
                      hik_term_default(hik_find(HIK_TERMS, "position"))};
  term[0].frame = -1, term[0].data = weight, term[0].n_data = N;
  term[1].frame = N - 1;
  hik_problem *one = problem_of(m, "position");
  for (int swap = 0; swap < 2; swap++) {
    const hik_term pair[2] = {term[swap], term[!swap]};
    double wanted[3], *point = target + (swap ? 0 : N), *change = target + (swap ? 3 : 0);
    hik_problem *both = NULL;
    hik_pose world[N];
    hik_verdict here, there;
    CHECK(hik_problem_create(m, pair, 2, &both, &error) == HIK_OK);
    for (int k = 0; k < N; k++) change[k] = 0.1 * (k - 2);
    hik_copy3((const double[3]){4, -3, 2}, point);
    hik_copy3(point, wanted);
    CHECK(solve(one, "auto", wanted, -1, alone, &iterations) == HIK_UNREACHABLE);
    CHECK(solve(both, "auto", target, -1, q, &iterations) == HIK_UNREACHABLE);
    hik_judge_one(one, wanted, alone, world, &here);
    hik_judge_one(one, wanted, q, world, &there);
    CHECK(there.position_error < here.position_error * 1.001);
    hik_problem_free(both);
  }
  hik_problem_free(one);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_no_joint_betters_the_nearest);
  RUN(test_the_cap_holds);
  RUN(test_ever_farther_targets_pull_the_same_way);
  RUN(test_columns_of_soft_terms_stay_out);
  CHECK_END();
}
