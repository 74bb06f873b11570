/* least.c: see least.h. */
#include "solve/drive/least.h"

#include "solve/squares/search.h"

/* Largest cosine between the residual and a column; share of the sum of squares that more iterations may gain; size of a
   push in radians or lengths. */
static const double COSINE = 1e-2, SHARE = 1e-4, PUSH = 0.1;
/* Iterations: an end is told by a step that gains less than the share ENDS; fewer than a dozen leave saddles of folded chains
   unseen. */
static const double ENDS = 1e-5;
/* A miss this small, in lengths of the figure or radians, is rounding and no compromise. */
static const double ROUNDING = 1e-9;
enum { ITERATIONS = 12 };

typedef struct least {
  hik_search *search;
  double *q; /* [nq] */
} least;

static least lay_out(const hik_problem *p, hik_block *block) {
  least w;
  w.q = HIK_TAKE(block, double, p->model->nq);
  w.search = hik_search_lay_out(p, block);
  return w;
}

HIK_COUNT_BYTES(size_t hik_least_bytes(const hik_problem *problem), lay_out(problem, &block))

static bool turns(const hik_problem *p) {
  for (int32_t i = 0; i < p->n_goal; i++)
    if (hik_goal_class(p->goal + i)->caps & HIK_HAS_ORIENTATION) return true;
  return false;
}

/* No column that may move has a share in the residual; J and g are those of the pose. */
static bool flat(const hik_descent *d) {
  for (int32_t k = 0; k < d->n; k++) {
    double square = 0;
    if (hik_descent_pushed_out(d, k)) continue;
    for (size_t r = 0; r < (size_t)d->m; r++) {
      double x = d->j[r * (size_t)d->n + (size_t)k];
      square += x * x;
    }
    if (!(fabs(d->g[k]) <= COSINE * sqrt(square) * d->error)) return false;
  }
  return true;
}

/* Whether iterations from the pose in d->q lead below `bound`, or their time is up. */
static bool falls(hik_search *s, double bound) {
  hik_descent_residual(&s->d);
  hik_lbfgs_forget(s);
  hik_lm_begin(s);
  for (int i = 0; i < ITERATIONS; i++) {
    double before = s->d.error;
    if (before < bound || !hik_poll(s->d.run->worker, 1)) return true;
    if (!hik_lm_iteration(s, 1)) return false;
    if (s->d.error < before && s->d.error > (1 - ENDS) * before) return false;
  }
  return s->d.error < bound;
}

/* In one measure of orientations. */
static bool holds(hik_run *run, const least *w, bool chordal, const double *target, const double *q) {
  size_t bytes = (size_t)run->problem->model->nq * sizeof *q;
  hik_descent *d = &w->search->d;
  hik_descent_prepare(d, run, chordal);
  if (d->n == 0) return false;
  memcpy(w->q, q, bytes);
  hik_descent_begin(d, target, w->q);
  hik_descent_residual(d);
  if (!(d->error > 0 && d->error < INFINITY)) return false;
  double bound = d->error * sqrt(1 - SHARE);
  hik_descent_jacobian(d);
  if (!flat(d) || falls(w->search, bound)) return false;
  memcpy(w->q, q, bytes);
  hik_descent_nudge(d, 0, PUSH);
  return !falls(w->search, bound);
}

bool hik_least_squares(hik_run *run, void *memory, const double *target, const double *q,
                       const hik_verdict *verdict) {
  hik_block block = {memory, 0, false};
  least w = lay_out(run->problem, &block);
  double length = run->problem->scale;
  if (!(verdict->position_error > ROUNDING * length || verdict->orientation_error > ROUNDING)) return false;
  return holds(run, &w, false, target, q) || (turns(run->problem) && holds(run, &w, true, target, q));
}
