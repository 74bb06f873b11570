/* fit.h: the rotation of a joint nearest to wanted directions, inline.

   All maximise tr(J(q)^T B) inside the limits, where B = sum of w y x^T says "turn x onto y".
   hik_best_turn   one turn, exact: the maximum of C cos + S sin, as an angle
   hik_best_arm    the same as cosine and sine, with no arc tangent; hik_best_turn of that is its angle
   hik_fit_turns   up to HIK_MOST_TURNS turns with one origin, by coordinate ascent, as cosines and sines
   hik_fit_ball    a ball, closed form of Wahba's problem (Markley 1993, FOAM)
   hik_fit_swing   a ball inside its cone and twist */
#pragma once
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

/* hik_range_set of one value alone. */
HIK_INLINE void hik_range_hold(double value, hik_range *out) {
  *out = (hik_range){.half = 1};
  hik_sincos(value, out->mid + 1, out->mid);
  memcpy(out->low, out->mid, sizeof out->low);
  memcpy(out->high, out->mid, sizeof out->high);
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

/* tr((Rz(x) P Rz(y))^T B) = sum f[i][j] x_i y_j with x = (cos x, sin x, 1), y likewise. */
HIK_INLINE void hik_turn_form(const double *p, const double *b, double f[3][3]) {
  f[0][0] = p[0] * b[0] + p[3] * b[3] + p[1] * b[1] + p[4] * b[4];
  f[0][1] = p[1] * b[0] + p[4] * b[3] - p[0] * b[1] - p[3] * b[4];
  f[0][2] = p[2] * b[2] + p[5] * b[5];
  f[1][0] = p[0] * b[3] - p[3] * b[0] + p[1] * b[4] - p[4] * b[1];
  f[1][1] = p[1] * b[3] - p[4] * b[0] - p[0] * b[4] + p[3] * b[1];
  f[1][2] = p[2] * b[5] - p[5] * b[2];
  f[2][0] = p[6] * b[6] + p[7] * b[7];
  f[2][1] = p[7] * b[6] - p[6] * b[7];
  f[2][2] = p[8] * b[8];
}

/* x[i] such that tr((Rz(x) P M)^T B) = sum x_i tr(M^T x[i]). */
HIK_INLINE void hik_turn_parts(const double *p, const double *b, double x[3][9]) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      x[0][3 * r + c] = p[r] * b[c] + p[3 + r] * b[3 + c];
      x[1][3 * r + c] = p[r] * b[3 + c] - p[3 + r] * b[c];
      x[2][3 * r + c] = p[6 + r] * b[6 + c];
    }
}

/* hik_best_arm; true when it moved by more than 1e-7. */
HIK_INLINE bool hik_better_arm(double c, double s, const hik_range *range, double arm[2]) {
  const double old[2] = {arm[0], arm[1]};
  hik_best_arm(c, s, range, arm);
  return fabs(arm[0] - old[0]) > 1e-7 || fabs(arm[1] - old[1]) > 1e-7;
}

/* A round of coordinate ascent on sum f[i][j] x_i y_j. */
HIK_INLINE bool hik_climb_two(double f[3][3], const hik_range *range, double (*arm)[2]) {
  const double *x = arm[0], *y = arm[1];
  bool moved = hik_better_arm(f[0][0] * y[0] + f[0][1] * y[1] + f[0][2],
                              f[1][0] * y[0] + f[1][1] * y[1] + f[1][2], range, arm[0]);
  return hik_better_arm(f[0][0] * x[0] + f[1][0] * x[1] + f[2][0], f[0][1] * x[0] + f[1][1] * x[1] + f[2][1],
                        range + 1, arm[1]) ||
         moved;
}

/* The same on sum f[i][j][k] x_i y_j z_k. */
HIK_INLINE bool hik_climb_three(double f[3][3][3], const hik_range *range, double (*arm)[2]) {
  double two[3][3], slope[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) two[i][j] = f[i][j][0] * arm[2][0] + f[i][j][1] * arm[2][1] + f[i][j][2];
  bool moved = hik_climb_two(two, range, arm);
  const double *x = arm[0], *y = arm[1];
  for (int k = 0; k < 2; k++)
    slope[k] = x[0] * (f[0][0][k] * y[0] + f[0][1][k] * y[1] + f[0][2][k]) +
               x[1] * (f[1][0][k] * y[0] + f[1][1][k] * y[1] + f[1][2][k]) +
               (f[2][0][k] * y[0] + f[2][1][k] * y[1] + f[2][2][k]);
  return hik_better_arm(slope[0], slope[1], range + 2, arm[2]) || moved;
}

/* Directions [count] of turns with one origin, J = Rz(q0) P1 Rz(q1) P2 Rz(q2), `between` = P1, P2: from the
   ones in arm to better ones. One is exact; more by at most HIK_FIT_SWEEPS rounds of coordinate ascent, ended when none
   moves by 1e-7. The gain is linear in cosine and sine of each, so a round needs no matrix. */
HIK_INLINE void hik_fit_turns(const double *b, int count, const double *const between[],
                              const hik_range *range, double (*arm)[2]) {
  double two[3][3], three[3][3][3], part[3][9];
  if (count == 1) {
    hik_best_arm(b[0] + b[4], b[3] - b[1], range, arm[0]);
    return;
  }
  if (count == 2) {
    hik_turn_form(between[0], b, two);
    for (int k = 0; k < HIK_FIT_SWEEPS && hik_climb_two(two, range, arm);) k++;
    return;
  }
  hik_turn_parts(between[0], b, part);
  for (int i = 0; i < 3; i++) hik_turn_form(between[1], part[i], three[i]);
  for (int k = 0; k < HIK_FIT_SWEEPS && hik_climb_three(three, range, arm);) k++;
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
HIK_INLINE void hik_fit_swing(const double *b, const hik_swing *cone, double quat[4], double *out) {
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

/* b += weight y x^T */
HIK_INLINE void hik_add_pair(double *b, double weight, const double y[3], const double x[3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) b[3 * i + j] += weight * y[i] * x[j];
}
