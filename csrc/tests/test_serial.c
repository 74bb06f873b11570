/* test_serial.c: chains cut out of trees: the prepared chain reaches the same poses as the tree, and its map is sound. */
#include <stdlib.h>

#include "base/quat.h"
#include "base/rng.h"
#include "simd/kernels.h"
#include "solve/lanes/serial.h"

#include "check.h"

enum { MOST = 8 };

/* A chain of random turns and slides; every other joint carries a side branch. */
static hik_model *random_tree(uint64_t seed, int32_t n, bool slides, bool parallel, int32_t *frame) {
  hik_rng rng = hik_rng_start(seed, 1);
  int32_t parent[2 * MOST], kind[2 * MOST], frame_joint[1];
  double axis[2 * MOST][3], place[2 * MOST][12], lower[2 * MOST], upper[2 * MOST], tool[12];
  int32_t count = 0, last = -1, hinge = hik_find(HIK_JOINTS, "revolute"),
          slide = hik_find(HIK_JOINTS, "prismatic");
  for (int32_t k = 0; k < n; k++) {
    for (int side = 0; side <= (k % 2 == 1 && k + 1 < n); side++) {
      hik_pose p;
      double q[4];
      hik_rng_rotation(&rng, q);
      hik_quat_to_mat(q, p.r);
      if (parallel) { /* or crossed, or turned over: whole quarter turns about x */
        memcpy(p.r, hik_pose_identity.r, sizeof p.r);
        int quarters = seed % 4 == 3 ? k % 4 : 0;
        p.r[4] = p.r[8] = quarters % 2 ? 0 : 1 - quarters, p.r[7] = quarters % 2 ? 2 - quarters : 0,
        p.r[5] = -p.r[7];
      }
      for (int i = 0; i < 3; i++) p.t[i] = hik_rng_uniform(&rng) - 0.5;
      memcpy(place[count], &p, sizeof p);
      parent[count] = last;
      kind[count] = slides && k % 3 == 2 && !side ? slide : hinge;
      for (int i = 0; i < 3; i++) axis[count][i] = i == 2;
      lower[count] = k % 2 ? -2 : -INFINITY, upper[count] = k % 2 ? 1.5 : INFINITY;
      count++;
    }
    last = count - 1;
  }
  frame_joint[0] = last;
  hik_pose end = hik_pose_identity;
  end.t[0] = 0.1, end.t[1] = -0.2, end.t[2] = 0.05;
  memcpy(tool, &end, sizeof end);
  hik_model_def def = hik_model_def_default();
  def.n_joint = count, def.n_frame = 1, def.parent = parent, def.kind = kind, def.axis = &axis[0][0];
  def.placement = &place[0][0], def.lower = lower, def.upper = upper, def.frame_joint = frame_joint;
  def.frame_placement = tool;
  hik_model *m = NULL;
  hik_error error = {HIK_OK, -1, ""};
  CHECK(hik_model_create(&def, &m, &error) == HIK_OK);
  *frame = 0;
  return m;
}

static hik_problem *problem_of(const char *kind, const hik_model *m, int32_t frame) {
  hik_term term = hik_term_default(hik_find(HIK_TERMS, kind));
  if (strcmp(kind, "axis") == 0) term.param[0] = 0.3, term.param[1] = -0.5, term.param[2] = 2;
  hik_problem *p = NULL;
  hik_error error = {HIK_OK, -1, ""};
  term.frame = frame;
  CHECK(hik_problem_create(m, &term, 1, &p, &error) == HIK_OK);
  return p;
}

static hik_problem *pose_problem(const hik_model *m, int32_t frame) { return problem_of("pose", m, frame); }

/* The columns of the goal that are met where the frame stands. */
static void own_target(const hik_goal *g, const hik_pose *pose, double *x) {
  uint32_t caps = hik_goal_class(g)->caps;
  if (caps & HIK_HAS_POSITION) hik_copy3(pose->t, x), x += 3;
  if (caps & HIK_HAS_ORIENTATION) hik_quat_from_mat(pose->r, x);
  if (caps & HIK_HAS_AXIS) hik_mat_vec(pose->r, g->term.param, x);
}

/* The kernel's error at t, for the target that the tree reaches at q: zero when the chain is the tree's. */
static void chain_agrees(const char *goal, uint64_t seed, int32_t n, bool slides, bool parallel) {
  int32_t frame;
  hik_model *m = random_tree(seed, n, slides, parallel, &frame);
  hik_problem *p = problem_of(goal, m, frame);
  CHECK(hik_serial_fits(p));
  hik_readied ready = {.problem = p};
  CHECK(hik_serial_ready(&ready) && ready.serial);
  const hik_prepared *s = ready.serial;
  CHECK(hik_serial_ready(&ready) && s == ready.serial);
  const hik_lane_kernels *kernels = &hik_kernels_base.wide;
  _Alignas(64) double memory[(2 * MOST + 18) * HIK_DESCENT_LANES], t[MOST], aim[12], target[7], q[2 * MOST],
      back[2 * MOST];
  int32_t width = kernels->lanes;
  double *at = memory;
  hik_descent_state state = {0};
  state.now = at, at += MOST * width, state.next = at, at += MOST * width, state.target = at,
  at += 12 * width;
  state.error = at, at += width, state.past = at, at += 3 * width, state.ratio = at, at += width,
  state.left = at;
  hik_pose world[2 * MOST], pose;
  for (uint64_t draw = 0; draw < 20; draw++) {
    hik_random_q(m, seed, draw, q);
    hik_step_poses(m, q, world);
    hik_frame_pose(m, frame, world, &pose);
    own_target(p->goal, &pose, target);
    hik_serial_target(s, p->goal, target, aim);
    hik_serial_from_q(s, q, t);
    for (int32_t lane = 0; lane < width; lane++) {
      for (int32_t k = 0; k < s->chain.n; k++) state.now[k * width + lane] = t[k];
      for (int32_t k = 0; k < 12; k++) state.target[k * width + lane] = aim[k];
      for (int32_t k = 0; k < 3; k++) state.past[k * width + lane] = INFINITY;
      state.ratio[lane] = 0.5, state.left[lane] = 5;
    }
    CHECK(kernels->descent(&s->chain, &state) == (1u << width) - 1);
    for (int32_t lane = 0; lane < width; lane++) CHECK(state.error[lane] < 1e-27);
    memcpy(back, q, sizeof back);
    hik_serial_to_q(s, t, back);
    for (int32_t k = 0; k < m->nq; k++) CHECK_NEAR(back[k], q[k], 1e-12);
  }
  hik_release(ready.serial->held.also);
  hik_release(ready.serial);
  hik_problem_free(p);
  hik_model_free(m);
}

static void test_chain_reaches_the_poses_of_the_tree(void) {
  static const char *const goals[] = {"pose", "position", "orientation", "axis"};
  for (int g = 0; g < HIK_COUNT_OF(goals); g++)
    for (uint64_t seed = 0; seed < 8; seed++)
      for (int32_t n = g == 0 ? 3 : 2; n <= MOST; n++) {
        chain_agrees(goals[g], seed, n, false, false);
        chain_agrees(goals[g], seed, n, true, false);
        chain_agrees(goals[g], seed, n, seed % 2, true);
      }
}

/* Every sample of the map is where its t puts the chain, and no two are the same. */
static void test_map_is_sound(void) {
  int32_t frame;
  hik_model *m = random_tree(3, 7, false, false, &frame);
  hik_problem *p = pose_problem(m, frame);
  hik_readied ready = {.problem = p};
  CHECK(hik_serial_ready(&ready));
  const hik_prepared *s = ready.serial;
  for (int32_t cell = 0; s && cell < HIK_MAP_CELLS; cell++)
    for (int32_t k = 0; k < HIK_CELL; k++) {
      const float *t = s->map.t + (cell * HIK_CELL + k) * s->chain.n;
      CHECK(t[0] == 0 && t[6] == 0);
      for (int32_t i = 1; i < 6; i++)
        CHECK((double)t[i] >= s->range[i][0] - 1e-6 && (double)t[i] <= s->range[i][1] + 1e-6);
      CHECK(k == 0 || memcmp(t, t - s->chain.n, (size_t)s->chain.n * sizeof *t) != 0);
      double aim[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
      for (int i = 0; i < 3; i++) aim[9 + i] = (double)s->map.cell[cell][6 + i][k];
      int32_t found = hik_map_cell(s, aim);
      /* rounding to float may push a sample over a bound, but not far */
      CHECK(found == cell || abs(found - cell) == 1 ||
            abs(found / HIK_MAP_SLABS - cell / HIK_MAP_SLABS) == 1);
    }
  hik_release(ready.serial->held.also);
  hik_release(ready.serial);
  hik_problem_free(p);
  hik_model_free(m);
}

/* A pose that a sample meets with the ends turned is met by that sample, which the scan finds, and by these turns. */
static void test_map_gives_the_sample_that_meets_a_pose(void) {
  static hik_map_query query;
  int32_t frame;
  for (uint64_t seed = 3; seed < 7; seed++) {
    hik_model *m = random_tree(seed, 7, seed % 2, false, &frame);
    hik_problem *p = pose_problem(m, frame);
    hik_readied ready = {.problem = p};
    CHECK(hik_serial_ready(&ready));
    const hik_prepared *s = ready.serial;
    hik_rng rng = hik_rng_start(5, seed);
    int32_t first = 0, tried = 0;
    for (int32_t k = 0; s && k < HIK_MAP_SAMPLES; k += 37, tried++) {
      double t[HIK_SERIAL_JOINTS], back[HIK_SERIAL_JOINTS], q[64] = {0}, target[12], aim[12], far = 0;
      hik_pose world[64], pose;
      for (int32_t i = 0; i < s->chain.n; i++) t[i] = (double)s->map.t[k * s->chain.n + i];
      if (!s->first.held) t[0] = s->first_range[0] + s->first_range[1] * (1.8 * hik_rng_uniform(&rng) - 0.9);
      if (!s->last.held)
        t[s->chain.n - 1] = s->last_range[0] + s->last_range[1] * (1.8 * hik_rng_uniform(&rng) - 0.9);
      hik_serial_to_q(s, t, q);
      hik_step_poses(m, q, world);
      hik_frame_pose(m, frame, world, &pose);
      own_target(p->goal, &pose, target);
      hik_serial_target(s, p->goal, target, aim);
      hik_map_ask(s, aim, &query);
      hik_map_take(s, &query, back);
      for (int32_t i = 0; i < s->chain.n; i++)
        far = fmax(far, fabs(remainder(back[i] - t[i], s->chain.slide[i] ? INFINITY : 2 * HIK_PI)));
      first += far < 1e-2;
    }
    CHECK(first >= 0.97 * tried); /* the others lie on the bound of two cells */
    if (first < 0.97 * tried) printf("%d of %d\n", first, tried);
    hik_release(ready.serial->held.also);
    hik_release(ready.serial);
    hik_problem_free(p);
    hik_model_free(m);
  }
}

static void test_other_problems_do_not_fit(void) {
  int32_t frame;
  hik_model *m = random_tree(1, 2, false, false, &frame), *arm = random_tree(1, 4, false, false, &frame);
  hik_problem *shorter = pose_problem(m, 0), *level = problem_of("level", arm, 0), *two = NULL;
  hik_term term[2] = {hik_term_default(hik_find(HIK_TERMS, "position")),
                      hik_term_default(hik_find(HIK_TERMS, "axis"))};
  hik_error error = {HIK_OK, -1, ""};
  term[0].frame = term[1].frame = 0;
  CHECK(!hik_serial_fits(shorter));
  CHECK(!hik_serial_fits(level));
  CHECK(hik_problem_create(arm, term, 2, &two, &error) == HIK_OK);
  CHECK(!hik_serial_fits(two));
  hik_problem_free(shorter);
  hik_problem_free(level);
  hik_problem_free(two);
  hik_model_free(m);
  hik_model_free(arm);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_chain_reaches_the_poses_of_the_tree);
  RUN(test_map_is_sound);
  RUN(test_map_gives_the_sample_that_meets_a_pose);
  RUN(test_other_problems_do_not_fit);
  CHECK_END();
}
