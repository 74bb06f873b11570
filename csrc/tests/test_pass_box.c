/* test_pass_box.c: a square and a wall: free, stuck and mixed boxes of poses. */
#include "access/pass.h"
#include "check.h"

static void test_states(void) {
  double corner[8] = {-1, -1, 1, -1, 1, 1, -1, 1}, normal[8] = {0, -1, 1, 0, 0, 1, -1, 0},
         out[4] = {1, 1, 1, 1};
  double root = sqrt(2), far[4] = {root, root, root, root}, turned[8], faced[8];
  hik_outline o = {4, corner, normal, out, far, turned, faced, root};
  double wall[4] = {3, -5, 3, 5}, half[3] = {0.1, 0.1, 0.001};
  hik_walls walls = {wall, NULL, 1};
  int32_t which = 0, kept;
  CHECK((hik_pass_look(&o, &walls, &which, 1, (double[]){1.8, 0, 0}, half, &kept).state == HIK_BOX_FREE));
  CHECK((hik_pass_look(&o, &walls, &which, 1, (double[]){1.95, 0, 0}, half, &kept).state == HIK_BOX_MIXED));
  CHECK((hik_pass_look(&o, &walls, &which, 1, (double[]){2.2, 0, 0}, half, &kept).state == HIK_BOX_STUCK));
  CHECK((hik_pass_look(&o, &walls, &which, 1, (double[]){3, 6.2, 0}, half, &kept).state == HIK_BOX_FREE));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_states);
  CHECK_END();
}
