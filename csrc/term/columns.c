/* columns.c: derivatives by the columns asked for, whatever they are. */
#include "term/term.h"

/* The columns of the ball that step s follows. */
static void follow_columns(const hik_columns *c, const hik_sight *sight, int32_t s, int32_t column,
                           const double point[3], int32_t rows, const double (*linear)[3],
                           const double (*angular)[3], double *out) {
  const hik_model *m = sight->model;
  double rate[3], move[3], axis[3];
  hik_follow_rates(hik_step_follows(m, s), sight->q + m->step_q[s], rate);
  hik_step_motion(m, s, point, sight->world, move, axis);
  for (int32_t i = 0; i < rows; i++) {
    double gain = hik_dot(linear[i], move) + (angular ? hik_dot(angular[i], axis) : 0);
    for (int k = 0; k < 3; k++)
      out[(size_t)i * (size_t)c->count + (size_t)(column + k)] +=
          rate[k] * hik_column_unit(c, column + k) * gain;
  }
}

void hik_columns_add(const hik_columns *c, const hik_sight *sight, int32_t step, const double point[3],
                     int32_t rows, const double (*linear)[3], const double (*angular)[3], double *out) {
  const hik_model *m = sight->model;
  size_t n = (size_t)c->count;
  for (int32_t s = step; s >= 0; s = m->step_parent[s]) {
    int32_t column = hik_column_of(c, m->step_v[s]);
    if (column < 0) continue;
    if (hik_step_follows(m, s)) {
      follow_columns(c, sight, s, column, point, rows, linear, angular, out);
      continue;
    }
    const hik_pose *at = sight->world + s;
    double scale = m->step_line[2 * (size_t)s] * hik_column_unit(c, column), lever[3], axis[3], move[3];
    bool slide = m->step_kind[s] == HIK_SLIDE;
    hik_sub3(point, at->t, lever);
    for (int k = m->step_kind[s] == HIK_BALL_STEP ? 0 : 2; k < 3; k++, column++) {
      hik_mat_column(at->r, k, axis);
      if (slide)
        hik_copy3(axis, move);
      else
        hik_cross(axis, lever, move);
      for (int32_t i = 0; i < rows; i++) {
        double gain = hik_dot(linear[i], move);
        if (angular && !slide) gain += hik_dot(angular[i], axis);
        out[(size_t)i * n + (size_t)column] += scale * gain;
      }
    }
  }
}
