#include "solve/points/fabrik_tree.h"
#include "solver_figures.h"

/* The frames that an iteration leaves are those of the q it leaves, and q is inside its limits. */
static void frames_belong_to_q(void) {
  hik_model *m = hinge_arm();
  hik_problem *p = make_problem(m, "pose", 1e-6);
  const double weights[HIK_FABRIK_WEIGHTS] = {1, 10, 1, 0.3, 0.5, 3, 16};
  hik_block block = {NULL, 0, false};
  hik_fabrik_lay_out(p, &block);
  CHECK(!block.bad);
  char *memory = hik_allocate(block.size);
  block = (hik_block){memory, 0, false};
  hik_fabrik *f = hik_fabrik_lay_out(p, &block);
  hik_pose world[MOST], fresh[MOST];
  hik_fabrik_prepare(f, p, weights);
  for (int i = 0; i < 50; i++) {
    double q[4 * MOST], goal[4 * MOST], target[7];
    hik_random_q(m, 1, 2 * (uint64_t)i, goal);
    hik_random_q(m, 1, 2 * (uint64_t)i + 1, q);
    target_of(m, goal, true, target);
    hik_step_poses(m, q, world);
    hik_fabrik_begin(f, target, world, q);
    for (int k = 0; k < 20; k++) {
      hik_fabrik_iterate(f, k == 0);
      hik_fabrik_write(f);
      CHECK(hik_inside(m, q, 0));
    }
    hik_step_poses(m, q, fresh);
    for (int32_t s = 0; s < m->n_step; s++) {
      for (int k = 0; k < 9; k++) CHECK_NEAR(world[s].r[k], fresh[s].r[k], 1e-12);
      for (int k = 0; k < 3; k++) CHECK_NEAR(world[s].t[k], fresh[s].t[k], 1e-12);
    }
  }
  hik_release(memory);
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(frames_belong_to_q);
  CHECK_END();
}
