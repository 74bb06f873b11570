/* test_starts.c: known points, spread, limits, seeds. */
#include "coupled_figures.h"
#include "descent_figures.h"

static void test_known_points(void) {
  const double two[5] = {0.5, 0.25, 0.75, 0.125, 0.625}, three[4] = {1.0 / 3, 2.0 / 3, 1.0 / 9, 4.0 / 9};
  for (uint32_t i = 0; i < 5; i++) CHECK(hik_halton(i + 1, 2) == two[i]);
  for (uint32_t i = 0; i < 4; i++) CHECK_NEAR(hik_halton(i + 1, 3), three[i], 1e-15);
  for (uint32_t i = 1; i < 100000; i += 7) CHECK(hik_halton(i, 53) > 0 && hik_halton(i, 53) < 1);
}

/* Any 64 starts in a row fall into every eighth of every range with few columns about as often. */
static void test_starts_are_spread(void) {
  bench b;
  start_bench(&b, planar_chain(2, 1), "position", false);
  int box[8] = {0};
  for (uint32_t i = 1; i <= 64; i++) {
    hik_start(&b.run, i, b.q);
    CHECK(hik_inside(b.m, b.q, 0));
    box[(int)(4 * (b.q[0] + 1)) % 8]++;
  }
  for (int i = 0; i < 8; i++) CHECK(box[i] >= 7 && box[i] <= 9);
  end_bench(&b);
}

/* The first starts of a figure of many columns are no line through its room: no two columns go side by side. */
static void test_many_columns_are_independent(void) {
  enum { STARTS = 50, COLUMNS = 60 };
  static double x[STARTS][COLUMNS];
  bench b;
  start_bench(&b, planar_chain(COLUMNS, 1), "position", false);
  for (uint32_t i = 0; i < STARTS; i++) {
    hik_start(&b.run, i + 1, b.q);
    memcpy(x[i], b.q, sizeof x[i]);
  }
  for (int k = 0; k + 1 < COLUMNS; k++) {
    double sum[2] = {0, 0}, square[2] = {0, 0}, product = 0;
    for (int i = 0; i < STARTS; i++) {
      for (int c = 0; c < 2; c++) sum[c] += x[i][k + c], square[c] += x[i][k + c] * x[i][k + c];
      product += x[i][k] * x[i][k + 1];
    }
    double together = product - sum[0] * sum[1] / STARTS,
           apart = (square[0] - sum[0] * sum[0] / STARTS) * (square[1] - sum[1] * sum[1] / STARTS);
    CHECK(fabs(together) < 0.6 * sqrt(apart));
  }
  end_bench(&b);
}

static void test_starts_keep_to_limits_and_seed(void) {
  hik_model *models[] = {cone_arm(), ball_arm(), gantry(), hinge_arm(), planar_chain(60, 1)};
  for (int i = 0; i < 5; i++) {
    bench b;
    start_bench(&b, models[i], "pose", false);
    double again[4 * MOST];
    memcpy(b.q, b.m->rest, (size_t)b.m->nq * sizeof *b.q);
    memcpy(again, b.q, sizeof again);
    for (uint32_t k = 1; k < 200; k++) {
      hik_start(&b.run, k, b.q);
      CHECK(hik_inside(b.m, b.q, 1e-13));
    }
    hik_start(&b.run, 199, again);
    CHECK(memcmp(again, b.q, (size_t)b.m->nq * sizeof *again) == 0);
    b.options.seed = 1;
    hik_start(&b.run, 199, again);
    CHECK(memcmp(again, b.q, (size_t)b.m->nq * sizeof *again) != 0);
    end_bench(&b);
  }
}

/* Slides without limits are drawn within the length of the problem to either side, whatever that is, turns within half a
   turn: the kind of the step tells them apart, not a unit that happens to be 1. */
static void test_slides_are_told_by_their_kind(void) {
  for (int k = 0; k < 3; k++) {
    double arm[] = {1, 0.25, 3};
    figure f = {0};
    add_joint(&f, -1, HIK_PRISMATIC, "x", (double[3]){0, 0, 0}, -INFINITY, INFINITY);
    add_joint(&f, 0, HIK_REVOLUTE, "z", (double[3]){0, 0, 0}, -INFINITY, INFINITY);
    add_joint(&f, 1, HIK_PRISMATIC, "x", (double[3]){0, 0, 0}, -INFINITY, 2);
    add_frame_at(&f, 2, arm[k], 0, 0);
    bench b;
    start_bench(&b, freeze_figure(&f), "position", false);
    double length = b.p->scale, most[3] = {0, 0, 0}, least = INFINITY;
    CHECK(length == arm[k]); /* slides that have no limit add nothing to the path */
    for (uint64_t i = 1; i <= 1000; i++) {
      hik_start(&b.run, i, b.q);
      for (int c = 0; c < 3; c++) most[c] = fmax(most[c], fabs(b.q[c]));
      CHECK(b.q[2] <= 2);
      least = fmin(least, b.q[2]);
    }
    CHECK(most[0] <= length && most[0] > 0.99 * length);
    CHECK(most[1] <= HIK_PI && most[1] > 3.1);
    CHECK(least >= 2 - 2 * length && least < 2 - 1.98 * length);
    end_bench(&b);
  }
}

/* What does not move a goal, is locked or follows another keeps its place. */
static void test_only_what_moves_a_goal_is_drawn(void) {
  bench b;
  start_bench(&b, coupled_tree(), "position", false);
  double q[3] = {0.1, 0.2, 0.3};
  CHECK(hik_starts_move(&b.run) && b.run.starts->n == 2);
  hik_start(&b.run, 5, q);
  CHECK(q[0] != 0.1 && q[1] != 0.2 && q[2] == 0.3);
  end_bench(&b);
  start_bench(&b, held_arm(), "orientation", false);
  CHECK(b.run.starts->n == -1 && hik_starts_move(&b.run) && b.run.starts->n == 3); /* the ball is held */
  end_bench(&b);
}

/* A start's quaternion may be of any length: its entries are no angles. */
static void test_whole_turns_are_of_hinges_alone(void) {
  bench b;
  start_bench(&b, ball_arm(), "position", false);
  double from[4 * MOST], before[4 * MOST];
  for (int32_t k = 0; k < b.m->nq; k++) from[k] = b.q[k] + (k % 2 ? 9 : -8);
  memcpy(before, b.q, sizeof before);
  hik_unwrap(b.p, from, b.q);
  int32_t balls = 0;
  for (int32_t s = 0; s < b.m->n_step; s++) {
    int32_t k = b.m->step_q[s];
    if (b.m->step_kind[s] != HIK_BALL_STEP) continue;
    CHECK(memcmp(b.q + k, before + k, 4 * sizeof *b.q) == 0);
    balls++;
  }
  CHECK(balls > 0);
  end_bench(&b);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_known_points);
  RUN(test_starts_are_spread);
  RUN(test_many_columns_are_independent);
  RUN(test_starts_keep_to_limits_and_seed);
  RUN(test_slides_are_told_by_their_kind);
  RUN(test_only_what_moves_a_goal_is_drawn);
  RUN(test_whole_turns_are_of_hinges_alone);
  CHECK_END();
}
