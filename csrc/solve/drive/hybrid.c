/* hybrid.c: two iterations of FABRIK to come near, damped least squares to arrive, a new start when that fails.

   Purpose    any tree; goals that say where points, axes or frames should be (wish.h)
   Given      the start inside the limits
   Returned   q inside its limits
   Outcomes   converged; closest (a target proved out of reach), stalled (no start led to the goals), max_iter: the
              nearest pose met
   Notes      1 The two methods fail at different places: FABRIK crawls or circles where a hinge stands at its limit,
                least squares locks where the limits hold every way down and fails on straight and stretched chains.
              2 A start that is nearer than a tenth of the reach begins with least squares, which moves the joints
                less: that is what tracking wants. FABRIK follows when it stalls.
              3 Least squares: damping 0.02 |e|^2 + 1e-9, limits as an active set, no joint moving more than 1 rad an
                iteration; given up when |e|^2 has not fallen to a half in three iterations.
              4 remedies counts the further starts, each the nearest of 32 poses of Halton's sequence; they depend
                on the seed, the limits, the target and their number alone.
   Reference  Aristidou, Chrysanthou and Lasenby 2016; Nakamura and Hanafusa 1986 (damping); Beeson and Ames 2015
              (restarts under limits) */
#include "base/dense.h"
#include "solve/drive/starts.h"
#include "solve/points/fabrik_tree.h"
#include "solve/points/wish.h"
#include "solve/squares/descent.h"

enum { STARTS, COARSE };
enum { WINDOW = 3, CAP = 30, FIRST_CAP = 60, AWAY_STARTS = 4, CANDIDATES = 32 };

static const double weights[HIK_FABRIK_WEIGHTS] = {1, 10, 1, 0.3, 0.5, 3, 16}; /* those of fabrik_fast */
static const double near = 0.1;

typedef struct work {
  hik_fabrik *tree;
  hik_descent d;
  double *start;  /* [nq] as given */
  double *best_q; /* [nq] of all starts */
  double *square; /* for the damped systems */
  double damping;
} work;

static work *lay_out(const hik_problem *p, hik_block *block) {
  work *w = HIK_TAKE(block, work, 1), spare, *into = w ? w : &spare;
  int32_t m, n;
  hik_descent_sizes(p, &m, &n);
  into->tree = hik_fabrik_lay_out(p, block);
  hik_descent_lay_out(&into->d, p, block);
  into->start = HIK_TAKE(block, double, p->model->nq);
  into->best_q = HIK_TAKE(block, double, p->model->nq);
  size_t k = (size_t)(m < n + 1 ? m : n + 1);
  into->square = HIK_TAKE(block, double, (k * k + k));
  return w;
}

HIK_SCRATCH_SIZE(lay_out)

static void begin(hik_run *run) {
  hik_block block = {run->scratch, 0, false};
  work *w = lay_out(run->problem, &block);
  hik_fabrik_prepare(w->tree, run->problem, weights);
  hik_descent_prepare(&w->d, run, true);
}

static bool rule(void *context, int32_t m, int32_t n, const double *j, const double *e, const double *g,
                 double *x) {
  work *w = context;
  (void)g;
  if (!hik_damped_solve(m, n, j, w->damping, e, x, w->square)) return false;
  for (int32_t k = 0; k < n; k++) x[k] = -x[k];
  return true;
}

typedef enum end { MET, GIVEN_UP, SPENT, STOPPED } end;

/* After an iteration. */
static void record(work *w, hik_answer *a) {
  hik_descent_residual(&w->d);
  a->iterations++;
  hik_descent_note(&w->d, a);
}

static bool go_on(const work *w, const hik_answer *a, end *why) {
  const hik_descent *d = &w->d;
  if (a->iterations >= d->run->options->max_iter) return *why = SPENT, false;
  if (!hik_poll(d->run->worker, 1)) return *why = STOPPED, false;
  return true;
}

/* A few iterations of FABRIK, and the best of their poses. GIVEN_UP: goals not met. */
static end reach(work *w, hik_answer *a, int32_t count) {
  hik_descent *d = &w->d;
  end why = GIVEN_UP;
  if (hik_descent_met(d)) return MET;
  d->best = INFINITY;
  for (int32_t i = 0; i < count && go_on(w, a, &why); i++) {
    hik_fabrik_iterate(w->tree, i == 0);
    hik_fabrik_write(w->tree);
    record(w, a);
    if (hik_descent_met(d)) return MET;
    hik_descent_keep(d);
  }
  if (!(d->error <= d->best)) {
    hik_descent_restore(d);
    hik_descent_residual(d);
  }
  return why;
}

static end descend(work *w, hik_answer *a, int32_t cap, double ratio) {
  hik_descent *d = &w->d;
  double past[WINDOW];
  end why = GIVEN_UP;
  for (int32_t i = 0;; i++) {
    if (hik_descent_met(d)) return MET;
    hik_descent_keep(d);
    double square = d->error * d->error;
    if (!(square < INFINITY) || i >= cap || (i >= WINDOW && square > ratio * past[i % WINDOW]))
      return GIVEN_UP;
    if (!go_on(w, a, &why)) return why;
    past[i % WINDOW] = square;
    w->damping = 0.02 * square + 1e-9;
    hik_descent_jacobian(d);
    if (!hik_descent_step(d, rule, w, 1)) return GIVEN_UP;
    hik_descent_move(d, d->q, d->d, d->q);
    record(w, a);
  }
}

/* From the pose in d->q. */
static end attempt(work *w, hik_answer *a, int32_t k) {
  hik_descent *d = &w->d;
  int32_t coarse = (int32_t)d->run->options->param[COARSE];
  hik_descent_residual(d);
  if (k == 0) hik_descent_note(d, a);
  if (d->n == 0) return hik_descent_met(d) ? MET : GIVEN_UP;
  if (k == 0 && d->error < near) {
    end first = descend(w, a, FIRST_CAP, 0.5);
    if (first != GIVEN_UP) return first;
  }
  end first = reach(w, a, coarse);
  return first == GIVEN_UP ? descend(w, a, CAP + k / 4, k <= 8 ? 0.5 : 0.9) : first;
}

/* The nearest of the next few spread poses. */
static void put_start(work *w, uint64_t number) {
  hik_descent *d = &w->d;
  uint64_t first = number * CANDIDATES, nearest = first;
  double lowest = INFINITY;
  memcpy(d->q, w->start, (size_t)d->p->model->nq * sizeof *d->q);
  for (uint64_t i = first; i < first + CANDIDATES; i++) {
    hik_start(d->run, i, d->q);
    hik_descent_residual(d);
    if (d->error < lowest) lowest = d->error, nearest = i;
  }
  hik_start(d->run, nearest, d->q);
}

static void one(hik_run *run, const double *target, hik_answer *answer) {
  work *w = run->scratch;
  hik_descent *d = &w->d;
  const size_t bytes = (size_t)run->problem->model->nq * sizeof(double);
  bool away = hik_out_of_reach(run->problem, target);
  int32_t starts = (int32_t)run->options->param[STARTS];
  if (away && starts > AWAY_STARTS) starts = AWAY_STARTS;
  memcpy(w->start, answer->q, bytes);
  hik_descent_begin(d, target, answer->q);
  hik_fabrik_begin(w->tree, target, run->world, answer->q);
  double nearest = INFINITY;
  end last = GIVEN_UP;
  for (int32_t k = 0; k <= starts && last == GIVEN_UP; k++) {
    if (run->worker->attempt + (uint64_t)k > 0) put_start(w, run->worker->attempt + (uint64_t)k);
    d->best = INFINITY;
    last = attempt(w, answer, k);
    answer->remedies = k;
    if (last == MET) break;
    if (d->n == 0) break;
    if (d->best < nearest) {
      nearest = d->best;
      memcpy(w->best_q, d->best_q, bytes);
    }
  }
  if (last == MET) {
    answer->claim = HIK_CONVERGED;
    return;
  }
  if (nearest < INFINITY) memcpy(answer->q, w->best_q, bytes);
  answer->claim = away ? HIK_CLOSEST : last == SPENT ? HIK_MAX_ITER : HIK_STALLED;
}

static hik_status accepts(const hik_problem *p, const hik_options *o, hik_error *error) {
  (void)o;
  return hik_wishes_accept(p, "hybrid", error);
}

const hik_solver_class hik_solver_hybrid = {
    .name = "hybrid",
    .own = true,
    .summary = "a few iterations of fabrik_fast, then damped least squares, from spread starts",
    .reference = "Aristidou, Chrysanthou and Lasenby 2016; Nakamura and Hanafusa 1986",
    .max_iter = 3000,
    .stall = 0,
    .option = {{"starts", 200, 0, 1e8, true}, {"coarse", 2, 0, 1e9, true}},
    .accepts = accepts,
    .scratch_size = scratch_size,
    .begin = begin,
    .one = one};
