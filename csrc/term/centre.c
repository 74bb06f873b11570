/* centre.c: terms about the centre of mass: at a point, or above a convex polygon of support. */
#include "base/error.h"
#include "term/term.h"

static double total_mass(const hik_model *m) {
  double sum = 0;
  for (int32_t s = 0; s < m->n_step; s++) sum += m->step_inertial[10 * (size_t)s];
  return sum;
}

static bool centre_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  (void)t;
  if (total_mass(m) > 0) return true;
  hik_fail(error, HIK_BAD_ARGUMENT, index,
           "term %d: nothing that moves has mass, so there is no centre of mass", index);
  return false;
}

/* Mass and first moment in the world of the body of step s. */
static void body(const hik_sight *sight, int32_t s, double *out) {
  const double *own = sight->model->step_inertial + 10 * (size_t)s;
  const hik_pose *at = sight->world + s;
  out[0] = own[0];
  hik_mat_vec(at->r, own + 1, out + 1);
  hik_axpy3(out + 1, own[0], at->t, out + 1);
}

static void centre(const hik_sight *sight, double *out) {
  double sum[4] = {0, 0, 0, 0}, x[4];
  for (int32_t s = 0; s < sight->model->n_step; s++) {
    body(sight, s, x);
    for (int i = 0; i < 4; i++) sum[i] += x[i];
  }
  hik_scale3(1 / sum[0], sum + 1, out);
}

/* The columns of the ball that step s follows, which moves the body b below it. */
static void follow_rows(const hik_sight *sight, const hik_columns *columns, int32_t s, int32_t column,
                        const double *b, double inverse, double *rows) {
  const hik_model *m = sight->model;
  double rate[3], middle[3], move[3], axis[3];
  if (!(b[0] > 0)) return;
  hik_follow_rates(hik_step_follows(m, s), sight->q + m->step_q[s], rate);
  hik_scale3(1 / b[0], b + 1, middle);
  hik_step_motion(m, s, middle, sight->world, move, axis);
  for (int k = 0; k < 3; k++, column++)
    for (size_t i = 0; i < 3; i++)
      rows[i * (size_t)columns->count + (size_t)column] +=
          inverse * b[0] * rate[k] * hik_column_unit(columns, column) * move[i];
}

/* rows [3][count] of the centre's velocity. A column moves all that hangs below its step as one body. */
static void centre_rows(const hik_sight *sight, const hik_columns *columns, double *rows) {
  const hik_model *m = sight->model;
  size_t n = (size_t)columns->count;
  double *below = columns->mass, inverse = 1 / total_mass(m);
  memset(rows, 0, 3 * n * sizeof *rows);
  for (int32_t s = 0; s < m->n_step; s++) body(sight, s, below + 4 * (size_t)s);
  for (int32_t s = m->n_step; s-- > 0;) {
    const double *b = below + 4 * (size_t)s;
    int32_t parent = m->step_parent[s], column = hik_column_of(columns, m->step_v[s]);
    for (int i = 0; i < 4 && parent >= 0; i++) below[4 * (size_t)parent + (size_t)i] += b[i];
    if (column < 0) continue;
    if (hik_step_follows(m, s)) {
      follow_rows(sight, columns, s, column, b, inverse, rows);
      continue;
    }
    const hik_pose *at = sight->world + s;
    double scale = inverse * m->step_line[2 * (size_t)s] * hik_column_unit(columns, column), axis[3],
           lever[3], move[3];
    hik_axpy3(b + 1, -b[0], at->t, lever); /* mass times lever */
    for (int k = m->step_kind[s] == HIK_BALL_STEP ? 0 : 2; k < 3; k++, column++) {
      hik_mat_column(at->r, k, axis);
      if (m->step_kind[s] == HIK_SLIDE)
        hik_scale3(b[0], axis, move);
      else
        hik_cross(axis, lever, move);
      for (size_t i = 0; i < 3; i++) rows[i * n + (size_t)column] += scale * move[i];
    }
  }
}

/* ---- at a point ---- */

static void point_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  (void)g;
  centre(sight, out);
  hik_sub3(out, target, out);
}

static void point_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                           const hik_columns *columns, double *out) {
  (void)g, (void)target;
  centre_rows(sight, columns, out);
}

static void point_measure(const hik_goal *g, const double *target, const hik_sight *sight, hik_measure *out) {
  double e[3];
  point_residual(g, target, sight, e);
  out->distance = hik_norm_safe(e);
}

const hik_term_class hik_term_centre_of_mass = {.name = "centre_of_mass",
                                                .summary = "centre of mass at a point",
                                                .reference = "",
                                                .width = 3,
                                                .rows = 3,
                                                .metric = 3,
                                                .caps = HIK_IS_WHOLE,
                                                .check = centre_check,
                                                .sight_residual = point_residual,
                                                .sight_jacobian = point_jacobian,
                                                .sight_measure = point_measure};

/* ---- above a polygon ---- */

/* The data are corners x y, counterclockwise and convex; one is a point, two are a line. */
static bool support_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  int32_t n = t->n_data / 2;
  const double *x = t->data;
  if (!centre_check(m, t, index, error)) return false;
  bool good = n >= 1 && t->n_data % 2 == 0;
  double area = 0;
  for (int32_t k = 0; k < n && n > 2; k++) {
    const double *a = x + 2 * k, *b = x + 2 * ((k + 1) % n), *c = x + 2 * ((k + 2) % n);
    double d[2] = {b[0] - a[0], b[1] - a[1]}, e[2] = {c[0] - b[0], c[1] - b[1]};
    double square = (d[0] * d[0] + d[1] * d[1]) * (e[0] * e[0] + e[1] * e[1]);
    good = good && d[0] * e[1] - d[1] * e[0] >= -1e-9 * sqrt(square); /* rounding may bend a straight edge */
    area += (a[0] - x[0]) * (b[1] - x[1]) - (a[1] - x[1]) * (b[0] - x[0]);
  }
  good = good && (n <= 2 || area > 0);
  if (good) return true;
  hik_fail(error, HIK_BAD_ARGUMENT, index,
           "term %d: the support must be corners x y of a convex polygon, counterclockwise", index);
  return false;
}

/* From the nearest point of the polygon to p: `off`, zero above it, NaN where p is no number. The projection
   onto the way off changes as `through` says: 2 off a corner, 1 off an edge of direction `along`, 0 above. */
static int off_polygon(const hik_goal *g, const double *p, double off[2], double along[2]) {
  int32_t n = g->term.n_data / 2;
  double least = INFINITY;
  bool inside = n > 2;
  int through = 2;
  /* what is too far to be squared is looked at in a unit of its own */
  double unit = fmax(fabs(p[0]), fabs(p[1])) > 0x1p500 ? 0x1p-540 : 1;
  off[0] = off[1] = NAN;
  for (int32_t k = 0; k < n; k++) {
    const double *a = g->data + 2 * k, *b = g->data + 2 * ((k + 1) % n);
    double edge[2] = {b[0] - a[0], b[1] - a[1]}, from[2] = {(p[0] - a[0]) * unit, (p[1] - a[1]) * unit};
    double square = edge[0] * edge[0] + edge[1] * edge[1], dot = from[0] * edge[0] + from[1] * edge[1];
    inside = inside && edge[0] * from[1] - edge[1] * from[0] >= 0;
    double t = square > 0 ? hik_clip(dot / unit / square, 0, 1) : 0;
    double d[2] = {from[0] - t * unit * edge[0], from[1] - t * unit * edge[1]},
           distance = d[0] * d[0] + d[1] * d[1];
    if (!(distance < least)) continue;
    least = distance;
    off[0] = d[0] / unit, off[1] = d[1] / unit;
    through = t > 0 && t < 1 ? 1 : 2;
    if (through == 1) along[0] = edge[0] / sqrt(square), along[1] = edge[1] / sqrt(square);
  }
  if (!inside) return through;
  off[0] = off[1] = 0;
  return 0;
}

static void support_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  (void)target;
  double c[3], along[2];
  centre(sight, c);
  off_polygon(g, c, out, along);
}

static void support_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                             const hik_columns *columns, double *out) {
  (void)target;
  size_t n = (size_t)columns->count;
  double c[3], off[2], along[2] = {0, 0};
  centre(sight, c);
  int through = off_polygon(g, c, off, along);
  if (through == 0) return;
  double *rows = columns->jac;
  centre_rows(sight, columns, rows);
  for (size_t k = 0; k < n; k++) {
    double slide = through == 1 ? along[0] * rows[k] + along[1] * rows[n + k] : 0;
    out[k] = rows[k] - slide * along[0];
    out[n + k] = rows[n + k] - slide * along[1];
  }
}

static void support_measure(const hik_goal *g, const double *target, const hik_sight *sight,
                            hik_measure *out) {
  double e[3] = {0, 0, 0};
  support_residual(g, target, sight, e);
  out->distance = hik_norm_safe(e);
}

const hik_term_class hik_term_support = {.name = "support",
                                         .summary = "centre of mass above a convex polygon of the ground",
                                         .reference = "",
                                         .width = 0,
                                         .rows = 2,
                                         .metric = 2,
                                         .caps = HIK_IS_WHOLE,
                                         .check = support_check,
                                         .sight_residual = support_residual,
                                         .sight_jacobian = support_jacobian,
                                         .sight_measure = support_measure};
