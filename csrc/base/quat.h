/* quat.h: unit quaternions w x y z, inline.
   hik_quat_mul hik_quat_normalize hik_quat_to_mat hik_quat_from_mat hik_quat_exp hik_quat_log */
#pragma once
#include "base/pose.h"
#include "base/trig.h"

/* out may be a or b */
HIK_INLINE void hik_quat_mul(const double a[4], const double b[4], double out[4]) {
  double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  out[0] = w, out[1] = x, out[2] = y, out[3] = z;
}

/* conj(a) b; out may be a or b */
HIK_INLINE void hik_quat_cmul(const double a[4], const double b[4], double out[4]) {
  double c[4] = {a[0], -a[1], -a[2], -a[3]};
  hik_quat_mul(c, b, out);
}

/* A quaternion of length zero, or too long to be squared, becomes the identity; NaN stays NaN, in all four. */
HIK_INLINE void hik_quat_normalize(double q[4]) {
  double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (HIK_UNLIKELY(n <= 1e-200 || n >= 1e200)) {
    q[0] = 1, q[1] = q[2] = q[3] = 0;
    return;
  }
  n = sqrt(n);
  for (int i = 0; i < 4; i++) q[i] /= n;
}

/* The same, but a quaternion whose square is 1 to rounding keeps its bytes, so that twice is once. A quotient of
   hik_quat_normalize is wrong by at most 4 halves of a unit in the last place, its square by 8, and 4 more are lost in
   adding it up: 12 / 2^53 < 1.5e-15. */
HIK_INLINE void hik_quat_make_unit(double q[4]) {
  double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (!(fabs(n - 1) <= 1.5e-15)) hik_quat_normalize(q);
}

/* It has a direction: neither zero nor too long to be squared, and a number. */
HIK_INLINE bool hik_quat_usable(const double q[4]) {
  double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  return n > 1e-200 && n < 1e200;
}

/* q need not be of unit length; a zero one gives the identity, NaN gives NaN. */
HIK_INLINE void hik_quat_to_mat(const double q[4], double *r) {
  double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  double s = n <= 1e-200 ? 0 : 2 / n;
  double x = s * q[1], y = s * q[2], z = s * q[3];
  double wx = q[0] * x, wy = q[0] * y, wz = q[0] * z;
  double xx = q[1] * x, xy = q[1] * y, xz = q[1] * z, yy = q[2] * y, yz = q[2] * z, zz = q[3] * z;
  r[0] = 1 - (yy + zz), r[1] = xy - wz, r[2] = xz + wy;
  r[3] = xy + wz, r[4] = 1 - (xx + zz), r[5] = yz - wx;
  r[6] = xz - wy, r[7] = yz + wx, r[8] = 1 - (xx + yy);
}

/* Square root of what rounding may bring below zero; NaN stays. */
HIK_INLINE double hik_root_of(double x) { return x < 0 ? 0 : sqrt(x); }

/* Shepperd's choice of the largest component; w >= 0 unless it is zero to rounding. NaN gives NaN. */
HIK_INLINE void hik_quat_from_mat(const double *r, double q[4]) {
  double t = r[0] + r[4] + r[8];
  if (t >= r[0] && t >= r[4] && t >= r[8]) {
    double w = hik_root_of(1 + t) / 2, k = 1 / (4 * w);
    q[0] = w, q[1] = (r[7] - r[5]) * k, q[2] = (r[2] - r[6]) * k, q[3] = (r[3] - r[1]) * k;
  } else {
    /* no branch where any may be the one: by r0 >= r4, r0 >= r8, r4 >= r8 */
    static const int8_t most[8] = {2, 1, 2, 1, 2, 2, 0, 0}, after[4] = {1, 2, 0, 1};
    int i = most[(r[0] >= r[4]) << 2 | (r[0] >= r[8]) << 1 | (r[4] >= r[8])], j = after[i], k = after[i + 1];
    double x = hik_root_of(1 + r[4 * i] - r[4 * j] - r[4 * k]) / 2, s = 1 / (4 * x);
    double w = (r[3 * k + j] - r[3 * j + k]) * s, sign = w < 0 ? -1 : 1;
    q[0] = sign * w, q[1 + i] = sign * x, q[1 + j] = sign * ((r[3 * j + i] + r[3 * i + j]) * s),
    q[1 + k] = sign * ((r[3 * k + i] + r[3 * i + k]) * s);
  }
  hik_quat_normalize(q);
}

/* Rotation vector to quaternion. */
HIK_INLINE void hik_quat_exp(const double v[3], double q[4]) {
  double n = hik_norm_safe(v), c, s;
  if (n > 1.7e308) n = 0; /* never: callers check; keeps the answer finite. NaN gives NaN */
  hik_sincos(0.5 * n, &s, &c);
  double k = n > 1e-8 ? s / n : 0.5 - n * n / 48;
  q[0] = c, q[1] = k * v[0], q[2] = k * v[1], q[3] = k * v[2];
}

/* Quaternion to rotation vector of length at most pi. */
HIK_INLINE void hik_quat_log(const double q[4], double v[3]) {
  double sign = q[0] < 0 ? -1 : 1, s = hik_norm(q + 1), w = sign * q[0];
  double k = s > 1e-8 ? 2 * hik_atan2(s, w) / s : 2 / w;
  for (int i = 0; i < 3; i++) v[i] = sign * k * q[1 + i];
}

/* Rotation vector of a rotation matrix, length at most pi. */
HIK_INLINE void hik_mat_log(const double *r, double v[3]) {
  double q[4];
  hik_quat_from_mat(r, q);
  hik_quat_log(q, v);
}

/* m such that x' = m w: x the rotation vector of a rotation that turns with angular velocity w (in the unmoved axes): the
   inverse of the left Jacobian of SO(3) (Chirikjian 2012, eq. 10.86). Its transpose goes with w in the moved axes. */
HIK_INLINE void hik_rotvec_rate(const double x[3], double m[9]) {
  double s, c, n2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], n = sqrt(n2), k = 1.0 / 12;
  if (n > 1e-4) {
    /* (1 + cos) / sin written as cos(n/2) / sin(n/2), which stays exact up to a half turn */
    hik_sincos(0.5 * n, &s, &c);
    k = (1 - 0.5 * n * c / s) / n2;
  }
  m[0] = 1 - k * (x[1] * x[1] + x[2] * x[2]), m[1] = 0.5 * x[2] + k * x[0] * x[1],
  m[2] = -0.5 * x[1] + k * x[0] * x[2];
  m[3] = -0.5 * x[2] + k * x[0] * x[1], m[4] = 1 - k * (x[0] * x[0] + x[2] * x[2]),
  m[5] = 0.5 * x[0] + k * x[1] * x[2];
  m[6] = 0.5 * x[1] + k * x[0] * x[2], m[7] = -0.5 * x[0] + k * x[1] * x[2],
  m[8] = 1 - k * (x[0] * x[0] + x[1] * x[1]);
}
