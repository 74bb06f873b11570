/* test_wish.c: solve/points/wish.c: goals as points and axes. */
#include <stdlib.h>

#include "coupled_figures.h"
#include "solve/points/wish.h"

static hik_problem *problem_of(const hik_model *m, const hik_term *term, int32_t count) {
  hik_problem *p = NULL;
  CHECK(hik_problem_create(m, term, count, &p, NULL) == HIK_OK);
  return p;
}

static hik_term named(const char *kind, int32_t frame, int32_t other) {
  hik_term t = hik_term_default(hik_find(HIK_TERMS, kind));
  t.frame = frame, t.other = other;
  return t;
}

static void a_pair_is_two_wishes_that_give_way(void) {
  hik_model *m = coupled_tree();
  hik_term t[3] = {named("position", 1, -1), named("distance", 0, 1), named("distance", 0, -1)};
  for (int i = 1; i < 3; i++) t[i].param[0] = 0.1, t[i].param[6] = t[i].param[7] = 0.4;
  hik_problem *p = problem_of(m, t, 3);
  hik_wish w[4];
  CHECK(hik_wish_count(p) == 4 && hik_wishes_accept(p, NULL, "ccd", NULL) == HIK_OK);
  hik_wishes_set(p, w);
  CHECK(w[0].mate == -1 && !w[0].changes && w[0].point && !w[0].axis && !w[0].frame);
  CHECK(w[1].mate == 2 && w[2].mate == 1 && w[1].changes && w[2].side == 1 && w[3].mate == -1);
  double way[3];
  hik_sub3(w[1].place.t, p->goal[1].place.t, way);
  CHECK_NEAR(hik_norm(way), 0.1, 1e-15);
  double q[3] = {0.3, 0.2, -0.4};
  const double target[3] = {1, 2, 3};
  hik_pose world[5];
  hik_stand now[2];
  hik_step_poses(m, q, world);
  hik_wishes_begin(target, 4, w);
  hik_wishes_look(target, world, 4, w);
  CHECK(memcmp(w[0].want.point, target, sizeof target) == 0);
  double a[3], b[3], gap[3];
  for (int i = 1; i < 3; i++) hik_wish_stand(w + i, world, now + i - 1);
  hik_sub3(w[1].want.point, w[2].want.point, gap);
  CHECK_NEAR(hik_norm(gap), 0.4, 1e-14);
  hik_sub3(w[1].want.point, now[0].point, a);
  hik_sub3(w[2].want.point, now[1].point, b);
  CHECK_NEAR(hik_norm(a), hik_norm(b), 1e-14);
  CHECK_NEAR(hik_norm(w[3].want.point), 0.4,
             1e-14); /* from the origin of the world, which does not give way */
  hik_problem_free(p), hik_model_free(m);
}

static void a_distance_inside_its_range_is_idle(void) {
  hik_model *m = coupled_tree();
  hik_term t = named("distance", 0, 1);
  t.param[6] = 0, t.param[7] = 9;
  hik_problem *p = problem_of(m, &t, 1);
  hik_wish w[2];
  hik_pose world[5];
  hik_wishes_set(p, w);
  hik_step_poses(m, m->rest, world);
  hik_wishes_look(NULL, world, 2, w);
  CHECK(w[0].idle && w[1].idle);
  hik_problem_free(p), hik_model_free(m);
}

/* Leaves NaN where the next call's own variables come to lie. */
static void __attribute__((noinline)) spoil_the_stack(void) {
  volatile double there[4096];
  for (int k = 0; k < 4096; k++) there[k] = NAN;
  CHECK(isnan(there[17]));
}

/* A weight of zero takes nothing away from a NaN that nobody wrote. */
static void what_a_kind_says_nothing_about_is_wanted_where_it_stands(void) {
  hik_model *m = coupled_tree();
  double q[3] = {0.3, 0.2, -0.4};
  const double target[3] = {1, 2, 3};
  const char *kinds[2] = {"level", "look_at"};
  hik_pose world[5];
  hik_step_poses(m, q, world);
  for (int i = 0; i < 2; i++) {
    hik_term t = named(kinds[i], 1, -1);
    hik_problem *p = problem_of(m, &t, 1);
    hik_wish w;
    hik_stand now;
    hik_wishes_set(p, &w);
    CHECK(w.axis && !w.point && !w.frame);
    spoil_the_stack();
    hik_wishes_look(target, world, 1, &w);
    hik_wish_stand(&w, world, &now);
    CHECK(memcmp(w.want.point, now.point, sizeof now.point) == 0);
    CHECK(memcmp(w.want.rotation, now.rotation, sizeof now.rotation) == 0);
    CHECK_NEAR(hik_norm(w.want.axis), 1, 1e-15);
    hik_problem_free(p);
  }
  hik_model_free(m);
}

static void what_has_no_place_is_refused(void) {
  hik_model *m = coupled_tree();
  double zero[3] = {0, 0, 0};
  hik_term t = named("rest", -1, -1);
  t.data = zero, t.n_data = 0;
  double data[6] = {0, 0, 0, 1, 1, 1};
  t.data = data, t.n_data = m->nq + m->nv;
  hik_problem *p = problem_of(m, &t, 1);
  hik_error error;
  CHECK(hik_wishes_accept(p, NULL, "ccd", &error) == HIK_UNSUPPORTED &&
        strstr(error.text, "ccd takes terms") != NULL);
  hik_problem_free(p), hik_model_free(m);
}

/* A chain of a million steps under ever more goals, made by hand: nothing else of a problem is looked at. */
static void more_steps_than_an_index_counts_are_told(void) {
  enum { STEPS = 1 << 20, GOALS = 2100 };
  int32_t *parent = malloc(STEPS * sizeof *parent);
  hik_goal *goal = calloc(GOALS, sizeof *goal);
  if (parent && goal) {
    for (int32_t s = 0; s < STEPS; s++) parent[s] = s - 1;
    for (int i = 0; i < GOALS; i++) goal[i].step = STEPS - 1, goal[i].other_step = -1;
    hik_model model = {.n_step = STEPS, .step_parent = parent};
    hik_problem p = {.model = &model, .n_goal = 3, .goal = goal};
    goal[1].step = 9, goal[2].other_step = 4;
    CHECK(hik_wish_count_above(&p) == 2 * (uint64_t)STEPS + 10 + 5);
    goal[1].step = STEPS - 1, goal[2].other_step = -1;
    p.n_goal = 2047;
    CHECK(hik_wish_count_above(&p) == 2047 * (uint64_t)STEPS);
    p.n_goal = 2048; /* 2^31 */
    CHECK(hik_wish_count_above(&p) == UINT64_MAX);
  }
  free(parent), free(goal);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(a_pair_is_two_wishes_that_give_way);
  RUN(a_distance_inside_its_range_is_idle);
  RUN(what_a_kind_says_nothing_about_is_wanted_where_it_stands);
  RUN(what_has_no_place_is_refused);
  RUN(more_steps_than_an_index_counts_are_told);
  CHECK_END();
}
