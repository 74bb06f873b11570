#include "check.h"
#include "skin/even.h"

enum { N = 5, NEAR = 2, CORNERS = 8, QUADS = 6 };

/* A string of five, its ends held: the middle ones even out to a straight line; one that is not open keeps its own. */
static void a_string_goes_straight(void) {
  const int32_t beside[N][NEAR] = {{0, 1}, {0, 2}, {1, 3}, {2, 4}, {3, 4}};
  bool open[N] = {false, true, true, true, false};
  double v[N][3] = {{0, 0, 0}, {5, 1, 0}, {-3, 0, 2}, {7, 0, 0}, {4, 8, -4}}, scratch[N][3];
  hik_even(v[0], open, beside[0], N, NEAR, 400, scratch[0]);
  for (int i = 0; i < N; i++) {
    CHECK_NEAR(v[i][0], i, 1e-12);
    CHECK_NEAR(v[i][1], 2 * i, 1e-12);
    CHECK_NEAR(v[i][2], -i, 1e-12);
  }
}

/* A round is half of what was there and half of the neighbors' mean as it was before, in no order. */
static void a_round_reads_what_was(void) {
  const int32_t beside[3][NEAR] = {{1, 2}, {0, 2}, {0, 1}};
  const bool open[3] = {true, true, true};
  double v[3][3] = {{8, 0, 0}, {0, 4, 0}, {0, 0, 0}}, scratch[3][3];
  const double want[3][3] = {{4, 1, 0}, {2, 2, 0}, {2, 1, 0}};
  hik_even(v[0], open, beside[0], 3, NEAR, 1, scratch[0]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) CHECK(v[i][j] == want[i][j]);
  hik_even(v[0], open, beside[0], 3, NEAR, 0, scratch[0]);
  CHECK(v[0][0] == 4);
}

/* A box: its corners' normals lean as the areas of the faces about them, outward; a vertex of no quad has none. */
static void normals_of_a_box(void) {
  const double side[3] = {1, 2, 4};
  const int32_t quad[QUADS][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  double v[CORNERS + 1][3] = {{0}}, out[CORNERS + 1][3];
  for (int i = 0; i < CORNERS; i++)
    for (int j = 0; j < 3; j++) v[i][j] = (i >> j & 1) * side[j];
  hik_normals(v[0], CORNERS + 1, quad[0], QUADS, out[0]);
  const double area[3] = {8, 4, 2}, length = sqrt(8 * 8 + 4 * 4 + 2 * 2);
  for (int i = 0; i < CORNERS; i++)
    for (int j = 0; j < 3; j++) CHECK_NEAR(out[i][j], (i >> j & 1 ? 1 : -1) * area[j] / length, 1e-15);
  for (int j = 0; j < 3; j++) CHECK(out[CORNERS][j] == 0);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(a_string_goes_straight);
  RUN(a_round_reads_what_was);
  RUN(normals_of_a_box);
  CHECK_END();
}
