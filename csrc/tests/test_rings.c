#include "check.h"
#include "skin/heights.h"
#include "skin/rings.h"

enum { N = 4, LEVELS = 2, MOST = 5 };

typedef struct body {
  hik_rings_vertex vertex[N];
  int32_t below[HIK_RINGS_GROUPS][N];
  double weight[HIK_RINGS_GROUPS][N][4], node[HIK_RINGS_GROUPS][MOST][LEVELS][2];
  hik_rings rings;
} body;

/* Four vertices of one height, one in each quarter; all fields level, and such that nothing is moved. */
static void make(body *b, double blend) {
  static const double same[HIK_RINGS_GROUPS][MOST] = {{0}, {0.1}, {0, 0, 1, 1, 0}, {0, 1, 1}, {1, 1}, {1}};
  const double at[LEVELS] = {0, 1}, z[N] = {0.2, 0.2, 0.2, 0.2};
  memset(b, 0, sizeof *b);
  for (int i = 0; i < N; i++)
    b->vertex[i] =
        (hik_rings_vertex){{i & 1 ? -0.3 : 0.3, i & 2 ? -0.4 : 0.4}, {0.01, 0}, 1, 0.1, blend, 1, 1};
  for (int g = 0; g < HIK_RINGS_GROUPS; g++) {
    hik_heights_place(at, LEVELS, z, N, b->below[g], b->weight[g][0]);
    for (int f = 0; f < MOST; f++)
      for (int k = 0; k < LEVELS; k++) b->node[g][f][k][0] = same[g][f];
    b->rings.node[g] = b->node[g][0][0], b->rings.levels[g] = LEVELS;
  }
  b->rings.vertex = b->vertex, b->rings.n = N;
  b->rings.below = b->below[0], b->rings.weight = b->weight[0][0];
  b->rings.numbers = (hik_rings_numbers){1, 0, 0, 0, 0.08, 0.15};
}

static void set(body *b, int group, int field, double value) {
  for (int k = 0; k < LEVELS; k++) b->node[group][field][k][0] = value;
}

static void check_sides(const body *b, double ahead, double behind, double y) {
  double out[N][2];
  hik_rings_made(&b->rings, out[0]);
  for (int i = 0; i < N; i++) {
    CHECK_NEAR(out[i][0], i & 1 ? -behind : ahead, 1e-14);
    CHECK_NEAR(out[i][1], i & 2 ? -y : y, 1e-14);
  }
}

static void check_made(const body *b, double x, double y) { check_sides(b, x, x, y); }

/* Factors of 1 leave trunk, leg and what is between as they are; the scale is everybody's. */
static void nothing_moves(void) {
  body b;
  for (int k = 0; k < 3; k++) {
    make(&b, 0.5 * k);
    check_made(&b, 0.3, 0.4);
    b.rings.numbers.scale = 2;
    for (int i = 0; i < N; i++) b.vertex[i].leg = 0;
    check_made(&b, 0.6, 0.8);
  }
}

/* A trunk's depth and breadth, fuller corners, fullness by two shares. */
static void a_trunk_widens(void) {
  body b;
  make(&b, 0);
  set(&b, 2, 2, 2), set(&b, 2, 3, 3);
  check_made(&b, 0.6, 1.2);
  set(&b, 2, 1, 0.5); /* at 3 to 4 the corner counts 4 (3 x 4)^2 / 25^2 */
  double corner = 1 + 0.5 * 4 * 144 / 625;
  check_made(&b, 0.6 * corner, 1.2 * corner);
  b.rings.numbers.upper = 0.1, b.rings.numbers.hips = 0.01;
  set(&b, 4, 0, 1.5);
  corner *= 1.5 * 1.1 * 1.01;
  check_made(&b, 0.6 * corner, 1.2 * corner);
  set(&b, 4, 1, 1.25); /* the front alone */
  check_sides(&b, 0.6 * 1.25 * corner, 0.6 * corner, 1.2 * corner);
  set(&b, 3, 1, 9), set(&b, 5, 0, 9); /* a leg's are none of its */
  check_sides(&b, 0.6 * 1.25 * corner, 0.6 * corner, 1.2 * corner);
}

/* A vertex on the axis stays there, fuller corners or not. */
static void an_axis_stays(void) {
  body b;
  make(&b, 0);
  for (int i = 0; i < N; i++) b.vertex[i].own[0] = b.vertex[i].own[1] = b.vertex[i].leg = 0;
  set(&b, 2, 1, 0.5);
  check_made(&b, 0, 0);
}

/* A back's muscle is there, and narrows what is ahead as much as it widens what is behind. */
static void a_back_tapers(void) {
  body b;
  double out[N][2];
  make(&b, 0);
  set(&b, 2, 4, 0.5);
  b.rings.numbers.back = 2;
  hik_rings_made(&b.rings, out[0]);
  CHECK_NEAR(out[0][0], 0.32, 1e-14);
  CHECK_NEAR(out[0][1], 0.4 * 0.96, 1e-14);
  CHECK_NEAR(out[1][0], -0.28, 1e-14);
  CHECK_NEAR(out[3][1], -0.4 * 1.04, 1e-14);
  b.rings.numbers.deep = 0.64; /* half way to it */
  hik_rings_made(&b.rings, out[0]);
  CHECK_NEAR(out[0][1], 0.4 * 0.98, 1e-14);
}

/* A leg widens about its line, forward less where it goes aside more; its line moves both sides. */
static void a_leg_widens(void) {
  body b;
  make(&b, 1);
  set(&b, 3, 1, 2);
  check_made(&b, 0.6, 0.1 + 2 * 0.3);
  set(&b, 3, 2, 0.5);
  check_made(&b, 1.2, 0.1 + 0.3);
  set(&b, 5, 0, 1.5), b.rings.numbers.hips = 0.01;
  check_made(&b, 1.2 * 1.515, 0.1 + 0.3 * 1.515);
  make(&b, 1);
  set(&b, 1, 0, 0.15);
  check_made(&b, 0.3, 0.45);
  set(&b, 2, 2, 9), set(&b, 4, 0, 9), b.rings.numbers.upper = 9; /* a trunk's are none of its */
  check_made(&b, 0.3, 0.45);
}

/* A vertex in the middle is on no side: lines that move and legs that widen leave it there. */
static void a_middle_stays(void) {
  for (int k = 0; k < 3; k++) {
    body b;
    double out[N][2];
    make(&b, 0.5 * k);
    set(&b, 1, 0, 0.15), set(&b, 3, 1, 2);
    for (int i = 0; i < N; i++) b.vertex[i].own[1] = 0;
    hik_rings_made(&b.rings, out[0]);
    for (int i = 0; i < N; i++) CHECK_NEAR(out[i][1], 0, 0);
  }
}

/* Forward goes whole; what is half a leg's is half of each. */
static void a_blend_is_both(void) {
  body b;
  double out[N][2];
  make(&b, 0.25);
  set(&b, 0, 0, 0.1);
  set(&b, 2, 3, 2), set(&b, 3, 1, 3), set(&b, 3, 0, 0.4);
  hik_rings_made(&b.rings, out[0]);
  CHECK_NEAR(out[0][0], 0.75 * 0.4 + 0.25 * 0.4, 1e-14);
  CHECK_NEAR(out[1][0], 0.75 * -0.2 + 0.25 * (0.4 - 3 * 0.6), 1e-14);
  CHECK_NEAR(out[0][1], 0.75 * 0.8 + 0.25 * (0.1 + 3 * 0.3), 1e-14);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(nothing_moves);
  RUN(a_trunk_widens);
  RUN(an_axis_stays);
  RUN(a_back_tapers);
  RUN(a_leg_widens);
  RUN(a_middle_stays);
  RUN(a_blend_is_both);
  CHECK_END();
}
