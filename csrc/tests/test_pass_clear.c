/* test_pass_clear.c: a square of side 2 beside a wall and a leaf. */
#include "access/pass.h"
#include "check.h"

static const double corner[8] = {-1, -1, 1, -1, 1, 1, -1, 1};

static bool clear_of(const double *wall, int64_t walls, const hik_leaf *leaf, int64_t leaves,
                     const double pose[6]) {
  bool clear = false;
  hik_error error = {HIK_OK, -1, ""};
  CHECK(hik_pass_clear(corner, 4, wall, walls, leaf, leaves, pose, 1, &clear, NULL, &error) == HIK_OK);
  return clear;
}

static void test_walls(void) {
  double wall[4] = {3, -5, 3, 5};
  CHECK(clear_of(wall, 1, NULL, 0, (double[]){0, 0, 0, 1.999, 0, 0}));
  CHECK(!clear_of(wall, 1, NULL, 0, (double[]){0, 0, 0, 2.001, 0, 0}));
  CHECK(clear_of(wall, 1, NULL, 0, (double[]){1.58, 0, 0, 1.58, 0, 3}));
  CHECK(!clear_of(wall, 1, NULL, 0, (double[]){1.6, 0, 0, 1.6, 0, 3}));
  CHECK(!clear_of(wall, 1, NULL, 0, (double[]){0, 0, 0, 9, 0, 0}));
}

static void test_leaves(void) {
  hik_leaf leaf = {{3, 0, 3, 2}, {{3, 0}, 0.1, {0, 0}}};
  double still[6] = {1.78, 0, 0, 1.78, 0, 0}; /* the leaf's end comes to 3 - 2 sin 0.1 = 2.80 */
  CHECK(clear_of(NULL, 0, &leaf, 1, still));
  leaf.sway.turn = 0.3;
  CHECK(!clear_of(NULL, 0, &leaf, 1, still));
  leaf.sway = (hik_sway){{0, 0}, 0, {0.2, 0}};
  CHECK(clear_of(NULL, 0, &leaf, 1, still));
  leaf.sway.slide[0] = 0.3;
  CHECK(!clear_of(NULL, 0, &leaf, 1, still));
}

static void test_a_bad_outline_is_refused(void) {
  bool clear;
  hik_error error = {HIK_OK, -1, ""};
  double pose[6] = {0};
  CHECK(hik_pass_clear(corner, 2, NULL, 0, NULL, 0, pose, 1, &clear, NULL, &error) == HIK_BAD_ARGUMENT);
}

static bool stop(void *context, int64_t done, int64_t total) {
  (void)done, (void)total;
  ++*(int *)context;
  return false;
}

static void test_a_long_call_can_be_stopped(void) {
  double wall[4] = {3, -5, 3, 5}, pose[12] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0};
  bool clear[2] = {true, true};
  int ticks = 0;
  hik_deal deal;
  hik_error error = {HIK_OK, -1, ""};
  hik_deal_begin(&deal, 1, 1, stop, &ticks);
  CHECK(hik_pass_clear(corner, 4, wall, 1, NULL, 0, pose, 2, clear, &deal, &error) == HIK_OK);
  CHECK(ticks == 0 && clear[0] && clear[1]); /* a short one is not asked */
  deal.last_tick = 0;                        /* long ago */
  CHECK(hik_pass_clear(corner, 4, wall, 1, NULL, 0, pose, 2, clear, &deal, &error) == HIK_INTERRUPTED);
  CHECK(ticks == 1 && !clear[0] && !clear[1]);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_walls);
  RUN(test_leaves);
  RUN(test_a_bad_outline_is_refused);
  RUN(test_a_long_call_can_be_stopped);
  CHECK_END();
}
