/* reach.c: terms about the pose of one frame: position, orientation, pose, one axis.

   Residuals are present less wanted, in world axes: p - p*, the rotation vector of R R*^T, a - a*. */
#include "base/error.h"
#include "base/quat.h"
#include "simd/kernels.h"
#include "term/term.h"

/* ---- position ---- */

static void position_wanted(const hik_goal *g, const double *target, double *p, double *r) {
  (void)g, (void)r;
  hik_copy3(target, p);
}

static void position_residual(const hik_goal *g, const double *target, const hik_pose *frame, double *out) {
  (void)g;
  hik_sub3(frame->t, target, out);
}

static uint32_t position_residuals(int64_t n, const double *target, int64_t stride, const double *poses,
                                   double *out) {
  for (int64_t k = 0; k < n; k++, target += stride, poses += 16, out += HIK_RESIDUAL_STRIDE)
    for (int i = 0; i < 3; i++) out[i] = poses[4 * i + 3] - target[i];
  return ~(uint32_t)0;
}

static void position_jacobian(const hik_goal *g, const double *target, const hik_pose *frame,
                              const double *jac, int32_t nv, double *out) {
  (void)g, (void)target, (void)frame;
  memcpy(out, jac, 3 * (size_t)nv * sizeof *out);
}

static void position_measure(const hik_goal *g, const double *target, const hik_pose *frame,
                             const double *residual, hik_measure *out) {
  (void)g, (void)target, (void)frame;
  out->distance = hik_norm_safe(residual);
}

const hik_term_class hik_term_position = {.name = "position",
                                          .summary = "origin of the frame at a point",
                                          .reference = "",
                                          .width = 3,
                                          .rows = 3,
                                          .metric = 3,
                                          .caps = HIK_HAS_POSITION,
                                          .wanted = position_wanted,
                                          .residual = position_residual,
                                          .residuals = position_residuals,
                                          .jacobian = position_jacobian,
                                          .measure = position_measure};

/* ---- orientation: columns from `q` on ---- */

static void turn_residual(const double *q, const hik_pose *frame, double *out) {
  double r[9], d[9];
  hik_quat_to_mat(q, r);
  hik_mat_mult(frame->r, r, d);
  hik_mat_log(d, out);
}

static void turn_jacobian(const double *q, const hik_pose *frame, const double *angular, int32_t nv,
                          double *out) {
  double x[3], m[9];
  turn_residual(q, frame, x);
  hik_rotvec_rate(x, m);
  for (int32_t j = 0; j < nv; j++)
    for (int i = 0; i < 3; i++)
      out[i * (size_t)nv + (size_t)j] = m[3 * i] * angular[j] +
                                        m[3 * i + 1] * angular[(size_t)nv + (size_t)j] +
                                        m[3 * i + 2] * angular[2 * (size_t)nv + (size_t)j];
}

static void orientation_wanted(const hik_goal *g, const double *target, double *p, double *r) {
  (void)g, (void)p;
  hik_quat_to_mat(target, r);
}

static void orientation_residual(const hik_goal *g, const double *target, const hik_pose *frame,
                                 double *out) {
  (void)g;
  turn_residual(target, frame, out);
}

static void orientation_jacobian(const hik_goal *g, const double *target, const hik_pose *frame,
                                 const double *jac, int32_t nv, double *out) {
  (void)g;
  turn_jacobian(target, frame, jac + 3 * (size_t)nv, nv, out);
}

static void orientation_measure(const hik_goal *g, const double *target, const hik_pose *frame,
                                const double *residual, hik_measure *out) {
  (void)g, (void)target, (void)frame;
  out->angle = hik_norm(residual);
}

const hik_term_class hik_term_orientation = {.name = "orientation",
                                             .summary = "axes of the frame along those of a rotation",
                                             .reference = "",
                                             .width = 4,
                                             .rows = 3,
                                             .caps = HIK_HAS_ORIENTATION,
                                             .wanted = orientation_wanted,
                                             .residual = orientation_residual,
                                             .jacobian = orientation_jacobian,
                                             .measure = orientation_measure};

/* ---- pose ---- */

static void pose_wanted(const hik_goal *g, const double *target, double *p, double *r) {
  (void)g;
  hik_copy3(target, p);
  hik_quat_to_mat(target + 3, r);
}

static void pose_residual(const hik_goal *g, const double *target, const hik_pose *frame, double *out) {
  position_residual(g, target, frame, out);
  turn_residual(target + 3, frame, out + 3);
}

static uint32_t pose_residuals(int64_t n, const double *target, int64_t stride, const double *poses,
                               double *out) {
  return stride == 7 ? hik_kernels_in_use()->pose_residuals(n, poses, target, out) : 0;
}

static void pose_jacobian(const hik_goal *g, const double *target, const hik_pose *frame, const double *jac,
                          int32_t nv, double *out) {
  position_jacobian(g, target, frame, jac, nv, out);
  turn_jacobian(target + 3, frame, jac + 3 * (size_t)nv, nv, out + 3 * (size_t)nv);
}

static void pose_measure(const hik_goal *g, const double *target, const hik_pose *frame,
                         const double *residual, hik_measure *out) {
  position_measure(g, target, frame, residual, out);
  out->angle = hik_norm(residual + 3);
}

const hik_term_class hik_term_pose = {
    .name = "pose",
    .summary = "origin of the frame at a point and its axes along those of a rotation",
    .reference = "",
    .width = 7,
    .rows = 6,
    .metric = 3,
    .caps = HIK_HAS_POSITION | HIK_HAS_ORIENTATION,
    .wanted = pose_wanted,
    .residual = pose_residual,
    .residuals = pose_residuals,
    .jacobian = pose_jacobian,
    .measure = pose_measure};

/* ---- one axis ---- */

static bool axis_check(const hik_model *m, const hik_term *term, int32_t index, hik_error *error) {
  (void)m;
  double unit[3];
  if (hik_all_finite(term->param, 3) && hik_unit(term->param, unit) > 0) return true;
  hik_fail(error, HIK_BAD_ARGUMENT, index, "term %d: the axis in the frame is zero or not finite", index);
  return false;
}

static void axis_wanted(const hik_goal *g, const double *target, double *p, double *r) {
  (void)g, (void)p;
  hik_unit(target, r);
}

/* The frame's axis in the world, unit. */
static void axis_present(const hik_goal *g, const hik_pose *frame, double *out) {
  double unit[3] = {0, 0, 1};
  hik_unit(g->term.param, unit);
  hik_mat_vec(frame->r, unit, out);
}

static void axis_residual(const hik_goal *g, const double *target, const hik_pose *frame, double *out) {
  double have[3], want[3] = {0, 0, 1};
  axis_present(g, frame, have);
  hik_unit(target, want);
  hik_sub3(have, want, out);
}

static void axis_jacobian(const hik_goal *g, const double *target, const hik_pose *frame, const double *jac,
                          int32_t nv, double *out) {
  (void)target;
  double a[3];
  axis_present(g, frame, a);
  for (size_t j = 0, n = (size_t)nv; j < n; j++) {
    double w[3] = {jac[3 * n + j], jac[4 * n + j], jac[5 * n + j]}, move[3];
    hik_cross(w, a, move);
    for (size_t i = 0; i < 3; i++) out[i * n + j] = move[i];
  }
}

static void axis_measure(const hik_goal *g, const double *target, const hik_pose *frame,
                         const double *residual, hik_measure *out) {
  (void)residual;
  double have[3], want[3] = {0, 0, 1}, c[3];
  axis_present(g, frame, have);
  hik_unit(target, want);
  hik_cross(have, want, c);
  out->angle = hik_atan2(hik_norm(c), hik_dot(have, want));
}

const hik_term_class hik_term_axis = {.name = "axis",
                                      .summary = "one axis of the frame along a direction",
                                      .reference = "",
                                      .width = 3,
                                      .rows = 3,
                                      .caps = HIK_HAS_AXIS,
                                      .n_param = 3,
                                      .param_name = {"x", "y", "z"},
                                      .param_default = {0, 0, 1},
                                      .check = axis_check,
                                      .wanted = axis_wanted,
                                      .residual = axis_residual,
                                      .jacobian = axis_jacobian,
                                      .measure = axis_measure};
