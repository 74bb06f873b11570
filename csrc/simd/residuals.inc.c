/* residuals.inc.c: pose goals in lanes: their residual for the judge, their targets from matrices.

   Purpose   position less the target's, and the rotation vector of the turn between them
   Given     poses [n][4][4], n at most 32; targets [n][7], position and quaternion
   Returned  rows out [n][8], of which six count: what pose_residual of term/reach.c gives, by the same operations in the
             same order; bit k of the result: row k was done. A turn of more than 1.1 rad, where these branch, is not.
             pose_columns: see there */
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

/* The rotation of a pose [16] as hik_quat_from_mat writes it: by the largest of four components. */
HIK_INLINE void turn_columns(const lane *pose, lane *out) {
  const lane xx = pose[0], yy = pose[5], zz = pose[10], t = xx + yy + zz;
  const lane x = pose[9] - pose[6], y = pose[2] - pose[8], z = pose[4] - pose[1];
  const lane xy = pose[4] + pose[1], xz = pose[8] + pose[2], yz = pose[9] + pose[6];
  lane_mask lead = (t >= xx) & (t >= yy) & (t >= zz), first = (xx >= yy) & (xx >= zz),
            second = ~first & (yy >= zz);
  lane under = lane_choose(first, 1 + xx - yy - zz, lane_choose(second, 1 + yy - zz - xx, 1 + zz - xx - yy));
  lane most = lane_root(lane_choose(lead, 1 + t, under)) / 2, k = 1 / (4 * most);
  lane w = lane_choose(first, x, lane_choose(second, y, z));
  out[0] = lane_choose(lead, most, w * k);
  out[1] = lane_choose(lead, x * k, lane_choose(first, most, lane_choose(second, xy, xz) * k));
  out[2] = lane_choose(lead, y * k, lane_choose(second, most, lane_choose(first, xy, yz) * k));
  out[3] = lane_choose(lead, z * k, lane_choose(first | second, lane_choose(first, xz, yz) * k, most));
  lane_mask flip = out[0] < 0;
  lane n = lane_root(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
  for (int i = 0; i < 4; i++) out[i] = lane_choose(flip, -out[i], out[i]) / n;
}

/* hik_mat_rigid, of a pose [16] whose last row is 0 0 0 1. */
HIK_INLINE lane_mask plain_pose(const lane *pose) {
  const lane *a = pose, *b = pose + 4, *c = pose + 8;
  lane_mask good = (pose[12] == 0) & (pose[13] == 0) & (pose[14] == 0) & (pose[15] == 1);
  lane normal[3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++)
      good &= lane_abs(a[i] * a[j] + b[i] * b[j] + c[i] * c[j] - (i == j)) <= HIK_RIGID;
  lane_cross(a, b, normal);
  return good & ~(lane_dot(normal, c) < 0);
}

/* Poses [n][4][4], n at most 32, to the target columns of pose goals, out [n][7]: hik_quat_from_mat by the same operations in
   the same order. Bit k of the result: row k is of a rigid motion, last row exactly 0 0 0 1; the others mean nothing. */
static uint32_t pose_columns(int64_t n, const double *pose, double *out) {
  uint32_t done = 0;
  for (int64_t first = 0; first < n; first += LANES) {
    lane at[16], rows[7];
    lane_load(pose, 16, first, n, at);
    for (int i = 0; i < 3; i++) rows[i] = at[4 * i + 3];
    turn_columns(at, rows + 3);
    done |= LANE_BITS(plain_pose(at)) << first;
    lane_store(rows, 7, first, n, out);
  }
  return done;
}
