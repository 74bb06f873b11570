/* least.c: whether a pose that does not meet its goals is the best compromise around: a least-squares minimum inside the
   limits.

   Minimum    of the sum of squares that descents lower (squares/descent.h): weighted residuals, lengths over the length of
              the figure, orientations by angle or by chord, whichever holds. A local one: nothing is said of other poses
   Told by    1 the Gauss-Newton step inside the limits, damped by the share FLOOR of the trace of J'J, which promises no
                more than the share SHARE of the sum of squares: the relative offset of D. M. Bates, D. G. Watts: A
                relative offset orthogonality convergence criterion for nonlinear least squares. Technometrics 23 (1981)
                179-183. Columns one by one would miss a narrow valley, where several together have what none has alone,
                and mistake rounding for a slope: a ball's turn about its own bone;
              2 a few iterations of Levenberg-Marquardt from a pose pushed off it, which lower the sum by no more than
                SHARE either: the criterion alone holds on a saddle too, such as a straight chain whose target lies on
                its own line. */
#include "solve/drive/plan.h"

#include "base/dense.h"
#include "solve/squares/search.h"

/* Share of the sum of squares that more iterations may gain; size of a push in radians or lengths; what a squared singular
   value counts at least, as a share of their sum: less is rounding, as a ball's turn about its own bone. */
static const double SHARE = 1e-4, PUSH = 0.1, FLOOR = 1e-2;
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

/* The Gauss-Newton step. */
static bool rule(void *context, int32_t m, int32_t n, const double *j, const double *b, double *x) {
  double trace = hik_square_sum(m, n, j);
  return trace > 0 && hik_damped_solve(m, n, j, FLOOR * trace, b, x, ((hik_search *)context)->square);
}

/* The residual has no share in the span of the columns that may move: Bates and Watts' relative offset. A single column may
   have none and several together much, in a narrow valley. J and g are those of the pose. */
static bool flat(hik_search *s) {
  return hik_descent_step(&s->d, rule, s, 0) && hik_search_model(s) >= (1 - SHARE) * s->d.error * s->d.error;
}

/* Whether iterations from the pose in d->q lead below `bound`, or their time is up. */
static bool falls(hik_search *s, double bound) {
  hik_descent_residual(&s->d);
  hik_search_forget(s);
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
  hik_descent *d = &w->search->d;
  hik_descent_prepare(d, run, chordal);
  if (d->n == 0) return false;
  hik_copy_q(d->p->model, q, w->q);
  hik_descent_begin(d, target, w->q);
  hik_descent_residual(d);
  if (!(d->error > 0 && d->error < INFINITY)) return false;
  double bound = d->error * sqrt(1 - SHARE);
  hik_descent_jacobian(d);
  if (!flat(w->search)) return false;
  hik_descent_nudge(d, 0, PUSH);
  return !falls(w->search, bound);
}

bool hik_least_squares(hik_run *run, void *memory, const double *target, const double *q,
                       const hik_verdict *verdict) {
  hik_block block = {memory, 0, false};
  least w = lay_out(run->problem, &block);
  double length = run->problem->scale;
  if (!(verdict->position_error > ROUNDING * length || verdict->orientation_error > ROUNDING)) return false;
  return holds(run, &w, false, target, q) ||
         (hik_has_goal(run->problem, HIK_HAS_ORIENTATION) && holds(run, &w, true, target, q));
}
