/* mix.c: the combination of the last poses whose residual is least, for methods that crawl.

   Near a pose that meets the goals residuals are almost linear in the pose. So the last poses of a method, with their
   residuals, say where it crawls to: q + sum b_i (q_i - q), b being what makes |e + sum b_i (e_i - e)| least. That asks for
   no derivative, and is the same for every method that shows pose after pose: Anderson's mixing. The rounds of `retries`
   make it (pace.h), which are this library's own; the first round of attempts does not. Twin: handik.study.twins.mixing.

   Reference  D. G. Anderson: Iterative procedures for nonlinear integral equations. J. ACM 12 (1965) 547-560.
              H. F. Walker, P. Ni: Anderson acceleration for fixed-point iterations. SIAM J. Numerical Analysis 49 (2011)
              1715-1735. T. Washio, C. W. Oosterlee: Krylov subspace acceleration for nonlinear multigrid schemes.
              Electronic Trans. Numerical Analysis 6 (1997) 271-290, of residuals instead of steps. */
#include "base/dense.h"
#include "solve/drive/pace.h"

/* Share of the trace on the diagonal: poses on one line have a combination too. */
static const double DAMPING = 1e-12;

hik_mix *hik_mix_lay_out(const hik_problem *p, hik_block *block) {
  hik_mix *m = HIK_TAKE(block, hik_mix, 1), spare, *into = m ? m : &spare;
  size_t nq = (size_t)p->model->nq, rows = (size_t)p->rows;
  into->q = HIK_TAKE(block, double, HIK_MIX_DEPTH *nq);
  HIK_TAKE_DOUBLES(block, HIK_MIX_DEPTH * rows, &into->e, &into->off);
  into->way = HIK_TAKE(block, double, nq);
  into->trail = HIK_TAKE(block, double, 2 * nq);
  return m;
}

hik_mix *hik_mix_of(const hik_run *run) {
  if (!run->mix || run->worker->attempt == 0) return NULL;
  run->mix->count = run->mix->at = 0;
  return run->mix;
}

void hik_mix_remember(hik_mix *m, const hik_run *run, const double *target, const double *q) {
  const hik_problem *p = run->problem;
  const hik_sight sight = {p->model, q, run->world};
  size_t nq = (size_t)p->model->nq;
  if (m->count > 0 && memcmp(m->q + (size_t)m->at * nq, q, nq * sizeof *q) == 0) return;
  m->at = m->count == 0 ? 0 : (m->at + 1) % HIK_MIX_DEPTH;
  if (m->count < HIK_MIX_DEPTH) m->count++;
  memcpy(m->q + (size_t)m->at * nq, q, nq * sizeof *q);
  double *e = m->e + (size_t)m->at * (size_t)p->rows;
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    if (hik_goal_is_soft(g))
      memset(e + g->row, 0, (size_t)g->rows * sizeof *e);
    else
      hik_goal_residual(g, target, &sight, e + g->row);
    for (int32_t r = g->row; r < g->row + g->rows; r++)
      e[r] *= p->metric[r] ? g->term.weight : sqrt(HIK_TURN_SHARE) * p->scale * g->term.weight;
  }
}

/* The place of the i-th of the others, the oldest first. */
static size_t other(const hik_mix *m, int32_t i) { return (size_t)((m->at + 1 + i) % m->count); }

/* The largest move of a coordinate: in radians, of a slide in lengths of the problem. */
static double longest(const hik_problem *p, const double *way) {
  const hik_model *m = p->model;
  double most = 0;
  for (int32_t k = 0; k < p->n_active; k++) {
    if (hik_step_follows(m, p->active[k])) continue;
    int32_t s = p->active[k], width = m->step_kind[s] == HIK_BALL_STEP ? 4 : 1;
    double unit = m->step_kind[s] == HIK_SLIDE ? p->scale : 1;
    for (int32_t i = 0; i < width; i++) {
      double move = fabs(way[m->step_q[s] + i]) / unit;
      if (!(move < INFINITY)) return INFINITY;
      most = fmax(most, move);
    }
  }
  return most;
}

bool hik_mix_find(hik_mix *m, const hik_problem *p) {
  double a[HIK_MIX_DEPTH * HIK_MIX_DEPTH], b[HIK_MIX_DEPTH], trace = 0;
  int32_t n = m->count - 1, nq = p->model->nq, rows = p->rows;
  const double *e = m->e + (size_t)m->at * (size_t)rows, *q = m->q + (size_t)m->at * (size_t)nq;
  for (int32_t i = 0; i < n; i++) {
    const double *its = m->e + other(m, i) * (size_t)rows;
    double *off = m->off + (size_t)i * (size_t)rows;
    for (int32_t r = 0; r < rows; r++) off[r] = its[r] - e[r];
  }
  hik_outer(n, rows, m->off, a);
  hik_times(n, rows, m->off, e, b);
  for (int32_t i = 0; i < n; i++) b[i] = -b[i], trace += a[i * n + i];
  for (int32_t i = 0; i < n; i++) a[i * n + i] += DAMPING * trace;
  if (!(trace > 0) || !hik_cholesky(n, a, 0)) return false;
  hik_cholesky_solve(n, a, b);
  memset(m->way, 0, (size_t)nq * sizeof *m->way);
  for (int32_t i = 0; i < n; i++) {
    const double *its = m->q + other(m, i) * (size_t)nq;
    for (int32_t k = 0; k < nq; k++) m->way[k] += b[i] * (its[k] - q[k]);
  }
  double most = longest(p, m->way);
  if (!(most < INFINITY)) return false;
  /* poses almost on one line name a point far away, where nothing is linear */
  for (int32_t k = 0; k < nq && most > 1; k++) m->way[k] /= most;
  return true;
}
