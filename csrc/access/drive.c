/* drive.c: the search for a drive, guided by the grid of drive_grid.c.

   Given     as drive.h says.
   Returned  poses with the leaf's place, between which the chair turns, rolls or stands while the leaf moves on by one place.
   Notes     A best-first search whose nodes are poses as they come, one kept for each half of a cell (Dolgov and others' hybrid
             A*). A roll is clear when the outline stretched by it is; a turn when both outlines together, widened by what
             lies between, are. From time to time a turn, a roll and a turn straight to the goal are tried.
   Reference D. Dolgov, S. Thrun, M. Montemerlo, J. Diebel, Path planning for autonomous vehicles in unknown semi-structured
             environments, International Journal of Robotics Research 29, 2010. */
#include "access/drive.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/trig.h"

/* Meters that a move stays clear, so that it is found clear when it is proved; more than the steps' cost that what is left counts;
   a change of the kind of motion costs as much as so many steps. */
static const double CLEAR = 1e-4, GREED = 8, CHANGE = 0.7;
enum {
  SHOT = 24,
  NEAR = 10,
  OFTEN = 6
}; /* of how many nodes one tries the goal; steps from it within which one of OFTEN does */

typedef struct spot {
  double x, y, cost;
  int32_t from, h;
  int16_t place;
  int8_t kind, done;
} spot;

typedef struct entry {
  float cost;
  int32_t spot;
} entry;

enum { BEGIN, ON, BACK, TURN, LEAF };

typedef struct search {
  hik_grid grid;
  const hik_drive *in;
  spot *spot;
  entry *heap;
  int32_t *table, *near; /* near: walls in reach of a pose */
  double *normal, *out,
      *both; /* (headings, corners, 2): of the outline, turned; (corners); (headings, 2 corners) of two headings */
  int64_t heaped, room, mask;
  int32_t spots, nears;
  double reach, side, swell; /* farthest corner; half width; what a turn adds */
  hik_error *error;
  double end[3][3];
  int32_t ends; /* poses after the last spot */
} search;

/* ---- moves ---- */

/* The walls, then the edges of the leaf at a place. */
static const double *wall_of(const search *s, int32_t k, int32_t place) {
  if (k < s->in->walls) return s->in->wall + 4 * (int64_t)k;
  return s->in->leaf.edge[place * s->in->leaf.edges + (k - s->in->walls)].wall;
}

static double away(const double wall[4], double x, double y) {
  double dx = wall[2] - wall[0], dy = wall[3] - wall[1], size = dx * dx + dy * dy;
  double share = size > 0 ? hik_clip(((x - wall[0]) * dx + (y - wall[1]) * dy) / size, 0, 1) : 0;
  double u = x - wall[0] - share * dx, v = y - wall[1] - share * dy;
  return u * u + v * v;
}

static void look_near(search *s, double x, double y, double far) {
  s->nears = 0;
  for (int32_t k = 0; k < s->in->walls; k++)
    if (away(wall_of(s, k, 0), x, y) < far * far) s->near[s->nears++] = k;
}

/* Whether an axis parts a wall from the outline of a heading that moves by `far` along it. */
static bool parted_roll(const search *s, const double wall[4], double x, double y, int32_t h, double far) {
  const hik_grid *g = &s->grid;
  int64_t n = s->in->corners;
  double c = g->cosine[h], sine = g->sine[h], vx = far * c, vy = far * sine;
  double ax = wall[0] - x, ay = wall[1] - y, bx = wall[2] - x, by = wall[3] - y;
  double aside = c * ay - sine * ax, bside = c * by - sine * bx;
  if ((aside > s->side + CLEAR && bside > s->side + CLEAR) ||
      (aside < -s->side - CLEAR && bside < -s->side - CLEAR))
    return true;
  const double *normal = s->normal + 2 * h * n, *out = s->out;
  for (int64_t k = 0; k < n; k++) {
    double nx = normal[2 * k], ny = normal[2 * k + 1], most = out[k] + fmax(0, nx * vx + ny * vy) + CLEAR;
    if (nx * ax + ny * ay > most && nx * bx + ny * by > most) return true;
  }
  double mx = ay - by, my = bx - ax, size = sqrt(mx * mx + my * my), low = INFINITY, high = -INFINITY;
  const double *turned = g->turned + 2 * h * n;
  for (int64_t k = 0; k < n; k++) {
    double at = mx * turned[2 * k] + my * turned[2 * k + 1], moved = at + mx * vx + my * vy;
    low = fmin(low, fmin(at, moved)), high = fmax(high, fmax(at, moved));
  }
  double line = mx * ax + my * ay;
  return line > high + CLEAR * size || line < low - CLEAR * size;
}

/* Whether an axis parts a wall from the outlines of a heading and the next. */
static bool parted_turn(const search *s, const double wall[4], double x, double y, int32_t h) {
  const hik_grid *g = &s->grid;
  int64_t n = s->in->corners;
  int32_t next = h + 1 == s->in->headings ? 0 : h + 1;
  double ax = wall[0] - x, ay = wall[1] - y, bx = wall[2] - x, by = wall[3] - y, wide = s->swell + CLEAR;
  const double *both = s->both + 2 * h * n;
  for (int32_t e = 0; e < 2; e++) {
    const double *normal = s->normal + 2 * (e ? next : h) * n;
    for (int64_t k = 0; k < n; k++) {
      double nx = normal[2 * k], ny = normal[2 * k + 1], most = both[e * n + k] + wide;
      if (nx * ax + ny * ay > most && nx * bx + ny * by > most) return true;
    }
  }
  double mx = ay - by, my = bx - ax, size = sqrt(mx * mx + my * my), low = INFINITY, high = -INFINITY;
  for (int32_t e = 0; e < 2; e++) {
    const double *turned = g->turned + 2 * (e ? next : h) * n;
    for (int64_t k = 0; k < n; k++) {
      double at = mx * turned[2 * k] + my * turned[2 * k + 1];
      low = fmin(low, at), high = fmax(high, at);
    }
  }
  double line = mx * ax + my * ay;
  return line > high + wide * size || line < low - wide * size;
}

static bool rolls(const search *s, const spot *a, double far) {
  int32_t walls = (int32_t)s->in->walls, all = walls + (int32_t)s->in->leaf.edges;
  for (int32_t k = 0; k < s->nears; k++)
    if (!parted_roll(s, wall_of(s, s->near[k], 0), a->x, a->y, a->h, far)) return false;
  for (int32_t k = walls; k < all; k++)
    if (!parted_roll(s, wall_of(s, k, a->place), a->x, a->y, a->h, far)) return false;
  return true;
}

static bool turns(const search *s, const spot *a, int32_t h) {
  int32_t walls = (int32_t)s->in->walls, all = walls + (int32_t)s->in->leaf.edges;
  for (int32_t k = 0; k < s->nears; k++)
    if (!parted_turn(s, wall_of(s, s->near[k], 0), a->x, a->y, h)) return false;
  for (int32_t k = walls; k < all; k++)
    if (!parted_turn(s, wall_of(s, k, a->place), a->x, a->y, h)) return false;
  return true;
}

/* Whether a leaf that falls to stays where it is: held, or resting on the chair. */
static bool kept(const search *s, const spot *a) {
  if (!s->in->leaf.closer || a->place == 0) return true;
  int32_t walls = (int32_t)s->in->walls, all = walls + (int32_t)s->in->leaf.edges;
  for (int32_t p = 0; p < a->place; p++)
    for (int32_t k = walls; k < all; k++)
      if (!parted_roll(s, wall_of(s, k, p), a->x, a->y, a->h, 0)) return true;
  double pose[3] = {a->x, a->y, 2 * HIK_PI * a->h / s->in->headings};
  return hik_grid_holds(&s->grid, pose, (double[2]){s->grid.sine[a->h], s->grid.cosine[a->h]}, a->place);
}

/* ---- nodes ---- */

static uint64_t key_of(const search *s, const spot *a) {
  double half = 0.5 * s->in->cell;
  uint64_t x = (uint64_t)(int64_t)floor((a->x - s->in->low[0]) / half),
           y = (uint64_t)(int64_t)floor((a->y - s->in->low[1]) / half);
  return ((x * 65536 + y) * 4096 + (uint64_t)a->h) * 4096 + (uint64_t)a->place;
}

static int32_t *slot_of(search *s, const spot *a) {
  uint64_t key = key_of(s, a), at = key * 0x9E3779B97F4A7C15u;
  for (at ^= at >> 29;; at++) {
    int32_t *slot = s->table + (at & (uint64_t)s->mask);
    if (*slot < 0 || key_of(s, s->spot + *slot) == key) return slot;
  }
}

static void push(search *s, entry e) {
  int64_t at = s->heaped++;
  while (at > 0 && s->heap[(at - 1) / 2].cost > e.cost)
    s->heap[at] = s->heap[(at - 1) / 2], at = (at - 1) / 2;
  s->heap[at] = e;
}

static int32_t pop(search *s) {
  int32_t first = s->heap[0].spot;
  entry e = s->heap[--s->heaped];
  int64_t at = 0;
  for (;;) {
    int64_t next = 2 * at + 1;
    if (next >= s->heaped) break;
    if (next + 1 < s->heaped && s->heap[next + 1].cost < s->heap[next].cost) next++;
    if (s->heap[next].cost >= e.cost) break;
    s->heap[at] = s->heap[next], at = next;
  }
  s->heap[at] = e;
  return first;
}

/* Add a node, or better one that is not done. */
static void meet(search *s, spot a, double cost) {
  if (a.from >= 0 && s->spot[a.from].kind != a.kind) cost += CHANGE;
  a.cost = cost, a.done = 0;
  if (a.x < s->in->low[0] || a.y < s->in->low[1] || a.x > s->in->high[0] || a.y > s->in->high[1]) return;
  int32_t *slot = slot_of(s, &a), left = hik_grid_level(&s->grid, a.x, a.y, a.h, a.place);
  if (left == HIK_FAR || s->heaped >= s->room) return;
  if (*slot >= 0) {
    spot *old = s->spot + *slot;
    if (old->done || old->cost <= cost) return;
    *old = a;
  } else {
    if (s->spots >= s->in->most) return;
    *slot = s->spots, s->spot[s->spots++] = a;
  }
  push(s, (entry){(float)(cost + GREED * left), *slot});
}

static int32_t beside(const search *s, int32_t h, int32_t way) {
  int32_t n = s->in->headings;
  return h + way < 0 ? n - 1 : h + way >= n ? 0 : h + way;
}

static void move_leaf(search *s, int32_t from, const double pose[3], const double turned[2]) {
  spot a = s->spot[from], next = a;
  bool closer = s->in->leaf.closer;
  next.from = from, next.kind = LEAF;
  if (a.place + 1 < s->grid.places && hik_grid_moves(&s->grid, pose, turned, a.place, 1) &&
      hik_grid_clears(&s->grid, pose, a.place)) {
    next.place = (int16_t)(a.place + 1);
    if (kept(s, &next)) meet(s, next, a.cost + 1);
  }
  if (closer && a.place > 0) { /* let go: it falls shut */
    int32_t p = a.place;
    while (p > 0 && hik_grid_clears(&s->grid, pose, p - 1)) p--;
    next.place = 0;
    if (p == 0) meet(s, next, a.cost + 1);
  }
  if (!closer && a.place > 0 && hik_grid_moves(&s->grid, pose, turned, a.place - 1, -1) &&
      hik_grid_clears(&s->grid, pose, a.place - 1)) {
    next.place = (int16_t)(a.place - 1);
    meet(s, next, a.cost + 1);
  }
}

static void expand(search *s, int32_t from) {
  spot a = s->spot[from];
  double c = s->grid.cosine[a.h], sine = s->grid.sine[a.h], unit = s->in->cell;
  double pose[3] = {a.x, a.y, 2 * HIK_PI * a.h / s->in->headings};
  look_near(s, a.x, a.y, s->reach + 3 * unit);
  for (int32_t k = 0; k < 4; k++) {
    double far = (k < 2 ? 0.72 : 2.88) * (k & 1 ? -unit : unit);
    spot next = a;
    next.x = a.x + far * c, next.y = a.y + far * sine, next.from = from, next.kind = k & 1 ? BACK : ON;
    if (rolls(s, &a, far) && kept(s, &next)) meet(s, next, a.cost + fabs(far) / unit);
  }
  for (int32_t way = -1; way <= 1; way += 2) {
    spot next = a;
    next.h = beside(s, a.h, way), next.from = from, next.kind = TURN;
    if (turns(s, &a, way > 0 ? a.h : next.h) && kept(s, &next)) meet(s, next, a.cost + 1);
  }
  move_leaf(s, from, pose, (double[2]){sine, c});
}

/* ---- ends ---- */

static double short_way(double turn) { return turn - 2 * HIK_PI * floor(turn / (2 * HIK_PI) + 0.5); }

/* Whether poses (n, 3) are clear from one to the next with the leaf at a place: proved. */
static bool is_clear(search *s, const double *pose, int32_t n, int32_t place) {
  for (int32_t k = 0; k + 1 < n; k++) {
    int32_t at = n > 2 && k < 2 ? 1 - k : k; /* what rolls is the likeliest to meet something */
    bool clear = false;
    hik_status status = hik_pass_clear(s->in->corner, s->in->corners, s->in->wall, s->in->walls,
                                       s->in->leaf.edge + place * s->in->leaf.edges, s->in->leaf.edges,
                                       pose + 3 * at, 1, &clear, s->grid.deal, s->error);
    if (status < 0 || !clear) return false;
  }
  return true;
}

/* Whether a turn, a roll and a turn lead from a node to the goal. */
static bool shot(search *s, const spot *a) {
  const double *goal = s->in->goal;
  if ((s->in->leaf.closer || s->in->leaf.shut) && a->place > 0) return false;
  double x = goal[0] - a->x, y = goal[1] - a->y, first = 2 * HIK_PI * a->h / s->in->headings;
  double way = x * x + y * y > 1e-18 ? hik_atan2(y, x) : first;
  for (int32_t back = 0; back < 2; back++) {
    double there = first + short_way(way + (back ? HIK_PI : 0) - first);
    double last = goal[3] > 0 ? there : there + short_way(goal[2] - there);
    double pose[12] = {a->x, a->y, first, a->x, a->y, there, goal[0], goal[1], there, goal[0], goal[1], last};
    if (!is_clear(s, pose, 4, a->place)) continue;
    memcpy(s->end, pose + 3, sizeof s->end);
    s->ends = 3;
    return true;
  }
  return false;
}

static void begin(search *s) {
  const double *start = s->in->start;
  double unit = 2 * HIK_PI / s->in->headings;
  for (int32_t h = 0; h < s->in->headings; h++) {
    double turn = short_way(h * unit - start[2]);
    if (start[3] == 0 && fabs(turn) > 1.01 * unit) continue;
    double pose[6] = {start[0], start[1], start[3] > 0 ? h * unit : start[2], start[0], start[1], 0};
    pose[5] = start[3] > 0 ? pose[2] : start[2] + turn;
    spot a = {.x = start[0], .y = start[1], .from = -1, .h = h, .kind = BEGIN};
    if (is_clear(s, pose, 2, 0)) meet(s, a, 0);
  }
}

/* ---- all of it ---- */

static void prepare(search *s) {
  const hik_drive *in = s->in;
  int64_t n = in->corners;
  const hik_outline *o = &s->grid.outline;
  s->reach = o->reach, s->side = 0;
  for (int64_t k = 0; k < n; k++) s->side = fmax(s->side, fabs(in->corner[2 * k + 1]));
  double half = HIK_PI / in->headings, sine, cosine;
  hik_sincos(half, &sine, &cosine);
  s->swell = s->reach * (1 - cosine);
  for (int32_t h = 0; h < in->headings; h++)
    for (int64_t k = 0; k < n; k++) {
      double c = s->grid.cosine[h], sn = s->grid.sine[h];
      const double *m = o->normal + 2 * k;
      double *normal = s->normal + 2 * (h * n + k);
      normal[0] = c * m[0] - sn * m[1], normal[1] = sn * m[0] + c * m[1];
      s->out[k] = o->out[k];
    }
  for (int32_t h = 0; h < in->headings; h++)
    for (int32_t e = 0; e < 2; e++) {
      int32_t next = h + 1 == in->headings ? 0 : h + 1, own = e ? next : h, other = e ? h : next;
      for (int64_t k = 0; k < n; k++) {
        const double *normal = s->normal + 2 * (own * n + k), *at = s->grid.turned + 2 * other * n;
        double most = s->out[k];
        for (int64_t m = 0; m < n; m++) most = fmax(most, normal[0] * at[2 * m] + normal[1] * at[2 * m + 1]);
        s->both[(2 * h + e) * n + k] = most;
      }
    }
  for (int64_t k = 0; k <= s->mask; k++) s->table[k] = -1;
}

static bool keep(const search *s, int32_t last, hik_driven *found) {
  int64_t n = s->ends;
  bool fixed = s->in->start[3] == 0;
  for (int32_t i = last; i >= 0; i = s->spot[i].from) n++;
  n += fixed;
  found->rows = n, found->row = hik_allocate_raw((size_t)n * 4 * sizeof *found->row);
  if (!found->row) return false;
  double *row = found->row + 4 * n, place = s->spot[last].place;
  for (int32_t k = s->ends; k-- > 0;) {
    row -= 4;
    memcpy(row, s->end[k], sizeof s->end[k]), row[3] = place;
  }
  for (int32_t i = last; i >= 0; i = s->spot[i].from) {
    const spot *a = s->spot + i;
    row -= 4;
    row[0] = a->x, row[1] = a->y, row[2] = 2 * HIK_PI * a->h / s->in->headings, row[3] = a->place;
  }
  if (fixed) memcpy(found->row, s->in->start, 3 * sizeof *row), found->row[3] = 0;
  for (int64_t k = 1; k < n; k++) /* headings go on, not round */
    found->row[4 * k + 2] = found->row[4 * k - 2] + short_way(found->row[4 * k + 2] - found->row[4 * k - 2]);
  return true;
}

static hik_status go(search *s, hik_driven *found) {
  begin(s);
  int64_t count = 0;
  while (s->heaped && hik_grid_goes_on(&s->grid)) {
    int32_t i = pop(s);
    spot *a = s->spot + i;
    if (a->done) continue;
    a->done = 1;
    bool near = hik_grid_level(&s->grid, a->x, a->y, a->h, a->place) <= NEAR;
    if (count % (near ? OFTEN : SHOT) == 0 && shot(s, a)) {
      found->outcome = HIK_DRIVE_FOUND, found->looked = s->spots;
      return keep(s, i, found) ? HIK_OK : hik_fail_memory(s->error, 0);
    }
    count++;
    expand(s, i);
  }
  found->looked = s->spots;
  found->outcome = s->spots >= s->in->most ? HIK_DRIVE_SPENT : HIK_DRIVE_NONE;
  return HIK_OK;
}

static bool lay(search *s, const hik_drive *in, hik_block *block) {
  int64_t n = in->corners * in->headings, table = 1;
  while (table < 2 * in->most) table *= 2;
  s->in = in, s->mask = table - 1, s->room = 4 * in->most;
  s->spot = HIK_TAKE(block, spot, in->most);
  s->heap = HIK_TAKE(block, entry, s->room);
  s->table = HIK_TAKE(block, int32_t, table);
  s->near = HIK_TAKE(block, int32_t, in->walls + 1);
  s->normal = HIK_TAKE(block, double, 2 * n);
  s->both = HIK_TAKE(block, double, 2 * n);
  s->out = HIK_TAKE(block, double, in->corners);
  return !block->bad;
}

static hik_status check(const hik_drive *in, hik_error *error) {
  const hik_drive_leaf *leaf = &in->leaf;
  if (in->corners < 3 || in->corners > 64 || in->walls < 0 || in->walls > 100000 || in->headings < 8 ||
      in->headings > 3600 || in->headings % 4 || !(in->cell >= 1e-3) || in->most < 8 || in->most > (1 << 26))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a drive needs an outline of 3 to 64 corners and a grid");
  if (leaf->places < 2 || leaf->places > 4096 || leaf->edges < 1 || leaf->edges > 64 || leaf->grips < 1 ||
      leaf->hands < 0 || leaf->rows < 1 || leaf->columns < 1)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a leaf needs 2 to 4096 places and 1 to 64 edges");
  return HIK_OK;
}

hik_status hik_drive_find(const hik_drive *in, hik_driven *found, hik_error *error) {
  *found = (hik_driven){.outcome = HIK_DRIVE_NONE};
  hik_status status = check(in, error);
  if (status < 0) return status;
  search s = {.error = error};
  hik_block block = {0};
  hik_deal deal;
  hik_deal_begin(&deal, 1, 1, in->tick, in->tick_context);
  size_t grid = hik_grid_lay(&s.grid, in, NULL);
  if (!grid || !lay(&s, in, &block)) {
    found->outcome = HIK_DRIVE_SPENT;
    return HIK_OK;
  }
  void *first = hik_allocate_raw(grid), *second = hik_allocate_raw(block.size);
  if (first && second) {
    block = (hik_block){.base = second};
    hik_grid_lay(&s.grid, in, first), lay(&s, in, &block);
    s.grid.deal = &deal;
    if (hik_grid_flood(&s.grid)) {
      prepare(&s);
      status = go(&s, found);
    }
  } else {
    status = hik_fail_memory(error, grid + block.size);
  }
  hik_release(first);
  hik_release(second);
  if (!atomic_load(&deal.stop)) return status;
  hik_release(found->row); /* even where it had just ended */
  *found = (hik_driven){.outcome = HIK_DRIVE_NONE};
  return hik_fail(error, HIK_INTERRUPTED, -1, "the call was cancelled");
}
