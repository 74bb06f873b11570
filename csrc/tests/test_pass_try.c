/* test_pass_try.c: a square of side 2 through a slot that leaves it 1 mm: a motion, each piece of it clear, where boxes are
   much too coarse; and none where there is none. */
#include <string.h>

#include "access/pass.h"
#include "base/memory.h"
#include "check.h"

static const double corner[8] = {-1, -1, 1, -1, 1, 1, -1, 1};

static hik_passed through(double gap, double heading, double least, double wall[24]) {
  double walls[24] = {-3, -4, 9,  -4, 9, -4, 9, 4,        9, 4,       -3, 4,
                      -3, 4,  -3, -4, 3, -4, 3, -gap / 2, 3, gap / 2, 3,  4};
  memcpy(wall, walls, sizeof walls);
  double unit = HIK_PASS_WHOLE / (2 * HIK_PI);
  hik_pass room = {
      corner, wall,  4,    6,    {-5, -6}, {11, 6}, {0, 0, heading * unit, 0}, {6, 0, 0, HIK_PASS_WHOLE},
      least,  20000, NULL, NULL, NULL};
  hik_passed found;
  hik_error error = {HIK_OK, -1, ""};
  CHECK(hik_pass_decide(&room, &found, &error) == HIK_OK);
  return found;
}

static void test_a_motion_through_a_slot(void) {
  for (int turned = 0; turned < 2; turned++) {
    double wall[24], heading = turned ? 5.9 : 0.4;
    hik_passed found = through(2.001, heading, 0.02, wall);
    CHECK(found.outcome == HIK_PASS_YES && found.steps == 0 && found.poses > 2);
    if (found.poses < 2) return;
    const double *last = found.pose + 3 * (found.poses - 1);
    CHECK_NEAR(found.pose[0], 0, 1e-12);
    CHECK_NEAR(found.pose[1], 0, 1e-12);
    CHECK_NEAR(found.pose[2], heading, 1e-9);
    CHECK(last[0] == 6 && last[1] == 0);
    hik_error error = {HIK_OK, -1, ""};
    for (int64_t k = 0; k + 1 < found.poses; k++) {
      bool clear = false;
      CHECK(hik_pass_clear(corner, 4, wall, 6, NULL, 0, found.pose + 3 * k, 1, &clear, NULL, &error) ==
            HIK_OK);
      CHECK(clear);
    }
    hik_release(found.step);
    hik_release(found.pose);
  }
}

static void test_none_where_there_is_none(void) {
  double wall[24];
  hik_passed found = through(1.9999, 0, 0.02, wall);
  CHECK(found.outcome != HIK_PASS_YES && found.poses == 0 && !found.pose);
  found = through(1.99, 0, 0.0015, wall);
  CHECK(found.outcome == HIK_PASS_NO);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_motion_through_a_slot);
  RUN(test_none_where_there_is_none);
  CHECK_END();
}
