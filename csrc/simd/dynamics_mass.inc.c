/* dynamics_mass.inc.c: mass matrix: composite bodies. */
#pragma once
#include "simd/dynamics_lanes.h"

typedef struct composite {
  lane r[9], p[3];
  lane mass, h[3], S[6];
} composite;

static const int full[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5}; /* where an entry of S is among the six */

HIK_INLINE void take_body(const double *body, composite *at) {
  at->mass = lane_all(body[0]);
  lane_spread(body + 1, 3, at->h);
  lane_spread(body + 4, 6, at->S);
}

/* Adds the composite of a step to that above: r' = R r + p. */
HIK_INLINE void add_composite(const composite *at, composite *above) {
  lane Rh[3], RS[9];
  const lane *r = at->r, *p = at->p, *S = at->S;
  lane_rotate(r, at->h, Rh);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      RS[3 * i + j] = r[3 * i] * S[full[j]] + r[3 * i + 1] * S[full[3 + j]] + r[3 * i + 2] * S[full[6 + j]];
  for (int i = 0, k = 0; i < 3; i++)
    for (int j = i; j < 3; j++, k++)
      above->S[k] += lane_dot(RS + 3 * i, r + 3 * j) + (Rh[i] * p[j] + p[i] * Rh[j]) + at->mass * p[i] * p[j];
  for (int i = 0; i < 3; i++) above->h[i] += Rh[i] + at->mass * p[i];
  above->mass += at->mass;
}

/* Force and moment that give the composite a unit acceleration along coordinate `axis` of the six. */
HIK_INLINE void composite_force(const composite *at, int axis, lane *f, lane *n) {
  const lane *h = at->h, *S = at->S, zero = lane_all(0);
  if (axis == 2) {
    f[0] = f[1] = zero, f[2] = at->mass;
    n[0] = h[1], n[1] = -h[0], n[2] = zero;
    return;
  }
  int k = axis - 3, i = k < 2 ? k + 1 : 0, j = k > 0 ? k - 1 : 2; /* k i j: 0 1 2, or that turned on */
  f[k] = zero, f[i] = -h[j], f[j] = h[i];
  n[k] = S[full[4 * i]] + S[full[4 * j]], n[i] = -S[full[3 * k + i]], n[j] = -S[full[3 * k + j]];
}

/* Where a mass matrix goes: lanes, or, when `lanes` is NULL, straight to the rows of `count` problems. Steps that
   share a coordinate sum up; without such, each entry comes once, and those that never come stay as they are. */
typedef struct square {
  lane *lanes;
  double *rows;
  size_t entries;
  int count;
  bool sums;
} square;

HIK_INLINE void square_add(const square *M, size_t entry, const lane *x) {
  if (M->lanes) {
    M->lanes[entry] = M->sums ? M->lanes[entry] + *x : *x;
    return;
  }
  const double *value = (const double *)x;
  for (int i = 0; i < M->count; i++) M->rows[entry + (size_t)i * M->entries] += value[i];
}

/* An entry and its mirror image; on the diagonal of a step, once and with its rotor. A mimic of its own ancestor comes
   upon the diagonal twice. */
HIK_INLINE void mass_entry(const square *M, size_t nv, size_t row, size_t column, bool own, lane x,
                           double rotor) {
  if (own) x += rotor;
  square_add(M, row * nv + column, &x);
  if (!own) square_add(M, column * nv + row, &x);
}

/* Column of coordinate k of step s: carries its unit force up the tree. */
static void mass_column(const hik_weighed *c, int32_t s, int k, const composite *node, const square *M) {
  const hik_model *m = c->model;
  size_t nv = (size_t)m->nv, column = (size_t)(m->step_v[s] + k);
  int32_t kind = m->step_kind[s], t = s;
  double scale = kind == HIK_BALL_STEP ? 1 : m->step_line[2 * (size_t)s];
  lane f[6], up[6];
  double rotor = c->motor ? scale * scale * c->motor[3 * (size_t)s] : 0;
  composite_force(node + s, step_axis(kind) + k, f, f + 3);
  for (;;) {
    int32_t at = m->step_kind[t];
    double other = scale * (at == HIK_BALL_STEP ? 1 : m->step_line[2 * (size_t)t]);
    size_t row = (size_t)m->step_v[t];
    if (at == HIK_BALL_STEP) {
      /* the other half of a ball's own block comes by symmetry */
      for (int j = 0; j < (t == s ? k + 1 : 3); j++)
        mass_entry(M, nv, row + (size_t)j, column, t == s && j == k, f[3 + j] * other, rotor);
    } else {
      lane felt = at == HIK_TURN ? f[5] : f[2];
      mass_entry(M, nv, row, column, t == s, felt * other, rotor);
    }
    int32_t above = m->step_parent[t];
    if (above < 0) return;
    wrench_above(node[t].r, node[t].p, f, up);
    for (int j = 0; j < 6; j++) f[j] = up[j];
    t = above;
  }
}

/* M must be zero where the entries are summed. */
static void mass_block(const hik_weighed *c, const lane *q, composite *node, const square *M) {
  const hik_model *m = c->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    step_place(m, s, q, node[s].r, node[s].p);
    take_body(c->body + 10 * (size_t)s, node + s);
  }
  for (int32_t s = m->n_step - 1; s >= 0; s--) {
    if (m->step_parent[s] >= 0) add_composite(node + s, node + m->step_parent[s]);
    for (int k = 0; k < step_freedom(m->step_kind[s]); k++) mass_column(c, s, k, node, M);
  }
}

/* Small matrices are summed in lanes and then dealt out; large ones go straight to their rows. */
static void dynamics_mass(const hik_weighed *c, int64_t n, const double *q, double *out) {
  const hik_model *m = c->model;
  size_t entries = (size_t)m->nv * (size_t)m->nv;
  bool small = m->nv <= HIK_DYNAMICS_SMALL, mimic = hik_has_mimic(m);
  lane *lq = c->lanes, *lM = lq + m->nq;
  composite *node = (composite *)(void *)(lM + (small ? entries : 0));
  if (!small) memset(out, 0, entries * (size_t)n * sizeof *out);
  if (small) memset(lM, 0, entries * sizeof *lM); /* entries of separate branches stay zero */
  for (int64_t first = 0; first < n; first += LANES) {
    square M = {small ? lM : NULL, out + entries * (size_t)first, entries,
                n - first < LANES ? (int)(n - first) : LANES, mimic};
    lane_load(q, m->nq, first, n, lq);
    if (small && mimic && first) memset(lM, 0, entries * sizeof *lM);
    mass_block(c, lq, node, &M);
    if (small) lane_store(lM, entries, first, n, out);
  }
}
