/* dynamics_lanes.h: what the dynamics do with lanes, and the motion of a step. */
#pragma once

#include "simd/dynamics.h"
#include "simd/lanes.h"

/* ---- the motion of a step ---- */

/* Rotation and origin of the moved frame in the moved frame above. */
static void step_place(const hik_model *m, int32_t s, const lane *q, lane *r, lane *p) {
  const double *line = m->step_line + 2 * (size_t)s;
  const lane *value = q + m->step_q[s];
  lane at[12];
  lane_spread(m->step_placement + 12 * (size_t)s, 12, at);
  move_placed(m->step_kind[s], line[0] * value[0] + line[1], value, at, r, p);
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

/* A wrench (force, moment) of the frame that stands at r, p in the one above, told there. */
HIK_INLINE void wrench_above(const lane *r, const lane *p, const lane *wrench, lane *out) {
  lane_rotate(r, wrench, out);
  lane_rotate(r, wrench + 3, out + 3);
  lane_add_cross(p, out, out + 3);
}

/* Takes the pushes off the wrenches of the steps, whose rotations in the one above are r; of both those of the next step
   stand `stride` lanes on. world [n_step][9] is scratch. */
static void take_pushes(const hik_weighed *c, const lane *r, lane *wrench, size_t stride, lane *world,
                        int64_t first, int64_t n) {
  for (int32_t s = 0; s < c->model->n_step; s++, r += stride) {
    lane *out = world + 9 * (size_t)s;
    if (c->model->step_parent[s] < 0)
      memcpy(out, r, 9 * sizeof *out);
    else
      lane_times(world + 9 * (size_t)c->model->step_parent[s], r, out);
  }
  for (const hik_push *push = c->push; push < c->push + c->n_push; push++) {
    const lane *turn = world + 9 * (size_t)push->step;
    lane given[6], own[6], turned[3], *out = wrench + stride * (size_t)push->step;
    lane_load_part(push->value, 6, (size_t)push->stride, first, n, given);
    lane_rotate_back(turn, given, own);
    lane_rotate_back(turn, given + 3, own + 3);
    lane_arm_cross(push->arm, own, turned);
    for (int i = 0; i < 3; i++) out[i] -= own[i], out[3 + i] -= own[3 + i] + turned[i];
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
