/* search.c: solvers that lower 1/2 |e|^2 step by step and look before they leap.

   Purpose    any joint tree, any number and kind of goals
   Given      the start inside the limits; for each problem a target
   Returned   q inside its limits
   Outcomes   converged, unreachable (target proved out of reach), stalled (no progress, all remedies used), max_iter,
              diverged
   Notes      1 Every accepted pose has a lower error than the one before it, up to a nudge or another start
                (jacobian.c, note 3).
                  gradient      steepest descent along the projected arc q(t) = clip(q - t g), first t from the linear
                                model, halved until the error falls by 1e-4 of what the slope promises (Armijo); stops
                                when an iteration lowers the error by less than the share `ftol`, or where |g|,
                                without what leads out of the limits, is no more than `gtol`
                  lbfgs         the same with the direction of a limited-memory quasi-Newton matrix of 8 pairs on the
                                columns that are free
                  gauss_newton  the shortest solution of J d = -e (damped by 1e-8 of the trace where it is singular),
                                halved until the error falls
                  lm            Levenberg-Marquardt with Nielsen's gain ratio; a step that does not lower the error is
                                taken back and the damping grows
              2 A ball's rotation vector is treated as flat from one iteration to the next.
   Reference  L. Armijo (1966); D. P. Bertsekas, Projected Newton methods for optimization problems with simple
              constraints, SIAM J. Control 20 (1982); J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed. (2006),
              algorithms 7.4, 10.1; K. Levenberg (1944), D. W. Marquardt (1963); H. B. Nielsen, Damping parameter in
              Marquardt's method, IMM-REP-1999-05. */
#include "solve/squares/search.h"

#include "base/dense.h"

enum { GTOL = HIK_DESCENT_OWN };
enum { PATIENCE = 4, LM_PATIENCE = 16, HALVINGS = 20 };

hik_search *hik_search_lay_out(const hik_problem *p, hik_block *block) {
  hik_search *w = HIK_TAKE(block, hik_search, 1), spare, *into = w ? w : &spare;
  hik_descent_size size = hik_descent_sizes(p);
  hik_descent_lay_out(&into->d, p, block);
  into->square = HIK_TAKE(block, double, size.square);
  into->old_q = HIK_TAKE(block, double, p->model->nq);
  HIK_TAKE_DOUBLES(block, size.m, &into->old_e, &into->je);
  HIK_TAKE_DOUBLES(block, size.n, &into->old_g, &into->step);
  HIK_TAKE_DOUBLES(block, HIK_PAIRS * size.n, &into->s, &into->y);
  return w;
}

HIK_LAID_OUT(hik_search, hik_search_lay_out)

static void begin(hik_run *run) { hik_descent_prepare(&laid_out(run)->d, run, false); }

/* ---- what the methods share ---- */

static void remember(hik_search *w) {
  hik_descent *d = &w->d;
  hik_copy_q(d->p->model, d->q, w->old_q);
  memcpy(w->old_e, d->e, (size_t)d->m * sizeof *d->e);
  w->old_error = d->error;
}

static void take_back(hik_search *w) {
  hik_descent *d = &w->d;
  hik_copy_q(d->p->model, w->old_q, d->q);
  memcpy(d->e, w->old_e, (size_t)d->m * sizeof *d->e);
  d->error = w->old_error;
}

/* Goes along the projected arc from d->q by t * step, t halved until the error falls by 1e-4 of what the slope
   promises for the way really gone. False: it never did; the pose is as before, its poses in the world are not. */
static bool go_along(hik_search *w, const double *step, double t) {
  hik_descent *d = &w->d;
  remember(w);
  for (int tries = 0; tries < HALVINGS; tries++, t *= 0.5) {
    double promised = 0, moved = 0;
    for (int32_t k = 0; k < d->n; k++) {
      double x = t * step[k], down, up;
      hik_descent_room(d, w->old_q, k, &down, &up);
      w->d.d[k] = hik_clip(x, down, up);
      promised += d->g[k] * w->d.d[k];
      moved = fmax(moved, fabs(w->d.d[k]));
    }
    if (!(moved > 0) || promised >= 0) break;
    hik_descent_move(d, w->old_q, d->d, d->q);
    hik_descent_residual(d);
    if (0.5 * d->error * d->error <= 0.5 * w->old_error * w->old_error + 1e-4 * promised) return true;
  }
  take_back(w);
  return false;
}

/* Way down the slope, without what leads out of the limits. */
static void downhill(const hik_descent *d, double *step) {
  for (int32_t k = 0; k < d->n; k++) step[k] = hik_descent_pushed_out(d, k) ? 0 : -d->g[k];
}

/* Length along -g that is best for the linear model. */
static double cauchy_length(hik_search *w, const double *step) {
  const hik_descent *d = &w->d;
  hik_times(d->m, d->n, d->j, step, w->je);
  double bottom = hik_square_sum(1, d->m, w->je);
  return bottom > 0 ? hik_square_sum(1, d->n, step) / bottom : 1;
}

static double clamped_length(const hik_descent *d, const double *step, double t, double clamp) {
  double most = 0;
  for (int32_t k = 0; k < d->n; k++) most = fmax(most, fabs(step[k]));
  return clamp > 0 && t * most > clamp ? clamp / most : t;
}

/* ---- steepest descent ---- */

static bool gradient_iteration(hik_search *w, double clamp) {
  hik_descent *d = &w->d;
  hik_descent_jacobian(d);
  downhill(d, w->step);
  if (sqrt(hik_square_sum(1, d->n, w->step)) <= d->run->options->param[GTOL]) return false;
  return go_along(w, w->step, clamped_length(d, w->step, cauchy_length(w, w->step), clamp));
}

/* ---- L-BFGS ---- */

static double free_dot(const hik_search *w, const double *a, const double *b) {
  double sum = 0;
  for (int32_t k = 0; k < w->d.n; k++)
    if (w->step[k] != 0) sum += a[k] * b[k];
  return sum;
}

/* Two-loop recursion on the columns whose entry of w->step is not zero; w->step is -g there and becomes -H g. */
static void two_loops(hik_search *w) {
  double alpha[HIK_PAIRS], ys[HIK_PAIRS], scale = 0;
  size_t n = (size_t)w->d.n;
  double *r = w->step;
  for (int32_t i = w->pairs - 1; i >= 0; i--) {
    int32_t at = (w->first + i) % HIK_PAIRS;
    const double *s = w->s + (size_t)at * n, *y = w->y + (size_t)at * n;
    double yy = free_dot(w, y, y);
    ys[i] = free_dot(w, y, s);
    alpha[i] = 0;
    if (!(ys[i] > 1e-10 * yy)) {
      ys[i] = 0;
      continue;
    }
    if (scale == 0) scale = ys[i] / yy;
    alpha[i] = free_dot(w, s, r) / ys[i];
    for (size_t k = 0; k < n; k++)
      if (r[k] != 0) r[k] -= alpha[i] * y[k];
  }
  if (scale == 0) return;
  for (size_t k = 0; k < n; k++) r[k] *= scale;
  for (int32_t i = 0; i < w->pairs; i++) {
    if (ys[i] == 0) continue;
    int32_t at = (w->first + i) % HIK_PAIRS;
    const double *s = w->s + (size_t)at * n, *y = w->y + (size_t)at * n;
    double beta = free_dot(w, y, r) / ys[i];
    for (size_t k = 0; k < n; k++)
      if (r[k] != 0) r[k] += (alpha[i] - beta) * s[k];
  }
}

static void add_pair(hik_search *w) {
  const hik_descent *d = &w->d;
  size_t n = (size_t)d->n;
  int32_t at = (w->first + w->pairs) % HIK_PAIRS;
  if (w->pairs == HIK_PAIRS)
    w->first = (w->first + 1) % HIK_PAIRS;
  else
    w->pairs++;
  for (size_t k = 0; k < n; k++) {
    w->s[(size_t)at * n + k] = d->d[k];
    w->y[(size_t)at * n + k] = d->g[k] - w->old_g[k];
  }
}

void hik_search_forget(hik_search *w) {
  w->pairs = w->first = 0;
  w->have_g = false;
  w->damping = -1, w->growth = 2;
}

static bool lbfgs_iteration(hik_search *w, double clamp) {
  hik_descent *d = &w->d;
  for (;;) {
    if (!w->have_g) hik_descent_jacobian(d);
    downhill(d, w->step);
    two_loops(w);
    double first = w->pairs == 0 ? cauchy_length(w, w->step) : 1;
    w->have_g = false;
    if (go_along(w, w->step, clamped_length(d, w->step, first, clamp))) break;
    if (w->pairs == 0) return false;
    hik_search_forget(w); /* the pairs mislead */
    hik_descent_residual(d);
  }
  memcpy(w->old_g, d->g, (size_t)d->n * sizeof *d->g);
  hik_descent_jacobian(d);
  add_pair(w);
  w->have_g = true;
  return true;
}

/* ---- Gauss-Newton and Levenberg-Marquardt ---- */

static bool damped_rule(void *context, int32_t m, int32_t n, const double *j, const double *b, double *x) {
  hik_search *w = context;
  if (hik_damped_solve(m, n, j, w->damping, b, x, w->square)) return true;
  double trace = hik_square_sum(m, n, j);
  return trace > 0 && hik_damped_solve(m, n, j, w->damping + 1e-8 * trace, b, x, w->square);
}

static bool gauss_newton_iteration(hik_search *w, double clamp) {
  hik_descent *d = &w->d;
  hik_descent_jacobian(d);
  w->damping = 0;
  if (!hik_descent_step(d, damped_rule, w, clamp)) return false;
  memcpy(w->step, d->d, (size_t)d->n * sizeof *d->d);
  return go_along(w, w->step, 1);
}

double hik_search_model(hik_search *w) {
  const hik_descent *d = &w->d;
  double sum = 0;
  hik_times(d->m, d->n, d->j, d->d, w->je);
  for (int32_t r = 0; r < d->m; r++) sum += (d->e[r] + w->je[r]) * (d->e[r] + w->je[r]);
  return sum;
}

bool hik_lm_iteration(hik_search *w, double clamp) {
  hik_descent *d = &w->d;
  if (!w->have_g) hik_descent_jacobian(d);
  if (w->damping < 0) {
    double most = 0;
    for (int32_t k = 0; k < d->n; k++) {
      double square = 0;
      for (int32_t r = 0; r < d->m; r++)
        square += d->j[(size_t)r * (size_t)d->n + (size_t)k] * d->j[(size_t)r * (size_t)d->n + (size_t)k];
      most = fmax(most, square);
    }
    w->damping = 1e-3 * most;
  }
  if (!hik_descent_step(d, damped_rule, w, clamp)) return false;
  double model = hik_search_model(w);
  remember(w);
  hik_descent_move(d, w->old_q, d->d, d->q);
  hik_descent_residual(d);
  double promised = w->old_error * w->old_error - model,
         got = w->old_error * w->old_error - d->error * d->error;
  if (got > 0 && promised > 0) {
    double ratio = got / promised, x = 2 * ratio - 1;
    w->damping *= fmax(1.0 / 3, 1 - x * x * x);
    w->growth = 2;
    w->have_g = false;
    return true;
  }
  take_back(w);
  w->have_g = true; /* J and g are still those of this pose */
  w->damping = fmax(w->damping, 1e-12) * w->growth;
  w->growth *= 2;
  return w->damping < 1e12;
}

/* ---- the loop ---- */

/* A solver of an iteration. */
#define HIK_SEARCH_SOLVER(key, label, iteration, patience, ...)                                              \
  static bool iterate_##key(hik_pace *pace) {                                                                \
    hik_search *w = pace->work;                                                                              \
    if (pace->fresh) hik_search_forget(w);                                                                   \
    return iteration(w, pace->run->options->param[HIK_DESCENT_CLAMP]);                                       \
  }                                                                                                          \
  static void one_##key(hik_run *run, const double *target, hik_answer *answer) {                            \
    static const hik_method method = {.iterate = iterate_##key, HIK_DESCENT_METHOD};                         \
    hik_descent_run(run->scratch, &method, patience, false, target, answer);                                 \
  }                                                                                                          \
  HIK_DESCENT_SOLVER(key, label, __VA_ARGS__)

HIK_SEARCH_SOLVER(gradient, "gradient_descent", gradient_iteration, PATIENCE,
                  "steepest descent with a line search", "Armijo 1966", 2000, 1e-4, HIK_DESCENT_OPTIONS(0.5),
                  {"gtol", 0, 0, 1e9});
HIK_SEARCH_SOLVER(lbfgs, "lbfgs", lbfgs_iteration, PATIENCE,
                  "limited-memory quasi-Newton descent inside the limits", "Nocedal 1980; Bertsekas 1982",
                  5000, 1e-4, HIK_DESCENT_OPTIONS(1));
HIK_SEARCH_SOLVER(gauss_newton, "gauss_newton", gauss_newton_iteration, PATIENCE,
                  "Gauss-Newton with a line search", "Nocedal and Wright 2006", 2000, 1e-3,
                  HIK_DESCENT_OPTIONS(1));
HIK_SEARCH_SOLVER(lm, "lm", hik_lm_iteration, LM_PATIENCE, "Levenberg-Marquardt with Nielsen's damping",
                  "Marquardt 1963; Nielsen 1999", 2000, 1e-3, HIK_DESCENT_OPTIONS(0));
