/* fit.h: the rotation of a joint nearest to wanted directions, inline.

   All maximise tr(J(q)^T B) inside the limits, where B = sum of w y x^T says "turn x onto y".
   hik_best_turn   one turn, exact: the maximum of C cos + S sin, as an angle
   hik_best_arm    the same as cosine and sine, with no arc tangent
   hik_fit_turns   up to HIK_MOST_TURNS turns with one origin, by coordinate ascent, as cosines and sines
   hik_fit_ball    a ball, closed form of Wahba's problem (Markley 1993, FOAM)
   hik_fit_swing   a ball inside its cone and twist */
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

/* Limits of a turn by cosines and sines: of the middle of the range, of half its width, of its two ends. */
typedef struct hik_range {
  double mid[2], half, low[2], high[2];
  bool whole; /* a full turn or more: nothing to keep to */
} hik_range;

HIK_INLINE void hik_range_set(double lower, double upper, hik_range *out) {
  *out = (hik_range){.whole = !(upper - lower < HIK_TWO_PI)};
  if (out->whole) return;
  double unused;
  hik_sincos(0.5 * (lower + upper), out->mid + 1, out->mid);
  hik_sincos(0.5 * (upper - lower), &unused, &out->half);
  hik_sincos(lower, out->low + 1, out->low);
  hik_sincos(upper, out->high + 1, out->high);
}

/* hik_best_turn by its cosine and sine: arm = the best direction inside the range; c = s = 0: arm stays. */
HIK_INLINE void hik_best_arm(double c, double s, const hik_range *range, double arm[2]) {
  double n = c * c + s * s;
  if (!(n > 1e-24)) return;
  n = 1 / sqrt(n);
  c *= n, s *= n;
  if (!range->whole && !(c * range->mid[0] + s * range->mid[1] >= range->half)) {
    bool low = s * range->mid[0] - c * range->mid[1] <= 0;
    c = low ? range->low[0] : range->high[0], s = low ? range->low[1] : range->high[1];
  }
  arm[0] = c, arm[1] = s;
}

/* Angle in [lower, upper] of a direction that hik_best_arm gave, nearest to `old` where there is a choice; a
   direction at an end, or past it by rounding, becomes that end and is put right. */
HIK_INLINE double hik_arm_angle(double arm[2], const hik_range *range, double lower, double upper,
                                double old) {
  double q = hik_best_turn(arm[0], arm[1], lower, upper, old);
  if (range->whole) return q;
  if (q == lower) arm[0] = range->low[0], arm[1] = range->low[1];
  if (q == upper) arm[0] = range->high[0], arm[1] = range->high[1];
  return q;
}

/* Directions [count] of turns with one origin, J = Rz(q0) P1 Rz(q1) P2 Rz(q2), `between` = P1, P2: from the
   ones in arm to better ones. One is exact; more by at most HIK_FIT_SWEEPS rounds, ended when none moves by
   1e-7. */
HIK_INLINE void hik_fit_turns(const double *b, int count, const double *const between[],
                              const hik_range *range, double (*arm)[2]) {
  if (count == 1) {
    hik_best_arm(b[0] + b[4], b[3] - b[1], range, arm[0]);
    return;
  }
  for (int sweep = 0; sweep < HIK_FIT_SWEEPS; sweep++) {
    double after[HIK_MOST_TURNS][9], left[9], m[9], t[9], moved = 0;
    memcpy(after[count - 1], hik_pose_identity.r, sizeof m);
    for (int j = count - 2; j >= 0; j--) {
      hik_mat_turn_z(between[j], arm[j + 1][0], arm[j + 1][1], t);
      hik_mat_mul(t, after[j + 1], after[j]);
    }
    memcpy(left, b, sizeof left);
    for (int j = 0; j < count; j++) {
      hik_mat_mult(left, after[j], m);
      double c = arm[j][0], s = arm[j][1];
      hik_best_arm(m[0] + m[4], m[3] - m[1], range + j, arm[j]);
      moved = fmax(moved, fmax(fabs(arm[j][0] - c), fabs(arm[j][1] - s)));
      if (j + 1 == count) break;
      hik_turn_z_back(left, arm[j][0], arm[j][1], t);
      hik_mat_tmul(between[j], t, left);
    }
    if (moved <= 1e-7) return;
  }
}

/* Largest root of (x^2 - n2)^2 - 8 x det - 4 c2, by Newton down from sqrt(3 n2) or from a bound that the caller
   knows: the sum of the singular values. */
HIK_INLINE double hik_wahba_root(double n2, double c2, double det, double bound) {
  double x = fmin(sqrt(3 * n2), bound);
  for (int k = 0; k < 60; k++) {
    double g = x * x - n2, slope = 4 * x * g - 8 * det;
    if (!(slope > 0)) break;
    double step = (g * g - 8 * x * det - 4 * c2) / slope;
    x -= step;
    if (!(step > 1e-13 * x)) break;
  }
  return x;
}

/* Rotation that maximises tr(J^T B), drawn by 1e-6 to `old` where B leaves it open; out may be old. It is a
   rotation to about 1e-9 when B has rank one, to rounding when not: make a quaternion of it. `bound` is no less
   than the maximum, which is the sum of the weights where B is made of unit pairs, and nearly it where they agree:
   then one step of Newton's does. */
HIK_INLINE void hik_fit_ball_below(const double *b, double bound, const double *old, double *out) {
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
  double det = hik_dot(a, cof), x = hik_wahba_root(n2, c2, det, bound / size + 3.1e-6), k = (x * x - n2) / 2;
  double zeta = k * x - det;
  if (!(zeta > 1e-12)) {
    memmove(out, old, sizeof a);
    return;
  }
  hik_mat_mult(a, a, aat);
  hik_mat_mul(aat, a, aaa);
  for (int i = 0; i < 9; i++) out[i] = ((k + n2) * a[i] + x * cof[i] - aaa[i]) / zeta;
}

HIK_INLINE void hik_fit_ball(const double *b, const double *old, double *out) {
  hik_fit_ball_below(b, INFINITY, old, out);
}

/* (u, v, twist) outside a room to inside: the nearest in the plane of angles, which is cheap and near enough for a small
   correction; where a wide cone would turn the bone by more than 30 degrees, the nearest direction. */
HIK_INLINE void hik_fit_inside(const hik_swing *cone, double x[3]) {
  double wide = fmax(fmax(cone->half[0], cone->half[1]), fmax(cone->half[2], cone->half[3])), a[3], b[3];
  double near[3] = {x[0], x[1], x[2]};
  hik_swing_clamp(cone, near);
  if (cone->corners == 0 && wide > 0.5 * HIK_PI) {
    hik_swing_direction(x, a);
    hik_swing_direction(near, b);
    if (hik_dot(a, b) < 0.86602540378443864676) {
      hik_swing_project(cone, x);
      return;
    }
  }
  hik_copy3(near, x);
}

/* A rotation inside the room of a limited ball for the free answer `quat`, which is replaced: its swing put inside, then
   the best twist after it. Not the true optimum when the swing is clamped, but exact inside. */
HIK_INLINE void hik_fit_swing_from(const double *b, const hik_swing *cone, double quat[4], double *out) {
  double j[9], x[3], local[9], t[9], limit[2], s, c;
  if (cone->held) {
    memcpy(quat, cone->hold, sizeof cone->hold);
    hik_quat_to_mat(quat, out);
    return;
  }
  hik_swing_split(cone, quat, x);
  if (hik_swing_excess(cone, x) > 0) {
    hik_fit_inside(cone, x);
    double swing[3] = {x[0], x[1], 0}, sq[4];
    hik_swing_join(cone, swing, sq);
    hik_quat_to_mat(sq, j); /* joint frame: A S A^T */
    hik_mat_tmul(j, b, t);  /* S^T B in the joint frame, */
    hik_mat_tmul(cone->axes, t, local);
    hik_mat_mul(local, cone->axes, t); /* then in the cone's */
    c = t[0] + t[4], s = t[3] - t[1];
    hik_swing_twist(cone, x, limit);
    x[2] = hik_best_turn(c, s, limit[0], limit[1], x[2]);
    hik_swing_join(cone, x, quat);
  }
  hik_quat_to_mat(quat, out);
}

HIK_INLINE void hik_fit_swing(const double *b, const hik_swing *cone, const double *old, double quat[4],
                              double *out) {
  double j[9];
  hik_fit_ball(b, old, j);
  hik_quat_from_mat(j, quat);
  hik_fit_swing_from(b, cone, quat, out);
}

/* b += weight y x^T */
HIK_INLINE void hik_add_pair(double *b, double weight, const double y[3], const double x[3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) b[3 * i + j] += weight * y[i] * x[j];
}
#endif
