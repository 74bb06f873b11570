/* route_figures.h: edges of a staged figure, and a look at a route that trusts no proof. */
#pragma once
#include "plan/connect.h"
#include "scene_figures.h"

static inline hik_edges edges_on(const staged *s, int64_t budget) {
  size_t room = 4 * ((size_t)s->model->nq + (size_t)s->model->nv);
  return (hik_edges){.model = s->model,
                     .check = s->check,
                     .tol = 2e-3,
                     .reach = 1.5,
                     .budget = budget,
                     .room = hik_allocate(room * sizeof(double))};
}

/* A free posture of its own for each number. */
static inline void free_posture(const staged *s, uint64_t number, double *q) {
  for (uint64_t k = 0;; k++) {
    hik_random_q(s->model, 1000 + number, k, q);
    hik_check_place(s->check, q, 1);
    if (hik_check_touch(s->check, NULL, false).free & 1) return;
  }
}

/* Points of every edge in contact or outside the limits. */
static inline int32_t bad_points(const staged *s, const hik_route *r) {
  int32_t bad = 0;
  size_t nq = (size_t)s->model->nq;
  double v[FIGURE_NQ], part[FIGURE_NQ], q[FIGURE_NQ];
  for (int32_t i = 0; i + 1 < r->count; i++) {
    hik_difference(s->model, 1, r->q + (size_t)i * nq, r->q + ((size_t)i + 1) * nq, v);
    for (int32_t k = 0; k <= 200; k++) {
      for (int32_t j = 0; j < s->model->nv; j++) part[j] = v[j] * k / 200;
      hik_integrate(s->model, 1, r->q + (size_t)i * nq, part, q);
      hik_check_place(s->check, q, 1);
      bad += !(hik_check_touch(s->check, NULL, false).free & 1) || !hik_inside(s->model, q, 1e-3);
    }
  }
  return bad;
}
