#include "check.h"
#include "skin/heights.h"

enum { LEVELS = 4, HEIGHTS = 301 };

static const double at[LEVELS] = {0, 0.3, 0.5, 1.1};

static void fields_of(const double *node, int64_t fields, double *z, double *out) {
  int32_t below[HEIGHTS];
  double weight[4 * HEIGHTS];
  for (int i = 0; i < HEIGHTS; i++) z[i] = -0.2 + 1.5 * i / (HEIGHTS - 1);
  hik_heights_place(at, LEVELS, z, HEIGHTS, below, weight);
  for (int64_t f = 0; f < fields; f++)
    for (int i = 0; i < HEIGHTS; i++)
      out[HEIGHTS * f + i] = hik_heights_at(weight + 4 * i, node + 2 * (LEVELS * f + below[i]));
}

/* A cubic with its own slopes comes out as it is, the second of two fields too, constant beyond the levels. */
static void a_cubic_is_itself(void) {
  double node[2][LEVELS][2], z[HEIGHTS], out[2][HEIGHTS];
  for (int k = 0; k < LEVELS; k++) {
    double x = at[k];
    node[0][k][0] = 1, node[0][k][1] = 0;
    node[1][k][0] = 2 - x + 3 * x * x - 4 * x * x * x, node[1][k][1] = -1 + 6 * x - 12 * x * x;
  }
  fields_of(node[0][0], 2, z, out[0]);
  for (int i = 0; i < HEIGHTS; i++) {
    double x = hik_clip(z[i], at[0], at[LEVELS - 1]);
    CHECK_NEAR(out[0][i], 1, 1e-14);
    CHECK_NEAR(out[1][i], 2 - x + 3 * x * x - 4 * x * x * x, 1e-13);
  }
}

/* Heights in any order, on levels and beyond them: the level below, the last but one at the top. */
static void the_level_below(void) {
  const double z[7] = {0.5, -1, 0.4, 2, 0.3, 0, 0.51};
  const int32_t want[7] = {1, 0, 1, 2, 0, 0, 2};
  int32_t below[7];
  double weight[4 * 7];
  hik_heights_place(at, LEVELS, z, 7, below, weight);
  for (int i = 0; i < 7; i++) {
    CHECK(below[i] == want[i]);
    CHECK_NEAR(weight[4 * i] + weight[4 * i + 1], 1, 1e-15);
  }
  CHECK(weight[1] == 1 && weight[4] == 1 && weight[4 * 3 + 1] == 1);
  hik_heights_place(at, LEVELS, z, 0, below, weight);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(a_cubic_is_itself);
  RUN(the_level_below);
  CHECK_END();
}
