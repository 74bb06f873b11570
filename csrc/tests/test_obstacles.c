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

/* Residual, derivative and measure of a posture, as bytes. */
typedef struct told {
  double row[HIK_CLEAR_ROWS], derivative[HIK_CLEAR_ROWS * FIGURE_NQ], distance;
  bool met;
} told;

static void tell(term_figure *f, const double *q, told *out) {
  memset(out, 0, sizeof *out);
  hik_residual(f->problem, 1, f->target, q, out->row, f->scratch);
  if (!isnan(out->row[0])) hik_residual_jacobian(f->problem, 1, f->target, q, out->derivative, f->scratch);
  hik_measure_terms(f->problem, 1, f->target, q, &out->distance, NULL, &out->met, f->scratch);
}

/* What is looked at ahead is told as if it were looked at alone; so is what the judge is asked about in numbers. */
static void test_what_is_looked_at_ahead_is_told_the_same(void) {
  static const double want[4][2] = {{0, 0}, {0.03, 0}, {0, 0.02}, {0.3, 0.1}};
  hik_shape shape[20];
  staged s;
  term_figure f;
  hik_term t;
  int32_t n = cluttered(shape, 7), kept = 0, lacked = 0;
  if (!open(&f, &s, &t, shape, n)) return;
  size_t nq = (size_t)f.model->nq;
  double q[2 * HIK_GROUP * FIGURE_NQ];
  static told alone[2 * HIK_GROUP], together;
  for (uint64_t round = 0; round < 12; round++) {
    const double *x = want[round % 4];
    if (!resolve(&f, &t, x[0], x[1])) break;
    for (uint64_t l = 0; l < 2 * HIK_GROUP; l++) {
      hik_random_q(f.model, 40 + round, l, q + l * nq);
      if (l == 5) q[l * nq + 1] = NAN;
      tell(&f, q + l * nq, alone + l);
    }
    for (int likely = 0; likely < 2; likely++) {
      hik_clear_look(&f.problem->goal->term, q, HIK_GROUP, likely);
      for (size_t l = 0; l < HIK_GROUP; l++) {
        tell(&f, q + l * nq, &together);
        CHECK(memcmp(&together, alone + l, sizeof together) == 0);
        kept += together.met, lacked += together.distance > 0;
      }
    }
    hik_verdict v[2 * HIK_GROUP];
    hik_judge_some(f.problem, 2 * HIK_GROUP - 3, f.target, 0, q, f.scratch, v);
    for (size_t l = 0; l < 2 * HIK_GROUP - 3; l++) {
      CHECK(v[l].met == alone[l].met);
      CHECK(isnan(alone[l].distance) ? isnan(v[l].position_error) : v[l].position_error == alone[l].distance);
    }
  }
  CHECK(kept > 20 && lacked > 20);
  shut(&f, &s, &t);
}

/* Where more pairs are near than there is room for: of obstacles that nothing is asked of none is, however much is wanted of the
   figure's own pairs; and many postures together are what each is alone. */
static void test_many_near_pairs(void) {
  enum { MANY = 120, MOST_NEAR = 4000 };
  hik_shape shape[MANY];
  staged s;
  term_figure f;
  hik_term t;
  for (int k = 0; k < MANY; k++) {
    double turn = 2.399963 * k, z = 2 * (k + 0.5) / MANY - 1, x = sqrt(1 - z * z);
    shape[k] = shape_at(HIK_SHAPE_SPHERE, 5 * x * cos(turn), 5 * x * sin(turn), 5 * z, 0.1, 0, 0);
  }
  if (!open(&f, &s, &t, shape, MANY)) return;
  hik_near *near = malloc(MOST_NEAR * sizeof *near);
  size_t nq = (size_t)f.model->nq;
  double q[HIK_GROUP * FIGURE_NQ];
  uint32_t alone = 0;
  for (uint64_t l = 0; l < HIK_GROUP; l++) hik_random_q(f.model, 77, l, q + l * nq);
  for (size_t l = 0; l < HIK_GROUP && near && resolve(&f, &t, 0, 20); l++) {
    told of;
    hik_check_place(s.check, q + l * nq, 1);
    CHECK(hik_check_near(s.check, 20, 20, near, MOST_NEAR) > 1000);
    int32_t own = hik_check_near(s.check, 0, 20, near, MOST_NEAR), least = 0;
    CHECK(own >= hik_figure_pairs(s.figure) && own < 256);
    for (int32_t k = 0; k < own; k++)
      if (near[k].distance[0] < near[least].distance[0]) least = k;
    tell(&f, q + l * nq, &of);
    CHECK(!of.met && of.distance == 20 - near[least].distance[0]);
  }
  if (near && resolve(&f, &t, 3, 0)) {
    for (uint32_t l = 0; l < HIK_GROUP; l++) alone |= hik_clear_group(&t, q + l * nq, 1) << l;
    hik_check_place(s.check, q, HIK_GROUP);
    CHECK(hik_check_near(s.check, 3, 0, near, MOST_NEAR) > 256 && alone);
    CHECK(hik_clear_group(&t, q, HIK_GROUP) == alone);
  }
  free(near);
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
  RUN(test_what_is_looked_at_ahead_is_told_the_same);
  RUN(test_many_near_pairs);
  RUN(test_derivatives);
  RUN(test_what_is_no_posture_is_never_clear);
  CHECK_END();
}
