/* inertia.c: see inertia.h. */
#include "model/inertia.h"

void hik_inertial_moments(const double body[10], double out[10]) {
  const double *I = body + 4;
  double half = 0.5 * (I[0] + I[3] + I[5]);
  for (int i = 0; i < 4; i++) out[i] = body[i];
  out[4] = half - I[0], out[5] = -I[1], out[6] = -I[2];
  out[7] = half - I[3], out[8] = -I[4], out[9] = half - I[5];
}

/* Second moments S move as r' = R r + p does: R S R^T + (R h) p^T + p (R h)^T + m p p^T. */
void hik_inertial_add(const double body[10], const hik_pose *place, double out[10]) {
  double moments[10], S[9], t[9], h[3];
  const double *r = place->r, *p = place->t, m = body[0];
  hik_inertial_moments(body, moments);
  const double *s = moments + 4, full[9] = {s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]};
  hik_mat_mul(r, full, t);
  hik_mat_mult(t, r, S);
  hik_mat_vec(r, body + 1, h);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) S[3 * i + j] += h[i] * p[j] + p[i] * h[j] + m * p[i] * p[j];
  double trace = S[0] + S[4] + S[8];
  out[0] += m;
  for (int i = 0; i < 3; i++) out[1 + i] += h[i] + m * p[i];
  out[4] += trace - S[0], out[5] -= S[1], out[6] -= S[2];
  out[7] += trace - S[4], out[8] -= S[5], out[9] += trace - S[8];
}
