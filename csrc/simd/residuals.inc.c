/* residuals.inc.c: the residual of pose goals in lanes, for the judge.

   Purpose   position less the target's, and the rotation vector of the turn between them
   Given     poses [n][4][4], n at most 32; targets [n][7], position and quaternion
   Returned  rows out [n][8], of which six count: what pose_residual of term/reach.c gives, by the same operations in the
             same order; bit k of the result: row k was done. A turn of more than 1.1 rad, where these branch, is not. */
#include "simd/lanes.h"

HIK_INLINE lane_mask turn_between(const lane *pose, const lane *quaternion, lane *out) {
  const lane *q = quaternion, *a = pose;
  lane n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = 2 / n;
  lane_mask near = n > 1e-200;
  lane x = s * q[1], y = s * q[2], z = s * q[3];
  lane wx = q[0] * x, wy = q[0] * y, wz = q[0] * z;
  lane xx = q[1] * x, xy = q[1] * y, xz = q[1] * z, yy = q[2] * y, yz = q[2] * z, zz = q[3] * z, d[9];
  const lane b[9] = {1 - (yy + zz), xy - wz, xz + wy, xy + wz,      1 - (xx + zz),
                     yz - wx,       xz - wy, yz + wx, 1 - (xx + yy)};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      d[3 * i + j] = a[4 * i] * b[3 * j] + a[4 * i + 1] * b[3 * j + 1] + a[4 * i + 2] * b[3 * j + 2];
  /* hik_quat_from_mat where the trace leads, normalized */
  lane t = d[0] + d[4] + d[8], r[4];
  near &= (t >= d[0]) & (t >= d[4]) & (t >= d[8]);
  r[0] = lane_root(1 + t) / 2;
  lane k = 1 / (4 * r[0]);
  r[1] = (d[7] - d[5]) * k, r[2] = (d[2] - d[6]) * k, r[3] = (d[3] - d[1]) * k;
  n = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
  near &= (n > 1e-200) & (n < 1e200);
  n = lane_root(n);
  for (int i = 0; i < 4; i++) r[i] /= n;
  /* hik_quat_log, with hik_atan_positive where it needs no reduction */
  lane sine = lane_root(lane_dot(r + 1, r + 1));
  x = sine / r[0], z = x * x;
  near &= (r[0] > 0.0) & (x <= 0.66);
  lane angle = x * (z * HIK_ATAN_P(z) / HIK_ATAN_Q(z)) + x;
  k = lane_choose(sine > 1e-8, 2 * angle / sine, 2 / r[0]);
  for (int i = 0; i < 3; i++) out[i] = k * r[1 + i];
  return near;
}

static uint32_t pose_residuals(int64_t n, const double *pose, const double *target, double *out) {
  uint32_t done = 0;
  for (int64_t first = 0; first < n; first += LANES) {
    lane at[16], wanted[7], rows[8];
    lane_load(pose, 16, first, n, at);
    lane_load(target, 7, first, n, wanted);
    for (int i = 0; i < 3; i++) rows[i] = at[4 * i + 3] - wanted[i];
    done |= LANE_BITS(turn_between(at, wanted + 3, rows + 3)) << first;
    rows[6] = rows[7] = lane_all(0);
    lane_store(rows, 8, first, n, out);
  }
  return done;
}
