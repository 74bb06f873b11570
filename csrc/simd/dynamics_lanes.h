/* dynamics_lanes.h: what the dynamics do with lanes, and the motion of a step. */
#pragma once

#include "simd/dynamics.h"
#include "simd/lanes.h"

/* ---- the motion of a step ---- */

/* Rotation and origin of the moved frame in the moved frame above. */
static void step_place(const hik_model *m, int32_t s, const lane *q, lane *r, lane *p) {
  const double *place = m->step_placement + 12 * (size_t)s, *line = m->step_line + 2 * (size_t)s;
  const lane *at = q + m->step_q[s];
  for (int i = 0; i < 3; i++) p[i] = lane_all(place[9 + i]);
  if (m->step_kind[s] == HIK_TURN) {
    lane angle = line[0] * at[0] + line[1], sine, cosine;
    lane_sincos(&angle, &sine, &cosine);
    for (int i = 0; i < 3; i++) {
      double x = place[3 * i], y = place[3 * i + 1];
      r[3 * i] = cosine * x + sine * y;
      r[3 * i + 1] = cosine * y - sine * x;
      r[3 * i + 2] = lane_all(place[3 * i + 2]);
    }
  } else if (m->step_kind[s] == HIK_SLIDE) {
    lane along = line[0] * at[0] + line[1];
    for (int i = 0; i < 9; i++) r[i] = lane_all(place[i]);
    for (int i = 0; i < 3; i++) p[i] += place[3 * i + 2] * along;
  } else {
    lane t[9];
    ball_rotation(at, t);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        r[3 * i + j] = place[3 * i] * t[j] + place[3 * i + 1] * t[3 + j] + place[3 * i + 2] * t[6 + j];
  }
}

/* First of the six numbers of a wrench (force, moment) that the step's coordinates feel, and how many. */
HIK_INLINE int step_axis(int32_t kind) { return kind == HIK_TURN ? 5 : kind == HIK_SLIDE ? 2 : 3; }
HIK_INLINE int step_freedom(int32_t kind) { return kind == HIK_BALL_STEP ? 3 : 1; }

/* Rate of change of the step's own coordinate: v scaled by the mimic line. */
HIK_INLINE lane step_rate(const hik_model *m, int32_t s, const lane *v, int k) {
  return m->step_kind[s] == HIK_BALL_STEP ? v[m->step_v[s] + k]
                                          : m->step_line[2 * (size_t)s] * v[m->step_v[s]];
}

/* Viscous and Coulomb torque of a motor at this rate. */
HIK_INLINE lane motor_friction(const double *motor, double width, const lane *rate) {
  lane x = *rate, out = motor[1] * x;
  if (motor[2] == 0) return out;
  if (width > 0) {
    lane size = lane_root(x * x + width * width);
    return out + motor[2] * (x / size);
  }
  lane_mask one = (lane_mask)lane_all(motor[2]);
  return out + ((lane)(one & (x > 0)) - (lane)(one & (x < 0)));
}

/* What the pushes on steps subtract: force and moment about each step's origin, in its moved frame. world [n_step][9]
   are the rotations of the steps in the world. */
HIK_INLINE void push_local(const hik_push *push, const lane *world, int64_t first, int64_t n, lane *force,
                           lane *moment) {
  lane given[6], turned[3];
  lane_load_part(push->value, 6, (size_t)push->stride, first, n, given);
  lane_rotate_back(world, given, force);
  lane_rotate_back(world, given + 3, moment);
  lane_arm_cross(push->arm, force, turned);
  for (int j = 0; j < 3; j++) moment[j] += turned[j];
}

/* Rotations in the world [n_step][9] of steps whose rotations in the one above are r, `stride` lanes apart. */
static void world_rotations(const hik_model *m, const lane *r, size_t stride, lane *world) {
  for (int32_t s = 0; s < m->n_step; s++, r += stride) {
    lane *out = world + 9 * (size_t)s;
    if (m->step_parent[s] < 0)
      memcpy(out, r, 9 * sizeof *out);
    else
      lane_times(world + 9 * (size_t)m->step_parent[s], r, out);
  }
}

HIK_INLINE bool body_empty(const double *b) {
  for (int i = 0; i < 10; i++)
    if (b[i] != 0) return false;
  return true;
}

/* A = [alpha]x + [w]x[w]x */
HIK_INLINE void point_field(const lane *w, const lane *alpha, lane *A) {
  lane xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2];
  lane xy = w[0] * w[1], xz = w[0] * w[2], yz = w[1] * w[2];
  A[0] = -(yy + zz), A[1] = xy - alpha[2], A[2] = xz + alpha[1];
  A[3] = xy + alpha[2], A[4] = -(xx + zz), A[5] = yz - alpha[0];
  A[6] = xz - alpha[1], A[7] = yz + alpha[0], A[8] = -(xx + yy);
}

/* f = m a + A h and n = h x a + vee(A S - (A S)^T): what moves the body. */
HIK_INLINE void body_force(const double *b, const lane *A, const lane *a, lane *f, lane *n) {
  const double *h = b + 1, *S = b + 4; /* xx xy xz yy yz zz */
  for (int i = 0; i < 3; i++)
    f[i] = b[0] * a[i] + (A[3 * i] * h[0] + A[3 * i + 1] * h[1] + A[3 * i + 2] * h[2]);
  lane_arm_cross(h, a, n);
  n[0] += (A[6] * S[1] + A[7] * S[3] + A[8] * S[4]) - (A[3] * S[2] + A[4] * S[4] + A[5] * S[5]);
  n[1] += (A[0] * S[2] + A[1] * S[4] + A[2] * S[5]) - (A[6] * S[0] + A[7] * S[1] + A[8] * S[2]);
  n[2] += (A[3] * S[0] + A[4] * S[1] + A[5] * S[2]) - (A[0] * S[1] + A[1] * S[3] + A[2] * S[4]);
}
