/* judge.c: residuals, their derivative, and the only place that says "met". It knows no solver. */
#include "base/memory.h"
#include "term/term.h"

enum { MOST_ROWS = 6 };

void hik_residual_world(const hik_problem *p, const double *target, const hik_pose *world, double *out) {
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    const hik_term_class *c = hik_goal_class(g);
    hik_pose frame;
    hik_goal_pose(g, world, &frame);
    c->residual(g, target + g->column, &frame, out + g->row);
    for (int32_t k = 0; k < c->rows; k++) out[g->row + k] *= g->term.weight;
  }
}

void hik_jacobian_world(const hik_problem *p, const double *target, const hik_pose *world, double *jac, double *out) {
  const hik_model *m = p->model;
  size_t nv = (size_t)m->nv;
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    const hik_term_class *c = hik_goal_class(g);
    hik_pose frame;
    hik_goal_pose(g, world, &frame);
    memset(jac, 0, 6 * nv * sizeof *jac);
    hik_point_jacobian(m, g->step, frame.t, world, jac, m->nv);
    double *rows = out + (size_t)g->row * nv;
    c->jacobian(g, target + g->column, &frame, jac, m->nv, rows);
    for (size_t k = 0; k < (size_t)c->rows * nv; k++) rows[k] *= g->term.weight;
  }
}

void hik_judge_world(const hik_problem *p, const double *target, const double *q, const hik_pose *world,
                     hik_verdict *out) {
  double sum = 0;
  bool met = true;
  *out = (hik_verdict){0, 0, 0, false};
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    const hik_term_class *c = hik_goal_class(g);
    hik_pose frame;
    hik_measure measure = {0, 0};
    double r[MOST_ROWS];
    hik_goal_pose(g, world, &frame);
    c->residual(g, target + g->column, &frame, r);
    for (int32_t k = 0; k < c->rows; k++) sum += g->term.weight * r[k] * (g->term.weight * r[k]);
    c->measure(g, target + g->column, &frame, &measure);
    met = met && measure.distance <= g->term.position_tolerance && measure.angle <= g->term.orientation_tolerance;
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
    hik_list_poses(p->model, p->active, p->n_active, q, world);
    hik_residual_world(p, target, world, residual);
  }
}

void hik_residual_jacobian(const hik_problem *p, int64_t n, const double *target, const double *q, double *out,
                           void *scratch) {
  hik_block block = {scratch, 0, false};
  hik_pose *world = HIK_TAKE(&block, hik_pose, p->model->n_step);
  HIK_TAKE(&block, int32_t, p->model->n_step);
  double *jac = HIK_TAKE(&block, double, 6 * (size_t)p->model->nv);
  for (int64_t i = 0; i < n; i++) {
    hik_list_poses(p->model, p->active, p->n_active, q, world);
    hik_jacobian_world(p, target, world, jac, out);
    target += p->width, q += p->model->nq, out += (size_t)p->rows * (size_t)p->model->nv;
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
