/* test_pass_clearest.c: a square of side 2 between walls: where it is clearest, along which axes, and which walls are near. */
#include "access/pass_clearest.h"
#include "check.h"

static const double corner[8] = {-1, -1, 1, -1, 1, 1, -1, 1};
static double normal[8], out[4], far[4], turned[8], faced[8];

static hik_outline square(void) {
  hik_outline o = {4, corner, normal, out, far, turned, faced, 0};
  hik_pass_outline(&o);
  return o;
}

static void test_a_slot(void) {
  hik_outline o = square();
  double wall[8] = {-9, -1.01, 9, -1.01, -9, 1.03, 9, 1.03}, pose[3] = {0.3, 0.001, 0.004};
  hik_walls walls = {wall, NULL, 2};
  int32_t both[2] = {0, 1};
  CHECK_NEAR(hik_pass_clearest(&o, &walls, both, 2, NULL, 0.05, pose), 0.02, 1e-6);
  CHECK_NEAR(pose[0], 0.3, 1e-12); /* nothing parts there: it is left alone */
  CHECK_NEAR(pose[1], 0.01, 1e-5);
  CHECK_NEAR(pose[2], 0, 1e-5);
  wall[5] = wall[7] = 0.98; /* too narrow by 0.01 */
  pose[1] = 0.004, pose[2] = 0.002;
  CHECK_NEAR(hik_pass_clearest(&o, &walls, both, 2, NULL, 0.05, pose), -0.005, 1e-6);
  CHECK_NEAR(pose[1], -0.015, 1e-5);
  CHECK(hik_pass_clearest(&o, &walls, both, 0, NULL, 0.05, pose) == INFINITY);
}

static void test_it_goes_no_farther_than_it_may(void) {
  hik_outline o = square();
  double wall[4] = {-9, -1, 9, -1}, pose[3] = {0, 0.1, 0};
  hik_walls walls = {wall, NULL, 1};
  int32_t one = 0;
  CHECK_NEAR(hik_pass_clearest(&o, &walls, &one, 1, NULL, 0.03, pose), 0.13, 1e-12);
  CHECK_NEAR(pose[1], 0.13, 1e-12);
}

/* Before the mouth of a slot the end of its wall is parted by the wall's side, in it by the square's. Held by both, the square
   stands before it with its front in the middle of the slot. */
static void test_both_axes_of_a_mouth(void) {
  hik_outline o = square();
  double wall[8] = {0, 1.001, 0, 9, 0, -1.001, 0, -9}; /* the line x = 0 with a gap */
  hik_walls walls = {wall, NULL, 2};
  int32_t both[2] = {0, 1}, axes[4];
  double before[3] = {-1.05, 0.1, 0}, in[3] = {-0.9, 0, 0}, pose[3] = {-1, 0.05, 0};
  hik_pass_axes(&o, &walls, both, 2, before, axes);
  hik_pass_axes(&o, &walls, both, 2, in, axes + 2);
  CHECK(axes[0] < 2 && axes[1] == 2);
  CHECK(axes[2] == 4 && axes[3] == 2); /* the edges that look to y and to -y */
  double least = hik_pass_clearest(&o, &walls, both, 2, axes, 0.2, pose);
  CHECK(least > 0 && least <= 0.001);
  CHECK(pose[0] < -1 && fabs(pose[1] - pose[0] * pose[2]) < 0.001); /* its front is in the gap's middle */
}

static void test_what_is_near(void) {
  hik_outline o = square();
  double wall[12] = {3, -9, 3, 9, 4, 4, 5, 5, -1.5, 0.1, -1.5, 0.2}, at[2] = {0, 0};
  hik_walls walls = {wall, NULL, 3};
  int32_t which[3];
  CHECK(hik_pass_near(&o, &walls, at, 0.1, which) == 1 && which[0] == 2);
  CHECK(hik_pass_near(&o, &walls, at, 3 - sqrt(2) - 1e-9, which) == 1);
  CHECK(hik_pass_near(&o, &walls, at, 3 - sqrt(2) + 1e-9, which) == 2 && which[0] == 0);
  CHECK(hik_pass_near(&o, &walls, at, sqrt(32) - sqrt(2) + 1e-9, which) == 3);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_slot);
  RUN(test_it_goes_no_farther_than_it_may);
  RUN(test_both_axes_of_a_mouth);
  RUN(test_what_is_near);
  CHECK_END();
}
