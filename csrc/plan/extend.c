/* extend.c: see extend.h.

   Purpose   RRT-Connect's step: a straight edge towards a random posture, then as many as can be from the other tree to its end.
   Given     Two trees, and which of them grows.
   Returned  New nodes at the ends of proved edges.
   Outcomes  The trees met, or not; no memory.
   Notes     Near obstacles most edges are in contact, and nearly all of these at their end or at their middle. So where two in a
             row have failed sixteen are tried at a time: one group has their ends in its lanes, the next ones more places of those
             that are left, and only what is clear there is proved, each edge by groups of its own. */
#include "plan/extend.h"

#include "base/memory.h"

enum { W = HIK_GROUP, PATIENCE = 2 /* edges that fail in a row before sixteen are tried together */ };

struct hik_extend {
  const hik_shorter *shorter;
  double *room;                 /* [hik_within_room] */
  double *draw, *from, *to, *v; /* [nq], [nq], [nq], [nv] */
  double *end, *way, *place;    /* of sixteen edges: [16][nq], [16][nv]; [16][nq] */
  int32_t node[W], failed;      /* where these begin; how many failed in a row */
};

static size_t lay_out(hik_extend *x, void *memory, const hik_model *m) {
  hik_block block = {memory, 0, false};
  HIK_TAKE(&block, hik_extend, 1);
  HIK_TAKE_DOUBLES(&block, (int64_t)hik_within_room(m), &x->room);
  HIK_TAKE_DOUBLES(&block, m->nq, &x->draw, &x->from, &x->to);
  HIK_TAKE_DOUBLES(&block, m->nv, &x->v);
  HIK_TAKE_DOUBLES(&block, W * (int64_t)m->nq, &x->end, &x->place);
  HIK_TAKE_DOUBLES(&block, W * (int64_t)m->nv, &x->way);
  return block.bad ? SIZE_MAX : block.size;
}

hik_extend *hik_extend_create(const hik_model *m, const hik_shorter *shorter) {
  hik_extend like = {.shorter = shorter};
  size_t size = lay_out(&like, NULL, m);
  hik_extend *x = size == SIZE_MAX ? NULL : hik_allocate_raw(size);
  if (!x) return NULL;
  *x = like;
  lay_out(x, x, m);
  return x;
}

void hik_extend_free(hik_extend *x) { hik_release(x); }

/* An edge from node i towards q, at most as long as the reach. */
typedef struct edge {
  double length;
  bool arrived; /* its end is q */
} edge;

/* v [nv] and to [nq] of the edge; x->from is where it begins. */
static edge edge_to(hik_edges *e, hik_extend *x, const hik_nodes *t, int32_t i, const double *q, double *v,
                    double *to) {
  int32_t nq = e->model->nq, nv = e->model->nv;
  hik_nodes_at(t, nq, i, x->from);
  hik_difference(e->model, 1, x->from, q, v);
  edge out = {.length = hik_edges_norm(v, nv)};
  out.arrived = out.length <= e->reach;
  if (out.arrived) {
    memcpy(to, q, (size_t)nq * sizeof *to);
    return out;
  }
  for (int32_t k = 0; k < nv; k++) v[k] *= e->reach / out.length;
  hik_integrate(e->model, 1, x->from, v, to);
  return out;
}

static bool of_use(const hik_edges *e, const hik_extend *x, const double *q) {
  return !x->shorter || hik_within(e->model, x->shorter, q, x->room);
}

/* One edge from node i towards q; the new node (i itself, where it stands there), -1: none, -2: no memory. */
static int32_t extend(hik_edges *e, hik_extend *x, hik_nodes *t, int32_t i, const double *q, bool *arrived) {
  edge way = edge_to(e, x, t, i, q, x->v, x->to);
  *arrived = way.arrived;
  if (way.length < 1e-9) return i;
  if (!of_use(e, x, x->to) || !hik_edges_proved(e, x->from, x->v)) return -1;
  return hik_nodes_add(t, e->model->nq, x->to, i) ? t->count - 1 : -2;
}

/* The other tree goes to node *i; MET: *j stands there. */
static hik_met connect(hik_edges *e, hik_extend *x, const hik_nodes *t, hik_nodes *other, int32_t i,
                       int32_t *j) {
  bool arrived;
  hik_nodes_at(t, e->model->nq, i, x->draw);
  int32_t at = hik_edges_nearest(e, other, x->draw);
  do {
    at = extend(e, x, other, at, x->draw, &arrived);
    if (at < 0) return at == -2 ? HIK_MET_MEMORY : HIK_MET_NOT;
  } while (!arrived && !hik_edges_ended(e));
  *j = at;
  return arrived ? HIK_MET : HIK_MET_NOT;
}

static void draw(const hik_edges *e, hik_extend *x, uint64_t seed, uint64_t number) {
  if (x->shorter)
    hik_within_draw(e->model, x->shorter, seed, number, x->draw, x->room);
  else
    hik_random_q(e->model, seed, number, x->draw);
}

static hik_met grow_by_one(hik_edges *e, hik_extend *x, hik_nodes both[2], int32_t side, uint64_t seed,
                           uint64_t *number, int32_t *i, int32_t *j) {
  bool arrived;
  draw(e, x, seed, (*number)++);
  *i = extend(e, x, &both[side], hik_edges_nearest(e, &both[side], x->draw), x->draw, &arrived);
  x->failed = *i < 0 ? x->failed + 1 : 0;
  if (*i < 0) return *i == -2 ? HIK_MET_MEMORY : HIK_MET_NOT;
  return connect(e, x, &both[side], &both[!side], *i, j);
}

/* Sixteen edges towards random postures; a bit for each that is of use. */
static uint32_t set_out(hik_edges *e, hik_extend *x, const hik_nodes *t, uint64_t seed, uint64_t *number) {
  size_t nq = (size_t)e->model->nq, nv = (size_t)e->model->nv;
  uint32_t open = 0;
  for (size_t l = 0; l < W; l++) {
    draw(e, x, seed, (*number)++);
    x->node[l] = hik_edges_nearest(e, t, x->draw);
    edge to = edge_to(e, x, t, x->node[l], x->draw, x->way + l * nv, x->end + l * nq);
    open |= (uint32_t)(to.length >= 1e-9 && of_use(e, x, x->end + l * nq)) << l;
  }
  return open;
}

/* The place at share t of edge l. */
static void part_of(const hik_edges *e, hik_extend *x, const hik_nodes *t, size_t l, double share,
                    double *to) {
  size_t nq = (size_t)e->model->nq, nv = (size_t)e->model->nv;
  if (share == 1) {
    memcpy(to, x->end + l * nq, nq * sizeof *to);
    return;
  }
  hik_nodes_at(t, e->model->nq, x->node[l], x->from);
  for (size_t k = 0; k < nv; k++) x->v[k] = share * x->way[l * nv + k];
  hik_integrate(e->model, 1, x->from, x->v, to);
}

/* Those of the open edges that touch nothing at some places, as many of each at a time as there are lanes for. */
static uint32_t look_along(hik_edges *e, hik_extend *x, const hik_nodes *t, uint32_t open) {
  static const double share[] = {1, 0.5, 0.25, 0.75};
  const int places = sizeof share / sizeof *share;
  size_t nq = (size_t)e->model->nq;
  for (int next = 0; next < places && (open & (open - 1));) {
    int count = 0, each = W / __builtin_popcount(open), edge_of[W];
    if (each > places - next) each = places - next;
    for (int l = 0; l < W; l++)
      for (int k = 0; k < each && open >> l & 1; k++, count++) {
        part_of(e, x, t, (size_t)l, share[next + k], x->place + (size_t)count * nq);
        edge_of[count] = l;
      }
    uint32_t clear = hik_edges_clear(e, x->place, count);
    for (int c = 0; c < count; c++)
      if (!(clear >> c & 1)) open &= ~(1u << edge_of[c]);
    next += each;
  }
  return open;
}

static hik_met grow_by_sixteen(hik_edges *e, hik_extend *x, hik_nodes both[2], int32_t side, uint64_t seed,
                               uint64_t *number, int32_t *i, int32_t *j) {
  size_t nq = (size_t)e->model->nq, nv = (size_t)e->model->nv;
  uint32_t open = look_along(e, x, &both[side], set_out(e, x, &both[side], seed, number));
  for (size_t l = 0; l < W && !hik_edges_ended(e); l++) {
    if (!(open >> l & 1)) continue;
    hik_nodes_at(&both[side], e->model->nq, x->node[l], x->from);
    if (!hik_edges_proved(e, x->from, x->way + l * nv)) continue;
    if (!hik_nodes_add(&both[side], e->model->nq, x->end + l * nq, x->node[l])) return HIK_MET_MEMORY;
    x->failed = 0, *i = both[side].count - 1;
    hik_met met = connect(e, x, &both[side], &both[!side], *i, j);
    if (met != HIK_MET_NOT) return met;
  }
  return HIK_MET_NOT;
}

hik_met hik_extend_grow(hik_edges *e, hik_extend *x, hik_nodes both[2], int32_t side, uint64_t seed,
                        uint64_t *number, int32_t *i, int32_t *j) {
  return (x->failed < PATIENCE ? grow_by_one : grow_by_sixteen)(e, x, both, side, seed, number, i, j);
}
