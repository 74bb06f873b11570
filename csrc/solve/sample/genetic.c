/* genetic.c: a genetic algorithm on real numbers.

   Purpose    any joint tree, any number and kind of goals; needs no derivative
   Given      the start inside the limits, the first member of the population; for each problem a target
   Returned   q inside its limits, the best met
   Outcomes   converged, unreachable (target proved out of reach), stalled (no progress, `renewals` used), max_iter, diverged
   Notes      1 An iteration is a generation of `population` members: the `elites` best live on, the others are
                children.
              2 Parents: the better of `tournament` members drawn at random, twice.
              3 Crossover, for the share `crossover` of the children, by blending: each gene (see genes.h) is drawn
                uniformly from the way between the parents, lengthened by the share `blend` at either end (BLX-alpha).
                The other children are copies of the first parent.
              4 Mutation: each gene, with probability `mutation` (0: one gene in a child on average), moves by
                +-0.1 span m, m = the sum over i = 0 to 15 of 2^-i, each with probability 1/16: mostly small moves, of
                any size, so that precision needs no schedule (breeder genetic algorithm).
              5 When the best error has not fallen by the share `ftol` in `patience` generations the population is
                drawn anew, `renewals` times.
   Reference  J. H. Holland (1975); D. E. Goldberg (1989); L. J. Eshelman, J. D. Schaffer, Real-coded genetic algorithms
              and interval-schemata (1993), BLX-alpha; H. Muehlenbein, D. Schlierkamp-Voosen, Predictive models for the
              breeder genetic algorithm, Evol. Comp. 1 (1993) 25-49, mutation. */
#include "solve/sample/population.h"

enum { POPULATION, ELITES, TOURNAMENT, CROSSOVER, BLEND, MUTATION, PATIENCE, RENEWALS };
enum { BITS = 16 };

static int32_t parent(hik_population *w, int32_t draws) {
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

static void breed(hik_population *w, int32_t i) {
  hik_sampler *s = &w->s;
  const double *param = w->s.d->run->options->param, blend = param[BLEND];
  int32_t n = s->genes.n, draws = (int32_t)param[TOURNAMENT];
  double *child = hik_member(w, w->x[1 - w->now], i);
  const double *a = hik_member(w, w->x[w->now], parent(w, draws)),
               *b = hik_member(w, w->x[w->now], parent(w, draws));
  memcpy(child, a, hik_member_bytes(w));
  if (hik_rng_uniform(&s->rng) < param[CROSSOVER]) {
    hik_genes_way(&s->genes, a, b, w->way[0]);
    for (int32_t k = 0; k < n; k++)
      child[k] += w->way[0][k] * ((1 + 2 * blend) * hik_rng_uniform(&s->rng) - blend);
  }
  double rate = param[MUTATION] > 0 ? param[MUTATION] : 1.0 / (n > 0 ? n : 1);
  for (int32_t k = 0; k < n; k++)
    if (hik_rng_uniform(&s->rng) < rate) child[k] += s->genes.span[k] * mutation(&s->rng);
  w->f[1 - w->now][i] = hik_sampler_error(s, child);
}

HIK_POPULATION_ONE(.patience = PATIENCE, .renewals = RENEWALS, .stream = 0x67656e65u, .elites = ELITES,
                   .child = breed)

const hik_solver_class hik_solver_genetic = {
    .name = "genetic",
    .summary = "genetic algorithm on real numbers: blending, breeder mutation, elites",
    .reference = "Holland 1975; Eshelman and Schaffer 1993; Muehlenbein and Schlierkamp-Voosen 1993",
    .max_iter = 1000,
    .ftol = 1e-2,
    .option = {{"population", 60, 4, 10000, true},
               {"elites", 4, 1, 9999, true},
               {"tournament", 2, 1, 10000, true},
               {"crossover", 0.9, 0, 1},
               {"blend", 0.5, 0, 10},
               {"mutation", 0, 0, 1},
               {"patience", 60, 1, 1e9, true},
               {"renewals", 4, 0, 1e6, true}},
    HIK_POPULATION_CLASS,
};
