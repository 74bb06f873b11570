/* swarm.c: particle swarm with constriction.

   Purpose    any joint tree, any number and kind of goals; needs no derivative
   Given      the start inside the limits, where the first particle begins; for each problem a target
   Returned   q inside its limits, the best met
   Outcomes   converged, closest (target proved out of reach), stalled (no progress, `renewals` used), max_iter, diverged
   Notes      1 An iteration moves every particle once. Each gene x (see genes.h) with speed v, the particle's own best
                posture b and the best posture l of its neighbours, r and s uniform in [0, 1), different for each gene:
                  v <- chi (v + phi/2 r (b - x) + phi/2 s (l - x)),  x <- x + v
                chi = 2 / (phi - 2 + sqrt(phi^2 - 4 phi)), which keeps the swarm from flying apart for phi > 4.
              2 Neighbours: `neighbours` particles to either side in a ring, or with 0 all of them.
              3 A gene that would leave its limits stays there with the speed it really had.
              4 When the best error has not fallen by the share `stall` in `patience` iterations all particles are
                scattered anew, `renewals` times.
   Reference  J. Kennedy, R. Eberhart, Particle swarm optimization (1995); M. Clerc, J. Kennedy, The particle swarm:
              explosion, stability, and convergence in a multidimensional complex space, IEEE Trans. Evol. Comp. 6
              (2002) 58-73; J. Kennedy, R. Mendes, Population structure and particle swarm performance (2002), rings. */
#include "solve/genes.h"

enum { PARTICLES, PHI, NEIGHBOURS, PATIENCE, RENEWALS, OPTIONS };

static const hik_range ranges[OPTIONS] = {{"particles", 2, 10000, true},
                                          {"phi", 4.0001, 100, false},
                                          {"neighbours", 0, 10000, true},
                                          {"patience", 1, 1e9, true},
                                          {"renewals", 0, 1e6, true}};

typedef struct work {
  hik_sampler s;
  hik_descent d;
  int32_t count;
  double *x, *v, *own;  /* [count][n] place, speed, best place */
  double *f;            /* [count] error of the best place */
  double *way[2], *old; /* [n] */
} work;

static work *lay_out(const hik_problem *p, const hik_options *o, hik_block *block) {
  work *w = HIK_TAKE(block, work, 1), spare, *into = w ? w : &spare;
  size_t n = (size_t)hik_genes_most(p) + 1, count = (size_t)o->param[PARTICLES], whole = 0;
  if (!hik_mul(n, count, &whole)) block->bad = true;
  hik_descent_lay_out(&into->d, p, block);
  hik_genes_lay_out(&into->s.genes, p, block);
  into->count = (int32_t)count;
  into->x = HIK_TAKE(block, double, whole);
  into->v = HIK_TAKE(block, double, whole);
  into->own = HIK_TAKE(block, double, whole);
  into->f = HIK_TAKE(block, double, count);
  for (int i = 0; i < 2; i++) into->way[i] = HIK_TAKE(block, double, n);
  into->old = HIK_TAKE(block, double, n);
  return w;
}

static size_t scratch_for(const hik_problem *p, const hik_options *o) {
  hik_block block = {NULL, 0, false};
  lay_out(p, o, &block);
  return block.bad ? SIZE_MAX : block.size;
}

static void begin(hik_run *run) {
  hik_block block = {run->scratch, 0, false};
  work *w = lay_out(run->problem, run->options, &block);
  w->s.d = &w->d;
  hik_descent_prepare(&w->d, run, false);
  hik_genes_prepare(&w->s.genes, &w->d);
}

static double *row(const work *w, double *of, int32_t i) { return of + (size_t)i * (size_t)w->s.genes.n; }

static size_t row_bytes(const work *w) { return (size_t)w->s.genes.n * sizeof(double); }

/* Places at random, speeds half the way to another random place; the first stands where d->q is. */
static void scatter(work *w, bool keep_first) {
  hik_sampler *s = &w->s;
  for (int32_t i = 0; i < w->count; i++) {
    double *x = row(w, w->x, i), *v = row(w, w->v, i);
    hik_genes_draw(&s->genes, &s->rng, x);
    hik_genes_draw(&s->genes, &s->rng, w->old);
    if (i == 0 && keep_first) hik_genes_read(&s->genes, w->d.q, x);
    hik_genes_way(&s->genes, x, w->old, v);
    for (int32_t k = 0; k < s->genes.n; k++) v[k] *= 0.5;
    w->f[i] = hik_sampler_error(s, x);
    memcpy(row(w, w->own, i), x, row_bytes(w));
  }
}

/* The particle with the best place among the neighbours of particle i. */
static int32_t leader(const work *w, int32_t i, int32_t reach) {
  int32_t best = i;
  if (reach == 0 || 2 * reach + 1 >= w->count) {
    for (int32_t k = 0; k < w->count; k++)
      if (w->f[k] < w->f[best]) best = k;
    return best;
  }
  for (int32_t k = -reach; k <= reach; k++) {
    int32_t at = (i + k + w->count) % w->count;
    if (w->f[at] < w->f[best]) best = at;
  }
  return best;
}

static void fly(work *w, int32_t i, double phi, int32_t reach) {
  hik_sampler *s = &w->s;
  double *x = row(w, w->x, i), *v = row(w, w->v, i), chi = 2 / (phi - 2 + sqrt(phi * phi - 4 * phi));
  memcpy(w->old, x, row_bytes(w));
  hik_genes_way(&s->genes, x, row(w, w->own, i), w->way[0]);
  hik_genes_way(&s->genes, x, row(w, w->own, leader(w, i, reach)), w->way[1]);
  for (int32_t k = 0; k < s->genes.n; k++) {
    double a = hik_rng_uniform(&s->rng), b = hik_rng_uniform(&s->rng);
    x[k] += chi * (v[k] + 0.5 * phi * (a * w->way[0][k] + b * w->way[1][k]));
  }
  double error = hik_sampler_error(s, x);
  hik_genes_way(&s->genes, w->old, x, v);
  if (!(error < w->f[i])) return;
  w->f[i] = error;
  memcpy(row(w, w->own, i), x, row_bytes(w));
}

static void one(hik_run *run, const double *target, hik_answer *answer) {
  work *w = run->scratch;
  const double *param = run->options->param;
  if (!hik_sampler_begin(&w->s, run, target, answer, 0x737761726du, (int32_t)param[PATIENCE], (int32_t)param[RENEWALS]))
    return;
  scatter(w, true);
  for (;;) {
    for (int32_t i = 0; i < w->count; i++) fly(w, i, param[PHI], (int32_t)param[NEIGHBOURS]);
    if (!hik_sampler_next(&w->s, row(w, w->own, leader(w, 0, 0)))) return;
    if (w->s.renewed) scatter(w, false);
  }
}

static hik_status accepts(const hik_problem *p, const hik_options *o, hik_error *error) {
  (void)p;
  return hik_check_ranges(ranges, OPTIONS, o, error);
}

const hik_solver_class hik_solver_swarm = {
    .name = "swarm",
    .summary = "particle swarm with constriction",
    .reference = "Kennedy and Eberhart 1995; Clerc and Kennedy 2002",
    .max_iter = 1000,
    .stall = 1e-2,
    .n_param = OPTIONS,
    .param_name = {"particles", "phi", "neighbours", "patience", "renewals"},
    .param_default = {40, 4.1, 0, 60, 8},
    .accepts = accepts,
    .scratch_for = scratch_for,
    .begin = begin,
    .one = one,
};
