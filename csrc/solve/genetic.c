/* genetic.c: a genetic algorithm on real numbers.

   Purpose    any joint tree, any number and kind of goals; needs no derivative
   Given      the start inside the limits, the first member of the population; for each problem a target
   Returned   q inside its limits, the best met
   Outcomes   converged, closest (target proved out of reach), stalled (no progress, `renewals` used), max_iter, diverged
   Notes      1 An iteration is a generation of `population` members: the `elites` best live on, the others are
                children.
              2 Parents: the better of `tournament` members drawn at random, twice.
              3 Crossover, for the share `crossover` of the children, by blending: each gene (see genes.h) is drawn
                uniformly from the way between the parents, lengthened by the share `blend` at either end (BLX-alpha).
                The other children are copies of the first parent.
              4 Mutation: each gene, with probability `mutation` (0: one gene in a child on average), moves by
                +-0.1 span m, m = the sum over i = 0 to 15 of 2^-i, each with probability 1/16: mostly small moves, of
                any size, so that precision needs no schedule (breeder genetic algorithm).
              5 When the best error has not fallen by the share `stall` in `patience` generations the population is
                drawn anew, `renewals` times.
   Reference  J. H. Holland (1975); D. E. Goldberg (1989); L. J. Eshelman, J. D. Schaffer, Real-coded genetic algorithms
              and interval-schemata (1993), BLX-alpha; H. Muehlenbein, D. Schlierkamp-Voosen, Predictive models for the
              breeder genetic algorithm, Evol. Comp. 1 (1993) 25-49, mutation. */
#include "solve/genes.h"

enum { POPULATION, ELITES, TOURNAMENT, CROSSOVER, BLEND, MUTATION, PATIENCE, RENEWALS, OPTIONS };
enum { BITS = 16 };

static const hik_range ranges[OPTIONS] = {
    {"population", 4, 10000, true}, {"elites", 1, 10000, true},  {"tournament", 1, 10000, true},
    {"crossover", 0, 1, false},     {"blend", 0, 10, false},     {"mutation", 0, 1, false},
    {"patience", 1, 1e9, true},     {"renewals", 0, 1e6, true}};

typedef struct work {
  hik_sampler s;
  hik_descent d;
  int32_t count;
  double *x[2];   /* [count][n] this generation and the next */
  double *f[2];   /* [count] */
  int32_t *order; /* [count] best first */
  double *way;    /* [n] */
  int now;        /* which of the two this generation is */
} work;

static work *lay_out(const hik_problem *p, const hik_options *o, hik_block *block) {
  work *w = HIK_TAKE(block, work, 1), spare, *into = w ? w : &spare;
  size_t n = (size_t)hik_genes_most(p) + 1, count = (size_t)o->param[POPULATION], whole = 0;
  if (!hik_mul(n, count, &whole)) block->bad = true;
  hik_descent_lay_out(&into->d, p, block);
  hik_genes_lay_out(&into->s.genes, p, block);
  into->count = (int32_t)count;
  for (int i = 0; i < 2; i++) {
    into->x[i] = HIK_TAKE(block, double, whole);
    into->f[i] = HIK_TAKE(block, double, count);
  }
  into->order = HIK_TAKE(block, int32_t, count);
  into->way = HIK_TAKE(block, double, n);
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

/* All members at random; the first is the posture in d->q if it is kept. */
static void populate(work *w, bool keep_first) {
  hik_sampler *s = &w->s;
  for (int32_t i = 0; i < w->count; i++) {
    double *x = row(w, w->x[w->now], i);
    hik_genes_draw(&s->genes, &s->rng, x);
    if (i == 0 && keep_first) hik_genes_read(&s->genes, w->d.q, x);
    w->f[w->now][i] = hik_sampler_error(s, x);
  }
  hik_sampler_sort(w->count, w->f[w->now], w->order);
}

static int32_t parent(work *w, int32_t draws) {
  int32_t best = hik_rng_below(&w->s.rng, w->count);
  for (int32_t i = 1; i < draws; i++) {
    int32_t other = hik_rng_below(&w->s.rng, w->count);
    if (w->f[w->now][other] < w->f[w->now][best]) best = other;
  }
  return best;
}

/* A move of a gene in shares of its span. */
static double mutation(hik_rng *rng) {
  double sum = 0, part = 0.1;
  for (int i = 0; i < BITS; i++, part *= 0.5)
    if (hik_rng_uniform(rng) < 1.0 / BITS) sum += part;
  return hik_rng_uniform(rng) < 0.5 ? -sum : sum;
}

static void breed(work *w, double *child) {
  hik_sampler *s = &w->s;
  const double *param = w->d.run->options->param, blend = param[BLEND];
  int32_t n = s->genes.n, draws = (int32_t)param[TOURNAMENT];
  const double *a = row(w, w->x[w->now], parent(w, draws)), *b = row(w, w->x[w->now], parent(w, draws));
  memcpy(child, a, row_bytes(w));
  if (hik_rng_uniform(&s->rng) < param[CROSSOVER]) {
    hik_genes_way(&s->genes, a, b, w->way);
    for (int32_t k = 0; k < n; k++) child[k] += w->way[k] * ((1 + 2 * blend) * hik_rng_uniform(&s->rng) - blend);
  }
  double rate = param[MUTATION] > 0 ? param[MUTATION] : 1.0 / (n > 0 ? n : 1);
  for (int32_t k = 0; k < n; k++)
    if (hik_rng_uniform(&s->rng) < rate) child[k] += s->genes.span[k] * mutation(&s->rng);
}

static void generation(work *w) {
  int next = 1 - w->now;
  int32_t elites = (int32_t)w->d.run->options->param[ELITES];
  for (int32_t i = 0; i < w->count; i++) {
    double *x = row(w, w->x[next], i);
    if (i < elites) {
      memcpy(x, row(w, w->x[w->now], w->order[i]), row_bytes(w));
      w->f[next][i] = w->f[w->now][w->order[i]];
      continue;
    }
    breed(w, x);
    w->f[next][i] = hik_sampler_error(&w->s, x);
  }
  w->now = next;
  hik_sampler_sort(w->count, w->f[next], w->order);
}

static void one(hik_run *run, const double *target, hik_answer *answer) {
  work *w = run->scratch;
  const double *param = run->options->param;
  if (!hik_sampler_begin(&w->s, run, target, answer, 0x67656e65u, (int32_t)param[PATIENCE], (int32_t)param[RENEWALS]))
    return;
  w->now = 0;
  populate(w, true);
  for (;;) {
    generation(w);
    if (!hik_sampler_next(&w->s, row(w, w->x[w->now], w->order[0]))) return;
    if (w->s.renewed) populate(w, false);
  }
}

static hik_status accepts(const hik_problem *p, const hik_options *o, hik_error *error) {
  (void)p;
  hik_status status = hik_check_ranges(ranges, OPTIONS, o, error);
  return status ? status : hik_check_elites(o, POPULATION, ELITES, error);
}

const hik_solver_class hik_solver_genetic = {
    .name = "genetic",
    .summary = "genetic algorithm on real numbers: blending, breeder mutation, elites",
    .reference = "Holland 1975; Eshelman and Schaffer 1993; Muehlenbein and Schlierkamp-Voosen 1993",
    .max_iter = 1000,
    .stall = 1e-2,
    .n_param = OPTIONS,
    .param_name = {"population", "elites", "tournament", "crossover", "blend", "mutation", "patience", "renewals"},
    .param_default = {60, 4, 2, 0.9, 0.5, 0, 60, 4},
    .accepts = accepts,
    .scratch_for = scratch_for,
    .begin = begin,
    .one = one,
};
