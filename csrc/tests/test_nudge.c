#include "coupled_figures.h"
#include "solve/points/nudge.h"

static void nudge_stays_inside_and_is_the_same_every_time(void) {
  hik_model *models[] = {planar_chain(9, 1.05), hinge_arm(), ball_arm(), gantry()};
  for (int k = 0; k < 4; k++) {
    const hik_model *m = models[k];
    int32_t list[MOST];
    for (int32_t s = 0; s < m->n_step; s++) list[s] = s;
    for (int i = 0; i < 100; i++) {
      double q[4 * MOST], again[4 * MOST], start[4 * MOST];
      memcpy(q, m->rest, (size_t)m->nq * sizeof *q);
      hik_random_q(m, 7, (uint64_t)i, q);
      memcpy(start, q, sizeof q);
      memcpy(again, q, sizeof q);
      hik_nudge(m, list, m->n_step, i % 3, m->reach, q);
      hik_nudge(m, list, m->n_step, i % 3, m->reach, again);
      CHECK(memcmp(q, again, (size_t)m->nq * sizeof *q) == 0);
      CHECK(memcmp(q, start, (size_t)m->nq * sizeof *q) != 0);
      CHECK(hik_inside(m, q, 0));
    }
    hik_model_free(models[k]);
  }
}

/* At a limit it moves inwards, in the middle to alternate sides. */
static void nudge_goes_where_it_says(void) {
  hik_model *m = planar_chain(3, 2);
  int32_t list[3] = {0, 1, 2};
  double q[3] = {2, 0, 0};
  hik_nudge(m, list, 3, 0, 1, q);
  CHECK_NEAR(q[0], 1.5, 1e-15);
  CHECK_NEAR(q[1], -0.3, 1e-15);
  CHECK_NEAR(q[2], 0.3, 1e-15);
  hik_model_free(m);
}

/* Each coordinate is moved once, by the joint that the others follow. */
static void joints_that_follow_are_left_to_their_leaders(void) {
  hik_model *m = coupled_tree();
  int32_t list[5] = {0, 1, 2, 3, 4};
  double q[3] = {0, 1.5, 0.5}, alone[3] = {0, 1.5, 0.5};
  hik_nudge(m, list, 5, 0, 1, q);
  CHECK_NEAR(q[0], 0.075 * 4, 1e-15);
  CHECK_NEAR(q[1], 1.5 * 0.75, 1e-15);
  CHECK_NEAR(q[2], 0.375, 1e-15);
  hik_nudge(m, list + 2, 1, 0, 1, alone); /* without its leader in the list the follower moves */
  CHECK(alone[0] != 0 && alone[1] == 1.5);
  hik_model_free(m);
}

/* The tip and a point of the branch are met together. */
static void joints_that_follow_are_moved(void) {
  hik_model *m = coupled_tree();
  hik_problem *p = coupled_problem(m, false);
  const char *const names[] = {"fabrik", "fabrik_fast", "hybrid", "ccd", "ccd_fast"};
  for (int k = 0; k < HIK_COUNT_OF(names); k++) {
    solved s = solve_with(names[k], p, NULL, (double[10]){0.5, 0.2, 0, 1, 0, 0, 0, 0.3, 0.4, 0.1}, m->rest);
    CHECK(s.status == HIK_OK && hik_inside(m, s.q, 0) && s.error < 0.8);
  }
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(nudge_stays_inside_and_is_the_same_every_time);
  RUN(nudge_goes_where_it_says);
  RUN(joints_that_follow_are_left_to_their_leaders);
  RUN(joints_that_follow_are_moved);
  CHECK_END();
}
