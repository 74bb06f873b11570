/* judge.c: residuals, their derivative, and the only place that says "met". It knows no solver. */
#include "base/memory.h"
#include "term/term.h"

void hik_goal_residual(const hik_goal *g, const double *target, const hik_sight *sight, double *out) {
  const hik_term_class *c = hik_goal_class(g);
  if (c->sight_residual) {
    c->sight_residual(g, target + g->column, sight, out);
    return;
  }
  hik_pose frame;
  hik_goal_pose(g, sight->world, &frame);
  c->residual(g, target + g->column, &frame, out);
}

static void goal_jacobian(const hik_goal *g, const double *target, const hik_sight *sight, const hik_columns *columns,
                          double *out) {
  const hik_term_class *c = hik_goal_class(g);
  size_t nv = (size_t)columns->count;
  if (c->sight_jacobian) {
    memset(out, 0, (size_t)g->rows * nv * sizeof *out);
    c->sight_jacobian(g, target + g->column, sight, columns, out);
    return;
  }
  hik_pose frame;
  hik_goal_pose(g, sight->world, &frame);
  memset(columns->jac, 0, 6 * nv * sizeof *out);
  hik_point_jacobian(sight->model, g->step, frame.t, sight->world, columns->jac, columns->count);
  c->jacobian(g, target + g->column, &frame, columns->jac, columns->count, out);
}

void hik_goal_measure(const hik_goal *g, const double *target, const hik_sight *sight, hik_measure *out) {
  const hik_term_class *c = hik_goal_class(g);
  *out = (hik_measure){0, 0};
  if (c->sight_measure) {
    c->sight_measure(g, target + g->column, sight, out);
    return;
  }
  hik_pose frame;
  hik_goal_pose(g, sight->world, &frame);
  c->measure(g, target + g->column, &frame, out);
}

static bool goal_met(const hik_goal *g, const hik_measure *m) {
  return m->distance <= g->term.position_tolerance && m->angle <= g->term.orientation_tolerance;
}

static bool is_soft(const hik_goal *g) { return hik_goal_class(g)->caps & HIK_IS_SOFT; }

void hik_judge_world(const hik_problem *p, const double *target, const double *q, const hik_pose *world,
                     hik_verdict *out) {
  const hik_sight sight = {p->model, q, world};
  double sum = 0;
  bool met = true;
  *out = (hik_verdict){0, 0, 0, false};
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    hik_measure measure;
    double r[HIK_MOST_ROWS];
    if (is_soft(g)) continue;
    hik_goal_residual(g, target, &sight, r);
    for (int32_t k = 0; k < g->rows; k++) sum += g->term.weight * r[k] * (g->term.weight * r[k]);
    hik_goal_measure(g, target, &sight, &measure);
    met = met && goal_met(g, &measure);
    out->position_error = fmax(out->position_error, measure.distance);
    out->orientation_error = fmax(out->orientation_error, measure.angle);
  }
  out->error = sqrt(sum);
  out->met = met && hik_inside(p->model, q, 1e-12);
}

void hik_judge_one(const hik_problem *p, const double *target, const double *q, hik_pose *world, hik_verdict *out) {
  hik_list_poses(p->model, p->active, p->n_active, q, world);
  hik_judge_world(p, target, q, world, out);
}

void hik_residual(const hik_problem *p, int64_t n, const double *target, const double *q, double *residual,
                  void *scratch) {
  hik_pose *world = scratch;
  for (int64_t i = 0; i < n; i++, target += p->width, q += p->model->nq, residual += p->rows) {
    const hik_sight sight = {p->model, q, world};
    hik_list_poses(p->model, p->active, p->n_active, q, world);
    for (int32_t k = 0; k < p->n_goal; k++) {
      const hik_goal *g = p->goal + k;
      double *rows = residual + g->row;
      hik_goal_residual(g, target, &sight, rows);
      for (int32_t r = 0; r < g->rows; r++) rows[r] *= g->term.weight;
    }
  }
}

void hik_residual_jacobian(const hik_problem *p, int64_t n, const double *target, const double *q, double *out,
                           void *scratch) {
  size_t nv = (size_t)p->model->nv, n_step = (size_t)p->model->n_step;
  hik_block block = {scratch, 0, false};
  hik_pose *world = HIK_TAKE(&block, hik_pose, n_step);
  HIK_TAKE(&block, int32_t, n_step);
  hik_columns columns = {.count = p->model->nv};
  columns.jac = HIK_TAKE(&block, double, 6 * nv);
  columns.mass = HIK_TAKE(&block, double, 4 * n_step);
  for (int64_t i = 0; i < n; i++, target += p->width, q += p->model->nq, out += (size_t)p->rows * nv) {
    const hik_sight sight = {p->model, q, world};
    hik_list_poses(p->model, p->active, p->n_active, q, world);
    for (int32_t k = 0; k < p->n_goal; k++) {
      const hik_goal *g = p->goal + k;
      double *rows = out + (size_t)g->row * nv;
      goal_jacobian(g, target, &sight, &columns, rows);
      for (size_t r = 0; r < (size_t)g->rows * nv; r++) rows[r] *= g->term.weight;
    }
  }
}

void hik_judge(const hik_problem *p, int64_t n, const double *target, const double *q, double *error,
               double *position_error, double *orientation_error, bool *met, void *scratch) {
  hik_verdict v;
  for (int64_t i = 0; i < n; i++, target += p->width, q += p->model->nq) {
    hik_judge_one(p, target, q, scratch, &v);
    if (error) error[i] = v.error;
    if (position_error) position_error[i] = v.position_error;
    if (orientation_error) orientation_error[i] = v.orientation_error;
    if (met) met[i] = v.met;
  }
}

void hik_measure_terms(const hik_problem *p, int64_t n, const double *target, const double *q, double *distance,
                       double *angle, bool *met, void *scratch) {
  hik_pose *world = scratch;
  for (int64_t i = 0, at = 0; i < n; i++, target += p->width, q += p->model->nq) {
    const hik_sight sight = {p->model, q, world};
    hik_list_poses(p->model, p->active, p->n_active, q, world);
    for (int32_t k = 0; k < p->n_goal; k++, at++) {
      hik_measure m;
      hik_goal_measure(p->goal + k, target, &sight, &m);
      if (distance) distance[at] = m.distance;
      if (angle) angle[at] = m.angle;
      if (met) met[at] = is_soft(p->goal + k) || goal_met(p->goal + k, &m);
    }
  }
}
