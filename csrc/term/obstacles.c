/* obstacles.c: a figure of capsules keeps clear of obstacles and of itself.

   Purpose    residual of a posture: for each of the pairs nearest to each other how much the distance wanted is more than theirs
   Rows       zero where the distance is kept, so that a goal is never drawn aside by what is clear; else the lack and AIM of
              the figure's reach besides, so that a step that ends where it aims ends beyond the distance and not on it. Of
              more than HIK_CLEAR_ROWS pairs that lack, the deepest; signed depth leads out of what is entered
   Judge      the greatest lack without AIM; one more look says whether anything touches, as `free` of a scene does
   Memory     one check a thread, from a pool that grows to as many as there are threads; it remembers the postures it has
              placed, up to a group, so that a derivative costs no second look, and many that are looked at ahead cost little more
              than one */
#include "term/obstacles.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "term/term.h"

enum { DISTANCE, SELF_DISTANCE };
enum { POOL = 64 /* 2^6 */, ROOM = 256 };
static const double AIM = 1e-4;
/* metres: what touches lacks at least this */
static const double TOUCHES = 1e-12;
/* beyond, scenes measure nothing */
static const double FARTHEST = 1e12;

typedef struct lacking {
  double lack, point[3], other[3], normal[3];
  int32_t capsule, with; /* with -1: an obstacle */
} lacking;

/* What was seen of a posture. */
typedef struct seen {
  bool usable;
  int32_t count;
  double most; /* greatest lack */
  lacking row[HIK_CLEAR_ROWS];
} seen;

/* One thread's. */
typedef struct look {
  hik_check *check;
  hik_near *near; /* [ROOM] */
  double *q;      /* [HIK_GROUP][nq] placed last, of these distances */
  double distance, self_distance;
  int32_t placed;   /* postures, 0: none that is known */
  bool touch_known; /* of all of them */
  uint32_t touches; /* a bit a posture */
  seen seen[HIK_GROUP];
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
  double *q = HIK_TAKE(&block, double, (int64_t)HIK_GROUP *hik_figure_model(c->figure)->nq);
  hik_near *near = HIK_TAKE(&block, hik_near, ROOM);
  void *check = HIK_TAKE(&block, char, hik_check_size(c->figure, c->world));
  if (l) l->q = q, l->near = near, l->check = hik_check_begin(check, c->figure, c->world);
  return block.bad ? SIZE_MAX : block.size;
}

/* Where a thread looks for its memory first, so that it finds what it has placed: threads have a stack each. */
static int32_t first_place(void) {
  char here;
  return (int32_t)((uint32_t)((uintptr_t)&here >> 20) * 2654435761u >> 26);
}

/* NULL: no memory. */
static look *borrow(hik_clear *c) {
  for (int32_t k = 0, first = first_place(); k < POOL; k++) {
    look *l = atomic_exchange(&c->pool[(first + k) & (POOL - 1)], NULL);
    if (l) return l;
  }
  size_t size = lay_out(c, NULL);
  void *memory = size == SIZE_MAX ? NULL : hik_allocate(size);
  if (memory) lay_out(c, memory);
  return memory;
}

static void give_back(hik_clear *c, look *l) {
  for (int32_t k = 0, first = first_place(); k < POOL; k++) {
    look *none = NULL;
    if (atomic_compare_exchange_strong(&c->pool[(first + k) & (POOL - 1)], &none, l)) return;
  }
  hik_release(l);
}

/* ---- looking ---- */

/* Puts a pair among the rows, the deepest ones being kept, in the order in which they came. */
static void keep(seen *s, const lacking *found) {
  if (found->lack > s->most) s->most = found->lack;
  int32_t at = s->count;
  if (at == HIK_CLEAR_ROWS) {
    at = 0;
    for (int32_t k = 1; k < HIK_CLEAR_ROWS; k++)
      if (s->row[k].lack <= s->row[at].lack) at = k;
    if (!(found->lack > s->row[at].lack)) return;
    memmove(s->row + at, s->row + at + 1, sizeof *s->row * (size_t)(HIK_CLEAR_ROWS - 1 - at));
    at = HIK_CLEAR_ROWS - 1;
  }
  s->row[at] = *found;
  s->count = at + 1;
}

/* The rows of posture l from the first n of what is near. */
static void gather(look *l, const hik_clear *c, int32_t at, int32_t n) {
  int32_t obstacles = hik_world_count(c->world);
  seen *s = l->seen + at;
  s->count = 0, s->most = 0;
  for (int32_t k = 0; k < n; k++) {
    const hik_near *near = l->near + k;
    bool outside = near->other < obstacles;
    lacking found = {.lack = (outside ? l->distance : l->self_distance) - near->distance[at],
                     .capsule = near->capsule,
                     .with = outside ? -1 : near->other - obstacles};
    if (!(found.lack > 0)) continue;
    for (int i = 0; i < 3; i++) {
      found.point[i] = near->axis[i][at], found.other[i] = near->other_axis[i][at];
      found.normal[i] = near->normal[i][at];
    }
    keep(s, &found);
  }
}

static bool usable(const double *q, int32_t nq) {
  for (int32_t k = 0; k < nq; k++)
    if (!(fabs(q[k]) < FARTHEST)) return false;
  return true;
}

static uint32_t touching(look *l) {
  if (!l->touch_known) l->touches = ~hik_check_touch(l->check, NULL, l->placed == 1).free;
  l->touch_known = true;
  return l->touches;
}

/* Looks at up to HIK_GROUP postures [count][nq] together: what is seen of each is what it is alone. Where more is near than there is
   room for, nothing is known of several. likely: all may well be clear, which is then asked first. */
static void look_together(look *l, const hik_clear *c, const double *x, const double *q, int32_t count,
                          bool likely) {
  int32_t nq = hik_figure_model(c->figure)->nq;
  bool some = false;
  memcpy(l->q, q, (size_t)count * (size_t)nq * sizeof *q);
  l->distance = x[DISTANCE], l->self_distance = x[SELF_DISTANCE];
  l->placed = count, l->touch_known = false;
  for (int32_t i = 0; i < count; i++) {
    seen *s = l->seen + i;
    s->usable = usable(q + (size_t)i * (size_t)nq, nq), s->count = 0, s->most = 0;
    some |= s->usable;
  }
  if (!some) return;
  hik_check_place(l->check, q, count);
  /* who touches nothing lacks nothing, where no more is asked for */
  bool all = likely && !(l->distance > 0) && !(l->self_distance > 0);
  if (all && !(touching(l) & ((1u << count) - 1))) return;
  int32_t n = hik_check_near(l->check, l->distance, l->self_distance, l->near, ROOM);
  if (n > ROOM && count > 1) l->placed = 0;
  for (int32_t i = 0; i < l->placed; i++)
    if (l->seen[i].usable) gather(l, c, i, n < ROOM ? n : ROOM);
}

/* Borrowed, with the posture placed, and its place among those that are; NULL: no memory. */
static look *look_at(const hik_goal *g, const double *q, int32_t *at) {
  hik_clear *c = g->term.clear;
  look *l = borrow(c);
  if (!l) return NULL;
  size_t nq = (size_t)hik_figure_model(c->figure)->nq;
  const double *x = g->term.param;
  if (l->distance == x[DISTANCE] && l->self_distance == x[SELF_DISTANCE])
    for (*at = 0; *at < l->placed; ++*at)
      if (memcmp(l->q + (size_t)*at * nq, q, nq * sizeof *q) == 0) return l;
  *at = 0;
  look_together(l, c, x, q, 1, false);
  return l;
}

void hik_clear_look(const hik_term *term, const double *q, int32_t count, bool likely) {
  look *l = borrow(term->clear);
  if (!l) return;
  look_together(l, term->clear, term->param, q, count, likely);
  give_back(term->clear, l);
}

/* Whether posture `at` keeps the distances and touches nothing. */
static bool clear_at(look *l, int32_t at) {
  return l->seen[at].usable && !(l->seen[at].most > 0) && !(touching(l) >> at & 1);
}

uint32_t hik_clear_group(const hik_term *term, const double *q, int32_t count) {
  hik_clear *c = term->clear;
  look *l = borrow(c);
  if (!l) return 0;
  size_t nq = (size_t)hik_figure_model(c->figure)->nq;
  uint32_t good = 0;
  look_together(l, c, term->param, q, count, true);
  bool together = l->placed == count;
  for (int32_t i = 0; i < count; i++) {
    if (!together) look_together(l, c, term->param, q + (size_t)i * nq, 1, true);
    good |= (uint32_t)clear_at(l, together ? i : 0) << i;
  }
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
  int32_t at;
  look *l = look_at(g, sight->q, &at);
  const seen *s = l ? l->seen + at : NULL;
  double further = aim(g);
  for (int32_t k = 0; k < HIK_CLEAR_ROWS; k++)
    out[k] = !s || !s->usable ? NAN : k < s->count ? -s->row[k].lack - further : 0;
  if (l) give_back(g->term.clear, l);
}

static void obstacles_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                               const hik_columns *columns, double *out) {
  (void)target;
  int32_t at;
  look *l = look_at(g, sight->q, &at);
  const seen *s = l ? l->seen + at : NULL;
  for (int32_t k = 0; s && s->usable && k < s->count; k++, out += columns->count) {
    const lacking *row = s->row + k;
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
  int32_t at;
  look *l = look_at(g, sight->q, &at);
  const seen *s = l ? l->seen + at : NULL;
  out->distance = !s || !s->usable ? NAN : s->most > 0 ? s->most : touching(l) >> at & 1 ? TOUCHES : 0;
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
