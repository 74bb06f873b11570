/* test_drive.c: a square of side 1 through sliding doors of 1.2 and 0.9 m, without a hand; what is found is clear all along. */
#include "access/drive.h"
#include "base/memory.h"
#include "check.h"

enum { PLACES = 7 };

static hik_leaf leaf_at(double width, double open, double sway) {
  return (hik_leaf){{3, -width / 2 - open, 3, width / 2 - open}, {{0, 0}, 0, {0, sway}}};
}

static bool stop(void *context, int64_t done, int64_t total) {
  (void)done, (void)total;
  ++*(int *)context;
  return false;
}

static int32_t outcome(double width, bool shut, int64_t most, int *ticks, hik_driven *found) {
  static const double corner[8] = {-0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5};
  double wall[24] = {0, -3, 6, -3, 6, -3, 6, 3,          6, 3,         0, 3,
                     0, 3,  0, -3, 3, -3, 3, -width / 2, 3, width / 2, 3, 3};
  hik_leaf edge[PLACES], sweep[PLACES - 1];
  double grip[12 * (PLACES - 1)] = {0}, way[PLACES - 1] = {0};
  for (int k = 0; k < PLACES; k++) edge[k] = leaf_at(width, k * width / (PLACES - 1), 0);
  for (int k = 0; k + 1 < PLACES; k++)
    sweep[k] = leaf_at(width, (k + 0.5) * width / (PLACES - 1), 0.5 * width / (PLACES - 1));
  hik_drive in = {.corner = corner, .wall = wall, .corners = 4, .walls = 6};
  in.low[0] = 0, in.low[1] = -3, in.high[0] = 6, in.high[1] = 3;
  in.start[0] = 1.5, in.start[2] = 0.3, in.goal[0] = 4.5, in.goal[1] = 1, in.goal[2] = -2;
  in.cell = 0.1, in.margin = 0.005, in.headings = 40, in.most = most;
  in.leaf = (hik_drive_leaf){.edge = edge, .sweep = sweep, .grip = grip, .way = way, .step = 1, .shut = shut};
  in.leaf.places = PLACES, in.leaf.edges = in.leaf.grips = in.leaf.rows = in.leaf.columns = 1;
  hik_error error = {HIK_OK, -1, ""};
  if (ticks) { /* fine, so that it is long */
    in.cell = 0.04, in.headings = 100, in.tick = stop, in.tick_context = ticks;
    CHECK(hik_drive_find(&in, found, &error) == HIK_INTERRUPTED);
    return found->outcome;
  }
  CHECK(hik_drive_find(&in, found, &error) == HIK_OK);
  for (int64_t k = 0; k + 1 < found->rows; k++) {
    const double *a = found->row + 4 * k, *b = a + 4;
    bool rolled = fabs(b[0] - a[0]) + fabs(b[1] - a[1]) > 1e-9, turned = fabs(b[2] - a[2]) > 1e-9;
    CHECK(rolled + turned + (a[3] != b[3]) <= 1);
    if (rolled) CHECK(fabs(cos(a[2]) * (b[1] - a[1]) - sin(a[2]) * (b[0] - a[0])) < 1e-9);
    double pose[6] = {a[0], a[1], a[2], b[0], b[1], b[2]};
    bool clear = false;
    const hik_leaf *leaf = a[3] == b[3] ? edge + (int)a[3] : sweep + (int)(a[3] < b[3] ? a[3] : b[3]);
    CHECK(hik_pass_clear(corner, 4, wall, 6, leaf, 1, pose, 1, &clear, NULL, &error) == HIK_OK && clear);
  }
  if (found->rows) {
    const double *last = found->row + 4 * (found->rows - 1);
    CHECK_NEAR(last[0], 4.5, 1e-12);
    CHECK_NEAR(last[1], 1, 1e-12);
    CHECK_NEAR(cos(last[2] + 2), 1, 1e-12);
    CHECK(found->row[3] == 0 && (!shut || last[3] == 0));
  }
  return found->outcome;
}

static void test_doors(void) {
  hik_driven found;
  CHECK(outcome(1.2, false, 100000, NULL, &found) == HIK_DRIVE_FOUND && found.rows > 8);
  hik_release(found.row);
  CHECK(outcome(1.2, true, 100000, NULL, &found) == HIK_DRIVE_FOUND);
  hik_release(found.row);
  CHECK(outcome(0.9, false, 100000, NULL, &found) == HIK_DRIVE_NONE && !found.rows);
  CHECK(outcome(1.2, false, 8, NULL, &found) == HIK_DRIVE_SPENT);
}

static void test_a_long_call_can_be_stopped(void) {
  hik_driven found;
  int ticks = 0;
  CHECK(outcome(1.2, false, 100000, &ticks, &found) == HIK_DRIVE_NONE && ticks == 1);
  CHECK(!found.row && !found.rows && !found.looked);
}

static void test_wrong_calls(void) {
  hik_drive in = {.corners = 2};
  hik_driven found;
  hik_error error = {HIK_OK, -1, ""};
  CHECK(hik_drive_find(&in, &found, &error) == HIK_BAD_ARGUMENT && error.text[0]);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_doors);
  RUN(test_a_long_call_can_be_stopped);
  RUN(test_wrong_calls);
  CHECK_END();
}
