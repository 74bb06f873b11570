/* grid_brick.c: the distances of the nodes of one brick, many at a time.

   Purpose: most of the time in which a grid is made.
   Given: the tree of the triangles; which nodes of the brick are wanted.
   Returned: their squared distances.
   Notes: what is nearest to a point within R of another, which is D from the mesh, is within D + 2 R of that other. So the brick
     has a list of triangles by its middle, its blocks of 2 x 2 x 2 nodes (eight of them) a shorter one by their middles, and the
     nodes of a block the shortest, against which they stand in lanes. The two are shortened by the triangles' balls, in floats: their
     rounding is allowed for, so no answer changes. Where the brick's list is too long (triangles far smaller than the cell) each block has
     one of its own, and where that is too long each node goes down the tree by itself. */
#include "scene/grid_brick.h"

#include "base/vec.h"
#include "scene/grid_near.h"

enum { LONGEST = 1536, BLOCKS = 3, DEPTH = 64, FOURS = HIK_NEAR_POINTS / 4 };
/* of a cell, added to radii, and of squares: rounding is far less */
static const double SPARE = 1e-6, ROUNDING = 1 + 1e-9, HALF_BLOCK = 0.8661;
/* the same of floats: a share, and cells */
static const double FLOATS = 1 + 1e-5, FLOATS_SPARE = 1e-4;

typedef float four __attribute__((vector_size(16)));
typedef int32_t four_mask __attribute__((vector_size(16)));

/* A brick at work. */
typedef struct brick {
  const hik_tree *tree;
  const double *low;
  const int64_t *first;
  double cell;
  const bool *wanted;
  double *square;
  hik_near_fn *points;
  int32_t list[LONGEST], shorter[LONGEST];
  int32_t n;
} brick;

static void at(const brick *b, const double node[3], double x[3]) {
  for (int j = 0; j < 3; j++) x[j] = b->low[j] + b->cell * ((double)b->first[j] + node[j]);
}

static double box_square(const hik_box_node *n, const double *x) {
  double sum = 0;
  for (int j = 0; j < 3; j++) {
    double below = n->low[j] - x[j], above = x[j] - n->high[j], off = below > above ? below : above;
    sum += off > 0 ? off * off : 0;
  }
  return sum;
}

/* Lists the facets of the leaves whose boxes come within a distance of x; false where there are too many. */
static bool gather(brick *b, const double x[3], double square) {
  int32_t stack[DEPTH];
  int top = 0;
  stack[top++] = 0;
  b->n = 0;
  while (top) {
    int32_t number = stack[--top];
    const hik_box_node *n = b->tree->node + number;
    if (box_square(n, x) > square) continue;
    if (n->right >= 0) {
      stack[top++] = n->right;
      stack[top++] = number + 1;
      continue;
    }
    if (b->n + n->last - n->first > LONGEST) return false;
    for (int32_t k = n->first; k < n->last; k++) b->list[b->n++] = k;
  }
  return true;
}

static double widened(double square, double radius, double cell) {
  double reach = sqrt(square) + 2 * radius + SPARE * cell;
  return reach * reach * ROUNDING;
}

/* The wanted nodes of one block: their numbers; how many. */
static int nodes_of(const brick *b, int block, int node[HIK_NEAR_POINTS]) {
  const int low[3] = {2 * (block % BLOCKS), 2 * (block / BLOCKS % BLOCKS), 2 * (block / BLOCKS / BLOCKS)};
  int n = 0;
  for (int k = 0; k < HIK_NEAR_POINTS; k++) {
    int x = low[0] + (k & 1), y = low[1] + (k >> 1 & 1), z = low[2] + (k >> 2);
    if (x >= HIK_GRID_SIDE || y >= HIK_GRID_SIDE || z >= HIK_GRID_SIDE) continue;
    int number = (z * HIK_GRID_SIDE + y) * HIK_GRID_SIDE + x;
    if (b->wanted[number]) node[n++] = number;
  }
  return n;
}

static void place_of(const brick *b, int node, double x[3]) {
  const double k[3] = {node % HIK_GRID_SIDE, node / HIK_GRID_SIDE % HIK_GRID_SIDE,
                       node / HIK_GRID_SIDE / HIK_GRID_SIDE};
  at(b, k, x);
}

static void middle_of(const brick *b, int block, double x[3]) {
  const double k[3] = {2 * (block % BLOCKS) + 0.5, 2 * (block / BLOCKS % BLOCKS) + 0.5,
                       2 * (block / BLOCKS / BLOCKS) + 0.5};
  at(b, k, x);
}

static void set(double x[3][HIK_NEAR_POINTS], int k, const double at[3]) {
  for (int j = 0; j < 3; j++) x[j][k] = at[j];
}

/* Of a list, what can be the nearest to something within `radius` of one of eight points: how many; `kept` gets them. The middle of a ball
   bounds a distance from above, all of the ball from below. In cells, from the first point. */
static int64_t sift(const brick *b, const double x[3][HIK_NEAR_POINTS], double radius, const int32_t *list,
                    int64_t n, int32_t *kept) {
  const double from[3] = {x[0][0], x[1][0], x[2][0]}, scale = 1 / b->cell;
  four at[3][FOURS], least[FOURS], reach[FOURS], squares[LONGEST][FOURS];
  for (int q = 0; q < FOURS; q++)
    for (int k = 0; k < 4; k++) {
      for (int j = 0; j < 3; j++) at[j][q][k] = (float)((x[j][4 * q + k] - from[j]) * scale);
      least[q][k] = INFINITY;
    }
  for (int64_t i = 0; i < n; i++) {
    const double *middle = b->tree->ball[list[i]].middle;
    float m[3];
    for (int j = 0; j < 3; j++) m[j] = (float)((middle[j] - from[j]) * scale);
    for (int q = 0; q < FOURS; q++) {
      four u = m[0] - at[0][q], v = m[1] - at[1][q], w = m[2] - at[2][q], square = u * u + v * v + w * w;
      four_mask less = square < least[q];
      squares[i][q] = square;
      least[q] = (four)((less & (four_mask)square) | (~less & (four_mask)least[q]));
    }
  }
  for (int q = 0; q < FOURS; q++)
    for (int k = 0; k < 4; k++)
      reach[q][k] = (float)((sqrt(least[q][k]) + 2 * radius * scale) * FLOATS + FLOATS_SPARE);
  int64_t many = 0;
  for (int64_t i = 0; i < n; i++) {
    const float r = (float)(b->tree->ball[list[i]].radius * scale * FLOATS);
    four one = reach[0] + r, two = reach[1] + r;
    four_mask some = (squares[i][0] <= one * one) | (squares[i][1] <= two * two);
    int64_t bits[2];
    memcpy(bits, &some, sizeof bits);
    kept[many] = list[i];
    many += (bits[0] | bits[1]) != 0;
  }
  return many;
}

/* The wanted nodes of a block against a list. */
static void block_nodes(brick *b, int block, const int32_t *list, int64_t n) {
  int node[HIK_NEAR_POINTS], count = nodes_of(b, block, node);
  double x[3][HIK_NEAR_POINTS], square[HIK_NEAR_POINTS];
  for (int i = 0; i < HIK_NEAR_POINTS; i++) {
    double place[3];
    place_of(b, node[i < count ? i : 0], place);
    set(x, i, place);
  }
  int32_t kept[LONGEST];
  n = sift(b, x, 0, list, n, kept);
  b->points(b->tree->facet, kept, n, x, square);
  for (int i = 0; i < count; i++) b->square[node[i]] = square[i];
}

/* Eight blocks at most, with what is near to one of them of the list. */
static void blocks(brick *b, const int *block, int n) {
  double x[3][HIK_NEAR_POINTS];
  for (int k = 0; k < HIK_NEAR_POINTS; k++) {
    double middle[3];
    middle_of(b, block[k < n ? k : 0], middle);
    set(x, k, middle);
  }
  int64_t near = sift(b, x, HALF_BLOCK * b->cell, b->list, b->n, b->shorter);
  for (int k = 0; k < n; k++) block_nodes(b, block[k], b->shorter, near);
}

static void one_by_one(const brick *b, const int *node, int count, int32_t *near) {
  for (int i = 0; i < count; i++) {
    double x[3];
    place_of(b, node[i], x);
    b->square[node[i]] = hik_tree_nearest(b->tree, x, near);
  }
}

/* Of a brick whose list is too long: each block has its own, by its own middle, which is shorter; `whole`: there is one block, and it is as
   large. */
static void block_by_block(brick *b, bool whole, int32_t *near) {
  for (int k = 0; k < BLOCKS * BLOCKS * BLOCKS; k++) {
    int node[HIK_NEAR_POINTS], count = nodes_of(b, k, node);
    double x[3];
    bool some = count >= HIK_NEAR_POINTS / 2 && !whole;
    if (some) {
      middle_of(b, k, x);
      double own = hik_tree_nearest(b->tree, x, near);
      some = gather(b, x, widened(own, HALF_BLOCK * b->cell, b->cell));
    }
    if (some)
      block_nodes(b, k, b->list, b->n);
    else
      one_by_one(b, node, count, near);
  }
}

void hik_brick_distances(const hik_tree *tree, const double low[3], const int64_t first[3], double cell,
                         const bool wanted[HIK_GRID_BRICK], double square[HIK_GRID_BRICK], int32_t *near) {
  brick b = {.tree = tree, .low = low, .first = first, .cell = cell, .wanted = wanted, .square = square};
  int least[3] = {HIK_GRID_FINE, HIK_GRID_FINE, HIK_GRID_FINE}, most[3] = {0, 0, 0}, count = 0;
  for (int i = 0; i < HIK_GRID_BRICK; i++) {
    const int node[3] = {i % HIK_GRID_SIDE, i / HIK_GRID_SIDE % HIK_GRID_SIDE,
                         i / HIK_GRID_SIDE / HIK_GRID_SIDE};
    if (!wanted[i]) continue;
    count++;
    for (int j = 0; j < 3; j++) {
      least[j] = node[j] < least[j] ? node[j] : least[j];
      most[j] = node[j] > most[j] ? node[j] : most[j];
    }
  }
  if (!count) return;
  double middle[3], half[3], x[3];
  for (int j = 0; j < 3; j++)
    middle[j] = 0.5 * (least[j] + most[j]), half[j] = 0.5 * cell * (most[j] - least[j]);
  at(&b, middle, x);
  double own = hik_tree_nearest(tree, x, near);
  b.points = hik_near_points();
  int block[BLOCKS * BLOCKS * BLOCKS], n = 0, node[HIK_NEAR_POINTS];
  for (int k = 0; k < BLOCKS * BLOCKS * BLOCKS; k++)
    if (nodes_of(&b, k, node)) block[n++] = k;
  if (count < HIK_NEAR_POINTS || !gather(&b, x, widened(own, hik_norm(half), cell))) {
    block_by_block(&b, n == 1 || count < HIK_NEAR_POINTS, near);
    return;
  }
  if (n == 1) block_nodes(&b, block[0], b.list, b.n);
  for (int k = 0; n > 1 && k < n; k += HIK_NEAR_POINTS)
    blocks(&b, block + k, n - k < HIK_NEAR_POINTS ? n - k : HIK_NEAR_POINTS);
}
