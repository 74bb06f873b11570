/* edges.c: see edges.h. */
#include "plan/edges.h"

#include "plan/cones.h"
#include "plan/keep.h"

enum { LOOK = 64 /* groups between two looks at the clock */ };

bool hik_edges_ended(hik_edges *e) {
  if (e->keep) e->groups += hik_keep_spent(e->keep);
  if (e->ended || e->groups >= e->budget) return true;
  if (!e->halt || e->groups < e->look) return false;
  e->look = e->groups + LOOK;
  if (e->halt->deal) {
    if (e->halt->main) hik_deal_look(e->halt->deal);
    e->ended = atomic_load(&e->halt->deal->stop);
  }
  return e->ended |= e->halt->end < INFINITY && hik_clock() >= e->halt->end;
}

/* The share of the edge inside the limits of balls; `whole`: nothing less is of any use. */
static double inside_cones(hik_edges *e, const double *q0, const double *v, bool whole) {
  int64_t looks = 0;
  if (e->model->n_swing == 0) return 1;
  double share = hik_cones_edge(e->model, q0, v, whole, &looks);
  e->groups += looks / 16;
  return share;
}

bool hik_edges_proved(hik_edges *e, const double *q0, const double *v) {
  int32_t nv = e->model->nv, nq = e->model->nq;
  double *part = e->room + 2 * nv;
  if (inside_cones(e, q0, v, true) < 1) return false;
  hik_edge_proof found = hik_check_edge(e->check, q0, v, e->tol);
  e->groups += found.groups;
  if (found.edge == HIK_EDGE_FREE) return true;
  if (found.edge == HIK_EDGE_HIT && e->witness) { /* kept for the report */
    for (int32_t k = 0; k < nv; k++) part[k] = v[k] * found.witness;
    hik_integrate(e->model, 1, q0, part, e->witness + (size_t)(e->witnesses++ % HIK_WITNESSES) * (size_t)nq);
  }
  return false;
}

uint32_t hik_edges_clear(hik_edges *e, const double *q, int32_t count) {
  size_t nq = (size_t)e->model->nq;
  hik_check_place(e->check, q, count);
  hik_touched found = hik_check_touch(e->check, NULL, false);
  e->groups++;
  for (uint32_t left = e->witness ? found.hit : 0; left; left &= left - 1) {
    size_t l = 0;
    while (!(left >> l & 1)) l++;
    memcpy(e->witness + (size_t)(e->witnesses++ % HIK_WITNESSES) * nq, q + l * nq, nq * sizeof *q);
  }
  return found.free & ((1u << count) - 1);
}

bool hik_edges_free(hik_edges *e, const double *q0, const double *q1) {
  hik_difference(e->model, 1, q0, q1, e->room);
  return hik_edges_proved(e, q0, e->room);
}

double hik_edges_march(hik_edges *e, const double *q0, const double *v, double tol, double least) {
  int32_t nv = e->model->nv;
  double share = inside_cones(e, q0, v, false), *part = e->room + 2 * nv;
  if (!(share > 0)) return 0;
  for (int32_t k = 0; k < nv; k++) part[k] = share * v[k];
  hik_march found = hik_check_march(e->check, q0, part, tol, least / share);
  e->groups += found.groups;
  return share * found.proved;
}
