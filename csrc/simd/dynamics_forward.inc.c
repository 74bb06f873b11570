/* dynamics_forward.inc.c: forward dynamics: articulated bodies. */
#include "simd/dynamics_inverse.inc.c"

#include "simd/dynamics_mass.inc.c"

enum { PACKED = 21 }; /* lower triangle of a symmetric 6 x 6, rows first */
HIK_INLINE int packed(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }

typedef struct articulated {
  lane r[9], p[3], w[3];
  lane gain[6];             /* acceleration against the one above when the coordinates keep their rates */
  lane I[PACKED], force[6]; /* wrench = I acceleration + force: force above moment */
  lane U[3][6], inverse[3], rest[3];
  lane a[6];
} articulated;

/* Takes coordinate `axis` of the six out of the body: what is left is what the step above feels. */
HIK_INLINE void eliminate(articulated *at, int axis, int k, const lane *drive, double rotor) {
  lane *U = at->U[k], inverse, share[6];
  for (int i = 0; i < 6; i++) U[i] = at->I[packed(i, axis)];
  inverse = 1 / (U[axis] + rotor);
  at->inverse[k] = inverse;
  at->rest[k] = *drive - at->force[axis];
  lane pull = at->rest[k] * inverse;
  for (int i = 0; i < 6; i++) share[i] = U[i] * inverse, at->force[i] += U[i] * pull;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) at->I[packed(i, j)] -= U[i] * share[j];
}

/* The block of the body's 6 x 6 from (row, column) on, turned into the axes above: R X transpose(R), 3x3 full. */
HIK_INLINE void turn_part(const articulated *at, int row, int column, lane *out) {
  lane x[9], t[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) x[3 * i + j] = at->I[packed(row + i, column + j)];
  lane_times(at->r, x, t);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] = lane_dot(t + 3 * i, at->r + 3 * j);
}

/* out += [p]x X, 3x3 full */
HIK_INLINE void add_cross_block(const lane *p, const lane *x, lane *out) {
  for (int j = 0; j < 3; j++) {
    out[j] += p[1] * x[6 + j] - p[2] * x[3 + j];
    out[3 + j] += p[2] * x[j] - p[0] * x[6 + j];
    out[6 + j] += p[0] * x[3 + j] - p[1] * x[j];
  }
}

/* Adds the articulated body of a step to that above. With a = a' + alpha x p and n' = n + p x f the blocks of
   (f, n) = (M a + H alpha, H^T a + J alpha) become M, H' = H - M [p]x, J' = J + [p]x H - H'^T [p]x. */
HIK_INLINE void add_articulated(const articulated *at, articulated *above) {
  lane M[9], H[9], J[9], Ht[9];
  turn_part(at, 0, 0, M);
  turn_part(at, 0, 3, H);
  turn_part(at, 3, 3, J);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Ht[3 * i + j] = H[3 * j + i];
  add_cross_block(at->p, H, J);
  add_cross_block(at->p, M, Ht); /* H'^T = H^T + [p]x M, as M is symmetric */
  for (int i = 0; i < 3; i++) {  /* - H'^T [p]x: its rows crossed with p */
    lane crossed[3];
    lane_cross(Ht + 3 * i, at->p, crossed);
    for (int j = 0; j < 3; j++) J[3 * i + j] -= crossed[j];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      if (j <= i) above->I[packed(i, j)] += M[3 * i + j], above->I[packed(3 + i, 3 + j)] += J[3 * i + j];
      above->I[packed(3 + i, j)] += Ht[3 * i + j];
    }
}

HIK_INLINE void add_articulated_force(const articulated *at, articulated *above) {
  lane w[6], up[6];
  for (int i = 0; i < 6; i++) {
    w[i] = at->force[i];
    for (int j = 0; j < 6; j++) w[i] += at->I[packed(i, j)] * at->gain[j];
  }
  wrench_above(at->r, at->p, w, up);
  for (int i = 0; i < 6; i++) above->force[i] += up[i];
}

/* Velocity of a step, the acceleration its rates alone cause, and the body's own inertia and force. */
HIK_INLINE void ready_articulated(const hik_weighed *c, int32_t s, const lane *v, const articulated *above,
                                  articulated *at) {
  const hik_model *m = c->model;
  const double *b = c->body + 10 * (size_t)s;
  composite own;
  lane zero = lane_all(0), A[9], x[3], none[3] = {zero, zero, zero};
  for (int i = 0; i < 3; i++) at->w[i] = zero, at->gain[i] = at->gain[3 + i] = zero;
  if (above) {
    lane_rotate_back(at->r, above->w, at->w);
    point_field(above->w, none, A);
    lane_rotate(A, at->p, x);
    lane_rotate_back(at->r, x, at->gain);
  }
  if (m->step_kind[s] == HIK_SLIDE) {
    lane twice = 2 * step_rate(m, s, v, 0);
    at->gain[0] += at->w[1] * twice, at->gain[1] -= at->w[0] * twice;
  } else {
    lane rate[3] = {zero, zero, zero};
    if (m->step_kind[s] == HIK_TURN)
      rate[2] = step_rate(m, s, v, 0);
    else
      for (int i = 0; i < 3; i++) rate[i] = v[m->step_v[s] + i];
    lane_add_cross(at->w, rate, at->gain + 3);
    for (int i = 0; i < 3; i++) at->w[i] += rate[i];
  }
  point_field(at->w, none, A);
  body_force(b, A, none, at->force, at->force + 3);
  for (int i = 0; i < PACKED; i++) at->I[i] = zero;
  take_body(b, &own);
  for (int k = 0; k < 3; k++) {
    lane force[6];
    at->I[packed(k, k)] = own.mass;
    composite_force(&own, 3 + k, force, force + 3);
    for (int i = 0; i <= 3 + k; i++) at->I[packed(3 + k, i)] = force[i];
  }
}

/* Accelerations of a step's coordinates from the acceleration of the step above. */
HIK_INLINE void fall_on(const hik_weighed *c, int32_t s, const lane *above, articulated *at, lane *out) {
  const hik_model *m = c->model;
  lane x[3] = {above[0], above[1], above[2]};
  int axis = step_axis(m->step_kind[s]);
  lane_add_cross(above + 3, at->p, x);
  lane_rotate_back(at->r, x, at->a);
  lane_rotate_back(at->r, above + 3, at->a + 3);
  for (int i = 0; i < 6; i++) at->a[i] += at->gain[i];
  for (int k = step_freedom(m->step_kind[s]) - 1; k >= 0; k--) {
    lane sum = at->rest[k];
    for (int i = 0; i < 6; i++) sum -= at->U[k][i] * at->a[i];
    sum *= at->inverse[k];
    at->a[axis + k] += sum;
    out[m->step_v[s] + k] = sum;
  }
}

static void forward_block(const hik_weighed *c, int64_t first, int64_t n, const lane *q, const lane *v,
                          const lane *tau, articulated *node, lane *world, lane *out) {
  const hik_model *m = c->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    step_place(m, s, q, node[s].r, node[s].p);
    ready_articulated(c, s, v, m->step_parent[s] < 0 ? NULL : node + m->step_parent[s], node + s);
  }
  if (c->n_push) take_pushes(c, node->r, node->force, sizeof *node / sizeof(lane), world, first, n);
  for (int32_t s = m->n_step - 1; s >= 0; s--) {
    int axis = step_axis(m->step_kind[s]);
    for (int k = 0; k < step_freedom(m->step_kind[s]); k++) {
      lane drive = tau[m->step_v[s] + k], rate = v[m->step_v[s] + k];
      if (c->motor) drive -= motor_friction(c->motor + 3 * (size_t)s, c->coulomb_width, &rate);
      eliminate(node + s, axis + k, k, &drive, c->motor ? c->motor[3 * (size_t)s] : 0);
    }
    if (m->step_parent[s] < 0) continue;
    add_articulated(node + s, node + m->step_parent[s]);
    add_articulated_force(node + s, node + m->step_parent[s]);
  }
  lane ground[6];
  for (int i = 0; i < 3; i++) ground[i] = lane_all(-c->gravity[i]), ground[3 + i] = lane_all(0);
  for (int32_t s = 0; s < m->n_step; s++)
    fall_on(c, s, m->step_parent[s] < 0 ? ground : node[m->step_parent[s]].a, node + s, out);
}

/* With mimic joints the steps do not move one by one: M a = tau - bias by Cholesky (L D L^T, in place). */
static void solve_mass(size_t nv, lane *M, lane *x) {
  for (size_t j = 0; j < nv; j++) {
    for (size_t k = 0; k < j; k++) {
      lane l = M[j * nv + k] * M[k * nv + k];
      M[k * nv + j] = l; /* L D, kept in the upper half */
    }
    for (size_t k = 0; k < j; k++) M[j * nv + j] -= M[j * nv + k] * M[k * nv + j];
    for (size_t i = j + 1; i < nv; i++) {
      for (size_t k = 0; k < j; k++) M[i * nv + j] -= M[i * nv + k] * M[k * nv + j];
      M[i * nv + j] /= M[j * nv + j];
    }
  }
  for (size_t i = 0; i < nv; i++)
    for (size_t k = 0; k < i; k++) x[i] -= M[i * nv + k] * x[k];
  for (size_t i = 0; i < nv; i++) x[i] /= M[i * nv + i];
  for (size_t i = nv; i-- > 0;)
    for (size_t k = i + 1; k < nv; k++) x[i] -= M[k * nv + i] * x[k];
}

static void dynamics_forward(const hik_weighed *c, int64_t n, const double *q, const double *v,
                             const double *tau, double *a) {
  const hik_model *m = c->model;
  size_t nv = (size_t)m->nv;
  bool mimic = hik_has_mimic(m);
  lane *lq = c->lanes, *lv = lq + m->nq, *lt = lv + nv, *la = lt + nv, *zero = la + nv, *world = zero + nv;
  lane *M = world + 9 * (size_t)m->n_step;
  void *node = M + (mimic ? nv * nv : 0);
  for (int64_t first = 0; first < n; first += LANES) {
    lane_load(q, m->nq, first, n, lq);
    lane_load(v, m->nv, first, n, lv);
    lane_load(tau, m->nv, first, n, lt);
    if (mimic) {
      lane_load(NULL, m->nv, first, n, zero);
      inverse_block(c, first, n, lq, lv, zero, node, world, la);
      for (size_t i = 0; i < nv; i++) la[i] = lt[i] - la[i];
      square block = {M, NULL, nv * nv, LANES, true};
      memset(M, 0, nv * nv * sizeof *M);
      mass_block(c, lq, node, &block);
      solve_mass(nv, M, la);
    } else {
      forward_block(c, first, n, lq, lv, lt, node, world, la);
    }
    lane_store(la, nv, first, n, a);
  }
}
