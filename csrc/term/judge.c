/* judge.c: residuals, their derivative, and the only place that says "met". It knows no solver. */
#include "base/memory.h"
#include "simd/kernels.h"
#include "term/obstacles.h"
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

static void goal_jacobian(const hik_goal *g, const double *target, const hik_sight *sight,
                          const hik_columns *columns, double *out) {
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
  hik_point_jacobian(sight->model, g->step, frame.t, sight->q, sight->world, NULL, columns->jac,
                     columns->count);
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
  double r[HIK_MOST_ROWS];
  hik_goal_pose(g, sight->world, &frame);
  c->residual(g, target + g->column, &frame, r);
  c->measure(g, target + g->column, &frame, r, out);
}

/* NaN is within no tolerance. */
static bool goal_met(const hik_goal *g, const hik_measure *m) {
  return m->distance <= g->term.position_tolerance && m->angle <= g->term.orientation_tolerance;
}

/* Adds one goal to the verdict, whose error comes in the end. */
static void add_goal(const hik_problem *p, const hik_goal *g, const double *r, const hik_measure *m,
                     hik_verdict *out) {
  const char *metric = p->metric + g->row;
  double w = g->term.weight, turns = out->turns, lengths = out->lengths;
  for (int32_t k = 0; k < g->rows; k++) {
    double square = w * r[k] * (w * r[k]);
    if (metric[k])
      lengths += square;
    else
      turns += square;
  }
  out->turns = turns, out->lengths = lengths;
  out->met = out->met && goal_met(g, m);
  if (m->distance > out->position_error) out->position_error = m->distance;
  if (m->angle > out->orientation_error) out->orientation_error = m->angle;
}

/* A goal about one frame, which stands at this pose, with this residual. */
static void judge_frame(const hik_problem *p, const hik_goal *g, const double *target, const hik_pose *frame,
                        const double *r, hik_verdict *out) {
  hik_measure measure = {0, 0};
  hik_goal_class(g)->measure(g, target + g->column, frame, r, &measure);
  add_goal(p, g, r, &measure, out);
}

static void judge_end(const hik_problem *p, const double *q, hik_verdict *out) {
  out->error = sqrt(out->lengths + out->turns);
  if (HIK_UNLIKELY(!(out->error < INFINITY))) { /* not met, however wide the tolerance */
    out->met = false;
    /* nothing measured at such a pose means anything, though one term or the other may have missed it */
    if (out->error != out->error) out->error = out->position_error = out->orientation_error = NAN;
    return;
  }
  out->met = out->met && hik_inside(p->model, q, 1e-12);
}

void hik_judge_world(const hik_problem *p, const double *target, const double *q, const hik_pose *world,
                     hik_verdict *out) {
  const hik_sight sight = {p->model, q, world};
  *out = (hik_verdict){.met = true};
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    if (hik_goal_is_soft(g)) continue;
    if (hik_goal_class(g)->residual) {
      hik_pose frame;
      double r[HIK_MOST_ROWS];
      hik_goal_pose(g, world, &frame);
      hik_goal_class(g)->residual(g, target + g->column, &frame, r);
      judge_frame(p, g, target, &frame, r, out);
    } else {
      hik_measure measure;
      double r[HIK_MOST_ROWS];
      hik_goal_residual(g, target, &sight, r);
      if (hik_goal_class(g)->rows_measure)
        hik_goal_class(g)->rows_measure(g, r, &measure);
      else
        hik_goal_measure(g, target, &sight, &measure);
      add_goal(p, g, r, &measure, out);
    }
  }
  judge_end(p, q, out);
}

/* What moves stands one above the other up to the goal's frame: balls that others follow may stand beside or below it. */
static bool one_chain(const hik_problem *p) {
  const int32_t *parent = p->model->step_parent;
  int32_t n = p->n_active;
  for (int32_t k = 1; k < n && p->model->n_follow > 0; k++)
    if (parent[p->active[k]] != p->active[k - 1]) return false;
  return p->active[n - 1] == p->goal->step;
}

/* One goal, hard, about one frame on a chain that the lanes take. */
static bool in_lanes(const hik_problem *p, int32_t n) {
  const hik_goal *g = p->goal;
  return n > 1 && n <= HIK_JUDGE_LANES && p->n_goal == 1 && hik_goal_class(g)->residual &&
         !hik_goal_is_soft(g) && p->n_active > 0 && p->n_active <= HIK_POSE_STEPS && one_chain(p);
}

/* What stands about a figure is looked at for a group of postures together. */
static void look_ahead(const hik_problem *p, const double *q, int32_t n) {
  for (int32_t i = 0; i < p->n_goal && n > 1; i++)
    if (hik_goal_class(p->goal + i)->caps & HIK_IS_CLEARANCE)
      hik_clear_look(&p->goal[i].term, q, n < HIK_GROUP ? n : HIK_GROUP, true);
}

void hik_judge_some(const hik_problem *p, int32_t n, const double *target, int64_t target_stride,
                    const double *q, hik_pose *world, hik_verdict *out) {
  const hik_goal *g = p->goal;
  const hik_model *m = p->model;
  double poses[16 * HIK_JUDGE_LANES], r[HIK_RESIDUAL_STRIDE * HIK_JUDGE_LANES];
  if (!in_lanes(p, n)) {
    for (int32_t i = 0; i < n; i++, target += target_stride, q += m->nq) {
      if (i % HIK_GROUP == 0) look_ahead(p, q, n - i);
      hik_judge_one(p, target, q, world, out + i);
    }
    return;
  }
  const hik_term_class *c = hik_goal_class(g);
  hik_kernels_in_use()->frame(m, g->term.frame, p->active, p->n_active, n, q, poses);
  uint32_t done = c->residuals ? c->residuals(n, target + g->column, target_stride, poses, r) : 0;
  for (int32_t i = 0; i < n; i++, target += target_stride, q += m->nq) {
    hik_pose frame;
    double *row = r + HIK_RESIDUAL_STRIDE * i;
    hik_pose_from_mat4(poses + 16 * i, &frame);
    if (!(done >> i & 1)) c->residual(g, target + g->column, &frame, row);
    out[i] = (hik_verdict){.met = true};
    judge_frame(p, g, target, &frame, row, out + i);
    judge_end(p, q, out + i);
  }
}

void hik_judge_one(const hik_problem *p, const double *target, const double *q, hik_pose *world,
                   hik_verdict *out) {
  hik_list_poses(p->model, p->active, p->n_active, q, world);
  hik_judge_world(p, target, q, world, out);
}

double hik_stage_error(const hik_problem *p, int32_t stage, const double *target, const double *q,
                       hik_pose *world) {
  const hik_sight sight = {p->model, q, world};
  double square = 0, r[HIK_MOST_ROWS];
  hik_list_poses(p->model, p->active, p->n_active, q, world);
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    if (g->stage != stage) continue;
    hik_goal_residual(g, target, &sight, r);
    for (int32_t k = 0; k < g->rows; k++) {
      double part = g->term.weight * r[k] * (g->term.weight * r[k]);
      square += p->metric[g->row + k] ? part / (p->scale * p->scale) : HIK_TURN_SHARE * part;
    }
  }
  return sqrt(square);
}

/* Processors give a NaN that they made the one sign or the other: what goes out has one. */
static double one_nan(double x) { return isnan(x) ? NAN : x; }

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
      for (int32_t r = 0; r < g->rows; r++) rows[r] = one_nan(rows[r] * g->term.weight);
    }
  }
}

void hik_residual_jacobian(const hik_problem *p, int64_t n, const double *target, const double *q,
                           double *out, void *scratch) {
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
      for (size_t r = 0; r < (size_t)g->rows * nv; r++) rows[r] = one_nan(rows[r] * g->term.weight);
    }
  }
}

void hik_judge(const hik_problem *p, int64_t n, const double *target, const double *q, double *error,
               double *position_error, double *orientation_error, bool *met, void *scratch) {
  hik_verdict v[HIK_JUDGE_LANES];
  for (int64_t i = 0; i < n; i++) {
    int32_t at = (int32_t)(i % HIK_JUDGE_LANES);
    if (at == 0) {
      int32_t some = n - i < HIK_JUDGE_LANES ? (int32_t)(n - i) : HIK_JUDGE_LANES;
      hik_judge_some(p, some, target + i * p->width, p->width, q + i * p->model->nq, scratch, v);
    }
    if (error) error[i] = one_nan(v[at].error);
    if (position_error) position_error[i] = one_nan(v[at].position_error);
    if (orientation_error) orientation_error[i] = one_nan(v[at].orientation_error);
    if (met) met[i] = v[at].met;
  }
}

void hik_measure_terms(const hik_problem *p, int64_t n, const double *target, const double *q,
                       double *distance, double *angle, bool *met, void *scratch) {
  hik_pose *world = scratch;
  for (int64_t i = 0, at = 0; i < n; i++, target += p->width, q += p->model->nq) {
    const hik_sight sight = {p->model, q, world};
    hik_list_poses(p->model, p->active, p->n_active, q, world);
    for (int32_t k = 0; k < p->n_goal; k++, at++) {
      hik_measure m;
      hik_goal_measure(p->goal + k, target, &sight, &m);
      if (distance) distance[at] = one_nan(m.distance);
      if (angle) angle[at] = one_nan(m.angle);
      if (met)
        met[at] =
            hik_goal_is_soft(p->goal + k) || (goal_met(p->goal + k, &m) && m.distance + m.angle < INFINITY);
    }
  }
}
