/* test_pass_hold.c: a hand that gets to a square of 0.2 m about a place one meter ahead. */
#include "access/pass.h"
#include "check.h"

enum { SIDE = 9 };

static double field[2 * SIDE * SIDE];

static hik_door with(const hik_grip *grip) {
  static const double shoulder[2] = {0, 0};
  for (int row = 0; row < SIDE; row++)
    for (int column = 0; column < SIDE; column++) {
      double x = fabs(0.1 * (column - 4)), y = fabs(0.1 * (row - 4)), far = x > y ? x : y;
      field[row * SIDE + column] = far > 0.1 ? far - 0.1 : 0;
      field[SIDE * SIDE + row * SIDE + column] = far < 0.1 ? 0.1 - far : 0;
    }
  return (hik_door){.grip = grip,
                    .shoulder = shoulder,
                    .field = field,
                    .corner = {0.6, -0.4},
                    .step = 0.1,
                    .stages = 1,
                    .grips = 1,
                    .hands = 1,
                    .rows = SIDE,
                    .columns = SIDE};
}

static int32_t held(double x, double half, double way, const double *wall, int64_t walls, hik_grip grip) {
  hik_door door = with(&grip);
  double share[3];
  return hik_pass_hold(&door, 0, way, wall, walls, (double[]){x, 0, 0}, (double[]){half, half, 0}, share);
}

static void test_states(void) {
  hik_grip grip = {{1, 0}, {-1, 0}, {{0, 0}, 0, {0, 0}}, 0};
  CHECK(held(0, 0.05, 1, NULL, 0, grip) == HIK_HOLD_ALWAYS);
  CHECK(held(0, 0.08, 1, NULL, 0, grip) == HIK_HOLD_PERHAPS);
  CHECK(held(0.3, 0.05, 1, NULL, 0, grip) == HIK_HOLD_NEVER);
  CHECK(held(5, 0.05, 1, NULL, 0, grip) == HIK_HOLD_NEVER);
}

static void test_faces_ways_and_walls(void) {
  hik_grip grip = {{1, 0}, {-1, 0}, {{0, 0}, 0, {0, 0}}, -1};
  double wall[4] = {0.5, -1, 0.5, 1}, beside[4] = {0.5, 0.2, 0.5, 1};
  CHECK(held(0, 0.05, 1, NULL, 0, grip) == HIK_HOLD_NEVER);
  CHECK(held(0, 0.05, -1, NULL, 0, grip) == HIK_HOLD_ALWAYS);
  CHECK(held(0, 0.05, -1, wall, 1, grip) == HIK_HOLD_PERHAPS);
  CHECK(held(0, 0.05, -1, beside, 1, grip) == HIK_HOLD_ALWAYS);
  grip.face[0] = 1;
  CHECK(held(0, 0.05, -1, NULL, 0, grip) == HIK_HOLD_PERHAPS);
}

static void test_a_leaf_that_moves_is_less_sure(void) {
  hik_grip grip = {{1, 0}, {-1, 0}, {{1, 1}, 0.06, {0, 0}}, 0};
  CHECK(held(0, 0.01, 1, NULL, 0, grip) == HIK_HOLD_ALWAYS);
  grip.sway.turn = 0.1;
  CHECK(held(0, 0.01, 1, NULL, 0, grip) == HIK_HOLD_PERHAPS);
  grip.sway = (hik_sway){{0, 0}, 0, {0, 0.1}};
  CHECK(held(0, 0.01, 1, NULL, 0, grip) == HIK_HOLD_PERHAPS);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_states);
  RUN(test_faces_ways_and_walls);
  RUN(test_a_leaf_that_moves_is_less_sure);
  CHECK_END();
}
