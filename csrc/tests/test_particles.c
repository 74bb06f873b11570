/* test_particles.c: shares solved, bytes, ends; the cloud that is carried. */
#include "sampling_figures.h"

enum { PARTICLES = 20 };

/* The cloud of a target is left, is where the next begins, and is read row by row: what is not finite is drawn. */
static void test_the_cloud_is_carried(void) {
  hik_model *m = planar_chain(5, 2);
  hik_problem *p = make_problem(m, "position", 1e-4);
  int32_t nq = m->nq, solver = hik_find(HIK_SOLVERS, "particle_filter");
  hik_options o = hik_options_default(solver);
  o.param[0] = PARTICLES;
  double cloud[2][PARTICLES * MOST], q[2][MOST], kept[PARTICLES * MOST], target[3] = {0.2, 0.6, 0};
  int8_t outcome;
  size_t bytes = (size_t)(PARTICLES * nq) * sizeof(double);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < PARTICLES * nq; k++) cloud[i][k] = NAN;
    hik_batch b = {.n = 1,
                   .target = target,
                   .q = q[i],
                   .outcome = &outcome,
                   .cloud = i ? cloud[i] : NULL,
                   .cloud_stride = PARTICLES * nq};
    CHECK(hik_solve(solver, p, &o, &b, NULL) == HIK_OK);
    CHECK(outcome == HIK_CONVERGED);
  }
  CHECK(memcmp(q[0], q[1], (size_t)nq * sizeof **q) == 0); /* an empty cloud is none */
  for (int k = 0; k < PARTICLES; k++) CHECK(hik_inside(m, cloud[1] + k * nq, 1e-13));

  /* at rest without noise the cloud of the next target is that of this one: one generation begins from its best */
  memcpy(kept, cloud[1], bytes);
  o.param[4] = 0, o.max_iter = 0;
  target[0] = 0.25;
  hik_batch b = {.n = 1,
                 .target = target,
                 .q0 = q[1],
                 .q = q[0],
                 .outcome = &outcome,
                 .cloud = cloud[1],
                 .cloud_stride = PARTICLES * nq};
  CHECK(hik_solve(solver, p, &o, &b, NULL) == HIK_OK);
  CHECK(memcmp(kept, cloud[1], bytes) == 0); /* no iteration: nothing moved */
  o.max_iter = 1000;
  CHECK(hik_solve(solver, p, &o, &b, NULL) == HIK_OK);
  CHECK(outcome == HIK_CONVERGED);
  CHECK(memcmp(kept, cloud[1], bytes) != 0);
  hik_problem_free(p);
  hik_model_free(m);
}

/* Only this solver has one. */
static void test_whose_cloud(void) {
  hik_model *m = planar_chain(3, 2);
  hik_problem *p = make_problem(m, "position", 1e-4);
  for (int32_t i = 0; i < hik_count(HIK_SOLVERS); i++) {
    hik_options o = hik_options_default(i);
    hik_plan *plan = NULL;
    if (hik_plan_create(i, p, &o, NULL, &plan, NULL) != HIK_OK) continue;
    bool filter = strcmp(hik_row(HIK_SOLVERS, i).name, "particle_filter") == 0;
    CHECK(hik_plan_cloud(plan) == (filter ? 100 : 0));
    hik_plan_free(plan);
  }
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  run_sampling_tests("particle_filter", (const int[4]){30, 29, 30, 30});
  RUN(test_the_cloud_is_carried);
  RUN(test_whose_cloud);
  CHECK_END();
}
