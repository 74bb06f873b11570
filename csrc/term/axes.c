/* axes.c: terms that take axes one by one: coordinates of a position along some axes, weights of the three axes of an
   orientation.

   position_axes     e_i = w_i (a_i . R'^T (x - x') - t_i) for one to three orthogonal axes a_i of the other frame (R', x'), the
                     world where there is none: height only, a line, a plane, a point of another frame
   orientation_axes  e_k = sqrt(2 C_k) v_k, v the vector part of the quaternion of R*^T R with its real part positive and
                     C_k the sum of s_j = w_j^2 over the other two axes: |e|^2 = 1/2 sum s_j |a_j - d_j|^2 exactly, a_j the axes of
                     the frame and d_j the wanted ones */
#include "base/error.h"
#include "base/quat.h"
#include "term/project.h"

/* ---- position_axes ---- */

typedef struct coordinates {
  double axis[3][3];   /* in the world, unit */
  double present[3];   /* less wanted, unweighted */
  double from[3];      /* the frame's origin */
  const double *wrote; /* [rows][HIK_AXIS_NUMBERS] */
} coordinates;

static const double *row_of(const hik_goal *g, int32_t i) { return g->data + HIK_AXIS_NUMBERS * (size_t)i; }

/* Coordinates of the point x by the axes of a frame that stands at (r, origin); of those there are not, zero. */
static void measure_along(const hik_goal *g, const double *target, const double *x, const double *r,
                          const double *origin, double axis[3][3], double *out) {
  double d[3];
  hik_sub3(x, origin, d);
  for (int32_t i = 0; i < 3; i++) {
    out[i] = 0;
    if (i >= g->rows) continue;
    hik_mat_vec(r, row_of(g, i), axis[i]);
    out[i] = hik_dot(axis[i], d) - target[i];
  }
}

static void along(const hik_goal *g, const double *target, const hik_sight *sight, double *x,
                  double axis[3][3], double *out) {
  hik_pose frame, other;
  hik_goal_pose(g, sight->world, &frame);
  hik_goal_other_pose(g, sight->world, &other);
  hik_copy3(frame.t, x);
  measure_along(g, target, x, other.r, other.t, axis, out);
}

static bool position_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  (void)m;
  int32_t n = t->n_data / HIK_AXIS_NUMBERS;
  if (n < 1 || n > 3 || t->n_data % HIK_AXIS_NUMBERS) {
    hik_fail(error, HIK_BAD_ARGUMENT, index,
             "term %d: its data are 1 to 3 axes with a weight each, got %d numbers", index, t->n_data);
    return false;
  }
  for (int32_t i = 0; i < n; i++) {
    const double *row = t->data + HIK_AXIS_NUMBERS * (size_t)i;
    bool right = fabs(hik_norm(row) - 1) < 1e-9;
    for (int32_t k = 0; k < i; k++)
      right = right && fabs(hik_dot(row, row - HIK_AXIS_NUMBERS * (i - k))) < 1e-9;
    if (right && row[3] > 0 && row[3] < 1e100) continue;
    hik_fail(
        error, HIK_BAD_ARGUMENT, index,
        "term %d: its axes must be at right angles and of length one, their weights positive and below 1e100",
        index);
    return false;
  }
  return true;
}

static void position_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  double x[3], axis[3][3], e[3];
  along(g, target, sight, x, axis, e);
  for (int32_t i = 0; i < g->rows; i++) out[i] = row_of(g, i)[3] * e[i];
}

/* The coordinate changes with the velocity of the origin less that of the same point carried by the other frame. */
static void position_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                              const hik_columns *columns, double *out) {
  double x[3], axis[3][3], e[3], back[3][3];
  along(g, target, sight, x, axis, e);
  for (int32_t i = 0; i < g->rows; i++) {
    hik_scale3(row_of(g, i)[3], axis[i], axis[i]);
    hik_scale3(-1, axis[i], back[i]);
  }
  hik_columns_add(columns, sight, g->step, x, g->rows, (const double(*)[3])axis, NULL, out);
  hik_columns_add(columns, sight, g->other_step, x, g->rows, (const double(*)[3])back, NULL, out);
}

static void position_rows_measure(const hik_goal *g, const double *residual, hik_measure *out) {
  double e[3] = {0, 0, 0};
  for (int32_t i = 0; i < g->rows; i++) e[i] = residual[i] / row_of(g, i)[3];
  *out = (hik_measure){hik_norm_safe(e), 0};
}

static void position_measure(const hik_goal *g, const double *target, const hik_sight *sight,
                             hik_measure *out) {
  double e[3];
  position_residual(g, target, sight, e);
  position_rows_measure(g, e, out);
}

static void position_pulled(const hik_goal *g, int side, double point[3], double axis[3]) {
  (void)g, (void)side, (void)axis;
  point[0] = point[1] = point[2] = 0;
}

/* The nearest point of the plane or line, whatever the weights; the other frame comes to meet it. */
static bool position_project(const hik_goal *g, const double *target, const hik_stand now[2], double share,
                             hik_stand out[2]) {
  double axis[3][3], e[3], way[3] = {0, 0, 0};
  measure_along(g, target, now[0].point, now[1].rotation, now[1].point, axis, e);
  for (int32_t i = 0; i < g->rows; i++) hik_axpy3(way, e[i], axis[i], way);
  hik_axpy3(now[0].point, -share, way, out[0].point);
  hik_axpy3(now[1].point, 1 - share, way, out[1].point);
  memcpy(out[1].rotation, now[1].rotation, sizeof out[1].rotation);
  return true;
}

/* A line or plane comes as near to the root as it stands, and goes on without end. */
static bool position_span(const hik_goal *g, const double *target, hik_span *out) {
  double axis[3][3], e[3];
  if (g->other_step >= 0) return false;
  measure_along(g, target, g->root, g->other_place.r, g->other_place.t, axis, e);
  *out = (hik_span){hik_norm_safe(e), INFINITY, INFINITY};
  if (g->rows == 3) out->farthest = out->nearest;
  for (int32_t i = 0; i < g->rows; i++) out->weight = fmin(out->weight, row_of(g, i)[3]);
  return true;
}

const hik_term_class hik_term_position_axes = {
    .name = "position_axes",
    .summary = "coordinates of the frame's origin along axes of the world or of another frame",
    .reference = "",
    .width = HIK_AS_AXES,
    .rows = HIK_AS_AXES,
    .metric = 3,
    .caps = HIK_IS_PAIR | HIK_PULLS_POINT | HIK_SEES_FRAME,
    .check = position_check,
    .sight_residual = position_residual,
    .sight_jacobian = position_jacobian,
    .sight_measure = position_measure,
    .rows_measure = position_rows_measure,
    .span = position_span,
    .pulled = position_pulled,
    .project = position_project};

/* ---- orientation_axes ---- */

static bool orientation_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  (void)m;
  int32_t some = 0;
  bool right = true;
  for (int k = 0; k < 3; k++) {
    right = right && t->param[k] >= 0 && t->param[k] < 1e100;
    some += t->param[k] > 0;
  }
  if (right && some > 1) return true;
  hik_fail(error, HIK_BAD_ARGUMENT, index,
           "term %d: the weights of the axes must be zero or more, below 1e100 and two of them positive, "
           "got %g %g %g",
           index, t->param[0], t->param[1], t->param[2]);
  return false;
}

static bool orientation_usable(const hik_model *m, const double *target) {
  (void)m;
  return hik_quat_usable(target);
}

/* Quaternion of R*^T R with its real part not negative. */
static void turn_left(const double *target, const hik_pose *frame, double *quat) {
  double want[9], left[9];
  hik_quat_to_mat(target, want);
  hik_mat_tmul(want, frame->r, left);
  hik_quat_from_mat(left, quat);
  for (int k = 0; quat[0] < 0 && k < 4; k++) quat[k] = -quat[k];
}

/* sqrt(2 C_k) */
static void gains(const hik_goal *g, double *out) {
  const double *w = g->term.param;
  for (int k = 0; k < 3; k++) {
    double a = w[(k + 1) % 3], b = w[(k + 2) % 3];
    out[k] = sqrt(2 * (a * a + b * b));
  }
}

static void orientation_residual(const hik_goal *g, const double *target, const hik_pose *frame,
                                 double *out) {
  double quat[4], gain[3];
  turn_left(target, frame, quat);
  gains(g, gain);
  for (int k = 0; k < 3; k++) out[k] = gain[k] * quat[1 + k];
}

/* v' = (q0 u + v x u) / 2 with u the angular velocity in the frame's own axes. */
static void orientation_jacobian(const hik_goal *g, const double *target, const hik_pose *frame,
                                 const double *jac, int32_t nv, double *out) {
  double quat[4], gain[3];
  turn_left(target, frame, quat);
  gains(g, gain);
  for (size_t j = 0, n = (size_t)nv; j < n; j++) {
    double w[3] = {jac[3 * n + j], jac[4 * n + j], jac[5 * n + j]}, own[3], round[3];
    hik_mat_tvec(frame->r, w, own);
    hik_cross(quat + 1, own, round);
    for (size_t k = 0; k < 3; k++) out[k * n + j] = gain[k] * 0.5 * (quat[0] * own[k] + round[k]);
  }
}

static void orientation_measure(const hik_goal *g, const double *target, const hik_pose *frame,
                                const double *residual, hik_measure *out) {
  (void)g, (void)residual;
  double quat[4];
  turn_left(target, frame, quat);
  out->angle = 2 * hik_atan2(hik_norm(quat + 1), quat[0]);
}

static void orientation_pulled(const hik_goal *g, int side, double point[3], double axis[3]) {
  position_pulled(g, side, point, axis);
}

static bool orientation_project(const hik_goal *g, const double *target, const hik_stand now[2], double share,
                                hik_stand out[2]) {
  (void)g, (void)now, (void)share;
  hik_quat_to_mat(target, out->rotation);
  return true;
}

static void orientation_axis_weights(const hik_goal *g, double out[3]) {
  for (int k = 0; k < 3; k++) out[k] = g->term.param[k] * g->term.param[k];
}

const hik_term_class hik_term_orientation_axes = {
    .name = "orientation_axes",
    .summary = "axes of the frame along those of a rotation, each with its weight",
    .reference = "",
    .width = 4,
    .rows = 3,
    .caps = HIK_PULLS_FRAME,
    .n_param = 3,
    .param_name = {"x", "y", "z"},
    .param_default = {1, 1, 1},
    .check = orientation_check,
    .usable = orientation_usable,
    .residual = orientation_residual,
    .jacobian = orientation_jacobian,
    .measure = orientation_measure,
    .axis_weights = orientation_axis_weights,
    .pulled = orientation_pulled,
    .project = orientation_project};
