/* taut.c: a polygon of proved edges pulled taut over what it touches.

   Purpose   What shortcuts leave still hangs loose: each vertex has a better place between its neighbours.
   Given     A polygon whose edges are proved.
   Returned  One that is not longer, with the same ends, its edges proved too.
   Outcomes  None. False: no memory, and the polygon is as it was before the last step.
   Notes     A vertex wishes to be at the point of its neighbours' chord that is divided as the edges are (one step of
             Weiszfeld's method for the least sum of two distances). What touches sits along the edges, not at the vertex, so
             distances are measured at 8 points of each edge; one at the part t of an edge moves by t times the vertex. The
             wish is projected on these rows by Hildreth's method, and its whole, 0.4 or 0.16 is taken where both edges are
             proved. Rows keep 3 cm where there is room, so that proofs are cheap, and 6 mm in the end; who is nearer may stay
             so. How far a wish may go grows with success. A vertex that its neighbours do without is left out.
   Reference C. Hildreth: A quadratic programming procedure (1957). */
#include "plan/cones.h"
#include "plan/connect.h"
#include "plan/contact.h"

enum { W = HIK_GROUP, EACH = 8, SWEEPS = 25, ROUNDS = 30, MOST = 200 };

static const double NEAR = 0.1; /* metres: what has a row */
/* Before edges are halved, and after: metres that are kept where there are so many, since proofs are dear where less is left; the
   share that a sweep has to gain. */
static const double CLEAR[] = {3e-2, 6e-3}, GAIN[] = {5e-3, 3e-3};
static const double FIRST = 0.5,
                    LONG = 0.4; /* norm of v: how far a wish may go at first; edges are halved down to it */

typedef struct taut {
  hik_edges *e;
  hik_contacts near;
  double *points, *q;                     /* [16][nq], [nq] */
  double *before, *after, *wish, *g, *at; /* [nv] */
  double *active, *bound, *force; /* [HIK_CONTACTS * 16]: weights; least moves along rows; multipliers */
  int32_t *row;                   /* [HIK_CONTACTS * 16] */
  double *trust;                  /* [MOST] */
  double clear;                   /* see CLEAR */
} taut;

static size_t lay_out(taut *t, void *memory, const hik_model *m, int32_t obstacles) {
  hik_block block = {memory, 0, false};
  hik_contacts_take(&t->near, &block, m->nv, obstacles);
  HIK_TAKE_DOUBLES(&block, W * (int64_t)m->nq, &t->points);
  HIK_TAKE_DOUBLES(&block, m->nq, &t->q);
  HIK_TAKE_DOUBLES(&block, m->nv, &t->before, &t->after, &t->wish, &t->g, &t->at);
  HIK_TAKE_DOUBLES(&block, HIK_CONTACTS * W, &t->active, &t->bound, &t->force);
  HIK_TAKE_DOUBLES(&block, MOST, &t->trust);
  t->row = HIK_TAKE(&block, int32_t, HIK_CONTACTS * W);
  return block.bad ? SIZE_MAX : block.size;
}

static double *vertex(const hik_route *r, int32_t nq, int32_t i) { return r->q + (size_t)i * (size_t)nq; }

/* Distances at points of both edges; lane k < 8 at (k + 1) / 8 from a to x, the others at (k - 7.5) / 8 from c to x. */
static double part_of(int l) { return l < EACH ? (l + 1.0) / EACH : (l - EACH + 0.5) / EACH; }

static void look(taut *t, const double *a, const double *x, const double *c) {
  const hik_model *m = t->e->model;
  for (int side = 0; side < 2; side++) {
    const double *from = side ? c : a;
    hik_difference(m, 1, from, x, t->at);
    for (int k = 0; k < EACH; k++) {
      int l = EACH * side + k;
      for (int32_t j = 0; j < m->nv; j++) t->g[j] = part_of(l) * t->at[j];
      hik_integrate(m, 1, from, t->g, t->points + (size_t)l * (size_t)m->nq);
    }
  }
  hik_check_place(t->e->check, t->points, W);
  hik_contacts_gather(&t->near, t->e->check, NEAR);
  t->e->groups += 1 + t->near.count / 8;
}

/* Row n of those that may matter, at lane l of row k: a column of `near` 16 apart. */
static const double *column(const taut *t, int32_t n) {
  int32_t k = t->row[n] / W, l = t->row[n] % W;
  return t->near.row + (size_t)k * W * (size_t)t->near.nv + l;
}

/* The wish kept from all rows: g. */
static void project(taut *t) {
  int32_t nv = t->e->model->nv, n = 0;
  double length = hik_edges_norm(t->wish, nv);
  for (int32_t k = 0; k < t->near.count; k++)
    for (int l = 0; l < W; l++) {
      double inverse = t->near.inverse[W * (size_t)k + (size_t)l], w = part_of(l),
             bound = t->clear - t->near.near[k].distance[l];
      bound = bound < 0 ? bound : 0;
      if (!(inverse > 0) || w * length < -bound * sqrt(inverse)) continue; /* it cannot come there */
      t->row[n] = k * W + l, t->active[n] = w, t->bound[n] = bound, t->force[n++] = 0;
    }
  memcpy(t->g, t->wish, sizeof *t->g * (size_t)nv);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double most = 0;
    for (int32_t i = 0; i < n; i++) {
      const double *row = column(t, i);
      double by = 0, w = t->active[i];
      for (int32_t k = 0; k < nv; k++) by += row[W * k] * t->g[k];
      double more = (t->bound[i] - w * by) * t->near.inverse[t->row[i]] / (w * w);
      if (more < -t->force[i]) more = -t->force[i];
      if (more == 0) continue;
      t->force[i] += more, most = fmax(most, fabs(more * w));
      for (int32_t k = 0; k < nv; k++) t->g[k] += more * w * row[W * k];
    }
    if (most < 1e-6) break;
  }
}

static double between(taut *t, const double *a, const double *b) {
  hik_difference(t->e->model, 1, a, b, t->at);
  return hik_edges_norm(t->at, t->e->model->nv);
}

/* Moves a vertex; false: it stays. */
static bool pull(taut *t, hik_route *r, int32_t i) {
  const hik_model *m = t->e->model;
  double *x = vertex(r, m->nq, i), *a = x - m->nq, *c = x + m->nq;
  hik_difference(m, 1, x, a, t->before);
  hik_difference(m, 1, x, c, t->after);
  double before = hik_edges_norm(t->before, m->nv), after = hik_edges_norm(t->after, m->nv),
         whole = before + after;
  if (before < 1e-9 || after < 1e-9) return false;
  for (int32_t k = 0; k < m->nv; k++) t->wish[k] = (t->before[k] * after + t->after[k] * before) / whole;
  double length = hik_edges_norm(t->wish, m->nv), trust = t->trust[i];
  if (!(length > 1e-9)) return false;
  for (int32_t k = 0; k < m->nv && length > trust; k++) t->wish[k] *= trust / length;
  look(t, a, x, c);
  project(t);
  static const double parts[] = {1, 0.4, 0.16};
  for (int32_t p = 0; p < HIK_COUNT_OF(parts); p++) {
    for (int32_t k = 0; k < m->nv; k++) t->at[k] = parts[p] * t->g[k];
    hik_integrate(m, 1, x, t->at, t->q);
    hik_clamp(m, 1, t->q);
    if (between(t, a, t->q) + between(t, t->q, c) > whole * (1 - 1e-4)) continue;
    if (hik_edges_free(t->e, a, t->q) && hik_edges_free(t->e, t->q, c)) {
      memcpy(x, t->q, (size_t)m->nq * sizeof *x);
      if (p == 0) t->trust[i] *= 1.5;
      return true;
    }
  }
  t->trust[i] *= 0.3;
  return false;
}

/* Leaves vertex i out. */
static void drop(taut *t, hik_route *r, int32_t i) {
  size_t nq = (size_t)t->e->model->nq, behind = (size_t)(r->count - i - 1);
  memmove(r->q + (size_t)i * nq, r->q + (size_t)(i + 1) * nq, behind * nq * sizeof *r->q);
  memmove(t->trust + i, t->trust + i + 1, behind * sizeof *t->trust);
  r->count--;
}

/* Long edges in halves. */
static bool halve(taut *t, hik_route *r) {
  int32_t nq = t->e->model->nq, nv = t->e->model->nv;
  for (int32_t i = 0; i + 1 < r->count && r->count < MOST; i++) {
    if (between(t, vertex(r, nq, i), vertex(r, nq, i + 1)) <= LONG) continue;
    for (int32_t k = 0; k < nv; k++) t->at[k] *= 0.5;
    hik_integrate(t->e->model, 1, vertex(r, nq, i), t->at, t->q);
    if (!hik_inside(t->e->model, t->q, HIK_CONES_LOOK))
      continue; /* within the slack of the proof is enough for edges alone */
    if (!hik_route_add(r, t->q, nq)) return false;
    memmove(vertex(r, nq, i + 2), vertex(r, nq, i + 1),
            (size_t)(r->count - i - 2) * (size_t)nq * sizeof *r->q);
    memcpy(vertex(r, nq, i + 1), t->q, (size_t)nq * sizeof *r->q);
    i++;
  }
  return true;
}

static void sweep(taut *t, hik_route *r) {
  int32_t nq = t->e->model->nq;
  for (int32_t i = 1; i + 1 < r->count && !hik_edges_ended(t->e); i++) {
    if (hik_edges_free(t->e, vertex(r, nq, i - 1), vertex(r, nq, i + 1)))
      drop(t, r, i--);
    else
      pull(t, r, i);
  }
}

bool hik_tighten(hik_edges *e, hik_route *r, int32_t rounds) {
  taut t = {.e = e};
  int32_t obstacles = hik_world_count(hik_check_world(e->check));
  size_t size = lay_out(&t, NULL, e->model, obstacles);
  void *memory = size == SIZE_MAX || r->count > MOST ? NULL : hik_allocate_raw(size);
  if (r->count > MOST) return true; /* nothing is pulled of what is not a polygon but a curve */
  if (!memory) return false;
  lay_out(&t, memory, e->model, obstacles);
  bool good = true;
  for (int32_t round = 0; good && round <= rounds && r->count > 2 && !hik_edges_ended(e); round++) {
    if (round > 0) good = halve(&t, r);
    t.clear = CLEAR[round > 0];
    for (int32_t i = 0; i < MOST; i++) t.trust[i] = FIRST;
    for (int32_t k = 0; good && k < ROUNDS && !hik_edges_ended(e); k++) {
      double length = hik_route_length(e, r);
      sweep(&t, r);
      if (hik_route_length(e, r) > length * (1 - GAIN[round > 0])) break;
    }
  }
  hik_release(memory);
  return good;
}
