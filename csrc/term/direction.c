/* direction.c: terms about where an axis of one frame points: level, look_at. */
#include "base/error.h"
#include "base/quat.h"
#include "term/project.h"

static bool has_length(const double *x) {
  double unit[3];
  return hik_all_finite(x, 3) && hik_unit(x, unit) > 0;
}

/* The frame's axis param[0..2] in the world, unit. */
static void axis_present(const hik_goal *g, const hik_pose *frame, double *out) {
  double unit[3] = {0, 0, 1};
  hik_unit(g->term.param, unit);
  hik_mat_vec(frame->r, unit, out);
}

static void angular_column(const double *jac, size_t n, size_t j, double *out) {
  for (size_t i = 0; i < 3; i++) out[i] = jac[(3 + i) * n + j];
}

/* ---- level: the angle between the axis and a direction of the world ---- */

enum { LEVEL_DIRECTION = HIK_LEVEL_DIRECTION, LEVEL_ANGLE = HIK_LEVEL_ANGLE };

static bool level_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  (void)m;
  double angle = t->param[LEVEL_ANGLE];
  if (!has_length(t->param) || !has_length(t->param + LEVEL_DIRECTION))
    hik_fail(error, HIK_BAD_ARGUMENT, index, "term %d: the axis or the direction is zero or not finite",
             index);
  else if (!(angle >= 0 && angle <= HIK_PI))
    hik_fail(error, HIK_BAD_ARGUMENT, index, "term %d: the angle must be 0 to pi, got %g", index, angle);
  else
    return true;
  return false;
}

/* Angle between axis and direction; the way the axis must turn about to widen it into `about`. */
static double level_angle(const hik_goal *g, const hik_pose *frame, double *about) {
  double a[3], u[3] = {0, 0, 1}, c[3];
  axis_present(g, frame, a);
  hik_unit(g->term.param + LEVEL_DIRECTION, u);
  hik_cross(u, a, c);
  double s = hik_norm(c);
  if (s > 1e-12)
    hik_scale3(1 / s, c, about);
  else
    hik_perpendicular(u, about); /* every way widens it */
  return hik_atan2(s, hik_dot(a, u));
}

static void level_residual(const hik_goal *g, const double *target, const hik_pose *frame, double *out) {
  (void)target;
  double about[3];
  out[0] = level_angle(g, frame, about) - g->term.param[LEVEL_ANGLE];
}

static void level_jacobian(const hik_goal *g, const double *target, const hik_pose *frame, const double *jac,
                           int32_t nv, double *out) {
  (void)target;
  double about[3], w[3];
  level_angle(g, frame, about);
  for (size_t j = 0; j < (size_t)nv; j++) {
    angular_column(jac, (size_t)nv, j, w);
    out[j] = hik_dot(about, w);
  }
}

static void level_measure(const hik_goal *g, const double *target, const hik_pose *frame,
                          const double *residual, hik_measure *out) {
  (void)g, (void)target, (void)frame;
  out->angle = fabs(residual[0]);
}

const hik_term_class hik_term_level = {
    .name = "level",
    .summary = "an axis of the frame at an angle to a direction of the world",
    .reference = "",
    .width = 0,
    .rows = 1,
    .n_param = 7,
    .param_name = {"x", "y", "z", "direction_x", "direction_y", "direction_z", "angle"},
    .param_default = {0, 0, 1, 0, 0, 1, HIK_PI / 2},
    .check = level_check,
    .residual = level_residual,
    .jacobian = level_jacobian,
    .measure = level_measure,
    .caps = HIK_PULLS_AXIS,
    .pulled = hik_pulled_level,
    .project = hik_project_level};

/* ---- look_at: the axis, from a point of the frame, passes through a point of the world ---- */

enum { LOOK_EYE = HIK_LOOK_EYE };

static bool look_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  (void)m;
  if (has_length(t->param) && hik_all_finite(t->param + LOOK_EYE, 3)) return true;
  hik_fail(error, HIK_BAD_ARGUMENT, index, "term %d: the axis is zero, or it or the eye is not finite",
           index);
  return false;
}

typedef struct look {
  double axis[3], eye[3], way[3]; /* eye: from the frame's origin, world axes; way: unit, towards the point */
  double far; /* how far the point is; 0: the eye stands on it and there is no way; NaN: nobody knows */
} look;

static look look_from(const hik_goal *g, const double *target, const hik_pose *frame) {
  look l = {.way = {0, 0, 0}};
  double d[3];
  axis_present(g, frame, l.axis);
  hik_mat_vec(frame->r, g->term.param + LOOK_EYE, l.eye);
  hik_sub3(target, frame->t, d);
  hik_sub3(d, l.eye, d);
  l.far = hik_unit(d, l.way);
  if (HIK_UNLIKELY(l.far == 0 && !hik_all_finite(d, 3))) l.far = l.way[0] = l.way[1] = l.way[2] = NAN;
  return l;
}

static void look_residual(const hik_goal *g, const double *target, const hik_pose *frame, double *out) {
  look l = look_from(g, target, frame);
  hik_sub3(l.axis, l.way, out);
}

static void look_jacobian(const hik_goal *g, const double *target, const hik_pose *frame, const double *jac,
                          int32_t nv, double *out) {
  look l = look_from(g, target, frame);
  double nearer = l.far > 0 ? 1 / l.far : 0;
  for (size_t j = 0, n = (size_t)nv; j < n; j++) {
    double v[3] = {jac[j], jac[n + j], jac[2 * n + j]}, w[3], turned[3], moved[3];
    angular_column(jac, n, j, w);
    hik_cross(w, l.axis, turned);
    hik_cross(w, l.eye, moved);
    hik_add3(moved, v, moved);
    double along = hik_dot(moved, l.way);
    for (size_t i = 0; i < 3; i++) out[i * n + j] = turned[i] + nearer * (moved[i] - along * l.way[i]);
  }
}

static void look_measure(const hik_goal *g, const double *target, const hik_pose *frame,
                         const double *residual, hik_measure *out) {
  (void)residual;
  look l = look_from(g, target, frame);
  double c[3];
  hik_cross(l.axis, l.way, c);
  out->angle = l.far > 0 || l.far != l.far ? hik_atan2(hik_norm(c), hik_dot(l.axis, l.way)) : HIK_PI;
}

const hik_term_class hik_term_look_at = {
    .name = "look_at",
    .summary = "an axis of the frame, from a point of it, through a point of the world",
    .reference = "",
    .width = 3,
    .rows = 3,
    .n_param = 6,
    .param_name = {"x", "y", "z", "eye_x", "eye_y", "eye_z"},
    .param_default = {0, 0, 1, 0, 0, 0},
    .check = look_check,
    .residual = look_residual,
    .jacobian = look_jacobian,
    .measure = look_measure,
    .caps = HIK_PULLS_AXIS,
    .pulled = hik_pulled_look_at,
    .project = hik_project_look_at};
