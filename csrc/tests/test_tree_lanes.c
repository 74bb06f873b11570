/* test_tree_lanes.c: a step of the kernels is the step of solve/squares/descent.c; through `auto` a block, one at a time and every
   set of kernels agree, and the limits hold. */
#include "solve/lanes/tree_plan.h"

#include "descent_figures.h"
#include "simd/kernels.h"

enum { MANY = 60 };

/* One step of the kernel of the narrowest set, from the bench's q; false: the start is given up. */
static bool kernel_step(const bench *b, const hik_tree_plan *plan, double *out, double *error) {
  const hik_tree *t = &plan->tree;
  enum { WIDTH = 2 };
  size_t slots = (size_t)t->slots, aims = 12 * (size_t)t->goals;
  size_t all = 2 * slots + aims + HIK_DESCENT_PAST + 3 + hik_tree_work(t);
  double *memory = hik_allocate(all * WIDTH * sizeof(double)), *at = memory, aim[3 * 12];
  hik_descent_state s;
  s.now = at, at += slots * WIDTH;
  s.next = at, at += slots * WIDTH;
  s.target = at, at += aims * WIDTH;
  s.error = at, at += WIDTH;
  s.past = at, at += HIK_DESCENT_PAST * WIDTH;
  s.ratio = at, at += WIDTH;
  s.left = at, at += WIDTH;
  s.work = at;
  hik_tree_target(b->p, b->target, aim);
  for (int lane = 0; lane < WIDTH; lane++) {
    hik_tree_put(plan, b->q, WIDTH, s.now + lane);
    hik_tree_put(plan, b->q, WIDTH, s.next + lane);
    for (size_t i = 0; i < aims; i++) s.target[i * WIDTH + (size_t)lane] = aim[i];
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

/* Random pose, and points for the goals that have three columns, near where another pose has their frames. */
static void pose_bench_on(bench *b, uint64_t draw) {
  double other[4 * MOST], pose[16];
  void *scratch = malloc(hik_scratch_size(b->m));
  memcpy(b->q, b->m->rest, (size_t)b->m->nq * sizeof *b->q);
  memcpy(other, b->q, sizeof other);
  hik_random_q(b->m, 5, 2 * draw, b->q);
  hik_random_q(b->m, 5, 2 * draw + 1, other);
  for (const hik_goal *g = b->p->goal; g < b->p->goal + b->p->n_goal; g++) {
    hik_frame(b->m, g->term.frame, 1, other, pose, scratch);
    for (int32_t i = 0; i < g->width; i++) b->target[g->column + i] = pose[4 * i + 3];
  }
  free(scratch);
  hik_descent_begin(&b->d, b->target, b->q);
  hik_descent_residual(&b->d);
  hik_descent_jacobian(&b->d);
}

/* How many of 60 steps are those of the scalar descent; kind NULL: of the bench's own problem. */
static int same_steps_on(bench *b, const char *kind) {
  int same = 0;
  hik_readied ready = {.problem = b->p};
  CHECK(hik_tree_ready(&ready));
  const hik_tree_plan *plan = ready.tree;
  size_t rows = (size_t)b->d.m;
  double *square = hik_allocate((2 * rows + 1) * rows * sizeof *square);
  for (uint64_t draw = 0; draw < 60; draw++) {
    double got[4 * MOST], want[4 * MOST], error;
    if (kind)
      pose_bench(b, kind, draw);
    else
      pose_bench_on(b, draw);
    CHECK(kernel_step(b, plan, got, &error));
    CHECK_NEAR(error, b->d.error * b->d.error, 1e-10);
    CHECK(hik_descent_damped_step(&b->d, 0.02 * b->d.error * b->d.error + 1e-9, 1, square));
    hik_descent_move(&b->d, b->q, b->d.d, want);
    same += apart(b->m, got, want) < 1e-8;
  }
  hik_release(square);
  hik_release(ready.tree);
  return same;
}

static int same_steps(hik_model *m, const char *kind) {
  bench b;
  start_bench(&b, m, kind, true);
  int same = same_steps_on(&b, kind);
  end_bench(&b);
  return same;
}

static int same_steps_of(hik_model *m, const want *w, int32_t n) {
  bench b;
  start_bench_on(&b, m, problem_with(m, w, n, 1e-6), true);
  int same = same_steps_on(&b, NULL);
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

static void test_a_step_of_polygons_and_followers_is_that_of_the_scalar_descent(void) {
  const char *kinds[] = {"position", "axis", "look_at", "orientation"};
  for (int k = 0; k < 4; k++) {
    CHECK(same_steps(room_arm(), kinds[k]) == 60);
    if (k == 3) break; /* five coordinates are left */
    CHECK(same_steps(room_arm_led(true), kinds[k]) == 60);
    CHECK(same_steps(arm_led(NULL, 0, NULL, 0, NULL, true, true), kinds[k]) == 60);
    CHECK(same_steps(arm_led(NULL, 0, NULL, 0, NULL, true, false), kinds[k]) >= 45);
  }
}

#define RANGE(least, most) {0.02, 0, 0.03, 0, 0.01, 0, least, most}
#define STEPS_OF(model, ...)                                                                                 \
  same_steps_of(model, (const want[]){__VA_ARGS__}, sizeof((const want[]){__VA_ARGS__}) / sizeof(want))

static void test_a_step_of_single_rows_is_that_of_the_scalar_descent(void) {
  const want level = {"level", 0, -1, {0.1, 0.2, 1, 0, 0.1, 2, 1.2}};
  const want point = {"position", 0, -1, {0}};
  CHECK(STEPS_OF(hinge_arm(), level) == 60);
  CHECK(STEPS_OF(hinge_arm(), level, point) == 60);
  CHECK(STEPS_OF(gantry(), level, point) == 60); /* slides do not turn an axis */
  CHECK(STEPS_OF(held_arm(), {"level", 0, -1, {0, 0, 1, 0, 0, 1, HIK_PI}}) == 60);
  CHECK(STEPS_OF(ball_arm(), {"level", 0, -1, {0, 0, 1, 0, 0, 1, 0}}, point) == 60);
  CHECK(STEPS_OF(cone_arm(), level, point) >= 45); /* see above */
  /* a distance from a point of the world: too long, too short, and inside its room */
  CHECK(STEPS_OF(ball_arm(), {"distance", 0, -1, RANGE(0.05, 0.1)}) == 60);
  CHECK(STEPS_OF(ball_arm(), {"distance", 0, -1, RANGE(2, 3)}) == 60);
  CHECK(STEPS_OF(ball_arm(), {"distance", 0, -1, RANGE(0, 9)}, point) == 60);
  CHECK(STEPS_OF(gantry(), {"distance", 0, -1, RANGE(0.3, 0.3)}) == 60);
  /* of two hands, of a hand and the link that carries both arms, and with a slide that both arms share */
  CHECK(STEPS_OF(two_arms(false), {"distance", 0, 1, RANGE(0.2, 0.3)}, point) == 60);
  CHECK(STEPS_OF(two_arms(false), {"distance", 2, 0, RANGE(0.2, 0.3)}, point) == 60);
  CHECK(STEPS_OF(two_arms(true), {"distance", 1, 0, RANGE(0.2, 0.2)}, point, level) == 60);
  CHECK(STEPS_OF(two_arms(true), {"distance", 0, 1, RANGE(0.2, 0.2)}, {"distance", 1, 2, RANGE(0.3, 0.4)},
                 level, {"level", 1, -1, {0}}, {"distance", 2, -1, RANGE(0.9, 0.9)}) == 60);
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

static const char *const sets[] = {"base", "avx2", "avx512"};

static void agree(hik_model *m, const char *kind) {
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
    CHECK(outcome[i] == (far && i == 5 ? HIK_UNREACHABLE : i == 9 ? HIK_INVALID : HIK_CONVERGED));
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

/* Points of three columns, some far, some no numbers; the rest of the terms has none. */
static void draw_points(const hik_model *m, const hik_problem *p, double *target) {
  double q[4 * MOST], whole[7];
  for (int i = 0; i < MANY; i++) {
    memcpy(q, m->rest, (size_t)m->nq * sizeof *q);
    hik_random_q(m, 4, (uint64_t)i, q);
    target_of(m, q, true, whole);
    for (int32_t k = 0; k < p->width; k++) target[i * p->width + k] = whole[k % 3];
    if (p->width && i == 5) target[5 * p->width] += 100;
    if (p->width && i == 7) target[7 * p->width + 1] = 1e300;
    if (p->width && i == 9) target[9 * p->width] = NAN;
  }
}

/* The same bytes for a block, a block the other way round, alone, threads and sets; what is claimed is what the judge says.
   How many are met. */
static int agree_on(hik_model *m, const want *w, int32_t n) {
  hik_problem *p = problem_with(m, w, n, 1e-6);
  double target[MANY * 12], back[MANY * 12], first[MANY * 4 * MOST], again[MANY * 4 * MOST];
  int8_t outcome[MANY], now[MANY];
  size_t bytes = (size_t)m->nq * sizeof(double), row = (size_t)p->width;
  int met = 0;
  CHECK(hik_tree_fits(p) && p->width <= 12);
  draw_points(m, p, target);
  for (int i = 0; i < MANY; i++)
    memcpy(back + (size_t)(MANY - 1 - i) * row, target + (size_t)i * row, row * sizeof *back);
  CHECK(hik_simd_select("base"));
  solve(p, 1, MANY, target, first, outcome);
  hik_pose *world = hik_allocate((size_t)m->n_step * sizeof *world);
  for (int i = 0; i < MANY; i++) {
    hik_verdict v = {.met = false};
    if (outcome[i] != HIK_INVALID) hik_judge_one(p, target + (size_t)i * row, first + i * m->nq, world, &v);
    CHECK(v.met == (outcome[i] == HIK_CONVERGED));
    CHECK(outcome[i] == HIK_INVALID || hik_inside(m, first + i * m->nq, 1e-12));
    met += v.met;
  }
  hik_release(world);
  for (int s = 0; s < HIK_COUNT_OF(sets); s++) {
    if (!hik_simd_select(sets[s])) continue;
    solve(p, s + 1, MANY, target, again, now);
    CHECK(memcmp(first, again, MANY * bytes) == 0 && memcmp(outcome, now, sizeof now) == 0);
    solve(p, 1, MANY, back, again, now);
    for (int i = 0; i < MANY; i++) {
      double alone[4 * MOST];
      int8_t one;
      solve(p, 1, 1, target + (size_t)i * row, alone, &one);
      CHECK(memcmp(alone, first + i * m->nq, bytes) == 0 && one == outcome[i]);
      CHECK(memcmp(again + (MANY - 1 - i) * m->nq, first + i * m->nq, bytes) == 0);
    }
  }
  CHECK(hik_simd_select("auto"));
  hik_problem_free(p);
  hik_model_free(m);
  return met;
}

#define AGREE_ON(model, ...)                                                                                 \
  agree_on(model, (const want[]){__VA_ARGS__}, sizeof((const want[]){__VA_ARGS__}) / sizeof(want))

static void test_single_rows_agree_too(void) {
  const want level = {"level", 0, -1, {0, 0, 1, 0, 0, 1, 1.4}}, point = {"position", 0, -1, {0}};
  CHECK(AGREE_ON(ball_arm(), level) == MANY);
  CHECK(AGREE_ON(ball_arm(), level, point) >= 55);
  CHECK(AGREE_ON(held_arm(), {"distance", 0, -1, {0, 0, 0, 0, 0, 0, 0.5, 0.6}}) == MANY);
  CHECK(AGREE_ON(cone_arm(), {"distance", 0, -1, {0, 0, 0, 0, 0, 0, 0.3, 0.3}}, level) == MANY);
  CHECK(AGREE_ON(two_arms(true), {"distance", 1, 0, {0, 0, 0, 0, 0, 0, 0.3, 0.5}}, point, level) >= 50);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_step_is_that_of_the_scalar_descent);
  RUN(test_a_step_of_polygons_and_followers_is_that_of_the_scalar_descent);
  RUN(test_a_step_of_single_rows_is_that_of_the_scalar_descent);
  RUN(test_block_one_threads_and_kernels_agree);
  RUN(test_single_rows_agree_too);
  CHECK_END();
}
