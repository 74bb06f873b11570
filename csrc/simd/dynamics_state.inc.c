/* dynamics_state.inc.c: sums over the bodies: centre of mass, momentum, energies. */
#include "simd/dynamics_lanes.h"

typedef struct carried {
  lane r[9], o[3];     /* the moved frame in the world */
  lane w[3], v[3];     /* velocity of the moved frame, in its own axes */
  lane mass, first[3]; /* of all that the step carries: mass, first moment about the world's origin */
} carried;

typedef struct sums {
  lane center[3], linear[3], angular[3], kinetic, potential;
} sums;

HIK_INLINE void carry(const hik_model *m, int32_t s, const lane *q, const lane *v, const carried *above,
                      carried *at) {
  lane r[9], p[3], x[3];
  step_place(m, s, q, r, p);
  if (above) {
    lane_times(above->r, r, at->r);
    lane_rotate(above->r, p, at->o);
    for (int i = 0; i < 3; i++) at->o[i] += above->o[i], x[i] = above->v[i];
    lane_add_cross(above->w, p, x);
    lane_rotate_back(r, x, at->v);
    lane_rotate_back(r, above->w, at->w);
  } else {
    memcpy(at->r, r, sizeof r);
    for (int i = 0; i < 3; i++) at->o[i] = p[i], at->v[i] = at->w[i] = lane_all(0);
  }
  if (m->step_kind[s] == HIK_TURN)
    at->w[2] += step_rate(m, s, v, 0);
  else if (m->step_kind[s] == HIK_SLIDE)
    at->v[2] += step_rate(m, s, v, 0);
  else
    for (int i = 0; i < 3; i++) at->w[i] += v[m->step_v[s] + i];
}

/* Adds the body of a step to the sums (angular momentum about the world's origin). */
HIK_INLINE void weigh(const double *b, const double gravity[3], carried *at, sums *sum) {
  const double *h = b + 1, *S = b + 4;
  const lane *w = at->w, *v = at->v;
  lane f[3], n[3], F[3], N[3], arm[3] = {lane_all(h[0]), lane_all(h[1]), lane_all(h[2])};
  for (int i = 0; i < 3; i++) f[i] = b[0] * v[i];
  lane_add_cross(w, arm, f);
  lane_arm_cross(h, v, n);
  n[0] += (S[3] + S[5]) * w[0] - S[1] * w[1] - S[2] * w[2];
  n[1] += (S[0] + S[5]) * w[1] - S[1] * w[0] - S[4] * w[2];
  n[2] += (S[0] + S[3]) * w[2] - S[2] * w[0] - S[4] * w[1];
  for (int i = 0; i < 3; i++) sum->kinetic += 0.5 * (f[i] * v[i] + n[i] * w[i]);
  lane_rotate(at->r, f, F);
  lane_rotate(at->r, n, N);
  lane_add_cross(at->o, F, N);
  lane_rotate(at->r, arm, at->first);
  at->mass = lane_all(b[0]);
  for (int i = 0; i < 3; i++) {
    at->first[i] += b[0] * at->o[i];
    sum->center[i] += at->first[i], sum->linear[i] += F[i], sum->angular[i] += N[i];
    sum->potential -= gravity[i] * at->first[i];
  }
}

/* Columns of one step, jacobian [3][nv], divided by the whole mass. */
HIK_INLINE void center_columns(const hik_model *m, int32_t s, const carried *at, const lane *mass,
                               lane *jacobian) {
  size_t nv = (size_t)m->nv;
  int32_t kind = m->step_kind[s];
  lane arm[3];
  for (int i = 0; i < 3; i++) arm[i] = (at->first[i] - at->mass * at->o[i]) / *mass;
  for (int k = 0; k < step_freedom(kind); k++) {
    int column = kind == HIK_BALL_STEP ? k : 2;
    double scale = kind == HIK_BALL_STEP ? 1 : m->step_line[2 * (size_t)s];
    lane axis[3] = {at->r[column], at->r[3 + column], at->r[6 + column]}, x[3];
    for (int i = 0; i < 3; i++) x[i] = kind == HIK_SLIDE ? axis[i] * (at->mass / *mass) : lane_all(0);
    if (kind != HIK_SLIDE) lane_add_cross(axis, arm, x);
    for (size_t i = 0; i < 3; i++) jacobian[i * nv + (size_t)(m->step_v[s] + k)] += scale * x[i];
  }
}

static void center_jacobian(const hik_model *m, carried *node, const lane *mass, lane *jacobian) {
  for (size_t j = 0; j < 3 * (size_t)m->nv; j++) jacobian[j] = lane_all(0);
  for (int32_t s = m->n_step - 1; s >= 0; s--) {
    center_columns(m, s, node + s, mass, jacobian);
    if (m->step_parent[s] < 0) continue;
    carried *above = node + m->step_parent[s];
    above->mass += node[s].mass;
    for (int i = 0; i < 3; i++) above->first[i] += node[s].first[i];
  }
}

static void dynamics_state(const hik_weighed *c, int64_t n, const double *q, const double *v,
                           const hik_mass_out *out) {
  const hik_model *m = c->model;
  lane *lq = c->lanes, *lv = lq + m->nq, *jacobian = lv + m->nv;
  carried *node = (carried *)(void *)(jacobian + 3 * (size_t)m->nv);
  double whole = 0;
  for (int32_t s = 0; s < m->n_step; s++) whole += c->body[10 * (size_t)s];
  lane mass = lane_all(whole);
  for (int64_t first = 0; first < n; first += LANES) {
    sums sum;
    lane momentum[6];
    for (int i = 0; i < 3; i++) sum.center[i] = sum.linear[i] = sum.angular[i] = lane_all(0);
    sum.kinetic = sum.potential = lane_all(0);
    lane_load(q, m->nq, first, n, lq);
    lane_load(v, m->nv, first, n, lv);
    for (int32_t s = 0; s < m->n_step; s++) {
      carry(m, s, lq, lv, m->step_parent[s] < 0 ? NULL : node + m->step_parent[s], node + s);
      weigh(c->body + 10 * (size_t)s, c->gravity, node + s, &sum);
      if (c->motor)
        for (int k = 0; k < step_freedom(m->step_kind[s]); k++) {
          lane rate = step_rate(m, s, lv, k);
          sum.kinetic += 0.5 * c->motor[3 * (size_t)s] * rate * rate;
        }
    }
    for (int i = 0; i < 3; i++)
      sum.center[i] /= mass, momentum[i] = sum.linear[i], momentum[3 + i] = -sum.angular[i];
    lane_add_cross(sum.center, sum.linear, momentum + 3);
    for (int i = 3; i < 6; i++) momentum[i] = -momentum[i]; /* about the centre of mass */
    lane_store(sum.center, 3, first, n, out->center);
    lane_store(momentum, 6, first, n, out->momentum);
    lane_store(&sum.kinetic, 1, first, n, out->kinetic);
    lane_store(&sum.potential, 1, first, n, out->potential);
    if (out->center_jacobian) {
      center_jacobian(m, node, &mass, jacobian);
      lane_store(jacobian, 3 * (size_t)m->nv, first, n, out->center_jacobian);
    }
  }
}
