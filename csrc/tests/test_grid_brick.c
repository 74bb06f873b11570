/* test_grid_brick.c: nodes of a brick in lanes against the tree, one by one: the same bytes. */
#include "scene/grid_brick.h"

#include "base/rng.h"
#include "base/vec.h"
#include "check.h"
#include "scene/grid_near.h"

enum { MOST = 6000 };

typedef struct soup {
  double vertex[3 * MOST][3];
  int32_t triangle[MOST][3];
  void *memory;
  hik_tree tree;
} soup;

static soup *draw(uint64_t seed, int n, double size) {
  hik_rng rng = hik_rng_start(seed, 1);
  soup *s = hik_allocate(sizeof *s);
  for (int i = 0; i < n; i++) {
    double at[3] = {hik_rng_uniform(&rng), hik_rng_uniform(&rng), hik_rng_uniform(&rng)};
    for (int k = 0; k < 3; k++) {
      s->triangle[i][k] = 3 * i + (i % 7 == 0 && k == 2 ? 1 : k); /* some without area */
      for (int j = 0; j < 3; j++) s->vertex[3 * i + k][j] = at[j] + size * (hik_rng_uniform(&rng) - 0.5);
    }
  }
  hik_block block = {0};
  hik_tree_take(&block, n, &s->tree);
  s->memory = block.base = hik_allocate(block.size);
  block.size = 0;
  hik_tree_take(&block, n, &s->tree);
  hik_tree_make(&s->tree, s->vertex[0], s->triangle[0], n, NULL);
  return s;
}

static void drop(soup *s) {
  hik_release(s->memory);
  hik_release(s);
}

/* Bricks over all of the soup, with nodes left out by a draw: few, about half, all; other nodes are not touched. */
static void as_the_tree_says(uint64_t seed, int n, double size, double cell) {
  soup *s = draw(seed, n, size);
  hik_rng rng = hik_rng_start(seed, 2);
  const double low[3] = {-0.7, -0.6, -0.65};
  int32_t near = 0;
  for (int turn = 0; turn < 40; turn++) {
    int64_t first[3];
    bool wanted[HIK_GRID_BRICK];
    double square[HIK_GRID_BRICK], share = turn % 4 == 0 ? 0.04 : turn % 4 == 1 ? 0.5 : 1;
    for (int j = 0; j < 3; j++) first[j] = (int64_t)(hik_rng_uniform(&rng) * 2.2 / cell);
    for (int i = 0; i < HIK_GRID_BRICK; i++) {
      wanted[i] = hik_rng_uniform(&rng) < share;
      if (turn % 4 == 3)
        wanted[i] = wanted[i] && i % 5 < 2 && i / 5 % 5 < 2 && i / 25 < 2; /* one block alone */
      square[i] = -1;
    }
    hik_brick_distances(&s->tree, low, first, cell, wanted, square, &near);
    for (int i = 0; i < HIK_GRID_BRICK; i++) {
      const int at[3] = {i % 5, i / 5 % 5, i / 25};
      double x[3];
      int32_t hint = 0;
      for (int j = 0; j < 3; j++) x[j] = low[j] + cell * (double)(first[j] + at[j]);
      double told = wanted[i] ? hik_tree_nearest(&s->tree, x, &hint) : -1;
      CHECK(memcmp(&told, square + i, sizeof told) == 0);
    }
  }
  drop(s);
}

static void bricks_are_as_the_tree_says(void) {
  as_the_tree_says(1, 1, 0.5, 0.05);
  as_the_tree_says(2, 40, 0.5, 0.05);
  as_the_tree_says(3, 2000, 0.05, 0.02);
  as_the_tree_says(4, MOST, 0.02, 0.02);
  as_the_tree_says(5, MOST, 0.01, 0.15); /* lists too long: block by block */
  as_the_tree_says(7, MOST, 0.01, 0.4);  /* those too: node by node */
  as_the_tree_says(6, 300, 1e-9, 0.03);
  as_the_tree_says(8, 300, 3, 0.02); /* balls far larger than a brick */
}

/* A block's last node, with a needle on its far side that points at it and, farther by the last digits of doubles alone, a speck before
   it: floats cannot tell them apart, and were nothing allowed for their rounding, the needle, whose middle is far, would be left out.
   `off`: how far both are, and half the needle, in cells. How often it is the nearest. */
static int needles_are_kept(uint64_t seed, double off) {
  hik_rng rng = hik_rng_start(seed, 3);
  soup *s = draw(seed, 2, 1);
  int nearest = 0;
  for (int turn = 0; turn < 200; turn++) {
    const double cell = 0.01 + hik_rng_uniform(&rng), low[3] = {-cell, 0.3 * cell, 0.7 * cell};
    const int64_t first[3] = {0, 0, 0};
    double way[3], square[HIK_GRID_BRICK], told[HIK_GRID_BRICK] = {0};
    bool wanted[HIK_GRID_BRICK] = {false};
    int32_t near = 0;
    for (int j = 0; j < 3; j++) way[j] = 0.8 + 0.4 * hik_rng_uniform(&rng);
    hik_unit(way, way);
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 3; j++) {
        double x = low[j] + cell;
        s->vertex[k][j] = x + cell * way[j] * off * (k == 0 ? 1 : 3);
        s->vertex[3 + k][j] = x - cell * way[j] * off * (1 + 1e-13);
        s->triangle[0][k] = k, s->triangle[1][k] = 3 + k;
      }
    hik_tree_make(&s->tree, s->vertex[0], s->triangle[0], 2, NULL);
    for (int k = 0; k < 8; k++) {
      const int at[3] = {k & 1, k >> 1 & 1, k >> 2}, node = (at[2] * 5 + at[1]) * 5 + at[0];
      double x[3];
      for (int j = 0; j < 3; j++) x[j] = low[j] + cell * at[j];
      int32_t hint = 0;
      wanted[node] = true, told[node] = hik_tree_nearest(&s->tree, x, &hint);
      nearest += k == 7 && s->tree.source[hint] == 0;
    }
    hik_brick_distances(&s->tree, low, first, cell, wanted, square, &near);
    for (int i = 0; i < HIK_GRID_BRICK; i++)
      CHECK(!wanted[i] || memcmp(told + i, square + i, sizeof *told) == 0);
  }
  drop(s);
  return nearest;
}

static void rounding_of_floats_leaves_nothing_out(void) {
  CHECK(needles_are_kept(10, 1e-3) > 50);
  CHECK(needles_are_kept(11, 1e4) > 50);
}

static void lanes_are_as_one_point(hik_near_fn *points) {
  soup *s = draw(9, 300, 0.4);
  hik_rng rng = hik_rng_start(9, 2);
  int32_t which[100];
  double x[3][HIK_NEAR_POINTS], least[HIK_NEAR_POINTS];
  for (int turn = 0; turn < 50; turn++) {
    for (int k = 0; k < 100; k++) which[k] = (int32_t)(hik_rng_uniform(&rng) * 300);
    for (int k = 0; k < HIK_NEAR_POINTS; k++)
      for (int j = 0; j < 3; j++) x[j][k] = 1.5 * hik_rng_uniform(&rng) - 0.2;
    int n = turn % 2 ? 100 : 1;
    points(s->tree.facet, which, n, x, least);
    for (int k = 0; k < HIK_NEAR_POINTS; k++) {
      const double p[3] = {x[0][k], x[1][k], x[2][k]};
      double best = INFINITY;
      for (int i = 0; i < n; i++) {
        double told = hik_facet_square(s->tree.facet + which[i], p);
        best = told < best ? told : best;
      }
      CHECK(memcmp(&best, least + k, sizeof best) == 0);
    }
  }
  points(s->tree.facet, which, 0, x, least);
  CHECK(least[0] == INFINITY && least[HIK_NEAR_POINTS - 1] == INFINITY);
  drop(s);
}

static void every_set_says_the_same(void) {
  const char *sets[] = {"base", "avx2", "avx512", "auto"};
  for (int k = 0; k < 4; k++)
    if (hik_simd_select(sets[k])) lanes_are_as_one_point(hik_near_points());
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(bricks_are_as_the_tree_says);
  RUN(rounding_of_floats_leaves_nothing_out);
  RUN(every_set_says_the_same);
  CHECK_END();
}
