/* test_free_starts.c: solve/drive/free_starts.c: postures of the map are free and inside the limits; the nearest come first; where no start
   but the one given is to be made there is none. */
#include "solve/drive/auto.h"

#include "scene_figures.h"
#include "term/obstacles.h"
#include "term_figures.h"

typedef struct set {
  staged s;
  hik_clear *clear;
  hik_problem *problem;
  hik_free_map *map;
} set;

static bool open(set *t, bool position) {
  hik_shape shape[20];
  hik_error error;
  bool bad;
  memset(t, 0, sizeof *t);
  stage(&t->s, shape, cluttered(shape, 5));
  CHECK(hik_clear_create(t->s.figure, t->s.world, &t->clear, &error) == HIK_OK);
  hik_term term[2] = {term_named("obstacles", -1, -1), term_named("position", t->s.f.def.n_joint - 1, -1)};
  term[0].clear = t->clear, term[0].param[0] = 0.01;
  CHECK(hik_problem_create(t->s.model, term, position ? 2 : 1, &t->problem, &error) == HIK_OK);
  hik_options options = hik_options_default(hik_find(HIK_SOLVERS, "auto"));
  t->map = hik_free_map_create(t->problem, &options, &bad);
  CHECK(!bad);
  return true;
}

static void shut(set *t) {
  hik_release(t->map);
  hik_problem_free(t->problem);
  hik_clear_free(t->clear);
  unstage(&t->s);
}

static void test_postures_of_the_map_are_free(void) {
  set t;
  if (!open(&t, true)) return;
  CHECK(t.map && t.map->count > 20 && t.map->points == 1);
  CHECK(t.problem->plain && t.problem->plain->n_goal == 1 && t.problem->plain->width == t.problem->width);
  CHECK(t.map->plain.problem == t.problem->plain && t.map->options.retries == 0);
  for (int32_t k = 0; t.map && k < t.map->count; k++) {
    const double *q = t.map->q + (size_t)k * (size_t)t.s.model->nq;
    CHECK(hik_free_clear(t.problem, q, 1) == 1);
    CHECK(hik_inside(t.s.model, q, 1e-12));
    hik_check_place(t.s.check, q, 1);
    CHECK(hik_check_touch(t.s.check, NULL, true).free & 1);
  }
  shut(&t);
}

static double square(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

static void test_the_nearest_come_first(void) {
  set t;
  if (!open(&t, true) || !t.map) return;
  const double target[3] = {0.2, -0.3, 0.4};
  hik_free_query query;
  double q[FIGURE_NQ], last = 0;
  size_t nq = (size_t)t.s.model->nq;
  int32_t taken = 0;
  hik_free_ask(t.map, target, &query);
  for (; hik_free_take(t.map, &query, q); taken++) {
    int32_t at = query.place[taken], nearer = 0;
    double far = square(t.map->at + 3 * at, target);
    for (int32_t k = 0; k < t.map->count; k++) nearer += square(t.map->at + 3 * k, target) < far;
    CHECK(nearer == taken && far >= last);
    CHECK(memcmp(q, t.map->q + (size_t)at * nq, nq * sizeof *q) == 0);
    last = far;
  }
  CHECK(taken == HIK_FREE_ATTEMPTS);
  shut(&t);
}

static void test_obstacles_alone_have_no_map(void) {
  set t;
  if (!open(&t, false)) return;
  CHECK(!t.map && !t.problem->plain);
  shut(&t);
}

static void test_from_the_start_given_alone_no_map_is_drawn(void) {
  set t;
  if (!open(&t, true)) return;
  hik_options options = hik_options_default(hik_find(HIK_SOLVERS, "auto"));
  for (int32_t starts = 0; starts < 2; starts++) {
    bool bad;
    options.param[0] = starts;
    hik_free_map *map = hik_free_map_create(t.problem, &options, &bad);
    CHECK(!bad && map && (map->count > 0) == (starts > 0));
    hik_release(map);
  }
  shut(&t);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_postures_of_the_map_are_free);
  RUN(test_the_nearest_come_first);
  RUN(test_obstacles_alone_have_no_map);
  RUN(test_from_the_start_given_alone_no_map_is_drawn);
  CHECK_END();
}
