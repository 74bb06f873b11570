/* reach_shoulder.c: all swings of an arm searched; see reach_swing.h.

   Purpose    how far an arm gets along a direction, and that it stays away from a point, whatever its shoulder does
   Given      the chain from what follows the swing to the arm
   Returned   an upper bound of the one, a proof of the other
   Notes      Best first: the cell with the weakest bound is halved until that bound is good enough. The coarse cells are worked
              out when they are first met, and kept: they do not depend on what is asked, so that two threads that make one write
              the same. A cell waits with its parent's bound or, of the coarse ones, that of a ball, and is looked at when its
              turn comes.
   Reference  own. */
#include "access/reach_swing.h"

#include <stdatomic.h>

#include "base/memory.h"

/* Generations of a sector's cells that are kept, itself the first; the cells of them all: halves of k are 2 k + 1 and 2 k + 2.
   Sectors are no wider than this. */
enum { GENERATIONS = 9, KEPT = (1 << GENERATIONS) - 1 };
static const double WIDEST = HIK_PI / 4;

/* ---- sectors ---- */

static void add_end(double *end, int32_t *n, double azimuth) {
  int32_t k = (*n)++;
  for (; k > 0 && end[k - 1] > azimuth; k--) end[k] = end[k - 1];
  end[k] = azimuth;
}

/* Azimuths at which something changes, ascending from -pi to pi; end NULL: how many there may be. */
static int32_t ends_of(const hik_swing *room, double *end) {
  int32_t n = 0, most = room->corners + room->knots + 9;
  if (!end) return most;
  for (int k = -4; k <= 4; k++) add_end(end, &n, k * WIDEST);
  for (int32_t k = 0; k < room->corners; k++) {
    const double *c = room->corner + 3 * (size_t)k;
    add_end(end, &n, hik_clip(hik_atan2(c[1], c[0]), -HIK_PI, HIK_PI));
  }
  for (int32_t k = 0; k < room->knots; k++)
    add_end(end, &n, hik_clip(room->knot[3 * (size_t)k], -HIK_PI, HIK_PI));
  return n;
}

/* The edge of the room at an azimuth; false: it is not the one of a room that each ray leaves once. */
static bool set_edge(const hik_swing *room, double azimuth, hik_sector *out) {
  double s, c;
  hik_sincos(azimuth, &s, &c);
  if (room->corners == 0) {
    double a = room->half[c >= 0 ? 0 : 2], b = room->half[s >= 0 ? 1 : 3];
    bool round = fmin(a, b) >= HIK_PI;
    out->edge = round ? HIK_ROUND : HIK_ELLIPSE;
    if (!round && (fmax(a, b) >= HIK_PI || fmax(a, b) > 20 * fmin(a, b))) return false;
    out->form[0] = 1 / (a * a), out->form[1] = 1 / (b * b);
    return true;
  }
  int32_t found = 0;
  for (int32_t k = 0; k < room->corners; k++) {
    const double *a = room->corner + 3 * (size_t)k, *b = room->corner + 3 * (size_t)((k + 1) % room->corners);
    double from = c * a[1] - s * a[0], to = c * b[1] - s * b[0]; /* sines of the azimuths from here */
    const double *n = room->edge + 3 * (size_t)k;
    if (!(n[2] > 1e-3)) return false; /* from right to left as the bone sees it, and not through it */
    double w = n[0] * c + n[1] * s;
    if (!(from <= 0 && to > 0)) continue;
    /* the plane through the bone and the azimuth meets the arc on one of two sides */
    double size = sqrt(w * w + n[2] * n[2]);
    double point[3] = {c * n[2] / size, s * n[2] / size, -w / size}, back[3], past[3];
    hik_cross(a, point, back), hik_cross(point, b, past);
    if (!(hik_dot(back, n) >= 0 && hik_dot(past, n) >= 0)) continue;
    hik_copy3(n, out->form);
    found++;
  }
  out->edge = HIK_CIRCLE;
  return found == 1;
}

static void set_row(const hik_swing *room, double azimuth, hik_sector *out) {
  if (room->knots == 0) return;
  int32_t n = room->knots, k = 0;
  while (k < n && room->knot[3 * (size_t)k] <= azimuth) k++;
  const double *b = room->knot + 3 * (size_t)(k % n), *a = room->knot + 3 * (size_t)((k + n - 1) % n);
  out->width = b[0] - a[0] + (k == n || k == 0 ? 2 * HIK_PI : 0);
  out->begin = a[0] - (k == 0 ? 2 * HIK_PI : 0);
  const double *row[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    out->row[i][0] = 0.5 * (row[i][1] + row[i][2]);
    out->row[i][1] = 0.5 * (row[i][2] - row[i][1]);
  }
}

static bool set_sectors(hik_shoulder *s, const double *end, int32_t ends) {
  for (int32_t k = 0; k + 1 < ends; k++) {
    hik_sector *out = s->sector + s->sectors;
    if (!(end[k + 1] > end[k])) continue;
    double middle = 0.5 * (end[k] + end[k + 1]);
    *out = (hik_sector){.from = end[k], .to = end[k + 1], .width = 1};
    if (!set_edge(s->room, middle, out)) return false;
    set_row(s->room, middle, out);
    s->sectors++;
  }
  return s->sectors > 0;
}

/* ---- the chain ---- */

/* What follows the swing, and the place of the swing at rest; false: the chain is another. */
static bool set_chain(hik_shoulder *s, const hik_reach *r) {
  hik_pose at = hik_pose_identity, next;
  double three = 0;
  static const int orders[10] = {1, 3, 3, 3, 6, 3, 1, 3, 3, 1};
  if (!r->tail.arm || r->n < 1 || r->n > 4 || r->element[r->n - 1].kind != HIK_BALL_STEP) return false;
  for (int32_t k = 0; k < r->n; k++) {
    const hik_element *e = r->element + k;
    hik_pose_mul(&at, &e->place, &next);
    at = next;
    if (k == r->n - 1) break;
    if (e->kind != HIK_SLIDE || !e->follow || e->leader != r->n - 1) return false;
    hik_mat_column(at.r, 2, s->axis[k]);
    s->follow[s->follows++] = e->follow;
    for (int i = 0; i < 10; i++) three += e->follow[13 + i] * e->follow[13 + i] / orders[i];
  }
  memcpy(s->turn, at.r, sizeof s->turn);
  hik_copy3(at.t, s->at);
  memcpy(s->axes, r->element[r->n - 1].axes, sizeof s->axes);
  double stretch = 0;
  for (int32_t k = 0; k < s->follows; k++) {
    double row = 0;
    for (int32_t j = 0; j < s->follows; j++) row += fabs(hik_dot(s->axis[k], s->axis[j]));
    stretch = fmax(stretch, row);
  }
  for (int32_t k = 0; k < s->follows; k++) {
    double own[3];
    hik_mat_tvec(at.r, s->axis[k], own);
    hik_copy3(own, s->axis[k]);
  }
  s->stretch = sqrt(stretch), s->third = 6 * sqrt(three) * s->stretch;
  return true;
}

static void halves(const hik_swing_cell *c, double half[2][4]) {
  for (int i = 0; i < 2; i++) {
    memcpy(half[i], c->place, sizeof half[i]);
    half[i][2 + c->axis] *= 0.5;
    half[i][c->axis] += (i == 0 ? -1 : 1) * half[i][2 + c->axis];
  }
}

static void root(const hik_shoulder *s, int32_t k, double place[4]) {
  const hik_sector *sector = s->sector + k;
  place[0] = 0.5 * (sector->from + sector->to), place[2] = 0.5 * (sector->to - sector->from) + 1e-12;
  place[1] = 0.5, place[3] = 0.5 + 1e-12;
}

/* What is known of a kept cell. */
enum { UNKNOWN, MAKING, MADE };

/* The cell of a place; `kept` its number, -1: not kept. room: for one that is not, or that another thread is at. */
static const hik_swing_cell *cell_at(const hik_shoulder *s, int32_t sector, int64_t kept,
                                     const double place[4], hik_swing_cell *room) {
  if (kept >= 0) {
    char known = UNKNOWN;
    if (atomic_load_explicit(s->made + kept, memory_order_acquire) == MADE) return s->cell + kept;
    if (atomic_compare_exchange_strong(s->made + kept, &known, MAKING)) {
      hik_swing_cell_make(s, sector, place, s->cell + kept);
      atomic_store_explicit(s->made + kept, MADE, memory_order_release);
      return s->cell + kept;
    }
  }
  hik_swing_cell_make(s, sector, place, room);
  return room;
}

hik_shoulder *hik_shoulder_create(const hik_reach *chain) {
  const hik_swing *room = chain->n > 0 ? chain->element[chain->n - 1].room : NULL;
  if (!room) return NULL;
  int32_t ends = ends_of(room, NULL);
  size_t kept = KEPT * (size_t)ends;
  hik_block block = {0};
  hik_shoulder *s = NULL;
  double *end = NULL;
  for (int pass = 0; pass < 2; pass++) {
    s = HIK_TAKE(&block, hik_shoulder, 1);
    hik_sector *sector = HIK_TAKE(&block, hik_sector, (size_t)ends);
    hik_swing_cell *cell = HIK_TAKE(&block, hik_swing_cell, kept);
    atomic_char *made = HIK_TAKE(&block, atomic_char, kept);
    end = HIK_TAKE(&block, double, (size_t)ends);
    if (pass == 1) {
      *s = (hik_shoulder){.room = room, .tail = &chain->tail, .sector = sector, .cell = cell, .made = made};
    } else if (block.bad || !(block.base = hik_allocate_raw(block.size))) {
      return NULL;
    } else {
      block.size = 0;
    }
  }
  memset((void *)s->made, UNKNOWN, kept); /* the cells stay as they are */
  ends = ends_of(room, end);
  if (!set_chain(s, chain) || !set_sectors(s, end, ends)) {
    hik_release(s);
    return NULL;
  }
  return s;
}

void hik_shoulder_free(hik_shoulder *s) { hik_release(s); }

/* ---- best first ---- */

/* A cell that waits: the larger its bound the sooner it is looked at. */
typedef struct waiting {
  double bound, place[4];
  int64_t cell; /* kept, -1: not */
  int32_t sector;
  bool seen; /* the bound is its own */
} waiting;

typedef struct heap {
  waiting *at;
  int64_t n;
} heap;

size_t hik_shoulder_scratch(const hik_shoulder *s, int64_t budget) {
  return (2 * (size_t)budget + (size_t)s->sectors + 2) * sizeof(waiting);
}

static void push(heap *h, const waiting *one) {
  int64_t k = h->n++;
  for (; k > 0 && h->at[(k - 1) / 2].bound < one->bound; k = (k - 1) / 2) h->at[k] = h->at[(k - 1) / 2];
  h->at[k] = *one;
}

static waiting pop(heap *h) {
  waiting out = h->at[0], last = h->at[--h->n];
  int64_t k = 0;
  for (int64_t next = 1; next < h->n; next = 2 * k + 1) {
    if (next + 1 < h->n && h->at[next + 1].bound > h->at[next].bound) next++;
    if (!(h->at[next].bound > last.bound)) break;
    h->at[k] = h->at[next];
    k = next;
  }
  if (h->n > 0) h->at[k] = last;
  return out;
}

/* What is asked of all cells: how far along n, or (x) how near to it: then bounds are negative distances. */
typedef struct question {
  const hik_shoulder *s;
  const double *n, *x;
  double wanted; /* bounds need not be better than this */
  double best;   /* at a middle */
  int32_t sector;
  double place[2]; /* where */
} question;

static double quick(const question *q, const hik_swing_cell *c) {
  return q->n ? hik_swing_cell_ball_most(q->s, c, q->n) : -hik_swing_cell_ball_least(q->s, c, q->x);
}

/* The bound of a cell that waits; no more than the one it waited with. */
static double look(question *q, const waiting *w, const hik_swing_cell *c) {
  double center, bound = w->bound;
  if (q->n) {
    if (w->cell < 0) bound = fmin(bound, quick(q, c)); /* of a kept one it was */
    bound = fmin(bound, hik_swing_cell_most(q->s, c, q->n, bound, &center));
  } else {
    bound = fmin(bound, -hik_swing_cell_least(q->s, c, q->x, -q->wanted, &center));
    center = -center;
  }
  if (center > q->best) {
    q->best = center, q->sector = c->sector;
    q->place[0] = c->place[0], q->place[1] = c->place[1];
  }
  return bound;
}

/* The number of the first half of a kept cell, -1: its halves are not kept. */
static int64_t half_of(int64_t cell) {
  int64_t in = cell < 0 ? KEPT : cell % KEPT;
  return 2 * in + 2 < KEPT ? cell + in + 1 : -1;
}

static void push_halves(question *q, heap *h, const waiting *w, const hik_swing_cell *c) {
  double half[2][4];
  int64_t first = half_of(w->cell);
  halves(c, half);
  for (int i = 0; i < 2; i++) {
    waiting one = {.bound = w->bound, .sector = w->sector, .cell = first < 0 ? -1 : first + i};
    memcpy(one.place, half[i], sizeof one.place);
    if (first >= 0) {
      hik_swing_cell room;
      one.bound = fmin(one.bound, quick(q, cell_at(q->s, one.sector, one.cell, one.place, &room)));
    }
    push(h, &one);
  }
}

/* Until no bound is above the best middle by more than `loose`, nor above `wanted`; or the best is above `enough`; or the budget
   is spent. Returns the greatest bound that is left; *cells: looked at. */
static double search(question *q, heap *h, double loose, double enough, int64_t budget, int64_t *cells) {
  const hik_shoulder *s = q->s;
  hik_swing_cell room;
  for (int32_t k = 0; k < s->sectors; k++) {
    waiting one = {.sector = k, .cell = (int64_t)k * KEPT};
    root(s, k, one.place);
    one.bound = quick(q, cell_at(s, k, one.cell, one.place, &room));
    push(h, &one);
  }
  while (h->n > 0 && h->at[0].bound > fmax(q->best + loose, q->wanted) && *cells < budget &&
         !(q->best > enough)) {
    waiting w = pop(h);
    const hik_swing_cell *c = cell_at(s, w.sector, w.cell, w.place, &room);
    if (!w.seen) {
      ++*cells;
      w.bound = look(q, &w, c);
      w.seen = true;
      if (h->n > 0 && w.bound < h->at[0].bound) {
        push(h, &w);
        continue;
      }
      if (!(w.bound > fmax(q->best + loose, q->wanted))) {
        push(h, &w);
        break;
      }
    }
    push_halves(q, h, &w, c);
  }
  return h->n > 0 ? h->at[0].bound : -INFINITY;
}

/* A point or a direction of the frame before the chain, in the axes of the swing at rest. */
static void in_axes(const hik_shoulder *s, const double x[3], bool point, double out[3]) {
  double off[3];
  hik_copy3(x, off);
  if (point) hik_sub3(x, s->at, off);
  hik_mat_tvec(s->turn, off, out);
}

double hik_shoulder_farthest(const hik_shoulder *s, const double n[3], double loose, int64_t budget,
                             void *scratch) {
  double own[3], length = hik_norm(n);
  heap h = {.at = scratch};
  int64_t cells = 0;
  in_axes(s, n, false, own);
  if (!(hik_unit(own, own) > 0)) return 0;
  question q = {.s = s, .n = own, .wanted = -INFINITY, .best = -INFINITY};
  double left = search(&q, &h, loose, INFINITY, budget, &cells);
  return length * fmax(left, q.best) + hik_dot(n, s->at);
}

/* Where the arm comes nearest: from there to what is asked, in the frame before the chain. */
static void normal_at(const question *q, double out[3]) {
  const double place[4] = {q->place[0], q->place[1], 0, 0};
  hik_swing_cell at;
  double normal[3];
  hik_swing_cell_make(q->s, q->sector, place, &at);
  if (hik_swing_cell_normal(q->s, &at, q->x, normal)) hik_mat_vec(q->s->turn, normal, out);
}

hik_reach_proof hik_shoulder_prove(const hik_shoulder *s, const double x[3], double far, double slack,
                                   int64_t budget, void *scratch, double swing[3]) {
  hik_reach_proof proof = {HIK_REACH_OPEN, 0, INFINITY, {0, 0, 0}};
  double own[3];
  heap h = {.at = scratch};
  in_axes(s, x, true, own);
  question q = {.s = s, .x = own, .wanted = -(far + slack), .best = -INFINITY, .sector = -1};
  double left = search(&q, &h, 0, -far, budget, &proof.cells);
  proof.nearest = -q.best;
  if (q.sector >= 0) {
    if (left > q.wanted) normal_at(&q, proof.normal);
    if (swing) hik_swing_cell_angles(s, q.sector, q.place, swing);
  }
  if (q.best >= -far)
    proof.outcome = HIK_REACH_NEAR;
  else if (left <= q.wanted)
    proof.outcome = HIK_REACH_FAR;
  return proof;
}
