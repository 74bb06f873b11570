/* drive_grid.c: the grid of drive.h, one bit a cell, and its flood from the goal.

   Given     walls, an outline, a leaf's places, a hand's map.
   Returned  for each cell from which a motion leads to the goal the steps to it; a step goes to the next cell in x, y, heading
             or place of the leaf.
   Notes     Of a wall all poses in which it touches the outline are, at one heading, the convex polygon of the differences of
             their points: it is drawn row by row. A cell counts by the pose in its middle, so that nothing is proved. A leaf that
             falls to is at no place between: one step leads from where it is let go to where it is shut. */
#include "access/drive.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/trig.h"

static int64_t cells(const hik_grid *g) { return (int64_t)g->places * g->in->headings * g->ny * g->nx; }

size_t hik_grid_lay(hik_grid *g, const hik_drive *in, void *memory) {
  *g = (hik_grid){.in = in, .places = (int32_t)in->leaf.places};
  g->nx = (int32_t)hik_clip(ceil((in->high[0] - in->low[0]) / in->cell), 1, 100000);
  g->ny = (int32_t)hik_clip(ceil((in->high[1] - in->low[1]) / in->cell), 1, 100000);
  g->words = (g->nx + 63) / 64;
  if ((double)g->nx * g->ny * in->headings * g->places > 1e8) return 0;
  int64_t rows = (int64_t)in->headings * g->ny * g->words;
  hik_block block = {.base = memory};
  g->still = HIK_TAKE(&block, uint64_t, rows);
  g->leaf = HIK_TAKE(&block, uint64_t, rows * (2 * g->places - 1));
  g->level = HIK_TAKE(&block, uint16_t, cells(g));
  g->queue = HIK_TAKE(&block, int32_t, cells(g));
  g->which = HIK_TAKE(&block, int32_t, in->leaf.edges);
  g->kept = HIK_TAKE(&block, int32_t, in->leaf.edges);
  g->turned = HIK_TAKE(&block, double, 2 * in->headings * in->corners);
  HIK_TAKE_DOUBLES(&block, in->headings, &g->sine, &g->cosine);
  HIK_TAKE_DOUBLES(&block, in->corners, &g->outline.out, &g->outline.far);
  HIK_TAKE_DOUBLES(&block, 2 * in->corners, &g->outline.normal, &g->outline.turned, &g->outline.faced);
  g->outline.n = in->corners, g->outline.corner = in->corner;
  return block.bad ? 0 : block.size;
}

bool hik_grid_goes_on(hik_grid *g) {
  if (!g->deal) return true;
  hik_deal_look(g->deal);
  return !atomic_load(&g->deal->stop);
}

/* ---- blocked cells ---- */

typedef struct spot {
  double x, y;
} spot;
enum { CORNERS = 64 }; /* of an outline at most */

/* Half of the hull of points sorted by y: its left side (-1) or its right side (1). */
static int32_t side_of(const spot *at, int32_t n, double side, spot *out) {
  int32_t count = 0;
  for (int32_t k = 0; k < n; k++) {
    while (count > 1) {
      spot a = out[count - 2], b = out[count - 1];
      if (side * ((b.x - a.x) * (at[k].y - a.y) - (b.y - a.y) * (at[k].x - a.x)) > 0) break;
      count--;
    }
    out[count++] = at[k];
  }
  return count;
}

static double across(const spot *side, int32_t n, int32_t *from, double y) {
  while (*from + 2 < n && side[*from + 1].y < y) ++*from;
  spot a = side[*from], b = side[*from + (n > 1)];
  return b.y > a.y ? a.x + (b.x - a.x) * hik_clip((y - a.y) / (b.y - a.y), 0, 1) : a.x;
}

static void fill(uint64_t *row, int32_t from, int32_t to) {
  for (int32_t k = from >> 6; k <= to >> 6; k++) {
    uint64_t word = ~(uint64_t)0;
    if (k == from >> 6) word &= ~(uint64_t)0 << (from & 63);
    if (k == to >> 6) word &= ~(uint64_t)0 >> (63 - (to & 63));
    row[k] |= word;
  }
}

/* Block the cells of one heading in which a segment touches the outline. */
static void block(const hik_grid *g, uint64_t *bits, int32_t heading, const double wall[4]) {
  spot at[2 * CORNERS], left[2 * CORNERS], right[2 * CORNERS];
  int32_t n = 2 * (int32_t)g->in->corners;
  const double *turned = g->turned + 2 * (int64_t)heading * g->in->corners;
  for (int32_t k = 0; k < n; k++) {
    spot one = {wall[2 * (k & 1)] - turned[2 * (k / 2)], wall[2 * (k & 1) + 1] - turned[2 * (k / 2) + 1]};
    int32_t m = k;
    for (; m > 0 && (at[m - 1].y > one.y || (at[m - 1].y == one.y && at[m - 1].x > one.x)); m--)
      at[m] = at[m - 1];
    at[m] = one;
  }
  int32_t lefts = side_of(at, n, -1, left), rights = side_of(at, n, 1, right), a = 0, b = 0;
  double cell = g->in->cell, margin = g->in->margin, x0 = g->in->low[0], y0 = g->in->low[1];
  int32_t from = (int32_t)hik_clip(ceil((at[0].y - margin - y0) / cell - 0.5), 0, g->ny),
          to = (int32_t)hik_clip(floor((at[n - 1].y + margin - y0) / cell - 0.5), -1, g->ny - 1);
  for (int32_t r = from; r <= to; r++) {
    double y = hik_clip(y0 + (r + 0.5) * cell, at[0].y, at[n - 1].y);
    double low = across(left, lefts, &a, y) - margin, high = across(right, rights, &b, y) + margin;
    int32_t first = (int32_t)hik_clip(ceil((low - x0) / cell - 0.5), 0, g->nx),
            last = (int32_t)hik_clip(floor((high - x0) / cell - 0.5), -1, g->nx - 1);
    if (first <= last) fill(bits + (int64_t)r * g->words, first, last);
  }
}

static void block_all(hik_grid *g) {
  const hik_drive *in = g->in;
  int64_t plane = (int64_t)g->ny * g->words;
  memset(g->still, 0, (size_t)(in->headings * plane) * sizeof *g->still);
  memset(g->leaf, 0, (size_t)((2 * g->places - 1) * in->headings * plane) * sizeof *g->leaf);
  for (int32_t h = 0; h < in->headings && hik_grid_goes_on(g); h++) {
    double s, c, *turned = g->turned + 2 * (int64_t)h * in->corners;
    hik_sincos(2 * HIK_PI * h / in->headings, &s, &c);
    g->sine[h] = s, g->cosine[h] = c;
    for (int64_t k = 0; k < in->corners; k++) {
      const double *p = in->corner + 2 * k;
      turned[2 * k] = c * p[0] - s * p[1], turned[2 * k + 1] = s * p[0] + c * p[1];
    }
    for (int64_t k = 0; k < in->walls; k++) block(g, g->still + h * plane, h, in->wall + 4 * k);
    for (int32_t p = 0; p < 2 * g->places - 1; p++) {
      const hik_leaf *edge = (p % 2 ? in->leaf.sweep : in->leaf.edge) + p / 2 * in->leaf.edges;
      for (int64_t k = 0; k < in->leaf.edges; k++)
        block(g, g->leaf + ((int64_t)p * in->headings + h) * plane, h, edge[k].wall);
    }
  }
}

static bool bit(const hik_grid *g, const uint64_t *bits, int64_t plane, int32_t x, int32_t y) {
  return bits[(plane * g->ny + y) * g->words + (x >> 6)] >> (x & 63) & 1;
}

/* ---- the hand ---- */

static double cross(const double a[2], const double b[2], const double c[2]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool meets(const double a[2], const double b[2], const double wall[4]) {
  return cross(a, b, wall) * cross(a, b, wall + 2) <= 0 &&
         cross(wall, wall + 2, a) * cross(wall, wall + 2, b) <= 0;
}

/* Whether a hand gets to a place on the leaf: by the map, from the side its face looks to, not through a wall. */
static bool shown(const hik_grid *g, int64_t hand, const double pose[3], const double turned[2],
                  const double grip[4]) {
  const hik_drive_leaf *leaf = &g->in->leaf;
  double s = turned[0], c = turned[1], x = grip[0] - pose[0], y = grip[1] - pose[1];
  double column = floor((c * x + s * y - leaf->corner[0]) / leaf->step + 0.5),
         row = floor((c * y - s * x - leaf->corner[1]) / leaf->step + 0.5);
  if (!(column >= 0 && column < (double)leaf->columns && row >= 0 && row < (double)leaf->rows)) return false;
  if (!leaf->reached[(hand * leaf->rows + (int64_t)row) * leaf->columns + (int64_t)column]) return false;
  const double *own = leaf->shoulder + 2 * hand;
  double at[2] = {pose[0] + c * own[0] - s * own[1], pose[1] + s * own[0] + c * own[1]};
  if ((at[0] - grip[0]) * grip[2] + (at[1] - grip[1]) * grip[3] <= 0) return false;
  for (int64_t k = 0; k < g->in->walls; k++)
    if (meets(at, grip, g->in->wall + 4 * k)) return false;
  return true;
}

/* Points of `grip` from `from` on, `count` of them, all shown to one hand. */
static bool any_shown(const hik_grid *g, const double pose[3], const double turned[2], int32_t p, int32_t way,
                      int32_t from, int32_t count) {
  const hik_drive_leaf *leaf = &g->in->leaf;
  for (int64_t k = 0; k < leaf->grips; k++) {
    if (leaf->way[p * leaf->grips + k] * way <= 0) continue;
    const double *grip = leaf->grip + (p * leaf->grips + k) * 12;
    for (int64_t hand = 0; hand < leaf->hands; hand++) {
      int32_t m = from;
      while (m < from + count && shown(g, hand, pose, turned, grip + (ptrdiff_t)(4 * m))) m++;
      if (m == from + count) return true;
    }
  }
  return false;
}

bool hik_grid_moves(const hik_grid *g, const double pose[3], const double turned[2], int32_t p, int32_t way) {
  return !g->in->leaf.hands || any_shown(g, pose, turned, p, way, 0, 3);
}

bool hik_grid_holds(const hik_grid *g, const double pose[3], const double turned[2], int32_t place) {
  if (!g->in->leaf.hands) return true;
  bool last = place + 1 == g->places;
  return any_shown(g, pose, turned, last ? place - 1 : place, 1, last ? 2 : 0, 1);
}

bool hik_grid_clears(hik_grid *g, const double pose[3], int32_t p) {
  static const double none[3] = {0};
  int64_t edges = g->in->leaf.edges;
  hik_walls walls = {NULL, g->in->leaf.sweep + p * edges, 0};
  for (int64_t k = 0; k < edges; k++) g->which[k] = (int32_t)k;
  return hik_pass_look(&g->outline, &walls, g->which, (int32_t)edges, pose, none, g->kept).state ==
         HIK_BOX_FREE;
}

/* ---- the flood ---- */

enum { OFTEN = 1024 }; /* cells that are flooded from one look at the tick to the next */

typedef struct cell {
  int32_t x, y, h, p;
} cell;

static int32_t number(const hik_grid *g, cell c) {
  return ((c.p * g->in->headings + c.h) * g->ny + c.y) * g->nx + c.x;
}

static void pose_of(const hik_grid *g, cell c, double pose[3]) {
  pose[0] = g->in->low[0] + (c.x + 0.5) * g->in->cell, pose[1] = g->in->low[1] + (c.y + 0.5) * g->in->cell;
  pose[2] = 2 * HIK_PI * c.h / g->in->headings;
}

/* Whether the leaf stays at its place: shut, held, or resting on the chair as it falls. */
static bool kept(const hik_grid *g, cell c) {
  if (!g->in->leaf.closer || c.p == 0) return true;
  for (int32_t p = 0; p < 2 * c.p; p++)
    if (bit(g, g->leaf, (int64_t)p * g->in->headings + c.h, c.x, c.y)) return true;
  double pose[3], turned[2] = {g->sine[c.h], g->cosine[c.h]};
  pose_of(g, c, pose);
  return hik_grid_holds(g, pose, turned, c.p);
}

/* Whether the leaf's edges touch the chair in a cell: at its place (2 p), or midway to the next one (2 p + 1). */
static bool by_leaf(const hik_grid *g, cell c, int32_t p) {
  return bit(g, g->leaf, (int64_t)p * g->in->headings + c.h, c.x, c.y);
}

static void discover(hik_grid *g, cell c, int32_t level, int32_t *count) {
  if (c.x < 0 || c.y < 0 || c.x >= g->nx || c.y >= g->ny) return;
  if (c.h < 0) c.h += g->in->headings;
  if (c.h >= g->in->headings) c.h -= g->in->headings;
  int32_t at = number(g, c);
  if (g->level[at] != HIK_FAR || bit(g, g->still, c.h, c.x, c.y) || by_leaf(g, c, 2 * c.p) || !kept(g, c))
    return;
  g->level[at] = (uint16_t)level, g->queue[(*count)++] = at;
}

/* Steps of the leaf that end in a cell: what lies between is looked at once, midway. */
static void discover_leaf(hik_grid *g, cell c, int32_t level, int32_t *count) {
  double pose[3], turned[2] = {g->sine[c.h], g->cosine[c.h]};
  pose_of(g, c, pose);
  for (int32_t way = -1; way <= 1;
       way += 2) { /* the leaf came on from the place before, or back from the next */
    cell other = {c.x, c.y, c.h, c.p - way};
    int32_t between = way > 0 ? c.p - 1 : c.p;
    if (other.p < 0 || other.p >= g->places || (way < 0 && g->in->leaf.closer)) continue;
    if (g->level[number(g, other)] != HIK_FAR || by_leaf(g, c, 2 * other.p) || by_leaf(g, c, 2 * between + 1))
      continue;
    if (hik_grid_moves(g, pose, turned, between, way)) discover(g, other, level, count);
  }
  if (!g->in->leaf.closer || c.p > 0) return;
  for (int32_t p = 1; p < g->places && !by_leaf(g, c, 2 * p) && !by_leaf(g, c, 2 * p - 1); p++)
    discover(g, (cell){c.x, c.y, c.h, p}, level, count);
}

static cell cell_of(const hik_grid *g, const double at[3], int32_t place) {
  double unit = 2 * HIK_PI / g->in->headings, turns = at[2] / unit;
  int32_t h = (int32_t)(floor(turns + 0.5) - g->in->headings * floor((floor(turns + 0.5)) / g->in->headings));
  return (cell){(int32_t)hik_clip(floor((at[0] - g->in->low[0]) / g->in->cell), -1, 1e6),
                (int32_t)hik_clip(floor((at[1] - g->in->low[1]) / g->in->cell), -1, 1e6), h, place};
}

int32_t hik_grid_level(const hik_grid *g, double x, double y, int32_t heading, int32_t place) {
  cell c = cell_of(g, (double[3]){x, y, 0}, place);
  c.h = heading;
  int32_t best = HIK_FAR;
  for (int32_t k = 0; k < 9; k++) {
    cell near = {c.x + k % 3 - 1, c.y + k / 3 - 1, heading, place};
    if (near.x < 0 || near.y < 0 || near.x >= g->nx || near.y >= g->ny) continue;
    int32_t level = g->level[number(g, near)] + (near.x != c.x) + (near.y != c.y);
    if (near.x == c.x && near.y == c.y && level < HIK_FAR) return level;
    if (level < best) best = level;
  }
  return best;
}

/* Discover the cells at an end, all headings if any will do. */
static void begin(hik_grid *g, int32_t *count) {
  const double *goal = g->in->goal;
  int32_t places = g->in->leaf.shut ? 1 : g->places;
  for (int32_t p = 0; p < places; p++)
    for (int32_t h = 0; h < g->in->headings; h++) {
      cell c = cell_of(g, goal, p);
      int32_t off = abs(c.h - h);
      if (goal[3] == 0 && off > 1 && off < g->in->headings - 1) continue;
      c.h = h;
      for (int32_t k = 0; k < 9; k++) discover(g, (cell){c.x + k % 3 - 1, c.y + k / 3 - 1, c.h, p}, 0, count);
    }
}

static int32_t start_level(const hik_grid *g) {
  const double *start = g->in->start;
  int32_t best = HIK_FAR, near = cell_of(g, start, 0).h;
  for (int32_t h = 0; h < g->in->headings; h++) {
    int32_t off = abs(near - h);
    if (start[3] == 0 && off > 1 && off < g->in->headings - 1) continue;
    int32_t level = hik_grid_level(g, start[0], start[1], h, 0);
    if (level < best) best = level;
  }
  return best;
}

bool hik_grid_flood(hik_grid *g) {
  int32_t count = 0, plane = g->nx * g->ny, headings = g->in->headings, asked = 0;
  hik_pass_outline(&g->outline);
  block_all(g);
  memset(g->level, 0xFF, (size_t)cells(g) * sizeof *g->level); /* HIK_FAR */
  begin(g, &count);
  int32_t best = HIK_FAR;
  for (int32_t head = 0; head < count; head++) {
    if (head % OFTEN == 0 && !hik_grid_goes_on(g)) return false;
    int32_t at = g->queue[head], level = g->level[at] + 1, rest = at % plane;
    if (level > asked) { /* once a level */
      asked = level;
      if (best == HIK_FAR) best = start_level(g);
      if (level > best + 30 || level >= HIK_FAR - 8) break;
    }
    cell c = {rest % g->nx, rest / g->nx, at / plane % headings, at / plane / headings};
    for (int32_t way = -1; way <= 1; way += 2) {
      discover(g, (cell){c.x + way, c.y, c.h, c.p}, level, &count);
      discover(g, (cell){c.x, c.y + way, c.h, c.p}, level, &count);
      discover(g, (cell){c.x, c.y, c.h + way, c.p}, level, &count);
    }
    discover_leaf(g, c, level, &count);
  }
  return best != HIK_FAR;
}
