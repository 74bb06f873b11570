/* clearance.c: two capsules fixed to frames keep their distance.

   Reference  V. J. Lumelsky, On fast computation of distance between line segments, Information Processing Letters 21
              (1985) 55-61: the nearest points of two segments, the parameters clipped one after the other. */
#include "base/error.h"
#include "term/term.h"

enum { START = 0, END = 3, RADIUS = 6, OTHER_START = 7, OTHER_END = 10, OTHER_RADIUS = 13, CLEARANCE = 14 };

static bool clearance_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  (void)m;
  const double *x = t->param;
  if (hik_all_finite(x, 15) && x[RADIUS] >= 0 && x[OTHER_RADIUS] >= 0 && x[CLEARANCE] >= 0) return true;
  hik_fail(error, HIK_BAD_ARGUMENT, index,
           "term %d: a capsule's ends must be finite, radii and clearance 0 or more", index);
  return false;
}

/* Nearest points of the segments from p along d and from q along e, as shares s and t of them. */
static void nearest(const double *p, const double *d, const double *q, const double *e, double *s,
                    double *t) {
  double r[3], a = hik_dot(d, d), b = hik_dot(d, e), c = hik_dot(e, e);
  hik_sub3(p, q, r);
  double f = hik_dot(d, r), g = hik_dot(e, r), flat = a * c - b * b;
  *s = flat > 1e-14 * a * c ? hik_clip((b * g - c * f) / flat, 0, 1) : 0;
  *t = c > 0 ? (b * *s + g) / c : 0;
  if (*t >= 0 && *t <= 1 && c > 0) return;
  *t = hik_clip(*t, 0, 1);
  *s = a > 0 ? hik_clip((b * *t - f) / a, 0, 1) : 0;
}

typedef struct gap {
  double point[3], other[3]; /* nearest points of the two axes */
  double way[3];             /* unit, from the other to the point */
  double lacks;              /* how much the distance is short of, 0: clear; as the residual, negative */
} gap;

static gap look(const hik_goal *g, const hik_sight *sight) {
  gap out;
  hik_pose frame, other;
  double a[2][3], b[2][3], d[3], e[3], s, t;
  const double *x = g->term.param;
  hik_goal_pose(g, sight->world, &frame);
  hik_goal_other_pose(g, sight->world, &other);
  hik_pose_point(&frame, x + START, a[0]);
  hik_pose_point(&frame, x + END, a[1]);
  hik_pose_point(&other, x + OTHER_START, b[0]);
  hik_pose_point(&other, x + OTHER_END, b[1]);
  hik_sub3(a[1], a[0], d);
  hik_sub3(b[1], b[0], e);
  nearest(a[0], d, b[0], e, &s, &t);
  hik_axpy3(a[0], s, d, out.point);
  hik_axpy3(b[0], t, e, out.other);
  double apart[3], across[3] = {0, 0, 1};
  hik_sub3(out.point, out.other, apart);
  double n = hik_norm_safe(apart);
  if (hik_unit(apart, out.way) ==
      0) { /* the axes cross: out of both by the shortest way that keeps them straight */
    hik_cross(d, e, across);
    if (hik_unit(across, out.way) == 0) hik_copy3((const double[3]){0, 0, 1}, out.way);
  }
  out.lacks = n - x[RADIUS] - x[OTHER_RADIUS] - x[CLEARANCE];
  if (out.lacks > 0) out.lacks = 0; /* NaN stays */
  return out;
}

static void clearance_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  (void)target;
  out[0] = look(g, sight).lacks;
}

/* The nearest points slide along the axes at right angles to the way between them: only what carries them counts. */
static void clearance_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                               const hik_columns *columns, double *out) {
  (void)target;
  gap gap = look(g, sight);
  double back[1][3], way[1][3];
  if (!(gap.lacks < 0)) return;
  hik_copy3(gap.way, way[0]);
  hik_scale3(-1, gap.way, back[0]);
  hik_columns_add(columns, sight, g->step, gap.point, 1, (const double(*)[3])way, NULL, out);
  hik_columns_add(columns, sight, g->other_step, gap.other, 1, (const double(*)[3])back, NULL, out);
}

static void clearance_measure(const hik_goal *g, const double *target, const hik_sight *sight,
                              hik_measure *out) {
  (void)target;
  out->distance = -look(g, sight).lacks;
}

const hik_term_class hik_term_clearance = {.name = "clearance",
                                           .summary = "two capsules fixed to frames keep a distance",
                                           .reference = "Lumelsky 1985",
                                           .width = 0,
                                           .rows = 1,
                                           .metric = 1,
                                           .caps = HIK_IS_PAIR,
                                           .n_param = 15,
                                           .param_name = {"start_x", "start_y", "start_z", "end_x", "end_y",
                                                          "end_z", "radius", "other_start_x", "other_start_y",
                                                          "other_start_z", "other_end_x", "other_end_y",
                                                          "other_end_z", "other_radius", "clearance"},
                                           .check = clearance_check,
                                           .sight_residual = clearance_residual,
                                           .sight_jacobian = clearance_jacobian,
                                           .sight_measure = clearance_measure};
