/* fit.h: the rotation of a joint nearest to wanted directions, inline.

   All maximise tr(J(q)^T B) inside the limits, where B = sum of w y x^T says "turn x onto y".
   hik_best_turn   one turn, exact: the maximum of C cos + S sin
   hik_fit_turns   up to HIK_MOST_TURNS turns with one origin, by coordinate ascent
   hik_fit_ball    a ball, closed form of Wahba's problem (Markley 1993, FOAM) */
#ifndef HIK_FIT_H
#define HIK_FIT_H
#include "model/swing.h"

enum { HIK_MOST_TURNS = 3, HIK_FIT_SWEEPS = 4 };
#define HIK_TWO_PI 6.28318530717958647692

/* To the nearest whole turn, into [-pi, pi]. */
HIK_INLINE double hik_wrap(double x) { return x - HIK_TWO_PI * floor(x / HIK_TWO_PI + 0.5); }

/* Angle in [lower, upper] that maximises c cos + s sin; of equal ones the nearest to `old`. When no turn of
   the maximum is inside, the end nearer to it round the circle is the better one. c = s = 0: `old` stays. */
HIK_INLINE double hik_best_turn(double c, double s, double lower, double upper, double old) {
  if (!(c * c + s * s > 1e-24)) return hik_clip(old, lower, upper);
  double q = hik_atan2(s, c);
  q += HIK_TWO_PI * floor((old - q) / HIK_TWO_PI + 0.5);
  if (q < lower) q += HIK_TWO_PI * ceil((lower - q) / HIK_TWO_PI);
  if (q > upper) q -= HIK_TWO_PI * ceil((q - upper) / HIK_TWO_PI);
  if (q >= lower) return q > upper ? upper : q; /* whole turns added and taken away may round past the end */
  return fabs(hik_wrap(q - lower)) <= fabs(hik_wrap(q - upper)) ? lower : upper;
}

/* out = Rz(angle)^T a, given cosine and sine; out may be a. */
HIK_INLINE void hik_turn_z_back(const double *a, double c, double s, double *out) {
  for (int j = 0; j < 3; j++) {
    double x = a[j], y = a[3 + j];
    out[j] = c * x + s * y;
    out[3 + j] = c * y - s * x;
    out[6 + j] = a[6 + j];
  }
}

/* Angles [count] of turns with one origin, J = Rz(q0) P1 Rz(q1) P2 Rz(q2), `between` = P1, P2: from the
   angles in q to better ones. One is exact; more by at most HIK_FIT_SWEEPS rounds, ended when no angle moves
   by 1e-7. `limit` holds pairs of lower and upper. */
HIK_INLINE void hik_fit_turns(const double *b, int count, const double *const between[], const double *limit,
                              double *q) {
  if (count == 1) {
    q[0] = hik_best_turn(b[0] + b[4], b[3] - b[1], limit[0], limit[1], q[0]);
    return;
  }
  for (int sweep = 0; sweep < HIK_FIT_SWEEPS; sweep++) {
    double after[HIK_MOST_TURNS][9] = {{0}}, left[9], m[9], t[9], s, c, moved = 0;
    memcpy(after[count - 1], hik_pose_identity.r, sizeof m);
    for (int j = count - 2; j >= 0; j--) {
      hik_sincos(q[j + 1], &s, &c);
      hik_mat_turn_z(between[j], c, s, t);
      hik_mat_mul(t, after[j + 1], after[j]);
    }
    memcpy(left, b, sizeof left);
    for (int j = 0; j < count; j++) {
      hik_mat_mult(left, after[j], m);
      double turn = hik_best_turn(m[0] + m[4], m[3] - m[1], limit[2 * j], limit[2 * j + 1], q[j]);
      moved = fmax(moved, fabs(turn - q[j]));
      q[j] = turn;
      if (j + 1 == count) break;
      hik_sincos(turn, &s, &c);
      hik_turn_z_back(left, c, s, t);
      hik_mat_tmul(between[j], t, left);
    }
    if (moved <= 1e-7) return;
  }
}

/* Largest root of (x^2 - n2)^2 - 8 x det - 4 c2, by Newton from sqrt(3 n2) down: the sum of the singular
   values. */
HIK_INLINE double hik_wahba_root(double n2, double c2, double det) {
  double x = sqrt(3 * n2);
  for (int k = 0; k < 60; k++) {
    double g = x * x - n2, slope = 4 * x * g - 8 * det;
    if (!(slope > 0)) break;
    double step = (g * g - 8 * x * det - 4 * c2) / slope;
    x -= step;
    if (!(step > 1e-15 * x)) break;
  }
  return x;
}

/* Rotation that maximises tr(J^T B), drawn by 1e-6 to `old` where B leaves it open; out may be old. It is a
   rotation to about 1e-9 when B has rank one, to rounding when not: make a quaternion of it. */
HIK_INLINE void hik_fit_ball(const double *b, const double *old, double *out) {
  double size = 0, a[9], cof[9], aat[9], aaa[9], n2 = 0, c2 = 0;
  for (int i = 0; i < 9; i++) size += b[i] * b[i];
  size = sqrt(size);
  if (!(size > 1e-12)) {
    memmove(out, old, sizeof a);
    return;
  }
  for (int i = 0; i < 9; i++) a[i] = b[i] / size + 1e-6 * old[i];
  hik_cross(a + 3, a + 6, cof);
  hik_cross(a + 6, a, cof + 3);
  hik_cross(a, a + 3, cof + 6);
  for (int i = 0; i < 9; i++) n2 += a[i] * a[i], c2 += cof[i] * cof[i];
  double det = hik_dot(a, cof), x = hik_wahba_root(n2, c2, det), k = (x * x - n2) / 2, zeta = k * x - det;
  if (!(zeta > 1e-12)) {
    memmove(out, old, sizeof a);
    return;
  }
  hik_mat_mult(a, a, aat);
  hik_mat_mul(aat, a, aaa);
  for (int i = 0; i < 9; i++) out[i] = ((k + n2) * a[i] + x * cof[i] - aaa[i]) / zeta;
}

/* The same inside the cone and twist of a limited ball, J in its joint frame: the free answer's swing, clamped, then
   the best twist after it. Not the true optimum when the swing is clamped, but exact inside and continuous. */
HIK_INLINE void hik_fit_swing(const double *b, const hik_swing *cone, const double *old, double quat[4], double *out) {
  double j[9], x[3], local[9], t[9], s, c;
  hik_fit_ball(b, old, j);
  hik_quat_from_mat(j, quat);
  hik_swing_split(cone, quat, x);
  if (hik_swing_excess(cone, x) > 0) {
    hik_swing_clamp(cone, x);
    double swing[3] = {x[0], x[1], 0}, sq[4];
    hik_swing_join(cone, swing, sq);
    hik_quat_to_mat(sq, j); /* joint frame: A S A^T */
    hik_mat_tmul(j, b, t);  /* S^T B in the joint frame, */
    hik_mat_tmul(cone->axes, t, local);
    hik_mat_mul(local, cone->axes, t); /* then in the cone's */
    c = t[0] + t[4], s = t[3] - t[1];
    x[2] = hik_best_turn(c, s, cone->twist[0], cone->twist[1], x[2]);
    hik_swing_join(cone, x, quat);
  }
  hik_quat_to_mat(quat, out);
}

/* b += weight y x^T */
HIK_INLINE void hik_add_pair(double *b, double weight, const double y[3], const double x[3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) b[3 * i + j] += weight * y[i] * x[j];
}
#endif
