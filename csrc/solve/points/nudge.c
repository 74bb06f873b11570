/* nudge.c: see wish.h. */
#include "base/quat.h"
#include "solve/points/wish.h"

static void nudge_ball(double *q, int32_t place) {
  double s, c, axis[3], turn[4], size = 0.3 / sqrt(1.25);
  hik_sincos(HIK_GOLDEN_ANGLE * place, &s, &c);
  axis[0] = size * c, axis[1] = size * s, axis[2] = size * 0.5;
  hik_quat_exp(axis, turn);
  hik_quat_mul(q, turn, q);
  hik_quat_normalize(q);
}

/* The list ascends. */
static bool listed(const int32_t *list, int32_t count, int32_t s) {
  while (count > 0 && list[count - 1] > s) count--;
  return count > 0 && list[count - 1] == s;
}

void hik_nudge(const hik_model *m, const int32_t *list, int32_t count, int32_t round, double reach,
               double *q) {
  for (int32_t k = 0; k < count; k++) {
    int32_t s = list[k];
    if (m->joint_mimic[m->step_joint[s]] >= 0 && listed(list, count, hik_step_leader(m, s))) continue;
    if (m->step_kind[s] == HIK_BALL_STEP) {
      nudge_ball(q + m->step_q[s], k + 1 + round);
      if (hik_step_cone(m, s)) hik_swing_clamp_quat(hik_step_cone(m, s), q + m->step_q[s]);
      continue;
    }
    const double *limit = m->step_limit + 2 * (size_t)s;
    double x = hik_step_value(m, s, q), wide = m->step_kind[s] == HIK_TURN ? 2 * HIK_PI : reach, middle = x;
    if (limit[1] - limit[0] < 2 * wide) wide = limit[1] - limit[0], middle = 0.5 * (limit[0] + limit[1]);
    if (fabs(x - middle) > 0.05 * wide)
      x += 0.25 * (middle - x);
    else
      x += 0.075 * wide * ((k + round) % 2 == 0 ? 1 : -1);
    hik_step_set(m, s, hik_clip(x, limit[0], limit[1]), q);
  }
}
