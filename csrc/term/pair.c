/* pair.c: terms between two frames of the figure, both of which may move: distance, and loops that must close.

   Residuals are the frame's less the other's, in world axes. The other frame -1 is the world, which holds still. */
#include "base/error.h"
#include "base/quat.h"
#include "term/project.h"

enum {
  POINT = HIK_PAIR_POINT,
  OTHER_POINT = HIK_PAIR_OTHER_POINT,
  LEAST = HIK_PAIR_LEAST,
  MOST = HIK_PAIR_MOST,
  AXIS = HIK_PAIR_AXIS,
  OTHER_AXIS = 9
};

static const double unit_rows[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double unit_rows_back[3][3] = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
static const double no_rows[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};

typedef struct pair {
  hik_pose frame, other;
  double point[3], other_point[3]; /* in the world */
} pair;

static pair look(const hik_goal *g, const hik_sight *sight) {
  pair p;
  hik_goal_pose(g, sight->world, &p.frame);
  hik_goal_other_pose(g, sight->world, &p.other);
  hik_pose_point(&p.frame, g->term.param + POINT, p.point);
  hik_pose_point(&p.other, g->term.param + OTHER_POINT, p.other_point);
  return p;
}

static bool points_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  (void)m;
  if (hik_all_finite(t->param, 6)) return true;
  hik_fail(error, HIK_BAD_ARGUMENT, index, "term %d: a point is not finite", index);
  return false;
}

/* ---- distance ---- */

static bool distance_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  if (!points_check(m, t, index, error)) return false;
  double least = t->param[LEAST], most = t->param[MOST];
  if (least >= 0 && least <= most && least < INFINITY) return true;
  hik_fail(error, HIK_BAD_ARGUMENT, index,
           "term %d: a distance must lie between 0 <= min <= max, got %g and %g", index, least, most);
  return false;
}

/* How much too long (or, negative, too short) the distance is, NaN where it is; the unit vector from the other point into `way`. */
static double too_long(const hik_goal *g, const pair *p, double *way) {
  double d[3], least = g->term.param[LEAST], most = g->term.param[MOST];
  hik_sub3(p->point, p->other_point, d);
  double n = hik_norm_safe(d);
  if (hik_unit(d, way) == 0) hik_copy3(unit_rows[2], way); /* any way apart is as good */
  return n > most ? n - most : n < least ? n - least : n == n ? 0 : n;
}

static void distance_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  (void)target;
  double way[3];
  pair p = look(g, sight);
  out[0] = too_long(g, &p, way);
}

static void distance_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                              const hik_columns *columns, double *out) {
  (void)target;
  double way[1][3], back[1][3];
  pair p = look(g, sight);
  double excess = too_long(g, &p, way[0]);
  if (excess == 0 && g->term.param[LEAST] < g->term.param[MOST]) return; /* inside its room nothing pulls */
  hik_scale3(-1, way[0], back[0]);
  hik_columns_add(columns, sight, g->step, p.point, 1, (const double(*)[3])way, NULL, out);
  hik_columns_add(columns, sight, g->other_step, p.other_point, 1, (const double(*)[3])back, NULL, out);
}

static void distance_measure(const hik_goal *g, const double *target, const hik_sight *sight,
                             hik_measure *out) {
  double e;
  distance_residual(g, target, sight, &e);
  out->distance = fabs(e);
}

const hik_term_class hik_term_distance = {
    .name = "distance",
    .summary = "distance of points of two frames within a range",
    .reference = "",
    .width = 0,
    .rows = 1,
    .metric = 1,
    .caps = HIK_IS_PAIR | HIK_PULLS_POINT,
    .n_param = 8,
    .param_name = {"x", "y", "z", "other_x", "other_y", "other_z", "least", "most"},
    .param_default = {0, 0, 0, 0, 0, 0, 0, 0},
    .check = distance_check,
    .sight_residual = distance_residual,
    .sight_jacobian = distance_jacobian,
    .sight_measure = distance_measure,
    .pulled = hik_pulled_pair,
    .project = hik_project_distance};

/* ---- loop: the points coincide ---- */

static void loop_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  (void)target;
  pair p = look(g, sight);
  hik_sub3(p.point, p.other_point, out);
}

static void add_points(const hik_goal *g, const pair *p, const hik_sight *sight, const hik_columns *columns,
                       double *out) {
  hik_columns_add(columns, sight, g->step, p->point, 3, unit_rows, NULL, out);
  hik_columns_add(columns, sight, g->other_step, p->other_point, 3, unit_rows_back, NULL, out);
}

static void loop_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                          const hik_columns *columns, double *out) {
  (void)target;
  pair p = look(g, sight);
  add_points(g, &p, sight, columns, out);
}

static void loop_measure(const hik_goal *g, const double *target, const hik_sight *sight, hik_measure *out) {
  double e[3];
  loop_residual(g, target, sight, e);
  out->distance = hik_norm_safe(e);
}

const hik_term_class hik_term_loop = {.name = "loop",
                                      .summary = "points of two frames coincide",
                                      .reference = "",
                                      .width = 0,
                                      .rows = 3,
                                      .metric = 3,
                                      .caps = HIK_IS_PAIR | HIK_PULLS_POINT,
                                      .n_param = 6,
                                      .param_name = {"x", "y", "z", "other_x", "other_y", "other_z"},
                                      .check = points_check,
                                      .sight_residual = loop_residual,
                                      .sight_jacobian = loop_jacobian,
                                      .sight_measure = loop_measure,
                                      .pulled = hik_pulled_pair,
                                      .project = hik_project_loop};

/* ---- loop_hinge: the points coincide and two axes are parallel ---- */

static bool hinge_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  double unit[3];
  if (!points_check(m, t, index, error)) return false;
  if (hik_all_finite(t->param + AXIS, 6) && hik_unit(t->param + AXIS, unit) > 0 &&
      hik_unit(t->param + OTHER_AXIS, unit) > 0)
    return true;
  hik_fail(error, HIK_BAD_ARGUMENT, index, "term %d: an axis is zero or not finite", index);
  return false;
}

static void axes(const hik_goal *g, const pair *p, double *a, double *b) {
  double unit[3] = {0, 0, 1};
  hik_unit(g->term.param + AXIS, unit);
  hik_mat_vec(p->frame.r, unit, a);
  hik_unit(g->term.param + OTHER_AXIS, unit);
  hik_mat_vec(p->other.r, unit, b);
}

static void hinge_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  (void)target;
  pair p = look(g, sight);
  double a[3], b[3];
  hik_sub3(p.point, p.other_point, out);
  axes(g, &p, a, b);
  hik_sub3(a, b, out + 3);
}

/* Rows r with r . w = sign * (w x a): the velocity of the tip of an axis a. */
static void tip_rows(const double *a, double sign, double (*rows)[3]) {
  for (int i = 0; i < 3; i++) {
    hik_cross(a, unit_rows[i], rows[i]);
    hik_scale3(sign, rows[i], rows[i]);
  }
}

static void hinge_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                           const hik_columns *columns, double *out) {
  (void)target;
  pair p = look(g, sight);
  double a[3], b[3], rows[3][3];
  add_points(g, &p, sight, columns, out);
  axes(g, &p, a, b);
  out += 3 * (size_t)columns->count;
  tip_rows(a, 1, rows);
  hik_columns_add(columns, sight, g->step, p.point, 3, no_rows, (const double(*)[3])rows, out);
  tip_rows(b, -1, rows);
  hik_columns_add(columns, sight, g->other_step, p.other_point, 3, no_rows, (const double(*)[3])rows, out);
}

static void hinge_measure(const hik_goal *g, const double *target, const hik_sight *sight, hik_measure *out) {
  (void)target;
  pair p = look(g, sight);
  double d[3], a[3], b[3];
  hik_sub3(p.point, p.other_point, d);
  out->distance = hik_norm_safe(d);
  axes(g, &p, a, b);
  hik_cross(a, b, d);
  out->angle = hik_atan2(hik_norm(d), hik_dot(a, b));
}

const hik_term_class hik_term_loop_hinge = {
    .name = "loop_hinge",
    .summary = "points of two frames coincide and two axes point the same way",
    .reference = "",
    .width = 0,
    .rows = 6,
    .metric = 3,
    .caps = HIK_IS_PAIR | HIK_PULLS_POINT | HIK_PULLS_AXIS,
    .n_param = 12,
    .param_name = {"x", "y", "z", "other_x", "other_y", "other_z", "axis_x", "axis_y", "axis_z",
                   "other_axis_x", "other_axis_y", "other_axis_z"},
    .param_default = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1},
    .check = hinge_check,
    .sight_residual = hinge_residual,
    .sight_jacobian = hinge_jacobian,
    .sight_measure = hinge_measure,
    .pulled = hik_pulled_hinge,
    .project = hik_project_hinge};

/* ---- loop_pose: the points coincide and so do the axes ---- */

static void pose_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  (void)target;
  pair p = look(g, sight);
  double d[9];
  hik_sub3(p.point, p.other_point, out);
  hik_mat_mult(p.frame.r, p.other.r, d);
  hik_mat_log(d, out + 3);
}

/* D = A B' turns with w_a - D w_b; x = log D with x' = m (w_a - D w_b), and m D = m' because D turns about x. */
static void pose_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                          const hik_columns *columns, double *out) {
  pair p = look(g, sight);
  double x[6], m[9], rows[3][3], back[3][3];
  add_points(g, &p, sight, columns, out);
  pose_residual(g, target, sight, x);
  hik_rotvec_rate(x + 3, m);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) rows[i][k] = m[3 * i + k], back[i][k] = -m[3 * k + i];
  out += 3 * (size_t)columns->count;
  hik_columns_add(columns, sight, g->step, p.point, 3, no_rows, (const double(*)[3])rows, out);
  hik_columns_add(columns, sight, g->other_step, p.other_point, 3, no_rows, (const double(*)[3])back, out);
}

static void pose_measure(const hik_goal *g, const double *target, const hik_sight *sight, hik_measure *out) {
  double e[6];
  pose_residual(g, target, sight, e);
  out->distance = hik_norm_safe(e);
  out->angle = hik_norm(e + 3);
}

const hik_term_class hik_term_loop_pose = {.name = "loop_pose",
                                           .summary = "points of two frames coincide and so do their axes",
                                           .reference = "",
                                           .width = 0,
                                           .rows = 6,
                                           .metric = 3,
                                           .caps = HIK_IS_PAIR | HIK_PULLS_POINT | HIK_PULLS_FRAME,
                                           .n_param = 6,
                                           .param_name = {"x", "y", "z", "other_x", "other_y", "other_z"},
                                           .check = points_check,
                                           .sight_residual = pose_residual,
                                           .sight_jacobian = pose_jacobian,
                                           .sight_measure = pose_measure,
                                           .pulled = hik_pulled_pair,
                                           .project = hik_project_weld};
