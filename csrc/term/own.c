/* own.c: terms whose residual is a function of the caller's, of the poses of some frames.

   Its derivative by the frames' twists is the caller's too, or made here by central differences: 12 calls a frame. What the
   twists are by the coordinates of the figure is known here, so that the caller knows no joint. */
#include "base/error.h"
#include "base/trig.h"
#include "term/term.h"

/* Of central differences: the cube root of the rounding, radians or shares of the reach. */
static const double STEP = 6e-6;

static bool own_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  const hik_own *own = t->own;
  bool good = own && own->residual && own->n_frame >= 1 && own->n_frame <= HIK_OWN_FRAMES && own->rows >= 1 &&
              own->rows <= HIK_MOST_ROWS && own->width >= 0 && own->metric >= 0 && own->metric <= own->rows;
  if (!good) {
    hik_fail(
        error, HIK_BAD_ARGUMENT, index,
        "term %d: a term of one's own needs a residual, 1 to %d frames, 1 to %d rows, of which 0 or more are "
        "in metres, and 0 or more columns",
        index, HIK_OWN_FRAMES, HIK_MOST_ROWS);
    return false;
  }
  for (int32_t k = 0; k < own->n_frame; k++)
    if (own->frame[k] < 0 || own->frame[k] >= m->n_frame) {
      hik_fail(error, HIK_BAD_ARGUMENT, index, "term %d: the model has no frame %d", index, own->frame[k]);
      return false;
    }
  return true;
}

static void frame_pose(const hik_own *own, int32_t k, const hik_sight *sight, hik_pose *out) {
  int32_t step = sight->model->frame_step[own->frame[k]];
  const hik_pose *place = hik_frame_place(sight->model, own->frame[k]);
  if (step < 0)
    *out = *place;
  else
    hik_pose_mul(sight->world + step, place, out);
}

static void look(const hik_own *own, const hik_sight *sight, double *poses) {
  hik_pose pose;
  for (int32_t k = 0; k < own->n_frame; k++) {
    frame_pose(own, k, sight, &pose);
    hik_pose_to_mat4(&pose, poses + 16 * k);
  }
}

/* What the caller did not give is not a number: within no tolerance, and no way down. */
static void call(const hik_own *own, const double *target, const double *poses, double *out) {
  if (own->residual(own->context, target, poses, out)) return;
  for (int32_t r = 0; r < own->rows; r++) out[r] = NAN;
}

static void own_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  double poses[16 * HIK_OWN_FRAMES];
  look(g->term.own, sight, poses);
  call(g->term.own, target, poses, out);
}

/* The pose `from` after a step of length h along twist i, linear above angular. */
static void nudge(const double *from, int i, double h, double *to) {
  memcpy(to, from, 16 * sizeof *to);
  if (i < 3) {
    to[4 * i + 3] += h;
    return;
  }
  double c, s;
  int a = (i - 2) % 3, b = (i - 1) % 3; /* the rows that turn: y to z about x */
  hik_sincos(h, &s, &c);
  for (int k = 0; k < 3; k++) {
    to[4 * a + k] = c * from[4 * a + k] - s * from[4 * b + k];
    to[4 * b + k] = s * from[4 * a + k] + c * from[4 * b + k];
  }
}

static void differences(const hik_own *own, double reach, const double *target, double *poses, double *out) {
  double kept[16], up[HIK_MOST_ROWS], down[HIK_MOST_ROWS];
  for (int32_t k = 0; k < own->n_frame; k++) {
    memcpy(kept, poses + 16 * k, sizeof kept);
    for (int i = 0; i < 6; i++) {
      double h = i < 3 ? STEP * reach : STEP;
      nudge(kept, i, h, poses + 16 * k);
      call(own, target, poses, up);
      nudge(kept, i, -h, poses + 16 * k);
      call(own, target, poses, down);
      for (int32_t r = 0; r < own->rows; r++)
        out[6 * (r * own->n_frame + k) + i] = (up[r] - down[r]) / (2 * h);
    }
    memcpy(poses + 16 * k, kept, sizeof kept);
  }
}

static void own_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                         const hik_columns *columns, double *out) {
  const hik_own *own = g->term.own;
  double poses[16 * HIK_OWN_FRAMES], rows[6 * HIK_MOST_ROWS * HIK_OWN_FRAMES], reach = sight->model->reach;
  double linear[HIK_MOST_ROWS][3], angular[HIK_MOST_ROWS][3];
  look(own, sight, poses);
  if (!own->jacobian)
    differences(own, reach > 0 && reach < INFINITY ? reach : 1, target, poses, rows);
  else if (!own->jacobian(own->context, target, poses, rows))
    for (int32_t k = 0; k < 6 * own->rows * own->n_frame; k++) rows[k] = NAN;
  for (int32_t k = 0; k < own->n_frame; k++) {
    double point[3] = {poses[16 * k + 3], poses[16 * k + 7], poses[16 * k + 11]};
    for (int32_t r = 0; r < own->rows; r++) {
      hik_copy3(rows + 6 * (r * own->n_frame + k), linear[r]);
      hik_copy3(rows + 6 * (r * own->n_frame + k) + 3, angular[r]);
    }
    hik_columns_add(columns, sight, sight->model->frame_step[own->frame[k]], point, own->rows,
                    (const double(*)[3])linear, (const double(*)[3])angular, out);
  }
}

static double norm(const double *r, int32_t n) {
  double sum = 0;
  for (int32_t k = 0; k < n; k++) sum += r[k] * r[k];
  return sqrt(sum);
}

static void own_rows_measure(const hik_goal *g, const double *residual, hik_measure *out) {
  int32_t metric = g->term.own->metric;
  out->distance = norm(residual, metric);
  out->angle = norm(residual + metric, g->rows - metric);
}

static void own_measure(const hik_goal *g, const double *target, const hik_sight *sight, hik_measure *out) {
  double r[HIK_MOST_ROWS];
  own_residual(g, target, sight, r);
  own_rows_measure(g, r, out);
}

const hik_term_class hik_term_own = {.name = "own",
                                     .summary = "a function of the caller's, of the poses of some frames",
                                     .reference = "",
                                     .width = HIK_AS_OWN,
                                     .rows = HIK_AS_OWN,
                                     .metric = HIK_AS_OWN,
                                     .caps = HIK_IS_OWN,
                                     .check = own_check,
                                     .sight_residual = own_residual,
                                     .sight_jacobian = own_jacobian,
                                     .sight_measure = own_measure,
                                     .rows_measure = own_rows_measure};
