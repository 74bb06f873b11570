/* test_tree_lanes.c: a step of the kernels is the step of solve/squares/descent.c; through `auto` a block, one at a time and every
   set of kernels agree, and the limits hold. */
#include "solve/lanes/tree_lanes.h"

#include "descent_figures.h"
#include "simd/kernels.h"

enum { MANY = 60 };

/* One step of the kernel of the narrowest set, from the bench's q; false: the start is given up. */
static bool kernel_step(const bench *b, const hik_tree_plan *plan, double *out, double *error) {
  const hik_tree *t = &plan->tree;
  enum { WIDTH = 2 };
  size_t slots = (size_t)t->slots, all = 2 * slots + 12 + HIK_DESCENT_PAST + 3 + hik_tree_work(t);
  double *memory = hik_allocate(all * WIDTH * sizeof(double)), *at = memory, aim[12];
  hik_descent_state s;
  s.now = at, at += slots * WIDTH;
  s.next = at, at += slots * WIDTH;
  s.target = at, at += 12 * WIDTH;
  s.error = at, at += WIDTH;
  s.past = at, at += HIK_DESCENT_PAST * WIDTH;
  s.ratio = at, at += WIDTH;
  s.left = at, at += WIDTH;
  s.work = at;
  hik_tree_target(b->p, b->target, aim);
  for (int lane = 0; lane < WIDTH; lane++) {
    hik_tree_put(plan, b->q, WIDTH, s.now + lane);
    hik_tree_put(plan, b->q, WIDTH, s.next + lane);
    for (int i = 0; i < 12; i++) s.target[i * WIDTH + lane] = aim[i];
    for (int i = 0; i < HIK_DESCENT_PAST; i++) s.past[i * WIDTH + lane] = INFINITY;
    s.ratio[lane] = 1, s.left[lane] = 1;
  }
  hik_tree_end end = hik_kernels_base.wide.tree(t, &s);
  *error = s.error[1];
  CHECK(s.error[0] == s.error[1]);
  memcpy(out, b->q, (size_t)b->m->nq * sizeof *out);
  hik_tree_get(plan, s.next + 1, WIDTH, out);
  hik_release(memory);
  return !(end.given_up & 2);
}

/* Largest difference of two postures; the same rotation may have either sign. */
static double apart(const hik_model *m, const double *a, const double *b) {
  double v[4 * MOST], most = 0;
  hik_difference(m, 1, a, b, v);
  for (int32_t i = 0; i < m->nv; i++) most = fmax(most, fabs(v[i]));
  return most;
}

/* How many of 60 steps are those of the scalar descent. */
static int same_steps(hik_model *m, const char *kind) {
  bench b;
  int same = 0;
  start_bench(&b, m, kind, true);
  hik_readied ready = {.problem = b.p};
  CHECK(hik_tree_ready(&ready));
  const hik_tree_plan *plan = ready.tree;
  size_t rows = (size_t)b.d.m;
  double *square = hik_allocate((2 * rows + 1) * rows * sizeof *square);
  for (uint64_t draw = 0; draw < 60; draw++) {
    double got[4 * MOST], want[4 * MOST], error;
    pose_bench(&b, kind, draw);
    CHECK(kernel_step(&b, plan, got, &error));
    CHECK_NEAR(error, b.d.error * b.d.error, 1e-10);
    CHECK(hik_descent_damped_step(&b.d, 0.02 * b.d.error * b.d.error + 1e-9, 1, square));
    hik_descent_move(&b.d, b.q, b.d.d, want);
    same += apart(m, got, want) < 1e-8;
  }
  hik_release(square);
  hik_release(ready.tree);
  end_bench(&b);
  return same;
}

static void test_a_step_is_that_of_the_scalar_descent(void) {
  CHECK(same_steps(ball_arm(), "pose") == 60);
  CHECK(same_steps(ball_arm(), "position") == 60);
  CHECK(same_steps(gantry(), "position") == 60);
  CHECK(same_steps(hinge_arm(), "pose") == 60);
  CHECK(same_steps(hinge_arm(), "orientation") == 60);
  CHECK(same_steps(held_arm(), "position") == 60);
  CHECK(same_steps(gantry(), "look_at") == 60);
  CHECK(same_steps(ball_arm(), "look_at") == 60);
  /* the room towards another quadrant of a cone is told otherwise */
  CHECK(same_steps(cone_arm(), "position") >= 45);
  CHECK(same_steps(cone_arm(), "pose") >= 45);
}

static void draw_targets(const hik_model *m, const hik_problem *p, const char *kind, double *target) {
  for (int i = 0; i < MANY; i++) {
    double q[4 * MOST], whole[7];
    memcpy(q, m->rest, (size_t)m->nq * sizeof *q);
    hik_random_q(m, 4, (uint64_t)i, q);
    target_of(m, q, true, whole);
    if (strcmp(kind, "look_at") == 0) whole[0] += 0.4 * m->reach; /* not where the eye stands */
    memcpy(target + i * p->width, whole + (strcmp(kind, "orientation") == 0 ? 3 : 0),
           (size_t)p->width * sizeof *target);
  }
}

static void solve(const hik_problem *p, int32_t threads, int64_t n, const double *target, double *q,
                  int8_t *outcome) {
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "auto"));
  o.threads = threads, o.param[0] = 30;
  hik_batch b = {.n = n, .target = target, .target_stride = p->width, .q = q, .outcome = outcome};
  CHECK(hik_solve(hik_find(HIK_SOLVERS, "auto"), p, &o, &b, NULL) == HIK_OK);
}

static void agree(hik_model *m, const char *kind) {
  static const char *const sets[] = {"base", "avx2", "avx512"};
  hik_problem *p = make_problem(m, kind, 1e-6);
  double target[MANY * 7], whole[MANY * 4 * MOST], again[MANY * 4 * MOST], alone[4 * MOST];
  int8_t outcome[MANY], now[MANY];
  size_t bytes = (size_t)m->nq * sizeof(double);
  bool far = hik_goal_class(p->goal)->caps & HIK_HAS_POSITION;
  draw_targets(m, p, kind, target);
  for (int i = 0; far && i < 3; i++) target[5 * p->width + i] += 100;
  target[9 * p->width] = NAN;
  CHECK(hik_simd_select("base"));
  solve(p, 1, MANY, target, whole, outcome);
  for (int i = 0; i < MANY; i++) {
    CHECK(outcome[i] == (far && i == 5 ? HIK_CLOSEST : i == 9 ? HIK_UNSOLVED : HIK_CONVERGED));
    CHECK(i == 9 || hik_inside(m, whole + i * m->nq, m->n_swing ? 1e-13 : 0));
  }
  for (int s = 0; s < HIK_COUNT_OF(sets); s++) {
    if (!hik_simd_select(sets[s])) continue;
    solve(p, s + 1, MANY, target, again, now);
    CHECK(memcmp(whole, again, MANY * bytes) == 0 && memcmp(outcome, now, sizeof now) == 0);
    for (int i = 0; i < MANY; i++) {
      solve(p, 1, 1, target + i * p->width, alone, now);
      CHECK(memcmp(alone, whole + i * m->nq, bytes) == 0 && now[0] == outcome[i]);
    }
  }
  CHECK(hik_simd_select("auto"));
  hik_problem_free(p);
  hik_model_free(m);
}

static void test_block_one_threads_and_kernels_agree(void) {
  agree(ball_arm(), "pose");
  agree(ball_arm(), "orientation");
  agree(cone_arm(), "position");
  agree(held_arm(), "position");
  agree(ball_arm(), "look_at");
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_step_is_that_of_the_scalar_descent);
  RUN(test_block_one_threads_and_kernels_agree);
  CHECK_END();
}
