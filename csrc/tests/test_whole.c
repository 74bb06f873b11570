#include "check.h"
#include "skin/heights.h"
#include "skin/whole.h"

enum { N = 5, LEVELS = 2, MOST = 5 };

typedef struct body {
  hik_rings_vertex vertex[N];
  int32_t below[HIK_RINGS_GROUPS][N], row[N], foot[1], arm[2][2];
  double weight[HIK_RINGS_GROUPS][N][4], node[HIK_RINGS_GROUPS][MOST][LEVELS][2], height[N], share[1];
  hik_limb_vertex limb[2][2];
  hik_whole whole;
} body;

/* Three vertices of a trunk at x = 0.1, 0.2, 0.3 that rings leave where they are, then two that are all arms'. */
static void make(body *b) {
  static const double same[HIK_RINGS_GROUPS][MOST] = {{0}, {0.1}, {0, 0, 1, 1, 0}, {0, 1, 1}, {1, 1}, {1}};
  const double at[LEVELS] = {0, 1}, z[N] = {0.2, 0.3, 0.4, 0.5, 0.6};
  memset(b, 0, sizeof *b);
  memcpy(b->height, z, sizeof z);
  for (int g = 0; g < HIK_RINGS_GROUPS; g++) {
    hik_heights_place(at, LEVELS, z, 3, b->below[g], b->weight[g][0]);
    for (int f = 0; f < MOST; f++)
      for (int k = 0; k < LEVELS; k++) b->node[g][f][k][0] = same[g][f];
    b->whole.rings.node[g] = b->node[g][0][0], b->whole.rings.levels[g] = LEVELS;
  }
  hik_rings *r = &b->whole.rings;
  for (int i = 0; i < 3; i++) b->row[i] = i, b->vertex[i].own[0] = 0.1 * (i + 1), b->vertex[i].own[1] = 0.5;
  r->vertex = b->vertex, r->n = 3, r->numbers = (hik_rings_numbers){1, 0, 0, 0, 0, 1};
  b->whole.row = b->row, b->whole.height = b->height, b->whole.n = N;
}

/* Rings are made three at a time of each group: below and weight have rows of rings.n. */
static void pack(body *b) {
  for (int g = 1; g < HIK_RINGS_GROUPS; g++) {
    memmove(b->below[0] + 3 * g, b->below[g], 3 * sizeof b->below[0][0]);
    memmove(b->weight[0][0] + 12 * g, b->weight[g][0], 12 * sizeof b->weight[0][0][0]);
  }
  b->whole.rings.below = b->below[0], b->whole.rings.weight = b->weight[0][0];
}

static void run(const body *b, double out[N][3]) {
  double scratch[32];
  CHECK(hik_whole_rows(&b->whole));
  CHECK(hik_whole_scratch(&b->whole) <= 32);
  hik_whole_made(&b->whole, scratch, out[0]);
}

static void rings_alone(void) {
  body b;
  double out[N][3];
  make(&b), pack(&b);
  run(&b, out);
  for (int i = 0; i < N; i++) {
    CHECK_NEAR(out[i][0], i < 3 ? 0.1 * (i + 1) : 0, 1e-15);
    CHECK_NEAR(out[i][1], i < 3 ? 0.5 : 0, 1e-15);
    CHECK(out[i][2] == b.height[i]);
  }
}

/* Turned about the ankle, by the share of the foot. */
static void a_foot(void) {
  body b;
  double out[N][3];
  make(&b), pack(&b);
  b.foot[0] = 1, b.share[0] = 0.5;
  b.whole.feet = 1;
  b.whole.foot[0] = (hik_foot){b.foot, b.share, 1, {{0.1, 0.4}, {{0, 3}, {-2, 0}}}};
  run(&b, out); /* (0.1, 0.1) from the ankle goes to (-0.2, 0.3) */
  CHECK_NEAR(out[1][0], 0.1 + 0.5 * (0.1 - 0.2), 1e-15);
  CHECK_NEAR(out[1][1], 0.4 + 0.5 * (0.1 + 0.3), 1e-15);
  CHECK_NEAR(out[0][0], 0.1, 1e-15);
  CHECK(out[1][2] == b.height[1]);
}

/* Girths widen what lies off the bones; of a vertex in the middle each arm takes its share of what was there. */
static void arms(void) {
  body b;
  double out[N][3];
  make(&b), pack(&b);
  for (int k = 0; k < 2; k++) {
    b.arm[k][0] = 2, b.arm[k][1] = 3 + k;
    b.limb[k][0] = (hik_limb_vertex){0.25, 0, 0, {0.1, 0.2, 0.3}, {0}, {0}};
    b.limb[k][1] = (hik_limb_vertex){1, 0.5, 0.25, {1, 2, 3}, {0.1, 0, 0}, {0, 0.2, 0}};
    b.whole.limb[k] = (hik_limb){b.arm[k], b.limb[k], 2, {2, 1.1, 1.2, 1.6}};
  }
  b.whole.limbs = 2;
  run(&b, out);
  CHECK_NEAR(out[2][0], 0.3 + 2 * (0.1 - 0.25 * 0.3), 1e-15);
  CHECK_NEAR(out[2][1], 0.5 + 2 * (0.2 - 0.25 * 0.5), 1e-15);
  CHECK_NEAR(out[2][2], 0.4 + 2 * (0.3 - 0.25 * 0.4), 1e-15);
  for (int i = 3; i < N; i++) {
    CHECK_NEAR(out[i][0], 1 + 2 * (1 + 0.1 * (0.3 + 0.35)) * 0.1, 1e-15);
    CHECK_NEAR(out[i][1], 2 + 2 * (0.75 * 1.2 + 0.25 * 1.6) * 0.2, 1e-15);
    CHECK_NEAR(out[i][2], 3, 1e-15); /* its height goes too */
  }
}

static void rows_that_are_not_there(void) {
  body b;
  make(&b), pack(&b);
  b.arm[0][0] = 4;
  b.whole.limb[0] = (hik_limb){b.arm[0], b.limb[0], 1, {1, 1, 1, 1}};
  b.whole.foot[0] = (hik_foot){b.foot, b.share, 1, {{0}, {{0}}}};
  b.whole.limbs = b.whole.feet = 1;
  CHECK(hik_whole_rows(&b.whole));
  int32_t *each[3] = {b.row, b.foot, b.arm[0]};
  for (int k = 0; k < 3; k++) {
    int32_t was = each[k][0];
    each[k][0] = N;
    CHECK(!hik_whole_rows(&b.whole));
    each[k][0] = -1;
    CHECK(!hik_whole_rows(&b.whole));
    each[k][0] = was;
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(rings_alone);
  RUN(a_foot);
  RUN(arms);
  RUN(rows_that_are_not_there);
  CHECK_END();
}
