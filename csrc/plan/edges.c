/* edges.c: see edges.h. */
#include "plan/edges.h"

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

double hik_edges_turn(const hik_model *m, const double *v) {
  double most = 0;
  for (int32_t s = 0; s < m->n_step; s++)
    if (m->step_kind[s] == HIK_BALL_STEP && m->step_swing[s] >= 0)
      most = fmax(most, hik_edges_norm(v + m->step_v[s], 3));
  return most;
}

/* The share of the edge inside the limits of balls, which are no box: an edge between two postures inside may leave them. */
static double inside_cones(hik_edges *e, const double *q0, const double *v) {
  const hik_model *m = e->model;
  double *part = e->room + 2 * m->nv, *q = e->room + 4 * m->nv;
  if (m->n_swing == 0) return 1;
  double pieces = hik_edges_turn(m, v) / 0.02;
  int32_t count = pieces < 1 ? 1 : pieces < 100000 ? (int32_t)pieces + 1 : 100000;
  e->groups += count / 4; /* a look at a cone is dearer than a lane of a group */
  for (int32_t i = 1; i <= count; i++) {
    for (int32_t k = 0; k < m->nv; k++) part[k] = v[k] * i / count;
    hik_integrate(m, 1, q0, part, q);
    if (!hik_inside(m, q, 1e-9)) return (double)(i - 1) / count;
  }
  return 1;
}

bool hik_edges_proved(hik_edges *e, const double *q0, const double *v) {
  int32_t nv = e->model->nv, nq = e->model->nq;
  double *part = e->room + 2 * nv;
  if (inside_cones(e, q0, v) < 1) return false;
  hik_edge_proof found = hik_check_edge(e->check, q0, v, e->tol);
  e->groups += found.groups;
  if (found.edge == HIK_EDGE_FREE) return true;
  if (found.edge == HIK_EDGE_HIT && e->witness) { /* kept for the report */
    for (int32_t k = 0; k < nv; k++) part[k] = v[k] * found.witness;
    hik_integrate(e->model, 1, q0, part, e->witness + (size_t)(e->witnesses++ % HIK_WITNESSES) * (size_t)nq);
  }
  return false;
}

bool hik_edges_free(hik_edges *e, const double *q0, const double *q1) {
  hik_difference(e->model, 1, q0, q1, e->room);
  return hik_edges_proved(e, q0, e->room);
}

double hik_edges_march(hik_edges *e, const double *q0, const double *v, double tol, double least) {
  int32_t nv = e->model->nv;
  double share = inside_cones(e, q0, v), *part = e->room + 2 * nv;
  if (!(share > 0)) return 0;
  for (int32_t k = 0; k < nv; k++) part[k] = share * v[k];
  hik_march found = hik_check_march(e->check, q0, part, tol, least / share);
  e->groups += found.groups;
  return share * found.proved;
}
