/* test_lm_lanes.c: solve/lanes/lm_lanes.c through the driver: a block, one at a time and every set of kernels agree; what is
   unreachable is said to be; nothing is written past the answers. */
#include "solve/lanes/queue.h"

#include "base/quat.h"
#include "base/rng.h"
#include "check.h"
#include "term/term.h"

enum { JOINTS = 6, MANY = 100, WIDTH = 7 };

/* Six turns with an elbow and a wrist, limits of +-2.8. */
static hik_model *arm(void) {
  static const double tilt[JOINTS] = {0, 1, 0, 1, -1, 1}, along[JOINTS] = {0.3, 0, 0.4, 0, 0.35, 0};
  int32_t parent[JOINTS], kind[JOINTS], frame_joint = JOINTS - 1;
  double axis[JOINTS][3] = {{0}}, place[JOINTS][12] = {{0}}, lower[JOINTS], upper[JOINTS];
  double tool[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.1};
  for (int k = 0; k < JOINTS; k++) {
    double *r = place[k];
    parent[k] = k - 1, kind[k] = hik_find(HIK_JOINTS, "revolute");
    axis[k][2] = 1, lower[k] = -2.8, upper[k] = 2.8;
    r[0] = 1, r[4] = r[8] = tilt[k] == 0, r[7] = tilt[k], r[5] = -tilt[k];
    r[9] = 0.05 * k, r[11] = along[k];
  }
  hik_model_def def = hik_model_def_default();
  def.n_joint = JOINTS, def.n_frame = 1, def.parent = parent, def.kind = kind, def.axis = &axis[0][0];
  def.placement = &place[0][0], def.lower = lower, def.upper = upper, def.frame_joint = &frame_joint;
  def.frame_placement = tool;
  hik_model *m = NULL;
  hik_error error = {HIK_OK, -1, ""};
  CHECK(hik_model_create(&def, &m, &error) == HIK_OK);
  return m;
}

static hik_problem *problem_of(const hik_model *m, const char *kind) {
  hik_term term = hik_term_default(hik_find(HIK_TERMS, kind));
  hik_problem *p = NULL;
  hik_error error = {HIK_OK, -1, ""};
  term.frame = 0;
  CHECK(hik_problem_create(m, &term, 1, &p, &error) == HIK_OK);
  return p;
}

/* Rows of the problem's own width. */
static void draw_targets(const hik_model *m, const hik_problem *p, double *target) {
  hik_pose world[JOINTS], pose;
  double q[JOINTS];
  uint32_t caps = hik_goal_class(p->goal)->caps;
  for (int i = 0; i < MANY; i++, target += p->width) {
    hik_random_q(m, 4, (uint64_t)i, q);
    hik_step_poses(m, q, world);
    hik_frame_pose(m, 0, world, &pose);
    hik_copy3(pose.t, target);
    if (caps & HIK_HAS_ORIENTATION) hik_quat_from_mat(pose.r, target + (caps & HIK_HAS_POSITION ? 3 : 0));
    if (caps & HIK_HAS_AXIS) hik_mat_column(pose.r, 2, target);
  }
}

static void solve(const hik_problem *p, int32_t solver, int64_t n, const double *target, double *q,
                  int8_t *outcome) {
  hik_options o = hik_options_default(solver);
  hik_error error = {HIK_OK, -1, ""};
  hik_batch b = {
      .n = n, .target = target, .target_stride = hik_problem_target_width(p), .q = q, .outcome = outcome};
  CHECK(hik_solve(solver, p, &o, &b, &error) == HIK_OK);
}

static void block_one_and_kernels_agree(const char *kind) {
  static const char *const sets[] = {"base", "avx2", "avx512"};
  hik_model *m = arm();
  hik_problem *p = problem_of(m, kind);
  double target[MANY * WIDTH], whole[MANY * JOINTS], again[MANY * JOINTS], alone[JOINTS];
  int8_t outcome[MANY], now;
  int32_t solver = hik_find(HIK_SOLVERS, "lm_batch"), width = p->width;
  bool far = hik_goal_class(p->goal)->caps & HIK_HAS_POSITION;
  draw_targets(m, p, target);
  for (int i = 0; far && i < 3; i++) target[5 * width + i] *= 10;
  target[9 * width] = NAN;
  CHECK(hik_simd_select("base"));
  solve(p, solver, MANY, target, whole, outcome);
  for (int i = 0; i < MANY; i++)
    CHECK(outcome[i] == (far && i == 5 ? HIK_UNREACHABLE : i == 9 ? HIK_INVALID : HIK_CONVERGED));
  for (int s = 0; s < HIK_COUNT_OF(sets); s++) {
    if (!hik_simd_select(sets[s])) continue;
    solve(p, solver, MANY, target, again, outcome);
    CHECK(memcmp(whole, again, sizeof whole) == 0);
    for (int i = 0; i < MANY; i++) {
      solve(p, solver, 1, target + i * width, alone, &now);
      CHECK(memcmp(alone, whole + i * JOINTS, sizeof alone) == 0 && now == outcome[i]);
    }
  }
  CHECK(hik_simd_select("auto"));
  hik_problem_free(p);
  hik_model_free(m);
}

static void test_block_one_and_kernels_agree(void) {
  block_one_and_kernels_agree("pose");
  block_one_and_kernels_agree("position");
  block_one_and_kernels_agree("orientation");
  block_one_and_kernels_agree("axis");
}

static void test_options_out_of_range_are_refused(void) {
  hik_model *m = arm();
  hik_problem *p = problem_of(m, "pose");
  int32_t solver = hik_find(HIK_SOLVERS, "lm_batch");
  double target[WIDTH] = {0.3, 0, 0.5, 1, 0, 0, 0}, q[JOINTS];
  int8_t outcome;
  hik_batch b = {.n = 1, .target = target, .target_stride = WIDTH, .q = q, .outcome = &outcome};
  static const double bad[] = {-1, -3, 256};
  for (int i = 0; i < HIK_COUNT_OF(bad); i++) {
    hik_options o = hik_options_default(solver);
    hik_error error = {HIK_OK, -1, ""};
    o.param[0] = bad[i];
    CHECK(hik_solve(solver, p, &o, &b, &error) == HIK_BAD_ARGUMENT && strstr(error.text, "max_restarts"));
  }
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_block_one_and_kernels_agree);
  RUN(test_options_out_of_range_are_refused);
  CHECK_END();
}
