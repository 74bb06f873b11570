#include "base/rng.h"
#include "check.h"
#include "scene/grid_tree.h"

enum { MANY = 300 };

typedef struct soup {
  double vertex[3 * MANY][3];
  int32_t triangle[MANY][3];
  void *memory;
  hik_tree tree;
} soup;

static void draw(soup *s, uint64_t seed, double size) {
  hik_rng rng = hik_rng_start(seed, 1);
  for (int i = 0; i < MANY; i++) {
    double at[3] = {hik_rng_uniform(&rng), hik_rng_uniform(&rng), hik_rng_uniform(&rng)};
    for (int k = 0; k < 3; k++) {
      s->triangle[i][k] = 3 * i + k;
      for (int j = 0; j < 3; j++) s->vertex[3 * i + k][j] = at[j] + size * (hik_rng_uniform(&rng) - 0.5);
    }
  }
  hik_block block = {0};
  hik_tree_take(&block, MANY, &s->tree);
  s->memory = block.base = hik_allocate(block.size);
  block.size = 0;
  hik_tree_take(&block, MANY, &s->tree);
}

/* The squared distance by trying points of the triangle, ever closer about the best. */
static double searched(const double a[3], const double b[3], const double c[3], const double x[3]) {
  double best = INFINITY, s0 = 0.5, t0 = 0.5, width = 0.5;
  for (int round = 0; round < 60; round++, width *= 0.7) {
    double s1 = s0, t1 = t0;
    for (int i = -6; i <= 6; i++)
      for (int k = -6; k <= 6; k++) {
        double s = s0 + width * i / 6, t = t0 + width * k / 6, square = 0;
        s = s < 0 ? 0 : s > 1 ? 1 : s, t = t < 0 ? 0 : t > 1 - s ? 1 - s : t;
        for (int j = 0; j < 3; j++) {
          double off = a[j] + s * (b[j] - a[j]) + t * (c[j] - a[j]) - x[j];
          square += off * off;
        }
        if (square < best) best = square, s1 = s, t1 = t;
      }
    s0 = s1, t0 = t1;
  }
  return best;
}

static void distances_are_the_least(void) {
  soup s;
  for (uint64_t seed = 1; seed < 4; seed++) {
    draw(&s, seed, seed == 1 ? 0.1 : 0.6);
    hik_tree_make(&s.tree, s.vertex[0], s.triangle[0], MANY, NULL);
    CHECK(s.tree.facets == MANY);
    hik_rng rng = hik_rng_start(seed, 2);
    int32_t hint = 0;
    for (int n = 0; n < 200; n++) {
      double x[3] = {2 * hik_rng_uniform(&rng) - 0.5, 2 * hik_rng_uniform(&rng) - 0.5,
                     2 * hik_rng_uniform(&rng) - 0.5};
      double least = INFINITY;
      int32_t fresh = 0;
      for (int i = 0; i < MANY; i++) {
        double square = hik_facet_square(s.tree.facet + i, x);
        least = square < least ? square : least;
      }
      CHECK(hik_tree_nearest(&s.tree, x, &fresh) == least); /* whatever is looked at first: the same bytes */
      CHECK(hik_tree_nearest(&s.tree, x, &hint) == least);
      CHECK(hik_facet_square(s.tree.facet + hint, x) == least);
      if (n % 20 == 0) {
        const double *v = s.vertex[3 * (n / 2)];
        int at = 0;
        while (s.tree.source[at] != n / 2) at++;
        CHECK_NEAR(sqrt(hik_facet_square(s.tree.facet + at, x)), sqrt(searched(v, v + 3, v + 6, x)), 1e-7);
      }
    }
    hik_release(s.memory);
  }
}

/* A needle, a point, and three corners on a line are as far as their edges. */
static void triangles_without_area(void) {
  double vertex[6][3] = {{0, 0, 0}, {1, 0, 0}, {0.3, 0, 0}, {2, 2, 2}, {2, 2, 2}, {2, 2, 2}};
  int32_t triangle[2][3] = {{0, 1, 2}, {3, 4, 5}};
  const double x[3] = {0.5, 0.4, 0.3};
  soup s;
  draw(&s, 1, 1);
  hik_tree_make(&s.tree, vertex[0], triangle[0], 2, NULL);
  for (int k = 0; k < 2; k++) {
    const double *want = s.tree.source[k] ? (double[]){1.5 * 1.5 + 1.6 * 1.6 + 1.7 * 1.7} : (double[]){0.25};
    CHECK_NEAR(hik_facet_square(s.tree.facet + k, x), want[0], 1e-15);
  }
  hik_release(s.memory);
}

/* A leaf has four facets at most, and what has no more is one: the leaves of one are slower to go through, and so are those of eight. */
static void leaves_are_full(void) {
  soup s;
  draw(&s, 12, 0.2);
  int at_most = 0;
  for (int facets = 1; facets < 40; facets++) {
    hik_tree_make(&s.tree, s.vertex[0], s.triangle[0], facets, NULL);
    for (int64_t i = 0; i < s.tree.nodes; i++) {
      const hik_box_node *n = s.tree.node + i;
      CHECK((n->right < 0) == (n->last - n->first <= 4));
      at_most += n->last - n->first == 4;
    }
  }
  CHECK(at_most > 10);
  hik_release(s.memory);
}

static void marks_what_is_near_and_keeps_what_is_asked(void) {
  soup s;
  uint8_t marked[MANY] = {0}, keep[MANY] = {0};
  const double x[3] = {0.5, 0.5, 0.5};
  int count = 0;
  draw(&s, 9, 0.2);
  hik_tree_make(&s.tree, s.vertex[0], s.triangle[0], MANY, NULL);
  hik_tree_mark(&s.tree, x, 0.09, marked);
  for (int i = 0; i < MANY; i++) {
    bool near = hik_facet_square(s.tree.facet + i, x) <= 0.09;
    CHECK(marked[s.tree.source[i]] == near);
    count += near;
  }
  CHECK(count > 10 && count < MANY - 10);
  for (int i = 0; i < MANY; i += 3) keep[i] = 1;
  hik_tree_make(&s.tree, s.vertex[0], s.triangle[0], MANY, keep);
  CHECK(s.tree.facets == MANY / 3);
  for (int i = 0; i < MANY / 3; i++) CHECK(s.tree.source[i] % 3 == 0);
  hik_release(s.memory);
}

/* Call after call: what is passed over, being marked, leaves nothing out. */
static void marks_add_up(void) {
  soup s;
  uint8_t marked[MANY] = {0}, want[MANY] = {0};
  draw(&s, 11, 0.2);
  hik_tree_make(&s.tree, s.vertex[0], s.triangle[0], MANY, NULL);
  for (int call = 0; call < 400; call++) {
    const double x[3] = {0.1 * (call % 10), 0.1 * (call / 10 % 10), 0.25 * (call / 100)};
    double square = 0.001 * (1 + call % 7);
    hik_tree_mark(&s.tree, x, square, marked);
    for (int i = 0; i < MANY; i++) want[s.tree.source[i]] |= hik_facet_square(s.tree.facet + i, x) <= square;
    CHECK(memcmp(marked, want, sizeof want) == 0);
  }
  hik_tree_make(&s.tree, s.vertex[0], s.triangle[0], MANY, NULL); /* forgets */
  const double middle[3] = {0.5, 0.5, 0.5};
  memset(marked, 0, sizeof marked);
  hik_tree_mark(&s.tree, middle, 100, marked);
  for (int i = 0; i < MANY; i++) CHECK(marked[i]);
  hik_release(s.memory);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(marks_add_up);
  RUN(distances_are_the_least);
  RUN(triangles_without_area);
  RUN(leaves_are_full);
  RUN(marks_what_is_near_and_keeps_what_is_asked);
  CHECK_END();
}
