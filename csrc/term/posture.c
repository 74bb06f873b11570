/* posture.c: soft terms about all coordinates: rest, change. They never decide whether a problem is solved.

   Residual of coordinate v: weight * (q less the posture), of a ball the rotation vector of posture^-1 q in its own
   axes, as hik_difference has it. A coordinate that several joints share counts once. */
#include "base/error.h"
#include "base/quat.h"
#include "term/term.h"

static bool usable_posture(const hik_model *m, const double *q) {
  for (int32_t s = 0; s < m->n_step; s++) {
    if (m->step_kind[s] != HIK_BALL_STEP) continue;
    const double *x = q + m->step_q[s];
    double n = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
    if (!(n > 1e-200 && n < 1e200)) return false;
  }
  return true;
}

static bool check_weights(const hik_term *t, const double *weight, int32_t nv, int32_t index,
                          hik_error *error) {
  for (int32_t k = 0; k < nv; k++)
    if (!(weight[k] >= 0 && weight[k] < 1e100)) {
      hik_fail(error, HIK_BAD_ARGUMENT, index,
               "term %d: the weight of coordinate %d must be 0 or more, got %g", index, k, weight[k]);
      return false;
    }
  (void)t;
  return true;
}

static bool rest_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  if (t->n_data != m->nq + m->nv)
    hik_fail(error, HIK_BAD_ARGUMENT, index,
             "term %d: rest takes a posture of %d numbers and %d weights, got %d", index, m->nq, m->nv,
             t->n_data);
  else if (!usable_posture(m, t->data))
    hik_fail(error, HIK_BAD_ARGUMENT, index, "term %d: a quaternion of the posture has no length", index);
  else
    return check_weights(t, t->data + m->nq, m->nv, index, error);
  return false;
}

static bool change_check(const hik_model *m, const hik_term *t, int32_t index, hik_error *error) {
  if (t->n_data == m->nv) return check_weights(t, t->data, m->nv, index, error);
  hik_fail(error, HIK_BAD_ARGUMENT, index, "term %d: change takes %d weights, got %d", index, m->nv,
           t->n_data);
  return false;
}

/* Coordinates of a step less those of the posture; how many. */
static int32_t difference(const hik_sight *sight, int32_t s, const double *posture, double *out) {
  const hik_model *m = sight->model;
  const double *q = sight->q + m->step_q[s], *p = posture + m->step_q[s];
  if (m->step_kind[s] != HIK_BALL_STEP) {
    out[0] = *q - *p;
    return 1;
  }
  double turn[4], unit[4];
  memcpy(unit, p, sizeof unit);
  hik_quat_normalize(unit);
  hik_quat_cmul(unit, q, turn);
  hik_quat_normalize(turn);
  hik_quat_log(turn, out);
  return 3;
}

static bool follows(const hik_model *m, int32_t s) { return m->joint_mimic[m->step_joint[s]] >= 0; }

static void residual(const hik_sight *sight, const double *posture, const double *weight, double *out) {
  const hik_model *m = sight->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    double x[3];
    if (follows(m, s)) continue;
    for (int32_t k = 0, n = difference(sight, s, posture, x); k < n; k++)
      out[m->step_v[s] + k] = weight[m->step_v[s] + k] * x[k];
  }
}

static void jacobian(const hik_sight *sight, const double *posture, const double *weight,
                     const hik_columns *columns, double *out) {
  const hik_model *m = sight->model;
  size_t n = (size_t)columns->count;
  for (int32_t s = 0; s < m->n_step; s++) {
    int32_t v = m->step_v[s], column = hik_column_of(columns, v);
    double x[3], rate[9];
    if (follows(m, s) || column < 0) continue;
    if (difference(sight, s, posture, x) == 1) {
      out[(size_t)v * n + (size_t)column] = weight[v] * hik_column_unit(columns, column);
      continue;
    }
    hik_rotvec_rate(x, rate); /* transposed: the ball's columns turn about its moved axes */
    for (size_t i = 0; i < 3; i++)
      for (size_t k = 0; k < 3; k++)
        out[((size_t)v + i) * n + (size_t)column + k] = weight[(size_t)v + i] * rate[3 * k + i];
  }
}

/* Largest slide and largest turn, weights apart, of the coordinates that have one. */
static void measure(const hik_sight *sight, const double *posture, const double *weight, hik_measure *out) {
  const hik_model *m = sight->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    double x[3] = {0, 0, 0};
    if (follows(m, s) || !(weight[m->step_v[s]] > 0)) continue;
    difference(sight, s, posture, x);
    if (m->step_kind[s] == HIK_SLIDE)
      out->distance = hik_most(out->distance, fabs(x[0]));
    else
      out->angle = hik_most(out->angle, hik_norm(x));
  }
}

static void rest_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  (void)target;
  residual(sight, g->data, g->data + sight->model->nq, out);
}

static void rest_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                          const hik_columns *columns, double *out) {
  (void)target;
  jacobian(sight, g->data, g->data + sight->model->nq, columns, out);
}

static void rest_measure(const hik_goal *g, const double *target, const hik_sight *sight, hik_measure *out) {
  (void)target;
  measure(sight, g->data, g->data + sight->model->nq, out);
}

const hik_term_class hik_term_rest = {.name = "rest",
                                      .summary = "soft: coordinates near a posture",
                                      .reference = "Liegeois 1977",
                                      .width = 0,
                                      .rows = HIK_AS_V,
                                      .metric = -1,
                                      .caps = HIK_IS_WHOLE | HIK_IS_SOFT,
                                      .check = rest_check,
                                      .sight_residual = rest_residual,
                                      .sight_jacobian = rest_jacobian,
                                      .sight_measure = rest_measure};

static void change_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  residual(sight, target, g->data, out);
}

static void change_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                            const hik_columns *columns, double *out) {
  jacobian(sight, target, g->data, columns, out);
}

static void change_measure(const hik_goal *g, const double *target, const hik_sight *sight,
                           hik_measure *out) {
  measure(sight, target, g->data, out);
}

const hik_term_class hik_term_change = {.name = "change",
                                        .summary = "soft: coordinates near those of the target row",
                                        .reference = "",
                                        .width = HIK_AS_Q,
                                        .rows = HIK_AS_V,
                                        .metric = -1,
                                        .caps = HIK_IS_WHOLE | HIK_IS_SOFT,
                                        .check = change_check,
                                        .usable = usable_posture,
                                        .sight_residual = change_residual,
                                        .sight_jacobian = change_jacobian,
                                        .sight_measure = change_measure};
