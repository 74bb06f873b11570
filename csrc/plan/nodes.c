/* nodes.c: see nodes.h. Nearest nodes are found by a plain scan over blocks in coordinate order: enough for some thousands. */
#include "plan/nodes.h"

#include "base/memory.h"

enum { BLOCK = HIK_NODES_BLOCK };

static bool grow(hik_nodes *t, int32_t nq) {
  int32_t room = t->room ? 2 * t->room : 4 * BLOCK;
  if (t->room > INT32_MAX / 4) return false;
  size_t doubles, bytes;
  if (!hik_mul((size_t)room, (size_t)nq, &doubles) || !hik_mul(doubles, sizeof(double), &bytes)) return false;
  double *q = hik_allocate_raw(bytes);
  int32_t *parent = hik_allocate_raw((size_t)room * sizeof *parent);
  if (!q || !parent) {
    hik_release(q), hik_release(parent);
    return false;
  }
  if (t->room) {
    memcpy(q, t->q, (size_t)t->room * (size_t)nq * sizeof *q);
    memcpy(parent, t->parent, (size_t)t->room * sizeof *parent);
  }
  hik_release(t->q), hik_release(t->parent);
  t->q = q, t->parent = parent, t->room = room;
  return true;
}

bool hik_nodes_add(hik_nodes *t, int32_t nq, const double *q, int32_t parent) {
  if (t->count == t->room && !grow(t, nq)) return false;
  double *block = t->q + (size_t)(t->count / BLOCK) * BLOCK * (size_t)nq;
  if (t->count % BLOCK == 0) /* lanes that are not there are far */
    for (int32_t k = 0; k < nq * BLOCK; k++) block[k] = 1e150;
  for (int32_t k = 0; k < nq; k++) block[k * BLOCK + t->count % BLOCK] = q[k];
  t->parent[t->count++] = parent;
  return true;
}

void hik_nodes_at(const hik_nodes *t, int32_t nq, int32_t i, double *q) {
  const double *block = t->q + (size_t)(i / BLOCK) * BLOCK * (size_t)nq;
  for (int32_t k = 0; k < nq; k++) q[k] = block[k * BLOCK + i % BLOCK];
}

void hik_nodes_end(hik_nodes *t) {
  hik_release(t->q), hik_release(t->parent);
  *t = (hik_nodes){NULL, NULL, 0, 0};
}

/* Squares of distances of the 16 nodes of a block to q. */
static void distances(const hik_model *m, const double *block, const double *q, double *out) {
  for (int32_t l = 0; l < BLOCK; l++) out[l] = 0;
  for (int32_t s = 0; s < m->n_step; s++) {
    int32_t at = m->step_q[s];
    if (at < 0 || m->step_follow[s] >= 0) continue;
    const double *x = block + (size_t)at * BLOCK;
    if (m->step_kind[s] != HIK_BALL_STEP) {
      for (int32_t l = 0; l < BLOCK; l++) out[l] += (x[l] - q[at]) * (x[l] - q[at]);
    } else {
      for (int32_t l = 0; l < BLOCK; l++) {
        double dot = x[l] * q[at] + x[BLOCK + l] * q[at + 1] + x[2 * BLOCK + l] * q[at + 2] +
                     x[3 * BLOCK + l] * q[at + 3];
        out[l] += 8 * fabs(1 - fabs(dot));
      }
    }
  }
}

int32_t hik_nodes_nearest(const hik_model *m, const hik_nodes *t, const double *q, double *square) {
  double best = 1e300, found[BLOCK];
  int32_t at = 0;
  for (int32_t b = 0; b * BLOCK < t->count; b++) {
    distances(m, t->q + (size_t)b * BLOCK * (size_t)m->nq, q, found);
    int32_t lanes = t->count - b * BLOCK < BLOCK ? t->count - b * BLOCK : BLOCK;
    for (int32_t l = 0; l < lanes; l++)
      if (found[l] < best) best = found[l], at = b * BLOCK + l;
  }
  *square = best;
  return at;
}

void hik_route_end(hik_route *route) {
  hik_release(route->q);
  *route = (hik_route){NULL, 0, 0};
}

bool hik_route_add(hik_route *route, const double *q, int32_t nq) {
  if (route->count == route->room) {
    int32_t room = route->room ? 2 * route->room : 16;
    size_t doubles, bytes;
    if (route->room > INT32_MAX / 4 || !hik_mul((size_t)room, (size_t)nq, &doubles) ||
        !hik_mul(doubles, sizeof(double), &bytes))
      return false;
    double *more = hik_allocate_raw(bytes);
    if (!more) return false;
    if (route->q) memcpy(more, route->q, (size_t)route->count * (size_t)nq * sizeof *more);
    hik_release(route->q);
    route->q = more, route->room = room;
  }
  memcpy(route->q + (size_t)route->count++ * (size_t)nq, q, (size_t)nq * sizeof *q);
  return true;
}

bool hik_nodes_trace(const hik_nodes *t, int32_t nq, int32_t i, bool turned, double *q, hik_route *route) {
  int32_t begin = route->count;
  for (; i >= 0; i = t->parent[i]) {
    hik_nodes_at(t, nq, i, q);
    if (!hik_route_add(route, q, nq)) return false;
  }
  for (int32_t a = begin, b = route->count - 1; turned && a < b; a++, b--)
    for (int32_t k = 0; k < nq; k++) {
      double *x = route->q + (size_t)a * (size_t)nq + k, *y = route->q + (size_t)b * (size_t)nq + k,
             keep = *x;
      *x = *y, *y = keep;
    }
  return true;
}

bool hik_nodes_join(const hik_nodes both[2], int32_t nq, int32_t i, int32_t j, double *q, hik_route *route) {
  return hik_nodes_trace(&both[0], nq, i, true, q, route) &&
         (both[1].parent[j] < 0 || hik_nodes_trace(&both[1], nq, both[1].parent[j], false, q, route));
}
