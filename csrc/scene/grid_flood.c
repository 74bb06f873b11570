/* grid_flood.c: what can be reached from outside.

   Purpose: the sign of a distance without asking which way the triangles face, or whether they close.
   Given: exact distances of the nodes to the nearest triangle.
   Returned: which nodes are reached from the rim of the grid.
   Notes: one goes from a node to the next along a fine edge only where the two distances sum to more than its length: then
     no triangle meets the edge. Cells without a brick are farther than two fine cells from every triangle and are crossed at
     once. Cells wait in a ring, each once at a time, and come again when a neighbour has reached new nodes of theirs: no
     recursion, and the order does not matter to what is reached. */
#include "scene/grid_flood.h"

enum { WAITS = 2, OPEN = 1 };
/* distances are floats, rounded down */
static const double SURE = 1 + 1e-6;

static int64_t cells_of(const hik_grid *g) { return (int64_t)g->count[0] * g->count[1] * g->count[2]; }

void hik_flood_take(hik_block *block, const hik_grid *grid, hik_flood *flood) {
  flood->reached = HIK_TAKE(block, uint8_t, grid->bricks * HIK_GRID_BRICK);
  flood->open = HIK_TAKE(block, uint8_t, cells_of(grid));
  flood->queue = HIK_TAKE(block, int32_t, cells_of(grid));
  flood->head = flood->length = flood->turns = 0;
  flood->grid = grid;
}

static void wait(hik_flood *f, int64_t cell) {
  if (f->open[cell] & WAITS) return;
  int64_t cells = cells_of(f->grid), at = f->head + f->length++;
  f->open[cell] |= WAITS;
  f->queue[at < cells ? at : at - cells] = (int32_t)cell;
}

/* Spreads what is reached of one brick through it. */
static void spread(const float *d, uint8_t *reached, double cell) {
  static const int step[3] = {1, HIK_GRID_SIDE, HIK_GRID_SIDE * HIK_GRID_SIDE};
  uint8_t stack[HIK_GRID_BRICK]; /* each node is put there once */
  int top = 0;
  for (int i = 0; i < HIK_GRID_BRICK; i++)
    if (reached[i]) stack[top++] = (uint8_t)i;
  while (top) {
    int at = stack[--top], rest = at;
    for (int j = 0; j < 3; j++, rest /= HIK_GRID_SIDE) {
      int place = rest % HIK_GRID_SIDE;
      for (int way = -1; way <= 1; way += 2) {
        if (place + way < 0 || place + way >= HIK_GRID_SIDE) continue;
        int next = at + way * step[j];
        if (reached[next] || !((double)d[at] + d[next] > cell * SURE)) continue;
        reached[next] = 1;
        stack[top++] = (uint8_t)next;
      }
    }
  }
}

/* The nodes of a brick on the side towards a neighbour: from and to along one axis. */
static void shared(int way, int *from, int *to) {
  *from = way > 0 ? HIK_GRID_FINE : 0;
  *to = way < 0 ? 0 : HIK_GRID_FINE;
}

/* Hands what is reached on the common side to a neighbour; mine or yours NULL: no brick there, reached as a whole. Whether
   anything was new to it. */
static bool hand_over(const uint8_t *mine, uint8_t *yours, uint8_t *your_open, const int way[3]) {
  int from[3], to[3];
  bool news = false;
  for (int j = 0; j < 3; j++) shared(way[j], from + j, to + j);
  if (!yours && (*your_open & OPEN)) return false;
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++)
      for (int x = from[0]; x <= to[0]; x++) {
        if (mine && !mine[(z * HIK_GRID_SIDE + y) * HIK_GRID_SIDE + x]) continue;
        if (!yours) {
          *your_open |= OPEN;
          return true;
        }
        int other =
            ((z - HIK_GRID_FINE * way[2]) * HIK_GRID_SIDE + y - HIK_GRID_FINE * way[1]) * HIK_GRID_SIDE + x -
            HIK_GRID_FINE * way[0];
        news |= !yours[other];
        yours[other] = 1;
      }
  return news;
}

static void work(hik_flood *f, int64_t cell) {
  const hik_grid *g = f->grid;
  const int32_t *count = g->count, brick = g->brick[cell];
  uint8_t *mine = brick < 0 ? NULL : f->reached + (int64_t)brick * HIK_GRID_BRICK;
  int64_t at[3] = {cell % count[0], cell / count[0] % count[1], cell / count[0] / count[1]};
  if (mine) spread(g->fine + (int64_t)brick * HIK_GRID_BRICK, mine, g->cell);
  for (int k = 0; k < 27; k++) {
    const int way[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    bool there = k != 13;
    for (int j = 0; j < 3; j++) there &= at[j] + way[j] >= 0 && at[j] + way[j] < count[j];
    if (!there) continue;
    int64_t other = cell + ((int64_t)way[2] * count[1] + way[1]) * count[0] + way[0];
    int32_t theirs = g->brick[other];
    if (hand_over(mine, theirs < 0 ? NULL : f->reached + (int64_t)theirs * HIK_GRID_BRICK, f->open + other,
                  way))
      wait(f, other);
  }
}

bool hik_flood_run(hik_flood *f, int64_t turns) {
  int64_t cells = cells_of(f->grid);
  if (f->turns == 0) {
    f->open[0] |= OPEN;
    wait(f, 0);
  }
  for (; f->length && turns > 0; turns--, f->turns++) {
    int64_t cell = f->queue[f->head];
    f->head = f->head + 1 < cells ? f->head + 1 : 0;
    f->length--;
    f->open[cell] &= (uint8_t)~WAITS;
    work(f, cell);
  }
  return f->length > 0;
}

bool hik_flood_node(const hik_flood *f, const int32_t at[3]) {
  const hik_grid *g = f->grid;
  for (int k = 0; k < 8; k++) {
    int32_t c[3], corner[3];
    bool there = true;
    for (int j = 0; j < 3; j++) {
      corner[j] = (k >> j) & 1;
      c[j] = at[j] - corner[j];
      there &= c[j] >= 0 && c[j] < g->count[j];
    }
    if (!there) continue;
    int64_t cell = ((int64_t)c[2] * g->count[1] + c[1]) * g->count[0] + c[0];
    int32_t brick = g->brick[cell];
    int node = HIK_GRID_FINE * ((corner[2] * HIK_GRID_SIDE + corner[1]) * HIK_GRID_SIDE + corner[0]);
    if (brick < 0 ? f->open[cell] & OPEN : f->reached[(int64_t)brick * HIK_GRID_BRICK + node]) return true;
  }
  return false;
}
