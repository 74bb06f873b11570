/* dynamics_inverse.inc.c: inverse dynamics: recursive Newton-Euler. */
#pragma once
#include "simd/dynamics_lanes.h"

typedef struct moving {
  lane r[9], p[3]; /* the moved frame in the one above */
  lane w[3], alpha[3],
      a[3]; /* of the moved frame: angular velocity, its derivative, acceleration of the origin */
  lane A[9];
  lane wrench[6]; /* on the step by what is above it, about its origin */
} moving;

/* Velocity and acceleration of a step from those of the one above (node[0] is the world). */
HIK_INLINE void move_on(const hik_model *m, int32_t s, const lane *v, const lane *acc, const moving *above,
                        moving *at) {
  lane x[3], *w = at->w, *alpha = at->alpha, *a = at->a;
  lane_rotate_back(at->r, above->w, w);
  lane_rotate_back(at->r, above->alpha, alpha);
  lane_rotate(above->A, at->p, x);
  for (int i = 0; i < 3; i++) x[i] += above->a[i];
  lane_rotate_back(at->r, x, a);
  if (m->step_kind[s] == HIK_TURN) {
    lane rate = step_rate(m, s, v, 0);
    alpha[0] += w[1] * rate, alpha[1] -= w[0] * rate, alpha[2] += step_rate(m, s, acc, 0);
    w[2] += rate;
  } else if (m->step_kind[s] == HIK_SLIDE) {
    lane twice = 2 * step_rate(m, s, v, 0);
    a[0] += w[1] * twice, a[1] -= w[0] * twice, a[2] += step_rate(m, s, acc, 0);
  } else {
    const lane *rate = v + m->step_v[s], *gain = acc + m->step_v[s];
    lane_add_cross(w, rate, alpha);
    for (int i = 0; i < 3; i++) alpha[i] += gain[i], w[i] += rate[i];
  }
  point_field(w, alpha, at->A);
}

/* Hands the force of a step to its coordinates and to the step above. */
HIK_INLINE void feel(const hik_weighed *c, int32_t s, const lane *v, const lane *acc, moving *node,
                     lane *tau) {
  const hik_model *m = c->model;
  moving *at = node + s + 1, *above = node + m->step_parent[s] + 1;
  int32_t kind = m->step_kind[s];
  for (int k = 0; k < step_freedom(kind); k++) {
    lane felt = at->wrench[step_axis(kind) + k];
    if (c->motor) {
      const double *motor = c->motor + 3 * (size_t)s;
      lane rate = step_rate(m, s, v, k);
      felt += motor[0] * step_rate(m, s, acc, k) + motor_friction(motor, c->coulomb_width, &rate);
    }
    if (kind == HIK_BALL_STEP)
      tau[m->step_v[s] + k] += felt;
    else
      tau[m->step_v[s]] += m->step_line[2 * (size_t)s] * felt;
  }
  if (m->step_parent[s] < 0) return;
  lane up[6];
  wrench_above(at->r, at->p, at->wrench, up);
  for (int i = 0; i < 6; i++) above->wrench[i] += up[i];
}

static void inverse_block(const hik_weighed *c, int64_t first, int64_t n, const lane *q, const lane *v,
                          const lane *acc, moving *node, lane *world, lane *tau) {
  const hik_model *m = c->model;
  for (int i = 0; i < 9; i++) node->A[i] = lane_all(0);
  for (int i = 0; i < 3; i++)
    node->w[i] = node->alpha[i] = lane_all(0), node->a[i] = lane_all(-c->gravity[i]);
  for (int32_t s = 0; s < m->n_step; s++) {
    moving *at = node + s + 1;
    const double *body = c->body + 10 * (size_t)s;
    step_place(m, s, q, at->r, at->p);
    move_on(m, s, v, acc, node + m->step_parent[s] + 1, at);
    if (body_empty(body))
      for (int i = 0; i < 6; i++) at->wrench[i] = lane_all(0);
    else
      body_force(body, at->A, at->a, at->wrench, at->wrench + 3);
  }
  if (c->n_push) take_pushes(c, node[1].r, node[1].wrench, sizeof *node / sizeof(lane), world, first, n);
  for (int32_t j = 0; j < m->nv; j++) tau[j] = lane_all(0);
  for (int32_t s = m->n_step - 1; s >= 0; s--) feel(c, s, v, acc, node, tau);
}

static void dynamics_inverse(const hik_weighed *c, int64_t n, const double *q, const double *v,
                             const double *a, double *tau) {
  const hik_model *m = c->model;
  lane *lq = c->lanes, *lv = lq + m->nq, *la = lv + m->nv, *lt = la + m->nv, *world = lt + m->nv;
  moving *node = (moving *)(void *)(world + 9 * (size_t)m->n_step);
  for (int64_t first = 0; first < n; first += LANES) {
    lane_load(q, m->nq, first, n, lq);
    lane_load(v, m->nv, first, n, lv);
    lane_load(a, m->nv, first, n, la);
    inverse_block(c, first, n, lq, lv, la, node, world, lt);
    lane_store(lt, (size_t)m->nv, first, n, tau);
  }
}
