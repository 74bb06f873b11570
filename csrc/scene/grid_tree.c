/* grid_tree.c: triangles in a tree of boxes.

   Purpose: exact distances of the nodes of a grid to a mesh.
   Given: vertices and triangles; a point, and a distance beyond which nothing matters.
   Returned: the squared distance to the nearest triangle; the marks of all within a distance.
   Notes: triangles are sorted along a curve that keeps neighbours together (the bits of the three coordinates of their
     middles in turn) and halved by number, so the depth is that of a balanced tree whatever the mesh: 26 for 2^26 leaves, and a
     stack of 64 holds every walk. The distance to a triangle is that to its plane where the foot lies inside, else the least to
     its edges: a triangle without area falls back to its edges by itself.
   Reference: G. M. Morton, A computer oriented geodetic data base and a new technique in file sequencing, IBM 1966. */
#include "scene/grid_tree.h"

#include "base/vec.h"

enum { LEAF = 4, DEPTH = 64, BITS = 10, RADIX = 11 };
/* of squares: boxes are left out only where rounding cannot be to blame */
static const double ROUNDING = 1 + 1e-12;
/* sin^2 of the least angle between two edges for which their product still has digits */
static const double THIN = 1e-24;

void hik_tree_take(hik_block *block, int64_t facets, hik_tree *tree) {
  tree->facet = HIK_TAKE(block, hik_facet, facets);
  tree->ball = HIK_TAKE(block, hik_facet_ball, facets);
  tree->source = HIK_TAKE(block, int32_t, facets);
  tree->node = HIK_TAKE(block, hik_box_node, 2 * (uint64_t)facets);
  tree->key = HIK_TAKE(block, uint32_t, facets);
  tree->spare_key = HIK_TAKE(block, uint32_t, facets);
  tree->spare = HIK_TAKE(block, int32_t, facets);
  tree->done = HIK_TAKE(block, uint8_t, 2 * (uint64_t)facets);
}

/* ---- order ---- */

/* Ten bits with two zeros between each and the next. */
static uint32_t spread(uint32_t x) {
  x = (x | (x << 16)) & 0x030000ffu;
  x = (x | (x << 8)) & 0x0300f00fu;
  x = (x | (x << 4)) & 0x030c30c3u;
  return (x | (x << 2)) & 0x09249249u;
}

static void keys(hik_tree *tree, const double *vertex, const int32_t *triangle) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t i = 0; i < tree->facets; i++)
    for (int k = 0; k < 3; k++) {
      const double *v = vertex + 3 * (int64_t)triangle[3 * (int64_t)tree->source[i] + k];
      for (int j = 0; j < 3; j++)
        low[j] = v[j] < low[j] ? v[j] : low[j], high[j] = v[j] > high[j] ? v[j] : high[j];
    }
  for (int64_t i = 0; i < tree->facets; i++) {
    const int32_t *t = triangle + 3 * (int64_t)tree->source[i];
    uint32_t key = 0;
    for (int j = 0; j < 3; j++) {
      double middle = (vertex[3 * (int64_t)t[0] + j] / 3 + vertex[3 * (int64_t)t[1] + j] / 3) +
                      vertex[3 * (int64_t)t[2] + j] / 3;
      double side = high[j] - low[j];
      double share = side > 0 ? hik_clip((middle - low[j]) / side, 0, 1) : 0;
      key |= spread((uint32_t)(share * ((1 << BITS) - 1))) << j;
    }
    tree->key[i] = key;
  }
}

/* Sorts by key, stably, a digit at a time. */
static void sort(hik_tree *tree) {
  uint32_t *from = tree->key, *to = tree->spare_key;
  int32_t *item = tree->source, *place = tree->spare;
  for (int shift = 0; shift < 3 * BITS; shift += RADIX) {
    int64_t count[(1 << RADIX) + 1] = {0};
    const uint32_t mask = (1u << RADIX) - 1;
    for (int64_t i = 0; i < tree->facets; i++) count[((from[i] >> shift) & mask) + 1]++;
    for (int k = 0; k < 1 << RADIX; k++) count[k + 1] += count[k];
    for (int64_t i = 0; i < tree->facets; i++) {
      int64_t at = count[(from[i] >> shift) & mask]++;
      to[at] = from[i], place[at] = item[i];
    }
    uint32_t *keys_now = to;
    int32_t *items_now = place;
    to = from, place = item, from = keys_now, item = items_now;
  }
  if (item != tree->source) memcpy(tree->source, item, (size_t)tree->facets * sizeof *item);
}

/* ---- boxes ---- */

static void fill_facet(hik_facet *f, const double *vertex, const int32_t *t) {
  const double *a = vertex + 3 * (int64_t)t[0];
  hik_copy3(a, f->a);
  for (int k = 0; k < 2; k++) hik_sub3(vertex + 3 * (int64_t)t[k + 1], a, f->e[k]);
  hik_sub3(f->e[1], f->e[0], f->e[2]);
  for (int k = 0; k < 3; k++) {
    double inverse = 1 / hik_dot(f->e[k], f->e[k]);
    f->inverse[k] = inverse < INFINITY ? inverse : 0;
  }
  hik_cross(f->e[0], f->e[1], f->n);
  double square = hik_dot(f->n, f->n), sides = hik_dot(f->e[0], f->e[0]) * hik_dot(f->e[1], f->e[1]);
  f->square = square > THIN * sides ? square : 0;
}

/* About the middle of its longest side, or, of an acute one, the point as far from all corners; rounding moves that nowhere off the facet. */
static void fill_ball(const hik_facet *f, hik_facet_ball *ball) {
  const double *e[3] = {f->e[0], f->e[1], f->e[2]};
  double s[3] = {hik_dot(e[0], e[0]), hik_dot(e[1], e[1]), hik_dot(e[2], e[2])};
  int k = s[0] > s[1] ? 0 : 1;
  k = s[2] > s[k] ? 2 : k;
  bool acute = f->square > 0 && s[0] + s[1] + s[2] - s[k] > s[k];
  double u = k == 1 ? 0 : 0.5, v = k == 0 ? 0 : 0.5;
  if (acute) {
    double dot = hik_dot(e[0], e[1]), half = 0.5 / f->square;
    u = hik_clip(half * s[1] * (s[0] - dot), 0, 1), v = hik_clip(half * s[0] * (s[1] - dot), 0, 1 - u);
  }
  double square = 0;
  for (int j = 0; j < 3; j++) ball->middle[j] = f->a[j] + (u * e[0][j] + v * e[1][j]);
  for (int i = 0; i < 3; i++) {
    double off[3];
    hik_sub3(f->a, ball->middle, off);
    if (i) hik_add3(off, e[i - 1], off);
    square = hik_most(square, hik_dot(off, off));
  }
  ball->radius = sqrt(square);
}

static void box_of(const hik_facet *f, double low[3], double high[3]) {
  for (int j = 0; j < 3; j++) {
    double b = f->a[j] + f->e[0][j], c = f->a[j] + f->e[1][j], a = f->a[j];
    double least = a < b ? a : b, most = a < b ? b : a;
    least = c < least ? c : least, most = c > most ? c : most;
    low[j] = least < low[j] ? least : low[j], high[j] = most > high[j] ? most : high[j];
  }
}

static void bounds(hik_tree *tree) {
  for (int64_t i = tree->nodes - 1; i >= 0; i--) {
    hik_box_node *n = tree->node + i;
    for (int j = 0; j < 3; j++) n->low[j] = INFINITY, n->high[j] = -INFINITY;
    if (n->right < 0)
      for (int64_t k = n->first; k < n->last; k++) box_of(tree->facet + k, n->low, n->high);
    else
      for (int side = 0; side < 2; side++) {
        const hik_box_node *child = side ? tree->node + n->right : n + 1;
        for (int j = 0; j < 3; j++) {
          n->low[j] = child->low[j] < n->low[j] ? child->low[j] : n->low[j];
          n->high[j] = child->high[j] > n->high[j] ? child->high[j] : n->high[j];
        }
      }
  }
}

/* Halves by number, depth first: the first child follows its parent. */
static void halve(hik_tree *tree) {
  struct {
    int32_t first, last, parent;
  } stack[DEPTH];
  int top = 0;
  stack[top].first = 0, stack[top].last = (int32_t)tree->facets, stack[top++].parent = -1;
  tree->nodes = 0;
  while (top) {
    int32_t first = stack[--top].first, last = stack[top].last, parent = stack[top].parent;
    int32_t at = (int32_t)tree->nodes++, middle = first + (last - first) / 2;
    hik_box_node *n = tree->node + at;
    n->first = first, n->last = last, n->right = -1;
    if (parent >= 0) tree->node[parent].right = at;
    if (last - first <= LEAF) continue;
    n->right = 0; /* set by the child, which is taken after all of the first */
    stack[top].first = middle, stack[top].last = last, stack[top++].parent = at;
    stack[top].first = first, stack[top].last = middle, stack[top++].parent = -1;
  }
}

void hik_tree_make(hik_tree *tree, const double *vertex, const int32_t *triangle, int64_t triangles,
                   const uint8_t *keep) {
  tree->facets = 0;
  for (int64_t i = 0; i < triangles; i++)
    if (!keep || keep[i]) tree->source[tree->facets++] = (int32_t)i;
  keys(tree, vertex, triangle);
  sort(tree);
  for (int64_t i = 0; i < tree->facets; i++) {
    fill_facet(tree->facet + i, vertex, triangle + 3 * (int64_t)tree->source[i]);
    fill_ball(tree->facet + i, tree->ball + i);
  }
  halve(tree);
  bounds(tree);
  memset(tree->done, 0, (size_t)tree->nodes);
}

/* ---- distances ---- */

/* |w - t e|^2 at the best t in [0, 1]. */
static double edge_square(const double w[3], const double e[3], double inverse) {
  double t = hik_clip(hik_dot(w, e) * inverse, 0, 1), r[3];
  hik_axpy3(w, -t, e, r);
  return hik_dot(r, r);
}

double hik_facet_square(const hik_facet *f, const double *x) {
  double w[3], c[3], v[3];
  hik_sub3(x, f->a, w);
  if (f->square > 0) {
    hik_cross(w, f->e[1], c);
    double s = hik_dot(c, f->n);
    hik_cross(f->e[0], w, c);
    double t = hik_dot(c, f->n);
    if (s >= 0 && t >= 0 && s + t <= f->square) {
      double off = hik_dot(w, f->n);
      return off * off / f->square;
    }
  }
  double best = edge_square(w, f->e[0], f->inverse[0]), next = edge_square(w, f->e[1], f->inverse[1]);
  best = next < best ? next : best;
  hik_sub3(w, f->e[0], v);
  next = edge_square(v, f->e[2], f->inverse[2]);
  return next < best ? next : best;
}

static double box_square(const hik_box_node *n, const double *x) {
  double sum = 0;
  for (int j = 0; j < 3; j++) {
    double below = n->low[j] - x[j], above = x[j] - n->high[j], off = below > above ? below : above;
    sum += off > 0 ? off * off : 0;
  }
  return sum;
}

double hik_tree_nearest(const hik_tree *tree, const double *x, int32_t *near) {
  struct {
    int32_t node;
    double square;
  } stack[DEPTH];
  int top = 0;
  double best = hik_facet_square(tree->facet + *near, x);
  stack[top].node = 0, stack[top++].square = box_square(tree->node, x);
  while (top) {
    int32_t at = stack[--top].node;
    if (stack[top].square > best * ROUNDING) continue;
    const hik_box_node *n = tree->node + at;
    if (n->right < 0) {
      for (int32_t k = n->first; k < n->last; k++) {
        double square = hik_facet_square(tree->facet + k, x);
        if (square < best) best = square, *near = k;
      }
      continue;
    }
    double one = box_square(n + 1, x), two = box_square(tree->node + n->right, x);
    bool swap = two < one;
    stack[top].node = swap ? at + 1 : n->right, stack[top++].square = swap ? one : two;
    stack[top].node = swap ? n->right : at + 1, stack[top++].square = swap ? two : one;
  }
  return best;
}

/* Marks what is near of a leaf; true: all of it is marked now. */
static bool mark_leaf(const hik_tree *tree, const hik_box_node *n, const double *x, double square,
                      uint8_t *marked) {
  bool all = true;
  for (int32_t k = n->first; k < n->last; k++) {
    uint8_t *mark = marked + tree->source[k];
    if (!*mark) *mark = hik_facet_square(tree->facet + k, x) <= square;
    all &= *mark != 0;
  }
  return all;
}

void hik_tree_mark(const hik_tree *tree, const double *x, double square, uint8_t *marked) {
  int32_t stack[DEPTH];
  int top = 0;
  stack[top++] = 0;
  while (top) {
    int32_t at = stack[--top];
    const hik_box_node *n = tree->node + at;
    if (tree->done[at] || box_square(n, x) > square * ROUNDING) continue;
    if (n->right < 0) {
      tree->done[at] = mark_leaf(tree, n, x, square, marked);
    } else if (tree->done[at + 1] && tree->done[n->right]) {
      tree->done[at] = 1;
    } else {
      stack[top++] = n->right;
      stack[top++] = at + 1;
    }
  }
}
