/* pose.h: rigid motions as a rotation matrix (row-major) and a translation, inline.
   hik_mat_* work on 3x3 matrices, hik_pose_* on motions. Outputs may not overlap inputs unless said. */
#pragma once
#include "base/vec.h"

typedef struct hik_pose {
  double r[9]; /* row-major */
  double t[3];
} hik_pose;

static const hik_pose hik_pose_identity HIK_UNUSED = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

HIK_INLINE void hik_mat_mul(const double *HIK_RESTRICT a, const double *HIK_RESTRICT b,
                            double *HIK_RESTRICT out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

/* transpose(a) b */
HIK_INLINE void hik_mat_tmul(const double *HIK_RESTRICT a, const double *HIK_RESTRICT b,
                             double *HIK_RESTRICT out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

/* a transpose(b) */
HIK_INLINE void hik_mat_mult(const double *HIK_RESTRICT a, const double *HIK_RESTRICT b,
                             double *HIK_RESTRICT out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
}

/* Columns of a rotation that was given may be off unit length and right angles by so much: single precision is good enough
   (1e-7); what is farther off was not meant as a rotation, or was rounded until it was none. */
#define HIK_RIGID 1e-6

/* Whether hik_mat_off is at most HIK_RIGID, which only numbers are. */
HIK_INLINE bool hik_mat_rigid(const double r[9]) {
  double c[3];
  int good = 1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++)
      good &= fabs(r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j] - (i == j)) <= HIK_RIGID;
  hik_cross(r, r + 3, c);
  return good & !(hik_dot(c, r + 6) < 0);
}

/* Largest entry of transpose(r) r - 1; of a reflection infinity, of NaN NaN. */
HIK_INLINE double hik_mat_off(const double r[9]) {
  double rtr[9], c[3], off = 0;
  hik_mat_tmul(r, r, rtr);
  for (int i = 0; i < 9; i++) off = hik_most(off, fabs(rtr[i] - (i % 4 == 0)));
  hik_cross(r, r + 3, c);
  return hik_dot(c, r + 6) < 0 ? INFINITY : off;
}

/* out = r x; out may be x */
HIK_INLINE void hik_mat_vec(const double *r, const double *x, double *out) {
  double a = r[0] * x[0] + r[1] * x[1] + r[2] * x[2];
  double b = r[3] * x[0] + r[4] * x[1] + r[5] * x[2];
  double c = r[6] * x[0] + r[7] * x[1] + r[8] * x[2];
  out[0] = a, out[1] = b, out[2] = c;
}

/* out = transpose(r) x; out may be x */
HIK_INLINE void hik_mat_tvec(const double *r, const double *x, double *out) {
  double a = r[0] * x[0] + r[3] * x[1] + r[6] * x[2];
  double b = r[1] * x[0] + r[4] * x[1] + r[7] * x[2];
  double c = r[2] * x[0] + r[5] * x[1] + r[8] * x[2];
  out[0] = a, out[1] = b, out[2] = c;
}

/* Column j of r. */
HIK_INLINE void hik_mat_column(const double *r, int j, double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = r[3 * i + j];
}

/* out = r Rz(angle) given its cosine and sine; out may be r. */
HIK_INLINE void hik_mat_turn_z(const double *r, double c, double s, double *out) {
  for (int i = 0; i < 3; i++) {
    double x = r[3 * i], y = r[3 * i + 1];
    out[3 * i] = c * x + s * y;
    out[3 * i + 1] = c * y - s * x;
    out[3 * i + 2] = r[3 * i + 2];
  }
}

HIK_INLINE void hik_pose_mul(const hik_pose *HIK_RESTRICT a, const hik_pose *HIK_RESTRICT b,
                             hik_pose *HIK_RESTRICT out) {
  hik_mat_mul(a->r, b->r, out->r);
  double x[3];
  hik_mat_vec(a->r, b->t, x);
  hik_add3(a->t, x, out->t);
}

HIK_INLINE void hik_pose_inverse(const hik_pose *HIK_RESTRICT a, hik_pose *HIK_RESTRICT out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out->r[3 * i + j] = a->r[3 * j + i];
  double x[3];
  hik_mat_tvec(a->r, a->t, x);
  hik_scale3(-1, x, out->t);
}

/* out = a p */
HIK_INLINE void hik_pose_point(const hik_pose *a, const double p[3], double out[3]) {
  double x[3];
  hik_mat_vec(a->r, p, x);
  hik_add3(a->t, x, out);
}

/* 4x4 row-major. */
HIK_INLINE void hik_pose_from_mat4(const double *m, hik_pose *out) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out->r[3 * i + j] = m[4 * i + j];
    out->t[i] = m[4 * i + 3];
  }
}

HIK_INLINE void hik_pose_to_mat4(const hik_pose *a, double *out) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out[4 * i + j] = a->r[3 * i + j];
    out[4 * i + 3] = a->t[i];
  }
  out[12] = out[13] = out[14] = 0;
  out[15] = 1;
}

/* A rotation of unit axis a by the angle with this cosine and sine (Rodrigues). */
HIK_INLINE void hik_mat_axis(const double a[3], double c, double s, double *out) {
  double k = 1 - c;
  out[0] = c + k * a[0] * a[0], out[1] = k * a[0] * a[1] - s * a[2], out[2] = k * a[0] * a[2] + s * a[1];
  out[3] = k * a[0] * a[1] + s * a[2], out[4] = c + k * a[1] * a[1], out[5] = k * a[1] * a[2] - s * a[0];
  out[6] = k * a[0] * a[2] - s * a[1], out[7] = k * a[1] * a[2] + s * a[0], out[8] = c + k * a[2] * a[2];
}

/* The smallest rotation that takes unit vector x onto unit vector y; for opposite vectors a half turn about
   hik_perpendicular(x). */
HIK_INLINE void hik_mat_minimal(const double x[3], const double y[3], double *out) {
  double c = hik_dot(x, y), v[3];
  hik_cross(x, y, v);
  if (c > -0.5) {
    double k = 1 / (1 + c);
    out[0] = c + k * v[0] * v[0], out[1] = k * v[0] * v[1] - v[2], out[2] = k * v[0] * v[2] + v[1];
    out[3] = k * v[0] * v[1] + v[2], out[4] = c + k * v[1] * v[1], out[5] = k * v[1] * v[2] - v[0];
    out[6] = k * v[0] * v[2] - v[1], out[7] = k * v[1] * v[2] + v[0], out[8] = c + k * v[2] * v[2];
  } else { /* near opposite the cross product has few digits: square it with x, which keeps y where it belongs */
    double s, axis[3];
    hik_axpy3(v, -hik_dot(v, x), x, v);
    s = hik_unit(v, axis);
    if (s == 0) hik_perpendicular(x, axis);
    double n = sqrt(c * c + s * s);
    hik_mat_axis(axis, c / n, s / n, out);
  }
}
