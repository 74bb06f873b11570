/* annealing.c: simulated annealing.

   Purpose    any joint tree, any number and kind of goals; needs no derivative
   Given      the start inside the limits; for each problem a target
   Returned   q inside its limits, the best met
   Outcomes   converged, unreachable (target proved out of reach), stalled (frozen, `reheats` used), max_iter, diverged
   Notes      1 An iteration is a sweep: every gene (see genes.h) in turn is moved by a uniform number in +-step, and
                the move from error E to E' is taken with probability min(1, exp(-(E' - E) / T)), Metropolis' rule.
              2 Schedule: T begins at `initial_temperature` (radians, or lengths of the figure) and is multiplied by `cooling` after
                each sweep; below `final_temperature` the figure is frozen: it is reheated to `initial_temperature` from its best posture, pushed a
                little, `reheats` times.
              3 Each gene has a step of its own, its whole span at first and never longer, that is multiplied by 1.2
                when a move is taken and by 1.2^(-11/14) when not: it settles where 44 of 100 moves are taken. (Corana
                adjusts after 20 sweeps instead, which costs as many evaluations for each temperature.)
              4 What a sweep shows in the trace, and is judged by, is the best posture of the sweep.
   Reference  N. Metropolis et al. (1953); S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, Optimization by simulated
              annealing, Science 220 (1983) 671-680; A. Corana, M. Marchesi, C. Martini, S. Ridella, Minimizing
              multimodal functions of continuous variables with the simulated annealing algorithm, ACM TOMS 13 (1987)
              262-280, steps by gene; G. O. Roberts, A. Gelman, W. R. Gilks (1997), 0.44 for one coordinate. */
#include "solve/sample/genes.h"

enum { HEAT, COOLING, FREEZE, REHEATS };
#define LONGER  1.2
#define SHORTER 0.8665351096100965 /* 1.2^(-11/14): 0.44 log(LONGER) + 0.56 log(SHORTER) = 0 */

typedef struct work {
  hik_sampler s;
  hik_descent d;
  double *x, *trial, *best, *step;
  double error, least; /* of x and best */
} work;

static work *lay_out(const hik_problem *p, hik_block *block) {
  work *w = HIK_TAKE(block, work, 1), spare, *into = w ? w : &spare;
  size_t n = (size_t)hik_genes_most(p) + 1;
  hik_descent_lay_out(&into->d, p, block);
  hik_genes_lay_out(&into->s.genes, p, block);
  HIK_TAKE_DOUBLES(block, n, &into->x, &into->trial, &into->best, &into->step);
  return w;
}

HIK_LAID_OUT(work, lay_out)

static void begin(hik_run *run) {
  work *w = laid_out(run);
  hik_sampler_prepare(&w->s, &w->d, run);
}

static size_t row_bytes(const work *w) { return (size_t)w->s.genes.n * sizeof(double); }

static void take_trial(work *w, double error) {
  memcpy(w->x, w->trial, row_bytes(w));
  w->error = error;
  if (!(error < w->least)) return;
  memcpy(w->best, w->trial, row_bytes(w));
  w->least = error;
}

static void sweep(work *w, double temperature) {
  hik_sampler *s = &w->s;
  memcpy(w->best, w->x, row_bytes(w));
  w->least = w->error;
  for (int32_t i = 0; i < s->genes.n; i++) {
    memcpy(w->trial, w->x, row_bytes(w));
    w->trial[i] += (2 * hik_rng_uniform(&s->rng) - 1) * w->step[i];
    double error = hik_sampler_error(s, w->trial), chance = hik_rng_uniform(&s->rng);
    bool taken = error <= w->error || chance < hik_exp((w->error - error) / temperature);
    if (taken) take_trial(w, error);
    w->step[i] = fmin(w->step[i] * (taken ? LONGER : SHORTER), s->genes.span[i]);
  }
}

/* From the pose in d->q, hot. */
static double reheat(work *w) {
  hik_genes_read(&w->s.genes, w->d.q, w->x);
  w->error = hik_sampler_error(&w->s, w->x);
  memcpy(w->step, w->s.genes.span, row_bytes(w));
  return w->d.run->options->param[HEAT];
}

static void one(hik_run *run, const double *target, hik_answer *answer) {
  work *w = run->scratch;
  const double *param = run->options->param;
  if (!hik_sampler_begin(&w->s, run, target, answer, 0x616e6e65616cu, INT32_MAX, (int32_t)param[REHEATS]))
    return;
  double temperature = reheat(w);
  for (;;) {
    sweep(w, temperature);
    temperature *= param[COOLING];
    w->s.pace.over = temperature < param[FREEZE];
    double least = w->least;
    if (!hik_sampler_next(&w->s, w->best, &w->least)) return;
    if (w->s.pace.fresh)
      temperature = reheat(w);
    else if (w->least < least)
      memcpy(w->x, w->best, row_bytes(w)), w->error = w->least;
  }
}

const hik_solver_class hik_solver_annealing = {
    .name = "simulated_annealing",
    .summary = "simulated annealing, one joint at a time, geometric cooling",
    .reference = "Kirkpatrick, Gelatt and Vecchi 1983; Corana et al. 1987",
    .max_iter = 4000,
    .ftol = 1e-3,
    .option = {{"initial_temperature", 0.3, 1e-9, 1e6},
               {"cooling", 0.99, 0.01, 0.99999},
               {"final_temperature", 1e-6, 1e-12, 1},
               {"reheats", 2, 0, 1e6, true}},
    .scratch_for = scratch_for,
    .begin = begin,
    .one = one,
};
