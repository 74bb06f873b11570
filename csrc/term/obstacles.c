/* obstacles.c: a figure of capsules keeps clear of obstacles and of itself.

   Purpose    residual of a posture: for each of the pairs nearest to each other how much the distance wanted is more than theirs
   Rows       zero where the distance is kept, so that a goal is never drawn aside by what is clear; else the lack and AIM of
              the figure's reach besides, so that a step that ends where it aims ends beyond the distance and not on it. Of
              more than HIK_CLEAR_ROWS pairs that lack, the deepest; signed depth leads out of what is entered
   Judge      the greatest lack without AIM; one more look says whether anything touches, as `free` of a scene does
   Memory     one check a thread, from a pool that grows to as many as there are threads; it remembers the posture it has
              placed, so that a derivative costs no second look */
#include "term/obstacles.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "term/term.h"

enum { DISTANCE, SELF_DISTANCE };
enum { POOL = 64, ROOM = 256 };
static const double AIM = 1e-4;
/* metres: what touches lacks at least this */
static const double TOUCHES = 1e-12;
/* beyond, scenes measure nothing */
static const double FARTHEST = 1e12;

typedef struct lacking {
  double lack, point[3], other[3], normal[3];
  int32_t capsule, with; /* with -1: an obstacle */
} lacking;

/* One thread's. */
typedef struct look {
  hik_check *check;
  hik_near *near; /* [ROOM] */
  double *q;      /* [nq] placed last, of these distances */
  double distance, self_distance;
  bool placed, usable, touch_known, touches;
  int32_t count;
  double most; /* greatest lack */
  lacking row[HIK_CLEAR_ROWS];
} look;

struct hik_clear {
  const hik_figure *figure;
  const hik_world *world;
  _Atomic(look *) pool[POOL];
};

hik_status hik_clear_create(const hik_figure *figure, const hik_world *world, hik_clear **out,
                            hik_error *error) {
  if (hik_check_size(figure, world) == SIZE_MAX)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the figure is too large to be checked");
  hik_clear *c = hik_allocate(sizeof *c);
  if (!c) return hik_fail_memory(error, sizeof *c);
  c->figure = figure, c->world = world;
  for (int32_t k = 0; k < POOL; k++) atomic_init(&c->pool[k], NULL);
  *out = c;
  return HIK_OK;
}

void hik_clear_free(hik_clear *clear) {
  for (int32_t k = 0; clear && k < POOL; k++) hik_release(atomic_load(&clear->pool[k]));
  hik_release(clear);
}

const hik_figure *hik_clear_figure(const hik_clear *clear) { return clear->figure; }
const hik_world *hik_clear_world(const hik_clear *clear) { return clear->world; }

/* ---- the pool ---- */

static size_t lay_out(const hik_clear *c, void *memory) {
  hik_block block = {memory, 0, false};
  look *l = HIK_TAKE(&block, look, 1);
  double *q = HIK_TAKE(&block, double, hik_figure_model(c->figure)->nq);
  hik_near *near = HIK_TAKE(&block, hik_near, ROOM);
  void *check = HIK_TAKE(&block, char, hik_check_size(c->figure, c->world));
  if (l) l->q = q, l->near = near, l->check = hik_check_begin(check, c->figure, c->world);
  return block.bad ? SIZE_MAX : block.size;
}

/* NULL: no memory. */
static look *borrow(hik_clear *c) {
  for (int32_t k = 0; k < POOL; k++) {
    look *l = atomic_exchange(&c->pool[k], NULL);
    if (l) return l;
  }
  size_t size = lay_out(c, NULL);
  void *memory = size == SIZE_MAX ? NULL : hik_allocate(size);
  if (memory) lay_out(c, memory);
  return memory;
}

static void give_back(hik_clear *c, look *l) {
  for (int32_t k = 0; k < POOL; k++) {
    look *none = NULL;
    if (atomic_compare_exchange_strong(&c->pool[k], &none, l)) return;
  }
  hik_release(l);
}

/* ---- looking ---- */

/* Puts a pair among the rows, the deepest ones being kept, in the order in which they came. */
static void keep(look *l, const lacking *found) {
  if (found->lack > l->most) l->most = found->lack;
  int32_t at = l->count;
  if (at == HIK_CLEAR_ROWS) {
    at = 0;
    for (int32_t k = 1; k < HIK_CLEAR_ROWS; k++)
      if (l->row[k].lack <= l->row[at].lack) at = k;
    if (!(found->lack > l->row[at].lack)) return;
    memmove(l->row + at, l->row + at + 1, sizeof *l->row * (size_t)(HIK_CLEAR_ROWS - 1 - at));
    at = HIK_CLEAR_ROWS - 1;
  }
  l->row[at] = *found;
  l->count = at + 1;
}

static double wanted(const look *l, const hik_clear *c, const hik_near *near) {
  return near->other < hik_world_count(c->world) ? l->distance : l->self_distance;
}

static void gather(look *l, const hik_clear *c) {
  int32_t obstacles = hik_world_count(c->world);
  int32_t n = hik_check_near(l->check, fmax(l->distance, l->self_distance), l->near, ROOM);
  l->count = 0, l->most = 0;
  for (int32_t k = 0; k < n && k < ROOM; k++) {
    const hik_near *near = l->near + k;
    lacking found = {.lack = wanted(l, c, near) - near->distance[0],
                     .capsule = near->capsule,
                     .with = near->other < obstacles ? -1 : near->other - obstacles};
    if (!(found.lack > 0)) continue;
    for (int i = 0; i < 3; i++) {
      found.point[i] = near->axis[i][0], found.other[i] = near->other_axis[i][0];
      found.normal[i] = near->normal[i][0];
    }
    keep(l, &found);
  }
}

static bool usable(const double *q, int32_t nq) {
  for (int32_t k = 0; k < nq; k++)
    if (!(fabs(q[k]) < FARTHEST)) return false;
  return true;
}

/* Borrowed, with the posture placed; NULL: no memory. */
static look *look_at(const hik_goal *g, const double *q) {
  hik_clear *c = g->term.clear;
  look *l = borrow(c);
  if (!l) return NULL;
  int32_t nq = hik_figure_model(c->figure)->nq;
  const double *x = g->term.param;
  if (l->placed && l->distance == x[DISTANCE] && l->self_distance == x[SELF_DISTANCE] &&
      memcmp(l->q, q, (size_t)nq * sizeof *q) == 0)
    return l;
  memcpy(l->q, q, (size_t)nq * sizeof *q);
  l->distance = x[DISTANCE], l->self_distance = x[SELF_DISTANCE];
  l->placed = true, l->touch_known = false;
  l->usable = usable(q, nq);
  if (!l->usable) return l;
  hik_check_place(l->check, q, 1);
  gather(l, c);
  return l;
}

static bool touches(look *l) {
  if (!l->touch_known) l->touches = !(hik_check_touch(l->check, NULL, true).free & 1);
  l->touch_known = true;
  return l->touches;
}

uint32_t hik_clear_group(const hik_term *term, const double *q, int32_t count) {
  hik_clear *c = term->clear;
  look *l = borrow(c);
  if (!l) return 0;
  const double *x = term->param;
  int32_t obstacles = hik_world_count(c->world), nq = hik_figure_model(c->figure)->nq;
  uint32_t good = 0;
  l->placed = false;
  hik_check_place(l->check, q, count);
  for (int32_t i = 0; i < count; i++) good |= (uint32_t)usable(q + (size_t)i * (size_t)nq, nq) << i;
  good &= hik_check_touch(l->check, NULL, false).free;
  int32_t n = good && fmax(x[DISTANCE], x[SELF_DISTANCE]) > 0
                  ? hik_check_near(l->check, fmax(x[DISTANCE], x[SELF_DISTANCE]), l->near, ROOM)
                  : 0;
  for (int32_t k = 0; k < n && k < ROOM; k++) {
    double want = l->near[k].other < obstacles ? x[DISTANCE] : x[SELF_DISTANCE];
    for (int32_t i = 0; i < count; i++)
      if (want - l->near[k].distance[i] > 0) good &= ~(1u << i);
  }
  if (n > ROOM) good = 0; /* more than can be looked at: one by one */
  give_back(c, l);
  return good;
}

/* ---- the term ---- */

static bool obstacles_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  const double *x = t->param;
  if (!t->clear || hik_figure_model(hik_clear_figure(t->clear)) != m) {
    hik_fail(error, HIK_BAD_ARGUMENT, index, "term %d: its figure must be one of the problem's own model",
             index);
    return false;
  }
  if (hik_all_finite(x, 2) && x[DISTANCE] >= 0 && x[SELF_DISTANCE] >= 0) return true;
  hik_fail(error, HIK_BAD_ARGUMENT, index,
           "term %d: its distances must be 0 or more and finite, got %g and %g", index, x[DISTANCE],
           x[SELF_DISTANCE]);
  return false;
}

static double aim(const hik_goal *g) {
  double reach = hik_figure_model(hik_clear_figure(g->term.clear))->reach;
  return AIM * (reach > 0 && reach < INFINITY ? reach : 1);
}

static void obstacles_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  (void)target;
  look *l = look_at(g, sight->q);
  bool good = l && l->usable;
  double further = aim(g);
  for (int32_t k = 0; k < HIK_CLEAR_ROWS; k++)
    out[k] = !good ? NAN : k < l->count ? -l->row[k].lack - further : 0;
  if (l) give_back(g->term.clear, l);
}

static void obstacles_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                               const hik_columns *columns, double *out) {
  (void)target;
  look *l = look_at(g, sight->q);
  for (int32_t k = 0; l && l->usable && k < l->count; k++, out += columns->count) {
    const lacking *row = l->row + k;
    double way[1][3], back[1][3];
    hik_copy3(row->normal, way[0]);
    hik_scale3(-1, row->normal, back[0]);
    hik_columns_add(columns, sight, hik_figure_step(hik_clear_figure(g->term.clear), row->capsule),
                    row->point, 1, (const double(*)[3])way, NULL, out);
    if (row->with >= 0)
      hik_columns_add(columns, sight, hik_figure_step(hik_clear_figure(g->term.clear), row->with), row->other,
                      1, (const double(*)[3])back, NULL, out);
  }
  if (l) give_back(g->term.clear, l);
}

static void obstacles_measure(const hik_goal *g, const double *target, const hik_sight *sight,
                              hik_measure *out) {
  (void)target;
  look *l = look_at(g, sight->q);
  out->distance = !l || !l->usable ? NAN : l->most > 0 ? l->most : touches(l) ? TOUCHES : 0;
  if (l) give_back(g->term.clear, l);
}

const hik_term_class hik_term_obstacles = {.name = "obstacles",
                                           .summary =
                                               "a figure of capsules keeps clear of obstacles and of itself",
                                           .reference = "",
                                           .width = 0,
                                           .rows = HIK_CLEAR_ROWS,
                                           .metric = HIK_CLEAR_ROWS,
                                           .caps = HIK_IS_WHOLE | HIK_IS_CLEARANCE,
                                           .n_param = 2,
                                           .param_name = {"distance", "self_distance"},
                                           .check = obstacles_check,
                                           .sight_residual = obstacles_residual,
                                           .sight_jacobian = obstacles_jacobian,
                                           .sight_measure = obstacles_measure};
