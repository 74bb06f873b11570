#include "coupled_figures.h"
#include "solve/points/wish.h"

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

/* Positions of both frames of the coupled tree. */
static hik_problem *both_positions(const hik_model *m, double tolerance) {
  hik_problem *p = NULL;
  hik_term term[2] = {hik_term_default(hik_find(HIK_TERMS, "position")),
                      hik_term_default(hik_find(HIK_TERMS, "position"))};
  for (int i = 0; i < 2; i++) term[i].frame = i, term[i].position_tolerance = tolerance;
  CHECK(hik_problem_create(m, term, 2, &p, NULL) == HIK_OK);
  return p;
}

/* The tip and a point of the branch, where a posture has them, are met together from the rest: by no start that stands
   still. */
static void joints_that_follow_are_moved(void) {
  hik_model *m = coupled_tree();
  hik_problem *p = both_positions(m, 1e-3);
  const char *const names[] = {"fabrik", "fabrik_fast", "hybrid", "ccd", "ccd_fast"};
  double pose[16], q[3] = {0.9, -0.7, 0.5}, target[6];
  void *scratch = malloc(hik_scratch_size(m));
  for (int f = 0; f < 2; f++) {
    hik_frame(m, f, 1, q, pose, scratch);
    for (int i = 0; i < 3; i++) target[3 * f + i] = pose[4 * i + 3];
  }
  free(scratch);
  for (int k = 0; k < HIK_COUNT_OF(names); k++) {
    hik_options o = hik_options_default(hik_find(HIK_SOLVERS, names[k]));
    solved s = solve_with(names[k], p, &o, target, m->rest);
    CHECK(s.status == HIK_OK && s.outcome == HIK_CONVERGED && hik_inside(m, s.q, 0));
    for (int i = 0; i < 3; i++) CHECK(s.q[i] != m->rest[i]);
    o.max_iter = 0;
    s = solve_with(names[k], p, &o, target, m->rest);
    CHECK(s.outcome == HIK_MAX_ITER && s.error > 0.1 && memcmp(s.q, m->rest, sizeof(double[3])) == 0);
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
