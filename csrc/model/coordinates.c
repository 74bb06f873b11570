/* coordinates.c: q itself: into the limits, inside them or not, drawn at random. */
#include "base/quat.h"
#include "base/rng.h"
#include "model/model.h"

void hik_clamp(const hik_model *m, int64_t n, double *q) {
  for (int64_t i = 0; i < n; i++, q += m->nq)
    for (int32_t s = 0; s < m->n_step; s++) {
      int32_t k = m->step_q[s];
      const hik_swing *cone = hik_step_cone(m, s);
      if (m->step_kind[s] == HIK_BALL_STEP) hik_quat_make_unit(q + k);
      if (cone)
        hik_swing_clamp_quat(cone, q + k);
      else if (m->step_kind[s] != HIK_BALL_STEP)
        q[k] = hik_clip(q[k], m->lower[k], m->upper[k]);
    }
}

bool hik_inside(const hik_model *m, const double *q, double slack) {
  for (int32_t s = 0; s < m->n_step; s++) {
    int32_t k = m->step_q[s];
    const double *b = q + k;
    if (m->step_kind[s] != HIK_BALL_STEP) {
      if (!(*b >= m->lower[k] - slack && *b <= m->upper[k] + slack)) return false;
      continue;
    }
    if (!(fabs(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3] - 1) <= 1e-9)) return false;
    const hik_swing *cone = hik_step_cone(m, s);
    double x[3];
    if (!cone) continue;
    if (cone->held) {
      double turn[4];
      hik_quat_cmul(cone->hold, b, turn);
      if (!(2 * sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]) <= slack + 1e-14))
        return false;
      continue;
    }
    hik_swing_split(cone, b, x);
    if (!hik_swing_within(x, hik_swing_excess(cone, x), slack)) return false;
  }
  return true;
}

void hik_random_step(const hik_model *m, int32_t s, hik_rng *rng, double *q) {
  size_t i = (size_t)m->step_q[s];
  if (m->step_kind[s] == HIK_BALL_STEP) {
    const hik_swing *cone = hik_step_cone(m, s);
    if (cone)
      hik_swing_random(cone, rng, q + i);
    else
      hik_rng_rotation(rng, q + i);
    return;
  }
  double u = hik_rng_uniform(rng);
  if (m->joint_mimic[m->step_joint[s]] >= 0) return;
  double wide = m->step_kind[s] == HIK_TURN ? HIK_PI : m->reach > 0 ? m->reach : 1;
  double lo = m->lower[i], hi = m->upper[i];
  if (lo == -INFINITY) lo = hi == INFINITY ? -wide : hi - 2 * wide;
  if (hi == INFINITY) hi = lo + 2 * wide;
  q[i] = hik_clip(lo + u * (hi - lo), lo, hi);
}

void hik_random_q(const hik_model *m, uint64_t seed, uint64_t draw, double *q) {
  hik_rng rng = hik_rng_start(seed, draw);
  for (int32_t s = 0; s < m->n_step; s++) hik_random_step(m, s, &rng, q);
}
