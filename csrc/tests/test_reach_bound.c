#include <stdlib.h>

#include "access/reach_bound.h"
#include "access_figures.h"

/* The values of the variables at a posture. */
static void variables_at(const hik_reach *r, const double *q, double *x) {
  for (int32_t i = 0; i < r->variables; i++)
    if (r->variable[i].q >= 0) x[i] = q[r->variable[i].q];
  for (int32_t k = 0; k < r->n; k++) {
    const hik_element *e = r->element + k;
    if (e->kind != HIK_BALL_STEP) continue;
    double split[3];
    hik_swing_split(e->room, q + r->model->step_q[e->step], split);
    x[e->variable] = split[0], x[e->variable + 1] = split[1];
    if (!r->tail.arm) x[e->variable + 2] = split[2];
  }
}

/* Cells about drawn postures: no posture within them is nearer to a drawn target than either bound. */
static void bounds_hold(int32_t kind) {
  bool whole = kind == HIK_REACH_WHOLE;
  access_figure a;
  hik_model *m = access_arm(&a);
  hik_reach *r = NULL;
  hik_error error;
  CHECK(hik_reach_create(m, ACCESS_JOINTS - 1, kind, &r, &error) == HIK_OK);
  void *scratch = malloc(hik_reach_at_size(r));
  hik_reach_at at = hik_reach_at_begin(r, scratch);
  hik_rng rng = hik_rng_start(11, whole);
  double closest[2] = {1, 1}, share[16];
  for (int i = 0; i < CHECK_REPEATS(60000, 3000); i++) {
    double q[16], x[16], middle[16], half[16], target[3], tip[3], off[3], n[3];
    double size = pow(10, -3 * hik_rng_uniform(&rng));
    hik_random_q(m, 7, (uint64_t)i, q);
    variables_at(r, q, x);
    for (int32_t k = 0; k < r->variables; k++) {
      half[k] = size * hik_rng_uniform(&rng);
      double side = hik_rng_uniform(&rng);
      middle[k] = x[k] + half[k] * (side < 0.3 ? -1 : side > 0.7 ? 1 : 2 * side - 1);
    }
    for (int k = 0; k < 3; k++)
      target[k] = 2.4 * hik_rng_uniform(&rng) - 1.2, n[k] = hik_rng_uniform(&rng) - 0.5;
    access_tip(m, ACCESS_JOINTS - 1, q, tip);
    hik_sub3(target, tip, off);
    double far = hik_norm(off);
    if (i % 2) hik_copy3(off, n);
    hik_unit(n, n);
    int32_t last = r->variables - 1;
    if (r->outer && i % 3 == 0) middle[last] = r->variable[last].middle, half[last] = r->variable[last].half;
    bool inside;
    CHECK(hik_reach_place(r, &at, middle, half, &inside)); /* it has a posture inside the limits */
    double first = -1;                                     /* a set's distance is a search of its own */
    if (kind != HIK_REACH_NESTED)
      first = hik_reach_distance(r, &at, target, false, NULL) - hik_reach_loss(r, &at, target, share);
    double second = hik_reach_plane(r, &at, target, n, share);
    CHECK(first <= far + 1e-9 && second <= far + 1e-9);
    if (r->outer) { /* without the last turn, in all of its range or a part */
      hik_reach_at swept = hik_reach_at_outer(r, &at);
      double third = hik_reach_plane(r->outer, &swept, target, n, share);
      CHECK(third <= far + 1e-9);
      double turn = hik_reach_plane_turn(r->outer, &swept, n);
      if (size < 0.01 && i % 3 != 0) CHECK_NEAR(third, second, 0.03); /* both nearly that of the middle */
      CHECK(turn >= 0 && (i % 3 == 0 || turn <= 1.5 * half[last] + 0.01));
    }
    if (size < 0.01 && i % 2 && whole)
      closest[0] = fmin(closest[0], far - first), closest[1] = fmin(closest[1], far - second);
  }
  CHECK((kind == HIK_REACH_NESTED) == (r->outer != NULL));
  if (whole) CHECK(closest[0] < 0.01 && closest[1] < 0.01);
  free(scratch), hik_reach_free(r), hik_model_free(m);
}

static void test_no_posture_of_a_cell_is_nearer_than_its_bounds(void) { bounds_hold(HIK_REACH_WHOLE); }
static void test_nor_with_the_arm_as_a_tail(void) { bounds_hold(HIK_REACH_ARM); }
static void test_nor_with_all_below_the_trunk_as_a_tail(void) { bounds_hold(HIK_REACH_NESTED); }

/* Cells beyond the limits are dropped, and their centers are told from those inside. */
static void test_limits(void) {
  access_figure a;
  hik_model *m = access_arm(&a);
  hik_reach *r = NULL;
  hik_error error;
  CHECK(hik_reach_create(m, ACCESS_JOINTS - 1, HIK_REACH_ARM, &r, &error) == HIK_OK);
  void *scratch = malloc(hik_reach_at_size(r));
  hik_reach_at at = hik_reach_at_begin(r, scratch);
  const double half[4] = {0.01, 0.01, 0.01, 0.01};
  bool inside;
  CHECK(hik_reach_place(r, &at, (double[4]){0, 0, 1.88, 0}, half, &inside) && inside);
  CHECK(hik_reach_place(r, &at, (double[4]){0, 0, 1.905, 0}, half, &inside) && !inside);
  CHECK(!hik_reach_place(r, &at, (double[4]){0, 0, 1.915, 0}, half, &inside));
  CHECK(!hik_reach_place(r, &at, (double[4]){0, 0, 0, -1.115}, half, &inside));
  CHECK(hik_reach_place(r, &at, (double[4]){0, 0, 0, -1.105}, half, &inside) && !inside);
  free(scratch), hik_reach_free(r), hik_model_free(m);
}

/* A slide along y that follows a ball by as much as its bone, x, points along y: at the bone's rest that is a radian's worth a
   radian, the most there is. The frame is the ball's center, so that next to it nothing else moves the target: the first bound is
   exact but for a thousandth. */
static void test_what_follows_a_swing_moves_by_its_steepest_and_no_less(void) {
  static figure f;
  static double swing[12], follow[2 * HIK_FOLLOW_TERMS];
  hik_model *m = NULL;
  hik_reach *r = NULL;
  hik_error error;
  figure_start(&f);
  figure_joint(&f, -1, HIK_PRISMATIC), figure_joint(&f, 0, HIK_BALL);
  memcpy(f.axis, (double[6]){0, 1, 0, 1, 0, 0}, 6 * sizeof(double));
  memcpy(f.axis2 + 3, (double[3]){0, 0, 1}, 3 * sizeof(double));
  for (int j = 0; j < 2; j++) {
    figure_place(f.placement + 12 * j, 0, 0, 0, 0), figure_place(f.frame_placement + 12 * j, 0, 0, 0, 0);
    swing[6 * j] = follow[HIK_FOLLOW_TERMS * j] = NAN;
  }
  memcpy(swing + 6, (double[6]){1, 1, 1, 1, -1, 1}, 6 * sizeof(double));
  memset(follow, 0, HIK_FOLLOW_TERMS * sizeof(double));
  follow[2] = 1, f.mimic[0] = 1;
  f.def.swing = swing, f.def.mimic_swing = follow;
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  CHECK(hik_reach_create(m, 1, HIK_REACH_WHOLE, &r, &error) == HIK_OK);
  void *scratch = malloc(hik_reach_at_size(r));
  hik_reach_at at = hik_reach_at_begin(r, scratch);
  const double middle[3] = {0, 0, 0}, target[3] = {0, 2e-3, 0};
  double nearest = 1, share[3];
  bool inside;
  for (int k = 0; k < 2; k++) { /* in the cell's two directions of swing one is along y */
    const double half[3] = {k ? 0 : 1e-3, k ? 1e-3 : 0, 0};
    for (int side = -1; side < 2; side += 2) {
      const double to[3] = {side * half[0], side * half[1], 0};
      double q[4], tip[3], off[3];
      hik_swing_join(r->element[1].room, to, q);
      access_tip(m, 1, q, tip);
      hik_sub3(target, tip, off);
      nearest = fmin(nearest, hik_norm(off));
    }
    CHECK(hik_reach_place(r, &at, middle, half, &inside) && inside);
    double first = hik_reach_distance(r, &at, target, false, NULL) - hik_reach_loss(r, &at, target, share);
    CHECK(first <= 1e-3 + 1e-9 && first > 1e-3 - 4e-6);
  }
  CHECK_NEAR(nearest, 1e-3, 1e-9);
  free(scratch), hik_reach_free(r), hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_what_follows_a_swing_moves_by_its_steepest_and_no_less);
  RUN(test_no_posture_of_a_cell_is_nearer_than_its_bounds);
  RUN(test_nor_with_the_arm_as_a_tail);
  RUN(test_nor_with_all_below_the_trunk_as_a_tail);
  RUN(test_limits);
  CHECK_END();
}
