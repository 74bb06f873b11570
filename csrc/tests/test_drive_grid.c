/* test_drive_grid.c: cells that a wall blocks, against a test of the pose in their middle; levels, and what hands reach. */
#include "access/drive.h"
#include "base/memory.h"
#include "base/trig.h"
#include "check.h"

static const double CORNER[12] = {-0.4, -0.3, 0.4, -0.3, 0.8, -0.2, 0.8, 0.2, 0.4, 0.3, -0.4, 0.3};
static const double WALL[8] = {1.0, 0.2, 1.7, 1.1, 0.3, 2.5, 0.3, 2.5};

/* The square's poles stand for a leaf that is here, then there. */
static hik_leaf EDGE[2] = {{{-1, -1, -1, -0.9}, {{0}, 0, {0}}}, {{-1, 3, -1, 3.1}, {{0}, 0, {0}}}};
static hik_leaf SWEEP[1] = {{{-1, 1, -1, 1.1}, {{0}, 0, {0, 2}}}};
static const double GRIP[12] = {0};
static const double WAY[1] = {0};

static hik_drive asked(void) {
  hik_drive in = {.corner = CORNER, .wall = WALL, .corners = 6, .walls = 2};
  in.low[0] = in.low[1] = -0.5, in.high[0] = in.high[1] = 3;
  in.start[3] = in.goal[3] = 1, in.goal[0] = in.goal[1] = 2.6;
  in.cell = 0.1, in.headings = 16, in.most = 1000;
  in.leaf = (hik_drive_leaf){.edge = EDGE, .sweep = SWEEP, .grip = GRIP, .way = WAY, .step = 1};
  in.leaf.places = 2, in.leaf.edges = in.leaf.grips = in.leaf.rows = in.leaf.columns = 1;
  return in;
}

/* Whether a wall meets the outline at a pose, by points of the wall. */
static bool touches(const double pose[3], const double wall[4]) {
  double s, c;
  hik_sincos(pose[2], &s, &c);
  for (int i = 0; i <= 2000; i++) {
    double t = i / 2000.0, x = wall[0] + t * (wall[2] - wall[0]) - pose[0],
           y = wall[1] + t * (wall[3] - wall[1]) - pose[1], u = c * x + s * y, v = c * y - s * x;
    bool in = true;
    for (int k = 0; k < 6; k++) {
      const double *p = CORNER + 2 * k, *q = CORNER + 2 * ((k + 1) % 6);
      in &= (q[0] - p[0]) * (v - p[1]) - (q[1] - p[1]) * (u - p[0]) >= 0;
    }
    if (in) return true;
  }
  return false;
}

static void test_blocked_cells(void) {
  hik_drive in = asked();
  hik_grid grid;
  size_t size = hik_grid_lay(&grid, &in, NULL);
  void *memory = hik_allocate_raw(size);
  hik_grid_lay(&grid, &in, memory);
  CHECK(hik_grid_flood(&grid));
  int32_t differ = 0, blocked = 0;
  for (int32_t h = 0; h < in.headings; h++)
    for (int32_t y = 0; y < grid.ny; y++)
      for (int32_t x = 0; x < grid.nx; x++) {
        double pose[3] = {in.low[0] + (x + 0.5) * in.cell, in.low[1] + (y + 0.5) * in.cell,
                          2 * HIK_PI * h / in.headings};
        bool mine = touches(pose, WALL) || touches(pose, WALL + 4);
        bool said = grid.still[((int64_t)h * grid.ny + y) * grid.words + (x >> 6)] >> (x & 63) & 1;
        blocked += said, differ += mine != said;
      }
  CHECK(blocked > 2000 && differ < blocked / 500); /* points of the wall are 0.5 mm apart */
  /* the goal itself, a step aside, and a blocked cell with its neighbors, where nothing leads */
  CHECK(hik_grid_level(&grid, 2.55, 2.55, 0, 0) == 0 && hik_grid_level(&grid, 2.55, 2.25, 0, 0) > 1);
  CHECK(hik_grid_level(&grid, 1.3, 0.65, 0, 0) == HIK_FAR);
  hik_release(memory);
}

static void test_a_flood_that_does_not_get_there(void) {
  static const double ring[16] = {-0.4, 1.5, 3, 1.5, -0.5, 1.5, -0.4, 1.5, 0, 0, 0, 0, 0, 0, 0, 0};
  hik_drive in = asked();
  in.wall = ring, in.low[0] = -0.3, in.high[0] = 2.9, in.start[0] = 1, in.start[1] = 0.5;
  hik_grid grid;
  size_t size = hik_grid_lay(&grid, &in, NULL);
  void *memory = hik_allocate_raw(size);
  hik_grid_lay(&grid, &in, memory);
  CHECK(!hik_grid_flood(&grid));
  in.cell = 1e-3; /* more cells than are allowed */
  CHECK(hik_grid_lay(&grid, &in, NULL) == 0);
  hik_release(memory);
}

static void test_hands(void) {
  hik_drive in = asked();
  /* a hand gets 1 m to the right of the axle; the grip is there in the middle of the way and at its ends */
  static const double shoulder[2] = {0, -0.2};
  static const uint8_t reached[3] = {0, 1, 0};
  double grip[12], way[1] = {1}, pose[3] = {1, 1, 0}, turned[2] = {0, 1};
  for (int k = 0; k < 3; k++) grip[4 * k] = 1, grip[4 * k + 1] = 0, grip[4 * k + 2] = 0, grip[4 * k + 3] = 1;
  in.walls = 0;
  in.leaf.shoulder = shoulder, in.leaf.reached = reached, in.leaf.grip = grip, in.leaf.way = way;
  in.leaf.hands = 1, in.leaf.rows = 3, in.leaf.columns = 1, in.leaf.step = 0.2, in.leaf.corner[1] = -1.2;
  hik_grid grid = {.in = &in, .places = 2};
  CHECK(hik_grid_moves(&grid, pose, turned, 0, 1) && !hik_grid_moves(&grid, pose, turned, 0, -1));
  CHECK(hik_grid_holds(&grid, pose, turned, 0) && hik_grid_holds(&grid, pose, turned, 1));
  grip[9] = 0.3; /* the end is out of reach */
  CHECK(!hik_grid_moves(&grid, pose, turned, 0, 1) && hik_grid_holds(&grid, pose, turned, 0));
  grip[9] = 0, grip[7] = -1; /* from behind the leaf */
  CHECK(!hik_grid_moves(&grid, pose, turned, 0, 1));
  grip[7] = 1;
  static const double between[4] = {0.5, 0.5, 1.5, 0.5};
  in.wall = between, in.walls = 1; /* through a wall */
  CHECK(!hik_grid_moves(&grid, pose, turned, 0, 1));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_blocked_cells);
  RUN(test_a_flood_that_does_not_get_there);
  RUN(test_hands);
  CHECK_END();
}
