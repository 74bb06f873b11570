#include "solve/nudge.h"
#include "solver_figures.h"

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

static void coupled_joints_are_refused(void) {
  figure f = {0};
  add_joint(&f, -1, HIK_REVOLUTE, "z", (double[3]){0, 0, 0}, -2, 2);
  add_joint(&f, 0, HIK_REVOLUTE, "z", (double[3]){1, 0, 0}, -2, 2);
  add_frame_at(&f, 1, 1, 0, 0);
  hik_model_def d = hik_model_def_default();
  int32_t mimic[2] = {-1, 0};
  double line[4] = {1, 0, 0.5, 0};
  d.n_joint = f.n, d.n_frame = f.frames;
  d.parent = f.parent, d.kind = f.kind, d.axis = f.axis[0], d.placement = f.place[0];
  d.lower = f.lower, d.upper = f.upper, d.frame_joint = f.frame_joint, d.frame_placement = f.frame_place[0];
  d.mimic = mimic, d.mimic_line = line;
  hik_model *m = NULL;
  CHECK(hik_model_create(&d, &m, NULL) == HIK_OK);
  hik_problem *p = make_problem(m, "position", 1e-3);
  double target[3] = {1, 1, 0};
  solved s = solve_with("ccd", p, NULL, target, m->rest);
  CHECK(s.status == HIK_UNSUPPORTED && strstr(s.message.text, "joint 1") != NULL);
  CHECK(solve_with("fabrik", p, NULL, target, m->rest).status == HIK_UNSUPPORTED);
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(nudge_stays_inside_and_is_the_same_every_time);
  RUN(nudge_goes_where_it_says);
  RUN(coupled_joints_are_refused);
  CHECK_END();
}
