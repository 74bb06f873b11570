/* test_fabrik_free.c: solve/fabrik_free.c: which chains it takes, every outcome, lanes against one at a time. */
#include "solve/fabrik_free.h"

#include <stdlib.h>

#include "check.h"
#include "figures.h"

enum { LINKS = 5, MANY = 77, NQ = 4 * LINKS };

static hik_error error;

/* Balls in a row, links of length 0.3 m, the last 0.2 m. */
static void figure_balls(figure *f, int32_t count) {
  figure_planar(f, count);
  for (int32_t j = 0; j < count; j++) f->kind[j] = HIK_BALL;
}

static hik_problem *problem_of(const figure *f, hik_model **model, double tolerance) {
  hik_problem *problem = NULL;
  hik_term term = hik_term_default(hik_find(HIK_TERMS, "position"));
  CHECK(hik_model_create(&f->def, model, &error) == HIK_OK);
  if (!*model) return NULL;
  term.frame = f->def.n_frame - 1;
  term.position_tolerance = tolerance;
  CHECK(hik_problem_create(*model, &term, 1, &problem, &error) == HIK_OK);
  return problem;
}

static bool fits(const figure *f) {
  hik_model *model = NULL;
  hik_problem *problem = problem_of(f, &model, 1e-4);
  bool answer = problem && hik_fabrik_free_fits(problem);
  hik_problem_free(problem), hik_model_free(model);
  return answer;
}

static void test_only_free_balls_fit(void) {
  figure f;
  figure_balls(&f, LINKS);
  CHECK(fits(&f));
  figure_balls(&f, LINKS), f.kind[2] = HIK_REVOLUTE;
  CHECK(!fits(&f));
  figure_balls(&f, LINKS), f.kind[0] = HIK_FREE;
  CHECK(!fits(&f));
  figure_balls(&f, LINKS), f.kind[2] = HIK_FIXED;
  CHECK(fits(&f)); /* folded away */
  figure_balls(&f, LINKS), figure_place(f.placement + 24, 0, 0, 0, 0);
  CHECK(!fits(&f)); /* a bone without length */
  figure_balls(&f, LINKS), figure_place(f.frame_placement + 12 * (LINKS - 1), 0, 0, 0, 0);
  CHECK(fits(&f)); /* but for the last one, which is left out */
  figure_balls(&f, 1), figure_place(f.frame_placement, 0, 0, 0, 0);
  CHECK(!fits(&f));
}

typedef struct answers {
  double q[MANY * NQ], distance[MANY];
  int8_t outcome[MANY];
  int32_t iterations[MANY], remedies[MANY];
} answers;

static bool single; /* in floats */

static hik_status solve(const hik_problem *p, int32_t max_iter, int64_t n, const double *target,
                        const double *q0, int64_t stride, answers *a) {
  int32_t solver = hik_find(HIK_SOLVERS, "fabrik");
  hik_options o = hik_options_default(solver);
  hik_batch b = {.n = n, .target = target, .target_stride = 3, .q0 = q0, .q0_stride = stride, .q = a->q};
  b.outcome = a->outcome, b.iterations = a->iterations, b.remedies = a->remedies,
  b.position_error = a->distance;
  o.param[HIK_FABRIK_SINGLE] = single;
  if (max_iter >= 0) o.max_iter = max_iter;
  return hik_solve(solver, p, &o, &b, &error);
}

static answers got, other;

static void test_every_outcome(void) {
  figure f;
  figure_balls(&f, 2); /* links of 0.3 and 0.2 m: the ring from 0.1 to 0.5 */
  hik_model *model = NULL;
  hik_problem *p = problem_of(&f, &model, 1e-6);
  if (!p) return;
  const double far[3] = {0, 2, 0}, near[3] = {0, 0, 0.04}, good[3] = {0.1, 0.2, 0.3}, here[3] = {0.5, 0, 0};
  const double line[3] = {0.2, 0, 0}, bad[3] = {0, NAN, 0}, root[3] = {0, 0, 0};
  CHECK(solve(p, -1, 1, good, NULL, 0, &got) == HIK_OK && got.outcome[0] == HIK_CONVERGED);
  CHECK(got.distance[0] <= 1e-6 && got.iterations[0] > 0);
  CHECK(solve(p, -1, 1, here, NULL, 0, &got) == HIK_OK && got.outcome[0] == HIK_CONVERGED &&
        got.iterations[0] == 0);
  CHECK(solve(p, -1, 1, far, NULL, 0, &got) == HIK_OK && got.outcome[0] == HIK_CLOSEST);
  CHECK_NEAR(got.distance[0], 1.5, 1e-12);
  CHECK(solve(p, -1, 1, near, NULL, 0, &got) == HIK_OK && got.outcome[0] == HIK_CLOSEST);
  CHECK_NEAR(got.distance[0], 0.06, 1e-12);
  CHECK(solve(p, -1, 1, root, NULL, 0, &got) == HIK_OK && got.outcome[0] == HIK_CLOSEST);
  CHECK_NEAR(got.distance[0], 0.1, 1e-12);
  CHECK(solve(p, -1, 1, bad, NULL, 0, &got) == HIK_OK && got.outcome[0] == HIK_UNSOLVED && isnan(got.q[0]));
  CHECK(solve(p, 0, 1, good, NULL, 0, &got) == HIK_OK && got.outcome[0] == HIK_MAX_ITER &&
        got.iterations[0] == 0);
  CHECK(solve(p, 1, 1, good, NULL, 0, &got) == HIK_OK && got.outcome[0] == HIK_MAX_ITER &&
        got.iterations[0] == 1);
  /* a straight chain whose target lies on its own line */
  CHECK(solve(p, -1, 1, line, NULL, 0, &got) == HIK_OK && got.outcome[0] == HIK_CONVERGED);
  hik_problem_free(p), hik_model_free(model);
}

/* Lanes, one start for all or one each, give what single calls give; and the answer is what its poses say. */
static void test_a_block_is_its_problems(void) {
  figure f;
  figure_balls(&f, LINKS);
  figure_place(f.placement + 12, 0.3, 0.1, 0.2, 0.7); /* a frame that is turned, off the line */
  hik_model *model = NULL;
  hik_problem *p = problem_of(&f, &model, 1e-5);
  if (!p) return;
  static double target[3 * MANY], start[NQ * MANY];
  hik_rng rng = hik_rng_start(5, 5);
  for (int i = 0; i < 3 * MANY; i++) target[i] = 1.2 * hik_rng_uniform(&rng) - 0.6;
  for (int i = 0; i < MANY; i++) hik_random_q(model, 3, (uint64_t)i, start + NQ * i);
  target[3 * 7] = INFINITY;
  target[3 * 11] = 50;
  for (int own = 0; own < 2; own++) {
    CHECK(solve(p, -1, MANY, target, start, own ? NQ : 0, &got) == HIK_OK);
    void *scratch = malloc(hik_scratch_size(model));
    int converged = 0;
    for (int i = 0; i < MANY && scratch; i++) {
      double pose[16], d[3];
      CHECK(solve(p, -1, 1, target + 3 * i, start + (own ? NQ * i : 0), 0, &other) == HIK_OK);
      CHECK(memcmp(other.q, got.q + NQ * i, NQ * sizeof(double)) == 0);
      CHECK(other.outcome[0] == got.outcome[i] && other.iterations[0] == got.iterations[i]);
      CHECK(other.remedies[0] == got.remedies[i]);
      if (i == 7) continue;
      converged += got.outcome[i] == HIK_CONVERGED;
      hik_frame(model, LINKS - 1, 1, got.q + NQ * i, pose, scratch);
      for (int c = 0; c < 3; c++) d[c] = pose[4 * c + 3] - target[3 * i + c];
      CHECK_NEAR(hik_norm(d), got.distance[i], 1e-12 * (1 + hik_norm(d)));
    }
    CHECK(got.outcome[7] == HIK_UNSOLVED && got.outcome[11] == HIK_CLOSEST);
    CHECK(converged >= MANY - 6);
    free(scratch);
  }
  hik_problem_free(p), hik_model_free(model);
}

/* A twist of the start about a bone is kept: a chain that need not move is not touched. */
static void test_the_twist_of_the_start_is_kept(void) {
  figure f;
  figure_balls(&f, 2);
  hik_model *model = NULL;
  hik_problem *p = problem_of(&f, &model, 1e-9);
  if (!p) return;
  double start[8] = {0.8, 0.6, 0, 0, 1, 0, 0, 0},
         target[3] = {0.3, 0.2, 0}; /* the first turned about its own bone */
  CHECK(solve(p, -1, 1, target, start, 0, &got) == HIK_OK && got.outcome[0] == HIK_CONVERGED);
  /* The smallest rotation that takes bone onto bone, after the start's turn, gives the twist back exactly. */
  double before[9], after[9], bone[3], smallest[9], want[9], x[3] = {1, 0, 0};
  hik_quat_to_mat(start, before);
  hik_quat_to_mat(got.q, after);
  hik_mat_vec(after, x, bone);
  hik_mat_minimal(x, bone, smallest);
  hik_mat_mul(smallest, before, want);
  for (int i = 0; i < 9; i++) CHECK_NEAR(after[i], want[i], 1e-12);
  hik_problem_free(p), hik_model_free(model);
}

/* In floats: the same outcomes, and lanes give what single calls give. */
static void test_single_precision(void) {
  single = true;
  test_every_outcome();
  test_a_block_is_its_problems();
  single = false;
}

static void test_single_precision_says_what_it_cannot(void) {
  const double target[3] = {0.1, 0.2, 0.3};
  figure f;
  figure_balls(&f, 2);
  hik_model *model = NULL;
  hik_problem *p = problem_of(&f, &model, 5e-7); /* the floor of two links of 0.5 m together is 6e-7 */
  if (!p) return;
  CHECK(solve(p, -1, 1, target, NULL, 0, &got) == HIK_OK);
  single = true;
  CHECK(solve(p, -1, 1, target, NULL, 0, &got) == HIK_BAD_ARGUMENT && strstr(error.text, "6e-07"));
  hik_problem_free(p), hik_model_free(model);
  figure_planar(&f, 2); /* hinges */
  p = problem_of(&f, &model, 1e-3);
  CHECK(p && solve(p, -1, 1, target, NULL, 0, &got) == HIK_UNSUPPORTED && strstr(error.text, "free balls"));
  single = false;
  hik_problem_free(p), hik_model_free(model);
}

/* Starts of restarts are drawn: the start of the others must not be lost over them. */
static void test_restarts_leave_the_shared_start_alone(void) {
  figure f;
  figure_balls(&f, 2);
  hik_model *model = NULL;
  hik_problem *p = problem_of(&f, &model, 1e-6);
  if (!p) return;
  int32_t solver = hik_find(HIK_SOLVERS, "fabrik");
  hik_options o = hik_options_default(solver);
  double target[3 * MANY];
  for (int i = 0; i < 3 * MANY; i++) target[i] = i % 9 < 3 ? 0.01 : 0.05 + 0.002 * (i % 100);
  o.max_iter = 3;
  for (int restarts = 0; restarts < 2; restarts++) {
    answers *to = restarts ? &got : &other;
    hik_batch b = {.n = MANY, .target = target, .target_stride = 3, .q = to->q, .outcome = to->outcome};
    o.restarts = restarts;
    CHECK(hik_solve(solver, p, &o, &b, &error) == HIK_OK);
  }
  int unmet = 0;
  for (int i = 0; i < MANY; i++) {
    unmet += other.outcome[i] == HIK_MAX_ITER;
    if (other.outcome[i] == HIK_CONVERGED)
      CHECK(memcmp(got.q + 8 * i, other.q + 8 * i, 8 * sizeof(double)) == 0);
  }
  CHECK(unmet > 5 && unmet < MANY - 5);
  hik_problem_free(p), hik_model_free(model);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_only_free_balls_fit);
  RUN(test_every_outcome);
  RUN(test_a_block_is_its_problems);
  RUN(test_single_precision);
  RUN(test_single_precision_says_what_it_cannot);
  RUN(test_restarts_leave_the_shared_start_alone);
  RUN(test_the_twist_of_the_start_is_kept);
  CHECK_END();
}
