/* target.c: reads a pose that may be rounded, or none.

   Purpose:  closed forms square what they are given: a rotation with rounding of 1e-8 must become one of 1e-15 first.
   Given:    a 4 x 4 matrix.
   Returned: the pose with the nearest rotation.
   Outcomes: false for what is no rigid motion.
   Reference: Higham, "Computing the polar decomposition", SIAM J. Sci. Stat. Comput. 7 (1986) 1160-1174. */
#include "analytic/target.h"

/* Nearest rotation, when r is one to 1e-3; false otherwise. */
static bool make_rotation(double *r) {
  double worst = 1;
  for (int k = 0; k < 4 && worst > 4e-15; k++) {
    double rtr[9], next[9];
    hik_mat_tmul(r, r, rtr);
    worst = 0;
    for (int i = 0; i < 9; i++) {
      rtr[i] -= i % 4 == 0;
      worst = fmax(worst, fabs(rtr[i]));
    }
    if (!(worst < 2e-3)) return false;
    if (worst <= 4e-15) break;
    /* r (1 - e / 2 + 3/8 e e): the polar factor to third order */
    double e[9], ee[9];
    memcpy(e, rtr, sizeof e);
    hik_mat_mul(e, e, ee);
    for (int i = 0; i < 9; i++) e[i] = (i % 4 == 0) - 0.5 * e[i] + 0.375 * ee[i];
    hik_mat_mul(r, e, next);
    memcpy(r, next, sizeof next);
  }
  double across[3];
  hik_cross(r, r + 3, across);
  return hik_dot(across, r + 6) > 0;
}

bool hik_target_read(const double T[16], hik_pose *pose) {
  if (!hik_all_finite(T, 16)) return false;
  for (int j = 0; j < 4; j++)
    if (fabs(T[12 + j] - (j == 3)) > 1e-3) return false;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) pose->r[3 * i + j] = T[4 * i + j];
    pose->t[i] = T[4 * i + 3];
  }
  return make_rotation(pose->r);
}
