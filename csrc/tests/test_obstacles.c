/* test_obstacles.c: term/obstacles.c: lacks against the distances of scene/, their derivative, the judge, bad constants. */
#include "term/obstacles.h"

#include "scene_figures.h"
#include "term_figures.h"

static bool open(term_figure *f, staged *s, hik_term *t, const hik_shape *shape, int32_t n) {
  memset(f, 0, sizeof *f);
  stage(s, shape, n);
  *t = term_named("obstacles", -1, -1);
  CHECK(hik_clear_create(s->figure, s->world, &t->clear, &f->error) == HIK_OK);
  f->model = s->model;
  f->scratch = malloc(hik_scratch_size(f->model));
  return f->scratch != NULL;
}

static bool resolve(term_figure *f, hik_term *t, double distance, double self_distance) {
  hik_problem_free(f->problem);
  t->param[0] = distance, t->param[1] = self_distance, t->position_tolerance = 0;
  bool good = hik_problem_create(f->model, t, 1, &f->problem, &f->error) == HIK_OK;
  if (!good) printf("%s\n", f->error.text);
  CHECK(good);
  return good;
}

static void shut(term_figure *f, staged *s, const hik_term *t) {
  free(f->scratch);
  hik_problem_free(f->problem);
  hik_clear_free(t->clear);
  unstage(s);
}

static void test_the_deepest_row_is_the_least_distance(void) {
  hik_shape shape[20];
  staged s;
  term_figure f;
  hik_term t;
  int32_t n = cluttered(shape, 5), count[2] = {0, 0};
  if (!open(&f, &s, &t, shape, n)) return;
  for (int turn = 0; turn < 3; turn++) {
    double want = turn == 0 ? 0 : turn == 1 ? 0.05 : 0.4;
    if (!resolve(&f, &t, want, want)) break;
    for (uint64_t draw = 0; draw < 60; draw++) {
      hik_least least;
      double row[HIK_CLEAR_ROWS], d, deepest = 0;
      bool kept;
      hik_random_q(f.model, 3, draw, f.q);
      hik_check_place(s.check, f.q, 1);
      hik_check_least(s.check, 10, &least);
      bool touches = !(hik_check_touch(s.check, NULL, true).free & 1);
      hik_residual(f.problem, 1, f.target, f.q, row, f.scratch);
      hik_measure_terms(f.problem, 1, f.target, f.q, &d, NULL, &kept, f.scratch);
      for (int32_t k = 0; k < HIK_CLEAR_ROWS; k++) deepest = fmin(deepest, row[k]);
      double lack = fmax(0, want - least.distance[0]);
      CHECK_NEAR(d, lack, 1e-12 + (touches ? 1e-12 : 0));
      CHECK_NEAR(deepest, lack > 0 ? -lack - 1e-4 * f.model->reach : 0, 1e-12);
      CHECK(kept == (lack <= 0 && !touches));
      CHECK((hik_clear_group(&t, f.q, 1) == 1) == kept);
      count[kept]++;
    }
  }
  CHECK(count[0] > 20 && count[1] > 0);
  shut(&f, &s, &t);
}

static void test_a_group_is_what_each_is_alone(void) {
  hik_shape shape[20];
  staged s;
  term_figure f;
  hik_term t;
  int32_t n = cluttered(shape, 6);
  if (!open(&f, &s, &t, shape, n)) return;
  double q[HIK_GROUP * FIGURE_NQ];
  size_t nq = (size_t)f.model->nq;
  if (resolve(&f, &t, 0.01, 0))
    for (uint64_t round = 0; round < 20; round++) {
      uint32_t alone = 0;
      for (uint64_t l = 0; l < HIK_GROUP; l++) hik_random_q(f.model, 8 + round, l, q + l * nq);
      if (round == 3) q[4 * nq + 1] = NAN;
      for (uint32_t l = 0; l < HIK_GROUP; l++) alone |= hik_clear_group(&t, q + l * nq, 1) << l;
      CHECK(hik_clear_group(&t, q, HIK_GROUP) == alone);
      CHECK(hik_clear_group(&t, q, 5) == (alone & 31));
      CHECK(round != 3 || !(alone >> 4 & 1));
    }
  shut(&f, &s, &t);
}

static void test_derivatives(void) {
  const hik_shape ball = shape_at(HIK_SHAPE_SPHERE, 0.3, -2, 0.4, 0.1, 0, 0);
  staged s;
  term_figure f;
  hik_term t;
  if (!open(&f, &s, &t, &ball, 1)) return;
  if (resolve(&f, &t, 50, 0))
    for (uint64_t draw = 0; draw < 10; draw++) {
      hik_random_q(f.model, 14, draw, f.q);
      if (hik_figure_capsules(s.figure) <= HIK_CLEAR_ROWS) term_figure_differences(&f, 1e-5);
    }
  shut(&f, &s, &t);
}

static void test_what_is_no_posture_is_never_clear(void) {
  const hik_shape ball = shape_at(HIK_SHAPE_SPHERE, 90, 0, 0, 0.1, 0, 0);
  staged s;
  term_figure f;
  hik_term t;
  if (!open(&f, &s, &t, &ball, 1)) return;
  double row[HIK_CLEAR_ROWS], d;
  bool met;
  if (resolve(&f, &t, 0, 0))
    for (int k = 0; k < 3; k++) {
      hik_random_q(f.model, 1, 2, f.q);
      f.q[0] = k == 0 ? NAN : k == 1 ? 2e12 : INFINITY;
      hik_residual(f.problem, 1, f.target, f.q, row, f.scratch);
      hik_measure_terms(f.problem, 1, f.target, f.q, &d, NULL, &met, f.scratch);
      CHECK(isnan(row[0]) && isnan(d) && !met);
    }
  hik_problem *none = NULL;
  t.param[0] = -1;
  CHECK(hik_problem_create(f.model, &t, 1, &none, &f.error) == HIK_BAD_ARGUMENT &&
        strstr(f.error.text, "distances"));
  t.param[0] = 0;
  hik_clear *kept = t.clear;
  t.clear = NULL;
  CHECK(hik_problem_create(f.model, &t, 1, &none, &f.error) == HIK_BAD_ARGUMENT &&
        strstr(f.error.text, "own model"));
  t.clear = kept;
  shut(&f, &s, &t);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_deepest_row_is_the_least_distance);
  RUN(test_a_group_is_what_each_is_alone);
  RUN(test_derivatives);
  RUN(test_what_is_no_posture_is_never_clear);
  CHECK_END();
}
