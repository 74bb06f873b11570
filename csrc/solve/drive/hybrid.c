/* hybrid.c: two iterations of FABRIK to come near, damped least squares to arrive, a new start when that fails.

   Purpose    any tree; goals that say where points, axes or frames should be (wish.h)
   Given      the start inside the limits
   Returned   q inside its limits
   Outcomes   converged; unreachable (a target proved out of reach), stalled (no start led to the goals), max_iter: the
              nearest pose met
   Notes      1 The two methods fail at different places: FABRIK crawls or circles where a hinge stands at its limit,
                least squares locks where the limits hold every way down and fails on straight and stretched chains.
              2 A start that is nearer than a tenth of the reach begins with least squares, which moves the joints
                less: that is what tracking wants. FABRIK follows when it stalls.
              3 Least squares: squares/damped.h.
              4 remedies counts the further starts, each the nearest of 32 poses of Halton's sequence; they depend
                on the seed, the limits, the target and their number alone.
   Reference  Aristidou, Chrysanthou and Lasenby 2016; Nakamura and Hanafusa 1986 (damping); Beeson and Ames 2015
              (restarts under limits) */
#include "solve/drive/starts.h"
#include "solve/points/fabrik_tree.h"
#include "solve/points/wish.h"
#include "solve/squares/damped.h"

enum { STARTS, COARSE };
enum { CANDIDATES = 32 };

static const double weights[HIK_FABRIK_WEIGHTS] = {1, 10, 1, 0.3, 0.5, 3, 16}; /* those of fabrik_fast */
static const double near = 0.1;

typedef struct work {
  hik_fabrik *tree;
  hik_descent d;
  hik_damped damped;
} work;

static work *lay_out(const hik_problem *p, hik_block *block) {
  work *w = HIK_TAKE(block, work, 1), spare, *into = w ? w : &spare;
  into->tree = hik_fabrik_lay_out(p, block);
  hik_descent_lay_out(&into->d, p, block);
  hik_damped_lay_out(&into->damped, p, block);
  return w;
}

HIK_LAID_OUT(work, lay_out)

static void begin(hik_run *run) {
  work *w = laid_out(run);
  hik_fabrik_prepare(w->tree, run->problem, weights);
  hik_descent_prepare(&w->d, run, true);
  w->damped.d = &w->d;
}

/* A few iterations of FABRIK, and the best of their poses. */
static void reach(work *w, hik_answer *a, int32_t count) {
  hik_descent *d = &w->d;
  w->damped.last = hik_descent_met(d) ? HIK_MET : HIK_GIVEN_UP;
  if (w->damped.last == HIK_MET) return;
  d->best = INFINITY;
  for (int32_t i = 0; i < count && hik_damped_goes_on(&w->damped, a); i++) {
    hik_fabrik_iterate(w->tree, i == 0);
    hik_fabrik_write(w->tree);
    hik_descent_residual(d);
    if (hik_damped_arrives(&w->damped, a)) return;
  }
  if (d->error <= d->best) return;
  hik_descent_restore(d);
  hik_descent_residual(d);
}

/* From the pose in d->q, residual evaluated. True: it meets the goals. */
static bool attempt(work *w, hik_answer *a, int32_t k) {
  hik_damped *t = &w->damped;
  t->d->best = INFINITY;
  if (k == 0 && t->d->error < near &&
      hik_damped_descend(t, a, HIK_DAMPED_FIRST, hik_damped_ratio(k)) != HIK_GIVEN_UP)
    return t->last == HIK_MET;
  reach(w, a, (int32_t)t->d->run->options->param[COARSE]);
  if (t->last == HIK_GIVEN_UP) hik_damped_descend(t, a, HIK_DAMPED_CAP + k / 4, hik_damped_ratio(k));
  return t->last == HIK_MET;
}

/* The nearest of the next few spread poses. */
static void put_start(work *w, uint64_t number) {
  hik_descent *d = &w->d;
  uint64_t first = number * CANDIDATES, nearest = first;
  double lowest = INFINITY;
  for (uint64_t i = first; i < first + CANDIDATES; i++) {
    hik_start_near(d->run, i, d->target, d->q);
    hik_descent_residual(d);
    if (d->error < lowest) lowest = d->error, nearest = i;
  }
  hik_start_near(d->run, nearest, d->target, d->q);
  hik_descent_residual(d);
}

static void one(hik_run *run, const double *target, hik_answer *answer) {
  work *w = run->scratch;
  hik_damped *t = &w->damped;
  uint64_t first = run->worker->attempt;
  bool met = false;
  hik_damped_begin(t, target, (int32_t)run->options->param[STARTS], answer);
  hik_fabrik_begin(w->tree, target, run->world, answer->q);
  for (int32_t k = 0; !met && hik_damped_again(t, k); k++) {
    if (first + (uint64_t)k > 0) put_start(w, first + (uint64_t)k);
    answer->remedies = k;
    met = attempt(w, answer, k);
    hik_damped_keep(t, met ? -1 : w->d.best, met ? w->d.q : w->d.best_q);
  }
  hik_damped_end(t, met || (w->d.n == 0 && hik_descent_met(&w->d)), answer);
}

const hik_solver_class hik_solver_hybrid = {
    .name = "hybrid",
    .own = true,
    .summary = "a few iterations of fabrik_fast, then damped least squares, from spread starts",
    .reference = "Aristidou, Chrysanthou and Lasenby 2016; Nakamura and Hanafusa 1986",
    .max_iter = 3000,
    .ftol = 0,
    .option = {{"max_restarts", 200, 0, 1e8, true}, {"coarse", 2, 0, 1e9, true}},
    .accepts = hik_wishes_accept,
    .scratch_for = scratch_for,
    .begin = begin,
    .one = one};
