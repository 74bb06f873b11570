/* grid.c: makes the signed distance grid of a triangle mesh.

   Purpose: a mesh of any kind as an obstacle that answers in the time of a few numbers read.
   Given: vertices, triangles, the side of a fine cell.
   Returned: the grid.
   Notes: (1) exact distances at the coarse nodes, by a tree of boxes; (2) bricks where a cell may lie within two fine cells of
     a triangle; (3) exact distances at their nodes; (4) a flood from the rim; (5) triangles that no reached node comes near
     are left out, and what is not reached gets its distance to the others: of two boxes that overlap the walls inside do not
     count. Every node is worked out by itself, with the triangle of the one before looked at first, which does not change the
     answer: the bytes do not depend on threads.
   Reference: the idea of a flood on distances is that of many; the two levels and the bounds are grid.h's. */
#include "scene/grid.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "scene/grid_brick.h"
#include "scene/grid_flood.h"
#include "scene/grid_tree.h"

enum { LEAST_MARGIN = 12, TURNS = 256 };
/* fine cells to a triangle within which a coarse cell gets a brick; half of its diagonal; a triangle is seen by a reached node
   as near as this */
static const double BAND = 2, HALF_DIAGONAL = 3.4642, SEEN = 2;
static const double FARTHEST = 1e9, FINEST = 1e-9; /* m; cells beside the largest coordinate: rounding */
/* a float is off by 6e-8 of itself at most: outside it is rounded down, in the solid up */
static const double DOWN = 1 - 1.2e-7, UP = 1 + 3.6e-7;

typedef struct making {
  hik_grid *grid;
  const hik_grid_mesh *mesh;
  hik_tree tree;
  hik_flood flood;
  float *coarse, *fine;
  int32_t *brick, *cell_of;
  uint8_t *seen; /* [triangles] */
  bool again,
      copies; /* the second time, only what is not reached; nodes of a neighbour are copied, not made */
} making;

/* ---- checks ---- */

static hik_status check_mesh(const hik_grid_mesh *m, double largest, hik_error *error) {
  if (!(m->cell > 0 && m->cell <= FARTHEST))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the cell of a grid must be a positive length, got %g",
                    m->cell);
  if (!(m->margin >= 0 && m->margin <= FARTHEST))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the margin of a grid must be 0 or more, got %g", m->margin);
  if (m->triangles < 1 || m->triangles > HIK_GRID_MOST_TRIANGLES)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a mesh has 1 to %d triangles, got %lld",
                    (int)HIK_GRID_MOST_TRIANGLES, (long long)m->triangles);
  if (!(largest <= FARTHEST))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a vertex is not finite, or farther than %g m", FARTHEST);
  for (int64_t i = 0; i < 3 * m->triangles; i++)
    if (m->triangle[i] < 0 || m->triangle[i] >= m->vertices)
      return hik_fail(error, HIK_BAD_ARGUMENT, -1, "triangle %lld: there is no vertex %d, only %lld",
                      (long long)(i / 3), (int)m->triangle[i], (long long)m->vertices);
  if (m->cell < FINEST * largest)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1,
                    "a cell of %g m is lost in the rounding of coordinates of %g m", m->cell, largest);
  return HIK_OK;
}

static double largest_of(const double *x, int64_t n) {
  double most = 0;
  for (int64_t i = 0; i < n; i++) most = hik_most(most, fabs(x[i])); /* NaN is kept */
  return most;
}

/* Bytes while it is made, of so many coarse cells and bricks. */
static double bytes_of(double cells, double bricks) {
  return cells * (sizeof(float) + 2 * sizeof(int32_t) + 1) +
         bricks * (HIK_GRID_BRICK * (sizeof(float) + 1) + sizeof(int32_t));
}

static double cells_at(const hik_grid_mesh *m, const hik_grid *g, double cell, double count[3]) {
  double margin = m->margin > LEAST_MARGIN * cell ? m->margin : LEAST_MARGIN * cell, cells = 1;
  for (int j = 0; j < 3; j++) {
    count[j] = floor((g->bounds[1][j] - g->bounds[0][j] + 2 * margin) / (HIK_GRID_FINE * cell)) + 1;
    cells *= count[j] + 1;
  }
  return cells;
}

static hik_status refuse(const hik_grid_mesh *m, double bytes, double cell, hik_error *error) {
  return hik_fail(
      error, HIK_BAD_ARGUMENT, -1,
      "a grid with cells of %g m takes %.0f MB, more than the %.0f MB allowed; cells of about %.2g m fit",
      m->cell, bytes / 1e6, (double)m->most_bytes / 1e6, cell);
}

static hik_status lay_out(const hik_grid_mesh *m, hik_grid *g, hik_error *error) {
  double count[3], most = (double)m->most_bytes, bytes = bytes_of(cells_at(m, g, m->cell, count), 0);
  if (!(bytes <= most) || !(bytes <= bytes_of(INT32_MAX, 0))) {
    double cell = m->cell;
    while (bytes_of(cells_at(m, g, cell, count), 0) > most && cell < FARTHEST) cell *= 1.25;
    return refuse(m, bytes, cell, error);
  }
  g->cell = m->cell;
  g->triangles = m->triangles;
  double margin = m->margin > LEAST_MARGIN * m->cell ? m->margin : LEAST_MARGIN * m->cell;
  for (int j = 0; j < 3; j++) g->low[j] = g->bounds[0][j] - margin, g->count[j] = (int32_t)count[j];
  return HIK_OK;
}

static void bounds_of(const hik_grid_mesh *m, double bounds[2][3]) {
  for (int j = 0; j < 3; j++) bounds[0][j] = INFINITY, bounds[1][j] = -INFINITY;
  for (int64_t i = 0; i < 3 * m->triangles; i++)
    for (int j = 0; j < 3; j++) {
      double x = m->vertex[3 * (int64_t)m->triangle[i] + j];
      bounds[0][j] = x < bounds[0][j] ? x : bounds[0][j];
      bounds[1][j] = x > bounds[1][j] ? x : bounds[1][j];
    }
}

/* ---- distances ---- */

static void node_at(const hik_grid *g, const int64_t fine[3], double x[3]) {
  for (int j = 0; j < 3; j++) x[j] = g->low[j] + g->cell * (double)fine[j];
}

/* Of the nodes, one more than cells. */
static int64_t pairs_of(int32_t cells) { return (cells + 2) / 2; }

/* Blocks of 2 x 2 x 2 coarse nodes. */
static void coarse_blocks(void *context, int64_t first, int64_t n, void *scratch) {
  making *k = context;
  const hik_grid *g = k->grid;
  const int64_t along = pairs_of(g->count[0]), across = pairs_of(g->count[1]);
  int32_t near = 0;
  (void)scratch;
  for (int64_t block = first; block < first + n; block++) {
    const int64_t from[3] = {2 * (block % along), 2 * (block / along % across), 2 * (block / along / across)};
    float *to[HIK_GRID_BRICK];
    bool wanted[HIK_GRID_BRICK] = {false};
    double square[HIK_GRID_BRICK];
    for (int i = 0; i < 8; i++) {
      int32_t at[3];
      bool there = true;
      for (int j = 0; j < 3; j++) at[j] = (int32_t)from[j] + (i >> j & 1), there &= at[j] <= g->count[j];
      if (!there || (k->again && hik_flood_node(&k->flood, at))) continue;
      int node = ((i >> 2) * HIK_GRID_SIDE + (i >> 1 & 1)) * HIK_GRID_SIDE + (i & 1);
      wanted[node] = true;
      to[node] = k->coarse + ((int64_t)at[2] * (g->count[1] + 1) + at[1]) * (g->count[0] + 1) + at[0];
    }
    hik_brick_distances(&k->tree, g->low, from, HIK_GRID_FINE * g->cell, wanted, square, &near);
    for (int i = 0; i < HIK_GRID_BRICK; i++)
      if (wanted[i]) *to[i] = (float)(sqrt(square[i]) * DOWN);
  }
}

static void cell_at(const hik_grid *g, int64_t cell, int32_t at[3]) {
  at[0] = (int32_t)(cell % g->count[0]);
  at[1] = (int32_t)(cell / g->count[0] % g->count[1]);
  at[2] = (int32_t)(cell / g->count[0] / g->count[1]);
}

/* The brick that makes a node, and its place there: the one whose nodes 0 to 3 it is of; -1 if that has none. */
static int32_t owner(const hik_grid *g, const int32_t at[3], const int node[3], int *place) {
  int64_t cell = 0;
  int own[3];
  for (int j = 2; j >= 0; j--) {
    bool next = node[j] == HIK_GRID_FINE;
    own[j] = next ? 0 : node[j];
    if (at[j] + next >= g->count[j]) return -1;
    cell = cell * g->count[j] + at[j] + next;
  }
  *place = (own[2] * HIK_GRID_SIDE + own[1]) * HIK_GRID_SIDE + own[0];
  return g->brick[cell];
}

/* Nodes of bricks: all that are their own or of no other brick; then, in a second pass, the rest from where they are. */
static void fine_rows(void *context, int64_t first, int64_t n, void *scratch) {
  making *k = context;
  const hik_grid *g = k->grid;
  int32_t near = 0;
  (void)scratch;
  for (int64_t b = first; b < first + n; b++) {
    int32_t at[3];
    float *to = k->fine + b * HIK_GRID_BRICK;
    bool wanted[HIK_GRID_BRICK];
    cell_at(g, k->cell_of[b], at);
    for (int i = 0; i < HIK_GRID_BRICK; i++) {
      const int node[3] = {i % HIK_GRID_SIDE, i / HIK_GRID_SIDE % HIK_GRID_SIDE,
                           i / HIK_GRID_SIDE / HIK_GRID_SIDE};
      int place = i;
      int32_t maker = owner(g, at, node, &place);
      bool mine = maker < 0 || maker == b, stays = k->again && k->flood.reached[b * HIK_GRID_BRICK + i];
      wanted[i] = mine && !stays;
      if (k->copies && !mine && !stays) to[i] = k->fine[(int64_t)maker * HIK_GRID_BRICK + place];
    }
    if (k->copies) continue;
    double square[HIK_GRID_BRICK];
    const int64_t from[3] = {HIK_GRID_FINE * (int64_t)at[0], HIK_GRID_FINE * (int64_t)at[1],
                             HIK_GRID_FINE * (int64_t)at[2]};
    hik_brick_distances(&k->tree, g->low, from, g->cell, wanted, square, &near);
    for (int i = 0; i < HIK_GRID_BRICK; i++)
      if (wanted[i]) to[i] = (float)(sqrt(square[i]) * DOWN);
  }
}

static hik_status run(making *k, hik_rows_fn *rows, int64_t n, int64_t block, hik_error *error) {
  const hik_rows all = {.n = n,
                        .block = block,
                        .threads = k->mesh->threads,
                        .work = rows,
                        .context = k,
                        .tick = k->mesh->tick,
                        .tick_context = k->mesh->tick_context};
  return hik_rows_run(&all, error);
}

static hik_status coarse(making *k, hik_error *error) {
  const int32_t *count = k->grid->count;
  return run(k, coarse_blocks, pairs_of(count[0]) * pairs_of(count[1]) * pairs_of(count[2]), 64, error);
}

static hik_status fine(making *k, hik_error *error) {
  hik_status status;
  k->copies = false;
  if ((status = run(k, fine_rows, k->grid->bricks, 16, error)) < 0) return status;
  k->copies = true;
  return run(k, fine_rows, k->grid->bricks, 4096, error);
}

/* ---- bricks ---- */

static void number_bricks(making *k) {
  hik_grid *g = k->grid;
  const int64_t row = g->count[0] + 1, sheet = row * (g->count[1] + 1);
  const double near = (BAND + HALF_DIAGONAL) * g->cell;
  int64_t cells = (int64_t)g->count[0] * g->count[1] * g->count[2];
  for (int64_t c = 0; c < cells; c++) {
    int32_t at[3];
    cell_at(g, c, at);
    const float *d = k->coarse + at[2] * sheet + at[1] * row + at[0];
    bool any = false;
    for (int j = 0; j < 8; j++) any |= d[(j & 1) + (j >> 1 & 1) * row + (j >> 2) * sheet] <= near;
    k->brick[c] = any ? (int32_t)g->bricks++ : -1;
  }
}

static void list_bricks(making *k) {
  const hik_grid *g = k->grid;
  int64_t cells = (int64_t)g->count[0] * g->count[1] * g->count[2];
  for (int64_t c = 0; c < cells; c++)
    if (k->brick[c] >= 0) k->cell_of[k->brick[c]] = (int32_t)c;
}

/* ---- sign ---- */

static hik_status flood(making *k, hik_error *error) {
  hik_deal deal;
  hik_deal_begin(&deal, 1, 1, k->mesh->tick, k->mesh->tick_context);
  while (hik_flood_run(&k->flood, TURNS)) {
    hik_deal_look(&deal);
    if (atomic_load(&deal.stop))
      return hik_fail(error, HIK_INTERRUPTED, -1, "the making of a grid was stopped");
  }
  return HIK_OK;
}

/* Marks the triangles that a reached node near the surface sees; true when some are hidden and some are not. */
static bool mark(making *k) {
  hik_grid *g = k->grid;
  const double near = SEEN * g->cell;
  bool solid = false;
  for (int64_t i = 0; i < g->bricks * HIK_GRID_BRICK && !solid; i++)
    solid = !k->flood.reached[i] && k->fine[i] > g->cell;
  if (!solid) return false;
  for (int64_t b = 0; b < g->bricks; b++) {
    int32_t at[3];
    cell_at(g, k->cell_of[b], at);
    for (int i = 0; i < HIK_GRID_BRICK; i++) {
      const int node[3] = {i % HIK_GRID_SIDE, i / HIK_GRID_SIDE % HIK_GRID_SIDE,
                           i / HIK_GRID_SIDE / HIK_GRID_SIDE};
      double x[3];
      int place;
      int64_t fine[3];
      if (!k->flood.reached[b * HIK_GRID_BRICK + i] || k->fine[b * HIK_GRID_BRICK + i] > near) continue;
      int32_t maker = owner(g, at, node, &place);
      if (maker >= 0 && maker != b) continue;
      for (int j = 0; j < 3; j++) fine[j] = HIK_GRID_FINE * (int64_t)at[j] + node[j];
      node_at(g, fine, x);
      hik_tree_mark(&k->tree, x, near * near, k->seen);
    }
  }
  int64_t seen = 0;
  for (int64_t i = 0; i < g->triangles; i++) seen += k->seen[i];
  g->hidden = seen ? g->triangles - seen : 0;
  return g->hidden > 0;
}

static void give_signs(making *k) {
  hik_grid *g = k->grid;
  int64_t inside = 0, whole = 0;
  for (int64_t i = 0; i < g->bricks * HIK_GRID_BRICK; i++) {
    int64_t n = i % HIK_GRID_BRICK;
    if (k->flood.reached[i]) continue;
    k->fine[i] = (float)(-k->fine[i] * UP);
    inside += n % HIK_GRID_SIDE < HIK_GRID_FINE && n / HIK_GRID_SIDE % HIK_GRID_SIDE < HIK_GRID_FINE &&
              n / HIK_GRID_SIDE / HIK_GRID_SIDE < HIK_GRID_FINE;
  }
  float *to = k->coarse;
  for (int32_t z = 0; z <= g->count[2]; z++)
    for (int32_t y = 0; y <= g->count[1]; y++)
      for (int32_t x = 0; x <= g->count[0]; x++, to++)
        if (!hik_flood_node(&k->flood, (int32_t[3]){x, y, z})) *to = (float)(-*to * UP);
  int64_t cells = (int64_t)g->count[0] * g->count[1] * g->count[2];
  for (int64_t c = 0; c < cells; c++) whole += g->brick[c] < 0 && !k->flood.open[c];
  g->volume = ((double)inside + (double)whole * HIK_GRID_FINE * HIK_GRID_FINE * HIK_GRID_FINE) * g->cell *
              g->cell * g->cell;
}

/* ---- all of it ---- */

static hik_status fill(making *k, hik_error *error) {
  hik_status status;
  const hik_grid_mesh *m = k->mesh;
  if ((status = fine(k, error)) < 0) return status;
  if ((status = flood(k, error)) < 0) return status;
  if (mark(k)) {
    hik_tree_make(&k->tree, m->vertex, m->triangle, m->triangles, k->seen);
    k->again = true;
    if ((status = coarse(k, error)) < 0 || (status = fine(k, error)) < 0) return status;
  }
  give_signs(k);
  return HIK_OK;
}

/* The grid with its arrays, as one allocation, from the sketch that has none. */
static hik_status settle(making *k, const hik_grid *sketch, hik_grid **out, hik_error *error) {
  int64_t cells = (int64_t)sketch->count[0] * sketch->count[1] * sketch->count[2];
  int64_t nodes = (int64_t)(sketch->count[0] + 1) * (sketch->count[1] + 1) * (sketch->count[2] + 1);
  const float *coarse = k->coarse;
  const int32_t *brick = k->brick;
  for (hik_block block = {0};; block.size = 0) {
    hik_grid *g = HIK_TAKE(&block, hik_grid, 1);
    k->coarse = HIK_TAKE(&block, float, nodes);
    k->brick = HIK_TAKE(&block, int32_t, cells);
    k->fine = HIK_TAKE(&block, float, sketch->bricks *HIK_GRID_BRICK);
    if (g) {
      *g = *sketch;
      g->coarse = k->coarse, g->brick = k->brick, g->fine = k->fine, g->bytes = block.size;
      memcpy(k->coarse, coarse, (size_t)nodes * sizeof *coarse);
      memcpy(k->brick, brick, (size_t)cells * sizeof *brick);
      *out = k->grid = g;
      return HIK_OK;
    }
    if (block.bad || !(block.base = hik_allocate(block.size))) return hik_fail_memory(error, block.size);
  }
}

static hik_status with_bricks(making *k, hik_grid *sketch, hik_grid **out, hik_error *error) {
  const hik_grid_mesh *m = k->mesh;
  int64_t cells = (int64_t)sketch->count[0] * sketch->count[1] * sketch->count[2];
  hik_status status = coarse(k, error);
  if (status < 0) return status;
  number_bricks(k);
  double bytes = bytes_of((double)cells, (double)sketch->bricks), most = (double)m->most_bytes;
  if (!(bytes <= most)) return refuse(m, bytes, m->cell * sqrt(bytes / most) * 1.1, error);
  if ((status = settle(k, sketch, out, error)) < 0) return status;
  void *memory = NULL;
  for (hik_block block = {0};; block.size = 0) {
    k->cell_of = HIK_TAKE(&block, int32_t, sketch->bricks);
    k->seen = HIK_TAKE(&block, uint8_t, sketch->triangles);
    hik_flood_take(&block, k->grid, &k->flood);
    if (memory) break;
    if (block.bad || !(memory = block.base = hik_allocate(block.size))) {
      status = hik_fail_memory(error, block.size);
      break;
    }
  }
  if (status == HIK_OK) {
    list_bricks(k);
    status = fill(k, error);
  }
  hik_release(memory);
  return status;
}

hik_status hik_grid_create(const hik_grid_mesh *mesh, hik_grid **out, hik_error *error) {
  hik_grid sketch = {0};
  making k = {.grid = &sketch, .mesh = mesh};
  *out = NULL;
  hik_status status = check_mesh(mesh, largest_of(mesh->vertex, 3 * mesh->vertices), error);
  if (status < 0) return status;
  bounds_of(mesh, sketch.bounds);
  if ((status = lay_out(mesh, &sketch, error)) < 0) return status;
  int64_t cells = (int64_t)sketch.count[0] * sketch.count[1] * sketch.count[2];
  int64_t nodes = (int64_t)(sketch.count[0] + 1) * (sketch.count[1] + 1) * (sketch.count[2] + 1);
  void *memory = NULL;
  for (hik_block block = {0};; block.size = 0) {
    hik_tree_take(&block, mesh->triangles, &k.tree);
    k.coarse = HIK_TAKE(&block, float, nodes);
    k.brick = HIK_TAKE(&block, int32_t, cells);
    if (memory) break;
    if (block.bad || !(memory = block.base = hik_allocate(block.size)))
      return hik_fail_memory(error, block.size);
  }
  hik_tree_make(&k.tree, mesh->vertex, mesh->triangle, mesh->triangles, NULL);
  status = with_bricks(&k, &sketch, out, error);
  hik_release(memory);
  if (status < 0) {
    hik_grid_free(*out);
    *out = NULL;
  }
  return status;
}

void hik_grid_free(hik_grid *grid) { hik_release(grid); }
