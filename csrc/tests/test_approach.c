/* test_approach.c: solve/drive/approach.c: which slides go to a far target, where to, and what is left as it was. */
#include "solve/drive/starts.h"

#include "check.h"
#include "figures.h"

static hik_error error;

/* A free root that carries two hinges in a row, each with a frame. */
static void figure_free(figure *f) {
  figure_start(f);
  figure_joint(f, -1, HIK_FREE);
  for (int k = 0; k < 7; k++) f->lower[k] = -INFINITY, f->upper[k] = INFINITY;
  figure_joint(f, 0, HIK_REVOLUTE);
  figure_joint(f, 1, HIK_REVOLUTE);
}

/* Positions of the last two frames, of these weights; the second counts where `second`. */
static hik_problem *create(figure *f, hik_model **model, double first, double second) {
  hik_problem *p = NULL;
  hik_term term[2];
  CHECK(hik_model_create(&f->def, model, &error) == HIK_OK);
  for (int i = 0; i < 2; i++) {
    term[i] = hik_term_default(hik_find(HIK_TERMS, "position"));
    term[i].frame = 1 + i, term[i].weight = i ? second : first;
  }
  CHECK(*model && hik_problem_create(*model, term, second > 0 ? 2 : 1, &p, &error) == HIK_OK);
  return p;
}

/* The start that a solver with no iteration leaves. */
static void start_of(const hik_problem *p, const char *solver, int32_t n, const double *target,
                     const double *q0, bool once, double *q) {
  int32_t k = hik_find(HIK_SOLVERS, solver);
  hik_options o = hik_options_default(k);
  int8_t outcome[8];
  hik_batch b = {.n = n, .target = target, .target_stride = p->width, .q0 = q0, .q = q, .outcome = outcome};
  o.max_iter = 0;
  if (once) o.param[hik_option_place(hik_solver_classes[k], "max_restarts")] = 0;
  CHECK(hik_solve(k, p, &o, &b, &error) == HIK_OK);
}

static void place_of(const hik_problem *p, int32_t goal, const double *q, double *at) {
  static hik_pose world[FIGURE_JOINTS * 4];
  hik_pose frame;
  hik_list_poses(p->model, p->active, p->n_active, q, world);
  hik_goal_pose(p->goal + goal, world, &frame);
  hik_copy3(frame.t, at);
}

/* From just beyond four lengths on, alone and in a block, the goal is met and nothing but the slides has moved. */
static void test_where_far_begins(void) {
  figure f;
  hik_model *m = NULL;
  figure_free(&f);
  hik_problem *p = create(&f, &m, 1, 0);
  double at[3], target[8 * 3], q[8 * FIGURE_NQ];
  const double line[3] = {0.6, 0, -0.8}, lengths[8] = {0, 1, 3.999, 4.001, 5, 1e3, 1e6, 1e9};
  place_of(p, 0, m->rest, at);
  for (int i = 0; i < 8; i++) hik_axpy3(at, lengths[i] * p->scale, line, target + 3 * i);
  for (int block = 0; block < 2; block++) {
    for (int i = 0; i < 8; i += block ? 8 : 1)
      start_of(p, "auto", block ? 8 : 1, target + 3 * i, m->rest, false, q + i * m->nq);
    for (int i = 0; i < 8; i++) {
      const double *mine = q + i * m->nq;
      CHECK((memcmp(mine, m->rest, 3 * sizeof *mine) == 0) == (lengths[i] <= HIK_FAR));
      CHECK(memcmp(mine + 3, m->rest + 3, ((size_t)m->nq - 3) * sizeof *mine) == 0);
      place_of(p, 0, mine, at);
      for (int k = 0; k < 3 && lengths[i] > HIK_FAR; k++)
        CHECK_NEAR(at[k], target[3 * i + k], 1e-15 * (1 + fabs(target[3 * i + k])) + 1e-12);
      place_of(p, 0, m->rest, at);
    }
  }
  hik_problem_free(p), hik_model_free(m);
}

/* The weighted mean of what the goals are off, squares of the weights counting. */
static void test_several_goals_share(void) {
  figure f;
  hik_model *m = NULL;
  figure_free(&f);
  hik_problem *p = create(&f, &m, 3, 1);
  double at[2][3], target[6] = {100, 20, -30, 90, 25, -35}, q[FIGURE_NQ];
  for (int i = 0; i < 2; i++) place_of(p, i, m->rest, at[i]);
  start_of(p, "dls", 1, target, m->rest, false, q);
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(q[k] - m->rest[k], 0.9 * (target[k] - at[0][k]) + 0.1 * (target[3 + k] - at[1][k]), 1e-12);
  hik_problem_free(p), hik_model_free(m);
}

/* A limit on one side is kept; with limits on both sides a slide stays; a published method asked for one attempt, and
   places that overflow, are left alone. */
static void test_what_is_left_alone(void) {
  figure f;
  hik_model *m = NULL;
  double target[3] = {100, -100, 50}, q[FIGURE_NQ];
  figure_free(&f);
  f.lower[1] = -2, f.lower[2] = -1, f.upper[2] = 1;
  hik_problem *p = create(&f, &m, 1, 0);
  double at[3];
  place_of(p, 0, m->rest, at);
  start_of(p, "dls", 1, target, m->rest, false, q);
  CHECK_NEAR(q[0] - m->rest[0], target[0] - at[0], 1e-12);
  CHECK(q[1] == -2 && q[2] == m->rest[2]);
  start_of(p, "dls", 1, target, m->rest, true, q);
  CHECK(memcmp(q, m->rest, (size_t)m->nq * sizeof *q) == 0);
  target[0] = 1e300;
  start_of(p, "dls", 1, target, m->rest, false, q);
  CHECK(hik_all_finite(q, m->nq));
  hik_problem_free(p), hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_where_far_begins);
  RUN(test_several_goals_share);
  RUN(test_what_is_left_alone);
  CHECK_END();
}
