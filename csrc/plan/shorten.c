/* shorten.c: shorter polygons of proved edges.

   Purpose   What a search finds has needless turns.
   Given     A polygon whose edges are proved.
   Returned  One that is not longer, with the same ends, its edges proved too.
   Outcomes  None. False: no memory, and the polygon is as it was before the last step.
   Notes     Leaving out vertices from the farthest, then joining random points of the polygon. A part of a proved edge is
             proved.
   Reference R. Geraerts, M. Overmars: Creating high-quality paths (2007) for shortcuts. */
#include "base/memory.h"
#include "plan/connect.h"

enum { FEW = 12 /* vertices of a route without too many */ };

static double *vertex(const hik_route *r, int32_t nq, int32_t i) { return r->q + (size_t)i * (size_t)nq; }

static double between(hik_edges *e, const double *a, const double *b) {
  double *v = e->room + e->model->nv;
  hik_difference(e->model, 1, a, b, v);
  return hik_edges_norm(v, e->model->nv);
}

double hik_route_length(hik_edges *e, const hik_route *r) {
  double sum = 0;
  for (int32_t i = 0; i + 1 < r->count; i++)
    sum += between(e, vertex(r, e->model->nq, i), vertex(r, e->model->nq, i + 1));
  return sum;
}

/* Takes out the vertices from i + 1 to j - 1. */
static void cut(hik_route *r, int32_t nq, int32_t i, int32_t j) {
  memmove(vertex(r, nq, i + 1), vertex(r, nq, j), (size_t)(r->count - j) * (size_t)nq * sizeof *r->q);
  r->count -= j - i - 1;
}

/* From each vertex to the farthest that a straight edge leads to; of a route with many vertices, as sliding makes, the steps
   between those that are tried halve at first, or all pairs would be too many. */
static void leave_out(hik_edges *e, hik_route *r) {
  int32_t nq = e->model->nq;
  for (int32_t i = 0; r->count > FEW && i + 2 < r->count; i++)
    for (int32_t gap = r->count - 1 - i; gap > 1; gap /= 2)
      if (hik_edges_free(e, vertex(r, nq, i), vertex(r, nq, i + gap))) {
        cut(r, nq, i, i + gap);
        break;
      }
  for (int32_t i = 0; r->count <= 2 * FEW && i + 2 < r->count; i++)
    for (int32_t j = r->count - 1; j > i + 1; j--)
      if (hik_edges_free(e, vertex(r, nq, i), vertex(r, nq, j))) {
        cut(r, nq, i, j);
        break;
      }
}

/* The point at length s of the polygon; its edge. */
static int32_t point(hik_edges *e, const hik_route *r, double s, double *q) {
  int32_t nq = e->model->nq, nv = e->model->nv;
  for (int32_t i = 0; i + 1 < r->count; i++) {
    const double *a = vertex(r, nq, i);
    double length = between(e, a, vertex(r, nq, i + 1)), *v = e->room + nv;
    if (s <= length || i + 2 == r->count) {
      double t = length > 0 ? hik_clip(s / length, 0, 1) : 0;
      for (int32_t k = 0; k < nv; k++) v[k] *= t;
      hik_integrate(e->model, 1, a, v, q);
      return i;
    }
    s -= length;
  }
  return 0;
}

/* Joins the points a on edge i and b on edge j by a straight edge. */
static bool bridge(hik_route *r, int32_t nq, int32_t i, int32_t j, const double *a, const double *b) {
  hik_route made = {NULL, 0, 0};
  bool good = true;
  for (int32_t k = 0; good && k <= i; k++) good = hik_route_add(&made, vertex(r, nq, k), nq);
  good = good && hik_route_add(&made, a, nq) && hik_route_add(&made, b, nq);
  for (int32_t k = j + 1; good && k < r->count; k++) good = hik_route_add(&made, vertex(r, nq, k), nq);
  if (!good) {
    hik_route_end(&made);
    return false;
  }
  hik_route_end(r);
  *r = made;
  return true;
}

bool hik_shorten(hik_edges *e, hik_route *r, uint64_t seed, int32_t tries) {
  int32_t nq = e->model->nq;
  leave_out(e, r);
  double *a = hik_allocate_raw(2 * (size_t)nq * sizeof *a), *b = a + nq;
  if (!a) return false;
  hik_rng rng = hik_rng_start(seed, 77);
  bool good = true;
  for (int32_t k = 0; good && k < tries && r->count > 2 && !hik_edges_ended(e); k++) {
    double length = hik_route_length(e, r), s = length * hik_rng_uniform(&rng),
           t = length * hik_rng_uniform(&rng), low = fmin(s, t), high = fmax(s, t);
    int32_t i = point(e, r, low, a), j = point(e, r, high, b);
    if (i == j || between(e, a, b) > (high - low) * (1 - 1e-4)) continue;
    if (hik_edges_free(e, a, b)) good = bridge(r, nq, i, j, a, b);
  }
  if (good) leave_out(e, r);
  hik_release(a);
  return good;
}
