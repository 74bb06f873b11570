/* spread.c: see spread.h. */
#include "model/spread.h"

hik_model hik_spread_model(const hik_model *m) {
  hik_model out = *m;
  out.step_q = m->spread_q, out.step_v = m->spread_v, out.step_line = m->spread_line;
  out.nq = m->nq + m->n_follow, out.nv = m->nv + m->n_follow, out.n_follow = 0;
  return out;
}

void hik_spread_q(const hik_model *m, const double *q, double *Q) {
  memcpy(Q, q, (size_t)m->nq * sizeof *Q);
  for (int32_t s = 0; s < m->n_step; s++)
    if (hik_step_follows(m, s)) Q[m->spread_q[s]] = hik_step_value(m, s, q);
}

void hik_spread_rates(const hik_model *m, const double *q, const double *v, const double *a, double *rates,
                      double *V, double *A) {
  for (int32_t k = 0; k < m->nv; k++) V[k] = v ? v[k] : 0, A[k] = a ? a[k] : 0;
  for (int32_t s = 0; s < m->n_step; s++) {
    const double *row = hik_step_follows(m, s), *ball = q + m->step_q[s];
    if (!row) continue;
    double *rate = rates + 3 * (size_t)m->step_follow[s];
    hik_follow_rates(row, ball, rate);
    V[m->spread_v[s]] = hik_dot(rate, V + m->step_v[s]);
    A[m->spread_v[s]] = hik_dot(rate, A + m->step_v[s]) + hik_follow_bend(row, ball, V + m->step_v[s]);
  }
}

void hik_gather(const hik_model *m, const double *rates, const double *x, size_t stride, double *out,
                size_t out_stride) {
  for (size_t k = 0; k < (size_t)m->nv; k++) out[k * out_stride] += x[k * stride];
  for (int32_t s = 0; s < m->n_step; s++) {
    if (!hik_step_follows(m, s)) continue;
    const double *rate = rates + 3 * (size_t)m->step_follow[s];
    for (size_t k = 0; k < 3; k++)
      out[((size_t)m->step_v[s] + k) * out_stride] += rate[k] * x[(size_t)m->spread_v[s] * stride];
  }
}
