/* test_chain.c: a chain says the same as the model it was taken from; unwinding keeps to the limits. */
#include "analytic/chain.h"
#include "base/memory.h"
#include "tests/arms.h"
#include "tests/check.h"

enum { N = 6 };

/* Six joints on slanted placements, one slide, axes other than z. Frame 0 and frame 6 are on the last, 1 to 5 on those
   before. */
static hik_model *build(hik_rng *rng, double limit) {
  hik_model_def def = hik_model_def_default();
  int32_t parent[N], kind[N], carrier[N + 1] = {N - 1, 0, 1, 2, 3, 4, 5};
  double axis[3 * N], place[12 * N], lower[N], upper[N], tool[12 * (N + 1)];
  for (int i = 0; i <= 2 * N; i++) {
    double s, c, unit[3] = {draw(rng, -1, 1), draw(rng, -1, 1), 1.1};
    hik_unit(unit, unit);
    hik_sincos(draw(rng, -3, 3), &s, &c);
    double *to = i < N ? place + 12 * i : tool + 12 * (i - N);
    hik_mat_axis(unit, c, s, to);
    for (int k = 0; k < 3; k++) to[9 + k] = draw(rng, -1, 1);
    if (i >= N) continue;
    parent[i] = i - 1, kind[i] = i == 3 ? HIK_PRISMATIC : HIK_REVOLUTE;
    for (int k = 0; k < 3; k++) axis[3 * i + k] = draw(rng, 0.1, 1);
    lower[i] = -limit, upper[i] = limit;
  }
  def.n_joint = N, def.n_frame = N + 1, def.parent = parent, def.kind = kind, def.axis = axis,
  def.placement = place;
  def.lower = lower, def.upper = upper, def.frame_joint = carrier, def.frame_placement = tool;
  hik_model *model = NULL;
  hik_error error;
  CHECK(hik_model_create(&def, &model, &error) == HIK_OK);
  return model;
}

static void test_loop_closes_at_the_models_pose(void) {
  hik_rng rng = hik_rng_start(51, 0);
  for (int round = 0; round < 20; round++) {
    hik_model *model = build(&rng, 3);
    hik_chain chain;
    hik_error error;
    CHECK(hik_chain_of(model, 0, &chain, &error) == HIK_OK);
    CHECK(chain.n == N && chain.kind[3] == HIK_SLIDE && chain.scale > 0);
    void *scratch = hik_allocate(hik_scratch_size(model));
    double q[N], T[16], theta[N], residual[6], row[HIK_LOOP_MAX], moved;
    for (int i = 0; i < N; i++) q[i] = draw(&rng, -3, 3);
    hik_frame(model, 0, 1, q, T, scratch);
    hik_pose pose;
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) pose.r[3 * i + j] = T[4 * i + j];
      pose.t[i] = T[4 * i + 3];
    }
    hik_loop loop;
    hik_chain_loop(&chain, &pose, &loop);
    for (int i = 0; i < N; i++) theta[i] = i == 3 ? q[i] / chain.scale : q[i];
    CHECK(hik_loop_residual(&loop, theta, residual, NULL) < 1e-13);
    CHECK(hik_chain_unwind(&chain, theta, row, &moved));
    for (int i = 0; i < N; i++) CHECK_NEAR(row[i], q[i], 1e-12);
    hik_release(scratch);
    hik_model_free(model);
  }
}

/* A frame on any joint: the chain is as long as there are joints above it, and closes too. */
static void test_shorter_chains_close(void) {
  hik_rng rng = hik_rng_start(52, 0);
  for (int n = 1; n <= N; n++) {
    hik_model *model = build(&rng, 3);
    hik_chain chain;
    hik_error error;
    void *scratch = hik_allocate(hik_scratch_size(model));
    double q[N], T[16], theta[N], residual[6];
    hik_pose pose;
    CHECK(hik_chain_of(model, n, &chain, &error) == HIK_OK);
    CHECK(chain.n == n);
    for (int i = 0; i < N; i++) q[i] = draw(&rng, -3, 3), theta[i] = i == 3 ? q[i] / chain.scale : q[i];
    hik_frame(model, n, 1, q, T, scratch);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) pose.r[3 * i + j] = T[4 * i + j];
      pose.t[i] = T[4 * i + 3];
    }
    hik_loop loop;
    hik_chain_loop(&chain, &pose, &loop);
    CHECK(loop.n == n);
    CHECK(hik_loop_residual(&loop, theta, residual, NULL) < 1e-13);
    hik_release(scratch);
    hik_model_free(model);
  }
}

static void test_unwind_takes_whole_turns(void) {
  hik_chain chain = {.n = 1, .line = {{-2, 0.5}}, .lower = {4}, .upper = {5}, .scale = 1};
  double theta = 0.3, moved,
         row[HIK_LOOP_MAX]; /* q = (0.3 - 0.5) / -2 = 0.1, period pi: 0.1 + pi = 3.24, none in 4..5 */
  CHECK(!hik_chain_unwind(&chain, &theta, row, &moved));
  chain.lower[0] = 3, chain.upper[0] = 10;
  CHECK(hik_chain_unwind(&chain, &theta, row, &moved));
  CHECK_NEAR(row[0], 0.1 + HIK_PI, 1e-12); /* the turn nearest to zero */
  chain.kind[0] = HIK_SLIDE, chain.lower[0] = 0, chain.upper[0] = 0.05;
  CHECK(!hik_chain_unwind(&chain, &theta, row, &moved));
}

/* A value past a limit by up to HIK_NEAR_LIMIT is brought to it, in the arm's size for a slide, and that is told. */
static void test_unwind_tells_what_it_moved(void) {
  static const double past[3] = {0, 0.9e-5, 1.1e-5};
  for (int kind = 0; kind < 2; kind++)
    for (int k = 0; k < 3; k++) {
      hik_chain chain = {.n = 1, .line = {{1, 0}}, .lower = {-1}, .upper = {1}, .scale = 4};
      chain.kind[0] = kind;
      double unit = kind == HIK_TURN ? 1 : 4, theta = 1 / unit + past[k], row[HIK_LOOP_MAX], moved;
      CHECK(hik_chain_unwind(&chain, &theta, row, &moved) == (k < 2));
      if (k == 2) continue;
      CHECK(row[0] == 1);
      CHECK_NEAR(moved, past[k], 1e-14);
    }
}

static void test_refusals(void) {
  hik_rng rng = hik_rng_start(52, 0);
  hik_model *model = build(&rng, 3);
  hik_chain chain;
  hik_error error;
  CHECK(hik_chain_of(model, 7, &chain, &error) == HIK_NOT_FOUND);
  hik_model_free(model);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_loop_closes_at_the_models_pose);
  RUN(test_shorter_chains_close);
  RUN(test_unwind_takes_whole_turns);
  RUN(test_unwind_tells_what_it_moved);
  RUN(test_refusals);
  CHECK_END();
}
