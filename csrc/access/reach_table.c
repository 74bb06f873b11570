/* reach_table.c: see reach_table.h.

   Purpose    how far an arm gets in a direction, whatever its shoulder does, at the price of a look into a table
   Given      the chain from the trunk to the hand
   Returned   an upper bound of m . x over all x that the frame may be at
   Notes      The support function is convex and homogeneous: on a face of the cube, m = (1, s, t), it is convex in s and t, so that
              the bilinear interpolation between upper bounds at nodes is an upper bound everywhere. The gradient of what is
              interpolated is the point. A node is searched by branch and bound over the swing, with the second bound of a cell;
              it is a function of its direction alone, so two threads that fill it write the same bytes.
              A set turned about z: as it sees m, m goes along an arc. Part of an arc lies in the triangle of its ends and of the
              point where the tangents there meet, a convex function is largest at a corner, and where parts meet the ends lie
              between two such points. So these points and the arc's two ends bound it, and what is largest is asked of finer tables,
              then halved: most nodes that are filled are coarse ones.
   Reference  own. */
#include "access/reach_table.h"

#include <stdatomic.h>

#include "access/reach_bound.h"
#include "access/reach_swing.h"
#include "base/memory.h"

/* Cells along an edge of the cube, by level: coarse, middle, fine; of a node's search. */
enum { COARSE = 6, MIDDLE = 12, FINE = 24, LEVELS = 3, CELLS = 500 };
static const int SIDES[LEVELS] = {COARSE, MIDDLE, FINE};
/* Meters by which a node may be too large. */
static const double LOOSE[LEVELS] = {3e-3, 1.5e-3, 5e-4};
/* Parts of a turn that are looked at; radians of half of one at first, and of one that is not cut. */
enum { ARCS = 32 };
static const double WIDEST = 0.2, NARROW = 0.05;
/* Nodes of the faces, those of an edge twice. */
#define NODES(side) (6 * ((side) + 1) * ((side) + 1))
static const size_t FIRST[LEVELS] = {0, NODES(COARSE), NODES(COARSE) + NODES(MIDDLE)};

struct hik_reach_table {
  hik_reach *chain;
  const hik_reach_table *still; /* not NULL: of that one's set, turned about z */
  double middle, half;          /* by so much */
  _Atomic(uint64_t)
      node[NODES(COARSE) + NODES(MIDDLE) + NODES(FINE)]; /* bits of a double, 0: not yet known */
};

hik_reach_table *hik_reach_table_create(hik_reach *chain) {
  hik_reach_table *t = hik_allocate(sizeof *t);
  if (t) t->chain = chain;
  return t;
}

hik_reach_table *hik_reach_table_turned(const hik_reach_table *still, double middle, double half) {
  hik_reach_table *t = hik_allocate(sizeof *t);
  if (t) t->still = still, t->middle = middle, t->half = half;
  return t;
}

void hik_reach_table_free(hik_reach_table *t) {
  if (!t) return;
  if (t->chain) hik_reach_free(t->chain);
  hik_release(t);
}

const hik_reach *hik_reach_table_chain(const hik_reach_table *t) { return t->chain; }

/* ---- one direction ---- */

/* Middle and half widths of u and v, and what the frame reaches at most in it. */
typedef struct swing_cell {
  double place[4], most;
} swing_cell;

typedef struct farthest {
  hik_reach_at at;
  double share[8], best;
  swing_cell *cell; /* [budget + 2]: a heap, the largest first */
  int64_t waiting;
} farthest;

/* What the frame reaches at most in the cell along n; the best center inside the limits so far. */
static double most_of(const hik_reach *r, farthest *f, const double *cell, const double n[3]) {
  static const double zero[3] = {0, 0, 0};
  bool inside;
  if (!hik_reach_place(r, &f->at, cell, cell + 2, &inside)) return -INFINITY;
  double bound = -hik_reach_plane(r, &f->at, zero, n, f->share);
  if (inside) {
    double m[3], p[3], x[3];
    const hik_pose *pose = f->at.moved + r->n - 1;
    hik_mat_tvec(pose->r, n, m);
    hik_tail_support(&r->tail, &f->at.here, m, p);
    hik_pose_point(pose, p, x);
    f->best = fmax(f->best, hik_dot(n, x));
  }
  return bound;
}

static void push(farthest *f, const swing_cell *cell) {
  int64_t k = f->waiting++;
  for (; k > 0 && f->cell[(k - 1) / 2].most < cell->most; k = (k - 1) / 2) f->cell[k] = f->cell[(k - 1) / 2];
  f->cell[k] = *cell;
}

static swing_cell pop(farthest *f) {
  swing_cell out = f->cell[0], last = f->cell[--f->waiting];
  int64_t k = 0;
  for (int64_t next = 1; next < f->waiting; next = 2 * k + 1) {
    if (next + 1 < f->waiting && f->cell[next + 1].most > f->cell[next].most) next++;
    if (!(f->cell[next].most > last.most)) break;
    f->cell[k] = f->cell[next];
    k = next;
  }
  if (f->waiting > 0) f->cell[k] = last;
  return out;
}

/* The largest bound of all cells that are left, when the best center is within `loose` of it or the budget is spent. */
static double split_on(const hik_reach *r, farthest *f, const double n[3], double loose, int64_t budget) {
  swing_cell cell = {{r->variable[0].middle, r->variable[1].middle, r->variable[0].half, r->variable[1].half},
                     r->span};
  push(f, &cell);
  while (f->waiting > 0 && f->cell[0].most > f->best + loose && budget-- > 0) {
    cell = pop(f);
    int wide = cell.place[3] > cell.place[2];
    cell.place[2 + wide] *= 0.5;
    for (int side = -1; side < 2; side += 2) {
      swing_cell half = cell;
      half.place[wide] += side * cell.place[2 + wide];
      half.most = fmin(most_of(r, f, half.place, n), cell.most);
      if (half.most > f->best) push(f, &half);
    }
  }
  return f->waiting > 0 ? fmax(f->best, f->cell[0].most) : f->best;
}

static double farthest_of(const hik_shoulder *s, const double m[3], double loose, int64_t budget,
                          double most) {
  void *scratch = hik_allocate_raw(hik_shoulder_scratch(s, budget));
  if (!scratch) return most;
  double found = hik_shoulder_farthest(s, m, loose, budget, scratch);
  hik_release(scratch);
  return fmin(found, most);
}

double hik_reach_farthest(const hik_reach *r, const double m[3], double loose, int64_t budget) {
  if (r->shoulder && budget > 0 && budget < INT32_MAX)
    return farthest_of(r->shoulder, m, loose, budget, r->span * hik_norm(m));
  double n[3], length = hik_unit(m, n), most = r->span;
  hik_block block = {0};
  farthest f = {.best = -r->span};
  size_t size = hik_reach_at_size(r);
  if (r->variables != 2 || size == SIZE_MAX || budget < 1) return most * length;
  for (int pass = 0; pass < 2; pass++) {
    char *at = HIK_TAKE(&block, char, size);
    f.cell = HIK_TAKE(&block, swing_cell, (uint64_t)budget + 2);
    if (pass == 1) {
      f.at = hik_reach_at_begin(r, at);
      most = split_on(r, &f, n, loose, budget);
    } else if (block.bad || !(block.base = hik_allocate_raw(block.size))) {
      return most * length;
    } else {
      block.size = 0;
    }
  }
  hik_release(block.base);
  return most * length;
}

/* ---- the table ---- */

static double swept(const hik_reach_table *t, int level, const double m[3]) {
  double skipped[3];
  return hik_reach_table_swept(t->still, level, t->middle, t->half, m, skipped);
}

/* The number of a node: a node on an edge is that of the first face that has it. */
static size_t number_of(int level, const int at[3]) {
  int side = SIDES[level], k = 0;
  while (at[k] != side && at[k] != -side) k++;
  int face = at[k] > 0 ? k : k + 3, i = (at[(k + 1) % 3] + side) / 2, j = (at[(k + 2) % 3] + side) / 2;
  return FIRST[level] + (size_t)((face * (side + 1) + i) * (side + 1) + j);
}

static double node_at(const hik_reach_table *t, int level, int face, int i, int j) {
  int side = SIDES[level], at[3];
  at[face % 3] = face < 3 ? side : -side;
  at[(face + 1) % 3] = 2 * i - side, at[(face + 2) % 3] = 2 * j - side;
  /* what is not known yet is filled in */
  _Atomic(uint64_t) *place = (_Atomic(uint64_t) *)(t->node + number_of(level, at));
  uint64_t bits = atomic_load_explicit(place, memory_order_relaxed);
  double value;
  if (bits == 0) {
    double m[3] = {(double)at[0] / side, (double)at[1] / side, (double)at[2] / side};
    value = t->still ? swept(t, level, m) : hik_reach_farthest(t->chain, m, LOOSE[level], CELLS);
    memcpy(&bits, &value, sizeof bits);
    atomic_store_explicit(place, bits, memory_order_relaxed);
  }
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The four nodes of a cell: [00, 10, 01, 11]. */
static void nodes_at(const hik_reach_table *t, int level, int face, int i, int j, double out[4]) {
  int side = SIDES[level];
  if (i > 0 && j > 0 && i + 1 < side &&
      j + 1 < side) { /* none on an edge of the cube: each has the number of its place */
    _Atomic(uint64_t) *place =
        (_Atomic(uint64_t) *)(t->node + FIRST[level] + (size_t)((face * (side + 1) + i) * (side + 1) + j));
    uint64_t bits[4] = {atomic_load_explicit(place, memory_order_relaxed),
                        atomic_load_explicit(place + side + 1, memory_order_relaxed),
                        atomic_load_explicit(place + 1, memory_order_relaxed),
                        atomic_load_explicit(place + side + 2, memory_order_relaxed)};
    if (bits[0] != 0 && bits[1] != 0 && bits[2] != 0 && bits[3] != 0) {
      memcpy(out, bits, sizeof bits);
      return;
    }
  }
  out[0] = node_at(t, level, face, i, j), out[1] = node_at(t, level, face, i + 1, j);
  out[2] = node_at(t, level, face, i, j + 1), out[3] = node_at(t, level, face, i + 1, j + 1);
}

/* Cell of the grid and the place in it. */
static int cell_of(int side, double s, double *in) {
  double at = 0.5 * side * (s + 1);
  int i = (int)hik_clip(at, 0, side - 1);
  *in = hik_clip(at - i, 0, 1);
  return i;
}

double hik_reach_table_support(const hik_reach_table *t, int level, const double m[3], double point[3]) {
  static const int next[5] = {0, 1, 2, 0, 1};
  double large[3] = {fabs(m[0]), fabs(m[1]), fabs(m[2])};
  int a = large[0] >= large[1] ? (large[0] >= large[2] ? 0 : 2) : (large[1] >= large[2] ? 1 : 2);
  double size = large[a], side = m[a] < 0 ? -1 : 1, x, y, h[4];
  point[0] = point[1] = point[2] = 0;
  if (!(size > 0)) return 0;
  int b = next[a + 1], c = next[a + 2], face = m[a] < 0 ? a + 3 : a;
  double s = m[b] / size, u = m[c] / size;
  int sides = SIDES[level], i = cell_of(sides, s, &x), j = cell_of(sides, u, &y);
  nodes_at(t, level, face, i, j, h);
  double value = (1 - x) * ((1 - y) * h[0] + y * h[2]) + x * ((1 - y) * h[1] + y * h[3]);
  point[b] = 0.5 * sides * ((1 - y) * (h[1] - h[0]) + y * (h[3] - h[2]));
  point[c] = 0.5 * sides * ((1 - x) * (h[2] - h[0]) + x * (h[3] - h[1]));
  point[a] = side * (value - s * point[b] - u * point[c]);
  return size * value;
}

/* ---- the set turned ---- */

/* Part of an arc, with what a table says of the point where the tangents at its ends meet. */
typedef struct arc {
  double at, half, value;
  int level; /* of that table */
} arc;

/* The direction at an angle, `out` times as far from the axis; asked of the table. */
static double turned_to(const hik_reach_table *t, int level, const double m[3], double angle, double out,
                        double point[3]) {
  double s, c;
  hik_sincos(angle, &s, &c);
  const double v[3] = {out * (c * m[0] + s * m[1]), out * (c * m[1] - s * m[0]), m[2]};
  return hik_reach_table_support(t, level, v, point);
}

static double outside(double half) {
  double s, c;
  hik_sincos(half, &s, &c);
  return 1 / c;
}

static void ask(const hik_reach_table *t, const double m[3], arc *a) {
  double skipped[3];
  a->value = turned_to(t, a->level, m, a->at, outside(a->half), skipped);
}

/* The arc whole, in parts, and its ends, by the coarse table; returns how many. */
static int begin(const hik_reach_table *t, double middle, double half, const double m[3], arc *part) {
  int n = 1 + (int)(half / WIDEST);
  n = n < ARCS / 2 ? n : ARCS / 2;
  for (int i = 0; i < n; i++)
    part[i] = (arc){middle + half * ((2 * i + 1.0) / n - 1), half / n, 0, HIK_TABLE_COARSE};
  for (int side = -1; half > 0 && side < 2; side += 2)
    part[n++] = (arc){middle + side * half, 0, 0, HIK_TABLE_COARSE};
  for (int i = 0; i < n; i++) ask(t, m, part + i);
  return n;
}

double hik_reach_table_swept(const hik_reach_table *t, int level, double middle, double half,
                             const double m[3], double point[3]) {
  arc part[ARCS + 2], *best;
  int n = begin(t, middle, half, m, part);
  for (;;) { /* what is largest is asked of a finer table, then halved */
    best = part;
    for (int i = 1; i < n; i++)
      if (part[i].value > best->value) best = part + i;
    if (best->level < level) {
      best->level++;
    } else if (best->half > NARROW && n < ARCS) {
      best->half *= 0.5;
      part[n] = *best;
      best->at -= best->half, part[n].at += best->half;
      ask(t, m, part + n++);
    } else {
      break;
    }
    ask(t, m, best);
  }
  /* the place there, as the frame before the turn sees what is farther out by `out` */
  double s, c, q[3], out = outside(best->half), value = turned_to(t, best->level, m, best->at, out, q);
  hik_sincos(best->at, &s, &c);
  point[0] = out * (c * q[0] - s * q[1]), point[1] = out * (s * q[0] + c * q[1]), point[2] = q[2];
  return value;
}
