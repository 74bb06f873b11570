/* test_pass.c: a square of side 2 through doors of 2.1 and 1.9 in a closed room. */
#include "access/pass.h"
#include "base/memory.h"
#include "check.h"

static int32_t outcome(double gap, int64_t most) {
  double corner[8] = {-1, -1, 1, -1, 1, 1, -1, 1};
  double wall[24] = {-3, -4, 9,  -4, 9, -4, 9, 4,        9, 4,       -3, 4,
                     -3, 4,  -3, -4, 3, -4, 3, -gap / 2, 3, gap / 2, 3,  4};
  hik_pass room = {corner,       wall,   4,    6,    {-5, -6}, {11, 6}, {0, 0, 0, 0},
                   {6, 0, 0, 0}, 0.0015, most, NULL, NULL,     NULL};
  hik_passed found;
  hik_error error = {HIK_OK, -1, ""};
  CHECK(hik_pass_decide(&room, &found, &error) == HIK_OK);
  CHECK((found.outcome == HIK_PASS_YES) == (found.steps > 0 || found.poses > 0));
  hik_release(found.step);
  hik_release(found.pose);
  return found.outcome;
}

static void test_doors(void) {
  CHECK(outcome(2.1, 200000) == HIK_PASS_YES);
  CHECK(outcome(1.9, 200000) == HIK_PASS_NO);
  CHECK(outcome(2.1, 16) == HIK_PASS_YES); /* a motion is tried where boxes run out */
  CHECK(outcome(1.9999, 16) == HIK_PASS_SPENT);
}

static bool stop(void *context, int64_t done, int64_t total) {
  (void)done, (void)total;
  ++*(int *)context;
  return false;
}

static void test_a_long_call_can_be_stopped(void) {
  double corner[8] = {-1, -1, 1, -1, 1, 1, -1, 1};
  double wall[24] = {-3, -4, 9, -4, 9, -4, 9, 4, 9, 4, -3, 4, -3, 4, -3, -4, 3, -4, 3, -1, 3, 1, 3, 4};
  int ticks = 0;
  hik_pass room = {corner,       wall, 4,      6,    {-5, -6}, {11, 6}, {0, 0, 0, 0},
                   {6, 0, 0, 0}, 1e-5, 400000, NULL, stop,     &ticks};
  hik_passed found;
  hik_error error = {HIK_OK, -1, ""};
  CHECK(hik_pass_decide(&room, &found, &error) == HIK_INTERRUPTED && ticks == 1);
  CHECK(!found.step && !found.pose && found.boxes == 0);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_doors);
  RUN(test_a_long_call_can_be_stopped);
  CHECK_END();
}
